/* Meta operations on a family whose shaders the IR interpreter runs: what is copied, cleared, blitted and resolved, and
 * what a family is asked for on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/tests/soft_family.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/meta/vk_meta_sort.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/pipeline/tests/fake_shaders.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

#define COLOR VK_IMAGE_ASPECT_COLOR_BIT

static struct vk_device device;
static struct vk_command_buffer cmd;
static struct vk_recording recording;
static struct vk_buffer buffer;

static VkCommandBuffer command_handle(void)
{
    return vk_command_buffer_to_handle(&cmd);
}

static int setup(void **state)
{
    soft_reset();
    fake_memory_fail_at(0);
    memset(&device, 0, sizeof(device));
    memset(&cmd, 0, sizeof(cmd));
    memset(&recording, 0, sizeof(recording));
    cmd.rec = &recording;
    device.alloc = fake_allocator;
    device.codegen = &soft_codegen;
    cmd.base.device = &device;
    buffer = (struct vk_buffer){.size_B = SOFT_MEMORY_B, .va = SOFT_MEMORY_VA};
    return vk_meta_init(&device, &soft.ops);
}

/* Nothing is left behind, whatever happened. */
static int teardown(void **state)
{
    vk_meta_finish(&device);
    assert_null(device.meta);
    assert_int_equal(soft.living, 0);
    assert_int_equal(soft.pipelines, 0);
    assert_int_equal(soft.begun, 0);
    assert_int_equal(fake_memory.living, 0);
    return 0;
}

static struct soft_image *image_2d(VkFormat format, uint32_t width, uint32_t height, uint32_t layers)
{
    return soft_image_create(&device, format, VK_IMAGE_TYPE_2D, (VkExtent3D){width, height, 1}, 1, layers, 1);
}

/* Numbers that are all different. */
static void number_memory(void)
{
    for (uint32_t i = 0; i < SOFT_MEMORY_B / 4; i++)
        memcpy(soft.memory + 4 * i, &(uint32_t){0x01000193u * (i + 1)}, 4);
}

static void number_image(struct soft_image *image, VkImageAspectFlags aspect, uint32_t level, uint32_t count)
{
    uint8_t *bytes = soft_texel(image, aspect, level, 0, 0, 0, 0);
    for (uint32_t i = 0; i < count * soft_element_B(image, aspect); i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
}

/* ---- memory and images ---- */

static void upload_region(struct soft_image *image, const VkBufferImageCopy2 *region)
{
    vk_meta_CmdCopyBufferToImage2(command_handle(),
                                  &(const VkCopyBufferToImageInfo2){.srcBuffer = vk_buffer_to_handle(&buffer),
                                                                    .dstImage = vk_image_to_handle(&image->vk),
                                                                    .regionCount = 1,
                                                                    .pRegions = region});
}

static void download_region(struct soft_image *image, const VkBufferImageCopy2 *region)
{
    vk_meta_CmdCopyImageToBuffer2(command_handle(),
                                  &(const VkCopyImageToBufferInfo2){.dstBuffer = vk_buffer_to_handle(&buffer),
                                                                    .srcImage = vk_image_to_handle(&image->vk),
                                                                    .regionCount = 1,
                                                                    .pRegions = region});
}

/* Every element size; a part of the image, of layers from one on, with rows and slices that are longer than the part.
 */
static void copies_between_memory_and_images_hit_their_texels(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R8G8B8A8_SRGB,
                                       VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_R32G32B32A32_SFLOAT};
    for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++) {
        struct soft_image *image = image_2d(formats[f], 40, 20, 3);
        uint32_t element_B = soft_element_B(image, COLOR);
        const VkBufferImageCopy2 region = {.bufferOffset = 64,
                                           .bufferRowLength = 44,
                                           .bufferImageHeight = 12,
                                           .imageSubresource = {COLOR, 0, 1, 2},
                                           .imageOffset = {3, 5, 0},
                                           .imageExtent = {37, 11, 1}};
        number_memory();
        upload_region(image, &region);
        for (uint32_t i = 0; i < 40 * 20 * 3; i++) {
            uint32_t x = i % 40, y = i / 40 % 20, z = i / 800;
            static const uint8_t zeros[16];
            bool inside = x >= 3 && y >= 5 && y < 16 && z >= 1;
            const uint8_t *expected =
                inside ? soft.memory + 64 + element_B * ((z - 1) * 44 * 12 + (y - 5) * 44 + x - 3) : zeros;
            assert_memory_equal(soft_texel(image, COLOR, 0, x, y, z, 0), expected, element_B);
        }
        uint8_t *before = malloc(SOFT_MEMORY_B);
        memcpy(before, soft.memory, SOFT_MEMORY_B);
        memset(soft.memory, 0xee, SOFT_MEMORY_B);
        download_region(image, &region);
        for (uint32_t i = 0; i < 44 * 12 * 2; i++) {
            uint32_t at_B = 64 + i * element_B;
            bool inside = i % 44 < 37 && i / 44 % 12 < 11;
            if (inside)
                assert_memory_equal(soft.memory + at_B, before + at_B, element_B);
            else
                assert_int_equal(soft.memory[at_B], 0xee);
        }
        assert_int_equal(soft.memory[63], 0xee);
        free(before);
        soft_image_destroy(image);
    }
    assert_int_equal(soft.dispatches, 2 * ARRAY_SIZE(formats));
    assert_int_equal(soft.draws, 0);
}

