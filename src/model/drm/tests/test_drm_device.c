/* The shared kernel driver with a family of the test's own: several address spaces per file at addresses of the user's
 * choice, a buffer bound twice, binds that are jobs, rings by number, opaque work, a blob that goes with a shared
 * buffer and an offset of the node that no buffer has. Nothing of a real family is needed for any of it. */
#include <dlfcn.h>
#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_given.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_ring.h"
#include "model/drm/drm_user.h"
#include "model/drm/drm_vm.h"
#include "util/bits.h"
#include "util/host_limits.h"
#include "util/log.h"
#include "util/sanitizer.h"
#include "util/strbuf.h"

#define PAGE 4096ull
#define MINUTE_NS 60000000000ll
#define OWN_OFFSET_B (1ull << 56)

/* ---- the host, which may refuse threads ---- */

static bool host_refuses;
static unsigned threads_made;

/* The C library's, but for what the host refuses. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    threads_made++;
    return host_refuses ? EAGAIN : next(thread, attributes, run, argument);
}

/* ---- the engine: stores a word, waits for a word, or binds ---- */

enum {
    RING_A,
    RING_B,
    RING_BIND,
    RING_COUNT,
};

struct toy_work {
    uint64_t va;
    uint32_t value;
    bool is_wait; /* until the word at va is the value */
    struct drm_mapping bind;
};

struct drm_engine {
    const struct drm_engine_host *host;
    struct drm_ring rings[RING_COUNT];
    _Atomic uint64_t progress;
    char report[512];
};

struct drm_engine_context {
    int nothing;
};

static bool ring_start(struct drm_ring *ring)
{
    return true;
}

static struct drm_vm *vm_of(const struct drm_engine_job *job)
{
    return container_of((struct gpu_space *)(uintptr_t)job->space, struct drm_vm, space);
}

static struct drm_engine *the_engine;

static struct drm_engine_result ring_run(struct drm_ring *ring, struct drm_engine_job *job)
{
    const struct toy_work *work = job->work;
    uint32_t seen = 0;
    atomic_fetch_add(&the_engine->progress, 1);
    if (job->killed)
        return (struct drm_engine_result){-ETIME, "killed"};
    if (work->bind.size_B)
        return (struct drm_engine_result){drm_vm_map(vm_of(job), &work->bind), NULL};
    bool is_there = work->is_wait ? gpu_mem_read32(job->space, work->va, &seen)
                                  : gpu_mem_write32(job->space, work->va, work->value);
    while (is_there && work->is_wait && seen != work->value && !job->killed) {
        drm_ring_pause(ring, job, 100);
        is_there = gpu_mem_read32(job->space, work->va, &seen);
    }
    if (is_there)
        return (struct drm_engine_result){0, NULL};
    struct strbuf text = {0};
    the_engine->host->describe_address(job->space, work->va, &text);
    snprintf(the_engine->report, sizeof(the_engine->report), "%s", text.text);
    strbuf_finish(&text);
    return (struct drm_engine_result){-EFAULT, the_engine->report};
}

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ops = {ring_start, ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    engine->host = host;
    for (unsigned i = 0; i < RING_COUNT; i++)
        drm_ring_init(&engine->rings[i], &ops);
    *engine_out = the_engine = engine;
    return 0;
}

static void engine_destroy(struct drm_engine *engine)
{
    for (unsigned i = 0; i < RING_COUNT; i++)
        drm_ring_finish(&engine->rings[i]);
    free(engine);
}

static int context_create(struct drm_engine *engine, const struct gpu_space *space, struct drm_engine_context **out)
{
    *out = calloc(1, sizeof(**out));
    return 0;
}

static void context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    free(context);
}

static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (drm_ring_submit(&engine->rings[job->ring], job))
        abort();
}

static void engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    drm_ring_wake(&engine->rings[job->ring]);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    return atomic_load(&engine->progress);
}

static const struct drm_engine_ops engine_ops = {.create = engine_create,
                                                 .destroy = engine_destroy,
                                                 .context_create = context_create,
                                                 .context_destroy = context_destroy,
                                                 .submit = engine_submit,
                                                 .kill = engine_kill,
                                                 .progress = engine_progress};

