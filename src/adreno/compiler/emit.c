/* Machine IR on registers to words: operands go to the places of the instruction's template, jumps get their
 * distances. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

static struct adreno_isa_operand operand_of(const struct mach_program *program, const struct mach_instr *instr,
                                            const struct mach_operand *operand)
{
    struct adreno_isa_operand to = {.flags = operand->flags, .value = operand->value};
    switch (operand->kind) {
    case MACH_TEMP: {
        const bool is_half = air_is_half(program->temps[operand->temp].class);
        to.kind = ADRENO_ISA_OPERAND_GPR;
        to.value = is_half ? operand->reg : operand->reg / 2;
        to.flags |= is_half ? ADRENO_ISA_FLAG_HALF : 0;
        break;
    }
    case AIR_CONST:
        to.kind = ADRENO_ISA_OPERAND_CONST;
        break;
    case AIR_CONST_RELATIVE:
        to.kind = ADRENO_ISA_OPERAND_CONST_RELATIVE;
        break;
    case AIR_FLOAT:
        to.kind = ADRENO_ISA_OPERAND_FLOAT;
        break;
    case AIR_ARRAY:
        to.kind = ADRENO_ISA_OPERAND_GPR;
        to.value += air_own(program)->array_reg / 2;
        break;
    case AIR_ARRAY_RELATIVE:
        to.kind = ADRENO_ISA_OPERAND_GPR_RELATIVE;
        to.value += air_own(program)->array_reg / 2;
        break;
    case MACH_NUMBER:
        to.kind = ADRENO_ISA_OPERAND_NUMBER;
        break;
    case AIR_SPECIAL:
        to.kind = ADRENO_ISA_OPERAND_GPR;
        if (instr->op >= ADRENO_ISA_OP_KILL && instr->op <= ADRENO_ISA_OP_BALL)
            to = (struct adreno_isa_operand){ADRENO_ISA_OPERAND_PREDICATE, operand->flags, 0,
                                             operand->value - ADRENO_ISA_REG_P0};
        break;
    default:
        to = (struct adreno_isa_operand){0}; /* a value that nothing wrote: r0.x will do */
        to.kind = ADRENO_ISA_OPERAND_GPR;
        break;
    }
    return to;
}

/* Local and private memory: whether a register is a half one follows from the type, and its form does not say it. */
static void hide_half(struct adreno_isa_inst *isa)
{
    switch (isa->op) {
    case ADRENO_ISA_OP_LDL:
        isa->operands[ADRENO_ISA_PLACE_DST].flags = 0;
        break;
    case ADRENO_ISA_OP_STL:
    case ADRENO_ISA_OP_STP:
        isa->operands[ADRENO_ISA_PLACE_SRC1].flags = 0;
        break;
    default:
        break;
    }
}

static void fill_inst(const struct mach_program *program, struct mach_instr *instr)
{
    air_isa(instr)->op = instr->op;
    static const uint8_t places[] = {ADRENO_ISA_PLACE_DST, ADRENO_ISA_PLACE_DST1};
    for (unsigned i = 0; i < instr->num_defs && i < ARRAY_SIZE(places); i++) {
        const struct mach_def *def = &instr->defs[i];
        struct adreno_isa_operand *to = &air_isa(instr)->operands[places[i]];
        const bool is_half =
            def->temp ? air_is_half(program->temps[def->temp].class) : to->flags & ADRENO_ISA_FLAG_HALF;
        to->kind = ADRENO_ISA_OPERAND_GPR;
        to->flags = is_half ? ADRENO_ISA_FLAG_HALF : 0;
        to->value = def->temp ? (is_half ? def->reg : def->reg / 2) : def->special;
        if (!def->temp && def->special >= AIR_SPECIAL_ARRAY)
            to->value = air_own(program)->array_reg / 2 + def->special - AIR_SPECIAL_ARRAY;
        if (def->is_relative) {
            to->kind = ADRENO_ISA_OPERAND_GPR_RELATIVE;
            to->flags |= ADRENO_ISA_FLAG_RELATIVE;
        }
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind != MACH_NONE && operand->place < ADRENO_ISA_PLACE_COUNT)
            air_isa(instr)->operands[operand->place] = operand_of(program, instr, operand);
        else if (operand->place == AIR_PLACE_RESOURCE)
            air_isa(instr)->field[ADRENO_ISA_FIELD_RESOURCE] |= (int16_t)(operand->reg / 2);
    }
    hide_half(air_isa(instr));
    if (instr->op == ADRENO_ISA_OP_MOV) {
        const unsigned kind = air_isa(instr)->operands[ADRENO_ISA_PLACE_SRC0].kind;
        air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_KIND] = kind == ADRENO_ISA_OPERAND_CONST    ? 1
                                                           : kind == ADRENO_ISA_OPERAND_NUMBER ? 2
                                                                                               : 0;
    }
}

static void set_distance(const struct mach_program *program, struct mach_instr *instr, uint32_t at)
{
    const int32_t distance = (int32_t)program->blocks[instr->target].first_word - (int32_t)at;
    const unsigned place = instr->num_operands ? ADRENO_ISA_PLACE_SRC1 : ADRENO_ISA_PLACE_SRC0;
    air_isa(instr)->operands[place] = (struct adreno_isa_operand){.kind = ADRENO_ISA_OPERAND_NUMBER, .value = distance};
}

void adreno_air_emit(struct mach_program *program, struct air_code *code_out)
{
    uint32_t count = 0;
    mach_foreach_block(program, block)
    {
        block->first_word = count;
        mach_foreach_instr(block, instr) count++;
    }
    *code_out = (struct air_code){.words = mach_alloc(program, count * sizeof(uint64_t))};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            fill_inst(program, instr);
            if (air_is_jump(instr))
                set_distance(program, instr, code_out->count);
            if (adreno_isa_encode(air_isa(instr), &code_out->words[code_out->count++]) != 0) {
                char text[ADRENO_ISA_MAX_TEXT];
                adreno_isa_print(air_isa(instr), text);
                mach_fail(program, "internal: no encoding: %s", text);
            }
        }
    }
}
