/* BC decoders without a GPU: BC1 to BC5 against the specification's formulas in binary64, BC6H and BC7 against digests
 * of what lavapipe confirmed (format_bc_judge compares them texel by texel). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/format/format.h"

static uint64_t random_state = 0x853c49e6748fea9bull;

static uint32_t random_u32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static void random_block(uint8_t block[16])
{
    for (unsigned i = 0; i < 16; i++)
        block[i] = (uint8_t)random_u32();
    if (random_u32() % 8 == 0) /* equal and neighbouring endpoints */
        for (unsigned i = 0; i < 16; i += 8)
            memcpy(block + i + 2, block + i, 2);
}

static double srgb_decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

/* Encoded colour of one texel, and whether it is the transparent one. */
static bool reference_colour(const uint8_t *block, unsigned texel, bool always_four, double rgb[3])
{
    unsigned words[2] = {block[0] | block[1] << 8, block[2] | block[3] << 8};
    unsigned index = block[4 + texel / 4] >> texel % 4 * 2 & 3;
    double ends[2][3];
    for (unsigned end = 0; end < 2; end++) {
        ends[end][0] = (words[end] >> 11) / 31.0;
        ends[end][1] = (words[end] >> 5 & 63) / 63.0;
        ends[end][2] = (words[end] & 31) / 31.0;
    }
    bool four = always_four || words[0] > words[1];
    static const double share[2][4] = {{0, 1, 1.0 / 2, 0}, {0, 1, 1.0 / 3, 2.0 / 3}};
    for (unsigned c = 0; c < 3; c++)
        rgb[c] = !four && index == 3 ? 0 : ends[0][c] * (1 - share[four][index]) + ends[1][c] * share[four][index];
    return !four && index == 3;
}

static double reference_ramp(const uint8_t *block, unsigned texel, bool is_signed)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 6; i++)
        bits |= (uint64_t)block[2 + i] << 8 * i;
    unsigned index = bits >> 3 * texel & 7;
    int raw[2] = {is_signed ? (int8_t)block[0] : block[0], is_signed ? (int8_t)block[1] : block[1]};
    double max = is_signed ? 127 : 255, a = fmax(raw[0] / max, -1), b = fmax(raw[1] / max, -1);
    if (index < 2)
        return index ? b : a;
    if (raw[0] > raw[1])
        return ((8 - index) * a + (index - 1.0) * b) / 7;
    if (index >= 6)
        return index == 7 ? 1 : is_signed ? -1 : 0;
    return ((6 - index) * a + (index - 1.0) * b) / 5;
}

static void assert_close(float value, double expected)
{
    /* The reference rounds a few times in binary64; the result rounds once to binary32. */
    assert_true(fabs((double)value - expected) <= fabs(expected) * 0x1.0001p-24 + 1e-16);
}

static bool is_srgb(enum format format)
{
    return format_is_srgb(format_info(format));
}

static void check_colours(enum format format, unsigned offset, bool always_four, bool has_alpha)
{
    for (unsigned n = 0; n < 20000; n++) {
        uint8_t block[16], codes[16][4];
        float texels[16][4];
        random_block(block);
        assert_true(format_decode_block_float(format, texels, block));
        assert_true(format_decode_block_unorm8(format, codes, block));
        for (unsigned texel = 0; texel < 16; texel++) {
            double rgb[3];
            bool clear = reference_colour(block + offset, texel, always_four, rgb);
            for (unsigned c = 0; c < 3; c++) {
                assert_close(texels[texel][c], is_srgb(format) ? srgb_decode(rgb[c]) : rgb[c]);
                assert_true(fabs(rgb[c] * 255 - codes[texel][c]) <= 0.5 + 1e-9);
            }
            if (offset == 0) {
                assert_true(texels[texel][3] == (clear && has_alpha ? 0.0f : 1.0f));
                assert_int_equal(codes[texel][3], clear && has_alpha ? 0 : 255);
            } else {
                assert_true(fabs((double)texels[texel][3] * 255 - codes[texel][3]) <= 0.5001);
            }
        }
    }
}

