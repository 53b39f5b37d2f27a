/* Fences, semaphores and queues, over a kernel and a GPU of the test's own (fake_gpu.h). */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/drm/drm_fence.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/tests/fake_gpu.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_semaphore.h"
#include "vulkan/runtime/sync/vk_time.h"

enum {
    QUEUES = 4
};
#define SECOND_NS 1000000000ull
#define MS_NS 1000000ull
#define PATIENCE_NS (60 * SECOND_NS) /* for what must come, on a loaded machine, too */
#define MOMENT_NS (20 * MS_NS)       /* for what must not come */

/* A device that is nothing but its queues. */
static struct world {
    struct vk_instance instance;
    struct vk_physical_device physical;
    struct vk_device device;
    struct fake_kernel kernel, other_process;
    struct fake_queue queues[QUEUES];
} world;

static struct vk_icd icd;
static const struct vk_driver driver = {.name = "test"};

static void start_queue(unsigned i)
{
    VkDeviceQueueCreateInfo info = vk_struct_init(VkDeviceQueueCreateInfo);
    fake_queue_start(&world.queues[i], &world.kernel);
    assert_int_equal(vk_queue_init(&world.queues[i].vk, &world.device, &info, i, fake_queue_submit), VK_SUCCESS);
}

static int start_test(void **state)
{
    memset(&world, 0, sizeof(world));
    fake_kernel_init(&world.kernel);
    fake_kernel_init(&world.other_process);
    world.instance.icd = &icd;
    world.instance.alloc = vk_default_allocator;
    world.instance.api_version = VK_API_VERSION_1_3;
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &(struct vk_physical_device_dispatch){0},
                                           .supported_extensions = &(struct vk_device_extensions){0},
                                           .supported_features = &(struct vk_features){.timelineSemaphore = true}};
    assert_int_equal(vk_physical_device_init(&world.physical, &world.instance, &info), VK_SUCCESS);
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    assert_int_equal(
        vk_device_init(&world.device, &world.physical, &create, NULL, &(struct vk_device_dispatch){0}, NULL, 0),
        VK_SUCCESS);
    world.device.kernel_file = &world.kernel.file;
    for (unsigned i = 0; i < QUEUES; i++)
        start_queue(i);
    alarm(300); /* a wait that does not end fails by it */
    return 0;
}

static void end_queue(unsigned i)
{
    vk_queue_finish(&world.queues[i].vk);
    fake_queue_stop(&world.queues[i]);
}

static int end_test(void **state)
{
    for (unsigned i = 0; i < QUEUES; i++)
        end_queue(i);
    vk_device_finish(&world.device);
    vk_physical_device_finish(&world.physical);
    assert_int_equal(world.kernel.table.objects.count, 0); /* no syncobj is left */
    fake_kernel_finish(&world.kernel);
    fake_kernel_finish(&world.other_process);
    log_set_level(LOG_LEVEL_ERROR);
    alarm(0);
    return 0;
}

/* ---- shorthand for the calls under test ---- */

static VkDevice dev(void)
{
    return vk_device_to_handle(&world.device);
}

static VkFence new_fence(bool is_signalled)
{
    VkFenceCreateInfo info = vk_struct_init(VkFenceCreateInfo);
    info.flags = is_signalled ? VK_FENCE_CREATE_SIGNALED_BIT : 0;
    VkFence fence;
    assert_int_equal(vk_common_CreateFence(dev(), &info, NULL, &fence), VK_SUCCESS);
    return fence;
}

static void free_fence(VkFence fence)
{
    vk_common_DestroyFence(dev(), fence, NULL);
}

