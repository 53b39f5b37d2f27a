/* Buffers: memory of the kernel, with a place in the GPU's address space from birth to death. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amd/driver/ws.h"
#include "util/slab.h"

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static void close_handle(struct ws_device *device, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    kernel_ioctl(device->file, DRM_IOCTL_GEM_CLOSE, &args);
}

static int va_op(struct ws_bo *bo, uint32_t operation)
{
    struct drm_amdgpu_gem_va args = {
        .handle = bo->handle, .operation = operation, .va_address = bo->vk.va, .map_size = bo->va_size_B};
    args.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE;
    if (!(bo->flags & WS_BO_READ_ONLY))
        args.flags |= AMDGPU_VM_PAGE_WRITEABLE;
    return kernel_ioctl(bo->device->file, DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

/* Large buffers on large boundaries: the page tables then need fewer, larger entries. */
static uint64_t va_align_B(const struct ws_bo *bo, uint64_t align_B)
{
    uint64_t page_B = bo->device->info.device.virtual_address_alignment;
    uint64_t fragment_B = bo->device->info.device.pte_fragment_size;
    if (align_B < page_B)
        align_B = page_B;
    if (bo->vk.size_B >= fragment_B && fragment_B > align_B)
        align_B = fragment_B;
    return align_B;
}

static int take_address(struct ws_bo *bo, uint64_t align_B, uint64_t at_va)
{
    struct ws_device *device = bo->device;
    bool high = device->va[WS_VA_HIGH].end_va != device->va[WS_VA_HIGH].start_va;
    bo->range = bo->flags & WS_BO_VA_32 ? (high ? WS_VA_HIGH_32 : WS_VA_LOW_32) : (high ? WS_VA_HIGH : WS_VA_LOW);
    bo->va_size_B = round_up(bo->vk.size_B, device->info.device.virtual_address_alignment);
    if (at_va) {
        bo->vk.va = at_va;
        return vk_va_alloc_at(&device->va[bo->range], at_va, bo->va_size_B);
    }
    return vk_va_alloc(&device->va[bo->range], bo->va_size_B, va_align_B(bo, align_B), &bo->vk.va);
}

/* What follows once there is a handle: an address, a mapping, a place in the table. Closes the handle where that fails.
 */
static int adopt(struct ws_device *device, struct ws_bo *bo, uint64_t align_B, uint64_t at_va)
{
    int error = take_address(bo, align_B, at_va);
    if (error)
        goto fail;
    error = va_op(bo, AMDGPU_VA_OP_MAP);
    if (error)
        goto fail_address;
    pthread_mutex_lock(&device->lock);
    if (!map64_set(&device->bos, bo->handle, (uintptr_t)bo))
        error = -ENOMEM;
    if (!error && bo->is_shared) {
        list_push_back(&device->shared, &bo->shared_link);
        device->num_shared++;
    }
    pthread_mutex_unlock(&device->lock);
    if (!error) {
        atomic_fetch_add(bo->domain & AMDGPU_GEM_DOMAIN_VRAM ? &device->allocated_vram_B : &device->allocated_gtt_B,
                         bo->vk.size_B);
        return 0;
    }
    va_op(bo, AMDGPU_VA_OP_UNMAP);
fail_address:
    vk_va_free(&device->va[bo->range], bo->vk.va, bo->va_size_B);
fail:
    close_handle(device, bo->handle);
    return error;
}

static struct ws_bo *new_bo(struct ws_device *device, uint64_t size_B, uint32_t domain, uint32_t flags)
{
    struct ws_bo *bo = slab_zalloc(sizeof(*bo));
    if (!bo)
        return NULL;
    bo->device = device;
    bo->refs = 1;
    bo->vk.size_B = size_B;
    bo->domain = domain;
    bo->flags = flags;
    bo->is_shared = flags & WS_BO_SHAREABLE;
    pthread_mutex_init(&bo->map_lock, NULL);
    list_init(&bo->shared_link);
    return bo;
}

static void free_bo(struct ws_bo *bo)
{
    pthread_mutex_destroy(&bo->map_lock);
    slab_free(bo);
}

