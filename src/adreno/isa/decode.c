/* Words to instructions. A word that no row fits, that two rows fit, or that has a number where the tables have none is
 * refused. */
#include <string.h>

#include "adreno/isa/isa_tables.h"

#define FLOAT_COUNT 12 /* numbers that have a place in the table of floats */

static uint32_t bits(uint64_t word, unsigned low, unsigned width)
{
    return (uint32_t)(word >> low & ((UINT64_C(1) << width) - 1));
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = UINT32_C(1) << (width - 1);
    return (int32_t)((value ^ sign) - sign);
}

static const struct adreno_isa_row *find_row(uint64_t word)
{
    const struct adreno_isa_row *found = NULL;
    unsigned category = (unsigned)(word >> 61);
    for (unsigned i = adreno_isa_categories[category]; i < adreno_isa_categories[category + 1]; i++) {
        const struct adreno_isa_row *row = &adreno_isa_rows[i];
        if ((word & row->mask) != row->match)
            continue;
        if (!found || adreno_isa_is_special_case(row, found))
            found = row;
        else if (!adreno_isa_is_special_case(found, row))
            return NULL; /* bits that one row ignores make another of it: nothing says which one it is */
    }
    return found;
}

/* ---- operands by class ---- */

static bool fill_operand(struct adreno_isa_operand *operand, enum adreno_isa_operand_kind kind, int32_t value)
{
    operand->kind = (uint8_t)kind;
    operand->value = value;
    return true;
}

static bool set_gpr(struct adreno_isa_operand *operand, uint32_t raw)
{
    if (raw & ADRENO_ISA_LAST_BIT)
        operand->flags |= ADRENO_ISA_FLAG_LAST;
    raw &= ~ADRENO_ISA_LAST_BIT;
    return raw < 256 && fill_operand(operand, ADRENO_ISA_OPERAND_GPR, (int32_t)raw);
}

static bool set_relative(struct adreno_isa_operand *operand, uint32_t raw)
{
    return fill_operand(operand, raw >> 10 & 1 ? ADRENO_ISA_OPERAND_CONST_RELATIVE : ADRENO_ISA_OPERAND_GPR_RELATIVE,
                        sign_extend(raw & 0x3ff, 10));
}

/* 14 bits: the upper three say what the others are. */
static bool set_any(struct adreno_isa_operand *operand, uint32_t raw)
{
    switch (raw >> 11) {
    case ADRENO_ISA_ANY_GPR:
        return set_gpr(operand, raw);
    case ADRENO_ISA_ANY_RELATIVE:
        return set_relative(operand, raw);
    case ADRENO_ISA_ANY_CONST:
        return fill_operand(operand, ADRENO_ISA_OPERAND_CONST, (int32_t)(raw & 0x7ff));
    case ADRENO_ISA_ANY_NUMBER:
        return fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, sign_extend(raw & 0x7ff, 11));
    case ADRENO_ISA_ANY_FLOAT:
        return (raw & 0x3ff) < FLOAT_COUNT && fill_operand(operand, ADRENO_ISA_OPERAND_FLOAT, (int32_t)(raw & 0x3ff));
    default:
        return false;
    }
}

/* 13 bits of category 3; with bit 12 they are a constant, or in some instructions a number. */
static bool set_short(struct adreno_isa_operand *operand, uint32_t raw, bool is_number)
{
    if (raw >> 12)
        return is_number ? fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)(raw & 0xfff))
                         : !(raw >> 11 & 1) && fill_operand(operand, ADRENO_ISA_OPERAND_CONST, (int32_t)(raw & 0x7ff));
    return raw >> 11 & 1 ? set_relative(operand, raw) : set_gpr(operand, raw);
}

static bool set_move(struct adreno_isa_operand *operand, uint32_t raw, int kind)
{
    switch (kind) {
    case ADRENO_ISA_MOVE_NUMBER:
        return fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)raw);
    case ADRENO_ISA_MOVE_CONST:
        return raw < 0x800 && fill_operand(operand, ADRENO_ISA_OPERAND_CONST, (int32_t)raw);
    case ADRENO_ISA_MOVE_GPR:
        return raw < 0x1000 && (raw >> 11 ? set_relative(operand, raw) : set_gpr(operand, raw));
    default:
        return false;
    }
}

