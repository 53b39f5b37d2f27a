/* The depth backend: depth bounds, stencil and depth tests of quads, their writes, and the occlusion counters.
 *
 * A tile belongs to one worker while it is shaded and its quads come in primitive order, so nothing here locks. */
#ifndef AMD_MODEL_DB_H
#define AMD_MODEL_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/tiling/meta.h"
#include "amd/model/cb/cb_surface.h"
#include "amd/model/registers.h"
#include "amd/model/sc/sc.h"
#include "model/memory.h"
#include "model/pixel/pixel.h"

struct coherence_actor;

struct db_stencil_face {
    uint8_t function;               /* enum pixel_compare */
    uint8_t fail, pass, depth_fail; /* enum pixel_stencil */
    uint8_t reference, mask, write_mask, op_value;
};

struct db_state {
    bool z_test, z_write, bounds_test, stencil_test;
    bool clamp; /* depth to the viewport's range */
    bool early; /* tests stand before the shader */
    bool z_export, stencil_export, mask_export, kill;
    bool coverage_to_mask;
    bool ps_off;                     /* depth alone: no pixel shader is started */
    bool clear_depth, clear_stencil; /* write the clear values in place of what comes */
    float clear_z;
    uint8_t clear_s;
    uint8_t z_func;   /* enum pixel_compare */
    uint8_t z_format; /* enum amd_Z_FORMAT */
    float bounds_min, bounds_max;
    struct db_stencil_face faces[2]; /* front, back */
    bool count;                      /* samples that pass */
    uint32_t slice_start, slice_max;
    struct cb_surface *z, *s; /* NULL: there is none */
    unsigned samples_log2;    /* that are stored */

    /* hierarchical depth */
    const struct amd_meta *htile; /* NULL: there is none */
    uint64_t htile_va;
    bool htile_has_stencil;
    bool htile_has_rates; /* of shading */
    bool expand;          /* blocks that are covered, tested or not: a decompress pass */
};

/* The layouts that the depth backend keeps from draw to draw. */
struct db_surfaces {
    struct cb_surface z, s;
    struct amd_meta htile;
    const struct cb_surface *htile_of; /* whose layout it belongs to, */
    uint64_t htile_generation;         /* and which */
};

const char *amd_db_state_init(struct db_state *state, struct db_surfaces *surfaces, const struct amd_chip *chip,
                              const struct cp_registers *registers);

/* The tile in hand of a depth buffer that has tiles, where all of its memory is one piece of the host's. */
struct db_tile {
    uint64_t draw; /* that looked it up; 0: none */
    uint32_t x, y, slice;
    uint8_t *host; /* NULL: it is not */
    uint32_t low;  /* its first pixel, from there */
};

/* One worker's state for tests. */
struct db {
    const struct db_state *state;
    const struct raster_coverage *sc;
    const struct gpu_space *memory;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    uint64_t zpass;
    uint64_t fault_va; /* not 0: an access faulted */
    bool fault_is_write;
    const char *why; /* not NULL: a stop */
    uint64_t lost;   /* accesses of pages that have no memory */

    /* Blocks of the tile in hand that are known to be expanded, one bit each. */
    uint32_t known_x, known_y, known_slice;
    uint64_t known;

    uint64_t draw;                    /* its number, not 0 */
    struct cb_blocks *blocks;         /* of the depth buffer, expanded */
    struct db_tile tile;              /* of the same, not expanded */
    struct cb_blocks *stencil_blocks; /* NULL: stencil is tested sample by sample */
    /* By sample and pixel of a quad, from the quad's corner; filled in when it is first needed. */
    bool has_places;
    float place_x[RASTER_MAX_SAMPLES][4], place_y[RASTER_MAX_SAMPLES][4];
    float place_of_pixel_x[4][RASTER_MAX_SAMPLES],
        place_of_pixel_y[4][RASTER_MAX_SAMPLES]; /* the same by pixel and sample */
};

/* Notes the accesses of a quad's tests, where db->coherence is set (db_coherence.c). */
void amd_db_note(struct db *db, const struct raster_quad *quads, uint32_t count);
/* A block's shading rate is read; 8 by 8 pixels of a surface are brought to memory. */
void amd_db_note_rate(struct db *db, uint32_t x, uint32_t y, uint32_t slice);
void amd_db_note_fill(struct db *db, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice);

/* NULL: a fault. Where a page has no memory, in a buffer that is partially resident, it is a place of zeros, and what
 * is written to it is never seen: db->lost has grown, and the place is not to be kept. */
void *amd_db_access(struct db *db, uint64_t va, uint32_t size_B, bool is_write);

