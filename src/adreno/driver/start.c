/* The first state of a submission: registers that command buffers rely on. Most are of no public meaning and have the
 * values that the chip wants (chips.table); the others switch off what this driver does not use. */
#include "adreno/driver/device.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_hlsq.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_uche.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

/* ---- the CCU ---- */

/* In memory mode the caches of depth and colour lie one after the other at GMEM's beginning. */
uint32_t adreno_ccu_cntl_sysmem(const struct adreno_chip *chip)
{
    return ADRENO_PACK(RB_CCU_CNTL, .DEPTH_OFFSET = 0, .COLOR_OFFSET = chip->ccu_count * chip->sysmem_ccu_depth_B);
}

/* In GMEM mode a part of the colour's is left, at its end, for resolves. */
uint32_t adreno_gmem_for_tiles_B(const struct adreno_chip *chip)
{
    return chip->gmem_size_B - (chip->ccu_count * chip->sysmem_ccu_color_B >> chip->gmem_ccu_color_fraction);
}

uint32_t adreno_ccu_cntl_gmem(const struct adreno_chip *chip)
{
    return ADRENO_PACK(RB_CCU_CNTL, .COLOR_CACHE_SIZE = (enum adreno_CCU_CACHE_SIZE)chip->gmem_ccu_color_fraction,
                       .COLOR_OFFSET = adreno_gmem_for_tiles_B(chip));
}

/* ---- registers ---- */

static const struct {
    uint32_t reg, value;
} constant[] = {
    {ADRENO_REG_SP_NC_MODE_CNTL_2, 0},
    {ADRENO_REG_SP_PERFCTR_SHADER_MASK, 0x3f},
    {ADRENO_REG_TPL1_UNKNOWN_B605, 0x44},
    {ADRENO_REG_HLSQ_UNKNOWN_BE00, 0x80},
    {ADRENO_REG_HLSQ_UNKNOWN_BE01, 0},
    {ADRENO_REG_SP_GFX_USIZE, 0},
    {ADRENO_REG_TPL1_PS_ROTATION_CNTL, 0},
    {ADRENO_REG_HLSQ_SHARED_CONSTS, 0},
    {ADRENO_REG_UCHE_UNKNOWN_0E12, 1},
    {ADRENO_REG_SP_UNKNOWN_A9A8, 0},
    {ADRENO_REG_VFD_MODE_CNTL, 3 /* numbers of vertices and instances have their bases added */},
    {ADRENO_REG_RB_MODE_CNTL, 0x10},
    {ADRENO_REG_PC_MODE_CNTL, 0x1f},
    {ADRENO_REG_GRAS_MODE_CNTL, 0},
    {ADRENO_REG_RB_UNKNOWN_8818, 0},
    {ADRENO_REG_RB_UNKNOWN_8819, 0},
    {ADRENO_REG_RB_UNKNOWN_881A, 0},
    {ADRENO_REG_RB_UNKNOWN_881B, 0},
    {ADRENO_REG_RB_UNKNOWN_881C, 0},
    {ADRENO_REG_RB_UNKNOWN_881D, 0},
    {ADRENO_REG_RB_UNKNOWN_881E, 0},
    {ADRENO_REG_RB_UNKNOWN_88F0, 0},
    {ADRENO_REG_VPC_REPLACE_MODE_CNTL, 0},
    {ADRENO_REG_VPC_ROTATION_CNTL, 0},
    {ADRENO_REG_VPC_SO_OVERRIDE, 1 /* no stream out */},
    {ADRENO_REG_TPL1_PS_SWIZZLE_CNTL, 0},
    {ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_CNTL, 0},
    {ADRENO_REG_GRAS_SU_CONSERVATIVE_RAS_CNTL, 0},
    {ADRENO_REG_PC_DGEN_SU_CONSERVATIVE_RAS_CNTL, 0},
    {ADRENO_REG_VPC_UNKNOWN_9210, 0},
    {ADRENO_REG_VPC_UNKNOWN_9211, 0},
    {ADRENO_REG_VPC_LB_MODE_CNTL, 0},
    {ADRENO_REG_PC_CONTEXT_SWITCH_GFX_PREEMPTION_MODE, 0},
    {ADRENO_REG_SP_REG_PROG_ID_3, 0xfc /* no line length */},
    {ADRENO_REG_VFD_RENDER_MODE, 0},
    {ADRENO_REG_RB_ALPHA_TEST_CNTL, 0},
};

void adreno_emit_start(struct adreno_device *device, struct adreno_cs *cs)
{
    const struct adreno_chip *chip = device->chip;
    const struct {
        uint32_t reg, value;
    } of_chip[] = {
        {ADRENO_REG_RB_DBG_ECO_CNTL, chip->rb_dbg_eco_cntl},
        {ADRENO_REG_SP_DBG_ECO_CNTL, chip->sp_dbg_eco_cntl},
        {ADRENO_REG_TPL1_DBG_ECO_CNTL, chip->tpl1_dbg_eco_cntl},
        {ADRENO_REG_VPC_DBG_ECO_CNTL, chip->vpc_dbg_eco_cntl},
        {ADRENO_REG_GRAS_DBG_ECO_CNTL, chip->gras_dbg_eco_cntl},
        {ADRENO_REG_HLSQ_DBG_ECO_CNTL, chip->hlsq_dbg_eco_cntl},
        {ADRENO_REG_SP_CHICKEN_BITS, chip->sp_chicken_bits},
        {ADRENO_REG_UCHE_CLIENT_PF, chip->uche_client_pf},
        {ADRENO_REG_RB_RBP_CNTL, chip->rb_rbp_cntl},
    };
    adreno_cs_reserve(cs, 2 * (ARRAY_SIZE(constant) + ARRAY_SIZE(of_chip)) + 32);
    ADRENO_REG(cs, SP_UPDATE_CNTL, .VS_STATE = true, .HS_STATE = true, .DS_STATE = true, .GS_STATE = true,
               .FS_STATE = true, .CS_STATE = true, .CS_UAV = true, .GFX_UAV = true, .GFX_SHARED_CONST = true,
               .CS_BINDLESS = 0x1f, .GFX_BINDLESS = 0x1f, .CS_SHARED_CONST = true);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    for (unsigned i = 0; i < ARRAY_SIZE(of_chip); i++)
        adreno_set_reg(cs, of_chip[i].reg, of_chip[i].value);
    for (unsigned i = 0; i < ARRAY_SIZE(constant); i++)
        adreno_set_reg(cs, constant[i].reg, constant[i].value);
    ADRENO_REG(cs, SP_MODE_CNTL, .CONSTANT_DEMOTION_ENABLE = true, .ISAMMODE = ADRENO_ISAM_MODE_GL);
    ADRENO_REG(cs, TPL1_MODE_CNTL, .ISAMMODE = ADRENO_ISAM_MODE_GL,
               .NEARESTMIPSNAP = ADRENO_NEAREST_MODE_CLAMP_ROUND_TRUNCATE, .DESTDATATYPEOVERRIDE = true);
    adreno_set_reg(cs, ADRENO_REG_RB_CCU_CNTL, adreno_ccu_cntl_sysmem(chip));
    adreno_set_reg64(cs, ADRENO_REG_TPL1_GFX_BORDER_COLOR_BASE, device->borders.bo->vk.va);
    adreno_set_reg64(cs, ADRENO_REG_TPL1_CS_BORDER_COLOR_BASE, device->borders.bo->vk.va);
    ADRENO_PACKET(cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
}
