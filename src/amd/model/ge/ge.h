/* The geometry engine and what it drives: a draw from its first index to its last pixel.
 *
 * A draw runs in rounds. In a round, batches of consecutive primitives go through the vertex stage and primitive
 * assembly in parallel, each into a list of its own; then the lists are binned to tiles in primitive order; then tiles
 * are shaded in parallel, each by one worker from its first primitive to its last. So no pixel has two writers, and the
 * picture is the same for any number of workers. What a vertex exports lives until the round's tiles are done.
 *
 * Shared by ge_*.c; the command processor sees ge_draw.h alone. */
#ifndef AMD_MODEL_GE_H
#define AMD_MODEL_GE_H

#include <pthread.h>
#include <stdatomic.h>

#include "amd/hw/regs_ge.h"
#include "amd/model/ge/ge_draw.h"
#include "amd/model/ge/ge_hull.h"
#include "amd/model/pa/pa.h"
#include "amd/model/spi/spi_compute.h"
#include "amd/model/spi/spi_ps.h"
#include "amd/model/texture/ta_state.h"
#include "model/workers.h"
#include "util/array.h"

#define GE_MAX_VERTICES 1024 /* of a subgroup */
#define GE_MAX_PRIMS 1024
#define GE_BATCH_PRIMS 256
#define GE_ROUND_PRIMS (1 << 17) /* that a round of patches should have */
#define GE_ROUND_BATCHES 128u    /* each round comes back to the tiles: few are better */
#define GE_ALONE_PIXELS 1024     /* so few are not worth waking the workers */
#define GE_PRIM_VERTICES 6       /* with the adjacent ones that geometry shaders see */
#define GE_QUADS_BEHIND 64       /* a worker's queue of quads moves up when so many have gone */
#define GE_MESH_WAVES 15         /* of a workgroup: four bits of a wave's word count them */
#define GE_REUSE_SLOTS 4096      /* of the table that finds a vertex again */
#define GE_GROUP_DRAWS 16        /* that are shaded together, at most */

/* Consecutive indices between two restarts. */
struct ge_run {
    uint32_t first, count;
    uint64_t first_prim; /* of an instance */
};

/* Without NGG: where the geometry shader's vertices lie in memory, and the program that they go on to. */
struct ge_ring {
    struct spi_stage copy;
    uint64_t size_B;
    uint32_t item_dw;              /* of a thread, all streams */
    uint32_t first_dw[CP_STREAMS]; /* of a stream in it */
    uint32_t vertex_dw[CP_STREAMS];
    uint32_t waves; /* of a subgroup, at most */
};

struct ge_state {
    enum amd_PRIM_TYPE prim_type;
    enum raster_kind kind;
    bool ngg;
    bool passthrough, passthrough_no_message;
    bool prim_ids;        /* the vertex stage reads the primitive's number: vertices are not shared */
    bool streamout;       /* legacy: the shader wants to know where its vertices go; they are not shared */
    bool unshared;        /* each primitive has its vertices for itself */
    uint8_t stream_bases; /* buffers whose place it wants */
    struct spi_stage stage;
    uint32_t max_out_vertices;
    uint32_t vgpr_components; /* legacy: VGPRs after the first; NGG: of the vertex part */
    uint32_t lds_size_B;
    uint32_t user_address[2];         /* NGG: what stands in s0 and s1 */
    uint32_t max_vertices, max_prims; /* of a subgroup */
    uint32_t item_dw;                 /* factor of NGG's vertex offsets */
    bool has_gs;                      /* a geometry shader stands after the vertex shader, in the same program */
    uint32_t gs_instances;            /* of each input primitive */
    bool gs_split;                    /* each instance has a subgroup of its own */
    uint32_t gs_max_out;              /* vertices of an instance */
    uint32_t prim_amp;                /* threads that an instance's output may need */
    bool is_mesh;                     /* one point is a workgroup of `gs_max_out` threads */
    bool numbers_groups;              /* those that run at the same time have numbers */
    bool has_ring;                    /* what the geometry shader emits goes through memory to a copy shader */
    struct ge_ring ring;
    uint32_t param_count; /* of vertices and primitives together */
    bool has_prim_params; /* NGG: some parameters are those of the lane's primitive, not of its vertex */
    bool indexed;         /* without an index buffer, none of its registers is looked at */
    uint32_t index_B;
    uint32_t index_offset, index_min, index_max;
    bool restart;
    uint32_t restart_index;
    bool provoking_last;
    bool has_payload;  /* NGG: exported primitives have their layer and viewport in a second word */
    bool export_edges; /* NGG: exported primitives say which of their edges are to be seen */
    uint32_t prim_id_base;
    struct ge_hull_state hull;
    bool loads_offchip; /* an SGPR says where the off-chip buffer of the patches is */
};

