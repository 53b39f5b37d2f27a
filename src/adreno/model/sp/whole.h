/* Compute programs as a whole (model/exec/whole.h, docs/host-code.md): one lane program from the first instruction to
 * the last, for programs without loops, barriers, local memory and memory other than dwords of buffers. A frame is a
 * wave that runs nothing else, whose values are a row's numbers. */
#ifndef ADRENO_MODEL_SP_WHOLE_H
#define ADRENO_MODEL_SP_WHOLE_H

#include "adreno/model/sp/jit_build.h"
#include "model/exec/whole.h"

/* Registers that a dispatch fills: components, ADRENO_NO_REG for none. */
struct adreno_group_regs {
    uint8_t group_id, group_size, group_offset, local_id; /* three each */
    uint8_t linear_id;
};

/* In adreno_wave.values, after a row's numbers: three each. */
enum sp_whole_value {
    SP_WHOLE_SIZE = EXEC_WHOLE_VALUES,
    SP_WHOLE_OFFSET = SP_WHOLE_SIZE + 3,
};

struct sp_whole {
    struct exec_whole exec;
    struct adreno_group_regs regs;
    bool has_preamble;
    struct sp_jit_inputs inputs;
};

/* The program of a launch, if it is worth its code: `rows` are about to run. NULL: as waves. */
struct sp_whole *adreno_sp_whole_find(struct adreno_sp *sp, const struct adreno_launch *launch,
                                      const struct adreno_group_regs *regs, struct exec_shape shape, uint64_t rows);

/* The wave that it runs in, with what it needs. NULL: not for this launch, or the preamble has to run first. */
struct adreno_wave *adreno_sp_whole_bring(struct adreno_sp *sp, struct sp_whole *whole,
                                          const struct adreno_launch *launch, const struct exec_grid *grid);

#endif
