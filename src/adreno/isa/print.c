/* The text of an instruction: flags, name, suffixes, operands, as the row lists them. */
#include <stdarg.h>
#include <stdio.h>

#include "adreno/isa/print_internal.h"

static const char *const type_names[] = {"f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"};

void adreno_isa_put(struct adreno_isa_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->at, (size_t)(text->end - text->at) + 1, format, arguments);
    va_end(arguments);
    text->at = length < text->end - text->at ? text->at + length : text->end;
}

/* ---- before the name ---- */

static void put_flags(struct adreno_isa_text *text, const struct adreno_isa_row *row,
                      const struct adreno_isa_inst *inst)
{
    static const struct {
        uint8_t field;
        const char *text;
    } before[] = {
        {ADRENO_ISA_FIELD_SY, "(sy)"}, {ADRENO_ISA_FIELD_SS, "(ss)"},   {ADRENO_ISA_FIELD_EQ, "(eq)"},
        {ADRENO_ISA_FIELD_JP, "(jp)"}, {ADRENO_ISA_FIELD_SAT, "(sat)"},
    };
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        if (inst->field[before[i].field])
            adreno_isa_put(text, "%s", before[i].text);
    }
    if (inst->op == ADRENO_ISA_OP_MOVMSK) {
        /* its repeat is the width, which is a suffix */
    } else if (inst->field[ADRENO_ISA_FIELD_REPEAT]) {
        adreno_isa_put(text, "(rpt%d)", inst->field[ADRENO_ISA_FIELD_REPEAT]);
    } else if ((row->properties & ADRENO_ISA_PROP_NOP) && inst->nop) {
        adreno_isa_put(text, "(nop%d) ", inst->nop);
    }
    if (inst->field[ADRENO_ISA_FIELD_UL])
        adreno_isa_put(text, "(ul)");
}

/* ---- names ---- */

/* A move of a 16-bit number to an address register has a name of its own. NULL: it is none. */
static const char *address_name(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    int type = inst->field[ADRENO_ISA_FIELD_SRC_TYPE];
    if (dst->kind != ADRENO_ISA_OPERAND_GPR || type != inst->field[ADRENO_ISA_FIELD_DST_TYPE])
        return NULL;
    if (dst->value == ADRENO_ISA_REG_A0 && type == 4)
        return "mova";
    return dst->value == ADRENO_ISA_REG_A1 && type == 2 ? "mova1" : NULL;
}

static void put_name(struct adreno_isa_text *text, const struct adreno_isa_row *row, const struct adreno_isa_inst *inst)
{
    const char *name = row->name;
    if (row->properties & ADRENO_ISA_PROP_LDC)
        name = "ldc";
    if (row->properties & ADRENO_ISA_PROP_MOV) {
        bool converts = inst->field[ADRENO_ISA_FIELD_SRC_TYPE] != inst->field[ADRENO_ISA_FIELD_DST_TYPE];
        const char *address = address_name(inst);
        name = address ? address : converts ? "cov" : "mov";
    }
    adreno_isa_put(text, "%s", name);
}

static void put_resource_suffix(struct adreno_isa_text *text, const struct adreno_isa_inst *inst)
{
    if (!inst->field[ADRENO_ISA_FIELD_INDIRECT])
        return;
    struct adreno_isa_resource resource = adreno_isa_resource(inst);
    adreno_isa_put(text, "%s%s%s", resource.has_register ? ".s2en" : "", resource.is_uniform ? ".uniform" : "",
                   resource.is_nonuniform ? ".nonuniform" : "");
    if (resource.is_bindless)
        adreno_isa_put(text, ".base%u", resource.base);
}

/* Suffixes that depend on more than one field. */
static void put_coded(struct adreno_isa_text *text, const struct adreno_isa_inst *inst, unsigned field)
{
    switch (field) {
    case ADRENO_ISA_FIELD_SRC_TYPE:
        if (inst->op != ADRENO_ISA_OP_MOV || !address_name(inst))
            adreno_isa_put(text, ".%s%s", type_names[inst->field[ADRENO_ISA_FIELD_SRC_TYPE]],
                           type_names[inst->field[ADRENO_ISA_FIELD_DST_TYPE]]);
        break;
    case ADRENO_ISA_FIELD_RESOURCE:
        put_resource_suffix(text, inst);
        break;
    case ADRENO_ISA_FIELD_BASE:
        if (inst->field[ADRENO_ISA_FIELD_BINDLESS])
            adreno_isa_put(text, ".base%d", inst->field[ADRENO_ISA_FIELD_BASE]);
        break;
    }
}

