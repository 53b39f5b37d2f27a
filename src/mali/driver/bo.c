/* Buffers: memory of the kernel, with a place in the GPU's address space from birth to death. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "mali/driver/kernel.h"
#include "util/bits.h"
#include "util/slab.h"

enum {
    PAGE_B = 4096,
    LARGE_B = 2 << 20, /* pages of the GPU's tables, where memory and address allow them */
};

static void close_handle(struct mali_kernel *kernel, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    kernel_ioctl(kernel->file, DRM_IOCTL_GEM_CLOSE, &args);
}

/* ---- addresses ---- */

static int bind(struct mali_bo *bo, uint32_t flags)
{
    const bool is_map = (flags & DRM_PANTHOR_VM_BIND_OP_TYPE_MASK) == DRM_PANTHOR_VM_BIND_OP_TYPE_MAP;
    struct drm_panthor_vm_bind_op op = {
        .flags = flags, .bo_handle = is_map ? bo->handle : 0, .va = bo->vk.va, .size = bo->va_size_B};
    struct drm_panthor_vm_bind args = {.vm_id = bo->kernel->vm,
                                       .ops = {.stride = sizeof(op), .count = 1, .array = (uintptr_t)&op}};
    return kernel_ioctl(bo->kernel->file, DRM_IOCTL_PANTHOR_VM_BIND, &args);
}

static int take_address(struct mali_bo *bo, uint64_t at_va)
{
    struct vk_va *va = &bo->kernel->va;
    int error = at_va ? vk_va_alloc_at(va, at_va, bo->va_size_B)
                      : vk_va_alloc(va, bo->va_size_B, bo->va_size_B >= LARGE_B ? LARGE_B : PAGE_B, &bo->vk.va);
    if (at_va)
        bo->vk.va = at_va;
    if (error)
        return error;
    error = bind(bo, DRM_PANTHOR_VM_BIND_OP_TYPE_MAP |
                         (bo->flags & MALI_BO_EXECUTABLE ? 0 : DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC));
    if (error)
        vk_va_free(va, bo->vk.va, bo->va_size_B);
    return error;
}

static void give_address(struct mali_bo *bo)
{
    bind(bo, DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP);
    vk_va_free(&bo->kernel->va, bo->vk.va, bo->va_size_B);
}

/* ---- birth and death ---- */

static struct mali_bo *new_bo(struct mali_kernel *kernel, uint64_t size_B, uint32_t flags)
{
    struct mali_bo *bo = slab_zalloc(sizeof(*bo));
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

static void free_bo(struct mali_bo *bo)
{
    pthread_mutex_destroy(&bo->map_lock);
    slab_free(bo);
}

/* What follows once there is a handle: an address, a place in the tables. Closes the handle where that fails. */
static int adopt(struct mali_bo *bo, uint64_t at_va)
{
    struct mali_kernel *kernel = bo->kernel;
    int error = take_address(bo, at_va);
    if (!error) {
        pthread_mutex_lock(&kernel->lock);
        error = map64_set(&kernel->bos, bo->handle, (uintptr_t)bo) ? 0 : -ENOMEM;
        if (!error)
            list_push_back(&kernel->all, &bo->link);
        pthread_mutex_unlock(&kernel->lock);
        if (error)
            give_address(bo);
    }
    if (error)
        close_handle(kernel, bo->handle);
    else
        atomic_fetch_add(&kernel->allocated_B, bo->vk.size_B);
    return error;
}

int mali_bo_create(struct mali_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va, struct mali_bo **bo_out)
{
    struct mali_bo *bo = new_bo(kernel, size_B, flags);
    if (!bo)
        return -ENOMEM;
    struct drm_panthor_bo_create args = {
        .size = bo->va_size_B,
        .flags = (flags & MALI_BO_UNMAPPED ? DRM_PANTHOR_BO_NO_MMAP : 0) |
                 (flags & MALI_BO_CACHED ? DRM_PANTHOR_BO_WB_MMAP : 0),
        .exclusive_vm_id = flags & MALI_BO_PRIVATE ? kernel->vm : 0,
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_BO_CREATE, &args);
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
int mali_bo_import(struct mali_kernel *kernel, int fd, struct mali_bo **bo_out)
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
        *bo_out = mali_bo_ref((struct mali_bo *)(uintptr_t)*known);
    pthread_mutex_unlock(&kernel->lock);
    if (error || known)
        return error;
    struct mali_bo *bo = new_bo(kernel, size_B, 0);
    if (!bo) {
        close_handle(kernel, prime.handle);
        return -ENOMEM;
    }
    bo->handle = prime.handle;
    bo->is_shared = true;
    error = adopt(bo, 0);
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

int mali_bo_export(struct mali_bo *bo, int *fd_out)
{
    struct drm_prime_handle prime = {.handle = bo->handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
    int error = kernel_ioctl(bo->kernel->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    if (error)
        return error;
    *fd_out = prime.fd;
    bo->is_shared = true;
    return 0;
}

struct mali_bo *mali_bo_ref(struct mali_bo *bo)
{
    atomic_fetch_add(&bo->refs, 1);
    return bo;
}

void mali_bo_unref(struct mali_bo *bo)
{
    if (!bo)
        return;
    struct mali_kernel *kernel = bo->kernel;
    pthread_mutex_lock(&kernel->lock);
    if (atomic_fetch_sub(&bo->refs, 1) != 1) {
        pthread_mutex_unlock(&kernel->lock);
        return;
    }
    map64_remove(&kernel->bos, bo->handle);
    map64_trim(&kernel->bos);
    list_remove(&bo->link);
    if (bo->vk.map)
        kernel_munmap(kernel->file, bo->vk.map, bo->vk.size_B);
    give_address(bo);
    close_handle(kernel, bo->handle);
    pthread_mutex_unlock(&kernel->lock);
    atomic_fetch_sub(&kernel->allocated_B, bo->vk.size_B);
    free_bo(bo);
}

/* ---- the CPU's side ---- */

int mali_bo_map(struct mali_bo *bo, void **memory_out)
{
    int error = 0;
    pthread_mutex_lock(&bo->map_lock);
    if (!bo->vk.map) {
        struct drm_panthor_bo_mmap_offset args = {.handle = bo->handle};
        error = kernel_ioctl(bo->kernel->file, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &args);
        if (!error)
            error = kernel_mmap(bo->kernel->file, bo->vk.size_B, PROT_READ | PROT_WRITE, MAP_SHARED, args.offset,
                                &bo->vk.map);
    }
    *memory_out = bo->vk.map;
    pthread_mutex_unlock(&bo->map_lock);
    return error;
}

int mali_bo_sync(struct mali_bo *bo, uint64_t offset_B, uint64_t size_B, bool is_read)
{
    if (!(bo->flags & MALI_BO_CACHED))
        return 0;
    struct drm_panthor_bo_sync_op op = {
        .handle = bo->handle,
        .type = is_read ? DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE : DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH,
        .offset = offset_B,
        .size = size_B,
    };
    struct drm_panthor_bo_sync args = {.ops = {.stride = sizeof(op), .count = 1, .array = (uintptr_t)&op}};
    return kernel_ioctl(bo->kernel->file, DRM_IOCTL_PANTHOR_BO_SYNC, &args);
}
