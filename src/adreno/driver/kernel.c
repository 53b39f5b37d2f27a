/* The open file: what the kernel says of the chip and of the address space; submit queues and submissions. */
#include "adreno/driver/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ---- */

static int get_param(struct kernel_file *file, enum msm_param param, uint64_t *value_out)
{
    struct drm_msm_param args = {.pipe = MSM_PIPE_3D0, .param = param};
    int error = kernel_ioctl(file, DRM_IOCTL_MSM_GET_PARAM, &args);
    if (!error)
        *value_out = args.value;
    return error;
}

int adreno_kernel_get(struct adreno_kernel *kernel, enum msm_param param, uint64_t *value_out)
{
    return get_param(kernel->file, param, value_out);
}

static int query(struct kernel_file *file, struct adreno_kernel *kernel)
{
    uint64_t priorities = 1;
    int error = get_param(file, MSM_PARAM_CHIP_ID, &kernel->chip_id);
    if (!error)
        error = get_param(file, MSM_PARAM_GMEM_SIZE, &kernel->gmem_size_B);
    if (!error)
        error = get_param(file, MSM_PARAM_GMEM_BASE, &kernel->gmem_base);
    if (!error)
        error = get_param(file, MSM_PARAM_PRIORITIES, &priorities);
    kernel->priorities = (uint32_t)priorities;
    if (!error && (get_param(file, MSM_PARAM_VA_START, &kernel->va_start) ||
                   get_param(file, MSM_PARAM_VA_SIZE, &kernel->va_size_B)))
        error = -ENOTSUP;
    return error;
}

int adreno_kernel_open(struct kernel_file *file, struct adreno_kernel **kernel_out)
{
    struct adreno_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return -ENOMEM;
    int error = query(file, kernel);
    if (!error)
        error = vk_va_init(&kernel->va, kernel->va_start, kernel->va_start + kernel->va_size_B);
    if (error) {
        free(kernel);
        return error;
    }
    kernel->file = file;
    vk_gem_file_init(&kernel->gems, file, &adreno_gem_ops);
    *kernel_out = kernel;
    return 0;
}

void adreno_kernel_close(struct adreno_kernel *kernel)
{
    vk_va_finish(&kernel->va);
    vk_gem_file_finish(&kernel->gems);
    array_finish(&kernel->named);
    array_finish(&kernel->named_bos);
    array_finish(&kernel->lazies);
    kernel_close(kernel->file);
    free(kernel);
}

/* ---- submit queues ---- */

int adreno_submitqueue_create(struct adreno_kernel *kernel, uint32_t priority, uint32_t *id_out)
{
    struct drm_msm_submitqueue args = {.prio = priority};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_SUBMITQUEUE_NEW, &args);
    if (!error)
        *id_out = args.id;
    return error;
}

void adreno_submitqueue_destroy(struct adreno_kernel *kernel, uint32_t id)
{
    kernel_ioctl(kernel->file, DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, &id);
}

int adreno_submitqueue_faults(struct adreno_kernel *kernel, uint32_t id, uint64_t *count_out)
{
    uint32_t count = 0;
    struct drm_msm_submitqueue_query args = {
        .data = (uintptr_t)&count, .id = id, .param = MSM_SUBMITQUEUE_PARAM_FAULTS, .len = sizeof(count)};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, &args);
    *count_out = count;
    return error;
}

/* ---- submissions ---- */

enum {
    STACK_PIECES = 16
};

static int submit_locked(struct adreno_kernel *kernel, const struct adreno_submit *submit,
                         struct drm_msm_gem_submit_cmd *cmds, uint32_t *fence_out)
{
    for (uint32_t i = 0; i < submit->piece_count; i++)
        cmds[i] = (struct drm_msm_gem_submit_cmd){
            .type = MSM_SUBMIT_CMD_BUF,
            .submit_idx = submit->pieces[i].bo->named_at,
            .submit_offset = submit->pieces[i].offset_B,
            .size = submit->pieces[i].size_dw * 4,
        };
    struct drm_msm_gem_submit args = {
        .flags = MSM_PIPE_3D0 | (submit->wait_count ? MSM_SUBMIT_SYNCOBJ_IN : 0) |
                 (submit->signal_count ? MSM_SUBMIT_SYNCOBJ_OUT : 0),
        .nr_bos = kernel->named.count,
        .bos = (uintptr_t)kernel->named.data,
        .nr_cmds = submit->piece_count,
        .cmds = (uintptr_t)cmds,
        .queueid = submit->queue,
        .in_syncobjs = (uintptr_t)submit->waits,
        .out_syncobjs = (uintptr_t)submit->signals,
        .nr_in_syncobjs = submit->wait_count,
        .nr_out_syncobjs = submit->signal_count,
        .syncobj_stride = sizeof(struct drm_msm_syncobj),
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_GEM_SUBMIT, &args);
    if (!error)
        *fence_out = args.fence;
    return error;
}

int adreno_kernel_submit(struct adreno_kernel *kernel, const struct adreno_submit *submit, uint32_t *fence_out)
{
    struct drm_msm_gem_submit_cmd few[STACK_PIECES], *cmds = few;
    if (submit->piece_count > STACK_PIECES)
        cmds = malloc(submit->piece_count * sizeof(*cmds));
    if (!cmds)
        return -ENOMEM;
    /* Held over the ioctl: a buffer that is destroyed now must not be in the list any more when the kernel reads it. */
    pthread_mutex_lock(&kernel->gems.lock);
    int error = submit_locked(kernel, submit, cmds, fence_out);
    pthread_mutex_unlock(&kernel->gems.lock);
    if (cmds != few)
        free(cmds);
    return error;
}

int adreno_kernel_wait(struct adreno_kernel *kernel, uint32_t queue, uint32_t fence, uint64_t deadline_ns)
{
    struct drm_msm_wait_fence args = {
        .fence = fence,
        .queueid = queue,
        .timeout = {.tv_sec = (int64_t)(deadline_ns / 1000000000u), .tv_nsec = (int64_t)(deadline_ns % 1000000000u)},
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_MSM_WAIT_FENCE, &args);
    return error == 0 ? 1 : error == -ETIMEDOUT || error == -EBUSY ? 0 : error;
}
