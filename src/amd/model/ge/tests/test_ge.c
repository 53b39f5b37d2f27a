/* Whole draws: order, indices, depth, blending, workers, stops (ge_rig.h). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/model/ge/tests/ge_rig.h"
#include "util/tests/host_level_test.h"

static void test_triangle(void **state)
{
    struct ge_rig rig;
    struct ge_result result;
    ge_rig_begin(&rig, 2);
    rig.counters.stats_on = true;
    assert_true(ge_rig_draw(&rig, 3, 1, false, &result));
    ge_rig_expect_picture(&rig, 0);
    assert_int_equal(rig.counters.stats[CP_STAT_PS_INVOCATIONS], SIZE * SIZE);
    assert_int_equal(rig.counters.stats[CP_STAT_VS_INVOCATIONS], 3);
    assert_int_equal(rig.counters.stats[CP_STAT_IA_PRIMITIVES], 1);
    ge_rig_end(&rig);
}

/* Exports of some components leave the others as they are, for whole fours of vertices and for the rest. */
static void test_exports_of_components(void **state)
{
    static const char whole[] = "exp param0 v1, v2, v3, v4\n", parts[] = "exp param0 off, v4, v3, off\n"
                                                                         "exp param0 v1, v2, off, off\n"
                                                                         "exp param0 off, off, off, v4\n";
    struct ge_rig rig;
    struct ge_result result;
    char text[2048];
    const char *const at = strstr(ge_rig_vertex_text, whole);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - ge_rig_vertex_text), ge_rig_vertex_text, parts,
             at + strlen(whole));
    ge_rig_begin(&rig, 1);
    ge_rig_assemble(&rig, CODE_VA, text);
    for (uint32_t triangles = 1; triangles < 8; triangles++) {
        assert_true(ge_rig_draw(&rig, 3 * triangles, 1, false, &result));
        ge_rig_expect_picture(&rig, (float)(triangles - 1) / 256.0f);
    }
    ge_rig_end(&rig);
}

/* Many triangles over each other, through several batches: the last one is seen. */
static void test_order(void **state)
{
    struct ge_rig rig;
    struct ge_result result;
    ge_rig_begin(&rig, 3);
    assert_true(ge_rig_draw(&rig, 3 * 255, 1, false, &result));
    ge_rig_expect_picture(&rig, 254 / 256.0f);
    ge_rig_end(&rig);
}

/* Indices in reverse, with restarts that cut nothing off; beyond the buffer's end every index is 0. */
static void test_indices(void **state)
{
    for (unsigned type = 0; type < 3; type++) {
        struct ge_rig state_rig, *rig = &state_rig;
        struct ge_result result;
        ge_rig_begin(rig, 1);
        SET(VGT_INDEX_TYPE, .INDEX_TYPE = (enum amd_INDEX_TYPE)type);
        SET(GE_MULTI_PRIM_IB_RESET_EN, .RESET_EN = true);
        SET(VGT_MULTI_PRIM_IB_RESET_INDX, .VALUE = 0xffffffff);
        const uint32_t indices[] = {15, 16, 17, 0xffffffff, 9, 10, 0xffffffff, 6, 7, 8};
        for (unsigned i = 0; i < 10; i++) {
            uint8_t *to = ge_rig_at(rig, INDEX_VA);
            memcpy(type == AMD_INDEX_TYPE_8    ? to + i
                   : type == AMD_INDEX_TYPE_16 ? to + i * 2
                                               : to + i * 4,
                   &indices[i],
                   type == AMD_INDEX_TYPE_8    ? 1
                   : type == AMD_INDEX_TYPE_16 ? 2
                                               : 4);
        }
        assert_true(ge_rig_draw(rig, 3, 1, false, &result)); /* the same registers, without indices */
        ge_rig_expect_picture(rig, 0);
        assert_true(ge_rig_draw(rig, 10, 1, true, &result));
        ge_rig_expect_picture(rig, 2 / 256.0f);
        ge_rig_end(rig);
    }
}

