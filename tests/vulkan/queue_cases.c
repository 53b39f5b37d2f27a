/* A queue that does nothing but copy: boxes of images at any place and pitch, both ways and from image to image, images
 * that were drawn to, order between queues. Devices without such a queue copy on the general one. */
#include <stdlib.h>
#include <string.h>

#include "vt_image.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

/* ---- queues ---- */

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, (VkCommandPool)handle, NULL);
}

static void destroy_semaphore(struct vt *vt, uint64_t handle)
{
    vkDestroySemaphore(vt->device, (VkSemaphore)handle, NULL);
}

static VkCommandBuffer allocate(struct vt *vt, uint32_t family, VkCommandBufferLevel level)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VkCommandPool pool;
    VkCommandBuffer commands;
    VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &commands));
    return commands;
}

static VkCommandBuffer begin_transfer(struct vt *vt)
{
    VkCommandBuffer commands = allocate(vt, vt->transfer_family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    return commands;
}

static void submit(struct vt *vt, VkQueue queue, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stages,
                               .commandBufferCount = commands != NULL,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &signal};
    VT_CHECK(vt, vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
}

static void finish_transfer(struct vt *vt, VkCommandBuffer commands)
{
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    submit(vt, vt->transfer_queue, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    VT_CHECK(vt, vkQueueWaitIdle(vt->transfer_queue));
}

static VkSemaphore semaphore(struct vt *vt)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made;
    VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &made));
    vt_defer(vt, destroy_semaphore, (uint64_t)made);
    return made;
}

/* One half of a change of owner and layout: the release, or with `acquire` the other. Within one family the release is
 * an ordinary barrier and the acquire nothing. */
