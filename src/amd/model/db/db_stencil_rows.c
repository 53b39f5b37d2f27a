/* Stencil of sixteen pixels at a time: four quads of one sample, whose elements lie side by side in both buffers, with
 * depth of 24 or 32 bits or without. Masks are registers of masks, which compilers do not make of vectors by
 * themselves. Hosts whose vectors have no 64 bytes do the same in db_stencil_bytes.c. Not for the rest
 * (db_quad_stencil.c), which gives the same results. */
#include "amd/model/db/db_stencil.h"

bool amd_db_has_stencil_rows(const struct db_state *state)
{
    return !state->samples_log2 && state->s->quad_is_row && state->s->block_log2 >= 3 &&
           (!state->z_test || (state->z->quad_is_row && state->z_format != AMD_Z_FORMAT_16));
}

#if DB_STENCIL_HAS_MASKS

#include <immintrin.h>

#include "model/pixel/pixel_bytes.h"

/* ---- memory ---- */

/* Constant where these are inlined: is_run, the elements of the four quads follow each other. */
static INLINE __m128i load_stencils(const struct db_row *row, bool is_run)
{
    if (is_run)
        return _mm_loadu_si128((const void *)row->s[0]);
    __m128i of[DB_ROW_QUADS];
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        of[i] = _mm_loadu_si32(row->s[i]);
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(of[0], of[1]), _mm_unpacklo_epi32(of[2], of[3]));
}

static INLINE void store_stencils(const struct db_row *row, bool is_run, __m128i values)
{
    if (is_run) {
        _mm_storeu_si128((void *)row->s[0], values);
        return;
    }
    _mm_storeu_si32(row->s[0], values);
    _mm_storeu_si32(row->s[1], _mm_shuffle_epi32(values, 1));
    _mm_storeu_si32(row->s[2], _mm_shuffle_epi32(values, 2));
    _mm_storeu_si32(row->s[3], _mm_shuffle_epi32(values, 3));
}

static INLINE __m512i load_depths(const struct db_row *row, bool is_run)
{
    if (is_run)
        return _mm512_loadu_si512(row->z[0]);
    __m512i values = _mm512_castsi128_si512(_mm_loadu_si128((const void *)row->z[0]));
    values = _mm512_inserti32x4(values, _mm_loadu_si128((const void *)row->z[1]), 1);
    values = _mm512_inserti32x4(values, _mm_loadu_si128((const void *)row->z[2]), 2);
    return _mm512_inserti32x4(values, _mm_loadu_si128((const void *)row->z[3]), 3);
}

static INLINE void store_depths(const struct db_row *row, bool is_run, __m512i values)
{
    if (is_run) {
        _mm512_storeu_si512(row->z[0], values);
        return;
    }
    _mm_storeu_si128((void *)row->z[0], _mm512_castsi512_si128(values));
    _mm_storeu_si128((void *)row->z[1], _mm512_extracti32x4_epi32(values, 1));
    _mm_storeu_si128((void *)row->z[2], _mm512_extracti32x4_epi32(values, 2));
    _mm_storeu_si128((void *)row->z[3], _mm512_extracti32x4_epi32(values, 3));
}

/* ---- tests ---- */

static INLINE __m128i apply_op(unsigned op, __m128i value, const struct db_stencil_face *face)
{
    return (__m128i)pixel_bytes_apply(op, (pixel_bytes)value, face->reference, face->op_value);
}

/* A test's use of depth; the relations that most volumes are tested by by themselves. */
enum depth {
    DEPTH_NONE,
    DEPTH_UNORM,
    DEPTH_FLOAT,
    DEPTH_FLOAT_LESS,
};

static enum depth depth_of(const struct db_state *state)
{
    if (!state->z_test)
        return DEPTH_NONE;
    if (state->z_format == AMD_Z_FORMAT_24)
        return DEPTH_UNORM;
    return state->z_func == PIXEL_LESS ? DEPTH_FLOAT_LESS : DEPTH_FLOAT;
}

/* db_unorm24 */
static INLINE __m512i codes_of(__m512 z)
{
    const __m512 zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1), half_way = _mm512_set1_ps(8388608.0f);
    const __m512 above = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(z, zero, _CMP_GT_OQ), z); /* NaN becomes 0 */
    const __m512 product = _mm512_mul_ps(_mm512_min_ps(above, one), _mm512_set1_ps(16777215.0f));
    const __mmask16 is_small = _mm512_cmp_ps_mask(product, half_way, _CMP_LT_OQ);
    return _mm512_cvttps_epi32(_mm512_mask_add_ps(product, is_small, product, _mm512_set1_ps(0.5f)));
}

