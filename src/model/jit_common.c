/* Common subexpressions: an operation with the operands of an earlier one is that one. Meanings of instructions are
 * lowered one by one, and several of them begin with the same steps: the parts of a logarithm, the bits of a format. */
#include <string.h>

#include "model/jit_maker.h"

#define TABLE 4096
_Static_assert(TABLE >= 2 * JIT_MAX_INSTS, "there is always a free place");

/* Made of its operands alone. Constants and scalars are only looked through: each use of one may load it anew. */
static bool is_made_of_operands(enum jit_op op)
{
    return op >= JIT_ADD && op <= JIT_QUAD;
}

static bool is_shared(enum jit_op op)
{
    return op == JIT_CONST || op == JIT_SPLAT || op == JIT_LANE || is_made_of_operands(op);
}

static uint32_t hash_of(const struct jit_inst *inst)
{
    uint32_t hash = inst->op * 0x9e3779b1u ^ inst->imm;
    hash = (hash ^ (inst->a | (uint32_t)inst->b << 16)) * 0x85ebca6bu;
    hash = (hash ^ hash >> 15 ^ inst->c) * 0xc2b2ae35u;
    return (hash ^ hash >> 16) % TABLE;
}

static bool is_equal(const struct jit_inst *x, const struct jit_inst *y)
{
    return x->op == y->op && x->imm == y->imm && x->a == y->a && x->b == y->b && x->c == y->c;
}

/* The operation as the first ones of equal operations make it. */
static struct jit_inst named(const struct jit_inst *inst, const jit_value *first)
{
    struct jit_inst own = {.op = inst->op, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE, .imm = inst->imm};
    const uint32_t count = jit_operand_count(inst->op);
    own.a = count > 0 && inst->a != JIT_NONE ? first[inst->a] : JIT_NONE;
    own.b = count > 1 && inst->b != JIT_NONE ? first[inst->b] : JIT_NONE;
    own.c = count > 2 && inst->c != JIT_NONE ? first[inst->c] : JIT_NONE;
    return own;
}

static void use_first(const struct jit_inst *insts, jit_value *operand, const jit_value *first)
{
    if (*operand != JIT_NONE && is_made_of_operands(insts[first[*operand]].op))
        *operand = first[*operand];
}

void jit_find_common(struct jit_inst *insts, uint32_t count)
{
    struct jit_inst names[JIT_MAX_INSTS];
    jit_value first[JIT_MAX_INSTS], table[TABLE];
    memset(table, 0xff, sizeof(table)); /* JIT_NONE */
    for (uint32_t i = 0; i < count; i++) {
        struct jit_inst *inst = &insts[i];
        const uint32_t operands = jit_operand_count(inst->op);
        first[i] = (jit_value)i;
        if (inst->op == JIT_LOOP || inst->op == JIT_AGAIN) { /* what a round makes is for that round */
            memset(table, 0xff, sizeof(table));
            continue;
        }
        if (inst->op == JIT_PHI) /* its second operand comes later */
            continue;
        if (is_shared(inst->op)) {
            names[i] = named(inst, first);
            uint32_t at = hash_of(&names[i]);
            while (table[at] != JIT_NONE && !is_equal(&names[table[at]], &names[i]))
                at = (at + 1) % TABLE;
            if (table[at] == JIT_NONE)
                table[at] = (jit_value)i;
            first[i] = table[at];
        }
        if (operands > 0)
            use_first(insts, &inst->a, first);
        if (operands > 1)
            use_first(insts, &inst->b, first);
        if (operands > 2)
            use_first(insts, &inst->c, first);
    }
}
