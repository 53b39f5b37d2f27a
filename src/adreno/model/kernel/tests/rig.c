/* See rig.h. */
#include "adreno/model/kernel/tests/rig.h"

#include "util/log.h"

struct adreno_device *rig_device;

int rig_setup(void **state)
{
    alarm(300);
    log_set_level(LOG_LEVEL_ERROR);
    return adreno_device_create("adreno-635", &adreno_engine_ops, &rig_device);
}

int rig_teardown(void **state)
{
    adreno_device_destroy(rig_device);
    return 0;
}

int rig_ioctl(struct rig *rig, unsigned long request, void *argument)
{
    return drm_file_ioctl(&rig->file->file, request, argument);
}

uint64_t rig_param(struct rig *rig, uint32_t param)
{
    struct drm_msm_param args = {.pipe = MSM_PIPE_3D0, .param = param};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_MSM_GET_PARAM, &args), 0);
    return args.value;
}

int rig_set_param(struct rig *rig, uint32_t param, uint64_t value, uint32_t length)
{
    struct drm_msm_param args = {.pipe = MSM_PIPE_3D0, .param = param, .value = value, .len = length};
    return rig_ioctl(rig, DRM_IOCTL_MSM_SET_PARAM, &args);
}

uint32_t rig_bo(struct rig *rig, uint64_t size_B, uint32_t flags)
{
    struct drm_msm_gem_new args = {.size = size_B, .flags = flags};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_MSM_GEM_NEW, &args), 0);
    assert_int_not_equal(args.handle, 0);
    return args.handle;
}

int rig_info(struct rig *rig, uint32_t handle, uint32_t info, uint64_t *value)
{
    struct drm_msm_gem_info args = {.handle = handle, .info = info, .value = *value};
    int error = rig_ioctl(rig, DRM_IOCTL_MSM_GEM_INFO, &args);
    *value = args.value;
    return error;
}

uint64_t rig_iova(struct rig *rig, uint32_t handle)
{
    uint64_t va = 0;
    assert_int_equal(rig_info(rig, handle, MSM_INFO_GET_IOVA, &va), 0);
    return va;
}

uint32_t *rig_map(struct rig *rig, uint32_t handle, uint64_t size_B)
{
    uint64_t offset_B = 0;
    void *memory = NULL;
    assert_int_equal(rig_info(rig, handle, MSM_INFO_GET_OFFSET, &offset_B), 0);
    assert_int_equal(
        drm_file_mmap(&rig->file->file, NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, offset_B, &memory), 0);
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

uint32_t rig_queue(struct rig *rig, uint32_t flags, uint32_t priority)
{
    struct drm_msm_submitqueue args = {.flags = flags, .prio = priority};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args), 0);
    return args.id;
}

uint32_t rig_syncobj(struct rig *rig, bool is_signaled)
{
    struct drm_syncobj_create args = {.flags = is_signaled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0u};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_CREATE, &args), 0);
    return args.handle;
}

bool rig_syncobj_is_signaled(struct rig *rig, uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_wait args = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
    return rig_ioctl(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args) == 0;
}

/* ---- opening ---- */

static struct rig open_file(void)
{
    struct rig rig = {0};
    assert_int_equal(adreno_file_open(rig_device, KERNEL_NODE_RENDER, &rig.file), 0);
    return rig;
}

static void add_buffer(struct rig *rig)
{
    rig->bo = rig_bo(rig, 2 * PAGE, MSM_BO_WC);
    rig->memory = rig_map(rig, rig->bo, 2 * PAGE);
}

struct rig rig_open(void)
{
    struct rig rig = open_file();
    add_buffer(&rig);
    rig.va = rig_iova(&rig, rig.bo);
    return rig;
}

struct rig rig_open_vm_bind(void)
{
    struct rig rig = open_file();
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_EN_VM_BIND, 1, 0), 0);
    add_buffer(&rig);
    return rig;
}

void rig_close(struct rig *rig)
{
    rig_unmap(rig->memory, 2 * PAGE);
    adreno_file_close(rig->file);
}

/* ---- streams ---- */

void rig_put(struct rig *rig, uint32_t word)
{
    assert_true(rig->used_dw < PAGE / 4);
    rig->memory[rig->used_dw++] = word;
}

static void put_va(struct rig *rig, uint64_t va)
{
    rig_put(rig, (uint32_t)va);
    rig_put(rig, (uint32_t)(va >> 32));
}

void rig_stream_begin(struct rig *rig, uint32_t *offset_B_out)
{
    *offset_B_out = rig->used_dw * 4;
}

void rig_write(struct rig *rig, uint64_t va, uint32_t value)
{
    rig_put(rig, 1);
    put_va(rig, va);
    rig_put(rig, value);
}

void rig_wait_word(struct rig *rig, uint64_t va)
{
    rig_put(rig, 3);
    put_va(rig, va);
}

void rig_add_one(struct rig *rig, uint64_t va)
{
    rig_put(rig, 5);
    put_va(rig, va);
}

int rig_submit(struct rig *rig, uint32_t offset_B, struct drm_msm_gem_submit *args)
{
    bool is_vm_bind = rig->file->vm->is_vm_bind;
    struct drm_msm_gem_submit_bo bo = {.flags = RW, .handle = rig->bo};
    struct drm_msm_gem_submit_cmd cmd = {.type = MSM_SUBMIT_CMD_BUF, .size = rig->used_dw * 4 - offset_B};
    if (is_vm_bind)
        cmd.iova = rig->va + offset_B;
    else
        cmd.submit_offset = offset_B;
    args->flags |= MSM_PIPE_3D0;
    if (!args->nr_bos && !is_vm_bind) {
        args->nr_bos = 1;
        args->bos = (uintptr_t)&bo;
    }
    if (!args->nr_cmds && cmd.size) {
        args->nr_cmds = 1;
        args->cmds = (uintptr_t)&cmd;
    }
    if (!args->syncobj_stride)
        args->syncobj_stride = sizeof(struct drm_msm_syncobj);
    return rig_ioctl(rig, DRM_IOCTL_MSM_GEM_SUBMIT, args);
}

int rig_wait(struct rig *rig, uint32_t queue, uint32_t fence, int64_t ms)
{
    int64_t until_ns = drm_now_ns() + ms * 1000000;
    struct drm_msm_wait_fence args = {.fence = fence,
                                      .queueid = queue,
                                      .timeout = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000}};
    return rig_ioctl(rig, DRM_IOCTL_MSM_WAIT_FENCE, &args);
}

uint32_t rig_faults(struct rig *rig, uint32_t queue)
{
    uint32_t faults = 0;
    struct drm_msm_submitqueue_query args = {.data = (uintptr_t)&faults, .id = queue, .len = sizeof(faults)};
    assert_int_equal(rig_ioctl(rig, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args), 0);
    return faults;
}
