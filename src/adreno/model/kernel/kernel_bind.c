/* VM_BIND: addresses that user space manages. Binds are jobs of a ring of their own (model/drm/drm_bind.h), so that
 * they can wait for fences and be waited for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/log.h"

#define MAX_OPS (1u << 20)

struct parser {
    struct adreno_file *file;
    const struct drm_msm_vm_bind *args;
    struct adreno_vm *vm;
    struct adreno_queue *queue; /* a reference; its lock is held */
    struct adreno_sync sync;
    struct adreno_job *job;
    int out_fd;
};

static int check_op(const struct parser *parser, const struct drm_msm_vm_bind_op *op)
{
    const uint64_t mask = gpu_space_granularity_B() - 1;
    if (op->flags & ~MSM_VM_BIND_OP_DUMP || op->op > MSM_VM_BIND_OP_MAP_NULL)
        return -EINVAL;
    if ((op->iova | op->obj_offset | op->range) & mask)
        return -EINVAL;
    if (op->range && !gpu_space_contains(&parser->vm->vm.space, op->iova, op->range))
        return -EINVAL;
    return (op->op == MSM_VM_BIND_OP_MAP) == (op->handle != 0) ? 0 : -EINVAL;
}

static int add_op(struct parser *parser, const struct drm_msm_vm_bind_op *op)
{
    int error = check_op(parser, op);
    if (error || !op->range)
        return error;
    struct drm_bind bind = {.is_unmap = op->op == MSM_VM_BIND_OP_UNMAP,
                            .mapping = {.va = op->iova, .size_B = op->range}};
    if (op->op == MSM_VM_BIND_OP_MAP) {
        struct drm_gem *gem = drm_gem_find(&parser->file->file, op->handle);
        if (!gem)
            return -EINVAL;
        if (!array_push(&parser->job->job.uses.uses, (struct drm_use){gem, DRM_USE_READ | DRM_USE_NO_WAIT})) {
            drm_gem_unref(gem);
            return -ENOMEM;
        }
        if (op->obj_offset > gem->size_B || op->range > gem->size_B - op->obj_offset)
            return -EINVAL;
        if (atomic_load(&adreno_bo(gem)->madv) != MSM_MADV_WILLNEED)
            return -EBUSY;
        bind.mapping.gem = gem;
        bind.mapping.offset_B = op->obj_offset;
        bind.mapping.perms = adreno_gem_perms(gem);
        bind.mapping.flags = op->flags & MSM_VM_BIND_OP_DUMP ? ADRENO_USE_DUMP : 0;
    }
    return array_push(&parser->job->binds, bind) ? 0 : -ENOMEM;
}

static int read_ops(struct parser *parser)
{
    const struct drm_msm_vm_bind *args = parser->args;
    if (args->nr_ops == 1)
        return add_op(parser, &args->op);
    struct drm_msm_vm_bind_op *ops = NULL;
    int error = args->nr_ops > MAX_OPS ? -ENOMEM
                                       : drm_copy_array_from_user((void **)&ops, args->ops, args->nr_ops, sizeof(*ops));
    for (uint32_t i = 0; i < args->nr_ops && !error; i++)
        error = add_op(parser, &ops[i]);
    free(ops);
    return error;
}

static int parse_binds(struct parser *parser)
{
    const struct drm_msm_vm_bind *args = parser->args;
    const struct adreno_sync_args sync = {args->in_syncobjs, args->out_syncobjs, args->nr_in_syncobjs,
                                          args->nr_out_syncobjs, args->syncobj_stride};
    int error = adreno_queue_prepare(parser->file, parser->queue);
    if (!error && args->flags & MSM_VM_BIND_FENCE_FD_IN)
        error = adreno_sync_wait_fd(&parser->sync, args->fence_fd);
    if (!error && args->in_syncobjs)
        error = adreno_sync_read_in(&parser->sync, &parser->file->file, &sync);
    if (!error && args->out_syncobjs)
        error = adreno_sync_read_out(&parser->sync, &parser->file->file, &sync);
    if (error)
        return error;
    parser->job = (struct adreno_job *)drm_job_create(&adreno_job_ops, &parser->queue->context->queue);
    error = parser->job ? read_ops(parser) : -ENOMEM;
    return error ? error : adreno_sync_depend(&parser->sync, &parser->job->job);
}

static int submit_binds(struct parser *parser)
{
    struct drm_job *job = &parser->job->job;
    struct drm_fence *done = drm_fence_ref(job->fence);
    int error = 0;
    if (parser->args->flags & MSM_VM_BIND_FENCE_FD_OUT) {
        parser->out_fd = drm_sync_file_export(done);
        error = parser->out_fd < 0 ? parser->out_fd : 0;
    }
    if (!error) {
        job->seq = ++parser->queue->last_fence;
        parser->job = NULL; /* the scheduler's */
        drm_sched_queue(parser->file->device->drm.sched, job);
        adreno_sync_publish(&parser->sync, done);
    }
    drm_fence_unref(done);
    return error;
}

static void parser_finish(struct parser *parser, int error)
{
    if (error && parser->out_fd >= 0)
        close(parser->out_fd);
    if (parser->job)
        drm_job_destroy(&parser->job->job);
    adreno_sync_finish(&parser->sync);
}

int adreno_vm_bind_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_vm_bind *args = data;
    struct parser parser = {.file = adreno_file(file), .args = args, .out_fd = -1};
    parser.vm = adreno_file_vm(parser.file);
    if (!parser.vm)
        return -ENOMEM;
    if (atomic_load(&parser.vm->is_unusable))
        return -EPIPE;
    if (!parser.vm->is_vm_bind || args->flags & ~(MSM_VM_BIND_FENCE_FD_IN | MSM_VM_BIND_FENCE_FD_OUT))
        return -EINVAL;
    parser.queue = adreno_queue_find(parser.file, args->queue_id);
    if (!parser.queue)
        return -ENOENT;
    pthread_mutex_lock(&parser.queue->lock);
    int error = parser.queue->flags & MSM_SUBMITQUEUE_VM_BIND ? parse_binds(&parser) : -EINVAL;
    if (!error)
        error = submit_binds(&parser);
    parser_finish(&parser, error);
    pthread_mutex_unlock(&parser.queue->lock);
    adreno_queue_unref(parser.queue);
    drm_sched_kick(parser.file->device->drm.sched);
    if (!error && parser.out_fd >= 0)
        args->fence_fd = parser.out_fd;
    return error;
}
