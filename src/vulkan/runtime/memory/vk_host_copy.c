/* Copies of images by the CPU. */
#include "vulkan/runtime/memory/vk_host_copy.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/object/vk_struct.h"

static uint32_t rounded_up(uint32_t texels, uint32_t block)
{
    return (uint32_t)div_round_up(texels, block);
}

/* ---- what can be asked ---- */

/* Nothing is compressed in any of them. */
static const VkImageLayout layouts[] = {
    VK_IMAGE_LAYOUT_GENERAL,
    VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
    VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
    VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
};

static void list_layouts(uint32_t *count, VkImageLayout *out)
{
    *count = out ? MIN2(*count, (uint32_t)ARRAY_SIZE(layouts)) : (uint32_t)ARRAY_SIZE(layouts);
    if (out)
        memcpy(out, layouts, *count * sizeof(layouts[0]));
}

void vk_host_copy_fill_properties(struct vk_properties *properties, void *chain, bool same_types)
{
    memcpy(properties->optimalTilingLayoutUUID, "rows without gap", VK_UUID_SIZE);
    properties->identicalMemoryTypeRequirements = same_types;
    VkPhysicalDeviceHostImageCopyPropertiesEXT *out = vk_find_struct(chain, VkPhysicalDeviceHostImageCopyPropertiesEXT);
    if (out) {
        list_layouts(&out->copySrcLayoutCount, out->pCopySrcLayouts);
        list_layouts(&out->copyDstLayoutCount, out->pCopyDstLayouts);
    }
    VkPhysicalDeviceVulkan14Properties *core = vk_find_struct(chain, VkPhysicalDeviceVulkan14Properties);
    if (core) {
        list_layouts(&core->copySrcLayoutCount, core->pCopySrcLayouts);
        list_layouts(&core->copyDstLayoutCount, core->pCopyDstLayouts);
    }
}

/* The description of an aspect's elements. */
static const struct format_info *elements_of(const struct vk_image *image, VkImageAspectFlags aspect)
{
    return format_info((enum format)vk_aspect_format(image->format, aspect));
}

/* Texels of a plane's level. */
static VkExtent3D plane_extent(const struct vk_image *image, VkImageAspectFlags aspect, uint32_t level)
{
    VkExtent3D extent = vk_image_level_extent(image, level);
    if (image->format_info->plane_count > 1) {
        unsigned plane = vk_plane_of_aspect(aspect);
        extent.width = rounded_up(extent.width, image->format_info->planes[plane].width_divisor);
        extent.height = rounded_up(extent.height, image->format_info->planes[plane].height_divisor);
    }
    return extent;
}

void vk_host_copy_fill_layout(const struct vk_image *image, const VkImageSubresource *subresource, void *chain)
{
    VkSubresourceHostMemcpySizeEXT *out = vk_find_struct(chain, VkSubresourceHostMemcpySizeEXT);
    const struct format_info *info = elements_of(image, subresource->aspectMask);
    if (!out || !info)
        return;
    const VkExtent3D extent = plane_extent(image, subresource->aspectMask, subresource->mipLevel);
    out->size = (VkDeviceSize)rounded_up(extent.width, info->block_width) *
                rounded_up(extent.height, info->block_height) * extent.depth * info->block_size_B;
}

/* ---- regions ---- */

/* In elements; layers of an image and slices of a volume are both `z`. */
static struct vk_host_box box_of(const struct vk_image *image, const VkImageSubresourceLayers *layers,
                                 VkOffset3D offset, VkExtent3D extent, const struct format_info *info)
{
    const bool is_volume = image->type == VK_IMAGE_TYPE_3D;
    return (struct vk_host_box){
        .aspect = layers->aspectMask,
        .level = layers->mipLevel,
        .x = (uint32_t)offset.x / info->block_width,
        .y = (uint32_t)offset.y / info->block_height,
        .z = is_volume ? (uint32_t)offset.z : layers->baseArrayLayer,
        .width = rounded_up(extent.width, info->block_width),
        .height = rounded_up(extent.height, info->block_height),
        .depth = is_volume ? extent.depth : vk_image_copy_layer_count(image, layers),
    };
}

