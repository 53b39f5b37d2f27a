/* The tiler: a RUN_IDVS from its first index to the bins of its primitives. Shared by tiler_*.c.
 *
 * A draw runs in rounds of batches. Workers take batches: they fetch indices, run the position shader for each vertex
 * of the batch once, and assemble, clip and cull its primitives. What is left is in host memory then. The queue's own
 * thread goes on in the order of the primitives: it takes memory for a batch from the heap, workers run the varying
 * shader for the vertices that are still needed, and the primitives go to their bins. Before it has to wait for memory,
 * everything that is in the bins is complete, for then an exception handler may render it and throw it away.
 *
 * What lies in the heap is described in tiler_heap.c (chunks, roots) and tiler_record.c (draws, primitives, bins). */
#ifndef MALI_MODEL_TILER_INTERNAL_H
#define MALI_MODEL_TILER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "mali/hw/descriptors.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_idvs.h"
#include "mali/model/blocks.h"
#include "mali/model/sc/warp.h"
#include "mali/model/tiler/tiler.h"
#include "model/workers.h"
#include "util/array.h"

#define TILER_BATCH_PRIMS 1024
#define TILER_BATCH_VERTICES (3 * TILER_BATCH_PRIMS)
#define TILER_ROUND_BATCHES 64
#define TILER_VIEWS 8
#define TILER_LAYERS 256 /* what a vertex can name; a context has up to 256 of them */
#define TILER_LEVELS 13
#define TILER_SUBPIXEL_BITS 8 /* of positions, below the pixel */

/* ---- tiler_heap.c: memory ---- */

/* At POLYGON_LIST of a tiler context, and in host memory while a draw runs. GPU memory: to be read as input. */
struct tiler_root {
    uint32_t magic;
    uint32_t level_mask;          /* levels of the hierarchy that are used: bins of 16 << n pixels */
    uint64_t first_chunk;         /* links: all chunks of the context, the newest first */
    uint64_t last_chunk;          /* the oldest */
    uint64_t next_va, end_va;     /* what is free of the newest */
    uint64_t order;               /* of the next primitive */
    uint64_t draws;               /* serial of the next draw */
    uint64_t draw_va;             /* of the newest draw's record; 0: there is none */
    uint32_t fb_width, fb_height; /* pixels */
    uint32_t layer_count;
    uint32_t pad;
    uint64_t layers_va; /* for each layer and level the address of its table of bins; 0: empty */
};

#define TILER_ROOT_MAGIC 0x54494c33u

/* Can the numbers be calculated with? What they point at is checked where it is read. */
bool mali_tiler_root_is_sane(const struct tiler_root *root);

/* A bin's list of blocks. The lowest bits of `tail` say how many entries that block has: it is aligned to 64 bytes. */
struct tiler_bin {
    uint64_t head_va, tail; /* 0: none */
};

struct tiler_entry {
    uint64_t order; /* of the primitive, among all of the context */
    uint64_t prim_va;
};

#define TILER_BLOCK_ENTRIES 15
struct tiler_block {
    uint64_t next_va, pad;
    struct tiler_entry entries[TILER_BLOCK_ENTRIES]; /* one without an address ends them */
};

/* The context in hand, of a queue. */
struct tiler_context {
    struct mali_queue *queue;
    uint64_t va;
    struct mali_desc_TILER_CONTEXT fields;
    struct mali_desc_TILER_HEAP heap;
    struct tiler_root root; /* is_open */
    uint64_t root_va;
    bool is_open;
    uint64_t promised_B; /* room for records that are still to be written */
};

/* Read it. False: stopped. */
bool mali_tiler_context_read(struct tiler_context *context, struct mali_queue *queue, uint64_t va);
enum tiler_room {
    TILER_ROOM,
    TILER_ROOM_ANEW, /* it had to wait, and what lay in the context is gone: it begins anew */
    TILER_FULL,      /* it would have to wait */
    TILER_STOPPED,
};
/* Memory for `size_B` bytes and all that is promised in one piece, of which nothing is taken yet: chunks are fetched,
 * and waited for if it may. */
enum tiler_room mali_tiler_reserve(struct tiler_context *context, uint64_t size_B, bool may_wait);
/* Take some of it, aligned to 64 bytes. */
uint64_t mali_tiler_take(struct tiler_context *context, uint64_t size_B);
/* Bring the root to memory. False: stopped. */
bool mali_tiler_context_write(struct tiler_context *context);
uint64_t mali_tiler_chunk_room_B(const struct tiler_context *context);

