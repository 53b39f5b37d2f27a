/* VkDescriptorSetLayout: its bindings, and where in a set's memory each of them lies. What a descriptor is, the family
 * says (vk_descriptor.h).
 *
 * Bindings of large alignment come first and the variable one last. So a set wastes less than its own alignment,
 * whatever is in it, and a pool knows how much memory it must have.
 *
 * Pipeline layouts, templates and sets hold references, for the application may destroy its handle while they live. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_SET_LAYOUT_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_SET_LAYOUT_H

#include <stdatomic.h>

#include "vulkan/runtime/descriptor/vk_descriptor.h"
#include "vulkan/runtime/pipeline/vk_shader_module.h"

struct vk_ycbcr_conversion;

#define VK_NO_BINDING UINT32_MAX
#define VK_NO_SAMPLER UINT32_MAX

struct vk_descriptor_binding {
    VkDescriptorType type;
    VkDescriptorBindingFlags flags;
    uint32_t count; /* array elements; bytes of an inline uniform block; 0: the number is unused */
    uint32_t offset_B, stride_B;
    uint32_t dynamic_index;    /* first, among the set's dynamic buffers */
    uint32_t sampler_index;    /* first of its immutable ones in the layout's tables, or VK_NO_SAMPLER */
    uint16_t sampler_offset_B; /* within the element: after the image, where it is or may become one with a sampler */
    uint8_t planes;            /* images of an element that has any */
};

struct vk_descriptor_set_layout {
    struct vk_object_base base;
    _Atomic uint32_t refs;
    VkDescriptorSetLayoutCreateFlags flags;
    const struct vk_descriptor_ops *ops;
    uint8_t inline_header_B; /* before an inline block's bytes: none in a descriptor buffer */
    uint32_t size_B;         /* without the variable binding's elements */
    uint32_t num_bindings;
    struct vk_descriptor_binding *bindings; /* by number */
    uint32_t variable_binding;              /* the number, or VK_NO_BINDING */
    uint32_t num_dynamic;                   /* dynamic buffers */
    bool has_fixed_content;                 /* a new set is written to: immutable samplers, headers of inline blocks */
    bool has_conversions;
    bool has_input_attachments;
    uint32_t *immutable_samplers;                   /* descriptors, as the family writes them */
    const struct vk_ycbcr_conversion **conversions; /* the same samplers'; NULL entries: none */
    void *compiler_bindings;                        /* vk_descriptor_ops::compiler_binding_B each; by number */
    /* Of everything that compiled code depends on: bindings, types, counts, places, immutable samplers' contents. Two
     * layouts with one hash are one to the shader cache. */
    uint8_t hash[VK_HASH_SIZE_B];
};

VK_DEFINE_CASTS(vk_descriptor_set_layout, VkDescriptorSetLayout)

static inline struct vk_descriptor_set_layout *vk_descriptor_set_layout_ref(struct vk_descriptor_set_layout *layout)
{
    if (layout)
        atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
    return layout;
}

/* Its sets are memory that the application fills, and the samplers of some are nowhere in memory. */
static inline bool vk_layout_is_of_buffer(VkDescriptorSetLayoutCreateFlags flags)
{
    return flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
}

static inline bool vk_layout_is_embedded(VkDescriptorSetLayoutCreateFlags flags)
{
    return flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT;
}

void vk_descriptor_set_layout_unref(struct vk_descriptor_set_layout *layout); /* NULL is allowed */

/* Bytes of a set whose variable binding has so many elements. */
uint32_t vk_descriptor_set_layout_size_B(const struct vk_descriptor_set_layout *layout, uint32_t variable_count);

/* Images of an element whose immutable sampler converts from a known format. */
unsigned vk_descriptor_planes(const struct vk_descriptor_ops *ops, const struct vk_ycbcr_conversion *conversion);

/* An immutable sampler's descriptor. */
static inline uint32_t *vk_immutable_sampler(const struct vk_descriptor_set_layout *layout, uint32_t index)
{
    return layout->immutable_samplers + (size_t)index * (layout->ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER] / 4);
}

#endif
