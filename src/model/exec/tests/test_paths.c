/* Ways through programs without loops: random code with branches forward, written as one lane program (paths.h), beside
 * what each lane does alone; and what joins for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/exec/paths.h"
#include "model/exec/tests/one_lane.h"

#define LANES 16u
#define TEMPORARIES 2u
#define REGISTERS 6u
#define MOST_CODE 24u

enum what {
    SUM,
    STORE,
    BRANCH,
    JUMP,
    END
};

struct code {
    enum what what;
    uint8_t d, a, b;
    uint32_t to; /* BRANCH of lanes whose register a is odd, JUMP */
};

struct frame {
    uint8_t *written;
    uint32_t rows[TEMPORARIES + REGISTERS][LANES];
};

static struct lane_program program;
static struct exec_rows rows;
static struct exec_paths paths;
static struct one_lane lanes[LANES];

static uint32_t row_B(uint32_t row)
{
    return (uint32_t)(offsetof(struct frame, rows) + row * LANES * 4);
}

static uint32_t register_B(uint32_t reg)
{
    return row_B(TEMPORARIES + reg);
}

static void begin_case(void)
{
    program = (struct lane_program){0};
    exec_rows_begin(&rows, row_B(0), register_B(0), LANES * 4, TEMPORARIES + REGISTERS);
    exec_paths_begin(&paths, &program, &rows);
}

static jit_value read_register(uint32_t reg)
{
    return exec_rows_read(&rows, &program, register_B(reg));
}

/* Registers are in rows alone: nothing is stored to the frame. */
static void set_register(uint32_t reg, jit_value value)
{
    rows.values[TEMPORARIES + reg] = value;
}

static jit_value is_odd(uint32_t reg)
{
    const jit_value one = lane_program_const(&program, 1);
    return lane_program_eq(&program, lane_program_and(&program, read_register(reg), one), one);
}

static void choose_code(struct code *code, uint32_t count)
{
    for (uint32_t pc = 0; pc < count; pc++) {
        static const uint8_t kinds[] = {SUM, SUM, SUM, STORE, STORE, BRANCH, BRANCH, BRANCH, JUMP, END};
        const bool is_last = pc + 1 == count;
        code[pc] = (struct code){is_last ? END : kinds[below(sizeof(kinds))], (uint8_t)below(REGISTERS),
                                 (uint8_t)below(REGISTERS), (uint8_t)below(REGISTERS), 0};
        if (!is_last)
            code[pc].to = pc + 1 + below(count - pc - 1);
    }
}

static void run_alone(const struct code *code, const struct frame *frame, uint32_t lane,
                      uint32_t written[MOST_CODE][LANES])
{
    uint32_t r[REGISTERS];
    for (uint32_t i = 0; i < REGISTERS; i++)
        r[i] = frame->rows[TEMPORARIES + i][lane];
    for (uint32_t pc = 0; code[pc].what != END;) {
        const struct code *at = &code[pc++];
        if (at->what == SUM)
            r[at->d] = r[at->a] * 3 + r[at->b];
        else if (at->what == STORE)
            written[pc - 1][lane] = r[at->a];
        else if (at->what == JUMP || r[at->a] & 1)
            pc = at->to;
    }
}

/* True: there is more. */
static bool write_one(const struct code *at, uint64_t *pc)
{
    struct lane_program *p = &program;
    *pc += 1;
    if (at->what == SUM) {
        const jit_value thrice = lane_program_mul(p, read_register(at->a), lane_program_const(p, 3));
        set_register(at->d, lane_program_add(p, thrice, read_register(at->b)));
        rows.values[0] = thrice; /* a temporary: not looked at behind its instruction */
    } else if (at->what == STORE) {
        const jit_value place = lane_program_shift_by(p, JIT_SHL, lane_number(p), 2);
        lane_program_emit(p, JIT_WRITE, place, read_register(at->a), exec_paths_lanes(&paths),
                          (uint32_t)((*pc - 1) * LANES * 4) << 16);
    } else if (at->what == BRANCH) {
        exec_paths_part(&paths, at->to, is_odd(at->a));
    } else {
        if (at->what == JUMP)
            exec_paths_jump(&paths, at->to);
        else
            exec_paths_end(&paths);
        assert_true(paths.none_runs);
        const bool is_more = exec_paths_next(&paths, pc);
        assert_int_equal(paths.none_runs, !is_more);
        return is_more;
    }
    return true;
}

static void write_program(const struct code *code)
{
    uint64_t pc = 0;
    begin_case();
    do {
        exec_paths_arrive(&paths, pc);
        if (below(4) == 0) /* as before something that acts on the rows: each lane has what it had */
            exec_paths_settle(&paths);
    } while (write_one(&code[pc], &pc));
}

static void every_lane_goes_its_own_way(void **state)
{
    (void)state;
    uint32_t written = 0;
    for (uint32_t round = 0; round < 2000; round++) {
        struct code code[MOST_CODE];
        struct frame frame;
        static uint32_t wanted[MOST_CODE][LANES], got[MOST_CODE][LANES];
        one_lane_seed = round;
        choose_code(code, 2 + below(MOST_CODE - 1));
        for (uint32_t i = 0; i < (TEMPORARIES + REGISTERS) * LANES; i++)
            frame.rows[i / LANES][i % LANES] = any();
        frame.written = (uint8_t *)got;
        memset(wanted, 0xee, sizeof(wanted));
        memset(got, 0xee, sizeof(got));
        for (uint32_t lane = 0; lane < LANES; lane++)
            run_alone(code, &frame, lane, wanted);
        write_program(code);
        assert_false(program.failed);
        assert_true(one_lane_run(lanes, 0, LANES, &program, &frame));
        if (memcmp(wanted, got, sizeof(got)) != 0)
            fail_msg("program %u: a lane has stored something else", round);
        for (uint32_t i = 0; i < MOST_CODE * LANES; i++)
            written += got[i / LANES][i % LANES] != 0xeeeeeeee;
    }
    assert_in_range(written, 20000, UINT32_MAX);
}

