/* Registers, loads and stores, and flow: what a stream computes, and where it is wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "util/bits.h"

#define RUN_OK(rig, s)                                                                                                 \
    do {                                                                                                               \
        if (rig_run(rig, s))                                                                                           \
            print_error("%s\n", (rig)->report);                                                                        \
        assert_int_equal((rig)->error, 0);                                                                             \
    } while (0)

#define RUN_FAILS(rig, s, code, text)                                                                                  \
    do {                                                                                                               \
        assert_int_equal(rig_run(rig, s), code);                                                                       \
        if (!strstr((rig)->report, text))                                                                              \
            print_error("%s\n", (rig)->report);                                                                        \
        assert_non_null(strstr((rig)->report, text));                                                                  \
    } while (0)

static void moves_and_sums(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, MOVE, .DESTINATION = 2, .IMMEDIATE = 0xabcd12345678);
    PUT(&s, ADD_IMMEDIATE64, .DESTINATION = 4, .SOURCE = 2, .IMMEDIATE = -0x12345679);
    put_set(&s, 6, 5);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 7, .SOURCE = 6, .IMMEDIATE = -6);
    PUT(&s, UMIN32, .DESTINATION = 8, .SOURCE_1 = 6, .SOURCE_2 = 7);
    put_dump64(&s, 2, 0);
    put_dump64(&s, 4, 8);
    put_dump(&s, 7, 16);
    put_dump(&s, 8, 20);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_qw(rig, 0), 0xabcd12345678);
    assert_int_equal(*rig_qw(rig, 8), 0xabccffffffff);
    assert_int_equal(*rig_dw(rig, 16), UINT32_MAX);
    assert_int_equal(*rig_dw(rig, 20), 5);
}

static void registers_stay_from_job_to_job_of_a_queue(void **state)
{
    struct rig *rig = *state;
    struct stream first = {0}, second = {0};
    put_set(&first, 3, 77);
    RUN_OK(rig, &first);
    put_dump(&second, 3, 0);
    RUN_OK(rig, &second);
    assert_int_equal(*rig_dw(rig, 0), 77);
    struct rig_job other;
    rig_submit(rig, &other, 0, 1, &second);
    assert_int_equal(rig_wait(&other), 0);
    assert_int_equal(*rig_dw(rig, 0), 0); /* another queue of the group */
}

static void masks_leave_no_gaps_in_memory(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (uint32_t i = 0; i < 4; i++)
        rig_dw(rig, 0x100)[i] = 10 + i;
    put_set64(&s, 60, RIG_VA + 0x108);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 33, .MASK = 0x1b, .ADDRESS = 60, .OFFSET = -8);
    put_wait(&s, 1);
    put_set64(&s, 60, RIG_VA + 0x200);
    PUT(&s, STORE_MULTIPLE, .BASE_REGISTER = 33, .MASK = 0x1f, .ADDRESS = 60, .OFFSET = 4);
    put_wait(&s, 1);
    RUN_OK(rig, &s);
    assert_memory_equal(rig_dw(rig, 0x204), ((uint32_t[]){10, 11, 0, 12, 13}), 20);
}

/* A load completes when its slot is waited for, not before; a store, too. */
static void loads_and_stores_complete_later(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_dw(rig, 0x100) = 5;
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2, .OTHER_ENTRY = 3);
    put_set64(&s, 60, RIG_VA + 0x100);
    put_set(&s, 10, 1);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 10, .MASK = 1, .ADDRESS = 60);
    put_wait(&s, 1); /* another slot */
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 11, .SOURCE = 10, .IMMEDIATE = 0);
    put_wait(&s, 8);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 12, .SOURCE = 10, .IMMEDIATE = 0);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2, .OTHER_ENTRY = 0);
    put_dump(&s, 11, 0);
    put_dump(&s, 12, 4);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_dw(rig, 0), 1);
    assert_int_equal(*rig_dw(rig, 4), 5);
}

/* Registers that a store has read may be written again before it is waited for. */
static void stores_have_the_registers_as_they_were(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set64(&s, 60, RIG_VA);
    put_set(&s, 10, 1);
    PUT(&s, STORE_MULTIPLE, .BASE_REGISTER = 10, .MASK = 1, .ADDRESS = 60);
    put_set(&s, 10, 2);
    PUT(&s, STORE_MULTIPLE, .BASE_REGISTER = 10, .MASK = 1, .ADDRESS = 60, .OFFSET = 4);
    put_set(&s, 10, 3);
    put_wait(&s, 1);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_dw(rig, 0), 1);
    assert_int_equal(*rig_dw(rig, 4), 2);
}

