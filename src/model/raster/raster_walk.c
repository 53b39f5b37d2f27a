/* Walks the blocks of a tile. */
#include "model/raster/raster.h"

#include <stdlib.h>
#include <string.h>

#include "model/raster/raster_signs.h"
#include "util/bits.h"

_Static_assert(RASTER_BLOCK == GRID, "the pixels of a block are a grid");

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

/* The edges of those that may cut the block at (x, y) in the tile, for any sample. Returns their number, or -1 when
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

/* ---- the blocks of a tile at once ---- */

/* Eight by eight blocks, a bit each: those that are outside of no edge, and those that an edge may cut. */
struct blocks {
    uint64_t inside;
    uint64_t cut[RASTER_MAX_EDGES];
};

/* An edge that may cut a tile is not far from it: in tiles of this size its values have 32 bits if it grows no
 * faster. */
#define GRID_TILE 64
#define GRID_WORTH 16 /* pixels of width, from which on more than a few blocks are looked at */
#define GRID_GROWTH (1 << 23)

static bool fits_grid(const struct raster_tile *tile, const struct cutter *cutters, int count)
{
    int64_t most_growth = 0;
    for (int c = 0; c < count; c++)
        most_growth = MAX2(most_growth, (int64_t)abs(cutters[c].a) + abs(cutters[c].b));
    return tile->width <= GRID_TILE && tile->height <= GRID_TILE && most_growth < GRID_GROWTH;
}

/* find_block_cutters of the blocks from (x, y) on, of `rows` rows. */
static void find_blocks(const struct cutter *cutters, int count, int x, int y, unsigned rows, struct blocks *blocks)
{
    uint64_t outside = 0;
    for (int c = 0; c < count; c++) {
        const struct cutter *cutter = &cutters[c];
        const uint32_t a = (uint32_t)cutter->a * RASTER_BLOCK, b = (uint32_t)cutter->b * RASTER_BLOCK,
                       at = (uint32_t)cutter->a * (uint32_t)x + (uint32_t)cutter->b * (uint32_t)y,
                       low = at + (uint32_t)(cutter->low + least(cutter, RASTER_BLOCK - 1, RASTER_BLOCK - 1)),
                       high = at + (uint32_t)(cutter->high + most(cutter, RASTER_BLOCK - 1, RASTER_BLOCK - 1));
        outside |= grid_signs(high, a, b, rows);
        blocks->cut[c] = grid_signs(low, a, b, rows);
    }
    blocks->inside = ~outside;
}

/* Of one of them, the edges that may cut it. Returns their number. */
static inline int cutters_of(const struct blocks *blocks, unsigned block, const struct cutter *cutters, int count,
                             const struct cutter *found[RASTER_MAX_EDGES])
{
    int left = 0;
    for (int c = 0; c < count; c++) {
        found[left] = &cutters[c];
        left += blocks->cut[c] >> block & 1;
    }
    return left;
}

/* ---- pixels of a block ---- */

/* One bit per pixel of the block at (x, y) in the tile, for one sample. Edges cross the block for some sample, so their
 * values here are smaller than their growth over a few pixels: they fit. */
