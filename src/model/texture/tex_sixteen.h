/* Sixteen lanes as one vector of a host with AVX-512: from coordinates to the words of footprints, without rows in
 * between. What tex_position.c and tex_words.c do for all lanes, with the same bits. For tex_straight.c. */
#ifndef MODEL_TEXTURE_TEX_SIXTEEN_H
#define MODEL_TEXTURE_TEX_SIXTEEN_H

#include <immintrin.h>

#include "model/texture/tex_fast.h"

/* A level, in each lane; or, as a table, by level. */
struct tex16_level {
    __m512 scale[2];           /* from coordinates to 256ths of a texel */
    __m512i start[2], most[2]; /* the entry of texel 0; the last entry, from there */
    __m512i slice_xor, slice_add;
    __m512i number; /* of the image's levels */
};

/* A level that all lanes have. */
struct tex16_one {
    float scale[2];
    int32_t start[2], most[2];
    struct tex_place slice;
    int32_t number;
};

struct tex16_axis {
    bool repeats, mirrors_once;
    float period, per_period;
    int32_t least; /* the first entry at which a footprint begins, from texel 0; not of those that mirror once */
};

/* Of an instruction. */
struct tex16 {
    const struct tex_places *places;
    struct tex16_axis axis[2];
    float down, up; /* as in tex_rounding */
    bool is_same;   /* all lanes have one level, or one of two: */
    struct tex16_one same[2];
    struct tex16_level table; /* else */
};

#define TEX16_GROUPS (LANES_MAX / 16)

/* Footprints of all groups of lanes. A chain from coordinates to texels is long and a host looks ahead only so far:
 * each step is a loop over groups, which do not wait for each other. */
struct tex16_footprints {
    unsigned count;             /* of groups that have active lanes */
    uint8_t lane[TEX16_GROUPS]; /* the first one of each */
    __mmask16 active[TEX16_GROUPS];
    __m512i at[2][TEX16_GROUPS], fraction[2][TEX16_GROUPS];
    __m512i offset[4][TEX16_GROUPS];  /* by tap */
    __m512i word[4][4][TEX16_GROUPS]; /* by number and tap; as many as an element has */
    /* Of some instructions: */
    __mmask16 outside[4][TEX16_GROUPS]; /* by tap: the border counts */
    __m512 depth[TEX16_GROUPS];         /* of volumes: the weight of the slice */
};

/* Gathers of active lanes into zeros: what was in the register before would be waited for. */
#define TEX16_WORDS(from, offset, active, scale)                                                                       \
    _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, offset, from, scale)
#define TEX16_PAIRS(from, offset, active, scale)                                                                       \
    _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), (__mmask8)(active), offset, from, scale)

TEX_INLINE struct tex16_level tex16_level_of(const struct tex16_level *table, __m512i level)
{
    struct tex16_level to;
    for (unsigned n = 0; n < 2; n++) {
        to.scale[n] = _mm512_permutexvar_ps(level, table->scale[n]);
        to.start[n] = _mm512_permutexvar_epi32(level, table->start[n]);
        to.most[n] = _mm512_permutexvar_epi32(level, table->most[n]);
    }
    to.slice_xor = _mm512_permutexvar_epi32(level, table->slice_xor);
    to.slice_add = _mm512_permutexvar_epi32(level, table->slice_add);
    to.number = level;
    return to;
}

TEX_INLINE struct tex16_level tex16_spread(const struct tex16_one *one)
{
    struct tex16_level to = {.slice_xor = _mm512_set1_epi32((int32_t)one->slice.xor_B),
                             .slice_add = _mm512_set1_epi32((int32_t)one->slice.add_B),
                             .number = _mm512_set1_epi32(one->number)};
    for (unsigned n = 0; n < 2; n++) {
        to.scale[n] = _mm512_set1_ps(one->scale[n]);
        to.start[n] = _mm512_set1_epi32(one->start[n]);
        to.most[n] = _mm512_set1_epi32(one->most[n]);
    }
    return to;
}

