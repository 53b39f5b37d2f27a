/* Arithmetic that a machine has no instruction for at some width, by what it has: usually the same operation at 32
 * bits, which needs no lowering. */
#include "compiler/lower/lower.h"

/* ---- products of 64 bits ---- */

static struct ir_value *product_64(struct ir_builder *b, struct ir_value *x, struct ir_value *y)
{
    return ir_pack64(b, ir_imul(b, x, y), ir_umul_hi(b, x, y));
}

static struct ir_value *widen_half(struct ir_builder *b, struct ir_value *x)
{
    return ir_u2u(b, 64, x);
}

static struct ir_value *umul_hi_64(struct ir_builder *b, struct ir_value *x, struct ir_value *y)
{
    struct ir_value *x_lo = ir_lo32(b, x), *x_hi = ir_hi32(b, x), *y_lo = ir_lo32(b, y), *y_hi = ir_hi32(b, y);
    struct ir_value *t = ir_iadd(b, product_64(b, x_lo, y_hi), widen_half(b, ir_umul_hi(b, x_lo, y_lo)));
    struct ir_value *u = ir_iadd(b, product_64(b, x_hi, y_lo), widen_half(b, ir_lo32(b, t)));
    struct ir_value *high = ir_iadd(b, product_64(b, x_hi, y_hi), widen_half(b, ir_hi32(b, t)));
    return ir_iadd(b, high, widen_half(b, ir_hi32(b, u)));
}

static struct ir_value *mul_hi(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0), *y = ir_src(instr, 1);
    bool is_signed = instr->op == IR_OP_imul_hi;
    if (x->bits == 16) {
        struct ir_value *wide =
            is_signed ? ir_imul(b, ir_i2i(b, 32, x), ir_i2i(b, 32, y)) : ir_imul(b, ir_u2u(b, 32, x), ir_u2u(b, 32, y));
        return ir_hi16(b, wide);
    }
    struct ir_value *high = umul_hi_64(b, x, y);
    if (!is_signed)
        return high;
    struct ir_value *sixty_three = ir_const(b, 32, 63);
    high = ir_isub(b, high, ir_iand(b, ir_ishr(b, x, sixty_three), y));
    return ir_isub(b, high, ir_iand(b, ir_ishr(b, y, sixty_three), x));
}

/* ---- signs, minima, saturation ---- */

static struct ir_value *min_max(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0), *y = ir_src(instr, 1), *less;
    bool is_signed = instr->op == IR_OP_imin || instr->op == IR_OP_imax,
         min = instr->op == IR_OP_imin || instr->op == IR_OP_umin;
    less = is_signed ? ir_ilt(b, x, y) : ir_ult(b, x, y);
    return min ? ir_select(b, less, x, y) : ir_select(b, less, y, x);
}

/* Narrow ones in 32 bits, then cut to their own range; the others by the signs. */
static struct ir_value *saturate_sum(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0), *y = ir_src(instr, 1);
    bool is_signed = instr->op == IR_OP_iadd_sat || instr->op == IR_OP_isub_sat,
         add = instr->op == IR_OP_iadd_sat || instr->op == IR_OP_uadd_sat;
    unsigned bits = x->bits;
    if (bits < 32) {
        int64_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
        struct ir_value *wx = is_signed ? ir_i2i(b, 32, x) : ir_u2u(b, 32, x),
                        *wy = is_signed ? ir_i2i(b, 32, y) : ir_u2u(b, 32, y);
        struct ir_value *r = add ? ir_iadd(b, wx, wy) : ir_isub(b, wx, wy);
        r = ir_imax(b, ir_imin(b, r, ir_const(b, 32, (uint64_t)most)),
                    ir_const(b, 32, is_signed ? (uint32_t)(-most - 1) : 0));
        return ir_u2u(b, (uint8_t)bits, r);
    }
    struct ir_value *r = add ? ir_iadd(b, x, y) : ir_isub(b, x, y);
    if (!is_signed)
        return add ? ir_select(b, ir_ult(b, r, x), ir_const(b, bits, UINT64_MAX), r)
                   : ir_select(b, ir_ult(b, x, y), ir_const(b, bits, 0), r);
    struct ir_value *zero = ir_const(b, bits, 0), *change = add ? ir_ixor(b, y, r) : ir_ixor(b, x, y);
    struct ir_value *over = ir_ilt(b, ir_iand(b, ir_ixor(b, x, r), change), zero);
    struct ir_value *limit =
        ir_ixor(b, ir_ishr(b, x, ir_const(b, 32, bits - 1)), ir_const(b, bits, UINT64_MAX >> (65 - bits)));
    return ir_select(b, over, limit, r);
}