static void put_suffix(struct adreno_isa_text *text, const struct adreno_isa_inst *inst,
                       const struct adreno_isa_suffix *suffix)
{
    int value = inst->field[suffix->field];
    switch ((enum adreno_isa_suffix_style)suffix->style) {
    case ADRENO_ISA_SUFFIX_NAMES:
        adreno_isa_put(text, "%s", suffix->texts[value]);
        break;
    case ADRENO_ISA_SUFFIX_NUMBER:
        adreno_isa_put(text, "%s%d%s", suffix->texts[0], value + suffix->bias, suffix->texts[1]);
        break;
    case ADRENO_ISA_SUFFIX_LITERAL:
        adreno_isa_put(text, "%s", suffix->texts[0]);
        break;
    case ADRENO_ISA_SUFFIX_CODE:
        put_coded(text, inst, suffix->field);
        break;
    }
}

/* ---- operands ---- */

static void put_mask(struct adreno_isa_text *text, const struct adreno_isa_inst *inst)
{
    adreno_isa_put(text, "(");
    for (unsigned i = 0; i < 4; i++) {
        if (inst->field[ADRENO_ISA_FIELD_WRMASK] >> i & 1)
            adreno_isa_put(text, "%c", adreno_isa_components[i]);
    }
    adreno_isa_put(text, ")");
}

/* src1 is counted in dwords, or in units that are larger by `scale`; the offset is added before or after the shift. */
static void put_indexed(struct adreno_isa_text *text, const struct adreno_isa_inst *inst)
{
    int scale = inst->field[ADRENO_ISA_FIELD_SCALE], offset = inst->field[ADRENO_ISA_FIELD_OFFSET];
    char added[8] = "";
    if (offset)
        snprintf(added, sizeof(added), "+%d", offset & 3);
    adreno_isa_put_operand(text, inst, ADRENO_ISA_PLACE_SRC0);
    adreno_isa_put(text, scale ? "+" : "+(");
    adreno_isa_put_operand(text, inst, ADRENO_ISA_PLACE_SRC1);
    if (scale)
        adreno_isa_put(text, "<<%d%s<<2", scale + 2, added);
    else
        adreno_isa_put(text, "%s)<<2", added);
}

static void put_mov_dst(struct adreno_isa_text *text, const struct adreno_isa_inst *inst)
{
    const char *address = inst->op == ADRENO_ISA_OP_MOV ? address_name(inst) : NULL;
    if (address)
        adreno_isa_put(text, inst->operands[ADRENO_ISA_PLACE_DST].value == ADRENO_ISA_REG_A0 ? "a0.x" : "a1.x");
    else
        adreno_isa_put_operand(text, inst, ADRENO_ISA_PLACE_DST);
}

static void put_item(struct adreno_isa_text *text, const struct adreno_isa_inst *inst,
                     const struct adreno_isa_item *item)
{
    int offset = inst->field[ADRENO_ISA_FIELD_OFFSET];
    switch ((enum adreno_isa_item_kind)item->kind) {
    case ADRENO_ISA_ITEM_TARGET:
        adreno_isa_put(text, "#%d", inst->operands[item->place].value);
        break;
    case ADRENO_ISA_ITEM_TYPED:
        adreno_isa_put(text, "(%s)", type_names[inst->field[ADRENO_ISA_FIELD_TYPE]]);
        put_mask(text, inst);
        adreno_isa_put_operand(text, inst, item->place);
        break;
    case ADRENO_ISA_ITEM_MASKED:
        put_mask(text, inst);
        adreno_isa_put_operand(text, inst, item->place);
        break;
    case ADRENO_ISA_ITEM_ADDRESS:
    case ADRENO_ISA_ITEM_ADDRESS_UP:
        adreno_isa_put_operand(text, inst, item->place);
        if (offset)
            adreno_isa_put(text, "%+d", offset);
        break;
    case ADRENO_ISA_ITEM_INDEXED:
        put_indexed(text, inst);
        break;
    case ADRENO_ISA_ITEM_OFFSET:
        adreno_isa_put(text, "%d", offset);
        break;
    case ADRENO_ISA_ITEM_A1:
        adreno_isa_put(text, "a1.x");
        break;
    case ADRENO_ISA_ITEM_SIZE:
        adreno_isa_put(text, "%d", inst->field[ADRENO_ISA_FIELD_SIZE]);
        break;
    default:
        if (item->place == ADRENO_ISA_PLACE_DST)
            put_mov_dst(text, inst);
        else
            adreno_isa_put_operand(text, inst, item->place);
        break;
    }
}

