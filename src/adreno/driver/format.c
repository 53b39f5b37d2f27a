/* VkFormat → the hardware's numbers. Nothing is listed by hand that two tables say together: a format's channels
 * (util/format), from the lowest bit up, are looked up among the hardware's formats with all their swaps. */
#include "adreno/driver/format.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "adreno/hw/texel.h"
#include "util/bits.h"

#define MAX_FORMATS 320

static struct adreno_vkformat formats[MAX_FORMATS];
static pthread_once_t formats_once = PTHREAD_ONCE_INIT;
static atomic_bool formats_filled;

/* ---- the search ---- */

/* Scaled numbers are integers that the vertex fetch converts. */
static int numeric_of(const struct format_info *info)
{
    static const int8_t map[] = {
        [FORMAT_NUMERIC_NONE] = -1,
        [FORMAT_NUMERIC_UNORM] = ADRENO_NUMERIC_UNORM,
        [FORMAT_NUMERIC_SNORM] = ADRENO_NUMERIC_SNORM,
        [FORMAT_NUMERIC_USCALED] = ADRENO_NUMERIC_UINT,
        [FORMAT_NUMERIC_SSCALED] = ADRENO_NUMERIC_SINT,
        [FORMAT_NUMERIC_UINT] = ADRENO_NUMERIC_UINT,
        [FORMAT_NUMERIC_SINT] = ADRENO_NUMERIC_SINT,
        [FORMAT_NUMERIC_UFLOAT] = ADRENO_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SFLOAT] = ADRENO_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SRGB] = ADRENO_NUMERIC_UNORM,
    };
    if (info->format == FORMAT_E5B9G9R9_UFLOAT_PACK32)
        return ADRENO_NUMERIC_EXP;
    return map[info->numeric];
}

/* Formats for one purpose alone are named where that purpose is. */
static bool is_ordinary(const struct adreno_format *hw)
{
    return hw->format && !hw->is_x && !hw->is_dest && !hw->is_depth && !hw->is_plane && !hw->is_video &&
           hw->number != ADRENO_FORMAT_ETC1;
}

static bool is_scaled(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_USCALED || info->numeric == FORMAT_NUMERIC_SSCALED;
}

/* Channels in the upper bits of 16-bit words are read as the whole words; the shader that samples them scales
 * (vulkan/runtime/descriptor/vk_ycbcr_lower.c). */
static unsigned width_of(const struct format_info *info, const struct format_channel *channel)
{
    return info->layout == FORMAT_LAYOUT_WORDS16 ? 16 : channel->bits;
}

/* From the lowest bit up: as wide, and the same component. */
static bool has_channels(const struct format_info *info, const struct adreno_texel *texel)
{
    unsigned count = 0;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        if (channel->component > FORMAT_COMPONENT_A)
            continue; /* a shared exponent has one place */
        if (count >= texel->channels || texel->info->channels[count].bits != width_of(info, channel) ||
            texel->names[count] != channel->component)
            return false;
        count++;
    }
    return count == texel->channels;
}

static const struct adreno_format *find_plain(const struct format_info *info, uint8_t *swap_out)
{
    const int numeric = numeric_of(info);
    const bool is_srgb = format_is_srgb(info);
    for (unsigned i = 0; i < adreno_format_count; i++) {
        const struct adreno_format *hw = &adreno_formats[i];
        if (!is_ordinary(hw) || (int)hw->numeric != numeric || hw->block_bits != info->block_size_B * 8 ||
            hw->block_width > 1)
            continue;
        for (unsigned swap = 0; swap < 4; swap++) {
            struct adreno_texel texel;
            if (!adreno_texel_init(&texel, hw->number, (enum adreno_COLOR_SWAP)swap, is_srgb) ||
                texel.has_curve != is_srgb || !has_channels(info, &texel))
                continue;
            *swap_out = (uint8_t)swap;
            return hw;
        }
    }
    return NULL;
}

/* BC1 without alpha is BC1 with an alpha that is not looked at. */
static enum format compressed_name(enum format format)
{
    switch (format) {
    case FORMAT_BC1_RGB_UNORM_BLOCK:
        return FORMAT_BC1_RGBA_UNORM_BLOCK;
    case FORMAT_BC1_RGB_SRGB_BLOCK:
        return FORMAT_BC1_RGBA_SRGB_BLOCK;
    default:
        return format;
    }
}

