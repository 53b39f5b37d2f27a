/* The kernel's syncobj: binary, and a timeline where the kernel has those. */
#include "vulkan/runtime/vk_drm_syncobj.h"

#include <drm.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "util/log.h"
#include "vulkan/runtime/vk_device.h"

static VkResult error_of(struct vk_device *device, int error)
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
        return vk_device_set_lost(device, "syncobj ioctl failed: %d", error);
    }
}

static uint32_t handle_of(struct vk_sync *sync)
{
    return vk_sync_as_drm_syncobj(sync)->handle;
}

static VkResult signal(struct vk_device *device, struct vk_sync *sync, uint64_t value)
{
    uint32_t handle = handle_of(sync);
    if (vk_sync_is_timeline(sync)) {
        struct drm_syncobj_timeline_array points = {
            .handles = (uintptr_t)&handle, .points = (uintptr_t)&value, .count_handles = 1};
        return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &points));
    }
    struct drm_syncobj_array array = {.handles = (uintptr_t)&handle, .count_handles = 1};
    return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_SIGNAL, &array));
}

static void finish(struct vk_device *device, struct vk_sync *sync)
{
    struct drm_syncobj_destroy destroy = {.handle = handle_of(sync)};
    kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
}

static VkResult init(struct vk_device *device, struct vk_sync *sync, uint64_t initial)
{
    struct drm_syncobj_create create = {0};
    if (!vk_sync_is_timeline(sync) && initial)
        create.flags = DRM_SYNCOBJ_CREATE_SIGNALED;
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_CREATE, &create);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    vk_sync_as_drm_syncobj(sync)->handle = create.handle;
    if (!vk_sync_is_timeline(sync) || !initial)
        return VK_SUCCESS;
    VkResult result = signal(device, sync, initial);
    if (result != VK_SUCCESS)
        finish(device, sync);
    return result;
}

static VkResult reset(struct vk_device *device, struct vk_sync *sync)
{
    uint32_t handle = handle_of(sync);
    struct drm_syncobj_array array = {.handles = (uintptr_t)&handle, .count_handles = 1};
    return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_RESET, &array));
}

static VkResult get_value(struct vk_device *device, struct vk_sync *sync, uint64_t *value_out)
{
    uint32_t handle = handle_of(sync);
    struct drm_syncobj_timeline_array points = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)value_out, .count_handles = 1};
    return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_QUERY, &points));
}

enum {
    STACK_WAITS = 16
};
#define SUBMIT_TIMEOUT_NS 10000000000ull

static VkResult wait_binary(struct vk_device *device, uint32_t count, const uint32_t *handles, uint32_t flags,
                            uint64_t deadline_ns)
{
    struct drm_syncobj_wait wait = {
        .handles = (uintptr_t)handles, .count_handles = count, .timeout_nsec = (int64_t)deadline_ns};
    wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    if (!(flags & VK_SYNC_WAIT_FOR_ANY))
        wait.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_WAIT, &wait));
}

static VkResult wait_timeline(struct vk_device *device, uint32_t count, const uint32_t *handles, const uint64_t *values,
                              uint32_t flags, uint64_t deadline_ns)
{
    struct drm_syncobj_timeline_wait wait = {.handles = (uintptr_t)handles,
                                             .points = (uintptr_t)values,
                                             .count_handles = count,
                                             .timeout_nsec = (int64_t)deadline_ns};
    wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    if (!(flags & VK_SYNC_WAIT_FOR_ANY))
        wait.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    if (flags & VK_SYNC_WAIT_FOR_PENDING)
        wait.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    return error_of(device, kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait));
}

/* Handles change places: nothing but this object knows them. */
static VkResult move(struct vk_device *device, struct vk_sync *to, struct vk_sync *from)
{
    if (!(from->flags & VK_SYNC_IS_SHAREABLE) && !(to->flags & VK_SYNC_IS_SHAREABLE)) {
        uint32_t handle = handle_of(to);
        vk_sync_as_drm_syncobj(to)->handle = handle_of(from);
        vk_sync_as_drm_syncobj(from)->handle = handle;
        return reset(device, from);
    }
    /* Others know these objects by their fd: the payload moves, not the object. */
    int fd;
    VkResult result = vk_sync_export_sync_file(device, from, &fd);
    if (result == VK_SUCCESS)
        result = vk_sync_import_sync_file(device, to, fd);
    return result == VK_SUCCESS ? reset(device, from) : result;
}

