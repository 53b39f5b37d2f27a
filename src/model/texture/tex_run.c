/* An instruction on the fast path: whether it is one for it, its footprints and their texels. */
#include "model/texture/tex_run.h"

#include <string.h>

#include "util/bits.h"

/* ---- is it the case? ---- */

bool tex_are_offsets_small(const struct tex_query *q)
{
    uint32_t far = 0;
    for (unsigned axis = 0; axis < q->axes; axis++) {
        if (!q->offset[axis])
            continue;
        if (axis == 2)
            return false;
        for (unsigned i = 0; i < q->lanes; i++)
            far |= (uint32_t)(q->offset[axis][i] + TEX_PLACES_OFFSET) & q->exec_lanes[i] & ~15u;
    }
    return !far;
}

/* ---- filters ---- */

static void set_rounding(struct tex_rounding *to, const struct tex_run *r, unsigned i, bool is_linear)
{
    to->down[i] = !is_linear ? 0 : r->is_once ? 127.5f : 128;
    to->up[i] = is_linear ? (r->is_once ? 0 : 0.5f) : r->q->sampler->trunc ? 0 : 0.5f;
    to->mask[i] = is_linear ? 255 : 0;
}

/* Which lanes take the nearest texel and which filter. */
void tex_run_set_filters(struct tex_run *r, const struct tex_levels *levels)
{
    const struct tex_query *q = r->q;
    const struct tex_sampler *s = q->sampler;
    uint64_t linear = s->min_linear ? UINT64_MAX : 0;
    if (s->mag_linear != s->min_linear) {
        linear = 0;
        for (unsigned i = 0; i < q->lanes; i++)
            linear |= (uint64_t)(levels->linear[i] != 0) << i;
        linear &= q->exec;
    }
    r->is_same = levels->is_same;
    r->is_pair = linear != 0;
    r->is_mixed = r->is_pair && (linear & q->exec) != q->exec;
    for (unsigned i = 0; i < (r->is_mixed ? q->lanes : 1); i++)
        set_rounding(&r->rounding, r, i, r->is_mixed ? linear >> i & 1 : r->is_pair);
    const bool is_alike = !r->is_mixed && !q->image->is_cube && q->axes > 1 && !q->offset[0] && !q->offset[1] &&
                          !q->offset[2];
    r->is_plain = is_alike && r->is_pair;
    r->is_near = is_alike && !r->is_pair && !r->inside[0] && !r->inside[1];
    if (q->axes < 3)
        return;
    r->z_is_same = !s->z_follows_xy || !r->is_mixed;
    const bool z_linear = s->z_follows_xy ? r->is_pair : s->z_linear;
    for (unsigned i = 0; i < (r->z_is_same ? 1 : q->lanes); i++)
        set_rounding(&r->z_rounding, r, i, r->z_is_same ? z_linear : linear >> i & 1);
}

/* ---- positions ---- */

/* Whether the active lanes have one value. */
bool tex_is_one_level(const struct tex_query *q, const uint8_t *level, unsigned first)
{
    uint32_t other = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        other |= (uint32_t)(level[i] ^ level[first]) & q->exec_lanes[i];
    return !other;
}

static bool is_one_slice(const struct tex_query *q, const uint32_t *slice, unsigned first)
{
    uint32_t other = 0;
    if (q->is_one_slice && q->axes < 3)
        return true;
    for (unsigned i = 0; i < q->lanes; i++)
        other |= (slice[i] ^ slice[first]) & q->exec_lanes[i];
    return !other;
}

static void set_axis(struct tex_axis *to, const struct tex_run *r, unsigned axis, const uint8_t *level, unsigned first,
                     bool is_same)
{
    const struct tex_places *p = r->places;
    for (unsigned i = 0; i < (is_same ? 1 : r->q->lanes); i++) {
        const unsigned at = level[is_same ? first : i];
        const uint32_t size = axis == 0   ? r->q->image->level[at].width
                              : axis == 1 ? r->q->image->level[at].height
                                          : r->q->image->level[at].depth;
        to->size[i] = (int32_t)size;
        to->scale[i] = r->q->unnormalized ? 1 : (float)size;
        to->start[i] = axis == 0 ? (int32_t)p->x_start[at] : axis == 1 ? (int32_t)p->y_start[at] : 0;
    }
    if (is_same && (r->is_mixed || r->q->offset[axis])) { /* rows, for rounding or offsets are */
        for (unsigned i = 1; i < r->q->lanes; i++) {
            to->size[i] = to->size[0];
            to->scale[i] = to->scale[0];
            to->start[i] = to->start[0];
        }
    }
}

