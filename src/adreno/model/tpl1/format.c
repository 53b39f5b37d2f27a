/* See format.h. A swap says in which order components are in memory: their widths go with them, so that a format may
 * need another one of util/format where the widths differ. */
#include "adreno/model/tpl1/format.h"

#include <string.h>

#include "adreno/hw/table.h"
#include "util/bits.h"

#define SWAPS 4

/* From the lowest component in memory on, for four of them; XYZW are 0 to 3. */
static const uint8_t swaps[SWAPS][4] = {
    [ADRENO_COLOR_SWAP_WZYX] = {0, 1, 2, 3},
    [ADRENO_COLOR_SWAP_WXYZ] = {2, 1, 0, 3},
    [ADRENO_COLOR_SWAP_ZYXW] = {3, 0, 1, 2},
    [ADRENO_COLOR_SWAP_XYZW] = {3, 2, 1, 0},
};

struct row {
    uint8_t number;
    uint32_t format;      /* whose channels lie as the widths do, lowest first */
    uint32_t w_is_lowest; /* the same with the last component below the others, where that one's width differs */
};

#define PLAIN(number, suffix)                                                                                          \
    {                                                                                                                  \
        number, FORMAT_##suffix, FORMAT_UNDEFINED                                                                      \
    }

static const struct row rows[] = {
    PLAIN(2, R8_UNORM),
    PLAIN(3, R8_UNORM),
    PLAIN(4, R8_SNORM),
    PLAIN(5, R8_UINT),
    PLAIN(6, R8_SINT),
    PLAIN(8, R4G4B4A4_UNORM_PACK16),
    {10, FORMAT_A1R5G5B5_UNORM_PACK16, FORMAT_R5G5B5A1_UNORM_PACK16},
    PLAIN(12, R5G5B5A1_UNORM_PACK16),
    PLAIN(14, R5G6B5_UNORM_PACK16),
    PLAIN(15, R8G8_UNORM),
    PLAIN(16, R8G8_SNORM),
    PLAIN(17, R8G8_UINT),
    PLAIN(18, R8G8_SINT),
    PLAIN(21, R16_UNORM),
    PLAIN(22, R16_SNORM),
    PLAIN(23, R16_SFLOAT),
    PLAIN(24, R16_UINT),
    PLAIN(25, R16_SINT),
    PLAIN(33, R8G8B8_UNORM),
    PLAIN(34, R8G8B8_SNORM),
    PLAIN(35, R8G8B8_UINT),
    PLAIN(36, R8G8B8_SINT),
    PLAIN(48, R8G8B8A8_UNORM),
    PLAIN(49, R8G8B8A8_UNORM),
    PLAIN(50, R8G8B8A8_SNORM),
    PLAIN(51, R8G8B8A8_UINT),
    PLAIN(52, R8G8B8A8_SINT),
    PLAIN(53, E5B9G9R9_UFLOAT_PACK32),
    PLAIN(54, A2B10G10R10_UNORM_PACK32),
    PLAIN(55, A2B10G10R10_UNORM_PACK32),
    PLAIN(57, A2B10G10R10_SNORM_PACK32),
    PLAIN(58, A2B10G10R10_UINT_PACK32),
    PLAIN(59, A2B10G10R10_SINT_PACK32),
    PLAIN(66, B10G11R11_UFLOAT_PACK32),
    PLAIN(67, R16G16_UNORM),
    PLAIN(68, R16G16_SNORM),
    PLAIN(69, R16G16_SFLOAT),
    PLAIN(70, R16G16_UINT),
    PLAIN(71, R16G16_SINT),
    PLAIN(74, R32_SFLOAT),
    PLAIN(75, R32_UINT),
    PLAIN(76, R32_SINT),
    PLAIN(88, R16G16B16_UNORM),
    PLAIN(89, R16G16B16_SNORM),
    PLAIN(90, R16G16B16_SFLOAT),
    PLAIN(91, R16G16B16_UINT),
    PLAIN(92, R16G16B16_SINT),
    PLAIN(96, R16G16B16A16_UNORM),
    PLAIN(97, R16G16B16A16_SNORM),
    PLAIN(98, R16G16B16A16_SFLOAT),
    PLAIN(99, R16G16B16A16_UINT),
    PLAIN(100, R16G16B16A16_SINT),
    PLAIN(103, R32G32_SFLOAT),
    PLAIN(104, R32G32_UINT),
    PLAIN(105, R32G32_SINT),
    PLAIN(114, R32G32B32_UINT),
    PLAIN(115, R32G32B32_SINT),
    PLAIN(116, R32G32B32_SFLOAT),
    PLAIN(130, R32G32B32A32_SFLOAT),
    PLAIN(131, R32G32B32A32_UINT),
    PLAIN(132, R32G32B32A32_SINT),
    PLAIN(140, B8G8R8G8_422_UNORM), /* chroma first */
    PLAIN(141, G8B8G8R8_422_UNORM), /* luma first */
    PLAIN(142, R8_UNORM),           /* of the first plane */
    PLAIN(144, R8_UNORM),
    PLAIN(145, R8G8B8A8_UNORM),
    PLAIN(148, R8_UNORM),
    PLAIN(149, R8G8_UNORM),
    PLAIN(160, X8_D24_UNORM_PACK32),
    PLAIN(171, EAC_R11G11_UNORM_BLOCK),
    PLAIN(172, EAC_R11G11_SNORM_BLOCK),
    PLAIN(173, EAC_R11_UNORM_BLOCK),
    PLAIN(174, EAC_R11_SNORM_BLOCK),
    PLAIN(175, ETC2_R8G8B8_UNORM_BLOCK), /* ETC1 is a part of it */
    PLAIN(176, ETC2_R8G8B8_UNORM_BLOCK),
    PLAIN(177, ETC2_R8G8B8A8_UNORM_BLOCK),
    PLAIN(178, ETC2_R8G8B8A1_UNORM_BLOCK),
    PLAIN(179, BC1_RGBA_UNORM_BLOCK),
    PLAIN(180, BC2_UNORM_BLOCK),
    PLAIN(181, BC3_UNORM_BLOCK),
    PLAIN(182, BC4_UNORM_BLOCK),
    PLAIN(183, BC4_UNORM_BLOCK),
    PLAIN(184, BC4_SNORM_BLOCK),
    PLAIN(185, BC4_SNORM_BLOCK),
    PLAIN(186, BC5_UNORM_BLOCK),
    PLAIN(187, BC5_UNORM_BLOCK),
    PLAIN(188, BC5_SNORM_BLOCK),
    PLAIN(189, BC5_SNORM_BLOCK),
    PLAIN(190, BC6H_UFLOAT_BLOCK),
    PLAIN(191, BC6H_SFLOAT_BLOCK),
    PLAIN(192, BC7_UNORM_BLOCK),
    PLAIN(193, ASTC_4x4_UNORM_BLOCK),
    PLAIN(194, ASTC_5x4_UNORM_BLOCK),
    PLAIN(195, ASTC_5x5_UNORM_BLOCK),
    PLAIN(196, ASTC_6x5_UNORM_BLOCK),
    PLAIN(197, ASTC_6x6_UNORM_BLOCK),
    PLAIN(198, ASTC_8x5_UNORM_BLOCK),
    PLAIN(199, ASTC_8x6_UNORM_BLOCK),
    PLAIN(200, ASTC_8x8_UNORM_BLOCK),
    PLAIN(201, ASTC_10x5_UNORM_BLOCK),
    PLAIN(202, ASTC_10x6_UNORM_BLOCK),
    PLAIN(203, ASTC_10x8_UNORM_BLOCK),
    PLAIN(204, ASTC_10x10_UNORM_BLOCK),
    PLAIN(205, ASTC_12x10_UNORM_BLOCK),
    PLAIN(206, ASTC_12x12_UNORM_BLOCK),
    PLAIN(234, R32_UINT), /* depth and stencil as integers: taken apart later */
};

