/* Inputs of pixel shaders in registers: facing, parameters of primitives, and the word that keeps pixels in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/model/ge/tests/ge_rig.h"
#include "util/tests/host_level_test.h"

/* As the vertex shader of ge_rig.c, in an NGG wave that passes its primitives through: v0 is the primitive's export, v2
 * its number, which it exports as a parameter of its own; v5 is the vertex. */
static const char ngg_text[] = "s_bfe_u32 s4, s3, 0x80008\n"
                               "s_bfm_b64 exec, s4, 0\n"
                               "exp prim v0, off, off, off done\n"
                               "v_cvt_f32_u32 v10, v2\n"
                               "exp param1 v10, off, off, off\n"
                               "s_bfe_u32 s4, s3, 0x80000\n"
                               "s_bfm_b64 exec, s4, 0\n"
                               "v_mul_hi_u32 v6, v5, 0x55555556\n"
                               "v_mul_lo_u32 v6, v6, 3\n"
                               "v_sub_nc_u32 v6, v5, v6\n"
                               "v_and_b32 v1, 1, v6\n"
                               "v_lshlrev_b32 v1, 2, v1\n"
                               "v_add_nc_u32 v1, -1, v1\n"
                               "v_cvt_f32_i32 v1, v1\n"
                               "v_and_b32 v2, 2, v6\n"
                               "v_lshlrev_b32 v2, 1, v2\n"
                               "v_add_nc_u32 v2, -1, v2\n"
                               "v_cvt_f32_i32 v2, v2\n"
                               "v_mov_b32 v4, 1.0\n"
                               "exp pos0 v1, v2, v4, v4 done\n"
                               "exp param0 v1, v2, v4, v4\n"
                               "s_endpgm\n";

static const char prim_text[] = "s_mov_b32 m0, s0\n"
                                "v_interp_p1_f32 v2, v0, attr0.x\n"
                                "v_interp_p2_f32 v2, v1, attr0.x\n"
                                "v_interp_p1_f32 v3, v0, attr0.y\n"
                                "v_interp_p2_f32 v3, v1, attr0.y\n"
                                "v_interp_mov_f32 v4, p0, attr1.x\n"
                                "v_mov_b32 v5, 1.0\n"
                                "exp mrt0 v2, v3, v4, v5 done vm\n"
                                "s_endpgm\n";

/* Counts its invocations by pixel of a quad, by a load and a store with a way between them; s3 says what it waits for.
 */
static const char count_text[] = "v_and_b32 v1, 1, v0\n"
                                 "v_lshrrev_b32 v2, 15, v0\n"
                                 "v_and_b32 v2, 2, v2\n"
                                 "v_or_b32 v1, v1, v2\n"
                                 "v_lshlrev_b32 v1, 2, v1\n"
                                 "global_load_dword v3, v1, s[0:1]\n"
                                 "s_waitcnt vmcnt(0)\n"
                                 "v_add_nc_u32 v3, 1, v3\n"
                                 "global_store_dword v1, v3, s[0:1]\n"
                                 "s_waitcnt_vscnt null, 0\n"
                                 "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)\n"
                                 "v_mov_b32 v4, s3\n"
                                 "v_mov_b32 v5, s4\n"
                                 "exp mrt0 v4, v5, v4, v5 done vm\n"
                                 "s_endpgm\n";

static void set_ngg(struct ge_rig *rig)
{
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .PRIMGEN_PASSTHRU_EN = true, .PRIMGEN_PASSTHRU_NO_MSG = true);
    SET(SPI_SHADER_PGM_LO_ES, .VALUE = (uint32_t)(CODE_VA >> 8) + 32);
    SET(SPI_SHADER_PGM_RSRC1_GS, .VGPRS = 3, .FLOAT_MODE = 0xf0);
    SET(SPI_SHADER_PGM_RSRC2_GS, .ES_VGPR_COMP_CNT = 3);
    SET(VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = 63, .GS_PRIMS_PER_SUBGRP = 63);
    SET(GE_MAX_OUTPUT_PER_SUBGROUP, .MAX_VERTS_PER_SUBGROUP = 63);
    SET(VGT_GS_OUT_PRIM_TYPE, .OUTPRIM_TYPE = AMD_GS_OUTPRIM_TRISTRIP);
    SET(SPI_VS_OUT_CONFIG, .VS_EXPORT_COUNT = 0, .PRIM_EXPORT_COUNT = 1);
    ge_rig_assemble(rig, CODE_VA + 8192, ngg_text);
}

