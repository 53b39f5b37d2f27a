/* Channels of sixteen texels: from words to floats, weights, and the sum of four bytes. As tex_channels.c and
 * tex_widen.c have them, with the same bits. For tex_straight.c. */
#ifndef MODEL_TEXTURE_TEX_SIXTEEN_CHANNELS_H
#define MODEL_TEXTURE_TEX_SIXTEEN_CHANNELS_H

#include "model/texture/tex_sixteen.h"
#include "util/format/channel.h"
#include "util/format/srgb_cubic.h"

/* ---- four bytes ---- */

struct tex16_texels {
    __m512 of[4];
};

/* As tex_channels.c's divide_sum. */
TEX_INLINE __m512 tex16_divide_sum(__m512 value)
{
    const double divisor = 255.0 * 65536.0;
    const float high = (float)(1 / divisor), low = (float)(1 / divisor - (double)(float)(1 / divisor));
    return _mm512_fmadd_ps(value, _mm512_set1_ps(high), _mm512_mul_ps(value, _mm512_set1_ps(low)));
}

/* As format_unorm_to_float. */
TEX_INLINE __m512 tex16_unorm(__m512i code, unsigned bits)
{
    const double max = (double)((1u << bits) - 1);
    const float high = (float)(1 / max), low = (float)(1 / max - (double)(float)(1 / max));
    const __m512 value = _mm512_cvtepi32_ps(code);
    if (bits > 16)
        return _mm512_div_ps(value, _mm512_set1_ps((float)max));
    return _mm512_fmadd_ps(value, _mm512_set1_ps(high), _mm512_mul_ps(value, _mm512_set1_ps(low)));
}

TEX_INLINE __m512i tex16_byte_of(__m512i word, unsigned n)
{
    if (n == 3)
        return _mm512_srli_epi32(word, 24);
    return _mm512_and_si512(n ? _mm512_srli_epi32(word, 8 * n) : word, _mm512_set1_epi32(255));
}

/* Between two texels: sixteen bits of red and blue, and of green and alpha, less 32768, so that a product of signed
 * ones takes them. */
struct tex16_row {
    __m512i rb, ga;
};

TEX_INLINE struct tex16_row tex16_between(__m512i first, __m512i second, __m512i fraction)
{
    const __m512i even = _mm512_set1_epi32(0x00ff00ff), odd = _mm512_set1_epi32((int32_t)0xff00ff00u),
                  half = _mm512_set1_epi32((int32_t)0x80008000u);
    const __m512i rb = _mm512_and_si512(first, even), ga = _mm512_srli_epi16(first, 8),
                  to_rb = _mm512_sub_epi16(_mm512_and_si512(second, even), rb),
                  to_ga = _mm512_sub_epi16(_mm512_srli_epi16(second, 8), ga);
    /* (first & odd) ^ half */
    const __m512i whole_rb = _mm512_xor_si512(_mm512_slli_epi32(rb, 8), half),
                  whole_ga = _mm512_ternarylogic_epi32(first, odd, half, 0x6a);
    return (struct tex16_row){_mm512_add_epi16(whole_rb, _mm512_mullo_epi16(to_rb, fraction)),
                              _mm512_add_epi16(whole_ga, _mm512_mullo_epi16(to_ga, fraction))};
}

/* The lower, or upper, halves of two rows by the weights of both. */
TEX_INLINE __m512 tex16_weigh(__m512i top, __m512i bottom, bool is_upper, __m512i weights)
{
    const __m512i pair = is_upper ? _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(top, 16), bottom)
                                  : _mm512_mask_blend_epi16(0xaaaaaaaa, top, _mm512_slli_epi32(bottom, 16));
    return _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_madd_epi16(pair, weights), _mm512_set1_epi32(32768 * 256)));
}

/* Sums of 24 bits, as tex_channels.c's sum_bytes. */
TEX_INLINE struct tex16_texels tex16_sum_bytes(const struct tex16_footprints *f, unsigned g)
{
    const __m512i right = _mm512_or_si512(f->fraction[0][g], _mm512_slli_epi32(f->fraction[0][g], 16)),
                  down = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), f->fraction[1][g]),
                                         _mm512_slli_epi32(f->fraction[1][g], 16));
    const struct tex16_row top = tex16_between(f->word[0][0][g], f->word[0][1][g], right),
                           bottom = tex16_between(f->word[0][2][g], f->word[0][3][g], right);
    return (struct tex16_texels){
        {tex16_weigh(top.rb, bottom.rb, false, down), tex16_weigh(top.ga, bottom.ga, false, down),
         tex16_weigh(top.rb, bottom.rb, true, down), tex16_weigh(top.ga, bottom.ga, true, down)}};
}

