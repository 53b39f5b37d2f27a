/* Primitives that only RDNA has, for the meanings of src/amd/isa; isa/lane.h has all others. A name is
 * amd_lane_<primitive>_<type of its first argument>, as dialect.py spells it. */
#ifndef AMD_ISA_LANE_RDNA_H
#define AMD_ISA_LANE_RDNA_H

#include "amd/isa/lane_vector.h"
#include "isa/lane.h"

/* MODE: [1:0] and [3:2] round f32 and f16/f64; [5:4] and [7:6] let denormals in (bit 0) and out (bit 1) of them; [8]
 * DX10_CLAMP; [9] IEEE. */
struct lane_mode amd_lane_mode_unpack(uint32_t mode);

/* --- classes --- */

#define LANE_CLASSIFY(type, unsigned_type, name, size, fraction)                                                       \
    /* One bit of v_cmp_class: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf. */              \
    static inline uint32_t amd_lane_class_of_##name(type x)                                                            \
    {                                                                                                                  \
        const unsigned_type magnitude = lane_bits_##name(x) & (((unsigned_type)1 << (size - 1)) - 1);                  \
        const unsigned_type infinite = (((unsigned_type)1 << (size - 1)) - 1) >> fraction << fraction;                 \
        const unsigned_type smallest = (unsigned_type)1 << fraction;                                                   \
        const uint32_t kind = magnitude == 0 ? 0 : magnitude < smallest ? 1 : magnitude < infinite ? 2 : 3;            \
        const uint32_t nan = lane_bits_##name(x) >> (fraction - 1) & 1 ? 2 : 1;                                        \
        return magnitude > infinite ? nan : lane_sign_##name(x) ? 0x20u >> kind : 0x40u << kind;                       \
    }
LANE_CLASSIFY(float, uint32_t, f32, 32, 23)
LANE_CLASSIFY(double, uint64_t, f64, 64, 52)
LANE_CLASSIFY(lane_f16, uint16_t, f16, 16, 10)
#undef LANE_CLASSIFY

/* --- the helpers of division --- */

/* |numerator / denominator| is below the smallest normal number. */
static inline bool amd_lane_quotient_is_denorm_f32(float numerator, float denominator)
{
    return lane_abs_f64(lane_widen_f32(numerator)) < lane_abs_f64(lane_widen_f32(denominator)) * 0x1p-126;
}

static inline bool amd_lane_quotient_is_denorm_f64(double numerator, double denominator)
{
    int32_t n, d;
    const double top = lane_abs_f64(lane_split_f64(numerator, &n)),
                 bottom = lane_abs_f64(lane_split_f64(denominator, &d));
    return n - d < -1022 || (n - d == -1022 && top < bottom);
}

static inline bool amd_lane_reciprocal_is_denorm_f32(float x)
{
    return lane_abs_f32(x) > 0x1p126f;
}

static inline bool amd_lane_reciprocal_is_denorm_f64(double x)
{
    return lane_abs_f64(x) > 0x1p1022;
}

/* (a * b + c) * 2^64 where c is large or * 2^-64 where it is small, rounded once: v_div_scale scaled one side of the
 * quotient. */
static inline float amd_lane_fma_scaled_f32(const struct lane_mode *m, float a, float b, float c, bool scale)
{
    const double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
    const double big = sum - product, error = (product - (sum - big)) + (addend - big);
    /* An inexact sum gets an odd last bit: f64 has the digits to spare for rounding again. */
    uint64_t u = lane_bits_f64(sum);
    if (error != 0.0 && !(u & 1) && !lane_is_inf_f64(sum) && !lane_is_nan_f64(sum))
        u += (error > 0.0) == (sum > 0.0) ? 1 : UINT64_MAX;
    const float scaled = (float)(lane_as_f64_u64(u) * (lane_exponent_f32(c) > 127 ? 0x1p64 : 0x1p-64));
    return scale ? lane_flush_bits_f32(lane_bits_f32(scaled), m->keep_out_f32) : __builtin_fmaf(a, b, c);
}

double amd_lane_fma_scaled_f64(const struct lane_mode *m, double a, double b, double c, bool scale);

/* 53 digits of 2/pi from 53 * segment on, scaled to their place. */
double amd_lane_trig_preop_f64(double x, uint32_t segment);

/* --- lane masks --- */

/* A quad with any bit set gets all four. */
static inline uint64_t amd_lane_wqm_u64(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    return (x & 0x1111111111111111ull) * 15;
}

static inline uint32_t amd_lane_wqm_u32(uint32_t x)
{
    return (uint32_t)amd_lane_wqm_u64(x);
}

