/* Kinds whose channels become rows of floats first, for compilers have no vectors for that: halves, and sRGB's bytes,
 * which a table has. Sums are as in tex_channels.c. */
#include "model/texture/tex_fast.h"

#include "util/format/channel.h"
#include "util/format/srgb_cubic.h"
#include "util/intrinsics.h"

/* ---- halves ---- */

#if defined(__AVX2__) && defined(__F16C__)
/* The lower halves of eight words to the lower half of the vector, the upper ones to the upper. */
TEX_INLINE __m256i part_halves(const uint32_t *words)
{
    const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, /* and again */
                                           0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const __m256i eight = _mm256_loadu_si256((const __m256i *)(const void *)words);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(eight, order), 0xd8);
}
#endif

/* The halves of a row of words as floats. Compilers have no vectors for that. */
void tex_widen_halves(float *restrict low, float *restrict high, const uint32_t *restrict words, unsigned lanes)
{
#if FORMAT_FP16 && defined(__aarch64__)
    for (unsigned i = 0; i < lanes; i += 4) {
        const uint32x4_t four = vld1q_u32(words + i);
        vst1q_f32(low + i, vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(four))));
        if (high)
            vst1q_f32(high + i, vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32(four, 16))));
    }
#elif defined(__AVX2__) && defined(__F16C__)
    for (unsigned i = 0; i < lanes; i += 8) {
        const __m256i parts = part_halves(words + i);
        _mm256_storeu_ps(low + i, _mm256_cvtph_ps(_mm256_castsi256_si128(parts)));
        if (high)
            _mm256_storeu_ps(high + i, _mm256_cvtph_ps(_mm256_extracti128_si256(parts, 1)));
    }
#else
    for (unsigned i = 0; i < lanes; i++)
        low[i] = format_half_to_float(words[i] & 0xffff);
    for (unsigned i = 0; high && i < lanes; i++)
        high[i] = format_half_to_float(words[i] >> 16);
#endif
}

/* As `add`, of floats; by tap and channel. Constants where it is inlined: kind, channels, taps, whether lanes have
 * weights. */
TEX_INLINE void add_rows(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,
                         float (*restrict rows)[LANES_MAX], enum tex_kind kind, unsigned channels, unsigned taps,
                         bool is_shared, const float *restrict lane, const float *restrict slice, unsigned lanes)
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
                const float next = sum[n][i] + weight * rows[tap * channels + n][i];
                sum[n][i] = tex_may_be_infinite(kind) && weight == 0 ? sum[n][i] : next;
            }
        }
    }
}

#define HALF_ADDER(name, channels)                                                                                     \
    void name(float(*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f, const struct tex_share *share,  \
              unsigned lanes)                                                                                          \
    {                                                                                                                  \
        const float *slice = share->slice ? share->slice : tex_ones;                                                   \
        float rows[4 * (channels)][LANES_MAX];                                                                         \
        for (unsigned tap = 0; tap < f->taps; tap++) {                                                                 \
            for (unsigned n = 0; n < (channels); n += 2)                                                               \
                tex_widen_halves(rows[tap * (channels) + n],                                                           \
                                 n + 1 < (channels) ? rows[tap * (channels) + n + 1] : NULL, f->word[n / 2][tap],      \
                                 lanes);                                                                               \
        }                                                                                                              \
        if (f->taps == 1)                                                                                              \
            add_rows(sum, f, rows, TEX_KIND_RGBA16F, channels, 1, true, share->lane, slice, lanes);                    \
        else if (share->lane == tex_ones && !share->slice)                                                             \
            add_rows(sum, f, rows, TEX_KIND_RGBA16F, channels, 4, false, NULL, NULL, lanes);                           \
        else                                                                                                           \
            add_rows(sum, f, rows, TEX_KIND_RGBA16F, channels, 4, true, share->lane, slice, lanes);                    \
    }
HALF_ADDER(tex_add_r16f, 1)
HALF_ADDER(tex_add_rg16f, 2)

#if FORMAT_FP16 && defined(__aarch64__)
/* Four lanes at a time, whose texels stay in registers. Constants where it is inlined: taps, is_shared. */
TEX_INLINE void add_halves4(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f, unsigned taps,
                            bool is_shared, const float *restrict lane, const float *restrict slice, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 4) {
        const float32x4_t one = vdupq_n_f32(1), part = vdupq_n_f32(1.0f / 256),
                          right = vmulq_f32(vcvtq_f32_u32(vld1q_u32(f->x.fraction + i)), part),
                          left = vsubq_f32(one, right),
                          down = vmulq_f32(vcvtq_f32_u32(vld1q_u32(f->y.fraction + i)), part),
                          up = vsubq_f32(one, down);
        float32x4_t to[4];
        for (unsigned n = 0; n < 4; n++)
            to[n] = vld1q_f32(sum[n] + i);
        for (unsigned tap = 0; tap < taps; tap++) {
            float32x4_t weight = vmulq_f32(tap & 1 ? right : left, tap & 2 ? down : up);
            if (is_shared)
                weight = vmulq_f32(vmulq_f32(weight, vld1q_f32(slice + i)), vld1q_f32(lane + i));
            const uint32x4_t none = vceqzq_f32(weight);
            for (unsigned word = 0; word < 2; word++) {
                const uint32x4_t four = vld1q_u32(f->word[word][tap] + i);
                const float32x4_t low = vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(four))),
                                  high = vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32(four, 16)));
                float32x4_t *at = to + 2 * word;
                at[0] = vbslq_f32(none, at[0], vaddq_f32(at[0], vmulq_f32(weight, low)));
                at[1] = vbslq_f32(none, at[1], vaddq_f32(at[1], vmulq_f32(weight, high)));
            }
        }
        for (unsigned n = 0; n < 4; n++)
            vst1q_f32(sum[n] + i, to[n]);
    }
}

