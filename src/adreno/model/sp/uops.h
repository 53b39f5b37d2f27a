/* The micro-operations around a kernel: bringing operands into plain lanes and results out of them. */
#ifndef ADRENO_MODEL_SP_UOPS_H
#define ADRENO_MODEL_SP_UOPS_H

#include "adreno/model/sp/uop.h"

/* d = constant number imm, in every lane; s[0] is enum sp_constant, a number. */
enum sp_constant {
    SP_CONSTANT_WORD,
    SP_CONSTANT_HALF,     /* its lower half */
    SP_CONSTANT_NARROWED, /* a float, as a half */
};
void adreno_sp_uop_constant(struct adreno_wave *wave, const struct sp_uop *uop);
/* Constants numbered by a0.x + imm of each lane. */
void adreno_sp_uop_constant_relative(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = the register of number a0.x + imm of each lane; s[0]: whether it is a half one, a number. */
void adreno_sp_uop_gpr_relative(struct adreno_wave *wave, const struct sp_uop *uop);
/* The register of number a0.x + imm = s[0] in active lanes; s[1]: whether it is a half one, a number. */
void adreno_sp_uop_write_relative(struct adreno_wave *wave, const struct sp_uop *uop);

/* Modifiers: d = s[0] with them. imm: bit 0 neg, bit 1 abs. Halves come out in the lower half. */
void adreno_sp_uop_sign_f32(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_uop_sign_f16(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_uop_sign_s32(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_uop_sign_s16(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_uop_not(struct adreno_wave *wave, const struct sp_uop *uop); /* of both halves */

/* d is clamped to 0 to 1 in active lanes. */
void adreno_sp_uop_sat_f32(struct adreno_wave *wave, const struct sp_uop *uop);
void adreno_sp_uop_sat_f16(struct adreno_wave *wave, const struct sp_uop *uop);

/* A shared register d = s[0] of the first active lane, in every lane; imm: whether they are halves. */
void adreno_sp_uop_share(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = s[0] of lane imm, in every lane; s[1]: whether they are halves, a number. */
#define SP_FIBER_IN_A0 UINT32_MAX /* imm: the lane is the one that a0.x of the first active lane says */
void adreno_sp_uop_broadcast(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = s[0] in active lanes; imm: whether they are halves. */
void adreno_sp_uop_copy(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = d != 0 in all lanes: a predicate. */
void adreno_sp_uop_predicate(struct adreno_wave *wave, const struct sp_uop *uop);

/* Conversions round as imm (enum lane_round) says from here on. */
void adreno_sp_uop_round(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = the bits of active lanes from lane imm on. */
void adreno_sp_uop_movmsk(struct adreno_wave *wave, const struct sp_uop *uop);

/* d = component s[0] + imm of the varyings at i, j in the rows s[1] and s[2]; s[0] is a row. */
void adreno_sp_uop_bary(struct adreno_wave *wave, const struct sp_uop *uop);
/* d = the same of the provoking vertex. */
void adreno_sp_uop_flat(struct adreno_wave *wave, const struct sp_uop *uop);

#endif
