/* VkDescriptorPool and VkDescriptorSet: places in memory. A pool is one buffer object (or host memory, where its sets are
 * only ever copied from) and one piece of host memory for everything else, both made with the pool: sets come and go
 * without any allocation. How large descriptors are and what is written into them is the family's.
 *
 * Dynamic buffers are no part of a set's memory: their descriptors, before the offset is added, are in host memory. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_POOL_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_POOL_H

#include "vulkan/runtime/vk_descriptor_set_layout.h"

struct vk_bo;
struct vk_descriptor_set;
struct vk_range;

/* What a family says of its descriptors: vk_device::descriptors. Any thread may call the functions. */
struct vk_descriptor_ops {
    uint32_t
        set_align_B; /* of a set's place. A set takes no more than its elements and once this, for what lies between */
    uint32_t dynamic_B; /* of a dynamic buffer's descriptor: a multiple of 4 */
    uint32_t inline_B;  /* what an inline uniform block takes besides its bytes */
    /* Bytes of an element of a binding; `types` is of VK_DESCRIPTOR_TYPE_MUTABLE_EXT, NULL: any. Not asked of dynamic
     * buffers and of inline blocks. */
    uint32_t (*element_B)(VkDescriptorType type, const VkMutableDescriptorTypeListEXT *types);
    /* Bytes of a set whose variable binding has so many elements: a multiple of set_align_B. */
    uint32_t (*set_B)(const struct vk_descriptor_set_layout *layout, uint32_t variable_count);
    /* A new set: what no update ever changes is to be written. NULL: there is no such thing. */
    void (*begin_set)(struct vk_descriptor_set *set);
    /* Mapped memory for sets. */
    VkResult (*create_bo)(struct vk_device *device, uint32_t size_B, struct vk_bo **bo_out);
    void (*destroy_bo)(struct vk_device *device, struct vk_bo *bo);
};

struct vk_descriptor_set {
    struct vk_object_base base;
    struct vk_descriptor_set_layout *layout; /* a reference; NULL: the place in the pool is free */
    uint64_t va;                             /* 0: there is nothing in memory, or in none that the GPU reads */
    uint32_t *map;
    uint32_t *dynamic; /* vk_descriptor_ops::dynamic_B each */
    uint32_t num_dynamic;
    uint32_t variable_count;
    uint32_t size_B;
    /* Of a pool that frees single sets: its places in the pool's memory. */
    struct vk_range *memory_range, *dynamic_range;
    struct vk_descriptor_set *next_free;
};

VK_DEFINE_CASTS(vk_descriptor_set, VkDescriptorSet)

static inline bool vk_descriptor_is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

#endif