static void hand_over(VkCommandBuffer commands, const struct vt_image *image, uint32_t from, uint32_t to,
                      VkImageLayout layout, bool acquire)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = acquire ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = acquire || from == to ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .oldLayout = image->layout,
        .newLayout = layout,
        .srcQueueFamilyIndex = from,
        .dstQueueFamilyIndex = to,
        .image = image->image,
        .subresourceRange = {image->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    if (from == to && acquire)
        return;
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(commands, all, all, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* The whole of it, submitted: afterwards `to` owns the image. */
static void give_to_transfer(struct vt *vt, VkCommandBuffer last, VkCommandBuffer next, struct vt_image *image,
                             VkImageLayout layout)
{
    hand_over(last, image, vt->family, vt->transfer_family, layout, false);
    vt_submit(vt, last);
    hand_over(next, image, vt->family, vt->transfer_family, layout, true);
    image->layout = layout;
}

static VkCommandBuffer take_back(struct vt *vt, VkCommandBuffer last, struct vt_image *image, VkImageLayout layout)
{
    hand_over(last, image, vt->transfer_family, vt->family, layout, false);
    finish_transfer(vt, last);
    VkCommandBuffer next = vt_begin(vt);
    hand_over(next, image, vt->transfer_family, vt->family, layout, true);
    image->layout = layout;
    return next;
}

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

/* The same level as a tight box. */
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

static struct vt_buffer random_buffer(struct vt *vt, size_t size_B, uint64_t seed)
{
    struct vt_buffer made = vt_buffer(vt, size_B, NULL);
    for (size_t i = 0; i < size_B; i++)
        ((uint8_t *)made.map)[i] = (uint8_t)vt_random(&seed);
    return made;
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

/* What the whole level holds after the box was written into it. */
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
    struct vt_buffer base = random_buffer(vt, box_B(&whole), 3), data = random_buffer(vt, box_B(box), 7),
                     back = vt_buffer(vt, box_B(box), NULL), level = vt_buffer(vt, box_B(&whole), NULL);
    memset(back.map, 0x5a, box_B(box));
    const VkBufferImageCopy all = region_of(&whole), part = region_of(box);
    VkCommandBuffer commands = begin_transfer(vt);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, base.buffer, image.image, dst, 1, &all);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, data.buffer, image.image, dst, 1, &part);
    vt_to_layout(commands, &image, src);
    vkCmdCopyImageToBuffer(commands, image.image, src, back.buffer, 1, &part);
    vkCmdCopyImageToBuffer(commands, image.image, src, level.buffer, 1, &all);
    VkCommandBuffer last = take_back(vt, commands, &image, src);
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
    struct vt_buffer texels = random_buffer(vt, box_B(&src_all), 5), base = random_buffer(vt, box_B(&dst_all), 9),
                     seen = vt_buffer(vt, box_B(&dst_all), NULL);
    const VkBufferImageCopy src_region = region_of(&src_all), dst_region = region_of(&dst_all),
                            src_part = region_of(&pair->src), dst_part = region_of(&pair->dst);
    /* Of one image the general queue fills the level, of the other the transfer queue does. */
    VkCommandBuffer first = vt_begin(vt), commands = begin_transfer(vt);
    vt_to_layout(first, &from, dst);
    vkCmdCopyBufferToImage(first, texels.buffer, from.image, dst, 1, &src_region);
    give_to_transfer(vt, first, commands, &from, src);
    vt_to_layout(commands, &to, dst);
    vkCmdCopyBufferToImage(commands, base.buffer, to.image, dst, 1, &dst_region);
    vt_to_layout(commands, &to, dst);
    const VkImageCopy region = {
        src_part.imageSubresource, src_part.imageOffset, dst_part.imageSubresource, dst_part.imageOffset,
        pair->src.type == TYPE_3D
            ? src_part.imageExtent
            : (VkExtent3D){src_part.imageExtent.width, src_part.imageExtent.height, dst_part.imageExtent.depth}};
    vkCmdCopyImage(commands, from.image, src, to.image, dst, 1, &region);
    VkCommandBuffer last = take_back(vt, commands, &to, src);
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

/* ---- images of other queues ---- */

struct drawn {
    bool concurrent; /* shared without a change of owner */
    uint32_t layers;
};

static struct vt_image target(struct vt *vt, const struct drawn *drawn, const uint32_t families[2])
{
    const bool shared = drawn->concurrent && families[0] != families[1];
    return vt_image(vt, &(struct vt_image_info){.format = RGBA8,
                                                .width = 260,
                                                .height = 130,
                                                .layers = drawn->layers,
                                                .usage = COLOR,
                                                .families = shared ? families : NULL});
}

/* All of the layers become `color`, or only some columns of them. */
static void draw_clear(struct vt *vt, VkCommandBuffer commands, const struct vt_image *image, uint32_t columns,
                       const float color[4])
{
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = vt_view(vt, image, VK_IMAGE_VIEW_TYPE_2D_ARRAY),
        .imageLayout = image->layout,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue.color = {.float32 = {color[0], color[1], color[2], color[3]}},
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea.extent = {columns, image->info.extent.height},
        .layerCount = image->info.arrayLayers,
        .colorAttachmentCount = 1,
        .pColorAttachments = &attachment,
    };
    vkCmdBeginRendering(commands, &info);
    vkCmdEndRendering(commands);
}

static void expect_columns(struct vt *vt, const struct vt_buffer *texels, const struct vt_image *image, uint32_t first,
                           uint32_t end, uint32_t expected, const char *what)
{
    const uint32_t width = image->info.extent.width, rows = image->info.extent.height * image->info.arrayLayers;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = first; x < end; x++) {
            const uint32_t got = ((const uint32_t *)texels->map)[y * width + x];
            if (got != expected)
                vt_fail(vt, "%s: pixel %u of row %u is 0x%08x, not 0x%08x", what, x, y, got, expected);
        }
    }
}

