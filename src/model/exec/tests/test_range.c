/* Programs that move memory, for many lanes at once (range.h), beside lane after lane: random offsets, conditions and
 * masks, whose lines end, wrap and cross; then what is done at once, and what is left to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/exec/apart.h"
#include "model/exec/range.h"
#include "model/exec/tests/one_lane.h"

#define LANES 300u
#define MEMORY_B 65536u
#define POINTERS 3u
#define SCALARS 6u
#define MOST_VALUES 12u
#define MEETS 63u

struct frame {
    uint8_t *pointers[POINTERS];
    uint32_t limit; /* of what a lane moves at the most, in a fourth of the memory */
    uint32_t scalars[SCALARS];
};

static struct lane_program program;
static struct exec_apart apart;
static struct frame frame;
static struct one_lane lanes[1];
static struct exec_code code;
static uint8_t memory[MEMORY_B], wanted[MEMORY_B], initial[MEMORY_B];

static jit_value scalar(uint32_t i)
{
    return splat_word(&program, offsetof(struct frame, scalars) + i * 4);
}

static jit_value number(uint32_t word)
{
    return lane_program_const(&program, word);
}

static jit_value stepped_value(uint32_t by)
{
    return lane_times(&program, by);
}

static jit_value load_value(jit_value at, uint32_t pointer, uint32_t further_B)
{
    return lane_program_emit(&program, JIT_LOAD, at, JIT_NONE, JIT_NONE, pointer * 8 | further_B << 16);
}

static void store_value(jit_value at, jit_value value, jit_value condition, uint32_t pointer, uint32_t further_B)
{
    lane_program_emit(&program, JIT_WRITE, at, value, condition, pointer * 8 | further_B << 16);
}

static void begin_case(void)
{
    program = (struct lane_program){0};
    for (uint32_t i = 0; i < POINTERS; i++)
        frame.pointers[i] = memory + i * (MEMORY_B / 4);
    frame.limit = MEMORY_B / 4 - 12 + 1;
    memcpy(memory, initial, sizeof(memory));
}

/* How many lanes are done at once. What they did is what lanes one after the other do, and none of them misses. */
static uint32_t run_program(uint32_t count)
{
    struct exec_range *range = exec_range_make(&code, &program);
    if (!range)
        return UINT32_MAX;
    const uint32_t done = exec_range_run(range, &frame, count);
    assert_in_range(done, 0, count);
    memcpy(wanted, memory, sizeof(memory));
    memcpy(memory, initial, sizeof(memory));
    for (uint32_t lane = 0; lane < done; lane++)
        assert_true(one_lane_run(lanes, lane, 1, &program, &frame));
    if (memcmp(memory, wanted, sizeof(memory)) != 0)
        fail_msg("memory differs after %u lanes of %u", done, count);
    exec_code_validate(&code);
    return done;
}

/* ---- random programs ---- */

static jit_value choose_operation(const jit_value *values, uint32_t count)
{
    struct lane_program *p = &program;
    static const uint32_t masks[] = {0, 1, 3, 0xff, 0xffff, UINT32_MAX, 0xff00, 0x7fffffff};
    const jit_value x = values[below(count)], y = values[below(count)], z = values[below(count)];
    switch (below(16)) {
    case 0:
    case 1:
        return lane_program_add(p, x, y);
    case 2:
        return lane_program_sub(p, x, y);
    case 3:
        return lane_program_mul(p, x, y);
    case 4:
        return lane_program_mul(p, x, number(below(3) ? below(40) : any()));
    case 5:
        return lane_program_emit(p, below(2) ? JIT_SHR_IMM : JIT_SHL_IMM, x, JIT_NONE, JIT_NONE, 1 + below(31));
    case 6:
        return lane_program_emit(p, JIT_AND, x, number(masks[below(8)]), JIT_NONE, 0);
    case 7:
        return lane_program_emit(p, JIT_ANDN, x, number(masks[below(8)]), JIT_NONE, 0);
    case 8:
        return lane_program_emit(p, below(2) ? JIT_OR : JIT_XOR, x, y, JIT_NONE, 0);
    case 9:
        return lane_program_emit(p, JIT_NOT, x, JIT_NONE, JIT_NONE, 0);
    case 10:
    case 11:
        return lane_program_lt_u(p, x, y);
    case 12:
        return lane_program_le_u(p, x, y);
    case 13:
        return lane_program_emit(p, JIT_EQ, x, y, JIT_NONE, 0);
    default:
        return lane_program_emit(p, JIT_SELECT, lane_program_lt_u(p, x, y), y, z, 0);
    }
}

