/* See program.h. */
#include "model/exec/program.h"

#include <stddef.h>
#include <string.h>

#include "isa/lane_numbers.h"

/* ---- operations ---- */

jit_value lane_program_emit(struct lane_program *b, enum jit_op op, jit_value x, jit_value y, jit_value z, uint32_t imm)
{
    if (b->count == JIT_MAX_INSTS) {
        b->failed = true;
        return 0;
    }
    struct jit_inst *inst = &b->insts[b->count];
    inst->op = (uint16_t)op;
    inst->a = x;
    inst->b = y;
    inst->c = z;
    inst->call = NULL;
    inst->imm = imm;
    return (jit_value)b->count++;
}

jit_value lane_program_const(struct lane_program *b, uint32_t value)
{
    /* Most constants were used a moment ago. */
    for (uint32_t i = b->count; i-- > 0 && i + 64 > b->count;) {
        if (b->insts[i].op == JIT_CONST && b->insts[i].imm == value)
            return (jit_value)i;
    }
    return lane_program_emit(b, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, value);
}

jit_value lane_program_call(struct lane_program *b, jit_call call, jit_value x, jit_value y, jit_value z)
{
    jit_value made = lane_program_emit(b, JIT_CALL, x, y, z, 0);
    b->insts[made].call = call;
    b->failed |= !call;
    return made;
}

/* ---- bits that are known ---- */

/* v is one of two constants. */
static bool is_choice(const struct lane_program *b, jit_value v, uint32_t *if_set_out, uint32_t *if_not_out)
{
    const struct jit_inst *inst = &b->insts[v];
    return inst->op == JIT_SELECT && lane_program_is_const(b, inst->b, if_set_out) &&
           lane_program_is_const(b, inst->c, if_not_out);
}

/* v = x turned to the left by `by`. */
static bool is_rotation(const struct lane_program *b, jit_value v, jit_value *x_out, uint32_t *by_out)
{
    const struct jit_inst *either = &b->insts[v];
    if (either->op != JIT_OR)
        return false;
    const struct jit_inst *left = &b->insts[either->a], *right = &b->insts[either->b];
    if (left->op == JIT_SHR_IMM) {
        const struct jit_inst *other = left;
        left = right;
        right = other;
    }
    *x_out = left->a;
    *by_out = left->imm;
    return left->op == JIT_SHL_IMM && right->op == JIT_SHR_IMM && left->a == right->a && left->imm + right->imm == 32;
}

/* The bits that v may have, as far as a few operations before it tell. */
static uint32_t may_have(const struct lane_program *b, jit_value v, unsigned depth)
{
    const struct jit_inst *inst = &b->insts[v];
    if (inst->op == JIT_CONST)
        return inst->imm;
    if (inst->op == JIT_HALF_OF_F32 || inst->op == JIT_HALF_ROUNDED || inst->op == JIT_FADD_HALF ||
        inst->op == JIT_FMUL_HALF || inst->op == JIT_FMA_HALF)
        return 0xffff;
    if (!depth--)
        return UINT32_MAX;
    switch ((enum jit_op)inst->op) {
    case JIT_AND:
        return may_have(b, inst->a, depth) & may_have(b, inst->b, depth);
    case JIT_OR:
        return may_have(b, inst->a, depth) | may_have(b, inst->b, depth);
    case JIT_SELECT:
        return may_have(b, inst->b, depth) | may_have(b, inst->c, depth);
    case JIT_SHL_IMM:
        return may_have(b, inst->a, depth) << inst->imm;
    case JIT_SHR_IMM:
        return may_have(b, inst->a, depth) >> inst->imm;
    default:
        return UINT32_MAX;
    }
}

#define MAY_HAVE_DEPTH 4

/* Two halves that were put together come apart so. */
jit_value lane_program_part(const struct lane_program *b, jit_value v, uint32_t mask)
{
    while (b->insts[v].op == JIT_OR) {
        const struct jit_inst *inst = &b->insts[v];
        if ((may_have(b, inst->a, MAY_HAVE_DEPTH) & mask) == 0)
            v = inst->b;
        else if ((may_have(b, inst->b, MAY_HAVE_DEPTH) & mask) == 0)
            v = inst->a;
        else
            break;
    }
    return v;
}

