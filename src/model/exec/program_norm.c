/* Numbers of 0 to 1, or -1 to 1, as whole numbers of 16 bits: rounded once to nearest, ties to even, whatever the mode
 * is. */
#include "model/exec/program.h"

#include <string.h>

static jit_value number(struct lane_program *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return lane_program_const(b, bits);
}

/* Of 0 to 1. A fused sum with 2^23, above which floats are whole numbers, rounds the exact product by the mode; where
 * that is another one, a product that comes to a tie is looked at again: what it was rounded by is exact. */
static jit_value times(struct lane_program *b, jit_value x, float most)
{
    const jit_value all = number(b, most);
    if (b->mode.round_f32 == LANE_ROUND_NEAREST)
        return lane_program_and(b, lane_program_fma_f32(b, x, all, number(b, 0x1p23f)), lane_program_const(b, 0xffff));
    const jit_value product = lane_program_fmul(b, x, all), sign = lane_program_const(b, 0x80000000),
                    rest = lane_program_fma_f32(b, x, all, lane_program_xor(b, product, sign)),
                    whole = lane_program_unary(b, JIT_NEAREST, product), off = lane_program_fsub(b, product, whole);
    const jit_value zero = lane_program_const(b, 0), one = lane_program_const(b, 1),
                    is_above =
                        lane_program_and(b, lane_program_feq(b, off, number(b, 0.5f)), lane_program_flt(b, zero, rest)),
                    is_below = lane_program_and(b, lane_program_feq(b, off, number(b, -0.5f)),
                                                lane_program_flt(b, rest, zero));
    const jit_value up =
        lane_program_add(b, lane_program_unary(b, JIT_U32_OF_F32, whole), lane_program_select(b, is_above, one, zero));
    return lane_program_sub(b, up, lane_program_select(b, is_below, one, zero));
}

/* A NaN is zero. */
static jit_value limited(struct lane_program *b, jit_value x)
{
    const jit_value zero = lane_program_const(b, 0), one = number(b, 1);
    return lane_program_select(b, lane_program_flt(b, zero, x),
                               lane_program_select(b, lane_program_flt(b, x, one), x, one), zero);
}

jit_value lane_program_unorm16_f32(struct lane_program *b, jit_value x)
{
    return times(b, limited(b, x), 65535);
}

jit_value lane_program_snorm16_f32(struct lane_program *b, jit_value x)
{
    const jit_value magnitude = times(b, limited(b, lane_program_and(b, x, lane_program_const(b, 0x7fffffff))), 32767);
    const jit_value minus = lane_program_shift_by(b, JIT_SAR, x, 31); /* all ones where the sign is set */
    return lane_program_sub(b, lane_program_xor(b, magnitude, minus), minus);
}
