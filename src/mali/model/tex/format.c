/* See format.h. A format names the channels of memory by the letters of formats.table, from the lowest bit up; the
 * codec of util/format has its own names for the same bits; ORDER renames them once more. */
#include "mali/model/tex/format.h"

#include <string.h>

#include "util/bits.h"

/* The channels of memory, from the lowest bit up: r, g, b, a, or nothing. */
struct order_row {
    uint16_t number;
    char names[5];
};

static const struct order_row orders[] = {
    {MALI_RGB_ORDER_RGBA, "rgba"}, {MALI_RGB_ORDER_GRBA, "grba"}, {MALI_RGB_ORDER_BGRA, "bgra"},
    {MALI_RGB_ORDER_ARGB, "argb"}, {MALI_RGB_ORDER_AGRB, "agrb"}, {MALI_RGB_ORDER_ABGR, "abgr"},
    {MALI_RGB_ORDER_RGB1, "rgb-"}, {MALI_RGB_ORDER_GRB1, "grb-"}, {MALI_RGB_ORDER_BGR1, "bgr-"},
    {MALI_RGB_ORDER_1RGB, "-rgb"}, {MALI_RGB_ORDER_1GRB, "-grb"}, {MALI_RGB_ORDER_1BGR, "-bgr"},
    {MALI_RGB_ORDER_000A, "---a"}, {MALI_RGB_ORDER_0001, "----"}, {MALI_RGB_ORDER_RBGA, "rbga"},
};

static const char component_letters[] = "rgba";

static int component_of(char letter)
{
    const char *at = letter ? strchr(component_letters, letter) : NULL;
    return at ? (int)(at - component_letters) : -1;
}

/* Which channel of memory a letter of formats.table stands for. Stencil is the second one, depth the first. */
static int channel_of(char letter)
{
    return letter == 'd' ? 0 : letter == 's' ? 1 : component_of(letter);
}

/* The codec's component for each channel of memory, MALI_PIXEL_ZERO or _ONE where memory has none. */
static void memory_channels(uint8_t out[4], const struct mali_format *hw, const struct format_info *info)
{
    static const uint8_t absent[4] = {MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ONE};
    unsigned low_bit = 0;
    memcpy(out, absent, sizeof(absent));
    for (unsigned i = 0; i < hw->channels; low_bit += hw->widths[i++]) {
        int channel = channel_of(hw->letters[i]);
        for (unsigned n = 0; channel >= 0 && n < info->channel_count; n++) {
            unsigned component = info->channels[n].component;
            if (info->channels[n].low_bit == low_bit && component != FORMAT_COMPONENT_E)
                out[channel] = component > FORMAT_COMPONENT_A ? 0 : (uint8_t)component;
        }
    }
}

/* Bit n: the codec has that component. */
static uint8_t codec_components(const struct mali_pixel *pixel)
{
    const struct format_info *info = format_info(pixel->format);
    uint8_t has = 0;
    if (pixel->is_compressed)
        return 15;
    for (unsigned n = 0; !pixel->is_constant && n < info->channel_count; n++) {
        unsigned component = info->channels[n].component;
        has |= component <= FORMAT_COMPONENT_A ? (uint8_t)(1u << component) : component < FORMAT_COMPONENT_E ? 1 : 0;
    }
    return has;
}

static bool set_order(struct mali_pixel *pixel, const uint8_t memory[4], unsigned order)
{
    static const uint8_t nothing[4] = {MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ONE};
    memcpy(pixel->from, nothing, sizeof(nothing));
    if (order == MALI_RGB_ORDER_RRRR || order == MALI_RGB_ORDER_RRR1 || order == MALI_RGB_ORDER_RRRA) {
        memset(pixel->from, memory[0], 3);
        pixel->from[3] = order == MALI_RGB_ORDER_RRRR   ? memory[0]
                         : order == MALI_RGB_ORDER_RRRA ? memory[3]
                                                        : (uint8_t)MALI_PIXEL_ONE;
    } else if (order == MALI_RGB_ORDER_0000 || order == MALI_RGB_ORDER_R000) {
        memset(pixel->from, MALI_PIXEL_ZERO, 4);
        if (order == MALI_RGB_ORDER_R000)
            pixel->from[0] = memory[0];
    } else {
        unsigned i = 0;
        while (i < ARRAY_SIZE(orders) && orders[i].number != order)
            i++;
        if (i == ARRAY_SIZE(orders))
            return false;
        for (unsigned n = 0; n < 4; n++) {
            int to = component_of(orders[i].names[n]);
            if (to >= 0)
                pixel->from[to] = memory[n];
        }
    }
    /* A codec fills in what its format lacks with the same constants. */
    const uint8_t has = codec_components(pixel);
    pixel->in_order = true;
    for (unsigned n = 0; n < 4; n++) {
        pixel->in_order &= pixel->from[n] == (has >> n & 1 ? n : n == 3 ? MALI_PIXEL_ONE : MALI_PIXEL_ZERO);
        if (pixel->from[n] < MALI_PIXEL_ZERO)
            pixel->present |= (uint8_t)(1u << n);
    }
    return true;
}

static enum mali_pixel_kind kind_of(unsigned numeric)
{
    return numeric == FORMAT_NUMERIC_UINT   ? MALI_PIXEL_UINT
           : numeric == FORMAT_NUMERIC_SINT ? MALI_PIXEL_SINT
                                            : MALI_PIXEL_FLOAT;
}

