/* Fences. */
#include "vulkan/runtime/vk_fence.h"

#include <unistd.h>

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_queue.h"
#include "vulkan/runtime/vk_struct.h"

#define FENCE_HANDLES (VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)

static const struct vk_sync_type *fence_type(struct vk_device *device, bool shared)
{
    return vk_sync_type_find(device->physical->sync_types, VK_SYNC_BINARY | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_RESET |
                                                               VK_SYNC_GPU_WAIT | (shared ? VK_SYNC_SHARED : 0));
}

static void drop_temporary(struct vk_device *device, struct vk_fence *fence)
{
    vk_sync_destroy(device, fence->temporary);
    fence->temporary = NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkFence *fence_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const VkExportFenceCreateInfo *export = vk_find_struct_const(info->pNext, VkExportFenceCreateInfo);
    bool shared = export && export->handleTypes;
    const struct vk_sync_type *type = fence_type(device, shared);
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
    drop_temporary(device, fence);
    vk_sync_finish(device, fence->permanent);
    vk_object_destroy(device, allocator, &fence->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    struct vk_device *device = vk_device_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_fence *fence = vk_fence_from_handle(fences[i]);
        drop_temporary(device, fence);
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
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_fence *fence = vk_fence_from_handle(info->fence);
    bool sync_file = info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    /* A sync file is always a copy: its import is temporary by the specification. */
    if (!(info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT) && !sync_file)
        return vk_sync_import_opaque_fd(device, fence->permanent, info->fd);
    struct vk_sync *temporary;
    VkResult result = vk_sync_create(device, fence->permanent->type, VK_SYNC_IS_SHAREABLE, 0, &temporary);
    if (result != VK_SUCCESS)
        return result;
    result = sync_file ? vk_sync_import_sync_file(device, temporary, info->fd)
                       : vk_sync_import_opaque_fd(device, temporary, info->fd);
    if (result != VK_SUCCESS) {
        vk_sync_destroy(device, temporary);
        return result;
    }
    drop_temporary(device, fence);
    fence->temporary = temporary;
    return VK_SUCCESS;
}

/* Exporting a sync file is like waiting: the payload leaves and the fence is reset. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR *info, int *fd_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_fence *fence = vk_fence_from_handle(info->fence);
    struct vk_sync *sync = vk_fence_sync(fence);
    if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT)
        return vk_sync_export_opaque_fd(device, sync, fd_out);
    VkResult result = vk_queue_settle(device, sync);
    if (result == VK_SUCCESS)
        result = vk_sync_export_sync_file(device, sync, fd_out);
    if (result == VK_SUCCESS) {
        if (fence->temporary)
            drop_temporary(device, fence);
        else
            result = vk_sync_reset(device, fence->permanent);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *out)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    const struct vk_sync_type *type =
        vk_sync_type_find(physical->sync_types,
                          VK_SYNC_BINARY | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_RESET | VK_SYNC_GPU_WAIT | VK_SYNC_SHARED);
    bool known = type && (info->handleType & FENCE_HANDLES);
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = known ? FENCE_HANDLES : 0;
    out->externalFenceFeatures =
        known ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}
