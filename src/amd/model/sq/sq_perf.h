/* Counts of the shader core while a driver asks for performance counters: waves and instructions as they are
 * executed. A launch with a struct sq_perf runs instruction by instruction, without host code of any kind, so that
 * the counts are those of the program. */
#ifndef AMD_MODEL_SQ_PERF_H
#define AMD_MODEL_SQ_PERF_H

#include <stdatomic.h>
#include <stdint.h>

struct sq_wave;

enum sq_perf_count {
    SQ_PERF_WAVES,
    SQ_PERF_INSTRUCTIONS, /* all */
    SQ_PERF_VALU,
    SQ_PERF_VALU_CYCLES, /* of issue: a wave of 64 lanes takes two */
    SQ_PERF_SALU,
    SQ_PERF_SMEM,
    SQ_PERF_LDS,
    SQ_PERF_GDS,
    SQ_PERF_LOADS, /* vector memory: loads, samples and atomics that return something */
    SQ_PERF_STORES,
    SQ_PERF_READS, /* lanes that these read for, lanes that they write for */
    SQ_PERF_WRITES,
    SQ_PERF_READ_DW, /* the registers of those lanes */
    SQ_PERF_WRITTEN_DW,
    SQ_PERF_COUNTS,
};

struct sq_perf {
    _Atomic uint64_t counts[SQ_PERF_COUNTS]; /* workers add to them */
};

void amd_sq_perf_add(struct sq_perf *perf, enum sq_perf_count count, uint64_t more);

/* Run a wave until it ends, waits or has used up its turn, and count. */
void amd_sq_perf_run(struct sq_wave *wave);

#endif
