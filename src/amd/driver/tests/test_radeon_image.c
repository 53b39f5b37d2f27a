/* Formats, layouts, descriptors and targets, without a device: a chip's numbers are enough. Sizes beside RADV's are
 * tests/vulkan/tables/image_table.py's; here are the rules that hold for every image, and words checked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_sampler.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_db.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/device/vk_format_properties.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

#define NAVI21_ADDR_CONFIG 0x444
#define BASE_VA 0xffff800100000000ull

static struct radeon_physical_device physical;
static struct ws_device ws;
static struct radeon_device device;

static int setup(void **state)
{
    ws.info.device.num_tcc_blocks = 16;
    physical.ws = device.ws = &ws;
    physical.vk.plain_types = 0xf;
    physical.vk.formats = &radeon_format_ops;
    device.physical = &physical;
    device.vk.alloc = vk_default_allocator;
    return amd_tiling_config_init(&physical.tiling, NAVI21_ADDR_CONFIG) ? 0 : -1;
}

static VkImageCreateInfo image_info(VkFormat format, VkImageType type, uint32_t width, uint32_t height, uint32_t depth)
{
    VkImageCreateInfo info = vk_struct_init(VkImageCreateInfo);
    info.imageType = type;
    info.format = format;
    info.extent = (VkExtent3D){width, height, depth};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return info;
}

static struct radeon_image make_image(const VkImageCreateInfo *info)
{
    struct radeon_image image = {0};
    vk_image_init(&device.vk, &image.vk, info);
    assert_int_equal(radeon_image_layout(&device, &image, info->pNext), VK_SUCCESS);
    image.vk.memory[0].va = BASE_VA;
    for (unsigned i = 0; i < image.plane_count; i++)
        image.vk.memory[i].va = BASE_VA;
    return image;
}

static struct radeon_image_view make_view(struct radeon_image *image, VkImageViewType type, VkFormat format,
                                          VkImageAspectFlags aspect, uint32_t level, uint32_t levels, uint32_t layer,
                                          uint32_t layers)
{
    struct radeon_image_view view;
    VkImageViewCreateInfo info = vk_struct_init(VkImageViewCreateInfo);
    info.image = radeon_image_to_handle(image);
    info.viewType = type;
    info.format = format;
    info.subresourceRange = (VkImageSubresourceRange){aspect, level, levels, layer, layers};
    radeon_image_view_init(&device, &view, &info, NULL);
    return view;
}

static struct amd_desc_IMAGE sampled(const struct radeon_image_view *view)
{
    return amd_unpack_desc_IMAGE(RADEON_GFX, view->sampled[0]);
}

/* ---- formats ---- */