/* Stream out of a draw. The shader writes; here stands where, and how many primitives fit into all buffers. */
struct ge_streamout {
    uint8_t streams;             /* one bit each whose primitives are counted */
    uint8_t buffers[CP_STREAMS]; /* one bit each that is written */
    uint32_t vertices;           /* of a primitive */
    uint32_t first_dw[CP_STREAMOUT_BUFFERS], stride_dw[CP_STREAMOUT_BUFFERS];
    uint64_t fitting[CP_STREAMS], needs[CP_STREAMS]; /* of all that come */
};

/* Everything a draw depends on, unpacked. */
struct ge_pipeline {
    struct ge_state ge;
    struct raster_state pa;
    struct raster_coverage sc;
    struct sc_rates rates;
    struct spi_ps_state ps;
    struct db_state db;
    struct cb_state cb;
};

/* One vertex or NGG subgroup in flight on a worker. */
struct ge_subgroup {
    uint32_t vertex_count, prim_count; /* that go in */
    uint32_t out_vertices, out_prims;  /* that come out */
    uint32_t gs_first, gs_per_prim;    /* instances of the geometry shader */
    uint64_t first_prim;               /* of the draw */
    uint32_t vertex_id[GE_MAX_VERTICES];
    uint32_t instance_id[GE_MAX_VERTICES];
    uint32_t vertex_prim_id[GE_MAX_VERTICES];
    uint32_t
        vertex_patch[GE_MAX_VERTICES]; /* of the threadgroup of patches; then vertex_id and instance_id are u and v */
    uint16_t prims[GE_MAX_PRIMS][GE_PRIM_VERTICES];
    uint8_t edges[GE_MAX_PRIMS]; /* one bit each that is to be seen where only edges are drawn */
    uint32_t prim_id[GE_MAX_PRIMS];
    uint32_t exported_prim[GE_MAX_PRIMS]; /* NGG: the words that the shader exported */
    uint32_t prim_payload[GE_MAX_PRIMS];  /* and the second ones, where primitives have a payload */
    float pos[GE_MAX_VERTICES][RASTER_POS_VECTORS][4];
    struct raster_place places[GE_MAX_VERTICES];
    float *params; /* in the round's memory */
    bool has_prim_params;
    uint32_t param_room;             /* lanes that params is ready for */
    uint32_t vertex_room, prim_room; /* that pos and params, and exported_prim, are ready for */
    bool allocated;                  /* NGG: the shader has asked for its output */
};

/* Vertices that the threads of a subgroup of a geometry shader have emitted so far, and how many of them are copied. */
struct ge_emitted {
    uint32_t threads, max_vertices, cut_words;
    uint16_t *counts; /* of vertices, by thread and stream */
    uint32_t *cuts;   /* the same, in so many words each: a bit for a vertex that begins a strip */
    uint64_t room_B;
    uint32_t stream, thread, vertex; /* that is looked at next */
    uint32_t in_strip;               /* the vertex's number in its strip */
};

/* A batch of primitives and what is left of it after primitive assembly. */
struct ge_batch {
    uint64_t first_prim;
    uint32_t prim_count;
    struct raster_list list;
};

