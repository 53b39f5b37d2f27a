/* Float primitives: flushing, classification, min and max, rounding to integers, conversions, half precision. Included
 * by lane.h alone; lane_math.h has the transcendental functions. */
#ifndef ISA_LANE_FLOAT_H
#define ISA_LANE_FLOAT_H

#include "isa/lane_types.h"

/* --- flushing and classification --- */

static inline float lane_flush_bits_f32(uint32_t u, uint32_t keep)
{
    return lane_as_f32_u32(u & ((u & 0x7f800000u ? UINT32_MAX : 0x80000000u) | keep));
}

static inline double lane_flush_bits_f64(uint64_t u, uint32_t keep)
{
    const uint64_t kept = (uint64_t)keep << 32 | keep;
    return lane_as_f64_u64(u & ((u & 0x7ff0000000000000ull ? UINT64_MAX : 0x8000000000000000ull) | kept));
}

static inline lane_f16 lane_flush_bits_f16(uint32_t u, uint32_t keep)
{
    return (lane_f16)(u & ((u & 0x7c00u ? 0xffffu : 0x8000u) | keep));
}

/* A source as the mode lets an operation see it. */
static inline float lane_flush_f32(const struct lane_mode *m, float x)
{
    return lane_flush_bits_f32(lane_bits_f32(x), m->keep_in_f32);
}

static inline double lane_flush_f64(const struct lane_mode *m, double x)
{
    return lane_flush_bits_f64(lane_bits_f64(x), m->keep_in_f16);
}

static inline lane_f16 lane_flush_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_flush_bits_f16(x, m->keep_in_f16);
}

