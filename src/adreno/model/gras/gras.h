/* Rasterisation (GRAS): its registers as the shared rasteriser's state, and the shading of one tile's quads: fragment
 * waves from their first input register to the colours that the RB writes.
 *
 * Quads of several primitives share a wave. They stay in primitive order: late tests and colour writes go through a
 * wave's quads from the first to the last. */
#ifndef ADRENO_MODEL_GRAS_H
#define ADRENO_MODEL_GRAS_H

#include "adreno/model/gpu.h"
#include "adreno/model/gras/gras_lrz.h"
#include "adreno/model/rb/rb.h"
#include "adreno/model/sp/wave.h"
#include "adreno/model/tpl1/tpl1.h"
#include "adreno/model/vpc/vpc.h"
#include "model/raster/raster.h"

#define GRAS_WAVE_QUADS (ADRENO_WAVE_LANES_MAX / 4)
#define GRAS_JOIN_QUADS 16 /* of joined programs */
#define GRAS_MAX_PREFETCHES 4

/* Where barycentric coordinates are evaluated. */
enum gras_ij {
    GRAS_IJ_PERSP_PIXEL,
    GRAS_IJ_PERSP_CENTROID,
    GRAS_IJ_PERSP_SAMPLE,
    GRAS_IJ_LINEAR_PIXEL,
    GRAS_IJ_LINEAR_CENTROID,
    GRAS_IJ_LINEAR_SAMPLE,
    GRAS_IJ_COUNT,
};

/* A texture instruction that runs before the shader does. */
struct gras_prefetch {
    uint8_t op;       /* enum tpl1_op */
    uint8_t location; /* of the varying that is its coordinate */
    uint8_t regid, mask;
    bool is_half, is_bindless;
    uint8_t texture_set, sampler_set; /* of bindless ones */
    uint32_t texture, sampler;
};

struct gras_output {
    uint8_t regid; /* of the first channel */
    bool is_half;
    uint8_t numeric; /* enum adreno_rb_numeric, of halves */
};

/* Inputs and outputs of fragment waves. Registers are numbers, or ADRENO_NO_REG. */
struct gras_state {
    bool has_shader;
    bool is_ordered;      /* no wave has a pixel twice */
    bool coord_at_sample; /* of per-sample shading */
    bool mask_after_depth;
    bool is_rect; /* primitives are rectangles of two corners */
    uint8_t ij_reg[GRAS_IJ_COUNT];
    uint8_t face_reg, sample_id_reg, sample_mask_reg, center_rhw_reg, xy_reg, zw_reg;
    unsigned prefetch_count;
    struct gras_prefetch prefetches[GRAS_MAX_PREFETCHES];
    struct gras_output outputs[ADRENO_RB_TARGETS];
    uint8_t output_mask; /* outputs that are read, one bit each */
    uint8_t depth_reg, mask_reg, stencil_reg;
    const struct vpc_state *vpc;
    struct tpl1_state tpl1;
};

/* ---- gras_state.c: false when stopped ---- */

bool adreno_gras_raster_init(struct raster_state *state, struct adreno_gpu *gpu, const struct vpc_state *vpc);
bool adreno_gras_coverage_init(struct raster_coverage *state, struct adreno_gpu *gpu, const struct adreno_rb_draw *rb);

/* ---- gras_fragment.c ---- */

/* After the RB's state. */
bool adreno_gras_state_init(struct gras_state *state, struct adreno_gpu *gpu, const struct vpc_state *vpc,
                            const struct adreno_rb_draw *rb);

/* ---- shading: one worker's ---- */

/* An attribute's component for runs of quads of one primitive. */
struct gras_run {
    uint32_t end; /* quad */
    const struct raster_prim *prim;
};

struct gras_shading {
    struct adreno_gpu *gpu;
    const struct gras_state *state;
    const struct gras_lrz *lrz;
    const struct raster_coverage *coverage;
    const struct adreno_launch *launch;
    struct adreno_rb rb;
    struct tpl1 *tpl1; /* for prefetches */
    uint64_t invocations;

