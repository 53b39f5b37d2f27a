/* Copies between buffers and images that are large enough for the ways that drivers keep for those: whole levels in one
 * piece against the same in strips at odd places, both ways round. */
#include <stdlib.h>
#include <string.h>

#include "vt/vt_image.h"

struct large {
    VkFormat format;
    VkImageType type;
    uint32_t width, height, depth, levels, layers;
    VkImageUsageFlags usage;
    uint32_t more_row, more_rows; /* texels of the buffer between rows, rows between slices */
};

/* Where a texel of a level lies in the buffer. */
struct lie {
    uint32_t block, texel_B;        /* edge of a block, and its bytes */
    uint32_t width, height, slices; /* blocks */
    uint32_t row, rows;             /* blocks of the buffer's rows, and of its slices */
};

static struct lie lie_of(const struct large *large, uint32_t level)
{
    const struct vt_format *known = vt_format(large->format);
    struct lie lie = {.block = known->block, .texel_B = known->texel_B};
    lie.width = (vt_mip(large->width, level) + lie.block - 1) / lie.block;
    lie.height = (vt_mip(large->height, level) + lie.block - 1) / lie.block;
    lie.slices = large->type == VK_IMAGE_TYPE_3D ? vt_mip(large->depth, level) : large->layers;
    lie.row = lie.width + large->more_row;
    lie.rows = lie.height + large->more_rows;
    return lie;
}

static VkBufferImageCopy region_of(const struct large *large, const struct lie *lie, uint32_t level, uint32_t x,
                                   uint32_t y, uint32_t width, uint32_t height)
{
    bool is_3d = large->type == VK_IMAGE_TYPE_3D;
    uint32_t texel_x = x * lie->block, texel_y = y * lie->block, right = (x + width) * lie->block,
             bottom = (y + height) * lie->block;
    uint32_t end_x = vt_mip(large->width, level), end_y = vt_mip(large->height, level);
    return (VkBufferImageCopy){
        .bufferOffset = ((VkDeviceSize)y * lie->row + x) * lie->texel_B,
        .bufferRowLength = lie->row * lie->block,
        .bufferImageHeight = lie->rows * lie->block,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, is_3d ? 1 : large->layers},
        .imageOffset = {(int32_t)texel_x, (int32_t)texel_y, 0},
        .imageExtent = {(right < end_x ? right : end_x) - texel_x, (bottom < end_y ? bottom : end_y) - texel_y,
                        is_3d ? lie->slices : 1},
    };
}

/* The whole level as one region, or as strips none of which begins or ends at a round place. */
static uint32_t regions_of(const struct large *large, uint32_t level, bool whole, VkBufferImageCopy regions[64])
{
    const struct lie lie = lie_of(large, level);
    static const uint32_t strips[] = {3, 45, 129, 66, 301};
    uint32_t count = 0;
    if (whole) {
        regions[0] = region_of(large, &lie, level, 0, 0, lie.width, lie.height);
        return 1;
    }
    for (uint32_t y = 0, n = 0; y < lie.height; n++) {
        uint32_t rows = strips[n % 5] < lie.height - y ? strips[n % 5] : lie.height - y;
        for (uint32_t x = 0, m = 0; x < lie.width && count < 64; m++) {
            uint32_t columns = strips[(m + 1) % 5] * 3 + 1;
            columns = columns < lie.width - x ? columns : lie.width - x;
            regions[count++] = region_of(large, &lie, level, x, y, columns, rows);
            x += columns;
        }
        y += rows;
    }
    return count;
}

static size_t buffer_B(const struct large *large, uint32_t level)
{
    const struct lie lie = lie_of(large, level);
    return (size_t)lie.row * lie.rows * lie.slices * lie.texel_B;
}

static void expect_level(struct vt *vt, const struct large *large, uint32_t level, const uint8_t *got,
                         const uint8_t *expected)
{
    const struct lie lie = lie_of(large, level);
    for (uint32_t z = 0; z < lie.slices; z++) {
        for (uint32_t y = 0; y < lie.height; y++) {
            size_t at_B = ((size_t)z * lie.rows + y) * lie.row * lie.texel_B;
            for (size_t i = 0; i < (size_t)lie.width * lie.texel_B; i++) {
                if (got[at_B + i] != expected[at_B + i])
                    vt_fail(vt, "level %u, slice %u, row %u, texel %zu: %02x, not %02x", level, z, y, i / lie.texel_B,
                            got[at_B + i], expected[at_B + i]);
            }
            /* Bytes between rows are unused. */
            for (size_t i = (size_t)lie.width * lie.texel_B; i < (size_t)lie.row * lie.texel_B; i++) {
                if (got[at_B + i] != 0x5a)
                    vt_fail(vt, "level %u, slice %u: bytes behind row %u are overwritten", level, z, y);
            }
        }
    }
}

