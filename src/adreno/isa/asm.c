/* The assembler: text that adreno_isa_print writes to words. Each row whose name begins the text reads it by its
 * suffixes and items; bits that no text shows (the size of sources, whether an offset is there) are tried. A word
 * counts whose own text is the one given: so there is one place that knows what is valid, the decoder, and one that
 * knows how it is written. */
#include <stdio.h>
#include <stdlib.h>

#include "adreno/isa/asm_internal.h"

/* ---- before the name ---- */

static void take_flags(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst)
{
    static const struct {
        uint8_t field;
        const char *text;
    } flags[] = {{ADRENO_ISA_FIELD_SY, "(sy)"}, {ADRENO_ISA_FIELD_SS, "(ss)"},   {ADRENO_ISA_FIELD_EQ, "(eq)"},
                 {ADRENO_ISA_FIELD_JP, "(jp)"}, {ADRENO_ISA_FIELD_SAT, "(sat)"}, {ADRENO_ISA_FIELD_UL, "(ul)"}};
    for (;;) {
        const char *before = reader->at;
        int64_t number;
        for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
            if (adreno_isa_take(reader, flags[i].text))
                inst->field[flags[i].field] = 1;
        }
        if (adreno_isa_take(reader, "(rpt") && adreno_isa_take_number(reader, &number) && adreno_isa_take(reader, ")"))
            inst->field[ADRENO_ISA_FIELD_REPEAT] = (int16_t)number;
        if (adreno_isa_take(reader, "(nop") && adreno_isa_take_number(reader, &number) && adreno_isa_take(reader, ")"))
            inst->nop = (uint16_t)number;
        adreno_isa_take(reader, " ");
        if (reader->at == before)
            return;
    }
}

/* ---- names and suffixes ---- */

static bool take_name(struct adreno_isa_reader *reader, const struct adreno_isa_row *row, struct adreno_isa_inst *inst)
{
    if (row->properties & ADRENO_ISA_PROP_LDC)
        return adreno_isa_take(reader, "ldc");
    if (!(row->properties & ADRENO_ISA_PROP_MOV))
        return adreno_isa_take(reader, row->name);
    if (adreno_isa_take(reader, "mova1"))
        inst->field[ADRENO_ISA_FIELD_SRC_TYPE] = inst->field[ADRENO_ISA_FIELD_DST_TYPE] = 2;
    else if (adreno_isa_take(reader, "mova"))
        inst->field[ADRENO_ISA_FIELD_SRC_TYPE] = inst->field[ADRENO_ISA_FIELD_DST_TYPE] = 4;
    else
        return adreno_isa_take(reader, "mov.") || adreno_isa_take(reader, "cov.");
    return true;
}

/* A suffix ends where the next one or an operand begins: .s is not the beginning of .s2en. */
static bool suffix_fits(const char *at, const char *text)
{
    const size_t length = strlen(text);
    return strncmp(at, text, length) == 0 && (!length || at[length] == '.' || at[length] == ' ' || !at[length]);
}

/* The longest text that fits; none is a value of its own where there is one. */
static bool take_names(struct adreno_isa_reader *reader, const struct adreno_isa_suffix *suffix,
                       struct adreno_isa_inst *inst)
{
    int best = -1;
    for (int i = 0; i < suffix->count; i++) {
        if (suffix->texts[i] && suffix_fits(reader->at, suffix->texts[i]) &&
            (best < 0 || strlen(suffix->texts[i]) > strlen(suffix->texts[best])))
            best = i;
    }
    if (best < 0)
        return false;
    reader->at += strlen(suffix->texts[best]);
    inst->field[suffix->field] = (int16_t)best;
    return true;
}

static bool take_base(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst)
{
    int64_t number;
    if (!adreno_isa_take(reader, ".base"))
        return false;
    if (!adreno_isa_take_number(reader, &number))
        return false;
    inst->field[ADRENO_ISA_FIELD_BASE] = (int16_t)number;
    return true;
}

/* Where texture and sampler come from: what is here and what follows the operands say it together; see
 * take_resource. */
struct resource {
    bool has_register, is_uniform, is_nonuniform, has_base;
};

