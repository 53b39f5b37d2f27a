/* Conversions by integer arithmetic, so that no host rounding mode and no flush-to-zero bit can change them. */
#include "util/half.h"

#include <stdbool.h>

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1f;
    uint32_t fraction = half & 0x3ffu;

    if (exponent == 31)
        return bits_float(sign | 0x7f800000u | fraction << 13);
    if (exponent)
        return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
    if (!fraction)
        return bits_float(sign);

    /* Subnormal: every one is a normal float. */
    unsigned shift = (unsigned)__builtin_clz(fraction) - 21;
    fraction = (fraction << shift) & 0x3ffu;
    return bits_float(sign | (113 - shift) << 23 | fraction << 13);
}

static uint16_t float_to_half(float value, bool to_nearest)
{
    uint32_t bits = float_bits(value);
    uint16_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;

    if (magnitude > 0x7f800000u) {
        uint16_t payload = (magnitude >> 13) & 0x3ffu;
        return sign | 0x7c00u | (payload ? payload : 0x200u);
    }
    if (magnitude == 0x7f800000u)
        return sign | 0x7c00u;
    if (magnitude >= 0x47800000u) /* 65536 and above */
        return sign | (to_nearest ? 0x7c00u : 0x7bffu);

    uint32_t kept, rest, half_ulp;
    if (magnitude >= 0x38800000u) {
        uint32_t rebased = magnitude - (112u << 23);
        kept = rebased >> 13;
        rest = rebased & 0x1fffu;
        half_ulp = 0x1000u;
    } else {
        /* Subnormal result: the fraction with its hidden bit, shifted by what the exponent lacks. */
        uint32_t shift = 126 - (magnitude >> 23);
        if (shift > 24)
            return sign;
        uint32_t fraction = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0);
        kept = fraction >> shift;
        rest = fraction & ((1u << shift) - 1);
        half_ulp = 1u << (shift - 1);
    }
    /* A carry out of the fraction runs into the exponent, which is what rounding up to the next binade or to infinity
     * is. */
    if (to_nearest && (rest > half_ulp || (rest == half_ulp && (kept & 1))))
        kept++;
    return sign | (uint16_t)kept;
}

uint16_t float_to_half_rtne(float value)
{
    return float_to_half(value, true);
}

uint16_t float_to_half_rtz(float value)
{
    return float_to_half(value, false);
}
