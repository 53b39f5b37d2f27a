/* Pixel programs that run as one piece of code with what becomes of their colours: they do what their instructions
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/regs_pa.h"
#include "amd/model/ge/tests/ge_rig.h"
#include "util/tests/host_level_test.h"

#define DRAWS 100 /* the first of them are interpreted */

/* v2, v3: the place. Every pixel's first two channels must be 0.5 and 1. */
static void expect_of_all(const char *text)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true);
    for (uint32_t i = 0; i < DRAWS; i++)
        assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            assert_float_equal(ge_rig_texel(rig, x, y)[0], 0.5f, 0);
            assert_float_equal(ge_rig_texel(rig, x, y)[1], 1, 0);
        }
    }
    ge_rig_end(rig);
}

/* Scalar instructions do not ask for active lanes: what stands between two changes of exec, without a branch, is run by
 * waves that have none there. s8 is read before, so that it cannot change ahead of all waves. */
static void test_scalar_under_an_empty_mask(void **state)
{
    expect_of_all("s_mov_b32 s8, 0.5\n"
                  "v_mov_b32 v6, s8\n"
                  "v_cmp_lt_f32 vcc, 0x42040000, v2\n"
                  "s_and_saveexec_b64 s[10:11], vcc\n"
                  "s_mov_b32 s8, 1.0\n"
                  "s_mov_b64 exec, s[10:11]\n"
                  "v_mov_b32 v7, s8\n"
                  "v_mov_b32 v5, 1.0\n"
                  "exp mrt0 v6, v7, v5, v5 done vm\n"
                  "s_endpgm\n");
}

/* Scalars under an empty mask within a branch that some waves take and others do not. */
static void test_scalar_under_an_empty_mask_of_a_branch(void **state)
{
    expect_of_all("s_mov_b32 s8, 0.5\n"
                  "v_mov_b32 v6, s8\n"
                  "v_mov_b32 v7, 1.0\n"
                  "v_cmp_lt_f32 vcc, 0x41840000, v2\n"
                  "s_and_saveexec_b64 s[12:13], vcc\n"
                  "s_cbranch_execz end\n"
                  "v_cmp_lt_f32 vcc, 0x42040000, v2\n"
                  "s_and_saveexec_b64 s[10:11], vcc\n"
                  "s_mov_b32 s8, 1.0\n"
                  "s_mov_b64 exec, s[10:11]\n"
                  "v_mov_b32 v7, s8\n"
                  "end:\n"
                  "s_mov_b64 exec, s[12:13]\n"
                  "v_mov_b32 v5, 1.0\n"
                  "exp mrt0 v6, v7, v5, v5 done vm\n"
                  "s_endpgm\n");
}

/* Waves that skip code keep the masks that it writes: vcc has all lanes of those that come to 16 and beyond. */
static void test_mask_of_skipped_code(void **state)
{
    expect_of_all("v_mov_b32 v6, 0.5\n"
                  "v_mov_b32 v7, 0\n"
                  "v_mov_b32 v8, 1.0\n"
                  "v_cmp_lt_f32 vcc, 0x41800000, v2\n"
                  "s_mov_b64 s[12:13], exec\n"
                  "s_andn2_b64 exec, exec, vcc\n"
                  "s_cbranch_execz end\n"
                  "v_mov_b32 v7, 1.0\n"
                  "v_cmp_lt_f32 vcc, 0x43800000, v2\n"
                  "end:\n"
                  "s_mov_b64 exec, s[12:13]\n"
                  "v_cndmask_b32 v7, v7, v8, vcc\n"
                  "v_mov_b32 v5, 1.0\n"
                  "exp mrt0 v6, v7, v5, v5 done vm\n"
                  "s_endpgm\n");
}

/* Waves of many primitives with flat values, which their vertices export channel by channel: those that they leave out
 * are what they were, and zero if they are never exported. Triangle n lies in cell n of four by four pixels. */
static void test_flat_values_of_small_triangles(void **state)
{
    static const char vertex_text[] = "v_mul_hi_u32 v5, v0, 0x55555556\n"
                                      "v_mul_lo_u32 v6, v5, 3\n"
                                      "v_sub_nc_u32 v6, v0, v6\n"
                                      "v_and_b32 v7, 31, v5\n"
                                      "v_lshlrev_b32 v7, 2, v7\n"
                                      "v_and_b32 v9, 1, v6\n"
                                      "v_lshlrev_b32 v9, 2, v9\n"
                                      "v_add_nc_u32 v7, v7, v9\n"
                                      "v_cvt_f32_u32 v7, v7\n"
                                      "v_fma_f32 v7, v7, 0x3c800000, -1.0\n"
                                      "v_lshrrev_b32 v8, 5, v5\n"
                                      "v_lshlrev_b32 v8, 2, v8\n"
                                      "v_and_b32 v9, 2, v6\n"
                                      "v_lshlrev_b32 v9, 1, v9\n"
                                      "v_add_nc_u32 v8, v8, v9\n"
                                      "v_cvt_f32_u32 v8, v8\n"
                                      "v_fma_f32 v8, v8, 0x3c800000, -1.0\n"
                                      "v_mov_b32 v4, 1.0\n"
                                      "v_cvt_f32_u32 v1, v5\n"
                                      "v_add_f32 v2, v1, v1\n"
                                      "v_cvt_f32_u32 v3, v0\n"
                                      "exp pos0 v7, v8, v4, v4 done\n"
                                      "exp param0 v1, off, v3, off\n"
                                      "exp param0 off, v2, off, off\n"
                                      "s_endpgm\n",
                      text[] = "s_mov_b32 m0, s0\n"
                               "v_interp_p1_f32 v2, v0, attr0.x\n"
                               "v_interp_p2_f32 v2, v1, attr0.x\n"
                               "v_interp_mov_f32 v3, p0, attr0.y\n"
                               "v_interp_p1_f32 v4, v0, attr0.z\n"
                               "v_interp_p2_f32 v4, v1, attr0.z\n"
                               "v_interp_mov_f32 v5, p0, attr0.w\n"
                               "exp mrt0 v2, v3, v4, v5 done vm\n"
                               "s_endpgm\n";
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    ge_rig_assemble(rig, CODE_VA, vertex_text);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(SPI_INTERP_CONTROL_0, .FLAT_SHADE_ENA = true);
    SET(SPI_PS_INPUT_CNTL, .FLAT_SHADE = true);
    for (uint32_t i = 0; i < DRAWS; i++) {
        memset(ge_rig_at(rig, TARGET_VA), 0xff, SIZE * SIZE * 16);
        assert_true(ge_rig_draw(rig, 3 * 1024, 1, false, &result));
        for (uint32_t n = 0; n < 1024; n++) {
            const float *got = ge_rig_texel(rig, n % 32 * 4, n / 32 * 4);
            assert_float_equal(got[0], (float)n, 0);
            assert_float_equal(got[1], (float)n * 2, 0);
            assert_float_equal(got[2], (float)n * 3, 0);
            assert_float_equal(got[3], 0, 0);
        }
    }
    ge_rig_end(rig);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar_under_an_empty_mask),
        cmocka_unit_test(test_scalar_under_an_empty_mask_of_a_branch),
        cmocka_unit_test(test_mask_of_skipped_code),
        cmocka_unit_test(test_flat_values_of_small_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
