/* Hardware formats and swaps as formats of util/format and an order of components. */
#include <string.h>

#include "adreno/model/rb/surface.h"

/* The row of a format: the formats of util/format that have its bits, and which of their components stands at each place
 * from the lowest bit up. */
struct row {
    enum format plain, srgb; /* UNDEFINED: there is none */
    uint8_t channels;        /* 0: no row */
    uint8_t place[4];
    bool is_alpha;  /* the one channel is alpha */
    bool is_uneven; /* channels differ in width: alpha does not change its place */
};

#define CHANNELS(format, count)                                                                                        \
    {                                                                                                                  \
        .plain = format, .channels = count, .place = { 0, 1, 2, 3 }                                                    \
    }
#define ONE(format) CHANNELS(format, 1)
#define TWO(format) CHANNELS(format, 2)
#define THREE(format) CHANNELS(format, 3)
#define FOUR(format) CHANNELS(format, 4)
#define UNEVEN(format)                                                                                                 \
    {                                                                                                                  \
        .plain = format, .channels = 4, .place = {0, 1, 2, 3}, .is_uneven = true                                       \
    }
#define WITH_SRGB(format, encoded, count)                                                                              \
    {                                                                                                                  \
        .plain = format, .srgb = encoded, .channels = count, .place = { 0, 1, 2, 3 }                                   \
    }

