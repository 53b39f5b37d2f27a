/* Halves in pairs: a register of 32 bits has two, and programs that know nothing of pairs compute with each by itself.
 * Where a value is put together of two halves that come from the same operations, these are done once, on both:
 *
 *     (op(x >> 16, y >> 16) << 16) | op(x & 0xffff, y & 0xffff)  ─▶  op(x, y)
 *
 * op is what the host computes with halves (JIT_FADD_HALF and the like), or the flush of denormal ones to a zero of
 * their sign, which is a choice, and where the host has that an operation, those of single halves as well. On hosts
 * whose vectors of halves fill their lanes. */
#include <string.h>

#include "model/jit_maker.h"

#define LOW 0xffffu
#define SIGN 0x8000u
#define EXPONENT 0x7c00u

struct pairs {
    const struct jit_inst *insts;
    /* Operations of pairs, and which one of the program each comes after; as values they have numbers from
     * JIT_MAX_INSTS on. */
    struct jit_inst made[JIT_MAX_INSTS];
    uint16_t after[JIT_MAX_INSTS];
    uint32_t count;
    jit_value low_of[JIT_MAX_INSTS], pair_of[JIT_MAX_INSTS]; /* of upper halves that were looked at */
};

static bool is_const(const struct jit_inst *insts, jit_value v, uint32_t imm)
{
    return insts[v].op == JIT_CONST && insts[v].imm == imm;
}

/* x of x & imm, or JIT_NONE. */
static jit_value masked(const struct jit_inst *insts, jit_value v, uint32_t imm)
{
    const struct jit_inst *inst = &insts[v];
    if (inst->op != JIT_AND && inst->op != JIT_TEST)
        return JIT_NONE;
    return is_const(insts, inst->b, imm) ? inst->a : is_const(insts, inst->a, imm) ? inst->b : JIT_NONE;
}

/* Without what only clears the upper half. */
static jit_value strip_clearing(const struct jit_inst *insts, jit_value v)
{
    const jit_value inner = insts[v].op == JIT_AND ? masked(insts, v, LOW) : JIT_NONE;
    return inner == JIT_NONE ? v : inner;
}

static bool is_half_op(enum jit_op op)
{
    return op == JIT_FADD_HALF || op == JIT_FMUL_HALF || op == JIT_FMA_HALF;
}

/* The value that a choice flushes, or JIT_NONE. */
static jit_value flushed(const struct jit_inst *insts, jit_value v)
{
    const struct jit_inst *inst = &insts[v];
    if (inst->op != JIT_SELECT || insts[inst->a].op != JIT_TEST || insts[inst->c].op != JIT_AND)
        return JIT_NONE;
    const jit_value x = masked(insts, inst->a, EXPONENT), zero = masked(insts, inst->c, SIGN);
    return x != JIT_NONE && zero != JIT_NONE && strip_clearing(insts, x) == strip_clearing(insts, zero) &&
                   strip_clearing(insts, x) == strip_clearing(insts, inst->b)
               ? x
               : JIT_NONE;
}

static bool has_zeros_above(const struct jit_inst *insts, jit_value v)
{
    return is_half_op(insts[v].op) || strip_clearing(insts, v) != v ||
           (flushed(insts, v) != JIT_NONE && has_zeros_above(insts, insts[v].b));
}

static jit_value put_inst(struct pairs *p, uint32_t after, struct jit_inst inst)
{
    if (p->count == JIT_MAX_INSTS)
        return JIT_NONE;
    p->made[p->count] = inst;
    p->after[p->count] = (uint16_t)after;
    return (jit_value)(JIT_MAX_INSTS + p->count++);
}

static jit_value put_const(struct pairs *p, uint32_t after, uint32_t high, uint32_t low)
{
    return put_inst(
        p, after,
        (struct jit_inst){.op = JIT_CONST, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE, .imm = high << 16 | low});
}

