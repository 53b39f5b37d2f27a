/* The arithmetic of one channel: codes of a format to numbers and back, as inline functions that loops vectorise.
 *
 * Rules, all of them from the Vulkan specification's chapters on fixed-point and floating-point conversion:
 *  - unorm and snorm to float: code / (2^n - 1) and max(code / (2^(n-1) - 1), -1), correctly rounded; the two lowest
 *    snorm codes are both -1.0.
 *  - float to unorm and snorm: clamped to [0, 1] or [-1, 1], NaN is 0; then the exact product with the largest code,
 *    rounded to nearest, ties to even. (The specification allows any neighbour: nearest is its recommendation, and the
 *    hardware's rule.)
 *  - float to scaled: clamped to the range, NaN is 0, rounded to nearest even.
 *  - float to a smaller float: round to nearest even, too large becomes infinity, NaN stays NaN. Unsigned floats: every
 *    negative number and -infinity become 0. The _rtz variants cut instead; then too large becomes the largest finite
 *    number.
 *  - shared exponent: the algorithm of the specification, which rounds half up.
 *
 * Everything assumes the host's default rounding mode (to nearest); a flush-to-zero mode changes no result but that of
 * subnormal binary32 channels themselves, which pass as bits. Not here: where a channel lies in a texel (the generated
 * codecs). */
#ifndef UTIL_FORMAT_CHANNEL_H
#define UTIL_FORMAT_CHANNEL_H

#include <stdint.h>
#include <string.h>

#include "util/half.h"

/* FORMAT_PORTABLE avoids the host's own instructions, so that one machine can test both paths. */
#if defined(__FP_FAST_FMAF) && !defined(FORMAT_PORTABLE)
#define FORMAT_FMA 1
#else
#define FORMAT_FMA 0
#endif
#if defined(__ARM_FP16_FORMAT_IEEE) && !defined(FORMAT_PORTABLE)
#define FORMAT_FP16 1
#else
#define FORMAT_FP16 0
#endif

/* Generated tables (srgb_tables.c). */
extern const float format_srgb_to_linear_table[256];
extern const uint32_t format_srgb_step[];
#define FORMAT_SRGB_FIRST_BITS 0x39000000u /* 2^-13: below it every number encodes to 0 */
#define FORMAT_SRGB_STEP_SHIFT 16
extern const uint8_t format_srgb_of_half[];
#define FORMAT_SRGB_HALF_SHIFT 13

/* [0, high], NaN to 0. Non-negative floats are ordered as their bits, and negative ones are negative integers: no
 * branch, and no signalling NaN slips through (Clang would turn `x > 0 ? x : 0` into AArch64's FMAXNM, which answers
 * those with NaN). */
static inline float format_clamp(float x, float high)
{
    int32_t bits = (int32_t)float_bits(x), high_bits = (int32_t)float_bits(high);
    bits = bits > 0x7f800000 ? 0 : bits;
    bits = bits > 0 ? bits : 0;
    return bits_float((uint32_t)(bits < high_bits ? bits : high_bits));
}

/* [-low, high], NaN to a zero of either sign. */
static inline float format_clamp_signed(float x, float low, float high)
{
    uint32_t bits = float_bits(x), magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
    uint32_t limit = sign ? float_bits(low) : float_bits(high);
    magnitude = magnitude > 0x7f800000u ? 0 : magnitude;
    return bits_float((magnitude < limit ? magnitude : limit) | sign);
}

/* The integer nearest to x * scale, ties to even, for |x * scale| < 2^22. One rounding: either the fused operation's at
 * the unit of the added constant, or that of the addition after a product which binary64 holds exactly (24 + 23 bits).
 */
static inline int32_t format_scale_to_int(float x, float scale)
{
#if FORMAT_FMA
    return (int32_t)(float_bits(__builtin_fmaf(x, scale, 12582912.0f)) - 0x4b400000u);
#else
    double sum = (double)x * (double)scale + 6755399441055744.0; /* 1.5 * 2^52 */
    uint64_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    return (int32_t)(uint32_t)bits;
#endif
}

