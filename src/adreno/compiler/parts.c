/* The parts of runs, before the order is chosen: numbers, constants, and values that are parts of more than one run
 * get moves of their own, which then stand where something else would wait. Copies that are left to allocation stand
 * just before the reader, or at the very end of the program. */
#include "adreno/compiler/air.h"

static void move_to_own(struct mach_program *program, struct mach_instr *collect, unsigned index)
{
    struct mach_builder builder = {program, &collect->link};
    struct mach_operand *operand = &collect->operands[index];
    struct mach_class class = program->temps[collect->defs[0].temp].class;
    class.comps = 1;
    const mach_temp own = mach_new_temp(program, class);
    struct mach_instr *move = mach_new_instr(&builder, ADRENO_ISA_OP_MOV, 1, 1);
    move->defs[0].temp = own;
    move->operands[0] = *operand;
    move->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    if (operand->kind != MACH_TEMP)
        move->operands[0].flags = air_is_half(class) ? ADRENO_ISA_FLAG_HALF : 0;
    air_isa(move)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(move)->field[ADRENO_ISA_FIELD_DST_TYPE] =
        air_is_half(class) ? AIR_U16 : AIR_U32;
    *operand = mach_use(own);
}

void adreno_air_move_parts(struct mach_program *program)
{
    uint32_t *left = mach_alloc(program, program->num_temps * sizeof(*left)); /* runs that have it as a part */
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; instr->op == MACH_P_COLLECT && i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    left[instr->operands[i].temp]++;
            }
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; instr->op == MACH_P_COLLECT && i < instr->num_operands; i++) {
                const struct mach_operand *operand = &instr->operands[i];
                /* The last one takes the value itself, which mostly ends there. */
                if (operand->kind != MACH_UNDEF && (operand->kind != MACH_TEMP || --left[operand->temp]))
                    move_to_own(program, instr, i);
            }
        }
    }
}