int amd_ws_bo_create(struct ws_device *device, uint64_t size_B, uint64_t align_B, uint32_t domain, uint32_t flags,
                     uint64_t at_va, struct ws_bo **bo_out)
{
    struct ws_bo *bo = new_bo(device, size_B, domain, flags);
    if (!bo)
        return -ENOMEM;
    union drm_amdgpu_gem_create args = {.in = {.bo_size = size_B, .alignment = align_B, .domains = domain}};
    if (flags & WS_BO_CPU_ACCESS)
        args.in.domain_flags |= AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED;
    else
        args.in.domain_flags |= AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
    if (flags & WS_BO_WRITE_COMBINED)
        args.in.domain_flags |= AMDGPU_GEM_CREATE_CPU_GTT_USWC;
    if (flags & WS_BO_ZEROED)
        args.in.domain_flags |= AMDGPU_GEM_CREATE_VRAM_CLEARED;
    /* A buffer of this process alone need not be named by submissions: the kernel keeps it resident with the address
     * space. */
    if (!(flags & WS_BO_SHAREABLE))
        args.in.domain_flags |= AMDGPU_GEM_CREATE_VM_ALWAYS_VALID;
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
    if (!error) {
        bo->handle = args.out.handle;
        error = adopt(device, bo, align_B, at_va);
    }
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

int amd_ws_bo_from_user(struct ws_device *device, void *memory, uint64_t size_B, struct ws_bo **bo_out)
{
    struct ws_bo *bo = new_bo(device, size_B, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS);
    if (!bo)
        return -ENOMEM;
    struct drm_amdgpu_gem_userptr args = {.addr = (uintptr_t)memory, .size = size_B};
    args.flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE;
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
    if (!error) {
        bo->handle = args.handle;
        bo->vk.map = memory;
        bo->is_user_memory = bo->is_shared = true; /* the kernel wants it named */
        error = adopt(device, bo, 4096, 0);
    }
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

/* The kernel gives the same handle for the same buffer: then it is the same object, and the handle is closed once. */
int amd_ws_bo_import(struct ws_device *device, int fd, struct ws_bo **bo_out)
{
    struct drm_prime_handle prime = {.fd = fd};
    /* The table is locked over both steps: between them a last unref must not close the handle we were just given. */
    pthread_mutex_lock(&device->lock);
    int error = kernel_ioctl(device->file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
    uint64_t *known = error ? NULL : map64_get(&device->bos, prime.handle);
    if (known)
        *bo_out = amd_ws_bo_ref((struct ws_bo *)(uintptr_t)*known);
    pthread_mutex_unlock(&device->lock);
    if (error || known)
        return error;

    struct drm_amdgpu_gem_create_in info;
    struct drm_amdgpu_gem_op op = {
        .handle = prime.handle, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = (uintptr_t)&info};
    struct ws_bo *bo = NULL;
    error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_OP, &op);
    if (!error) {
        uint32_t flags = WS_BO_SHAREABLE | (info.domain_flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS ? 0 : WS_BO_CPU_ACCESS);
        bo = new_bo(device, info.bo_size, (uint32_t)info.domains, flags);
        error = bo ? 0 : -ENOMEM;
    }
    if (error) {
        close_handle(device, prime.handle);
        return error;
    }
    bo->handle = prime.handle;
    error = adopt(device, bo, info.alignment, 0);
    if (error) {
        free_bo(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

int amd_ws_bo_export(struct ws_bo *bo, int *fd_out)
{
    struct drm_prime_handle prime = {.handle = bo->handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
    int error = kernel_ioctl(bo->device->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    if (!error)
        *fd_out = prime.fd;
    return error;
}

struct ws_bo *amd_ws_bo_ref(struct ws_bo *bo)
{
    atomic_fetch_add(&bo->refs, 1);
    return bo;
}

void amd_ws_bo_unref(struct ws_bo *bo)
{
    if (!bo)
        return;
    struct ws_device *device = bo->device;
    pthread_mutex_lock(&device->lock);
    if (atomic_fetch_sub(&bo->refs, 1) != 1) {
        pthread_mutex_unlock(&device->lock);
        return;
    }
    map64_remove(&device->bos, bo->handle);
    map64_trim(&device->bos);
    if (!list_is_empty(&bo->shared_link)) {
        list_remove(&bo->shared_link);
        device->num_shared--;
    }
    if (bo->vk.map && !bo->is_user_memory)
        kernel_munmap(device->file, bo->vk.map, bo->vk.size_B);
    va_op(bo, AMDGPU_VA_OP_UNMAP);
    close_handle(device, bo->handle);
    pthread_mutex_unlock(&device->lock);
    vk_va_free(&device->va[bo->range], bo->vk.va, bo->va_size_B);
    atomic_fetch_sub(bo->domain & AMDGPU_GEM_DOMAIN_VRAM ? &device->allocated_vram_B : &device->allocated_gtt_B,
                     bo->vk.size_B);
    free_bo(bo);
}

void amd_ws_bo_set_named(struct ws_bo *bo, bool named)
{
    struct ws_device *device = bo->device;
    pthread_mutex_lock(&device->lock);
    if (named && bo->is_shared && list_is_empty(&bo->shared_link)) {
        list_push_back(&device->shared, &bo->shared_link);
        device->num_shared++;
    } else if (!named && !list_is_empty(&bo->shared_link)) {
        list_remove(&bo->shared_link);
        device->num_shared--;
    }
    pthread_mutex_unlock(&device->lock);
}

int amd_ws_bo_map(struct ws_bo *bo, void **memory_out)
{
    int error = 0;
    pthread_mutex_lock(&bo->map_lock);
    if (!bo->vk.map) {
        union drm_amdgpu_gem_mmap args = {.in = {.handle = bo->handle}};
        error = kernel_ioctl(bo->device->file, DRM_IOCTL_AMDGPU_GEM_MMAP, &args);
        if (!error)
            error = kernel_mmap(bo->device->file, bo->vk.size_B, PROT_READ | PROT_WRITE, MAP_SHARED, args.out.addr_ptr,
                                &bo->vk.map);
    }
    *memory_out = bo->vk.map;
    pthread_mutex_unlock(&bo->map_lock);
    return error;
}

int amd_ws_bo_set_metadata(struct ws_bo *bo, const struct drm_amdgpu_gem_metadata *metadata)
{
    struct drm_amdgpu_gem_metadata args = *metadata;
    args.handle = bo->handle;
    args.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
    return kernel_ioctl(bo->device->file, DRM_IOCTL_AMDGPU_GEM_METADATA, &args);
}

int amd_ws_bo_get_metadata(struct ws_bo *bo, struct drm_amdgpu_gem_metadata *metadata_out)
{
    memset(metadata_out, 0, sizeof(*metadata_out));
    metadata_out->handle = bo->handle;
    metadata_out->op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
    return kernel_ioctl(bo->device->file, DRM_IOCTL_AMDGPU_GEM_METADATA, metadata_out);
}
