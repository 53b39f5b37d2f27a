/* The micro-operations around a kernel: bringing sources into plain lanes and results out of them. */
#ifndef MALI_MODEL_SC_UOPS_H
#define MALI_MODEL_SC_UOPS_H

#include "mali/model/sc/uop.h"

/* Sources: d = s[0] with a selection, in all lanes. */
void mali_sc_uop_extract(struct mali_warp *warp, const struct sc_uop *uop);   /* imm: shift, bits << 8, signed << 16 */
void mali_sc_uop_extract64(struct mali_warp *warp, const struct sc_uop *uop); /* the same; d is two rows */
void mali_sc_uop_permute(struct mali_warp *warp, const struct sc_uop *uop);   /* imm: the order of bytes */
void mali_sc_uop_bytes(struct mali_warp *warp, const struct sc_uop *uop); /* imm: low byte, high << 4, signed << 16 */
void mali_sc_uop_half_f32(struct mali_warp *warp, const struct sc_uop *uop); /* imm: shift */
/* Modifiers: imm is SC_SIGN_*; imm2 the sign bits. */
void mali_sc_uop_sign(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_uop_not(struct mali_warp *warp, const struct sc_uop *uop); /* imm: of so many rows */

/* Results, in active lanes. */
void mali_sc_uop_clamp_f32(struct mali_warp *warp, const struct sc_uop *uop); /* of d; imm: enum mali_isa_clamp_value */
void mali_sc_uop_clamp_f16(struct mali_warp *warp, const struct sc_uop *uop); /* of both halves */
void mali_sc_uop_and(struct mali_warp *warp, const struct sc_uop *uop);       /* d &= imm */
void mali_sc_uop_invert(struct mali_warp *warp, const struct sc_uop *uop);    /* d = ~d; imm: so many rows */
void mali_sc_uop_narrow(struct mali_warp *warp, const struct sc_uop *uop);    /* d = the float s[0] as two halves */
void mali_sc_uop_merge(struct mali_warp *warp, const struct sc_uop *uop);     /* d = s[0] where imm has bits */

/* The rounding of what follows: enum lane_round. */
void mali_sc_uop_round(struct mali_warp *warp, const struct sc_uop *uop);

/* FLUSH: d = s[0]; imm: enum mali_isa_nan_value, ftz << 2, flush_inf << 3, halves << 4. */
void mali_sc_uop_flush(struct mali_warp *warp, const struct sc_uop *uop);

/* Warps: d = the word of s[0] of the lane that s[1] says; imm: lanes of a subgroup, operation << 8; imm2: what lanes
 * that are not active have. */
void mali_sc_uop_permute_lanes(struct mali_warp *warp, const struct sc_uop *uop);
/* d = bits for the lanes of the subgroup whose s[0] is not 0; imm: lanes of a subgroup. */
void mali_sc_uop_mask_lanes(struct mali_warp *warp, const struct sc_uop *uop);

#endif
