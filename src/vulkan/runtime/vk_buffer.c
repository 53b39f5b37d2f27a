/* Buffers and their views. */
#include "vulkan/runtime/vk_buffer.h"

#include "util/format/format.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_struct.h"

void *vk_buffer_create(struct vk_device *device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *own,
                       size_t size_B)
{
    struct vk_buffer *buffer = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_BUFFER);
    if (!buffer)
        return NULL;
    buffer->flags = info->flags;
    buffer->size_B = info->size;
    buffer->usage = info->usage;
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
