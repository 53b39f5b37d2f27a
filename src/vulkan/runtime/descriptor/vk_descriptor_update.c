/* Descriptors into sets: writes, templates and copies. Plain writes and templates are the same walk over bindings with
 * another distance from info to info; the family writes the descriptors of one binding in one loop. */
#include "vulkan/runtime/descriptor/vk_descriptor_update.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- places ---- */

static uint32_t *element_at(const struct vk_descriptor_set *set, const struct vk_descriptor_binding *binding,
                            uint32_t i)
{
    return set->map + (binding->offset_B + (size_t)i * binding->stride_B) / 4;
}

static uint32_t *dynamic_at(const struct vk_descriptor_set *set, const struct vk_descriptor_binding *binding,
                            uint32_t i)
{
    return set->dynamic + (size_t)(binding->dynamic_index + i) * (vk_descriptor_dynamic_B(set->layout->ops) / 4);
}

static char *inline_bytes_at(const struct vk_descriptor_set *set, const struct vk_descriptor_binding *binding)
{
    return (char *)set->map + binding->offset_B + set->layout->inline_header_B;
}

/* A place in a set's bindings that moves on over their ends, and over those that have no elements. */
struct cursor {
    const struct vk_descriptor_binding *binding, *end;
    uint32_t first;
};

static struct cursor cursor_at(const struct vk_descriptor_set_layout *layout, uint32_t binding, uint32_t first)
{
    return (struct cursor){layout->bindings + binding, layout->bindings + layout->num_bindings, first};
}

/* The elements left in the binding; 0: after the last one. */
static uint32_t cursor_left(struct cursor *cursor)
{
    while (cursor->binding < cursor->end && cursor->first >= cursor->binding->count) {
        cursor->first -= cursor->binding->count;
        cursor->binding++;
    }
    return cursor->binding < cursor->end ? cursor->binding->count - cursor->first : 0;
}

/* ---- new sets ---- */

static void begin_samplers(struct vk_descriptor_set *set, const struct vk_descriptor_binding *binding, uint32_t count)
{
    uint32_t size_B = set->layout->ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER];
    const uint32_t *words = vk_immutable_sampler(set->layout, binding->sampler_index);
    uint32_t *out = element_at(set, binding, 0) + binding->sampler_offset_B / 4;
    for (uint32_t i = 0; i < count; i++, words += size_B / 4, out += binding->stride_B / 4)
        memcpy(out, words, size_B);
}

void vk_descriptor_set_begin(struct vk_descriptor_set *set)
{
    const struct vk_descriptor_set_layout *layout = set->layout;
    const struct vk_descriptor_ops *ops = layout->ops;
    if (!layout->has_fixed_content)
        return;
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        const struct vk_descriptor_binding *binding = &layout->bindings[number];
        uint32_t count = number == layout->variable_binding ? set->variable_count : binding->count;
        if (!count)
            continue;
        if (binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            if (set->va && ops->write_inline_header)
                ops->write_inline_header(set->va + binding->offset_B + layout->inline_header_B, count,
                                         set->map + binding->offset_B / 4);
        } else if (binding->sampler_index != VK_NO_SAMPLER) {
            begin_samplers(set, binding, count);
        }
    }
}

/* ---- writes ---- */

/* Descriptors of one binding. The type is the write's: that of a mutable binding's descriptors changes. Types of
 * extensions that the family does not have are passed over. */
static inline void write_span(struct vk_descriptor_set *set, const struct vk_descriptor_binding *binding,
                              VkDescriptorType type, uint32_t first, uint32_t count, const char *src,
                              size_t src_stride_B)
{
    const struct vk_descriptor_ops *ops = set->layout->ops;
    uint32_t *out = element_at(set, binding, first), stride = binding->stride_B / 4;
    if ((uint32_t)type >= VK_DESCRIPTOR_ACCELERATION_STRUCTURE) {
        vk_descriptor_writer *write = ops->write[VK_DESCRIPTOR_ACCELERATION_STRUCTURE];
        if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
            memcpy(inline_bytes_at(set, binding) + first, src, count);
        else if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR && write)
            write(out, stride, src, src_stride_B, count, binding);
        return;
    }
    if (vk_descriptor_is_dynamic(type)) {
        out = dynamic_at(set, binding, first);
        stride = vk_descriptor_dynamic_B(ops) / 4;
    } else if (type == VK_DESCRIPTOR_TYPE_SAMPLER) {
        if (binding->sampler_index != VK_NO_SAMPLER)
            return;
        out += binding->sampler_offset_B / 4;
    }
    ops->write[type](out, stride, src, src_stride_B, count, binding);
}

static void write_on(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding, uint32_t first,
                     uint32_t count, const char *src, size_t src_stride_B)
{
    struct cursor cursor = cursor_at(set->layout, binding, first);
    while (count) {
        uint32_t left = cursor_left(&cursor), piece = MIN2(count, left);
        if (!piece)
            return;
        write_span(set, cursor.binding, type, cursor.first, piece, src, src_stride_B);
        src += piece * src_stride_B;
        cursor.first += piece;
        count -= piece;
    }
}

/* `count` descriptors from array element `first` on, and on into the next bindings. Infos are src_stride_B apart; bytes
 * of inline blocks lie in one piece. */
static inline void write_descriptors(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding,
                                     uint32_t first, uint32_t count, const char *src, size_t src_stride_B)
{
    const struct vk_descriptor_set_layout *layout = set->layout;
    if (__builtin_expect(binding < layout->num_bindings && (uint64_t)first + count <= layout->bindings[binding].count,
                         1))
        write_span(set, &layout->bindings[binding], type, first, count, src, src_stride_B);
    else
        write_on(set, type, binding, first, count, src, src_stride_B);
}

