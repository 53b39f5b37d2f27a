/* Integers of 64 bits as pairs of 32, for machines whose registers have no more (target.h: has_pairs). What is left of
 * 64 bits are values that are moved whole: packed, chosen, loaded and stored. After the passes that make 64-bit
 * operations of others. */
#include "compiler/lower/lower.h"

struct pair {
    struct ir_value *lo, *hi;
};

static struct pair halves(struct ir_builder *b, struct ir_value *x)
{
    return (struct pair){ir_lo32(b, x), ir_hi32(b, x)};
}

static struct ir_value *whole(struct ir_builder *b, struct ir_value *lo, struct ir_value *hi)
{
    return ir_pack64(b, lo, hi);
}

static struct ir_value *number(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

/* ---- sums and products ---- */

static struct ir_value *sum(struct ir_builder *b, struct pair x, struct pair y)
{
    struct ir_value *carry = ir_b2i(b, 32, ir_uadd_carry(b, x.lo, y.lo));
    return whole(b, ir_iadd(b, x.lo, y.lo), ir_iadd(b, ir_iadd(b, x.hi, y.hi), carry));
}

static struct ir_value *difference(struct ir_builder *b, struct pair x, struct pair y)
{
    struct ir_value *borrow = ir_b2i(b, 32, ir_ult(b, x.lo, y.lo));
    return whole(b, ir_isub(b, x.lo, y.lo), ir_isub(b, ir_isub(b, x.hi, y.hi), borrow));
}

static struct ir_value *product(struct ir_builder *b, struct pair x, struct pair y)
{
    struct ir_value *cross = ir_iadd(b, ir_imul(b, x.lo, y.hi), ir_imul(b, x.hi, y.lo));
    return whole(b, ir_imul(b, x.lo, y.lo), ir_iadd(b, ir_umul_hi(b, x.lo, y.lo), cross));
}

/* ---- shifts: a count of 32 and more moves a whole word ---- */

static struct ir_value *shift_left(struct ir_builder *b, struct pair x, struct ir_value *count)
{
    struct ir_value *is_far = ir_ine(b, ir_iand(b, count, number(b, 32)), number(b, 0));
    struct ir_value *is_none = ir_ieq(b, ir_iand(b, count, number(b, 63)), number(b, 0));
    struct ir_value *lo = ir_ishl(b, x.lo, count);
    struct ir_value *over = ir_ushr(b, x.lo, ir_isub(b, number(b, 32), count));
    struct ir_value *hi = ir_ior(b, ir_ishl(b, x.hi, count), ir_select(b, is_none, number(b, 0), over));
    return whole(b, ir_select(b, is_far, number(b, 0), lo), ir_select(b, is_far, lo, hi));
}

static struct ir_value *shift_right(struct ir_builder *b, struct pair x, struct ir_value *count, bool is_signed)
{
    struct ir_value *is_far = ir_ine(b, ir_iand(b, count, number(b, 32)), number(b, 0));
    struct ir_value *is_none = ir_ieq(b, ir_iand(b, count, number(b, 63)), number(b, 0));
    struct ir_value *hi = is_signed ? ir_ishr(b, x.hi, count) : ir_ushr(b, x.hi, count);
    struct ir_value *fill = is_signed ? ir_ishr(b, x.hi, number(b, 31)) : number(b, 0);
    struct ir_value *over = ir_ishl(b, x.hi, ir_isub(b, number(b, 32), count));
    struct ir_value *lo = ir_ior(b, ir_ushr(b, x.lo, count), ir_select(b, is_none, number(b, 0), over));
    return whole(b, ir_select(b, is_far, hi, lo), ir_select(b, is_far, fill, hi));
}

/* ---- comparisons ---- */

static struct ir_value *is_less(struct ir_builder *b, struct pair x, struct pair y, bool is_signed)
{
    struct ir_value *above = is_signed ? ir_ilt(b, x.hi, y.hi) : ir_ult(b, x.hi, y.hi);
    return ir_select(b, ir_ieq(b, x.hi, y.hi), ir_ult(b, x.lo, y.lo), above);
}

static struct ir_value *is_equal(struct ir_builder *b, struct pair x, struct pair y)
{
    struct ir_value *differs = ir_ior(b, ir_ixor(b, x.lo, y.lo), ir_ixor(b, x.hi, y.hi));
    return ir_ieq(b, differs, number(b, 0));
}

/* ---- widths ---- */

static struct ir_value *convert_instr(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0);
    const bool is_signed = instr->op == IR_OP_i2i;
    if (x->bits == instr->def.bits)
        return x;
    if (x->bits == 64) {
        struct ir_value *lo = ir_lo32(b, x);
        return instr->def.bits == 32 ? lo : ir_u2u(b, instr->def.bits, lo);
    }
    struct ir_value *lo = x;
    if (x->bits != 32)
        lo = is_signed ? ir_i2i(b, 32, x) : ir_u2u(b, 32, x);
    return whole(b, lo, is_signed ? ir_ishr(b, lo, number(b, 31)) : number(b, 0));
}

