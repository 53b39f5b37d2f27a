/* Groups of queues: what a process submits to, as a whole lost and as a whole destroyed. A group of which a job was
 * lost stays lost; the others go on. Only where a killed job does not end is the GPU reset as a whole, and groups that
 * have work there are lost as innocent. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "util/bits.h"

#define RING_LEAST_B 4096u
#define RING_MOST_B 65536u
#define QUEUE_PRIORITY_MOST 15

/* ---- the end ---- */

void mali_context_destroy(struct drm_context *base)
{
    struct mali_context *context = (struct mali_context *)base;
    context->destroy(context);
}

static struct mali_vm *vm_of(const struct mali_kernel_group *group)
{
    return (struct mali_vm *)group->base.context.vm;
}

static void free_group(struct mali_kernel_group *group)
{
    pthread_mutex_destroy(&group->lock);
    free(group);
}

static void release_memory(struct mali_kernel_group *group, struct mali_vm *vm)
{
    for (uint32_t i = 0; i < group->queue_count; i++)
        mali_kernel_bo_destroy(vm, &group->queues[i].ring);
    mali_kernel_bo_destroy(vm, &group->syncobjs);
}

static void destroy_group(struct mali_context *context)
{
    struct mali_kernel_group *group = (struct mali_kernel_group *)context;
    release_memory(group, vm_of(group));
    free_group(group);
}

/* In a reset the kernel has groups on the GPU suspended; the model's jobs cannot be, so that theirs is the case of a
 * suspension that fails: timed out, and innocent where the group was still good. Binds are the host's work. */
bool mali_context_reset(struct drm_context *base)
{
    struct mali_context *context = (struct mali_context *)base;
    if (context->destroy != destroy_group)
        return false;
    struct mali_kernel_group *group = (struct mali_kernel_group *)context;
    if (mali_group_can_run(group))
        atomic_store(&group->is_innocent, true);
    atomic_store(&group->has_timed_out, true);
    return true;
}

/* No job may come any more, and those that run end soon. */
static void end_group(struct mali_kernel_group *group)
{
    struct drm_sched *sched = group->device->drm.sched;
    pthread_mutex_lock(&group->lock);
    atomic_store(&group->is_destroyed, true);
    pthread_mutex_unlock(&group->lock);
    drm_sched_kill_context(sched, &group->base.context);
    drm_context_unref(&group->base.context);
}

/* A closed file's work is terminated, as the kernel does it; the process waits a moment for the threads that see it. */
void mali_group_close_all(struct mali_file *file)
{
    struct drm_sched *sched = file->device->drm.sched;
    for (uint32_t handle = 1; handle <= MALI_FILE_GROUPS_MAX; handle++) {
        struct mali_kernel_group *group = drm_handles_get(&file->groups, handle);
        if (!group)
            continue;
        drm_context_ref(&group->base.context);
        end_group(group);
        drm_sched_wait_context(sched, &group->base.context, drm_now_ns() + 1000000000);
        drm_context_unref(&group->base.context);
    }
    drm_handles_finish(&file->groups);
}

/* ---- creation ---- */

static int check_priority(struct mali_file *file, uint8_t priority)
{
    if (priority > PANTHOR_GROUP_PRIORITY_REALTIME)
        return -EINVAL;
    return priority <= PANTHOR_GROUP_PRIORITY_MEDIUM || drm_file_may_hurry(&file->file) ? 0 : -EACCES;
}