/* The table of a layer and a level; 0 where there is none. False: stopped. */
bool mali_tiler_table(const struct tiler_context *context, unsigned layer, unsigned level, uint64_t *va_out);
/* Make one; the memory is reserved. False: stopped. */
bool mali_tiler_table_create(struct tiler_context *context, unsigned layer, unsigned level);
/* The size of a table, and how many bins are in a row. */
uint64_t mali_tiler_table_B(const struct tiler_root *root, unsigned level);
uint32_t mali_tiler_bins_x(const struct tiler_root *root, unsigned level);
uint32_t mali_tiler_bins_y(const struct tiler_root *root, unsigned level);

/* Write to the queue's space; false is a fault and a stop. Nearly all is small, and in plain memory. */
bool mali_tiler_write_any(struct mali_queue *queue, uint64_t va, const void *data, uint64_t size_B);
static inline bool mali_tiler_write(struct mali_queue *queue, uint64_t va, const void *data, uint64_t size_B)
{
    void *host = size_B && size_B <= GPU_PAGE_SIZE_B && !queue->coherence
                     ? gpu_space_pointer(queue->space, va, (uint32_t)size_B, GPU_PERM_WRITE)
                     : NULL;
    if (!host)
        return mali_tiler_write_any(queue, va, data, size_B);
    memcpy(host, data, size_B);
    return true;
}

/* ---- tiler_state.c: a draw's registers ---- */

/* How consecutive vertices make primitives. */
struct tiler_topology {
    uint8_t kind;        /* enum raster_kind; 0: none */
    uint8_t vertices;    /* of a primitive */
    uint8_t least, step; /* vertices that the first primitive takes, and each after it */
    uint8_t per_step;    /* primitives of a step */
    bool is_fan, is_loop;
    /* Places of the vertices from the step's first one, of even and of odd primitives; [0] with the provoking vertex
     * first, [1] with it last. */
    uint8_t place[2][2][3];
};

/* Consecutive indices between two restarts. */
struct tiler_part {
    uint32_t first, count;
    uint64_t first_prim; /* of an instance */
};

/* One of the draws that run together. */
struct tiler_piece {
    struct mali_run_draw draw;
    uint32_t first_part, part_count;
    uint64_t first_prim; /* of all of them */
    uint64_t prims_per_instance;
};

struct tiler_draw {
    struct mali_queue *queue;
    const struct mali_run *run;
    struct mali_cs_RUN_IDVS word;
    struct mali_IDVS_PRIMITIVE_FLAGS flags;
    const struct tiler_topology *topology;
    bool is_provoking_first;
    uint32_t index_B;
    uint64_t indices_va;
    uint32_t index_limit; /* how many the buffer has */
    unsigned view_count;  /* 1 without views, of which the first is 0 then */
    uint8_t views[TILER_VIEWS];
    unsigned view_slots; /* a vertex has outputs for all views up to the last one */
    uint32_t elements;   /* of 16 bytes, for each vertex and view, that position shaders store */
    uint64_t fifo_va;
    uint32_t fifo_B;
    bool has_varyings;
    uint32_t varying_B; /* of a vertex and view */
    struct raster_state raster;
    bool culls_low, culls_high; /* primitives that are wholly outside of the depth bounds */
    float depth_low, depth_high;
    struct mali_launch position, varying;
    uint32_t words[MALI_DRAW_DW];
    ARRAY(struct tiler_piece) pieces; /* those that have primitives */
    ARRAY(struct tiler_part) parts;
    uint64_t prim_total;
    uint32_t batch_prims;
    int32_t layer_offset;
    uint32_t layer_count;
};

/* False: stopped. *is_empty_out: there is nothing to do. */
bool mali_tiler_draw_init(struct tiler_draw *draw, const struct mali_run *run, const struct tiler_context *context,
                          bool *is_empty_out);
/* RUN_FULLSCREEN has no vertices, and its draw in memory. */
bool mali_tiler_fullscreen_init(struct tiler_draw *draw, const struct mali_run *run,
                                const struct tiler_context *context);
void mali_tiler_draw_finish(struct tiler_draw *draw);

/* ---- batches ---- */

/* A primitive's facts within a batch: raster_prim.own points at it. */
struct tiler_source {
    uint32_t primitive; /* in its instance */
    uint32_t provoking; /* 0 to 2 */
    uint32_t view;      /* its place among the draw's views */
    uint32_t pad;
};

