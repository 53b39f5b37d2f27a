/* Arithmetic that few machines have in one instruction: bit fields, exponents, classes of floats, masks of lanes. See
 * lower.h. */
#include "compiler/ir/opt.h"
#include "compiler/lower/lower.h"

static struct ir_value *number(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

/* ---- bit fields ---- */

/* `count` ones, 0 to 32 of them. */
static struct ir_value *ones(struct ir_builder *b, struct ir_value *count)
{
    struct ir_value *few = ir_inot(b, ir_ishl(b, number(b, UINT32_MAX), count));
    return ir_select(b, ir_uge(b, count, number(b, 32)), number(b, UINT32_MAX), few);
}

static struct ir_value *extract_signed(struct ir_builder *b, struct ir_value *x, struct ir_value *first,
                                       struct ir_value *count)
{
    struct ir_value *left = ir_isub(b, number(b, 32), count);
    struct ir_value *top = ir_ishl(b, x, ir_isub(b, left, first));
    return ir_select(b, ir_ieq(b, count, number(b, 0)), number(b, 0), ir_ishr(b, top, left));
}

static struct ir_value *insert_field(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *first = ir_src(instr, 2), *mask = ir_ishl(b, ones(b, ir_src(instr, 3)), first);
    struct ir_value *moved = ir_iand(b, ir_ishl(b, ir_src(instr, 1), first), mask);
    return ir_ior(b, ir_iand(b, ir_src(instr, 0), ir_inot(b, mask)), moved);
}

static struct ir_value *bit_select(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *mask = ir_src(instr, 0);
    return ir_ior(b, ir_iand(b, mask, ir_src(instr, 1)), ir_iand(b, ir_inot(b, mask), ir_src(instr, 2)));
}

/* ---- exponents ---- */

/* A power of two by its exponent, from -126 to 127. */
static struct ir_value *power(struct ir_builder *b, struct ir_value *exponent)
{
    return ir_ishl(b, ir_iadd(b, exponent, number(b, 127)), number(b, 23));
}

/* Three steps, so that neither a large number nor a small one ends early. */
static struct ir_value *scale(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0), *left = ir_src(instr, 1);
    left = ir_imax(b, ir_imin(b, left, number(b, 330)), number(b, (uint32_t)-330));
    for (unsigned i = 0; i < 3; i++) {
        struct ir_value *step = ir_imax(b, ir_imin(b, left, number(b, 127)), number(b, (uint32_t)-126));
        x = ir_fmul(b, x, power(b, step));
        left = ir_isub(b, left, step);
    }
    return x;
}

/* Zeros, denormals (which count as zeros), infinities and NaN have no exponent of their own. */
static struct ir_value *has_exponent(struct ir_builder *b, struct ir_value *field)
{
    struct ir_value *below = ir_isub(b, field, number(b, 1));
    return ir_ult(b, below, number(b, 254));
}

static struct ir_value *exponent_field(struct ir_builder *b, struct ir_value *x)
{
    return ir_iand(b, ir_ushr(b, x, number(b, 23)), number(b, 0xff));
}

/* A half has all its exponents as a single, too. */
static struct ir_value *single(struct ir_builder *b, struct ir_value *x)
{
    return x->bits == 16 ? ir_f2f(b, 32, x, IR_ROUNDING_any) : x;
}

static struct ir_value *mantissa(struct ir_builder *b, struct ir_value *x)
{
    struct ir_value *bits = ir_ior(b, ir_iand(b, x, number(b, 0x807fffff)), number(b, 0x3f000000));
    return ir_select(b, has_exponent(b, exponent_field(b, x)), bits, x);
}

static struct ir_value *exponent(struct ir_builder *b, struct ir_value *x)
{
    struct ir_value *field = exponent_field(b, x);
    return ir_select(b, has_exponent(b, field), ir_isub(b, field, number(b, 126)), number(b, 0));
}

/* ---- classes: each is a range of the bits without the sign ---- */

struct class_range {
    uint32_t mask;        /* bits of the class mask: with either sign, or the negative and the positive one */
    uint32_t first, last; /* of the magnitude */
};

static struct ir_value *is_within(struct ir_builder *b, struct ir_value *x, uint32_t first, uint32_t last)
{
    return ir_ult(b, first ? ir_isub(b, x, number(b, first)) : x, number(b, last - first + 1));
}

