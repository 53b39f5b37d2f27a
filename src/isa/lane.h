/* The primitive operations that generated lane code calls: integers, conversions, rounding. lane_float.h has the float
 * ones, lane_math.h the transcendental ones; a family's header has those that it alone has. Each is branch-free where
 * it can be, so that a loop over lanes becomes vector code.
 *
 * A name is lane_<primitive>_<type of its first argument>, as lane.py spells it. `m` is the wave's float mode.
 * + - * fma sqrt min max and comparisons of f32 and f64 take rounding and flushing from the host, which lane_env.h
 * sets; everything else flushes and rounds by itself, from the mode, and gives the same result in any host mode. */
#ifndef ISA_LANE_H
#define ISA_LANE_H

#include "isa/lane_types.h"
#include "util/bits.h"

#include <string.h>

#if defined(__clang__)
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops have no vector form */
#else
#define LANE_LOOP _Pragma("GCC ivdep")
#endif

static const uint32_t lane_bit[32] __attribute__((unused, aligned(64))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* The active lanes of a group of 32 become those of `values`. Not inline: every kernel has one, for waves that are not
 * full. */
static __attribute__((unused, noinline)) void lane_blend(uint32_t *row, const uint32_t *values, uint32_t active)
{
    for (unsigned i = 0; i < 32; i++) {
        /* By bits, not by a choice: a choice becomes a branch around the load and keeps the loop from being a vector's.
         */
        const uint32_t on = active & lane_bit[i] ? UINT32_MAX : 0;
        row[i] = (values[i] & on) | (row[i] & ~on);
    }
}

/* --- bits and pairs --- */

/* && and || of values that are there already: nothing for a compiler to branch on. */
static inline bool lane_and(bool a, bool b)
{
    return (int)a & (int)b;
}

static inline bool lane_or(bool a, bool b)
{
    return (int)a | (int)b;
}

static inline uint32_t lane_bits_f32(float x)
{
    return float_bits(x);
}

static inline float lane_as_f32_u32(uint32_t u)
{
    return bits_float(u);
}

static inline uint64_t lane_bits_f64(double x)
{
    return double_bits(x);
}

static inline double lane_as_f64_u64(uint64_t u)
{
    return bits_double(u);
}

static inline uint16_t lane_bits_f16(lane_f16 x)
{
    return x;
}

static inline lane_f16 lane_as_f16_u16(uint16_t u)
{
    return u;
}

static inline uint64_t lane_pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static inline uint32_t lane_pack(uint16_t low, uint16_t high)
{
    return (uint32_t)high << 16 | low;
}

static inline struct lane_b128 lane_words(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (struct lane_b128){{a, b, c, d}};
}

static inline uint32_t lane_word(struct lane_b128 x, uint32_t index)
{
    return x.w[index & 3];
}

/* condition ? a : b by masks, where a compiler would else make branches of long arms and not vectorise. */
static inline uint32_t lane_select_u32(bool condition, uint32_t a, uint32_t b)
{
    const uint32_t mask = condition ? UINT32_MAX : 0;
    return (a & mask) | (b & ~mask);
}

static inline float lane_select_f32(bool condition, float a, float b)
{
    return lane_as_f32_u32(lane_select_u32(condition, lane_bits_f32(a), lane_bits_f32(b)));
}

static inline uint64_t lane_select_u64(bool condition, uint64_t a, uint64_t b)
{
    const uint64_t mask = condition ? UINT64_MAX : 0;
    return (a & mask) | (b & ~mask);
}

static inline double lane_select_f64(bool condition, double a, double b)
{
    return lane_as_f64_u64(lane_select_u64(condition, lane_bits_f64(a), lane_bits_f64(b)));
}

/* --- integers --- */

#define LANE_MIN_MAX(type, name)                                                                                       \
    static inline type lane_min_##name(type a, type b)                                                                 \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline type lane_max_##name(type a, type b)                                                                 \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline type lane_med3_##name(type a, type b, type c)                                                        \
    {                                                                                                                  \
        return lane_max_##name(lane_min_##name(a, b), lane_min_##name(lane_max_##name(a, b), c));                      \
    }
LANE_MIN_MAX(uint32_t, u32)
LANE_MIN_MAX(int32_t, i32)
LANE_MIN_MAX(uint16_t, u16)
LANE_MIN_MAX(int16_t, i16)
#undef LANE_MIN_MAX

/* The most negative number is its own absolute value. */
static inline int32_t lane_abs_i32(int32_t x)
{
    return x < 0 ? (int32_t)(0u - (uint32_t)x) : x;
}

static inline uint32_t lane_mulhi_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline int32_t lane_mulhi_i32(int32_t a, int32_t b)
{
    return (int32_t)((int64_t)a * b >> 32);
}

static inline uint32_t lane_popcount_u32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u; /* spelled out: vectors have no such instruction for words */
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3f;
}

