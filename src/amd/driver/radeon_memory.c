/* VkDeviceMemory: a buffer object of the kernel each. */
#include "amd/driver/radeon_memory.h"

#include <errno.h>

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

static VkResult import_host(struct radeon_device *device, const struct vk_device_memory *memory, struct ws_bo **bo_out)
{
    int error = amd_ws_bo_from_user(device->ws, memory->host_pointer, memory->size_B, bo_out);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return VK_SUCCESS;
}

static VkResult create_bo(struct radeon_device *device, const struct vk_device_memory *memory, struct ws_bo **bo_out)
{
    const struct radeon_memory_type *type = &device->physical->memory_types[memory->type_index];
    /* The largest block that any image wants; small allocations need no more than a page. */
    uint64_t align_B = memory->size_B >= 64 << 10 ? 256 << 10 : 4096;
    int error =
        amd_ws_bo_create(device->ws, align_u64(memory->size_B, 4096), align_B, type->domain,
                         type->bo_flags | (memory->export_types ? WS_BO_SHAREABLE : 0), memory->opaque_address, bo_out);
    return error == -ENOMEM || error == -EBUSY ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
}

static VkResult allocate_memory(struct vk_device *base, const struct vk_device_memory *memory, struct vk_bo **bo_out)
{
    struct radeon_device *device = radeon_device_of(base);
    struct ws_bo *bo = NULL;
    VkResult result = memory->host_pointer ? import_host(device, memory, &bo) : create_bo(device, memory, &bo);
    if (result == VK_SUCCESS)
        *bo_out = &bo->vk;
    return result;
}

/* ---- sharing ---- */

static int import_fd(struct vk_device *device, int fd, struct vk_bo **bo_out)
{
    struct ws_bo *bo;
    int error = amd_ws_bo_import(radeon_device_of(device)->ws, fd, &bo);
    if (!error)
        *bo_out = &bo->vk;
    return error;
}

static int export_fd(struct vk_device *device, struct vk_bo *bo, int *fd_out)
{
    return amd_ws_bo_export((struct ws_bo *)bo, fd_out);
}

static VkResult image_imported(struct vk_device *device, VkImage image, struct vk_bo *bo)
{
    return radeon_image_import(radeon_device_of(device), radeon_image_from_handle(image), (struct ws_bo *)bo);
}

static VkResult image_exported(struct vk_device *device, VkImage image, struct vk_bo *bo)
{
    return radeon_image_export(radeon_device_of(device), radeon_image_from_handle(image), (struct ws_bo *)bo);
}

static uint32_t types_of(struct vk_device *device, const struct vk_bo *bo)
{
    const struct radeon_physical_device *physical = radeon_device_of(device)->physical;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < physical->vk.memory.memoryTypeCount; i++) {
        if (physical->vk.plain_types >> i & 1 && physical->memory_types[i].domain & ((const struct ws_bo *)bo)->domain)
            bits |= 1u << i;
    }
    return bits;
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
    for (uint32_t i = 0; i < device->physical->vk.memory.memoryTypeCount; i++) {
        const struct radeon_memory_type *memory_type = &device->physical->memory_types[i];
        if (device->physical->vk.plain_types >> i & 1 && memory_type->domain == AMDGPU_GEM_DOMAIN_GTT &&
            !(memory_type->bo_flags & WS_BO_WRITE_COMBINED))
            properties->memoryTypeBits |= 1u << i;
    }
    return VK_SUCCESS;
}

/* ---- what the runtime asks for ---- */

static struct vk_bo *create_plain(struct vk_device *device, uint32_t size_B)
{
    return radeon_vk_bo_create(device, size_B, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS);
}

static void *map(struct vk_device *device, struct vk_bo *bo)
{
    void *at;
    return amd_ws_bo_map((struct ws_bo *)bo, &at) == 0 ? at : NULL;
}

const struct vk_bo_ops radeon_bo_ops = {
    .create = create_plain,
    .destroy = radeon_vk_bo_destroy,
    .map = map,
    .allocate = allocate_memory,
    .import_fd = import_fd,
    .export_fd = export_fd,
    .image_imported = image_imported,
    .image_exported = image_exported,
    .types_of = types_of,
};
