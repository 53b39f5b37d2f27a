/* Order between subqueues, on the model: recordings whose streams count in memory, with the driver's own signals,
 * waits, secondary command buffers and submissions around them. What runs too early finds another number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/driver/entrypoints.h"
#include "mali/driver/hang.h"
#include "mali/driver/memory.h"
#include "mali/driver/stream_flow.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

extern const struct vk_driver mali_driver;
static const struct vk_driver *const drivers[] = {&mali_driver, NULL};
static const struct vk_instance_extensions no_extensions;
static const struct vk_icd icd = {.drivers = drivers, .instance_extensions = &no_extensions};

struct rig {
    VkInstance instance;
    VkDevice handle;
    struct mali_device *device;
    const struct vk_device_dispatch *vk;
    VkQueue queue;
    VkCommandPool pool;
    VkFence fence;
    struct mali_bo *bo; /* words that the streams count in */
    uint32_t *words;
};
static struct rig rig;

static int set_up(void **state)
{
    setenv("TUFF_GPU", "mali-g610", 1);
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    assert_int_equal(vk_instance_create(&icd, &instance, NULL, &rig.instance), VK_SUCCESS);
    const struct vk_instance_dispatch *dispatch = &vk_instance_from_handle(rig.instance)->dispatch;
    VkPhysicalDevice physical;
    uint32_t count = 1;
    assert_int_equal(dispatch->EnumeratePhysicalDevices(rig.instance, &count, &physical), VK_SUCCESS);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    assert_int_equal(vk_common_CreateDevice(physical, &device, NULL, &rig.handle), VK_SUCCESS);
    rig.device = mali_device_from_handle(rig.handle);
    rig.vk = &rig.device->vk.dispatch;
    rig.queue = vk_queue_to_handle(vk_queue_set_at(&rig.device->queues, 0));
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    assert_int_equal(rig.vk->CreateCommandPool(rig.handle, &pool, NULL, &rig.pool), VK_SUCCESS);
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(rig.vk->CreateFence(rig.handle, &fence, NULL, &rig.fence), VK_SUCCESS);
    assert_int_equal(mali_mapped_bo_create(rig.device, 4096, 0, &rig.bo), VK_SUCCESS);
    rig.words = rig.bo->vk.map;
    return 0;
}

static int tear_down(void **state)
{
    mali_bo_unref(rig.bo);
    rig.vk->DestroyFence(rig.handle, rig.fence, NULL);
    rig.vk->DestroyCommandPool(rig.handle, rig.pool, NULL);
    vk_common_DestroyDevice(rig.handle, NULL);
    vk_instance_from_handle(rig.instance)->dispatch.DestroyInstance(rig.instance, NULL);
    return 0;
}

/* ---- recordings ---- */

static struct mali_cmd_buffer *begin_commands(VkCommandBufferLevel level)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = rig.pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    VkCommandBuffer buffer;
    assert_int_equal(rig.vk->AllocateCommandBuffers(rig.handle, &info, &buffer), VK_SUCCESS);
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                          .pInheritanceInfo = &inheritance};
    assert_int_equal(mali_BeginCommandBuffer(buffer, &how), VK_SUCCESS);
    return mali_cmd_buffer_from_handle(buffer);
}

static VkCommandBuffer end_commands(struct mali_cmd_buffer *cmd)
{
    assert_int_equal(mali_EndCommandBuffer(mali_cmd_buffer_to_handle(cmd)), VK_SUCCESS);
    return mali_cmd_buffer_to_handle(cmd);
}

static void submit_buffers(const VkCommandBuffer *buffers, uint32_t count, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = buffers};
    assert_int_equal(rig.vk->QueueSubmit(rig.queue, 1, &info, fence), VK_SUCCESS);
}

