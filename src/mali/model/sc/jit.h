/* Host code for straight runs of instructions and for loops (model/exec/run.h, loop.h, docs/host-code.md). */
#ifndef MALI_MODEL_SC_JIT_H
#define MALI_MODEL_SC_JIT_H

#include "mali/model/sc/code.h"
#include "model/exec/loop.h"
#include "model/exec/run.h"

/* The state of a lowering, of one cache; free() it. NULL: out of memory. */
struct sc_jit_builder *mali_sc_jit_create(void);

extern const struct exec_family mali_sc_family;

/* This branch backwards has been taken often enough; its target is decoded (loop.c). */
void mali_sc_loop_found(struct mali_warp *warp, const struct sc_uop *branch);

/* Sines and cosines of 64 parts of a turn (jit_math.c). */
void mali_sc_jit_turns(float turns_out[64][2], const struct lane_mode *mode);

/* ---- of control.c ---- */

enum sc_flow {
    SC_FLOW_NONE, /* no branch, or one that loops do not have */
    SC_FLOW_ALWAYS,
    SC_FLOW_LANES, /* by a register */
};
enum sc_flow mali_sc_flow(const struct sc_uop *uop);
/* All that run end here. */
bool mali_sc_is_end(const struct sc_uop *uop);
/* BRANCHZI; whether it is taken where its first source is this word; the address that its second one means. */
bool mali_sc_is_indirect(const struct sc_uop *uop);
bool mali_sc_takes(const struct sc_uop *uop, uint32_t word);
uint64_t mali_sc_address(const struct mali_warp *warp, uint32_t word);

#endif