/* The axes of x and y, kept for the other probes. */
static const struct tex_axis *find_axes(struct tex_run *r, const uint8_t *level, unsigned first, bool is_same)
{
    for (unsigned i = 0; i < 2; i++) {
        if (r->scales[i].level == level)
            return r->scales[i].axis;
    }
    struct tex_axis *axis = r->scales[r->next_scale].axis;
    r->scales[r->next_scale].level = level;
    r->next_scale ^= 1;
    for (unsigned n = 0; n < MIN2(r->q->axes, 2u); n++)
        set_axis(&axis[n], r, n, level, first, is_same);
    return axis;
}

/* Rounding as rows where something else is one. */
static void spread_rounding(struct tex_rounding *to, unsigned lanes)
{
    for (unsigned i = 1; i < lanes; i++) {
        to->down[i] = to->down[0];
        to->up[i] = to->up[0];
        to->mask[i] = to->mask[0];
    }
}

static uint64_t outside_lanes(const struct tex_run *r)
{
    return r->outside[0].lanes[0] | r->outside[1].lanes[0] |
           (r->is_pair ? r->outside[0].lanes[1] | r->outside[1].lanes[1] : 0);
}

/* Whether what is outside can take the place of words (tex_edge.c). */
static bool can_put_outside(struct tex_run *r)
{
    if (r->kind >= TEX_KIND_CODEC || r->is_mixed)
        return false;
    if (r->q->image->is_cube)
        return r->q->sampler->is_seamless && r->is_pair && !r->q->image->piece_log2;
    if (!r->knows_border)
        r->has_border = tex_border_words(r->border, r->q, r->kind);
    r->knows_border = true;
    return r->has_border;
}

/* ---- positions of all lanes at once ---- */

static struct tex_common common_axis(const struct tex_run *r, unsigned axis, unsigned level,
                                     const struct tex_rounding *rounding)
{
    const struct tex_places *p = r->places;
    const uint32_t size = axis == 0   ? r->q->image->level[level].width
                          : axis == 1 ? r->q->image->level[level].height
                                      : r->q->image->level[level].depth;
    return (struct tex_common){
        .scale = (r->q->unnormalized ? 1 : (float)size) * 256,
        .down = rounding->down[0],
        .up = rounding->up[0],
        .size = (int32_t)size,
        .start = axis == 0   ? (int32_t)p->x_start[level]
                 : axis == 1 ? (int32_t)p->y_start[level]
                             : 0,
    };
}

/* x and y of one level; false: not so, unless it is_near. */
static bool locate_both(struct tex_run *r, const struct tex_coords *c, unsigned level, unsigned first)
{
    const struct tex_common axis[2] = {common_axis(r, 0, level, &r->rounding), common_axis(r, 1, level, &r->rounding)};
    if (r->is_near) {
        tex_locate_nearest(&r->f.x, &r->f.y, r->q, c, axis, r->places->wrap);
        return false;
    }
    return tex_locate_both(&r->f.x, &r->f.y, r->box, r->q, c, axis, first, r->places->wrap, r->inside);
}

/* x and y; false: all footprints are outside where the tables say nothing. */
bool tex_run_locate(struct tex_run *r, const struct tex_coords *c, const uint8_t *level, unsigned first, bool is_one)
{
    const struct tex_query *q = r->q;
    r->is_outside = false;
    r->has_box = is_one && (r->is_plain || r->is_near) && locate_both(r, c, level[first], first);
    if (r->has_box || (is_one && r->is_near))
        return r->others != q->exec;
    const struct tex_axis *const axis = find_axes(r, level, first, is_one);
    struct tex_positions *const to[2] = {&r->f.x, &r->f.y};
    memset(r->outside, 0, sizeof(r->outside));
    for (unsigned n = 0; n < MIN2(q->axes, 2u); n++) {
        const bool is_same = is_one && !r->is_mixed && !q->offset[n];
        if (!is_same && !r->is_mixed && !r->are_rows) {
            spread_rounding(&r->rounding, q->lanes);
            r->are_rows = true;
        }
        if (tex_locate(to[n], q, c->at[n], q->offset[n], &axis[n], &r->rounding, r->places->wrap[n], is_same,
                       r->is_pair, r->inside[n])) {
            tex_find_outside(&r->outside[n], q, c->at[n], q->offset[n], &axis[n], &r->rounding, is_same);
            r->is_outside = true;
        }
    }
    if (r->is_outside && !can_put_outside(r))
        r->others |= outside_lanes(r);
    if (q->axes == 1) {
        for (unsigned i = 0; i < q->lanes; i++) {
            r->f.y.at[i] = r->places->y_start[level[is_one ? first : i]];
            r->f.y.fraction[i] = 0;
        }
    }
    return r->others != q->exec;
}