static void known_formats(void **state)
{
    static const struct {
        VkFormat format;
        const char *image;
        uint8_t sel[4], color, number, swap;
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM,
         "8_8_8_8_UNORM",
         {4, 5, 6, 7},
         AMD_COLOR_FORMAT_8_8_8_8,
         AMD_NUMBER_TYPE_UNORM,
         AMD_COMP_SWAP_STD},
        {VK_FORMAT_B8G8R8A8_SRGB,
         "8_8_8_8_SRGB",
         {6, 5, 4, 7},
         AMD_COLOR_FORMAT_8_8_8_8,
         AMD_NUMBER_TYPE_SRGB,
         AMD_COMP_SWAP_ALT},
        {VK_FORMAT_R5G6B5_UNORM_PACK16,
         "5_6_5_UNORM",
         {6, 5, 4, 1},
         AMD_COLOR_FORMAT_5_6_5,
         AMD_NUMBER_TYPE_UNORM,
         AMD_COMP_SWAP_STD_REV},
        {VK_FORMAT_R4G4B4A4_UNORM_PACK16,
         "4_4_4_4_UNORM",
         {7, 6, 5, 4},
         AMD_COLOR_FORMAT_4_4_4_4,
         AMD_NUMBER_TYPE_UNORM,
         AMD_COMP_SWAP_STD_REV},
        {VK_FORMAT_A1R5G5B5_UNORM_PACK16,
         "1_5_5_5_UNORM",
         {6, 5, 4, 7},
         AMD_COLOR_FORMAT_1_5_5_5,
         AMD_NUMBER_TYPE_UNORM,
         AMD_COMP_SWAP_ALT},
        {VK_FORMAT_B5G5R5A1_UNORM_PACK16,
         "5_5_5_1_UNORM",
         {5, 6, 7, 4},
         AMD_COLOR_FORMAT_5_5_5_1,
         AMD_NUMBER_TYPE_UNORM,
         AMD_COMP_SWAP_ALT_REV},
        {VK_FORMAT_A2B10G10R10_UINT_PACK32,
         "2_10_10_10_UINT",
         {4, 5, 6, 7},
         AMD_COLOR_FORMAT_2_10_10_10,
         AMD_NUMBER_TYPE_UINT,
         AMD_COMP_SWAP_STD},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32,
         "10_11_11_FLOAT",
         {4, 5, 6, 1},
         AMD_COLOR_FORMAT_10_11_11,
         AMD_NUMBER_TYPE_FLOAT,
         AMD_COMP_SWAP_STD},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
         "5_9_9_9_FLOAT",
         {4, 5, 6, 1},
         AMD_COLOR_FORMAT_5_9_9_9,
         AMD_NUMBER_TYPE_FLOAT,
         AMD_COMP_SWAP_STD},
        {VK_FORMAT_R32_SFLOAT, "32_FLOAT", {4, 0, 0, 1}, AMD_COLOR_FORMAT_32, AMD_NUMBER_TYPE_FLOAT, AMD_COMP_SWAP_STD},
        {VK_FORMAT_BC1_RGB_UNORM_BLOCK, "BC1_UNORM", {4, 5, 6, 1}, 0, 0, 0},
        {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, "BC1_SRGB", {4, 5, 6, 7}, 0, 0, 0},
        {VK_FORMAT_BC5_SNORM_BLOCK, "BC5_SNORM", {4, 5, 0, 1}, 0, 0, 0},
        {VK_FORMAT_BC6H_SFLOAT_BLOCK, "BC6_SFLOAT", {4, 5, 6, 1}, 0, 0, 0},
        {VK_FORMAT_D32_SFLOAT_S8_UINT, "32_FLOAT", {4, 0, 0, 1}, 0, 0, 0},
        {VK_FORMAT_S8_UINT, "8_UINT", {4, 0, 0, 1}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct radeon_format *format = radeon_format(rows[i].format);
        assert_string_equal(amd_image_format_find(RADEON_GFX, format->image)->name, rows[i].image);
        assert_memory_equal(format->dst_sel, rows[i].sel, 4);
        assert_int_equal(format->color.format, rows[i].color);
        if (!rows[i].color)
            continue;
        assert_int_equal(format->color.number, rows[i].number);
        assert_int_equal(format->color.swap, rows[i].swap);
    }
    assert_int_equal(radeon_format(VK_FORMAT_D16_UNORM_S8_UINT)->depth, AMD_Z_FORMAT_16);
    assert_int_equal(radeon_format(VK_FORMAT_D24_UNORM_S8_UINT)->image, 0);
    assert_int_equal(radeon_format(VK_FORMAT_ASTC_4x4_UNORM_BLOCK)->image, 0);
    assert_null(radeon_format((VkFormat)123456)->info);
}

/* Whatever the table says, an image format must have the size of the Vulkan format's block. */
static void formats_have_their_size(void **state)
{
    unsigned images = 0;
    for (unsigned i = 0; i < format_count; i++) {
        const struct radeon_format *format = radeon_format((VkFormat)format_info_at(i)->format);
        if (!format->image)
            continue;
        const struct amd_image_format *hw = amd_image_format_find(RADEON_GFX, format->image);
        assert_int_equal(hw->block_bits, format->element_B * 8);
        assert_int_equal(hw->block_width, format->info->block_width);
        images++;
    }
    assert_true(images > 100);
}

/* Exports of 16 bits wherever they lose nothing, 32 where the blender or the format needs them. */
static void exports(void **state)
{
    static const struct {
        VkFormat format;
        enum amd_export_format_of_shader plain, blended, with_alpha;
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR},
        {VK_FORMAT_R8_UINT, AMD_EXPORT_UINT16_ABGR, AMD_EXPORT_UINT16_ABGR, AMD_EXPORT_UINT16_ABGR},
        {VK_FORMAT_R16_UNORM, AMD_EXPORT_UNORM16_ABGR, AMD_EXPORT_32_R, AMD_EXPORT_32_AR},
        {VK_FORMAT_R16G16_SNORM, AMD_EXPORT_SNORM16_ABGR, AMD_EXPORT_32_GR, AMD_EXPORT_32_ABGR},
        {VK_FORMAT_R16G16B16A16_UNORM, AMD_EXPORT_UNORM16_ABGR, AMD_EXPORT_32_ABGR, AMD_EXPORT_32_ABGR},
        {VK_FORMAT_R16G16B16A16_SFLOAT, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR},
        {VK_FORMAT_R32_SFLOAT, AMD_EXPORT_32_R, AMD_EXPORT_32_R, AMD_EXPORT_32_AR},
        {VK_FORMAT_R32G32_SINT, AMD_EXPORT_32_GR, AMD_EXPORT_32_GR, AMD_EXPORT_32_ABGR},
        {VK_FORMAT_R32G32B32A32_UINT, AMD_EXPORT_32_ABGR, AMD_EXPORT_32_ABGR, AMD_EXPORT_32_ABGR},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR, AMD_EXPORT_FP16_ABGR},
        {VK_FORMAT_BC1_RGB_UNORM_BLOCK, AMD_EXPORT_ZERO, AMD_EXPORT_ZERO, AMD_EXPORT_ZERO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct radeon_format *format = radeon_format(rows[i].format);
        assert_int_equal(radeon_export_format(format, false, false), rows[i].plain);
        assert_int_equal(radeon_export_format(format, true, false), rows[i].blended);
        assert_int_equal(radeon_export_format(format, true, true), rows[i].with_alpha);
    }
    assert_true(radeon_format_is_int8(radeon_format(VK_FORMAT_R8G8_SINT)));
    assert_true(radeon_format_is_int10(radeon_format(VK_FORMAT_A2B10G10R10_UINT_PACK32)));
    assert_false(radeon_format_is_int8(radeon_format(VK_FORMAT_R8_UNORM)));
}