/* A worker's vertices and primitives at hand. */
struct ge_worker {
    _Alignas(64) struct sq_code *code; /* while it has waves; NULL: not entered */
    struct sq_workgroup *vertex_group;
    struct raster_assembler pa;
    struct ge_subgroup subgroup;
    struct ge_hull *hull; /* NULL before a draw needs it */
    bool vertex_running;
    bool copies; /* those waves are of the copy shader */
    struct ge_emitted emitted;
    uint32_t batch;       /* in hand; UINT32_MAX: none */
    uint32_t batch_next;  /* of its primitives */
    uint32_t gs_instance; /* of that primitive, where each has a subgroup of its own */

    /* Finding a vertex again: the slot's stamp says whether it is of this subgroup and instance. */
    struct {
        uint64_t key; /* the stamp above the vertex */
        uint16_t index;
    } reuse[GE_REUSE_SLOTS];
    uint32_t stamp;

    uint64_t vertices, vs_invocations, gs_invocations, gs_primitives;
    _Atomic uint64_t progress; /* written by this worker alone */
};

/* A worker's pixels at hand. Draws that wait for their pixels (ge_queue.c) share both, so that each thread finds its
 * own near it, whichever draw it is at. */
struct ge_shader {
    _Alignas(64) struct sq_code *code; /* while it has waves; NULL: not entered */
    uint64_t launches;                 /* in the first one: of all, so far */
    struct spi_ps ps;
    struct cb_blocks color_blocks[CB_TARGETS], depth_blocks, stencil_blocks;
    uint64_t pixels_of;         /* the draw that `ps` is ready for */
    uint64_t places_of;         /* the pipeline that its sample places are of */
    uint32_t tile;              /* in hand; UINT32_MAX: none */
    struct raster_tile tile_at; /* its pixels */
    uint32_t tile_next;         /* of its primitives */
    uint32_t quad_first, quad_count;
    struct raster_quad *quads;
    /* Blocks of the newest primitive that are shaded without quads, after the quads before `quad_turn`. */
    uint64_t blocks;
    const struct raster_prim *blocks_of;
    uint32_t quad_turn;
    _Atomic uint64_t progress; /* written by this worker alone */
};

/* The primitives of a tile, in order. */
struct ge_bin {
    uint32_t first, count; /* of ge->refs */
};

struct ge_queue;

/* Numbers that no two draws of a device share, whatever struct ge they are in. */
struct ge_numbers {
    uint64_t draws, pipelines, vertex_launches; /* so far */
};

struct ge {
    const struct amd_chip *chip;
    struct ge_queue *queue; /* of the device's own; NULL: every draw ends before the next */
    struct ge *front;       /* the device's own, whose these are: */
    struct ge_numbers numbers;
    struct workers *workers;
    struct spi *spi;
    unsigned slots; /* one a worker */
    struct ge_worker *worker;
    struct ge_shader *shader;
    struct arena *arenas; /* of the round, one a slot */
    void *worker_memory;
    struct cb_surfaces cb_surfaces;
    struct db_surfaces db_surfaces;
    struct ge_pipeline pipeline;
    const struct cp_registers *pipeline_of; /* NULL: of none */
    uint64_t pipeline_generation;           /* of those registers */
    uint64_t pipeline_number;
    uint64_t draw_number;

    /* the draw */
    const struct ge_draw *draw;
    struct ge_draw own_draw;
    ARRAY(struct ge_run) runs;
    uint64_t prims_per_instance, prim_total;
    struct ge_streamout streamout;
    struct sq_launch hull_launch, vertex_launch, copy_launch, pixel_launch;
    struct ta_state ta;
    uint64_t stats[CP_STAT_COUNT]; /* of what has ended */
    uint64_t zpass;
    _Atomic bool stop;
    pthread_mutex_t fault_lock;
    struct ge_result result;

    /* Draws whose pixels are shaded together, the one above the last of them (ge_group.c). */
    uint32_t group_count;
    struct {
        uint64_t number;
        uint32_t prims; /* of the group's list, up to its end */
    } group[GE_GROUP_DRAWS];
    bool group_is_large; /* its last draw is: the pixels are worth sharing */
    bool is_by_lane;     /* after its pixels: waves may have pixels of several draws */

