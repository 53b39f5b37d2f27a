/* Text to machine IR: what mir_print.c writes, for tests and for programs written by hand. Numbers of temporaries are
 * kept. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/mir.h"
#include "amd/compiler/mir_text.h"
#include "util/bits.h"

#define MAX_LIST 512

struct parser {
    struct mir_program *program;
    const char *at;   /* in the current line */
    const char *what; /* the first error */
};

static bool fail_parse(struct parser *parser, const char *what)
{
    if (!parser->what)
        parser->what = what;
    return false;
}

static void skip_space(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

static bool take_text(struct parser *parser, const char *text)
{
    skip_space(parser);
    size_t length = strlen(text);
    if (strncmp(parser->at, text, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool take_number(struct parser *parser, uint64_t *value_out)
{
    skip_space(parser);
    if (!isdigit((unsigned char)*parser->at) && *parser->at != '-')
        return false;
    char *end;
    *value_out = *parser->at == '-' ? (uint64_t)strtoll(parser->at, &end, 0) : strtoull(parser->at, &end, 0);
    parser->at = end;
    return true;
}

static size_t word_length(struct parser *parser)
{
    skip_space(parser);
    size_t length = 0;
    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    return length;
}

static bool take_register(struct parser *parser, mir_reg *reg_out)
{
    static const struct {
        const char *name;
        mir_reg reg;
    } named[] = {
        {"scc", MIR_REG_SCC}, {"vcc", MIR_REG_VCC}, {"exec", MIR_REG_EXEC}, {"m0", MIR_REG_M0}, {"null", MIR_REG_NULL}};
    for (unsigned i = 0; i < ARRAY_SIZE(named); i++) {
        if (take_text(parser, named[i].name)) {
            *reg_out = named[i].reg;
            return true;
        }
    }
    bool vector = *parser->at == 'v';
    uint64_t number;
    if ((!vector && *parser->at != 's') || (parser->at++, !take_number(parser, &number)) || number > 255)
        return fail_parse(parser, "no such register");
    *reg_out = (mir_reg)(number + (vector ? MIR_REG_V0 : 0));
    return true;
}

static bool take_temp(struct parser *parser, mir_temp *temp_out)
{
    uint64_t number;
    if (!take_text(parser, "%") || !take_number(parser, &number) || number == 0 || number > 1u << 20)
        return fail_parse(parser, "a temporary's number is missing");
    while (parser->program->num_temps <= number)
        amd_mir_new_temp(parser->program, MIR_S(0));
    *temp_out = (mir_temp)number;
    return true;
}

static bool take_def(struct parser *parser, struct mir_def *def)
{
    *def = (struct mir_def){0};
    skip_space(parser);
    if (*parser->at == '%') {
        if (!take_temp(parser, &def->temp) || !take_text(parser, ":"))
            return fail_parse(parser, "a class is missing");
        char file = *parser->at++;
        uint64_t dwords;
        if (!strchr("svl", file) || !take_number(parser, &dwords) || dwords == 0 || dwords > 32)
            return fail_parse(parser, "no such class");
        parser->program->temps[def->temp].class =
            (struct mir_class){.dwords = (uint8_t)dwords, .vector = file != 's', .linear = file == 'l'};
    } else if (!take_text(parser, "_")) {
        return fail_parse(parser, "a result is missing");
    }
    if (take_text(parser, "@")) {
        def->fixed = true;
        return take_register(parser, &def->reg);
    }
    return true;
}

static bool take_operand(struct parser *parser, struct mir_operand *operand)
{
    uint64_t number = 1;
    *operand = (struct mir_operand){0};
    skip_space(parser);
    if (*parser->at == '%') {
        operand->kind = MIR_TEMP;
        if (!take_temp(parser, &operand->temp))
            return false;
        if (take_text(parser, "@")) {
            operand->fixed = true;
            if (!take_register(parser, &operand->reg))
                return false;
        }
        operand->late = take_text(parser, "!");
        return true;
    }
    if (take_text(parser, "?")) {
        if (!take_number(parser, &number))
            return fail_parse(parser, "how many dwords?");
        *operand = mir_undef((unsigned)number);
        return true;
    }
    if (take_number(parser, &operand->value)) {
        operand->kind = MIR_CONST;
        operand->dwords = take_text(parser, "L") ? 2 : 1;
        if (operand->dwords == 1)
            operand->value = (uint32_t)operand->value;
        return true;
    }
    if (word_length(parser) == 1 && take_text(parser, "_"))
        return true;
    if (!take_register(parser, &operand->reg))
        return false;
    if (take_text(parser, "*") && !take_number(parser, &number))
        return fail_parse(parser, "how many dwords?");
    operand->kind = MIR_REG;
    operand->dwords = (uint8_t)number;
    return true;
}

static bool take_op(struct parser *parser, struct mir_instr *instr)
{
    size_t length = word_length(parser);
    const char *name = parser->at;
    enum isa_op op;
    parser->at += length;
    if (length && amd_isa_op_from_name(parser->program->gfx, name, length, &op)) {
        *instr = amd_mir_plain(op);
    } else {
        unsigned pseudo = 0;
        while (pseudo < ARRAY_SIZE(amd_mir_pseudo_names) &&
               (strncmp(amd_mir_pseudo_names[pseudo], name, length) != 0 || amd_mir_pseudo_names[pseudo][length]))
            pseudo++;
        if (pseudo == ARRAY_SIZE(amd_mir_pseudo_names))
            return fail_parse(parser, "no such instruction");
        *instr = amd_mir_plain(MIR_P_START + pseudo);
    }
    if (*parser->at != '.')
        return true;
    size_t suffix = (parser->at++, word_length(parser));
    bool is_branch = instr->op == MIR_P_CBRANCH;
    for (unsigned i = 0; i < (is_branch ? ARRAY_SIZE(amd_mir_cond_names) : ARRAY_SIZE(amd_mir_variant_names)); i++) {
        const char *candidate = is_branch ? amd_mir_cond_names[i] : i ? amd_mir_variant_names[i] + 1 : "";
        if (strlen(candidate) == suffix && strncmp(candidate, parser->at, suffix) == 0) {
            parser->at += suffix;
            *(is_branch ? &instr->cond : &instr->variant) = (uint8_t)i;
            return true;
        }
    }
    return fail_parse(parser, "no such form");
}

static bool take_field(struct parser *parser, struct mir_instr *instr)
{
    size_t length = word_length(parser);
    const char *name = parser->at;
    uint64_t value;
    enum mir_field_kind kind = amd_mir_field_kind_of(instr);
    parser->at += length;
    if (length == 0 || !take_text(parser, "=") || !take_number(parser, &value))
        return fail_parse(parser, "a modifier is name=number");
    for (unsigned i = 0; kind == MIR_FIELD_MEM && amd_mir_mem_flag_names[i]; i++) {
        if (strlen(amd_mir_mem_flag_names[i]) == length && strncmp(amd_mir_mem_flag_names[i], name, length) == 0) {
            unsigned flags = amd_mir_mem_flags(&instr->mem) & ~(1u << i);
            amd_mir_set_mem_flags(&instr->mem, flags | (value ? 1u << i : 0));
            return true;
        }
    }
    for (const struct mir_field *field = amd_mir_fields; field->name; field++) {
        bool fits = field->kind == MIR_FIELD_ALL || field->kind == kind;
        if (fits && strlen(field->name) == length && strncmp(field->name, name, length) == 0) {
            amd_mir_set_field(instr, field, (int64_t)value);
            return true;
        }
    }
    return fail_parse(parser, "no such modifier");
}

static bool parse_instr(struct parser *parser)
{
    struct mir_program *program = parser->program;
    static _Thread_local struct mir_def defs[MAX_LIST / 2];
    static _Thread_local struct mir_operand operands[MAX_LIST];
    unsigned num_defs = 0, num_operands = 0;
    struct mir_instr head;
    if (program->num_blocks == 0)
        return fail_parse(parser, "an instruction outside of a block");
    if (strstr(parser->at, " = ") || strstr(parser->at, " =\t")) {
        do {
            if (num_defs == 255 || !take_def(parser, &defs[num_defs++]))
                return fail_parse(parser, "too many results");
        } while (take_text(parser, ","));
        if (!take_text(parser, "="))
            return fail_parse(parser, "= is missing");
    }
    if (!take_op(parser, &head))
        return false;
    skip_space(parser);
    while (*parser->at && *parser->at != '|') {
        if (num_operands == MAX_LIST || !take_operand(parser, &operands[num_operands++]))
            return fail_parse(parser, "too many operands");
        if (!take_text(parser, ","))
            break;
    }
    if (take_text(parser, "|")) {
        for (skip_space(parser); *parser->at; skip_space(parser)) {
            if (!take_field(parser, &head))
                return false;
        }
    }
    skip_space(parser);
    if (*parser->at)
        return fail_parse(parser, "more on this line than an instruction");
    struct mir_block *block = &program->blocks[program->num_blocks - 1];
    struct mir_builder builder = {program, block, &block->instrs};
    struct mir_instr *instr = amd_mir_new_instr(&builder, head.op, num_defs, num_operands);
    head.link = instr->link;
    head.defs = instr->defs;
    head.operands = instr->operands;
    head.num_defs = instr->num_defs;
    head.num_operands = instr->num_operands;
    *instr = head;
    if (num_defs)
        memcpy(instr->defs, defs, num_defs * sizeof(*defs));
    if (num_operands)
        memcpy(instr->operands, operands, num_operands * sizeof(*operands));
    return true;
}

static bool parse_block(struct parser *parser)
{
    struct mir_program *program = parser->program;
    struct mir_block *block = amd_mir_new_block(program);
    uint64_t number;
    if (!take_number(parser, &number) || number != block->index)
        return fail_parse(parser, "blocks are numbered in their order");
    while (!take_text(parser, "->")) {
        const struct mir_named_bit *bit = amd_mir_kind_names;
        size_t length = word_length(parser);
        while (bit->name && (strlen(bit->name) != length || strncmp(bit->name, parser->at, length) != 0))
            bit++;
        if (!bit->name)
            return fail_parse(parser, "no such kind of block");
        block->kind |= bit->bit;
        parser->at += length;
    }
    /* The targets may not exist yet: the numbers wait in the lists of successors, resolve_edges makes edges of them. */
    block->linear_succs = amd_mir_alloc(program, 4 * sizeof(uint32_t));
    block->logical_succs = amd_mir_alloc(program, 4 * sizeof(uint32_t));
    while (block->num_linear_succs < 4 && take_number(parser, &number))
        block->linear_succs[block->num_linear_succs++] = (uint32_t)number;
    bool split = take_text(parser, "/");
    while (split && block->num_logical_succs < 4 && take_number(parser, &number))
        block->logical_succs[block->num_logical_succs++] = (uint32_t)number;
    skip_space(parser);
    return split && *parser->at == '\0' ? true : fail_parse(parser, "linear successors / logical successors");
}

static bool resolve_edges(struct parser *parser)
{
    struct mir_program *program = parser->program;
    for (uint32_t b = 0; b < program->num_blocks; b++) {
        struct mir_block old = program->blocks[b];
        program->blocks[b].num_linear_succs = program->blocks[b].num_logical_succs = 0;
        program->blocks[b].linear_succs = program->blocks[b].logical_succs = NULL;
        for (unsigned i = 0; i < old.num_linear_succs; i++) {
            if (old.linear_succs[i] >= program->num_blocks)
                return fail_parse(parser, "no such block");
            amd_mir_add_linear_edge(program, b, old.linear_succs[i]);
        }
        for (unsigned i = 0; i < old.num_logical_succs; i++) {
            if (old.logical_succs[i] >= program->num_blocks)
                return fail_parse(parser, "no such block");
            amd_mir_add_logical_edge(program, b, old.logical_succs[i]);
        }
    }
    return true;
}

static bool parse_line(struct parser *parser)
{
    uint64_t number;
    skip_space(parser);
    if (*parser->at == '\0' || *parser->at == '#')
        return true;
    if (take_text(parser, "wave ")) {
        if (!take_number(parser, &number) || (number != 32 && number != 64))
            return fail_parse(parser, "a wave has 32 or 64 lanes");
        parser->program->wave_size = (uint8_t)number;
        parser->program->lane_mask = MIR_S((uint8_t)(number / 32));
        return true;
    }
    return take_text(parser, "block ") ? parse_block(parser) : parse_instr(parser);
}

const char *amd_mir_parse(struct mir_program *program, const char *text)
{
    struct parser parser = {.program = program};
    unsigned number = 0;
    while (*text && !parser.what) {
        size_t length = strcspn(text, "\n");
        char *line = amd_mir_alloc(program, length + 1);
        memcpy(line, text, length);
        parser.at = line;
        number++;
        parse_line(&parser);
        text += length + (text[length] == '\n');
    }
    if (!parser.what) {
        number++;
        resolve_edges(&parser);
    }
    return parser.what ? arena_printf(&program->arena, "line %u: %s", number, parser.what) : NULL;
}
