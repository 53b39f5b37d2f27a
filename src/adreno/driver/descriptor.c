/* Descriptors: how large they are, how they are written, and what the compiler reads of layouts. Views and samplers
 * keep their words ready; a write of one type is one loop over the application's infos. */
#include "adreno/driver/descriptor.h"

#include <string.h>

#include "adreno/driver/buffer_view.h"
#include "adreno/driver/image.h"
#include "adreno/driver/memory.h"
#include "adreno/driver/sampler.h"
#include "adreno/hw/descriptors.h"
#include "util/bits.h"

/* The null descriptor of every kind: a buffer of no bytes, an image of no texels. Reads give zero, writes are
 * dropped. */
static const uint32_t null_words[ADRENO_DESCRIPTOR_DW];

/* ---- buffers ---- */

/* `out` has ADRENO_DESCRIPTOR_DW words. */
static void adreno_uniform_descriptor(uint64_t va, uint64_t size_B, uint32_t *out)
{
    memset(out, 0, ADRENO_DESCRIPTOR_B);
    adreno_pack_desc_UBO(out, &(const struct adreno_desc_UBO){.BASE = va, .SIZE = (uint32_t)div_round_up(size_B, 16)});
}

/* Whole dwords, counted in elements of the format. */
static void pack_storage(uint64_t va, uint64_t size_B, enum adreno_format_number format, uint32_t element_B,
                         uint32_t *out)
{
    adreno_pack_desc_BUFFER(out, &(const struct adreno_desc_BUFFER){
                                     .FMT = format,
                                     .SWIZ_X = ADRENO_TEX_SWIZ_X,
                                     .SWIZ_Y = ADRENO_TEX_SWIZ_Y,
                                     .SWIZ_Z = ADRENO_TEX_SWIZ_Z,
                                     .SWIZ_W = ADRENO_TEX_SWIZ_W,
                                     .NUM_ELEMENTS = (uint32_t)(align_u64(size_B, 4) / element_B),
                                     .STRUCTSIZETEXELS = 1,
                                     .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                     .BASE = va,
                                 });
}

/* Accesses to dwords and halves of them have no format; bytes are its texels. */
static void pack_bytes(uint64_t va, uint64_t size_B, uint32_t *out)
{
    pack_storage(va, size_B, ADRENO_FORMAT_8_UINT, 1, out);
}

static void pack_dwords(uint64_t va, uint64_t size_B, uint32_t *out)
{
    pack_storage(va, size_B, ADRENO_FORMAT_32_UINT, 4, out);
}

static void write_buffer(uint32_t *out, const VkDescriptorBufferInfo *info,
                         void (*write)(uint64_t va, uint64_t size_B, uint32_t *out))
{
    const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
    if (buffer)
        write(buffer->va + info->offset, vk_buffer_range(buffer, info->offset, info->range), out);
    else
        memcpy(out, null_words, ADRENO_DESCRIPTOR_B);
}

static void write_uniform(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        write_buffer(out, (const VkDescriptorBufferInfo *)src, adreno_uniform_descriptor);
}

static void write_storage_bytes(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        write_buffer(out, (const VkDescriptorBufferInfo *)src, pack_bytes);
}

static void write_storage_dwords(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        write_buffer(out, (const VkDescriptorBufferInfo *)src, pack_dwords);
}

/* ---- images and samplers ---- */

static void write_words(uint32_t *out, const uint32_t *words, uint32_t count_dw)
{
    memcpy(out, words ? words : null_words, count_dw * sizeof(*out));
}

static void write_samplers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct adreno_sampler *sampler =
            adreno_sampler_from_handle(((const VkDescriptorImageInfo *)src)->sampler);
        write_words(out, sampler ? sampler->words : NULL, ADRENO_SAMPLER_DW);
    }
}

static void write_sampled_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct adreno_image_view *view =
            adreno_image_view_from_handle(((const VkDescriptorImageInfo *)src)->imageView);
        write_words(out, view ? view->sampled[0] : NULL, ADRENO_IMAGE_DW);
    }
}

static void write_storage_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const struct adreno_image_view *view =
            adreno_image_view_from_handle(((const VkDescriptorImageInfo *)src)->imageView);
        write_words(out, view ? view->storage : NULL, ADRENO_IMAGE_DW);
    }
}

