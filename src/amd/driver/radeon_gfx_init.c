/* The first state of a submission to a graphics queue. After CLEAR_STATE every context register has its documented
 * value; what follows are those that need another value and that no command buffer writes, and a value for
 * those that a command buffer may leave alone. */
#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/driver/radeon_preamble.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_sc.h"
#include "amd/hw/regs_spi.h"
#include "amd/hw/regs_ta.h"
#include "util/bits.h"

struct value {
    uint32_t reg, word;
};

static void emit_context(struct radeon_cs *cs, const struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        radeon_set_context_reg(cs, values[i].reg, values[i].word);
}

static void emit_geometry(struct radeon_cs *cs)
{
    static const struct value context[] = {
        {AMD_REG_VGT_DRAW_PAYLOAD_CNTL, 1 << 6}, /* EN_VRS_RATE */
        {AMD_REG_VGT_VERTEX_REUSE_BLOCK_CNTL, 14},
        {AMD_REG_VGT_GS_INSTANCE_CNT, 1 << 2}, /* CNT 1 */
        {AMD_REG_VGT_ESGS_RING_ITEMSIZE, 1},
        {AMD_REG_GE_MAX_OUTPUT_PER_SUBGROUP, RADEON_NGG_SUBGROUP},
        {AMD_REG_GE_NGG_SUBGRP_CNTL, 1}, /* a primitive becomes one */
        {AMD_REG_SPI_SHADER_IDX_FORMAT, AMD_POS_FORMAT_1COMP},
    };
    emit_context(cs, context, ARRAY_SIZE(context));
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_ONCHIP_CNTL,
                           AMD_PACK(RADEON_GFX, VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = RADEON_NGG_SUBGROUP,
                                    .GS_PRIMS_PER_SUBGRP = RADEON_NGG_SUBGROUP,
                                    .GS_INST_PRIMS_IN_SUBGRP = RADEON_NGG_SUBGROUP));
    radeon_set_uconfig_reg(cs, AMD_REG_GE_MAX_VTX_INDX, ~0u);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_MIN_VTX_INDX, 0);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_INDX_OFFSET, 0);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_STEREO_CNTL, 0);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_USER_VGPR_EN, 0);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_VRS_RATE, 0);
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_INSTANCE_BASE_ID, 0);
    /* A quarter of the parameter cache's lines for each engine's overbooking. */
    radeon_set_uconfig_reg(cs, AMD_REG_GE_PC_ALLOC,
                           AMD_PACK(RADEON_GFX, GE_PC_ALLOC, .OVERSUB_EN = true, .NUM_PC_LINES = 255));
}

/* Which compute units run which stage. One unit of each pair stays free of late-allocated vertex waves: they could
 * otherwise wait for fragment waves that find no place. */
static void emit_units(const struct radeon_device *device, struct radeon_cs *cs)
{
    const struct drm_amdgpu_info_device *info = &device->ws->info.device;
    uint32_t fewest = 16;
    for (uint32_t engine = 0; engine < info->num_shader_engines && engine < 4; engine++) {
        for (uint32_t array = 0; array < info->num_shader_arrays_per_engine && array < 4; array++) {
            uint32_t units = (uint32_t)__builtin_popcount(info->cu_bitmap[engine][array]);
            if (units) /* a harvested engine has none */
                fewest = MIN2(fewest, units);
        }
    }
    uint32_t late = MIN2(fewest * 4, 127);
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC3_PS,
                             AMD_PACK(RADEON_GFX, SPI_SHADER_PGM_RSRC3_PS, .CU_EN = 0xffff, .WAVE_LIMIT = 0x3f));
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC4_PS, 0);
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC3_VS,
                             AMD_PACK(RADEON_GFX, SPI_SHADER_PGM_RSRC3_VS, .CU_EN = 0xfffd, .WAVE_LIMIT = 0x3f));
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC4_VS, 0xffff);
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_LATE_ALLOC_VS, MIN2(late, 63));
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC3_GS,
                             AMD_PACK(RADEON_GFX, SPI_SHADER_PGM_RSRC3_GS, .CU_EN = 0xfffd, .WAVE_LIMIT = 0x3f));
    radeon_set_sh_reg_masked(
        cs, AMD_REG_SPI_SHADER_PGM_RSRC4_GS,
        AMD_PACK(RADEON_GFX, SPI_SHADER_PGM_RSRC4_GS, .CU_EN = 0xffff, .SPI_SHADER_LATE_ALLOC_GS = late));
    static const uint32_t accumulators[] = {AMD_REG_SPI_SHADER_USER_ACCUM_PS, AMD_REG_SPI_SHADER_USER_ACCUM_VS,
                                            AMD_REG_SPI_SHADER_USER_ACCUM_ESGS};
    for (size_t i = 0; i < ARRAY_SIZE(accumulators); i++) {
        radeon_set_sh_reg_seq(cs, accumulators[i], 4);
        for (int n = 0; n < 4; n++)
            radeon_emit(cs, 0);
    }
    radeon_set_sh_reg(
        cs, AMD_REG_SPI_SHADER_REQ_CTRL_PS,
        AMD_PACK(RADEON_GFX, SPI_SHADER_REQ_CTRL_PS, .SOFT_GROUPING_EN = true, .NUMBER_OF_REQUESTS_PER_CU = 3));
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_REQ_CTRL_VS, 0);
}

