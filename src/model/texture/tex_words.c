/* The texels of the fast path's footprints: an offset from the tables of both axes, and the word there. Hosts without
 * gathers load lane by lane; a footprint's two entries of an axis lie together. */
#include "model/texture/tex_fast.h"

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
/* Eight lanes at a time: offsets are below 2^31. */
TEX_INLINE void gather_lanes(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned taps,
                             bool is_one_slice, unsigned element_B)
{
    const int *const host = (const int *)(const void *)p->host, *const tx = (const int *)p->x,
                     *const ty = (const int *)(const void *)p->y;
    for (unsigned i = 0; i < lanes; i += 8) {
        const __m256i at_x = _mm256_loadu_si256((const __m256i *)(f->x.at + i)),
                      at_y = _mm256_loadu_si256((const __m256i *)(f->y.at + i));
        __m256i slice_xor, slice_add;
        if (is_one_slice) {
            slice_xor = _mm256_set1_epi32((int)f->slice[0].xor_B);
            slice_add = _mm256_set1_epi32((int)f->slice[0].add_B);
        } else {
            const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
            slice_xor = _mm256_i32gather_epi32((const int *)(const void *)(f->slice + i), even, 4);
            slice_add = _mm256_i32gather_epi32((const int *)(const void *)(f->slice + i) + 1, even, 4);
        }
        for (unsigned tap = 0; tap < taps; tap++) {
            __m256i x = _mm256_i32gather_epi32(tx + (tap & 1), at_x, 4);
            __m256i y_xor = _mm256_xor_si256(_mm256_i32gather_epi32(ty + (tap & 2), at_y, 8), slice_xor);
            __m256i y_add = _mm256_add_epi32(_mm256_i32gather_epi32(ty + (tap & 2) + 1, at_y, 8), slice_add);
            __m256i offset = _mm256_add_epi32(_mm256_xor_si256(x, y_xor), y_add);
            _mm256_storeu_si256((__m256i *)(f->word[0][tap] + i), _mm256_i32gather_epi32(host, offset, 1));
            if (element_B == 8)
                _mm256_storeu_si256((__m256i *)(f->word[1][tap] + i), _mm256_i32gather_epi32(host + 1, offset, 1));
        }
    }
}
#endif

/* Gathers read whole words: narrower texels may end where nothing is mapped. */
TEX_INLINE void load_all(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned taps,
                         bool is_one_slice, unsigned element_B)
{
#if defined(__AVX2__)
    if (element_B >= 4) {
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
