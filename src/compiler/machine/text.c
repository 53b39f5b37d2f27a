/* Machine code as text, and the rules that it keeps. */
#include "compiler/machine/code.h"

#include "util/strbuf.h"

static void print_temp(const struct mach_program *program, struct strbuf *text, mach_temp temp, mach_reg reg)
{
    const struct mach_class class = program->temps[temp].class;
    strbuf_printf(text, "%%%u", temp);
    if (class.comps != 1)
        strbuf_printf(text, ":%u", class.comps);
    if (reg != MACH_NO_REG) {
        strbuf_append(text, "=");
        program->machine->print_register(text, reg, class);
    }
}

static void print_operand(const struct mach_program *program, struct strbuf *text, const struct mach_operand *operand)
{
    if (program->machine->print_flags)
        program->machine->print_flags(text, operand->flags);
    switch (operand->kind) {
    case MACH_NONE:
        strbuf_append(text, "-");
        break;
    case MACH_TEMP:
        print_temp(program, text, operand->temp, operand->reg);
        break;
    case MACH_NUMBER:
        strbuf_printf(text, "#0x%x", (uint32_t)operand->value);
        break;
    case MACH_UNDEF:
        strbuf_append(text, "undef");
        break;
    default:
        program->machine->print_operand(program, text, operand);
        break;
    }
}

static const char *name_of(const struct mach_program *program, unsigned op)
{
    static const char *const names[] = {"start", "phi", "copy", "collect", "split", "jump", "branch"};
    return op < MACH_P_START ? program->machine->name(op) : names[op - MACH_P_START];
}

static void print_instr(const struct mach_program *program, struct strbuf *text, const struct mach_instr *instr)
{
    strbuf_append(text, "    ");
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            print_temp(program, text, instr->defs[i].temp, instr->defs[i].reg);
        else
            strbuf_printf(text, "special%u", instr->defs[i].special);
        strbuf_append(text, i + 1u < instr->num_defs ? ", " : " = ");
    }
    strbuf_append(text, name_of(program, instr->op));
    for (unsigned i = 0; i < instr->num_operands; i++) {
        strbuf_append(text, i ? ", " : " ");
        print_operand(program, text, &instr->operands[i]);
    }
    if (instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH)
        strbuf_printf(text, " block %u", instr->target);
    if (instr->op == MACH_P_BRANCH)
        strbuf_printf(text, " else %u", instr->other);
    strbuf_append(text, "\n");
}

void mach_print(const struct mach_program *program, struct strbuf *text)
{
    mach_foreach_block(program, block)
    {
        strbuf_printf(text, "block %u:", block->index);
        for (uint32_t i = 0; i < block->num_preds; i++)
            strbuf_printf(text, " %s%u", i ? "" : "from ", block->preds[i]);
        strbuf_append(text, "\n");
        mach_foreach_instr(block, instr) print_instr(program, text, instr);
    }
}

/* ---- rules ---- */

static const char *check_instr(const struct mach_program *program, const struct mach_block *block,
                               const struct mach_instr *instr, const uint32_t *home)
{
    if (instr->op == MACH_P_PHI && instr->num_operands != block->num_preds)
        return "a phi has an operand for each predecessor";
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind == MACH_TEMP &&
            (!operand->temp || operand->temp >= program->num_temps || !home[operand->temp]))
            return "a value is read that nothing writes";
    }
    if (instr->op == MACH_P_COLLECT && instr->num_operands != program->temps[instr->defs[0].temp].class.comps)
        return "a collect has an operand for each component";
    if (instr->op == MACH_P_SPLIT && instr->num_defs != program->temps[instr->operands[0].temp].class.comps)
        return "a split has a result for each component";
    if ((instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH) && instr->link.next != &block->instrs)
        return "a jump is the last instruction of its block";
    return NULL;
}

const char *mach_validate(struct mach_program *program)
{
    uint32_t *home = mach_alloc(program, program->num_temps * sizeof(*home));
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++) {
                if (instr->defs[i].temp && home[instr->defs[i].temp])
                    return "a value is written twice";
                home[instr->defs[i].temp] = block->index + 1;
            }
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            const char *wrong = check_instr(program, block, instr, home);
            if (wrong)
                return wrong;
        }
    }
    return NULL;
}
