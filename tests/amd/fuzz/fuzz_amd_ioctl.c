/* Any sequence of ioctls on the amdgpu kernel model (tests/fuzz/fuzz_ioctl.h). */
#include <errno.h>
#include <stdlib.h>

#include "amd/model/cp/engine.h"
#include "amd/model/kernel/kernel_types.h"
#include "fuzz_ioctl.h"
#include "util/bits.h"

/* A word of a stream that is all ones is a fault. */
static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    const struct amd_engine_work *work = amd_engine_work(job);
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

static const struct drm_engine_ops engine_ops = FUZZ_ENGINE(engine_submit);

const struct drm_engine_ops *amd_engine_default(void)
{
    return &engine_ops;
}

#define IN_AT(type, field) (offsetof(union type, in.field) + 1)

static const struct fuzz_call calls[] = {
    {DRM_IOCTL_AMDGPU_GEM_CREATE, {0}},
    {DRM_IOCTL_AMDGPU_GEM_MMAP, {0}},
    {DRM_IOCTL_AMDGPU_GEM_VA, {0}},
    {DRM_IOCTL_AMDGPU_CTX, {0}},
    {DRM_IOCTL_AMDGPU_CS, {IN_AT(drm_amdgpu_cs, chunks)}},
    {DRM_IOCTL_AMDGPU_BO_LIST, {IN_AT(drm_amdgpu_bo_list, bo_info_ptr)}},
    {DRM_IOCTL_AMDGPU_INFO, {FUZZ_AT(drm_amdgpu_info, return_pointer)}},
    {DRM_IOCTL_AMDGPU_GEM_METADATA, {0}},
    {DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, {0}},
    {DRM_IOCTL_AMDGPU_WAIT_CS, {0}},
    {DRM_IOCTL_AMDGPU_GEM_OP, {FUZZ_AT(drm_amdgpu_gem_op, value)}},
    {DRM_IOCTL_AMDGPU_GEM_USERPTR, {FUZZ_AT(drm_amdgpu_gem_userptr, addr)}},
    {DRM_IOCTL_AMDGPU_WAIT_FENCES, {IN_AT(drm_amdgpu_wait_fences, fences)}},
    {DRM_IOCTL_AMDGPU_VM, {0}},
    {DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, {0}},
    {DRM_IOCTL_AMDGPU_SCHED, {0}},
    FUZZ_COMMON_CALLS,
};

static struct drm_device *create_device(void)
{
    struct amd_device *device = NULL;
    return amd_device_create("navi21", &engine_ops, &device) ? NULL : &device->drm;
}

static struct drm_file *open_file(struct drm_device *device, enum kernel_node node)
{
    struct amd_file *file = NULL;
    return amd_file_open((struct amd_device *)device, node, &file) ? NULL : &file->file;
}

static void tame_request(unsigned long request, void *data)
{
    if (request == DRM_IOCTL_AMDGPU_GEM_CREATE)
        ((union drm_amdgpu_gem_create *)data)->in.bo_size &= 0xfffff;
    if (request == DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE)
        ((union drm_amdgpu_gem_wait_idle *)data)->in.timeout = 0;
    if (request == DRM_IOCTL_AMDGPU_WAIT_CS)
        ((union drm_amdgpu_wait_cs *)data)->in.timeout = 0;
    if (request == DRM_IOCTL_AMDGPU_WAIT_FENCES)
        ((union drm_amdgpu_wait_fences *)data)->in.timeout_ns = 0;

    if (request == DRM_IOCTL_AMDGPU_GEM_USERPTR)
        ((struct drm_amdgpu_gem_userptr *)data)->size &= 0xfff;
    if (request == DRM_IOCTL_AMDGPU_SCHED)
        ((union drm_amdgpu_sched *)data)->in.fd = (uint32_t)fuzz_fd(((union drm_amdgpu_sched *)data)->in.fd);
}

static void keep_handles(unsigned long request, const void *data)
{
    const union drm_amdgpu_fence_to_handle *fence = data;
    if (request == DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE && fence->in.what != AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ)
        fuzz_keep_fd((int)fence->out.handle);
}

static bool map_offset(struct drm_file *file, uint32_t handle, uint64_t *offset_B_out)
{
    union drm_amdgpu_gem_mmap args = {.in = {.handle = handle}};
    if (drm_file_ioctl(file, DRM_IOCTL_AMDGPU_GEM_MMAP, &args))
        return false;
    *offset_B_out = args.out.addr_ptr;
    return true;
}

const struct fuzz_family fuzz_family = {calls,        ARRAY_SIZE(calls), create_device, open_file,
                                        tame_request, keep_handles,      map_offset};
