/* Joined programs (sc/join.h): loops that lanes leave one by one, code that no lane comes to, loops without an end.
 * What they leave are registers (random_join.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane.h"
#include "mali/isa/lane_valhall.h"
#include "mali/model/sc/tests/random_join.h"
#include "mali/model/sc/tests/rig.h"
#include "model/jit.h"
#include "util/tests/host_level_test.h"

static void fill_warp(struct mali_warp *warp)
{
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        mali_warp_row(warp, 0)[i] = i;
}

static uint32_t uniform; /* u0 */

static struct mali_warp *run_filled(const char *source, void (*filled)(struct mali_warp *warp), uint64_t lanes,
                                    bool *stopped_out)
{
    mali_rig_assemble(source, 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.resources_va = RIG_DATA_VA;
    mali_rig.launch.resource_count = 2;
    mali_rig.launch.fau[0] = uniform;
    mali_rig.launch.fau_count = 2;
    mali_rig.launch.blend[0] = (uint64_t)(uint32_t)(RIG_CODE_VA + 0x400) << 32; /* a shader */
    struct mali_core *core = mali_sc_core(mali_rig.queue, 0);
    assert_non_null(core);
    assert_true(mali_sc_enter(core, &mali_rig.launch));
    return random_join_run(core, &mali_rig.launch, filled, lanes, stopped_out);
}

static struct mali_warp *run_program(const char *source, uint64_t lanes, bool *stopped_out)
{
    return run_filled(source, fill_warp, lanes, stopped_out);
}

/* Lane n goes around n & 7 times, and counts the odd rounds. */
static const char rounds[] = "IADD_IMM.i32 r1, 0x0, #0x0\n"
                             "IADD_IMM.i32 r4, 0x0, #0x0\n"
                             "IADD_IMM.i32 r6, 0x0, #0x1\n"
                             "IADD_IMM.i32 r7, 0x0, #0x7\n"
                             "LSHIFT_AND.i32 r2, r0, 0x0.b00, r7\n"
                             "loop: ICMP_OR.u32.eq.m1 r3, r1, r2, 0x0\n"
                             "BRANCHZ.reconverge r3, offset:done\n"
                             "LSHIFT_AND.i32 r3, r1, 0x0.b00, r6\n"
                             "IADD_IMM.i32 r1, r1, #0x1\n"
                             "BRANCHZ.eq.reconverge r3, offset:even\n"
                             "IADD_IMM.i32 r4, r4, #0x1\n"
                             "NOP.reconverge\n"
                             "even: BRANCHZ.eq.reconverge 0x0, offset:loop\n"
                             "done: NOP.end\n";

static void lanes_leave_one_by_one(void **state)
{
    bool stopped;
    (void)state;
    struct mali_warp *warp = run_program(rounds, UINT64_MAX, &stopped);
    assert_false(stopped);
    assert_non_null(warp);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        assert_int_equal(mali_rig_lane(warp, 1, i), i & 7);
        assert_int_equal(mali_rig_lane(warp, 4, i), (i & 7) / 2);
    }
}

static void a_loop_without_an_end_is_killed(void **state)
{
    static const _Atomic bool yes = true;
    char source[sizeof(rounds)];
    bool stopped;
    (void)state;
    memcpy(source, rounds, sizeof(rounds));
    memcpy(strstr(source, "#0x1\nBRANCHZ"), "#0x0", 4); /* no round counts any more */
    mali_rig.queue->killed = &yes;
    assert_null(run_program(source, UINT64_MAX, &stopped));
    assert_true(stopped);
    assert_non_null(strstr(gpu_stop_text(&mali_rig.queue->stop), "the job was killed"));
    mali_rig.queue->killed = NULL;
}

/* Lanes that a warp does not have go round for ever. */
static void lanes_that_are_not_there_are_not_waited_for(void **state)
{
    char source[sizeof(rounds)];
    bool stopped;
    (void)state;
    memcpy(source, rounds, sizeof(rounds));
    memcpy(strstr(source, "#0x1\nBRANCHZ"), "#0x0", 4);
    struct mali_warp *warp = run_program(source, 1, &stopped); /* lane 0 leaves at once */
    assert_false(stopped);
    assert_non_null(warp);
    assert_int_equal(mali_rig_lane(warp, 1, 0), 0);
}

