/* VkDescriptorPool and VkDescriptorSet: places in memory. A pool is one buffer object (or host memory, where its sets
 * are only ever copied from) and one piece of host memory for everything else, both made with the pool: sets come and
 * go without any allocation. How large descriptors are and what is written into them is the family's (vk_descriptor.h).
 *
 * Dynamic buffers are no part of a set's memory: their descriptors, before the offset is added, are in host memory. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_POOL_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_POOL_H

#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

struct vk_range;

struct vk_descriptor_set {
    struct vk_object_base base;
    struct vk_descriptor_set_layout *layout; /* a reference; NULL: the place in the pool is free */
    uint64_t va;                             /* 0: there is nothing in memory, or in none that the GPU reads */
    uint32_t *map;
    uint32_t *dynamic; /* vk_descriptor_dynamic_B each */
    uint32_t num_dynamic;
    uint32_t variable_count;
    uint32_t size_B;
    /* Of a pool that frees single sets: its places in the pool's memory. */
    struct vk_range *memory_range, *dynamic_range;
    struct vk_descriptor_set *next_free;
};

VK_DEFINE_CASTS(vk_descriptor_set, VkDescriptorSet)

#endif
