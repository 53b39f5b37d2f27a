/* Transcendental primitives, as the hardware's: base two, turns instead of radians, no denormals in f32. Families state
 * 1 ulp or so for the f32 and f16 ones; integers, powers of two and quarter turns come out exact. Halves are computed
 * in f64 and rounded once (below 0.51 ulp). f32 ones are computed in f32 where the host has fma: exp2 below 0.86 ulp,
 * log2 below 0.94, worst near the square root of two, sin and cos below 0.99, rsq below 0.88; rcp and sqrt are exact.
 * model/exec/program.c writes the same steps as lane operations, and the two must agree bit by bit. The f64 ones are
 * estimates on the hardware, which programs refine: here they are correctly rounded. Included by lane.h alone. */
#ifndef ISA_LANE_MATH_H
#define ISA_LANE_MATH_H

#include "isa/lane_numbers.h"
#include "isa/lane_types.h"

/* The transcendental unit flushes f32 on both sides whatever the mode says. */
static inline float lane_flushed_f32(float x)
{
    return lane_flush_bits_f32(lane_bits_f32(x), 0);
}

/* a * b + c in one rounding where the host has it: a polynomial's step. */
static inline double lane_step_f64(double a, double b, double c)
{
#if defined(__aarch64__) || defined(__FMA__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

#if defined(__aarch64__) || defined(__FMA__)
#define LANE_HAS_FMA 1
static inline float lane_step_f32(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
#else
#define LANE_HAS_FMA 0
#endif

/* x is in [-1100, 1100]. The host's rounding decides whether the rest is within half of an integer or within one; the
 * polynomial, (2^y - 1) / y with the least error in
 * [-1, 1] (4e-11), is for both. */
static inline double lane_exp2_f64(double x)
{
    const double magic = 0x1.8p52, moved = x + magic, y = x - (moved - magic);
    const double z = y * y, w = z * z; /* in pairs: a shorter chain of dependencies */
    const double p01 = lane_step_f64(0x1.62e42fefa39efp-1, y, 1.0),
                 p23 = lane_step_f64(0x1.c6b08d6e20550p-5, y, 0x1.ebfbdfef94c3fp-3);
    const double p45 = lane_step_f64(0x1.5d8802134b9a7p-10, y, 0x1.3b2abe2421391p-7),
                 p67 = lane_step_f64(0x1.ffc5809eb5e5fp-17, y, 0x1.4302a2f2a762bp-13);
    const double p89 = lane_step_f64(0x1.b9761de7af3e0p-24, y, 0x1.6708ee69d9a8cp-20);
    const double p = lane_step_f64(lane_step_f64(p89, w, lane_step_f64(p67, z, p45)), w, lane_step_f64(p23, z, p01));
    return lane_as_f64_u64(lane_bits_f64(p) + (lane_bits_f64(moved) << 52));
}

/* 2^x = 2^n * 2^y with y within half of an integer: 1 + y * (ln 2 + y * ...), the least error 3e-9. What is below the
 * normal numbers is 0; what is above them, or no number, the product with infinity says. */
#if LANE_HAS_FMA
static inline float lane_exp2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float n = lane_nearest_f32(x), y = x - n, z = y * y;
    const float p23 = lane_step_f32(LANE_EXP2_3, y, LANE_EXP2_2), p45 = lane_step_f32(LANE_EXP2_5, y, LANE_EXP2_4);
    const float p = lane_step_f32(lane_step_f32(p45, z, p23), y, LANE_EXP2_1);
    const float rest = lane_step_f32(p, z, y * LANE_EXP2_LN2_LOW);
    const float whole = lane_step_f32(y, LANE_EXP2_LN2, rest) + 1.0f;
    const float value = lane_as_f32_u32(lane_bits_f32(whole) + (lane_bits_f32(n + LANE_WHOLE) << 23));
    const float above = lane_select_f32(x >= -126.0f, value, 0.0f);
    return lane_select_f32(x < 128.0f, above, x * lane_as_f32_u32(0x7f800000u));
}
#else
static inline float lane_exp2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const float below = lane_select_f32(a < 130.0f, a, 130.0f),
                held = lane_select_f32(below > -160.0f, below, -160.0f); /* a NaN is 130 */
    const float value = lane_flushed_f32((float)lane_exp2_f64((double)held));
    return lane_select_f32(a == a, value, lane_quiet_f32(a));
}
#endif

