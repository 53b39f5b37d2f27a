/* VkFence: a binary sync that the host waits for. An imported payload stands in front of the fence's own until the next
 * reset. */
#ifndef VULKAN_RUNTIME_VK_FENCE_H
#define VULKAN_RUNTIME_VK_FENCE_H

#include "vulkan/runtime/vk_object.h"
#include "vulkan/runtime/vk_sync.h"

struct vk_fence {
    struct vk_object_base base;
    struct vk_sync *temporary;  /* NULL or what an import put in front */
    struct vk_sync permanent[]; /* one, of its type's size */
};

VK_DEFINE_CASTS(vk_fence, VkFence)

static inline struct vk_sync *vk_fence_sync(struct vk_fence *fence)
{
    return fence->temporary ? fence->temporary : fence->permanent;
}

#endif
