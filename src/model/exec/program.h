/* Lane programs (model/jit.h) while they are written: operations that fold what is constant, so that the text of an
 * instruction's lowering (isa/jit_c.py) need not treat bits that are known, and primitives of isa/lane.h that depend on
 * the float mode. Not for: where operands are, which is a family's. */
#ifndef MODEL_EXEC_PROGRAM_H
#define MODEL_EXEC_PROGRAM_H

#include "isa/lane_types.h"
#include "model/jit.h"

struct lane_program {
    struct lane_mode mode;
    bool failed; /* it does not fit, or something in it cannot be written so */
    uint32_t count;
    struct jit_inst insts[JIT_MAX_INSTS];
};

/* ---- operations ---- */

jit_value lane_program_emit(struct lane_program *b, enum jit_op op, jit_value x, jit_value y, jit_value z,
                            uint32_t imm);
jit_value lane_program_const(struct lane_program *b, uint32_t value);
jit_value lane_program_call(struct lane_program *b, jit_call call, jit_value x, jit_value y, jit_value z);

static inline bool lane_program_is_const(const struct lane_program *b, jit_value v, uint32_t *value_out)
{
    *value_out = b->insts[v].imm;
    return b->insts[v].op == JIT_CONST;
}

jit_value lane_program_and(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_or(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_xor(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_not(struct lane_program *b, jit_value x);
jit_value lane_program_add(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_sub(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_eq(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_select(struct lane_program *b, jit_value condition, jit_value x, jit_value y);
jit_value lane_program_shift(struct lane_program *b, enum jit_op op, jit_value x, jit_value count);

static inline jit_value lane_program_shift_by(struct lane_program *b, enum jit_op op, jit_value x, uint32_t count)
{
    return lane_program_shift(b, op, x, lane_program_const(b, count));
}

#define LANE_PROGRAM_BINARY(name, op)                                                                                  \
    static inline jit_value lane_program_##name(struct lane_program *b, jit_value x, jit_value y)                      \
    {                                                                                                                  \
        return lane_program_emit(b, op, x, y, JIT_NONE, 0);                                                            \
    }
LANE_PROGRAM_BINARY(mul, JIT_MUL)
LANE_PROGRAM_BINARY(min_u, JIT_MIN_U)
LANE_PROGRAM_BINARY(max_u, JIT_MAX_U)
LANE_PROGRAM_BINARY(min_i, JIT_MIN_I)
LANE_PROGRAM_BINARY(max_i, JIT_MAX_I)
LANE_PROGRAM_BINARY(mulhi_u, JIT_MULHI_U)
LANE_PROGRAM_BINARY(mulhi_i, JIT_MULHI_I)
LANE_PROGRAM_BINARY(lt_u, JIT_LT_U)
LANE_PROGRAM_BINARY(le_u, JIT_LE_U)
LANE_PROGRAM_BINARY(lt_i, JIT_LT_I)
LANE_PROGRAM_BINARY(le_i, JIT_LE_I)
LANE_PROGRAM_BINARY(fadd, JIT_FADD)
LANE_PROGRAM_BINARY(fsub, JIT_FSUB)
LANE_PROGRAM_BINARY(fmul, JIT_FMUL)
LANE_PROGRAM_BINARY(feq, JIT_FEQ)
LANE_PROGRAM_BINARY(flt, JIT_FLT)
LANE_PROGRAM_BINARY(fle, JIT_FLE)
#undef LANE_PROGRAM_BINARY

static inline jit_value lane_program_unary(struct lane_program *b, enum jit_op op, jit_value x)
{
    return lane_program_emit(b, op, x, JIT_NONE, JIT_NONE, 0);
}

/* Of a value of which only the bits of `mask` are wanted: what it is without what has none of them. */
jit_value lane_program_part(const struct lane_program *b, jit_value v, uint32_t mask);

/* A value in the lanes of a mask; in others it may be anything (program_lanes.c). */
jit_value lane_program_in_lanes(const struct lane_program *b, jit_value value, jit_value lanes);

/* Whether the lower `bits` of a value, 1 to 31, are one number in all lanes, whatever the rows are; and that number
 * (program_low.c). */
bool lane_program_low_bits(const struct lane_program *b, jit_value value, unsigned bits, uint32_t *low_out);

/* Elements of four bytes that lanes number, of which a buffer has `limit`, 2^29 at most: the offset, which need not be
 * good, and whether it is. As jit_near.c knows it. */
static inline jit_value lane_program_element(struct lane_program *b, jit_value element, jit_value limit,
                                             jit_value *is_good_out)
{
    const jit_value offset = lane_program_shift_by(b, JIT_SHL, lane_program_min_u(b, element, limit), 2);
    *is_good_out = lane_program_lt_u(b, offset, lane_program_shift_by(b, JIT_SHL, limit, 2));
    return offset;
}

/* ---- narrower integers lie in 32 bits, extended by their type ---- */

static inline jit_value lane_program_zero_extend(struct lane_program *b, jit_value x, unsigned bits)
{
    return lane_program_and(b, x, lane_program_const(b, (1u << bits) - 1));
}

static inline jit_value lane_program_sign_extend(struct lane_program *b, jit_value x, unsigned bits)
{
    return lane_program_shift_by(b, JIT_SAR, lane_program_shift_by(b, JIT_SHL, x, 32 - bits), 32 - bits);
}

/* ---- primitives of lane.h, by their names there ---- */

jit_value lane_program_fma_f32(struct lane_program *b, jit_value x, jit_value y, jit_value z);
jit_value lane_program_min_f32(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_max_f32(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_med3_f32(struct lane_program *b, jit_value x, jit_value y, jit_value z);
jit_value lane_program_flush_f32(struct lane_program *b, jit_value x);
jit_value lane_program_fract_f32(struct lane_program *b, jit_value x);
jit_value lane_program_rcp_f32(struct lane_program *b, jit_value x);
jit_value lane_program_sqrt_f32(struct lane_program *b, jit_value x);
jit_value lane_program_rsq_f32(struct lane_program *b, jit_value x);
jit_value lane_program_exp2_f32(struct lane_program *b, jit_value x);
/* The power of numbers of 128 at most; of others, and NaNs, anything. */
jit_value lane_program_exp2_to_128_f32(struct lane_program *b, jit_value x);
jit_value lane_program_log2_f32(struct lane_program *b, jit_value x);
jit_value lane_program_sin_turns_f32(struct lane_program *b, jit_value x);
jit_value lane_program_cos_turns_f32(struct lane_program *b, jit_value x);
jit_value lane_program_clamp01_f32(struct lane_program *b, jit_value x);
jit_value lane_program_unorm16_f32(struct lane_program *b, jit_value x); /* program_norm.c */
jit_value lane_program_snorm16_f32(struct lane_program *b, jit_value x);
/* Whether it is surely no signalling NaN and, where the mode flushes, not denormal, as what arithmetic makes. */
bool lane_program_is_calm(const struct lane_program *b, jit_value v);
/* No more, or no less, than a number, which is not 0 or -0 respectively; it is also what a NaN becomes. */
jit_value lane_program_at_most_f32(struct lane_program *b, jit_value x, uint32_t number);
jit_value lane_program_at_least_f32(struct lane_program *b, jit_value x, uint32_t number);
jit_value lane_program_f16_rtz_f32(struct lane_program *b, jit_value x);
/* Of halves: their bits are the lower ones, the others are zero (program_half.c). */
jit_value lane_program_f32_of_f16(struct lane_program *b, jit_value half);
jit_value lane_program_add_f16(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_sub_f16(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_mul_f16(struct lane_program *b, jit_value x, jit_value y);
jit_value lane_program_fma_f16(struct lane_program *b, jit_value x, jit_value y, jit_value z);
jit_value lane_program_bfe(struct lane_program *b, bool is_signed, jit_value x, jit_value offset, jit_value width);

#endif
