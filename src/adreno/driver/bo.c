/* Buffers: memory of the kernel, with a place in the GPU's address space from birth to death. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "adreno/driver/kernel.h"
#include "util/bits.h"
#include "util/slab.h"

enum {
    PAGE_B = 4096
};

static void close_handle(struct adreno_kernel *kernel, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    kernel_ioctl(kernel->file, DRM_IOCTL_GEM_CLOSE, &args);
}

static int info(struct adreno_bo *bo, enum msm_info what, uint64_t *value, uint32_t *size_B)
{
    struct drm_msm_gem_info args = {.handle = bo->handle, .info = what, .value = *value, .len = size_B ? *size_B : 0};
    int error = kernel_ioctl(bo->kernel->file, DRM_IOCTL_MSM_GEM_INFO, &args);
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
        !array_reserve(&kernel->named_bos, kernel->named_bos.count + 1) ||
        !map64_set(&kernel->bos, bo->handle, (uintptr_t)bo))
        return -ENOMEM;
    bo->named_at = kernel->named.count;
    array_push(&kernel->named, (struct drm_msm_gem_submit_bo){
                                   .flags = submit_flags(bo->is_shared), .handle = bo->handle, .presumed = bo->vk.va});
    array_push(&kernel->named_bos, bo);
    return 0;
}

static void unname(struct adreno_kernel *kernel, struct adreno_bo *bo)
{
    map64_remove(&kernel->bos, bo->handle);
    map64_trim(&kernel->bos);
    array_remove_swap(&kernel->named, bo->named_at);
    array_remove_swap(&kernel->named_bos, bo->named_at);
    if (bo->named_at < kernel->named_bos.count)
        kernel->named_bos.data[bo->named_at]->named_at = bo->named_at;
}

void adreno_bo_set_waited(struct adreno_bo *bo, bool is_waited)
{
    pthread_mutex_lock(&bo->kernel->lock);
    bo->kernel->named.data[bo->named_at].flags = submit_flags(is_waited && bo->is_shared);
    pthread_mutex_unlock(&bo->kernel->lock);
}

/* ---- birth and death ---- */

static struct adreno_bo *new_bo(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags)
{
    struct adreno_bo *bo = slab_zalloc(sizeof(*bo));
    if (!bo)
        return NULL;
    bo->kernel = kernel;
    bo->refs = 1;
    bo->vk.size_B = size_B;
    bo->va_size_B = align_u64(size_B, PAGE_B);
    bo->flags = flags;
    pthread_mutex_init(&bo->map_lock, NULL);
    return bo;
}

static void free_bo(struct adreno_bo *bo)
{
    pthread_mutex_destroy(&bo->map_lock);
    slab_free(bo);
}

/* The address is ours to choose. The kernel keeps that of a buffer which has just been closed until the last submission
 * that named it has ended: such a place is left alone, and the next one is tried. */
static int take_address(struct adreno_bo *bo, uint64_t at_va)
{
    struct vk_va *va = &bo->kernel->va;
    if (at_va) {
        bo->vk.va = at_va;
        int error = vk_va_alloc_at(va, at_va, bo->va_size_B);
        if (error)
            return error;
        error = set_address(bo, at_va);
        if (error)
            vk_va_free(va, at_va, bo->va_size_B);
        return error;
    }
    enum {
        TRIES = 64
    };
    uint64_t busy[TRIES];
    uint32_t num_busy = 0;
    int error;
    do {
        error = vk_va_alloc(va, bo->va_size_B, PAGE_B, &bo->vk.va);
        if (error)
            break;
        error = set_address(bo, bo->vk.va);
        if (error)
            busy[num_busy++] = bo->vk.va;
    } while ((error == -ENOSPC || error == -EBUSY) && num_busy < TRIES);
    while (num_busy)
        vk_va_free(va, busy[--num_busy], bo->va_size_B);
    return error;
}

