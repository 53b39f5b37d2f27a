/* Primitive control (PC) and what it drives: a draw from its first index to its last pixel.
 *
 * A draw runs in rounds. In a round, batches of consecutive primitives go through the vertex stage and primitive
 * assembly in parallel, each into a list of its own; then the lists are sorted into tiles in primitive order; then
 * tiles are shaded in parallel, each by one worker from its first primitive to its last. So no pixel has two writers,
 * and the picture is the same for any number of workers. What a vertex has given lives until the round's tiles are
 * done.
 *
 * Tiles are the workers' own; bins, which the driver chooses, are the VSC's business. A binning pass ends after
 * primitive assembly.
 *
 * Shared by pc_*.c; what the command processor calls is in blocks.h. */
#ifndef ADRENO_MODEL_PC_H
#define ADRENO_MODEL_PC_H

#include <stdatomic.h>

#include "adreno/model/blocks.h"
#include "adreno/model/gras/gras.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/rb/rb.h"
#include "adreno/model/vfd/vfd.h"
#include "adreno/model/vpc/vpc.h"
#include "adreno/model/vsc/vsc.h"
#include "model/tessellate/tessellate.h"
#include "model/workers.h"
#include "util/array.h"

#define PC_BATCH_PRIMS 256
#define PC_MAX_VERTICES 1024 /* of a batch: four for each of its primitives */
#define PC_ROUND_BATCHES 128 /* each round comes back to the tiles: few are better */
#define PC_ALONE_PIXELS 1024 /* so few are not worth waking the workers */
#define PC_REUSE_SLOTS 2048  /* of the table that finds a vertex again */
#define PC_SERIES_PARTS 8192
#define PC_PROGRAMS 64 /* a power of two */
#define PC_TILE_LOG2 6
#define PC_TILE (1 << PC_TILE_LOG2)
#define PC_TILE_QUADS (PC_TILE * PC_TILE / 4)
#define PC_MAX_VIEWS 16
#define ADRENO_LOCAL_SIZE_B 32768
/* The vertices of a round's primitives live as long as the round, which is shorter where they are many. */
#define PC_ROUND_RECORDS_B (64u << 20)
#define PC_BATCH_FIBERS 4096 /* of a geometry shader */
#define PC_BATCH_PATCHES 16
#define PC_ROUND_PATCH_BATCHES 32

/* How consecutive vertices make primitives. */
struct pc_topology {
    uint8_t kind;     /* enum raster_kind; 0: not implemented */
    uint8_t vertices; /* of a primitive, without adjacent ones */
    uint8_t least;    /* vertices that the first primitive needs */
    uint8_t step;     /* and each one after it */
    bool is_fan, is_loop, is_adjacent, is_patch;
    /* Places of the vertices, from the primitive's first; of even and odd primitives, the provoking vertex first. */
    uint8_t first[2][3];
    uint8_t last[2][3]; /* the same, the provoking vertex last */
};

/* The own part of a draw in a series (pc_series.c); a draw that is not of one has one part. */
struct pc_part {
    uint32_t count, first_index, max_indices;
    uint64_t index_va;
    uint32_t index_offset;
    uint64_t first_prim; /* of an instance */
    const uint8_t *host; /* of its first index, where all are mapped and nothing looks at them; or NULL */
};

/* Consecutive indices between two restarts. */
struct pc_run {
    uint32_t part;
    uint32_t first, count;
    uint64_t first_prim; /* of an instance */
};

struct pc_state {
    const struct pc_topology *topology;
    struct pc_topology patches; /* of as many vertices as the draw says */
    uint8_t inputs;             /* vertices that the first stage shades for a primitive */
    enum raster_kind kind;      /* of what comes to primitive assembly */
    uint8_t vertices;           /* of such a primitive */
    uint32_t batch_prims, round_batches;
    bool is_indexed;
    uint32_t index_B;
    bool has_restart;
    uint32_t restart_index;
    bool provoking_last;
    bool shares_vertices; /* unless they know their primitive, or a stage follows that reads them by primitives */
    unsigned view_count;
    uint8_t views[PC_MAX_VIEWS];
};

/* Vertices of a batch, before and after their shader. */
struct pc_vertices {
    uint32_t count;
    uint32_t vertex_id[PC_MAX_VERTICES];
    uint32_t instance[PC_MAX_VERTICES]; /* from 0 */
    uint32_t prim_id[PC_MAX_VERTICES];
    uint8_t view[PC_MAX_VERTICES];
    float pos[PC_MAX_VERTICES][RASTER_POS_VECTORS][4];
    struct raster_place places[PC_MAX_VERTICES];
    float *records; /* in the round's memory: what VPC keeps of each */
};

/* A primitive of a geometry shader for stream out, which waits for those before it: their number is not known. */
struct pc_streamed {
    struct pc_streamed *next;
    const float *records[3];
    uint8_t stream;
};

