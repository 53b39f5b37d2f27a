/* The uses of a format by this hardware, this driver and its compiler, all the way: the rows of which the runtime
 * makes features, and the images that are refused though others may have them. */
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_modifier.h"
#include "amd/driver/radeon_rays.h"
#include "amd/driver/radeon_sparse.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_format_properties.h"
#include "vulkan/runtime/object/vk_struct.h"

static bool is_scaled(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_USCALED || info->numeric == FORMAT_NUMERIC_SSCALED;
}

/* Two bits of alpha next to ten with a sign: the texture units and the render backends do not have it right. */
static bool is_signed_10_10_10_2(const struct format_info *info)
{
    return info->channel_count == 4 && info->channels[0].bits == 10 &&
           (info->numeric == FORMAT_NUMERIC_SNORM || info->numeric == FORMAT_NUMERIC_SSCALED ||
            info->numeric == FORMAT_NUMERIC_SINT);
}

static bool is_atomic(const struct radeon_format *format)
{
    VkFormat name = (VkFormat)format->info->format;
    return name == VK_FORMAT_R32_UINT || name == VK_FORMAT_R32_SINT || name == VK_FORMAT_R32_SFLOAT ||
           radeon_format_is_int64(format);
}

/* Two nibbles are no target and have no users. */
static bool is_image_format(const struct radeon_format *format)
{
    return format->image && !is_scaled(format->info) && !is_signed_10_10_10_2(format->info) &&
           format->info->format != FORMAT_R4G4_UNORM_PACK8 && format->info->layout != FORMAT_LAYOUT_WORDS16;
}

/* 3 × 32 bits: the only elements that are no power of two, in plain rows, to be read and copied. */
static bool is_96_bits(const struct format_info *info)
{
    return info->block_size_B == 12;
}

static bool is_stored(const struct format_info *info)
{
    return !format_is_compressed(info) && !format_is_srgb(info) &&
           !((info->aspects & FORMAT_ASPECT_DEPTH) && (info->aspects & FORMAT_ASPECT_STENCIL));
}

static void image_row(const struct radeon_format *format, struct vk_format_row *row)
{
    const struct format_info *info = format->info;
    bool is_depth_or_stencil = format_is_depth_or_stencil(info);
    row->is_filtered = vk_format_can_be_filtered(info);
    if (is_96_bits(info)) {
        row->is_linear = row->is_sampled = true;
        return;
    }
    row->is_tiled = true;
    /* The addresses of compressed blocks in rows are not defined. */
    row->is_linear = !is_depth_or_stencil && !format_is_compressed(info);
    /* 64-bit integers: whole texels, by loads, stores and atomics alone. */
    row->is_sampled = row->is_blit_source = !radeon_format_is_int64(format);
    row->has_minmax = vk_format_needs_minmax(info) || vk_format_compares_integers(info);
    row->is_stored = is_stored(info);
    row->is_target = is_depth_or_stencil || format->color.format;
    row->is_blended = format->color.blendable;
    row->is_rate = info->format == FORMAT_R8_UINT;
}

static void format_row(const struct vk_physical_device *physical, const struct format_info *info,
                       struct vk_format_row *row)
{
    const struct radeon_format *format = radeon_format((VkFormat)info->format);
    struct amd_vertex_attribute attribute;
    row->is_plane = format->image;
    if (info->aspects & FORMAT_ASPECT_COLOR) {
        row->is_vertex = radeon_vertex_format((VkFormat)info->format, &attribute);
        row->is_texel = format->buffer && !is_scaled(info) && !is_signed_10_10_10_2(info);
        row->is_atomic = is_atomic(format);
        row->is_ray_vertex = radeon_rays_reads_format((VkFormat)info->format);
    }
    if (is_image_format(format))
        image_row(format, row);
}

