/* Sparse resources. An image whose parts are bound is in blocks of 64 KiB, each of them a rectangle of texels in one
 * piece of memory, of a volume a box: of a level, row by row, before the next level, and one block a layer for all
 * levels that are smaller than a block. All levels of a slice of blocks come before the next slice. It has no metadata,
 * whose bytes would belong to several blocks. */
#include "amd/driver/radeon_sparse.h"

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- what the runtime asks for ---- */

static int reserve_range(struct vk_device *device, uint64_t size_B, uint64_t at_va, bool of_descriptors,
                         uint64_t *va_out)
{
    return amd_ws_sparse_reserve(radeon_device_of(device)->ws, size_B, at_va, of_descriptors, va_out);
}

static void release_range(struct vk_device *device, uint64_t va, uint64_t size_B)
{
    amd_ws_sparse_release(radeon_device_of(device)->ws, va, size_B);
}

static int bind_range(struct vk_device *device, const struct vk_sparse_bind *bind)
{
    return amd_ws_sparse_bind(radeon_device_of(device)->ws, bind->va, bind->size_B, (const struct ws_bo *)bind->bo,
                              bind->offset_B);
}

/* A block is a square of elements, or twice as wide as high; of a volume a cube, or halved in depth, then in height. */
static VkExtent3D block_elements(VkImageType type, unsigned element_B)
{
    unsigned elements_log2 = log2_floor(WS_SPARSE_BLOCK_B / element_B);
    if (type == VK_IMAGE_TYPE_3D)
        return (VkExtent3D){1u << (elements_log2 + 2) / 3, 1u << (elements_log2 + 1) / 3, 1u << elements_log2 / 3};
    return (VkExtent3D){1u << (elements_log2 + 1) / 2, 1u << elements_log2 / 2, 1};
}

static VkExtent3D texels_of_block(VkImageType type, const struct format_info *format)
{
    VkExtent3D elements = block_elements(type, format->block_size_B);
    return (VkExtent3D){elements.width * format->block_width, elements.height * format->block_height, elements.depth};
}

static VkExtent3D block_extent(const struct vk_image *image, VkImageAspectFlags aspect)
{
    return texels_of_block(image->type, image->format_info);
}

static uint64_t block_va(const struct vk_image *base, const VkImageSubresource *subresource, VkOffset3D block)
{
    const struct radeon_image *image = (const struct radeon_image *)base;
    const struct radeon_surface *surface = &image->planes[0].surface;
    const VkExtent3D elements = block_elements(base->type, surface->element_B);
    const uint32_t level = subresource->mipLevel, blocks_in_row = surface->level_pitch[level] / elements.width,
                   slice = subresource->arrayLayer + (uint32_t)block.z * elements.depth;
    return base->memory[0].va + surface->offset_B + surface->slice_B * slice + surface->level_offset_B[level] +
           ((uint64_t)(uint32_t)block.y * blocks_in_row + (uint32_t)block.x) * WS_SPARSE_BLOCK_B;
}

const struct vk_sparse_ops radeon_sparse_ops = {
    .block_B = WS_SPARSE_BLOCK_B,
    .reserve = reserve_range,
    .release = release_range,
    .bind = bind_range,
    .block_extent = block_extent,
    .block_va = block_va,
};

/* ---- images ---- */

bool radeon_can_be_resident(const struct format_info *format, VkImageType type, VkImageTiling tiling,
                            VkSampleCountFlagBits samples)
{
    return format && type != VK_IMAGE_TYPE_1D && tiling == VK_IMAGE_TILING_OPTIMAL &&
           samples == VK_SAMPLE_COUNT_1_BIT && format->plane_count == 1 && !format_is_depth_or_stencil(format) &&
           is_power_of_two(format->block_size_B);
}

VkResult radeon_sparse_image_begin(struct radeon_device *device, struct radeon_image *image)
{
    uint64_t va;
    if (amd_ws_sparse_reserve(device->ws, image->vk.size_B, 0, false, &va))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (unsigned i = 0; i < VK_IMAGE_MAX_PLANES; i++)
        image->vk.memory[i].va = va;
    return VK_SUCCESS;
}

void radeon_sparse_image_end(struct radeon_device *device, struct radeon_image *image)
{
    amd_ws_sparse_release(device->ws, image->vk.memory[0].va, image->vk.size_B);
}

static void fill_properties(VkImageType type, const struct format_info *format, VkSparseImageFormatProperties *out)
{
    *out = (VkSparseImageFormatProperties){.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                           .imageGranularity = texels_of_block(type, format)};
}

static void fill_requirements(const struct radeon_image *image, uint32_t *count,
                              VkSparseImageMemoryRequirements2 *requirements)
{
    const struct radeon_surface *surface = &image->planes[0].surface;
    if (!(image->vk.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)) {
        *count = 0;
        return;
    }
    if (!requirements) {
        *count = 1;
        return;
    }
    *count = MIN2(*count, 1);
    if (!*count)
        return;
    const bool has_tail = surface->first_tail_level < surface->levels;
    VkSparseImageMemoryRequirements *out = &requirements->memoryRequirements;
    *out = (VkSparseImageMemoryRequirements){.imageMipTailFirstLod = surface->first_tail_level};
    fill_properties(image->vk.type, image->vk.format_info, &out->formatProperties);
    if (has_tail) { /* at the beginning of each layer */
        out->imageMipTailSize = WS_SPARSE_BLOCK_B;
        out->imageMipTailOffset = surface->offset_B;
        out->imageMipTailStride = surface->slice_B;
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_GetImageSparseMemoryRequirements2(VkDevice handle,
                                                                    const VkImageSparseMemoryRequirementsInfo2 *info,
                                                                    uint32_t *count,
                                                                    VkSparseImageMemoryRequirements2 *requirements)
{
    fill_requirements(radeon_image_from_handle(info->image), count, requirements);
}

VKAPI_ATTR void VKAPI_CALL radeon_GetDeviceImageSparseMemoryRequirements(VkDevice handle,
                                                                         const VkDeviceImageMemoryRequirements *info,
                                                                         uint32_t *count,
                                                                         VkSparseImageMemoryRequirements2 *requirements)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_image image = {0};
    vk_image_init(&device->vk, &image.vk, info->pCreateInfo);
    if (radeon_image_layout(device, &image, info->pCreateInfo->pNext) == VK_SUCCESS)
        fill_requirements(&image, count, requirements);
    else
        *count = 0;
}

VKAPI_ATTR void VKAPI_CALL radeon_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    const struct format_info *format = format_info((enum format)info->format);
    const VkPhysicalDeviceImageFormatInfo2 image = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                    .format = info->format,
                                                    .type = info->type,
                                                    .tiling = info->tiling,
                                                    .usage = info->usage,
                                                    .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                                                             VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    if (!radeon_can_be_resident(format, info->type, info->tiling, info->samples) ||
        physical->dispatch.GetPhysicalDeviceImageFormatProperties2(handle, &image, &limits) != VK_SUCCESS) {
        *count = 0;
        return;
    }
    if (!properties) {
        *count = 1;
        return;
    }
    *count = MIN2(*count, 1);
    if (*count)
        fill_properties(info->type, format, &properties->properties);
}
