/* VkFramebuffer, fully in the runtime: the views of a render pass's attachments and the size that is rendered. */
#ifndef VULKAN_RUNTIME_VK_FRAMEBUFFER_H
#define VULKAN_RUNTIME_VK_FRAMEBUFFER_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_framebuffer {
    struct vk_object_base base;
    VkFramebufferCreateFlags flags;
    uint32_t width, height, layers;
    uint32_t attachment_count;
    VkImageView attachments[]; /* none of an imageless framebuffer: they come with vkCmdBeginRenderPass */
};

VK_DEFINE_CASTS(vk_framebuffer, VkFramebuffer)

#endif
