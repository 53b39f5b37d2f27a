/* The msm kernel model, ioctl by ioctl: address spaces that user space manages. */
#include "adreno/model/kernel/tests/rig.h"

#define MINUTE_MS 60000
#define MOMENT_MS 30
#define PLACE (VA + (3ull << 30))

static struct rig rig;
static uint32_t queue;

static int setup(void **state)
{
    int error = rig_setup(state);
    if (error)
        return error;
    rig = rig_open_vm_bind();
    queue = rig_queue(&rig, MSM_SUBMITQUEUE_VM_BIND, 0);
    return 0;
}

static int teardown(void **state)
{
    rig_close(&rig);
    return rig_teardown(state);
}

static struct drm_msm_vm_bind_op map_op(uint32_t handle, uint64_t offset_B, uint64_t va, uint64_t size_B)
{
    return (struct drm_msm_vm_bind_op){
        .op = MSM_VM_BIND_OP_MAP, .handle = handle, .obj_offset = offset_B, .iova = va, .range = size_B};
}

static struct drm_msm_vm_bind_op unmap_op(uint64_t va, uint64_t size_B)
{
    return (struct drm_msm_vm_bind_op){.op = MSM_VM_BIND_OP_UNMAP, .iova = va, .range = size_B};
}

static int bind_ops(struct drm_msm_vm_bind_op *ops, uint32_t count, struct drm_msm_vm_bind args)
{
    args.queue_id = args.queue_id ? args.queue_id : queue;
    args.nr_ops = count;
    args.op_stride = sizeof(*ops);
    args.syncobj_stride = sizeof(struct drm_msm_syncobj);
    if (count == 1)
        args.op = *ops;
    else
        args.ops = (uintptr_t)ops;
    return rig_ioctl(&rig, DRM_IOCTL_MSM_VM_BIND, &args);
}

static int bind_one(struct drm_msm_vm_bind_op op)
{
    return bind_ops(&op, 1, (struct drm_msm_vm_bind){0});
}

/* All binds before are done: they are in order, and an object says so. */
static void settle_binds(void)
{
    uint32_t object = rig_syncobj(&rig, false);
    struct drm_msm_syncobj entry = {.handle = object};
    assert_int_equal(
        bind_ops(NULL, 0, (struct drm_msm_vm_bind){.out_syncobjs = (uintptr_t)&entry, .nr_out_syncobjs = 1}), 0);
    struct drm_syncobj_wait wait = {
        .handles = (uintptr_t)&object, .count_handles = 1, .timeout_nsec = drm_now_ns() + MINUTE_MS * 1000000ll};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
}

static bool read_gpu(uint64_t va, uint32_t *value_out)
{
    return gpu_mem_read32(&rig.file->vm->vm.space, va, value_out);
}

static void test_binds_map_parts_of_buffers(void **state)
{
    uint32_t value;
    rig.memory[0] = 1;
    rig.memory[PAGE / 4] = 2;
    struct drm_msm_vm_bind_op ops[] = {map_op(rig.bo, 0, PLACE + PAGE, PAGE), map_op(rig.bo, PAGE, PLACE, PAGE)};
    assert_int_equal(bind_ops(ops, 2, (struct drm_msm_vm_bind){0}), 0);
    settle_binds();
    assert_true(read_gpu(PLACE, &value));
    assert_int_equal(value, 2);
    assert_true(read_gpu(PLACE + PAGE, &value));
    assert_int_equal(value, 1);
    assert_int_equal(bind_one(unmap_op(PLACE, PAGE)), 0);
    settle_binds();
    assert_false(read_gpu(PLACE, &value));
    assert_true(read_gpu(PLACE + PAGE, &value));
    /* Addresses without memory read as zero. */
    struct drm_msm_vm_bind_op nothing = {.op = MSM_VM_BIND_OP_MAP_NULL, .iova = PLACE, .range = PAGE};
    assert_int_equal(bind_one(nothing), 0);
    settle_binds();
    value = 9;
    assert_true(read_gpu(PLACE, &value));
    assert_int_equal(value, 0);
}

static void test_mappings_outlive_the_handle(void **state)
{
    uint32_t handle = rig_bo(&rig, PAGE, MSM_BO_WC), value;
    assert_int_equal(bind_one(map_op(handle, 0, PLACE, PAGE)), 0);
    settle_binds();
    rig_close_bo(&rig, handle);
    assert_true(read_gpu(PLACE, &value));
}

