/* Draws of patches: fibers and headers of vertex and hull shaders, levels in memory, points of domain shaders. */
#include "adreno/model/pc/tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

#define HEADER 20 /* r5.x */
#define RELATIVE 21
#define PRIM_ID 22
#define TESS_U 28
#define TESS_V 29
#define FLAGS 24
#define LEVELS_B 0x8000
#define CONTROL_POINTS 4
#define VERTEX_B 16

static float outer_level, inner_level;
static uint32_t most_relative;

static uint32_t word(struct adreno_wave *wave, unsigned row, unsigned lane)
{
    return adreno_wave_row(wave, row)[lane];
}

static uint8_t *control_point(struct adreno_wave *wave, unsigned lane, uint32_t patch, uint32_t point)
{
    const uint32_t at = (patch * CONTROL_POINTS + point) * VERTEX_B;
    assert_true(at + VERTEX_B <= wave->launch->local_size_B);
    return wave->local + at;
}

static void vs_store(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const uint32_t header = word(wave, HEADER, lane);
        if (!lane_mask_has(wave->launched, lane))
            continue;
        memcpy(control_point(wave, lane, header & 63, header >> 6 & 31), &adreno_wave_row(wave, 0)[lane], 4);
    }
}

/* Invocation 0 writes the levels of its patch if the last control point, which another fiber has shaded, is its own
 * number; both places of the patch's number have it. */
static void hs_levels(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const uint32_t header = word(wave, HEADER, lane);
        float x, levels[7] = {0, outer_level, outer_level, outer_level, outer_level, inner_level, inner_level};
        if (!lane_mask_has(wave->launched, lane) || header >> 11 & 31)
            continue;
        memcpy(&x, control_point(wave, lane, header & 63, CONTROL_POINTS - 1), 4);
        assert_int_equal((int)x, CONTROL_POINTS - 1);
        assert_int_equal(header & 63, header >> 16 & 63);
        most_relative = MAX2(most_relative, word(wave, RELATIVE, lane));
        const uint32_t size_B = rig.patch_type == ADRENO_PATCH_TYPE_QUADS ? 28 : 20;
        memcpy(rig.memory + LEVELS_B + word(wave, RELATIVE, lane) * size_B, levels, size_B);
    }
}

/* The domain is the picture. */
static void ds_whole(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        adreno_wave_row(wave, 0)[lane] = float_bits(2 * bits_float(word(wave, TESS_U, lane)) - 1);
        adreno_wave_row(wave, 1)[lane] = float_bits(2 * bits_float(word(wave, TESS_V, lane)) - 1);
        adreno_wave_row(wave, 2)[lane] = 0;
        adreno_wave_row(wave, 3)[lane] = float_bits(1);
    }
}

/* A domain shader for a geometry shader, which passes its outputs on. */
static void ds_store(struct adreno_wave *wave)
{
    ds_whole(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const uint32_t header = word(wave, HEADER, lane);
        for (unsigned c = 0; c < 4 && lane_mask_has(wave->launched, lane); c++)
            memcpy(wave->local + ((header & 63) * 3 + (header >> 6 & 31)) * VERTEX_B + c * 4,
                   &adreno_wave_row(wave, c)[lane], 4);
    }
}

static void gs_pass(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const uint32_t header = word(wave, HEADER, lane);
        for (unsigned c = 0; c < 4 && lane_mask_has(wave->launched, lane); c++)
            memcpy(&adreno_wave_row(wave, c)[lane],
                   wave->local + ((header & 63) * 3 + (header >> 16)) * VERTEX_B + c * 4, 4);
        adreno_wave_row(wave, FLAGS)[lane] = header >> 16 ? 0 : 4;
    }
}

static void fs_seven(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, 8)[lane] = 7;
}