static void test_depth(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    ge_rig_set_depth(rig);
    SET(DB_COUNT_CONTROL, .ZPASS_ENABLE = 1);
    assert_true(
        ge_rig_draw(rig, 3 * 40, 1, false,
                    &result)); /* each is greater than the one before, but the first: nothing is greater than 0 there */
    ge_rig_expect_picture(rig, 39 / 256.0f);
    uint64_t passed = 0;
    for (unsigned i = 0; i < CP_MAX_BACKENDS; i++)
        passed += rig->counters.zpass[i];
    assert_int_equal(passed, 39 * SIZE * SIZE);
    assert_true(ge_rig_draw(rig, 3 * 20, 1, false, &result)); /* all behind what is there */
    ge_rig_expect_picture(rig, 39 / 256.0f);
    ge_rig_end(rig);
}

/* Depth of a partially resident buffer, where it has no memory: it is zero for every pixel that comes. */
static void test_depth_without_memory(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    const uint32_t nearer_first[6] = {15, 16, 17, 9, 10, 11};
    ge_rig_begin(rig, 2);
    ge_rig_set_depth(rig);
    assert_int_equal(gpu_space_map_resident(&rig->space, DEPTH_VA, 1u << 20), 0);
    SET(VGT_INDEX_TYPE, .INDEX_TYPE = AMD_INDEX_TYPE_32);
    memcpy(ge_rig_at(rig, INDEX_VA), nearer_first, sizeof(nearer_first));
    assert_true(ge_rig_draw(rig, 3 * 40, 1, false, &result));
    ge_rig_expect_picture(rig, 39 / 256.0f);
    assert_true(ge_rig_draw(rig, 6, 1, true, &result));
    ge_rig_expect_picture(rig, 3 / 256.0f);
    ge_rig_end(rig);
}

/* Any number of workers writes equal bytes, in every layout. */
static void test_workers(void **state)
{
    static const enum amd_SW_MODE modes[] = {AMD_SW_MODE_LINEAR, AMD_SW_MODE_64KB_R_X, AMD_SW_MODE_64KB_S,
                                             AMD_SW_MODE_4KB_D_X};
    for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
        void *first = malloc(4u << 20);
        for (unsigned workers = 1; workers <= 3; workers++) {
            struct ge_rig rig;
            struct ge_result result;
            ge_rig_begin(&rig, workers);
            ge_rig_set_pixels(&rig, modes[m]);
            assert_true(ge_rig_draw(&rig, 3 * 70, 4, false, &result));
            if (workers == 1)
                memcpy(first, ge_rig_at(&rig, TARGET_VA), 4u << 20);
            else
                assert_memory_equal(first, ge_rig_at(&rig, TARGET_VA), 4u << 20);
            ge_rig_end(&rig);
        }
        free(first);
    }
}

static void test_blend(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    SET(CB_BLEND_CONTROL, .ENABLE = true, .COLOR_SRCBLEND = AMD_BLEND_FACTOR_ONE,
        .COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE);
    assert_true(ge_rig_draw(rig, 3 * 10, 1, false, &result));
    assert_float_equal(ge_rig_texel(rig, 5, 5)[3], 10, 0);
    assert_float_equal(ge_rig_texel(rig, 77, 99)[2], 45 / 256.0f, 1e-6f);
    ge_rig_end(rig);
}

/* ---- small draws, whose pixels come while the next ones are under way ---- */

#define SMALL 16

static void cut_to(struct ge_rig *rig, uint32_t x, uint32_t y)
{
    SET(PA_SC_GENERIC_SCISSOR_TL, .TL_X = x, .TL_Y = y);
    SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = x + SMALL, .BR_Y = y + SMALL);
}

