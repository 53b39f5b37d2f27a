/* Whole draws without a command processor: registers set by hand, shaders assembled here, the target read from memory.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/cp/cp_draw.h"
#include "amd/model/ge/ge.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (16u << 20)
#define CODE_VA BASE_VA
#define TARGET_VA (BASE_VA + (1u << 20))
#define DEPTH_VA (BASE_VA + (8u << 20))
#define INDEX_VA (BASE_VA + (12u << 20))
#define SIZE 128

struct rig {
    struct gpu_space space;
    int fd;
    struct workers *workers;
    struct spi *spi;
    struct ge *ge;
    struct cp_registers registers;
    struct cp_counters counters;
    _Atomic bool killed;
};

/* Vertex 0, 1, 2: the corners (-1, -1), (3, -1), (-1, 3). Behind them, every three vertices: the same triangle, with
 * the triangle's number / 256 as depth and as the third channel of its parameter. */
static const char vertex_text[] = "v_mul_hi_u32 v5, v0, 0x55555556\n" /* v0 / 3 */
                                  "v_mul_lo_u32 v6, v5, 3\n"
                                  "v_sub_nc_u32 v6, v0, v6\n" /* v0 % 3 */
                                  "v_and_b32 v1, 1, v6\n"
                                  "v_lshlrev_b32 v1, 2, v1\n"
                                  "v_add_nc_u32 v1, -1, v1\n"
                                  "v_cvt_f32_i32 v1, v1\n"
                                  "v_and_b32 v2, 2, v6\n"
                                  "v_lshlrev_b32 v2, 1, v2\n"
                                  "v_add_nc_u32 v2, -1, v2\n"
                                  "v_cvt_f32_i32 v2, v2\n"
                                  "v_cvt_f32_u32 v3, v5\n"
                                  "v_mul_f32 v3, 0x3b800000, v3\n"
                                  "v_mov_b32 v4, 1.0\n"
                                  "exp pos0 v1, v2, v3, v4 done\n"
                                  "exp param0 v1, v2, v3, v4\n"
                                  "s_endpgm\n";

static const char pixel_text[] = "s_mov_b32 m0, s0\n"
                                 "v_interp_p1_f32 v2, v0, attr0.x\n"
                                 "v_interp_p2_f32 v2, v1, attr0.x\n"
                                 "v_interp_p1_f32 v3, v0, attr0.y\n"
                                 "v_interp_p2_f32 v3, v1, attr0.y\n"
                                 "v_interp_mov_f32 v4, p0, attr0.z\n"
                                 "v_mov_b32 v5, 1.0\n"
                                 "exp mrt0 v2, v3, v4, v5 done vm\n"
                                 "s_endpgm\n";

static void *at(struct rig *rig, uint64_t va)
{
    return gpu_space_pointer(&rig->space, va, 1, GPU_PERM_READ | GPU_PERM_WRITE);
}

