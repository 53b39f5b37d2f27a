/* Textures: what formats mean, compressed blocks made by hand, views, comparisons, cubes in arrays, borders, and levels
 * chosen by neighbours. Filters, address modes and levels in general are in texture_cases.c. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/fetch_float.h"
#include "shaders/fetch_int.h"
#include "shaders/fetch_uint.h"
#include "shaders/implicit_frag.h"
#include "shaders/look_1d_array.h"
#include "shaders/look_2d.h"
#include "shaders/look_2d_array_shadow.h"
#include "shaders/look_2d_shadow.h"
#include "shaders/look_cube_array.h"
#include "shaders/look_cube_shadow.h"
#include "shaders/look_uint.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

/* ---- what texelFetch gives ---- */

/* Four words for each texel of a view of this size. */
static const void *fetch_texels(struct vt *vt, VkImageView view, enum vt_kind kind, uint32_t width, uint32_t height)
{
    struct vt_buffer loaded = vt_buffer(vt, width * height * 16, NULL);
    struct vt_binding bindings[] = {VT_SAMPLED(vt_sampler(vt, (VkSamplerCreateInfo){0}), view),
                                    VT_STORAGE_BUFFER(loaded)};
    struct vt_spirv code = kind == VT_UINT   ? VT_SPIRV(fetch_uint)
                           : kind == VT_SINT ? VT_SPIRV(fetch_int)
                                             : VT_SPIRV(fetch_float);
    vt_dispatch(vt, code, NULL, bindings, 2, (width + 7) / 8, (height + 7) / 8, 1);
    return loaded.map;
}

static double word_value(enum vt_kind kind, const void *words, size_t at)
{
    uint32_t bits;
    float value;
    memcpy(&bits, (const uint8_t *)words + at * 4, 4);
    memcpy(&value, &bits, 4);
    return kind == VT_UINT ? bits : kind == VT_SINT ? (int32_t)bits : (double)value;
}

static void expect_fetched(struct vt *vt, enum vt_kind kind, const void *words, uint32_t i, uint32_t width,
                           const double expected[4], double allowed)
{
    for (unsigned c = 0; c < 4; c++) {
        double got = word_value(kind, words, i * 4 + c);
        if (got == expected[c] || (isnan(got) && isnan(expected[c]))) /* infinity has no distance */
            continue;
        if (!(fabs(got - expected[c]) <= allowed))
            vt_fail(vt, "component %u of texel %u,%u is %.8g, expected %.8g", c, i % width, i / width, got,
                    expected[c]);
    }
}

static void fetch_all(struct vt *vt, VkFormat format, bool linear)
{
    const struct vt_format *known = vt_format(format);
    struct vt_image image = vt_image(
        vt, &(struct vt_image_info){
                .format = format, .width = 21, .height = 18, .usage = VK_IMAGE_USAGE_SAMPLED_BIT, .linear = linear});
    uint8_t texels[21 * 18 * 16];
    uint64_t seed = 61;
    vt_random_texels(known, &seed, texels, 21 * 18);
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const void *words = fetch_texels(vt, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), known->kind, 21, 18);
    bool depth = image.aspects != VK_IMAGE_ASPECT_COLOR_BIT;
    for (uint32_t i = 0; i < 21 * 18; i++) {
        double expected[4];
        vt_decode(known, texels + i * known->texel_B, expected);
        if (depth) /* what stands beside depth is the device's choice */
            expected[1] = word_value(known->kind, words, i * 4 + 1),
            expected[2] = word_value(known->kind, words, i * 4 + 2),
            expected[3] = word_value(known->kind, words, i * 4 + 3);
        expect_fetched(vt, known->kind, words, i, 21, expected,
                       vt_is_integer(known)     ? 0
                       : known->kind == VT_SRGB ? 0.0015
                                                : 1e-6);
    }
}

static void case_format(struct vt *vt, const void *argument)
{
    fetch_all(vt, *(const VkFormat *)argument, false);
}

static void case_rows(struct vt *vt, const void *argument)
{
    fetch_all(vt, *(const VkFormat *)argument, true);
}

/* The last two have elements that are no power of two. */
static const VkFormat row_formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT,
                                       VK_FORMAT_R32G32B32_UINT};

static const VkFormat formats[] = {
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8_SNORM,
    VK_FORMAT_R8_UINT,
    VK_FORMAT_R8_SINT,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R8G8_SNORM,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R8G8B8A8_SNORM,
    VK_FORMAT_R8G8B8A8_UINT,
    VK_FORMAT_R8G8B8A8_SINT,
    VK_FORMAT_R8G8B8A8_SRGB,
    VK_FORMAT_B8G8R8A8_UNORM,
    VK_FORMAT_R5G6B5_UNORM_PACK16,
    VK_FORMAT_A1R5G5B5_UNORM_PACK16,
    VK_FORMAT_R4G4B4A4_UNORM_PACK16,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_A2B10G10R10_UINT_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
    VK_FORMAT_R16_UNORM,
    VK_FORMAT_R16_SNORM,
    VK_FORMAT_R16_SFLOAT,
    VK_FORMAT_R16G16_UNORM,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_R16G16B16A16_UNORM,
    VK_FORMAT_R16G16B16A16_SNORM,
    VK_FORMAT_R16G16B16A16_UINT,
    VK_FORMAT_R16G16B16A16_SINT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32_UINT,
    VK_FORMAT_R32_SINT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_D16_UNORM,
    VK_FORMAT_X8_D24_UNORM_PACK32,
    VK_FORMAT_D32_SFLOAT,
    VK_FORMAT_S8_UINT,
    VK_FORMAT_A4R4G4B4_UNORM_PACK16,
    VK_FORMAT_A4B4G4R4_UNORM_PACK16,
};

/* ---- compressed blocks ---- */

