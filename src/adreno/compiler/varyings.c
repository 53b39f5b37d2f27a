/* (ei): the last instruction that reads varyings says so, and their memory is free for other fragments. It must be one
 * that all fibers come to, once, and after all others. */
#include "adreno/compiler/air.h"

static bool reads_varyings(const struct mach_instr *instr)
{
    return instr->op == ADRENO_ISA_OP_BARY_F || instr->op == ADRENO_ISA_OP_FLAT_B;
}

/* Blocks that every path goes through, once: no edge leads over them, and they are in no loop. */
static bool *find_straight(struct mach_program *program)
{
    bool *is_straight = mach_alloc(program, program->num_blocks * sizeof(*is_straight));
    int32_t *change = mach_alloc(program, (program->num_blocks + 1) * sizeof(*change)), over = 0;
    mach_foreach_block(program, block)
    {
        for (uint32_t i = 0; i < block->num_succs; i++) {
            const uint32_t to = block->succs[i];
            change[to > block->index ? block->index + 1 : to]++;
            change[to > block->index ? to : block->index + 1]--;
        }
    }
    for (uint32_t i = 0; i < program->num_blocks; i++) {
        over += change[i];
        is_straight[i] = over == 0;
    }
    return is_straight;
}

/* An instruction for nothing else: what it reads goes nowhere. */
static void add_end(struct mach_program *program, struct mach_block *block)
{
    struct mach_builder builder = {program, block->instrs.next};
    struct mach_instr *bary = mach_new_instr(&builder, ADRENO_ISA_OP_BARY_F, 1, 3);
    bary->defs[0].special = 63 * 4;
    bary->operands[0] = mach_number(0);
    bary->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    bary->operands[1] = air_special(0);
    bary->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    bary->operands[2] = air_special(1); /* the place in the primitive is a pair */
    bary->operands[2].place = AIR_PLACE_NONE;
    air_isa(bary)->field[ADRENO_ISA_FIELD_FULL] = 1;
    air_isa(bary)->field[ADRENO_ISA_FIELD_EI] = 1;
}

void adreno_air_end_varyings(struct mach_program *program)
{
    const bool *is_straight = find_straight(program);
    struct mach_instr *last = NULL;
    uint32_t at = 0;
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (reads_varyings(instr)) {
                last = instr;
                at = block->index;
            }
        }
    }
    if (last && is_straight[at]) {
        air_isa(last)->field[ADRENO_ISA_FIELD_EI] = 1;
        return;
    }
    for (uint32_t i = last ? at + 1 : 0; i < program->num_blocks; i++) {
        if (is_straight[i]) {
            add_end(program, &program->blocks[i]);
            return;
        }
    }
}