    /* the round */
    bool alone;             /* one thread does the work, with what is the first worker's */
    unsigned alone_slot;    /* whose programs it uses (spi_compute.h) */
    uint64_t next_prim;     /* of the draw, that is in no round yet */
    uint32_t round_batches; /* at most */
    struct ge_batch batches[GE_ROUND_BATCHES];
    uint32_t batch_count;
    _Atomic uint32_t next_batch;
    uint32_t stipple;                            /* pixels of the draw's lines so far */
    uint32_t tiles_x, tiles_y, tile_x0, tile_y0; /* that primitives of the round touch */
    ARRAY(struct ge_bin) bins;                   /* tiles_x * tiles_y */
    ARRAY(const struct raster_prim *) refs;
    ARRAY(uint32_t) order; /* tiles that have primitives */
    uint64_t area;         /* pixels of the primitives' bounds */
    _Atomic uint32_t next_tile;
};

/* ---- ge_state.c ---- */

/* NULL, or what the model does not implement. */
const char *amd_ge_pipeline_init(struct ge *ge, const struct ge_draw *draw);

/* ---- ge_index.c ---- */

/* Find the runs and count the primitives. False: a fault, already noted. */
bool amd_ge_index_begin(struct ge *ge);

/* Fill the worker's subgroup with the next primitives of its batch. False: a fault, already noted. */
bool amd_ge_index_subgroup(struct ge *ge, struct ge_worker *worker);

/* The control points of the worker's batch, a threadgroup of patches. False: a fault, already noted. */
bool amd_ge_index_patches(struct ge *ge, struct ge_worker *worker);

/* ---- ge_topology.c ---- */

unsigned amd_ge_vertices_of_prim(const struct ge_state *state);

/* Of a run of so many indices. */
uint64_t amd_ge_prims_of_run(const struct ge_state *state, uint32_t count);

/* Where the vertices of a primitive are in its run. Returns which of its edges, each from a corner to the next, are
 * edges of what is drawn. */
uint8_t amd_ge_places_of_prim(const struct ge_state *state, uint32_t prim, uint32_t run_count,
                              uint32_t place[GE_PRIM_VERTICES]);

/* ---- ge_streamout.c ---- */

/* After amd_ge_index_begin; NULL, or what the model does not implement. */
const char *amd_ge_streamout_begin(struct ge *ge);

/* Loads the registers of a wave for the primitives of its subgroup, in the order of its SGPRs; returns their number. */
uint32_t amd_ge_streamout_load(const struct ge *ge, const struct ge_subgroup *subgroup, uint32_t stream,
                               uint32_t *sgprs);

/* The draw is done: move on in the buffers, and count. */
void amd_ge_streamout_end(struct ge *ge);

/* ---- ge_vertex.c: the vertex stage, legacy and NGG ---- */

extern const struct sq_hooks amd_ge_vertex_hooks;
bool amd_ge_vertex_begin(struct ge *ge, struct ge_worker *worker, struct sq_code *code, uint32_t scratch_slot);

/* After its end: hand the primitives to primitive assembly. */
void amd_ge_vertex_end(struct ge *ge, struct ge_worker *worker);

/* ---- ge_ring.c: geometry shaders without NGG ---- */

/* NULL, or what the model does not implement. */
const char *amd_ge_ring_read(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers);

/* Whether only one worker may emit: what comes later in the draw goes to later places of stream out's buffers. */
bool amd_ge_ring_is_ordered(const struct ge *ge);

/* Before the geometry shader's waves. False: no memory. */
bool amd_ge_ring_begin(struct ge *ge, struct ge_worker *worker, uint32_t threads);

/* Where a wave's vertices begin. */
uint32_t amd_ge_ring_offset_B(const struct ge *ge, const struct ge_worker *worker, uint32_t wave);
void amd_ge_ring_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message);

/* The next emitted primitives become the worker's subgroup. False: none is left. */
bool amd_ge_ring_next(struct ge *ge, struct ge_worker *worker);

/* ---- ge_round.c ---- */

