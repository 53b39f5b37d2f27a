/* Exported colours as numbers. Rows are converted a channel at a time, in loops that become vectors. */
#include "amd/model/cb/cb.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "model/lanes.h"
#include "util/format/channel.h"
#include "util/half.h"
#if defined(__aarch64__)
#include "util/intrinsics.h"
#endif

/* Two 16-bit channels a row: R and G in the first, B and A in the second. */
static inline uint32_t channel16(const uint32_t rows[4][CB_MAX_LANES], unsigned lane, unsigned c)
{
    return rows[c / 2][lane] >> (c & 1) * 16 & 0xffff;
}

#if !defined(__aarch64__)
/* half_to_float without a branch: the exponent is moved by a multiplication, which also makes subnormal halves right.
 */
static inline float half_lane(uint32_t half)
{
    float value = bits_float((half & 0x7fff) << 13) * 0x1p112f;
    uint32_t bits = float_bits(value);
    bits |= (half & 0x7c00) == 0x7c00 ? 0xffu << 23 : 0;
    return bits_float(bits | (half & 0x8000) << 16);
}
#endif

/* Half `high` of each lane. */
static void halves(const uint32_t *row, unsigned high, float *restrict out)
{
#if defined(__aarch64__)
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 8) {
        uint16x8_t a = vreinterpretq_u16_u32(vld1q_u32(row + lane)),
                   b = vreinterpretq_u16_u32(vld1q_u32(row + lane + 4));
        float16x8_t of = vreinterpretq_f16_u16(high ? vuzp2q_u16(a, b) : vuzp1q_u16(a, b));
        vst1q_f32(out + lane, vcvt_f32_f16(vget_low_f16(of)));
        vst1q_f32(out + lane + 4, vcvt_high_f32_f16(of));
    }
#else
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        out[lane] = half_lane(row[lane] >> high * 16 & 0xffff);
#endif
}

/* One channel of a float target, for all lanes. */
static void float_channel(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], unsigned c,
                          float *restrict out)
{
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_FP16_ABGR:
        halves(rows[c / 2], c & 1, out);
        break;
    case AMD_EXPORT_FORMAT_UNORM16_ABGR:
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
            out[lane] = (float)channel16(rows, lane, c) / 65535.0f;
        break;
    case AMD_EXPORT_FORMAT_SNORM16_ABGR:
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
            float value = (float)(int16_t)channel16(rows, lane, c) / 32767.0f;
            out[lane] = value < -1 ? -1 : value;
        }
        break;
    case AMD_EXPORT_FORMAT_32_AR: /* alpha comes in the second channel */
        if (c == 0 || c == 3)
            memcpy(out, rows[c ? 1 : 0], CB_MAX_LANES * sizeof(float));
        else
            memset(out, 0, CB_MAX_LANES * sizeof(float));
        break;
    default:
        memcpy(out, rows[c], CB_MAX_LANES * sizeof(float));
        break;
    }
}

static uint32_t integer(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], unsigned lane, unsigned c)
{
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_UINT16_ABGR:
        return channel16(rows, lane, c);
    case AMD_EXPORT_FORMAT_SINT16_ABGR:
        return (uint32_t)(int16_t)channel16(rows, lane, c);
    case AMD_EXPORT_FORMAT_32_AR:
        return c == 0 ? rows[0][lane] : c == 3 ? rows[1][lane] : 0;
    default:
        return rows[c][lane];
    }
}

static void convert_channel(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], unsigned c,
                            float *restrict out)
{
    if (target->numeric == CB_FLOAT) {
        float_channel(target, rows, c, out);
        return;
    }
    uint32_t numbers[CB_MAX_LANES];
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        numbers[lane] = integer(target, rows, lane, c);
    memcpy(out, numbers, sizeof(numbers));
}

void amd_cb_convert(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], union pixel_colors *colors)
{
    for (unsigned c = 0; c < 4; c++)
        convert_channel(target, rows, c, colors->f[c]);
}

void amd_cb_convert_alpha(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES],
                          float alphas[CB_MAX_LANES])
{
    convert_channel(target, rows, 3, alphas);
}

/* ---- four bytes, unorm or sRGB ---- */

#if defined(__aarch64__)
/* To the nearest code, ties to even. The conversion saturates: negative numbers and NaN become 0. */
static inline uint32x4_t unorm8_lanes(const float *from)
{
    return vminq_u32(vcvtnq_u32_f32(vmulq_n_f32(vld1q_f32(from), 255.0f)), vdupq_n_u32(255));
}
#else
/* To the nearest code, ties to even: the sum's lowest bits are the rounded number. NaN becomes 0. */
static inline uint32_t unorm8(float value)
{
    float clamped = value > 0 ? value : 0;
    clamped = clamped < 1 ? clamped : 1;
    return float_bits(clamped * 255.0f + 0x1.8p23f) & 0xff;
}
#endif