/* Sums tell that every draw is there once; the order of colours that are not added, that it is kept. */
static void test_small_draws(void **state)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct ge_rig state_rig, *rig = &state_rig;
        struct ge_result result;
        ge_rig_begin(rig, workers);
        rig->counters.stats_on = true;
        SET(CB_BLEND_CONTROL, .ENABLE = true, .COLOR_SRCBLEND = AMD_BLEND_FACTOR_ONE,
            .COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE);
        for (unsigned i = 0; i < 1000; i++) {
            cut_to(rig, i / 50 % 4 * SMALL, i % 2 * SMALL);
            assert_true(ge_rig_draw_on(rig, 3, 1, false, &result));
            if (i % 100 == 99)
                assert_true(amd_ge_finish(rig->ge, &result));
        }
        assert_true(amd_ge_finish(rig->ge, &result));
        for (unsigned i = 0; i < 8; i++)
            assert_float_equal(ge_rig_texel(rig, i % 4 * SMALL + 3, i / 4 * SMALL + 15)[3], 125, 0);
        assert_float_equal(ge_rig_texel(rig, 4 * SMALL, 0)[3], 0, 0);
        assert_int_equal(rig->counters.stats[CP_STAT_PS_INVOCATIONS], 1000 * SMALL * SMALL);

        SET(CB_BLEND_CONTROL, .ENABLE = false);
        for (unsigned i = 0; i < 200; i++) {
            cut_to(rig, 0, 0);
            assert_true(ge_rig_draw_on(rig, 3 * (1 + i % 7), 1, false, &result));
            if (i % 3 == 2) { /* a large one among them */
                SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = SIZE, .BR_Y = SIZE);
                assert_true(ge_rig_draw_on(rig, 3, 1, false, &result));
            }
        }
        assert_true(amd_ge_finish(rig->ge, &result));
        assert_float_equal(ge_rig_texel(rig, 5, 5)[2], (199 % 7) / 256.0f, 0);
        assert_float_equal(ge_rig_texel(rig, SIZE - 1, 5)[2], 0, 0);
        ge_rig_end(rig);
    }
}

/* Several rounds after a small draw. */
static void test_rounds_after_a_small_draw(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 3);
    for (unsigned i = 0; i < 2; i++) {
        cut_to(rig, i * SMALL, 0);
        assert_true(ge_rig_draw_on(rig, 3, 1, false, &result));
        assert_true(ge_rig_draw_on(rig, 3 * (200 + i), 170, false, &result));
        assert_true(amd_ge_finish(rig->ge, &result));
        assert_float_equal(ge_rig_texel(rig, i * SMALL, 0)[2], (float)(199 + i) / 256, 0);
        assert_float_equal(ge_rig_texel(rig, i * SMALL + SMALL - 1, SMALL - 1)[2], (float)(199 + i) / 256, 0);
    }
    ge_rig_end(rig);
}

/* The one that fails is named, what comes after it is not drawn, and then all is as before. */
static void test_small_draw_fails(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    for (unsigned round = 0; round < 20; round++) {
        bool is_good = true;
        uint64_t bad = 0;
        cut_to(rig, 0, 0);
        for (unsigned i = 0; i < 12 && is_good; i++) {
            if (i == round % 10)
                bad = rig->number + 1;
            SET(CB_COLOR_BASE, .VALUE = (uint32_t)((i == round % 10 ? BASE_VA + SIZE_B : TARGET_VA) >> 8));
            is_good = ge_rig_draw_on(rig, 3, 1, false, &result);
        }
        is_good = is_good && amd_ge_finish(rig->ge, &result);
        assert_false(is_good);
        assert_int_equal(result.error, -EFAULT);
        assert_int_equal(result.number, bad);
        assert_true(amd_ge_finish(rig->ge, &result));
        SET(CB_COLOR_BASE, .VALUE = (uint32_t)(TARGET_VA >> 8));
        assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    }
    ge_rig_end(rig);
}

/* ---- groups of small draws ---- */

#define ODD 14 /* pixels: its quads leave waves that are not full */

/* The rig's vertices, of the triangle that a user SGPR names. */
static void number_triangles(struct ge_rig *rig)
{
    static const char first[] = "v_add_nc_u32 v0, s0, v0\n";
    char text[2048];
    snprintf(text, sizeof(text), "%s%s", first, ge_rig_vertex_text);
    ge_rig_assemble(rig, CODE_VA, text);
    SET(SPI_SHADER_PGM_RSRC2_VS, .USER_SGPR = 1);
    SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = ODD, .BR_Y = ODD);
}

/* `count` draws of one triangle each, numbered from 0 on; of 0 come more before them, so that there is code. Returns
 * how many came to a context of their own. */
static uint64_t draw_numbered(struct ge_rig *rig, uint32_t count)
{
    struct ge_result result;
    uint64_t before = 0;
    for (uint32_t i = 0; i < 200 + count; i++) {
        const uint32_t number = i < 200 ? 0 : i - 200;
        if (i == 200)
            before = rig->ge->numbers.draws;
        cp_reg_set(&rig->registers, AMD_REG_SPI_SHADER_USER_DATA_VS_GFX10_3, number * 3);
        assert_true(ge_rig_draw_on(rig, 3, 1, false, &result));
    }
    const uint64_t own = rig->ge->numbers.draws - before;
    assert_true(amd_ge_finish(rig->ge, &result));
    return own;
}

