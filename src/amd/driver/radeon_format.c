/* VkFormat → the hardware's numbers. Nothing is listed by hand that the two tables say together: the channels of a
 * format (util/format), from the lowest bit up, are looked up among the widths of the hardware's formats (amd/hw). */
#include "amd/driver/radeon_format.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "amd/driver/radeon_cs.h"
#include "amd/hw/enums.h"
#include "util/bits.h"

/* The highest format of a buffer descriptor, whose field has seven bits. */
#define MAX_BUFFER_FORMAT 127
#define MAX_FORMATS 320

static struct radeon_format formats[MAX_FORMATS];
static pthread_once_t formats_once = PTHREAD_ONCE_INIT;
static atomic_bool formats_filled;

/* Of the formats that are numbered one after the other: one more than the place in `formats`, or 0. */
#define CORE_FORMATS (VK_FORMAT_ASTC_12x12_SRGB_BLOCK + 1)
static uint16_t core_places[CORE_FORMATS];

static bool numeric_of(const struct format_info *info, enum amd_numeric *numeric_out)
{
    static const int8_t map[] = {
        [FORMAT_NUMERIC_NONE] = -1,
        [FORMAT_NUMERIC_UNORM] = AMD_NUMERIC_UNORM,
        [FORMAT_NUMERIC_SNORM] = AMD_NUMERIC_SNORM,
        [FORMAT_NUMERIC_USCALED] = AMD_NUMERIC_USCALED,
        [FORMAT_NUMERIC_SSCALED] = AMD_NUMERIC_SSCALED,
        [FORMAT_NUMERIC_UINT] = AMD_NUMERIC_UINT,
        [FORMAT_NUMERIC_SINT] = AMD_NUMERIC_SINT,
        [FORMAT_NUMERIC_UFLOAT] = AMD_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SFLOAT] = AMD_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SRGB] = AMD_NUMERIC_SRGB,
    };
    if (map[info->numeric] < 0)
        return false;
    *numeric_out = (enum amd_numeric)map[info->numeric];
    return true;
}

/* The hardware's name of a BC format is Vulkan's number of it and the numeric kind. */
static const struct amd_image_format *find_compressed(const struct format_info *info)
{
    static const char *const kinds[] = {
        [FORMAT_NUMERIC_UNORM] = "UNORM",   [FORMAT_NUMERIC_SNORM] = "SNORM",   [FORMAT_NUMERIC_SRGB] = "SRGB",
        [FORMAT_NUMERIC_UFLOAT] = "UFLOAT", [FORMAT_NUMERIC_SFLOAT] = "SFLOAT",
    };
    unsigned number;
    char name[32];
    if (info->compression != FORMAT_COMPRESSION_BC || sscanf(info->name, "VK_FORMAT_BC%u", &number) != 1)
        return NULL;
    snprintf(name, sizeof(name), "BC%u_%s", number, kinds[info->numeric]);
    return amd_image_format_find_name(name);
}

/* Channels in the upper bits of 16-bit words are read as the whole words; the shader that samples them scales
 * (vulkan/runtime/descriptor/vk_ycbcr_lower.c). */
static bool same_channels(const struct format_info *info, const struct amd_image_format *hw)
{
    if (hw->channels != info->channel_count)
        return false;
    for (unsigned i = 0; i < info->channel_count; i++)
        if (hw->widths[i] != (info->layout == FORMAT_LAYOUT_WORDS16 ? 16 : info->channels[i].bits))
            return false;
    return true;
}

static const struct amd_image_format *find_plain(const struct format_info *info)
{
    enum amd_numeric numeric;
    if (!numeric_of(info, &numeric))
        return NULL;
    for (unsigned i = 0; i < amd_image_format_count; i++) {
        const struct amd_image_format *hw = &amd_image_formats[i];
        if (hw->number[RADEON_GFX] > 0 && !hw->fmask && !hw->video && hw->block_width == 1 &&
            hw->block_bits == info->block_size_B * 8 && hw->numeric == numeric && same_channels(info, hw))
            return hw;
    }
    return NULL;
}

