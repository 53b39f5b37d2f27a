/* Buffers of panthor: the ioctls that vk_gem asks for. */
#include <errno.h>

#include "mali/driver/kernel.h"
#include "util/bits.h"

enum {
    PAGE_B = 4096,
    LARGE_B = 2 << 20, /* pages of the GPU's tables, where memory and address allow them */
};

static struct mali_bo *bo_of(struct vk_gem *gem)
{
    return container_of(gem, struct mali_bo, gem);
}

static void place_bo(struct mali_bo *bo, uint64_t size_B)
{
    bo->gem.vk.size_B = size_B;
    bo->gem.va_size_B = align_u64(size_B, PAGE_B);
    bo->gem.align_B = size_B >= LARGE_B ? LARGE_B : PAGE_B;
    bo->gem.range = &mali_kernel_of(bo->gem.owner)->va;
}

/* ---- what vk_gem asks for ---- */

static int describe_bo(struct vk_gem *gem, int fd)
{
    uint64_t size_B = 0;
    int error = kernel_dmabuf_size(gem->owner->file, fd, &size_B);
    place_bo(bo_of(gem), size_B);
    return error;
}

static int change_space(struct vk_gem *gem, uint32_t flags, uint32_t handle)
{
    struct drm_panthor_vm_bind_op op = {.flags = flags, .bo_handle = handle, .va = gem->vk.va, .size = gem->va_size_B};
    struct drm_panthor_vm_bind args = {.vm_id = mali_kernel_of(gem->owner)->vm,
                                       .ops = {.stride = sizeof(op), .count = 1, .array = (uintptr_t)&op}};
    return kernel_ioctl(gem->owner->file, DRM_IOCTL_PANTHOR_VM_BIND, &args);
}

static int bind_bo(struct vk_gem *gem)
{
    const bool is_code = bo_of(gem)->flags & MALI_BO_EXECUTABLE;
    return change_space(gem, DRM_PANTHOR_VM_BIND_OP_TYPE_MAP | (is_code ? 0 : DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC),
                        gem->handle);
}

static void unbind_bo(struct vk_gem *gem)
{
    change_space(gem, DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP, 0);
}

static int enter_bo(struct vk_gem *gem)
{
    struct mali_kernel *kernel = mali_kernel_of(gem->owner);
    list_push_back(&kernel->bos, &bo_of(gem)->link);
    for (; kernel; kernel = kernel->parent)
        atomic_fetch_add(&kernel->allocated_B, gem->vk.size_B);
    return 0;
}

static void remove_bo(struct vk_gem *gem)
{
    list_remove(&bo_of(gem)->link);
    for (struct mali_kernel *kernel = mali_kernel_of(gem->owner); kernel; kernel = kernel->parent)
        atomic_fetch_sub(&kernel->allocated_B, gem->vk.size_B);
}

static int map_offset(struct vk_gem *gem, uint64_t *offset_B_out)
{
    struct drm_panthor_bo_mmap_offset args = {.handle = gem->handle};
    int error = kernel_ioctl(gem->owner->file, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &args);
    *offset_B_out = args.offset;
    return error;
}

const struct vk_gem_ops mali_gem_ops = {
    .size_B = sizeof(struct mali_bo),
    .describe = describe_bo,
    .bind = bind_bo,
    .enter = enter_bo,
    .leave = remove_bo,
    .unbind = unbind_bo,
    .map_offset = map_offset,
};

/* ---- what the driver asks for ---- */

int mali_bo_create(struct mali_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va, struct mali_bo **bo_out)
{
    struct vk_gem *gem = vk_gem_new(&kernel->gems, size_B);
    if (!gem)
        return -ENOMEM;
    struct mali_bo *bo = bo_of(gem);
    place_bo(bo, size_B);
    bo->flags = flags;
    struct drm_panthor_bo_create args = {
        .size = gem->va_size_B,
        .flags = flags & MALI_BO_UNMAPPED ? DRM_PANTHOR_BO_NO_MMAP
                 : flags & MALI_BO_CACHED ? DRM_PANTHOR_BO_WB_MMAP
                                          : 0,
        .exclusive_vm_id = flags & MALI_BO_PRIVATE ? kernel->vm : 0,
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_BO_CREATE, &args);
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

int mali_bo_import(struct mali_kernel *kernel, int fd, struct mali_bo **bo_out)
{
    struct vk_gem *gem;
    int error = vk_gem_import(&kernel->gems, fd, &gem);
    if (!error)
        *bo_out = bo_of(gem);
    return error;
}

int mali_bo_sync(struct mali_kernel *kernel, const struct drm_panthor_bo_sync_op *ops, uint32_t count)
{
    struct drm_panthor_bo_sync args = {.ops = {.stride = sizeof(*ops), .count = count, .array = (uintptr_t)ops}};
    return kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_BO_SYNC, &args);
}
