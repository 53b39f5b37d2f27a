/* No linear edge leads from a fork to a join: where one does, an empty block is put on it, which holds copies of
 * scalars and vanishes when there are none. */
#include <string.h>

#include "amd/compiler/mir.h"

static bool is_critical(const struct mir_program *program, uint32_t from, uint32_t to)
{
    return program->blocks[from].num_linear_succs > 1 && program->blocks[to].num_linear_preds > 1;
}

/* The new block stands before the target, or after the source where the edge leads back. */
struct split {
    uint32_t from, to, before;
};

static unsigned find_splits(struct mir_program *program, struct split *splits)
{
    unsigned count = 0;
    mir_foreach_block(program, block)
    {
        for (unsigned i = 0; i < block->num_linear_succs; i++) {
            uint32_t to = block->linear_succs[i];
            if (!is_critical(program, block->index, to))
                continue;
            if (splits)
                splits[count] = (struct split){block->index, to, to > block->index ? to : block->index + 1};
            count++;
        }
    }
    return count;
}

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

static void replace(uint32_t *edges, unsigned count, uint32_t old, uint32_t with)
{
    for (unsigned i = 0; i < count; i++) {
        if (edges[i] == old)
            edges[i] = with;
    }
}

static void connect(struct mir_program *program, uint32_t from, uint32_t middle, uint32_t to)
{
    struct mir_block *source = &program->blocks[from], *block = &program->blocks[middle],
                     *target = &program->blocks[to];
    struct mir_builder builder = {program, block, &block->instrs};
    replace(source->linear_succs, source->num_linear_succs, to, middle);
    replace(target->linear_preds, target->num_linear_preds, from, middle);
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

/* What fell through into the target must now jump over the new block. */
static void end_with_branch(struct mir_program *program, struct mir_block *block)
{
    unsigned last = list_is_empty(&block->instrs) ? 0 : container_of(block->instrs.prev, struct mir_instr, link)->op;
    struct mir_builder builder = {program, block, &block->instrs};
    if (block->num_linear_succs == 1 && last != MIR_P_BRANCH && last != MIR_P_CBRANCH)
        amd_mir_new_instr(&builder, MIR_P_BRANCH, 0, 0)->imm = block->linear_succs[0];
}

void amd_mir_split_edges(struct mir_program *program)
{
    unsigned count = find_splits(program, NULL);
    if (count == 0)
        return;
    struct split *splits = amd_mir_alloc(program, count * sizeof(*splits));
    find_splits(program, splits);
    mir_foreach_block(program, block) end_with_branch(program, block);
    uint32_t old_count = program->num_blocks, *new_index = amd_mir_alloc(program, (old_count + 1) * sizeof(*new_index));
    uint32_t *middle = amd_mir_alloc(program, count * sizeof(*middle));
    struct mir_block *old = program->blocks;
    program->capacity_blocks = old_count + count;
    program->blocks = amd_mir_alloc(program, program->capacity_blocks * sizeof(*program->blocks));
    program->num_blocks = 0;
    for (uint32_t i = 0; i <= old_count; i++) {
        for (unsigned s = 0; s < count; s++) {
            if (splits[s].before == i) {
                middle[s] = program->num_blocks;
                amd_mir_new_block(program);
            }
        }
        if (i < old_count) {
            new_index[i] = program->num_blocks;
            struct mir_block *block = amd_mir_new_block(program);
            hang_up(block, &old[i]);
            block->index = new_index[i];
        }
    }
    for (uint32_t i = 0; i < old_count; i++)
        rename_block(&program->blocks[new_index[i]], new_index);
    for (unsigned s = 0; s < count; s++)
        connect(program, new_index[splits[s].from], middle[s], new_index[splits[s].to]);
}