/* Words at a place that is known, inside and outside of a buffer, and at those of the lanes. */
static const char loads[] = "IADD_IMM.i32 r1, 0x0, #0x1000002\n"
                            "IADD_IMM.i32 r3, 0x0, #0x8\n"
                            "IADD_IMM.i32 r4, 0x0, #0x24\n"
                            "LSHIFT_OR.i32 r2, r0, 0x3020100.b22, 0x0\n"
                            "LD_BUFFER.i64.unsigned.slot0 @r8:r9, r3, r1\n"
                            "LD_BUFFER.i64.unsigned.slot0 @r10:r11, r4, r1\n"
                            "LD_BUFFER.i32.unsigned.slot0 @r12, r2, r1\n"
                            "LD_BUFFER.i16.w0.unsigned.slot0 @r13, r3, r1\n"
                            "IADD_IMM.i32 r14, 0x0, #0x50007\n"
                            "LD_BUFFER.i16.unsigned.slot0 @r14, r3, r1\n"
                            "IADD_IMM.i32 r15, 0x0, #0x50007\n"
                            "LD_BUFFER.i16.h1.unsigned.slot0 @r15, r3, r1\n"
                            "NOP.end\n";

static struct mali_warp *run_loads(uint64_t buffer_va)
{
    bool stopped;
    mali_rig_make_buffer(buffer_va);
    struct mali_warp *warp = run_program(loads, UINT64_MAX, &stopped);
    assert_false(stopped);
    return warp;
}

static void words_of_buffers_are_read_before(void **state)
{
    (void)state;
    struct mali_warp *warp = run_loads(RIG_DATA_VA + 1024);
    assert_non_null(warp);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        assert_int_equal(mali_rig_lane(warp, 8, i), 102);
        assert_int_equal(mali_rig_lane(warp, 9, i), 103);
        assert_int_equal(mali_rig_lane(warp, 10, i), 0);
        assert_int_equal(mali_rig_lane(warp, 11, i), 0);
        assert_int_equal(mali_rig_lane(warp, 12, i), i < 10 ? 100 + i : 0);
        assert_int_equal(mali_rig_lane(warp, 13, i), 102);
        assert_int_equal(mali_rig_lane(warp, 14, i), 5 << 16 | 102);
        assert_int_equal(mali_rig_lane(warp, 15, i), 102 << 16 | 7);
    }
}

static void buffers_that_are_not_there_are_for_others(void **state)
{
    (void)state;
    assert_null(run_loads(0x123456789000));
}

/* Around all that a power looks at, and NaNs. */
static const uint32_t edges[] = {0,          0x80000000, 1,          0x3effffff, 0x3f000001, 0xbf000000,
                                 0x4b800001, 0xcb7fffff, 0x4c000000, 0xcc123456, 0x4effffff, 0x4f000000,
                                 0x4f000001, 0xcefbffff, 0xcefc0000, 0xcefc0001, 0xceffffff, 0xcf000000,
                                 0xcf000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345,
                                 0xffc00001, 0x7f800001, 0x4d345678, 0xcd456789, 0x4e999999, 0xcea98765};

static uint32_t edge_of(unsigned lane)
{
    return edges[lane % (sizeof(edges) / sizeof(edges[0]))] + (lane >= 60 ? lane : 0);
}

static void fill_edges(struct mali_warp *warp)
{
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        mali_warp_row(warp, 0)[i] = edge_of(i);
        mali_warp_row(warp, 3)[i] = edge_of(63 - i) ^ i << 28;
    }
}

static uint32_t power_of(const struct mali_warp *warp, int32_t integer, uint32_t bits)
{
    const float x = lane_as_f32_u32(bits);
    if (x >= 0x1p31f || x != x)
        return x != x ? bits : 0x7f800000;
    return x <= -0x1p31f ? 0 : lane_bits_f32(lane_exp2_f32(&warp->lane_mode, (float)integer * 0x1p-24f));
}

static int32_t integer_of(uint32_t bits)
{
    const float x = lane_as_f32_u32(bits);
    return x >= 0x1p31f ? INT32_MAX : x <= -0x1p31f ? INT32_MIN : x == x ? (int32_t)rintf(x) : 0;
}

/* Of a number with its own integer, and with another one. */
static void powers_are_of_integers_and_numbers(void **state)
{
    bool stopped;
    (void)state;
    struct mali_warp *warp = run_filled("F32_TO_S32 r1, r0\n"
                                        "FEXP.f32 r2, r1, r0\n"
                                        "FEXP.f32 r4, r3, r0\n"
                                        "F32_TO_S32 r5, r3\n"
                                        "FEXP.f32 r6, r5, r0\n"
                                        "NOP.end\n",
                                        fill_edges, UINT64_MAX, &stopped);
    assert_non_null(warp);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t bits = edge_of(i);
        const uint32_t other = edge_of(63 - i) ^ i << 28;
        assert_int_equal(mali_rig_lane(warp, 2, i), power_of(warp, integer_of(bits), bits));
        assert_int_equal(mali_rig_lane(warp, 4, i), power_of(warp, (int32_t)other, bits));
        assert_int_equal(mali_rig_lane(warp, 6, i), power_of(warp, integer_of(other), bits));
    }
}

