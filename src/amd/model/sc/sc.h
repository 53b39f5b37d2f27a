/* The scan converter: which samples a primitive covers, tile by tile, as quads of pixels.
 *
 * A tile of SC_TILE by SC_TILE pixels is the unit that one worker shades. In it, edges are evaluated over blocks of 8
 * by 8 pixels: exact, because a pixel is a power of two of subpixels, and so as many bits can be dropped from an edge's
 * value without a change of sign.
 *
 * Not for: depth (db_*.c) or shading (spi_ps_*.c). */
#ifndef AMD_MODEL_SC_H
#define AMD_MODEL_SC_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/regs_sc.h"
#include "amd/model/cp/cp_state.h"
#include "amd/model/pa/pa.h"

#define SC_TILE_LOG2 6
#define SC_TILE (1 << SC_TILE_LOG2)
#define SC_BLOCK 8
#define SC_MAX_SAMPLES 8
#define SC_LOCATION_BITS 8 /* of a sample's place below the pixel */
#define SC_LOCATION_ONE (1 << SC_LOCATION_BITS)
#define SC_TILE_QUADS (SC_TILE * SC_TILE / 4)

enum sc_conservative {
    SC_EXACT,
    SC_OVER,  /* every pixel that is touched */
    SC_UNDER, /* only pixels that are wholly inside */
};

struct sc_state {
    unsigned samples_log2, samples;
    unsigned iterations; /* shader invocations a pixel */
    bool same_locations; /* for all four pixels of a quad */
    /* By pixel of a quad (x + 2 * y) and sample: SC_LOCATION_ONE a pixel, from its corner. */
    uint8_t x[4][SC_MAX_SAMPLES], y[4][SC_MAX_SAMPLES];
    uint8_t sample_mask[4];
    uint8_t centroid_order[SC_MAX_SAMPLES];
    bool centroid_is_center;           /* of a pixel whose samples are all covered */
    enum sc_conservative conservative; /* of triangles */
    /* Clip rectangles: bit n of the rule says what becomes of pixels that are in those rectangles whose bits are in n. */
    bool has_clip_rects;
    uint16_t clip_rule;
    int32_t clip_rects[4][4];
    uint16_t stipple_pattern;
    uint8_t stipple_repeat; /* pixels a bit */
    bool stipple_from_top;  /* the highest bit first */
    uint32_t
        spread; /* not 0: one sample is rasterised, the targets have more; those that it stands for, as in a quad's mask */
};

const char *amd_sc_state_init(struct sc_state *state, enum amd_gfx gfx, const struct cp_registers *registers);

/* Two by two pixels of one primitive. */
struct sc_quad {
    const struct pa_prim *prim;
    uint16_t x, y;
    uint32_t mask;     /* bit 8 * pixel + sample: covered and, behind early depth, visible */
    uint32_t coverage; /* the same before depth */
    uint8_t iteration; /* of per-sample shading */
};

struct sc_quads {
    struct sc_quad *quads;
    uint32_t count; /* room for SC_TILE_QUADS more is the caller's business */
};

/* Rasterisation without multisampling onto targets of `samples` samples: a pixel stands for all of them. */
void amd_sc_spread_samples(struct sc_state *state, const struct cp_registers *registers, unsigned samples);

/* Pixels of the block of 8 by 8 at (x, y) that clip rectangles and stipples leave, one bit each (sc_cut.c). */
uint64_t amd_sc_cut_block(const struct sc_state *state, const struct pa_prim *prim, int32_t x, int32_t y);

static inline bool sc_has_cuts(const struct sc_state *state, const struct pa_prim *prim)
{
    return state->has_clip_rects || prim->stipple;
}

/* Append the quads of a primitive in a tile, row by row of blocks. */
void amd_sc_walk_tile(const struct sc_state *state, const struct pa_prim *prim, uint32_t tile_x, uint32_t tile_y,
                      struct sc_quads *out);

#endif
