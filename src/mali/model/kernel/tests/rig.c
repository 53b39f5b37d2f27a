/* See rig.h. */
#include "mali/model/kernel/tests/rig.h"

#include "mali/hw/instructions.h"
#include "mali/hw/pack.h"
#include "util/log.h"

struct mali_device *rig_device;

int rig_setup(void **state)
{
    alarm(300);
    log_set_level(LOG_LEVEL_ERROR);
    return mali_device_create("mali-g610", &mali_engine_ops, &rig_device);
}

int rig_teardown(void **state)
{
    mali_device_destroy(rig_device);
    return 0;
}

int rig_ioctl(struct rig *rig, unsigned long request, void *argument)
{
    return drm_file_ioctl(&rig->file->file, request, argument);
}

uint32_t rig_vm(struct rig *rig, uint64_t user_va_range)
{
    struct drm_panthor_vm_create args = {.user_va_range = user_va_range};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_PANTHOR_VM_CREATE, &args), 0);
    assert_int_not_equal(args.id, 0);
    return args.id;
}

uint32_t rig_bo(struct rig *rig, uint64_t size_B, uint32_t flags, uint32_t vm)
{
    struct drm_panthor_bo_create args = {.size = size_B, .flags = flags, .exclusive_vm_id = vm};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_PANTHOR_BO_CREATE, &args), 0);
    assert_int_not_equal(args.handle, 0);
    return args.handle;
}

void *rig_map(struct rig *rig, uint32_t handle, uint64_t size_B)
{
    struct drm_panthor_bo_mmap_offset args = {.handle = handle};
    void *memory = NULL;
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &args), 0);
    assert_int_equal(
        drm_file_mmap(&rig->file->file, NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, args.offset, &memory), 0);
    return memory;
}

void rig_unmap(void *memory, uint64_t size_B)
{
    drm_device_memory_unmapped(&rig_device->drm, memory, size_B);
    munmap(memory, size_B);
}

void rig_close_bo(struct rig *rig, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_GEM_CLOSE, &args), 0);
}

int rig_bind(struct rig *rig, uint32_t vm, struct drm_panthor_vm_bind_op op)
{
    struct drm_panthor_vm_bind args = {.vm_id = vm, .ops = RIG_ARRAY(&op, 1)};
    return rig_ioctl(rig, DRM_IOCTL_PANTHOR_VM_BIND, &args);
}

int rig_bind_later(struct rig *rig, uint32_t vm, struct drm_panthor_vm_bind_op *ops, uint32_t count)
{
    struct drm_panthor_vm_bind args = {.vm_id = vm, .flags = DRM_PANTHOR_VM_BIND_ASYNC, .ops = RIG_ARRAY(ops, count)};
    return rig_ioctl(rig, DRM_IOCTL_PANTHOR_VM_BIND, &args);
}

uint32_t rig_syncobj(struct rig *rig, bool is_signaled)
{
    struct drm_syncobj_create args = {.flags = is_signaled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0u};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_CREATE, &args), 0);
    return args.handle;
}

int rig_wait(struct rig *rig, uint32_t handle, uint64_t point, int64_t ns)
{
    struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)&handle,
                                             .points = (uintptr_t)&point,
                                             .count_handles = 1,
                                             .timeout_nsec = drm_now_ns() + ns};
    return rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

struct drm_panthor_group_create rig_group_args(uint32_t vm, struct drm_panthor_queue_create *queues, uint32_t count)
{
    return (struct drm_panthor_group_create){
        .queues = RIG_ARRAY(queues, count),
        .max_compute_cores = 4,
        .max_fragment_cores = 4,
        .max_tiler_cores = 1,
        .priority = PANTHOR_GROUP_PRIORITY_MEDIUM,
        .compute_core_mask = 0x50005,
        .fragment_core_mask = 0x50005,
        .tiler_core_mask = 1,
        .vm_id = vm,
    };
}