/* ---- the kernel driver ---- */

struct toy_gem {
    struct drm_gem gem;
    uint32_t color, arrived_color;
    bool has_arrived, came_with_blob;
};

struct toy_job {
    struct drm_job job;
    struct toy_work work;
};

struct toy_device {
    struct drm_device drm;
    struct drm_heap heap;
};

struct toy_create {
    uint64_t size_B;
    uint32_t color;
    uint32_t handle;
};
#define TOY_CREATE DRM_IOWR(DRM_COMMAND_BASE + 3, struct toy_create)

static int create_ioctl(struct drm_file *file, void *data)
{
    struct toy_create *args = data;
    struct toy_device *device = (struct toy_device *)file->device;
    struct drm_gem *gem = drm_gem_new_in(file->device, &device->heap, args->size_B);
    if (!gem)
        return -ENOMEM;
    struct toy_gem *toy = (struct toy_gem *)gem;
    toy->color = args->color;
    gem->blob = &toy->color;
    int error = drm_gem_handle(file, gem, &args->handle);
    drm_gem_unref(gem);
    return error;
}

static const struct drm_ioctl_row ioctls[] = {DRM_DRIVER_IOCTL(TOY_CREATE, DRM_ROW_RENDER, create_ioctl)};

static void ring_name(uint32_t ring, char *name_out, size_t name_B)
{
    snprintf(name_out, name_B, "ring %u", ring);
}

static int gem_arrived(struct drm_gem *gem, const void *blob)
{
    struct toy_gem *toy = (struct toy_gem *)gem;
    toy->has_arrived = true;
    toy->came_with_blob = blob != NULL;
    if (blob)
        memcpy(&toy->arrived_color, blob, 4);
    return 0;
}

static void free_context(struct drm_context *context)
{
    free(context);
}