enum {
    A8 = 2,
    X1555 = 12, /* alpha lies below the others, whatever the swap */
    RGBX8 = 49,
    YUV_2PLANE = 142,
    YUV_3PLANE = 144,
    Z24S8_UINT = 234,
};

static const struct row *find_row(unsigned number)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].number == number)
            return &rows[i];
    }
    return NULL;
}

/* The components of the codec from the lowest bit up. */
static unsigned codec_order(uint8_t out[4], const struct format_info *info)
{
    unsigned count = 0;
    for (unsigned i = 0; i < info->channel_count; i++) {
        unsigned component = info->channels[i].component;
        if (component <= FORMAT_COMPONENT_A)
            out[count++] = (uint8_t)component;
        else if (component == FORMAT_COMPONENT_D)
            out[count++] = 0;
    }
    return count;
}

/* Which component is channel n in memory. False: the hardware has no such order. */
static bool memory_order(uint8_t out[4], unsigned number, unsigned channels, enum adreno_COLOR_SWAP swap)
{
    if (number == X1555) {
        static const uint8_t orders[2][4] = {{3, 0, 1, 2}, {3, 2, 1, 0}};
        memcpy(out, orders[swap & 1], 4);
        return swap <= ADRENO_COLOR_SWAP_WXYZ;
    }
    memcpy(out, swaps[swap], 4);
    if (number == A8)
        out[0] = 3;
    return channels == 4 || swap == ADRENO_COLOR_SWAP_WZYX || (channels == 3 && swap == ADRENO_COLOR_SWAP_WXYZ);
}