/* The general queue draws, the transfer queue reads and writes a part, the general queue draws again. */
static void case_drawn(struct vt *vt, const void *argument)
{
    const struct drawn *drawn = argument;
    if (!vt->features13.dynamicRendering)
        vt_skip(vt, "no dynamic rendering");
    const uint32_t families[2] = {vt->family, vt->transfer_family};
    const VkImageLayout attachment = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        src = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    struct vt_image image = target(vt, drawn, families);
    const uint32_t rows = 130 * drawn->layers;
    struct vt_buffer seen = vt_buffer(vt, 4 * 260 * rows, NULL), blue = vt_buffer(vt, 4 * 100 * rows, NULL);
    for (uint32_t i = 0; i < 100 * rows; i++)
        ((uint32_t *)blue.map)[i] = 0xffff0000;
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, drawn->layers};
    const VkBufferImageCopy all = {.imageSubresource = layers, .imageExtent = {260, 130, 1}},
                            part = {
                                .imageSubresource = layers, .imageOffset = {160, 0, 0}, .imageExtent = {100, 130, 1}};
    VkCommandBuffer first = vt_begin(vt), commands = begin_transfer(vt);
    vt_to_layout(first, &image, attachment);
    draw_clear(vt, first, &image, 260, (const float[4]){0, 1, 0, 1});
    vt_to_layout(first, &image, attachment);
    draw_clear(vt, first, &image, 64, (const float[4]){1, 0, 0, 1});
    if (drawn->concurrent) {
        vt_to_layout(first, &image, src);
        vt_submit(vt, first);
    } else {
        give_to_transfer(vt, first, commands, &image, src);
    }
    vkCmdCopyImageToBuffer(commands, image.image, src, seen.buffer, 1, &all);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, blue.buffer, image.image, dst, 1, &part);
    VkCommandBuffer last;
    if (drawn->concurrent) {
        finish_transfer(vt, commands);
        last = vt_begin(vt);
        vt_to_layout(last, &image, attachment);
    } else {
        last = take_back(vt, commands, &image, attachment);
    }
    draw_clear(vt, last, &image, 32, (const float[4]){1, 1, 1, 1});
    struct vt_buffer after = vt_record_download(vt, last, &image, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, last);
    expect_columns(vt, &seen, &image, 0, 64, 0xff0000ff, "read on the transfer queue");
    expect_columns(vt, &seen, &image, 64, 260, 0xff00ff00, "read on the transfer queue");
    expect_columns(vt, &after, &image, 0, 32, 0xffffffff, "drawn afterwards");
    expect_columns(vt, &after, &image, 32, 64, 0xff0000ff, "kept");
    expect_columns(vt, &after, &image, 64, 160, 0xff00ff00, "kept");
    expect_columns(vt, &after, &image, 160, 260, 0xffff0000, "written by the transfer queue");
}

static const struct drawn drawns[] = {{false, 1}, {false, 3}, {true, 1}, {true, 2}};

/* Four samples of a pixel go from image to image: those of a box. */
static void case_samples(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features13.dynamicRendering)
        vt_skip(vt, "no dynamic rendering");
    const VkImageLayout attachment = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        src = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const struct vt_image_info four = {
        .format = RGBA8, .width = 48, .height = 20, .samples = VK_SAMPLE_COUNT_4_BIT, .usage = COLOR};
    struct vt_image from = vt_image(vt, &four), to = vt_image(vt, &four), plain = vt_image_2d(vt, RGBA8, 48, 20, 0);
    VkCommandBuffer first = vt_begin(vt), commands = begin_transfer(vt);
    vt_to_layout(first, &from, attachment);
    draw_clear(vt, first, &from, 48, (const float[4]){0, 1, 0, 1});
    vt_to_layout(first, &from, attachment);
    draw_clear(vt, first, &from, 24, (const float[4]){1, 0, 0, 1});
    vt_to_layout(first, &to, attachment);
    draw_clear(vt, first, &to, 48, (const float[4]){0, 0, 1, 1});
    hand_over(first, &to, vt->family, vt->transfer_family, dst, false);
    hand_over(commands, &to, vt->family, vt->transfer_family, dst, true);
    to.layout = dst;
    give_to_transfer(vt, first, commands, &from, src);
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {color, {8, 0, 0}, color, {16, 0, 0}, {32, 20, 1}};
    vkCmdCopyImage(commands, from.image, src, to.image, dst, 1, &region);
    VkCommandBuffer last = take_back(vt, commands, &to, src);
    const VkImageResolve resolve = {color, {0, 0, 0}, color, {0, 0, 0}, {48, 20, 1}};
    vt_to_layout(last, &plain, dst);
    vkCmdResolveImage(last, to.image, src, plain.image, dst, 1, &resolve);
    struct vt_buffer seen = vt_record_download(vt, last, &plain, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, last);
    expect_columns(vt, &seen, &plain, 0, 16, 0xffff0000, "outside of the box");
    expect_columns(vt, &seen, &plain, 16, 32, 0xff0000ff, "copied");
    expect_columns(vt, &seen, &plain, 32, 48, 0xff00ff00, "copied");
}

