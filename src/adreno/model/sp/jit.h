/* Host code for straight runs of instructions and for loops (model/exec/run.h, loop.h, docs/host-code.md). */
#ifndef ADRENO_MODEL_SP_JIT_H
#define ADRENO_MODEL_SP_JIT_H

#include "adreno/model/sp/code.h"
#include "model/exec/loop.h"
#include "model/exec/run.h"

/* The state of a lowering, of one cache; free() it. NULL: out of memory. */
struct sp_jit_builder *adreno_sp_jit_create(void);

extern const struct exec_family adreno_sp_family;

/* This branch backwards has been taken often enough; its target is decoded (loop.c). */
void adreno_sp_loop_found(struct adreno_wave *wave, const struct sp_uop *branch);

/* ---- of control.c, for loops ---- */

enum sp_flow {
    SP_FLOW_NONE, /* no branch, or one that loops do not have */
    SP_FLOW_ALWAYS,
    SP_FLOW_LANES, /* by a predicate */
};
enum sp_flow adreno_sp_flow(const struct sp_uop *uop);
bool adreno_sp_is_join(const struct sp_uop *uop);
/* Of a word that cannot be run: the end of its block. */
bool adreno_sp_is_stop(const struct sp_uop *uop);

#endif
