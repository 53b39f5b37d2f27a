/* Blend descriptors of a draw. */
#include <string.h>

#include "mali/driver/blend.h"
#include "mali/driver/cmd.h"
#include "util/bits.h"

/* The API has a program write the kind of numbers that the format has. */
enum mali_REGISTER_FORMAT mali_register_format(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_UINT   ? MALI_REGISTER_FORMAT_U32
           : info->numeric == FORMAT_NUMERIC_SINT ? MALI_REGISTER_FORMAT_I32
                                                  : MALI_REGISTER_FORMAT_F32;
}

static uint8_t range_of(const struct format_info *info)
{
    switch (info->numeric) {
    case FORMAT_NUMERIC_UNORM:
    case FORMAT_NUMERIC_SRGB:
        return MALI_BLEND_UNORM;
    case FORMAT_NUMERIC_SNORM:
        return MALI_BLEND_SNORM;
    default:
        return MALI_BLEND_ANY;
    }
}

/* Logic operations have no effect on floats and encoded colours. */
static bool has_logic_op(const struct vk_color_blend_state *cb, const struct format_info *info)
{
    return cb->logic_op_enable && cb->logic_op != VK_LOGIC_OP_COPY && info->numeric != FORMAT_NUMERIC_SRGB &&
           info->numeric != FORMAT_NUMERIC_SFLOAT && info->numeric != FORMAT_NUMERIC_UFLOAT;
}

static void set_logic_op(struct mali_blend_key *key, unsigned op, const struct format_info *info)
{
    key->has_logic_op = true;
    key->logic_op = (uint8_t)op;
    for (unsigned i = 0; i < info->channel_count; i++) {
        if (info->channels[i].component < 4)
            key->channel_bits[info->channels[i].component] = info->channels[i].bits;
    }
}

/* Code of the target's own, as its pipeline was told. */
static void pack_shader(struct mali_cmd_buffer *cmd, unsigned color, const struct mali_vkformat *format,
                        uint32_t out[4])
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct mali_shader_config *fragment = &cmd->graphics.baked->fragment->binary.config;
    const struct vk_blend_equation *e = &dyn->cb.equations[color];
    struct mali_blend_key key;
    memset(&key, 0, sizeof(key)); /* it is compared as bytes */
    key.target = (uint8_t)mali_pass_color(&cmd->graphics.pass, color);
    key.samples = (uint8_t)MAX2(dyn->ms.samples, 1u);
    key.source_bits = 32;
    key.base = (uint8_t)(mali_register_format(format->info) == MALI_REGISTER_FORMAT_U32   ? IR_BASE_uint
                         : mali_register_format(format->info) == MALI_REGISTER_FORMAT_I32 ? IR_BASE_int
                                                                                          : IR_BASE_float);
    key.range = range_of(format->info);
    key.conversion = mali_pixel_format_bits(format->color.conversion);
    key.is_blending = dyn->cb.blend_enables >> color & 1 && !dyn->cb.logic_op_enable;
    if (has_logic_op(&dyn->cb, format->info))
        set_logic_op(&key, dyn->cb.logic_op, format->info);
    key.is_signed = format->info->numeric == FORMAT_NUMERIC_SNORM;
    key.is_alpha_one = dyn->ms.alpha_to_one && key.base == IR_BASE_float;
    if (key.is_blending) {
        key.color_op = e->color_op;
        key.src_color = e->src_color;
        key.dst_color = e->dst_color;
        key.alpha_op = e->alpha_op;
        key.src_alpha = e->src_alpha;
        key.dst_alpha = e->dst_alpha;
    }
    key.write_mask = dyn->cb.write_masks[color];
    key.is_srgb = format->color.conversion.is_srgb;
    const uint16_t constants_word = fragment->fau.sysval[MALI_SYSVAL_BLEND_CONSTANTS];
    /* A program that does not expect a blend shader is one of a forged cache. */
    const uint32_t pc = constants_word != MALI_FAU_UNUSED ? mali_blend_shader_pc(cmd, &key, constants_word) : 0;
    if (pc)
        mali_pack_shader_blend(key.write_mask, pc, out);
    else
        mali_pack_no_blend(out);
}

static void pack_target(struct mali_cmd_buffer *cmd, unsigned output, uint32_t out[4])
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    const struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader *fragment = graphics->baked->fragment;
    const unsigned color = vk_color_at_slot(&graphics->slots, output);
    const bool is_output = color < cmd->vk.rec->rendering.num_colors && vk_color_is_written(&graphics->slots, color) &&
                           fragment && fragment->binary.config.fs.targets_written >> output & 1;
    if (!is_output) {
        mali_pack_no_blend(out);
        return;
    }
    const struct mali_vkformat *format = mali_vkformat(cmd->vk.rec->rendering.colors[color].format);
    const bool is_written = format->color.cell_B && cb->color_write_enables >> color & 1 && cb->write_masks[color];
    const bool has_operation = has_logic_op(cb, format->info);
    if (!is_written || (has_operation && cb->logic_op == VK_LOGIC_OP_NO_OP)) {
        mali_pack_no_blend(out);
        return;
    }
    const bool is_blending = cb->blend_enables >> color & 1 && !cb->logic_op_enable;
    if (has_operation || cmd->vk.rec->dynamic_state.ms.alpha_to_one ||
        !mali_blend_is_fixed(&format->color, &cb->equations[color], is_blending, cb->write_masks[color],
                             cb->constants)) {
        pack_shader(cmd, color, format, out);
        return;
    }
    mali_pack_fixed_blend(&format->color, mali_pass_color(&graphics->pass, color), &cb->equations[color], is_blending,
                          cb->write_masks[color], cb->constants, mali_register_format(format->info), out);
}

uint64_t mali_make_blend(struct mali_cmd_buffer *cmd)
{
    const uint32_t count = MAX2(vk_color_slot_count(&cmd->graphics.slots, cmd->vk.rec->rendering.num_colors), 1u);
    uint64_t va;
    uint32_t *blends = mali_cmd_upload(cmd, count * 16, 16, &va);
    if (!blends)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        pack_target(cmd, i, blends + 4 * i);
    return va | count;
}
