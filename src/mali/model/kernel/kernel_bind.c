/* VM_BIND: at once, one operation after the other; or as jobs of the bind ring (model/drm/drm_bind.h) in the order of
 * their address space, each with what it waits for and signals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "util/bits.h"

#define MAP_FLAGS                                                                                                      \
    (DRM_PANTHOR_VM_BIND_OP_MAP_READONLY | DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC | DRM_PANTHOR_VM_BIND_OP_MAP_UNCACHED)

/* ---- what an operation is ---- */

static unsigned perms_of(uint32_t flags)
{
    return GPU_PERM_READ | (flags & DRM_PANTHOR_VM_BIND_OP_MAP_READONLY ? 0u : GPU_PERM_WRITE) |
           (flags & DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC ? 0u : GPU_PERM_EXEC);
}

static int check_map(const struct mali_vm *vm, const struct drm_panthor_vm_bind_op *op, struct drm_gem *gem)
{
    if (op->flags & ~(MAP_FLAGS | DRM_PANTHOR_VM_BIND_OP_TYPE_MASK))
        return -EINVAL;
    if (op->size > gem->size_B || op->bo_offset > gem->size_B - op->size)
        return -EINVAL;
    return mali_bo(gem)->is_exclusive && gem->exclusive_vm != &vm->vm ? -EINVAL : 0;
}

/* The bind of an operation; of a map, with a reference to its buffer. */
static int prepare_map(struct drm_file *file, const struct mali_vm *vm, const struct drm_panthor_vm_bind_op *op,
                       struct drm_bind *bind_out)
{
    struct drm_gem *gem = drm_gem_find(file, op->bo_handle);
    if (!gem)
        return -EINVAL;
    int error = check_map(vm, op, gem);
    if (error) {
        drm_gem_unref(gem);
        return error;
    }
    bind_out->mapping.gem = gem;
    bind_out->mapping.offset_B = op->bo_offset;
    bind_out->mapping.perms = perms_of(op->flags);
    return 0;
}

static int prepare_bind(struct drm_file *file, const struct mali_vm *vm, const struct drm_panthor_vm_bind_op *op,
                        struct drm_bind *bind_out)
{
    *bind_out = (struct drm_bind){.mapping = {.va = op->va, .size_B = op->size}};
    if ((op->va | op->size | op->bo_offset) & (gpu_space_granularity_B() - 1))
        return -EINVAL;
    if ((op->flags & DRM_PANTHOR_VM_BIND_OP_TYPE_MASK) == DRM_PANTHOR_VM_BIND_OP_TYPE_MAP)
        return prepare_map(file, vm, op, bind_out);
    if (op->flags & ~DRM_PANTHOR_VM_BIND_OP_TYPE_MASK || op->bo_handle || op->bo_offset)
        return -EINVAL;
    switch (op->flags & DRM_PANTHOR_VM_BIND_OP_TYPE_MASK) {
    case DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP:
        bind_out->is_unmap = true;
        return 0;
    case DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY:
        return op->va || op->size || !op->syncs.count ? -EINVAL : 0;
    default:
        return -EINVAL;
    }
}

/* ---- at once ---- */

static int run_now(struct drm_file *file, struct mali_vm *vm, const struct drm_panthor_vm_bind_op *op)
{
    if (op->syncs.count)
        return -EINVAL;
    if (!op->size)
        return 0;
    struct drm_bind bind;
    int error = prepare_bind(file, vm, op, &bind);
    if (error)
        return error;
    if (bind.mapping.gem && (atomic_load(&vm->is_unusable) || atomic_load(&vm->is_destroyed)))
        error = -EINVAL;
    else if (!gpu_space_contains(&vm->vm.space, op->va, op->size))
        error = -EINVAL;
    else
        error = drm_bind_run(&vm->vm, &bind);
    drm_gem_unref(bind.mapping.gem);
    return error;
}

