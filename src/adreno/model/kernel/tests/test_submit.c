/* The msm kernel model, ioctl by ioctl: queues, submissions, what they wait for and signal, and how a queue is lost. */
#include <poll.h>

#include "adreno/model/kernel/tests/rig.h"

#define MINUTE_MS 60000
#define MOMENT_MS 30

static struct rig rig;

static int setup(void **state)
{
    setenv("TUFF_JOB_TIMEOUT_MS", "300", 1);
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

static uint64_t data_va(uint32_t index)
{
    return rig.va + PAGE + 4 * index;
}

static volatile uint32_t *data(uint32_t index)
{
    return &rig.memory[PAGE / 4 + index];
}

/* A stream that writes a word. */
static uint32_t writing_stream(uint32_t index, uint32_t value)
{
    uint32_t start;
    rig_stream_begin(&rig, &start);
    rig_write(&rig, data_va(index), value);
    return start;
}

static uint32_t submit_ok(uint32_t start, struct drm_msm_gem_submit args)
{
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    return args.fence;
}

/* ---- queues ---- */

static void test_queues_have_priorities_and_numbers(void **state)
{
    uint32_t first = rig_queue(&rig, 0, 0), second = rig_queue(&rig, 0, 2);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    struct drm_msm_submitqueue args = {.prio = 3};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args), -EINVAL);
    args = (struct drm_msm_submitqueue){.flags = MSM_SUBMITQUEUE_ALLOW_PREEMPT};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args), -EINVAL);
    args = (struct drm_msm_submitqueue){.flags = 4};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args), -EINVAL);
    args = (struct drm_msm_submitqueue){.flags = MSM_SUBMITQUEUE_VM_BIND};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args),
                     -EINVAL); /* the kernel manages this space */
    uint32_t zero = 0, missing = 9;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &zero), -ENOENT); /* stays */
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &missing), -ENOENT);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &first), 0);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &first), -ENOENT);
    assert_int_equal(rig_queue(&rig, 0, 0), 3); /* numbers are not used twice */
}

static void test_faults_are_queried_by_length(void **state)
{
    uint32_t value = 7;
    struct drm_msm_submitqueue_query args = {.data = (uintptr_t)&value, .len = 4};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), 0);
    assert_int_equal(value, 0);
    args.len = 0;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), 0);
    args = (struct drm_msm_submitqueue_query){.data = 8, .len = 4};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), -EFAULT);
    args = (struct drm_msm_submitqueue_query){.param = 1, .len = 4};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), -EINVAL);
    args = (struct drm_msm_submitqueue_query){.id = 9};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), -ENOENT);
    args = (struct drm_msm_submitqueue_query){.pad = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), -EINVAL);
}

/* ---- submissions ---- */

static void test_a_stream_runs_and_its_number_is_waited_for(void **state)
{
    uint32_t fence = submit_ok(writing_stream(0, 11), (struct drm_msm_gem_submit){0});
    assert_int_equal(fence, 1);
    assert_int_equal(rig_wait(&rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(*data(0), 11);
    assert_int_equal(submit_ok(writing_stream(1, 12), (struct drm_msm_gem_submit){0}), 2);
    assert_int_equal(rig_wait(&rig, 0, 2, MINUTE_MS), 0);
    assert_int_equal(rig_wait(&rig, 0, 1, 0), 0);       /* done long ago */
    assert_int_equal(rig_wait(&rig, 0, 3, 0), -EINVAL); /* not submitted */
    assert_int_equal(rig_wait(&rig, 7, 1, 0), -ENOENT); /* no such queue */
}

static void test_a_wait_ends_at_its_time(void **state)
{
    uint32_t start;
    rig_stream_begin(&rig, &start);
    rig_wait_word(&rig, data_va(0));
    uint32_t fence = submit_ok(start, (struct drm_msm_gem_submit){0});
    assert_int_equal(rig_wait(&rig, 0, fence, MOMENT_MS), -ETIMEDOUT);
    assert_int_equal(rig_wait(&rig, 0, fence, -1), -ETIMEDOUT);
    *data(0) = 1;
    assert_int_equal(rig_wait(&rig, 0, fence, MINUTE_MS), 0);
    struct drm_msm_wait_fence args = {.fence = fence, .flags = 2};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_WAIT_FENCE, &args), -EINVAL);
}