static const struct adreno_format *find_compressed(const struct format_info *info)
{
    const uint32_t name = compressed_name(info->format);
    for (unsigned i = 0; i < adreno_format_count; i++) {
        const struct adreno_format *hw = &adreno_formats[i];
        if (is_ordinary(hw) && (format_is_srgb(info) ? hw->srgb_format : hw->format) == name)
            return hw;
    }
    return NULL;
}

/* ---- rows ---- */

static bool is_plain(const struct format_info *info)
{
    return (info->layout == FORMAT_LAYOUT_ARRAY || info->layout == FORMAT_LAYOUT_PACKED ||
            info->layout == FORMAT_LAYOUT_WORDS16) &&
           info->block_width == 1;
}

/* The render backend's format: a power of two, no shared exponent. 10_10_10_2 has a number of its own there, and its
 * signed kinds are for vertices alone. */
static uint8_t color_of(const struct adreno_format *hw, const struct format_info *info)
{
    if (is_scaled(info) || !is_power_of_two(hw->block_bits) || hw->numeric == ADRENO_NUMERIC_EXP)
        return ADRENO_FORMAT_NONE;
    return hw->number == ADRENO_FORMAT_10_10_10_2_UNORM ? ADRENO_FORMAT_10_10_10_2_UNORM_DEST : hw->number;
}

/* Two bits of alpha beside ten with a sign. */
static bool is_signed_10_10_10_2(const struct adreno_format *hw)
{
    return hw->widths[0] == 10 && (hw->numeric == ADRENO_NUMERIC_SNORM || hw->numeric == ADRENO_NUMERIC_SINT);
}

/* Channels of less than a byte are not fetched as vertices, but for 10_10_10_2 and 11_11_10. */
static bool is_vertex(const struct adreno_format *hw, const struct format_info *info)
{
    return !format_is_srgb(info) && hw->numeric != ADRENO_NUMERIC_EXP && (hw->widths[0] >= 8);
}

static void fill_plain(struct adreno_vkformat *row)
{
    const struct format_info *info = row->info;
    const struct adreno_format *hw = find_plain(info, &row->swap);
    if (!hw)
        return;
    row->is_srgb = format_is_srgb(info);
    if (is_vertex(hw, info) && info->layout != FORMAT_LAYOUT_WORDS16)
        row->vertex = hw->number;
    if (is_scaled(info) || is_signed_10_10_10_2(hw))
        return;
    row->texture = hw->number;
    row->color = color_of(hw, info);
}

static void fill_depth(struct adreno_vkformat *row)
{
    row->has_stencil = row->info->aspects & FORMAT_ASPECT_STENCIL;
    switch (row->info->format) {
    case FORMAT_D16_UNORM:
        row->depth = ADRENO_DEPTH_FORMAT_Z16;
        row->texture = ADRENO_FORMAT_16_UNORM;
        row->element_B = 2;
        break;
    case FORMAT_X8_D24_UNORM_PACK32:
    case FORMAT_D24_UNORM_S8_UINT: /* in one surface: depth in the low bits */
        row->depth = ADRENO_DEPTH_FORMAT_Z24_S8;
        row->texture = ADRENO_FORMAT_Z24_UNORM_S8_UINT;
        row->element_B = 4;
        break;
    case FORMAT_D32_SFLOAT:
    case FORMAT_D32_SFLOAT_S8_UINT: /* in two */
        row->depth = ADRENO_DEPTH_FORMAT_Z32;
        row->texture = ADRENO_FORMAT_32_FLOAT;
        row->element_B = 4;
        break;
    case FORMAT_S8_UINT:
        row->texture = ADRENO_FORMAT_8_UINT;
        row->element_B = 1;
        break;
    default: /* D16_S8: there is no such packing */
        row->has_stencil = false;
        break;
    }
}

static void fill_row(struct adreno_vkformat *row, const struct format_info *info)
{
    row->info = info;
    if (!info->block_size_B || info->plane_count > 1)
        return;
    if (format_is_depth_or_stencil(info)) {
        fill_depth(row);
        return;
    }
    row->element_B = info->block_size_B;
    if (is_plain(info)) {
        fill_plain(row);
    } else if (format_is_compressed(info)) {
        const struct adreno_format *hw = find_compressed(info);
        row->texture = hw ? hw->number : ADRENO_FORMAT_NONE;
        row->is_srgb = hw && format_is_srgb(info);
        row->is_opaque = compressed_name(info->format) != info->format;
    }
}

