/* ETC2, EAC and ASTC without a judge: the specification's own examples, digests of what format_etc2_judge and
 * format_astc_judge confirmed texel by texel, and what a caller may rely on for any bytes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/format/format.h"
#include "util/half.h"

#include "blocks.h"

/* ---- the specification's examples ---- */

/* The text's base, multiplier, table 13 and index 3 for the second texel of the first column. */
static void eac_example(uint8_t block[8], int base, unsigned multiplier)
{
    memset(block, 0, 8);
    block[0] = (uint8_t)base;
    block[1] = (uint8_t)(multiplier << 4 | 13);
    block[2] = 3 << 2;
}

static void eac_gives_the_numbers_of_the_text(void **state)
{
    uint8_t block[16], codes[16][4];
    uint16_t numbers[16];
    eac_example(block, 103, 2);
    assert_true(format_decode_block(FORMAT_EAC_R11_UNORM_BLOCK, numbers, block));
    assert_int_equal(numbers[4], 21386); /* 668 */
    memset(block + 8, 0, 8);
    assert_true(format_decode_block(FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, codes, block));
    assert_int_equal(codes[4][3], 83);
    eac_example(block, 103, 0);
    assert_true(format_decode_block(FORMAT_EAC_R11_UNORM_BLOCK, numbers, block));
    assert_int_equal(numbers[4], 818 << 5 | 818 >> 6);
    assert_true(format_decode_block(FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, codes, block));
    assert_int_equal(codes[4][3], 103);
    eac_example(block, 60, 2);
    assert_true(format_decode_block(FORMAT_EAC_R11_SNORM_BLOCK, numbers, block));
    assert_int_equal(numbers[4], 320 << 5 | 320 >> 5);
    eac_example(block, 60, 0);
    assert_true(format_decode_block(FORMAT_EAC_R11_SNORM_BLOCK, numbers, block));
    assert_int_equal(numbers[4], 15054); /* 470 */
    eac_example(block, -60, 2);
    assert_true(format_decode_block(FORMAT_EAC_R11_SNORM_BLOCK, numbers, block));
    assert_int_equal((int16_t)numbers[4], -(640 << 5 | 640 >> 5));
}

/* Red 28, green 4, blue 3 with differences -4, 2 and 0; table 2 adds 29. */
static void etc2_gives_the_colours_of_the_text(void **state)
{
    uint8_t block[8] = {28 << 3 | 4, 4 << 3 | 2, 3 << 3, 2 << 5 | 2 << 2 | 2, 0, 0, 0xff, 0xff}, codes[16][4];
    static const uint8_t left[4] = {255, 33 + 29, 24 + 29, 255}, right[4] = {198 + 29, 49 + 29, 24 + 29, 255};
    assert_true(format_decode_block(FORMAT_ETC2_R8G8B8_UNORM_BLOCK, codes, block));
    for (unsigned texel = 0; texel < 16; texel++)
        assert_memory_equal(codes[texel], texel % 4 < 2 ? left : right, 4);
    /* With bit 33 clear and alpha in the format, index 2 is transparent black. */
    block[3] &= (uint8_t)~2u;
    memcpy(block + 4, (const uint8_t[4]){0xff, 0xff, 0, 0}, 4);
    assert_true(format_decode_block(FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, codes, block));
    for (unsigned texel = 0; texel < 16; texel++)
        assert_memory_equal(codes[texel], ((const uint8_t[4]){0, 0, 0, 0}), 4);
}

/* ---- ASTC ---- */

/* A block of one colour, in unorm16. */
static void void_extent(uint8_t block[16], unsigned red, unsigned green, unsigned blue, unsigned alpha)
{
    const unsigned colour[4] = {red, green, blue, alpha};
    memset(block, 0xff, 8);
    blocks_put(block, 0, 12, 0xdfc);
    for (unsigned i = 0; i < 4; i++)
        blocks_put(block, 64 + 16 * i, 16, colour[i]);
}

