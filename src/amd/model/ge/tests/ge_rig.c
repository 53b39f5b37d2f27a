/* Registers and shaders of the draws that the tests of the geometry engine look at. */
#include "amd/model/ge/tests/ge_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/isa/asm.h"

/* Vertex 0, 1, 2: the corners (-1, -1), (3, -1), (-1, 3). After them, each three vertices are the same triangle, with
 * the triangle's number / 256 as depth and as the third channel of its parameter. */
const char ge_rig_vertex_text[] = "v_mul_hi_u32 v5, v0, 0x55555556\n" /* v0 / 3 */
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

void *ge_rig_at(struct ge_rig *rig, uint64_t va)
{
    return gpu_space_pointer(&rig->space, va, 1, GPU_PERM_READ | GPU_PERM_WRITE);
}

void ge_rig_assemble(struct ge_rig *rig, uint64_t va, const char *text)
{
    struct isa_asm_result result;
    bool good = amd_isa_assemble(ISA_GFX10_3, 64, text, strlen(text), &result);
    if (!good)
        print_error("line %u: %s\n", result.errors[0].line, result.errors[0].message);
    assert_true(good);
    memcpy(ge_rig_at(rig, va), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
}

static void set_float(struct ge_rig *rig, uint32_t offset_B, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    cp_reg_set(&rig->registers, offset_B, bits);
}

static void set_geometry(struct ge_rig *rig)
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

void ge_rig_set_pixels(struct ge_rig *rig, enum amd_SW_MODE mode)
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

void ge_rig_set_depth(struct ge_rig *rig)
{
    SET(DB_Z_INFO, .FORMAT = AMD_Z_FORMAT_32_FLOAT, .SW_MODE = AMD_SW_MODE_64KB_Z_X);
    SET(DB_DEPTH_SIZE_XY, .X_MAX = SIZE - 1, .Y_MAX = SIZE - 1);
    SET(DB_Z_READ_BASE, .VALUE = (uint32_t)(DEPTH_VA >> 8));
    SET(DB_Z_WRITE_BASE, .VALUE = (uint32_t)(DEPTH_VA >> 8));
    SET(DB_DEPTH_CONTROL, .Z_ENABLE = true, .Z_WRITE_ENABLE = true, .ZFUNC = AMD_COMPARE_GREATER);
}

void ge_rig_begin(struct ge_rig *rig, unsigned workers)
{
    memset(rig, 0, sizeof(*rig));
    rig->index_va = INDEX_VA;
    rig->fd = memfd_create("ge", 0);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_RWX), 0);
    rig->workers = workers_create(workers);
    rig->spi = amd_spi_create(rig->workers);
    rig->ge = amd_ge_create(amd_chip_find("navi21"), rig->workers, rig->spi);
    assert_non_null(rig->ge);
    ge_rig_assemble(rig, CODE_VA, ge_rig_vertex_text);
    ge_rig_assemble(rig, CODE_VA + 4096, pixel_text);
    set_geometry(rig);
    ge_rig_set_pixels(rig, AMD_SW_MODE_LINEAR);
}

void ge_rig_end(struct ge_rig *rig)
{
    amd_ge_destroy(rig->ge);
    amd_spi_destroy(rig->spi);
    workers_destroy(rig->workers);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

bool ge_rig_draw_on(struct ge_rig *rig, uint32_t count, uint32_t instances, bool indexed, struct ge_result *result)
{
    struct ge_draw draw = {.chip = amd_chip_find("navi21"),
                           .memory = &rig->space,
                           .registers = &rig->registers,
                           .counters = &rig->counters,
                           .killed = &rig->killed,
                           .count = count,
                           .instance_count = instances,
                           .indexed = indexed,
                           .index_va = rig->index_va,
                           .index_available = count,
                           .number = ++rig->number};
    memset(result, 0, sizeof(*result));
    return amd_ge_draw(rig->ge, &draw, result);
}

bool ge_rig_draw(struct ge_rig *rig, uint32_t count, uint32_t instances, bool indexed, struct ge_result *result)
{
    return ge_rig_draw_on(rig, count, instances, indexed, result) && amd_ge_finish(rig->ge, result);
}

const float *ge_rig_texel(struct ge_rig *rig, uint32_t x, uint32_t y)
{
    return (const float *)ge_rig_at(rig, TARGET_VA) + ((size_t)y * SIZE + x) * 4;
}

void ge_rig_expect_picture(struct ge_rig *rig, float third)
{
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const float *got = ge_rig_texel(rig, x, y);
            assert_float_equal(got[0], (x + 0.5f) / (SIZE / 2) - 1, 1e-5f);
            assert_float_equal(got[1], (y + 0.5f) / (SIZE / 2) - 1, 1e-5f);
            assert_float_equal(got[2], third, 0);
            assert_float_equal(got[3], 1, 0);
        }
    }
}
