/* Draws from index buffer to coverage: topologies, fetch, varyings, scissors, samples, stream out, bins. */
#include "adreno/model/pc/tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/hw/regs_vsc.h"
#include "util/bits.h"

/* ---- shaders ---- */

/* The position is an input; the varyings are its x and y. */
static void vs_pass(struct adreno_wave *wave)
{
    for (unsigned c = 0; c < 2; c++)
        memcpy(adreno_wave_row(wave, 4 + c), adreno_wave_row(wave, c), wave->lanes * 4);
}

/* Varyings 0 in the colour's x. */
static void fs_varying(struct adreno_wave *wave)
{
    adreno_gras_hooks.interpolate(wave, 0, (const float *)adreno_wave_row(wave, 0),
                                  (const float *)adreno_wave_row(wave, 1), adreno_wave_row(wave, 8), wave->active);
}

static void fs_flat(struct adreno_wave *wave)
{
    adreno_gras_hooks.flat(wave, 0, adreno_wave_row(wave, 8), wave->active);
}

static void fs_seven(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, 8)[lane] = 7;
}

static void fs_copy_r3(struct adreno_wave *wave)
{
    memcpy(adreno_wave_row(wave, 8), adreno_wave_row(wave, 12), wave->lanes * 4);
}

/* ---- vertices ---- */

static const float whole[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};

static void use_shader(void (*vs)(struct adreno_wave *), void (*fs)(struct adreno_wave *))
{
    rig.vs = vs;
    rig.fs = fs;
}

static void test_strip_covers_every_pixel_once(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    assert_int_equal(rig.pixels[5][100], 7);
}

static void test_varyings_are_interpolated_at_centres(void **state)
{
    use_shader(vs_pass, fs_varying);
    rig_positions(RIG_VA, whole, 4);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    for (unsigned x = 0; x < RIG_SIZE; x++)
        assert_float_equal(bits_float(rig.pixels[40][x]), (float)(2 * x + 1) / RIG_SIZE - 1, 1e-5f);
}

static void test_scissors_include_their_last_pixel(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_TL, 10 | 20u << 16);
    rig_set(ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR, 13 | 20u << 16);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig_drawn(), 4);
    assert_int_equal(rig.pixels[20][13], 7);
}

static void test_provoking_vertex_is_first_or_last(void **state)
{
    use_shader(vs_pass, fs_flat);
    rig_positions(RIG_VA, whole, 3);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_float_equal(bits_float(rig.pixels[2][2]), -1, 0);
    static const float other[3][4] = {{-1, -1, 0, 1}, {-1, 1, 0, 1}, {1, -1, 0, 1}};
    rig_positions(RIG_VA, other, 3);
    rig_set(ADRENO_REG_PC_CNTL, 2);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_float_equal(bits_float(rig.pixels[2][2]), 1, 0);
}

static void quarters(void)
{
    float vertices[12][4];
    for (unsigned q = 0; q < 4; q++) {
        for (unsigned v = 0; v < 3; v++) {
            vertices[q * 3 + v][0] = (q & 1 ? 0.25f : -0.75f) + (v == 1 ? 0.5f : 0);
            vertices[q * 3 + v][1] = (q & 2 ? 0.25f : -0.75f) + (v == 2 ? 0.5f : 0);
            vertices[q * 3 + v][2] = 0;
            vertices[q * 3 + v][3] = 1;
        }
    }
    rig_positions(RIG_VA, (const float(*)[4])vertices, 12);
}

/* ---- indices ---- */

static bool draw_indexed(enum adreno_PRIM_TYPE type, const uint16_t *indices, uint32_t count, uint32_t max)
{
    const uint64_t at_B = 0x1000;
    memcpy(rig.memory + at_B, indices, count * sizeof(*indices));
    const struct adreno_draw draw = {
        .topology = type,
        .source = ADRENO_SRC_SEL_DMA,
        .index_size = ADRENO_INDEX_SIZE_16_BIT,
        .instance_count = 1,
        .count = count,
        .index_va = RIG_VA + at_B,
        .max_indices = max,
    };
    return adreno_draw(rig.gpu, &draw);
}