static bool take_coded(struct adreno_isa_reader *reader, unsigned field, struct adreno_isa_inst *inst,
                       struct resource *resource)
{
    switch (field) {
    case ADRENO_ISA_FIELD_SRC_TYPE: {
        if (inst->op == ADRENO_ISA_OP_MOV && inst->field[ADRENO_ISA_FIELD_SRC_TYPE])
            return true; /* mova */
        adreno_isa_take(reader, ".");
        int from = adreno_isa_take_type(reader), to = adreno_isa_take_type(reader);
        inst->field[ADRENO_ISA_FIELD_SRC_TYPE] = (int16_t)from;
        inst->field[ADRENO_ISA_FIELD_DST_TYPE] = (int16_t)to;
        return from >= 0 && to >= 0;
    }
    case ADRENO_ISA_FIELD_RESOURCE:
        resource->has_register = adreno_isa_take(reader, ".s2en");
        resource->is_uniform = adreno_isa_take(reader, ".uniform");
        resource->is_nonuniform = adreno_isa_take(reader, ".nonuniform");
        resource->has_base = take_base(reader, inst);
        return true;
    default:
        inst->field[ADRENO_ISA_FIELD_BINDLESS] = take_base(reader, inst);
        return true;
    }
}

static bool take_suffix(struct adreno_isa_reader *reader, const struct adreno_isa_suffix *suffix,
                        struct adreno_isa_inst *inst, struct resource *resource)
{
    int64_t number;
    switch ((enum adreno_isa_suffix_style)suffix->style) {
    case ADRENO_ISA_SUFFIX_NAMES:
        return take_names(reader, suffix, inst);
    case ADRENO_ISA_SUFFIX_NUMBER:
        if (!adreno_isa_take(reader, suffix->texts[0]) || !adreno_isa_take_number(reader, &number))
            return false;
        inst->field[suffix->field] = (int16_t)(number - suffix->bias);
        return adreno_isa_take(reader, suffix->texts[1]);
    case ADRENO_ISA_SUFFIX_LITERAL:
        return adreno_isa_take(reader, suffix->texts[0]);
    case ADRENO_ISA_SUFFIX_CODE:
        return take_coded(reader, suffix->field, inst, resource);
    }
    return false;
}

/* ---- operands ---- */

static bool take_mask(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst)
{
    if (!adreno_isa_take(reader, "("))
        return false;
    for (int i = 0; i < 4; i++) {
        const char component[2] = {"xyzw"[i], 0};
        if (adreno_isa_take(reader, component))
            inst->field[ADRENO_ISA_FIELD_WRMASK] |= (int16_t)(1 << i);
    }
    return adreno_isa_take(reader, ")");
}

static bool take_offset(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst)
{
    int64_t number;
    if (*reader->at != '+' && *reader->at != '-')
        return true;
    inst->field[ADRENO_ISA_FIELD_HAS_OFFSET] = 1;
    if (!adreno_isa_take_number(reader, &number))
        return false;
    inst->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)number;
    return true;
}

static bool take_indexed(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst)
{
    int64_t number;
    if (!adreno_isa_take_operand(reader, inst, ADRENO_ISA_PLACE_SRC0) || !adreno_isa_take(reader, "+"))
        return false;
    if (adreno_isa_take(reader, "("))
        return adreno_isa_take_operand(reader, inst, ADRENO_ISA_PLACE_SRC1) && take_offset(reader, inst) &&
               adreno_isa_take(reader, ")<<2");
    if (!adreno_isa_take_operand(reader, inst, ADRENO_ISA_PLACE_SRC1) || !adreno_isa_take(reader, "<<") ||
        !adreno_isa_take_number(reader, &number))
        return false;
    inst->field[ADRENO_ISA_FIELD_SCALE] = (int16_t)(number - 2);
    return take_offset(reader, inst) && adreno_isa_take(reader, "<<2");
}

static bool take_item(struct adreno_isa_reader *reader, const struct adreno_isa_item *item,
                      struct adreno_isa_inst *inst)
{
    int64_t number;
    switch ((enum adreno_isa_item_kind)item->kind) {
    case ADRENO_ISA_ITEM_TARGET:
        adreno_isa_take(reader, "#");
        if (!adreno_isa_take_number(reader, &number))
            return false;
        inst->operands[item->place] =
            (struct adreno_isa_operand){.kind = ADRENO_ISA_OPERAND_NUMBER, .value = (int32_t)number};
        return true;
    case ADRENO_ISA_ITEM_TYPED:
        if (!adreno_isa_take(reader, "("))
            return false;
        number = adreno_isa_take_type(reader);
        inst->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)number;
        return number >= 0 && adreno_isa_take(reader, ")") && take_mask(reader, inst) &&
               adreno_isa_take_operand(reader, inst, item->place);
    case ADRENO_ISA_ITEM_MASKED: /* its type is not written; floats as large as the register */
        if (!take_mask(reader, inst) || !adreno_isa_take_operand(reader, inst, item->place))
            return false;
        inst->field[ADRENO_ISA_FIELD_TYPE] = !(inst->operands[item->place].flags & ADRENO_ISA_FLAG_HALF);
        return true;
    case ADRENO_ISA_ITEM_ADDRESS:
    case ADRENO_ISA_ITEM_ADDRESS_UP:
        return adreno_isa_take_operand(reader, inst, item->place) && take_offset(reader, inst);
    case ADRENO_ISA_ITEM_INDEXED:
        return take_indexed(reader, inst);
    case ADRENO_ISA_ITEM_OFFSET:
        if (!adreno_isa_take_number(reader, &number))
            return false;
        inst->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)number;
        return true;
    case ADRENO_ISA_ITEM_A1:
        return adreno_isa_take(reader, "a1.x");
    case ADRENO_ISA_ITEM_SIZE:
        if (!adreno_isa_take_number(reader, &number))
            return false;
        inst->field[ADRENO_ISA_FIELD_SIZE] = (int16_t)number;
        return true;
    default:
        return adreno_isa_take_operand(reader, inst, item->place);
    }
}

