/* The texels of the fast path's footprints: an offset from the tables of both axes, and the word there. Hosts without
 * gathers load lane by lane; a footprint's two entries of an axis lie together. */
#include "model/texture/tex_fast.h"

#include "util/format/channel.h"
#include "util/intrinsics.h"

TEX_INLINE void load(uint32_t *restrict low, uint32_t *restrict high, const uint8_t *at, unsigned element_B)
{
    uint16_t half;
    switch (element_B) {
    case 1:
        *low = *at;
        break;
    case 2:
        memcpy(&half, at, 2);
        *low = half;
        break;
    case 4:
        memcpy(low, at, 4);
        break;
    default:
        memcpy(low, at, 4);
        memcpy(high, at + 4, 4);
        break;
    }
}

/* Constants where it is inlined: taps, is_one_slice, element_B. */
TEX_INLINE void load_lanes(struct tex_footprint *restrict f, const struct tex_places *restrict p, unsigned lanes,
                           unsigned taps, bool is_one_slice, unsigned element_B)
{
    const uint32_t *const tx = p->x;
    const struct tex_place *const ty = p->y;
    const struct tex_place slice_0 = f->slice[0];
    for (unsigned i = 0; i < lanes; i++) {
        const struct tex_place slice = is_one_slice ? slice_0 : f->slice[i];
        const uint8_t *host = p->host + slice.add_B;
        struct tex_place y[2]; /* all is read before something is written */
        uint32_t x[2];
        memcpy(x, tx + f->x.at[i], taps == 1 ? sizeof(x[0]) : sizeof(x));
        memcpy(y, ty + f->y.at[i], taps == 1 ? sizeof(y[0]) : sizeof(y));
        const uint32_t x0 = x[0] ^ slice.xor_B;
        if (taps == 1) {
            load(&f->word[0][0][i], &f->word[1][0][i], host + ((x0 ^ y[0].xor_B) + y[0].add_B), element_B);
            continue;
        }
        const uint32_t x1 = x[1] ^ slice.xor_B;
        const uint32_t at[4] = {(x0 ^ y[0].xor_B) + y[0].add_B, (x1 ^ y[0].xor_B) + y[0].add_B,
                                (x0 ^ y[1].xor_B) + y[1].add_B, (x1 ^ y[1].xor_B) + y[1].add_B};
        for (unsigned tap = 0; tap < 4; tap++)
            load(&f->word[0][tap][i], &f->word[1][tap][i], host + at[tap], element_B);
    }
}

#if defined(__AVX2__)
/* Entries of tables of eight lanes as columns. A gather takes as long as the loads of its elements, so entries that lie
 * together are loaded together and transposed, and the words alone are gathered. Half a vector has four lanes. */
struct columns {
    __m256i xor_B[2], add_B[2]; /* by tap */
};

TEX_INLINE __m256i halves(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Of pairs of lanes 0, 1, 4 and 5 and of 2, 3, 6 and 7: the first or the second ones. */
#define COLUMN(p, q, select)                                                                                           \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(p), _mm256_castsi256_ps(q), select))
#define FIRST_ONES 0x88
#define SECOND_ONES 0xdd

/* Two words each of two lanes. */
TEX_INLINE __m128i pairs(const void *first, const void *second)
{
    const __m128 low = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)first));
    return _mm_castps_si128(_mm_loadh_pi(low, (const __m64 *)second));
}

TEX_INLINE void look_up_x(__m256i x[2], const uint32_t *table, const uint32_t *at, unsigned taps)
{
    if (taps == 1) {
        x[0] = _mm256_i32gather_epi32((const int *)table, _mm256_loadu_si256((const __m256i *)at), 4);
        return;
    }
    const __m256i p = halves(pairs(table + at[0], table + at[1]), pairs(table + at[4], table + at[5])),
                  q = halves(pairs(table + at[2], table + at[3]), pairs(table + at[6], table + at[7]));
    x[0] = COLUMN(p, q, FIRST_ONES);
    x[1] = COLUMN(p, q, SECOND_ONES);
}

