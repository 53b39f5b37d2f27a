/* The graphics pipeline as the command processor sees it: one call per draw. The command processor has already done
 * what is a packet's business (indirect arguments, user SGPRs of base vertex and instance, predication); everything
 * else that a draw depends on stands in the registers. */
#ifndef AMD_MODEL_GE_DRAW_H
#define AMD_MODEL_GE_DRAW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "amd/model/registers.h"
#include "amd/model/sq/sq_gds.h"
#include "amd/model/sq/sq_wave.h"

struct coherence_actor;
struct gpu_space;
struct spi;
struct workers;
struct ge; /* the pipeline's own state of one device */

struct ge_draw {
    const struct amd_chip *chip;
    const struct gpu_space *memory;
    const struct cp_registers *registers;
    struct cp_counters *counters;
    struct sq_gds gds;
    const _Atomic bool *killed;

    uint32_t count; /* indices, or vertices of a draw without an index buffer */
    uint32_t instance_count;
    bool indexed;
    uint64_t index_va;        /* of the draw's first index; its size is in VGT_INDEX_TYPE */
    uint32_t index_available; /* indices that may be read from there; those beyond read as zero */
    uint32_t initiator;       /* VGT_DRAW_INITIATOR */
    uint64_t number;          /* the caller's, for ge_result */

    /* Who fetches indices, and the parts of the draw that run geometry and pixels; NULL: nothing is looked at. */
    struct coherence_actor *front, *vertices, *pixels;
    struct sq_perf *vertex_perf, *pixel_perf; /* where waves are counted; NULL: they are not */
};

/* How a draw ended. */
struct ge_result {
    int error;       /* 0, -EFAULT, -ENOSYS, -ETIME, -EIO: as drm_engine_result has them */
    const char *why; /* static text, when error is not 0 */
    bool in_shader;  /* then `fault` says where */
    struct sq_fault fault;
    uint64_t program_va; /* of the shader that faulted */
    uint32_t wave_size;
    const char *stage; /* "pixel shader" */
    uint64_t number;   /* of the draw that ended so */
};

#define GE_DRAWS_BEFORE 256 /* more never wait */

struct ge *amd_ge_create(const struct amd_chip *chip, struct workers *workers, struct spi *spi);
void amd_ge_destroy(struct ge *ge);

/* Run a draw. Neither count is 0. Its pixels, its counters and those of some draws before it may come later, in the
 * order of the draws: amd_ge_finish waits for all of them. False: this one or one before it was abandoned, the draws
 * after that one with it, and *result_out says which and why. One ring at a time calls it. */
bool amd_ge_draw(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out);
/* Every effect of the draws before is in memory and in the counters when it returns. */
bool amd_ge_finish(struct ge *ge, struct ge_result *result_out);

/* Grows while draws make progress. */
uint64_t amd_ge_progress(const struct ge *ge);

#endif
