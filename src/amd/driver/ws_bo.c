/* Buffers of amdgpu: the ioctls that vk_gem asks for, and the list that submissions name. */
#include <errno.h>
#include <string.h>

#include "amd/driver/ws.h"
#include "util/bits.h"

static struct ws_device *device_of(const struct vk_gem *gem)
{
    return container_of(gem->owner, struct ws_device, gems);
}

static struct ws_bo *bo_of(struct vk_gem *gem)
{
    return container_of(gem, struct ws_bo, gem);
}

/* ---- what vk_gem asks for ---- */

static int va_op(struct vk_gem *gem, uint32_t operation)
{
    struct drm_amdgpu_gem_va args = {
        .handle = gem->handle, .operation = operation, .va_address = gem->vk.va, .map_size = gem->va_size_B};
    args.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE;
    if (!(bo_of(gem)->flags & WS_BO_READ_ONLY))
        args.flags |= AMDGPU_VM_PAGE_WRITEABLE;
    return kernel_ioctl(gem->owner->file, DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

static int bind_bo(struct vk_gem *gem)
{
    return va_op(gem, AMDGPU_VA_OP_MAP);
}

static void unbind_bo(struct vk_gem *gem)
{
    va_op(gem, AMDGPU_VA_OP_UNMAP);
}

enum ws_va_range amd_ws_va_range(const struct ws_device *device, bool in_32)
{
    bool high = device->va[WS_VA_HIGH].end_va != device->va[WS_VA_HIGH].start_va;
    return in_32 ? (high ? WS_VA_HIGH_32 : WS_VA_LOW_32) : (high ? WS_VA_HIGH : WS_VA_LOW);
}

/* Where it belongs. Large buffers lie on large boundaries: the page tables then need fewer, larger entries. */
static void place_bo(struct ws_bo *bo, uint64_t align_B)
{
    struct ws_device *device = device_of(&bo->gem);
    const uint64_t page_B = device->info.device.virtual_address_alignment;
    const uint64_t fragment_B = device->info.device.pte_fragment_size;
    bo->gem.range = &device->va[amd_ws_va_range(device, bo->flags & WS_BO_VA_32)];
    bo->gem.va_size_B = align_u64(bo->vk.size_B, page_B);
    bo->gem.align_B = MAX2(align_B, page_B);
    if (bo->vk.size_B >= fragment_B && fragment_B > bo->gem.align_B)
        bo->gem.align_B = fragment_B;
}

static int describe_bo(struct vk_gem *gem, int fd)
{
    (void)fd;
    struct ws_bo *bo = bo_of(gem);
    struct drm_amdgpu_gem_create_in info;
    struct drm_amdgpu_gem_op op = {
        .handle = gem->handle, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = (uintptr_t)&info};
    int error = kernel_ioctl(gem->owner->file, DRM_IOCTL_AMDGPU_GEM_OP, &op);
    if (error)
        return error;
    gem->vk.size_B = info.bo_size;
    bo->domain = (uint32_t)info.domains;
    bo->flags = WS_BO_SHAREABLE | (info.domain_flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS ? 0 : WS_BO_CPU_ACCESS);
    list_init(&bo->shared_link);
    place_bo(bo, info.alignment);
    return 0;
}

static _Atomic uint64_t *allocated_B(struct ws_bo *bo)
{
    struct ws_device *device = device_of(&bo->gem);
    return bo->domain & AMDGPU_GEM_DOMAIN_VRAM ? &device->allocated_vram_B : &device->allocated_gtt_B;
}

static int enter_bo(struct vk_gem *gem)
{
    struct ws_device *device = device_of(gem);
    if (gem->is_shared) {
        list_push_back(&device->shared, &bo_of(gem)->shared_link);
        device->num_shared++;
    }
    atomic_fetch_add(allocated_B(bo_of(gem)), gem->vk.size_B);
    return 0;
}

static void remove_bo(struct vk_gem *gem)
{
    struct ws_bo *bo = bo_of(gem);
    if (!list_is_empty(&bo->shared_link)) {
        list_remove(&bo->shared_link);
        device_of(gem)->num_shared--;
    }
    atomic_fetch_sub(allocated_B(bo), gem->vk.size_B);
}

static int map_offset(struct vk_gem *gem, uint64_t *offset_B_out)
{
    union drm_amdgpu_gem_mmap args = {.in = {.handle = gem->handle}};
    int error = kernel_ioctl(gem->owner->file, DRM_IOCTL_AMDGPU_GEM_MMAP, &args);
    *offset_B_out = args.out.addr_ptr;
    return error;
}

const struct vk_gem_ops amd_ws_gem_ops = {
    .size_B = sizeof(struct ws_bo),
    .describe = describe_bo,
    .bind = bind_bo,
    .enter = enter_bo,
    .leave = remove_bo,
    .unbind = unbind_bo,
    .map_offset = map_offset,
};

/* ---- what the driver asks for ---- */

static struct ws_bo *new_bo(struct ws_device *device, uint64_t size_B, uint32_t domain, uint32_t flags)
{
    struct vk_gem *gem = vk_gem_new(&device->gems, size_B);
    if (!gem)
        return NULL;
    struct ws_bo *bo = bo_of(gem);
    bo->domain = domain;
    bo->flags = flags;
    gem->is_shared = flags & WS_BO_SHAREABLE;
    list_init(&bo->shared_link);
    return bo;
}

static uint64_t creation_flags(uint32_t flags)
{
    uint64_t bits = flags & WS_BO_CPU_ACCESS ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED : AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
    if (flags & WS_BO_WRITE_COMBINED)
        bits |= AMDGPU_GEM_CREATE_CPU_GTT_USWC;
    if (flags & WS_BO_ZEROED)
        bits |= AMDGPU_GEM_CREATE_VRAM_CLEARED;
    /* A buffer of this process alone need not be named by submissions: the kernel keeps it resident with the address
     * space. */
    if (!(flags & WS_BO_SHAREABLE))
        bits |= AMDGPU_GEM_CREATE_VM_ALWAYS_VALID;
    return bits;
}

int amd_ws_bo_create(struct ws_device *device, uint64_t size_B, uint64_t align_B, uint32_t domain, uint32_t flags,
                     uint64_t at_va, struct ws_bo **bo_out)
{
    struct ws_bo *bo = new_bo(device, size_B, domain, flags);
    if (!bo)
        return -ENOMEM;
    union drm_amdgpu_gem_create args = {.in = {.bo_size = size_B, .alignment = align_B, .domains = domain}};
    args.in.domain_flags = creation_flags(flags);
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
    if (error) {
        vk_gem_free(&bo->gem);
        return error;
    }
    bo->gem.handle = args.out.handle;
    place_bo(bo, align_B);
    error = vk_gem_adopt(&bo->gem, at_va);
    if (!error)
        *bo_out = bo;
    return error;
}

int amd_ws_bo_from_user(struct ws_device *device, void *memory, uint64_t size_B, struct ws_bo **bo_out)
{
    struct ws_bo *bo = new_bo(device, size_B, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS);
    if (!bo)
        return -ENOMEM;
    struct drm_amdgpu_gem_userptr args = {.addr = (uintptr_t)memory, .size = size_B};
    args.flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE;
    int error = kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args);
    if (error) {
        vk_gem_free(&bo->gem);
        return error;
    }
    bo->gem.handle = args.handle;
    bo->vk.map = memory;
    bo->gem.is_user_memory = bo->gem.is_shared = true; /* the kernel wants it named */
    place_bo(bo, 4096);
    error = vk_gem_adopt(&bo->gem, 0);
    if (!error)
        *bo_out = bo;
    return error;
}

int amd_ws_bo_import(struct ws_device *device, int fd, struct ws_bo **bo_out)
{
    struct vk_gem *gem;
    int error = vk_gem_import(&device->gems, fd, &gem);
    if (!error)
        *bo_out = bo_of(gem);
    return error;
}

int amd_ws_bo_export(struct ws_bo *bo, int *fd_out)
{
    return vk_gem_export(&bo->gem, fd_out);
}

void amd_ws_bo_unref(struct ws_bo *bo)
{
    vk_gem_unref(bo ? &bo->gem : NULL);
}

int amd_ws_bo_map(struct ws_bo *bo, void **memory_out)
{
    return vk_gem_map(&bo->gem, memory_out);
}

void amd_ws_bo_set_named(struct ws_bo *bo, bool named)
{
    struct ws_device *device = device_of(&bo->gem);
    pthread_mutex_lock(&device->gems.lock);
    if (named && bo->gem.is_shared && list_is_empty(&bo->shared_link)) {
        list_push_back(&device->shared, &bo->shared_link);
        device->num_shared++;
    } else if (!named && !list_is_empty(&bo->shared_link)) {
        list_remove(&bo->shared_link);
        device->num_shared--;
    }
    pthread_mutex_unlock(&device->gems.lock);
}

int amd_ws_bo_set_metadata(struct ws_bo *bo, const struct drm_amdgpu_gem_metadata *metadata)
{
    struct drm_amdgpu_gem_metadata args = *metadata;
    args.handle = bo->gem.handle;
    args.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
    return kernel_ioctl(bo->gem.owner->file, DRM_IOCTL_AMDGPU_GEM_METADATA, &args);
}

int amd_ws_bo_get_metadata(struct ws_bo *bo, struct drm_amdgpu_gem_metadata *metadata_out)
{
    memset(metadata_out, 0, sizeof(*metadata_out));
    metadata_out->handle = bo->gem.handle;
    metadata_out->op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
    return kernel_ioctl(bo->gem.owner->file, DRM_IOCTL_AMDGPU_GEM_METADATA, metadata_out);
}