static struct ir_value *float_sign(struct ir_builder *b, struct ir_value *x)
{
    unsigned bits = x->bits;
    struct ir_value *zero = ir_const_f(b, bits, 0.0);
    struct ir_value *up = ir_select(b, ir_flt(b, zero, x), ir_const_f(b, bits, 1.0), x);
    return ir_select(b, ir_flt(b, x, zero), ir_const_f(b, bits, -1.0), up);
}

static struct ir_value *integer_sign(struct ir_builder *b, struct ir_value *x)
{
    unsigned bits = x->bits;
    return ir_imax(b, ir_imin(b, x, ir_const(b, bits, 1)), ir_const(b, bits, UINT64_MAX));
}

/* ---- bits ---- */

static struct ir_value *find_bit_64(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0), *low, *high, *thirty_two = ir_const(b, 32, 32);
    low = ir_lo32(b, x);
    high = ir_hi32(b, x);
    if (instr->op == IR_OP_find_lsb) {
        struct ir_value *in_high = ir_ior(b, ir_find_lsb(b, high), thirty_two); /* -1 stays -1 */
        return ir_select(b, ir_ine(b, low, ir_const(b, 32, 0)), ir_find_lsb(b, low), in_high);
    }
    if (instr->op == IR_OP_ifind_msb) {
        struct ir_value *sign = ir_ishr(b, high, ir_const(b, 32, 31));
        low = ir_ixor(b, low, sign);
        high = ir_ixor(b, high, sign);
    }
    struct ir_value *of_high = ir_iadd(b, ir_ufind_msb(b, high), thirty_two), *of_low = ir_ufind_msb(b, low);
    return ir_select(b, ir_ine(b, high, ir_const(b, 32, 0)), of_high, of_low);
}

static struct ir_value *find_bit(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0);
    if (x->bits == 64)
        return find_bit_64(b, instr);
    if (instr->op == IR_OP_ifind_msb)
        return ir_ifind_msb(b, ir_i2i(b, 32, x));
    struct ir_value *wide = ir_u2u(b, 32, x);
    return instr->op == IR_OP_find_lsb ? ir_find_lsb(b, wide) : ir_ufind_msb(b, wide);
}

static struct ir_value *reverse_bits(struct ir_builder *b, struct ir_value *x)
{
    if (x->bits == 16)
        return ir_hi16(b, ir_brev(b, ir_u2u(b, 32, x)));
    return ir_pack64(b, ir_brev(b, ir_hi32(b, x)), ir_brev(b, ir_lo32(b, x)));
}

static struct ir_value *count_bits(struct ir_builder *b, struct ir_value *x)
{
    if (x->bits < 32)
        return ir_bcount(b, ir_u2u(b, 32, x));
    return ir_iadd(b, ir_bcount(b, ir_lo32(b, x)), ir_bcount(b, ir_hi32(b, x)));
}

/* Dot products part by part; where the sum saturates, in 64 bits, which hold it exactly. */
static struct ir_value *dot_by_parts(struct ir_builder *b, struct ir_instr *instr)
{
    const uint32_t signs = ir_imm(instr, IR_IMM_SIGNS);
    const unsigned bits = instr->op == IR_OP_dot4 ? 8 : 16;
    const bool sat = ir_imm(instr, IR_IMM_SAT);
    struct ir_value *x = ir_src(instr, 0), *y = ir_src(instr, 1), *sum = ir_src(instr, 2);
    struct ir_value *width = ir_const(b, 32, bits);
    if (sat)
        sum = signs ? ir_i2i(b, 64, sum) : ir_u2u(b, 64, sum);
    for (unsigned i = 0; i < 32 / bits; i++) {
        struct ir_value *at = ir_const(b, 32, i * bits);
        struct ir_value *p = signs & 1 ? ir_ibfe(b, x, at, width) : ir_ubfe(b, x, at, width);
        struct ir_value *q = signs & 2 ? ir_ibfe(b, y, at, width) : ir_ubfe(b, y, at, width);
        struct ir_value *product = ir_imul(b, p, q); /* fits into 32 bits */
        if (sat)
            product = signs ? ir_i2i(b, 64, product) : ir_u2u(b, 64, product);
        sum = ir_iadd(b, sum, product);
    }
    if (!sat)
        return sum;
    if (!signs)
        return ir_lo32(b, ir_umin(b, sum, ir_const(b, 64, UINT32_MAX)));
    sum = ir_imin(b, sum, ir_const(b, 64, INT32_MAX));
    return ir_lo32(b, ir_imax(b, sum, ir_const(b, 64, (uint64_t)(int64_t)INT32_MIN)));
}

static bool lacks_dot(const struct ir_target *target, const struct ir_instr *instr)
{
    const uint32_t signs = ir_imm(instr, IR_IMM_SIGNS);
    return ir_target_lacks(target, (enum ir_op)instr->op, 32) ||
           (target->lacks_mixed_dot && (signs == 1 || signs == 2));
}

