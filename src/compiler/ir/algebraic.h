/* The rules of algebraic.table as data. Used by opt_algebraic.c and by the test that proves them. */
#ifndef COMPILER_IR_ALGEBRAIC_H
#define COMPILER_IR_ALGEBRAIC_H

#include <stdbool.h>
#include <stdint.h>

#define ALGEBRAIC_LETTERS 4

enum algebraic_kind {
    ALGEBRAIC_LETTER,
    ALGEBRAIC_INT,
    ALGEBRAIC_FLOAT,
    ALGEBRAIC_OP
};

struct algebraic_node {
    uint8_t kind;
    uint8_t letter;
    bool constant; /* #a */
    bool once;     /* ~(…) */
    uint8_t bits;  /* (op@32 …), and 1 of true and false; 0: not said */
    uint8_t num_srcs;
    uint16_t op;
    uint16_t srcs[4];
    int64_t value;
    double number;
};

enum algebraic_test {
    ALGEBRAIC_POW2,       /* letter */
    ALGEBRAIC_BELOW,      /* letter, value; 0: the pattern's width */
    ALGEBRAIC_SUM_BELOW,  /* two letters: their sum is below the pattern's width */
    ALGEBRAIC_DIFFER,     /* two letters */
    ALGEBRAIC_SAME_BITS,  /* letter, value */
    ALGEBRAIC_SAME_WIDTH, /* letter: as wide as the result */
    ALGEBRAIC_AT_MOST,    /* letter, value */
    ALGEBRAIC_WIDTH,      /* value: a mask, the sum of the widths of the result that are allowed */
    ALGEBRAIC_NSZ,
    ALGEBRAIC_NONAN,
    ALGEBRAIC_INEXACT,
    ALGEBRAIC_ANY_ROUNDING, /* the root's immediate `rounding` is not towards zero */
};

struct algebraic_condition {
    uint8_t test;
    uint8_t letters[2];
    uint32_t value;
};

struct algebraic_rule {
    uint16_t pattern, replacement; /* of algebraic_nodes */
    uint16_t first_condition, num_conditions;
    const char *text;
};

extern const struct algebraic_node algebraic_nodes[];
extern const struct algebraic_condition algebraic_conditions[];
extern const struct algebraic_rule
    algebraic_rules[]; /* sorted by the pattern's operation, in the table's order within it */
extern const uint32_t algebraic_rule_count;
extern const uint16_t algebraic_first_rule[]; /* by operation; the end is the next operation's */

#endif