TEX_INLINE void look_up_y(struct columns *y, const struct tex_place *table, const uint32_t *at, unsigned taps)
{
    if (taps == 1) {
        const __m256i p = halves(pairs(table + at[0], table + at[1]), pairs(table + at[4], table + at[5])),
                      q = halves(pairs(table + at[2], table + at[3]), pairs(table + at[6], table + at[7]));
        y->xor_B[0] = COLUMN(p, q, FIRST_ONES);
        y->add_B[0] = COLUMN(p, q, SECOND_ONES);
        return;
    }
    __m256i lane[4];
    for (unsigned i = 0; i < 4; i++)
        lane[i] = halves(_mm_loadu_si128((const __m128i *)(const void *)(table + at[i])),
                         _mm_loadu_si128((const __m128i *)(const void *)(table + at[i + 4])));
    const __m256i low_01 = _mm256_unpacklo_epi32(lane[0], lane[1]), low_23 = _mm256_unpacklo_epi32(lane[2], lane[3]),
                  high_01 = _mm256_unpackhi_epi32(lane[0], lane[1]), high_23 = _mm256_unpackhi_epi32(lane[2], lane[3]);
    y->xor_B[0] = _mm256_unpacklo_epi64(low_01, low_23);
    y->add_B[0] = _mm256_unpackhi_epi64(low_01, low_23);
    y->xor_B[1] = _mm256_unpacklo_epi64(high_01, high_23);
    y->add_B[1] = _mm256_unpackhi_epi64(high_01, high_23);
}

/* A gather reads whole words: narrower texels may end where nothing is mapped, so the words that they lie in are
 * read. */
TEX_INLINE __m256i gather_words(const int *host, __m256i offset, unsigned element_B)
{
    if (element_B >= 4)
        return _mm256_i32gather_epi32(host, offset, 1);
    const __m256i in_word = _mm256_and_si256(offset, _mm256_set1_epi32(3)),
                  word = _mm256_i32gather_epi32(host, _mm256_xor_si256(offset, in_word), 1);
    return _mm256_and_si256(_mm256_srlv_epi32(word, _mm256_slli_epi32(in_word, 3)),
                            _mm256_set1_epi32(element_B == 1 ? 0xff : 0xffff));
}

/* Eight lanes at a time: offsets are below 2^31. All is read before something is written. */
TEX_INLINE void gather_lanes(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned taps,
                             bool is_one_slice, unsigned element_B)
{
    const int *const host = (const int *)(const void *)p->host;
    const uint32_t *const table_x = p->x;
    const struct tex_place *const table_y = p->y;
    /* The stored type might be any of these, as far as the compiler sees. */
    const bool has_first = element_B < 8 || f->words & 1, has_second = element_B == 8 && f->words & 2;
    __m256i slice_xor = _mm256_set1_epi32((int)f->slice[0].xor_B),
            slice_add = _mm256_set1_epi32((int)f->slice[0].add_B);
    for (unsigned i = 0; i < lanes; i += 8) {
        __m256i x[2];
        struct columns y;
        look_up_x(x, table_x, f->x.at + i, taps);
        look_up_y(&y, table_y, f->y.at + i, taps);
        if (!is_one_slice) {
            const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(f->slice + i)),
                          b = _mm256_loadu_si256((const __m256i *)(const void *)(f->slice + i + 4)),
                          low = _mm256_permute2x128_si256(a, b, 0x20), high = _mm256_permute2x128_si256(a, b, 0x31);
            slice_xor = COLUMN(low, high, FIRST_ONES);
            slice_add = COLUMN(low, high, SECOND_ONES);
        }
        for (unsigned tap = 0; tap < taps; tap++) {
            const __m256i inside = _mm256_xor_si256(_mm256_xor_si256(x[tap & 1], slice_xor), y.xor_B[tap >> 1]),
                          offset = _mm256_add_epi32(inside, _mm256_add_epi32(y.add_B[tap >> 1], slice_add));
            if (has_first)
                _mm256_storeu_si256((__m256i *)(f->word[0][tap] + i), gather_words(host, offset, element_B));
            if (has_second)
                _mm256_storeu_si256((__m256i *)(f->word[1][tap] + i), _mm256_i32gather_epi32(host + 1, offset, 1));
        }
    }
}
#endif