#define LANE_CLASSIFY(type, unsigned_type, name, size, fraction)                                                       \
    static inline bool lane_is_nan_##name(type x)                                                                      \
    {                                                                                                                  \
        const unsigned_type infinite = (((unsigned_type)1 << (size - 1)) - 1) >> fraction << fraction;                 \
        return (lane_bits_##name(x) & (((unsigned_type)1 << (size - 1)) - 1)) > infinite;                              \
    }                                                                                                                  \
    static inline bool lane_is_inf_##name(type x)                                                                      \
    {                                                                                                                  \
        const unsigned_type infinite = (((unsigned_type)1 << (size - 1)) - 1) >> fraction << fraction;                 \
        return (lane_bits_##name(x) & (((unsigned_type)1 << (size - 1)) - 1)) == infinite;                             \
    }                                                                                                                  \
    /* The exponent field: 0 for zeros and denormals. */                                                               \
    static inline int32_t lane_exponent_##name(type x)                                                                 \
    {                                                                                                                  \
        return (int32_t)(lane_bits_##name(x) >> fraction & (((unsigned_type)1 << (size - 1 - fraction)) - 1));         \
    }                                                                                                                  \
    static inline bool lane_is_denorm_##name(type x)                                                                   \
    {                                                                                                                  \
        return lane_exponent_##name(x) == 0 && (unsigned_type)(lane_bits_##name(x) << 1) != 0;                         \
    }                                                                                                                  \
    static inline bool lane_sign_##name(type x)                                                                        \
    {                                                                                                                  \
        return lane_bits_##name(x) >> (size - 1) != 0;                                                                 \
    }                                                                                                                  \
    static inline unsigned_type lane_nan_mask_##name(type x)                                                           \
    {                                                                                                                  \
        return (unsigned_type)(0 - (unsigned_type)lane_is_nan_##name(x));                                              \
    }                                                                                                                  \
    /* All ones for a signalling NaN. */                                                                               \
    static inline unsigned_type lane_snan_mask_##name(type x)                                                          \
    {                                                                                                                  \
        const unsigned_type infinite = (((unsigned_type)1 << (size - 1)) - 1) >> fraction << fraction;                 \
        const unsigned_type magnitude = lane_bits_##name(x) & (((unsigned_type)1 << (size - 1)) - 1);                  \
        const unsigned_type above = magnitude - infinite - 1;                                                          \
        return (unsigned_type)(0 - (unsigned_type)(above < ((unsigned_type)1 << (fraction - 1)) - 1));                 \
    }
LANE_CLASSIFY(float, uint32_t, f32, 32, 23)
LANE_CLASSIFY(double, uint64_t, f64, 64, 52)
LANE_CLASSIFY(lane_f16, uint16_t, f16, 16, 10)
#undef LANE_CLASSIFY

static inline float lane_quiet_f32(float x)
{
    return lane_as_f32_u32(lane_bits_f32(x) | 0x00400000u);
}

static inline double lane_quiet_f64(double x)
{
    return lane_as_f64_u64(lane_bits_f64(x) | 0x0008000000000000ull);
}

static inline lane_f16 lane_quiet_f16(lane_f16 x)
{
    return x | 0x0200;
}

static inline float lane_abs_f32(float x)
{
    return lane_as_f32_u32(lane_bits_f32(x) & 0x7fffffffu);
}

static inline double lane_abs_f64(double x)
{
    return lane_as_f64_u64(lane_bits_f64(x) & 0x7fffffffffffffffull);
}

static inline lane_f16 lane_abs_f16(lane_f16 x)
{
    return x & 0x7fff;
}

static inline lane_f16 lane_neg_f16(lane_f16 x)
{
    return x ^ 0x8000;
}

/* --- half precision: exact in f32, rounded back by the mode of f16 --- */

/* Keeps a signalling NaN signalling; no float arithmetic on denormals, so that the host's flushing cannot reach it. */
static inline float lane_f32_from_f16(lane_f16 h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fffu;
    const uint32_t denormal = lane_bits_f32((float)(int32_t)(magnitude & 0x3ff) * 0x1p-24f);
    const uint32_t normal = (magnitude << 13) + (112u << 23);
    const uint32_t special = (magnitude << 13) + (224u << 23);
    const uint32_t rest = lane_select_u32(magnitude < 0x7c00, normal, special);
    return lane_as_f32_u32(sign | lane_select_u32(magnitude < 0x400, denormal, rest));
}

/* `u` is an f32; bit 0 may be sticky. nearest and up are all ones or zero. */
static inline uint32_t lane_round_to_f16(uint32_t u, uint32_t nearest, uint32_t up)
{
    const uint32_t a = u & 0x7fffffffu, exponent = a >> 23;
    const uint32_t rebased = a - (112u << 23);
    const uint32_t normal = (rebased + (nearest & (0xfffu + (rebased >> 13 & 1))) + (up & 0x1fffu)) >> 13;
    const uint32_t mantissa = (a & 0x7fffffu) | ((0u - (uint32_t)(exponent != 0)) & 0x800000u);
    const uint32_t distance = 126 - exponent, far = 0u - (uint32_t)(distance > 26);
    const uint32_t shift = ((distance & ~far) | (26 & far)) & 31; /* beyond 25 only zero or not matters */
    const uint32_t one = 1u << shift;
    const uint32_t bias = (nearest & ((one >> 1) - 1 + (mantissa >> shift & 1))) + (up & (one - 1));
    const uint32_t denormal = (mantissa + bias) >> shift;
    const uint32_t largest = 0x7bffu + ((nearest | up) & 1);
    const uint32_t held = lane_select_u32(normal < 0x7c00, normal, largest);
    const uint32_t finite = lane_select_u32(exponent < 113, denormal, held);
    const uint32_t nan = 0x7c00u | ((0u - (uint32_t)(a > 0x7f800000u)) & (0x200u | (a >> 13 & 0x3ff)));
    return (u >> 16 & 0x8000u) | lane_select_u32(a < 0x7f800000u, finite, nan);
}

static inline lane_f16 lane_round_f16(const struct lane_mode *m, uint32_t u)
{
    const uint32_t up = lane_select_u32((int32_t)u < 0, m->f16_up[1], m->f16_up[0]);
    return lane_flush_bits_f16(lane_round_to_f16(u, m->f16_nearest, up), m->keep_out_f16);
}

/* To nearest, for literals: a compiler folds it. */
static inline lane_f16 lane_f16_from_f32(float x)
{
    return (lane_f16)lane_round_to_f16(lane_bits_f32(x), UINT32_MAX, 0);
}

/* f64 to an f32 that rounds to f16 as the f64 would: cut off, with a sticky last bit. For magnitudes of f16 arithmetic
 * only. */
static inline uint32_t lane_sticky_f32(double x)
{
    const uint64_t u = lane_bits_f64(x), magnitude = u & 0x7fffffffffffffffull;
    const uint64_t rebased = magnitude - (896ull << 52);
    const uint32_t cut = (uint32_t)(rebased >> 29) | ((rebased & 0x1fffffff) != 0);
    const uint32_t nan =
        lane_select_u32(magnitude > 0x7ff0000000000000ull, 0x400000u | (uint32_t)(u >> 29 & 0x3fffff), 0);
    const uint32_t finite = lane_select_u32(magnitude < (897ull << 52), magnitude != 0, cut);
    const uint32_t value = lane_select_u32(magnitude >= 0x47f0000000000000ull, 0x7f800000u | nan, finite);
    return (uint32_t)(u >> 32 & 0x80000000u) | value;
}

/* A source of an f16 operation. */
static inline float lane_in_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_f32_from_f16(lane_flush_f16(m, x));
}

static inline float lane_f32_of_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_in_f16(m, x);
}

static inline lane_f16 lane_f16_of_f32(const struct lane_mode *m, float x)
{
    return lane_round_f16(m, lane_bits_f32(lane_flush_f32(m, x)));
}

/* v_cvt_pkrtz: toward zero whatever the mode. Below the normal halves the value counts steps of 2^-24, which is never
 * less than what the exponent's rebasing gives there, and from there on is held at the first normal half: the larger of
 * both is right everywhere. Denormals of f32 are zero to both. */
static inline lane_f16 lane_f16_rtz_f32(const struct lane_mode *m, float x)
{
    const uint32_t u = lane_bits_f32(x), a = u & 0x7fffffffu;
    const int32_t normal = (int32_t)(a >> 13) - (112 << 10);
    const int32_t denormal = (int32_t)(lane_as_f32_u32(lane_min_u32(a, 113u << 23)) * 0x1p24f);
    const int32_t finite = lane_min_i32(lane_max_i32(normal, denormal), 0x7bff);
    const uint32_t kept = (uint32_t)finite & ((finite > 0x3ff ? UINT32_MAX : 0) | m->keep_out_f16);
    const uint32_t nan = 0x7c00u | (a >> 13 & 0x3ffu) | (a > 0x7f800000u ? 0x200u : 0);
    return (lane_f16)((u >> 16 & 0x8000u) | lane_select_u32(a < 0x7f800000u, kept, nan));
}

static inline lane_f16 lane_f16_of_u16(const struct lane_mode *m, uint16_t x)
{
    return lane_round_f16(m, lane_bits_f32((float)(int32_t)x));
}

static inline lane_f16 lane_f16_of_i16(const struct lane_mode *m, int16_t x)
{
    return lane_round_f16(m, lane_bits_f32((float)(int32_t)x));
}

/* The result of an f16 operation, in the host mode of such operations. */
static inline lane_f16 lane_out_f16(const struct lane_mode *m, float x)
{
#if defined(__aarch64__)
    const __fp16 half = (__fp16)x;
    lane_f16 u;
    memcpy(&u, &half, sizeof(u));
    return lane_flush_bits_f16(u, m->keep_out_f16);
#else
    return lane_round_f16(m, lane_bits_f32(x));
#endif
}

/* A source of f16 arithmetic; a signalling NaN may come out quiet. */
static inline float lane_operand_f16(const struct lane_mode *m, lane_f16 x)
{
#if defined(__aarch64__)
    const lane_f16 u = lane_flush_f16(m, x);
    __fp16 half;
    memcpy(&half, &u, sizeof(half));
    return (float)half;
#else
    return lane_in_f16(m, x);
#endif
}

/* f32 has more than twice the digits of f16, so rounding twice is rounding once, in one direction as in the other. */
static inline lane_f16 lane_add_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b)
{
    return lane_out_f16(m, lane_operand_f16(m, a) + lane_operand_f16(m, b));
}

static inline lane_f16 lane_sub_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b)
{
    return lane_out_f16(m, lane_operand_f16(m, a) - lane_operand_f16(m, b));
}