/* The bits of `mask` that v has: v is known to have no others, or only some of what it is made of is wanted. */
static bool keep_bits(struct lane_program *b, jit_value v, uint32_t mask, jit_value *made_out)
{
    const struct jit_inst inst = b->insts[v];
    uint32_t p, q;
    jit_value x;
    if (is_choice(b, v, &p, &q))
        *made_out = lane_program_select(b, inst.a, lane_program_const(b, p & mask), lane_program_const(b, q & mask));
    else if (is_rotation(b, v, &x, &p) && mask < 1u << p)
        *made_out = lane_program_and(b, lane_program_shift_by(b, JIT_SHR, x, 32 - p), lane_program_const(b, mask));
    else if (inst.op == JIT_SHR_IMM && (UINT32_MAX >> inst.imm & ~mask) == 0)
        *made_out = v;
    else if (inst.op == JIT_SHL_IMM && (UINT32_MAX << inst.imm & ~mask) == 0)
        *made_out = v;
    else if (inst.op == JIT_AND && lane_program_is_const(b, inst.b, &p))
        *made_out = (p & ~mask) == 0 ? v : lane_program_and(b, inst.a, lane_program_const(b, p & mask));
    else
        return false;
    return true;
}

jit_value lane_program_and(struct lane_program *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    jit_value made;
    bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p & q);
    if ((x_known && p == 0) || (y_known && q == UINT32_MAX))
        return x;
    if ((y_known && q == 0) || (x_known && p == UINT32_MAX) || x == y)
        return y;
    if (x_known || y_known) {
        const uint32_t mask = x_known ? p : q;
        jit_value *part = x_known ? &y : &x;
        *part = lane_program_part(b, *part, mask);
        if ((may_have(b, *part, MAY_HAVE_DEPTH) & ~mask) == 0)
            return *part;
        if (keep_bits(b, *part, mask, &made))
            return made;
    }
    if (b->insts[x].op == JIT_NOT || b->insts[y].op == JIT_NOT) {
        const jit_value not = b->insts[y].op == JIT_NOT ? y : x;
        return lane_program_emit(b, JIT_ANDN, not == y ? x : y, b->insts[not ].a, JIT_NONE, 0);
    }
    return lane_program_emit(b, JIT_AND, x, y, JIT_NONE, 0);
}

/* Bits that are in x already need not be left out of y: masks of lanes that go one way after the others are made so. */
static jit_value without_rest(const struct lane_program *b, jit_value x, jit_value y)
{
    return b->insts[y].op == JIT_ANDN && b->insts[y].b == x ? b->insts[y].a : y;
}

/* Both are bits of one value. */
static bool is_split(const struct lane_program *b, jit_value x, jit_value y, uint32_t *mask_x_out, uint32_t *mask_y_out)
{
    const struct jit_inst *one = &b->insts[x], *other = &b->insts[y];
    return one->op == JIT_AND && other->op == JIT_AND && one->a == other->a &&
           lane_program_is_const(b, one->b, mask_x_out) && lane_program_is_const(b, other->b, mask_y_out);
}

jit_value lane_program_or(struct lane_program *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p | q);
    if ((x_known && p == UINT32_MAX) || (y_known && q == 0))
        return x;
    if ((y_known && q == UINT32_MAX) || (x_known && p == 0) || x == y)
        return y;
    if (is_split(b, x, y, &p, &q)) /* into bits that are put together again */
        return lane_program_and(b, b->insts[x].a, lane_program_const(b, p | q));
    const jit_value other = without_rest(b, x, y);
    return lane_program_emit(b, JIT_OR, without_rest(b, y, x), other, JIT_NONE, 0);
}

jit_value lane_program_xor(struct lane_program *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p ^ q);
    if (y_known && q == 0)
        return x;
    if (x_known && p == 0)
        return y;
    return lane_program_emit(b, JIT_XOR, x, y, JIT_NONE, 0);
}

jit_value lane_program_not(struct lane_program *b, jit_value x)
{
    uint32_t p;
    if (lane_program_is_const(b, x, &p))
        return lane_program_const(b, ~p);
    return b->insts[x].op == JIT_NOT ? b->insts[x].a : lane_program_unary(b, JIT_NOT, x);
}

