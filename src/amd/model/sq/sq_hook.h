/* Where a wave leaves the shader core: exports, messages and attributes go to the block that launched it (struct
 * sq_hooks). */
#ifndef AMD_MODEL_SQ_HOOK_H
#define AMD_MODEL_SQ_HOOK_H

#include "amd/model/sq/sq_code.h"

void amd_sq_hook_message(struct sq_wave *wave, const struct sq_uop *uop);

/* Bring attribute imm / 4, channel imm % 4 to where the interpolation kernels read it. */
void amd_sq_uop_attribute(struct sq_wave *wave, const struct sq_uop *uop);

bool amd_sq_translate_export(struct sq_builder *builder, const struct isa_inst *inst);

#endif
