/* Transcendental primitives, as the hardware's: base two, turns instead of radians, no denormals in f32.
 * AMD states 1 ulp for the f32 and f16 ones; these are computed in f64 and rounded once (below 0.51 ulp), so that
 * integers, powers of two and quarter turns come out exact. The f64 ones are estimates on the hardware, which programs
 * refine: here they are correctly rounded. Included by lane.h alone. */
#ifndef AMD_ISA_LANE_MATH_H
#define AMD_ISA_LANE_MATH_H

#include "amd/isa/lane_types.h"

/* The transcendental unit flushes f32 on both sides whatever the mode says. */
static inline float lane_flushed_f32(float x)
{
    return lane_flush_bits_f32(lane_bits_f32(x), 0);
}

/* x is in [-1100, 1100]. The host's rounding decides whether the rest is within half of an integer or within one; nine
 * terms are enough for both. Sums in pairs keep the chain of dependencies short. */
static inline double lane_exp2_f64(double x)
{
    const double magic = 0x1.8p52, moved = x + magic, y = (x - (moved - magic)) * 0x1.62e42fefa39efp-1, z = y * y;
    const double p01 = 1.0 + y, p23 = 0.5 + y * (1.0 / 6.0), p45 = 1.0 / 24.0 + y * (1.0 / 120.0);
    const double p67 = 1.0 / 720.0 + y * (1.0 / 5040.0), p89 = 1.0 / 40320.0 + y * (1.0 / 362880.0);
    const double w = z * z, p = (p01 + p23 * z) + ((p45 + p67 * z) + p89 * w) * w;
    return lane_as_f64_u64(lane_bits_f64(p) + (lane_bits_f64(moved) << 52));
}

static inline float lane_exp2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const float held = a > 130.0f ? 130.0f : a < -160.0f ? -160.0f : a;
    const float value = lane_flushed_f32((float)lane_exp2_f64((double)(a == a ? held : 0.0f)));
    return a == a ? value : lane_quiet_f32(a);
}

/* u is a positive normal f32. */
static inline double lane_log2_bits(uint32_t u)
{
    const uint32_t high = (u & 0x7fffffu) > 0x3504f3u; /* mantissa above the square root of two: take its half */
    const int32_t exponent = (int32_t)(u >> 23) - 127 + (int32_t)high;
    const double mantissa = (double)lane_as_f32_u32((u & 0x7fffffu) | (127u - high) << 23);
    const double s = (mantissa - 1.0) / (mantissa + 1.0), z = s * s;
    const double w = z * z, p01 = 1.0 + z * (1.0 / 3.0), p23 = 1.0 / 5.0 + z * (1.0 / 7.0);
    const double p45 = 1.0 / 9.0 + z * (1.0 / 11.0), p67 = 1.0 / 13.0 + z * (1.0 / 15.0);
    const double p = (p01 + p23 * w) + (p45 + p67 * w) * (w * w);
    return (double)exponent + p * s * 0x1.71547652b82fep+1; /* 2 / ln 2 */
}

static inline float lane_log2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const uint32_t u = lane_bits_f32(lane_flushed_f32(x)), magnitude = u & 0x7fffffffu;
    const bool finite = u - 1 < 0x7f7fffffu; /* positive and neither infinite nor NaN */
    const uint32_t value = lane_bits_f32((float)lane_log2_bits(finite ? u : 0x3f800000u));
    const uint32_t other = magnitude == 0            ? 0xff800000u
                           : magnitude > 0x7f800000u ? u | 0x400000u
                           : u == 0x7f800000u        ? u
                                                     : 0x7fc00000u;
    return lane_as_f32_u32(finite ? value : other);
}

static inline float lane_rcp_f32(const struct lane_mode *m, float x)
{
    (void)m;
    return lane_flushed_f32(1.0f / lane_flushed_f32(x));
}

static inline float lane_sqrt_f32(const struct lane_mode *m, float x)
{
    (void)m;
    return __builtin_sqrtf(lane_flushed_f32(x));
}

/* An estimate of f32, then one step of Newton's with the error of the estimate: fma keeps what the product x * y loses.
 * Zeros, infinities and what has no root are right as estimated. */
