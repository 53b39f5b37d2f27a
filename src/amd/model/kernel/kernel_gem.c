/* The ioctls on buffers: create, map, describe, share, close. Checks, and the order of them, are the kernel's. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define CREATE_DISCARDABLE (1ull << 12) /* newer than the header; a hint only */

int amd_gem_create_ioctl(struct amd_file *file, void *data)
{
    union drm_amdgpu_gem_create *args = data;
    const uint64_t valid_flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS |
                                 AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED |
                                 AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS | AMDGPU_GEM_CREATE_VM_ALWAYS_VALID |
                                 AMDGPU_GEM_CREATE_EXPLICIT_SYNC | AMDGPU_GEM_CREATE_ENCRYPTED | CREATE_DISCARDABLE;
    const uint64_t on_chip = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;
    uint64_t flags = args->in.domain_flags, domains = args->in.domains;
    if (flags & ~valid_flags || domains & ~(uint64_t)AMDGPU_GEM_DOMAIN_MASK)
        return -EINVAL;
    if (flags & AMDGPU_GEM_CREATE_ENCRYPTED)
        return -EINVAL; /* no trusted memory zone on this device */
    if (domains & on_chip) {
        if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
            return -EINVAL;
        flags |= AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
    }
    if (args->in.alignment && !is_power_of_two(args->in.alignment))
        return -EINVAL;
    struct amd_bo *bo = NULL;
    int error = amd_bo_create(file->device, args->in.bo_size, args->in.alignment, (uint32_t)domains, flags, &bo);
    if (error)
        return error;
    if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
        bo->always_valid_vm = file->vm;
    uint32_t handle = 0;
    error = amd_bo_handle(file, bo, &handle);
    amd_bo_unref(bo);
    if (error)
        return error;
    memset(args, 0, sizeof(*args));
    args->out.handle = handle;
    return 0;
}

int amd_gem_userptr_ioctl(struct amd_file *file, void *data)
{
    struct drm_amdgpu_gem_userptr *args = data;
    const uint32_t valid_flags = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY |
                                 AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    uint64_t mask = gpu_space_granularity_B() - 1;
    if ((args->addr | args->size) & mask || args->flags & ~valid_flags)
        return -EINVAL;
    if (!(args->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)))
        return -EACCES; /* without a notifier nobody would hear that the pages go away */
    if (args->size == 0)
        return -EINVAL;
    if (args->flags & AMDGPU_GEM_USERPTR_VALIDATE) {
        int error = drm_check_user_range(args->addr, args->size);
        if (error)
            return error;
    }
    struct amd_bo *bo = NULL;
    int error = amd_bo_create_user(file->device, (void *)(uintptr_t)args->addr, args->size, args->flags, &bo);
    if (error)
        return error;
    uint32_t handle = 0;
    error = amd_bo_handle(file, bo, &handle);
    amd_bo_unref(bo);
    if (!error)
        args->handle = handle;
    return error;
}

int amd_gem_mmap_ioctl(struct amd_file *file, void *data)
{
    union drm_amdgpu_gem_mmap *args = data;
    struct amd_bo *bo = amd_bo_find(file, args->in.handle);
    if (!bo)
        return -ENOENT;
    uint64_t offset_B = 0;
    int error =
        bo->user_memory || bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS ? -EPERM : amd_bo_mmap_offset(bo, &offset_B);
    amd_bo_unref(bo);
    if (!error)
        args->out.addr_ptr = offset_B;
    return error;
}

int amd_gem_wait_idle_ioctl(struct amd_file *file, void *data)
{
    union drm_amdgpu_gem_wait_idle *args = data;
    struct amd_bo *bo = amd_bo_find(file, args->in.handle);
    if (!bo)
        return -ENOENT;
    bool idle = amd_bo_wait_idle(bo, amd_deadline_ns(args->in.timeout));
    amd_bo_unref(bo);
    memset(args, 0, sizeof(*args));
    args->out.status = !idle;
    return 0;
}