static jit_value boolean_of(jit_value x, jit_value y)
{
    static const enum jit_op ops[] = {JIT_LT_U, JIT_LE_U, JIT_EQ};
    return lane_program_emit(&program, ops[below(3)], x, y, JIT_NONE, 0);
}

/* Some dwords of a lane, from a place that is made of the values; outside of the buffer nothing happens. */
static void move_words(const jit_value *values, uint32_t count)
{
    struct lane_program *p = &program;
    const uint32_t dwords = 1 + below(3), from = below(POINTERS), to = below(POINTERS);
    const jit_value limit = splat_word(p, offsetof(struct frame, limit));
    const jit_value at = below(8) ? lane_program_add(p, stepped_value(dwords * 4), number(below(64) * 4))
                                  : lane_program_mul(p, values[below(count)], number(4));
    const jit_value place = below(8) ? lane_program_add(p, stepped_value(dwords * 4), scalar(5)) : at;
    const jit_value good = lane_program_lt_u(p, at, limit), inside = lane_program_and(p, at, good);
    const jit_value condition =
        lane_program_and(p, boolean_of(values[below(count)], values[below(count)]), lane_program_lt_u(p, place, limit));
    const uint32_t kind = below(3);
    if (kind == 0)
        exec_apart_access(&apart, &(struct exec_access){.at = at,
                                                        .size_B = dwords * 4,
                                                        .pointer_B = from * 8,
                                                        .limit_B = offsetof(struct frame, limit)});
    exec_apart_access(&apart,
                      &(struct exec_access){.is_store = true, .at = place, .size_B = dwords * 4, .pointer_B = to * 8});
    for (uint32_t i = 0; i < dwords; i++) {
        const jit_value value = kind == 0   ? lane_program_and(p, load_value(inside, from, i * 4), good)
                                : kind == 1 ? scalar(below(SCALARS))
                                            : values[below(count)];
        exec_apart_write(&apart, place, value, condition, to * 8 | i * 4 << 16);
    }
}

static bool choose_values(void)
{
    jit_value values[MOST_VALUES];
    begin_case();
    exec_apart_begin(&apart, &program, 16);
    for (uint32_t i = 0; i < POINTERS; i++)
        frame.pointers[i] = memory + 8192 + below(3) * (MEMORY_B / 4) + below(5) * 128;
    for (uint32_t i = 0; i < SCALARS; i++)
        frame.scalars[i] = below(3) ? below(400) : any();
    frame.scalars[5] = below(64) * 4;
    for (uint32_t i = 0; i < MOST_VALUES; i++)
        values[i] = i == 0   ? lane_number(&program)
                    : i == 1 ? scalar(0)
                    : i == 2 ? scalar(1)
                    : i == 3 ? number(any() >> below(32))
                             : choose_operation(values, i);
    for (uint32_t i = below(2) + 1; i > 0; i--)
        move_words(values, MOST_VALUES);
    return exec_apart_end(&apart, MEETS);
}

static void many_lanes_do_what_each_does(void **state)
{
    (void)state;
    uint32_t made = 0, whole = 0, some = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        one_lane_seed = round;
        if (!choose_values())
            continue;
        const uint32_t done = run_program(LANES);
        made += done != UINT32_MAX;
        whole += done == LANES;
        some += done && done < LANES;
    }
    assert_in_range(made, 5000, UINT32_MAX);
    assert_in_range(whole, 2000, UINT32_MAX);
    assert_in_range(some, 200, UINT32_MAX);
}

