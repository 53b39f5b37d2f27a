/* Draws with geometry shaders: fibers and their headers, strips, streams, adjacent vertices. */
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
#define PRIM_ID 21
#define FLAGS 24 /* r6.x */
#define BEGIN 4u
#define VERTEX_B 16

static uint32_t prim_of(const struct adreno_wave *wave, unsigned lane)
{
    return adreno_wave_row((struct adreno_wave *)wave, HEADER)[lane] & 63;
}

static uint32_t field(struct adreno_wave *wave, unsigned lane, unsigned shift, uint32_t mask)
{
    return adreno_wave_row(wave, HEADER)[lane] >> shift & mask;
}

static bool is_launched(const struct adreno_wave *wave, unsigned lane)
{
    return lane_mask_has(wave->launched, lane);
}

/* The position of each vertex, three for a primitive. */
static unsigned inputs;
static void vs_store(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        if (!is_launched(wave, lane))
            continue;
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t at = (prim_of(wave, lane) * inputs + field(wave, lane, 6, 31)) * VERTEX_B + c * 4;
            assert_true(at + 4 <= wave->launch->local_size_B);
            memcpy(wave->local + at, &adreno_wave_row(wave, c)[lane], 4);
        }
    }
}

static void load_value(struct adreno_wave *wave, unsigned lane, unsigned vertex)
{
    for (unsigned c = 0; c < 4; c++)
        memcpy(&adreno_wave_row(wave, c)[lane],
               wave->local + (prim_of(wave, lane) * inputs + vertex) * VERTEX_B + c * 4, 4);
}

/* The primitive as it came. */
static void gs_pass(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        if (!is_launched(wave, lane))
            continue;
        const unsigned output = field(wave, lane, 16, 1023);
        load_value(wave, lane, output);
        adreno_wave_row(wave, FLAGS)[lane] = output ? 0 : BEGIN;
        adreno_wave_row(wave, 4)[lane] = adreno_wave_row(wave, PRIM_ID)[lane];
        adreno_wave_row(wave, 5)[lane] = field(wave, lane, 11, 31);
    }
}

/* As gs_pass, but vertices of odd primitives are not given. */
static void gs_even(struct adreno_wave *wave)
{
    gs_pass(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        if (adreno_wave_row(wave, PRIM_ID)[lane] & 1)
            wave->killed = lane_mask_with(wave->killed, lane);
    }
}

/* Points of four streams. */
static void gs_streams(struct adreno_wave *wave)
{
    gs_pass(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, FLAGS)[lane] = BEGIN | field(wave, lane, 16, 3);
}

/* A strip of four vertices that cover everything, of one point. */
static void gs_whole(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const unsigned output = field(wave, lane, 16, 1023);
        adreno_wave_row(wave, 0)[lane] = float_bits(output & 1 ? 1 : -1);
        adreno_wave_row(wave, 1)[lane] = float_bits(output & 2 ? 1 : -1);
        adreno_wave_row(wave, 2)[lane] = 0;
        adreno_wave_row(wave, 3)[lane] = float_bits(1);
        adreno_wave_row(wave, FLAGS)[lane] = output ? 0 : BEGIN;
    }
}

static void fs_seven(struct adreno_wave *wave)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, 8)[lane] = 7;
}