static void set_format(struct mali_pixel *pixel, enum format format)
{
    const struct format_info *info = format_info(format);
    pixel->format = format;
    pixel->codec = format_codec(format);
    pixel->kind = (uint8_t)kind_of(info->numeric);
    pixel->numeric = info->numeric;
    pixel->size_B = info->block_size_B;
    pixel->block_w = info->block_width;
    pixel->block_h = info->block_height;
    pixel->is_compressed = format_is_compressed(info);
}

bool mali_pixel_init(struct mali_pixel *out, struct mali_pixel_bits bits)
{
    const struct mali_format *hw = mali_format_find(bits.format);
    uint8_t memory[4] = {0, 1, 2, 3};
    memset(out, 0, sizeof(*out));
    if (!hw)
        return false;
    if (!hw->codec) {
        /* Nothing in memory: ORDER gives constants. */
        out->is_constant = true;
        out->block_w = out->block_h = 1;
        memset(memory, MALI_PIXEL_ZERO, 3);
        memory[3] = MALI_PIXEL_ONE;
        return hw->bits == 0 && !hw->is_yuv && !hw->is_position && set_order(out, memory, bits.order);
    }
    enum format format = bits.is_srgb ? format_srgb_of(hw->codec) : hw->codec;
    if (!format)
        return false;
    set_format(out, format);
    memory_channels(memory, hw, format_info(format));
    return set_order(out, memory, bits.order);
}

bool mali_pixel_init_block(struct mali_pixel *out, enum format format, bool is_narrow, struct mali_pixel_bits bits)
{
    static const uint8_t memory[4] = {0, 1, 2, 3};
    memset(out, 0, sizeof(*out));
    if (bits.is_srgb && !(format = format_srgb_of(format)))
        return false;
    set_format(out, format);
    out->is_narrow = is_narrow;
    bool is_good = set_order(out, memory, bits.order);
    /* The decoder fills in the components that the format lacks. */
    for (unsigned n = format_info(format)->component_count; n < 4; n++)
        out->present &= (uint8_t) ~(1u << n);
    return is_good;
}

bool mali_pixel_init_bytes(struct mali_pixel *out, enum format format, unsigned size_B, unsigned at_B, unsigned channel,
                           struct mali_pixel_bits bits)
{
    uint8_t memory[4] = {MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ZERO, MALI_PIXEL_ONE};
    memset(out, 0, sizeof(*out));
    set_format(out, format);
    out->size_B = (uint8_t)size_B;
    out->at_B = (uint8_t)at_B;
    memory[channel] = 0;
    return set_order(out, memory, bits.order);
}

/* ---- texels ---- */

void mali_pixel_order(const struct mali_pixel *pixel, union tex_texel *texels, unsigned count)
{
    if (pixel->in_order)
        return;
    const uint32_t one = pixel->kind == MALI_PIXEL_FLOAT ? float_bits(1) : 1;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t from[6] = {texels[i].u[0], texels[i].u[1], texels[i].u[2], texels[i].u[3], 0, one};
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = from[pixel->from[n]];
    }
}

#define BATCH 64

static void load_texels(const struct mali_pixel *pixel, union tex_texel *out, const void *const *at, unsigned count)
{
    if (pixel->is_constant)
        memset(out, 0, count * sizeof(*out));
    else if (pixel->kind == MALI_PIXEL_FLOAT)
        pixel->codec->fetch_float((float(*)[4])out, at, count);
    else if (pixel->kind == MALI_PIXEL_UINT)
        pixel->codec->fetch_uint((uint32_t(*)[4])out, at, count);
    else
        pixel->codec->fetch_sint((int32_t(*)[4])out, at, count);
}

void mali_pixel_load(const struct mali_pixel *pixel, union tex_texel *out, const void *const *at, unsigned count)
{
    if (pixel->at_B) {
        for (unsigned first = 0; first < count; first += BATCH) {
            const void *moved[BATCH];
            unsigned some = MIN2(count - first, (unsigned)BATCH);
            for (unsigned i = 0; i < some; i++)
                moved[i] = (const uint8_t *)at[first + i] + pixel->at_B;
            load_texels(pixel, out + first, moved, some);
        }
    } else {
        load_texels(pixel, out, at, count);
    }
    mali_pixel_order(pixel, out, count);
}

static void store_texels(const struct mali_pixel *pixel, void *const *at, const union tex_texel *texels, unsigned count)
{
    if (pixel->kind == MALI_PIXEL_FLOAT)
        pixel->codec->store_float(at, (const float(*)[4])texels, count);
    else if (pixel->kind == MALI_PIXEL_UINT)
        pixel->codec->store_uint(at, (const uint32_t(*)[4])texels, count);
    else
        pixel->codec->store_sint(at, (const int32_t(*)[4])texels, count);
}

void mali_pixel_store(const struct mali_pixel *pixel, void *const *at, const union tex_texel *texels, unsigned count)
{
    if (pixel->in_order && !pixel->at_B && !pixel->is_constant) {
        store_texels(pixel, at, texels, count);
        return;
    }
    for (unsigned i = 0; i < count && !pixel->is_constant; i++) {
        union tex_texel memory = {.u = {0, 0, 0, 0}};
        for (unsigned n = 0; n < 4; n++) {
            if (pixel->from[n] < MALI_PIXEL_ZERO)
                memory.u[pixel->from[n]] = texels[i].u[n];
        }
        void *to = (uint8_t *)at[i] + pixel->at_B;
        store_texels(pixel, &to, &memory, 1);
    }
}
