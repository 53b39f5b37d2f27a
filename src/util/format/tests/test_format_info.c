/* The table of formats as programs see it; its contents are judged by judge_vk_xml.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vulkan_core.h>

#include "util/bits.h"
#include "util/format/format.h"

static void numbers_are_those_of_vulkan(void **state)
{
    static const struct {
        enum format ours;
        VkFormat vulkan;
    } pairs[] = {
        {FORMAT_UNDEFINED, VK_FORMAT_UNDEFINED},
        {FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB},
        {FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_B10G11R11_UFLOAT_PACK32},
        {FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT},
        {FORMAT_ASTC_12x12_SRGB_BLOCK, VK_FORMAT_ASTC_12x12_SRGB_BLOCK},
        {FORMAT_G16_B16_R16_3PLANE_444_UNORM, VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM},
        {FORMAT_ASTC_12x12_SFLOAT_BLOCK, VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK},
        {FORMAT_G16_B16R16_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM},
        {FORMAT_A4B4G4R4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++)
        assert_int_equal(pairs[i].ours, pairs[i].vulkan);
    assert_int_equal(FORMAT_ASPECT_COLOR, VK_IMAGE_ASPECT_COLOR_BIT);
    assert_int_equal(FORMAT_ASPECT_STENCIL, VK_IMAGE_ASPECT_STENCIL_BIT);
    assert_int_equal(FORMAT_ASPECT_PLANE_2, VK_IMAGE_ASPECT_PLANE_2_BIT);
}

static void every_row_is_found_by_its_number(void **state)
{
    assert_int_equal(format_count, 241);
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        assert_ptr_equal(format_info(info->format), info);
        assert_string_equal(format_name(info->format), info->name);
        assert_memory_equal(info->name, "VK_FORMAT_", 10);
    }
    assert_null(format_info_at(format_count));
}

static void other_numbers_are_no_formats(void **state)
{
    static const uint32_t none[] = {185,        186,        1000054000, 1000066014, 1000065999, 1000155999, 1000156034,
                                    1000330004, 1000340002, 1000464000, 0x7fffffff, 0xffffffff, 0x80000000};
    for (unsigned i = 0; i < ARRAY_SIZE(none); i++) {
        assert_null(format_info((enum format)none[i]));
        assert_string_equal(format_name((enum format)none[i]), "VK_FORMAT_<unknown>");
        assert_non_null(format_codec((enum format)none[i]));
        assert_null(format_codec((enum format)none[i])->fetch_float);
    }
}

static void rows_say_what_formats_are(void **state)
{
    const struct format_info *info = format_info(FORMAT_B5G6R5_UNORM_PACK16);
    assert_int_equal(info->layout, FORMAT_LAYOUT_PACKED);
    assert_int_equal(info->channels[0].component, FORMAT_COMPONENT_R); /* from the lowest bit */
    assert_int_equal(info->channels[0].low_bit, 0);
    assert_int_equal(info->channels[1].low_bit, 5);
    assert_int_equal(info->channels[1].bits, 6);
    assert_int_equal(info->class, format_info(FORMAT_R16_SFLOAT)->class);

    info = format_info(FORMAT_D24_UNORM_S8_UINT);
    assert_int_equal(info->aspects, FORMAT_ASPECT_DEPTH | FORMAT_ASPECT_STENCIL);
    assert_int_equal(info->depth_format, FORMAT_X8_D24_UNORM_PACK32);
    assert_int_equal(info->stencil_format, FORMAT_S8_UINT);
    assert_true(format_is_depth_or_stencil(info));

    info = format_info(FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16);
    assert_int_equal(info->plane_count, 2);
    assert_int_equal(info->planes[1].format, FORMAT_R10X6G10X6_UNORM_2PACK16);
    assert_int_equal(info->planes[1].width_divisor, 2);
    assert_int_equal(info->planes[1].height_divisor, 2);
    assert_int_equal(info->aspects, FORMAT_ASPECT_COLOR | FORMAT_ASPECT_PLANE_0 | FORMAT_ASPECT_PLANE_1);

    info = format_info(FORMAT_ASTC_10x8_SRGB_BLOCK);
    assert_true(format_is_compressed(info) && format_is_srgb(info));
    assert_int_equal(info->block_width, 10);
    assert_int_equal(info->block_height, 8);
    assert_int_equal(info->linear_format, FORMAT_ASTC_10x8_UNORM_BLOCK);
    assert_int_equal(format_srgb_of(FORMAT_ASTC_10x8_UNORM_BLOCK), info->format);
    assert_int_equal(format_srgb_of(FORMAT_R16_UNORM), FORMAT_UNDEFINED);

    info = format_info(FORMAT_E5B9G9R9_UFLOAT_PACK32);
    assert_int_equal(info->component_count, 3);
    assert_int_equal(info->channels[3].component, FORMAT_COMPONENT_E);
    assert_int_equal(info->planes[0].format, FORMAT_E5B9G9R9_UFLOAT_PACK32);
}

/* A plane's texels are the format's bytes: the planes of one texel add up to it, and their channels to its channels. */
static void planes_add_up(void **state)
{
    unsigned checked = 0;
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        if (info->plane_count < 2)
            continue;
        unsigned size_B = 0, channels = 0;
        for (unsigned plane = 0; plane < info->plane_count; plane++) {
            const struct format_info *plane_info = format_info(info->planes[plane].format);
            size_B += plane_info->block_size_B;
            channels += plane_info->channel_count;
            for (unsigned c = 0, at = 0; c < info->channel_count; c++) {
                if (info->channels[c].plane != plane)
                    continue;
                /* The plane's first channel carries what the format calls by another component. */
                assert_int_equal(info->channels[c].bits, plane_info->channels[at].bits);
                assert_int_equal(info->channels[c].low_bit, plane_info->channels[at].low_bit);
                at++;
            }
        }
        assert_int_equal(size_B, info->block_size_B);
        assert_int_equal(channels, info->channel_count);
        checked++;
    }
    assert_int_equal(checked, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_vulkan),
        cmocka_unit_test(every_row_is_found_by_its_number),
        cmocka_unit_test(other_numbers_are_no_formats),
        cmocka_unit_test(rows_say_what_formats_are),
        cmocka_unit_test(planes_add_up),
    };
    return cmocka_run_group_tests_name("format table", tests, NULL, NULL);
}
