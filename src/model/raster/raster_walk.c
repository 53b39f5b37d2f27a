/* Walks the blocks of a tile. */
#include "model/raster/raster.h"

#include <stdlib.h>
#include <string.h>

#include "model/lanes.h"
#include "util/bits.h"

#define PIXELS (RASTER_BLOCK * RASTER_BLOCK)

typedef uint32_t uint4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint16_t ushort8 __attribute__((vector_size(16)));

/* An edge that may cut the tile: values at the tile's first pixel, by pixel of a quad and sample, in
 * pixels of the edge's unit. */
struct cutter {
    int32_t a, b;
    int64_t low, high; /* of these: */
    int64_t at[4][RASTER_MAX_SAMPLES];
};

/* The least and the most that an edge grows over pixels to the right and down. */
static int64_t least(const struct cutter *cutter, int x, int y)
{
    return (int64_t)MIN2(cutter->a, 0) * x + (int64_t)MIN2(cutter->b, 0) * y;
}

static int64_t most(const struct cutter *cutter, int x, int y)
{
    return (int64_t)MAX2(cutter->a, 0) * x + (int64_t)MAX2(cutter->b, 0) * y;
}

/* From a pixel's corner to the corner that is farthest inside of an edge, or farthest outside. */
static int64_t conservative_step(const struct raster_coverage *state, const struct raster_edge *edge, int64_t one)
{
    int64_t a = state->conservative == RASTER_OVER ? MAX2(edge->a, 0) : MIN2(edge->a, 0);
    int64_t b = state->conservative == RASTER_OVER ? MAX2(edge->b, 0) : MIN2(edge->b, 0);
    return (a + b) * one;
}

/* The edges that the tile is not wholly inside of. Returns their number, or -1 when the tile is outside of one. */
static int find_cutters(const struct raster_coverage *state, const struct raster_prim *prim,
                        const struct raster_tile *tile, struct cutter *cutters)
{
    unsigned bits = prim->subpixel_bits;
    int64_t one = (int64_t)1 << bits, location = one >> RASTER_LOCATION_BITS;
    int count = 0;
    for (unsigned e = 0; e < prim->edge_count; e++) {
        const struct raster_edge *edge = &prim->edges[e];
        struct cutter *cutter = &cutters[count];
        int64_t corner = edge->a * one * tile->x + edge->b * one * tile->y + edge->c;
        cutter->a = edge->a;
        cutter->b = edge->b;
        cutter->low = INT64_MAX;
        cutter->high = INT64_MIN;
        bool conservative = state->conservative && prim->edge_count == 3;
        for (unsigned p = 0; p < (state->same_locations ? 1 : 4); p++) {
            for (unsigned s = 0; s < state->samples; s++) {
                int64_t inside = conservative
                                     ? conservative_step(state, edge, one)
                                     : edge->a * location * state->x[p][s] + edge->b * location * state->y[p][s];
                int64_t at = (corner + inside) >> bits;
                cutter->at[p][s] = at;
                cutter->low = MIN2(cutter->low, at);
                cutter->high = MAX2(cutter->high, at);
            }
        }
        if (cutter->high + most(cutter, tile->width - 1, tile->height - 1) < 0)
            return -1;
        if (cutter->low + least(cutter, tile->width - 1, tile->height - 1) < 0)
            count++;
    }
    return count;
}

/* Of those, the edges that may cut the block at (x, y) in the tile, for any sample. Returns their number, or -1 when
 * the block is outside of one. */
static int find_block_cutters(const struct cutter *cutters, int count, int x, int y,
                              const struct cutter *found[RASTER_MAX_EDGES])
{
    int left = 0;
    for (int c = 0; c < count; c++) {
        const struct cutter *cutter = &cutters[c];
        int64_t step = (int64_t)cutter->a * x + (int64_t)cutter->b * y;
        if (cutter->high + step + most(cutter, RASTER_BLOCK - 1, RASTER_BLOCK - 1) < 0)
            return -1;
        found[left] = cutter;
        left += cutter->low + step + least(cutter, RASTER_BLOCK - 1, RASTER_BLOCK - 1) < 0;
    }
    return left;
}

/* Add what an edge says of a block: four pixels a vector, two vectors a row; negative is outside. `at` are the values
 * of the first quad's pixels. The edge crosses the block for some sample, so its values here are smaller than its
 * growth over a few pixels: they fit. */
static void cut_block(const struct cutter *cutter, const int64_t at[4], uint4 outside[PIXELS / 4])
{
    uint32_t a = (uint32_t)cutter->a, b = (uint32_t)cutter->b;
    uint32_t first = (uint32_t)at[0], second = (uint32_t)at[1], third = (uint32_t)at[2], fourth = (uint32_t)at[3];
    uint4 ramp = {0, a, 2 * a, 3 * a}, even = (uint4){first, second, first, second} + ramp,
          odd = (uint4){third, fourth, third, fourth} + ramp + b;
    uint4 row[4] = {even, even + 4 * a, odd, odd + 4 * a};
    for (unsigned i = 0; i < PIXELS / 4; i += 4) {
        for (unsigned k = 0; k < 4; k++) {
            outside[i + k] |= row[k];
            row[k] += 2 * b;
        }
    }
}

