/* Stages after the vertex shader and before the rasteriser: what they find in registers. Stages that share a wave find
 * the same at the beginning of the file. */
#include "adreno/compiler/select.h"

#include <string.h>

#include "adreno/hw/chip.h"
#include "util/bits.h"

static bool reads_sysval(const struct select *ctx, enum ir_op op, enum ir_sysval which)
{
    ir_foreach_block (ctx->m.shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == op && (op != IR_OP_load_sysval || ir_imm(instr, IR_IMM_SYSVAL) == which))
                return true;
        }
    }
    return false;
}

void adreno_sel_take_header(struct select *ctx, struct sel_start *start)
{
    const struct adreno_handover *plan = adreno_handover_of(ctx->m.shader, ctx->options->stage);
    ctx->header = adreno_sel_take_at(ctx, start, AIR_FULL(1), ADRENO_HEADER_REG * 2);
    ctx->config->header_reg = ADRENO_HEADER_REG;
    if (plan->has_primitive_id)
        ctx->primitive_id = adreno_sel_take_at(ctx, start, AIR_FULL(1), ADRENO_PRIMITIVE_ID_REG * 2);
    if (plan->has_patch_number)
        ctx->patch_number = adreno_sel_take_at(ctx, start, AIR_FULL(1), ADRENO_PATCH_NUMBER_REG * 2);
    ctx->config->part_B = (uint16_t)adreno_part_B(plan);
}

/* ---- the last stage before the rasteriser ---- */

static void take_captures(struct select *ctx)
{
    const struct ir_shader *shader = ctx->m.shader;
    if (ctx->options->stage && ctx->options->stage->vs.is_binning)
        return;
    if (shader->num_captures > ADRENO_MAX_CAPTURES)
        sel_fail(ctx, "more than %u captured outputs", ADRENO_MAX_CAPTURES);
    ctx->config->vs.num_captures = (uint8_t)shader->num_captures;
    for (unsigned i = 0; i < shader->num_captures; i++)
        ctx->config->vs.captures[i] = shader->captures[i];
    memcpy(ctx->config->vs.xfb_stride_B, shader->xfb_stride_B, sizeof(shader->xfb_stride_B));
}

void adreno_sel_describe_last(struct select *ctx)
{
    take_captures(ctx);
    ctx->config->vs.clip_distances = ctx->m.shader->vs.clip_distances;
    ctx->config->vs.cull_distances = ctx->m.shader->vs.cull_distances;
}

/* ---- stages ---- */

void adreno_sel_begin_geometry(struct select *ctx)
{
    const struct ir_shader *shader = ctx->m.shader;
    struct sel_start *start = mach_alloc(ctx->m.program, sizeof(*start));
    ctx->outputs = mach_alloc(ctx->m.program, sizeof(*ctx->outputs));
    adreno_sel_take_header(ctx, start);
    adreno_sel_start(ctx, start);
    adreno_sel_describe_last(ctx);
    memcpy(ctx->config->vs.buffer_stream, ctx->options->stage->geometry.buffer_stream,
           sizeof(ctx->config->vs.buffer_stream));
    ctx->config->gs.vertices_in = (uint8_t)shader->gs.vertices_in;
    ctx->config->gs.vertices_out = (uint16_t)MAX2(shader->gs.vertices_out, 1u);
    ctx->config->gs.invocations = (uint8_t)MAX2(shader->gs.invocations, 1u);
    ctx->config->gs.output = shader->gs.output;
}

void adreno_sel_begin_control(struct select *ctx)
{
    struct sel_start *start = mach_alloc(ctx->m.program, sizeof(*start));
    adreno_sel_take_header(ctx, start);
    adreno_sel_start(ctx, start);
    /* Vertices may have been shaded by other waves. */
    if (ctx->options->chip->tess_uses_shared)
        adreno_air_form(&ctx->m.b, AIR_FORM_BAR, 0, 0)->has_effect = true;
    ctx->config->tess = ctx->options->stage->tess;
}

void adreno_sel_begin_evaluation(struct select *ctx)
{
    struct adreno_shader_config *config = ctx->config;
    struct sel_start *start = mach_alloc(ctx->m.program, sizeof(*start));
    ctx->outputs = mach_alloc(ctx->m.program, sizeof(*ctx->outputs));
    config->header_reg = ADRENO_REG_UNUSED;
    if (adreno_chains(ctx->m.shader, ctx->options->stage))
        adreno_sel_take_header(ctx, start);
    if (!ctx->primitive_id && reads_sysval(ctx, IR_OP_load_sysval, IR_SYSVAL_primitive_id))
        ctx->primitive_id = adreno_sel_take(ctx, start, AIR_FULL(1));
    if (reads_sysval(ctx, IR_OP_patch_number, 0))
        ctx->patch_number = adreno_sel_take(ctx, start, AIR_FULL(1));
    for (unsigned i = 0; i < 2 && reads_sysval(ctx, IR_OP_tess_point, 0); i++)
        ctx->tess_point[i] = adreno_sel_take(ctx, start, AIR_FULL(1));
    config->vs.primitive_id_reg = adreno_sel_start_reg(ctx, start, ctx->primitive_id);
    config->ds.patch_number_reg = adreno_sel_start_reg(ctx, start, ctx->patch_number);
    for (unsigned i = 0; i < 2; i++)
        config->ds.point_reg[i] = adreno_sel_start_reg(ctx, start, ctx->tess_point[i]);
    adreno_sel_start(ctx, start);
    adreno_sel_describe_last(ctx);
    config->tess = ctx->options->stage->tess;
}

bool adreno_select_stage(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_fiber_header:
        mach_select_set_one(&ctx->m, &instr->def, ctx->header);
        return true;
    case IR_OP_patch_number:
        mach_select_set_one(&ctx->m, &instr->def, ctx->patch_number);
        return true;
    case IR_OP_tess_point:
        adreno_sel_set(ctx, &instr->def, ctx->tess_point);
        return true;
    case IR_OP_tess_bases: {
        mach_temp *regs = mach_alloc(ctx->m.program, 4 * sizeof(*regs));
        for (unsigned i = 0; i < 4; i++)
            regs[i] = adreno_sel_param(ctx, ADRENO_PARAM_TESS, i);
        adreno_sel_set(ctx, &instr->def, regs);
        return true;
    }
    case IR_OP_demote:
        if (ctx->m.shader->stage != IR_STAGE_geometry)
            return false;
        adreno_sel_demote(ctx, instr);
        return true;
    default:
        return false;
    }
}