static inline lane_f16 lane_mul_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b)
{
    return lane_out_f16(m, lane_operand_f16(m, a) * lane_operand_f16(m, b));
}

/* The product is exact in f64; the sum is too wherever it is near a tie of f16. */
static inline lane_f16 lane_fma_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b, lane_f16 c)
{
    const double product = (double)lane_operand_f16(m, a) * (double)lane_operand_f16(m, b);
    return lane_out_f16(m, lane_as_f32_u32(lane_sticky_f32(product + (double)lane_operand_f16(m, c))));
}

/* --- arithmetic of f32 and f64 that C has no operator for --- */

static inline float lane_fma_f32(const struct lane_mode *m, float a, float b, float c)
{
    (void)m;
    return __builtin_fmaf(a, b, c);
}

static inline double lane_fma_f64(const struct lane_mode *m, double a, double b, double c)
{
    (void)m;
    return __builtin_fma(a, b, c);
}

/* A NaN loses against a number; -0 is less than +0; in IEEE mode a signalling NaN wins, quieted. */
#if defined(__aarch64__)

/* FMINNM and FMAXNM are the rules of the IEEE mode; outside of it signalling NaNs have to be quiet before. The host
 * flushes. */
#define LANE_FLOAT_MIN_MAX(type, name, unsigned_type, builtin_min, builtin_max)                                        \
    static inline type lane_min_##name(const struct lane_mode *m, type a, type b)                                      \
    {                                                                                                                  \
        return builtin_min(lane_calm_##name(m, b), lane_calm_##name(m, a));                                            \
    }                                                                                                                  \
    static inline type lane_max_##name(const struct lane_mode *m, type a, type b)                                      \
    {                                                                                                                  \
        return builtin_max(lane_calm_##name(m, b), lane_calm_##name(m, a));                                            \
    }

/* A product with one quiets and flushes as the host's minimum and maximum would, and changes nothing else. Chosen by
 * bits: of a choice between x and x * y Clang makes x * (a choice), which quiets in either mode. */
static inline float lane_calm_f32(const struct lane_mode *m, float x)
{
    return lane_as_f32_u32((lane_bits_f32(x) & m->ieee) | (lane_bits_f32(x * m->one) & ~m->ieee));
}

static inline double lane_calm_f64(const struct lane_mode *m, double x)
{
    const uint64_t ieee = lane_pair(m->ieee, m->ieee);
    return lane_as_f64_u64((lane_bits_f64(x) & ieee) | (lane_bits_f64(x * (double)m->one) & ~ieee));
}

/* Each source is calmed once: a minimum or maximum is calm already. */
static inline void lane_sort_f32(const struct lane_mode *m, float a, float b, float c, float *least_out,
                                 float *middle_out)
{
    const float x = lane_calm_f32(m, a), y = lane_calm_f32(m, b), z = lane_calm_f32(m, c), low = __builtin_fminf(x, y);
    *least_out = __builtin_fminf(low, z);
    *middle_out = __builtin_fmaxf(low, __builtin_fminf(__builtin_fmaxf(x, y), z));
}

#else

#define LANE_FLOAT_MIN_MAX(type, name, unsigned_type, builtin_min, builtin_max)                                        \
    static inline type lane_min_##name(const struct lane_mode *m, type x, type y)                                      \
    {                                                                                                                  \
        const type a = lane_flush_##name(m, x), b = lane_flush_##name(m, y);                                           \
        const type equal = lane_as_##name##_##unsigned_type(lane_bits_##name(a) | lane_bits_##name(b));                \
        const type ordered = lane_select_##name(a < b, a, lane_select_##name(a == b, equal, b));                       \
        const type number = lane_select_##name(lane_is_nan_##name(b), a, ordered); /* b, when a is a NaN */            \
        return lane_louder_##name(m, a, b, number);                                                                    \
    }                                                                                                                  \
    static inline type lane_max_##name(const struct lane_mode *m, type x, type y)                                      \
    {                                                                                                                  \
        const type a = lane_flush_##name(m, x), b = lane_flush_##name(m, y);                                           \
        const type equal = lane_as_##name##_##unsigned_type(lane_bits_##name(a) & lane_bits_##name(b));                \
        const type ordered = lane_select_##name(a > b, a, lane_select_##name(a == b, equal, b));                       \
        const type number = lane_select_##name(lane_is_nan_##name(b), a, ordered);                                     \
        return lane_louder_##name(m, a, b, number);                                                                    \
    }

/* In IEEE mode a signalling NaN among a and b, quieted, instead of the number. */
static inline float lane_louder_f32(const struct lane_mode *m, float a, float b, float number)
{
    const uint32_t loud_a = lane_snan_mask_f32(a), loud = (loud_a | lane_snan_mask_f32(b)) & m->ieee;
    const uint32_t nan = (lane_bits_f32(a) & loud_a) | (lane_bits_f32(b) & ~loud_a) | 0x00400000u;
    return lane_as_f32_u32((nan & loud) | (lane_bits_f32(number) & ~loud));
}

static inline double lane_louder_f64(const struct lane_mode *m, double a, double b, double number)
{
    const uint64_t ieee = lane_pair(m->ieee, m->ieee);
    const uint64_t loud_a = lane_snan_mask_f64(a), loud = (loud_a | lane_snan_mask_f64(b)) & ieee;
    const uint64_t nan = (lane_bits_f64(a) & loud_a) | (lane_bits_f64(b) & ~loud_a) | 0x0008000000000000ull;
    return lane_as_f64_u64((nan & loud) | (lane_bits_f64(number) & ~loud));
}

#endif

LANE_FLOAT_MIN_MAX(float, f32, u32, __builtin_fminf, __builtin_fmaxf)
LANE_FLOAT_MIN_MAX(double, f64, u64, __builtin_fmin, __builtin_fmax)
#undef LANE_FLOAT_MIN_MAX

#if !defined(__aarch64__)
static inline void lane_sort_f32(const struct lane_mode *m, float a, float b, float c, float *least_out,
                                 float *middle_out)
{
    const float low = lane_min_f32(m, a, b);
    *least_out = lane_min_f32(m, low, c);
    *middle_out = lane_max_f32(m, low, lane_min_f32(m, lane_max_f32(m, a, b), c));
}
#endif

/* With a NaN the least of the three, else the middle one. */
static inline float lane_med3_f32(const struct lane_mode *m, float a, float b, float c)
{
    const bool ordered = lane_and(lane_and(a == a, b == b), c == c);
    float least, middle;
    lane_sort_f32(m, a, b, c, &least, &middle);
    return lane_select_f32(ordered, middle, least);
}

#define LANE_CLAMP(type, name)                                                                                         \
    static inline type lane_clamp01_##name(const struct lane_mode *m, type x)                                          \
    {                                                                                                                  \
        const type number = x > 0 ? (x < 1 ? x : 1) : 0;                                                               \
        return lane_and(lane_is_nan_##name(x), !m->clamps_nan) ? x : number;                                           \
    }
LANE_CLAMP(float, f32)
LANE_CLAMP(double, f64)
#undef LANE_CLAMP

/* Results that are exact on halves are computed in f32, where they are all normal. */
static inline lane_f16 lane_back_f16(float x)
{
    return (lane_f16)lane_round_to_f16(lane_bits_f32(x), UINT32_MAX, 0);
}

static inline lane_f16 lane_min_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b)
{
    return lane_back_f16(lane_min_f32(m, lane_in_f16(m, a), lane_in_f16(m, b)));
}

static inline lane_f16 lane_max_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b)
{
    return lane_back_f16(lane_max_f32(m, lane_in_f16(m, a), lane_in_f16(m, b)));
}

static inline lane_f16 lane_med3_f16(const struct lane_mode *m, lane_f16 a, lane_f16 b, lane_f16 c)
{
    return lane_back_f16(lane_med3_f32(m, lane_in_f16(m, a), lane_in_f16(m, b), lane_in_f16(m, c)));
}

static inline lane_f16 lane_clamp01_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_back_f16(lane_clamp01_f32(m, lane_f32_from_f16(x)));
}