static void branches_compare_with_zero(void **state)
{
    static const struct {
        unsigned condition;
        bool negative, zero, positive;
    } rows[] = {
        {MALI_CS_CONDITION_LEQUAL, true, true, false}, {MALI_CS_CONDITION_GREATER, false, false, true},
        {MALI_CS_CONDITION_EQUAL, false, true, false}, {MALI_CS_CONDITION_NEQUAL, true, false, true},
        {MALI_CS_CONDITION_LESS, true, false, false},  {MALI_CS_CONDITION_GEQUAL, false, true, true},
        {MALI_CS_CONDITION_ALWAYS, true, true, true},
    };
    struct rig *rig = *state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct stream s = {0};
        for (int value = -1; value <= 1; value++) {
            unsigned result = 20 + (unsigned)(value + 1);
            put_set(&s, 1, (uint32_t)value);
            put_set(&s, result, 1);
            PUT(&s, BRANCH, .CONDITION = rows[i].condition, .VALUE = 1, .OFFSET = 1);
            put_set(&s, result, 0);
        }
        put_dump(&s, 20, 0);
        put_dump(&s, 21, 4);
        put_dump(&s, 22, 8);
        RUN_OK(rig, &s);
        assert_int_equal(*rig_dw(rig, 0), rows[i].negative);
        assert_int_equal(*rig_dw(rig, 4), rows[i].zero);
        assert_int_equal(*rig_dw(rig, 8), rows[i].positive);
    }
    struct stream s = {0};
    PUT(&s, BRANCH, .CONDITION = 7, .VALUE = 1, .OFFSET = 0);
    RUN_FAILS(rig, &s, -EIO, "there is no condition 7");
}

static void a_loop_counts(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set(&s, 1, 1000);
    put_set(&s, 2, 0);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 2, .SOURCE = 2, .IMMEDIATE = 3);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 1, .SOURCE = 1, .IMMEDIATE = -1);
    PUT(&s, BRANCH, .CONDITION = MALI_CS_CONDITION_GREATER, .VALUE = 1, .OFFSET = -3);
    put_dump(&s, 2, 0);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_dw(rig, 0), 3000);
}

/* Memory that work of the same queue writes is seen at last, although the loop never waits for it. */
static void a_loop_that_looks_at_memory_ends(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_dw(rig, 0x100) = 1;
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2, .OTHER_ENTRY = 3);
    put_set64(&s, 60, RIG_VA + 0x100);
    put_set(&s, 10, 0);
    put_set(&s, 11, 1);
    PUT(&s, STORE_MULTIPLE, .BASE_REGISTER = 10, .MASK = 1, .ADDRESS = 60);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2, .OTHER_ENTRY = 0);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 11, .MASK = 1, .ADDRESS = 60);
    put_wait(&s, 1);
    PUT(&s, BRANCH, .CONDITION = MALI_CS_CONDITION_NEQUAL, .VALUE = 11, .OFFSET = -3);
    RUN_OK(rig, &s);
}

static void calls_return_and_jumps_do_not(void **state)
{
    struct rig *rig = *state;
    struct stream leaf = {0}, middle = {0}, s = {0};
    put_set(&leaf, 3, 30);
    uint64_t leaf_va = rig_place(rig, &leaf);
    put_set64(&middle, 84, leaf_va);
    put_set(&middle, 86, 8 * leaf.count);
    PUT(&middle, JUMP, .ADDRESS = 84, .LENGTH = 86);
    put_set(&middle, 4, 40); /* never reached */
    uint64_t middle_va = rig_place(rig, &middle);
    put_call(&s, middle_va, middle.count);
    put_call(&s, RIG_UNMAPPED_VA, 0); /* nothing is read of an empty stream */
    put_dump(&s, 3, 0);
    put_dump(&s, 4, 4);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_dw(rig, 0), 30);
    assert_int_equal(*rig_dw(rig, 4), 0);
}

static void streams_call_each_other_eight_deep(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set(&s, 3, 1);
    for (unsigned depth = 1; depth <= 8; depth++) {
        uint64_t va = rig_place(rig, &s);
        uint32_t count = s.count;
        s.count = 0;
        put_call(&s, va, count);
        if (depth < 8)
            RUN_OK(rig, &s);
        else
            RUN_FAILS(rig, &s, -EIO, "deeper than 8");
    }
}