/* code / divisor correctly rounded, for codes of up to 16 bits. With a fused operation: the reciprocal in two parts;
 * that no code comes close enough to a tie to go wrong is what the exhaustive test shows. */
static inline float format_divide_code(float code, float divisor, float reciprocal_high, float reciprocal_low)
{
#if FORMAT_FMA
    (void)divisor;
    return __builtin_fmaf(code, reciprocal_high, code * reciprocal_low);
#else
    (void)reciprocal_high;
    (void)reciprocal_low;
    return code / divisor;
#endif
}

#define FORMAT_DIVIDE_CODE(code, max)                                                                                  \
    format_divide_code((float)(int32_t)(code), (float)(max), (float)(1.0 / (max)),                                     \
                       (float)(1.0 / (max) - (double)(float)(1.0 / (max))))

/* ---- unorm, snorm, scaled: `bits` is a constant wherever these are called ---- */

static inline float format_unorm_to_float(uint32_t code, unsigned bits)
{
    uint32_t max = (uint32_t)((1ull << bits) - 1);
    if (bits > 16)
        return (float)code / (float)max; /* up to 24 bits: both exact, one rounding */
    return FORMAT_DIVIDE_CODE(code, max);
}

static inline uint32_t format_float_to_unorm(float x, unsigned bits)
{
    uint32_t max = (uint32_t)((1ull << bits) - 1);
    x = format_clamp(x, 1.0f);
    if (bits > 22) {
        double sum = (double)x * (double)max + 4503599627370496.0; /* 2^52; the product of 24 and 24 bits is exact */
        uint64_t word;
        memcpy(&word, &sum, sizeof(word));
        return (uint32_t)word;
    }
    return (uint32_t)format_scale_to_int(x, (float)max);
}

static inline float format_snorm_to_float(int32_t code, unsigned bits)
{
    int32_t max = (int32_t)((1u << (bits - 1)) - 1);
    float value = FORMAT_DIVIDE_CODE(code, max);
    return value > -1.0f ? value : -1.0f;
}

/* In the low `bits` bits, the rest zero. */
static inline uint32_t format_float_to_snorm(float x, unsigned bits)
{
    int32_t max = (int32_t)((1u << (bits - 1)) - 1);
    return (uint32_t)format_scale_to_int(format_clamp_signed(x, 1.0f, 1.0f), (float)max) & ((1u << bits) - 1);
}

static inline uint32_t format_float_to_uscaled(float x, unsigned bits)
{
    float max = (float)((1u << bits) - 1);
    return (uint32_t)format_scale_to_int(format_clamp(x, max), 1.0f);
}

static inline uint32_t format_float_to_sscaled(float x, unsigned bits)
{
    float low = (float)(1u << (bits - 1));
    return (uint32_t)format_scale_to_int(format_clamp_signed(x, low, low - 1.0f), 1.0f) & ((1u << bits) - 1);
}

/* ---- integers: too large and too small become the nearest code ---- */

static inline uint32_t format_clamp_uint(uint32_t value, unsigned bits)
{
    uint32_t max = (uint32_t)((1ull << bits) - 1);
    return value < max ? value : max;
}

static inline uint32_t format_clamp_sint(int32_t value, unsigned bits)
{
    int32_t max = (int32_t)((1ull << (bits - 1)) - 1), min = -max - 1;
    value = value > min ? value : min;
    value = value < max ? value : max;
    return (uint32_t)value & (uint32_t)((1ull << bits) - 1);
}

/* The low `bits` bits as a signed number. */
static inline int32_t format_sign_extend(uint32_t code, unsigned bits)
{
    return (int32_t)(code << (32 - bits)) >> (32 - bits);
}

/* ---- sRGB: the 8-bit code that lies nearest to the exact curve, for every float ---- */

static inline float format_srgb_to_float(uint32_t code)
{
    return format_srgb_to_linear_table[code];
}

/* A bucket holds the floats that share sign, exponent and seven bits of fraction; none has more than one threshold
 * between codes (the generator checks it). Its entry is the first code, above as much as a float at the threshold needs
 * to carry into it. `above`: the bits of a float up to one, less those of the first one. */
