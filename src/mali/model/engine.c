/* The engine: one GPU with a ring for each queue of each slot of groups, whose threads run the command-stream machines,
 * and the workers of its blocks. */
#include "mali/model/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "mali/model/blocks.h"
#include "mali/model/coherence.h"
#include "mali/model/cs/cs.h"
#include "model/drm/drm_ring.h"
#include "model/workers.h"
#include "util/debug.h"

struct ring {
    struct drm_ring base;
    struct drm_engine *engine;
};

struct drm_engine {
    const struct mali_chip *chip;
    const struct drm_engine_host *host;
    pthread_mutex_t lock; /* of the start */
    struct workers *workers;
    _Atomic(struct mali_gpu *) gpu; /* NULL before the first job */
    struct drm_space_list spaces;
    struct ring rings[MALI_RING_COUNT];
};

/* A group of the kernel's. */
struct drm_engine_context {
    struct drm_space_use use;
    struct mali_group group;
};

/* ---- the rings ---- */

static struct drm_engine_result ring_run(struct drm_ring *base, struct drm_engine_job *job)
{
    struct drm_engine *engine = container_of(base, struct ring, base)->engine;
    struct mali_group *group = &job->context->group;
    struct mali_queue *queue = &group->queues[mali_ring_queue(job->ring)];
    queue->gpu = atomic_load(&engine->gpu);
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

/* Workers and GPU start with the first job: many programs only query the device, and some fork before they submit. */
static bool start(struct drm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    if (!engine->workers)
        engine->workers = workers_create_default();
    struct mali_gpu *gpu = atomic_load(&engine->gpu);
    if (engine->workers && !gpu) {
        gpu = mali_gpu_create(engine->chip, engine->host, engine->workers);
        if (gpu)
            gpu->has_mutations = mali_cs_has_mutations();
        if (gpu && !mali_coherence_create(gpu)) {
            mali_gpu_destroy(gpu);
            gpu = NULL;
        }
        atomic_store(&engine->gpu, gpu);
    }
    pthread_mutex_unlock(&engine->lock);
    return gpu != NULL;
}

static bool ring_start(struct drm_ring *ring)
{
    return start(container_of(ring, struct ring, base)->engine);
}

/* ---- the engine ---- */

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->chip = chip;
    engine->host = host;
    pthread_mutex_init(&engine->lock, NULL);
    drm_space_list_init(&engine->spaces);
    for (unsigned i = 0; i < MALI_RING_COUNT; i++) {
        drm_ring_init(&engine->rings[i].base, &ring_ops);
        engine->rings[i].engine = engine;
    }
    *engine_out = engine;
    return 0;
}

static void engine_destroy(struct drm_engine *engine)
{
    for (unsigned i = 0; i < MALI_RING_COUNT; i++)
        drm_ring_finish(&engine->rings[i].base);
    struct mali_gpu *gpu = atomic_load(&engine->gpu);
    if (gpu)
        coherence_destroy(gpu->coherence);
    mali_gpu_destroy(gpu);
    if (engine->workers)
        workers_destroy(engine->workers);
    drm_space_list_finish(&engine->spaces);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

/* ---- groups ---- */

static void group_finish(struct mali_group *group)
{
    for (unsigned i = 0; i < MALI_QUEUE_COUNT; i++) {
        mali_cs_destroy(&group->queues[i]);
        gpu_stop_finish(&group->queues[i].stop);
    }
    pthread_mutex_destroy(&group->lock);
}

static bool group_init(struct mali_group *group, const struct gpu_space *space)
{
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

static int engine_context_create(struct drm_engine *engine, const struct gpu_space *space,
                                 struct drm_engine_context **context_out)
{
    struct drm_engine_context *context = calloc(1, sizeof(*context));
    if (!context)
        return -ENOMEM;
    int error = drm_engine_start_if_tight(engine, start, "mali/model");
    if (error) {
        free(context);
        return error;
    }
    if (!group_init(&context->group, space)) {
        group_finish(&context->group);
        free(context);
        return -ENOMEM;
    }
    drm_space_list_add(&engine->spaces, &context->use, space);
    *context_out = context;
    return 0;
}

static void engine_context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    if (!context)
        return;
    bool is_last = drm_space_list_remove(&engine->spaces, &context->use);
    struct mali_gpu *gpu = atomic_load(&engine->gpu);
    group_finish(&context->group);
    if (is_last && gpu)
        mali_sc_forget_space(gpu, context->use.space);
    if (is_last && gpu && gpu->coherence)
        coherence_forget_space(gpu->coherence, context->use.space);
    free(context);
}

/* ---- jobs ---- */

static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= MALI_RING_COUNT)
        drm_engine_refuse(job, "there is no such ring");
    else if (debug_enabled(DEBUG_NULL_GPU))
        job->finished(job, &(const struct drm_engine_result){.error = 0});
    else if (drm_ring_submit(&engine->rings[job->ring].base, job))
        drm_engine_refuse(job, "no memory or no threads for a job");
}

static void engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    struct mali_gpu *gpu = atomic_load(&engine->gpu);
    drm_ring_wake(&engine->rings[job->ring].base);
    if (gpu)
        mali_sync_wake(gpu);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    struct mali_gpu *gpu = atomic_load(&engine->gpu);
    return gpu ? atomic_load_explicit(&gpu->progress, memory_order_relaxed) : 0;
}

/* A group that hangs is found while others work. Its queues wait for each other, so they move together. One that only
 * waits for workers which another group's endless work has does not hang. */
static uint64_t engine_job_progress(struct drm_engine *engine, const struct drm_engine_job *job)
{
    struct mali_group *group = &job->context->group;
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
    .destroy = engine_destroy,
    .context_create = engine_context_create,
    .context_destroy = engine_context_destroy,
    .submit = engine_submit,
    .kill = engine_kill,
    .progress = engine_progress,
    .job_progress = engine_job_progress,
    .timestamp = engine_timestamp,
};