static void blocks_volumes_and_lines_are_copied(void **state)
{
    /* 4 by 4 texels in 16 bytes, from the second block on. */
    struct soft_image *blocks = image_2d(VK_FORMAT_BC7_UNORM_BLOCK, 30, 18, 1);
    number_memory();
    upload_region(blocks, &(const VkBufferImageCopy2){.imageSubresource = {COLOR, 0, 0, 1},
                                                      .imageOffset = {4, 8, 0},
                                                      .imageExtent = {26, 10, 1}});
    for (uint32_t i = 0; i < 7 * 3; i++)
        assert_memory_equal(soft_texel(blocks, COLOR, 0, 1 + i % 7, 2 + i / 7, 0, 0), soft.memory + 16 * i, 16);
    soft_image_destroy(blocks);
    /* Slices of a volume's second level. */
    struct soft_image *volume =
        soft_image_create(&device, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_3D, (VkExtent3D){16, 8, 8}, 2, 1, 1);
    upload_region(volume, &(const VkBufferImageCopy2){.imageSubresource = {COLOR, 1, 0, 1},
                                                      .imageOffset = {0, 0, 1},
                                                      .imageExtent = {8, 4, 3}});
    for (uint32_t i = 0; i < 8 * 4 * 3; i++)
        assert_memory_equal(soft_texel(volume, COLOR, 1, i % 8, i / 8 % 4, 1 + i / 32, 0), soft.memory + 4 * i, 4);
    soft_image_destroy(volume);
    /* A line: one dimension, with layers. */
    struct soft_image *line =
        soft_image_create(&device, VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_1D, (VkExtent3D){1000, 1, 1}, 1, 2, 1);
    upload_region(line, &(const VkBufferImageCopy2){.imageSubresource = {COLOR, 0, 1, 1},
                                                    .imageOffset = {100, 0, 0},
                                                    .imageExtent = {900, 1, 1}});
    for (uint32_t i = 0; i < 900; i++)
        assert_memory_equal(soft_texel(line, COLOR, 0, 100 + i, 0, 1, 0), soft.memory + 2 * i, 2);
    soft_image_destroy(line);
}