static bool is_there(const struct adreno_isa_row *row, const struct adreno_isa_inst *inst, unsigned place)
{
    for (unsigned i = 0; i < row->item_count; i++) {
        if (row->items[i].place != place)
            continue;
        if (row->items[i].kind == ADRENO_ISA_ITEM_OPERAND)
            return true;
        if (row->items[i].kind == ADRENO_ISA_ITEM_OPTIONAL)
            return inst->field[ADRENO_ISA_FIELD_OFFSETS] || inst->field[ADRENO_ISA_FIELD_CLAMP];
    }
    return false;
}

static bool set_texture(struct adreno_isa_operand *operand, uint32_t raw, bool is_there)
{
    if (is_there)
        return fill_operand(operand, ADRENO_ISA_OPERAND_GPR, (int32_t)raw);
    if (operand->flags & ADRENO_ISA_FLAG_IMMEDIATE)
        return fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)raw);
    return raw == 0;
}

static bool set_operand(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                        struct adreno_isa_inst *inst, uint32_t raw)
{
    struct adreno_isa_operand *operand = &inst->operands[piece->to];
    bool is_number = operand->flags & ADRENO_ISA_FLAG_IMMEDIATE;
    switch ((enum adreno_isa_class)piece->shift) {
    case ADRENO_ISA_CLASS_GPR:
    case ADRENO_ISA_CLASS_PLAIN:
        return fill_operand(operand, ADRENO_ISA_OPERAND_GPR, (int32_t)raw);
    case ADRENO_ISA_CLASS_GPR_OR_RELATIVE:
        return fill_operand(operand,
                            operand->flags & ADRENO_ISA_FLAG_RELATIVE ? ADRENO_ISA_OPERAND_GPR_RELATIVE
                                                                      : ADRENO_ISA_OPERAND_GPR,
                            (int32_t)raw);
    case ADRENO_ISA_CLASS_PLAIN_BY_MODE:
        is_number = inst->field[ADRENO_ISA_FIELD_MODE] == 0;
        return fill_operand(operand, is_number ? ADRENO_ISA_OPERAND_NUMBER : ADRENO_ISA_OPERAND_GPR, (int32_t)raw);
    case ADRENO_ISA_CLASS_PLAIN_OR_NUMBER:
        return fill_operand(operand, is_number ? ADRENO_ISA_OPERAND_NUMBER : ADRENO_ISA_OPERAND_GPR, (int32_t)raw);
    case ADRENO_ISA_CLASS_PREDICATE:
        operand->flags |= raw & 1 ? ADRENO_ISA_FLAG_NOT : 0;
        return fill_operand(operand, ADRENO_ISA_OPERAND_PREDICATE, (int32_t)(raw >> 1));
    case ADRENO_ISA_CLASS_NUMBER:
        return fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)raw);
    case ADRENO_ISA_CLASS_MOVE:
        return set_move(operand, raw, inst->field[ADRENO_ISA_FIELD_SRC_KIND]);
    case ADRENO_ISA_CLASS_ANY:
        return set_any(operand, raw);
    case ADRENO_ISA_CLASS_SHORT_CONST:
    case ADRENO_ISA_CLASS_SHORT_NUMBER:
        return set_short(operand, raw, piece->shift == ADRENO_ISA_CLASS_SHORT_NUMBER);
    case ADRENO_ISA_CLASS_TEXTURE:
        return set_texture(operand, raw, is_there(row, inst, piece->to));
    case ADRENO_ISA_CLASS_FIBER: /* its number, or a0.x has it */
        return raw >> 7 ? raw == 0x80 && fill_operand(operand, ADRENO_ISA_OPERAND_GPR, ADRENO_ISA_REG_A0)
                        : fill_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)raw);
    case ADRENO_ISA_CLASS_CONST_PLACE:
        return fill_operand(operand, raw >> 8 ? ADRENO_ISA_OPERAND_CONST_A1 : ADRENO_ISA_OPERAND_NUMBER,
                            (int32_t)(raw & 0xff));
    case ADRENO_ISA_CLASS_COUNT:
        break;
    }
    return false;
}

/* ---- half registers ---- */

static bool is_half_type(int type)
{
    return type % 2 == 0; /* f16, u16, s16, u8 */
}