/* ---- what is done at once ---- */

static void copies_and_fills_are_done(void **state)
{
    (void)state;
    for (uint32_t dwords = 1; dwords <= 4; dwords++) {
        begin_case();
        const jit_value at = stepped_value(dwords * 4), all = number(UINT32_MAX);
        for (uint32_t i = 0; i < dwords; i++) {
            store_value(at, load_value(at, 0, i * 4), all, 1, i * 4);
            store_value(at, scalar(i), all, 2, i * 4);
        }
        frame.scalars[0] = 0x12345678;
        /* Dwords of the copy and of the fill in turn leave gaps; one behind the other they do not. */
        assert_int_equal(run_program(LANES), dwords == 1 ? LANES : 0);
        begin_case();
        const jit_value place = stepped_value(dwords * 4);
        for (uint32_t i = 0; i < dwords; i++)
            store_value(place, load_value(place, 0, i * 4), number(UINT32_MAX), 1, i * 4);
        for (uint32_t i = 0; i < dwords; i++)
            store_value(place, scalar(i), number(UINT32_MAX), 2, i * 4);
        assert_int_equal(run_program(LANES), LANES);
    }
}

/* Of more than a fill copies at a time. */
static void long_fills_are_whole(void **state)
{
    (void)state;
    static uint8_t large[300000];
    begin_case();
    const jit_value at = stepped_value(12);
    for (uint32_t i = 0; i < 3; i++)
        store_value(at, scalar(i), number(UINT32_MAX), 0, i * 4);
    frame.pointers[0] = large;
    for (uint32_t i = 0; i < 3; i++)
        frame.scalars[i] = 0x01020304 * (i + 1);
    struct exec_range *range = exec_range_make(&code, &program);
    assert_non_null(range);
    assert_int_equal(exec_range_run(range, &frame, 24000), 24000);
    for (uint32_t i = 0; i < 24000 * 3; i++)
        assert_int_equal(one_lane_word(large + i * 4), frame.scalars[i % 3]);
    assert_int_equal(one_lane_word(large + 24000 * 12), 0);
}

/* Of one dword, and copies: so much that they go by several places at once. */
static void large_moves_are_whole(void **state)
{
    (void)state;
    enum {
        DWORDS = 160000,
        ALL_B = DWORDS * 4
    };
    static uint8_t from[ALL_B], to[ALL_B + 4], filled[ALL_B + 4];
    begin_case();
    store_value(stepped_value(4), load_value(stepped_value(4), 0, 0), number(UINT32_MAX), 1, 0);
    store_value(stepped_value(4), scalar(0), number(UINT32_MAX), 2, 0);
    for (uint32_t i = 0; i < ALL_B; i++)
        from[i] = (uint8_t)(i * 2654435761u >> 13);
    frame.pointers[0] = from;
    frame.pointers[1] = to;
    frame.pointers[2] = filled;
    frame.scalars[0] = 0x01020304;
    struct exec_range *range = exec_range_make(&code, &program);
    assert_non_null(range);
    assert_int_equal(exec_range_run(range, &frame, DWORDS), DWORDS);
    assert_memory_equal(to, from, ALL_B);
    for (uint32_t i = 0; i < ALL_B; i += 4)
        assert_int_equal(one_lane_word(filled + i), frame.scalars[0]);
    assert_int_equal(one_lane_word(to + ALL_B), 0);
    assert_int_equal(one_lane_word(filled + ALL_B), 0);
}

/* Up to the lane where a condition changes, then on. */
static void conditions_divide_the_lanes(void **state)
{
    (void)state;
    static const enum jit_op ops[] = {JIT_LT_U, JIT_LE_U, JIT_EQ};
    for (uint32_t op = 0; op < 3; op++) {
        for (uint32_t way = 0; way < 2; way++) {
            begin_case();
            const jit_value lane = lane_number(&program), limit = scalar(0);
            const jit_value is =
                lane_program_emit(&program, ops[op], way ? limit : lane, way ? lane : limit, JIT_NONE, 0);
            store_value(stepped_value(4), number(7), is, 0, 0);
            store_value(stepped_value(4), number(9), lane_program_not(&program, is), 1, 0);
            for (frame.scalars[0] = 0; frame.scalars[0] < 12; frame.scalars[0]++) {
                memcpy(memory, initial, sizeof(memory));
                assert_int_equal(run_program(10), 10);
            }
        }
    }
}

