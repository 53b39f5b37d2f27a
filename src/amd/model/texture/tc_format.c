/* See tc_format.h. Most hardware formats are VkFormats under another name; X is the lowest channel in memory. */
#include "amd/model/texture/tc_format.h"

#include <string.h>

#include "amd/hw/table.h"
#include "util/bits.h"

enum {
    ORDER_XYZW,
    ORDER_ZYXW, /* the codec's red is the hardware's Z */
    ORDER_WZYX,
    ORDER_YXZW,
};

static const uint8_t orders[][4] = {
    [ORDER_XYZW] = {0, 1, 2, 3},
    [ORDER_ZYXW] = {2, 1, 0, 3},
    [ORDER_WZYX] = {3, 2, 1, 0},
    [ORDER_YXZW] = {1, 0, 2, 3},
};

/* Floats in the place of fixed-point depth: a comparison treats the reference as if they were that. */
enum {
    FLOAT_CLAMP_32 = 140,
};

struct row {
    uint32_t format;
    uint8_t order;
};

#define SAME(suffix)                                                                                                   \
    {                                                                                                                  \
        FORMAT_##suffix, ORDER_XYZW                                                                                    \
    }

/* By the number of GFX10.3 (formats.table). What is missing has no VkFormat of the same layout. */
static const struct row rows[] = {
    [1] = SAME(R8_UNORM),
    [2] = SAME(R8_SNORM),
    [3] = SAME(R8_USCALED),
    [4] = SAME(R8_SSCALED),
    [5] = SAME(R8_UINT),
    [6] = SAME(R8_SINT),
    [7] = SAME(R16_UNORM),
    [8] = SAME(R16_SNORM),
    [9] = SAME(R16_USCALED),
    [10] = SAME(R16_SSCALED),
    [11] = SAME(R16_UINT),
    [12] = SAME(R16_SINT),
    [13] = SAME(R16_SFLOAT),
    [14] = SAME(R8G8_UNORM),
    [15] = SAME(R8G8_SNORM),
    [16] = SAME(R8G8_USCALED),
    [17] = SAME(R8G8_SSCALED),
    [18] = SAME(R8G8_UINT),
    [19] = SAME(R8G8_SINT),
    [20] = SAME(R32_UINT),
    [21] = SAME(R32_SINT),
    [22] = SAME(R32_SFLOAT),
    [23] = SAME(R16G16_UNORM),
    [24] = SAME(R16G16_SNORM),
    [25] = SAME(R16G16_USCALED),
    [26] = SAME(R16G16_SSCALED),
    [27] = SAME(R16G16_UINT),
    [28] = SAME(R16G16_SINT),
    [29] = SAME(R16G16_SFLOAT),
    [36] = SAME(B10G11R11_UFLOAT_PACK32),
    [50] = SAME(A2B10G10R10_UNORM_PACK32),
    [51] = SAME(A2B10G10R10_SNORM_PACK32),
    [52] = SAME(A2B10G10R10_USCALED_PACK32),
    [53] = SAME(A2B10G10R10_SSCALED_PACK32),
    [54] = SAME(A2B10G10R10_UINT_PACK32),
    [55] = SAME(A2B10G10R10_SINT_PACK32),
    [56] = SAME(R8G8B8A8_UNORM),
    [57] = SAME(R8G8B8A8_SNORM),
    [58] = SAME(R8G8B8A8_USCALED),
    [59] = SAME(R8G8B8A8_SSCALED),
    [60] = SAME(R8G8B8A8_UINT),
    [61] = SAME(R8G8B8A8_SINT),
    [62] = SAME(R32G32_UINT),
    [63] = SAME(R32G32_SINT),
    [64] = SAME(R32G32_SFLOAT),
    [65] = SAME(R16G16B16A16_UNORM),
    [66] = SAME(R16G16B16A16_SNORM),
    [67] = SAME(R16G16B16A16_USCALED),
    [68] = SAME(R16G16B16A16_SSCALED),
    [69] = SAME(R16G16B16A16_UINT),
    [70] = SAME(R16G16B16A16_SINT),
    [71] = SAME(R16G16B16A16_SFLOAT),
    [72] = SAME(R32G32B32_UINT),
    [73] = SAME(R32G32B32_SINT),
    [74] = SAME(R32G32B32_SFLOAT),
    [75] = SAME(R32G32B32A32_UINT),
    [76] = SAME(R32G32B32A32_SINT),
    [77] = SAME(R32G32B32A32_SFLOAT),
    [128] = SAME(R8_SRGB),
    [129] = SAME(R8G8_SRGB),
    [130] = SAME(R8G8B8A8_SRGB),
    [132] = SAME(E5B9G9R9_UFLOAT_PACK32),
    [133] = SAME(B5G6R5_UNORM_PACK16),
    [134] = {FORMAT_A1R5G5B5_UNORM_PACK16, ORDER_ZYXW},
    [135] = {FORMAT_R5G5B5A1_UNORM_PACK16, ORDER_WZYX},
    [136] = SAME(A4B4G4R4_UNORM_PACK16),
    [137] = {FORMAT_R4G4_UNORM_PACK8, ORDER_YXZW},
    [FLOAT_CLAMP_32] = SAME(R32_SFLOAT),
    [141] = SAME(X8_D24_UNORM_PACK32), /* where depth is; the eight bits above it are unused */
    [156] = SAME(R8_UINT),
    [157] = SAME(R8_UINT),
    [158] = SAME(R8_UINT),
    [159] = SAME(R8_UINT),
    [160] = SAME(R8_UINT),
    [161] = SAME(R8_UINT),
    [163] = SAME(R16_UINT),
    [165] = SAME(R32_UINT),
    [166] = SAME(R32_UINT),
    [169] = SAME(BC1_RGBA_UNORM_BLOCK),
    [170] = SAME(BC1_RGBA_SRGB_BLOCK),
    [171] = SAME(BC2_UNORM_BLOCK),
    [172] = SAME(BC2_SRGB_BLOCK),
    [173] = SAME(BC3_UNORM_BLOCK),
    [174] = SAME(BC3_SRGB_BLOCK),
    [175] = SAME(BC4_UNORM_BLOCK),
    [176] = SAME(BC4_SNORM_BLOCK),
    [177] = SAME(BC5_UNORM_BLOCK),
    [178] = SAME(BC5_SNORM_BLOCK),
    [179] = SAME(BC6H_UFLOAT_BLOCK),
    [180] = SAME(BC6H_SFLOAT_BLOCK),
    [181] = SAME(BC7_UNORM_BLOCK),
    [182] = SAME(BC7_SRGB_BLOCK),
};

