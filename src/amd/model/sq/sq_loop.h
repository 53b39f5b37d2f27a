/* Loops become host code: whole ones, with their scalar instructions and branches, from the first round to the way out.
 *
 * A branch that has gone backwards often enough is the end of a loop, and its target the beginning. If all that is done
 * between them can be lowered (sq_jit_build.h) and nothing but scc decides about leaving, the loop becomes one program
 * with a loop (model/jit.h), which a few lanes run to its end before the next ones begin. That cannot be seen: nothing
 * in it is stored, no lane looks at another, and scalars, which all lanes have in common, are the same each time.
 *
 * From then on the first micro-operation of the loop's first block enters the code, or does what it did before: for
 * waves of another mode, and for descriptors that host code does not support. Registers that nothing looks at after the
 * loop are not stored. */
#ifndef AMD_MODEL_SQ_LOOP_H
#define AMD_MODEL_SQ_LOOP_H

#include "amd/model/sq/sq_code.h"

/* How often a branch goes backwards before it is a loop's; 0: never. */
uint32_t amd_sq_loop_countdown(struct sq_code *code);

/* This branch has been taken that often; its target is decoded. */
void amd_sq_loop_found(struct sq_wave *wave, const struct sq_uop *branch);

/* A micro-operation, or what it was before it entered a loop. */
const struct sq_uop *amd_sq_loop_original(const struct sq_uop *uop);

/* Does it enter a loop's code? */
bool amd_sq_loop_is_head(const struct sq_uop *uop);

/* ---- sq_loop_live.c ---- */

/* VGPRs that an instruction names from here on, on any way that the program may take. */
struct sq_live {
    uint64_t rows[4];
};
struct sq_live amd_sq_loop_live(struct sq_wave *wave, const uint64_t *vas, uint32_t count);

#endif
