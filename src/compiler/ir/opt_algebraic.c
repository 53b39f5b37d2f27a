/* Algebraic simplification by the rules of algebraic.table. A rule's pattern is matched from an instruction down
 * through the definitions of its operands; where it fits and its conditions hold, its replacement is built in front of
 * the instruction. Every rule is proved by test_algebraic.c. */
#include <string.h>

#include "compiler/ir/algebraic.h"
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/ir_fold.h"
#include "compiler/ir/opt.h"

struct match {
    struct ir_value *letters[ALGEBRAIC_LETTERS];
    uint32_t flags; /* of all matched float instructions: what one of them must keep, the replacement must */
    bool all_nsz;
};

static bool match_value(const struct algebraic_node *node, struct ir_value *value, struct match *m);

static bool is_literal(const struct algebraic_node *node, const struct ir_value *value)
{
    if (value->comps != 1 || !ir_is_const(value) || (node->bits && node->bits != value->bits))
        return false;
    if (node->kind == ALGEBRAIC_FLOAT)
        return value->bits >= 16 && ir_const_u64(value) == ir_float_to_bits(node->number, value->bits);
    uint64_t mask = value->bits == 64 ? UINT64_MAX : (1ull << value->bits) - 1;
    return ir_const_u64(value) == ((uint64_t)node->value & mask);
}

static bool match_srcs(const struct algebraic_node *node, const struct ir_instr *instr, struct match *m, bool exchange)
{
    for (uint32_t i = 0; i < node->num_srcs; i++) {
        uint32_t from = exchange && i < 2 ? 1 - i : i;
        if (!match_value(&algebraic_nodes[node->srcs[i]], ir_src(instr, from), m))
            return false;
    }
    return true;
}

static bool match_instr(const struct algebraic_node *node, const struct ir_instr *instr, struct match *m)
{
    if (instr->op != node->op || instr->def.comps != 1 || (node->bits && instr->def.bits != node->bits))
        return false;
    struct match before = *m;
    if (ir_info(instr)->props & IR_PROP_FLOAT) {
        before.flags |= instr->flags;
        before.all_nsz &= !!(instr->flags & IR_FLAG_NSZ);
    }
    *m = before;
    if (match_srcs(node, instr, m, false))
        return true;
    *m = before;
    return (ir_info(instr)->props & IR_PROP_COMMUTES) && match_srcs(node, instr, m, true);
}

static bool match_value(const struct algebraic_node *node, struct ir_value *value, struct match *m)
{
    switch (node->kind) {
    case ALGEBRAIC_LETTER:
        if (node->constant && !ir_is_const(value))
            return false;
        if (value->comps != 1)
            return false;
        if (!m->letters[node->letter])
            m->letters[node->letter] = value;
        /* Constants may be the same without being one instruction. */
        return m->letters[node->letter] == value || (ir_is_const(value) && ir_is_const(m->letters[node->letter]) &&
                                                     value->bits == m->letters[node->letter]->bits &&
                                                     ir_const_u64(value) == ir_const_u64(m->letters[node->letter]));
    case ALGEBRAIC_OP:
        if (node->once && (list_is_empty(&value->uses) || value->uses.next->next != &value->uses))
            return false;
        return match_instr(node, ir_def_instr(value), m);
    default:
        return is_literal(node, value);
    }
}

static bool condition_holds(const struct algebraic_condition *condition, const struct match *m,
                            const struct ir_instr *root)
{
    const struct ir_value *a = m->letters[condition->letters[0]], *b = m->letters[condition->letters[1]];
    switch (condition->test) {
    case ALGEBRAIC_POW2:
        return ir_const_u64(a) && !(ir_const_u64(a) & (ir_const_u64(a) - 1));
    case ALGEBRAIC_BELOW:
        return ir_const_u64(a) < (condition->value ? condition->value : root->def.bits);
    case ALGEBRAIC_SUM_BELOW:
        return ir_const_u64(a) < root->def.bits && ir_const_u64(a) + ir_const_u64(b) < root->def.bits;
    case ALGEBRAIC_DIFFER:
        return ir_const_u64(a) != ir_const_u64(b);
    case ALGEBRAIC_SAME_BITS:
        return a->bits == condition->value;
    case ALGEBRAIC_SAME_WIDTH:
        return a->bits == root->def.bits;
    case ALGEBRAIC_AT_MOST:
        return a->bits <= condition->value;
    case ALGEBRAIC_WIDTH:
        return root->def.bits & condition->value;
    case ALGEBRAIC_NSZ:
        return m->all_nsz;
    case ALGEBRAIC_NONAN:
        return !(m->flags & IR_FLAG_NAN_INF);
    case ALGEBRAIC_INEXACT:
        return !(m->flags & IR_FLAG_EXACT);
    default:
        return ir_imm(root, IR_IMM_ROUNDING) != IR_ROUNDING_zero;
    }
}

/* The width of an operation's letter N, as far as the operands of its pattern know: a letter's own, or what a definite
 * operation gives. */
