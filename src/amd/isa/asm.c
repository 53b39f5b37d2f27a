/* The assembler's statements: labels, assignments, directives and instructions, one after the other. Errors are kept
 * with their place and the next line is tried. Not for: what an operand looks like (asm_operand.c) or which encoding
 * fits (asm_match.c). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

static void add_error(struct asm_parser *parser, uint32_t line, const char *line_start, const char *at,
                      const char *format, va_list args)
{
    struct isa_asm_result *out = parser->out;
    if (out->error_count < ISA_ASM_MAX_ERRORS) {
        char text[256];
        vsnprintf(text, sizeof(text), format, args);
        /* A comment that spans lines may follow an operand: the place is then the start of the line. */
        uint32_t column = at >= line_start ? (uint32_t)(at - line_start) + 1 : 1;
        const char *message = arena_strdup(&out->arena, text);
        out->errors[out->error_count] = (struct isa_asm_error){line, column, message ? message : "out of memory"};
    }
    out->error_count++;
}

bool amd_asm_error(struct asm_parser *parser, const char *at, const char *format, ...)
{
    if (parser->quiet)
        return false;
    va_list args;
    va_start(args, format);
    add_error(parser, parser->line, parser->line_start, at, format, args);
    va_end(args);
    return false;
}

static void fixup_error(struct asm_parser *parser, const struct asm_fixup *fixup, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fixup_error(struct asm_parser *parser, const struct asm_fixup *fixup, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(parser, fixup->line, fixup->line_start, fixup->at, format, args);
    va_end(args);
}

static bool out_of_memory(struct asm_parser *parser)
{
    parser->out_of_memory = true;
    return amd_asm_error(parser, parser->p, "out of memory");
}

static bool add_word(struct asm_parser *parser, uint32_t word)
{
    return array_push(&parser->words, word) || out_of_memory(parser);
}

/* ---- symbols ---- */

static bool define_symbol(struct asm_parser *parser, struct asm_name name, bool label, int64_t value)
{
    struct asm_symbol *symbol = strmap_get_n(&parser->symbols, name.text, name.length);
    if (symbol && (label || symbol->label))
        return amd_asm_error(parser, name.text, "'%.*s' is defined already", (int)MIN2(name.length, 100u), name.text);
    if (!symbol) {
        char *key = arena_alloc(&parser->out->arena, (size_t)name.length + 1);
        symbol = arena_new(&parser->out->arena, struct asm_symbol);
        if (!key || !symbol)
            return out_of_memory(parser);
        memcpy(key, name.text, name.length);
        key[name.length] = '\0';
        if (!strmap_set(&parser->symbols, key, symbol))
            return out_of_memory(parser);
    }
    *symbol = (struct asm_symbol){value, label};
    return true;
}

static bool read_assignment(struct asm_parser *parser, struct asm_name name)
{
    int64_t value;
    return amd_asm_expression(parser, false, &value) && define_symbol(parser, name, false, value);
}

/* ---- directives ---- */

static bool read_directive(struct asm_parser *parser, struct asm_name name)
{
    if (amd_asm_name_is(name, ".text"))
        return true;
    if (amd_asm_name_is(name, ".set")) {
        struct asm_name symbol;
        if (!amd_asm_read_name(parser, &symbol))
            return amd_asm_error(parser, parser->p, "expected a name");
        return amd_asm_expect(parser, ',') && read_assignment(parser, symbol);
    }
    if (amd_asm_name_is(name, ".long") || amd_asm_name_is(name, ".int") || amd_asm_name_is(name, ".4byte")) {
        do {
            int64_t value;
            if (!amd_asm_number(parser, "a dword", INT32_MIN, UINT32_MAX, &value) || !add_word(parser, (uint32_t)value))
                return false;
        } while (amd_asm_accept(parser, ','));
        return true;
    }
    return amd_asm_error(parser, name.text, "unknown directive '%.*s'", (int)MIN2(name.length, 100u), name.text);
}

/* ---- instructions ---- */

static const struct {
    const char *text;
    uint8_t length;
    uint8_t variant;
} suffixes[] = {
    {"_e32", 4, ISA_VARIANT_BASE},
    {"_e64", 4, ISA_VARIANT_E64},
    {"_dpp", 4, ISA_VARIANT_DPP16},
    {"_sdwa", 5, ISA_VARIANT_SDWA},
};

/* The encoding that a suffix asks for; false where the format's encodings have no such suffix. */
static bool suffix_variant(unsigned format, unsigned variant, unsigned *variant_out)
{
    bool short_form = format == ISA_FORMAT_VOP1 || format == ISA_FORMAT_VOP2 || format == ISA_FORMAT_VOPC ||
                      format == ISA_FORMAT_VINTRP;
    bool long_form = format == ISA_FORMAT_VOP3 || format == ISA_FORMAT_VOP3P;
    *variant_out = long_form ? (unsigned)ISA_VARIANT_BASE : variant;
    return short_form || (long_form && variant == ISA_VARIANT_E64);
}

static bool find_instruction(struct asm_parser *parser, struct asm_name name, struct asm_statement *statement)
{
    char lower[ASM_MAX_NAME];
    enum isa_op op;
    unsigned length = name.length;
    if (length >= sizeof(lower))
        return amd_asm_error(parser, name.text, "unknown instruction '%.*s...'", 40, name.text);
    for (unsigned i = 0; i < length; i++)
        lower[i] = name.text[i] >= 'A' && name.text[i] <= 'Z' ? (char)(name.text[i] | 0x20) : name.text[i];
    for (unsigned i = 0; i < ARRAY_SIZE(suffixes); i++) {
        unsigned suffix = suffixes[i].length;
        if (length <= suffix || memcmp(lower + length - suffix, suffixes[i].text, suffix) != 0)
            continue;
        if (!amd_isa_op_from_name(parser->gfx, lower, length - suffix, &op))
            break;
        if (!suffix_variant(isa_info(op)->format, suffixes[i].variant, &statement->variant))
            return amd_asm_error(parser, name.text, "'%.*s' has no encoding '%s'", (int)(length - suffix), name.text,
                                 suffixes[i].text + 1);
        statement->has_variant = true;
        statement->op = op;
        return true;
    }
    if (!amd_isa_op_from_name(parser->gfx, lower, length, &op))
        return amd_asm_error(parser, name.text, "unknown instruction '%.*s' on %s", (int)length, name.text,
                             amd_isa_gfx_name(parser->gfx));
    statement->op = op;
    return true;
}

static bool next_is_modifier(struct asm_parser *parser)
{
    struct asm_name name;
    if (!amd_asm_peek_name(parser, &name))
        return false;
    const char *start = parser->p;
    parser->p += name.length;
    char behind = amd_asm_peek(parser);
    parser->p = start;
    return amd_asm_is_modifier(name, behind);
}

/* Operands and modifiers; a comma between them may be left out, as LLVM allows it. A buffer's format is the one
 * modifier that may stand before an operand. */
static bool read_operands(struct asm_parser *parser, struct asm_statement *statement)
{
    while (!amd_asm_at_end(parser)) {
        if (next_is_modifier(parser)) {
            if (!amd_asm_read_modifier(parser, &statement->mods))
                return false;
        } else {
            uint64_t before = statement->mods.seen & ~ASM_MOD_BIT(ASM_MOD_FORMAT);
            if (before)
                return amd_asm_error(parser, parser->p, "expected a modifier");
            if (statement->count == ASM_MAX_OPERANDS)
                return amd_asm_error(parser, parser->p, "too many operands");
            if (!amd_asm_read_operand(parser, statement->op, &statement->operands[statement->count]))
                return false;
            statement->count++;
        }
        amd_asm_accept(parser, ',');
    }
    return true;
}

static bool read_instruction(struct asm_parser *parser, struct asm_name name)
{
    struct asm_statement statement;
    statement.at = name.text;
    statement.has_variant = false;
    statement.variant = ISA_VARIANT_BASE;
    statement.count = 0;
    statement.mods.seen = 0;
    statement.mods.count = 0;
    uint32_t words[ISA_MAX_DW];
    unsigned count;
    const struct asm_operand *label;
    if (!find_instruction(parser, name, &statement) || !read_operands(parser, &statement) ||
        !amd_asm_encode_statement(parser, &statement, words, &count, &label))
        return false;
    if (label) {
        struct asm_fixup fixup = {parser->words.count, label->name.text, label->name.length, parser->line,
                                  parser->line_start};
        if (!array_push(&parser->fixups, fixup))
            return out_of_memory(parser);
    }
    for (unsigned i = 0; i < count; i++) {
        if (!add_word(parser, words[i]))
            return false;
    }
    return true;
}

/* ---- statements ---- */

static bool read_statement(struct asm_parser *parser)
{
    while (!amd_asm_at_end(parser)) {
        struct asm_name name;
        if (!amd_asm_read_name(parser, &name))
            return amd_asm_error(parser, parser->p, "expected an instruction, a label or a directive");
        if (amd_asm_accept(parser, ':')) {
            if (!define_symbol(parser, name, true, parser->words.count))
                return false;
            continue;
        }
        if (amd_asm_accept(parser, '=')) {
            if (!read_assignment(parser, name))
                return false;
        } else if (!(name.text[0] == '.' ? read_directive(parser, name) : read_instruction(parser, name))) {
            return false;
        }
        return amd_asm_at_end(parser) || amd_asm_error(parser, parser->p, "expected the end of the line");
    }
    return true;
}

static void skip_line(struct asm_parser *parser)
{
    const char *newline = memchr(parser->p, '\n', (size_t)(parser->end - parser->p));
    parser->p = newline ? newline + 1 : parser->end;
    parser->line_start = parser->p;
    parser->line++;
}

static void resolve_labels(struct asm_parser *parser)
{
    array_foreach (&parser->fixups, fixup) {
        const struct asm_symbol *symbol = strmap_get_n(&parser->symbols, fixup->at, fixup->length);
        if (!symbol || !symbol->label) {
            fixup_error(parser, fixup, "there is no label '%.*s'", (int)MIN2(fixup->length, 100u), fixup->at);
            continue;
        }
        int64_t distance = symbol->value - ((int64_t)fixup->word + 1);
        if (distance < INT16_MIN || distance > INT16_MAX)
            fixup_error(parser, fixup, "the label is %lld dwords away; a branch reaches 32768", (long long)distance);
        parser->words.data[fixup->word] = (parser->words.data[fixup->word] & 0xffff0000u) | (uint16_t)distance;
    }
}

bool amd_isa_assemble(enum isa_gfx gfx, unsigned wave_size, const char *text, size_t length, struct isa_asm_result *out)
{
    memset(out, 0, sizeof(*out));
    struct asm_parser parser = {
        .p = text,
        .end = text + length,
        .line_start = text,
        .line = 1,
        .gfx = gfx,
        .wave_size = wave_size,
        .gen = &amd_isa_generations[gfx],
        .out = out,
    };
    while (parser.p < parser.end && !parser.out_of_memory) {
        /* A line that begins with `#` was left by a preprocessor. */
        if (amd_asm_peek(&parser) != '#')
            read_statement(&parser);
        skip_line(&parser);
    }
    resolve_labels(&parser);
    out->words = parser.words.data;
    out->count_dw = parser.words.count;
    array_finish(&parser.fixups);
    strmap_finish(&parser.symbols);
    return out->error_count == 0;
}

void amd_isa_asm_finish(struct isa_asm_result *result)
{
    free(result->words);
    arena_finish(&result->arena);
    memset(result, 0, sizeof(*result));
}