/* Bits that no channel uses would shift the others; 4:2:2 and planes are not formats of one surface. */
static bool is_plain(const struct format_info *info)
{
    return info->block_size_B && (info->layout == FORMAT_LAYOUT_ARRAY || info->layout == FORMAT_LAYOUT_PACKED) &&
           info->block_width == 1 && info->block_height == 1;
}

static void fill_selects(struct radeon_format *format)
{
    const struct format_info *info = format->info;
    uint8_t *sel = format->dst_sel;
    memcpy(sel, (uint8_t[4]){AMD_DST_SEL_0, AMD_DST_SEL_0, AMD_DST_SEL_0, AMD_DST_SEL_1}, 4);
    for (unsigned i = 0; i < info->channel_count; i++) {
        unsigned component = info->channels[i].component;
        if (component <= FORMAT_COMPONENT_A)
            sel[component] = AMD_DST_SEL_X + i;
        else if (component != FORMAT_COMPONENT_E)
            sel[0] = AMD_DST_SEL_X;
    }
    /* A border colour is looked up behind the selection's back; only orders that formats have are there. */
    if (sel[3] == AMD_DST_SEL_X)
        format->bc_swizzle = sel[2] == AMD_DST_SEL_Y ? AMD_BC_SWIZZLE_WZYX : AMD_BC_SWIZZLE_WXYZ;
    else if (sel[0] == AMD_DST_SEL_X)
        format->bc_swizzle = sel[1] == AMD_DST_SEL_Y ? AMD_BC_SWIZZLE_XYZW : AMD_BC_SWIZZLE_XWYZ;
    else if (sel[1] == AMD_DST_SEL_X)
        format->bc_swizzle = AMD_BC_SWIZZLE_YXWZ;
    else if (sel[2] == AMD_DST_SEL_X)
        format->bc_swizzle = AMD_BC_SWIZZLE_ZYXW;
}

/* Colour formats by the widths of their channels, the lowest first. */
static uint8_t color_format(const struct format_info *info)
{
    static const struct {
        uint8_t bits[4], format;
    } rows[] = {
        {{8}, AMD_COLOR_FORMAT_8},
        {{16}, AMD_COLOR_FORMAT_16},
        {{8, 8}, AMD_COLOR_FORMAT_8_8},
        {{32}, AMD_COLOR_FORMAT_32},
        {{16, 16}, AMD_COLOR_FORMAT_16_16},
        {{11, 11, 10}, AMD_COLOR_FORMAT_10_11_11},
        {{10, 10, 10, 2}, AMD_COLOR_FORMAT_2_10_10_10},
        {{8, 8, 8, 8}, AMD_COLOR_FORMAT_8_8_8_8},
        {{32, 32}, AMD_COLOR_FORMAT_32_32},
        {{16, 16, 16, 16}, AMD_COLOR_FORMAT_16_16_16_16},
        {{32, 32, 32, 32}, AMD_COLOR_FORMAT_32_32_32_32},
        {{5, 6, 5}, AMD_COLOR_FORMAT_5_6_5},
        {{5, 5, 5, 1}, AMD_COLOR_FORMAT_1_5_5_5},
        {{1, 5, 5, 5}, AMD_COLOR_FORMAT_5_5_5_1},
        {{4, 4, 4, 4}, AMD_COLOR_FORMAT_4_4_4_4},
        {{9, 9, 9, 5}, AMD_COLOR_FORMAT_5_9_9_9},
    };
    uint8_t bits[4] = {0};
    for (unsigned i = 0; i < info->channel_count; i++)
        bits[i] = info->channels[i].bits;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!memcmp(bits, rows[i].bits, sizeof(bits)))
            return rows[i].format;
    return AMD_COLOR_FORMAT_INVALID;
}

