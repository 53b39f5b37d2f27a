/* Machine code on registers to words: operands go to the places of the instruction's template, jumps get their
 * distances. */
#include "mali/compiler/vir.h"

static struct mali_isa_source source_of(struct mach_program *program, const struct mach_instr *instr,
                                        const struct mach_operand *operand, uint8_t select)
{
    struct mali_isa_source source = {.flags = operand->flags, .select = select};
    switch (operand->kind) {
    case MACH_TEMP:
        source.kind = MALI_ISA_SOURCE_REGISTER;
        source.value = (uint8_t)operand->reg;
        break;
    case VIR_REGISTER:
        source.kind = MALI_ISA_SOURCE_REGISTER;
        source.value = (uint8_t)operand->value;
        break;
    case VIR_UNIFORM:
        source.kind = MALI_ISA_SOURCE_UNIFORM;
        source.value = (uint8_t)operand->value;
        vir_isa(instr)->page = (uint8_t)(operand->value / 64);
        break;
    case VIR_SPECIAL:
        source.kind = MALI_ISA_SOURCE_SPECIAL;
        source.value = (uint8_t)operand->value;
        vir_isa(instr)->page = (uint8_t)(operand->value >> 8);
        break;
    case VIR_CONSTANT:
        source.kind = MALI_ISA_SOURCE_CONSTANT;
        source.value = (uint8_t)operand->value;
        break;
    default:
        mach_fail(program, "internal: an operand of %s is nothing", mali_isa_name(instr->op));
    }
    if (operand->select)
        source.select = (uint8_t)(operand->select - 1);
    return source;
}

static unsigned comps_of(const struct mach_program *program, mach_temp temp)
{
    return temp ? program->temps[temp].class.comps : 1;
}

static void fill_inst(struct mach_program *program, struct mach_instr *instr)
{
    struct mali_isa_inst *isa = vir_isa(instr);
    /* Of a call the results are what it leaves nothing in. */
    for (unsigned i = 0; i < instr->num_defs && instr->op != MALI_ISA_OP_BLEND; i++) {
        const struct mach_def *def = &instr->defs[i];
        if (mali_isa_has_dst(instr->op)) {
            isa->dst = (uint8_t)def->reg;
        } else {
            isa->staging[0].reg = (uint8_t)def->reg;
            isa->staging[0].count = (uint8_t)comps_of(program, def->temp);
        }
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->place <= VIR_SOURCE3) {
            isa->sources[operand->place] = source_of(program, instr, operand, isa->sources[operand->place].select);
        } else if (operand->place != VIR_NO_PLACE) {
            isa->staging[operand->place - VIR_STAGING0].reg = (uint8_t)operand->reg;
            isa->staging[operand->place - VIR_STAGING0].count = (uint8_t)comps_of(program, operand->temp);
        }
    }
}

void mali_vir_fill(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr) fill_inst(program, instr);
    }
}

void mali_vir_emit(struct mach_program *program, struct vir_code *code_out)
{
    uint32_t count = 0;
    mach_foreach_block(program, block)
    {
        block->first_word = count;
        mach_foreach_instr(block, instr) count++;
    }
    *code_out = (struct vir_code){.words = mach_alloc(program, (count + 1) * sizeof(uint64_t))};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op == MALI_ISA_OP_BRANCHZ)
                vir_isa(instr)->number[0] = program->blocks[instr->target].first_word - (code_out->count + 1);
            if (mali_isa_encode(vir_isa(instr), &code_out->words[code_out->count++]) != 0) {
                char text[MALI_ISA_MAX_TEXT];
                mali_isa_print(vir_isa(instr), text);
                mach_fail(program, "internal: no encoding: %s", text);
            }
        }
    }
}