jit_value lane_program_eq(struct lane_program *b, jit_value x, jit_value y)
{
    uint32_t p, q, if_set, if_not;
    if (x == y)
        return lane_program_const(b, UINT32_MAX);
    const bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p == q ? UINT32_MAX : 0);
    const jit_value other = x_known ? y : x;
    if ((x_known || y_known) && is_choice(b, other, &if_set, &if_not)) {
        const uint32_t wanted = x_known ? p : q;
        const jit_value condition = b->insts[other].a;
        if (if_set != wanted && if_not != wanted)
            return lane_program_const(b, 0);
        if (if_set == if_not)
            return lane_program_const(b, UINT32_MAX);
        return if_set == wanted ? condition : lane_program_not(b, condition);
    }
    return lane_program_emit(b, JIT_EQ, x, y, JIT_NONE, 0);
}

/* ---- products of 32 bits, made of three products of 16 ---- */

/* v is the lower half of *of_out, or the upper one shifted down. A constant is either. */
static bool is_half_of(struct lane_program *b, jit_value v, bool is_high, jit_value *of_out)
{
    const struct jit_inst *inst = &b->insts[v];
    uint32_t mask;
    if (inst->op == JIT_CONST && inst->imm <= 0xffff) {
        *of_out = is_high ? lane_program_const(b, inst->imm << 16) : v;
        return true;
    }
    *of_out = inst->a;
    if (is_high)
        return inst->op == JIT_SHR_IMM && inst->imm == 16;
    return inst->op == JIT_AND && lane_program_is_const(b, inst->b, &mask) && mask == 0xffff;
}

/* v = (low & 0xffff) * (high >> 16) << 16. */
static bool is_cross(struct lane_program *b, jit_value v, jit_value *low_out, jit_value *high_out)
{
    const struct jit_inst *shift = &b->insts[v];
    if (shift->op != JIT_SHL_IMM || shift->imm != 16 || b->insts[shift->a].op != JIT_MUL)
        return false;
    const jit_value x = b->insts[shift->a].a, y = b->insts[shift->a].b;
    return (is_half_of(b, x, false, low_out) && is_half_of(b, y, true, high_out)) ||
           (is_half_of(b, y, false, low_out) && is_half_of(b, x, true, high_out));
}

/* The sum of a_low * c_low, a_low * d_high << 16 and c_low * a_high << 16 is a times what has c's lower and d's upper
 * half: how processors with products of 16 bits multiply. `first` is one of the latter two, `second` the other with the
 * sum. */
static bool multiply_halves(struct lane_program *b, jit_value first, jit_value second, jit_value *product_out)
{
    const struct jit_inst sum = b->insts[second];
    jit_value low[2], high[2], factor[2];
    if (sum.op != JIT_ADD || !is_cross(b, first, &low[0], &high[0]))
        return false;
    const bool is_left = is_cross(b, sum.a, &low[1], &high[1]);
    if (!is_left && !is_cross(b, sum.b, &low[1], &high[1]))
        return false;
    const struct jit_inst product = b->insts[is_left ? sum.b : sum.a];
    if (product.op != JIT_MUL || !is_half_of(b, product.a, false, &factor[0]) ||
        !is_half_of(b, product.b, false, &factor[1]))
        return false;
    for (unsigned way = 0; way < 4; way++) {
        const jit_value a = factor[way & 1], c = factor[!(way & 1)], *const la = &low[way >> 1], *const ha = high;
        if (*la != a || low[!(way >> 1)] != c || ha[!(way >> 1)] != a)
            continue;
        const jit_value d = ha[way >> 1];
        const jit_value other = c == d ? c
                                       : lane_program_or(b, lane_program_and(b, c, lane_program_const(b, 0xffff)),
                                                         lane_program_and(b, d, lane_program_const(b, 0xffff0000u)));
        *product_out = lane_program_mul(b, a, other);
        return true;
    }
    return false;
}

/* The number of the lane is added to what it was taken away from, as in p - (q + lane) + lane: what is left is the same
 * in all lanes if p and q are. */
static bool is_without_lane(struct lane_program *b, jit_value lane, jit_value difference, jit_value *made_out)
{
    const struct jit_inst inst = b->insts[difference];
    if (b->insts[lane].op != JIT_LANE || inst.op != JIT_SUB)
        return false;
    const struct jit_inst less = b->insts[inst.b];
    if (less.op == JIT_LANE)
        *made_out = inst.a;
    else if (less.op == JIT_ADD && (b->insts[less.a].op == JIT_LANE || b->insts[less.b].op == JIT_LANE))
        *made_out = lane_program_sub(b, inst.a, b->insts[less.a].op == JIT_LANE ? less.b : less.a);
    else
        return false;
    return true;
}

