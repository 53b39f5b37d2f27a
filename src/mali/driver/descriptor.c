/* Descriptors: how large they are, how they are written, and what the compiler reads of layouts. Views and samplers
 * keep their words ready; a write of one type is one loop over the application's infos. */
#include "mali/driver/descriptor.h"

#include <string.h>

#include "mali/driver/buffer_view.h"
#include "mali/driver/memory.h"
#include "mali/driver/sampler.h"
#include "util/bits.h"

/* The null descriptor of every kind: reads give zero, writes are dropped. Sizes of images are stored less one, so that
 * all ones are none. */
static const uint32_t null_words[MALI_DESCRIPTOR_DW];
static const uint32_t null_image[MALI_DESCRIPTOR_DW] = {
    [1] = 0xffffffff, [2] = 0x001f0000, [3] = 0xe000, [6] = 0xffff, [7] = 0xffff};

static void write_words(uint32_t *out, const uint32_t *words)
{
    memcpy(out, words ? words : null_words, MALI_DESCRIPTOR_B);
}

/* ---- buffers ---- */

static void write_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const VkDescriptorBufferInfo *info = (const VkDescriptorBufferInfo *)src;
        const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
        if (buffer)
            mali_buffer_words(buffer->va + info->offset, vk_buffer_range(buffer, info->offset, info->range), out);
        else
            write_words(out, NULL);
    }
}

static void write_texel_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkBufferView handle;
        memcpy(&handle, src, sizeof(handle));
        const struct mali_buffer_view *view = mali_buffer_view_from_handle(handle);
        write_words(out, view ? view->words : NULL);
    }
}

/* ---- images and samplers ---- */

static void write_samplers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct mali_sampler *sampler = mali_sampler_from_handle(((const VkDescriptorImageInfo *)src)->sampler);
        write_words(out, sampler ? sampler->words : NULL);
    }
}

static void write_sampled_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct mali_image_view *view =
            mali_image_view_from_handle(((const VkDescriptorImageInfo *)src)->imageView);
        write_words(out, view ? view->sampled[0] : null_image);
    }
}

static void write_storage_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct mali_image_view *view =
            mali_image_view_from_handle(((const VkDescriptorImageInfo *)src)->imageView);
        write_words(out, view ? view->storage : null_image);
    }
}

/* All planes, then the sampler, which an immutable one has written before. */
static void write_combined(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    const bool is_immutable = binding->sampler_index != VK_NO_SAMPLER;
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct mali_image_view *view = mali_image_view_from_handle(info->imageView);
        for (uint32_t plane = 0; plane < binding->planes; plane++)
            write_words(out + plane * MALI_DESCRIPTOR_DW, view ? view->sampled[plane] : null_image);
        if (is_immutable)
            continue;
        const struct mali_sampler *sampler = mali_sampler_from_handle(info->sampler);
        write_words(out + binding->sampler_offset_B / 4, sampler ? sampler->words : NULL);
    }
}

static void write_inline_header(uint64_t va, uint32_t size_B, uint32_t *out)
{
    mali_buffer_words(va, size_B, out);
}

/* The address is in words 2 and 3. A null descriptor stays what it is. */
static bool add_offset(uint32_t *out, const uint32_t *words, uint32_t offset_B)
{
    uint32_t now[MALI_DESCRIPTOR_DW];
    memcpy(now, words, sizeof(now));
    if (now[0]) {
        const uint64_t address = ((uint64_t)now[3] << 32 | now[2]) + offset_B;
        now[2] = (uint32_t)address;
        now[3] = (uint32_t)(address >> 32);
    }
    const bool changed = memcmp(now, out, sizeof(now)) != 0;
    memcpy(out, now, sizeof(now));
    return changed;
}

/* ---- memory ---- */

static VkResult create_bo(struct vk_device *base, uint32_t size_B, struct vk_bo **bo_out)
{
    struct mali_bo *bo;
    VkResult result = mali_mapped_bo_create(mali_device_of(base), size_B, MALI_BO_PRIVATE, &bo);
    if (result == VK_SUCCESS)
        *bo_out = &bo->vk;
    return result;
}

/* ---- the family's row ---- */

static void describe_binding(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding,
                             void *compiler_binding_out)
{
    *(struct ir_binding_layout *)compiler_binding_out = vk_indexed_binding(binding, MALI_DESCRIPTOR_B);
}

const struct vk_descriptor_ops mali_descriptor_ops = {
    .size_B =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = MALI_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = MALI_DESCRIPTOR_B,
        },
    .inline_header_B = MALI_DESCRIPTOR_B,
    .inline_align_B = MALI_DESCRIPTOR_B,
    .set_align_B = 64, /* of a resource table */
    .max_set_B = MALI_MAX_SET_B,
    .max_descriptors = MALI_MAX_DESCRIPTORS_PER_SET,
    .max_dynamic = MALI_MAX_DYNAMIC_BUFFERS,
    .max_inline_B = MALI_MAX_UNIFORM_B,
    .write =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = write_samplers,
            [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER] = write_combined,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = write_sampled_images,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = write_storage_images,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = write_sampled_images,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = write_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = write_buffers,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = write_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = write_buffers,
        },
    .write_inline_header = write_inline_header,
    .add_offset = add_offset,
    .compiler_binding_B = sizeof(struct ir_binding_layout),
    .describe = describe_binding,
    .create_bo = create_bo,
    .destroy_bo = mali_vk_bo_destroy,
};
