/* Fences, semaphores, events, queries, and the order of submissions. */
#include <string.h>
#include <unistd.h>

#include "vt/vt.h"

static void destroy_semaphore(struct vt *vt, uint64_t handle)
{
    vkDestroySemaphore(vt->device, (VkSemaphore)handle, NULL);
}

static VkSemaphore make_semaphore(struct vt *vt, bool timeline, uint64_t value)
{
    VkSemaphore semaphore;
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE, .initialValue = value};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = timeline ? &type : NULL};
    VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &semaphore));
    vt_defer(vt, destroy_semaphore, (uint64_t)semaphore);
    return semaphore;
}

static void destroy_fence(struct vt *vt, uint64_t handle)
{
    vkDestroyFence(vt->device, (VkFence)handle, NULL);
}

static VkFence make_fence(struct vt *vt, bool signalled)
{
    VkFence fence;
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = signalled ? VK_FENCE_CREATE_SIGNALED_BIT : 0};
    VT_CHECK(vt, vkCreateFence(vt->device, &info, NULL, &fence));
    vt_defer(vt, destroy_fence, (uint64_t)fence);
    return fence;
}

static void expect_result(struct vt *vt, VkResult got, VkResult expected, const char *what)
{
    if (got != expected)
        vt_fail(vt, "%s: VkResult %d, expected %d", what, got, expected);
}

static VkCommandBuffer fill_commands(struct vt *vt, const struct vt_buffer *buffer, uint32_t value)
{
    VkCommandBuffer commands = vt_begin(vt);
    vt_full_barrier(commands);
    vkCmdFillBuffer(commands, buffer->buffer, 0, VK_WHOLE_SIZE, value);
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    return commands;
}

static void fence_case(struct vt *vt, const void *argument)
{
    VkFence fences[2] = {make_fence(vt, true), make_fence(vt, false)};
    expect_result(vt, vkGetFenceStatus(vt->device, fences[0]), VK_SUCCESS, "a fence made signalled");
    expect_result(vt, vkGetFenceStatus(vt->device, fences[1]), VK_NOT_READY, "a fence made unsignalled");
    expect_result(vt, vkWaitForFences(vt->device, 2, fences, VK_TRUE, 1000000), VK_TIMEOUT, "waiting for both");
    expect_result(vt, vkWaitForFences(vt->device, 2, fences, VK_FALSE, 0), VK_SUCCESS, "waiting for either");
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 0, NULL, fences[1])); /* an empty submission signals, too */
    expect_result(vt, vkWaitForFences(vt->device, 2, fences, VK_TRUE, 10000000000ull), VK_SUCCESS, "waiting for both again");
    VT_CHECK(vt, vkResetFences(vt->device, 2, fences));
    expect_result(vt, vkGetFenceStatus(vt->device, fences[0]), VK_NOT_READY, "a fence that was reset");
}

static void binary_semaphore_case(struct vt *vt, const void *argument)
{
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    VkSemaphore semaphores[8];
    VkFence fence = make_fence(vt, false);
    for (uint32_t i = 0; i < COUNT_OF(semaphores); i++) {
        semaphores[i] = make_semaphore(vt, false, 0);
        VkCommandBuffer commands = fill_commands(vt, &buffer, i + 1);
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        bool is_last = i + 1 == COUNT_OF(semaphores);
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = i > 0,
                               .pWaitSemaphores = i ? &semaphores[i - 1] : NULL,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = !is_last,
                               .pSignalSemaphores = &semaphores[i]};
        VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, is_last ? fence : VK_NULL_HANDLE));
    }
    VT_CHECK(vt, vkWaitForFences(vt->device, 1, &fence, VK_TRUE, 10000000000ull));
    for (unsigned i = 0; i < 1024; i++) {
        if (((uint32_t *)buffer.map)[i] != COUNT_OF(semaphores))
            vt_fail(vt, "word %u is %u", i, ((uint32_t *)buffer.map)[i]);
    }
}

static void submit_timeline(struct vt *vt, VkCommandBuffer commands, VkSemaphore semaphore, uint64_t wait, uint64_t signal)
{
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &wait,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &signal};
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pNext = &values,
                           .waitSemaphoreCount = 1,
                           .pWaitSemaphores = &semaphore,
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands,
                           .signalSemaphoreCount = 1,
                           .pSignalSemaphores = &semaphore};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, VK_NULL_HANDLE));
}

static VkResult wait_timeline(struct vt *vt, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo wait = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &value};
    return vkWaitSemaphores(vt->device, &wait, timeout_ns);
}

