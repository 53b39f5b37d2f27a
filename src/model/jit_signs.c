/* Signs of factors that the host's fused operation has for nothing: -a * b + c is c - a * b, also in what becomes of a NaN. */
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
