/* A test double for the GPU: each ring is a thread that runs a toy language from GPU memory, enough to see order,
 * memory, faults and hangs. Words of a stream: an operation and its operands (addresses are two words, low first).
 *
 *   0                nothing
 *   1 ADDRESS VALUE  write a word
 *   2                spin until killed
 *   3 ADDRESS        wait until the word is not 0
 *   4                stop with a report */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "amd/hw/chip.h"
#include "amd/model/cp/engine.h"
#include "model/memory.h"
#include "util/array.h"
#include "util/strbuf.h"

struct ring {
    struct drm_engine *engine;
    pthread_t thread;
    pthread_cond_t wake;
    ARRAY(struct drm_engine_job *) jobs;
};

struct drm_engine {
    const struct amd_chip *chip;
    const struct drm_engine_host *host;
    pthread_mutex_t lock;
    bool ending;
    _Atomic uint64_t progress;
    struct ring rings[AMD_RING_COUNT];
};

static int fault(struct drm_engine *engine, const struct drm_engine_job *job, uint64_t va, struct strbuf *report)
{
    strbuf_printf(report, "no access to 0x%llx\n", (unsigned long long)va);
    engine->host->describe_address(job->space, va, report);
    return -EFAULT;
}

static int run_word(struct drm_engine *engine, struct drm_engine_job *job, uint64_t *va, struct strbuf *report)
{
    uint32_t word[4] = {0}, value = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!gpu_mem_read32(job->space, *va + 4 * i, &word[i]) && i == 0)
            return fault(engine, job, *va, report);
    }
    uint64_t address = word[1] | (uint64_t)word[2] << 32;
    switch (word[0]) {
    case 1:
        *va += 16;
        return gpu_mem_write32(job->space, address, word[3]) ? 0 : fault(engine, job, address, report);
    case 2:
        while (!job->killed)
            usleep(1000);
        strbuf_append(report, "spinning\n");
        return -ETIME;
    case 3:
        *va += 12;
        while (!job->killed && value == 0) {
            if (!gpu_mem_read32(job->space, address, &value))
                return fault(engine, job, address, report);
            usleep(100);
        }
        return job->killed ? -ETIME : 0;
    case 4:
        strbuf_append(report, "told to stop\n");
        return -ENOSYS;
    default:
        *va += 4;
        return 0;
    }
}

static void run_job(struct drm_engine *engine, struct drm_engine_job *job)
{
    const struct amd_engine_work *work = amd_engine_work(job);
    struct strbuf report = {0};
    int error = job->killed ? -ETIME : 0;
    for (uint32_t i = 0; i < work->ib_count && !error; i++) {
        uint64_t va = work->ibs[i].va, end = va + 4ull * work->ibs[i].size_dw;
        while (va < end && !error) {
            error = run_word(engine, job, &va, &report);
            atomic_fetch_add(&engine->progress, 1);
        }
    }
    struct drm_engine_result result = {.error = error, .report = report.text};
    job->finished(job, &result);
    strbuf_finish(&report);
}

static void *ring_main(void *argument)
{
    struct ring *ring = argument;
    struct drm_engine *engine = ring->engine;
    pthread_mutex_lock(&engine->lock);
    for (;;) {
        while (!ring->jobs.count && !engine->ending)
            pthread_cond_wait(&ring->wake, &engine->lock);
        if (!ring->jobs.count)
            break;
        struct drm_engine_job *job = ring->jobs.data[0];
        memmove(ring->jobs.data, ring->jobs.data + 1, --ring->jobs.count * sizeof(job));
        pthread_mutex_unlock(&engine->lock);
        run_job(engine, job);
        pthread_mutex_lock(&engine->lock);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

static int test_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    engine->chip = chip;
    engine->host = host;
    pthread_mutex_init(&engine->lock, NULL);
    for (unsigned i = 0; i < AMD_RING_COUNT; i++) {
        struct ring *ring = &engine->rings[i];
        ring->engine = engine;
        pthread_cond_init(&ring->wake, NULL);
        pthread_create(&ring->thread, NULL, ring_main, ring);
    }
    *engine_out = engine;
    return 0;
}

static void test_destroy(struct drm_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    engine->ending = true;
    for (unsigned i = 0; i < AMD_RING_COUNT; i++)
        pthread_cond_signal(&engine->rings[i].wake);
    pthread_mutex_unlock(&engine->lock);
    for (unsigned i = 0; i < AMD_RING_COUNT; i++) {
        struct ring *ring = &engine->rings[i];
        pthread_join(ring->thread, NULL);
        array_finish(&ring->jobs);
    }
    free(engine);
}

static int test_context_create(struct drm_engine *engine, const struct gpu_space *space,
                               struct drm_engine_context **context_out)
{
    *context_out = malloc(1);
    return 0;
}

static void test_context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    free(context);
}

static void test_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    struct ring *ring = &engine->rings[job->ring];
    pthread_mutex_lock(&engine->lock);
    if (!array_push(&ring->jobs, job))
        abort();
    pthread_cond_signal(&ring->wake);
    pthread_mutex_unlock(&engine->lock);
}

static void test_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
}

static uint64_t test_progress(struct drm_engine *engine)
{
    return atomic_load(&engine->progress);
}

static uint64_t test_timestamp(struct drm_engine *engine)
{
    return (uint64_t)clock();
}

const struct drm_engine_ops *amd_engine_default(void)
{
    static const struct drm_engine_ops ops = {
        .name = "test",
        .create = test_create,
        .destroy = test_destroy,
        .context_create = test_context_create,
        .context_destroy = test_context_destroy,
        .submit = test_submit,
        .kill = test_kill,
        .progress = test_progress,
        .timestamp = test_timestamp,
    };
    return &ops;
}