/* A compressed image is read channel by channel, and its bits are put together again. */
static void a_read_format_gives_the_same_bits(void **state)
{
    static const struct {
        VkFormat format, read;
    } rows[] = {{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT},
                {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UINT_PACK32},
                {VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R16G16B16A16_UINT},
                {VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct soft_image *from = image_2d(rows[i].format, 9, 5, 1), *to = image_2d(rows[i].format, 9, 5, 1);
        uint32_t element_B = soft_element_B(from, COLOR);
        number_image(from, COLOR, 0, 45);
        soft.read_format = rows[i].read;
        download_region(from,
                        &(const VkBufferImageCopy2){.imageSubresource = {COLOR, 0, 0, 1}, .imageExtent = {9, 5, 1}});
        assert_memory_equal(soft.memory, soft_texel(from, COLOR, 0, 0, 0, 0, 0), 45 * element_B);
        const VkImageCopy2 region = {
            .srcSubresource = {COLOR, 0, 0, 1}, .dstSubresource = {COLOR, 0, 0, 1}, .extent = {9, 5, 1}};
        vk_meta_CmdCopyImage2(command_handle(), &(const VkCopyImageInfo2){.srcImage = vk_image_to_handle(&from->vk),
                                                                          .dstImage = vk_image_to_handle(&to->vk),
                                                                          .regionCount = 1,
                                                                          .pRegions = &region});
        assert_memory_equal(soft_texel(to, COLOR, 0, 0, 0, 0, 0), soft_texel(from, COLOR, 0, 0, 0, 0, 0),
                            45 * element_B);
        soft_image_destroy(from);
        soft_image_destroy(to);
    }
}

/* ---- images and images ---- */

static void copy_image(struct soft_image *from, struct soft_image *to, const VkImageCopy2 *region)
{
    vk_meta_CmdCopyImage2(command_handle(), &(const VkCopyImageInfo2){.srcImage = vk_image_to_handle(&from->vk),
                                                                      .dstImage = vk_image_to_handle(&to->vk),
                                                                      .regionCount = 1,
                                                                      .pRegions = region});
}

static void images_are_copied_by_elements(void **state)
{
    /* Blocks become texels of their size. */
    struct soft_image *from = image_2d(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 16, 16, 1),
                      *to = image_2d(VK_FORMAT_R32G32_UINT, 8, 8, 1);
    number_image(from, COLOR, 0, 16);
    copy_image(from, to,
               &(const VkImageCopy2){.srcSubresource = {COLOR, 0, 0, 1},
                                     .srcOffset = {4, 0, 0},
                                     .dstSubresource = {COLOR, 0, 0, 1},
                                     .dstOffset = {5, 4, 0},
                                     .extent = {12, 16, 1}});
    for (uint32_t i = 0; i < 12; i++)
        assert_memory_equal(soft_texel(to, COLOR, 0, 5 + i % 3, 4 + i / 3, 0, 0),
                            soft_texel(from, COLOR, 0, 1 + i % 3, i / 3, 0, 0), 8);
    soft_image_destroy(from);
    soft_image_destroy(to);
    /* Layers become slices. */
    from = image_2d(VK_FORMAT_R8_UINT, 5, 4, 6);
    to = soft_image_create(&device, VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_3D, (VkExtent3D){5, 4, 8}, 1, 1, 1);
    number_image(from, COLOR, 0, 5 * 4 * 6);
    copy_image(from, to,
               &(const VkImageCopy2){.srcSubresource = {COLOR, 0, 2, 3},
                                     .dstSubresource = {COLOR, 0, 0, 1},
                                     .dstOffset = {0, 0, 4},
                                     .extent = {5, 4, 3}});
    assert_memory_equal(soft_texel(to, COLOR, 0, 0, 0, 4, 0), soft_texel(from, COLOR, 0, 0, 0, 2, 0), 60);
    assert_int_equal(*soft_texel(to, COLOR, 0, 0, 0, 7, 0), 0);
    soft_image_destroy(from);
    soft_image_destroy(to);
    /* Each sample to its own. */
    from = soft_image_create(&device, VK_FORMAT_R16G16_UINT, VK_IMAGE_TYPE_2D, (VkExtent3D){6, 3, 1}, 1, 2, 4);
    to = soft_image_create(&device, VK_FORMAT_R16G16_UINT, VK_IMAGE_TYPE_2D, (VkExtent3D){6, 3, 1}, 1, 2, 4);
    number_image(from, COLOR, 0, 6 * 3 * 2 * 4);
    copy_image(from, to,
               &(const VkImageCopy2){
                   .srcSubresource = {COLOR, 0, 0, 2}, .dstSubresource = {COLOR, 0, 0, 2}, .extent = {6, 3, 1}});
    assert_memory_equal(soft_texel(to, COLOR, 0, 0, 0, 0, 0), soft_texel(from, COLOR, 0, 0, 0, 0, 0),
                        6 * 3 * 2 * 4 * 4);
    soft_image_destroy(from);
    soft_image_destroy(to);
}

static void depth_and_stencil_are_copied_apart(void **state)
{
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    struct soft_image *from = image_2d(VK_FORMAT_D32_SFLOAT_S8_UINT, 7, 7, 1),
                      *to = image_2d(VK_FORMAT_D32_SFLOAT_S8_UINT, 7, 7, 1);
    number_image(from, VK_IMAGE_ASPECT_DEPTH_BIT, 0, 49);
    number_image(from, VK_IMAGE_ASPECT_STENCIL_BIT, 0, 49);
    copy_image(from, to,
               &(const VkImageCopy2){
                   .srcSubresource = {both, 0, 0, 1}, .dstSubresource = {both, 0, 0, 1}, .extent = {7, 7, 1}});
    assert_int_equal(soft.dispatches, 2);
    assert_memory_equal(to->texels[0][0], from->texels[0][0], 49 * 4);
    assert_memory_equal(to->texels[1][0], from->texels[1][0], 49);
    soft_image_destroy(from);
    soft_image_destroy(to);
}

/* Extents of many tiles have another shader, with more texels an invocation; both reach every texel once. */
static void large_extents_have_large_tiles(void **state)
{
    static const uint32_t small[3] = {64, 64, 1}, large[3] = {4096, 2048, 1};
    uint32_t groups[3];
    assert_int_equal(vk_meta_count_tiles(VK_META_SQUARE, small, groups), 0);
    assert_int_equal(groups[0] * groups[1] * groups[2], 2 * 8);
    assert_true(vk_meta_count_tiles(VK_META_SQUARE, large, groups) == VK_META_LARGE);
    assert_int_equal(groups[0] * groups[1] * groups[2], 128 * 64);
    assert_true(vk_meta_count_tiles(VK_META_FLAT, (const uint32_t[3]){64 * 16 * 512, 1, 1}, groups) == VK_META_LARGE);
    assert_int_equal(groups[0], 512);
    /* Whole tiles, of which no texel is outside: 64 workgroups each, as layouts for memory have them. */
    assert_true(vk_meta_count_tiles(VK_META_STREAM, (const uint32_t[3]){64 * 64 * 64, 1, 1}, groups) == VK_META_WHOLE);
    assert_int_equal(groups[0], 64);
    assert_true(vk_meta_count_tiles(VK_META_TILES, large, groups) == VK_META_WHOLE);
    assert_int_equal(groups[0] * 32, 4096);
    assert_int_equal(groups[1] * 128, 2048);
    assert_true(vk_meta_count_tiles(VK_META_ROWS, large, groups) == VK_META_WHOLE);
    assert_int_equal(groups[0] * 32, 4096);
    assert_int_equal(groups[1] * 128, 2048);
    assert_true(vk_meta_count_tiles(VK_META_ROWS, (const uint32_t[3]){4096, 2040, 1}, groups) == VK_META_LARGE);
    /* Columns of workgroups, if fewer of these reach out: 29 is three whole ones and a part, 96 three tiles of four. */
    assert_true(vk_meta_count_narrow(VK_META_ROWS, (const uint32_t[3]){29, 500, 1}, groups) == VK_META_NARROW);
    assert_int_equal(groups[0], 4);
    assert_int_equal(groups[1], 16);
    assert_int_equal(vk_meta_count_narrow(VK_META_ROWS, (const uint32_t[3]){96, 116, 1}, groups), 0);
    /* None reaches out of 120 by 480. */
    assert_true(vk_meta_count_narrow(VK_META_ROWS, (const uint32_t[3]){120, 480, 1}, groups) ==
                (VK_META_NARROW | VK_META_WHOLE));
    assert_int_equal(groups[0] * 8, 120);
    assert_int_equal(groups[1] * 32, 480);
    /* Many layers make an extent large, too: 33 by 1 texels in 512 of them. */
    struct soft_image *image = image_2d(VK_FORMAT_R8_UINT, 33, 1, 513);
    number_memory();
    const VkBufferImageCopy2 region = {.imageSubresource = {COLOR, 0, 1, 512}, .imageExtent = {33, 1, 1}};
    upload_region(image, &region);
    for (uint32_t i = 0; i < 33 * 512; i++)
        assert_int_equal(*soft_texel(image, COLOR, 0, i % 33, 0, 1 + i / 33, 0), soft.memory[i]);
    assert_int_equal(soft.compiles, 1);
    upload_region(image, &(const VkBufferImageCopy2){.imageSubresource = {COLOR, 0, 0, 1}, .imageExtent = {33, 1, 1}});
    assert_int_equal(soft.compiles, 2);
    upload_region(image, &region);
    assert_int_equal(soft.compiles, 2);
    soft_image_destroy(image);
}

/* ---- clears ---- */

static void images_are_cleared_by_draws_or_by_fills(void **state)
{
    const VkClearColorValue color = {.float32 = {1.0f, 0.5f, 0.25f, 1.0f}};
    struct soft_image *image =
        soft_image_create(&device, VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_TYPE_2D, (VkExtent3D){6, 5, 1}, 2, 3, 1);
    const VkImageSubresourceRange range = {COLOR, 0, VK_REMAINING_MIP_LEVELS, 1, VK_REMAINING_ARRAY_LAYERS};
    uint32_t words[4];
    vk_meta_CmdClearColorImage(command_handle(), vk_image_to_handle(&image->vk), VK_IMAGE_LAYOUT_GENERAL, &color, 1,
                               &range);
    assert_int_equal(soft.draws, 2); /* one for each level */
    assert_int_equal(soft.last_layout, VK_IMAGE_LAYOUT_GENERAL);
    assert_true(vk_meta_pack_color(VK_FORMAT_R16G16B16A16_SFLOAT, &color, words));
    for (uint32_t i = 0; i < 6 * 5 * 3; i++) {
        static const uint32_t zeros[2];
        assert_memory_equal(soft_texel(image, COLOR, 0, i % 6, i / 6 % 5, i / 30, 0), i < 30 ? zeros : words, 8);
    }
    assert_memory_equal(soft_texel(image, COLOR, 1, 2, 1, 2, 0), words, 8);
    soft_image_destroy(image);
    /* A format that is no target. */
    image =
        soft_image_create(&device, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_TYPE_3D, (VkExtent3D){9, 9, 3}, 1, 1, 1);
    vk_meta_CmdClearColorImage(command_handle(), vk_image_to_handle(&image->vk), VK_IMAGE_LAYOUT_GENERAL, &color, 1,
                               &(const VkImageSubresourceRange){COLOR, 0, 1, 0, 1});
    assert_int_equal(soft.draws, 2);
    assert_int_equal(soft.dispatches, 1);
    assert_true(vk_meta_pack_color(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, &color, words));
    for (uint32_t i = 0; i < 9 * 9 * 3; i++)
        assert_memory_equal(soft_texel(image, COLOR, 0, i % 9, i / 9 % 9, i / 81, 0), words, 4);
    soft_image_destroy(image);
}

static struct vk_image_view view_of(struct soft_image *image)
{
    struct vk_image_view view = {.image = &image->vk,
                                 .format = image->vk.format,
                                 .aspects = image->vk.aspects,
                                 .level_count = 1,
                                 .layer_count = image->vk.layers};
    return view;
}

static void attachments_are_cleared_in_rectangles_layers_and_views(void **state)
{
    struct soft_image *color = image_2d(VK_FORMAT_R32_UINT, 8, 4, 4),
                      *depth = image_2d(VK_FORMAT_D32_SFLOAT_S8_UINT, 8, 4, 4);
    struct vk_image_view color_view = view_of(color), depth_view = view_of(depth);
    recording.rendering = (struct vk_rendering){.active = true, .num_colors = 2, .layers = 4};
    recording.rendering.colors[1] = (struct vk_attachment){.view = &color_view, .format = color->vk.format};
    recording.rendering.depth = recording.rendering.stencil =
        (struct vk_attachment){.view = &depth_view, .format = depth->vk.format};
    const struct vk_rendering before = recording.rendering;
    const VkClearAttachment clears[] = {
        {COLOR, 0, .clearValue.color.uint32 = {9}}, /* there is none */
        {COLOR, 1, .clearValue.color.uint32 = {7}},
        {VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, .clearValue.depthStencil = {0.75f, 0x5a}},
    };
    const VkClearRect rect = {{{2, 1}, {3, 2}}, 1, 2};
    vk_meta_CmdClearAttachments(command_handle(), 3, clears, 1, &rect);
    assert_int_equal(soft.draws, 2);
    assert_true(soft.last_predicated);
    assert_memory_equal(&recording.rendering, &before, sizeof(before));
    for (uint32_t i = 0; i < 8 * 4 * 4; i++) {
        uint32_t x = i % 8, y = i / 8 % 4, z = i / 32, value;
        bool inside = x >= 2 && x < 5 && y >= 1 && y < 3 && z >= 1 && z < 3;
        float z_value;
        memcpy(&value, soft_texel(color, COLOR, 0, x, y, z, 0), 4);
        memcpy(&z_value, soft_texel(depth, VK_IMAGE_ASPECT_DEPTH_BIT, 0, x, y, z, 0), 4);
        assert_int_equal(value, inside ? 7 : 0);
        assert_true(z_value == (inside ? 0.75f : 0.0f));
        assert_int_equal(*soft_texel(depth, VK_IMAGE_ASPECT_STENCIL_BIT, 0, x, y, z, 0), inside ? 0x5a : 0);
    }
    /* Of views 0, 2 and 3 two runs of layers are drawn. */
    recording.rendering.view_mask = 0xd;
    soft.draws = 0;
    vk_meta_CmdClearAttachments(command_handle(), 1, &clears[1], 1, &(const VkClearRect){{{0, 0}, {1, 1}}, 0, 1});
    assert_int_equal(soft.draws, 2);
    for (uint32_t z = 0; z < 4; z++)
        assert_int_equal(*soft_texel(color, COLOR, 0, 0, 0, z, 0), z == 1 ? 0 : 7);
    soft_image_destroy(color);
    soft_image_destroy(depth);
}

static bool refuse_first(struct vk_command_buffer *base, const VkClearAttachment *clear,
                         const struct vk_meta_rectangle *rectangle, uint32_t view_mask)
{
    soft.hooked++;
    return clear->colorAttachment != 1;
}

/* After the first clear that is drawn all are: they may lie over each other. */
static void a_family_clears_until_the_first_draw(void **state)
{
    struct soft_image *image = image_2d(VK_FORMAT_R32_UINT, 4, 4, 1);
    struct vk_image_view view = view_of(image);
    VkClearAttachment clears[3];
    recording.rendering = (struct vk_rendering){.active = true, .num_colors = 3, .layers = 1};
    for (uint32_t i = 0; i < 3; i++) {
        recording.rendering.colors[i] = (struct vk_attachment){.view = &view, .format = image->vk.format};
        clears[i] = (VkClearAttachment){COLOR, i, .clearValue.color.uint32 = {i + 1}};
    }
    soft.ops.clear_attachment = refuse_first;
    vk_meta_CmdClearAttachments(command_handle(), 3, clears, 1, &(const VkClearRect){{{0, 0}, {4, 4}}, 0, 1});
    assert_int_equal(soft.hooked, 2);
    assert_int_equal(soft.draws, 2);
    /* Load operations are apart from each other. */
    soft.hooked = soft.draws = 0;
    VkRenderingAttachmentInfo colors[3];
    for (uint32_t i = 0; i < 3; i++)
        colors[i] = (VkRenderingAttachmentInfo){.imageView = vk_image_view_to_handle(&view),
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR};
    vk_meta_clear_rendering(&cmd, &(const VkRenderingInfo){.renderArea.extent = {4, 4},
                                                           .layerCount = 1,
                                                           .colorAttachmentCount = 3,
                                                           .pColorAttachments = colors});
    assert_int_equal(soft.hooked, 3);
    assert_int_equal(soft.draws, 1);
    assert_false(soft.last_predicated);
    soft_image_destroy(image);
}

/* ---- blits ---- */

static void blits_scale_mirror_and_convert(void **state)
{
    struct soft_image *from = image_2d(VK_FORMAT_R8G8B8A8_UNORM, 8, 8, 2),
                      *to = image_2d(VK_FORMAT_B8G8R8A8_UNORM, 8, 8, 2);
    number_image(from, COLOR, 0, 128);
    /* Four by four texels over eight by eight pixels, from right to left. */
    const VkImageBlit2 region = {.srcSubresource = {COLOR, 0, 0, 2},
                                 .srcOffsets = {{6, 2, 0}, {2, 6, 1}},
                                 .dstSubresource = {COLOR, 0, 0, 2},
                                 .dstOffsets = {{0, 0, 0}, {8, 8, 1}}};
    for (int filter = VK_FILTER_NEAREST; filter <= VK_FILTER_LINEAR; filter++) {
        vk_meta_CmdBlitImage2(command_handle(), &(const VkBlitImageInfo2){.srcImage = vk_image_to_handle(&from->vk),
                                                                          .dstImage = vk_image_to_handle(&to->vk),
                                                                          .regionCount = 1,
                                                                          .pRegions = &region,
                                                                          .filter = (VkFilter)filter});
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t x = i % 8, y = i / 8 % 8, z = i / 64;
            const uint8_t *src = soft_texel(from, COLOR, 0, 5 - x / 2, 2 + y / 2, z, 0),
                          *dst = soft_texel(to, COLOR, 0, x, y, z, 0);
            const uint8_t swapped[4] = {src[2], src[1], src[0], src[3]};
            assert_memory_equal(dst, swapped, 4);
        }
    }
    assert_int_equal(soft.draws, 4); /* a layer each */
    /* A region without an extent is nothing. */
    const VkImageBlit2 empty = {.srcSubresource = region.srcSubresource, .dstSubresource = region.dstSubresource};
    vk_meta_CmdBlitImage2(command_handle(), &(const VkBlitImageInfo2){.srcImage = vk_image_to_handle(&from->vk),
                                                                      .dstImage = vk_image_to_handle(&to->vk),
                                                                      .regionCount = 1,
                                                                      .pRegions = &empty});
    assert_int_equal(soft.draws, 4);
    soft_image_destroy(from);
    soft_image_destroy(to);
}