void tex_run_set_slices(struct tex_run *r, const uint32_t *slice, const uint8_t *level, unsigned first, bool is_one)
{
    r->f.taps = r->is_pair ? 4 : 1;
    r->f.is_one_slice =
        is_one && (r->has_box && r->q->axes == 3 ? r->box[2].low == r->box[2].high : is_one_slice(r->q, slice, first));
    r->first = first;
    r->is_one_level = is_one;
    r->level = level;
    r->slice = slice;
}

/* Their places, before texels are loaded lane by lane. */
static void place_slices(struct tex_run *r)
{
    const struct tex_places *p = r->places;
    const uint32_t last = p->slices - 1, *slice = r->slice;
    if (r->f.is_one_slice) {
        r->f.slice[0] = p->z[r->level[r->first] * p->slices + MIN2(slice[r->first], last)];
        return;
    }
    if (r->is_one_level) {
        const struct tex_place *z = p->z + r->level[r->first] * p->slices;
        LANES_INDEPENDENT
        for (unsigned i = 0; i < r->q->lanes; i++)
            r->f.slice[i] = z[MIN2(slice[i], last)];
        return;
    }
    for (unsigned i = 0; i < r->q->lanes; i++)
        r->f.slice[i] = p->z[r->level[i] * p->slices + MIN2(slice[i], last)];
}

static void locate_slices(struct tex_slices *to, struct tex_run *r, const struct tex_coords *c, const uint8_t *level,
                          unsigned first, bool is_one)
{
    const struct tex_query *q = r->q;
    const unsigned wrap = q->sampler->wrap[2];
    const bool is_same = is_one && r->z_is_same;
    struct tex_axis axis;
    struct tex_positions z;
    set_axis(&axis, r, 2, level, first, is_same);
    if (!is_same && r->z_is_same) {
        spread_rounding(&r->z_rounding, q->lanes);
        r->z_is_same = false;
    }
    tex_locate(&z, q, c->at[2], NULL, &axis, &r->z_rounding, wrap, is_same, true, false);
    for (unsigned i = 1; is_same && i < q->lanes; i++)
        axis.size[i] = axis.size[0];
    for (unsigned second = 0; second < 2; second++) {
        LANES_INDEPENDENT
        for (unsigned i = 0; i < q->lanes; i++) {
            const int32_t size = axis.size[i];
            int32_t slice = (int32_t)z.at[i] + (int32_t)second;
            if (wrap == TEX_REPEAT) /* one before the first, or one after the last */
                slice = slice < 0 ? slice + size : slice >= size ? slice - size : slice;
            slice = slice > 0 ? MIN2(slice, size - 1) : 0;
            to->at[second][i] = (uint32_t)slice + q->image->first_layer;
            to->weight[second][i] = (float)(int32_t)(second ? z.fraction[i] : 256 - z.fraction[i]) * (1.0f / 256);
        }
    }
}

void tex_run_locate_slices(struct tex_slices *to, struct tex_run *r, const struct tex_coords *c, const uint8_t *level,
                           unsigned first, bool is_one)
{
    r->has_box &= is_one && r->z_is_same && r->z_rounding.mask[0];
    if (!r->has_box) {
        locate_slices(to, r, c, level, first, is_one);
        return;
    }
    const struct tex_common axis = common_axis(r, 2, level[first], &r->z_rounding);
    tex_locate_depth(to, &r->box[2], r->q, c->at[2], &axis, first, r->q->sampler->wrap[2] == TEX_REPEAT,
                     r->q->image->first_layer);
}

/* ---- texels ---- */