/* FMASK keeps, for each sample, the number of its fragment, and one number more for "none" when there are fewer
 * fragments than samples. */
static const struct {
    uint8_t bits, samples;
} fmasks[] = {
    [156] = {1, 2}, [157] = {1, 4}, [158] = {1, 8}, [159] = {1, 2}, [160] = {2, 4},
    [161] = {2, 4}, [163] = {2, 8}, [165] = {4, 8}, [166] = {4, 8},
};

bool amd_tc_format_init(struct tc_format *out, unsigned number)
{
    const struct amd_image_format *hw = amd_image_format_find(AMD_GFX10_3, number);
    if (!hw || number >= ARRAY_SIZE(rows) || rows[number].format == FORMAT_UNDEFINED)
        return false;
    const struct row *row = &rows[number];
    const struct format_info *info = format_info(row->format);
    *out = (struct tc_format){
        .format = row->format,
        .codec = format_codec(row->format),
        .encoded_format = info->linear_format,
        .encoded_codec = format_codec(info->linear_format),
        .kind = info->numeric == FORMAT_NUMERIC_UINT   ? TC_UINT
                : info->numeric == FORMAT_NUMERIC_SINT ? TC_SINT
                                                       : TC_FLOAT,
        .numeric = info->numeric,
        .element_B = (uint8_t)(hw->block_bits / 8),
        .block_w = hw->block_width,
        .block_h = hw->block_height,
        .channels = hw->channels,
        .in_order = row->order == ORDER_XYZW,
        .is_compressed = format_is_compressed(info),
        .clamps_reference = info->numeric == FORMAT_NUMERIC_UNORM || number == FLOAT_CLAMP_32,
        .is_bytes = row->format == FORMAT_R8G8B8A8_UNORM || row->format == FORMAT_R8G8B8A8_UINT,
    };
    memcpy(out->widths, hw->widths, sizeof(out->widths));
    out->is_words = !out->is_compressed && !hw->fmask && out->in_order && out->element_B == out->channels * 4u;
    for (unsigned i = 0; i < out->channels; i++)
        out->is_words &= out->widths[i] == 32;
    out->is_narrow = out->kind == TC_UINT && out->channels == 1 && out->element_B < 4 && !hw->fmask;
    memcpy(out->order, orders[row->order], sizeof(out->order));
    if (hw->fmask && number < ARRAY_SIZE(fmasks)) {
        out->fmask_bits = fmasks[number].bits;
        out->fmask_samples = fmasks[number].samples;
        out->is_short_fmask = out->kind == TC_UINT && out->channels == 1 && out->element_B <= 4;
    }
    return out->element_B == info->block_size_B;
}
