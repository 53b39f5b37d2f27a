/* Where the host has the pixels of a colour target, block by block, once they are expanded. Not for what the metadata
 * means (cb_meta.c). */
#include "amd/model/cb/cb.h"

#include <string.h>

#include "util/bits.h"

/* Where pixels go that have no memory, in a target that is partially resident: what they hold is never seen. */
static void *nowhere(uint32_t size_B)
{
    static _Thread_local _Alignas(64) uint8_t bytes[64 << 10];
    return size_B <= sizeof(bytes) ? memset(bytes, 0, size_B) : NULL;
}

void *amd_cb_access_slowly(struct cb *cb, uint64_t va, uint32_t size_B)
{
    void *host;
    enum gpu_access access = gpu_space_resolve(cb->memory, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE, &host);
    if (access == GPU_ACCESS_ZERO)
        host = nowhere(size_B);
    if (access != GPU_ACCESS_FAULT && host)
        return host;
    cb->fault_va = va ? va : 1;
    cb->fault_is_write = true;
    return NULL;
}

bool amd_cb_find_pieces(struct cb *cb, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                        struct cb_block *block)
{
    block->draw = 0;
    block->x = cb_block_first(surface, x);
    block->y = cb_block_first(surface, y);
    block->slice = slice;
    for (unsigned s = 0; s < surface->desc.samples; s++) {
        uint64_t va = cb_surface_at(surface, block->x, block->y, slice, s);
        block->low[s] = (uint16_t)(va & (surface->block_B - 1u));
        block->host[s] = cb_access(cb, va - block->low[s], surface->block_B);
        if (!block->host[s])
            return false;
    }
    block->draw = cb->draw;
    return true;
}

/* Metadata is linear over GF(2), too: within the tile only the lowest bits of coordinates count. */
static void enter_dcc(const struct cb_target *target, struct cb_tile *tile, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct amd_meta *dcc = &target->meta->dcc;
    const struct amd_meta_level *level = &dcc->level[target->surface->level];
    tile->has_dcc =
        dcc->block_w_log2 >= SC_TILE_LOG2 && dcc->block_h_log2 >= SC_TILE_LOG2 && !level->tail_x && !level->tail_y;
    tile->dcc_nibble = amd_equation_lut_axis(dcc->lut.x, x) ^ amd_equation_lut_axis(dcc->lut.y, y) ^
                       amd_equation_lut_axis(dcc->lut.z, slice);
    const uint64_t block = (uint64_t)(y >> dcc->block_h_log2) * level->pitch_blocks + (x >> dcc->block_w_log2);
    tile->dcc_va = target->dcc_va + (uint64_t)dcc->slice_B * (slice >> dcc->block_d_log2) + level->offset_B +
                   (block << dcc->block_log2);
}

struct cb_tile *amd_cb_enter_tile(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    struct cb_tile *tile = &cb->tiles[t];
    x >>= SC_TILE_LOG2;
    y >>= SC_TILE_LOG2;
    *tile = (struct cb_tile){.is_set = true, .x = x, .y = y, .slice = slice};
    x <<= SC_TILE_LOG2;
    y <<= SC_TILE_LOG2;
    for (unsigned s = 0; s < surface->desc.samples && surface->has_tiles; s++)
        tile->va[s] = cb_surface_at(surface, x, y, slice, s);
    if (target->has_dcc)
        enter_dcc(target, tile, x, y, slice);
    return tile;
}

void amd_cb_map_tile(struct cb *cb, const struct cb_surface *surface, struct cb_tile *tile)
{
    const uint64_t size_B = 1ull << surface->layout.equation.bit_count;
    tile->is_asked = true;
    tile->host_va = tile->va[0] & ~(size_B - 1);
    tile->host = gpu_space_whole(cb->memory, tile->host_va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
}

bool amd_cb_is_known(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    struct cb_tile *tile = cb_tile_at(cb, t, x, y, slice);
    uint64_t bit = 1ull << ((y >> 3 & 7) * 8 + (x >> 3 & 7));
    bool known = tile->known & bit;
    tile->known |= bit;
    return known;
}

/* amd_cb_find_pieces in a tile. */
static bool find_in_tile(struct cb *cb, const struct cb_surface *surface, const struct cb_tile *tile, uint32_t x,
                         uint32_t y, struct cb_block *block)
{
    block->draw = 0;
    block->x = cb_block_first(surface, x);
    block->y = cb_block_first(surface, y);
    const uint32_t bits = surface->quad_x[block->x >> 1 & 31] ^ surface->quad_y[block->y >> 1 & 31];
    block->slice = tile->slice;
    for (unsigned s = 0; s < surface->desc.samples; s++) {
        const uint64_t va = tile->va[s] ^ bits;
        block->low[s] = (uint16_t)(va & (surface->block_B - 1u));
        block->host[s] = tile->host ? tile->host + (va - block->low[s] - tile->host_va)
                                    : cb_access(cb, va - block->low[s], surface->block_B);
        if (!block->host[s])
            return false;
        if (!tile->host) /* else all of a tile's blocks are found at once: so many at a time are only waited for */
            cb_block_fetch(surface, block->host[s]);
    }
    block->draw = cb->draw;
    return true;
}

void amd_cb_find_blocks(struct cb *cb, unsigned t, const struct cb_tile *tile, uint64_t blocks)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    bits_foreach (blocks, b) {
        struct cb_block *block = &cb->blocks[t].at[b];
        const uint32_t x = (tile->x << SC_TILE_LOG2) + (uint32_t)b % 8 * 8,
                       y = (tile->y << SC_TILE_LOG2) + (uint32_t)b / 8 * 8;
        if (!cb_block_is(surface, block, cb->draw, x, y, tile->slice))
            find_in_tile(cb, surface, tile, x, y, block);
    }
}

static bool find_host(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, struct cb_block *block)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    if (!surface->has_tiles)
        return amd_cb_find_pieces(cb, surface, x, y, slice, block);
    struct cb_tile *tile = cb_tile_at(cb, t, x, y, slice);
    if (surface->block_log2 < 3 && !tile->is_asked) /* small blocks are many */
        amd_cb_map_tile(cb, surface, tile);
    return find_in_tile(cb, surface, tile, x, y, block);
}

const struct cb_block *amd_cb_find_block(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice,
                                         bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    struct cb_block *block = cb_block_slot(&cb->blocks[t], target->surface, x, y);
    if (target->meta && !amd_cb_is_known(cb, t, x, y, slice) &&
        !amd_cb_meta_prepare_block(cb, t, x, y, slice, overwritten))
        return NULL;
    if (!find_host(cb, t, x, y, slice, block))
        return NULL;
    if (target->by_pixel && !amd_cb_meta_find_numbers(cb, target, block)) {
        block->draw = 0;
        return NULL;
    }
    return block;
}