static void use_shader(void (*gs)(struct adreno_wave *), unsigned vertices_in, unsigned vertices_out,
                       unsigned invocations, enum adreno_TESS_OUTPUT output)
{
    rig.vs = vs_store;
    rig.gs = gs;
    rig.fs = fs_seven;
    inputs = vertices_in;
    rig_set(ADRENO_REG_VFD_CNTL_1, 0xfc00fcfcu | PRIM_ID << 16);
    rig_set(ADRENO_REG_VFD_CNTL_5, HEADER | 0xfcu << 8);
    rig_set(ADRENO_REG_PC_PRIMITIVE_CNTL_6, vertices_in);
    const struct adreno_PC_GS_PARAM_0 param = {
        .GS_VERTICES_OUT = vertices_out - 1, .GS_INVOCATIONS = invocations - 1, .GS_OUTPUT = output};
    rig_set(ADRENO_REG_PC_GS_PARAM_0, adreno_pack_PC_GS_PARAM_0(&param));
    rig_set(ADRENO_REG_SP_GS_OUTPUT_CNTL,
            adreno_pack_SP_GS_OUTPUT_CNTL(&(struct adreno_SP_GS_OUTPUT_CNTL){.OUT = 2, .FLAGS_REGID = FLAGS}));
    rig_set(ADRENO_REG_SP_GS_OUTPUT, 0x0304u | 0x0f00u << 16);
    rig_set(ADRENO_REG_SP_GS_VPC_DEST, 0x0200);
    rig_set(ADRENO_REG_VPC_GS_CNTL, 6 | 2u << 8 | 0xffu << 16);
    rig_set(ADRENO_REG_VPC_GS_SIV_CNTL, 0xffff);
}

static const float corners[8][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1},
                                    {1, -1, 0, 1},  {1, 1, 0, 1},  {-1, 1, 0, 1}};

static void test_primitives_pass_through(void **state)
{
    use_shader(gs_pass, 3, 3, 1, ADRENO_TESS_OUTPUT_CW_TRIS);
    rig_positions(RIG_VA, corners, 6);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 6));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
}

static void test_killed_fibers_give_no_vertex(void **state)
{
    use_shader(gs_even, 3, 3, 1, ADRENO_TESS_OUTPUT_CW_TRIS);
    rig_positions(RIG_VA, corners, 6);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_TRILIST, 6));
    assert_in_range(rig_drawn(), RIG_SIZE * RIG_SIZE / 2 - RIG_SIZE, RIG_SIZE * RIG_SIZE / 2 + RIG_SIZE);
    assert_int_equal(rig.pixels[RIG_SIZE - 1][RIG_SIZE - 1], 0);
}

static void test_strips_cover_every_pixel_once(void **state)
{
    use_shader(gs_whole, 1, 4, 1, ADRENO_TESS_OUTPUT_CW_TRIS);
    rig_positions(RIG_VA, corners, 1);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_POINTLIST, 1));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
}

/* ---- what stream out sees ---- */

#define BUFFER_B 4096

static const float *stream_out(uint32_t streams)
{
    const struct adreno_VPC_SO_MAPPING_PORT both = {.A_EN = true, .A_OFF = 0, .B_EN = true, .B_OFF = 4};
    const struct adreno_VPC_SO_MAPPING_PORT buffer1 = {
        .A_EN = true, .A_BUF = 1, .A_OFF = 0, .B_EN = true, .B_BUF = 1, .B_OFF = 4};
    rig_set(ADRENO_REG_VPC_SO_CNTL, streams << 15);
    rig.gpu->so_mapping[0] = adreno_pack_VPC_SO_MAPPING_PORT(&both);
    rig.gpu->so_mapping[64] = adreno_pack_VPC_SO_MAPPING_PORT(&buffer1);
    for (unsigned b = 0; b < 2; b++) {
        const uint32_t at = b * ADRENO_REG_VPC_SO_BUFFER_BASE_STRIDE;
        rig_set64(ADRENO_REG_VPC_SO_BUFFER_BASE + at, RIG_VA + BUFFER_B * (b + 1));
        rig_set(ADRENO_REG_VPC_SO_BUFFER_STRIDE + at,
                adreno_pack_VPC_SO_BUFFER_STRIDE(&(struct adreno_VPC_SO_BUFFER_STRIDE){.VALUE = 8}));
        rig_set(ADRENO_REG_VPC_SO_BUFFER_SIZE + at, BUFFER_B);
    }
    return (const float *)(rig.memory + BUFFER_B);
}

