/* The engine of a GPU with a command processor: one thread per ring, started with the ring's first job, and the shader
 * core's workers behind them. A ring's thread sleeps in the waits of its stream, so that the others go on. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/hw/chip.h"
#include "amd/model/cp/cp_draw.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/spi/spi_compute.h"
#include "model/workers.h"
#include "util/debug.h"
#include "util/list.h"

struct ring {
    struct amd_engine *engine;
    struct cp_machine *machine; /* NULL before the first job */
    pthread_mutex_t lock;
    pthread_cond_t wake; /* a job, a kill, the end */
    struct list jobs;
    bool ending;
    pthread_t thread;
};

/* engine_data of a job: its place in the ring's queue. */
struct queued {
    struct list node;
    struct amd_engine_job *job;
};

struct amd_engine {
    struct cp_device device;
    struct workers *workers;
    _Atomic bool started; /* workers, shader core and pipeline are there */
    pthread_mutex_t lock; /* of the start and of the list of contexts */
    struct list contexts;
    struct ring rings[AMD_RING_KIND_COUNT][AMD_MAX_RINGS];
};

struct amd_engine_context {
    struct list node;
    const struct gpu_space *space;
};

/* ---- rings ---- */

/* A wait of the stream: short ones give the processor away, longer ones sleep until a kill or the time is over. */
static void ring_pause(struct cp_machine *machine, uint32_t microseconds)
{
    struct amd_engine *engine = container_of(machine->device, struct amd_engine, device);
    struct ring *ring = &engine->rings[machine->ring_kind][machine->ring];
    if (microseconds == 0) {
        sched_yield();
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds * 1000l;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&ring->lock);
    if (!cp_is_killed(machine))
        pthread_cond_timedwait(&ring->wake, &ring->lock, &until);
    pthread_mutex_unlock(&ring->lock);
}

static void run_job(struct ring *ring, struct amd_engine_job *job)
{
    struct amd_engine_result result = {.error = amd_cp_machine_run(ring->machine, job)};
    struct strbuf *text = &ring->machine->error.text;
    if (result.error)
        result.report = text->text && !text->failed ? text->text : "no memory for a report";
    job->finished(job, &result);
}

static void *ring_main(void *argument)
{
    struct ring *ring = argument;
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        if (!list_is_empty(&ring->jobs)) {
            struct queued *queued = container_of(ring->jobs.next, struct queued, node);
            struct amd_engine_job *job = queued->job;
            list_remove(&queued->node);
            pthread_mutex_unlock(&ring->lock);
            job->engine_data = NULL;
            free(queued);
            run_job(ring, job);
            pthread_mutex_lock(&ring->lock);
        } else if (ring->ending) {
            break;
        } else {
            pthread_cond_wait(&ring->wake, &ring->lock);
        }
    }
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* The ring's lock is held. */
static bool start_ring(struct ring *ring, enum amd_ring_kind kind, uint32_t number)
{
    struct cp_machine *machine = calloc(1, sizeof(*machine));
    if (!machine)
        return false;
    machine->device = &ring->engine->device;
    machine->gfx = machine->device->chip->gfx;
    machine->ring_kind = kind;
    machine->ring = number;
    machine->pause = ring_pause;
    amd_cp_machine_reset(machine);
    ring->machine = machine;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&ring->thread, NULL, ring_main, ring);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) {
        free(machine);
        ring->machine = NULL;
    }
    return !error;
}

static void ring_init(struct ring *ring, struct amd_engine *engine)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    ring->engine = engine;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    list_init(&ring->jobs);
}

static void ring_finish(struct ring *ring)
{
    if (ring->machine) {
        pthread_mutex_lock(&ring->lock);
        ring->ending = true;
        pthread_cond_signal(&ring->wake);
        pthread_mutex_unlock(&ring->lock);
        pthread_join(ring->thread, NULL);
        strbuf_finish(&ring->machine->error.text);
        free(ring->machine);
    }
    pthread_cond_destroy(&ring->wake);
    pthread_mutex_destroy(&ring->lock);
}

/* ---- the engine ---- */