static void vertex_formats(void **state)
{
    struct amd_vertex_attribute attribute = {0};
    assert_true(radeon_vertex_format(VK_FORMAT_B8G8R8A8_UNORM, &attribute));
    assert_true(attribute.bgra && attribute.channels == 4 && !attribute.split_B);
    assert_true(radeon_vertex_format(VK_FORMAT_R16G16B16_SINT, &attribute));
    assert_string_equal(amd_image_format_find(RADEON_GFX, attribute.format)->name, "16_SINT");
    assert_true(attribute.split_B == 2 && attribute.channels == 3 && attribute.is_int && !attribute.bgra);
    assert_true(radeon_vertex_format(VK_FORMAT_R64G64B64_SFLOAT, &attribute));
    assert_true(attribute.is_64 && attribute.channels == 3);
    assert_true(radeon_vertex_format(VK_FORMAT_R32G32B32_SFLOAT, &attribute));
    assert_string_equal(amd_image_format_find(RADEON_GFX, attribute.format)->name, "32_32_32_FLOAT");
    assert_false(radeon_vertex_format(VK_FORMAT_R8G8B8A8_SRGB, &attribute));
    assert_false(radeon_vertex_format(VK_FORMAT_D32_SFLOAT, &attribute));
    assert_false(radeon_vertex_format(VK_FORMAT_R5G6B5_UNORM_PACK16, &attribute));
}

static void clear_colors(void **state)
{
    uint32_t words[4];
    VkClearColorValue color = {.float32 = {1.0f, 0.0f, 0.5f, 1.0f}};
    assert_true(vk_meta_pack_color(VK_FORMAT_B8G8R8A8_UNORM, &color, words));
    assert_int_equal(words[0], 0xffff0080u);
    assert_true(vk_meta_pack_color(VK_FORMAT_R16G16B16A16_SFLOAT, &color, words));
    assert_int_equal(words[0], 0x00003c00u);
    assert_int_equal(words[1], 0x3c003800u);
    color = (VkClearColorValue){.int32 = {-1, 2, -3, 4}};
    assert_true(vk_meta_pack_color(VK_FORMAT_R8G8B8A8_SINT, &color, words));
    assert_int_equal(words[0], 0x04fd02ffu);
    assert_false(vk_meta_pack_color(VK_FORMAT_BC1_RGB_UNORM_BLOCK, &color, words));
}

/* ---- layouts ---- */

/* A small generator, the same list on every machine. */
static uint32_t next_random(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*seed >> 33) % limit;
}

struct piece {
    uint64_t from_B, to_B;
};

static void add_piece(struct piece *pieces, unsigned *count, uint64_t offset_B, uint64_t size_B, uint32_t align_B)
{
    if (!size_B)
        return;
    assert_int_equal(offset_B % align_B, 0);
    pieces[(*count)++] = (struct piece){offset_B, offset_B + size_B};
}

