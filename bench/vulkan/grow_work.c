/* Work that bench_grow records, submits and waits for: `create` records or submits one piece, `finish` has all of it
 * done. */
#include <stdlib.h>

#include "grow.h"

#include "bench_constants_comp.h"

#define CONSTANTS 100

static void prepare_dispatch(void)
{
    grow.buffer = bench_buffer(&grow.bench, 1 << 16, NULL);
    grow.compute = bench_compute(&grow.bench, grow_variant, &grow.buffer, 1, 0);
}

/* ---- recorded into one command buffer ---- */

static void begin_first(uint32_t i)
{
    if (i == 0)
        bench_begin(&grow.bench);
}

static void run_recording(void)
{
    bench_end(&grow.bench);
    bench_submit(&grow.bench, grow.bench.commands);
    vkFreeCommandBuffers(grow.bench.device, grow.bench.pool, 1, &grow.bench.commands);
}

static void record_dispatch(uint32_t i)
{
    begin_first(i);
    bench_dispatch(&grow.bench, &grow.compute, NULL, 0, 1, 1, 1);
}

static void record_copy(uint32_t i)
{
    const VkBufferCopy region = {0, (VkDeviceSize)(1 + i % 100) * 256, 256};
    begin_first(i);
    vkCmdCopyBuffer(grow.bench.commands, grow.buffer.buffer, grow.buffer.buffer, 1, &region);
}

static void record_barrier(uint32_t i)
{
    begin_first(i);
    vkCmdFillBuffer(grow.bench.commands, grow.buffer.buffer, i % 100 * 256, 256, i);
    bench_barrier(grow.bench.commands);
}

static void record_secondary(uint32_t i)
{
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = grow.bench.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                  .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pInheritanceInfo = &inherited};
    VkCommandBuffer commands;
    begin_first(i);
    BENCH_CHECK(vkAllocateCommandBuffers(grow.bench.device, &allocate, &commands));
    BENCH_CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdFillBuffer(commands, grow.buffer.buffer, i % 100 * 256, 256, i);
    BENCH_CHECK(vkEndCommandBuffer(commands));
    vkCmdExecuteCommands(grow.bench.commands, 1, &commands);
    grow.handles[i] = (uint64_t)(uintptr_t)commands;
}

static void run_secondaries(void)
{
    run_recording();
    for (uint32_t i = 0; i < grow.count; i++)
        vkFreeCommandBuffers(grow.bench.device, grow.bench.pool, 1,
                             &(VkCommandBuffer){(void *)(uintptr_t)grow.handles[i]});
}

/* ---- queries ---- */

static VkQueryPool queries;

static void record_query(uint32_t i)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = grow.count};
    begin_first(i);
    if (i == 0) {
        BENCH_CHECK(vkCreateQueryPool(grow.bench.device, &info, NULL, &queries));
        vkCmdResetQueryPool(grow.bench.commands, queries, 0, grow.count);
    }
    vkCmdWriteTimestamp(grow.bench.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, i);
}

