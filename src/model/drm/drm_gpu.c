/* See drm_gpu.h. */
#include "model/drm/drm_gpu.h"

#include <errno.h>
#include <stdlib.h>

#include "model/workers.h"
#include "util/debug.h"

/* ---- the rings ---- */

static bool start_engine(struct drm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    if (!engine->workers)
        engine->workers = workers_create_default();
    void *gpu = atomic_load(&engine->gpu);
    if (engine->workers && !gpu) {
        gpu = engine->ops->create(engine->chip, engine->host, engine->workers);
        atomic_store(&engine->gpu, gpu);
    }
    pthread_mutex_unlock(&engine->lock);
    return gpu != NULL;
}

static bool ring_start(struct drm_ring *base)
{
    struct drm_gpu_ring *ring = container_of(base, struct drm_gpu_ring, base);
    struct drm_engine *engine = ring->engine;
    if (!start_engine(engine))
        return false;
    return !engine->ops->start_ring ||
           engine->ops->start_ring(atomic_load(&engine->gpu), base, (uint32_t)(ring - engine->rings));
}

static struct drm_engine_result ring_run(struct drm_ring *base, struct drm_engine_job *job)
{
    struct drm_engine *engine = container_of(base, struct drm_gpu_ring, base)->engine;
    return engine->ops->run(atomic_load(&engine->gpu), base, job);
}

/* ---- the engine ---- */

int drm_gpu_engine_create(const struct drm_gpu_ops *ops, const void *chip, const struct drm_engine_host *host,
                          struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine) + ops->ring_count * sizeof(engine->rings[0]));
    if (!engine)
        return -ENOMEM;
    engine->ops = ops;
    engine->chip = chip;
    engine->host = host;
    pthread_mutex_init(&engine->lock, NULL);
    drm_space_list_init(&engine->spaces);
    for (uint32_t i = 0; i < ops->ring_count; i++) {
        drm_ring_init(&engine->rings[i].base, &ring_ops);
        engine->rings[i].engine = engine;
    }
    *engine_out = engine;
    return 0;
}

void drm_gpu_engine_destroy(struct drm_engine *engine)
{
    for (uint32_t i = 0; i < engine->ops->ring_count; i++)
        drm_ring_stop(&engine->rings[i].base);
    for (uint32_t i = 0; i < engine->ops->ring_count; i++)
        drm_ring_finish(&engine->rings[i].base);
    void *gpu = atomic_load(&engine->gpu);
    if (gpu)
        engine->ops->destroy(gpu);
    if (engine->workers)
        workers_destroy(engine->workers);
    drm_space_list_finish(&engine->spaces);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

/* ---- contexts ---- */

int drm_gpu_context_create(struct drm_engine *engine, const struct gpu_space *space,
                           struct drm_engine_context **context_out)
{
    const struct drm_gpu_ops *ops = engine->ops;
    struct drm_engine_context *context = calloc(1, ops->context_B);
    if (!context)
        return -ENOMEM;
    int error = drm_engine_start_if_tight(engine, start_engine, ops->log_name);
    if (!error && ops->context_init && !ops->context_init(context, space)) {
        ops->context_finish(context);
        error = -ENOMEM;
    }
    if (error) {
        free(context);
        return error;
    }
    drm_space_list_add(&engine->spaces, &context->use, space);
    *context_out = context;
    return 0;
}

void drm_gpu_context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    if (!context)
        return;
    const bool is_last = drm_space_list_remove(&engine->spaces, &context->use);
    void *gpu = atomic_load(&engine->gpu);
    if (engine->ops->context_finish)
        engine->ops->context_finish(context);
    if (is_last && gpu)
        engine->ops->forget_space(gpu, context->use.space);
    free(context);
}

/* ---- jobs ---- */

void drm_gpu_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= engine->ops->ring_count)
        drm_engine_refuse(job, "there is no such ring");
    else if (debug_enabled(DEBUG_NULL_GPU))
        job->finished(job, &(const struct drm_engine_result){.error = 0});
    else if (drm_ring_submit(&engine->rings[job->ring].base, job))
        drm_engine_refuse(job, "no memory or no threads for a job");
}

void drm_gpu_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    void *gpu = atomic_load(&engine->gpu);
    drm_ring_wake(&engine->rings[job->ring].base);
    if (gpu && engine->ops->wake)
        engine->ops->wake(gpu);
}

uint64_t drm_gpu_progress(struct drm_engine *engine)
{
    void *gpu = atomic_load(&engine->gpu);
    return gpu ? engine->ops->progress(gpu) : 0;
}
