/* Lower bits of values that are known without the rows (exec/program.h): random programs, of which each value that is
 * said to be known is looked at with rows of random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/exec/program.h"
#include "model/tests/jit_integer.h"
#include "util/bits.h"

#define PROGRAMS 3000
#define INSTS 14
#define ROWS 3
#define TRIES 8

static uint64_t seed = 1;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static struct jit_inst random_inst(uint32_t before)
{
    static const uint8_t ops[] = {JIT_ADD, JIT_SUB,     JIT_MUL,     JIT_AND,   JIT_OR,
                                  JIT_XOR, JIT_SHL_IMM, JIT_SHL_IMM, JIT_MIN_U, JIT_MAX_U};
    static const uint32_t constants[] = {0, 1, 3, 4, 8, 12, 16, 24, 0xfff0, 0xffc, UINT32_MAX, 0x80000000};
    struct jit_inst inst = {.op = JIT_CONST, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE};
    if (!random_below(4)) {
        inst.imm = constants[random_below(ARRAY_SIZE(constants))];
        return inst;
    }
    inst.op = ops[random_below(ARRAY_SIZE(ops))];
    inst.a = (jit_value)random_below(before);
    inst.b = inst.op == JIT_SHL_IMM ? JIT_NONE : (jit_value)random_below(before);
    inst.imm = inst.op == JIT_SHL_IMM ? 1 + random_below(6) : 0;
    return inst;
}

static void run_program(const struct lane_program *p, uint32_t *values)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct jit_inst *inst = &p->insts[i];
        if (inst->op == JIT_ROW)
            values[i] = random_below(1u << 30) * 3 + random_below(4);
        else
            assert_true(jit_integer(inst, inst->a == JIT_NONE ? 0 : values[inst->a],
                                    inst->b == JIT_NONE ? 0 : values[inst->b], 0, &values[i]));
    }
}

static void known_bits_are_right(void **state)
{
    static struct lane_program p;
    unsigned known = 0;
    for (unsigned n = 0; n < PROGRAMS; n++) {
        memset(&p, 0, sizeof(p));
        for (p.count = 0; p.count < ROWS; p.count++)
            p.insts[p.count] = (struct jit_inst){.op = JIT_ROW, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE};
        for (; p.count < INSTS; p.count++)
            p.insts[p.count] = random_inst(p.count);
        for (unsigned i = 0; i < TRIES; i++) {
            uint32_t values[INSTS], low;
            run_program(&p, values);
            for (unsigned v = 0; v < INSTS; v++) {
                const unsigned bits = 1 + random_below(5);
                if (!lane_program_low_bits(&p, (jit_value)v, bits, &low))
                    continue;
                assert_int_equal(values[v] & ((1u << bits) - 1), low);
                known += p.insts[v].op != JIT_CONST;
            }
        }
    }
    assert_true(known > PROGRAMS);
}

/* Offsets are known by their parts. */
static void offsets_are_known(void **state)
{
    static struct lane_program p;
    memset(&p, 0, sizeof(p));
    uint32_t low;
    const jit_value row = lane_program_emit(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value sixteenth = lane_program_emit(&p, JIT_SHL_IMM, row, JIT_NONE, JIT_NONE, 4);
    const jit_value further = lane_program_add(&p, sixteenth, lane_program_const(&p, 24));
    const jit_value twelfth = lane_program_mul(&p, row, lane_program_const(&p, 12));
    assert_false(lane_program_low_bits(&p, row, 1, &low));
    assert_true(lane_program_low_bits(&p, further, 4, &low));
    assert_int_equal(low, 8);
    assert_false(lane_program_low_bits(&p, further, 5, &low));
    assert_true(lane_program_low_bits(&p, twelfth, 2, &low));
    assert_false(lane_program_low_bits(&p, twelfth, 3, &low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_bits_are_right), cmocka_unit_test(offsets_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