struct pc_batch {
    uint64_t first_prim;
    uint32_t prim_count;
    struct raster_list list;
    struct pc_streamed *streamed, **streamed_end;
};

/* Vertices that a fiber of a geometry shader has given. */
struct pc_emitted {
    uint32_t flags;
    bool is_vertex; /* it was not killed */
};

/* One primitive of the batch in hand. */
struct pc_prim {
    uint64_t number;    /* in the draw */
    uint32_t id;        /* in its instance */
    uint16_t vertex[3]; /* of a geometry shader the first one alone: the others follow it */
    uint8_t view;
};

/* Patches: the stages before and behind the tessellator. Vertex and hull shader are one wave, as with a geometry
 * shader; the domain shader's waves are others. */
struct pc_patches {
    bool is_on;
    unsigned inputs, outputs; /* control points before and after the hull shader */
    uint32_t fibers, per_wave;
    uint32_t subdraw; /* patches that have numbers of their own; 0: all */
    uint8_t hull_header_reg, hull_patch_reg;
    uint8_t prim_id_reg, patch_reg, u_reg, v_reg, view_reg; /* of the domain shader */
    uint64_t factors_va;
    uint32_t factors_dw; /* of a patch */
    struct tess_mode mode;
    struct adreno_launch hull, domain;
};

/* A vertex of the tessellator's, and a primitive of such. */
struct pc_point {
    float u, v;
    uint32_t prim; /* of the batch: the patch */
    uint32_t relative;
};

struct pc_point_prim {
    uint32_t vertex[3], prim;
};

/* The geometry shader of the draw. Its fibers are those of the vertex shader before it: a primitive has as many as its
 * vertices need, or as the vertices that it becomes; each fiber runs the whole program and gives one of them. */
struct pc_geometry {
    bool is_on;
    unsigned inputs;      /* vertices of a primitive that it reads */
    unsigned outputs;     /* most vertices of an invocation */
    unsigned invocations; /* of a primitive */
    uint8_t header_reg, prim_id_reg, view_reg, flags_reg;
    uint8_t raster_stream;
    uint32_t fibers;   /* of a primitive */
    uint32_t per_wave; /* primitives of a wave, if one needs no more than that */
    uint32_t waves;    /* of a primitive, or 1 */
    struct adreno_launch launch;
};

struct pc_worker {
    struct arena arena;     /* of the round */
    struct pc_batch *batch; /* in hand */
    uint8_t *local;         /* ADRENO_LOCAL_SIZE_B of memory between stages */
    struct tess_patch *tessellated;
    ARRAY(struct pc_point) points;
    ARRAY(struct pc_point_prim) point_prims;
    ARRAY(struct pc_emitted) emitted;
    float (*emitted_pos)[RASTER_POS_VECTORS][4];
    uint32_t emitted_room;
    struct adreno_sp *sp;
    struct raster_assembler assembler;
    struct pc_vertices vertices;
    struct pc_prim prims[PC_BATCH_PRIMS];
    uint32_t prim_count;

    /* Finding a vertex again: a slot's key is the vertex below the stamp of its batch, instance, view and part. */
    uint64_t reuse_key[PC_REUSE_SLOTS];
    uint16_t reuse_index[PC_REUSE_SLOTS];
    uint32_t stamp;

    struct gras_shading shading;
    uint64_t vs_invocations, hs_patches, ds_invocations, gs_invocations, gs_primitives;
};

/* The primitives of a tile, in order. */
struct pc_tile {
    uint32_t first, count; /* of pc->refs */
};

/* Outputs that strict mode looks at when a program ends. */
#define PC_MAX_OUTPUTS (VPC_LOCATIONS + 16)
struct pc_outputs {
    uint32_t count;
    struct adreno_output list[PC_MAX_OUTPUTS];
};

struct adreno_pc {
    struct adreno_gpu *gpu;
    bool is_strict;
    unsigned slots; /* one a worker */
    struct pc_worker *worker;

    /* The last draw, or those that wait, as one (pc_series.c); programs that were looked at. */
    struct adreno_draw series;
    uint32_t waiting; /* parts */
    struct {
        uint64_t va, epoch;
        bool is_lanewise;
    } programs[PC_PROGRAMS];

    /* the draw */
    const struct adreno_draw *draw;
    ARRAY(struct pc_part) parts;
    struct pc_state state;
    struct vfd_state vfd;
    struct vpc_state vpc;
    struct raster_state raster;
    struct raster_coverage coverage;
    struct gras_state gras;
    struct gras_lrz lrz;
    struct adreno_rb_draw rb;
    struct pc_patches patches;
    struct pc_geometry geometry;
    struct adreno_launch vertex_launch, fragment_launch;
    struct pc_outputs vertex_outputs, fragment_outputs; /* in strict mode */
    ARRAY(struct pc_run) runs;
    uint64_t prims_per_instance, prim_total; /* of all instances and views */
    struct vpc_streamout streamout;
    uint64_t stream_prims[ADRENO_STREAMS]; /* of the draw, so far */
    struct vsc vsc;

