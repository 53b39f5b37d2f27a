/* VkDeviceMemory: a buffer object of the kernel each; memory of the driver's own; what buffers ask of memory. */
#include "mali/driver/memory.h"

#include <errno.h>
#include <unistd.h>

#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_struct.h"

#define FD_TYPES (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)

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

const struct vk_bo_ops mali_bo_ops = {.create = mali_vk_bo_create, .destroy = mali_vk_bo_destroy, .map = map_bo};

/* ---- VkDeviceMemory ---- */

static VkResult import_memory(struct mali_device *device, struct vk_device_memory *memory, struct mali_bo **bo_out)
{
    int error = mali_bo_import(device->kernel, memory->import_fd, bo_out);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if ((*bo_out)->vk.size_B < memory->size_B) {
        mali_bo_unref(*bo_out);
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    /* The fd is ours now that nothing can fail any more. */
    close(memory->import_fd);
    memory->import_fd = -1;
    return VK_SUCCESS;
}

/* What never leaves the process is bound to its address space: the kernel need not look at each such buffer when work
 * is submitted. */
static VkResult allocate(struct mali_device *device, const struct vk_device_memory *memory, struct mali_bo **bo_out)
{
    const uint32_t flags =
        device->physical->bo_flags[memory->type_index] | (memory->export_types ? 0 : MALI_BO_PRIVATE);
    int error = mali_bo_create(device->kernel, align_u64(memory->size_B, 4096), flags, memory->opaque_address, bo_out);
    return error == -ENOMEM || error == -EBUSY || error == -ENOSPC ? VK_ERROR_OUT_OF_DEVICE_MEMORY : mali_result(error);
}

VKAPI_ATTR VkResult VKAPI_CALL mali_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkDeviceMemory *memory_out)
{
    struct mali_device *device = mali_device_from_handle(handle);
    const VkPhysicalDeviceMemoryProperties *types = &device->physical->memory;
    const VkMemoryHeap *heap = &types->memoryHeaps[types->memoryTypes[info->memoryTypeIndex].heapIndex];
    if (info->allocationSize > heap->size || info->allocationSize > MALI_MAX_ALLOCATION_B)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct vk_device_memory *memory = vk_device_memory_create(&device->vk, info, allocator, sizeof(*memory));
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct mali_bo *bo = NULL;
    VkResult result =
        memory->import_type & FD_TYPES ? import_memory(device, memory, &bo) : allocate(device, memory, &bo);
    if (result != VK_SUCCESS) {
        vk_device_memory_destroy(&device->vk, allocator, memory);
        return result;
    }
    memory->bo = &bo->vk;
    *memory_out = vk_device_memory_to_handle(memory);
    return VK_SUCCESS;
}

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

/* ---- sharing ---- */

VKAPI_ATTR VkResult VKAPI_CALL mali_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info, int *fd_out)
{
    int error = mali_bo_export(mali_memory_bo(vk_device_memory_from_handle(info->memory)), fd_out);
    return error == -EMFILE || error == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : mali_result(error);
}

VKAPI_ATTR VkResult VKAPI_CALL mali_GetMemoryFdPropertiesKHR(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                                             int fd, VkMemoryFdPropertiesKHR *properties)
{
    struct mali_device *device = mali_device_from_handle(handle);
    struct mali_bo *bo;
    if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT || mali_bo_import(device->kernel, fd, &bo) != 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    properties->memoryTypeBits = (1u << device->physical->memory.memoryTypeCount) - 1;
    mali_bo_unref(bo);
    return VK_SUCCESS;
}

/* ---- buffers ---- */

VKAPI_ATTR void VKAPI_CALL mali_GetDeviceBufferMemoryRequirements(VkDevice handle,
                                                                  const VkDeviceBufferMemoryRequirements *info,
                                                                  VkMemoryRequirements2 *requirements)
{
    const struct mali_device *device = mali_device_from_handle(handle);
    requirements->memoryRequirements = (VkMemoryRequirements){
        .size = align_u64(info->pCreateInfo->size, MALI_BUFFER_MEMORY_ALIGN_B),
        .alignment = MALI_BUFFER_MEMORY_ALIGN_B,
        .memoryTypeBits = (1u << device->physical->memory.memoryTypeCount) - 1,
    };
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = false;
}

VKAPI_ATTR void VKAPI_CALL mali_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *properties)
{
    VkExternalMemoryProperties *out = &properties->externalMemoryProperties;
    *out = (VkExternalMemoryProperties){.compatibleHandleTypes = info->handleType};
    if (info->handleType & FD_TYPES) {
        out->externalMemoryFeatures =
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        out->exportFromImportedHandleTypes = out->compatibleHandleTypes = FD_TYPES;
    }
}