/* ---- buffers, time, order ---- */

enum {
    BYTES = 10000,
    MANY = 6000, /* copies of a word: more than one piece of a stream holds */
};

static void case_buffers(struct vt *vt, const void *argument)
{
    (void)argument;
    struct vt_buffer from = random_buffer(vt, BYTES, 21), to = vt_local_buffer(vt, BYTES),
                     back = vt_buffer(vt, BYTES, NULL);
    uint8_t expected[BYTES];
    uint32_t update[1000];
    uint64_t seed = 4;
    for (uint32_t i = 0; i < COUNT_OF(update); i++)
        update[i] = vt_random(&seed);
    VkCommandBuffer commands = begin_transfer(vt);
    const VkBufferCopy whole = {0, 0, BYTES}, regions[] = {{1, 5000, 3}, {17, 5003, 1001}, {4000, 6005, 2}};
    vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &whole);
    vt_full_barrier(commands);
    vkCmdFillBuffer(commands, to.buffer, 100, 1600, 0x12345678);
    vkCmdUpdateBuffer(commands, to.buffer, 2000, 2000, update);
    vkCmdUpdateBuffer(commands, to.buffer, 4000, 2000, update + 500);
    vt_full_barrier(commands);
    vkCmdCopyBuffer(commands, from.buffer, to.buffer, COUNT_OF(regions), regions);
    vt_full_barrier(commands);
    vkCmdCopyBuffer(commands, to.buffer, back.buffer, 1, &whole);
    finish_transfer(vt, commands);
    memcpy(expected, from.map, BYTES);
    for (uint32_t i = 0; i < 400; i++)
        memcpy(expected + 100 + 4 * i, &(uint32_t){0x12345678}, 4);
    memcpy(expected + 2000, update, sizeof(update));
    for (uint32_t i = 0; i < COUNT_OF(regions); i++)
        memcpy(expected + regions[i].dstOffset, (const uint8_t *)from.map + regions[i].srcOffset, regions[i].size);
    vt_expect_words(vt, back.map, (const uint32_t *)(const void *)expected, BYTES / 4, "the buffer");
}

/* The words of a buffer in reverse, by a copy for each; with an argument in a secondary command buffer. */
static void case_many(struct vt *vt, const void *argument)
{
    struct vt_buffer from = random_buffer(vt, 4 * MANY, 8), to = vt_buffer(vt, 4 * MANY, NULL);
    VkCommandBuffer commands = begin_transfer(vt), inner = commands;
    if (argument) {
        const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                .pInheritanceInfo = &inheritance};
        inner = allocate(vt, vt->transfer_family, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        VT_CHECK(vt, vkBeginCommandBuffer(inner, &begin));
    }
    uint32_t *expected = malloc(4 * MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        const VkBufferCopy region = {4 * i, 4 * (MANY - 1 - i), 4};
        vkCmdCopyBuffer(inner, from.buffer, to.buffer, 1, &region);
        expected[MANY - 1 - i] = ((const uint32_t *)from.map)[i];
    }
    if (argument) {
        VT_CHECK(vt, vkEndCommandBuffer(inner));
        vkCmdExecuteCommands(commands, 1, &inner);
    }
    finish_transfer(vt, commands);
    bool same = memcmp(to.map, expected, 4 * MANY) == 0;
    free(expected);
    if (!same)
        vt_fail(vt, "the words are not in reverse");
}

static void destroy_queries(struct vt *vt, uint64_t handle)
{
    vkDestroyQueryPool(vt->device, (VkQueryPool)handle, NULL);
}

