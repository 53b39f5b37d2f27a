/* Selections and modifiers applied to a source's word. Micro-operations apply them to rows, the translator to
 * constants: both by these functions. */
#ifndef MALI_MODEL_SC_SELECT_H
#define MALI_MODEL_SC_SELECT_H

#include "isa/lane.h"

/* `bits` (8, 16 or 32) from `shift` on, extended. */
static inline uint32_t sc_extract(uint32_t word, uint32_t shift, uint32_t bits, bool is_signed)
{
    const uint32_t moved = word >> shift << (32 - bits);
    return is_signed ? (uint32_t)((int32_t)moved >> (32 - bits)) : moved >> (32 - bits);
}

/* Byte i of the result is byte (order >> 4 i) of the word. */
static inline uint32_t sc_permute(uint32_t word, uint32_t order)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= (word >> (order >> 4 * i & 3) * 8 & 0xff) << 8 * i;
    return result;
}

/* Two bytes, extended to the two halves. */
static inline uint32_t sc_bytes_to_halves(uint32_t word, uint32_t low, uint32_t high, bool is_signed)
{
    return (sc_extract(word, low * 8, 8, is_signed) & 0xffff) | sc_extract(word, high * 8, 8, is_signed) << 16;
}

static inline uint32_t sc_half_to_f32(uint32_t word, uint32_t shift)
{
    return lane_bits_f32(lane_f32_from_f16((lane_f16)(word >> shift)));
}

#define SC_SIGN_NEG 1u
#define SC_SIGN_ABS 2u

/* The sign bits of the word, which are `bits`: one of a single, two of halves. */
static inline uint32_t sc_sign(uint32_t word, uint32_t bits, uint32_t flags)
{
    const uint32_t positive = flags & SC_SIGN_ABS ? word & ~bits : word;
    return flags & SC_SIGN_NEG ? positive ^ bits : positive;
}

#endif