/* ---- resolves ---- */

/* A family that keeps samples in the reverse order. */
static struct ir_value *map_fetch(struct ir_builder *b, uint32_t binding, struct ir_value *const at[3])
{
    struct ir_value *values[2] = {ir_vec(b, 3, at), ir_const(b, 32, 0)};
    return ir_extract(b,
                      ir_tex(b, 32, 4, vk_meta_texture(b, binding), ir_undef(b, 32, 1), 2, values, IR_TEX_KIND_fetch,
                             IR_DIM_2d, true, 1u << IR_TEX_lod, 0, 0),
                      0);
}

static struct ir_value *map_place(struct ir_builder *b, struct ir_value *word, uint32_t sample)
{
    return ir_ubfe(b, word, ir_const(b, 32, 4 * sample), ir_const(b, 32, 4));
}

static bool map_is_used(const struct vk_command_buffer *base, const struct vk_image *image, VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
}
static const struct vk_meta_sample_map_ops map_ops = {map_is_used, map_fetch, map_place};

static bool take_resolve(struct vk_command_buffer *base, const struct vk_attachment *attachment,
                         const struct vk_rendering *rendering)
{
    (void)base;
    assert_ptr_equal(attachment->view, rendering->colors[0].view);
    assert_int_equal(rendering->layers, 2);
    return soft.hooked++ > 0;
}

