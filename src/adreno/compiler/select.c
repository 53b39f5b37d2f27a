/* Selection of a whole program: its beginning and end, constants, branches, and which file takes an instruction. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"

#include <string.h>

#include "util/bits.h"

/* ---- values ---- */

struct mach_class adreno_sel_class(const struct ir_value *value)
{
    return value->bits == 8 || value->bits == 16 ? AIR_HALF(1) : AIR_FULL(1);
}

/* The context is the first member of ours. */
static struct select *own(struct mach_select *ctx)
{
    return (struct select *)ctx;
}

unsigned adreno_sel_words(const struct ir_value *value)
{
    return value->bits == 64 ? 2 : 1;
}

static mach_temp number(struct mach_select *ctx, struct mach_class class, uint32_t value)
{
    return adreno_sel_number(own(ctx), class, value);
}

/* A half register has the low bits. */
static uint32_t constant(const struct ir_value *value, uint32_t word)
{
    return value->bits < 32 ? word & 0xffff : word;
}

static uint32_t const_word(const struct ir_value *value, unsigned word)
{
    return (uint32_t)(ir_const_u64(value) >> 32 * word);
}

struct mach_operand adreno_sel_operand(struct select *ctx, const struct ir_value *value, unsigned index, unsigned takes)
{
    if (!ir_is_const(value) || value->bits == 8)
        return mach_use(adreno_sel_reg(ctx, value, index));
    const uint32_t word = const_word(value, index);
    const int32_t number = value->bits == 16 ? (int16_t)word : (int32_t)word;
    if (takes & SEL_TAKES_NUMBER && number >= -512 && number < 512)
        return mach_number((uint32_t)number);
    if (takes & SEL_TAKES_CONST && value->bits == 32) {
        const int32_t component = adreno_sel_immediate(ctx, word);
        if (component >= 0)
            return air_const(component);
    }
    return mach_use(adreno_sel_reg(ctx, value, index));
}

/* ---- blocks ---- */

/* A comparison that only the branch at the end of its block reads is made there. */
static bool is_made_at_branch(const struct ir_instr *instr)
{
    if (!adreno_sel_is_comparison(instr))
        return false;
    const struct ir_if *node = mach_select_if_after(instr->block);
    return node && node->condition.value == &instr->def && instr->def.uses.next == &node->condition.link &&
           node->condition.link.next == &instr->def.uses;
}

struct mach_instr *adreno_sel_branch(struct select *ctx, unsigned op, uint32_t target, uint32_t other)
{
    const bool has_predicate = op != ADRENO_ISA_OP_GETONE && op != ADRENO_ISA_OP_GETLAST;
    struct mach_instr *branch = mach_select_branch(&ctx->m, air_special(ADRENO_ISA_REG_P0), target, other);
    branch->num_operands = has_predicate;
    branch->branch = (uint16_t)op;
    return branch;
}

/* ---- the program ---- */

static uint64_t sysvals_of(const struct ir_shader *shader)
{
    uint64_t read = 0;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_sysval)
                read |= 1ull << ir_imm(instr, IR_IMM_SYSVAL);
        }
    }
    return read;
}

/* Registers that the hardware fills before the program. */
static void begin_compute(struct select *ctx)
{
    const uint64_t by_id = 1ull << IR_SYSVAL_local_id | 1ull << IR_SYSVAL_local_index | 1ull << IR_SYSVAL_subgroup_id;
    const bool has_local_id =
        sysvals_of(ctx->m.shader) & by_id || (ctx->m.shader->uses_subgroup_ops && !ctx->options->chip->has_getfiberid);
    ctx->config->cs.local_id_reg = ADRENO_REG_UNUSED;
    ctx->config->cs.workgroup_id_reg = ADRENO_ISA_REG_SHARED;
    if (!has_local_id)
        return;
    struct mach_instr *start = mach_new_instr(&ctx->m.b, MACH_P_START, 3, 0);
    for (unsigned i = 0; i < 3; i++) {
        start->defs[i].temp = ctx->local_id[i] = mach_new_temp(ctx->m.program, AIR_FULL(1));
        start->defs[i].reg = (mach_reg)(i * 2);
    }
    ctx->config->cs.local_id_reg = 0;
    ctx->input_units = 6;
}

/* The registers of inputs stay as they are. */
static void begin_preamble(struct select *ctx)
{
    if (!ctx->input_units)
        return;
    struct mach_instr *start = mach_new_instr(&ctx->m.b, MACH_P_START, 1, 0);
    start->defs[0].temp = ctx->kept_inputs = mach_new_temp(ctx->m.program, AIR_FULL((ctx->input_units + 1u) / 2));
    ctx->m.program->temps[ctx->kept_inputs].is_spilled = true; /* they stay where they are */
    start->defs[0].reg = 0;
}

static void begin_program(struct mach_select *m)
{
    if (own(m)->is_preamble)
        begin_preamble(own(m));
    else if (m->shader->stage == IR_STAGE_vertex)
        adreno_sel_begin_vertex(own(m));
    else if (m->shader->stage == IR_STAGE_geometry)
        adreno_sel_begin_geometry(own(m));
    else if (m->shader->stage == IR_STAGE_tess_control)
        adreno_sel_begin_control(own(m));
    else if (m->shader->stage == IR_STAGE_tess_eval)
        adreno_sel_begin_evaluation(own(m));
    else if (m->shader->stage == IR_STAGE_fragment)
        adreno_sel_begin_fragment(own(m));
    else
        begin_compute(own(m));
}

static void select_preamble(struct select *ctx, const struct ir_instr *instr)
{
    if (!mach_select_common(&ctx->m, instr) && !adreno_select_resource(ctx, instr) && !adreno_select_alu(ctx, instr) &&
        !adreno_select_memory(ctx, instr))
        sel_fail(ctx, "%s has no instruction in a preamble", ir_info(instr)->name);
    adreno_sel_store_early(ctx, instr);
}

static void select_instr(struct mach_select *m, const struct ir_instr *instr)
{
    struct select *ctx = own(m);
    if (ctx->is_preamble) {
        select_preamble(ctx, instr);
        return;
    }
    if (is_made_at_branch(instr) || mach_select_common(m, instr) || adreno_select_resource(ctx, instr) ||
        adreno_select_fragment(ctx, instr) || adreno_select_alu(ctx, instr) || adreno_select_array(ctx, instr) ||
        adreno_select_memory(ctx, instr) || adreno_select_sysval(ctx, instr) || adreno_select_lanes(ctx, instr) ||
        adreno_select_output(ctx, instr) || adreno_select_vertex(ctx, instr) || adreno_select_stage(ctx, instr) ||
        adreno_select_texture(ctx, instr) || adreno_select_image(ctx, instr))
        return;
    sel_fail(ctx, "%s of %u bits has no instruction yet", ir_info(instr)->name, instr->def.bits);
}

static void branch(struct mach_select *m, const struct ir_value *condition, uint32_t then_block, uint32_t else_block)
{
    adreno_sel_condition(own(m), condition);
    adreno_sel_branch(own(m), 0, then_block, else_block);
}

static void end_program(struct mach_select *m)
{
    adreno_sel_end(own(m));
}

void adreno_select(struct select *ctx)
{
    static const struct mach_selector selector = {.class_of = adreno_sel_class,
                                                  .words = adreno_sel_words,
                                                  .number = number,
                                                  .constant = constant,
                                                  .begin = begin_program,
                                                  .instr = select_instr,
                                                  .branch = branch,
                                                  .end = end_program};
    ctx->m.selector = &selector;
    mach_select_program(&ctx->m);
}
