/* Quads and blocks of a target, between the files that write them (cb_write.c, cb_raw.c, cb_resolve.c). */
#ifndef AMD_MODEL_CB_QUADS_H
#define AMD_MODEL_CB_QUADS_H

#include <string.h>

#include "amd/model/cb/cb.h"
#include "util/bits.h"

/* NULL: a fault or a stop. */
static inline const struct cb_block *cb_enter_block_at(struct cb *cb, unsigned t, uint32_t x, uint32_t y,
                                                       uint32_t slice, bool overwritten)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct cb_block *block = cb_block_slot(&cb->blocks[t], surface, x, y);
    return cb_block_is(surface, block, cb->draw, x, y, slice) ? block
                                                              : amd_cb_find_block(cb, t, x, y, slice, overwritten);
}

static inline const struct cb_block *cb_enter_block(struct cb *cb, unsigned t, const struct raster_quad *quad,
                                                    uint32_t slice, bool overwritten)
{
    return cb_enter_block_at(cb, t, quad->x, quad->y, slice, overwritten);
}

static inline uint32_t cb_slice_of(const struct cb_target *target, const struct raster_quad *quad)
{
    return MIN2(target->slice_start + quad->prim->layer, target->slice_max);
}

/* One bit per pixel of a quad: those that have the sample. */
static inline uint32_t cb_pixels_of(const struct raster_quad *quad, unsigned sample)
{
    uint32_t bits = quad->mask >> sample & 0x01010101u;
    return (bits | bits >> 7 | bits >> 14 | bits >> 21) & 15;
}

/* One bit per sample that some pixel of a quad has: with a shading of each sample, one. */
static inline uint32_t cb_samples_of(const struct raster_quad *quad)
{
    const uint32_t halves = quad->mask | quad->mask >> 16;
    return (halves | halves >> 8) & 0xff;
}

/* The quads of a wave that are one block from its first to its last sample, in order. With several iterations, quads
 * that stand for some samples alone would count for others. */
static inline bool cb_is_whole_block(const struct raster_quad *quads, uint32_t quad_count, unsigned samples)
{
    if (quad_count != 16 || (quads[0].x | quads[0].y) & 7 || quads[15].x != quads[0].x + 6 ||
        quads[15].y != quads[0].y + 6 || quads[0].prim != quads[15].prim)
        return false;
    const uint32_t all = (uint32_t)bits_mask(samples) * 0x01010101u;
    uint32_t mask = all;
    for (unsigned q = 0; q < 16; q++)
        mask &= quads[q].mask;
    return mask == all && quads[15].iteration == 0;
}

/* Dwords that leave a joined program have all bits of an element, the ones that stay among them. */
static inline bool cb_has_all_bits(const struct cb_target *target)
{
    return target->whole || target->output == CB_OUTPUT_MIXED;
}

/* Blocks of 8 by 8 pixels as a whole. */
static inline bool cb_takes_blocks(const struct cb_target *target)
{
    return cb_has_all_bits(target) && target->surface->has_blocks && target->surface->block_log2 == 3;
}

/* Whether blocks are found by their tile, of elements as rows of dwords (cb_raw.c). */
static inline bool cb_takes_wide_blocks(const struct cb_target *target)
{
    return cb_has_all_bits(target) && target->surface->has_wide &&
           (target->output == CB_OUTPUT_PAIRS || target->output == CB_OUTPUT_WORDS ||
            target->output == CB_OUTPUT_MIXED || (target->output == CB_OUTPUT_ROWS && target->is_raw));
}

/* The tile of a pixel, of a surface that has wide ones, with the 8 by 8 pixels around it expanded. NULL: its memory is
 * not one piece, or there was a fault or a stop. */
static inline const struct cb_tile *cb_enter_wide(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct cb_target *target = &cb->state->targets[t];
    struct cb_tile *tile = cb_tile_at(cb, t, x, y, slice);
    if (!tile->is_asked)
        amd_cb_map_tile(cb, target->surface, tile);
    if (!tile->host ||
        (target->meta && !amd_cb_is_known(cb, t, x, y, slice) && !amd_cb_meta_prepare_block(cb, t, x, y, slice, false)))
        return NULL;
    return tile;
}

/* From the tile's memory to the first element of the 4 by 4 pixels around a pixel. */
static inline uint32_t cb_wide_low(const struct cb_surface *surface, const struct cb_tile *tile, uint32_t x, uint32_t y)
{
    const uint32_t bits = surface->tile_x[x >> 2 & 15] ^ surface->tile_y[y >> 2 & 15];
    return (uint32_t)((tile->va[0] ^ bits) - tile->host_va);
}

/* Where a wave's quads are, of one sample and one tile that is one piece of the host's memory (cb_place.c): from `host`
 * to their first elements, with what is written expanded. */
struct cb_places {
    uint8_t *host;  /* NULL: they are not so */
    uint64_t lanes; /* that are written */
    uint32_t places[CB_MAX_LANES / 4] __attribute__((aligned(64)));
};

/* False: a fault or a stop. */
bool amd_cb_place_quads(struct cb *cb, unsigned t, const struct raster_quad *quads, uint32_t count,
                        struct cb_places *out);

/* ---- elements of four bytes ---- */

/* The four elements of a quad that lies in a block. */
static inline void cb_put_quad(const struct cb_surface *surface, uint8_t *host, uint32_t low, const uint32_t *codes)
{
    const bool pairs = surface->quad_xor[1] == sizeof(*codes);
    for (unsigned p = 0; p < 4; p += pairs ? 2 : 1)
        memcpy(host + (low ^ surface->quad_xor[p]), codes + p, pairs ? 2 * sizeof(*codes) : sizeof(*codes));
}

static inline void cb_get_quad(const struct cb_surface *surface, const uint8_t *host, uint32_t low, uint32_t *codes)
{
    const bool pairs = surface->quad_xor[1] == sizeof(*codes);
    for (unsigned p = 0; p < 4; p += pairs ? 2 : 1)
        memcpy(codes + p, host + (low ^ surface->quad_xor[p]), pairs ? 2 * sizeof(*codes) : sizeof(*codes));
}

/* All of a block's elements of a sample, in the order of its quads (cb_write.c). */
void amd_cb_store_block(const struct cb_surface *surface, const struct cb_block *block, unsigned sample,
                        const uint32_t *codes);
void amd_cb_load_block(const struct cb_surface *surface, const struct cb_block *block, unsigned sample,
                       uint32_t *codes);

/* ---- any elements ---- */

/* The host's places of a quad's pixels. False: a fault or a stop. */
bool amd_cb_find_quad(struct cb *cb, unsigned t, const struct raster_quad *quad, uint32_t pixels, unsigned sample,
                      uint8_t *host[4]);

#endif