/* Bits of a block, from the lowest on. */
struct bits {
    uint8_t bytes[16];
    unsigned used;
};

static void put_bits(struct bits *bits, unsigned count, uint32_t value)
{
    for (unsigned i = 0; i < count; i++, bits->used++)
        bits->bytes[bits->used / 8] |= (uint8_t)((value >> i & 1) << bits->used % 8);
}

/* A block, and the sixteen colours that it means. */
struct block {
    struct bits bits;
    double colors[16][4];
};

/* The eight bytes of colours 0xf800 (red) and 0x001f (blue), in one order or the other; texel i has the index i / 4 ^ i
 * & 3. */
static void put_bc1(struct block *block, bool blue_first, bool four_colors)
{
    static const double red[3] = {1, 0, 0}, blue[3] = {0, 0, 1};
    put_bits(&block->bits, 16, blue_first ? 0x001f : 0xf800);
    put_bits(&block->bits, 16, blue_first ? 0xf800 : 0x001f);
    for (unsigned i = 0; i < 16; i++) {
        unsigned index = (i / 4) ^ (i & 3);
        put_bits(&block->bits, 2, index);
        const double *first = blue_first ? blue : red, *second = blue_first ? red : blue;
        bool interpolates = !blue_first || four_colors;
        double part = index == 0 ? 0 : index == 1 ? 1 : interpolates ? (index - 1) / 3.0 : 0.5;
        bool black = !interpolates && index == 3;
        for (unsigned c = 0; c < 3; c++)
            block->colors[i][c] = black ? 0 : first[c] * (1 - part) + second[c] * part;
        block->colors[i][3] = black ? 0 : 1;
    }
}

/* Two ends and sixteen indices of three bits; indices count up. */
static void put_bc4(struct block *block, unsigned component, int first, int second, bool is_signed)
{
    put_bits(&block->bits, 8, (uint32_t)first & 255);
    put_bits(&block->bits, 8, (uint32_t)second & 255);
    double top = is_signed ? 127 : 255;
    for (unsigned i = 0; i < 16; i++) {
        unsigned index = (i * 3 + 1) & 7;
        put_bits(&block->bits, 3, index);
        double value;
        if (index < 2)
            value = index ? second : first;
        else if (first > second)
            value = ((8 - index) * (double)first + (index - 1) * (double)second) / 7;
        else if (index < 6)
            value = ((6 - index) * (double)first + (index - 1) * (double)second) / 5;
        else
            value = index == 6 ? (is_signed ? -127 : 0) : top;
        block->colors[i][component] = value / top;
    }
}

static const unsigned weights_2[4] = {0, 21, 43, 64}, weights_3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
static const unsigned weights_4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

static double mix_numbers(unsigned weight, unsigned a, unsigned b)
{
    return ((64 - weight) * a + weight * b + 32) >> 6;
}

/* Mode 6: one pair of ends with alpha, seven bits and one of their own each. */
static void put_bc7_mode_6(struct block *block)
{
    static const unsigned ends[2][4] = {{5, 127, 64, 100}, {120, 3, 90, 20}};
    put_bits(&block->bits, 7, 0x40);
    for (unsigned c = 0; c < 4; c++) {
        put_bits(&block->bits, 7, ends[0][c]);
        put_bits(&block->bits, 7, ends[1][c]);
    }
    put_bits(&block->bits, 1, 1);
    put_bits(&block->bits, 1, 0);
    for (unsigned i = 0; i < 16; i++) {
        unsigned index = i == 0 ? 3 : (i * 5 + 1) & 15;
        put_bits(&block->bits, i == 0 ? 3 : 4, index);
        for (unsigned c = 0; c < 4; c++)
            block->colors[i][c] = mix_numbers(weights_4[index], ends[0][c] << 1 | 1, ends[1][c] << 1) / 255;
    }
}

/* Mode 5: colour and alpha have indices of their own; the rotation changes alpha with a colour. */
static void put_bc7_mode_5(struct block *block, unsigned rotation)
{
    static const unsigned ends[2][4] = {{127, 10, 64, 255}, {0, 100, 33, 17}};
    put_bits(&block->bits, 6, 0x20);
    put_bits(&block->bits, 2, rotation);
    for (unsigned c = 0; c < 3; c++) {
        put_bits(&block->bits, 7, ends[0][c]);
        put_bits(&block->bits, 7, ends[1][c]);
    }
    put_bits(&block->bits, 8, ends[0][3]);
    put_bits(&block->bits, 8, ends[1][3]);
    for (unsigned set = 0; set < 2; set++) {
        for (unsigned i = 0; i < 16; i++) {
            unsigned index = i == 0 ? set : (i * (set ? 3 : 1) + set) & 3;
            put_bits(&block->bits, i == 0 ? 1 : 2, index);
            for (unsigned c = set ? 3 : 0; c < (set ? 4 : 3); c++) {
                unsigned a = c < 3 ? ends[0][c] << 1 | ends[0][c] >> 6 : ends[0][c],
                         b = c < 3 ? ends[1][c] << 1 | ends[1][c] >> 6 : ends[1][c];
                block->colors[i][c] = mix_numbers(weights_2[index], a, b) / 255;
            }
        }
    }
    for (unsigned i = 0; i < 16 && rotation; i++) {
        double alpha = block->colors[i][3];
        block->colors[i][3] = block->colors[i][rotation - 1];
        block->colors[i][rotation - 1] = alpha;
    }
}

