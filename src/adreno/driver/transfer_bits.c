/* As which formats the 2D engine moves bits. */
#include "adreno/driver/transfer.h"

#include "util/bits.h"

#define A8_UNORM 2

static struct adreno_bits_format plain(uint8_t number, uint8_t element_B)
{
    return (struct adreno_bits_format){.number = number, .memory = number, .element_B = element_B};
}

/* Of a packed format depth is three bytes and stencil the fourth, which bytes in memory are when they are alpha. */
static struct adreno_bits_format packed(VkImageAspectFlags aspect, bool has_stencil)
{
    struct adreno_bits_format bits = plain(ADRENO_FORMAT_Z24S8_AS_RGBA8, 4);
    bits.memory = ADRENO_FORMAT_8_8_8_8_UNORM;
    bits.keep = has_stencil ? ADRENO_A2D_DEPTH : ADRENO_A2D_ALL;
    if (aspect != VK_IMAGE_ASPECT_STENCIL_BIT)
        return bits;
    bits.memory = A8_UNORM;
    bits.keep = ADRENO_A2D_STENCIL;
    bits.element_B = 1;
    return bits;
}

static struct adreno_bits_format depth_bits(const struct adreno_vkformat *format, VkImageAspectFlags aspect)
{
    if (format->depth == ADRENO_DEPTH_FORMAT_Z24_S8)
        return packed(aspect, format->has_stencil);
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        return plain(ADRENO_FORMAT_8_UINT, 1);
    return plain(format->texture, format->element_B);
}

/* Equal widths with another kind of number. */
static uint8_t with_numeric(const struct adreno_format *hw, enum adreno_numeric numeric)
{
    for (unsigned i = 0; i < adreno_format_count; i++) {
        const struct adreno_format *other = &adreno_formats[i];
        if (other->numeric == numeric && other->channels == hw->channels && other->block_bits == hw->block_bits &&
            memcmp(other->widths, hw->widths, sizeof(hw->widths)) == 0 && other->format && !other->is_alpha &&
            !other->is_x && !other->is_dest && !other->is_depth && !other->is_plane && !other->is_video)
            return other->number;
    }
    return ADRENO_FORMAT_NONE;
}

/* Signed numbers have two codes for -1, and floats have codes that are no numbers: they pass as unsigned ones where
 * compression does not depend on it. */
static uint8_t color_bits(const struct adreno_vkformat *format, bool has_ubwc)
{
    const struct adreno_format *hw = adreno_format_find(format->texture);
    if (hw->numeric == ADRENO_NUMERIC_SNORM)
        return with_numeric(hw, ADRENO_NUMERIC_UNORM);
    if (hw->numeric == ADRENO_NUMERIC_EXP)
        return ADRENO_FORMAT_32_UINT;
    if (hw->numeric == ADRENO_NUMERIC_FLOAT && !has_ubwc) {
        const uint8_t number = with_numeric(hw, ADRENO_NUMERIC_UINT);
        return number ? number : ADRENO_FORMAT_32_UINT; /* 11_11_10 */
    }
    return format->color;
}

struct adreno_bits_format adreno_bits_format(VkFormat vk_format, VkImageAspectFlags aspect, bool has_ubwc)
{
    const struct adreno_vkformat *format = adreno_vkformat(vk_format);
    if (!format->texture)
        return (struct adreno_bits_format){0};
    if (format_is_depth_or_stencil(format->info))
        return depth_bits(format, aspect);
    if (format_is_compressed(format->info))
        return plain(format->element_B == 8 ? ADRENO_FORMAT_32_32_UINT : ADRENO_FORMAT_32_32_32_32_UINT,
                     format->element_B);
    struct adreno_bits_format bits = plain(color_bits(format, has_ubwc), format->element_B);
    bits.swap = format->swap;
    return bits;
}

uint8_t adreno_bits_source(uint8_t number)
{
    return number == ADRENO_FORMAT_10_10_10_2_UNORM_DEST ? ADRENO_FORMAT_10_10_10_2_UNORM : number;
}

struct adreno_target adreno_bits_target(const struct adreno_image *image, VkImageAspectFlags aspect, uint32_t level,
                                        uint32_t layer, const struct adreno_bits_format *bits, bool is_read)
{
    const unsigned plane = adreno_image_plane_index(image, aspect);
    const VkFormat format = image->planes[plane].format;
    const struct format_info *info = format_info((enum format)format);
    struct adreno_target target = adreno_image_target(image, format, aspect, level, layer);
    const struct adreno_format *hw = adreno_format_find(bits->number);
    const bool is_tiled = image->planes[plane].surface.is_tiled;
    target.format = is_read ? adreno_bits_source(bits->number) : bits->number;
    target.swap = is_tiled ? ADRENO_COLOR_SWAP_WZYX : bits->swap;
    target.is_srgb = false;
    target.is_uint = hw->numeric == ADRENO_NUMERIC_UINT;
    target.is_sint = hw->numeric == ADRENO_NUMERIC_SINT;
    target.width = (uint32_t)div_round_up(target.width, info->block_width);
    target.height = (uint32_t)div_round_up(target.height, info->block_height);
    return target;
}