static void run_queries(void)
{
    run_recording();
    BENCH_CHECK(vkGetQueryPoolResults(grow.bench.device, queries, 0, grow.count, grow.count * sizeof(uint64_t),
                                      grow.others, sizeof(uint64_t),
                                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    vkDestroyQueryPool(grow.bench.device, queries, NULL);
}

/* ---- submissions ---- */

static VkCommandBuffer again; /* may be pending many times */

static void prepare_submission(void)
{
    prepare_dispatch();
    bench_begin(&grow.bench);
    BENCH_CHECK(vkEndCommandBuffer(grow.bench.commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    BENCH_CHECK(vkBeginCommandBuffer(grow.bench.commands, &begin));
    vkCmdFillBuffer(grow.bench.commands, grow.buffer.buffer, 0, 256, 1);
    bench_end(&grow.bench);
    again = grow.bench.commands;
}

static const VkSubmitInfo plain = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &again};

static void submit_one(uint32_t i)
{
    (void)i;
    BENCH_CHECK(vkQueueSubmit(grow.bench.queue, 1, &plain, VK_NULL_HANDLE));
}

static void wait_for_queue(void)
{
    BENCH_CHECK(vkQueueWaitIdle(grow.bench.queue));
}

/* All by one call. */
static void submit_batch(void)
{
    VkSubmitInfo *infos = malloc(grow.count * sizeof(*infos));
    bench_need(infos != NULL, "memory");
    for (uint32_t i = 0; i < grow.count; i++)
        infos[i] = plain;
    BENCH_CHECK(vkQueueSubmit(grow.bench.queue, grow.count, infos, VK_NULL_HANDLE));
    wait_for_queue();
    free(infos);
}

static void submit_fence(uint32_t i)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    BENCH_CHECK(vkCreateFence(grow.bench.device, &info, NULL, (VkFence *)&grow.handles[i]));
    BENCH_CHECK(vkQueueSubmit(grow.bench.queue, 1, &plain, (VkFence)grow.handles[i]));
}

static void wait_for_fences(void)
{
    BENCH_CHECK(vkWaitForFences(grow.bench.device, grow.count, (const VkFence *)grow.handles, VK_TRUE, UINT64_MAX));
    for (uint32_t i = 0; i < grow.count; i++)
        vkDestroyFence(grow.bench.device, (VkFence)grow.handles[i], NULL);
}

/* Each waits for the one before. */
static void submit_link(uint32_t i)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    BENCH_CHECK(vkCreateSemaphore(grow.bench.device, &info, NULL, (VkSemaphore *)&grow.handles[i]));
    VkSubmitInfo submit = plain;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = (const VkSemaphore *)&grow.handles[i];
    submit.waitSemaphoreCount = i != 0;
    submit.pWaitSemaphores = i ? (const VkSemaphore *)&grow.handles[i - 1] : NULL;
    submit.pWaitDstStageMask = &(const VkPipelineStageFlags){VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    BENCH_CHECK(vkQueueSubmit(grow.bench.queue, 1, &submit, VK_NULL_HANDLE));
}

static void wait_for_chain(void)
{
    wait_for_queue();
    for (uint32_t i = 0; i < grow.count; i++)
        vkDestroySemaphore(grow.bench.device, (VkSemaphore)grow.handles[i], NULL);
}

/* ---- programs of a hundred constants ---- */

static void prepare_constants(void)
{
    grow.buffer = bench_buffer(&grow.bench, 1 << 16, NULL);
    grow.compute = bench_compute(&grow.bench, BENCH_SPIRV(bench_constants_comp), &grow.buffer, 1, 0);
}

/* The constant of pipeline i; and by constants.comp what a lane comes to. */
static uint32_t constant_of(uint32_t i)
{
    return i * 0x9e3779b1u + 0x12345;
}

static uint32_t expected_of(uint32_t lane, uint32_t constant)
{
    uint32_t x = lane;
    for (uint32_t n = 0; n < CONSTANTS; n++)
        x = (x ^ (constant * (2 * n + 1) + n * 0x9e3779b9u)) * 0x85ebca6bu;
    return x;
}

static void run_program(VkPipeline pipeline, uint32_t constant)
{
    struct bench_compute compute = grow.compute;
    const uint32_t *const results = grow.buffer.map;
    compute.pipeline = pipeline;
    bench_begin(&grow.bench);
    bench_dispatch(&grow.bench, &compute, NULL, 0, 1, 1, 1);
    bench_barrier(grow.bench.commands);
    run_recording();
    for (uint32_t lane = 0; lane < 64; lane++)
        bench_need(results[lane] == expected_of(lane, constant), "the result of a program with many constants");
}

static void create_program(uint32_t i)
{
    VkPipeline pipeline = bench_compute_again(&grow.bench, grow.compute.module, grow.compute.layout, constant_of(i));
    run_program(pipeline, constant_of(i));
    grow.handles[i] = (uint64_t)pipeline;
}

static void destroy_program(uint32_t i)
{
    vkDestroyPipeline(grow.bench.device, (VkPipeline)grow.handles[i], NULL);
}

/* Once more, while all are there. */
static void destroy_run_program(uint32_t i)
{
    run_program((VkPipeline)grow.handles[i], constant_of(i));
    destroy_program(i);
}

static void pass_program(uint32_t i)
{
    create_program(i);
    destroy_program(i);
}

const struct grow_kind grow_work[] = {
    {"dispatches", prepare_dispatch, record_dispatch, grow_nothing_of, run_recording},
    {"copies", prepare_dispatch, record_copy, grow_nothing_of, run_recording},
    {"barriers", prepare_dispatch, record_barrier, grow_nothing_of, run_recording},
    {"secondaries", prepare_dispatch, record_secondary, grow_nothing_of, run_secondaries},
    {"queries", prepare_dispatch, record_query, grow_nothing_of, run_queries},
    {"submissions", prepare_submission, submit_one, grow_nothing_of, wait_for_queue},
    {"batches", prepare_submission, grow_nothing_of, grow_nothing_of, submit_batch},
    {"fenced", prepare_submission, submit_fence, grow_nothing_of, wait_for_fences},
    {"chains", prepare_submission, submit_link, grow_nothing_of, wait_for_chain},
    {"programs", prepare_constants, create_program, destroy_run_program, grow_nothing},
    {"passing", prepare_constants, pass_program, grow_nothing_of, grow_nothing},
    {NULL},
};
