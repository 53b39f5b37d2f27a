/* Where each value lives. A value that is the same in all lanes goes to the scalar unit where that unit can make it;
 * floats are vector work even when they are uniform. Everything uniform is first assumed to be scalar; then values
 * move to VGPRs until nothing changes: a phi may stand before what it reads. */
#include "amd/compiler/select.h"

/* Operations whose result must be in VGPRs (or a mask) although it is the same in all lanes is what remains. */
static bool is_scalar_source(const struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_const:
    case IR_OP_undef:
    case IR_OP_resource:
    case IR_OP_load_desc:
    case IR_OP_set_address:
    case IR_OP_ssbo_size:
    case IR_OP_load_push:
    case IR_OP_ballot:
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_eq:
    case IR_OP_read_first:
    case IR_OP_read_lane:
    case IR_OP_active_mask:
    case IR_OP_frame_address:
    case IR_OP_trace_tables:
    case IR_OP_trace_size:
    case IR_OP_trace_traversal:
        return true;
    case IR_OP_load_sysval:
        return true;
    case IR_OP_shader_clock:
        return true;
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
    case IR_OP_load_global:
    case IR_OP_load_const_data:
        return amd_sel_load_is_scalar(ctx, instr);
    default:
        return false;
    }
}

static bool is_scalar_place(enum sel_place place)
{
    return place == SEL_SGPR || place == SEL_BOOL;
}

static bool all_operands_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (!is_scalar_place(amd_sel_place_of(ctx, ir_src(instr, i))))
            return false;
    }
    return true;
}

static bool stays_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    if (instr->def.divergent)
        return false;
    if (is_scalar_source(ctx, instr))
        return true;
    switch (instr->op) {
    case IR_OP_phi:
    case IR_OP_vec:
    case IR_OP_extract:
    case IR_OP_select:
    case IR_OP_pack64:
    case IR_OP_lo32:
    case IR_OP_hi32:
    case IR_OP_pack32:
    case IR_OP_lo16:
    case IR_OP_hi16:
    case IR_OP_vec_bits:
    case IR_OP_bits_vec:
        return all_operands_scalar(ctx, instr);
    default:
        return amd_sel_alu_has_scalar(instr) && all_operands_scalar(ctx, instr);
    }
}

void amd_sel_find_places(struct select *ctx)
{
    ctx->places = amd_sel_alloc(ctx, ctx->shader->num_values);
    ir_foreach_block (ctx->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->def.bits)
                ctx->places[instr->def.index] = instr->def.bits == 1 ? (instr->def.divergent ? SEL_MASK : SEL_BOOL)
                                                                     : (instr->def.divergent ? SEL_VGPR : SEL_SGPR);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        ir_foreach_block (ctx->shader, block) {
            ir_foreach_instr (block, instr) {
                if (!instr->def.bits || !is_scalar_place(ctx->places[instr->def.index]) || stays_scalar(ctx, instr))
                    continue;
                ctx->places[instr->def.index] = instr->def.bits == 1 ? SEL_MASK : SEL_VGPR;
                changed = true;
            }
        }
    }
}
