/* Conversions that a machine does in no single step: between floats and 64-bit integers, to narrow integers with
 * their own range. */
#include "compiler/lower/lower.h"

/* Both halves as doubles; the last addition is the only one that rounds. */
static struct ir_value *int64_to_double(struct ir_builder *b, struct ir_value *x, bool is_signed)
{
    struct ir_value *high = ir_hi32(b, x), *low = ir_u2f(b, 64, ir_lo32(b, x), IR_ROUNDING_any);
    struct ir_value *top = is_signed ? ir_i2f(b, 64, high, IR_ROUNDING_any) : ir_u2f(b, 64, high, IR_ROUNDING_any);
    return ir_ffma(b, top, ir_const_f(b, 64, 4294967296.0), low);
}

/* To a float of 32 bits without rounding twice: the number is shifted so that its top bit is bit 31 of a word, what
 * falls off below leaves a sticky bit, and the word converts with one rounding. */
static struct ir_value *uint64_to_float(struct ir_builder *b, struct ir_value *x)
{
    struct ir_value *zero = ir_const(b, 32, 0), *high = ir_hi32(b, x);
    struct ir_value *top = ir_ufind_msb(b, high); /* -1 where the high half is empty: no shift then */
    struct ir_value *shift = ir_iadd(b, top, ir_const(b, 32, 1));
    struct ir_value *word = ir_lo32(b, ir_ushr(b, x, ir_umin(b, shift, ir_const(b, 32, 32))));
    struct ir_value *back = ir_lo32(b, ir_ishl(b, ir_ushr(b, x, shift), shift));
    struct ir_value *lost = ir_ine(b, ir_lo32(b, x), back);
    word = ir_ior(b, word, ir_select(b, lost, ir_const(b, 32, 1), zero));
    return ir_fldexp(b, ir_u2f(b, 32, word, IR_ROUNDING_any), shift);
}

static struct ir_value *from_int64(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0);
    bool is_signed = instr->op == IR_OP_i2f;
    uint32_t rounding = ir_imm(instr, IR_IMM_ROUNDING);
    if (instr->def.bits == 64)
        return int64_to_double(b, x, is_signed);
    struct ir_value *sign = NULL, *result;
    if (is_signed) {
        sign = ir_ishr(b, ir_hi32(b, x), ir_const(b, 32, 31));
        struct ir_value *mask = ir_pack64(b, sign, sign);
        x = ir_isub(b, ir_ixor(b, x, mask), mask);
    }
    result = uint64_to_float(b, x);
    if (is_signed)
        result = ir_ior(b, result, ir_iand(b, sign, ir_const(b, 32, 0x80000000)));
    return instr->def.bits == 16 ? ir_f2f(b, 16, result, rounding) : result;
}

/* Two words of a number that is below 2^64: the upper by a product with 2^-32, the lower by what is left, both exact in
 * floats of 32 bits, too. Clamped before, so that it saturates. */
static struct ir_value *to_int64(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0);
    bool is_signed = instr->op == IR_OP_f2i;
    const unsigned bits = x->bits == 64 ? 64 : 32;
    if (x->bits == 16)
        x = ir_f2f(b, 32, x, IR_ROUNDING_any);
    struct ir_value *magnitude = ir_ftrunc(b, is_signed ? ir_fabs(b, x) : ir_fmax(b, x, ir_const_f(b, bits, 0.0)));
    struct ir_value *top = ir_ffloor(b, ir_fmul(b, magnitude, ir_const_f(b, bits, 1.0 / 4294967296.0)));
    struct ir_value *rest = ir_ffma(b, top, ir_const_f(b, bits, -4294967296.0), magnitude);
    struct ir_value *high = ir_f2u(b, 32, top), *low = ir_f2u(b, 32, rest), *result = ir_pack64(b, low, high);
    double limit = is_signed ? 9223372036854775808.0 : 18446744073709551616.0;
    struct ir_value *over = ir_fge(b, magnitude, ir_const_f(b, bits, limit));
    if (!is_signed)
        return ir_select(b, over, ir_const(b, 64, UINT64_MAX), result);
    struct ir_value *sign = ir_ishr(b, bits == 64 ? ir_hi32(b, x) : x, ir_const(b, 32, 31));
    struct ir_value *mask = ir_pack64(b, sign, sign);
    result = ir_isub(b, ir_ixor(b, result, mask), mask);
    result = ir_select(b, over, ir_ixor(b, ir_const(b, 64, INT64_MAX), mask), result);
    return ir_select(b, ir_ford(b, x, x), result, ir_const(b, 64, 0));
}

/* Narrow results saturate at their own limits. */
static struct ir_value *to_narrow(struct ir_builder *b, struct ir_instr *instr)
{
    unsigned bits = instr->def.bits;
    bool is_signed = instr->op == IR_OP_f2i;
    struct ir_value *x = ir_src(instr, 0), *wide;
    if (is_signed) {
        int32_t most = (1 << (bits - 1)) - 1;
        wide = ir_imax(b, ir_imin(b, ir_f2i(b, 32, x), ir_const(b, 32, (uint32_t)most)),
                       ir_const(b, 32, (uint32_t)(-most - 1)));
    } else {
        wide = ir_umin(b, ir_f2u(b, 32, x), ir_const(b, 32, (1u << bits) - 1));
    }
    return ir_u2u(b, (uint8_t)bits, wide);
}

/* The integer's width is what counts. */
static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    const struct ir_target *target = b->shader->target;
    switch (instr->op) {
    case IR_OP_i2f:
    case IR_OP_u2f:
        return ir_src(instr, 0)->bits == 64 && ir_target_lacks(target, instr->op, 64) ? from_int64(b, instr) : NULL;
    case IR_OP_f2i:
    case IR_OP_f2u:
        if (instr->def.bits == 16 && !(target->narrow_from & ir_src(instr, 0)->bits))
            return to_narrow(b, instr);
        if (instr->def.bits == 32 || !ir_target_lacks(target, instr->op, instr->def.bits))
            return NULL;
        return instr->def.bits == 64 ? to_int64(b, instr) : to_narrow(b, instr);
    default:
        return NULL;
    }
}

bool lower_convert(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
