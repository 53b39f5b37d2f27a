/* Lane programs over rectangles (exec/area.h), and words that are put together of bytes (exec/bytes.h), beside a plain
 * interpreter of lanes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/exec/area.h"
#include "model/exec/bytes.h"
#include "model/tests/jit_integer.h"
#include "util/bits.h"

#define PROGRAMS 20000
#define MOST_INSTS 24
#define SCALARS 4

static uint64_t state = 1;

static uint32_t random_below(uint32_t limit)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % limit;
}

static uint32_t random_word(void)
{
    static const uint32_t words[] = {0,       1,      2,          4,          0xff,       0xffff,
                                     0x10000, 0xff00, 0xffff0000, UINT32_MAX, 0x3f000000, 0x80000000};
    return random_below(3) ? words[random_below(ARRAY_SIZE(words))] : random_below(1u << 30) * 5;
}

/* ---- a plain interpreter ---- */

static uint32_t to_word(float value)
{
    return !(value > 0) ? 0 : value >= 4294967296.0f ? UINT32_MAX : (uint32_t)value;
}

static uint32_t interpret_program(const struct jit_inst *inst, const uint32_t *values, const uint32_t *scalars,
                                  const uint32_t *rows)
{
    const uint32_t count = jit_operand_count(inst->op), a = count > 0 ? values[inst->a] : 0,
                   b = count > 1 ? values[inst->b] : 0, c = count > 2 ? values[inst->c] : 0;
    uint32_t result;
    if (jit_integer(inst, a, b, c, &result))
        return result;
    switch ((enum jit_op)inst->op) {
    case JIT_SPLAT:
        return scalars[inst->imm / 4];
    case JIT_ROW:
        return rows[inst->imm / 64 % 4];
    case JIT_FADD:
        return float_bits(bits_float(a) + bits_float(b));
    case JIT_FSUB:
        return float_bits(bits_float(a) - bits_float(b));
    case JIT_FMUL:
        return float_bits(bits_float(a) * bits_float(b));
    case JIT_F32_OF_U32:
        return float_bits((float)a);
    case JIT_U32_OF_F32:
        return to_word(bits_float(a));
    default:
        abort();
    }
}

/* ---- areas ---- */

static struct exec_plane planes_of_rows[4];

static struct exec_plane find_row(void *user, uint32_t row_B)
{
    (void)user;
    return planes_of_rows[row_B / 64 % 4];
}

static uint32_t at(const struct exec_plane *plane, uint32_t x, uint32_t y)
{
    const uint32_t word = plane->base + x * plane->dx + y * plane->dy;
    return plane->kind == EXEC_PLANE_HALVES ? float_bits((float)(int32_t)word / 2) : word;
}

static struct jit_inst random_inst(uint32_t number)
{
    static const uint8_t ops[] = {JIT_ADD,  JIT_ADD,  JIT_SUB,        JIT_MUL,        JIT_AND,        JIT_AND,
                                  JIT_ANDN, JIT_OR,   JIT_OR,         JIT_XOR,        JIT_NOT,        JIT_EQ,
                                  JIT_LT_U, JIT_LE_U, JIT_SHL_IMM,    JIT_SHR_IMM,    JIT_SHR_IMM,    JIT_SELECT,
                                  JIT_FADD, JIT_FSUB, JIT_F32_OF_U32, JIT_F32_OF_U32, JIT_U32_OF_F32, JIT_U32_OF_F32};
    struct jit_inst inst = {.op = JIT_CONST, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE};
    if (number < 8 || !random_below(5)) {
        static const uint8_t leaves[] = {JIT_CONST, JIT_SPLAT, JIT_ROW, JIT_ROW};
        inst.op = leaves[random_below(ARRAY_SIZE(leaves))];
        inst.imm = inst.op == JIT_CONST   ? random_word()
                   : inst.op == JIT_SPLAT ? random_below(SCALARS) * 4
                                          : random_below(4) * 64;
        return inst;
    }
    inst.op = ops[random_below(ARRAY_SIZE(ops))];
    const uint32_t count = jit_operand_count(inst.op);
    inst.a = (jit_value)random_below(number);
    inst.b = count > 1 ? (jit_value)random_below(number) : JIT_NONE;
    inst.c = count > 2 ? (jit_value)random_below(number) : JIT_NONE;
    if (inst.op == JIT_SHL_IMM || inst.op == JIT_SHR_IMM)
        inst.imm = 1 + random_below(31);
    return inst;
}