static bool color_number(const struct format_info *info, uint8_t *number_out)
{
    static const int8_t map[] = {
        [FORMAT_NUMERIC_NONE] = -1,
        [FORMAT_NUMERIC_UNORM] = AMD_NUMBER_TYPE_UNORM,
        [FORMAT_NUMERIC_SNORM] = AMD_NUMBER_TYPE_SNORM,
        [FORMAT_NUMERIC_USCALED] = -1,
        [FORMAT_NUMERIC_SSCALED] = -1,
        [FORMAT_NUMERIC_UINT] = AMD_NUMBER_TYPE_UINT,
        [FORMAT_NUMERIC_SINT] = AMD_NUMBER_TYPE_SINT,
        [FORMAT_NUMERIC_UFLOAT] = AMD_NUMBER_TYPE_FLOAT,
        [FORMAT_NUMERIC_SFLOAT] = AMD_NUMBER_TYPE_FLOAT,
        [FORMAT_NUMERIC_SRGB] = AMD_NUMBER_TYPE_SRGB,
    };
    if (map[info->numeric] < 0)
        return false;
    *number_out = (uint8_t)map[info->numeric];
    return true;
}

/* How the colours stand in a texel: as they are, reversed, or with red and blue exchanged. */
static bool color_swap(const struct radeon_format *format, uint8_t *swap_out)
{
    const uint8_t *sel = format->dst_sel;
    switch (format->info->channel_count) {
    case 1:
        *swap_out = sel[3] == AMD_DST_SEL_X ? AMD_COMP_SWAP_ALT_REV : AMD_COMP_SWAP_STD;
        return sel[0] == AMD_DST_SEL_X || sel[3] == AMD_DST_SEL_X;
    case 2:
        *swap_out = AMD_COMP_SWAP_STD;
        return sel[0] == AMD_DST_SEL_X;
    case 3:
        *swap_out = sel[0] == AMD_DST_SEL_X ? AMD_COMP_SWAP_STD : AMD_COMP_SWAP_STD_REV;
        return sel[0] == AMD_DST_SEL_X || sel[0] == AMD_DST_SEL_Z;
    default:
        if (sel[1] == AMD_DST_SEL_Y)
            *swap_out = sel[2] == AMD_DST_SEL_Z ? AMD_COMP_SWAP_STD : AMD_COMP_SWAP_ALT;
        else
            *swap_out = sel[2] == AMD_DST_SEL_Y ? AMD_COMP_SWAP_STD_REV : AMD_COMP_SWAP_ALT_REV;
        return true;
    }
}

static void fill_color(struct radeon_format *format)
{
    const struct format_info *info = format->info;
    uint8_t number, swap;
    if (!is_plain(info) || !(info->aspects & FORMAT_ASPECT_COLOR) || !color_number(info, &number) ||
        !color_swap(format, &swap))
        return;
    format->color.format = color_format(info);
    format->color.number = number;
    format->color.swap = swap;
    format->color.blendable = !format_is_integer(info);
    format->color.alpha_is_one = format->dst_sel[3] == AMD_DST_SEL_1;
}

static void fill_depth(struct radeon_format *format)
{
    switch ((VkFormat)format->info->depth_format) {
    case VK_FORMAT_D16_UNORM:
        format->depth = AMD_Z_FORMAT_16;
        break;
    case VK_FORMAT_D32_SFLOAT:
        format->depth = AMD_Z_FORMAT_32_FLOAT;
        break;
    default: /* 24 bits: the chip reads them but does not compress them well; no driver offers them */
        break;
    }
    format->is_stencil = format->info->aspects & FORMAT_ASPECT_STENCIL;
}

