/* VkDescriptorSetLayout: what the runtime knows of it. A driver's own struct begins with this one and says how a set
 * lies in memory. Pipeline layouts, templates and sets hold references, for the application may destroy its handle
 * while they live. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_SET_LAYOUT_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_SET_LAYOUT_H

#include <stdatomic.h>

#include "vulkan/runtime/vk_object.h"
#include "vulkan/runtime/vk_shader_module.h"

struct vk_descriptor_set_layout {
    struct vk_object_base base;
    _Atomic uint32_t refs;
    VkDescriptorSetLayoutCreateFlags flags;
    uint32_t num_dynamic;    /* dynamic buffers; the driver's to fill in, for pools, as the next */
    bool has_variable_count; /* of its last binding */
    /* Of everything that compiled code depends on: bindings, types, counts, places, immutable samplers' contents. The
     * driver fills it in before it hands the layout out; two layouts with one hash are one to the shader cache. */
    uint8_t hash[VK_HASH_SIZE_B];
    /* Called with the last reference gone, to release what the driver hung on the layout; not the layout's own memory.
     * NULL: nothing to release. */
    void (*release)(struct vk_device *device, struct vk_descriptor_set_layout *layout);
};

VK_DEFINE_CASTS(vk_descriptor_set_layout, VkDescriptorSetLayout)

/* For a driver's vkCreateDescriptorSetLayout: `size_B` zeroed bytes that begin with the base, with one reference; NULL
 * when there is no memory. The memory is the device's and not of the command's own callbacks: those may be gone when
 * the last reference is. vkDestroyDescriptorSetLayout is the runtime's. */
void *vk_descriptor_set_layout_create(struct vk_device *device, size_t size_B, VkDescriptorSetLayoutCreateFlags flags);

static inline struct vk_descriptor_set_layout *vk_descriptor_set_layout_ref(struct vk_descriptor_set_layout *layout)
{
    if (layout)
        atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
    return layout;
}

void vk_descriptor_set_layout_unref(struct vk_descriptor_set_layout *layout); /* NULL is allowed */

#endif