static void colours_are_the_exact_thirds_and_halves(void **state)
{
    check_colours(FORMAT_BC1_RGB_UNORM_BLOCK, 0, false, false);
    check_colours(FORMAT_BC1_RGB_SRGB_BLOCK, 0, false, false);
    check_colours(FORMAT_BC1_RGBA_UNORM_BLOCK, 0, false, true);
    check_colours(FORMAT_BC1_RGBA_SRGB_BLOCK, 0, false, true);
    check_colours(FORMAT_BC2_UNORM_BLOCK, 8, true, false);
    check_colours(FORMAT_BC2_SRGB_BLOCK, 8, true, false);
    check_colours(FORMAT_BC3_UNORM_BLOCK, 8, true, false);
    check_colours(FORMAT_BC3_SRGB_BLOCK, 8, true, false);
}

static void the_alpha_of_bc2_has_four_bits(void **state)
{
    uint8_t block[16] = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe};
    float texels[16][4];
    assert_true(format_decode_block_float(FORMAT_BC2_SRGB_BLOCK, texels, block));
    for (unsigned texel = 0; texel < 16; texel++)
        assert_close(texels[texel][3], texel / 15.0);
}

static void check_ramps(enum format format, unsigned ramps, unsigned first_channel, bool is_signed)
{
    for (unsigned n = 0; n < 30000; n++) {
        uint8_t block[16], codes[16][4];
        float texels[16][4];
        random_block(block);
        if (n % 4 == 0) { /* both codes of -1, and its neighbours */
            block[0] = (uint8_t)(126 + random_u32() % 4);
            block[1] = (uint8_t)(126 + random_u32() % 4);
        }
        assert_true(format_decode_block_float(format, texels, block));
        bool coded = format_decode_block_unorm8(format, codes, block);
        assert_int_equal(coded, !is_signed);
        for (unsigned texel = 0; texel < 16; texel++) {
            for (unsigned ramp = 0; ramp < ramps; ramp++) {
                double expected = reference_ramp(block + 8 * ramp, texel, is_signed);
                assert_close(texels[texel][first_channel + ramp], expected);
                if (coded)
                    assert_true(fabs(expected * 255 - codes[texel][first_channel + ramp]) <= 0.5 + 1e-9);
            }
            if (first_channel == 0) {
                assert_true(ramps == 2 || texels[texel][1] == 0.0f);
                assert_true(texels[texel][2] == 0.0f && texels[texel][3] == 1.0f);
            }
        }
    }
}

static void ramps_are_the_exact_fifths_and_sevenths(void **state)
{
    check_ramps(FORMAT_BC3_UNORM_BLOCK, 1, 3, false);
    check_ramps(FORMAT_BC3_SRGB_BLOCK, 1, 3, false);
    check_ramps(FORMAT_BC4_UNORM_BLOCK, 1, 0, false);
    check_ramps(FORMAT_BC4_SNORM_BLOCK, 1, 0, true);
    check_ramps(FORMAT_BC5_UNORM_BLOCK, 2, 0, false);
    check_ramps(FORMAT_BC5_SNORM_BLOCK, 2, 0, true);
}

/* FNV-1a over the results of random blocks, each mode in turn. */
static uint64_t digest_blocks(enum format format)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    random_state = 0x853c49e6748fea9bull;
    for (unsigned n = 0; n < 9 * 32 * 100; n++) {
        uint8_t block[16];
        float texels[16][4];
        for (unsigned i = 0; i < 16; i++)
            block[i] = (uint8_t)random_u32();
        unsigned mode = n % 9;
        if (format_info(format)->class == FORMAT_CLASS_BC7)
            block[0] = mode == 8 ? 0 : (uint8_t)((block[0] & ~((2u << mode) - 1)) | 1u << mode);
        else
            block[0] = (uint8_t)((block[0] & ~31u) | n % 32);
        assert_true(format_decode_block_float(format, texels, block));
        for (size_t i = 0; i < sizeof(texels); i++)
            hash = (hash ^ ((const uint8_t *)texels)[i]) * 0x100000001b3ull;
    }
    return hash;
}