static uint8_t width_of(const struct algebraic_node *node, const struct match *m)
{
    if (node->kind == ALGEBRAIC_LETTER)
        return m->letters[node->letter]->bits;
    if (node->kind != ALGEBRAIC_OP)
        return 0;
    const struct ir_op_info *info = &ir_op_infos[node->op];
    if (node->bits || info->def.bits)
        return node->bits ? node->bits : info->def.bits;
    for (uint32_t i = 0; i < node->num_srcs; i++) {
        if (info->srcs[i].letter == info->def.letter && width_of(&algebraic_nodes[node->srcs[i]], m))
            return width_of(&algebraic_nodes[node->srcs[i]], m);
    }
    return 0;
}

static struct ir_value *build_node(struct ir_builder *b, const struct algebraic_node *node, uint8_t bits,
                                   const struct match *m)
{
    if (node->kind == ALGEBRAIC_LETTER)
        return m->letters[node->letter];
    if (node->kind == ALGEBRAIC_INT)
        return ir_const(b, bits, (uint64_t)node->value);
    if (node->kind == ALGEBRAIC_FLOAT)
        return ir_const_f(b, bits, node->number);
    const struct ir_op_info *info = &ir_op_infos[node->op];
    if (node->bits || info->def.bits)
        bits = node->bits ? node->bits : info->def.bits;
    uint8_t widths[4] = {0}; /* by letter */
    if (info->def.letter)
        widths[info->def.letter] = bits;
    for (uint32_t i = 0; i < node->num_srcs; i++) {
        uint8_t known = width_of(&algebraic_nodes[node->srcs[i]], m);
        if (info->srcs[i].letter && known)
            widths[info->srcs[i].letter] = known;
    }
    struct ir_value *srcs[4];
    for (uint32_t i = 0; i < node->num_srcs; i++)
        srcs[i] = build_node(b, &algebraic_nodes[node->srcs[i]],
                             info->srcs[i].letter ? widths[info->srcs[i].letter] : info->srcs[i].bits, m);
    return &ir_build(b, node->op, bits, 1, node->num_srcs, srcs, 0, NULL, NULL)->def;
}

/* An operation flushes a denormal and quiets a NaN where the shader demands that; the bare operand would not. */
static bool must_stay(const struct ir_shader *shader, const struct ir_instr *instr,
                      const struct algebraic_node *replacement, const struct match *m)
{
    if (replacement->kind != ALGEBRAIC_LETTER || !(ir_info(instr)->props & IR_PROP_FLOAT) || instr->def.bits < 16)
        return false;
    return (m->flags & IR_FLAG_NAN_INF) || shader->floats.denorm_flush[__builtin_ctz(instr->def.bits) - 4];
}

static bool may_be(const struct algebraic_node *node, struct ir_value *value)
{
    if (node->kind == ALGEBRAIC_OP)
        return ir_def_instr(value)->op == node->op;
    return (node->kind == ALGEBRAIC_LETTER && !node->constant) || ir_is_const(value);
}

/* A look at what the operands are, which few rules survive: nothing has to be kept for it, nor undone. */
static bool may_match(const struct algebraic_node *node, const struct ir_instr *instr)
{
    bool straight = true, exchanged = ir_info(instr)->props & IR_PROP_COMMUTES;
    for (uint32_t i = 0; i < node->num_srcs && (straight || exchanged); i++) {
        const struct algebraic_node *operand = &algebraic_nodes[node->srcs[i]];
        straight = straight && may_be(operand, ir_src(instr, i));
        exchanged = exchanged && may_be(operand, ir_src(instr, i < 2 ? 1 - i : i));
    }
    return straight || exchanged;
}

static struct ir_value *simplify_instr(struct ir_shader *shader, struct ir_instr *instr)
{
    for (uint32_t r = algebraic_first_rule[instr->op]; r < algebraic_first_rule[instr->op + 1]; r++) {
        const struct algebraic_rule *rule = &algebraic_rules[r];
        if (!may_match(&algebraic_nodes[rule->pattern], instr))
            continue;
        struct match m = {.all_nsz = true};
        if (!match_instr(&algebraic_nodes[rule->pattern], instr, &m) ||
            must_stay(shader, instr, &algebraic_nodes[rule->replacement], &m))
            continue;
        bool good = true;
        for (uint32_t c = 0; c < rule->num_conditions && good; c++)
            good = condition_holds(&algebraic_conditions[rule->first_condition + c], &m, instr);
        if (!good)
            continue;
        struct ir_builder b = ir_builder_before(shader, instr);
        b.flags = (m.flags & ~(uint32_t)IR_FLAG_NSZ) | (m.all_nsz ? instr->flags & IR_FLAG_NSZ : 0);
        return build_node(&b, &algebraic_nodes[rule->replacement], instr->def.bits, &m);
    }
    return NULL;
}

bool opt_algebraic(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (!instr->def.bits || algebraic_first_rule[instr->op] == algebraic_first_rule[instr->op + 1])
                continue;
            struct ir_value *value = simplify_instr(shader, instr);
            if (!value)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
            progress = true;
        }
    return progress;
}