uint32_t rig_group(struct rig *rig, uint32_t vm, uint32_t count)
{
    struct drm_panthor_queue_create queues[MALI_QUEUE_COUNT];
    for (uint32_t i = 0; i < count; i++)
        queues[i] = (struct drm_panthor_queue_create){.priority = 1, .ringbuf_size = 4096};
    struct drm_panthor_group_create args = rig_group_args(vm, queues, count);
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_PANTHOR_GROUP_CREATE, &args), 0);
    assert_int_not_equal(args.group_handle, 0);
    return args.group_handle;
}

struct drm_panthor_group_get_state rig_state(struct rig *rig, uint32_t group)
{
    struct drm_panthor_group_get_state args = {.group_handle = group};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_PANTHOR_GROUP_GET_STATE, &args), 0);
    return args;
}

bool rig_read(struct rig *rig, uint32_t id, uint64_t va, uint64_t *value_out)
{
    struct mali_vm *vm = mali_vm_find(rig->file, id);
    assert_non_null(vm);
    bool is_mapped = gpu_mem_read64(&vm->vm.space, va, value_out);
    drm_vm_unref(&vm->vm);
    return is_mapped;
}

/* ---- opening ---- */

struct rig rig_open(void)
{
    struct rig rig = {0};
    assert_int_equal(mali_file_open(rig_device, KERNEL_NODE_RENDER, &rig.file), 0);
    rig.vm = rig_vm(&rig, 0);
    rig.bo = rig_bo(&rig, 2 * PAGE, 0, 0);
    rig.memory = rig_map(&rig, rig.bo, 2 * PAGE);
    assert_int_equal(
        rig_bind(&rig, rig.vm, (struct drm_panthor_vm_bind_op){.bo_handle = rig.bo, .va = PLACE, .size = 2 * PAGE}), 0);
    rig.group = rig_group(&rig, rig.vm, 3);
    return rig;
}

void rig_close(struct rig *rig)
{
    rig_unmap(rig->memory, 2 * PAGE);
    mali_file_close(rig->file);
}

/* ---- streams ---- */

uint64_t rig_begin(struct rig *rig)
{
    rig->used_words = (rig->used_words + 7) & ~7u;
    return PLACE + rig->used_words * 8ull;
}

void rig_put(struct rig *rig, uint64_t word)
{
    assert_true(rig->used_words < PAGE / 8);
    rig->memory[rig->used_words++] = word;
}

void rig_store(struct rig *rig, uint64_t va, uint32_t value)
{
    rig_put(rig, MALI_CS(MOVE, .DESTINATION = 10, .IMMEDIATE = va));
    rig_put(rig, MALI_CS(MOVE32, .DESTINATION = 12, .IMMEDIATE = value));
    rig_put(rig, MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = 12, .MASK = 1, .ADDRESS = 10));
}

struct drm_panthor_queue_submit rig_stream(const struct rig *rig, uint32_t queue, uint64_t va)
{
    return (struct drm_panthor_queue_submit){
        .queue_index = queue, .stream_addr = va, .stream_size = (uint32_t)(PLACE + rig->used_words * 8ull - va)};
}

int rig_submit(struct rig *rig, uint32_t group, struct drm_panthor_queue_submit *submits, uint32_t count)
{
    struct drm_panthor_group_submit args = {.group_handle = group, .queue_submits = RIG_ARRAY(submits, count)};
    return rig_ioctl(rig, DRM_IOCTL_PANTHOR_GROUP_SUBMIT, &args);
}

void rig_run(struct rig *rig, uint32_t group, struct drm_panthor_queue_submit submit)
{
    uint32_t done = rig_syncobj(rig, false);
    struct drm_panthor_sync_op op = rig_sync_signal(done, 0);
    submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
    assert_int_equal(rig_submit(rig, group, &submit, 1), 0);
    assert_int_equal(rig_wait(rig, done, 0, MINUTE_NS), 0);
}