static inline uint32_t lane_popcount_u64(uint64_t x)
{
    return (uint32_t)__builtin_popcountll(x);
}

static inline uint32_t lane_bitreverse_u32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

static inline uint64_t lane_bitreverse_u64(uint64_t x)
{
    return lane_pair(lane_bitreverse_u32((uint32_t)(x >> 32)), lane_bitreverse_u32((uint32_t)x));
}

/* Number of the lowest set bit, -1 for none. */
static inline int32_t lane_find_low_u32(uint32_t x)
{
    return x ? __builtin_ctz(x) : -1;
}

static inline int32_t lane_find_low_u64(uint64_t x)
{
    return x ? __builtin_ctzll(x) : -1;
}

/* Leading zeros, -1 for a zero. */
static inline int32_t lane_find_high_u32(uint32_t x)
{
    return x ? __builtin_clz(x) : -1;
}

static inline int32_t lane_find_high_u64(uint64_t x)
{
    return x ? __builtin_clzll(x) : -1;
}

/* Leading bits that equal the sign bit, -1 when all do. */
static inline int32_t lane_find_high_sign_i32(int32_t x)
{
    return lane_find_high_u32((uint32_t)(x ^ x >> 31));
}

static inline int32_t lane_find_high_sign_i64(int64_t x)
{
    return lane_find_high_u64((uint64_t)(x ^ x >> 63));
}

/* `width` bits from `offset`: width 0 gives 0, a field that reaches beyond the top ends there. */
#define LANE_BFE(type, unsigned_type, name, size)                                                                      \
    static inline type lane_bfe_##name(type x, uint32_t offset, uint32_t width)                                        \
    {                                                                                                                  \
        const uint32_t top = size - offset, used = width < top ? width : top;                                          \
        const type moved = (type)((unsigned_type)x << ((size - offset - used) & (size - 1)));                          \
        return used ? moved >> ((size - used) & (size - 1)) : 0;                                                       \
    }
LANE_BFE(uint32_t, uint32_t, u32, 32)
LANE_BFE(int32_t, uint32_t, i32, 32)
LANE_BFE(uint64_t, uint64_t, u64, 64)
LANE_BFE(int64_t, uint64_t, i64, 64)
#undef LANE_BFE

/* With the clamp bit the result saturates, without it wraps. */
#define LANE_SAT(type, name, low, high)                                                                                \
    static inline type lane_sat_##name(int64_t x, bool clamp)                                                          \
    {                                                                                                                  \
        return clamp ? (type)(x < (low) ? (low) : x > (high) ? (high) : x) : (type)x;                                  \
    }
LANE_SAT(uint16_t, u16, 0, UINT16_MAX)
LANE_SAT(int16_t, i16, INT16_MIN, INT16_MAX)
LANE_SAT(uint32_t, u32, 0, (int64_t)UINT32_MAX)
LANE_SAT(int32_t, i32, INT32_MIN, INT32_MAX)
#undef LANE_SAT

static inline uint32_t lane_sat_u8_i16(int16_t x)
{
    return x < 0 ? 0 : x > 255 ? 255 : (uint32_t)x;
}

static inline uint16_t lane_sat16_u32_u32(uint32_t x)
{
    return x > UINT16_MAX ? UINT16_MAX : (uint16_t)x;
}

static inline int16_t lane_sat16_i32_i32(int32_t x)
{
    return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : (int16_t)x;
}

static inline int32_t lane_dot4_i8_u32(uint32_t a, uint32_t b)
{
    return (int8_t)a * (int8_t)b + (int8_t)(a >> 8) * (int8_t)(b >> 8) + (int8_t)(a >> 16) * (int8_t)(b >> 16) +
           (int8_t)(a >> 24) * (int8_t)(b >> 24);
}

static inline uint32_t lane_dot4_u8_u32(uint32_t a, uint32_t b)
{
    return (a & 0xff) * (b & 0xff) + (a >> 8 & 0xff) * (b >> 8 & 0xff) + (a >> 16 & 0xff) * (b >> 16 & 0xff) +
           (a >> 24) * (b >> 24);
}

#include "isa/lane_float.h"
#include "isa/lane_math.h"

#endif
