/* The form of the generated tables: layouts made of pieces of bits, suffixes, rows. For this folder alone. */
#ifndef ADRENO_ISA_ISA_TABLES_H
#define ADRENO_ISA_ISA_TABLES_H

#include "adreno/isa/isa.h"

enum adreno_isa_piece_kind {
    ADRENO_ISA_PIECE_FIELD,   /* to: enum adreno_isa_field */
    ADRENO_ISA_PIECE_FLAG,    /* to: enum adreno_isa_place; shift: the flag's bit */
    ADRENO_ISA_PIECE_OPERAND, /* to: enum adreno_isa_place; shift: enum adreno_isa_class */
};

struct adreno_isa_piece {
    uint8_t kind;
    uint8_t to;
    uint8_t low, width; /* in the word */
    uint8_t shift;      /* of a field: where these bits are in it */
    uint8_t is_signed;
    uint8_t size; /* of an operand: enum adreno_isa_size */
};

enum adreno_isa_layout_flag {
    ADRENO_ISA_LAYOUT_FULL = 1 << 0, /* has the field `full`; otherwise the row says it */
    ADRENO_ISA_LAYOUT_RESOURCE = 1 << 1,
};

struct adreno_isa_layout {
    uint64_t ignored;
    const struct adreno_isa_piece *pieces; /* fields, flags, operands, in this order */
    uint8_t piece_count;
    uint8_t flags; /* enum adreno_isa_layout_flag */
};

enum adreno_isa_suffix_style {
    ADRENO_ISA_SUFFIX_NAMES,
    ADRENO_ISA_SUFFIX_NUMBER, /* texts: what is before and after it */
    ADRENO_ISA_SUFFIX_CODE,
    ADRENO_ISA_SUFFIX_LITERAL,
};

struct adreno_isa_suffix {
    const char *const *texts; /* NULL among the names: no such value */
    uint8_t style;
    uint8_t field;
    uint8_t count;
    uint8_t bias;
};

enum adreno_isa_item_kind {
    ADRENO_ISA_ITEM_OPERAND,
    ADRENO_ISA_ITEM_TARGET,     /* of a branch */
    ADRENO_ISA_ITEM_TYPED,      /* a texture instruction's destination, with type and mask */
    ADRENO_ISA_ITEM_MASKED,     /* the same without a type */
    ADRENO_ISA_ITEM_OPTIONAL,   /* is there with the fields `offsets` or `clamp`, or as an immediate */
    ADRENO_ISA_ITEM_ADDRESS,    /* with the signed field `offset` */
    ADRENO_ISA_ITEM_ADDRESS_UP, /* with the unsigned field `offset` */
    ADRENO_ISA_ITEM_INDEXED,    /* src0 with a scaled src1 */
    ADRENO_ISA_ITEM_OFFSET,     /* the field `offset` alone */
    ADRENO_ISA_ITEM_A1,
    ADRENO_ISA_ITEM_SIZE,    /* the field `size` */
    ADRENO_ISA_ITEM_SAMPLER, /* not written by itself: that the resource has a sampler, or a texture */
    ADRENO_ISA_ITEM_TEXTURE,
};

struct adreno_isa_item {
    char bracket; /* 0: none; a letter of memory */
    uint8_t kind;
    uint8_t place; /* enum adreno_isa_place */
};

struct adreno_isa_row {
    const char *name;
    uint64_t match, mask;
    uint8_t layout;
    uint8_t properties; /* ADRENO_ISA_PROP_* */
    uint8_t suffix_count, item_count;
    uint8_t suffixes[7];
    struct adreno_isa_item items[5];
};

extern const struct adreno_isa_layout adreno_isa_layouts[];
extern const struct adreno_isa_suffix adreno_isa_suffixes[];
extern const struct adreno_isa_row adreno_isa_rows[ADRENO_ISA_OP_COUNT];
extern const uint16_t adreno_isa_categories[9]; /* the first row of each category, and the end */

/* The meaning of the upper three bits of the class `any`. */
enum adreno_isa_any {
    ADRENO_ISA_ANY_GPR = 0,
    ADRENO_ISA_ANY_RELATIVE = 1,
    ADRENO_ISA_ANY_CONST = 2,
    ADRENO_ISA_ANY_NUMBER = 4,
    ADRENO_ISA_ANY_FLOAT = 5,
};

#define ADRENO_ISA_LAST_BIT (1u << 10)       /* of a register in the classes any, short and move: its last use */
#define ADRENO_ISA_HALF_FLOAT_BIT (1u << 10) /* of a float of the table */

/* The field `src_kind` of mov. */
enum adreno_isa_move {
    ADRENO_ISA_MOVE_GPR = 0, /* also relative */
    ADRENO_ISA_MOVE_CONST = 1,
    ADRENO_ISA_MOVE_NUMBER = 2,
};

/* Whether a row has all fixed bits of another, and more: movs is a mov by the other's. */
static inline bool adreno_isa_is_special_case(const struct adreno_isa_row *row, const struct adreno_isa_row *of)
{
    return row->mask != of->mask && (row->mask & of->mask) == of->mask && !((row->match ^ of->match) & of->mask);
}

/* The pieces of a word, filled in, whether or not it decodes to `inst`. */
uint64_t adreno_isa_pack(const struct adreno_isa_inst *inst);

static inline bool adreno_isa_row_has(const struct adreno_isa_row *row, enum adreno_isa_item_kind kind)
{
    for (unsigned i = 0; i < row->item_count; i++) {
        if (row->items[i].kind == kind)
            return true;
    }
    return false;
}

#endif
