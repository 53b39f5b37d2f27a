/* Layouts of random images, the descriptors of their views, and values of clears: what descriptors say must lie inside
 * of the image, and no two subresources may share a byte. */
#include <drm_fourcc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/driver/image.h"
#include "mali/driver/sampler.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

#define BASE_VA 0x100000000ull
#define PLANES_VA 0x200000000ull

static uint64_t seed = 1;

static uint32_t next(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static const VkFormat format_list[] = {
    VK_FORMAT_R8_UNORM,
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
};

static VkImageCreateInfo random_info(void)
{
    const VkFormat format = format_list[next(ARRAY_SIZE(format_list))];
    const struct format_info *row = format_info((enum format)format);
    const bool is_plain = !format_is_compressed(row), is_depth = format_is_depth_or_stencil(row);
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = is_plain && !is_depth && next(5) == 0 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {1 + next(600), 1 + next(600), 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = is_depth || next(4) ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | (next(2) ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : 0),
    };
    if (info.imageType == VK_IMAGE_TYPE_3D)
        info.extent.depth = 1 + next(30);
    else
        info.arrayLayers = 1 + next(5);
    if (is_plain && info.imageType == VK_IMAGE_TYPE_2D && next(4) == 0)
        info.samples = VK_SAMPLE_COUNT_4_BIT;
    else
        info.mipLevels = 1 + next(log2_floor(MAX2(info.extent.width, info.extent.height)) + 1);
    return info;
}

static void make_image(const VkImageCreateInfo *info, struct mali_image *image)
{
    memset(image, 0, sizeof(*image));
    vk_image_init(NULL, &image->vk, info);
    assert_int_equal(mali_image_layout(image, info->pNext), VK_SUCCESS);
    for (unsigned i = 0; i < VK_IMAGE_MAX_PLANES; i++)
        image->vk.memory[i].va = BASE_VA;
}

/* Slices, layers and levels end before the next one begins. */
static void check_places(const struct mali_image *image, unsigned number)
{
    const struct mali_surface *surface = &image->planes[number].surface;
    uint64_t end = BASE_VA + image->planes[number].offset_B;
    for (uint32_t layer = 0; layer < image->vk.layers; layer++) {
        for (uint32_t level = 0; level < image->vk.levels; level++) {
            const uint64_t va = mali_image_va(image, number, level, 0) + layer * surface->layer_B;
            assert_true(va >= end);
            assert_int_equal(va % MALI_SURFACE_ALIGN_B, 0);
            end = va + surface->levels[level].size_B;
        }
    }
    assert_true(end <= BASE_VA + image->vk.size_B);
}

static VkImageAspectFlags aspect_of(const struct mali_image *image, unsigned number)
{
    const struct format_info *row = image->vk.format_info;
    return !format_is_depth_or_stencil(row)                        ? VK_IMAGE_ASPECT_COLOR_BIT
           : number || !(row->aspects & VK_IMAGE_ASPECT_DEPTH_BIT) ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                   : VK_IMAGE_ASPECT_DEPTH_BIT;
}

static void check_plane(const struct mali_image *image, const struct mali_texture_info *info, uint32_t level,
                        uint32_t layer, const uint32_t words[MALI_DESCRIPTOR_DW])
{
    const struct mali_desc_PLANE d = mali_unpack_desc_PLANE(words);
    const struct mali_surface_level *at = &image->planes[info->plane].surface.levels[level];
    assert_int_equal(d.TYPE, MALI_DESCRIPTOR_TYPE_PLANE);
    assert_int_equal(d.POINTER, mali_image_va(image, info->plane, level, layer));
    assert_int_equal(d.ROW_STRIDE, at->row_B);
    assert_int_equal(d.WIDTH, MAX2(image->vk.extent.width >> level, 1u));
    assert_true(d.POINTER + d.SIZE <= BASE_VA + image->vk.size_B);
    assert_int_equal(d.PLANE_TYPE == MALI_PLANE_TYPE_AFBC, mali_image_is_compressed(image));
    if (d.PLANE_TYPE == MALI_PLANE_TYPE_AFBC) /* the last body ends where the level does */
        assert_true(d.AFBC_HEADER_STRIDE % 128 == 0 && d.AFBC_HEADER_STRIDE < d.SIZE);
    if (d.PLANE_TYPE == MALI_PLANE_TYPE_GENERIC)
        assert_int_equal(mali_clump_find(d.CLUMP_FORMAT)->size_B,
                         mali_vkformat(image->planes[info->plane].format)->element_B);
}

static void check_view(const struct mali_image *image, unsigned number)
{
    const bool is_volume = image->vk.type == VK_IMAGE_TYPE_3D;
    struct mali_texture_info info = {
        .image = image,
        .plane = number,
        .format = image->vk.format,
        .aspect = aspect_of(image, number),
        .type = is_volume ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .base_level = next(image->vk.levels),
        .base_layer = next(image->vk.layers),
        .components = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A},
    };
    info.level_count = 1 + next(image->vk.levels - info.base_level);
    info.layer_count = 1 + next(image->vk.layers - info.base_layer);
    const uint32_t count = mali_texture_planes(&info);
    uint32_t *planes = calloc(count, MALI_DESCRIPTOR_B), words[MALI_DESCRIPTOR_DW];
    assert_non_null(planes);
    mali_texture_words(&info, PLANES_VA, planes, words);
    const struct mali_desc_TEXTURE d = mali_unpack_desc_TEXTURE(words);
    assert_int_equal(d.SURFACES, PLANES_VA);
    assert_int_equal(d.LEVELS, info.level_count);
    assert_int_equal(d.ARRAY_SIZE, is_volume ? 1 : info.layer_count);
    assert_int_equal(d.LEVELS * d.ARRAY_SIZE, count);
    assert_int_equal(d.DEPTH, is_volume ? MAX2(image->vk.extent.depth >> info.base_level, 1u) : 1);
    for (uint32_t i = 0; i < count; i++)
        check_plane(image, &info, info.base_level + i % info.level_count,
                    is_volume ? 0 : info.base_layer + i / info.level_count, planes + i * MALI_DESCRIPTOR_DW);
    free(planes);
}

