/* The panthor kernel model, ioctl by ioctl: groups, submissions and tiler heaps. */
#include "mali/hw/instructions.h"
#include "mali/hw/pack.h"
#include "mali/model/kernel/tests/rig.h"

#define LIMIT_S 5 /* of work that makes progress */
#define STRING_OF(number) STRING_OF_TOKEN(number)
#define STRING_OF_TOKEN(token) #token

static struct rig rig;

static int setup(void **state)
{
    int error = rig_setup(state);
    if (!error)
        rig = rig_open();
    return error;
}

static int teardown(void **state)
{
    rig_close(&rig);
    return rig_teardown(state);
}

/* Each test writes its streams from the beginning of the page. */
static int begin_test(void **state)
{
    rig.used_words = 0;
    memset(rig.memory, 0, 2 * PAGE);
    return 0;
}

static volatile uint32_t *data(void)
{
    return (volatile uint32_t *)(rig.memory + PAGE / 8);
}

static void put_toy(uint64_t opcode, uint64_t operands)
{
    rig_put(&rig, opcode << 56 | operands);
}

/* SYNC_WAIT32 until the word at `va` is more than r30, which stays zero. */
static void put_wait(uint64_t va)
{
    rig_put(&rig, MALI_CS(MOVE, .DESTINATION = 20, .IMMEDIATE = va));
    rig_put(&rig, MALI_CS(SYNC_WAIT32, .ADDRESS = 20, .DATA = 30));
}

/* ---- groups ---- */

static int create_with(struct drm_panthor_group_create args)
{
    return rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_CREATE, &args);
}

static void test_groups_are_checked(void **state)
{
    struct drm_panthor_queue_create queues[9];
    for (unsigned i = 0; i < 9; i++)
        queues[i] = (struct drm_panthor_queue_create){.priority = 1, .ringbuf_size = 65536};
    const struct drm_panthor_group_create good = rig_group_args(rig.vm, queues, 8);
    assert_int_equal(create_with(good), 0);
    struct drm_panthor_group_create args = good;
    args.queues.count = 9;
    assert_int_equal(create_with(args), -EINVAL);
    args.queues.count = 0;
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.pad = 1;
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.compute_core_mask = 0x50007; /* a core that is not there */
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.max_fragment_cores = 5;
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.tiler_core_mask = 2;
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.priority = 4;
    assert_int_equal(create_with(args), -EINVAL);
    args = good;
    args.vm_id = 30;
    assert_int_equal(create_with(args), -EINVAL);
    static const uint32_t sizes_B[] = {0, 2048, 4097, 12288, 131072};
    for (unsigned i = 0; i < sizeof(sizes_B) / sizeof(sizes_B[0]); i++) {
        queues[3].ringbuf_size = sizes_B[i];
        assert_int_equal(create_with(good), -EINVAL);
    }
    queues[3] = (struct drm_panthor_queue_create){.priority = 16, .ringbuf_size = 4096};
    assert_int_equal(create_with(good), -EINVAL);
    queues[3] = (struct drm_panthor_queue_create){.pad = {0, 1, 0}, .ringbuf_size = 4096};
    assert_int_equal(create_with(good), -EINVAL);
}

static void test_priorities_above_the_usual_need_a_right(void **state)
{
    struct drm_panthor_queue_create queue = {.ringbuf_size = 4096};
    struct drm_panthor_group_create args = rig_group_args(rig.vm, &queue, 1);
    struct drm_panthor_group_priorities_info info;
    struct drm_panthor_dev_query query = {
        .type = DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_DEV_QUERY, &query), 0);
    for (uint8_t priority = 0; priority < 4; priority++) {
        args.priority = priority;
        assert_int_equal(create_with(args), info.allowed_mask >> priority & 1 ? 0 : -EACCES);
    }
}

static void test_a_file_has_128_groups(void **state)
{
    struct rig other = rig_open();
    for (uint32_t i = 1; i < MALI_FILE_GROUPS_MAX; i++)
        assert_int_equal(rig_group(&other, other.vm, 1), i + 1);
    struct drm_panthor_queue_create queue = {.ringbuf_size = 4096};
    struct drm_panthor_group_create args = rig_group_args(other.vm, &queue, 1);
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_GROUP_CREATE, &args), -EBUSY);
    struct drm_panthor_group_destroy destroy = {.group_handle = 5};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), -EINVAL);
    struct drm_panthor_group_get_state state_args = {.group_handle = 5};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_GROUP_GET_STATE, &state_args), -EINVAL);
    rig_close(&other);
}