static void random_rows(void)
{
    planes_of_rows[0] = exec_plane_of(random_below(1000), 1, 0x10000);
    planes_of_rows[1] = exec_plane_of(random_word(), random_below(2) ? 4 : random_word(), random_word() & 0xffff);
    planes_of_rows[2] = exec_plane_of(random_below(64), 0, 1);
    planes_of_rows[3] = exec_plane_of(random_word(), 0, 0);
}

static void test_planes(void **user)
{
    uint32_t found = 0, halves = 0;
    (void)user;
    for (unsigned n = 0; n < PROGRAMS; n++) {
        struct jit_inst insts[MOST_INSTS];
        struct exec_plane planes[MOST_INSTS];
        uint32_t scalars[SCALARS];
        const struct exec_area area = {1 + random_below(9), 1 + random_below(9), scalars, find_row, NULL};
        for (unsigned i = 0; i < SCALARS; i++)
            scalars[i] = random_word();
        random_rows();
        for (uint32_t i = 0; i < MOST_INSTS; i++)
            insts[i] = random_inst(i);
        exec_area_look(&area, insts, MOST_INSTS, planes);
        for (uint32_t lane = 0; lane < area.width * area.height; lane++) {
            const uint32_t x = lane % area.width, y = lane / area.width;
            uint32_t values[MOST_INSTS], rows[4];
            for (unsigned i = 0; i < 4; i++)
                rows[i] = at(&planes_of_rows[i], x, y);
            for (uint32_t i = 0; i < MOST_INSTS; i++) {
                values[i] = interpret_program(&insts[i], values, scalars, rows);
                if (planes[i].kind != EXEC_PLANE_NONE)
                    assert_int_equal(values[i], at(&planes[i], x, y));
            }
        }
        for (uint32_t i = 8; i < MOST_INSTS; i++) {
            found += planes[i].kind == EXEC_PLANE_WORD && !exec_plane_is_flat(&planes[i]);
            halves += planes[i].kind == EXEC_PLANE_HALVES;
        }
    }
    assert_true(found > PROGRAMS && halves > PROGRAMS / 20);
}

/* Steps that differ by more than a step can be, which random ones seldom do. */
static void test_far_steps(void **user)
{
    const struct exec_area area = {2, 1, NULL, find_row, NULL};
    const struct jit_inst insts[] = {{.op = JIT_ROW, .imm = 0},
                                     {.op = JIT_CONST, .imm = 0x0be0c620},
                                     {.op = JIT_LT_U, .a = 0, .b = 1},
                                     {.op = JIT_EQ, .a = 0, .b = 1}};
    struct exec_plane planes[ARRAY_SIZE(insts)];
    (void)user;
    planes_of_rows[0] = exec_plane_of(0x80000000, 0x80000000, 0); /* then zero */
    exec_area_look(&area, insts, ARRAY_SIZE(insts), planes);
    assert_int_equal(planes[2].kind, EXEC_PLANE_NONE);
    assert_int_equal(planes[3].kind, EXEC_PLANE_NONE);
}

/* ---- bytes ---- */

#define LANES 16
#define RESULT_B (4 * 64)

static const struct jit_inst *the_insts;
static uint32_t the_count;
static jit_value the_value;
static uint32_t frame[5 * LANES];

/* Host code of the program would do this. */
static uint32_t run_program(void *user)
{
    uint32_t *words = user;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t values[64] = {0}, rows[4];
        for (unsigned i = 0; i < 4; i++)
            rows[i] = words[i * LANES + lane];
        for (uint32_t i = 0; i < the_count; i++)
            values[i] = interpret_program(&the_insts[i], values, NULL, rows);
        words[RESULT_B / 4 + lane] = values[the_value];
    }
    return 0;
}

static bool is_move(const struct jit_inst *insts, uint32_t count, const struct exec_bytes *bytes, jit_value value)
{
    the_insts = insts;
    the_count = count;
    the_value = value;
    return exec_bytes_are_apart(insts, count, frame, bytes, value) &&
           exec_bytes_stay(run_program, frame, LANES, bytes, RESULT_B);
}

#define ONE(o, x, i) ((struct jit_inst){.op = (o), .a = (x), .b = JIT_NONE, .c = JIT_NONE, .imm = (i)})
#define TWO(o, x, y) ((struct jit_inst){.op = (o), .a = (x), .b = (y), .c = JIT_NONE})

