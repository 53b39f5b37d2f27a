/* An instruction's text: name, fields, flow, then operands. */
#include "mali/isa/isa_tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
    char *out;
    unsigned length;
    bool has_operand;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->out + text->length, MALI_ISA_MAX_TEXT - text->length, format, args);
    va_end(args);
    text->length += length > 0 ? (unsigned)length : 0;
    if (text->length >= MALI_ISA_MAX_TEXT)
        text->length = MALI_ISA_MAX_TEXT - 1;
}

static void print_comma(struct text *text)
{
    add(text, "%s", text->has_operand ? ", " : "");
    text->has_operand = true;
}

static void print_value(struct text *text, const struct mali_isa_names *names, unsigned value)
{
    if ((int)value != names->default_value && value < names->count && names->names[value])
        add(text, ".%s", names->names[value]);
}

static void print_staging(struct text *text, const struct mali_isa_staging *staging)
{
    print_comma(text);
    add(text, "@");
    for (unsigned i = 0; i < staging->count; i++)
        add(text, "%sr%u", i ? ":" : "", staging->reg + i);
}

static void print_source(struct text *text, const struct mali_isa_inst *inst, const struct mali_isa_row_source *row,
                         const struct mali_isa_source *source)
{
    print_comma(text);
    switch ((enum mali_isa_source_kind)source->kind) {
    case MALI_ISA_SOURCE_REGISTER:
        add(text, "%sr%u", source->flags & MALI_ISA_FLAG_LAST ? "^" : "", source->value);
        break;
    case MALI_ISA_SOURCE_UNIFORM:
        add(text, "u%u", source->value);
        break;
    case MALI_ISA_SOURCE_CONSTANT:
        add(text, "0x%" PRIX32, mali_isa_constants[source->value]);
        break;
    case MALI_ISA_SOURCE_SPECIAL:
        add(text, "%s.w%u", mali_isa_specials[inst->page][source->value / 2], source->value % 2);
        break;
    case MALI_ISA_SOURCE_NONE:
        break;
    }
    add(text, "%s%s", source->flags & MALI_ISA_FLAG_NEG ? ".neg" : "", source->flags & MALI_ISA_FLAG_ABS ? ".abs" : "");
    if (row->selection != MALI_ISA_SELECT_NO)
        print_value(text, &mali_isa_selections[row->selection], source->select);
    add(text, "%s", source->flags & MALI_ISA_FLAG_NOT ? ".not" : "");
}

static void print_number(struct text *text, const struct mali_isa_row_number *row, uint32_t value)
{
    print_comma(text);
    if (row->width == 32)
        add(text, "#0x%" PRIX32, value);
    else if (row->is_signed)
        add(text, "%s:%" PRId32, row->name, (int32_t)value);
    else
        add(text, "%s:0x%" PRIX32, row->name, value);
}

unsigned mali_isa_print(const struct mali_isa_inst *inst, char text_out[MALI_ISA_MAX_TEXT])
{
    static const char *const halves[] = {".?", ".h0", ".h1", ""};
    const struct mali_isa_row *row = &mali_isa_rows[inst->op];
    struct text text = {text_out, 0, false};
    add(&text, "%s", row->name);
    for (unsigned i = 0; i < row->field_count; i++)
        print_value(&text, &mali_isa_fields[row->fields[i]], inst->field[row->fields[i]]);
    print_value(&text, &mali_isa_fields[MALI_ISA_FIELD_FLOW], inst->flow);
    add(&text, " ");
    if (row->has_dst) {
        print_comma(&text);
        add(&text, "r%u%s", inst->dst, halves[inst->dst_mask & 3]);
    }
    for (unsigned i = 0; i < row->staging_count; i++)
        print_staging(&text, &inst->staging[i]);
    for (unsigned i = 0; i < row->source_count; i++)
        print_source(&text, inst, &row->sources[i], &inst->sources[i]);
    for (unsigned i = 0; i < row->number_count; i++)
        print_number(&text, &row->numbers[i], inst->number[i]);
    if (!text.has_operand)
        text_out[--text.length] = 0;
    return text.length;
}
