/* Building machine code: values, instructions, blocks and edges. */
#include "compiler/machine/code.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "util/bits.h"

void mach_init(struct mach_program *program, const struct machine *machine, struct ir_failure *failure, mach_reg limit)
{
    *program =
        (struct mach_program){.machine = machine, .failure = failure, .num_temps = 1 /* 0 is none */, .limit = limit};
}

void mach_finish(struct mach_program *program)
{
    arena_finish(&program->live_arena);
    arena_finish(&program->arena);
}

void mach_fail(struct mach_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(program->failure->text, sizeof(program->failure->text), format, args);
    va_end(args);
    longjmp(program->failure->jump, 1);
}

static _Noreturn void fail_memory(struct mach_program *program)
{
    program->failure->out_of_memory = true;
    mach_fail(program, "out of memory");
}

void *mach_alloc(struct mach_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->arena, size_B ? size_B : 1);
    if (!memory)
        fail_memory(program);
    return memory;
}

/* More room for an array that begins with `count` elements. */
static void *grown(struct mach_program *program, const void *old, uint32_t count, uint32_t capacity, size_t element_B)
{
    void *moved = mach_alloc(program, capacity * element_B);
    if (count)
        memcpy(moved, old, count * element_B);
    return moved;
}

mach_temp mach_new_temp(struct mach_program *program, struct mach_class class)
{
    if (program->num_temps >= program->capacity_temps) {
        program->capacity_temps = MAX2(256u, program->capacity_temps * 2);
        program->temps = grown(program, program->temps, program->temps ? program->num_temps : 0,
                               program->capacity_temps, sizeof(*program->temps));
    }
    program->temps[program->num_temps] = (struct mach_temp_info){.class = class};
    return program->num_temps++;
}

/* Everything of an instruction is one piece of memory. */
struct mach_instr *mach_new_instr(struct mach_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands)
{
    const size_t operands_B = num_operands * sizeof(struct mach_operand), defs_B = num_defs * sizeof(struct mach_def);
    const size_t before_B = align_u64(sizeof(struct mach_instr) + operands_B + defs_B, 8);
    struct mach_instr *instr = mach_alloc(builder->program, before_B + builder->program->machine->template_B);
    instr->op = (uint16_t)op;
    instr->num_defs = (uint16_t)num_defs;
    instr->num_operands = num_operands;
    instr->operands = (struct mach_operand *)(instr + 1);
    instr->defs = (struct mach_def *)(instr->operands + num_operands);
    instr->isa = (char *)instr + before_B;
    for (unsigned i = 0; i < num_defs; i++)
        instr->defs[i].reg = MACH_NO_REG;
    list_insert_after(builder->before->prev, &instr->link);
    return instr;
}

/* A list of instructions points back at its block: when blocks move, it is linked again. */
static void move_list(struct list *to, const struct list *from)
{
    if (from->next == from) {
        list_init(to);
        return;
    }
    *to = *from;
    to->next->prev = to;
    to->prev->next = to;
}

static void move_blocks(struct mach_block *to, const struct mach_block *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        move_list(&to[i].instrs, &from[i].instrs);
    }
}

struct mach_block *mach_new_block(struct mach_program *program)
{
    if (program->num_blocks == program->capacity_blocks) {
        program->capacity_blocks = MAX2(16u, program->capacity_blocks * 2);
        struct mach_block *blocks = mach_alloc(program, program->capacity_blocks * sizeof(*blocks));
        move_blocks(blocks, program->blocks, program->num_blocks);
        program->blocks = blocks;
    }
    struct mach_block *block = &program->blocks[program->num_blocks];
    *block = (struct mach_block){.index = program->num_blocks++};
    list_init(&block->instrs);
    return block;
}

/* Arrays of edges have room for a power of two. */
static uint32_t *appended(struct mach_program *program, uint32_t *edges, uint32_t count, uint32_t value)
{
    if (count == 0 || (count >= 2 && is_power_of_two(count)))
        edges = grown(program, edges, count, MAX2(2u, count * 2), sizeof(*edges));
    edges[count] = value;
    return edges;
}

void mach_edge(struct mach_program *program, uint32_t from, uint32_t to)
{
    struct mach_block *source = &program->blocks[from], *target = &program->blocks[to];
    source->succs = appended(program, source->succs, source->num_succs++, to);
    target->preds = appended(program, target->preds, target->num_preds++, from);
}

/* ---- order and critical edges ---- */

static bool is_way(const struct mach_instr *instr)
{
    return instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH;
}

