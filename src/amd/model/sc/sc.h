/* The scan converter: its registers as the rasteriser's coverage state, and the tile that one worker shades. The work
 * itself is model/raster's. Not for: depth (db_*.c) or shading (spi_ps_*.c). */
#ifndef AMD_MODEL_SC_H
#define AMD_MODEL_SC_H

#include "amd/hw/regs_sc.h"
#include "amd/model/cp/cp_state.h"
#include "model/raster/raster.h"

#define SC_TILE_LOG2 6
#define SC_TILE (1 << SC_TILE_LOG2)
#define SC_TILE_QUADS (SC_TILE * SC_TILE / 4)

const char *amd_sc_state_init(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers);

/* Rasterisation without multisampling onto targets of `samples` samples: a pixel stands for all of them. */
void amd_sc_spread_samples(struct raster_coverage *state, const struct cp_registers *registers, unsigned samples);

static inline struct raster_tile sc_tile(uint32_t x, uint32_t y)
{
    return (struct raster_tile){(int32_t)x << SC_TILE_LOG2, (int32_t)y << SC_TILE_LOG2, SC_TILE, SC_TILE};
}

#endif
