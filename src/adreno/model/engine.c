/* The engine: one GPU with one ring, whose thread runs the command processor. */
#include "adreno/model/engine.h"

#include "adreno/model/blocks.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp.h"
#include "model/drm/drm_gpu.h"

static void *create_gpu(const void *chip, const struct drm_engine_host *host, struct workers *workers)
{
    return adreno_gpu_create(chip, host, workers);
}

static void destroy_gpu(void *gpu)
{
    adreno_gpu_destroy(gpu);
}

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

static struct drm_engine_result run_job(void *opaque, struct drm_ring *ring, struct drm_engine_job *job)
{
    struct adreno_gpu *gpu = opaque;
    gpu->ring = ring;
    gpu->job = job;
    gpu->space = job->space;
    gpu->ubwc_changes++; /* another process may have marked what it shares with this one */
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

static void forget_space(void *opaque, const struct gpu_space *space)
{
    struct adreno_gpu *gpu = opaque;
    adreno_hlsq_forget_space(gpu, space);
    if (gpu->coherence)
        coherence_forget_space(coherence_of(gpu->coherence), space);
}

static uint64_t gpu_progress(void *gpu)
{
    return atomic_load_explicit(&((struct adreno_gpu *)gpu)->progress, memory_order_relaxed);
}

static const struct drm_gpu_ops ops = {
    .log_name = "adreno/model",
    .ring_count = ADRENO_RING_COUNT,
    .create = create_gpu,
    .destroy = destroy_gpu,
    .run = run_job,
    .progress = gpu_progress,
    .context_B = sizeof(struct drm_engine_context),
    .forget_space = forget_space,
};

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    return drm_gpu_engine_create(&ops, chip, host, engine_out);
}

static uint64_t engine_timestamp(struct drm_engine *engine)
{
    return adreno_timestamp();
}

const struct drm_engine_ops adreno_engine_ops = {
    .name = "command processor",
    .create = engine_create,
    .destroy = drm_gpu_engine_destroy,
    .context_create = drm_gpu_context_create,
    .context_destroy = drm_gpu_context_destroy,
    .submit = drm_gpu_submit,
    .kill = drm_gpu_kill,
    .progress = drm_gpu_progress,
    .timestamp = engine_timestamp,
};
