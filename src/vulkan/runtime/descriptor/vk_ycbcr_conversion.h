/* VkSamplerYcbcrConversion: what it was created with. The runtime implements the object; what to do with it is the
 * compiler's and the sampler's. */
#ifndef VULKAN_RUNTIME_VK_YCBCR_CONVERSION_H
#define VULKAN_RUNTIME_VK_YCBCR_CONVERSION_H

#include "util/format/format.h"
#include "vulkan/runtime/object/vk_object.h"

struct vk_ycbcr_conversion {
    struct vk_object_base base;
    VkFormat format;
    const struct format_info *format_info; /* NULL for an unknown format */
    VkSamplerYcbcrModelConversion model;
    VkSamplerYcbcrRange range;
    VkComponentMapping components;     /* no identities: each names its source */
    VkChromaLocation chroma_offset[2]; /* x, y; ignored in a direction in which chroma is as dense as luma */
    VkFilter chroma_filter;
    bool explicit_reconstruction; /* chroma must be rebuilt in the shader even where the hardware could */
};

VK_DEFINE_CASTS(vk_ycbcr_conversion, VkSamplerYcbcrConversion)

#endif