static int own_mmap(struct drm_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                    void **memory_out)
{
    if (offset_B != OWN_OFFSET_B)
        return -EINVAL;
    void *memory = mmap(hint, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(uint32_t *)memory = 77;
    *memory_out = memory;
    return 0;
}

#define TOY_DRIVER(its_name)                                                                                           \
    {                                                                                                                  \
        .name = its_name, .date = "20200101", .description = "a toy", .major = 1, .minor = 2, .log_name = "toy",       \
        .ioctls = ioctls, .ioctl_count = ARRAY_SIZE(ioctls), .ring_count = RING_COUNT, .ring_name = ring_name,         \
        .gem_B = sizeof(struct toy_gem), .vm_B = sizeof(struct drm_vm), .context_destroy = free_context,               \
        .file_mmap = own_mmap, .blob_B = sizeof(uint32_t), .gem_arrived = gem_arrived,                                 \
    }

static const struct drm_driver toy = TOY_DRIVER("toy"), other_family = TOY_DRIVER("other");

static struct toy_device *device;
static struct drm_file *file;

static struct toy_device *open_device(const struct drm_driver *driver)
{
    struct toy_device *opened = calloc(1, sizeof(*opened));
    assert_int_equal(drm_heap_open(&opened->heap, "memory", 1ull << 30), 0);
    assert_int_equal(drm_device_init(&opened->drm, driver, &engine_ops, NULL), 0);
    return opened;
}

static void close_device(struct toy_device *closed)
{
    drm_device_finish(&closed->drm);
    drm_heap_close(&closed->heap);
    free(closed);
}

static int setup(void **state)
{
    log_set_level(LOG_LEVEL_ERROR);
    device = open_device(&toy);
    file = calloc(1, sizeof(*file));
    drm_file_init(file, &device->drm, KERNEL_NODE_RENDER);
    return 0;
}

static int teardown(void **state)
{
    drm_file_leave(file);
    drm_file_finish(file);
    free(file);
    close_device(device);
    return 0;
}

static struct drm_vm *create_vm(void)
{
    struct drm_vm *vm = NULL;
    assert_int_equal(drm_vm_create(&device->drm, &(struct gpu_extent){PAGE, (1ull << 48) - PAGE}, 1, &vm), 0);
    return vm;
}

static struct drm_gem *create_gem(uint64_t size_B, uint32_t color)
{
    struct toy_create args = {.size_B = size_B, .color = color};
    assert_int_equal(drm_file_ioctl(file, TOY_CREATE, &args), 0);
    struct drm_gem *gem = drm_gem_find(file, args.handle);
    assert_non_null(gem);
    drm_gem_unref(gem); /* the handle keeps it */
    return gem;
}

static struct drm_context *create_context(struct drm_vm *vm)
{
    struct drm_context *context = calloc(1, sizeof(*context));
    assert_int_equal(drm_context_init(context, &device->drm, vm, 0), 0);
    return context;
}

static void job_starts(struct drm_job *job, bool is_same_queue)
{
    job->base.work = &((struct toy_job *)job)->work;
}

static const struct drm_job_ops toy_job_ops = {.job_B = sizeof(struct toy_job), .starts = job_starts};

static struct drm_fence *submit_as(struct drm_queue *queue, struct toy_work work, struct drm_fence *after,
                                   bool is_empty)
{
    struct toy_job *job = (struct toy_job *)drm_job_create(&toy_job_ops, queue);
    job->work = work;
    job->job.is_empty = is_empty;
    if (after)
        assert_int_equal(drm_job_depend(&job->job, after), 0);
    struct drm_fence *fence = drm_fence_ref(job->job.fence);
    struct drm_job *base = &job->job;
    assert_int_equal(drm_jobs_publish(&base, 1, true, NULL), 0);
    drm_sched_queue(device->drm.sched, base);
    drm_sched_kick(device->drm.sched);
    return fence;
}

static struct drm_fence *submit_work(struct drm_queue *queue, struct toy_work work, struct drm_fence *after)
{
    return submit_as(queue, work, after, false);
}

static int wait_for(struct drm_fence *fence)
{
    assert_true(drm_fence_wait(fence, drm_now_ns() + MINUTE_NS));
    int error = fence->error;
    drm_fence_unref(fence);
    return error;
}

static struct drm_mapping mapping_of(struct drm_gem *gem, uint64_t va)
{
    return (struct drm_mapping){.va = va, .size_B = gem->size_B, .gem = gem, .perms = GPU_PERM_READ | GPU_PERM_WRITE};
}

/* ---- cases ---- */

static void test_the_family_says_who_it_is(void **state)
{
    char name[16] = {0};
    struct drm_version version = {.name = name, .name_len = sizeof(name)};
    assert_int_equal(drm_file_ioctl(file, DRM_IOCTL_VERSION, &version), 0);
    assert_string_equal(name, "toy");
    assert_int_equal(version.version_minor, 2);
    assert_int_equal(drm_file_ioctl(file, DRM_IOW(DRM_COMMAND_BASE + 4, uint32_t), &version), -EINVAL);
    assert_int_equal(drm_file_ioctl(file, DRM_IOW(DRM_COMMAND_BASE + 0, uint32_t), &version), -EINVAL);
    assert_int_equal(drm_file_ioctl(file, DRM_IOW(DRM_COMMAND_END + 0x50, uint32_t), &version), -EINVAL);
}

/* A caller that is sure of its pointers pays for no check; any other one is told of a bad one. */
static void test_copies_are_checked_unless_the_caller_is_sure(void **state)
{
    uint32_t from[2] = {1, 2}, to[2] = {0};
    const struct drm_user_copy copies[] = {
        {&to[1], (uintptr_t)&from[0], 4}, {NULL, 0, 0}, {&to[0], (uintptr_t)&from[1], 4}};
    for (int is_sure = 0; is_sure < 2; is_sure++) {
        drm_user_is_sure(is_sure);
        memset(to, 0, sizeof(to));
        assert_int_equal(drm_copy_list_from_user(copies, ARRAY_SIZE(copies)), 0);
        assert_int_equal(to[0], 2);
        assert_int_equal(to[1], 1);
        assert_int_equal(drm_copy_to_user((uintptr_t)&to[0], &from[0], 4), 0);
        assert_int_equal(to[0], 1);
        drm_user_is_sure(false);
    }
    assert_int_equal(drm_copy_from_user(to, 8, 4), -EFAULT);
    assert_int_equal(drm_copy_to_user(8, from, 4), -EFAULT);
}

/* The C library's, counted. */
static unsigned kernel_reads;

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
                         unsigned long remote_count, unsigned long flags)
{
    kernel_reads++;
    return syscall(SYS_process_vm_readv, pid, local, local_count, remote, remote_count, flags);
}