static void fill_row(struct radeon_format *format, const struct format_info *info)
{
    format->info = info;
    if (!info->block_size_B || info->plane_count > 1)
        return;
    const struct format_info *read = info; /* what a view of the first aspect reads */
    if (format_is_depth_or_stencil(info)) {
        fill_depth(format);
        read = format_info(info->depth_format ? info->depth_format : info->stencil_format);
    }
    format->element_B = read->block_size_B;
    fill_selects(format);
    if (radeon_format_is_int64(format)) { /* two words, as the instructions that move them have it */
        read = format_info(
            (enum format)(info->numeric == FORMAT_NUMERIC_UINT ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32G32_SINT));
        format->dst_sel[1] = AMD_DST_SEL_Y;
    }
    bool words = info->layout == FORMAT_LAYOUT_WORDS16 && info->block_width == 1;
    const struct amd_image_format *hw = format_is_compressed(info) ? find_compressed(info)
                                        : is_plain(read) || words  ? find_plain(read)
                                                                   : NULL;
    if (format_is_depth_or_stencil(info) && !format->depth && info->depth_format)
        hw = NULL;
    format->image = hw ? (uint16_t)hw->number[RADEON_GFX] : 0;
    format->buffer = hw && format->image <= MAX_BUFFER_FORMAT && info->aspects & FORMAT_ASPECT_COLOR && !words;
    fill_color(format);
}

static void fill_all(void)
{
    assert(format_count <= MAX_FORMATS);
    for (unsigned i = 0; i < format_count; i++)
        fill_row(&formats[i], format_info_at(i));
    for (unsigned i = 0; i < CORE_FORMATS; i++) {
        const struct format_info *info = format_info((enum format)i);
        core_places[i] = info ? (uint16_t)(info - format_info_at(0) + 1) : 0;
    }
    atomic_store_explicit(&formats_filled, true, memory_order_release);
}

const struct radeon_format *radeon_format(VkFormat vk_format)
{
    static const struct radeon_format none;
    if (!atomic_load_explicit(&formats_filled, memory_order_acquire)) /* recording asks often */
        pthread_once(&formats_once, fill_all);
    if ((uint32_t)vk_format < CORE_FORMATS)
        return core_places[vk_format] ? &formats[core_places[vk_format] - 1] : &none;
    const struct format_info *info = format_info((enum format)vk_format);
    return info ? &formats[info - format_info_at(0)] : &none;
}

void radeon_format_swizzle(const struct radeon_format *format, const VkComponentMapping *mapping, uint8_t sel_out[4])
{
    const VkComponentSwizzle from[4] = {mapping->r, mapping->g, mapping->b, mapping->a};
    for (unsigned i = 0; i < 4; i++) {
        switch (from[i]) {
        case VK_COMPONENT_SWIZZLE_ZERO:
            sel_out[i] = AMD_DST_SEL_0;
            break;
        case VK_COMPONENT_SWIZZLE_ONE:
            sel_out[i] = AMD_DST_SEL_1;
            break;
        case VK_COMPONENT_SWIZZLE_IDENTITY:
            sel_out[i] = format->dst_sel[i];
            break;
        default:
            sel_out[i] = format->dst_sel[from[i] - VK_COMPONENT_SWIZZLE_R];
            break;
        }
    }
}

/* 32 bits per channel: as few channels as will do. */
static enum amd_export_format_of_shader export_32(unsigned channels, bool alpha_needed)
{
    if (channels == 1)
        return alpha_needed ? AMD_EXPORT_32_AR : AMD_EXPORT_32_R;
    if (channels == 2)
        return alpha_needed ? AMD_EXPORT_32_ABGR : AMD_EXPORT_32_GR;
    return AMD_EXPORT_32_ABGR;
}