static void assemble(struct rig *rig, uint64_t va, const char *text)
{
    struct isa_asm_result result;
    bool good = amd_isa_assemble(ISA_GFX10_3, 64, text, strlen(text), &result);
    if (!good)
        print_error("line %u: %s\n", result.errors[0].line, result.errors[0].message);
    assert_true(good);
    memcpy(at(rig, va), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
}

#define SET(name, ...) cp_reg_set(&rig->registers, AMD_REG_##name##_GFX10_3, AMD_PACK(AMD_GFX10_3, name, __VA_ARGS__))

static void set_float(struct rig *rig, uint32_t offset_B, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    cp_reg_set(&rig->registers, offset_B, bits);
}

static void set_geometry(struct rig *rig)
{
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_TRILIST);
    SET(GE_MAX_VTX_INDX, .VALUE = UINT32_MAX);
    SET(SPI_SHADER_PGM_LO_VS, .VALUE = (uint32_t)(CODE_VA >> 8));
    SET(SPI_SHADER_PGM_RSRC1_VS, .VGPRS = 3, .FLOAT_MODE = 0xf0);
    SET(SPI_VS_OUT_CONFIG, .VS_EXPORT_COUNT = 0);
    set_float(rig, AMD_REG_PA_CL_VPORT_XSCALE_GFX10_3, SIZE / 2);
    set_float(rig, AMD_REG_PA_CL_VPORT_YSCALE_GFX10_3, SIZE / 2);
    set_float(rig, AMD_REG_PA_CL_VPORT_ZSCALE_GFX10_3, 1);
    set_float(rig, AMD_REG_PA_CL_VPORT_XOFFSET_GFX10_3, SIZE / 2);
    set_float(rig, AMD_REG_PA_CL_VPORT_YOFFSET_GFX10_3, SIZE / 2);
    set_float(rig, AMD_REG_PA_SC_VPORT_ZMAX_GFX10_3, 1);
    set_float(rig, AMD_REG_PA_CL_GB_HORZ_CLIP_ADJ_GFX10_3, 100);
    set_float(rig, AMD_REG_PA_CL_GB_VERT_CLIP_ADJ_GFX10_3, 100);
    set_float(rig, AMD_REG_PA_CL_GB_HORZ_DISC_ADJ_GFX10_3, 1);
    set_float(rig, AMD_REG_PA_CL_GB_VERT_DISC_ADJ_GFX10_3, 1);
    SET(PA_CL_CLIP_CNTL, .DX_CLIP_SPACE_DEF = true);
    SET(PA_CL_VTE_CNTL, .VPORT_X_SCALE_ENA = true, .VPORT_X_OFFSET_ENA = true, .VPORT_Y_SCALE_ENA = true,
        .VPORT_Y_OFFSET_ENA = true, .VPORT_Z_SCALE_ENA = true, .VPORT_Z_OFFSET_ENA = true, .VTX_W0_FMT = true);
    SET(PA_SU_VTX_CNTL, .PIX_CENTER = true, .ROUND_MODE = AMD_VTX_ROUND_ROUND_TO_EVEN,
        .QUANT_MODE = AMD_VTX_QUANT_16_8_FIXED_POINT_1_256TH);
    SET(PA_SC_SCREEN_SCISSOR_BR, .BR_X = 16384, .BR_Y = 16384);
    SET(PA_SC_WINDOW_SCISSOR_BR, .BR_X = 16384, .BR_Y = 16384);
    SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = 16384, .BR_Y = 16384);
    SET(PA_SC_CLIPRECT_RULE, .CLIP_RULE = 0xffff);
    SET(PA_SC_AA_MASK_X0Y0_X1Y0, .AA_MASK_X0Y0 = 0xffff, .AA_MASK_X1Y0 = 0xffff);
    SET(PA_SC_AA_MASK_X0Y1_X1Y1, .AA_MASK_X0Y1 = 0xffff, .AA_MASK_X1Y1 = 0xffff);
}

static void set_pixels(struct rig *rig, enum amd_SW_MODE mode)
{
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)(CODE_VA >> 8) + 16);
    SET(SPI_SHADER_PGM_RSRC1_PS, .VGPRS = 3, .FLOAT_MODE = 0xf0);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true);
    SET(SPI_PS_IN_CONTROL, .NUM_INTERP = 1);
    SET(SPI_SHADER_COL_FORMAT, .COL0_EXPORT_FORMAT = AMD_EXPORT_FORMAT_32_ABGR);
    SET(DB_SHADER_CONTROL, .Z_ORDER = AMD_Z_ORDER_EARLY_Z_THEN_LATE_Z);
    SET(CB_TARGET_MASK, .TARGET0_ENABLE = 15);
    SET(CB_SHADER_MASK, .OUTPUT0_ENABLE = 15);
    SET(CB_COLOR_CONTROL, .MODE = AMD_CB_MODE_NORMAL, .ROP3 = AMD_ROP3_COPY);
    SET(CB_COLOR_BASE, .VALUE = (uint32_t)(TARGET_VA >> 8));
    SET(CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_32_32_32_32, .NUMBER_TYPE = AMD_NUMBER_TYPE_FLOAT);
    SET(CB_COLOR_ATTRIB2, .MIP0_WIDTH = SIZE - 1, .MIP0_HEIGHT = SIZE - 1);
    SET(CB_COLOR_ATTRIB3, .COLOR_SW_MODE = mode, .RESOURCE_TYPE = AMD_RESOURCE_TYPE_2D);
}

static void set_depth(struct rig *rig)
{
    SET(DB_Z_INFO, .FORMAT = AMD_Z_FORMAT_32_FLOAT, .SW_MODE = AMD_SW_MODE_64KB_Z_X);
    SET(DB_DEPTH_SIZE_XY, .X_MAX = SIZE - 1, .Y_MAX = SIZE - 1);
    SET(DB_Z_READ_BASE, .VALUE = (uint32_t)(DEPTH_VA >> 8));
    SET(DB_Z_WRITE_BASE, .VALUE = (uint32_t)(DEPTH_VA >> 8));
    SET(DB_DEPTH_CONTROL, .Z_ENABLE = true, .Z_WRITE_ENABLE = true, .ZFUNC = AMD_COMPARE_GREATER);
}

