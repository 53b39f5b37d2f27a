/* State of the colour backends: blending, logic operations, write masks. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_format.h"
#include "amd/hw/regs_cb.h"
#include "util/bits.h"

static enum amd_BLEND_FACTOR blend_factor(uint8_t factor)
{
    static const uint8_t factors[] = {
        [VK_BLEND_FACTOR_ZERO] = AMD_BLEND_FACTOR_ZERO,
        [VK_BLEND_FACTOR_ONE] = AMD_BLEND_FACTOR_ONE,
        [VK_BLEND_FACTOR_SRC_COLOR] = AMD_BLEND_FACTOR_SRC_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
        [VK_BLEND_FACTOR_DST_COLOR] = AMD_BLEND_FACTOR_DST_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
        [VK_BLEND_FACTOR_SRC_ALPHA] = AMD_BLEND_FACTOR_SRC_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        [VK_BLEND_FACTOR_DST_ALPHA] = AMD_BLEND_FACTOR_DST_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        [VK_BLEND_FACTOR_CONSTANT_COLOR] = AMD_BLEND_FACTOR_CONSTANT_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        [VK_BLEND_FACTOR_CONSTANT_ALPHA] = AMD_BLEND_FACTOR_CONSTANT_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
        [VK_BLEND_FACTOR_SRC_ALPHA_SATURATE] = AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE,
        [VK_BLEND_FACTOR_SRC1_COLOR] = AMD_BLEND_FACTOR_SRC1_COLOR,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR] = AMD_BLEND_FACTOR_INV_SRC1_COLOR,
        [VK_BLEND_FACTOR_SRC1_ALPHA] = AMD_BLEND_FACTOR_SRC1_ALPHA,
        [VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA] = AMD_BLEND_FACTOR_INV_SRC1_ALPHA,
    };
    return factor < sizeof(factors) ? (enum amd_BLEND_FACTOR)factors[factor] : AMD_BLEND_FACTOR_ZERO;
}

static enum amd_BLEND_FUNC blend_func(uint8_t op)
{
    static const uint8_t funcs[] = {
        [VK_BLEND_OP_ADD] = AMD_BLEND_FUNC_DST_PLUS_SRC,
        [VK_BLEND_OP_SUBTRACT] = AMD_BLEND_FUNC_SRC_MINUS_DST,
        [VK_BLEND_OP_REVERSE_SUBTRACT] = AMD_BLEND_FUNC_DST_MINUS_SRC,
        [VK_BLEND_OP_MIN] = AMD_BLEND_FUNC_MIN_DST_SRC,
        [VK_BLEND_OP_MAX] = AMD_BLEND_FUNC_MAX_DST_SRC,
    };
    return op < sizeof(funcs) ? (enum amd_BLEND_FUNC)funcs[op] : AMD_BLEND_FUNC_DST_PLUS_SRC;
}

/* Factors play no part in a minimum, for Vulkan; for the hardware they do. */
static enum amd_BLEND_FACTOR factor_of(uint8_t factor, uint8_t op)
{
    return op == VK_BLEND_OP_MIN || op == VK_BLEND_OP_MAX ? AMD_BLEND_FACTOR_ONE : blend_factor(factor);
}

static uint32_t blend_control(const struct vk_blend_equation *e)
{
    bool separate = e->src_alpha != e->src_color || e->dst_alpha != e->dst_color || e->alpha_op != e->color_op;
    return AMD_PACK(RADEON_GFX, CB_BLEND_CONTROL, .COLOR_SRCBLEND = factor_of(e->src_color, e->color_op),
                    .COLOR_COMB_FCN = blend_func(e->color_op), .COLOR_DESTBLEND = factor_of(e->dst_color, e->color_op),
                    .ALPHA_SRCBLEND = separate ? factor_of(e->src_alpha, e->alpha_op) : 0,
                    .ALPHA_COMB_FCN = separate ? blend_func(e->alpha_op) : 0,
                    .ALPHA_DESTBLEND = separate ? factor_of(e->dst_alpha, e->alpha_op) : 0,
                    .SEPARATE_ALPHA_BLEND = separate, .ENABLE = true);
}

uint32_t radeon_color_traits(uint32_t number, VkFormat vk_format)
{
    const struct radeon_format *format = radeon_format(vk_format);
    bool logic = format->color.number != AMD_NUMBER_TYPE_FLOAT && format->color.number != AMD_NUMBER_TYPE_SRGB;
    if (vk_format == VK_FORMAT_UNDEFINED)
        return 0;
    return (RADEON_TARGET_COLOR | (format->color.blendable ? RADEON_TARGET_BLENDABLE : 0) |
            (logic ? 0 : RADEON_TARGET_NO_LOGIC))
           << number;
}

