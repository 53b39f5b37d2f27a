/* Spilling, inside: spill.c chooses and asks spill_rewrite.c and, of what lives around calls of functions,
 * spill_call.c. */
#ifndef AMD_COMPILER_SPILL_H
#define AMD_COMPILER_SPILL_H

#include "amd/compiler/mir.h"

#define SPILL_NO_SLOT UINT32_MAX

struct spiller {
    struct mir_program *program;
    unsigned max_sgprs, max_vgprs;
    bool vector;         /* which of both files this round is about */
    uint32_t *cost;      /* by temporary: of its loads and stores */
    uint32_t *call_cost; /* the same, of those around calls */
    uint32_t *slot;      /* by temporary: SPILL_NO_SLOT unless it is spilled */
    bool *chosen;
    bool *keep; /* must stay in registers */
    uint32_t capacity;
    uint8_t *alive;
    unsigned sgprs, vgprs;
};

static inline struct mir_class spiller_class_of(const struct spiller *spiller, mir_temp temp)
{
    return spiller->program->temps[temp].class;
}

/* How often something is done, as far as loops tell. */
uint32_t amd_spill_weight(unsigned loop_depth);

/* Made anew instead of loaded. */
bool amd_spill_is_constant(const struct mir_instr *def);
/* Room for temporaries that are new. */
void amd_spill_reserve(struct spiller *spiller);
/* Rewrites the values that were chosen of the file at hand. */
void amd_spill_rewrite(struct spiller *spiller);

bool amd_spill_has_call(const struct mir_block *block);
/* By temporary: what storing and loading it around all calls that it lives across would cost. Needs liveness. */
uint32_t *amd_spill_call_costs(struct mir_program *program);
/* The last step: what still lives across a call becomes operands of it, and the frame gets its size. Needs liveness. */
void amd_spill_finish_frame(struct mir_program *program);

#endif