/* A parameter of the primitive's lane is no vertex's: all pixels of a primitive read the same. */
static void test_primitive_parameters(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    set_ngg(rig);
    ge_rig_assemble(rig, CODE_VA + 4096, prim_text);
    SET(SPI_PS_IN_CONTROL, .NUM_INTERP = 1, .NUM_PRIM_INTERP = 1);
    cp_reg_set(&rig->registers, AMD_REG_SPI_PS_INPUT_CNTL_GFX10_3 + 4,
               AMD_PACK(AMD_GFX10_3, SPI_PS_INPUT_CNTL, .OFFSET = 1));
    assert_true(ge_rig_draw(rig, 3 * 40, 1, false, &result));
    ge_rig_expect_picture(rig, 39);
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = false); /* the old pipeline has no lanes of primitives */
    assert_false(ge_rig_draw(rig, 3, 1, false, &result));
    assert_non_null(result.why);
    ge_rig_end(rig);
}

/* All bits, or a number whose sign it is. */
static void test_facing(void **state)
{
    static const char text[] = "exp mrt0 v2, v2, v2, v2 done vm\ns_endpgm\n";
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true, .FRONT_FACE_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true, .FRONT_FACE_ENA = true);
    for (unsigned back = 0; back < 2; back++) {
        uint32_t bits;
        SET(PA_SU_SC_MODE_CNTL, .FACE = !back); /* the triangle runs clockwise, y going up */
        SET(SPI_BARYC_CNTL, .FRONT_FACE_ALL_BITS = false);
        assert_true(ge_rig_draw(rig, 3, 1, false, &result));
        assert_float_equal(ge_rig_texel(rig, 9, 9)[0], back ? -1 : 1, 0);
        SET(SPI_BARYC_CNTL, .FRONT_FACE_ALL_BITS = true);
        assert_true(ge_rig_draw(rig, 3, 1, false, &result));
        memcpy(&bits, ge_rig_texel(rig, 9, 9), sizeof(bits));
        assert_int_equal(bits, back ? 0 : UINT32_MAX);
    }
    ge_rig_end(rig);
}

/* Triangles over the same quad. Where pixels are ordered no wave has one twice, so nothing is lost between the load and
 * the store, and nothing is left to wait for. */
static void test_ordered_pixels(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    ge_rig_assemble(rig, CODE_VA + 4096, count_text);
    SET(PA_SC_GENERIC_SCISSOR_BR, .BR_X = 2, .BR_Y = 2);
    SET(SPI_PS_INPUT_ENA, .POS_FIXED_PT_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .POS_FIXED_PT_ENA = true);
    SET(SPI_SHADER_PGM_RSRC1_PS, .VGPRS = 3, .FLOAT_MODE = 0xf0, .LOAD_PROVOKING_VTX = true);
    SET(SPI_SHADER_PGM_RSRC2_PS, .USER_SGPR = 2, .LOAD_COLLISION_WAVEID = true);
    SET(DB_SHADER_CONTROL, .Z_ORDER = AMD_Z_ORDER_EARLY_Z_THEN_LATE_Z, .PRIMITIVE_ORDERED_PIXEL_SHADER = true);
    cp_reg_set(&rig->registers, AMD_REG_SPI_SHADER_USER_DATA_PS_GFX10_3, (uint32_t)INDEX_VA);
    cp_reg_set(&rig->registers, AMD_REG_SPI_SHADER_USER_DATA_PS_GFX10_3 + 4, (uint32_t)(INDEX_VA >> 32));
    assert_true(ge_rig_draw(rig, 3 * 200, 1, false, &result));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(((const uint32_t *)ge_rig_at(rig, INDEX_VA))[i], 200);
    assert_float_equal(ge_rig_texel(rig, 1, 1)[0], 0, 0);
    assert_float_equal(ge_rig_texel(rig, 1, 1)[1], 0, 0);
    ge_rig_end(rig);
}