static void resolves_combine_samples(void **state)
{
    struct soft_image *from =
        soft_image_create(&device, VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_2D, (VkExtent3D){4, 4, 1}, 1, 2, 4);
    struct soft_image *to = image_2d(VK_FORMAT_R32_SFLOAT, 4, 4, 2);
    for (uint32_t i = 0; i < 4 * 4 * 2 * 4; i++) {
        float value = (float)(i / 16 % 4 + 1) * (float)(i % 16); /* of sample and pixel */
        memcpy(soft_texel(from, COLOR, 0, i % 4, i / 4 % 4, i / 64, i / 16 % 4), &value, 4);
    }
    const VkImageResolve2 region = {.srcSubresource = {COLOR, 0, 0, 2},
                                    .srcOffset = {1, 1, 0},
                                    .dstSubresource = {COLOR, 0, 0, 2},
                                    .dstOffset = {0, 2, 0},
                                    .extent = {3, 2, 1}};
    vk_meta_CmdResolveImage2(command_handle(), &(const VkResolveImageInfo2){.srcImage = vk_image_to_handle(&from->vk),
                                                                            .dstImage = vk_image_to_handle(&to->vk),
                                                                            .regionCount = 1,
                                                                            .pRegions = &region});
    for (uint32_t i = 0; i < 6; i++) {
        float value;
        memcpy(&value, soft_texel(to, COLOR, 0, i % 3, 2 + i / 3, 1, 0), 4);
        assert_true(value == 2.5f * (float)((1 + i / 3) * 4 + 1 + i % 3));
    }
    /* At the end of a rendering, by every mode, with and without a map. */
    struct vk_image_view from_view = view_of(from), to_view = view_of(to);
    static const struct {
        VkResolveModeFlagBits mode;
        float factor, mapped_factor;
    } modes[] = {{VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 1, 4},
                 {VK_RESOLVE_MODE_AVERAGE_BIT, 2.5f, 2.5f},
                 {VK_RESOLVE_MODE_MIN_BIT, 1, 1},
                 {VK_RESOLVE_MODE_MAX_BIT, 4, 4}};
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(modes); i++) {
        bool is_mapped = i >= ARRAY_SIZE(modes);
        soft.ops.sample_map = is_mapped ? &map_ops : NULL;
        recording.rendering =
            (struct vk_rendering){.active = true, .num_colors = 1, .layers = 2, .area.extent = {4, 4}, .samples = 4};
        recording.rendering.colors[0] = (struct vk_attachment){.view = &from_view,
                                                               .resolve_view = &to_view,
                                                               .layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                               .resolve_mode = modes[i % 4].mode,
                                                               .format = from->vk.format};
        const struct vk_rendering before = recording.rendering;
        soft.barriers = 0;
        vk_meta_resolve_rendering(&cmd);
        assert_int_equal(soft.barriers, 1); /* the rendering's writes are seen */
        assert_memory_equal(&recording.rendering, &before, sizeof(before));
        for (uint32_t p = 0; p < 16; p++) {
            float value;
            memcpy(&value, soft_texel(to, COLOR, 0, p % 4, p / 4, 1, 0), 4);
            assert_true(value == (float)p * (is_mapped ? modes[i % 4].mapped_factor : modes[i % 4].factor));
        }
    }
    /* Pixels that the family has resolved are not drawn, and it is not asked where there is nothing to resolve. */
    soft.ops.resolve_attachment = take_resolve;
    soft.hooked = soft.draws = 0;
    vk_meta_resolve_rendering(&cmd);
    assert_int_equal(soft.hooked, 1);
    assert_int_equal(soft.draws, 2); /* one for each layer: the first time the hook does nothing */
    vk_meta_resolve_rendering(&cmd);
    assert_int_equal(soft.hooked, 2);
    assert_int_equal(soft.draws, 2);
    recording.rendering.colors[0].resolve_view = NULL;
    vk_meta_resolve_rendering(&cmd);
    assert_int_equal(soft.hooked, 2);
    soft.ops.resolve_attachment = NULL;
    soft_image_destroy(from);
    soft_image_destroy(to);
}