static void test_streams_are_named_by_address(void **state)
{
    uint32_t start, gate;
    rig.va = PLACE;
    struct drm_msm_vm_bind_op op = map_op(rig.bo, 0, PLACE, 2 * PAGE);
    struct drm_msm_vm_bind args = {.flags = MSM_VM_BIND_FENCE_FD_OUT, .queue_id = queue, .nr_ops = 1, .op = op};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_VM_BIND, &args), 0);
    rig_stream_begin(&rig, &start);
    rig_write(&rig, PLACE + PAGE, 6);
    struct drm_msm_gem_submit submit = {.flags = MSM_SUBMIT_FENCE_FD_IN, .fence_fd = args.fence_fd};
    assert_int_equal(rig_submit(&rig, start, &submit), 0);
    assert_int_equal(rig_wait(&rig, 0, submit.fence, MINUTE_MS), 0);
    assert_int_equal(rig.memory[PAGE / 4], 6);
    close(args.fence_fd);
    /* A bind waits for a job, and another job for the bind; neither waits for itself. */
    uint32_t objects[2] = {rig_syncobj(&rig, false), rig_syncobj(&rig, false)};
    struct drm_msm_syncobj first = {.handle = objects[0], .point = 1}, second = {.handle = objects[1], .point = 1};
    rig_stream_begin(&rig, &gate);
    rig_wait_word(&rig, PLACE + PAGE + 4);
    struct drm_msm_gem_submit gated = {
        .flags = MSM_SUBMIT_SYNCOBJ_OUT, .out_syncobjs = (uintptr_t)&first, .nr_out_syncobjs = 1};
    assert_int_equal(rig_submit(&rig, gate, &gated), 0);
    struct drm_msm_vm_bind_op move[] = {unmap_op(PLACE + PAGE, PAGE), map_op(rig.bo, PAGE, PLACE + 8 * PAGE, PAGE)};
    assert_int_equal(bind_ops(move, 2,
                              (struct drm_msm_vm_bind){.in_syncobjs = (uintptr_t)&first,
                                                       .nr_in_syncobjs = 1,
                                                       .out_syncobjs = (uintptr_t)&second,
                                                       .nr_out_syncobjs = 1}),
                     0);
    rig_stream_begin(&rig, &start);
    rig_write(&rig, PLACE + 8 * PAGE, 7);
    struct drm_msm_gem_submit after = {
        .flags = MSM_SUBMIT_SYNCOBJ_IN, .in_syncobjs = (uintptr_t)&second, .nr_in_syncobjs = 1};
    assert_int_equal(rig_submit(&rig, start, &after), 0);
    assert_int_equal(rig_wait(&rig, 0, after.fence, MOMENT_MS), -ETIMEDOUT);
    rig.memory[PAGE / 4 + 1] = 1;
    assert_int_equal(rig_wait(&rig, 0, after.fence, MINUTE_MS), 0);
    assert_int_equal(rig.memory[PAGE / 4], 7);
    assert_int_equal(rig_faults(&rig, 0), 0);
}

/* A page is bound again at a place that was just unbound, while a job that waits for the new one is queued. */
static void test_binds_do_not_wait_for_what_waits_for_them(void **state)
{
    uint32_t object = rig_syncobj(&rig, false), gate_object = rig_syncobj(&rig, false), start;
    rig.va = PLACE;
    assert_int_equal(bind_one(map_op(rig.bo, 0, PLACE, 2 * PAGE)), 0);
    settle_binds();
    struct drm_msm_syncobj gate = {.handle = gate_object, .point = 1}, done = {.handle = object, .point = 1};
    rig_stream_begin(&rig, &start);
    rig_wait_word(&rig, PLACE + PAGE);
    struct drm_msm_gem_submit gated = {
        .flags = MSM_SUBMIT_SYNCOBJ_OUT, .out_syncobjs = (uintptr_t)&gate, .nr_out_syncobjs = 1};
    assert_int_equal(rig_submit(&rig, start, &gated), 0);
    struct drm_msm_vm_bind_op ops[] = {unmap_op(PLACE + PAGE, PAGE), map_op(rig.bo, PAGE, PLACE + PAGE, PAGE)};
    assert_int_equal(bind_ops(ops, 2,
                              (struct drm_msm_vm_bind){.in_syncobjs = (uintptr_t)&gate,
                                                       .nr_in_syncobjs = 1,
                                                       .out_syncobjs = (uintptr_t)&done,
                                                       .nr_out_syncobjs = 1}),
                     0);
    rig_stream_begin(&rig, &start);
    rig_write(&rig, PLACE + PAGE + 8, 8);
    struct drm_msm_gem_submit after = {
        .flags = MSM_SUBMIT_SYNCOBJ_IN, .in_syncobjs = (uintptr_t)&done, .nr_in_syncobjs = 1};
    assert_int_equal(rig_submit(&rig, start, &after), 0);
    rig.memory[PAGE / 4] = 1;
    assert_int_equal(rig_wait(&rig, 0, after.fence, MINUTE_MS), 0);
    assert_int_equal(rig.memory[PAGE / 4 + 2], 8);
}