jit_value lane_program_add(struct lane_program *b, jit_value x, jit_value y)
{
    jit_value product;
    uint32_t p, q;
    const bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p + q);
    if ((x_known && p == 0) || (y_known && q == 0))
        return x_known && p == 0 ? y : x;
    if (multiply_halves(b, x, y, &product) || multiply_halves(b, y, x, &product))
        return product;
    if (is_without_lane(b, x, y, &product) || is_without_lane(b, y, x, &product))
        return product;
    return lane_program_emit(b, JIT_ADD, x, y, JIT_NONE, 0);
}

jit_value lane_program_sub(struct lane_program *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    const bool x_known = lane_program_is_const(b, x, &p), y_known = lane_program_is_const(b, y, &q);
    if (x_known && y_known)
        return lane_program_const(b, p - q);
    return y_known && q == 0 ? x : lane_program_emit(b, JIT_SUB, x, y, JIT_NONE, 0);
}

jit_value lane_program_select(struct lane_program *b, jit_value condition, jit_value x, jit_value y)
{
    uint32_t p;
    if (lane_program_is_const(b, condition, &p))
        return p ? x : y;
    if (b->insts[condition].op == JIT_NOT)
        return lane_program_select(b, b->insts[condition].a, y, x);
    /* The rest of another choice by the same condition: of several instructions that write a register in the same
     * lanes, only the last one's is made. */
    if (b->insts[x].op == JIT_SELECT && b->insts[x].a == condition)
        x = b->insts[x].b;
    if (b->insts[y].op == JIT_SELECT && b->insts[y].a == condition)
        y = b->insts[y].c;
    return x == y ? x : lane_program_emit(b, JIT_SELECT, condition, x, y, 0);
}

jit_value lane_program_shift(struct lane_program *b, enum jit_op op, jit_value x, jit_value count)
{
    uint32_t n, p;
    if (!lane_program_is_const(b, count, &n))
        return lane_program_emit(b, op, x, count, JIT_NONE, 0);
    n &= 31;
    if (n && op != JIT_SAR && !lane_program_is_const(b, x, &p)) { /* two shifts that leave bits where they were */
        const uint32_t mask = op == JIT_SHL ? UINT32_MAX >> n : UINT32_MAX << n;
        x = lane_program_part(b, x, mask);
        const struct jit_inst *inst = &b->insts[x];
        if (inst->op == (op == JIT_SHL ? JIT_SHR_IMM : JIT_SHL_IMM) && inst->imm == n)
            return lane_program_and(b, inst->a,
                                    lane_program_const(b, op == JIT_SHL ? UINT32_MAX << n : UINT32_MAX >> n));
    }
    if (lane_program_is_const(b, x, &p))
        return lane_program_const(b, op == JIT_SHL ? p << n : op == JIT_SHR ? p >> n : (uint32_t)((int32_t)p >> n));
    enum jit_op by = op == JIT_SHL ? JIT_SHL_IMM : op == JIT_SHR ? JIT_SHR_IMM : JIT_SAR_IMM;
    return n ? lane_program_emit(b, by, x, JIT_NONE, JIT_NONE, n) : x;
}

/* ---- primitives ---- */

/* No signalling NaN and, where the mode flushes, no denormal: what arithmetic makes. */
bool lane_program_is_calm(const struct lane_program *b, jit_value v)
{
    enum jit_op op = b->insts[v].op;
    uint32_t bits = b->insts[v].imm, magnitude = bits & 0x7fffffff;
    if (op == JIT_CONST)
        return magnitude == 0 || (magnitude >= 0x00800000 && magnitude <= 0x7f800000);
    return op == JIT_FADD || op == JIT_FSUB || op == JIT_FMUL || op == JIT_FMA || op == JIT_FDIV || op == JIT_FSQRT ||
           op == JIT_FMIN || op == JIT_FMAX || op == JIT_FMIN_NUMBER || op == JIT_FMAX_NUMBER || op == JIT_F32_OF_I32 ||
           op == JIT_F32_OF_U32;
}

/* As lane_calm_f32: outside of IEEE mode minimum and maximum see signalling NaNs as quiet ones. */
static jit_value quiet_nan(struct lane_program *b, jit_value x)
{
    return b->mode.ieee || lane_program_is_calm(b, x) ? x : lane_program_fmul(b, x, lane_program_const(b, 0x3f800000));
}