/* Pixels of which a relation passes. */
static INLINE uint32_t decide_pixels(const struct db_test *t, uint32_t is_less, uint32_t is_equal, uint32_t is_more)
{
    return (is_less & (uint32_t)t->less[0]) | (is_equal & (uint32_t)t->equal[0]) | (is_more & (uint32_t)t->more[0]) |
           (uint32_t)t->always[0];
}

/* Depth against memory, of those that are left. */
static INLINE uint32_t test_depth(const struct db_test *t, enum depth depth, const struct db_row *row, bool is_run,
                                  __m512 z, uint32_t left)
{
    const __m512i stored = load_depths(row, is_run);
    __m512i made;
    uint32_t pass;
    if (depth == DEPTH_UNORM) {
        const __m512i old = _mm512_and_si512(stored, _mm512_set1_epi32(0xffffff));
        made = codes_of(z);
        pass = decide_pixels(t, _mm512_cmplt_epi32_mask(made, old), _mm512_cmpeq_epi32_mask(made, old),
                             _mm512_cmpgt_epi32_mask(made, old));
    } else {
        const __m512 old = _mm512_castsi512_ps(stored);
        made = _mm512_castps_si512(z);
        pass = _mm512_cmp_ps_mask(z, old, _CMP_LT_OQ);
        if (depth != DEPTH_FLOAT_LESS)
            pass =
                decide_pixels(t, pass, _mm512_cmp_ps_mask(z, old, _CMP_EQ_OQ), _mm512_cmp_ps_mask(z, old, _CMP_GT_OQ));
    }
    pass &= left;
    if (t->write)
        store_depths(row, is_run, _mm512_mask_mov_epi32(stored, (__mmask16)pass, made));
    return pass;
}

static INLINE uint32_t test_stencils(const struct stencil_test *st, __m128i old, uint32_t covered)
{
    const __m128i reference = _mm_set1_epi8((char)st->reference[0]),
                  seen = _mm_and_si128(old, _mm_set1_epi8((char)st->mask[0]));
    const uint32_t is_less = _mm_cmplt_epu8_mask(reference, seen), is_equal = _mm_cmpeq_epi8_mask(reference, seen),
                   is_more = _mm_cmpgt_epu8_mask(reference, seen);
    return covered & ((is_less & (uint32_t)st->less[0]) | (is_equal & (uint32_t)st->equal[0]) |
                      (is_more & (uint32_t)st->more[0]));
}

/* Pixels of `covered` that pass, a bit each. Constants where it is inlined: depth, is_run. */
static INLINE uint32_t test_pixels(const struct db_test *t, const struct stencil_test *st, enum depth depth,
                                   const struct db_row *row, bool is_run, __m512 z, uint32_t covered)
{
    const struct db_stencil_face *face = st->face;
    __m128i old = _mm_setzero_si128();
    uint32_t stencil = covered;
    if (!st->is_always) {
        old = load_stencils(row, is_run);
        stencil = test_stencils(st, old, covered);
    }
    const uint32_t pass = depth == DEPTH_NONE ? stencil : test_depth(t, depth, row, is_run, z, stencil);
    if (st->is_always) { /* most volumes change what is before or after them alone */
        if (!((pass & (uint32_t)st->pass_changes[0]) | (covered & ~pass & (uint32_t)st->fail_changes[0])))
            return pass;
        old = load_stencils(row, is_run);
    }
    __m128i value = apply_op(face->pass, old, face);
    if (face->depth_fail != face->pass)
        value = _mm_mask_mov_epi8(apply_op(face->depth_fail, old, face), (__mmask16)pass, value);
    if (!st->is_always && (face->fail != face->pass || face->fail != face->depth_fail))
        value = _mm_mask_mov_epi8(apply_op(face->fail, old, face), (__mmask16)stencil, value);
    const __m128i written = _mm_maskz_set1_epi8((__mmask16)covered, (char)face->write_mask);
    store_stencils(row, is_run, _mm_ternarylogic_epi32(written, value, old, 0xca));
    return pass;
}