static void expect_third(struct ge_rig *rig, float third)
{
    for (uint32_t y = 0; y < ODD; y++) {
        for (uint32_t x = 0; x < ODD; x++)
            assert_float_equal(ge_rig_texel(rig, x, y)[2], third, 0);
    }
    assert_float_equal(ge_rig_texel(rig, ODD, 0)[2], 0, 0);
    assert_float_equal(ge_rig_texel(rig, 0, ODD)[2], 0, 0);
}

/* Each is there once, in its order, and counted. */
static void test_groups(void **state)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct ge_rig state_rig, *rig = &state_rig;
        ge_rig_begin(rig, workers);
        number_triangles(rig);
        rig->counters.stats_on = true;
        const uint64_t own = draw_numbered(rig, 100);
        expect_third(rig, 99 / 256.0f);
        assert_in_range(own, 100 / GE_GROUP_DRAWS, 99);
        assert_int_equal(rig->counters.stats[CP_STAT_PS_INVOCATIONS], 300 * ODD * ODD);
        assert_int_equal(rig->counters.stats[CP_STAT_IA_PRIMITIVES], 300);
        assert_int_equal(rig->counters.stats[CP_STAT_IA_VERTICES], 900);
        assert_int_equal(rig->counters.stats[CP_STAT_C_INVOCATIONS], 300);

        SET(CB_BLEND_CONTROL, .ENABLE = true, .COLOR_SRCBLEND = AMD_BLEND_FACTOR_ONE,
            .COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE);
        memset(ge_rig_at(rig, TARGET_VA), 0, SIZE * SIZE * 16);
        assert_in_range(draw_numbered(rig, 100), 100 / GE_GROUP_DRAWS, 99);
        expect_third(rig, 99 * 100 / 2 / 256.0f);
        assert_float_equal(ge_rig_texel(rig, 5, 5)[3], 300, 0);
        ge_rig_end(rig);
    }
}

/* A program that gives all lanes what the first one has: no wave has pixels of two draws. */
static void test_groups_and_lanes(void **state)
{
    static const char text[] = "s_mov_b32 m0, s0\n"
                               "v_interp_mov_f32 v4, p0, attr0.z\n"
                               "v_readfirstlane_b32 s1, v4\n"
                               "v_mov_b32 v4, s1\n"
                               "exp mrt0 v4, v4, v4, v4 done vm\n"
                               "s_endpgm\n";
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct ge_rig state_rig, *rig = &state_rig;
        ge_rig_begin(rig, workers);
        number_triangles(rig);
        ge_rig_assemble(rig, CODE_VA + 4096, text);
        SET(SPI_PS_IN_CONTROL, .NUM_INTERP = 1);
        draw_numbered(rig, 100);
        expect_third(rig, 99 / 256.0f);
        ge_rig_end(rig);
    }
}

/* A draw that fails is named; the draws of its group before it are drawn. */
static void test_group_fails(void **state)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct ge_rig state_rig, *rig = &state_rig;
        struct ge_result result;
        ge_rig_begin(rig, workers);
        number_triangles(rig);
        SET(VGT_INDEX_TYPE, .INDEX_TYPE = AMD_INDEX_TYPE_32);
        for (uint32_t i = 0; i < 3; i++)
            ((uint32_t *)ge_rig_at(rig, INDEX_VA))[i] = i;
        for (uint32_t i = 0; i < 205; i++) {
            cp_reg_set(&rig->registers, AMD_REG_SPI_SHADER_USER_DATA_VS_GFX10_3, i * 3);
            assert_true(ge_rig_draw_on(rig, 3, 1, true, &result));
        }
        rig->index_va = BASE_VA + SIZE_B;
        assert_false(ge_rig_draw_on(rig, 3, 1, true, &result));
        assert_int_equal(result.error, -EFAULT);
        assert_int_equal(result.number, rig->number);
        expect_third(rig, 204 / 256.0f);
        rig->index_va = INDEX_VA;
        assert_true(ge_rig_draw(rig, 3, 1, true, &result));
        ge_rig_end(rig);
    }
}

