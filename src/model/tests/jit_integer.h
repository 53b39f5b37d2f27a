/* Results of integer operations of lane programs in one lane, for tests: the plain side that host code and the
 * passes over lane programs are compared with. */
#ifndef MODEL_TESTS_JIT_INTEGER_H
#define MODEL_TESTS_JIT_INTEGER_H

#include "model/jit.h"

static inline uint32_t jit_truth(bool is)
{
    return is ? UINT32_MAX : 0;
}

/* False: not an operation on integers. */
static inline bool jit_integer(const struct jit_inst *inst, uint32_t a, uint32_t b, uint32_t c, uint32_t *result)
{
    const int32_t i = (int32_t)a, j = (int32_t)b;
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        *result = inst->imm;
        return true;
    case JIT_ADD:
        *result = a + b;
        return true;
    case JIT_SUB:
        *result = a - b;
        return true;
    case JIT_MUL:
        *result = a * b;
        return true;
    case JIT_AND:
        *result = a & b;
        return true;
    case JIT_ANDN:
        *result = a & ~b;
        return true;
    case JIT_OR:
        *result = a | b;
        return true;
    case JIT_XOR:
        *result = a ^ b;
        return true;
    case JIT_NOT:
        *result = ~a;
        return true;
    case JIT_SHL:
        *result = a << (b & 31);
        return true;
    case JIT_SHR:
        *result = a >> (b & 31);
        return true;
    case JIT_SAR:
        *result = (uint32_t)(i >> (b & 31));
        return true;
    case JIT_SHL_IMM:
        *result = a << inst->imm;
        return true;
    case JIT_SHR_IMM:
        *result = a >> inst->imm;
        return true;
    case JIT_SAR_IMM:
        *result = (uint32_t)(i >> inst->imm);
        return true;
    case JIT_MIN_U:
        *result = a < b ? a : b;
        return true;
    case JIT_MAX_U:
        *result = a > b ? a : b;
        return true;
    case JIT_MIN_I:
        *result = i < j ? a : b;
        return true;
    case JIT_MAX_I:
        *result = i > j ? a : b;
        return true;
    case JIT_MULHI_U:
        *result = (uint32_t)((uint64_t)a * b >> 32);
        return true;
    case JIT_MULHI_I:
        *result = (uint32_t)((uint64_t)((int64_t)i * j) >> 32);
        return true;
    case JIT_POPCOUNT:
        *result = (uint32_t)__builtin_popcount(a);
        return true;
    case JIT_EQ:
        *result = jit_truth(a == b);
        return true;
    case JIT_LT_U:
        *result = jit_truth(a < b);
        return true;
    case JIT_LE_U:
        *result = jit_truth(a <= b);
        return true;
    case JIT_LT_I:
        *result = jit_truth(i < j);
        return true;
    case JIT_LE_I:
        *result = jit_truth(i <= j);
        return true;
    case JIT_SELECT:
        *result = (a & b) | (~a & c);
        return true;
    default:
        return false;
    }
}

#endif