static void broken_streams_end_the_job(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    s.words[s.count++] = 0xee00000000000000;
    RUN_FAILS(rig, &s, -EIO, "opcode 238");

    s.count = 0;
    PUT(&s, BRANCH, .CONDITION = MALI_CS_CONDITION_ALWAYS, .OFFSET = -2);
    RUN_FAILS(rig, &s, -EIO, "outside of the stream");

    s.count = 0;
    PUT(&s, MOVE, .DESTINATION = 95);
    RUN_FAILS(rig, &s, -EIO, "there is no register 96");

    s.count = 0;
    PUT(&s, RUN_FULLSCREEN, .DCD = 96);
    RUN_FAILS(rig, &s, -EIO, "there is no register 97");

    s.count = 0;
    PUT(&s, RUN_IDVS, .DRAW_ID_REGISTER_ENABLE = true, .DRAW_ID = 96);
    RUN_FAILS(rig, &s, -EIO, "there is no register 96");

    s.count = 0;
    PUT(&s, RUN_FRAGMENT, .ENABLE_TEM = true);
    RUN_FAILS(rig, &s, -ENOSYS, "tile enable maps");

    s.count = 0;
    PUT(&s, MOVE, .DESTINATION = 3);
    RUN_FAILS(rig, &s, -EIO, "no even register");

    s.count = 0;
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 90, .MASK = 0x40, .ADDRESS = 0);
    RUN_FAILS(rig, &s, -EIO, "there is no register 96");

    s.count = 0;
    put_set64(&s, 0, RIG_VA + 2);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 4, .MASK = 1, .ADDRESS = 0);
    RUN_FAILS(rig, &s, -EIO, "no multiple of 4");

    s.count = 0;
    put_set64(&s, 88, RIG_VA);
    put_set(&s, 90, 12);
    PUT(&s, CALL, .ADDRESS = 88, .LENGTH = 90);
    RUN_FAILS(rig, &s, -EIO, "no multiple of 8 bytes");

    s.count = 0;
    put_set64(&s, 88, RIG_VA);
    PUT(&s, JUMP, .ADDRESS = 88, .LENGTH = 91);
    RUN_FAILS(rig, &s, -EIO, "the ring buffer cannot be left");

    s.count = 0;
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 8);
    RUN_FAILS(rig, &s, -EIO, "no slots 8");

    s.count = 0;
    PUT(&s, PROT_REGION, .SIZE = 8);
    RUN_FAILS(rig, &s, -ENOSYS, "protected mode");

    s.count = 0; /* and the queue goes on afterwards: who loses what is the kernel's business */
    put_set(&s, 3, 1);
    RUN_OK(rig, &s);
}

static void wild_addresses_are_faults(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_call(&s, RIG_UNMAPPED_VA, 1);
    RUN_FAILS(rig, &s, -EFAULT, "command stream: a read of 8 bytes at 0x7f0004000000");
    assert_non_null(strstr(rig->report, "the rig has nothing at"));

    s.count = 0;
    put_set64(&s, 0, RIG_UNMAPPED_VA);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 4, .MASK = 3, .ADDRESS = 0);
    put_wait(&s, 1);
    RUN_FAILS(rig, &s, -EFAULT, "LOAD_MULTIPLE: a read of 8 bytes");
    assert_non_null(strstr(rig->report, "LOAD_MULTIPLE MASK=0x3")); /* the place is the load's, not the wait's */

    s.count = 0;
    put_set64(&s, 0, RIG_UNMAPPED_VA);
    PUT(&s, STORE_MULTIPLE, .BASE_REGISTER = 4, .MASK = 3, .ADDRESS = 0);
    RUN_FAILS(rig, &s, -EFAULT, "STORE_MULTIPLE: a write of 8 bytes");
}

static void a_stream_that_branches_for_ever_is_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    struct rig_job job;
    PUT(&s, BRANCH, .CONDITION = MALI_CS_CONDITION_ALWAYS, .OFFSET = -1);
    rig_submit(rig, &job, 0, 0, &s);
    /* It makes progress for a while, and then none. */
    uint64_t before, after = mali_engine_ops.job_progress(rig->engine, &job.base);
    do {
        before = after;
        struct timespec while_ns = {.tv_nsec = 300000000};
        nanosleep(&while_ns, NULL);
        after = mali_engine_ops.job_progress(rig->engine, &job.base);
    } while (before != after);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    assert_int_equal(rig_wait(&job), -ETIME);
    assert_non_null(strstr(job.report, "BRANCH"));
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(moves_and_sums),
        ROW(registers_stay_from_job_to_job_of_a_queue),
        ROW(masks_leave_no_gaps_in_memory),
        ROW(loads_and_stores_complete_later),
        ROW(stores_have_the_registers_as_they_were),
        ROW(branches_compare_with_zero),
        ROW(a_loop_counts),
        ROW(a_loop_that_looks_at_memory_ends),
        ROW(calls_return_and_jumps_do_not),
        ROW(streams_call_each_other_eight_deep),
        ROW(broken_streams_end_the_job),
        ROW(wild_addresses_are_faults),
        ROW(a_stream_that_branches_for_ever_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
