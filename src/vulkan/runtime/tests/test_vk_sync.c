/* Fences, semaphores and queues, submitting empty work to the modelled Navi 21. Each statement is made for every set of
 * sync types, every timeline mode and every submit mode that fits it. */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_drm_syncobj.h"
#include "vulkan/runtime/vk_fence.h"
#include "vulkan/runtime/vk_instance.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_semaphore.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_sync_binary.h"
#include "vulkan/runtime/vk_sync_timeline.h"

enum {
    QUEUES = 2,
    SYNCOBJS = 8
};
#define SECOND_NS 1000000000ull
#define PATIENCE_S 60 /* for what must come, on a loaded machine, too */
#define IB_VA 0xffff800000100000ull
#define IB_SIZE_B 4096u

/* What the kernel gets. */
struct job {
    struct list link;
    uint32_t wait_count, signal_count;
    struct drm_amdgpu_cs_chunk_syncobj waits[SYNCOBJS], signals[SYNCOBJS];
};

struct test_queue {
    struct vk_queue vk;
    uint32_t ctx, ring;
    bool fail;
    _Atomic unsigned submitted;
    /* Of a kernel that takes a wait before its signal: what it holds until then. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t pushed;
    struct list jobs;
    _Atomic bool stop;
};

/* A device that is nothing but its queues. */
static struct world {
    struct vk_instance instance;
    struct vk_physical_device physical;
    struct vk_device device;
    struct kernel_file *file;
    struct vk_sync_type kernel_type, only_binary, only_timeline, native;
    struct vk_sync_timeline_type emulated;
    struct vk_sync_binary_type binary;
    const struct vk_sync_type *types[3];
    struct test_queue queues[QUEUES];
    bool holds; /* the kernel takes a wait before its signal */
} world;

static struct vk_icd icd;
static const struct vk_driver driver = {.name = "test"};

/* cmocka's assertions jump, and only in the thread that runs the test; a submission may come from another. */
static void must(bool condition)
{
    if (!condition)
        abort();
}

/* The kernel refuses a wait for what nobody has submitted: the runtime must not have let it through. */
static void run_job(struct test_queue *queue, struct job *job)
{
    struct drm_amdgpu_cs_chunk_ib ib = {
        .va_start = IB_VA, .ib_bytes = 64, .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = queue->ring};
    struct drm_amdgpu_cs_chunk chunks[3] = {
        {AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib},
        {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, job->wait_count * sizeof(job->waits[0]) / 4, (uintptr_t)job->waits},
        {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, job->signal_count * sizeof(job->signals[0]) / 4,
         (uintptr_t)job->signals}};
    uint64_t pointers[3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (chunks[i].length_dw)
            pointers[count++] = (uintptr_t)&chunks[i];
    }
    union drm_amdgpu_cs args = {.in = {.ctx_id = queue->ctx, .num_chunks = count, .chunks = (uintptr_t)pointers}};
    queue->submitted++;
    must(kernel_ioctl(world.file, DRM_IOCTL_AMDGPU_CS, &args) == 0);
}

static struct drm_amdgpu_cs_chunk_syncobj syncobj_of(struct vk_sync *sync, uint64_t value)
{
    must(vk_sync_is_drm_syncobj(sync));
    return (struct drm_amdgpu_cs_chunk_syncobj){.handle = vk_sync_as_drm_syncobj(sync)->handle,
                                                .point = vk_sync_is_timeline(sync) ? value : 0};
}

static void hold_job(struct test_queue *queue, const struct job *job);

static VkResult submit(struct vk_queue *queue, struct vk_submit *submit)
{
    struct test_queue *test = container_of(queue, struct test_queue, vk);
    if (test->fail)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    must(submit->wait_count <= SYNCOBJS && submit->signal_count <= SYNCOBJS);
    struct job job = {.wait_count = submit->wait_count, .signal_count = submit->signal_count};
    for (uint32_t i = 0; i < job.wait_count; i++)
        job.waits[i] = syncobj_of(submit->waits[i].sync, submit->waits[i].value);
    for (uint32_t i = 0; i < job.signal_count; i++)
        job.signals[i] = syncobj_of(submit->signals[i].sync, submit->signals[i].value);
    if (world.holds)
        hold_job(test, &job);
    else
        run_job(test, &job);
    return VK_SUCCESS;
}

/* ---- a kernel that takes a wait before its signal ---- */

/* As a real one would, it holds the objects themselves: their handles may be closed by the time that they are needed.
 */
static uint32_t reference(uint32_t handle)
{
    struct drm_syncobj_handle out = {.handle = handle, .fd = -1};
    must(kernel_ioctl(world.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out) == 0);
    struct drm_syncobj_handle in = {.fd = out.fd};
    must(kernel_ioctl(world.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in) == 0);
    close(out.fd);
    return in.handle;
}

static void hold_job(struct test_queue *queue, const struct job *job)
{
    struct job *held = malloc(sizeof(*held));
    must(held != NULL);
    *held = *job;
    for (uint32_t i = 0; i < held->wait_count; i++)
        held->waits[i].handle = reference(held->waits[i].handle);
    for (uint32_t i = 0; i < held->signal_count; i++)
        held->signals[i].handle = reference(held->signals[i].handle);
    pthread_mutex_lock(&queue->lock);
    list_push_back(&queue->jobs, &held->link);
    pthread_cond_signal(&queue->pushed);
    pthread_mutex_unlock(&queue->lock);
}

static void drop_job(struct job *job)
{
    for (uint32_t i = 0; i < job->wait_count + job->signal_count; i++) {
        struct drm_syncobj_destroy destroy = {.handle = i < job->wait_count ? job->waits[i].handle
                                                                            : job->signals[i - job->wait_count].handle};
        must(kernel_ioctl(world.file, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy) == 0);
    }
    free(job);
}

/* False when the queue ends before the signal has been submitted. */
static bool wait_submitted(struct test_queue *queue, const struct drm_amdgpu_cs_chunk_syncobj *what)
{
    int error;
    do {
        struct drm_syncobj_timeline_wait wait = {.handles = (uintptr_t)&what->handle,
                                                 .points = (uintptr_t)&what->point,
                                                 .count_handles = 1,
                                                 .timeout_nsec = (int64_t)vk_time_deadline_ns(5 * 1000 * 1000),
                                                 .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                                                          DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE};
        error = kernel_ioctl(world.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);
        must(error == 0 || error == -ETIME);
    } while (error && !queue->stop);
    return error == 0;
}

static void *run_held_jobs(void *argument)
{
    struct test_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (list_is_empty(&queue->jobs) && !queue->stop)
            pthread_cond_wait(&queue->pushed, &queue->lock);
        if (list_is_empty(&queue->jobs))
            break;
        struct job *job = container_of(queue->jobs.next, struct job, link);
        list_remove(&job->link);
        pthread_mutex_unlock(&queue->lock);
        bool ready = true;
        for (uint32_t i = 0; i < job->wait_count && ready; i++)
            ready = wait_submitted(queue, &job->waits[i]);
        if (ready)
            run_job(queue, job);
        drop_job(job);
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void start_holding(struct test_queue *queue)
{
    list_init(&queue->jobs);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->pushed, NULL);
    assert_int_equal(pthread_create(&queue->thread, NULL, run_held_jobs, queue), 0);
}

static void stop_holding(struct test_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_signal(&queue->pushed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->pushed);
    pthread_mutex_destroy(&queue->lock);
}

/* ---- making the world ---- */

enum types {
    TYPES_KERNEL,
    TYPES_EMULATED_TIMELINE,
    TYPES_EMULATED_BINARY,
    TYPES_NATIVE,
};

static void set_types(enum types types)
{
    assert_true(vk_drm_syncobj_type_init(world.file, &world.kernel_type));
    world.only_binary = world.only_timeline = world.native = world.kernel_type;
    world.native.features |= VK_SYNC_WAIT_BEFORE_SIGNAL;
    world.only_binary.features &= ~(VK_SYNC_TIMELINE | VK_SYNC_WAIT_PENDING);
    world.only_timeline.features &= ~VK_SYNC_BINARY;
    memset(world.types, 0, sizeof(world.types));
    switch (types) {
    case TYPES_KERNEL:
        world.types[0] = &world.kernel_type;
        break;
    case TYPES_EMULATED_TIMELINE:
        assert_true(vk_sync_timeline_type_init(&world.emulated, &world.only_binary));
        world.types[0] = &world.only_binary;
        world.types[1] = &world.emulated.base;
        break;
    case TYPES_NATIVE:
        world.types[0] = &world.native;
        break;
    case TYPES_EMULATED_BINARY:
        vk_sync_binary_type_init(&world.binary, &world.only_timeline);
        world.types[0] = &world.only_timeline;
        world.types[1] = &world.binary.base;
    }
}

static void make_ib(void)
{
    union drm_amdgpu_gem_create create = {
        .in = {.bo_size = IB_SIZE_B, .alignment = 4096, .domains = AMDGPU_GEM_DOMAIN_GTT}};
    assert_int_equal(kernel_ioctl(world.file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
    struct drm_amdgpu_gem_va map = {.handle = create.out.handle,
                                    .operation = AMDGPU_VA_OP_MAP,
                                    .va_address = IB_VA,
                                    .map_size = IB_SIZE_B,
                                    .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE};
    assert_int_equal(kernel_ioctl(world.file, DRM_IOCTL_AMDGPU_GEM_VA, &map), 0);
    union drm_amdgpu_gem_mmap where = {.in = {.handle = create.out.handle}};
    assert_int_equal(kernel_ioctl(world.file, DRM_IOCTL_AMDGPU_GEM_MMAP, &where), 0);
    void *memory;
    assert_int_equal(
        kernel_mmap(world.file, IB_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, where.out.addr_ptr, &memory), 0);
    for (unsigned i = 0; i < IB_SIZE_B / 4; i++)
        ((uint32_t *)memory)[i] = 0xffff1000; /* NOP of one dword */
    kernel_munmap(world.file, memory, IB_SIZE_B);
}

static void set_variable(const char *variable, const char *text)
{
    if (text)
        setenv(variable, text, 1);
    else
        unsetenv(variable);
}

static void make_world(enum types types, const char *timeline, const char *mode)
{
    memset(&world, 0, sizeof(world));
    set_variable("TUFF_TIMELINE", timeline);
    set_variable("TUFF_SUBMIT", mode);
    assert_int_equal(kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &world.file), 0);
    set_types(types);
    make_ib();
    world.instance.icd = &icd;
    world.instance.alloc = vk_default_allocator;
    world.instance.api_version = VK_API_VERSION_1_3;
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .sync_types = world.types,
                                           .entrypoints = &(struct vk_physical_device_dispatch){0},
                                           .supported_extensions = &(struct vk_device_extensions){0},
                                           .supported_features = &(struct vk_features){.timelineSemaphore = true}};
    assert_int_equal(vk_physical_device_init(&world.physical, &world.instance, &info), VK_SUCCESS);
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    assert_int_equal(
        vk_device_init(&world.device, &world.physical, &create, NULL, &(struct vk_device_dispatch){0}, NULL, 0),
        VK_SUCCESS);
    world.device.kernel_file = world.file;
    world.holds = world.device.timeline_mode == VK_TIMELINE_NATIVE; /* in every other mode a strict kernel must do */
    for (unsigned i = 0; i < QUEUES; i++) {
        union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
        assert_int_equal(kernel_ioctl(world.file, DRM_IOCTL_AMDGPU_CTX, &ctx), 0);
        world.queues[i].ctx = ctx.out.alloc.ctx_id;
        VkDeviceQueueCreateInfo queue = vk_struct_init(VkDeviceQueueCreateInfo);
        assert_int_equal(vk_queue_init(&world.queues[i].vk, &world.device, &queue, i), VK_SUCCESS);
        world.queues[i].vk.driver_submit = submit;
        world.queues[i].ring = i;
        if (world.holds)
            start_holding(&world.queues[i]);
    }
}

static void end_world(void)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        vk_queue_finish(&world.queues[i].vk);
        if (world.holds)
            stop_holding(&world.queues[i]);
    }
    vk_device_finish(&world.device);
    vk_physical_device_finish(&world.physical);
    kernel_close(world.file);
}