/* Depth as a number of 16 or 24 bits, which stands in the low bits of a word; NaN becomes 0. From 2^23 on a product is
 * whole already. */
static inline uint32_t db_unorm16(float z)
{
    return (uint32_t)((z > 0 ? z < 1 ? z : 1 : 0) * 65535.0f + 0.5f);
}

static inline uint32_t db_unorm24(float z)
{
    float product = (z > 0 ? z < 1 ? z : 1 : 0) * 16777215.0f;
    return (uint32_t)(product < 8388608.0f ? product + 0.5f : product);
}

/* The registers of HTILE (db_htile.c). NULL, or what is not implemented. */
const char *amd_db_htile_init(struct db_state *state, struct db_surfaces *surfaces, enum amd_gfx gfx,
                              const struct cp_registers *registers);

/* Before samples of the 8x8 block around a pixel are read or written: bring what HTILE stands for to memory. False: a
 * fault or a stop. */
bool amd_db_htile_prepare(struct db *db, uint32_t x, uint32_t y, uint32_t slice);

/* Already asked for, in this tile and draw. */
static inline bool db_htile_is_known(const struct db *db, uint32_t x, uint32_t y, uint32_t slice)
{
    return db->known_x == x >> SC_TILE_LOG2 && db->known_y == y >> SC_TILE_LOG2 && db->known_slice == slice &&
           db->known >> ((y >> 3 & 7) * 8 + (x >> 3 & 7)) & 1;
}

/* The shading rate of the 8x8 block around a pixel. False: a fault. */
bool amd_db_htile_rate(struct db *db, uint32_t x, uint32_t y, uint32_t slice, sc_rate *rate_out);

/* Values that a pixel shader exported, by pixel of the quad; NULL where it did not. */
struct db_export {
    const float *z;
    const uint8_t *stencil;
};

/* Test and write the samples of quad->mask; those that fail leave it. export may be NULL. */
void amd_db_test_quad(struct db *db, struct raster_quad *quad, const struct db_export *export);

/* Tests quads of which nothing was exported. */
void amd_db_test_quads(struct db *db, struct raster_quad *quads, uint32_t count);

/* The path of most quads (db_quad.c): depth alone is tested. */
static inline bool db_has_fast_quads(const struct db *db)
{
    const struct db_state *state = db->state;
    return state->z_test && !state->bounds_test && !state->stencil_test && !state->clear_depth &&
           state->z->has_blocks && db->sc->samples_log2 <= state->samples_log2;
}
void amd_db_test_quads_fast(struct db *db, struct raster_quad *quads, uint32_t count);
/* With depths that the shader exported, by pixel; where db_has_fast_quads. */
void amd_db_test_quads_exported(struct db *db, struct raster_quad *quads, uint32_t count, const float (*z)[4]);

/* Whether stencil is fast, with or without depth (db_quad_stencil.c). */
static inline bool db_has_fast_stencil(const struct db *db)
{
    const struct db_state *state = db->state;
    return state->stencil_test && db->stencil_blocks && !state->bounds_test && !state->clear_depth &&
           !state->clear_stencil && (state->z_test ? state->z->has_blocks : !state->z_write) && state->s->has_blocks &&
           db->sc->samples_log2 <= state->samples_log2;
}
void amd_db_test_quads_stencil(struct db *db, struct raster_quad *quads, uint32_t count);

/* Tests blocks of 8 by 8 pixels that are covered from the first to the last of several samples: bits of a tile, as
 * struct raster_quads has them. Returns those of which all samples pass; masks_out has, for each of `blocks`, those
 * of its quads. */
static inline bool db_takes_blocks(const struct db *db)
{
    const struct db_state *state = db->state;
    return !db->coherence && (db_has_fast_quads(db) || db_has_fast_stencil(db)) &&
           state->samples_log2 == db->sc->samples_log2 && !db->sc->spread &&
           (!state->z_test || state->z->block_log2 == 3);
}
uint64_t amd_db_test_blocks(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                            uint64_t blocks, uint32_t masks_out[64][16]);
uint64_t amd_db_test_stencil_blocks(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                                    uint64_t blocks, uint32_t masks_out[64][16]);

/* Tests blocks of which some pixels are covered, with one sample: masks[b] are those of block b, a bit each, row by
 * row; passed_out[b] are those that pass. */
static inline bool db_takes_parts(const struct db *db)
{
    return db_takes_blocks(db) && !db->state->samples_log2;
}
void amd_db_test_parts(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile, uint64_t parts,
                       const uint64_t masks[64], uint64_t passed_out[64]);
void amd_db_test_stencil_parts(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                               uint64_t parts, const uint64_t masks[64], uint64_t passed_out[64]);

#endif
