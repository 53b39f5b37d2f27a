/* Performance counters of the command processor and the shader core, through the engine's interface. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_perf.h"
#include "amd/model/cp/tests/cp_rig.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))

/* Thread t writes s3 at data[t]: two instructions of vectors, a store, the end. */
static const uint32_t group_program[] = {0x34040082, 0x7e020203, 0xdc708000, 0x00000102, 0xbf810000};

#define PROGRAM_B 0x40000
#define DATA_B 0x50000
#define TO_ALL 0xe0000000u

enum event {
    EVENT_WAVES = 0x04,
    EVENT_INSTRUCTIONS = 0x31,
    EVENT_SALU = 0x3c,
    EVENT_VALU = 0x40,
    EVENT_STORES = 0x46,
    EVENT_VALU_CYCLES = 0x75,
};

static void put_control(struct stream *s, uint32_t state)
{
    put_uconfig(s, AMD_REG_CP_PERFMON_CNTL, state);
}

static void put_read(struct stream *s, uint32_t low_reg, uint32_t offset_B)
{
    PUT(s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_PERF, .SRC_REG = low_reg / 4, .COUNT_64 = true,
        .DST_SEL = AMD_COPY_DST_TC_L2, .DST_ADDR = RIG_VA + offset_B);
}

static void put_dispatch(struct stream *s, uint32_t groups)
{
    PUT(s, DISPATCH_DIRECT, .DIM_X = groups, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
}

/* All stages are counted, and these events by the first counters. */
static void begin_case(struct rig *rig, struct stream *s, const uint16_t *events, uint32_t count)
{
    memcpy(rig->map + PROGRAM_B, group_program, sizeof(group_program));
    put_program(s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    put_control(s, AMD_PERFMON_STATE_DISABLE_AND_RESET);
    put_uconfig(s, AMD_REG_SQ_PERFCOUNTER_CTRL, 0x7f);
    for (uint32_t i = 0; i < count; i++)
        put_uconfig(s, AMD_REG_SQ_PERFCOUNTER_SELECT + 4 * i, events[i] | 15u << 12);
    put_sh(s, AMD_REG_COMPUTE_PERFCOUNT_ENABLE, 1);
}

static void the_shader_core_counts_what_it_executes(void **state)
{
    static const uint16_t events[] = {EVENT_WAVES, EVENT_INSTRUCTIONS, EVENT_VALU,
                                      EVENT_SALU,  EVENT_STORES,       EVENT_VALU_CYCLES};
    static const uint64_t expected[] = {5, 20, 10, 0, 5, 20}; /* of five waves of 64 lanes */
    struct rig *rig = *state;
    struct stream s = {0};
    begin_case(rig, &s, events, 6);
    put_dispatch(&s, 3); /* before it is asked to */
    put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
    put_dispatch(&s, 5);
    put_control(&s, AMD_PERFMON_STATE_STOP_COUNTING);
    put_dispatch(&s, 9);
    for (uint32_t i = 0; i < 6; i++)
        put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO + 8 * i, 8 * i);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(*rig_qw(rig, 8 * i), expected[i]);
}

static void counts_go_on_until_they_are_reset(void **state)
{
    static const uint16_t events[] = {EVENT_WAVES};
    struct rig *rig = *state;
    struct stream s = {0};
    begin_case(rig, &s, events, 1);
    for (uint32_t i = 0; i < 2; i++) {
        put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
        put_dispatch(&s, 4);
        put_control(&s, AMD_PERFMON_STATE_STOP_COUNTING);
        put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO, 8 * i);
    }
    put_control(&s, AMD_PERFMON_STATE_DISABLE_AND_RESET);
    put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO, 16);
    *rig_qw(rig, 16) = 77;
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 0), 4);
    assert_int_equal(*rig_qw(rig, 8), 8);
    assert_int_equal(*rig_qw(rig, 16), 0);
}

/* Stages, and dispatches, have switches of their own. */
static void what_is_switched_off_is_not_counted(void **state)
{
    static const uint16_t events[] = {EVENT_WAVES};
    struct rig *rig = *state;
    for (uint32_t off = 0; off < 2; off++) {
        struct stream s = {0};
        begin_case(rig, &s, events, 1);
        if (off == 0)
            put_uconfig(&s, AMD_REG_SQ_PERFCOUNTER_CTRL, 0x3f);
        else
            put_sh(&s, AMD_REG_COMPUTE_PERFCOUNT_ENABLE, 0);
        put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
        put_dispatch(&s, 4);
        put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO, 0);
        *rig_qw(rig, 0) = 77;
        assert_int_equal(rig_run_gfx(rig, &s), 0);
        assert_int_equal(*rig_qw(rig, 0), 0);
    }
}

