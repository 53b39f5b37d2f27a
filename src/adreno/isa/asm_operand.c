/* Operands out of text. What their sizes mean for the instruction the assembler finds out by trying (asm.c). */
#include <stdlib.h>

#include "adreno/isa/asm_internal.h"
#include "util/half.h"

static const char *const types[] = {"f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"};
static const char *const floats[] = {"0.0",  "0.5",       "1.0",     "2.0",        "e",        "pi",
                                     "1/pi", "1/log2(e)", "log2(e)", "1/log2(10)", "log2(10)", "4.0"};

bool adreno_isa_take_number(struct adreno_isa_reader *reader, int64_t *value_out)
{
    char *end;
    *value_out = strtoll(reader->at, &end, 0);
    /* No field has more bits; the sums of those who ask must not overflow. */
    const int64_t limit = INT64_C(1) << 48;
    bool is_number = end != reader->at && *reader->at != ' ' && *value_out > -limit && *value_out < limit;
    reader->at = is_number ? end : reader->at;
    return is_number;
}

int adreno_isa_take_type(struct adreno_isa_reader *reader)
{
    for (int i = 7; i >= 0; i--) { /* u8_32 before u8 */
        if (adreno_isa_take(reader, types[i]))
            return i;
    }
    return -1;
}

static const struct adreno_isa_piece *piece_of(const struct adreno_isa_inst *inst, unsigned place)
{
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[adreno_isa_rows[inst->op].layout];
    for (unsigned i = 0; i < layout->piece_count; i++) {
        if (layout->pieces[i].kind == ADRENO_ISA_PIECE_OPERAND && layout->pieces[i].to == place)
            return &layout->pieces[i];
    }
    return NULL;
}

static bool set_operand(struct adreno_isa_operand *operand, enum adreno_isa_operand_kind kind, int64_t value)
{
    operand->kind = (uint8_t)kind;
    operand->value = (int32_t)value;
    return true;
}

static void take_flags(struct adreno_isa_reader *reader, struct adreno_isa_operand *operand)
{
    static const struct {
        const char *text;
        unsigned flags;
    } flags[] = {{"(last)", ADRENO_ISA_FLAG_LAST}, {"(neg)", ADRENO_ISA_FLAG_NEG},
                 {"(abs)", ADRENO_ISA_FLAG_ABS},   {"(absneg)", ADRENO_ISA_FLAG_NEG | ADRENO_ISA_FLAG_ABS},
                 {"(r)", ADRENO_ISA_FLAG_R},       {"!", ADRENO_ISA_FLAG_NOT}};
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (adreno_isa_take(reader, flags[i].text)) {
            operand->flags |= (uint8_t)flags[i].flags;
            i = UINT32_MAX; /* in any order */
        }
    }
}

/* ".x" after a register's number. */
static bool take_component(struct adreno_isa_reader *reader, int64_t *component_out)
{
    static const char components[] = "xyzw";
    if (reader->at[0] != '.' || !reader->at[1] || !strchr(components, reader->at[1]))
        return false;
    *component_out = strchr(components, reader->at[1]) - components;
    reader->at += 2;
    return true;
}

static bool take_relative(struct adreno_isa_reader *reader, struct adreno_isa_operand *operand, bool is_const)
{
    int64_t offset = 0;
    if (adreno_isa_take(reader, " + ") && !adreno_isa_take_number(reader, &offset))
        return false;
    return adreno_isa_take(reader, ">") &&
           set_operand(operand, is_const ? ADRENO_ISA_OPERAND_CONST_RELATIVE : ADRENO_ISA_OPERAND_GPR_RELATIVE, offset);
}