static void test_a_submission_without_streams_only_synchronises(void **state)
{
    uint32_t object = rig_syncobj(&rig, false);
    struct drm_msm_syncobj out = {.handle = object};
    struct drm_msm_gem_submit args = {.flags = MSM_PIPE_3D0 | MSM_SUBMIT_SYNCOBJ_OUT,
                                      .out_syncobjs = (uintptr_t)&out,
                                      .nr_out_syncobjs = 1,
                                      .syncobj_stride = sizeof(out)};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_SUBMIT, &args), 0);
    assert_int_equal(rig_wait(&rig, 0, args.fence, MINUTE_MS), 0);
    assert_true(rig_syncobj_is_signaled(&rig, object, 0));
}

static void test_the_user_may_number_submissions(void **state)
{
    struct drm_msm_gem_submit args = {.flags = MSM_SUBMIT_FENCE_SN_IN, .fence = 1000};
    uint32_t start, gate;
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, data_va(3));
    assert_int_equal(rig_submit(&rig, gate, &args), 0);
    assert_int_equal(args.fence, 1000);
    start = writing_stream(0, 1);
    args = (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_FENCE_SN_IN, .fence = 1000};
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL); /* still in use */
    args = (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_FENCE_SN_IN, .fence = 0};
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL);
    assert_int_equal(submit_ok(start, (struct drm_msm_gem_submit){0}), 1001);
    *data(3) = 1;
    assert_int_equal(rig_wait(&rig, 0, 1001, MINUTE_MS), 0);
}

static void test_wrong_submissions_are_refused(void **state)
{
    uint32_t start = writing_stream(0, 1);
    const struct {
        struct drm_msm_gem_submit args;
        int error;
    } wrong[] = {
        {{.flags = 0x1}, -EINVAL},                                    /* with the rig's pipe: no such one */
        {{.flags = 0x00100000}, -EINVAL},                             /* no such flag */
        {{.flags = MSM_SUBMIT_SUDO}, -EINVAL},                        /* nothing runs from the ring itself */
        {{.pad = 1}, -EINVAL},                                        //
        {{.queueid = 9}, -ENOENT},                                    //
        {{.nr_bos = 1, .bos = 8}, -EFAULT},                           //
        {{.nr_cmds = 1, .cmds = 8}, -EFAULT},                         //
        {{.nr_bos = UINT32_MAX, .bos = 8}, -ENOMEM},                  //
        {{.nr_cmds = UINT32_MAX, .cmds = 8}, -ENOMEM},                //
        {{.flags = MSM_SUBMIT_FENCE_FD_IN, .fence_fd = -1}, -EINVAL}, //
        {{.flags = MSM_SUBMIT_SYNCOBJ_IN, .in_syncobjs = 8, .nr_in_syncobjs = 1}, -EFAULT},
        {{.flags = MSM_SUBMIT_SYNCOBJ_OUT, .out_syncobjs = 8, .nr_out_syncobjs = 1}, -EFAULT},
    };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct drm_msm_gem_submit args = wrong[i].args;
        int error = rig_submit(&rig, start, &args);
        if (error != wrong[i].error)
            fail_msg("row %u: %d instead of %d", i, error, wrong[i].error);
    }
    assert_int_equal(*data(0), 0);
}

static int submit_bos(const struct drm_msm_gem_submit_bo *bos, uint32_t count)
{
    struct drm_msm_gem_submit args = {.nr_bos = count, .bos = (uintptr_t)bos};
    uint32_t start = writing_stream(0, 1);
    return rig_submit(&rig, start, &args);
}

static void test_lists_of_buffers_are_checked(void **state)
{
    struct drm_msm_gem_submit_bo bos[2] = {{.flags = RW, .handle = rig.bo}, {.flags = RW, .handle = 99}};
    assert_int_equal(submit_bos(bos, 2), -EINVAL);
    bos[1].handle = rig.bo;
    assert_int_equal(submit_bos(bos, 2), -EALREADY);
    bos[1] = (struct drm_msm_gem_submit_bo){.flags = 0, .handle = rig_bo(&rig, PAGE, MSM_BO_WC)};
    assert_int_equal(submit_bos(bos, 2), -EINVAL);
    bos[1].flags = RW | 0x10;
    assert_int_equal(submit_bos(bos, 2), -EINVAL);
    bos[1].flags = MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_DUMP | MSM_SUBMIT_BO_NO_IMPLICIT;
    assert_int_equal(submit_bos(bos, 2), 0);
    assert_true(rig_iova(&rig, bos[1].handle) != 0);
}