/* The values of single vertices. A line has two: the second stands for the third, too. */
static void test_vertices_of_a_line(void **state)
{
    static const char vertex_text[] = "v_cvt_f32_u32 v1, v0\n"
                                      "v_fma_f32 v2, v1, 2.0, -1.0\n"
                                      "v_mov_b32 v3, 0x3c000000\n" /* the middle of row 64 */
                                      "v_mov_b32 v4, 1.0\n"
                                      "exp pos0 v2, v3, v3, v4 done\n"
                                      "exp param0 v1, v1, v1, v1\n"
                                      "s_endpgm\n",
                      text[] = "s_mov_b32 m0, s0\n"
                               "v_interp_mov_f32 v2, p0, attr0.x\n"
                               "v_interp_mov_f32 v3, p10, attr0.x\n"
                               "v_interp_mov_f32 v4, p20, attr0.x\n"
                               "exp mrt0 v2, v3, v4, v4 done vm\n"
                               "s_endpgm\n";
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    ge_rig_assemble(rig, CODE_VA, vertex_text);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_LINELIST);
    SET(PA_SU_LINE_CNTL, .WIDTH = 8);
    SET(SPI_INTERP_CONTROL_0, .FLAT_SHADE_ENA = true);
    SET(SPI_PS_INPUT_CNTL, .OFFSET = 0x20, .FLAT_SHADE = true, .ROTATE_PC_PTR = true);
    assert_true(ge_rig_draw(rig, 2, 1, false, &result));
    const float *got = ge_rig_texel(rig, 60, 64);
    assert_float_equal(got[0], 0, 0);
    assert_float_equal(got[1], 1, 0);
    assert_float_equal(got[2], 1, 0);
    ge_rig_end(rig);
}

/* The depth that a shader reads is not clamped to the viewport's range; the depth buffer's is. */
static void test_depth_before_the_clamp(void **state)
{
    static const char text[] = "exp mrt0 v2, v2, v2, v2 done vm\ns_endpgm\n";
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    ge_rig_assemble(rig, CODE_VA + 4096, text);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true, .POS_Z_FLOAT_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true, .POS_Z_FLOAT_ENA = true);
    SET(PA_CL_CLIP_CNTL, .DX_CLIP_SPACE_DEF = true, .ZCLIP_FAR_DISABLE = true, .ZCLIP_NEAR_DISABLE = true);
    cp_reg_set(&rig->registers, AMD_REG_PA_SC_VPORT_ZMAX_GFX10_3, 0x3c800000); /* 1 / 64 */
    assert_true(ge_rig_draw(rig, 3 * 129, 1, false, &result));
    assert_float_equal(ge_rig_texel(rig, 9, 9)[0], 0.5f, 1e-6f);
    ge_rig_end(rig);
}

static void expect_stop(struct ge_rig *rig, const char *word)
{
    struct ge_result result;
    assert_false(ge_rig_draw(rig, 9, 1, false, &result));
    assert_non_null(result.why);
    assert_non_null(strstr(result.why, word));
}

/* Without NGG a geometry shader's subgroup needs vertices, primitives and room in the ring; and it may emit no more
 * than it has announced, by lanes that have a primitive. */
static void test_ring(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    set_ngg(rig);
    SET(SPI_VS_OUT_CONFIG, .VS_EXPORT_COUNT = 0);
    SET(VGT_GS_MODE, .MODE = AMD_GS_MODE_SCENARIO_G, .ONCHIP = 1);
    SET(VGT_SHADER_STAGES_EN, .ES_EN = AMD_ES_STAGE_REAL, .GS_EN = true, .VS_EN = AMD_VS_STAGE_COPY_SHADER);
    SET(VGT_GSVS_RING_ITEMSIZE, .ITEMSIZE = 8);
    SET(VGT_GS_VERT_ITEMSIZE, .ITEMSIZE = 4);
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 2);
    SET(VGT_GSVS_RING_SIZE, .VALUE = 16);
    ge_rig_assemble(rig, CODE_VA + 8192,
                    "s_mov_b64 exec, 7\n"
                    "s_mov_b32 m0, 0\n"
                    "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)\n"
                    "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)\n"
                    "s_endpgm\n");
    assert_true(ge_rig_draw(rig, 9, 1, false, &result)); /* no strip has three vertices */
    expect_stop((SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 1), rig), "VGT_GS_MAX_VERT_OUT");
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 2);
    assert_false(ge_rig_draw(rig, 6, 1, false, &result)); /* the third lane has no primitive */
    expect_stop((SET(VGT_GSVS_RING_SIZE, .VALUE = 7), rig), "VGT_GSVS_RING_SIZE");
    SET(VGT_GSVS_RING_SIZE, .VALUE = 16);
    expect_stop((SET(VGT_GS_ONCHIP_CNTL, .GS_PRIMS_PER_SUBGRP = 3), rig), "VGT_GS_ONCHIP_CNTL");
    expect_stop((SET(VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = 3), rig), "VGT_GS_ONCHIP_CNTL");
    ge_rig_end(rig);
}

