/* Strict mode: what waits for its slots runs, what does not stops with the register and the slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/model/sc/tests/rig.h"

static bool run_program(const char *source, enum mali_stage stage, const struct mali_warp_hooks *hooks)
{
    mali_rig_assemble(source, 0);
    mali_rig_launch(stage);
    mali_rig.launch.hooks = hooks;
    mali_rig.launch.fau_count = 2;
    mali_rig.launch.fau[0] = (uint32_t)RIG_DATA_VA;
    mali_rig.launch.fau[1] = RIG_DATA_VA >> 32;
    return mali_sc_run(mali_rig_begin());
}

static bool alpha_test(struct mali_warp *warp, const uint32_t *coverage, const uint32_t *alpha, uint32_t datum,
                       uint32_t *coverage_out, uint64_t lanes)
{
    (void)warp, (void)coverage, (void)alpha, (void)datum, (void)coverage_out, (void)lanes;
    return true;
}

static const struct mali_warp_hooks hooks = {.alpha_test = alpha_test};

static void programs_that_wait_run(void **state)
{
    static const char *const programs[] = {
        /* The instruction that starts the message may wait for it itself. */
        "LOAD.i32.unsigned.slot0.wait0 @r8, u0, offset:0\nMOV.i32 r9, r8\nNOP.end\n",
        "LOAD.i32.unsigned.slot1 @r8, u0, offset:0\nMOV.i32 r9, r1\nNOP.wait1\nMOV.i32 r9, r8\nNOP.end\n",
        "LOAD.i32.unsigned.slot2 @r8, u0, offset:0\nNOP.wait\nMOV.i32 r8, r1\nNOP.end\n",
        /* A register that a store reads may be written at once. */
        "STORE.i32.slot0 @r8, u0, offset:0\nMOV.i32 r8, r1\nNOP.end\n",
        /* On both ways of a branch. */
        ("LOAD.i32.unsigned.slot0 @r8, u0, offset:0\nBRANCHZ.eq.reconverge r0, offset:1\nNOP.wait0\nNOP.reconverge\n"
         "NOP.wait0\nMOV.i32 r9, r8\nNOP.end\n"),
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (!run_program(programs[i], MALI_STAGE_COMPUTE, NULL))
            fail_msg("%u: %s", i, gpu_stop_text(&mali_rig.queue->stop));
    }
    assert_true(run_program("NOP.wait0126\nATEST.wait @r60, r60, r0, atest_datum.w0\nMOV.i32 r1, r60\nNOP.end\n",
                            MALI_STAGE_FRAGMENT, &hooks));
}

static void expect_stop(const char *source, enum mali_stage stage, const char *why)
{
    assert_false(run_program(source, stage, &hooks));
    assert_int_equal(mali_rig.queue->stop.kind, GPU_STOP_STRICT);
    if (!strstr(gpu_stop_text(&mali_rig.queue->stop), why))
        fail_msg("%s", gpu_stop_text(&mali_rig.queue->stop));
}

static void a_read_stops(void **state)
{
    (void)state;
    expect_stop("LOAD.i64.unsigned.slot1 @r8:r9, u0, offset:0\nNOP.wait0\nMOV.i32 r10, r9\nNOP.end\n",
                MALI_STAGE_COMPUTE, "r9 is read before slot 1");
}

static void a_write_stops(void **state)
{
    (void)state;
    expect_stop("LOAD.i32.unsigned.slot0 @r8, u0, offset:0\nMOV.i32 r8, r9\nNOP.end\n", MALI_STAGE_COMPUTE,
                "r8 is written before slot 0");
}

static void an_address_stops(void **state)
{
    (void)state;
    expect_stop("LOAD.i32.unsigned.slot0 @r9, u0, offset:0\nSTORE.i32.slot0 @r0, r8, offset:0\nNOP.end\n",
                MALI_STAGE_COMPUTE, "r9 is read before slot 0");
}

static void one_way_of_a_branch_stops(void **state)
{
    (void)state;
    /* Lane 0 jumps over the wait. */
    expect_stop(
        "LOAD.i32.unsigned.slot0 @r8, u0, offset:0\nBRANCHZ.eq.reconverge r0, offset:2\nNOP.wait0\nNOP.reconverge\n"
        "MOV.i32 r9, r8\nNOP.end\n",
        MALI_STAGE_COMPUTE, "r8 is read before slot 0");
}

static void an_early_test_stops(void **state)
{
    (void)state;
    expect_stop("NOP.wait012\nATEST.wait @r60, r60, r0, atest_datum.w0\nNOP.end\n", MALI_STAGE_FRAGMENT,
                "before slot 6");
}

static void a_uniform_that_is_not_there_stops(void **state)
{
    (void)state;
    expect_stop("MOV.i32 r0, u2\nNOP.end\n", MALI_STAGE_COMPUTE, "u2 is read, of 2");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, mali_rig_setup, mali_rig_teardown)

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        CASE(programs_that_wait_run),
        CASE(a_read_stops),
        CASE(a_write_stops),
        CASE(an_address_stops),
        CASE(an_early_test_stops),
        CASE(one_way_of_a_branch_stops),
        CASE(a_uniform_that_is_not_there_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