static VkSemaphore new_semaphore_of(VkSemaphoreType kind, uint64_t initial, bool is_shareable)
{
    VkSemaphoreTypeCreateInfo type = vk_struct_init(VkSemaphoreTypeCreateInfo);
    type.semaphoreType = kind;
    type.initialValue = initial;
    VkExportSemaphoreCreateInfo export = vk_struct_init(VkExportSemaphoreCreateInfo);
    export.handleTypes = is_shareable ? VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT : 0;
    export.pNext = &type;
    VkSemaphoreCreateInfo info = vk_struct_init(VkSemaphoreCreateInfo);
    info.pNext = &export;
    VkSemaphore semaphore;
    assert_int_equal(vk_common_CreateSemaphore(dev(), &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

static VkSemaphore new_binary(void)
{
    return new_semaphore_of(VK_SEMAPHORE_TYPE_BINARY, 0, false);
}

static VkSemaphore new_timeline(uint64_t initial)
{
    return new_semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, initial, false);
}

static void free_semaphore(VkSemaphore semaphore)
{
    vk_common_DestroySemaphore(dev(), semaphore, NULL);
}

/* A submission of no command buffers; VK_NULL_HANDLE: no such semaphore. */
static VkResult queue_submit(unsigned queue, VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                             uint64_t signal_value, VkFence fence)
{
    VkSemaphoreSubmitInfo waits = vk_struct_init(VkSemaphoreSubmitInfo), signals = waits;
    waits.semaphore = wait, waits.value = wait_value;
    signals.semaphore = signal, signals.value = signal_value;
    VkSubmitInfo2 info = vk_struct_init(VkSubmitInfo2);
    info.waitSemaphoreInfoCount = wait != VK_NULL_HANDLE;
    info.pWaitSemaphoreInfos = &waits;
    info.signalSemaphoreInfoCount = signal != VK_NULL_HANDLE;
    info.pSignalSemaphoreInfos = &signals;
    return vk_common_QueueSubmit2(vk_queue_to_handle(&world.queues[queue].vk), 1, &info, fence);
}

/* One that reaches the kernel: `pulse` grows by it. */
static VkSemaphore pulse;
static uint64_t pulse_value;

static void queue_work(unsigned queue, VkSemaphore signal, VkFence fence)
{
    VkSemaphoreSubmitInfo signals[2] = {vk_struct_init(VkSemaphoreSubmitInfo), vk_struct_init(VkSemaphoreSubmitInfo)};
    signals[0].semaphore = pulse, signals[0].value = ++pulse_value;
    signals[1].semaphore = signal;
    VkSubmitInfo2 info = vk_struct_init(VkSubmitInfo2);
    info.signalSemaphoreInfoCount = signal ? 2 : 1;
    info.pSignalSemaphoreInfos = signals;
    assert_int_equal(vk_common_QueueSubmit2(vk_queue_to_handle(&world.queues[queue].vk), 1, &info, fence), VK_SUCCESS);
}

static int start_with_pulse(void **state)
{
    start_test(state);
    pulse = new_timeline(0);
    pulse_value = 0;
    return 0;
}

static int end_with_pulse(void **state)
{
    free_semaphore(pulse);
    return end_test(state);
}

static VkResult wait_fence(VkFence fence, uint64_t timeout_ns)
{
    return vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, timeout_ns);
}

static VkResult wait_value(VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo info = vk_struct_init(VkSemaphoreWaitInfo);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return vk_common_WaitSemaphores(dev(), &info, timeout_ns);
}

static VkResult host_signal(VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreSignalInfo info = vk_struct_init(VkSemaphoreSignalInfo);
    info.semaphore = semaphore;
    info.value = value;
    return vk_common_SignalSemaphore(dev(), &info);
}

static uint64_t value_of(VkSemaphore semaphore)
{
    uint64_t value = UINT64_MAX;
    assert_int_equal(vk_common_GetSemaphoreCounterValue(dev(), semaphore, &value), VK_SUCCESS);
    return value;
}

static int fd_of(VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type)
{
    VkSemaphoreGetFdInfoKHR get = vk_struct_init(VkSemaphoreGetFdInfoKHR);
    get.semaphore = semaphore;
    get.handleType = type;
    int fd = -1;
    assert_int_equal(vk_common_GetSemaphoreFdKHR(dev(), &get, &fd), VK_SUCCESS);
    return fd;
}

static VkResult import_semaphore(VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type, bool temporarily,
                                 int fd)
{
    VkImportSemaphoreFdInfoKHR info = vk_struct_init(VkImportSemaphoreFdInfoKHR);
    info.semaphore = semaphore;
    info.handleType = type;
    info.flags = temporarily ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0;
    info.fd = fd;
    return vk_common_ImportSemaphoreFdKHR(dev(), &info);
}

#define OPAQUE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define SYNC_FILE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT

/* Another name of the same payload. */
static VkSemaphore new_name(VkSemaphore semaphore)
{
    VkSemaphore other = new_semaphore_of(vk_semaphore_from_handle(semaphore)->type, 0, false);
    assert_int_equal(import_semaphore(other, OPAQUE, false, fd_of(semaphore, OPAQUE)), VK_SUCCESS);
    return other;
}

/* One object in another process. */
static struct drm_syncobj *elsewhere(VkSemaphore semaphore)
{
    int fd = fd_of(semaphore, OPAQUE);
    struct drm_syncobj *object;
    assert_int_equal(drm_syncobj_import(fd, &object), 0);
    close(fd);
    return object;
}

static void lose_device(void)
{
    log_set_level(LOG_LEVEL_ERROR - 1);
    vk_device_set_lost(&world.device, "a test wants it");
}

/* ---- fences ---- */

static void a_fence_is_signalled_by_its_submission_and_can_be_used_again(void **state)
{
    VkFence fence = new_fence(false);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    for (unsigned round = 0; round < 3; round++) {
        fake_queue_pause(&world.queues[0], true);
        queue_work(0, VK_NULL_HANDLE, fence);
        assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
        fake_queue_pause(&world.queues[0], false);
        assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
        assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
        assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
        assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    }
    free_fence(fence);
}

static void a_fence_costs_the_kernel_nothing(void **state)
{
    unsigned before = world.kernel.ioctls;
    VkFence fence = new_fence(true);
    VkSemaphore semaphore = new_binary();
    assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    queue_work(0, semaphore, fence);
    assert_int_equal(world.kernel.ioctls, before);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(world.kernel.ioctls, before + 1);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS); /* what was seen once is known */
    free_fence(fence);
    free_semaphore(semaphore);
    assert_int_equal(world.kernel.ioctls, before + 1);
}

