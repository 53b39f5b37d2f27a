/* What a command buffer knows of graphics: shaders, the pipeline's baked packets, render targets, vertex and index
 * buffers, and what of them is not in the stream yet. Written before a draw by radeon_draw.c and radeon_state_*.c. */
#ifndef AMD_DRIVER_RADEON_GRAPHICS_H
#define AMD_DRIVER_RADEON_GRAPHICS_H

#include "amd/driver/radeon_shader.h"

struct radeon_image_view;

struct radeon_attachment {
    struct radeon_image_view *view, *resolve_view;
    VkImageLayout layout, resolve_layout;
    VkResolveModeFlagBits resolve_mode;
    VkFormat format;
};

#define RADEON_MAX_TARGETS 8
#define RADEON_MAX_VERTEX_BUFFERS 32

struct radeon_graphics_state {
    struct radeon_shader *vertex, *fragment;
    struct vk_graphics_pipeline *pipeline;

    struct {
        bool active, suspended;
        VkRenderingFlags flags;
        VkRect2D area;
        uint32_t layers, view_mask;
        uint32_t num_colors;
        struct radeon_attachment colors[RADEON_MAX_TARGETS], depth, stencil;
        uint32_t samples; /* of the attachments; 0: none */
    } render;

    struct {
        uint64_t va, size_B;
        uint32_t stride_B;
    } vertex_buffers[RADEON_MAX_VERTEX_BUFFERS];
    uint32_t vertex_buffers_bound;
    uint64_t index_va;
    uint32_t index_count; /* that fit into the buffer */
    VkIndexType index_type;

    uint32_t dirty; /* radeon_draw.c: what beside the dynamic state is old */
};

#endif
