/* Checksums of tiles (transaction elimination): eight bytes in memory for each tile of one target. A tile whose
 * checksum is the one in memory is there already, and is not written again.
 *
 * What the hardware's sum is made of is not public; drivers store and compare none, and only say whether those in
 * memory are valid. So it is a hash of ours: of the cells that are written, and of which they are. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/hash.h"

/* The cells of a block that are written, one after the other. */
static uint64_t hash_block(uint64_t sum, const uint8_t *cells, unsigned cell_B, uint64_t pixels)
{
    uint8_t bytes[FRAG_BLOCK_PIXELS * FRAG_CELL_B];
    unsigned count = 0;
    bits_foreach (pixels, i)
        memcpy(bytes + cell_B * count++, cells + cell_B * (unsigned)i, cell_B);
    return hash_u64(sum ^ pixels) ^ hash_bytes(bytes, (size_t)cell_B * count);
}

static uint64_t sum_tile(const struct frag_worker *w, unsigned number, const uint64_t *pixels)
{
    const struct frag_target *target = &w->fb->targets[number];
    uint64_t sum = 0;
    for (unsigned i = 0; i < mali_frag_cells(w->fb) / FRAG_BLOCK_PIXELS; i++) {
        for (unsigned s = 0; s < w->fb->samples; s++)
            sum = hash_block(sum, mali_frag_color(w, target, s, i * FRAG_BLOCK_PIXELS), target->cell_B, pixels[i]);
    }
    return sum;
}

bool mali_frag_checksum(const struct frag_worker *w, unsigned number, const uint64_t *pixels, bool *is_written_out)
{
    const struct frag_checksums *sums = &w->fb->checksums;
    uint64_t before;
    *is_written_out = true;
    if (!sums->is_compared && !sums->is_stored)
        return true;
    const uint64_t sum = sum_tile(w, number, pixels);
    const uint64_t va = sums->base_va + (uint64_t)((uint32_t)w->tile.y / w->fb->tile_h) * sums->row_B +
                        (uint64_t)((uint32_t)w->tile.x / w->fb->tile_w) * sizeof(sum);
    if (sums->is_compared) {
        if (!mali_read(w->fb->queue, "checksum of a tile", va, &before, sizeof(before)))
            return false;
        *is_written_out = sum != before;
    }
    if (sums->is_stored)
        MALI_WRITES(w->fb->queue, MALI_CLIENT_WRITEBACK, va, sizeof(sum));
    if (sums->is_stored && gpu_space_write(w->fb->queue->space, va, &sum, sizeof(sum)) != sizeof(sum))
        return mali_fault(w->fb->queue, "checksum of a tile", va, sizeof(sum), true);
    return true;
}
