/* Control flow: branches, the end of a wave, barriers, and the stop at what cannot be executed. */
#ifndef AMD_MODEL_SQ_CONTROL_H
#define AMD_MODEL_SQ_CONTROL_H

#include "amd/model/sq/sq_code.h"

/* Append an unconditional jump: the end of a block that was cut. */
void amd_sq_build_goto(struct sq_builder *builder, uint64_t target_va);

/* Translate a SOPP instruction or another that ends a block; false where the model does not implement it. */
bool amd_sq_translate_control(struct sq_builder *builder, const struct isa_inst *inst);

/* Where a block goes on after its last micro-operation: what a branch depends on. A conditional one is followed by the
 * jump to where it goes otherwise. */
enum sq_flow {
    SQ_FLOW_NONE, /* no branch */
    SQ_FLOW_ALWAYS,
    SQ_FLOW_SCC0,
    SQ_FLOW_SCC1,
    SQ_FLOW_LANES, /* vcc or exec */
    SQ_FLOW_END,   /* of the program */
    SQ_FLOW_ELSEWHERE,
};
enum sq_flow amd_sq_control_flow(const struct sq_uop *uop);

/* Fault with imm (enum sq_fault_kind) and the text at target_va. */
void amd_sq_control_stop(struct sq_wave *wave, const struct sq_uop *uop);

#endif