int amd_gem_metadata_ioctl(struct amd_file *file, void *data)
{
    struct drm_amdgpu_gem_metadata *args = data;
    struct amd_bo *bo = amd_bo_find(file, args->handle);
    if (!bo)
        return -ENOENT;
    int error = 0;
    pthread_mutex_lock(&bo->device->lock);
    struct amd_bo_metadata *metadata = bo->metadata;
    if (args->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
        args->data.flags = metadata->flags;
        args->data.tiling_info = metadata->tiling_info;
        args->data.data_size_bytes = MIN2(metadata->size_B, (uint32_t)sizeof(metadata->data));
        memcpy(args->data.data, metadata->data, sizeof(metadata->data));
    } else if (args->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (args->data.data_size_bytes > sizeof(args->data.data)) {
            error = -EINVAL;
        } else {
            metadata->flags = args->data.flags;
            metadata->tiling_info = args->data.tiling_info;
            metadata->size_B = args->data.data_size_bytes;
            memset(metadata->data, 0, sizeof(metadata->data));
            memcpy(metadata->data, args->data.data, args->data.data_size_bytes);
        }
    } /* the kernel takes any other operation for none */
    pthread_mutex_unlock(&bo->device->lock);
    amd_bo_unref(bo);
    return error;
}

static int set_placement(struct amd_bo *bo, uint64_t domains)
{
    if (bo->user_memory)
        return -EPERM;
    if (bo->heap == AMD_HEAP_NONE && domains & AMDGPU_GEM_DOMAIN_VRAM)
        return -EINVAL; /* an imported buffer stays where it was made */
    pthread_mutex_lock(&bo->device->lock);
    bo->preferred_domains = domains & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU);
    pthread_mutex_unlock(&bo->device->lock);
    return 0;
}

int amd_gem_op_ioctl(struct amd_file *file, void *data)
{
    const struct drm_amdgpu_gem_op *args = data;
    struct amd_bo *bo = amd_bo_find(file, args->handle);
    if (!bo)
        return -ENOENT;
    int error = -EINVAL;
    if (args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
        struct drm_amdgpu_gem_create_in info = {.bo_size = bo->size_B,
                                                .alignment = align_u64(bo->align_B, gpu_space_granularity_B()),
                                                .domains = bo->preferred_domains,
                                                .domain_flags = bo->flags};
        error = drm_copy_to_user(args->value, &info, sizeof(info));
    } else if (args->op == AMDGPU_GEM_OP_SET_PLACEMENT) {
        error = set_placement(bo, args->value);
    }
    amd_bo_unref(bo);
    return error;
}

int amd_gem_close_ioctl(struct amd_file *file, void *data)
{
    const struct drm_gem_close *args = data;
    pthread_mutex_lock(&file->lock);
    struct amd_bo *bo = amd_handles_remove(&file->bos, args->handle);
    if (bo)
        map64_remove(&file->bo_handles, (uintptr_t)bo);
    pthread_mutex_unlock(&file->lock);
    if (!bo)
        return -EINVAL;
    amd_vm_forget_bo(file->vm, bo);
    amd_bo_unref(bo);
    return 0;
}

/* ---- sharing ---- */

int amd_prime_handle_to_fd_ioctl(struct amd_file *file, void *data)
{
    struct drm_prime_handle *args = data;
    if (args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    struct amd_bo *bo = amd_bo_find(file, args->handle);
    if (!bo)
        return -ENOENT;
    int fd = amd_bo_export(bo);
    amd_bo_unref(bo);
    if (fd < 0)
        return fd;
    if (!(args->flags & DRM_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    args->fd = fd;
    return 0;
}

int amd_prime_fd_to_handle_ioctl(struct amd_file *file, void *data)
{
    struct drm_prime_handle *args = data;
    struct amd_bo *bo = NULL;
    int error = amd_bo_import(file->device, args->fd, &bo);
    if (error)
        return error;
    error = amd_bo_handle(file, bo, &args->handle);
    amd_bo_unref(bo);
    return error;
}

int amd_gem_flink_ioctl(struct amd_file *file, void *data)
{
    struct drm_gem_flink *args = data;
    struct amd_bo *bo = amd_bo_find(file, args->handle);
    if (!bo)
        return -ENOENT;
    int error = 0;
    pthread_mutex_lock(&bo->device->lock);
    if (!bo->flink_name)
        error = amd_handles_insert(&bo->device->flink_names, bo, INT32_MAX, &bo->flink_name);
    args->name = bo->flink_name;
    pthread_mutex_unlock(&bo->device->lock);
    amd_bo_unref(bo);
    return error;
}

int amd_gem_open_ioctl(struct amd_file *file, void *data)
{
    struct drm_gem_open *args = data;
    pthread_mutex_lock(&file->device->lock);
    struct amd_bo *bo = amd_handles_get(&file->device->flink_names, args->name);
    if (bo)
        amd_bo_ref(bo);
    pthread_mutex_unlock(&file->device->lock);
    if (!bo)
        return -ENOENT;
    int error = amd_bo_handle(file, bo, &args->handle);
    args->size = bo->size_B;
    amd_bo_unref(bo);
    return error;
}
