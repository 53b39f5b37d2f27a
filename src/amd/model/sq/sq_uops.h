/* The micro-operations around a kernel: bringing operands into plain lanes and results out of them. */
#ifndef AMD_MODEL_SQ_UOPS_H
#define AMD_MODEL_SQ_UOPS_H

#include "amd/model/sq/sq_wave.h"

/* d[row] = the scalar at s[0] + 4 * row, in every lane; imm rows. */
void amd_sq_uop_splat(struct sq_wave *wave, const struct sq_uop *uop);

/* d = (s[0] & imm) ^ s[1]; s[1] is a number here, not a place. abs and neg of every float type. */
void amd_sq_uop_and_xor(struct sq_wave *wave, const struct sq_uop *uop);

/* d = s[0] >> 16: the upper half as a 16-bit operand. */
void amd_sq_uop_high_half(struct sq_wave *wave, const struct sq_uop *uop);

/* d = halves of s[0]: bit 0 of imm chooses the lower result's, bit 1 the upper result's. */
void amd_sq_uop_select_halves(struct sq_wave *wave, const struct sq_uop *uop);

/* d = the half of s[0] that starts at bit imm, as a float. */
void amd_sq_uop_half_to_float(struct sq_wave *wave, const struct sq_uop *uop);

/* d = the byte, word or dword of s[0] that imm (enum isa_sdwa_sel) names; sign-extended if s[1] is not 0. */
void amd_sq_uop_sdwa_select(struct sq_wave *wave, const struct sq_uop *uop);

void amd_sq_uop_exec_changed(struct sq_wave *wave, const struct sq_uop *uop);

/* Bring vccz, execz or scc (imm: enum sq_register) to where it is read as an operand. */
void amd_sq_uop_read_status(struct sq_wave *wave, const struct sq_uop *uop);

/* d = s[0] with output modifiers: imm is omod, s[1] is clamp (numbers). One for each float type; f16 keeps d's other
 * half. */
void amd_sq_uop_output_f32(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_output_f16(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_output_f64(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_output_f16x2(struct sq_wave *wave, const struct sq_uop *uop);

/* Give the other half of a wave64 what active lanes have in d; imm rows. The upper half runs last, so its values stay.
 */
void amd_sq_uop_share(struct sq_wave *wave, const struct sq_uop *uop);

/* The upper half of d = the lower half of s[0], in active lanes. */
void amd_sq_uop_merge_high(struct sq_wave *wave, const struct sq_uop *uop);

/* d = s[0] placed as SDWA asks: imm is dst_sel, s[1] dst_unused (numbers). */
void amd_sq_uop_sdwa_merge(struct sq_wave *wave, const struct sq_uop *uop);

/* d[row] = s[0] of other lanes, by the instruction's DPP control; imm rows. Lanes that DPP disables are taken out of
 * exec until amd_sq_uop_dpp_end; s[1] is the place where exec is kept meanwhile. */
void amd_sq_uop_dpp16(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_dpp8(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_dpp_end(struct sq_wave *wave, const struct sq_uop *uop);

#endif
