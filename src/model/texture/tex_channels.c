/* From the words of a footprint to channels, and their weighted sum. Four unorm bytes stay integers until the end, so
 * that the sum is exact and rounds once; all others are summed as tex_filter.c does it, in the same order, so that the
 * result has the same bits. Everything is a loop over lanes that compilers vectorise. */
#include "model/texture/tex_fast.h"

#include <string.h>

#include "model/pixel/pixel.h"
#include "util/format/channel.h"

/* ---- four bytes ---- */

/* sum / (255 * 65536), rounded once. With a fused multiplication the reciprocal's two parts do it: no sum of 24 bits
 * comes out different. */
TEX_INLINE float divide_sum(float value)
{
    const double divisor = 255.0 * 65536.0;
#if defined(__FP_FAST_FMAF)
    return __builtin_fmaf(value, (float)(1 / divisor), value * (float)(1 / divisor - (double)(float)(1 / divisor)));
#else
    return value / (float)divisor;
#endif
}

/* first * (256 - fraction) + second * fraction. What is negative in between does not matter: the sum is not. */
TEX_INLINE uint32_t between(uint32_t first, uint32_t second, uint32_t fraction)
{
    return (first << 8) + (second - first) * fraction;
}

struct sums {
    float of[4];
};

/* The sums have 24 bits, so the conversion is exact. Two channels share a word until then: a weighted sum of two bytes
 * has 16 bits. */
TEX_INLINE struct sums sum_bytes(const struct tex_footprint *f, unsigned i)
{
    const uint32_t even = 0x00ff00ff, right = f->x.fraction[i], down = f->y.fraction[i];
    const uint32_t t0 = f->word[0][0][i], t1 = f->word[0][1][i], t2 = f->word[0][2][i], t3 = f->word[0][3][i];
    const uint32_t top_rb = between(t0 & even, t1 & even, right),
                   top_ga = between(t0 >> 8 & even, t1 >> 8 & even, right),
                   bottom_rb = between(t2 & even, t3 & even, right),
                   bottom_ga = between(t2 >> 8 & even, t3 >> 8 & even, right);
    return (struct sums){{(float)(int32_t)between(top_rb & 0xffff, bottom_rb & 0xffff, down),
                          (float)(int32_t)between(top_ga & 0xffff, bottom_ga & 0xffff, down),
                          (float)(int32_t)between(top_rb >> 16, bottom_rb >> 16, down),
                          (float)(int32_t)between(top_ga >> 16, bottom_ga >> 16, down)}};
}

void tex_filter_bytes(float (*restrict to)[LANES_MAX], const struct tex_footprint *restrict f, unsigned lanes)
{
    if (f->taps == 1) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++) {
            uint32_t texel = f->word[0][0][i];
            to[0][i] = format_unorm_to_float(texel & 255, 8);
            to[1][i] = format_unorm_to_float(texel >> 8 & 255, 8);
            to[2][i] = format_unorm_to_float(texel >> 16 & 255, 8);
            to[3][i] = format_unorm_to_float(texel >> 24, 8);
        }
        return;
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        const struct sums sums = sum_bytes(f, i);
        to[0][i] = divide_sum(sums.of[0]);
        to[1][i] = divide_sum(sums.of[1]);
        to[2][i] = divide_sum(sums.of[2]);
        to[3][i] = divide_sum(sums.of[3]);
    }
}

void tex_add_bytes(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,
                   const float *restrict weight, unsigned lanes)
{
    if (f->taps == 1) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++) {
            const uint32_t texel = f->word[0][0][i];
            const float share = weight[i] * 65536;
            sum[0][i] += (float)(int32_t)(texel & 255) * share;
            sum[1][i] += (float)(int32_t)(texel >> 8 & 255) * share;
            sum[2][i] += (float)(int32_t)(texel >> 16 & 255) * share;
            sum[3][i] += (float)(int32_t)(texel >> 24) * share;
        }
        return;
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        const struct sums sums = sum_bytes(f, i);
        sum[0][i] += sums.of[0] * weight[i];
        sum[1][i] += sums.of[1] * weight[i];
        sum[2][i] += sums.of[2] * weight[i];
        sum[3][i] += sums.of[3] * weight[i];
    }
}