static uint32_t fraction_edge(unsigned lane)
{
    return lane < 30 ? edge_of(lane) : 0x3d000000 + lane * 0x123457;
}

static void fill_fractions(struct mali_warp *warp)
{
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        mali_warp_row(warp, 0)[i] = fraction_edge(i);
}

/* FREXPE.log and FADD_LSCALE of -1: the exponent for a fraction from 0.75 to 1.5, and that without 1. */
static int32_t near_exponent(float x, float *fraction_out)
{
    int exponent = 0;
    *fraction_out = x;
    if (x == 0 || x != x || isinf(x))
        return x == 0 ? -1 : 0;
    *fraction_out = 2 * frexpf(x, &exponent);
    exponent--;
    if (fabsf(*fraction_out) < 1.5f)
        return exponent;
    *fraction_out /= 2;
    return exponent + 1;
}

static void expect_float(struct mali_warp *warp, unsigned reg, unsigned lane, float wanted)
{
    const float found = lane_as_f32_u32(mali_rig_lane(warp, reg, lane));
    assert_true((found != found && wanted != wanted) || lane_bits_f32(found) == lane_bits_f32(wanted));
}

/* A clamped value is known to be a number; a sum is known to be no signalling NaN. */
static void logarithms_are_of_all_numbers(void **state)
{
    bool stopped;
    (void)state;
    struct mali_warp *warp = run_filled("FADD.f32.clamp_0_1 r1, r0, 0x0.neg\n"
                                        "FREXPE.f32.log r2, r1\n"
                                        "FADD_LSCALE.f32 r3, 0x3F800000.neg, r1\n"
                                        "FLOGD.f32 r4, r1\n"
                                        "FADD.f32 r5, r0, 0x0.neg\n"
                                        "FREXPE.f32.log r6, r5\n"
                                        "FADD_LSCALE.f32 r7, 0x3F800000.neg, r5\n"
                                        "FLOGD.f32 r8, r5\n"
                                        "FREXPE.f32.log r9, r0\n"
                                        "FADD_LSCALE.f32 r10, 0x3F800000.neg, r0\n"
                                        "FLOGD.f32 r11, r0\n"
                                        "NOP.end\n",
                                        fill_fractions, UINT64_MAX, &stopped);
    assert_non_null(warp);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const float x = lane_as_f32_u32(fraction_edge(i)), unit = x > 0 ? x < 1 ? x : 1 : 0;
        for (unsigned n = 0; n < 3; n++) {
            const float of = n ? x : unit;
            float fraction;
            assert_int_equal((int32_t)mali_rig_lane(warp, 2 + 4 * n - n / 2, i), near_exponent(of, &fraction));
            expect_float(warp, 3 + 4 * n - n / 2, i, fraction - 1);
            expect_float(warp, 4 + 4 * n - n / 2, i, mali_lane_log_slope_f32(of));
        }
    }
}

/* A power of two by a uniform is one factor: where that is no float, the program is for others. */
static void uniforms_are_exponents(void **state)
{
    static const char source[] = "MOV.i32 r2, u0\nFMA_RSCALE.f32 r1, r0, 0x3F800000, 0x0.neg, r2\nNOP.end\n";
    static const int32_t exponents[] = {24, -126, 127, -127, 128};
    bool stopped;
    (void)state;
    for (unsigned n = 0; n < sizeof(exponents) / sizeof(exponents[0]); n++) {
        uniform = (uint32_t)exponents[n];
        struct mali_warp *warp = run_filled(source, fill_fractions, UINT64_MAX, &stopped);
        assert_int_equal(warp != NULL, n < 3);
        for (unsigned i = 0; warp && i < MALI_ROW_LANES; i++)
            expect_float(warp, 1, i, ldexpf(lane_as_f32_u32(fraction_edge(i)), exponents[n]));
    }
    uniform = 0;
}

static bool is_apart(const char *source)
{
    bool stopped;
    assert_non_null(run_program(source, UINT64_MAX, &stopped));
    return random_join_was_apart();
}

/* Pixels go without their quads only if no lane looks at another one, nor at its own number. */
static void programs_say_whether_lanes_are_apart(void **state)
{
    (void)state;
    assert_true(is_apart("FADD.f32 r1, r0, r0\n"
                         "NOP.end\n"));
    assert_true(is_apart(rounds));
    assert_false(is_apart("CLPER.i32 r1, r0, r2.b00\n"
                          "NOP.end\n"));
    assert_false(is_apart("IADD.u32 r1, lane_id.w0, r0\n"
                          "NOP.end\n"));
    assert_true(is_apart("IADD.u32 r1, r2, r0\n" /* after those that are not */
                         "NOP.end\n"));
}