static void images_and_their_views_fit(void **state)
{
    for (unsigned n = 0; n < 2000; n++) {
        const VkImageCreateInfo info = random_info();
        struct mali_image image;
        make_image(&info, &image);
        for (unsigned i = 0; i < image.plane_count; i++) {
            check_places(&image, i);
            check_view(&image, i);
        }
    }
}

static void modifiers_name_layouts(void **state)
{
    static const struct {
        uint64_t modifier;
        enum mali_layout layout;
    } rows[] = {
        {DRM_FORMAT_MOD_LINEAR, MALI_LAYOUT_LINEAR},
        {DRM_FORMAT_MOD_ARM_16X16_BLOCK_U_INTERLEAVED, MALI_LAYOUT_TILED},
        {DRM_FORMAT_MOD_ARM_AFBC(AFBC_FORMAT_MOD_BLOCK_SIZE_16x16 | AFBC_FORMAT_MOD_SPARSE | AFBC_FORMAT_MOD_YTR),
         MALI_LAYOUT_AFBC}};
    static const uint64_t pitches[] = {640, 128 * 4 * 16, 128 * 4};
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        VkSubresourceLayout pitch = {.offset = 4096, .rowPitch = pitches[i]};
        VkImageDrmFormatModifierExplicitCreateInfoEXT one = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
            .drmFormatModifier = rows[i].modifier,
            .drmFormatModifierPlaneCount = 1,
            .pPlaneLayouts = &pitch,
        };
        VkImageCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .pNext = &one,
            .imageType = VK_IMAGE_TYPE_2D,
            .format = VK_FORMAT_R8G8B8A8_UNORM,
            .extent = {128, 70, 1},
            .mipLevels = 1,
            .arrayLayers = 1,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
            .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
        };
        struct mali_image image;
        make_image(&info, &image);
        assert_int_equal(image.vk.modifier, rows[i].modifier);
        assert_int_equal(image.planes[0].layout, rows[i].layout);
        assert_int_equal(image.planes[0].offset_B, 4096);
        assert_int_equal(mali_image_pitch_B(&image, 0, 0), pitch.rowPitch);
        pitch.rowPitch = 64; /* less than a row */
        memset(&image, 0, sizeof(image));
        vk_image_init(NULL, &image.vk, &info);
        assert_int_equal(mali_image_layout(&image, &one), VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
    }
}

