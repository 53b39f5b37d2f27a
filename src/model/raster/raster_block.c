/* Planes over a block of 8 by 8 pixels, quad by quad as raster_walk_tile gives them: what a block has in common is
 * computed once for its columns and its rows. The results are those of at + dx * x + dy * y, bit by bit. */
#include <string.h>

#include "model/raster/raster.h"

typedef float float4 __attribute__((vector_size(16)));

#define SIDE (RASTER_BLOCK / 2) /* quads */

/* Places in a block's pixels from the primitive's origin, by column and by row of quads. */
struct places {
    float4 x[SIDE], y[SIDE];
};

/* What a plane's columns add at them, and its rows: the same for all quads of a column or a row. */
struct plane {
    float4 column[SIDE], row[SIDE];
};

static inline struct places places_of(const struct raster_prim *prim, uint32_t x, uint32_t y, float in_x, float in_y)
{
    struct places at;
    for (unsigned k = 0; k < SIDE; k++) {
        at.x[k] = (float)(x + 2 * k) + (float4){0, 1, 0, 1} + in_x - prim->origin_x;
        at.y[k] = (float)(y + 2 * k) + (float4){0, 0, 1, 1} + in_y - prim->origin_y;
    }
    return at;
}

static inline struct plane plane_of(const struct raster_plane *plane, const struct places *at)
{
    struct plane out;
    for (unsigned k = 0; k < SIDE; k++) {
        out.column[k] = plane->at + plane->dx * at->x[k];
        out.row[k] = plane->dy * at->y[k];
    }
    return out;
}

static inline void store4(void *row, unsigned q, float4 value)
{
    memcpy((char *)row + q * sizeof(value), &value, sizeof(value));
}

static inline __attribute__((always_inline)) void find_weights(const struct raster_prim *prim, uint32_t x, uint32_t y,
                                                               bool is_linear, void *i_row, void *j_row)
{
    const struct places at = places_of(prim, x, y, 0.5f, 0.5f);
    const struct plane i = plane_of(is_linear ? &prim->i : &prim->iw, &at),
                       j = plane_of(is_linear ? &prim->j : &prim->jw, &at), w = plane_of(&prim->w, &at);
    for (unsigned q = 0; q < SIDE * SIDE; q++) {
        const unsigned c = q % SIDE, r = q / SIDE;
        float4 at_i = i.column[c] + i.row[r], at_j = j.column[c] + j.row[r];
        if (!is_linear) {
            float4 depth = 1.0f / (w.column[c] + w.row[r]);
            at_i *= depth;
            at_j *= depth;
        }
        store4(i_row, q, at_i);
        store4(j_row, q, at_j);
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

void raster_block_depths(const struct raster_prim *prim, uint32_t x, uint32_t y, float in_x, float in_y, float *row)
{
    const struct places at = places_of(prim, x, y, in_x, in_y);
    const struct plane z = plane_of(&prim->z, &at);
    for (unsigned q = 0; q < SIDE * SIDE; q++)
        store4(row, q, z.column[q % SIDE] + z.row[q / SIDE]);
}
