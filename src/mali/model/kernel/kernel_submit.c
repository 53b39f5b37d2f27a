/* GROUP_SUBMIT: jobs for the queues of a group, all of them or none; and what becomes of a job. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "util/log.h"

#define LATEST_FLUSH_UNUSED 0x7f000000u /* bits of it that must be zero */

/* ---- jobs ---- */

static void job_starts(struct drm_job *base, bool is_same_queue)
{
    struct mali_job *job = (struct mali_job *)base;
    if (job->group) {
        mali_ring_write(job);
        base->base.work = &job->work;
    } else {
        bool is_empty = !job->bind.mapping.size_B; /* it only waits and signals */
        job->bind_work = (struct drm_bind_work){&job->bind, is_empty ? 0 : 1};
        base->base.work = &job->bind_work;
    }
    mali_trace_job(job);
}

/* Only the job that was lost by its own fault says why its group is: those that are lost with it are cancelled. */
static void job_lost(struct drm_job *base)
{
    struct mali_job *job = (struct mali_job *)base;
    if (!job->group)
        atomic_store(&((struct mali_vm *)base->vm)->is_unusable, true);
    else if (base->engine_error == -ETIME)
        atomic_store(&job->group->has_timed_out, true);
    else
        atomic_fetch_or(&job->group->fatal_queues, 1u << job->queue);
}

static void job_ended(struct drm_job *base, int error)
{
    struct mali_job *job = (struct mali_job *)base;
    if (job->group)
        mali_group_leave_slot(job);
}

const struct drm_job_ops mali_job_ops = {
    .job_B = sizeof(struct mali_job), .starts = job_starts, .lost = job_lost, .ended = job_ended};

/* ---- the ioctl ---- */

/* The kernel explains a refusal in its log; so do we, with TUFF_LOG=debug. */
static int refuse_submit(const char *why, uint64_t number)
{
    LOG_DEBUG("mali/model", "submission refused: %s (0x%llx)", why, (unsigned long long)number);
    return -EINVAL;
}

static int check_submit(const struct mali_kernel_group *group, const struct drm_panthor_queue_submit *submit)
{
    if (submit->pad)
        return -EINVAL;
    if ((submit->stream_size == 0) != (submit->stream_addr == 0))
        return refuse_submit("a stream without an address or without a size", submit->stream_addr);
    if (submit->stream_addr & 63 || submit->stream_size & 7)
        return refuse_submit("alignment of a stream", submit->stream_addr);
    if (submit->stream_addr >> MALI_VA_BITS) /* the kernel would write it over the opcode of its MOVE */
        return refuse_submit("address of a stream", submit->stream_addr);
    if (submit->latest_flush & LATEST_FLUSH_UNUSED)
        return refuse_submit("id of a flush", submit->latest_flush);
    if (!mali_group_can_run(group))
        return refuse_submit("the group is lost", group->base.context.id);
    if (submit->queue_index >= group->queue_count)
        return refuse_submit("no such queue", submit->queue_index);
    return 0;
}

static int add_job(struct mali_batch *batch, struct mali_kernel_group *group,
                   const struct drm_panthor_queue_submit *submit)
{
    int error = check_submit(group, submit);
    if (error)
        return error;
    struct mali_kernel_queue *queue = &group->queues[submit->queue_index];
    struct mali_job *job = (struct mali_job *)drm_job_create(&mali_job_ops, &queue->queue);
    if (!job)
        return -ENOMEM;
    job->group = group;
    job->queue = submit->queue_index;
    job->latest_flush = submit->latest_flush;
    job->work.stream_va = submit->stream_addr;
    job->work.stream_B = submit->stream_size;
    job->job.seq = ++queue->seqno;
    job->job.is_empty = !submit->stream_size;
    return mali_batch_add(batch, job, &submit->syncs);
}

static int submit_all(struct drm_file *file, struct mali_kernel_group *group,
                      const struct drm_panthor_queue_submit *submits, uint32_t count)
{
    struct mali_batch batch = {.file = file};
    int error = 0;
    drm_vm_settle(group->base.context.vm);
    pthread_mutex_lock(&group->lock);
    for (uint32_t i = 0; i < count && !error; i++)
        error = add_job(&batch, group, &submits[i]);
    if (!error)
        error = mali_batch_submit(&batch);
    mali_batch_finish(&batch);
    pthread_mutex_unlock(&group->lock);
    drm_sched_kick(file->device->sched);
    return error;
}

int mali_group_submit_ioctl(struct drm_file *file, void *data)
{
    const struct drm_panthor_group_submit *args = data;
    if (args->pad)
        return -EINVAL;
    struct drm_panthor_queue_submit *submits = NULL;
    int error = mali_read_objects((void **)&submits, &args->queue_submits, sizeof(*submits), sizeof(*submits));
    if (error || !args->queue_submits.count)
        return error;
    struct mali_kernel_group *group = mali_group_find(mali_file(file), args->group_handle);
    if (group) {
        error = submit_all(file, group, submits, args->queue_submits.count);
        drm_context_unref(&group->base.context);
    } else {
        error = -EINVAL;
    }
    free(submits);
    return error;
}
