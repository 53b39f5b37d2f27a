/* What can be done with a format, and how large its images may be: the answers of vkGetPhysicalDevice*Format*. A bit is
 * here only if the hardware, the driver and the compiler do it all the way. */
#include <drm_fourcc.h>
#include <string.h>

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_modifier.h"
#include "amd/hw/enums.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_struct.h"

#define STORAGE_FEATURES                                                                                               \
    (VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |                     \
     VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define TRANSFER_FEATURES (VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT)
#define LEGACY_FEATURES 0x7fffffffull /* the bits that VkFormatFeatureFlags has */

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

static bool is_filterable(const struct format_info *info)
{
    return !format_is_integer(info) && !is_scaled(info);
}

static bool is_atomic(const struct radeon_format *format)
{
    VkFormat name = (VkFormat)format->info->format;
    return name == VK_FORMAT_R32_UINT || name == VK_FORMAT_R32_SINT || name == VK_FORMAT_R32_SFLOAT ||
           radeon_format_is_int64(format);
}

/* The formats that VK_EXT_sampler_filter_minmax demands. */
static bool has_minmax(const struct format_info *info)
{
    if (info->aspects & FORMAT_ASPECT_DEPTH)
        return true;
    if (info->component_count != 1 || info->layout != FORMAT_LAYOUT_ARRAY)
        return false;
    switch (info->numeric) {
    case FORMAT_NUMERIC_UNORM:
    case FORMAT_NUMERIC_SNORM:
        return info->channels[0].bits <= 16;
    case FORMAT_NUMERIC_SFLOAT:
        return info->channels[0].bits <= 32;
    default:
        return false;
    }
}

/* Two nibbles are no target and have no users. */
static bool is_image_format(const struct radeon_format *format)
{
    return format->image && !is_scaled(format->info) && !is_signed_10_10_10_2(format->info) &&
           format->info->format != FORMAT_R4G4_UNORM_PACK8 && format->info->layout != FORMAT_LAYOUT_WORDS16;
}

/* 3 × 32 bits: the only elements that are no power of two, in plain rows, to be read and copied. */
static bool is_96_bits(const struct radeon_format *format)
{
    return format->element_B == 12;
}

static VkFormatFeatureFlags2 buffer_features(const struct radeon_format *format)
{
    const struct format_info *info = format->info;
    struct amd_vertex_attribute attribute;
    VkFormatFeatureFlags2 features = 0;
    if (!(info->aspects & FORMAT_ASPECT_COLOR))
        return 0;
    if (radeon_vertex_format((VkFormat)info->format, &attribute))
        features |= VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
    if (format->buffer && !is_scaled(info) && !is_signed_10_10_10_2(info))
        features |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT |
                    VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
                    VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
    if (is_atomic(format))
        features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
    return features;
}

static bool is_storage(const struct radeon_format *format)
{
    const struct format_info *info = format->info;
    return !format_is_compressed(info) && !format_is_srgb(info) &&
           !((info->aspects & FORMAT_ASPECT_DEPTH) && (info->aspects & FORMAT_ASPECT_STENCIL));
}

static VkFormatFeatureFlags2 color_features(const struct radeon_format *format)
{
    const struct format_info *info = format->info;
    VkFormatFeatureFlags2 features =
        VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | TRANSFER_FEATURES;
    if (radeon_format_is_int64(format)) /* whole texels, by loads, stores and atomics alone */
        features = TRANSFER_FEATURES;
    if (is_filterable(info))
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (is_storage(format))
        features |= STORAGE_FEATURES;
    if (is_atomic(format))
        features |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
    if (format->color.format) {
        features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
        if (format->color.blendable)
            features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT;
    }
    return features;
}

static VkFormatFeatureFlags2 depth_features(const struct radeon_format *format)
{
    const struct format_info *info = format->info;
    bool has_depth = info->aspects & FORMAT_ASPECT_DEPTH, has_stencil = info->aspects & FORMAT_ASPECT_STENCIL;
    VkFormatFeatureFlags2 features = VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT |
                                     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT |
                                     TRANSFER_FEATURES;
    if (has_depth)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                    VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
    if (!(has_depth && has_stencil))
        features |= VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
    if (is_storage(format))
        features |= STORAGE_FEATURES;
    return features;
}

/* Sampled through a conversion; the planes themselves are ordinary formats. */
static VkFormatFeatureFlags2 planar_features(const struct radeon_physical_device *physical,
                                             const struct format_info *info)
{
    if (!physical->vk.supported_features.samplerYcbcrConversion)
        return 0;
    for (unsigned i = 0; i < info->plane_count; i++)
        if (!radeon_format((VkFormat)info->planes[i].format)->image)
            return 0;
    return TRANSFER_FEATURES | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
           VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |
           VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |
           VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT | VK_FORMAT_FEATURE_2_DISJOINT_BIT;
}

static VkFormatProperties3 format_properties(const struct radeon_physical_device *physical, VkFormat vk_format)
{
    VkFormatProperties3 properties = vk_struct_init(VkFormatProperties3);
    const struct radeon_format *format = radeon_format(vk_format);
    const struct format_info *info = format->info;
    if (!info || !info->block_size_B)
        return properties;
    if (info->plane_count > 1) {
        properties.linearTilingFeatures = properties.optimalTilingFeatures = planar_features(physical, info);
        return properties;
    }
    properties.bufferFeatures = buffer_features(format);
    if (!is_image_format(format))
        return properties;
    if (is_96_bits(format)) {
        properties.linearTilingFeatures = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | TRANSFER_FEATURES;
        if (is_filterable(info))
            properties.linearTilingFeatures |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
        return properties;
    }
    if (format_is_depth_or_stencil(info)) {
        properties.optimalTilingFeatures = depth_features(format);
    } else {
        properties.optimalTilingFeatures = color_features(format);
        /* The addresses of compressed blocks in rows are not defined. */
        if (!format_is_compressed(info))
            properties.linearTilingFeatures = properties.optimalTilingFeatures;
    }
    if (has_minmax(info))
        properties.optimalTilingFeatures |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
    return properties;
}

/* Planes of one image cannot be bound apart where another driver must find them. */
static VkFormatFeatureFlags2 modifier_features(const VkFormatProperties3 *all, uint64_t modifier)
{
    VkFormatFeatureFlags2 features =
        modifier == DRM_FORMAT_MOD_LINEAR ? all->linearTilingFeatures : all->optimalTilingFeatures;
    return features & ~VK_FORMAT_FEATURE_2_DISJOINT_BIT;
}

static void list_modifiers(const struct radeon_physical_device *physical, VkFormat format,
                           const VkFormatProperties3 *all, void *chain)
{
    VkDrmFormatModifierPropertiesListEXT *narrow = vk_find_struct(chain, VkDrmFormatModifierPropertiesListEXT);
    VkDrmFormatModifierPropertiesList2EXT *wide = vk_find_struct(chain, VkDrmFormatModifierPropertiesList2EXT);
    uint64_t modifiers[RADEON_MAX_MODIFIERS];
    unsigned count = radeon_modifiers(physical, format, modifiers);
    uint32_t narrow_count = 0, wide_count = 0;
    for (unsigned i = 0; i < count; i++) {
        VkFormatFeatureFlags2 features = modifier_features(all, modifiers[i]);
        if (!features)
            continue;
        uint32_t planes = radeon_format(format)->info->plane_count;
        if (narrow && (!narrow->pDrmFormatModifierProperties || narrow_count < narrow->drmFormatModifierCount)) {
            if (narrow->pDrmFormatModifierProperties)
                narrow->pDrmFormatModifierProperties[narrow_count] = (VkDrmFormatModifierPropertiesEXT){
                    modifiers[i], planes, (VkFormatFeatureFlags)(features & LEGACY_FEATURES)};
            narrow_count++;
        }
        if (wide && (!wide->pDrmFormatModifierProperties || wide_count < wide->drmFormatModifierCount)) {
            if (wide->pDrmFormatModifierProperties)
                wide->pDrmFormatModifierProperties[wide_count] =
                    (VkDrmFormatModifierProperties2EXT){modifiers[i], planes, features};
            wide_count++;
        }
    }
    if (narrow)
        narrow->drmFormatModifierCount = narrow_count;
    if (wide)
        wide->drmFormatModifierCount = wide_count;
}

VKAPI_ATTR void VKAPI_CALL radeon_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice handle, VkFormat format,
                                                                     VkFormatProperties2 *properties)
{
    struct radeon_physical_device *physical = radeon_physical_device_from_handle(handle);
    VkFormatProperties3 all = format_properties(physical, format);
    properties->formatProperties = (VkFormatProperties){
        .linearTilingFeatures = (VkFormatFeatureFlags)(all.linearTilingFeatures & LEGACY_FEATURES),
        .optimalTilingFeatures = (VkFormatFeatureFlags)(all.optimalTilingFeatures & LEGACY_FEATURES),
        .bufferFeatures = (VkFormatFeatureFlags)(all.bufferFeatures & LEGACY_FEATURES),
    };
    VkFormatProperties3 *wide = vk_find_struct(properties->pNext, VkFormatProperties3);
    if (wide) {
        wide->linearTilingFeatures = all.linearTilingFeatures;
        wide->optimalTilingFeatures = all.optimalTilingFeatures;
        wide->bufferFeatures = all.bufferFeatures;
    }
    list_modifiers(physical, format, &all, properties->pNext);
}

