/* A queue that only copies (queue.h) beside the others: images that were drawn to, buffers, time, order between queues.
 */
#include <stdlib.h>
#include <string.h>

#include "cases/device/queue.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define COLOR VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT

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
    VkCommandBuffer first = vt_begin(vt), commands = queue_begin(vt);
    vt_to_layout(first, &image, attachment);
    draw_clear(vt, first, &image, 260, (const float[4]){0, 1, 0, 1});
    vt_to_layout(first, &image, attachment);
    draw_clear(vt, first, &image, 64, (const float[4]){1, 0, 0, 1});
    if (drawn->concurrent) {
        vt_to_layout(first, &image, src);
        vt_submit(vt, first);
    } else {
        queue_give(vt, first, commands, &image, src);
    }
    vkCmdCopyImageToBuffer(commands, image.image, src, seen.buffer, 1, &all);
    vt_to_layout(commands, &image, dst);
    vkCmdCopyBufferToImage(commands, blue.buffer, image.image, dst, 1, &part);
    VkCommandBuffer last;
    if (drawn->concurrent) {
        queue_finish(vt, commands);
        last = vt_begin(vt);
        vt_to_layout(last, &image, attachment);
    } else {
        last = queue_take_back(vt, commands, &image, attachment);
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
    VkCommandBuffer first = vt_begin(vt), commands = queue_begin(vt);
    vt_to_layout(first, &from, attachment);
    draw_clear(vt, first, &from, 48, (const float[4]){0, 1, 0, 1});
    vt_to_layout(first, &from, attachment);
    draw_clear(vt, first, &from, 24, (const float[4]){1, 0, 0, 1});
    vt_to_layout(first, &to, attachment);
    draw_clear(vt, first, &to, 48, (const float[4]){0, 0, 1, 1});
    queue_hand_over(first, &to, vt->family, vt->transfer_family, dst, false);
    queue_hand_over(commands, &to, vt->family, vt->transfer_family, dst, true);
    to.layout = dst;
    queue_give(vt, first, commands, &from, src);
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {color, {8, 0, 0}, color, {16, 0, 0}, {32, 20, 1}};
    vkCmdCopyImage(commands, from.image, src, to.image, dst, 1, &region);
    VkCommandBuffer last = queue_take_back(vt, commands, &to, src);
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
    struct vt_buffer from = queue_random(vt, BYTES, 21), to = vt_local_buffer(vt, BYTES),
                     back = vt_buffer(vt, BYTES, NULL);
    uint8_t expected[BYTES];
    uint32_t update[1000];
    uint64_t seed = 4;
    for (uint32_t i = 0; i < COUNT_OF(update); i++)
        update[i] = vt_random(&seed);
    VkCommandBuffer commands = queue_begin(vt);
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
    queue_finish(vt, commands);
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
    struct vt_buffer from = queue_random(vt, 4 * MANY, 8), to = vt_buffer(vt, 4 * MANY, NULL);
    VkCommandBuffer commands = queue_begin(vt), inner = commands;
    if (argument) {
        const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                .pInheritanceInfo = &inheritance};
        inner = queue_allocate(vt, vt->transfer_family, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
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
    queue_finish(vt, commands);
    bool same = memcmp(to.map, expected, 4 * MANY) == 0;
    free(expected);
    if (!same)
        vt_fail(vt, "the words are not in reverse");
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
    uint64_t times[2] = {0};
    struct vt_buffer from = vt_buffer(vt, 1 << 20, NULL), to = vt_buffer(vt, 1 << 20, NULL);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TIMESTAMP, 2, 0);
    vkResetQueryPool(vt->device, pool, 0, 2);
    VkCommandBuffer commands = queue_begin(vt);
    const VkBufferCopy whole = {0, 0, 1 << 20};
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, pool, 0);
    vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &whole);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    queue_finish(vt, commands);
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
        VkSemaphore filled = queue_semaphore(vt), copied = queue_semaphore(vt), empty = queue_semaphore(vt);
        const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        VkCommandBuffer general = queue_allocate(vt, vt->family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        VT_CHECK(vt, vkBeginCommandBuffer(general, &begin));
        vkCmdFillBuffer(general, a.buffer, 0, SIZE, 0x1000 + i);
        vt_full_barrier(general);
        VT_CHECK(vt, vkEndCommandBuffer(general));
        queue_submit(vt, vt->queue, general, last, filled);
        VkCommandBuffer transfer = queue_begin(vt);
        const VkBufferCopy there = {0, 0, SIZE}, out_region = {0, (VkDeviceSize)i * SIZE, SIZE};
        vkCmdCopyBuffer(transfer, a.buffer, b.buffer, 1, &there);
        vt_full_barrier(transfer);
        vkCmdCopyBuffer(transfer, b.buffer, out.buffer, 1, &out_region);
        vt_full_barrier(transfer);
        VT_CHECK(vt, vkEndCommandBuffer(transfer));
        queue_submit(vt, vt->transfer_queue, transfer, filled, copied);
        queue_submit(vt, vt->transfer_queue, NULL, copied, empty);
        last = empty;
    }
    queue_submit(vt, vt->queue, NULL, last, VK_NULL_HANDLE);
    VT_CHECK(vt, vkDeviceWaitIdle(vt->device));
    for (uint32_t i = 0; i < ROUNDS * SIZE / 4; i++) {
        const uint32_t got = ((const uint32_t *)out.map)[i], right = 0x1000 + i / (SIZE / 4);
        if (got != right)
            vt_fail(vt, "word %u is 0x%x, not 0x%x", i, got, right);
    }
}

const struct vt_case vt_queue_cases[] = {
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