void tex_divide_sums(float (*restrict sum)[LANES_MAX], unsigned lanes)
{
    for (unsigned n = 0; n < 4; n++) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++)
            sum[n][i] = divide_sum(sum[n][i]);
    }
}

/* ---- other kinds ---- */

enum tex_kind tex_kind_of(enum format format)
{
    switch (format) {
    case FORMAT_UNDEFINED:
        return TEX_KIND_NONE;
    case FORMAT_R8G8B8A8_UNORM:
        return TEX_KIND_RGBA8;
    case FORMAT_R8G8B8A8_SRGB:
        return TEX_KIND_SRGB8;
    case FORMAT_R8_UNORM:
        return TEX_KIND_R8;
    case FORMAT_R8G8_UNORM:
        return TEX_KIND_RG8;
    case FORMAT_R16_UNORM:
    case FORMAT_D16_UNORM:
        return TEX_KIND_R16;
    case FORMAT_R16G16_UNORM:
        return TEX_KIND_RG16;
    case FORMAT_X8_D24_UNORM_PACK32:
        return TEX_KIND_D24;
    case FORMAT_R16_SFLOAT:
        return TEX_KIND_R16F;
    case FORMAT_R16G16_SFLOAT:
        return TEX_KIND_RG16F;
    case FORMAT_R32_SFLOAT:
    case FORMAT_D32_SFLOAT:
        return TEX_KIND_R32F;
    case FORMAT_R16G16B16A16_SFLOAT:
        return TEX_KIND_RGBA16F;
    case FORMAT_R32G32_SFLOAT:
        return TEX_KIND_RG32F;
    case FORMAT_R16G16B16A16_UNORM:
        return TEX_HAS_GATHERS ? TEX_KIND_RGBA16 : TEX_KIND_CODEC;
    case FORMAT_B5G6R5_UNORM_PACK16:
        return TEX_HAS_GATHERS ? TEX_KIND_BGR565 : TEX_KIND_CODEC;
    case FORMAT_R5G6B5_UNORM_PACK16:
        return TEX_HAS_GATHERS ? TEX_KIND_RGB565 : TEX_KIND_CODEC;
    case FORMAT_A2B10G10R10_UNORM_PACK32:
        return TEX_HAS_GATHERS ? TEX_KIND_RGB10A2 : TEX_KIND_CODEC;
    case FORMAT_R8G8B8A8_SNORM:
        return TEX_HAS_GATHERS ? TEX_KIND_RGBA8_SNORM : TEX_KIND_CODEC;
    case FORMAT_B10G11R11_UFLOAT_PACK32:
        return TEX_HAS_GATHERS ? TEX_KIND_RG11B10F : TEX_KIND_CODEC;
    default:
        return format_is_compressed(format_info(format))   ? TEX_KIND_BLOCKS
               : format_codec(format)->fetch_float != NULL ? TEX_KIND_CODEC
                                                           : TEX_KIND_NONE;
    }
}

unsigned tex_kind_channels(enum tex_kind kind)
{
    switch (kind) {
    case TEX_KIND_R8:
    case TEX_KIND_R16:
    case TEX_KIND_D24:
    case TEX_KIND_R16F:
    case TEX_KIND_R32F:
        return 1;
    case TEX_KIND_RG8:
    case TEX_KIND_RG16:
    case TEX_KIND_RG16F:
    case TEX_KIND_RG32F:
        return 2;
    default:
        return 4;
    }
}