/* ---- images ---- */

#define KNOWN_FLAGS                                                                                                    \
    (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT |                                        \
     VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |                       \
     VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT | VK_IMAGE_CREATE_ALIAS_BIT |     \
     VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_BIT_EXT)

struct usage_need {
    VkImageUsageFlags usage;
    VkFormatFeatureFlags2 one_of;
};

static const struct usage_need usage_needs[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT,
     VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
};

/* A usage that no row names is not supported. With extended usage some view's format decides. */
static bool usage_is_possible(VkImageUsageFlags usage, VkFormatFeatureFlags2 features, bool extended)
{
    for (unsigned i = 0; i < sizeof(usage_needs) / sizeof(usage_needs[0]); i++) {
        if (usage & usage_needs[i].usage && !extended && !(features & usage_needs[i].one_of))
            return false;
        usage &= ~usage_needs[i].usage;
    }
    return usage == 0;
}

static bool flags_are_possible(const VkPhysicalDeviceImageFormatInfo2 *info, const struct radeon_format *format,
                               VkFormatFeatureFlags2 features)
{
    VkImageCreateFlags flags = info->flags;
    if (flags & ~KNOWN_FLAGS)
        return false;
    if (flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT && info->type != VK_IMAGE_TYPE_2D)
        return false;
    if (flags & (VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT) &&
        info->type != VK_IMAGE_TYPE_3D)
        return false;
    if (flags & VK_IMAGE_CREATE_DISJOINT_BIT && !(features & VK_FORMAT_FEATURE_2_DISJOINT_BIT))
        return false;
    if (flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) {
        if (!format_is_compressed(format->info))
            return false;
        /* 16-byte blocks of a volume have a layout that the render backends do not know. */
        if (info->type == VK_IMAGE_TYPE_3D && format->element_B == 16 &&
            (flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT || info->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT))
            return false;
    }
    return true;
}