/* --- rounding to integers --- */

/* To nearest, ties to even, in any rounding mode of the host: what is cut off is exact, and so is one more. */
#define LANE_NEAREST(type, name, builtin_trunc, builtin_copysign)                                                      \
    static inline type lane_nearest_##name(type x)                                                                     \
    {                                                                                                                  \
        const type cut = builtin_trunc(x), rest = lane_abs_##name(x - cut), half = cut * (type)0.5;                    \
        const bool up = lane_or(rest > (type)0.5, lane_and(rest == (type)0.5, builtin_trunc(half) != half));           \
        return builtin_copysign(lane_select_##name(up, cut + builtin_copysign((type)1, x), cut), x);                   \
    }
LANE_NEAREST(float, f32, __builtin_truncf, __builtin_copysignf)
LANE_NEAREST(double, f64, __builtin_trunc, __builtin_copysign)
#undef LANE_NEAREST

#define LANE_ROUNDING(name, builtin_f32, builtin_f64)                                                                  \
    static inline float lane_##name##_f32(const struct lane_mode *m, float x)                                          \
    {                                                                                                                  \
        return builtin_f32(lane_flush_f32(m, x));                                                                      \
    }                                                                                                                  \
    static inline double lane_##name##_f64(const struct lane_mode *m, double x)                                        \
    {                                                                                                                  \
        return builtin_f64(lane_flush_f64(m, x));                                                                      \
    }                                                                                                                  \
    static inline lane_f16 lane_##name##_f16(const struct lane_mode *m, lane_f16 x)                                    \
    {                                                                                                                  \
        return lane_back_f16(builtin_f32(lane_in_f16(m, x)));                                                          \
    }
LANE_ROUNDING(floor, __builtin_floorf, __builtin_floor)
LANE_ROUNDING(ceil, __builtin_ceilf, __builtin_ceil)
LANE_ROUNDING(trunc, __builtin_truncf, __builtin_trunc)
#undef LANE_ROUNDING

static inline float lane_rndne_f32(const struct lane_mode *m, float x)
{
    return lane_nearest_f32(lane_flush_f32(m, x));
}

static inline double lane_rndne_f64(const struct lane_mode *m, double x)
{
    return lane_nearest_f64(lane_flush_f64(m, x));
}

static inline lane_f16 lane_rndne_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_back_f16(lane_nearest_f32(lane_in_f16(m, x)));
}

