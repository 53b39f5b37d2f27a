/* Sparse buffers: their memory is bound in blocks by a queue. What has no memory reads as zero where the device
 * promises it. */
#include <string.h>

#include "cases/sparse/sparse_memory.h"

#include "shaders/sparse.h"

static void destroy_buffer(struct vt *vt, uint64_t handle)
{
    vkDestroyBuffer(vt->device, (VkBuffer)handle, NULL);
}

static void destroy_semaphore(struct vt *vt, uint64_t handle)
{
    vkDestroySemaphore(vt->device, (VkSemaphore)handle, NULL);
}

struct sparse_buffer {
    VkBuffer buffer;
    VkMemoryRequirements needs;
    VkDeviceSize block_B;
    uint32_t blocks;
};

static struct sparse_buffer make_buffer(struct vt *vt, uint32_t blocks, VkBufferCreateFlags flags)
{
    struct sparse_buffer made = {.blocks = blocks};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | flags,
                               .size = 4096,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    /* How large a block is comes with a buffer. */
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &made.needs);
    vkDestroyBuffer(vt->device, made.buffer, NULL);
    made.block_B = made.needs.alignment;
    info.size = made.block_B * blocks;
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vt_defer(vt, destroy_buffer, (uint64_t)made.buffer);
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &made.needs);
    if (made.needs.alignment != made.block_B || made.needs.size < info.size)
        vt_fail(vt, "%u blocks of %u bytes ask for %u", blocks, (unsigned)made.block_B, (unsigned)made.needs.size);
    return made;
}

/* Block n of the buffer gets block from[n] of the memory; UINT32_MAX: none. */
static void bind_blocks(struct vt *vt, const struct sparse_buffer *buffer, VkDeviceMemory memory, const uint32_t *from)
{
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < buffer->blocks; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = n * buffer->block_B,
                                        .size = buffer->block_B,
                                        .memory = from[n] == UINT32_MAX ? VK_NULL_HANDLE : memory,
                                        .memoryOffset = from[n] == UINT32_MAX ? 0 : from[n] * buffer->block_B};
    VkSparseBufferMemoryBindInfo bound = {buffer->buffer, buffer->blocks, binds};
    sparse_bind(vt, &(const VkBindSparseInfo){
                        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &bound});
}

static void fill_block(struct vt *vt, const struct sparse_buffer *buffer, uint32_t block, uint32_t value)
{
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer->buffer, block * buffer->block_B, buffer->block_B, value);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

static void expect_blocks(struct vt *vt, const struct sparse_buffer *buffer, const uint32_t *values, const char *what)
{
    struct vt_buffer to = vt_buffer(vt, buffer->block_B * buffer->blocks, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyBuffer(commands, buffer->buffer, to.buffer, 1, &(const VkBufferCopy){0, 0, to.size_B});
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *words = to.map;
    for (uint32_t n = 0; n < buffer->blocks; n++) {
        for (size_t i = 0; i < buffer->block_B / 4; i += 61) {
            const uint32_t got = words[n * (buffer->block_B / 4) + i];
            if (got != values[n])
                vt_fail(vt, "%s: block %u holds %08x, not %08x", what, n, got, values[n]);
        }
    }
}

/* Blocks of memory in another order than in the buffer, then in a third one: the bytes go with the memory. */
static void buffer_order(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseBinding);
    struct sparse_buffer buffer = make_buffer(vt, 4, 0);
    VkDeviceMemory memory = sparse_allocate(vt, &buffer.needs, 4 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){2, 0, 3, 1});
    for (uint32_t n = 0; n < 4; n++)
        fill_block(vt, &buffer, n, 100 + n);
    expect_blocks(vt, &buffer, (const uint32_t[]){100, 101, 102, 103}, "as bound first");
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){0, 1, 2, 3});
    expect_blocks(vt, &buffer, (const uint32_t[]){101, 103, 100, 102}, "in the memory's order");
}

static void buffer_holes(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseResidencyBuffer);
    if (!sparse_reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_buffer buffer = make_buffer(vt, 5, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
    VkDeviceMemory memory = sparse_allocate(vt, &buffer.needs, 2 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){UINT32_MAX, 1, UINT32_MAX, 0, UINT32_MAX});
    for (uint32_t n = 0; n < 5; n++)
        fill_block(vt, &buffer, n, 7 + n); /* of those without memory it is lost */
    expect_blocks(vt, &buffer, (const uint32_t[]){0, 8, 0, 10, 0}, "with holes");
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0});
    expect_blocks(vt, &buffer, (const uint32_t[]){8, 0, 0, 0, 10}, "with other holes");
}