/* Nothing lies on anything else, nothing beyond the end, and no metadata is in use that nothing keeps up to date. */
static void check_pieces(const struct radeon_image *image)
{
    struct piece pieces[16];
    unsigned count = 0;
    uint64_t pair_B = 8ull * image->vk.levels;
    for (unsigned i = 0; i < image->plane_count; i++) {
        const struct radeon_surface *surface = &image->planes[i].surface;
        if (!(image->has_stencil_surface && surface->offset_B == image->stencil.offset_B))
            add_piece(pieces, &count, surface->offset_B, surface->size_B, surface->align_B);
    }
    if (image->has_stencil_surface)
        add_piece(pieces, &count, image->stencil.offset_B, image->stencil.size_B, image->stencil.align_B);
    add_piece(pieces, &count, image->fmask.offset_B, image->fmask.size_B, image->fmask.align_B);
    add_piece(pieces, &count, image->cmask.range.offset_B, image->cmask.range.size_B, image->cmask.range.align_B);
    add_piece(pieces, &count, image->dcc.range.offset_B, image->dcc.range.size_B, image->dcc.range.align_B);
    add_piece(pieces, &count, image->htile.range.offset_B, image->htile.range.size_B, image->htile.range.align_B);
    add_piece(pieces, &count, image->fce_predicate_offset_B, image->fce_predicate_offset_B ? pair_B : 0, 8);
    add_piece(pieces, &count, image->clear_value_offset_B, image->clear_value_offset_B ? pair_B : 0, 8);
    for (unsigned i = 0; i < count; i++) {
        assert_true(pieces[i].to_B <= image->vk.size_B);
        for (unsigned j = i + 1; j < count; j++)
            assert_true(pieces[i].to_B <= pieces[j].from_B || pieces[j].to_B <= pieces[i].from_B);
    }
    assert_false(image->htile.enabled && !image->htile.range.size_B);
    assert_false(image->dcc.enabled && !image->dcc.range.size_B);
}

static void pieces_do_not_overlap(void **state)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8_UNORM,  VK_FORMAT_R8G8B8A8_UNORM,     VK_FORMAT_R16G16B16A16_SFLOAT,
        VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
        VK_FORMAT_S8_UINT,   VK_FORMAT_BC7_UNORM_BLOCK,
    };
    uint64_t seed = 1;
    unsigned with_metadata = 0;
    for (unsigned i = 0; i < 2000; i++) {
        VkFormat format = formats[next_random(&seed, sizeof(formats) / sizeof(formats[0]))];
        VkImageCreateInfo info =
            image_info(format, VK_IMAGE_TYPE_2D, 1 + next_random(&seed, 1500), 1 + next_random(&seed, 1500), 1);
        info.arrayLayers = 1 + next_random(&seed, 3);
        if (radeon_format(format)->color.format)
            info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
        if (next_random(&seed, 2))
            info.mipLevels = 1 + next_random(&seed, log2_floor(MAX2(info.extent.width, info.extent.height)) + 1);
        else if (radeon_format(format)->color.format || format_is_depth_or_stencil(radeon_format(format)->info))
            info.samples = (VkSampleCountFlagBits)(1u << next_random(&seed, 4));
        struct radeon_image image = make_image(&info);
        check_pieces(&image);
        with_metadata += image.dcc.range.size_B || image.htile.range.size_B || image.fmask.size_B;
    }
    assert_true(with_metadata > 200);
}

static void chosen_swizzles(void **state)
{
    static const struct {
        VkFormat format;
        VkImageType type;
        uint32_t width, height, depth;
        enum amd_swizzle swizzle;
    } rows[] = {
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, 1, 1, 1, AMD_SW_LINEAR},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 30, 30, 1, AMD_SW_4KB_D_X},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 256, 256, 1, AMD_SW_64KB_R_X},
        {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 1024, 1024, 1, AMD_SW_64KB_D_X},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_1D, 16384, 1, 1, AMD_SW_LINEAR},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 64, 64, 64, AMD_SW_64KB_S_X},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 8, 8, 8, AMD_SW_4KB_S_X},
        {VK_FORMAT_D16_UNORM, VK_IMAGE_TYPE_2D, 4, 4, 1, AMD_SW_64KB_Z_X},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        VkImageCreateInfo info = image_info(rows[i].format, rows[i].type, rows[i].width, rows[i].height, rows[i].depth);
        assert_int_equal(make_image(&info).planes[0].surface.swizzle, rows[i].swizzle);
    }
}

/* ---- descriptors ---- */

static void plain_view(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_TYPE_2D, 300, 200, 1);
    info.mipLevels = 4;
    info.arrayLayers = 5;
    struct radeon_image image = make_image(&info);
    struct radeon_image_view view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_B8G8R8A8_UNORM,
                                              VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 2, VK_REMAINING_ARRAY_LAYERS);
    struct amd_desc_IMAGE desc = sampled(&view);
    assert_int_equal(desc.BASE_ADDRESS, (BASE_VA >> 8 & 0xffffffffff) | image.planes[0].surface.pipe_bank_xor);
    assert_int_equal(desc.WIDTH, 299);
    assert_int_equal(desc.HEIGHT, 199);
    assert_int_equal(desc.TYPE, AMD_IMG_TYPE_2D_ARRAY);
    assert_int_equal(desc.BASE_LEVEL, 1);
    assert_int_equal(desc.LAST_LEVEL, 2);
    assert_int_equal(desc.MAX_MIP, 3);
    assert_int_equal(desc.BASE_ARRAY, 2);
    assert_int_equal(desc.DEPTH, 4);
    assert_int_equal(desc.SW_MODE, image.planes[0].surface.swizzle);
    assert_int_equal(desc.DST_SEL_X, AMD_DST_SEL_Z);
    assert_int_equal(desc.DST_SEL_Z, AMD_DST_SEL_X);
    assert_int_equal(desc.BC_SWIZZLE, AMD_BC_SWIZZLE_ZYXW);
    assert_int_equal(desc.COMPRESSION_EN, 0);
}

