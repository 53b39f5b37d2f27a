/* Boxes of images on a queue that only copies (queue.h): at any place and pitch, both ways, and from image to image. */
#include <stdlib.h>
#include <string.h>

#include "cases/device/queue.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

/* ---- boxes ---- */

struct box {
    VkFormat format;
    VkImageType type;
    uint32_t width, height, depth, levels, layers;
    uint32_t level;
    uint32_t at[3], size[3];      /* blocks of the level; z: slices or layers */
    uint32_t more_row, more_rows; /* blocks of the buffer between rows, rows between slices */
    VkDeviceSize offset_B;        /* in the buffer */
    VkImageUsageFlags usage;
};

/* The extent of the level in blocks. */
static void level_blocks(const struct box *box, uint32_t out[3])
{
    const uint32_t block = vt_format(box->format)->block;
    out[0] = (vt_mip(box->width, box->level) + block - 1) / block;
    out[1] = box->type == VK_IMAGE_TYPE_1D ? 1 : (vt_mip(box->height, box->level) + block - 1) / block;
    out[2] = box->type == VK_IMAGE_TYPE_3D ? vt_mip(box->depth, box->level) : box->layers;
}

static VkBufferImageCopy region_of(const struct box *box)
{
    const uint32_t block = vt_format(box->format)->block;
    const bool is_3d = box->type == VK_IMAGE_TYPE_3D;
    uint32_t right = (box->at[0] + box->size[0]) * block, bottom = (box->at[1] + box->size[1]) * block;
    uint32_t width = vt_mip(box->width, box->level),
             height = box->type == VK_IMAGE_TYPE_1D ? 1 : vt_mip(box->height, box->level);
    return (VkBufferImageCopy){
        .bufferOffset = box->offset_B,
        .bufferRowLength = (box->size[0] + box->more_row) * block,
        .bufferImageHeight = (box->size[1] + box->more_rows) * block,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, box->level, is_3d ? 0 : box->at[2], is_3d ? 1 : box->size[2]},
        .imageOffset = {(int32_t)(box->at[0] * block), (int32_t)(box->at[1] * block), is_3d ? (int32_t)box->at[2] : 0},
        .imageExtent = {(right < width ? right : width) - box->at[0] * block,
                        (bottom < height ? bottom : height) - box->at[1] * block, is_3d ? box->size[2] : 1},
    };
}

/* The level as a tight box. */
static struct box whole_of(const struct box *box)
{
    struct box whole = *box;
    whole.more_row = whole.more_rows = 0;
    whole.offset_B = 0;
    memset(whole.at, 0, sizeof(whole.at));
    level_blocks(box, whole.size);
    return whole;
}

static size_t row_at(const struct box *box, uint32_t y, uint32_t z)
{
    const uint32_t texel_B = vt_format(box->format)->texel_B;
    return box->offset_B +
           (size_t)((z * (box->size[1] + box->more_rows) + y) * (box->size[0] + box->more_row)) * texel_B;
}

static size_t box_B(const struct box *box)
{
    return row_at(box, 0, box->size[2]);
}

static struct vt_image image_of(struct vt *vt, const struct box *box)
{
    return vt_image(vt, &(struct vt_image_info){.format = box->format,
                                                .type = box->type,
                                                .width = box->width,
                                                .height = box->type == VK_IMAGE_TYPE_1D ? 0 : box->height,
                                                .depth = box->depth,
                                                .levels = box->levels,
                                                .layers = box->layers,
                                                .usage = box->usage});
}

/* The contents of the whole level after the box was written into it. */
static uint8_t *written_level(const struct box *box, const uint8_t *base, const uint8_t *data)
{
    const struct box whole = whole_of(box);
    const uint32_t texel_B = vt_format(box->format)->texel_B;
    uint8_t *level = malloc(box_B(&whole));
    memcpy(level, base, box_B(&whole));
    for (uint32_t z = 0; z < box->size[2]; z++) {
        for (uint32_t y = 0; y < box->size[1]; y++)
            memcpy(level + row_at(&whole, box->at[1] + y, box->at[2] + z) + (size_t)box->at[0] * texel_B,
                   data + row_at(box, y, z), (size_t)box->size[0] * texel_B);
    }
    return level;
}