/* What follows once there is a handle: an address, a place in the tables. Closes the handle where that fails. */
static int adopt(struct adreno_bo *bo, uint64_t at_va)
{
    struct adreno_kernel *kernel = bo->kernel;
    int error = take_address(bo, at_va);
    if (!error) {
        pthread_mutex_lock(&kernel->lock);
        error = name(kernel, bo);
        pthread_mutex_unlock(&kernel->lock);
        if (error)
            vk_va_free(&kernel->va, bo->vk.va, bo->va_size_B);
    }
    if (error)
        close_handle(kernel, bo->handle);
    else
        atomic_fetch_add(&kernel->allocated_B, bo->vk.size_B);
    return error;
}

int adreno_bo_create(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va,
                     struct adreno_bo **bo_out)
{
    struct adreno_bo *bo = new_bo(kernel, size_B, flags);
    if (!bo)
        return -ENOMEM;
    struct drm_msm_gem_new args = {.size = align_u64(size_B, PAGE_B), .flags = flags};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_GEM_NEW, &args);
    if (!error) {
        bo->handle = args.handle;
        error = adopt(bo, at_va);
    }
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

/* The kernel gives the same handle for the same buffer: then it is the same object, and the handle is closed once. */
int adreno_bo_import(struct adreno_kernel *kernel, int fd, struct adreno_bo **bo_out)
{
    struct drm_prime_handle prime = {.fd = fd};
    uint64_t size_B = 0;
    int error = kernel_dmabuf_size(kernel->file, fd, &size_B);
    if (error)
        return error;
    /* The table is locked over both steps: between them a last unref must not close the handle we were just given. */
    pthread_mutex_lock(&kernel->lock);
    error = kernel_ioctl(kernel->file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
    uint64_t *known = error ? NULL : map64_get(&kernel->bos, prime.handle);
    if (known)
        *bo_out = adreno_bo_ref((struct adreno_bo *)(uintptr_t)*known);
    pthread_mutex_unlock(&kernel->lock);
    if (error || known)
        return error;
    struct adreno_bo *bo = new_bo(kernel, size_B, MSM_BO_WC);
    if (!bo) {
        close_handle(kernel, prime.handle);
        return -ENOMEM;
    }
    bo->handle = prime.handle;
    bo->is_shared = true;
    uint64_t flags = 0;
    if (info(bo, MSM_INFO_GET_FLAGS, &flags, NULL) == 0) /* another driver's has none */
        bo->flags = (uint32_t)flags;
    error = adopt(bo, 0);
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

int adreno_bo_export(struct adreno_bo *bo, int *fd_out)
{
    struct drm_prime_handle prime = {.handle = bo->handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
    int error = kernel_ioctl(bo->kernel->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    if (error)
        return error;
    *fd_out = prime.fd;
    if (!bo->is_shared) {
        bo->is_shared = true;
        adreno_bo_set_waited(bo, true);
    }
    return 0;
}

struct adreno_bo *adreno_bo_ref(struct adreno_bo *bo)
{
    atomic_fetch_add(&bo->refs, 1);
    return bo;
}

void adreno_bo_unref(struct adreno_bo *bo)
{
    if (!bo)
        return;
    struct adreno_kernel *kernel = bo->kernel;
    pthread_mutex_lock(&kernel->lock);
    if (atomic_fetch_sub(&bo->refs, 1) != 1) {
        pthread_mutex_unlock(&kernel->lock);
        return;
    }
    unname(kernel, bo);
    if (bo->vk.map)
        kernel_munmap(kernel->file, bo->vk.map, bo->vk.size_B);
    set_address(bo, 0);
    close_handle(kernel, bo->handle);
    pthread_mutex_unlock(&kernel->lock);
    vk_va_free(&kernel->va, bo->vk.va, bo->va_size_B);
    atomic_fetch_sub(&kernel->allocated_B, bo->vk.size_B);
    free_bo(bo);
}

int adreno_bo_map(struct adreno_bo *bo, void **memory_out)
{
    int error = 0;
    pthread_mutex_lock(&bo->map_lock);
    if (!bo->vk.map) {
        uint64_t offset_B = 0;
        error = info(bo, MSM_INFO_GET_OFFSET, &offset_B, NULL);
        if (!error)
            error =
                kernel_mmap(bo->kernel->file, bo->vk.size_B, PROT_READ | PROT_WRITE, MAP_SHARED, offset_B, &bo->vk.map);
    }
    *memory_out = bo->vk.map;
    pthread_mutex_unlock(&bo->map_lock);
    return error;
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