static void emit_rasterizer(struct radeon_cs *cs)
{
    radeon_set_context_reg(cs, AMD_REG_PA_SU_VTX_CNTL,
                           AMD_PACK(RADEON_GFX, PA_SU_VTX_CNTL, .PIX_CENTER = true,
                                    .ROUND_MODE = AMD_VTX_ROUND_ROUND_TO_EVEN,
                                    .QUANT_MODE = AMD_VTX_QUANT_16_8_FIXED_POINT_1_256TH));
    radeon_set_context_reg(cs, AMD_REG_PA_CL_VTE_CNTL,
                           AMD_PACK(RADEON_GFX, PA_CL_VTE_CNTL, .VPORT_X_SCALE_ENA = true, .VPORT_X_OFFSET_ENA = true,
                                    .VPORT_Y_SCALE_ENA = true, .VPORT_Y_OFFSET_ENA = true, .VPORT_Z_SCALE_ENA = true,
                                    .VPORT_Z_OFFSET_ENA = true, .VTX_W0_FMT = true));
    radeon_set_context_reg(cs, AMD_REG_PA_CL_NGG_CNTL, AMD_PACK(RADEON_GFX, PA_CL_NGG_CNTL, .VERTEX_REUSE_DEPTH = 30));
    radeon_set_context_reg(cs, AMD_REG_PA_SC_NGG_MODE_CNTL,
                           AMD_PACK(RADEON_GFX, PA_SC_NGG_MODE_CNTL, .MAX_DEALLOCS_IN_WAVE = 512));
    /* A point's size is one where no shader says it, and may be anything up to what the register holds. */
    radeon_set_context_reg(cs, AMD_REG_PA_SU_POINT_SIZE, 8 | 8 << 16);
    radeon_set_context_reg(cs, AMD_REG_PA_SU_POINT_MINMAX, 0xffffu << 16);
    radeon_set_context_reg(cs, AMD_REG_PA_SU_SMALL_PRIM_FILTER_CNTL, 1);
    radeon_set_context_reg(
        cs, AMD_REG_PA_SU_PRIM_FILTER_CNTL,
        AMD_PACK(RADEON_GFX, PA_SU_PRIM_FILTER_CNTL, .XMAX_RIGHT_EXCLUSION = true, .YMAX_BOTTOM_EXCLUSION = true));
    radeon_set_context_reg(
        cs, AMD_REG_SPI_INTERP_CONTROL_0,
        AMD_PACK(RADEON_GFX, SPI_INTERP_CONTROL_0, .FLAT_SHADE_ENA = true, .PNT_SPRITE_ENA = true,
                 .PNT_SPRITE_OVRD_X = AMD_POINT_SPRITE_SEL_S, .PNT_SPRITE_OVRD_Y = AMD_POINT_SPRITE_SEL_T,
                 .PNT_SPRITE_OVRD_Z = AMD_POINT_SPRITE_SEL_0, .PNT_SPRITE_OVRD_W = AMD_POINT_SPRITE_SEL_1));
    radeon_set_context_reg(
        cs, AMD_REG_PA_CL_VRS_CNTL,
        AMD_PACK(RADEON_GFX, PA_CL_VRS_CNTL, .SAMPLE_ITER_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE));
    radeon_set_context_reg(cs, AMD_REG_DB_VRS_OVERRIDE_CNTL, 0);
    radeon_set_context_reg(
        cs, AMD_REG_PA_SC_CONSERVATIVE_RASTERIZATION_CNTL,
        AMD_PACK(RADEON_GFX, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, .NULL_SQUAD_AA_MASK_ENABLE = true));
    radeon_set_context_reg(cs, AMD_REG_PA_SC_CLIPRECT_RULE, 0xffff);
    radeon_set_context_reg(
        cs, AMD_REG_PA_SC_BINNER_CNTL_0,
        AMD_PACK(RADEON_GFX, PA_SC_BINNER_CNTL_0, .BINNING_MODE = AMD_BINNING_DISABLE_BINNING_USE_NEW_SC,
                 .BIN_SIZE_X_EXTEND = AMD_BIN_SIZE_128_PIXELS, .BIN_SIZE_Y_EXTEND = AMD_BIN_SIZE_64_PIXELS,
                 .DISABLE_START_OF_PRIM = true, .FLUSH_ON_BINNING_TRANSITION = true));
    radeon_set_context_reg(
        cs, AMD_REG_PA_SC_BINNER_CNTL_1,
        AMD_PACK(RADEON_GFX, PA_SC_BINNER_CNTL_1, .MAX_ALLOC_COUNT = 340, .MAX_PRIM_PER_BATCH = 1023));
}