    struct raster_quad *quads; /* those that wait, from quad_first to quad_count */
    uint32_t quad_first, quad_count;

    /* Blocks of 8 by 8 pixels of the last primitive, as struct raster_quads has them, and where its quads begin. */
    uint64_t blocks;
    const struct raster_prim *block_prim;
    int32_t block_x, block_y; /* of the tile */
    uint32_t block_first;

    /* Joined programs (gras_join.h): that of the launch, its wave, and the primitive whose numbers are there. */
    uint64_t join_serial;
    uint32_t join_epoch;
    struct gras_joined *joined;
    struct adreno_wave *join_wave;
    const struct raster_prim *join_prim;

    /* the wave in hand */
    struct raster_quad *wave_quads;
    uint32_t wave_quad_count;
    uint32_t run_count;
    struct gras_run runs[GRAS_WAVE_QUADS];
    uint32_t colors[ADRENO_RB_TARGETS][4][ADRENO_WAVE_LANES_MAX] __attribute__((aligned(64)));
    uint32_t depth[ADRENO_WAVE_LANES_MAX], stencil[ADRENO_WAVE_LANES_MAX];
};

/* Room for a tile's quads. False: no memory. */
bool adreno_gras_shading_create(struct gras_shading *shading);
void adreno_gras_shading_destroy(struct gras_shading *shading);

/* The quads of a primitive in a tile, after early tests, join those that wait. */
void adreno_gras_walk(struct gras_shading *shading, struct adreno_sp *sp, const struct raster_prim *prim,
                      const struct raster_tile *tile);

/* Shade as many as make whole waves, or all of them. False: stopped. */
bool adreno_gras_shade(struct gras_shading *shading, struct adreno_sp *sp, bool all);

/* Runs of quads of one primitive, of the wave in hand; pixels that have any sample; what comes after a wave whose
 * killed lanes are out of its quads. */
void adreno_gras_find_runs(struct gras_shading *shading);
uint32_t adreno_gras_count_covered(const struct raster_quad *quads, uint32_t count);
void adreno_gras_finish_rows(struct gras_shading *shading, struct adreno_wave *wave);

/* ---- gras_join_run.c ---- */

/* Whether the next wave, of quads before `end`, may go by a joined program, which has GRAS_JOIN_QUADS quads at most. */
bool adreno_gras_is_joined(struct gras_shading *shading, struct adreno_sp *sp, uint32_t end);
/* The first of the quads that wait. False: not by a joined program, and nothing was done. *is_ok_out is false where the
 * job was stopped. */
bool adreno_gras_run_joined(struct gras_shading *shading, struct adreno_sp *sp, uint32_t count, bool *is_ok_out);
/* Blocks that a primitive covers as a whole may go without quads; to be asked before they are looked for. */
bool adreno_gras_takes_blocks(struct gras_shading *shading, struct adreno_sp *sp);
/* False: stopped. What cannot go so joins the quads that wait. */
bool adreno_gras_run_blocks(struct gras_shading *shading, struct adreno_sp *sp, const struct raster_prim *prim,
                            int32_t tile_x, int32_t tile_y, uint64_t blocks);

/* ---- gras_input.c ---- */

extern const struct adreno_wave_hooks adreno_gras_hooks;
void adreno_gras_load_inputs(struct gras_shading *shading, struct adreno_wave *wave);

/* i and j with perspective at the centres of the wave's pixels, as floats. */
void adreno_gras_load_center(const struct gras_shading *shading, uint32_t *i_row, uint32_t *j_row);

/* gras_prefetch.c. Of waves whose inputs are loaded, or at those places. False: stopped. */
struct gras_centers {
    uint32_t i[ADRENO_WAVE_LANES_MAX], j[ADRENO_WAVE_LANES_MAX];
};
bool adreno_gras_prefetch(struct gras_shading *shading, struct adreno_wave *wave);
bool adreno_gras_prefetch_at(struct gras_shading *shading, struct adreno_wave *wave,
                             const struct gras_centers *centers);

#endif
