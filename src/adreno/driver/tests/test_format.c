/* Formats in the hardware's terms, judged by the bytes: whatever number and swap a VkFormat gets, the texels that
 * they name must have the values that util/format reads from the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/driver/format.h"
#include "adreno/hw/texel.h"
#include "util/bits.h"

static uint64_t seed = 1;

static uint32_t next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}

/* Four components as the hardware names them. */
static void read_texel(const struct adreno_texel *texel, const uint8_t *bytes, uint32_t out[4])
{
    const struct format_codec *codec = format_codec(texel->format);
    const void *src = bytes;
    uint32_t raw[4];
    if (codec->fetch_uint)
        codec->fetch_uint((uint32_t(*)[4])raw, &src, 1);
    else if (codec->fetch_sint)
        codec->fetch_sint((int32_t(*)[4])raw, &src, 1);
    else
        codec->fetch_float((float(*)[4])raw, &src, 1);
    for (unsigned i = 0; i < texel->channels; i++)
        out[texel->names[i]] = raw[texel->components[i]];
}

static void check_bytes(const struct adreno_vkformat *row, uint8_t number)
{
    const struct format_codec *codec = format_codec(row->info->format);
    struct adreno_texel texel;
    assert_true(adreno_texel_init(&texel, number, (enum adreno_COLOR_SWAP)row->swap, row->is_srgb));
    assert_int_equal(texel.has_curve, row->is_srgb);
    for (unsigned n = 0; n < 20; n++) {
        uint8_t bytes[16];
        const void *src = bytes;
        uint32_t ours[4] = {0}, theirs[4] = {0};
        for (unsigned i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)(next() & 0x7f); /* no NaN */
        if (codec->fetch_uint)
            codec->fetch_uint((uint32_t(*)[4])ours, &src, 1);
        else if (codec->fetch_sint)
            codec->fetch_sint((int32_t(*)[4])ours, &src, 1);
        else
            codec->fetch_float((float(*)[4])ours, &src, 1);
        read_texel(&texel, bytes, theirs);
        for (unsigned i = 0; i < row->info->channel_count; i++) {
            const unsigned c = row->info->channels[i].component;
            if (c <= FORMAT_COMPONENT_A && ours[c] != theirs[c])
                fail_msg("%s, component %u: %08x, not %08x", row->info->name, c, theirs[c], ours[c]);
        }
    }
}

static void numbers_and_swaps_name_the_same_texels(void **state)
{
    unsigned checked = 0;
    for (unsigned i = 0; i < format_count; i++) {
        const struct adreno_vkformat *row = adreno_vkformat((VkFormat)format_info_at(i)->format);
        if (!row->texture || format_is_compressed(row->info) || format_is_depth_or_stencil(row->info))
            continue;
        if (row->info->layout == FORMAT_LAYOUT_WORDS16) { /* whole words, which shaders scale */
            const struct adreno_format *hw = adreno_format_find(row->texture);
            assert_int_equal(hw->widths[0], 16);
            assert_int_equal(hw->channels, row->info->channel_count);
            continue;
        }
        check_bytes(row, row->texture);
        if (row->color)
            check_bytes(row, row->color);
        checked++;
    }
    assert_true(checked > 60);
}

/* Table 64 to 71 of the specification: what every implementation samples, blends or stores. */
static void formats_that_everyone_must_have(void **state)
{
    static const VkFormat blended[] = {
        VK_FORMAT_R5G6B5_UNORM_PACK16,
        VK_FORMAT_A1R5G5B5_UNORM_PACK16,
        VK_FORMAT_R8_UNORM,
        VK_FORMAT_R8G8_UNORM,
        VK_FORMAT_R8G8B8A8_UNORM,
        VK_FORMAT_R8G8B8A8_SRGB,
        VK_FORMAT_B8G8R8A8_UNORM,
        VK_FORMAT_B8G8R8A8_SRGB,
        VK_FORMAT_A8B8G8R8_UNORM_PACK32,
        VK_FORMAT_A8B8G8R8_SRGB_PACK32,
        VK_FORMAT_R16_SFLOAT,
        VK_FORMAT_R16G16_SFLOAT,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        VK_FORMAT_R16G16B16A16_SFLOAT,
    };
    static const VkFormat vertices[] = {
        VK_FORMAT_R8_UNORM,
        VK_FORMAT_R8_SINT,
        VK_FORMAT_R8G8B8A8_SNORM,
        VK_FORMAT_B8G8R8A8_UNORM,
        VK_FORMAT_R16G16_SNORM,
        VK_FORMAT_R16G16B16A16_UINT,
        VK_FORMAT_R32_SFLOAT,
        VK_FORMAT_R32G32B32_SFLOAT,
        VK_FORMAT_R32G32B32_SINT,
        VK_FORMAT_R32G32B32A32_UINT,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    };
    for (unsigned i = 0; i < ARRAY_SIZE(blended); i++) {
        assert_true(adreno_vkformat(blended[i])->texture);
        assert_true(adreno_vkformat(blended[i])->color);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(vertices); i++)
        assert_true(adreno_vkformat(vertices[i])->vertex);
    assert_int_equal(adreno_vkformat(VK_FORMAT_D16_UNORM)->depth, ADRENO_DEPTH_FORMAT_Z16);
    assert_int_equal(adreno_vkformat(VK_FORMAT_D24_UNORM_S8_UINT)->depth, ADRENO_DEPTH_FORMAT_Z24_S8);
    assert_int_equal(adreno_vkformat(VK_FORMAT_D32_SFLOAT_S8_UINT)->depth, ADRENO_DEPTH_FORMAT_Z32);
}