enum amd_export_format_of_shader radeon_export_format(const struct radeon_format *format, bool blend, bool alpha_needed)
{
    unsigned channels = format->info ? format->info->channel_count : 0;
    switch (format->color.format) {
    case AMD_COLOR_FORMAT_INVALID:
        return AMD_EXPORT_ZERO;
    case AMD_COLOR_FORMAT_32:
    case AMD_COLOR_FORMAT_32_32:
    case AMD_COLOR_FORMAT_32_32_32_32:
        return export_32(channels, alpha_needed);
    default:
        break;
    }
    switch (format->color.number) {
    case AMD_NUMBER_TYPE_UINT:
        return AMD_EXPORT_UINT16_ABGR;
    case AMD_NUMBER_TYPE_SINT:
        return AMD_EXPORT_SINT16_ABGR;
    default:
        break;
    }
    bool norm16 = format->info->channels[0].bits == 16 && format->color.number != AMD_NUMBER_TYPE_FLOAT;
    if (!norm16)
        return AMD_EXPORT_FP16_ABGR; /* 11 bits of fraction hold every value of up to 10 bits */
    if (blend)                       /* the blender does not take 16-bit normalised numbers */
        return export_32(channels, alpha_needed);
    return format->color.number == AMD_NUMBER_TYPE_UNORM ? AMD_EXPORT_UNORM16_ABGR : AMD_EXPORT_SNORM16_ABGR;
}

static bool is_int_of(const struct radeon_format *format, unsigned bits)
{
    return format->info && format_is_integer(format->info) && format->info->channels[0].bits == bits;
}

bool radeon_format_is_int64(const struct radeon_format *format)
{
    return is_int_of(format, 64) && format->info->channel_count == 1;
}

bool radeon_format_is_int8(const struct radeon_format *format)
{
    return is_int_of(format, 8);
}

bool radeon_format_is_int10(const struct radeon_format *format)
{
    return is_int_of(format, 10);
}

/* Dwords of 64-bit channels: pairs of 32-bit integers. */
static bool wide_vertex_format(const struct format_info *info, struct amd_vertex_attribute *attribute)
{
    attribute->is_64 = true;
    attribute->format = (uint8_t)radeon_format(VK_FORMAT_R32G32_UINT)->image;
    attribute->channels = info->channel_count;
    attribute->is_int = false;
    return true;
}

bool radeon_vertex_format_by_channel(VkFormat vk_format, struct amd_vertex_attribute *attribute)
{
    const struct format_info *info = radeon_format(vk_format)->info;
    enum amd_numeric numeric;
    if (!info || info->layout != FORMAT_LAYOUT_ARRAY || info->channels[0].bits > 16 || !numeric_of(info, &numeric))
        return false;
    for (unsigned i = 0; i < amd_image_format_count; i++) {
        const struct amd_image_format *hw = &amd_image_formats[i];
        if (hw->number[RADEON_GFX] <= 0 || hw->number[RADEON_GFX] > MAX_BUFFER_FORMAT || hw->channels != 1 ||
            hw->widths[0] != info->channels[0].bits || hw->numeric != numeric || hw->fmask || hw->video)
            continue;
        attribute->format = (uint8_t)hw->number[RADEON_GFX];
        attribute->split_B = info->channels[0].bits / 8;
        return true;
    }
    return false;
}

bool radeon_vertex_format(VkFormat vk_format, struct amd_vertex_attribute *attribute)
{
    const struct radeon_format *format = radeon_format(vk_format);
    const struct format_info *info = format->info;
    if (!info || !is_plain(info) || !(info->aspects & FORMAT_ASPECT_COLOR) || format_is_srgb(info))
        return false;
    attribute->split_B = 0;
    attribute->is_64 = false;
    attribute->channels = info->channel_count;
    attribute->is_int = format_is_integer(info);
    attribute->bgra = format->dst_sel[0] == AMD_DST_SEL_Z;
    if (info->channels[0].bits == 64)
        return wide_vertex_format(info, attribute);
    if (format->buffer) {
        attribute->format = (uint8_t)format->image;
        return true;
    }
    return radeon_vertex_format_by_channel(vk_format, attribute);
}
