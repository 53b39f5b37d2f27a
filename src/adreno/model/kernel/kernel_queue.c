/* Submit queues: what a process submits to, with a priority, numbers to wait for and a count of faults. A queue of
 * which a job was lost stays lost; the others go on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

/* Number 0 is there without being asked for. */
static uint32_t default_priority(const struct adreno_chip *chip)
{
    return chip->priorities / 2;
}

static struct adreno_queue *queue_new(uint32_t id, uint32_t flags, uint32_t priority)
{
    struct adreno_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return NULL;
    atomic_init(&queue->refs, 1);
    queue->id = id;
    queue->flags = flags;
    queue->priority = priority;
    pthread_mutex_init(&queue->lock, NULL);
    return queue;
}

void adreno_queue_unref(struct adreno_queue *queue)
{
    if (!queue || atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = queue->first_fence; i < queue->fences.count; i++)
        drm_fence_unref(queue->fences.data[i].fence);
    array_finish(&queue->fences);
    map64_finish(&queue->fence_ids);
    if (queue->context)
        drm_context_unref(&queue->context->context);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

void adreno_context_destroy(struct drm_context *base)
{
    struct adreno_context *context = (struct adreno_context *)base;
    free(context->comm);
    free(context->cmdline);
    free(context);
}

/* The program's names, for dumps: a job may outlive its file. */
static void copy_names(struct adreno_context *context, struct adreno_file *file)
{
    pthread_mutex_lock(&file->file.lock);
    context->comm = file->comm ? strdup(file->comm) : NULL;
    context->cmdline = file->cmdline ? strdup(file->cmdline) : NULL;
    pthread_mutex_unlock(&file->file.lock);
}

/* file.lock is held. */
static struct adreno_queue *add_queue(struct adreno_file *file, uint32_t flags, uint32_t priority)
{
    struct adreno_queue *queue = queue_new(file->next_queue, flags, priority);
    if (queue && !map64_set(&file->queues, queue->id, (uintptr_t)queue)) {
        adreno_queue_unref(queue);
        queue = NULL;
    }
    if (queue)
        file->next_queue++;
    return queue;
}

static bool add_default_queue(struct adreno_file *file)
{
    return file->next_queue || add_queue(file, 0, default_priority(file->device->chip));
}

struct adreno_queue *adreno_queue_find(struct adreno_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->file.lock);
    const uint64_t *found = add_default_queue(file) ? map64_get(&file->queues, id) : NULL;
    struct adreno_queue *queue = found ? (struct adreno_queue *)(uintptr_t)*found : NULL;
    if (queue)
        atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&file->file.lock);
    return queue;
}

/* Work of a closed file gets a second to end by itself, as in the kernel. */
void adreno_queue_close_all(struct adreno_file *file)
{
    int64_t deadline_ns = drm_now_ns() + 1000000000;
    struct drm_sched *sched = file->device->drm.sched;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&file->queues, slot));) {
        struct adreno_queue *queue = (struct adreno_queue *)(uintptr_t)slot->value;
        struct drm_context *context = queue->context ? &queue->context->context : NULL;
        if (context && !drm_sched_wait_context(sched, context, deadline_ns)) {
            drm_sched_kill_context(sched, context);
            drm_sched_wait_context(sched, context, drm_now_ns() + 1000000000);
        }
        adreno_queue_unref(queue);
    }
    map64_finish(&file->queues);
}

int adreno_queue_prepare(struct adreno_file *file, struct adreno_queue *queue)
{
    if (queue->context)
        return 0;
    struct adreno_vm *vm = adreno_file_vm(file);
    struct adreno_context *context = vm ? calloc(1, sizeof(*context)) : NULL;
    if (!context)
        return -ENOMEM;
    int error = drm_context_init(&context->context, &file->device->drm, &vm->vm, -(int32_t)queue->priority);
    if (error) {
        free(context);
        return error;
    }
    context->context.id = queue->id;
    context->file_number = file->number;
    copy_names(context, file);
    drm_queue_init(&context->queue, &context->context, queue->flags & MSM_SUBMITQUEUE_VM_BIND ? ADRENO_RING_BIND : 0);
    queue->context = context;
    return 0;
}

/* ---- ioctls ---- */

static int check_new(struct adreno_file *file, const struct drm_msm_submitqueue *args)
{
    if (args->flags & ~MSM_SUBMITQUEUE_FLAGS)
        return -EINVAL;
    if (args->flags & MSM_SUBMITQUEUE_VM_BIND) {
        const struct adreno_vm *vm = adreno_file_vm(file);
        if (!vm)
            return -ENOMEM;
        return vm->is_vm_bind && !args->prio ? 0 : -EINVAL;
    }
    if (args->flags & MSM_SUBMITQUEUE_ALLOW_PREEMPT)
        return -EINVAL; /* one ring: nothing to preempt it with */
    return args->prio < file->device->chip->priorities ? 0 : -EINVAL;
}

