/* Division where there is no instruction for it. Of integers: an estimate of the reciprocal in floats, refined in
 * integers, and a quotient that is at most two too small. Remainders of floats from their quotients; a
 * quotient of floats is a product with the reciprocal unless the machine divides at that width. */
#include "compiler/ir/opt.h"
#include "compiler/lower/lower.h"
#include "util/bits.h"

struct quotient {
    struct ir_value *q, *r;
};

/* One step towards the quotient where the rest is not less than the divisor. */
static struct quotient correct_quotient(struct ir_builder *b, struct quotient x, struct ir_value *divisor)
{
    struct ir_value *more = ir_uge(b, x.r, divisor), *one = ir_const(b, divisor->bits, 1);
    return (struct quotient){ir_select(b, more, ir_iadd(b, x.q, one), x.q),
                             ir_select(b, more, ir_isub(b, x.r, divisor), x.r)};
}

static struct quotient divide_32(struct ir_builder *b, struct ir_value *n, struct ir_value *d)
{
    /* Slightly below 2^32, so that the estimate is never too large. */
    struct ir_value *rcp = ir_frcp(b, ir_u2f(b, 32, d, IR_ROUNDING_any));
    struct ir_value *z = ir_f2u(b, 32, ir_fmul(b, rcp, ir_const(b, 32, 0x4f7ffffe)));
    struct ir_value *error = ir_imul(b, ir_ineg(b, d), z);
    z = ir_iadd(b, z, ir_umul_hi(b, z, error));
    struct ir_value *q = ir_umul_hi(b, n, z);
    struct quotient x = {q, ir_isub(b, n, ir_imul(b, q, d))};
    return correct_quotient(b, correct_quotient(b, x, d), d);
}

static struct quotient divide_64(struct ir_builder *b, struct ir_value *n, struct ir_value *d)
{
    struct ir_value *low = ir_u2f(b, 32, ir_lo32(b, d), IR_ROUNDING_any),
                    *high = ir_u2f(b, 32, ir_hi32(b, d), IR_ROUNDING_any);
    struct ir_value *f = ir_ffma(b, high, ir_const_f(b, 32, 4294967296.0), low);
    struct ir_value *r = ir_fmul(b, ir_frcp(b, f), ir_const(b, 32, 0x5f7ffffc));
    struct ir_value *top = ir_ftrunc(b, ir_fmul(b, r, ir_const_f(b, 32, 1.0 / 4294967296.0)));
    struct ir_value *rest = ir_ffma(b, top, ir_const_f(b, 32, -4294967296.0), r);
    struct ir_value *z = ir_pack64(b, ir_f2u(b, 32, rest), ir_f2u(b, 32, top)), *negative = ir_ineg(b, d);
    for (unsigned i = 0; i < 2; i++)
        z = ir_iadd(b, z, ir_umul_hi(b, z, ir_imul(b, negative, z)));
    struct ir_value *q = ir_umul_hi(b, n, z);
    struct quotient x = {q, ir_isub(b, n, ir_imul(b, q, d))};
    return correct_quotient(b, correct_quotient(b, x, d), d);
}

/* A multiple m of 32 bits and a shift with n / d = n m >> 32 + shift for all n up to `largest`: m is the reciprocal
 * rounded up, too large by e / (d 2^(32 + shift)), which n must not turn into a whole step: n e < 2^(32 + shift). */
static bool find_multiple(uint32_t d, uint64_t largest, uint32_t *multiple_out, unsigned *shift_out)
{
    for (unsigned shift = 0; shift <= log2_ceil(d) && shift < 32; shift++) {
        uint64_t power = 1ull << (32 + shift), multiple = (power + d - 1) / d, error = multiple * d - power;
        if (multiple > UINT32_MAX)
            return false;
        if ((unsigned __int128)error * largest < power) {
            *multiple_out = (uint32_t)multiple;
            *shift_out = shift;
            return true;
        }
    }
    return false;
}

/* A multiple where the whole product has 32 bits: n / d = n m >> shift. */
static bool find_small_multiple(uint32_t d, uint64_t largest, uint32_t *multiple_out, unsigned *shift_out)
{
    for (unsigned shift = log2_floor(d); shift < 32; shift++) {
        uint64_t power = 1ull << shift, multiple = (power + d - 1) / d, error = multiple * d - power;
        if (multiple * largest > UINT32_MAX || largest > UINT32_MAX)
            return false;
        if (error * largest < power) {
            *multiple_out = (uint32_t)multiple;
            *shift_out = shift;
            return true;
        }
    }
    return false;
}

