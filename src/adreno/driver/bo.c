/* Buffers of msm: the ioctls that vk_gem asks for, and the list that submissions name. */
#include <errno.h>

#include "adreno/driver/kernel.h"
#include "util/bits.h"
#include "util/list.h"

enum {
    PAGE_B = 4096
};

static int info(struct adreno_bo *bo, enum msm_info what, uint64_t *value, uint32_t *size_B)
{
    struct drm_msm_gem_info args = {
        .handle = bo->gem.handle, .info = what, .value = *value, .len = size_B ? *size_B : 0};
    int error = kernel_ioctl(bo->gem.owner->file, DRM_IOCTL_MSM_GEM_INFO, &args);
    *value = args.value;
    if (size_B)
        *size_B = args.len;
    return error;
}

static int set_address(struct adreno_bo *bo, uint64_t va)
{
    return info(bo, MSM_INFO_SET_IOVA, &va, NULL);
}

/* ---- the list that submissions name; the lock is held ---- */

static uint32_t submit_flags(bool is_waited)
{
    return MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE | (is_waited ? 0 : MSM_SUBMIT_BO_NO_IMPLICIT);
}

static int name(struct adreno_kernel *kernel, struct adreno_bo *bo)
{
    if (!array_reserve(&kernel->named, kernel->named.count + 1) ||
        !array_reserve(&kernel->named_bos, kernel->named_bos.count + 1))
        return -ENOMEM;
    bo->named_at = kernel->named.count;
    array_push(&kernel->named, (struct drm_msm_gem_submit_bo){.flags = submit_flags(bo->gem.is_shared),
                                                              .handle = bo->gem.handle,
                                                              .presumed = bo->vk.va});
    array_push(&kernel->named_bos, bo);
    return 0;
}

static void forget_handle(struct adreno_kernel *kernel, struct adreno_bo *bo)
{
    array_remove_swap(&kernel->named, bo->named_at);
    array_remove_swap(&kernel->named_bos, bo->named_at);
    if (bo->named_at < kernel->named_bos.count)
        kernel->named_bos.data[bo->named_at]->named_at = bo->named_at;
}

void adreno_bo_set_waited(struct adreno_bo *bo, bool is_waited)
{
    struct adreno_kernel *kernel = adreno_kernel_of(bo->gem.owner);
    pthread_mutex_lock(&kernel->gems.lock);
    kernel->named.data[bo->named_at].flags = submit_flags(is_waited && bo->gem.is_shared);
    pthread_mutex_unlock(&kernel->gems.lock);
}

/* ---- birth and death: what vk_gem asks for ---- */

static struct adreno_bo *bo_of(struct vk_gem *gem)
{
    return container_of(gem, struct adreno_bo, gem);
}

static void place_bo(struct adreno_bo *bo, uint64_t size_B)
{
    bo->gem.vk.size_B = size_B;
    bo->gem.va_size_B = align_u64(size_B, PAGE_B);
    bo->gem.align_B = PAGE_B;
    bo->gem.range = &adreno_kernel_of(bo->gem.owner)->va;
}

static int describe_bo(struct vk_gem *gem, int fd)
{
    struct adreno_bo *bo = bo_of(gem);
    uint64_t size_B = 0, flags = 0;
    int error = kernel_dmabuf_size(gem->owner->file, fd, &size_B);
    place_bo(bo, size_B);
    bo->flags = MSM_BO_WC;
    if (!error && info(bo, MSM_INFO_GET_FLAGS, &flags, NULL) == 0) /* another driver's has none */
        bo->flags = (uint32_t)flags;
    return error;
}

static int bind_bo(struct vk_gem *gem)
{
    return set_address(bo_of(gem), gem->vk.va);
}

static int enter_bo(struct vk_gem *gem)
{
    struct adreno_kernel *kernel = adreno_kernel_of(gem->owner);
    int error = name(kernel, bo_of(gem));
    if (!error)
        atomic_fetch_add(&kernel->allocated_B, gem->vk.size_B);
    return error;
}

static void remove_bo(struct vk_gem *gem)
{
    struct adreno_kernel *kernel = adreno_kernel_of(gem->owner);
    forget_handle(kernel, bo_of(gem));
    atomic_fetch_sub(&kernel->allocated_B, gem->vk.size_B);
}

static void unbind_bo(struct vk_gem *gem)
{
    set_address(bo_of(gem), 0);
}

static int map_offset(struct vk_gem *gem, uint64_t *offset_B_out)
{
    *offset_B_out = 0;
    return info(bo_of(gem), MSM_INFO_GET_OFFSET, offset_B_out, NULL);
}

const struct vk_gem_ops adreno_gem_ops = {
    .size_B = sizeof(struct adreno_bo),
    .describe = describe_bo,
    .bind = bind_bo,
    .enter = enter_bo,
    .leave = remove_bo,
    .unbind = unbind_bo,
    .map_offset = map_offset,
};

/* ---- what the driver asks for ---- */

