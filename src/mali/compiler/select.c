/* Selection of a whole program: its beginning and end, branches, and which file takes an instruction. */
#include "mali/compiler/outputs.h"

/* The context is the first member of ours. */
static struct select *own(struct mach_select *ctx)
{
    return (struct select *)ctx;
}

static struct mach_class class_of(const struct ir_value *value)
{
    (void)value;
    return VIR_RUN(1);
}

static unsigned words_of(const struct ir_value *value)
{
    return value->bits == 64 ? 2 : 1;
}

static unsigned registers_of(const struct ir_value *value)
{
    return sel_is_pair(value) ? 1 : sel_num_parts(value);
}

static mach_temp number(struct mach_select *ctx, struct mach_class class, uint32_t value)
{
    (void)class;
    return mali_sel_number(own(ctx), value);
}

/* A boolean is all ones. */
static uint32_t constant(const struct ir_value *value, uint32_t word)
{
    return value->bits == 1 && word ? UINT32_MAX : word;
}

static void select_instr(struct mach_select *m, const struct ir_instr *instr)
{
    struct select *ctx = own(m);
    if (mali_select_pair(ctx, instr) || mach_select_common(m, instr) || mali_select_alu(ctx, instr) ||
        mali_select_math(ctx, instr) || mali_select_convert(ctx, instr) || mali_select_memory(ctx, instr) ||
        mali_select_atomic(ctx, instr) || mali_select_sysval(ctx, instr) || mali_select_output(ctx, instr) ||
        mali_select_vertex(ctx, instr) || mali_select_fragment(ctx, instr) || mali_select_texture(ctx, instr) ||
        mali_select_image(ctx, instr) || mali_select_lanes(ctx, instr))
        return;
    sel_fail(ctx, "%s of %u bits has no instruction yet", ir_info(instr)->name,
             instr->def.bits   ? instr->def.bits
             : instr->num_srcs ? ir_src(instr, 0)->bits
                               : 0);
}

static void branch(struct mach_select *m, const struct ir_value *condition, uint32_t then_block, uint32_t else_block)
{
    struct select *ctx = own(m);
    const struct mach_operand operand = mali_sel_operand(ctx, condition, 0);
    if (operand.kind == MACH_TEMP) {
        mach_select_branch(m, operand, then_block, else_block);
        return;
    }
    mach_select_branch(m, mach_use(mali_sel_number(ctx, (uint32_t)operand.value)), then_block, else_block);
}

/* Registers that the hardware fills are taken at the start; where they are among the units is known when their number
 * is (compile.c), and so is which of them are read. */
static void begin_program(struct mach_select *m)
{
    struct select *ctx = own(m);
    struct mach_instr *start = mach_new_instr(&m->b, MACH_P_START, 16, 0);
    for (unsigned i = 0; i < 16; i++) {
        start->defs[i].temp = ctx->preload[i] = mach_new_temp(m->program, VIR_RUN(1));
    }
}

static void end_program(struct mach_select *m)
{
    if (m->shader->stage == IR_STAGE_vertex)
        mali_sel_end_vertex(own(m));
    else if (m->shader->stage == IR_STAGE_fragment)
        mali_sel_end_fragment(own(m));
    mali_sel_instr(own(m), MALI_ISA_OP_NOP, 0, 0, NULL)->has_effect = true;
    mali_sel_last(own(m))->flow = MALI_ISA_FLOW_END;
}

static void make_outputs(struct select *ctx)
{
    const unsigned sets = ctx->is_by_view ? SEL_VIEWS : ctx->m.shader->stage == IR_STAGE_fragment ? SEL_SOURCES : 1;
    ctx->outputs = mach_alloc(ctx->m.program, sizeof(*ctx->outputs) + sets * sizeof(ctx->outputs->at[0]));
    ctx->outputs->num_sets = sets;
}

void mali_select(struct select *ctx)
{
    static const struct mach_selector selector = {.class_of = class_of,
                                                  .words = words_of,
                                                  .registers = registers_of,
                                                  .number = number,
                                                  .constant = constant,
                                                  .begin = begin_program,
                                                  .instr = select_instr,
                                                  .branch = branch,
                                                  .end = end_program};
    ctx->m.selector = &selector;
    if (ctx->m.shader->stage != IR_STAGE_compute)
        make_outputs(ctx);
    mach_select_program(&ctx->m);
}