/* Mode 1: two pairs of ends, the left and the right half (partition 0); a common lowest bit for each pair. */
static void put_bc7_mode_1(struct block *block)
{
    static const unsigned ends[4][3] = {{63, 0, 20}, {10, 50, 33}, {5, 60, 60}, {40, 1, 7}};
    put_bits(&block->bits, 2, 2);
    put_bits(&block->bits, 6, 0);
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned e = 0; e < 4; e++)
            put_bits(&block->bits, 6, ends[e][c]);
    }
    put_bits(&block->bits, 1, 1);
    put_bits(&block->bits, 1, 0);
    for (unsigned i = 0; i < 16; i++) {
        unsigned half = i % 4 / 2, anchor = i == 0 || i == 15, index = anchor ? 2 : (i * 3) & 7;
        put_bits(&block->bits, anchor ? 2 : 3, index);
        for (unsigned c = 0; c < 3; c++) {
            unsigned a = ends[2 * half][c] << 1 | (half == 0), b = ends[2 * half + 1][c] << 1 | (half == 0);
            block->colors[i][c] = mix_numbers(weights_3[index], a << 1 | a >> 6, b << 1 | b >> 6) / 255;
        }
        block->colors[i][3] = 1;
    }
}

/* One region with ends of ten bits, of a kind with or without sign. */
static void put_bc6h(struct block *block, bool is_signed)
{
    static const int unsigned_ends[2][3] = {{512, 1023, 100}, {30, 0, 900}},
                     signed_ends[2][3] = {{511, -300, 100}, {30, 0, -511}};
    const int(*ends)[3] = is_signed ? signed_ends : unsigned_ends;
    put_bits(&block->bits, 5, 3);
    for (unsigned e = 0; e < 2; e++) {
        for (unsigned c = 0; c < 3; c++)
            put_bits(&block->bits, 10, (uint32_t)ends[e][c] & 1023);
    }
    for (unsigned i = 0; i < 16; i++) {
        unsigned index = i == 0 ? 5 : (i * 7 + 2) & 15;
        put_bits(&block->bits, i == 0 ? 3 : 4, index);
        for (unsigned c = 0; c < 3; c++) {
            int wide[2];
            for (unsigned e = 0; e < 2; e++) {
                int value = ends[e][c], magnitude = value < 0 ? -value : value;
                if (!is_signed)
                    wide[e] = value == 0 ? 0 : value == 1023 ? 0xffff : ((value << 16) + 0x8000) >> 10;
                else
                    wide[e] = magnitude == 0 ? 0 : magnitude >= 511 ? 0x7fff : ((magnitude << 15) + 0x4000) >> 9;
                wide[e] = value < 0 ? -wide[e] : wide[e];
            }
            int mixed = ((64 - (int)weights_4[index]) * wide[0] + (int)weights_4[index] * wide[1] + 32) >> 6;
            if (is_signed)
                block->colors[i][c] = mixed < 0 ? -vt_half_value((uint16_t)((-mixed * 31) >> 5))
                                                : vt_half_value((uint16_t)((mixed * 31) >> 5));
            else
                block->colors[i][c] = vt_half_value((uint16_t)((mixed * 31) >> 6));
        }
        block->colors[i][3] = 1;
    }
}

struct compressed {
    VkFormat format;
    int what;
};

static void make_block(const struct compressed *test, struct block *out)
{
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < 16; i++)
        out->colors[i][3] = 1;
    switch (test->format) {
    case VK_FORMAT_BC1_RGB_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGBA_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGBA_SRGB_BLOCK:
        put_bc1(out, test->what, false);
        break;
    case VK_FORMAT_BC2_UNORM_BLOCK:
        for (unsigned i = 0; i < 16; i++)
            put_bits(&out->bits, 4, (i * 7) & 15);
        put_bc1(out, test->what, true);
        for (unsigned i = 0; i < 16; i++)
            out->colors[i][3] = ((i * 7) & 15) / 15.0;
        break;
    case VK_FORMAT_BC3_UNORM_BLOCK: {
        struct block alpha = {0};
        put_bc4(&alpha, 3, test->what ? 20 : 240, test->what ? 200 : 10, false);
        out->bits = alpha.bits;
        put_bc1(out, test->what, true);
        for (unsigned i = 0; i < 16; i++)
            out->colors[i][3] = alpha.colors[i][3];
        break;
    }
    case VK_FORMAT_BC4_UNORM_BLOCK:
        put_bc4(out, 0, test->what ? 20 : 240, test->what ? 200 : 10, false);
        break;
    case VK_FORMAT_BC4_SNORM_BLOCK:
        put_bc4(out, 0, test->what ? -100 : 90, test->what ? 80 : -120, true);
        break;
    case VK_FORMAT_BC5_UNORM_BLOCK:
        put_bc4(out, 0, 240, 10, false);
        put_bc4(out, 1, 30, 180, false);
        break;
    case VK_FORMAT_BC5_SNORM_BLOCK:
        put_bc4(out, 0, 90, -120, true);
        put_bc4(out, 1, -60, 100, true);
        break;
    case VK_FORMAT_BC6H_UFLOAT_BLOCK:
    case VK_FORMAT_BC6H_SFLOAT_BLOCK:
        put_bc6h(out, test->format == VK_FORMAT_BC6H_SFLOAT_BLOCK);
        break;
    default:
        if (test->what == 6)
            put_bc7_mode_6(out);
        else if (test->what == 1)
            put_bc7_mode_1(out);
        else
            put_bc7_mode_5(out, test->what == 5 ? 0 : 2);
        break;
    }
    bool srgb = test->format == VK_FORMAT_BC1_RGBA_SRGB_BLOCK || test->format == VK_FORMAT_BC7_SRGB_BLOCK;
    for (unsigned i = 0; i < 16 * 3 && srgb; i++)
        out->colors[i / 3][i % 3] = vt_srgb_to_linear(out->colors[i / 3][i % 3]);
    for (unsigned i = 0; i < 16 && test->format == VK_FORMAT_BC1_RGB_UNORM_BLOCK; i++)
        out->colors[i][3] = 1;
}