/* Lines that pass the end of 32 bits, and bits that are cut off. */
static void lines_end_where_they_wrap(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 4; way++) {
        begin_case();
        const jit_value line = lane_program_add(&program, stepped_value(way & 1 ? 0u - 5 : 5), scalar(0));
        const jit_value cut = way & 2 ? lane_program_emit(&program, JIT_SHR_IMM, line, JIT_NONE, JIT_NONE, 4)
                                      : lane_program_emit(&program, JIT_AND, line, number(0xff), JIT_NONE, 0);
        const jit_value far = lane_program_add(&program, cut, number(1000)); /* which wraps nowhere */
        store_value(stepped_value(4), number(7), lane_program_lt_u(&program, far, number(1002)), 0, 0);
        for (uint32_t i = 0; i < 64; i++) {
            frame.scalars[0] = (way & 1 ? 40 : 0xffffffe0) + i;
            memcpy(memory, initial, sizeof(memory));
            run_program(30);
        }
        frame.scalars[0] = way & 1 ? 200 : 20; /* in the mask, and no end in sight */
        memcpy(memory, initial, sizeof(memory));
        assert_int_equal(run_program(30), 30);
    }
}

/* ---- what is left ---- */

static void a_miss_ends_it(void **state)
{
    (void)state;
    begin_case();
    lane_program_emit(&program, JIT_MISS, lane_program_eq(&program, lane_number(&program), scalar(0)), JIT_NONE,
                      JIT_NONE, 0);
    store_value(stepped_value(4), number(7), number(UINT32_MAX), 0, 0);
    for (frame.scalars[0] = 0; frame.scalars[0] < 12; frame.scalars[0]++) {
        memcpy(memory, initial, sizeof(memory));
        assert_int_equal(run_program(10), frame.scalars[0] < 10 ? frame.scalars[0] : 10);
    }
}

static void gaps_are_left(void **state)
{
    (void)state;
    begin_case();
    store_value(stepped_value(8), number(7), number(UINT32_MAX), 0, 0);
    assert_int_equal(run_program(LANES), 0);
    begin_case(); /* filled, but loaded with a gap */
    store_value(stepped_value(4), load_value(stepped_value(8), 1, 0), number(UINT32_MAX), 0, 0);
    assert_int_equal(run_program(LANES), 0);
    begin_case(); /* one place */
    store_value(scalar(0), number(7), number(UINT32_MAX), 0, 0);
    frame.scalars[0] = 16;
    assert_int_equal(run_program(LANES), 0);
    begin_case(); /* from the last to the first */
    store_value(lane_program_sub(&program, number(4000), stepped_value(4)), number(7), number(UINT32_MAX), 0, 0);
    assert_int_equal(run_program(LANES), 0);
    begin_case(); /* a line is no value that is copied or filled */
    store_value(stepped_value(4), lane_number(&program), number(UINT32_MAX), 0, 0);
    assert_int_equal(run_program(LANES), 0);
    for (uint32_t i = 0; i < 2; i++) { /* a dword that is loaded beside one that is not */
        begin_case();
        store_value(stepped_value(8), i ? number(3) : load_value(stepped_value(8), 1, 0), number(UINT32_MAX), 0, 0);
        store_value(stepped_value(8), i ? load_value(stepped_value(8), 1, 4) : number(3), number(UINT32_MAX), 0, 4);
        assert_int_equal(run_program(LANES), 0);
    }
    begin_case(); /* in another order than they were */
    store_value(stepped_value(8), load_value(stepped_value(8), 1, 4), number(UINT32_MAX), 0, 0);
    store_value(stepped_value(8), load_value(stepped_value(8), 1, 0), number(UINT32_MAX), 0, 4);
    assert_int_equal(run_program(LANES), 0);
    begin_case();
    store_value(stepped_value(8), number(3), number(UINT32_MAX), 0, 4);
    store_value(stepped_value(8), number(5), number(UINT32_MAX), 0, 0);
    assert_int_equal(run_program(LANES), 0);
}

