/* Depth, stencil, and when they are tested. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "util/bits.h"

static enum adreno_STENCIL_OP stencil_op(uint8_t op)
{
    static const uint8_t map[] = {
        [VK_STENCIL_OP_KEEP] = ADRENO_STENCIL_OP_KEEP,
        [VK_STENCIL_OP_ZERO] = ADRENO_STENCIL_OP_ZERO,
        [VK_STENCIL_OP_REPLACE] = ADRENO_STENCIL_OP_REPLACE,
        [VK_STENCIL_OP_INCREMENT_AND_CLAMP] = ADRENO_STENCIL_OP_INCR_CLAMP,
        [VK_STENCIL_OP_DECREMENT_AND_CLAMP] = ADRENO_STENCIL_OP_DECR_CLAMP,
        [VK_STENCIL_OP_INVERT] = ADRENO_STENCIL_OP_INVERT,
        [VK_STENCIL_OP_INCREMENT_AND_WRAP] = ADRENO_STENCIL_OP_INCR_WRAP,
        [VK_STENCIL_OP_DECREMENT_AND_WRAP] = ADRENO_STENCIL_OP_DECR_WRAP,
    };
    return (enum adreno_STENCIL_OP)map[op];
}

/* The fragment shader's effects on its fragment that the tests must wait for. */
static enum adreno_ZTEST_MODE test_mode(const struct adreno_cmd_buffer *cmd, bool writes)
{
    const struct adreno_shader *fragment = cmd->graphics.baked->shaders[ADRENO_STAGE_FRAGMENT];
    const struct vk_multisample_state *ms = &cmd->vk.rec->dynamic_state.ms;
    if (!fragment)
        return ADRENO_ZTEST_MODE_EARLY_Z;
    const struct adreno_shader_config *fs = &fragment->binary.config;
    if (fs->fs.early_tests)
        return ADRENO_ZTEST_MODE_EARLY_Z;
    if (fs->fs.depth_reg != ADRENO_REG_UNUSED || fs->fs.stencil_reg != ADRENO_REG_UNUSED || fs->writes_memory)
        return ADRENO_ZTEST_MODE_LATE_Z;
    const bool may_kill = fs->fs.has_kill || fs->fs.sample_mask_out_reg != ADRENO_REG_UNUSED || ms->alpha_to_coverage;
    /* Samples are counted where they are tested. */
    if (!may_kill || (!writes && !cmd->graphics.occlusion_queries))
        return ADRENO_ZTEST_MODE_EARLY_Z;
    return cmd->graphics.lrz_use.is_tested ? ADRENO_ZTEST_MODE_EARLY_Z_LATE_Z : ADRENO_ZTEST_MODE_LATE_Z;
}

static void emit_stencil(struct adreno_cs *cs, const struct vk_depth_stencil_state *ds, bool is_enabled)
{
    const struct vk_stencil_ops *front = &ds->stencil_ops[VK_STENCIL_FRONT], *back = &ds->stencil_ops[VK_STENCIL_BACK];
    ADRENO_REG(cs, RB_STENCIL_CNTL, .STENCIL_ENABLE = is_enabled, .STENCIL_ENABLE_BF = is_enabled,
               .STENCIL_READ = is_enabled, .FUNC = (enum adreno_COMPARE_FUNC)front->compare,
               .FAIL = stencil_op(front->fail), .ZPASS = stencil_op(front->pass),
               .ZFAIL = stencil_op(front->depth_fail), .FUNC_BF = (enum adreno_COMPARE_FUNC)back->compare,
               .FAIL_BF = stencil_op(back->fail), .ZPASS_BF = stencil_op(back->pass),
               .ZFAIL_BF = stencil_op(back->depth_fail));
    ADRENO_REG(cs, GRAS_SU_STENCIL_CNTL, .STENCIL_ENABLE = is_enabled);
    adreno_set_regs(cs, ADRENO_REG_RB_STENCIL_REF_CNTL, 3);
    adreno_emit(cs,
                ADRENO_PACK(RB_STENCIL_REF_CNTL, .REF = ds->stencil_reference[0], .BFREF = ds->stencil_reference[1]));
    adreno_emit(
        cs, ADRENO_PACK(RB_STENCIL_MASK, .MASK = ds->stencil_compare_mask[0], .BFMASK = ds->stencil_compare_mask[1]));
    adreno_emit(cs, ADRENO_PACK(RB_STENCIL_WRITE_MASK, .WRMASK = ds->stencil_write_mask[0],
                                .BFWRMASK = ds->stencil_write_mask[1]));
}

void adreno_emit_depth(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const bool has_depth = rendering->depth.format != VK_FORMAT_UNDEFINED;
    const bool has_stencil = rendering->stencil.format != VK_FORMAT_UNDEFINED;
    const bool has_bounds = has_depth && ds->depth_bounds_test_enable;
    const bool is_asked = has_depth && ds->depth_test_enable;
    /* Some chips look at bounds only where they test. */
    const bool is_tested = is_asked || (has_bounds && cmd->device->chip->quirk_depth_bounds_need_depth_test);
    const bool is_written = is_asked && ds->depth_write_enable;
    const bool is_stencilled = has_stencil && ds->stencil_test_enable;
    const enum adreno_ZTEST_MODE mode = test_mode(cmd, is_written || is_stencilled);
    ADRENO_REG(cs, RB_DEPTH_CNTL, .Z_TEST_ENABLE = is_tested, .Z_WRITE_ENABLE = is_written,
               .ZFUNC = is_asked ? (enum adreno_COMPARE_FUNC)ds->depth_compare_op : ADRENO_COMPARE_FUNC_ALWAYS,
               .Z_CLAMP_ENABLE = cmd->vk.rec->dynamic_state.rs.depth_clamp_enable,
               .Z_READ_ENABLE = is_tested || has_bounds, .Z_BOUNDS_ENABLE = has_bounds);
    ADRENO_REG(cs, GRAS_SU_DEPTH_CNTL, .Z_TEST_ENABLE = is_tested);
    emit_stencil(cs, ds, is_stencilled);
    adreno_set_regs(cs, ADRENO_REG_RB_DEPTH_BOUND_MIN, 2);
    adreno_emit(cs, float_bits(ds->depth_bounds.min));
    adreno_emit(cs, float_bits(ds->depth_bounds.max));
    ADRENO_REG(cs, GRAS_SU_DEPTH_PLANE_CNTL, .Z_MODE = mode);
    ADRENO_REG(cs, RB_DEPTH_PLANE_CNTL, .Z_MODE = mode);
}