/* A block among others of zeros, in an image of 12×8. */
static void case_compressed(struct vt *vt, const void *argument)
{
    const struct compressed *test = argument;
    if (!vt->features.features.textureCompressionBC)
        vt_skip(vt, "no textureCompressionBC");
    struct block block;
    make_block(test, &block);
    uint32_t size_B = vt_format(test->format)->texel_B;
    uint8_t blocks[6 * 16] = {0};
    memcpy(blocks + 4 * size_B, block.bits.bytes, size_B); /* the second of the lower row */
    struct vt_image image = vt_image_2d(vt, test->format, 12, 8, VK_IMAGE_USAGE_SAMPLED_BIT);
    vt_upload(vt, &image, 0, blocks, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const void *words = fetch_texels(vt, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), VT_SFLOAT, 12, 8);
    bool is_signed =
        test->format == VK_FORMAT_BC4_SNORM_BLOCK || test->format == VK_FORMAT_BC5_SNORM_BLOCK; /* a code is 1/127 */
    bool wide = test->format == VK_FORMAT_BC6H_UFLOAT_BLOCK || test->format == VK_FORMAT_BC6H_SFLOAT_BLOCK;
    for (uint32_t i = 0; i < 16; i++) {
        double most = 0;
        for (unsigned c = 0; c < 3 && wide; c++)
            most = fmax(most, fabs(block.colors[i][c]));
        expect_fetched(vt, VT_SFLOAT, words, (4 + i / 4) * 12 + 4 + i % 4, 12, block.colors[i],
                       wide        ? most * 0.001
                       : is_signed ? 0.009
                                   : 0.006);
    }
}

static const struct compressed compresseds[] = {
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0}, {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 0}, {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 1},
    {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, 0}, {VK_FORMAT_BC2_UNORM_BLOCK, 0},      {VK_FORMAT_BC2_UNORM_BLOCK, 1},
    {VK_FORMAT_BC3_UNORM_BLOCK, 0},     {VK_FORMAT_BC3_UNORM_BLOCK, 1},      {VK_FORMAT_BC4_UNORM_BLOCK, 0},
    {VK_FORMAT_BC4_UNORM_BLOCK, 1},     {VK_FORMAT_BC4_SNORM_BLOCK, 0},      {VK_FORMAT_BC4_SNORM_BLOCK, 1},
    {VK_FORMAT_BC5_UNORM_BLOCK, 0},     {VK_FORMAT_BC5_SNORM_BLOCK, 0},      {VK_FORMAT_BC6H_UFLOAT_BLOCK, 0},
    {VK_FORMAT_BC6H_SFLOAT_BLOCK, 0},   {VK_FORMAT_BC7_UNORM_BLOCK, 6},      {VK_FORMAT_BC7_UNORM_BLOCK, 5},
    {VK_FORMAT_BC7_UNORM_BLOCK, 4},     {VK_FORMAT_BC7_UNORM_BLOCK, 1},      {VK_FORMAT_BC7_SRGB_BLOCK, 6},
};

/* ---- views ---- */

struct view {
    uint32_t level, layer;
    VkFormat format; /* 0: the image's */
    VkComponentMapping swizzle;
};

