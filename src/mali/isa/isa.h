/* The instruction set of Mali's Valhall (v9, v10): decoded form, decoder, encoder and text. All of it follows the
 * tables in this folder (table.py). What instructions compute stands in meanings.table (docs/mali-isa.md). */
#ifndef MALI_ISA_ISA_H
#define MALI_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mali/isa/isa_ops.h"

#define MALI_ISA_MAX_TEXT 256 /* no instruction's text is longer, with its NUL */
#define MALI_ISA_SOURCES 4
#define MALI_ISA_STAGING 2
#define MALI_ISA_NUMBERS 2

enum mali_isa_source_kind {
    MALI_ISA_SOURCE_NONE,
    MALI_ISA_SOURCE_REGISTER, /* value: its number */
    MALI_ISA_SOURCE_UNIFORM,  /* value: u<value>, its page included */
    MALI_ISA_SOURCE_CONSTANT, /* value: an index in mali_isa_constants */
    MALI_ISA_SOURCE_SPECIAL,  /* value: twice its place in the page, plus the word */
};

#define MALI_ISA_FLAG_NEG (1u << 0)
#define MALI_ISA_FLAG_ABS (1u << 1)
#define MALI_ISA_FLAG_NOT (1u << 2)
#define MALI_ISA_FLAG_LAST (1u << 3) /* ^: the register's value is not used any more */

struct mali_isa_source {
    uint8_t kind;
    uint8_t value;
    uint8_t flags;
    uint8_t select; /* of the row's selection; its identity where it has none */
};

struct mali_isa_staging {
    uint8_t reg;
    uint8_t count;
};

/* Room for the fields that leaves no hole after them. */
#define MALI_ISA_FIELD_ROOM ((MALI_ISA_FIELD_COUNT + 7) / 8 * 8)

/* One instruction. What a row does not use is zero. */
struct mali_isa_inst {
    uint64_t ignored; /* bits of the word that are not as the row's, and have no known meaning */
    uint32_t number[MALI_ISA_NUMBERS];
    struct mali_isa_source sources[MALI_ISA_SOURCES];
    struct mali_isa_staging staging[MALI_ISA_STAGING];
    uint16_t op;                        /* enum mali_isa_op */
    uint8_t flow;                       /* enum mali_isa_flow_value */
    uint8_t page;                       /* of uniforms and special values */
    uint8_t dst;                        /* a register */
    uint8_t dst_mask;                   /* its halves that are written */
    uint8_t zero[6];                    /* would be a hole otherwise */
    uint8_t field[MALI_ISA_FIELD_ROOM]; /* by enum mali_isa_field */
};
_Static_assert(sizeof(struct mali_isa_inst) == 8 + 8 + 16 + 4 + 12 + MALI_ISA_FIELD_ROOM,
               "no byte of it is padding: instructions are compared byte by byte");

enum mali_isa_error {
    MALI_ISA_ERROR_INVALID = -1, /* no such instruction */
    MALI_ISA_ERROR_ENCODE = -2,  /* what is asked for has no encoding */
};

/* Returns 0 or MALI_ISA_ERROR_INVALID; inst_out means something with 0 alone. */
int mali_isa_decode(uint64_t word, struct mali_isa_inst *inst_out);

/* Returns 0, or MALI_ISA_ERROR_ENCODE where no word decodes to `inst`. */
int mali_isa_encode(const struct mali_isa_inst *inst, uint64_t *word_out);

/* The text as Mesa's disassembler writes it, with a NUL; returns its length. */
unsigned mali_isa_print(const struct mali_isa_inst *inst, char text_out[MALI_ISA_MAX_TEXT]);

/* One instruction's text to its word: all that mali_isa_print writes. Uniforms, constants and staging registers that
 * the hardware cannot read together are refused. Returns 0 or MALI_ISA_ERROR_ENCODE. */
int mali_isa_assemble_line(const char *text, uint64_t *word_out);

/* A program: an instruction on each line, `name:` before one, `offset:name` as a distance, comments after `;` or `//`.
 * Returns the number of instructions, which may be larger than `capacity`, or MALI_ISA_ERROR_ENCODE with the line's
 * number. */
int mali_isa_assemble(const char *source, uint64_t *words_out, unsigned capacity, unsigned *line_out);

/* The instruction with what its text need not say: fields and selections that have a default, both halves of the
 * destination. */
void mali_isa_begin(unsigned op, struct mali_isa_inst *inst_out);
/* Whether the hardware can read the sources together: constants, uniforms and special values go through a buffer of two
 * words; uniforms and special values of one 64-bit entry, or of two in a message. */
bool mali_isa_sources_fit(const struct mali_isa_inst *inst);

const char *mali_isa_name(unsigned op);
enum mali_isa_unit mali_isa_unit(unsigned op);
/* Its results and what it reads of staging registers come and go with a slot. */
bool mali_isa_is_message(unsigned op);

/* The flags MALI_ISA_SOURCE_* and the selection of a row's source. */
unsigned mali_isa_source_flags(unsigned op, unsigned source);
enum mali_isa_selection mali_isa_source_selection(unsigned op, unsigned source);
unsigned mali_isa_source_count(unsigned op);
bool mali_isa_has_dst(unsigned op);
/* How many sets of staging registers it has; which of them the message reads and writes. */
unsigned mali_isa_staging_count(unsigned op);
bool mali_isa_staging_is_read(unsigned op, unsigned staging);
bool mali_isa_staging_is_written(unsigned op, unsigned staging);

extern const uint32_t mali_isa_constants[32];

#endif