static unsigned bit_count(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

static int check_group(const struct mali_chip *chip, const struct drm_panthor_group_create *args)
{
    if (args->pad)
        return -EINVAL;
    if (args->compute_core_mask & ~chip->shader_present || args->fragment_core_mask & ~chip->shader_present ||
        args->tiler_core_mask & ~chip->tiler_present)
        return -EINVAL;
    if (bit_count(args->compute_core_mask) < args->max_compute_cores ||
        bit_count(args->fragment_core_mask) < args->max_fragment_cores ||
        bit_count(args->tiler_core_mask) < args->max_tiler_cores)
        return -EINVAL;
    return 0;
}

static int check_queue(const struct drm_panthor_queue_create *args)
{
    if (args->pad[0] || args->pad[1] || args->pad[2] || args->priority > QUEUE_PRIORITY_MOST)
        return -EINVAL;
    if (args->ringbuf_size < RING_LEAST_B || args->ringbuf_size > RING_MOST_B ||
        args->ringbuf_size & (args->ringbuf_size - 1))
        return -EINVAL;
    return 0;
}

static int create_queue(struct mali_kernel_group *group, struct mali_vm *vm,
                        const struct drm_panthor_queue_create *args)
{
    struct mali_kernel_queue *queue = &group->queues[group->queue_count];
    int error = check_queue(args);
    if (!error)
        error = mali_kernel_bo_create(vm, args->ringbuf_size, &queue->ring);
    if (error)
        return error;
    queue->ring_B = args->ringbuf_size;
    group->queue_count++;
    return 0;
}

static int create_memory(struct mali_kernel_group *group, struct mali_vm *vm,
                         const struct drm_panthor_group_create *args, const struct drm_panthor_queue_create *queues)
{
    int error = mali_kernel_bo_create(vm, (uint64_t)args->queues.count * MALI_SYNCOBJ_B, &group->syncobjs);
    for (uint32_t i = 0; i < args->queues.count && !error; i++)
        error = create_queue(group, vm, &queues[i]);
    return error;
}

static int create_group(struct mali_file *file, struct mali_vm *vm, const struct drm_panthor_group_create *args,
                        const struct drm_panthor_queue_create *queues, struct mali_kernel_group **group_out)
{
    struct mali_kernel_group *group = calloc(1, sizeof(*group));
    if (!group)
        return -ENOMEM;
    group->device = file->device;
    group->base.destroy = destroy_group;
    pthread_mutex_init(&group->lock, NULL);
    int error = create_memory(group, vm, args, queues);
    if (!error)
        error = drm_context_init(&group->base.context, &file->device->drm, &vm->vm, args->priority);
    if (error) {
        release_memory(group, vm);
        free_group(group);
        return error;
    }
    for (uint32_t i = 0; i < group->queue_count; i++)
        drm_queue_init(&group->queues[i].queue, &group->base.context, mali_ring(0, i));
    *group_out = group;
    return 0;
}

static int create_new_group(struct mali_file *file, struct drm_panthor_group_create *args,
                            const struct drm_panthor_queue_create *queues)
{
    struct mali_vm *vm = mali_vm_find(file, args->vm_id);
    if (!vm)
        return -EINVAL;
    struct mali_kernel_group *group = NULL;
    int error = create_group(file, vm, args, queues, &group);
    drm_vm_unref(&vm->vm);
    if (error)
        return error;
    pthread_mutex_lock(&file->file.lock);
    error = drm_handles_insert(&file->groups, group, MALI_FILE_GROUPS_MAX, &args->group_handle);
    if (!error)
        group->base.context.id = args->group_handle;
    pthread_mutex_unlock(&file->file.lock);
    if (error)
        drm_context_unref(&group->base.context);
    return error == -ENOSPC ? -EBUSY : error;
}

int mali_group_create_ioctl(struct drm_file *drm_file, void *data)
{
    struct mali_file *file = mali_file(drm_file);
    struct drm_panthor_group_create *args = data;
    if (!args->queues.count)
        return -EINVAL;
    struct drm_panthor_queue_create *queues = NULL;
    int error = mali_read_objects((void **)&queues, &args->queues, sizeof(*queues), sizeof(*queues));
    if (!error)
        error = check_priority(file, args->priority);
    if (!error)
        error = check_group(file->device->chip, args);
    if (!error && args->queues.count > MIN2(file->device->chip->cs_slot_count, MALI_QUEUE_COUNT))
        error = -EINVAL;
    if (!error)
        error = create_new_group(file, args, queues);
    free(queues);
    return error;
}

/* ---- looking it up ---- */

struct mali_kernel_group *mali_group_find(struct mali_file *file, uint32_t handle)
{
    pthread_mutex_lock(&file->file.lock);
    struct mali_kernel_group *group = drm_handles_get(&file->groups, handle);
    if (group)
        drm_context_ref(&group->base.context);
    pthread_mutex_unlock(&file->file.lock);
    return group;
}

bool mali_group_can_run(const struct mali_kernel_group *group)
{
    return !atomic_load(&group->is_destroyed) && !atomic_load(&group->has_timed_out) &&
           !atomic_load(&group->fatal_queues);
}

int mali_group_destroy_ioctl(struct drm_file *drm_file, void *data)
{
    struct mali_file *file = mali_file(drm_file);
    const struct drm_panthor_group_destroy *args = data;
    if (args->pad)
        return -EINVAL;
    pthread_mutex_lock(&file->file.lock);
    struct mali_kernel_group *group = drm_handles_remove(&file->groups, args->group_handle);
    pthread_mutex_unlock(&file->file.lock);
    if (!group)
        return -EINVAL;
    end_group(group);
    return 0;
}

int mali_group_get_state_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_group_get_state *args = data;
    if (args->pad)
        return -EINVAL;
    struct mali_kernel_group *group = mali_group_find(mali_file(file), args->group_handle);
    if (!group)
        return -EINVAL;
    uint32_t fatal = atomic_load(&group->fatal_queues);
    *args = (struct drm_panthor_group_get_state){
        .state = (atomic_load(&group->has_timed_out) ? DRM_PANTHOR_GROUP_STATE_TIMEDOUT : 0u) |
                 (fatal ? DRM_PANTHOR_GROUP_STATE_FATAL_FAULT : 0u) |
                 (atomic_load(&group->is_innocent) ? DRM_PANTHOR_GROUP_STATE_INNOCENT : 0u),
        .fatal_queues = fatal,
    };
    drm_context_unref(&group->base.context);
    return 0;
}

/* ---- slots ---- */

/* The kernel lets groups take turns on the chip's eight slots. The model's are more, and a group keeps one as long as
 * it has work; those that share one, for there are more groups than slots, take turns job by job. */
static uint32_t find_slot(const struct mali_device *device)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < MALI_SLOT_COUNT; i++) {
        if (device->slot_groups[i] < device->slot_groups[best])
            best = i;
    }
    return best;
}

void mali_group_take_slot(struct mali_job *job)
{
    struct mali_kernel_group *group = job->group;
    if (!group)
        return;
    struct mali_device *device = group->device;
    pthread_mutex_lock(&device->slot_lock);
    if (group->pending++ == 0) {
        group->slot = find_slot(device);
        device->slot_groups[group->slot]++;
        for (uint32_t i = 0; i < group->queue_count; i++)
            group->queues[i].queue.ring = mali_ring(group->slot, i);
    }
    job->holds_slot = true;
    pthread_mutex_unlock(&device->slot_lock);
}

void mali_group_leave_slot(struct mali_job *job)
{
    if (!job->holds_slot)
        return;
    struct mali_device *device = job->group->device;
    pthread_mutex_lock(&device->slot_lock);
    if (--job->group->pending == 0)
        device->slot_groups[job->group->slot]--;
    job->holds_slot = false;
    pthread_mutex_unlock(&device->slot_lock);
}