static void bc6h_and_bc7_are_what_the_judge_confirmed(void **state)
{
    assert_int_equal(digest_blocks(FORMAT_BC6H_UFLOAT_BLOCK), 0x9e6de519b18a934eull);
    assert_int_equal(digest_blocks(FORMAT_BC6H_SFLOAT_BLOCK), 0x60921685b7193beeull);
    assert_int_equal(digest_blocks(FORMAT_BC7_UNORM_BLOCK), 0x1ca9d4d6c6fc0492ull);
    assert_int_equal(digest_blocks(FORMAT_BC7_SRGB_BLOCK), 0xf472673de65f226ull);
}

static void reserved_modes_are_black(void **state)
{
    static const uint8_t reserved[] = {19, 23, 27, 31};
    float texels[16][4];
    uint8_t block[16];
    for (unsigned i = 0; i < ARRAY_SIZE(reserved); i++) {
        memset(block, 0xff, sizeof(block));
        block[0] = (uint8_t)(0xe0 | reserved[i]);
        assert_true(format_decode_block_float(FORMAT_BC6H_UFLOAT_BLOCK, texels, block));
        for (unsigned texel = 0; texel < 16; texel++)
            assert_true(texels[texel][0] == 0 && texels[texel][1] == 0 && texels[texel][2] == 0 &&
                        texels[texel][3] == 1);
    }
    block[0] = 0;
    assert_true(format_decode_block_float(FORMAT_BC7_UNORM_BLOCK, texels, block));
    for (unsigned texel = 0; texel < 16; texel++)
        assert_true(texels[texel][0] == 0 && texels[texel][3] == 0);
}

/* An endpoint of -0x8000 in the mode with 16 bits is the one way to an infinity. */
static void the_lowest_signed_endpoint_of_bc6h_is_minus_infinity(void **state)
{
    uint8_t block[16] = {15};
    block[39 / 8] |= 1 << 39 % 8; /* the top bit of red: the first of the six reversed ones */
    float texels[16][4];
    assert_true(format_decode_block_float(FORMAT_BC6H_SFLOAT_BLOCK, texels, block));
    assert_true(isinf(texels[0][0]) && texels[0][0] < 0);
    assert_true(texels[0][1] == 0.0f && texels[0][2] == 0.0f);
}

static void only_compressed_formats_decode(void **state)
{
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
    uint8_t codes[FORMAT_BLOCK_MAX_TEXELS][4], block[16] = {0};
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        bool decodes = info->compression != FORMAT_COMPRESSION_NONE && info->compression != FORMAT_COMPRESSION_ASTC_HDR;
        bool coded = decodes && info->compression != FORMAT_COMPRESSION_EAC &&
                     (info->numeric == FORMAT_NUMERIC_UNORM || info->numeric == FORMAT_NUMERIC_SRGB);
        assert_int_equal(format_decode_block_float(info->format, texels, block), decodes);
        assert_int_equal(format_decode_block(info->format, texels, block), decodes);
        assert_int_equal(format_block_texel_format(info->format) != FORMAT_UNDEFINED, decodes);
        assert_int_equal(format_decode_block_unorm8(info->format, codes, block), coded);
    }
    assert_false(format_decode_block_float((enum format) - 1, texels, block));
    assert_false(format_decode_block((enum format) - 1, texels, block));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_the_exact_thirds_and_halves),
        cmocka_unit_test(the_alpha_of_bc2_has_four_bits),
        cmocka_unit_test(ramps_are_the_exact_fifths_and_sevenths),
        cmocka_unit_test(bc6h_and_bc7_are_what_the_judge_confirmed),
        cmocka_unit_test(reserved_modes_are_black),
        cmocka_unit_test(the_lowest_signed_endpoint_of_bc6h_is_minus_infinity),
        cmocka_unit_test(only_compressed_formats_decode),
    };
    return cmocka_run_group_tests_name("format BC", tests, NULL, NULL);
}