/* x - floor(x), held below 1. */
static inline float lane_fract_f32(const struct lane_mode *m, float x)
{
    const float a = lane_flush_f32(m, x), part = a - __builtin_floorf(a);
    return part >= 1.0f ? 0x1.fffffep-1f : part;
}

static inline double lane_fract_f64(const struct lane_mode *m, double x)
{
    const double a = lane_flush_f64(m, x), part = a - __builtin_floor(a);
    return part >= 1.0 ? 0x1.fffffffffffffp-1 : part;
}

static inline lane_f16 lane_fract_f16(const struct lane_mode *m, lane_f16 x)
{
    const float a = lane_in_f16(m, x);
    const lane_f16 part = lane_round_f16(m, lane_bits_f32(a - __builtin_floorf(a)));
    return part == 0x3c00 ? 0x3bff : part;
}

/* --- conversions --- */

static inline float lane_f32_of_i32(const struct lane_mode *m, int32_t x)
{
    (void)m;
    return (float)x;
}

static inline float lane_f32_of_u32(const struct lane_mode *m, uint32_t x)
{
    (void)m;
    return (float)x;
}

static inline float lane_f32_of_f64(const struct lane_mode *m, double x)
{
    return lane_flush_bits_f32(lane_bits_f32((float)lane_flush_f64(m, x)), m->keep_out_f32);
}

