/* Warps and blocks of joined programs (frag_join.h): from quads, or from a primitive's planes, to the cells of a
 * tile. */
#include <string.h>

#include "isa/lane_env.h"
#include "mali/model/frag/frag_join.h"
#include "model/lanes.h"
#include "model/stat.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- finding ---- */

/* The worker's own: draws are read by it alone. */
static struct frag_draw *own_draw(struct frag_worker *w)
{
    return &w->draws[w->draw->serial % FRAG_DRAW_CACHE];
}

/* The warp of joined programs, for the draw at hand. Another job of the same worker may have taken it meanwhile. */
static struct mali_warp *begin_warp(struct frag_worker *w)
{
    if (w->join_warp && w->join_launch == w->draw->launch.serial && w->join_warp->user == w &&
        w->join_warp->launch == &w->draw->launch)
        return w->join_warp;
    w->join_warp = mali_sc_join_warp(w->core, &w->draw->launch, sizeof(struct frag_join_rows));
    w->join_launch = w->draw->launch.serial;
    w->join_prim = 0;
    if (w->join_warp)
        w->join_warp->user = w;
    return w->join_warp;
}

/* Whether the draw at hand can run a variant that has code: buffers that it reads as host memory are mapped. Asked of
 * each draw, once for each variant: another draw with this program may have had the variant made. */
static bool suits_draw(struct frag_worker *w, const struct frag_joined *joined, bool is_one)
{
    struct frag_draw *draw = own_draw(w);
    const uint8_t bit = (uint8_t)(1u << is_one);
    if (!(draw->joins_asked & bit)) {
        draw->joins_asked |= bit;
        if (begin_warp(w) && mali_sc_join_suits(w->join_warp, &joined->base.variants[is_one]))
            draw->joins_suited |= bit;
    }
    return draw->joins_suited & bit;
}

struct frag_joined *mali_frag_joined(struct frag_worker *w)
{
    const struct exec_code *code = mali_sc_join_code(w->core);
    struct frag_draw *draw = own_draw(w);
    if (!code)
        return NULL;
    if (!draw->is_join_known || draw->join_epoch != code->epoch) {
        draw->is_join_known = true;
        draw->join_epoch = code->epoch;
        draw->joined = mali_frag_join_find(w, draw);
        draw->joins_asked = draw->joins_suited = 0;
    }
    return draw->joined;
}

struct mali_warp *mali_frag_join_begin(struct frag_worker *w, struct frag_joined *joined, bool is_one)
{
    struct pixel_variant *variant = &joined->base.variants[is_one];
    if (variant->state == PIXEL_JOIN_NEVER)
        return NULL;
    if (variant->state == PIXEL_JOIN_WAITS && !pixel_variant_is_due(variant))
        return NULL;
    if (!begin_warp(w))
        return NULL;
    if (variant->state == PIXEL_JOIN_WAITS) {
        const unsigned before = stat_enter_work(STAT_MAKING);
        mali_frag_join(w, joined, is_one, w->join_warp);
        stat_leave(before);
        own_draw(w)->is_join_known = false; /* there are facts now */
        w->join_warp = variant->state == PIXEL_JOIN_READY ? w->join_warp : NULL;
        if (!mali_sc_join_holds(w->core, joined->facts, joined->fact_count))
            return NULL;
    }
    return variant->state == PIXEL_JOIN_READY && suits_draw(w, joined, is_one) ? w->join_warp : NULL;
}

/* ---- batches ---- */

/* The program's inputs. False: stopped. */
static bool load_inputs(struct frag_worker *w, struct mali_warp *warp, const struct frag_join_variant *variant)
{
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    const uint64_t lanes = bits_mask(4 * w->quad_count);
    mali_frag_preload(w, warp, variant->preloaded);
    if (variant->has_weights) {
        mali_frag_find_weights(w);
        memcpy(rows->weight_i, w->weight_i, sizeof(rows->weight_i));
        memcpy(rows->weight_j, w->weight_j, sizeof(rows->weight_j));
    }
    for (unsigned i = 0; i < variant->varying_count; i++) {
        struct mali_varying_load load = variant->varyings[i];
        load.source0 = mali_warp_row(warp, 61);
        load.rows_out = rows->varyings[i][0];
        if ((variant->as_rows >> i & 1) && !mali_frag_load_varying(warp, &load, lanes))
            return false;
    }
    for (unsigned i = 0; i < variant->output_count; i++) {
        if (variant->outputs[i].is_read)
            mali_frag_get_codes(w, variant->outputs[i].target, 0, rows->codes[i]);
    }
    for (unsigned i = 0; i < variant->tile_count; i++)
        mali_frag_get_codes(w, variant->tiles[i], 0, rows->tiles[i]);
    return true;
}

