/* Where linear functions are negative on a grid of 8 by 8 places, a bit each, row by row: edges over the pixels of a
 * block, or over the blocks of a tile. It is written for each kind of host, since compilers make masks of signs badly.
 * For raster_walk.c alone.
 *
 * A function is its value at the first place and what it grows by to the right and down. Values wrap: the caller knows
 * that those of the grid fit. */
#ifndef MODEL_RASTER_SIGNS_H
#define MODEL_RASTER_SIGNS_H

#include <stdint.h>

#include "model/lanes.h"
#include "util/intrinsics.h"

#define GRID 8
#define GRID_INLINE static inline __attribute__((always_inline))

typedef uint32_t uint4 __attribute__((vector_size(16)));
typedef uint16_t ushort8 __attribute__((vector_size(16)));

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)

/* ---- a vector is two rows of words or four of halves ---- */

typedef uint32_t two_rows __attribute__((vector_size(64)));
typedef uint16_t four_rows __attribute__((vector_size(64)));

/* Functions of 16 bits, together: the places where one of them is negative. */
struct grid_halves {
    four_rows rows[2];
};

GRID_INLINE void grid_halves_add(struct grid_halves *outside, uint16_t at, uint16_t a, uint16_t b)
{
    const four_rows column = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
                              0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
                    row = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                           2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
                    first = at + a * column + b * row;
    outside->rows[0] |= first;
    outside->rows[1] |= first + (uint16_t)(4 * b);
}

GRID_INLINE uint64_t grid_halves_signs(const struct grid_halves *outside)
{
    return _mm512_movepi16_mask((__m512i)outside->rows[0]) | (uint64_t)_mm512_movepi16_mask((__m512i)outside->rows[1])
                                                                 << 32;
}

/* A grid's signs in 32 bits. */
struct grid_words {
    two_rows rows[4];
};

GRID_INLINE two_rows grid_ramp(uint32_t a, uint32_t b)
{
    const two_rows column = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
                   row = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    return a * column + b * row;
}

GRID_INLINE void grid_words_put(struct grid_words *outside, two_rows first, uint32_t b)
{
    for (unsigned i = 0; i < GRID / 2; i++)
        outside->rows[i] |= first + 2 * i * b;
}

/* One whose first value depends on the place in each two by two. */
GRID_INLINE void grid_words_add(struct grid_words *outside, const uint32_t at[4], uint32_t a, uint32_t b)
{
    const uint4 four = {at[0], at[1], at[2], at[3]};
    const __m512i place = _mm512_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3);
    grid_words_put(
        outside, (two_rows)_mm512_permutexvar_epi32(place, _mm512_castsi128_si512((__m128i)four)) + grid_ramp(a, b), b);
}

GRID_INLINE uint64_t grid_words_signs(const struct grid_words *outside)
{
    uint64_t signs = 0;
    for (unsigned i = 0; i < GRID / 2; i++)
        signs |= (uint64_t)_mm512_movepi32_mask((__m512i)outside->rows[i]) << 16 * i;
    return signs;
}

/* One alone, at the places of the first `rows` rows at least. */
GRID_INLINE uint64_t grid_signs(uint32_t at, uint32_t a, uint32_t b, unsigned rows)
{
    struct grid_words outside = {{{0}}};
    grid_words_put(&outside, at + grid_ramp(a, b), b);
    return grid_words_signs(&outside);
}

#else

/* ---- a vector is a row of halves ---- */

struct grid_halves {
    ushort8 rows[GRID];
};

GRID_INLINE void grid_halves_add(struct grid_halves *outside, uint16_t at, uint16_t a, uint16_t b)
{
    const ushort8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
    ushort8 row = at + a * ramp;
    for (unsigned i = 0; i < GRID; i++) {
        outside->rows[i] |= row;
        row += b;
    }
}

GRID_INLINE uint64_t grid_halves_signs(const struct grid_halves *outside)
{
    const ushort8 *rows = outside->rows;
#if defined(__aarch64__)
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t pair[4];
    for (unsigned i = 0; i < 4; i++) {
        int8x16_t high = vuzp2q_s8((int8x16_t)rows[2 * i], (int8x16_t)rows[2 * i + 1]);
        pair[i] = vandq_u8(vcltzq_s8(high), bits);
    }
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(pair[0], pair[1]), vpaddq_u8(pair[2], pair[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
#elif defined(__SSE2__)
    uint64_t signs = 0;
    for (unsigned i = 0; i < 4; i++)
        signs |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)rows[2 * i], (__m128i)rows[2 * i + 1]))
                 << 16 * i;
    return signs;
#else
    uint64_t signs = 0;
    for (unsigned i = 0; i < GRID * GRID; i++)
        signs |= (uint64_t)(rows[i / GRID][i % GRID] >> 15) << i;
    return signs;
#endif
}

/* The upper halves of eight numbers, which have their signs. */
GRID_INLINE ushort8 grid_upper_halves(uint4 first, uint4 second)
{
#if defined(__SSE2__)
    return (ushort8)_mm_packs_epi32((__m128i)first, (__m128i)second);
#else
    return __builtin_shufflevector((ushort8)first, (ushort8)second, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

struct grid_words {
    struct grid_halves upper;
};

GRID_INLINE void grid_words_add(struct grid_words *outside, const uint32_t at[4], uint32_t a, uint32_t b)
{
    ushort8 *rows = outside->upper.rows;
    uint4 ramp = {0, a, 2 * a, 3 * a}, even = (uint4){at[0], at[1], at[0], at[1]} + ramp,
          odd = (uint4){at[2], at[3], at[2], at[3]} + ramp + b;
    for (unsigned i = 0; i < GRID; i += 2) {
        rows[i] |= grid_upper_halves(even, even + 4 * a);
        rows[i + 1] |= grid_upper_halves(odd, odd + 4 * a);
        even += 2 * b;
        odd += 2 * b;
    }
}

GRID_INLINE uint64_t grid_words_signs(const struct grid_words *outside)
{
    return grid_halves_signs(&outside->upper);
}

/* One bit for each negative number of eight. */
GRID_INLINE uint32_t grid_signs_of_eight(uint4 first, uint4 second)
{
    const ushort8 halves = grid_upper_halves(first, second);
#if defined(__aarch64__)
    const uint16x8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(vcltzq_s16((int16x8_t)halves), bits));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)halves, (__m128i)halves)) & 0xff;
#else
    uint32_t signs = 0;
    for (unsigned i = 0; i < 8; i++)
        signs |= (uint32_t)(halves[i] >> 15) << i;
    return signs;
#endif
}

GRID_INLINE uint64_t grid_signs(uint32_t at, uint32_t a, uint32_t b, unsigned rows)
{
    const uint4 ramp = {0, a, 2 * a, 3 * a};
    uint4 first = at + ramp, second = first + 4 * a;
    uint64_t signs = 0;
    for (unsigned i = 0; i < rows; i++) {
        signs |= (uint64_t)grid_signs_of_eight(first, second) << GRID * i;
        first += b;
        second += b;
    }
    return signs;
}

#endif

#endif
