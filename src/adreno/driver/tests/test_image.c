/* Layouts of 2,000 images, and the descriptors of their views: where the hardware finds the levels of a view by its own
 * rules must be where the layout has put them. */
#include <drm_fourcc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/driver/image.h"
#include "adreno/driver/sampler.h"
#include "adreno/hw/descriptors.h"
#include "util/bits.h"

static uint64_t seed = 1;

static uint32_t next(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static const VkFormat format_list[] = {
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R5G6B5_UNORM_PACK16,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_B8G8R8A8_SRGB,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_BC1_RGB_UNORM_BLOCK,
    VK_FORMAT_ASTC_6x5_UNORM_BLOCK,
    VK_FORMAT_D16_UNORM,
    VK_FORMAT_D24_UNORM_S8_UINT,
    VK_FORMAT_D32_SFLOAT_S8_UINT,
    VK_FORMAT_S8_UINT,
    VK_FORMAT_R8_SNORM,
    VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
    VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
};

static VkImageCreateInfo random_info(void)
{
    const VkFormat format = format_list[next(ARRAY_SIZE(format_list))];
    const struct format_info *row = format_info((enum format)format);
    const bool is_plain = row->plane_count <= 1 && !format_is_compressed(row);
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = is_plain && !format_is_depth_or_stencil(row) && next(5) == 0 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {1 + next(600), 1 + next(600), 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = format_is_depth_or_stencil(row) || next(4) ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | (next(3) == 0 ? VK_IMAGE_USAGE_STORAGE_BIT : 0),
    };
    if (row->plane_count > 1) {
        info.extent.width = (info.extent.width + 1) & ~1u;
        info.extent.height = (info.extent.height + 1) & ~1u;
        return info;
    }
    if (info.imageType == VK_IMAGE_TYPE_3D)
        info.extent.depth = 1 + next(30);
    else
        info.arrayLayers = 1 + next(5);
    if (is_plain && info.imageType == VK_IMAGE_TYPE_2D && next(4) == 0)
        info.samples = (VkSampleCountFlagBits)(2u << next(2));
    else
        info.mipLevels = 1 + next(log2_floor(MAX2(info.extent.width, info.extent.height)) + 1);
    return info;
}

static void make_image(const struct adreno_chip *chip, const VkImageCreateInfo *info, struct adreno_image *image)
{
    memset(image, 0, sizeof(*image));
    vk_image_init(NULL, &image->vk, info);
    assert_int_equal(adreno_image_layout(chip, &(const struct adreno_layout_options){0}, image, info->pNext),
                     VK_SUCCESS);
    for (unsigned i = 0; i < VK_IMAGE_MAX_PLANES; i++)
        image->vk.memory[i].va = 0x100000000ull;
}

/* docs/adreno-textures.md: levels are derived from the base, the pitch and the size of the first one. */
static void check_levels(const struct adreno_image *image, unsigned plane, const uint32_t words[ADRENO_IMAGE_DW],
                         uint32_t base_level, uint32_t count, VkFormat format)
{
    const struct adreno_desc_IMAGE d = adreno_unpack_desc_IMAGE(words);
    const struct adreno_surface *surface = &image->planes[plane].surface;
    const struct format_info *row = format_info((enum format)format);
    const bool is_small = surface->element_B == 1 || (surface->element_B == 2 && adreno_format_is_two_bytes(row));
    uint64_t at = d.BASE;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t width = MAX2(d.WIDTH >> i, 1u), height = MAX2(d.HEIGHT >> i, 1u);
        const uint32_t pitch_B = i ? (uint32_t)align_u64(MAX2(d.PITCH >> i, 1u), 64ull << d.PITCHALIGN) : d.PITCH;
        const bool is_tiled = d.TILE_MODE == ADRENO_TILE_MODE_TILE6_3 && (d.TILE_ALL || width >= 16);
        assert_int_equal(at, adreno_image_va(image, plane, base_level + i, 0));
        assert_int_equal(pitch_B, surface->levels[base_level + i].pitch_B);
        assert_int_equal(is_tiled, surface->levels[base_level + i].is_tiled);
        uint64_t rows = div_round_up(height, row->block_height);
        if (is_tiled)
            rows = align_u64(rows, is_small ? 32 : 16);
        if (d.TYPE == ADRENO_TEX_TYPE_3D)
            at += MAX2(d.ARRAY_PITCH >> 2 * i, d.MIN_LAYERSZ) * (uint64_t)MAX2(d.DEPTH >> i, 1u);
        else
            at += rows * pitch_B;
        if (d.FLAG && is_tiled)
            at = align_u64(at, 4096);
    }
}

