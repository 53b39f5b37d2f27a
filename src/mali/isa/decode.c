/* From a word to its instruction, and what a row says of its operands. */
#include "mali/isa/isa_tables.h"

#include <string.h>

static const struct mali_isa_row *find_row(uint64_t word)
{
    const unsigned opcode = mali_isa_bits(word, 48, 9);
    for (unsigned i = mali_isa_opcode_start[opcode]; i < mali_isa_opcode_start[opcode + 1]; i++) {
        const struct mali_isa_row *row = &mali_isa_rows[mali_isa_by_opcode[i]];
        if ((word & row->mask) == row->match)
            return row;
    }
    return NULL;
}

/* A value that has no name is no value; a flag that is not set has none either. */
static bool decode_names(const struct mali_isa_names *names, uint64_t word, unsigned low, uint8_t *value_out)
{
    const uint32_t value = mali_isa_bits(word, low, names->width);
    *value_out = (uint8_t)value;
    return value < names->count && (names->names[value] || names->is_flag);
}

static bool decode_source(const struct mali_isa_row_source *row, uint64_t word, struct mali_isa_inst *inst,
                          struct mali_isa_source *source)
{
    const uint32_t byte = mali_isa_bits(word, row->low, 8), value = byte & 0x3f;
    switch (byte >> 6) {
    case 0:
    case 1:
        source->kind = MALI_ISA_SOURCE_REGISTER;
        source->value = (uint8_t)value;
        source->flags = byte >> 6 ? MALI_ISA_FLAG_LAST : 0;
        break;
    case 2:
        source->kind = MALI_ISA_SOURCE_UNIFORM;
        source->value = (uint8_t)(value | (uint32_t)inst->page << 6);
        break;
    default:
        source->kind = value < MALI_ISA_SPECIAL_FIRST ? MALI_ISA_SOURCE_CONSTANT : MALI_ISA_SOURCE_SPECIAL;
        source->value = value % MALI_ISA_SPECIAL_FIRST;
        if (source->kind == MALI_ISA_SOURCE_SPECIAL && !mali_isa_specials[inst->page][source->value / 2])
            return false;
    }
    if (row->flags & MALI_ISA_SOURCE_ABSNEG)
        source->flags |= (uint8_t)mali_isa_bits(word, mali_isa_neg_low(row), 2); /* neg, abs */
    if (row->flags & MALI_ISA_SOURCE_NOT && mali_isa_bits(word, MALI_ISA_NOT_LOW, 1))
        source->flags |= MALI_ISA_FLAG_NOT;
    return row->selection == MALI_ISA_SELECT_NO ||
           decode_names(&mali_isa_selections[row->selection], word, row->selection_low, &source->select);
}

int mali_isa_decode(uint64_t word, struct mali_isa_inst *inst_out)
{
    const struct mali_isa_row *row = find_row(word);
    memset(inst_out, 0, sizeof(*inst_out));
    if (!row || !word || word >> 63) /* zeros are what follows a program */
        return MALI_ISA_ERROR_INVALID;
    inst_out->op = (uint16_t)(row - mali_isa_rows);
    inst_out->page = (uint8_t)mali_isa_bits(word, MALI_ISA_PAGE_LOW, 2);
    const struct mali_isa_names *flow = &mali_isa_fields[MALI_ISA_FIELD_FLOW];
    bool ok = decode_names(flow, word, flow->low, &inst_out->flow);
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct mali_isa_names *field = &mali_isa_fields[row->fields[i]];
        ok &= decode_names(field, word, field->low, &inst_out->field[row->fields[i]]);
    }
    if (row->has_dst) {
        inst_out->dst = (uint8_t)mali_isa_bits(word, 40, 6);
        inst_out->dst_mask = (uint8_t)mali_isa_bits(word, 46, 2);
        ok &= inst_out->dst_mask != 0;
    }
    for (unsigned i = 0; i < row->staging_count; i++) {
        const bool is_write = mali_isa_counts_writes(&row->staging[i]);
        inst_out->staging[i].reg = (uint8_t)mali_isa_bits(word, row->staging[i].low, 6);
        inst_out->staging[i].count = (uint8_t)(mali_isa_bits(word, is_write ? 36 : 33, 3) + is_write);
    }
    for (unsigned i = 0; i < row->source_count; i++)
        ok &= decode_source(&row->sources[i], word, inst_out, &inst_out->sources[i]);
    for (unsigned i = 0; i < row->number_count; i++) {
        const struct mali_isa_row_number *number = &row->numbers[i];
        uint32_t value = mali_isa_bits(word, number->low, number->width);
        if (number->is_signed && value >> (number->width - 1))
            value |= ~0u << number->width;
        inst_out->number[i] = value;
    }
    inst_out->ignored = (word ^ row->fixed) & ~row->known;
    return ok ? 0 : MALI_ISA_ERROR_INVALID;
}

/* ---- what a row says ---- */

const char *mali_isa_name(unsigned op)
{
    return op < MALI_ISA_OP_COUNT ? mali_isa_rows[op].name : "?";
}

enum mali_isa_unit mali_isa_unit(unsigned op)
{
    return (enum mali_isa_unit)mali_isa_rows[op].unit;
}

bool mali_isa_is_message(unsigned op)
{
    return mali_isa_rows[op].unit > MALI_ISA_UNIT_SFU;
}

unsigned mali_isa_source_flags(unsigned op, unsigned source)
{
    return mali_isa_rows[op].sources[source].flags;
}

enum mali_isa_selection mali_isa_source_selection(unsigned op, unsigned source)
{
    return (enum mali_isa_selection)mali_isa_rows[op].sources[source].selection;
}

unsigned mali_isa_source_count(unsigned op)
{
    return mali_isa_rows[op].source_count;
}

bool mali_isa_has_dst(unsigned op)
{
    return mali_isa_rows[op].has_dst;
}

unsigned mali_isa_staging_count(unsigned op)
{
    return mali_isa_rows[op].staging_count;
}

/* The second set of an instruction that has two is what it reads. */
bool mali_isa_staging_is_read(unsigned op, unsigned staging)
{
    const struct mali_isa_row_staging *row = &mali_isa_rows[op].staging[staging];
    return row->kind == MALI_ISA_STAGING_READ || row->kind == MALI_ISA_STAGING_RW ||
           row->kind == MALI_ISA_STAGING_PLAIN;
}

bool mali_isa_staging_is_written(unsigned op, unsigned staging)
{
    const struct mali_isa_row_staging *row = &mali_isa_rows[op].staging[staging];
    return row->kind == MALI_ISA_STAGING_WRITE || row->kind == MALI_ISA_STAGING_WRITES;
}
