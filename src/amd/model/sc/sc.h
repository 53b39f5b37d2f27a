/* The scan converter: its registers as the rasteriser's coverage state, and the tile that one worker shades. The work
 * itself is model/raster's. Not for: depth (db_*.c) or shading (spi_ps_*.c). */
#ifndef AMD_MODEL_SC_H
#define AMD_MODEL_SC_H

#include "amd/hw/regs_sc.h"
#include "amd/model/registers.h"
#include "model/raster/raster.h"

#define SC_TILE_LOG2 6
#define SC_TILE (1 << SC_TILE_LOG2)
#define SC_TILE_QUADS (SC_TILE * SC_TILE / 4)

const char *amd_sc_state_init(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers);

/* Where a pixel stands for all samples of the targets, of which there are `samples`: rasterisation of one sample onto
 * several, of which shaders see as many as are exposed, and over-rasterisation, which joins the samples of a pixel
 * behind what shaders see of them. */
void amd_sc_spread_samples(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers,
                           unsigned samples);

/* ---- shading rates (sc_rate.c) ---- */

/* A rate is what registers and exports have in four bits: the logarithm of a coarse pixel's width in [1:0], that of its
 * height in [3:2]. Two pixels each way are the most. */
typedef uint8_t sc_rate;

static inline unsigned sc_rate_x(sc_rate rate)
{
    return rate & 3;
}

static inline unsigned sc_rate_y(sc_rate rate)
{
    return rate >> 2;
}

/* How pixels are put together. A draw's rate, its vertices', its primitives' and that of HTILE's blocks are combined
 * one after the other. */
struct sc_rates {
    bool is_on; /* some pixels may be coarse; nothing else is set where it is not */
    sc_rate draw;
    uint8_t with_vertex, with_primitive, with_block; /* enum amd_VRS_COMBINER */
};

/* After the states of the blocks that have a say in it. `blocks_have_rates`: HTILE has; `is_fine`: for reasons of the
 * shader there is no coarse pixel. */
const char *amd_sc_rates_init(struct sc_rates *rates, enum amd_gfx gfx, const struct cp_registers *registers,
                              const struct raster_coverage *coverage, bool blocks_have_rates, bool is_fine);

sc_rate amd_sc_rate_of_prim(const struct sc_rates *rates, const struct raster_prim *prim);
sc_rate amd_sc_rate_in_block(const struct sc_rates *rates, sc_rate of_prim, sc_rate of_block);

/* The quads of a primitive in a tile, in an order in which those that are shaded together follow each other: `of_block`
 * are the rates of the tile's blocks of 8 by 8 pixels. There must be room for as many behind them. */
void amd_sc_rate_quads(struct raster_quad *quads, uint32_t count, const sc_rate of_block[64]);

static inline struct raster_tile sc_tile(uint32_t x, uint32_t y)
{
    return (struct raster_tile){(int32_t)x << SC_TILE_LOG2, (int32_t)y << SC_TILE_LOG2, SC_TILE, SC_TILE};
}

#endif
