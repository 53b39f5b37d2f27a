/* Descriptor sets in command buffers: binding, dynamic offsets, pushed descriptors. */
#include "vulkan/runtime/descriptor/vk_bindings.h"

#include <assert.h>
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/descriptor/vk_push_set.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_chunk.h"

static void bind_set(struct vk_bindings *bindings, uint32_t number, uint64_t va, const struct vk_descriptor_set *set)
{
    const uint32_t bit = 1u << number;
    if (!(bindings->valid & bit) || bindings->set_va[number] != va)
        bindings->dirty |= bit;
    bindings->set_va[number] = va;
    bindings->sets[number] = set;
    bindings->valid |= bit;
}

/* Answers how many offsets were used. */
static uint32_t bind_dynamic(struct vk_bindings *bindings, const struct vk_descriptor_ops *ops,
                             const struct vk_descriptor_set *set, uint32_t first, const uint32_t *offsets)
{
    const uint32_t stride = vk_descriptor_dynamic_B(ops) / 4;
    bool changed = first + set->num_dynamic > bindings->num_dynamic;
    assert((first + set->num_dynamic) * stride * 4 <= VK_BINDINGS_DYNAMIC_B);
    for (uint32_t i = 0; i < set->num_dynamic; i++)
        changed |=
            ops->add_offset(&bindings->dynamic[(first + i) * stride], set->dynamic + i * (size_t)stride, offsets[i]);
    bindings->num_dynamic = MAX2(bindings->num_dynamic, first + set->num_dynamic);
    bindings->dynamic_dirty |= changed;
    return set->num_dynamic;
}

static void __attribute__((noinline))
bind_with_offsets(struct vk_command_buffer *cmd, struct vk_bindings *bindings, const struct vk_pipeline_layout *layout,
                  uint32_t first, uint32_t count, const VkDescriptorSet *sets, const uint32_t *offsets)
{
    uint32_t dynamic_at = layout->first_dynamic[first];
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_descriptor_set *set = vk_descriptor_set_from_handle(sets[i]);
        if (!set) /* of a layout with independent sets */ {
            if (layout->set_layouts[first + i])
                dynamic_at += layout->set_layouts[first + i]->num_dynamic;
            continue;
        }
        bind_set(bindings, first + i, set->va, set);
        if (set->num_dynamic) {
            bindings->first_dynamic[first + i] = (uint8_t)dynamic_at;
            uint32_t used = bind_dynamic(bindings, cmd->base.device->descriptors, set, dynamic_at, offsets);
            offsets += used;
            dynamic_at += used;
        }
    }
}

/* Mostly it calls nothing, so that it saves no registers. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                           VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                           const VkDescriptorSet *sets, uint32_t offset_count,
                                                           const uint32_t *offsets)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_bindings *bindings = vk_bindings_of(cmd, point);
    /* A pushed set that was not used yet is dropped. */
    if (__builtin_expect(bindings->push_dirty, 0) && bindings->push_set->number - first < count)
        bindings->push_dirty = false;
    if (offset_count) {
        bind_with_offsets(cmd, bindings, vk_pipeline_layout_from_handle(layout), first, count, sets, offsets);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_descriptor_set *set = vk_descriptor_set_from_handle(sets[i]);
        if (set)
            bind_set(bindings, first + i, set->va, set);
    }
}

void vk_bindings_set_address(struct vk_bindings *bindings, uint32_t number, uint64_t va)
{
    bind_set(bindings, number, va, NULL);
    if (bindings->push_dirty && bindings->push_set->number == number)
        bindings->push_dirty = false;
}

/* ---- sets of a family's own ---- */

void vk_bindings_save(struct vk_bindings *bindings, struct vk_bindings_saved *saved_out)
{
    *saved_out = (struct vk_bindings_saved){bindings->sets[0], bindings->set_va[0], bindings->valid,
                                            bindings->push_dirty};
    bindings->push_dirty = false;
}

void vk_bindings_set_own(struct vk_bindings *bindings, uint64_t va)
{
    bindings->sets[0] = NULL;
    bindings->set_va[0] = va;
    bindings->valid |= 1;
    bindings->dirty |= 1;
}

void vk_bindings_restore(struct vk_bindings *bindings, const struct vk_bindings_saved *saved)
{
    bindings->sets[0] = saved->set;
    bindings->set_va[0] = saved->va;
    bindings->valid = saved->valid;
    bindings->dirty |= saved->valid & 1;
    bindings->push_dirty = saved->push_dirty;
}

/* ---- pushed sets ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                             VkPipelineLayout layout, uint32_t number, uint32_t count,
                                                             const VkWriteDescriptorSet *writes)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_bindings *bindings = vk_bindings_of(cmd, point);
    bindings->push_dirty |= vk_push_set_write(cmd, &bindings->push_set, layout, number, count, writes);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer handle,
                                                                         VkDescriptorUpdateTemplate template_handle,
                                                                         VkPipelineLayout layout, uint32_t number,
                                                                         const void *data)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    const struct vk_descriptor_update_template *template = vk_descriptor_update_template_from_handle(template_handle);
    struct vk_bindings *bindings = vk_bindings_of(cmd, template->bind_point);
    bindings->push_dirty |= vk_push_set_write_template(cmd, &bindings->push_set, layout, number, template, data);
}

/* Each upload is new memory: the GPU may not have read the last one yet. */
void vk_bindings_upload_push(struct vk_command_buffer *cmd, struct vk_bindings *bindings, struct vk_upload *upload)
{
    const struct vk_push_set *push = bindings->push_set;
    uint64_t va = 0;
    bindings->push_dirty = false;
    if (push->set.size_B) {
        void *map = vk_upload_alloc(upload, push->set.size_B, cmd->base.device->descriptors->set_align_B, &va);
        if (!map) {
            vk_command_buffer_set_error(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY);
            return;
        }
        memcpy(map, push->set.map, push->set.size_B);
    }
    bind_set(bindings, push->number, va, &push->set);
}

/* ---- lifetime ---- */

void vk_bindings_reset(struct vk_bindings *bindings)
{
    bindings->valid = bindings->dirty = 0;
    bindings->num_dynamic = 0;
    bindings->dynamic_dirty = bindings->push_dirty = false;
    vk_push_set_reset(bindings->push_set);
}

void vk_bindings_finish(const VkAllocationCallbacks *alloc, struct vk_bindings *bindings)
{
    vk_push_set_destroy(alloc, bindings->push_set);
    bindings->push_set = NULL;
}
