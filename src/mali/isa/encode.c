/* From an instruction to its word. The pieces are filled in, and the decoder is asked whether that is what was meant:
 * one place knows what is valid. */
#include "mali/isa/isa_tables.h"

#include <string.h>

static uint64_t piece(uint64_t value, unsigned low, unsigned width)
{
    return (value & ((1ull << width) - 1)) << low;
}

static uint64_t pack_source(const struct mali_isa_row_source *row, const struct mali_isa_source *source)
{
    static const uint8_t kinds[] = {
        [MALI_ISA_SOURCE_REGISTER] = 0x00,
        [MALI_ISA_SOURCE_UNIFORM] = 0x80,
        [MALI_ISA_SOURCE_CONSTANT] = 0xc0,
        [MALI_ISA_SOURCE_SPECIAL] = 0xc0 + MALI_ISA_SPECIAL_FIRST,
    };
    uint64_t word = piece(kinds[source->kind & 7] | (source->value & 0x3f), row->low, 8);
    if (source->flags & MALI_ISA_FLAG_LAST)
        word |= piece(0x40, row->low, 8);
    if (row->flags & MALI_ISA_SOURCE_ABSNEG)
        word |= piece(source->flags & (MALI_ISA_FLAG_NEG | MALI_ISA_FLAG_ABS), mali_isa_neg_low(row), 2);
    if (row->flags & MALI_ISA_SOURCE_NOT && source->flags & MALI_ISA_FLAG_NOT)
        word |= 1ull << MALI_ISA_NOT_LOW;
    if (row->selection != MALI_ISA_SELECT_NO)
        word |= piece(source->select, row->selection_low, mali_isa_selections[row->selection].width);
    return word;
}

static uint64_t pack_fields(const struct mali_isa_row *row, const struct mali_isa_inst *inst)
{
    const struct mali_isa_names *flow = &mali_isa_fields[MALI_ISA_FIELD_FLOW];
    uint64_t word = row->match | row->fixed;
    word |= piece(inst->page, MALI_ISA_PAGE_LOW, 2) | piece(inst->flow, flow->low, flow->width);
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct mali_isa_names *field = &mali_isa_fields[row->fields[i]];
        word |= piece(inst->field[row->fields[i]], field->low, field->width);
    }
    if (row->has_dst)
        word |= piece(inst->dst, 40, 6) | piece(inst->dst_mask, 46, 2);
    for (unsigned i = 0; i < row->staging_count; i++) {
        const bool is_write = mali_isa_counts_writes(&row->staging[i]);
        word |= piece(inst->staging[i].reg, row->staging[i].low, 6);
        word |= piece((uint64_t)inst->staging[i].count - is_write, is_write ? 36 : 33, 3);
    }
    for (unsigned i = 0; i < row->source_count; i++)
        word |= pack_source(&row->sources[i], &inst->sources[i]);
    for (unsigned i = 0; i < row->number_count; i++)
        word |= piece(inst->number[i], row->numbers[i].low, row->numbers[i].width);
    return word ^ inst->ignored;
}

void mali_isa_begin(unsigned op, struct mali_isa_inst *inst_out)
{
    const struct mali_isa_row *row = &mali_isa_rows[op];
    *inst_out = (struct mali_isa_inst){.op = (uint16_t)op, .dst_mask = row->has_dst ? 3 : 0};
    for (unsigned i = 0; i < row->field_count; i++) {
        const int value = mali_isa_fields[row->fields[i]].default_value;
        inst_out->field[row->fields[i]] = (uint8_t)(value < 0 ? 0 : value);
    }
    for (unsigned i = 0; i < row->source_count; i++) {
        const int value = mali_isa_selections[row->sources[i].selection].default_value;
        inst_out->sources[i].select = (uint8_t)(value < 0 ? 0 : value);
    }
}

int mali_isa_encode(const struct mali_isa_inst *inst, uint64_t *word_out)
{
    if (inst->op >= MALI_ISA_OP_COUNT)
        return MALI_ISA_ERROR_ENCODE;
    const uint64_t word = pack_fields(&mali_isa_rows[inst->op], inst);
    struct mali_isa_inst again;
    if (mali_isa_decode(word, &again) != 0 || memcmp(&again, inst, sizeof(again)) != 0)
        return MALI_ISA_ERROR_ENCODE;
    *word_out = word;
    return 0;
}