static struct ir_value *shift_right(struct ir_builder *b, struct ir_value *x, unsigned count)
{
    return count ? ir_ushr(b, x, ir_const(b, 32, count)) : x;
}

/* By a constant: a product with the scaled reciprocal. Where 32 bits of it are not enough, an even divisor leaves its
 * zeros to a shift before; otherwise the 33rd bit is handled by the average. */
static struct quotient divide_by_constant(struct ir_builder *b, struct ir_value *n, uint32_t d)
{
    struct quotient x;
    if (is_power_of_two(d)) {
        x.q = ir_ushr(b, n, ir_const(b, 32, log2_floor(d)));
        x.r = ir_iand(b, n, ir_const(b, 32, d - 1));
        return x;
    }
    uint64_t largest = ir_upper_bound(b->shader, n);
    unsigned shift, zeros = (unsigned)__builtin_ctz(d);
    uint32_t magic;
    if (find_small_multiple(d, largest, &magic, &shift)) {
        x.q = shift_right(b, ir_imul(b, n, ir_const(b, 32, magic)), shift);
        x.r = ir_isub(b, n, ir_imul(b, x.q, ir_const(b, 32, d)));
        return x;
    }
    if (find_multiple(d, largest, &magic, &shift)) {
        x.q = shift_right(b, ir_umul_hi(b, n, ir_const(b, 32, magic)), shift);
        x.r = ir_isub(b, n, ir_imul(b, x.q, ir_const(b, 32, d)));
        return x;
    }
    if (zeros && find_multiple(d >> zeros, largest >> zeros, &magic, &shift)) {
        x.q = shift_right(b, ir_umul_hi(b, shift_right(b, n, zeros), ir_const(b, 32, magic)), shift);
        x.r = ir_isub(b, n, ir_imul(b, x.q, ir_const(b, 32, d)));
        return x;
    }
    shift = log2_ceil(d);
    magic = (uint32_t)((((1ull << shift) - d) << 32) / d + 1);
    struct ir_value *t = ir_umul_hi(b, n, ir_const(b, 32, magic));
    struct ir_value *half = ir_ushr(b, ir_isub(b, n, t), ir_const(b, 32, 1));
    x.q = ir_ushr(b, ir_iadd(b, half, t), ir_const(b, 32, shift - 1));
    x.r = ir_isub(b, n, ir_imul(b, x.q, ir_const(b, 32, d)));
    return x;
}

/* Of up to 16 bits: the product with a reciprocal that is not too small, as that of the machine may be by a step of the
 * float. It is not below a whole quotient, and too large by less than what is missing to the next one. */
static struct quotient divide_16(struct ir_builder *b, struct ir_value *n, struct ir_value *d)
{
    struct ir_value *rcp = ir_frcp(b, ir_u2f(b, 32, d, IR_ROUNDING_any));
    rcp = ir_iadd(b, rcp, ir_const(b, 32, 2));
    struct ir_value *q = ir_f2u(b, 32, ir_fmul(b, ir_u2f(b, 32, n, IR_ROUNDING_any), rcp));
    return (struct quotient){q, ir_isub(b, n, ir_imul(b, q, d))};
}

static bool has_16_bits(const struct ir_builder *b, const struct ir_value *x)
{
    return ir_upper_bound(b->shader, x) <= 0xffff;
}

static struct quotient divide_values(struct ir_builder *b, struct ir_value *n, struct ir_value *d, bool is_narrow)
{
    if (n->bits == 64)
        return divide_64(b, n, d);
    if (ir_is_const(d) && ir_const_u64(d) != 0)
        return divide_by_constant(b, n, (uint32_t)ir_const_u64(d));
    return is_narrow || (has_16_bits(b, n) && has_16_bits(b, d)) ? divide_16(b, n, d) : divide_32(b, n, d);
}

/* All ones where negative. */
static struct ir_value *sign_mask(struct ir_builder *b, struct ir_value *x)
{
    return ir_ishr(b, x, ir_const(b, 32, x->bits - 1u));
}

static struct ir_value *with_sign(struct ir_builder *b, struct ir_value *x, struct ir_value *mask)
{
    return ir_isub(b, ir_ixor(b, x, mask), mask);
}

