/* Stores that come last, a few lanes at a time, beside instructions one after the other over all lanes: random loads
 * and stores of which some meet. Wherever a program is made of them and its lanes do not miss, memory is the same after
 * both. Then what is made at all, and what is compared when it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/exec/later.h"
#include "model/exec/tests/one_lane.h"
#include "model/exec/view.h"

#define LANES 16u
#define GROUP 4u /* lanes that run all of it before the next ones */
#define MEMORY_B 4096u
#define VIEWS 3u
#define MOST_CODE 6u
#define NUMBER 63u
#define ROWS 40u

struct frame {
    struct exec_view views[VIEWS];
    uint32_t bases[VIEWS]; /* that all lanes add */
    uint32_t anywhere[LANES];
    uint32_t rows[ROWS][LANES];
};

/* A load or a store of size_B bytes at lane * step_B and the base of a view, or what `anywhere` says. */
struct code {
    bool is_store, is_anywhere;
    uint32_t view, step_B, offset_B, size_B;
};

static struct lane_program program;
static struct exec_apart apart;
static struct frame frame;
static struct one_lane lanes[GROUP];
static uint8_t memory[MEMORY_B], wanted[MEMORY_B], initial[MEMORY_B];

static uint32_t view_B(uint32_t view)
{
    return (uint32_t)(offsetof(struct frame, views) + view * sizeof(struct exec_view));
}

static jit_value place_of(const struct code *code)
{
    struct lane_program *p = &program;
    const jit_value first = code->is_anywhere ? lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                                                                  offsetof(struct frame, anywhere))
                                              : splat_word(p, offsetof(struct frame, bases) + code->view * 4);
    return lane_program_add(p, lane_times(p, code->step_B), first);
}

static jit_value add_access(const struct code *code, jit_value at, jit_value sum)
{
    struct lane_program *p = &program;
    const uint32_t pointer_B = view_B(code->view), limit_B = pointer_B + (uint32_t)offsetof(struct exec_view, limit);
    exec_apart_access(&apart, &(struct exec_access){.is_store = code->is_store,
                                                    .at = at,
                                                    .offset_B = (int32_t)code->offset_B,
                                                    .size_B = code->size_B,
                                                    .pointer_B = pointer_B,
                                                    .limit_B = limit_B});
    for (uint32_t i = 0; i < code->size_B / 4; i++) {
        const uint32_t imm = pointer_B | (code->offset_B + i * 4) << 16;
        if (code->is_store)
            exec_apart_write(&apart, at, lane_program_add(p, sum, lane_program_const(p, i)),
                             lane_program_const(p, UINT32_MAX), imm);
        else
            sum = lane_program_add(p, lane_program_mul(p, sum, lane_program_const(p, 3)),
                                   lane_program_emit(p, JIT_LOAD, at, JIT_NONE, JIT_NONE, imm));
    }
    return sum;
}

static void note_accesses(const struct code *code, uint32_t count)
{
    program = (struct lane_program){0};
    exec_apart_begin(&apart, &program, LANES);
    jit_value sum = lane_number(&program), at = JIT_NONE;
    for (uint32_t i = 0; i < count; i++) {
        /* One value where it is the same as before, as in a program of somebody who has computed it once. */
        const bool is_same = i && !code[i].is_anywhere && !code[i - 1].is_anywhere &&
                             code[i].view == code[i - 1].view && code[i].step_B == code[i - 1].step_B;
        at = is_same ? at : place_of(&code[i]);
        sum = add_access(&code[i], at, sum);
    }
}

static bool make_program(const struct code *code, uint32_t count)
{
    note_accesses(code, count);
    return exec_apart_end(&apart, NUMBER);
}

static uint8_t *place_of_element(const struct code *code, uint32_t lane)
{
    const uint32_t first = code->is_anywhere ? frame.anywhere[lane] : frame.bases[code->view];
    return (uint8_t *)(uintptr_t)frame.views[code->view].host + first + lane * code->step_B + code->offset_B;
}