/* One wave of a mesh shader: three vertices, and a primitive whose parameter is the workgroup's number. */
static const char mesh_text[] = "s_mov_b32 m0, 0x1003\n"
                                "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n"
                                "s_mov_b64 exec, 1\n"
                                "v_mov_b32 v0, 0x200400\n"
                                "exp prim v0, off, off, off done\n"
                                "v_cvt_f32_u32 v10, v5\n"
                                "exp param1 v10, off, off, off\n"
                                "s_mov_b64 exec, 7\n"
                                "v_mbcnt_lo_u32_b32 v6, -1, 0\n"
                                "v_and_b32 v1, 1, v6\n"
                                "v_lshlrev_b32 v1, 2, v1\n"
                                "v_add_nc_u32 v1, -1, v1\n"
                                "v_cvt_f32_i32 v1, v1\n"
                                "v_and_b32 v2, 2, v6\n"
                                "v_lshlrev_b32 v2, 1, v2\n"
                                "v_add_nc_u32 v2, -1, v2\n"
                                "v_cvt_f32_i32 v2, v2\n"
                                "v_mov_b32 v4, 1.0\n"
                                "exp pos0 v1, v2, v4, v4 done\n"
                                "exp param0 v1, v2, v4, v4\n"
                                "s_endpgm\n";

/* Each point is a workgroup; the way of GFX11, other topologies and more threads than a workgroup has are refused. */
static void test_mesh(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 2);
    set_ngg(rig);
    ge_rig_assemble(rig, CODE_VA + 4096, prim_text);
    ge_rig_assemble(rig, CODE_VA + 8192, mesh_text);
    SET(SPI_PS_IN_CONTROL, .NUM_INTERP = 1, .NUM_PRIM_INTERP = 1);
    cp_reg_set(&rig->registers, AMD_REG_SPI_PS_INPUT_CNTL_GFX10_3 + 4,
               AMD_PACK(AMD_GFX10_3, SPI_PS_INPUT_CNTL, .OFFSET = 1));
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .GS_EN = true, .GS_FAST_LAUNCH = 1);
    SET(VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = 1, .GS_PRIMS_PER_SUBGRP = 1);
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 64);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_POINTLIST);
    assert_true(ge_rig_draw(rig, 300, 1, false, &result));
    ge_rig_expect_picture(rig, 299);
    expect_stop((SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 2047), rig), "VGT_GS_MAX_VERT_OUT");
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 64);
    expect_stop((SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_TRILIST), rig), "VGT_SHADER_STAGES_EN");
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_POINTLIST);
    expect_stop((SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .GS_EN = true, .GS_FAST_LAUNCH = 2), rig),
                "VGT_SHADER_STAGES_EN");
    ge_rig_end(rig);
}

/* Wave 1 exports the vertices of the only primitive; wave 0 sleeps before it asks for room, so that they come first. */
static const char late_text[] = "s_bfe_u32 s20, s3, 0x40018\n"
                                "s_cmp_lg_u32 s20, 0\n"
                                "s_cbranch_scc1 13\n"
                                "s_sleep 20\n"
                                "s_mov_b32 m0, 0x1043\n"
                                "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n"
                                "s_mov_b64 exec, 1\n"
                                "v_mov_b32 v0, 0x4210440\n"
                                "exp prim v0, off, off, off done\n"
                                "v_cvt_f32_u32 v10, v5\n"
                                "exp param1 v10, off, off, off\n"
                                "s_endpgm\n"
                                "s_mov_b64 exec, 7\n"
                                "v_mbcnt_lo_u32_b32 v6, -1, 0\n"
                                "v_and_b32 v1, 1, v6\n"
                                "v_lshlrev_b32 v1, 2, v1\n"
                                "v_add_nc_u32 v1, -1, v1\n"
                                "v_cvt_f32_i32 v1, v1\n"
                                "v_and_b32 v2, 2, v6\n"
                                "v_lshlrev_b32 v2, 1, v2\n"
                                "v_add_nc_u32 v2, -1, v2\n"
                                "v_cvt_f32_i32 v2, v2\n"
                                "v_mov_b32 v4, 1.0\n"
                                "exp pos0 v1, v2, v4, v4 done\n"
                                "exp param0 v1, v2, v4, v4\n"
                                "s_endpgm\n";