static void case_time(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features12.hostQueryReset)
        vt_skip(vt, "no reset by the host");
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT_OF(families);
    vkGetPhysicalDeviceQueueFamilyProperties(vt->physical, &count, families);
    if (!families[vt->transfer_family].timestampValidBits)
        vt_skip(vt, "no time on this queue");
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    VkQueryPool pool;
    uint64_t times[2] = {0};
    struct vt_buffer from = vt_buffer(vt, 1 << 20, NULL), to = vt_buffer(vt, 1 << 20, NULL);
    VT_CHECK(vt, vkCreateQueryPool(vt->device, &info, NULL, &pool));
    vt_defer(vt, destroy_queries, (uint64_t)pool);
    vkResetQueryPool(vt->device, pool, 0, 2);
    VkCommandBuffer commands = begin_transfer(vt);
    const VkBufferCopy whole = {0, 0, 1 << 20};
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, pool, 0);
    vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &whole);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    finish_transfer(vt, commands);
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 2, sizeof(times), times, 8,
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    if (!times[0] || times[0] > times[1])
        vt_fail(vt, "times %llu and %llu", (unsigned long long)times[0], (unsigned long long)times[1]);
}

/* Work goes to and fro between the queues by semaphores; one submission has no commands. */
static void case_order(struct vt *vt, const void *argument)
{
    (void)argument;
    enum {
        ROUNDS = 8,
        SIZE = 64 << 10
    };
    struct vt_buffer a = vt_local_buffer(vt, SIZE), b = vt_local_buffer(vt, SIZE),
                     out = vt_buffer(vt, SIZE * ROUNDS, NULL);
    VkSemaphore last = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        VkSemaphore filled = semaphore(vt), copied = semaphore(vt), empty = semaphore(vt);
        const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        VkCommandBuffer general = allocate(vt, vt->family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        VT_CHECK(vt, vkBeginCommandBuffer(general, &begin));
        vkCmdFillBuffer(general, a.buffer, 0, SIZE, 0x1000 + i);
        vt_full_barrier(general);
        VT_CHECK(vt, vkEndCommandBuffer(general));
        submit(vt, vt->queue, general, last, filled);
        VkCommandBuffer transfer = begin_transfer(vt);
        const VkBufferCopy there = {0, 0, SIZE}, out_region = {0, (VkDeviceSize)i * SIZE, SIZE};
        vkCmdCopyBuffer(transfer, a.buffer, b.buffer, 1, &there);
        vt_full_barrier(transfer);
        vkCmdCopyBuffer(transfer, b.buffer, out.buffer, 1, &out_region);
        vt_full_barrier(transfer);
        VT_CHECK(vt, vkEndCommandBuffer(transfer));
        submit(vt, vt->transfer_queue, transfer, filled, copied);
        submit(vt, vt->transfer_queue, NULL, copied, empty);
        last = empty;
    }
    submit(vt, vt->queue, NULL, last, VK_NULL_HANDLE);
    VT_CHECK(vt, vkDeviceWaitIdle(vt->device));
    for (uint32_t i = 0; i < ROUNDS * SIZE / 4; i++) {
        const uint32_t got = ((const uint32_t *)out.map)[i], right = 0x1000 + i / (SIZE / 4);
        if (got != right)
            vt_fail(vt, "word %u is 0x%x, not 0x%x", i, got, right);
    }
}

#define BOX_CASE(name, i)                                                                                              \
    {                                                                                                                  \
        "box_" name, case_box, &boxes[i]                                                                               \
    }
#define PAIR_CASE(name, i)                                                                                             \
    {                                                                                                                  \
        "image_" name, case_pair, &pairs[i]                                                                            \
    }

const struct vt_case vt_queue_cases[] = {
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
    {"drawn", case_drawn, &drawns[0]},
    {"drawn_layers", case_drawn, &drawns[1]},
    {"drawn_concurrent", case_drawn, &drawns[2]},
    {"drawn_concurrent_layers", case_drawn, &drawns[3]},
    {"samples", case_samples, NULL},
    {"buffers", case_buffers, NULL},
    {"many", case_many, NULL},
    {"many_secondary", case_many, ""},
    {"time", case_time, NULL},
    {"order", case_order, NULL},
};
const size_t vt_queue_count = COUNT_OF(vt_queue_cases);
