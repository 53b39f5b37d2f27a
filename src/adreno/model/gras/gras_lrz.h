/* Low-resolution depth (LRZ): for each block of 8 by 8 samples a 16-bit bound of the depths in it, in a buffer of the
 * driver's (adreno/hw/tiling/lrz.h). With comparisons of "less" no depth of the block is above its bound, with
 * "greater" none is below. So a fragment on the wrong side of a bound need not be shaded: its depth test would fail,
 * or, where a binning pass has written the bounds of the whole frame, a later primitive hides it.
 *
 * Bounds are written by primitives that cover a block whole: in a binning pass, and in later ones from what the RB has
 * tested (feedback). They only ever get tighter, so that the order of writers does not matter.
 *
 * Not for: the depth test itself (rb/). */
#ifndef ADRENO_MODEL_GRAS_LRZ_H
#define ADRENO_MODEL_GRAS_LRZ_H

#include "adreno/model/blocks.h"
#include "adreno/model/rb/rb.h"
#include "model/raster/raster.h"

/* A draw's use of the buffer; constant while workers use it. */
struct gras_lrz {
    struct adreno_gpu *gpu;
    bool has_test;          /* fragments are rejected */
    bool has_write;         /* what a primitive covers is written, whatever becomes of its fragments */
    bool has_feedback;      /* and what the RB has tested, before the shader: */
    bool feeds_late;        /* or after it */
    bool is_greater;        /* the comparison */
    bool has_fast_clear;    /* a bit says whether blocks are written, or still cleared */
    uint8_t w_log2, h_log2; /* pixels of a block */
    uint32_t whole_quad;    /* the mask of a quad with all samples */
    uint32_t columns, rows; /* blocks of a layer */
    uint64_t va, layer_B;
    uint64_t clear_va;
    uint16_t *bounds; /* where the host has the first layer, and the bits of fast clears; NULL: each is looked up */
    uint8_t *clears;
};

/* Reads the registers, and on chips that follow the direction of comparisons, compares and writes the buffer's. False:
 * stopped. `rb` is NULL in a binning pass. */
bool adreno_gras_lrz_init(struct gras_lrz *lrz, struct adreno_gpu *gpu, enum adreno_pass pass,
                          const struct adreno_rb_draw *rb);

/* Quads whose depth is beyond their block's bound go; returns how many are left. */
uint32_t adreno_gras_lrz_test(const struct gras_lrz *lrz, struct raster_quad *quads, uint32_t count);

/* Whether it has its blocks where the rasteriser has them, 8 by 8 pixels; of those of a tile, one bit each as struct
 * raster_quads has them, the ones where a primitive is beyond their bound. */
static inline bool adreno_gras_lrz_has_blocks(const struct gras_lrz *lrz)
{
    return 1 << lrz->w_log2 == RASTER_BLOCK && 1 << lrz->h_log2 == RASTER_BLOCK;
}
uint64_t adreno_gras_lrz_hidden(const struct gras_lrz *lrz, const struct raster_prim *prim,
                                const struct raster_tile *tile, uint64_t blocks);

/* Blocks in the rectangle that a primitive covers whole get its depths as a bound. */
void adreno_gras_lrz_write(const struct gras_lrz *lrz, const struct raster_prim *prim, int32_t x0, int32_t y0,
                           int32_t x1, int32_t y1);

/* Blocks all of whose samples have passed, of the quads of a wave after their depth test. */
void adreno_gras_lrz_feed(const struct gras_lrz *lrz, const struct raster_quad *quads, uint32_t count);

#endif
