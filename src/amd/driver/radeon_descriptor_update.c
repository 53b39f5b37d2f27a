/* Descriptors into sets: writes, templates and copies. A write of one type is one loop over the application's infos
 * that copies words which the views and samplers keep ready; plain writes and templates are the same loop with another
 * distance from info to info. */
#include <string.h>

#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_sampler.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_descriptor_update_template.h"
#include "vulkan/runtime/vk_struct.h"

/* The null descriptor of every kind: a buffer of no bytes, an image of a type that is none. Reads give zero, writes are
 * dropped. */
static const uint32_t null_words[2 * RADEON_IMAGE_DESCRIPTOR_B / 4];

static uint32_t *element_at(const struct vk_descriptor_set *set, const struct radeon_binding *binding, uint32_t i)
{
    return set->map + (binding->offset_B + (size_t)i * binding->stride_B) / 4;
}

static uint32_t *inline_bytes_at(const struct vk_descriptor_set *set, const struct radeon_binding *binding)
{
    return set->map + (binding->offset_B + RADEON_INLINE_HEADER_B) / 4;
}

void radeon_write_fixed_content(struct vk_descriptor_set *set)
{
    const struct radeon_set_layout *layout = radeon_layout_of_set(set);
    if (!layout->has_fixed_content)
        return;
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        const struct radeon_binding *binding = &layout->bindings[number];
        uint32_t count = number == layout->variable_binding ? set->variable_count : binding->count;
        if (!count)
            continue;
        if (binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            if (set->va)
                radeon_buffer_descriptor(set->va + binding->offset_B + RADEON_INLINE_HEADER_B, count,
                                         set->map + binding->offset_B / 4);
            continue;
        }
        if (binding->sampler_index == UINT32_MAX)
            continue;
        const uint32_t *words = &layout->immutable_samplers[binding->sampler_index * 4];
        uint32_t *out = element_at(set, binding, 0) + binding->sampler_offset_B / 4;
        for (uint32_t i = 0; i < count; i++, words += 4, out += binding->stride_B / 4)
            memcpy(out, words, RADEON_SAMPLER_DESCRIPTOR_B);
    }
}

/* ---- writes ---- */

struct span {
    uint32_t *out;
    uint32_t out_stride; /* words */
    const char *src;
    size_t src_stride_B;
    uint32_t count;
};

static void write_samplers(struct span s)
{
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)s.src;
        const struct radeon_sampler *sampler = radeon_sampler_from_handle(info->sampler);
        memcpy(s.out, sampler ? sampler->words : null_words, RADEON_SAMPLER_DESCRIPTOR_B);
    }
}

static void write_sampled_images(struct span s)
{
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)s.src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(s.out, view ? view->sampled[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
    }
}

static void write_storage_images(struct span s)
{
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)s.src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(s.out, view ? view->storage[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
    }
}

/* The sampler of an element is left alone where it is immutable. */
static void write_combined(struct span s, const struct radeon_binding *binding)
{
    bool immutable = binding->sampler_index != UINT32_MAX;
    uint32_t more_B = (binding->planes - 1u) * RADEON_IMAGE_DESCRIPTOR_B, sampler_at = binding->sampler_offset_B / 4;
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)s.src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(s.out, view ? view->sampled[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
        if (more_B)
            memcpy(s.out + RADEON_IMAGE_DESCRIPTOR_B / 4, view ? view->sampled[1] : null_words, more_B);
        if (immutable)
            continue;
        const struct radeon_sampler *sampler = radeon_sampler_from_handle(info->sampler);
        memcpy(s.out + sampler_at, sampler ? sampler->words : null_words, RADEON_SAMPLER_DESCRIPTOR_B);
    }
}

static void write_texel_buffers(struct span s)
{
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        VkBufferView handle;
        memcpy(&handle, s.src, sizeof(handle));
        const struct radeon_buffer_view *view = radeon_buffer_view_from_handle(handle);
        memcpy(s.out, view ? view->descriptor : null_words, RADEON_BUFFER_DESCRIPTOR_B);
    }
}

static void write_buffers(struct span s)
{
    for (; s.count; s.count--, s.out += s.out_stride, s.src += s.src_stride_B) {
        const VkDescriptorBufferInfo *info = (const VkDescriptorBufferInfo *)s.src;
        const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
        if (buffer)
            radeon_buffer_descriptor(buffer->va + info->offset, vk_buffer_range(buffer, info->offset, info->range),
                                     s.out);
        else
            memcpy(s.out, null_words, RADEON_BUFFER_DESCRIPTOR_B);
    }
}

