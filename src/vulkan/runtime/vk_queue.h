/* VkQueue: where it belongs. How work is submitted is not here yet: a driver's vkQueueSubmit2 is called directly. */
#ifndef VULKAN_RUNTIME_VK_QUEUE_H
#define VULKAN_RUNTIME_VK_QUEUE_H

#include "util/list.h"
#include "vulkan/runtime/vk_object.h"

struct vk_queue {
    struct vk_object_base base;
    struct list link; /* in vk_device::queues */
    VkDeviceQueueCreateFlags flags;
    uint32_t family_index;
    uint32_t index; /* within the family and among those of the same flags */
};

VK_DEFINE_CASTS(vk_queue, VkQueue)

/* Queue `index` of those that `info` asks for; it can be found by vkGetDeviceQueue from now on. */
void vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                   uint32_t index);
void vk_queue_finish(struct vk_queue *queue);

#endif