struct odd_copies {
    uint32_t *heap;
    uintptr_t end; /* of the stack; nothing can be read there */
    unsigned reads;
    uint32_t read[2];
    int errors[4];
};

static void *copy_from_stack(void *argument)
{
    struct odd_copies *odd = argument;
    uint32_t here[2] = {7, 8}, to[4] = {0};
    const struct drm_user_copy copies[] = {
        {&to[0], (uintptr_t)&here[0], 4}, {&to[1], (uintptr_t)odd->heap, 4}, {&to[2], (uintptr_t)&here[1], 4}};
    kernel_reads = 0;
    odd->errors[0] = drm_copy_from_user(odd->read, (uintptr_t)here, sizeof(here));
    odd->reads = kernel_reads;
    odd->errors[1] = drm_copy_list_from_user(copies, ARRAY_SIZE(copies));
    odd->errors[1] |= to[0] == 7 && to[1] == 9 && to[2] == 8 ? 0 : 1;
    odd->errors[2] = drm_copy_from_user(to, odd->end - 4, 8);
    odd->errors[3] = drm_copy_to_user(odd->end - 4, to, 8);
    return NULL;
}

/* An argument that is certainly in the caller's own stack needs no system call; one that only begins there is asked
 * for. */
static void test_copies_from_the_stack_are_plain(void **state)
{
    enum {
        STACK_B = 1 << 20
    };
    uint32_t nine = 9;
    uint8_t *map = mmap(NULL, STACK_B + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + STACK_B, PAGE, PROT_NONE), 0);
    struct odd_copies odd = {.heap = &nine, .end = (uintptr_t)map + STACK_B};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, map, STACK_B), 0);
    assert_int_equal(pthread_create(&thread, &attributes, copy_from_stack, &odd), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    munmap(map, STACK_B + PAGE);
    if (!IS_SANITIZED)
        assert_int_equal(odd.reads, 0);
    assert_true(odd.read[0] == 7 && odd.read[1] == 8);
    assert_int_equal(odd.errors[0], 0);
    assert_int_equal(odd.errors[1], 0);
    assert_int_equal(odd.errors[2], -EFAULT);
    assert_int_equal(odd.errors[3], -EFAULT);
}

/* With the first job, and until then a program has no thread of ours. */
static void test_the_scheduler_has_its_thread_when_there_is_work(void **state)
{
    if (host_has_few_threads())
        return; /* skip() of cmocka 1.1.5 is a failure to TAP */
    struct drm_vm *vm = create_vm();
    struct drm_gem *gem = create_gem(PAGE, 0);
    struct drm_mapping mapping = mapping_of(gem, PAGE);
    assert_int_equal(drm_vm_map(vm, &mapping), 0);
    threads_made = 0;
    struct drm_context *context = create_context(vm);
    struct drm_queue queue;
    drm_queue_init(&queue, context, RING_A);
    assert_int_equal(threads_made, 0);
    host_refuses = true;
    assert_null(drm_job_create(&toy_job_ops, &queue));
    assert_int_equal(threads_made, 1);
    host_refuses = false; /* nothing is lost */
    assert_int_equal(wait_for(submit_work(&queue, (struct toy_work){.va = PAGE, .value = 5}, NULL)), 0);
    drm_context_unref(context);
    drm_vm_unref(vm);
}