static bool is_half(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                    const struct adreno_isa_inst *inst, uint32_t raw)
{
    const int16_t *field = inst->field;
    bool is_full = adreno_isa_layouts[row->layout].flags & ADRENO_ISA_LAYOUT_FULL
                       ? field[ADRENO_ISA_FIELD_FULL]
                       : !(row->properties & ADRENO_ISA_PROP_HALF);
    switch ((enum adreno_isa_size)piece->size) {
    case ADRENO_ISA_SIZE_ALU:
        return !is_full;
    case ADRENO_ISA_SIZE_CONV:
        return is_full == field[ADRENO_ISA_FIELD_CONV] && raw < ADRENO_ISA_REG_P0;
    case ADRENO_ISA_SIZE_SRC_TYPE: /* 7 is a type of 8 bits here, and of 32 in memory */
        return is_half_type(field[ADRENO_ISA_FIELD_SRC_TYPE]) || field[ADRENO_ISA_FIELD_SRC_TYPE] == 7;
    case ADRENO_ISA_SIZE_DST_TYPE:
        return is_half_type(field[ADRENO_ISA_FIELD_DST_TYPE]) || field[ADRENO_ISA_FIELD_DST_TYPE] == 7;
    case ADRENO_ISA_SIZE_TYPE:
        return is_half_type(field[ADRENO_ISA_FIELD_TYPE]);
    case ADRENO_ISA_SIZE_WIDE:
        return !field[ADRENO_ISA_FIELD_WIDE];
    case ADRENO_ISA_SIZE_FULL:
    case ADRENO_ISA_SIZE_COUNT:
        break;
    }
    return false;
}

static bool decode_operand(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                           struct adreno_isa_inst *inst, uint64_t word)
{
    uint32_t raw = bits(word, piece->low, piece->width);
    struct adreno_isa_operand *operand = &inst->operands[piece->to];
    if (!set_operand(row, piece, inst, raw))
        return false;
    /* A float of the table has its own bit for that. */
    bool half = operand->kind == ADRENO_ISA_OPERAND_FLOAT ? raw & ADRENO_ISA_HALF_FLOAT_BIT
                                                          : operand->kind && is_half(row, piece, inst, raw);
    if (half)
        operand->flags |= ADRENO_ISA_FLAG_HALF;
    return true;
}

/* ---- the whole ---- */

static bool decode_piece(const struct adreno_isa_row *row, const struct adreno_isa_piece *piece,
                         struct adreno_isa_inst *inst, uint64_t word)
{
    if (piece->kind == ADRENO_ISA_PIECE_OPERAND)
        return decode_operand(row, piece, inst, word);
    uint32_t value = bits(word, piece->low, piece->width);
    if (piece->kind == ADRENO_ISA_PIECE_FLAG) {
        inst->operands[piece->to].flags |= (uint8_t)(value << piece->shift);
        return true;
    }
    int32_t number = piece->is_signed ? sign_extend(value, piece->width) : (int32_t)value;
    inst->field[piece->to] = (int16_t)(inst->field[piece->to] + number * (1 << piece->shift));
    return true;
}

/* Without a repeat nothing is there to step from register to register: the bits (r) of two sources are a number. */
static void decode_nop(struct adreno_isa_inst *inst)
{
    if (inst->field[ADRENO_ISA_FIELD_REPEAT])
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct adreno_isa_operand *operand = &inst->operands[ADRENO_ISA_PLACE_SRC0 + i];
        if (operand->flags & ADRENO_ISA_FLAG_R)
            inst->nop |= (uint16_t)(1 << i);
        operand->flags &= (uint8_t)~ADRENO_ISA_FLAG_R;
    }
}

static bool has_names(const struct adreno_isa_row *row, const struct adreno_isa_inst *inst)
{
    for (unsigned i = 0; i < row->suffix_count; i++) {
        const struct adreno_isa_suffix *suffix = &adreno_isa_suffixes[row->suffixes[i]];
        if (suffix->style != ADRENO_ISA_SUFFIX_NAMES)
            continue;
        int value = inst->field[suffix->field];
        if (value >= suffix->count || !suffix->texts[value])
            return false;
    }
    return true;
}

