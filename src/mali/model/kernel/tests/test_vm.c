/* The panthor kernel model, ioctl by ioctl: address spaces, binds, buffers and queries. */
#include "mali/model/kernel/tests/rig.h"

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

static struct drm_panthor_vm_bind_op map_op(uint32_t handle, uint64_t offset_B, uint64_t va, uint64_t size_B)
{
    return (struct drm_panthor_vm_bind_op){.bo_handle = handle, .bo_offset = offset_B, .va = va, .size = size_B};
}

static struct drm_panthor_vm_bind_op unmap_op(uint64_t va, uint64_t size_B)
{
    return (struct drm_panthor_vm_bind_op){.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP, .va = va, .size = size_B};
}

/* ---- queries ---- */

static int query(uint32_t type, void *data, uint32_t size_B)
{
    struct drm_panthor_dev_query args = {.type = type, .size = size_B, .pointer = (uintptr_t)data};
    return rig_ioctl(&rig, DRM_IOCTL_PANTHOR_DEV_QUERY, &args);
}

static void test_queries_answer_what_is_asked(void **state)
{
    struct drm_panthor_gpu_info gpu;
    struct drm_panthor_csif_info csif;
    struct drm_panthor_group_priorities_info priorities;
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_GPU_INFO, &gpu, sizeof(gpu)), 0);
    assert_int_equal(gpu.gpu_id >> 28, 10);
    assert_int_equal(gpu.mmu_features & 0xff, MALI_VA_BITS);
    assert_int_equal(gpu.selected_coherency, DRM_PANTHOR_GPU_COHERENCY_NONE);
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_CSIF_INFO, &csif, sizeof(csif)), 0);
    assert_int_equal(csif.cs_reg_count, 96);
    assert_int_equal(csif.unpreserved_cs_reg_count, 4);
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO, &priorities, sizeof(priorities)), 0);
    assert_int_equal(priorities.allowed_mask & 3, 3);
}

static void test_queries_know_older_and_newer_programs(void **state)
{
    for (uint32_t type = 0; type < 4; type++) {
        uint8_t bytes[256];
        struct drm_panthor_dev_query args = {.type = type};
        assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_DEV_QUERY, &args), 0);
        assert_true(args.size >= 4 && args.size < sizeof(bytes));
        memset(bytes, 0xaa, sizeof(bytes));
        memset(bytes + 24, 0, args.size > 24 ? args.size - 24 : 0); /* flags of the clocks */
        assert_int_equal(query(type, bytes, sizeof(bytes)), 0);
        assert_int_equal(bytes[args.size], 0);
        assert_int_equal(bytes[sizeof(bytes) - 1], 0);
        assert_int_equal(query(type, bytes, 3), -EINVAL);
        assert_int_equal(query(type, (void *)8, args.size), -EFAULT);
    }
    struct drm_panthor_dev_query args = {.type = 77};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_DEV_QUERY, &args), -EINVAL);
    args = (struct drm_panthor_dev_query){
        .type = DRM_PANTHOR_DEV_QUERY_GPU_INFO, .size = 4097, .pointer = (uintptr_t)&args};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_DEV_QUERY, &args), -E2BIG);
    uint8_t byte[64];
    assert_int_equal(query(77, byte, sizeof(byte)), -EINVAL);
}

static void test_clocks_are_read_together(void **state)
{
    struct drm_panthor_timestamp_info info = {0};
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &info, 24), 0); /* as the first version had it */
    assert_int_equal(info.timestamp_frequency, MALI_TICKS_PER_SECOND);
    assert_int_equal(info.current_timestamp, MALI_TICKS_PER_SECOND);
    info =
        (struct drm_panthor_timestamp_info){.flags = DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC | DRM_PANTHOR_TIMESTAMP_GPU};
    int64_t before_ns = drm_now_ns();
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &info, sizeof(info)), 0);
    int64_t cpu_ns = (int64_t)(info.cpu_timestamp_sec * 1000000000ull + info.cpu_timestamp_nsec);
    assert_true(cpu_ns >= before_ns && cpu_ns <= drm_now_ns());
    assert_int_equal(info.timestamp_frequency, 0); /* was not asked for */
    info = (struct drm_panthor_timestamp_info){.flags = 3u << 1};
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &info, sizeof(info)), -EINVAL);
    info = (struct drm_panthor_timestamp_info){.flags = 1u << 20};
    assert_int_equal(query(DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &info, sizeof(info)), -EINVAL);
}