/* The late tests of what the program has left; the same as ATEST, or the first BLEND, would make them. */
static void test_late(struct frag_worker *w, const struct frag_join_variant *variant, const struct frag_join_rows *rows)
{
    uint64_t passed[FRAG_WARP_QUADS];
    if (variant->has_depth && w->fb->samples == 1 && !w->draw->tests_s &&
        w->draw->z_source == MALI_DEPTH_SOURCE_SHADER) {
        mali_frag_zs_test_depths(w, (const float *)rows->depth, w->passed_early);
        return;
    }
    for (unsigned lane = 0; lane < 4 * w->quad_count && variant->has_zs; lane++) {
        const float z = bits_float(rows->depth[lane]);
        if (w->samples[lane])
            w->passed_early[lane] =
                mali_frag_zs_test(w, &w->quads[lane / 4], lane % 4, w->samples[lane], variant->has_depth ? &z : NULL,
                                  variant->has_stencil ? &rows->stencil[lane] : NULL, true);
    }
    if (variant->has_zs)
        return;
    for (unsigned q = 0; q < w->quad_count; q++) {
        w->quads[q].mask = 0;
        for (unsigned p = 0; p < 4; p++)
            w->quads[q].mask |= mali_frag_quad_mask(w->samples[4 * q + p], p);
    }
    mali_frag_zs_test_batch(w, true, passed);
    for (unsigned lane = 0; lane < 4 * w->quad_count; lane++)
        w->passed_early[lane] = mali_frag_pixel_samples(passed[lane / 4], lane % 4);
}

/* Samples that are written, by lane. */
static void find_masks(struct frag_worker *w, const struct frag_join_variant *variant,
                       const struct frag_join_rows *rows, uint32_t *masks)
{
    const unsigned count = 4 * w->quad_count;
    if (variant->has_discard) {
        uint32_t killed[MALI_ROW_LANES];
        lanes_from_mask(killed, rows->killed, MALI_ROW_LANES);
        for (unsigned i = 0; i < count; i++)
            w->samples[i] &= ~killed[i];
    }
    for (unsigned i = 0; i < count && variant->has_coverage; i++)
        w->samples[i] &= rows->coverage[i];
    if (variant->has_alpha) {
        uint32_t covered[MALI_ROW_LANES];
        mali_frag_cover_by_alpha(w, rows->alpha, covered);
        for (unsigned i = 0; i < count; i++)
            w->samples[i] &= covered[i];
    }
    if (!w->draw->is_updated_early)
        test_late(w, variant, rows);
    for (unsigned i = 0; i < count; i++)
        masks[i] = w->samples[i] & w->passed_early[i];
    memset(masks + count, 0, (MALI_ROW_LANES - count) * sizeof(*masks));
}

static bool write_outputs(struct frag_worker *w, const struct frag_join_variant *variant, struct frag_join_rows *rows,
                          const uint32_t *masks)
{
    for (unsigned i = 0; i < variant->output_count; i++) {
        const struct frag_join_output *output = &variant->outputs[i];
        uint32_t own[MALI_ROW_LANES], is_drawn[MALI_ROW_LANES];
        for (unsigned k = 0; k < MALI_ROW_LANES; k++) {
            own[k] = masks[k] & (output->has_cover ? rows->covers[i][k] : UINT32_MAX);
            is_drawn[k] = own[k] ? UINT32_MAX : 0;
        }
        if (output->is_codes) {
            mali_frag_put_codes(w, output->target, (const uint32_t(*)[MALI_ROW_LANES])rows->codes[i], own);
            continue;
        }
        struct mali_blend request = output->request;
        request.colour = rows->codes[i][0];
        if (!mali_frag_blend_rows(w, output->target, mali_frag_output_blend(w, output), &output->conversion, &request,
                                  own, lanes_to_mask(is_drawn, MALI_ROW_LANES)))
            return false;
    }
    return true;
}

