/* Formats in the hardware's terms, judged by the bytes: whatever number and order a VkFormat gets, the texels that
 * they name must have the values that util/format reads from the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali/driver/format.h"
#include "util/bits.h"

static uint64_t seed = 1;

static uint32_t next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}

static void read_codec(enum format format, const uint8_t *bytes, uint32_t out[4])
{
    const struct format_codec *codec = format_codec(format);
    const void *src = bytes;
    if (codec->fetch_uint)
        codec->fetch_uint((uint32_t(*)[4])out, &src, 1);
    else if (codec->fetch_sint)
        codec->fetch_sint((int32_t(*)[4])out, &src, 1);
    else
        codec->fetch_float((float(*)[4])out, &src, 1);
}

/* Which component each of the hardware's channels is, by the letters of the order's own name. */
static const char *order_name(unsigned order)
{
    static const struct {
        unsigned order;
        const char *name;
    } names[] = {
        {MALI_RGB_ORDER_RGBA, "rgba"}, {MALI_RGB_ORDER_GRBA, "grba"}, {MALI_RGB_ORDER_BGRA, "bgra"},
        {MALI_RGB_ORDER_ARGB, "argb"}, {MALI_RGB_ORDER_AGRB, "agrb"}, {MALI_RGB_ORDER_ABGR, "abgr"},
        {MALI_RGB_ORDER_RGB1, "rgb1"}, {MALI_RGB_ORDER_GRB1, "grb1"}, {MALI_RGB_ORDER_BGR1, "bgr1"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (names[i].order == order)
            return names[i].name;
    }
    fail_msg("order %u", order);
    return "";
}

/* Four components as the hardware names them. */
static void read_texel(struct mali_pixel_format pixel, const uint8_t *bytes, uint32_t out[4])
{
    const struct mali_format *hw = mali_format_find(pixel.number);
    const enum format codec = pixel.is_srgb ? format_srgb_of(hw->codec) : hw->codec;
    const struct format_info *info = format_info(codec);
    const char *names = order_name(pixel.order);
    uint32_t raw[4];
    read_codec(codec, bytes, raw);
    unsigned low_bit = 0;
    for (unsigned i = 0; i < hw->channels; low_bit += hw->widths[i++]) {
        static const char letters[] = "rgba";
        const char *at = strchr(letters, hw->letters[i]);
        for (unsigned n = 0; at && n < info->channel_count; n++) {
            if (info->channels[n].low_bit != low_bit || info->channels[n].component > FORMAT_COMPONENT_A)
                continue;
            const char *to = strchr(letters, names[at - letters]);
            assert_non_null(to);
            out[to - letters] = raw[info->channels[n].component];
        }
    }
}

static void check_bytes(const struct mali_vkformat *row, struct mali_pixel_format pixel)
{
    for (unsigned n = 0; n < 20; n++) {
        uint8_t bytes[16];
        uint32_t ours[4] = {0}, theirs[4] = {0};
        for (unsigned i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)(next() & 0x7f); /* no NaN */
        read_codec(row->info->format, bytes, ours);
        read_texel(pixel, bytes, theirs);
        for (unsigned i = 0; i < row->info->channel_count; i++) {
            const unsigned c = row->info->channels[i].component;
            if (c <= FORMAT_COMPONENT_A && ours[c] != theirs[c])
                fail_msg("%s, component %u: %08x, not %08x", row->info->name, c, theirs[c], ours[c]);
        }
    }
}

static void numbers_and_orders_name_the_same_texels(void **state)
{
    unsigned checked = 0;
    for (unsigned i = 0; i < format_count; i++) {
        const struct mali_vkformat *row = mali_vkformat((VkFormat)format_info_at(i)->format);
        if (!row->texture.number || format_is_compressed(row->info) || format_is_depth_or_stencil(row->info))
            continue;
        check_bytes(row, row->texture);
        if (row->color.cell_B && !row->color.is_blended)
            check_bytes(row, row->color.conversion);
        checked++;
    }
    assert_true(checked > 60);
}

/* Channel by channel: what the writeback puts where the format has it. */
static void the_writeback_has_the_formats_order(void **state)
{
    static const struct {
        VkFormat format;
        uint8_t swizzle[4];
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, {MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B, MALI_CHANNEL_A}},
        {VK_FORMAT_B8G8R8A8_SRGB, {MALI_CHANNEL_B, MALI_CHANNEL_G, MALI_CHANNEL_R, MALI_CHANNEL_A}},
        {VK_FORMAT_B4G4R4A4_UNORM_PACK16, {MALI_CHANNEL_A, MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B}},
        {VK_FORMAT_R5G6B5_UNORM_PACK16, {MALI_CHANNEL_B, MALI_CHANNEL_G, MALI_CHANNEL_R, MALI_CHANNEL_A}},
        {VK_FORMAT_R5G5B5A1_UNORM_PACK16, {MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B, MALI_CHANNEL_A}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        assert_memory_equal(mali_vkformat(rows[i].format)->color.swizzle, rows[i].swizzle, 4);
}

/* Tables of the specification: what every implementation samples, blends or fetches. */
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
        assert_true(mali_vkformat(blended[i])->texture.number);
        assert_true(mali_vkformat(blended[i])->color.is_blended);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(vertices); i++)
        assert_true(mali_vkformat(vertices[i])->attribute.number);
    assert_int_equal(mali_vkformat(VK_FORMAT_D16_UNORM)->zs, MALI_ZS_FORMAT_D16);
    assert_int_equal(mali_vkformat(VK_FORMAT_D24_UNORM_S8_UINT)->zs, MALI_ZS_FORMAT_D24S8);
    assert_int_equal(mali_vkformat(VK_FORMAT_D32_SFLOAT_S8_UINT)->s, MALI_S_FORMAT_S8);
}

static void compressed_formats_are_all_there(void **state)
{
    for (unsigned i = 0; i < format_count; i++) {
        const struct format_info *info = format_info_at(i);
        const bool is_offered =
            info->compression == FORMAT_COMPRESSION_BC || info->compression == FORMAT_COMPRESSION_ETC2 ||
            info->compression == FORMAT_COMPRESSION_EAC || info->compression == FORMAT_COMPRESSION_ASTC_LDR;
        const struct mali_vkformat *row = mali_vkformat((VkFormat)info->format);
        if (!is_offered)
            continue;
        if (!row->plane_type || !row->texture.number)
            fail_msg("%s has no number", info->name);
        assert_int_equal(row->texture.is_srgb, format_is_srgb(info));
        if (row->plane_type == MALI_PLANE_TYPE_GENERIC)
            assert_int_equal(mali_clump_find(row->clump)->size_B, info->block_size_B);
    }
    assert_true(mali_texture_format(VK_FORMAT_BC1_RGB_SRGB_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT).is_opaque);
    assert_false(mali_texture_format(VK_FORMAT_BC1_RGBA_SRGB_BLOCK, VK_IMAGE_ASPECT_COLOR_BIT).is_opaque);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_orders_name_the_same_texels),
        cmocka_unit_test(the_writeback_has_the_formats_order),
        cmocka_unit_test(formats_that_everyone_must_have),
        cmocka_unit_test(compressed_formats_are_all_there),
    };
    return cmocka_run_group_tests_name("mali formats", tests, NULL, NULL);
}
