/* The generated ALU kernels (gen_alu.py) and what they use. */
#ifndef ADRENO_MODEL_SP_ALU_H
#define ADRENO_MODEL_SP_ALU_H

#include "adreno/model/sp/uop.h"
#include "isa/lane.h"

/* Sizes of sources and destination, in the order of a kernel's name. */
enum sp_sizes {
    SP_FULL_FULL,
    SP_FULL_HALF,
    SP_HALF_FULL,
    SP_HALF_HALF,
};

/* Variants of an instruction: 0 of one that has no fields to choose by; conditions of comparisons in the order of the
 * field `cond`; 1: (ei) of an addition; of a dot product bit 0 is `mixed`, bit 1 `high`. */
#define SP_VARIANTS 6

/* The mode of all waves: denormals are flushed, results rounded to nearest even. */
extern struct lane_mode adreno_sp_float_mode;

/* NULL: no meaning is known. */
extern const sp_run_fn adreno_sp_alu_kernels[ADRENO_ISA_OP_COUNT][SP_VARIANTS][4];
/* Conversions, by types of source and destination. */
extern const sp_run_fn adreno_sp_move_kernels[8][8];

#endif