/* ---- floats ---- */

/* Below the smallest normal half only the sign is left. */
static struct ir_value *quantize_half(struct ir_builder *b, struct ir_value *x)
{
    struct ir_value *rounded = ir_f2f(b, 32, ir_f2f(b, 16, x, IR_ROUNDING_even), IR_ROUNDING_any);
    struct ir_value *small = ir_flt(b, ir_fabs(b, x), ir_const(b, 32, 0x38800000));
    return ir_select(b, small, ir_iand(b, x, ir_const(b, 32, 0x80000000)), rounded);
}

static struct ir_value *half_ldexp(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *wide = ir_fldexp(b, ir_f2f(b, 32, ir_src(instr, 0), IR_ROUNDING_any), ir_src(instr, 1));
    return ir_f2f(b, 16, wide, IR_ROUNDING_any);
}

static bool is_shift(unsigned op)
{
    return op == IR_OP_ishl || op == IR_OP_ishr || op == IR_OP_ushr;
}

/* Two halves at once: each by itself, which the next walk lowers. A shift's count is shared, or one of 16 bits each. */
static struct ir_value *part_by_part(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *parts[IR_MAX_COMPS], *srcs[4];
    for (unsigned c = 0; c < instr->def.comps; c++) {
        for (unsigned i = 0; i < instr->num_srcs; i++)
            srcs[i] = ir_src(instr, i)->comps > 1 ? ir_extract(b, ir_src(instr, i), c) : ir_src(instr, i);
        if (is_shift(instr->op) && srcs[1]->bits != 32)
            srcs[1] = ir_u2u(b, 32, srcs[1]);
        parts[c] = &ir_build(b, instr->op, instr->def.bits, 1, instr->num_srcs, srcs, 0, NULL, instr->imm)->def;
    }
    return ir_vec(b, instr->def.comps, parts);
}

/* Both halves are shifted by one number that is known. */
static bool has_one_count(const struct ir_instr *instr)
{
    const struct ir_value *low = ir_component(ir_src(instr, 1), 0), *high = ir_component(ir_src(instr, 1), 1);
    return low && high && ir_is_const(low) && ir_is_const(high) && ir_const_u64(low) == ir_const_u64(high);
}

static bool lacks_packed(const struct ir_target *target, const struct ir_instr *instr)
{
    if (instr->def.comps == 1 || !(ir_info(instr)->props & IR_PROP_PACKS))
        return false;
    return target->lacks_packed || (target->shares_counts && is_shift(instr->op) && !has_one_count(instr));
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = instr->num_srcs ? ir_src(instr, 0) : NULL;
    const struct ir_target *target = b->shader->target;
    if ((instr->op == IR_OP_dot4 || instr->op == IR_OP_dot2) && lacks_dot(target, instr))
        return dot_by_parts(b, instr);
    if (x && lacks_packed(target, instr))
        return part_by_part(b, instr);
    if (!x || !ir_target_lacks(target, instr->op, x->bits))
        return NULL;
    if (x->comps > 1)
        return part_by_part(b, instr);
    switch (instr->op) {
    case IR_OP_imul_hi:
    case IR_OP_umul_hi:
        return mul_hi(b, instr);
    case IR_OP_imin:
    case IR_OP_imax:
    case IR_OP_umin:
    case IR_OP_umax:
        return min_max(b, instr);
    case IR_OP_iadd_sat:
    case IR_OP_isub_sat:
    case IR_OP_uadd_sat:
    case IR_OP_usub_sat:
        return saturate_sum(b, instr);
    case IR_OP_uadd_carry:
        return ir_ult(b, ir_iadd(b, x, ir_src(instr, 1)), x);
    case IR_OP_usub_borrow:
        return ir_ult(b, x, ir_src(instr, 1));
    case IR_OP_iabs:
        return ir_select(b, ir_ilt(b, x, ir_const(b, x->bits, 0)), ir_ineg(b, x), x);
    case IR_OP_isign:
        return integer_sign(b, x);
    case IR_OP_fsign:
        return float_sign(b, x);
    case IR_OP_find_lsb:
    case IR_OP_ufind_msb:
    case IR_OP_ifind_msb:
        return find_bit(b, instr);
    case IR_OP_brev:
        return reverse_bits(b, x);
    case IR_OP_bcount:
        return count_bits(b, x);
    case IR_OP_fquantize:
        return quantize_half(b, x);
    case IR_OP_fldexp:
        return half_ldexp(b, instr);
    default:
        return NULL;
    }
}

/* Some are made of others of this file: until none is left. */
bool lower_alu(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    while (lower_instrs(shader, lower_instr))
        progress = true;
    return progress;
}
