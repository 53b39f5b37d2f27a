/* Selection over the blocks: values, phis and branches. */
#include "compiler/machine/select.h"

#include <string.h>

#include "util/bits.h"

/* ---- values ---- */

/* Registers of a value. */
static unsigned mach_select_count(const struct mach_select *ctx, const struct ir_value *value)
{
    return ctx->selector->registers ? ctx->selector->registers(value) : value->comps * ctx->selector->words(value);
}

static uint32_t const_word(const struct mach_select *ctx, const struct ir_value *value, unsigned word)
{
    return ctx->selector->constant(value, (uint32_t)(ir_const_u64(value) >> 32 * word));
}

static mach_temp *new_regs(struct mach_select *ctx, unsigned count)
{
    return mach_alloc(ctx->program, count * sizeof(mach_temp));
}

mach_temp *mach_select_results(struct mach_select *ctx, const struct ir_value *value)
{
    const unsigned count = mach_select_count(ctx, value);
    mach_temp *regs = new_regs(ctx, count);
    for (unsigned i = 0; i < count; i++)
        regs[i] = mach_new_temp(ctx->program, ctx->selector->class_of(value));
    ctx->values[value->index] = regs;
    return regs;
}

void mach_select_set(struct mach_select *ctx, const struct ir_value *value, mach_temp *regs)
{
    ctx->values[value->index] = regs;
}

void mach_select_set_one(struct mach_select *ctx, const struct ir_value *value, mach_temp reg)
{
    mach_temp *regs = new_regs(ctx, 1);
    regs[0] = reg;
    ctx->values[value->index] = regs;
}

mach_temp mach_select_reg(struct mach_select *ctx, const struct ir_value *value, unsigned index)
{
    const struct mach_class class = ctx->selector->class_of(value);
    if (ir_is_const(value))
        return ctx->selector->number(ctx, class, const_word(ctx, value, index));
    if (ir_is_undef(value))
        return ctx->selector->number(ctx, class, 0);
    if (!ctx->values[value->index])
        mach_fail(ctx->program, "internal: %s has no registers", ir_info(ir_def_instr(value))->name);
    return ctx->values[value->index][index];
}

mach_temp mach_select_run(struct mach_select *ctx, struct mach_class class, const struct mach_operand *operands)
{
    const mach_temp run = mach_new_temp(ctx->program, class);
    struct mach_instr *instr = mach_new_instr(&ctx->b, MACH_P_COLLECT, 1, class.comps);
    instr->defs[0].temp = run;
    memcpy(instr->operands, operands, class.comps * sizeof(*operands));
    return run;
}

void mach_select_split(struct mach_select *ctx, mach_temp run, struct mach_class class, unsigned count,
                       mach_temp *regs_out)
{
    if (count == 1) {
        regs_out[0] = run;
        return;
    }
    struct mach_instr *instr = mach_new_instr(&ctx->b, MACH_P_SPLIT, count, 1);
    instr->operands[0] = mach_use(run);
    for (unsigned i = 0; i < count; i++)
        instr->defs[i].temp = regs_out[i] = mach_new_temp(ctx->program, class);
}

/* ---- vectors ---- */

static void select_vec(struct mach_select *ctx, const struct ir_instr *instr)
{
    const unsigned words = ctx->selector->words(&instr->def);
    mach_temp *regs = new_regs(ctx, instr->def.comps * words);
    for (unsigned i = 0; i < instr->num_srcs; i++) {
        for (unsigned j = 0; j < words; j++)
            regs[i * words + j] = mach_select_reg(ctx, ir_src(instr, i), j);
    }
    mach_select_set(ctx, &instr->def, regs);
}

static void select_extract(struct mach_select *ctx, const struct ir_instr *instr)
{
    const unsigned words = ctx->selector->words(&instr->def), first = ir_imm(instr, IR_IMM_COMP) * words;
    mach_temp *regs = new_regs(ctx, words);
    for (unsigned i = 0; i < words; i++)
        regs[i] = mach_select_reg(ctx, ir_src(instr, 0), first + i);
    mach_select_set(ctx, &instr->def, regs);
}

/* An undefined value is any: the same registers of zeros. */
static void select_undef(struct mach_select *ctx, const struct ir_instr *instr)
{
    const unsigned count = mach_select_count(ctx, &instr->def);
    mach_temp *regs = new_regs(ctx, count);
    const mach_temp zero = ctx->selector->number(ctx, ctx->selector->class_of(&instr->def), 0);
    for (unsigned i = 0; i < count; i++)
        regs[i] = zero;
    mach_select_set(ctx, &instr->def, regs);
}

/* ---- phis: operands when all blocks are there ---- */

static void begin_phi(struct mach_select *ctx, const struct ir_instr *phi)
{
    const unsigned count = mach_select_count(ctx, &phi->def);
    const mach_temp *regs = mach_select_results(ctx, &phi->def);
    for (unsigned i = 0; i < count; i++)
        mach_new_instr(&ctx->b, MACH_P_PHI, 1, phi->num_srcs)->defs[0].temp = regs[i];
}

static struct mach_operand phi_operand(struct mach_select *ctx, const struct ir_value *value, unsigned index)
{
    if (ir_is_undef(value))
        return (struct mach_operand){.kind = MACH_UNDEF, .reg = MACH_NO_REG};
    if (!ir_is_const(value))
        return mach_use(ctx->values[value->index][index]);
    return mach_number(const_word(ctx, value, index));
}