/* Every combination that means something: an emulated timeline with the immediate mode could not wait before a signal.
 */
static const struct {
    enum types types;
    const char *timeline, *mode; /* TUFF_TIMELINE, TUFF_SUBMIT */
    bool waits_before_signal, no_timelines;
} combinations[] = {
    {TYPES_KERNEL, NULL, NULL, true, false},
    {TYPES_KERNEL, NULL, "immediate", false, false},
    {TYPES_KERNEL, NULL, "threaded", true, false},
    {TYPES_KERNEL, NULL, "deferred", true, false},
    {TYPES_KERNEL, "none", NULL, false, true},
    {TYPES_KERNEL, "emulated", NULL, true, false},
    {TYPES_KERNEL, "assisted", NULL, true, false},
    {TYPES_EMULATED_TIMELINE, NULL, NULL, true, false},
    {TYPES_EMULATED_TIMELINE, NULL, "threaded", true, false},
    {TYPES_EMULATED_TIMELINE, "none", NULL, false, true},
    {TYPES_EMULATED_TIMELINE, "emulated", "threaded", true, false},
    {TYPES_EMULATED_BINARY, NULL, NULL, true, false},
    {TYPES_EMULATED_BINARY, NULL, "threaded", true, false},
    {TYPES_EMULATED_BINARY, NULL, "deferred", true, false},
    {TYPES_EMULATED_BINARY, "none", NULL, false, true},
    {TYPES_NATIVE, NULL, NULL, true, false},
    {TYPES_NATIVE, "native", NULL, true, false},
    {TYPES_NATIVE, "assisted", NULL, true, false},
    {TYPES_NATIVE, "emulated", NULL, true, false},
};