/* By the number that a register's format field holds (formats.table has their names). */
static const struct row rows[256] = {
    [2] = {.plain = FORMAT_R8_UNORM, .channels = 1, .is_alpha = true},
    [3] = WITH_SRGB(FORMAT_R8_UNORM, FORMAT_R8_SRGB, 1),
    [4] = ONE(FORMAT_R8_SNORM),
    [5] = ONE(FORMAT_R8_UINT),
    [6] = ONE(FORMAT_R8_SINT),
    [8] = {.plain = FORMAT_R4G4B4A4_UNORM_PACK16, .channels = 4, .place = {3, 2, 1, 0}},
    [14] = THREE(FORMAT_B5G6R5_UNORM_PACK16),
    [15] = WITH_SRGB(FORMAT_R8G8_UNORM, FORMAT_R8G8_SRGB, 2),
    [16] = TWO(FORMAT_R8G8_SNORM),
    [17] = TWO(FORMAT_R8G8_UINT),
    [18] = TWO(FORMAT_R8G8_SINT),
    [21] = ONE(FORMAT_R16_UNORM),
    [22] = ONE(FORMAT_R16_SNORM),
    [23] = ONE(FORMAT_R16_SFLOAT),
    [24] = ONE(FORMAT_R16_UINT),
    [25] = ONE(FORMAT_R16_SINT),
    [33] = WITH_SRGB(FORMAT_R8G8B8_UNORM, FORMAT_R8G8B8_SRGB, 3),
    [34] = THREE(FORMAT_R8G8B8_SNORM),
    [35] = THREE(FORMAT_R8G8B8_UINT),
    [36] = THREE(FORMAT_R8G8B8_SINT),
    [48] = WITH_SRGB(FORMAT_R8G8B8A8_UNORM, FORMAT_R8G8B8A8_SRGB, 4),
    [50] = FOUR(FORMAT_R8G8B8A8_SNORM),
    [51] = FOUR(FORMAT_R8G8B8A8_UINT),
    [52] = FOUR(FORMAT_R8G8B8A8_SINT),
    [53] = THREE(FORMAT_E5B9G9R9_UFLOAT_PACK32),
    [54] = UNEVEN(FORMAT_A2B10G10R10_UNORM_PACK32),
    [55] = UNEVEN(FORMAT_A2B10G10R10_UNORM_PACK32),
    [57] = UNEVEN(FORMAT_A2B10G10R10_SNORM_PACK32),
    [58] = UNEVEN(FORMAT_A2B10G10R10_UINT_PACK32),
    [59] = UNEVEN(FORMAT_A2B10G10R10_SINT_PACK32),
    [66] = THREE(FORMAT_B10G11R11_UFLOAT_PACK32),
    [67] = TWO(FORMAT_R16G16_UNORM),
    [68] = TWO(FORMAT_R16G16_SNORM),
    [69] = TWO(FORMAT_R16G16_SFLOAT),
    [70] = TWO(FORMAT_R16G16_UINT),
    [71] = TWO(FORMAT_R16G16_SINT),
    [74] = ONE(FORMAT_R32_SFLOAT),
    [75] = ONE(FORMAT_R32_UINT),
    [76] = ONE(FORMAT_R32_SINT),
    [88] = THREE(FORMAT_R16G16B16_UNORM),
    [89] = THREE(FORMAT_R16G16B16_SNORM),
    [90] = THREE(FORMAT_R16G16B16_SFLOAT),
    [91] = THREE(FORMAT_R16G16B16_UINT),
    [92] = THREE(FORMAT_R16G16B16_SINT),
    [96] = FOUR(FORMAT_R16G16B16A16_UNORM),
    [97] = FOUR(FORMAT_R16G16B16A16_SNORM),
    [98] = FOUR(FORMAT_R16G16B16A16_SFLOAT),
    [99] = FOUR(FORMAT_R16G16B16A16_UINT),
    [100] = FOUR(FORMAT_R16G16B16A16_SINT),
    [103] = TWO(FORMAT_R32G32_SFLOAT),
    [104] = TWO(FORMAT_R32G32_UINT),
    [105] = TWO(FORMAT_R32G32_SINT),
    [114] = THREE(FORMAT_R32G32B32_UINT),
    [115] = THREE(FORMAT_R32G32B32_SINT),
    [116] = THREE(FORMAT_R32G32B32_SFLOAT),
    [130] = FOUR(FORMAT_R32G32B32A32_SFLOAT),
    [131] = FOUR(FORMAT_R32G32B32A32_UINT),
    [132] = FOUR(FORMAT_R32G32B32A32_SINT),
    [145] = FOUR(FORMAT_R8G8B8A8_UNORM), /* depth and stencil as four bytes */
    [148] = ONE(FORMAT_R8_UNORM),        /* planes of video images */
    [149] = TWO(FORMAT_R8G8_UNORM),
    [155] = ONE(FORMAT_R16_UNORM),
    [156] = TWO(FORMAT_R16G16_UNORM),
    [160] = FOUR(FORMAT_R8G8B8A8_UNORM), /* for the BLIT event, which moves it as four bytes */
    /* compressed: what the 2D engine reads */
    [171] = FOUR(FORMAT_EAC_R11G11_UNORM_BLOCK),
    [172] = FOUR(FORMAT_EAC_R11G11_SNORM_BLOCK),
    [173] = FOUR(FORMAT_EAC_R11_UNORM_BLOCK),
    [174] = FOUR(FORMAT_EAC_R11_SNORM_BLOCK),
    [176] = WITH_SRGB(FORMAT_ETC2_R8G8B8_UNORM_BLOCK, FORMAT_ETC2_R8G8B8_SRGB_BLOCK, 4),
    [177] = WITH_SRGB(FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, 4),
    [178] = WITH_SRGB(FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, 4),
    [179] = WITH_SRGB(FORMAT_BC1_RGBA_UNORM_BLOCK, FORMAT_BC1_RGBA_SRGB_BLOCK, 4),
    [180] = WITH_SRGB(FORMAT_BC2_UNORM_BLOCK, FORMAT_BC2_SRGB_BLOCK, 4),
    [181] = WITH_SRGB(FORMAT_BC3_UNORM_BLOCK, FORMAT_BC3_SRGB_BLOCK, 4),
    [182] = FOUR(FORMAT_BC4_UNORM_BLOCK),
    [183] = FOUR(FORMAT_BC4_UNORM_BLOCK),
    [184] = FOUR(FORMAT_BC4_SNORM_BLOCK),
    [185] = FOUR(FORMAT_BC4_SNORM_BLOCK),
    [186] = FOUR(FORMAT_BC5_UNORM_BLOCK),
    [187] = FOUR(FORMAT_BC5_UNORM_BLOCK),
    [188] = FOUR(FORMAT_BC5_SNORM_BLOCK),
    [189] = FOUR(FORMAT_BC5_SNORM_BLOCK),
    [190] = FOUR(FORMAT_BC6H_UFLOAT_BLOCK),
    [191] = FOUR(FORMAT_BC6H_SFLOAT_BLOCK),
    [192] = WITH_SRGB(FORMAT_BC7_UNORM_BLOCK, FORMAT_BC7_SRGB_BLOCK, 4),
    [193] = WITH_SRGB(FORMAT_ASTC_4x4_UNORM_BLOCK, FORMAT_ASTC_4x4_SRGB_BLOCK, 4),
    [194] = WITH_SRGB(FORMAT_ASTC_5x4_UNORM_BLOCK, FORMAT_ASTC_5x4_SRGB_BLOCK, 4),
    [195] = WITH_SRGB(FORMAT_ASTC_5x5_UNORM_BLOCK, FORMAT_ASTC_5x5_SRGB_BLOCK, 4),
    [196] = WITH_SRGB(FORMAT_ASTC_6x5_UNORM_BLOCK, FORMAT_ASTC_6x5_SRGB_BLOCK, 4),
    [197] = WITH_SRGB(FORMAT_ASTC_6x6_UNORM_BLOCK, FORMAT_ASTC_6x6_SRGB_BLOCK, 4),
    [198] = WITH_SRGB(FORMAT_ASTC_8x5_UNORM_BLOCK, FORMAT_ASTC_8x5_SRGB_BLOCK, 4),
    [199] = WITH_SRGB(FORMAT_ASTC_8x6_UNORM_BLOCK, FORMAT_ASTC_8x6_SRGB_BLOCK, 4),
    [200] = WITH_SRGB(FORMAT_ASTC_8x8_UNORM_BLOCK, FORMAT_ASTC_8x8_SRGB_BLOCK, 4),
    [201] = WITH_SRGB(FORMAT_ASTC_10x5_UNORM_BLOCK, FORMAT_ASTC_10x5_SRGB_BLOCK, 4),
    [202] = WITH_SRGB(FORMAT_ASTC_10x6_UNORM_BLOCK, FORMAT_ASTC_10x6_SRGB_BLOCK, 4),
    [203] = WITH_SRGB(FORMAT_ASTC_10x8_UNORM_BLOCK, FORMAT_ASTC_10x8_SRGB_BLOCK, 4),
    [204] = WITH_SRGB(FORMAT_ASTC_10x10_UNORM_BLOCK, FORMAT_ASTC_10x10_SRGB_BLOCK, 4),
    [205] = WITH_SRGB(FORMAT_ASTC_12x10_UNORM_BLOCK, FORMAT_ASTC_12x10_SRGB_BLOCK, 4),
    [206] = WITH_SRGB(FORMAT_ASTC_12x12_UNORM_BLOCK, FORMAT_ASTC_12x12_SRGB_BLOCK, 4),
};