int adreno_queue_new_ioctl(struct drm_file *drm_file, void *data)
{
    struct adreno_file *file = adreno_file(drm_file);
    struct drm_msm_submitqueue *args = data;
    int error = check_new(file, args);
    if (error)
        return error;
    pthread_mutex_lock(&file->file.lock);
    const struct adreno_queue *queue = add_default_queue(file) ? add_queue(file, args->flags, args->prio) : NULL;
    if (queue)
        args->id = queue->id;
    pthread_mutex_unlock(&file->file.lock);
    return queue ? 0 : -ENOMEM;
}

int adreno_queue_close_ioctl(struct drm_file *drm_file, void *data)
{
    struct adreno_file *file = adreno_file(drm_file);
    const uint32_t id = *(const uint32_t *)data;
    if (id == 0)
        return -ENOENT; /* stays as long as the file */
    pthread_mutex_lock(&file->file.lock);
    const uint64_t *found = map64_get(&file->queues, id);
    struct adreno_queue *queue = found ? (struct adreno_queue *)(uintptr_t)*found : NULL;
    map64_remove(&file->queues, id);
    pthread_mutex_unlock(&file->file.lock);
    adreno_queue_unref(queue); /* its jobs go on: they have references */
    return queue ? 0 : -ENOENT;
}

static int query_faults(struct adreno_queue *queue, struct drm_msm_submitqueue_query *args)
{
    pthread_mutex_lock(&queue->lock);
    uint32_t faults = queue->context ? atomic_load(&queue->context->faults) : 0;
    pthread_mutex_unlock(&queue->lock);
    if (!args->len) {
        args->len = sizeof(faults);
        return 0;
    }
    args->len = MIN2(args->len, (uint32_t)sizeof(faults));
    return drm_copy_to_user(args->data, &faults, args->len);
}

int adreno_queue_query_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_submitqueue_query *args = data;
    if (args->pad)
        return -EINVAL;
    struct adreno_queue *queue = adreno_queue_find(adreno_file(file), args->id);
    if (!queue)
        return -ENOENT;
    int error = args->param == MSM_SUBMITQUEUE_PARAM_FAULTS ? query_faults(queue, args) : -EINVAL;
    adreno_queue_unref(queue);
    return error;
}

/* ---- numbers of jobs; queue->lock is held ---- */

struct drm_fence *adreno_queue_fence(const struct adreno_queue *queue, uint32_t id)
{
    const uint64_t *found = map64_get(&queue->fence_ids, id);
    return found ? (struct drm_fence *)(uintptr_t)*found : NULL;
}

/* Fences of a queue end in their order. */
void adreno_queue_drop_fences(struct adreno_queue *queue)
{
    while (queue->first_fence < queue->fences.count) {
        const struct adreno_queue_fence *fence = &queue->fences.data[queue->first_fence];
        if (!drm_fence_is_signaled(fence->fence))
            return;
        map64_remove(&queue->fence_ids, fence->id);
        drm_fence_unref(fence->fence);
        queue->first_fence++;
    }
    queue->first_fence = queue->fences.count = 0;
}

int adreno_queue_reserve_fence(struct adreno_queue *queue, uint32_t id)
{
    /* Where those that were dropped are half of all each moves once. */
    if (queue->fences.count == queue->fences.capacity && queue->first_fence > queue->fences.count / 2) {
        queue->fences.count -= queue->first_fence;
        memmove(queue->fences.data, queue->fences.data + queue->first_fence,
                queue->fences.count * sizeof(queue->fences.data[0]));
        queue->first_fence = 0;
    }
    return array_reserve(&queue->fences, queue->fences.count + 1) && map64_set(&queue->fence_ids, id, 0) ? 0 : -ENOMEM;
}

void adreno_queue_add_fence(struct adreno_queue *queue, uint32_t id, struct drm_fence *fence)
{
    queue->fences.data[queue->fences.count++] = (struct adreno_queue_fence){id, drm_fence_ref(fence)};
    map64_set(&queue->fence_ids, id, (uintptr_t)fence);
    queue->last_fence = id;
}

/* ---- WAIT_FENCE ---- */

/* The fence of a number, as a new reference; NULL: it has ended long ago. queue->lock is held. */
static int find_fence(const struct adreno_queue *queue, uint32_t id, struct drm_fence **fence_out)
{
    *fence_out = NULL;
    if ((int32_t)(id - queue->last_fence) > 0)
        return -EINVAL;
    struct drm_fence *fence = adreno_queue_fence(queue, id);
    *fence_out = fence ? drm_fence_ref(fence) : NULL;
    return 0;
}

int adreno_wait_fence_ioctl(struct drm_file *file, void *data)
{
    const struct drm_msm_wait_fence *args = data;
    if (args->flags & ~MSM_WAIT_FENCE_BOOST)
        return -EINVAL;
    struct adreno_queue *queue = adreno_queue_find(adreno_file(file), args->queueid);
    if (!queue)
        return -ENOENT;
    struct drm_fence *fence;
    pthread_mutex_lock(&queue->lock);
    int error = find_fence(queue, args->fence, &fence);
    pthread_mutex_unlock(&queue->lock);
    adreno_queue_unref(queue);
    if (fence && !drm_fence_wait(fence, adreno_deadline_ns(args->timeout)))
        error = -ETIMEDOUT;
    drm_fence_unref(fence);
    return error;
}
