/* Queues: found by family, index and flags. */
#include "vulkan/runtime/vk_queue.h"

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_struct.h"

void vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                   uint32_t index)
{
    vk_object_base_init(&queue->base, device, VK_OBJECT_TYPE_QUEUE);
    queue->flags = info->flags;
    queue->family_index = info->queueFamilyIndex;
    queue->index = index;
    list_push_back(&device->queues, &queue->link);
}

void vk_queue_finish(struct vk_queue *queue)
{
    list_remove(&queue->link);
    vk_object_base_finish(&queue->base);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                                     VkQueue *queue_out)
{
    *queue_out = VK_NULL_HANDLE;
    list_foreach(&vk_device_from_handle(handle)->queues, struct vk_queue, queue, link)
    {
        if (queue->flags == info->flags && queue->family_index == info->queueFamilyIndex &&
            queue->index == info->queueIndex)
            *queue_out = vk_queue_to_handle(queue);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceQueue(VkDevice handle, uint32_t family_index, uint32_t index,
                                                    VkQueue *queue_out)
{
    VkDeviceQueueInfo2 info = vk_struct_init(VkDeviceQueueInfo2);
    info.queueFamilyIndex = family_index;
    info.queueIndex = index;
    vk_device_from_handle(handle)->dispatch.GetDeviceQueue2(handle, &info, queue_out);
}