static void case_view(struct vt *vt, const void *argument)
{
    const struct view *test = argument;
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = RGBA8,
                                                                 .width = 32,
                                                                 .height = 32,
                                                                 .levels = 4,
                                                                 .layers = 5,
                                                                 .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    static uint32_t texels[4][32 * 32 * 5];
    uint64_t seed = 71;
    for (uint32_t level = 0; level < 4; level++) {
        vt_random_texels(vt_format(RGBA8), &seed, texels[level], COUNT_OF(texels[level]));
        vt_upload(vt, &image, level, texels[level], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    VkFormat format = test->format ? test->format : RGBA8;
    enum vt_kind kind = vt_format(format)->kind;
    VkImageView view = vt_view_of(vt, &image,
                                  (VkImageViewCreateInfo){.viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                          .format = format,
                                                          .components = test->swizzle,
                                                          .subresourceRange = {0, test->level, 1, test->layer, 1}});
    uint32_t size = 32 >> test->level;
    const void *words = fetch_texels(vt, view, kind, size, size);
    for (uint32_t i = 0; i < size * size; i++) {
        double plain[4], expected[4];
        vt_decode(vt_format(format), &texels[test->level][test->layer * size * size + i], plain);
        const VkComponentSwizzle swizzle[4] = {test->swizzle.r, test->swizzle.g, test->swizzle.b, test->swizzle.a};
        for (unsigned c = 0; c < 4; c++)
            expected[c] = swizzle[c] == VK_COMPONENT_SWIZZLE_IDENTITY ? plain[c]
                          : swizzle[c] == VK_COMPONENT_SWIZZLE_ZERO   ? 0
                          : swizzle[c] == VK_COMPONENT_SWIZZLE_ONE    ? 1
                                                                      : plain[swizzle[c] - VK_COMPONENT_SWIZZLE_R];
        expect_fetched(vt, kind, words, i, size, expected, kind == VT_SRGB ? 0.0015 : 1e-6);
    }
}

static const struct view views[] = {
    {0, 0, 0, {0}},
    {2, 0, 0, {0}},
    {0, 3, 0, {0}},
    {3, 4, 0, {0}},
    {0, 1, VK_FORMAT_R32_UINT, {0}},
    {1, 1, VK_FORMAT_R8G8B8A8_SRGB, {0}},
    {1, 2, VK_FORMAT_R16G16_SFLOAT, {0}},
    {0, 0, 0, {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ONE}},
    {1,
     2,
     VK_FORMAT_R8G8B8A8_UINT,
     {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R}},
};

/* Either aspect of a format with both. */
static void case_aspect(struct vt *vt, const void *argument)
{
    VkImageAspectFlags aspect = *(const VkImageAspectFlags *)argument;
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_D32_SFLOAT_S8_UINT, 16, 16,
                                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    float depths[256];
    uint8_t stencils[256];
    for (uint32_t i = 0; i < 256; i++) {
        depths[i] = (float)i / 256;
        stencils[i] = (uint8_t)(i * 7);
    }
    struct vt_buffer depth_data = vt_buffer(vt, sizeof(depths), depths),
                     stencil_data = vt_buffer(vt, sizeof(stencils), stencils);
    VkBufferImageCopy regions[2] = {
        {.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, .imageExtent = {16, 16, 1}},
        {.imageSubresource = {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}, .imageExtent = {16, 16, 1}}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, depth_data.buffer, image.image, image.layout, 1, &regions[0]);
    vkCmdCopyBufferToImage(commands, stencil_data.buffer, image.image, image.layout, 1, &regions[1]);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_submit(vt, commands);
    VkImageView view = vt_view_of(
        vt, &image,
        (VkImageViewCreateInfo){.viewType = VK_IMAGE_VIEW_TYPE_2D, .subresourceRange = {.aspectMask = aspect}});
    enum vt_kind kind = aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? VT_SFLOAT : VT_UINT;
    const void *words = fetch_texels(vt, view, kind, 16, 16);
    for (uint32_t i = 0; i < 256; i++) {
        double got = word_value(kind, words, 4 * i), expected = kind == VT_UINT ? stencils[i] : (double)depths[i];
        if (got != expected)
            vt_fail(vt, "texel %u is %.8g, expected %.8g", i, got, expected);
    }
}

static const VkImageAspectFlags aspects[] = {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT};

/* ---- looks with coordinates ---- */

static bool comparison_passes(VkCompareOp op, double reference, double texel)
{
    return (reference < texel && (op & 1)) || (reference == texel && (op & 2)) || (reference > texel && (op & 4));
}

/* An operation for every comparison: its bits say less, equal, greater. */
static void case_compare(struct vt *vt, const void *argument)
{
    VkCompareOp op = *(const VkCompareOp *)argument;
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_D32_SFLOAT, 4, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    static const float depths[4] = {0.25f, 0.5f, 0.75f, 1};
    vt_upload(vt, &image, 0, depths, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.compareEnable = VK_TRUE, .compareOp = op});
    float at[20][4];
    for (uint32_t i = 0; i < 20; i++)
        memcpy(at[i], (float[4]){((float)(i % 4) + 0.5f) / 4, 0.5f, 0, 0.25f * (float)(i / 4)}, 16);
    const float(*got)[4] =
        vt_look(vt, VT_SPIRV(look_2d_shadow), sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), at, 20);
    for (uint32_t i = 0; i < 20; i++) {
        double expected = comparison_passes(op, (double)at[i][3], (double)depths[i % 4]);
        if ((double)got[i][0] != expected)
            vt_fail(vt, "reference %.2f, texel %.2f: %.4f, expected %.0f", (double)at[i][3], (double)depths[i % 4],
                    (double)got[i][0], expected);
    }
}

static const VkCompareOp compare_ops[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The direction to a place of a face, both from -1 to 1. */
static void cube_direction(uint32_t face, double s, double t, float out[4])
{
    const double directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    for (unsigned c = 0; c < 3; c++)
        out[c] = (float)(directions[face][c] * 0.7);
}

/* Every texel of every face of three cubes. */
static void case_cube_array(struct vt *vt, const void *argument)
{
    if (!vt->features.features.imageCubeArray)
        vt_skip(vt, "no imageCubeArray");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_SFLOAT,
                                                                 .width = 4,
                                                                 .height = 4,
                                                                 .layers = 18,
                                                                 .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    float texels[18 * 16], at[18 * 16][4];
    for (uint32_t i = 0; i < 18 * 16; i++) {
        texels[i] = (float)i;
        cube_direction(i / 16 % 6, (i % 4 + 0.5) / 2 - 1, (i / 4 % 4 + 0.5) / 2 - 1, at[i]);
        at[i][3] = (float)(i / 96);
    }
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const float(*got)[4] = vt_look(vt, VT_SPIRV(look_cube_array), vt_sampler(vt, (VkSamplerCreateInfo){0}),
                                   vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY), (const float(*)[4])at, 18 * 16);
    for (uint32_t i = 0; i < 18 * 16; i++) {
        if (got[i][0] != texels[i])
            vt_fail(vt, "cube %u, face %u, texel %u,%u is %.1f, expected %.1f", i / 96, i / 16 % 6, i % 4, i / 4 % 4,
                    (double)got[i][0], (double)texels[i]);
    }
}

/* Comparison by face, and by layer. */
static void case_compare_layers(struct vt *vt, const void *argument)
{
    bool cube = argument != NULL;
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_D16_UNORM,
                                                                 .width = 4,
                                                                 .height = 4,
                                                                 .layers = 6,
                                                                 .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    uint16_t texels[6 * 16];
    for (uint32_t i = 0; i < 6 * 16; i++)
        texels[i] = (uint16_t)(i / 16 * 0x2000 + 0x1000);
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSampler sampler =
        vt_sampler(vt, (VkSamplerCreateInfo){.compareEnable = VK_TRUE, .compareOp = VK_COMPARE_OP_LESS});
    float at[36][4];
    for (uint32_t i = 0; i < 36; i++) {
        float reference = (float)(i / 6) / 8 + 0.01f;
        if (cube) {
            cube_direction(i % 6, 0.3, -0.2, at[i]);
            at[i][3] = reference;
        } else {
            memcpy(at[i], (float[4]){0.3f, 0.6f, (float)(i % 6), reference}, 16);
        }
    }
    const float(*got)[4] = vt_look(vt, cube ? VT_SPIRV(look_cube_shadow) : VT_SPIRV(look_2d_array_shadow), sampler,
                                   vt_view(vt, &image, cube ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_2D_ARRAY),
                                   (const float(*)[4])at, 36);
    for (uint32_t i = 0; i < 36; i++) {
        double expected = (double)at[i][3] < texels[i % 6 * 16] / 65535.0;
        if ((double)got[i][0] != expected)
            vt_fail(vt, "layer %u, reference %.3f: %.3f, expected %.0f", i % 6, (double)at[i][3], (double)got[i][0],
                    expected);
    }
}

