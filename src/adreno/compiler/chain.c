/* The end of a stage that another one follows in the same wave: what that one finds in registers goes where it looks
 * for it, all fibers become active again (chmask), and the next program begins (chsh). After allocation. */
#include "adreno/compiler/air.h"

static void chain(struct mach_program *program, struct mach_instr *chsh)
{
    struct mach_builder builder = {program, &chsh->link};
    struct mach_instr *copy = mach_new_instr(&builder, MACH_P_COPY, chsh->num_operands, chsh->num_operands);
    for (unsigned i = 0; i < chsh->num_operands; i++) {
        struct mach_operand *operand = &chsh->operands[i];
        const mach_reg reg = (mach_reg)(operand->select * 2);
        copy->operands[i] = *operand;
        copy->defs[i] = (struct mach_def){.temp = operand->temp, .reg = reg};
        operand->reg = reg;
    }
    mach_new_instr(&builder, ADRENO_ISA_OP_CHMASK, 0, 0);
}

void adreno_air_chain(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
        if (block->instrs.prev != &block->instrs && last->op == ADRENO_ISA_OP_CHSH)
            chain(program, last);
    }
}