/* One bit per quad, set where any of its four is. */
static inline uint64_t amd_lane_quadmask_u64(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x &= 0x1111111111111111ull;
    x = (x | x >> 3) & 0x0303030303030303ull;
    x = (x | x >> 6) & 0x000f000f000f000full;
    x = (x | x >> 12) & 0x000000ff000000ffull;
    return (x | x >> 24) & 0xffff;
}

static inline uint32_t amd_lane_quadmask_u32(uint32_t x)
{
    return (uint32_t)amd_lane_quadmask_u64(x);
}

/* Each bit twice. */
static inline uint64_t amd_lane_bitreplicate_u32(uint32_t x)
{
    uint64_t u = x;
    u = (u | u << 16) & 0x0000ffff0000ffffull;
    u = (u | u << 8) & 0x00ff00ff00ff00ffull;
    u = (u | u << 4) & 0x0f0f0f0f0f0f0f0full;
    u = (u | u << 2) & 0x3333333333333333ull;
    u = (u | u << 1) & 0x5555555555555555ull;
    return u * 3;
}

/* --- bytes and nibbles --- */

static inline uint32_t amd_lane_absdiff(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static inline uint32_t amd_lane_sad_u8_u32(uint32_t a, uint32_t b)
{
    return amd_lane_absdiff(a & 0xff, b & 0xff) + amd_lane_absdiff(a >> 8 & 0xff, b >> 8 & 0xff) +
           amd_lane_absdiff(a >> 16 & 0xff, b >> 16 & 0xff) + amd_lane_absdiff(a >> 24, b >> 24);
}

/* A byte of b that is zero masks its pair. */
static inline uint32_t amd_lane_msad_u8_u32(uint32_t a, uint32_t b)
{
    uint32_t mask = (b & 0xff ? 0xffu : 0) | (b & 0xff00 ? 0xff00u : 0) | (b & 0xff0000 ? 0xff0000u : 0) |
                    (b & 0xff000000 ? 0xff000000u : 0);
    return amd_lane_sad_u8_u32(a & mask, b & mask);
}

static inline uint32_t amd_lane_sad_u16_u32(uint32_t a, uint32_t b)
{
    return amd_lane_absdiff(a & 0xffff, b & 0xffff) + amd_lane_absdiff(a >> 16, b >> 16);
}

/* By bytes: (a + b + low bit of c) / 2. */
static inline uint32_t amd_lane_lerp_u8_u32(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t even = ((a & 0x00ff00ffu) + (b & 0x00ff00ffu) + (c & 0x00010001u)) >> 1 & 0x00ff00ffu;
    uint32_t odd = ((a >> 8 & 0x00ff00ffu) + (b >> 8 & 0x00ff00ffu) + (c >> 8 & 0x00010001u)) >> 1 & 0x00ff00ffu;
    return even | odd << 8;
}

static inline uint32_t amd_lane_perm_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t shift = (selector & 3) * 8;
    const uint32_t byte = (lane_select_u32((selector & 4) != 0, a, b) >> shift) & 0xff;
    /* 8 to 11: the sign of an odd byte, eight times; 12: zero; above: ones */
    const uint32_t word = lane_select_u32((selector & 2) != 0, a, b);
    const uint32_t sign = (0u - ((selector & 1 ? word >> 31 : word >> 15) & 1)) & 0xff;
    const uint32_t fixed = lane_select_u32(selector < 12, sign, selector == 12 ? 0 : 0xff);
    return lane_select_u32(selector < 8, byte, fixed);
}

/* Bytes 0 to 3 are b's, 4 to 7 are a's. */
static inline uint32_t amd_lane_byte_perm_u32(uint32_t a, uint32_t b, uint32_t selectors)
{
    return amd_lane_perm_byte(a, b, selectors & 0xff) | amd_lane_perm_byte(a, b, selectors >> 8 & 0xff) << 8 |
           amd_lane_perm_byte(a, b, selectors >> 16 & 0xff) << 16 | amd_lane_perm_byte(a, b, selectors >> 24) << 24;
}

static inline int32_t amd_lane_nibble(uint32_t x, uint32_t shift)
{
    return (int32_t)(x << (28 - shift)) >> 28;
}

static inline int32_t amd_lane_dot8_i4_u32(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (uint32_t shift = 0; shift < 32; shift += 4)
        sum += amd_lane_nibble(a, shift) * amd_lane_nibble(b, shift);
    return sum;
}

static inline uint32_t amd_lane_dot8_u4_u32(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t shift = 0; shift < 32; shift += 4)
        sum += (a >> shift & 15) * (b >> shift & 15);
    return sum;
}

#include "amd/isa/lane_wave.h"

#endif
