/* The form of the generated tables. For this folder alone. */
#ifndef MALI_ISA_ISA_TABLES_H
#define MALI_ISA_ISA_TABLES_H

#include "mali/isa/isa.h"

/* Names of the values of a field or a selection. */
struct mali_isa_names {
    const char *const *names; /* NULL: no known meaning; of a flag: not set */
    uint8_t low, width;
    uint8_t count;
    int8_t default_value; /* what is not written; -1: all are */
    uint8_t is_flag;
};

struct mali_isa_row_source {
    uint8_t low;
    uint8_t selection, selection_low;
    uint8_t flags; /* MALI_ISA_SOURCE_* */
};

struct mali_isa_row_staging {
    uint8_t kind, low;
};

struct mali_isa_row_number {
    const char *name;
    uint8_t low, width, is_signed;
};

#define MALI_ISA_ROW_FIELDS 13

struct mali_isa_row {
    const char *name;
    uint64_t match, mask;
    uint64_t known; /* all bits that mean something, the opcode's among them */
    uint64_t fixed; /* of the others: those that are set */
    uint8_t unit;
    uint8_t has_dst;
    uint8_t field_count, staging_count, source_count, number_count;
    uint8_t fields[MALI_ISA_ROW_FIELDS];
    struct mali_isa_row_staging staging[MALI_ISA_STAGING];
    struct mali_isa_row_source sources[MALI_ISA_SOURCES];
    struct mali_isa_row_number numbers[MALI_ISA_NUMBERS];
};

/* By enum mali_isa_field; the flow is the last one. */
extern const struct mali_isa_names mali_isa_fields[MALI_ISA_FIELD_COUNT + 1];
#define MALI_ISA_FIELD_FLOW MALI_ISA_FIELD_COUNT
extern const struct mali_isa_names mali_isa_selections[MALI_ISA_SELECT_COUNT];
extern const char *const mali_isa_specials[4][16];
extern const struct mali_isa_row mali_isa_rows[MALI_ISA_OP_COUNT];
/* Rows by opcode. */
extern const uint16_t mali_isa_by_opcode[];
extern const uint16_t mali_isa_opcode_start[513];

#define MALI_ISA_PAGE_LOW 57
#define MALI_ISA_SPECIAL_FIRST 32 /* of the values of a source: constants before, special values from here on */

static inline uint32_t mali_isa_bits(uint64_t word, unsigned low, unsigned width)
{
    return (uint32_t)(word >> low & ((1ull << width) - 1));
}

/* Where a source's neg bit is; abs is the next one. */
static inline unsigned mali_isa_neg_low(const struct mali_isa_row_source *source)
{
    return 34 + (2 - source->low / 8) * 2;
}

#define MALI_ISA_NOT_LOW 35

/* Where the number of staging registers is, and what is added to it. */
static inline bool mali_isa_counts_writes(const struct mali_isa_row_staging *staging)
{
    return staging->kind == MALI_ISA_STAGING_WRITES || staging->low == 16;
}

#endif