static void test_restart_begins_a_new_strip(void **state)
{
    static const uint16_t indices[] = {0, 1, 2, 0xffff, 1, 2, 3};
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_PC_CNTL, 1);
    rig_set(ADRENO_REG_PC_RESTART_INDEX, 0xffffffff);
    rig.gpu->counters.counts_primitives = true;
    assert_true(draw_indexed(ADRENO_PRIM_TYPE_TRISTRIP, indices, 7, 7));
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], 2);
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_VS_INVOCATIONS], 4);
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
}

static void test_indices_after_the_buffer_are_zero(void **state)
{
    static const uint16_t indices[] = {0, 1, 2};
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    assert_true(draw_indexed(ADRENO_PRIM_TYPE_TRILIST, indices, 3, 2));
    assert_int_equal(rig_drawn(), 0); /* 0, 1, 0 */
}

static uint32_t shaded;

static void vs_counting(struct adreno_wave *wave)
{
    __atomic_fetch_add(&shaded, lane_mask_count(wave->active), __ATOMIC_RELAXED);
    vs_pass(wave);
}

/* Vertices of a list's batches, each counted once in a batch. */
static uint32_t count_distinct(const uint16_t *indices, uint32_t count)
{
    uint32_t distinct = 0;
    for (uint32_t first = 0; first < count; first += PC_BATCH_PRIMS * 3) {
        bool is_known[256] = {false};
        for (uint32_t i = first; i < count && i < first + PC_BATCH_PRIMS * 3; i++) {
            distinct += !is_known[indices[i]];
            is_known[indices[i]] = true;
        }
    }
    return distinct;
}

/* With an index that is missing, all are looked up one by one. */
static void test_lists_are_drawn_as_by_single_indices(void **state)
{
    enum {
        COUNT = 3 * 300
    };
    static uint16_t indices[COUNT + 3];
    static uint32_t pixels[RIG_SIZE][RIG_SIZE];
    float vertices[200][4];
    uint32_t seed = 1;
    for (unsigned i = 0; i < ARRAY_SIZE(vertices); i++) {
        for (unsigned k = 0; k < 2; k++)
            vertices[i][k] = (float)((seed = seed * 1664525 + 1013904223) >> 16) / 32768 - 1;
        vertices[i][2] = 0;
        vertices[i][3] = 1;
    }
    for (unsigned i = 0; i < COUNT; i++)
        indices[i] = (uint16_t)(((seed = seed * 1664525 + 1013904223) >> 16) % ARRAY_SIZE(vertices));
    use_shader(vs_counting, fs_flat);
    rig_positions(RIG_VA + 0x20000, (const float(*)[4])vertices, ARRAY_SIZE(vertices));
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        rig_set(ADRENO_REG_PC_CNTL, is_last * 2);
        memset(rig.pixels, 0, sizeof(rig.pixels));
        assert_true(draw_indexed(ADRENO_PRIM_TYPE_TRILIST, indices, COUNT + 3, COUNT)); /* the last one has no area */
        memcpy(pixels, rig.pixels, sizeof(pixels));
        assert_int_not_equal(rig_drawn(), 0);
        memset(rig.pixels, 0, sizeof(rig.pixels));
        shaded = 0;
        assert_true(draw_indexed(ADRENO_PRIM_TYPE_TRILIST, indices, COUNT, COUNT));
        assert_memory_equal(pixels, rig.pixels, sizeof(pixels));
        assert_int_equal(shaded, count_distinct(indices, COUNT));
    }
}

static void test_a_fault_of_the_index_buffer_stops(void **state)
{
    const struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                                     .source = ADRENO_SRC_SEL_DMA,
                                     .index_size = ADRENO_INDEX_SIZE_32_BIT,
                                     .instance_count = 1,
                                     .count = 3,
                                     .index_va = RIG_VA + RIG_SIZE_B,
                                     .max_indices = 3};
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    assert_false(adreno_draw(rig.gpu, &draw));
    assert_non_null(strstr(rig.stop, "index fetch"));
}

