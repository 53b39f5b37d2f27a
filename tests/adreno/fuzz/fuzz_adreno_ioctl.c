/* Any sequence of ioctls on the msm kernel model (tests/fuzz/fuzz_ioctl.h). */
#include <errno.h>
#include <stdlib.h>

#include "adreno/model/kernel/kernel_types.h"
#include "fuzz_ioctl.h"
#include "util/bits.h"

/* A word of a stream that is all ones is a fault. */
static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    const struct adreno_work *work = job->work;
    int error = 0;
    for (uint32_t i = 0; i < work->ib_count && !error; i++) {
        for (uint32_t at = 0; at < MIN2(work->ibs[i].size_dw, 64u) && !error; at++) {
            uint32_t word = 0;
            if (!gpu_mem_read32(job->space, work->ibs[i].va + 4ull * at, &word) || word == UINT32_MAX)
                error = -EFAULT;
        }
    }
    job->finished(job, &(const struct drm_engine_result){error, error ? "a fault" : NULL});
}

const struct drm_engine_ops adreno_engine_ops = FUZZ_ENGINE(engine_submit);

static const struct fuzz_call calls[] = {
    {DRM_IOCTL_MSM_GET_PARAM, {0}},
    {DRM_IOCTL_MSM_SET_PARAM, {FUZZ_AT(drm_msm_param, value)}},
    {DRM_IOCTL_MSM_GEM_NEW, {0}},
    {DRM_IOCTL_MSM_GEM_NEW, {0}},
    {DRM_IOCTL_MSM_GEM_INFO, {0}},
    {DRM_IOCTL_MSM_GEM_INFO, {FUZZ_AT(drm_msm_gem_info, value)}},
    {DRM_IOCTL_MSM_GEM_CPU_PREP, {0}},
    {DRM_IOCTL_MSM_GEM_CPU_FINI, {0}},
    {DRM_IOCTL_MSM_GEM_SUBMIT,
     {FUZZ_AT(drm_msm_gem_submit, bos), FUZZ_AT(drm_msm_gem_submit, cmds), FUZZ_AT(drm_msm_gem_submit, in_syncobjs)}},
    {DRM_IOCTL_MSM_GEM_SUBMIT,
     {FUZZ_AT(drm_msm_gem_submit, bos), FUZZ_AT(drm_msm_gem_submit, cmds), FUZZ_AT(drm_msm_gem_submit, out_syncobjs)}},
    {DRM_IOCTL_MSM_WAIT_FENCE, {0}},
    {DRM_IOCTL_MSM_GEM_MADVISE, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_NEW, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, {FUZZ_AT(drm_msm_submitqueue_query, data)}},
    {DRM_IOCTL_MSM_VM_BIND, {0}},
    {DRM_IOCTL_MSM_VM_BIND,
     {FUZZ_AT(drm_msm_vm_bind, ops), FUZZ_AT(drm_msm_vm_bind, in_syncobjs), FUZZ_AT(drm_msm_vm_bind, out_syncobjs)}},
    FUZZ_COMMON_CALLS,
};

static struct drm_device *create_device(void)
{
    struct adreno_device *device = NULL;
    return adreno_device_create("adreno-635", &adreno_engine_ops, &device) ? NULL : &device->drm;
}

static struct drm_file *open_file(struct drm_device *device, enum kernel_node node)
{
    struct adreno_file *file = NULL;
    return adreno_file_open((struct adreno_device *)device, node, &file) ? NULL : &file->file;
}

static void tame_request(unsigned long request, void *data)
{
    struct drm_msm_gem_submit *submit = data;
    struct drm_msm_vm_bind *bind = data;
    if (request == DRM_IOCTL_MSM_WAIT_FENCE)
        ((struct drm_msm_wait_fence *)data)->timeout.tv_sec = 0;
    if (request == DRM_IOCTL_MSM_GEM_CPU_PREP)
        ((struct drm_msm_gem_cpu_prep *)data)->timeout.tv_sec = 0;
    if (request == DRM_IOCTL_MSM_GEM_NEW)
        ((struct drm_msm_gem_new *)data)->size &= 0xfffff;
    if (request == DRM_IOCTL_MSM_GEM_SUBMIT)
        submit->fence_fd = fuzz_fd((unsigned)submit->fence_fd);
    if (request == DRM_IOCTL_MSM_VM_BIND)
        bind->fence_fd = fuzz_fd((unsigned)bind->fence_fd);
}

static void keep_handles(unsigned long request, const void *data)
{
    const struct drm_msm_gem_submit *submit = data;
    const struct drm_msm_vm_bind *bind = data;
    if (request == DRM_IOCTL_MSM_GEM_SUBMIT && submit->flags & MSM_SUBMIT_FENCE_FD_OUT)
        fuzz_keep_fd(submit->fence_fd);
    else if (request == DRM_IOCTL_MSM_VM_BIND && bind->flags & MSM_VM_BIND_FENCE_FD_OUT)
        fuzz_keep_fd(bind->fence_fd);
}

static bool map_offset(struct drm_file *file, uint32_t handle, uint64_t *offset_B_out)
{
    struct drm_msm_gem_info info = {.handle = handle};
    if (drm_file_ioctl(file, DRM_IOCTL_MSM_GEM_INFO, &info))
        return false;
    *offset_B_out = info.value;
    return true;
}

const struct fuzz_family fuzz_family = {calls,        ARRAY_SIZE(calls), create_device, open_file,
                                        tame_request, keep_handles,      map_offset};