static void begin(struct rig *rig, unsigned workers)
{
    memset(rig, 0, sizeof(*rig));
    rig->fd = memfd_create("ge", 0);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, BASE_VA, SIZE_B, 0xffff800000000000ull, 0), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_RWX), 0);
    rig->workers = workers_create(workers);
    rig->spi = amd_spi_create(rig->workers);
    rig->ge = amd_ge_create(amd_chip_find("navi21"), rig->workers, rig->spi);
    assert_non_null(rig->ge);
    assemble(rig, CODE_VA, vertex_text);
    assemble(rig, CODE_VA + 4096, pixel_text);
    set_geometry(rig);
    set_pixels(rig, AMD_SW_MODE_LINEAR);
}

static void end(struct rig *rig)
{
    amd_ge_destroy(rig->ge);
    amd_spi_destroy(rig->spi);
    workers_destroy(rig->workers);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

static bool draw(struct rig *rig, uint32_t count, uint32_t instances, bool indexed, struct ge_result *result)
{
    struct ge_draw draw = {.chip = amd_chip_find("navi21"),
                           .memory = &rig->space,
                           .registers = &rig->registers,
                           .counters = &rig->counters,
                           .killed = &rig->killed,
                           .count = count,
                           .instance_count = instances,
                           .indexed = indexed,
                           .index_va = INDEX_VA,
                           .index_available = count};
    memset(result, 0, sizeof(*result));
    return amd_ge_draw(rig->ge, &draw, result);
}

static const float *texel(struct rig *rig, uint32_t x, uint32_t y)
{
    return (const float *)at(rig, TARGET_VA) + ((size_t)y * SIZE + x) * 4;
}

static void expect_picture(struct rig *rig, float third)
{
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const float *got = texel(rig, x, y);
            assert_float_equal(got[0], (x + 0.5f) / (SIZE / 2) - 1, 1e-5f);
            assert_float_equal(got[1], (y + 0.5f) / (SIZE / 2) - 1, 1e-5f);
            assert_float_equal(got[2], third, 0);
            assert_float_equal(got[3], 1, 0);
        }
    }
}

static void test_triangle(void **state)
{
    struct rig rig;
    struct ge_result result;
    begin(&rig, 2);
    rig.counters.stats_on = true;
    assert_true(draw(&rig, 3, 1, false, &result));
    expect_picture(&rig, 0);
    assert_int_equal(rig.counters.stats[CP_STAT_PS_INVOCATIONS], SIZE * SIZE);
    assert_int_equal(rig.counters.stats[CP_STAT_VS_INVOCATIONS], 3);
    assert_int_equal(rig.counters.stats[CP_STAT_IA_PRIMITIVES], 1);
    end(&rig);
}

/* Many triangles over each other, through several batches: the last one is seen. */
static void test_order(void **state)
{
    struct rig rig;
    struct ge_result result;
    begin(&rig, 3);
    assert_true(draw(&rig, 3 * 255, 1, false, &result));
    expect_picture(&rig, 254 / 256.0f);
    end(&rig);
}

/* Indices in reverse, with restarts that cut nothing off; beyond the buffer's end every index is 0. */
static void test_indices(void **state)
{
    for (unsigned type = 0; type < 3; type++) {
        struct rig state_rig, *rig = &state_rig;
        struct ge_result result;
        begin(rig, 1);
        SET(VGT_INDEX_TYPE, .INDEX_TYPE = (enum amd_INDEX_TYPE)type);
        SET(GE_MULTI_PRIM_IB_RESET_EN, .RESET_EN = true);
        SET(VGT_MULTI_PRIM_IB_RESET_INDX, .VALUE = 0xffffffff);
        const uint32_t indices[] = {15, 16, 17, 0xffffffff, 9, 10, 0xffffffff, 6, 7, 8};
        for (unsigned i = 0; i < 10; i++) {
            uint8_t *to = at(rig, INDEX_VA);
            memcpy(type == AMD_INDEX_TYPE_8    ? to + i
                   : type == AMD_INDEX_TYPE_16 ? to + i * 2
                                               : to + i * 4,
                   &indices[i],
                   type == AMD_INDEX_TYPE_8    ? 1
                   : type == AMD_INDEX_TYPE_16 ? 2
                                               : 4);
        }
        assert_true(draw(rig, 3, 1, false, &result)); /* the same registers, without indices */
        expect_picture(rig, 0);
        assert_true(draw(rig, 10, 1, true, &result));
        expect_picture(rig, 2 / 256.0f);
        end(rig);
    }
}

