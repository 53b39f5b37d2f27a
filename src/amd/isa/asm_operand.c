/* One operand as it is written: registers, lists of them, numbers, the words for what is absent. Whether an instruction
 * takes it is decided later (asm_match.c). */
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

struct register_file {
    const char *prefix;
    uint8_t length;
    uint8_t kind;
};

static const struct register_file files[] = {
    {"v", 1, ISA_OPERAND_VGPR},
    {"s", 1, ISA_OPERAND_SGPR},
    {"ttmp", 4, ISA_OPERAND_TTMP},
};

static int64_t file_size(const struct asm_parser *parser, unsigned kind, int64_t count)
{
    return kind == ISA_OPERAND_VGPR ? 256 : kind == ISA_OPERAND_SGPR ? isa_sgpr_end(parser->gen, (unsigned)count) : 16;
}

/* Scalar tuples begin at a multiple of their size, up to four. */
static bool check_registers(struct asm_parser *parser, const char *at, unsigned kind, int64_t first, int64_t last)
{
    int64_t count = last - first + 1;
    if (first < 0 || last < first || last >= file_size(parser, kind, MIN2(count, 32)))
        return amd_asm_error(parser, at, "there is no such register");
    if (count > 32)
        return amd_asm_error(parser, at, "no instruction has so many registers");
    if (kind != ISA_OPERAND_VGPR && count > 1 && first % (count == 2 ? 2 : 4) != 0)
        return amd_asm_error(parser, at, "scalar registers must begin at a multiple of %d", count == 2 ? 2 : 4);
    return true;
}

static bool set_register(struct asm_parser *parser, struct asm_operand *out, unsigned kind, int64_t first, int64_t last)
{
    if (!check_registers(parser, out->at, kind, first, last))
        return false;
    out->kind = ASM_REGISTER;
    out->reg = (struct isa_operand){(uint8_t)kind, (uint8_t)(last - first + 1), (uint16_t)first};
    return true;
}

/* v[1:4] and v[1]; the bracket comes next. */
static bool read_range(struct asm_parser *parser, struct asm_operand *out, unsigned kind)
{
    int64_t first, last;
    if (!amd_asm_expect(parser, '[') || !amd_asm_expression(parser, false, &first))
        return false;
    last = first;
    if (amd_asm_accept(parser, ':') && !amd_asm_expression(parser, false, &last))
        return false;
    return amd_asm_expect(parser, ']') && set_register(parser, out, kind, first, last);
}

/* ---- registers with names ---- */

/* Other names for them, without the prefix that says they can only be read. */
static bool special_name_is(struct asm_name name, const char *special)
{
    return amd_asm_name_is(name, special) || (strncmp(special, "src_", 4) == 0 && amd_asm_name_is(name, special + 4));
}

static bool find_special(struct asm_parser *parser, struct asm_name name, struct asm_operand *out)
{
    for (unsigned i = 0; i < ISA_SPECIAL_COUNT; i++) {
        const char *pair = amd_isa_special_pair_names[i];
        bool single = special_name_is(name, amd_isa_special_names[i]);
        if (parser->gen->special_numbers[i] == 255 || (!single && !(pair && special_name_is(name, pair))))
            continue;
        out->kind = ASM_REGISTER;
        out->reg = (struct isa_operand){ISA_OPERAND_SPECIAL, single ? 1 : 2, (uint16_t)i};
        out->several_widths = single && pair && strcmp(pair, amd_isa_special_names[i]) == 0;
        return true;
    }
    return false;
}

/* The register that a name is: false where it is none, else *ok_out says whether it exists. The name is read then. */
static bool read_register(struct asm_parser *parser, struct asm_name name, struct asm_operand *out, bool *ok_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
        unsigned length = files[i].length, digits = name.length - length;
        if (name.length < length || memcmp(name.text, files[i].prefix, length) != 0 || digits > 3)
            continue;
        if (digits == 0) {
            const char *start = parser->p;
            parser->p += name.length;
            if (amd_asm_peek(parser) != '[') {
                parser->p = start;
                continue;
            }
            *ok_out = read_range(parser, out, files[i].kind);
            return true;
        }
        int64_t number = 0;
        unsigned k = length;
        for (; k < name.length && name.text[k] >= '0' && name.text[k] <= '9'; k++)
            number = number * 10 + (name.text[k] - '0');
        if (k != name.length)
            continue;
        parser->p += name.length;
        *ok_out = set_register(parser, out, files[i].kind, number, number);
        return true;
    }
    if (!find_special(parser, name, out))
        return false;
    parser->p += name.length;
    *ok_out = true;
    return true;
}

