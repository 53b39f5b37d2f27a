/* Every rule of algebraic.table, proved: both sides are evaluated by the folder for all values at 8 bits (or at the
 * widths the rule is for), and for floats over all halves where one letter is free and over a grid of telling halves
 * where more are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/ir/algebraic.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/ir_fold.h"

struct trial {
    const struct algebraic_rule *rule;
    uint8_t widths[ALGEBRAIC_LETTERS]; /* 0: the letter does not occur */
    bool constant[ALGEBRAIC_LETTERS];
    uint64_t values[ALGEBRAIC_LETTERS];
    uint8_t root_bits;
    bool is_float;
};

static const struct algebraic_node *node_at(uint16_t index)
{
    return &algebraic_nodes[index];
}

/* Give every letter its width, from the root down: N of each operation is what its parent wants. */
static bool assign_widths(struct trial *t, const struct algebraic_node *node, uint8_t bits, uint8_t n)
{
    if (node->kind == ALGEBRAIC_LETTER) {
        if (!t->widths[node->letter])
            t->widths[node->letter] = bits;
        t->constant[node->letter] |= node->constant;
        return t->widths[node->letter] == bits;
    }
    if (node->kind != ALGEBRAIC_OP)
        return !node->bits || node->bits == bits;
    const struct ir_op_info *info = &ir_op_infos[node->op];
    t->is_float |= !!(info->props & IR_PROP_FLOAT);
    uint8_t widths[4] = {0, 0, 0, 0};
    if (info->def.letter)
        widths[info->def.letter] = node->bits ? node->bits : bits;
    for (unsigned i = 0; i < 4; i++)
        widths[i] = widths[i] ? widths[i] : n;
    bool good = true;
    for (unsigned i = 0; i < node->num_srcs; i++)
        good &= assign_widths(t, node_at(node->srcs[i]),
                              info->srcs[i].letter ? widths[info->srcs[i].letter] : info->srcs[i].bits, n);
    return good;
}

/* False where the folder has no answer: then there is nothing to compare. */
static bool evaluate_node(const struct trial *t, const struct algebraic_node *node, uint8_t bits, uint8_t n,
                          uint64_t *out, uint8_t *bits_out)
{
    if (node->kind == ALGEBRAIC_LETTER) {
        *out = t->values[node->letter];
        *bits_out = t->widths[node->letter];
        return true;
    }
    *bits_out = bits;
    if (node->kind == ALGEBRAIC_INT) {
        *out = (uint64_t)node->value & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
        return true;
    }
    if (node->kind == ALGEBRAIC_FLOAT) {
        *out = ir_float_to_bits(node->number, bits);
        return true;
    }
    const struct ir_op_info *info = &ir_op_infos[node->op];
    if (node->bits || info->def.bits)
        bits = node->bits ? node->bits : info->def.bits;
    uint8_t widths[4] = {n, n, n, n}, src_bits[4];
    uint64_t srcs[4];
    if (info->def.letter)
        widths[info->def.letter] = bits;
    for (unsigned i = 0; i < node->num_srcs; i++) {
        const struct algebraic_node *src = node_at(node->srcs[i]);
        uint8_t wanted = info->srcs[i].letter ? widths[info->srcs[i].letter] : info->srcs[i].bits;
        if (!evaluate_node(t, src, wanted, n, &srcs[i], &src_bits[i]))
            return false;
    }
    *bits_out = bits;
    return ir_fold_op(node->op, bits, src_bits, srcs, NULL, NULL, out);
}

static bool is_special(uint64_t value)
{
    return (value & 0x7c00) == 0x7c00;
}

static bool has_test(const struct algebraic_rule *rule, enum algebraic_test test)
{
    for (unsigned i = 0; i < rule->num_conditions; i++)
        if (algebraic_conditions[rule->first_condition + i].test == test)
            return true;
    return false;
}

static bool rule_applies(const struct trial *t)
{
    for (unsigned i = 0; i < t->rule->num_conditions; i++) {
        const struct algebraic_condition *c = &algebraic_conditions[t->rule->first_condition + i];
        uint64_t a = t->values[c->letters[0]], b = t->values[c->letters[1]];
        uint8_t width = t->widths[c->letters[0]];
        bool good = true;
        switch (c->test) {
        case ALGEBRAIC_POW2:
            good = a && !(a & (a - 1));
            break;
        case ALGEBRAIC_BELOW:
            good = a < (c->value ? c->value : t->root_bits);
            break;
        case ALGEBRAIC_SUM_BELOW:
            good = a < t->root_bits && a + b < t->root_bits;
            break;
        case ALGEBRAIC_DIFFER:
            good = a != b;
            break;
        case ALGEBRAIC_SAME_BITS:
            good = width == c->value;
            break;
        case ALGEBRAIC_SAME_WIDTH:
            good = width == t->root_bits;
            break;
        case ALGEBRAIC_AT_MOST:
            good = width <= c->value;
            break;
        case ALGEBRAIC_WIDTH:
            good = t->root_bits & c->value;
            break;
        default:
            break;
        }
        if (!good)
            return false;
    }
    return true;
}

static double half_value(uint64_t bits)
{
    return ir_bits_to_float(bits, 16);
}

/* Whether the two results are as equal as the rule promises. */
static bool results_agree(const struct trial *t, uint64_t x, uint64_t y, uint8_t bits)
{
    if (x == y)
        return true;
    if (!t->is_float || bits != 16)
        return false;
    if (is_special(x) && (x & 0x3ff) && is_special(y) && (y & 0x3ff))
        return true; /* one NaN is as good as another */
    if (has_test(t->rule, ALGEBRAIC_NSZ) && !((x | y) & 0x7fff))
        return true;
    if (!has_test(t->rule, ALGEBRAIC_INEXACT))
        return false;
    double a = half_value(x), b = half_value(y);
    /* Another rounding, and what it becomes near the ends of the range. */
    return isinf(a) || isinf(b) || isnan(a) || isnan(b) || fabs(a - b) <= 0.02 * fmax(fabs(a), fabs(b)) + 1e-3;
}

