/* Where the host has the pixels of a colour target, block by block, once they are expanded. Not for what the metadata
 * means (cb_meta.c). */
#include "amd/model/cb/cb.h"

#include "util/bits.h"

void *amd_cb_access_slowly(struct cb *cb, uint64_t va, uint32_t size_B)
{
    void *host;
    if (gpu_space_resolve(cb->memory, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE, &host) == GPU_ACCESS_MEMORY)
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

bool amd_cb_is_known(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice)
{
    uint32_t tile_x = x >> SC_TILE_LOG2, tile_y = y >> SC_TILE_LOG2;
    uint64_t bit = 1ull << ((y >> 3 & 7) * 8 + (x >> 3 & 7));
    if (cb->known[t].x != tile_x || cb->known[t].y != tile_y || cb->known[t].slice != slice) {
        cb->known[t].x = tile_x;
        cb->known[t].y = tile_y;
        cb->known[t].slice = slice;
        cb->known[t].blocks = 0;
    }
    bool known = cb->known[t].blocks & bit;
    cb->known[t].blocks |= bit;
    return known;
}

const struct cb_block *amd_cb_find_block(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice,
                                         bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    struct cb_block *block = cb_block_slot(&cb->blocks[t], target->surface, x, y);
    if (target->meta && !amd_cb_is_known(cb, t, x, y, slice) &&
        !amd_cb_meta_prepare_block(cb, t, x, y, slice, overwritten))
        return NULL;
    return amd_cb_find_pieces(cb, target->surface, x, y, slice, block) ? block : NULL;
}