/* u is a positive normal f32. */
static inline double lane_log2_bits(uint32_t u)
{
    const uint32_t high = (u & 0x7fffffu) > 0x3504f3u; /* mantissa above the square root of two: take its half */
    const int32_t exponent = (int32_t)(u >> 23) - 127 + (int32_t)high;
    const double mantissa = (double)lane_as_f32_u32((u & 0x7fffffu) | (127u - high) << 23);
    /* log2(1 + t) / t with the least error in [-0.293, 0.415]: 2e-10 */
    const double t = mantissa - 1.0, z = t * t, w = z * z;
    const double p01 = lane_step_f64(-0x1.7154767914dc7p-1, t, 0x1.7154765304579p+0),
                 p23 = lane_step_f64(-0x1.715438bfb0a6ep-2, t, 0x1.ec709b5bde01ap-2);
    const double p45 = lane_step_f64(-0x1.ec8cca84820e7p-3, t, 0x1.277768c9450dep-2),
                 p67 = lane_step_f64(-0x1.6eb18ced101c6p-3, t, 0x1.a60919587a73fp-3);
    const double p89 = lane_step_f64(-0x1.42021bf8fb3ccp-3, t, 0x1.4642211368664p-3),
                 pab = lane_step_f64(-0x1.599d53631cdc3p-4, t, 0x1.3a5bf4ecf4855p-3);
    const double upper = lane_step_f64(lane_step_f64(pab, z, p89), w, lane_step_f64(p67, z, p45));
    const double p = lane_step_f64(upper, w, lane_step_f64(p23, z, p01));
    return lane_step_f64(p, t, (double)exponent);
}

/* x = 2^e * (1 + t) with t in [-0.293, 0.415]: e + t * log2(e) + t * t * p(t), the least error 4e-9. The first two
 * products are kept with what they lose, and so is the sum with e. */
#if LANE_HAS_FMA
static inline float lane_log2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const uint32_t u = lane_bits_f32(x);
    const int32_t exponent = (int32_t)(u - LANE_LOG2_ROOT) >> 23;
    const float e = (float)exponent, t = lane_as_f32_u32(u - ((uint32_t)exponent << 23)) - 1.0f;
    const float z = t * t, w = z * z, z_lost = lane_step_f32(t, t, -z);
    const float p01 = LANE_LOG2_1 * t, p23 = lane_step_f32(LANE_LOG2_3, t, LANE_LOG2_2);
    const float p45 = lane_step_f32(LANE_LOG2_5, t, LANE_LOG2_4), p67 = lane_step_f32(LANE_LOG2_7, t, LANE_LOG2_6);
    const float upper = lane_step_f32(lane_step_f32(LANE_LOG2_8, z, p67), z, p45);
    const float p = lane_step_f32(upper, w, lane_step_f32(p23, z, p01));
    const float minus = t * -LANE_LOG2_E, lost = lane_step_f32(t, LANE_LOG2_E, minus);
    const float small = lane_step_f32(z, p, lane_step_f32(t, LANE_LOG2_E_LOW, lost));
    const float rest = lane_step_f32(z, LANE_LOG2_0, lane_step_f32(z_lost, LANE_LOG2_0, small));
    const float sum = e - minus, sum_lost = (e - sum) - minus;
    const uint32_t value = lane_bits_f32(sum + (sum_lost + rest));
    /* of zeros -infinity, of +infinity itself, of what is negative or no number a NaN */
    const uint32_t none = lane_select_u32(u == 0x7f800000u, u, 0x7fc00000u);
    const uint32_t other = lane_select_u32(u << 1 < 0x01000000u, 0xff800000u, none);
    return lane_as_f32_u32(lane_select_u32(u - 0x00800000u < 0x7f000000u, value, other));
}
#else
static inline float lane_log2_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const uint32_t u = lane_bits_f32(lane_flushed_f32(x)), magnitude = u & 0x7fffffffu;
    const bool finite = u - 1 < 0x7f7fffffu; /* positive and neither infinite nor NaN */
    const uint32_t value = lane_bits_f32((float)lane_log2_bits(lane_select_u32(finite, u, 0x3f800000u)));
    /* -infinity of zeros, a NaN and +infinity of themselves, of what is negative a NaN */
    const uint32_t is_own = (magnitude > 0x7f800000u ? UINT32_MAX : 0) | (u == 0x7f800000u ? UINT32_MAX : 0);
    const uint32_t quiet = magnitude > 0x7f800000u ? 0x400000u : 0;
    const uint32_t none = lane_select_u32(magnitude == 0, 0xff800000u, 0x7fc00000u);
    return lane_as_f32_u32(lane_select_u32(finite, value, ((u | quiet) & is_own) | (none & ~is_own)));
}
#endif

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