int adreno_bo_create(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va,
                     struct adreno_bo **bo_out)
{
    struct vk_gem *gem = vk_gem_new(&kernel->gems, size_B);
    if (!gem)
        return -ENOMEM;
    struct adreno_bo *bo = bo_of(gem);
    place_bo(bo, size_B);
    bo->flags = flags;
    struct drm_msm_gem_new args = {.size = align_u64(size_B, PAGE_B), .flags = flags};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_GEM_NEW, &args);
    if (error) {
        vk_gem_free(gem);
        return error;
    }
    gem->handle = args.handle;
    error = vk_gem_adopt(gem, at_va);
    if (!error)
        *bo_out = bo;
    return error;
}

int adreno_bo_reserve(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags, struct adreno_bo **bo_out)
{
    struct vk_gem *gem = vk_gem_new(&kernel->gems, size_B);
    if (!gem)
        return -ENOMEM;
    struct adreno_bo *bo = bo_of(gem);
    place_bo(bo, size_B);
    bo->flags = flags;
    bo->is_lazy = true;
    int error = vk_gem_reserve(gem);
    if (error)
        return error;
    pthread_mutex_lock(&kernel->gems.lock);
    const bool is_kept = array_reserve(&kernel->lazies, kernel->lazies.count + 1);
    if (is_kept)
        array_push(&kernel->lazies, bo);
    pthread_mutex_unlock(&kernel->gems.lock);
    if (!is_kept)
        vk_gem_unref(gem);
    else
        *bo_out = bo;
    return is_kept ? 0 : -ENOMEM;
}

int adreno_bo_commit(struct adreno_bo *bo)
{
    struct adreno_kernel *kernel = adreno_kernel_of(bo->gem.owner);
    struct drm_msm_gem_new args = {.size = align_u64(bo->vk.size_B, PAGE_B), .flags = bo->flags};
    int error = 0;
    pthread_mutex_lock(&bo->gem.map_lock);
    if (!bo->gem.handle) {
        error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_GEM_NEW, &args);
        if (!error)
            error = vk_gem_commit(&bo->gem, args.handle);
    }
    pthread_mutex_unlock(&bo->gem.map_lock);
    return error;
}

bool adreno_bo_is_committed(struct adreno_bo *bo)
{
    pthread_mutex_lock(&bo->gem.map_lock);
    const bool is_committed = bo->gem.handle != 0;
    pthread_mutex_unlock(&bo->gem.map_lock);
    return is_committed;
}

int adreno_bo_commit_at(struct adreno_kernel *kernel, uint64_t va)
{
    struct adreno_bo *found = NULL;
    pthread_mutex_lock(&kernel->gems.lock);
    for (size_t i = 0; i < kernel->lazies.count && !found; i++) {
        struct adreno_bo *bo = kernel->lazies.data[i];
        found = va - bo->vk.va < bo->vk.size_B ? bo : NULL;
    }
    pthread_mutex_unlock(&kernel->gems.lock);
    return found ? adreno_bo_commit(found) : 0;
}

static void forget_lazy(struct adreno_bo *bo)
{
    struct adreno_kernel *kernel = adreno_kernel_of(bo->gem.owner);
    pthread_mutex_lock(&kernel->gems.lock);
    for (size_t i = 0; i < kernel->lazies.count; i++) {
        if (kernel->lazies.data[i] == bo) {
            array_remove_swap(&kernel->lazies, i);
            break;
        }
    }
    pthread_mutex_unlock(&kernel->gems.lock);
}

int adreno_bo_import(struct adreno_kernel *kernel, int fd, struct adreno_bo **bo_out)
{
    struct vk_gem *gem;
    int error = vk_gem_import(&kernel->gems, fd, &gem);
    if (!error)
        *bo_out = bo_of(gem);
    return error;
}

int adreno_bo_export(struct adreno_bo *bo, int *fd_out)
{
    int error = vk_gem_export(&bo->gem, fd_out);
    if (!error && !bo->gem.is_shared) {
        bo->gem.is_shared = true;
        adreno_bo_set_waited(bo, true);
    }
    return error;
}

void adreno_bo_unref(struct adreno_bo *bo)
{
    if (bo && bo->is_lazy) /* memory's own: there is one reference */
        forget_lazy(bo);
    vk_gem_unref(bo ? &bo->gem : NULL);
}

int adreno_bo_map(struct adreno_bo *bo, void **memory_out)
{
    return vk_gem_map(&bo->gem, memory_out);
}

/* ---- what travels with it ---- */

int adreno_bo_set_metadata(struct adreno_bo *bo, const void *data, uint32_t size_B)
{
    uint64_t pointer = (uintptr_t)data;
    return info(bo, MSM_INFO_SET_METADATA, &pointer, &size_B);
}

int adreno_bo_get_metadata(struct adreno_bo *bo, void *data, uint32_t *size_B)
{
    uint64_t pointer = (uintptr_t)data;
    return info(bo, MSM_INFO_GET_METADATA, &pointer, size_B);
}
