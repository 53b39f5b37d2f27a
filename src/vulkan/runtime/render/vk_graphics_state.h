/* The state of a graphics pipeline as plain values: VkGraphicsPipelineCreateInfo with its chains flattened, and all
 * that a command buffer can set dynamically. There is no pointer in it, so a pipeline library keeps it by value and
 * linking is copying. What can be dynamic is one row each of dynamic_state.table; the enum of rows, the map from
 * VkDynamicState, the comparing and copying code come from there.
 *
 * Not here: shaders, layouts, caches (vk_pipeline.h), and what a value means to the hardware (the driver). */
#ifndef VULKAN_RUNTIME_VK_GRAPHICS_STATE_H
#define VULKAN_RUNTIME_VK_GRAPHICS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"
#include "vulkan/runtime/gen/vk_dynamic_rows.h" /* generated: enum vk_dynamic_bit, enum vk_graphics_group */
#include "vulkan/runtime/render/vk_rendering.h"

struct vk_command_buffer;

/* The runtime's room. A driver's limits must not be higher. */
#define VK_MAX_VERTEX_BINDINGS 32
#define VK_MAX_VERTEX_ATTRIBUTES 32
#define VK_MAX_VIEWPORTS 16
#define VK_MAX_DISCARD_RECTANGLES 8
#define VK_MAX_SAMPLE_LOCATIONS 64 /* of all pixels of the grid together */

/* `dirty & VK_DYN(CULL_MODE)` */
#define VK_DYN(row) (UINT64_C(1) << VK_DYN_##row)
/* All rows, of a group and of all groups: VK_DYN_GROUP_VIEWPORT, VK_DYN_ALL (generated). */

/* ---- groups ----
 * Enums are kept in bytes; the comment names the API's type. Every member belongs to exactly one row. */

struct vk_vertex_binding {
    uint32_t divisor;   /* instances a step; 0: the same element for all. 1 where nothing else was said */
    uint8_t input_rate; /* VkVertexInputRate */
};

struct vk_vertex_attribute {
    uint32_t format; /* VkFormat */
    uint32_t offset_B;
    uint8_t binding;
};

/* Entries outside the masks are zero. */
struct vk_vertex_input_state {
    uint32_t binding_mask;
    uint32_t attribute_mask; /* by location */
    struct vk_vertex_binding bindings[VK_MAX_VERTEX_BINDINGS];
    struct vk_vertex_attribute attributes[VK_MAX_VERTEX_ATTRIBUTES];
    uint32_t strides_B[VK_MAX_VERTEX_BINDINGS];
};

struct vk_input_assembly_state {
    uint8_t topology; /* VkPrimitiveTopology */
    bool primitive_restart;
};

/* Room only: no driver offers it. */
struct vk_tessellation_state {
    uint8_t patch_control_points;
    uint8_t domain_origin; /* VkTessellationDomainOrigin */
};

struct vk_viewport_state {
    uint8_t viewport_count;
    uint8_t scissor_count;
    bool negative_one_to_one; /* clip space depth is -1 to 1 instead of 0 to 1 */
    VkViewport viewports[VK_MAX_VIEWPORTS];
    VkRect2D scissors[VK_MAX_VIEWPORTS];
};

struct vk_discard_rectangle_state {
    uint8_t mode;  /* VkDiscardRectangleModeEXT */
    uint8_t is_on;
    uint8_t count; /* of the rectangles that matter while it is on; behind the last one that was set they are empty */
    VkRect2D rectangles[VK_MAX_DISCARD_RECTANGLES];
};

enum vk_depth_clip {
    VK_DEPTH_CLIP_OFF,
    VK_DEPTH_CLIP_ON,
    VK_DEPTH_CLIP_UNLESS_CLAMP, /* not specified: on exactly where depth clamping, possibly dynamic, is off */
};

struct vk_rasterization_state {
    bool discard_enable;
    bool depth_clamp_enable;
    uint8_t depth_clip;        /* enum vk_depth_clip; see vk_depth_clip_enable */
    uint8_t polygon_mode;      /* VkPolygonMode */
    uint8_t cull_mode;         /* VkCullModeFlags */
    uint8_t front_face;        /* VkFrontFace */
    uint8_t conservative_mode; /* VkConservativeRasterizationModeEXT */
    uint8_t provoking_vertex;  /* VkProvokingVertexModeEXT */
    uint8_t stream;
    bool depth_bias_enable;
    bool line_stipple_enable;
    uint8_t line_mode; /* VkLineRasterizationModeEXT */
    struct {
        uint32_t factor; /* 1 to 256 */
        uint32_t pattern;
    } line_stipple;
    float line_width;
    float extra_overestimation;
    struct {
        float constant, clamp, slope;
    } depth_bias;
};

struct vk_fragment_shading_rate_state {
    VkExtent2D fragment_size;
    VkFragmentShadingRateCombinerOpKHR combiners[2];
};

