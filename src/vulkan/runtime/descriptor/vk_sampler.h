/* VkSampler: what it was created with, its chain read once and what does not count normalised. The hardware's
 * descriptor is the driver's. */
#ifndef VULKAN_RUNTIME_VK_SAMPLER_H
#define VULKAN_RUNTIME_VK_SAMPLER_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_ycbcr_conversion;

struct vk_sampler {
    struct vk_object_base base;
    VkSamplerCreateFlags flags;
    VkFilter mag_filter, min_filter;
    VkSamplerMipmapMode mipmap_mode;
    VkSamplerAddressMode address_modes[3]; /* u, v, w */
    float lod_bias, min_lod, max_lod;
    float max_anisotropy; /* 1 where it is off */
    bool compare_enable;
    VkCompareOp compare_op; /* VK_COMPARE_OP_NEVER where it is off */
    bool unnormalized;
    VkSamplerReductionMode reduction_mode; /* VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE where nothing was said */

    VkBorderColor border_color;
    VkClearColorValue border_value; /* the colour by value, whichever way it was given */
    VkFormat border_format;         /* that a custom colour is meant for; VK_FORMAT_UNDEFINED: any */
    /* How the views are swizzled that the colour is used with, for hardware that would swizzle it, too. */
    VkComponentMapping border_components; /* no identities */
    bool border_srgb;

    struct vk_ycbcr_conversion *ycbcr; /* NULL: none; the application keeps it alive */
};

VK_DEFINE_CASTS(vk_sampler, VkSampler)

/* An object of `size_B` bytes that begins with a vk_sampler; NULL when there is no memory. */
void *vk_sampler_create(struct vk_device *device, const VkSamplerCreateInfo *info, const VkAllocationCallbacks *own,
                        size_t size_B);
void vk_sampler_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_sampler *sampler);

/* A sampler on the stack of a driver, for its own operations; nothing to destroy. */
void vk_sampler_init(struct vk_device *device, struct vk_sampler *sampler, const VkSamplerCreateInfo *info);

static inline bool vk_border_color_is_custom(VkBorderColor color)
{
    return color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || color == VK_BORDER_COLOR_INT_CUSTOM_EXT;
}

static inline bool vk_border_color_is_int(VkBorderColor color)
{
    return color == VK_BORDER_COLOR_INT_TRANSPARENT_BLACK || color == VK_BORDER_COLOR_INT_OPAQUE_BLACK ||
           color == VK_BORDER_COLOR_INT_OPAQUE_WHITE || color == VK_BORDER_COLOR_INT_CUSTOM_EXT;
}

/* Whether the border can be seen: some coordinate is clamped to it. */
static inline bool vk_sampler_uses_border(const struct vk_sampler *sampler)
{
    for (unsigned i = 0; i < 3; i++) {
        if (sampler->address_modes[i] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)
            return true;
    }
    return false;
}

#endif
