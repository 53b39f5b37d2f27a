/* The assembler: lines and programs. */
#include "mali/isa/asm_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line ---- */

/* The longest name that the text begins with and that ends there, at a dot or at the word's end. */
static const struct mali_isa_row *take_mnemonic(struct asm_text *text)
{
    const struct mali_isa_row *best = NULL;
    size_t best_length = 0;
    for (unsigned op = 0; op < MALI_ISA_OP_COUNT && text->at < text->end; op++) {
        if (mali_isa_rows[op].name[0] != *text->at)
            continue;
        const size_t length = strlen(mali_isa_rows[op].name), left = (size_t)(text->end - text->at);
        if (length <= best_length || left < length || memcmp(text->at, mali_isa_rows[op].name, length) != 0)
            continue;
        if (left > length && text->at[length] != '.' && text->at[length] != ' ')
            continue;
        best = &mali_isa_rows[op];
        best_length = length;
    }
    text->at += best_length;
    return best;
}

/* One of the fields that still may come, or the flow. */
static bool take_field(struct asm_text *text, const struct mali_isa_row *row, struct mali_isa_inst *inst,
                       uint32_t *seen)
{
    unsigned best = UINT32_MAX, best_value = 0, best_length = 0;
    for (unsigned i = 0; i <= row->field_count; i++) {
        const unsigned field = i < row->field_count ? row->fields[i] : MALI_ISA_FIELD_FLOW;
        unsigned value, length;
        if (*seen >> i & 1 || !mali_isa_asm_name(text, &mali_isa_fields[field], &value, &length) ||
            length <= best_length)
            continue;
        best = i;
        best_value = value;
        best_length = length;
    }
    if (best == UINT32_MAX)
        return false;
    *seen |= 1u << best;
    if (best == row->field_count)
        inst->flow = (uint8_t)best_value;
    else
        inst->field[row->fields[best]] = (uint8_t)best_value;
    text->at += best_length;
    return true;
}

static bool take_fields(struct asm_text *text, const struct mali_isa_row *row, struct mali_isa_inst *inst)
{
    uint32_t seen = 0;
    while (text->at < text->end) {
        if (!take_field(text, row, inst, &seen))
            return false;
    }
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct mali_isa_names *field = &mali_isa_fields[row->fields[i]];
        if (seen >> i & 1)
            continue;
        if (field->default_value < 0)
            return false;
        inst->field[row->fields[i]] = (uint8_t)field->default_value;
    }
    return true;
}

/* The text up to the next comma, without spaces around it. */
static struct asm_text next_operand(struct asm_text *text)
{
    mali_isa_asm_skip_spaces(text);
    struct asm_text operand = {text->at, text->at};
    while (text->at < text->end && *text->at != ',')
        text->at++;
    operand.end = text->at;
    while (operand.end > operand.at && (operand.end[-1] == ' ' || operand.end[-1] == '\t'))
        operand.end--;
    if (text->at < text->end)
        text->at++;
    return operand;
}

static bool take_operands(struct asm_text *text, const struct mali_isa_row *row, struct mali_isa_inst *inst)
{
    bool has_page = false;
    if (row->has_dst && !mali_isa_asm_dst(next_operand(text), inst))
        return false;
    for (unsigned i = 0; i < row->staging_count; i++) {
        if (!mali_isa_asm_staging(next_operand(text), &row->staging[i], &inst->staging[i]))
            return false;
    }
    for (unsigned i = 0; i < row->source_count; i++) {
        if (!mali_isa_asm_source(next_operand(text), row, i, inst, &has_page))
            return false;
    }
    for (unsigned i = 0; i < row->number_count; i++) {
        if (!mali_isa_asm_immediate(next_operand(text), &row->numbers[i], &inst->number[i]))
            return false;
    }
    mali_isa_asm_skip_spaces(text);
    return text->at == text->end;
}

static int assemble_text(struct asm_text text, uint64_t *word_out)
{
    struct mali_isa_inst inst = {0};
    mali_isa_asm_skip_spaces(&text);
    struct asm_text head = text;
    while (text.at < text.end && *text.at != ' ' && *text.at != '\t')
        text.at++;
    head.end = text.at;
    const struct mali_isa_row *row = take_mnemonic(&head);
    if (!row)
        return MALI_ISA_ERROR_ENCODE;
    inst.op = (uint16_t)(row - mali_isa_rows);
    if (!take_fields(&head, row, &inst) || !take_operands(&text, row, &inst) || !mali_isa_sources_fit(&inst))
        return MALI_ISA_ERROR_ENCODE;
    return mali_isa_encode(&inst, word_out);
}

