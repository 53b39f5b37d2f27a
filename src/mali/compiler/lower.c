/* Pseudo instructions that are left after allocation: moves in place of copies, runs that are put together and taken
 * apart, branches that fall through. Registers get the hardware's numbers. */
#include "compiler/machine/copies.h"
#include "mali/compiler/vir.h"

/* ---- numbers of registers ---- */

static mach_reg hardware_register(mach_reg unit, unsigned registers)
{
    return registers == 32 && unit != MACH_NO_REG && unit >= VIR_SEAM ? (mach_reg)(unit + 32) : unit;
}

static void number_registers(struct mach_program *program, unsigned registers)
{
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++)
                instr->operands[i].reg = hardware_register(instr->operands[i].reg, registers);
            for (unsigned i = 0; i < instr->num_defs; i++)
                instr->defs[i].reg = hardware_register(instr->defs[i].reg, registers);
        }
    }
}

/* ---- copies ---- */

struct moves {
    struct mach_builder builder;
    struct copies copies;
    struct mach_operand from[COPY_MAX]; /* of copies that are no registers: by their value */
    unsigned num_from;
};

static struct mach_instr *at_registers(struct moves *moves, unsigned op, uint16_t to, unsigned count,
                                       const struct mach_operand *operands)
{
    struct mach_instr *instr = mali_vir_instr(&moves->builder, op, 0, count, operands);
    vir_isa(instr)->dst = (uint8_t)to;
    return instr;
}

/* A register by its number: operands whose value is none. */
static struct mach_operand at_register(uint16_t reg)
{
    return (struct mach_operand){.kind = MACH_TEMP, .temp = 0, .reg = reg};
}

static void move_reg(void *state, const struct copy *copy)
{
    struct moves *moves = state;
    if (copy->from != COPY_NO_REGISTER) {
        const struct mach_operand from = at_register(copy->from);
        at_registers(moves, MALI_ISA_OP_MOV_I32, copy->to, 1, &from);
        return;
    }
    struct mach_operand from = moves->from[copy->value];
    const uint32_t number = (uint32_t)from.value;
    const int constant = from.kind == MACH_NUMBER ? mali_vir_constant(number) : -1;
    const bool is_added = from.kind == MACH_NUMBER && constant < 0;
    if (from.kind == MACH_NUMBER)
        from = vir_constant(constant < 0 ? 0 : (unsigned)constant);
    struct mach_instr *instr =
        at_registers(moves, is_added ? MALI_ISA_OP_IADD_IMM_I32 : MALI_ISA_OP_MOV_I32, copy->to, 1, &from);
    if (is_added)
        vir_isa(instr)->number[0] = number;
}

/* x ^= y, y ^= x, x ^= y. */
static bool exchange_regs(void *state, uint16_t a, uint16_t b)
{
    const uint16_t to[] = {a, b, a}, with[] = {b, a, b};
    struct mach_operand count = vir_constant(0);
    count.select = VIR_SELECT(MALI_ISA_BYTES_B00);
    for (unsigned i = 0; i < 3; i++) {
        const struct mach_operand operands[] = {at_register(to[i]), count, at_register(with[i])};
        at_registers(state, MALI_ISA_OP_LSHIFT_XOR_I32, to[i], 3, operands);
    }
    return true;
}

static uint16_t spare_reg(void *state, uint16_t reg)
{
    (void)state, (void)reg;
    return COPY_NO_REGISTER;
}

static void add_copy(struct moves *moves, unsigned to, const struct mach_operand *from, unsigned component)
{
    struct copy copy = {.to = (uint16_t)to, .from = COPY_NO_REGISTER};
    if (from->kind == MACH_UNDEF)
        return;
    if (from->kind == MACH_TEMP) {
        copy.from = (uint16_t)(from->reg + component);
    } else {
        copy.value = moves->num_from;
        moves->from[moves->num_from++] = *from;
    }
    if (!copies_add(&moves->copies, copy))
        mach_fail(moves->builder.program, "internal: a copy of more than %u registers", COPY_MAX);
}

