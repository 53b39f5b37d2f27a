/* The beginning of every submission: the state that no command buffer sets and all of them rely on. */
#ifndef AMD_DRIVER_RADEON_PREAMBLE_H
#define AMD_DRIVER_RADEON_PREAMBLE_H

#include "amd/driver/radeon_device.h"

/* `rings` goes to the first user SGPR of each stage, where every shader of ours expects it. */
void radeon_compute_preamble(struct radeon_device *device, struct radeon_cs *cs, uint32_t tmpring_size, uint32_t rings);
void radeon_graphics_preamble(struct radeon_device *device, struct radeon_cs *cs, uint32_t tmpring_size,
                              uint32_t rings);
/* radeon_gfx_init.c: the graphics state that command buffers rely on. */
void radeon_emit_graphics_preamble(struct radeon_device *device, struct radeon_cs *cs);

/* The standard sample positions of 1, 2, 4 and 8 samples, one pattern after the other, in sixteenths of a pixel; and as
 * pairs in [0, 1), as shaders read them. */
#define RADEON_SAMPLE_GRID_COUNT 15
extern const uint8_t radeon_sample_grid[RADEON_SAMPLE_GRID_COUNT][2];
void radeon_sample_positions(float *positions_out);

#endif