/* The rows of the box, and nothing between them. */
static void expect_rows(struct vt *vt, const struct box *box, const uint8_t *got, const uint8_t *data)
{
    const size_t row_B = (size_t)box->size[0] * vt_format(box->format)->texel_B, size_B = box_B(box);
    uint8_t *expected = malloc(size_B);
    memset(expected, 0x5a, size_B);
    for (uint32_t z = 0; z < box->size[2]; z++) {
        for (uint32_t y = 0; y < box->size[1]; y++)
            memcpy(expected + row_at(box, y, z), data + row_at(box, y, z), row_B);
    }
    for (size_t i = 0; i < size_B; i++) {
        if (got[i] != expected[i]) {
            const uint8_t right = expected[i];
            free(expected);
            vt_fail(vt, "byte %zu of the buffer is %02x, not %02x", i, got[i], right);
        }
    }
    free(expected);
}

static void expect_level(struct vt *vt, const struct box *box, const uint8_t *got, uint8_t *expected, const char *what)
{
    const struct box whole = whole_of(box);
    const size_t size_B = box_B(&whole);
    for (size_t i = 0; i < size_B; i++) {
        if (got[i] != expected[i]) {
            const uint8_t right = expected[i];
            free(expected);
            vt_fail(vt, "%s: byte %zu of the level is %02x, not %02x", what, i, got[i], right);
        }
    }
}

/* A level is filled, a box of it written and read, by the transfer queue; both queues then see the same level. */
static void case_box(struct vt *vt, const void *argument)
{
    const struct box *box = argument;
    const struct box whole = whole_of(box);
    const VkImageLayout src = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    vt_need_features(vt, box->format, VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT);
    struct vt_image image = image_of(vt, box);
    struct vt_buffer base = queue_random(vt, box_B(&whole), 3), data = queue_random(vt, box_B(box), 7),
                     back = vt_buffer(vt, box_B(box), NULL), level = vt_buffer(vt, box_B(&whole), NULL);
    memset(back.map, 0x5a, box_B(box));
    const VkBufferImageCopy all = region_of(&whole), part = region_of(box);
    VkCommandBuffer commands = queue_begin(vt);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, base.buffer, image.image, dst, 1, &all);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, data.buffer, image.image, dst, 1, &part);
    vt_to_layout(commands, &image, src);
    vkCmdCopyImageToBuffer(commands, image.image, src, back.buffer, 1, &part);
    vkCmdCopyImageToBuffer(commands, image.image, src, level.buffer, 1, &all);
    VkCommandBuffer last = queue_take_back(vt, commands, &image, src);
    struct vt_buffer seen = vt_buffer(vt, box_B(&whole), NULL);
    vkCmdCopyImageToBuffer(last, image.image, src, seen.buffer, 1, &all);
    vt_full_barrier(last);
    vt_submit(vt, last);
    expect_rows(vt, box, back.map, data.map);
    uint8_t *expected = written_level(box, base.map, data.map);
    expect_level(vt, box, level.map, expected, "on the transfer queue");
    expect_level(vt, box, seen.map, expected, "on the general queue");
    free(expected);
}

#define COLOR VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
#define TYPE_1D VK_IMAGE_TYPE_1D
#define TYPE_2D VK_IMAGE_TYPE_2D
#define TYPE_3D VK_IMAGE_TYPE_3D

