/* VkFormat → the hardware's numbers. Nothing is listed by hand that two tables say together: a format's channels
 * (util/format), from the lowest bit up, are looked up among the hardware's formats with all their orders. */
#include "mali/driver/format.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "util/bits.h"

#define MAX_FORMATS 320

static struct mali_vkformat formats[MAX_FORMATS];
static pthread_once_t formats_once = PTHREAD_ONCE_INIT;
static atomic_bool formats_filled;

/* ---- orders ---- */

/* The channels of memory; a dash is none. Those without alpha come first: they fit formats that have none. */
static const struct {
    uint8_t number;
    char names[5];
} orders[] = {
    {MALI_RGB_ORDER_RGB1, "rgb-"}, {MALI_RGB_ORDER_BGR1, "bgr-"}, {MALI_RGB_ORDER_GRB1, "grb-"},
    {MALI_RGB_ORDER_RGBA, "rgba"}, {MALI_RGB_ORDER_BGRA, "bgra"}, {MALI_RGB_ORDER_ARGB, "argb"},
    {MALI_RGB_ORDER_ABGR, "abgr"}, {MALI_RGB_ORDER_GRBA, "grba"}, {MALI_RGB_ORDER_AGRB, "agrb"},
};

static const char letters[] = "rgba";

/* Which of memory's four channels a letter of formats.table stands for; 4: none, a hole or an exponent. */
static unsigned channel_of(char letter)
{
    const char *at = strchr(letters, letter);
    return at ? (unsigned)(at - letters) : 4;
}

/* Channel by channel from the lowest bit up, is this what the format has? */
static bool has_channels(const struct format_info *info, const struct mali_format *hw, const char *names)
{
    unsigned count = 0;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        if (count >= hw->channels || hw->widths[count] != channel->bits)
            return false;
        const unsigned at = channel_of(hw->letters[count++]);
        if (channel->component == FORMAT_COMPONENT_E ? at != 4 : at == 4 || names[at] != letters[channel->component])
            return false;
    }
    return count == hw->channels;
}

/* ---- the search ---- */

/* Scaled numbers are integers that the attribute unit converts. */
static int numeric_of(const struct format_info *info)
{
    static const int8_t map[] = {
        [FORMAT_NUMERIC_NONE] = -1,
        [FORMAT_NUMERIC_UNORM] = MALI_NUMERIC_UNORM,
        [FORMAT_NUMERIC_SNORM] = MALI_NUMERIC_SNORM,
        [FORMAT_NUMERIC_USCALED] = MALI_NUMERIC_UINT,
        [FORMAT_NUMERIC_SSCALED] = MALI_NUMERIC_SINT,
        [FORMAT_NUMERIC_UINT] = MALI_NUMERIC_UINT,
        [FORMAT_NUMERIC_SINT] = MALI_NUMERIC_SINT,
        [FORMAT_NUMERIC_UFLOAT] = MALI_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SFLOAT] = MALI_NUMERIC_FLOAT,
        [FORMAT_NUMERIC_SRGB] = MALI_NUMERIC_UNORM,
    };
    return info->format == FORMAT_E5B9G9R9_UFLOAT_PACK32 ? MALI_NUMERIC_EXP : map[info->numeric];
}

static bool is_of_memory(const struct mali_format *hw)
{
    return hw->codec && !hw->is_tile && !hw->is_position && !hw->is_rtz && !hw->is_yuv;
}

static const char *names_of(unsigned order)
{
    for (unsigned i = 0; i < ARRAY_SIZE(orders); i++) {
        if (orders[i].number == order)
            return orders[i].names;
    }
    return letters;
}

static struct mali_pixel_format find_plain(const struct format_info *info)
{
    const int numeric = numeric_of(info);
    for (unsigned i = 0; i < mali_format_count; i++) {
        const struct mali_format *hw = &mali_formats[i];
        if (!is_of_memory(hw) || (int)hw->numeric != numeric || hw->bits != info->block_size_B * 8)
            continue;
        for (unsigned k = 0; k < ARRAY_SIZE(orders); k++) {
            if (has_channels(info, hw, orders[k].names))
                return (struct mali_pixel_format){hw->number, orders[k].number, format_is_srgb(info)};
        }
    }
    return (struct mali_pixel_format){0};
}

/* ---- targets ---- */

