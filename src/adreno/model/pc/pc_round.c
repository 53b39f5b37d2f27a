/* The three parts of a round: geometry, sorting into tiles, shading. The first and the last are turns of the
 * workers. */
#include <string.h>

#include "adreno/model/pc/pc.h"
#include "util/bits.h"

static bool enter_launch(struct adreno_pc *pc, struct pc_worker *worker, unsigned slot,
                         const struct adreno_launch *launch)
{
    worker->sp = adreno_hlsq_sp(pc->gpu, slot);
    if (!worker->sp || !adreno_sp_enter(worker->sp, launch))
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "a worker cannot run the draw's programs");
    return true;
}

/* ---- geometry ---- */

static bool shade_batch(struct adreno_pc *pc, struct pc_worker *worker)
{
    if (pc->patches.is_on)
        return adreno_pc_shade_patches(pc, worker);
    if (pc->geometry.is_on)
        return adreno_pc_shade_geometry(pc, worker);
    return adreno_pc_shade_vertices(pc, worker) && adreno_pc_assemble(pc, worker);
}

bool adreno_pc_round_geometry(struct adreno_pc *pc, unsigned slot)
{
    struct pc_worker *worker = &pc->worker[slot];
    bool has_entered = false;
    for (;;) {
        uint32_t number = atomic_fetch_add_explicit(&pc->next_batch, 1, memory_order_relaxed);
        if (number >= pc->batch_count || adreno_is_stopped(pc->gpu))
            return false;
        struct pc_batch *batch = &pc->batches[number];
        worker->batch = batch;
        worker->assembler.list = (struct raster_list){0};
        if (!adreno_pc_index_batch(pc, worker, batch))
            return false;
        if (!worker->prim_count)
            continue;
        if (!has_entered && !enter_launch(pc, worker, slot, &pc->vertex_launch))
            return false;
        has_entered = true;
        if (!shade_batch(pc, worker))
            return false;
        batch->list = worker->assembler.list;
        adreno_progress(pc->gpu);
    }
}

/* ---- sorting ---- */

struct tile_range {
    uint32_t x0, y0, x1, y1; /* inclusive */
};

static struct tile_range range_of(const struct raster_prim *prim)
{
    return (struct tile_range){(uint32_t)prim->x0 >> PC_TILE_LOG2, (uint32_t)prim->y0 >> PC_TILE_LOG2,
                               (uint32_t)(prim->x1 - 1) >> PC_TILE_LOG2, (uint32_t)(prim->y1 - 1) >> PC_TILE_LOG2};
}

/* Call `visit` for every primitive of the round, in order. */
static void for_each_prim(struct adreno_pc *pc, void (*visit)(struct adreno_pc *pc, const struct raster_prim *prim))
{
    for (uint32_t b = 0; b < pc->batch_count; b++) {
        for (const struct raster_block *block = pc->batches[b].list.first; block; block = block->next) {
            for (uint32_t i = 0; i < block->count; i++)
                visit(pc, &block->prims[i]);
        }
    }
}

/* While the grid grows, tiles_x and tiles_y are its last tiles. */
static void grow_grid(struct adreno_pc *pc, const struct raster_prim *prim)
{
    struct tile_range range = range_of(prim);
    pc->tile_x0 = MIN2(pc->tile_x0, range.x0);
    pc->tile_y0 = MIN2(pc->tile_y0, range.y0);
    pc->tiles_x = MAX2(pc->tiles_x, range.x1);
    pc->tiles_y = MAX2(pc->tiles_y, range.y1);
    pc->area += (uint64_t)(uint32_t)(prim->x1 - prim->x0) * (uint32_t)(prim->y1 - prim->y0);
}

static struct pc_tile *tile_at(struct adreno_pc *pc, uint32_t x, uint32_t y)
{
    return &pc->tiles.data[(y - pc->tile_y0) * pc->tiles_x + x - pc->tile_x0];
}

