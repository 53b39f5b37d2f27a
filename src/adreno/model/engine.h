/* The work of a job, between the msm kernel driver's model and the GPU. How jobs come and go is
 * model/drm/drm_engine.h's. */
#ifndef ADRENO_MODEL_ENGINE_H
#define ADRENO_MODEL_ENGINE_H

#include <time.h>

#include "model/drm/drm_engine.h"

/* The GPU has one ring that streams are fed to. Priorities order the jobs before they come here. */
#define ADRENO_RING_COUNT 1

/* A buffer that the ring calls: level 1. */
struct adreno_ib {
    uint64_t va;
    uint32_t size_dw;
};

/* The remains of a job that was lost; valid during the call that gets it. */
struct adreno_crash {
    const uint32_t *regs; /* by number, ADRENO_REG_COUNT of them */
    const char *report;
    uint32_t ib; /* which of the job's buffers ran */
    struct adreno_crash_place {
        uint64_t va; /* of the buffer; 0: none */
        uint32_t size_dw;
        uint32_t at_dw; /* of the packet in hand, or of the one after the call */
    } places[2];        /* of levels 1 and 2 */
    bool is_fault, is_write;
    uint64_t fault_va;
};

/* drm_engine_job.work: the buffers run one after the other, as the kernel's CP_INDIRECT_BUFFER packets would. */
struct adreno_work {
    const struct adreno_ib *ibs;
    uint32_t ib_count;
    /* The job is lost, and the GPU not reset yet; in the ring's thread. May be NULL. */
    void (*lost)(const struct drm_engine_job *job, const struct adreno_crash *crash);
};

/* The engine that the model's library is built with; its chip is a struct adreno_chip. */
extern const struct drm_engine_ops adreno_engine_ops;

/* CP_ALWAYS_ON_COUNTER, which timestamps are: 19.2 MHz. */
#define ADRENO_TICKS_PER_SECOND 19200000ull
static inline uint64_t adreno_timestamp(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ADRENO_TICKS_PER_SECOND +
           (uint64_t)now.tv_nsec * ADRENO_TICKS_PER_SECOND / 1000000000;
}

#endif
