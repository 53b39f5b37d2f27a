/* Control flow: branches, the end of a wave, barriers, and the stop at what cannot be executed. */
#ifndef AMD_MODEL_SQ_CONTROL_H
#define AMD_MODEL_SQ_CONTROL_H

#include "amd/model/sq/sq_code.h"

/* Append an unconditional jump: the end of a block that was cut. */
void amd_sq_build_goto(struct sq_builder *builder, uint64_t target_va);

/* Translate a SOPP instruction or another that ends a block; false where the model does not implement it. */
bool amd_sq_translate_control(struct sq_builder *builder, const struct isa_inst *inst);

/* Fault with imm (enum sq_fault_kind) and the text at target_va. */
void amd_sq_control_stop(struct sq_wave *wave, const struct sq_uop *uop);

#endif
