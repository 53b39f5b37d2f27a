/* Guarded instructions (air.h) in blocks of their own, with the branches over them. After allocation: until then they
 * stand among the others, which fill the slots that the predicate takes to arrive. */
#include "adreno/compiler/air.h"

static uint32_t count_guards(const struct mach_program *program)
{
    uint32_t count = 0;
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr) count += air_is_guarded(instr);
    }
    return count;
}

/* All that follows the instruction, and the ways out. */
static void move_rest(struct mach_program *program, struct mach_block *block, struct mach_instr *instr,
                      struct mach_block *after)
{
    for (struct list *link = instr->link.next, *next; link != &block->instrs; link = next) {
        next = link->next;
        list_remove(link);
        list_push_back(&after->instrs, link);
    }
    after->succs = block->succs;
    after->num_succs = block->num_succs;
    for (uint32_t i = 0; i < after->num_succs; i++) {
        struct mach_block *to = &program->blocks[after->succs[i]];
        for (uint32_t j = 0; j < to->num_preds; j++)
            to->preds[j] = to->preds[j] == block->index ? after->index : to->preds[j];
    }
    block->succs = NULL;
    block->num_succs = 0;
}

/* Returns the block after it. */
static uint32_t split_block(struct mach_program *program, uint32_t at, struct mach_instr *instr)
{
    const uint32_t way = mach_new_block(program)->index, after = mach_new_block(program)->index;
    struct mach_block *block = &program->blocks[at];
    program->blocks[way].loop_depth = program->blocks[after].loop_depth = block->loop_depth;
    move_rest(program, block, instr, &program->blocks[after]);
    list_remove(&instr->link);
    list_insert_after(&program->blocks[way].instrs, &instr->link);
    mach_edge(program, at, after);
    mach_edge(program, at, way);
    mach_edge(program, way, after);
    struct mach_builder builder = {program, &program->blocks[way].instrs};
    mach_new_instr(&builder, MACH_P_JUMP, 0, 0)->target = after;
    builder.before = &block->instrs;
    const bool is_br = instr->branch == ADRENO_ISA_OP_BR, has_predicate = instr->branch != ADRENO_ISA_OP_GETONE;
    struct mach_instr *branch = mach_new_instr(&builder, MACH_P_BRANCH, 0, has_predicate);
    branch->branch = is_br ? 0 : instr->branch;
    branch->target = is_br ? way : after;
    branch->other = is_br ? after : way;
    if (has_predicate)
        branch->operands[0] = instr->operands[--instr->num_operands];
    instr->branch = 0;
    return after;
}

void adreno_air_split_guards(struct mach_program *program)
{
    const uint32_t num_guards = count_guards(program), num_blocks = program->num_blocks;
    if (!num_guards)
        return;
    uint32_t *order = mach_alloc(program, (num_blocks + 2 * num_guards) * sizeof(*order));
    for (uint32_t i = 0, count = 0; i < num_blocks; i++) {
        uint32_t at = order[count++] = i;
        for (struct list *link = program->blocks[at].instrs.next, *next; link != &program->blocks[at].instrs;
             link = next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            next = link->next;
            if (!air_is_guarded(instr))
                continue;
            at = split_block(program, at, instr);
            order[count++] = at - 1;
            order[count++] = at;
            next = program->blocks[at].instrs.next;
        }
    }
    mach_reorder(program, order);
}