/* 16-bit formats with one bit of alpha: it stands at either end, and each order is a format of its own. */
static const enum format orders_5551[4] = {[ADRENO_COLOR_SWAP_WXYZ] = FORMAT_A1R5G5B5_UNORM_PACK16,
                                           [ADRENO_COLOR_SWAP_ZYXW] = FORMAT_B5G5R5A1_UNORM_PACK16,
                                           [ADRENO_COLOR_SWAP_XYZW] = FORMAT_R5G5B5A1_UNORM_PACK16};
static const enum format orders_1555[4] = {
    [ADRENO_COLOR_SWAP_WZYX] = FORMAT_B5G5R5A1_UNORM_PACK16, [ADRENO_COLOR_SWAP_WXYZ] = FORMAT_R5G5B5A1_UNORM_PACK16};
#define FORMAT_5551 10
#define FORMAT_1555 12

static struct row find_row(unsigned number, enum adreno_COLOR_SWAP *swap)
{
    struct row row = FOUR(FORMAT_UNDEFINED);
    if (number == FORMAT_5551 && *swap == ADRENO_COLOR_SWAP_WZYX) {
        row.plain = FORMAT_A1R5G5B5_UNORM_PACK16; /* which has its red where blue is to be */
        *swap = ADRENO_COLOR_SWAP_WXYZ;
    } else if (number == FORMAT_5551 || number == FORMAT_1555) {
        row.plain = (number == FORMAT_5551 ? orders_5551 : orders_1555)[*swap];
        *swap = ADRENO_COLOR_SWAP_WZYX;
    } else {
        row = rows[number];
    }
    return row;
}

/* Which component of the colour stands at each place from the lowest bit up. Formats with fewer channels leave out the
 * components that they do not have. */
static const uint8_t swaps[4][4] = {[ADRENO_COLOR_SWAP_WZYX] = {0, 1, 2, 3},
                                    [ADRENO_COLOR_SWAP_WXYZ] = {2, 1, 0, 3},
                                    [ADRENO_COLOR_SWAP_ZYXW] = {3, 0, 1, 2},
                                    [ADRENO_COLOR_SWAP_XYZW] = {3, 2, 1, 0}};

static void order(struct adreno_rb_format *out, const struct row *row, enum adreno_COLOR_SWAP swap)
{
    for (unsigned k = 0; k < 4; k++)
        out->from[k] = (uint8_t)k;
    if (row->is_alpha) {
        out->from[0] = 3;
        out->from[3] = 0;
        out->present = 1u << 3;
        return;
    }
    for (unsigned i = 0, place = 0; i < 4; i++) {
        if (swaps[swap][i] >= row->channels)
            continue;
        out->from[row->place[place++]] = swaps[swap][i];
        out->present |= (uint8_t)(1u << swaps[swap][i]);
    }
}

bool adreno_rb_format_init(struct adreno_rb_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb)
{
    memset(out, 0, sizeof(*out));
    if (number >= 256 || (unsigned)swap >= 4)
        return false;
    const struct row row = find_row(number, &swap);
    out->format = is_srgb && row.srgb != FORMAT_UNDEFINED ? row.srgb : row.plain;
    if (!row.channels || out->format == FORMAT_UNDEFINED || (row.is_uneven && swap > ADRENO_COLOR_SWAP_WXYZ))
        return false;
    out->info = format_info(out->format);
    out->codec = format_codec(out->format);
    out->numeric = out->info->numeric == FORMAT_NUMERIC_UINT   ? ADRENO_RB_UINT
                   : out->info->numeric == FORMAT_NUMERIC_SINT ? ADRENO_RB_SINT
                                                               : ADRENO_RB_FLOAT;
    out->sample_B = out->info->block_size_B;
    order(out, &row, swap);
    return true;
}
