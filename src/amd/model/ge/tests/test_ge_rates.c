/* Shading rates: how large the pixels are that a shader runs for, and what it finds there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/regs_pa.h"
#include "amd/model/ge/tests/ge_rig.h"
#include "util/tests/host_level_test.h"

/* v0, v1: the centre's weights; v2, v3: the place; v4: the ancillary word. */
static const char place_text[] = "v_bfe_u32 v4, v4, 2, 4\n"
                                 "v_cvt_f32_u32 v4, v4\n"
                                 "v_mov_b32 v5, 1.0\n"
                                 "exp mrt0 v2, v3, v4, v5 done vm\n"
                                 "s_endpgm\n";

/* The place of each pixel's shader, interpolated: param0 is the vertex's position in clip space. */
static const char attribute_text[] = "s_mov_b32 m0, s0\n"
                                     "v_interp_p1_f32 v6, v0, attr0.x\n"
                                     "v_interp_p2_f32 v6, v1, attr0.x\n"
                                     "v_interp_p1_f32 v7, v0, attr0.y\n"
                                     "v_interp_p2_f32 v7, v1, attr0.y\n"
                                     "v_mov_b32 v5, 1.0\n"
                                     "exp mrt0 v6, v7, v5, v5 done vm\n"
                                     "s_endpgm\n";

/* Pixels whose shader stands left of pixel 33 are killed. */
static const char kill_text[] = "v_cmp_lt_f32 vcc, 0x42040000, v2\n"
                                "s_and_b64 exec, exec, vcc\n"
                                "v_mov_b32 v5, 1.0\n"
                                "exp mrt0 v2, v3, v4, v5 done vm\n"
                                "s_endpgm\n";

static void begin_case(struct ge_rig *rig, const char *text)
{
    ge_rig_begin(rig, 2);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true,
        .ANCILLARY_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true,
        .ANCILLARY_ENA = true);
    SET(VGT_DRAW_PAYLOAD_CNTL, .EN_VRS_RATE = true);
}

static void set_rate(struct ge_rig *rig, unsigned x_log2, unsigned y_log2)
{
    SET(GE_VRS_RATE, .RATE_X = x_log2, .RATE_Y = y_log2);
}

static void expect_rate(struct ge_rig *rig, unsigned x_log2, unsigned y_log2)
{
    struct ge_result result;
    assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const float *texel = ge_rig_texel(rig, x, y);
            assert_float_equal(texel[0], (float)(x >> x_log2 << x_log2) + (float)(1 << x_log2) / 2, 0);
            assert_float_equal(texel[1], (float)(y >> y_log2 << y_log2) + (float)(1 << y_log2) / 2, 0);
            assert_float_equal(texel[2], (float)(x_log2 | y_log2 << 2), 0);
            assert_float_equal(texel[3], 1, 0);
        }
    }
}

/* All pixels of a coarse one have the colour of one shader, which stands in its middle and knows its size. */
static void test_draw_rates(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    begin_case(rig, place_text);
    for (unsigned rate = 0; rate < 4; rate++) {
        set_rate(rig, rate & 1, rate >> 1);
        expect_rate(rig, rate & 1, rate >> 1);
    }
    SET(VGT_DRAW_PAYLOAD_CNTL, .EN_VRS_RATE = false); /* the register is not looked at */
    expect_rate(rig, 0, 0);
    ge_rig_end(rig);
}

/* With a rate of 1 by 1 for what is not exported. */
static void test_combiners(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    begin_case(rig, place_text);
    set_rate(rig, 1, 1);
    SET(PA_CL_VRS_CNTL, .VERTEX_RATE_COMBINER_MODE = AMD_VRS_COMBINER_MAX);
    expect_rate(rig, 1, 1);
    SET(PA_CL_VRS_CNTL, .VERTEX_RATE_COMBINER_MODE = AMD_VRS_COMBINER_SATURATE);
    expect_rate(rig, 1, 1);
    SET(PA_CL_VRS_CNTL, .VERTEX_RATE_COMBINER_MODE = AMD_VRS_COMBINER_MIN);
    expect_rate(rig, 0, 0);
    SET(PA_CL_VS_OUT_CNTL, .BYPASS_VTX_RATE_COMBINER = true);
    expect_rate(rig, 1, 1);
    SET(PA_CL_VRS_CNTL, .PRIMITIVE_RATE_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE);
    expect_rate(rig, 0, 0);
    SET(PA_CL_VRS_CNTL, .HTILE_RATE_COMBINER_MODE = AMD_VRS_COMBINER_MIN);
    expect_rate(rig, 0, 0);
    ge_rig_end(rig);
}