/* ---- submissions ---- */

static void test_streams_run_with_registers_that_stay(void **state)
{
    uint64_t first = rig_begin(&rig);
    rig_put(&rig, MALI_CS(MOVE32, .DESTINATION = 40, .IMMEDIATE = 11));
    rig_run(&rig, rig.group, rig_stream(&rig, 1, first));
    uint64_t second = rig_begin(&rig);
    rig_put(&rig, MALI_CS(MOVE, .DESTINATION = 10, .IMMEDIATE = PLACE + PAGE));
    rig_put(&rig, MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = 40, .MASK = 1, .ADDRESS = 10));
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 1, second);
    rig_run(&rig, rig.group, submit);
    assert_int_equal(data()[0], 11);
    /* Another queue's registers are its own, and begin with zero. */
    submit.queue_index = 2;
    rig_run(&rig, rig.group, submit);
    assert_int_equal(data()[0], 0);
    /* A ring buffer is longer than one round of it. */
    submit.queue_index = 1;
    for (unsigned i = 0; i < 100; i++) {
        data()[0] = 0;
        rig_run(&rig, rig.group, submit);
        assert_int_equal(data()[0], 11);
    }
}

static void test_the_kernel_counts_jobs_in_its_own_memory(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 2);
    struct mali_kernel_group *found = mali_group_find(rig.file, group);
    const uint64_t va = found->syncobjs.va;
    drm_context_unref(&found->base.context);
    assert_true(va >= 1ull << 47);
    uint64_t stream = rig_begin(&rig), value;
    rig_store(&rig, PLACE + PAGE, 1);
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 1, stream);
    for (unsigned i = 0; i < 3; i++)
        rig_run(&rig, group, submit);
    assert_true(rig_read(&rig, rig.vm, va, &value) && value == 0);
    assert_true(rig_read(&rig, rig.vm, va + 16, &value) && value == 3);
    struct drm_panthor_group_destroy destroy = {.group_handle = group};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
}

static void test_queues_run_side_by_side(void **state)
{
    /* Each waits for the other: one after the other they would never end. */
    uint64_t first = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE, 1);
    put_wait(PLACE + PAGE + 64);
    struct drm_panthor_queue_submit submits[2] = {rig_stream(&rig, 0, first)};
    uint64_t second = rig_begin(&rig);
    put_wait(PLACE + PAGE);
    rig_store(&rig, PLACE + PAGE + 64, 1);
    submits[1] = rig_stream(&rig, 1, second);
    uint32_t done = rig_syncobj(&rig, false);
    struct drm_panthor_sync_op ops[2] = {rig_sync_signal(done, 1), rig_sync_signal(done, 2)};
    submits[0].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&ops[0], 1);
    submits[1].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&ops[1], 1);
    assert_int_equal(rig_submit(&rig, rig.group, submits, 2), 0);
    assert_int_equal(rig_wait(&rig, done, 2, MINUTE_NS), 0);
}

static void test_groups_run_side_by_side(void **state)
{
    enum {
        COUNT = 24
    };
    uint32_t groups[COUNT], done = rig_syncobj(&rig, false);
    for (unsigned i = 0; i < COUNT; i++)
        groups[i] = rig_group(&rig, rig.vm, 1);
    /* Group i waits for group i + 1, the last one for nothing. */
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t stream = rig_begin(&rig);
        if (i + 1 < COUNT)
            put_wait(PLACE + PAGE + 4 * (i + 1));
        rig_store(&rig, PLACE + PAGE + 4 * i, 1);
        struct drm_panthor_queue_submit submit = rig_stream(&rig, 0, stream);
        struct drm_panthor_sync_op op = rig_sync_signal(done, i + 1);
        submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
        assert_int_equal(rig_submit(&rig, groups[i], &submit, 1), 0);
    }
    assert_int_equal(rig_wait(&rig, done, COUNT, MINUTE_NS), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        struct drm_panthor_group_destroy destroy = {.group_handle = groups[i]};
        assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
    }
}

