/* See drm_bind.h. */
#include "model/drm/drm_bind.h"

#include <errno.h>
#include <stdlib.h>

#include "model/drm/drm_job.h"
#include "model/drm/drm_ring.h"
#include "util/bits.h"
#include "util/strbuf.h"

struct drm_engine {
    struct drm_front front;
    struct drm_engine *gpu;
    struct drm_ring ring;
    _Atomic uint64_t binds;
};

int drm_bind_run(struct drm_vm *vm, const struct drm_bind *bind)
{
    return bind->is_unmap ? drm_vm_clear(vm, bind->mapping.va, bind->mapping.size_B)
                          : drm_vm_replace(vm, &bind->mapping);
}

void drm_bind_describe(const struct drm_bind *bind, struct strbuf *text)
{
    const char *name = bind->is_unmap ? "unmap" : bind->mapping.gem ? "map" : "map nothing";
    strbuf_printf(text, "## %s 0x%llx, %llu bytes, offset 0x%llx\n", name, (unsigned long long)bind->mapping.va,
                  (unsigned long long)bind->mapping.size_B, (unsigned long long)bind->mapping.offset_B);
}

static struct drm_engine_result ring_run(struct drm_ring *ring, struct drm_engine_job *base)
{
    struct drm_engine *engine = container_of(ring, struct drm_engine, ring);
    const struct drm_bind_work *work = base->work;
    struct drm_vm *vm = container_of(base, struct drm_job, base)->vm;
    int error = atomic_load(&base->killed) ? -ETIME : 0;
    for (uint32_t i = 0; i < work->count && !error; i++) {
        error = drm_bind_run(vm, &work->binds[i]);
        atomic_fetch_add(&engine->binds, 1);
    }
    return (struct drm_engine_result){error ? -EIO : 0, error ? "addresses could not be bound" : NULL};
}

static bool ring_start(struct drm_ring *ring)
{
    return true;
}

static int front_create(const void *data, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    const struct drm_front *front = data;
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    int error = engine ? front->gpu_ops->create(front->chip, host, &engine->gpu) : -ENOMEM;
    if (error) {
        free(engine);
        return error;
    }
    engine->front = *front;
    drm_ring_init(&engine->ring, &ring_ops);
    *engine_out = engine;
    return 0;
}

static void front_destroy(struct drm_engine *engine)
{
    drm_ring_finish(&engine->ring);
    engine->front.gpu_ops->destroy(engine->gpu);
    free(engine);
}

static int front_context_create(struct drm_engine *engine, const struct gpu_space *space,
                                struct drm_engine_context **context_out)
{
    return engine->front.gpu_ops->context_create(engine->gpu, space, context_out);
}

static void front_context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    engine->front.gpu_ops->context_destroy(engine->gpu, context);
}

static void front_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring != engine->front.bind_ring)
        engine->front.gpu_ops->submit(engine->gpu, job);
    else if (drm_ring_submit(&engine->ring, job))
        drm_engine_refuse(job, "no memory for a ring");
}

static void front_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring != engine->front.bind_ring)
        engine->front.gpu_ops->kill(engine->gpu, job);
}

static uint64_t front_progress(struct drm_engine *engine)
{
    return engine->front.gpu_ops->progress(engine->gpu) + atomic_load(&engine->binds);
}

static uint64_t front_job_progress(struct drm_engine *engine, const struct drm_engine_job *job)
{
    const struct drm_engine_ops *ops = engine->front.gpu_ops;
    bool is_gpu = job->ring != engine->front.bind_ring && ops->job_progress;
    return is_gpu ? ops->job_progress(engine->gpu, job) : front_progress(engine);
}

static uint64_t front_timestamp(struct drm_engine *engine)
{
    return engine->front.gpu_ops->timestamp(engine->gpu);
}

const struct drm_engine_ops drm_front_ops = {
    .name = "rings and binds",
    .create = front_create,
    .destroy = front_destroy,
    .context_create = front_context_create,
    .context_destroy = front_context_destroy,
    .submit = front_submit,
    .kill = front_kill,
    .progress = front_progress,
    .job_progress = front_job_progress,
    .timestamp = front_timestamp,
};