static void collect_copies(struct mach_program *program, struct moves *moves, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const unsigned comps = program->temps[instr->defs[i].temp].class.comps;
        for (unsigned n = 0; n < comps; n++) {
            if (instr->op == MACH_P_COLLECT)
                add_copy(moves, instr->defs[i].reg + n, &instr->operands[n], 0);
            else if (instr->op == MACH_P_COPY)
                add_copy(moves, instr->defs[i].reg + n, &instr->operands[i], n);
            else if (!instr->defs[i].is_dead)
                add_copy(moves, instr->defs[i].reg + n, &instr->operands[0], i);
        }
    }
}

static void lower_copies(struct mach_program *program, struct moves *moves, struct mach_instr *instr)
{
    static const struct copy_ops ops = {.move = move_reg, .exchange = exchange_regs, .spare = spare_reg};
    moves->builder = (struct mach_builder){program, &instr->link};
    moves->copies.count = moves->num_from = 0;
    collect_copies(program, moves, instr);
    if (!copies_resolve(&moves->copies, &ops, moves))
        mach_fail(program, "internal: a parallel copy has no order");
}

/* ---- branches ---- */

static bool is_way(const struct mach_instr *instr)
{
    return instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH;
}

/* The block that follows in the code: those that are only a jump are left out. */
static uint32_t next_block(const struct mach_program *program, const uint32_t *ways, uint32_t block)
{
    do
        block++;
    while (block < program->num_blocks && ways[block] != block);
    return block;
}

/* Branches where the operand is not zero, or is (`if_zero`). */
static void put_branch(struct mach_builder *builder, struct mach_operand condition, bool if_zero, uint32_t target)
{
    condition.place = VIR_SOURCE0;
    struct mach_instr *instr = mali_vir_instr(builder, MALI_ISA_OP_BRANCHZ, 0, 1, &condition);
    vir_isa(instr)->field[MALI_ISA_FIELD_EQ] = if_zero;
    instr->target = target;
}

/* A branch falls through to the next block on one of its sides, or a jump follows it. */
static void lower_branch(struct mach_program *program, const uint32_t *ways, struct mach_block *block,
                         struct mach_instr *instr)
{
    struct mach_builder builder = {program, &instr->link};
    const uint32_t next = next_block(program, ways, block->index);
    const bool is_fork = instr->op == MACH_P_BRANCH;
    uint32_t target = ways[instr->target], other = is_fork ? ways[instr->other] : target;
    block->num_succs = target == other ? 1 : 2;
    block->succs[0] = target;
    if (target != other) {
        const bool if_zero = target == next;
        block->succs[1] = other;
        put_branch(&builder, instr->operands[0], if_zero, if_zero ? other : target);
        target = if_zero ? target : other;
    }
    if (target != next)
        put_branch(&builder, vir_constant(0), true, target);
}

/* The graph that is left, for waits and reconvergence. */
static void find_predecessors(struct mach_program *program, const uint32_t *ways)
{
    mach_foreach_block(program, block) block->num_preds = 0;
    mach_foreach_block(program, block)
    {
        for (uint32_t i = 0; i < block->num_succs && ways[block->index] == block->index; i++)
            program->blocks[block->succs[i]].num_preds++;
    }
}

void mali_vir_lower(struct mach_program *program, unsigned registers)
{
    struct moves *moves = mach_alloc(program, sizeof(*moves));
    number_registers(program, registers);
    mach_foreach_block(program, block)
    {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            next = link->next;
            if (!mach_is_pseudo(instr) || is_way(instr))
                continue;
            if (instr->op == MACH_P_COPY || instr->op == MACH_P_COLLECT || instr->op == MACH_P_SPLIT)
                lower_copies(program, moves, instr);
            list_remove(&instr->link);
        }
    }
    const uint32_t *ways = mach_find_ways(program);
    mach_foreach_block(program, block)
    {
        struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
        if (block->instrs.prev == &block->instrs || !is_way(last))
            continue;
        if (ways[block->index] == block->index)
            lower_branch(program, ways, block, last);
        else
            block->num_succs = 0;
        list_remove(&last->link);
    }
    find_predecessors(program, ways);
}