static int submit_cmd(struct drm_msm_gem_submit_cmd cmd)
{
    struct drm_msm_gem_submit args = {.nr_cmds = 1, .cmds = (uintptr_t)&cmd};
    return rig_submit(&rig, 0, &args);
}

static void test_streams_are_checked(void **state)
{
    struct drm_msm_gem_submit_reloc_like {
        uint32_t words[6];
    } reloc = {{0}};
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 0, .size = 4}), -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 4, .size = 4}), -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 6}), -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 0}), -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 4, .submit_idx = 1}), -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 4, .submit_offset = 2 * PAGE}),
                     -EINVAL);
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 0xfffffffc, .submit_offset = 8}),
                     -EINVAL);
    assert_int_equal(
        submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 4, .nr_relocs = 1, .relocs = (uintptr_t)&reloc}),
        -EINVAL); /* A6xx has none */
    assert_int_equal(submit_cmd((struct drm_msm_gem_submit_cmd){.type = 1, .size = 4}), 0);
}

static void test_a_restoring_stream_runs_after_another_file(void **state)
{
    uint32_t start;
    rig_stream_begin(&rig, &start);
    rig_add_one(&rig, data_va(0));
    struct drm_msm_gem_submit_cmd cmds[2] = {
        {.type = MSM_SUBMIT_CMD_CTX_RESTORE_BUF, .submit_offset = start, .size = 12},
        {.type = MSM_SUBMIT_CMD_IB_TARGET_BUF, .submit_offset = start, .size = 12}};
    const struct drm_msm_gem_submit args = {.nr_cmds = 2, .cmds = (uintptr_t)cmds};
    submit_ok(start, args);
    uint32_t fence = submit_ok(start, args);
    assert_int_equal(rig_wait(&rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(*data(0), 1); /* the first only, and the target not at all */
    struct rig other = rig_open();
    uint32_t nothing;
    struct drm_msm_gem_submit theirs = {0};
    rig_stream_begin(&other, &nothing);
    rig_put(&other, 0);
    assert_int_equal(rig_submit(&other, nothing, &theirs), 0);
    assert_int_equal(rig_wait(&other, 0, theirs.fence, MINUTE_MS), 0);
    fence = submit_ok(start, args);
    assert_int_equal(rig_wait(&rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(*data(0), 2);
    rig_close(&other);
}

static void test_a_higher_priority_goes_first(void **state)
{
    uint32_t low = rig_queue(&rig, 0, 2), high = rig_queue(&rig, 0, 0), gate, start;
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, data_va(5));
    /* The ring takes two jobs ahead: both are gates. */
    submit_ok(gate, (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_NO_IMPLICIT});
    submit_ok(gate, (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_NO_IMPLICIT});
    start = writing_stream(0, 2);
    uint32_t last = submit_ok(start, (struct drm_msm_gem_submit){.queueid = low, .flags = MSM_SUBMIT_NO_IMPLICIT});
    start = writing_stream(0, 1);
    submit_ok(start, (struct drm_msm_gem_submit){.queueid = high, .flags = MSM_SUBMIT_NO_IMPLICIT});
    *data(5) = 1;
    assert_int_equal(rig_wait(&rig, low, last, MINUTE_MS), 0);
    assert_int_equal(*data(0), 2);
}

/* ---- synchronisation ---- */

static void test_objects_are_waited_for_and_signaled(void **state)
{
    uint32_t in = rig_syncobj(&rig, false), out = rig_syncobj(&rig, false);
    struct drm_msm_syncobj waits = {.handle = in}, signals = {.handle = out};
    struct drm_msm_gem_submit args = {.flags = MSM_SUBMIT_SYNCOBJ_IN | MSM_SUBMIT_SYNCOBJ_OUT,
                                      .in_syncobjs = (uintptr_t)&waits,
                                      .nr_in_syncobjs = 1,
                                      .out_syncobjs = (uintptr_t)&signals,
                                      .nr_out_syncobjs = 1};
    struct drm_msm_gem_submit again = args;
    uint32_t start = writing_stream(0, 5);
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL); /* nothing in it to wait for */

    /* A job on another queue that signals it, and stands at a gate. */
    uint32_t queue = rig_queue(&rig, 0, 1), gate;
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, data_va(9));
    struct drm_msm_gem_submit first = {.flags = MSM_SUBMIT_SYNCOBJ_OUT | MSM_SUBMIT_NO_IMPLICIT,
                                       .queueid = queue,
                                       .out_syncobjs = (uintptr_t)&waits,
                                       .nr_out_syncobjs = 1};
    assert_int_equal(rig_submit(&rig, gate, &first), 0);
    waits.flags = MSM_SYNCOBJ_RESET;
    again.flags |= MSM_SUBMIT_NO_IMPLICIT;
    start = writing_stream(0, 5);
    assert_int_equal(rig_submit(&rig, start, &again), 0);
    assert_int_equal(rig_wait(&rig, 0, again.fence, MOMENT_MS), -ETIMEDOUT);
    assert_false(rig_syncobj_is_signaled(&rig, out, 0));
    *data(9) = 1;
    assert_int_equal(rig_wait(&rig, 0, again.fence, MINUTE_MS), 0);
    assert_int_equal(*data(0), 5);
    assert_true(rig_syncobj_is_signaled(&rig, out, 0));
    assert_false(rig_syncobj_is_signaled(&rig, in, 0)); /* emptied by the submission */
}

static void test_objects_have_points(void **state)
{
    uint32_t object = rig_syncobj(&rig, false);
    struct drm_msm_syncobj signals = {.handle = object, .point = 10};
    struct drm_msm_gem_submit args = {
        .flags = MSM_SUBMIT_SYNCOBJ_OUT, .out_syncobjs = (uintptr_t)&signals, .nr_out_syncobjs = 1};
    uint32_t start = writing_stream(0, 1);
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    struct drm_msm_syncobj waits = {.handle = object, .point = 10};
    args = (struct drm_msm_gem_submit){
        .flags = MSM_SUBMIT_SYNCOBJ_IN, .in_syncobjs = (uintptr_t)&waits, .nr_in_syncobjs = 1};
    start = writing_stream(1, 1);
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    assert_int_equal(rig_wait(&rig, 0, args.fence, MINUTE_MS), 0);
    assert_true(rig_syncobj_is_signaled(&rig, object, 10));
    waits.point = 11;
    start = writing_stream(1, 2);
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL); /* not submitted yet */
}