static void astc_numbers_become_binary16_towards_zero(void **state)
{
    for (unsigned number = 0; number < 0x10000; number += 4) {
        uint8_t block[16], codes[16][4];
        uint16_t halves[16][4];
        void_extent(block, number, number + 1, number + 2, number + 3);
        assert_true(format_decode_block(FORMAT_ASTC_4x4_UNORM_BLOCK, halves, block));
        assert_true(format_decode_block_unorm8(FORMAT_ASTC_4x4_UNORM_BLOCK, codes, block));
        for (unsigned i = 0; i < 4; i++) {
            float exact = number + i == 0xffff ? 1.0f : (float)(number + i) * 0x1p-16f;
            assert_int_equal(halves[15][i], float_to_half_rtz(exact));
            assert_int_equal(codes[15][i], (number + i) >> 8);
        }
    }
}

static void assert_magenta(enum format format, const uint8_t block[16], bool expected)
{
    static const float magenta[4] = {1, 0, 1, 1};
    const struct format_info *info = format_info(format);
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
    assert_true(format_decode_block_float(format, texels, block));
    bool is_magenta = true;
    for (unsigned i = 0; i < (unsigned)info->block_width * info->block_height; i++)
        is_magenta &= memcmp(texels[i], magenta, sizeof(magenta)) == 0;
    assert_int_equal(is_magenta, expected);
}

/* A block with one partition of luminances and a grid of 4x4 weights of two bits. */
static void legal_block(uint8_t block[16])
{
    memset(block, 0x5a, 16);
    blocks_put(block, 0, 11, 0x042);
    blocks_put(block, 11, 6, 0);
}

static void what_astc_does_not_allow_is_magenta(void **state)
{
    uint8_t block[16];
    const enum format formats[] = {FORMAT_ASTC_4x4_UNORM_BLOCK, FORMAT_ASTC_5x5_SRGB_BLOCK,
                                   FORMAT_ASTC_12x12_UNORM_BLOCK};
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        legal_block(block);
        assert_magenta(formats[i], block, false);
        blocks_put(block, 13, 4, 2); /* an HDR endpoint mode */
        assert_magenta(formats[i], block, true);
        legal_block(block);
        blocks_put(block, 0, 4, 0); /* a reserved block mode */
        assert_magenta(formats[i], block, true);
        legal_block(block);
        blocks_put(block, 0, 11, 0x0c2); /* a grid of 5x4 */
        assert_magenta(formats[i], block, i == 0);
        legal_block(block);
        blocks_put(block, 10, 3, 7); /* two planes and four partitions */
        assert_magenta(formats[i], block, true);
        void_extent(block, 1, 2, 3, 4);
        assert_magenta(formats[i], block, false);
        block[1] |= 2; /* HDR */
        assert_magenta(formats[i], block, true);
        void_extent(block, 1, 2, 3, 4);
        block[1] &= (uint8_t)~8u; /* a reserved bit */
        assert_magenta(formats[i], block, true);
        void_extent(block, 1, 2, 3, 4);
        blocks_put(block, 12, 26, 5 | 5 << 13); /* an extent of no width */
        assert_magenta(formats[i], block, true);
    }
}

/* ---- what the judges confirmed ---- */