/* All planes, then the sampler, which an immutable one has written before. */
static void write_combined(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    const bool is_immutable = binding->sampler_index != VK_NO_SAMPLER;
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct adreno_image_view *view = adreno_image_view_from_handle(info->imageView);
        for (uint32_t plane = 0; plane < binding->planes; plane++)
            write_words(out + plane * ADRENO_DESCRIPTOR_DW, view ? view->sampled[plane] : NULL, ADRENO_IMAGE_DW);
        if (is_immutable)
            continue;
        const struct adreno_sampler *sampler = adreno_sampler_from_handle(info->sampler);
        write_words(out + binding->sampler_offset_B / 4, sampler ? sampler->words : NULL, ADRENO_SAMPLER_DW);
    }
}

static void write_texel_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkBufferView handle;
        memcpy(&handle, src, sizeof(handle));
        const struct adreno_buffer_view *view = adreno_buffer_view_from_handle(handle);
        write_words(out, view ? view->descriptor : NULL, ADRENO_IMAGE_DW);
    }
}

static void write_inline_header(uint64_t va, uint32_t size_B, uint32_t *out)
{
    adreno_uniform_descriptor(va, size_B, out);
}

/* A storage buffer's address is in words 4 and 5, a uniform buffer's in words 0 and 1, and word 2 tells them apart:
 * that of a uniform buffer is zero. No carry leaves an address. A null descriptor stays what it is. */
static bool add_offset(uint32_t *out, const uint32_t *words, uint32_t offset_B)
{
    uint32_t now[ADRENO_DESCRIPTOR_DW];
    memcpy(now, words, sizeof(now));
    const unsigned at = now[2] ? 4 : 0;
    uint64_t address = (uint64_t)now[at + 1] << 32 | now[at];
    if (address)
        address += offset_B;
    now[at] = (uint32_t)address;
    now[at + 1] = (uint32_t)(address >> 32);
    const bool changed = memcmp(now, out, sizeof(now)) != 0;
    memcpy(out, now, sizeof(now));
    return changed;
}

/* ---- memory ---- */

static VkResult create_bo(struct vk_device *base, uint32_t size_B, struct vk_bo **bo_out)
{
    struct adreno_bo *bo;
    VkResult result = adreno_mapped_bo_create(adreno_device_of(base), size_B, MSM_BO_WC, &bo);
    if (result == VK_SUCCESS)
        *bo_out = &bo->vk;
    return result;
}

/* ---- the family's row ---- */

static void describe_binding(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding,
                             void *compiler_binding_out)
{
    *(struct ir_binding_layout *)compiler_binding_out = vk_indexed_binding(binding, ADRENO_DESCRIPTOR_B);
}

static const struct vk_descriptor_ops ops = {
    .size_B =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = ADRENO_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = ADRENO_DESCRIPTOR_B,
        },
    .inline_header_B = ADRENO_DESCRIPTOR_B,
    .inline_align_B = ADRENO_DESCRIPTOR_B,
    .set_align_B = ADRENO_DESCRIPTOR_B,
    .max_set_B = ADRENO_MAX_SET_B,
    .max_descriptors = ADRENO_MAX_DESCRIPTORS_PER_SET,
    .max_dynamic = ADRENO_MAX_DYNAMIC_BUFFERS,
    .max_inline_B = ADRENO_MAX_UNIFORM_B,
    .write =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = write_samplers,
            [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER] = write_combined,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = write_sampled_images,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = write_storage_images,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = write_sampled_images,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = write_uniform,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = write_storage_bytes,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = write_uniform,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = write_storage_bytes,
        },
    .write_inline_header = write_inline_header,
    .add_offset = add_offset,
    .compiler_binding_B = sizeof(struct ir_binding_layout),
    .describe = describe_binding,
    .create_bo = create_bo,
    .destroy_bo = adreno_vk_bo_destroy,
};

struct vk_descriptor_ops adreno_descriptor_ops(const struct adreno_chip *chip)
{
    struct vk_descriptor_ops chips = ops;
    if (!chip->has_storage_16bit)
        chips.write[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = chips.write[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] =
            write_storage_dwords;
    return chips;
}
