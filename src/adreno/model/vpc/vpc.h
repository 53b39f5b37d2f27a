/* Varyings (VPC): what the outputs of the last stage before the rasteriser become. Each component of an output has a
 * location in the vertex's record; position, point size, layer, viewport and distances are found there by registers, a
 * fragment shader names varyings by their locations, and stream out writes them to memory. */
#ifndef ADRENO_MODEL_VPC_H
#define ADRENO_MODEL_VPC_H

#include "adreno/model/gpu.h"
#include "adreno/model/sp/wave.h"
#include "model/raster/raster.h"

#define VPC_LOCATIONS 256
#define VPC_VARYINGS 128
#define VPC_NOWHERE 0xff
#define VPC_SO_BUFFERS 4
#define VPC_SO_PROGRAM 64 /* words of a stream's program; a word has two locations */

/* Where fixed function finds its words among a vertex's position vectors, for struct raster_state. */
enum vpc_pos_word {
    VPC_POS_POINT_SIZE = 4,
    VPC_POS_LAYER = 5,
    VPC_POS_VIEWPORT = 6,
    VPC_POS_DISTANCES = 8,
};

/* How a fragment gets a component of a varying. */
enum vpc_source {
    VPC_SMOOTH,
    VPC_FLAT,
    VPC_ZERO,
    VPC_ONE,
    VPC_SPRITE_S, /* of points and rectangles the coordinate across, otherwise smooth */
    VPC_SPRITE_T,
    VPC_SPRITE_T_DOWN, /* 1 - t */
    VPC_PRIM_ID,
    VPC_VIEW_ID,
};

struct vpc_state {
    enum adreno_stage stage;       /* the last one before the rasteriser */
    uint8_t row_of[VPC_LOCATIONS]; /* register component that a location comes from; ADRENO_NO_REG: none, it is 0 */
    uint32_t record_dw;            /* of a vertex */
    uint8_t position, point_size, layer, viewport; /* locations, or VPC_NOWHERE */
    uint8_t distances[2];                          /* locations of the first and the second four */
    uint8_t distance_mask;
    bool has_view_positions; /* the shader gives a position for each view, one after the other */
    bool adds_view_to_layer, adds_view_to_viewport;
    bool has_own;                  /* fragments read the primitive's number or the view's */
    uint8_t sources[VPC_VARYINGS]; /* enum vpc_source */
};

/* A primitive's own words, struct raster_prim's `own`. */
enum vpc_own {
    VPC_OWN_PRIM_ID,
    VPC_OWN_VIEW_ID,
    VPC_OWN_COUNT,
};

/* Read the registers of `stage`, the last one before the rasteriser. False: stopped. */
bool adreno_vpc_state_init(struct vpc_state *state, struct adreno_gpu *gpu, enum adreno_stage stage,
                           bool has_streamout);

/* Take the outputs of a wave's first `count` lanes. */
void adreno_vpc_take(const struct vpc_state *state, struct adreno_wave *wave, uint32_t count, const uint8_t *views,
                     float (*pos)[RASTER_POS_VECTORS][4], float *records);

/* ---- stream out (vpc_streamout.c) ---- */

/* Outputs that a stream of vertices writes; without a geometry shader there is stream 0 alone. */
struct vpc_stream {
    uint8_t buffers; /* one bit each that it writes */
    uint64_t room;   /* primitives that fit into all of them */
    unsigned count;  /* of: */
    struct {
        uint8_t location, buffer;
        uint16_t offset_B;
    } writes[2 * VPC_SO_PROGRAM];
};

struct vpc_streamout {
    bool is_on;       /* counts primitives, and writes them where the streams' buffers say */
    uint8_t enabled;  /* one bit for each stream */
    uint8_t vertices; /* of a primitive */
    uint32_t stride_B[VPC_SO_BUFFERS], first_B[VPC_SO_BUFFERS];
    uint64_t va[VPC_SO_BUFFERS];
    struct vpc_stream streams[ADRENO_STREAMS];
};

/* Does a draw have stream out? */
bool adreno_vpc_has_streamout(const struct adreno_gpu *gpu);

/* Read the registers and the programs for the outputs of `vpc`. False: stopped. */
bool adreno_vpc_streamout_begin(struct vpc_streamout *so, struct adreno_gpu *gpu, const struct vpc_state *vpc,
                                unsigned vertices);

/* Primitive `prim` of the draw and of a stream; from any worker. False: stopped. */
bool adreno_vpc_streamout_write(const struct vpc_streamout *so, struct adreno_gpu *gpu, unsigned stream, uint64_t prim,
                                const float *const records[3]);

/* The draw is done: move on in the buffers, and count the primitives of each stream. */
void adreno_vpc_streamout_end(const struct vpc_streamout *so, struct adreno_gpu *gpu,
                              const uint64_t prims[ADRENO_STREAMS]);

#endif