/* Channel `n` of a texel. */
TEX_INLINE float channel_of(enum tex_kind kind, uint32_t low, uint32_t high, unsigned n)
{
    const uint32_t word = n < 2 ? low : high;
    switch (kind) {
    case TEX_KIND_SRGB8:
        return n == 3 ? format_unorm_to_float(low >> 24, 8) : format_srgb_to_float(low >> 8 * n & 255);
    case TEX_KIND_R8:
    case TEX_KIND_RG8:
        return format_unorm_to_float(low >> 8 * n & 255, 8);
    case TEX_KIND_R16:
    case TEX_KIND_RG16:
        return format_unorm_to_float(low >> 16 * n & 0xffff, 16);
    case TEX_KIND_RGBA16:
        return format_unorm_to_float(word >> 16 * (n & 1) & 0xffff, 16);
    case TEX_KIND_RGB565:
    case TEX_KIND_BGR565:
        return n == 3                               ? 1
               : n == 1                             ? format_unorm_to_float(low >> 5 & 63, 6)
               : n == (kind == TEX_KIND_BGR565) * 2 ? format_unorm_to_float(low >> 11 & 31, 5)
                                                    : format_unorm_to_float(low & 31, 5);
    case TEX_KIND_RGB10A2:
        return n == 3 ? format_unorm_to_float(low >> 30, 2) : format_unorm_to_float(low >> 10 * n & 0x3ff, 10);
    case TEX_KIND_RGBA8_SNORM:
        return format_snorm_to_float((int32_t)(low << (24 - 8 * n)) >> 24, 8);
    case TEX_KIND_RG11B10F:
        return n == 3   ? 1
               : n == 2 ? format_small_to_float(low >> 22, 5)
                        : format_small_to_float(low >> 11 * n & 0x7ff, 6);
    case TEX_KIND_D24:
        return format_unorm_to_float(low & 0xffffff, 24);
    case TEX_KIND_R16F:
    case TEX_KIND_RG16F:
    case TEX_KIND_RGBA16F:
        return format_half_to_float(word >> 16 * (n & 1) & 0xffff);
    default:
        return bits_float(n ? high : low);
    }
}

/* The weight of a texel that passes, else 0. As IEEE 754 compares: a NaN is not equal to anything, and all else is
 * false for it. */
TEX_INLINE float passed(unsigned function, float reference, float texel, float weight)
{
    switch (function) {
    case PIXEL_NEVER:
        return 0;
    case PIXEL_LESS:
        return reference < texel ? weight : 0;
    case PIXEL_EQUAL:
        return reference == texel ? weight : 0;
    case PIXEL_LESS_OR_EQUAL:
        return reference <= texel ? weight : 0;
    case PIXEL_GREATER:
        return reference > texel ? weight : 0;
    case PIXEL_NOT_EQUAL:
        return reference != texel ? weight : 0;
    case PIXEL_GREATER_OR_EQUAL:
        return reference >= texel ? weight : 0;
    default:
        return weight;
    }
}

/* Constants where it is inlined: kind, channels, taps, whether lanes have weights, whether there is a comparison. */
TEX_INLINE void add(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f, enum tex_kind kind,
                    unsigned channels, unsigned taps, bool is_shared, const float *restrict lane,
                    const float *restrict slice, bool is_compared, const tex_float *restrict reference,
                    unsigned function, unsigned lanes)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        const float right = (float)(int32_t)f->x.fraction[i] * (1.0f / 256), left = 1 - right,
                    down = (float)(int32_t)f->y.fraction[i] * (1.0f / 256), up = 1 - down;
        for (unsigned tap = 0; tap < taps; tap++) {
            float weight = (tap & 1 ? right : left) * (tap & 2 ? down : up);
            if (is_shared)
                weight = weight * slice[i] * lane[i];
            for (unsigned n = 0; n < channels; n++) {
                const float value = channel_of(kind, f->word[0][tap][i], f->word[1][tap][i], n);
                const float next =
                    sum[n][i] + (is_compared ? passed(function, reference[i], value, weight) : weight * value);
                sum[n][i] = !is_compared && tex_may_be_infinite(kind) && weight == 0 ? sum[n][i] : next;
            }
        }
    }
}