/* A coordinate brought near the image, if the axis repeats, and in the units of `scale`; a NaN is the limit. */
TEX_INLINE __m512 tex16_scaled(__m512 u, bool repeats, float period, float per_period, __m512 scale)
{
    if (repeats) {
        const __m512 turns = _mm512_roundscale_ps(_mm512_mul_ps(u, _mm512_set1_ps(per_period)),
                                                  _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        u = _mm512_sub_ps(u, _mm512_mul_ps(_mm512_set1_ps(period), turns));
    }
    u = _mm512_max_ps(_mm512_mul_ps(u, scale), _mm512_set1_ps(-TEX_FARTHEST));
    return _mm512_min_ps(u, _mm512_set1_ps(TEX_FARTHEST));
}

TEX_INLINE __m512i tex16_floor(__m512 u)
{
    return _mm512_cvt_roundps_epi32(u, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

/* The entry of a footprint's first texel. */
TEX_INLINE __m512i tex16_locate(__m512i *fraction, const struct tex16 *s, unsigned n, __m512 u,
                                const struct tex16_level *level)
{
    const struct tex16_axis *axis = &s->axis[n];
    u = tex16_scaled(u, axis->repeats, axis->period, axis->per_period, level->scale[n]);
    const __m512i at = tex16_floor(_mm512_add_ps(_mm512_sub_ps(u, _mm512_set1_ps(s->down)), _mm512_set1_ps(s->up)));
    __m512i first = _mm512_max_epi32(_mm512_srai_epi32(at, 8), _mm512_set1_epi32(axis->least));
    first = _mm512_min_epi32(first, level->most[n]);
    *fraction = _mm512_and_si512(at, _mm512_set1_epi32(255));
    return _mm512_add_epi32(first, level->start[n]);
}

/* ---- tables ---- */

/* Entries around those of the first lane: mostly all lanes have theirs there. */
struct tex16_window {
    __m512i index; /* there */
    const uint32_t *from;
    uint32_t base;
    bool is_enough;
};

TEX_INLINE struct tex16_window tex16_open(__m512i at, __mmask16 active)
{
    const uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(at));
    const uint32_t base = first > 15 ? first - 15 : 0;
    const __m512i index = _mm512_sub_epi32(at, _mm512_set1_epi32((int32_t)base));
    return (struct tex16_window){
        .index = index,
        .base = base,
        .is_enough = !(_mm512_cmpgt_epu32_mask(index, _mm512_set1_epi32(TEX_PLACES_WINDOW - 2)) & active),
    };
}

/* Entries of a table and the next ones. Constants where it is inlined: is_pair. */
TEX_INLINE void tex16_see(__m512i to[2], const struct tex16_window *w, const uint32_t *table, bool is_pair)
{
    const __m512i low = _mm512_loadu_si512(table + w->base), high = _mm512_loadu_si512(table + w->base + 16);
    to[0] = _mm512_permutex2var_epi32(low, w->index, high);
    if (is_pair)
        to[1] = _mm512_permutex2var_epi32(low, _mm512_add_epi32(w->index, _mm512_set1_epi32(1)), high);
}

TEX_INLINE void tex16_gather(__m512i to[2], __m512i at, __mmask16 active, const uint32_t *table, bool is_pair)
{
    if (!is_pair) {
        to[0] = TEX16_WORDS(table, at, active, 4);
        return;
    }
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                  a = TEX16_PAIRS(table, _mm512_castsi512_si256(at), active, 4),
                  b = TEX16_PAIRS(table, _mm512_extracti64x4_epi64(at, 1), active >> 8, 4);
    to[0] = _mm512_permutex2var_epi32(a, even, b);
    to[1] = _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
}

/* ---- words ---- */

/* Of active lanes: a window gives others any offset. A gather reads whole words: narrower texels may end where nothing
 * is mapped, so the words that they lie in are read. */
TEX_INLINE __m512i tex16_word(const uint8_t *host, __m512i offset, __mmask16 active, unsigned element_B)
{
    const __m512i none = _mm512_setzero_si512();
    if (element_B >= 4)
        return _mm512_mask_i32gather_epi32(none, active, offset, host, 1);
    const __m512i in_word = _mm512_and_si512(offset, _mm512_set1_epi32(3)),
                  word = _mm512_mask_i32gather_epi32(none, active, _mm512_xor_si512(offset, in_word), host, 1);
    return _mm512_and_si512(_mm512_srlv_epi32(word, _mm512_slli_epi32(in_word, 3)),
                            _mm512_set1_epi32(element_B == 1 ? 0xff : 0xffff));
}

/* The words of a tap. Two words are gathered as one; four are loaded as they lie, lane by lane, and turned, which is
 * less than a gather for each. Constants where it is inlined: element_B. */
TEX_INLINE void tex16_words(struct tex16_footprints *f, unsigned tap, unsigned g, const uint8_t *host,
                            unsigned element_B)
{
    const __m512i offset = _mm512_maskz_mov_epi32(f->active[g], f->offset[tap][g]);
    if (element_B <= 4) {
        f->word[0][tap][g] = tex16_word(host, offset, f->active[g], element_B);
        return;
    }
    if (element_B == 8) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                      a = TEX16_PAIRS(host, _mm512_castsi512_si256(offset), f->active[g], 1),
                      b = TEX16_PAIRS(host, _mm512_extracti64x4_epi64(offset, 1), f->active[g] >> 8, 1);
        f->word[0][tap][g] = _mm512_permutex2var_epi32(a, even, b);
        f->word[1][tap][g] = _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
        return;
    }
    uint32_t at[16] __attribute__((aligned(64)));
    __m512i row[4]; /* of lanes n, n + 4, n + 8 and n + 12 */
    _mm512_store_si512(at, offset);
#define LOAD(lane) _mm_loadu_si128((const __m128i *)(const void *)(host + at[lane]))
    for (unsigned n = 0; n < 4; n++) {
        row[n] = _mm512_inserti32x4(_mm512_castsi128_si512(LOAD(n)), LOAD(n + 4), 1);
        row[n] = _mm512_inserti32x4(_mm512_inserti32x4(row[n], LOAD(n + 8), 2), LOAD(n + 12), 3);
    }
#undef LOAD
    const __m512i low[2] = {_mm512_unpacklo_epi32(row[0], row[1]), _mm512_unpacklo_epi32(row[2], row[3])},
                  high[2] = {_mm512_unpackhi_epi32(row[0], row[1]), _mm512_unpackhi_epi32(row[2], row[3])};
    f->word[0][tap][g] = _mm512_unpacklo_epi64(low[0], low[1]);
    f->word[1][tap][g] = _mm512_unpackhi_epi64(low[0], low[1]);
    f->word[2][tap][g] = _mm512_unpacklo_epi64(high[0], high[1]);
    f->word[3][tap][g] = _mm512_unpackhi_epi64(high[0], high[1]);
}

/* From entries to offsets. Constants where it is inlined: is_pair. */
TEX_INLINE void tex16_place(struct tex16_footprints *f, unsigned g, const struct tex_places *p,
                            const struct tex16_level *level, bool is_pair)
{
    const struct tex16_window wx = tex16_open(f->at[0][g], f->active[g]), wy = tex16_open(f->at[1][g], f->active[g]);
    __m512i x[2], y_xor[2], y_add[2];
    if (__builtin_expect(wx.is_enough, 1))
        tex16_see(x, &wx, p->x, is_pair);
    else
        tex16_gather(x, f->at[0][g], f->active[g], p->x, is_pair);
    if (__builtin_expect(wy.is_enough, 1)) {
        tex16_see(y_xor, &wy, p->y_xor, is_pair);
        tex16_see(y_add, &wy, p->y_add, is_pair);
    } else {
        tex16_gather(y_xor, f->at[1][g], f->active[g], p->y_xor, is_pair);
        tex16_gather(y_add, f->at[1][g], f->active[g], p->y_add, is_pair);
    }
    for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++) {
        const unsigned row = tap >> 1;
        const __m512i inside = _mm512_ternarylogic_epi32(x[tap & 1], y_xor[row], level->slice_xor, 0x96);
        f->offset[tap][g] = _mm512_add_epi32(inside, _mm512_add_epi32(y_add[row], level->slice_add));
    }
}

/* Words of all groups at their offsets. Constants where it is inlined: element_B, is_pair. */
TEX_INLINE void tex16_load(struct tex16_footprints *f, const struct tex_places *p, unsigned element_B, bool is_pair)
{
    for (unsigned g = 0; g < f->count; g++) {
        for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++)
            tex16_words(f, tap, g, p->host, element_B);
    }
}

#endif