static inline double lane_f64_of_i32(const struct lane_mode *m, int32_t x)
{
    (void)m;
    return (double)x;
}

static inline double lane_f64_of_u32(const struct lane_mode *m, uint32_t x)
{
    (void)m;
    return (double)x;
}

static inline double lane_f64_of_f32(const struct lane_mode *m, float x)
{
    return (double)lane_flush_f32(m, x);
}

/* Toward zero; what does not fit becomes the nearest that does, NaN becomes 0. The cast sees only values that it is
 * defined for. */
static inline int32_t lane_cvt_i32_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const float held = lane_select_f32(x > -0x1p31f, x, -0x1p31f);
    const int32_t value = (int32_t)lane_select_f32(x < 0x1p31f, held, 0.0f);
    return x >= 0x1p31f ? INT32_MAX : value;
}

static inline uint32_t lane_cvt_u32_f32(const struct lane_mode *m, float x)
{
    (void)m;
    const bool fits = x > -1.0f && x < 0x1p32f;
    const uint32_t value = (uint32_t)(fits ? x : 0.0f);
    return fits ? value : x > 0.0f ? UINT32_MAX : 0;
}

static inline int32_t lane_cvt_i32_f64(const struct lane_mode *m, double x)
{
    (void)m;
    const double held = lane_select_f64(x > -0x1p31, x, -0x1p31);
    const int32_t value = (int32_t)lane_select_f64(x < 0x1p31, held, 0.0);
    return x >= 0x1p31 ? INT32_MAX : value;
}

