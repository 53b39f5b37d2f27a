/* VkEvent: a word in memory that the GPU or the host sets, and that the GPU waits for. The runtime has the host's side;
 * the three commands are a driver's. */
#ifndef VULKAN_RUNTIME_VK_EVENT_H
#define VULKAN_RUNTIME_VK_EVENT_H

#include <stdatomic.h>

#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/object/vk_object.h"

struct vk_event {
    struct vk_object_base base;
    struct vk_bo *bo; /* its first word: 1 is set, 0 is not */
};

VK_DEFINE_CASTS(vk_event, VkEvent)

#endif
