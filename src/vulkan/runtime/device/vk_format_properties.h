/* The uses of a format, and the limits of its images: the answers of vkGetPhysicalDevice*Format*. A family fills in a
 * row of the uses that its hardware, its driver and its compiler support all the way; Vulkan's answers follow here:
 * which features a format has in which tiling, which usages, flags and types an image may have.
 *
 * Copies, blits and conversions between planes are vulkan/meta's and vk_ycbcr_lower's, so that their features follow,
 * too. */
#ifndef VULKAN_RUNTIME_VK_FORMAT_PROPERTIES_H
#define VULKAN_RUNTIME_VK_FORMAT_PROPERTIES_H

#include "util/format/format.h"
#include "vulkan/runtime/object/vk_api.h"

struct vk_physical_device;

#define VK_MAX_MODIFIERS 16

/* All false: the format cannot be used. Of formats of several planes nothing is asked; their planes have rows. */
struct vk_format_row {
    /* buffers */
    bool is_vertex;
    bool is_texel_loaded; /* typed loads */
    bool is_texel;        /* and stores */
    bool is_ray_vertex;   /* of what acceleration structures are built from */
    /* images */
    bool is_linear, is_tiled; /* in rows, and as the GPU likes it best */
    bool is_sampled, is_filtered, has_minmax;
    bool is_cubic; /* filtered with cubes, as planes are (VK_EXT_filter_cubic) */
    bool is_blit_source;
    bool is_stored;
    bool is_target; /* for colour or depth and stencil, as the format is */
    bool is_blended;
    bool is_rate;  /* shading rates of pixels, as an attachment */
    bool is_plane; /* of a multi-planar image: sampled, whatever is said above */
    /* both */
    bool is_atomic; /* on texels where images are stored, and on typed buffers */
};

struct vk_image_limits {
    VkExtent3D extent;
    uint32_t layers;
};

/* vk_physical_device::formats. Any thread may call the functions. */
struct vk_format_ops {
    VkImageCreateFlags image_flags;        /* that the driver knows; others are refused */
    VkSampleCountFlags sample_counts;      /* of targets that are no cubes */
    struct vk_image_limits image_types[3]; /* by VkImageType */

    void (*row)(const struct vk_physical_device *physical, const struct format_info *info,
                struct vk_format_row *row_out);
    /* The modifiers that an image of a format can have, the best first: how many. NULL: none. */
    uint32_t (*modifiers)(const struct vk_physical_device *physical, VkFormat format,
                          uint64_t modifiers_out[VK_MAX_MODIFIERS]);
    /* Features of optimal tiling that images with a modifier do not have. NULL: none of them. */
    VkFormatFeatureFlags2 (*modifier_lacks)(uint64_t modifier);
    /* Images that the family refuses or limits besides; false: no such image. NULL: nothing. */
    bool (*limit)(const VkPhysicalDeviceImageFormatInfo2 *info, const struct format_info *format,
                  VkImageFormatProperties *limits);
    /* Images that can be shared by a kind of handle, if any. vk_external_image_files, or a family's. */
    VkExternalMemoryProperties (*external)(const VkPhysicalDeviceImageFormatInfo2 *info,
                                           VkExternalMemoryHandleTypeFlagBits type);
    /* Answers in the chain of extensions of its own. NULL: none. */
    void (*extend)(const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties);
};

/* Images as opaque files and, with a modifier, as dma-bufs, given away and taken. */
VkExternalMemoryProperties vk_external_image_files(const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkExternalMemoryHandleTypeFlagBits type);

VkFormatProperties3 vk_format_properties(const struct vk_physical_device *physical, VkFormat format);

/* Whether linear filters mean anything for its numbers. */
static inline bool vk_format_can_be_filtered(const struct format_info *info)
{
    return !format_is_integer(info) && info->numeric != FORMAT_NUMERIC_USCALED &&
           info->numeric != FORMAT_NUMERIC_SSCALED;
}

/* The formats that VK_EXT_sampler_filter_minmax demands. */
bool vk_format_needs_minmax(const struct format_info *info);
/* Integers of one component, which hardware that filters minima and maxima by comparing may take beside them. */
bool vk_format_compares_integers(const struct format_info *info);

#endif
