/* Spilling around calls of functions, inside: spill.c asks spill_call.c. */
#ifndef AMD_COMPILER_SPILL_H
#define AMD_COMPILER_SPILL_H

#include "amd/compiler/mir.h"

bool amd_spill_has_call(const struct mir_block *block);
/* Whether a vector that can be spilled lives across a call. Needs liveness. */
bool amd_spill_vectors_at_calls(const struct mir_program *program);
/* The last step: scalars that live across a call become operands of it, and the frame gets its size. Needs liveness. */
void amd_spill_finish_frame(struct mir_program *program);

#endif