static int bind_now(struct drm_file *file, struct mali_vm *vm, struct drm_panthor_vm_bind *args,
                    const struct drm_panthor_vm_bind_op *ops)
{
    const uint32_t count = args->ops.count;
    for (uint32_t i = 0; i < count; i++) {
        int error = run_now(file, vm, &ops[i]);
        if (error) {
            args->ops.count = i; /* where it ended */
            return error;
        }
    }
    return 0;
}

/* ---- later ---- */

static void destroy_bind_context(struct mali_context *context)
{
    free(context);
}

/* bind_lock is held. */
static int begin_binds(struct mali_vm *vm)
{
    if (atomic_load(&vm->is_destroyed) || atomic_load(&vm->is_unusable))
        return -EINVAL;
    if (vm->bind)
        return 0;
    struct mali_bind_context *bind = calloc(1, sizeof(*bind));
    if (!bind)
        return -ENOMEM;
    bind->base.destroy = destroy_bind_context;
    int error = drm_context_init(&bind->base.context, vm->vm.device, &vm->vm, 0);
    if (error) {
        free(bind);
        return error;
    }
    drm_queue_init(&bind->queue, &bind->base.context, MALI_RING_BIND);
    vm->bind = bind;
    return 0;
}

/* Submitted work goes on; it has references of its own. */
void mali_bind_end(struct mali_vm *vm)
{
    pthread_mutex_lock(&vm->bind_lock);
    struct mali_bind_context *bind = vm->bind;
    vm->bind = NULL;
    pthread_mutex_unlock(&vm->bind_lock);
    if (bind)
        drm_context_unref(&bind->base.context);
}

static int add_op(struct mali_batch *batch, struct mali_vm *vm, const struct drm_panthor_vm_bind_op *op)
{
    struct mali_job *job = (struct mali_job *)drm_job_create(&mali_job_ops, &vm->bind->queue);
    if (!job)
        return -ENOMEM;
    int error = prepare_bind(batch->file, vm, op, &job->bind);
    if (!error && job->bind.mapping.gem &&
        !array_push(&job->job.uses.uses, (struct drm_use){job->bind.mapping.gem, DRM_USE_READ | DRM_USE_NO_WAIT})) {
        drm_gem_unref(job->bind.mapping.gem);
        error = -ENOMEM;
    }
    if (error) {
        drm_job_destroy(&job->job);
        return error;
    }
    job->job.seq = ++vm->bind->seqno;
    return mali_batch_add(batch, job, &op->syncs);
}

static int bind_later(struct drm_file *file, struct mali_vm *vm, const struct drm_panthor_vm_bind *args,
                      const struct drm_panthor_vm_bind_op *ops)
{
    struct mali_batch batch = {.file = file};
    pthread_mutex_lock(&vm->bind_lock);
    int error = begin_binds(vm);
    for (uint32_t i = 0; i < args->ops.count && !error; i++)
        error = add_op(&batch, vm, &ops[i]);
    if (!error)
        error = mali_batch_submit(&batch);
    mali_batch_finish(&batch);
    pthread_mutex_unlock(&vm->bind_lock);
    drm_sched_kick(file->device->sched);
    return error;
}

int mali_vm_bind_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_vm_bind *args = data;
    if (args->flags & ~DRM_PANTHOR_VM_BIND_ASYNC)
        return -EINVAL;
    struct mali_vm *vm = mali_vm_find(mali_file(file), args->vm_id);
    if (!vm)
        return -EINVAL;
    struct drm_panthor_vm_bind_op *ops = NULL;
    int error = mali_read_objects((void **)&ops, &args->ops, sizeof(*ops), sizeof(*ops));
    if (!error)
        error =
            args->flags & DRM_PANTHOR_VM_BIND_ASYNC ? bind_later(file, vm, args, ops) : bind_now(file, vm, args, ops);
    free(ops);
    drm_vm_unref(&vm->vm);
    return error;
}
