/* Primitives in a tile: which pixels they have, and what of them is tested before there are quads. */
#include <string.h>

#include "mali/model/frag/frag.h"
#include "model/stat.h"
#include "util/bits.h"

/* ---- pixels ---- */

/* Every pixel of the tile, as pre- and post-frame draws take it: blocks and parts of blocks, as the rasteriser has
 * them. */
static void walk_blocks(const struct frag_worker *w, struct raster_quads *out)
{
    for (int32_t y = 0; y < w->tile.height; y += RASTER_BLOCK) {
        const uint64_t rows = bits_mask((unsigned)MIN2(w->tile.height - y, RASTER_BLOCK) * RASTER_BLOCK);
        for (int32_t x = 0; x < w->tile.width; x += RASTER_BLOCK) {
            const uint64_t row = bits_mask((unsigned)MIN2(w->tile.width - x, RASTER_BLOCK)),
                           mask = rows & row * 0x0101010101010101ull;
            const int32_t b = y + x / RASTER_BLOCK;
            out->masks[b] = mask;
            out->blocks |= (uint64_t)(mask == UINT64_MAX) << b;
            out->parts |= (uint64_t)(mask != UINT64_MAX) << b;
        }
    }
}

/* Walks over all of the tile, as quads. */
static void walk_all(struct frag_worker *w, const struct raster_prim *prim, struct raster_quads *out)
{
    const uint32_t samples = (uint32_t)bits_mask(w->fb->coverage[0].samples);
    const unsigned columns = w->fb->tile_w / RASTER_BLOCK;
    for (unsigned i = 0; i < mali_frag_cells(w->fb) / 4; i++) {
        const unsigned block = i / FRAG_WARP_QUADS;
        const int32_t x = (int32_t)(block % columns * RASTER_BLOCK + i % 4 * 2);
        const int32_t y = (int32_t)(block / columns * RASTER_BLOCK + i / 4 % 4 * 2);
        uint32_t mask = 0;
        for (unsigned p = 0; p < 4; p++) {
            if (x + (int32_t)(p & 1) < w->tile.width && y + (int32_t)(p / 2) < w->tile.height)
                mask |= samples << 8 * p;
        }
        if (!mask)
            continue;
        out->quads[out->count++] = (struct raster_quad){
            .prim = prim,
            .x = (uint16_t)(w->tile.x + x),
            .y = (uint16_t)(w->tile.y + y),
            .mask = mask,
            .coverage = mask,
        };
    }
}

/* Samples of the primitive that are outside of the draw's depth bounds are not covered. */
static void cut_depth(const struct frag_draw *draw, unsigned half, const struct mali_bin_prim *bin,
                      struct raster_quads *found)
{
    const struct raster_prim *prim = &bin->raster;
    const float *place_x = draw->place_x + half * RASTER_MAX_SAMPLES,
                *place_y = draw->place_y + half * RASTER_MAX_SAMPLES;
    uint32_t kept = 0;
    for (uint32_t q = 0; q < found->count; q++) {
        struct raster_quad *quad = &found->quads[q];
        uint32_t mask = 0;
        bits_foreach (quad->coverage, bit) {
            const float x = (float)(quad->x + (bit / 8 & 1)) + place_x[bit % 8] - prim->origin_x;
            const float y = (float)(quad->y + bit / 16) + place_y[bit % 8] - prim->origin_y;
            const float z = bin->cut_z_at + (prim->z.dx * x + prim->z.dy * y);
            if (z >= prim->z_min && z <= prim->z_max)
                mask |= 1u << bit;
        }
        quad->mask &= mask;
        quad->coverage &= mask;
        if (quad->mask)
            found->quads[kept++] = *quad;
    }
    found->count = kept;
}

/* ---- the first ones of a tile ---- */

static void walk_tile(struct frag_worker *w, const struct raster_coverage *coverage, const struct raster_prim *prim,
                      struct raster_quads *found)
{
    const unsigned before = stat_enter(STAT_RASTER);
    raster_walk_tile(coverage, prim, &w->tile, found);
    stat_leave(before);
}

bool mali_frag_is_outside(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim)
{
    struct raster_quads found = {.quads = w->walked, .takes_blocks = true};
    if (w->fb->halves > 1)
        return false;
    walk_tile(w, &draw->coverage[0], &prim->raster, &found);
    return !found.count && !found.blocks;
}

bool mali_frag_draw_over(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim,
                         enum frag_over *over_out)
{
    uint64_t passed[FRAG_BLOCKS], masks[64];
    struct raster_quads all = {.masks = masks}, found = {.quads = w->walked, .takes_blocks = true};
    bool is_solid;
    *over_out = FRAG_OVER_NOT;
    if (w->fb->halves > 1 || !draw->coverage[0].sample_mask[0] || !mali_frag_begin_draw(w, draw))
        return !mali_is_stopped(w->fb->queue);
    walk_tile(w, &draw->coverage[0], &prim->raster, &found);
    if (!found.count && !found.blocks) {
        *over_out = FRAG_OVER_OUTSIDE;
        return true;
    }
    if ((w->tile.width | w->tile.height) % RASTER_BLOCK)
        return true;
    walk_blocks(w, &all);
    if (found.count || found.blocks != all.blocks || prim->is_cut || !mali_frag_replaces(w, &is_solid))
        return true;
    w->prim_serial++;
    *over_out = is_solid ? FRAG_OVER_SOLID : FRAG_OVER_DRAWN;
    memset(passed, 0xff, sizeof(passed));
    return is_solid ? mali_frag_find_solid(w) : mali_frag_run_blocks(w, prim, found.blocks, passed);
}