/* ---- what a family is asked for ---- */

static bool take_memory(struct vk_command_buffer *base, const struct vk_meta_memory_copy *copy)
{
    assert_int_equal(copy->va, SOFT_MEMORY_VA + 16);
    assert_int_equal(copy->row, 5);
    assert_int_equal(copy->slice, 5 * 3);
    assert_int_equal(copy->extent[2], 2);
    assert_int_equal(copy->image.first[2], 1);
    soft.hooked++;
    return soft.hooked > 1;
}

static bool take_image(struct vk_command_buffer *base, const struct vk_meta_image_copy *copy)
{
    soft.hooked++;
    return true;
}

static bool take_fill(struct vk_command_buffer *base, const struct vk_meta_fill *fill)
{
    assert_int_equal(fill->element_B, 4);
    soft.hooked++;
    return true;
}

static void hooks_come_first(void **state)
{
    struct soft_image *image = image_2d(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 5, 3, 3);
    const VkBufferImageCopy2 region = {
        .bufferOffset = 16, .imageSubresource = {COLOR, 0, 1, 2}, .imageExtent = {5, 3, 1}};
    soft.ops.copy_memory = take_memory;
    soft.ops.copy_image = take_image;
    soft.ops.fill_image = take_fill;
    upload_region(image, &region);
    assert_int_equal(soft.dispatches, 1); /* the hook did not want it */
    upload_region(image, &region);
    copy_image(image, image,
               &(const VkImageCopy2){
                   .srcSubresource = {COLOR, 0, 0, 1}, .dstSubresource = {COLOR, 0, 1, 1}, .extent = {5, 3, 1}});
    vk_meta_CmdClearColorImage(command_handle(), vk_image_to_handle(&image->vk), VK_IMAGE_LAYOUT_GENERAL,
                               &(const VkClearColorValue){.float32 = {1, 1, 1, 1}}, 1,
                               &(const VkImageSubresourceRange){COLOR, 0, 1, 0, 1});
    assert_int_equal(soft.hooked, 4);
    assert_int_equal(soft.dispatches, 1);
    assert_int_equal(soft.draws, 0);
    soft_image_destroy(image);
}

