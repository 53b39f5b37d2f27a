/* A stage's program and resources, as the registers describe them. */
#include <string.h>

#include "adreno/hw/regs_hlsq.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/model/gpu.h"
#include "adreno/model/hlsq/hlsq.h"

/* Registers of a stage that are alike in all of them. */
struct stage_regs {
    uint32_t base, offset, private_param, constants;
};

static const struct stage_regs stages[ADRENO_STAGE_COUNT] = {
    [ADRENO_STAGE_VS] = {ADRENO_REG_SP_VS_BASE, ADRENO_REG_SP_VS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_VS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_VS_CONST_CONFIG},
    [ADRENO_STAGE_HS] = {ADRENO_REG_SP_HS_BASE, ADRENO_REG_SP_HS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_HS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_HS_CONST_CONFIG},
    [ADRENO_STAGE_DS] = {ADRENO_REG_SP_DS_BASE, ADRENO_REG_SP_DS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_DS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_DS_CONST_CONFIG},
    [ADRENO_STAGE_GS] = {ADRENO_REG_SP_GS_BASE, ADRENO_REG_SP_GS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_GS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_GS_CONST_CONFIG},
    [ADRENO_STAGE_FS] = {ADRENO_REG_SP_PS_BASE, ADRENO_REG_SP_PS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_PS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_PS_CONST_CONFIG},
    [ADRENO_STAGE_CS] = {ADRENO_REG_SP_CS_BASE, ADRENO_REG_SP_CS_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_CS_PVT_MEM_PARAM,
                         ADRENO_REG_SP_CS_CONST_CONFIG},
};

/* Waves of the geometry stages have 64 fibers. */
static uint32_t lanes_of(const struct adreno_gpu *gpu, enum adreno_stage stage)
{
    if (stage == ADRENO_STAGE_FS)
        return adreno_unpack_SP_PS_CNTL_0(gpu->regs[ADRENO_REG_SP_PS_CNTL_0]).THREADSIZE ? 128 : 64;
    if (stage == ADRENO_STAGE_CS)
        return adreno_unpack_SP_CS_CNTL_0(gpu->regs[ADRENO_REG_SP_CS_CNTL_0]).THREADSIZE ? 128 : 64;
    return 64;
}

static bool has_merged_registers(const struct adreno_gpu *gpu, enum adreno_stage stage)
{
    switch (stage) {
    case ADRENO_STAGE_FS:
        return adreno_unpack_SP_PS_CNTL_0(gpu->regs[ADRENO_REG_SP_PS_CNTL_0]).MERGEDREGS;
    case ADRENO_STAGE_CS:
        return adreno_unpack_SP_CS_CNTL_0(gpu->regs[ADRENO_REG_SP_CS_CNTL_0]).MERGEDREGS;
    default:
        return adreno_unpack_SP_VS_CNTL_0(gpu->regs[ADRENO_REG_SP_VS_CNTL_0]).MERGEDREGS;
    }
}

static void take_constants(struct adreno_gpu *gpu, enum adreno_stage stage, struct adreno_launch *launch)
{
    struct adreno_hlsq *hlsq = gpu->hlsq;
    uint32_t *constants = hlsq->constants[stage];
    memcpy(constants, hlsq->stages[stage].constants, sizeof(hlsq->constants[stage]));
    if (adreno_unpack_SP_MODE_CNTL(gpu->regs[ADRENO_REG_SP_MODE_CNTL]).SHARED_CONSTS_ENABLE)
        memcpy(constants + ADRENO_SHARED_CONSTANTS_BASE_DW, hlsq->shared_constants[stage == ADRENO_STAGE_CS],
               sizeof(hlsq->shared_constants[0]));
    launch->constants = constants;
    launch->constants_dw = ADRENO_WAVE_CONSTANTS_DW;
}

static void take_bindless(struct adreno_gpu *gpu, enum adreno_stage stage)
{
    const uint32_t first = stage == ADRENO_STAGE_CS ? ADRENO_REG_SP_CS_BINDLESS_BASE_DESCRIPTOR
                                                    : ADRENO_REG_SP_GFX_BINDLESS_BASE_DESCRIPTOR;
    for (unsigned i = 0; i < ADRENO_BINDLESS_SETS; i++)
        gpu->hlsq->stages[stage].bindless_va[i] = adreno_reg64(gpu, first + i * 2) & ~3ull;
}

#define PRIVATE_UNIT_B 512

/* MEMSIZEPERITEM is a number of units. Computerator's programs write 0 of them where they need less than one, and a
 * base; what they store there they find again. */
static uint32_t private_size_B(const struct adreno_gpu *gpu, uint32_t param)
{
    const uint32_t units = gpu->regs[param] & 0xff;
    return units || !adreno_reg64(gpu, param + 1) ? units * PRIVATE_UNIT_B : PRIVATE_UNIT_B;
}

bool adreno_hlsq_program(struct adreno_gpu *gpu, enum adreno_stage stage, struct adreno_launch *launch)
{
    const struct stage_regs *regs = &stages[stage];
    if (!has_merged_registers(gpu, stage))
        return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED,
                           "shader stage %u: half registers that are not parts of full ones", stage);
    *launch = (struct adreno_launch){
        .stage = stage,
        .lanes = lanes_of(gpu, stage),
        .program_va = adreno_reg64(gpu, regs->base) + gpu->regs[regs->offset],
        .private_size_B = private_size_B(gpu, regs->private_param),
        .gpu = gpu,
        .state = &gpu->hlsq->stages[stage],
        .serial = ++gpu->hlsq->serial,
    };
    take_constants(gpu, stage, launch);
    take_bindless(gpu, stage);
    return true;
}
