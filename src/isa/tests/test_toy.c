/* The kernels of a made-up instruction set (toy.py), as any family gets them from src/isa. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "isa/tests/toy.h"

enum {
    D,
    A,
    B,
    C,
    HIGH
}; /* rows; a 64-bit operand is a row and the next one */

static struct toy_wave wave;
static const struct toy_mask all = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
static const struct toy_mask some = {{0xffff0001, 0, UINT32_MAX, 0x00ff00ff}};

static bool has_lane(struct toy_mask mask, uint32_t lane)
{
    return mask.words[lane / 32] >> lane % 32 & 1;
}

static int setup(void **state)
{
    wave = (struct toy_wave){.lanes = TOY_LANES, .active = all, .base = 1000};
    wave.mode = lane_mode_complete((struct lane_mode){.round_f16 = LANE_ROUND_NEAREST});
    for (uint32_t i = 0; i < TOY_LANES; i++) {
        wave.rows[D][i] = 0xdead0000 | i;
        wave.rows[A][i] = i;
        wave.rows[B][i] = 10 - i % 20;
    }
    return 0;
}

static const struct toy_op binary = {.d = D, .s = {A, B, C}};

static void only_active_lanes_are_written(void **state)
{
    wave.active = some;
    toy_add_u(&wave, &binary);
    for (uint32_t i = 0; i < TOY_LANES; i++)
        assert_int_equal(wave.rows[D][i], has_lane(some, i) ? wave.rows[A][i] + wave.rows[B][i] : (0xdead0000 | i));
}

static void floats_round_twice_where_the_meaning_says(void **state)
{
    const float third = 0x1.555556p-2f;
    wave.rows[A][5] = lane_bits_f32(third);
    wave.rows[B][5] = lane_bits_f32(3.0f);
    wave.rows[C][5] = lane_bits_f32(-1.0f);
    toy_mad_f(&wave, &binary);
    assert_int_equal(wave.rows[D][5], lane_bits_f32(third * 3.0f - 1.0f));
    assert_int_equal(wave.rows[D][5], 0); /* a fused one would have the product's error left */
}

static void halves_fill_the_upper_part_with_zeros(void **state)
{
    wave.rows[A][7] = 0x12343c00; /* 1.0, and something above it */
    wave.rows[B][7] = 0xbc00;     /* -1.0 */
    toy_min_h(&wave, &binary);
    assert_int_equal(wave.rows[D][7], 0xbc00);
}

static void own_primitives_and_state(void **state)
{
    toy_twice(&wave, &binary);
    assert_int_equal(wave.rows[D][40], 2 * 40 + 40);
    toy_addi(&wave, &(struct toy_op){.d = D, .s = {A}, .imm = 5});
    assert_int_equal(wave.rows[D][40], 40 + 5 + 1000);
}

static void masks_change_where_lanes_are_active(void **state)
{
    wave.flag = all;
    wave.active = some;
    toy_less(&wave, &binary);
    for (uint32_t i = 0; i < TOY_LANES; i++) {
        bool expected = !has_lane(some, i) || (int32_t)wave.rows[A][i] < (int32_t)wave.rows[B][i];
        assert_int_equal(has_lane(wave.flag, i), expected);
    }
    wave.active = all;
    toy_sel(&wave, &binary);
    for (uint32_t i = 0; i < TOY_LANES; i++)
        assert_int_equal(wave.rows[D][i], has_lane(wave.flag, i) ? wave.rows[A][i] : wave.rows[B][i]);
}

static void wide_operands_are_two_rows(void **state)
{
    const struct toy_op op = {.d = D, .s = {B, A}};
    wave.rows[B][9] = 0xffffffff;
    wave.rows[C][9] = 7; /* the upper half of B */
    toy_wide(&wave, &op);
    assert_int_equal(wave.rows[D][9], 8);
    assert_int_equal(wave.rows[D + 1][9], 8);
}

/* A family fills in the fields of its mode; what follows from them is the room's. */
static void a_mode_is_completed(void **state)
{
    struct lane_mode up = lane_mode_complete((struct lane_mode){.round_f16 = LANE_ROUND_UP});
    assert_int_equal(up.f16_up[0], UINT32_MAX);
    assert_int_equal(up.f16_up[1], 0);
    assert_int_equal(up.f16_nearest, 0);
    assert_true(up.one == 1.0f);
    assert_true(lane_env_of(&up, LANE_FP_F16) != lane_env_of(&wave.mode, LANE_FP_F16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_active_lanes_are_written, setup),
        cmocka_unit_test_setup(floats_round_twice_where_the_meaning_says, setup),
        cmocka_unit_test_setup(halves_fill_the_upper_part_with_zeros, setup),
        cmocka_unit_test_setup(own_primitives_and_state, setup),
        cmocka_unit_test_setup(masks_change_where_lanes_are_active, setup),
        cmocka_unit_test_setup(wide_operands_are_two_rows, setup),
        cmocka_unit_test_setup(a_mode_is_completed, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