static VkSampleCountFlags sample_counts(const VkPhysicalDeviceImageFormatInfo2 *info, VkFormatFeatureFlags2 features)
{
    if (info->tiling == VK_IMAGE_TILING_OPTIMAL && info->type == VK_IMAGE_TYPE_2D &&
        features & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT) &&
        !(info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT))
        return VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT;
    return VK_SAMPLE_COUNT_1_BIT;
}

static void image_limits(const VkPhysicalDeviceImageFormatInfo2 *info, VkFormatFeatureFlags2 features,
                         VkImageFormatProperties *limits)
{
    static const struct {
        VkExtent3D extent;
        uint32_t layers;
    } by_type[] = {
        [VK_IMAGE_TYPE_1D] = {{16384, 1, 1}, 8192},
        [VK_IMAGE_TYPE_2D] = {{16384, 16384, 1}, 8192},
        [VK_IMAGE_TYPE_3D] = {{8192, 8192, 8192}, 1},
    };
    const struct format_info *format = radeon_format(info->format)->info;
    *limits = (VkImageFormatProperties){
        .maxExtent = by_type[info->type].extent,
        .maxMipLevels = log2_floor(by_type[info->type].extent.width) + 1,
        .maxArrayLayers = by_type[info->type].layers,
        .sampleCounts = sample_counts(info, features),
        .maxResourceSize = UINT32_MAX,
    };
    if (format->plane_count > 1) /* the chroma of a level would not have half its extent */
        limits->maxMipLevels = 1;
    if (format->block_size_B == 12)
        limits->maxMipLevels = limits->maxArrayLayers = 1;
}