static void test_topologies_have_their_primitives(void **state)
{
    static const struct {
        enum adreno_PRIM_TYPE type;
        uint32_t count, prims;
    } rows[] = {
        {ADRENO_PRIM_TYPE_POINTLIST, 5, 5},     {ADRENO_PRIM_TYPE_LINELIST, 5, 2},
        {ADRENO_PRIM_TYPE_LINESTRIP, 5, 4},     {ADRENO_PRIM_TYPE_LINELOOP, 5, 5},
        {ADRENO_PRIM_TYPE_TRILIST, 7, 2},       {ADRENO_PRIM_TYPE_TRIFAN, 5, 3},
        {ADRENO_PRIM_TYPE_TRISTRIP, 5, 3},      {ADRENO_PRIM_TYPE_LINE_ADJ, 9, 2},
        {ADRENO_PRIM_TYPE_LINESTRIP_ADJ, 5, 2}, {ADRENO_PRIM_TYPE_TRI_ADJ, 12, 2},
        {ADRENO_PRIM_TYPE_TRISTRIP_ADJ, 8, 2},  {ADRENO_PRIM_TYPE_RECTLIST, 4, 0},
        {ADRENO_PRIM_TYPE_TRISTRIP, 2, 0},
    };
    static const float vertices[12][4] = {{0, 0, 0, 1}};
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, vertices, 12);
    rig.gpu->counters.counts_primitives = true;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES] = 0;
        assert_true(rig_draw(rows[i].type, rows[i].count));
        assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], rows[i].prims);
    }
    assert_false(rig_draw(ADRENO_PRIM_TYPE_PATCHES3, 3));
    assert_non_null(strstr(rig.stop, "PRIM_TYPE 34"));
}

static void test_a_rectangle_has_two_corners(void **state)
{
    static const float corners[2][4] = {{8, 16, 0, 1}, {24, 20, 0, 1}};
    use_shader(vs_pass, fs_varying);
    rig_positions(RIG_VA, corners, 2);
    rig_set(ADRENO_REG_GRAS_CL_CNTL,
            adreno_pack_GRAS_CL_CNTL(&(struct adreno_GRAS_CL_CNTL){.CLIP_DISABLE = true,
                                                                   .VP_CLIP_CODE_IGNORE = true,
                                                                   .VP_XFORM_DISABLE = true,
                                                                   .PERSP_DIVISION_DISABLE = true}));
    rig_set(ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE, 1 | 2 << 2);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_RECTLIST, 2));
    assert_int_equal(rig_drawn(), 16 * 4);
    assert_float_equal(bits_float(rig.pixels[16][8]), 8.5f, 1e-4f);
    assert_float_equal(bits_float(rig.pixels[19][23]), 23.5f, 1e-4f);
}

/* ---- fetch ---- */

/* Attribute 1 goes to r3; the fragment shader sees it flat. */
static void vs_attribute(struct adreno_wave *wave)
{
    memcpy(adreno_wave_row(wave, 4), adreno_wave_row(wave, 12), wave->lanes * 4);
    memcpy(adreno_wave_row(wave, 5), adreno_wave_row(wave, 13), wave->lanes * 4);
}

static uint32_t fetch_texel(struct adreno_VFD_FETCH_INSTR instr, uint32_t size_B, unsigned channel)
{
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_VFD_CNTL_0, 2 | 2u << 8);
    instr.IDX = 1;
    rig_set64(ADRENO_REG_VFD_VERTEX_BUFFER_BASE + 4, RIG_VA + 0x800);
    rig_set(ADRENO_REG_VFD_VERTEX_BUFFER_SIZE + 4, size_B);
    rig_set(ADRENO_REG_VFD_VERTEX_BUFFER_STRIDE + 4, 0);
    rig_set(ADRENO_REG_VFD_FETCH_INSTR + 2, adreno_pack_VFD_FETCH_INSTR(&instr));
    /* the channel that is asked for, in r3.x */
    rig_set(ADRENO_REG_VFD_DEST_CNTL + 1, 1u << channel | (12 - channel) << 4);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    return rig.pixels[3][3];
}