/* One bit for each negative number of a block. Not by way of memory, where vectors of other sizes would wait for stores. */
static inline uint64_t signs_of_block(const uint4 outside[PIXELS / 4])
{
#if defined(__SSE2__)
    uint64_t signs = 0;
    for (unsigned i = 0; i < PIXELS / 4; i += 4) {
        const __m128i low = _mm_packs_epi32((__m128i)outside[i], (__m128i)outside[i + 1]),
                      high = _mm_packs_epi32((__m128i)outside[i + 2], (__m128i)outside[i + 3]);
        signs |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << 4 * i;
    }
    return signs;
#else
    uint4 lanes[PIXELS / 4];
    for (unsigned i = 0; i < PIXELS / 4; i++)
        lanes[i] = (uint4)((int4)outside[i] < 0); /* whole lanes, as masks are made of */
    return lanes_to_mask((const uint32_t *)lanes, PIXELS);
#endif
}

/* One bit per pixel of the block at (x, y) in the tile, for one sample. */
static uint64_t cover(const struct raster_coverage *state, const struct cutter *const *cutters, int count, int x, int y,
                      unsigned sample)
{
    uint4 outside[PIXELS / 4] = {{0}};
    for (int c = 0; c < count; c++) {
        const struct cutter *cutter = cutters[c];
        int64_t step = (int64_t)cutter->a * x + (int64_t)cutter->b * y, at[4];
        for (unsigned p = 0; p < 4; p++)
            at[p] = cutter->at[state->same_locations ? 0 : p][sample] + step;
        cut_block(cutter, at, outside);
    }
    return ~signs_of_block(outside);
}

/* ---- small primitives ---- */

/* An edge that crosses a block for some sample grows from there by 8 pixels each way at most: where that fits into 16
 * bits, a vector is a row. Most primitives are so small, and their edges grow so little. */
static bool fits_16_bits(const struct cutter *cutters, int count)
{
    for (int c = 0; c < count; c++) {
        if (((int64_t)abs(cutters[c].a) + abs(cutters[c].b)) * RASTER_BLOCK > INT16_MAX)
            return false;
    }
    return true;
}

/* One bit for each negative number of 16 bits. */
static inline uint64_t signs_of_rows(const ushort8 rows[RASTER_BLOCK])
{
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
    for (unsigned i = 0; i < PIXELS; i++)
        signs |= (uint64_t)(rows[i / RASTER_BLOCK][i % RASTER_BLOCK] >> 15) << i;
    return signs;
#endif
}

/* `cover` for edges that fit, of pixels that all have their samples at the same places. */
static uint64_t cover_small(const struct cutter *const *cutters, int count, int x, int y, unsigned sample)
{
    const ushort8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
    ushort8 outside[RASTER_BLOCK] = {{0}};
    for (int c = 0; c < count; c++) {
        int32_t a = cutters[c]->a, b = cutters[c]->b;
        int32_t at =
            (int32_t)cutters[c]->at[0][sample] + a * x + b * y; /* it may cut the tile, so that it is not far */
        ushort8 row = (uint16_t)at + (uint16_t)a * ramp;
        for (unsigned i = 0; i < RASTER_BLOCK; i++) {
            outside[i] |= row;
            row += (uint16_t)b;
        }
    }
    return ~signs_of_rows(outside);
}

/* What of a primitive's bounds is in the tile, from the tile's corner. */
struct bounds {
    int x0, y0, x1, y1;
};

/* One bit per pixel of the block at (x, y) of the tile that lies within them. */
static uint64_t bounds_mask(const struct bounds *bounds, int x, int y)
{
    int x0 = MAX2(bounds->x0 - x, 0), x1 = MIN2(bounds->x1 - x, RASTER_BLOCK), y0 = MAX2(bounds->y0 - y, 0),
        y1 = MIN2(bounds->y1 - y, RASTER_BLOCK);
    if (x0 >= x1 || y0 >= y1)
        return 0;
    uint64_t row = bits_mask((unsigned)x1) & ~bits_mask((unsigned)x0);
    uint64_t rows = bits_mask((unsigned)y1 * RASTER_BLOCK) & ~bits_mask((unsigned)y0 * RASTER_BLOCK);
    return row * 0x0101010101010101ull & rows;
}

/* Where blocks begin, along an axis: what one block can hold begins with its first quad, all else with a block of the
 * tile. */