/* Instruction by instruction over all lanes from `first` on. */
static void run_in_order(const struct code *code, uint32_t count, uint32_t first)
{
    uint32_t sums[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        sums[lane] = lane;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t lane = first; lane < LANES; lane++) {
            for (uint32_t n = 0; n < code[i].size_B / 4; n++) {
                const uint32_t word = sums[lane] + n;
                if (code[i].is_store)
                    memcpy(place_of_element(&code[i], lane) + n * 4, &word, 4);
                else
                    sums[lane] = sums[lane] * 3 + one_lane_word(place_of_element(&code[i], lane) + n * 4);
            }
        }
    }
}

/* By the program as far as it goes, then in order; how many lanes the program did. */
static uint32_t run_program(const struct code *code, uint32_t count)
{
    uint32_t done = 0;
    memcpy(memory, initial, sizeof(memory));
    run_in_order(code, count, 0);
    memcpy(wanted, memory, sizeof(memory));
    memcpy(memory, initial, sizeof(memory));
    while (done < LANES && one_lane_run(lanes, done, GROUP, &program, &frame))
        done += GROUP;
    run_in_order(code, count, done);
    return done;
}

static void view(uint32_t number, uint32_t at_B, uint32_t base_B, uint32_t size_B)
{
    frame.views[number] = (struct exec_view){memory + at_B, size_B - 4 + 1};
    frame.bases[number] = base_B;
}

/* Near each other, so that many meet. */
static void choose_values(struct code *code, uint32_t count)
{
    static const uint32_t steps[] = {0, 4, 8, 16, 12}, sizes[] = {4, 4, 8, 16};
    const uint32_t most_step_B = steps[1 + below(3)];
    for (uint32_t i = 0; i < VIEWS; i++)
        view(i, 1024 + below(3) * 256 + below(8) * 4, below(3) * 128 + below(4) * 4, 512);
    for (uint32_t i = 0; i < LANES; i++)
        frame.anywhere[i] = below(2) ? below(120) * 4 : 480 + below(3) * 4;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_store = i + 1 == count || below(3) == 0, is_anywhere = !is_store && below(4) == 0;
        const uint32_t step_B = below(4) ? most_step_B : steps[below(5)];
        code[i] = (struct code){.is_store = is_store,
                                .is_anywhere = is_anywhere,
                                .view = i && below(2) ? code[i - 1].view : below(VIEWS),
                                .step_B = is_anywhere ? 0 : step_B,
                                .offset_B = is_anywhere || below(2) ? 0 : below(3) * 4,
                                .size_B = is_anywhere ? 4 : sizes[below(4)]};
    }
}

static void what_does_not_miss_is_as_in_order(void **state)
{
    (void)state;
    uint32_t made = 0, whole = 0, some = 0;
    for (uint32_t round = 0; round < 40000; round++) {
        struct code code[MOST_CODE];
        one_lane_seed = round;
        const uint32_t count = 1 + below(MOST_CODE);
        choose_values(code, count);
        if (!make_program(code, count))
            continue;
        assert_false(program.failed);
        const uint32_t done = run_program(code, count);
        if (memcmp(memory, wanted, sizeof(memory)) != 0)
            fail_msg("program %u: memory differs after %u lanes of it", round, done);
        made++;
        whole += done == LANES;
        some += done && done < LANES;
    }
    assert_in_range(made, 8000, UINT32_MAX);
    assert_in_range(whole, 5000, UINT32_MAX);
    assert_in_range(some, 30, UINT32_MAX);
}