/* One function for each kind. */
#define ADDER(name, kind, channels)                                                                                    \
    static void name(float(*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,                          \
                     const struct tex_share *share, unsigned lanes)                                                    \
    {                                                                                                                  \
        const float *slice = share->slice ? share->slice : tex_ones;                                                   \
        if (f->taps == 1)                                                                                              \
            add(sum, f, kind, channels, 1, true, share->lane, slice, false, NULL, 0, lanes);                           \
        else if (share->lane == tex_ones && !share->slice)                                                             \
            add(sum, f, kind, channels, 4, false, NULL, NULL, false, NULL, 0, lanes);                                  \
        else                                                                                                           \
            add(sum, f, kind, channels, 4, true, share->lane, slice, false, NULL, 0, lanes);                           \
    }

ADDER(add_r8, TEX_KIND_R8, 1)
ADDER(add_rg8, TEX_KIND_RG8, 2)
ADDER(add_r16, TEX_KIND_R16, 1)
ADDER(add_rg16, TEX_KIND_RG16, 2)
ADDER(add_d24, TEX_KIND_D24, 1)
ADDER(add_r32f, TEX_KIND_R32F, 1)
ADDER(add_rg32f, TEX_KIND_RG32F, 2)
ADDER(add_rgba16, TEX_KIND_RGBA16, 4)
ADDER(add_rgb565, TEX_KIND_RGB565, 4)
ADDER(add_bgr565, TEX_KIND_BGR565, 4)
ADDER(add_rgb10a2, TEX_KIND_RGB10A2, 4)
ADDER(add_rgba8_snorm, TEX_KIND_RGBA8_SNORM, 4)
ADDER(add_rg11b10f, TEX_KIND_RG11B10F, 4)

/* ---- comparisons ---- */

/* The first channel compared, one function for each comparison; texels become floats first. */
static void add_compared(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,
                         const struct tex_share *share, unsigned lanes)
{
    const float *slice = share->slice ? share->slice : tex_ones;
#define COMPARED(function)                                                                                             \
    case function:                                                                                                     \
        if (share->lane == tex_ones && !share->slice)                                                                  \
            add(sum, f, TEX_KIND_R32F, 1, 4, false, NULL, NULL, true, share->reference, function, lanes);              \
        else                                                                                                           \
            add(sum, f, TEX_KIND_R32F, 1, 4, true, share->lane, slice, true, share->reference, function, lanes);       \
        break;
    switch (share->compare) {
        COMPARED(PIXEL_NEVER)
        COMPARED(PIXEL_LESS)
        COMPARED(PIXEL_EQUAL)
        COMPARED(PIXEL_LESS_OR_EQUAL)
        COMPARED(PIXEL_GREATER)
        COMPARED(PIXEL_NOT_EQUAL)
        COMPARED(PIXEL_GREATER_OR_EQUAL)
        COMPARED(PIXEL_ALWAYS)
    }
}

/* Depth as floats, in the words that it was in. */
TEX_INLINE void widen(struct tex_footprint *f, enum tex_kind kind, unsigned lanes)
{
    for (unsigned tap = 0; tap < f->taps; tap++) {
        for (unsigned i = 0; i < lanes; i++)
            f->word[0][tap][i] = float_bits(channel_of(kind, f->word[0][tap][i], 0, 0));
    }
}

static void compare_channels(float (*sum)[LANES_MAX], struct tex_footprint *f, enum tex_kind kind,
                             const struct tex_share *share, unsigned lanes)
{
    if (kind == TEX_KIND_R16)
        widen(f, TEX_KIND_R16, lanes);
    else if (kind == TEX_KIND_D24)
        widen(f, TEX_KIND_D24, lanes);
    if (f->taps == 1) /* the others have a weight of 0 */
        memset(f->word[0][1], 0, 3 * sizeof(f->word[0][1]));
    add_compared(sum, f, share, lanes);
}

void tex_add_channels(float (*sum)[LANES_MAX], struct tex_footprint *f, enum tex_kind kind,
                      const struct tex_share *share, unsigned lanes)
{
    static void (*const adders[])(float(*restrict)[LANES_MAX], const struct tex_footprint *restrict,
                                  const struct tex_share *, unsigned) = {
        [TEX_KIND_SRGB8] = tex_add_srgb8,
        [TEX_KIND_R8] = add_r8,
        [TEX_KIND_RG8] = add_rg8,
        [TEX_KIND_R16] = add_r16,
        [TEX_KIND_RG16] = add_rg16,
        [TEX_KIND_D24] = add_d24,
        [TEX_KIND_R16F] = tex_add_r16f,
        [TEX_KIND_RG16F] = tex_add_rg16f,
        [TEX_KIND_R32F] = add_r32f,
        [TEX_KIND_RGBA16F] = tex_add_rgba16f,
        [TEX_KIND_RG32F] = add_rg32f,
        [TEX_KIND_RGBA16] = add_rgba16,
        [TEX_KIND_RGB565] = add_rgb565,
        [TEX_KIND_BGR565] = add_bgr565,
        [TEX_KIND_RGB10A2] = add_rgb10a2,
        [TEX_KIND_RG11B10F] = add_rg11b10f,
        [TEX_KIND_RGBA8_SNORM] = add_rgba8_snorm,
    };
    if (share->reference)
        compare_channels(sum, f, kind, share, lanes);
    else
        adders[kind](sum, f, share, lanes);
}

/* ---- one channel ---- */

TEX_INLINE void take(float *restrict to, const uint32_t *restrict low, const uint32_t *restrict high,
                     enum tex_kind kind, unsigned n, unsigned lanes)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = channel_of(kind, low[i], high[i], n);
}