static void end_phis(struct mach_select *ctx, const struct ir_block *block, uint32_t *slot_of)
{
    struct mach_block *machine = &ctx->program->blocks[ctx->block_of[block->index]];
    struct list *link = machine->instrs.next;
    for (uint32_t i = 0; i < machine->num_preds; i++)
        slot_of[machine->preds[i]] = i;
    ir_foreach_phi (block, phi) {
        const unsigned count = mach_select_count(ctx, &phi->def);
        for (unsigned i = 0; i < count; i++, link = link->next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            for (uint32_t j = 0; j < phi->num_srcs; j++)
                instr->operands[slot_of[ctx->last_of[phi->preds[j]->index]]] = phi_operand(ctx, ir_src(phi, j), i);
        }
    }
}

bool mach_select_common(struct mach_select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_const:
    case IR_OP_break:
    case IR_OP_continue:
        return true;
    case IR_OP_phi:
        begin_phi(ctx, instr);
        return true;
    case IR_OP_vec:
        select_vec(ctx, instr);
        return true;
    case IR_OP_extract:
        select_extract(ctx, instr);
        return true;
    case IR_OP_undef:
        select_undef(ctx, instr);
        return true;
    default:
        return false;
    }
}

/* ---- blocks of the back end's own ---- */

uint32_t mach_select_new_block(struct mach_select *ctx)
{
    struct mach_block *block = mach_new_block(ctx->program); /* blocks may have moved */
    block->loop_depth = ctx->program->blocks[ctx->block].loop_depth;
    ctx->b.before = &ctx->program->blocks[ctx->block].instrs;
    return block->index;
}

void mach_select_begin_block(struct mach_select *ctx, uint32_t block)
{
    if (ctx->num_order == ctx->capacity_order) {
        uint32_t *more = mach_alloc(ctx->program, (size_t)ctx->capacity_order * 2 * sizeof(*more));
        memcpy(more, ctx->order, ctx->num_order * sizeof(*more));
        ctx->order = more;
        ctx->capacity_order *= 2;
    }
    ctx->order[ctx->num_order++] = block;
    ctx->block = block;
    ctx->b = (struct mach_builder){ctx->program, &ctx->program->blocks[block].instrs};
}

void mach_select_jump(struct mach_select *ctx, uint32_t target)
{
    mach_new_instr(&ctx->b, MACH_P_JUMP, 0, 0)->target = target;
    mach_edge(ctx->program, ctx->block, target);
}

struct mach_instr *mach_select_branch(struct mach_select *ctx, struct mach_operand condition, uint32_t target,
                                      uint32_t other)
{
    struct mach_instr *branch = mach_new_instr(&ctx->b, MACH_P_BRANCH, 0, 1);
    branch->operands[0] = condition;
    branch->target = target;
    branch->other = other;
    mach_edge(ctx->program, ctx->block, target);
    mach_edge(ctx->program, ctx->block, other);
    return branch;
}

/* ---- the program ---- */

const struct ir_if *mach_select_if_after(const struct ir_block *block)
{
    const struct ir_node *next = ir_node_next(&block->node);
    return next && next->kind == IR_IF && !ir_block_jump(block) ? ir_node_if(next) : NULL;
}

static void end_block(struct mach_select *ctx, const struct ir_block *block)
{
    const struct ir_if *node = mach_select_if_after(block);
    if (node)
        ctx->selector->branch(ctx, node->condition.value, ctx->block_of[block->succs[0]->index],
                              ctx->block_of[block->succs[1]->index]);
    else if (block->succs[0])
        mach_select_jump(ctx, ctx->block_of[block->succs[0]->index]);
    else
        ctx->selector->end(ctx);
}

static void select_block(struct mach_select *ctx, const struct ir_block *block)
{
    if (ctx->block_of[block->index] != 0) /* the first one has begun with the program */
        mach_select_begin_block(ctx, ctx->block_of[block->index]);
    ir_foreach_instr (block, instr)
        ctx->selector->instr(ctx, instr);
    end_block(ctx, block);
    ctx->last_of[block->index] = ctx->block;
}

static void make_blocks(struct mach_select *ctx)
{
    ir_foreach_block (ctx->shader, block) {
        if (!block->reachable)
            continue;
        struct mach_block *machine = mach_new_block(ctx->program);
        machine->loop_depth = (uint16_t)block->loop_depth;
        ctx->block_of[block->index] = machine->index;
    }
}

void mach_select_program(struct mach_select *ctx)
{
    struct ir_shader *shader = ctx->shader;
    struct mach_program *program = ctx->program;
    ctx->values = mach_alloc(program, shader->num_values * sizeof(*ctx->values));
    ctx->block_of = mach_alloc(program, shader->num_blocks * sizeof(*ctx->block_of));
    ctx->last_of = mach_alloc(program, shader->num_blocks * sizeof(*ctx->last_of));
    make_blocks(ctx);
    ctx->capacity_order = MAX2(program->num_blocks, 16u);
    ctx->order = mach_alloc(program, ctx->capacity_order * sizeof(*ctx->order));
    mach_select_begin_block(ctx, 0);
    ctx->selector->begin(ctx);
    ir_foreach_block (shader, block) {
        if (block->reachable)
            select_block(ctx, block);
    }
    uint32_t *slot_of = mach_alloc(program, program->num_blocks * sizeof(*slot_of));
    ir_foreach_block (shader, block) {
        if (block->reachable)
            end_phis(ctx, block, slot_of);
    }
    mach_reorder(program, ctx->order);
}