static void test_entries_of_objects_are_checked(void **state)
{
    uint32_t object = rig_syncobj(&rig, true), start = writing_stream(0, 1);
    struct drm_msm_syncobj entry = {.handle = object, .flags = 2};
    struct drm_msm_gem_submit in = {
        .flags = MSM_SUBMIT_SYNCOBJ_IN, .in_syncobjs = (uintptr_t)&entry, .nr_in_syncobjs = 1};
    struct drm_msm_gem_submit out = {
        .flags = MSM_SUBMIT_SYNCOBJ_OUT, .out_syncobjs = (uintptr_t)&entry, .nr_out_syncobjs = 1};
    struct drm_msm_gem_submit args = in;
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL);
    entry.flags = MSM_SYNCOBJ_RESET;
    args = out;
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL); /* to be signaled, not emptied */
    entry = (struct drm_msm_syncobj){.handle = 99};
    args = in;
    assert_int_equal(rig_submit(&rig, start, &args), -ENOENT);
    args = out;
    assert_int_equal(rig_submit(&rig, start, &args), -EINVAL);
    args = in;
    args.nr_in_syncobjs = UINT32_MAX;
    assert_int_equal(rig_submit(&rig, start, &args), -ENOMEM);

    /* A longer stride, as a newer program has it; and a shorter one, without points. */
    struct {
        struct drm_msm_syncobj known;
        uint64_t newer;
    } wide[2] = {{{.handle = object}, 1}, {{.handle = object}, 2}};
    args = in;
    args.in_syncobjs = (uintptr_t)wide;
    args.nr_in_syncobjs = 2;
    args.syncobj_stride = sizeof(wide[0]);
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    struct {
        uint32_t handle, flags;
    } narrow[2] = {{object, 0}, {object, 0}};
    args = in;
    args.in_syncobjs = (uintptr_t)narrow;
    args.nr_in_syncobjs = 2;
    args.syncobj_stride = sizeof(narrow[0]);
    assert_int_equal(rig_submit(&rig, start, &args), 0);
}