static uint32_t traits_of(VkFormat format)
{
    return format == VK_FORMAT_R32_UINT ? 0xfffff : 3;
}

/* A pipeline for each kind of target; a rectangle of the hardware's own. */
static void pipelines_are_kept_by_what_they_write(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_R32_UINT, VK_FORMAT_R8_UNORM, VK_FORMAT_R16_SFLOAT,
                                       VK_FORMAT_R32_UINT};
    soft.ops.target_traits = traits_of;
    soft.ops.rectangle_topology = 0x40;
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++) {
        struct soft_image *image = image_2d(formats[i], 2, 2, 1);
        vk_meta_CmdClearColorImage(command_handle(), vk_image_to_handle(&image->vk), VK_IMAGE_LAYOUT_GENERAL,
                                   &(const VkClearColorValue){.uint32 = {1}}, 1,
                                   &(const VkImageSubresourceRange){COLOR, 0, 1, 0, 1});
        soft_image_destroy(image);
    }
    assert_int_equal(soft.draws, 4);
    assert_int_equal(soft.pipelines, 2); /* the second and the third format are one kind */
    assert_int_equal(soft.compiles, 3);  /* with the vertex shader */
    uint64_t key = vk_meta_target_key(&soft.ops, VK_FORMAT_R32_UINT, 5);
    assert_int_equal(vk_meta_key_target(key), 5);
    assert_int_equal(key >> 56, 0);
    assert_true(key != vk_meta_target_key(&soft.ops, VK_FORMAT_R32_UINT, 4));
}