#define for_each_world()                                                                                               \
    for (unsigned w = 0; w < ARRAY_SIZE(combinations) &&                                                               \
                         (make_world(combinations[w].types, combinations[w].timeline, combinations[w].mode), true);    \
         end_world(), w++)

#define for_each_world_with_timelines() for_each_world() if (!combinations[w].no_timelines)

/* ---- the calls under test, with less ink ---- */

static VkDevice dev(void)
{
    return vk_device_to_handle(&world.device);
}

static VkFence new_fence(bool signalled)
{
    VkFenceCreateInfo info = vk_struct_init(VkFenceCreateInfo);
    info.flags = signalled ? VK_FENCE_CREATE_SIGNALED_BIT : 0;
    VkFence fence;
    assert_int_equal(vk_common_CreateFence(dev(), &info, NULL, &fence), VK_SUCCESS);
    return fence;
}

static VkSemaphore new_semaphore(bool timeline, uint64_t initial)
{
    VkSemaphoreTypeCreateInfo type = vk_struct_init(VkSemaphoreTypeCreateInfo);
    type.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
    type.initialValue = initial;
    VkSemaphoreCreateInfo info = vk_struct_init(VkSemaphoreCreateInfo);
    info.pNext = &type;
    VkSemaphore semaphore;
    assert_int_equal(vk_common_CreateSemaphore(dev(), &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

static void free_semaphore(VkSemaphore semaphore)
{
    vk_common_DestroySemaphore(dev(), semaphore, NULL);
}

static void free_fence(VkFence fence)
{
    vk_common_DestroyFence(dev(), fence, NULL);
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

/* ---- statements ---- */

static void a_fence_is_signalled_by_its_submission_and_can_be_used_again(void **state)
{
    for_each_world()
    {
        VkFence fence = new_fence(false);
        assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
        for (unsigned round = 0; round < 3; round++) {
            assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
            assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, PATIENCE_S * SECOND_NS), VK_SUCCESS);
            assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
            assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
            assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
        }
        free_fence(fence);
    }
}

static void waiting_for_a_fence_ends_at_its_time(void **state)
{
    for_each_world()
    {
        VkFence fences[2] = {new_fence(false), new_fence(true)};
        uint64_t before_ns = vk_time_now_ns();
        assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_TRUE, 20 * 1000 * 1000), VK_TIMEOUT);
        assert_true(vk_time_now_ns() - before_ns >= 20 * 1000 * 1000);
        assert_int_equal(vk_common_WaitForFences(dev(), 2, fences, VK_FALSE, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        free_fence(fences[0]);
        free_fence(fences[1]);
    }
}

static void a_binary_semaphore_orders_two_queues_and_is_free_at_once(void **state)
{
    for_each_world()
    {
        VkSemaphore semaphore = new_semaphore(false, 0);
        VkFence fence = new_fence(false);
        for (unsigned round = 0; round < 20; round++) {
            assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, semaphore, 0, VK_NULL_HANDLE), VK_SUCCESS);
            assert_int_equal(queue_submit(1, semaphore, 0, VK_NULL_HANDLE, 0, round == 19 ? fence : VK_NULL_HANDLE),
                             VK_SUCCESS);
        }
        assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        assert_int_equal(world.queues[0].submitted, 20);
        assert_int_equal(world.queues[1].submitted, 20);
        free_fence(fence);
        free_semaphore(semaphore);
    }
}

