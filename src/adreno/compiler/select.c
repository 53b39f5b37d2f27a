/* Selection over the blocks: values, phis and branches. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"

#include <string.h>

#include "util/bits.h"

/* ---- values ---- */

struct air_class adreno_sel_class(const struct ir_value *value)
{
    return value->bits == 8 || value->bits == 16 ? AIR_HALF(1) : AIR_FULL(1);
}

unsigned adreno_sel_words(const struct ir_value *value)
{
    return value->bits == 64 ? 2 : 1;
}

static uint32_t const_word(const struct ir_value *value, unsigned word)
{
    return (uint32_t)(ir_const_u64(value) >> 32 * word);
}

air_temp *adreno_sel_results(struct select *ctx, const struct ir_value *value)
{
    const unsigned count = value->comps * adreno_sel_words(value);
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++)
        regs[i] = adreno_air_temp(ctx->program, adreno_sel_class(value));
    ctx->values[value->index] = regs;
    return regs;
}

void adreno_sel_set(struct select *ctx, const struct ir_value *value, air_temp *regs)
{
    ctx->values[value->index] = regs;
}

air_temp adreno_sel_reg(struct select *ctx, const struct ir_value *value, unsigned index)
{
    if (ir_is_const(value))
        return adreno_sel_number(ctx, adreno_sel_class(value), const_word(value, index));
    if (ir_is_undef(value))
        return adreno_sel_number(ctx, adreno_sel_class(value), 0);
    if (!ctx->values[value->index])
        sel_fail(ctx, "internal: %s has no registers", ir_info(ir_def_instr(value))->name);
    return ctx->values[value->index][index];
}

struct air_operand adreno_sel_operand(struct select *ctx, const struct ir_value *value, unsigned index, unsigned takes)
{
    if (!ir_is_const(value) || value->bits == 8)
        return air_use(adreno_sel_reg(ctx, value, index));
    const uint32_t word = const_word(value, index);
    const int32_t number = value->bits == 16 ? (int16_t)word : (int32_t)word;
    if (takes & SEL_TAKES_NUMBER && number >= -512 && number < 512)
        return air_number(number);
    if (takes & SEL_TAKES_CONST && value->bits == 32) {
        const int32_t component = adreno_sel_immediate(ctx, word);
        if (component >= 0)
            return air_const(component);
    }
    return air_use(adreno_sel_reg(ctx, value, index));
}

/* ---- vectors ---- */

static void select_vec(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, instr->def.comps * words * sizeof(*regs));
    for (unsigned i = 0; i < instr->num_srcs; i++) {
        for (unsigned j = 0; j < words; j++)
            regs[i * words + j] = adreno_sel_reg(ctx, ir_src(instr, i), j);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void select_extract(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def), first = ir_imm(instr, IR_IMM_COMP) * words;
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++)
        regs[i] = adreno_sel_reg(ctx, ir_src(instr, 0), first + i);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* What has no value is any: the same registers of zeros. */