static inline uint32_t format_srgb_of_bits(uint32_t above)
{
    const uint32_t inside = above & ((1u << FORMAT_SRGB_STEP_SHIFT) - 1);
    return (format_srgb_step[above >> FORMAT_SRGB_STEP_SHIFT] + inside) >> FORMAT_SRGB_STEP_SHIFT;
}

static inline uint32_t format_float_to_srgb(float x)
{
    uint32_t bits = float_bits(format_clamp(x, 1.0f));
    bits = bits > FORMAT_SRGB_FIRST_BITS ? bits : FORMAT_SRGB_FIRST_BITS;
    return format_srgb_of_bits(bits - FORMAT_SRGB_FIRST_BITS);
}

/* The code where x has no more bits of fraction than a half, and is between 0 and 1. */
static inline uint32_t format_half_to_srgb(float x)
{
    const uint32_t bits = float_bits(x), first = FORMAT_SRGB_FIRST_BITS;
    return format_srgb_of_half[((bits > first ? bits : first) - first) >> FORMAT_SRGB_HALF_SHIFT];
}

/* ---- floats of 16, 11 and 10 bits: five bits of exponent, bias 15, `m` bits of fraction ----
 *
 * The bits of a NaN are kept, so that what is read and written again is the same: copies through a shader rely on
 * it. */

/* `code` holds exponent and fraction without a sign. */
static inline float format_small_to_float(uint32_t code, unsigned m)
{
    uint32_t shifted = code << (23 - m);
    uint32_t exponent = shifted & 0x0f800000u;
    uint32_t normal = shifted + (112u << 23);
    uint32_t special = shifted | 0x7f800000u; /* infinity and NaN need the exponent's other three bits */
    /* Subnormal: put the fraction below the hidden bit of 2^-14 and subtract 2^-14, which is exact. */
    uint32_t subnormal = float_bits(bits_float(shifted + (113u << 23)) - bits_float(113u << 23));
    uint32_t bits = exponent == 0x0f800000u ? special : normal;
    return bits_float(exponent == 0 ? subnormal : bits);
}

/* `magnitude` is the bits of a float without its sign. */
static inline uint32_t format_magnitude_to_small_rtne(uint32_t magnitude, unsigned m)
{
    const uint32_t infinity = 31u << m;
    uint32_t payload = (magnitude & 0x7fffffu) >> (23 - m);
    uint32_t special = infinity | payload;
    special |= magnitude > 0x7f800000u && !payload ? 1u << (m - 1) : 0;
    /* Normal: half a unit less one, plus one where the kept part is odd; a carry may run up to infinity, which is
     * right. */
    uint32_t odd = (magnitude >> (23 - m)) & 1;
    uint32_t normal = (magnitude - (112u << 23) + (1u << (22 - m)) - 1 + odd) >> (23 - m);
    normal = normal < infinity ? normal : infinity;
    /* Subnormal: the addition rounds at the unit 2^(-14 - m) of the constant. */
    const uint32_t anchor = (uint32_t)(127 + 9 - (int)m) << 23;
    uint32_t subnormal = float_bits(bits_float(magnitude) + bits_float(anchor)) - anchor;
    uint32_t code = magnitude < (113u << 23) ? subnormal : normal;
    return magnitude >= 0x7f800000u ? special : code;
}

static inline uint32_t format_magnitude_to_small_rtz(uint32_t magnitude, unsigned m)
{
    const uint32_t infinity = 31u << m;
    if (magnitude >= 0x7f800000u)
        return format_magnitude_to_small_rtne(magnitude, m);
    if (magnitude >= (143u << 23))
        return infinity - 1;
    if (magnitude >= (113u << 23))
        return (magnitude - (112u << 23)) >> (23 - m);
    uint32_t shift = 136 - m - (magnitude >> 23);
    return shift > 23 ? 0 : ((magnitude & 0x7fffffu) | 0x800000u) >> shift;
}