/* Lanes that differ read of others that do not run: only where all do it is host code. */
static void quads_are_host_code_where_all_lanes_run(void **state)
{
    static const uint8_t from[4] = {1, 0, 3, 2}, third[4] = {2, 2, 2, 2}, pair[4] = {1, 1, 3, 3};
    bool stopped;
    (void)state;
    struct mali_warp *warp = run_program("CLPER.i32.subgroup4.xor r1, r0, 0x3020100.b11\n"
                                         "CLPER.i32.subgroup4 r2, r0, 0x3020100.b22\n"
                                         "CLPER.i32.subgroup2 r3, r0, 0x3020100.b11\n"
                                         "NOP.end\n",
                                         0xfff0, &stopped);
    assert_non_null(warp);
    assert_int_equal(random_join_pieces(), 1);
    for (unsigned i = 4; i < 16; i++) {
        assert_int_equal(mali_rig_lane(warp, 1, i), (i & ~3u) + from[i % 4]);
        assert_int_equal(mali_rig_lane(warp, 2, i), (i & ~3u) + third[i % 4]);
        assert_int_equal(mali_rig_lane(warp, 3, i), (i & ~3u) + pair[i % 4]);
    }
    warp = run_program("IADD_IMM.i32 r2, 0x0, #0x1\n"
                       "IADD_IMM.i32 r1, 0x0, #0x7\n"
                       "LSHIFT_AND.i32 r2, r0, 0x0.b00, r2\n"
                       "BRANCHZ.eq.reconverge r2, offset:done\n"
                       "CLPER.i32.subgroup4.xor r1, r0, 0x3020100.b11\n"
                       "NOP.reconverge\n"
                       "done: NOP.end\n",
                       UINT64_MAX, &stopped);
    assert_non_null(warp);
    assert_true(random_join_pieces() > 1);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        assert_int_equal(mali_rig_lane(warp, 1, i), i % 2 ? 0 : 7);
}

/* The address of one is in its descriptor, where to go back to is in a register: both are known, so the code of both is
 * one piece. The second call does not come back. */
static void blend_shaders_are_called(void **state)
{
    bool stopped;
    (void)state;
    mali_rig_assemble("IADD_IMM.i32 r8, r8, #0x5\n"
                      "IADD_IMM.i32 r9, 0x0, #0x9\n"
                      "BRANCHZI.absolute.end r48, r48\n",
                      0x400);
    struct mali_warp *warp = run_program("IADD_IMM.i32 r8, 0x0, #0x1\n"
                                         "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"
                                         "IADD_IMM.i32 r48, program_counter.w0, #0x8\n"
                                         "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
                                         "IADD_IMM.i32 r8, r8, #0x10\n"
                                         "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"
                                         "IADD_IMM.i32 r48, 0x0, #0x0\n"
                                         "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
                                         "IADD_IMM.i32 r8, 0x0, #0x77\n"
                                         "NOP.end\n",
                                         UINT64_MAX, &stopped);
    assert_non_null(warp);
    assert_int_equal(random_join_pieces(), 1);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        assert_int_equal(mali_rig_lane(warp, 8, i), 0x1b);
        assert_int_equal(mali_rig_lane(warp, 9, i), 9);
    }
}

static void calls_by_lanes_are_not_joined(void **state)
{
    bool stopped;
    (void)state;
    mali_rig_assemble("BRANCHZI.absolute.end r48, r48\n", 0x400);
    assert_null(run_program("IADD_IMM.i32 r7, 0x0, #0x20\n"
                            "IADD_IMM.i32 r48, program_counter.w0, #0x18\n"
                            "CSEL.u32.lt r48, r0, r7, r48, 0x0\n" /* only some have an address to return to */
                            "IADD_IMM.i32 r6, 0x0, #0x400\n"
                            "BRANCHZI.eq.absolute 0x0, r6\n"
                            "NOP.end\n",
                            UINT64_MAX, &stopped));
    assert_false(stopped);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lanes_leave_one_by_one, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(powers_are_of_integers_and_numbers, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(uniforms_are_exponents, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(logarithms_are_of_all_numbers, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(programs_say_whether_lanes_are_apart, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(quads_are_host_code_where_all_lanes_run, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(blend_shaders_are_called, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(calls_by_lanes_are_not_joined, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(words_of_buffers_are_read_before, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(buffers_that_are_not_there_are_for_others, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(a_loop_without_an_end_is_killed, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(lanes_that_are_not_there_are_not_waited_for, mali_rig_setup, mali_rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
