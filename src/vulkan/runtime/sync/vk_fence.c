/* Fences. */
#include "vulkan/runtime/sync/vk_fence.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/runtime/sync/vk_time.h"

#define FENCE_HANDLES (VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkFence *fence_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const VkExportFenceCreateInfo *export = vk_find_struct_const(info->pNext, VkExportFenceCreateInfo);
    struct vk_fence *fence = vk_object_create(device, allocator, sizeof(*fence), VK_OBJECT_TYPE_FENCE);
    if (!fence)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result =
        vk_payload_slot_init(device, &fence->payload, info->flags & VK_FENCE_CREATE_SIGNALED_BIT,
                             export && (export->handleTypes & VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT));
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
    vk_payload_slot_finish(device, &fence->payload);
    vk_object_destroy(device, allocator, &fence->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    VkResult result = VK_SUCCESS;
    for (const VkFence *end = fences + count; fences < end && result == VK_SUCCESS; fences++)
        result = vk_payload_slot_reset(vk_device_from_handle(handle), &vk_fence_from_handle(*fences)->payload);
    return result;
}

/* ---- waiting ---- */

struct look {
    uint32_t signalled, waitable, idle;
};

static struct look look_at(uint32_t count, const VkFence *fences, struct vk_syncobj_point *points_out)
{
    struct look look = {0};
    for (uint32_t i = 0; i < count; i++) {
        switch (vk_payload_look(vk_payload_of(&vk_fence_from_handle(fences[i])->payload), &points_out[look.waitable])) {
        case VK_PAYLOAD_SIGNALLED:
            look.signalled++;
            break;
        case VK_PAYLOAD_WAITABLE:
            look.waitable++;
            break;
        case VK_PAYLOAD_IDLE:
            look.idle++;
        }
    }
    return look;
}

/* While some fences are idle the kernel knows nothing to wait for, so the wait is for news as well, and each time
 * everything is looked at again; also right after becoming a listener, because without one no news is posted.
 * `points` has room for one more than `count`. */
static VkResult wait_for_fences(struct vk_device *device, uint32_t count, const VkFence *fences, bool all,
                                uint64_t deadline_ns, struct vk_syncobj_point *points, bool *is_listening)
{
    struct vk_timeline *news = &device->held.news;
    for (;;) {
        struct vk_point next = {news, atomic_load(&news->submitted) + 1};
        struct look look = look_at(count, fences, points);
        if (!all && look.signalled)
            return VK_SUCCESS;
        if (!look.idle)
            return vk_syncobj_wait(device, points, look.waitable, all ? VK_SYNCOBJ_WAIT_ALL : VK_SYNCOBJ_WAIT_ANY,
                                   deadline_ns, NULL);
        if (deadline_ns == 0 && (all || !look.waitable))
            return VK_TIMEOUT;
        if (vk_device_is_lost(device))
            return VK_ERROR_DEVICE_LOST;
        if (!*is_listening) {
            atomic_fetch_add(&device->held.listeners, 1);
            *is_listening = true;
            continue;
        }
        uint32_t last = all ? 0 : look.waitable, first = 0;
        points[last] = vk_point_in_kernel(next);
        VkResult result = vk_syncobj_wait(device, points, last + 1, VK_SYNCOBJ_WAIT_ANY, deadline_ns, &first);
        if (result != VK_SUCCESS || first < last)
            return result;
    }
}

/* Points that the wait has seen need no further question to the kernel. */
static void remember_reached(uint32_t count, const VkFence *fences)
{
    for (uint32_t i = 0; i < count; i++) {
        struct vk_payload *payload = vk_payload_of(&vk_fence_from_handle(fences[i])->payload);
        struct vk_timeline *timeline = payload->syncobj ? NULL : atomic_load(&payload->timeline);
        if (timeline)
            vk_timeline_raise(&timeline->reached, payload->value);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                       VkBool32 wait_all, uint64_t timeout_ns)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    struct vk_syncobj_point stack[16], *points = vk_temporary_array(&device->alloc, stack, (size_t)count + 1);
    if (!points)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    bool is_all = wait_all || count == 1, is_listening = false;
    VkResult result = wait_for_fences(device, count, fences, is_all, deadline_ns, points, &is_listening);
    atomic_fetch_sub(&device->held.listeners, is_listening);
    vk_temporary_free(&device->alloc, stack, points);
    if (result == VK_SUCCESS && is_all)
        remember_reached(count, fences);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetFenceStatus(VkDevice handle, VkFence fence)
{
    VkResult result = vk_common_WaitForFences(handle, 1, &fence, VK_TRUE, 0);
    return result == VK_TIMEOUT ? VK_NOT_READY : result;
}

/* ---- by fd ---- */

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ImportFenceFdKHR(VkDevice handle, const VkImportFenceFdInfoKHR *info)
{
    return vk_payload_import_fd(vk_device_from_handle(handle), &vk_fence_from_handle(info->fence)->payload,
                                info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
                                info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT, info->fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR *info, int *fd_out)
{
    return vk_payload_export_fd(vk_device_from_handle(handle), &vk_fence_from_handle(info->fence)->payload,
                                info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, fd_out);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *out)
{
    bool known = info->handleType & FENCE_HANDLES;
    out->exportFromImportedHandleTypes = out->compatibleHandleTypes = known ? FENCE_HANDLES : 0;
    out->externalFenceFeatures =
        known ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}