/* The last combiner makes pixels small; a coarser rate that it asks for is left to whoever shades. */
static void test_last_combiner(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    begin_case(rig, place_text);
    set_rate(rig, 1, 0);
    SET(DB_VRS_OVERRIDE_CNTL, .VRS_OVERRIDE_RATE_COMBINER_MODE = AMD_VRS_COMBINER_MIN);
    expect_rate(rig, 0, 0);
    SET(DB_VRS_OVERRIDE_CNTL, .VRS_OVERRIDE_RATE_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE, .VRS_OVERRIDE_RATE_X = 1,
        .VRS_OVERRIDE_RATE_Y = 1);
    expect_rate(rig, 1, 0);
    SET(DB_VRS_OVERRIDE_CNTL, .VRS_OVERRIDE_RATE_COMBINER_MODE = AMD_VRS_COMBINER_PASSTHRU);
    SET(DB_RENDER_OVERRIDE2, .FORCE_VRS_RATE_FINE = true);
    expect_rate(rig, 0, 0);
    ge_rig_end(rig);
}

/* Sample shading is a rate that is finer than a pixel, though there be one sample. */
static void test_iterations(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    begin_case(rig, place_text);
    set_rate(rig, 1, 1);
    SET(PA_SC_MODE_CNTL_1, .PS_ITER_SAMPLE = true);
    SET(PA_CL_VRS_CNTL, .SAMPLE_ITER_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE);
    expect_rate(rig, 0, 0);
    SET(PA_CL_VRS_CNTL, .SAMPLE_ITER_COMBINER_MODE = AMD_VRS_COMBINER_PASSTHRU);
    expect_rate(rig, 1, 1);
    SET(PA_SC_MODE_CNTL_1, .PS_ITER_SAMPLE = false);
    SET(PA_CL_VRS_CNTL, .SAMPLE_ITER_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE);
    expect_rate(rig, 1, 1);
    ge_rig_end(rig);
}

static void test_interpolation(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin_case(rig, attribute_text);
    set_rate(rig, 1, 1);
    assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const float *texel = ge_rig_texel(rig, x, y);
            assert_true(fabsf(texel[0] - ((float)(x & ~1u) + 1) / (SIZE / 2) + 1) < 1e-4f);
            assert_true(fabsf(fabsf(texel[1]) - fabsf(((float)(y & ~1u) + 1) / (SIZE / 2) - 1)) < 1e-4f);
        }
    }
    ge_rig_end(rig);
}

/* A coarse pixel that is killed is so with all it has; pixels beyond the scissor are not touched. */
static void test_kill_and_scissor(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin_case(rig, kill_text);
    set_rate(rig, 1, 0);
    SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = 37, .BR_Y = 9);
    SET(DB_SHADER_CONTROL, .Z_ORDER = AMD_Z_ORDER_EARLY_Z_THEN_LATE_Z, .KILL_ENABLE = true);
    assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    for (uint32_t y = 0; y < 12; y++) {
        for (uint32_t x = 28; x < 40; x++)
            assert_float_equal(ge_rig_texel(rig, x, y)[3], x >= 34 && x < 37 && y < 9, 0);
    }
    ge_rig_end(rig);
}

/* Rates that are not modelled stop. */
static void test_stops(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin_case(rig, place_text);
    set_rate(rig, 2, 0);
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_non_null(strstr(result.why, "GE_VRS_RATE"));
    set_rate(rig, 1, 0);
    SET(SPI_BARYC_CNTL, .POS_FLOAT_LOCATION = 2);
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_non_null(strstr(result.why, "SPI_BARYC_CNTL"));
    ge_rig_end(rig);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draw_rates),    cmocka_unit_test(test_combiners),
        cmocka_unit_test(test_last_combiner), cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_interpolation), cmocka_unit_test(test_kill_and_scissor),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
