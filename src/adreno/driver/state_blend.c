/* Blending, masks and logic operations of colour targets. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

#define ALL_CHANNELS 0xfu

static enum adreno_BLEND_FACTOR blend_factor(uint8_t factor)
{
    static const uint8_t map[] = {
        [VK_BLEND_FACTOR_ZERO] = ADRENO_BLEND_FACTOR_ZERO,
        [VK_BLEND_FACTOR_ONE] = ADRENO_BLEND_FACTOR_ONE,
        [VK_BLEND_FACTOR_SRC_COLOR] = ADRENO_BLEND_FACTOR_SRC_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
        [VK_BLEND_FACTOR_DST_COLOR] = ADRENO_BLEND_FACTOR_DST_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = ADRENO_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
        [VK_BLEND_FACTOR_SRC_ALPHA] = ADRENO_BLEND_FACTOR_SRC_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        [VK_BLEND_FACTOR_DST_ALPHA] = ADRENO_BLEND_FACTOR_DST_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = ADRENO_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        [VK_BLEND_FACTOR_CONSTANT_COLOR] = ADRENO_BLEND_FACTOR_CONSTANT_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        [VK_BLEND_FACTOR_CONSTANT_ALPHA] = ADRENO_BLEND_FACTOR_CONSTANT_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
        [VK_BLEND_FACTOR_SRC_ALPHA_SATURATE] = ADRENO_BLEND_FACTOR_SRC_ALPHA_SATURATE,
        [VK_BLEND_FACTOR_SRC1_COLOR] = ADRENO_BLEND_FACTOR_SRC1_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR] = ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
        [VK_BLEND_FACTOR_SRC1_ALPHA] = ADRENO_BLEND_FACTOR_SRC1_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA] = ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
    };
    return (enum adreno_BLEND_FACTOR)map[factor];
}

static enum adreno_BLEND_OP blend_op(uint8_t op)
{
    static const uint8_t map[] = {
        [VK_BLEND_OP_ADD] = ADRENO_BLEND_OP_DST_PLUS_SRC,
        [VK_BLEND_OP_SUBTRACT] = ADRENO_BLEND_OP_SRC_MINUS_DST,
        [VK_BLEND_OP_REVERSE_SUBTRACT] = ADRENO_BLEND_OP_DST_MINUS_SRC,
        [VK_BLEND_OP_MIN] = ADRENO_BLEND_OP_MIN_DST_SRC,
        [VK_BLEND_OP_MAX] = ADRENO_BLEND_OP_MAX_DST_SRC,
    };
    return (enum adreno_BLEND_OP)map[op];
}

static enum adreno_ROP_CODE logic_op(uint8_t op)
{
    static const uint8_t map[] = {
        [VK_LOGIC_OP_CLEAR] = ADRENO_ROP_CODE_CLEAR,
        [VK_LOGIC_OP_AND] = ADRENO_ROP_CODE_AND,
        [VK_LOGIC_OP_AND_REVERSE] = ADRENO_ROP_CODE_AND_REVERSE,
        [VK_LOGIC_OP_COPY] = ADRENO_ROP_CODE_COPY,
        [VK_LOGIC_OP_AND_INVERTED] = ADRENO_ROP_CODE_AND_INVERTED,
        [VK_LOGIC_OP_NO_OP] = ADRENO_ROP_CODE_NOOP,
        [VK_LOGIC_OP_XOR] = ADRENO_ROP_CODE_XOR,
        [VK_LOGIC_OP_OR] = ADRENO_ROP_CODE_OR,
        [VK_LOGIC_OP_NOR] = ADRENO_ROP_CODE_NOR,
        [VK_LOGIC_OP_EQUIVALENT] = ADRENO_ROP_CODE_EQUIV,
        [VK_LOGIC_OP_INVERT] = ADRENO_ROP_CODE_INVERT,
        [VK_LOGIC_OP_OR_REVERSE] = ADRENO_ROP_CODE_OR_REVERSE,
        [VK_LOGIC_OP_COPY_INVERTED] = ADRENO_ROP_CODE_COPY_INVERTED,
        [VK_LOGIC_OP_OR_INVERTED] = ADRENO_ROP_CODE_OR_INVERTED,
        [VK_LOGIC_OP_NAND] = ADRENO_ROP_CODE_NAND,
        [VK_LOGIC_OP_SET] = ADRENO_ROP_CODE_SET,
    };
    return (enum adreno_ROP_CODE)map[op];
}

/* Logic operations are of bits: floats and colours on a curve have none. */
static bool has_logic(const struct format_info *info)
{
    return info->numeric != FORMAT_NUMERIC_SFLOAT && info->numeric != FORMAT_NUMERIC_UFLOAT && !format_is_srgb(info);
}

