/* Spilling, inside: spill.c chooses the values that are given up, spill_memory.c says which of them share a place and
 * rewrites the program, spill_slots.c gives places their slots in private memory. */
#ifndef COMPILER_MACHINE_SPILL_H
#define COMPILER_MACHINE_SPILL_H

#include "compiler/machine/code.h"

struct spill {
    struct mach_program *program;
    uint32_t num_temps; /* before the round: what is new is not looked at */
    bool *is_given_up;  /* by temporary */
    bool *is_repeated;  /* by temporary: made anew before each use, without memory */
};

static inline bool spill_is_in_memory(const struct spill *spill, mach_temp temp)
{
    return temp && temp < spill->num_temps && spill->is_given_up[temp] && !spill->is_repeated[temp];
}

/* Whether a phi's result is in memory: its operands are stored at the ends of the ways that it comes by. */
static inline bool spill_is_memory_phi(const struct spill *spill, const struct mach_instr *instr)
{
    return instr->op == MACH_P_PHI && instr->defs[0].temp < spill->num_temps && spill->is_given_up[instr->defs[0].temp];
}

/* Values that were given up leave the registers. */
void mach_spill_rewrite(struct spill *spill);
/* The slots of places, in dwords: `place` is by temporary. */
void mach_spill_assign_slots(const struct spill *spill, const uint32_t *place, uint32_t num_places, uint32_t *slot_out);

#endif
