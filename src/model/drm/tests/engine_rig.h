/* The rig of an engine's tests: an address space with one buffer, an engine with contexts of that space, and jobs. A
 * family's rig adds what its work is made of. */
#ifndef MODEL_DRM_TESTS_ENGINE_RIG_H
#define MODEL_DRM_TESTS_ENGINE_RIG_H

#include "model/drm/drm_engine.h"
#include "model/memory.h"

#define RIG_SIZE_B (1u << 20) /* of the buffer */
#define RIG_STREAM_B 0x80000u /* streams are put from here on */
#define RIG_REPORT_B 32768
#define RIG_MAX_CONTEXTS 2

struct rig {
    const struct drm_engine_ops *ops;
    struct drm_engine *engine;
    struct drm_engine_context *contexts[RIG_MAX_CONTEXTS];
    struct gpu_space space;
    uint64_t va; /* of the buffer */
    int fd;
    uint8_t *map;      /* the buffer, as the host sees it */
    uint32_t stream_B; /* where the next stream goes */
    int error;         /* of the last job */
    char report[RIG_REPORT_B];
};

/* A job under way. */
struct rig_job {
    struct drm_engine_job base;
    _Atomic bool is_done;
    int error;
    char report[RIG_REPORT_B];
    _Alignas(16) uint8_t work[128]; /* the family's */
};

/* For cmocka's setup: `extents` must have the buffer's address. 0, or -1. */
int rig_open(void **state, const struct drm_engine_ops *ops, const void *chip, uint64_t va,
             const struct gpu_extent *extents, uint32_t extent_count, unsigned context_count);
int rig_teardown(void **state);

static inline uint32_t *rig_dw(struct rig *rig, uint32_t offset_B)
{
    return (uint32_t *)(rig->map + offset_B);
}

static inline uint64_t *rig_qw(struct rig *rig, uint32_t offset_B)
{
    return (uint64_t *)(rig->map + offset_B);
}

/* Copy words of a stream into the buffer; their address. */
uint64_t rig_place_bytes(struct rig *rig, const void *data, uint32_t size_B);

/* The place of a new job's work, of up to `work_B` bytes, which are zero; then hand it to the engine. */
void *rig_job_init(struct rig *rig, struct rig_job *job, unsigned context, uint32_t ring, size_t work_B);
void rig_job_submit(struct rig *rig, struct rig_job *job);
void rig_kill(struct rig *rig, struct rig_job *job);
int rig_wait(struct rig_job *job); /* the error */

/* Wait, and keep the error and the report in the rig; the error. */
int rig_finish(struct rig *rig, struct rig_job *job);

#endif