/* Inputs of a vertex shader. */
struct tiler_vertex {
    uint32_t id, instance, draw_id;
};

/* A vertex and the draw's depth bounds. */
enum tiler_depth {
    TILER_DEPTH_BELOW = 1 << 0, /* primitives that are wholly there are culled */
    TILER_DEPTH_ABOVE = 1 << 1, /* the same */
    TILER_DEPTH_CUT = 1 << 2,   /* behind the eye, or outside of the bounds */
};

struct tiler_batch {
    uint64_t first_prim;
    uint32_t prim_count;
    struct raster_list list;
    uint32_t result_count; /* primitives in the list */
    uint32_t vertex_count;
    struct tiler_vertex *vertices;
    const float (*pos)[RASTER_POS_VECTORS][4];
    const uint8_t *depths; /* enum tiler_depth of each vertex and view */
    const float *marks;    /* one for each vertex and view: raster_prim.params point at them */
    uint32_t *kept;        /* numbers of vertices that are needed, in any view */
    uint32_t kept_count;
    uint32_t *place;     /* of a vertex among those that are kept; UINT32_MAX: it is not */
    uint64_t varying_va; /* of the first one that is kept */
    uint64_t records_va; /* of the first primitive's record; the others follow */
    uint64_t order;      /* of the first primitive */
    uint64_t draw_va;    /* of the draw's record */
};

struct tiler_job;

struct tiler_worker {
    struct arena arena; /* of the round */
    struct raster_assembler assembler;
    uint32_t vertex_count;
    struct tiler_vertex vertices[TILER_BATCH_VERTICES];
    uint16_t corners[TILER_BATCH_PRIMS][3];
    uint32_t primitive[TILER_BATCH_PRIMS];
    struct {
        uint32_t stamp, vertex_id, instance;
        uint16_t number;
    } reuse[1024]; /* finding a vertex again: the stamp says whether it is of this draw and batch */
    uint32_t stamp;
};

/* A draw's working state; kept for the next one. */
struct tiler_job {
    struct workers_job job;
    struct list node;
    struct tiler_draw draw;
    struct tiler_context context;
    unsigned worker_count;
    struct tiler_worker *workers;
    struct tiler_batch batches[TILER_ROUND_BATCHES];
    uint32_t batch_count;
    _Atomic uint32_t next;
    uint32_t last;               /* of the batches whose varyings are shaded */
    _Atomic uint32_t fifo_slots; /* workers that have begun */
    uint32_t fifo_slot_count, fifo_slot_B;
};

struct mali_tiler {
    pthread_mutex_t lock; /* of heaps' lists, and of the jobs that are kept */
    struct list jobs;     /* unused */
};

/* tiler_index.c */
bool mali_tiler_find_pieces(struct tiler_draw *draw, const struct mali_run_draw *first); /* false: stopped */
bool mali_tiler_gather(struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_batch *batch);

/* tiler_vertex.c */
bool mali_tiler_positions(struct tiler_job *job, struct tiler_worker *worker, struct mali_core *core, uint64_t fifo_va,
                          float (*pos)[RASTER_POS_VECTORS][4]);
bool mali_tiler_varyings(struct tiler_job *job, struct mali_core *core, const struct tiler_batch *batch);
extern const struct mali_warp_hooks mali_tiler_hooks;

/* tiler_record.c */
#define TILER_DRAW_B 192
#define TILER_PRIM_B 192
/* Room that primitives may take, with blocks of their bins; and these alone. */
uint64_t mali_tiler_records_B(uint32_t prim_count);
uint64_t mali_tiler_blocks_B(uint32_t prim_count);
/* Primitives in layers of other contexts leave the batch's list, and take no memory; how many are left. */
uint32_t mali_tiler_drop_other_layers(const struct tiler_draw *draw, const struct tiler_batch *batch);
/* Tables that a batch needs. */
enum tiler_room mali_tiler_need_tables(struct tiler_context *context, const struct tiler_draw *draw,
                                       const struct tiler_batch *batch, bool may_wait);
uint64_t mali_tiler_put_draw(struct tiler_context *context, const struct tiler_draw *draw); /* 0: stopped */
/* The records of a batch, whose memory is there, on any worker; then, in order, where they belong. False: stopped. */
bool mali_tiler_write_records(const struct tiler_draw *draw, const struct tiler_batch *batch);
bool mali_tiler_put_batch(struct tiler_context *context, const struct tiler_draw *draw,
                          const struct tiler_batch *batch);

#endif