static struct ir_value *classify_float(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *x = ir_src(instr, 0);
    const unsigned bits = x->bits, mantissa_bits = bits == 16 ? 10 : 23;
    const uint32_t sign = 1u << (bits - 1), infinity = (sign - 1) & ~((1u << mantissa_bits) - 1);
    const uint32_t quiet = infinity | 1u << (mantissa_bits - 1), mask = ir_imm(instr, IR_IMM_MASK);
    const struct class_range ranges[] = {
        {1 << 0, infinity + 1, quiet - 1}, /* signalling NaN */
        {1 << 1, quiet, sign - 1},
        {1 << 2 | 1 << 9, infinity, infinity},
        {1 << 3 | 1 << 8, 1u << mantissa_bits, infinity - 1},
        {1 << 4 | 1 << 7, 1, (1u << mantissa_bits) - 1},
        {1 << 5 | 1 << 6, 0, 0},
    };
    if (bits == 16)
        x = ir_u2u(b, 32, x);
    struct ir_value *magnitude = ir_iand(b, x, number(b, sign - 1)), *result = NULL;
    struct ir_value *is_negative = ir_uge(b, x, number(b, sign));
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        struct ir_value *is_in = is_within(b, magnitude, ranges[i].first, ranges[i].last);
        if (!(mask & ranges[i].mask))
            continue;
        if ((mask & ranges[i].mask) != ranges[i].mask) /* one of the two signs: the lower bit is the negative one */
            is_in =
                ir_iand(b, is_in, mask & ranges[i].mask & (ranges[i].mask - 1) ? ir_inot(b, is_negative) : is_negative);
        result = result ? ir_ior(b, result, is_in) : is_in;
    }
    return result ? result : ir_false(b);
}

/* ---- masks of 64 lanes ---- */

static struct ir_value *this_lane(struct ir_builder *b)
{
    return ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane);
}

static struct ir_value *count_below(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *one = ir_const(b, 64, 1), *below = ir_isub(b, ir_ishl(b, one, this_lane(b)), one);
    return ir_iadd(b, ir_bcount(b, ir_iand(b, ir_src(instr, 0), below)), ir_src(instr, 1));
}

static struct ir_value *bit_of_lane(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *bit = ir_u2u(b, 32, ir_ushr(b, ir_src(instr, 0), this_lane(b)));
    return ir_ine(b, ir_iand(b, bit, number(b, 1)), number(b, 0));
}

/* ---- products of 24 bits ---- */

static struct ir_value *low_24(struct ir_builder *b, struct ir_value *x, bool is_signed)
{
    if (!is_signed)
        return ir_iand(b, x, number(b, 0xffffff));
    return ir_ishr(b, ir_ishl(b, x, number(b, 8)), number(b, 8));
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = instr->num_srcs ? ir_src(instr, 0) : NULL;
    /* Who cannot take an exponent out cannot put one in. */
    const enum ir_op op = instr->op == IR_OP_fldexp ? IR_OP_ffrexp_exp : (enum ir_op)instr->op;
    if (!x || !ir_target_lacks(b->shader->target, op, x->bits))
        return NULL;
    switch (instr->op) {
    case IR_OP_mbcnt:
        return count_below(b, instr);
    case IR_OP_inverse_ballot:
        return bit_of_lane(b, instr);
    case IR_OP_umul24:
    case IR_OP_imul24:
        return ir_imul(b, low_24(b, x, instr->op == IR_OP_imul24),
                       low_24(b, ir_src(instr, 1), instr->op == IR_OP_imul24));
    case IR_OP_ubfe:
        return ir_iand(b, ir_ushr(b, x, ir_src(instr, 1)), ones(b, ir_src(instr, 2)));
    case IR_OP_ibfe:
        return extract_signed(b, x, ir_src(instr, 1), ir_src(instr, 2));
    case IR_OP_bfi:
        return insert_field(b, instr);
    case IR_OP_bitselect:
        return bit_select(b, instr);
    case IR_OP_fldexp:
        return x->bits == 32 ? scale(b, instr) : NULL;
    case IR_OP_ffrexp_mant:
        if (x->bits == 16)
            return ir_f2f(b, 16, mantissa(b, single(b, x)), IR_ROUNDING_even);
        return mantissa(b, x);
    case IR_OP_ffrexp_exp:
        return exponent(b, single(b, x));
    case IR_OP_fclass:
        return classify_float(b, instr);
    default:
        return NULL;
    }
}

bool lower_fields(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