static void check_plane(const struct adreno_chip *chip, const struct adreno_image *image, unsigned plane)
{
    const bool is_stencil = image->planes[plane].format == VK_FORMAT_S8_UINT;
    const uint32_t base_level = image->vk.type == VK_IMAGE_TYPE_3D ? 0 : next(image->vk.levels);
    const struct adreno_texture_info info = {
        .image = image,
        .plane = plane,
        .format = image->planes[plane].format,
        .aspect = is_stencil                                          ? VK_IMAGE_ASPECT_STENCIL_BIT
                  : format_is_depth_or_stencil(image->vk.format_info) ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                      : VK_IMAGE_ASPECT_COLOR_BIT,
        .type = image->vk.type == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .base_level = base_level,
        .level_count = image->vk.levels - base_level,
        .layer_count = image->vk.layers,
        .components = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A},
    };
    uint32_t words[ADRENO_IMAGE_DW];
    adreno_texture_words(chip, &info, words);
    check_levels(image, plane, words, base_level, info.level_count, info.format);
}

static void descriptors_find_the_levels_of_layouts(void **state)
{
    static struct adreno_image image;
    for (unsigned n = 0; n < 2000; n++) {
        const struct adreno_chip *chip = &adreno_chips[n % adreno_chip_count];
        const VkImageCreateInfo info = random_info();
        make_image(chip, &info, &image);
        for (unsigned plane = 0; plane < image.plane_count; plane++) {
            check_plane(chip, &image, plane);
            const struct adreno_image_plane *at = &image.planes[plane];
            assert_int_equal(at->offset_B % at->surface.base_align_B, 0);
            if (plane)
                assert_true(at->offset_B >= image.planes[plane - 1].offset_B + image.planes[plane - 1].surface.size_B);
            assert_true(at->offset_B + at->surface.size_B <= image.vk.size_B);
        }
    }
}

static struct adreno_image *with(VkFormat format, VkImageUsageFlags usage, const void *chain)
{
    static struct adreno_image image;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = chain,
        .flags = chain ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT : 0,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {64, 64, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage,
    };
    make_image(adreno_chip_find("adreno-635"), &info, &image);
    return &image;
}

/* An image that two descriptors could see differently is not compressed, and not tiled where the order differs. */
static void views_decide_about_tiling_and_flags(void **state)
{
    const VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT;
    const VkFormat curve[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
    const VkFormat integer[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT};
    const VkFormat turned[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM};
    VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, .viewFormatCount = 2};
    const struct adreno_surface *surface = &with(VK_FORMAT_R8G8B8A8_UNORM, sampled, NULL)->planes[0].surface;
    assert_true(surface->is_tiled && surface->has_ubwc);
    surface = &with(VK_FORMAT_R8G8B8A8_UNORM, sampled | VK_IMAGE_USAGE_STORAGE_BIT, NULL)->planes[0].surface;
    assert_true(surface->is_tiled && !surface->has_ubwc);
    surface = &with(VK_FORMAT_R8G8B8A8_SNORM, sampled, NULL)->planes[0].surface;
    assert_true(surface->is_tiled && !surface->has_ubwc);
    list.pViewFormats = curve;
    surface = &with(VK_FORMAT_R8G8B8A8_UNORM, sampled, &list)->planes[0].surface;
    assert_true(surface->is_tiled && surface->has_ubwc);
    list.pViewFormats = integer;
    surface = &with(VK_FORMAT_R8G8B8A8_UNORM, sampled, &list)->planes[0].surface;
    assert_true(surface->is_tiled && !surface->has_ubwc);
    list.pViewFormats = turned;
    surface = &with(VK_FORMAT_R8G8B8A8_UNORM, sampled, &list)->planes[0].surface;
    assert_true(!surface->is_tiled && !surface->has_ubwc);
    assert_true(with(VK_FORMAT_D32_SFLOAT_S8_UINT, sampled, NULL)->lrz.size_B);
    assert_int_equal(with(VK_FORMAT_S8_UINT, sampled, NULL)->lrz.size_B, 0);
}

