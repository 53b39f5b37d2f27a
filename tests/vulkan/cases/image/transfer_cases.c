/* Buffers moved, filled and updated by the queue: sizes and offsets of every awkward kind, through device-local memory
 * too. */
#include <stdlib.h>
#include <string.h>

#include "vt/vt.h"

struct copy {
    VkDeviceSize src_B, dst_B, size_B;
};

#define SIZE_B 70000

static void fill_random(uint8_t *bytes, size_t size_B, uint64_t seed)
{
    for (size_t i = 0; i < size_B; i++)
        bytes[i] = (uint8_t)vt_random(&seed);
}

static void expect_bytes(struct vt *vt, const uint8_t *got, const uint8_t *expected, size_t size_B)
{
    for (size_t i = 0; i < size_B; i++) {
        if (got[i] != expected[i])
            vt_fail(vt, "byte %zu is 0x%02x, expected 0x%02x", i, got[i], expected[i]);
    }
}

static void copy_case(struct vt *vt, const void *argument)
{
    const struct copy *copy = argument;
    static uint8_t a[SIZE_B], expected[SIZE_B];
    fill_random(a, SIZE_B, 1);
    fill_random(expected, SIZE_B, 2);
    struct vt_buffer src = vt_buffer(vt, SIZE_B, a), dst = vt_buffer(vt, SIZE_B, expected);
    memcpy(expected + copy->dst_B, a + copy->src_B, copy->size_B);
    VkCommandBuffer commands = vt_begin(vt);
    VkBufferCopy region = {copy->src_B, copy->dst_B, copy->size_B};
    vkCmdCopyBuffer(commands, src.buffer, dst.buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_bytes(vt, dst.map, expected, SIZE_B);
}

static void many_regions_case(struct vt *vt, const void *argument)
{
    static uint8_t a[SIZE_B], expected[SIZE_B];
    VkBufferCopy regions[40];
    fill_random(a, SIZE_B, 3);
    memset(expected, 0, SIZE_B);
    struct vt_buffer src = vt_buffer(vt, SIZE_B, a), dst = vt_buffer(vt, SIZE_B, NULL);
    for (unsigned i = 0; i < COUNT_OF(regions); i++) {
        regions[i] = (VkBufferCopy){i * 313, SIZE_B - (i + 1) * 700, 1 + i * 13};
        memcpy(expected + regions[i].dstOffset, a + regions[i].srcOffset, regions[i].size);
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyBuffer(commands, src.buffer, dst.buffer, COUNT_OF(regions), regions);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_bytes(vt, dst.map, expected, SIZE_B);
}

static void local_round_trip_case(struct vt *vt, const void *argument)
{
    size_t size_B = (size_t)argument;
    uint8_t *a = malloc(size_B);
    fill_random(a, size_B, 4);
    struct vt_buffer src = vt_buffer(vt, size_B, a), local = vt_local_buffer(vt, size_B), dst = vt_buffer(vt, size_B, NULL);
    free(a);
    VkCommandBuffer commands = vt_begin(vt);
    VkBufferCopy region = {0, 0, size_B};
    vkCmdCopyBuffer(commands, src.buffer, local.buffer, 1, &region);
    vt_full_barrier(commands);
    vkCmdCopyBuffer(commands, local.buffer, dst.buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_bytes(vt, dst.map, src.map, size_B);
}

static void fill_case(struct vt *vt, const void *argument)
{
    const struct copy *fill = argument;
    static uint32_t expected[SIZE_B / 4];
    memset(expected, 0x5a, SIZE_B);
    struct vt_buffer dst = vt_buffer(vt, SIZE_B, expected);
    VkDeviceSize end_B = fill->size_B == VK_WHOLE_SIZE ? SIZE_B : fill->dst_B + fill->size_B;
    for (VkDeviceSize at_B = fill->dst_B; at_B < end_B; at_B += 4)
        expected[at_B / 4] = 0xcafe1234;
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, dst.buffer, fill->dst_B, fill->size_B, 0xcafe1234);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, dst.map, expected, SIZE_B / 4, "memory");
}

static void update_case(struct vt *vt, const void *argument)
{
    const struct copy *update = argument;
    static uint8_t data[65536], expected[SIZE_B];
    fill_random(data, sizeof(data), 5);
    memset(expected, 0x11, SIZE_B);
    struct vt_buffer dst = vt_buffer(vt, SIZE_B, expected);
    memcpy(expected + update->dst_B, data, update->size_B);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdUpdateBuffer(commands, dst.buffer, update->dst_B, update->size_B, data);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_bytes(vt, dst.map, expected, SIZE_B);
}

/* Each step reads what the one before wrote: only the barriers keep them apart. */
static void chain_case(struct vt *vt, const void *argument)
{
    enum { WORDS = 2048, STEPS = 33 };
    uint32_t a[WORDS];
    uint64_t seed = 6;
    for (unsigned i = 0; i < WORDS; i++)
        a[i] = vt_random(&seed);
    struct vt_buffer first = vt_buffer(vt, sizeof(a), a), second = vt_buffer(vt, sizeof(a), NULL);
    VkCommandBuffer commands = vt_begin(vt);
    for (unsigned step = 0; step < STEPS; step++) {
        VkBufferCopy region = {0, 0, sizeof(a)};
        vkCmdCopyBuffer(commands, step & 1 ? second.buffer : first.buffer, step & 1 ? first.buffer : second.buffer, 1, &region);
        vt_full_barrier(commands);
        vkCmdFillBuffer(commands, step & 1 ? first.buffer : second.buffer, step * 8, 4, step);
        vt_full_barrier(commands);
        a[step * 2] = step;
    }
    vt_submit(vt, commands);
    vt_expect_words(vt, second.map, a, WORDS, "memory");
}

#define COPY(name, ...) {"copy." name, copy_case, &(const struct copy)__VA_ARGS__}
#define FILL(name, ...) {"fill." name, fill_case, &(const struct copy)__VA_ARGS__}
#define UPDATE(name, ...) {"update." name, update_case, &(const struct copy)__VA_ARGS__}
const struct vt_case vt_transfer_cases[] = {
    COPY("one_byte", {0, 0, 1}), COPY("four_bytes", {0, 0, 4}), COPY("unaligned_source", {3, 0, 1000}), COPY("unaligned_destination", {0, 5, 1000}),
    COPY("unaligned_both", {1, 2, 777}), COPY("same_misalignment", {3, 3, 4095}), COPY("page", {0, 0, 4096}), COPY("across_pages", {4000, 8100, 9000}),
    COPY("whole", {0, 0, SIZE_B}), COPY("tail", {SIZE_B - 17, SIZE_B - 33, 17}), COPY("three_bytes_at_the_end", {0, SIZE_B - 3, 3}),
    {"copy.many_regions", many_regions_case, NULL},
    {"copy.local_round_trip_4k", local_round_trip_case, (void *)4096}, {"copy.local_round_trip_1M", local_round_trip_case, (void *)(1 << 20)},
    {"copy.local_round_trip_odd", local_round_trip_case, (void *)100003},
    FILL("word", {0, 0, 4}), FILL("middle", {0, 1000, 2000}), FILL("whole", {0, 0, VK_WHOLE_SIZE}), FILL("to_the_end", {0, 64, VK_WHOLE_SIZE}),
    UPDATE("word", {0, 0, 4}), UPDATE("middle", {0, 1000, 2000}), UPDATE("largest", {0, 4, 65536}),
    {"chain_of_barriers", chain_case, NULL},
};
const size_t vt_transfer_count = COUNT_OF(vt_transfer_cases);