/* Stores that come after the program of all lanes: whatever meets, and wherever they go. */
static void stores_come_later_as_in_order(void **state)
{
    (void)state;
    static const struct exec_later_rows rows = {offsetof(struct frame, rows), LANES * 4, ROWS};
    static struct exec_later later;
    uint32_t made = 0, refused = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        struct code code[MOST_CODE];
        one_lane_seed = round;
        const uint32_t count = 1 + below(MOST_CODE);
        choose_values(code, count);
        for (uint32_t i = 0; i < count && below(2); i++)
            code[i] = code[i].is_store ? (struct code){true, true, code[i].view, 0, 0, code[i].size_B} : code[i];
        bool has_stored = false, reads_after = false;
        for (uint32_t i = 0; i < count; i++) {
            reads_after |= has_stored && !code[i].is_store;
            has_stored |= code[i].is_store;
        }
        note_accesses(code, count);
        const bool is_made = exec_later_end(&later, &apart, &rows, NUMBER);
        assert_int_equal(is_made, !reads_after);
        made += is_made;
        refused += !is_made;
        if (!is_made)
            continue;
        memcpy(memory, initial, sizeof(memory));
        run_in_order(code, count, 0);
        memcpy(wanted, memory, sizeof(memory));
        memcpy(memory, initial, sizeof(memory));
        for (uint32_t lane = 0; lane < LANES; lane += GROUP)
            assert_true(one_lane_run(lanes, lane, GROUP, &program, &frame));
        exec_later_store(&later, &frame);
        if (memcmp(memory, wanted, sizeof(memory)) != 0)
            fail_msg("program %u: memory differs", round);
    }
    assert_in_range(made, 3000, UINT32_MAX);
    assert_in_range(refused, 3000, UINT32_MAX);
}

static void later_stores_leave_read_rows_alone(void **state)
{
    (void)state;
    static struct exec_later later;
    const struct exec_later_rows rows = {offsetof(struct frame, rows), LANES * 4, 4},
                                 few = {rows.first_B, rows.row_B, 3};
    for (uint32_t i = 0; i < 2; i++) {
        program = (struct lane_program){0};
        exec_apart_begin(&apart, &program, LANES);
        const jit_value row = lane_program_emit(&program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, rows.first_B);
        exec_apart_access(&apart, &(struct exec_access){.is_store = true, .at = row, .size_B = 4});
        exec_apart_write(&apart, row, row, lane_program_const(&program, UINT32_MAX), 0);
        assert_int_equal(exec_later_end(&later, &apart, i ? &few : &rows, NUMBER), !i);
        assert_int_not_equal(later.stores[0].at_B, rows.first_B);
    }
}

static void does_all(const struct code *code, uint32_t count, uint32_t lanes_done)
{
    assert_true(make_program(code, count));
    assert_int_equal(run_program(code, count), lanes_done);
    assert_memory_equal(memory, wanted, sizeof(memory));
}

/* Changes of a lane in a place of its own are told from the program alone. */
static void own_places_need_no_comparison(void **state)
{
    (void)state;
    const struct code change[] = {{false, false, 0, 16, 0, 16}, {true, false, 0, 16, 0, 8}, {true, false, 0, 16, 8, 8}};
    view(0, 512, 64, 1024);
    does_all(change, 3, LANES);
    assert_int_equal(apart.missing, JIT_NONE);
}

static void what_is_stored_is_not_read_again(void **state)
{
    (void)state;
    program = (struct lane_program){0};
    exec_apart_begin(&apart, &program, LANES);
    const jit_value at = lane_times(&program, 8);
    exec_apart_access(&apart, &(struct exec_access){.is_store = true, .at = at, .offset_B = 4, .size_B = 4});
    exec_apart_access(&apart, &(struct exec_access){.at = at, .offset_B = 8, .size_B = 4});
    exec_apart_access(&apart, &(struct exec_access){.at = at, .offset_B = 0, .size_B = 4});
    assert_true(exec_apart_end(&apart, NUMBER));
    assert_int_equal(apart.missing, JIT_NONE);
    exec_apart_access(&apart, &(struct exec_access){.at = at, .offset_B = 4, .size_B = 4, .pointer_B = 16});
    assert_true(exec_apart_end(&apart, NUMBER)); /* from another pointer: that is seen when it runs */
    assert_int_not_equal(apart.missing, JIT_NONE);
    exec_apart_access(&apart, &(struct exec_access){.at = at, .size_B = 8});
    assert_false(exec_apart_end(&apart, NUMBER));
}