static const struct box boxes[] = {
    {RGBA8, TYPE_2D, 200, 150, 1, 1, 1, 0, {0, 0, 0}, {200, 150, 1}, 0, 0, 0, 0},
    {RGBA8, TYPE_2D, 200, 150, 1, 1, 1, 0, {13, 7, 0}, {101, 90, 1}, 3, 0, 16, 0},
    {RGBA8, TYPE_2D, 300, 200, 1, 1, 1, 0, {5, 3, 0}, {257, 133, 1}, 0, 0, 4, COLOR},
    {RGBA8, TYPE_2D, 130, 70, 1, 8, 1, 1, {1, 2, 0}, {40, 21, 1}, 0, 0, 0, VK_IMAGE_USAGE_SAMPLED_BIT},
    {RGBA8, TYPE_2D, 130, 70, 1, 8, 1, 5, {1, 0, 0}, {2, 2, 1}, 0, 0, 0, VK_IMAGE_USAGE_SAMPLED_BIT},
    {RGBA8, TYPE_2D, 70, 60, 1, 3, 5, 1, {3, 1, 2}, {30, 20, 3}, 2, 3, 0, COLOR},
    {RGBA8, TYPE_3D, 40, 30, 20, 1, 1, 0, {2, 3, 4}, {33, 20, 11}, 0, 0, 0, 0},
    {RGBA8, TYPE_3D, 40, 30, 20, 3, 1, 1, {1, 1, 1}, {18, 10, 7}, 1, 1, 8, VK_IMAGE_USAGE_SAMPLED_BIT},
    {RGBA8, TYPE_1D, 500, 1, 1, 1, 3, 0, {7, 0, 1}, {301, 1, 2}, 2, 0, 0, 0},
    {VK_FORMAT_R8_UNORM, TYPE_2D, 203, 51, 1, 1, 1, 0, {0, 0, 0}, {203, 51, 1}, 0, 0, 0, 0},
    {VK_FORMAT_R8_UNORM, TYPE_2D, 203, 51, 1, 1, 2, 0, {3, 5, 0}, {111, 40, 2}, 6, 1, 4, COLOR},
    {VK_FORMAT_R16_UNORM, TYPE_2D, 77, 90, 1, 1, 1, 0, {1, 1, 0}, {75, 80, 1}, 0, 0, 0, 0},
    {VK_FORMAT_R16_UINT, TYPE_3D, 33, 17, 9, 1, 1, 0, {5, 2, 1}, {21, 13, 7}, 0, 0, 4, 0},
    {VK_FORMAT_R16G16B16A16_SFLOAT, TYPE_2D, 100, 60, 1, 2, 2, 1, {4, 3, 1}, {40, 20, 1}, 5, 0, 8, COLOR},
    {VK_FORMAT_R32G32B32A32_UINT, TYPE_2D, 90, 50, 1, 1, 1, 0, {11, 9, 0}, {70, 33, 1}, 1, 0, 16, 0},
    {VK_FORMAT_R32G32B32A32_SFLOAT, TYPE_2D, 2000, 9, 1, 1, 1, 0, {1, 1, 0}, {1990, 7, 1}, 0, 0, 0, COLOR},
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, TYPE_2D, 131, 77, 1, 1, 1, 0, {3, 2, 0}, {20, 11, 1}, 1, 0, 8, 0},
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, TYPE_2D, 20, 20, 1, 4, 1, 1, {0, 0, 0}, {3, 3, 1}, 0, 0, 0, 0},
    {VK_FORMAT_BC3_UNORM_BLOCK, TYPE_2D, 1044, 530, 1, 6, 2, 1, {3, 1, 1}, {100, 50, 1}, 0, 0, 0, 0},
    {VK_FORMAT_BC3_UNORM_BLOCK, TYPE_2D, 1044, 530, 1, 6, 1, 4, {1, 1, 0}, {9, 5, 1}, 2, 0, 0, 0},
};

/* ---- from image to image ---- */

struct pair {
    struct box src, dst; /* .size of both is the same; the buffers' part is unused */
    bool src_linear, dst_linear;
};

static struct vt_image side_of(struct vt *vt, const struct box *box, bool linear)
{
    return linear ? vt_image(vt,
                             &(struct vt_image_info){
                                 .format = box->format, .width = box->width, .height = box->height, .linear = true})
                  : image_of(vt, box);
}