static void pack_unorm(const float *r, const float *g, const float *b, const float *a, uint32_t *codes)
{
#if defined(__aarch64__)
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 4) {
        uint32x4_t code = unorm8_lanes(r + lane);
        code = vsliq_n_u32(code, unorm8_lanes(g + lane), 8);
        code = vsliq_n_u32(code, unorm8_lanes(b + lane), 16);
        vst1q_u32(codes + lane, vsliq_n_u32(code, unorm8_lanes(a + lane), 24));
    }
#else
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        codes[lane] = unorm8(r[lane]) | unorm8(g[lane]) << 8 | unorm8(b[lane]) << 16 | unorm8(a[lane]) << 24;
#endif
}

/* format_float_to_srgb of all lanes: what a host does for several at once is apart from the tables. */
static void pack_srgb(const float *restrict from, uint32_t *restrict codes)
{
    uint32_t bits[CB_MAX_LANES];
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        bits[lane] = MAX2(float_bits(format_clamp(from[lane], 1.0f)), FORMAT_SRGB_FIRST_BITS) - FORMAT_SRGB_FIRST_BITS;
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        codes[lane] = format_srgb_of_bits(bits[lane]);
}

void amd_cb_pack_bytes4(const struct cb_target *target, const union pixel_colors *colors, uint32_t *codes)
{
    const float *r = colors->f[target->from[0]], *g = colors->f[target->from[1]], *b = colors->f[target->from[2]];
    pack_unorm(r, g, b, colors->f[target->from[3]], codes);
    if (!target->srgb)
        return;
    uint32_t channel[3][CB_MAX_LANES];
    pack_srgb(r, channel[0]);
    pack_srgb(g, channel[1]);
    pack_srgb(b, channel[2]);
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        codes[lane] = (codes[lane] & 0xff000000u) | channel[0][lane] | channel[1][lane] << 8 | channel[2][lane] << 16;
}

/* code / 255, rounded once. With a fused multiplication the quotient's error is known and mended, which is faster than
 * a division; no code comes out different. */
static inline float unorm8_to_float(uint32_t code)
{
    float value = (float)code;
#if defined(__aarch64__) || defined(__FMA__)
    float quotient = value * (1 / 255.0f), error = __builtin_fmaf(-255.0f, quotient, value);
    return __builtin_fmaf(error, 1 / 255.0f, quotient);
#else
    return value / 255.0f;
#endif
}

void amd_cb_unpack_bytes4(const struct cb_target *target, const uint32_t *codes, union pixel_colors *colors)
{
    for (unsigned k = 0; k < 4; k++) {
        float *out = colors->f[target->from[k]];
        if (target->srgb && k < 3) {
            for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
                out[lane] = format_srgb_to_float(codes[lane] >> k * 8 & 0xff);
        } else {
            for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
                out[lane] = unorm8_to_float(codes[lane] >> k * 8 & 0xff);
        }
    }
}

#if defined(__aarch64__)
/* Halves between 0 and 1, as numbers order them; above infinity are NaN and what is negative, which become 0. */
static inline int16x8_t clamp_halves(uint16x8_t halves)
{
    const uint16_t one = 0x3c00, infinity = 0x7c00;
    return vreinterpretq_s16_u16(
        vbicq_u16(vminq_u16(halves, vdupq_n_u16(one)), vcgtq_u16(halves, vdupq_n_u16(infinity))));
}

/* Codes of two channels of four lanes, in the low bytes. The shift makes a float of a half but for its exponent's bias,
 * which the factor mends; the product is exact, and the sum's lowest bits are the nearest code, ties to even. */
static inline uint8x16_t unorm8_pair(const uint32_t *row)
{
    const float32x4_t scale = vdupq_n_f32(255.0f * 0x1p112f), whole = vdupq_n_f32(0x1.8p23f);
    int16x8_t value = clamp_halves(vreinterpretq_u16_u32(vld1q_u32(row)));
    float32x4_t low = vreinterpretq_f32_s32(vshll_n_s16(vget_low_s16(value), 13)),
                high = vreinterpretq_f32_s32(vshll_high_n_s16(value, 13));
    low = vfmaq_f32(whole, low, scale);
    high = vfmaq_f32(whole, high, scale);
    return vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_f32(low), vreinterpretq_u16_f32(high)));
}

/* Halves straight to codes, in the order R, G, B, A. */
static void halves_to_codes(const uint32_t rows[4][CB_MAX_LANES], uint32_t *codes)
{
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 8) {
        uint8x16_t rg = vuzp1q_u8(unorm8_pair(rows[0] + lane), unorm8_pair(rows[0] + lane + 4)),
                   ba = vuzp1q_u8(unorm8_pair(rows[1] + lane), unorm8_pair(rows[1] + lane + 4));
        uint16x8x2_t pixels = vzipq_u16(vreinterpretq_u16_u8(rg), vreinterpretq_u16_u8(ba));
        vst1q_u32(codes + lane, vreinterpretq_u32_u16(pixels.val[0]));
        vst1q_u32(codes + lane + 4, vreinterpretq_u32_u16(pixels.val[1]));
    }
}