/* ---- primitives whose pixels are tested first ---- */

/* So many quads of a block are worth a warp that runs all of it: it needs no batch to be put together. */
#define BLOCK_QUADS 11

/* So many pixels where others go without helpers. */
#define BLOCK_PIXELS 52

static bool is_worth_block(uint64_t pixels, bool packs)
{
    if (packs)
        return __builtin_popcountll(pixels) >= BLOCK_PIXELS;
    uint64_t any = pixels | pixels >> 1;
    any |= any >> 2;
    return __builtin_popcountll(any & 0x1111111111111111ull) >= BLOCK_QUADS;
}

/* Blocks and parts of blocks, without quads: what passes is shaded as blocks, or waits as quads for a batch. Tests are
 * in the order of primitives, whatever waits. */
static bool draw_parts(struct frag_worker *w, const struct mali_bin_prim *prim, struct raster_quads *found)
{
    const struct frag_draw *draw = w->draw;
    const bool takes_blocks = mali_frag_takes_blocks(w), packs = mali_frag_packs(w);
    uint64_t passed[FRAG_BLOCKS], shaded = 0;
    unsigned count = 0;
    bits_foreach (found->blocks | found->parts, b) {
        const int32_t x = w->tile.x + (int32_t)b % 8 * RASTER_BLOCK, y = w->tile.y + (int32_t)b / 8 * RASTER_BLOCK;
        uint64_t covered = found->blocks >> b & 1 ? UINT64_MAX : raster_rows_to_quads(found->masks[b]);
        if (prim->is_cut)
            covered &= raster_block_within(&prim->raster, prim->cut_z_at, (uint32_t)x, (uint32_t)y, draw->place_x[0],
                                           draw->place_y[0]);
        const uint64_t left =
            covered ? mali_frag_zs_test_block(w, &prim->raster, (unsigned)x, (unsigned)y, covered) : 0;
        if (!left || !draw->has_shader)
            continue;
        if (takes_blocks && is_worth_block(left, packs)) {
            shaded |= 1ull << b;
            passed[count++] = left;
        } else if (packs) {
            if (!mali_frag_pack(w, prim, (unsigned)b % 8 * RASTER_BLOCK, (unsigned)b / 8 * RASTER_BLOCK, left))
                return false;
        } else {
            raster_add_part(&draw->coverage[0], &prim->raster, x, y, raster_quads_to_rows(covered),
                            raster_quads_to_rows(left), found);
        }
    }
    if (shaded && !mali_frag_run_blocks(w, prim, shaded, passed))
        return false;
    return mali_frag_add_quads(w, found->quads, found->count, prim);
}

static bool draw_tested(struct frag_worker *w, const struct mali_bin_prim *prim)
{
    uint64_t masks[64];
    struct raster_quads found = {.quads = w->walked, .takes_blocks = true, .masks = masks, .wants_no_quads = true};
    const unsigned before = stat_enter(STAT_RASTER);
    if (!prim)
        walk_blocks(w, &found);
    else if (w->draw->coverage[0].sample_mask[0])
        raster_walk_tile(&w->draw->coverage[0], &prim->raster, &w->tile, &found);
    stat_leave(before);
    w->prim_serial++;
    return draw_parts(w, prim ? prim : &w->fb->frame, &found);
}

bool mali_frag_draw_prim(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim)
{
    if (!mali_frag_begin_draw(w, draw))
        return false;
    if (!prim && mali_frag_is_idle(w))
        return true;
    if (draw->is_tested_first)
        return draw_tested(w, prim);
    if (draw->is_per_sample && !mali_frag_flush(w))
        return false;
    struct raster_quads found[FRAG_HALVES] = {{.quads = w->walked}};
    const unsigned before = stat_enter(STAT_RASTER);
    for (unsigned h = 0; h < w->fb->halves; h++) {
        found[h].quads = w->walked + (size_t)h * w->fb->tile_w * w->fb->tile_h;
        if (!prim)
            walk_all(w, &w->fb->frame.raster, &found[h]);
        else if (draw->coverage[h].sample_mask[0])
            raster_walk_tile(&draw->coverage[h], &prim->raster, &w->tile, &found[h]);
        if (prim && prim->is_cut)
            cut_depth(draw, h, prim, &found[h]);
    }
    stat_leave(before);
    w->prim_serial++;
    prim = prim ? prim : &w->fb->frame;
    if (w->fb->halves > 1)
        return mali_frag_add_halves(w, found, prim);
    return mali_frag_add_quads(w, found[0].quads, found[0].count, prim);
}