static void wait_for_fence(void)
{
    assert_int_equal(rig.vk->WaitForFences(rig.handle, 1, &rig.fence, true, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(rig.vk->ResetFences(rig.handle, 1, &rig.fence), VK_SUCCESS);
}

/* words[to] = words[from] + add, by the stream of a subqueue. */
static void put_add(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, uint32_t to, uint32_t from, int32_t add)
{
    struct mali_stream *s = mali_cmd_stream(cmd, subqueue);
    const struct mali_d address = mali_scratch_pair(0);
    const struct mali_r value = mali_scratch(4);
    mali_set64(s, address, rig.bo->vk.va);
    mali_put_load32(s, value, address, (int16_t)(64 * from));
    mali_put_add32(s, value, value, add);
    mali_put_store32(s, value, address, (int16_t)(64 * to));
}

/* The subqueue does nothing for a while. */
static void put_delay(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, uint32_t rounds)
{
    struct mali_stream *s = mali_cmd_stream(cmd, subqueue);
    const struct mali_r left = mali_scratch(4);
    struct mali_block loop;
    mali_set32(s, left, rounds);
    mali_loop_begin(s, &loop);
    mali_put_add32(s, left, left, -1);
    mali_loop_end(s, &loop, MALI_CS_CONDITION_NEQUAL, left);
}

static uint32_t word(uint32_t index)
{
    return rig.words[16 * index];
}

static void clear_words(void)
{
    memset(rig.words, 0, 4096);
}

/* ---- statements ---- */

enum {
    DELAY = 100000
};

/* Around all subqueues, each of which waits for the one before, though that is slower. */
static void put_round(struct mali_cmd_buffer *cmd)
{
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        const enum mali_subqueue from = (enum mali_subqueue)((i + MALI_SUBQUEUES - 1) % MALI_SUBQUEUES),
                                 to = (enum mali_subqueue)i;
        mali_cmd_order(cmd, 1u << from, 1u << to);
        put_delay(cmd, to, (uint32_t)(MALI_SUBQUEUES - i) * DELAY);
        put_add(cmd, to, (uint32_t)(i + 1) % MALI_SUBQUEUES, (uint32_t)i, 1);
    }
}

static void points_order_subqueues_in_any_submission(void **state)
{
    struct mali_cmd_buffer *cmd = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_round(cmd);
    put_round(cmd);
    VkCommandBuffer buffers[3] = {end_commands(cmd)};
    buffers[1] = buffers[2] = buffers[0];
    clear_words();
    submit_buffers(buffers, 1, VK_NULL_HANDLE);
    submit_buffers(buffers, 3, VK_NULL_HANDLE);
    submit_buffers(buffers, 2, rig.fence);
    wait_for_fence();
    assert_int_equal(word(0), 6 * 2 * MALI_SUBQUEUES);
}

static void a_recording_may_order_what_another_did(void **state)
{
    struct mali_cmd_buffer *first = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_delay(first, MALI_VERTEX, 10 * DELAY);
    put_add(first, MALI_VERTEX, 0, 0, 7);
    struct mali_cmd_buffer *second = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    mali_cmd_order(second, 1u << MALI_VERTEX, 1u << MALI_COMPUTE | 1u << MALI_FRAGMENT);
    put_add(second, MALI_COMPUTE, 1, 0, 1);
    put_add(second, MALI_FRAGMENT, 2, 0, 2);
    const VkCommandBuffer buffers[] = {end_commands(first), end_commands(second)};
    clear_words();
    submit_buffers(buffers, 2, rig.fence);
    wait_for_fence();
    assert_int_equal(word(1), 8);
    assert_int_equal(word(2), 9);
}

static void secondaries_count_on_from_their_caller(void **state)
{
    struct mali_cmd_buffer *inner = begin_commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    put_round(inner);
    const VkCommandBuffer called[] = {end_commands(inner), mali_cmd_buffer_to_handle(inner)};
    struct mali_cmd_buffer *outer = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_round(outer);
    mali_cmd_order(outer, MALI_ALL_SUBQUEUES, MALI_ALL_SUBQUEUES);
    mali_CmdExecuteCommands(mali_cmd_buffer_to_handle(outer), 2, called);
    mali_cmd_order(outer, MALI_ALL_SUBQUEUES, MALI_ALL_SUBQUEUES);
    put_round(outer);
    const VkCommandBuffer buffers[] = {end_commands(outer), mali_cmd_buffer_to_handle(outer)};
    clear_words();
    submit_buffers(buffers, 2, rig.fence);
    wait_for_fence();
    assert_int_equal(word(0), 2 * 4 * MALI_SUBQUEUES);
}

/* A fence says that everything before it is done, in all subqueues. */
static void fences_gather_all_subqueues(void **state)
{
    clear_words();
    for (uint32_t i = 0; i < MALI_SUBQUEUES; i++) {
        const enum mali_subqueue slow = (enum mali_subqueue)i, quick = (enum mali_subqueue)((i + 1) % MALI_SUBQUEUES);
        struct mali_cmd_buffer *before = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        put_delay(before, slow, 10 * DELAY);
        put_add(before, slow, i, i, 1);
        struct mali_cmd_buffer *after = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        put_add(after, quick, 10 + i, 10 + i, 1);
        const VkCommandBuffer buffers[] = {end_commands(before), end_commands(after)};
        submit_buffers(&buffers[0], 1, VK_NULL_HANDLE);
        submit_buffers(&buffers[1], 1, rig.fence);
        wait_for_fence();
        assert_int_equal(word(i), 1);
        assert_int_equal(word(10 + i), 1);
        submit_buffers(&buffers[0], 1, VK_NULL_HANDLE);
        submit_buffers(NULL, 0, rig.fence);
        wait_for_fence();
        assert_int_equal(word(i), 2);
    }
}

/* A submission's waits hold for what later submissions bring to other subqueues. */
static void waits_hold_back_all_subqueues(void **state)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore;
    assert_int_equal(rig.vk->CreateSemaphore(rig.handle, &info, NULL, &semaphore), VK_SUCCESS);
    struct mali_cmd_buffer *slow = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_delay(slow, MALI_VERTEX, 10 * DELAY);
    put_add(slow, MALI_VERTEX, 0, 0, 1);
    struct mali_cmd_buffer *waits = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_add(waits, MALI_COMPUTE, 1, 0, 1);
    struct mali_cmd_buffer *follows = begin_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    put_add(follows, MALI_FRAGMENT, 2, 0, 2);
    const VkCommandBuffer buffers[] = {end_commands(slow), end_commands(waits), end_commands(follows)};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submits[] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 1,
         .pCommandBuffers = &buffers[0],
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &semaphore},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .waitSemaphoreCount = 1,
         .pWaitSemaphores = &semaphore,
         .pWaitDstStageMask = &stage,
         .commandBufferCount = 1,
         .pCommandBuffers = &buffers[1]},
    };
    clear_words();
    assert_int_equal(rig.vk->QueueSubmit(rig.queue, 2, submits, VK_NULL_HANDLE), VK_SUCCESS);
    submit_buffers(&buffers[2], 1, rig.fence);
    wait_for_fence();
    assert_int_equal(word(1), 2);
    assert_int_equal(word(2), 3);
    rig.vk->DestroySemaphore(rig.handle, semaphore, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_order_subqueues_in_any_submission),
        cmocka_unit_test(a_recording_may_order_what_another_did),
        cmocka_unit_test(secondaries_count_on_from_their_caller),
        cmocka_unit_test(fences_gather_all_subqueues),
        cmocka_unit_test(waits_hold_back_all_subqueues),
    };
    return cmocka_run_group_tests_name("mali order", tests, set_up, tear_down);
}
