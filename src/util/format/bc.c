/* BC1 to BC5, and the choice of the decoder by the format. */
#include "util/format/bc.h"

#include "util/format/channel.h"
#include "util/format/format.h"

const uint8_t bc_weights[5][16] = {
    [2] = {0, 21, 43, 64},
    [3] = {0, 9, 18, 27, 37, 46, 55, 64},
    [4] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
};

/* The four colours of a colour block, in steps of 1/186 (red, blue) and 1/378 (green). */
struct bc_colours {
    uint16_t steps[4][3];
    bool fourth_is_transparent; /* the three-colour mode of BC1: black, and without alpha where the format has one */
};

static struct bc_colours bc_read_colours(const uint8_t *block, bool always_four)
{
    uint32_t word[2] = {format_load16(block), format_load16(block + 2)};
    struct bc_colours colours = {.fourth_is_transparent = !always_four && word[0] <= word[1]};
    for (unsigned channel = 0; channel < 3; channel++) {
        static const uint8_t low[3] = {11, 5, 0}, mask[3] = {31, 63, 31};
        unsigned a = word[0] >> low[channel] & mask[channel], b = word[1] >> low[channel] & mask[channel];
        colours.steps[0][channel] = (uint16_t)(a * 6);
        colours.steps[1][channel] = (uint16_t)(b * 6);
        colours.steps[2][channel] = (uint16_t)(colours.fourth_is_transparent ? (a + b) * 3 : (2 * a + b) * 2);
        colours.steps[3][channel] = (uint16_t)(colours.fourth_is_transparent ? 0 : (a + 2 * b) * 2);
    }
    return colours;
}

static void bc_colours_float(float (*dst)[4], const uint8_t *block, bool always_four, bool has_alpha, bool srgb)
{
    struct bc_colours colours = bc_read_colours(block, always_four);
    const float *red_blue = srgb ? bc_steps186_srgb : bc_steps186_unorm,
                *green = srgb ? bc_steps378_srgb : bc_steps378_unorm;
    float palette[4][4];
    for (unsigned i = 0; i < 4; i++) {
        palette[i][0] = red_blue[colours.steps[i][0]];
        palette[i][1] = green[colours.steps[i][1]];
        palette[i][2] = red_blue[colours.steps[i][2]];
        palette[i][3] = i == 3 && colours.fourth_is_transparent && has_alpha ? 0.0f : 1.0f;
    }
    uint32_t indices = format_load32(block + 4);
    for (unsigned texel = 0; texel < 16; texel++)
        memcpy(dst[texel], palette[indices >> 2 * texel & 3], sizeof(dst[texel]));
}

static void bc_colours_unorm8(uint8_t (*dst)[4], const uint8_t *block, bool always_four, bool has_alpha)
{
    struct bc_colours colours = bc_read_colours(block, always_four);
    uint8_t palette[4][4];
    for (unsigned i = 0; i < 4; i++) {
        palette[i][0] = bc_steps186_code[colours.steps[i][0]];
        palette[i][1] = bc_steps378_code[colours.steps[i][1]];
        palette[i][2] = bc_steps186_code[colours.steps[i][2]];
        palette[i][3] = i == 3 && colours.fourth_is_transparent && has_alpha ? 0 : 255;
    }
    uint32_t indices = format_load32(block + 4);
    for (unsigned texel = 0; texel < 16; texel++)
        memcpy(dst[texel], palette[indices >> 2 * texel & 3], sizeof(dst[texel]));
}

/* Eight values of one channel as `step[i] / divisor`; signed ones lie in [-divisor, divisor]. The alpha of BC3, and
 * BC4, BC5. */
struct bc_ramp {
    int32_t step[8];
    int32_t divisor;
};

static struct bc_ramp bc_read_ramp(const uint8_t *block, bool is_signed)
{
    int32_t a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];
    /* The order of the codes selects the mode, before -128 becomes the same number as -127. */
    int32_t between = a > b ? 7 : 5, max = is_signed ? 127 : 255;
    a = a < -max ? -max : a;
    b = b < -max ? -max : b;
    struct bc_ramp ramp = {.divisor = between * max};
    ramp.step[0] = a * between;
    ramp.step[1] = b * between;
    for (int32_t i = 1; i < between; i++)
        ramp.step[i + 1] = a * (between - i) + b * i;
    if (between == 5) {
        ramp.step[6] = is_signed ? -ramp.divisor : 0;
        ramp.step[7] = ramp.divisor;
    }
    return ramp;
}

static uint64_t bc_ramp_indices(const uint8_t *block)
{
    return format_load64(block) >> 16;
}

static void bc_ramp_float(float (*dst)[4], unsigned channel, const uint8_t *block, bool is_signed)
{
    struct bc_ramp ramp = bc_read_ramp(block, is_signed);
    float palette[8];
    for (unsigned i = 0; i < 8; i++)
        palette[i] = (float)ramp.step[i] / (float)ramp.divisor;
    uint64_t indices = bc_ramp_indices(block);
    for (unsigned texel = 0; texel < 16; texel++)
        dst[texel][channel] = palette[indices >> 3 * texel & 7];
}

static void bc_ramp_unorm8(uint8_t (*dst)[4], unsigned channel, const uint8_t *block)
{
    struct bc_ramp ramp = bc_read_ramp(block, false);
    int32_t between = ramp.divisor / 255;
    uint8_t palette[8];
    for (unsigned i = 0; i < 8; i++)
        palette[i] = (uint8_t)((ramp.step[i] + between / 2) / between); /* fifths and sevenths have no ties */
    uint64_t indices = bc_ramp_indices(block);
    for (unsigned texel = 0; texel < 16; texel++)
        dst[texel][channel] = palette[indices >> 3 * texel & 7];
}