static VkResult wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                          uint64_t deadline_ns)
{
    uint32_t stack_handles[STACK_WAITS];
    uint64_t stack_values[STACK_WAITS];
    uint32_t *handles = stack_handles;
    uint64_t *values = stack_values;
    void *memory = NULL;
    if (count > STACK_WAITS) {
        memory = vk_alloc(&device->alloc, NULL, (size_t)count * 12, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!memory)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        values = memory;
        handles = (uint32_t *)(values + count);
    }
    bool timeline = false, reached = false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_timeline = vk_sync_is_timeline(waits[i].sync);
        /* Zero is reached from the start, but to the kernel point 0 means "the last one", which may never come. */
        if (is_timeline && waits[i].value == 0) {
            reached = true;
            continue;
        }
        handles[used] = handle_of(waits[i].sync);
        values[used++] = is_timeline ? waits[i].value : 0;
        timeline |= is_timeline;
    }
    VkResult result = VK_SUCCESS;
    if (used == 0 || (reached && (flags & VK_SYNC_WAIT_FOR_ANY)))
        goto out;
    /* A kernel without timelines knows only the older ioctl, which cannot wait for "submitted". */
    result = timeline || (flags & VK_SYNC_WAIT_FOR_PENDING)
                 ? wait_timeline(device, used, handles, values, flags, deadline_ns)
                 : wait_binary(device, used, handles, flags, deadline_ns);
out:
    vk_free(&device->alloc, NULL, memory);
    return result;
}

static VkResult import_opaque_fd(struct vk_device *device, struct vk_sync *sync, int fd)
{
    struct drm_syncobj_handle import = {.fd = fd};
    if (kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    finish(device, sync);
    vk_sync_as_drm_syncobj(sync)->handle = import.handle;
    sync->flags |= VK_SYNC_IS_SHAREABLE;
    return VK_SUCCESS;
}

static VkResult export_opaque_fd(struct vk_device *device, struct vk_sync *sync, int *fd_out)
{
    struct drm_syncobj_handle out = {.handle = handle_of(sync), .fd = -1};
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
    sync->flags |= VK_SYNC_IS_SHAREABLE;
    *fd_out = out.fd;
    return VK_SUCCESS;
}

static VkResult import_sync_file(struct vk_device *device, struct vk_sync *sync, int fd)
{
    if (fd < 0)
        return signal(device, sync, 0);
    struct drm_syncobj_handle import = {
        .handle = handle_of(sync), .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd};
    return kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import) ? VK_ERROR_INVALID_EXTERNAL_HANDLE
                                                                                      : VK_SUCCESS;
}

static VkResult export_sync_file(struct vk_device *device, struct vk_sync *sync, int *fd_out)
{
    const struct drm_syncobj_handle in = {
        .handle = handle_of(sync), .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1};
    struct drm_syncobj_handle out = in;
    int error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
    /* Its signal was submitted, as the specification asks, but perhaps by another name of the same object, on a device
     * whose thread has not brought it to the kernel yet. */
    if (error == -EINVAL && sync->type->features & VK_SYNC_WAIT_PENDING) {
        VkResult result = wait_timeline(device, 1, &in.handle, &(const uint64_t){0}, VK_SYNC_WAIT_FOR_PENDING,
                                        vk_time_deadline_ns(SUBMIT_TIMEOUT_NS));
        if (result != VK_SUCCESS && result != VK_TIMEOUT)
            return result;
        out = in;
        error = kernel_ioctl(device->kernel_file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
    }
    if (error) {
        LOG_WARN("vulkan", "no sync file of syncobj %u: %s", handle_of(sync), strerror(-error));
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
    }
    *fd_out = out.fd;
    return VK_SUCCESS;
}

bool vk_drm_syncobj_type_init(struct kernel_file *file, struct vk_sync_type *type_out)
{
    struct drm_get_cap binary = {.capability = DRM_CAP_SYNCOBJ}, timeline = {.capability = DRM_CAP_SYNCOBJ_TIMELINE};
    if (kernel_ioctl(file, DRM_IOCTL_GET_CAP, &binary) || !binary.value)
        return false;
    *type_out = (struct vk_sync_type){
        .name = "drm syncobj",
        .size_B = sizeof(struct vk_drm_syncobj),
        .features = VK_SYNC_BINARY | VK_SYNC_GPU_WAIT | VK_SYNC_GPU_MULTI_WAIT | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_RESET |
                    VK_SYNC_CPU_SIGNAL | VK_SYNC_WAIT_ANY | VK_SYNC_SHARED,
        .init = init,
        .finish = finish,
        .signal = signal,
        .reset = reset,
        .get_value = get_value,
        .move = move,
        .wait_many = wait_many,
        .import_opaque_fd = import_opaque_fd,
        .export_opaque_fd = export_opaque_fd,
        .import_sync_file = import_sync_file,
        .export_sync_file = export_sync_file,
    };
    if (!kernel_ioctl(file, DRM_IOCTL_GET_CAP, &timeline) && timeline.value)
        type_out->features |= VK_SYNC_TIMELINE | VK_SYNC_WAIT_PENDING;
    return true;
}

bool vk_sync_is_drm_syncobj(const struct vk_sync *sync)
{
    return sync->type->init == init;
}
