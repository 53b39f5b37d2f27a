/* The lower bits of a value that are the same number whatever the lanes have: what an offset is aligned to. */
#include "model/exec/program.h"

#define DEPTH 12 /* of operations that are looked at */

static bool find_bits(const struct lane_program *b, jit_value value, unsigned bits, unsigned depth, uint32_t *low_out);

/* Of both operands. */
static bool find_both(const struct lane_program *b, jit_value x, jit_value y, unsigned bits, unsigned depth,
                      uint32_t *x_out, uint32_t *y_out)
{
    return find_bits(b, x, bits, depth, x_out) && find_bits(b, y, bits, depth, y_out);
}

/* Zeros that a constant factor ends with come in below the other one's bits; a constant of an AND may leave none. */
static bool find_by_constant(const struct lane_program *b, const struct jit_inst *inst, unsigned bits, unsigned depth,
                             uint32_t *low_out)
{
    for (unsigned way = 0; way < 2; way++) {
        const struct jit_inst *constant = &b->insts[way ? inst->a : inst->b];
        if (constant->op != JIT_CONST)
            continue;
        const unsigned zeros = constant->imm ? (unsigned)__builtin_ctz(constant->imm) : 32;
        *low_out = 0;
        if (zeros >= bits)
            return true;
        if (inst->op != JIT_MUL || !find_bits(b, way ? inst->b : inst->a, bits - zeros, depth, low_out))
            continue;
        *low_out *= constant->imm;
        return true;
    }
    return false;
}

static bool find_bits(const struct lane_program *b, jit_value value, unsigned bits, unsigned depth, uint32_t *low_out)
{
    const struct jit_inst *inst = &b->insts[value];
    uint32_t x, y;
    *low_out = 0;
    if (!depth--)
        return false;
    switch (inst->op) {
    case JIT_CONST:
        *low_out = inst->imm;
        return true;
    case JIT_SHL_IMM:
        if (inst->imm < bits && !find_bits(b, inst->a, bits - inst->imm, depth, low_out))
            return false;
        *low_out <<= inst->imm;
        return true;
    case JIT_ADD:
    case JIT_SUB:
    case JIT_OR:
        if (!find_both(b, inst->a, inst->b, bits, depth, &x, &y))
            return false;
        *low_out = inst->op == JIT_ADD ? x + y : inst->op == JIT_SUB ? x - y : x | y;
        return true;
    case JIT_MUL:
    case JIT_AND:
        return find_by_constant(b, inst, bits, depth, low_out);
    case JIT_MIN_U:
    case JIT_MAX_U:
        if (!find_both(b, inst->a, inst->b, bits, depth, low_out, &y))
            return false;
        return (*low_out ^ y) << (32 - bits) == 0; /* whichever it is */
    default:
        return false;
    }
}

bool lane_program_low_bits(const struct lane_program *b, jit_value value, unsigned bits, uint32_t *low_out)
{
    if (!find_bits(b, value, bits, DEPTH, low_out))
        return false;
    *low_out &= (1u << bits) - 1;
    return true;
}
