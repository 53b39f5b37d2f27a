/* Tessellation: the rings that its stages and the tessellator share, and its registers. A pipeline's hull shader is its
 * vertex and control shader; its evaluation shader stands where the vertex shader of other pipelines does. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"

#define BUFFER_B (8192 * 4)       /* of a threadgroup */
#define BUFFERS_OF_ENGINE 128u    /* threadgroups in flight */
#define LEVELS_OF_ENGINE_B 49152u /* of their levels */
#define MAX_LEVEL 0x42800000u     /* 64.0 */

static uint32_t engines_of(const struct radeon_device *device)
{
    return MIN2(MAX2(device->ws->info.device.num_shader_engines, 1u), 4u);
}

static VkResult create_rings(struct radeon_device *device)
{
    static_assert(LEVELS_OF_ENGINE_B * 4 <= AMD_TESS_BUFFERS_B, "levels end before the buffers begin");
    device->tess_buffers = BUFFERS_OF_ENGINE * engines_of(device);
    const uint64_t size_B = AMD_TESS_BUFFERS_B + (uint64_t)device->tess_buffers * BUFFER_B;
    struct ws_bo *rings;
    int error = amd_ws_bo_create(device->ws, size_B, 64 * 1024, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_VA_32, 0, &rings);
    if (!error)
        atomic_store(&device->tess_rings, rings);
    return vk_kernel_result(error);
}

VkResult radeon_tess_need(struct radeon_device *device)
{
    pthread_mutex_lock(&device->context_lock);
    const VkResult result = atomic_load(&device->tess_rings) ? VK_SUCCESS : create_rings(device);
    pthread_mutex_unlock(&device->context_lock);
    return result;
}

void radeon_tess_preamble(struct radeon_device *device, struct radeon_cs *cs)
{
    const struct ws_bo *rings = atomic_load(&device->tess_rings);
    if (!rings)
        return;
    const uint64_t va = rings->vk.va;
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_TF_RING_SIZE, LEVELS_OF_ENGINE_B * engines_of(device) / 4);
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_HS_OFFCHIP_PARAM,
                           AMD_PACK(RADEON_GFX, VGT_HS_OFFCHIP_PARAM, .OFFCHIP_BUFFERING = device->tess_buffers - 1,
                                    .OFFCHIP_GRANULARITY = AMD_OFFCHIP_GRANULARITY_8K_DWORDS));
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_TF_MEMORY_BASE, (uint32_t)(va >> 8));
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_TF_MEMORY_BASE_HI, (uint32_t)(va >> 40) & 0xff);
    radeon_set_context_reg(cs, AMD_REG_VGT_HOS_MAX_TESS_LEVEL, MAX_LEVEL);
    radeon_set_context_reg(cs, AMD_REG_VGT_HOS_MIN_TESS_LEVEL, 0);
    radeon_set_context_reg(cs, AMD_REG_VGT_TESS_DISTRIBUTION,
                           AMD_PACK(RADEON_GFX, VGT_TESS_DISTRIBUTION, .ACCUM_ISOLINE = 12, .ACCUM_TRI = 30,
                                    .ACCUM_QUAD = 24, .DONUT_SPLIT = 24, .TRAP_SPLIT = 6));
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC3_HS,
                             AMD_PACK(RADEON_GFX, SPI_SHADER_PGM_RSRC3_HS, .CU_EN = 0xffff, .WAVE_LIMIT = 0x3f));
    radeon_set_sh_reg_masked(cs, AMD_REG_SPI_SHADER_PGM_RSRC4_HS, 0xffff);
}

void radeon_bake_hull(struct radeon_cs *cs, const struct radeon_shader *hull)
{
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_LS, 2);
    radeon_emit(cs, (uint32_t)(hull->va >> 8));
    radeon_emit(cs, (uint32_t)(hull->va >> 40) & 0xff);
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_RSRC1_HS, 2);
    radeon_emit(cs, hull->binary.config.rsrc1);
    radeon_emit(cs, hull->binary.config.rsrc2);
}

/* From a lower left origin triangles turn the other way. */
static uint32_t tf_param(const struct amd_tess_layout *tess, bool is_lower)
{
    static const enum amd_TESS_PARTITION spacings[] = {AMD_TESS_PARTITION_INTEGER, AMD_TESS_PARTITION_FRAC_EVEN,
                                                       AMD_TESS_PARTITION_FRAC_ODD};
    const bool is_line = tess->domain == IR_PRIMITIVE_isolines, is_quad = tess->domain == IR_PRIMITIVE_quads;
    return AMD_PACK(RADEON_GFX, VGT_TF_PARAM,
                    .TYPE = is_line   ? AMD_TESS_TYPE_ISOLINE
                            : is_quad ? AMD_TESS_TYPE_QUAD
                                      : AMD_TESS_TYPE_TRIANGLE,
                    .PARTITIONING = spacings[tess->spacing % 3],
                    .TOPOLOGY = tess->has_point_mode       ? AMD_TESS_TOPOLOGY_POINT
                                : is_line                  ? AMD_TESS_TOPOLOGY_LINE
                                : tess->is_ccw != is_lower ? AMD_TESS_TOPOLOGY_TRIANGLE_CCW
                                                           : AMD_TESS_TOPOLOGY_TRIANGLE_CW,
                    .DISTRIBUTION_MODE = AMD_TESS_DISTRIBUTION_TRAPEZOIDS);
}

void radeon_emit_tessellation(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    const struct vk_tessellation_state *ts = &cmd->vk.rec->dynamic_state.ts;
    if (!baked->hull)
        return;
    const struct amd_shader_config *config = &baked->hull->binary.config;
    const struct amd_sgpr_place points = config->user[AMD_USER_patch_points];
    radeon_cs_reserve(&cmd->cs, 9);
    radeon_set_context_reg(&cmd->cs, AMD_REG_VGT_LS_HS_CONFIG,
                           AMD_PACK(RADEON_GFX, VGT_LS_HS_CONFIG, .NUM_PATCHES = config->tess.patches,
                                    .HS_NUM_INPUT_CP = ts->patch_control_points,
                                    .HS_NUM_OUTPUT_CP = config->tess.out_points));
    radeon_set_context_reg(&cmd->cs, AMD_REG_VGT_TF_PARAM,
                           tf_param(&config->tess, ts->domain_origin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT));
    if (points.count)
        radeon_set_sh_reg(&cmd->cs, baked->front_user_reg + points.first * 4u, ts->patch_control_points);
}

static void emit_ring(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader, uint32_t user_reg)
{
    const struct amd_sgpr_place place = shader->binary.config.user[AMD_USER_tess_rings];
    if (!place.count)
        return;
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, user_reg + place.first * 4u,
                      radeon_pointer32(cmd->device, atomic_load(&cmd->device->tess_rings)->vk.va));
}

void radeon_emit_tess_rings(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    emit_ring(cmd, baked->hull, baked->front_user_reg);
    emit_ring(cmd, baked->vertex, baked->vertex_user_reg);
}