static bool run_batch(struct frag_worker *w, struct mali_warp *warp, const struct frag_joined *joined, bool is_one)
{
    const struct frag_join_variant *variant = &joined->variants[is_one];
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    const struct frag_prim *prim = &w->prims[w->quad_prims[0]];
    uint32_t masks[MALI_ROW_LANES], is_covered[MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        is_covered[i] = w->samples[i] ? UINT32_MAX : 0;
    if (is_one && w->join_prim != prim->serial) {
        if (!mali_frag_join_values(w, variant, &prim->bin, warp))
            return false;
        w->join_prim = prim->serial;
    }
    if (!load_inputs(w, warp, variant) ||
        !mali_sc_join_run(warp, &joined->base.variants[is_one], &variant->between, bits_mask(4 * w->quad_count),
                          lanes_to_mask(is_covered, MALI_ROW_LANES)))
        return false;
    find_masks(w, variant, rows, masks);
    return write_outputs(w, variant, rows, masks);
}

bool mali_frag_run_joined(struct frag_worker *w, bool *is_ok_out)
{
    const bool is_one = w->quad_prims[0] == w->quad_prims[w->quad_count - 1];
    struct frag_joined *joined = mali_frag_joined(w);
    struct mali_warp *warp = joined ? mali_frag_join_begin(w, joined, is_one) : NULL;
    if (!warp || joined->variants[is_one].has_zs != w->draw->zs_from_shader)
        return false;
    const unsigned before = stat_enter_work(STAT_HOST);
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    *is_ok_out = run_batch(w, warp, joined, is_one);
    lane_env_set(host);
    stat_leave(before);
    stat_count_waves(1);
    return true;
}

/* ---- blocks ---- */

bool mali_frag_takes_blocks(struct frag_worker *w)
{
    const struct frag_draw *draw = w->draw;
    if (!draw->is_tested_first || !draw->has_shader || draw->dcd.ALPHA_TO_COVERAGE)
        return false;
    struct frag_joined *joined = mali_frag_joined(w);
    if (!joined || joined->variants[true].needs_quads || joined->variants[true].has_zs)
        return false;
    for (unsigned i = 0; i < joined->variants[true].output_count; i++) {
        if (!joined->variants[true].outputs[i].is_codes)
            return false;
    }
    return joined->base.variants[true].state == PIXEL_JOIN_READY && suits_draw(w, joined, true);
}

/* Every pixel of every target gets what the program makes, whatever was there. */
static bool replaces_all(const struct frag_worker *w, const struct frag_join_variant *variant)
{
    uint32_t replaced = 0;
    for (unsigned i = 0; i < variant->output_count; i++)
        replaced |= (uint32_t)(!variant->outputs[i].is_read && !variant->outputs[i].has_cover)
                    << variant->outputs[i].target;
    return !variant->tile_count && !variant->has_discard && !variant->has_coverage &&
           replaced == bits_mask(w->fb->target_count);
}

bool mali_frag_replaces(struct frag_worker *w, bool *is_solid_out)
{
    const struct frag_draw *draw = w->draw;
    if (!draw->has_shader || mali_frag_tests_any(draw) || !mali_frag_takes_blocks(w))
        return false;
    const struct frag_join_variant *variant = &mali_frag_joined(w)->variants[true];
    *is_solid_out = variant->is_solid && !variant->between.is_any && !variant->preloaded;
    for (unsigned i = 0; i < variant->output_count; i++)
        *is_solid_out &= variant->outputs[i].cell_B == 4;
    return replaces_all(w, variant);
}

static void load_block(struct frag_worker *w, struct mali_warp *warp, const struct frag_join_variant *variant,
                       const struct mali_bin_prim *prim, unsigned x, unsigned y, unsigned cell)
{
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    if (variant->preloaded)
        mali_frag_preload_block(w, warp, variant->preloaded, prim, x, y);
    if (variant->has_weights)
        raster_block_weights(&prim->raster, x, y, false, rows->weight_i, rows->weight_j);
    for (unsigned i = 0; i < variant->output_count; i++) {
        if (variant->outputs[i].is_read)
            mali_frag_get_block(w, variant->outputs[i].target, cell, rows->codes[i]);
    }
    for (unsigned i = 0; i < variant->tile_count; i++)
        mali_frag_get_block(w, variant->tiles[i], cell, rows->tiles[i]);
}

uint64_t mali_frag_first_samples(const uint32_t *coverage)
{
    uint32_t is_covered[MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        is_covered[i] = -(coverage[i] & 1);
    return lanes_to_mask(is_covered, MALI_ROW_LANES);
}

static void write_block(struct frag_worker *w, const struct frag_join_variant *variant,
                        const struct frag_join_rows *rows, unsigned cell, uint64_t drawn)
{
    for (unsigned i = 0; i < variant->output_count; i++) {
        const uint64_t own =
            drawn & (variant->outputs[i].has_cover ? mali_frag_first_samples(rows->covers[i]) : UINT64_MAX);
        if (own)
            mali_frag_put_block(w, variant->outputs[i].target, cell, (const uint32_t(*)[MALI_ROW_LANES])rows->codes[i],
                                own);
    }
}

/* Pixels of quads of which some are drawn: others have no warp. */
static uint64_t quads_of(uint64_t pixels)
{
    const uint64_t first = (pixels | pixels >> 1 | pixels >> 2 | pixels >> 3) & 0x1111111111111111ull;
    return first * 15;
}

static bool shade_blocks(struct frag_worker *w, const struct mali_bin_prim *prim, struct mali_warp *warp,
                         const struct frag_joined *joined, uint64_t blocks, const uint64_t *passed)
{
    const struct frag_join_variant *variant = &joined->variants[true];
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    if (!mali_frag_join_values(w, variant, prim, warp))
        return false;
    w->join_prim = w->prim_serial;
    bits_foreach (blocks, b) {
        const unsigned in_x = (unsigned)b % 8 * 8, in_y = (unsigned)b / 8 * 8;
        const unsigned cell = mali_frag_place(w->fb, in_x, in_y);
        load_block(w, warp, variant, prim, (unsigned)w->tile.x + in_x, (unsigned)w->tile.y + in_y, cell);
        const uint64_t lanes = variant->between.has_stores ? quads_of(*passed) : UINT64_MAX;
        if (!mali_sc_join_run(warp, &joined->base.variants[true], &variant->between, lanes, *passed))
            return false;
        const uint64_t covered = variant->has_coverage ? mali_frag_first_samples(rows->coverage) : UINT64_MAX;
        const uint64_t drawn = *passed++ & covered & (variant->has_discard ? ~rows->killed : UINT64_MAX);
        if (drawn)
            write_block(w, variant, rows, cell, drawn);
    }
    return true;
}

/* Pixels of batches that wait are drawn before those of a block that has some of them. */
static bool settle_pixels(struct frag_worker *w, uint64_t blocks, const uint64_t *passed)
{
    uint64_t pending = 0;
    bits_foreach (blocks, b)
        pending |= *passed++ &
                   w->pending[mali_frag_place(w->fb, (unsigned)b % 8 * 8, (unsigned)b / 8 * 8) / FRAG_BLOCK_PIXELS];
    return !pending || mali_frag_flush(w);
}

bool mali_frag_run_blocks(struct frag_worker *w, const struct mali_bin_prim *prim, uint64_t blocks,
                          const uint64_t passed[FRAG_BLOCKS])
{
    if (!settle_pixels(w, blocks, passed))
        return false;
    struct frag_joined *joined = mali_frag_joined(w);
    struct mali_warp *warp = mali_frag_join_begin(w, joined, true);
    if (!warp)
        return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for a fragment warp");
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    const unsigned before = stat_enter_work(STAT_HOST);
    const bool is_ok = shade_blocks(w, prim, warp, joined, blocks, passed);
    stat_leave(before);
    lane_env_set(host);
    stat_count_waves((unsigned)__builtin_popcountll(blocks));
    return is_ok;
}

bool mali_frag_find_solid(struct frag_worker *w)
{
    struct frag_joined *joined = mali_frag_joined(w);
    if (w->solid_serial == w->draw->launch.serial)
        return true;
    struct mali_warp *warp = mali_frag_join_begin(w, joined, true);
    if (!warp)
        return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for a fragment warp");
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    const struct frag_join_variant *variant = &joined->variants[true];
    const bool is_ok = mali_sc_join_run(warp, &joined->base.variants[true], &variant->between, UINT64_MAX, UINT64_MAX);
    lane_env_set(host);
    for (unsigned i = 0; i < variant->output_count; i++)
        w->solid[variant->outputs[i].target] = mali_frag_join_rows(warp)->codes[i][0][0];
    w->solid_serial = w->draw->launch.serial;
    return is_ok;
}