/* A product and -0 is the product, but where a sum of zeros is rounded down. */
jit_value lane_program_fma_f32(struct lane_program *b, jit_value x, jit_value y, jit_value z)
{
    uint32_t bits;
    if (lane_program_is_const(b, z, &bits) && bits == 0x80000000u && b->mode.round_f32 != LANE_ROUND_DOWN)
        return lane_program_fmul(b, x, y);
    return lane_program_emit(b, JIT_FMA, x, y, z, 0);
}

/* Neither a NaN nor a denormal. */
static bool is_plain_number(const struct lane_program *b, jit_value v, uint32_t *bits_out)
{
    return lane_program_is_const(b, v, bits_out) && lane_program_is_calm(b, v) &&
           (*bits_out & 0x7fffffff) <= 0x7f800000;
}

/* The minimum or maximum of what may be anything and a number. JIT_NONE: not so. */
static jit_value limit(struct lane_program *b, enum jit_op op, jit_value x, jit_value number)
{
    uint32_t bits;
    if (!is_plain_number(b, number, &bits) || bits == (op == JIT_FMAX_NUMBER ? 0x80000000u : 0) ||
        (b->mode.ieee && !lane_program_is_calm(b, x)))
        return JIT_NONE;
    return lane_program_emit(b, op, quiet_nan(b, x), number, JIT_NONE, 0);
}

jit_value lane_program_min_f32(struct lane_program *b, jit_value x, jit_value y)
{
    jit_value made = limit(b, JIT_FMIN_NUMBER, x, y);
    made = made == JIT_NONE ? limit(b, JIT_FMIN_NUMBER, y, x) : made;
    if (made != JIT_NONE)
        return made;
    return lane_program_emit(b, JIT_FMIN, quiet_nan(b, y), quiet_nan(b, x), JIT_NONE, 0);
}

jit_value lane_program_max_f32(struct lane_program *b, jit_value x, jit_value y)
{
    jit_value made = limit(b, JIT_FMAX_NUMBER, x, y);
    made = made == JIT_NONE ? limit(b, JIT_FMAX_NUMBER, y, x) : made;
    if (made != JIT_NONE)
        return made;
    return lane_program_emit(b, JIT_FMAX, quiet_nan(b, y), quiet_nan(b, x), JIT_NONE, 0);
}

/* Bits of a number that is no NaN, in the numbers' order. */
static int32_t order_of(uint32_t bits)
{
    return (int32_t)(bits >> 31 ? bits ^ 0x7fffffff : bits);
}

/* Between two numbers; what is no number becomes the lower one. False: it is no such choice. */
static bool clamp_value(struct lane_program *b, jit_value x, jit_value y, jit_value z, jit_value *made_out)
{
    uint32_t p, q;
    if ((b->mode.ieee && !lane_program_is_calm(b, x)) || !is_plain_number(b, y, &p) || !is_plain_number(b, z, &q))
        return false;
    const bool is_ordered = order_of(p) <= order_of(q);
    *made_out = lane_program_min_f32(b, lane_program_max_f32(b, x, is_ordered ? y : z), is_ordered ? z : y);
    return true;
}

jit_value lane_program_med3_f32(struct lane_program *b, jit_value x, jit_value y, jit_value z)
{
    jit_value made;
    if (clamp_value(b, x, y, z, &made) || clamp_value(b, y, x, z, &made) || clamp_value(b, z, x, y, &made))
        return made;
    jit_value ordered = lane_program_and(b, lane_program_and(b, lane_program_feq(b, x, x), lane_program_feq(b, y, y)),
                                         lane_program_feq(b, z, z));
    x = quiet_nan(b, x), y = quiet_nan(b, y), z = quiet_nan(b, z);
    jit_value low = lane_program_emit(b, JIT_FMIN, x, y, JIT_NONE, 0),
              high = lane_program_emit(b, JIT_FMAX, x, y, JIT_NONE, 0);
    jit_value least = lane_program_emit(b, JIT_FMIN, low, z, JIT_NONE, 0);
    jit_value middle =
        lane_program_emit(b, JIT_FMAX, low, lane_program_emit(b, JIT_FMIN, high, z, JIT_NONE, 0), JIT_NONE, 0);
    return lane_program_select(b, ordered, middle, least);
}