static void test_the_flush_id_is_a_page_to_read(void **state)
{
    void *memory = NULL;
    struct drm_file *file = &rig.file->file;
    const uint64_t offset_B = DRM_PANTHOR_USER_MMIO_OFFSET_64BIT;
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, offset_B, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(file, NULL, 2 * PAGE, PROT_READ, MAP_SHARED, offset_B, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, offset_B + PAGE, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, offset_B, &memory), 0);
    uint32_t before = *(volatile uint32_t *)memory;
    uint64_t va = rig_begin(&rig);
    rig_store(&rig, PLACE + PAGE, 1);
    rig_run(&rig, rig.group, rig_stream(&rig, 0, va));
    assert_int_equal(*(volatile uint32_t *)memory, before + 1); /* the kernel flushes before each stream */
    munmap(memory, PAGE);

    struct drm_panthor_set_user_mmio_offset args = {.offset = DRM_PANTHOR_USER_MMIO_OFFSET_32BIT};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, &args), 0);
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, offset_B, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(file, NULL, PAGE, PROT_READ, MAP_SHARED, args.offset, &memory), 0);
    munmap(memory, PAGE);
    args.offset = 4096;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, &args), -EINVAL);
}

/* ---- address spaces ---- */

static void test_spaces_are_split_between_user_and_kernel(void **state)
{
    struct drm_panthor_vm_create args = {0};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_CREATE, &args), 0);
    assert_int_equal(args.user_va_range, 1ull << 47);
    args = (struct drm_panthor_vm_create){.user_va_range = 1ull << 32};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_CREATE, &args), 0);
    assert_int_equal(args.user_va_range, 1ull << 47); /* the kernel's part is a power of two */
    args = (struct drm_panthor_vm_create){.user_va_range = (1ull << 48) - (255ull << 20)};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_CREATE, &args), -EINVAL);
    args = (struct drm_panthor_vm_create){.flags = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_CREATE, &args), -EINVAL);
}

static void test_a_file_has_32_spaces(void **state)
{
    struct rig other = rig_open();
    for (uint32_t id = 2; id <= 32; id++)
        assert_int_equal(rig_vm(&other, 0), id);
    struct drm_panthor_vm_create args = {0};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_VM_CREATE, &args), -EBUSY);
    struct drm_panthor_vm_destroy destroy = {.id = 7};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_VM_DESTROY, &destroy), 0);
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_VM_DESTROY, &destroy), -EINVAL);
    assert_int_equal(rig_vm(&other, 0), 7);
    destroy = (struct drm_panthor_vm_destroy){.id = 7, .pad = 1};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_VM_DESTROY, &destroy), -EINVAL);
    rig_close(&other);
}

static void test_binds_map_parts_twice(void **state)
{
    const uint64_t at = 0x123456000;
    uint64_t value;
    rig.memory[PAGE / 8 + 5] = 77;
    assert_int_equal(rig_bind(&rig, rig.vm, map_op(rig.bo, PAGE, at, PAGE)), 0);
    assert_int_equal(rig_bind(&rig, rig.vm, map_op(rig.bo, PAGE, at + PAGE, PAGE)), 0);
    assert_true(rig_read(&rig, rig.vm, at + 40, &value) && value == 77);
    assert_true(rig_read(&rig, rig.vm, at + PAGE + 40, &value) && value == 77);
    /* In the place of what was there. */
    rig.memory[5] = 78;
    assert_int_equal(rig_bind(&rig, rig.vm, map_op(rig.bo, 0, at, PAGE)), 0);
    assert_true(rig_read(&rig, rig.vm, at + 40, &value) && value == 78);
    assert_int_equal(rig_bind(&rig, rig.vm, unmap_op(at, 2 * PAGE)), 0);
    assert_false(rig_read(&rig, rig.vm, at + 40, &value));
    assert_false(rig_read(&rig, rig.vm, at + PAGE + 40, &value));
}