void tex_add_rgba16f(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,
                     const struct tex_share *share, unsigned lanes)
{
    const float *slice = share->slice ? share->slice : tex_ones;
    if (f->taps == 1)
        add_halves4(sum, f, 1, true, share->lane, slice, lanes);
    else if (share->lane == tex_ones && !share->slice)
        add_halves4(sum, f, 4, false, NULL, NULL, lanes);
    else
        add_halves4(sum, f, 4, true, share->lane, slice, lanes);
}
#else
HALF_ADDER(tex_add_rgba16f, 4)
#endif

/* ---- sRGB ---- */

/* A byte of each word by the curve's table, or what comes to the same: a gather, where the host has it, is less than
 * moving lanes to and fro. */
void tex_widen_srgb(float *restrict to, const uint32_t *restrict words, unsigned shift, unsigned lanes)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < lanes; i += 16) {
        const __m512i codes = _mm512_and_si512(
            _mm512_srl_epi32(_mm512_loadu_si512(words + i), _mm_cvtsi32_si128((int)shift)), _mm512_set1_epi32(255));
        _mm512_storeu_ps(to + i, format_srgb_to_sixteen(codes));
    }
#elif defined(__AVX2__)
    for (unsigned i = 0; i < lanes; i += 8) {
        const __m256i word = _mm256_loadu_si256((const __m256i *)(words + i)),
                      codes = _mm256_and_si256(_mm256_srl_epi32(word, _mm_cvtsi32_si128((int)shift)),
                                               _mm256_set1_epi32(255));
        _mm256_storeu_ps(to + i, _mm256_i32gather_ps(format_srgb_to_linear_table, codes, 4));
    }
#else
    for (unsigned i = 0; i < lanes; i++)
        to[i] = format_srgb_to_float(tex_index(words[i]) >> shift & 255);
#endif
}

/* Three bytes of each word. */
static void widen_colors(float (*restrict to)[LANES_MAX], const uint32_t *restrict words, unsigned lanes)
{
#if defined(__AVX2__)
    for (unsigned n = 0; n < 3; n++)
        tex_widen_srgb(to[n], words, 8 * n, lanes);
#else
    for (unsigned i = 0; i < lanes; i++) {
        const uint32_t word = tex_index(words[i]);
        for (unsigned n = 0; n < 3; n++)
            to[n][i] = format_srgb_to_float(word >> 8 * n & 255);
    }
#endif
}

void tex_take_bytes(float *restrict to, const uint32_t *restrict words, unsigned shift, unsigned lanes)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = format_unorm_to_float(words[i] >> shift & 255, 8);
}

void tex_add_srgb8(float (*restrict sum)[LANES_MAX], const struct tex_footprint *restrict f,
                   const struct tex_share *share, unsigned lanes)
{
    const float *slice = share->slice ? share->slice : tex_ones;
    float rows[4 * 4][LANES_MAX];
    for (unsigned tap = 0; tap < f->taps; tap++) {
        widen_colors(rows + tap * 4, f->word[0][tap], lanes);
        tex_take_bytes(rows[tap * 4 + 3], f->word[0][tap], 24, lanes);
    }
    if (f->taps == 1)
        add_rows(sum, f, rows, TEX_KIND_SRGB8, 4, 1, true, share->lane, slice, lanes);
    else if (share->lane == tex_ones && !share->slice)
        add_rows(sum, f, rows, TEX_KIND_SRGB8, 4, 4, false, NULL, NULL, lanes);
    else
        add_rows(sum, f, rows, TEX_KIND_SRGB8, 4, 4, true, share->lane, slice, lanes);
}
