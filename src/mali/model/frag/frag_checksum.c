/* Checksums of tiles (transaction elimination): eight bytes in memory for each tile of one target. A tile whose checksum is
 * the one in memory is there already, and is not written again.
 *
 * What the hardware's sum is made of is not public; drivers store and compare none, and only say whether those in memory
 * are valid. So it is a hash of ours: of the cells that are written, and of which they are. */
#include <string.h>

#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/hash.h"

/* The cells of a row that the mask has, one after the other. */
static uint64_t hash_row(uint64_t sum, const uint8_t *cells, unsigned cell_B, uint32_t mask)
{
    uint8_t row[FRAG_TILE_SIDE * FRAG_CELL_B];
    unsigned count = 0;
    bits_foreach (mask, x)
        memcpy(row + cell_B * count++, cells + cell_B * (unsigned)x, cell_B);
    return hash_u64(sum ^ mask) ^ hash_bytes(row, (size_t)cell_B * count);
}

/* False: nothing of the tile is written. */
static bool sum_tile(const struct frag_worker *w, unsigned number, uint64_t *sum_out)
{
    const struct frag_target *target = &w->fb->targets[number];
    uint64_t sum = 0;
    bool is_any = false;
    for (unsigned y = 0; y < (unsigned)w->tile.height; y++) {
        const uint32_t mask = mali_frag_written(w, number, y);
        is_any |= mask != 0;
        for (unsigned s = 0; s < w->fb->samples; s++)
            sum = hash_row(sum, mali_frag_color(w, target, s, 0, y), target->cell_B, mask);
    }
    *sum_out = sum;
    return is_any;
}

bool mali_frag_checksum(const struct frag_worker *w, unsigned number, bool *is_written_out)
{
    const struct frag_checksums *sums = &w->fb->checksums;
    uint64_t sum, before;
    *is_written_out = true;
    if (!sums->is_compared && !sums->is_stored)
        return true;
    if (!sum_tile(w, number, &sum)) {
        *is_written_out = false;
        return true;
    }
    const uint64_t va = sums->base_va + (uint64_t)((uint32_t)w->tile.y / w->fb->tile_h) * sums->row_B +
                        (uint64_t)((uint32_t)w->tile.x / w->fb->tile_w) * sizeof(sum);
    if (sums->is_compared) {
        if (!mali_read(w->fb->queue, "checksum of a tile", va, &before, sizeof(before)))
            return false;
        *is_written_out = sum != before;
    }
    if (sums->is_stored && gpu_space_write(w->fb->queue->space, va, &sum, sizeof(sum)) != sizeof(sum))
        return mali_fault(w->fb->queue, "checksum of a tile", va, sizeof(sum), true);
    return true;
}
