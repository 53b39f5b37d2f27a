/* Spilling, inside: spill.c chooses the values that are given up, spill_memory.c gives them places in private memory and
 * rewrites the program. */
#ifndef COMPILER_MACHINE_SPILL_H
#define COMPILER_MACHINE_SPILL_H

#include "compiler/machine/code.h"

struct spill {
    struct mach_program *program;
    uint32_t num_temps; /* before the round: what is new is not looked at */
    bool *is_given_up;  /* by temporary */
    bool *is_repeated;  /* by temporary: made anew before each use, without memory */
};

/* Whether a phi's result is in memory: its operands are stored at the ends of the ways that it comes by. */
static inline bool spill_is_memory_phi(const struct spill *spill, const struct mach_instr *instr)
{
    return instr->op == MACH_P_PHI && instr->defs[0].temp < spill->num_temps && spill->is_given_up[instr->defs[0].temp];
}

/* What is given up leaves the registers. */
void mach_spill_rewrite(struct spill *spill);

#endif