static jit_value without_denormals(struct lane_program *b, jit_value x)
{
    jit_value exponent = lane_program_and(b, x, lane_program_const(b, 0x7f800000));
    jit_value is_small = lane_program_eq(b, exponent, lane_program_const(b, 0));
    return lane_program_select(b, is_small, lane_program_and(b, x, lane_program_const(b, 0x80000000)), x);
}

jit_value lane_program_flush_f32(struct lane_program *b, jit_value x)
{
    return b->mode.keep_in_f32 || lane_program_is_calm(b, x) ? x : without_denormals(b, x);
}

/* The transcendental unit knows no denormals. Where the host flushes by itself, arithmetic does it. */
static jit_value flushed(struct lane_program *b, jit_value x)
{
    return b->mode.keep_in_f32 ? without_denormals(b, x) : x;
}

jit_value lane_program_rcp_f32(struct lane_program *b, jit_value x)
{
    return flushed(b, lane_program_emit(b, JIT_FDIV, lane_program_const(b, 0x3f800000), flushed(b, x), JIT_NONE, 0));
}

jit_value lane_program_sqrt_f32(struct lane_program *b, jit_value x)
{
    return lane_program_unary(b, JIT_FSQRT, flushed(b, x));
}

/* As lane_rsq_f32: an estimate, and a step of Newton's. */
jit_value lane_program_rsq_f32(struct lane_program *b, jit_value x)
{
    const jit_value one = lane_program_const(b, 0x3f800000), sign = lane_program_const(b, 0x80000000);
    jit_value a = flushed(b, x),
              y = lane_program_emit(b, JIT_FDIV, one, lane_program_unary(b, JIT_FSQRT, a), JIT_NONE, 0);
    jit_value minus = lane_program_xor(b, lane_program_fmul(b, a, y), sign);
    jit_value better = lane_program_fma_f32(b, lane_program_fmul(b, y, lane_program_const(b, 0x3f000000)),
                                            lane_program_fma_f32(b, minus, y, one), y);
    jit_value is_number = lane_program_lt_u(b, lane_program_sub(b, a, lane_program_const(b, 0x00800000)),
                                            lane_program_const(b, 0x7f000000));
    return lane_program_select(b, is_number, better, y);
}

/* ---- powers and turns: the steps of lane_math.h ---- */

static jit_value number(struct lane_program *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return lane_program_const(b, bits);
}

/* by * x + plus. */
static jit_value multiply_add(struct lane_program *b, float by, jit_value x, float plus)
{
    return lane_program_fma_f32(b, number(b, by), x, number(b, plus));
}

/* The sum of bits of exactly 128 is that of infinity. */
jit_value lane_program_exp2_to_128_f32(struct lane_program *b, jit_value x)
{
    const jit_value n = lane_program_unary(b, JIT_NEAREST, x), y = lane_program_fsub(b, x, n),
                    z = lane_program_fmul(b, y, y);
    const jit_value p23 = multiply_add(b, LANE_EXP2_3, y, LANE_EXP2_2),
                    p45 = multiply_add(b, LANE_EXP2_5, y, LANE_EXP2_4);
    const jit_value p = lane_program_fma_f32(b, lane_program_fma_f32(b, p45, z, p23), y, number(b, LANE_EXP2_1));
    const jit_value rest = lane_program_fma_f32(b, p, z, lane_program_fmul(b, y, number(b, LANE_EXP2_LN2_LOW)));
    const jit_value whole =
        lane_program_fadd(b, lane_program_fma_f32(b, y, number(b, LANE_EXP2_LN2), rest), number(b, 1.0f));
    const jit_value exponent = lane_program_shift_by(b, JIT_SHL, lane_program_fadd(b, n, number(b, LANE_WHOLE)), 23);
    const jit_value value = lane_program_emit(b, JIT_ADD, whole, exponent, JIT_NONE, 0);
    return lane_program_select(b, lane_program_fle(b, number(b, -126.0f), x), value, lane_program_const(b, 0));
}

jit_value lane_program_exp2_f32(struct lane_program *b, jit_value x)
{
    const jit_value above = lane_program_exp2_to_128_f32(b, x);
    const jit_value other = lane_program_fmul(b, x, lane_program_const(b, 0x7f800000));
    return lane_program_select(b, lane_program_flt(b, x, number(b, 128.0f)), above, other);
}