static void select_undef(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    const air_temp zero = adreno_sel_number(ctx, adreno_sel_class(&instr->def), 0);
    for (unsigned i = 0; i < count; i++)
        regs[i] = zero;
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- phis: operands when all blocks are there ---- */

static void begin_phi(struct select *ctx, const struct ir_instr *phi)
{
    const unsigned count = phi->def.comps * adreno_sel_words(&phi->def);
    const air_temp *regs = adreno_sel_results(ctx, &phi->def);
    for (unsigned i = 0; i < count; i++) {
        struct air_instr *instr = adreno_air_instr(&ctx->b, AIR_P_PHI, 1, phi->num_srcs);
        instr->defs[0].temp = regs[i];
    }
}

static struct air_operand phi_operand(struct select *ctx, const struct ir_value *value, unsigned index)
{
    if (ir_is_undef(value))
        return (struct air_operand){.kind = AIR_UNDEF, .reg = AIR_NO_REG};
    if (!ir_is_const(value))
        return air_use(ctx->values[value->index][index]);
    const uint32_t word = const_word(value, index);
    return air_number((int32_t)(value->bits < 32 ? word & 0xffff : word));
}

static void end_phis(struct select *ctx, const struct ir_block *block, uint32_t *slot_of)
{
    struct air_block *machine = &ctx->program->blocks[ctx->block_of[block->index]];
    struct list *link = machine->instrs.next;
    for (uint32_t i = 0; i < machine->num_preds; i++)
        slot_of[machine->preds[i]] = i;
    ir_foreach_phi (block, phi) {
        const unsigned count = phi->def.comps * adreno_sel_words(&phi->def);
        for (unsigned i = 0; i < count; i++, link = link->next) {
            struct air_instr *instr = container_of(link, struct air_instr, link);
            for (uint32_t j = 0; j < phi->num_srcs; j++)
                instr->operands[slot_of[ctx->last_of[phi->preds[j]->index]]] = phi_operand(ctx, ir_src(phi, j), i);
        }
    }
}

/* ---- blocks ---- */

static const struct ir_if *if_after(const struct ir_block *block)
{
    const struct ir_node *next = ir_node_next(&block->node);
    return next && next->kind == IR_IF && !ir_block_jump(block) ? ir_node_if(next) : NULL;
}

/* A comparison that only the branch at the end of its block reads is made there. */
static bool is_made_at_branch(const struct ir_block *block, const struct ir_instr *instr)
{
    const struct ir_if *node = if_after(block);
    return node && node->condition.value == &instr->def && adreno_sel_is_comparison(instr) &&
           instr->def.uses.next == &node->condition.link && node->condition.link.next == &instr->def.uses;
}

/* ---- blocks of our own ---- */

uint32_t adreno_sel_new_block(struct select *ctx)
{
    struct air_block *block = adreno_air_block(ctx->program); /* blocks may have moved */
    block->loop_depth = ctx->program->blocks[ctx->block].loop_depth;
    ctx->b.before = &ctx->program->blocks[ctx->block].instrs;
    return block->index;
}

void adreno_sel_begin_block(struct select *ctx, uint32_t block)
{
    if (ctx->num_order == ctx->capacity_order) {
        uint32_t *more = adreno_sel_alloc(ctx, (size_t)ctx->capacity_order * 2 * sizeof(*more));
        memcpy(more, ctx->order, ctx->num_order * sizeof(*more));
        ctx->order = more;
        ctx->capacity_order *= 2;
    }
    ctx->order[ctx->num_order++] = block;
    ctx->block = block;
    ctx->b = (struct air_builder){ctx->program, &ctx->program->blocks[block].instrs};
}

void adreno_sel_jump(struct select *ctx, uint32_t target)
{
    adreno_air_instr(&ctx->b, AIR_P_JUMP, 0, 0)->target = target;
    adreno_air_edge(ctx->program, ctx->block, target);
}

struct air_instr *adreno_sel_branch(struct select *ctx, unsigned op, uint32_t target, uint32_t other)
{
    const bool has_predicate = op != ADRENO_ISA_OP_GETONE && op != ADRENO_ISA_OP_GETLAST;
    struct air_instr *branch = adreno_air_instr(&ctx->b, AIR_P_BRANCH, 0, has_predicate);
    if (has_predicate)
        branch->operands[0] = air_special(ADRENO_ISA_REG_P0);
    branch->branch_op = (uint16_t)op;
    branch->target = target;
    branch->other = other;
    adreno_air_edge(ctx->program, ctx->block, target);
    adreno_air_edge(ctx->program, ctx->block, other);
    return branch;
}

static void select_instr(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_resource:
        adreno_select_resource(ctx, instr);
        return;
    case IR_OP_const:
    case IR_OP_break:
    case IR_OP_continue:
        return;
    case IR_OP_phi:
        begin_phi(ctx, instr);
        return;
    case IR_OP_vec:
        select_vec(ctx, instr);
        return;
    case IR_OP_extract:
        select_extract(ctx, instr);
        return;
    case IR_OP_undef:
        select_undef(ctx, instr);
        return;
    default:
        if (!adreno_select_fragment(ctx, instr) && !adreno_select_alu(ctx, instr) && !adreno_select_array(ctx, instr) &&
            !adreno_select_memory(ctx, instr) && !adreno_select_sysval(ctx, instr) &&
            !adreno_select_lanes(ctx, instr) && !adreno_select_output(ctx, instr) &&
            !adreno_select_vertex(ctx, instr) && !adreno_select_texture(ctx, instr) && !adreno_select_image(ctx, instr))
            sel_fail(ctx, "%s of %u bits has no instruction yet", ir_info(instr)->name, instr->def.bits);
    }
}