static VkFormatFeatureFlags2 tiling_features(const struct radeon_physical_device *physical,
                                             const VkPhysicalDeviceImageFormatInfo2 *info,
                                             const VkFormatProperties3 *properties)
{
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *modifier =
        vk_find_struct_const(info->pNext, VkPhysicalDeviceImageDrmFormatModifierInfoEXT);
    switch (info->tiling) {
    case VK_IMAGE_TILING_LINEAR:
        return properties->linearTilingFeatures;
    case VK_IMAGE_TILING_OPTIMAL:
        return properties->optimalTilingFeatures;
    case VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT:
        if (!modifier || info->type != VK_IMAGE_TYPE_2D ||
            !radeon_modifier_is_supported(physical, info->format, modifier->drmFormatModifier))
            return 0;
        return modifier_features(properties, modifier->drmFormatModifier);
    default:
        return 0;
    }
}

static VkResult image_format_properties(const struct radeon_physical_device *physical,
                                        const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties *limits)
{
    const struct radeon_format *format = radeon_format(info->format);
    VkFormatProperties3 properties = format_properties(physical, info->format);
    VkFormatFeatureFlags2 features = tiling_features(physical, info, &properties);
    bool extended = info->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    VkImageUsageFlags usage = info->usage;
    const VkImageStencilUsageCreateInfo *stencil = vk_find_struct_const(info->pNext, VkImageStencilUsageCreateInfo);
    if (stencil)
        usage |= stencil->stencilUsage;
    if (!features || info->type > VK_IMAGE_TYPE_3D)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (info->type != VK_IMAGE_TYPE_2D && (format_is_depth_or_stencil(format->info) || format->info->plane_count > 1))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (info->type == VK_IMAGE_TYPE_3D && is_96_bits(format))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (!usage_is_possible(usage, features, extended) || !flags_are_possible(info, format, features))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    image_limits(info, features, limits);
    return VK_SUCCESS;
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

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    struct radeon_physical_device *physical = radeon_physical_device_from_handle(handle);
    VkImageFormatProperties *limits = &properties->imageFormatProperties;
    VkResult result = image_format_properties(physical, info, limits);
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        vk_find_struct_const(info->pNext, VkPhysicalDeviceExternalImageFormatInfo);
    VkExternalImageFormatProperties *external_out = vk_find_struct(properties->pNext, VkExternalImageFormatProperties);
    if (result == VK_SUCCESS && external && external->handleType) {
        VkExternalMemoryProperties memory = external_properties(info, external->handleType);
        if (!memory.externalMemoryFeatures)
            result = VK_ERROR_FORMAT_NOT_SUPPORTED;
        else if (external_out)
            external_out->externalMemoryProperties = memory;
    }
    if (result != VK_SUCCESS) {
        *limits = (VkImageFormatProperties){0};
        return result;
    }
    VkSamplerYcbcrConversionImageFormatProperties *ycbcr =
        vk_find_struct(properties->pNext, VkSamplerYcbcrConversionImageFormatProperties);
    if (ycbcr)
        ycbcr->combinedImageSamplerDescriptorCount = radeon_format(info->format)->info->plane_count;
    VkFilterCubicImageViewImageFormatPropertiesEXT *cubic =
        vk_find_struct(properties->pNext, VkFilterCubicImageViewImageFormatPropertiesEXT);
    if (cubic)
        cubic->filterCubic = cubic->filterCubicMinmax = VK_FALSE;
    VkTextureLODGatherFormatPropertiesAMD *gather =
        vk_find_struct(properties->pNext, VkTextureLODGatherFormatPropertiesAMD);
    if (gather) /* no format is special */
        gather->supportsTextureGatherLODBiasAMD = VK_TRUE;
    return VK_SUCCESS;
}

/* Sparse images are not supported, so no format has any. */
VKAPI_ATTR void VKAPI_CALL radeon_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    (void)handle;
    (void)info;
    (void)properties;
    *count = 0;
}
