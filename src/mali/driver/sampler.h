/* Samplers: their descriptors. Border colours stand in the descriptor itself. */
#ifndef MALI_DRIVER_SAMPLER_H
#define MALI_DRIVER_SAMPLER_H

#include "mali/driver/image.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"

struct mali_sampler {
    struct vk_sampler vk;
    uint32_t words[MALI_DESCRIPTOR_DW];
};

VK_DEFINE_CASTS(mali_sampler, VkSampler)

/* Also for samplers of the driver's own (vk_sampler_init). */
void mali_sampler_words(const struct vk_sampler *sampler, uint32_t words_out[MALI_DESCRIPTOR_DW]);

#endif