/* Any of four. Constants where it is inlined: kind. */
TEX_INLINE void take_four(float *to, const uint32_t *low, const uint32_t *high, enum tex_kind kind, unsigned n,
                          unsigned lanes)
{
    if (n == 0)
        take(to, low, high, kind, 0, lanes);
    else if (n == 1)
        take(to, low, high, kind, 1, lanes);
    else if (n == 2)
        take(to, low, high, kind, 2, lanes);
    else
        take(to, low, high, kind, 3, lanes);
}

void tex_take_words(float *to, const uint32_t *low, const uint32_t *high, enum tex_kind kind, unsigned n,
                    unsigned lanes)
{
    float other[TEX_AREA_TEXELS];
    switch (kind) {
    case TEX_KIND_SRGB8:
        if (n < 3) {
            tex_widen_srgb(to, low, 8 * n, lanes);
            break;
        }
        /* fall through */
    case TEX_KIND_RGBA8:
    case TEX_KIND_R8:
    case TEX_KIND_RG8:
        tex_take_bytes(to, low, 8 * n, lanes);
        break;
    case TEX_KIND_R16:
    case TEX_KIND_RG16:
        if (n)
            take(to, low, high, TEX_KIND_RG16, 1, lanes);
        else
            take(to, low, high, TEX_KIND_RG16, 0, lanes);
        break;
    case TEX_KIND_D24:
        take(to, low, high, TEX_KIND_D24, 0, lanes);
        break;
    case TEX_KIND_RGBA16:
        take_four(to, low, high, TEX_KIND_RGBA16, n, lanes);
        break;
    case TEX_KIND_RGB565:
        take_four(to, low, high, TEX_KIND_RGB565, n, lanes);
        break;
    case TEX_KIND_BGR565:
        take_four(to, low, high, TEX_KIND_BGR565, n, lanes);
        break;
    case TEX_KIND_RGB10A2:
        take_four(to, low, high, TEX_KIND_RGB10A2, n, lanes);
        break;
    case TEX_KIND_RGBA8_SNORM:
        take_four(to, low, high, TEX_KIND_RGBA8_SNORM, n, lanes);
        break;
    case TEX_KIND_RG11B10F:
        take_four(to, low, high, TEX_KIND_RG11B10F, n, lanes);
        break;
    case TEX_KIND_R16F:
    case TEX_KIND_RG16F:
    case TEX_KIND_RGBA16F:
        tex_widen_halves(n & 1 ? other : to, n & 1 ? to : NULL, n < 2 ? low : high, lanes);
        break;
    default:
        memcpy(to, n ? high : low, lanes * sizeof(*to));
        break;
    }
}

void tex_take_channel(float *to, const struct tex_footprint *f, enum tex_kind kind, unsigned tap, unsigned n,
                      unsigned lanes)
{
    tex_take_words(to, f->word[0][tap], f->word[1][tap], kind, n, lanes);
}

/* ---- texels of four floats ---- */

void tex_add_texels(float (*restrict sum)[4], const struct tex_footprint *f, float (*restrict texels)[LANES_MAX][4],
                    const struct tex_share *share, unsigned lanes)
{
    const float *slice = share->slice ? share->slice : tex_ones;
    for (unsigned i = 0; i < lanes; i++) {
        const float right = (float)(int32_t)f->x.fraction[i] * (1.0f / 256), left = 1 - right,
                    down = (float)(int32_t)f->y.fraction[i] * (1.0f / 256), up = 1 - down;
        float to[4] = {sum[i][0], sum[i][1], sum[i][2], sum[i][3]};
        for (unsigned tap = 0; tap < f->taps; tap++) {
            const float weight = (tap & 1 ? right : left) * (tap & 2 ? down : up) * slice[i] * share->lane[i];
            const float *from = texels[tap][i];
            if (weight == 0)
                continue; /* an infinity there does not count */
            for (unsigned n = 0; n < 4; n++)
                to[n] += weight * from[n];
        }
        memcpy(sum[i], to, sizeof(to));
    }
}