/* Formats that the blender knows; all others are moved as raw bits. `conversion` 0: the format itself. */
static const struct {
    uint8_t number, internal, writeback, cell_B, conversion;
    bool is_float;
} blended[] = {
    {163, MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8, 4, 237, false},
    {171, MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8, 4, 237, false},
    {187, MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 4, 237, false},
    {186, MALI_INTERNAL_FORMAT_R4G4B4A4, MALI_COLOR_FORMAT_R4G4B4A4, 4, 233, false},
    {64, MALI_INTERNAL_FORMAT_R5G6B5A0, MALI_COLOR_FORMAT_R5G6B5, 4, 227, false},
    {65, MALI_INTERNAL_FORMAT_R5G5B5A1, MALI_COLOR_FORMAT_R5G5B5A1, 4, 225, false},
    {66, MALI_INTERNAL_FORMAT_R5G5B5A1, MALI_COLOR_FORMAT_A1B5G5R5, 4, 225, false},
    {67, MALI_INTERNAL_FORMAT_R10G10B10A2, MALI_COLOR_FORMAT_R10G10B10A2, 4, 238, false},
    {199, MALI_INTERNAL_FORMAT_R16F, MALI_FLOAT_COLOR_FORMAT_R16F, 2, 0, true},
    {207, MALI_INTERNAL_FORMAT_RG16F, MALI_FLOAT_COLOR_FORMAT_RG16F, 4, 0, true},
    {223, MALI_INTERNAL_FORMAT_RGBA16F, MALI_FLOAT_COLOR_FORMAT_RGBA16F, 8, 0, true},
    {89, MALI_INTERNAL_FORMAT_RG11F_B10F, MALI_FLOAT_COLOR_FORMAT_RG11F_B10F, 4, 0, true},
};

static void fill_raw(struct mali_vkformat *row)
{
    static const uint8_t raw[] = {MALI_COLOR_FORMAT_RAW8, MALI_COLOR_FORMAT_RAW16, MALI_COLOR_FORMAT_RAW32,
                                  MALI_COLOR_FORMAT_RAW64, MALI_COLOR_FORMAT_RAW128};
    const unsigned log2 = (unsigned)__builtin_ctz(row->element_B);
    row->color = (struct mali_color_format){
        .internal = (uint8_t)(MALI_INTERNAL_FORMAT_RAW8 + log2),
        .writeback = raw[log2],
        .swizzle = {MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B, MALI_CHANNEL_A},
        .cell_B = row->element_B,
        .conversion = row->texture,
    };
}

/* The conversion of a blended target leaves the order to the writeback. */
static void fill_blended(struct mali_vkformat *row, unsigned i)
{
    const char *names = names_of(row->texture.order);
    const uint8_t number = blended[i].conversion ? blended[i].conversion : blended[i].number;
    row->color = (struct mali_color_format){
        .internal = blended[i].internal,
        .writeback = blended[i].writeback,
        .cell_B = blended[i].cell_B,
        .is_blended = true,
        .is_float = blended[i].is_float,
        .conversion = {number, MALI_RGB_ORDER_RGBA, row->texture.is_srgb},
    };
    for (unsigned n = 0; n < 4; n++)
        row->color.swizzle[n] = (uint8_t)(names[n] == '-' ? MALI_CHANNEL_A : channel_of(names[n]));
}

static void fill_color(struct mali_vkformat *row)
{
    const struct mali_format *hw = mali_format_find(row->texture.number);
    if (!is_power_of_two(row->element_B) || hw->numeric == MALI_NUMERIC_EXP)
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(blended); i++) {
        if (blended[i].number == hw->number) {
            fill_blended(row, i);
            return;
        }
    }
    fill_raw(row);
}

/* ---- rows ---- */

static bool is_plain(const struct format_info *info)
{
    return (info->layout == FORMAT_LAYOUT_ARRAY || info->layout == FORMAT_LAYOUT_PACKED) && info->block_width == 1;
}

static bool is_scaled(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_USCALED || info->numeric == FORMAT_NUMERIC_SSCALED;
}

