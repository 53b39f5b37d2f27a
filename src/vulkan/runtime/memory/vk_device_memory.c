/* VkDeviceMemory: the chain of an allocation, buffer objects of the kernel for it, sharing; what buffers ask of memory;
 * what is the same for all memory that the host sees coherently. */
#include "vulkan/runtime/memory/vk_device_memory.h"

#include <errno.h>
#include <unistd.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_sparse.h"
#include "vulkan/runtime/object/vk_struct.h"

#define FD_TYPES (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)

VkResult vk_kernel_result(int error)
{
    switch (error) {
    case 0:
        return VK_SUCCESS;
    case -ENOMEM:
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    case -ENOSPC:
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case -ECANCELED:
    case -ENODATA:
    case -ENODEV:
    case -EPIPE:
        return VK_ERROR_DEVICE_LOST;
    case -EACCES:
    case -EPERM:
        return VK_ERROR_NOT_PERMITTED_KHR;
    default:
        return VK_ERROR_UNKNOWN;
    }
}

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

/* ---- allocation ---- */

static VkResult import_fd(struct vk_device *device, struct vk_device_memory *memory)
{
    const struct vk_bo_ops *bos = device->bos;
    struct vk_bo *bo;
    int error = bos->import_fd(device, memory->import_fd, &bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkResult result = bo->size_B < memory->size_B ? VK_ERROR_INVALID_EXTERNAL_HANDLE : VK_SUCCESS;
    if (result == VK_SUCCESS && memory->dedicated_image && bos->image_imported)
        result = bos->image_imported(device, memory->dedicated_image, bo);
    if (result != VK_SUCCESS) {
        bos->destroy(device, bo);
        return result;
    }
    /* The fd is ours now that nothing can fail any more. */
    close(memory->import_fd);
    memory->import_fd = -1;
    memory->bo = bo;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkDeviceMemory *memory_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_physical_device *physical = device->physical;
    const VkMemoryType *type = &physical->memory.memoryTypes[info->memoryTypeIndex];
    if (info->allocationSize > MIN2(physical->memory.memoryHeaps[type->heapIndex].size, physical->max_allocation_B))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct vk_device_memory *memory = vk_device_memory_create(device, info, allocator, sizeof(*memory));
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    /* An import is one whatever the number: -1 is no buffer. */
    VkResult result =
        memory->import_type & FD_TYPES ? import_fd(device, memory) : device->bos->allocate(device, memory, &memory->bo);
    if (result != VK_SUCCESS) {
        vk_device_memory_destroy(device, allocator, memory);
        return result;
    }
    *memory_out = vk_device_memory_to_handle(memory);
    return VK_SUCCESS;
}

/* ---- sharing ---- */

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info, int *fd_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_device_memory *memory = vk_device_memory_from_handle(info->memory);
    if (memory->dedicated_image && device->bos->image_exported) {
        VkResult result = device->bos->image_exported(device, memory->dedicated_image, memory->bo);
        if (result != VK_SUCCESS)
            return result;
    }
    int error = device->bos->export_fd(device, memory->bo, fd_out);
    return error == -EMFILE || error == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : vk_kernel_result(error);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetMemoryFdPropertiesKHR(VkDevice handle,
                                                                  VkExternalMemoryHandleTypeFlagBits type, int fd,
                                                                  VkMemoryFdPropertiesKHR *properties)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_bo_ops *bos = device->bos;
    struct vk_bo *bo;
    if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT || bos->import_fd(device, fd, &bo) != 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    properties->memoryTypeBits = bos->types_of ? bos->types_of(device, bo) : device->physical->plain_types;
    bos->destroy(device, bo);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *properties)
{
    const struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    VkExternalMemoryProperties *out = &properties->externalMemoryProperties;
    *out = (VkExternalMemoryProperties){.compatibleHandleTypes = info->handleType};
    /* Memory of others is of no type that such a buffer could have. */
    const VkBufferCreateInfo buffer = {.pNext = info->pNext, .usage = info->usage};
    if (vk_buffer_is_of_descriptors(vk_buffer_usage(&buffer)) && physical->descriptor_types)
        return;
    if (info->handleType & FD_TYPES) {
        out->externalMemoryFeatures =
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        out->exportFromImportedHandleTypes = out->compatibleHandleTypes = FD_TYPES;
    } else if (info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT &&
               physical->supported_extensions.EXT_external_memory_host) {
        out->externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    }
}

/* ---- buffers ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceBufferMemoryRequirements(VkDevice handle,
                                                                       const VkDeviceBufferMemoryRequirements *info,
                                                                       VkMemoryRequirements2 *requirements)
{
    const struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_physical_device *physical = device->physical;
    const bool is_sparse = info->pCreateInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT && device->sparse;
    const uint32_t align_B = is_sparse ? device->sparse->block_B : physical->buffer_align_B;
    requirements->memoryRequirements = (VkMemoryRequirements){
        .size = align_u64(info->pCreateInfo->size, align_B),
        .alignment = align_B,
        .memoryTypeBits = physical->plain_types,
    };
    /* Memory bound to parts of a buffer may be anywhere: the buffer has its own address. */
    if (vk_buffer_is_of_descriptors(vk_buffer_usage(info->pCreateInfo)) && physical->descriptor_types && !is_sparse)
        requirements->memoryRequirements.memoryTypeBits = physical->descriptor_types;
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = false;
}

/* ---- the other commands ---- */

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

/* The order in which the kernel moves memory out of local memory is its own choice: a hint that is kept with the
 * allocation. */
VKAPI_ATTR void VKAPI_CALL vk_common_SetDeviceMemoryPriorityEXT(VkDevice handle, VkDeviceMemory memory, float priority)
{
    vk_device_memory_from_handle(memory)->priority = priority;
}