/* Of copies to what they read only some lanes may be done: as long as they do not meet. Here all would. */
static void copies_to_what_they_read_are_left(void **state)
{
    (void)state;
    static const int32_t near[] = {-1196, -4, 4, 1196}, far[] = {-1200, 1200};
    for (uint32_t i = 0; i < 6; i++) {
        begin_case();
        frame.pointers[1] = frame.pointers[0] + (i < 4 ? near[i] : far[i - 4]) + 4096;
        frame.pointers[0] += 4096;
        store_value(stepped_value(4), load_value(stepped_value(4), 0, 0), number(UINT32_MAX), 1, 0);
        assert_int_equal(run_program(LANES), i < 4 ? 0 : LANES);
    }
    /* Two stores to one place; the second may be further. */
    for (uint32_t further_B = 0; further_B <= 1200; further_B += 400) {
        begin_case();
        frame.pointers[1] = frame.pointers[0] + further_B;
        store_value(stepped_value(4), number(1), number(UINT32_MAX), 0, 0);
        store_value(stepped_value(4), number(2), number(UINT32_MAX), 1, 0);
        assert_int_equal(run_program(LANES), further_B < 1200 ? 0 : LANES);
    }
}

static void other_operations_are_not_for_it(void **state)
{
    (void)state;
    begin_case();
    store_value(stepped_value(4), number(7), number(UINT32_MAX), 0, 0);
    const jit_value unused = lane_program_emit(&program, JIT_MIN_U, 0, 0, JIT_NONE, 0);
    assert_non_null(exec_range_make(&code, &program)); /* nothing looks at it */
    store_value(stepped_value(4), unused, number(UINT32_MAX), 1, 0);
    assert_null(exec_range_make(&code, &program));
    begin_case(); /* nothing is written */
    scalar(3);
    assert_null(exec_range_make(&code, &program));
    begin_case(); /* more writes than there is room for */
    for (uint32_t i = 0; i < 33; i++)
        store_value(stepped_value(4), number(7), number(UINT32_MAX), 0, 0);
    assert_null(exec_range_make(&code, &program));
}

static void it_says_which_scalars_it_reads(void **state)
{
    (void)state;
    begin_case();
    scalar(3); /* nothing comes of it */
    store_value(stepped_value(4), scalar(2), number(UINT32_MAX), 0, 0);
    const struct exec_range *range = exec_range_make(&code, &program);
    assert_non_null(range);
    assert_true(exec_range_reads(range, offsetof(struct frame, scalars) + 2 * 4));
    assert_false(exec_range_reads(range, offsetof(struct frame, scalars) + 3 * 4));
    assert_false(exec_range_reads(range, UINT32_MAX)); /* a constant's number is no place */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_lanes_do_what_each_does),
        cmocka_unit_test(copies_and_fills_are_done),
        cmocka_unit_test(long_fills_are_whole),
        cmocka_unit_test(large_moves_are_whole),
        cmocka_unit_test(conditions_divide_the_lanes),
        cmocka_unit_test(lines_end_where_they_wrap),
        cmocka_unit_test(a_miss_ends_it),
        cmocka_unit_test(gaps_are_left),
        cmocka_unit_test(copies_to_what_they_read_are_left),
        cmocka_unit_test(other_operations_are_not_for_it),
        cmocka_unit_test(it_says_which_scalars_it_reads),
    };
    for (uint32_t i = 0; i < MEMORY_B; i++)
        initial[i] = (uint8_t)any();
    if (!exec_code_init(&code, NULL))
        return 1;
    const int failed = cmocka_run_group_tests_name("range", tests, NULL, NULL);
    exec_code_finish(&code);
    return failed;
}