static void test_an_unmapped_range_splits_a_mapping(void **state)
{
    const uint64_t at = 0x40000000;
    uint64_t value;
    uint32_t handle = rig_bo(&rig, 5 * PAGE, 0, 0);
    uint64_t *memory = rig_map(&rig, handle, 5 * PAGE);
    for (unsigned i = 0; i < 5; i++)
        memory[i * PAGE / 8] = i + 1;
    assert_int_equal(rig_bind(&rig, rig.vm, map_op(handle, 0, at, 5 * PAGE)), 0);
    assert_int_equal(rig_bind(&rig, rig.vm, unmap_op(at + 2 * PAGE, PAGE)), 0);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(rig_read(&rig, rig.vm, at + i * PAGE, &value), i != 2);
        if (i != 2)
            assert_int_equal(value, i + 1);
    }
    /* The whole space, and a second time. */
    rig_close_bo(&rig, handle);
    assert_true(rig_read(&rig, rig.vm, at, &value));
    assert_int_equal(rig_bind(&rig, rig.vm, unmap_op(at, 1ull << 40)), 0);
    assert_false(rig_read(&rig, rig.vm, at + 4 * PAGE, &value));
    assert_int_equal(rig_bind(&rig, rig.vm, unmap_op(at, 1ull << 40)), 0);
    rig_unmap(memory, 5 * PAGE);
}

static void test_bad_binds_are_refused(void **state)
{
    const uint64_t at = 0x50000000;
    uint32_t other_vm = rig_vm(&rig, 0), own = rig_bo(&rig, PAGE, 0, other_vm);
    struct drm_panthor_vm_bind_op bad[] = {
        map_op(rig.bo, 0, at + 8, PAGE),
        map_op(rig.bo, 0, at, PAGE + 8),
        map_op(rig.bo, 8, at, PAGE),
        map_op(rig.bo, 0, at, 3 * PAGE),
        map_op(rig.bo, 2 * PAGE, at, PAGE),
        map_op(rig.bo, UINT64_MAX - PAGE + 1, at, PAGE),
        map_op(rig.bo, 0, 1ull << 48, PAGE),
        map_op(rig.bo, 0, UINT64_MAX - PAGE + 1, PAGE),
        map_op(999, 0, at, PAGE),
        map_op(own, 0, at, PAGE),
        {.flags = 1u << 3, .bo_handle = rig.bo, .va = at, .size = PAGE},
        {.flags = 3u << 28, .va = at, .size = PAGE},
        {.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP, .bo_handle = rig.bo, .va = at, .size = PAGE},
        {.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP | 1, .va = at, .size = PAGE},
        {.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP, .va = at, .size = 1ull << 48},
    };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rig_bind(&rig, rig.vm, bad[i]), -EINVAL);
    assert_int_equal(rig_bind(&rig, other_vm, map_op(own, 0, at, PAGE)), 0);
    assert_int_equal(rig_bind(&rig, 31, map_op(rig.bo, 0, at, PAGE)), -EINVAL);
    /* How far it came. */
    struct drm_panthor_vm_bind_op ops[] = {map_op(rig.bo, 0, at, PAGE), map_op(999, 0, at, PAGE)};
    struct drm_panthor_vm_bind args = {.vm_id = rig.vm, .ops = RIG_ARRAY(ops, 2)};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_BIND, &args), -EINVAL);
    assert_int_equal(args.ops.count, 1);
    /* Elements of other sizes. */
    args = (struct drm_panthor_vm_bind){.vm_id = rig.vm, .ops = {.stride = 40, .count = 1, .array = (uintptr_t)ops}};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_BIND, &args), -EINVAL);
    struct {
        struct drm_panthor_vm_bind_op op;
        uint64_t newer;
    } longer = {map_op(rig.bo, 0, at, PAGE), 0};
    args.ops = (struct drm_panthor_obj_array)RIG_ARRAY(&longer, 1);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_BIND, &args), 0);
    longer.newer = 1;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_BIND, &args), -E2BIG);
}

