/* The chain of an allocation; what is the same for all memory that the host sees coherently. */
#include "vulkan/runtime/vk_device_memory.h"

#include "vulkan/runtime/vk_bo.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_struct.h"

static void read_chain(struct vk_device_memory *memory, const void *chain)
{
    const VkMemoryAllocateFlagsInfo *flags = vk_find_struct_const(chain, VkMemoryAllocateFlagsInfo);
    if (flags)
        memory->flags = flags->flags;
    const VkExportMemoryAllocateInfo *export = vk_find_struct_const(chain, VkExportMemoryAllocateInfo);
    if (export)
        memory->export_types = export->handleTypes;
    /* A handle type of 0 means that the structure is as if it were not there. */
    const VkImportMemoryFdInfoKHR *fd = vk_find_struct_const(chain, VkImportMemoryFdInfoKHR);
    if (fd && fd->handleType) {
        memory->import_type = fd->handleType;
        memory->import_fd = fd->fd;
    }
    const VkImportMemoryHostPointerInfoEXT *host = vk_find_struct_const(chain, VkImportMemoryHostPointerInfoEXT);
    if (host && host->handleType) {
        memory->import_type = host->handleType;
        memory->host_pointer = host->pHostPointer;
    }
    const VkMemoryOpaqueCaptureAddressAllocateInfo *address =
        vk_find_struct_const(chain, VkMemoryOpaqueCaptureAddressAllocateInfo);
    if (address)
        memory->opaque_address = address->opaqueCaptureAddress;
    const VkMemoryDedicatedAllocateInfo *dedicated = vk_find_struct_const(chain, VkMemoryDedicatedAllocateInfo);
    if (dedicated) {
        memory->dedicated_image = dedicated->image;
        memory->dedicated_buffer = dedicated->buffer;
    }
    const VkMemoryPriorityAllocateInfoEXT *priority = vk_find_struct_const(chain, VkMemoryPriorityAllocateInfoEXT);
    memory->priority = priority ? priority->priority : 0.5f;
}

void *vk_device_memory_create(struct vk_device *device, const VkMemoryAllocateInfo *info,
                              const VkAllocationCallbacks *own, size_t size_B)
{
    struct vk_device_memory *memory = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_DEVICE_MEMORY);
    if (!memory)
        return NULL;
    memory->size_B = info->allocationSize;
    memory->type_index = info->memoryTypeIndex;
    memory->import_fd = -1;
    read_chain(memory, info->pNext);
    return memory;
}

void vk_device_memory_destroy(struct vk_device *device, const VkAllocationCallbacks *own,
                              struct vk_device_memory *memory)
{
    vk_object_destroy(device, own, memory ? &memory->base : NULL);
}

void vk_bind_succeeded(const void *chain)
{
    const VkBindMemoryStatusKHR *status = vk_find_struct_const(chain, VkBindMemoryStatusKHR);
    if (status)
        *status->pResult = VK_SUCCESS;
}

/* ---- commands ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_FreeMemory(VkDevice handle, VkDeviceMemory memory_handle,
                                                const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_device_memory *memory = vk_device_memory_from_handle(memory_handle);
    if (!memory)
        return;
    device->bos->destroy(device, memory->bo);
    vk_device_memory_destroy(device, allocator, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_MapMemory(VkDevice handle, VkDeviceMemory memory_handle, VkDeviceSize offset_B,
                                                   VkDeviceSize size_B, VkMemoryMapFlags flags, void **data_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_device_memory *memory = vk_device_memory_from_handle(memory_handle);
    void *map = memory->host_pointer ? memory->host_pointer : device->bos->map(device, memory->bo);
    if (!map)
        return VK_ERROR_MEMORY_MAP_FAILED;
    *data_out = (uint8_t *)map + offset_B;
    return VK_SUCCESS;
}

/* A mapping lives as long as the buffer object. */
VKAPI_ATTR void VKAPI_CALL vk_common_UnmapMemory(VkDevice handle, VkDeviceMemory memory)
{
}

/* All visible memory is coherent; a driver that has other memory has these two itself. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                 const VkMappedMemoryRange *ranges)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                      const VkMappedMemoryRange *ranges)
{
    return VK_SUCCESS;
}
