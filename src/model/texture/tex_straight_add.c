/* From the words of footprints to sums of their channels, sixteen lanes at a time: see tex_straight.h. Weights and sums
 * are made by the same operations in the same order as tex_channels.c makes them. */
#include "model/texture/tex_straight.h"

#if TEX_HAS_WIDE

#include "model/pixel/pixel.h"
#include "model/texture/tex_sixteen_channels.h"

/* ---- channels ---- */

/* A texel as it is, or as a sum that begins with zero has it: there is no negative one. Constants where it is inlined:
 * kind, channels. */
TEX_INLINE void take(float (*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f,
                     enum tex_kind kind, unsigned channels)
{
    const bool has_sign = tex_may_be_infinite(kind) || kind == TEX_KIND_RGBA8_SNORM;
    for (unsigned g = 0; g < f->count; g++) {
        for (unsigned n = 0; n < channels; n++) {
            if (!(t->components >> n & 1))
                continue;
            const __m512 texel = tex16_channel_of(kind, f, 0, g, n);
            _mm512_mask_storeu_ps(rows[n] + f->lane[g], f->active[g],
                                  has_sign ? _mm512_add_ps(_mm512_setzero_ps(), texel) : texel);
        }
    }
}

/* Constants where it is inlined: kind, channels, is_pair, and is_shared: whether there are shares. */
TEX_INLINE void add(__m512 (*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,
                    const __m512 *share, enum tex_kind kind, unsigned channels, bool is_pair, bool is_shared)
{
    for (unsigned g = 0; g < f->count; g++) {
        __m512 own[4], sum[4];
        for (unsigned n = 0; n < channels; n++)
            sum[n] = sums[g][n];
        if (is_pair)
            tex16_find_weights(own, f, g);
        for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++) {
            const __m512 weight = !is_shared ? own[tap] : is_pair ? _mm512_mul_ps(own[tap], share[g]) : share[g];
            const __mmask16 counts =
                tex_may_be_infinite(kind) ? _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ) : UINT16_MAX;
            for (unsigned n = 0; n < channels; n++) {
                if (channels == 4 && !(t->components >> n & 1))
                    continue;
                const __m512 texel = tex16_channel_of(kind, f, tap, g, n), value = _mm512_mul_ps(weight, texel);
                sum[n] = tex_may_be_infinite(kind) ? _mm512_mask_add_ps(sum[n], counts, sum[n], value)
                                                   : _mm512_add_ps(sum[n], value);
            }
        }
        for (unsigned n = 0; n < channels; n++)
            sums[g][n] = sum[n];
    }
}

/* One function for each kind. */
#define KIND(name, kind, channels)                                                                                     \
    static void add_##name(__m512(*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,           \
                           const __m512 *share)                                                                        \
    {                                                                                                                  \
        if (t->is_pair && share)                                                                                       \
            add(sums, t, f, share, kind, channels, true, true);                                                        \
        else if (t->is_pair)                                                                                           \
            add(sums, t, f, NULL, kind, channels, true, false);                                                        \
        else                                                                                                           \
            add(sums, t, f, share, kind, channels, false, true);                                                       \
    }                                                                                                                  \
    static void take_##name(float(*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f)   \
    {                                                                                                                  \
        take(rows, t, f, kind, channels);                                                                              \
    }
KIND(srgb8, TEX_KIND_SRGB8, 4)
KIND(r8, TEX_KIND_R8, 1)
KIND(rg8, TEX_KIND_RG8, 2)
KIND(r16, TEX_KIND_R16, 1)
KIND(rg16, TEX_KIND_RG16, 2)
KIND(d24, TEX_KIND_D24, 1)
KIND(r16f, TEX_KIND_R16F, 1)
KIND(rg16f, TEX_KIND_RG16F, 2)
KIND(r32f, TEX_KIND_R32F, 1)
KIND(rg32f, TEX_KIND_RG32F, 2)
KIND(rgba32f, TEX_KIND_RGBA32F, 4)
KIND(rgba16, TEX_KIND_RGBA16, 4)
KIND(rgb565, TEX_KIND_RGB565, 4)
KIND(bgr565, TEX_KIND_BGR565, 4)
KIND(rgb10a2, TEX_KIND_RGB10A2, 4)
KIND(rgba8_snorm, TEX_KIND_RGBA8_SNORM, 4)
KIND(rg11b10f, TEX_KIND_RG11B10F, 4)
KIND(rgba16f, TEX_KIND_RGBA16F, 4)

/* ---- four bytes, whose sum is of 24 bits ---- */