static uint64_t cover(const struct raster_coverage *state, const struct cutter *const *cutters, int count, int x, int y,
                      unsigned sample)
{
    struct grid_words outside = {0};
    for (int c = 0; c < count; c++) {
        const struct cutter *cutter = cutters[c];
        const uint32_t a = (uint32_t)cutter->a, b = (uint32_t)cutter->b, step = a * (uint32_t)x + b * (uint32_t)y;
        uint32_t at[4];
        for (unsigned p = 0; p < 4; p++)
            at[p] = (uint32_t)cutter->at[state->same_locations ? 0 : p][sample] + step;
        grid_words_add(&outside, at, a, b);
    }
    return ~grid_words_signs(&outside);
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

/* `cover` for edges that fit, of pixels that all have their samples at the same places. */
static uint64_t cover_small(const struct cutter *const *cutters, int count, int x, int y, unsigned sample)
{
    struct grid_halves outside = {0};
    for (int c = 0; c < count; c++) {
        int32_t a = cutters[c]->a, b = cutters[c]->b;
        int32_t at =
            (int32_t)cutters[c]->at[0][sample] + a * x + b * y; /* it may cut the tile, so that it is not far */
        grid_halves_add(&outside, (uint16_t)at, (uint16_t)a, (uint16_t)b);
    }
    return ~grid_halves_signs(&outside);
}

/* The part of a primitive's bounds in the tile, from the tile's corner. */
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
    /* what one block of the tile can hold may be a part of it */
    const bool is_part = out->masks && out->wants_no_quads && !((bounds->x0 ^ (bounds->x1 - 1)) / RASTER_BLOCK) &&
                         !((bounds->y0 ^ (bounds->y1 - 1)) / RASTER_BLOCK);
    const int unit = is_part ? RASTER_BLOCK : 2, x = bounds->x0 & -unit, y = bounds->y0 & -unit;
    if (bounds->x1 - x > RASTER_BLOCK || bounds->y1 - y > RASTER_BLOCK || state->samples != 1 ||
        !state->same_locations || state->conservative || raster_has_cuts(state, prim))
        return false;
    const unsigned bits = prim->subpixel_bits;
    const int64_t one = (int64_t)1 << bits, location = one >> RASTER_LOCATION_BITS;
    const int64_t sample_x = one * (tile->x + x) + location * state->x[0][0],
                  sample_y = one * (tile->y + y) + location * state->y[0][0];
    struct grid_halves outside = {0};
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
        grid_halves_add(&outside, (uint16_t)at, (uint16_t)a, (uint16_t)b);
    }
    uint64_t mask = ~grid_halves_signs(&outside) & bounds_mask(bounds, x, y) & enabled_pixels(state, 0);
    if (mask)
        raster_emit(state, prim, tile, x, y, &mask, mask, mask, out);
    return true;
}

/* The common part of a primitive's blocks in a tile. */
struct walk {
    const struct raster_coverage *state;
    const struct raster_prim *prim;
    const struct raster_tile *tile;
    struct bounds bounds;
    bool is_bounded; /* the bounds are those of the tile, and of whole blocks */
    bool is_small;   /* edges fit into 16 bits */
    bool has_cuts;
    uint64_t enabled[RASTER_MAX_SAMPLES];
    struct raster_quads *out;
};

/* The block at (x, y) in the tile, which some edges may cut. */
static void walk_block(const struct walk *w, int x, int y, const struct cutter *const *cutters, int count)
{
    uint64_t masks[RASTER_MAX_SAMPLES], any = 0, all = UINT64_MAX;
    uint64_t within = w->is_bounded ? UINT64_MAX : bounds_mask(&w->bounds, x, y);
    if (w->has_cuts)
        within &= raster_cut_block(w->state, w->prim, w->tile->x + x, w->tile->y + y);
    for (unsigned s = 0; s < w->state->samples; s++) {
        masks[s] = within & w->enabled[s];
        if (masks[s] && count)
            masks[s] &= w->is_small ? cover_small(cutters, count, x, y, s) : cover(w->state, cutters, count, x, y, s);
        any |= masks[s];
        all &= masks[s];
    }
    if (any)
        raster_emit(w->state, w->prim, w->tile, x, y, masks, any, all, w->out);
}

/* Block by block. */
static void walk_blocks(const struct walk *w, const struct cutter *cutters, int count)
{
    for (int y = first_block(w->bounds.y0, w->bounds.y1); y < w->bounds.y1; y += RASTER_BLOCK) {
        for (int x = first_block(w->bounds.x0, w->bounds.x1); x < w->bounds.x1; x += RASTER_BLOCK) {
            const struct cutter *found[RASTER_MAX_EDGES];
            const int edges = find_block_cutters(cutters, count, x, y, found);
            if (edges >= 0)
                walk_block(w, x, y, found, edges);
        }
    }
}