static void test_fences_leave_and_come_as_fds(void **state)
{
    uint32_t gate, queue = rig_queue(&rig, 0, 1);
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, data_va(4));
    struct drm_msm_gem_submit out = {.flags = MSM_SUBMIT_FENCE_FD_OUT | MSM_SUBMIT_NO_IMPLICIT, .queueid = queue};
    assert_int_equal(rig_submit(&rig, gate, &out), 0);
    struct pollfd watch = {.fd = out.fence_fd, .events = POLLIN};
    assert_int_equal(poll(&watch, 1, MOMENT_MS), 0);
    struct drm_msm_gem_submit in = {.flags = MSM_SUBMIT_FENCE_FD_IN | MSM_SUBMIT_NO_IMPLICIT, .fence_fd = out.fence_fd};
    uint32_t start = writing_stream(0, 3);
    assert_int_equal(rig_submit(&rig, start, &in), 0);
    assert_int_equal(rig_wait(&rig, 0, in.fence, MOMENT_MS), -ETIMEDOUT);
    *data(4) = 1;
    assert_int_equal(rig_wait(&rig, 0, in.fence, MINUTE_MS), 0);
    assert_int_equal(*data(0), 3);
    assert_int_equal(poll(&watch, 1, MINUTE_MS), 1);
    close(out.fence_fd);
}

/* Two queues and one buffer. The ring stands at a gate, and the first job waits for that; the second could go at once,
 * and then the first would write last. */
static uint32_t last_of_two_queues(uint32_t flags, uint32_t bo_flags)
{
    uint32_t buffer = rig_bo(&rig, PAGE, MSM_BO_WC), object = rig_syncobj(&rig, false), gate;
    struct drm_msm_syncobj entry = {.handle = object};
    struct drm_msm_gem_submit_bo bos[2] = {{.flags = RW | MSM_SUBMIT_BO_NO_IMPLICIT, .handle = rig.bo},
                                           {.flags = bo_flags, .handle = buffer}};
    *data(6) = 0;
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, data_va(6));
    submit_ok(gate, (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_NO_IMPLICIT | MSM_SUBMIT_SYNCOBJ_OUT,
                                                .out_syncobjs = (uintptr_t)&entry,
                                                .nr_out_syncobjs = 1});
    struct drm_msm_gem_submit first = {.flags = flags | MSM_SUBMIT_SYNCOBJ_IN,
                                       .in_syncobjs = (uintptr_t)&entry,
                                       .nr_in_syncobjs = 1,
                                       .queueid = rig_queue(&rig, 0, 1),
                                       .nr_bos = 2,
                                       .bos = (uintptr_t)bos};
    struct drm_msm_gem_submit second = {
        .flags = flags, .queueid = rig_queue(&rig, 0, 1), .nr_bos = 2, .bos = (uintptr_t)bos};
    uint32_t start = writing_stream(0, 1);
    uint32_t fence = submit_ok(start, first);
    start = writing_stream(0, 2);
    uint32_t other = submit_ok(start, second);
    *data(6) = 1;
    assert_int_equal(rig_wait(&rig, first.queueid, fence, MINUTE_MS), 0);
    assert_int_equal(rig_wait(&rig, second.queueid, other, MINUTE_MS), 0);
    return *data(0);
}

static void test_queues_of_a_process_wait_for_each_others_writes(void **state)
{
    assert_int_equal(last_of_two_queues(0, RW), 2);
    assert_int_equal(last_of_two_queues(0, MSM_SUBMIT_BO_READ), 1); /* readers do not mind each other */
    assert_int_equal(last_of_two_queues(MSM_SUBMIT_NO_IMPLICIT, RW), 1);
    assert_int_equal(last_of_two_queues(0, RW | MSM_SUBMIT_BO_NO_IMPLICIT), 1);
}

/* ---- loss ---- */

static uint32_t submit_words(uint32_t queue, uint32_t word)
{
    uint32_t start;
    rig_stream_begin(&rig, &start);
    rig_put(&rig, word);
    return submit_ok(start, (struct drm_msm_gem_submit){.queueid = queue, .flags = MSM_SUBMIT_NO_IMPLICIT});
}