static void timeline_case(struct vt *vt, const void *argument)
{
    if (!vt->features12.timelineSemaphore)
        vt_skip(vt, "no timelineSemaphore");
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    VkSemaphore semaphore = make_semaphore(vt, true, 10);
    uint64_t value = 0;
    VT_CHECK(vt, vkGetSemaphoreCounterValue(vt->device, semaphore, &value));
    if (value != 10)
        vt_fail(vt, "a timeline that began at 10 is at %llu", (unsigned long long)value);
    for (uint32_t i = 0; i < 6; i++)
        submit_timeline(vt, fill_commands(vt, &buffer, 100 + i), semaphore, 10 + i, 11 + i);
    expect_result(vt, wait_timeline(vt, semaphore, 16, 10000000000ull), VK_SUCCESS, "waiting for the last value");
    if (((uint32_t *)buffer.map)[5] != 105)
        vt_fail(vt, "the last submission's value is not there");
    expect_result(vt, wait_timeline(vt, semaphore, 17, 1000000), VK_TIMEOUT, "waiting beyond the last value");
}

/* The work is submitted first; the host lets it go later. */
static void host_signal_case(struct vt *vt, const void *argument)
{
    if (!vt->features12.timelineSemaphore)
        vt_skip(vt, "no timelineSemaphore");
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    VkSemaphore semaphore = make_semaphore(vt, true, 0);
    submit_timeline(vt, fill_commands(vt, &buffer, 7), semaphore, 5, 6);
    usleep(20000);
    if (((volatile uint32_t *)buffer.map)[0] != 0)
        vt_fail(vt, "the work ran before the host let it");
    VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = 5};
    VT_CHECK(vt, vkSignalSemaphore(vt->device, &signal));
    expect_result(vt, wait_timeline(vt, semaphore, 6, 10000000000ull), VK_SUCCESS, "waiting for the work");
    if (((uint32_t *)buffer.map)[0] != 7)
        vt_fail(vt, "the work did not run");
}

static void destroy_event(struct vt *vt, uint64_t handle)
{
    vkDestroyEvent(vt->device, (VkEvent)handle, NULL);
}

static VkEvent make_event(struct vt *vt)
{
    VkEvent event;
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VT_CHECK(vt, vkCreateEvent(vt->device, &info, NULL, &event));
    vt_defer(vt, destroy_event, (uint64_t)event);
    return event;
}

static void event_case(struct vt *vt, const void *argument)
{
    VkEvent event = make_event(vt);
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    expect_result(vt, vkGetEventStatus(vt->device, event), VK_EVENT_RESET, "a new event");
    VT_CHECK(vt, vkSetEvent(vt->device, event));
    expect_result(vt, vkGetEventStatus(vt->device, event), VK_EVENT_SET, "an event set by the host");
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetEvent(commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    vt_submit(vt, commands);
    expect_result(vt, vkGetEventStatus(vt->device, event), VK_EVENT_RESET, "an event reset by the queue");
    commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer.buffer, 0, 64, 1);
    vkCmdSetEvent(commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &barrier, 0, NULL, 0, NULL);
    VkBufferCopy region = {0, 128, 64};
    vkCmdCopyBuffer(commands, buffer.buffer, buffer.buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_result(vt, vkGetEventStatus(vt->device, event), VK_EVENT_SET, "an event set by the queue");
    if (((uint32_t *)buffer.map)[32] != 1)
        vt_fail(vt, "what was copied after the event is not what was written before it");
}

/* Words after work of the pipe, one after the other: the last one counts, and a copy sees it. */
static void marker_case(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_BUFFER_MARKER])
        vt_skip(vt, "no buffer markers");
    PFN_vkCmdWriteBufferMarkerAMD write = (PFN_vkCmdWriteBufferMarkerAMD)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdWriteBufferMarkerAMD");
    struct vt_buffer buffer = vt_buffer(vt, 256, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer.buffer, 64, 64, 7);
    write(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, buffer.buffer, 0, 11);
    for (uint32_t i = 1; i <= 40; i++)
        write(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, buffer.buffer, 4, i);
    write(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, buffer.buffer, 8, 33);
    vt_full_barrier(commands);
    VkBufferCopy region = {0, 128, 128};
    vkCmdCopyBuffer(commands, buffer.buffer, buffer.buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    static const uint32_t expected[4] = {11, 40, 33, 0};
    vt_expect_words(vt, buffer.map, expected, 4, "markers");
    vt_expect_words(vt, (uint32_t *)buffer.map + 32, expected, 4, "copies of markers");
    if (((uint32_t *)buffer.map)[16] != 7 || ((uint32_t *)buffer.map)[48] != 7)
        vt_fail(vt, "the words beside them are not what was filled in");
}

