/* Huffman codes of deflate.c. */
#ifndef UTIL_DEFLATE_CODE_H
#define UTIL_DEFLATE_CODE_H

#include <stdint.h>

enum {
    DEFLATE_LITERALS = 286,
    DEFLATE_WORDS = 288, /* of the fixed code for them */
    DEFLATE_DISTANCES = 30,
    DEFLATE_LENGTHS = 19, /* symbols of the code that code lengths are written in */
    DEFLATE_BITS_MAX = 15,
};

struct deflate_code {
    uint16_t words[DEFLATE_WORDS]; /* the first bit lowest */
    uint8_t bits[DEFLATE_WORDS];   /* 0: the symbol does not occur */
};

/* The best code for symbols that occur so often, none longer than `bits_max`. One symbol alone has one bit. */
void deflate_make_code(struct deflate_code *code, const uint32_t *counts, unsigned symbols, unsigned bits_max);

/* The words of code->bits. */
void deflate_number_code(struct deflate_code *code, unsigned symbols);

#endif