/* State that is not implemented, or memory that is not there, ends the draw with a reason. */
static void test_stops(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_PATCH);
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_int_equal(result.error, -ENOSYS);
    assert_non_null(result.why);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_TRILIST);
    SET(CB_COLOR_BASE, .VALUE = (uint32_t)((BASE_VA + SIZE_B) >> 8));
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_int_equal(result.error, -EFAULT);
    assert_int_equal(result.fault.va >> 24, (BASE_VA + SIZE_B) >> 24);
    SET(CB_COLOR_BASE, .VALUE = (uint32_t)(TARGET_VA >> 8));
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)((BASE_VA + SIZE_B) >> 8));
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_true(result.in_shader);
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)(CODE_VA >> 8) + 32);
    ge_rig_assemble(rig, CODE_VA + 32 * 256, "v_interp_mov_f32 v3, p10, attr32.x\ns_endpgm\n"); /* there are 32 */
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_true(result.in_shader);
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)(CODE_VA >> 8) + 16);
    rig->killed = true; /* the end of a job does not wait for a round */
    memset(ge_rig_at(rig, TARGET_VA), 0, SIZE * SIZE * 16);
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_int_equal(result.error, -ETIME);
    assert_int_equal(*(uint32_t *)ge_rig_at(rig, TARGET_VA), 0);
    rig->killed = false;
    assert_true(ge_rig_draw(rig, 3, 1, false, &result)); /* and the next one works */
    ge_rig_expect_picture(rig, 0);
    ge_rig_end(rig);
}

/* ---- topologies of OpenGL that are drawn as others ---- */

static void check_parts(enum amd_PRIM_TYPE type, uint32_t indices, bool last, const uint32_t (*expected)[3],
                        const uint8_t *edges, uint32_t count, unsigned corners)
{
    struct ge *ge = calloc(1, sizeof(*ge));
    struct ge_worker *worker = calloc(1, sizeof(*worker));
    struct ge_draw draw = {.count = indices, .instance_count = 1};
    assert_true(ge && worker);
    ge->draw = &draw;
    ge->pipeline.ge = (struct ge_state){.prim_type = type,
                                        .provoking_last = last,
                                        .max_vertices = GE_MAX_VERTICES,
                                        .max_prims = GE_MAX_PRIMS,
                                        .index_max = UINT32_MAX};
    assert_true(amd_ge_index_begin(ge));
    assert_int_equal(ge->prim_total, count);
    ge->batches[0].prim_count = count;
    assert_true(amd_ge_index_subgroup(ge, worker));
    const struct ge_subgroup *subgroup = &worker->subgroup;
    assert_int_equal(subgroup->prim_count, count);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < corners; k++)
            assert_int_equal(subgroup->vertex_id[subgroup->prims[i][k]], expected[i][k]);
        assert_int_equal(subgroup->edges[i], edges[i]);
    }
    array_finish(&ge->runs);
    free(worker);
    free(ge);
}

