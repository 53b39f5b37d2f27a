/* Descriptor sets in command buffers: binding, dynamic offsets, pushed descriptors. Recording notes what changed; the
 * addresses reach the stream before the next draw or dispatch. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_descriptor_update_template.h"

static struct radeon_bindings *bindings_of(struct radeon_cmd_buffer *cmd, VkPipelineBindPoint point)
{
    return &cmd->bindings[point == VK_PIPELINE_BIND_POINT_COMPUTE ? RADEON_BIND_COMPUTE : RADEON_BIND_GRAPHICS];
}

static void bind_address(struct radeon_bindings *bindings, uint32_t number, uint64_t va)
{
    uint32_t bit = 1u << number, is_new = bindings->set_va[number] != va || !(bindings->valid & bit);
    bindings->set_va[number] = va;
    bindings->valid |= bit;
    bindings->dirty |= is_new << number;
}

/* A buffer's address is the low 48 bits of its first two words; what follows them does not change. No carry leaves
 * them: the buffer would end beyond the address space. */
static bool add_dynamic(uint32_t out[4], const uint32_t words[4], uint32_t offset_B)
{
    uint64_t old[2], now[2];
    memcpy(old, out, sizeof(old));
    memcpy(now, words, sizeof(now));
    now[0] += offset_B;
    memcpy(out, now, sizeof(now));
    return old[0] != now[0] || old[1] != now[1];
}

/* Answers how many offsets were used. */
static uint32_t bind_dynamic(struct radeon_bindings *bindings, const struct vk_descriptor_set *set, uint32_t first,
                             const uint32_t *offsets)
{
    bool changed = first + set->num_dynamic > bindings->num_dynamic;
    for (uint32_t i = 0; i < set->num_dynamic; i++)
        changed |= add_dynamic(bindings->dynamic[first + i], set->dynamic + i * 4, offsets[i]);
    bindings->num_dynamic = MAX2(bindings->num_dynamic, first + set->num_dynamic);
    bindings->dynamic_dirty |= changed;
    return set->num_dynamic;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                        VkPipelineLayout layout_handle, uint32_t first, uint32_t count,
                                                        const VkDescriptorSet *sets, uint32_t offset_count,
                                                        const uint32_t *offsets)
{
    struct radeon_bindings *bindings = bindings_of(radeon_cmd_buffer_from_handle(handle), point);
    const struct vk_pipeline_layout *layout = vk_pipeline_layout_from_handle(layout_handle);
    uint32_t dynamic_at = offset_count ? layout->first_dynamic[first] : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_descriptor_set *set = vk_descriptor_set_from_handle(sets[i]);
        if (!set) /* of a layout with independent sets */ {
            if (offset_count && layout->set_layouts[first + i])
                dynamic_at += layout->set_layouts[first + i]->num_dynamic;
            continue;
        }
        bind_address(bindings, first + i, set->va);
        if (set->num_dynamic) {
            uint32_t used = bind_dynamic(bindings, set, dynamic_at, offsets);
            offsets += used;
            dynamic_at += used;
        }
    }
    /* A pushed set that was not used yet is dropped. */
    if (bindings->push_dirty && bindings->push_set->number - first < count)
        bindings->push_dirty = false;
}

/* ---- pushed sets ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                          VkPipelineLayout layout, uint32_t number, uint32_t count,
                                                          const VkWriteDescriptorSet *writes)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_bindings *bindings = bindings_of(cmd, point);
    bindings->push_dirty |= vk_push_set_write(&cmd->vk, &bindings->push_set, layout, number, count, writes);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer handle,
                                                                      VkDescriptorUpdateTemplate template_handle,
                                                                      VkPipelineLayout layout, uint32_t number,
                                                                      const void *data)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct vk_descriptor_update_template *template = vk_descriptor_update_template_from_handle(template_handle);
    struct radeon_bindings *bindings = bindings_of(cmd, template->bind_point);
    bindings->push_dirty |= vk_push_set_write_template(&cmd->vk, &bindings->push_set, layout, number, template, data);
}

/* Each upload is new memory: the GPU may not have read the last one yet. */
void radeon_push_set_upload(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings)
{
    const struct vk_push_set *push = bindings->push_set;
    uint64_t va = 0;
    bindings->push_dirty = false;
    if (push->set.size_B) {
        void *map = radeon_cmd_upload(cmd, push->set.size_B, RADEON_SET_ALIGN_B, &va);
        if (!map)
            return;
        memcpy(map, push->set.map, push->set.size_B);
    }
    bind_address(bindings, push->number, va);
}

/* ---- lifetime ---- */

void radeon_bindings_reset(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings)
{
    bindings->valid = bindings->dirty = 0;
    bindings->num_dynamic = 0;
    bindings->dynamic_dirty = bindings->push_dirty = false;
    vk_push_set_reset(bindings->push_set);
}

void radeon_bindings_finish(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings)
{
    vk_push_set_destroy(&cmd->vk, bindings->push_set);
    bindings->push_set = NULL;
}
