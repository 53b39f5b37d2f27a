/* Copies and fills, in bytes a second. What is copied is counted once, though it is read and written. Every byte is
 * looked at in the end. Not for: uploads by the CPU; that is memcpy on every driver here. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_B (32u << 20)
#define SIZE 2048u /* of the images, RGBA8: 16 MiB */
#define FILL_WORD 0x9abcdef1u

static struct {
    uint8_t *data; /* what must come out */
    size_t size_B;
    struct bench_buffer from, to;
    struct draw_image from_image, to_image;
} copy; /* of the scene; a process has one */

static void make_data(size_t size_B)
{
    copy.size_B = size_B;
    copy.data = malloc(size_B);
    bench_need(copy.data != NULL, "memory for the data");
    uint64_t state = 5;
    for (size_t i = 0; i < size_B; i += sizeof(uint32_t))
        memcpy(copy.data + i, &(uint32_t){bench_random(&state)}, sizeof(uint32_t));
}

static bool is_data(const void *found)
{
    return memcmp(found, copy.data, copy.size_B) == 0;
}

/* ---- buffers ---- */

static void record_buffer_copy(struct bench *b, const struct bench_buffer *from, const struct bench_buffer *to)
{
    bench_begin(b);
    vkCmdCopyBuffer(b->commands, from->buffer, to->buffer, 1, &(VkBufferCopy){0, 0, to->size_B});
    bench_barrier(b->commands);
    bench_end(b);
}

static bool check_buffer(struct bench *b)
{
    struct bench_buffer seen = bench_buffer(b, copy.size_B, NULL);
    record_buffer_copy(b, &copy.to, &seen);
    bench_submit(b, b->commands);
    return is_data(bench_result(b, seen.map, copy.size_B));
}

static void prepare_copy_buffer(struct bench *b)
{
    make_data(BUFFER_B);
    struct bench_buffer staging = bench_buffer(b, BUFFER_B, copy.data);
    copy.from = bench_device_buffer(b, BUFFER_B);
    copy.to = bench_device_buffer(b, BUFFER_B);
    record_buffer_copy(b, &staging, &copy.from);
    bench_submit(b, b->commands);
    record_buffer_copy(b, &copy.from, &copy.to);
    b->work = BUFFER_B;
}

static void prepare_fill_buffer(struct bench *b)
{
    make_data(BUFFER_B);
    for (size_t i = 0; i < BUFFER_B; i += sizeof(uint32_t))
        memcpy(copy.data + i, &(uint32_t){FILL_WORD}, sizeof(uint32_t));
    copy.to = bench_device_buffer(b, BUFFER_B);
    bench_begin(b);
    vkCmdFillBuffer(b->commands, copy.to.buffer, 0, VK_WHOLE_SIZE, FILL_WORD);
    bench_barrier(b->commands);
    bench_end(b);
    b->work = BUFFER_B;
}

/* ---- images ---- */

static struct draw_image make_image(struct bench *b)
{
    return draw_image(b, VK_FORMAT_R8G8B8A8_UNORM, SIZE, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
}

/* From a buffer of the host, whatever the image held; it is to be copied from then. */
static void record_upload(struct bench *b, const struct draw_image *to)
{
    bench_begin(b);
    draw_change_layout(b->commands, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkBufferImageCopy region = draw_whole(to);
    vkCmdCopyBufferToImage(b->commands, copy.from.buffer, to->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    draw_change_layout(b->commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    bench_end(b);
}

static void prepare_upload(struct bench *b)
{
    make_data(SIZE * SIZE * 4);
    copy.from = bench_buffer(b, copy.size_B, copy.data);
    copy.to_image = make_image(b);
    record_upload(b, &copy.to_image);
    b->work = (double)copy.size_B;
}

/* An image that holds the data. */
static void prepare_from_image(struct bench *b)
{
    prepare_upload(b);
    copy.from_image = make_image(b);
    record_upload(b, &copy.from_image);
    bench_submit(b, b->commands);
}

static bool check_image(struct bench *b)
{
    return is_data(draw_read_image(b, &copy.to_image, 4, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL));
}

static void prepare_copy_image(struct bench *b)
{
    prepare_from_image(b);
    bench_begin(b);
    draw_change_layout(b->commands, &copy.to_image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkImageSubresourceLayers all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    vkCmdCopyImage(b->commands, copy.from_image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy.to_image.image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageCopy){.srcSubresource = all, .dstSubresource = all, .extent = {SIZE, SIZE, 1}});
    draw_change_layout(b->commands, &copy.to_image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                       VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    bench_end(b);
}

static void prepare_readback(struct bench *b)
{
    prepare_from_image(b);
    copy.to = bench_buffer(b, copy.size_B, NULL);
    bench_begin(b);
    const VkBufferImageCopy region = draw_whole(&copy.from_image);
    vkCmdCopyImageToBuffer(b->commands, copy.from_image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy.to.buffer, 1,
                           &region);
    bench_barrier(b->commands);
    bench_end(b);
}

static bool check_readback(struct bench *b)
{
    return is_data(bench_result(b, copy.to.map, copy.size_B));
}

/* ---- clears ---- */

/* 0x9abcdef1 as the host reads it, from red on. */
static void prepare_clear_image(struct bench *b)
{
    static const VkClearColorValue color = {.float32 = {0xf1 / 255.0f, 0xde / 255.0f, 0xbc / 255.0f, 0x9a / 255.0f}};
    make_data(SIZE * SIZE * 4);
    for (size_t i = 0; i < copy.size_B; i += sizeof(uint32_t))
        memcpy(copy.data + i, &(uint32_t){FILL_WORD}, sizeof(uint32_t));
    copy.to_image = make_image(b);
    bench_begin(b);
    draw_change_layout(b->commands, &copy.to_image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(b->commands, copy.to_image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    draw_change_layout(b->commands, &copy.to_image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                       VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    bench_end(b);
    b->work = (double)copy.size_B;
}

const struct bench_scene bench_copy_scenes[] = {
    {"copy_buffer", "B/s", "copy a buffer of 32 MiB to another", prepare_copy_buffer, check_buffer},
    {"fill_buffer", "B/s", "fill a buffer of 32 MiB with a word", prepare_fill_buffer, check_buffer},
    {"upload", "B/s", "copy a buffer to an image of 2048x2048 RGBA8", prepare_upload, check_image},
    {"copy_image", "B/s", "copy such an image to another", prepare_copy_image, check_image},
    {"readback", "B/s", "copy such an image to a buffer", prepare_readback, check_readback},
    {"clear_image", "B/s", "clear such an image by vkCmdClearColorImage", prepare_clear_image, check_image},
    {0},
};
