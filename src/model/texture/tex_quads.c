/* Levels and probes of all quads of a wave at once, for hosts with AVX-512: sixteen quads are one vector. What
 * tex_lod.c and tex_levels.c do where derivatives make the level, by the same operations in the same order. */
#include "model/texture/tex_fast.h"

#if TEX_HAS_WIDE

#include <immintrin.h>

/* One number of each quad. */
struct pair {
    __m512 at[2]; /* by axis */
};

/* The quad's lanes that come `after` its first. */
TEX_INLINE __m512 lanes_of(const __m512 rows[4], int32_t after)
{
    const __m512i index = _mm512_add_epi32(_mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28),
                                           _mm512_set1_epi32(after));
    const __m512 low = _mm512_permutex2var_ps(rows[0], index, rows[1]),
                 high = _mm512_permutex2var_ps(rows[2], index, rows[3]);
    return _mm512_shuffle_f32x4(low, high, 0x44);
}

TEX_INLINE void load_rows(__m512 rows[4], const tex_float *from, unsigned lanes)
{
    for (unsigned n = 0; n < 4; n++)
        rows[n] = n * 16 < lanes ? _mm512_loadu_ps((const float *)from + n * 16) : _mm512_setzero_ps();
}

/* The derivative of a coordinate across and down, in texels. */
TEX_INLINE struct pair find_derivatives(const tex_float *coord, float scale, unsigned lanes)
{
    __m512 rows[4];
    load_rows(rows, coord, lanes);
    const __m512 origin = lanes_of(rows, 0), size = _mm512_set1_ps(scale);
    return (struct pair){{_mm512_mul_ps(_mm512_sub_ps(lanes_of(rows, 1), origin), size),
                          _mm512_mul_ps(_mm512_sub_ps(lanes_of(rows, 2), origin), size)}};
}

/* Derivatives where they are given; not 0: lanes of a quad have another one. */
TEX_INLINE unsigned take_derivatives(struct pair *to, const uint32_t *const grad[2][3], unsigned axis, float scale,
                                     unsigned lanes)
{
    unsigned other = 0;
    for (unsigned n = 0; n < 2; n++) {
        __m512 rows[4];
        load_rows(rows, tex_floats(grad[n][axis]), lanes);
        for (unsigned i = 0; i < 4; i++) {
            const __m512i row = _mm512_castps_si512(rows[i]);
            other |= _mm512_cmpneq_epi32_mask(row, _mm512_shuffle_epi32(row, 0));
        }
        to->at[n] = _mm512_mul_ps(lanes_of(rows, 0), _mm512_set1_ps(scale));
    }
    return other;
}

TEX_INLINE __m512 times_plus(__m512 a, __m512 b, float c)
{
    return _mm512_add_ps(_mm512_mul_ps(a, b), _mm512_set1_ps(c));
}

/* As tex_lod.c's log2_of. */
TEX_INLINE __m512 log2_of(__m512 x)
{
    const __m512i half = _mm512_set1_epi32(0x3f3504f3);
    const __mmask16 is_tiny = _mm512_cmp_ps_mask(x, _mm512_set1_ps(1.17549435e-38f), _CMP_LT_OQ);
    const __m512i bits = _mm512_castps_si512(_mm512_mask_mul_ps(x, is_tiny, x, _mm512_set1_ps(8388608.0f))),
                  above = _mm512_sub_epi32(bits, half);
    const __m512 exponent = _mm512_sub_ps(_mm512_cvtepi32_ps(_mm512_srai_epi32(above, 23)),
                                          _mm512_maskz_mov_ps(is_tiny, _mm512_set1_ps(23)));
    const __m512i near_one = _mm512_add_epi32(_mm512_and_si512(above, _mm512_set1_epi32(0x7fffff)), half);
    const __m512 f = _mm512_sub_ps(_mm512_castsi512_ps(near_one), _mm512_set1_ps(1)), square = _mm512_mul_ps(f, f);
    __m512 p = _mm512_set1_ps(7.0376836292e-2f);
    p = times_plus(p, f, -1.1514610310e-1f);
    p = times_plus(p, f, 1.1676998740e-1f);
    p = times_plus(p, f, -1.2420140846e-1f);
    p = times_plus(p, f, 1.4249322787e-1f);
    p = times_plus(p, f, -1.6668057665e-1f);
    p = times_plus(p, f, 2.0000714765e-1f);
    p = times_plus(p, f, -2.4999993993e-1f);
    p = times_plus(p, f, 3.3333331174e-1f);
    const __m512 rest = _mm512_sub_ps(_mm512_mul_ps(_mm512_mul_ps(f, square), p),
                                      _mm512_mul_ps(_mm512_set1_ps(0.5f), square)),
                 part = _mm512_set1_ps(0.44269504088896340736f);
    __m512 value = _mm512_add_ps(_mm512_mul_ps(rest, part), _mm512_mul_ps(f, part));
    value = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(value, rest), f), exponent);
    value = _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, _mm512_set1_ps(__builtin_inff()), _CMP_LT_OQ), value);
    return _mm512_mask_mov_ps(value, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_EQ_OQ),
                              _mm512_set1_ps(-__builtin_inff()));
}

/* ---- from quads to lanes ---- */

TEX_INLINE void spread_bytes(uint8_t *to, __m512i quads)
{
    _mm512_storeu_si512(to, _mm512_mullo_epi32(quads, _mm512_set1_epi32(0x01010101)));
}

TEX_INLINE void spread_floats(float *to, __m512 quads, unsigned lanes)
{
    const __m512i index = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    for (unsigned i = 0; i < lanes; i += 16)
        _mm512_storeu_ps(to + i,
                         _mm512_permutexvar_ps(_mm512_add_epi32(index, _mm512_set1_epi32((int32_t)i / 4)), quads));
}

