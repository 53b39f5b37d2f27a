/* See plain_state.h. */
#include "adreno/model/pc/tests/plain_state.h"

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

static void set_register(struct adreno_gpu *gpu, uint32_t reg, uint32_t value)
{
    gpu->regs[reg] = value;
}

static void plain_viewports(struct adreno_gpu *gpu)
{
    for (unsigned i = 0; i < 16; i++) {
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_XSCALE + 6 * i, float_bits(PLAIN_SIZE / 2));
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET + 6 * i, float_bits(PLAIN_SIZE / 2));
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_YSCALE + 6 * i, float_bits(PLAIN_SIZE / 2));
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_YOFFSET + 6 * i, float_bits(PLAIN_SIZE / 2));
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_ZSCALE + 6 * i, float_bits(1));
        set_register(gpu, ADRENO_REG_GRAS_CL_VIEWPORT_ZCLAMP_MAX + 2 * i, float_bits(1));
        set_register(gpu, ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_BR + 2 * i, (PLAIN_SIZE - 1) * 0x10001u);
        set_register(gpu, ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR + 2 * i, (PLAIN_SIZE - 1) * 0x10001u);
    }
    set_register(gpu, ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_BR, (PLAIN_SIZE - 1) * 0x10001u);
    set_register(gpu, ADRENO_REG_GRAS_CL_GUARDBAND_CLIP_ADJ, 0x1ff | 0x1ffu << 10);
    set_register(gpu, ADRENO_REG_GRAS_CL_CNTL,
                 adreno_pack_GRAS_CL_CNTL(&(struct adreno_GRAS_CL_CNTL){.ZERO_GB_SCALE_Z = true}));
}

void plain_state_set(struct adreno_gpu *gpu)
{
    plain_viewports(gpu);
    set_register(gpu, ADRENO_REG_PC_DGEN_RAST_CNTL, ADRENO_POLYGON_MODE_TRIANGLES);
    set_register(gpu, ADRENO_REG_GRAS_SU_POINT_MINMAX, 4092u << 20 | 16);
    set_register(gpu, ADRENO_REG_GRAS_SU_CNTL, 2u << 3);
    set_register(gpu, ADRENO_REG_VFD_CNTL_1, 0xfcfcfcfcu);
    set_register(gpu, ADRENO_REG_SP_PS_CONFIG, 1u << 8);

    /* position at location 2, after two components of a varying */
    set_register(gpu, ADRENO_REG_SP_VS_OUTPUT_CNTL, 2);
    set_register(gpu, ADRENO_REG_SP_VS_OUTPUT, 0x0304u | 0x0f00u << 16);
    set_register(gpu, ADRENO_REG_SP_VS_VPC_DEST, 0x0200);
    set_register(gpu, ADRENO_REG_VPC_VS_CNTL, 6 | 2u << 8 | 0xffu << 16);
    set_register(gpu, ADRENO_REG_VPC_VS_SIV_CNTL, 0xffff);
    set_register(gpu, ADRENO_REG_VPC_PS_CNTL, 2 | 0xffu << 8 | 1u << 16 | 0xffu << 24);

    set_register(gpu, ADRENO_REG_SP_REG_PROG_ID_0, 0xfcfcfcfcu);
    set_register(gpu, ADRENO_REG_SP_REG_PROG_ID_1, 0xfcfcfc00u);
    set_register(gpu, ADRENO_REG_SP_REG_PROG_ID_2, 0xfcfcfcfcu);
    set_register(gpu, ADRENO_REG_SP_PS_OUTPUT, 8);
    set_register(gpu, ADRENO_REG_SP_PS_OUTPUT_CNTL, 0xfcfcfc00u);
}

void plain_state_positions(struct adreno_gpu *gpu, uint64_t va, unsigned count)
{
    set_register(gpu, ADRENO_REG_VFD_CNTL_0, 1 | 1u << 8);
    set_register(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_BASE, (uint32_t)va);
    set_register(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_BASE + 1, (uint32_t)(va >> 32));
    set_register(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_SIZE, count * 16);
    set_register(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_STRIDE, 16);
    set_register(gpu, ADRENO_REG_VFD_FETCH_INSTR,
                 adreno_pack_VFD_FETCH_INSTR(
                     &(struct adreno_VFD_FETCH_INSTR){.FORMAT = 130 /* 32_32_32_32_FLOAT */, .FLOAT = true}));
    set_register(gpu, ADRENO_REG_VFD_DEST_CNTL, 0xf);
}