static void set_order(struct tpl1_format *f, const uint8_t names[4], const uint8_t components[4], unsigned channels,
                      unsigned codec_channels)
{
    static const uint8_t absent[4] = {TPL1_ORDER_ZERO, TPL1_ORDER_ZERO, TPL1_ORDER_ZERO, TPL1_ORDER_ONE};
    memcpy(f->order, absent, sizeof(f->order));
    for (unsigned i = 0; i < channels; i++) {
        f->order[names[i]] = components[i];
        f->present |= (uint8_t)(1u << names[i]);
    }
    /* A codec fills in what its format lacks with the same constants. */
    f->in_order = true;
    for (unsigned i = 0; i < 4; i++)
        f->in_order &= f->order[i] == i || (f->order[i] >= TPL1_ORDER_ZERO && i >= codec_channels);
}

static void set_video(struct tpl1_format *f, unsigned number)
{
    static const uint8_t as_is[4] = {0, 1, 2, TPL1_ORDER_ONE};
    f->is_video = true;
    f->planes = number == YUV_2PLANE ? 2 : number == YUV_3PLANE ? 3 : 1;
    memcpy(f->order, as_is, sizeof(f->order));
    f->present = 7;
    f->in_order = true;
}

bool adreno_tpl1_format_init(struct tpl1_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb)
{
    const struct adreno_format *hw = adreno_format_find(number);
    const struct row *row = find_row(number);
    if (!hw || !row)
        return false;
    bool is_below = swap >= ADRENO_COLOR_SWAP_ZYXW && row->w_is_lowest;
    enum format format = is_below ? row->w_is_lowest : row->format;
    if (is_srgb && !(format = format_srgb_of(format)))
        return false;
    const struct format_info *info = format_info(format);
    *out = (struct tpl1_format){
        .format = format,
        .codec = format_codec(format),
        .kind = info->numeric == FORMAT_NUMERIC_UINT   ? TPL1_KIND_UINT
                : info->numeric == FORMAT_NUMERIC_SINT ? TPL1_KIND_SINT
                                                       : TPL1_KIND_FLOAT,
        .numeric = info->numeric,
        .element_B = info->block_size_B,
        .block_w = info->block_width,
        .block_h = info->block_height,
        .is_compressed = format_is_compressed(info),
        .is_two_bytes = hw->channels == 2 && hw->widths[0] == 8,
        .is_z24s8_uint = number == Z24S8_UINT,
        .planes = 1,
    };
    if (hw->is_video) {
        set_video(out, number);
        return swap == ADRENO_COLOR_SWAP_WZYX && !is_srgb;
    }
    uint8_t names[4], components[4] = {0, 1, 2, 3};
    unsigned channels = out->is_z24s8_uint   ? 2
                        : out->is_compressed ? info->component_count
                                             : codec_order(components, info);
    if (!memory_order(names, number, channels, swap))
        return false;
    /* Below the others alpha may only be where it has a format of its own, or is as wide as they are. */
    if (swap >= ADRENO_COLOR_SWAP_ZYXW && hw->channels == 4 && hw->widths[3] != hw->widths[0] && !is_below)
        return false;
    set_order(out, names, components, hw->is_x ? 3 : channels, channels);
    out->is_rgba8 = format == FORMAT_R8G8B8A8_UNORM;
    return true;
}
