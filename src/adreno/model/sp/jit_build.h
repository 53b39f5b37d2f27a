/* How a run of micro-operations is lowered to a lane program (model/exec/program.h): operands, and what generated code
 * (gen_jit.py) writes it with. */
#ifndef ADRENO_MODEL_SP_JIT_BUILD_H
#define ADRENO_MODEL_SP_JIT_BUILD_H

#include "adreno/model/sp/alu.h"
#include "model/exec/program.h"

#define SP_JIT_ROWS (2 * ADRENO_WAVE_TEMPS + ADRENO_WAVE_ROWS) /* temporaries, in waves of 64 twice as many */

struct sp_jit_builder {
    const struct sp_uop *uop; /* at hand */
    const struct adreno_wave *wave;
    struct lane_program program;
    /* The value of a row now, JIT_NONE where it was not looked at; its last JIT_STORE. */
    jit_value rows[SP_JIT_ROWS], stores[SP_JIT_ROWS];
    uint16_t constants[ADRENO_WAVE_SCALARS]; /* numbers of constants that are brought before the code runs */
    uint32_t constant_count;
};

jit_value adreno_sp_jit_read_row(struct sp_jit_builder *b, sp_place place);
void adreno_sp_jit_write_row(struct sp_jit_builder *b, sp_place place, jit_value value);

struct sp_jit_row {
    sp_run_fn kernel;
    void (*lower)(struct sp_jit_builder *b);
    bool not_clamped; /* not where the instruction saturates */
};
extern const struct sp_jit_row adreno_sp_jit_rows[];
extern const unsigned adreno_sp_jit_row_count;

#endif