/* ---- numbers ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

/* By their upper halves, of which many are equal, then by their lower ones; what lies beyond stays. */
static void numbers_are_sorted_in_steps(void **state)
{
    static const uint32_t counts[] = {1, 2, 63, 1023, 1024, 1025, 2048, 3000};
    const uint64_t place_B = 4096 * 8, places[2] = {SOFT_MEMORY_VA, SOFT_MEMORY_VA + place_B - 8};
    static uint64_t expected[4096];
    for (uint32_t i = 0; i < ARRAY_SIZE(counts); i++) {
        const uint32_t count = counts[i];
        number_memory();
        for (uint32_t n = 0; n < count; n++) {
            expected[n] = (uint64_t)((n + 1) * 0x9e3779b1u >> 24) << 32 | (n * 7 % count);
            if (n % 5 == 0)
                expected[n] |= 0x8000000000000000u;
        }
        qsort(expected, count, 8, compare_numbers);
        for (uint32_t n = 1; n < count; n++) /* none twice */
            expected[n] = expected[n] <= expected[n - 1] ? expected[n - 1] + 1 : expected[n];
        for (uint32_t n = 0; n < count; n++)
            memcpy(soft.memory + 8 * (n * 1021ull % count), &expected[n], 8);
        const uint32_t steps = vk_meta_sort_steps(count), dispatches = soft.dispatches;
        uint64_t beyond, after;
        memcpy(&beyond, soft.memory + 8 * count, 8);
        for (uint32_t step = 0; step < steps; step++)
            vk_meta_sort_step(&cmd, step, count, places);
        memcpy(&after, soft.memory + 8 * count, 8);
        assert_true(beyond == after);
        assert_int_equal(soft.dispatches - dispatches, steps);
        assert_memory_equal(soft.memory + (places[vk_meta_sort_place(count)] - SOFT_MEMORY_VA), expected, 8 * count);
    }
    assert_int_equal(vk_meta_sort_steps(0), 0);
    assert_int_equal(vk_meta_sort_steps(1024), 1);
    assert_int_equal(vk_meta_sort_steps(1025), 2);
    assert_int_equal(vk_meta_sort_steps(100000), 8);
}

/* Whatever fails, the command buffer keeps the error, and the next try works. */
static void failures_are_kept_in_the_command_buffer(void **state)
{
    struct soft_image *image = image_2d(VK_FORMAT_R32_UINT, 2, 2, 1);
    const VkBufferImageCopy2 region = {.imageSubresource = {COLOR, 0, 0, 1}, .imageExtent = {2, 2, 1}};
    soft.compile_result = VK_ERROR_UNKNOWN;
    upload_region(image, &region);
    assert_int_equal(cmd.result, VK_ERROR_UNKNOWN);
    assert_int_equal(soft.dispatches, 0);
    cmd.result = VK_SUCCESS;
    soft.compile_result = VK_SUCCESS;
    upload_region(image, &region);
    assert_int_equal(cmd.result, VK_SUCCESS);
    assert_int_equal(soft.dispatches, 1);
    /* Every allocation of a first clear fails once. */
    for (uint32_t call = 1;; call++) {
        fake_memory_fail_at(call);
        vk_meta_CmdClearColorImage(command_handle(), vk_image_to_handle(&image->vk), VK_IMAGE_LAYOUT_GENERAL,
                                   &(const VkClearColorValue){.uint32 = {1}}, 1,
                                   &(const VkImageSubresourceRange){COLOR, 0, 1, 0, 1});
        if (!fake_memory.failures)
            break;
        assert_int_equal(cmd.result, VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(soft.draws, 0);
        cmd.result = VK_SUCCESS;
        assert_true(call < 20);
    }
    assert_int_equal(soft.draws, 1);
    fake_memory_fail_at(1);
    struct vk_device other = {.alloc = fake_allocator};
    assert_int_equal(vk_meta_init(&other, &soft.ops), VK_ERROR_OUT_OF_HOST_MEMORY);
    vk_meta_finish(&other);
    fake_memory_fail_at(0);
    soft_image_destroy(image);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(copies_between_memory_and_images_hit_their_texels),
        CASE(blocks_volumes_and_lines_are_copied),
        CASE(a_read_format_gives_the_same_bits),
        CASE(images_are_copied_by_elements),
        CASE(depth_and_stencil_are_copied_apart),
        CASE(large_extents_have_large_tiles),
        CASE(images_are_cleared_by_draws_or_by_fills),
        CASE(attachments_are_cleared_in_rectangles_layers_and_views),
        CASE(a_family_clears_until_the_first_draw),
        CASE(blits_scale_mirror_and_convert),
        CASE(resolves_combine_samples),
        CASE(hooks_come_first),
        CASE(pipelines_are_kept_by_what_they_write),
        CASE(numbers_are_sorted_in_steps),
        CASE(failures_are_kept_in_the_command_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