static void test_binds_wait_and_signal(void **state)
{
    const uint64_t at = 0x60000000;
    uint64_t value;
    uint32_t gate = rig_syncobj(&rig, false), done = rig_syncobj(&rig, false);
    struct drm_panthor_sync_op wait = rig_sync_wait(gate, 0), signal = rig_sync_signal(done, 5);
    struct drm_panthor_vm_bind_op op = map_op(rig.bo, 0, at, PAGE);
    op.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&wait, 1);
    assert_int_equal(rig_bind(&rig, rig.vm, op), -EINVAL);           /* not at once */
    assert_int_equal(rig_bind_later(&rig, rig.vm, &op, 1), -EINVAL); /* nothing will ever signal it */
    uint32_t job_gate = rig_syncobj(&rig, false);
    uint64_t stream = rig_begin(&rig);
    rig_put(&rig, 1ull << 56 | 20ull << 48 | (PLACE + PAGE)); /* MOVE d20 */
    rig_put(&rig, 39ull << 56 | 20ull << 40 | 30ull << 32);   /* SYNC_WAIT32 until the word is more than r30 */
    rig.memory[PAGE / 8] = 0;
    struct drm_panthor_queue_submit submit = rig_stream(&rig, 0, stream);
    struct drm_panthor_sync_op opens = rig_sync_signal(job_gate, 0);
    submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&opens, 1);
    assert_int_equal(rig_submit(&rig, rig.group, &submit, 1), 0);

    struct drm_panthor_sync_op both[] = {rig_sync_wait(job_gate, 0), signal};
    struct drm_panthor_vm_bind_op sync_only = {.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY};
    assert_int_equal(rig_bind_later(&rig, rig.vm, &sync_only, 1), -EINVAL); /* without anything to wait for */
    op.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(both, 2);
    assert_int_equal(rig_bind_later(&rig, rig.vm, &op, 1), 0);
    assert_int_equal(rig_wait(&rig, done, 5, MOMENT_NS), -ETIME);
    assert_false(rig_read(&rig, rig.vm, at, &value));
    rig.memory[PAGE / 8] = 1;
    assert_int_equal(rig_wait(&rig, done, 5, MINUTE_NS), 0);
    assert_true(rig_read(&rig, rig.vm, at, &value));
    struct drm_panthor_sync_op last = rig_sync_signal(gate, 0);
    sync_only.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&last, 1);
    assert_int_equal(rig_bind_later(&rig, rig.vm, &sync_only, 1), 0);
    assert_int_equal(rig_wait(&rig, gate, 0, MINUTE_NS), 0);
}

static void test_a_failed_bind_spoils_the_space(void **state)
{
    uint32_t vm = rig_vm(&rig, 0), done = rig_syncobj(&rig, false);
    struct drm_panthor_sync_op signal = rig_sync_signal(done, 0);
    /* Its address is looked at when it runs. */
    struct drm_panthor_vm_bind_op op = map_op(rig.bo, 0, 1ull << 48, PAGE);
    op.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&signal, 1);
    struct drm_panthor_vm_get_state get = {.vm_id = vm};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_GET_STATE, &get), 0);
    assert_int_equal(get.state, DRM_PANTHOR_VM_STATE_USABLE);
    assert_int_equal(rig_bind_later(&rig, vm, &op, 1), 0);
    assert_int_equal(rig_wait(&rig, done, 0, MINUTE_NS), 0);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_GET_STATE, &get), 0);
    assert_int_equal(get.state, DRM_PANTHOR_VM_STATE_UNUSABLE);
    assert_int_equal(rig_bind(&rig, vm, map_op(rig.bo, 0, PLACE, PAGE)), -EINVAL);
    assert_int_equal(rig_bind(&rig, vm, unmap_op(PLACE, PAGE)), 0);
    get.vm_id = 30;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_GET_STATE, &get), -EINVAL);
}

/* ---- buffers ---- */

static void test_buffers(void **state)
{
    struct drm_panthor_bo_create args = {.size = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_CREATE, &args), 0);
    assert_int_equal(args.size, PAGE);
    struct drm_panthor_bo_create bad[] = {
        {.size = 0},
        {.size = PAGE, .flags = 4},
        {.size = PAGE, .flags = 3},
        {.size = PAGE, .pad = 1},
        {.size = PAGE, .exclusive_vm_id = 30},
    };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_CREATE, &bad[i]), -EINVAL);
    args = (struct drm_panthor_bo_create){.size = UINT64_MAX};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_CREATE, &args), -ENOMEM);

    uint32_t hidden = rig_bo(&rig, PAGE, DRM_PANTHOR_BO_NO_MMAP, 0);
    struct drm_panthor_bo_mmap_offset offset = {.handle = hidden};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &offset), -EPERM);
    offset.handle = 999;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &offset), -ENOENT);
    struct drm_panthor_bo_query_info info = {.handle = hidden};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_QUERY_INFO, &info), 0);
    assert_int_equal(info.create_flags, DRM_PANTHOR_BO_NO_MMAP);
    assert_int_equal(info.extra_flags, 0);
}