static uint64_t digest_bytes(uint64_t hash, const void *bytes, size_t size_B)
{
    for (size_t i = 0; i < size_B; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ull;
    return hash;
}

static void make_block(uint8_t block[16], const struct format_info *info, unsigned number)
{
    if (info->compression == FORMAT_COMPRESSION_ASTC_LDR)
        blocks_make_astc(block, number);
    else
        blocks_make_etc2(block, info, number);
}

/* FNV-1a over the texels of all the judge's blocks. */
static uint64_t digest_blocks(const struct format_info *info)
{
    unsigned count = info->compression == FORMAT_COMPRESSION_ASTC_LDR ? ASTC_BLOCKS : ETC2_BLOCKS;
    size_t texels = (size_t)info->block_width * info->block_height,
           size_B = texels * format_info(format_block_texel_format(info->format))->block_size_B;
    uint64_t hash = 0xcbf29ce484222325ull;
    blocks_restart();
    for (unsigned number = 0; number < count; number++) {
        uint8_t block[16], decoded[FORMAT_BLOCK_MAX_TEXELS * 8 + 8];
        make_block(block, info, number);
        memset(decoded + size_B, 0xa5, 8);
        assert_true(format_decode_block(info->format, decoded, block));
        assert_memory_equal(decoded + size_B, ((const uint8_t[8]){0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5}), 8);
        hash = digest_bytes(hash, decoded, size_B);
    }
    return hash;
}

static const struct {
    enum format format;
    uint64_t digest;
} confirmed[] = {
    {FORMAT_ETC2_R8G8B8_UNORM_BLOCK, 0x8f952e41d7068f58ull},   {FORMAT_ETC2_R8G8B8_SRGB_BLOCK, 0x8f952e41d7068f58ull},
    {FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, 0x5d32f26d17b4b417ull}, {FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, 0x5d32f26d17b4b417ull},
    {FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, 0xd04b32de4ab89cc0ull}, {FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, 0xd04b32de4ab89cc0ull},
    {FORMAT_EAC_R11_UNORM_BLOCK, 0xa52d76d20eaffaf0ull},       {FORMAT_EAC_R11_SNORM_BLOCK, 0xc717915bb7ab40f6ull},
    {FORMAT_EAC_R11G11_UNORM_BLOCK, 0xb6eacc1aab819f03ull},    {FORMAT_EAC_R11G11_SNORM_BLOCK, 0x17c99f49ec2fa1b9ull},
    {FORMAT_ASTC_4x4_UNORM_BLOCK, 0x28bb65f0a8c4c406ull},      {FORMAT_ASTC_4x4_SRGB_BLOCK, 0x9dd71a29d1e85e4bull},
    {FORMAT_ASTC_5x4_UNORM_BLOCK, 0x82078e794f5c0c77ull},      {FORMAT_ASTC_5x4_SRGB_BLOCK, 0x9fe3587929e1ed02ull},
    {FORMAT_ASTC_5x5_UNORM_BLOCK, 0xb55bd0bc25dd71d4ull},      {FORMAT_ASTC_5x5_SRGB_BLOCK, 0x4138dbd5a18612a8ull},
    {FORMAT_ASTC_6x5_UNORM_BLOCK, 0xbc3c8ab4b5468ddull},       {FORMAT_ASTC_6x5_SRGB_BLOCK, 0x5d3a9cd192e7e7aull},
    {FORMAT_ASTC_6x6_UNORM_BLOCK, 0x433b477b7dd06bffull},      {FORMAT_ASTC_6x6_SRGB_BLOCK, 0xddd3f8161bbb5721ull},
    {FORMAT_ASTC_8x5_UNORM_BLOCK, 0x4f67b812038299afull},      {FORMAT_ASTC_8x5_SRGB_BLOCK, 0xa1047ed94c1652cbull},
    {FORMAT_ASTC_8x6_UNORM_BLOCK, 0xa25b718fa0b14c5eull},      {FORMAT_ASTC_8x6_SRGB_BLOCK, 0x5d61870ff94ae4a0ull},
    {FORMAT_ASTC_8x8_UNORM_BLOCK, 0xf10cac8a2b828f34ull},      {FORMAT_ASTC_8x8_SRGB_BLOCK, 0xe2c3a62d238b35fbull},
    {FORMAT_ASTC_10x5_UNORM_BLOCK, 0x3fd0369939fe6ef6ull},     {FORMAT_ASTC_10x5_SRGB_BLOCK, 0x79f77b2c1ed8883full},
    {FORMAT_ASTC_10x6_UNORM_BLOCK, 0xc7ae265310923b72ull},     {FORMAT_ASTC_10x6_SRGB_BLOCK, 0x800d8226dc883556ull},
    {FORMAT_ASTC_10x8_UNORM_BLOCK, 0x46a96a63ce4d69a0ull},     {FORMAT_ASTC_10x8_SRGB_BLOCK, 0xdb9ebeffa1d33891ull},
    {FORMAT_ASTC_10x10_UNORM_BLOCK, 0xf860cfcfaf6b08c7ull},    {FORMAT_ASTC_10x10_SRGB_BLOCK, 0x1f41a38d7c344a44ull},
    {FORMAT_ASTC_12x10_UNORM_BLOCK, 0x18973a25b5560f28ull},    {FORMAT_ASTC_12x10_SRGB_BLOCK, 0xbb8b36a10f4698b5ull},
    {FORMAT_ASTC_12x12_UNORM_BLOCK, 0x96e85d4a56a5d3b6ull},    {FORMAT_ASTC_12x12_SRGB_BLOCK, 0x4f4c3f736ecd3758ull},
};

static void all_blocks_are_what_the_judges_confirmed(void **state)
{
    unsigned judged = 0;
    for (unsigned i = 0; i < format_count; i++) {
        uint8_t compression = format_info_at(i)->compression;
        judged += compression == FORMAT_COMPRESSION_ETC2 || compression == FORMAT_COMPRESSION_EAC ||
                  compression == FORMAT_COMPRESSION_ASTC_LDR;
    }
    assert_int_equal(judged, ARRAY_SIZE(confirmed));
    for (unsigned i = 0; i < ARRAY_SIZE(confirmed); i++) {
        const struct format_info *info = format_info(confirmed[i].format);
        uint64_t found = digest_blocks(info);
        if (found != confirmed[i].digest)
            fail_msg("%s: 0x%llx", info->name, (unsigned long long)found);
    }
}

/* ---- one answer by every call ---- */

static void floats_are_the_plain_texels_unpacked(void **state)
{
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        enum format plain = format_block_texel_format(info->format);
        if (plain == FORMAT_UNDEFINED)
            continue;
        size_t texels = (size_t)info->block_width * info->block_height;
        blocks_restart();
        for (unsigned number = 0; number < 2000; number++) {
            uint8_t block[16], decoded[FORMAT_BLOCK_MAX_TEXELS * 16], codes[FORMAT_BLOCK_MAX_TEXELS][4];
            float unpacked[FORMAT_BLOCK_MAX_TEXELS][4], floats[FORMAT_BLOCK_MAX_TEXELS][4];
            if (info->compression == FORMAT_COMPRESSION_BC)
                for (unsigned i = 0; i < 16; i++)
                    block[i] = (uint8_t)blocks_random();
            else
                make_block(block, info, number);
            assert_true(format_decode_block(info->format, decoded, block));
            assert_true(format_decode_block_float(info->format, floats, block));
            assert_true(format_unpack_rgba_float(plain, unpacked, decoded, texels));
            for (size_t texel = 0; texel < texels; texel++)
                assert_memory_equal(unpacked[texel], floats[texel], sizeof(floats[texel]));
            if (format_decode_block_unorm8(info->format, codes, block) && format_info(plain)->block_size_B == 4)
                assert_memory_equal(codes, decoded, texels * 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eac_gives_the_numbers_of_the_text),
        cmocka_unit_test(etc2_gives_the_colours_of_the_text),
        cmocka_unit_test(astc_numbers_become_binary16_towards_zero),
        cmocka_unit_test(what_astc_does_not_allow_is_magenta),
        cmocka_unit_test(all_blocks_are_what_the_judges_confirmed),
        cmocka_unit_test(floats_are_the_plain_texels_unpacked),
    };
    return cmocka_run_group_tests_name("format blocks", tests, NULL, NULL);
}