static bool take_register(struct adreno_isa_reader *reader, struct adreno_isa_operand *operand,
                          enum adreno_isa_class operand_class)
{
    int64_t number, component;
    if (adreno_isa_take(reader, "r<a0.x"))
        return take_relative(reader, operand, false);
    if (adreno_isa_take(reader, "c<a0.x"))
        return take_relative(reader, operand, true);
    const char file = *reader->at;
    if (operand_class == ADRENO_ISA_CLASS_CONST_PLACE && adreno_isa_take(reader, "a1.x")) {
        number = 0;
        if (*reader->at == '+' && !adreno_isa_take_number(reader, &number))
            return false;
        return set_operand(operand, ADRENO_ISA_OPERAND_CONST_A1, number);
    }
    if (file == 'r' || file == 'c') {
        reader->at++;
        if (!adreno_isa_take_number(reader, &number) || !take_component(reader, &component))
            return false;
        return set_operand(operand, file == 'r' ? ADRENO_ISA_OPERAND_GPR : ADRENO_ISA_OPERAND_CONST,
                           number * 4 + component);
    }
    if (adreno_isa_take(reader, "p0"))
        return take_component(reader, &component) &&
               (operand_class == ADRENO_ISA_CLASS_PREDICATE
                    ? set_operand(operand, ADRENO_ISA_OPERAND_PREDICATE, component)
                    : set_operand(operand, ADRENO_ISA_OPERAND_GPR, ADRENO_ISA_REG_P0 + component));
    if (adreno_isa_take(reader, "a1.x"))
        return set_operand(operand, ADRENO_ISA_OPERAND_GPR, ADRENO_ISA_REG_A1);
    return adreno_isa_take(reader, "a0") && take_component(reader, &component) &&
           set_operand(operand, ADRENO_ISA_OPERAND_GPR, ADRENO_ISA_REG_A0 + component);
}

/* "(pi)", or of mov any float. */
static bool take_float(struct adreno_isa_reader *reader, const struct adreno_isa_inst *inst,
                       struct adreno_isa_operand *operand, enum adreno_isa_class operand_class)
{
    int64_t number;
    if (operand_class == ADRENO_ISA_CLASS_MOVE) {
        char *end;
        float value = strtof(reader->at, &end);
        uint32_t bits;
        memcpy(&bits, &value, sizeof(bits));
        reader->at = end;
        bits = inst->field[ADRENO_ISA_FIELD_SRC_TYPE] == 0 ? float_to_half_rtne(value) : bits;
        return adreno_isa_take(reader, ")") && set_operand(operand, ADRENO_ISA_OPERAND_NUMBER, (int32_t)bits);
    }
    for (unsigned i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        struct adreno_isa_reader ahead = *reader;
        if (adreno_isa_take(&ahead, floats[i]) && adreno_isa_take(&ahead, ")")) {
            *reader = ahead;
            return set_operand(operand, ADRENO_ISA_OPERAND_FLOAT, i);
        }
    }
    return adreno_isa_take_number(reader, &number) && adreno_isa_take(reader, ")") &&
           set_operand(operand, ADRENO_ISA_OPERAND_NUMBER, number);
}

bool adreno_isa_take_operand(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst, unsigned place)
{
    const struct adreno_isa_piece *piece = piece_of(inst, place);
    struct adreno_isa_operand *operand = &inst->operands[place];
    int64_t number;
    if (!piece)
        return false;
    take_flags(reader, operand);
    if (*reader->at == 'h') {
        operand->flags |= ADRENO_ISA_FLAG_HALF;
        reader->at++;
    }
    if (adreno_isa_take(reader, "("))
        return take_float(reader, inst, operand, (enum adreno_isa_class)piece->shift);
    if (strchr("rcap", *reader->at) && *reader->at)
        return take_register(reader, operand, (enum adreno_isa_class)piece->shift);
    operand->flags |= piece->shift == ADRENO_ISA_CLASS_PLAIN_OR_NUMBER ? ADRENO_ISA_FLAG_IMMEDIATE : 0;
    return adreno_isa_take_number(reader, &number) && set_operand(operand, ADRENO_ISA_OPERAND_NUMBER, number);
}
