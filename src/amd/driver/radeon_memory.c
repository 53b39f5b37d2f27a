/* VkDeviceMemory: a buffer object of the kernel each. */
#include "amd/driver/radeon_memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_struct.h"

#define FD_TYPES (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)

static VkResult import_fd(struct radeon_device *device, struct radeon_device_memory *memory)
{
    int error = amd_ws_bo_import(device->ws, memory->vk.import_fd, &memory->bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if (memory->bo->size_B < memory->vk.size_B) {
        amd_ws_bo_unref(memory->bo);
        memory->bo = NULL;
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    struct radeon_image *image = radeon_image_from_handle(memory->vk.dedicated_image);
    VkResult result = image ? radeon_image_import(device, image, memory->bo) : VK_SUCCESS;
    if (result != VK_SUCCESS) {
        amd_ws_bo_unref(memory->bo);
        memory->bo = NULL;
        return result;
    }
    /* The fd is ours now that nothing can fail any more. */
    close(memory->vk.import_fd);
    memory->vk.import_fd = -1;
    return VK_SUCCESS;
}

static VkResult import_host(struct radeon_device *device, struct radeon_device_memory *memory)
{
    int error = amd_ws_bo_from_user(device->ws, memory->vk.host_pointer, memory->vk.size_B, &memory->bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return VK_SUCCESS;
}

static VkResult allocate(struct radeon_device *device, struct radeon_device_memory *memory)
{
    const struct radeon_memory_type *type = &device->physical->memory_types[memory->vk.type_index];
    uint32_t flags = type->bo_flags;
    if (memory->vk.export_types & FD_TYPES)
        flags |= WS_BO_SHAREABLE;
    /* The largest block that any image wants; small allocations need no more than a page. */
    uint64_t align_B = memory->vk.size_B >= 64 << 10 ? 256 << 10 : 4096;
    int error = amd_ws_bo_create(device->ws, align_u64(memory->vk.size_B, 4096), align_B, type->domain, flags,
                                 memory->vk.opaque_address, &memory->bo);
    return error == -ENOMEM || error == -EBUSY ? VK_ERROR_OUT_OF_DEVICE_MEMORY : radeon_result(error);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkDeviceMemory *memory_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    const VkPhysicalDeviceMemoryProperties *types = &device->physical->memory;
    const VkMemoryHeap *heap = &types->memoryHeaps[types->memoryTypes[info->memoryTypeIndex].heapIndex];
    if (info->allocationSize > heap->size || info->allocationSize > UINT32_MAX)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct radeon_device_memory *memory = vk_device_memory_create(&device->vk, info, allocator, sizeof(*memory));
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memory->heap_index = types->memoryTypes[info->memoryTypeIndex].heapIndex;
    VkResult result;
    if (memory->vk.import_fd >= 0)
        result = import_fd(device, memory);
    else if (memory->vk.host_pointer)
        result = import_host(device, memory);
    else
        result = allocate(device, memory);
    if (result != VK_SUCCESS) {
        vk_device_memory_destroy(&device->vk, allocator, &memory->vk);
        return result;
    }
    *memory_out = radeon_device_memory_to_handle(memory);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_FreeMemory(VkDevice handle, VkDeviceMemory memory_handle,
                                             const VkAllocationCallbacks *allocator)
{
    struct radeon_device_memory *memory = radeon_device_memory_from_handle(memory_handle);
    if (!memory)
        return;
    amd_ws_bo_unref(memory->bo);
    vk_device_memory_destroy(vk_device_from_handle(handle), allocator, &memory->vk);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_MapMemory(VkDevice handle, VkDeviceMemory memory_handle, VkDeviceSize offset_B,
                                                VkDeviceSize size_B, VkMemoryMapFlags flags, void **data_out)
{
    struct radeon_device_memory *memory = radeon_device_memory_from_handle(memory_handle);
    void *map = memory->vk.host_pointer;
    if (!map && amd_ws_bo_map(memory->bo, &map) != 0)
        return VK_ERROR_MEMORY_MAP_FAILED;
    memory->map = map;
    *data_out = (uint8_t *)map + offset_B;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_UnmapMemory(VkDevice handle, VkDeviceMemory memory_handle)
{
    radeon_device_memory_from_handle(memory_handle)->map = NULL;
}

/* All visible memory is coherent. */
VKAPI_ATTR VkResult VKAPI_CALL radeon_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                              const VkMappedMemoryRange *ranges)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                   const VkMappedMemoryRange *ranges)
{
    return VK_SUCCESS;
}

VKAPI_ATTR uint64_t VKAPI_CALL
radeon_GetDeviceMemoryOpaqueCaptureAddress(VkDevice handle, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
    return radeon_device_memory_from_handle(info->memory)->bo->va;
}

/* ---- sharing ---- */

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info, int *fd_out)
{
    struct radeon_device_memory *memory = radeon_device_memory_from_handle(info->memory);
    struct radeon_image *image = radeon_image_from_handle(memory->vk.dedicated_image);
    if (image) {
        VkResult result = radeon_image_export(radeon_device_from_handle(handle), image, memory->bo);
        if (result != VK_SUCCESS)
            return result;
    }
    int error = amd_ws_bo_export(memory->bo, fd_out);
    return error == -EMFILE || error == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : radeon_result(error);
}

static uint32_t types_of_bo(const struct radeon_physical_device *physical, const struct ws_bo *bo)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < physical->memory.memoryTypeCount; i++) {
        if (physical->memory_types[i].domain & bo->domain)
            bits |= 1u << i;
    }
    return bits;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetMemoryFdPropertiesKHR(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                                               int fd, VkMemoryFdPropertiesKHR *properties)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct ws_bo *bo;
    if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT || amd_ws_bo_import(device->ws, fd, &bo) != 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    properties->memoryTypeBits = types_of_bo(device->physical, bo);
    amd_ws_bo_unref(bo);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetMemoryHostPointerPropertiesEXT(VkDevice handle,
                                                                        VkExternalMemoryHandleTypeFlagBits type,
                                                                        const void *pointer,
                                                                        VkMemoryHostPointerPropertiesEXT *properties)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    /* The application's pages are cached memory of the system. */
    properties->memoryTypeBits = 0;
    for (uint32_t i = 0; i < device->physical->memory.memoryTypeCount; i++) {
        const struct radeon_memory_type *memory_type = &device->physical->memory_types[i];
        if (memory_type->domain == AMDGPU_GEM_DOMAIN_GTT && !(memory_type->bo_flags & WS_BO_WRITE_COMBINED))
            properties->memoryTypeBits |= 1u << i;
    }
    return VK_SUCCESS;
}
