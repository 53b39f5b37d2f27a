/* From an ioctl number to its handler, as the DRM core does it: the check of the caller's rights, and a copy of the
 * argument in our own memory. The copy goes back to the user only when the call succeeded, so that a failed one changes
 * nothing. */
#include "model/drm/drm_ioctl.h"

#include <drm.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/log.h"

#define SYNCOBJ(name)                                                                                                  \
    static int run_syncobj_##name(struct drm_file *file, void *data)                                                   \
    {                                                                                                                  \
        return drm_syncobj_##name##_ioctl(&file->syncobjs, data);                                                      \
    }
SYNCOBJ(create)
SYNCOBJ(destroy)
SYNCOBJ(handle_to_fd)
SYNCOBJ(fd_to_handle)
SYNCOBJ(wait)
SYNCOBJ(timeline_wait)
SYNCOBJ(reset)
SYNCOBJ(signal)
SYNCOBJ(timeline_signal)
SYNCOBJ(query)
SYNCOBJ(transfer)

#define ROW(request, flags, run) [_IOC_NR(request)] = {flags, _IOC_SIZE(request), run}
/* A driver's own stand between DRM_COMMAND_BASE and DRM_COMMAND_END. */
static const struct drm_ioctl_row core_rows[] = {
    ROW(DRM_IOCTL_VERSION, DRM_ROW_RENDER, drm_version_ioctl),
    ROW(DRM_IOCTL_GET_UNIQUE, 0, drm_get_unique_ioctl),
    ROW(DRM_IOCTL_GET_MAGIC, 0, drm_get_magic_ioctl),
    ROW(DRM_IOCTL_GET_CLIENT, 0, drm_get_client_ioctl),
    ROW(DRM_IOCTL_SET_VERSION, DRM_ROW_MASTER, drm_set_version_ioctl),
    ROW(DRM_IOCTL_GEM_CLOSE, DRM_ROW_RENDER, drm_gem_close_ioctl),
    ROW(DRM_IOCTL_GEM_FLINK, DRM_ROW_AUTH, drm_gem_flink_ioctl),
    ROW(DRM_IOCTL_GEM_OPEN, DRM_ROW_AUTH, drm_gem_open_ioctl),
    ROW(DRM_IOCTL_GET_CAP, DRM_ROW_RENDER, drm_get_cap_ioctl),
    ROW(DRM_IOCTL_SET_CLIENT_CAP, 0, drm_set_client_cap_ioctl),
    ROW(DRM_IOCTL_AUTH_MAGIC, DRM_ROW_MASTER, drm_auth_magic_ioctl),
    ROW(DRM_IOCTL_SET_MASTER, 0, drm_set_master_ioctl),
    ROW(DRM_IOCTL_DROP_MASTER, 0, drm_drop_master_ioctl),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, 0, drm_mode_get_resources_ioctl),
    ROW(DRM_IOCTL_MODE_GETPLANERESOURCES, 0, drm_mode_get_plane_resources_ioctl),
    ROW(DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_ROW_RENDER, drm_prime_handle_to_fd_ioctl),
    ROW(DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_ROW_RENDER, drm_prime_fd_to_handle_ioctl),
    ROW(DRM_IOCTL_SYNCOBJ_CREATE, DRM_ROW_RENDER, run_syncobj_create),
    ROW(DRM_IOCTL_SYNCOBJ_DESTROY, DRM_ROW_RENDER, run_syncobj_destroy),
    ROW(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_ROW_RENDER, run_syncobj_handle_to_fd),
    ROW(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_ROW_RENDER, run_syncobj_fd_to_handle),
    ROW(DRM_IOCTL_SYNCOBJ_WAIT, DRM_ROW_RENDER, run_syncobj_wait),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, DRM_ROW_RENDER, run_syncobj_timeline_wait),
    ROW(DRM_IOCTL_SYNCOBJ_RESET, DRM_ROW_RENDER, run_syncobj_reset),
    ROW(DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_ROW_RENDER, run_syncobj_signal),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, DRM_ROW_RENDER, run_syncobj_timeline_signal),
    ROW(DRM_IOCTL_SYNCOBJ_QUERY, DRM_ROW_RENDER, run_syncobj_query),
    ROW(DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_ROW_RENDER, run_syncobj_transfer),
};

static int check_permission(const struct drm_file *file, const struct drm_ioctl_row *row)
{
    if (file->node == KERNEL_NODE_RENDER)
        return row->flags & DRM_ROW_RENDER ? 0 : -EACCES;
    if (row->flags & DRM_ROW_AUTH && !file->is_authenticated)
        return -EACCES;
    return row->flags & DRM_ROW_MASTER && !file->is_master ? -EACCES : 0;
}

static const struct drm_ioctl_row *find_row(const struct drm_driver *driver, unsigned number)
{
    const struct drm_ioctl_row *row = NULL;
    if (number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END)
        row = number - DRM_COMMAND_BASE < driver->ioctl_count ? &driver->ioctls[number - DRM_COMMAND_BASE] : NULL;
    else if (number < ARRAY_SIZE(core_rows))
        row = &core_rows[number];
    return row && row->run && row->size_B <= DRM_IOCTL_MAX_B ? row : NULL;
}

int drm_file_ioctl(struct drm_file *file, unsigned long request, void *argument)
{
    if (!drm_device_is_ours(file->device))
        return -ENODEV; /* a child of fork: its parent's workers are not here */
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    unsigned number = _IOC_NR(request);
    const struct drm_ioctl_row *row = find_row(file->device->driver, number);
    if (!row)
        return -EINVAL;
    int error = check_permission(file, row);
    if (error)
        return error;

    /* A caller with an older, shorter struct sees zeros in what it does not know; a longer one keeps its tail. */
    _Alignas(16) char data[DRM_IOCTL_MAX_B];
    size_t user_B = _IOC_SIZE(request);
    size_t copied_B = MIN2(user_B, row->size_B);
    memset(data, 0, row->size_B);
    uint64_t address = (uintptr_t)argument;
    error = drm_copy_from_user(data, address, copied_B);
    if (error)
        return error;
    error = row->run(file, data);
    if (error)
        LOG_DEBUG(file->device->driver->log_name, "ioctl 0x%02x: %s", number, strerror(-error));
    /* After a failure, too: some say how far they came. The struct was readable a moment ago, and the struct of an
     * ioctl that returns something is never constant: a plain copy will do. */
    if (_IOC_DIR(request) & _IOC_READ)
        memcpy(argument, data, copied_B);
    return error;
}