/* The layer is rounded to the nearest and clamped. */
static void case_1d_array(struct vt *vt, const void *argument)
{
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){
                         .format = VK_FORMAT_R32_SFLOAT, .width = 8, .layers = 5, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    float texels[40], at[64][4];
    for (uint32_t i = 0; i < 40; i++)
        texels[i] = (float)i;
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    static const float layers[8] = {0, 1, 2.3f, 2.7f, 4, 4.4f, 9, -3};
    static const uint32_t chosen[8] = {0, 1, 2, 3, 4, 4, 4, 0};
    for (uint32_t i = 0; i < 64; i++)
        memcpy(at[i], (float[4]){((float)(i % 8) + 0.5f) / 8, layers[i / 8], 0, 0}, 16);
    const float(*got)[4] = vt_look(vt, VT_SPIRV(look_1d_array), vt_sampler(vt, (VkSamplerCreateInfo){0}),
                                   vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_1D_ARRAY), (const float(*)[4])at, 64);
    for (uint32_t i = 0; i < 64; i++) {
        if (got[i][0] != texels[chosen[i / 8] * 8 + i % 8])
            vt_fail(vt, "texel %u of layer %.1f is %.1f", i % 8, (double)layers[i / 8], (double)got[i][0]);
    }
}

/* Coordinates in texels. */
static void case_unnormalized(struct vt *vt, const void *argument)
{
    VkFilter filter = *(const VkFilter *)argument;
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R32_SFLOAT, 7, 5, VK_IMAGE_USAGE_SAMPLED_BIT);
    float texels[35], at[64][4];
    for (uint32_t i = 0; i < 35; i++)
        texels[i] = (float)(i * i % 11);
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    for (uint32_t i = 0; i < 64; i++)
        memcpy(at[i], (float[4]){(float)(i % 8) + 0.25f, (float)(i / 8) - 0.5f, 0, 0}, 16);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = filter,
                                                             .minFilter = filter,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .unnormalizedCoordinates = VK_TRUE});
    const float(*got)[4] =
        vt_look(vt, VT_SPIRV(look_2d), sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), (const float(*)[4])at, 64);
    for (uint32_t i = 0; i < 64; i++) {
        double x = (double)at[i][0] - (filter ? 0.5 : 0), y = (double)at[i][1] - (filter ? 0.5 : 0), expected = 0;
        double a = filter ? x - floor(x) : 0, b = filter ? y - floor(y) : 0;
        for (int k = 0; k < 4; k++) {
            int tx = (int)floor(x) + (k & 1), ty = (int)floor(y) + (k >> 1);
            tx = tx < 0 ? 0 : tx > 6 ? 6 : tx;
            ty = ty < 0 ? 0 : ty > 4 ? 4 : ty;
            expected += (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) * (double)texels[ty * 7 + tx];
        }
        if (fabs((double)got[i][0] - expected) > 0.06)
            vt_fail(vt, "at %.2f,%.2f is %.4f, expected %.4f", (double)at[i][0], (double)at[i][1], (double)got[i][0],
                    expected);
    }
}

static const VkFilter filters[] = {VK_FILTER_NEAREST, VK_FILTER_LINEAR};

struct border {
    VkBorderColor color;
    bool integer;
    double expected[4];
};

/* Far outside there is only the border. */
static void case_border(struct vt *vt, const void *argument)
{
    const struct border *test = argument;
    bool custom = test->color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || test->color == VK_BORDER_COLOR_INT_CUSTOM_EXT;
    if (custom && !vt->has[VT_CUSTOM_BORDER_COLOR])
        vt_skip(vt, "no VK_EXT_custom_border_color");
    VkFormat format = test->integer ? VK_FORMAT_R8G8B8A8_UINT : RGBA8;
    struct vt_image image = vt_image_2d(vt, format, 4, 4, VK_IMAGE_USAGE_SAMPLED_BIT);
    uint32_t texels[16];
    memset(texels, 0x77, sizeof(texels));
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSamplerCustomBorderColorCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, .format = format};
    for (unsigned c = 0; c < 4; c++) {
        if (test->integer)
            info.customBorderColor.uint32[c] = (uint32_t)test->expected[c];
        else
            info.customBorderColor.float32[c] = (float)test->expected[c];
    }
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.pNext = custom ? &info : NULL,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .borderColor = test->color});
    static const float at[3][4] = {{-0.5f, 0.5f, 0, 0}, {0.5f, 1.5f, 0, 0}, {0.5f, 0.5f, 0, 0}};
    const float(*got)[4] = vt_look(vt, test->integer ? VT_SPIRV(look_uint) : VT_SPIRV(look_2d), sampler,
                                   vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), at, 3);
    for (uint32_t i = 0; i < 3; i++) {
        for (unsigned c = 0; c < 4; c++) {
            double expected = i == 2 ? test->integer ? 0x77 : 0x77 / 255.0 : test->expected[c];
            if (fabs((double)got[i][c] - expected) > 0.002)
                vt_fail(vt, "component %u of look %u is %.4f, expected %.4f", c, i, (double)got[i][c], expected);
        }
    }
}

static const struct border borders[] = {
    {VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, false, {0, 0, 0, 0}},
    {VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, false, {1, 1, 1, 1}},
    {VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, true, {0, 0, 0, 0}},
    {VK_BORDER_COLOR_INT_OPAQUE_BLACK, true, {0, 0, 0, 1}},
    {VK_BORDER_COLOR_INT_OPAQUE_WHITE, true, {1, 1, 1, 1}},
    {VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, false, {0.25, 0.5, 0.75, 0.125}},
    {VK_BORDER_COLOR_INT_CUSTOM_EXT, true, {12, 34, 56, 78}},
};

