/* VkFence: a payload that the host waits for. */
#ifndef VULKAN_RUNTIME_VK_FENCE_H
#define VULKAN_RUNTIME_VK_FENCE_H

#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/sync/vk_payload.h"

struct vk_fence {
    struct vk_object_base base;
    struct vk_payload_slot payload;
};

VK_DEFINE_CASTS(vk_fence, VkFence)

#endif
