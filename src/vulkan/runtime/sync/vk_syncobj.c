/* Syncobjs: one or two ioctls per function. */
#include "vulkan/runtime/sync/vk_syncobj.h"

#include <drm.h>
#include <errno.h>
#include <string.h>

#include "kernel/kernel.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/runtime/sync/vk_time.h"

#define SUBMISSION_PATIENCE_NS 10000000000ull

static VkResult result_of(struct vk_device *device, int error)
{
    switch (error) {
    case 0:
        return VK_SUCCESS;
    case -ETIME:
        return VK_TIMEOUT;
    case -ENOMEM:
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    case -EMFILE:
    case -ENFILE:
        return VK_ERROR_TOO_MANY_OBJECTS;
    default:
        return vk_device_set_lost(device, "a syncobj ioctl failed: %s", strerror(-error));
    }
}

bool vk_syncobj_is_supported(struct kernel_file *file)
{
    static const uint64_t needed[] = {DRM_CAP_SYNCOBJ, DRM_CAP_SYNCOBJ_TIMELINE};
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
        struct drm_get_cap cap = {.capability = needed[i]};
        if (kernel_ioctl(file, DRM_IOCTL_GET_CAP, &cap) || !cap.value)
            return false;
    }
    return true;
}

VkResult vk_syncobj_create(struct vk_device *device, bool is_signalled, uint32_t *handle_out)
{
    struct drm_syncobj_create create = {.flags = is_signalled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0};
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_CREATE, &create);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *handle_out = create.handle;
    return VK_SUCCESS;
}

void vk_syncobj_destroy(struct vk_device *device, uint32_t handle)
{
    struct drm_syncobj_destroy destroy = {.handle = handle};
    if (handle)
        kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
}

VkResult vk_syncobj_signal(struct vk_device *device, struct vk_syncobj_point point)
{
    if (point.value) {
        struct drm_syncobj_timeline_array points = {
            .handles = (uintptr_t)&point.handle, .points = (uintptr_t)&point.value, .count_handles = 1};
        return result_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &points));
    }
    struct drm_syncobj_array array = {.handles = (uintptr_t)&point.handle, .count_handles = 1};
    return result_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_SIGNAL, &array));
}

VkResult vk_syncobj_reset(struct vk_device *device, uint32_t handle)
{
    struct drm_syncobj_array array = {.handles = (uintptr_t)&handle, .count_handles = 1};
    return result_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_RESET, &array));
}

VkResult vk_syncobj_query(struct vk_device *device, uint32_t handle, uint64_t *value_out)
{
    struct drm_syncobj_timeline_array points = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)value_out, .count_handles = 1};
    return result_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_QUERY, &points));
}

VkResult vk_syncobj_wait(struct vk_device *device, const struct vk_syncobj_point *points, uint32_t count, unsigned wait,
                         uint64_t deadline_ns, uint32_t *first_out)
{
    if (count == 0)
        return VK_SUCCESS;
    struct {
        uint64_t value;
        uint32_t handle;
    } stack[16], *memory = vk_temporary_array(&device->alloc, stack, count);
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    /* The kernel takes two arrays: all values, then all handles. */
    uint64_t *values = (uint64_t *)(void *)memory;
    uint32_t *handles = (uint32_t *)(void *)(values + count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = points[i].value;
        handles[i] = points[i].handle;
    }
    struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)handles,
                                             .points = (uintptr_t)values,
                                             .count_handles = count,
                                             .timeout_nsec = (int64_t)deadline_ns,
                                             .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    if (!(wait & VK_SYNCOBJ_WAIT_ANY))
        args.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    if (wait & VK_SYNCOBJ_WAIT_SUBMITTED)
        args.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
    if (first_out)
        *first_out = args.first_signaled;
    vk_temporary_free(&device->alloc, stack, memory);
    return result_of(device, error);
}

VkResult vk_syncobj_copy(struct vk_device *device, struct vk_syncobj_point from, struct vk_syncobj_point to)
{
    struct drm_syncobj_transfer transfer = {
        .src_handle = from.handle, .dst_handle = to.handle, .src_point = from.value, .dst_point = to.value};
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer);
    return error == -EINVAL ? VK_NOT_READY : result_of(device, error);
}

VkResult vk_syncobj_import(struct vk_device *device, int fd, uint32_t *handle_out)
{
    struct drm_syncobj_handle import = {.fd = fd};
    if (kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    *handle_out = import.handle;
    return VK_SUCCESS;
}

static VkResult export_syncobj(struct vk_device *device, uint32_t handle, uint32_t flags, int *fd_out)
{
    struct drm_syncobj_handle out = {.handle = handle, .flags = flags, .fd = -1};
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
    if (error) {
        LOG_WARN("vulkan", "no fd of syncobj %u: %s", handle, strerror(-error));
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
    }
    *fd_out = out.fd;
    return VK_SUCCESS;
}

VkResult vk_syncobj_export(struct vk_device *device, uint32_t handle, int *fd_out)
{
    return export_syncobj(device, handle, 0, fd_out);
}

VkResult vk_syncobj_import_file(struct vk_device *device, int fd, uint32_t *handle_out)
{
    VkResult result = vk_syncobj_create(device, false, handle_out);
    if (result != VK_SUCCESS)
        return result;
    struct drm_syncobj_handle import = {
        .handle = *handle_out, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd};
    if (kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) == 0)
        return VK_SUCCESS;
    vk_syncobj_destroy(device, *handle_out);
    *handle_out = 0;
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

/* A sync file can only be made of a syncobj without a timeline, so the fence goes through one. */
VkResult vk_syncobj_export_file(struct vk_device *device, struct vk_syncobj_point point, int *fd_out)
{
    uint32_t copy;
    VkResult result = vk_syncobj_create(device, false, &copy);
    if (result != VK_SUCCESS)
        return result;
    const struct vk_syncobj_point to = {copy, 0};
    result = vk_syncobj_copy(device, point, to);
    if (result == VK_NOT_READY) {
        vk_syncobj_wait(device, &point, 1, VK_SYNCOBJ_WAIT_SUBMITTED, vk_time_deadline_ns(SUBMISSION_PATIENCE_NS),
                        NULL);
        result = vk_syncobj_copy(device, point, to);
    }
    if (result == VK_SUCCESS)
        result = export_syncobj(device, copy, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, fd_out);
    else if (result == VK_NOT_READY)
        result = VK_ERROR_TOO_MANY_OBJECTS; /* the only error that both exports have besides memory's */
    vk_syncobj_destroy(device, copy);
    return result;
}
