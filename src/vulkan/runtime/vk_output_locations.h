/* Where a fragment shader's outputs go when attachments say which of them they take
 * (VkRenderingAttachmentLocationInfoKHR). */
#ifndef VULKAN_RUNTIME_VK_OUTPUT_LOCATIONS_H
#define VULKAN_RUNTIME_VK_OUTPUT_LOCATIONS_H

#include "vulkan/runtime/vk_graphics_state.h"

struct ir_shader;
struct vk_device;

/* Renames the outputs of a fragment shader to the numbers of attachments, so that nobody after it knows of locations;
 * what no attachment takes is not written. */
VkResult vk_outputs_to_attachments(struct vk_device *device, struct ir_shader *ir,
                                   const struct vk_rendering_formats *formats);

#endif