static void test_formats_of_vertices(void **state)
{
    static const struct {
        uint8_t format, swap;
        bool is_float;
        unsigned channel;
        uint32_t expected;
    } rows[] = {
        {48, 0, true, 0, 0x3f800000},  /* 8_8_8_8_UNORM of 0x8040c0ff: 255 / 255 */
        {48, 1, true, 2, 0x3f800000},  /* WXYZ: the lowest byte is z */
        {48, 1, true, 0, 0x3e808081},  /* and x the third, 0x40 / 255 */
        {51, 0, false, 1, 0xc0},       /* UINT */
        {52, 0, false, 1, 0xffffffc0}, /* SINT */
        {52, 0, true, 1, 0xc2800000},  /* SINT as float: -64 */
        {51, 0, true, 1, 0x43400000},  /* UINT as float: 192 */
        {50, 0, true, 3, 0xbf800000},  /* SNORM: -128 is -1 */
        {75, 0, false, 0, 0x8040c0ff}, /* 32_UINT */
        {75, 0, false, 1, 0},          /* what is missing */
        {75, 0, false, 3, 1},          {74, 0, true, 3, 0x3f800000},
        {69, 0, true, 1, 0xb6800000}, /* 16_16_FLOAT: 0x8040 is -2^-18 */
        {58, 0, false, 3, 2},         /* 10_10_10_2_UINT */
        {58, 0, false, 1, 0x30},
    };
    const uint32_t word = 0x8040c0ff;
    use_shader(vs_attribute, fs_flat);
    memcpy(rig.memory + 0x800, &word, sizeof(word));
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t got = fetch_texel(
            (struct adreno_VFD_FETCH_INSTR){.FORMAT = rows[i].format, .SWAP = rows[i].swap, .FLOAT = rows[i].is_float},
            4, rows[i].channel);
        assert_int_equal(got, rows[i].expected);
    }
}

static void test_elements_outside_the_buffer_are_zero(void **state)
{
    const uint32_t word = 0x8040c0ff;
    use_shader(vs_attribute, fs_flat);
    memcpy(rig.memory + 0x800, &word, sizeof(word));
    assert_int_equal(fetch_texel((struct adreno_VFD_FETCH_INSTR){.FORMAT = 75}, 4, 0), word);
    assert_int_equal(fetch_texel((struct adreno_VFD_FETCH_INSTR){.FORMAT = 75}, 3, 0), 0);
    assert_int_equal(fetch_texel((struct adreno_VFD_FETCH_INSTR){.FORMAT = 75, .OFFSET = 4}, 4, 0), 0);
}

static void test_numbers_with_and_without_offsets(void **state)
{
    static const float vertices[7][4] = {[4] = {-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
    use_shader(vs_attribute, fs_flat);
    rig_positions(RIG_VA, vertices, 7);
    rig_set(ADRENO_REG_VFD_INDEX_OFFSET, 4);
    rig_set(ADRENO_REG_VFD_INSTANCE_START_OFFSET, 9);
    rig_set(ADRENO_REG_VFD_CNTL_1, 0xfcfcfc0cu); /* vertices */
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2], 0);
    rig_set(ADRENO_REG_VFD_MODE_CNTL, 1);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2], 4);
    rig_set(ADRENO_REG_VFD_CNTL_1, 0xfcfc0cfcu); /* instances */
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2], 0);
    rig_set(ADRENO_REG_VFD_MODE_CNTL, 2);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2], 9);
}

/* Lanes that do not ask keep what they have. */
static void fs_flat_of_odd_lanes(struct adreno_wave *wave)
{
    fs_seven(wave);
    adreno_gras_hooks.flat(wave, 0, adreno_wave_row(wave, 8),
                           lane_mask_and(wave->active, lane_mask_from_u64(0xaaaaaaaaaaaaaaaaull)));
}

static void test_varyings_of_some_lanes(void **state)
{
    use_shader(vs_pass, fs_flat_of_odd_lanes);
    rig_positions(RIG_VA, whole, 3);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2], 7);
    assert_float_equal(bits_float(rig.pixels[2][3]), -1, 0);
}

/* ---- points, faces, samples ---- */

static void test_points_have_their_size_and_coordinates(void **state)
{
    static const float middle[1][4] = {{0, 0, 0, 1}};
    use_shader(vs_pass, fs_varying);
    rig_positions(RIG_VA, middle, 1);
    rig_set(ADRENO_REG_GRAS_SU_POINT_SIZE, 8 * 16);
    rig_set(ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE, 1);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_POINTLIST, 1));
    assert_int_equal(rig_drawn(), 64);
    assert_float_equal(bits_float(rig.pixels[64][60]), 0.0625f, 1e-5f);
    assert_float_equal(bits_float(rig.pixels[60][67]), 0.9375f, 1e-5f);
}