/* A job that only waits and signals: an idle ring does not see it, on a busy one it keeps its place. */
static void test_empty_jobs_keep_their_order(void **state)
{
    struct drm_vm *vm = create_vm();
    struct drm_context *context = create_context(vm);
    struct drm_gem *gem = create_gem(PAGE, 0);
    const struct drm_mapping mapping = mapping_of(gem, PAGE);
    assert_int_equal(drm_vm_map(vm, &mapping), 0);
    struct drm_queue queue;
    drm_queue_init(&queue, context, RING_A);
    struct drm_fence *fence = submit_as(&queue, (struct toy_work){.va = 0x123000}, NULL, true);
    assert_true(drm_fence_is_signaled(fence)); /* its work would be a fault */
    assert_int_equal(wait_for(fence), 0);
    struct drm_fence *first = submit_work(&queue, (struct toy_work){.va = PAGE, .value = 7, .is_wait = true}, NULL);
    fence = submit_as(&queue, (struct toy_work){.va = PAGE + 8}, NULL, true);
    assert_false(drm_fence_wait(fence, drm_now_ns() + 20000000));
    assert_true(gpu_mem_write32(&vm->space, PAGE, 7));
    assert_int_equal(wait_for(first), 0);
    assert_int_equal(wait_for(fence), 0);
    drm_context_unref(context);
    drm_vm_unref(vm);
}

/* Where threads are few, a context shows that there is none. */
#define SECOND_NS INT64_C(1000000000)

/* A process that gets no processor does not hang, one that is busy with its GPU may. */
static void test_time_counts_while_the_host_gives_a_processor(void **state)
{
    const int64_t s = SECOND_NS;
#define PART(...) drm_given_part(s, &(struct drm_given_share){.processors = 2, __VA_ARGS__})
    assert_int_equal(PART(.passed_ns = s, .denied_ns = 0), s);              /* all sleep, for each other */
    assert_int_equal(PART(.passed_ns = s, .runnable = 1, .used_ns = s), s); /* one works, and nothing else does */
    assert_int_equal(PART(.passed_ns = s, .runnable = 1, .used_ns = s / 10),
                     s / 10);                                               /* one of ten, with one processor */
    assert_int_equal(PART(.passed_ns = s, .runnable = 1, .used_ns = 0), 0); /* it waits all the time */
    assert_int_equal(PART(.passed_ns = s, .runnable = 2, .used_ns = s / 10), s / 20); /* two that could both run */
    assert_int_equal(PART(.passed_ns = s, .runnable = 16, .used_ns = 2 * s), s); /* more than processors, which spin */
    assert_int_equal(PART(.passed_ns = s, .denied_ns = 9 * s / 10), s / 10);     /* who wakes them waits */
    assert_int_equal(PART(.passed_ns = s, .denied_ns = 3 * s), 0);               /* since before the last tick */
    assert_int_equal(PART(.passed_ns = 3600 * s), 2 * s);                        /* it was stopped */
#undef PART
    /* A wait that goes on has not been counted by the host. */
    struct drm_given_share share = {.passed_ns = s};
    const struct drm_given_thread before = {.id = 1, .used_ns = 5 * s, .denied_ns = 3 * s},
                                  now = {.id = 1, .is_runnable = true, .used_ns = 5 * s, .denied_ns = 3 * s};
    drm_given_add(&share, &before, &now);
    assert_int_equal(share.denied_ns, s);
    assert_int_equal(share.runnable, 0);
    assert_int_equal(share.used_ns, 0); /* of the application's own threads */
    struct drm_given given = {0};
    for (int i = 0; i < 3; i++) {
        drm_given_tick(&given, s, true);
        usleep(10000);
    }
    assert_true(given.now_ns >= 0 && given.now_ns <= 4 * s);
    assert_true(given.thread_count > 0);
}

static void test_few_threads_show_with_the_first_context(void **state)
{
    struct rlimit limit, few;
    assert_int_equal(getrlimit(RLIMIT_NPROC, &limit), 0);
    few = (struct rlimit){.rlim_cur = MIN2((rlim_t)100, limit.rlim_cur), .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NPROC, &few), 0);
    struct drm_vm *vm = create_vm();
    struct drm_context *context = calloc(1, sizeof(*context));
    host_refuses = true;
    assert_int_equal(drm_context_init(context, &device->drm, vm, 0), -ENOMEM);
    host_refuses = false;
    assert_int_equal(setrlimit(RLIMIT_NPROC, &limit), 0);
    free(context);
    drm_vm_unref(vm);
}

