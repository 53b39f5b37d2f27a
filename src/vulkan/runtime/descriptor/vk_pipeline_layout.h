/* VkPipelineLayout: which set layouts and push constants the shaders of a pipeline see. Fully the runtime's; counted
 * references, for pipelines and command buffers may outlive the application's handle. */
#ifndef VULKAN_RUNTIME_VK_PIPELINE_LAYOUT_H
#define VULKAN_RUNTIME_VK_PIPELINE_LAYOUT_H

#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

struct vk_pipeline_layout {
    struct vk_object_base base;
    _Atomic uint32_t refs;
    VkPipelineLayoutCreateFlags flags;
    uint8_t hash[VK_HASH_SIZE_B]; /* of the sets' hashes and the push ranges: equal hashes are compatible layouts */
    /* As the application gave them, but without empty ones and with ranges of equal stages merged. */
    uint32_t push_range_count;
    VkPushConstantRange *push_ranges;
    uint32_t push_size_B;    /* the end of the last one */
    uint32_t *first_dynamic; /* by set: its first dynamic buffer among those of all sets */
    uint32_t set_count;
    struct vk_descriptor_set_layout *set_layouts[]; /* references; NULL where a set is left open (independent sets) */
};

VK_DEFINE_CASTS(vk_pipeline_layout, VkPipelineLayout)

static inline struct vk_pipeline_layout *vk_pipeline_layout_ref(struct vk_pipeline_layout *layout)
{
    if (layout)
        atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
    return layout;
}

void vk_pipeline_layout_unref(struct vk_pipeline_layout *layout); /* NULL is allowed */

/* The smallest range that covers everything that any of `stages` may read; size 0: nothing. */
VkPushConstantRange vk_pipeline_layout_push_range(const struct vk_pipeline_layout *layout, VkShaderStageFlags stages);

/* One layout of several (NULL entries are passed over): a set is the first that is not NULL, push ranges are all of
 * them. How the parts of a pipeline that were made with independent sets become one. A reference in *layout_out, which
 * is one of those given where nothing is to be added. */
VkResult vk_pipeline_layout_merge(struct vk_device *device, uint32_t count, struct vk_pipeline_layout *const *layouts,
                                  struct vk_pipeline_layout **layout_out);

#endif