/* An operand that may be missing: an immediate that continues the one before it, or a register where offsets or a
 * least level are. */
static bool take_optional(struct adreno_isa_reader *reader, const struct adreno_isa_row *row,
                          const struct adreno_isa_item *item, struct adreno_isa_inst *inst)
{
    int64_t number;
    struct adreno_isa_operand *operand = &inst->operands[item->place];
    if (*reader->at == '+') {
        if (!adreno_isa_take_number(reader, &number))
            return false;
        *operand = (struct adreno_isa_operand){
            .kind = ADRENO_ISA_OPERAND_NUMBER, .flags = ADRENO_ISA_FLAG_IMMEDIATE, .value = (int32_t)number};
        return true;
    }
    const bool has_resource = adreno_isa_layouts[row->layout].flags & ADRENO_ISA_LAYOUT_RESOURCE;
    const bool is_said = inst->field[ADRENO_ISA_FIELD_OFFSETS] || inst->field[ADRENO_ISA_FIELD_CLAMP];
    if (has_resource ? !is_said : *reader->at != ',')
        return true;
    inst->field[ADRENO_ISA_FIELD_OFFSETS] |= !is_said;
    adreno_isa_take(reader, reader->at[0] == ',' ? ", " : " ");
    return adreno_isa_take_operand(reader, inst, item->place);
}

/* Texture and sampler after the operands, and the field that says where they are. */
static bool take_resource(struct adreno_isa_reader *reader, const struct resource *suffix, struct adreno_isa_inst *inst)
{
    int64_t reg = 0, component = 0, sampler = 0, texture = 0;
    if (suffix->has_register || suffix->is_uniform || suffix->is_nonuniform) {
        if (!adreno_isa_take(reader, ", "))
            return false;
        adreno_isa_take(reader, "h");
        if (adreno_isa_take(reader, "a0"))
            reg = ADRENO_ISA_REG_A0 / 4;
        else if (adreno_isa_take(reader, "p0"))
            reg = ADRENO_ISA_REG_P0 / 4;
        else if (!adreno_isa_take(reader, "r") || !adreno_isa_take_number(reader, &reg))
            return false;
        if (reader->at[0] != '.' || !reader->at[1] || !strchr("xyzw", reader->at[1]))
            return false;
        component = strchr("xyzw", reader->at[1]) - "xyzw";
        reader->at += 2;
    }
    if (adreno_isa_take(reader, ", s#") && !adreno_isa_take_number(reader, &sampler))
        return false;
    if (adreno_isa_take(reader, ", t#") && !adreno_isa_take_number(reader, &texture))
        return false;
    const bool has_a1 = adreno_isa_take(reader, ", a1.x");
    int64_t value = texture << 4 | sampler;
    if (suffix->has_register || suffix->has_base) {
        unsigned mode = ADRENO_ISA_RESOURCE_IMM;
        if (suffix->has_register && has_a1)
            mode = suffix->is_uniform ? ADRENO_ISA_RESOURCE_A1_UNIFORM : ADRENO_ISA_RESOURCE_A1_NONUNIFORM;
        else if (suffix->has_register && suffix->has_base)
            mode = suffix->is_uniform ? ADRENO_ISA_RESOURCE_BINDLESS_UNIFORM : ADRENO_ISA_RESOURCE_BINDLESS_NONUNIFORM;
        else if (suffix->has_register)
            mode = suffix->is_uniform ? ADRENO_ISA_RESOURCE_UNIFORM : ADRENO_ISA_RESOURCE_NONUNIFORM;
        else if (has_a1)
            mode = ADRENO_ISA_RESOURCE_A1_IMM;
        inst->field[ADRENO_ISA_FIELD_INDIRECT] = 1;
        value = (int64_t)mode << 8 | (suffix->has_register ? reg * 4 + component : value);
    }
    inst->field[ADRENO_ISA_FIELD_RESOURCE] = (int16_t)value;
    return true;
}