static void test_culling_follows_the_winding(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 3);                     /* right, then down: clockwise */
    rig_set(ADRENO_REG_GRAS_SU_CNTL, 1u << 1 | 1u << 2); /* back faces; clockwise is front */
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_not_equal(rig_drawn(), 0);
    memset(rig.samples, 0, sizeof(rig.samples));
    rig_set(ADRENO_REG_GRAS_SU_CNTL, 1u << 1);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig_drawn(), 0);
}

/* The face is a half register: hr24.x is the lower half of r3.x's row... of component 12. */
static void test_the_face_is_a_half_register(void **state)
{
    use_shader(vs_pass, fs_copy_r3);
    rig_positions(RIG_VA, whole, 3);
    rig_set(ADRENO_REG_SP_REG_PROG_ID_0, 0xfcfcfc00u | 24);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2] & 0xffff, 0xffff); /* clockwise, and front faces are not */
    rig_set(ADRENO_REG_GRAS_SU_CNTL, 1u << 2);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 3));
    assert_int_equal(rig.pixels[2][2] & 0xffff, 0);
}

static void test_coordinates_are_sixteenths(void **state)
{
    use_shader(vs_pass, fs_copy_r3);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_SP_REG_PROG_ID_2, 0xfc0cfcfcu);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.pixels[9][33], 33 * 16 + 8);
}

static void test_per_sample_shading_runs_for_each(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL, ADRENO_MSAA_SAMPLES_FOUR);
    rig_set(ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL, ADRENO_MSAA_SAMPLES_FOUR);
    rig.samples_log2 = 2;
    rig.gpu->counters.counts_fragments = true;
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.samples[50][50], 15);
    uint64_t once = rig.gpu->counters.stats[ADRENO_STAT_PS_INVOCATIONS];
    rig_set(ADRENO_REG_GRAS_LRZ_PS_SAMPLEFREQ_CNTL, 1);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_PS_INVOCATIONS] - once, RIG_SIZE * RIG_SIZE * 4);
    rig_set(ADRENO_REG_GRAS_LRZ_PS_SAMPLEFREQ_CNTL, 0);
    rig_set(ADRENO_REG_GRAS_LRZ_PS_INPUT_CNTL, 1); /* the sample's number is an input */
    uint64_t twice = rig.gpu->counters.stats[ADRENO_STAT_PS_INVOCATIONS];
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_PS_INVOCATIONS] - twice, RIG_SIZE * RIG_SIZE * 4);
}

static void test_without_multisampling_a_pixel_has_all_samples(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig.sample_mask = 5;
    rig.samples_log2 = 2;
    rig_set(ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL, ADRENO_MSAA_SAMPLES_FOUR | 1u << 2);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.samples[50][50], 5);
}

static void test_other_samples_than_the_targets_stop(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL, ADRENO_MSAA_SAMPLES_FOUR);
    rig_set(ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL, ADRENO_MSAA_SAMPLES_FOUR);
    rig.samples_log2 = 1;
    assert_false(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_non_null(strstr(rig.stop, "samples"));
}

static void test_a_draw_without_end_stops(void **state)
{
    const struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_POINTLIST,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .instance_count = UINT32_MAX,
                                     .count = UINT32_MAX};
    use_shader(vs_pass, fs_seven);
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_CNTL, 1 | 16u << 2);
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_VIEWMASK, 0xffff);
    assert_false(adreno_draw(rig.gpu, &draw));
    assert_non_null(strstr(rig.stop, "instances"));
}

/* ---- views ---- */

static void test_views_go_to_their_layers(void **state)
{
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_CNTL, 1 | 1u << 1 | 3u << 2);
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_VIEWMASK, 5);
    rig_set(ADRENO_REG_GRAS_SU_CNTL, 1u << 17 | 1u << 18);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4));
    assert_int_equal(rig.layers[7][7], 1 << 0 | 1 << 2);
}

static void vs_viewport(struct adreno_wave *wave)
{
    vs_pass(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, 12)[lane] = lane >= 6;
}

