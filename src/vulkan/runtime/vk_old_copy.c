/* The copies of Vulkan 1.0 as those of 1.3: a driver writes the latter. Each region gets its structure type; every
 * other field keeps its value. */
#include "vulkan/runtime/vk_command_buffer.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_temporary.h"

enum {
    STACK_REGIONS = 16
};

/* The array of a command's regions; NULL, with the error noted, when there is no memory for it. */
#define regions_begin(command_buffer, stack, count)                                                                    \
    ((__typeof__(&(stack)[0]))checked((command_buffer),                                                                \
                                      vk_temporary_array(&(command_buffer)->pool->alloc, (stack), (count))))

static void *checked(struct vk_command_buffer *command_buffer, void *regions)
{
    if (!regions)
        vk_command_buffer_set_error(command_buffer, VK_ERROR_OUT_OF_HOST_MEMORY);
    return regions;
}

static void regions_end(struct vk_command_buffer *command_buffer, const void *stack, void *regions)
{
    vk_temporary_free(&command_buffer->pool->alloc, stack, regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyBuffer(VkCommandBuffer handle, VkBuffer src, VkBuffer dst, uint32_t count,
                                                   const VkBufferCopy *old)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkBufferCopy2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    for (uint32_t i = 0; i < count; i++) {
        regions[i] = vk_struct_init(VkBufferCopy2);
        regions[i].srcOffset = old[i].srcOffset;
        regions[i].dstOffset = old[i].dstOffset;
        regions[i].size = old[i].size;
    }
    VkCopyBufferInfo2 info = vk_struct_init(VkCopyBufferInfo2);
    info.srcBuffer = src;
    info.dstBuffer = dst;
    info.regionCount = count;
    info.pRegions = regions;
    command_buffer->base.device->dispatch.CmdCopyBuffer2(handle, &info);
    regions_end(command_buffer, stack, regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                  VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                  const VkImageCopy *old)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkImageCopy2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    for (uint32_t i = 0; i < count; i++) {
        regions[i] = vk_struct_init(VkImageCopy2);
        regions[i].srcSubresource = old[i].srcSubresource;
        regions[i].srcOffset = old[i].srcOffset;
        regions[i].dstSubresource = old[i].dstSubresource;
        regions[i].dstOffset = old[i].dstOffset;
        regions[i].extent = old[i].extent;
    }
    VkCopyImageInfo2 info = vk_struct_init(VkCopyImageInfo2);
    info.srcImage = src;
    info.srcImageLayout = src_layout;
    info.dstImage = dst;
    info.dstImageLayout = dst_layout;
    info.regionCount = count;
    info.pRegions = regions;
    command_buffer->base.device->dispatch.CmdCopyImage2(handle, &info);
    regions_end(command_buffer, stack, regions);
}

static void buffer_image_regions(uint32_t count, const VkBufferImageCopy *old, VkBufferImageCopy2 *regions_out)
{
    for (uint32_t i = 0; i < count; i++) {
        regions_out[i] = vk_struct_init(VkBufferImageCopy2);
        regions_out[i].bufferOffset = old[i].bufferOffset;
        regions_out[i].bufferRowLength = old[i].bufferRowLength;
        regions_out[i].bufferImageHeight = old[i].bufferImageHeight;
        regions_out[i].imageSubresource = old[i].imageSubresource;
        regions_out[i].imageOffset = old[i].imageOffset;
        regions_out[i].imageExtent = old[i].imageExtent;
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer src, VkImage dst,
                                                          VkImageLayout dst_layout, uint32_t count,
                                                          const VkBufferImageCopy *old)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkBufferImageCopy2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    buffer_image_regions(count, old, regions);
    VkCopyBufferToImageInfo2 info = vk_struct_init(VkCopyBufferToImageInfo2);
    info.srcBuffer = src;
    info.dstImage = dst;
    info.dstImageLayout = dst_layout;
    info.regionCount = count;
    info.pRegions = regions;
    command_buffer->base.device->dispatch.CmdCopyBufferToImage2(handle, &info);
    regions_end(command_buffer, stack, regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                          VkBuffer dst, uint32_t count, const VkBufferImageCopy *old)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkBufferImageCopy2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    buffer_image_regions(count, old, regions);
    VkCopyImageToBufferInfo2 info = vk_struct_init(VkCopyImageToBufferInfo2);
    info.srcImage = src;
    info.srcImageLayout = src_layout;
    info.dstBuffer = dst;
    info.regionCount = count;
    info.pRegions = regions;
    command_buffer->base.device->dispatch.CmdCopyImageToBuffer2(handle, &info);
    regions_end(command_buffer, stack, regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBlitImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                  VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                  const VkImageBlit *old, VkFilter filter)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkImageBlit2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    for (uint32_t i = 0; i < count; i++) {
        regions[i] = vk_struct_init(VkImageBlit2);
        regions[i].srcSubresource = old[i].srcSubresource;
        regions[i].dstSubresource = old[i].dstSubresource;
        for (unsigned corner = 0; corner < 2; corner++) {
            regions[i].srcOffsets[corner] = old[i].srcOffsets[corner];
            regions[i].dstOffsets[corner] = old[i].dstOffsets[corner];
        }
    }
    VkBlitImageInfo2 info = vk_struct_init(VkBlitImageInfo2);
    info.srcImage = src;
    info.srcImageLayout = src_layout;
    info.dstImage = dst;
    info.dstImageLayout = dst_layout;
    info.regionCount = count;
    info.pRegions = regions;
    info.filter = filter;
    command_buffer->base.device->dispatch.CmdBlitImage2(handle, &info);
    regions_end(command_buffer, stack, regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdResolveImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                     VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                     const VkImageResolve *old)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    VkImageResolve2 stack[STACK_REGIONS], *regions = regions_begin(command_buffer, stack, count);
    if (!regions)
        return;
    for (uint32_t i = 0; i < count; i++) {
        regions[i] = vk_struct_init(VkImageResolve2);
        regions[i].srcSubresource = old[i].srcSubresource;
        regions[i].srcOffset = old[i].srcOffset;
        regions[i].dstSubresource = old[i].dstSubresource;
        regions[i].dstOffset = old[i].dstOffset;
        regions[i].extent = old[i].extent;
    }
    VkResolveImageInfo2 info = vk_struct_init(VkResolveImageInfo2);
    info.srcImage = src;
    info.srcImageLayout = src_layout;
    info.dstImage = dst;
    info.dstImageLayout = dst_layout;
    info.regionCount = count;
    info.pRegions = regions;
    command_buffer->base.device->dispatch.CmdResolveImage2(handle, &info);
    regions_end(command_buffer, stack, regions);
}