static void test_wrong_binds_are_refused(void **state)
{
    struct drm_msm_vm_bind_op wrong[] = {
        map_op(0, 0, PLACE, PAGE),
        map_op(99, 0, PLACE, PAGE),
        map_op(rig.bo, 0, PLACE + 1, PAGE),
        map_op(rig.bo, 1, PLACE, PAGE),
        map_op(rig.bo, 0, PLACE, 100),
        map_op(rig.bo, 0, PLACE, 3 * PAGE),
        map_op(rig.bo, 2 * PAGE, PLACE, PAGE),
        map_op(rig.bo, ~0ull & ~(PAGE - 1), PLACE, 2 * PAGE),
        map_op(rig.bo, 0, PAGE, PAGE),
        map_op(rig.bo, 0, VA + (16ull << 30), PAGE),
        {.op = MSM_VM_BIND_OP_UNMAP, .handle = rig.bo, .iova = PLACE, .range = PAGE},
        {.op = MSM_VM_BIND_OP_MAP_NULL, .handle = rig.bo, .iova = PLACE, .range = PAGE},
        {.op = 3, .iova = PLACE, .range = PAGE},
        {.op = MSM_VM_BIND_OP_UNMAP, .iova = PLACE, .range = PAGE, .flags = 2},
    };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int error = bind_one(wrong[i]);
        if (error != -EINVAL)
            fail_msg("row %u: %d", i, error);
    }
    struct drm_msm_vm_bind_op good = map_op(rig.bo, 0, PLACE, PAGE);
    assert_int_equal(bind_ops(&good, 1, (struct drm_msm_vm_bind){.flags = 4}), -EINVAL);
    assert_int_equal(bind_ops(&good, 1, (struct drm_msm_vm_bind){.queue_id = 9}), -ENOENT);
    assert_int_equal(bind_ops(&good, 1, (struct drm_msm_vm_bind){.queue_id = rig_queue(&rig, 0, 0)}), -EINVAL);
    assert_int_equal(bind_ops((void *)8, 2, (struct drm_msm_vm_bind){0}), -EFAULT);
    assert_int_equal(bind_ops((void *)8, UINT32_MAX, (struct drm_msm_vm_bind){0}), -ENOMEM);
    assert_int_equal(bind_one(map_op(rig.bo, 0, PLACE, 0)), 0); /* nothing */
    assert_int_equal(bind_one(good), 0);
}

static void test_the_other_way_of_addresses_is_closed(void **state)
{
    uint64_t va = PLACE;
    assert_int_equal(rig_info(&rig, rig.bo, MSM_INFO_SET_IOVA, &va), -EINVAL);
    assert_int_equal(rig_info(&rig, rig.bo, MSM_INFO_GET_IOVA, &va), -EINVAL);
    struct drm_msm_gem_submit_cmd cmd = {.type = MSM_SUBMIT_CMD_BUF, .size = 4, .submit_offset = 4};
    struct drm_msm_gem_submit args = {.nr_cmds = 1, .cmds = (uintptr_t)&cmd};
    assert_int_equal(rig_submit(&rig, 0, &args), -EINVAL);
    args = (struct drm_msm_gem_submit){.queueid = queue};
    assert_int_equal(rig_submit(&rig, 0, &args), -EINVAL); /* a queue of binds takes no streams */
    struct rig other = rig_open();
    struct drm_msm_vm_bind bind = {.nr_ops = 0};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_MSM_VM_BIND, &bind), -EINVAL);
    rig_close(&other);
}

static void test_a_fault_ends_the_space(void **state)
{
    uint32_t start;
    rig.va = PLACE;
    assert_int_equal(bind_one(map_op(rig.bo, 0, PLACE, 2 * PAGE)), 0);
    settle_binds();
    rig_stream_begin(&rig, &start);
    rig_write(&rig, PLACE + (1ull << 30), 1);
    struct drm_msm_gem_submit args = {0};
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    assert_int_equal(rig_wait(&rig, 0, args.fence, MINUTE_MS), 0);
    assert_int_equal(rig_param(&rig, MSM_PARAM_FAULTS), 1);
    args = (struct drm_msm_gem_submit){0};
    assert_int_equal(rig_submit(&rig, start, &args), -EPIPE);
    assert_int_equal(bind_one(unmap_op(PLACE, PAGE)), -EPIPE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_binds_map_parts_of_buffers),   CASE(test_mappings_outlive_the_handle),
        CASE(test_streams_are_named_by_address), CASE(test_binds_do_not_wait_for_what_waits_for_them),
        CASE(test_wrong_binds_are_refused),      CASE(test_the_other_way_of_addresses_is_closed),
        CASE(test_a_fault_ends_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