static bool take_operands(struct adreno_isa_reader *reader, const struct adreno_isa_row *row,
                          struct adreno_isa_inst *inst, const struct resource *resource)
{
    static const char *const rounds[] = {"(even)", "(pos_infinity)", "(neg_infinity)"};
    bool is_first = true;
    for (unsigned i = 0; i < row->item_count; i++) {
        const struct adreno_isa_item *item = &row->items[i];
        if (item->kind == ADRENO_ISA_ITEM_SAMPLER || item->kind == ADRENO_ISA_ITEM_TEXTURE)
            continue;
        if (item->kind == ADRENO_ISA_ITEM_OPTIONAL) {
            if (!take_optional(reader, row, item, inst))
                return false;
            continue;
        }
        if (!adreno_isa_take(reader, is_first ? " " : ", "))
            return false;
        for (unsigned n = 0; n < 3 && is_first; n++) {
            if (adreno_isa_take(reader, "(ei)"))
                inst->field[ADRENO_ISA_FIELD_EI] = 1;
            if (adreno_isa_take(reader, rounds[n]))
                inst->field[ADRENO_ISA_FIELD_ROUND] = (int16_t)(n + 1);
        }
        is_first = false;
        const char bracket[3] = {item->bracket, '[', 0};
        if (item->bracket && !adreno_isa_take(reader, bracket))
            return false;
        if (!take_item(reader, item, inst) || (item->bracket && !adreno_isa_take(reader, "]")))
            return false;
    }
    return !(adreno_isa_layouts[row->layout].flags & ADRENO_ISA_LAYOUT_RESOURCE) ||
           take_resource(reader, resource, inst);
}

/* ---- a line ---- */

/* Bits that the text does not show, tried in all combinations. */
static const uint8_t hidden[] = {ADRENO_ISA_FIELD_FULL, ADRENO_ISA_FIELD_CONV, ADRENO_ISA_FIELD_WIDE,
                                 ADRENO_ISA_FIELD_HAS_OFFSET};

static bool has_field(const struct adreno_isa_row *row, unsigned field)
{
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[row->layout];
    for (unsigned i = 0; i < layout->piece_count; i++) {
        if (layout->pieces[i].kind == ADRENO_ISA_PIECE_FIELD && layout->pieces[i].to == field)
            return true;
    }
    return false;
}

static void set_move_kind(struct adreno_isa_inst *inst)
{
    const unsigned kind = inst->operands[ADRENO_ISA_PLACE_SRC0].kind;
    inst->field[ADRENO_ISA_FIELD_SRC_KIND] = kind == ADRENO_ISA_OPERAND_CONST    ? ADRENO_ISA_MOVE_CONST
                                             : kind == ADRENO_ISA_OPERAND_NUMBER ? ADRENO_ISA_MOVE_NUMBER
                                                                                 : ADRENO_ISA_MOVE_GPR;
    if (kind == ADRENO_ISA_OPERAND_NUMBER && inst->field[ADRENO_ISA_FIELD_SRC_TYPE] == 4)
        inst->operands[ADRENO_ISA_PLACE_SRC0].value &= 0xffff; /* s16 */
}

static bool find_word(const struct adreno_isa_row *row, const struct adreno_isa_inst *parsed, const char *text,
                      uint64_t *word_out)
{
    /* Stores have the bit of an offset whether there is one or not, unless it is forbidden. */
    const bool is_signed =
        adreno_isa_row_has(row, ADRENO_ISA_ITEM_ADDRESS) || adreno_isa_row_has(row, ADRENO_ISA_ITEM_INDEXED);
    const unsigned first = is_signed && has_field(row, ADRENO_ISA_FIELD_HAS_OFFSET) ? 8 : 0;
    for (unsigned n = 0; n < 1u << sizeof(hidden); n++) {
        const unsigned tries = n ^ first;
        struct adreno_isa_inst inst = *parsed, back;
        bool is_tried = false;
        for (unsigned i = 0; i < sizeof(hidden); i++) {
            if (has_field(row, hidden[i]))
                inst.field[hidden[i]] = tries >> i & 1;
            else
                is_tried |= tries >> i & 1;
        }
        char own[ADRENO_ISA_MAX_TEXT];
        uint64_t word = adreno_isa_pack(&inst);
        if (is_tried || adreno_isa_decode(word, &back) != 0)
            continue;
        adreno_isa_print(&back, own);
        if (strcmp(own, text) == 0) {
            *word_out = word;
            return true;
        }
    }
    return false;
}