/* ---- [v1, v5, v7] ---- */

static bool is_next_in_list(const struct isa_operand *all, const struct isa_operand *next)
{
    if (all->kind == ISA_OPERAND_SPECIAL && next->kind == ISA_OPERAND_SPECIAL && all->count == 1) {
        const char *pair = amd_isa_special_pair_names[all->value];
        return pair && pair != amd_isa_special_names[all->value] && next->value == all->value + 1u;
    }
    return next->kind == all->kind && next->kind != ISA_OPERAND_SPECIAL &&
           next->value == all->value + (unsigned)all->count;
}

static bool read_list(struct asm_parser *parser, struct asm_operand *out)
{
    struct isa_operand all = {0};
    bool consecutive = true;
    unsigned count = 0;
    amd_asm_expect(parser, '[');
    do {
        struct asm_operand element = {0};
        struct asm_name name;
        bool ok;
        amd_asm_peek(parser);
        element.at = parser->p;
        if (!amd_asm_peek_name(parser, &name) || !read_register(parser, name, &element, &ok))
            return amd_asm_error(parser, element.at, "expected a register");
        if (!ok)
            return false;
        if (element.reg.count != 1 || count == 32)
            return amd_asm_error(parser, element.at, "a list has up to 32 registers of 32 bits");
        if (count == 0)
            all = element.reg;
        else if (is_next_in_list(&all, &element.reg))
            all.count++;
        else
            consecutive = false;
        if (count < ASM_MAX_LIST)
            out->list[count] = (uint8_t)element.reg.value;
        if (!consecutive &&
            (element.reg.kind != ISA_OPERAND_VGPR || all.kind != ISA_OPERAND_VGPR || count >= ASM_MAX_LIST))
            return amd_asm_error(parser, element.at, "the registers of a list must follow each other");
        count++;
    } while (amd_asm_accept(parser, ','));
    if (!amd_asm_expect(parser, ']'))
        return false;
    out->list_count = count <= ASM_MAX_LIST ? (uint8_t)count : 0;
    out->kind = consecutive ? ASM_REGISTER : ASM_LIST;
    out->reg = all;
    if (consecutive && all.kind != ISA_OPERAND_SPECIAL)
        return check_registers(parser, out->at, all.kind, all.value, all.value + all.count - 1);
    return true;
}

/* ---- numbers and words ---- */

static bool read_value(struct asm_parser *parser, bool simple, struct asm_operand *out)
{
    amd_asm_peek(parser);
    const char *start = parser->p;
    bool negative = amd_asm_accept(parser, '-');
    double real;
    if (amd_asm_read_real(parser, &real)) {
        out->kind = ASM_REAL;
        out->real = negative ? -real : real;
        return true;
    }
    parser->p = start;
    out->kind = ASM_NUMBER;
    return amd_asm_expression(parser, simple, &out->number);
}

/* A register or number inside abs(), neg(), sext() and bars. */
static bool read_plain(struct asm_parser *parser, bool simple, struct asm_operand *out)
{
    struct asm_name name;
    bool ok;
    amd_asm_peek(parser);
    out->at = parser->p;
    if (amd_asm_peek_name(parser, &name) && read_register(parser, name, out, &ok))
        return ok;
    if (amd_asm_peek(parser) == '[')
        return read_list(parser, out);
    return read_value(parser, simple, out);
}

static bool is_call(struct asm_parser *parser, const char *word)
{
    struct asm_name name;
    if (!amd_asm_peek_name(parser, &name) || !amd_asm_name_is(name, word))
        return false;
    const char *start = parser->p;
    parser->p += name.length;
    bool call = amd_asm_peek(parser) == '(';
    parser->p = start;
    return call;
}

static bool accept_call(struct asm_parser *parser, const char *word)
{
    if (!is_call(parser, word))
        return false;
    parser->p += strlen(word);
    return amd_asm_accept(parser, '(');
}

/* |x| and abs(x), or x. */
static bool read_absolute(struct asm_parser *parser, bool simple, struct asm_operand *out)
{
    char end;
    if (amd_asm_accept(parser, '|'))
        end = '|';
    else if (accept_call(parser, "abs"))
        end = ')';
    else
        return read_plain(parser, simple, out);
    out->modifiers |= ASM_ABS;
    return read_plain(parser, end == '|', out) && amd_asm_expect(parser, end);
}