/* Texels of a plain format are clumps of their size. */
static void set_raw_clump(struct mali_vkformat *row)
{
    for (unsigned i = 0; i < mali_clump_count; i++) {
        if (mali_clumps[i].size_B != row->element_B || mali_clumps[i].number > MALI_CLUMP_FORMAT_RAW96)
            continue;
        row->plane_type = MALI_PLANE_TYPE_GENERIC;
        row->clump = mali_clumps[i].number;
        return;
    }
}

/* Ten bits with a sign and two of alpha are for vertices alone. */
static bool is_signed_packed(const struct mali_format *hw)
{
    return hw->widths[0] == 10 && (hw->numeric == MALI_NUMERIC_SNORM || hw->numeric == MALI_NUMERIC_SINT);
}

/* Bytes, and ten bits: what is copied by floats without a loss. The order must be memory's own, since a swizzle would
 * turn border colours, too. */
static void set_afbc(struct mali_vkformat *row)
{
    static const struct {
        uint8_t number, mode;
    } modes[] = {{163, MALI_AFBC_MODE_R8},
                 {171, MALI_AFBC_MODE_R8G8},
                 {MALI_FORMAT_RGBA8_UNORM, MALI_AFBC_MODE_R8G8B8A8},
                 {MALI_FORMAT_RGB10_A2_UNORM, MALI_AFBC_MODE_R10G10B10A2}};
    if (row->texture.order != MALI_RGB_ORDER_RGBA && row->texture.order != MALI_RGB_ORDER_RGB1)
        return;
    for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
        if (modes[i].number != row->texture.number)
            continue;
        row->has_afbc = true;
        row->afbc_mode = modes[i].mode;
        row->has_afbc_ytr = row->info->component_count >= 3;
    }
}

static void fill_plain(struct mali_vkformat *row)
{
    const struct mali_pixel_format pixel = find_plain(row->info);
    if (!pixel.number)
        return;
    const struct mali_format *hw = mali_format_find(pixel.number);
    if (!pixel.is_srgb && hw->numeric != MALI_NUMERIC_EXP)
        row->attribute = pixel;
    if (is_scaled(row->info) || is_signed_packed(hw))
        return;
    row->texture = pixel;
    set_raw_clump(row);
    fill_color(row);
    set_afbc(row);
}

static void fill_depth(struct mali_vkformat *row)
{
    const bool has_stencil = row->info->aspects & FORMAT_ASPECT_STENCIL;
    uint8_t number = MALI_FORMAT_NONE;
    switch (row->info->format) {
    case FORMAT_D16_UNORM:
        number = MALI_FORMAT_Z16_UNORM;
        row->zs = MALI_ZS_FORMAT_D16;
        row->z_internal = MALI_Z_INTERNAL_FORMAT_D16;
        row->element_B = 2;
        break;
    case FORMAT_X8_D24_UNORM_PACK32:
    case FORMAT_D24_UNORM_S8_UINT: /* in one surface: depth in the low bits */
        number = MALI_FORMAT_Z24X8_UNORM;
        row->zs = has_stencil ? MALI_ZS_FORMAT_D24S8 : MALI_ZS_FORMAT_D24X8;
        row->z_internal = MALI_Z_INTERNAL_FORMAT_D24;
        row->s = has_stencil ? MALI_S_FORMAT_X24S8 : 0;
        row->element_B = 4;
        break;
    case FORMAT_D32_SFLOAT:
    case FORMAT_D32_SFLOAT_S8_UINT: /* in two */
        number = MALI_FORMAT_Z32;
        row->zs = MALI_ZS_FORMAT_D32;
        row->z_internal = MALI_Z_INTERNAL_FORMAT_D32;
        row->s = has_stencil ? MALI_S_FORMAT_S8 : 0;
        row->element_B = 4;
        break;
    case FORMAT_S8_UINT:
        number = MALI_FORMAT_S8;
        row->s = MALI_S_FORMAT_S8;
        row->element_B = 1;
        break;
    default: /* D16_S8: there is no such packing */
        return;
    }
    row->texture =
        (struct mali_pixel_format){number, number == MALI_FORMAT_S8 ? MALI_RGB_ORDER_GRBA : MALI_RGB_ORDER_RGB1, false};
    set_raw_clump(row);
    if (number == MALI_FORMAT_S8)
        row->clump = MALI_CLUMP_FORMAT_S8;
}

/* ---- compressed formats ---- */