static void test_jobs_of_a_batch_wait_for_each_other(void **state)
{
    uint32_t object = rig_syncobj(&rig, false);
    uint64_t first = rig_begin(&rig);
    put_wait(PLACE + PAGE);
    rig_store(&rig, PLACE + PAGE + 4, 1);
    struct drm_panthor_queue_submit submits[3] = {rig_stream(&rig, 0, first)};
    uint64_t second = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE + 4, 2);
    submits[1] = rig_stream(&rig, 1, second);
    submits[2] = (struct drm_panthor_queue_submit){.queue_index = 2}; /* only waits and signals */
    struct drm_panthor_sync_op ops[4] = {rig_sync_signal(object, 7), rig_sync_wait(object, 7),
                                         rig_sync_signal(object, 8), rig_sync_wait(object, 8)};
    submits[0].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&ops[0], 1);
    submits[1].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&ops[1], 2);
    struct drm_panthor_sync_op last[2] = {ops[3], rig_sync_signal(object, 9)};
    submits[2].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(last, 2);
    assert_int_equal(rig_submit(&rig, rig.group, submits, 3), 0);
    assert_int_equal(rig_wait(&rig, object, 9, MOMENT_NS), -ETIME);
    assert_int_equal(data()[1], 0);
    data()[0] = 1;
    assert_int_equal(rig_wait(&rig, object, 9, MINUTE_NS), 0);
    assert_int_equal(data()[1], 2);
    /* A point that only a later job signals cannot be waited for. */
    struct drm_panthor_queue_submit wrong[2] = {submits[2], submits[2]};
    uint32_t never = rig_syncobj(&rig, false);
    struct drm_panthor_sync_op waits = rig_sync_wait(never, 3), signals = rig_sync_signal(never, 3);
    wrong[0].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&waits, 1);
    wrong[1].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&signals, 1);
    assert_int_equal(rig_submit(&rig, rig.group, wrong, 2), -EINVAL);
    assert_int_equal(rig_wait(&rig, never, 3, MOMENT_NS), -EINVAL); /* nothing was submitted */
}

static int submit_with(struct drm_panthor_queue_submit submit, struct drm_panthor_sync_op op)
{
    submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
    return rig_submit(&rig, rig.group, &submit, 1);
}

static void test_bad_submissions_are_refused(void **state)
{
    uint64_t stream = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE, 1);
    const struct drm_panthor_queue_submit good = rig_stream(&rig, 0, stream);
    struct drm_panthor_queue_submit bad[] = {good, good, good, good, good, good, good, good};
    bad[7].stream_addr |= 1ull << 60;
    bad[0].stream_addr += 8;
    bad[1].stream_size += 4;
    bad[2].stream_size = 0;
    bad[3].stream_addr = 0;
    bad[4].queue_index = 3;
    bad[5].latest_flush = 1u << 24;
    bad[6].pad = 1;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rig_submit(&rig, rig.group, &bad[i], 1), -EINVAL);
    /* All of a batch or none. */
    struct drm_panthor_queue_submit both[2] = {good, bad[4]};
    assert_int_equal(rig_submit(&rig, rig.group, both, 2), -EINVAL);
    assert_int_equal(data()[0], 0);
    assert_int_equal(rig_submit(&rig, 999, (struct drm_panthor_queue_submit[]){good}, 1), -EINVAL);
    assert_int_equal(rig_submit(&rig, rig.group, NULL, 0), 0);

    uint32_t object = rig_syncobj(&rig, true);
    assert_int_equal(submit_with(good, rig_sync_wait(999, 0)), -ENOENT);
    assert_int_equal(submit_with(good, rig_sync_signal(999, 0)), -EINVAL);
    assert_int_equal(submit_with(good, (struct drm_panthor_sync_op){.flags = 2, .handle = object}), -EINVAL);
    assert_int_equal(submit_with(good, (struct drm_panthor_sync_op){.flags = 1u << 8, .handle = object}), -EINVAL);
    assert_int_equal(submit_with(good, (struct drm_panthor_sync_op){.handle = object, .timeline_value = 1}), -EINVAL);
    assert_int_equal(submit_with(good, rig_sync_wait(object, 0)), 0);
    rig_run(&rig, rig.group, good); /* after it on the queue: the next test writes where its stream is */
}

/* ---- losses ---- */

static void test_a_fault_loses_one_group(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 3);
    uint64_t bad = rig_begin(&rig);
    rig_store(&rig, 0x1000, 1);
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 2, bad);
    assert_int_equal(rig_state(&rig, group).state, 0);
    rig_run(&rig, group, submit);
    struct drm_panthor_group_get_state lost = rig_state(&rig, group);
    assert_int_equal(lost.state, DRM_PANTHOR_GROUP_STATE_FATAL_FAULT);
    assert_int_equal(lost.fatal_queues, 1u << 2);
    uint64_t good = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE, 5);
    submit = rig_stream(&rig, 0, good);
    assert_int_equal(rig_submit(&rig, group, &submit, 1), -EINVAL);
    rig_run(&rig, rig.group, submit);
    assert_int_equal(data()[0], 5);
    assert_int_equal(rig_state(&rig, rig.group).state, 0);
}

