/* Whole programs without code of the host's: how threads lie in rows, which rows run with which numbers, what becomes
 * of lanes that miss. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "model/exec/whole.h"

#define LANES 64
#define THREADS 256

struct frame {
    uint32_t values[EXEC_WHOLE_VALUES];
    uint32_t runs, misses_at, done; /* the row that misses, and how many of its lanes are done then */
    uint32_t seen[32][EXEC_WHOLE_VALUES];
};

struct rest {
    uint32_t count, missed;
    uint64_t group;
    uint32_t row, first;
    bool stops;
};

static uint32_t run_row(void *at)
{
    struct frame *frame = at;
    const uint32_t run = frame->runs++;
    memcpy(frame->seen[run % 32], frame->values, sizeof(frame->values));
    return run == frame->misses_at ? JIT_MISSED | 3 << 8 | frame->done : 0;
}

static uint32_t always_miss(void *at)
{
    ((struct frame *)at)->runs++;
    return JIT_MISSED;
}

static bool take_rest(const struct exec_whole_work *work, uint64_t group, uint32_t row, uint32_t first)
{
    struct rest *rest = work->user;
    *rest = (struct rest){rest->count + 1, rest->missed, group, row, first, rest->stops};
    return !rest->stops;
}

static void note_missed(const struct exec_whole_work *work, uint32_t number)
{
    ((struct rest *)work->user)->missed = number;
}

static uint32_t ids[3][THREADS];

static struct exec_grid make_grid(void)
{
    struct exec_grid grid = {.size = {32, 4, 2}, .count = {3, 2, 2}, .offset = {7, 0, 100}, .threads = THREADS};
    grid.lanes = LANES;
    grid.rows = THREADS / LANES;
    for (uint32_t n = 0; n < THREADS; n++) {
        ids[0][n] = n % 32;
        ids[1][n] = n / 32 % 4;
        ids[2][n] = n / 128;
    }
    for (unsigned axis = 0; axis < 3; axis++)
        grid.local[axis] = ids[axis];
    return grid;
}

static void shapes(void **state)
{
    static const struct {
        uint32_t size[3], lanes;
        bool is_one;
        uint8_t bits[3];
    } cases[] = {
        {{64, 1, 1}, 64, true, {6, 0, 0}},   {{256, 1, 1}, 128, true, {7, 0, 0}}, {{8, 8, 1}, 64, true, {3, 3, 0}},
        {{16, 16, 4}, 128, true, {4, 3, 0}}, {{4, 4, 4}, 64, true, {2, 2, 2}},    {{4, 4, 8}, 64, true, {2, 2, 2}},
        {{192, 5, 1}, 64, true, {6, 0, 0}},  {{1, 64, 1}, 64, true, {0, 6, 0}},   {{1, 1, 128}, 64, true, {0, 0, 6}},
        {{63, 1, 1}, 64, false, {0}},        {{32, 1, 1}, 64, false, {0}},        {{96, 2, 1}, 64, false, {0}},
        {{8, 4, 1}, 64, false, {0}},         {{8, 12, 1}, 64, false, {0}},        {{64, 1, 1}, 128, false, {0}},
        {{0, 1, 1}, 64, false, {0}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct exec_shape shape;
        assert_int_equal(exec_shape_find(cases[i].size, cases[i].lanes, &shape), cases[i].is_one);
        if (cases[i].is_one)
            assert_memory_equal(shape.bits, cases[i].bits, 3);
    }
}

/* A lane's addition to its row's numbers is the difference of the threads' own numbers. */
static void lanes_of_shapes(void **state)
{
    static struct lane_program program;
    const struct exec_grid grid = make_grid();
    struct exec_shape shape;
    (void)state;
    assert_true(exec_shape_find(grid.size, LANES, &shape));
    for (unsigned axis = 0; axis < 3; axis++) {
        memset(&program, 0, sizeof(program));
        const jit_value made = exec_shape_lane(&program, shape, axis);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t values[8] = {0};
            assert_true(program.count <= 8);
            for (uint32_t i = 0; i < program.count; i++) {
                const struct jit_inst *inst = &program.insts[i];
                values[i] = inst->op == JIT_LANE      ? lane
                            : inst->op == JIT_SHR_IMM ? values[inst->a] >> inst->imm
                            : inst->op == JIT_AND     ? values[inst->a] & values[inst->b]
                                                      : inst->imm;
            }
            for (uint32_t row = 0; row < grid.rows; row++)
                assert_int_equal(grid.local[axis][row * LANES] + values[made], grid.local[axis][row * LANES + lane]);
        }
    }
}

