/* Jobs that are submitted together (see kernel_types.h). A wait for an object that some job of the batch signals, at
 * the same point, takes what is in it after the jobs before: what was there, or the last of their fences. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"

static bool is_signal(const struct drm_panthor_sync_op *op)
{
    return op->flags & DRM_PANTHOR_SYNC_OP_SIGNAL;
}

static int check_sync(const struct drm_panthor_sync_op *op)
{
    uint32_t type = op->flags & DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_MASK;
    if (op->flags & ~(DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_MASK | DRM_PANTHOR_SYNC_OP_SIGNAL) ||
        type > DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ)
        return -EINVAL;
    return type == DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ && op->timeline_value ? -EINVAL : 0;
}

int mali_batch_add(struct mali_batch *batch, struct mali_job *job, const struct drm_panthor_obj_array *syncs)
{
    struct mali_batch_entry entry = {.job = job};
    int error = mali_read_objects((void **)&entry.ops, syncs, sizeof(*entry.ops), sizeof(*entry.ops));
    if (!error) {
        entry.op_count = syncs->count;
        if (array_push(&batch->entries, entry))
            return 0;
        error = -ENOMEM;
    }
    free(entry.ops);
    drm_job_destroy(&job->job);
    return error;
}

void mali_batch_finish(struct mali_batch *batch)
{
    array_foreach (&batch->entries, entry) {
        if (entry->job)
            drm_job_destroy(&entry->job->job);
        free(entry->ops);
    }
    array_foreach (&batch->signals, signal) {
        drm_syncobj_room_finish(&signal->room);
        drm_fence_unref(signal->fence);
    }
    array_finish(&batch->entries);
    array_finish(&batch->signals);
}

/* ---- signals ---- */

static struct mali_signal *find_signal(struct mali_batch *batch, const struct drm_panthor_sync_op *op)
{
    array_foreach (&batch->signals, signal) {
        if (signal->handle == op->handle && signal->point == op->timeline_value)
            return signal;
    }
    return NULL;
}

static int add_signal(struct mali_batch *batch, const struct drm_panthor_sync_op *op)
{
    int error = check_sync(op);
    if (error || find_signal(batch, op))
        return error;
    struct mali_signal signal = {.handle = op->handle, .point = op->timeline_value};
    struct drm_syncobj *object = drm_syncobj_find(&batch->file->syncobjs, op->handle);
    if (!object)
        return -EINVAL;
    error = drm_syncobj_find_fence(object, signal.point, &signal.fence);
    if (error == -EINVAL) /* nothing has been put there */
        error = 0;
    if (!error)
        error = drm_syncobj_prepare(object, &signal.room);
    drm_syncobj_unref(object);
    if (!error && array_push(&batch->signals, signal))
        return 0;
    drm_syncobj_room_finish(&signal.room);
    drm_fence_unref(signal.fence);
    return error ? error : -ENOMEM;
}

static int collect_signals(struct mali_batch *batch)
{
    int error = 0;
    array_foreach (&batch->entries, entry) {
        for (uint32_t i = 0; i < entry->op_count && !error; i++)
            error = is_signal(&entry->ops[i]) ? add_signal(batch, &entry->ops[i]) : 0;
    }
    return error;
}

static void publish_batch(struct mali_batch *batch)
{
    array_foreach (&batch->signals, signal)
        drm_syncobj_put(&signal->room, signal->fence, signal->point);
}

/* ---- waits ---- */

/* A new reference. */
static int find_wait(struct mali_batch *batch, const struct drm_panthor_sync_op *op, struct drm_fence **fence_out)
{
    const struct mali_signal *signal = find_signal(batch, op);
    if (signal) {
        if (!signal->fence)
            return -EINVAL; /* only a later job signals it */
        *fence_out = drm_fence_ref(signal->fence);
        return 0;
    }
    struct drm_syncobj *object = drm_syncobj_find(&batch->file->syncobjs, op->handle);
    if (!object)
        return -ENOENT;
    int error = drm_syncobj_find_fence(object, op->timeline_value, fence_out);
    drm_syncobj_unref(object);
    return error;
}

static int depend_on_entry(struct mali_batch *batch, const struct mali_batch_entry *entry)
{
    struct drm_job *job = &entry->job->job;
    for (uint32_t i = 0; i < entry->op_count; i++) {
        if (is_signal(&entry->ops[i]))
            continue;
        struct drm_fence *fence = NULL;
        int error = check_sync(&entry->ops[i]);
        if (!error)
            error = find_wait(batch, &entry->ops[i], &fence);
        if (!error)
            error = drm_job_depend(job, fence);
        drm_fence_unref(fence);
        if (error)
            return error;
    }
    for (uint32_t i = 0; i < entry->op_count; i++) {
        if (is_signal(&entry->ops[i])) {
            struct mali_signal *signal = find_signal(batch, &entry->ops[i]);
            drm_fence_unref(signal->fence);
            signal->fence = drm_fence_ref(job->fence);
        }
    }
    return 0;
}

static void queue_job(struct mali_batch_entry *entry)
{
    struct drm_job *job = &entry->job->job;
    mali_group_take_slot(entry->job);
    entry->job = NULL; /* the scheduler's */
    drm_sched_queue(job->context->device->sched, job);
}

int mali_batch_submit(struct mali_batch *batch)
{
    int error = collect_signals(batch);
    array_foreach (&batch->entries, entry)
        error = error ? error : depend_on_entry(batch, entry);
    if (error)
        return error;
    array_foreach (&batch->entries, entry)
        queue_job(entry);
    publish_batch(batch);
    return 0;
}
