/* Samplers: their descriptors, and the device's table of custom border colours. */
#ifndef AMD_DRIVER_RADEON_SAMPLER_H
#define AMD_DRIVER_RADEON_SAMPLER_H

#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/vk_sampler.h"

#define RADEON_NO_BORDER_SLOT UINT32_MAX
#define RADEON_BORDER_SLOTS 4096
#define RADEON_BORDER_SLOT_B 16

struct radeon_sampler {
    struct vk_sampler vk;
    uint32_t words[4];
    uint32_t border_slot; /* in radeon_device.border_colors, or RADEON_NO_BORDER_SLOT */
};

VK_DEFINE_CASTS(radeon_sampler, VkSampler)

/* For samplers of the driver's own, without a border colour of their own: nothing to destroy. */
void radeon_sampler_words(const VkSamplerCreateInfo *info, uint32_t border_slot, uint32_t words_out[4]);

/* The table of border colours; its address goes to TA_BC_BASE_ADDR and TA_CS_BC_BASE_ADDR. */
VkResult radeon_border_colors_init(struct radeon_device *device);
void radeon_border_colors_finish(struct radeon_device *device);

#endif