static int first_block(int first, int end)
{
    return end - (first & -2) <= RASTER_BLOCK ? first & -2 : first & -RASTER_BLOCK;
}

/* Two pixels of a row in the lowest bits of two bytes. */
static inline uint32_t spread_pair(uint64_t bits)
{
    return (uint32_t)(bits & 3) * 0x81u & 0x101u;
}

/* The covered samples of a quad that is wholly covered. */
static uint32_t whole_coverage(const struct raster_coverage *state)
{
    return (uint32_t)bits_mask(state->samples) * 0x01010101u;
}

/* What the quads of a block have in common: the mask of a quad that is wholly covered. */
static uint32_t whole_quad(const struct raster_coverage *state)
{
    return state->spread ? state->spread : whole_coverage(state);
}

/* Bytes that are not 0, all bits of each. */
static inline uint32_t whole_bytes(uint32_t bits)
{
    bits |= bits >> 4;
    bits |= bits >> 2;
    bits |= bits >> 1;
    return (bits & 0x01010101u) * 0xff;
}

/* Field by field: a whole struct would be put together on the stack. */
static inline void set_quad(const struct raster_coverage *state, struct raster_quad *quad,
                            const struct raster_prim *prim, int32_t x, int32_t y, uint32_t mask, uint32_t covered)
{
    quad->prim = prim;
    quad->x = (uint16_t)x;
    quad->y = (uint16_t)y;
    quad->mask = mask;
    quad->coverage = state->samples == 1 ? mask : covered;
    quad->iteration = 0;
}

/* A block that is covered from its first to its last sample. */
static void emit_whole_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                             struct raster_quads *out)
{
    struct raster_quad *quad = out->quads + out->count;
    const uint32_t mask = whole_quad(state), covered = whole_coverage(state);
    for (int row = 0; row < RASTER_BLOCK; row += 2) {
        for (int column = 0; column < RASTER_BLOCK; column += 2)
            set_quad(state, quad++, prim, x + column, y + row, mask, covered);
    }
    out->count += PIXELS / 4;
}

/* `any` and `all`: pixels of which some samples are covered, or every one. */
static void emit_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                       const uint64_t *masks, uint64_t any, uint64_t all, struct raster_quads *out)
{
    struct raster_quad *quad = out->quads + out->count;
    const uint32_t whole = whole_quad(state), whole_covered = whole_coverage(state);
    any |= any >> 1;
    any |= any >> RASTER_BLOCK;
    all &= all >> 1;
    all &= all >> RASTER_BLOCK;
    bits_foreach (any & 0x0055005500550055ull, first) { /* the first pixels of quads */
        uint32_t mask = whole, covered = whole_covered;
        if (!(all >> first & 1)) {
            covered = 0;
            for (unsigned s = 0; s < state->samples; s++) {
                uint64_t bits = masks[s] >> first;
                covered |= (spread_pair(bits) | spread_pair(bits >> RASTER_BLOCK) << 16) << s;
            }
            mask = state->spread ? whole_bytes(covered) & state->spread : covered;
        }
        if (mask)
            set_quad(state, quad++, prim, x + (int32_t)(first % RASTER_BLOCK), y + (int32_t)(first / RASTER_BLOCK),
                     mask, covered);
    }
    out->count = (uint32_t)(quad - out->quads);
}

/* The block at (x, y) in the tile, of which something is covered. */
static void emit(const struct raster_coverage *state, const struct raster_prim *prim, const struct raster_tile *tile,
                 int x, int y, const uint64_t *masks, uint64_t any, uint64_t all, struct raster_quads *out)
{
    const bool whole = all == UINT64_MAX && whole_quad(state);
    if (whole && out->takes_blocks && !((x | y) % RASTER_BLOCK))
        out->blocks |= 1ull << (y + x / RASTER_BLOCK);
    else if (whole)
        emit_whole_block(state, prim, tile->x + x, tile->y + y, out);
    else
        emit_block(state, prim, tile->x + x, tile->y + y, masks, any, all, out);
}

/* The sample mask of the registers, one bit per pixel for each sample. */
static uint64_t enabled_pixels(const struct raster_coverage *state, unsigned sample)
{
    uint64_t quad = 0;
    for (unsigned p = 0; p < 4; p++)
        quad |= (uint64_t)(state->sample_mask[p] >> sample & 1) << (p & 1) << (p / 2 * RASTER_BLOCK);
    return quad * 0x55u * 0x0001000100010001ull; /* 2 by 2 to 8 by 2 to 8 by 8: the copies do not overlap */
}

/* A tile that no edge cuts, of whole blocks that are all given as such: one bit for each. */
static uint64_t blocks_of_tile(const struct raster_tile *tile)
{
    const uint64_t row = bits_mask((unsigned)tile->width / RASTER_BLOCK);
    return row * 0x0101010101010101ull & bits_mask((unsigned)tile->height / RASTER_BLOCK * RASTER_BLOCK);
}