static void use_shader(enum adreno_PATCH_TYPE type, enum adreno_TESS_OUTPUT output, unsigned outputs, float outer,
                       float inner)
{
    static float positions[32][4];
    for (unsigned i = 0; i < 32; i++)
        positions[i][0] = (float)(i % CONTROL_POINTS);
    outer_level = outer;
    inner_level = inner;
    most_relative = 0;
    rig.vs = vs_store;
    rig.hs = hs_levels;
    rig.ds = ds_whole;
    rig.fs = fs_seven;
    rig.patch_type = type;
    rig_positions(RIG_VA, (const float(*)[4])positions, 32);
    rig_set(ADRENO_REG_VFD_CNTL_1, 0xfc00fcfcu | PRIM_ID << 16);
    rig_set(ADRENO_REG_VFD_CNTL_2, RELATIVE | HEADER << 8);
    rig_set(ADRENO_REG_VFD_CNTL_3, PRIM_ID | RELATIVE << 8 | TESS_U << 16 | (uint32_t)TESS_V << 24);
    rig_set(ADRENO_REG_VFD_CNTL_4, 0xfc);
    rig_set(ADRENO_REG_PC_HS_PARAM_0, outputs);
    rig_set(ADRENO_REG_PC_HS_PARAM_1, CONTROL_POINTS);
    rig_set(ADRENO_REG_PC_DS_PARAM, (uint32_t)output << 2);
    rig_set64(ADRENO_REG_PC_TESS_BASE, RIG_VA + LEVELS_B);
    rig_set(ADRENO_REG_SP_DS_OUTPUT_CNTL, 2);
    rig_set(ADRENO_REG_SP_DS_OUTPUT, 0x0304u | 0x0f00u << 16);
    rig_set(ADRENO_REG_SP_DS_VPC_DEST, 0x0200);
    rig_set(ADRENO_REG_VPC_DS_CNTL, 6 | 2u << 8 | 0xffu << 16);
    rig_set(ADRENO_REG_VPC_DS_SIV_CNTL, 0xffff);
}

static bool draw(unsigned patches)
{
    return rig_draw((enum adreno_PRIM_TYPE)(ADRENO_PRIM_TYPE_PATCHES0 + CONTROL_POINTS), patches * CONTROL_POINTS);
}

static void test_a_square_covers_every_pixel(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_QUADS, ADRENO_TESS_OUTPUT_CW_TRIS, 4, 7, 5);
    assert_true(draw(1));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
}

static void test_a_triangle_covers_half(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_TRIANGLES, ADRENO_TESS_OUTPUT_CCW_TRIS, 1, 3, 2);
    assert_true(draw(1));
    assert_in_range(rig_drawn(), RIG_SIZE * RIG_SIZE / 2 - RIG_SIZE, RIG_SIZE * RIG_SIZE / 2 + RIG_SIZE);
}

static void test_level_zero_draws_nothing(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_QUADS, ADRENO_TESS_OUTPUT_CW_TRIS, 4, 0, 5);
    assert_true(draw(3));
    assert_int_equal(rig_drawn(), 0);
}

static void test_numbers_of_patches_begin_anew(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_QUADS, ADRENO_TESS_OUTPUT_CW_TRIS, 4, 1, 1);
    assert_true(draw(7));
    assert_int_equal(most_relative, 6);
    most_relative = 0;
    rig.gpu->subdraw_size = 3 * CONTROL_POINTS;
    assert_true(draw(7));
    assert_int_equal(most_relative, 2);
}

static void test_statistics(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_QUADS, ADRENO_TESS_OUTPUT_CW_TRIS, 4, 2, 2);
    rig.gpu->counters.counts_primitives = true;
    assert_true(draw(5));
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], 5);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_VS_INVOCATIONS], 20);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_HS_INVOCATIONS], 5);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_DS_INVOCATIONS], 5 * 9);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_C_INVOCATIONS], 5 * 8);
}

static void test_a_geometry_shader_follows(void **state)
{
    use_shader(ADRENO_PATCH_TYPE_QUADS, ADRENO_TESS_OUTPUT_CW_TRIS, 4, 4, 4);
    rig.ds = ds_store;
    rig.gs = gs_pass;
    rig_set(ADRENO_REG_VFD_CNTL_5, HEADER | 0xfcu << 8);
    rig_set(ADRENO_REG_PC_PRIMITIVE_CNTL_6, 3);
    rig_set(ADRENO_REG_PC_GS_PARAM_0, 2 | ADRENO_TESS_OUTPUT_CW_TRIS << 16);
    rig_set(ADRENO_REG_SP_GS_OUTPUT_CNTL, 2 | FLAGS << 6);
    rig_set(ADRENO_REG_SP_GS_OUTPUT, 0x0304u | 0x0f00u << 16);
    rig_set(ADRENO_REG_SP_GS_VPC_DEST, 0x0200);
    rig_set(ADRENO_REG_VPC_GS_CNTL, 6 | 2u << 8 | 0xffu << 16);
    rig_set(ADRENO_REG_VPC_GS_SIV_CNTL, 0xffff);
    assert_true(draw(1));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_square_covers_every_pixel, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_triangle_covers_half, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_level_zero_draws_nothing, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_numbers_of_patches_begin_anew, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_statistics, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_geometry_shader_follows, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
