/* VkSemaphore: a binary or timeline sync that submissions wait for and signal. */
#ifndef VULKAN_RUNTIME_VK_SEMAPHORE_H
#define VULKAN_RUNTIME_VK_SEMAPHORE_H

#include "vulkan/runtime/vk_object.h"
#include "vulkan/runtime/vk_sync.h"

struct vk_semaphore {
    struct vk_object_base base;
    VkSemaphoreType type;
    struct vk_sync *temporary;  /* an imported payload: the next wait takes it */
    struct vk_sync permanent[]; /* one, of its type's size */
};

VK_DEFINE_CASTS(vk_semaphore, VkSemaphore)

static inline struct vk_sync *vk_semaphore_sync(struct vk_semaphore *semaphore)
{
    return semaphore->temporary ? semaphore->temporary : semaphore->permanent;
}

#endif