/* Two spaces of one file, at the same address and at one that no other family would choose. */
static void test_spaces_are_many_and_their_own(void **state)
{
    const uint64_t va = 0x7fffffffe000;
    struct drm_vm *vms[2] = {create_vm(), create_vm()};
    struct drm_gem *gems[2] = {create_gem(PAGE, 0), create_gem(PAGE, 0)};
    for (unsigned i = 0; i < 2; i++) {
        struct drm_mapping mapping = mapping_of(gems[i], va);
        assert_int_equal(drm_vm_map(vms[i], &mapping), 0);
        assert_int_equal(drm_vm_map(vms[i], &mapping), -EINVAL); /* taken */
    }
    assert_true(gpu_mem_write32(&vms[0]->space, va, 5));
    uint32_t value = 1;
    assert_true(gpu_mem_read32(&vms[1]->space, va, &value));
    assert_int_equal(value, 0);
    /* Bound twice, side by side: a ring buffer that need not wrap. */
    struct drm_mapping again = mapping_of(gems[0], va + PAGE);
    assert_false(gpu_space_has_aliases(&vms[0]->space));
    assert_int_equal(drm_vm_map(vms[0], &again), 0);
    assert_true(gpu_space_has_aliases(&vms[0]->space));
    assert_false(gpu_space_has_aliases(&vms[1]->space));
    assert_true(gpu_mem_read32(&vms[0]->space, va + PAGE, &value));
    assert_int_equal(value, 5);
    assert_int_equal(drm_vm_clear(vms[0], PAGE, (1ull << 48) - PAGE), 0);
    assert_false(gpu_mem_read32(&vms[0]->space, va, &value));
    drm_vm_unref(vms[0]);
    drm_vm_unref(vms[1]);
}

static void test_rings_run_side_by_side_and_binds_are_jobs(void **state)
{
    const uint64_t va = 0xfffff000;
    struct drm_vm *vm = create_vm();
    struct drm_gem *gem = create_gem(PAGE, 0);
    struct drm_context *context = create_context(vm);
    struct drm_queue a, b, bind;
    drm_queue_init(&a, context, RING_A);
    drm_queue_init(&b, context, RING_B);
    drm_queue_init(&bind, context, RING_BIND);
    struct drm_fence *gate = drm_fence_create();
    struct drm_fence *bound = submit_work(&bind, (struct toy_work){.bind = mapping_of(gem, va)}, gate);
    struct drm_fence *waits = submit_work(&a, (struct toy_work){.va = va, .value = 9, .is_wait = true}, bound);
    struct drm_fence *writes = submit_work(&b, (struct toy_work){.va = va, .value = 9}, bound);
    assert_false(drm_fence_is_signaled(bound));
    assert_false(drm_fence_is_signaled(writes));
    drm_fence_signal(gate, 0);
    assert_int_equal(wait_for(waits), 0);
    assert_int_equal(wait_for(writes), 0);
    assert_int_equal(wait_for(bound), 0);
    assert_true(drm_gem_wait_idle(gem, drm_now_ns() + MINUTE_NS));
    drm_fence_unref(gate);
    drm_context_unref(context);
    drm_vm_unref(vm);
}

static void test_a_fault_loses_its_context_alone(void **state)
{
    struct drm_vm *vm = create_vm();
    struct drm_gem *gem = create_gem(PAGE, 0);
    struct drm_mapping mapping = mapping_of(gem, 0x10000);
    assert_int_equal(drm_vm_map(vm, &mapping), 0);
    struct drm_context *contexts[2] = {create_context(vm), create_context(vm)};
    struct drm_queue queues[2];
    for (unsigned i = 0; i < 2; i++)
        drm_queue_init(&queues[i], contexts[i], RING_A);
    assert_int_equal(wait_for(submit_work(&queues[0], (struct toy_work){.va = 0x20000}, NULL)), -ENODATA);
    assert_true(contexts[0]->is_guilty);
    assert_non_null(strstr(the_engine->report, "in memory"));
    assert_int_equal(wait_for(submit_work(&queues[0], (struct toy_work){.va = 0x10000}, NULL)), -ECANCELED);
    assert_int_equal(wait_for(submit_work(&queues[1], (struct toy_work){.va = 0x10000}, NULL)), 0);
    drm_context_unref(contexts[0]);
    drm_context_unref(contexts[1]);
    drm_vm_unref(vm);
}