static void a_timeline_has_its_initial_value_and_grows(void **state)
{
    for_each_world_with_timelines()
    {
        VkSemaphore semaphore = new_semaphore(true, 7);
        assert_int_equal(value_of(semaphore), 7);
        assert_int_equal(queue_submit(0, semaphore, 7, semaphore, 10, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(wait_value(semaphore, 9, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        assert_int_equal(value_of(semaphore), 10);
        assert_int_equal(host_signal(semaphore, 12), VK_SUCCESS);
        assert_int_equal(value_of(semaphore), 12);
        assert_int_equal(wait_value(semaphore, 13, 10 * 1000 * 1000), VK_TIMEOUT);
        free_semaphore(semaphore);
    }
}

static void a_wait_may_come_before_its_signal(void **state)
{
    for_each_world()
    {
        if (!combinations[w].waits_before_signal)
            continue;
        VkSemaphore a = new_semaphore(true, 0), b = new_semaphore(true, 0);
        /* Queue 1 waits for what queue 0 will signal, which waits for the host. */
        assert_int_equal(queue_submit(1, b, 5, a, 100, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(queue_submit(0, a, 1, b, 5, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(wait_value(a, 100, 20 * 1000 * 1000), VK_TIMEOUT);
        assert_int_equal(world.queues[1].submitted, 0);
        assert_int_equal(host_signal(a, 1), VK_SUCCESS);
        assert_int_equal(wait_value(a, 100, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        assert_int_equal(value_of(b), 5);
        for (unsigned i = 0; i < QUEUES; i++)
            assert_int_equal(vk_common_QueueWaitIdle(vk_queue_to_handle(&world.queues[i].vk)), VK_SUCCESS);
        free_semaphore(a);
        free_semaphore(b);
    }
}

static void two_submissions_may_wait_for_one_value(void **state)
{
    for_each_world_with_timelines()
    {
        VkSemaphore a = new_semaphore(true, 0), b = new_semaphore(true, 0), c = new_semaphore(true, 0);
        assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, a, 3, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(queue_submit(0, a, 3, b, 1, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(queue_submit(1, a, 2, c, 1, VK_NULL_HANDLE), VK_SUCCESS);
        VkSemaphore both[] = {b, c};
        VkSemaphoreWaitInfo info = vk_struct_init(VkSemaphoreWaitInfo);
        info.semaphoreCount = 2;
        info.pSemaphores = both;
        info.pValues = (const uint64_t[]){1, 1};
        assert_int_equal(vk_common_WaitSemaphores(dev(), &info, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        info.pValues = (const uint64_t[]){2, 1};
        assert_int_equal(vk_common_WaitSemaphores(dev(), &info, 1000 * 1000), VK_TIMEOUT);
        info.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
        assert_int_equal(vk_common_WaitSemaphores(dev(), &info, PATIENCE_S * SECOND_NS), VK_SUCCESS);
        free_semaphore(a);
        free_semaphore(b);
        free_semaphore(c);
    }
}

static void a_queue_is_idle_when_everything_before_is_done(void **state)
{
    for_each_world_with_timelines()
    {
        VkSemaphore semaphore = new_semaphore(true, 0);
        for (uint64_t value = 1; value <= 50; value++)
            assert_int_equal(queue_submit(0, semaphore, value - 1, semaphore, value, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(vk_common_QueueWaitIdle(vk_queue_to_handle(&world.queues[0].vk)), VK_SUCCESS);
        assert_int_equal(value_of(semaphore), 50);
        free_semaphore(semaphore);
    }
}

static void a_queue_that_waits_for_ever_can_be_destroyed(void **state)
{
    for_each_world()
    {
        if (!combinations[w].waits_before_signal)
            continue;
        VkSemaphore semaphore = new_semaphore(true, 0);
        assert_int_equal(queue_submit(0, semaphore, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        /* The semaphore must outlive the submission, so the queue goes first: end_world would be too late. */
        vk_queue_finish(&world.queues[0].vk);
        free_semaphore(semaphore);
        VkDeviceQueueCreateInfo queue = vk_struct_init(VkDeviceQueueCreateInfo);
        memset(&world.queues[0].vk, 0, sizeof(world.queues[0].vk));
        assert_int_equal(vk_queue_init(&world.queues[0].vk, &world.device, &queue, 0), VK_SUCCESS);
    }
}

static void a_payload_leaves_by_fd_and_comes_back(void **state)
{
    make_world(TYPES_KERNEL, NULL, NULL);
    VkExportSemaphoreCreateInfo export = vk_struct_init(VkExportSemaphoreCreateInfo);
    export.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkSemaphoreCreateInfo info = vk_struct_init(VkSemaphoreCreateInfo);
    info.pNext = &export;
    VkSemaphore shared, other = new_semaphore(false, 0);
    assert_int_equal(vk_common_CreateSemaphore(dev(), &info, NULL, &shared), VK_SUCCESS);
    VkSemaphoreGetFdInfoKHR get = vk_struct_init(VkSemaphoreGetFdInfoKHR);
    get.semaphore = shared;
    get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    int fd;
    assert_int_equal(vk_common_GetSemaphoreFdKHR(dev(), &get, &fd), VK_SUCCESS);
    VkImportSemaphoreFdInfoKHR import = vk_struct_init(VkImportSemaphoreFdInfoKHR);
    import.semaphore = other;
    import.handleType = get.handleType;
    import.fd = fd;
    assert_int_equal(vk_common_ImportSemaphoreFdKHR(dev(), &import), VK_SUCCESS);

    /* What one name signals, the other waits for. */
    VkFence fence = new_fence(false);
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, shared, 0, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(1, other, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
    assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, PATIENCE_S * SECOND_NS), VK_SUCCESS);

    /* A fence as a sync file can be polled, and the fence is reset by the export. */
    VkFenceGetFdInfoKHR fence_fd = vk_struct_init(VkFenceGetFdInfoKHR);
    fence_fd.fence = fence;
    fence_fd.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    assert_int_equal(vk_common_GetFenceFdKHR(dev(), &fence_fd, &fd), VK_SUCCESS);
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&poller, 1, PATIENCE_S * 1000), 1);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);
    VkImportFenceFdInfoKHR fence_in = vk_struct_init(VkImportFenceFdInfoKHR);
    fence_in.fence = fence;
    fence_in.handleType = fence_fd.handleType;
    fence_in.fd = fd;
    assert_int_equal(vk_common_ImportFenceFdKHR(dev(), &fence_in), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_SUCCESS);
    assert_int_equal(vk_common_ResetFences(dev(), 1, &fence), VK_SUCCESS);
    assert_int_equal(vk_common_GetFenceStatus(dev(), fence), VK_NOT_READY);

    import.fd = STDIN_FILENO; /* not a syncobj */
    assert_int_equal(vk_common_ImportSemaphoreFdKHR(dev(), &import), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    free_fence(fence);
    free_semaphore(shared);
    free_semaphore(other);
    end_world();
}

static void a_lost_device_says_so_everywhere(void **state)
{
    for_each_world()
    {
        bool timelines = !combinations[w].no_timelines;
        VkFence fence = new_fence(false);
        VkSemaphore semaphore = timelines ? new_semaphore(true, 0) : VK_NULL_HANDLE;
        log_set_level(LOG_LEVEL_ERROR - 1);
        vk_device_set_lost(&world.device, "a test wants it");
        log_set_level(LOG_LEVEL_ERROR);
        assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_ERROR_DEVICE_LOST);
        assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, UINT64_MAX), VK_ERROR_DEVICE_LOST);
        if (timelines)
            assert_int_equal(wait_value(semaphore, 1, UINT64_MAX), VK_ERROR_DEVICE_LOST);
        assert_int_equal(vk_common_DeviceWaitIdle(dev()), VK_ERROR_DEVICE_LOST);
        free_semaphore(semaphore);
        free_fence(fence);
    }
}

static VkSemaphore new_shareable(bool timeline)
{
    VkSemaphoreTypeCreateInfo type = vk_struct_init(VkSemaphoreTypeCreateInfo);
    type.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
    VkExportSemaphoreCreateInfo export = vk_struct_init(VkExportSemaphoreCreateInfo);
    export.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    export.pNext = &type;
    VkSemaphoreCreateInfo info = vk_struct_init(VkSemaphoreCreateInfo);
    info.pNext = &export;
    VkSemaphore semaphore;
    assert_int_equal(vk_common_CreateSemaphore(dev(), &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
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

/* Another name of the same payload. */
static VkSemaphore new_name(VkSemaphore semaphore, bool timeline)
{
    VkSemaphore other = new_semaphore(timeline, 0);
    VkImportSemaphoreFdInfoKHR import = vk_struct_init(VkImportSemaphoreFdInfoKHR);
    import.semaphore = other;
    import.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    import.fd = fd_of(semaphore, import.handleType);
    assert_int_equal(vk_common_ImportSemaphoreFdKHR(dev(), &import), VK_SUCCESS);
    return other;
}

static void a_signal_on_its_way_counts_by_every_name(void **state)
{
    make_world(TYPES_KERNEL, NULL, NULL);
    VkSemaphore gate = new_semaphore(true, 0), shared = new_shareable(false), other = new_name(shared, false);
    for (uint64_t i = 1; i <= 50; i++) {
        /* The queue's thread has the signal, the kernel not yet. */
        assert_int_equal(queue_submit(0, gate, i, shared, 0, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(host_signal(gate, i), VK_SUCCESS);
        if (i & 1) {
            struct pollfd poller = {.fd = fd_of(other, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT),
                                    .events = POLLIN};
            assert_int_equal(poll(&poller, 1, PATIENCE_S * 1000), 1);
            close(poller.fd);
        } else {
            assert_int_equal(queue_submit(1, other, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE), VK_SUCCESS);
        }
    }
    assert_int_equal(vk_common_DeviceWaitIdle(dev()), VK_SUCCESS);
    free_semaphore(gate);
    free_semaphore(shared);
    free_semaphore(other);
    end_world();
}

/* The work of a queue's thread fails when nobody can be told by the submission any more. */
static void nobody_waits_for_a_lost_submission(void **state)
{
    make_world(TYPES_KERNEL, NULL, NULL);
    VkSemaphore gate = new_semaphore(true, 0), shared = new_shareable(true), other = new_name(shared, true);
    VkFence fence = new_fence(false);
    assert_int_equal(queue_submit(0, gate, 1, shared, 7, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(queue_submit(0, gate, 2, shared, 9, fence), VK_SUCCESS);
    world.queues[0].fail = true;
    log_set_level(LOG_LEVEL_ERROR - 1);
    assert_int_equal(host_signal(gate, 1), VK_SUCCESS);
    alarm(PATIENCE_S); /* a wait that does not end fails by it */
    assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vk_sync_wait(&world.device, vk_semaphore_sync(vk_semaphore_from_handle(other)), 9,
                                  VK_SYNC_WAIT_COMPLETE, INT64_MAX),
                     VK_SUCCESS);
    alarm(0);
    log_set_level(LOG_LEVEL_ERROR);
    free_fence(fence);
    free_semaphore(gate);
    free_semaphore(shared);
    free_semaphore(other);
    end_world();
}

static void a_lost_device_lets_go_of_what_is_destroyed(void **state)
{
    make_world(TYPES_KERNEL, NULL, NULL);
    VkSemaphore never = new_semaphore(true, 0);
    assert_int_equal(queue_submit(0, never, 1, never, 2, VK_NULL_HANDLE), VK_SUCCESS);
    assert_false(list_is_empty(&world.queues[0].vk.submits));
    log_set_level(LOG_LEVEL_ERROR - 1);
    vk_device_set_lost(&world.device, "a test wants it");
    log_set_level(LOG_LEVEL_ERROR);
    free_semaphore(never);
    assert_true(list_is_empty(&world.queues[0].vk.submits)); /* no thread looks at the semaphore any more */
    end_world();
}

static void a_failed_first_submission_leaves_the_device_alive(void **state)
{
    make_world(TYPES_KERNEL, NULL, NULL);
    VkFence fence = new_fence(false);
    world.queues[0].fail = true;
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_ERROR_OUT_OF_HOST_MEMORY);
    world.queues[0].fail = false;
    assert_int_equal(queue_submit(0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence), VK_SUCCESS);
    assert_int_equal(vk_common_WaitForFences(dev(), 1, &fence, VK_TRUE, PATIENCE_S * SECOND_NS), VK_SUCCESS);
    free_fence(fence);
    end_world();
}

static void the_modes_follow_from_the_types(void **state)
{
    static const struct {
        enum types types;
        const char *forced;
        enum vk_timeline_mode timeline;
        enum vk_submit_mode submit;
        bool ignored;
    } rows[] = {
        {TYPES_KERNEL, NULL, VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, false},
        {TYPES_EMULATED_TIMELINE, NULL, VK_TIMELINE_EMULATED, VK_SUBMIT_DEFERRED, false},
        {TYPES_EMULATED_BINARY, NULL, VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, false},
        {TYPES_NATIVE, NULL, VK_TIMELINE_NATIVE, VK_SUBMIT_IMMEDIATE, false},
        {TYPES_KERNEL, "none", VK_TIMELINE_NONE, VK_SUBMIT_IMMEDIATE, false},
        {TYPES_KERNEL, "emulated", VK_TIMELINE_EMULATED, VK_SUBMIT_DEFERRED, false},
        {TYPES_KERNEL, "assisted", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, false},
        {TYPES_EMULATED_TIMELINE, "none", VK_TIMELINE_NONE, VK_SUBMIT_IMMEDIATE, false},
        {TYPES_EMULATED_TIMELINE, "emulated", VK_TIMELINE_EMULATED, VK_SUBMIT_DEFERRED, false},
        {TYPES_EMULATED_BINARY, "none", VK_TIMELINE_NONE, VK_SUBMIT_IMMEDIATE, false},
        {TYPES_EMULATED_BINARY, "assisted", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, false},
        {TYPES_NATIVE, "none", VK_TIMELINE_NONE, VK_SUBMIT_IMMEDIATE, false},
        {TYPES_NATIVE, "emulated", VK_TIMELINE_EMULATED, VK_SUBMIT_DEFERRED, false},
        {TYPES_NATIVE, "assisted", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, false},
        {TYPES_NATIVE, "native", VK_TIMELINE_NATIVE, VK_SUBMIT_IMMEDIATE, false},
        /* What the types cannot do, and what nobody knows, changes nothing. */
        {TYPES_KERNEL, "native", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, true},
        {TYPES_EMULATED_TIMELINE, "assisted", VK_TIMELINE_EMULATED, VK_SUBMIT_DEFERRED, true},
        {TYPES_EMULATED_BINARY, "emulated", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, true},
        {TYPES_KERNEL, "sometimes", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, true},
        {TYPES_KERNEL, "", VK_TIMELINE_ASSISTED, VK_SUBMIT_THREADED_ON_DEMAND, true},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        make_world(rows[i].types, rows[i].forced, NULL);
        if (world.device.timeline_mode != rows[i].timeline || world.device.submit_mode != rows[i].submit)
            fail_msg("row %u: timelines %d, submissions %d", i, (int)world.device.timeline_mode,
                     (int)world.device.submit_mode);
        bool forced = rows[i].forced && !rows[i].ignored;
        assert_int_equal(world.physical.forced_sync != NULL, forced);
        end_world();
    }
}

static void without_timelines_there_are_no_timeline_semaphores(void **state)
{
    for_each_world()
    {
        bool timelines = !combinations[w].no_timelines;
        assert_int_equal(world.physical.supported_features.timelineSemaphore, timelines);
        VkSemaphoreTypeCreateInfo type = vk_struct_init(VkSemaphoreTypeCreateInfo);
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info = vk_struct_init(VkSemaphoreCreateInfo);
        info.pNext = &type;
        VkSemaphore semaphore = VK_NULL_HANDLE;
        assert_int_equal(vk_common_CreateSemaphore(dev(), &info, NULL, &semaphore),
                         timelines ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT);
        free_semaphore(semaphore);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_modes_follow_from_the_types),
        cmocka_unit_test(without_timelines_there_are_no_timeline_semaphores),
        cmocka_unit_test(a_fence_is_signalled_by_its_submission_and_can_be_used_again),
        cmocka_unit_test(waiting_for_a_fence_ends_at_its_time),
        cmocka_unit_test(a_binary_semaphore_orders_two_queues_and_is_free_at_once),
        cmocka_unit_test(a_timeline_has_its_initial_value_and_grows),
        cmocka_unit_test(a_wait_may_come_before_its_signal),
        cmocka_unit_test(two_submissions_may_wait_for_one_value),
        cmocka_unit_test(a_queue_is_idle_when_everything_before_is_done),
        cmocka_unit_test(a_queue_that_waits_for_ever_can_be_destroyed),
        cmocka_unit_test(a_payload_leaves_by_fd_and_comes_back),
        cmocka_unit_test(a_lost_device_says_so_everywhere),
        cmocka_unit_test(a_signal_on_its_way_counts_by_every_name),
        cmocka_unit_test(nobody_waits_for_a_lost_submission),
        cmocka_unit_test(a_lost_device_lets_go_of_what_is_destroyed),
        cmocka_unit_test(a_failed_first_submission_leaves_the_device_alive),
    };
    log_set_level(LOG_LEVEL_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
