/* The work of a job, between the amdgpu kernel driver's model and the GPU: rings, indirect buffers, on-chip memory. How
 * jobs come and go is model/drm/drm_engine.h's. */
#ifndef AMD_MODEL_ENGINE_H
#define AMD_MODEL_ENGINE_H

#include "model/drm/drm_engine.h"

enum amd_ring_kind {
    AMD_RING_GFX,
    AMD_RING_COMPUTE,
    AMD_RING_SDMA,
    AMD_RING_KIND_COUNT,
};

#define AMD_MAX_RINGS 4 /* of one kind */
#define AMD_RING_COUNT (AMD_RING_KIND_COUNT * AMD_MAX_RINGS)

/* drm_engine_job.ring */
static inline uint32_t amd_ring_number(enum amd_ring_kind kind, uint32_t index)
{
    return (uint32_t)kind * AMD_MAX_RINGS + index;
}

static inline enum amd_ring_kind amd_ring_kind(uint32_t ring)
{
    return (enum amd_ring_kind)(ring / AMD_MAX_RINGS);
}

static inline uint32_t amd_ring_index(uint32_t ring)
{
    return ring % AMD_MAX_RINGS;
}

/* "graphics" */
static inline const char *amd_ring_name(enum amd_ring_kind kind)
{
    return kind == AMD_RING_GFX ? "graphics" : kind == AMD_RING_COMPUTE ? "compute" : "DMA";
}

/* Indirect buffers of one job run one after the other. */
struct amd_engine_ib {
    uint64_t va;
    uint32_t size_dw;
    uint32_t flags; /* AMDGPU_IB_FLAG_*; a PREAMBLE was already left out when the same context ran last on this ring */
};

/* A part of the on-chip memory that the kernel gave to this job's context; size 0: none. */
struct amd_engine_partition {
    uint32_t base;
    uint32_t size;
};

/* drm_engine_job.work */
struct amd_engine_work {
    const struct amd_engine_ib *ibs;
    uint32_t ib_count;
    struct amd_engine_partition gds_B, gws, oa;
};

static inline const struct amd_engine_work *amd_engine_work(const struct drm_engine_job *job)
{
    return (const struct amd_engine_work *)job->work;
}

/* The engine that the model's library is built with; its chip is a struct amd_chip. */
const struct drm_engine_ops *amd_engine_default(void);

#endif