static void buffers_of_texels_begin_anywhere(void **state)
{
    uint32_t words[ADRENO_IMAGE_DW];
    adreno_texel_buffer_words(VK_FORMAT_R16G16_UINT, 0x10000 + 52, 400, words);
    const struct adreno_desc_BUFFER d = adreno_unpack_desc_BUFFER(words);
    assert_int_equal(d.BASE, 0x10000);
    assert_int_equal(d.STARTOFFSETTEXELS, 13);
    assert_int_equal(d.NUM_ELEMENTS, 100);
}

static void samplers_are_what_was_asked_for(void **state)
{
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .mipLodBias = -1.5f,
        .compareEnable = VK_TRUE,
        .compareOp = VK_COMPARE_OP_GREATER,
        .minLod = 0.25f,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    struct vk_sampler sampler;
    uint32_t words[ADRENO_SAMPLER_DW];
    vk_sampler_init(NULL, &sampler, &info);
    adreno_sampler_words(&sampler, 9, words);
    const struct adreno_desc_SAMPLER d = adreno_unpack_desc_SAMPLER(words);
    assert_int_equal(d.XY_MAG, ADRENO_TEX_FILTER_LINEAR);
    assert_int_equal(d.XY_MIN, ADRENO_TEX_FILTER_NEAREST);
    assert_true(d.MIPFILTER_LINEAR_NEAR && !d.MIPFILTER_LINEAR_FAR);
    assert_int_equal(d.WRAP_S, ADRENO_TEX_CLAMP_MIRROR_REPEAT);
    assert_int_equal(d.WRAP_T, ADRENO_TEX_CLAMP_CLAMP_TO_BORDER);
    assert_int_equal(d.WRAP_R, ADRENO_TEX_CLAMP_MIRROR_CLAMP);
    assert_int_equal(d.LOD_BIAS, -384);
    assert_int_equal(d.MIN_LOD, 64);
    assert_int_equal(d.MAX_LOD, 4095);
    assert_int_equal(d.COMPARE_FUNC, ADRENO_COMPARE_FUNC_GREATER);
    assert_int_equal(d.BCOLOR, 9);
}

static void borders_have_every_form(void **state)
{
    uint32_t table[ADRENO_FIRST_CUSTOM_BORDER][ADRENO_BORDER_DW];
    adreno_border_table_init(table);
    const struct adreno_desc_BORDER_COLOR white =
        adreno_unpack_desc_BORDER_COLOR(table[VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE]);
    assert_true(white.FP32_R == 1 && white.UI8_G == 255 && white.SI16_B == 32767 && white.FP16_A == 0x3c00);
    assert_true(white.RGB565 == 0xffff && white.RGB10A2 == 0xffffffff && white.Z24 == 0xffffff);
    assert_int_equal(table[VK_BORDER_COLOR_INT_OPAQUE_BLACK][3], 1);
    assert_int_equal(table[VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK][3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_find_the_levels_of_layouts),
        cmocka_unit_test(views_decide_about_tiling_and_flags),
        cmocka_unit_test(buffers_of_texels_begin_anywhere),
        cmocka_unit_test(samplers_are_what_was_asked_for),
        cmocka_unit_test(borders_have_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
