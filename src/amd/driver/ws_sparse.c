/* Ranges of addresses without memory of their own, into which parts of buffers are mapped. */
#include "amd/driver/ws.h"
#include "util/bits.h"

static struct vk_va *range_of(struct ws_device *device, uint64_t va)
{
    for (unsigned i = 0; i < WS_VA_COUNT; i++) {
        if (va >= device->va[i].start_va && va < device->va[i].end_va)
            return &device->va[i];
    }
    return &device->va[WS_VA_LOW];
}

static int va_op(struct ws_device *device, struct drm_amdgpu_gem_va args)
{
    return kernel_ioctl(device->file, DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

/* Reads give zero and writes are lost, instead of a fault. */
static int map_nothing(struct ws_device *device, uint64_t va, uint64_t size_B)
{
    return va_op(device, (struct drm_amdgpu_gem_va){.operation = AMDGPU_VA_OP_REPLACE,
                                                    .flags = AMDGPU_VM_PAGE_PRT,
                                                    .va_address = va,
                                                    .map_size = size_B});
}

int amd_ws_sparse_reserve(struct ws_device *device, uint64_t size_B, uint64_t at_va, bool in_32, uint64_t *va_out)
{
    struct vk_va *range = at_va ? range_of(device, at_va) : &device->va[amd_ws_va_range(device, in_32)];
    int error = at_va ? vk_va_alloc_at(range, at_va, size_B) : vk_va_alloc(range, size_B, WS_SPARSE_BLOCK_B, va_out);
    if (error)
        return error;
    if (at_va)
        *va_out = at_va;
    error = map_nothing(device, *va_out, size_B);
    if (error)
        vk_va_free(range, *va_out, size_B);
    return error;
}

void amd_ws_sparse_release(struct ws_device *device, uint64_t va, uint64_t size_B)
{
    va_op(device, (struct drm_amdgpu_gem_va){.operation = AMDGPU_VA_OP_CLEAR, .va_address = va, .map_size = size_B});
    vk_va_free(range_of(device, va), va, size_B);
}

int amd_ws_sparse_bind(struct ws_device *device, uint64_t va, uint64_t size_B, const struct ws_bo *bo,
                       uint64_t offset_B)
{
    if (!bo)
        return map_nothing(device, va, size_B);
    /* The last block of a resource may be larger than what is left of the memory. */
    const uint64_t left_B = align_u64(bo->vk.size_B, 4096) - offset_B;
    return va_op(device, (struct drm_amdgpu_gem_va){.handle = bo->gem.handle,
                                                    .operation = AMDGPU_VA_OP_REPLACE,
                                                    .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                                                             AMDGPU_VM_PAGE_EXECUTABLE,
                                                    .va_address = va,
                                                    .offset_in_bo = offset_B,
                                                    .map_size = MIN2(size_B, left_B)});
}
