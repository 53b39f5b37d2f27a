/* Samplers: their descriptors, and which custom border colour of the device's table is whose. */
#ifndef AMD_DRIVER_RADEON_SAMPLER_H
#define AMD_DRIVER_RADEON_SAMPLER_H

#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"

#define RADEON_NO_BORDER_SLOT UINT32_MAX
#define RADEON_BORDER_SLOTS 4096
#define RADEON_BORDER_SLOT_B 16

struct radeon_sampler {
    struct vk_sampler vk;
    uint32_t words[4];
    uint32_t border_slot; /* in radeon_device.border_colors, or RADEON_NO_BORDER_SLOT */
};

VK_DEFINE_CASTS(radeon_sampler, VkSampler)

static inline struct radeon_sampler *radeon_sampler_of(struct vk_sampler *sampler)
{
    return (struct radeon_sampler *)sampler;
}

/* Also for samplers of the driver's own (vk_sampler_init), which take RADEON_NO_BORDER_SLOT. */
void radeon_sampler_words(const struct vk_sampler *sampler, uint32_t border_slot, uint32_t words_out[4]);

#endif
