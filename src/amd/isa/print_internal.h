/* The shared part of the printer's files: the writer of text, inline so that a literal becomes a store or two. */
#ifndef AMD_ISA_PRINT_INTERNAL_H
#define AMD_ISA_PRINT_INTERNAL_H

#include <string.h>

#include "amd/isa/isa_tables.h"

struct printer {
    char *at;
    enum isa_gfx gfx;
    unsigned wave_size;
    const struct isa_inst *inst;
    const struct isa_op_info *info;
    bool first; /* no operand was written yet */
};

static inline void put_n(struct printer *p, const char *text, size_t length)
{
    memcpy(p->at, text, length);
    p->at += length;
}

/* The length of a literal is known when this is compiled: it becomes a store or two. */
static inline __attribute__((always_inline)) void put_text(struct printer *p, const char *text)
{
    put_n(p, text, strlen(text));
}

static inline void put_char(struct printer *p, char c)
{
    *p->at++ = c;
}

static inline void put_unsigned(struct printer *p, uint32_t value)
{
    if (value < 10) {
        *p->at++ = (char)('0' + value);
        return;
    }
    if (value < 1000) {
        unsigned hundreds = value / 100, tens = value / 10 % 10;
        *p->at = (char)('0' + hundreds);
        p->at += hundreds != 0;
        *p->at++ = (char)('0' + tens);
        *p->at++ = (char)('0' + value % 10);
        return;
    }
    char digits[10];
    unsigned count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        *p->at++ = digits[--count];
}

static inline void put_signed(struct printer *p, int32_t value)
{
    if (value < 0)
        put_char(p, '-');
    put_unsigned(p, value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

static inline void put_hex(struct printer *p, uint32_t value)
{
    unsigned digits = value ? (31u - (unsigned)__builtin_clz(value)) / 4 + 1 : 1;
    put_text(p, "0x");
    while (digits--)
        *p->at++ = "0123456789abcdef"[value >> (4 * digits) & 15];
}

/* " word" where the flag is set. */
static inline __attribute__((always_inline)) void put_flag(struct printer *p, bool flag, const char *word)
{
    if (flag) {
        put_char(p, ' ');
        put_text(p, word);
    }
}

static inline void put_named(struct printer *p, const char *const *names, unsigned number)
{
    if (names[number])
        put_text(p, names[number]);
    else
        put_unsigned(p, number);
}

/* The separator between the name and the first operand, and between operands. */
static inline void put_separator(struct printer *p)
{
    if (!p->first)
        put_char(p, ',');
    put_char(p, ' ');
    p->first = false;
}

/* print_operand.c */
void amd_isa_put_operand(struct printer *p, const struct isa_operand *operand, unsigned type);
void amd_isa_put_immediate(struct printer *p, unsigned imm, unsigned type);
void amd_isa_print_plain(struct printer *p); /* all operands in their order */

/* print_vector.c: from the operands on */
void amd_isa_print_vector(struct printer *p);

/* print_memory.c: from the operands on */
void amd_isa_print_smem(struct printer *p);
void amd_isa_print_ds(struct printer *p);
void amd_isa_print_buffer(struct printer *p);
void amd_isa_print_image(struct printer *p);
void amd_isa_print_flat(struct printer *p);
void amd_isa_print_export(struct printer *p);

#endif