static inline uint32_t lane_cvt_u32_f64(const struct lane_mode *m, double x)
{
    (void)m;
    const bool fits = x > -1.0 && x < 0x1p32;
    const uint32_t value = (uint32_t)(fits ? x : 0.0);
    return fits ? value : x > 0.0 ? UINT32_MAX : 0;
}

static inline int32_t lane_cvt_i32_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_cvt_i32_f32(m, lane_in_f16(m, x));
}

static inline int16_t lane_cvt_i16_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_sat16_i32_i32(lane_cvt_i32_f32(m, lane_in_f16(m, x)));
}

static inline uint16_t lane_cvt_u16_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_sat16_u32_u32(lane_cvt_u32_f32(m, lane_in_f16(m, x)));
}

static inline int32_t lane_cvt_floor_i32_f32(const struct lane_mode *m, float x)
{
    return lane_cvt_i32_f32(m, __builtin_floorf(lane_flush_f32(m, x)));
}

/* floor(x + 0.5), the sum not rounded: what is above the floor is exact below a half, and above it rounding cannot
 * reach the half. */
static inline int32_t lane_cvt_round_up_i32_f32(const struct lane_mode *m, float x)
{
    const float a = lane_flush_f32(m, x), low = __builtin_floorf(a);
    return lane_cvt_i32_f32(m, low + lane_select_f32(a - low >= 0.5f, 1.0f, 0.0f));
}

static inline double lane_round_by(double x, uint32_t round)
{
    return round == LANE_ROUND_NEAREST ? lane_nearest_f64(x)
           : round == LANE_ROUND_UP    ? __builtin_ceil(x)
           : round == LANE_ROUND_DOWN  ? __builtin_floor(x)
                                       : __builtin_trunc(x);
}

/* Rounds by the mode of f32, saturates. */
static inline uint32_t lane_cvt_u8_f32(const struct lane_mode *m, float x)
{
    const double a = (double)lane_flush_f32(m, x);
    const double held = a > 0.0 ? (a < 255.0 ? a : 255.0) : 0.0; /* NaN too becomes 0 */
    return (uint32_t)lane_round_by(held, m->round_f32);
}

/* The nearest number as an integer, of |x| up to 65535. Adding a half and cutting off rounds ties up; an odd result
 * of a tie goes back. */
static inline int32_t lane_nearest_magnitude(double x)
{
    const double magnitude = lane_abs_f64(x);
    const int32_t up = (int32_t)(magnitude + 0.5); /* exact wherever the sum is near an integer: 40 bits and a half */
    return up - (int32_t)lane_and((double)up - magnitude == 0.5, (up & 1) != 0);
}

static inline int16_t lane_snorm16_f32(const struct lane_mode *m, float x)
{
    const double a = (double)lane_flush_f32(m, x);
    const double held = a > -1.0 ? (a < 1.0 ? a : 1.0) : a == a ? -1.0 : 0.0;
    const int32_t magnitude = lane_nearest_magnitude(held * 32767.0);
    return (int16_t)(held < 0.0 ? -magnitude : magnitude);
}

static inline uint16_t lane_unorm16_f32(const struct lane_mode *m, float x)
{
    const double a = (double)lane_flush_f32(m, x);
    const double held = a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0;
    return (uint16_t)lane_nearest_magnitude(held * 65535.0);
}

