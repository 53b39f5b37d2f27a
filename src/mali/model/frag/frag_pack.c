/* Pixels without their quads: a program that looks at no other lane needs no helpers, and small triangles have as many
 * of those as they have pixels. A lane is a pixel then, in the order of primitives, until a warp is full, the draw
 * changes, or a pixel would be drawn twice. Only of joined programs in one piece, of one sample, whose tests were made
 * before. */
#include <string.h>

#include "isa/lane_env.h"
#include "mali/model/frag/frag_join.h"
#include "model/lanes.h"
#include "model/stat.h"
#include "util/bits.h"

bool mali_frag_packs(struct frag_worker *w)
{
    const struct frag_draw *draw = w->draw;
    if (!draw->is_tested_first || !draw->has_shader || draw->dcd.ALPHA_TO_COVERAGE)
        return false;
    const struct frag_joined *joined = mali_frag_joined(w);
    return joined && joined->base.variants[false].state == PIXEL_JOIN_READY && joined->variants[false].is_apart;
}

/* ---- inputs ---- */

static unsigned run_end(const struct frag_packed *packed, unsigned run)
{
    return run + 1 < packed->run_count ? packed->runs[run + 1].first : packed->count;
}

/* As mali_frag_find_weights does it for quads, step by step: the results are the same. */
static void find_weights(struct frag_worker *w)
{
    const struct frag_packed *packed = &w->packed;
    float x[MALI_ROW_LANES], y[MALI_ROW_LANES];
    for (unsigned run = 0; run < packed->run_count; run++) {
        const struct raster_prim *prim = &w->prims[packed->runs[run].prim].bin.raster;
        const unsigned first = packed->runs[run].first, end = run_end(packed, run);
        for (unsigned lane = first; lane < end; lane++) {
            const uint32_t place = packed->places[lane], in_y = place >> 16;
            x[lane] = (float)(place & 0xfffe) + 0.5f - prim->origin_x + (float)(place & 1);
            y[lane] = (float)(in_y & 0xfffe) + 0.5f - prim->origin_y + (float)(in_y & 1);
        }
        mali_frag_lane_weights(w, prim, x, y, first, end);
    }
}

static void preload_registers(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted)
{
    const struct frag_packed *packed = &w->packed;
    if (!wanted)
        return;
    memcpy(mali_warp_row(warp, FRAG_REG_PLACE), packed->places, packed->count * sizeof(packed->places[0]));
    for (unsigned run = 0; run < packed->run_count; run++) {
        const struct mali_bin_prim *prim = &w->prims[packed->runs[run].prim].bin;
        for (unsigned lane = packed->runs[run].first; lane < run_end(packed, run); lane++) {
            mali_warp_row(warp, FRAG_REG_PRIMITIVE)[lane] = prim->primitive;
            mali_warp_row(warp, FRAG_REG_FACE)[lane] = prim->raster.is_back;
        }
    }
    lanes_splat(mali_warp_row(warp, FRAG_REG_COVERAGE), 1, MALI_ROW_LANES); /* of one sample */
    lanes_splat(mali_warp_row(warp, FRAG_REG_SAMPLE), 1, MALI_ROW_LANES);
    mali_frag_preload_frame(w, warp, wanted);
}

/* The program's inputs. False: stopped. */
static bool load_inputs(struct frag_worker *w, struct mali_warp *warp, const struct frag_join_variant *variant)
{
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    const struct frag_packed *packed = &w->packed;
    preload_registers(w, warp, variant->preloaded);
    if (variant->has_weights || variant->as_rows)
        find_weights(w);
    if (variant->has_weights) {
        memcpy(rows->weight_i, w->weight_i, sizeof(rows->weight_i));
        memcpy(rows->weight_j, w->weight_j, sizeof(rows->weight_j));
    }
    for (unsigned i = 0; i < variant->varying_count; i++) {
        struct mali_varying_load load = variant->varyings[i];
        load.rows_out = rows->varyings[i][0];
        for (unsigned run = 0; run < packed->run_count && (variant->as_rows >> i & 1); run++) {
            const struct mali_bin_prim *prim = &w->prims[packed->runs[run].prim].bin;
            if (!mali_frag_load_run(w, prim, &load, packed->runs[run].first, run_end(packed, run)))
                return false;
        }
    }
    for (unsigned i = 0; i < variant->output_count; i++) {
        if (variant->outputs[i].is_read)
            mali_frag_get_pixels(w, variant->outputs[i].target, rows->codes[i]);
    }
    for (unsigned i = 0; i < variant->tile_count; i++)
        mali_frag_get_pixels(w, variant->tiles[i], rows->tiles[i]);
    return true;
}

/* ---- a warp ---- */

