/* Depth and stencil descriptors. */
#include "mali/driver/cmd.h"
#include "util/bits.h"

static enum mali_STENCIL_OP stencil_op(uint8_t op)
{
    static const uint8_t map[] = {
        [VK_STENCIL_OP_KEEP] = MALI_STENCIL_OP_KEEP,
        [VK_STENCIL_OP_ZERO] = MALI_STENCIL_OP_ZERO,
        [VK_STENCIL_OP_REPLACE] = MALI_STENCIL_OP_REPLACE,
        [VK_STENCIL_OP_INCREMENT_AND_CLAMP] = MALI_STENCIL_OP_INCR_SAT,
        [VK_STENCIL_OP_DECREMENT_AND_CLAMP] = MALI_STENCIL_OP_DECR_SAT,
        [VK_STENCIL_OP_INVERT] = MALI_STENCIL_OP_INVERT,
        [VK_STENCIL_OP_INCREMENT_AND_WRAP] = MALI_STENCIL_OP_INCR_WRAP,
        [VK_STENCIL_OP_DECREMENT_AND_WRAP] = MALI_STENCIL_OP_DECR_WRAP,
    };
    return (enum mali_STENCIL_OP)map[op];
}

static void set_stencil(struct mali_desc_DEPTH_STENCIL *d, const struct vk_depth_stencil_state *ds)
{
    const struct vk_stencil_ops *front = &ds->stencil_ops[VK_STENCIL_FRONT], *back = &ds->stencil_ops[VK_STENCIL_BACK];
    d->STENCIL_TEST_ENABLE = true;
    d->FRONT_COMPARE_FUNCTION = (enum mali_FUNC)front->compare;
    d->FRONT_STENCIL_FAIL = stencil_op(front->fail);
    d->FRONT_DEPTH_FAIL = stencil_op(front->depth_fail);
    d->FRONT_DEPTH_PASS = stencil_op(front->pass);
    d->BACK_COMPARE_FUNCTION = (enum mali_FUNC)back->compare;
    d->BACK_STENCIL_FAIL = stencil_op(back->fail);
    d->BACK_DEPTH_FAIL = stencil_op(back->depth_fail);
    d->BACK_DEPTH_PASS = stencil_op(back->pass);
    d->FRONT_WRITE_MASK = ds->stencil_write_mask[VK_STENCIL_FRONT];
    d->BACK_WRITE_MASK = ds->stencil_write_mask[VK_STENCIL_BACK];
    d->FRONT_VALUE_MASK = ds->stencil_compare_mask[VK_STENCIL_FRONT];
    d->BACK_VALUE_MASK = ds->stencil_compare_mask[VK_STENCIL_BACK];
    d->FRONT_REFERENCE_VALUE = ds->stencil_reference[VK_STENCIL_FRONT];
    d->BACK_REFERENCE_VALUE = ds->stencil_reference[VK_STENCIL_BACK];
}

/* Units of the bias are those of the attachment's format. */
static void set_bias(struct mali_desc_DEPTH_STENCIL *d, const struct vk_rasterization_state *rs)
{
    if (!rs->depth_bias_enable)
        return;
    d->DEPTH_BIAS_ENABLE = true;
    d->DEPTH_UNITS = rs->depth_bias.constant;
    d->DEPTH_FACTOR = rs->depth_bias.slope;
    d->DEPTH_BIAS_CLAMP = rs->depth_bias.clamp;
}

static enum mali_DEPTH_SOURCE depth_source(const struct mali_shader *fragment)
{
    return fragment && fragment->binary.config.fs.writes_depth ? MALI_DEPTH_SOURCE_SHADER
                                                               : MALI_DEPTH_SOURCE_FIXED_FUNCTION;
}

uint64_t mali_make_depth_stencil(struct mali_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    const struct vk_rasterization_state *rs = &cmd->vk.rec->dynamic_state.rs;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct mali_shader *fragment = cmd->graphics.baked->fragment;
    const bool has_depth = rendering->depth.format != VK_FORMAT_UNDEFINED,
               has_stencil = rendering->stencil.format != VK_FORMAT_UNDEFINED;
    const bool is_tested = ds->depth_test_enable && has_depth;
    struct mali_desc_DEPTH_STENCIL d = {
        .TYPE = MALI_DESCRIPTOR_TYPE_DEPTH_STENCIL,
        .FRONT_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
        .BACK_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
        .STENCIL_FROM_SHADER = has_stencil && fragment && fragment->binary.config.fs.writes_stencil,
        .DEPTH_CULL_ENABLE = vk_depth_clip_enable(rs),
        .DEPTH_CLAMP_MODE = rs->depth_clamp_enable ? MALI_DEPTH_CLAMP_BOUNDS : MALI_DEPTH_CLAMP_ZERO_ONE,
        .DEPTH_SOURCE = depth_source(fragment),
        .DEPTH_WRITE_ENABLE = is_tested && ds->depth_write_enable,
        .DEPTH_FUNCTION = is_tested ? (enum mali_FUNC)ds->depth_compare_op : MALI_FUNC_ALWAYS,
    };
    if (ds->stencil_test_enable && has_stencil)
        set_stencil(&d, ds);
    set_bias(&d, rs);
    uint64_t va = 0;
    uint32_t *words = mali_cmd_upload(cmd, 4 * MALI_DESC_DEPTH_STENCIL_DW, 32, &va);
    if (words)
        mali_pack_desc_DEPTH_STENCIL(words, &d);
    return va;
}
