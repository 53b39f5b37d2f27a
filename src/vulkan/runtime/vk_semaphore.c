/* Semaphores. */
#include "vulkan/runtime/vk_semaphore.h"

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_queue.h"
#include "vulkan/runtime/vk_struct.h"

#define OPAQUE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define SYNC_FILE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT

static const struct vk_sync_type *semaphore_type(const struct vk_physical_device *physical, VkSemaphoreType type,
                                                 bool shared)
{
    uint32_t features = VK_SYNC_GPU_WAIT | (shared ? VK_SYNC_SHARED : 0);
    features |= type == VK_SEMAPHORE_TYPE_TIMELINE ? VK_SYNC_TIMELINE | VK_SYNC_CPU_WAIT : VK_SYNC_BINARY;
    return vk_sync_type_find(physical->sync_types, features);
}

void vk_semaphore_drop_temporary(struct vk_device *device, struct vk_semaphore *semaphore)
{
    vk_sync_destroy(device, semaphore->temporary);
    semaphore->temporary = NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkSemaphore *semaphore_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const VkSemaphoreTypeCreateInfo *kind = vk_find_struct_const(info->pNext, VkSemaphoreTypeCreateInfo);
    const VkExportSemaphoreCreateInfo *export = vk_find_struct_const(info->pNext, VkExportSemaphoreCreateInfo);
    VkSemaphoreType which = kind ? kind->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    bool timeline = which == VK_SEMAPHORE_TYPE_TIMELINE, shared = export && export->handleTypes;
    const struct vk_sync_type *type = semaphore_type(device->physical, which, shared);
    if (!type)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct vk_semaphore *semaphore =
        vk_object_create(device, allocator, sizeof(*semaphore) + type->size_B, VK_OBJECT_TYPE_SEMAPHORE);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    semaphore->type = which;
    uint32_t flags = (timeline ? VK_SYNC_IS_TIMELINE : 0) | (shared ? VK_SYNC_IS_SHAREABLE : 0);
    VkResult result = vk_sync_init(device, semaphore->permanent, type, flags, timeline ? kind->initialValue : 0);
    if (result != VK_SUCCESS) {
        vk_object_destroy(device, allocator, &semaphore->base);
        return result;
    }
    *semaphore_out = vk_semaphore_to_handle(semaphore);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroySemaphore(VkDevice handle, VkSemaphore semaphore_handle,
                                                      const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(semaphore_handle);
    if (!semaphore)
        return;
    vk_semaphore_drop_temporary(device, semaphore);
    vk_sync_finish(device, semaphore->permanent);
    vk_object_destroy(device, allocator, &semaphore->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore_handle,
                                                                  uint64_t *value_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    return vk_sync_get_value(device, vk_semaphore_sync(vk_semaphore_from_handle(semaphore_handle)), value_out);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                        uint64_t timeout_ns)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    VkResult result = vk_device_flush(device);
    if (result != VK_SUCCESS)
        return result;
    struct vk_sync_wait stack[16], *waits = stack;
    if (info->semaphoreCount > 16) {
        waits =
            vk_alloc(&device->alloc, NULL, sizeof(*waits) * info->semaphoreCount, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!waits)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        waits[i] =
            (struct vk_sync_wait){vk_semaphore_sync(vk_semaphore_from_handle(info->pSemaphores[i])), info->pValues[i]};
    bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    result = vk_sync_wait_many(device, info->semaphoreCount, waits, any ? VK_SYNC_WAIT_FOR_ANY : VK_SYNC_WAIT_COMPLETE,
                               deadline_ns);
    if (waits != stack)
        vk_free(&device->alloc, NULL, waits);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    VkResult result = vk_sync_signal(device, vk_semaphore_sync(vk_semaphore_from_handle(info->semaphore)), info->value);
    /* Submissions that were held back may go now. */
    return result == VK_SUCCESS ? vk_device_flush(device) : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ImportSemaphoreFdKHR(VkDevice handle, const VkImportSemaphoreFdInfoKHR *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    bool sync_file = info->handleType == SYNC_FILE;
    if (!(info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) && !sync_file)
        return vk_sync_import_opaque_fd(device, semaphore->permanent, info->fd);
    struct vk_sync *temporary;
    uint32_t flags = VK_SYNC_IS_SHAREABLE | (semaphore->permanent->flags & VK_SYNC_IS_TIMELINE);
    VkResult result = vk_sync_create(device, semaphore->permanent->type, flags, 0, &temporary);
    if (result != VK_SUCCESS)
        return result;
    result = sync_file ? vk_sync_import_sync_file(device, temporary, info->fd)
                       : vk_sync_import_opaque_fd(device, temporary, info->fd);
    if (result != VK_SUCCESS) {
        vk_sync_destroy(device, temporary);
        return result;
    }
    vk_semaphore_drop_temporary(device, semaphore);
    semaphore->temporary = temporary;
    return VK_SUCCESS;
}

/* Exporting a sync file consumes the payload, as a wait does. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetSemaphoreFdKHR(VkDevice handle, const VkSemaphoreGetFdInfoKHR *info,
                                                           int *fd_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    struct vk_sync *sync = vk_semaphore_sync(semaphore);
    if (info->handleType == OPAQUE)
        return vk_sync_export_opaque_fd(device, sync, fd_out);
    VkResult result = vk_queue_settle(device, sync);
    if (result == VK_SUCCESS)
        result = vk_sync_export_sync_file(device, sync, fd_out);
    if (result == VK_SUCCESS) {
        if (semaphore->temporary)
            vk_semaphore_drop_temporary(device, semaphore);
        else
            result = vk_sync_reset(device, semaphore->permanent);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    const VkSemaphoreTypeCreateInfo *kind = vk_find_struct_const(info->pNext, VkSemaphoreTypeCreateInfo);
    VkSemaphoreType which = kind ? kind->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    uint32_t handles = 0;
    if (semaphore_type(physical, which, true))
        handles = which == VK_SEMAPHORE_TYPE_TIMELINE ? OPAQUE : OPAQUE | SYNC_FILE;
    bool known = handles & info->handleType;
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = known ? handles : 0;
    out->externalSemaphoreFeatures =
        known ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}