/* Bits of a texture instruction that name what it does not have. */
static bool is_resource_valid(const struct adreno_isa_row *row, const struct adreno_isa_inst *inst)
{
    int resource = inst->field[ADRENO_ISA_FIELD_RESOURCE];
    bool has_sampler = adreno_isa_row_has(row, ADRENO_ISA_ITEM_SAMPLER);
    bool has_texture = adreno_isa_row_has(row, ADRENO_ISA_ITEM_TEXTURE);
    if (!inst->field[ADRENO_ISA_FIELD_INDIRECT])
        return !inst->field[ADRENO_ISA_FIELD_BASE] && (has_sampler || !(resource & 0xf)) &&
               (has_texture || !(resource >> 4));
    switch (resource >> 8) {
    case ADRENO_ISA_RESOURCE_IMM:
        return (has_sampler || !(resource & 0xf)) && (has_texture || !(resource & 0xf0));
    case ADRENO_ISA_RESOURCE_A1_IMM:
        return has_sampler || !(resource & 0xff);
    default:
        return true;
    }
}

int adreno_isa_decode(uint64_t word, struct adreno_isa_inst *inst)
{
    const struct adreno_isa_row *row = find_row(word);
    if (!row)
        return ADRENO_ISA_ERROR_INVALID;
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[row->layout];
    memset(inst, 0, sizeof(*inst));
    inst->op = (uint16_t)(row - adreno_isa_rows);
    inst->ignored = word & layout->ignored;
    for (unsigned i = 0; i < layout->piece_count; i++) {
        if (!decode_piece(row, &layout->pieces[i], inst, word))
            return ADRENO_ISA_ERROR_INVALID;
    }
    if (row->properties & ADRENO_ISA_PROP_NOP)
        decode_nop(inst);
    if (!has_names(row, inst))
        return ADRENO_ISA_ERROR_INVALID;
    if ((layout->flags & ADRENO_ISA_LAYOUT_RESOURCE) && !is_resource_valid(row, inst))
        return ADRENO_ISA_ERROR_INVALID;
    /* An offset that is switched off must not be there. */
    if (adreno_isa_row_has(row, ADRENO_ISA_ITEM_ADDRESS_UP) && !inst->field[ADRENO_ISA_FIELD_HAS_OFFSET] &&
        inst->field[ADRENO_ISA_FIELD_OFFSET])
        return ADRENO_ISA_ERROR_INVALID;
    return 0;
}

struct adreno_isa_resource adreno_isa_resource(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_row *row = &adreno_isa_rows[inst->op];
    unsigned raw = (unsigned)inst->field[ADRENO_ISA_FIELD_RESOURCE];
    struct adreno_isa_resource resource = {
        .base = (uint8_t)inst->field[ADRENO_ISA_FIELD_BASE],
        .sampler = raw & 0xf,
        .has_sampler = adreno_isa_row_has(row, ADRENO_ISA_ITEM_SAMPLER),
        .has_texture = adreno_isa_row_has(row, ADRENO_ISA_ITEM_TEXTURE),
    };
    if (!inst->field[ADRENO_ISA_FIELD_INDIRECT]) {
        resource.texture = (uint8_t)(raw >> 4);
        return resource;
    }
    unsigned mode = raw >> 8;
    resource.texture = raw >> 4 & 0xf;
    resource.is_bindless = mode != ADRENO_ISA_RESOURCE_UNIFORM && mode != ADRENO_ISA_RESOURCE_NONUNIFORM;
    resource.has_a1 = mode == ADRENO_ISA_RESOURCE_A1_UNIFORM || mode == ADRENO_ISA_RESOURCE_A1_NONUNIFORM ||
                      mode == ADRENO_ISA_RESOURCE_A1_IMM;
    resource.is_uniform = mode == ADRENO_ISA_RESOURCE_UNIFORM || mode == ADRENO_ISA_RESOURCE_A1_UNIFORM ||
                          mode == ADRENO_ISA_RESOURCE_BINDLESS_UNIFORM;
    resource.has_register = mode < ADRENO_ISA_RESOURCE_IMM;
    resource.is_nonuniform = resource.has_register && !resource.is_uniform;
    if (resource.has_register) {
        resource.reg = raw & 0xff;
        resource.has_sampler = resource.has_texture = false;
    } else if (resource.has_a1) {
        resource.sampler = raw & 0xff; /* the texture's number is in a1.x */
        resource.has_texture = false;
    }
    return resource;
}