static void cube_and_volume_views(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 64, 64, 1);
    info.arrayLayers = 12;
    info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    struct radeon_image cube = make_image(&info);
    struct radeon_image_view view =
        make_view(&cube, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 6, 6);
    assert_int_equal(sampled(&view).TYPE, AMD_IMG_TYPE_CUBE);
    assert_int_equal(sampled(&view).BASE_ARRAY, 6);
    assert_int_equal(sampled(&view).DEPTH, 11);
    assert_int_equal(amd_unpack_desc_IMAGE(RADEON_GFX, view.storage[0]).TYPE, AMD_IMG_TYPE_2D_ARRAY);

    info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 64, 32, 20);
    struct radeon_image volume = make_image(&info);
    view = make_view(&volume, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1);
    assert_int_equal(sampled(&view).TYPE, AMD_IMG_TYPE_3D);
    assert_int_equal(sampled(&view).DEPTH, 19);
    /* As a target, each slice is a layer. */
    view = make_view(&volume, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 7, 1);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_VIEW, SLICE_START, view.color.view), 7);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_VIEW, SLICE_MAX, view.color.view), 7);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB3, MIP0_DEPTH, view.color.attrib3), 19);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB3, RESOURCE_TYPE, view.color.attrib3), AMD_RESOURCE_TYPE_3D);
}

static void multisampled_view(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_R16G16_SFLOAT, VK_IMAGE_TYPE_2D, 100, 100, 1);
    info.samples = VK_SAMPLE_COUNT_8_BIT;
    info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    struct radeon_image image = make_image(&info);
    struct radeon_image_view view =
        make_view(&image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R16G16_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1);
    assert_int_equal(sampled(&view).TYPE, AMD_IMG_TYPE_2D_MSAA);
    assert_int_equal(sampled(&view).LAST_LEVEL, 3);
    assert_int_equal(sampled(&view).MAX_MIP, 3);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB, NUM_SAMPLES, view.color.attrib), 3);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB, NUM_FRAGMENTS, view.color.attrib), 3);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_INFO, COMPRESSION, view.color.info), image.fmask_enabled);
}

static void depth_and_stencil_views(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_TYPE_2D, 640, 480, 1);
    info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    info.arrayLayers = 3;
    struct radeon_image image = make_image(&info);
    struct radeon_image_view view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_D32_SFLOAT_S8_UINT,
                                              VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 3);
    assert_int_equal(sampled(&view).BASE_ADDRESS, (BASE_VA + image.stencil.offset_B) >> 8 & 0xffffffffff);
    assert_int_equal(sampled(&view).FORMAT, radeon_format(VK_FORMAT_S8_UINT)->image);
    view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_D32_SFLOAT_S8_UINT,
                     VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 1, 2);
    assert_int_equal(sampled(&view).FORMAT, radeon_format(VK_FORMAT_D32_SFLOAT)->image);
    assert_int_equal(AMD_GET(RADEON_GFX, DB_Z_INFO, FORMAT, view.depth.z_info), AMD_Z_FORMAT_32_FLOAT);
    assert_int_equal(AMD_GET(RADEON_GFX, DB_STENCIL_INFO, FORMAT, view.depth.stencil_info), AMD_STENCIL_FORMAT_8);
    assert_int_equal(AMD_GET(RADEON_GFX, DB_DEPTH_VIEW, SLICE_START, view.depth.depth_view), 1);
    assert_int_equal(AMD_GET(RADEON_GFX, DB_DEPTH_VIEW, SLICE_MAX, view.depth.depth_view), 2);
    assert_int_equal(AMD_GET(RADEON_GFX, DB_DEPTH_SIZE_XY, X_MAX, view.depth.depth_size), 639);
    assert_int_equal(view.depth.stencil_va, BASE_VA + image.stencil.offset_B);
}