/* The least or the greatest of the four texels. */
static void case_reduction(struct vt *vt, const void *argument)
{
    VkSamplerReductionMode mode = *(const VkSamplerReductionMode *)argument;
    if (!vt->features12.samplerFilterMinmax)
        vt_skip(vt, "no samplerFilterMinmax");
    vt_need_features(vt, VK_FORMAT_R32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT);
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R32_SFLOAT, 8, 8, VK_IMAGE_USAGE_SAMPLED_BIT);
    float texels[64], at[49][4];
    uint64_t seed = 5;
    vt_random_texels(vt_format(VK_FORMAT_R32_SFLOAT), &seed, texels, 64);
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    for (uint32_t i = 0; i < 49; i++)
        memcpy(at[i], (float[4]){((float)(i % 7) + 0.75f) / 8, ((float)(i / 7) + 1.25f) / 8, 0, 0}, 16);
    VkSamplerReductionModeCreateInfo reduction = {.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
                                                  .reductionMode = mode};
    VkSampler sampler = vt_sampler(
        vt, (VkSamplerCreateInfo){.pNext = &reduction, .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR});
    const float(*got)[4] =
        vt_look(vt, VT_SPIRV(look_2d), sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), (const float(*)[4])at, 49);
    for (uint32_t i = 0; i < 49; i++) {
        const float *corner = texels + i / 7 * 8 + i % 7;
        float least = fminf(fminf(corner[0], corner[1]), fminf(corner[8], corner[9])),
              most = fmaxf(fmaxf(corner[0], corner[1]), fmaxf(corner[8], corner[9]));
        float expected = mode == VK_SAMPLER_REDUCTION_MODE_MIN ? least : most;
        if (got[i][0] != expected)
            vt_fail(vt, "look %u is %.6f, expected %.6f", i, (double)got[i][0], (double)expected);
    }
}

static const VkSamplerReductionMode reductions[] = {VK_SAMPLER_REDUCTION_MODE_MIN, VK_SAMPLER_REDUCTION_MODE_MAX};

/* ---- levels by neighbours ---- */

struct implicit {
    int what;       /* of implicit.frag */
    float repeat;   /* how often the texture of 64×64 goes over the picture of 64×64 */
    float bias;     /* of the sampler */
    bool linear;    /* between levels */
    float expected; /* level */
};

/* Level n has the colour n / 8. */
static void case_implicit(struct vt *vt, const void *argument)
{
    const struct implicit *test = argument;
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){
                         .format = RGBA8, .width = 64, .height = 64, .levels = 7, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    static uint8_t texels[64 * 64 * 4];
    for (uint32_t level = 0; level < 7; level++) {
        memset(texels, (int)(level * 32), sizeof(texels));
        vt_upload(vt, &image, level, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    VkSampler sampler =
        vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR,
                                             .minFilter = VK_FILTER_LINEAR,
                                             .mipmapMode = test->linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                        : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                             .mipLodBias = test->bias,
                                             .maxLod = VK_LOD_CLAMP_NONE});
    struct vt_set set =
        vt_set(vt, (struct vt_binding[]){VT_SAMPLED(sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D))}, 1);
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, 64, 64);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(implicit_frag));
    vt_use_vertices(&graphics);
    graphics.sets[graphics.set_count++] = set.layout;
    graphics.fragment_constants = VT_CONSTANTS(test->what);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, (const float[4]){0, 0, 0, 0});
    for (unsigned i = 0; i < 6; i++) {
        quad[i].color[0] = (quad[i].position[0] + 1) / 2 * test->repeat;
        quad[i].color[1] = (quad[i].position[1] + 1) / 2 * test->repeat;
    }
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vt_draw(vt, commands, &graphics, quad, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer out = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const float(*got)[4] = out.map;
    for (uint32_t i = 0; i < 64 * 64; i++) {
        double level = test->what == 2 ? (double)got[i][1] : (double)got[i][0] * 255 / 32;
        if (fabs(level - (double)test->expected) > 0.1)
            vt_fail(vt, "pixel %u,%u shows level %.3f, expected %.3f", i % 64, i / 64, level, (double)test->expected);
    }
}

static const struct implicit implicits[] = {
    {0, 1, 0, false, 0},         {0, 0.25f, 0, false, 0}, {0, 2, 0, false, 1}, {0, 8, 0, false, 3},
    {0, 2.8284f, 0, true, 1.5f}, {0, 4, 0, true, 2},      {1, 2, 0, true, 2},  {0, 4, 1.5f, true, 3.5f},
    {0, 4096, 0, true, 6},       {2, 4, 0, true, 2},      {3, 4, 0, true, 2},
};