/* A row of two channels to floats between 0 and 1. */
static void halves_to_unit(const uint32_t *row, float *restrict low, float *restrict high)
{
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 8) {
        int16x8_t a = clamp_halves(vreinterpretq_u16_u32(vld1q_u32(row + lane))),
                  b = clamp_halves(vreinterpretq_u16_u32(vld1q_u32(row + lane + 4)));
        float16x8_t lows = vreinterpretq_f16_s16(vuzp1q_s16(a, b)), highs = vreinterpretq_f16_s16(vuzp2q_s16(a, b));
        vst1q_f32(low + lane, vcvt_f32_f16(vget_low_f16(lows)));
        vst1q_f32(low + lane + 4, vcvt_high_f32_f16(lows));
        vst1q_f32(high + lane, vcvt_f32_f16(vget_low_f16(highs)));
        vst1q_f32(high + lane + 4, vcvt_high_f32_f16(highs));
    }
}
#else
/* A half between 0 and 1 as a float, but for its exponent's bias of 2^112. Above infinity are NaN and what is negative,
 * which become 0. */
static inline float clamped_half(uint32_t half)
{
    const int32_t one = 0x3c00, infinity = 0x7c00, bits = (int32_t)half; /* signed: every host compares such */
    const int32_t number = bits > infinity ? 0 : bits;
    return bits_float((uint32_t)(number < one ? number : one) << 13);
}

/* The product is exact, and the sum's lowest bits are the nearest code, ties to even. */
static inline uint32_t unorm8_of_half(uint32_t half)
{
    return float_bits(clamped_half(half) * (255.0f * 0x1p112f) + 0x1.8p23f) & 0xff;
}

/* Halves straight to codes, in the order R, G, B, A. */
static void halves_to_codes(const uint32_t rows[4][CB_MAX_LANES], uint32_t *restrict codes)
{
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        const uint32_t rg = rows[0][lane], ba = rows[1][lane];
        codes[lane] = unorm8_of_half(rg & 0xffff) | unorm8_of_half(rg >> 16) << 8 | unorm8_of_half(ba & 0xffff) << 16 |
                      unorm8_of_half(ba >> 16) << 24;
    }
}

/* A row of two channels to floats between 0 and 1. */
static void halves_to_unit(const uint32_t *row, float *restrict low, float *restrict high)
{
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        low[lane] = clamped_half(row[lane] & 0xffff) * 0x1p112f;
        high[lane] = clamped_half(row[lane] >> 16) * 0x1p112f;
    }
}
#endif

/* Of numbers between 0 and 1 that were halves, for which the curve has a table of its own. */
static void pack_srgb_of_halves(const struct cb_target *target, const union pixel_colors *colors,
                                uint32_t *restrict codes)
{
    const uint8_t *const from = target->from;
    uint32_t places[3][CB_MAX_LANES];
    for (unsigned k = 0; k < 3; k++) {
        const float *restrict const unit = colors->f[from[k]];
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
            places[k][lane] = (MAX2(float_bits(unit[lane]), FORMAT_SRGB_FIRST_BITS) - FORMAT_SRGB_FIRST_BITS) >>
                              FORMAT_SRGB_HALF_SHIFT;
    }
    pack_unorm(colors->f[from[3]], colors->f[from[3]], colors->f[from[3]], colors->f[from[3]], codes);
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        codes[lane] = (codes[lane] & 0xff000000u) | format_srgb_of_half[places[0][lane]] |
                      (uint32_t)format_srgb_of_half[places[1][lane]] << 8 |
                      (uint32_t)format_srgb_of_half[places[2][lane]] << 16;
}

void amd_cb_convert_bytes4(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], uint32_t *codes)
{
    const uint8_t *from = target->from;
    if (target->export_format == AMD_EXPORT_FORMAT_FP16_ABGR && !target->srgb) {
        halves_to_codes(rows, codes);
        if (from[0] != 0 || from[1] != 1 || from[2] != 2) {
            for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
                uint32_t code = codes[lane];
                codes[lane] = (code >> from[0] * 8 & 0xff) | (code >> from[1] * 8 & 0xff) << 8 |
                              (code >> from[2] * 8 & 0xff) << 16 | (code >> from[3] * 8 & 0xff) << 24;
            }
        }
        return;
    }
    union pixel_colors colors;
    if (target->export_format == AMD_EXPORT_FORMAT_FP16_ABGR) {
        halves_to_unit(rows[0], colors.f[0], colors.f[1]);
        halves_to_unit(rows[1], colors.f[2], colors.f[3]);
        pack_srgb_of_halves(target, &colors, codes);
        return;
    }
    amd_cb_convert(target, rows, &colors);
    amd_cb_pack_bytes4(target, &colors, codes);
}

void amd_cb_convert_unit(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES],
                         union pixel_colors *colors)
{
    if (target->export_format == AMD_EXPORT_FORMAT_FP16_ABGR) {
        halves_to_unit(rows[0], colors->f[0], colors->f[1]);
        halves_to_unit(rows[1], colors->f[2], colors->f[3]);
        return;
    }
    amd_cb_convert(target, rows, colors);
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
            float above = colors->f[c][lane] > 0 ? colors->f[c][lane] : 0; /* NaN becomes 0 */
            colors->f[c][lane] = above < 1 ? above : 1;
        }
    }
}