static unsigned long compared;

static void try_values(struct trial *t, uint8_t n)
{
    if (!rule_applies(t))
        return;
    if (has_test(t->rule, ALGEBRAIC_NONAN)) {
        for (unsigned i = 0; i < ALGEBRAIC_LETTERS; i++)
            if (t->widths[i] == 16 && is_special(t->values[i]))
                return;
    }
    /* Vulkan lets any operation flush a denormal: what happens to one is no part of such a promise. */
    if (has_test(t->rule, ALGEBRAIC_INEXACT)) {
        for (unsigned i = 0; i < ALGEBRAIC_LETTERS; i++)
            if (t->widths[i] == 16 && !(t->values[i] & 0x7c00) && (t->values[i] & 0x3ff))
                return;
    }
    uint64_t x, y;
    uint8_t bits, other;
    if (!evaluate_node(t, node_at(t->rule->pattern), t->root_bits, n, &x, &bits) ||
        !evaluate_node(t, node_at(t->rule->replacement), bits, n, &y, &other))
        return;
    if (bits != other)
        fail_msg("%s: %u bits become %u", t->rule->text, bits, other);
    if (has_test(t->rule, ALGEBRAIC_NONAN) && t->is_float && bits == 16 && (is_special(x) || is_special(y)))
        return;
    compared++;
    if (!results_agree(t, x, y, bits))
        fail_msg("%s at width %u: a=%llx b=%llx c=%llx d=%llx: %llx is not %llx", t->rule->text, n,
                 (unsigned long long)t->values[0], (unsigned long long)t->values[1], (unsigned long long)t->values[2],
                 (unsigned long long)t->values[3], (unsigned long long)x, (unsigned long long)y);
}

static const uint16_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3800, 0xb800,
                                  0x3c00, 0xbc00, 0x4000, 0xc000, 0x4248, 0x3555, 0x7bff, 0xfbff,
                                  0x7c00, 0xfc00, 0x7e00, 0x5640, 0x2e66, 0x6400};
enum {
    HALVES = sizeof(halves) / sizeof(halves[0])
};
static const uint8_t bytes[] = {0,  1,  2,  3,   4,   7,   8,   15,  16,  31,  32,
                                33, 63, 64, 100, 127, 128, 129, 192, 200, 254, 255};
enum {
    BYTES = sizeof(bytes)
};

/* All values of a letter, or telling ones where all would be too many. */
static uint64_t nth(const struct trial *t, unsigned letter, unsigned letters, uint64_t i, uint64_t *count_out)
{
    uint8_t width = t->widths[letter];
    if (!width) {
        *count_out = 1;
        return 0;
    }
    if (width <= 8 && letters <= 2) {
        *count_out = 1ull << width;
        return i;
    }
    if (width == 16 && letters == 1) {
        *count_out = 65536;
        return i;
    }
    if (width == 16 && t->is_float) {
        *count_out = HALVES;
        return halves[i % HALVES];
    }
    *count_out = width == 1 ? 2 : 2 * BYTES;
    if (width == 1)
        return i;
    /* Small numbers and their like at the top of the width. */
    uint64_t value = bytes[i % BYTES];
    uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
    return i < BYTES ? value & mask : (value << (width - 8)) & mask;
}

static void prove_rule(const struct algebraic_rule *rule, uint8_t root_bits, uint8_t n)
{
    struct trial t = {.rule = rule, .root_bits = root_bits};
    if (!assign_widths(&t, node_at(rule->pattern), root_bits, n) ||
        !assign_widths(&t, node_at(rule->replacement), root_bits, n))
        return;
    unsigned letters = 0;
    /* The float arithmetic of all widths is one arithmetic: halves are few enough to try. */
    for (unsigned i = 0; i < ALGEBRAIC_LETTERS; i++)
        if (t.is_float && t.widths[i] > 16)
            return;
    for (unsigned i = 0; i < ALGEBRAIC_LETTERS; i++)
        letters += t.widths[i] > 1;
    uint64_t counts[4];
    for (unsigned i = 0; i < 4; i++)
        nth(&t, i, letters, 0, &counts[i]);
    for (uint64_t a = 0; a < counts[0]; a++)
        for (uint64_t b = 0; b < counts[1]; b++)
            for (uint64_t c = 0; c < counts[2]; c++)
                for (uint64_t d = 0; d < counts[3]; d++) {
                    uint64_t at[4] = {a, b, c, d}, ignored;
                    for (unsigned i = 0; i < 4; i++)
                        t.values[i] = nth(&t, i, letters, at[i], &ignored);
                    try_values(&t, n);
                }
}

static void every_rule_keeps_the_value(void **state)
{
    static const uint8_t widths[] = {1, 8, 16, 32, 64};
    for (uint32_t r = 0; r < algebraic_rule_count; r++) {
        const struct algebraic_rule *rule = &algebraic_rules[r];
        const struct ir_op_info *info = &ir_op_infos[node_at(rule->pattern)->op];
        compared = 0;
        uint8_t fixed = node_at(rule->pattern)->bits ? node_at(rule->pattern)->bits : info->def.bits;
        for (unsigned i = 0; i < 25; i++)
            if (!fixed || i % 5 == 0)
                prove_rule(rule, fixed ? fixed : widths[i % 5], widths[i / 5]);
        if (!compared)
            fail_msg("%s was never evaluated", rule->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_keeps_the_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
