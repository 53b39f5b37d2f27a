/* Instructions to words: the pieces of the layout, filled in. Whether the word is what was asked for, the decoder
 * says. */
#include <string.h>

#include "adreno/isa/isa_tables.h"

static uint32_t relative_bits(const struct adreno_isa_operand *operand)
{
    uint32_t is_const = operand->kind == ADRENO_ISA_OPERAND_CONST_RELATIVE;
    return is_const << 10 | ((uint32_t)operand->value & 0x3ff);
}

static uint32_t gpr_bits(const struct adreno_isa_operand *operand)
{
    return ((uint32_t)operand->value & 0xff) | (operand->flags & ADRENO_ISA_FLAG_LAST ? ADRENO_ISA_LAST_BIT : 0);
}

static uint32_t any_bits(const struct adreno_isa_operand *operand)
{
    uint32_t value = (uint32_t)operand->value;
    switch (operand->kind) {
    case ADRENO_ISA_OPERAND_CONST:
        return ADRENO_ISA_ANY_CONST << 11 | (value & 0x7ff);
    case ADRENO_ISA_OPERAND_NUMBER:
        return ADRENO_ISA_ANY_NUMBER << 11 | (value & 0x7ff);
    case ADRENO_ISA_OPERAND_FLOAT:
        return ADRENO_ISA_ANY_FLOAT << 11 | (value & 0x3ff) |
               (operand->flags & ADRENO_ISA_FLAG_HALF ? ADRENO_ISA_HALF_FLOAT_BIT : 0);
    case ADRENO_ISA_OPERAND_GPR:
        return gpr_bits(operand);
    default:
        return ADRENO_ISA_ANY_RELATIVE << 11 | relative_bits(operand);
    }
}

static uint32_t short_bits(const struct adreno_isa_operand *operand)
{
    switch (operand->kind) {
    case ADRENO_ISA_OPERAND_GPR:
        return gpr_bits(operand);
    case ADRENO_ISA_OPERAND_CONST:
    case ADRENO_ISA_OPERAND_NUMBER:
        return 1u << 12 | ((uint32_t)operand->value & 0xfff);
    default:
        return 1u << 11 | relative_bits(operand);
    }
}

static uint32_t move_bits(const struct adreno_isa_operand *operand)
{
    switch (operand->kind) {
    case ADRENO_ISA_OPERAND_GPR:
        return gpr_bits(operand);
    case ADRENO_ISA_OPERAND_CONST:
    case ADRENO_ISA_OPERAND_NUMBER:
        return (uint32_t)operand->value;
    default:
        return 1u << 11 | relative_bits(operand);
    }
}

static uint32_t operand_bits(enum adreno_isa_class operand_class, const struct adreno_isa_operand *operand)
{
    uint32_t value = (uint32_t)operand->value;
    switch (operand_class) {
    case ADRENO_ISA_CLASS_ANY:
        return any_bits(operand);
    case ADRENO_ISA_CLASS_SHORT_CONST:
    case ADRENO_ISA_CLASS_SHORT_NUMBER:
        return short_bits(operand);
    case ADRENO_ISA_CLASS_MOVE:
        return move_bits(operand);
    case ADRENO_ISA_CLASS_PREDICATE:
        return value << 1 | (operand->flags & ADRENO_ISA_FLAG_NOT ? 1 : 0);
    case ADRENO_ISA_CLASS_FIBER:
        return operand->kind == ADRENO_ISA_OPERAND_GPR ? 0x80 : value;
    case ADRENO_ISA_CLASS_CONST_PLACE:
        return value | (operand->kind == ADRENO_ISA_OPERAND_CONST_A1 ? 1u << 8 : 0);
    default:
        return value;
    }
}

static uint32_t flag_bit(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                         const struct adreno_isa_inst *inst)
{
    uint32_t value = inst->operands[piece->to].flags >> piece->shift & 1;
    if ((row->properties & ADRENO_ISA_PROP_NOP) && 1u << piece->shift == ADRENO_ISA_FLAG_R &&
        piece->to <= ADRENO_ISA_PLACE_SRC1)
        value |= (uint32_t)inst->nop >> (piece->to - ADRENO_ISA_PLACE_SRC0) & 1;
    return value;
}

static uint64_t piece_bits(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                           const struct adreno_isa_inst *inst)
{
    uint32_t value;
    switch (piece->kind) {
    case ADRENO_ISA_PIECE_FIELD:
        value = (uint32_t)(inst->field[piece->to] >> piece->shift);
        break;
    case ADRENO_ISA_PIECE_FLAG:
        value = flag_bit(row, piece, inst);
        break;
    default:
        value = operand_bits((enum adreno_isa_class)piece->shift, &inst->operands[piece->to]);
        break;
    }
    return (value & ((UINT64_C(1) << piece->width) - 1)) << piece->low;
}

uint64_t adreno_isa_pack(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_row *row = &adreno_isa_rows[inst->op];
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[row->layout];
    uint64_t word = row->match | (inst->ignored & layout->ignored);
    for (unsigned i = 0; i < layout->piece_count; i++)
        word |= piece_bits(row, &layout->pieces[i], inst);
    return word;
}

int adreno_isa_encode(const struct adreno_isa_inst *inst, uint64_t *word_out)
{
    if (inst->op >= ADRENO_ISA_OP_COUNT)
        return ADRENO_ISA_ERROR_ENCODE;
    uint64_t word = adreno_isa_pack(inst);
    struct adreno_isa_inst back;
    if (adreno_isa_decode(word, &back) != 0 || memcmp(&back, inst, sizeof(back)) != 0)
        return ADRENO_ISA_ERROR_ENCODE;
    *word_out = word;
    return 0;
}
