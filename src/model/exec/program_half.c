/* Arithmetic of halves in lane programs: in single precision, and back. Not for: minimum and maximum, which tell
 * signalling NaNs from others. */
#include "model/exec/program.h"

/* Values that flush_denormal() makes, or those with zeros above them. */
static bool is_flushed(const struct lane_program *b, jit_value half)
{
    const struct jit_inst *inst = &b->insts[half];
    uint32_t bits;
    if (inst->op == JIT_AND && lane_program_is_const(b, inst->b, &bits) && bits == 0xffff)
        inst = &b->insts[inst->a];
    if (inst->op != JIT_SELECT || b->insts[inst->a].op != JIT_EQ)
        return false;
    const struct jit_inst *sign = &b->insts[inst->b], *exponent = &b->insts[b->insts[inst->a].a];
    return sign->op == JIT_AND && exponent->op == JIT_AND && sign->a == inst->c && exponent->a == inst->c &&
           lane_program_is_const(b, sign->b, &bits) && bits == 0x8000 && lane_program_is_const(b, exponent->b, &bits) &&
           bits == 0x7c00 && lane_program_is_const(b, b->insts[inst->a].b, &bits) && !bits;
}

static jit_value flush_denormal(struct lane_program *b, jit_value half)
{
    half = lane_program_part(b, half, 0xffff);
    if (is_flushed(b, half))
        return half;
    jit_value is_zero =
        lane_program_eq(b, lane_program_and(b, half, lane_program_const(b, 0x7c00)), lane_program_const(b, 0));
    return lane_program_select(b, is_zero, lane_program_and(b, half, lane_program_const(b, 0x8000)), half);
}

/* A source as the mode sees it. What lies above it is not looked at. */
static jit_value source(struct lane_program *b, jit_value half)
{
    const struct jit_inst *inst = &b->insts[half];
    uint32_t mask;
    if (!b->mode.keep_in_f16)
        return flush_denormal(b, half);
    return inst->op == JIT_AND && lane_program_is_const(b, inst->b, &mask) && (mask & 0xffff) == 0xffff ? inst->a
                                                                                                        : half;
}

jit_value lane_program_f32_of_f16(struct lane_program *b, jit_value half)
{
    return lane_program_unary(b, JIT_F32_OF_HALF, source(b, half));
}

static jit_value result(struct lane_program *b, jit_value half)
{
    return b->mode.keep_out_f16 ? half : flush_denormal(b, half);
}

static jit_value rounded(struct lane_program *b, jit_value x)
{
    return result(b, lane_program_unary(b, JIT_HALF_ROUNDED, x));
}

/* The host's own, of sources as the mode sees them. */
static jit_value of_host(struct lane_program *b, enum jit_op op, jit_value x, jit_value y, jit_value z)
{
    x = lane_program_zero_extend(b, x, 16);
    y = lane_program_zero_extend(b, y, 16);
    if (z != JIT_NONE)
        z = lane_program_zero_extend(b, z, 16);
    return result(b, lane_program_emit(b, op, x, y, z, 0));
}

/* Single precision has more than twice the digits, so rounding twice is rounding once. */
jit_value lane_program_add_f16(struct lane_program *b, jit_value x, jit_value y)
{
    if (JIT_HAS_HALVES && jit_has_fma_half())
        return of_host(b, JIT_FADD_HALF, source(b, x), source(b, y), JIT_NONE);
    if (jit_has_fma_half())
        return of_host(b, JIT_FMA_HALF, source(b, x), lane_program_const(b, 0x3c00), source(b, y));
    return rounded(b, lane_program_fadd(b, lane_program_f32_of_f16(b, x), lane_program_f32_of_f16(b, y)));
}

jit_value lane_program_sub_f16(struct lane_program *b, jit_value x, jit_value y)
{
    if (jit_has_fma_half())
        return of_host(b, JIT_FMA_HALF, source(b, y), lane_program_const(b, 0xbc00), source(b, x));
    return rounded(b, lane_program_fsub(b, lane_program_f32_of_f16(b, x), lane_program_f32_of_f16(b, y)));
}

/* A product with -0 added is itself, but for +0 where the sum is rounded down. */
jit_value lane_program_mul_f16(struct lane_program *b, jit_value x, jit_value y)
{
    if (JIT_HAS_HALVES && jit_has_fma_half())
        return of_host(b, JIT_FMUL_HALF, source(b, x), source(b, y), JIT_NONE);
    if (jit_has_fma_half() && b->mode.round_f16 != LANE_ROUND_DOWN)
        return of_host(b, JIT_FMA_HALF, source(b, x), source(b, y), lane_program_const(b, 0x8000));
    return rounded(b, lane_program_fmul(b, lane_program_f32_of_f16(b, x), lane_program_f32_of_f16(b, y)));
}

/* The sum p + c rounded to odd: what was lost is found by the steps of a two-sum, exactly, and an even sum moves by one
 * digit towards it. Then rounding to nearest again cannot see a tie that was none. */
static jit_value add_odd(struct lane_program *b, jit_value p, jit_value c)
{
    jit_value zero = lane_program_const(b, 0), one = lane_program_const(b, 1),
              magnitude = lane_program_const(b, INT32_MAX);
    jit_value sum = lane_program_fadd(b, p, c), of_c = lane_program_fsub(b, sum, p);
    jit_value lost =
        lane_program_fadd(b, lane_program_fsub(b, p, lane_program_fsub(b, sum, of_c)), lane_program_fsub(b, c, of_c));
    jit_value is_lost = lane_program_flt(b, zero, lane_program_and(b, lost, magnitude)); /* and no NaN */
    jit_value is_even = lane_program_eq(b, lane_program_and(b, sum, one), zero);
    jit_value step = lane_program_or(b, lane_program_shift_by(b, JIT_SAR, lane_program_xor(b, sum, lost), 31), one);
    return lane_program_add(b, sum, lane_program_and(b, step, lane_program_and(b, is_lost, is_even)));
}

/* The product is exact in single precision. In one direction rounding twice is rounding once. */
jit_value lane_program_fma_f16(struct lane_program *b, jit_value x, jit_value y, jit_value z)
{
    if (jit_has_fma_half())
        return of_host(b, JIT_FMA_HALF, source(b, x), source(b, y), source(b, z));
    jit_value p = lane_program_f32_of_f16(b, x), q = lane_program_f32_of_f16(b, y), c = lane_program_f32_of_f16(b, z);
    if (b->mode.round_f16 != LANE_ROUND_NEAREST)
        return rounded(b, lane_program_fma_f32(b, p, q, c));
    return rounded(b, add_odd(b, lane_program_fmul(b, p, q), c));
}
