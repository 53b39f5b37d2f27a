/* Exported rows in lane programs, between the files that make elements of them. */
#ifndef AMD_MODEL_CB_LOWER_H
#define AMD_MODEL_CB_LOWER_H

#include "amd/model/cb/cb.h"
#include "model/pixel/pixel_program.h"

/* Without what keeps the lower half alone, which all halves are. */
static inline jit_value cb_bare_half(const struct lane_program *program, jit_value half)
{
    uint32_t mask;
    const struct jit_inst *inst = &program->insts[half];
    return inst->op == JIT_AND && lane_program_is_const(program, inst->b, &mask) && mask == 0xffff ? inst->a : half;
}

/* One of the two halves of a row. As a shader packs them, they are there already. */
static inline jit_value cb_half_of(struct lane_program *program, jit_value row, bool is_high)
{
    const struct jit_inst inst = program->insts[row];
    if (inst.op == JIT_OR && program->insts[inst.b].op == JIT_SHL_IMM && program->insts[inst.b].imm == 16) {
        const jit_value half = cb_bare_half(program, is_high ? program->insts[inst.b].a : inst.a);
        if (pixel_program_is_half(program, half))
            return half;
    }
    return is_high ? lane_program_shift_by(program, JIT_SHR, row, 16) : lane_program_zero_extend(program, row, 16);
}

#endif