static void lanes_of_a_store_lie_apart(void **state)
{
    (void)state;
    const struct code overlap = {true, false, 0, 4, 0, 8}, one_place = {true, false, 0, 0, 0, 4};
    const struct code anywhere = {true, true, 0, 4, 0, 4}, good = {true, false, 0, 8, 0, 8};
    const struct code too_far = {true, false, 0, 65536, 0, 4}, far = {true, false, 0, 65532, 0, 4};
    assert_false(make_program(&overlap, 1));
    assert_false(make_program(&one_place, 1));
    assert_false(make_program(&anywhere, 1));
    assert_false(make_program(&too_far, 1));
    assert_true(make_program(&far, 1));
    assert_true(make_program(&good, 1));
}

/* Two places, as near as they may be and nearer. */
static void distances_decide_when_it_runs(void **state)
{
    (void)state;
    const struct code copy[] = {{false, false, 0, 4, 0, 4}, {true, false, 1, 4, 0, 4}};
    const uint32_t span_B = LANES * 4 + 4 + 4;
    view(0, 1024, 0, 512);
    view(1, 1024 + span_B, 0, 512);
    does_all(copy, 2, LANES);
    view(1, 1024 + span_B - 4, 0, 512);
    does_all(copy, 2, 0);
    view(1, 1024, span_B - 4, 512); /* by the scalar */
    does_all(copy, 2, 0);
    view(1, 1024 - span_B + 4, 0, 512);
    does_all(copy, 2, 0);
    view(1, 1024 - span_B - 4, 0, 512);
    does_all(copy, 2, LANES);
    view(1, 1024, 0, 512); /* the same places: nobody reads another's */
    does_all(copy, 2, LANES);
    /* One place that all lanes read. */
    const struct code spread[] = {{false, false, 0, 0, 0, 4}, {true, false, 1, 4, 0, 4}};
    view(1, 1024 - 8, 0, 512);
    does_all(spread, 2, 0);
    view(1, 1024 + 512, 0, 512);
    does_all(spread, 2, LANES);
}

/* Any part of a buffer may be read. A store that comes to it after some lanes stops only those, unless the others were
 * to see what it stores. */
static void stores_stay_out_of_buffers(void **state)
{
    (void)state;
    const struct code before[] = {{false, true, 0, 0, 0, 4}, {true, false, 1, 16, 0, 4}};
    const struct code after[] = {{true, false, 1, 16, 0, 4}, {false, true, 0, 0, 0, 4}, {true, false, 2, 16, 0, 4}};
    for (uint32_t i = 0; i < LANES; i++)
        frame.anywhere[i] = i % 4 * 4;
    view(0, 1024, 0, 64);
    view(2, 3072, 0, 64);
    view(1, 2048, 0, 512);
    does_all(before, 2, LANES);
    does_all(after, 3, LANES);
    view(1, 1024 - 8 * 16, 0, 512);
    does_all(before, 2, 8);
    does_all(after, 3, 0);
    const struct code both[] = {before[0], after[0], after[1], after[2]};
    does_all(both, 4, 0);
    view(1, 1024 + 64 + 4, 0, 512);
    does_all(before, 2, LANES);
    view(1, 1024 + 64 - 4, 0, 512);
    does_all(before, 2, 0);
    const struct code wide[] = {{false, true, 0, 0, 0, 16}, {true, false, 1, 16, 0, 8}};
    frame.views[0].limit = 64 - 16 + 1;
    does_all(wide, 2, 0);
    const struct code far[] = {wide[0], {true, false, 1, 128, 0, 8}}; /* only the first lane's end is in it */
    view(1, 1024 - 4, 0, 512);
    does_all(far, 2, 0);
    /* A load whose place is known says nothing of others. */
    const struct code known[] = {{false, false, 0, 16, 0, 4}, before[0], before[1]};
    view(0, 1024, 0, 512);
    view(1, 1024 + 300, 0, 512);
    does_all(known, 3, 0);
    /* Once for all loads of one buffer; again for each other one. */
    const struct code twice[] = {before[0], before[0], before[1]};
    assert_true(make_program(before, 2));
    const uint32_t once = program.count;
    assert_true(make_program(twice, 3));
    assert_int_equal(program.count, once + 4); /* a place, a load, and a product and a sum of it */
    const struct code unknown[] = {{false, true, 0, 0, 0, 4}, before[1]};
    assert_true(make_program(unknown, 2));
    apart.accesses[0].limit_B = 0;
    assert_false(exec_apart_end(&apart, NUMBER));
}

