/* The host's side of events. */
#include "vulkan/runtime/sync/vk_event.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

#define EVENT_B 4096 /* a page: the smallest memory that the kernel has */

static _Atomic uint32_t *word_of(VkEvent event)
{
    return vk_event_from_handle(event)->bo->map;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateEvent(VkDevice handle, const VkEventCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkEvent *event_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_event *event = vk_object_create(device, allocator, sizeof(*event), VK_OBJECT_TYPE_EVENT);
    if (!event)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    event->bo = device->bos->create(device, EVENT_B);
    if (!event->bo) {
        vk_object_destroy(device, allocator, &event->base);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *event_out = vk_event_to_handle(event);
    atomic_store(word_of(*event_out), 0);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyEvent(VkDevice handle, VkEvent event_handle,
                                                  const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_event *event = vk_event_from_handle(event_handle);
    if (!event)
        return;
    device->bos->destroy(device, event->bo);
    vk_object_destroy(device, allocator, &event->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetEventStatus(VkDevice handle, VkEvent event)
{
    if (vk_device_is_lost(vk_device_from_handle(handle)))
        return VK_ERROR_DEVICE_LOST;
    return atomic_load(word_of(event)) ? VK_EVENT_SET : VK_EVENT_RESET;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SetEvent(VkDevice handle, VkEvent event)
{
    atomic_store(word_of(event), 1);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetEvent(VkDevice handle, VkEvent event)
{
    atomic_store(word_of(event), 0);
    return VK_SUCCESS;
}