const struct vt_case vt_sampling_cases[] = {
#define FORMAT(i, name)                                                                                                \
    {                                                                                                                  \
        "fetch " name, case_format, &formats[i]                                                                        \
    }
    FORMAT(0, "r8 unorm"),
    FORMAT(1, "r8 snorm"),
    FORMAT(2, "r8 uint"),
    FORMAT(3, "r8 sint"),
    FORMAT(4, "r8g8 unorm"),
    FORMAT(5, "r8g8 snorm"),
    FORMAT(6, "r8g8b8a8 unorm"),
    FORMAT(7, "r8g8b8a8 snorm"),
    FORMAT(8, "r8g8b8a8 uint"),
    FORMAT(9, "r8g8b8a8 sint"),
    FORMAT(10, "r8g8b8a8 srgb"),
    FORMAT(11, "b8g8r8a8 unorm"),
    FORMAT(12, "r5g6b5 unorm"),
    FORMAT(13, "a1r5g5b5 unorm"),
    FORMAT(14, "r4g4b4a4 unorm"),
    FORMAT(15, "a2b10g10r10 unorm"),
    FORMAT(16, "a2b10g10r10 uint"),
    FORMAT(17, "b10g11r11 ufloat"),
    FORMAT(18, "e5b9g9r9 ufloat"),
    FORMAT(19, "r16 unorm"),
    FORMAT(20, "r16 snorm"),
    FORMAT(21, "r16 sfloat"),
    FORMAT(22, "r16g16 unorm"),
    FORMAT(23, "r16g16 sfloat"),
    FORMAT(24, "r16g16b16a16 unorm"),
    FORMAT(25, "r16g16b16a16 snorm"),
    FORMAT(26, "r16g16b16a16 uint"),
    FORMAT(27, "r16g16b16a16 sint"),
    FORMAT(28, "r16g16b16a16 sfloat"),
    FORMAT(29, "r32 uint"),
    FORMAT(30, "r32 sint"),
    FORMAT(31, "r32 sfloat"),
    FORMAT(32, "r32g32 sfloat"),
    FORMAT(33, "r32g32b32a32 uint"),
    FORMAT(39, "a4r4g4b4 unorm"),
    FORMAT(40, "a4b4g4r4 unorm"),
    {"fetch rows of r8g8b8a8 unorm", case_rows, &row_formats[0]},
    {"fetch rows of r16 sfloat", case_rows, &row_formats[1]},
    {"fetch rows of r32g32b32 sfloat", case_rows, &row_formats[2]},
    {"fetch rows of r32g32b32 uint", case_rows, &row_formats[3]},
    FORMAT(34, "r32g32b32a32 sfloat"),
    FORMAT(35, "d16"),
    FORMAT(36, "x8d24"),
    FORMAT(37, "d32"),
    FORMAT(38, "s8"),
#define COMPRESSED(i, name)                                                                                            \
    {                                                                                                                  \
        name, case_compressed, &compresseds[i]                                                                         \
    }
    COMPRESSED(0, "bc1 rgb"),
    COMPRESSED(1, "bc1 rgba of four colours"),
    COMPRESSED(2, "bc1 rgba of three colours"),
    COMPRESSED(3, "bc1 srgb"),
    COMPRESSED(4, "bc2"),
    COMPRESSED(5, "bc2 second order"),
    COMPRESSED(6, "bc3 of eight alphas"),
    COMPRESSED(7, "bc3 of six alphas"),
    COMPRESSED(8, "bc4 of eight values"),
    COMPRESSED(9, "bc4 of six values"),
    COMPRESSED(10, "bc4 signed of eight values"),
    COMPRESSED(11, "bc4 signed of six values"),
    COMPRESSED(12, "bc5"),
    COMPRESSED(13, "bc5 signed"),
    COMPRESSED(14, "bc6h"),
    COMPRESSED(15, "bc6h signed"),
    COMPRESSED(16, "bc7 mode 6"),
    COMPRESSED(17, "bc7 mode 5"),
    COMPRESSED(18, "bc7 mode 5 rotated"),
    COMPRESSED(19, "bc7 mode 1"),
    COMPRESSED(20, "bc7 srgb"),
#define VIEW(i, name)                                                                                                  \
    {                                                                                                                  \
        "view " name, case_view, &views[i]                                                                             \
    }
    VIEW(0, "plain"),
    VIEW(1, "of level 2"),
    VIEW(2, "of layer 3"),
    VIEW(3, "of level 3 and layer 4"),
    VIEW(4, "as r32 uint"),
    VIEW(5, "as srgb"),
    VIEW(6, "as half"),
    VIEW(7, "swizzled"),
    VIEW(8, "swizzled uint"),
    {"view of depth", case_aspect, &aspects[0]},
    {"view of stencil", case_aspect, &aspects[1]},
#define COMPARE(i, name)                                                                                               \
    {                                                                                                                  \
        "compare " name, case_compare, &compare_ops[i]                                                                 \
    }
    COMPARE(0, "never"),
    COMPARE(1, "less"),
    COMPARE(2, "equal"),
    COMPARE(3, "less or equal"),
    COMPARE(4, "greater"),
    COMPARE(5, "not equal"),
    COMPARE(6, "greater or equal"),
    COMPARE(7, "always"),
    {"compare in array", case_compare_layers, NULL},
    {"compare in cube", case_compare_layers, vt_sampling_cases},
    {"cube array", case_cube_array, NULL},
    {"1d array", case_1d_array, NULL},
    {"unnormalized nearest", case_unnormalized, &filters[0]},
    {"unnormalized linear", case_unnormalized, &filters[1]},
    {"border transparent", case_border, &borders[0]},
    {"border white", case_border, &borders[1]},
    {"border integer transparent", case_border, &borders[2]},
    {"border integer black", case_border, &borders[3]},
    {"border integer white", case_border, &borders[4]},
    {"border custom", case_border, &borders[5]},
    {"border integer custom", case_border, &borders[6]},
    {"reduction least", case_reduction, &reductions[0]},
    {"reduction greatest", case_reduction, &reductions[1]},
#define IMPLICIT(i, name)                                                                                              \
    {                                                                                                                  \
        "level " name, case_implicit, &implicits[i]                                                                    \
    }
    IMPLICIT(0, "0"),
    IMPLICIT(1, "below 0"),
    IMPLICIT(2, "1"),
    IMPLICIT(3, "3"),
    IMPLICIT(4, "one and a half"),
    IMPLICIT(5, "2 of linear"),
    IMPLICIT(6, "with the shader's bias"),
    IMPLICIT(7, "with the sampler's bias"),
    IMPLICIT(8, "the last"),
    IMPLICIT(9, "query"),
    IMPLICIT(10, "of projection"),
};
const size_t vt_sampling_count = COUNT_OF(vt_sampling_cases);
