/* The curve of sRGB both ways as sums of powers, whose factors a host permutes: for numbers that have no more bits of
 * fraction than a half, and for codes. Of other floats the sum is the code's wherever it is not next to the middle of
 * two, and there the table of channel.h says it (pixel_srgb.c). */
#ifndef UTIL_FORMAT_SRGB_CUBIC_H
#define UTIL_FORMAT_SRGB_CUBIC_H

#include "util/format/channel.h"

/* Factors from the constant on, by these bits of the number, & 31: the sum lies nearest to the number's code. Generated
 * (srgb_tables.c). */
extern const float format_srgb_cubic[4][32];
#define FORMAT_SRGB_CUBIC_SHIFT 22

/* Factors from a code less FORMAT_SRGB_CODES_BELOW to its very float in format_srgb_to_linear_table: the sum is that.
 * First comes the number whose distance is powered; numbers below FORMAT_SRGB_FIRST_PLACE have no piece. */
extern const float format_srgb_linear_cubic[5][32];
#define FORMAT_SRGB_LINEAR_SHIFT 20
#define FORMAT_SRGB_CODES_BELOW 14
#define FORMAT_SRGB_FIRST_PLACE 16

#if defined(__AVX512F__)
#include <immintrin.h>

static inline __m512 format_srgb_permuted(const float table[32], __m512i places)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(table), places, _mm512_loadu_ps(table + 16));
}

/* Sixteen codes, in whatever mode the host rounds: a gather from the table takes two or three times as long, and
 * nothing goes on beside it. */
static inline __m512 format_srgb_to_sixteen(__m512i codes)
{
    const __m512i above = _mm512_sub_epi32(codes, _mm512_set1_epi32(FORMAT_SRGB_CODES_BELOW));
    const __mmask16 is_low = _mm512_cmplt_epi32_mask(above, _mm512_set1_epi32(FORMAT_SRGB_FIRST_PLACE));
    const __m512 number = _mm512_cvtepi32_ps(above);
    const __m512i place = _mm512_srli_epi32(_mm512_castps_si512(number), FORMAT_SRGB_LINEAR_SHIFT);
    const __m512 x = _mm512_sub_ps(number, format_srgb_permuted(format_srgb_linear_cubic[0], place));
    __m512 sum = format_srgb_permuted(format_srgb_linear_cubic[4], place);
    for (unsigned power = 4; power-- > 1;)
        sum = _mm512_fmadd_round_ps(sum, x, format_srgb_permuted(format_srgb_linear_cubic[power], place),
                                    _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_ps(sum, is_low, format_srgb_permuted(format_srgb_to_linear_table, codes));
}
#endif

#endif
