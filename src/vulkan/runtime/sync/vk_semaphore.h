/* VkSemaphore: a timeline, or a payload that one submission signals and another one takes. */
#ifndef VULKAN_RUNTIME_VK_SEMAPHORE_H
#define VULKAN_RUNTIME_VK_SEMAPHORE_H

#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/sync/vk_payload.h"

struct vk_semaphore {
    struct vk_object_base base;
    VkSemaphoreType type;
    union {
        struct vk_timeline timeline;
        struct vk_payload_slot binary;
    };
};

VK_DEFINE_CASTS(vk_semaphore, VkSemaphore)

#endif
