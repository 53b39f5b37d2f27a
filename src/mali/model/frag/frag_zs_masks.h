/* Depth and stencil of 8 by 8 pixels on hosts whose vectors have 64 bytes, and masks registers of their own: depth of
 * sixteen pixels at a time, stencil of all of them. Compilers do not make masks of vectors by themselves. The results
 * are those of frag_zs_block.c, for which alone this is. */
#ifndef MALI_MODEL_FRAG_ZS_MASKS_H
#define MALI_MODEL_FRAG_ZS_MASKS_H

#include "mali/model/frag/frag.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define FRAG_ZS_HAS_MASKS 1

#include <immintrin.h>

#define ZS_INLINE static inline __attribute__((always_inline))
#define ZS_ROW 16 /* cells of a vector: the quads of two rows of pixels */

/* ---- depth ---- */

/* The code of each depth; `format` is a constant. */
ZS_INLINE __m512i encode_row(unsigned format, __m512 z)
{
    const __m512 zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1), half = _mm512_set1_ps(0.5f);
    if (format == MALI_Z_INTERNAL_FORMAT_D32)
        return _mm512_castps_si512(z);
    const __m512 unit = _mm512_min_ps(_mm512_max_ps(z, zero), one); /* NaN becomes 0 */
    if (format == MALI_Z_INTERNAL_FORMAT_D16)
        return _mm512_cvttps_epi32(_mm512_add_ps(_mm512_mul_ps(unit, _mm512_set1_ps(65535.0f)), half));
    const __m512 product = _mm512_mul_ps(unit, _mm512_set1_ps(16777215.0f));
    const __mmask16 is_small = _mm512_cmp_ps_mask(product, _mm512_set1_ps(8388608.0f), _CMP_LT_OQ);
    return _mm512_cvttps_epi32(_mm512_mask_add_ps(product, is_small, product, half));
}

/* Pixels whose relation to the stored value is one of `compare`. */
ZS_INLINE uint32_t compare_row(unsigned format, unsigned compare, __m512i code, __m512i stored)
{
    const uint32_t less = compare & PIXEL_LESS ? UINT32_MAX : 0, equal = compare & PIXEL_EQUAL ? UINT32_MAX : 0,
                   greater = compare & PIXEL_GREATER ? UINT32_MAX : 0;
    if (format == MALI_Z_INTERNAL_FORMAT_D32) { /* a NaN has no relation to anything */
        const __m512 value = _mm512_castsi512_ps(code), old = _mm512_castsi512_ps(stored);
        return (_mm512_cmp_ps_mask(value, old, _CMP_LT_OQ) & less) |
               (_mm512_cmp_ps_mask(value, old, _CMP_EQ_OQ) & equal) |
               (_mm512_cmp_ps_mask(value, old, _CMP_GT_OQ) & greater);
    }
    return (_mm512_cmplt_epi32_mask(code, stored) & less) | (_mm512_cmpeq_epi32_mask(code, stored) & equal) |
           (_mm512_cmpgt_epi32_mask(code, stored) & greater);
}

/* The sums are those of look_at_four, in their order. */
ZS_INLINE uint64_t test_rows(const struct frag_draw *draw, const struct raster_prim *prim, unsigned x, unsigned y,
                             uint32_t *cells, uint64_t covered, unsigned compare, bool writes, unsigned format)
{
    const __m512 right = _mm512_setr_ps(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7),
                 down = _mm512_setr_ps(0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1),
                 low = _mm512_set1_ps(draw->clamp_min), high = _mm512_set1_ps(draw->clamp_max);
    const __m512 at_x = _mm512_sub_ps(
                     _mm512_add_ps(_mm512_add_ps(_mm512_set1_ps((float)x), right), _mm512_set1_ps(draw->place_x[0])),
                     _mm512_set1_ps(prim->origin_x)),
                 columns = _mm512_add_ps(_mm512_set1_ps(prim->z.at), _mm512_mul_ps(_mm512_set1_ps(prim->z.dx), at_x));
    uint64_t passed = 0;
    for (unsigned first = 0; first < FRAG_BLOCK_PIXELS; first += ZS_ROW) {
        const __mmask16 own = (__mmask16)(covered >> first);
        if (!own)
            continue;
        const __m512 at_y = _mm512_sub_ps(_mm512_add_ps(_mm512_add_ps(_mm512_set1_ps((float)(y + first / 8)), down),
                                                        _mm512_set1_ps(draw->place_y[0])),
                                          _mm512_set1_ps(prim->origin_y));
        const __m512 z = _mm512_add_ps(columns, _mm512_mul_ps(_mm512_set1_ps(prim->z.dy), at_y));
        /* The second operand is what both are that cannot be compared. */
        const __m512i code = encode_row(format, _mm512_min_ps(_mm512_max_ps(z, low), high));
        uint32_t holds = own;
        if (compare != PIXEL_ALWAYS)
            holds &= compare_row(format, compare, code, _mm512_loadu_si512(cells + first));
        if (writes)
            _mm512_mask_storeu_epi32(cells + first, (__mmask16)holds, code);
        passed |= (uint64_t)holds << first;
    }
    return passed;
}