static void test_buffers_of_one_space_stay_in_it(void **state)
{
    uint32_t vm = rig_vm(&rig, 0), own = rig_bo(&rig, PAGE, 0, vm);
    struct drm_prime_handle prime = {.handle = own};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EINVAL);
    struct drm_panthor_vm_destroy destroy = {.id = vm};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_VM_DESTROY, &destroy), 0);
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EINVAL);
    assert_int_equal(rig_bind(&rig, rig.vm, map_op(own, 0, 0x70000000, PAGE)), -EINVAL);
    /* Others are shared, and keep their flags. */
    uint32_t shared = rig_bo(&rig, PAGE, DRM_PANTHOR_BO_WB_MMAP, 0);
    prime = (struct drm_prime_handle){.handle = shared, .flags = DRM_CLOEXEC};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    struct rig other = rig_open();
    struct drm_prime_handle import = {.fd = prime.fd};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    struct drm_panthor_bo_query_info info = {.handle = import.handle};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PANTHOR_BO_QUERY_INFO, &info), 0);
    assert_int_equal(info.create_flags, DRM_PANTHOR_BO_WB_MMAP);
    rig_close(&other);
    close(prime.fd);
}

static void test_labels_and_cache_maintenance(void **state)
{
    char longest[5000];
    memset(longest, 'x', sizeof(longest));
    struct drm_panthor_bo_set_label label = {.handle = rig.bo, .label = (uintptr_t) "two pages"};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SET_LABEL, &label), 0);
    struct mali_vm *vm = mali_vm_find(rig.file, rig.vm);
    struct strbuf text = {0};
    drm_vm_describe(&vm->vm.space, PLACE, &text);
    assert_non_null(strstr(text.text, "offset 0x0: two pages\n"));
    strbuf_finish(&text);
    drm_vm_unref(&vm->vm);
    label.label = (uintptr_t)longest;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SET_LABEL, &label), -E2BIG);
    label.label = 8;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SET_LABEL, &label), -EFAULT);
    label = (struct drm_panthor_bo_set_label){.handle = 999};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SET_LABEL, &label), -ENOENT);

    struct drm_panthor_bo_sync_op op = {.handle = rig.bo, .type = 1, .offset = 100, .size = 2 * PAGE - 100};
    struct drm_panthor_bo_sync sync = {.ops = RIG_ARRAY(&op, 1)};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SYNC, &sync), 0);
    op.offset = 101;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SYNC, &sync), -EINVAL);
    op = (struct drm_panthor_bo_sync_op){.handle = rig.bo, .type = 2};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SYNC, &sync), -EINVAL);
    op = (struct drm_panthor_bo_sync_op){.handle = 999};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PANTHOR_BO_SYNC, &sync), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries_answer_what_is_asked),
        cmocka_unit_test(test_queries_know_older_and_newer_programs),
        cmocka_unit_test(test_clocks_are_read_together),
        cmocka_unit_test(test_the_flush_id_is_a_page_to_read),
        cmocka_unit_test(test_spaces_are_split_between_user_and_kernel),
        cmocka_unit_test(test_a_file_has_32_spaces),
        cmocka_unit_test(test_binds_map_parts_twice),
        cmocka_unit_test(test_an_unmapped_range_splits_a_mapping),
        cmocka_unit_test(test_bad_binds_are_refused),
        cmocka_unit_test(test_binds_wait_and_signal),
        cmocka_unit_test(test_a_failed_bind_spoils_the_space),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_buffers_of_one_space_stay_in_it),
        cmocka_unit_test(test_labels_and_cache_maintenance),
    };
    return cmocka_run_group_tests_name("mali kernel vm", tests, setup, teardown);
}
