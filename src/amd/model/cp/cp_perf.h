/* Performance counters: registers that say what a block counts, and the counts. The model keeps the counts of a few
 * blocks: cycles of the command processor, and what the shader core executes (sq_perf.h). There are no caches: every
 * request of a shader misses all of them, and its bytes are the memory's. */
#ifndef AMD_MODEL_CP_PERF_H
#define AMD_MODEL_CP_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/model/sq/sq_perf.h"

struct cp_machine;

/* Registers of counters, which have nothing else among them. */
#define CP_PERF_BEGIN_B 0x34000

enum cp_perf_stage {
    CP_PERF_PIXELS,
    CP_PERF_VERTICES,
    CP_PERF_COMPUTE,
};

struct cp_perf {
    struct sq_perf sq;
    bool is_counting;        /* CP_PERFMON_CNTL */
    bool is_graphics_window; /* between PERFCOUNTER_START and _STOP */
    uint64_t began_ns, active_ns;
    bool is_one_engine; /* GRBM_GFX_INDEX: what is written and read is one engine's */
};

/* CP_PERFMON_CNTL was written. */
void amd_cp_perf_control(struct cp_machine *m, uint32_t value);

/* The counter whose low half stands at that offset. */
bool amd_cp_perf_read(struct cp_machine *m, uint32_t offset_B, uint64_t *value_out);

/* Where waves of a stage are counted; NULL: they are not. */
struct sq_perf *amd_cp_perf_of(struct cp_machine *m, enum cp_perf_stage stage);

#endif