static void test_depth(void **state)
{
    struct rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin(rig, 2);
    set_depth(rig);
    SET(DB_COUNT_CONTROL, .ZPASS_ENABLE = 1);
    assert_true(
        draw(rig, 3 * 40, 1, false,
             &result)); /* each is greater than the one before, but the first: nothing is greater than 0 there */
    expect_picture(rig, 39 / 256.0f);
    uint64_t passed = 0;
    for (unsigned i = 0; i < CP_MAX_BACKENDS; i++)
        passed += rig->counters.zpass[i];
    assert_int_equal(passed, 39 * SIZE * SIZE);
    assert_true(draw(rig, 3 * 20, 1, false, &result)); /* all behind what is there */
    expect_picture(rig, 39 / 256.0f);
    end(rig);
}

/* The same bytes for any number of workers, in every layout. */
static void test_workers(void **state)
{
    static const enum amd_SW_MODE modes[] = {AMD_SW_MODE_LINEAR, AMD_SW_MODE_64KB_R_X, AMD_SW_MODE_64KB_S,
                                             AMD_SW_MODE_4KB_D_X};
    for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
        void *first = malloc(4u << 20);
        for (unsigned workers = 1; workers <= 3; workers++) {
            struct rig rig;
            struct ge_result result;
            begin(&rig, workers);
            set_pixels(&rig, modes[m]);
            assert_true(draw(&rig, 3 * 70, 4, false, &result));
            if (workers == 1)
                memcpy(first, at(&rig, TARGET_VA), 4u << 20);
            else
                assert_memory_equal(first, at(&rig, TARGET_VA), 4u << 20);
            end(&rig);
        }
        free(first);
    }
}

static void test_blend(void **state)
{
    struct rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin(rig, 2);
    SET(CB_BLEND_CONTROL, .ENABLE = true, .COLOR_SRCBLEND = AMD_BLEND_FACTOR_ONE,
        .COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE);
    assert_true(draw(rig, 3 * 10, 1, false, &result));
    assert_float_equal(texel(rig, 5, 5)[3], 10, 0);
    assert_float_equal(texel(rig, 77, 99)[2], 45 / 256.0f, 1e-6f);
    end(rig);
}

/* What is not implemented, and what is not there, ends the draw with a reason. */
static void test_stops(void **state)
{
    struct rig state_rig, *rig = &state_rig;
    struct ge_result result;
    begin(rig, 1);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_PATCH);
    assert_false(draw(rig, 3, 1, false, &result));
    assert_int_equal(result.error, -ENOSYS);
    assert_non_null(result.why);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_TRILIST);
    SET(CB_COLOR_BASE, .VALUE = (uint32_t)((BASE_VA + SIZE_B) >> 8));
    assert_false(draw(rig, 3, 1, false, &result));
    assert_int_equal(result.error, -EFAULT);
    assert_int_equal(result.fault.va >> 24, (BASE_VA + SIZE_B) >> 24);
    SET(CB_COLOR_BASE, .VALUE = (uint32_t)(TARGET_VA >> 8));
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)((BASE_VA + SIZE_B) >> 8));
    assert_false(draw(rig, 3, 1, false, &result));
    assert_true(result.in_shader);
    SET(SPI_SHADER_PGM_LO_PS, .VALUE = (uint32_t)(CODE_VA >> 8) + 16);
    assert_true(draw(rig, 3, 1, false, &result)); /* and the next one works */
    expect_picture(rig, 0);
    end(rig);
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
    const uint8_t all[3] = {PA_ALL_EDGES, PA_ALL_EDGES, PA_ALL_EDGES};
    check_parts(AMD_PRIM_TYPE_LINELOOP, 3, true, (const uint32_t[][3]){{0, 1}, {1, 2}, {2, 0}}, all, 3, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle), cmocka_unit_test(test_order),
        cmocka_unit_test(test_indices),  cmocka_unit_test(test_depth),
        cmocka_unit_test(test_workers),  cmocka_unit_test(test_blend),
        cmocka_unit_test(test_stops),    cmocka_unit_test(test_quads_and_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