void tex_run_load_words(struct tex_run *r, unsigned element_B)
{
    place_slices(r);
    tex_load_words(&r->f, r->places, r->q->lanes, element_B);
    if (r->q->image->piece_log2)
        r->others |= tex_look(r->looked, &r->f, r->places, r->q, r->level, r->slice, true);
    if (r->is_outside && can_put_outside(r)) {
        if (r->q->image->is_cube)
            r->others |= tex_put_edges(&r->f, r->outside, r->places, r->q, r->level, r->slice);
        else
            tex_put_border(&r->f, r->outside, r->border);
    }
}

bool tex_run_load_srgb(float (*to)[LANES_MAX], struct tex_run *r, bool has_alpha)
{
#if defined(__AVX2__)
    return false; /* gathers are for words */
#endif
    if (r->kind != TEX_KIND_SRGB8 || !r->f.is_one_slice || r->is_outside)
        return false;
    if (r->q->image->piece_log2 && !tex_look_is_plain(r->looked, r->places, r->q, r->level[r->first],
                                                      MIN2(r->slice[r->first], r->places->slices - 1)))
        return false;
    place_slices(r);
    tex_load_srgb(to, &r->f, r->places, r->q->lanes, has_alpha);
    return true;
}

static void load_elements(struct tex_run *r)
{
    place_slices(r);
    tex_load_elements(&r->f, r->places, r->q->lanes);
    if (r->is_outside)
        r->others |= outside_lanes(r);
    if (r->q->image->piece_log2)
        r->others |= tex_look(r->looked, &r->f, r->places, r->q, r->level, r->slice, false);
}

static void load_codec(float (*texels)[LANES_MAX][4], struct tex_run *r)
{
    const struct format_codec *codec = format_codec(r->format);
    for (unsigned tap = 0; tap < r->f.taps; tap++)
        codec->fetch_float(texels[tap], (const void *const *)r->f.element[tap], r->q->lanes);
}

/* A block is looked up once where the texels of lanes that follow each other are in it. False: nothing decodes it. */
static bool load_blocks(float (*texels)[LANES_MAX][4], struct tex_run *r)
{
    const struct tex_places *p = r->places;
    const uint8_t *known = NULL;
    tex_texels block = NULL;
    for (unsigned i = 0; i < r->q->lanes; i++) {
        if (!(r->q->exec >> i & 1)) {
            for (unsigned tap = 0; tap < r->f.taps; tap++)
                memset(texels[tap][i], 0, sizeof(texels[tap][i]));
            continue;
        }
        for (unsigned tap = 0; tap < r->f.taps; tap++) {
            const uint8_t *at = r->f.element[tap][i];
            const unsigned inside = p->x_inside[r->f.x.at[i] + (tap & 1)] + p->y_inside[r->f.y.at[i] + (tap >> 1)];
            if (at != known &&
                !(block = tex_block_at(r->q->blocks, r->format, r->q->image->is_narrow, at, p->element_B)))
                return false;
            known = at;
            memcpy(texels[tap][i], block[inside], sizeof(texels[tap][i]));
        }
    }
    return true;
}

bool tex_run_load_texels(float (*texels)[LANES_MAX][4], struct tex_run *r)
{
    load_elements(r);
    if (r->kind == TEX_KIND_BLOCKS)
        return load_blocks(texels, r);
    load_codec(texels, r);
    return true;
}

/* ---- both ---- */

bool tex_run_begin(struct tex_run *r, struct tex_query *q)
{
    const struct tex_plan *plan = tex_plan_get(q);
    r->q = q;
    r->f.words = 3;
    if (!q->exec || !plan || !plan->applies || (q->offset[0] && !tex_are_offsets_small(q)))
        return false;
    r->places = tex_places_get(q);
    if (!r->places || !plan->axes) /* places that have changed forget the plans that were made with the old ones */
        return false;
    r->kind = plan->kind;
    r->format = plan->format;
    memcpy(r->inside, plan->inside, sizeof(r->inside));
    r->others = 0;
    r->knows_border = r->is_same = r->are_rows = false;
    r->scales[0].level = r->scales[1].level = NULL;
    r->next_scale = 0;
    if (q->image->piece_log2)
        r->looked = tex_look_begin(&r->own_looked, q);
    return true;
}

void tex_run_begin_gather(struct tex_run *r)
{
    r->is_once = r->is_mixed = r->is_plain = r->is_near = false;
    r->is_pair = true;
    set_rounding(&r->rounding, r, 0, true);
}