static inline float lane_rsq_f32(const struct lane_mode *m, float x)
{
    (void)m;
#if defined(__aarch64__) || defined(__FMA__)
    const float a = lane_flushed_f32(x), y = 1.0f / __builtin_sqrtf(a);
    const float product = a * y, lost = __builtin_fmaf(a, y, -product);
    const float error = __builtin_fmaf(-lost, y, __builtin_fmaf(-product, y, 1.0f));
    const float better = __builtin_fmaf(y * 0.5f, error, y);
    return lane_select_f32(lane_and(a > 0.0f, a <= 0x1.fffffep127f), better, y);
#else
    return (float)(1.0 / __builtin_sqrt((double)lane_flushed_f32(x)));
#endif
}

/* sin(2 pi x) of |x| <= 512. */
static inline double lane_sin_turns_f64(double x)
{
    const double part = x - __builtin_floor(x + 0.5); /* [-0.5, 0.5) */
    const double mirror = __builtin_copysign(0.5, part) - part;
    const double y = (part > 0.25 || part < -0.25 ? mirror : part) * 0x1.921fb54442d18p+2, z = y * y;
    const double w = z * z, p01 = 1.0 - z * (1.0 / 6.0), p23 = 1.0 / 120.0 - z * (1.0 / 5040.0);
    const double p45 = 1.0 / 362880.0 - z * (1.0 / 39916800.0), p67 = 1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0);
    const double p = (p01 + p23 * w) + (p45 + p67 * w) * (w * w);
    return p * y;
}

/* Beyond 256 turns the hardware gives up: 0 and 1. Infinities and NaN give NaN. */
static inline float lane_sin_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const bool inside = a >= -256.0f && a <= 256.0f;
    const float value = lane_flushed_f32((float)lane_sin_turns_f64((double)(inside ? a : 0.0f)));
    return inside ? value : lane_exponent_f32(a) == 255 ? lane_as_f32_u32(0x7fc00000u) : 0.0f;
}

static inline float lane_cos_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const bool inside = a >= -256.0f && a <= 256.0f;
    const float value = lane_flushed_f32((float)lane_sin_turns_f64((double)(inside ? a : 0.0f) + 0.25));
    return inside ? value : lane_exponent_f32(a) == 255 ? lane_as_f32_u32(0x7fc00000u) : 1.0f;
}

/* --- f16: in f64, then rounded once --- */

static inline lane_f16 lane_rcp_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_round_f16(m, lane_sticky_f32(1.0 / (double)lane_in_f16(m, x)));
}

static inline lane_f16 lane_sqrt_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_round_f16(m, lane_sticky_f32(__builtin_sqrt((double)lane_in_f16(m, x))));
}

static inline lane_f16 lane_rsq_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_round_f16(m, lane_sticky_f32(1.0 / __builtin_sqrt((double)lane_in_f16(m, x))));
}

static inline lane_f16 lane_exp2_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x), held = a > 40.0f ? 40.0f : a < -40.0f ? -40.0f : a;
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_exp2_f64((double)(a == a ? held : 0.0f))));
    return a == a ? value : lane_quiet_f16(x);
}

static inline lane_f16 lane_log2_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x);
    const bool finite = a > 0.0f && !lane_is_inf_f32(a);
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_log2_bits(finite ? lane_bits_f32(a) : 0x3f800000u)));
    const lane_f16 other = a == 0.0f ? 0xfc00 : a != a ? lane_quiet_f16(x) : a > 0.0f ? 0x7c00 : 0x7e00;
    return finite ? value : other;
}

static inline lane_f16 lane_sin_turns_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x);
    const bool inside = a >= -256.0f && a <= 256.0f;
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_sin_turns_f64((double)(inside ? a : 0.0f))));
    return inside ? value : lane_exponent_f16(x) == 31 ? 0x7e00 : 0;
}

static inline lane_f16 lane_cos_turns_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x);
    const bool inside = a >= -256.0f && a <= 256.0f;
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_sin_turns_f64((double)(inside ? a : 0.0f) + 0.25)));
    return inside ? value : lane_exponent_f16(x) == 31 ? 0x7e00 : 0x3c00;
}

/* --- f64 --- */

static inline double lane_rcp_f64(const struct lane_mode *m, double x)
{
    (void)m;
    return 1.0 / x;
}

static inline double lane_sqrt_f64(const struct lane_mode *m, double x)
{
    (void)m;
    return __builtin_sqrt(x);
}

static inline double lane_rsq_f64(const struct lane_mode *m, double x)
{
    (void)m;
    return 1.0 / __builtin_sqrt(x);
}

double lane_trig_preop_f64(double x, uint32_t segment);

#endif