/* An estimate, then one step of Newton's. Zeros, infinities and what has no root are right as estimated. */
static inline float lane_rsq_f32(const struct lane_mode *m, float x)
{
    (void)m;
#if LANE_HAS_FMA
    const float a = lane_flushed_f32(x), y = 1.0f / __builtin_sqrtf(a);
    /* The factor is negated, for a compiler may round a negated product the other way. */
    const float error = lane_step_f32(a * y, -y, 1.0f), better = lane_step_f32(y * 0.5f, error, y);
    return lane_select_f32(lane_bits_f32(a) - 0x00800000u < 0x7f000000u, better, y);
#else
    return (float)(1.0 / __builtin_sqrt((double)lane_flushed_f32(x)));
#endif
}

/* sin(2 pi x) of |x| <= 1: by a quarter turn t, sin(2 pi t) / t in t * t with the least error (1e-10 of 6.3). */
static inline double lane_sin_turns_f64(double x)
{
    const double part = x - __builtin_floor(x + 0.5); /* [-0.5, 0.5) */
    const double mirror = __builtin_copysign(0.5, part) - part;
    const double t = lane_select_f64(lane_abs_f64(part) > 0.25, mirror, part), z = t * t;
    const double w = z * z, p01 = lane_step_f64(-0x1.4abbce51c31dap+5, z, 0x1.921fb54425516p+2),
                 p23 = lane_step_f64(-0x1.32d12ebe6b560p+6, z, 0x1.466bc06900900p+6);
    const double p =
        lane_step_f64(lane_step_f64(lane_step_f64(-0x1.cc9b5f3456b49p+3, z, 0x1.5014072bd9ca2p+5), w, p23), w, p01);
    return p * t;
}

/* Sines take any number of turns, as hardware does that reduces them itself: what is whole is dropped without an error.
 * Infinities and NaN give NaN. */
static inline float lane_part_of_turn(float turns)
{
    return turns - lane_nearest_f32(turns);
}

#if LANE_HAS_FMA
/* By quarters of a turn, which say whether it is a sine or a cosine of the rest, and the sign. */
static inline float lane_turns_f32(float x, uint32_t quarters)
{
    const float a = lane_flushed_f32(x), moved = lane_part_of_turn(a) * 4.0f;
    const float n = lane_nearest_f32(moved), t = moved - n, z = t * t;
    const float s = lane_step_f32(lane_step_f32(LANE_SIN_3, z, LANE_SIN_2), z, LANE_SIN_1);
    const float sine = lane_step_f32(t, LANE_SIN_0, t * lane_step_f32(s, z, LANE_SIN_0_LOW));
    const float c = lane_step_f32(lane_step_f32(LANE_COS_4, z, LANE_COS_3), z, LANE_COS_2);
    const float cosine = lane_step_f32(lane_step_f32(c, z, LANE_COS_1), z, 1.0f);
    const uint32_t k = lane_bits_f32(n + LANE_WHOLE) + quarters;
    const uint32_t bits = lane_bits_f32(lane_select_f32(k & 1, cosine, sine)) ^ (k & 2) << 30;
    return lane_select_f32(lane_abs_f32(a) <= 0x1.fffffep127f, lane_as_f32_u32(bits), lane_step_f32(a, 0.0f, 0.0f));
}

static inline float lane_sin_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    return lane_turns_f32(x, 0);
}

static inline float lane_cos_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    return lane_turns_f32(x, 1);
}
#else
static inline float lane_sin_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const bool finite = lane_abs_f32(a) <= 0x1.fffffep127f;
    const float part = lane_part_of_turn(lane_select_f32(finite, a, 0.0f));
    const float value = lane_flushed_f32((float)lane_sin_turns_f64((double)part));
    return lane_select_f32(finite, value, lane_as_f32_u32(0x7fc00000u));
}

static inline float lane_cos_turns_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float a = lane_flushed_f32(x);
    const bool finite = lane_abs_f32(a) <= 0x1.fffffep127f;
    const float part = lane_part_of_turn(lane_select_f32(finite, a, 0.0f));
    const float value = lane_flushed_f32((float)lane_sin_turns_f64((double)part + 0.25));
    return lane_select_f32(finite, value, lane_as_f32_u32(0x7fc00000u));
}
#endif

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
    const bool finite = lane_exponent_f16(x) != 31;
    const double part = (double)lane_part_of_turn(finite ? a : 0.0f);
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_sin_turns_f64(part)));
    return finite ? value : 0x7e00;
}

static inline lane_f16 lane_cos_turns_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x);
    const bool finite = lane_exponent_f16(x) != 31;
    const double part = (double)lane_part_of_turn(finite ? a : 0.0f);
    const lane_f16 value = lane_round_f16(m, lane_sticky_f32(lane_sin_turns_f64(part + 0.25)));
    return finite ? value : 0x7e00;
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

#endif