static uint32_t list_modifiers(const struct vk_physical_device *physical, VkFormat format,
                               uint64_t modifiers_out[VK_MAX_MODIFIERS])
{
    _Static_assert(RADEON_MAX_MODIFIERS <= VK_MAX_MODIFIERS, "the runtime's list is too short");
    return radeon_modifiers((const struct radeon_physical_device *)physical, format, modifiers_out);
}

static bool limit_image(const VkPhysicalDeviceImageFormatInfo2 *info, const struct format_info *format,
                        VkImageFormatProperties *limits)
{
    if (info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT &&
        (info->flags & VK_IMAGE_CREATE_DISJOINT_BIT || info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT))
        return false;
    if (info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) {
        limits->sampleCounts = VK_SAMPLE_COUNT_1_BIT;
        if (!radeon_can_be_resident(format, info->type, info->tiling, VK_SAMPLE_COUNT_1_BIT))
            return false;
    }
    if (is_96_bits(format)) {
        limits->maxMipLevels = limits->maxArrayLayers = 1;
        return info->type != VK_IMAGE_TYPE_3D;
    }
    /* 16-byte blocks of a volume have a layout that the render backends do not know. */
    bool is_drawn =
        info->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT || info->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return !(info->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT && info->type == VK_IMAGE_TYPE_3D &&
             format->block_size_B == 16 && is_drawn);
}

static VkExternalMemoryProperties external_properties(const VkPhysicalDeviceImageFormatInfo2 *info,
                                                      VkExternalMemoryHandleTypeFlagBits type)
{
    VkExternalMemoryProperties properties = {0};
    switch (type) {
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT:
        if (info->type != VK_IMAGE_TYPE_2D)
            break;
        properties.externalMemoryFeatures =
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        /* The layout goes along with the buffer, so that there is one image in it. */
        if (info->tiling != VK_IMAGE_TILING_LINEAR)
            properties.externalMemoryFeatures |= VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
        properties.exportFromImportedHandleTypes = properties.compatibleHandleTypes = type;
        break;
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT:
        properties.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        properties.compatibleHandleTypes = type;
        break;
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT: /* images of other processes are described by a modifier */
        if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
            break;
        properties.externalMemoryFeatures =
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
        properties.exportFromImportedHandleTypes = properties.compatibleHandleTypes = type;
        break;
    default:
        break;
    }
    return properties;
}

/* Images that the CPU copies have no metadata, and pipe and bank bits of their own neither: targets would have them. */
static bool is_layout_kept(const VkPhysicalDeviceImageFormatInfo2 *info)
{
    return info->tiling != VK_IMAGE_TILING_OPTIMAL ||
           (!(info->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) &&
            !format_is_depth_or_stencil(format_info((enum format)info->format)));
}

static void extend_properties(const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    VkHostImageCopyDevicePerformanceQueryEXT *host_copy =
        vk_find_struct(properties->pNext, VkHostImageCopyDevicePerformanceQueryEXT);
    if (host_copy) {
        host_copy->identicalMemoryLayout = is_layout_kept(info);
        host_copy->optimalDeviceAccess =
            host_copy->identicalMemoryLayout || format_is_compressed(format_info((enum format)info->format));
    }
    VkTextureLODGatherFormatPropertiesAMD *gather =
        vk_find_struct(properties->pNext, VkTextureLODGatherFormatPropertiesAMD);
    if (gather) /* no format is special */
        gather->supportsTextureGatherLODBiasAMD = VK_TRUE;
}

const struct vk_format_ops radeon_format_ops = {
    .image_flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
                   VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT |
                   VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_DISJOINT_BIT |
                   VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT | VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                   VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT,
    .sample_counts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT,
    .image_types =
        {
            [VK_IMAGE_TYPE_1D] = {{16384, 1, 1}, 8192},
            [VK_IMAGE_TYPE_2D] = {{16384, 16384, 1}, 8192},
            [VK_IMAGE_TYPE_3D] = {{8192, 8192, 8192}, 1},
        },
    .row = format_row,
    .modifiers = list_modifiers,
    .limit = limit_image,
    .external = external_properties,
    .extend = extend_properties,
};