static inline int16_t lane_snorm16_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_snorm16_f32(m, lane_in_f16(m, x));
}

static inline uint16_t lane_unorm16_f16(const struct lane_mode *m, lane_f16 x)
{
    return lane_unorm16_f32(m, lane_in_f16(m, x));
}

/* --- exponents --- */

static inline double lane_power_of_two(int32_t exponent)
{
    return lane_as_f64_u64((uint64_t)(uint32_t)(exponent + 1023) << 52);
}

static inline int32_t lane_limit(int32_t x, int32_t limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* Exact in f64, so that it rounds once. */
static inline float lane_ldexp_f32(const struct lane_mode *m, float x, int32_t exponent)
{
    const double scaled = (double)lane_flush_f32(m, x) * lane_power_of_two(lane_limit(exponent, 300));
    return lane_flush_bits_f32(lane_bits_f32((float)scaled), m->keep_out_f32);
}

static inline lane_f16 lane_ldexp_f16(const struct lane_mode *m, lane_f16 x, int32_t exponent)
{
    return lane_round_f16(m, lane_sticky_f32((double)lane_in_f16(m, x) * lane_power_of_two(lane_limit(exponent, 60))));
}

static inline double lane_ldexp_f64(const struct lane_mode *m, double x, int32_t exponent)
{
    const double scaled = __builtin_ldexp(lane_flush_f64(m, x), lane_limit(exponent, 4096));
    return lane_flush_bits_f64(lane_bits_f64(scaled), m->keep_out_f16);
}

/* x = mant * 2^exp with mant in [0.5, 1); zeros, infinities and NaNs are their own mantissa with exponent 0. */
static inline double lane_split_f64(double x, int32_t *exponent_out)
{
    const uint64_t u = lane_bits_f64(x);
    const uint64_t magnitude = u & 0x7fffffffffffffffull;
    if (magnitude == 0 || magnitude >= 0x7ff0000000000000ull) {
        *exponent_out = 0;
        return x;
    }
    const uint32_t shift = magnitude >> 52 ? 0 : (uint32_t)__builtin_clzll(magnitude) - 11;
    const uint64_t normal = magnitude << shift;
    *exponent_out = (int32_t)(magnitude >> 52 ? magnitude >> 52 : 1) - (int32_t)shift - 1022;
    return lane_as_f64_u64((u & 0x8000000000000000ull) | 1022ull << 52 | (normal & 0xfffffffffffffull));
}

static inline double lane_frexp_mant_f64(const struct lane_mode *m, double x)
{
    int32_t exponent;
    return lane_split_f64(lane_flush_f64(m, x), &exponent);
}

static inline int32_t lane_frexp_exp_f64(const struct lane_mode *m, double x)
{
    int32_t exponent;
    lane_split_f64(lane_flush_f64(m, x), &exponent);
    return exponent;
}

/* An f32 denormal as f64 without float arithmetic that the host could flush. */
static inline double lane_widen_f32(float x)
{
    const uint32_t u = lane_bits_f32(x), fraction = u & 0x7fffffu;
    const double denormal = (double)(int32_t)fraction * 0x1p-149;
    return lane_is_denorm_f32(x) ? (u >> 31 ? -denormal : denormal) : (double)x;
}

static inline float lane_frexp_mant_f32(const struct lane_mode *m, float x)
{
    int32_t exponent;
    return (float)lane_split_f64(lane_widen_f32(lane_flush_f32(m, x)), &exponent);
}

static inline int32_t lane_frexp_exp_f32(const struct lane_mode *m, float x)
{
    int32_t exponent;
    lane_split_f64(lane_widen_f32(lane_flush_f32(m, x)), &exponent);
    return exponent;
}

static inline lane_f16 lane_frexp_mant_f16(const struct lane_mode *m, lane_f16 x)
{
    int32_t exponent;
    return lane_back_f16((float)lane_split_f64((double)lane_in_f16(m, x), &exponent));
}

static inline int32_t lane_frexp_exp_f16(const struct lane_mode *m, lane_f16 x)
{
    int32_t exponent;
    lane_split_f64((double)lane_in_f16(m, x), &exponent);
    return exponent;
}

#endif