static void rename_block(struct mach_block *block, const uint32_t *new_index)
{
    for (uint32_t i = 0; i < block->num_succs; i++)
        block->succs[i] = new_index[block->succs[i]];
    for (uint32_t i = 0; i < block->num_preds; i++)
        block->preds[i] = new_index[block->preds[i]];
    mach_foreach_instr(block, instr)
    {
        if (is_way(instr)) {
            instr->target = new_index[instr->target];
            instr->other = new_index[instr->other];
        }
    }
}

void mach_reorder(struct mach_program *program, const uint32_t *order)
{
    uint32_t *new_index = mach_alloc(program, program->num_blocks * sizeof(*new_index));
    struct mach_block *blocks = mach_alloc(program, program->num_blocks * sizeof(*blocks));
    for (uint32_t i = 0; i < program->num_blocks; i++)
        new_index[order[i]] = i;
    for (uint32_t i = 0; i < program->num_blocks; i++) {
        move_blocks(&blocks[i], &program->blocks[order[i]], 1);
        blocks[i].index = i;
        rename_block(&blocks[i], new_index);
    }
    program->blocks = blocks;
    program->capacity_blocks = program->num_blocks;
}

static void retarget_branches(struct mach_block *block, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < block->num_succs; i++)
        block->succs[i] = block->succs[i] == from ? to : block->succs[i];
    struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
    if (last->target == from)
        last->target = to;
    else if (last->other == from)
        last->other = to;
}

static void put_on_edge(struct mach_program *program, const struct edge_split *split)
{
    struct mach_block *source = &program->blocks[split->from], *target = &program->blocks[split->to];
    struct mach_block *block = &program->blocks[split->block];
    block->loop_depth = MIN2(source->loop_depth, target->loop_depth);
    retarget_branches(source, split->to, split->block);
    target->preds[split->pred] = split->block;
    block->preds = appended(program, NULL, 0, split->from);
    block->succs = appended(program, NULL, 0, split->to);
    block->num_preds = block->num_succs = 1;
    struct mach_builder builder = {program, &block->instrs};
    mach_new_instr(&builder, MACH_P_JUMP, 0, 0)->target = split->to;
}

void mach_split_edges(struct mach_program *program)
{
    struct machine_edges *graph = mach_alloc(program, program->num_blocks * sizeof(*graph));
    mach_foreach_block(program, block) graph[block->index] =
        (struct machine_edges){block->preds, block->succs, block->num_preds, block->num_succs};
    struct edge_splits splits;
    if (!edges_plan_splits(graph, program->num_blocks, &program->arena, &splits))
        fail_memory(program);
    if (!splits.count)
        return;
    const struct mach_block *old = program->blocks;
    struct mach_block *blocks = mach_alloc(program, splits.num_blocks * sizeof(*blocks));
    for (uint32_t i = 0; i < splits.num_blocks; i++) {
        if (splits.old_index[i] == EDGE_NEW_BLOCK) {
            list_init(&blocks[i].instrs);
        } else {
            move_blocks(&blocks[i], &old[splits.old_index[i]], 1);
            rename_block(&blocks[i], splits.new_index);
        }
        blocks[i].index = i;
    }
    program->blocks = blocks;
    program->num_blocks = program->capacity_blocks = splits.num_blocks;
    for (uint32_t i = 0; i < splits.count; i++)
        put_on_edge(program, &splits.list[i]);
}

bool mach_copy_single_phis(struct mach_program *program)
{
    bool progress = false;
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op == MACH_P_PHI && block->num_preds == 1) {
                instr->op = MACH_P_COPY;
                progress = true;
            }
        }
    }
    return progress;
}

/* ---- ways ---- */

static bool is_only_jump(const struct mach_block *block)
{
    const struct list *first = block->instrs.next;
    return !block->is_kept && first != &block->instrs && first->next == &block->instrs &&
           container_of(first, struct mach_instr, link)->op == MACH_P_JUMP;
}

uint32_t *mach_find_ways(struct mach_program *program)
{
    uint32_t *ways = mach_alloc(program, (program->num_blocks + 1) * sizeof(*ways));
    mach_foreach_block(program, block)
    {
        uint32_t at = block->index;
        for (uint32_t steps = 0; is_only_jump(&program->blocks[at]); steps++) {
            if (steps == program->num_blocks) { /* a circle of them: it is what the program says */
                at = block->index;
                break;
            }
            at = container_of(program->blocks[at].instrs.next, struct mach_instr, link)->target;
        }
        ways[block->index] = at;
    }
    return ways;
}