void radeon_emit_blend(struct radeon_cmd_buffer *cmd)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t opt[VK_MAX_COLOR_ATTACHMENTS],
        off = AMD_PACK(RADEON_GFX, SX_MRT_BLEND_OPT, .COLOR_COMB_FCN = AMD_SX_BLEND_FUNC_BLEND_DISABLED,
                       .ALPHA_COMB_FCN = AMD_SX_BLEND_FUNC_BLEND_DISABLED);
    radeon_cs_reserve(cs, 20);
    radeon_set_context_reg_seq(cs, AMD_REG_CB_BLEND_CONTROL, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        uint32_t traits = cmd->graphics->traits >> i, attachment = vk_color_at_slot(&cmd->graphics->slots, i);
        bool blend = cb->blend_enables >> attachment & 1 && !cb->logic_op_enable && traits & RADEON_TARGET_BLENDABLE;
        bool no_logic = cb->logic_op_enable && traits & RADEON_TARGET_NO_LOGIC;
        radeon_emit(cs, (blend ? blend_control(&cb->equations[attachment]) : 0) |
                            AMD_PACK(RADEON_GFX, CB_BLEND_CONTROL, .DISABLE_ROP3 = no_logic));
        /* The export's own idea of blending is not used: it passes everything on. */
        opt[i] = blend ? 0 : off;
    }
    radeon_set_context_reg_seq(cs, AMD_REG_SX_MRT_BLEND_OPT, VK_MAX_COLOR_ATTACHMENTS);
    radeon_emit_array(cs, opt, VK_MAX_COLOR_ATTACHMENTS);
}

static enum amd_ROP3 logic_op(uint8_t op)
{
    static const uint8_t ops[] = {
        [VK_LOGIC_OP_CLEAR] = AMD_ROP3_CLEAR,
        [VK_LOGIC_OP_AND] = AMD_ROP3_AND,
        [VK_LOGIC_OP_AND_REVERSE] = AMD_ROP3_AND_REVERSE,
        [VK_LOGIC_OP_COPY] = AMD_ROP3_COPY,
        [VK_LOGIC_OP_AND_INVERTED] = AMD_ROP3_AND_INVERTED,
        [VK_LOGIC_OP_NO_OP] = AMD_ROP3_NO_OP,
        [VK_LOGIC_OP_XOR] = AMD_ROP3_XOR,
        [VK_LOGIC_OP_OR] = AMD_ROP3_OR,
        [VK_LOGIC_OP_NOR] = AMD_ROP3_NOR,
        [VK_LOGIC_OP_EQUIVALENT] = AMD_ROP3_EQUIVALENT,
        [VK_LOGIC_OP_INVERT] = AMD_ROP3_INVERT,
        [VK_LOGIC_OP_OR_REVERSE] = AMD_ROP3_OR_REVERSE,
        [VK_LOGIC_OP_COPY_INVERTED] = AMD_ROP3_COPY_INVERTED,
        [VK_LOGIC_OP_OR_INVERTED] = AMD_ROP3_OR_INVERTED,
        [VK_LOGIC_OP_NAND] = AMD_ROP3_NAND,
        [VK_LOGIC_OP_SET] = AMD_ROP3_SET,
    };
    return op < sizeof(ops) ? (enum amd_ROP3)ops[op] : AMD_ROP3_COPY;
}

static uint32_t target_mask(const struct radeon_cmd_buffer *cmd)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    uint32_t mask = 0;
    bits_foreach (cmd->graphics->traits &UINT8_MAX, i) {
        const uint32_t attachment = vk_color_at_slot(&cmd->graphics->slots, (uint32_t)i);
        if (cb->color_write_enables >> attachment & 1)
            mask |= (uint32_t)(cb->write_masks[attachment] & 0xf) << 4 * i;
    }
    return mask;
}

void radeon_emit_color_control(struct radeon_cmd_buffer *cmd)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t mask = target_mask(cmd), special = cmd->graphics->special.cb_mode;
    radeon_cs_reserve(cs, 6);
    radeon_set_context_reg(cs, AMD_REG_CB_TARGET_MASK, mask);
    radeon_set_context_reg(cs, AMD_REG_CB_COLOR_CONTROL,
                           AMD_PACK(RADEON_GFX, CB_COLOR_CONTROL, .DISABLE_DUAL_QUAD = true,
                                    .MODE = special ? (enum amd_CB_MODE)special
                                            : mask  ? AMD_CB_MODE_NORMAL
                                                    : AMD_CB_MODE_DISABLE,
                                    .ROP3 = cb->logic_op_enable ? logic_op(cb->logic_op) : AMD_ROP3_COPY));
}

void radeon_emit_blend_constants(struct radeon_cmd_buffer *cmd)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 6);
    radeon_set_context_reg_seq(cs, AMD_REG_CB_BLEND_RED, 4);
    for (int i = 0; i < 4; i++)
        radeon_emit(cs, (uint32_t)hw_put_float(cb->constants[i]));
}
