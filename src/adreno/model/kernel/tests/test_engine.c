/* A test double for the GPU: one ring that runs a toy language from GPU memory, enough to see order, memory, faults and
 * hangs. Words of a stream: an operation and its operands (addresses are two words, low first).
 *
 *   0                nothing
 *   1 ADDRESS VALUE  write a word
 *   2                spin until killed
 *   3 ADDRESS        wait until the word is not 0
 *   4                stop with a report
 *   5 ADDRESS        add one to a word */
#include <errno.h>
#include <stdlib.h>

#include "adreno/model/engine.h"
#include "adreno/model/gpu.h"
#include "model/drm/drm_ring.h"
#include "model/memory.h"
#include "util/bits.h"
#include "util/strbuf.h"

struct drm_engine {
    const struct drm_engine_host *host;
    struct drm_ring ring;
    _Atomic uint64_t progress;
    struct strbuf report;
};

struct drm_engine_context {
    int nothing;
};

static int fault(struct drm_engine *engine, const struct drm_engine_job *job, uint64_t va)
{
    strbuf_printf(&engine->report, "no access to 0x%llx\n", (unsigned long long)va);
    engine->host->describe_address(job->space, va, &engine->report);
    return -EFAULT;
}

static int wait_for_word(struct drm_engine *engine, struct drm_engine_job *job, uint64_t va)
{
    uint32_t value = 0;
    while (!job->killed && value == 0) {
        if (!gpu_mem_read32(job->space, va, &value))
            return fault(engine, job, va);
        drm_ring_pause(&engine->ring, job, 100);
        atomic_fetch_add(&engine->progress, 1); /* a wait is no hang */
    }
    return job->killed ? -ETIME : 0;
}

static int run_word(struct drm_engine *engine, struct drm_engine_job *job, uint64_t *va)
{
    uint32_t word[4] = {0}, value;
    for (unsigned i = 0; i < 4; i++) {
        if (!gpu_mem_read32(job->space, *va + 4 * i, &word[i]) && i == 0)
            return fault(engine, job, *va);
    }
    uint64_t address = word[1] | (uint64_t)word[2] << 32;
    switch (word[0]) {
    case 1:
        *va += 16;
        return gpu_mem_write32(job->space, address, word[3]) ? 0 : fault(engine, job, address);
    case 2:
        while (!job->killed)
            drm_ring_pause(&engine->ring, job, 1000);
        return -ETIME;
    case 3:
        *va += 12;
        return wait_for_word(engine, job, address);
    case 4:
        strbuf_append(&engine->report, "told to stop\n");
        return -ENOSYS;
    case 5:
        *va += 12;
        return gpu_mem_read32(job->space, address, &value) && gpu_mem_write32(job->space, address, value + 1)
                   ? 0
                   : fault(engine, job, address);
    default:
        *va += 4;
        return 0;
    }
}

static struct drm_engine_result ring_run(struct drm_ring *ring, struct drm_engine_job *job)
{
    struct drm_engine *engine = container_of(ring, struct drm_engine, ring);
    const struct adreno_work *work = job->work;
    strbuf_clear(&engine->report);
    static const uint32_t regs[ADRENO_REG_COUNT] = {[0x8000] = 0x1234};
    struct adreno_crash crash = {.regs = regs, .report = "a report\nof two lines", .is_fault = true};
    int error = job->killed ? -ETIME : 0;
    for (uint32_t i = 0; i < work->ib_count && !error; i++) {
        uint64_t va = work->ibs[i].va, end = va + 4ull * work->ibs[i].size_dw;
        while (va < end && !error) {
            crash.ib = i;
            crash.places[0] = (struct adreno_crash_place){work->ibs[i].va, work->ibs[i].size_dw,
                                                          (uint32_t)(va - work->ibs[i].va) / 4};
            error = job->killed ? -ETIME : run_word(engine, job, &va);
            atomic_fetch_add(&engine->progress, 1);
        }
    }
    if (error && work->lost)
        work->lost(job, &crash);
    return (struct drm_engine_result){.error = error, .report = engine->report.text};
}

static bool ring_start(struct drm_ring *ring)
{
    return true;
}

static int create_engine(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->host = host;
    drm_ring_init(&engine->ring, &ring_ops);
    *engine_out = engine;
    return 0;
}

static void destroy_engine(struct drm_engine *engine)
{
    drm_ring_finish(&engine->ring);
    strbuf_finish(&engine->report);
    free(engine);
}

static int context_create(struct drm_engine *engine, const struct gpu_space *space,
                          struct drm_engine_context **context_out)
{
    *context_out = calloc(1, sizeof(**context_out));
    return *context_out ? 0 : -ENOMEM;
}

static void context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    free(context);
}

static void submit_job(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= ADRENO_RING_COUNT || drm_ring_submit(&engine->ring, job))
        abort();
}

static void kill_job(struct drm_engine *engine, struct drm_engine_job *job)
{
    drm_ring_wake(&engine->ring);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    return atomic_load(&engine->progress);
}

static uint64_t timestamp(struct drm_engine *engine)
{
    return 19200000;
}

const struct drm_engine_ops adreno_engine_ops = {
    .name = "test",
    .create = create_engine,
    .destroy = destroy_engine,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .submit = submit_job,
    .kill = kill_job,
    .progress = engine_progress,
    .timestamp = timestamp,
};