/* Of four triangles in a square the lower two have the second viewport, whose scissor is the left half. */
static void test_vertices_choose_their_viewport(void **state)
{
    use_shader(vs_viewport, fs_seven);
    quarters();
    rig_set(ADRENO_REG_SP_VS_OUTPUT_CNTL, 3);
    rig_set(ADRENO_REG_SP_VS_OUTPUT + 1, 0x010c);
    rig_set(ADRENO_REG_SP_VS_VPC_DEST, 0x060200);
    rig_set(ADRENO_REG_VPC_VS_CNTL, 7 | 2u << 8 | 0xffu << 16);
    rig_set(ADRENO_REG_VPC_VS_SIV_CNTL, 0x06ff);
    rig_set(ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_BR + 2, (RIG_SIZE / 2 - 1) | (RIG_SIZE - 1) << 16);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 12));
    const unsigned near = RIG_SIZE / 8 + 4, far = near + RIG_SIZE / 2;
    assert_int_equal(rig.pixels[near][near], 7);
    assert_int_equal(rig.pixels[near][far], 7);
    assert_int_equal(rig.pixels[far][near], 7);
    assert_int_equal(rig.pixels[far][far], 0);
    rig_set(ADRENO_REG_VPC_VS_SIV_CNTL, 0xffff);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 12));
    assert_int_equal(rig.pixels[far][far], 7);
}

/* ---- stream out ---- */

static void test_stream_out_writes_what_fits(void **state)
{
    const uint64_t buffer_B = 0x2000;
    use_shader(vs_pass, fs_seven);
    rig_positions(RIG_VA, whole, 4);
    rig_set(ADRENO_REG_VPC_SO_CNTL, 1u << 15);
    rig.gpu->so_mapping[0] = adreno_pack_VPC_SO_MAPPING_PORT(
        &(struct adreno_VPC_SO_MAPPING_PORT){.A_EN = true, .A_OFF = 0, .B_EN = true, .B_OFF = 4});
    rig_set64(ADRENO_REG_VPC_SO_BUFFER_BASE, RIG_VA + buffer_B);
    rig_set(ADRENO_REG_VPC_SO_BUFFER_STRIDE,
            adreno_pack_VPC_SO_BUFFER_STRIDE(&(struct adreno_VPC_SO_BUFFER_STRIDE){.VALUE = 8}));
    rig_set(ADRENO_REG_VPC_SO_BUFFER_SIZE, 16 + 24 + 20);
    rig.gpu->counters.so_offset_B[0] = 16;
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRISTRIP, 4)); /* two triangles, of which one fits */
    float out[16];
    memcpy(out, rig.memory + buffer_B, sizeof(out));
    for (unsigned v = 0; v < 3; v++) {
        assert_float_equal(out[4 + 2 * v], whole[v][0], 0);
        assert_float_equal(out[5 + 2 * v], whole[v][1], 0);
    }
    assert_float_equal(out[10], 0, 0);
    assert_int_equal(rig.gpu->counters.so_written[0], 1);
    assert_int_equal(rig.gpu->counters.so_generated[0], 2);
    assert_int_equal(rig.gpu->counters.so_offset_B[0], 40);
}

/* ---- bins ---- */

static void plain_bins(uint32_t prim_limit_B)
{
    /* four bins of 64 by 64, in one pipe */
    rig_set(ADRENO_REG_VSC_BIN_SIZE, 2 | 4u << 8);
    rig_set(ADRENO_REG_VSC_EXPANDED_BIN_CNTL, 2u << 1 | 2u << 11);
    rig_set(ADRENO_REG_VSC_PIPE_CONFIG, 2u << 20 | 2u << 26);
    rig_set64(ADRENO_REG_VSC_SIZE_BASE, RIG_VA + 0x8000);
    rig_set64(ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE, RIG_VA + 0x9000);
    rig_set(ADRENO_REG_VSC_PIPE_DATA_DRAW_STRIDE, 0x100);
    rig_set(ADRENO_REG_VSC_PIPE_DATA_DRAW_LENGTH, 0xc0);
    rig_set64(ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE, RIG_VA + 0xa000);
    rig_set(ADRENO_REG_VSC_PIPE_DATA_PRIM_STRIDE, 0x100);
    rig_set(ADRENO_REG_VSC_PIPE_DATA_PRIM_LENGTH, prim_limit_B);
}

