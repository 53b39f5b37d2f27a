/* The uses of a format by this hardware, this driver and its compiler, all the way: the rows of which the runtime
 * makes features, and the modifiers that images can be shared with. */
#include <drm_fourcc.h>

#include "adreno/driver/format.h"
#include "adreno/driver/image.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_format_properties.h"
#include "vulkan/runtime/object/vk_struct.h"

/* Elements of three channels that are no power of two: buffers alone. Parts of words: planes alone. */
static bool is_image_format(const struct adreno_vkformat *format)
{
    return format->texture && is_power_of_two(format->element_B) && format->info->layout != FORMAT_LAYOUT_WORDS16;
}

/* Stores write whole channels: nothing that shares 16 bits among more than two. */
static bool is_stored(const struct adreno_vkformat *format)
{
    const struct format_info *info = format->info;
    return format->color && !format->is_srgb && !(info->channel_count > 2 && info->block_size_B == 2);
}

static void image_row(const struct adreno_vkformat *format, struct vk_format_row *row)
{
    const struct format_info *info = format->info;
    const bool is_depth_or_stencil = format_is_depth_or_stencil(info);
    row->is_tiled = true;
    row->is_linear = !is_depth_or_stencil; /* the depth units know no rows */
    row->is_sampled = row->is_blit_source = true;
    row->is_filtered = vk_format_can_be_filtered(info);
    row->has_minmax = vk_format_needs_minmax(info) || vk_format_compares_integers(info);
    row->is_stored = is_stored(format);
    row->is_target = is_depth_or_stencil || format->color;
    row->is_blended = format->color && !format_is_integer(info);
}

static void format_row(const struct vk_physical_device *physical, const struct format_info *info,
                       struct vk_format_row *row)
{
    const struct adreno_vkformat *format = adreno_vkformat((VkFormat)info->format);
    row->is_plane = format->texture && is_power_of_two(format->element_B);
    if (info->aspects & FORMAT_ASPECT_COLOR) {
        row->is_vertex = format->vertex;
        row->is_texel_loaded = format->texture && !format_is_compressed(info) && info->layout != FORMAT_LAYOUT_WORDS16;
        row->is_texel = row->is_texel_loaded && is_stored(format);
        row->is_atomic = info->format == FORMAT_R32_UINT || info->format == FORMAT_R32_SINT;
    }
    if (is_image_format(format))
        image_row(format, row);
    row->is_cubic =
        row->is_filtered && (info->aspects & FORMAT_ASPECT_COLOR) && adreno_chip_of(physical)->has_tex_filter_cubic;
}

static uint32_t list_modifiers(const struct vk_physical_device *physical, VkFormat vk_format,
                               uint64_t modifiers_out[VK_MAX_MODIFIERS])
{
    return adreno_modifiers(adreno_chip_of(physical), vk_format, modifiers_out);
}

/* Copies by the CPU go to texels that are where their place says. */
static VkFormatFeatureFlags2 modifier_lacks(uint64_t modifier)
{
    return modifier == DRM_FORMAT_MOD_QCOM_COMPRESSED ? VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT : 0;
}

/* Images that the CPU copies have no compression and no low-resolution depth; blocks never have either. */
static void extend_properties(const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    VkHostImageCopyDevicePerformanceQueryEXT *host_copy =
        vk_find_struct(properties->pNext, VkHostImageCopyDevicePerformanceQueryEXT);
    if (host_copy)
        host_copy->identicalMemoryLayout = host_copy->optimalDeviceAccess =
            info->tiling != VK_IMAGE_TILING_OPTIMAL || format_is_compressed(adreno_vkformat(info->format)->info);
}

const struct vk_format_ops adreno_format_ops = {
    .image_flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT |
                   VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_DISJOINT_BIT |
                   VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT,
    .sample_counts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT,
    .image_types =
        {
            [VK_IMAGE_TYPE_1D] = {{16384, 1, 1}, 2048},
            [VK_IMAGE_TYPE_2D] = {{16384, 16384, 1}, 2048},
            [VK_IMAGE_TYPE_3D] = {{2048, 2048, 2048}, 1},
        },
    .row = format_row,
    .modifiers = list_modifiers,
    .modifier_lacks = modifier_lacks,
    .external = vk_external_image_files,
    .extend = extend_properties,
};
