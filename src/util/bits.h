/* Integers as bits: fields, masks, alignment, sign extension. Floats as their bits. */
#ifndef UTIL_BITS_H
#define UTIL_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

/* The lowest `count` bits set; all of them for counts of 64 and more, where a shift would be undefined. */
static inline uint64_t bits_mask(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (1ull << count) - 1;
}

static inline uint64_t bits_get(uint64_t word, unsigned low, unsigned count)
{
    return low >= 64 ? 0 : (word >> low) & bits_mask(count);
}

static inline uint64_t bits_set(uint64_t word, unsigned low, unsigned count, uint64_t value)
{
    uint64_t mask = bits_mask(count) << low;
    return (word & ~mask) | ((value << low) & mask);
}

/* The low `count` bits of `value` as a two's complement number. */
static inline int64_t bits_sign_extend(uint64_t value, unsigned count)
{
    return count == 0 ? 0 : (int64_t)(value << (64 - count)) >> (64 - count);
}

static inline bool is_power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

static inline uint64_t align_u64(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static inline uint64_t div_round_up(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor != 0);
}

static inline unsigned log2_floor(uint64_t value)
{
    return value ? 63u - (unsigned)__builtin_clzll(value) : 0;
}

static inline unsigned log2_ceil(uint64_t value)
{
    return value <= 1 ? 0 : log2_floor(value - 1) + 1;
}

/* --- the bits of a float, and the float of its bits --- */

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline double bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#define bits_foreach(word, bit) for (uint64_t bit##_left = (word), bit; bit##_left && (bit = (uint64_t)__builtin_ctzll(bit##_left), true); bit##_left &= bit##_left - 1)

#endif
