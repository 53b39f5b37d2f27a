/* Moves of one side of a branch, made before it: they stand where nops would, and the side that is left of them needs
 * no block. After copies have become moves, before branches are lowered.
 *
 * A side may give up its moves where nothing else leads to it, it has nothing else, and the other side writes what they
 * write before it reads it. */
#include "adreno/compiler/air.h"

#define MAX_MOVES 4

static struct mach_instr *last_of(const struct mach_block *block)
{
    return block->instrs.prev == &block->instrs ? NULL : container_of(block->instrs.prev, struct mach_instr, link);
}

static bool spans_overlap(struct air_span a, struct air_span b)
{
    return a.count && b.count && a.first < b.first + b.count && b.first < a.first + a.count;
}

static bool span_covers(struct air_span a, struct air_span b)
{
    return a.first <= b.first && a.first + a.count >= b.first + b.count;
}

/* Written in the block before anything there reads it. */
static bool is_overwritten(const struct mach_program *program, const struct mach_block *block, struct air_span span)
{
    mach_foreach_instr(block, instr)
    {
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (spans_overlap(adreno_air_read(program, &instr->operands[i]), span))
                return false;
        }
        for (unsigned i = 0; i < instr->num_defs; i++) {
            const struct air_span written = adreno_air_written(program, instr, i);
            if (span_covers(written, span) && !instr->defs[i].is_relative)
                return true;
            if (spans_overlap(written, span))
                return false;
        }
    }
    return false;
}

static bool can_give(const struct mach_program *program, const struct mach_block *side, const struct mach_block *other)
{
    unsigned count = 0;
    const struct mach_instr *last = last_of(side);
    if (side->num_preds != 1 || other->num_preds != 1 || side->is_kept || !last || last->op != MACH_P_JUMP)
        return false;
    mach_foreach_instr(side, instr)
    {
        if (instr == last)
            break;
        if (instr->op != ADRENO_ISA_OP_MOV || instr->has_effect || instr->num_defs != 1 || ++count > MAX_MOVES ||
            air_isa(instr)->field[ADRENO_ISA_FIELD_SS] ||
            !is_overwritten(program, other, adreno_air_written(program, instr, 0)))
            return false;
    }
    return count > 0;
}

static void give_instrs(struct mach_block *block, struct mach_block *side)
{
    struct mach_instr *branch = last_of(block);
    while (last_of(side) != container_of(side->instrs.next, struct mach_instr, link)) {
        struct list *link = side->instrs.next;
        list_remove(link);
        list_insert_after(branch->link.prev, link);
    }
}

void adreno_air_hoist(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        const struct mach_instr *branch = last_of(block);
        if (!branch || branch->op != MACH_P_BRANCH || branch->target == branch->other)
            continue;
        struct mach_block *target = &program->blocks[branch->target], *other = &program->blocks[branch->other];
        if (can_give(program, target, other))
            give_instrs(block, target);
        else if (can_give(program, other, target))
            give_instrs(block, other);
    }
}