void vk_descriptor_set_write(struct vk_descriptor_set *set, const VkWriteDescriptorSet *write)
{
    const void *src = write->pImageInfo;
    size_t stride_B = sizeof(VkDescriptorImageInfo);
    switch (write->descriptorType) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        src = write->pTexelBufferView;
        stride_B = sizeof(VkBufferView);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        src = write->pBufferInfo;
        stride_B = sizeof(VkDescriptorBufferInfo);
        break;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK: {
        const VkWriteDescriptorSetInlineUniformBlock *block =
            vk_find_struct_const(write->pNext, VkWriteDescriptorSetInlineUniformBlock);
        if (!block)
            return;
        src = block->pData;
        stride_B = 1;
        break;
    }
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR: {
        const VkWriteDescriptorSetAccelerationStructureKHR *structures =
            vk_find_struct_const(write->pNext, VkWriteDescriptorSetAccelerationStructureKHR);
        if (!structures)
            return;
        src = structures->pAccelerationStructures;
        stride_B = sizeof(VkAccelerationStructureKHR);
        break;
    }
    default:
        break;
    }
    write_descriptors(set, write->descriptorType, write->dstBinding, write->dstArrayElement, write->descriptorCount,
                      src, stride_B);
}

void vk_descriptor_set_write_template(struct vk_descriptor_set *set,
                                      const struct vk_descriptor_update_template *template, const void *data)
{
    for (uint32_t i = 0; i < template->entry_count; i++) {
        const struct vk_descriptor_template_entry *entry = &template->entries[i];
        bool is_inline = entry->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        write_descriptors(set, entry->type, entry->binding, entry->first, entry->count,
                          (const char *)data + entry->offset_B, is_inline ? 1 : entry->stride_B);
    }
}

/* ---- copies ---- */

static void copy_span(struct vk_descriptor_set *to, const struct cursor *dst, const struct vk_descriptor_set *from,
                      const struct cursor *src, uint32_t count)
{
    const struct vk_descriptor_binding *dst_binding = dst->binding, *src_binding = src->binding;
    if (vk_descriptor_is_dynamic(dst_binding->type)) {
        memcpy(dynamic_at(to, dst_binding, dst->first), dynamic_at(from, src_binding, src->first),
               (size_t)count * vk_descriptor_dynamic_B(to->layout->ops));
        return;
    }
    if (dst_binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        memcpy(inline_bytes_at(to, dst_binding) + dst->first, inline_bytes_at(from, src_binding) + src->first, count);
        return;
    }
    uint32_t size_B = MIN2(dst_binding->stride_B, src_binding->stride_B);
    if (dst_binding->sampler_index != VK_NO_SAMPLER) {
        if (dst_binding->type == VK_DESCRIPTOR_TYPE_SAMPLER)
            return;
        size_B = MIN2(size_B, dst_binding->sampler_offset_B);
    }
    uint32_t *out = element_at(to, dst_binding, dst->first);
    const uint32_t *in = element_at(from, src_binding, src->first);
    /* To or from a mutable descriptor, which may have its samplers elsewhere. */
    if (dst_binding->type == VK_DESCRIPTOR_TYPE_SAMPLER || src_binding->type == VK_DESCRIPTOR_TYPE_SAMPLER) {
        out += dst_binding->sampler_offset_B / 4;
        in += src_binding->sampler_offset_B / 4;
        size_B = to->layout->ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER];
    }
    if (size_B == dst_binding->stride_B && size_B == src_binding->stride_B) {
        memcpy(out, in, (size_t)count * size_B);
        return;
    }
    for (; count; count--, out += dst_binding->stride_B / 4, in += src_binding->stride_B / 4)
        memcpy(out, in, size_B);
}

static void copy_descriptors(const VkCopyDescriptorSet *copy)
{
    struct vk_descriptor_set *to = vk_descriptor_set_from_handle(copy->dstSet);
    const struct vk_descriptor_set *from = vk_descriptor_set_from_handle(copy->srcSet);
    struct cursor dst = cursor_at(to->layout, copy->dstBinding, copy->dstArrayElement);
    struct cursor src = cursor_at(from->layout, copy->srcBinding, copy->srcArrayElement);
    for (uint32_t count = copy->descriptorCount; count;) {
        uint32_t dst_left = cursor_left(&dst), src_left = cursor_left(&src);
        uint32_t piece = MIN2(count, MIN2(dst_left, src_left));
        if (!piece)
            return;
        copy_span(to, &dst, from, &src, piece);
        dst.first += piece;
        src.first += piece;
        count -= piece;
    }
}

/* ---- entry points ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_UpdateDescriptorSets(VkDevice handle, uint32_t write_count,
                                                          const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                          const VkCopyDescriptorSet *copies)
{
    for (uint32_t i = 0; i < write_count; i++)
        vk_descriptor_set_write(vk_descriptor_set_from_handle(writes[i].dstSet), &writes[i]);
    for (uint32_t i = 0; i < copy_count; i++)
        copy_descriptors(&copies[i]);
}

VKAPI_ATTR void VKAPI_CALL vk_common_UpdateDescriptorSetWithTemplate(VkDevice handle, VkDescriptorSet set,
                                                                     VkDescriptorUpdateTemplate template,
                                                                     const void *data)
{
    vk_descriptor_set_write_template(vk_descriptor_set_from_handle(set),
                                     vk_descriptor_update_template_from_handle(template), data);
}