TEX_INLINE void load_all(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned taps,
                         bool is_one_slice, unsigned element_B)
{
#if defined(__AVX2__)
    if (element_B >= 4 || (uintptr_t)p->host % 4 == 0) {
        gather_lanes(f, p, lanes, taps, is_one_slice, element_B);
        return;
    }
#endif
    load_lanes(f, p, lanes, taps, is_one_slice, element_B);
}

TEX_INLINE void load_sizes(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned element_B)
{
    if (f->taps == 1 && f->is_one_slice)
        load_all(f, p, lanes, 1, true, element_B);
    else if (f->taps == 1)
        load_all(f, p, lanes, 1, false, element_B);
    else if (f->is_one_slice)
        load_all(f, p, lanes, 4, true, element_B);
    else
        load_all(f, p, lanes, 4, false, element_B);
}

void tex_load_words(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned element_B)
{
    switch (element_B) {
    case 1:
        load_sizes(f, p, lanes, 1);
        break;
    case 2:
        load_sizes(f, p, lanes, 2);
        break;
    case 4:
        load_sizes(f, p, lanes, 4);
        break;
    default:
        load_sizes(f, p, lanes, 8);
        break;
    }
}

void tex_load_elements(struct tex_footprint *f, const struct tex_places *p, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        const struct tex_place slice = f->slice[f->is_one_slice ? 0 : i];
        const uint32_t *x = p->x + f->x.at[i];
        const struct tex_place *y = p->y + f->y.at[i];
        for (unsigned tap = 0; tap < f->taps; tap++) {
            const struct tex_place row = y[tap >> 1];
            f->element[tap][i] = p->host + ((x[tap & 1] ^ row.xor_B ^ slice.xor_B) + row.add_B + slice.add_B);
        }
    }
}

/* ---- texels of sRGB, one for each lane ---- */

/* Straight from memory to channels. Constants where it is inlined: has_alpha. */
TEX_INLINE void load_srgb(float (*restrict to)[LANES_MAX], const struct tex_footprint *restrict f,
                          const struct tex_places *restrict p, unsigned lanes, uint32_t *restrict alpha, bool has_alpha)
{
    const uint32_t *restrict const tx = p->x;
    const struct tex_place *restrict const ty = p->y;
    const struct tex_place slice = f->slice[0];
    const uint8_t *restrict const host = p->host + slice.add_B;
    for (unsigned i = 0; i < lanes; i++) {
        struct tex_place y;
        uint32_t texel;
        memcpy(&y, ty + f->y.at[i], sizeof(y));
        memcpy(&texel, host + ((tx[f->x.at[i]] ^ slice.xor_B ^ y.xor_B) + y.add_B), sizeof(texel));
        to[0][i] = format_srgb_to_float(texel & 255);
        to[1][i] = format_srgb_to_float(texel >> 8 & 255);
        to[2][i] = format_srgb_to_float(texel >> 16 & 255);
        if (has_alpha)
            alpha[i] = texel >> 24;
    }
}

void tex_load_srgb(float (*to)[LANES_MAX], const struct tex_footprint *f, const struct tex_places *p, unsigned lanes,
                   bool has_alpha)
{
    uint32_t alpha[LANES_MAX];
    if (!has_alpha) {
        load_srgb(to, f, p, lanes, NULL, false);
        return;
    }
    load_srgb(to, f, p, lanes, alpha, true);
    tex_take_bytes(to[3], alpha, 0, lanes);
}