static __mmask16 active_quads(uint64_t exec)
{
    const uint64_t any = exec | exec >> 1, first = (any | any >> 2) & 0x1111111111111111ull;
    return (__mmask16)_pext_u64(first, 0x1111111111111111ull);
}

/* ---- levels ---- */

/* As tex_levels_init. */
static void set_levels(struct tex_levels *levels, __m512 value, const struct tex_level_rules *rules, __mmask16 active,
                       unsigned lanes)
{
    value = _mm512_add_ps(value, _mm512_set1_ps(rules->bias));
    value = _mm512_max_ps(_mm512_min_ps(value, _mm512_set1_ps(rules->high)), _mm512_set1_ps(rules->low));
    value = _mm512_max_ps(_mm512_min_ps(value, _mm512_set1_ps(16)), _mm512_set1_ps(-16));
    const __m512i none = _mm512_setzero_si512();
    __m512i fixed = _mm512_cvt_roundps_epi32(times_plus(value, _mm512_set1_ps(256), 0.5f),
                                             _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    spread_bytes(levels->linear,
                 _mm512_mask_mov_epi32(_mm512_set1_epi32(rules->min), _mm512_cmple_epi32_mask(fixed, none),
                                       _mm512_set1_epi32(rules->mag)));
    fixed = _mm512_max_epi32(_mm512_min_epi32(fixed, _mm512_set1_epi32(rules->most)), none);
    const __m512i first = _mm512_srai_epi32(_mm512_add_epi32(fixed, _mm512_set1_epi32(rules->round)), 8),
                  next = _mm512_add_epi32(first, _mm512_set1_epi32(1)), base = _mm512_set1_epi32(rules->base),
                  fraction = _mm512_and_si512(fixed, _mm512_set1_epi32(rules->mask));
    spread_bytes(levels->low, _mm512_add_epi32(base, first));
    spread_bytes(levels->high, _mm512_add_epi32(base, _mm512_min_epi32(next, _mm512_set1_epi32(rules->last))));
    spread_floats(levels->fraction, _mm512_mul_ps(_mm512_cvtepi32_ps(fraction), _mm512_set1_ps(1.0f / 256)), lanes);
    levels->any_fraction = _mm512_mask_test_epi32_mask(active, fraction, fraction) != 0;
    levels->any_cubic = (rules->mag | rules->min) & 2;
    levels->is_same = false;
}

/* As tex_lod.c's quads_lod; returns what is taken from the level. */
static __m512 set_probes(struct tex_lod *lod, const struct tex_query *q, __m512 longer, __m512 shorter,
                         __mmask16 is_across, const struct pair d[2], const float scale[2], __mmask16 active)
{
    const __m512 none = _mm512_setzero_ps(), one = _mm512_set1_ps(1),
                 limit = _mm512_set1_ps((float)q->sampler->max_aniso);
    __m512 ratio = _mm512_sqrt_ps(_mm512_div_ps(longer, shorter));
    ratio = _mm512_mask_mov_ps(limit, _mm512_cmp_ps_mask(shorter, none, _CMP_GT_OQ), ratio);
    ratio = _mm512_min_ps(ratio, limit);
    ratio = _mm512_mask_mov_ps(one, _mm512_cmp_ps_mask(longer, none, _CMP_GT_OQ), ratio);
    const __m512i up = _mm512_cvt_roundps_epi32(ratio, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC),
                  probes = _mm512_mask_mov_epi32(_mm512_set1_epi32(1), active, up);
    spread_bytes(lod->probes, probes);
    lod->max_probes = (unsigned)_mm512_reduce_max_epi32(probes);
    for (unsigned n = 0; n < 2; n++) {
        const __m512 step = _mm512_mask_mov_ps(d[n].at[1], is_across, d[n].at[0]);
        spread_floats(lod->step[n], _mm512_maskz_div_ps(active, step, _mm512_set1_ps(scale[n])), q->lanes);
    }
    return log2_of(ratio);
}

bool tex_levels_init_wide(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                          const struct tex_coords *c, const float scale[2], const struct tex_level_rules *rules)
{
    struct pair d[2];
    unsigned other = 0;
    for (unsigned n = 0; n < 2; n++) {
        if (q->grad[0][0])
            other |= take_derivatives(&d[n], q->grad, n, scale[n], q->lanes);
        else
            d[n] = find_derivatives(c->at[n], scale[n], q->lanes);
    }
    if (other)
        return false;
    __m512 squared[2];
    for (unsigned n = 0; n < 2; n++)
        squared[n] = _mm512_add_ps(_mm512_mul_ps(d[0].at[n], d[0].at[n]), _mm512_mul_ps(d[1].at[n], d[1].at[n]));
    const __m512 longer = _mm512_max_ps(squared[0], squared[1]), shorter = _mm512_min_ps(squared[0], squared[1]);
    __m512 value = _mm512_mul_ps(_mm512_set1_ps(0.5f), log2_of(longer));
    const __mmask16 active = active_quads(q->exec);
    if (tex_wants_aniso(q)) {
        const __mmask16 is_across = _mm512_cmp_ps_mask(squared[0], squared[1], _CMP_GE_OQ);
        value = _mm512_sub_ps(value, set_probes(lod, q, longer, shorter, is_across, d, scale, active));
    } else {
        lod->max_probes = 1;
        spread_bytes(lod->probes, _mm512_set1_epi32(1));
    }
    set_levels(levels, value, rules, active, q->lanes);
    return true;
}

#endif
