/* The engine: one GPU with one ring, whose thread runs the command processor, and the workers of its blocks. */
#include "adreno/model/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "adreno/model/blocks.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp.h"
#include "model/drm/drm_ring.h"
#include "model/workers.h"
#include "util/debug.h"

struct drm_engine {
    const struct adreno_chip *chip;
    const struct drm_engine_host *host;
    struct drm_ring ring;
    pthread_mutex_t lock; /* of the start */
    struct workers *workers;
    _Atomic(struct adreno_gpu *) gpu; /* NULL before the first job */
    struct drm_space_list spaces;
};

struct drm_engine_context {
    struct drm_space_use use;
};

/* ---- the ring ---- */

static void report_loss(const struct adreno_gpu *gpu, const struct drm_engine_job *job, const char *report)
{
    const struct adreno_work *work = job->work;
    if (!work->lost)
        return;
    struct adreno_crash crash = {.regs = gpu->regs,
                                 .report = report,
                                 .is_fault = gpu->stop.kind == GPU_STOP_FAULT,
                                 .is_write = gpu->stop.is_write,
                                 .fault_va = gpu->stop.fault_va};
    adreno_cp_crash_place(gpu, &crash);
    work->lost(job, &crash);
}

static struct drm_engine_result ring_run(struct drm_ring *ring, struct drm_engine_job *job)
{
    struct drm_engine *engine = container_of(ring, struct drm_engine, ring);
    struct adreno_gpu *gpu = atomic_load(&engine->gpu);
    gpu->ring = ring;
    gpu->job = job;
    gpu->space = job->space;
    gpu->killed = &job->killed;
    atomic_store(&gpu->stop.is_set, false);
    struct drm_engine_result result = {0};
    if (!adreno_cp_run(gpu, (const struct adreno_work *)job->work)) {
        result.error = gpu_stop_error(&gpu->stop);
        result.report = gpu_stop_text(&gpu->stop);
        report_loss(gpu, job, result.report);
        adreno_gpu_reset(gpu);
    }
    gpu->job = NULL;
    gpu->space = NULL;
    gpu->killed = NULL;
    return result;
}

/* Workers and GPU start with the first job: many programs only query the device, and some fork before they submit. */
static bool start(struct drm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    if (!engine->workers)
        engine->workers = workers_create_default();
    struct adreno_gpu *gpu = atomic_load(&engine->gpu);
    if (engine->workers && !gpu) {
        gpu = adreno_gpu_create(engine->chip, engine->host, engine->workers);
        atomic_store(&engine->gpu, gpu);
    }
    pthread_mutex_unlock(&engine->lock);
    return gpu != NULL;
}

static bool ring_start(struct drm_ring *ring)
{
    return start(container_of(ring, struct drm_engine, ring));
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
    drm_ring_init(&engine->ring, &ring_ops);
    *engine_out = engine;
    return 0;
}

static void engine_destroy(struct drm_engine *engine)
{
    drm_ring_finish(&engine->ring);
    adreno_gpu_destroy(atomic_load(&engine->gpu));
    if (engine->workers)
        workers_destroy(engine->workers);
    drm_space_list_finish(&engine->spaces);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static int engine_context_create(struct drm_engine *engine, const struct gpu_space *space,
                                 struct drm_engine_context **context_out)
{
    struct drm_engine_context *context = calloc(1, sizeof(*context));
    if (!context)
        return -ENOMEM;
    int error = drm_engine_start_if_tight(engine, start, "adreno/model");
    if (error) {
        free(context);
        return error;
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
    struct adreno_gpu *gpu = atomic_load(&engine->gpu);
    if (is_last && gpu) {
        adreno_hlsq_forget_space(gpu, context->use.space);
        if (gpu->coherence)
            coherence_forget_space(coherence_of(gpu->coherence), context->use.space);
    }
    free(context);
}

static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= ADRENO_RING_COUNT)
        drm_engine_refuse(job, "there is no such ring");
    else if (debug_enabled(DEBUG_NULL_GPU))
        job->finished(job, &(const struct drm_engine_result){.error = 0});
    else if (drm_ring_submit(&engine->ring, job))
        drm_engine_refuse(job, "no memory or no threads for a job");
}

static void engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    drm_ring_wake(&engine->ring);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    struct adreno_gpu *gpu = atomic_load(&engine->gpu);
    return gpu ? atomic_load_explicit(&gpu->progress, memory_order_relaxed) : 0;
}

static uint64_t engine_timestamp(struct drm_engine *engine)
{
    return adreno_timestamp();
}

const struct drm_engine_ops adreno_engine_ops = {
    .name = "command processor",
    .create = engine_create,
    .destroy = engine_destroy,
    .context_create = engine_context_create,
    .context_destroy = engine_context_destroy,
    .submit = engine_submit,
    .kill = engine_kill,
    .progress = engine_progress,
    .timestamp = engine_timestamp,
};
