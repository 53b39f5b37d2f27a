/* The engine: one GPU with a ring for each queue of each slot of groups, whose threads run the command-stream
 * machines. */
#include "mali/model/engine.h"

#include "mali/model/blocks.h"
#include "mali/model/coherence.h"
#include "mali/model/cs/cs.h"
#include "model/drm/drm_gpu.h"
#include "model/workers.h"

/* A group of the kernel's. */
struct group_context {
    struct drm_engine_context base;
    struct mali_group group;
};

static struct mali_group *group_of(struct drm_engine_context *context)
{
    return &((struct group_context *)context)->group;
}

/* ---- the GPU ---- */

static void destroy_gpu(void *opaque)
{
    struct mali_gpu *gpu = opaque;
    coherence_destroy(gpu->coherence);
    mali_gpu_destroy(gpu);
}

static void *create_gpu(const void *chip, const struct drm_engine_host *host, struct workers *workers)
{
    struct mali_gpu *gpu = mali_gpu_create(chip, host, workers);
    if (!gpu)
        return NULL;
    gpu->has_mutations = mali_cs_has_mutations();
    if (!mali_coherence_create(gpu)) {
        mali_gpu_destroy(gpu);
        return NULL;
    }
    return gpu;
}

static struct drm_engine_result run_job(void *gpu, struct drm_ring *ring, struct drm_engine_job *job)
{
    struct mali_group *group = group_of(job->context);
    struct mali_queue *queue = &group->queues[mali_ring_queue(job->ring)];
    queue->gpu = gpu;
    queue->job = job;
    queue->work = job->work;
    queue->space = job->space;
    queue->killed = &job->killed;
    atomic_store(&queue->stop.is_set, false);
    struct drm_engine_result result = {0};
    if (!mali_cs_run(queue)) {
        result.error = gpu_stop_error(&queue->stop);
        result.report = gpu_stop_text(&queue->stop);
    }
    queue->job = NULL;
    queue->work = NULL;
    queue->killed = NULL;
    return result;
}

static void wake_gpu(void *gpu)
{
    mali_sync_wake(gpu);
}

static uint64_t gpu_progress(void *gpu)
{
    return atomic_load_explicit(&((struct mali_gpu *)gpu)->progress, memory_order_relaxed);
}

static void forget_space(void *opaque, const struct gpu_space *space)
{
    struct mali_gpu *gpu = opaque;
    mali_sc_forget_space(gpu, space);
    if (gpu->coherence)
        coherence_forget_space(gpu->coherence, space);
}

/* ---- groups ---- */

static void context_finish(struct drm_engine_context *context)
{
    struct mali_group *group = group_of(context);
    for (unsigned i = 0; i < MALI_QUEUE_COUNT; i++) {
        mali_cs_destroy(&group->queues[i]);
        gpu_stop_finish(&group->queues[i].stop);
    }
    pthread_mutex_destroy(&group->lock);
}

static bool context_init(struct drm_engine_context *context, const struct gpu_space *space)
{
    struct mali_group *group = group_of(context);
    bool is_ok = true;
    pthread_mutex_init(&group->lock, NULL);
    group->space = space;
    for (unsigned i = 0; i < MALI_QUEUE_COUNT; i++) {
        struct mali_queue *queue = &group->queues[i];
        queue->group = group;
        queue->number = i;
        gpu_stop_init(&queue->stop);
        is_ok &= mali_cs_create(queue);
    }
    return is_ok;
}

static const struct drm_gpu_ops ops = {
    .log_name = "mali/model",
    .ring_count = MALI_RING_COUNT,
    .create = create_gpu,
    .destroy = destroy_gpu,
    .run = run_job,
    .wake = wake_gpu,
    .progress = gpu_progress,
    .context_B = sizeof(struct group_context),
    .context_init = context_init,
    .context_finish = context_finish,
    .forget_space = forget_space,
};

/* ---- the engine ---- */

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    return drm_gpu_engine_create(&ops, chip, host, engine_out);
}

/* A group that hangs is found while others work. Its queues wait for each other, so they move together. One that only
 * waits for workers which another group's endless work has does not hang. */
static uint64_t engine_job_progress(struct drm_engine *engine, const struct drm_engine_job *job)
{
    struct mali_group *group = group_of(job->context);
    /* Workers are there before the GPU is. */
    if (atomic_load(&engine->gpu) && workers_are_awaited(engine->workers, group))
        atomic_fetch_add_explicit(&group->progress, 1, memory_order_relaxed);
    return atomic_load_explicit(&group->progress, memory_order_relaxed);
}

static uint64_t engine_timestamp(struct drm_engine *engine)
{
    return mali_timestamp();
}

const struct drm_engine_ops mali_engine_ops = {
    .name = "command streams",
    .create = engine_create,
    .destroy = drm_gpu_engine_destroy,
    .context_create = drm_gpu_context_create,
    .context_destroy = drm_gpu_context_destroy,
    .submit = drm_gpu_submit,
    .kill = drm_gpu_kill,
    .progress = drm_gpu_progress,
    .job_progress = engine_job_progress,
    .timestamp = engine_timestamp,
};
