/* The instruction set of Adreno's A6xx (ir3): decoded form, decoder, encoder and text. All of it follows the tables in
 * this folder (table.py). What instructions compute stands in meanings.table (docs/adreno-isa.md). */
#ifndef ADRENO_ISA_ISA_H
#define ADRENO_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adreno/isa/isa_ops.h"

#define ADRENO_ISA_MAX_TEXT 256 /* no instruction's text is longer, with its NUL */

/* Registers have four components: number * 4 + component. These are not general ones. */
#define ADRENO_ISA_REG_A0 (61 * 4)
#define ADRENO_ISA_REG_A1 (ADRENO_ISA_REG_A0 + 1)
#define ADRENO_ISA_REG_P0 (62 * 4)
#define ADRENO_ISA_REG_SHARED (48 * 4) /* from here to a0: shared by all fibers of a wave */

enum adreno_isa_operand_kind {
    ADRENO_ISA_OPERAND_NONE,
    ADRENO_ISA_OPERAND_GPR,            /* value: register * 4 + component */
    ADRENO_ISA_OPERAND_CONST,          /* value: the same of a constant */
    ADRENO_ISA_OPERAND_GPR_RELATIVE,   /* value: components that are added to a0.x */
    ADRENO_ISA_OPERAND_CONST_RELATIVE, /* the same */
    ADRENO_ISA_OPERAND_NUMBER,         /* value: an immediate; bits of a float where mov's type is one */
    ADRENO_ISA_OPERAND_FLOAT,          /* value: an index in the table of floats */
    ADRENO_ISA_OPERAND_PREDICATE,      /* value: component of p0 */
    ADRENO_ISA_OPERAND_CONST_A1,       /* value: dwords that are added to a1.x */
};

struct adreno_isa_operand {
    uint8_t kind;
    uint8_t flags; /* ADRENO_ISA_FLAG_* */
    uint16_t zero; /* would be a hole otherwise */
    int32_t value;
};

/* Room for the fields that leaves no hole after them. */
#define ADRENO_ISA_FIELD_ROOM ((ADRENO_ISA_FIELD_COUNT + 1) / 4 * 4 + 2)

/* One instruction. What a row does not use is zero. */
struct adreno_isa_inst {
    uint64_t ignored; /* bits of the word that have no known meaning */
    struct adreno_isa_operand operands[ADRENO_ISA_PLACE_COUNT];
    int16_t field[ADRENO_ISA_FIELD_ROOM]; /* by enum adreno_isa_field */
    uint16_t op;                          /* enum adreno_isa_op */
    uint16_t nop;                         /* issue slots that pass after it, 0 to 3 */
};
_Static_assert(sizeof(struct adreno_isa_inst) == 8 + 8 * ADRENO_ISA_PLACE_COUNT + 2 * ADRENO_ISA_FIELD_ROOM + 4,
               "no byte of it is padding: instructions are compared byte by byte");

enum adreno_isa_error {
    ADRENO_ISA_ERROR_INVALID = -1, /* no such instruction */
    ADRENO_ISA_ERROR_ENCODE = -2,  /* what is asked for has no encoding */
};

/* Returns 0 or ADRENO_ISA_ERROR_INVALID; inst_out means something with 0 alone. */
int adreno_isa_decode(uint64_t word, struct adreno_isa_inst *inst_out);

/* Returns 0, or ADRENO_ISA_ERROR_ENCODE where no word decodes to `inst`. */
int adreno_isa_encode(const struct adreno_isa_inst *inst, uint64_t *word_out);

/* The text as Mesa's disassembler writes it, with a NUL; returns its length. */
unsigned adreno_isa_print(const struct adreno_isa_inst *inst, char text_out[ADRENO_ISA_MAX_TEXT]);

/* One instruction's text to its word: all that adreno_isa_print writes. Bits without a known meaning are zero. Returns
 * 0 or ADRENO_ISA_ERROR_ENCODE. */
int adreno_isa_assemble_line(const char *text, uint64_t *word_out);

/* A program: an instruction on each line, `name:` before one, `#name` as a distance, comments after `;` or `//`.
 * Returns the number of instructions, which may be larger than `capacity`, or ADRENO_ISA_ERROR_ENCODE with the line's
 * number. */
int adreno_isa_assemble(const char *source, uint64_t *words_out, unsigned capacity, unsigned *line_out);

const char *adreno_isa_name(unsigned op);

/* The upper three bits of the field `resource` where `indirect` is set: where the numbers of texture and sampler
 * are. */
enum adreno_isa_resource_mode {
    ADRENO_ISA_RESOURCE_UNIFORM,
    ADRENO_ISA_RESOURCE_A1_UNIFORM,
    ADRENO_ISA_RESOURCE_BINDLESS_NONUNIFORM,
    ADRENO_ISA_RESOURCE_A1_NONUNIFORM,
    ADRENO_ISA_RESOURCE_NONUNIFORM,
    ADRENO_ISA_RESOURCE_BINDLESS_UNIFORM,
    ADRENO_ISA_RESOURCE_IMM,
    ADRENO_ISA_RESOURCE_A1_IMM,
};

/* Which texture and sampler an instruction of category 5 names. */
struct adreno_isa_resource {
    bool has_sampler, has_texture; /* numbers of the instruction's own */
    bool has_register;             /* the numbers are in `reg` */
    bool has_a1;                   /* a1.x has what is missing */
    bool is_bindless;              /* numbers in the descriptor set `base` */
    bool is_uniform, is_nonuniform;
    uint8_t sampler, texture, reg, base;
};

struct adreno_isa_resource adreno_isa_resource(const struct adreno_isa_inst *inst);

#endif