static void emit_backends(struct radeon_cs *cs)
{
    /* Stencil's hierarchical test is never set up. */
    radeon_set_context_reg(cs, AMD_REG_DB_DFSM_CONTROL,
                           AMD_PACK(RADEON_GFX, DB_DFSM_CONTROL, .PUNCHOUT_MODE = AMD_PUNCHOUT_FORCE_OFF,
                                    .POPS_DRAIN_PS_ON_OVERLAP = true));
    radeon_set_context_reg(cs, AMD_REG_DB_RENDER_OVERRIDE2,
                           AMD_PACK(RADEON_GFX, DB_RENDER_OVERRIDE2, .CENTROID_COMPUTATION_MODE = 1));
    /* Targets are streamed through L2; what is read stays only as long as nothing else needs the room. */
    radeon_set_context_reg(cs, AMD_REG_DB_RMI_L2_CACHE_CONTROL,
                           AMD_PACK(RADEON_GFX, DB_RMI_L2_CACHE_CONTROL, .Z_WR_POLICY = AMD_L2_WRITE_STREAM,
                                    .S_WR_POLICY = AMD_L2_WRITE_STREAM, .HTILE_WR_POLICY = AMD_L2_WRITE_STREAM,
                                    .ZPCPSD_WR_POLICY = AMD_L2_WRITE_STREAM, .Z_RD_POLICY = AMD_L2_READ_CACHE_NOA,
                                    .S_RD_POLICY = AMD_L2_READ_CACHE_NOA, .HTILE_RD_POLICY = AMD_L2_READ_CACHE_NOA));
    radeon_set_context_reg(cs, AMD_REG_CB_RMI_GL2_CACHE_CONTROL,
                           AMD_PACK(RADEON_GFX, CB_RMI_GL2_CACHE_CONTROL, .CMASK_WR_POLICY = AMD_L2_WRITE_STREAM,
                                    .FMASK_WR_POLICY = AMD_L2_WRITE_STREAM, .DCC_WR_POLICY = AMD_L2_WRITE_STREAM,
                                    .COLOR_WR_POLICY = AMD_L2_WRITE_STREAM, .CMASK_RD_POLICY = AMD_L2_READ_CACHE_NOA,
                                    .FMASK_RD_POLICY = AMD_L2_READ_CACHE_NOA, .DCC_RD_POLICY = AMD_L2_READ_CACHE_NOA,
                                    .COLOR_RD_POLICY = AMD_L2_READ_CACHE_NOA));
    radeon_set_context_reg(
        cs, AMD_REG_CB_DCC_CONTROL,
        AMD_PACK(RADEON_GFX, CB_DCC_CONTROL, .OVERWRITE_COMBINER_WATERMARK = 6, .DISABLE_CONSTANT_ENCODE_REG = true));
    radeon_set_context_reg(cs, AMD_REG_CB_COVERAGE_OUT_CONTROL, 0);
    radeon_set_context_reg(cs, AMD_REG_SX_PS_DOWNCONVERT_CONTROL, 0xff);
}

void radeon_emit_graphics_preamble(struct radeon_device *device, struct radeon_cs *cs)
{
    radeon_cs_reserve(cs, 440);
    RADEON_PACKET(cs, CONTEXT_CONTROL, .UPDATE_LOAD_ENABLES = true, .UPDATE_SHADOW_ENABLES = true);
    RADEON_PACKET(cs, CLEAR_STATE, .CMD = 0);
    emit_geometry(cs);
    emit_units(device, cs);
    emit_rasterizer(cs);
    emit_backends(cs);
    radeon_tess_preamble(device, cs);
    uint64_t colors = device->border_colors ? device->border_colors->vk.va >> 8 : 0;
    radeon_set_context_reg_seq(cs, AMD_REG_TA_BC_BASE_ADDR, 2);
    radeon_emit(cs, (uint32_t)colors);
    radeon_emit(cs, (uint32_t)(colors >> 32) & 0xff);
}