static void test_a_hang_times_out(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 2);
    uint64_t stream = rig_begin(&rig);
    put_toy(TOY_SPIN, 0);
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 1, stream);
    rig_run(&rig, group, submit);
    struct drm_panthor_group_get_state lost = rig_state(&rig, group);
    assert_int_equal(lost.state, DRM_PANTHOR_GROUP_STATE_TIMEDOUT);
    assert_int_equal(lost.fatal_queues, 0);
    assert_int_equal(rig_submit(&rig, group, &submit, 1), -EINVAL);
}

/* For ever, but with progress. */
static void test_work_that_makes_progress_ends_at_the_limit(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 1);
    uint64_t stream = rig_begin(&rig);
    put_wait(PLACE + PAGE);
    const int64_t before_ns = drm_now_ns();
    rig_run(&rig, group, rig_stream(&rig, 0, stream));
    assert_true(drm_now_ns() - before_ns >= LIMIT_S * 1000000000ll);
    assert_int_equal(rig_state(&rig, group).state, DRM_PANTHOR_GROUP_STATE_TIMEDOUT);
}

/* A pipe that is full in place of standard error: whoever reports stands still. */
struct full_pipe {
    int fds[2], before;
};

static struct full_pipe block_reports(void)
{
    struct full_pipe pipe_;
    assert_int_equal(pipe(pipe_.fds), 0);
    assert_int_equal(fcntl(pipe_.fds[1], F_SETFL, O_NONBLOCK), 0);
    while (write(pipe_.fds[1], "x", 1) == 1)
        ;
    assert_int_equal(fcntl(pipe_.fds[1], F_SETFL, 0), 0);
    pipe_.before = dup(STDERR_FILENO);
    assert_int_equal(dup2(pipe_.fds[1], STDERR_FILENO), STDERR_FILENO);
    return pipe_;
}

static void let_reports_go(const struct full_pipe *pipe_)
{
    static char text[1 << 16];
    dup2(pipe_->before, STDERR_FILENO);
    for (int i = 0; i < 2; i++)
        close(i ? pipe_->fds[1] : pipe_->before);
    while (read(pipe_->fds[0], text, sizeof(text)) > 0)
        ;
    close(pipe_->fds[0]);
}

/* Whoever sees a fence of a lost group as done finds the loss in the group's state, however far the thread is that has
 * found it: here it hangs in its report, and another ends the group's jobs. */
static void test_a_loss_is_known_before_a_fence_of_it_is_done(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 2), never = rig_syncobj(&rig, false), done = rig_syncobj(&rig, false);
    uint64_t bad = rig_begin(&rig);
    rig_store(&rig, 0x1000, 1);
    struct drm_panthor_queue_submit submits[2] = {rig_stream(&rig, 0, bad), {.queue_index = 1}};
    struct drm_panthor_sync_op ops[2] = {rig_sync_wait(never, 0), rig_sync_signal(done, 0)};
    uint64_t held = rig_begin(&rig);
    put_wait(PLACE + PAGE);
    uint32_t other = rig_group(&rig, rig.vm, 1);
    struct drm_panthor_queue_submit holds = rig_stream(&rig, 0, held);
    struct drm_panthor_sync_op held_ends = rig_sync_signal(never, 0);
    holds.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&held_ends, 1);
    assert_int_equal(rig_submit(&rig, other, &holds, 1), 0); /* `never` has a fence, which is not done */
    submits[1].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(ops, 2);

    struct full_pipe pipe_ = block_reports();
    int error = rig_submit(&rig, group, submits, 2), waited = -ETIME;
    uint64_t empty = rig_begin(&rig);
    rig_put(&rig, 0);
    for (unsigned i = 0; !error && i < 2000 && waited; i++) {
        struct drm_panthor_queue_submit submit = rig_stream(&rig, 0, empty);
        error = rig_submit(&rig, rig.group, &submit, 1); /* starts what can start */
        waited = rig_wait(&rig, done, 0, MOMENT_NS);
    }
    struct drm_panthor_group_get_state lost = rig_state(&rig, group);
    let_reports_go(&pipe_);
    assert_int_equal(error, 0);
    assert_int_equal(waited, 0);
    assert_int_equal(lost.state, DRM_PANTHOR_GROUP_STATE_FATAL_FAULT);
    data()[0] = 1;
    assert_int_equal(rig_wait(&rig, never, 0, MINUTE_NS), 0);
}