int mali_isa_assemble_line(const char *text, uint64_t *word_out)
{
    return assemble_text((struct asm_text){text, text + strlen(text)}, word_out);
}

/* ---- programs ---- */

#define LABELS_MAX 1024

struct label {
    const char *name;
    size_t length;
    unsigned at;
};

struct program {
    struct label *labels;
    unsigned label_count;
    uint64_t *words;
    unsigned capacity, count;
    bool is_counting; /* the first pass: where labels are */
};

/* A line without its comment and its label; empty: nothing is left. */
static struct asm_text line_body(struct asm_text line, struct asm_text *label_out)
{
    for (const char *c = line.at; c < line.end; c++) {
        if (*c == ';' || (*c == '/' && c + 1 < line.end && c[1] == '/'))
            line.end = c;
    }
    mali_isa_asm_skip_spaces(&line);
    *label_out = (struct asm_text){line.at, line.at};
    const char *c = line.at;
    while (c < line.end && *c != ' ' && *c != ':' && *c != ',')
        c++;
    if (c < line.end && *c == ':') {
        label_out->end = c;
        line.at = c + 1;
    }
    mali_isa_asm_skip_spaces(&line);
    while (line.end > line.at && (line.end[-1] == ' ' || line.end[-1] == '\t' || line.end[-1] == '\r'))
        line.end--;
    return line;
}

static const struct label *find_label(const struct program *program, const char *name, size_t length)
{
    for (unsigned i = 0; i < program->label_count; i++) {
        if (program->labels[i].length == length && memcmp(program->labels[i].name, name, length) == 0)
            return &program->labels[i];
    }
    return NULL;
}

/* `offset:name` with the distance in place of the name. */
static bool resolve_label(const struct program *program, struct asm_text line, char out[MALI_ISA_MAX_TEXT])
{
    static const char key[] = "offset:";
    const size_t length = (size_t)(line.end - line.at);
    if (length >= MALI_ISA_MAX_TEXT - 16)
        return false;
    memcpy(out, line.at, length);
    out[length] = 0;
    char *at = strstr(out, key);
    if (!at || at[sizeof(key) - 1] == '-' || (at[sizeof(key) - 1] >= '0' && at[sizeof(key) - 1] <= '9'))
        return true;
    at += sizeof(key) - 1;
    const struct label *label = find_label(program, at, strlen(at));
    if (!label)
        return false;
    snprintf(at, MALI_ISA_MAX_TEXT - (size_t)(at - out), "%d", (int)label->at - (int)program->count - 1);
    return true;
}

static bool take_line(struct program *program, struct asm_text line)
{
    struct asm_text label;
    char text[MALI_ISA_MAX_TEXT];
    uint64_t word = 0;
    line = line_body(line, &label);
    if (program->is_counting && label.end > label.at) {
        const size_t length = (size_t)(label.end - label.at);
        if (program->label_count == LABELS_MAX || find_label(program, label.at, length))
            return false;
        program->labels[program->label_count++] = (struct label){label.at, length, program->count};
    }
    if (line.at == line.end)
        return true;
    if (!program->is_counting) {
        if (!resolve_label(program, line, text) || mali_isa_assemble_line(text, &word) != 0)
            return false;
        if (program->count < program->capacity)
            program->words[program->count] = word;
    }
    program->count++;
    return true;
}

static bool take_lines(struct program *program, const char *source, unsigned *line_out)
{
    program->count = 0;
    for (*line_out = 1; *source; ++*line_out) {
        const char *end = strchr(source, '\n');
        const char *stop = end ? end : source + strlen(source);
        if (!take_line(program, (struct asm_text){source, stop}))
            return false;
        source = end ? end + 1 : stop;
    }
    return true;
}

int mali_isa_assemble(const char *source, uint64_t *words_out, unsigned capacity, unsigned *line_out)
{
    struct program program = {.words = words_out, .capacity = capacity, .is_counting = true};
    program.labels = calloc(LABELS_MAX, sizeof(*program.labels));
    if (!program.labels)
        return MALI_ISA_ERROR_ENCODE;
    bool ok = take_lines(&program, source, line_out);
    program.is_counting = false;
    ok = ok && take_lines(&program, source, line_out);
    free(program.labels);
    return ok ? (int)program.count : MALI_ISA_ERROR_ENCODE;
}