/* BC4 and BC5: the channels without a ramp. */
static void bc_clear_float(float (*dst)[4])
{
    for (unsigned texel = 0; texel < 16; texel++)
        memcpy(dst[texel], (const float[4]){0.0f, 0.0f, 0.0f, 1.0f}, sizeof(dst[texel]));
}

static void bc_clear_unorm8(uint8_t (*dst)[4])
{
    for (unsigned texel = 0; texel < 16; texel++)
        memcpy(dst[texel], (const uint8_t[4]){0, 0, 0, 255}, sizeof(dst[texel]));
}

static unsigned bc2_alpha(const uint8_t *block, unsigned texel)
{
    return block[texel / 2] >> (texel % 2 * 4) & 15;
}

static void bc7_float(float (*dst)[4], const uint8_t *block, bool srgb)
{
    uint8_t codes[16][4];
    bc7_decode(codes, block);
    for (unsigned texel = 0; texel < 16; texel++) {
        for (unsigned channel = 0; channel < 3; channel++) {
            uint32_t code = codes[texel][channel];
            dst[texel][channel] = srgb ? format_srgb_to_float(code) : format_unorm_to_float(code, 8);
        }
        dst[texel][3] = format_unorm_to_float(codes[texel][3], 8);
    }
}

static void bc6h_float(float (*dst)[4], const uint8_t *block, bool is_signed)
{
    uint16_t halves[16][3];
    bc6h_decode(halves, block, is_signed);
    for (unsigned texel = 0; texel < 16; texel++) {
        for (unsigned channel = 0; channel < 3; channel++)
            dst[texel][channel] = format_half_to_float(halves[texel][channel]);
        dst[texel][3] = 1.0f;
    }
}

bool bc_decode_float(enum format format, float (*dst)[4], const uint8_t *block)
{
    const struct format_info *info = format_info(format);
    bool srgb = info && format_is_srgb(info);
    switch (format) {
    case FORMAT_BC1_RGB_UNORM_BLOCK:
    case FORMAT_BC1_RGB_SRGB_BLOCK:
        bc_colours_float(dst, block, false, false, srgb);
        return true;
    case FORMAT_BC1_RGBA_UNORM_BLOCK:
    case FORMAT_BC1_RGBA_SRGB_BLOCK:
        bc_colours_float(dst, block, false, true, srgb);
        return true;
    case FORMAT_BC2_UNORM_BLOCK:
    case FORMAT_BC2_SRGB_BLOCK:
        bc_colours_float(dst, block + 8, true, false, srgb);
        for (unsigned texel = 0; texel < 16; texel++)
            dst[texel][3] = format_unorm_to_float(bc2_alpha(block, texel), 4);
        return true;
    case FORMAT_BC3_UNORM_BLOCK:
    case FORMAT_BC3_SRGB_BLOCK:
        bc_colours_float(dst, block + 8, true, false, srgb);
        bc_ramp_float(dst, 3, block, false);
        return true;
    case FORMAT_BC4_UNORM_BLOCK:
    case FORMAT_BC4_SNORM_BLOCK:
        bc_clear_float(dst);
        bc_ramp_float(dst, 0, block, format == FORMAT_BC4_SNORM_BLOCK);
        return true;
    case FORMAT_BC5_UNORM_BLOCK:
    case FORMAT_BC5_SNORM_BLOCK:
        bc_clear_float(dst);
        bc_ramp_float(dst, 0, block, format == FORMAT_BC5_SNORM_BLOCK);
        bc_ramp_float(dst, 1, block + 8, format == FORMAT_BC5_SNORM_BLOCK);
        return true;
    case FORMAT_BC6H_UFLOAT_BLOCK:
    case FORMAT_BC6H_SFLOAT_BLOCK:
        bc6h_float(dst, block, format == FORMAT_BC6H_SFLOAT_BLOCK);
        return true;
    case FORMAT_BC7_UNORM_BLOCK:
    case FORMAT_BC7_SRGB_BLOCK:
        bc7_float(dst, block, srgb);
        return true;
    default:
        return false;
    }
}

bool bc_decode_unorm8(enum format format, uint8_t (*dst)[4], const uint8_t *block)
{
    switch (format) {
    case FORMAT_BC1_RGB_UNORM_BLOCK:
    case FORMAT_BC1_RGB_SRGB_BLOCK:
        bc_colours_unorm8(dst, block, false, false);
        return true;
    case FORMAT_BC1_RGBA_UNORM_BLOCK:
    case FORMAT_BC1_RGBA_SRGB_BLOCK:
        bc_colours_unorm8(dst, block, false, true);
        return true;
    case FORMAT_BC2_UNORM_BLOCK:
    case FORMAT_BC2_SRGB_BLOCK:
        bc_colours_unorm8(dst, block + 8, true, false);
        for (unsigned texel = 0; texel < 16; texel++)
            dst[texel][3] = (uint8_t)(bc2_alpha(block, texel) * 17);
        return true;
    case FORMAT_BC3_UNORM_BLOCK:
    case FORMAT_BC3_SRGB_BLOCK:
        bc_colours_unorm8(dst, block + 8, true, false);
        bc_ramp_unorm8(dst, 3, block);
        return true;
    case FORMAT_BC4_UNORM_BLOCK:
        bc_clear_unorm8(dst);
        bc_ramp_unorm8(dst, 0, block);
        return true;
    case FORMAT_BC5_UNORM_BLOCK:
        bc_clear_unorm8(dst);
        bc_ramp_unorm8(dst, 0, block);
        bc_ramp_unorm8(dst, 1, block + 8);
        return true;
    case FORMAT_BC7_UNORM_BLOCK:
    case FORMAT_BC7_SRGB_BLOCK:
        bc7_decode(dst, block);
        return true;
    default:
        return false;
    }
}