static jit_value put_two(struct pairs *p, uint32_t after, enum jit_op op, jit_value a, jit_value b)
{
    return put_inst(p, after, (struct jit_inst){.op = (uint16_t)op, .a = a, .b = b, .c = JIT_NONE});
}

static jit_value find_pair(struct pairs *p, jit_value high, jit_value low);

static jit_value make_flush(struct pairs *p, uint32_t after, jit_value high, jit_value low)
{
    const jit_value x = find_pair(p, high, low);
    if (x == JIT_NONE)
        return JIT_NONE;
    if (JIT_HAS_FLUSH)
        return put_inst(p, after, (struct jit_inst){.op = JIT_FLUSH_HALVES, .a = x, .b = JIT_NONE, .c = JIT_NONE});
    const jit_value exponents = put_const(p, after, EXPONENT, EXPONENT), signs = put_const(p, after, SIGN, SIGN);
    const jit_value is_normal = put_two(p, after, JIT_TEST_HALVES, x, exponents),
                    zero = put_two(p, after, JIT_AND, x, signs);
    return put_inst(p, after, (struct jit_inst){.op = JIT_SELECT, .a = is_normal, .b = x, .c = zero});
}

static jit_value make_op(struct pairs *p, uint32_t after, const struct jit_inst *high, const struct jit_inst *low)
{
    struct jit_inst inst = {.op = high->op, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE};
    const bool has_three = jit_operand_count(high->op) == 3;
    inst.a = find_pair(p, high->a, low->a);
    inst.b = inst.a == JIT_NONE ? JIT_NONE : find_pair(p, high->b, low->b);
    if (inst.b != JIT_NONE && has_three)
        inst.c = find_pair(p, high->c, low->c);
    return inst.b == JIT_NONE || (has_three && inst.c == JIT_NONE) ? JIT_NONE : put_inst(p, after, inst);
}

/* A value whose upper half is the lower one of `high`, and whose lower half is that of `low`; JIT_NONE: not for
 * less. */
static jit_value find_pair(struct pairs *p, jit_value high, jit_value low)
{
    const struct jit_inst *insts = p->insts;
    const uint32_t after = high > low ? high : low;
    high = strip_clearing(insts, high);
    low = strip_clearing(insts, low);
    const struct jit_inst *h = &insts[high], *l = &insts[low];
    if (h->op == JIT_SHR_IMM && h->imm == 16 && strip_clearing(insts, h->a) == low)
        return low;
    if (h->op == JIT_CONST && l->op == JIT_CONST)
        return put_const(p, after, h->imm & LOW, l->imm & LOW);
    if (h->op != l->op)
        return JIT_NONE;
    if (p->low_of[high] == low)
        return p->pair_of[high];
    const jit_value of_h = flushed(insts, high), of_l = flushed(insts, low);
    jit_value pair = JIT_NONE;
    if (of_h != JIT_NONE && of_l != JIT_NONE)
        pair = make_flush(p, after, of_h, of_l);
    else if (is_half_op(h->op))
        pair = make_op(p, after, h, l);
    p->low_of[high] = low;
    p->pair_of[high] = pair;
    return pair;
}

/* A value that is put together, and nothing else uses its halves. */
static jit_value find_root(struct pairs *p, const uint8_t *uses, const struct jit_inst *inst)
{
    const struct jit_inst *insts = p->insts;
    if (inst->op != JIT_OR)
        return JIT_NONE;
    const bool is_first = insts[inst->a].op == JIT_SHL_IMM && insts[inst->a].imm == 16;
    const jit_value shifted = is_first ? inst->a : inst->b, low = is_first ? inst->b : inst->a;
    if (insts[shifted].op != JIT_SHL_IMM || insts[shifted].imm != 16 || uses[shifted] > 1 || uses[low] > 1 ||
        uses[insts[shifted].a] > 1 || !has_zeros_above(insts, low))
        return JIT_NONE;
    return find_pair(p, insts[shifted].a, low);
}