struct vk_sample_locations {
    uint32_t samples; /* VkSampleCountFlagBits, for which they were given */
    VkExtent2D grid;
    uint32_t count; /* of `at` that are used: grid times samples */
    VkSampleLocationEXT at[VK_MAX_SAMPLE_LOCATIONS];
};

struct vk_multisample_state {
    uint8_t samples; /* VkSampleCountFlagBits */
    bool alpha_to_coverage;
    bool alpha_to_one;
    bool sample_locations_enable;
    uint64_t sample_mask; /* sample i is bit i, beyond `samples` without meaning; all ones where none was given */
    struct vk_sample_locations sample_locations;
};

struct vk_stencil_ops {
    uint8_t fail, pass, depth_fail; /* VkStencilOp */
    uint8_t compare;                /* VkCompareOp */
};

/* Pairs are front, back. */
enum vk_stencil_face {
    VK_STENCIL_FRONT,
    VK_STENCIL_BACK,
};

struct vk_depth_stencil_state {
    bool depth_test_enable;
    bool depth_write_enable;
    uint8_t depth_compare_op; /* VkCompareOp */
    bool depth_bounds_test_enable;
    bool stencil_test_enable;
    uint8_t stencil_compare_mask[2]; /* stencil has 8 bits */
    uint8_t stencil_write_mask[2];
    uint8_t stencil_reference[2];
    struct vk_stencil_ops stencil_ops[2];
    struct {
        float min, max;
    } depth_bounds;
};

struct vk_blend_equation {
    uint8_t src_color, dst_color; /* VkBlendFactor */
    uint8_t color_op;             /* VkBlendOp, the basic five */
    uint8_t src_alpha, dst_alpha;
    uint8_t alpha_op;
};

/* Here for the command alone: no driver offers VK_EXT_blend_operation_advanced. */
struct vk_blend_advanced {
    uint32_t op;     /* VkBlendOp; 0 where the equation holds */
    uint8_t overlap; /* VkBlendOverlapEXT */
    bool src_premultiplied, dst_premultiplied, clamp;
};

/* Attachment i is bit i of the masks. */
struct vk_color_blend_state {
    bool logic_op_enable;
    uint8_t logic_op; /* VkLogicOp */
    uint8_t attachment_count;
    uint8_t color_write_enables; /* VK_EXT_color_write_enable; all ones where not specified */
    uint8_t blend_enables;
    uint8_t write_masks[VK_MAX_COLOR_ATTACHMENTS]; /* VkColorComponentFlags */
    struct vk_blend_equation equations[VK_MAX_COLOR_ATTACHMENTS];
    float constants[4];
    struct vk_blend_advanced advanced[VK_MAX_COLOR_ATTACHMENTS];
};

/* ---- what can be dynamic ---- */

/* A pipeline holds one: its static values, named by `set`. A command buffer holds one: what a draw sees. */
struct vk_dynamic_graphics_state {
    uint64_t set; /* rows that have a value */
    /* Rows that changed since the driver last cleared their bits. A count and its array are two rows: where either is
     * dirty, look at both. */
    uint64_t dirty;
    /* Rows that no command may change while this pipeline is bound: the static ones, and strides that are
     * vkCmdSetVertexInputEXT's alone. */
    uint64_t fixed;
    /* A command buffer's own: strides that vkCmdBindVertexBuffers2 gave while they were fixed. They count from the next
     * pipeline on that leaves them to it. */
    uint32_t pending_stride_mask;

    struct vk_input_assembly_state ia;
    struct vk_tessellation_state ts;
    struct vk_rasterization_state rs;
    struct vk_depth_stencil_state ds;
    struct vk_multisample_state ms;
    struct vk_color_blend_state cb;
    struct vk_fragment_shading_rate_state fsr;
    struct vk_vertex_input_state vi;
    struct vk_viewport_state vp;
    struct vk_discard_rectangle_state dr;
    uint32_t pending_strides_B[VK_MAX_VERTEX_BINDINGS];
};

/* A new recording: nothing is set, nothing dirty. Costs two stores, not the size of the struct. */
static inline void vk_dynamic_graphics_state_reset(struct vk_dynamic_graphics_state *dyn)
{
    dyn->set = dyn->dirty = dyn->fixed = 0;
    dyn->pending_stride_mask = 0;
}

/* Binding a pipeline: dst takes every row that src has set, and is dirty where a value really changed or was not set
 * before. dirty of src plays no part. Rows that are `left` are the driver's: it knows them by the pipeline, and dst has
 * no value for them any more. */
void vk_dynamic_graphics_state_bind(struct vk_dynamic_graphics_state *dst, const struct vk_dynamic_graphics_state *src,
                                    uint64_t left);

