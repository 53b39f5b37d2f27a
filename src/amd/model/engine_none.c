/* The engine of a model without a command processor: every job stops with a report, and its context is lost. A library
 * that has a command processor is built without this file. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "amd/hw/chip.h"
#include "amd/model/engine.h"

struct amd_engine {
    const struct amd_chip *chip;
};

static int none_create(const struct amd_chip *chip, const struct amd_engine_host *host, struct amd_engine **engine_out)
{
    struct amd_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->chip = chip;
    *engine_out = engine;
    return 0;
}

static void none_destroy(struct amd_engine *engine)
{
    free(engine);
}

static int none_context_create(struct amd_engine *engine, const struct gpu_space *space,
                               struct amd_engine_context **context_out)
{
    *context_out = NULL;
    return 0;
}

static void none_context_destroy(struct amd_engine *engine, struct amd_engine_context *context)
{
}

static void none_submit(struct amd_engine *engine, struct amd_engine_job *job)
{
    const struct amd_engine_result result = {.error = -ENOSYS, .report = "command processor not built yet"};
    job->finished(job, &result);
}

static void none_kill(struct amd_engine *engine, struct amd_engine_job *job)
{
}

static uint64_t none_progress(struct amd_engine *engine)
{
    return 0;
}

static uint64_t none_timestamp(struct amd_engine *engine)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t per_second = engine->chip->counter_freq_kHz * 1000ull;
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000;
}

const struct amd_engine_ops *amd_engine_default(void)
{
    static const struct amd_engine_ops ops = {
        .name = "none",
        .create = none_create,
        .destroy = none_destroy,
        .context_create = none_context_create,
        .context_destroy = none_context_destroy,
        .submit = none_submit,
        .kill = none_kill,
        .progress = none_progress,
        .timestamp = none_timestamp,
    };
    return &ops;
}
