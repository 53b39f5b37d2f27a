/* Primitive control (PC) and what it drives: a draw from its first index to its last pixel.
 *
 * A draw runs in rounds. In a round, batches of consecutive primitives go through the vertex stage and primitive
 * assembly in parallel, each into a list of its own; then the lists are sorted into tiles in primitive order; then tiles
 * are shaded in parallel, each by one worker from its first primitive to its last. So no pixel has two writers, and the
 * picture is the same for any number of workers. What a vertex has given lives until the round's tiles are done.
 *
 * Tiles are the workers' own; bins, which the driver chooses, are the VSC's business. A binning pass ends after primitive
 * assembly.
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
#include "model/workers.h"
#include "util/array.h"

#define PC_BATCH_PRIMS 256
#define PC_MAX_VERTICES 1024 /* of a batch: four for each of its primitives */
#define PC_ROUND_BATCHES 128 /* each round comes back to the tiles: few are better */
#define PC_ALONE_PIXELS 1024 /* so few are not worth waking the workers */
#define PC_REUSE_SLOTS 2048  /* of the table that finds a vertex again */
#define PC_TILE_LOG2 6
#define PC_TILE (1 << PC_TILE_LOG2)
#define PC_TILE_QUADS (PC_TILE * PC_TILE / 4)
#define PC_MAX_VIEWS 16

/* How consecutive vertices make primitives. */
struct pc_topology {
    uint8_t kind;     /* enum raster_kind; 0: not implemented */
    uint8_t vertices; /* of a primitive */
    uint8_t least;    /* vertices that the first primitive needs */
    uint8_t step;     /* and each one after it */
    bool is_fan, is_loop;
    /* Places of the vertices, from the primitive's first; of even and odd primitives, the provoking vertex first. */
    uint8_t first[2][3];
    uint8_t last[2][3]; /* the same, the provoking vertex last */
};

/* Consecutive indices between two restarts. */
struct pc_run {
    uint32_t first, count;
    uint64_t first_prim; /* of an instance */
};

struct pc_state {
    const struct pc_topology *topology;
    bool is_indexed;
    uint32_t index_B;
    bool has_restart;
    uint32_t restart_index;
    bool provoking_last;
    bool shares_vertices; /* unless they know their primitive */
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
    float *records; /* in the round's memory: what VPC keeps of each */
};

struct pc_batch {
    uint64_t first_prim;
    uint32_t prim_count;
    struct raster_list list;
};

/* One primitive of the batch in hand. */
struct pc_prim {
    uint64_t number; /* in the draw */
    uint32_t id;     /* in its instance */
    uint16_t vertex[3];
    uint8_t view;
};

struct pc_worker {
    struct arena arena; /* of the round */
    struct adreno_sp *sp;
    struct raster_assembler assembler;
    struct pc_vertices vertices;
    struct pc_prim prims[PC_BATCH_PRIMS];
    uint32_t prim_count;

    /* Finding a vertex again: the slot's stamp says whether it is of this batch. */
    struct {
        uint32_t stamp, vertex_id, instance;
        uint16_t index;
        uint8_t view;
    } reuse[PC_REUSE_SLOTS];
    uint32_t stamp;

    struct gras_shading shading;
    uint64_t vs_invocations;
};

/* The primitives of a tile, in order. */
struct pc_tile {
    uint32_t first, count; /* of pc->refs */
};

/* What strict mode looks at when a program ends. */
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

    /* the draw */
    const struct adreno_draw *draw;
    struct pc_state state;
    struct vfd_state vfd;
    struct vpc_state vpc;
    struct raster_state raster;
    struct raster_coverage coverage;
    struct gras_state gras;
    struct gras_lrz lrz;
    struct adreno_rb_draw rb;
    struct adreno_launch vertex_launch, fragment_launch;
    struct pc_outputs vertex_outputs, fragment_outputs; /* in strict mode */
    ARRAY(struct pc_run) runs;
    uint64_t prims_per_instance, prim_total; /* of all instances and views */
    struct vpc_streamout streamout;
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