/* A primitive of a few pixels: one block holds what of it is in the tile, and every edge is looked at there alone.
 * False: it is not so, or an edge does not fit into 16 bits; nothing was done. */
static bool walk_few_pixels(const struct raster_coverage *state, const struct raster_prim *prim,
                            const struct raster_tile *tile, const struct bounds *bounds, struct raster_quads *out)
{
    const int x = bounds->x0 & -2, y = bounds->y0 & -2;
    if (bounds->x1 - x > RASTER_BLOCK || bounds->y1 - y > RASTER_BLOCK || state->samples != 1 ||
        !state->same_locations || state->conservative || raster_has_cuts(state, prim))
        return false;
    const ushort8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
    const unsigned bits = prim->subpixel_bits;
    const int64_t one = (int64_t)1 << bits, location = one >> RASTER_LOCATION_BITS;
    const int64_t sample_x = one * (tile->x + x) + location * state->x[0][0],
                  sample_y = one * (tile->y + y) + location * state->y[0][0];
    ushort8 outside[RASTER_BLOCK] = {{0}};
    for (unsigned e = 0; e < prim->edge_count; e++) {
        const struct raster_edge *edge = &prim->edges[e];
        const int64_t at = (edge->a * sample_x + edge->b * sample_y + edge->c) >> bits, a = edge->a, b = edge->b;
        const int64_t high = at + (MAX2(a, 0) + MAX2(b, 0)) * (RASTER_BLOCK - 1),
                      low = at + (MIN2(a, 0) + MIN2(b, 0)) * (RASTER_BLOCK - 1);
        if (high < 0)
            return true;
        if (low >= 0)
            continue;
        if (high - low > INT16_MAX)
            return false;
        ushort8 row = (uint16_t)at + (uint16_t)a * ramp;
        for (unsigned i = 0; i < RASTER_BLOCK; i++) {
            outside[i] |= row;
            row += (uint16_t)b;
        }
    }
    uint64_t mask = ~signs_of_rows(outside) & bounds_mask(bounds, x, y) & enabled_pixels(state, 0);
    if (mask)
        emit(state, prim, tile, x, y, &mask, mask, mask, out);
    return true;
}

void raster_walk_tile(const struct raster_coverage *state, const struct raster_prim *prim,
                      const struct raster_tile *tile, struct raster_quads *out)
{
    const int32_t left = tile->x, top = tile->y;
    const struct bounds bounds = {MAX2(prim->x0 - left, 0), MAX2(prim->y0 - top, 0), MIN2(prim->x1 - left, tile->width),
                                  MIN2(prim->y1 - top, tile->height)};
    if (walk_few_pixels(state, prim, tile, &bounds, out))
        return;
    struct cutter cutters[RASTER_MAX_EDGES];
    int count = find_cutters(state, prim, tile, cutters);
    if (count < 0)
        return;
    bool small = state->same_locations && fits_16_bits(cutters, count);
    const bool whole = whole_quad(state) != 0;
    uint64_t enabled[RASTER_MAX_SAMPLES];
    bool all_enabled = true;
    for (unsigned s = 0; s < state->samples; s++) {
        enabled[s] = enabled_pixels(state, s);
        all_enabled &= enabled[s] == UINT64_MAX;
    }

    const bool bounded = bounds.x0 == 0 && bounds.y0 == 0 && bounds.x1 == tile->width && bounds.y1 == tile->height &&
                         !((tile->width | tile->height) % RASTER_BLOCK);
    if (!count && bounded && whole && all_enabled && out->takes_blocks && !raster_has_cuts(state, prim)) {
        out->blocks |= blocks_of_tile(tile);
        return;
    }
    for (int y = first_block(bounds.y0, bounds.y1); y < bounds.y1; y += RASTER_BLOCK) {
        for (int x = first_block(bounds.x0, bounds.x1); x < bounds.x1; x += RASTER_BLOCK) {
            uint64_t masks[RASTER_MAX_SAMPLES], any = 0, all = UINT64_MAX;
            const struct cutter *found[RASTER_MAX_EDGES];
            int edges = find_block_cutters(cutters, count, x, y, found);
            if (edges < 0)
                continue;
            uint64_t within = bounded ? UINT64_MAX : bounds_mask(&bounds, x, y);
            if (raster_has_cuts(state, prim))
                within &= raster_cut_block(state, prim, left + x, top + y);
            for (unsigned s = 0; s < state->samples; s++) {
                masks[s] = within & enabled[s];
                if (masks[s] && edges)
                    masks[s] &= small ? cover_small(found, edges, x, y, s) : cover(state, found, edges, x, y, s);
                any |= masks[s];
                all &= masks[s];
            }
            if (any)
                emit(state, prim, tile, x, y, masks, any, all, out);
        }
    }
}
