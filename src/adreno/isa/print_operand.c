/* The text of one operand. */
#include <string.h>

#include "adreno/isa/print_internal.h"
#include "util/half.h"

const char adreno_isa_components[4] = {'x', 'y', 'z', 'w'};

/* The table of floats that an operand can name. */
static const char *const floats[] = {"0.0",  "0.5",       "1.0",     "2.0",        "e",        "pi",
                                     "1/pi", "1/log2(e)", "log2(e)", "1/log2(10)", "log2(10)", "4.0"};

static const struct adreno_isa_piece *piece_of(const struct adreno_isa_inst *inst, unsigned place)
{
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[adreno_isa_rows[inst->op].layout];
    for (unsigned i = 0; i < layout->piece_count; i++) {
        if (layout->pieces[i].kind == ADRENO_ISA_PIECE_OPERAND && layout->pieces[i].to == place)
            return &layout->pieces[i];
    }
    return NULL;
}

/* Operands of memory instructions that may be other things than registers know no names but r. */
static bool is_plain(enum adreno_isa_class operand_class)
{
    return operand_class == ADRENO_ISA_CLASS_PLAIN || operand_class == ADRENO_ISA_CLASS_PLAIN_OR_NUMBER ||
           operand_class == ADRENO_ISA_CLASS_PLAIN_BY_MODE;
}

static void put_gpr(struct adreno_isa_text *text, int reg, bool plain)
{
    char component = adreno_isa_components[reg & 3];
    if (!plain && reg >> 2 == ADRENO_ISA_REG_A0 >> 2)
        adreno_isa_put(text, "a0.%c", component);
    else if (!plain && reg >> 2 == ADRENO_ISA_REG_P0 >> 2)
        adreno_isa_put(text, "p0.%c", component);
    else
        adreno_isa_put(text, "r%d.%c", reg >> 2, component);
}

static void put_relative(struct adreno_isa_text *text, char file, int offset, bool shows_zero)
{
    if (offset || shows_zero)
        adreno_isa_put(text, "%c<a0.x + %d>", file, offset);
    else
        adreno_isa_put(text, "%c<a0.x>", file);
}

/* mov's immediate is written as its source type. */
static void put_typed_number(struct adreno_isa_text *text, int type, uint32_t value)
{
    float number;
    switch (type) {
    case 0:
        adreno_isa_put(text, "h(%f)", (double)half_to_float((uint16_t)value));
        break;
    case 1:
        memcpy(&number, &value, sizeof(number));
        adreno_isa_put(text, "(%f)", (double)number);
        break;
    case 3:
        adreno_isa_put(text, value > 0x1000 ? "0x%x" : "%u", value);
        break;
    case 4:
        adreno_isa_put(text, "%d", (int16_t)value);
        break;
    case 5:
        adreno_isa_put(text, "%d", (int32_t)value);
        break;
    default:
        adreno_isa_put(text, "%u", value);
        break;
    }
}

static void put_number(struct adreno_isa_text *text, const struct adreno_isa_inst *inst,
                       enum adreno_isa_class operand_class, const struct adreno_isa_operand *operand)
{
    if (operand_class == ADRENO_ISA_CLASS_MOVE)
        put_typed_number(text, inst->field[ADRENO_ISA_FIELD_SRC_TYPE], (uint32_t)operand->value);
    else if (operand_class == ADRENO_ISA_CLASS_ANY && (operand->flags & ADRENO_ISA_FLAG_HALF))
        adreno_isa_put(text, "h(%d)", operand->value);
    else
        adreno_isa_put(text, "%d", operand->value);
}

static void put_flags(struct adreno_isa_text *text, const struct adreno_isa_operand *operand, bool shows_r)
{
    unsigned sign = operand->flags & (ADRENO_ISA_FLAG_NEG | ADRENO_ISA_FLAG_ABS);
    if (operand->flags & ADRENO_ISA_FLAG_LAST)
        adreno_isa_put(text, "(last)");
    if (sign == (ADRENO_ISA_FLAG_NEG | ADRENO_ISA_FLAG_ABS))
        adreno_isa_put(text, "(absneg)");
    else if (sign)
        adreno_isa_put(text, sign == ADRENO_ISA_FLAG_NEG ? "(neg)" : "(abs)");
    if ((operand->flags & ADRENO_ISA_FLAG_R) && shows_r)
        adreno_isa_put(text, "(r)");
    if (operand->flags & ADRENO_ISA_FLAG_NOT)
        adreno_isa_put(text, "!");
}

/* Category 3 has its signs outside the operand, before the mark of its last use. */
static void put_short_flags(struct adreno_isa_text *text, const struct adreno_isa_operand *operand, bool shows_r)
{
    if (operand->flags & ADRENO_ISA_FLAG_NEG)
        adreno_isa_put(text, "(neg)");
    if ((operand->flags & ADRENO_ISA_FLAG_R) && shows_r)
        adreno_isa_put(text, "(r)");
    if (operand->flags & ADRENO_ISA_FLAG_LAST)
        adreno_isa_put(text, "(last)");
}

void adreno_isa_put_operand(struct adreno_isa_text *text, const struct adreno_isa_inst *inst, unsigned place)
{
    const struct adreno_isa_operand *operand = &inst->operands[place];
    enum adreno_isa_class operand_class = (enum adreno_isa_class)piece_of(inst, place)->shift;
    bool is_short = operand_class == ADRENO_ISA_CLASS_SHORT_CONST || operand_class == ADRENO_ISA_CLASS_SHORT_NUMBER;
    if (is_short)
        put_short_flags(text, operand, !inst->nop);
    else
        put_flags(text, operand,
                  !(operand_class == ADRENO_ISA_CLASS_MOVE && operand->kind == ADRENO_ISA_OPERAND_NUMBER));
    bool has_size = operand->kind != ADRENO_ISA_OPERAND_NUMBER;
    if (has_size && (operand->flags & ADRENO_ISA_FLAG_HALF))
        adreno_isa_put(text, "h");

    switch ((enum adreno_isa_operand_kind)operand->kind) {
    case ADRENO_ISA_OPERAND_GPR:
        put_gpr(text, operand->value, is_plain(operand_class));
        break;
    case ADRENO_ISA_OPERAND_CONST:
        adreno_isa_put(text, "c%d.%c", operand->value >> 2, adreno_isa_components[operand->value & 3]);
        break;
    case ADRENO_ISA_OPERAND_GPR_RELATIVE:
        put_relative(text, 'r', operand->value, is_short);
        break;
    case ADRENO_ISA_OPERAND_CONST_RELATIVE:
        put_relative(text, 'c', operand->value, is_short);
        break;
    case ADRENO_ISA_OPERAND_NUMBER:
        put_number(text, inst, operand_class, operand);
        break;
    case ADRENO_ISA_OPERAND_FLOAT:
        adreno_isa_put(text, "(%s)", floats[operand->value]);
        break;
    case ADRENO_ISA_OPERAND_PREDICATE:
        adreno_isa_put(text, "p0.%c", adreno_isa_components[operand->value]);
        break;
    case ADRENO_ISA_OPERAND_CONST_A1:
        adreno_isa_put(text, "a1.x");
        if (operand->value)
            adreno_isa_put(text, "+%d", operand->value);
        break;
    case ADRENO_ISA_OPERAND_NONE:
        break;
    }
}