/* ---- counting bits ---- */

static struct ir_value *lowest_bit(struct ir_builder *b, struct pair x)
{
    struct ir_value *hi = ir_find_lsb(b, x.hi);
    hi = ir_select(b, ir_ieq(b, x.hi, number(b, 0)), hi, ir_iadd(b, hi, number(b, 32)));
    return ir_select(b, ir_ieq(b, x.lo, number(b, 0)), hi, ir_find_lsb(b, x.lo));
}

static struct ir_value *lower_binary(struct ir_builder *b, const struct ir_instr *instr, struct pair x)
{
    if (instr->op == IR_OP_ishl)
        return shift_left(b, x, ir_src(instr, 1));
    if (instr->op == IR_OP_ishr || instr->op == IR_OP_ushr)
        return shift_right(b, x, ir_src(instr, 1), instr->op == IR_OP_ishr);
    struct pair y = halves(b, ir_src(instr, 1));
    switch (instr->op) {
    case IR_OP_iadd:
        return sum(b, x, y);
    case IR_OP_isub:
        return difference(b, x, y);
    case IR_OP_imul:
        return product(b, x, y);
    case IR_OP_iand:
        return whole(b, ir_iand(b, x.lo, y.lo), ir_iand(b, x.hi, y.hi));
    case IR_OP_ior:
        return whole(b, ir_ior(b, x.lo, y.lo), ir_ior(b, x.hi, y.hi));
    case IR_OP_ixor:
        return whole(b, ir_ixor(b, x.lo, y.lo), ir_ixor(b, x.hi, y.hi));
    case IR_OP_ieq:
        return is_equal(b, x, y);
    case IR_OP_ine:
        return ir_inot(b, is_equal(b, x, y));
    case IR_OP_ilt:
    case IR_OP_ult:
        return is_less(b, x, y, instr->op == IR_OP_ilt);
    default:
        return ir_inot(b, is_less(b, x, y, instr->op == IR_OP_ige));
    }
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    if (instr->op == IR_OP_i2i || instr->op == IR_OP_u2u)
        return ir_src(instr, 0)->bits == 64 || instr->def.bits == 64 ? convert_instr(b, instr) : NULL;
    if (instr->op == IR_OP_b2i && instr->def.bits == 64)
        return whole(b, ir_b2i(b, 32, ir_src(instr, 0)), number(b, 0));
    if (!instr->num_srcs || ir_src(instr, 0)->bits != 64 || ir_src(instr, 0)->comps != 1)
        return NULL;
    struct ir_value *x = ir_src(instr, 0);
    switch (instr->op) {
    case IR_OP_iadd:
    case IR_OP_isub:
    case IR_OP_imul:
    case IR_OP_iand:
    case IR_OP_ior:
    case IR_OP_ixor:
    case IR_OP_ieq:
    case IR_OP_ine:
    case IR_OP_ilt:
    case IR_OP_ige:
    case IR_OP_ult:
    case IR_OP_uge:
    case IR_OP_ishl:
    case IR_OP_ishr:
    case IR_OP_ushr:
        return lower_binary(b, instr, halves(b, x));
    case IR_OP_ineg:
        return difference(b, (struct pair){number(b, 0), number(b, 0)}, halves(b, x));
    case IR_OP_inot:
        return whole(b, ir_inot(b, ir_lo32(b, x)), ir_inot(b, ir_hi32(b, x)));
    case IR_OP_brev:
        return whole(b, ir_brev(b, ir_hi32(b, x)), ir_brev(b, ir_lo32(b, x)));
    case IR_OP_bcount:
        return ir_iadd(b, ir_bcount(b, ir_lo32(b, x)), ir_bcount(b, ir_hi32(b, x)));
    case IR_OP_find_lsb:
        return lowest_bit(b, halves(b, x));
    default:
        return NULL;
    }
}

bool lower_wide(struct ir_shader *shader, const void *options)
{
    (void)options;
    return shader->target->has_pairs && lower_instrs(shader, lower_instr);
}