static void count_uses(const struct jit_inst *insts, uint32_t count, uint8_t *uses)
{
    bool is_needed[JIT_MAX_INSTS];
    memset(uses, 0, count);
    jit_find_needed(insts, count, is_needed);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned n = 0; is_needed[i] && n < jit_operand_count(insts[i].op); n++) {
            const jit_value v = jit_operand(&insts[i], n);
            if (v != JIT_NONE && uses[v] < 2)
                uses[v]++;
        }
    }
}

/* The program with its operations of pairs, each after both that it is made of. */
static uint32_t put_together(const struct pairs *p, uint32_t count, const jit_value *roots, struct jit_inst *insts_out,
                             struct jit_outline *outline)
{
    struct jit_inst insts[JIT_MAX_INSTS];
    jit_value names[2 * JIT_MAX_INSTS];
    uint32_t out = 0;
    for (uint32_t i = 0; i < count; i++) {
        insts[out] = p->insts[i];
        jit_rename_operands(&insts[out], names);
        names[i] = (jit_value)(roots[i] == JIT_NONE ? out++ : names[roots[i]]);
        for (uint32_t k = 0; k < p->count; k++) {
            if (p->after[k] != i)
                continue;
            insts[out] = p->made[k];
            jit_rename_operands(&insts[out], names);
            names[JIT_MAX_INSTS + k] = (jit_value)out++;
        }
    }
    jit_rename_rest(insts, out, names, outline);
    memcpy(insts_out, insts, out * sizeof(insts[0]));
    return out;
}

/* Whether the upper half is zero, by what is known of the operands. */
static bool is_clear(const struct jit_inst *inst, const bool *clear)
{
    switch (inst->op) {
    case JIT_CONST:
        return inst->imm <= LOW;
    case JIT_AND:
        return clear[inst->a] || clear[inst->b];
    case JIT_SHR_IMM:
        return inst->imm >= 16;
    case JIT_SELECT:
        return clear[inst->b] && clear[inst->c];
    case JIT_FADD_HALF:
    case JIT_FMUL_HALF:
        return clear[inst->a] && clear[inst->b];
    case JIT_FMA_HALF:
        return clear[inst->a] && clear[inst->b] && clear[inst->c];
    default:
        return inst->op == JIT_HALF_ROUNDED || inst->op == JIT_HALF_OF_F32;
    }
}

/* Flushes of single halves. Operations may be of pairs by now. */
static void find_flushes(struct jit_inst *insts, uint32_t count)
{
    bool clear[JIT_MAX_INSTS];
    for (uint32_t i = 0; i < count; i++) {
        clear[i] = is_clear(&insts[i], clear);
        if (clear[i] && flushed(insts, (jit_value)i) != JIT_NONE)
            insts[i] = (struct jit_inst){.op = JIT_FLUSH_HALVES, .a = insts[i].b, .b = JIT_NONE, .c = JIT_NONE};
    }
}

static uint32_t find_pairs(struct jit_inst *insts, uint32_t count, struct jit_outline *outline)
{
    struct pairs p = {.insts = insts};
    jit_value roots[JIT_MAX_INSTS];
    uint8_t uses[JIT_MAX_INSTS];
    bool has_root = false;
    memset(p.low_of, 0xff, count * sizeof(p.low_of[0])); /* JIT_NONE */
    count_uses(insts, count, uses);
    for (uint32_t i = 0; i < count; i++) {
        roots[i] = uses[i] ? find_root(&p, uses, &insts[i]) : JIT_NONE;
        has_root |= roots[i] != JIT_NONE;
    }
    if (!has_root || count + p.count > JIT_MAX_INSTS)
        return count;
    count = put_together(&p, count, roots, insts, outline);
    jit_find_same(insts, count, outline->is_same);
    return count;
}

uint32_t jit_find_pairs(struct jit_inst *insts, uint32_t count, struct jit_outline *outline)
{
    count = find_pairs(insts, count, outline);
    if (JIT_HAS_FLUSH)
        find_flushes(insts, count);
    return count;
}