/* A triangle in each quarter but the last, then one in the last. */
static bool draw_quarters(enum adreno_pass pass, const struct adreno_bin *bin)
{
    const struct adreno_draw first = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                                      .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                      .instance_count = 1,
                                      .count = 9,
                                      .pass = pass,
                                      .has_visibility = true,
                                      .bin = bin};
    struct adreno_draw second = first;
    second.count = 3;
    rig_set(ADRENO_REG_VFD_INDEX_OFFSET, 0);
    if (!adreno_draw(rig.gpu, &first))
        return false;
    rig_set(ADRENO_REG_VFD_INDEX_OFFSET, 9);
    return adreno_draw(rig.gpu, &second);
}

static uint32_t vertices_shaded(const struct adreno_bin *bin)
{
    shaded = 0;
    assert_true(draw_quarters(ADRENO_PASS_GMEM, bin));
    return shaded;
}

static void test_bins_skip_what_they_do_not_show(void **state)
{
    use_shader(vs_counting, fs_seven);
    quarters();
    plain_bins(0xc0);
    rig.gpu->counters.counts_primitives = true;
    assert_true(adreno_vsc_begin(rig.gpu));
    assert_true(draw_quarters(ADRENO_PASS_BINNING, NULL));
    assert_true(adreno_vsc_end(rig.gpu));
    assert_int_equal(rig_drawn(), 0);
    assert_int_equal(rig.gpu->regs[ADRENO_REG_VSC_CHANNEL_VISIBILITY], 15);
    assert_int_equal(rig.gpu->regs[ADRENO_REG_VSC_PIPE_DATA_DRAW_SIZE], 16);
    assert_int_equal(rig.gpu->regs[ADRENO_REG_VSC_PIPE_DATA_PRIM_SIZE], 4 * 4);
    for (uint32_t n = 0; n < 4; n++) {
        const struct adreno_bin bin = {.serial = n + 1,
                                       .draw_va = RIG_VA + 0x9000,
                                       .size_va = RIG_VA + 0x8000,
                                       .prim_va = RIG_VA + 0xa000,
                                       .pipe_bin = n,
                                       .pipe_size = 4};
        assert_int_equal(vertices_shaded(&bin), 3);
    }
    assert_int_equal(rig.gpu->counters.stats[ADRENO_STAT_IA_PRIMITIVES], 4); /* of the binning pass alone */
    assert_int_equal(vertices_shaded(NULL), 12);
}

/* Of a hundred triangles numbers 32 and 70 are in the second bin, all others in the first. */
static void test_a_bin_finds_the_few_that_it_shows(void **state)
{
    static float vertices[300][4];
    use_shader(vs_counting, fs_seven);
    for (unsigned i = 0; i < 300; i++) {
        vertices[i][0] = (i / 3 == 32 || i / 3 == 70 ? 0.25f : -0.75f) + (i % 3 == 1 ? 0.5f : 0);
        vertices[i][1] = -0.75f + (i % 3 == 2 ? 0.5f : 0);
        vertices[i][3] = 1;
    }
    rig_positions(RIG_VA + 0x20000, (const float(*)[4])vertices, 300);
    plain_bins(0xc0);
    struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                               .source = ADRENO_SRC_SEL_AUTO_INDEX,
                               .instance_count = 1,
                               .count = 300,
                               .pass = ADRENO_PASS_BINNING,
                               .has_visibility = true};
    assert_true(adreno_vsc_begin(rig.gpu));
    assert_true(adreno_draw(rig.gpu, &draw) && adreno_draws_finish(rig.gpu));
    assert_true(adreno_vsc_end(rig.gpu));
    for (uint32_t n = 0; n < 2; n++) {
        const struct adreno_bin bin = {.serial = n + 1,
                                       .draw_va = RIG_VA + 0x9000,
                                       .size_va = RIG_VA + 0x8000,
                                       .prim_va = RIG_VA + 0xa000,
                                       .pipe_bin = n,
                                       .pipe_size = 4};
        draw.pass = ADRENO_PASS_GMEM;
        draw.bin = &bin;
        shaded = 0;
        assert_true(adreno_draw(rig.gpu, &draw) && adreno_draws_finish(rig.gpu));
        assert_int_equal(shaded, n ? 6 : 294);
    }
}

