/* Semaphores. */
#include "vulkan/runtime/vk_semaphore.h"

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_payload.h"
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

static struct vk_payload payload_of(struct vk_semaphore *semaphore)
{
    return (struct vk_payload){&semaphore->temporary, semaphore->permanent};
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
    vk_device_settle_lost(device);
    struct vk_payload payload = payload_of(semaphore);
    vk_payload_drop_temporary(device, &payload);
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
    struct vk_payload payload = payload_of(vk_semaphore_from_handle(info->semaphore));
    return vk_payload_import_fd(vk_device_from_handle(handle), &payload, info->handleType == SYNC_FILE,
                                info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, info->fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetSemaphoreFdKHR(VkDevice handle, const VkSemaphoreGetFdInfoKHR *info,
                                                           int *fd_out)
{
    struct vk_payload payload = payload_of(vk_semaphore_from_handle(info->semaphore));
    return vk_payload_export_fd(vk_device_from_handle(handle), &payload, info->handleType == SYNC_FILE, fd_out);
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