static void test_quads_and_polygons(void **state)
{
    const uint8_t list[2][2] = {{1 | 2, 2 | 4}, {1 | 4, 1 | 2}};
    check_parts(AMD_PRIM_TYPE_QUADLIST, 7, false, (const uint32_t[][3]){{0, 1, 2}, {0, 2, 3}}, list[0], 2, 3);
    check_parts(AMD_PRIM_TYPE_QUADLIST, 4, true, (const uint32_t[][3]){{0, 1, 3}, {1, 2, 3}}, list[1], 2, 3);
    const uint8_t strip[2][4] = {{1 | 2, 2 | 4, 1 | 2, 2 | 4}, {1 | 4, 1 | 2, 1 | 4, 1 | 2}};
    check_parts(AMD_PRIM_TYPE_QUADSTRIP, 7, false, (const uint32_t[][3]){{0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}},
                strip[0], 4, 3);
    check_parts(AMD_PRIM_TYPE_QUADSTRIP, 6, true, (const uint32_t[][3]){{2, 0, 3}, {0, 1, 3}, {4, 2, 5}, {2, 3, 5}},
                strip[1], 4, 3);
    const uint8_t polygon[2][3] = {{1 | 2, 2, 2 | 4}, {1 | 4, 1, 1 | 2}};
    check_parts(AMD_PRIM_TYPE_POLYGON, 5, false, (const uint32_t[][3]){{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}, polygon[0], 3,
                3);
    check_parts(AMD_PRIM_TYPE_POLYGON, 5, true, (const uint32_t[][3]){{1, 2, 0}, {2, 3, 0}, {3, 4, 0}}, polygon[1], 3,
                3);
    const uint8_t all[3] = {RASTER_ALL_EDGES, RASTER_ALL_EDGES, RASTER_ALL_EDGES};
    check_parts(AMD_PRIM_TYPE_LINELOOP, 3, true, (const uint32_t[][3]){{0, 1}, {1, 2}, {2, 0}}, all, 3, 2);
}

/* ---- lists of triangles ---- */

/* Triangles over the end of a page and of the buffer, of two instances: each has the vertices of its indices, and no
 * vertex is twice in a subgroup. */
static void check_list(struct ge_rig *rig, uint32_t index_B, uint32_t max_vertices, uint32_t max_prims)
{
    enum {
        INDICES = 3 * 900,
        AVAILABLE = INDICES - 31,
        OFFSET = 5,
        LAST = 48
    };
    struct ge *ge = calloc(1, sizeof(*ge));
    struct ge_worker *worker = calloc(1, sizeof(*worker));
    struct ge_draw draw = {.memory = &rig->space,
                           .indexed = true,
                           .index_va = INDEX_VA + 2 * index_B,
                           .index_available = AVAILABLE,
                           .count = INDICES,
                           .instance_count = 2};
    assert_true(ge && worker);
    ge->draw = &draw;
    ge->pipeline.ge = (struct ge_state){.prim_type = AMD_PRIM_TYPE_TRILIST,
                                        .index_B = index_B,
                                        .index_offset = OFFSET,
                                        .index_max = LAST,
                                        .max_vertices = max_vertices,
                                        .max_prims = max_prims};
    for (uint32_t i = 0; i < INDICES; i++) {
        const uint32_t index = i * 7 % 50;
        memcpy(ge_rig_at(rig, draw.index_va + i * index_B), &index, index_B);
    }
    assert_true(amd_ge_index_begin(ge));
    ge->batches[0].prim_count = (uint32_t)ge->prim_total;
    const struct ge_subgroup *subgroup = &worker->subgroup;
    for (uint32_t prim = 0; prim < ge->prim_total;) {
        assert_true(amd_ge_index_subgroup(ge, worker));
        assert_in_range(subgroup->prim_count, 1, max_prims);
        assert_in_range(subgroup->vertex_count, 1, max_vertices);
        for (uint32_t i = 0; i < subgroup->prim_count; i++, prim++) {
            assert_int_equal(subgroup->prim_id[i], prim % (INDICES / 3));
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t at = prim % (INDICES / 3) * 3 + k, vertex = subgroup->prims[i][k];
                assert_int_equal(subgroup->vertex_id[vertex], MIN2((at < AVAILABLE ? at * 7 % 50 : 0) + OFFSET, LAST));
                assert_int_equal(subgroup->instance_id[vertex], prim / (INDICES / 3));
            }
        }
        for (uint32_t i = 0; i < subgroup->vertex_count; i++) {
            for (uint32_t k = 0; k < i; k++)
                assert_false(subgroup->vertex_id[i] == subgroup->vertex_id[k] &&
                             subgroup->instance_id[i] == subgroup->instance_id[k]);
        }
    }
    array_finish(&ge->runs);
    free(worker);
    free(ge);
}

static void test_lists(void **state)
{
    struct ge_rig rig;
    ge_rig_begin(&rig, 1);
    check_list(&rig, 1, 64, GE_MAX_PRIMS);
    check_list(&rig, 2, 20, 64);
    check_list(&rig, 4, GE_MAX_VERTICES, 7);
    ge_rig_end(&rig);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_exports_of_components),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_without_memory),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_blend),
        cmocka_unit_test(test_small_draws),
        cmocka_unit_test(test_rounds_after_a_small_draw),
        cmocka_unit_test(test_small_draw_fails),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_and_lanes),
        cmocka_unit_test(test_group_fails),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_quads_and_polygons),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