static void test_a_hang_loses_its_queue_and_no_other(void **state)
{
    uint32_t bad = rig_queue(&rig, 0, 1), good = rig_queue(&rig, 0, 1);
    uint32_t hang = submit_words(bad, 2), start = writing_stream(0, 1);
    uint32_t behind = submit_ok(start, (struct drm_msm_gem_submit){.queueid = bad, .flags = MSM_SUBMIT_NO_IMPLICIT});
    assert_int_equal(rig_wait(&rig, bad, hang, MINUTE_MS), 0); /* it has ended, badly */
    assert_int_equal(rig_wait(&rig, bad, behind, MINUTE_MS), 0);
    assert_int_equal(*data(0), 0); /* what stood behind it did not run */
    assert_int_equal(rig_faults(&rig, bad), 1);
    assert_int_equal(rig_faults(&rig, good), 0);
    assert_int_equal(rig_param(&rig, MSM_PARAM_FAULTS), 1); /* what Turnip looks at */
    start = writing_stream(1, 1);
    uint32_t fence = submit_ok(start, (struct drm_msm_gem_submit){.queueid = good});
    assert_int_equal(rig_wait(&rig, good, fence, MINUTE_MS), 0);
    assert_int_equal(*data(1), 1);
    struct rig other = rig_open();
    assert_int_equal(rig_param(&other, MSM_PARAM_FAULTS), 0); /* another process's faults are its own */
    rig_close(&other);
}

static void test_a_fault_counts_once(void **state)
{
    uint32_t queue = rig_queue(&rig, 0, 1), start;
    rig_stream_begin(&rig, &start);
    rig_write(&rig, VA + (5ull << 30), 1); /* where nothing is mapped */
    uint32_t fence = submit_ok(start, (struct drm_msm_gem_submit){.queueid = queue});
    assert_int_equal(rig_wait(&rig, queue, fence, MINUTE_MS), 0);
    fence = submit_words(queue, 0);
    assert_int_equal(rig_wait(&rig, queue, fence, MINUTE_MS), 0);
    assert_int_equal(rig_faults(&rig, queue), 1);
    assert_int_equal(rig_param(&rig, MSM_PARAM_FAULTS), 1);
}

static void test_a_buffer_that_the_gpu_only_reads_faults_when_written(void **state)
{
    uint32_t buffer = rig_bo(&rig, PAGE, MSM_BO_WC | MSM_BO_GPU_READONLY), start;
    rig_stream_begin(&rig, &start);
    rig_write(&rig, rig_iova(&rig, buffer), 1);
    uint32_t fence = submit_ok(start, (struct drm_msm_gem_submit){0});
    assert_int_equal(rig_wait(&rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(rig_faults(&rig, 0), 1);
}

static void test_a_closed_queue_ends_its_work(void **state)
{
    uint32_t queue = rig_queue(&rig, 0, 1), object = rig_syncobj(&rig, false), start = writing_stream(0, 9);
    struct drm_msm_syncobj entry = {.handle = object};
    submit_ok(start, (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_SYNCOBJ_OUT,
                                                 .queueid = queue,
                                                 .out_syncobjs = (uintptr_t)&entry,
                                                 .nr_out_syncobjs = 1});
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &queue), 0);
    struct drm_syncobj_wait wait = {
        .handles = (uintptr_t)&object, .count_handles = 1, .timeout_nsec = drm_now_ns() + MINUTE_MS * 1000000ll};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
    assert_int_equal(*data(0), 9);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_queues_have_priorities_and_numbers),
        CASE(test_faults_are_queried_by_length),
        CASE(test_a_stream_runs_and_its_number_is_waited_for),
        CASE(test_a_wait_ends_at_its_time),
        CASE(test_a_submission_without_streams_only_synchronises),
        CASE(test_the_user_may_number_submissions),
        CASE(test_wrong_submissions_are_refused),
        CASE(test_lists_of_buffers_are_checked),
        CASE(test_streams_are_checked),
        CASE(test_a_restoring_stream_runs_after_another_file),
        CASE(test_a_higher_priority_goes_first),
        CASE(test_objects_are_waited_for_and_signaled),
        CASE(test_objects_have_points),
        CASE(test_entries_of_objects_are_checked),
        CASE(test_fences_leave_and_come_as_fds),
        CASE(test_queues_of_a_process_wait_for_each_others_writes),
        CASE(test_a_hang_loses_its_queue_and_no_other),
        CASE(test_a_fault_counts_once),
        CASE(test_a_buffer_that_the_gpu_only_reads_faults_when_written),
        CASE(test_a_closed_queue_ends_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
