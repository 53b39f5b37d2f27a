/* The uses of a format by this hardware, this driver and its compiler, all the way: the rows of which the runtime
 * makes features, and the modifiers that images can be shared with. */
#include "mali/driver/format.h"
#include "mali/driver/image.h"
#include "mali/hw/chip.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_format_properties.h"
#include "vulkan/runtime/object/vk_struct.h"

/* Bits of texture_features_0: which compressed formats the vendor has licensed. 0: not compressed, or unknown. */
static unsigned license_bit(const struct format_info *info)
{
    if (info->compression == FORMAT_COMPRESSION_ASTC_LDR)
        return 22;
    switch (mali_vkformat((VkFormat)info->format)->clump) {
    case MALI_CLUMP_FORMAT_ETC2_RGB8:
        return 1;
    case MALI_CLUMP_FORMAT_ETC2_R11_UNORM:
        return 2;
    case MALI_CLUMP_FORMAT_ETC2_RGBA8:
        return 3;
    case MALI_CLUMP_FORMAT_ETC2_RG11_UNORM:
        return 4;
    case MALI_CLUMP_FORMAT_ETC2_R11_SNORM:
        return 17;
    case MALI_CLUMP_FORMAT_ETC2_RG11_SNORM:
        return 18;
    case MALI_CLUMP_FORMAT_ETC2_RGB8A1:
        return 19;
    default:
        return mali_vkformat((VkFormat)info->format)->clump - MALI_CLUMP_FORMAT_BC1_UNORM + 7u;
    }
}

static bool is_licensed(const struct mali_chip *chip, const struct format_info *info)
{
    return !format_is_compressed(info) || (license_bit(info) < 32 && chip->texture_features_0 >> license_bit(info) & 1);
}

/* Elements of three channels that are no power of two: buffers alone. */
static bool is_image_format(const struct mali_vkformat *format)
{
    return format->plane_type && is_power_of_two(format->element_B);
}

/* Alpha alone is an order of channels, which leaves colours that are not zero: textures have swizzles for them. */
static bool is_alpha_alone(const struct mali_vkformat *format)
{
    return format->info->format == FORMAT_A8_UNORM_KHR;
}

/* Conversions write every plain format but those with a curve or a shared exponent. */
static bool is_stored(const struct mali_vkformat *format)
{
    return format->color.cell_B && !format->texture.is_srgb && !is_alpha_alone(format);
}

static void image_row(const struct mali_vkformat *format, struct vk_format_row *row)
{
    const struct format_info *info = format->info;
    row->is_tiled = true;
    row->is_linear = !format_is_depth_or_stencil(info) && !format_is_compressed(info);
    row->is_sampled = row->is_blit_source = true;
    row->is_filtered = vk_format_can_be_filtered(info);
    row->has_minmax = vk_format_needs_minmax(info);
    row->is_stored = is_stored(format);
    row->is_target = format_is_depth_or_stencil(info) || format->color.cell_B;
    row->is_blended = format->color.is_blended;
}

static void format_row(const struct vk_physical_device *physical, const struct format_info *info,
                       struct vk_format_row *row)
{
    const struct mali_vkformat *format = mali_vkformat((VkFormat)info->format);
    row->is_plane = is_image_format(format) && !format_is_compressed(info);
    if (info->aspects & FORMAT_ASPECT_COLOR && !is_alpha_alone(format)) {
        row->is_vertex = format->attribute.number;
        row->is_texel_loaded = format->texture.number && !format_is_compressed(info);
        row->is_texel = row->is_texel_loaded && is_stored(format);
        row->is_atomic = info->format == FORMAT_R32_UINT || info->format == FORMAT_R32_SINT;
    }
    if (is_image_format(format) && is_licensed(mali_chip_of(physical), info))
        image_row(format, row);
}

static uint32_t list_modifiers(const struct vk_physical_device *physical, VkFormat vk_format,
                               uint64_t modifiers_out[VK_MAX_MODIFIERS])
{
    return mali_modifiers(vk_format, modifiers_out);
}

/* Stores and copies by the CPU go to texels that are where their place says. */
static VkFormatFeatureFlags2 modifier_lacks(uint64_t modifier)
{
    return mali_modifier_is_compressed(modifier)
               ? VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT | VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT |
                     VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT |
                     VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                     VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT
               : 0;
}

/* Images that the CPU copies are not compressed; targets would be. */
static void extend_properties(const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    VkHostImageCopyDevicePerformanceQueryEXT *host_copy =
        vk_find_struct(properties->pNext, VkHostImageCopyDevicePerformanceQueryEXT);
    if (host_copy)
        host_copy->identicalMemoryLayout = host_copy->optimalDeviceAccess =
            info->tiling != VK_IMAGE_TILING_OPTIMAL || !(info->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) ||
            !mali_vkformat(info->format)->has_afbc;
}

const struct vk_format_ops mali_format_ops = {
    .image_flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT |
                   VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_DISJOINT_BIT,
    .sample_counts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT | VK_SAMPLE_COUNT_16_BIT,
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