/* p(t), from its second term on. */
static jit_value log2_polynomial(struct lane_program *b, jit_value t, jit_value z)
{
    const jit_value w = lane_program_fmul(b, z, z), p01 = lane_program_fmul(b, number(b, LANE_LOG2_1), t);
    const jit_value p23 = multiply_add(b, LANE_LOG2_3, t, LANE_LOG2_2),
                    p45 = multiply_add(b, LANE_LOG2_5, t, LANE_LOG2_4),
                    p67 = multiply_add(b, LANE_LOG2_7, t, LANE_LOG2_6);
    const jit_value upper = lane_program_fma_f32(b, lane_program_fma_f32(b, number(b, LANE_LOG2_8), z, p67), z, p45);
    return lane_program_fma_f32(b, upper, w, lane_program_fma_f32(b, p23, z, p01));
}

jit_value lane_program_log2_f32(struct lane_program *b, jit_value u)
{
    const jit_value exponent =
        lane_program_shift_by(b, JIT_SAR, lane_program_sub(b, u, lane_program_const(b, LANE_LOG2_ROOT)), 23);
    const jit_value e = lane_program_unary(b, JIT_F32_OF_I32, exponent);
    const jit_value t =
        lane_program_fsub(b, lane_program_sub(b, u, lane_program_shift_by(b, JIT_SHL, exponent, 23)), number(b, 1.0f));
    const jit_value z = lane_program_fmul(b, t, t),
                    z_lost = lane_program_fma_f32(b, t, t, lane_program_xor(b, z, lane_program_const(b, 0x80000000)));
    const jit_value p = log2_polynomial(b, t, z), first = number(b, LANE_LOG2_0);
    const jit_value minus = lane_program_fmul(b, t, number(b, -LANE_LOG2_E)),
                    lost = lane_program_fma_f32(b, t, number(b, LANE_LOG2_E), minus);
    const jit_value small = lane_program_fma_f32(b, z, p, lane_program_fma_f32(b, t, number(b, LANE_LOG2_E_LOW), lost));
    const jit_value rest = lane_program_fma_f32(b, z, first, lane_program_fma_f32(b, z_lost, first, small));
    const jit_value sum = lane_program_fsub(b, e, minus),
                    sum_lost = lane_program_fsub(b, lane_program_fsub(b, e, sum), minus);
    const jit_value value = lane_program_fadd(b, sum, lane_program_fadd(b, sum_lost, rest));
    const jit_value infinite = lane_program_const(b, 0x7f800000),
                    none = lane_program_select(b, lane_program_eq(b, u, infinite), infinite,
                                               lane_program_const(b, 0x7fc00000));
    const jit_value is_zero =
        lane_program_lt_u(b, lane_program_shift_by(b, JIT_SHL, u, 1), lane_program_const(b, 0x01000000));
    const jit_value other = lane_program_select(b, is_zero, lane_program_const(b, 0xff800000), none);
    const jit_value is_number = lane_program_lt_u(b, lane_program_sub(b, u, lane_program_const(b, 0x00800000)),
                                                  lane_program_const(b, 0x7f000000));
    return lane_program_select(b, is_number, value, other);
}

static jit_value quarter_turns(struct lane_program *b, jit_value x, uint32_t quarters)
{
    const jit_value a = flushed(b, x), part = lane_program_fsub(b, a, lane_program_unary(b, JIT_NEAREST, a)),
                    moved = lane_program_fmul(b, part, number(b, 4.0f)),
                    n = lane_program_unary(b, JIT_NEAREST, moved), t = lane_program_fsub(b, moved, n),
                    z = lane_program_fmul(b, t, t);
    const jit_value s = lane_program_fma_f32(b, multiply_add(b, LANE_SIN_3, z, LANE_SIN_2), z, number(b, LANE_SIN_1));
    const jit_value rest = lane_program_fmul(b, t, lane_program_fma_f32(b, s, z, number(b, LANE_SIN_0_LOW)));
    const jit_value sine = lane_program_fma_f32(b, t, number(b, LANE_SIN_0), rest);
    const jit_value c = lane_program_fma_f32(b, multiply_add(b, LANE_COS_4, z, LANE_COS_3), z, number(b, LANE_COS_2));
    const jit_value cosine =
        lane_program_fma_f32(b, lane_program_fma_f32(b, c, z, number(b, LANE_COS_1)), z, number(b, 1.0f));
    const jit_value k =
        lane_program_add(b, lane_program_fadd(b, n, number(b, LANE_WHOLE)), lane_program_const(b, quarters));
    const jit_value is_odd = lane_program_shift_by(b, JIT_SAR, lane_program_shift_by(b, JIT_SHL, k, 31), 31);
    const jit_value sign = lane_program_shift_by(b, JIT_SHL, lane_program_and(b, k, lane_program_const(b, 2)), 30);
    const jit_value value = lane_program_xor(b, lane_program_select(b, is_odd, cosine, sine), sign);
    const jit_value magnitude = lane_program_and(b, a, lane_program_const(b, 0x7fffffff));
    return lane_program_select(b, lane_program_fle(b, magnitude, number(b, 0x1.fffffep127f)), value,
                               lane_program_fma_f32(b, a, number(b, 0.0f), number(b, 0.0f)));
}