/* A primitive with more vertices than a wave has fibers; its second wave finds the first one's local memory. */
static void test_fibers_of_several_waves(void **state)
{
    use_shader(gs_pass, 1, 1, 32, ADRENO_TESS_OUTPUT_POINTS);
    const uint32_t *words = (const uint32_t *)stream_out(1);
    rig_positions(RIG_VA, corners, 5);
    assert_true(rig_draw(ADRENO_PRIM_TYPE_POINTLIST, 5));
    assert_int_equal(rig.gpu->counters.so_written[0], 5 * 32);
    for (unsigned i = 0; i < 5 * 32; i++) {
        assert_int_equal(words[2 * i], i / 32);
        assert_int_equal(words[2 * i + 1], i % 32);
    }
    use_shader(gs_whole, 1, 100, 2, ADRENO_TESS_OUTPUT_CW_TRIS);
    rig.gpu->counters.so_generated[0] = 0;
    assert_true(rig_draw(ADRENO_PRIM_TYPE_POINTLIST, 3));
    assert_int_equal(rig.gpu->counters.so_generated[0], 3 * 2 * 98);
}

static void test_streams(void **state)
{
    use_shader(gs_streams, 1, 4, 1, ADRENO_TESS_OUTPUT_POINTS);
    const uint32_t *words = (const uint32_t *)stream_out(15);
    rig_positions(RIG_VA, corners, 6);
    rig_set(ADRENO_REG_VPC_RAST_STREAM_CNTL, 2);
    inputs = 1;
    assert_true(rig_draw(ADRENO_PRIM_TYPE_POINTLIST, 3));
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(rig.gpu->counters.so_generated[s], 3);
    assert_int_equal(words[4], 2);
    assert_int_equal(words[BUFFER_B / 4 + 4], 2);
    assert_int_equal(rig.gpu->counters.so_offset_B[0], 24);
    assert_int_equal(rig.gpu->counters.so_offset_B[1], 24);
    assert_int_equal(rig.gpu->counters.so_offset_B[2], 0);
}

/* The vertices of each primitive as the geometry shader sees them: x is the vertex's number. */
static void gs_places(struct adreno_wave *wave)
{
    gs_pass(wave);
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        adreno_wave_row(wave, 5)[lane] = adreno_wave_row(wave, 0)[lane];
}

static void check_places(enum adreno_PRIM_TYPE type, unsigned count, unsigned vertices, unsigned prims,
                         const uint8_t *expected)
{
    float positions[16][4] = {{0}};
    use_shader(gs_places, vertices, vertices, 1, ADRENO_TESS_OUTPUT_POINTS);
    const float *words = stream_out(1);
    for (unsigned i = 0; i < 16; i++)
        positions[i][0] = (float)i;
    memset(&rig.gpu->counters, 0, sizeof(rig.gpu->counters));
    rig_positions(RIG_VA, (const float(*)[4])positions, 16);
    assert_true(rig_draw(type, count));
    assert_int_equal(rig.gpu->counters.so_written[0], prims * vertices);
    for (unsigned i = 0; i < prims * vertices; i++)
        assert_int_equal((int)words[2 * i + 1], expected[i]);
}

static void test_adjacent_vertices(void **state)
{
    check_places(ADRENO_PRIM_TYPE_LINESTRIP_ADJ, 5, 4, 2, (const uint8_t[]){0, 1, 2, 3, 1, 2, 3, 4});
    check_places(ADRENO_PRIM_TYPE_TRI_ADJ, 6, 6, 1, (const uint8_t[]){0, 1, 2, 3, 4, 5});
    check_places(ADRENO_PRIM_TYPE_TRISTRIP_ADJ, 6, 6, 1, (const uint8_t[]){0, 1, 2, 5, 4, 3});
    check_places(ADRENO_PRIM_TYPE_TRISTRIP_ADJ, 10, 6, 3,
                 (const uint8_t[]){0, 1, 2, 6, 4, 3, 4, 0, 2, 5, 6, 8, 4, 2, 6, 9, 8, 7});
    check_places(ADRENO_PRIM_TYPE_TRISTRIP, 4, 3, 2, (const uint8_t[]){0, 1, 2, 1, 3, 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_primitives_pass_through, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_killed_fibers_give_no_vertex, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_strips_cover_every_pixel_once, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_fibers_of_several_waves, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_streams, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_adjacent_vertices, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
