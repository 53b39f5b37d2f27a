/* The rendering that is being recorded, as plain state: attachments with the layout of their own aspect, area, layers
 * and views. Filled by a driver's vkCmdBeginRendering, or from what a secondary command buffer inherits. */
#ifndef VULKAN_RUNTIME_VK_RENDERING_H
#define VULKAN_RUNTIME_VK_RENDERING_H

#include <stdbool.h>

#include "vulkan/runtime/object/vk_api.h"

struct vk_image_view;

#define VK_MAX_COLOR_ATTACHMENTS 8

struct vk_attachment {
    struct vk_image_view *view, *resolve_view; /* NULL: none; an inherited attachment is known by its format alone */
    VkImageLayout layout, resolve_layout;
    VkResolveModeFlagBits resolve_mode;
    VkFormat format;
};

struct vk_rendering {
    bool active; /* between begin and end */
    bool inherited;
    /* vk_subpass::serial: inherited of it, and nothing of it has changed. 0: otherwise. */
    uint64_t subpass;
    VkRenderingFlags flags;
    VkRect2D area;
    uint32_t layers, view_mask;
    uint32_t num_colors;
    struct vk_attachment colors[VK_MAX_COLOR_ATTACHMENTS], depth, stencil;
    struct vk_image_view *rate_view; /* shading rates; NULL: none, or not known where it is inherited */
    VkExtent2D rate_texel;           /* the pixels that have one */
    uint32_t samples; /* of the attachments; 0: none */
};

void vk_rendering_begin(struct vk_rendering *rendering, const VkRenderingInfo *info);
/* For a recording that begins: none, or what a secondary command buffer inherits, of which the attachments' images,
 * layouts and area stay unknown. What it was before is zero or of an earlier recording: many secondary command buffers
 * inherit the same. */
void vk_rendering_first(struct vk_rendering *rendering, VkCommandBufferLevel level,
                        const VkCommandBufferBeginInfo *info);

#endif
