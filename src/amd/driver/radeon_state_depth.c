/* State of the depth backends: depth and stencil tests, bounds, and what counts for occlusion queries. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_rates.h"
#include "amd/hw/regs_db.h"

/* VkCompareOp has the hardware's numbers. */
static bool has_depth(const struct radeon_cmd_buffer *cmd)
{
    return cmd->graphics->traits & RADEON_TARGET_DEPTH;
}

static bool has_stencil(const struct radeon_cmd_buffer *cmd)
{
    return cmd->graphics->traits & RADEON_TARGET_STENCIL;
}

void radeon_emit_depth_control(struct radeon_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    struct radeon_cs *cs = &cmd->cs;
    bool depth = has_depth(cmd) && ds->depth_test_enable, stencil = has_stencil(cmd) && ds->stencil_test_enable;
    radeon_cs_reserve(cs, 3);
    radeon_set_context_reg(
        cs, AMD_REG_DB_DEPTH_CONTROL,
        AMD_PACK(RADEON_GFX, DB_DEPTH_CONTROL, .STENCIL_ENABLE = stencil, .Z_ENABLE = depth,
                 .Z_WRITE_ENABLE = depth && ds->depth_write_enable,
                 .DEPTH_BOUNDS_ENABLE = has_depth(cmd) && ds->depth_bounds_test_enable,
                 .ZFUNC = depth ? (enum amd_COMPARE)ds->depth_compare_op : AMD_COMPARE_NEVER,
                 .BACKFACE_ENABLE = stencil,
                 .STENCILFUNC = stencil ? (enum amd_COMPARE)ds->stencil_ops[VK_STENCIL_FRONT].compare : 0,
                 .STENCILFUNC_BF = stencil ? (enum amd_COMPARE)ds->stencil_ops[VK_STENCIL_BACK].compare : 0));
}

static enum amd_STENCIL_OP stencil_op(uint8_t op)
{
    static const uint8_t ops[] = {
        [VK_STENCIL_OP_KEEP] = AMD_STENCIL_OP_KEEP,
        [VK_STENCIL_OP_ZERO] = AMD_STENCIL_OP_ZERO,
        [VK_STENCIL_OP_REPLACE] = AMD_STENCIL_OP_REPLACE_TEST,
        [VK_STENCIL_OP_INCREMENT_AND_CLAMP] = AMD_STENCIL_OP_ADD_CLAMP,
        [VK_STENCIL_OP_DECREMENT_AND_CLAMP] = AMD_STENCIL_OP_SUB_CLAMP,
        [VK_STENCIL_OP_INVERT] = AMD_STENCIL_OP_INVERT,
        [VK_STENCIL_OP_INCREMENT_AND_WRAP] = AMD_STENCIL_OP_ADD_WRAP,
        [VK_STENCIL_OP_DECREMENT_AND_WRAP] = AMD_STENCIL_OP_SUB_WRAP,
    };
    return op < sizeof(ops) ? (enum amd_STENCIL_OP)ops[op] : AMD_STENCIL_OP_KEEP;
}

void radeon_emit_stencil(struct radeon_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    const struct vk_stencil_ops *front = &ds->stencil_ops[VK_STENCIL_FRONT], *back = &ds->stencil_ops[VK_STENCIL_BACK];
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 5);
    /* DB_STENCIL_CONTROL, then the reference and masks of both sides. The operand of increments is 1. */
    radeon_set_context_reg_seq(cs, AMD_REG_DB_STENCIL_CONTROL, 3);
    radeon_emit(cs, AMD_PACK(RADEON_GFX, DB_STENCIL_CONTROL, .STENCILFAIL = stencil_op(front->fail),
                             .STENCILZPASS = stencil_op(front->pass), .STENCILZFAIL = stencil_op(front->depth_fail),
                             .STENCILFAIL_BF = stencil_op(back->fail), .STENCILZPASS_BF = stencil_op(back->pass),
                             .STENCILZFAIL_BF = stencil_op(back->depth_fail)));
    for (int face = VK_STENCIL_FRONT; face <= VK_STENCIL_BACK; face++)
        radeon_emit(cs, AMD_PACK(RADEON_GFX, DB_STENCILREFMASK, .STENCILTESTVAL = ds->stencil_reference[face],
                                 .STENCILMASK = ds->stencil_compare_mask[face],
                                 .STENCILWRITEMASK = ds->stencil_write_mask[face], .STENCILOPVAL = 1));
}

void radeon_emit_depth_bounds(struct radeon_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 4);
    radeon_set_context_reg_seq(cs, AMD_REG_DB_DEPTH_BOUNDS_MIN, 2);
    radeon_emit(cs, (uint32_t)hw_put_float(ds->depth_bounds.min));
    radeon_emit(cs, (uint32_t)hw_put_float(ds->depth_bounds.max));
}

/* Depth is clamped between PA_SC_VPORT_ZMIN and ZMAX, unless it may leave [0, 1] altogether: where nothing clips it, or
 * where VK_EXT_depth_range_unrestricted allows it. */
void radeon_emit_depth_override(struct radeon_cmd_buffer *cmd)
{
    const struct vk_rasterization_state *rs = &cmd->vk.rec->dynamic_state.rs;
    struct radeon_cs *cs = &cmd->cs;
    bool anything = !rs->depth_clamp_enable &&
                    (!vk_depth_clip_enable(rs) || cmd->device->vk.enabled_extensions.EXT_depth_range_unrestricted);
    radeon_cs_reserve(cs, 6);
    radeon_set_context_reg(cs, AMD_REG_DB_RENDER_OVERRIDE,
                           AMD_PACK(RADEON_GFX, DB_RENDER_OVERRIDE, .FORCE_HIS_ENABLE0 = AMD_FORCE_DISABLE,
                                    .FORCE_HIS_ENABLE1 = AMD_FORCE_DISABLE, .DISABLE_VIEWPORT_CLAMP = anything));
    /* Beside shading rates HTILE is the rendering's own, and depth what others read without it. */
    const bool is_plain = radeon_may_have_rates(cmd);
    radeon_set_context_reg(cs, AMD_REG_DB_RENDER_CONTROL,
                           cmd->graphics->special.db_render_control |
                               AMD_PACK(RADEON_GFX, DB_RENDER_CONTROL, .STENCIL_COMPRESS_DISABLE = is_plain,
                                        .DEPTH_COMPRESS_DISABLE = is_plain));
}

void radeon_emit_occlusion(struct radeon_cmd_buffer *cmd)
{
    struct radeon_cs *cs = &cmd->cs;
    bool active = cmd->queries.occlusion_active != 0 && !cmd->meta_depth, precise = cmd->queries.precise_active != 0;
    uint32_t samples = MAX2(cmd->vk.rec->dynamic_state.ms.samples, 1);
    radeon_cs_reserve(cs, 3);
    radeon_set_context_reg(cs, AMD_REG_DB_COUNT_CONTROL,
                           active ? AMD_PACK(RADEON_GFX, DB_COUNT_CONTROL, .PERFECT_ZPASS_COUNTS = precise,
                                             .DISABLE_CONSERVATIVE_ZPASS_COUNTS = precise,
                                             .SAMPLE_RATE = (uint32_t)__builtin_ctz(samples), .ZPASS_ENABLE = 1,
                                             .SLICE_EVEN_ENABLE = 1, .SLICE_ODD_ENABLE = 1)
                                  : AMD_PACK(RADEON_GFX, DB_COUNT_CONTROL, .ZPASS_INCREMENT_DISABLE = true));
}
