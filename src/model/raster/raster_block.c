/* Planes over a block of 8 by 8 pixels, quad by quad as raster_walk_tile gives them: what a block has in common is
 * computed once for its columns and its rows. The results are those of at + dx * x + dy * y, bit by bit.
 *
 * A vector is a row of quads, 64 bytes, on every host: who reads the results in vectors as wide would wait for the
 * stores of narrower ones. */
#include <string.h>

#include "model/lanes.h"
#include "model/raster/raster.h"

typedef float row_of_quads __attribute__((vector_size(64)));
typedef int32_t row_of_flags __attribute__((vector_size(64)));

#define SIDE (RASTER_BLOCK / 2) /* quads */

/* Places in a block's pixels from the primitive's origin, the same in all rows of quads and in all columns. */
struct places {
    row_of_quads x, y[SIDE];
};

/* The plane's additions at them. */
struct plane {
    row_of_quads column, row[SIDE];
};

/* Coordinates are small: sums of whole numbers are exact. */
static inline __attribute__((always_inline)) void find_places(struct places *at, const struct raster_prim *prim,
                                                              uint32_t x, uint32_t y, float in_x, float in_y)
{
    const row_of_quads columns = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7},
                       rows = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    at->x = (float)x + columns + in_x - prim->origin_x;
    for (unsigned k = 0; k < SIDE; k++)
        at->y[k] = (float)(y + 2 * k) + rows + in_y - prim->origin_y;
}

static inline __attribute__((always_inline)) void find_plane(struct plane *out, const struct raster_plane *plane,
                                                             const struct places *at)
{
    out->column = plane->at + plane->dx * at->x;
    for (unsigned k = 0; k < SIDE; k++)
        out->row[k] = plane->dy * at->y[k];
}

static inline __attribute__((always_inline)) void store(void *to, unsigned k, const row_of_quads *value)
{
    memcpy((char *)to + k * sizeof(*value), value, sizeof(*value));
}

static inline __attribute__((always_inline)) void find_weights(const struct raster_prim *prim, uint32_t x, uint32_t y,
                                                               bool is_linear, void *i_row, void *j_row)
{
    struct places at;
    struct plane i, j, w;
    find_places(&at, prim, x, y, 0.5f, 0.5f);
    find_plane(&i, is_linear ? &prim->i : &prim->iw, &at);
    find_plane(&j, is_linear ? &prim->j : &prim->jw, &at);
    find_plane(&w, &prim->w, &at);
    for (unsigned k = 0; k < SIDE; k++) {
        row_of_quads at_i = i.column + i.row[k], at_j = j.column + j.row[k];
        if (!is_linear) {
            const row_of_quads depth = 1.0f / (w.column + w.row[k]);
            at_i *= depth;
            at_j *= depth;
        }
        store(i_row, k, &at_i);
        store(j_row, k, &at_j);
    }
}

void raster_block_weights(const struct raster_prim *prim, uint32_t x, uint32_t y, bool is_linear, void *i_row,
                          void *j_row)
{
    if (is_linear || prim->is_linear)
        find_weights(prim, x, y, true, i_row, j_row);
    else
        find_weights(prim, x, y, false, i_row, j_row);
}

uint64_t raster_block_within(const struct raster_prim *prim, float at, uint32_t x, uint32_t y, float in_x, float in_y)
{
    struct places places;
    uint32_t is_within[RASTER_BLOCK * RASTER_BLOCK];
    find_places(&places, prim, x, y, in_x, in_y);
    for (unsigned k = 0; k < SIDE; k++) {
        const row_of_quads depth = at + (prim->z.dx * places.x + prim->z.dy * places.y[k]);
        const row_of_flags within = (depth >= prim->z_min) & (depth <= prim->z_max);
        memcpy(is_within + k * RASTER_BLOCK * 2, &within, sizeof(within));
    }
    return lanes_to_mask(is_within, RASTER_BLOCK * RASTER_BLOCK);
}
