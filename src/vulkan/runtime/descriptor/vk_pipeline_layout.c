/* Pipeline layouts. */
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_hasher.h"

/* With room for so many sets and ranges, in one piece of memory. */
static struct vk_pipeline_layout *create_layout(struct vk_device *device, uint32_t max_sets, uint32_t max_ranges)
{
    size_t ranges_at_B = sizeof(struct vk_pipeline_layout) + max_sets * sizeof(struct vk_descriptor_set_layout *),
           dynamic_at_B = ranges_at_B + max_ranges * sizeof(VkPushConstantRange);
    struct vk_pipeline_layout *layout =
        vk_object_create(device, NULL, dynamic_at_B + max_sets * sizeof(uint32_t), VK_OBJECT_TYPE_PIPELINE_LAYOUT);
    if (!layout)
        return NULL;
    atomic_init(&layout->refs, 1);
    layout->push_ranges = (VkPushConstantRange *)((char *)layout + ranges_at_B);
    layout->first_dynamic = (uint32_t *)((char *)layout + dynamic_at_B);
    return layout;
}

static void add_range(struct vk_pipeline_layout *layout, const VkPushConstantRange *range)
{
    uint32_t end_B = range->offset + range->size;
    if (!range->size || !range->stageFlags)
        return;
    layout->push_size_B = MAX2(layout->push_size_B, end_B);
    for (uint32_t i = 0; i < layout->push_range_count; i++) {
        VkPushConstantRange *old = &layout->push_ranges[i];
        if (old->stageFlags != range->stageFlags)
            continue;
        uint32_t old_end_B = old->offset + old->size;
        old->offset = MIN2(old->offset, range->offset);
        old->size = MAX2(old_end_B, end_B) - old->offset;
        return;
    }
    layout->push_ranges[layout->push_range_count++] = *range;
}

static void count_dynamic(struct vk_pipeline_layout *layout)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < layout->set_count; i++) {
        layout->first_dynamic[i] = next;
        next += layout->set_layouts[i] ? layout->set_layouts[i]->num_dynamic : 0;
    }
}

/* An open set hashes as zeroes: no layout's hash, for it is one of 2^128. */
static void set_hash(struct vk_pipeline_layout *layout)
{
    static const uint8_t open[VK_HASH_SIZE_B];
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    vk_hasher_add_u32(&hasher, layout->set_count);
    for (uint32_t i = 0; i < layout->set_count; i++)
        vk_hasher_add(&hasher, layout->set_layouts[i] ? layout->set_layouts[i]->hash : open, VK_HASH_SIZE_B);
    vk_hasher_add_sized(&hasher, layout->push_ranges, layout->push_range_count * sizeof(*layout->push_ranges));
    vk_hasher_end(&hasher, layout->hash);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreatePipelineLayout(VkDevice handle, const VkPipelineLayoutCreateInfo *info,
                                                              const VkAllocationCallbacks *allocator,
                                                              VkPipelineLayout *layout_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_pipeline_layout *layout = create_layout(device, info->setLayoutCount, info->pushConstantRangeCount);
    if (!layout)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    layout->flags = info->flags;
    layout->set_count = info->setLayoutCount;
    for (uint32_t i = 0; i < info->setLayoutCount; i++)
        layout->set_layouts[i] =
            vk_descriptor_set_layout_ref(vk_descriptor_set_layout_from_handle(info->pSetLayouts[i]));
    for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
        add_range(layout, &info->pPushConstantRanges[i]);
    count_dynamic(layout);
    set_hash(layout);
    *layout_out = vk_pipeline_layout_to_handle(layout);
    return VK_SUCCESS;
}

void vk_pipeline_layout_unref(struct vk_pipeline_layout *layout)
{
    if (!layout || atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < layout->set_count; i++)
        vk_descriptor_set_layout_unref(layout->set_layouts[i]);
    vk_object_destroy(layout->base.device, NULL, &layout->base);
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyPipelineLayout(VkDevice handle, VkPipelineLayout layout,
                                                           const VkAllocationCallbacks *allocator)
{
    vk_pipeline_layout_unref(vk_pipeline_layout_from_handle(layout));
}

VkPushConstantRange vk_pipeline_layout_push_range(const struct vk_pipeline_layout *layout, VkShaderStageFlags stages)
{
    uint32_t begin_B = UINT32_MAX, end_B = 0;
    for (uint32_t i = 0; layout && i < layout->push_range_count; i++) {
        const VkPushConstantRange *range = &layout->push_ranges[i];
        if (!(range->stageFlags & stages))
            continue;
        begin_B = MIN2(begin_B, range->offset);
        end_B = MAX2(end_B, range->offset + range->size);
    }
    return end_B ? (VkPushConstantRange){stages, begin_B, end_B - begin_B}
                 : (VkPushConstantRange){.stageFlags = stages};
}

/* Everything of `other` is in `layout` already. */
static bool includes_layout(const struct vk_pipeline_layout *layout, const struct vk_pipeline_layout *other)
{
    if (layout == other || !memcmp(layout->hash, other->hash, VK_HASH_SIZE_B))
        return true;
    for (uint32_t i = 0; i < other->set_count; i++) {
        if (other->set_layouts[i] && (i >= layout->set_count || !layout->set_layouts[i]))
            return false;
    }
    for (uint32_t i = 0; i < other->push_range_count; i++) {
        const VkPushConstantRange *range = &other->push_ranges[i];
        VkPushConstantRange have = vk_pipeline_layout_push_range(layout, range->stageFlags);
        if (have.offset > range->offset || have.offset + have.size < range->offset + range->size)
            return false;
    }
    return true;
}

static struct vk_pipeline_layout *first_that_includes_all(uint32_t count, struct vk_pipeline_layout *const *layouts)
{
    for (uint32_t i = 0; i < count; i++) {
        bool all = layouts[i] != NULL;
        for (uint32_t j = 0; all && j < count; j++)
            all = !layouts[j] || includes_layout(layouts[i], layouts[j]);
        if (all)
            return layouts[i];
    }
    return NULL;
}

VkResult vk_pipeline_layout_merge(struct vk_device *device, uint32_t count, struct vk_pipeline_layout *const *layouts,
                                  struct vk_pipeline_layout **layout_out)
{
    *layout_out = vk_pipeline_layout_ref(first_that_includes_all(count, layouts));
    uint32_t max_sets = 0, max_ranges = 0;
    for (uint32_t i = 0; i < count; i++) {
        max_sets = layouts[i] ? MAX2(max_sets, layouts[i]->set_count) : max_sets;
        max_ranges += layouts[i] ? layouts[i]->push_range_count : 0;
    }
    if (*layout_out || count == 0)
        return VK_SUCCESS;
    struct vk_pipeline_layout *merged = create_layout(device, max_sets, max_ranges);
    if (!merged)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    merged->set_count = max_sets;
    for (uint32_t i = 0; i < count; i++) {
        if (!layouts[i])
            continue;
        merged->flags |= layouts[i]->flags;
        for (uint32_t set = 0; set < layouts[i]->set_count; set++) {
            if (!merged->set_layouts[set])
                merged->set_layouts[set] = vk_descriptor_set_layout_ref(layouts[i]->set_layouts[set]);
        }
        for (uint32_t range = 0; range < layouts[i]->push_range_count; range++)
            add_range(merged, &layouts[i]->push_ranges[range]);
    }
    count_dynamic(merged);
    set_hash(merged);
    *layout_out = merged;
    return VK_SUCCESS;
}
