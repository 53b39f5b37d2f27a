/* Folding on machine code: operands that are copies become what they copy, where the instruction can read that. */
#include "mali/compiler/vir.h"

/* Where each value is made; NULL: by a phi, or with others. */
struct origins {
    struct mach_instr **def; /* by temporary */
    uint32_t *uses;
};

static struct origins find_origins(struct mach_program *program)
{
    struct origins origins = {mach_alloc(program, program->num_temps * sizeof(*origins.def)),
                              mach_alloc(program, program->num_temps * sizeof(*origins.uses))};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->num_defs == 1)
                origins.def[instr->defs[0].temp] = instr;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    origins.uses[instr->operands[i].temp]++;
            }
        }
    }
    return origins;
}

/* The operand that a value is a copy of: a uniform, a special value, a number. */
static bool copied(const struct mach_instr *def, struct mach_operand *from_out)
{
    if (!def || def->num_operands != 1)
        return false;
    const struct mach_operand *operand = &def->operands[0];
    if (def->op == MALI_ISA_OP_MOV_I32 && operand->kind != MACH_TEMP) {
        *from_out = *operand;
        return true;
    }
    if (def->op == MALI_ISA_OP_IADD_IMM_I32 && operand->kind == VIR_CONSTANT && operand->value == 0) {
        *from_out = mach_number(vir_isa(def)->number[0]);
        return true;
    }
    return false;
}

static bool is_wide(const struct mach_instr *instr, const struct mach_operand *operand)
{
    return mali_isa_source_flags(instr->op, operand->place) & MALI_ISA_SOURCE_WIDE &&
           !(mali_isa_source_selection(instr->op, operand->place) == MALI_ISA_SELECT_WIDEN64 && operand->select > 1);
}

static void fold_operand(const struct origins *origins, struct mach_instr *instr, struct mach_operand *operand)
{
    struct mach_operand from;
    if (operand->kind != MACH_TEMP || !copied(origins->def[operand->temp], &from))
        return;
    if (!mach_is_pseudo(instr) && (operand->place > VIR_SOURCE3 || is_wide(instr, operand)))
        return;
    from.place = operand->place;
    from.flags = operand->flags;
    from.select = operand->select;
    *operand = from;
}

void mali_vir_fold(struct mach_program *program)
{
    const struct origins origins = find_origins(program);
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (mach_is_pseudo(instr) && instr->op != MACH_P_COLLECT && instr->op != MACH_P_PHI)
                continue;
            for (unsigned i = 0; i < instr->num_operands; i++)
                fold_operand(&origins, instr, &instr->operands[i]);
        }
    }
}
