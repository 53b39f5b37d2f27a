/* Vertex shaders: attributes that vertex fetch put into registers, and numbers of vertex, instance and view. */
#include "adreno/compiler/select.h"

#include <string.h>

#include "util/bits.h"

/* Components that are read, by location. */
static void note_attributes(struct select *ctx, uint8_t masks[ADRENO_MAX_ATTRIBUTES])
{
    ir_foreach_block (ctx->m.shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_input)
                continue;
            if (!ir_is_const(ir_src(instr, 0)))
                sel_fail(ctx, "an attribute that is indexed by a computed number");
            const uint64_t location =
                ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 + ir_const_u64(ir_src(instr, 0));
            const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
            for (unsigned i = 0; i < count; i++) {
                const unsigned at = ir_imm(instr, IR_IMM_COMP) + i;
                if (location + at / 4 >= ADRENO_MAX_ATTRIBUTES)
                    sel_fail(ctx, "there is no attribute %u", (unsigned)location + at / 4);
                masks[location + at / 4] |= (uint8_t)(1u << at % 4);
            }
        }
    }
}

static bool reads_sysval(const struct select *ctx, enum ir_sysval which)
{
    ir_foreach_block (ctx->m.shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == which)
                return true;
        }
    }
    return false;
}

void adreno_sel_begin_vertex(struct select *ctx)
{
    struct adreno_shader_config *config = ctx->config;
    struct sel_start *start = mach_alloc(ctx->m.program, sizeof(*start));
    ctx->attributes = mach_alloc(ctx->m.program, ADRENO_MAX_ATTRIBUTES * sizeof(*ctx->attributes));
    ctx->outputs = mach_alloc(ctx->m.program, sizeof(*ctx->outputs));
    note_attributes(ctx, config->vs.attribute_mask);
    config->header_reg = ADRENO_REG_UNUSED;
    if (adreno_chains(ctx->m.shader, ctx->options->stage))
        adreno_sel_take_header(ctx, start);
    for (unsigned i = 0; i < ADRENO_MAX_ATTRIBUTES; i++) {
        const mach_reg first = start->next;
        config->vs.attribute_reg[i] = config->vs.attribute_mask[i] ? (uint8_t)(first / 2) : ADRENO_REG_UNUSED;
        bits_foreach (config->vs.attribute_mask[i], c)
            ctx->attributes[i][c] = adreno_sel_take_at(ctx, start, AIR_FULL(1), (mach_reg)(first + c * 2));
    }
    const struct {
        enum ir_sysval which;
        mach_temp *temp;
        uint8_t *reg;
    } numbers[] = {
        {IR_SYSVAL_vertex_index, &ctx->vertex_id, &config->vs.vertex_id_reg},
        {IR_SYSVAL_instance_index, &ctx->instance_id, &config->vs.instance_id_reg},
        {IR_SYSVAL_primitive_id, &ctx->primitive_id, &config->vs.primitive_id_reg},
        {IR_SYSVAL_view_index, &ctx->view_id, &config->vs.view_id_reg},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
        if (!*numbers[i].temp && reads_sysval(ctx, numbers[i].which))
            *numbers[i].temp = adreno_sel_take(ctx, start, AIR_FULL(1));
        *numbers[i].reg = adreno_sel_start_reg(ctx, start, *numbers[i].temp);
    }
    adreno_sel_start(ctx, start);
    adreno_sel_describe_last(ctx);
}

/* Values of 16 bits come as 32, of the kind that the attribute is. */
static mach_temp narrow_attribute(struct select *ctx, const struct ir_instr *instr, mach_temp word)
{
    for (uint32_t i = 0; i < ctx->m.shader->num_inputs; i++) {
        const struct ir_io_var *input = &ctx->m.shader->inputs[i];
        if (input->location != ir_imm(instr, IR_IMM_LOCATION))
            continue;
        if (input->base != IR_BASE_float)
            return adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(word));
    }
    return adreno_sel_move(ctx, AIR_F32, AIR_F16, mach_use(word));
}

bool adreno_select_vertex(struct select *ctx, const struct ir_instr *instr)
{
    if (ctx->m.shader->stage != IR_STAGE_vertex || instr->op != IR_OP_load_input)
        return false;
    const unsigned location =
        ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 + (unsigned)ir_const_u64(ir_src(instr, 0));
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = ir_imm(instr, IR_IMM_COMP) + i;
        regs[i] = ctx->attributes[location + at / 4][at % 4];
        if (instr->def.bits == 16)
            regs[i] = narrow_attribute(ctx, instr, regs[i]);
    }
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

mach_temp adreno_sel_vertex_sysval(struct select *ctx, enum ir_sysval which)
{
    switch (which) {
    case IR_SYSVAL_vertex_index:
        return ctx->vertex_id;
    case IR_SYSVAL_instance_index:
        return ctx->instance_id;
    case IR_SYSVAL_primitive_id:
        return ctx->primitive_id;
    case IR_SYSVAL_view_index:
        return ctx->view_id;
    default:
        return 0;
    }
}