static uint64_t test_block_depth(struct frag_worker *w, const struct raster_prim *prim, unsigned x, unsigned y,
                                 uint32_t *cells, uint64_t covered, unsigned compare, bool writes)
{
    switch (w->fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        return test_rows(w->draw, prim, x, y, cells, covered, compare, writes, MALI_Z_INTERNAL_FORMAT_D16);
    case MALI_Z_INTERNAL_FORMAT_D24:
        return test_rows(w->draw, prim, x, y, cells, covered, compare, writes, MALI_Z_INTERNAL_FORMAT_D24);
    default:
        return test_rows(w->draw, prim, x, y, cells, covered, compare, writes, MALI_Z_INTERNAL_FORMAT_D32);
    }
}

/* ---- stencil ---- */

static inline __m512i apply(unsigned op, __m512i old, uint8_t reference)
{
    const __m512i one = _mm512_set1_epi8(1);
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        return old;
    case PIXEL_STENCIL_ZERO:
        return _mm512_setzero_si512();
    case PIXEL_STENCIL_REFERENCE:
        return _mm512_set1_epi8((char)reference);
    case PIXEL_STENCIL_INVERT:
        return _mm512_xor_si512(old, _mm512_set1_epi8(-1));
    case PIXEL_STENCIL_ADD_WRAP:
        return _mm512_add_epi8(old, one);
    case PIXEL_STENCIL_SUB_WRAP:
        return _mm512_sub_epi8(old, one);
    case PIXEL_STENCIL_ADD_CLAMP:
        return _mm512_adds_epu8(old, one);
    default: /* the last of those that the descriptor has */
        return _mm512_subs_epu8(old, one);
    }
}

/* `passes`: pixels whose depth has passed; those are left that pass both tests. */
static uint64_t test_stencil(const struct frag_face *face, uint8_t *cells, uint64_t covered, uint64_t passes)
{
    const __m512i old = _mm512_loadu_si512(cells), value = _mm512_and_si512(old, _mm512_set1_epi8((char)face->mask)),
                  reference = _mm512_set1_epi8((char)(face->reference & face->mask));
    const uint64_t is_right = (face->compare & PIXEL_LESS ? _mm512_cmplt_epu8_mask(reference, value) : 0) |
                              (face->compare & PIXEL_EQUAL ? _mm512_cmpeq_epi8_mask(reference, value) : 0) |
                              (face->compare & PIXEL_GREATER ? _mm512_cmpgt_epu8_mask(reference, value) : 0);
    if (face->fail == face->pass && face->depth_fail == face->pass && face->pass == PIXEL_STENCIL_KEEP)
        return is_right & passes & covered;
    __m512i next = apply(face->pass, old, face->reference);
    if (face->depth_fail != face->pass)
        next = _mm512_mask_mov_epi8(apply(face->depth_fail, old, face->reference), passes, next);
    if (face->fail != face->pass || face->fail != face->depth_fail)
        next = _mm512_mask_mov_epi8(apply(face->fail, old, face->reference), is_right, next);
    const __m512i written = _mm512_maskz_set1_epi8(covered, (char)face->write_mask);
    _mm512_storeu_si512(cells, _mm512_ternarylogic_epi32(written, next, old, 0xca));
    return is_right & passes & covered;
}

#undef ZS_INLINE
#undef ZS_ROW

#else
#define FRAG_ZS_HAS_MASKS 0
#endif

#endif