/* Whether a minus is a modifier of the following operand, and not the sign of a number. */
static bool is_negated_source(struct asm_parser *parser)
{
    const char *start = parser->p;
    parser->p++;
    struct asm_name name;
    struct asm_operand ignored = {.at = parser->p};
    bool ok, quiet = parser->quiet;
    bool negated = amd_asm_peek(parser) == '|' || is_call(parser, "abs");
    parser->quiet = true;
    negated = negated || (amd_asm_peek_name(parser, &name) && read_register(parser, name, &ignored, &ok));
    parser->quiet = quiet;
    parser->p = start;
    return negated;
}

static bool read_source(struct asm_parser *parser, struct asm_operand *out)
{
    if (accept_call(parser, "neg")) {
        out->modifiers |= ASM_NEG;
        return read_absolute(parser, false, out) && amd_asm_expect(parser, ')');
    }
    if (accept_call(parser, "sext")) {
        out->modifiers |= ASM_SEXT;
        return read_plain(parser, false, out) && amd_asm_expect(parser, ')');
    }
    if (amd_asm_peek(parser) == '-' && is_negated_source(parser)) {
        parser->p++;
        out->modifiers |= ASM_NEG;
    }
    return read_absolute(parser, false, out);
}

/* attr12.x */
static bool read_attribute(struct asm_parser *parser, struct asm_name name, struct asm_operand *out)
{
    int64_t number = 0;
    unsigned i = 4;
    for (; i < name.length && i < 8 && name.text[i] >= '0' && name.text[i] <= '9'; i++)
        number = number * 10 + (name.text[i] - '0');
    const char *channel = i + 2 == name.length && name.text[i] == '.' ? strchr("xyzw", name.text[i + 1]) : NULL;
    if (i == 4 || !channel || number > 63)
        return amd_asm_error(parser, name.text, "expected an attribute, attr0.x to attr63.w");
    parser->p += name.length;
    out->kind = ASM_ATTR;
    out->number = number * 4 + (channel - strchr("xyzw", 'x'));
    return true;
}

static bool read_label(struct asm_parser *parser, struct asm_operand *out)
{
    out->kind = ASM_LABEL;
    return amd_asm_read_name(parser, &out->name);
}

static int label_operand(unsigned op)
{
    const struct isa_op_info *info = isa_info(op);
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i].type == ISA_TYPE_LABEL)
            return (int)i;
    }
    return -1;
}

/* Words that only some instructions accept. */
static bool read_word(struct asm_parser *parser, unsigned op, struct asm_name name, struct asm_operand *out,
                      bool *ok_out)
{
    const struct isa_op_info *info = isa_info(op);
    int number;
    *ok_out = true;
    if (amd_asm_name_is(name, "off")) {
        out->kind = ASM_OFF;
    } else if (info->format == ISA_FORMAT_EXP && (number = amd_asm_find_name(amd_isa_target_names, 64, name)) >= 0) {
        out->kind = ASM_TARGET;
        out->number = number;
    } else if (name.length > 4 && memcmp(name.text, "attr", 4) == 0) {
        *ok_out = read_attribute(parser, name, out);
        return true;
    } else if ((info->format == ISA_FORMAT_VINTRP || (info->properties & ISA_PROP_INTERP)) &&
               (number = amd_asm_find_name(amd_isa_param_names, 4, name)) >= 0) {
        out->kind = ASM_PARAM;
        out->number = number;
    } else if (label_operand(op) >= 0) {
        const struct asm_symbol *symbol = strmap_get_n(&parser->symbols, name.text, name.length);
        if (symbol && !symbol->label)
            return false;
        *ok_out = read_label(parser, out);
        return true;
    } else {
        return false;
    }
    parser->p += name.length;
    return true;
}

bool amd_asm_read_operand(struct asm_parser *parser, unsigned op, struct asm_operand *out)
{
    struct asm_name name;
    bool ok;
    memset(out, 0, sizeof(*out));
    char c = amd_asm_peek(parser);
    out->at = parser->p;
    if (c == '[')
        return read_list(parser, out);
    if (c != '-' && c != '|' && amd_asm_peek_name(parser, &name)) {
        /* `null` is an export's target before it is a register. */
        if (isa_info(op)->format == ISA_FORMAT_EXP && read_word(parser, op, name, out, &ok))
            return ok;
        if (read_register(parser, name, out, &ok))
            return ok;
        if (amd_asm_read_packed(parser, out, &ok) || read_word(parser, op, name, out, &ok))
            return ok;
    }
    const char *at = out->at;
    ok = read_source(parser, out);
    out->at = at;
    return ok;
}
