/* Fences. */
#include "vulkan/runtime/vk_fence.h"

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_payload.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_queue.h"
#include "vulkan/runtime/vk_struct.h"

#define FENCE_HANDLES (VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)

static const struct vk_sync_type *fence_type(const struct vk_physical_device *physical, bool shared)
{
    return vk_sync_type_find(physical->sync_types, VK_SYNC_BINARY | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_RESET |
                                                       VK_SYNC_GPU_WAIT | (shared ? VK_SYNC_SHARED : 0));
}

static struct vk_payload payload_of(struct vk_fence *fence)
{
    return (struct vk_payload){&fence->temporary, fence->permanent};
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkFence *fence_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const VkExportFenceCreateInfo *export = vk_find_struct_const(info->pNext, VkExportFenceCreateInfo);
    bool shared = export && export->handleTypes;
    const struct vk_sync_type *type = fence_type(device->physical, shared);
    if (!type)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct vk_fence *fence = vk_object_create(device, allocator, sizeof(*fence) + type->size_B, VK_OBJECT_TYPE_FENCE);
    if (!fence)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_sync_init(device, fence->permanent, type, shared ? VK_SYNC_IS_SHAREABLE : 0,
                                   info->flags & VK_FENCE_CREATE_SIGNALED_BIT ? 1 : 0);
    if (result != VK_SUCCESS) {
        vk_object_destroy(device, allocator, &fence->base);
        return result;
    }
    *fence_out = vk_fence_to_handle(fence);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyFence(VkDevice handle, VkFence fence_handle,
                                                  const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_fence *fence = vk_fence_from_handle(fence_handle);
    if (!fence)
        return;
    vk_device_settle_lost(device);
    struct vk_payload payload = payload_of(fence);
    vk_payload_drop_temporary(device, &payload);
    vk_sync_finish(device, fence->permanent);
    vk_object_destroy(device, allocator, &fence->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    struct vk_device *device = vk_device_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_fence *fence = vk_fence_from_handle(fences[i]);
        struct vk_payload payload = payload_of(fence);
        vk_payload_drop_temporary(device, &payload);
        VkResult result = vk_sync_reset(device, fence->permanent);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetFenceStatus(VkDevice handle, VkFence fence_handle)
{
    VkResult result = vk_common_WaitForFences(handle, 1, &fence_handle, VK_TRUE, 0);
    return result == VK_TIMEOUT ? VK_NOT_READY : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                       VkBool32 wait_all, uint64_t timeout_ns)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    VkResult result = vk_device_flush(device);
    if (result != VK_SUCCESS)
        return result;
    struct vk_sync_wait stack[16], *waits = stack;
    if (count > 16) {
        waits = vk_alloc(&device->alloc, NULL, sizeof(*waits) * count, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!waits)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++)
        waits[i] = (struct vk_sync_wait){vk_fence_sync(vk_fence_from_handle(fences[i])), 0};
    result =
        vk_sync_wait_many(device, count, waits, wait_all ? VK_SYNC_WAIT_COMPLETE : VK_SYNC_WAIT_FOR_ANY, deadline_ns);
    if (waits != stack)
        vk_free(&device->alloc, NULL, waits);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ImportFenceFdKHR(VkDevice handle, const VkImportFenceFdInfoKHR *info)
{
    struct vk_payload payload = payload_of(vk_fence_from_handle(info->fence));
    return vk_payload_import_fd(vk_device_from_handle(handle), &payload,
                                info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
                                info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT, info->fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR *info, int *fd_out)
{
    struct vk_payload payload = payload_of(vk_fence_from_handle(info->fence));
    return vk_payload_export_fd(vk_device_from_handle(handle), &payload,
                                info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, fd_out);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *out)
{
    bool known = fence_type(vk_physical_device_from_handle(handle), true) && (info->handleType & FENCE_HANDLES);
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = known ? FENCE_HANDLES : 0;
    out->externalFenceFeatures =
        known ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}
