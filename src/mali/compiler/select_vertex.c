/* Vertex shaders: attributes, and what a vertex knows of itself. */
#include "mali/compiler/outputs.h"

#define MAX_IMMEDIATE_INDEX 15 /* of a descriptor that an instruction names itself */

static unsigned regfmt_of(const struct ir_shader *shader, unsigned location)
{
    for (uint32_t i = 0; i < shader->num_inputs; i++) {
        const struct ir_io_var *input = &shader->inputs[i];
        const unsigned count = input->num_locations ? input->num_locations : 1;
        if (location < input->location || location >= input->location + count)
            continue;
        return input->base == IR_BASE_float ? MALI_ISA_REGFMT_F32
               : input->base == IR_BASE_int ? MALI_ISA_REGFMT_S32
                                            : MALI_ISA_REGFMT_U32;
    }
    return MALI_ISA_REGFMT_F32;
}

static void select_attribute(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *offset = ir_src(instr, 0);
    if (!ir_is_const(offset) || instr->def.bits == 64)
        sel_fail(ctx, "an attribute of 64 bits, or one that is indexed by a computed number");
    const unsigned location = ir_imm(instr, IR_IMM_LOCATION) + (unsigned)ir_const_u64(offset);
    const unsigned number = location - IR_LOCATION_VAR0, first = ir_imm(instr, IR_IMM_COMP);
    if (location < IR_LOCATION_VAR0 || number >= MALI_MAX_ATTRIBUTES)
        sel_fail(ctx, "there is no attribute %u", number);
    ctx->config->vs.attributes_read |= 1u << number;
    ctx->config->tables_used |= 1u << MALI_DRIVER_TABLE;
    const unsigned count = first + instr->def.comps, regfmt = regfmt_of(ctx->m.shader, location);
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(count));
    const struct mach_operand operands[] = {mach_use(mali_sel_preloaded(ctx, 60)),
                                            mach_use(mali_sel_preloaded(ctx, 61)),
                                            mach_number((uint32_t)MALI_DRIVER_TABLE << 24 | number)};
    const bool is_far = number > MAX_IMMEDIATE_INDEX;
    mali_sel_instr(ctx, is_far ? MALI_ISA_OP_LD_ATTR : MALI_ISA_OP_LD_ATTR_IMM, run, is_far ? 3 : 2, operands);
    struct mali_isa_inst *isa = mali_sel_last(ctx);
    isa->field[MALI_ISA_FIELD_REGFMT] = (uint8_t)regfmt;
    isa->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(count - 1);
    if (!is_far) {
        isa->number[0] = number;
        isa->number[1] = MALI_DRIVER_TABLE;
    }
    mach_temp words[4];
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    mali_sel_split(ctx, run, count, words);
    for (unsigned i = 0; i < instr->def.comps; i++) {
        regs[i] = words[first + i];
        if (instr->def.bits == 16 && regfmt == MALI_ISA_REGFMT_F32)
            regs[i] = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(regs[i]), mach_number(0));
    }
    mali_sel_set(ctx, &instr->def, regs);
}

bool mali_select_vertex(struct select *ctx, const struct ir_instr *instr)
{
    if (ctx->m.shader->stage != IR_STAGE_vertex || instr->op != IR_OP_load_input)
        return false;
    select_attribute(ctx, instr);
    return true;
}

mach_temp mali_sel_vertex_sysval(struct select *ctx, enum ir_sysval which)
{
    switch (which) {
    case IR_SYSVAL_vertex_index:
        return mali_sel_preloaded(ctx, 60);
    case IR_SYSVAL_instance_index:
        return mali_sel_preloaded(ctx, 61);
    case IR_SYSVAL_draw_index:
        return mali_sel_preloaded(ctx, 62);
    case IR_SYSVAL_base_vertex:
        return mali_sel_move(ctx, mali_sel_sysval(ctx, MALI_SYSVAL_BASE_VERTEX, 0));
    case IR_SYSVAL_base_instance:
        return mali_sel_move(ctx, mali_sel_sysval(ctx, MALI_SYSVAL_BASE_INSTANCE, 0));
    default:
        return 0;
    }
}