/* ---- other kinds ---- */

TEX_INLINE __m512i tex16_bits_of(__m512i word, unsigned shift, unsigned bits)
{
    return _mm512_and_si512(_mm512_srli_epi32(word, shift), _mm512_set1_epi32((1 << bits) - 1));
}

/* The lower halves of words. */
TEX_INLINE __m512 tex16_widen_halves(__m512i words)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words));
}

/* As format_snorm_to_float, of the highest eight bits. */
TEX_INLINE __m512 tex16_snorm_8(__m512i word)
{
    const float high = (float)(1 / 127.0), low = (float)(1 / 127.0 - (double)(float)(1 / 127.0));
    const __m512 code = _mm512_cvtepi32_ps(_mm512_srai_epi32(word, 24));
    return _mm512_max_ps(_mm512_fmadd_ps(code, _mm512_set1_ps(high), _mm512_mul_ps(code, _mm512_set1_ps(low))),
                         _mm512_set1_ps(-1));
}

/* Channel `n` of a tap's texels, as tex_channels.c's channel_of. */
TEX_INLINE __m512 tex16_channel_of(enum tex_kind kind, const struct tex16_footprints *f, unsigned tap, unsigned g,
                                   unsigned n)
{
    const __m512i low = f->word[0][tap][g], word = n < 2 ? low : f->word[1][tap][g],
                  half = n & 1 ? _mm512_srli_epi32(word, 16) : word;
    switch (kind) {
    case TEX_KIND_SRGB8:
        return n == 3 ? tex16_unorm(tex16_byte_of(low, 3), 8) : format_srgb_to_sixteen(tex16_byte_of(low, n));
    case TEX_KIND_R8:
    case TEX_KIND_RG8:
        return tex16_unorm(tex16_byte_of(low, n), 8);
    case TEX_KIND_R16:
    case TEX_KIND_RG16:
        return tex16_unorm(_mm512_and_si512(half, _mm512_set1_epi32(0xffff)), 16);
    case TEX_KIND_RGBA16:
        return tex16_unorm(n & 1 ? half : _mm512_and_si512(half, _mm512_set1_epi32(0xffff)), 16);
    case TEX_KIND_RGB565:
    case TEX_KIND_BGR565:
        return n == 3                               ? _mm512_set1_ps(1)
               : n == 1                             ? tex16_unorm(tex16_bits_of(low, 5, 6), 6)
               : n == (kind == TEX_KIND_BGR565) * 2 ? tex16_unorm(tex16_bits_of(low, 11, 5), 5)
                                                    : tex16_unorm(tex16_bits_of(low, 0, 5), 5);
    case TEX_KIND_RGBA8_SNORM:
        return tex16_snorm_8(_mm512_slli_epi32(low, 24 - 8 * n));
    case TEX_KIND_RGB10A2:
        return n == 3 ? tex16_unorm(_mm512_srli_epi32(low, 30), 2) : tex16_unorm(tex16_bits_of(low, 10 * n, 10), 10);
    case TEX_KIND_RG11B10F: /* halves without a sign and with fewer bits of fraction */
        return n == 3   ? _mm512_set1_ps(1)
               : n == 2 ? tex16_widen_halves(_mm512_slli_epi32(_mm512_srli_epi32(low, 22), 5))
                        : tex16_widen_halves(_mm512_slli_epi32(tex16_bits_of(low, 11 * n, 11), 4));
    case TEX_KIND_D24:
        return tex16_unorm(_mm512_and_si512(low, _mm512_set1_epi32(0xffffff)), 24);
    case TEX_KIND_R16F:
    case TEX_KIND_RG16F:
    case TEX_KIND_RGBA16F:
        return tex16_widen_halves(half);
    default:
        return _mm512_castsi512_ps(f->word[n][tap][g]);
    }
}

/* The weights of a footprint's texels. */
TEX_INLINE void tex16_find_weights(__m512 to[4], const struct tex16_footprints *f, unsigned g)
{
    const __m512 one = _mm512_set1_ps(1), part = _mm512_set1_ps(1.0f / 256),
                 right = _mm512_mul_ps(_mm512_cvtepi32_ps(f->fraction[0][g]), part), left = _mm512_sub_ps(one, right),
                 down = _mm512_mul_ps(_mm512_cvtepi32_ps(f->fraction[1][g]), part), up = _mm512_sub_ps(one, down);
    for (unsigned tap = 0; tap < 4; tap++)
        to[tap] = _mm512_mul_ps(tap & 1 ? right : left, tap & 2 ? down : up);
}

#endif