/* BC, ETC2 and the LDR profile of ASTC: all of them or none, as the features say. */
static void compressed_formats_are_all_there(void **state)
{
    for (unsigned i = 0; i < format_count; i++) {
        const struct format_info *info = format_info_at(i);
        const bool is_offered =
            info->compression == FORMAT_COMPRESSION_BC || info->compression == FORMAT_COMPRESSION_ETC2 ||
            info->compression == FORMAT_COMPRESSION_EAC || info->compression == FORMAT_COMPRESSION_ASTC_LDR;
        const struct adreno_vkformat *row = adreno_vkformat((VkFormat)info->format);
        if (!is_offered)
            continue;
        if (!row->texture)
            fail_msg("%s has no number", info->name);
        const struct adreno_format *hw = adreno_format_find(row->texture);
        assert_int_equal(hw->block_width, info->block_width);
        assert_int_equal(hw->block_height, info->block_height);
        assert_int_equal(hw->block_bits, info->block_size_B * 8);
        assert_int_equal(row->color, 0);
    }
}

static void stencil_is_in_the_first_component(void **state)
{
    const struct adreno_chip *new_chip = adreno_chip_find("adreno-635"), *old_chip = adreno_chip_find("adreno-618");
    struct adreno_texture_format t =
        adreno_texture_format(new_chip, VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, true);
    assert_int_equal(t.number, ADRENO_FORMAT_Z24_UINT_S8_UINT);
    t = adreno_texture_format(old_chip, VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, true);
    assert_int_equal(t.number, ADRENO_FORMAT_8_8_8_8_UINT);
    assert_int_equal(t.swap, ADRENO_COLOR_SWAP_XYZW);
    t = adreno_texture_format(old_chip, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, true);
    assert_int_equal(t.number, ADRENO_FORMAT_8_UINT);
    t = adreno_texture_format(old_chip, VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, false);
    assert_int_equal(t.swap, ADRENO_COLOR_SWAP_WXYZ);
    t = adreno_texture_format(old_chip, VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, true);
    assert_int_equal(t.swap, ADRENO_COLOR_SWAP_WZYX);
}

static void intermediate_formats_lose_nothing(void **state)
{
    static const struct {
        VkFormat format;
        enum adreno_IFMT_2D ifmt;
    } facts[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, ADRENO_IFMT_2D_UNORM8},
        {VK_FORMAT_R8G8B8A8_SRGB, ADRENO_IFMT_2D_UNORM8_SRGB},
        {VK_FORMAT_R8_SNORM, ADRENO_IFMT_2D_SNORM8},
        {VK_FORMAT_R5G6B5_UNORM_PACK16, ADRENO_IFMT_2D_UNORM8},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, ADRENO_IFMT_2D_FLOAT16},
        {VK_FORMAT_R16_UNORM, ADRENO_IFMT_2D_FLOAT32},
        {VK_FORMAT_R16G16_SFLOAT, ADRENO_IFMT_2D_FLOAT16},
        {VK_FORMAT_R32_SFLOAT, ADRENO_IFMT_2D_FLOAT32},
        {VK_FORMAT_R8_UINT, ADRENO_IFMT_2D_INT8},
        {VK_FORMAT_R16_SINT, ADRENO_IFMT_2D_INT16},
        {VK_FORMAT_R32G32B32A32_UINT, ADRENO_IFMT_2D_INT32},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(facts); i++) {
        const struct adreno_vkformat *row = adreno_vkformat(facts[i].format);
        assert_int_equal(adreno_ifmt(adreno_format_find(row->color), row->is_srgb), facts[i].ifmt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_swaps_name_the_same_texels), cmocka_unit_test(formats_that_everyone_must_have),
        cmocka_unit_test(compressed_formats_are_all_there),       cmocka_unit_test(stencil_is_in_the_first_component),
        cmocka_unit_test(intermediate_formats_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
