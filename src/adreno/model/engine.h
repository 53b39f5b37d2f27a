/* The work of a job, between the msm kernel driver's model and the GPU. How jobs come and go is
 * model/drm/drm_engine.h's. */
#ifndef ADRENO_MODEL_ENGINE_H
#define ADRENO_MODEL_ENGINE_H

#include "model/drm/drm_engine.h"

/* The GPU has one ring that streams are fed to. Priorities order the jobs before they come here. */
#define ADRENO_RING_COUNT 1

/* A buffer that the ring calls: level 1. */
struct adreno_ib {
    uint64_t va;
    uint32_t size_dw;
};

/* drm_engine_job.work: the buffers run one after the other, as the kernel's CP_INDIRECT_BUFFER packets would. */
struct adreno_work {
    const struct adreno_ib *ibs;
    uint32_t ib_count;
};

/* The engine that the model's library is built with; its chip is a struct adreno_chip. */
extern const struct drm_engine_ops adreno_engine_ops;

/* CP_ALWAYS_ON_COUNTER, which timestamps are: 19.2 MHz. */
#define ADRENO_TICKS_PER_SECOND 19200000ull
uint64_t adreno_timestamp(void);

#endif
