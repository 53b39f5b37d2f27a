/* Targets, textures and pipelines of the graphics scenes. A scene fills in a draw_pipeline_info; zeros are the plain
 * choice. Not for: the clock (bench.h). */
#ifndef BENCH_VULKAN_DRAW_H
#define BENCH_VULKAN_DRAW_H

#include "bench.h"

struct draw_vertex {
    float position[4];
    float color[4];
};

struct draw_image {
    VkImage image;
    VkImageView view;
    VkFormat format;
    uint32_t width, height, levels;
};

/* A square image of one level in the device's memory. */
struct draw_image draw_image(struct bench *b, VkFormat format, uint32_t size, VkSampleCountFlagBits samples,
                             VkImageUsageFlags usage);

/* Everything before is visible to everything after, and the image has the new layout. */
void draw_change_layout(VkCommandBuffer commands, const struct draw_image *image, VkImageLayout from, VkImageLayout to);

VkBufferImageCopy draw_whole(const struct draw_image *image);

/* A render pass of one colour target, with a depth target and with a resolve if there are more samples, as asked. */
struct draw_target {
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct draw_image color, depth, resolved;
    VkSampleCountFlagBits samples;
    VkClearValue clears[2]; /* colour and depth */
};

struct draw_target_info {
    uint32_t size;
    VkFormat format;                   /* of the colour; 0: RGBA8 */
    VkSampleCountFlagBits samples;     /* 0: 1 */
    bool clear, depth;                 /* clear: the colour; the depth always is */
    bool read_depth;                   /* draw_read_depth will be called */
    float clear_color[4], clear_depth; /* a depth of 0 stands for 1 */
};

struct draw_target draw_target(struct bench *b, const struct draw_target_info *info);

/* A struct draw_vertex as it is; a triangle over the whole target; the colour of either. */
extern const struct bench_spirv draw_mesh_vert, draw_screen_vert, draw_color_frag;

struct draw_pipeline_info {
    struct bench_spirv vertex, fragment;
    struct bench_spirv control, evaluation, geometry; /* where there are such stages */
    uint32_t patch_vertices;                          /* of patches; 0: triangles, or points */
    bool points;
    bool vertices;       /* binding 0 holds struct draw_vertex */
    bool blend;          /* source over */
    VkCompareOp compare; /* of depth; 0 stands for "less" */
    VkDescriptorSetLayout set_layout;
    uint32_t push_B;   /* push constants, for both stages */
    uint32_t constant; /* specialization constant 0 of all stages */
};

struct draw_pipeline {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkShaderModule vertex, fragment, control, evaluation, geometry;
};

/* A pipeline, and what it takes to make one of the same kind with draw_pipeline_again. */
struct draw_pipeline draw_pipeline(struct bench *b, const struct draw_target *target,
                                   const struct draw_pipeline_info *info);
/* Another pipeline, with another info but the layout and the modules of `kind`: as an application makes that creates
 * many. */
VkPipeline draw_pipeline_again(struct bench *b, const struct draw_target *target, const struct draw_pipeline_info *info,
                               const struct draw_pipeline *kind);

/* A square RGBA8 texture at set 0, binding 0, filtered linearly and repeated. */
struct draw_texture_info {
    const uint32_t *texels; /* of all levels, one after the other */
    uint32_t size, levels;
    float anisotropy; /* 0: none */
};
VkDescriptorSet draw_texture(struct bench *b, const struct draw_texture_info *info,
                             VkDescriptorSetLayout *set_layout_out);

/* Record the pass with this in it into b->commands. vertices may be NULL. */
void draw_begin_pass(struct bench *b, const struct draw_target *target, VkSubpassContents contents);
void draw_record(struct bench *b, const struct draw_pipeline *pipeline, const struct bench_buffer *vertices,
                 uint32_t vertex_count);
void draw_end_pass(struct bench *b);

/* An image of so many bytes per texel, row by row, by a submission of its own; it has this layout. By bench_result. */
const void *draw_read_image(struct bench *b, const struct draw_image *image, uint32_t texel_B, VkImageLayout layout);
/* The colour target (resolved) and the depth target. */
const uint32_t *draw_read(struct bench *b, const struct draw_target *target);
const float *draw_read_depth(struct bench *b, const struct draw_target *target);

#endif