/* Descriptors of one binding. The type is the write's: that of a mutable binding's descriptors changes. */
static void write_span(struct vk_descriptor_set *set, const struct radeon_binding *binding, VkDescriptorType type,
                       uint32_t first, struct span s)
{
    s.out = element_at(set, binding, first);
    s.out_stride = binding->stride_B / 4;
    switch ((uint32_t)type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        s.out += binding->sampler_offset_B / 4;
        if (binding->sampler_index == UINT32_MAX)
            write_samplers(s);
        break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        write_combined(s, binding);
        break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        write_sampled_images(s);
        break;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        write_storage_images(s);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        write_texel_buffers(s);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        write_buffers(s);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        s.out = set->dynamic + (binding->dynamic_index + first) * 4;
        s.out_stride = RADEON_BUFFER_DESCRIPTOR_B / 4;
        write_buffers(s);
        break;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        memcpy((char *)inline_bytes_at(set, binding) + first, s.src, s.count);
        break;
    default: /* of an extension that this driver does not have */
        break;
    }
}

/* A place in a set's bindings that moves on over their ends, and over those that have no elements. */
struct cursor {
    const struct radeon_binding *binding, *end;
    uint32_t first;
};

static struct cursor cursor_at(const struct radeon_set_layout *layout, uint32_t binding, uint32_t first)
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

void radeon_write_descriptors(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding, uint32_t first,
                              uint32_t count, const void *src, size_t src_stride_B)
{
    struct cursor cursor = cursor_at(radeon_layout_of_set(set), binding, first);
    const char *from = src;
    while (count) {
        uint32_t left = cursor_left(&cursor), piece = MIN2(count, left);
        if (!piece)
            return;
        write_span(set, cursor.binding, type, cursor.first,
                   (struct span){.src = from, .src_stride_B = src_stride_B, .count = piece});
        from += piece * src_stride_B;
        cursor.first += piece;
        count -= piece;
    }
}

void radeon_write_descriptor_set(struct vk_descriptor_set *set, const VkWriteDescriptorSet *write)
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
    default:
        break;
    }
    radeon_write_descriptors(set, write->descriptorType, write->dstBinding, write->dstArrayElement,
                             write->descriptorCount, src, stride_B);
}

void radeon_write_template(struct vk_descriptor_set *set, const struct vk_descriptor_update_template *template,
                           const void *data)
{
    for (uint32_t i = 0; i < template->entry_count; i++) {
        const struct vk_descriptor_template_entry *entry = &template->entries[i];
        bool is_inline = entry->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        radeon_write_descriptors(set, entry->type, entry->binding, entry->first, entry->count,
                                 (const char *)data + entry->offset_B, is_inline ? 1 : entry->stride_B);
    }
}

/* ---- copies ---- */

static void copy_span(struct vk_descriptor_set *to, const struct cursor *dst, const struct vk_descriptor_set *from,
                      const struct cursor *src, uint32_t count)
{
    const struct radeon_binding *dst_binding = dst->binding, *src_binding = src->binding;
    if (vk_descriptor_is_dynamic(dst_binding->type)) {
        memcpy(to->dynamic + (dst_binding->dynamic_index + dst->first) * 4,
               from->dynamic + (src_binding->dynamic_index + src->first) * 4, count * RADEON_BUFFER_DESCRIPTOR_B);
        return;
    }
    if (dst_binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        memcpy((char *)inline_bytes_at(to, dst_binding) + dst->first,
               (const char *)inline_bytes_at(from, src_binding) + src->first, count);
        return;
    }
    uint32_t size_B = MIN2(dst_binding->stride_B, src_binding->stride_B);
    if (dst_binding->sampler_index != UINT32_MAX) {
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
        size_B = RADEON_SAMPLER_DESCRIPTOR_B;
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
    struct cursor dst = cursor_at(radeon_layout_of_set(to), copy->dstBinding, copy->dstArrayElement);
    struct cursor src = cursor_at(radeon_layout_of_set(from), copy->srcBinding, copy->srcArrayElement);
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

VKAPI_ATTR void VKAPI_CALL radeon_UpdateDescriptorSets(VkDevice handle, uint32_t write_count,
                                                       const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                                       const VkCopyDescriptorSet *copies)
{
    for (uint32_t i = 0; i < write_count; i++)
        radeon_write_descriptor_set(vk_descriptor_set_from_handle(writes[i].dstSet), &writes[i]);
    for (uint32_t i = 0; i < copy_count; i++)
        copy_descriptors(&copies[i]);
}

VKAPI_ATTR void VKAPI_CALL radeon_UpdateDescriptorSetWithTemplate(VkDevice handle, VkDescriptorSet set,
                                                                  VkDescriptorUpdateTemplate template, const void *data)
{
    radeon_write_template(vk_descriptor_set_from_handle(set), vk_descriptor_update_template_from_handle(template),
                          data);
}
