/* Samplers: their descriptors, and the table of border colours that descriptors count in. */
#ifndef ADRENO_DRIVER_SAMPLER_H
#define ADRENO_DRIVER_SAMPLER_H

#include <pthread.h>

#include "vulkan/runtime/descriptor/vk_sampler.h"

#define ADRENO_SAMPLER_DW 4
#define ADRENO_BORDER_DW 32
#define ADRENO_BORDER_B (ADRENO_BORDER_DW * 4)
#define ADRENO_FIRST_CUSTOM_BORDER 6 /* before them the colours that VkBorderColor names, by their number */
#define ADRENO_BORDERS 4096

struct adreno_sampler {
    struct vk_sampler vk;
    uint32_t words[ADRENO_SAMPLER_DW];
    uint32_t border; /* of the table */
};

VK_DEFINE_CASTS(adreno_sampler, VkSampler)

/* A descriptor whose border is a place of the table. Also for samplers of the driver's own (vk_sampler_init). */
void adreno_sampler_words(const struct vk_sampler *sampler, uint32_t border, uint32_t words_out[ADRENO_SAMPLER_DW]);

/* A colour in every form that a format may ask for. */
void adreno_border_words(const VkClearColorValue *color, bool is_int, uint32_t words_out[ADRENO_BORDER_DW]);

/* ---- the device's table (sampler_object.c) ---- */

struct adreno_bo;
struct adreno_device;

struct adreno_borders {
    struct adreno_bo *bo;
    pthread_mutex_t lock;
    uint64_t used[ADRENO_BORDERS / 64];
};

VkResult adreno_borders_init(struct adreno_device *device);
void adreno_borders_finish(struct adreno_device *device); /* of a device whose init failed, too */

/* The places before ADRENO_FIRST_CUSTOM_BORDER. */
void adreno_border_table_init(uint32_t (*table)[ADRENO_BORDER_DW]);

#endif