/* Four rows, scaled to floats and back, as sums with a bias. */
static uint32_t make_sum(struct jit_inst *insts, uint32_t scale)
{
    uint32_t n = 0;
    jit_value sum = JIT_NONE;
    insts[n++] = ONE(JIT_CONST, JIT_NONE, scale);
    insts[n++] = ONE(JIT_CONST, JIT_NONE, float_bits(255));
    insts[n++] = ONE(JIT_CONST, JIT_NONE, 0x4b400000);
    for (uint32_t i = 0; i < 4; i++) {
        insts[n++] = ONE(JIT_ROW, JIT_NONE, i * 64);
        insts[n] = ONE(JIT_F32_OF_U32, (jit_value)(n - 1), 0), n++;
        insts[n] = TWO(JIT_FMUL, (jit_value)(n - 1), 0), n++;
        insts[n] = TWO(JIT_FMUL, (jit_value)(n - 1), 1), n++;
        insts[n] = TWO(JIT_FADD, (jit_value)(n - 1), 2), n++;
        insts[n] = TWO(JIT_SUB, (jit_value)(n - 1), 2), n++;
        if (i)
            insts[n] = ONE(JIT_SHL_IMM, (jit_value)(n - 1), 8 * i), n++;
        if (i)
            insts[n] = TWO(JIT_ADD, sum, (jit_value)(n - 1)), n++;
        sum = (jit_value)(n - 1);
    }
    return n;
}

static void test_bytes(void **user)
{
    struct jit_inst insts[64];
    const struct exec_bytes four = {{0, 64, 128, 192}, 4}, one = {{0}, 1};
    (void)user;
    uint32_t n = make_sum(insts, float_bits(1 / 255.0f));
    assert_true(is_move(insts, n, &four, (jit_value)(n - 1)));
    n = make_sum(insts, float_bits(1 / 250.0f)); /* another scale */
    assert_false(is_move(insts, n, &four, (jit_value)(n - 1)));
    /* The word itself; with a constant in it; its halves in another order. */
    insts[0] = ONE(JIT_ROW, JIT_NONE, 0);
    insts[1] = ONE(JIT_CONST, JIT_NONE, 0xff0000ff);
    insts[2] = TWO(JIT_AND, 0, 1);
    insts[3] = ONE(JIT_SHR_IMM, 0, 8);
    insts[4] = ONE(JIT_CONST, JIT_NONE, 0xffff);
    insts[5] = TWO(JIT_AND, 3, 4);
    insts[6] = ONE(JIT_SHL_IMM, 5, 8);
    insts[7] = TWO(JIT_OR, 2, 6);
    assert_false(is_move(insts, 8, &one, 0)); /* bytes are not apart: nothing was taken apart */
    assert_false(is_move(insts, 8, &one, 2));
    assert_false(is_move(insts, 8, &one, 7)); /* halves look at two bytes each */
    insts[1] = ONE(JIT_CONST, JIT_NONE, 0xff);
    insts[2] = TWO(JIT_AND, 0, 1);
    insts[3] = ONE(JIT_SHR_IMM, 0, 8);
    insts[4] = TWO(JIT_AND, 3, 1);
    insts[5] = ONE(JIT_SHL_IMM, 4, 8);
    insts[6] = ONE(JIT_SHR_IMM, 0, 16);
    insts[7] = TWO(JIT_AND, 6, 1);
    insts[8] = ONE(JIT_SHL_IMM, 7, 16);
    insts[9] = ONE(JIT_SHR_IMM, 0, 24);
    insts[10] = ONE(JIT_SHL_IMM, 9, 24);
    insts[11] = TWO(JIT_OR, 2, 5);
    insts[12] = TWO(JIT_OR, 8, 10);
    insts[13] = TWO(JIT_OR, 11, 12);
    assert_true(is_move(insts, 14, &one, 13));
    assert_false(is_move(insts, 14, &one, 11)); /* two of them are missing */
    insts[5] = ONE(JIT_SHL_IMM, 4, 16);
    insts[8] = ONE(JIT_SHL_IMM, 7, 8); /* two are exchanged */
    assert_false(is_move(insts, 14, &one, 13));
    insts[5] = ONE(JIT_SHL_IMM, 4, 8);
    insts[8] = ONE(JIT_SHL_IMM, 7, 16);
    insts[12] = TWO(JIT_ADD, 8, 10); /* neither an OR nor a sum */
    assert_false(is_move(insts, 14, &one, 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes), cmocka_unit_test(test_far_steps),
                                       cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
