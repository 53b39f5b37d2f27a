/* The compute side of a submission's first state, and what graphics and compute have in common. */
#include "amd/driver/radeon_preamble.h"

#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_spi.h"
#include "amd/hw/regs_ta.h"

const uint8_t radeon_sample_grid[RADEON_SAMPLE_GRID_COUNT][2] = {
    {8, 8}, /* 1 */
    {12, 12}, {4, 4}, /* 2 */
    {6, 2}, {14, 6}, {2, 10}, {10, 14}, /* 4 */
    {9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}, /* 8 */
};

void radeon_sample_positions(float *positions_out)
{
    for (int i = 0; i < RADEON_SAMPLE_GRID_COUNT; i++) {
        positions_out[2 * i] = radeon_sample_grid[i][0] / 16.0f;
        positions_out[2 * i + 1] = radeon_sample_grid[i][1] / 16.0f;
    }
}

void radeon_compute_preamble(struct radeon_device *device, struct radeon_cs *cs, uint32_t tmpring_size, uint32_t rings)
{
    radeon_cs_reserve(cs, 64);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_START_X, 3);
    radeon_emit(cs, 0);
    radeon_emit(cs, 0);
    radeon_emit(cs, 0);
    /* Every compute unit that the kernel lets us use. */
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_DESTINATION_EN_SE0, 2);
    radeon_emit(cs, ~0u);
    radeon_emit(cs, ~0u);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_DESTINATION_EN_SE2, 2);
    radeon_emit(cs, ~0u);
    radeon_emit(cs, ~0u);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_REQ_CTRL, 0);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_USER_ACCUM, 4);
    for (int i = 0; i < 4; i++)
        radeon_emit(cs, 0);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PGM_RSRC3, 0);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_TMPRING_SIZE, tmpring_size);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_USER_DATA, rings);
    uint64_t colors = device->border_colors ? device->border_colors->vk.va >> 8 : 0;
    radeon_set_uconfig_reg_seq(cs, AMD_REG_TA_CS_BC_BASE_ADDR, 2);
    radeon_emit(cs, (uint32_t)colors);
    radeon_emit(cs, (uint32_t)(colors >> 32) & 0xff);
}

void radeon_graphics_preamble(struct radeon_device *device, struct radeon_cs *cs, uint32_t tmpring_size, uint32_t rings)
{
    radeon_emit_graphics_preamble(device, cs);
    radeon_cs_reserve(cs, 16);
    radeon_set_context_reg(cs, AMD_REG_SPI_TMPRING_SIZE, tmpring_size);
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_USER_DATA_PS, rings);
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_USER_DATA_VS, rings);
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_USER_DATA_GS, rings);
    radeon_set_sh_reg(cs, AMD_REG_SPI_SHADER_USER_DATA_HS, rings);
}
