/* Queues: found by family, index and flags; idle when their timeline has come to their last submission. */
#include "vulkan/runtime/sync/vk_queue.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_time.h"

VkResult vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                       uint32_t index, vk_queue_submit_fn submit)
{
    VkResult result = vk_held_start(device);
    if (result == VK_SUCCESS)
        result = vk_timeline_init(device, &queue->timeline, 0);
    if (result != VK_SUCCESS)
        return result;
    vk_object_base_init(&queue->base, device, VK_OBJECT_TYPE_QUEUE);
    queue->flags = info->flags;
    queue->family_index = info->queueFamilyIndex;
    queue->index = index;
    queue->submit = submit;
    queue->last = 0;
    queue->has_unnamed = false;
    list_init(&queue->held);
    atomic_store(&queue->held_count, 0);
    vk_held_enter(queue);
    return VK_SUCCESS;
}

void vk_queue_finish(struct vk_queue *queue)
{
    vk_held_leave(queue);
    vk_timeline_finish(queue->base.device, &queue->timeline);
    vk_object_base_finish(&queue->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueWaitIdle(VkQueue handle)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    struct vk_device *device = queue->base.device;
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    struct vk_point end;
    VkResult result = vk_queue_name_end(queue, &end);
    if (result == VK_SUCCESS)
        result = vk_points_wait(device, &end, 1, false, VK_TIME_NEVER_NS);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_DeviceWaitIdle(VkDevice handle)
{
    struct vk_device *device = vk_device_from_handle(handle);
    list_foreach (&device->queues, struct vk_queue, queue, link) {
        VkResult result = device->dispatch.QueueWaitIdle(vk_queue_to_handle(queue));
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                                     VkQueue *queue_out)
{
    *queue_out = VK_NULL_HANDLE;
    list_foreach (&vk_device_from_handle(handle)->queues, struct vk_queue, queue, link) {
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

VkResult vk_queue_set_create(struct vk_queue_set *set, struct vk_device *device, const VkDeviceCreateInfo *info)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
        total += info->pQueueCreateInfos[i].queueCount;
    set->queues = vk_zalloc(&device->alloc, NULL, total * set->size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!set->queues)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        for (uint32_t j = 0; j < info->pQueueCreateInfos[i].queueCount; j++) {
            VkResult result = set->init(vk_queue_set_at(set, set->count), device, &info->pQueueCreateInfos[i], j);
            if (result != VK_SUCCESS)
                return result;
            set->count++;
        }
    }
    return VK_SUCCESS;
}

void vk_queue_set_destroy(struct vk_queue_set *set, struct vk_device *device)
{
    while (set->count)
        set->finish(vk_queue_set_at(set, --set->count));
    vk_free(&device->alloc, NULL, set->queues);
    set->queues = NULL;
}
