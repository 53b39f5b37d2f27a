/* Tessellation: the registers between vertex, control and evaluation shader, and the memory that the last two share.
 * The patches of a draw that are under way together are as many as this memory has room for. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "adreno/driver/memory.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

/* ---- memory ---- */

#define LEVELS_B (64u << 10) /* of all patches, at the beginning */
#define PARAMS_B (4u << 20)  /* what control shaders give */

VkResult adreno_tess_memory(struct adreno_device *device, uint64_t *va_out)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->private_lock);
    if (!device->tess_memory &&
        adreno_bo_create(device->kernel, LEVELS_B + PARAMS_B, MSM_BO_WC, 0, &device->tess_memory))
        result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (result == VK_SUCCESS)
        *va_out = device->tess_memory->vk.va;
    pthread_mutex_unlock(&device->private_lock);
    return result;
}

uint32_t adreno_tess_patches(const struct adreno_tess_plan *plan)
{
    return MIN2(LEVELS_B / adreno_levels_B(plan), PARAMS_B / MAX2(plan->patch_B, 1u));
}

/* ---- registers ---- */

/* The hardware's words are about a domain whose v goes up; from an origin below triangles turn the other way. */
static enum adreno_TESS_OUTPUT output_of(const struct adreno_tess_plan *plan, bool is_lower)
{
    return plan->has_point_mode                    ? ADRENO_TESS_OUTPUT_POINTS
           : plan->domain == IR_PRIMITIVE_isolines ? ADRENO_TESS_OUTPUT_LINES
           : plan->is_ccw != is_lower              ? ADRENO_TESS_OUTPUT_CW_TRIS
                                                   : ADRENO_TESS_OUTPUT_CCW_TRIS;
}

/* Local memory of a wave in units of 256 bytes, as far as what its patches get from vertex shaders goes: a hint. */
static uint32_t wave_size_of(const struct adreno_shader_config *control)
{
    enum {
        FIBERS = 64,
        ROOM_B = 16384,
        UNIT_B = 256
    };
    const uint32_t part_B = control->part_B, most = FIBERS / control->tess.out_points;
    return part_B ? (uint32_t)div_round_up(MIN2(ROOM_B / part_B, most) * part_B, UNIT_B) : 0;
}

void adreno_emit_tess(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *control = &baked->shaders[ADRENO_STAGE_CONTROL]->binary.config;
    const uint64_t levels = baked->tess_va, params = levels + LEVELS_B;
    const uint32_t words[4] = {(uint32_t)params, (uint32_t)(params >> 32), (uint32_t)levels, (uint32_t)(levels >> 32)};
    ADRENO_REG(cs, PC_HS_PARAM_0, .VALUE = control->tess.out_points);
    ADRENO_REG(cs, PC_HS_PARAM_1, .SIZE = control->part_B / 16);
    ADRENO_REG(cs, SP_HS_CNTL_1, .VALUE = wave_size_of(control));
    adreno_set_reg64(cs, ADRENO_REG_PC_TESS_BASE, levels);
    for (enum adreno_stage i = ADRENO_STAGE_CONTROL; i <= ADRENO_STAGE_EVALUATION; i++) {
        const uint16_t at = baked->shaders[i]->binary.config.param[ADRENO_PARAM_TESS];
        if (at != ADRENO_CONST_UNUSED)
            adreno_load_constants(cs, i, at, words, 4);
    }
}

void adreno_emit_tess_state(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    static const enum adreno_TESS_SPACING spacings[] = {ADRENO_TESS_SPACING_EQUAL, ADRENO_TESS_SPACING_FRACTIONAL_EVEN,
                                                        ADRENO_TESS_SPACING_FRACTIONAL_ODD};
    const struct adreno_shader *shader = cmd->graphics.baked->shaders[ADRENO_STAGE_CONTROL];
    const struct vk_tessellation_state *ts = &cmd->vk.rec->dynamic_state.ts;
    if (!shader)
        return;
    const struct adreno_shader_config *control = &shader->binary.config;
    ADRENO_REG(cs, PC_DS_PARAM, .SPACING = spacings[control->tess.spacing % 3],
               .OUTPUT = output_of(&control->tess, ts->domain_origin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT));
    if (control->param[ADRENO_PARAM_PATCH] != ADRENO_CONST_UNUSED)
        adreno_load_constants(cs, ADRENO_STAGE_CONTROL, control->param[ADRENO_PARAM_PATCH],
                              (const uint32_t[4]){ts->patch_control_points}, 4);
}