static void case_pair(struct vt *vt, const void *argument)
{
    const struct pair *pair = argument;
    const struct box src_all = whole_of(&pair->src), dst_all = whole_of(&pair->dst);
    const VkImageLayout src = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    if (pair->src.type != pair->dst.type && vt->driver == VK_DRIVER_ID_MESA_RADV &&
        vt->properties.driverVersion < VK_MAKE_API_VERSION(0, 25, 0, 0))
        vt_skip(vt, "RADV 22.3.6 copies one layer to a volume");
    struct vt_image from = side_of(vt, &pair->src, pair->src_linear), to = side_of(vt, &pair->dst, pair->dst_linear);
    struct vt_buffer texels = queue_random(vt, box_B(&src_all), 5), base = queue_random(vt, box_B(&dst_all), 9),
                     seen = vt_buffer(vt, box_B(&dst_all), NULL);
    const VkBufferImageCopy src_region = region_of(&src_all), dst_region = region_of(&dst_all),
                            src_part = region_of(&pair->src), dst_part = region_of(&pair->dst);
    /* Of one image the general queue fills the level, of the other the transfer queue does. */
    VkCommandBuffer first = vt_begin(vt), commands = queue_begin(vt);
    vt_to_layout(first, &from, dst);
    vkCmdCopyBufferToImage(first, texels.buffer, from.image, dst, 1, &src_region);
    queue_give(vt, first, commands, &from, src);
    vt_to_layout(commands, &to, dst);
    vkCmdCopyBufferToImage(commands, base.buffer, to.image, dst, 1, &dst_region);
    vt_to_layout(commands, &to, dst);
    const VkImageCopy region = {
        src_part.imageSubresource, src_part.imageOffset, dst_part.imageSubresource, dst_part.imageOffset,
        pair->src.type == TYPE_3D
            ? src_part.imageExtent
            : (VkExtent3D){src_part.imageExtent.width, src_part.imageExtent.height, dst_part.imageExtent.depth}};
    vkCmdCopyImage(commands, from.image, src, to.image, dst, 1, &region);
    VkCommandBuffer last = queue_take_back(vt, commands, &to, src);
    vkCmdCopyImageToBuffer(last, to.image, src, seen.buffer, 1, &dst_region);
    vt_full_barrier(last);
    vt_submit(vt, last);

    const uint32_t texel_B = vt_format(pair->src.format)->texel_B;
    uint8_t *part = malloc(box_B(&pair->dst));
    for (uint32_t z = 0; z < pair->dst.size[2]; z++) {
        for (uint32_t y = 0; y < pair->dst.size[1]; y++)
            memcpy(part + row_at(&pair->dst, y, z),
                   (const uint8_t *)texels.map + row_at(&src_all, pair->src.at[1] + y, pair->src.at[2] + z) +
                       (size_t)pair->src.at[0] * texel_B,
                   (size_t)pair->dst.size[0] * texel_B);
    }
    uint8_t *expected = written_level(&pair->dst, base.map, part);
    free(part);
    expect_level(vt, &pair->dst, seen.map, expected, "the copy");
    free(expected);
}

#define BOX(format, type, w, h, d, levels, layers, level, x, y, z, sx, sy, sz, usage)                                  \
    {                                                                                                                  \
        format, type, w, h, d, levels, layers, level, {x, y, z}, {sx, sy, sz}, 0, 0, 0, usage                          \
    }

