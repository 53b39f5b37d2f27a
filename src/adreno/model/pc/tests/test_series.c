/* Small draws that follow each other (pc_series.c): when they wait, and that they are drawn as each by itself. */
#include "adreno/model/pc/tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_vfd.h"
#include "util/bits.h"

#define TRIANGLES 300u

static unsigned waves;

/* The position is an input; the varying is what is in r3.x. */
static void vs(struct adreno_wave *wave)
{
    waves++;
    memcpy(adreno_wave_row(wave, 4), adreno_wave_row(wave, 12), wave->lanes * 4);
}

static void fs(struct adreno_wave *wave)
{
    adreno_gras_hooks.flat(wave, 0, adreno_wave_row(wave, 8), wave->active);
}

/* Triangles over the whole picture, and in the varying, by `numbers`, those of vertices or of primitives. */
static void begin_case(uint32_t numbers)
{
    static float vertices[3 * TRIANGLES][4];
    static const float whole[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    for (unsigned i = 0; i < 3 * TRIANGLES; i++)
        memcpy(vertices[i], whole[i % 3], sizeof(vertices[i]));
    rig_positions(RIG_VA + 0x20000, (const float(*)[4])vertices, 3 * TRIANGLES);
    rig_set(ADRENO_REG_VFD_CNTL_1, numbers);
    rig_set(ADRENO_REG_VFD_MODE_CNTL, 1);
    rig.vs = vs;
    rig.fs = fs;
    rig.gpu->counters.counts_primitives = true;
    rig.gpu->code_epoch++;
    waves = 0;
}

#define VERTEX_NUMBERS 0xfcfcfc0cu
#define PRIMITIVE_NUMBERS 0xfc0cfcfcu

static bool draw(enum adreno_PRIM_TYPE type, uint32_t count, uint32_t offset)
{
    const struct adreno_draw draw = {.topology = type,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .instance_count = 1,
                                     .count = count,
                                     .may_wait = true};
    rig_set(ADRENO_REG_VFD_INDEX_OFFSET, offset);
    return adreno_draw(rig.gpu, &draw);
}

static void test_all_but_the_first_wait(void **state)
{
    begin_case(VERTEX_NUMBERS);
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 3 * i));
        assert_int_equal(rig.pixels[5][5], 0); /* the first one's */
    }
    assert_int_equal(waves, 1);
    assert_true(adreno_draws_finish(rig.gpu));
    assert_int_equal(rig.pixels[5][5], 3 * (TRIANGLES - 1));
    assert_int_equal(rig.pixels[RIG_SIZE - 1][RIG_SIZE - 1], 3 * (TRIANGLES - 1));
    assert_true(waves < 1 + TRIANGLES / 8);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_VERTICES], 3 * TRIANGLES);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], TRIANGLES);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_VS_INVOCATIONS], 3 * TRIANGLES);
    assert_false(rig.gpu->has_series);
    assert_true(adreno_draws_finish(rig.gpu)); /* once */
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], TRIANGLES);
}

/* Draws of the same vertices shade them anew, and each has primitives from 0 on. */
static void test_numbers_are_those_of_each_draw(void **state)
{
    begin_case(PRIMITIVE_NUMBERS);
    for (unsigned i = 0; i < 4; i++)
        assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 6, 0));
    assert_true(adreno_draws_finish(rig.gpu));
    assert_int_equal(rig.pixels[5][5], 1);
    begin_case(0xfcfcfcfcu);
    rig.gpu->counters.stats[ADRENO_STAT_VS_INVOCATIONS] = 0;
    for (unsigned i = 0; i < 4; i++)
        assert_true(draw(ADRENO_PRIM_TYPE_TRISTRIP, 4, 0));
    assert_true(adreno_draws_finish(rig.gpu));
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_VS_INVOCATIONS], 16);
}

static void test_indices_are_those_of_each_draw(void **state)
{
    static const uint16_t indices[] = {0, 1, 2, 0xffff, 6, 7, 8, 3, 4, 5, 0xffff, 9, 10, 11};
    memcpy(rig.memory, indices, sizeof(indices));
    begin_case(VERTEX_NUMBERS);
    rig_set(ADRENO_REG_PC_CNTL, 1);
    rig_set(ADRENO_REG_PC_RESTART_INDEX, 0xffffffff);
    struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRISTRIP,
                               .source = ADRENO_SRC_SEL_DMA,
                               .index_size = ADRENO_INDEX_SIZE_16_BIT,
                               .instance_count = 1,
                               .count = 7,
                               .index_va = RIG_VA,
                               .max_indices = 14,
                               .may_wait = true};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(adreno_draw(rig.gpu, &draw));
        assert_int_equal(rig.pixels[5][5], 6);
        draw.first_index = 7;
        rig_set(ADRENO_REG_VFD_INDEX_OFFSET, 30 * (i + 1));
    }
    assert_true(adreno_draws_finish(rig.gpu));
    assert_int_equal(rig.pixels[5][5], 9 + 60);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], 6);
}

static void test_others_do_not_wait(void **state)
{
    begin_case(VERTEX_NUMBERS);
    rig.looks_at_lanes = true;
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 3 * i));
        assert_int_equal(rig.pixels[5][5], 3 * i);
    }
    rig.looks_at_lanes = false;
    rig.gpu->code_epoch++; /* by a packet, which no series outlives */
    assert_true(adreno_draws_finish(rig.gpu));
    assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 9));
    assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 12)); /* waits, until a draw of another kind comes */
    assert_int_equal(rig.pixels[5][5], 9);
    assert_true(draw(ADRENO_PRIM_TYPE_TRIFAN, 3, 15));
    assert_int_equal(rig.pixels[5][5], 16);
    assert_true(draw(ADRENO_PRIM_TYPE_TRIFAN, 3, 21));
    assert_int_equal(rig.pixels[5][5], 16);
    rig_set(ADRENO_REG_VFD_INDEX_OFFSET, 0);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRIFAN, 3)); /* one that may not */
    assert_int_equal(rig.pixels[5][5], 1);
    rig_set(ADRENO_REG_VFD_MODE_CNTL, 0); /* numbers of vertices without their draw's offset */
    for (uint32_t i = 0; i < 3; i++)
        assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 3 * i));
    assert_int_equal(rig.pixels[5][5], 0);
    assert_false(rig.gpu->has_series);
}

static void test_a_lost_job_leaves_none(void **state)
{
    begin_case(VERTEX_NUMBERS);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(draw(ADRENO_PRIM_TYPE_TRILIST, 3, 3 * i));
    adreno_stop(rig.gpu, ADRENO_STOP_BROKEN, "for a test");
    assert_true(adreno_draws_finish(rig.gpu));
    assert_int_equal(rig.pixels[5][5], 0);
    assert_false(rig.gpu->has_series);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_but_the_first_wait),     TEST(test_numbers_are_those_of_each_draw),
        TEST(test_indices_are_those_of_each_draw), TEST(test_others_do_not_wait),
        TEST(test_a_lost_job_leaves_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