static void add_bytes(__m512 (*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,
                      const __m512 *share)
{
    const __m512 one = _mm512_set1_ps(1), whole = _mm512_set1_ps(65536);
    for (unsigned g = 0; g < f->count; g++) {
        const __m512 part = share ? share[g] : one;
        if (t->is_pair) {
            const struct tex16_texels texels = tex16_sum_bytes(f, g);
            for (unsigned n = 0; n < 4; n++)
                sums[g][n] = _mm512_add_ps(sums[g][n], _mm512_mul_ps(texels.of[n], part));
            continue;
        }
        const __m512 all = _mm512_mul_ps(part, whole);
        for (unsigned n = 0; n < 4; n++)
            sums[g][n] =
                _mm512_add_ps(sums[g][n], _mm512_mul_ps(_mm512_cvtepi32_ps(tex16_byte_of(f->word[0][0][g], n)), all));
    }
}

/* ---- comparisons ---- */

/* As tex_channels.c compares. */
static __mmask16 comparison_passes(const struct tex_straight *t, unsigned lane, __m512 texel)
{
    __m512 given = _mm512_loadu_ps((const float *)t->q->compare + lane);
    if (t->q->image->clamps_reference)
        given = _mm512_min_ps(_mm512_max_ps(given, _mm512_setzero_ps()), _mm512_set1_ps(1));
    switch (t->q->sampler->compare) {
    case PIXEL_NEVER:
        return 0;
    case PIXEL_LESS:
        return _mm512_cmp_ps_mask(given, texel, _CMP_LT_OQ);
    case PIXEL_EQUAL:
        return _mm512_cmp_ps_mask(given, texel, _CMP_EQ_OQ);
    case PIXEL_LESS_OR_EQUAL:
        return _mm512_cmp_ps_mask(given, texel, _CMP_LE_OQ);
    case PIXEL_GREATER:
        return _mm512_cmp_ps_mask(given, texel, _CMP_GT_OQ);
    case PIXEL_NOT_EQUAL:
        return _mm512_cmp_ps_mask(given, texel, _CMP_NEQ_UQ);
    case PIXEL_GREATER_OR_EQUAL:
        return _mm512_cmp_ps_mask(given, texel, _CMP_GE_OQ);
    default:
        return UINT16_MAX;
    }
}

/* Depth, of one of three kinds. */
TEX_INLINE __m512 depth_of(const struct tex_straight *t, const struct tex16_footprints *f, unsigned tap, unsigned g)
{
    return t->kind == TEX_KIND_R16   ? tex16_channel_of(TEX_KIND_R16, f, tap, g, 0)
           : t->kind == TEX_KIND_D24 ? tex16_channel_of(TEX_KIND_D24, f, tap, g, 0)
                                     : tex16_channel_of(TEX_KIND_R32F, f, tap, g, 0);
}

static void add_compared(__m512 (*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,
                         const __m512 *share)
{
    for (unsigned g = 0; g < f->count; g++) {
        __m512 own[4] = {_mm512_set1_ps(1)};
        if (t->is_pair)
            tex16_find_weights(own, f, g);
        for (unsigned tap = 0; tap < (t->is_pair ? 4u : 1u); tap++) {
            const __m512 weight = share ? _mm512_mul_ps(own[tap], share[g]) : own[tap];
            sums[g][0] = _mm512_add_ps(
                sums[g][0], _mm512_maskz_mov_ps(comparison_passes(t, f->lane[g], depth_of(t, f, tap, g)), weight));
        }
    }
}

/* ---- all of them ---- */

void tex_straight_add(__m512 (*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,
                      const __m512 *share)
{
    static void (*const adders[])(__m512(*)[4], const struct tex_straight *, const struct tex16_footprints *,
                                  const __m512 *) = {
        [TEX_KIND_RGBA8] = add_bytes,       [TEX_KIND_SRGB8] = add_srgb8,   [TEX_KIND_R8] = add_r8,
        [TEX_KIND_RG8] = add_rg8,           [TEX_KIND_R16] = add_r16,       [TEX_KIND_RG16] = add_rg16,
        [TEX_KIND_RGBA16] = add_rgba16,     [TEX_KIND_RGB565] = add_rgb565, [TEX_KIND_BGR565] = add_bgr565,
        [TEX_KIND_RGB10A2] = add_rgb10a2,   [TEX_KIND_D24] = add_d24,       [TEX_KIND_R16F] = add_r16f,
        [TEX_KIND_RG11B10F] = add_rg11b10f, [TEX_KIND_R32F] = add_r32f,     [TEX_KIND_RG32F] = add_rg32f,
        [TEX_KIND_RGBA16F] = add_rgba16f,   [TEX_KIND_RG16F] = add_rg16f,   [TEX_KIND_RGBA8_SNORM] = add_rgba8_snorm,
        [TEX_KIND_RGBA32F] = add_rgba32f,
    };
    (t->q->compare ? add_compared : adders[t->kind])(sums, t, f, share);
}

void tex_straight_take(float (*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f)
{
    static void (*const takers[])(float(*)[LANES_MAX], const struct tex_straight *, const struct tex16_footprints *) = {
        [TEX_KIND_SRGB8] = take_srgb8,       [TEX_KIND_R8] = take_r8,
        [TEX_KIND_RG8] = take_rg8,           [TEX_KIND_R16] = take_r16,
        [TEX_KIND_RGBA16] = take_rgba16,     [TEX_KIND_RGB565] = take_rgb565,
        [TEX_KIND_BGR565] = take_bgr565,     [TEX_KIND_RGB10A2] = take_rgb10a2,
        [TEX_KIND_D24] = take_d24,           [TEX_KIND_R16F] = take_r16f,
        [TEX_KIND_RG11B10F] = take_rg11b10f, [TEX_KIND_R32F] = take_r32f,
        [TEX_KIND_RG32F] = take_rg32f,       [TEX_KIND_RGBA16F] = take_rgba16f,
        [TEX_KIND_RG16F] = take_rg16f,       [TEX_KIND_RGBA8_SNORM] = take_rgba8_snorm,
        [TEX_KIND_RGBA32F] = take_rgba32f,   [TEX_KIND_RG16] = take_rg16,
    };
    takers[t->kind](rows, t, f);
}

#endif