static void copy_there_and_back(struct vt *vt, const struct large *large, bool whole_there, bool whole_back)
{
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = large->format,
                                                                 .type = large->type,
                                                                 .width = large->width,
                                                                 .height = large->height,
                                                                 .depth = large->depth,
                                                                 .levels = large->levels,
                                                                 .layers = large->layers,
                                                                 .usage = large->usage});
    uint64_t seed = 11;
    VkBufferImageCopy regions[64];
    for (uint32_t level = 0; level < large->levels; level++) {
        size_t size_B = buffer_B(large, level);
        struct vt_buffer from = vt_buffer(vt, size_B, NULL), to = vt_buffer(vt, size_B, NULL);
        for (size_t i = 0; i < size_B; i++)
            ((uint8_t *)from.map)[i] = (uint8_t)vt_random(&seed);
        memset(to.map, 0x5a, size_B);
        VkCommandBuffer commands = vt_begin(vt);
        vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(commands, from.buffer, image.image, image.layout,
                               regions_of(large, level, whole_there, regions), regions);
        vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkCmdCopyImageToBuffer(commands, image.image, image.layout, to.buffer,
                               regions_of(large, level, whole_back, regions), regions);
        vt_full_barrier(commands);
        vt_submit(vt, commands);
        expect_level(vt, large, level, to.map, from.map);
    }
}

static void case_large_copy(struct vt *vt, const void *argument)
{
    vt_need_features(vt, ((const struct large *)argument)->format,
                     VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
    copy_there_and_back(vt, argument, true, false);
    copy_there_and_back(vt, argument, false, true);
    copy_there_and_back(vt, argument, true, true);
}

#define SAMPLED VK_IMAGE_USAGE_SAMPLED_BIT
#define TARGET (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)
#define LARGE(name, ...)                                                                                               \
    {                                                                                                                  \
        name, case_large_copy, &(const struct large)__VA_ARGS__                                                        \
    }
#define FLAT VK_IMAGE_TYPE_2D
const struct vt_case vt_large_copy_cases[] = {
    LARGE("r8", {VK_FORMAT_R8_UNORM, FLAT, 528, 300, 1, 2, 1, SAMPLED, 0, 0}),
    LARGE("r16", {VK_FORMAT_R16_UINT, FLAT, 400, 300, 1, 2, 1, SAMPLED, 0, 0}),
    LARGE("rgba8", {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 512, 512, 1, 10, 1, SAMPLED, 0, 0}),
    LARGE("rgba8_target", {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 640, 520, 1, 1, 1, TARGET, 0, 0}),
    LARGE("rgba8_storage",
          {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 260, 260, 1, 1, 2, SAMPLED | VK_IMAGE_USAGE_STORAGE_BIT, 0, 0}),
    LARGE("rgba8_rows", {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 300, 200, 1, 1, 3, SAMPLED, 7, 3}),
    LARGE("rgba8_wide", {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 1028, 1030, 1, 1, 1, SAMPLED, 0, 0}),
    LARGE("rgba8_window", {VK_FORMAT_R8G8B8A8_UNORM, FLAT, 500, 500, 1, 1, 1, SAMPLED, 0, 0}),
    LARGE("r8_odd_rows", {VK_FORMAT_R8_UNORM, FLAT, 528, 300, 1, 1, 1, SAMPLED, 1, 0}),
    LARGE("rgba16", {VK_FORMAT_R16G16B16A16_SFLOAT, FLAT, 200, 150, 1, 2, 2, SAMPLED, 0, 0}),
    LARGE("rgba32", {VK_FORMAT_R32G32B32A32_UINT, FLAT, 130, 140, 1, 2, 2, SAMPLED, 2, 0}),
    LARGE("bc1", {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, FLAT, 520, 390, 1, 2, 1, SAMPLED, 0, 0}),
    LARGE("bc3", {VK_FORMAT_BC3_UNORM_BLOCK, FLAT, 1022, 515, 1, 2, 1, SAMPLED, 0, 1}),
    LARGE("volume_rgba8", {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 160, 132, 9, 2, 1, SAMPLED, 0, 0}),
    LARGE("volume_r16",
          {VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_3D, 208, 170, 5, 1, 1, SAMPLED | VK_IMAGE_USAGE_STORAGE_BIT, 0, 2}),
    /* Tiles of 4 KiB, which are narrow: a few texels, or 64 bytes. */
    LARGE("volume_rgba32", {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_3D, 64, 64, 8, 1, 1, SAMPLED, 0, 0}),
    LARGE("volume_rg32", {VK_FORMAT_R32G32_UINT, VK_IMAGE_TYPE_3D, 96, 96, 8, 1, 1, SAMPLED, 0, 0}),
    LARGE("volume_r32", {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_3D, 160, 128, 4, 1, 1, SAMPLED, 0, 0}),
    LARGE("r8_narrow", {VK_FORMAT_R8_UNORM, FLAT, 272, 272, 1, 1, 1, SAMPLED, 0, 0}),
    LARGE("rgba32_narrow", {VK_FORMAT_R32G32B32A32_UINT, FLAT, 72, 72, 1, 1, 1, SAMPLED, 0, 0}),
};
const size_t vt_large_copy_count = COUNT_OF(vt_large_copy_cases);
