/* Lane programs without host code: one lane, operation by operation, for tests of what writes such programs. Only
 * operations of integers and memory. */
#ifndef MODEL_EXEC_TESTS_ONE_LANE_H
#define MODEL_EXEC_TESTS_ONE_LANE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/exec/program.h"
#include "model/tests/jit_integer.h"

struct one_lane {
    uint32_t lane;
    uint32_t values[JIT_MAX_INSTS];
};

static inline uint8_t *one_lane_host(const void *frame, const struct jit_inst *inst, uint32_t at)
{
    uint8_t *host;
    memcpy(&host, (const char *)frame + (inst->imm & 0xffff), sizeof(host));
    return host + at + (inst->imm >> 16);
}

static inline uint32_t one_lane_word(const void *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}

/* The result of operation `i`; JIT_WRITE and JIT_STORE write. */
static inline uint32_t one_lane_evaluate(const struct one_lane *one, const struct lane_program *p, void *frame,
                                         uint32_t i)
{
    const struct jit_inst *inst = &p->insts[i];
    const uint32_t operands = jit_operand_count(inst->op);
    const uint32_t a = operands > 0 ? one->values[inst->a] : 0, b = operands > 1 ? one->values[inst->b] : 0,
                   c = operands > 2 ? one->values[inst->c] : 0;
    uint32_t result;
    if (jit_integer(inst, a, b, c, &result))
        return result;
    switch ((enum jit_op)inst->op) {
    case JIT_ROW:
        return one_lane_word((const char *)frame + inst->imm + one->lane * 4);
    case JIT_SPLAT:
        return one_lane_word((const char *)frame + inst->imm);
    case JIT_LANE:
        return one->lane;
    case JIT_LOAD:
        return one_lane_word(one_lane_host(frame, inst, a));
    case JIT_WRITE:
        if (c)
            memcpy(one_lane_host(frame, inst, a), &b, sizeof(b));
        return 0;
    case JIT_STORE:
        memcpy((char *)frame + inst->imm + one->lane * 4, &a, sizeof(a));
        return 0;
    case JIT_MISS:
        return a;
    default:
        fprintf(stderr, "no meaning of operation %u here\n", inst->op);
        abort();
    }
}

/* The whole program for consecutive lanes, each operation for all of them before the next. False: some lane misses; all
 * misses come before the first write, so nothing was done. */
static inline bool one_lane_run(struct one_lane *lanes, uint32_t first, uint32_t count, const struct lane_program *p,
                                void *frame)
{
    for (uint32_t i = 0; i < p->count; i++) {
        bool misses = false;
        for (uint32_t n = 0; n < count; n++) {
            lanes[n].lane = first + n;
            lanes[n].values[i] = one_lane_evaluate(&lanes[n], p, frame, i);
            misses |= p->insts[i].op == JIT_MISS && lanes[n].values[i];
        }
        if (misses)
            return false;
    }
    return true;
}

/* ---- numbers ---- */

static uint64_t one_lane_seed = 1;

static inline uint32_t any(void)
{
    one_lane_seed = one_lane_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(one_lane_seed >> 32);
}

static inline uint32_t below(uint32_t limit)
{
    return any() % limit;
}

static inline jit_value splat_word(struct lane_program *p, size_t offset_B)
{
    return lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, (uint32_t)offset_B);
}

static inline jit_value lane_number(struct lane_program *p)
{
    return lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
}

/* Of additions and shifts, by which steps are found. */
static inline jit_value lane_times(struct lane_program *p, uint32_t step)
{
    jit_value sum = lane_program_const(p, 0);
    for (; step; step &= step - 1)
        sum =
            lane_program_add(p, sum, lane_program_shift_by(p, JIT_SHL, lane_number(p), (uint32_t)__builtin_ctz(step)));
    return sum;
}

#endif