static void test_exports_before_the_request(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 1);
    set_ngg(rig);
    ge_rig_assemble(rig, CODE_VA + 4096, prim_text);
    ge_rig_assemble(rig, CODE_VA + 8192, late_text);
    SET(SPI_PS_IN_CONTROL, .NUM_INTERP = 1, .NUM_PRIM_INTERP = 1);
    cp_reg_set(&rig->registers, AMD_REG_SPI_PS_INPUT_CNTL_GFX10_3 + 4,
               AMD_PACK(AMD_GFX10_3, SPI_PS_INPUT_CNTL, .OFFSET = 1));
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .GS_EN = true, .GS_FAST_LAUNCH = 1);
    SET(VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = 1, .GS_PRIMS_PER_SUBGRP = 1);
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 128);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_POINTLIST);
    assert_true(ge_rig_draw(rig, 3, 1, false, &result));
    ge_rig_expect_picture(rig, 2);
    ge_rig_end(rig);
}

/* Each workgroup takes the place of its number for a while, and adds up what it finds there. */
static const char number_text[] = "s_and_b32 s20, s2, 0xfff\n"
                                  "s_lshl_b32 s20, s20, 2\n"
                                  "s_add_u32 s20, s20, 0xc00000\n" /* INDEX_VA */
                                  "v_mov_b32 v20, s20\n"
                                  "v_mov_b32 v21, 1\n"
                                  "v_mov_b32 v22, 1\n"
                                  "v_mov_b32 v24, 0xc10000\n"
                                  "v_mov_b32 v25, 1\n"
                                  "s_mov_b64 exec, 1\n"
                                  "global_atomic_add v23, v[20:21], v22, off glc\n"
                                  "s_movk_i32 s21, 2000\n"
                                  "s_sub_u32 s21, s21, 1\n"
                                  "s_cmp_lg_u32 s21, 0\n"
                                  "s_cbranch_scc1 -3\n"
                                  "s_waitcnt vmcnt(0)\n"
                                  "global_atomic_add v[24:25], v23, off\n"
                                  "global_atomic_add v[24:25], v22, off offset:4\n"
                                  "global_atomic_sub v[20:21], v22, off\n"
                                  "s_mov_b32 m0, 0\n"
                                  "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n"
                                  "s_endpgm\n";

/* No two mesh workgroups that run at the same time have the same number. Other subgroups of NGG have none. */
static void test_numbers_of_mesh_groups(void **state)
{
    struct ge_rig state_rig, *rig = &state_rig;
    struct ge_result result;
    ge_rig_begin(rig, 4);
    set_ngg(rig);
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .NGG_WAVE_ID_EN = true);
    expect_stop(rig, "VGT_SHADER_STAGES_EN");
    ge_rig_assemble(rig, CODE_VA + 8192, number_text);
    SET(VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .GS_EN = true, .GS_FAST_LAUNCH = 1, .NGG_WAVE_ID_EN = true);
    SET(VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = 1, .GS_PRIMS_PER_SUBGRP = 1);
    SET(VGT_GS_MAX_VERT_OUT, .MAX_VERT_OUT = 64);
    SET(VGT_PRIMITIVE_TYPE, .PRIM_TYPE = AMD_PRIM_TYPE_POINTLIST);
    assert_true(ge_rig_draw(rig, 2048, 1, false, &result));
    const uint32_t *found = ge_rig_at(rig, INDEX_VA + 0x10000);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], 2048);
    ge_rig_end(rig);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitive_parameters),
        cmocka_unit_test(test_facing),
        cmocka_unit_test(test_ordered_pixels),
        cmocka_unit_test(test_vertices_of_a_line),
        cmocka_unit_test(test_depth_before_the_clamp),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_exports_before_the_request),
        cmocka_unit_test(test_numbers_of_mesh_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
