/* Drawing for the end-to-end cases: a target that can be read back, a pipeline from a few choices, and a picture of the
 * CPU to compare with. */
#ifndef TESTS_VULKAN_DRAW_H
#define TESTS_VULKAN_DRAW_H

#include "vt/vt.h"

struct dr_vertex {
    float position[4];
    float color[4];
};

/* A case's setup for drawing. Zeros are the plain choice. */
struct dr_setup {
    uint32_t width, height;        /* 0: 64 */
    VkFormat format;               /* 0: R8G8B8A8_UNORM */
    VkFormat depth_format;         /* 0: none */
    VkSampleCountFlagBits samples; /* 0: 1 */
    int fragment;                  /* `what` of draw.frag, or a shader of its own: */
    enum {
        DR_PLAIN,
        DR_DEPTH_EXPORT,
        DR_UINT,
        DR_WAYS,
        DR_LANES,
    } shader;
    VkPrimitiveTopology topology; /* 0 is points: say what you want */
    bool restart;
    VkCullModeFlags cull;
    VkFrontFace front;
    VkPolygonMode polygon;
    bool depth_test, depth_write, depth_bias, depth_clamp;
    VkCompareOp depth_compare;
    float bias_constant, bias_slope;
    bool stencil;
    VkStencilOpState stencil_op;
    bool blend;
    VkPipelineColorBlendAttachmentState blend_state;
    bool logic;
    VkLogicOp logic_op;
    VkColorComponentFlags hide; /* components that are not written */
    uint32_t sample_mask;       /* 0: all */
    const VkViewport *viewport;
    const VkRect2D *scissor;
    float clear[4];
    uint32_t clear_uint[4];
    float clear_depth;
    uint32_t clear_stencil;
    float instance_offset[4];
    float point_size;
    float line_width;
};

struct dr_draw {
    const struct dr_vertex *vertices;
    uint32_t vertex_count;
    const void *indices; /* NULL: none */
    VkIndexType index_type;
    uint32_t index_count;
    uint32_t instance_count; /* 0: 1 */
    uint32_t first_vertex;   /* and the vertex offset of an indexed draw */
    uint32_t first_index, first_instance;
};

struct dr {
    struct vt *vt;
    struct dr_setup setup;
    VkImage color, resolved, depth;
    VkImageView color_view, resolved_view, depth_view;
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkCommandBuffer commands;
    struct vt_buffer readback, depth_readback;
};

/* The way that draw_ways.frag and draw_lanes.frag go by, of the draws that follow; 0 at first. It stands at DR_WAY_B
 * of the push constants. */
#define DR_WAY_B 20
void dr_set_way(struct dr *dr, float way);

/* Make the target and the pipeline, and begin rendering with cleared targets. */
void dr_begin(struct dr *dr, struct vt *vt, const struct dr_setup *setup);
void dr_draw(struct dr *dr, const struct dr_draw *draw);

/* Another pipeline of the same targets from here on. */
void dr_change(struct dr *dr, const struct dr_setup *setup);

/* End, submit, wait. The texels stand at dr->readback.map, row by row; depth at depth_readback.map if there is any. */
void dr_end(struct dr *dr);

/* Compare the whole unorm8 picture with what `expect` says of each pixel; a component of -1 is not looked at.
 * `tolerance` in codes. */
typedef void (*dr_expect_fn)(const void *argument, uint32_t x, uint32_t y, int out[4]);
void dr_expect(struct dr *dr, dr_expect_fn expect, const void *argument, int tolerance, const char *what);

/* Is the centre of a pixel (or a place in it, in 1/256) inside of a triangle, by the top-left rule? Corners in 1/256 of
 * a pixel. */
bool dr_inside(const int32_t corners[3][2], int32_t x, int32_t y);

#endif