/* Attachments that nothing stores to and nothing sees as something else. */
static void some_images_are_compressed(void **state)
{
    const VkImageUsageFlags target = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    static const VkFormat curve[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB}, bits[] = {VK_FORMAT_R32_UINT};
    const struct {
        VkFormat format;
        VkImageUsageFlags usage;
        const VkFormat *views; /* of a mutable one */
        uint32_t view_count, width;
        bool is_compressed;
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, target, NULL, 0, 64, true},
        {VK_FORMAT_R8G8B8A8_SRGB, target, curve, 2, 64, true},
        {VK_FORMAT_R8_UNORM, target, NULL, 0, 64, true},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, target, NULL, 0, 64, true},
        {VK_FORMAT_R8G8B8A8_UNORM, target, bits, 1, 64, false},
        {VK_FORMAT_R8G8B8A8_UNORM, target, bits, 0, 64, false},
        {VK_FORMAT_R8G8B8A8_UNORM, target | VK_IMAGE_USAGE_STORAGE_BIT, NULL, 0, 64, false},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, NULL, 0, 64, false},
        {VK_FORMAT_R8G8B8A8_UNORM, target, NULL, 0, 15, false},
        {VK_FORMAT_B8G8R8A8_UNORM, target, NULL, 0, 64, false},
        {VK_FORMAT_R16G16B16A16_SFLOAT, target, NULL, 0, 64, false},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                                  .viewFormatCount = rows[i].view_count,
                                                  .pViewFormats = rows[i].views};
        const VkImageCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .pNext = rows[i].view_count ? &list : NULL,
            .flags = rows[i].views ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT : 0,
            .imageType = VK_IMAGE_TYPE_2D,
            .format = rows[i].format,
            .extent = {rows[i].width, 70, 1},
            .mipLevels = 1,
            .arrayLayers = 1,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .tiling = VK_IMAGE_TILING_OPTIMAL,
            .usage = rows[i].usage,
        };
        struct mali_image image;
        make_image(&info, &image);
        assert_int_equal(mali_image_is_compressed(&image), rows[i].is_compressed);
        const struct mali_target at = mali_image_target(&image, info.format, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
        assert_int_equal(mali_target_is_compressed(&at), rows[i].is_compressed);
        if (rows[i].is_compressed) { /* four superblocks a row, five rows */
            assert_int_equal(at.row_B, 4 * 16);
            assert_int_equal(at.surface_B, align_u64(4 * 5 * 16, 128));
            assert_int_equal(mali_image_pitch_B(&image, 0, 0), 64 * mali_vkformat(info.format)->element_B);
        }
    }
}

static void clears_are_as_the_tile_buffer_has_them(void **state)
{
    uint32_t words[4];
    const VkClearColorValue color = {.float32 = {1.0f, 0.5f, 0.0f, 1.0f}};
    mali_clear_color(VK_FORMAT_R8G8B8A8_UNORM, &color, words);
    assert_int_equal(words[0], 0xff0080ff);
    assert_int_equal(words[3], 0xff0080ff);
    mali_clear_color(VK_FORMAT_B8G8R8A8_UNORM, &color, words); /* the writeback swizzles */
    assert_int_equal(words[0], 0xff0080ff);
    mali_clear_color(VK_FORMAT_R8G8B8A8_SRGB, &color, words);
    assert_int_equal(words[0], 0xff00bcff);
    mali_clear_color(VK_FORMAT_R5G6B5_UNORM_PACK16, &color, words); /* 5.5, 6.4, 5.5, no alpha */
    assert_int_equal(words[0], 31u << 5 | 32u << 14);
    mali_clear_color(VK_FORMAT_R16_SFLOAT, &color, words);
    assert_int_equal(words[2], 0x3c003c00);
    const VkClearColorValue whole = {.uint32 = {1, 2, 3, 4}};
    mali_clear_color(VK_FORMAT_R32G32B32A32_UINT, &whole, words);
    assert_memory_equal(words, whole.uint32, 16);
    mali_clear_color(VK_FORMAT_R8_UINT, &whole, words);
    assert_int_equal(words[3], 0x01010101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_and_their_views_fit),
        cmocka_unit_test(modifiers_name_layouts),
        cmocka_unit_test(some_images_are_compressed),
        cmocka_unit_test(clears_are_as_the_tile_buffer_has_them),
    };
    return cmocka_run_group_tests_name("mali images", tests, NULL, NULL);
}