/* By a power of two: shifts round down and not towards zero, so that negative numbers are moved up before. */
static struct ir_value *divide_by_power(struct ir_builder *b, enum ir_op op, struct ir_value *n, uint64_t d)
{
    struct ir_value *low = ir_const(b, n->bits, d - 1), *zeros = ir_const(b, 32, log2_floor(d));
    if (op == IR_OP_imod)
        return ir_iand(b, n, low);
    struct ir_value *more = ir_iand(b, sign_mask(b, n), low), *moved = ir_iadd(b, n, more);
    return op == IR_OP_idiv ? ir_ishr(b, moved, zeros) : ir_isub(b, ir_iand(b, moved, low), more);
}

/* `is_narrow`: both have been extended from 16 bits or fewer. */
static struct ir_value *divide_signed(struct ir_builder *b, enum ir_op op, struct ir_value *n, struct ir_value *d,
                                      bool is_narrow)
{
    if (ir_is_const(d) && ir_const_i64(d) > 0) {
        if (is_power_of_two(ir_const_u64(d)))
            return divide_by_power(b, op, n, ir_const_u64(d));
        if (n->bits == 32 && ir_upper_bound(b->shader, n) <= INT32_MAX) {
            struct quotient x = divide_values(b, n, d, is_narrow);
            return op == IR_OP_idiv ? x.q : x.r;
        }
    }
    struct ir_value *sign_n = sign_mask(b, n), *d_abs, *sign_d;
    if (ir_is_const(d) && n->bits == 32) {
        int64_t value = ir_const_i64(d);
        sign_d = ir_const(b, 32, value < 0 ? UINT32_MAX : 0);
        d_abs = ir_const(b, 32, (uint64_t)(value < 0 ? -value : value));
    } else {
        sign_d = sign_mask(b, d);
        d_abs = with_sign(b, d, sign_d);
    }
    struct quotient x = divide_values(b, with_sign(b, n, sign_n), d_abs, is_narrow);
    if (op == IR_OP_idiv)
        return with_sign(b, x.q, ir_ixor(b, sign_n, sign_d));
    struct ir_value *rest = with_sign(b, x.r, sign_n);
    if (op == IR_OP_irem)
        return rest;
    /* The divisor's sign: one divisor more where the signs differ and something is left. */
    struct ir_value *zero = ir_const(b, rest->bits, 0);
    struct ir_value *differ = ir_iand(b, ir_ine(b, rest, zero), ir_ilt(b, ir_ixor(b, rest, d), zero));
    return ir_select(b, differ, ir_iadd(b, rest, d), rest);
}

static struct ir_value *divide_integer(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *n = ir_src(instr, 0), *d = ir_src(instr, 1), *result;
    unsigned bits = n->bits;
    bool is_signed = instr->op == IR_OP_idiv || instr->op == IR_OP_irem || instr->op == IR_OP_imod;
    if (bits < 32) {
        n = is_signed ? ir_i2i(b, 32, n) : ir_u2u(b, 32, n);
        d = is_signed ? ir_i2i(b, 32, d) : ir_u2u(b, 32, d);
    }
    if (is_signed) {
        result = divide_signed(b, instr->op, n, d, bits < 32);
    } else {
        struct quotient x = divide_values(b, n, d, bits < 32);
        result = instr->op == IR_OP_udiv ? x.q : x.r;
    }
    return bits < 32 ? ir_u2u(b, (uint8_t)bits, result) : result;
}

static struct ir_value *float_quotient(struct ir_builder *b, struct ir_value *n, struct ir_value *d)
{
    return ir_target_lacks(b->shader->target, IR_OP_fdiv, n->bits) ? ir_fmul(b, n, ir_frcp(b, d)) : ir_fdiv(b, n, d);
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *n, *d, *q;
    if (!instr->num_srcs || !ir_target_lacks(b->shader->target, instr->op, ir_src(instr, 0)->bits))
        return NULL;
    switch (instr->op) {
    case IR_OP_idiv:
    case IR_OP_udiv:
    case IR_OP_irem:
    case IR_OP_imod:
    case IR_OP_umod:
        return divide_integer(b, instr);
    case IR_OP_fdiv:
        return float_quotient(b, ir_src(instr, 0), ir_src(instr, 1));
    case IR_OP_frem:
    case IR_OP_fmod:
        n = ir_src(instr, 0);
        d = ir_src(instr, 1);
        q = float_quotient(b, n, d);
        q = instr->op == IR_OP_frem ? ir_ftrunc(b, q) : ir_ffloor(b, q);
        return ir_ffma(b, ir_fneg(b, q), d, n);
    default:
        return NULL;
    }
}

bool lower_divide(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