static void waiting_for_a_fence_ends_at_its_time(void **state)
{
    VkFence fences[2] = {new_fence(false), new_fence(true)};
    uint64_t before_ns = vk_time_now_ns();
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_TRUE, MOMENT_NS), VK_TIMEOUT);
    assert_true(vk_time_now_ns() - before_ns >= MOMENT_NS);
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_FALSE, PATIENCE_NS), VK_SUCCESS);
    free_fence(fences[0]);
    free_fence(fences[1]);
}

/* More than fit on the stack. */
static void many_fences_are_waited_for_at_once(void **state)
{
    VkFence fences[40];
    for (unsigned i = 0; i < ARRAY_SIZE(fences); i++) {
        fences[i] = new_fence(false);
        queue_work(i % 2, VK_NULL_HANDLE, fences[i]);
    }
    assert_int_equal(vk_common_WaitForFences(dev(), ARRAY_SIZE(fences), fences, VK_TRUE, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(vk_common_ResetFences(dev(), ARRAY_SIZE(fences), fences), VK_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(fences); i++) {
        assert_int_equal(vk_common_GetFenceStatus(dev(), fences[i]), VK_NOT_READY);
        free_fence(fences[i]);
    }
}

struct late {
    VkFence fence;
    unsigned queue;
    uint64_t value; /* of the pulse */
};

static void *submit_late(void *argument)
{
    const struct late *late = argument;
    usleep(20000);
    VkSubmitInfo2 info = vk_struct_init(VkSubmitInfo2);
    VkSemaphoreSubmitInfo signal = vk_struct_init(VkSemaphoreSubmitInfo);
    signal.semaphore = pulse, signal.value = late->value;
    info.signalSemaphoreInfoCount = 1;
    info.pSignalSemaphoreInfos = &signal;
    vk_common_QueueSubmit2(vk_queue_to_handle(&world.queues[late->queue].vk), 1, &info, late->fence);
    return NULL;
}

static void a_fence_may_be_waited_for_before_it_is_submitted(void **state)
{
    VkFence fences[2] = {new_fence(false), new_fence(false)};
    pthread_t thread;
    fake_queue_pause(&world.queues[1], true);
    queue_work(1, VK_NULL_HANDLE, fences[1]);
    assert_int_equal(pthread_create(&thread, NULL, submit_late, &(struct late){fences[0], 0, 1000}), 0);
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_FALSE, PATIENCE_NS), VK_SUCCESS);
    pthread_join(thread, NULL);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fences[0]), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fences[1]), VK_NOT_READY);
    fake_queue_pause(&world.queues[1], false);
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_TRUE, PATIENCE_NS), VK_SUCCESS);

    assert_int_equal(vk_common_ResetFences(dev(), 1, fences), VK_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, submit_late, &(struct late){fences[0], 2, 1001}), 0);
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_TRUE, PATIENCE_NS), VK_SUCCESS);
    pthread_join(thread, NULL);
    assert_int_equal(world.device.held.listeners, 0);
    free_fence(fences[0]);
    free_fence(fences[1]);
}

