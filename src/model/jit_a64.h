/* The shared part of the halves of AArch64's code maker: registers that have a purpose, and instructions of memory. */
#ifndef MODEL_JIT_A64_H
#define MODEL_JIT_A64_H

#include "model/jit_host.h"

enum {
    FRAME = 19,
    LANES = 20,
    FAR_LANES = 21,
    POOL = 22,
    COUNT = 23,
    MASK = 24, /* the first of five */
    SP = 31,
    X16 = 16,
    X17 = 17,
    REACH_B = 32768,
};

static inline void put(struct jit_buffer *buffer, uint32_t word, unsigned d, unsigned n, unsigned m)
{
    jit_put32(buffer, word | d | n << 5 | m << 16);
}

/* A jump, by the word that was written before, goes here. */
void jit_a64_jump_here(struct jit_buffer *buffer, uint8_t *jump);

static inline void load_vector(struct jit_buffer *buffer, unsigned d, unsigned base, uint32_t offset)
{
    put(buffer, 0x3dc00000u | (offset / 16) << 10, d, base, 0);
}

static inline void store_vector(struct jit_buffer *buffer, unsigned d, unsigned base, uint32_t offset)
{
    put(buffer, 0x3d800000u | (offset / 16) << 10, d, base, 0);
}

/* Rows begin at multiples of a vector. */
static inline unsigned row_base(struct jit_buffer *buffer, uint32_t *offset)
{
    if (*offset <= 0xfff * 16)
        return LANES;
    if (*offset <= REACH_B + 0xfff * 16) {
        *offset -= REACH_B;
        return FAR_LANES;
    }
    if (*offset >> 24)
        buffer->full = true;
    put(buffer, 0x91400000u | (*offset >> 12 & 0xfff) << 10, X16, LANES, 0); /* add x16, x20, #, lsl #12 */
    *offset &= 0xfff;
    return X16;
}

static inline void load_row(struct jit_buffer *buffer, unsigned d, uint32_t offset)
{
    unsigned base = row_base(buffer, &offset);
    load_vector(buffer, d, base, offset);
}

static inline void load_pool(struct jit_buffer *buffer, unsigned d, uint32_t number)
{
    load_vector(buffer, d, POOL, number * 16);
}

static inline void add_offset(struct jit_buffer *buffer, unsigned d, unsigned n, uint32_t offset)
{
    put(buffer, 0x91000000u | (offset & 0xfff) << 10, d, n, 0);
    if (offset >> 12)
        put(buffer, 0x91400000u | (offset >> 12) << 10, d, d, 0);
}

#endif