static VkResult copy_box(struct vk_device *device, const struct vk_image *image, const struct vk_host_box *box,
                         const struct vk_host_rows *rows, bool to_image)
{
    const unsigned plane = vk_plane_of_aspect(box->aspect);
    struct vk_bo *bo = image->memory[plane].bo;
    uint8_t *map = bo ? device->bos->map(device, bo) : NULL;
    if (!map)
        return VK_ERROR_MEMORY_MAP_FAILED;
    const bool done =
        device->host_copy->copy(device, image, map + (image->memory[plane].va - bo->va), box, rows, to_image);
    return done ? VK_SUCCESS : VK_ERROR_UNKNOWN;
}

/* Both directions have the same structure but for a const. */
static VkResult copy_region(struct vk_device *device, const struct vk_image *image,
                            const VkImageToMemoryCopyEXT *region, bool to_image)
{
    const struct format_info *info = elements_of(image, region->imageSubresource.aspectMask);
    if (!info)
        return VK_ERROR_UNKNOWN;
    const struct vk_host_box box =
        box_of(image, &region->imageSubresource, region->imageOffset, region->imageExtent, info);
    const uint32_t row = region->memoryRowLength ? region->memoryRowLength : region->imageExtent.width;
    const uint32_t height = region->memoryImageHeight ? region->memoryImageHeight : region->imageExtent.height;
    struct vk_host_rows rows = {.first = region->pHostPointer,
                                .row_B = (size_t)rounded_up(row, info->block_width) * info->block_size_B};
    rows.slice_B = rows.row_B * rounded_up(height, info->block_height);
    return copy_box(device, image, &box, &rows, to_image);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyImageToMemoryEXT(VkDevice handle, const VkCopyImageToMemoryInfoEXT *info)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++)
        result =
            copy_region(vk_device_from_handle(handle), vk_image_from_handle(info->srcImage), &info->pRegions[i], false);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyMemoryToImageEXT(VkDevice handle, const VkCopyMemoryToImageInfoEXT *info)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++) {
        const VkMemoryToImageCopyEXT *from = &info->pRegions[i];
        const VkImageToMemoryCopyEXT region = {
            .pHostPointer = (void *)from->pHostPointer, /* only read */
            .memoryRowLength = from->memoryRowLength,
            .memoryImageHeight = from->memoryImageHeight,
            .imageSubresource = from->imageSubresource,
            .imageOffset = from->imageOffset,
            .imageExtent = from->imageExtent,
        };
        result = copy_region(vk_device_from_handle(handle), vk_image_from_handle(info->dstImage), &region, true);
    }
    return result;
}

/* ---- between images ---- */

/* Slice by slice, through rows without gaps. */
static VkResult copy_slices(struct vk_device *device, const struct vk_image *source, const struct vk_image *target,
                            struct vk_host_box from, struct vk_host_box to, size_t element_B)
{
    const struct vk_host_rows rows = {.first = malloc((size_t)from.width * from.height * element_B),
                                      .row_B = from.width * element_B,
                                      .slice_B = (size_t)from.width * from.height * element_B};
    VkResult result = rows.first ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    const uint32_t depth = from.depth;
    from.depth = to.depth = 1;
    to.width = from.width;
    to.height = from.height;
    for (uint32_t i = 0; i < depth && result == VK_SUCCESS; i++, from.z++, to.z++) {
        result = copy_box(device, source, &from, &rows, false);
        if (result == VK_SUCCESS)
            result = copy_box(device, target, &to, &rows, true);
    }
    free(rows.first);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyImageToImageEXT(VkDevice handle, const VkCopyImageToImageInfoEXT *info)
{
    const struct vk_image *source = vk_image_from_handle(info->srcImage);
    const struct vk_image *target = vk_image_from_handle(info->dstImage);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->regionCount && result == VK_SUCCESS; i++) {
        const VkImageCopy2 *region = &info->pRegions[i];
        const struct format_info *from = elements_of(source, region->srcSubresource.aspectMask);
        const struct format_info *to = elements_of(target, region->dstSubresource.aspectMask);
        if (!from || !to || from->block_size_B != to->block_size_B)
            return VK_ERROR_UNKNOWN;
        result = copy_slices(vk_device_from_handle(handle), source, target,
                             box_of(source, &region->srcSubresource, region->srcOffset, region->extent, from),
                             box_of(target, &region->dstSubresource, region->dstOffset, region->extent, to),
                             from->block_size_B);
    }
    return result;
}

/* All layouts mean the same bytes. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_TransitionImageLayoutEXT(VkDevice handle, uint32_t count,
                                                                  const VkHostImageLayoutTransitionInfoEXT *transitions)
{
    return VK_SUCCESS;
}