/* One block of memory at several places of two buffers. */
static void buffer_aliases(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseResidencyBuffer);
    if (!vt->features.features.sparseResidencyAliased)
        vt_skip(vt, "no aliases");
    const VkBufferCreateFlags flags = VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
    struct sparse_buffer first = make_buffer(vt, 3, flags), second = make_buffer(vt, 3, flags);
    VkDeviceMemory memory = sparse_allocate(vt, &first.needs, 2 * first.block_B);
    bind_blocks(vt, &first, memory, (const uint32_t[]){0, 1, 0});
    bind_blocks(vt, &second, memory, (const uint32_t[]){1, 1, 0});
    fill_block(vt, &first, 2, 5);
    fill_block(vt, &second, 0, 6);
    expect_blocks(vt, &first, (const uint32_t[]){5, 6, 5}, "first");
    expect_blocks(vt, &second, (const uint32_t[]){6, 6, 5}, "second");
}

/* A shader writes and reads by an address, over holes too. */
static void buffer_shader(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseResidencyBuffer);
    if (!sparse_reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_buffer buffer = make_buffer(vt, 3, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
    VkDeviceMemory memory = sparse_allocate(vt, &buffer.needs, 2 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){1, UINT32_MAX, 0});
    const uint32_t words = (uint32_t)(buffer.block_B / 4 * 3);
    struct vt_buffer in = {.buffer = buffer.buffer}, out = vt_buffer(vt, (VkDeviceSize)words * 4, NULL);
    const struct vt_buffer *buffers[] = {&in, &out};
    for (uint32_t pass = 0; pass < 2; pass++) /* 0: write, 1: copy to the other */
        vt_run_compute(vt, VT_SPIRV(sparse), buffers, 2, (const uint32_t[]){words, pass}, 8, (words + 63) / 64, 1, 1);
    const uint32_t *got = out.map;
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t want = i / (words / 3) == 1 ? 0 : i * 3 + 1;
        if (got[i] != want)
            vt_fail(vt, "word %u is %u, not %u", i, got[i], want);
    }
}

/* A bind between two submissions that wait for each other by semaphores: a fill before, a fill after. */
static void buffer_semaphores(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseBinding);
    if (vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV binds on a queue of graphics before it waits for the semaphores");
    struct sparse_buffer buffer = make_buffer(vt, 2, 0);
    VkDeviceMemory memory = sparse_allocate(vt, &buffer.needs, 2 * buffer.block_B);
    VkSemaphore semaphores[2];
    const bool timeline = argument != NULL;
    for (unsigned i = 0; i < 2; i++) {
        VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType =
                                              timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
        VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
        VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &semaphores[i]));
        vt_defer(vt, destroy_semaphore, (uint64_t)semaphores[i]);
    }
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){0, 1});
    VkCommandBuffer commands[2];
    for (uint32_t i = 0; i < 2; i++) {
        commands[i] = vt_begin(vt);
        vkCmdFillBuffer(commands[i], buffer.buffer, 0, buffer.block_B, 21 + i);
        vt_full_barrier(commands[i]);
        VT_CHECK(vt, vkEndCommandBuffer(commands[i]));
    }
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const uint64_t value = 3;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &value,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &value};
    VkSubmitInfo first = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .pNext = timeline ? &values : NULL,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &commands[0],
                          .signalSemaphoreCount = 1,
                          .pSignalSemaphores = &semaphores[0]};
    VkSubmitInfo second = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pNext = timeline ? &values : NULL,
                           .waitSemaphoreCount = 1,
                           .pWaitSemaphores = &semaphores[1],
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands[1]};
    VkSparseMemoryBind binds[2] = {{.size = buffer.block_B, .memory = memory, .memoryOffset = buffer.block_B},
                                   {.resourceOffset = buffer.block_B, .size = buffer.block_B, .memory = memory}};
    VkSparseBufferMemoryBindInfo bound = {buffer.buffer, 2, binds};
    VkBindSparseInfo turn = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                             .pNext = timeline ? &values : NULL,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &semaphores[0],
                             .bufferBindCount = 1,
                             .pBufferBinds = &bound,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &semaphores[1]};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &first, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueBindSparse(vt->queue, 1, &turn, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &second, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
    expect_blocks(vt, &buffer, (const uint32_t[]){22, 21}, "after both");
}

const struct vt_case vt_sparse_cases[] = {
    {"buffer_order", buffer_order},           {"buffer_holes", buffer_holes},
    {"buffer_aliases", buffer_aliases},       {"buffer_shader", buffer_shader},
    {"buffer_semaphores", buffer_semaphores}, {"buffer_timelines", buffer_semaphores, ""},
};
const size_t vt_sparse_count = COUNT_OF(vt_sparse_cases);