bool amd_ge_round_geometry(struct ge *ge, unsigned slot); /* one turn, as workers_job wants it */
bool amd_ge_round_bin(struct ge *ge);                     /* false: no memory, already noted */
bool amd_ge_round_shade(struct ge *ge, unsigned slot);

/* ---- ge_count.c ---- */

void amd_ge_note_input(struct ge *ge); /* of the draw, when its primitives are known */
/* Counts of vertices and primitives, when they are assembled: the workers may go on with another draw. */
void amd_ge_note_geometry(struct ge *ge);
void amd_ge_note_pixels(struct ge *ge); /* the same of its pixels */
void amd_ge_add_counters(struct ge *ge);

/* ---- ge_group.c: draws that follow each other with the same state, shaded together ---- */

/* Whether a draw can be one more of the group, as far as its state goes. */
bool amd_ge_group_takes(const struct ge *ge, const struct ge_draw *draw);
/* Its geometry. False: it has ended, and the group is as it was. */
bool amd_ge_group_add(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out);
/* The draw that the group's last primitives are of has its geometry. Not for one that amd_ge_draw_geometry says is
 * large. */
void amd_ge_group_note(struct ge *ge, uint64_t number);
/* The fault at hand is of the draw that has this primitive. */
void amd_ge_group_blame(struct ge *ge, const struct raster_prim *prim);

/* ---- ge_queue.c ---- */

struct ge_queue *amd_ge_queue_create(struct ge *front);
void amd_ge_queue_destroy(struct ge_queue *queue);

/* ---- ge_draw.c ---- */

/* Another one for the same device, with its workers and without a queue: it draws when no other one does, but for
 * pixels beside the geometry of others. */
struct ge *amd_ge_create_context(struct ge *front);

enum ge_geometry {
    GE_GEOMETRY_FAILED,   /* the draw has ended */
    GE_GEOMETRY_IS_LARGE, /* amd_ge_draw_pixels does the rest */
    GE_GEOMETRY_WAITS, /* so it does after amd_ge_bin; or, if what there is then is small, amd_ge_shade_alone does, in any
                           * thread, and then amd_ge_end_draw */
};

/* The first round up to its pixels. */
enum ge_geometry amd_ge_draw_geometry(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out);
/* The primitives of all batches that are there, by one thread. */
void amd_ge_run_batches(struct ge *ge);
/* Workers keep what they have found out about images for one work. */
void amd_ge_renew_textures(struct ge *ge);
bool amd_ge_bin(struct ge *ge); /* false: no memory, already noted */
bool amd_ge_draw_pixels(struct ge *ge, struct ge_result *result_out);
void amd_ge_shade_alone(struct ge *ge, unsigned code_slot);
/* A worker's first pixels of a draw: by the thread that shades them, for the one that draws has more to do. */
void amd_ge_begin_pixels(struct ge *ge, struct ge_shader *shader);
/* Counters and result. False: it was abandoned. */
bool amd_ge_end_draw(struct ge *ge, struct ge_result *result_out);
/* From its first index to its last pixel. */
bool amd_ge_draw_now(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out);

/* The first of these is the draw's result; the others are forgotten. */
void amd_ge_fault_memory(struct ge *ge, const char *why, uint64_t va, bool is_write);
void amd_ge_fault_shader(struct ge *ge, const char *stage, const struct spi_stage *state, const struct sq_fault *fault);
void amd_ge_fault_host(struct ge *ge);
void amd_ge_fault_stop(struct ge *ge, const char *why); /* something that is not implemented */
void amd_ge_fault_killed(struct ge *ge);

static inline void ge_count_progress(_Atomic uint64_t *progress)
{
    uint64_t now = atomic_load_explicit(progress, memory_order_relaxed);
    atomic_store_explicit(progress, now + 1, memory_order_relaxed);
}

/* The pixels of the round are not worth sharing. */
static inline bool ge_is_small(const struct ge *ge)
{
    return ge->order.count <= 1 || ge->area <= GE_ALONE_PIXELS;
}

static inline bool ge_is_stopped(struct ge *ge)
{
    return atomic_load_explicit(&ge->stop, memory_order_relaxed);
}

#endif