static void planar_views(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_TYPE_2D, 101, 51, 1);
    struct radeon_image image = make_image(&info);
    struct radeon_image_view view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                              VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1);
    assert_int_equal(view.plane_count, 2);
    struct amd_desc_IMAGE chroma = amd_unpack_desc_IMAGE(RADEON_GFX, view.sampled[1]);
    assert_int_equal(sampled(&view).WIDTH, 100);
    assert_int_equal(chroma.WIDTH, 50);
    assert_int_equal(chroma.HEIGHT, 25);
    assert_int_equal(chroma.FORMAT, radeon_format(VK_FORMAT_R8G8_UNORM)->image);
    view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8_UNORM, VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 1, 0, 1);
    assert_int_equal(sampled(&view).WIDTH, 50);
    assert_int_equal(sampled(&view).BASE_ADDRESS & ~0xffull,
                     (BASE_VA + image.planes[1].surface.offset_B) >> 8 & 0xffffffff00);
}

/* The hardware's reading of a descriptor: its own surface, whose level must lie on the image's. */
static void check_block_view(struct radeon_image *image, VkFormat raw, uint32_t level, uint32_t layer)
{
    struct radeon_image_view view =
        make_view(image, VK_IMAGE_VIEW_TYPE_2D, raw, VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1);
    struct amd_desc_IMAGE desc = sampled(&view);
    const struct radeon_surface *own = &image->planes[0].surface;
    struct amd_surface blocks, texels;
    assert_true(radeon_image_surface(&device, image, VK_IMAGE_ASPECT_COLOR_BIT, &blocks));
    VkExtent3D extent = vk_image_level_extent(&image->vk, level);
    uint32_t width = div_round_up(extent.width, 4), height = div_round_up(extent.height, 4);
    assert_true((desc.WIDTH + 1) >> desc.BASE_LEVEL >= width || width == 1);
    assert_true((desc.HEIGHT + 1) >> desc.BASE_LEVEL >= height || height == 1);

    bool swizzled = own->swizzle != AMD_SW_LINEAR;
    uint32_t xor_256B = swizzled ? (uint32_t)desc.BASE_ADDRESS & (own->align_B - 1) >> 8 : 0;
    struct amd_surface_desc is = {
        .swizzle = (enum amd_swizzle)desc.SW_MODE,
        .dim = AMD_DIM_2D,
        .width = desc.WIDTH + 1,
        .height = desc.HEIGHT + 1,
        .slices = desc.DEPTH + 1,
        .block_w = 1,
        .block_h = 1,
        .element_B = own->element_B,
        .samples = 1,
        .levels = (uint8_t)(desc.MAX_MIP + 1),
        .pipe_bank_xor = xor_256B,
    };
    assert_true(amd_surface_init(&texels, &physical.tiling, &is));
    uint64_t base_B = ((desc.BASE_ADDRESS ^ xor_256B) << 8) - (BASE_VA & 0xffffffffffff);
    for (uint32_t y = 0; y<height; y += height> 40 ? 13 : 1) {
        for (uint32_t x = 0; x<width; x += width> 40 ? 11 : 1) {
            uint64_t wanted_B = amd_tiling_offset(&blocks, x, y, layer, 0, level),
                     is_B = base_B + amd_tiling_offset(&texels, x, y, desc.BASE_ARRAY, 0, desc.BASE_LEVEL);
            if (wanted_B != is_B)
                fail_msg("%ux%u of %u levels, level %u layer %u: block %u,%u is at %llu, not at %llu",
                         image->vk.extent.width, image->vk.extent.height, image->vk.levels, level, layer, x, y,
                         (unsigned long long)is_B, (unsigned long long)wanted_B);
        }
    }
}

/* Blocks as texels: every level of compressed images of odd sizes, where the hardware's halving loses a block. */
static void block_views_reach_every_block(void **state)
{
    uint64_t seed = 7;
    for (unsigned i = 0; i < 300; i++) {
        bool wide = next_random(&seed, 2);
        VkFormat format = wide ? VK_FORMAT_BC7_UNORM_BLOCK : VK_FORMAT_BC1_RGB_UNORM_BLOCK;
        uint32_t limit = 1u << (3 + next_random(&seed, 9));
        VkImageCreateInfo info =
            image_info(format, VK_IMAGE_TYPE_2D, 1 + next_random(&seed, limit), 1 + next_random(&seed, limit), 1);
        info.mipLevels = log2_floor(MAX2(info.extent.width, info.extent.height)) + 1;
        info.arrayLayers = 1 + next_random(&seed, 3);
        struct radeon_image image = make_image(&info);
        VkFormat raw = wide ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32G32_UINT;
        for (uint32_t level = 0; level < info.mipLevels; level++)
            check_block_view(&image, raw, level, info.arrayLayers - 1);
    }
}

/* ---- targets ---- */