/* A group that hangs and does not end when it is killed makes the kernel reset the GPU. Groups that have something
 * running there are lost with it, without a fault of theirs; groups that have not are not. */
static void test_a_reset_loses_the_innocent(void **state)
{
    uint32_t deaf = rig_group(&rig, rig.vm, 1), working = rig_group(&rig, rig.vm, 1), idle = rig_group(&rig, rig.vm, 1);
    uint32_t done = rig_syncobj(&rig, false);
    uint64_t stream = rig_begin(&rig);
    rig_put(&rig, MALI_CS(MOVE, .DESTINATION = 20, .IMMEDIATE = PLACE + PAGE));
    put_toy(TOY_DEAF, 20u << 8);
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 0, stream);
    assert_int_equal(rig_submit(&rig, deaf, &submit, 1), 0);

    stream = rig_begin(&rig);
    put_wait(PLACE + PAGE + 64); /* for ever, but with progress */
    submit = rig_stream(&rig, 0, stream);
    struct drm_panthor_sync_op op = rig_sync_signal(done, 0);
    submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
    assert_int_equal(rig_submit(&rig, working, &submit, 1), 0);
    assert_int_equal(rig_wait(&rig, done, 0, MINUTE_NS), 0);
    struct drm_panthor_group_get_state lost = rig_state(&rig, working);
    assert_int_equal(lost.state, DRM_PANTHOR_GROUP_STATE_TIMEDOUT | DRM_PANTHOR_GROUP_STATE_INNOCENT);
    assert_int_equal(lost.fatal_queues, 0);
    submit.syncs.count = 0;
    assert_int_equal(rig_submit(&rig, working, &submit, 1), -EINVAL);

    stream = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE, 1); /* the deaf one ends, too */
    submit = rig_stream(&rig, 0, stream);
    rig_run(&rig, idle, submit);
    assert_int_equal(rig_state(&rig, idle).state, 0);
    struct drm_panthor_group_destroy destroy = {.group_handle = idle};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
    const struct timespec moment = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < 60000 && !rig_state(&rig, deaf).state; i++)
        nanosleep(&moment, NULL);
    assert_int_equal(rig_state(&rig, deaf).state, DRM_PANTHOR_GROUP_STATE_TIMEDOUT);
}

static void test_a_destroyed_group_ends_its_work(void **state)
{
    uint32_t group = rig_group(&rig, rig.vm, 1), done = rig_syncobj(&rig, false);
    uint64_t stream = rig_begin(&rig);
    put_wait(PLACE + PAGE); /* for ever, but with progress */
    struct drm_panthor_queue_submit submits[2] = {rig_stream(&rig, 0, stream), rig_stream(&rig, 0, stream)};
    struct drm_panthor_sync_op op = rig_sync_signal(done, 0);
    submits[1].syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
    assert_int_equal(rig_submit(&rig, group, submits, 2), 0);
    struct drm_panthor_group_destroy destroy = {.group_handle = group, .pad = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), -EINVAL);
    destroy.pad = 0;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
    assert_int_equal(rig_wait(&rig, done, 0, MINUTE_NS), 0);
}

static void test_a_destroyed_space_faults(void **state)
{
    struct rig other = rig_open();
    uint64_t stream = rig_begin(&other);
    rig_store(&other, PLACE + PAGE, 1);
    struct drm_panthor_queue_submit submit = rig_stream(&other, 0, stream);
    struct drm_panthor_vm_destroy destroy = {.id = other.vm};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_VM_DESTROY, &destroy), 0);
    rig_run(&other, other.group, submit);
    assert_int_equal(rig_state(&other, other.group).state, DRM_PANTHOR_GROUP_STATE_FATAL_FAULT);
    rig_close(&other);
}

/* ---- heaps ---- */

static struct drm_panthor_tiler_heap_create heap_args(uint32_t first, uint32_t most)
{
    return (struct drm_panthor_tiler_heap_create){.vm_id = rig.vm,
                                                  .initial_chunk_count = first,
                                                  .chunk_size = 2u << 20,
                                                  .max_chunks = most,
                                                  .target_in_flight = 65535};
}