static const struct pair pairs[] = {
    {BOX(RGBA8, TYPE_2D, 200, 100, 1, 1, 1, 0, 0, 0, 0, 200, 100, 1, COLOR),
     BOX(RGBA8, TYPE_2D, 200, 100, 1, 1, 1, 0, 0, 0, 0, 200, 100, 1, 0), false, false},
    {BOX(RGBA8, TYPE_2D, 200, 100, 1, 1, 1, 0, 7, 9, 0, 150, 77, 1, 0),
     BOX(RGBA8, TYPE_2D, 320, 150, 1, 1, 1, 0, 33, 2, 0, 150, 77, 1, COLOR), false, false},
    {BOX(RGBA8, TYPE_2D, 200, 100, 1, 1, 1, 0, 7, 9, 0, 150, 77, 1, 0),
     BOX(RGBA8, TYPE_2D, 203, 99, 1, 1, 1, 0, 5, 2, 0, 150, 77, 1, 0), false, true},
    {BOX(RGBA8, TYPE_2D, 201, 100, 1, 1, 1, 0, 7, 9, 0, 150, 77, 1, 0),
     BOX(RGBA8, TYPE_2D, 203, 99, 1, 1, 1, 0, 5, 2, 0, 150, 77, 1, COLOR), true, false},
    {BOX(RGBA8, TYPE_2D, 201, 100, 1, 1, 1, 0, 7, 9, 0, 150, 77, 1, 0),
     BOX(RGBA8, TYPE_2D, 203, 99, 1, 1, 1, 0, 5, 2, 0, 150, 77, 1, 0), true, true},
    {BOX(RGBA8, TYPE_2D, 64, 64, 1, 4, 6, 1, 3, 3, 2, 20, 20, 3, 0),
     BOX(RGBA8, TYPE_2D, 40, 40, 1, 1, 4, 0, 8, 4, 1, 20, 20, 3, 0), false, false},
    {BOX(RGBA8, TYPE_2D, 30, 30, 1, 1, 6, 0, 2, 3, 1, 21, 19, 4, 0),
     BOX(RGBA8, TYPE_3D, 40, 40, 12, 1, 1, 0, 5, 4, 3, 21, 19, 4, 0), false, false},
    {BOX(VK_FORMAT_R8_UINT, TYPE_2D, 301, 40, 1, 1, 1, 0, 3, 1, 0, 255, 33, 1, 0),
     BOX(VK_FORMAT_R8_UINT, TYPE_2D, 299, 50, 1, 1, 1, 0, 5, 11, 0, 255, 33, 1, 0), false, true},
    {BOX(VK_FORMAT_R16_UINT, TYPE_3D, 50, 40, 10, 2, 1, 1, 1, 1, 0, 21, 17, 4, 0),
     BOX(VK_FORMAT_R16_UINT, TYPE_3D, 31, 29, 8, 1, 1, 0, 2, 3, 4, 21, 17, 4, 0), false, false},
    {BOX(VK_FORMAT_BC1_RGB_UNORM_BLOCK, TYPE_2D, 100, 100, 1, 1, 1, 0, 3, 4, 0, 11, 10, 1, 0),
     BOX(VK_FORMAT_BC1_RGB_UNORM_BLOCK, TYPE_2D, 140, 84, 1, 2, 1, 1, 1, 0, 0, 11, 10, 1, 0), false, false},
};

#define BOX_CASE(name, i)                                                                                              \
    {                                                                                                                  \
        "box_" name, case_box, &boxes[i]                                                                               \
    }
#define PAIR_CASE(name, i)                                                                                             \
    {                                                                                                                  \
        "image_" name, case_pair, &pairs[i]                                                                            \
    }

const struct vt_case vt_queue_copy_cases[] = {
    BOX_CASE("whole", 0),
    BOX_CASE("part", 1),
    BOX_CASE("target", 2),
    BOX_CASE("level", 3),
    BOX_CASE("tail", 4),
    BOX_CASE("layers", 5),
    BOX_CASE("volume", 6),
    BOX_CASE("volume_level", 7),
    BOX_CASE("line", 8),
    BOX_CASE("bytes", 9),
    BOX_CASE("bytes_part", 10),
    BOX_CASE("shorts", 11),
    BOX_CASE("shorts_volume", 12),
    BOX_CASE("eight_bytes", 13),
    BOX_CASE("sixteen_bytes", 14),
    BOX_CASE("long_rows", 15),
    BOX_CASE("blocks", 16),
    BOX_CASE("blocks_odd_level", 17),
    BOX_CASE("blocks_level", 18),
    BOX_CASE("blocks_small_level", 19),
    PAIR_CASE("whole", 0),
    PAIR_CASE("part", 1),
    PAIR_CASE("to_linear", 2),
    PAIR_CASE("from_linear", 3),
    PAIR_CASE("linear", 4),
    PAIR_CASE("layers", 5),
    PAIR_CASE("layers_to_volume", 6),
    PAIR_CASE("bytes_to_linear", 7),
    PAIR_CASE("volumes", 8),
    PAIR_CASE("blocks", 9),
};
const size_t vt_queue_copy_count = COUNT_OF(vt_queue_copy_cases);
