/* The tiler's output in a heap for the fragment endpoint: primitives in the bins of a tiler context. Between the two;
 * how bins lie in chunks is the tiler's own.
 *
 * Bins are GPU memory: anything may have written there. Whoever reads them copies a record and checks its numbers
 * before it trusts them; pointers of a record are never taken from memory. */
#ifndef MALI_MODEL_TILER_TILER_H
#define MALI_MODEL_TILER_TILER_H

#include "mali/model/gpu.h"
#include "model/raster/raster.h"

#define MALI_DRAW_DW 32 /* of the descriptor DRAW */

/* A draw: the registers of RUN_IDVS in the form that pre- and post-frame draws have in memory. */
struct mali_bin_draw {
    uint64_t serial; /* of all draws of the context; two records with the same one are of one draw */
    uint32_t words[MALI_DRAW_DW];
};

struct mali_bin_prim {
    /* As the rasteriser has set it up, in pixels of the framebuffer, cut by the draw's scissor; with depth bias.
     * `params`, `flat`, `own` and `stipple` are NULL. */
    struct raster_prim raster;
    /* Where the varyings of each vertex are: what LD_VAR_BUF adds its offset to. 0: there are none. A point has one
     * vertex and a line two; the last one is repeated. */
    uint64_t varying_va[3];
    uint32_t provoking; /* which of them is the provoking one */
    /* Samples whose depth, before the bias, is not within raster.z_min and z_max are not drawn. */
    bool is_cut;
    float cut_z_at;     /* raster.z.at before the bias */
    uint32_t primitive; /* its number in the draw, of its instance */
};

/* The bins of one layer. */
struct mali_bins {
    struct mali_queue *queue;
    uint64_t context_va;
    unsigned layer;
    /* The unit of depth bias, which the framebuffer's depth format decides: to be set after mali_bins_open. */
    int depth_exponent;
    bool depth_is_float;
    uint64_t private[24]; /* the tiler's own */
};

/* The framebuffer's tiler context and its INTERNAL_LAYER_INDEX. False: stopped. */
bool mali_bins_open(struct mali_bins *bins_out, struct mali_queue *queue, uint64_t context_va, unsigned layer);

/* Where a walk is in one bin: the tiler's own. */
struct mali_bin_cursor {
    uint64_t block_va;
    uint64_t prim_va;
    uint64_t order;     /* of the primitive that it points at */
    const void *block;  /* in plain memory; NULL: it is read piece by piece */
    const void *record; /* the same of the primitive */
    uint32_t entry;
};

#define MALI_BIN_CURSORS 48

/* A walk over the primitives that may touch a rectangle, in the order of the API; levels of the hierarchy are merged.
 * Any number of workers walk at once. */
struct mali_bin_walk {
    const struct mali_bins *bins;
    struct raster_tile tile;
    /* The record in hand: copies. The draw is another one when its serial is. */
    struct mali_bin_draw draw;
    struct mali_bin_prim prim;
    /* The tiler's own. */
    uint64_t draw_va;
    bool culls_depth, has_bias;
    struct raster_bias bias;
    uint32_t cursor_count;
    uint64_t orders[MALI_BIN_CURSORS]; /* of cursors, by place: the lowest one stands last */
    uint8_t places[MALI_BIN_CURSORS];  /* which cursor stands there */
    struct mali_bin_cursor cursors[MALI_BIN_CURSORS];
};

void mali_bin_walk_begin(struct mali_bin_walk *walk, const struct mali_bins *bins, const struct raster_tile *tile);
/* False: there is no more, or the job is stopped (mali_is_stopped). */
bool mali_bin_walk_next(struct mali_bin_walk *walk);

/* All primitives of the layer, in order, if they are few and lie in large bins. 0: they are not, or there is none. */
#define MALI_BINS_FEW 4
struct mali_bins_few {
    struct mali_bin_draw draws[MALI_BINS_FEW];
    struct mali_bin_prim prims[MALI_BINS_FEW];
};
unsigned mali_bins_few(const struct mali_bins *bins, struct mali_bins_few *few_out);

#endif