static inline void vk_dynamic_graphics_state_copy(struct vk_dynamic_graphics_state *dst,
                                                  const struct vk_dynamic_graphics_state *src)
{
    vk_dynamic_graphics_state_bind(dst, src, 0);
}

/* Everything must be emitted again, because something else wrote the hardware's registers in between. */
static inline void vk_dynamic_graphics_state_dirty_all(struct vk_dynamic_graphics_state *dyn)
{
    dyn->dirty |= dyn->set;
}

/* DEPTH_CLAMP and DEPTH_CLIP together. */
static inline bool vk_depth_clip_enable(const struct vk_rasterization_state *rs)
{
    return rs->depth_clip == VK_DEPTH_CLIP_UNLESS_CLAMP ? !rs->depth_clamp_enable : rs->depth_clip == VK_DEPTH_CLIP_ON;
}

/* The strides of vkCmdBindVertexBuffers2, for the driver's own entry point. NULL for `strides` is allowed and does
 * nothing. */
void vk_cmd_set_vertex_binding_strides(struct vk_command_buffer *command_buffer, uint32_t first, uint32_t count,
                                       const VkDeviceSize *strides);

/* The rows that a VkDynamicState makes dynamic; 0 for one that the runtime does not know. */
uint64_t vk_dynamic_state_rows(VkDynamicState state);

/* ---- a pipeline's state ---- */

/* The attachments of a subpass or VkPipelineRenderingCreateInfo. A render pass fills one for each subpass. */
#define VK_NO_LOCATION 0xff

struct vk_rendering_formats {
    uint32_t view_mask;
    uint32_t color_count;
    VkFormat color_formats[VK_MAX_COLOR_ATTACHMENTS]; /* VK_FORMAT_UNDEFINED: unused */
    VkFormat depth_format;
    VkFormat stencil_format;
    /* Attachments that shaders may read while they are written. From the pipeline's flags; a subpass adds those that
     * its layouts imply. */
    VkImageAspectFlags feedback_loop;
    /* Which of the fragment shader's outputs each colour takes, VK_NO_LOCATION: none. Without them its own number
     * (vk_output_locations.h). */
    bool has_locations;
    uint8_t locations[VK_MAX_COLOR_ATTACHMENTS];
    /* By which numbers shaders may read the attachments as inputs, VK_NO_LOCATION: by none. Of a subpass the render
     * pass says so. */
    bool has_inputs;
    uint8_t color_inputs[VK_MAX_COLOR_ATTACHMENTS], depth_input, stencil_input;
};

struct vk_graphics_state {
    VkGraphicsPipelineLibraryFlagsEXT subsets; /* what is known so far; all four for a complete pipeline */
    VkShaderStageFlags stages;
    uint64_t dynamic;                     /* rows that the pipeline leaves to commands */
    struct vk_dynamic_graphics_state dyn; /* dyn.set: the static rows */

    /* Never dynamic. */
    bool sample_shading_enable;
    float min_sample_shading;
    VkPipelineDepthStencilStateCreateFlags depth_stencil_flags;
    VkPipelineColorBlendStateCreateFlags color_blend_flags;
    struct vk_rendering_formats rendering;
};

/* A create info's own subsets; the rest comes from the libraries it names. */
VkGraphicsPipelineLibraryFlagsEXT vk_graphics_pipeline_subsets(const VkGraphicsPipelineCreateInfo *info);

/* Nothing known, every value at its default. */
void vk_graphics_state_init(struct vk_graphics_state *state);

/* Take over what a library knows and `state` does not. */
void vk_graphics_state_merge(struct vk_graphics_state *state, const struct vk_graphics_state *library);

enum vk_graphics_state_fill_flags {
    /* The driver's dynamicPrimitiveTopologyUnrestricted: a dynamic topology's class need not be known. */
    VK_GRAPHICS_STATE_ANY_TOPOLOGY = 1u << 0,
};

/* Flatten the subsets of `info` into `state`. Reads no pointer that the specification lets the application leave
 * undefined. Rows that are dynamic stay at their default, but for the topology. `subpass` describes info->renderPass
 * and info->subpass, NULL where renderPass is VK_NULL_HANDLE. A topology that is dynamic keeps the create info's value
 * in dyn.ia.topology for its class, unless ANY_TOPOLOGY lets it be absent.
 *
 * To make a pipeline: init; merge each library; fill; and, unless it is a library itself, complete. */
void vk_graphics_state_fill(struct vk_graphics_state *state, const VkGraphicsPipelineCreateInfo *info,
                            const struct vk_rendering_formats *subpass, uint32_t flags);

/* Rows that may be anything: those that commands set, and those of subsets that are not known yet. */
uint64_t vk_graphics_state_open_rows(const struct vk_graphics_state *state);

/* For a pipeline that will be bound: what no subset gave (all that follows rasterization where it is off) is static at
 * its default. */
void vk_graphics_state_complete(struct vk_graphics_state *state);

#endif