static bool run_warp(struct frag_worker *w, struct mali_warp *warp, const struct frag_joined *joined, bool is_one)
{
    const struct frag_join_variant *variant = &joined->variants[is_one];
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    const struct frag_prim *prim = &w->prims[w->packed.runs[0].prim];
    const uint64_t lanes = bits_mask(w->packed.count);
    if (is_one && w->join_prim != prim->serial) {
        if (!mali_frag_join_values(w, variant, &prim->bin, warp))
            return false;
        w->join_prim = prim->serial;
    }
    if (!load_inputs(w, warp, variant) ||
        !mali_sc_join_run(warp, &joined->base.variants[is_one], &variant->between, lanes, lanes))
        return false;
    const uint64_t left = lanes & (variant->has_coverage ? mali_frag_first_samples(rows->coverage) : UINT64_MAX) &
                          (variant->has_discard ? ~rows->killed : UINT64_MAX);
    for (unsigned i = 0; i < variant->output_count; i++)
        mali_frag_put_pixels(
            w, variant->outputs[i].target, (const uint32_t(*)[MALI_ROW_LANES])rows->codes[i],
            left & (variant->outputs[i].has_cover ? mali_frag_first_samples(rows->covers[i]) : UINT64_MAX));
    return true;
}

/* The joined program has gone since the pixels came: each of them is a quad with helpers. */
static bool run_as_quads(struct frag_worker *w)
{
    struct frag_packed packed = w->packed;
    w->packed.count = 0;
    for (unsigned run = 0; run < packed.run_count; run++) {
        const unsigned number = packed.runs[run].prim;
        for (unsigned lane = packed.runs[run].first; lane < run_end(&packed, run); lane++) {
            const unsigned x = packed.places[lane] & 0xffff, y = packed.places[lane] >> 16;
            const uint64_t mask = 1ull << 8 * (packed.cells[lane] % 4);
            if (w->quad_count == FRAG_WARP_QUADS && !mali_frag_run_quads(w))
                return false;
            w->quad_prims[w->quad_count] = (uint8_t)number;
            w->quads[w->quad_count++] = (struct frag_quad){
                .prim = &w->prims[number].bin.raster,
                .x = (uint16_t)(x & ~1u),
                .y = (uint16_t)(y & ~1u),
                .cell = packed.cells[lane] & (uint16_t)~3u,
                .mask = mask,
                .coverage = mask,
            };
        }
    }
    return mali_frag_run_quads(w);
}

bool mali_frag_run_packed(struct frag_worker *w)
{
    struct frag_joined *joined = mali_frag_packs(w) ? mali_frag_joined(w) : NULL;
    const bool is_one = joined && w->packed.run_count == 1 && joined->base.variants[true].state == PIXEL_JOIN_READY &&
                        joined->variants[true].is_apart;
    struct mali_warp *warp = joined ? mali_frag_join_begin(w, joined, is_one) : NULL;
    if (!warp)
        return run_as_quads(w);
    const unsigned before = stat_enter_work(STAT_HOST);
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    const bool is_ok = run_warp(w, warp, joined, is_one);
    lane_env_set(host);
    stat_leave(before);
    stat_count_waves(1);
    w->packed.count = 0;
    return is_ok;
}

/* ---- pixels ---- */

/* Pixels of a block, as many as there is room for; returns the rest. */
static uint64_t take_pixels(struct frag_worker *w, unsigned cell, uint32_t place, uint64_t pixels)
{
    struct frag_packed *packed = &w->packed;
    unsigned count = packed->count;
    for (; pixels && count < MALI_ROW_LANES; pixels &= pixels - 1, count++) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(pixels), x = (bit >> 1 & 6) | (bit & 1),
                       y = (bit >> 3 & 6) | (bit >> 1 & 1);
        packed->cells[count] = (uint16_t)(cell + bit);
        packed->places[count] = place + (x | y << 16);
    }
    packed->count = count;
    return pixels;
}

bool mali_frag_pack(struct frag_worker *w, const struct mali_bin_prim *prim, unsigned in_x, unsigned in_y,
                    uint64_t pixels)
{
    struct frag_packed *packed = &w->packed;
    const unsigned cell = mali_frag_place(w->fb, in_x, in_y);
    const uint32_t place = ((uint32_t)w->tile.x + in_x) | ((uint32_t)w->tile.y + in_y) << 16;
    if ((w->quad_count || w->pending[cell / FRAG_BLOCK_PIXELS] & pixels) && !mali_frag_flush(w))
        return false;
    while (pixels) {
        const bool is_full = packed->count == MALI_ROW_LANES || w->prim_count == FRAG_BATCH_PRIMS;
        if (is_full && !mali_frag_flush(w))
            return false;
        const unsigned number = mali_frag_find_prim(w, prim);
        if (!packed->count)
            packed->run_count = 0;
        if (!packed->count || packed->runs[packed->run_count - 1].prim != number)
            packed->runs[packed->run_count++] = (struct frag_packed_run){(uint8_t)packed->count, (uint8_t)number};
        const uint64_t left = take_pixels(w, cell, place, pixels);
        w->pending[cell / FRAG_BLOCK_PIXELS] |= pixels & ~left;
        pixels = left;
    }
    return true;
}
