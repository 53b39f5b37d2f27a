/* The parts of the generated packers and unpackers. Everything folds to shifts and masks when the generation is a
 * constant; a value that does not fit its field is the caller's mistake and asserts. */
#ifndef HW_PACK_H
#define HW_PACK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/bits.h"

static inline uint64_t hw_put_uint(uint64_t value, unsigned width)
{
    uint64_t mask = width >= 64 ? UINT64_MAX : (1ull << width) - 1;
    assert((value & ~mask) == 0);
    return value & mask;
}

static inline uint64_t hw_put_int(int64_t value, unsigned width)
{
    assert(width >= 64 || (value >= -(1ll << (width - 1)) && value < 1ll << (width - 1)));
    return (uint64_t)value & (width >= 64 ? UINT64_MAX : (1ull << width) - 1);
}

/* A value whose `shift` low bits are not stored. */
static inline uint64_t hw_put_shifted(uint64_t value, unsigned width, unsigned shift)
{
    assert((value & ((1ull << shift) - 1)) == 0);
    return hw_put_uint(value >> shift, width);
}

/* A power of two, of which the logarithm is stored. */
static inline uint64_t hw_put_pow2(uint64_t value, unsigned width)
{
    assert(value && (value & (value - 1)) == 0);
    return hw_put_uint((uint64_t)__builtin_ctzll(value), width);
}

static inline uint64_t hw_put_float(float value)
{
    return float_bits(value);
}

/* A field that this generation does not have must be left zero. */
static inline void hw_put_nothing(uint64_t value)
{
    assert(value == 0);
    (void)value;
}

/* `width` bits from bit `low` of a row of dwords; at most three are touched, and only those. */
static inline uint64_t hw_get_uint(const uint32_t *dw, unsigned low, unsigned width)
{
    unsigned first = low / 32, shift = low % 32;
    uint64_t value = (uint64_t)dw[first] >> shift;
    if (shift + width > 32)
        value |= (uint64_t)dw[first + 1] << (32 - shift);
    if (shift + width > 64)
        value |= (uint64_t)dw[first + 2] << (64 - shift);
    return width >= 64 ? value : value & ((1ull << width) - 1);
}

static inline int64_t hw_get_int(const uint32_t *dw, unsigned low, unsigned width)
{
    return (int64_t)(hw_get_uint(dw, low, width) << (64 - width)) >> (64 - width);
}

static inline float hw_get_float(const uint32_t *dw, unsigned low)
{
    return bits_float((uint32_t)hw_get_uint(dw, low, 32));
}

#endif
