/* The assembler's operands. */
#include "mali/isa/asm_internal.h"

#include <string.h>

void mali_isa_asm_skip_spaces(struct asm_text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
        text->at++;
}

static bool mali_isa_asm_take(struct asm_text *text, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* A decimal or hexadecimal number, with a sign. */
static bool mali_isa_asm_number(struct asm_text *text, int64_t *value_out)
{
    const bool is_negative = mali_isa_asm_take(text, "-");
    const int base = mali_isa_asm_take(text, "0x") ? 16 : 10;
    const char *first = text->at;
    int64_t value = 0;
    while (text->at < text->end && digit_of(*text->at) < base && value < INT64_C(1) << 40)
        value = value * base + digit_of(*text->at++);
    *value_out = is_negative ? -value : value;
    return text->at > first;
}

bool mali_isa_asm_name(struct asm_text *text, const struct mali_isa_names *names, unsigned *value_out,
                       unsigned *length_out)
{
    *length_out = 0;
    for (unsigned i = 0; i < names->count; i++) {
        const size_t length = names->names[i] ? strlen(names->names[i]) : 0, left = (size_t)(text->end - text->at);
        if (!length || left < length + 1 || text->at[0] != '.' || memcmp(text->at + 1, names->names[i], length) != 0)
            continue;
        if (left > length + 1 && text->at[length + 1] != '.')
            continue;
        if (length + 1 > *length_out) {
            *length_out = (unsigned)length + 1;
            *value_out = i;
        }
    }
    return *length_out != 0;
}

static bool take_register(struct asm_text *text, uint8_t *reg_out)
{
    int64_t number;
    if (!mali_isa_asm_take(text, "r") || !mali_isa_asm_number(text, &number) || number < 0 || number > 63)
        return false;
    *reg_out = (uint8_t)number;
    return true;
}

bool mali_isa_asm_dst(struct asm_text text, struct mali_isa_inst *inst)
{
    if (!take_register(&text, &inst->dst))
        return false;
    inst->dst_mask = mali_isa_asm_take(&text, ".h0") ? 1 : mali_isa_asm_take(&text, ".h1") ? 2 : 3;
    return text.at == text.end;
}

bool mali_isa_asm_staging(struct asm_text text, const struct mali_isa_row_staging *row,
                          struct mali_isa_staging *staging)
{
    if (!mali_isa_asm_take(&text, "@"))
        return false;
    for (staging->count = 0; text.at < text.end; staging->count++) {
        uint8_t reg;
        if ((staging->count && !mali_isa_asm_take(&text, ":")) || !take_register(&text, &reg))
            return false;
        if (!staging->count)
            staging->reg = reg;
        else if (reg != staging->reg + staging->count)
            return false;
    }
    const unsigned most = mali_isa_counts_writes(row) ? 8 : 7;
    const bool is_aligned = staging->count < 2 || staging->reg % 2 == 0; /* several begin at a pair */
    return staging->count <= most && is_aligned;
}

/* ---- sources ---- */

static bool take_special(struct asm_text *text, struct mali_isa_source *source, unsigned *page_out)
{
    for (unsigned page = 0; page < 4; page++) {
        for (unsigned i = 0; i < 16; i++) {
            const char *name = mali_isa_specials[page][i];
            struct asm_text rest = *text;
            if (!name || !mali_isa_asm_take(&rest, name) || (rest.at < rest.end && *rest.at != '.'))
                continue;
            *text = rest;
            *page_out = page;
            source->kind = MALI_ISA_SOURCE_SPECIAL;
            source->value = (uint8_t)(i * 2);
            if (mali_isa_asm_take(text, ".w1"))
                source->value++;
            else
                return mali_isa_asm_take(text, ".w0");
            return true;
        }
    }
    return false;
}

static bool take_constant(struct asm_text *text, struct mali_isa_source *source)
{
    int64_t number;
    struct asm_text rest = *text;
    if (!mali_isa_asm_take(&rest, "0x") || !mali_isa_asm_number(text, &number))
        return false;
    for (unsigned i = 0; i < 32; i++) {
        if (mali_isa_constants[i] == number) {
            source->kind = MALI_ISA_SOURCE_CONSTANT;
            source->value = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Its page is 4 where it needs none. */
static bool take_base(struct asm_text *text, struct mali_isa_source *source, unsigned *page_out)
{
    int64_t number;
    *page_out = 4;
    if (mali_isa_asm_take(text, "^"))
        source->flags = MALI_ISA_FLAG_LAST;
    struct asm_text rest = *text;
    if (take_register(&rest, &source->value)) {
        source->kind = MALI_ISA_SOURCE_REGISTER;
        *text = rest;
        return true;
    }
    if (source->flags)
        return false;
    rest = *text;
    if (mali_isa_asm_take(&rest, "u") && mali_isa_asm_number(&rest, &number) && number >= 0 && number < 256) {
        source->kind = MALI_ISA_SOURCE_UNIFORM;
        source->value = (uint8_t)number;
        *page_out = (unsigned)number / 64;
        *text = rest;
        return true;
    }
    return take_constant(text, source) || take_special(text, source, page_out);
}

static bool take_modifier(struct asm_text *text, const struct mali_isa_row_source *row, struct mali_isa_source *source,
                          bool *is_selected)
{
    static const struct {
        const char *text;
        uint8_t needs, flag;
    } modifiers[] = {{".neg", MALI_ISA_SOURCE_ABSNEG, MALI_ISA_FLAG_NEG},
                     {".abs", MALI_ISA_SOURCE_ABSNEG, MALI_ISA_FLAG_ABS},
                     {".not", MALI_ISA_SOURCE_NOT, MALI_ISA_FLAG_NOT}};
    for (unsigned i = 0; i < 3; i++) {
        if (row->flags & modifiers[i].needs && !(source->flags & modifiers[i].flag) &&
            mali_isa_asm_take(text, modifiers[i].text)) {
            source->flags |= modifiers[i].flag;
            return true;
        }
    }
    unsigned value, length;
    if (row->selection == MALI_ISA_SELECT_NO || *is_selected ||
        !mali_isa_asm_name(text, &mali_isa_selections[row->selection], &value, &length))
        return false;
    *is_selected = true;
    source->select = (uint8_t)value;
    text->at += length;
    return true;
}

bool mali_isa_asm_source(struct asm_text text, const struct mali_isa_row *row, unsigned index,
                         struct mali_isa_inst *inst, bool *has_page)
{
    const struct mali_isa_row_source *form = &row->sources[index];
    struct mali_isa_source *source = &inst->sources[index];
    unsigned page;
    bool is_selected = false;
    if (!take_base(&text, source, &page) || (page < 4 && *has_page && inst->page != page))
        return false;
    if (page < 4) {
        inst->page = (uint8_t)page;
        *has_page = true;
    }
    while (text.at < text.end) {
        if (!take_modifier(&text, form, source, &is_selected))
            return false;
    }
    if (form->selection != MALI_ISA_SELECT_NO && !is_selected) {
        const int value = mali_isa_selections[form->selection].default_value;
        source->select = (uint8_t)value;
        return value >= 0;
    }
    return true;
}

bool mali_isa_asm_immediate(struct asm_text text, const struct mali_isa_row_number *row, uint32_t *value_out)
{
    int64_t value;
    if (row->width == 32) {
        if (!mali_isa_asm_take(&text, "#"))
            return false;
    } else if (!mali_isa_asm_take(&text, row->name) || !mali_isa_asm_take(&text, ":")) {
        return false;
    }
    if (!mali_isa_asm_number(&text, &value) || text.at != text.end)
        return false;
    const int64_t limit = INT64_C(1) << (row->width - row->is_signed);
    *value_out = (uint32_t)value;
    return value < limit && value >= (row->is_signed ? -limit : 0);
}

/* ---- what can be read together ---- */

bool mali_isa_sources_fit(const struct mali_isa_inst *inst)
{
    const bool is_message = mali_isa_is_message(inst->op);
    uint64_t words[4] = {0}, entries[4] = {0}; /* by kind: bits for the numbers of words */
    unsigned all = 0, uniform_words = 0, slots = 0;
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++) {
        const struct mali_isa_source *source = &inst->sources[i];
        if (source->kind < MALI_ISA_SOURCE_UNIFORM)
            continue;
        const unsigned kind = source->kind - MALI_ISA_SOURCE_UNIFORM, number = source->value % 64;
        const bool is_new = !(words[kind] >> number & 1);
        words[kind] |= 1ull << number;
        all += is_new;
        if (source->kind == MALI_ISA_SOURCE_CONSTANT)
            continue;
        uniform_words += is_new;
        slots += !(entries[kind] >> number / 2 & 1);
        entries[kind] |= 1ull << number / 2;
    }
    return all <= 2 && uniform_words <= (is_message ? 3u : 2u) && slots <= (is_message ? 2u : 1u);
}