static void end_block(struct select *ctx, const struct ir_block *block)
{
    const struct ir_if *node = if_after(block);
    if (node) {
        adreno_sel_condition(ctx, node->condition.value);
        adreno_sel_branch(ctx, 0, ctx->block_of[block->succs[0]->index], ctx->block_of[block->succs[1]->index]);
    } else if (block->succs[0]) {
        adreno_sel_jump(ctx, ctx->block_of[block->succs[0]->index]);
    } else {
        adreno_sel_end(ctx);
    }
}

static void select_block(struct select *ctx, const struct ir_block *block)
{
    if (ctx->block_of[block->index] != 0) /* the first one has begun with the program */
        adreno_sel_begin_block(ctx, ctx->block_of[block->index]);
    ir_foreach_instr (block, instr) {
        if (!is_made_at_branch(block, instr))
            select_instr(ctx, instr);
    }
    end_block(ctx, block);
    ctx->last_of[block->index] = ctx->block;
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
        sysvals_of(ctx->shader) & by_id || (ctx->shader->uses_subgroup_ops && !ctx->options->chip->has_getfiberid);
    ctx->config->cs.local_id_reg = ADRENO_REG_UNUSED;
    ctx->config->cs.workgroup_id_reg = ADRENO_ISA_REG_SHARED;
    if (!has_local_id)
        return;
    struct air_instr *start = adreno_air_instr(&ctx->b, AIR_P_START, 3, 0);
    for (unsigned i = 0; i < 3; i++) {
        start->defs[i].temp = ctx->local_id[i] = adreno_air_temp(ctx->program, AIR_FULL(1));
        start->defs[i].reg = (air_reg)(i * 2);
    }
    ctx->config->cs.local_id_reg = 0;
}

static void begin_program(struct select *ctx)
{
    if (ctx->shader->stage == IR_STAGE_vertex)
        adreno_sel_begin_vertex(ctx);
    else if (ctx->shader->stage == IR_STAGE_fragment)
        adreno_sel_begin_fragment(ctx);
    else
        begin_compute(ctx);
}

static void make_blocks(struct select *ctx)
{
    ir_foreach_block (ctx->shader, block) {
        if (!block->reachable)
            continue;
        struct air_block *machine = adreno_air_block(ctx->program);
        machine->loop_depth = (uint16_t)block->loop_depth;
        ctx->block_of[block->index] = machine->index;
    }
}

void adreno_select(struct select *ctx)
{
    struct ir_shader *shader = ctx->shader;
    ctx->values = adreno_sel_alloc(ctx, shader->num_values * sizeof(*ctx->values));
    ctx->block_of = adreno_sel_alloc(ctx, shader->num_blocks * sizeof(*ctx->block_of));
    ctx->last_of = adreno_sel_alloc(ctx, shader->num_blocks * sizeof(*ctx->last_of));
    make_blocks(ctx);
    ctx->capacity_order = MAX2(ctx->program->num_blocks, 16u);
    ctx->order = adreno_sel_alloc(ctx, ctx->capacity_order * sizeof(*ctx->order));
    adreno_sel_begin_block(ctx, 0);
    begin_program(ctx);
    ir_foreach_block (shader, block) {
        if (block->reachable)
            select_block(ctx, block);
    }
    uint32_t *slot_of = adreno_sel_alloc(ctx, ctx->program->num_blocks * sizeof(*slot_of));
    ir_foreach_block (shader, block) {
        if (block->reachable)
            end_phis(ctx, block, slot_of);
    }
    adreno_air_reorder(ctx->program, ctx->order);
}