static void lanes_that_are_to_miss_do(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        program = (struct lane_program){0};
        exec_apart_begin(&apart, &program, LANES);
        const jit_value lane = lane_number(&program);
        exec_apart_miss(&apart, lane_program_eq(&program, lane, lane_program_const(&program, i ? 9 : 12)));
        exec_apart_miss(&apart, lane_program_eq(&program, lane, lane_program_const(&program, i ? 13 : 9)));
        assert_true(exec_apart_end(&apart, NUMBER));
        assert_int_equal(program.insts[program.count - 1].op, JIT_MISS);
        assert_int_equal(program.insts[program.count - 1].imm, NUMBER);
        uint32_t missing = 0;
        for (uint32_t n = 0; n < LANES; n++)
            missing |= one_lane_run(lanes, n, 1, &program, &frame) ? 0 : 1u << n;
        assert_int_equal(missing, i ? 1 << 9 | 1 << 13 : 1 << 9 | 1 << 12);
    }
}

static void more_than_fits_fails(void **state)
{
    (void)state;
    program = (struct lane_program){0};
    exec_apart_begin(&apart, &program, LANES);
    for (uint32_t i = 0; i < EXEC_ACCESSES_MAX; i++)
        exec_apart_access(&apart, &(struct exec_access){.at = 0});
    for (uint32_t i = 0; i < EXEC_WRITES_MAX; i++)
        exec_apart_write(&apart, 0, 0, 0, 0);
    assert_false(program.failed);
    exec_apart_access(&apart, &(struct exec_access){.at = 0});
    assert_true(program.failed);
    program.failed = false;
    exec_apart_write(&apart, 0, 0, 0, 0);
    assert_true(program.failed);
    assert_false(exec_apart_end(&apart, NUMBER));
}

static void what_acts_and_what_it_is_made_of_lives(void **state)
{
    (void)state;
    struct lane_program *p = &program;
    bool is_live[JIT_MAX_INSTS];
    *p = (struct lane_program){0};
    const jit_value at = lane_number(p), unused = lane_program_const(p, 5), value = splat_word(p, 0),
                    yes = splat_word(p, 4);
    const jit_value dead = lane_program_add(p, at, value), missing = splat_word(p, 8);
    const jit_value write = lane_program_emit(p, JIT_WRITE, at, value, yes, 0);
    const jit_value miss = lane_program_emit(p, JIT_MISS, missing, JIT_NONE, JIT_NONE, 0);
    const jit_value row = lane_program_emit(p, JIT_STORE, dead, JIT_NONE, JIT_NONE, 0);
    exec_apart_find_live(p, is_live);
    const jit_value alive[] = {at, value, yes, missing, write, miss}, others[] = {unused, dead, row};
    for (uint32_t i = 0; i < 6; i++)
        assert_true(is_live[alive[i]]);
    for (uint32_t i = 0; i < 3; i++)
        assert_false(is_live[others[i]]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_miss_is_as_in_order),
        cmocka_unit_test(stores_come_later_as_in_order),
        cmocka_unit_test(later_stores_leave_read_rows_alone),
        cmocka_unit_test(own_places_need_no_comparison),
        cmocka_unit_test(what_is_stored_is_not_read_again),
        cmocka_unit_test(lanes_of_a_store_lie_apart),
        cmocka_unit_test(distances_decide_when_it_runs),
        cmocka_unit_test(stores_stay_out_of_buffers),
        cmocka_unit_test(lanes_that_are_to_miss_do),
        cmocka_unit_test(more_than_fits_fails),
        cmocka_unit_test(what_acts_and_what_it_is_made_of_lives),
    };
    for (uint32_t i = 0; i < MEMORY_B; i++)
        initial[i] = (uint8_t)any();
    return cmocka_run_group_tests_name("apart", tests, NULL, NULL);
}