static void engine_destroy(struct amd_engine *engine)
{
    for (unsigned kind = 0; kind < AMD_RING_KIND_COUNT; kind++) {
        for (unsigned i = 0; i < AMD_MAX_RINGS; i++)
            ring_finish(&engine->rings[kind][i]);
    }
    amd_ge_destroy(engine->device.ge);
    amd_spi_destroy(engine->device.spi);
    if (engine->workers)
        workers_destroy(engine->workers);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static int engine_create(const struct amd_chip *chip, const struct amd_engine_host *host,
                         struct amd_engine **engine_out)
{
    struct amd_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->device.chip = chip;
    engine->device.host = host;
    pthread_mutex_init(&engine->lock, NULL);
    list_init(&engine->contexts);
    for (unsigned kind = 0; kind < AMD_RING_KIND_COUNT; kind++) {
        for (unsigned i = 0; i < AMD_MAX_RINGS; i++)
            ring_init(&engine->rings[kind][i], engine);
    }
    *engine_out = engine;
    return 0;
}

/* The workers come with the first job: many programs only ask what there is, and some fork before they work. */
static bool start_workers(struct amd_engine *engine)
{
    const char *count = secure_getenv("TUFF_WORKERS");
    pthread_mutex_lock(&engine->lock);
    if (!engine->workers)
        engine->workers = workers_create(count ? (unsigned)strtoul(count, NULL, 10) : 0);
    if (engine->workers && !engine->device.spi) {
        amd_cp_device_prepare(&engine->device);
        engine->device.spi = amd_spi_create(engine->workers);
    }
    if (engine->device.spi && !engine->device.ge)
        engine->device.ge = amd_ge_create(engine->device.chip, engine->workers, engine->device.spi);
    bool runs = engine->device.ge != NULL;
    atomic_store(&engine->started, runs);
    pthread_mutex_unlock(&engine->lock);
    return runs;
}

static int engine_context_create(struct amd_engine *engine, const struct gpu_space *space,
                                 struct amd_engine_context **context_out)
{
    struct amd_engine_context *context = calloc(1, sizeof(*context));
    if (!context)
        return -ENOMEM;
    context->space = space;
    pthread_mutex_lock(&engine->lock);
    list_push_back(&engine->contexts, &context->node);
    pthread_mutex_unlock(&engine->lock);
    *context_out = context;
    return 0;
}

static void engine_context_destroy(struct amd_engine *engine, struct amd_engine_context *context)
{
    if (!context)
        return;
    pthread_mutex_lock(&engine->lock);
    list_remove(&context->node);
    bool last = true;
    list_foreach (&engine->contexts, struct amd_engine_context, other, node) {
        last &= other->space != context->space;
    }
    struct spi *spi = engine->device.spi;
    pthread_mutex_unlock(&engine->lock);
    if (last && spi)
        amd_spi_forget_space(spi, context->space);
    free(context);
}

static void refuse(struct amd_engine_job *job, const char *why)
{
    const struct amd_engine_result result = {.error = -EIO, .report = why};
    job->finished(job, &result);
}

static void engine_submit(struct amd_engine *engine, struct amd_engine_job *job)
{
    if ((unsigned)job->ring_kind >= AMD_RING_KIND_COUNT || job->ring >= AMD_MAX_RINGS) {
        refuse(job, "there is no such ring");
        return;
    }
    if (debug_enabled(DEBUG_NULL_GPU)) {
        job->finished(job, &(const struct amd_engine_result){.error = 0});
        return;
    }
    struct queued *queued = malloc(sizeof(*queued));
    if (!queued || !(atomic_load(&engine->started) || start_workers(engine))) {
        free(queued);
        refuse(job, "no memory or no threads for a job");
        return;
    }
    queued->job = job;
    job->engine_data = queued;
    struct ring *ring = &engine->rings[job->ring_kind][job->ring];
    pthread_mutex_lock(&ring->lock);
    bool runs = ring->machine || start_ring(ring, job->ring_kind, job->ring);
    if (runs) {
        list_push_back(&ring->jobs, &queued->node);
        pthread_cond_signal(&ring->wake);
    }
    pthread_mutex_unlock(&ring->lock);
    if (!runs) {
        free(queued);
        refuse(job, "no thread or no memory for a ring");
    }
}

static void engine_kill(struct amd_engine *engine, struct amd_engine_job *job)
{
    struct ring *ring = &engine->rings[job->ring_kind][job->ring];
    pthread_mutex_lock(&ring->lock);
    pthread_cond_signal(&ring->wake);
    pthread_mutex_unlock(&ring->lock);
}

static uint64_t engine_progress(struct amd_engine *engine)
{
    if (!atomic_load(&engine->started))
        return 0;
    uint64_t sum = amd_spi_progress(engine->device.spi) + amd_ge_progress(engine->device.ge);
    for (unsigned i = 0; i < AMD_RING_KIND_COUNT * AMD_MAX_RINGS; i++)
        sum +=
            atomic_load_explicit(&engine->device.progress[i / AMD_MAX_RINGS][i % AMD_MAX_RINGS], memory_order_relaxed);
    return sum;
}

static uint64_t engine_timestamp(struct amd_engine *engine)
{
    return amd_cp_timestamp(engine->device.chip);
}

const struct amd_engine_ops *amd_engine_default(void)
{
    static const struct amd_engine_ops ops = {
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
