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

static VkResult import_fd(struct radeon_device *device, struct vk_device_memory *memory, struct ws_bo **bo_out)
{
    struct ws_bo *bo;
    int error = amd_ws_bo_import(device->ws, memory->import_fd, &bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    struct radeon_image *image = radeon_image_from_handle(memory->dedicated_image);
    VkResult result = bo->vk.size_B < memory->size_B ? VK_ERROR_INVALID_EXTERNAL_HANDLE
                      : image                        ? radeon_image_import(device, image, bo)
                                                     : VK_SUCCESS;
    if (result != VK_SUCCESS) {
        amd_ws_bo_unref(bo);
        return result;
    }
    /* The fd is ours now that nothing can fail any more. */
    close(memory->import_fd);
    memory->import_fd = -1;
    *bo_out = bo;
    return VK_SUCCESS;
}

static VkResult import_host(struct radeon_device *device, const struct vk_device_memory *memory, struct ws_bo **bo_out)
{
    int error = amd_ws_bo_from_user(device->ws, memory->host_pointer, memory->size_B, bo_out);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return VK_SUCCESS;
}

static VkResult allocate(struct radeon_device *device, const struct vk_device_memory *memory, struct ws_bo **bo_out)
{
    const struct radeon_memory_type *type = &device->physical->memory_types[memory->type_index];
    uint32_t flags = type->bo_flags;
    if (memory->export_types & FD_TYPES)
        flags |= WS_BO_SHAREABLE;
    /* The largest block that any image wants; small allocations need no more than a page. */
    uint64_t align_B = memory->size_B >= 64 << 10 ? 256 << 10 : 4096;
    int error = amd_ws_bo_create(device->ws, align_u64(memory->size_B, 4096), align_B, type->domain, flags,
                                 memory->opaque_address, bo_out);
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
    struct vk_device_memory *memory = vk_device_memory_create(&device->vk, info, allocator, sizeof(*memory));
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct ws_bo *bo = NULL;
    VkResult result;
    if (memory->import_type & FD_TYPES) /* of whatever number: -1 is no buffer */
        result = import_fd(device, memory, &bo);
    else if (memory->host_pointer)
        result = import_host(device, memory, &bo);
    else
        result = allocate(device, memory, &bo);
    if (result != VK_SUCCESS) {
        vk_device_memory_destroy(&device->vk, allocator, memory);
        return result;
    }
    memory->bo = &bo->vk;
    *memory_out = vk_device_memory_to_handle(memory);
    return VK_SUCCESS;
}

/* ---- sharing ---- */

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info, int *fd_out)
{
    const struct vk_device_memory *memory = vk_device_memory_from_handle(info->memory);
    struct radeon_image *image = radeon_image_from_handle(memory->dedicated_image);
    if (image) {
        VkResult result = radeon_image_export(radeon_device_from_handle(handle), image, radeon_memory_bo(memory));
        if (result != VK_SUCCESS)
            return result;
    }
    int error = amd_ws_bo_export(radeon_memory_bo(memory), fd_out);
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
