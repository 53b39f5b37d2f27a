/* Operations that hosts have for nothing. Signs of factors of a fused operation: -a * b + c is c - a * b, but for
 * the sign of a NaN, which is the host's. Choices by bits that are zero: the host compares them with zero while it
 * masks them, the other way round. */
#include <string.h>

#include "model/jit_maker.h"

#define SIGN 0x80000000u

/* The value whose sign was changed, or JIT_NONE. */
static jit_value negated(const struct jit_inst *insts, jit_value v)
{
    const struct jit_inst *inst = &insts[v];
    if (inst->op != JIT_XOR)
        return JIT_NONE;
    if (insts[inst->b].op == JIT_CONST && insts[inst->b].imm == SIGN)
        return inst->a;
    return insts[inst->a].op == JIT_CONST && insts[inst->a].imm == SIGN ? inst->b : JIT_NONE;
}

void jit_find_signs(struct jit_inst *insts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (insts[i].op != JIT_FMA)
            continue;
        const jit_value a = negated(insts, insts[i].a), b = a == JIT_NONE ? negated(insts, insts[i].b) : JIT_NONE;
        if (a != JIT_NONE)
            insts[i].a = a;
        if (b != JIT_NONE)
            insts[i].b = b;
        if (a != JIT_NONE || b != JIT_NONE)
            insts[i].op = JIT_FMS;
    }
}

/* The mask and the bits of (x & y) == 0. */
static const struct jit_inst *zero_of(const struct jit_inst *insts, const struct jit_inst *inst)
{
    if (inst->op != JIT_EQ || insts[inst->b].op != JIT_CONST || insts[inst->b].imm || insts[inst->a].op != JIT_AND)
        return NULL;
    return &insts[inst->a];
}

void jit_find_tests(struct jit_inst *insts, uint32_t count)
{
    bool is_other[JIT_MAX_INSTS]; /* something else than a choice uses it */
    memset(is_other, 0, count * sizeof(is_other[0]));
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned n = insts[i].op == JIT_SELECT; n < jit_operand_count(insts[i].op); n++) {
            if (jit_operand(&insts[i], n) != JIT_NONE)
                is_other[jit_operand(&insts[i], n)] = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct jit_inst *masked = is_other[i] ? NULL : zero_of(insts, &insts[i]);
        if (masked)
            insts[i] = (struct jit_inst){.op = JIT_TEST, .a = masked->a, .b = masked->b, .c = JIT_NONE};
        if (insts[i].op != JIT_SELECT || insts[insts[i].a].op != JIT_TEST)
            continue;
        const jit_value b = insts[i].b;
        insts[i].b = insts[i].c;
        insts[i].c = b;
    }
}