/* All counts are the first engine's, so that a sum over engines is the count; other registers are all engines'. */
static void the_first_engine_has_all_counts(void **state)
{
    static const uint16_t events[] = {EVENT_WAVES};
    struct rig *rig = *state;
    struct stream s = {0}, other = {0};
    begin_case(rig, &s, events, 1);
    put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
    put_dispatch(&s, 6);
    for (uint32_t engine = 0; engine < 4; engine++) {
        put_uconfig(&s, AMD_REG_GRBM_GFX_INDEX, 1u << 29 | engine << 16);
        put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO, 8 * engine);
    }
    put_uconfig(&s, AMD_REG_GRBM_GFX_INDEX, TO_ALL);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (uint32_t engine = 0; engine < 4; engine++)
        assert_int_equal(*rig_qw(rig, 8 * engine), engine ? 0 : 6);
    put_uconfig(&other, AMD_REG_GRBM_GFX_INDEX, 1u << 29);
    put_sh(&other, AMD_REG_COMPUTE_PERFCOUNT_ENABLE, 1);
    assert_int_equal(rig_run_gfx(rig, &other), -ENOSYS);
    assert_report(rig, "for one engine");
}

/* 64 lanes of five waves store a word each: requests that all miss, and what is written in pieces of 32 bytes. */
static void requests_go_to_memory(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    begin_case(rig, &s, NULL, 0);
    put_uconfig(&s, AMD_REG_GL2C_PERFCOUNTER0_SELECT, 0x03);
    put_uconfig(&s, AMD_REG_GL2C_PERFCOUNTER1_SELECT, 0x2b);
    put_uconfig(&s, AMD_REG_GL2C_PERFCOUNTER2_SELECT, 0x53);
    put_uconfig(&s, AMD_REG_GL2C_PERFCOUNTER3_SELECT, 0x63);
    put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
    put_dispatch(&s, 5);
    for (uint32_t i = 0; i < 4; i++)
        put_read(&s, AMD_REG_GL2C_PERFCOUNTER_LO + 8 * i, 8 * i);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 0), 320);
    assert_int_equal(*rig_qw(rig, 8), 320);
    assert_int_equal(*rig_qw(rig, 16), 40);
    assert_int_equal(*rig_qw(rig, 24), 0);
}

static void cycles_pass(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    begin_case(rig, &s, NULL, 0);
    put_uconfig(&s, AMD_REG_GRBM_PERFCOUNTER_SELECT + 4, 2);
    put_control(&s, AMD_PERFMON_STATE_START_COUNTING);
    put_read(&s, AMD_REG_GRBM_PERFCOUNTER_LO + 12, 0);
    put_dispatch(&s, 2);
    put_control(&s, AMD_PERFMON_STATE_STOP_COUNTING);
    put_read(&s, AMD_REG_GRBM_PERFCOUNTER_LO + 12, 8);
    put_dispatch(&s, 2);
    put_read(&s, AMD_REG_GRBM_PERFCOUNTER_LO + 12, 16);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_true(*rig_qw(rig, 8) > *rig_qw(rig, 0));
    assert_int_equal(*rig_qw(rig, 16), *rig_qw(rig, 8)); /* it has stopped */
}

static void events_that_are_not_modelled_stop(void **state)
{
    static const uint16_t events[] = {0x1ff};
    struct rig *rig = *state;
    struct stream s = {0}, none = {0};
    begin_case(rig, &s, events, 1);
    put_read(&s, AMD_REG_SQ_PERFCOUNTER_LO, 0);
    assert_int_equal(rig_run_gfx(rig, &s), -ENOSYS);
    assert_report(rig, "SQ for event 0x1ff");
    put_read(&none, 0x34f00, 0);
    assert_int_equal(rig_run_gfx(rig, &none), -ENOSYS);
    assert_report(rig, "0x34f00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_shader_core_counts_what_it_executes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(counts_go_on_until_they_are_reset, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(what_is_switched_off_is_not_counted, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(the_first_engine_has_all_counts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(requests_go_to_memory, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(cycles_pass, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(events_that_are_not_modelled_stop, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
