/* Buffers and their views. */
#include "vulkan/runtime/memory/vk_buffer.h"

#include "util/format/format.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/memory/vk_sparse.h"
#include "vulkan/runtime/object/vk_struct.h"

VkBufferUsageFlags vk_buffer_usage(const VkBufferCreateInfo *info)
{
    const VkBufferUsageFlags2CreateInfoKHR *usage = vk_find_struct_const(info->pNext, VkBufferUsageFlags2CreateInfoKHR);
    return usage ? (VkBufferUsageFlags)usage->usage : info->usage;
}

void *vk_buffer_create(struct vk_device *device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *own,
                       size_t size_B)
{
    struct vk_buffer *buffer = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_BUFFER);
    if (!buffer)
        return NULL;
    buffer->flags = info->flags;
    buffer->size_B = info->size;
    buffer->usage = vk_buffer_usage(info);
    const VkExternalMemoryBufferCreateInfo *external =
        vk_find_struct_const(info->pNext, VkExternalMemoryBufferCreateInfo);
    if (external)
        buffer->external_types = external->handleTypes;
    const VkBufferOpaqueCaptureAddressCreateInfo *address =
        vk_find_struct_const(info->pNext, VkBufferOpaqueCaptureAddressCreateInfo);
    if (address)
        buffer->opaque_address = address->opaqueCaptureAddress;
    return buffer;
}

void vk_buffer_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_buffer *buffer)
{
    vk_object_destroy(device, own, buffer ? &buffer->base : NULL);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkBuffer *buffer_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT && !device->sparse)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct vk_buffer *buffer = vk_buffer_create(device, info, allocator, sizeof(*buffer));
    if (!buffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) {
        buffer->reserved_B = align_u64(info->size, device->sparse->block_B);
        const bool is_chosen = buffer->opaque_address;
        if (device->sparse->reserve(device, buffer->reserved_B, buffer->opaque_address,
                                    vk_buffer_is_of_descriptors(buffer->usage), &buffer->va)) {
            vk_buffer_destroy(device, allocator, buffer);
            return is_chosen ? VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
        }
    }
    *buffer_out = vk_buffer_to_handle(buffer);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyBuffer(VkDevice handle, VkBuffer buffer_handle,
                                                   const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    if (buffer && buffer->reserved_B)
        device->sparse->release(device, buffer->va, buffer->reserved_B);
    vk_buffer_destroy(device, allocator, buffer);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_BindBufferMemory2(VkDevice handle, uint32_t count,
                                                           const VkBindBufferMemoryInfo *infos)
{
    for (uint32_t i = 0; i < count; i++) {
        struct vk_buffer *buffer = vk_buffer_from_handle(infos[i].buffer);
        buffer->bo = vk_device_memory_from_handle(infos[i].memory)->bo;
        buffer->va = buffer->bo->va + infos[i].memoryOffset;
        vk_bind_succeeded(infos[i].pNext);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL vk_common_GetBufferDeviceAddress(VkDevice handle,
                                                                       const VkBufferDeviceAddressInfo *info)
{
    return vk_buffer_from_handle(info->buffer)->va;
}

/* The memory's address is what a replay needs, or that of a buffer whose memory is bound in parts. */
VKAPI_ATTR uint64_t VKAPI_CALL vk_common_GetBufferOpaqueCaptureAddress(VkDevice handle,
                                                                       const VkBufferDeviceAddressInfo *info)
{
    const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
    return buffer->reserved_B ? buffer->va : 0;
}

VKAPI_ATTR uint64_t VKAPI_CALL
vk_common_GetDeviceMemoryOpaqueCaptureAddress(VkDevice handle, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
    return vk_device_memory_from_handle(info->memory)->bo->va;
}

void *vk_buffer_view_create(struct vk_device *device, const VkBufferViewCreateInfo *info,
                            const VkAllocationCallbacks *own, size_t size_B)
{
    struct vk_buffer_view *view = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_BUFFER_VIEW);
    if (!view)
        return NULL;
    view->buffer = vk_buffer_from_handle(info->buffer);
    view->format = info->format;
    view->offset_B = info->offset;
    view->range_B = vk_buffer_range(view->buffer, info->offset, info->range);
    const struct format_info *format = format_info((enum format)info->format);
    view->elements = format && format->block_size_B ? (uint32_t)(view->range_B / format->block_size_B) : 0;
    return view;
}

void vk_buffer_view_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_buffer_view *view)
{
    vk_object_destroy(device, own, view ? &view->base : NULL);
}