static void test_a_blob_goes_with_a_shared_buffer(void **state)
{
    struct drm_gem *gem = create_gem(PAGE, 0x123456), *arrived = NULL;
    int fd = drm_gem_export(gem);
    assert_true(fd >= 0);
    const struct drm_driver *drivers[] = {&toy, &other_family};
    for (unsigned i = 0; i < 2; i++) {
        struct toy_device *second = open_device(drivers[i]);
        assert_int_equal(drm_gem_import(&second->drm, fd, &arrived), 0);
        const struct toy_gem *toy_gem = (const struct toy_gem *)arrived;
        assert_int_equal(arrived->size_B, PAGE);
        assert_true(toy_gem->has_arrived);
        assert_int_equal(toy_gem->came_with_blob, i == 0);
        assert_int_equal(toy_gem->arrived_color, i == 0 ? 0x123456 : 0);
        assert_true((arrived->blob != NULL) == (i == 0));
        drm_gem_unref(arrived);
        close_device(second);
    }
    close(fd);
    the_engine = device->drm.engine;
}

static void test_the_node_has_offsets_of_the_familys_own(void **state)
{
    void *memory = NULL;
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, OWN_OFFSET_B, &memory), 0);
    assert_int_equal(*(uint32_t *)memory, 77);
    munmap(memory, PAGE);
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, OWN_OFFSET_B + PAGE, &memory), -EINVAL);
}

static void test_an_exclusive_buffer_outlives_its_space(void **state)
{
    struct drm_vm *vm = create_vm();
    struct drm_gem *gem = create_gem(PAGE, 0);
    drm_gem_set_exclusive(gem, vm);
    assert_int_equal(drm_gem_export(gem), -EPERM);
    drm_vm_unref(vm);
    assert_true(drm_gem_wait_idle(gem, drm_now_ns() + MINUTE_NS));
}

/* ---- handles ---- */

#define HANDLES 3000u

/* The lowest free one, whatever came before; and with the last object the memory goes. */
static void test_handles_are_the_lowest_that_are_free(void **state)
{
    struct drm_handles handles = {0};
    static bool used[HANDLES + 1];
    uint32_t random = 1, live = 0, handle;
    for (uint32_t i = 0; i < 40 * HANDLES; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t wanted = 1 + (random >> 8) % HANDLES, lowest = 1;
        if (used[wanted]) {
            assert_ptr_equal(drm_handles_remove(&handles, wanted), &used[wanted]);
            assert_null(drm_handles_get(&handles, wanted));
            used[wanted] = false;
            live--;
            continue;
        }
        while (lowest <= HANDLES && used[lowest])
            lowest++;
        assert_int_equal(drm_handles_insert(&handles, &used[lowest], HANDLES, &handle), 0);
        assert_int_equal(handle, lowest);
        used[lowest] = true;
        live++;
    }
    assert_true(live > 0);
    while (live < HANDLES) {
        assert_int_equal(drm_handles_insert(&handles, &live, HANDLES, &handle), 0);
        live++;
    }
    assert_int_equal(drm_handles_insert(&handles, &live, HANDLES, &handle), -ENOSPC);
    for (uint32_t i = 1; i <= HANDLES; i++)
        assert_non_null(drm_handles_remove(&handles, i));
    assert_null(handles.slots.data);
    assert_null(handles.unused.data);
    assert_null(drm_handles_remove(&handles, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles_are_the_lowest_that_are_free),
        cmocka_unit_test_setup_teardown(test_the_family_says_who_it_is, setup, teardown),
        cmocka_unit_test(test_copies_are_checked_unless_the_caller_is_sure),
        cmocka_unit_test(test_copies_from_the_stack_are_plain),
        cmocka_unit_test_setup_teardown(test_empty_jobs_keep_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_scheduler_has_its_thread_when_there_is_work, setup, teardown),
        cmocka_unit_test_setup_teardown(test_time_counts_while_the_host_gives_a_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_threads_show_with_the_first_context, setup, teardown),
        cmocka_unit_test_setup_teardown(test_spaces_are_many_and_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rings_run_side_by_side_and_binds_are_jobs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_fault_loses_its_context_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_blob_goes_with_a_shared_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_node_has_offsets_of_the_familys_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_exclusive_buffer_outlives_its_space, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
