/* No linear edge leads from a fork to a join: where one does, an empty block is put on it, which holds copies of
 * scalars and vanishes when there are none. */
#include <string.h>

#include "amd/compiler/mir.h"
#include "compiler/machine/edges.h"

static void hang_up(struct mir_block *to, struct mir_block *from)
{
    *to = *from;
    list_init(&to->instrs);
    if (!list_is_empty(&from->instrs)) {
        to->instrs = from->instrs;
        to->instrs.next->prev = &to->instrs;
        to->instrs.prev->next = &to->instrs;
    }
}

static void rename_edges(uint32_t *edges, unsigned count, const uint32_t *new_index)
{
    for (unsigned i = 0; i < count; i++)
        edges[i] = new_index[edges[i]];
}

static void rename_block(struct mir_block *block, const uint32_t *new_index)
{
    rename_edges(block->linear_preds, block->num_linear_preds, new_index);
    rename_edges(block->linear_succs, block->num_linear_succs, new_index);
    rename_edges(block->logical_preds, block->num_logical_preds, new_index);
    rename_edges(block->logical_succs, block->num_logical_succs, new_index);
    mir_foreach_instr(block, instr)
    {
        if (instr->op == MIR_P_BRANCH || instr->op == MIR_P_CBRANCH)
            instr->imm = new_index[instr->imm];
        if (instr->op == MIR_P_CBRANCH)
            instr->imm2 = new_index[instr->imm2];
    }
}

static void connect_edge(struct mir_program *program, const struct edge_split *split)
{
    uint32_t from = split->from, middle = split->block, to = split->to;
    struct mir_block *source = &program->blocks[from], *block = &program->blocks[middle],
                     *target = &program->blocks[to];
    struct mir_builder builder = {program, block, &block->instrs};
    for (unsigned i = 0; i < source->num_linear_succs; i++) {
        if (source->linear_succs[i] == to)
            source->linear_succs[i] = middle;
    }
    target->linear_preds[split->pred] = middle;
    block->linear_preds = amd_mir_alloc(program, sizeof(uint32_t));
    block->linear_succs = amd_mir_alloc(program, sizeof(uint32_t));
    block->linear_preds[0] = from;
    block->linear_succs[0] = to;
    block->num_linear_preds = 1;
    block->num_linear_succs = 1;
    block->loop_depth = source->loop_depth < target->loop_depth ? source->loop_depth : target->loop_depth;
    block->divergent_depth = target->divergent_depth;
    amd_mir_new_instr(&builder, MIR_P_BRANCH, 0, 0)->imm = to;
    mir_foreach_instr(source, instr)
    {
        if ((instr->op == MIR_P_BRANCH || instr->op == MIR_P_CBRANCH) && instr->imm == to)
            instr->imm = middle;
        if (instr->op == MIR_P_CBRANCH && instr->imm2 == to)
            instr->imm2 = middle;
    }
}

/* A block that fell through into the target must now jump over the new block. */
static void end_with_branch(struct mir_program *program, struct mir_block *block)
{
    unsigned last = list_is_empty(&block->instrs) ? 0 : container_of(block->instrs.prev, struct mir_instr, link)->op;
    struct mir_builder builder = {program, block, &block->instrs};
    if (block->num_linear_succs == 1 && last != MIR_P_BRANCH && last != MIR_P_CBRANCH)
        amd_mir_new_instr(&builder, MIR_P_BRANCH, 0, 0)->imm = block->linear_succs[0];
}

static struct edge_splits plan_splits(struct mir_program *program)
{
    struct machine_edges *graph = amd_mir_alloc(program, program->num_blocks * sizeof(*graph));
    struct edge_splits splits;
    mir_foreach_block(program, block) graph[block->index] = (struct machine_edges){
        block->linear_preds, block->linear_succs, block->num_linear_preds, block->num_linear_succs};
    if (!edges_plan_splits(graph, program->num_blocks, &program->arena, &splits))
        amd_mir_fail_memory(program);
    return splits;
}

void amd_mir_split_edges(struct mir_program *program)
{
    struct edge_splits splits = plan_splits(program);
    if (splits.count == 0)
        return;
    mir_foreach_block(program, block) end_with_branch(program, block);
    struct mir_block *old = program->blocks;
    program->capacity_blocks = splits.num_blocks;
    program->blocks = amd_mir_alloc(program, program->capacity_blocks * sizeof(*program->blocks));
    program->num_blocks = 0;
    for (uint32_t i = 0; i < splits.num_blocks; i++) {
        struct mir_block *block = amd_mir_new_block(program);
        if (splits.old_index[i] == EDGE_NEW_BLOCK)
            continue;
        hang_up(block, &old[splits.old_index[i]]);
        block->index = i;
        rename_block(block, splits.new_index);
    }
    for (uint32_t i = 0; i < splits.count; i++)
        connect_edge(program, &splits.list[i]);
}