void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS])
{
    const __m128i one = _mm_set1_epi8(1); /* a mask has a byte for a pixel */
    const uint32_t covered = _mm_test_epi8_mask(_mm_loadu_si128((const void *)masks), one);
    __m512 depth = _mm512_setzero_ps();
    uint32_t pass;
    if (state->z_test) {
        depth = _mm512_castps128_ps512((__m128)z[0]);
        depth = _mm512_insertf32x4(depth, (__m128)z[1], 1);
        depth = _mm512_insertf32x4(depth, (__m128)z[2], 2);
        depth = _mm512_insertf32x4(depth, (__m128)z[3], 3);
    }
    if (!state->z_test)
        pass = test_pixels(t, st, DEPTH_NONE, row, false, depth, covered);
    else if (state->z_format == AMD_Z_FORMAT_24)
        pass = test_pixels(t, st, DEPTH_UNORM, row, false, depth, covered);
    else
        pass = test_pixels(t, st, DEPTH_FLOAT, row, false, depth, covered);
    _mm_storeu_si128((void *)masks, _mm_maskz_mov_epi8((__mmask16)pass, one));
}

/* ---- squares ---- */

/* Pixels of a square row by row to pixels quad by quad, and back: the middle pairs of two rows change places. */
static INLINE uint32_t swap_pairs(uint32_t pixels)
{
    const uint32_t other = (pixels ^ pixels >> 2) & 0x0c0c;
    return pixels ^ other ^ other << 2;
}

/* The depths of a square's pixels, quad by quad, of those of the columns and rows of quads that a block has. The sums
 * are those of depth_at. */
static INLINE __m512 depths_of(const struct db_test *t, __m512 columns, __m512 rows, unsigned square)
{
    const __m512 column = square % 2 ? _mm512_shuffle_f32x4(columns, columns, 0xee)
                                     : _mm512_shuffle_f32x4(columns, columns, 0x44),
                 row = square / 2 ? _mm512_shuffle_f32x4(rows, rows, 0xfa) : _mm512_shuffle_f32x4(rows, rows, 0x50);
    __m512 z = _mm512_add_ps(column, row);
    if (t->clamp) { /* NaN becomes the lower end */
        const __m512 low = _mm512_broadcast_f32x4((__m128)t->low), high = _mm512_broadcast_f32x4((__m128)t->high);
        z = _mm512_min_ps(_mm512_max_ps(z, low), high);
    }
    return z;
}

static INLINE uint64_t test_squares(const struct db_test *t, const struct stencil_test *st, enum depth depth,
                                    const struct db_squares *squares, uint64_t mask)
{
    const __m512 step = _mm512_set_ps(6, 6, 6, 6, 4, 4, 4, 4, 2, 2, 2, 2, 0, 0, 0, 0);
    const __m512 x = _mm512_add_ps(_mm512_add_ps(_mm512_set1_ps(squares->x), step),
                                   _mm512_broadcast_f32x4((__m128)squares->place_x)),
                 y = _mm512_add_ps(_mm512_add_ps(_mm512_set1_ps(squares->y), step),
                                   _mm512_broadcast_f32x4((__m128)squares->place_y));
    const __m512 columns = _mm512_add_ps(
                     _mm512_set1_ps(t->at[0]),
                     _mm512_mul_ps(_mm512_set1_ps(t->dx[0]), _mm512_sub_ps(x, _mm512_set1_ps(t->left[0])))),
                 rows = _mm512_mul_ps(_mm512_set1_ps(t->dy[0]), _mm512_sub_ps(y, _mm512_set1_ps(t->top[0])));
    uint64_t passed = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < DB_SQUARES; i++) {
        const uint64_t place = 0x0f0f0f0full << db_square_first(i);
        const uint32_t pixels = (uint32_t)_pext_u64(mask, place);
        if (!pixels)
            continue;
        const struct db_row row = {.s = {squares->s[i]}, .z = {squares->z[i]}};
        const __m512 z = depth == DEPTH_NONE ? _mm512_setzero_ps() : depths_of(t, columns, rows, i);
        passed |= _pdep_u64(swap_pairs(test_pixels(t, st, depth, &row, true, z, swap_pairs(pixels))), place);
    }
    return passed;
}

uint64_t amd_db_test_stencil_squares(const struct db_state *state, const struct db_test *t,
                                     const struct stencil_test *st, const struct db_squares *squares, uint64_t mask)
{
    switch (depth_of(state)) {
    case DEPTH_NONE:
        return test_squares(t, st, DEPTH_NONE, squares, mask);
    case DEPTH_UNORM:
        return test_squares(t, st, DEPTH_UNORM, squares, mask);
    case DEPTH_FLOAT_LESS:
        return test_squares(t, st, DEPTH_FLOAT_LESS, squares, mask);
    default:
        return test_squares(t, st, DEPTH_FLOAT, squares, mask);
    }
}

#endif
