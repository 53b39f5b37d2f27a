/* Primitives that hide all that was there before: what they hide is not drawn, and rectangles that one of them covers
 * as a whole, with a single colour or with what lies elsewhere in memory, go to memory without a tile. */
#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/debug.h"

bool mali_frag_has_frame_draw(const struct frag_fb *fb)
{
    bool has_one = false;
    for (unsigned i = 0; i < ARRAY_SIZE(fb->frame_modes); i++)
        has_one |= fb->frame_modes[i] != MALI_FRAME_SHADER_MODE_NEVER &&
                   fb->frame_modes[i] != MALI_FRAME_SHADER_MODE_INTERSECT;
    return has_one;
}

/* Whether draws before the first primitive can be left out if that hides their colours: they do nothing else. */
static bool find_hiding(struct frag_worker *w)
{
    const struct frag_fb *fb = w->fb;
    if (fb->samples != 1 || fb->z.is_written || fb->s.is_written || fb->queue->coherence || debug_enabled(DEBUG_STRICT))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (fb->frame_modes[i] == MALI_FRAME_SHADER_MODE_NEVER)
            continue;
        const struct frag_draw *draw = mali_frag_find_frame_draw(w, i);
        if (!draw || draw->writes_z || draw->tests_s || draw->zs_from_shader ||
            draw->occlusion != MALI_OCCLUSION_MODE_DISABLED)
            return false;
    }
    return true;
}

bool mali_frag_can_hide(struct frag_worker *w)
{
    if (!w->is_hiding_known)
        w->is_hiding = find_hiding(w);
    w->is_hiding_known = true;
    return w->is_hiding;
}

/* Whether two triangles that have an edge in common cover all of the rectangle: a sample that is outside of that edge
 * of one is inside of the other's, and no other edge cuts it. */
static bool cover_as_two(const struct frag_worker *w, const struct raster_prim *a, const struct raster_prim *b)
{
    for (unsigned i = 0; i < a->edge_count * (unsigned)b->edge_count; i++) {
        const struct raster_edge *of_a = &a->edges[i % a->edge_count], *of_b = &b->edges[i / a->edge_count];
        if (of_a->a != -of_b->a || of_a->b != -of_b->b || of_a->c + of_b->c < -1)
            continue;
        struct raster_prim halves[2] = {*a, *b};
        halves[0].edges[i % a->edge_count] = a->edges[--halves[0].edge_count];
        halves[1].edges[i / a->edge_count] = b->edges[--halves[1].edge_count];
        if (raster_share(&w->fb->coverage[0], &halves[0], &w->tile) == RASTER_SHARE_ALL &&
            raster_share(&w->fb->coverage[0], &halves[1], &w->tile) == RASTER_SHARE_ALL)
            return true;
    }
    return false;
}

/* Whether primitives that touch the tile cover all of it together, as two triangles do a rectangle. */
static bool cover_together(struct frag_worker *w, const struct frag_few *few, unsigned touching)
{
    uint64_t covered[64] = {0}, masks[64]; /* by block of a tile of 64 by 64 pixels, as the rasteriser counts them */
    struct raster_coverage coverage = w->fb->coverage[0];
    bool all = true;
    for (unsigned p = 0; p < 4; p++)
        coverage.sample_mask[p] = 1;
    bits_foreach (touching, i) {
        struct raster_quads found = {.quads = w->walked, .takes_blocks = true, .masks = masks, .wants_no_quads = true};
        raster_walk_tile(&coverage, &few->bins.prims[i].raster, &w->tile, &found);
        bits_foreach (found.blocks, b)
            covered[b] = UINT64_MAX;
        bits_foreach (found.parts, b)
            covered[b] |= masks[b];
    }
    for (int32_t y = 0; y < w->tile.height; y += RASTER_BLOCK) {
        for (int32_t x = 0; x < w->tile.width; x += RASTER_BLOCK)
            all &= covered[y + x / RASTER_BLOCK] == UINT64_MAX;
    }
    return all && !((w->tile.width | w->tile.height) % RASTER_BLOCK);
}

/* A primitive of the draw that all primitives in the rectangle are of, which cover all of it. MALI_BINS_FEW: there is
 * none such; *has_any says if there are primitives. */
static unsigned find_cover(struct frag_worker *w, const struct frag_few *few, bool *has_any)
{
    unsigned found = MALI_BINS_FEW, touching = 0;
    bool is_whole = false, is_one_draw = true;
    for (unsigned i = 0; i < few->count; i++) {
        const struct mali_bin_prim *prim = &few->bins.prims[i];
        const enum raster_share share = raster_share(&w->fb->coverage[0], &prim->raster, &w->tile);
        if (share == RASTER_SHARE_NONE)
            continue;
        is_one_draw &= !prim->is_cut && (!touching || few->bins.draws[i].serial == few->bins.draws[found].serial);
        is_whole |= share == RASTER_SHARE_ALL;
        touching |= 1u << i;
        found = i;
    }
    *has_any = touching;
    if (is_one_draw && !is_whole && __builtin_popcount(touching) == 2)
        is_whole = cover_as_two(w, &few->bins.prims[__builtin_ctz(touching)].raster, &few->bins.prims[found].raster);
    if (touching && is_one_draw && !is_whole && w->tile.width <= (int32_t)w->fb->tile_w &&
        w->tile.height <= (int32_t)w->fb->tile_h)
        is_whole = cover_together(w, few, touching);
    return is_one_draw && is_whole ? found : MALI_BINS_FEW;
}

bool mali_frag_over_rect(struct frag_worker *w, const struct frag_few *few, bool *is_done_out)
{
    const struct frag_fb *fb = w->fb;
    bool is_solid, has_any;
    *is_done_out = false;
    if (!fb->can_fill || fb->samples != 1 || mali_is_killed(fb->queue))
        return true;
    const unsigned number = find_cover(w, few, &has_any);
    if (!has_any && !mali_frag_has_frame_draw(fb))
        return *is_done_out = mali_frag_fill(w);
    if (number == MALI_BINS_FEW || fb->frame_modes[2] != MALI_FRAME_SHADER_MODE_NEVER || !mali_frag_can_hide(w))
        return !mali_is_stopped(fb->queue);
    const struct frag_draw *draw =
        mali_frag_find_draw(w, few->bins.draws[number].serial, few->bins.draws[number].words);
    if (!draw || !mali_frag_begin_draw(w, draw))
        return false;
    if (!draw->coverage[0].sample_mask[0] || !mali_frag_replaces(w, &is_solid))
        return true;
    const struct sc_move *move = is_solid ? NULL : mali_frag_find_move(w);
    if (!is_solid)
        return !move || mali_frag_move(w, move, is_done_out);
    return *is_done_out = mali_frag_find_solid(w) && mali_frag_end_draw(w) && !mali_is_stopped(fb->queue) &&
                          mali_frag_fill_solid(w);
}
