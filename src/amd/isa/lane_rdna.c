/* The few primitives of RDNA that are too long to inline, and the unpacking of MODE. */
#include "amd/isa/lane_rdna.h"

struct lane_mode amd_lane_mode_unpack(uint32_t mode)
{
    return lane_mode_complete((struct lane_mode){
        .keep_in_f32 = mode & 0x10 ? UINT32_MAX : 0,
        .keep_out_f32 = mode & 0x20 ? UINT32_MAX : 0,
        .keep_in_f16 = mode & 0x40 ? UINT32_MAX : 0,
        .keep_out_f16 = mode & 0x80 ? UINT32_MAX : 0,
        .clamps_nan = mode & 0x100,
        .ieee = mode & 0x200 ? UINT32_MAX : 0,
        .round_f32 = mode & 3,
        .round_f16 = mode >> 2 & 3,
    });
}

/* 2/pi, the first 1201 of its binary digits. */
static const uint32_t two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

/* 53 digits of 2/pi from 53 * segment on, further on for a large x, scaled to their place: the first step of a
 * reduction of x. The digits end at 1201; RDNA documents say so, later chips were measured to end at 1184, digits that
 * no reduction of a finite x needs. */
double amd_lane_trig_preop_f64(double x, uint32_t segment)
{
    const uint32_t exponent = (uint32_t)lane_exponent_f64(x);
    const uint32_t shift = (segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    uint64_t digits = 0;
    for (uint32_t bit = shift; bit < shift + 53; bit++)
        digits = digits << 1 | (bit < 1201 ? two_over_pi[bit / 32] >> (31 - bit % 32) & 1 : 0);
    const int32_t scale = -53 - (int32_t)shift + (exponent >= 1968 ? 128 : 0);
    return __builtin_ldexp((double)digits, scale);
}

/* |x| as an integer of up to 53 bits times 2^exponent_out. */
static uint64_t mantissa_of(double x, int32_t *exponent_out)
{
    const uint64_t u = lane_bits_f64(x) & 0x7fffffffffffffffull;
    *exponent_out = u >> 52 ? (int32_t)(u >> 52) - 1075 : -1074;
    return (u & 0xfffffffffffffull) | (u >> 52 ? 1ull << 52 : 0);
}

/* x * 2^shift; what falls off at the bottom stays visible in bit 0. */
static unsigned __int128 shift_jam(unsigned __int128 x, int32_t shift)
{
    if (!x)
        return 0; /* of a zero times anything, whatever the shift */
    if (shift >= 0)
        return x << shift;
    if (shift <= -128)
        return x != 0;
    const unsigned __int128 kept = x >> -shift;
    return kept | (kept << -shift != x);
}

/* (a * b + c) * 2^-128 as a denormal: summed exactly in units of 2^-60 of the smallest denormal, rounded once. |c| is
 * below 2^-893. */
static double scaled_down(const struct lane_mode *m, double a, double b, double c)
{
    int32_t ea, eb, ec;
    const uint64_t ma = mantissa_of(a, &ea), mb = mantissa_of(b, &eb), mc = mantissa_of(c, &ec);
    const unsigned __int128 product = shift_jam((unsigned __int128)ma * mb, ea + eb + 946 + 60);
    const unsigned __int128 addend = shift_jam(mc, ec + 946 + 60);
    const bool product_negative = lane_sign_f64(a) != lane_sign_f64(b);
    const __int128 sum = (product_negative ? -(__int128)product : (__int128)product) +
                         (lane_sign_f64(c) ? -(__int128)addend : (__int128)addend);
    const bool negative = sum < 0;
    const unsigned __int128 magnitude = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
    uint64_t value = (uint64_t)(magnitude >> 60);
    const uint64_t rest = (uint64_t)magnitude & ((1ull << 60) - 1), half = 1ull << 59;
    const bool nearest = m->round_f16 == LANE_ROUND_NEAREST && (rest > half || (rest == half && value & 1));
    const bool away = rest && m->round_f16 == (negative ? LANE_ROUND_DOWN : LANE_ROUND_UP);
    value += nearest || away;
    return lane_flush_bits_f64(value | (negative ? 1ull << 63 : 0), m->keep_out_f16);
}

double amd_lane_fma_scaled_f64(const struct lane_mode *m, double a, double b, double c, bool scale)
{
    const double sum = __builtin_fma(a, b, c);
    if (!scale)
        return sum;
    if (lane_exponent_f64(c) > 1023)
        return sum * 0x1p128;
    if (lane_abs_f64(sum) >= 0x1p-894 || lane_is_nan_f64(sum) || lane_abs_f64(c) >= 0x1p-893)
        return sum * 0x1p-128;
    return scaled_down(m, a, b, c);
}