static void color_target(void **state)
{
    VkImageCreateInfo info = image_info(VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_IMAGE_TYPE_2D, 800, 600, 1);
    info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    info.mipLevels = 3;
    struct radeon_image image = make_image(&info);
    struct radeon_image_view view = make_view(&image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_A2R10G10B10_UNORM_PACK32,
                                              VK_IMAGE_ASPECT_COLOR_BIT, 2, 1, 0, 1);
    struct amd_CB_COLOR_INFO fields = amd_unpack_CB_COLOR_INFO(RADEON_GFX, view.color.info);
    assert_int_equal(fields.FORMAT, AMD_COLOR_FORMAT_2_10_10_10);
    assert_int_equal(fields.COMP_SWAP, AMD_COMP_SWAP_ALT);
    assert_true(fields.BLEND_CLAMP && !fields.BLEND_BYPASS && !fields.ROUND_MODE && fields.SIMPLE_FLOAT);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_VIEW, MIP_LEVEL, view.color.view), 2);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB2, MIP0_WIDTH, view.color.attrib2), 799);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_ATTRIB2, MAX_MIP, view.color.attrib2), 2);
    assert_int_equal(view.color.base_va, BASE_VA | (uint64_t)image.planes[0].surface.pipe_bank_xor << 8);
}

static void targets_fit_what_they_promise(void **state)
{
    uint32_t words[4 * RADEON_TARGET_MAX_DW];
    struct radeon_cs cs = {.dw = words, .end = words + 4 * RADEON_TARGET_MAX_DW};
    struct radeon_color_target color = {.base_va = BASE_VA, .info = 0};
    struct radeon_depth_target depth = {.z_va = BASE_VA};
    radeon_color_target_emit(&cs, 7, &color, true);
    assert_in_range(cs.dw - words, 1, RADEON_TARGET_MAX_DW);
    cs.dw = words;
    radeon_depth_target_emit(&cs, &depth, false, true, false);
    assert_in_range(cs.dw - words, 1, RADEON_TARGET_MAX_DW);
}

/* ---- samplers ---- */

static void sampler_words(void **state)
{
    struct vk_sampler sampler;
    VkSamplerCreateInfo info = vk_struct_init(VkSamplerCreateInfo);
    info.magFilter = VK_FILTER_LINEAR;
    info.minFilter = VK_FILTER_NEAREST;
    info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    info.addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT;
    info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    info.addressModeW = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
    info.mipLodBias = -1.5f;
    info.minLod = 0.25f;
    info.maxLod = VK_LOD_CLAMP_NONE;
    info.anisotropyEnable = true;
    info.maxAnisotropy = 8.0f;
    info.compareEnable = true;
    info.compareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
    info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    vk_sampler_init(&device.vk, &sampler, &info);
    uint32_t words[4];
    radeon_sampler_words(&sampler, RADEON_NO_BORDER_SLOT, words);
    struct amd_desc_SAMPLER desc = amd_unpack_desc_SAMPLER(RADEON_GFX, words);
    assert_int_equal(desc.CLAMP_X, AMD_TEX_CLAMP_WRAP);
    assert_int_equal(desc.CLAMP_Y, AMD_TEX_CLAMP_CLAMP_BORDER);
    assert_int_equal(desc.CLAMP_Z, AMD_TEX_CLAMP_MIRROR_ONCE_LAST_TEXEL);
    assert_int_equal(desc.XY_MAG_FILTER, AMD_TEX_FILTER_ANISO_BILINEAR);
    assert_int_equal(desc.XY_MIN_FILTER, AMD_TEX_FILTER_ANISO_POINT);
    assert_int_equal(desc.MIP_FILTER, AMD_TEX_MIP_FILTER_LINEAR);
    assert_int_equal(desc.LOD_BIAS, -384);
    assert_int_equal(desc.MIN_LOD, 64);
    assert_int_equal(desc.MAX_LOD, 15 * 256);
    assert_int_equal(desc.MAX_ANISO_RATIO, AMD_ANISO_RATIO_8X);
    assert_int_equal(desc.DEPTH_COMPARE_FUNC, AMD_COMPARE_GEQUAL);
    assert_int_equal(desc.BORDER_COLOR_TYPE, AMD_BORDER_COLOR_OPAQUE_WHITE);
    assert_int_equal(desc.TRUNC_COORD, 0);
}

/* ---- queries ---- */