/* Texture and sampler, after all else. */
static void put_resource(struct adreno_isa_text *text, const struct adreno_isa_inst *inst)
{
    struct adreno_isa_resource resource = adreno_isa_resource(inst);
    if (resource.has_register) {
        const char *file = resource.reg >> 2 == ADRENO_ISA_REG_A0 >> 2   ? "a0"
                           : resource.reg >> 2 == ADRENO_ISA_REG_P0 >> 2 ? "p0"
                                                                         : NULL;
        adreno_isa_put(text, ", %s", resource.is_bindless ? "" : "h");
        if (file)
            adreno_isa_put(text, "%s", file);
        else
            adreno_isa_put(text, "r%d", resource.reg >> 2);
        adreno_isa_put(text, ".%c", adreno_isa_components[resource.reg & 3]);
    }
    if (resource.has_sampler)
        adreno_isa_put(text, ", s#%u", resource.sampler);
    if (resource.has_texture)
        adreno_isa_put(text, ", t#%u", resource.texture);
    if (resource.has_a1)
        adreno_isa_put(text, ", a1.x");
}

/* Whether the item is written at all. An immediate in place of a texture's offsets continues the operand before it. */
static bool is_written(struct adreno_isa_text *text, const struct adreno_isa_inst *inst,
                       const struct adreno_isa_item *item)
{
    const struct adreno_isa_operand *operand = &inst->operands[item->place];
    if (item->kind == ADRENO_ISA_ITEM_SAMPLER || item->kind == ADRENO_ISA_ITEM_TEXTURE)
        return false;
    if (item->kind != ADRENO_ISA_ITEM_OPTIONAL)
        return true;
    if (operand->kind == ADRENO_ISA_OPERAND_NUMBER && operand->value)
        adreno_isa_put(text, "+%d", operand->value);
    return operand->kind == ADRENO_ISA_OPERAND_GPR;
}

static void put_operands(struct adreno_isa_text *text, const struct adreno_isa_row *row,
                         const struct adreno_isa_inst *inst)
{
    static const char *const rounds[] = {"", "(even)", "(pos_infinity)", "(neg_infinity)"};
    for (unsigned i = 0; i < row->item_count; i++) {
        const struct adreno_isa_item *item = &row->items[i];
        if (!is_written(text, inst, item))
            continue;
        adreno_isa_put(text, i ? ", " : " ");
        if (i == 0)
            adreno_isa_put(text, "%s%s", inst->field[ADRENO_ISA_FIELD_EI] ? "(ei)" : "",
                           rounds[inst->field[ADRENO_ISA_FIELD_ROUND]]);
        if (item->bracket)
            adreno_isa_put(text, "%c[", item->bracket);
        put_item(text, inst, item);
        if (item->bracket)
            adreno_isa_put(text, "]");
    }
    if (adreno_isa_layouts[row->layout].flags & ADRENO_ISA_LAYOUT_RESOURCE)
        put_resource(text, inst);
}

unsigned adreno_isa_print(const struct adreno_isa_inst *inst, char text_out[ADRENO_ISA_MAX_TEXT])
{
    const struct adreno_isa_row *row = &adreno_isa_rows[inst->op];
    struct adreno_isa_text text = {text_out, text_out + ADRENO_ISA_MAX_TEXT - 1};
    put_flags(&text, row, inst);
    put_name(&text, row, inst);
    for (unsigned i = 0; i < row->suffix_count; i++)
        put_suffix(&text, inst, &adreno_isa_suffixes[row->suffixes[i]]);
    put_operands(&text, row, inst);
    *text.at = '\0';
    return (unsigned)(text.at - text_out);
}

const char *adreno_isa_name(unsigned op)
{
    return op < ADRENO_ISA_OP_COUNT ? adreno_isa_rows[op].name : NULL;
}
