/* The texels of a small box, each loaded once, as vectors of sixteen words of which a host with AVX-512 permutes those
 * of its lanes. For tex_wide.c and tex_straight_find.c. */
#ifndef MODEL_TEXTURE_TEX_BOX_H
#define MODEL_TEXTURE_TEX_BOX_H

#include "model/texture/tex_sixteen.h"
#include "util/bits.h"

#define TEX_BOX_SIDE 16 /* columns and rows of a box whose parts of offsets are in registers */

struct tex_box {
    uint32_t pitch, plane, count;
    uint32_t words[TEX_AREA_TEXELS + 16];
};

/* The texels of a box, one row after the other without gaps, 16 at a time; of texels of two words the one at skip_B. */
TEX_INLINE void tex_box_load(struct tex_box *to, const struct tex_area_part *part, const struct tex_places *p,
                             unsigned skip_B)
{
    const uint32_t columns = part->columns, texels = columns * part->rows;
    const uint32_t first_rows = MIN2(part->rows, 8u), more_rows = part->rows - first_rows;
    const __m512i x = _mm512_maskz_loadu_epi32((__mmask16)bits_mask(columns), p->x + part->x),
                  y_0 = _mm512_maskz_loadu_epi32((__mmask16)bits_mask(2 * first_rows), p->y + part->y),
                  y_1 = _mm512_maskz_loadu_epi32((__mmask16)bits_mask(2 * more_rows), p->y + part->y + 8),
                  part_of_row = _mm512_set1_epi32((int)(65536 / columns + 1)); /* exact below 4096 */
    __m512i n = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    to->pitch = columns;
    to->plane = (uint32_t)align_u64(texels, 16);
    to->count = to->plane * part->slices;
    for (uint32_t at = 0; at < texels; at += 16, n = _mm512_add_epi32(n, _mm512_set1_epi32(16))) {
        const __mmask16 wanted = _mm512_cmplt_epu32_mask(n, _mm512_set1_epi32((int)texels));
        const __m512i row = _mm512_srli_epi32(_mm512_mullo_epi32(n, part_of_row), 16),
                      column = _mm512_sub_epi32(n, _mm512_mullo_epi32(row, _mm512_set1_epi32((int)columns))),
                      twice = _mm512_slli_epi32(row, 1),
                      y_add = _mm512_permutex2var_epi32(y_0, _mm512_or_si512(twice, _mm512_set1_epi32(1)), y_1),
                      mixed = _mm512_xor_si512(_mm512_permutexvar_epi32(column, x),
                                               _mm512_permutex2var_epi32(y_0, twice, y_1));
        for (uint32_t z = 0; z < part->slices; z++) {
            const uint32_t at_z = MIN2(part->z + (z > part->lead ? z - part->lead : 0), part->last);
            const struct tex_place slice = p->z[part->level * p->slices + at_z];
            const __m512i offset =
                _mm512_add_epi32(_mm512_xor_si512(mixed, _mm512_set1_epi32((int)slice.xor_B)), y_add);
            const uint8_t *host = p->host + slice.add_B + skip_B;
            _mm512_storeu_si512(to->words + z * to->plane + at, p->element_B == 1 ? tex16_word(host, offset, wanted, 1)
                                                                : p->element_B == 2
                                                                    ? tex16_word(host, offset, wanted, 2)
                                                                    : tex16_word(host, offset, wanted, 4));
        }
    }
}

/* Texels by their numbers. Constants where it is inlined: vectors, those that all texels are in, 2, 4, 6 or 8; 0:
 * more. */
TEX_INLINE __m512i tex_box_look_up(const __m512i *v, const void *texels, __m512i n, unsigned vectors, __mmask16 active)
{
    if (!vectors)
        return TEX16_WORDS(texels, n, active, 4);
    if (vectors == 2)
        return _mm512_permutex2var_epi32(v[0], n, v[1]);
    const __mmask16 odd = _mm512_test_epi32_mask(n, _mm512_set1_epi32(32));
    const __m512i low = _mm512_mask_blend_epi32(odd, _mm512_permutex2var_epi32(v[0], n, v[1]),
                                                _mm512_permutex2var_epi32(v[2], n, v[3]));
    if (vectors == 4)
        return low;
    __m512i high = _mm512_permutex2var_epi32(v[4], n, v[5]);
    if (vectors == 8)
        high = _mm512_mask_blend_epi32(odd, high, _mm512_permutex2var_epi32(v[6], n, v[7]));
    return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(n, _mm512_set1_epi32(64)), low, high);
}

#endif
