/* Any sequence of ioctls on the panthor kernel model (tests/fuzz/fuzz_ioctl.h). */
#include <errno.h>
#include <stdlib.h>

#include "fuzz_ioctl.h"
#include "mali/model/kernel/kernel_types.h"
#include "util/bits.h"

/* A word of a stream that is all ones is a fault; one that is one less asks for a chunk of the heap that the word after
 * it names. */
static int run_stream(struct drm_engine_job *job)
{
    const struct mali_work *work = job->work;
    uint64_t word = 0, link;
    for (uint32_t at_B = 0; at_B < MIN2(work->ring_B, 4096u); at_B += 8) {
        if (!gpu_mem_read64(job->space, work->ring_va + at_B, &word))
            return -EFAULT;
    }
    for (uint32_t at_B = 0; at_B < MIN2(work->stream_B, 512u); at_B += 8) {
        if (!gpu_mem_read64(job->space, work->stream_va + at_B, &word) || word == UINT64_MAX)
            return -EFAULT;
        if (word == UINT64_MAX - 1 && gpu_mem_read64(job->space, work->stream_va + at_B + 8, &word))
            work->grow_heap(job, word, (uint32_t)word & 3, 0, &link);
    }
    return 0;
}

static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    int error = run_stream(job);
    job->finished(job, &(const struct drm_engine_result){error, error ? "a fault" : NULL});
}

const struct drm_engine_ops mali_engine_ops = FUZZ_ENGINE(engine_submit);

#define ARRAY_AT(type, field) (FUZZ_AT(type, field) + offsetof(struct drm_panthor_obj_array, array))

static const struct fuzz_call calls[] = {
    {DRM_IOCTL_PANTHOR_DEV_QUERY, {FUZZ_AT(drm_panthor_dev_query, pointer)}},
    {DRM_IOCTL_PANTHOR_VM_CREATE, {0}},
    {DRM_IOCTL_PANTHOR_VM_DESTROY, {0}},
    {DRM_IOCTL_PANTHOR_VM_BIND, {ARRAY_AT(drm_panthor_vm_bind, ops)}},
    {DRM_IOCTL_PANTHOR_VM_BIND, {ARRAY_AT(drm_panthor_vm_bind, ops)}},
    {DRM_IOCTL_PANTHOR_VM_GET_STATE, {0}},
    {DRM_IOCTL_PANTHOR_BO_CREATE, {0}},
    {DRM_IOCTL_PANTHOR_BO_CREATE, {0}},
    {DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, {0}},
    {DRM_IOCTL_PANTHOR_GROUP_CREATE, {ARRAY_AT(drm_panthor_group_create, queues)}},
    {DRM_IOCTL_PANTHOR_GROUP_DESTROY, {0}},
    {DRM_IOCTL_PANTHOR_GROUP_SUBMIT, {ARRAY_AT(drm_panthor_group_submit, queue_submits)}},
    {DRM_IOCTL_PANTHOR_GROUP_SUBMIT, {ARRAY_AT(drm_panthor_group_submit, queue_submits)}},
    {DRM_IOCTL_PANTHOR_GROUP_GET_STATE, {0}},
    {DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, {0}},
    {DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, {0}},
    {DRM_IOCTL_PANTHOR_BO_SET_LABEL, {FUZZ_AT(drm_panthor_bo_set_label, label)}},
    {DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, {0}},
    {DRM_IOCTL_PANTHOR_BO_SYNC, {ARRAY_AT(drm_panthor_bo_sync, ops)}},
    {DRM_IOCTL_PANTHOR_BO_QUERY_INFO, {0}},
    FUZZ_COMMON_CALLS,
};

static struct drm_device *create_device(void)
{
    struct mali_device *device = NULL;
    return mali_device_create("mali-g610", &mali_engine_ops, &device) ? NULL : &device->drm;
}

static struct drm_file *open_file(struct drm_device *device, enum kernel_node node)
{
    struct mali_file *file = NULL;
    return mali_file_open((struct mali_device *)device, node, &file) ? NULL : &file->file;
}

static void tame_request(unsigned long request, void *data)
{
    struct drm_panthor_tiler_heap_create *heap = data;
    if (request == DRM_IOCTL_PANTHOR_BO_CREATE)
        ((struct drm_panthor_bo_create *)data)->size &= 0xfffff;
    if (request == DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE)
        heap->initial_chunk_count &= 7;
}

static bool map_offset(struct drm_file *file, uint32_t handle, uint64_t *offset_B_out)
{
    struct drm_panthor_bo_mmap_offset args = {.handle = handle};
    if (drm_file_ioctl(file, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &args))
        return false;
    *offset_B_out = args.offset;
    return true;
}

const struct fuzz_family fuzz_family = {calls, ARRAY_SIZE(calls), create_device, open_file, tame_request,
                                        NULL,  map_offset};
