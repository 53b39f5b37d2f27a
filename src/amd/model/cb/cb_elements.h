/* Elements of one size between memory and rows of dwords: the two of a quad's row or all four, by the equation
 * (cb_raw.c). Not for: where quads and blocks are. */
#ifndef AMD_MODEL_CB_ELEMENTS_H
#define AMD_MODEL_CB_ELEMENTS_H

#include <string.h>
#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

#include "amd/model/cb/cb.h"
#include "amd/model/sq/sq_quads.h"
#include "model/pixel/pixel_elements.h"

/* ---- two dwords: both elements of a quad's row at once, where they are neighbours ---- */

static inline bool has_pairs(const struct cb_surface *surface, unsigned element_B)
{
    return element_B == 8 && surface->quad_xor[1] == 8;
}

/* Elements of `pixels`, a bit each. */
#if defined(__AVX512VL__)
#define IS_WHOLE(pixels) false /* which it is cannot be predicted by the host */
static inline void put_row(uint8_t *at, sq_quad row, uint32_t pixels)
{
    _mm_mask_storeu_epi64(at, (__mmask8)pixels, (__m128i)row);
}
#else
#define IS_WHOLE(pixels) ((pixels) == 15)
static inline void put_row(uint8_t *at, sq_quad row, uint32_t pixels)
{
    const uint32_t first = -(pixels & 1), second = -(pixels >> 1 & 1);
    const sq_quad mask = {first, first, second, second}; /* what is there is written back for the others */
    sq_quad_store(at, (row & mask) | (sq_quad_load(at) & ~mask));
}
#endif

/* Of a whole quad, or of some of its pixels. */
static inline __attribute__((always_inline)) void put_pairs(const struct cb_surface *surface, uint8_t *host,
                                                            uint32_t low, const uint32_t (*rows)[CB_MAX_LANES],
                                                            uint32_t lane, bool is_whole, uint32_t pixels)
{
    const sq_quad a = sq_quad_load(rows[0] + lane), b = sq_quad_load(rows[1] + lane),
                  top = __builtin_shufflevector(a, b, 0, 4, 1, 5), bottom = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    uint8_t *at = host + low, *below = host + (low ^ surface->quad_xor[2]);
    if (is_whole) {
        sq_quad_store(at, top);
        sq_quad_store(below, bottom);
    } else {
        put_row(at, top, pixels);
        put_row(below, bottom, pixels >> 2);
    }
}

static inline void get_pairs(const struct cb_surface *surface, const uint8_t *host, uint32_t low,
                             uint32_t (*rows)[CB_MAX_LANES], uint32_t lane)
{
    const sq_quad top = sq_quad_load(host + low), bottom = sq_quad_load(host + (low ^ surface->quad_xor[2]));
    sq_quad_store(rows[0] + lane, __builtin_shufflevector(top, bottom, 0, 2, 4, 6));
    sq_quad_store(rows[1] + lane, __builtin_shufflevector(top, bottom, 1, 3, 5, 7));
}

/* ---- four dwords: a quad's rows transposed ---- */

static inline void put_fours(const struct cb_surface *surface, uint8_t *host, uint32_t low,
                             const uint32_t (*rows)[CB_MAX_LANES], uint32_t lane)
{
    const sq_quad in[4] = {sq_quad_load(rows[0] + lane), sq_quad_load(rows[1] + lane), sq_quad_load(rows[2] + lane),
                           sq_quad_load(rows[3] + lane)};
    sq_quad out[4];
    pixel_fours_transpose(in, out);
    for (unsigned p = 0; p < 4; p++)
        sq_quad_store(host + (low ^ surface->quad_xor[p]), out[p]);
}

static inline void get_fours(const struct cb_surface *surface, const uint8_t *host, uint32_t low,
                             uint32_t (*rows)[CB_MAX_LANES], uint32_t lane)
{
    sq_quad in[4], out[4];
    for (unsigned p = 0; p < 4; p++)
        in[p] = sq_quad_load(host + (low ^ surface->quad_xor[p]));
    pixel_fours_transpose(in, out);
    for (unsigned i = 0; i < 4; i++)
        sq_quad_store(rows[i] + lane, out[i]);
}

#endif