    /* the round */
    struct pc_batch batches[PC_ROUND_BATCHES];
    uint32_t batch_count;
    _Atomic uint32_t next_batch;
    uint32_t tiles_x, tiles_y, tile_x0, tile_y0; /* that primitives of the round touch */
    ARRAY(struct pc_tile) tiles;                 /* tiles_x * tiles_y */
    ARRAY(const struct raster_prim *) refs;
    ARRAY(uint32_t) order; /* tiles that have primitives */
    uint64_t area;         /* pixels of the primitives' bounds */
    _Atomic uint32_t next_tile;
};

/* ---- pc_series.c ---- */

/* Whether a draw may wait as the next one of a series, to which it is added then. */
bool adreno_pc_series_takes(struct adreno_pc *pc, const struct adreno_draw *draw);

/* Whether draws that follow the one that has just been made may be one with each other. */
bool adreno_pc_series_begins(struct adreno_pc *pc);

/* The part of a draw that registers and packet describe. False: no memory, and the job is stopped. */
bool adreno_pc_add_part(struct adreno_pc *pc, const struct adreno_draw *draw);

/* ---- pc_draw.c ---- */

/* Make a draw of pc->parts. False: stopped. */
bool adreno_pc_draw_parts(struct adreno_pc *pc, const struct adreno_draw *draw);

/* ---- pc_index.c ---- */

/* Registers of topologies, restarts and views. False: stopped. */
bool adreno_pc_state_init(struct adreno_pc *pc);

/* Find the runs and count the primitives. False: stopped. */
bool adreno_pc_index_begin(struct adreno_pc *pc);

/* Fill the worker's primitives and vertices with those of a batch that are visible. False: stopped. */
bool adreno_pc_index_batch(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_batch *batch);

/* ---- pc_vertex.c ---- */

/* Run the vertex shader for the worker's vertices, and hand its primitives on. False: stopped. */
bool adreno_pc_shade_vertices(struct adreno_pc *pc, struct pc_worker *worker);
bool adreno_pc_assemble(struct adreno_pc *pc, struct pc_worker *worker);

/* Into primitive assembly; `prim` is the one that it comes from. False: stopped. */
bool adreno_pc_take_primitive(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_prim *prim,
                              const uint32_t corners[3]);

/* ---- pc_geometry.c ---- */

/* The registers of a geometry shader, after those of the topology. False: stopped. */
bool adreno_pc_geometry_init(struct adreno_pc *pc);

/* Run both shaders for the worker's primitives, those of points where there are patches, and hand on what they become.
 * False: stopped. */
bool adreno_pc_shade_geometry(struct adreno_pc *pc, struct pc_worker *worker);

/* Memory that stages of several programs share: for the outputs of `fibers`, waves, input registers, and a primitive
 * that waits for stream out; its corners are of the assembler's vertices. False or NULL: stopped. */
bool adreno_pc_make_room(struct adreno_pc *pc, struct pc_worker *worker, uint32_t fibers);
struct adreno_wave *adreno_pc_begin_wave(struct adreno_pc *pc, struct pc_worker *worker,
                                         const struct adreno_launch *launch, struct lane_mask lanes);
bool adreno_pc_run_wave(struct adreno_pc *pc, struct adreno_wave *wave);
void adreno_pc_write_input(struct adreno_wave *wave, uint8_t reg, const uint32_t *lanes);
bool adreno_pc_stream_primitive(struct adreno_pc *pc, struct pc_worker *worker, const uint32_t corners[3],
                                unsigned stream);

/* Stream out of the round's primitives, in their order. False: stopped. */
bool adreno_pc_write_streams(struct adreno_pc *pc);

/* ---- pc_patch.c ---- */

/* The registers of tessellation, before those of a geometry shader. False: stopped. */
bool adreno_pc_patches_init(struct adreno_pc *pc);

/* Everything from the worker's patches to primitive assembly or to a geometry shader. False: stopped. */
bool adreno_pc_shade_patches(struct adreno_pc *pc, struct pc_worker *worker);

/* The input registers of a wave of the domain shader: points by lanes, and their patches. */
void adreno_pc_write_points(const struct adreno_pc *pc, const struct pc_worker *worker, struct adreno_wave *wave,
                            const uint32_t *points, uint32_t count);

/* ---- pc_outputs.c ---- */

/* Registers that are read after the programs, into the launches. */
void adreno_pc_list_vertex_outputs(struct adreno_pc *pc);
void adreno_pc_list_fragment_outputs(struct adreno_pc *pc);

/* ---- pc_round.c ---- */

/* Turns of a worker, as struct workers_job wants them. */
bool adreno_pc_round_geometry(struct adreno_pc *pc, unsigned slot);
bool adreno_pc_round_shade(struct adreno_pc *pc, unsigned slot);

/* Sort the round's primitives into tiles. False: stopped. */
bool adreno_pc_round_sort(struct adreno_pc *pc);

#endif
