/* Optimising machine IR in SSA form, inside: optimise.c drives and forwards values, optimise_combine.c makes one
 * instruction of two, optimise_legal.c knows what an instruction can read. */
#ifndef AMD_COMPILER_OPTIMISE_H
#define AMD_COMPILER_OPTIMISE_H

#include "amd/compiler/mir.h"

struct optimiser {
    struct mir_program *program;
    struct mir_instr **def; /* by temporary */
    uint32_t *uses;         /* by temporary: how many operands read it */
    mir_temp *alias;        /* by temporary: another one with the same value, or 0 */
    uint32_t capacity;
    uint32_t *home;     /* by temporary: the block that makes it */
    uint32_t *loop_end; /* by block: the last one of the innermost loop around it */
    uint32_t here;      /* the block that is looked at */
};

static inline struct mir_class opt_class(const struct optimiser *optimiser, mir_temp temp)
{
    return optimiser->program->temps[temp].class;
}

/* The instruction that defines an operand, if it is a temporary. */
static inline struct mir_instr *opt_def(const struct optimiser *optimiser, const struct mir_operand *operand)
{
    return operand->kind == MIR_TEMP ? optimiser->def[operand->temp] : NULL;
}

/* Whether an instruction of this block may read the operand itself instead of what was made of it. Lanes that left a
 * loop have in vectors what scalars were in their last turn; behind the loop a scalar is what it was in the last
 * lane's. */
static inline bool opt_is_in_reach(const struct optimiser *optimiser, const struct mir_operand *operand)
{
    return operand->kind != MIR_TEMP || opt_class(optimiser, operand->temp).vector ||
           optimiser->here <= optimiser->loop_end[optimiser->home[operand->temp]];
}

/* Exchange an operand and count. */
void amd_opt_replace(struct optimiser *optimiser, struct mir_operand *operand, struct mir_operand with);

/* Whether an instruction of an ALU with these operands has an encoding: kinds of operands by place, two scalars, one
 * literal. */
bool amd_opt_is_legal(const struct mir_program *program, const struct mir_instr *instr);
bool amd_opt_is_vector_alu(const struct mir_instr *instr);
bool amd_opt_is_scalar_alu(const struct mir_instr *instr);
bool amd_opt_takes_clamp(const struct mir_program *program, unsigned op);

/* Modifiers change nothing: such an instruction may become part of another. */
bool amd_opt_is_plain(const struct mir_instr *instr);

bool amd_opt_combine(struct optimiser *optimiser, struct mir_instr *instr);

#endif