jit_value lane_program_sin_turns_f32(struct lane_program *b, jit_value x)
{
    return quarter_turns(b, x, 0);
}

jit_value lane_program_cos_turns_f32(struct lane_program *b, jit_value x)
{
    return quarter_turns(b, x, 1);
}

jit_value lane_program_fract_f32(struct lane_program *b, jit_value x)
{
    jit_value a = lane_program_flush_f32(b, x), part = lane_program_fsub(b, a, lane_program_unary(b, JIT_FLOOR, a));
    jit_value too_much = lane_program_fle(b, lane_program_const(b, 0x3f800000), part);
    return lane_program_select(b, too_much, lane_program_const(b, 0x3f7fffff), part);
}

jit_value lane_program_at_most_f32(struct lane_program *b, jit_value x, uint32_t number)
{
    const jit_value most = lane_program_const(b, number);
    return lane_program_is_calm(b, x) ? limit(b, JIT_FMIN_NUMBER, x, most)
                                      : lane_program_select(b, lane_program_flt(b, x, most), x, most);
}

jit_value lane_program_at_least_f32(struct lane_program *b, jit_value x, uint32_t number)
{
    const jit_value least = lane_program_const(b, number);
    return lane_program_is_calm(b, x) ? limit(b, JIT_FMAX_NUMBER, x, least)
                                      : lane_program_select(b, lane_program_flt(b, least, x), x, least);
}

jit_value lane_program_clamp01_f32(struct lane_program *b, jit_value x)
{
    jit_value zero = lane_program_const(b, 0), one = lane_program_const(b, 0x3f800000);
    if (b->mode.clamps_nan && lane_program_is_calm(b, x))
        return limit(b, JIT_FMIN_NUMBER, limit(b, JIT_FMAX_NUMBER, x, zero), one);
    jit_value above = lane_program_select(b, lane_program_flt(b, x, one), x, one);
    jit_value number = lane_program_select(b, lane_program_flt(b, zero, x), above, zero);
    return b->mode.clamps_nan ? number : lane_program_select(b, lane_program_feq(b, x, x), number, x);
}

jit_value lane_program_f16_rtz_f32(struct lane_program *b, jit_value x)
{
    jit_value half = lane_program_unary(b, JIT_HALF_OF_F32, x);
    if (b->mode.keep_out_f16)
        return half;
    jit_value is_normal =
        lane_program_lt_u(b, lane_program_const(b, 0x3ff), lane_program_and(b, half, lane_program_const(b, 0x7fff)));
    return lane_program_select(b, is_normal, half, lane_program_and(b, half, lane_program_const(b, 0x8000)));
}

jit_value lane_program_bfe(struct lane_program *b, bool is_signed, jit_value x, jit_value offset, jit_value width)
{
    enum jit_op down = is_signed ? JIT_SAR : JIT_SHR;
    uint32_t from, bits;
    if (lane_program_is_const(b, offset, &from) && lane_program_is_const(b, width, &bits)) {
        bits = bits < 32 - from ? bits : 32 - from;
        if (!bits)
            return lane_program_const(b, 0);
        return lane_program_shift_by(b, down, lane_program_shift_by(b, JIT_SHL, x, 32 - from - bits), 32 - bits);
    }
    jit_value top = lane_program_sub(b, lane_program_const(b, 32), offset), used = lane_program_min_u(b, width, top);
    jit_value up = lane_program_shift(b, JIT_SHL, x, lane_program_sub(b, top, used));
    jit_value moved = lane_program_shift(b, down, up, lane_program_sub(b, lane_program_const(b, 32), used));
    jit_value zero = lane_program_const(b, 0);
    return lane_program_select(b, lane_program_eq(b, used, zero), zero, moved);
}