/* All that are in the bounds at once. `takes_inner`: those that no edge cuts are taken as blocks. */
static void walk_grid(const struct walk *w, const struct cutter *cutters, int count, bool takes_inner)
{
    const int x0 = first_block(w->bounds.x0, w->bounds.x1), y0 = first_block(w->bounds.y0, w->bounds.y1);
    const unsigned columns = (unsigned)(w->bounds.x1 - x0 + RASTER_BLOCK - 1) / RASTER_BLOCK,
                   rows = (unsigned)(w->bounds.y1 - y0 + RASTER_BLOCK - 1) / RASTER_BLOCK;
    struct blocks blocks;
    uint64_t cut = 0;
    find_blocks(cutters, count, x0, y0, rows, &blocks);
    uint64_t left = blocks.inside & bits_mask(columns) * 0x0101010101010101ull & bits_mask(rows * GRID);
    for (int c = 0; c < count; c++)
        cut |= blocks.cut[c];
    if (takes_inner) { /* the bounds are those of the tile, and its blocks numbered alike */
        w->out->blocks |= left & ~cut;
        left &= cut;
    }
    bits_foreach (left, i) {
        const struct cutter *found[RASTER_MAX_EDGES];
        const int edges = cutters_of(&blocks, (unsigned)i, cutters, count, found);
        walk_block(w, x0 + i % GRID * RASTER_BLOCK, y0 + i / GRID * RASTER_BLOCK, found, edges);
    }
}

void raster_walk_tile(const struct raster_coverage *state, const struct raster_prim *prim,
                      const struct raster_tile *tile, struct raster_quads *out)
{
    const int32_t left = tile->x, top = tile->y;
    struct walk w = {.state = state, .prim = prim, .tile = tile, .out = out};
    w.bounds = (struct bounds){MAX2(prim->x0 - left, 0), MAX2(prim->y0 - top, 0), MIN2(prim->x1 - left, tile->width),
                               MIN2(prim->y1 - top, tile->height)};
    if (walk_few_pixels(state, prim, tile, &w.bounds, out))
        return;
    struct cutter cutters[RASTER_MAX_EDGES];
    int count = find_cutters(state, prim, tile, cutters);
    if (count < 0)
        return;
    w.is_small = state->same_locations && fits_16_bits(cutters, count);
    w.has_cuts = raster_has_cuts(state, prim);
    bool all_enabled = true;
    for (unsigned s = 0; s < state->samples; s++) {
        w.enabled[s] = enabled_pixels(state, s);
        all_enabled &= w.enabled[s] == UINT64_MAX;
    }

    w.is_bounded = w.bounds.x0 == 0 && w.bounds.y0 == 0 && w.bounds.x1 == tile->width && w.bounds.y1 == tile->height &&
                   !((tile->width | tile->height) % RASTER_BLOCK);
    const bool takes_inner =
        w.is_bounded && raster_whole_quad(state) && all_enabled && out->takes_blocks && !w.has_cuts;
    if (!count && takes_inner)
        out->blocks |= blocks_of_tile(tile);
    else if (w.bounds.x1 - w.bounds.x0 > GRID_WORTH && w.bounds.y1 > w.bounds.y0 && fits_grid(tile, cutters, count))
        walk_grid(&w, cutters, count, takes_inner);
    else
        walk_blocks(&w, cutters, count);
}

enum raster_share raster_share(const struct raster_coverage *state, const struct raster_prim *prim,
                               const struct raster_tile *rect)
{
    const int32_t right = rect->x + rect->width, bottom = rect->y + rect->height;
    struct cutter cutters[RASTER_MAX_EDGES];
    if (prim->x0 >= right || prim->x1 <= rect->x || prim->y0 >= bottom || prim->y1 <= rect->y)
        return RASTER_SHARE_NONE;
    const int count = find_cutters(state, prim, rect, cutters);
    if (count < 0)
        return RASTER_SHARE_NONE;
    const bool is_bounded = prim->x0 <= rect->x && prim->x1 >= right && prim->y0 <= rect->y && prim->y1 >= bottom;
    return !count && is_bounded && !raster_has_cuts(state, prim) ? RASTER_SHARE_ALL : RASTER_SHARE_SOME;
}