static void test_heaps_are_checked(void **state)
{
    struct drm_panthor_tiler_heap_create bad[] = {heap_args(0, 4), heap_args(5, 4), heap_args(1, 4),
                                                  heap_args(1, 4), heap_args(1, 4), heap_args(1, 4)};
    bad[2].chunk_size = 64u << 10;
    bad[3].chunk_size = 16u << 20;
    bad[4].chunk_size = (2u << 20) + 512;
    bad[5].vm_id = 30;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, &bad[i]), -EINVAL);
    struct drm_panthor_tiler_heap_destroy destroy = {.handle = rig.vm << 16 | 9};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), -EINVAL);
    destroy.handle = 30u << 16;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), -EINVAL);
}

static void test_chunks_are_a_list(void **state)
{
    struct drm_panthor_tiler_heap_create heap = heap_args(3, 8);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, &heap), 0);
    assert_int_equal(heap.handle >> 16, rig.vm);
    assert_int_equal(heap.first_heap_chunk_gpu_va % (2u << 20), 0);
    uint64_t va = heap.first_heap_chunk_gpu_va, link;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(rig_read(&rig, rig.vm, va + (2u << 20) - 8, &link));
        assert_true(rig_read(&rig, rig.vm, va, &link));
        assert_int_equal(link & 0xfff, i < 2 ? (2u << 20) >> 12 : 0);
        va = i < 2 ? link & ~0xfffull : va;
    }
    struct drm_panthor_tiler_heap_destroy destroy = {.handle = heap.handle};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), 0);
    assert_false(rig_read(&rig, rig.vm, va, &link));
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), -EINVAL);
}

static void test_heaps_grow_up_to_their_limit(void **state)
{
    struct drm_panthor_tiler_heap_create heap = heap_args(1, 3);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, &heap), 0);
    uint64_t stream = rig_begin(&rig);
    for (unsigned i = 0; i < 3; i++) {
        rig_put(&rig, MALI_CS(MOVE, .DESTINATION = 14, .IMMEDIATE = heap.tiler_heap_ctx_gpu_va));
        put_toy(TOY_GROW, 14u << 8);
        rig_put(&rig, MALI_CS(MOVE, .DESTINATION = 10, .IMMEDIATE = PLACE + PAGE + 8 * i));
        rig_put(&rig, MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = 14, .MASK = 1, .ADDRESS = 10));
        rig_put(&rig, MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = 15, .MASK = 1, .ADDRESS = 10, .OFFSET = 4));
    }
    rig_run(&rig, rig.group, rig_stream(&rig, 0, stream));
    const uint64_t *links = rig.memory + PAGE / 8;
    uint64_t value = 1;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(links[i] & 0xfff, (2u << 20) >> 12);
        assert_true(rig_read(&rig, rig.vm, links[i] & ~0xfffull, &value) && value == 0);
    }
    assert_int_equal((int64_t)links[2], -ENOMEM);
    assert_int_not_equal(links[0], links[1]);
    /* No heap is there any more. */
    struct drm_panthor_tiler_heap_destroy destroy = {.handle = heap.handle};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), 0);
    rig_run(&rig, rig.group, rig_stream(&rig, 0, stream));
    assert_int_equal((int64_t)links[0], -EINVAL);
}

#define CASE(function) cmocka_unit_test_setup(function, begin_test)

int main(void)
{
    setenv("TUFF_JOB_TIMEOUT_MS", "300", 1);
    setenv("TUFF_JOB_LIMIT_S", STRING_OF(LIMIT_S), 1);
    const struct CMUnitTest tests[] = {
        CASE(test_groups_are_checked),
        CASE(test_priorities_above_the_usual_need_a_right),
        CASE(test_a_file_has_128_groups),
        CASE(test_streams_run_with_registers_that_stay),
        CASE(test_the_kernel_counts_jobs_in_its_own_memory),
        CASE(test_queues_run_side_by_side),
        CASE(test_groups_run_side_by_side),
        CASE(test_jobs_of_a_batch_wait_for_each_other),
        CASE(test_bad_submissions_are_refused),
        CASE(test_a_fault_loses_one_group),
        CASE(test_a_hang_times_out),
        CASE(test_work_that_makes_progress_ends_at_the_limit),
        CASE(test_a_loss_is_known_before_a_fence_of_it_is_done),
        CASE(test_a_reset_loses_the_innocent),
        CASE(test_a_destroyed_group_ends_its_work),
        CASE(test_a_destroyed_space_faults),
        CASE(test_heaps_are_checked),
        CASE(test_chunks_are_a_list),
        CASE(test_heaps_grow_up_to_their_limit),
    };
    return cmocka_run_group_tests_name("mali kernel groups", tests, setup, teardown);
}