static void numbers(void **state)
{
    static struct frame frame;
    const struct exec_grid grid = make_grid();
    struct exec_whole whole = {.code = run_row};
    struct exec_counts counts = {0};
    struct rest rest = {0};
    const struct exec_whole_work work = {.whole = &whole,
                                         .grid = &grid,
                                         .frame = &frame,
                                         .values = frame.values,
                                         .env = lane_env_get(),
                                         .counts = &counts,
                                         .user = &rest,
                                         .rest = take_rest};
    (void)state;
    frame = (struct frame){.misses_at = UINT32_MAX};
    assert_true(exec_whole_run(&work, 4, 2)); /* workgroups 1, 1, 0 and 2, 1, 0 */
    assert_int_equal(frame.runs, 2 * grid.rows);
    assert_int_equal(rest.count, 0);
    for (uint32_t run = 0; run < frame.runs; run++) {
        const uint32_t group[3] = {1 + run / grid.rows, 1, 0}, first = run % grid.rows * LANES, *seen = frame.seen[run];
        for (unsigned axis = 0; axis < 3; axis++) {
            assert_int_equal(seen[EXEC_WHOLE_GROUP + axis], group[axis]);
            assert_int_equal(seen[EXEC_WHOLE_LOCAL + axis], ids[axis][first]);
            assert_int_equal(seen[EXEC_WHOLE_GLOBAL + axis],
                             group[axis] * grid.size[axis] + grid.offset[axis] + ids[axis][first]);
        }
        assert_int_equal(seen[EXEC_WHOLE_FIRST], first);
    }
}

static void misses(void **state)
{
    static struct frame frame;
    const struct exec_grid grid = make_grid();
    struct exec_whole whole = {.code = run_row};
    struct exec_counts counts = {0};
    struct rest rest = {0};
    const struct exec_whole_work work = {.whole = &whole,
                                         .grid = &grid,
                                         .frame = &frame,
                                         .values = frame.values,
                                         .env = lane_env_get(),
                                         .counts = &counts,
                                         .user = &rest,
                                         .rest = take_rest,
                                         .missed = note_missed};
    (void)state;
    frame = (struct frame){.misses_at = 6, .done = 20};
    assert_true(exec_whole_run(&work, 0, 3));
    assert_int_equal(rest.count, 1);
    assert_int_equal(rest.missed, 3);
    assert_int_equal(rest.group, 1);
    assert_int_equal(rest.row, 2);
    assert_int_equal(rest.first, 20);
    assert_int_equal(counts.misses, 1);
    assert_int_equal(frame.runs, 3 * grid.rows); /* the others went on */

    /* One that stops ends all. */
    frame = (struct frame){.misses_at = 1};
    rest.stops = true;
    assert_false(exec_whole_run(&work, 0, 3));
    assert_int_equal(frame.runs, 2);

    /* Code that is never for its lanes is given up, and all rows that follow are the family's. */
    rest = (struct rest){0};
    frame = (struct frame){0};
    whole.code = always_miss;
    assert_true(exec_whole_run(&work, 0, 12));
    assert_true(exec_whole_run(&work, 0, 12));
    assert_null(whole.code);
    assert_int_equal(rest.count, 2 * 12 * grid.rows);
    assert_true(frame.runs < rest.count);
}

static uint32_t divide_lanes(void *at)
{
    volatile const float one = 1.0f, three = 3.0f;
    *(float *)at = one / three;
    return 0;
}

/* The code rounds as its program does, and whoever called it as before. */
static void rounding(void **state)
{
    const struct exec_grid grid = make_grid();
    struct exec_whole whole = {.code = divide_lanes};
    struct exec_counts counts = {0};
    struct rest rest = {0};
    uint32_t values[EXEC_WHOLE_VALUES];
    float down, nearest;
    (void)state;
    assert_int_equal(fesetround(FE_DOWNWARD), 0);
    const struct exec_whole_work work = {.whole = &whole,
                                         .grid = &grid,
                                         .frame = &down,
                                         .values = values,
                                         .env = lane_env_get(),
                                         .counts = &counts,
                                         .user = &rest,
                                         .rest = take_rest};
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_true(exec_whole_run(&work, 0, 1));
    divide_lanes(&nearest);
    assert_true(down < nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(lanes_of_shapes),
        cmocka_unit_test(rounding),
        cmocka_unit_test(numbers),
        cmocka_unit_test(misses),
    };
    return cmocka_run_group_tests_name("whole programs", tests, NULL, NULL);
}
