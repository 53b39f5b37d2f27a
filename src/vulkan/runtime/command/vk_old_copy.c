/* The copies of Vulkan 1.0 as those of 1.3: a driver writes the latter. Each region gets its structure type; every
 * other field keeps its value. */
#include <stddef.h>
#include <string.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"

enum {
    STACK_REGIONS = 16
};

/* A newer region is its structure type, its chain and the older region as it stands: from `first` to `last` the two
 * have the same members. */
struct region_kind {
    VkStructureType type;
    size_t new_B, head_B, old_B;
};

#define REGION_KIND(name, new_type, old_type, first, last)                                                             \
    _Static_assert(offsetof(old_type, first) == 0 &&                                                                   \
                       offsetof(new_type, last) - offsetof(new_type, first) == offsetof(old_type, last) &&             \
                       sizeof(((new_type *)0)->last) == sizeof(((old_type *)0)->last),                                 \
                   "the older region lies in the newer one");                                                          \
    static const struct region_kind name = {VK_TYPE_OF_##new_type, sizeof(new_type), offsetof(new_type, first),        \
                                            sizeof(old_type)}

REGION_KIND(buffer_copy, VkBufferCopy2, VkBufferCopy, srcOffset, size);
REGION_KIND(image_copy, VkImageCopy2, VkImageCopy, srcSubresource, extent);
REGION_KIND(buffer_image_copy, VkBufferImageCopy2, VkBufferImageCopy, bufferOffset, imageExtent);
REGION_KIND(image_blit, VkImageBlit2, VkImageBlit, srcSubresource, dstOffsets);
REGION_KIND(image_resolve, VkImageResolve2, VkImageResolve, srcSubresource, extent);

/* The regions of one command. */
struct regions {
    struct vk_command_buffer *command_buffer;
    void *array; /* NULL, with the error noted, when there is no memory for it */
    union {
        VkBufferCopy2 buffer_copy[STACK_REGIONS];
        VkImageCopy2 image_copy[STACK_REGIONS];
        VkBufferImageCopy2 buffer_image_copy[STACK_REGIONS];
        VkImageBlit2 image_blit[STACK_REGIONS];
        VkImageResolve2 image_resolve[STACK_REGIONS];
    } stack;
};

static bool regions_begin(struct regions *regions, VkCommandBuffer handle, const struct region_kind *kind,
                          uint32_t count, const void *old)
{
    regions->command_buffer = vk_command_buffer_from_handle(handle);
    regions->array =
        vk_temporary_get(&regions->command_buffer->pool->alloc, &regions->stack, STACK_REGIONS, count, kind->new_B);
    if (!regions->array) {
        vk_command_buffer_set_error(regions->command_buffer, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *to = (char *)regions->array + i * kind->new_B;
        memcpy(to, &(VkBaseInStructure){.sType = kind->type}, sizeof(VkBaseInStructure));
        memcpy(to + kind->head_B, (const char *)old + i * kind->old_B, kind->old_B);
    }
    return true;
}

static const struct vk_device_dispatch *dispatch_of(const struct regions *regions)
{
    return &regions->command_buffer->base.device->dispatch;
}

static void regions_end(struct regions *regions)
{
    vk_temporary_free(&regions->command_buffer->pool->alloc, &regions->stack, regions->array);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyBuffer(VkCommandBuffer handle, VkBuffer src, VkBuffer dst, uint32_t count,
                                                   const VkBufferCopy *old)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &buffer_copy, count, old))
        return;
    dispatch_of(&regions)->CmdCopyBuffer2(handle, &(VkCopyBufferInfo2){.sType = VK_TYPE_OF_VkCopyBufferInfo2,
                                                                       .srcBuffer = src,
                                                                       .dstBuffer = dst,
                                                                       .regionCount = count,
                                                                       .pRegions = regions.array});
    regions_end(&regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                  VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                  const VkImageCopy *old)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &image_copy, count, old))
        return;
    dispatch_of(&regions)->CmdCopyImage2(handle, &(VkCopyImageInfo2){.sType = VK_TYPE_OF_VkCopyImageInfo2,
                                                                     .srcImage = src,
                                                                     .srcImageLayout = src_layout,
                                                                     .dstImage = dst,
                                                                     .dstImageLayout = dst_layout,
                                                                     .regionCount = count,
                                                                     .pRegions = regions.array});
    regions_end(&regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer src, VkImage dst,
                                                          VkImageLayout dst_layout, uint32_t count,
                                                          const VkBufferImageCopy *old)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &buffer_image_copy, count, old))
        return;
    dispatch_of(&regions)->CmdCopyBufferToImage2(
        handle, &(VkCopyBufferToImageInfo2){.sType = VK_TYPE_OF_VkCopyBufferToImageInfo2,
                                            .srcBuffer = src,
                                            .dstImage = dst,
                                            .dstImageLayout = dst_layout,
                                            .regionCount = count,
                                            .pRegions = regions.array});
    regions_end(&regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                          VkBuffer dst, uint32_t count, const VkBufferImageCopy *old)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &buffer_image_copy, count, old))
        return;
    dispatch_of(&regions)->CmdCopyImageToBuffer2(
        handle, &(VkCopyImageToBufferInfo2){.sType = VK_TYPE_OF_VkCopyImageToBufferInfo2,
                                            .srcImage = src,
                                            .srcImageLayout = src_layout,
                                            .dstBuffer = dst,
                                            .regionCount = count,
                                            .pRegions = regions.array});
    regions_end(&regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBlitImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                  VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                  const VkImageBlit *old, VkFilter filter)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &image_blit, count, old))
        return;
    dispatch_of(&regions)->CmdBlitImage2(handle, &(VkBlitImageInfo2){.sType = VK_TYPE_OF_VkBlitImageInfo2,
                                                                     .srcImage = src,
                                                                     .srcImageLayout = src_layout,
                                                                     .dstImage = dst,
                                                                     .dstImageLayout = dst_layout,
                                                                     .regionCount = count,
                                                                     .pRegions = regions.array,
                                                                     .filter = filter});
    regions_end(&regions);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdResolveImage(VkCommandBuffer handle, VkImage src, VkImageLayout src_layout,
                                                     VkImage dst, VkImageLayout dst_layout, uint32_t count,
                                                     const VkImageResolve *old)
{
    struct regions regions;
    if (!regions_begin(&regions, handle, &image_resolve, count, old))
        return;
    dispatch_of(&regions)->CmdResolveImage2(handle, &(VkResolveImageInfo2){.sType = VK_TYPE_OF_VkResolveImageInfo2,
                                                                           .srcImage = src,
                                                                           .srcImageLayout = src_layout,
                                                                           .dstImage = dst,
                                                                           .dstImageLayout = dst_layout,
                                                                           .regionCount = count,
                                                                           .pRegions = regions.array});
    regions_end(&regions);
}