static void count_prim(struct adreno_pc *pc, const struct raster_prim *prim)
{
    struct tile_range range = range_of(prim);
    for (uint32_t y = range.y0; y <= range.y1; y++) {
        for (uint32_t x = range.x0; x <= range.x1; x++)
            tile_at(pc, x, y)->count++;
    }
}

static void put_prim(struct adreno_pc *pc, const struct raster_prim *prim)
{
    struct tile_range range = range_of(prim);
    for (uint32_t y = range.y0; y <= range.y1; y++) {
        for (uint32_t x = range.x0; x <= range.x1; x++) {
            struct pc_tile *tile = tile_at(pc, x, y);
            pc->refs.data[tile->first + tile->count++] = prim;
        }
    }
}

/* Where each tile's primitives begin. False: no memory. */
static bool place_tiles(struct adreno_pc *pc, uint32_t tiles)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        struct pc_tile *tile = &pc->tiles.data[i];
        if (tile->count)
            pc->order.data[pc->order.count++] = i;
        tile->first = (uint32_t)total;
        total += tile->count;
        tile->count = 0;
    }
    return total <= UINT32_MAX && array_reserve(&pc->refs, (uint32_t)total);
}

bool adreno_pc_round_sort(struct adreno_pc *pc)
{
    pc->tile_x0 = pc->tile_y0 = UINT32_MAX;
    pc->tiles_x = pc->tiles_y = 0;
    pc->area = 0;
    pc->order.count = 0;
    for_each_prim(pc, grow_grid);
    if (pc->tile_x0 == UINT32_MAX)
        return true;
    pc->tiles_x = pc->tiles_x - pc->tile_x0 + 1;
    pc->tiles_y = pc->tiles_y - pc->tile_y0 + 1;
    const uint32_t tiles = pc->tiles_x * pc->tiles_y;
    bool has_memory = array_reserve(&pc->tiles, tiles) && array_reserve(&pc->order, tiles);
    if (has_memory) {
        memset(pc->tiles.data, 0, tiles * sizeof(*pc->tiles.data));
        for_each_prim(pc, count_prim);
        has_memory = place_tiles(pc, tiles);
    }
    if (!has_memory)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    for_each_prim(pc, put_prim);
    return true;
}

/* ---- shading ---- */

#define PRIMS_AHEAD 2 /* that are asked for */

static bool shade_tile(struct adreno_pc *pc, struct pc_worker *worker, uint32_t index)
{
    const struct pc_tile *in = &pc->tiles.data[index];
    const struct raster_tile tile = {(int32_t)(pc->tile_x0 + index % pc->tiles_x) << PC_TILE_LOG2,
                                     (int32_t)(pc->tile_y0 + index / pc->tiles_x) << PC_TILE_LOG2, PC_TILE, PC_TILE};
    struct gras_shading *shading = &worker->shading;
    for (uint32_t i = 0; i < in->count; i++) {
        if (i + PRIMS_AHEAD < in->count)
            raster_prefetch(pc->refs.data[in->first + i + PRIMS_AHEAD]);
        adreno_gras_walk(shading, worker->sp, pc->refs.data[in->first + i], &tile);
        /* In order, a shader sees what the primitives before its own have left: the next one's early tests wait. */
        if (!adreno_gras_shade(shading, worker->sp, pc->gras.is_ordered))
            return false;
    }
    return adreno_gras_shade(shading, worker->sp, true);
}

bool adreno_pc_round_shade(struct adreno_pc *pc, unsigned slot)
{
    struct pc_worker *worker = &pc->worker[slot];
    bool has_entered = !pc->gras.has_shader;
    for (;;) {
        uint32_t next = atomic_fetch_add_explicit(&pc->next_tile, 1, memory_order_relaxed);
        if (next >= pc->order.count || adreno_is_stopped(pc->gpu))
            return false;
        if (!has_entered && !enter_launch(pc, worker, slot, &pc->fragment_launch))
            return false;
        has_entered = true;
        if (!shade_tile(pc, worker, pc->order.data[next]))
            return false;
        adreno_progress(pc->gpu);
    }
}
