/* The engine of a GPU with a command processor: one thread per ring, started with the ring's first job, and the shader
 * core's workers that they share. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/chip.h"
#include "amd/model/coherence.h"
#include "amd/model/cp/cp_draw.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/spi/spi_compute.h"
#include "model/drm/drm_ring.h"
#include "model/workers.h"
#include "util/debug.h"

struct ring {
    struct drm_ring base;
    struct drm_engine *engine;
    uint32_t number;
    struct cp_machine *machine; /* NULL before the first job */
};

struct drm_engine {
    struct cp_device device;
    struct workers *workers;
    _Atomic bool started; /* workers, shader core and pipeline are there */
    pthread_mutex_t lock; /* of the start */
    struct drm_space_list spaces;
    struct ring rings[AMD_RING_COUNT];
};

struct drm_engine_context {
    struct drm_space_use use;
};

/* ---- rings ---- */

static void ring_pause(struct cp_machine *machine, uint32_t microseconds)
{
    struct drm_engine *engine = container_of(machine->device, struct drm_engine, device);
    struct ring *ring = &engine->rings[amd_ring_number(machine->ring_kind, machine->ring)];
    drm_ring_pause(&ring->base, machine->job, microseconds);
}

static struct drm_engine_result ring_run(struct drm_ring *base, struct drm_engine_job *job)
{
    struct ring *ring = container_of(base, struct ring, base);
    struct drm_engine_result result = {.error = amd_cp_machine_run(ring->machine, job)};
    struct strbuf *text = &ring->machine->error.text;
    if (result.error)
        result.report = text->text && !text->failed ? text->text : "no memory for a report";
    return result;
}

static bool ring_start(struct drm_ring *base)
{
    struct ring *ring = container_of(base, struct ring, base);
    if (!ring->machine)
        ring->machine = calloc(1, sizeof(*ring->machine));
    struct cp_machine *machine = ring->machine;
    if (!machine)
        return false;
    machine->device = &ring->engine->device;
    machine->gfx = machine->device->chip->gfx;
    machine->ring_kind = amd_ring_kind(ring->number);
    machine->ring = amd_ring_index(ring->number);
    machine->pause = ring_pause;
    amd_cp_machine_reset(machine);
    return true;
}

static void ring_finish(struct ring *ring)
{
    drm_ring_finish(&ring->base);
    if (ring->machine) {
        strbuf_finish(&ring->machine->error.text);
        strbuf_finish(&ring->machine->incoherence);
        coherence_actor_destroy(ring->machine->actor);
    }
    free(ring->machine);
}

/* ---- the engine ---- */

static void engine_destroy(struct drm_engine *engine)
{
    for (unsigned i = 0; i < AMD_RING_COUNT; i++)
        ring_finish(&engine->rings[i]);
    amd_ge_destroy(engine->device.ge);
    amd_spi_destroy(engine->device.spi);
    if (engine->workers)
        workers_destroy(engine->workers);
    coherence_destroy(engine->device.coherence);
    drm_space_list_finish(&engine->spaces);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->device.chip = chip;
    engine->device.host = host;
    pthread_mutex_init(&engine->lock, NULL);
    drm_space_list_init(&engine->spaces);
    for (unsigned i = 0; i < AMD_RING_COUNT; i++) {
        engine->rings[i].engine = engine;
        engine->rings[i].number = i;
        drm_ring_init(&engine->rings[i].base, &ring_ops);
    }
    *engine_out = engine;
    return 0;
}

/* The workers are started by the first job: many programs only query the device, and some fork before they submit. */
static bool start_workers(struct drm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    if (!engine->workers)
        engine->workers = engine->device.workers = workers_create_default();
    if (engine->workers && !engine->device.spi) {
        amd_cp_device_prepare(&engine->device);
        engine->device.spi = amd_spi_create(engine->workers);
    }
    if (engine->device.spi && !engine->device.ge)
        engine->device.ge = amd_ge_create(engine->device.chip, engine->workers, engine->device.spi);
    bool is_ok = true;
    if (!engine->device.coherence)
        engine->device.coherence = amd_coherence_create(&is_ok);
    bool runs = engine->device.ge != NULL && is_ok;
    atomic_store(&engine->started, runs);
    pthread_mutex_unlock(&engine->lock);
    return runs;
}

static int engine_context_create(struct drm_engine *engine, const struct gpu_space *space,
                                 struct drm_engine_context **context_out)
{
    struct drm_engine_context *context = calloc(1, sizeof(*context));
    if (!context)
        return -ENOMEM;
    int error = drm_engine_start_if_tight(engine, start_workers, "amd/model");
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
    bool last = drm_space_list_remove(&engine->spaces, &context->use);
    pthread_mutex_lock(&engine->lock);
    struct spi *spi = engine->device.spi;
    struct coherence *coherence = engine->device.coherence;
    pthread_mutex_unlock(&engine->lock);
    if (last && coherence)
        coherence_forget_space(coherence, context->use.space);
    if (last && spi)
        amd_spi_forget_space(spi, context->use.space);
    free(context);
}

static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= AMD_RING_COUNT) {
        drm_engine_refuse(job, "there is no such ring");
        return;
    }
    if (debug_enabled(DEBUG_NULL_GPU)) {
        job->finished(job, &(const struct drm_engine_result){.error = 0});
        return;
    }
    if (!atomic_load(&engine->started) && !start_workers(engine))
        drm_engine_refuse(job, "no memory or no threads for a job");
    else if (drm_ring_submit(&engine->rings[job->ring].base, job))
        drm_engine_refuse(job, "no thread or no memory for a ring");
}

static void engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
    drm_ring_wake(&engine->rings[job->ring].base);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    if (!atomic_load(&engine->started))
        return 0;
    uint64_t sum = amd_spi_progress(engine->device.spi) + amd_ge_progress(engine->device.ge);
    for (unsigned i = 0; i < AMD_RING_COUNT; i++)
        sum +=
            atomic_load_explicit(&engine->device.progress[amd_ring_kind(i)][amd_ring_index(i)], memory_order_relaxed);
    return sum;
}

static uint64_t engine_timestamp(struct drm_engine *engine)
{
    return amd_cp_timestamp(engine->device.chip);
}

const struct drm_engine_ops *amd_engine_default(void)
{
    static const struct drm_engine_ops ops = {
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
    return &ops;
}
