/* From an ioctl number to its handler, as the DRM core does it: who may call it, and a copy of the argument in our own
 * memory. The copy goes back to the user only when the call succeeded, so that a failed one changes nothing. */
#include <drm.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/log.h"

enum {
    RENDER = 1 << 0, /* allowed on render nodes */
    AUTH = 1 << 1,   /* on primary nodes: for authenticated files */
    MASTER = 1 << 2, /* for the master only */
};

struct ioctl_row {
    unsigned flags;
    size_t size_B;
    int (*run)(struct amd_file *file, void *data);
};

#define SYNCOBJ(name)                                                                                                  \
    static int run_syncobj_##name(struct amd_file *file, void *data)                                                   \
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
static const struct ioctl_row core_rows[DRM_COMMAND_END + 0x60] = {
    ROW(DRM_IOCTL_VERSION, RENDER, amd_version_ioctl),
    ROW(DRM_IOCTL_GET_UNIQUE, 0, amd_get_unique_ioctl),
    ROW(DRM_IOCTL_GET_MAGIC, 0, amd_get_magic_ioctl),
    ROW(DRM_IOCTL_GET_CLIENT, 0, amd_get_client_ioctl),
    ROW(DRM_IOCTL_SET_VERSION, MASTER, amd_set_version_ioctl),
    ROW(DRM_IOCTL_GEM_CLOSE, RENDER, amd_gem_close_ioctl),
    ROW(DRM_IOCTL_GEM_FLINK, AUTH, amd_gem_flink_ioctl),
    ROW(DRM_IOCTL_GEM_OPEN, AUTH, amd_gem_open_ioctl),
    ROW(DRM_IOCTL_GET_CAP, RENDER, amd_get_cap_ioctl),
    ROW(DRM_IOCTL_SET_CLIENT_CAP, 0, amd_set_client_cap_ioctl),
    ROW(DRM_IOCTL_AUTH_MAGIC, MASTER, amd_auth_magic_ioctl),
    ROW(DRM_IOCTL_SET_MASTER, 0, amd_set_master_ioctl),
    ROW(DRM_IOCTL_DROP_MASTER, 0, amd_drop_master_ioctl),
    ROW(DRM_IOCTL_MODE_GETRESOURCES, 0, amd_mode_get_resources_ioctl),
    ROW(DRM_IOCTL_MODE_GETPLANERESOURCES, 0, amd_mode_get_plane_resources_ioctl),
    ROW(DRM_IOCTL_PRIME_HANDLE_TO_FD, RENDER, amd_prime_handle_to_fd_ioctl),
    ROW(DRM_IOCTL_PRIME_FD_TO_HANDLE, RENDER, amd_prime_fd_to_handle_ioctl),
    ROW(DRM_IOCTL_SYNCOBJ_CREATE, RENDER, run_syncobj_create),
    ROW(DRM_IOCTL_SYNCOBJ_DESTROY, RENDER, run_syncobj_destroy),
    ROW(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, RENDER, run_syncobj_handle_to_fd),
    ROW(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, RENDER, run_syncobj_fd_to_handle),
    ROW(DRM_IOCTL_SYNCOBJ_WAIT, RENDER, run_syncobj_wait),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, RENDER, run_syncobj_timeline_wait),
    ROW(DRM_IOCTL_SYNCOBJ_RESET, RENDER, run_syncobj_reset),
    ROW(DRM_IOCTL_SYNCOBJ_SIGNAL, RENDER, run_syncobj_signal),
    ROW(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, RENDER, run_syncobj_timeline_signal),
    ROW(DRM_IOCTL_SYNCOBJ_QUERY, RENDER, run_syncobj_query),
    ROW(DRM_IOCTL_SYNCOBJ_TRANSFER, RENDER, run_syncobj_transfer),
    /* amdgpu's own stand between DRM_COMMAND_BASE and DRM_COMMAND_END. */
    ROW(DRM_IOCTL_AMDGPU_GEM_CREATE, RENDER | AUTH, amd_gem_create_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_MMAP, RENDER | AUTH, amd_gem_mmap_ioctl),
    ROW(DRM_IOCTL_AMDGPU_CTX, RENDER | AUTH, amd_ctx_ioctl),
    ROW(DRM_IOCTL_AMDGPU_BO_LIST, RENDER | AUTH, amd_bo_list_ioctl),
    ROW(DRM_IOCTL_AMDGPU_CS, RENDER | AUTH, amd_cs_ioctl),
    ROW(DRM_IOCTL_AMDGPU_INFO, RENDER | AUTH, amd_info_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_METADATA, RENDER | AUTH, amd_gem_metadata_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, RENDER | AUTH, amd_gem_wait_idle_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_VA, RENDER | AUTH, amd_gem_va_ioctl),
    ROW(DRM_IOCTL_AMDGPU_WAIT_CS, RENDER | AUTH, amd_wait_cs_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_OP, RENDER | AUTH, amd_gem_op_ioctl),
    ROW(DRM_IOCTL_AMDGPU_GEM_USERPTR, RENDER | AUTH, amd_gem_userptr_ioctl),
    ROW(DRM_IOCTL_AMDGPU_WAIT_FENCES, RENDER | AUTH, amd_wait_fences_ioctl),
    ROW(DRM_IOCTL_AMDGPU_VM, RENDER | AUTH, amd_vm_ioctl),
    ROW(DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, RENDER | AUTH, amd_fence_to_handle_ioctl),
    ROW(DRM_IOCTL_AMDGPU_SCHED, MASTER, amd_sched_ioctl),
};

static int check_permission(const struct amd_file *file, const struct ioctl_row *row)
{
    if (file->node == KERNEL_NODE_RENDER)
        return row->flags & RENDER ? 0 : -EACCES;
    if (row->flags & AUTH && !file->authenticated)
        return -EACCES;
    return row->flags & MASTER && !file->master ? -EACCES : 0;
}

int amd_file_ioctl(struct amd_file *file, unsigned long request, void *argument)
{
    if (!amd_device_is_ours(file->device))
        return -ENODEV; /* a child of fork: its parent's workers are not here */
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    unsigned number = _IOC_NR(request);
    if (number >= ARRAY_SIZE(core_rows) || !core_rows[number].run)
        return -EINVAL;
    const struct ioctl_row *row = &core_rows[number];
    int error = check_permission(file, row);
    if (error)
        return error;

    /* A caller with an older, shorter struct sees zeros in what it does not know; a longer one keeps its tail. */
    _Alignas(16) char data[512];
    size_t user_B = _IOC_SIZE(request);
    size_t copied_B = MIN2(user_B, row->size_B);
    if (row->size_B > sizeof(data))
        return -EINVAL;
    memset(data, 0, row->size_B);
    uint64_t address = (uintptr_t)argument;
    error = drm_copy_from_user(data, address, copied_B);
    if (!error)
        error = row->run(file, data);
    if (error)
        LOG_DEBUG("amd/model", "ioctl 0x%02x: %s", number, strerror(-error));
    /* The struct was readable a moment ago, and nobody has constant structs for an ioctl that answers: a plain copy
     * will do. */
    if (!error && _IOC_DIR(request) & _IOC_READ)
        memcpy(argument, data, copied_B);
    return error;
}