static inline float format_half_to_float(uint32_t code)
{
#if FORMAT_FP16
    uint16_t bits = (uint16_t)code;
    __fp16 half;
    memcpy(&half, &bits, sizeof(half));
    /* The host makes a NaN quiet; infinity has that bit as 0, too. */
    uint16_t quiet = (bits & 0x7e00u) == 0x7c00u ? 0x40u : 0;
    return bits_float(float_bits((float)half) & ~((uint32_t)quiet << 16));
#else
    return bits_float(float_bits(format_small_to_float(code & 0x7fffu, 10)) | (code & 0x8000u) << 16);
#endif
}

/* Four of them, beside each other in memory. */
static inline void format_half4_to_float(float *restrict dst, const uint8_t *restrict src)
{
#if FORMAT_FP16 && defined(__aarch64__)
    typedef int16_t halves __attribute__((vector_size(8)));
    typedef int32_t words __attribute__((vector_size(16)));
    halves bits;
    words value;
    memcpy(&bits, src, sizeof(bits));
    const words quiet = __builtin_convertvector((halves)((bits & 0x7e00) == 0x7c00), words) & 0x400000;
    __asm__("fcvtl %0.4s, %1.4h" : "=w"(value) : "w"(bits)); /* util/intrinsics.h is long, and this header everywhere */
    value &= ~quiet;
    memcpy(dst, &value, sizeof(value));
#else
    uint16_t codes[4];
    memcpy(codes, src, sizeof(codes));
    for (unsigned i = 0; i < 4; i++)
        dst[i] = format_half_to_float(codes[i]);
#endif
}

static inline uint32_t format_float_to_half(float x)
{
#if FORMAT_FP16
    __fp16 half = (__fp16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof(bits));
    /* The host makes a NaN quiet. A branch, for the conversion is no vector's anyway. */
    return __builtin_expect(x != x, 0) ? float_to_half_rtne(x) : bits;
#else
    uint32_t bits = float_bits(x);
    return format_magnitude_to_small_rtne(bits & 0x7fffffffu, 10) | ((bits >> 16) & 0x8000u);
#endif
}

/* Unsigned: what is negative is 0, but a NaN of any sign stays one. */
static inline uint32_t format_unsigned_magnitude(float x)
{
    uint32_t bits = float_bits(x), magnitude = bits & 0x7fffffffu;
    return magnitude > 0x7f800000u || !(bits >> 31) ? magnitude : 0;
}

static inline uint32_t format_float_to_ufloat(float x, unsigned m)
{
    return format_magnitude_to_small_rtne(format_unsigned_magnitude(x), m);
}

static inline uint32_t format_float_to_ufloat_rtz(float x, unsigned m)
{
    return format_magnitude_to_small_rtz(format_unsigned_magnitude(x), m);
}

/* ---- shared exponent: 9 bits of fraction without a hidden bit, 5 of exponent, bias 15 ---- */

static inline double format_exp2(int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t format_pack_e5b9g9r9(float r, float g, float b)
{
    const float largest = 65408.0f; /* (2^9 - 1) / 2^9 * 2^(31 - 15) */
    r = format_clamp(r, largest);
    g = format_clamp(g, largest);
    b = format_clamp(b, largest);
    float max = r > g ? r : g;
    max = max > b ? max : b;

    /* floor(log2(max)) is the float's exponent; subnormal floats are far below the smallest shared exponent. */
    int log2 = (int)(float_bits(max) >> 23) - 127;
    int exponent = (log2 > -16 ? log2 : -16) + 16;
    double scale = format_exp2(24 - exponent);
    /* binary64 adds 0.5 without a rounding wherever it matters, so that the cut is the specification's floor. */
    int32_t largest_code = (int32_t)((double)max * scale + 0.5);
    exponent += largest_code == 512;
    scale = format_exp2(24 - exponent);
    uint32_t red = (uint32_t)(int32_t)((double)r * scale + 0.5);
    uint32_t green = (uint32_t)(int32_t)((double)g * scale + 0.5);
    uint32_t blue = (uint32_t)(int32_t)((double)b * scale + 0.5);
    return (uint32_t)exponent << 27 | blue << 18 | green << 9 | red;
}

/* 2^(exponent - 15 - 9): one unit of the three fractions. */
static inline float format_e5_scale(uint32_t exponent)
{
    return bits_float((exponent + 127 - 24) << 23);
}

#endif