/* Returns whether the target's old colour is read. */
static bool emit_target(struct adreno_cs *cs, uint32_t target, const struct vk_color_blend_state *cb, uint32_t i,
                        const struct format_info *info)
{
    const struct vk_blend_equation *e = &cb->equations[i];
    const bool has_rop = cb->logic_op_enable && info && has_logic(info);
    const bool is_blended = info && cb->blend_enables >> i & 1 && !cb->logic_op_enable && !format_is_integer(info);
    const uint32_t mask = info && cb->color_write_enables >> i & 1 ? cb->write_masks[i] : 0;
    adreno_set_regs(cs, ADRENO_REG_RB_MRT_CONTROL + target * ADRENO_REG_RB_MRT_CONTROL_STRIDE, 2);
    adreno_emit(cs, ADRENO_PACK(RB_MRT_CONTROL, .COLOR_BLEND_EN = is_blended, .ALPHA_BLEND_EN = is_blended,
                                .ROP_ENABLE = has_rop, .ROP_CODE = has_rop ? logic_op(cb->logic_op) : 0,
                                .COMPONENT_ENABLE = mask));
    adreno_emit(cs, is_blended ? ADRENO_PACK(RB_MRT_BLEND_CONTROL, .RGB_SRC_FACTOR = blend_factor(e->src_color),
                                             .RGB_BLEND_OPCODE = blend_op(e->color_op),
                                             .RGB_DEST_FACTOR = blend_factor(e->dst_color),
                                             .ALPHA_SRC_FACTOR = blend_factor(e->src_alpha),
                                             .ALPHA_BLEND_OPCODE = blend_op(e->alpha_op),
                                             .ALPHA_DEST_FACTOR = blend_factor(e->dst_alpha))
                               : 0);
    return is_blended || has_rop || (mask && mask != ALL_CHANNELS);
}

void adreno_emit_blend(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    const struct vk_multisample_state *ms = &cmd->vk.rec->dynamic_state.ms;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct adreno_shader *fragment = cmd->graphics.baked->shaders[ADRENO_STAGE_FRAGMENT];
    const bool is_dual = fragment && fragment->binary.config.fs.is_dual_source;
    const struct vk_color_slots *slots = &cmd->graphics.slots;
    const uint32_t targets = vk_color_slot_count(slots, rendering->num_colors);
    uint32_t reads = 0;
    for (uint32_t target = 0; target < targets; target++) {
        const uint32_t i = vk_color_at_slot(slots, target);
        const VkFormat format = i < rendering->num_colors && vk_color_is_written(slots, i) ? rendering->colors[i].format
                                                                                           : VK_FORMAT_UNDEFINED;
        const struct format_info *info = format != VK_FORMAT_UNDEFINED ? format_info((enum format)format) : NULL;
        reads |= (uint32_t)emit_target(cs, target, cb, i, info) << target;
    }
    ADRENO_REG(cs, SP_PS_MRT_CNTL, .MRT = targets);
    ADRENO_REG(cs, RB_PS_MRT_CNTL, .MRT = targets);
    ADRENO_REG(cs, SP_BLEND_CNTL, .ENABLE_BLEND = reads, .INDEPENDENT_BLEND_EN = true, .DUAL_COLOR_IN_ENABLE = is_dual,
               .ALPHA_TO_COVERAGE = ms->alpha_to_coverage);
    ADRENO_REG(cs, RB_BLEND_CNTL, .BLEND_READS_DEST = reads, .INDEPENDENT_BLEND = true, .DUAL_COLOR_IN_ENABLE = is_dual,
               .ALPHA_TO_COVERAGE = ms->alpha_to_coverage, .ALPHA_TO_ONE = ms->alpha_to_one,
               .SAMPLE_MASK = (uint32_t)ms->sample_mask & 0xffff);
    adreno_set_regs(cs, ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32, 4);
    for (unsigned i = 0; i < 4; i++)
        adreno_emit(cs, float_bits(cb->constants[i]));
}
