/* Semaphores. */
#include "vulkan/runtime/sync/vk_semaphore.h"

#include <unistd.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/runtime/sync/vk_time.h"

#define OPAQUE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define SYNC_FILE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT

static bool is_timeline(const struct vk_semaphore *semaphore)
{
    return semaphore->type == VK_SEMAPHORE_TYPE_TIMELINE;
}

/* A timeline that may be exported counts as shared from the start: a submission may be held for it when it leaves. */
static VkResult init_semaphore(struct vk_device *device, struct vk_semaphore *semaphore, uint64_t initial,
                               bool is_shareable)
{
    if (!is_timeline(semaphore))
        return vk_payload_slot_init(device, &semaphore->binary, false, is_shareable);
    VkResult result = vk_timeline_init(device, &semaphore->timeline, initial);
    semaphore->timeline.is_shared = is_shareable;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkSemaphore *semaphore_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const VkSemaphoreTypeCreateInfo *kind = vk_find_struct_const(info->pNext, VkSemaphoreTypeCreateInfo);
    const VkExportSemaphoreCreateInfo *export = vk_find_struct_const(info->pNext, VkExportSemaphoreCreateInfo);
    struct vk_semaphore *semaphore = vk_object_create(device, allocator, sizeof(*semaphore), VK_OBJECT_TYPE_SEMAPHORE);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    semaphore->type = kind ? kind->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    VkResult result =
        init_semaphore(device, semaphore, kind ? kind->initialValue : 0, export && (export->handleTypes & OPAQUE));
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
    /* Of a lost device everything may be destroyed; elsewhere the specification forbids it while a submission that uses
     * the semaphore is held. */
    if (vk_device_is_lost(device))
        vk_held_give_up(device);
    if (is_timeline(semaphore))
        vk_timeline_finish(device, &semaphore->timeline);
    else
        vk_payload_slot_finish(device, &semaphore->binary);
    vk_object_destroy(device, allocator, &semaphore->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                                  uint64_t *value_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    return vk_timeline_get_value(device, &vk_semaphore_from_handle(semaphore)->timeline, value_out);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                        uint64_t timeout_ns)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    struct vk_point stack[16], *points = vk_temporary_array(&device->alloc, stack, info->semaphoreCount);
    if (!points)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        points[i] = (struct vk_point){&vk_semaphore_from_handle(info->pSemaphores[i])->timeline, info->pValues[i]};
    VkResult result =
        vk_points_wait(device, points, info->semaphoreCount, info->flags & VK_SEMAPHORE_WAIT_ANY_BIT, deadline_ns);
    vk_temporary_free(&device->alloc, stack, points);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    VkResult result = vk_timeline_signal(device, &vk_semaphore_from_handle(info->semaphore)->timeline, info->value);
    if (result == VK_SUCCESS)
        vk_held_release(device);
    return result;
}

/* ---- by fd ---- */

static VkResult import_timeline(struct vk_device *device, struct vk_timeline *timeline, int fd)
{
    uint32_t syncobj;
    VkResult result = vk_syncobj_import(device, fd, &syncobj);
    if (result != VK_SUCCESS)
        return result;
    vk_timeline_finish(device, timeline);
    timeline->syncobj = syncobj;
    timeline->is_shared = true;
    atomic_store(&timeline->submitted, 0);
    atomic_store(&timeline->reached, 0);
    close(fd);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ImportSemaphoreFdKHR(VkDevice handle, const VkImportSemaphoreFdInfoKHR *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    bool is_file = info->handleType == SYNC_FILE;
    if (!is_timeline(semaphore))
        return vk_payload_import_fd(device, &semaphore->binary, is_file,
                                    info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, info->fd);
    return is_file ? VK_ERROR_INVALID_EXTERNAL_HANDLE : import_timeline(device, &semaphore->timeline, info->fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetSemaphoreFdKHR(VkDevice handle, const VkSemaphoreGetFdInfoKHR *info,
                                                           int *fd_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    bool is_file = info->handleType == SYNC_FILE;
    if (!is_timeline(semaphore))
        return vk_payload_export_fd(device, &semaphore->binary, is_file, fd_out);
    semaphore->timeline.is_shared = true;
    return is_file ? vk_syncobj_export_file(device, (struct vk_syncobj_point){semaphore->timeline.syncobj, 0}, fd_out)
                   : vk_syncobj_export(device, semaphore->timeline.syncobj, fd_out);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out)
{
    const VkSemaphoreTypeCreateInfo *kind = vk_find_struct_const(info->pNext, VkSemaphoreTypeCreateInfo);
    VkSemaphoreType which = kind ? kind->semaphoreType : VK_SEMAPHORE_TYPE_BINARY;
    uint32_t handles = which == VK_SEMAPHORE_TYPE_TIMELINE ? OPAQUE : OPAQUE | SYNC_FILE;
    bool known = handles & info->handleType;
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = known ? handles : 0;
    out->externalSemaphoreFeatures =
        known ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}