static void timestamp_case(struct vt *vt, const void *argument)
{
    if (!vt->properties.limits.timestampComputeAndGraphics)
        vt_skip(vt, "no timestamps");
    enum { QUERIES = 5 };
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TIMESTAMP, QUERIES, 0);
    struct vt_buffer work = vt_buffer(vt, 1 << 20, NULL), copied = vt_buffer(vt, QUERIES * 8, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, QUERIES);
    for (uint32_t i = 0; i < QUERIES; i++) {
        vkCmdWriteTimestamp(commands, i & 1 ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, i);
        vkCmdFillBuffer(commands, work.buffer, 0, VK_WHOLE_SIZE, i);
        vt_full_barrier(commands);
    }
    vkCmdCopyQueryPoolResults(commands, pool, 0, QUERIES, copied.buffer, 0, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint64_t times[QUERIES];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, QUERIES, sizeof(times), times, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (unsigned i = 0; i < QUERIES; i++) {
        if (i && times[i] < times[i - 1])
            vt_fail(vt, "time runs backwards: %llu after %llu", (unsigned long long)times[i], (unsigned long long)times[i - 1]);
        if (times[i] != ((uint64_t *)copied.map)[i])
            vt_fail(vt, "query %u was copied as another value than the host reads", i);
    }
    if (times[QUERIES - 1] == times[0])
        vt_fail(vt, "filling a buffer takes no time");
}

/* One submission of several command buffers, and secondaries inside a primary: in the order in which they stand. */
static void order_case(struct vt *vt, const void *argument)
{
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    VkCommandBuffer commands[12];
    for (uint32_t i = 0; i < COUNT_OF(commands); i++)
        commands[i] = fill_commands(vt, &buffer, i + 50);
    VkFence fence = make_fence(vt, false);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = COUNT_OF(commands), .pCommandBuffers = commands};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, fence));
    VT_CHECK(vt, vkWaitForFences(vt->device, 1, &fence, VK_TRUE, 10000000000ull));
    if (((uint32_t *)buffer.map)[7] != 50 + COUNT_OF(commands) - 1)
        vt_fail(vt, "the last command buffer was not the last to run");
}

static void secondary_case(struct vt *vt, const void *argument)
{
    struct vt_buffer buffer = vt_buffer(vt, 4096, NULL);
    VkCommandBuffer secondaries[3];
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vt->commands,
                                            .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                            .commandBufferCount = COUNT_OF(secondaries)};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &allocate, secondaries));
    for (uint32_t i = 0; i < COUNT_OF(secondaries); i++) {
        VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .pInheritanceInfo = &inheritance};
        VT_CHECK(vt, vkBeginCommandBuffer(secondaries[i], &begin));
        vkCmdFillBuffer(secondaries[i], buffer.buffer, i * 4, 4096 - i * 4, i + 1);
        vt_full_barrier(secondaries[i]);
        VT_CHECK(vt, vkEndCommandBuffer(secondaries[i]));
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdExecuteCommands(commands, COUNT_OF(secondaries), secondaries);
    vt_submit(vt, commands);
    const uint32_t expected[] = {1, 2, 3, 3};
    vt_expect_words(vt, buffer.map, expected, COUNT_OF(expected), "memory");
}

/* More commands than fit into one buffer of any driver. */
static void long_recording_case(struct vt *vt, const void *argument)
{
    struct vt_buffer buffer = vt_buffer(vt, 1 << 16, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t i = 0; i < 5000; i++) {
        vkCmdUpdateBuffer(commands, buffer.buffer, i % 16384 * 4, 4, &i);
        if (i % 100 == 99)
            vt_full_barrier(commands);
    }
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 5000; i++) {
        if (((uint32_t *)buffer.map)[i] != i)
            vt_fail(vt, "word %u is %u", i, ((uint32_t *)buffer.map)[i]);
    }
}

const struct vt_case vt_sync_cases[] = {
    {"fence", fence_case, NULL},
    {"binary_semaphore", binary_semaphore_case, NULL},
    {"timeline_semaphore", timeline_case, NULL},
    {"timeline_host_signal", host_signal_case, NULL},
    {"event", event_case, NULL},
    {"buffer_markers", marker_case, NULL},
    {"timestamps", timestamp_case, NULL},
    {"order_of_command_buffers", order_case, NULL},
    {"secondary_command_buffers", secondary_case, NULL},
    {"long_recording", long_recording_case, NULL},
};
const size_t vt_sync_count = COUNT_OF(vt_sync_cases);
