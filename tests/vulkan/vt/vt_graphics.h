/* Graphics pipelines, render targets and drawing for the end-to-end cases. A case fills in a vt_graphics, which begins
 * with plain choices, in Vulkan's own structures; so everything that Vulkan can say can be said. */
#ifndef TESTS_VULKAN_VT_GRAPHICS_H
#define TESTS_VULKAN_VT_GRAPHICS_H

#include "vt/vt_image.h"

#define VT_MAX_TARGETS 8

/* ---- targets ---- */

struct vt_target {
    uint32_t width, height, layers;
    VkSampleCountFlagBits samples;
    uint32_t color_count;
    struct vt_image colors[VT_MAX_TARGETS], depth;
    VkImageView color_views[VT_MAX_TARGETS], depth_view;
    VkFormat color_formats[VT_MAX_TARGETS], depth_format;
    /* used by vt_begin_rendering */
    VkClearValue clears[VT_MAX_TARGETS], clear_depth;
    VkAttachmentLoadOp load, depth_load;    /* 0: load */
    VkAttachmentStoreOp store, depth_store; /* 0: store */
    struct vt_image *resolve;               /* of colour 0 */
    VkImageView resolve_view;
    VkResolveModeFlagBits resolve_mode;
    uint32_t view_mask;
    VkRect2D area; /* without an extent: all of it */
    const void *inherited; /* a chain of what secondaries inherit */
};

/* A single-sampled colour target, cleared to (0, 0, 0, 0) when rendering begins. */
struct vt_target vt_target(struct vt *vt, VkFormat format, uint32_t width, uint32_t height);
void vt_add_color(struct vt *vt, struct vt_target *target, VkFormat format);
void vt_add_depth(struct vt *vt, struct vt_target *target, VkFormat format); /* cleared to depth 1, stencil 0 */

/* Without images yet, for more samples. */
struct vt_target vt_empty_target(uint32_t width, uint32_t height, VkSampleCountFlagBits samples);

/* ---- pipelines ---- */

/* How a pipeline is put together of libraries (vt_library.c). */
struct vt_library_way {
    const char *name;
    VkGraphicsPipelineLibraryFlagsEXT parts[4]; /* of each library; 0: no such library */
    VkGraphicsPipelineLibraryFlagsEXT own;      /* what the create info that links them gives itself */
    bool is_nested;                             /* pairs of them become libraries first */
    bool is_optimised;                          /* linking may compile */
};
#define VT_LIBRARY_WAYS 7
extern const struct vt_library_way vt_library_ways[VT_LIBRARY_WAYS];

/* The pipeline of a create info in such a way. With layouts, the first is that of libraries with stages before the
 * rasteriser, the second the others'. Skips where there are no libraries. */
VkPipeline vt_link_pipeline(struct vt *vt, const VkGraphicsPipelineCreateInfo *info, const struct vt_library_way *way,
                            const VkPipelineLayout layouts[2]);
void vt_need_libraries(struct vt *vt);

struct vt_graphics {
    struct vt_spirv vertex_code, fragment_code;
    struct vt_spirv geometry_code; /* none by default */
    struct vt_spirv control_code, evaluation_code;
    struct vt_spirv task_code, mesh_code; /* instead of vertices */
    VkPipelineTessellationStateCreateInfo tessellation;
    const VkSpecializationInfo *vertex_constants, *fragment_constants;
    VkPipelineVertexInputStateCreateInfo vertex;
    VkVertexInputBindingDescription bindings[16];
    VkVertexInputAttributeDescription attributes[16];
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineViewportStateCreateInfo viewport;
    VkViewport viewports[16];
    VkRect2D scissors[16];
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkSampleMask sample_mask;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendStateCreateInfo blend;
    VkPipelineColorBlendAttachmentState blends[VT_MAX_TARGETS];
    VkPipelineDynamicStateCreateInfo dynamic;
    VkDynamicState dynamics[32];
    VkDescriptorSetLayout sets[4];
    uint32_t set_count;
    VkRenderPass pass; /* none: dynamic rendering */
    const void *next;  /* a chain for the pipeline itself */
    VkPipelineCreateFlags flags;
    uint32_t subpass;
    void (*set_dynamic)(struct vt *vt, VkCommandBuffer commands, const void *argument); /* by vt_draw_once; or NULL */
    const void *dynamic_argument;
    const struct vt_library_way *way;        /* NULL: in one piece */
    const VkPipelineLayout *library_layouts; /* of vt_link_pipeline; NULL: they have that of the pipeline */

    /* made by vt_make_pipeline */
    VkPipeline pipeline;
    VkPipelineLayout layout;
};

/* Triangle lists without culling, depth test or blending, over the whole target. No vertex input. The struct points
 * into itself: do not copy it. */
void vt_graphics_init(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv vertex,
                      struct vt_spirv fragment);

/* Add a buffer of vertices at the next binding, or an attribute of the newest one at the next location. */
void vt_add_binding(struct vt_graphics *graphics, uint32_t stride_B, VkVertexInputRate rate);
void vt_add_attribute(struct vt_graphics *graphics, VkFormat format, uint32_t offset_B);
void vt_add_dynamic(struct vt_graphics *graphics, VkDynamicState state);

void vt_make_pipeline(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target);

/* ---- recording ---- */

void vt_begin_rendering(VkCommandBuffer commands, struct vt_target *target);
void vt_begin_rendering_with(VkCommandBuffer commands, struct vt_target *target, VkRenderingFlags flags);
/* A secondary that is executed inside of a rendering to the target, and what queries around it count. */
VkCommandBuffer vt_begin_secondary(struct vt *vt, const struct vt_target *target, VkCommandBufferUsageFlags usage,
                                   VkQueryPipelineStatisticFlags statistics);
void vt_push(VkCommandBuffer commands, const struct vt_graphics *graphics, const void *data, uint32_t size_B);

/* ---- what most cases use ---- */

/* Shaders: vertices as below; a triangle over the screen without input; the colour as it came; (0.2, 0.4, 0.6, 0.8); an
 * uvec4 as it came. */
extern const struct vt_spirv vt_plain_vert, vt_screen_vert, vt_plain_frag, vt_constant_frag, vt_attribute_uint_frag;

struct vt_vertex {
    float position[4];
    float color[4];
};

/* Declare bindings for struct vt_vertex. */
void vt_use_vertices(struct vt_graphics *graphics);

/* Make the pipeline, clear the targets, draw these vertices, and read colour 0 back. */
void *vt_draw_once(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                   const struct vt_vertex *vertices, uint32_t count);

/* Record a draw of these vertices with a pipeline that is made already. */
void vt_draw(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
             const struct vt_vertex *vertices, uint32_t count);

/* Two triangles over [-1, 1] at this depth. */
void vt_quad(struct vt_vertex out[6], float depth, const float color[4]);

/* A rectangle in clip coordinates. */
void vt_rectangle(struct vt_vertex out[6], float x0, float y0, float x1, float y1, float depth, const float color[4]);

/* Compare colour 0 with what `expect` says of each pixel. Colours with a NaN first are not looked at. */
typedef void (*vt_expect_fn)(const void *argument, uint32_t x, uint32_t y, double color_out[4]);
void vt_expect_picture(struct vt *vt, const struct vt_target *target, const void *texels, vt_expect_fn expect,
                       const void *argument, double codes, double absolute, const char *what);

#endif