/* BC1 without alpha is BC1 with an alpha that is not looked at. */
static enum format unorm_name(const struct format_info *info)
{
    const enum format name = info->linear_format;
    return name == FORMAT_BC1_RGB_UNORM_BLOCK ? FORMAT_BC1_RGBA_UNORM_BLOCK : name;
}

/* Texels once they are decoded: bytes, or numbers of eleven bits and halves. */
static uint8_t decoded_number(const struct format_info *info)
{
    switch (unorm_name(info)) {
    case FORMAT_EAC_R11_UNORM_BLOCK:
        return 164; /* R16_UNORM */
    case FORMAT_EAC_R11_SNORM_BLOCK:
        return 100;
    case FORMAT_EAC_R11G11_UNORM_BLOCK:
        return MALI_FORMAT_RG16_UNORM;
    case FORMAT_EAC_R11G11_SNORM_BLOCK:
        return 108;
    case FORMAT_BC4_UNORM_BLOCK:
        return 163; /* R8_UNORM */
    case FORMAT_BC4_SNORM_BLOCK:
        return 99;
    case FORMAT_BC5_UNORM_BLOCK:
        return 171;
    case FORMAT_BC5_SNORM_BLOCK:
        return 107;
    case FORMAT_BC6H_UFLOAT_BLOCK:
    case FORMAT_BC6H_SFLOAT_BLOCK:
        return MALI_FORMAT_RGBA16F;
    default:
        return MALI_FORMAT_RGBA8_UNORM;
    }
}

static void fill_compressed(struct mali_vkformat *row)
{
    const struct format_info *info = row->info;
    const enum format name = unorm_name(info);
    if (info->compression == FORMAT_COMPRESSION_ASTC_LDR) {
        row->plane_type = MALI_PLANE_TYPE_ASTC_2D;
    } else {
        for (unsigned i = 0; i < mali_clump_count && !row->plane_type; i++) {
            if (mali_clumps[i].format != name)
                continue;
            row->plane_type = MALI_PLANE_TYPE_GENERIC;
            row->clump = mali_clumps[i].number;
        }
    }
    if (!row->plane_type)
        return;
    row->texture = (struct mali_pixel_format){decoded_number(info),
                                              info->component_count == 4 ? MALI_RGB_ORDER_RGBA : MALI_RGB_ORDER_RGB1,
                                              format_is_srgb(info)};
}

/* ---- all of them ---- */

static void fill_row(struct mali_vkformat *row, const struct format_info *info)
{
    row->info = info;
    if (!info->block_size_B || info->plane_count > 1)
        return;
    if (format_is_depth_or_stencil(info)) {
        fill_depth(row);
        return;
    }
    row->element_B = info->block_size_B;
    if (is_plain(info))
        fill_plain(row);
    else if (format_is_compressed(info))
        fill_compressed(row);
}

static void fill_all(void)
{
    assert(format_count <= MAX_FORMATS);
    for (unsigned i = 0; i < format_count; i++)
        fill_row(&formats[i], format_info_at(i));
    atomic_store_explicit(&formats_filled, true, memory_order_release);
}

const struct mali_vkformat *mali_vkformat(VkFormat format)
{
    static const struct mali_vkformat none;
    const struct format_info *info = format_info((enum format)format);
    if (!info)
        return &none;
    if (!atomic_load_explicit(&formats_filled, memory_order_acquire)) /* recording asks often */
        pthread_once(&formats_once, fill_all);
    return &formats[info - format_info_at(0)];
}

struct mali_texture_format mali_texture_format(VkFormat format, VkImageAspectFlags aspect)
{
    const struct mali_vkformat *row = mali_vkformat(format);
    struct mali_texture_format out = {
        .pixel = row->texture,
        .plane_type = row->plane_type,
        .clump = row->clump,
        .is_opaque = row->info && format_is_compressed(row->info) && unorm_name(row->info) != row->info->linear_format,
        .is_alpha = format == VK_FORMAT_A8_UNORM_KHR,
    };
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && row->zs) {
        out.pixel = (struct mali_pixel_format){row->s ? MALI_FORMAT_S8 : MALI_FORMAT_NONE, MALI_RGB_ORDER_GRBA, false};
        out.clump = row->s == MALI_S_FORMAT_X24S8 ? MALI_CLUMP_FORMAT_X24S8 : MALI_CLUMP_FORMAT_S8;
    }
    return out;
}