static void an_empty_submission_is_over_with_the_latest_of_its_queue(void **state)
{
    VkFence fence = new_fence(false);
    VkQueue queue = vk_queue_to_handle(&world.queues[0].vk);
    assert_int_equal(vk_common_QueueSubmit2(queue, 0, NULL, fence), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS); /* nothing was submitted before */
    assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    VkFence other = new_fence(false);
    fake_queue_pause(&world.queues[0], true);
    queue_work(0, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted, 2); /* the end of the first had no name */
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, other), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted, 2); /* now it has, and no work is made of this one */
    assert_int_equal(wait_fence(fence, MOMENT_NS), VK_TIMEOUT);
    assert_int_equal(wait_fence(other, 0), VK_TIMEOUT);
    fake_queue_pause(&world.queues[0], false);
    assert_int_equal(wait_fence(other, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    free_fence(fence);
    free_fence(other);
}

/* ---- semaphores ---- */

static void a_binary_semaphore_orders_two_queues_and_is_free_at_once(void **state)
{
    VkSemaphore semaphore = new_binary();
    VkFence fence = new_fence(false);
    fake_queue_pause(&world.queues[0], true);
    for (unsigned round = 0; round < 20; round++) {
        queue_work(0, semaphore, VK_NULL_HANDLE);
        assert_int_equal(queue_submit(1, semaphore, 0, VK_NULL_HANDLE, 0, round == 19 ? fence : VK_NULL_HANDLE),
                         VK_SUCCESS);
    }
    assert_int_equal(world.queues[1].submitted, 20); /* nothing was held */
    assert_int_equal(wait_fence(fence, MOMENT_NS), VK_TIMEOUT);
    fake_queue_pause(&world.queues[0], false);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    free_fence(fence);
    free_semaphore(semaphore);
}

/* The end of nothing, on a queue that has had no work: no kernel knows a point for it. */
static void what_was_signalled_before_any_work_is_not_waited_for(void **state)
{
    VkSemaphore semaphore = new_binary();
    VkFence fence = new_fence(false);
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, semaphore, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(1, semaphore, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted + world.queues[1].submitted, 0);
    free_fence(fence);
    free_semaphore(semaphore);
}

static void a_timeline_has_its_initial_value_and_grows(void **state)
{
    VkSemaphore semaphore = new_timeline(7);
    assert_int_equal(value_of(semaphore), 7);
    assert_int_equal(queue_submit(0, semaphore, 7, semaphore, 10, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(wait_value(semaphore, 9, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(value_of(semaphore), 10);
    assert_int_equal(host_signal(semaphore, 12), VK_SUCCESS);
    assert_int_equal(value_of(semaphore), 12);
    assert_int_equal(wait_value(semaphore, 13, MOMENT_NS), VK_TIMEOUT);
    free_semaphore(semaphore);
}

static void two_submissions_may_wait_for_one_value(void **state)
{
    VkSemaphore a = new_timeline(0), b = new_timeline(0), c = new_timeline(0), both[] = {b, c};
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, a, 3, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(0, a, 3, b, 1, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(1, a, 2, c, 1, VK_NULL_HANDLE), VK_SUCCESS);
    VkSemaphoreWaitInfo info = vk_struct_init(VkSemaphoreWaitInfo);
    info.semaphoreCount = 2;
    info.pSemaphores = both;
    info.pValues = (const uint64_t[]){1, 1};
    assert_int_equal(vk_common_WaitSemaphores(dev(), &info, PATIENCE_NS), VK_SUCCESS);
    info.pValues = (const uint64_t[]){2, 1};
    assert_int_equal(vk_common_WaitSemaphores(dev(), &info, MS_NS), VK_TIMEOUT);
    info.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    assert_int_equal(vk_common_WaitSemaphores(dev(), &info, PATIENCE_NS), VK_SUCCESS);
    info.pValues = (const uint64_t[]){2, 0}; /* zero is reached from the start */
    assert_int_equal(vk_common_WaitSemaphores(dev(), &info, PATIENCE_NS), VK_SUCCESS);
    free_semaphore(a);
    free_semaphore(b);
    free_semaphore(c);
}

/* ---- held submissions ---- */

static void whoever_signals_submits_what_was_held(void **state)
{
    VkSemaphore a = new_timeline(0), b = new_timeline(0);
    /* Queue 1 waits for what queue 0 will signal, which waits for the host. */
    assert_int_equal(queue_submit(1, b, 5, a, 100, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(0, a, 1, b, 5, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted + world.queues[1].submitted, 0);
    assert_int_equal(wait_value(a, 100, MOMENT_NS), VK_TIMEOUT);
    assert_int_equal(host_signal(a, 1), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted, 1); /* at once, by this thread, one after the other */
    assert_int_equal(world.queues[1].submitted, 1);
    assert_false(world.device.held.has_watcher);
    assert_int_equal(wait_value(a, 100, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(value_of(b), 5);
    free_semaphore(a);
    free_semaphore(b);
}

static void what_comes_after_a_held_submission_waits_for_it(void **state)
{
    VkSemaphore gate = new_timeline(0), done = new_binary();
    VkFence first = new_fence(false), second = new_fence(false);
    assert_int_equal(queue_submit(0, gate, 1, done, 0, first), VK_SUCCESS);
    queue_work(0, VK_NULL_HANDLE, second);
    assert_int_equal(queue_submit(1, done, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS); /* held, too */
    assert_int_equal(world.queues[0].submitted + world.queues[1].submitted, 0);
    assert_int_equal(world.device.held.count, 3);
    assert_int_equal(wait_fence(second, MOMENT_NS), VK_TIMEOUT);
    assert_int_equal(queue_submit(2, VK_NULL_HANDLE, 0, gate, 1, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(world.device.held.count, 0);
    assert_int_equal(world.queues[0].submitted, 2);
    assert_int_equal(world.queues[1].submitted, 1);
    assert_int_equal(wait_fence(first, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(wait_fence(second, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(vk_common_QueueWaitIdle(vk_queue_to_handle(&world.queues[1].vk)), VK_SUCCESS);
    free_fence(first);
    free_fence(second);
    free_semaphore(gate);
    free_semaphore(done);
}

static void a_semaphore_is_free_while_the_submission_that_took_it_is_held(void **state)
{
    VkSemaphore gate = new_timeline(0), semaphore = new_binary();
    queue_work(0, semaphore, VK_NULL_HANDLE);
    assert_int_equal(queue_submit(1, gate, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(1, semaphore, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    queue_work(0, semaphore, VK_NULL_HANDLE);
    assert_int_equal(queue_submit(2, semaphore, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(world.queues[2].submitted, 1);
    assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
    assert_int_equal(world.queues[1].submitted, 2);
    free_semaphore(gate);
    free_semaphore(semaphore);
}

static void a_queue_is_idle_when_everything_before_is_done(void **state)
{
    VkSemaphore semaphore = new_timeline(0);
    for (uint64_t value = 1; value <= 50; value++)
        assert_int_equal(queue_submit(0, semaphore, value - 1, semaphore, value, VK_NULL_HANDLE), VK_SUCCESS);
    VkQueue queue = vk_queue_to_handle(&world.queues[0].vk);
    assert_int_equal(vk_common_QueueWaitIdle(queue), VK_SUCCESS);
    assert_int_equal(value_of(semaphore), 50);
    /* Nothing named the end of those, so that took a work of its own; an end that is named is enough. */
    assert_int_equal(world.queues[0].submitted, 51);
    assert_int_equal(vk_common_QueueWaitIdle(queue), VK_SUCCESS);
    VkFence fence = new_fence(false);
    queue_work(0, VK_NULL_HANDLE, fence);
    assert_int_equal(vk_common_QueueWaitIdle(queue), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted, 52);
    free_fence(fence);
    free_semaphore(semaphore);
}

static void a_queue_that_waits_for_ever_can_be_destroyed(void **state)
{
    VkSemaphore semaphore = new_timeline(0), shared = new_semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, 0, true);
    assert_int_equal(queue_submit(0, semaphore, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(1, shared, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_true(world.device.held.has_watcher);
    for (unsigned i = 0; i < 2; i++) {
        end_queue(i);
        start_queue(i);
    }
    assert_int_equal(world.device.held.count, 0);
    free_semaphore(semaphore);
    free_semaphore(shared);
}

enum {
    ROUNDS = 200
};
static VkSemaphore ring[QUEUES];

/* Each queue waits for its left neighbour's value, and all are submitted by threads of their own. */
static void *submit_ring(void *argument)
{
    unsigned own = (unsigned)(uintptr_t)argument;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        unsigned left = (own + QUEUES - 1) % QUEUES;
        uint64_t wait = own == 0 ? round - 1 : round;
        if (queue_submit(own, ring[left], wait, ring[own], round, VK_NULL_HANDLE) != VK_SUCCESS)
            abort();
    }
    return NULL;
}

static void threads_may_submit_what_waits_for_each_other(void **state)
{
    pthread_t threads[QUEUES];
    for (unsigned i = 0; i < QUEUES; i++)
        ring[i] = new_timeline(0);
    for (unsigned i = 0; i < QUEUES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_ring, (void *)(uintptr_t)(QUEUES - 1 - i)), 0);
    for (unsigned i = 0; i < QUEUES; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(world.device.held.count, 0);
    assert_int_equal(wait_value(ring[QUEUES - 1], ROUNDS, PATIENCE_NS), VK_SUCCESS);
    for (unsigned i = 0; i < QUEUES; i++) {
        assert_int_equal(world.queues[i].submitted, ROUNDS);
        assert_int_equal(vk_common_QueueWaitIdle(vk_queue_to_handle(&world.queues[i].vk)), VK_SUCCESS);
        free_semaphore(ring[i]);
    }
}

/* ---- payloads by fd ---- */

static void a_payload_leaves_by_fd_and_comes_back(void **state)
{
    VkSemaphore shared = new_binary(), other = new_name(shared);
    /* A signal by one name ends a wait by the other. */
    VkFence fence = new_fence(false);
    for (unsigned round = 0; round < 3; round++) {
        queue_work(0, shared, VK_NULL_HANDLE);
        assert_int_equal(queue_submit(1, other, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
        assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
        assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    }
    assert_int_equal(import_semaphore(other, OPAQUE, false, STDIN_FILENO), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    free_fence(fence);
    free_semaphore(shared);
    free_semaphore(other);
}

static int fence_fd(VkFence fence, VkExternalFenceHandleTypeFlagBits type)
{
    VkFenceGetFdInfoKHR get = vk_struct_init(VkFenceGetFdInfoKHR);
    get.fence = fence;
    get.handleType = type;
    int fd = -1;
    assert_int_equal(vk_common_GetFenceFdKHR(dev(), &get, &fd), VK_SUCCESS);
    return fd;
}

static bool is_readable(int fd, uint64_t timeout_ns)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    return poll(&poller, 1, (int)(timeout_ns / MS_NS)) == 1;
}

static void a_fence_as_sync_file_can_be_polled_and_is_reset_by_the_export(void **state)
{
    VkFence fence = new_fence(false);
    VkImportFenceFdInfoKHR back = vk_struct_init(VkImportFenceFdInfoKHR);
    back.fence = fence;
    back.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    fake_queue_pause(&world.queues[0], true);
    queue_work(0, VK_NULL_HANDLE, fence);
    back.fd = fence_fd(fence, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT);
    assert_false(is_readable(back.fd, MOMENT_NS));
    fake_queue_pause(&world.queues[0], false);
    assert_true(is_readable(back.fd, PATIENCE_NS));
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    assert_int_equal(vk_common_ImportFenceFdKHR(dev(), &back), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
    assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    back.fd = -1; /* is signalled */
    assert_int_equal(vk_common_ImportFenceFdKHR(dev(), &back), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
    back.fd = fence_fd(fence, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT); /* a file even then */
    assert_true(is_readable(back.fd, 0));
    close(back.fd);
    free_fence(fence);
}

static void a_fence_that_others_have_is_signalled_and_reset_for_them(void **state)
{
    VkFence fence = new_fence(true), other = new_fence(false);
    VkImportFenceFdInfoKHR info = vk_struct_init(VkImportFenceFdInfoKHR);
    info.fence = other;
    info.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
    info.fd = fence_fd(fence, info.handleType);
    assert_int_equal(vk_common_ImportFenceFdKHR(dev(), &info), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), other), VK_SUCCESS);
    assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), other), VK_NOT_READY);
    assert_int_equal(vk_common_QueueSubmit2(vk_queue_to_handle(&world.queues[0].vk), 0, NULL, other), VK_SUCCESS);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    free_fence(fence);
    free_fence(other);
}

static void a_temporary_payload_is_gone_after_one_wait(void **state)
{
    VkSemaphore source = new_binary(), semaphore = new_binary();
    for (unsigned round = 0; round < 4; round++) {
        bool is_held = round & 1, is_opaque = round & 2;
        VkSemaphore gate = new_timeline(0);
        queue_work(0, source, VK_NULL_HANDLE);
        queue_work(1, semaphore, VK_NULL_HANDLE);
        if (is_held)
            assert_int_equal(queue_submit(2, gate, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        VkExternalSemaphoreHandleTypeFlagBits type = is_opaque ? OPAQUE : SYNC_FILE;
        assert_int_equal(import_semaphore(semaphore, type, true, fd_of(source, type)), VK_SUCCESS);
        assert_true(vk_semaphore_from_handle(semaphore)->binary.has_temporary);
        assert_int_equal(queue_submit(2, semaphore, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_false(vk_semaphore_from_handle(semaphore)->binary.has_temporary);
        unsigned before = world.queues[3].submitted;
        assert_int_equal(queue_submit(3, semaphore, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(world.queues[3].submitted, before + 1); /* the permanent payload was there to be waited for */
        assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
        assert_int_equal(vk_common_DeviceWaitIdle(dev()), VK_SUCCESS);
        free_semaphore(gate);
    }
    free_semaphore(source);
    free_semaphore(semaphore);
}

static void a_signal_of_another_process_releases_what_was_held(void **state)
{
    VkSemaphore timeline = new_semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, 0, true), binary = new_binary();
    struct drm_syncobj *its_timeline = elsewhere(timeline), *its_binary = elsewhere(binary);
    VkFence fences[2] = {new_fence(false), new_fence(false)};
    assert_int_equal(queue_submit(0, timeline, 3, VK_NULL_HANDLE, 0, fences[0]), VK_SUCCESS);
    assert_int_equal(queue_submit(1, binary, 0, VK_NULL_HANDLE, 0, fences[1]), VK_SUCCESS);
    assert_int_equal(world.queues[0].submitted + world.queues[1].submitted, 0);
    assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_FALSE, MOMENT_NS), VK_TIMEOUT);
    struct drm_fence *done = drm_fence_stub();
    assert_int_equal(drm_syncobj_replace(its_binary, done), 0);
    assert_int_equal(wait_fence(fences[1], PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(drm_syncobj_add_point(its_timeline, done, 3), 0);
    assert_int_equal(wait_fence(fences[0], PATIENCE_NS), VK_SUCCESS);
    /* The wait has taken the fence away for both. */
    struct drm_fence *left = NULL;
    assert_int_equal(drm_syncobj_find_fence(its_binary, 0, &left), -EINVAL);
    drm_fence_unref(done);
    drm_syncobj_unref(its_timeline);
    drm_syncobj_unref(its_binary);
    free_fence(fences[0]);
    free_fence(fences[1]);
    free_semaphore(timeline);
    free_semaphore(binary);
}

static void what_leaves_while_its_signal_is_held_is_signalled(void **state)
{
    VkExportFenceCreateInfo export = vk_struct_init(VkExportFenceCreateInfo);
    export.handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkFenceCreateInfo create = vk_struct_init(VkFenceCreateInfo);
    create.pNext = &export;
    VkFence fence, other = new_fence(false);
    assert_int_equal(vk_common_CreateFence(dev(), &create, NULL, &fence), VK_SUCCESS);
    VkSemaphore gate = new_timeline(0), semaphore = new_semaphore_of(VK_SEMAPHORE_TYPE_BINARY, 0, true);
    assert_int_equal(queue_submit(0, gate, 1, semaphore, 0, fence), VK_SUCCESS);
    VkSemaphore its_semaphore = new_name(semaphore);
    VkImportFenceFdInfoKHR info = vk_struct_init(VkImportFenceFdInfoKHR);
    info.fence = other;
    info.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
    info.fd = fence_fd(fence, info.handleType);
    assert_int_equal(vk_common_ImportFenceFdKHR(dev(), &info), VK_SUCCESS);
    assert_int_equal(wait_fence(other, MOMENT_NS), VK_TIMEOUT);
    assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
    assert_int_equal(wait_fence(other, PATIENCE_NS), VK_SUCCESS);
    assert_int_equal(queue_submit(1, its_semaphore, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(world.queues[1].submitted, 1);
    free_fence(fence);
    free_fence(other);
    free_semaphore(gate);
    free_semaphore(semaphore);
    free_semaphore(its_semaphore);
}

static void a_signal_that_was_held_counts_by_every_name(void **state)
{
    VkSemaphore gate = new_timeline(0), shared = new_binary(), other = new_name(shared);
    for (uint64_t i = 1; i <= 50; i++) {
        assert_int_equal(queue_submit(0, gate, i, shared, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(host_signal(gate, i), VK_SUCCESS);
        if (i & 1) {
            int fd = fd_of(other, SYNC_FILE);
            assert_true(is_readable(fd, PATIENCE_NS));
            close(fd);
        } else {
            assert_int_equal(queue_submit(1, other, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        }
    }
    assert_int_equal(vk_common_DeviceWaitIdle(dev()), VK_SUCCESS);
    free_semaphore(gate);
    free_semaphore(shared);
    free_semaphore(other);
}

/* ---- errors ---- */

static void a_failed_submission_changes_nothing(void **state)
{
    VkSemaphore plain = new_binary(), shared = new_binary(), imported = new_binary(), source = new_binary();
    struct drm_syncobj *its_shared = elsewhere(shared);
    VkFence fence = new_fence(false);
    queue_work(0, plain, VK_NULL_HANDLE);
    queue_work(0, shared, VK_NULL_HANDLE);
    queue_work(0, source, VK_NULL_HANDLE);
    assert_int_equal(import_semaphore(imported, SYNC_FILE, false, fd_of(source, SYNC_FILE)), VK_SUCCESS);
    VkSemaphoreSubmitInfo waits[3], signal = vk_struct_init(VkSemaphoreSubmitInfo);
    for (unsigned i = 0; i < 3; i++) {
        waits[i] = vk_struct_init(VkSemaphoreSubmitInfo);
        waits[i].semaphore = (VkSemaphore[]){plain, shared, imported}[i];
    }
    signal.semaphore = source;
    VkSubmitInfo2 info = vk_struct_init(VkSubmitInfo2);
    info.waitSemaphoreInfoCount = 3, info.pWaitSemaphoreInfos = waits;
    info.signalSemaphoreInfoCount = 1, info.pSignalSemaphoreInfos = &signal;
    VkQueue queue = vk_queue_to_handle(&world.queues[1].vk);
    world.queues[1].answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    assert_int_equal(vk_common_QueueSubmit2(queue, 1, &info, fence), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_false(vk_device_is_lost(&world.device));
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    struct drm_fence *still = NULL;
    assert_int_equal(drm_syncobj_find_fence(its_shared, 0, &still), 0);
    drm_fence_unref(still);
    world.queues[1].answer = VK_SUCCESS;
    assert_int_equal(vk_common_QueueSubmit2(queue, 1, &info, fence), VK_SUCCESS);
    assert_int_equal(world.queues[1].submitted, 1);
    assert_int_equal(wait_fence(fence, PATIENCE_NS), VK_SUCCESS);
    drm_syncobj_unref(its_shared);
    free_fence(fence);
    free_semaphore(plain);
    free_semaphore(shared);
    free_semaphore(imported);
    free_semaphore(source);
}

static void the_second_of_a_batch_cannot_fail_alone(void **state)
{
    VkSemaphore gate = new_timeline(0);
    VkSemaphoreSubmitInfo wait = vk_struct_init(VkSemaphoreSubmitInfo);
    wait.semaphore = gate, wait.value = 1;
    VkSubmitInfo2 infos[2] = {vk_struct_init(VkSubmitInfo2), vk_struct_init(VkSubmitInfo2)};
    infos[1].waitSemaphoreInfoCount = 1, infos[1].pWaitSemaphoreInfos = &wait;
    assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
    world.queues[0].answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    log_set_level(LOG_LEVEL_ERROR - 1);
    assert_int_equal(vk_common_QueueSubmit2(vk_queue_to_handle(&world.queues[0].vk), 2, infos, VK_NULL_HANDLE),
                     VK_ERROR_DEVICE_LOST);
    free_semaphore(gate);
}

static void a_lost_device_says_so_everywhere(void **state)
{
    VkFence fence = new_fence(false);
    VkSemaphore semaphore = new_timeline(0);
    lose_device();
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_ERROR_DEVICE_LOST);
    assert_int_equal(wait_fence(fence, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    assert_int_equal(wait_value(semaphore, 1, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vk_common_QueueWaitIdle(vk_queue_to_handle(&world.queues[0].vk)), VK_ERROR_DEVICE_LOST);
    free_semaphore(semaphore);
    free_fence(fence);
}

/* The work of a held submission fails when its command cannot say so any more. */
static void nothing_waits_for_a_lost_submission(void **state)
{
    VkSemaphore gate = new_timeline(0), shared = new_semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, 0, true);
    struct drm_syncobj *its_shared = elsewhere(shared);
    VkFence fence = new_fence(false);
    assert_int_equal(queue_submit(0, gate, 1, shared, 7, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(0, gate, 2, shared, 9, fence), VK_SUCCESS);
    world.queues[0].answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    log_set_level(LOG_LEVEL_ERROR - 1);
    assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
    assert_int_equal(wait_fence(fence, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    assert_int_equal(drm_syncobj_query(its_shared, false), 9);
    drm_syncobj_unref(its_shared);
    free_fence(fence);
    free_semaphore(gate);
    free_semaphore(shared);
}

static void *lose_late(void *argument)
{
    usleep(20000);
    lose_device();
    return NULL;
}

static void a_wait_ends_when_the_device_is_lost(void **state)
{
    VkSemaphore never = new_timeline(0);
    VkFence held = new_fence(false), idle = new_fence(false);
    assert_int_equal(queue_submit(0, never, 1, VK_NULL_HANDLE, 0, held), VK_SUCCESS);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, lose_late, NULL), 0);
    assert_int_equal(wait_fence(idle, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    pthread_join(thread, NULL);
    assert_int_equal(wait_fence(held, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    free_fence(held);
    free_fence(idle);
    free_semaphore(never);
}

static void a_lost_device_lets_go_of_what_is_destroyed(void **state)
{
    VkSemaphore never = new_timeline(0);
    assert_int_equal(queue_submit(0, never, 1, never, 2, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(world.device.held.count, 1);
    lose_device();
    assert_int_equal(world.device.held.count, 0); /* nothing looks at the semaphore any more */
    free_semaphore(never);
}

#define STATEMENT(name) cmocka_unit_test_setup_teardown(name, start_with_pulse, end_with_pulse)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATEMENT(a_fence_is_signalled_by_its_submission_and_can_be_used_again),
        STATEMENT(a_fence_costs_the_kernel_nothing),
        STATEMENT(waiting_for_a_fence_ends_at_its_time),
        STATEMENT(many_fences_are_waited_for_at_once),
        STATEMENT(a_fence_may_be_waited_for_before_it_is_submitted),
        STATEMENT(an_empty_submission_is_over_with_the_latest_of_its_queue),
        STATEMENT(a_binary_semaphore_orders_two_queues_and_is_free_at_once),
        STATEMENT(what_was_signalled_before_any_work_is_not_waited_for),
        STATEMENT(a_timeline_has_its_initial_value_and_grows),
        STATEMENT(two_submissions_may_wait_for_one_value),
        STATEMENT(whoever_signals_submits_what_was_held),
        STATEMENT(what_comes_after_a_held_submission_waits_for_it),
        STATEMENT(a_semaphore_is_free_while_the_submission_that_took_it_is_held),
        STATEMENT(a_queue_is_idle_when_everything_before_is_done),
        STATEMENT(a_queue_that_waits_for_ever_can_be_destroyed),
        STATEMENT(threads_may_submit_what_waits_for_each_other),
        STATEMENT(a_payload_leaves_by_fd_and_comes_back),
        STATEMENT(a_fence_as_sync_file_can_be_polled_and_is_reset_by_the_export),
        STATEMENT(a_fence_that_others_have_is_signalled_and_reset_for_them),
        STATEMENT(a_temporary_payload_is_gone_after_one_wait),
        STATEMENT(a_signal_of_another_process_releases_what_was_held),
        STATEMENT(what_leaves_while_its_signal_is_held_is_signalled),
        STATEMENT(a_signal_that_was_held_counts_by_every_name),
        STATEMENT(a_failed_submission_changes_nothing),
        STATEMENT(the_second_of_a_batch_cannot_fail_alone),
        STATEMENT(a_lost_device_says_so_everywhere),
        STATEMENT(nothing_waits_for_a_lost_submission),
        STATEMENT(a_wait_ends_when_the_device_is_lost),
        STATEMENT(a_lost_device_lets_go_of_what_is_destroyed),
    };
    log_set_level(LOG_LEVEL_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
