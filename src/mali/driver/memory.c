/* Buffer objects of the kernel: memory of the driver's own and of VkDeviceMemory. */
#include "mali/driver/memory.h"

#include <errno.h>

#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- of the driver's own ---- */

VkResult mali_mapped_bo_create(struct mali_device *device, uint64_t size_B, uint32_t flags, struct mali_bo **bo_out)
{
    struct mali_bo *bo;
    void *map;
    if (mali_bo_create(device->kernel, size_B, flags | MALI_BO_PRIVATE, 0, &bo) != 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (mali_bo_map(bo, &map) != 0) {
        mali_bo_unref(bo);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *bo_out = bo;
    return VK_SUCCESS;
}

static struct vk_bo *create_mapped(struct vk_device *device, uint32_t size_B, uint32_t flags)
{
    struct mali_bo *bo;
    return mali_mapped_bo_create(mali_device_of(device), size_B, flags, &bo) == VK_SUCCESS ? &bo->vk : NULL;
}

struct vk_bo *mali_vk_bo_create(struct vk_device *device, uint32_t size_B)
{
    return create_mapped(device, size_B, 0);
}

struct vk_bo *mali_vk_bo_create_code(struct vk_device *device, uint32_t size_B)
{
    return create_mapped(device, size_B, MALI_BO_EXECUTABLE);
}

void mali_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo)
{
    mali_bo_unref((struct mali_bo *)bo);
}

static void *map_bo(struct vk_device *device, struct vk_bo *bo)
{
    void *map;
    return mali_bo_map((struct mali_bo *)bo, &map) == 0 ? map : NULL;
}

static int import_fd(struct vk_device *device, int fd, struct vk_bo **bo_out)
{
    struct mali_bo *bo;
    int error = mali_bo_import(mali_device_of(device)->kernel, fd, &bo);
    if (!error)
        *bo_out = &bo->vk;
    return error;
}

static int export_fd(struct vk_device *device, struct vk_bo *bo, int *fd_out)
{
    return mali_bo_export((struct mali_bo *)bo, fd_out);
}

/* Memory that never leaves the process is bound to its address space: the kernel need not look at each such buffer
 * when work is submitted. */
static VkResult allocate_memory(struct vk_device *base, const struct vk_device_memory *memory, struct vk_bo **bo_out)
{
    struct mali_device *device = mali_device_of(base);
    const uint32_t flags =
        device->physical->bo_flags[memory->type_index] | (memory->export_types ? 0 : MALI_BO_PRIVATE);
    struct mali_bo *bo;
    int error = mali_bo_create(device->kernel, align_u64(memory->size_B, 4096), flags, memory->opaque_address, &bo);
    if (error)
        return error == -ENOMEM || error == -EBUSY ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    *bo_out = &bo->vk;
    return VK_SUCCESS;
}

const struct vk_bo_ops mali_bo_ops = {.create = mali_vk_bo_create,
                                      .destroy = mali_vk_bo_destroy,
                                      .map = map_bo,
                                      .allocate = allocate_memory,
                                      .import_fd = import_fd,
                                      .export_fd = export_fd};

/* ---- cached mappings ---- */

static VkResult sync_ranges(struct mali_device *device, uint32_t count, const VkMappedMemoryRange *ranges,
                            enum drm_panthor_bo_sync_op_type type)
{
    enum {
        AT_ONCE = 16
    };
    struct drm_panthor_bo_sync_op ops[AT_ONCE];
    uint32_t pending = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_device_memory *memory = vk_device_memory_from_handle(ranges[i].memory);
        const struct mali_bo *bo = mali_memory_bo(memory);
        const uint64_t rest_B = bo->vk.size_B - ranges[i].offset;
        if (!(bo->flags & MALI_BO_CACHED))
            continue;
        ops[pending++] = (struct drm_panthor_bo_sync_op){
            .handle = bo->gem.handle, .type = type, .offset = ranges[i].offset, .size = MIN2(ranges[i].size, rest_B)};
        if (pending < AT_ONCE)
            continue;
        if (mali_bo_sync(device->kernel, ops, pending) != 0)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        pending = 0;
    }
    return pending && mali_bo_sync(device->kernel, ops, pending) != 0 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL mali_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                            const VkMappedMemoryRange *ranges)
{
    return sync_ranges(mali_device_from_handle(handle), count, ranges, DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH);
}

VKAPI_ATTR VkResult VKAPI_CALL mali_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                 const VkMappedMemoryRange *ranges)
{
    return sync_ranges(mali_device_from_handle(handle), count, ranges,
                       DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE);
}