/* A path that waits has no values of its own behind it, and those that wait where nothing is join the next one. */
static void settled_rows_are_of_all(void **state)
{
    (void)state;
    begin_case();
    const jit_value one = lane_program_const(&program, 8), other = lane_program_const(&program, 9);
    set_register(0, one);
    exec_paths_part(&paths, 10, is_odd(3));
    const jit_value taken = paths.waiting[0].lanes;
    set_register(0, other);
    exec_paths_settle(&paths);
    const struct jit_inst *chosen = &program.insts[rows.values[TEMPORARIES]];
    assert_int_equal(chosen->op, JIT_SELECT);
    assert_int_equal(chosen->a, taken);
    assert_int_equal(chosen->b, one);
    assert_int_equal(chosen->c, other);
    assert_memory_equal(paths.waiting[0].values, rows.values, sizeof(rows.values));
    exec_paths_arrive(&paths, 9);
    assert_int_equal(paths.count, 1);
    exec_paths_arrive(&paths, 12);
    assert_int_equal(paths.count, 0);
    assert_int_equal(paths.lanes, JIT_NONE);
}

static uint32_t count_ops(enum jit_op op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program.count; i++)
        count += program.insts[i].op == op;
    return count;
}

/* If lanes are odd; in the middle of that, others; all of those meet again: no boolean is made for it. */
static void both_sides_of_a_branch_are_all(void **state)
{
    (void)state;
    begin_case();
    const jit_value first = is_odd(0), second = is_odd(1);
    exec_paths_part(&paths, 10, first);
    const jit_value outer = paths.lanes;
    exec_paths_part(&paths, 5, second);
    exec_paths_jump(&paths, 6);
    uint64_t pc = 0;
    assert_true(exec_paths_next(&paths, &pc));
    assert_int_equal(pc, 5);
    exec_paths_arrive(&paths, 6);
    assert_int_equal(paths.lanes, outer);
    exec_paths_arrive(&paths, 10);
    assert_int_equal(paths.lanes, JIT_NONE);
    assert_int_equal(paths.count, 0);
    assert_int_equal(count_ops(JIT_OR), 0);
    assert_int_equal(count_ops(JIT_SELECT), 0);
    assert_int_equal(program.insts[exec_paths_lanes(&paths)].imm, UINT32_MAX);
}

/* Of two that wait at one place, too, whichever came first. */
static void sides_that_wait_together_are_all(void **state)
{
    (void)state;
    begin_case();
    exec_paths_part(&paths, 10, is_odd(0));
    exec_paths_jump(&paths, 10);
    assert_int_equal(paths.count, 1);
    assert_int_equal(paths.waiting[0].lanes, JIT_NONE);

    /* Sides of different branches are not. */
    begin_case();
    exec_paths_part(&paths, 10, is_odd(0));
    exec_paths_part(&paths, 10, is_odd(1));
    assert_int_equal(paths.count, 1);
    assert_int_not_equal(paths.waiting[0].lanes, JIT_NONE);
    assert_int_equal(count_ops(JIT_OR), 1);
}

/* Only registers that differ are chosen, and no temporaries. */
static void only_what_differs_is_chosen(void **state)
{
    (void)state;
    begin_case();
    rows.values[0] = rows.values[1] = lane_program_const(&program, 7);
    const jit_value same = lane_program_const(&program, 8), other = lane_program_const(&program, 9);
    set_register(0, same);
    set_register(1, same);
    exec_paths_part(&paths, 10, is_odd(3));
    set_register(1, other);
    rows.values[0] = other;
    exec_paths_arrive(&paths, 10);
    assert_int_equal(count_ops(JIT_SELECT), 1);
    assert_int_equal(rows.values[0], other);
    assert_int_equal(rows.values[TEMPORARIES], same);
    const struct jit_inst *chosen = &program.insts[rows.values[TEMPORARIES + 1]];
    assert_int_equal(chosen->op, JIT_SELECT);
    assert_int_equal(chosen->b, same);
    assert_int_equal(chosen->c, other);
}

static void more_places_than_there_are_fail(void **state)
{
    (void)state;
    begin_case();
    for (uint32_t i = 0; i < EXEC_PATHS_MAX; i++)
        exec_paths_part(&paths, 100 + i, is_odd(i % REGISTERS));
    assert_false(program.failed);
    exec_paths_part(&paths, 100, is_odd(0)); /* a place that is known */
    assert_false(program.failed);
    exec_paths_part(&paths, 99, is_odd(0));
    assert_true(program.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lane_goes_its_own_way), cmocka_unit_test(both_sides_of_a_branch_are_all),
        cmocka_unit_test(settled_rows_are_of_all),     cmocka_unit_test(sides_that_wait_together_are_all),
        cmocka_unit_test(only_what_differs_is_chosen), cmocka_unit_test(more_places_than_there_are_fail),
    };
    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
