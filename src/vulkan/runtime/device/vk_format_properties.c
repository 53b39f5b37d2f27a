/* Features of formats, and which images there may be. */
#include "vulkan/runtime/device/vk_format_properties.h"

#include <drm_fourcc.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

#define STORAGE_FEATURES                                                                                               \
    (VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |                     \
     VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define TEXEL_FEATURES                                                                                                 \
    (VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT |                     \
     VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define TRANSFER_FEATURES (VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT)
#define TARGET_FEATURES (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT)
#define PLANAR_FEATURES                                                                                                \
    (TRANSFER_FEATURES | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | \
     VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT |                \
     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT | VK_FORMAT_FEATURE_2_DISJOINT_BIT)
#define LEGACY_FEATURES 0x7fffffffull /* the bits that VkFormatFeatureFlags has */

bool vk_format_needs_minmax(const struct format_info *info)
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

bool vk_format_compares_integers(const struct format_info *info)
{
    return info->component_count == 1 && info->layout == FORMAT_LAYOUT_ARRAY && format_is_integer(info) &&
           info->aspects == FORMAT_ASPECT_COLOR && info->channels[0].bits <= 32;
}

/* ---- features ---- */

static VkFormatFeatureFlags2 buffer_features(const struct vk_physical_device *physical, const struct vk_format_row *row)
{
    VkFormatFeatureFlags2 features = 0;
    if (row->is_vertex)
        features |= VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
    if (row->is_texel_loaded)
        features |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT;
    if (row->is_texel)
        features |= TEXEL_FEATURES;
    if (row->is_atomic)
        features |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
    if (row->is_ray_vertex && physical->supported_features.accelerationStructure)
        features |= VK_FORMAT_FEATURE_2_ACCELERATION_STRUCTURE_VERTEX_BUFFER_BIT_KHR;
    return features;
}

/* A blit writes one aspect: there is none to a format that has both. */
static VkFormatFeatureFlags2 target_features(const struct format_info *info, const struct vk_format_row *row)
{
    bool has_depth = info->aspects & FORMAT_ASPECT_DEPTH, has_stencil = info->aspects & FORMAT_ASPECT_STENCIL;
    VkFormatFeatureFlags2 features = has_depth && has_stencil ? 0 : VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
    if (has_depth || has_stencil)
        return features | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;
    features |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
    return row->is_blended ? features | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT : features;
}

/* The CPU finds the bytes of all images that have any (vk_host_copy.h). */
static VkFormatFeatureFlags2 copy_features(const struct vk_physical_device *physical)
{
    return TRANSFER_FEATURES |
           (physical->supported_features.hostImageCopy ? VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT : 0);
}

static VkFormatFeatureFlags2 image_features(const struct vk_physical_device *physical, const struct format_info *info,
                                            const struct vk_format_row *row)
{
    VkFormatFeatureFlags2 features = copy_features(physical);
    if (row->is_sampled)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT;
    if (row->is_sampled && info->aspects & FORMAT_ASPECT_DEPTH)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
    if (row->is_filtered)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (row->is_cubic)
        features |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_CUBIC_BIT_EXT;
    if (row->is_blit_source)
        features |= VK_FORMAT_FEATURE_2_BLIT_SRC_BIT;
    if (row->is_stored)
        features |= STORAGE_FEATURES;
    if (row->is_stored && row->is_atomic)
        features |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
    return row->is_target ? features | target_features(info, row) : features;
}

/* Features that linear images have not. */
static VkFormatFeatureFlags2 tiled_features(const struct vk_physical_device *physical, const struct vk_format_row *row)
{
    VkFormatFeatureFlags2 features = row->has_minmax ? VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT : 0;
    if (row->is_rate && physical->supported_features.attachmentFragmentShadingRate)
        features |= VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
    return features;
}

/* Sampled through a conversion; the planes themselves are ordinary formats. */
static VkFormatFeatureFlags2 planar_features(const struct vk_physical_device *physical, const struct format_info *info)
{
    if (!physical->supported_features.samplerYcbcrConversion)
        return 0;
    for (unsigned i = 0; i < info->plane_count; i++) {
        struct vk_format_row row = {0};
        physical->formats->row(physical, format_info(info->planes[i].format), &row);
        if (!row.is_plane)
            return 0;
    }
    return PLANAR_FEATURES | copy_features(physical);
}

VkFormatProperties3 vk_format_properties(const struct vk_physical_device *physical, VkFormat format)
{
    VkFormatProperties3 properties = vk_struct_init(VkFormatProperties3);
    const struct format_info *info = format_info((enum format)format);
    struct vk_format_row row = {0};
    if (!info || !info->block_size_B)
        return properties;
    if (info->plane_count > 1) {
        properties.linearTilingFeatures = properties.optimalTilingFeatures = planar_features(physical, info);
        return properties;
    }
    physical->formats->row(physical, info, &row);
    properties.bufferFeatures = buffer_features(physical, &row);
    if (row.is_linear)
        properties.linearTilingFeatures = image_features(physical, info, &row);
    if (row.is_tiled)
        properties.optimalTilingFeatures = image_features(physical, info, &row) | tiled_features(physical, &row);
    return properties;
}

/* ---- modifiers ---- */

static uint32_t list_of(const struct vk_physical_device *physical, VkFormat format,
                        uint64_t modifiers_out[VK_MAX_MODIFIERS])
{
    return physical->formats->modifiers ? physical->formats->modifiers(physical, format, modifiers_out) : 0;
}

/* Planes of one image cannot be bound apart where another driver must find them, and rates are read from layouts of our
 * own. */
static VkFormatFeatureFlags2 modifier_features(const struct vk_physical_device *physical,
                                               const VkFormatProperties3 *all, uint64_t modifier)
{
    const struct vk_format_ops *ops = physical->formats;
    VkFormatFeatureFlags2 features =
        modifier == DRM_FORMAT_MOD_LINEAR ? all->linearTilingFeatures : all->optimalTilingFeatures;
    if (ops->modifier_lacks)
        features &= ~ops->modifier_lacks(modifier);
    return features &
           ~(VK_FORMAT_FEATURE_2_DISJOINT_BIT | VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR);
}

static void list_modifiers(const struct vk_physical_device *physical, VkFormat format, const VkFormatProperties3 *all,
                           void *chain)
{
    VkDrmFormatModifierPropertiesListEXT *narrow = vk_find_struct(chain, VkDrmFormatModifierPropertiesListEXT);
    VkDrmFormatModifierPropertiesList2EXT *wide = vk_find_struct(chain, VkDrmFormatModifierPropertiesList2EXT);
    uint64_t modifiers[VK_MAX_MODIFIERS];
    uint32_t count = list_of(physical, format, modifiers), narrow_count = 0, wide_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        VkFormatFeatureFlags2 features = modifier_features(physical, all, modifiers[i]);
        if (!features)
            continue;
        uint32_t planes = format_info((enum format)format)->plane_count;
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

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice handle, VkFormat format,
                                                                        VkFormatProperties2 *properties)
{
    const struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    VkFormatProperties3 all = vk_format_properties(physical, format);
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

static const struct {
    VkImageUsageFlags usage;
    VkFormatFeatureFlags2 one_of;
} usage_needs[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT, VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, TARGET_FEATURES},
    {VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT, TARGET_FEATURES},
    {VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT, TARGET_FEATURES},
    {VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
     VK_FORMAT_FEATURE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR},
};

/* A usage that no row names is not supported. With extended usage some view's format decides. */
static bool usage_is_possible(VkImageUsageFlags usage, VkFormatFeatureFlags2 features, bool is_extended)
{
    for (unsigned i = 0; i < ARRAY_SIZE(usage_needs); i++) {
        if (usage & usage_needs[i].usage && !is_extended && !(features & usage_needs[i].one_of))
            return false;
        usage &= ~usage_needs[i].usage;
    }
    return usage == 0;
}

static bool flags_are_possible(const VkPhysicalDeviceImageFormatInfo2 *info, const struct format_info *format,
                               VkFormatFeatureFlags2 features, VkImageUsageFlags usage)
{
    /* An image of one plane may have another's memory, and then says that it is disjoint as that one does. */
    const bool is_of_plane = format->plane_count == 1 && info->flags & VK_IMAGE_CREATE_ALIAS_BIT;
    const struct {
        VkImageCreateFlags flags;
        bool is_possible;
    } rules[] = {
        {VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, info->type == VK_IMAGE_TYPE_2D},
        {VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
         info->type == VK_IMAGE_TYPE_3D},
        {VK_IMAGE_CREATE_DISJOINT_BIT, is_of_plane || features & VK_FORMAT_FEATURE_2_DISJOINT_BIT},
        {VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT, format_is_compressed(format)},
        /* No mapping shows the CPU what is bound to a sparse image. */
        {VK_IMAGE_CREATE_SPARSE_BINDING_BIT, !(usage & VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT)},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if (info->flags & rules[i].flags && !rules[i].is_possible)
            return false;
    }
    return true;
}

static VkFormatFeatureFlags2 tiling_features(const struct vk_physical_device *physical,
                                             const VkPhysicalDeviceImageFormatInfo2 *info)
{
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *modifier =
        vk_find_struct_const(info->pNext, VkPhysicalDeviceImageDrmFormatModifierInfoEXT);
    VkFormatProperties3 all = vk_format_properties(physical, info->format);
    if (info->tiling == VK_IMAGE_TILING_LINEAR)
        return all.linearTilingFeatures;
    if (info->tiling == VK_IMAGE_TILING_OPTIMAL)
        return all.optimalTilingFeatures;
    if (info->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT || !modifier || info->type != VK_IMAGE_TYPE_2D)
        return 0;
    uint64_t modifiers[VK_MAX_MODIFIERS];
    uint32_t count = list_of(physical, info->format, modifiers);
    for (uint32_t i = 0; i < count; i++) {
        if (modifiers[i] == modifier->drmFormatModifier)
            return modifier_features(physical, &all, modifiers[i]);
    }
    return 0;
}

static VkImageFormatProperties limits_of(const struct vk_format_ops *ops, const VkPhysicalDeviceImageFormatInfo2 *info,
                                         const struct format_info *format, VkFormatFeatureFlags2 features)
{
    const struct vk_image_limits *most = &ops->image_types[info->type];
    bool is_target = info->tiling == VK_IMAGE_TILING_OPTIMAL && info->type == VK_IMAGE_TYPE_2D &&
                     features & TARGET_FEATURES && !(info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);
    return (VkImageFormatProperties){
        .maxExtent = most->extent,
        /* The chroma of a level would not have half its extent. */
        .maxMipLevels = format->plane_count > 1 ? 1 : log2_floor(most->extent.width) + 1,
        .maxArrayLayers = most->layers,
        .sampleCounts = is_target ? ops->sample_counts : VK_SAMPLE_COUNT_1_BIT,
        .maxResourceSize = UINT32_MAX,
    };
}

static VkResult image_properties(const struct vk_physical_device *physical,
                                 const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties *limits)
{
    const struct vk_format_ops *ops = physical->formats;
    const struct format_info *format = format_info((enum format)info->format);
    const VkImageStencilUsageCreateInfo *stencil = vk_find_struct_const(info->pNext, VkImageStencilUsageCreateInfo);
    VkImageUsageFlags usage = info->usage | (stencil ? stencil->stencilUsage : 0);
    VkFormatFeatureFlags2 features = tiling_features(physical, info);
    if (!features || info->type > VK_IMAGE_TYPE_3D || info->flags & ~ops->image_flags)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (info->type != VK_IMAGE_TYPE_2D && (format_is_depth_or_stencil(format) || format->plane_count > 1))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (!usage_is_possible(usage, features, info->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) ||
        !flags_are_possible(info, format, features, usage))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    *limits = limits_of(ops, info, format, features);
    return !ops->limit || ops->limit(info, format, limits) ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED;
}

/* Of planes: a volume or a cube has no such filter. */
static VkBool32 has_cubic(const struct vk_physical_device *physical, const VkPhysicalDeviceImageFormatInfo2 *info)
{
    const VkPhysicalDeviceImageViewImageFormatInfoEXT *view =
        vk_find_struct_const(info->pNext, VkPhysicalDeviceImageViewImageFormatInfoEXT);
    if (!view || (view->imageViewType != VK_IMAGE_VIEW_TYPE_2D && view->imageViewType != VK_IMAGE_VIEW_TYPE_2D_ARRAY))
        return VK_FALSE;
    struct vk_format_row row = {0};
    physical->formats->row(physical, format_info((enum format)info->format), &row);
    return row.is_cubic;
}

VkExternalMemoryProperties vk_external_image_files(const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkExternalMemoryHandleTypeFlagBits type)
{
    /* Nothing says how an image in a buffer is laid out: one side's create info must be the other's, or a modifier. */
    const bool is_opaque = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT && info->type == VK_IMAGE_TYPE_2D;
    const bool is_dma_buf = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT &&
                            info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    if (!is_opaque && !is_dma_buf)
        return (VkExternalMemoryProperties){0};
    return (VkExternalMemoryProperties){
        .externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
        .exportFromImportedHandleTypes = type,
        .compatibleHandleTypes = type,
    };
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
    const struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    VkImageFormatProperties *limits = &properties->imageFormatProperties;
    VkResult result = image_properties(physical, info, limits);
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        vk_find_struct_const(info->pNext, VkPhysicalDeviceExternalImageFormatInfo);
    VkExternalImageFormatProperties *external_out = vk_find_struct(properties->pNext, VkExternalImageFormatProperties);
    if (result == VK_SUCCESS && external && external->handleType) {
        VkExternalMemoryProperties memory = physical->formats->external(info, external->handleType);
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
        ycbcr->combinedImageSamplerDescriptorCount = format_info((enum format)info->format)->plane_count;
    VkFilterCubicImageViewImageFormatPropertiesEXT *cubic =
        vk_find_struct(properties->pNext, VkFilterCubicImageViewImageFormatPropertiesEXT);
    if (cubic) {
        cubic->filterCubic = has_cubic(physical, info);
        cubic->filterCubicMinmax = VK_FALSE;
    }
    if (physical->formats->extend)
        physical->formats->extend(info, properties);
    return VK_SUCCESS;
}