static void test_after_an_overflow_the_rest_is_visible(void **state)
{
    use_shader(vs_counting, fs_seven);
    quarters();
    plain_bins(8); /* the first draw needs 12 bytes */
    memset(rig.memory + 0xa000, 0xee, 0x100);
    assert_true(adreno_vsc_begin(rig.gpu));
    assert_true(draw_quarters(ADRENO_PASS_BINNING, NULL));
    assert_true(adreno_vsc_end(rig.gpu));
    assert_int_equal(rig.gpu->regs[ADRENO_REG_VSC_PIPE_DATA_PRIM_SIZE], 16);
    assert_int_equal(rig.memory[0xa000], 0xee);
    const struct adreno_bin bin = {
        .serial = 1, .draw_va = RIG_VA + 0x9000, .size_va = RIG_VA + 0x8000, .prim_va = RIG_VA + 0xa000, .pipe_bin = 0};
    assert_int_equal(vertices_shaded(&bin), 9); /* the draw is visible there, with all that it has */
}

static void test_other_draws_than_were_binned_stop(void **state)
{
    use_shader(vs_pass, fs_seven);
    quarters();
    plain_bins(0xc0);
    assert_true(adreno_vsc_begin(rig.gpu));
    assert_true(draw_quarters(ADRENO_PASS_BINNING, NULL));
    assert_true(adreno_vsc_end(rig.gpu));
    const struct adreno_bin bin = {
        .serial = 1, .draw_va = RIG_VA + 0x9000, .size_va = RIG_VA + 0x8000, .prim_va = RIG_VA + 0xa000};
    const struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .instance_count = 1,
                                     .count = 6,
                                     .pass = ADRENO_PASS_GMEM,
                                     .has_visibility = true,
                                     .bin = &bin};
    assert_false(adreno_draw(rig.gpu, &draw));
    assert_non_null(strstr(rig.stop, "visibility"));
}

static void test_many_primitives_keep_their_order(void **state)
{
    /* 2000 quads on top of each other, in rounds and batches of any worker: the last one wins */
    use_shader(vs_pass, fs_flat);
    static float vertices[6000][4];
    for (unsigned i = 0; i < 6000; i++) {
        memcpy(vertices[i], whole[i % 3], sizeof(vertices[i]));
        vertices[i][0] = i % 3 == 0 ? -1 - (float)i / 1000 : vertices[i][0];
    }
    rig_positions(RIG_VA + 0x20000, (const float(*)[4])vertices, 6000);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 6000));
    assert_float_equal(bits_float(rig.pixels[1][1]), vertices[5997][0], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_strip_covers_every_pixel_once),
        TEST(test_varyings_are_interpolated_at_centres),
        TEST(test_scissors_include_their_last_pixel),
        TEST(test_provoking_vertex_is_first_or_last),
        TEST(test_restart_begins_a_new_strip),
        TEST(test_indices_after_the_buffer_are_zero),
        TEST(test_lists_are_drawn_as_by_single_indices),
        TEST(test_a_fault_of_the_index_buffer_stops),
        TEST(test_topologies_have_their_primitives),
        TEST(test_a_rectangle_has_two_corners),
        TEST(test_formats_of_vertices),
        TEST(test_elements_outside_the_buffer_are_zero),
        TEST(test_numbers_with_and_without_offsets),
        TEST(test_varyings_of_some_lanes),
        TEST(test_points_have_their_size_and_coordinates),
        TEST(test_culling_follows_the_winding),
        TEST(test_the_face_is_a_half_register),
        TEST(test_coordinates_are_sixteenths),
        TEST(test_per_sample_shading_runs_for_each),
        TEST(test_without_multisampling_a_pixel_has_all_samples),
        TEST(test_other_samples_than_the_targets_stop),
        TEST(test_a_draw_without_end_stops),
        TEST(test_views_go_to_their_layers),
        TEST(test_vertices_choose_their_viewport),
        TEST(test_stream_out_writes_what_fits),
        TEST(test_bins_skip_what_they_do_not_show),
        TEST(test_a_bin_finds_the_few_that_it_shows),
        TEST(test_after_an_overflow_the_rest_is_visible),
        TEST(test_other_draws_than_were_binned_stop),
        TEST(test_many_primitives_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