/* The operands after the flags, as this row has them. */
static bool assemble_row(unsigned op, struct adreno_isa_reader reader, const struct adreno_isa_inst *flags,
                         const char *text, uint64_t *word_out)
{
    const struct adreno_isa_row *row = &adreno_isa_rows[op];
    struct adreno_isa_inst inst = *flags;
    struct resource resource = {0};
    inst.op = (uint16_t)op;
    if (!take_name(&reader, row, &inst))
        return false;
    for (unsigned i = 0; i < row->suffix_count; i++) {
        if (!take_suffix(&reader, &adreno_isa_suffixes[row->suffixes[i]], &inst, &resource))
            return false;
    }
    if (!take_operands(&reader, row, &inst, &resource) || *reader.at)
        return false;
    if (row->properties & ADRENO_ISA_PROP_MOV)
        set_move_kind(&inst);
    if (inst.operands[ADRENO_ISA_PLACE_DST].kind == ADRENO_ISA_OPERAND_GPR_RELATIVE)
        inst.operands[ADRENO_ISA_PLACE_DST].flags |= ADRENO_ISA_FLAG_RELATIVE;
    return find_word(row, &inst, text, word_out);
}

int adreno_isa_assemble_line(const char *text, uint64_t *word_out)
{
    struct adreno_isa_reader reader = {text};
    struct adreno_isa_inst flags = {0};
    take_flags(&reader, &flags);
    for (unsigned op = 0; op < ADRENO_ISA_OP_COUNT; op++) {
        if (assemble_row(op, reader, &flags, text, word_out))
            return 0;
    }
    return ADRENO_ISA_ERROR_ENCODE;
}

/* ---- a program ---- */

/* A line without its comment and the spaces around it; its label, if it has one, is cut off. False: nothing is left. */
static bool clean_line(const char *line, size_t length, char text[ADRENO_ISA_MAX_TEXT], char label[ADRENO_ISA_MAX_TEXT])
{
    label[0] = 0;
    while (length && strchr(" \t", *line)) {
        line++;
        length--;
    }
    snprintf(text, ADRENO_ISA_MAX_TEXT, "%.*s", (int)length, line);
    for (char *c = text; *c; c++) {
        if (*c == ';' || (c[0] == '/' && c[1] == '/') || *c == '\r')
            *c-- = 0;
        else if (*c == '\t')
            *c = ' ';
    }
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (word && text[word] == ':') {
        memcpy(label, text, word);
        label[word] = 0;
        size_t skip = word + 1 + strspn(text + word + 1, " ");
        memmove(text, text + skip, strlen(text + skip) + 1);
    }
    for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
        text[end - 1] = 0;
    return text[0] != 0;
}

/* The instruction that a label stands before; -1: there is no such label. */
static int find_label(const char *source, const char *wanted, size_t length)
{
    int count = 0;
    for (const char *line = source; *line;) {
        char text[ADRENO_ISA_MAX_TEXT], label[ADRENO_ISA_MAX_TEXT];
        size_t size = strcspn(line, "\n");
        bool is_instruction = clean_line(line, size, text, label);
        if (strlen(label) == length && strncmp(label, wanted, length) == 0)
            return count;
        count += is_instruction;
        line += size + (line[size] == '\n');
    }
    return -1;
}

/* "#name" becomes a distance. */
static bool resolve_label(const char *source, int pc, char text[ADRENO_ISA_MAX_TEXT])
{
    char *at = strstr(text, " #");
    if (!at || strchr("-0123456789", at[2]))
        return true;
    int target = find_label(source, at + 2, strlen(at + 2));
    snprintf(at + 2, ADRENO_ISA_MAX_TEXT - (size_t)(at + 2 - text), "%d", target - pc);
    return target >= 0;
}

int adreno_isa_assemble(const char *source, uint64_t *words_out, unsigned capacity, unsigned *line_out)
{
    unsigned count = 0;
    *line_out = 1;
    for (const char *line = source; *line; (*line_out)++) {
        char text[ADRENO_ISA_MAX_TEXT], label[ADRENO_ISA_MAX_TEXT];
        size_t size = strcspn(line, "\n");
        if (clean_line(line, size, text, label)) {
            uint64_t word;
            if (!resolve_label(source, (int)count, text) || adreno_isa_assemble_line(text, &word) != 0)
                return ADRENO_ISA_ERROR_ENCODE;
            if (count < capacity)
                words_out[count] = word;
            count++;
        }
        line += size + (line[size] == '\n');
    }
    return (int)count;
}
