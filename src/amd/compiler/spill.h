/* Spilling around calls of functions, inside: spill.c asks spill_call.c. */
#ifndef AMD_COMPILER_SPILL_H
#define AMD_COMPILER_SPILL_H

#include "amd/compiler/mir.h"

/* How often something is done, as far as loops tell. */
uint32_t amd_spill_weight(unsigned loop_depth);

bool amd_spill_has_call(const struct mir_block *block);
/* By temporary: what storing and loading it around all calls that it lives across would cost. Needs liveness. */
uint32_t *amd_spill_call_costs(struct mir_program *program);
/* The last step: what still lives across a call becomes operands of it, and the frame gets its size. Needs liveness. */
void amd_spill_finish_frame(struct mir_program *program);

#endif
