/* Limits and properties of which the API has many and a driver one number: each said once. A
 * driver adds what is its own. */
#ifndef VULKAN_RUNTIME_VK_LIMITS_H
#define VULKAN_RUNTIME_VK_LIMITS_H

#include "vulkan/runtime/object/vk_api.h"

struct vk_properties;

/* Of sets that are memory: there are as many descriptors of one type as of all. */
struct vk_descriptor_limits {
    uint32_t sets;                               /* that can be bound */
    uint32_t descriptors;                        /* of a set, of a stage */
    uint32_t pool_descriptors;                   /* of all sets that are updated after they are bound */
    uint32_t dynamic_uniforms, dynamic_storages; /* of a set; any mix of both fits */
    uint32_t pushed;
    uint32_t inline_B, inline_total_B;
};

void vk_fill_descriptor_limits(struct vk_properties *properties, const struct vk_descriptor_limits *limits);

/* Samples of attachments, of sampled images and of rendering without attachments. */
void vk_fill_sample_counts(struct vk_properties *properties, VkSampleCountFlags samples);

/* Limits that the shared rooms decide for every driver. */
void vk_fill_common_limits(struct vk_properties *properties);

#endif