static void fill_all(void)
{
    assert(format_count <= MAX_FORMATS);
    for (unsigned i = 0; i < format_count; i++)
        fill_row(&formats[i], format_info_at(i));
    atomic_store_explicit(&formats_filled, true, memory_order_release);
}

const struct adreno_vkformat *adreno_vkformat(VkFormat format)
{
    static const struct adreno_vkformat none;
    const struct format_info *info = format_info((enum format)format);
    if (!info)
        return &none;
    if (!atomic_load_explicit(&formats_filled, memory_order_acquire)) /* recording asks often */
        pthread_once(&formats_once, fill_all);
    return &formats[info - format_info_at(0)];
}

/* ---- uses ---- */

bool adreno_format_is_two_bytes(const struct format_info *info)
{
    return info->block_size_B == 2 && info->channel_count == 2 && info->channels[0].bits == 8;
}

struct adreno_texture_format adreno_texture_format(const struct adreno_chip *chip, VkFormat format,
                                                   VkImageAspectFlags aspect, bool is_tiled)
{
    const struct adreno_vkformat *row = adreno_vkformat(format);
    struct adreno_texture_format out = {
        .number = row->texture,
        .swap = is_tiled ? ADRENO_COLOR_SWAP_WZYX : row->swap,
        .is_srgb = row->is_srgb,
        .swizzle = {ADRENO_TEX_SWIZ_X, ADRENO_TEX_SWIZ_Y, ADRENO_TEX_SWIZ_Z, ADRENO_TEX_SWIZ_W},
    };
    /* Rows with the one bit at the lowest place have a number of their own. */
    if (out.number == ADRENO_FORMAT_5_5_5_1_UNORM && out.swap >= ADRENO_COLOR_SWAP_ZYXW) {
        out.number = ADRENO_FORMAT_1_5_5_5_UNORM;
        out.swap = out.swap == ADRENO_COLOR_SWAP_ZYXW ? ADRENO_COLOR_SWAP_WZYX : ADRENO_COLOR_SWAP_WXYZ;
    }
    if (row->is_opaque)
        out.swizzle[3] = ADRENO_TEX_SWIZ_ONE;
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && row->depth == ADRENO_DEPTH_FORMAT_Z32) {
        out.number = ADRENO_FORMAT_8_UINT;
    } else if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && row->depth == ADRENO_DEPTH_FORMAT_Z24_S8) {
        /* Where the chip has no integers of it, as four bytes of which stencil is the last; reversed, so that a
         * border's colour needs no turning. */
        out.number = chip->has_z24uint_s8uint ? ADRENO_FORMAT_Z24_UINT_S8_UINT : ADRENO_FORMAT_8_8_8_8_UINT;
        if (!chip->has_z24uint_s8uint)
            out.swap = ADRENO_COLOR_SWAP_XYZW;
        out.swizzle[0] = chip->has_z24uint_s8uint ? ADRENO_TEX_SWIZ_Y : ADRENO_TEX_SWIZ_X;
        out.swizzle[1] = out.swizzle[2] = ADRENO_TEX_SWIZ_ZERO;
        out.swizzle[3] = ADRENO_TEX_SWIZ_ONE;
    }
    return out;
}

enum adreno_IFMT_2D adreno_ifmt(const struct adreno_format *hw, bool is_srgb)
{
    unsigned width = 8; /* of compressed ones */
    for (unsigned i = 0; i < hw->channels; i++)
        width = MAX2(width, hw->widths[i]);
    switch (hw->numeric) {
    case ADRENO_NUMERIC_UINT:
    case ADRENO_NUMERIC_SINT:
        return width <= 8 ? ADRENO_IFMT_2D_INT8 : width <= 16 ? ADRENO_IFMT_2D_INT16 : ADRENO_IFMT_2D_INT32;
    case ADRENO_NUMERIC_UNORM:
        if (width <= 8)
            return is_srgb ? ADRENO_IFMT_2D_UNORM8_SRGB : ADRENO_IFMT_2D_UNORM8;
        return width <= 10 ? ADRENO_IFMT_2D_FLOAT16 : ADRENO_IFMT_2D_FLOAT32;
    case ADRENO_NUMERIC_SNORM:
        return width <= 8 ? ADRENO_IFMT_2D_SNORM8 : ADRENO_IFMT_2D_FLOAT32;
    default:
        return width <= 16 ? ADRENO_IFMT_2D_FLOAT16 : ADRENO_IFMT_2D_FLOAT32;
    }
}