static void refused_images(void **state)
{
    VkPhysicalDeviceImageFormatInfo2 info = vk_struct_init(VkPhysicalDeviceImageFormatInfo2);
    VkImageFormatProperties2 out = vk_struct_init(VkImageFormatProperties2);
    VkPhysicalDevice handle = radeon_physical_device_to_handle(&physical);
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.type = VK_IMAGE_TYPE_2D;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out), VK_SUCCESS);
    assert_int_equal(out.imageFormatProperties.maxExtent.width, 16384);
    info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
    assert_int_equal(out.imageFormatProperties.maxExtent.width, 0);
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    /* Parts of 2D images and of volumes can be bound, and no parts of images of one dimension. */
    info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out), VK_SUCCESS);
    assert_int_equal(out.imageFormatProperties.sampleCounts, VK_SAMPLE_COUNT_1_BIT);
    info.type = VK_IMAGE_TYPE_3D;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out), VK_SUCCESS);
    info.type = VK_IMAGE_TYPE_1D;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
    info.type = VK_IMAGE_TYPE_2D;
    info.flags = 0;
    info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    VkPhysicalDeviceExternalImageFormatInfo external = vk_struct_init(VkPhysicalDeviceExternalImageFormatInfo);
    external.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT;
    info.pNext = &external;
    assert_int_equal(vk_common_GetPhysicalDeviceImageFormatProperties2(handle, &info, &out),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
}

/* The layout that a buffer carries wins over the importer's own choice, and a wrong description is refused. */
static void shared_layouts(void **state)
{
    struct kernel_file *file;
    struct ws_device *kernel;
    struct ws_bo *bo;
    assert_int_equal(kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file), 0);
    assert_int_equal(amd_ws_device_open(file, &kernel), 0);
    device.ws = kernel;
    VkExternalMemoryImageCreateInfo external = vk_struct_init(VkExternalMemoryImageCreateInfo);
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 500, 300, 1);
    info.pNext = &external;
    struct radeon_image from = make_image(&info), to = make_image(&info);
    assert_int_equal(amd_ws_bo_create(kernel, align_u64(from.vk.size_B, 65536), 65536, AMDGPU_GEM_DOMAIN_VRAM, 0, 0, &bo),
                     0);
    /* Nothing is said yet: the importer's own layout stands. */
    assert_int_equal(radeon_image_import(&device, &to, bo), VK_SUCCESS);
    assert_int_equal(to.planes[0].surface.swizzle, from.planes[0].surface.swizzle);
    assert_true(radeon_image_set_swizzle(&device, &from, AMD_SW_4KB_S_X));
    assert_int_equal(radeon_image_export(&device, &from, bo), VK_SUCCESS);
    assert_int_equal(radeon_image_import(&device, &to, bo), VK_SUCCESS);
    assert_int_equal(to.planes[0].surface.swizzle, AMD_SW_4KB_S_X);
    assert_int_equal(to.vk.size_B, from.vk.size_B);
    info.extent.width = 400;
    struct radeon_image other = make_image(&info);
    assert_int_equal(radeon_image_import(&device, &other, bo), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    amd_ws_bo_unref(bo);
    device.ws = &ws;
    amd_ws_device_close(kernel);
}

/* An explicit modifier must come with the pitch that the hardware will derive; where planes begin is free. */
static void explicit_modifiers(void **state)
{
    VkImageDrmFormatModifierExplicitCreateInfoEXT explicit =
        vk_struct_init(VkImageDrmFormatModifierExplicitCreateInfoEXT);
    VkSubresourceLayout plane = {.offset = 4096, .rowPitch = 512};
    explicit.drmFormatModifier = 0; /* linear */
    explicit.drmFormatModifierPlaneCount = 1;
    explicit.pPlaneLayouts = &plane;
    VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 100, 50, 1);
    info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    info.pNext = &explicit;
    struct radeon_image image = make_image(&info);
    assert_int_equal(image.planes[0].surface.offset_B, 4096);
    assert_int_equal(image.vk.size_B, 4096 + 512 * 50);
    assert_int_equal(image.planes[0].surface.pipe_bank_xor, 0);
    plane.rowPitch = 768;
    VkImage handle;
    assert_int_equal(radeon_CreateImage(radeon_device_to_handle(&device), &info, NULL, &handle),
                     VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
    plane = (VkSubresourceLayout){.offset = 100, .rowPitch = 512};
    assert_int_equal(radeon_CreateImage(radeon_device_to_handle(&device), &info, NULL, &handle),
                     VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_formats),
        cmocka_unit_test(formats_have_their_size),
        cmocka_unit_test(exports),
        cmocka_unit_test(vertex_formats),
        cmocka_unit_test(clear_colors),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(chosen_swizzles),
        cmocka_unit_test(plain_view),
        cmocka_unit_test(cube_and_volume_views),
        cmocka_unit_test(multisampled_view),
        cmocka_unit_test(depth_and_stencil_views),
        cmocka_unit_test(planar_views),
        cmocka_unit_test(block_views_reach_every_block),
        cmocka_unit_test(color_target),
        cmocka_unit_test(targets_fit_what_they_promise),
        cmocka_unit_test(sampler_words),
        cmocka_unit_test(refused_images),
        cmocka_unit_test(shared_layouts),
        cmocka_unit_test(explicit_modifiers),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
