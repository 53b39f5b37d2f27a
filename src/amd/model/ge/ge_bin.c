/* Binning: which primitives of a round each tile has, and in what order tiles are shaded. */
#include <string.h>

#include "amd/model/ge/ge.h"
#include "util/bits.h"

struct tile_range {
    uint32_t x0, y0, x1, y1; /* inclusive */
};

static struct tile_range tiles_of(const struct raster_prim *prim)
{
    return (struct tile_range){(uint32_t)prim->x0 >> SC_TILE_LOG2, (uint32_t)prim->y0 >> SC_TILE_LOG2,
                               (uint32_t)(prim->x1 - 1) >> SC_TILE_LOG2, (uint32_t)(prim->y1 - 1) >> SC_TILE_LOG2};
}

#define for_each_prim(ge, prim)                                                                                        \
    for (uint32_t b_ = 0; b_ < (ge)->batch_count; b_++)                                                                \
        for (const struct raster_block *block_ = (ge)->batches[b_].list.first; block_; block_ = block_->next)          \
            for (const struct raster_prim *prim = block_->prims; prim < block_->prims + block_->count; prim++)

/* The tiles that anything of the round touches. */
static bool find_grid(struct ge *ge)
{
    uint32_t x0 = UINT32_MAX, y0 = UINT32_MAX, x1 = 0, y1 = 0;
    ge->area = 0;
    for_each_prim(ge, prim)
    {
        struct tile_range range = tiles_of(prim);
        x0 = MIN2(x0, range.x0);
        y0 = MIN2(y0, range.y0);
        x1 = MAX2(x1, range.x1);
        y1 = MAX2(y1, range.y1);
        ge->area += (uint64_t)(uint32_t)(prim->x1 - prim->x0) * (uint32_t)(prim->y1 - prim->y0);
    }
    ge->order.count = 0;
    if (x0 == UINT32_MAX)
        return true;
    ge->tile_x0 = x0;
    ge->tile_y0 = y0;
    ge->tiles_x = x1 - x0 + 1;
    ge->tiles_y = y1 - y0 + 1;
    uint32_t tiles = ge->tiles_x * ge->tiles_y;
    if (!array_reserve(&ge->bins, tiles) || !array_reserve(&ge->order, tiles))
        return false;
    memset(ge->bins.data, 0, tiles * sizeof(*ge->bins.data));
    ge->bins.count = tiles;
    return true;
}

static struct ge_bin *bin_at(struct ge *ge, uint32_t x, uint32_t y)
{
    return &ge->bins.data[(y - ge->tile_y0) * ge->tiles_x + x - ge->tile_x0];
}

/* A stipple that goes on from line to line: the one thing that a primitive must know of those before it. */
static void count_stipples(struct ge *ge)
{
    for_each_prim(ge, prim)
    {
        if (prim->stipple) {
            prim->stipple->start = ge->stipple;
            ge->stipple += prim->stipple->length;
        }
    }
}

/* Tiles that take about as long are of one rank: those with many primitives come first, so that workers have short ones
 * at the end. Of many tiles none takes long beside the others. */
#define RANKS 32
#define FEW_TILES 32 /* of a worker */

static unsigned rank_of(const struct ge *ge, const struct ge_bin *bin)
{
    return ge->bins.count <= FEW_TILES * ge->slots ? (unsigned)__builtin_clz(bin->count | 7) : 0;
}

/* By rank, and else in their order, for neighbours have memory in common. Refs are laid out beside that. Returns how
 * many there are. */
static uint64_t order_tiles(struct ge *ge)
{
    uint64_t total = 0;
    uint32_t at[RANKS] = {0};
    for (uint32_t i = 0; i < ge->bins.count; i++) {
        struct ge_bin *bin = &ge->bins.data[i];
        at[rank_of(ge, bin)] += bin->count != 0;
        bin->first = (uint32_t)total;
        total += bin->count;
    }
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const uint32_t count = at[rank];
        at[rank] = ge->order.count;
        ge->order.count += count;
    }
    for (uint32_t i = 0; i < ge->bins.count; i++) {
        struct ge_bin *bin = &ge->bins.data[i];
        if (bin->count)
            ge->order.data[at[rank_of(ge, bin)]++] = i;
        bin->count = 0;
    }
    return total;
}

bool amd_ge_round_bin(struct ge *ge)
{
    ge->bins.count = 0;
    if (ge->pipeline.pa.stipple && ge->pipeline.pa.stipple_goes_on)
        count_stipples(ge);
    bool memory = find_grid(ge);
    if (memory && ge->bins.count) {
        for_each_prim(ge, prim)
        {
            struct tile_range range = tiles_of(prim);
            for (uint32_t y = range.y0; y <= range.y1; y++) {
                for (uint32_t x = range.x0; x <= range.x1; x++)
                    bin_at(ge, x, y)->count++;
            }
        }
        const uint64_t total = order_tiles(ge);
        memory = total <= UINT32_MAX && array_reserve(&ge->refs, (uint32_t)total);
    }
    if (!memory) {
        amd_ge_fault_host(ge);
        return false;
    }
    for_each_prim(ge, prim)
    {
        struct tile_range range = tiles_of(prim);
        for (uint32_t y = range.y0; y <= range.y1; y++) {
            for (uint32_t x = range.x0; x <= range.x1; x++) {
                struct ge_bin *bin = bin_at(ge, x, y);
                ge->refs.data[bin->first + bin->count++] = prim;
            }
        }
    }
    return true;
}
