/* The fast path of samples: images whose places are known as tables and whose memory is mapped as a whole, and samplers
 * that take weighted means. A pass is one footprint per lane, for each level, each slice of a volume and, if
 * anisotropic, each probe; all its steps are loops over lanes. Lanes that are not its case (at a border, the edge of a
 * cube) are sampled by tex_sample.c in the end, as if they were all of the instruction. */
#include "model/texture/tex_run.h"

#include <string.h>

#include "util/bits.h"

const float tex_zeros[LANES_MAX];
const uint32_t tex_no_slices[LANES_MAX];
const float tex_ones[LANES_MAX] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

/* ---- passes ---- */

static bool add_elements(struct tex_sums *sums, struct tex_run *r, const struct tex_share *share)
{
    float texels[4][LANES_MAX][4];
    if (!tex_run_load_texels(texels, r))
        return false;
    tex_add_texels(sums->texel, &r->f, texels, share, r->q->lanes);
    return true;
}

/* A lane's weight in a slice of a volume; of other images, `slice` is NULL. */
static const float *find_weights(float *to, const struct tex_share *share, unsigned lanes)
{
    for (unsigned i = 0; share->slice && i < lanes; i++)
        to[i] = share->lane[i] * share->slice[i];
    return share->slice ? to : share->lane;
}

struct tex_share tex_run_share(const struct tex_run *r, const float *lane, const float *slice)
{
    return (struct tex_share){lane, slice, r->q->compare ? r->reference : NULL, r->q->sampler->compare};
}

/* Add the footprint at its place. */
static bool add_footprint(struct tex_sums *sums, struct tex_run *r, const struct tex_share *share)
{
    const struct tex_query *q = r->q;
    float weight[LANES_MAX];
    if (r->kind >= TEX_KIND_CODEC)
        return add_elements(sums, r, share);
    tex_run_load_words(r, r->places->element_B);
    if (r->kind == TEX_KIND_RGBA8)
        tex_add_bytes(sums->row, &r->f, find_weights(weight, share, q->lanes), q->lanes);
    else
        tex_add_channels(sums->row, &r->f, r->kind, share, q->lanes);
    return true;
}

/* ---- footprints that lie together ---- */

bool tex_run_find_area(struct tex_area *area, struct tex_run *r, const uint32_t *second_slice,
                       const struct tex_reach *reach)
{
    const unsigned channels = tex_kind_channels(r->kind);
    return channels != 2 && tex_area_find(area, r, second_slice, reach) &&
           (channels == 1 ? tex_area_load_one(area, r, 0) : tex_area_load_four(area, r));
}

void tex_run_add_area(struct tex_sums *sums, struct tex_run *r, const struct tex_area *area,
                      const struct tex_share *share)
{
    const unsigned lanes = r->q->lanes;
    float weight[LANES_MAX];
    if (r->kind >= TEX_KIND_CODEC) {
        tex_area_add_texels(sums->texel, area, &r->f, share, lanes);
    } else if (r->kind == TEX_KIND_RGBA8) {
        tex_area_add_bytes(sums->row, area, &r->f, find_weights(weight, share, lanes), lanes);
    } else if (tex_kind_channels(r->kind) == 4) {
        tex_area_add_rows(sums->row, area, &r->f, share, lanes);
    } else {
        tex_area_add_one(sums->row[0], area, &r->f, share, lanes);
    }
}

bool tex_run_add_level(struct tex_sums *sums, struct tex_run *r, const struct tex_coords *c, const uint8_t *level,
                       const float *lane)
{
    const struct tex_query *q = r->q;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = r->is_same || tex_is_one_level(q, level, first);
    struct tex_slices slices;
    struct tex_area area;
    if (!tex_run_locate(r, c, level, first, is_one))
        return false;
    if (q->axes == 3)
        tex_run_locate_slices(&slices, r, c, level, first, is_one);
    tex_run_set_slices(r, q->axes == 3 ? slices.at[0] : c->slice, level, first, is_one);
    const bool is_area = tex_run_find_area(&area, r, q->axes == 3 ? slices.at[1] : NULL, NULL);
    if (is_area && q->axes == 3 && tex_kind_channels(r->kind) == 1 && !q->compare) {
        tex_area_add_volume(sums->row[0], &area, r, &slices, lane);
        return true;
    }
    for (unsigned second = 0; second < (q->axes == 3 ? 2u : 1u); second++) {
        const struct tex_share share = tex_run_share(r, lane, q->axes == 3 ? slices.weight[second] : NULL);
        if (second)
            tex_run_set_slices(r, slices.at[1], level, first, is_one);
        if (second && is_area)
            tex_area_next_slice(&area, r);
        if (is_area)
            tex_run_add_area(sums, r, &area, &share);
        else if (!add_footprint(sums, r, &share))
            return false;
    }
    return true;
}

/* ---- instructions ---- */

/* One or two levels of four bytes: each is divided by itself, then mixed. */
static bool mix_bytes(float (*out)[LANES_MAX], struct tex_run *r, const struct tex_coords *c,
                      const struct tex_levels *levels)
{
    const struct tex_query *q = r->q;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    for (unsigned second = 0; second < 1u + levels->any_fraction; second++) {
        const uint8_t *level = second ? levels->high : levels->low;
        const bool is_one = r->is_same || tex_is_one_level(q, level, first);
        float upper[4][LANES_MAX];
        if (!tex_run_locate(r, c, level, first, is_one))
            return false;
        tex_run_set_slices(r, c->slice, level, first, is_one);
        struct tex_area area;
        if (tex_run_find_area(&area, r, NULL, NULL)) {
            tex_area_add_bytes(second ? upper : out, &area, &r->f, NULL, q->lanes);
        } else {
            tex_run_load_words(r, 4);
            tex_filter_bytes(second ? upper : out, &r->f, q->lanes);
        }
        for (unsigned n = 0; second && n < 4; n++) {
            LANES_INDEPENDENT
            for (unsigned i = 0; i < q->lanes; i++)
                out[n][i] = out[n][i] * (1 - levels->fraction[i]) + upper[n][i] * levels->fraction[i];
        }
    }
    return true;
}

/* Texels that are made one by one, to rows. */
static bool take_elements(float (*restrict out)[LANES_MAX], struct tex_run *r)
{
    float texels[4][LANES_MAX][4]; /* of which one tap */
    if (!tex_run_load_texels(texels, r))
        return false;
    for (unsigned i = 0; i < r->q->lanes; i++) {
        for (unsigned n = 0; n < 4; n++)
            out[n][i] = texels[0][i][n] + 0.0f; /* as a sum that begins with zero has it: there is no negative one */
    }
    return true;
}

/* Texels as they are: one for each lane, and all of its weight. */
static bool take_texels(float (*out)[LANES_MAX], struct tex_run *r, const struct tex_coords *c,
                        const struct tex_levels *levels)
{
    const struct tex_query *q = r->q;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = r->is_same || tex_is_one_level(q, levels->low, first);
    if (!tex_run_locate(r, c, levels->low, first, is_one))
        return false;
    tex_run_set_slices(r, c->slice, levels->low, first, is_one);
    if (r->kind >= TEX_KIND_CODEC)
        return take_elements(out, r);
    if (tex_run_load_srgb(out, r, tex_is_wanted(q, 3)))
        return true;
    tex_run_load_words(r, r->places->element_B);
    for (unsigned n = 0; n < tex_kind_channels(r->kind); n++) {
        if (tex_is_wanted(q, n))
            tex_take_channel(out[n], &r->f, r->kind, 0, n, q->lanes);
    }
    return true;
}

/* Of numbers that have no sign, or of texels that are made one by one. */
static bool are_texels_enough(const struct tex_run *r, const struct tex_lod *lod, const struct tex_levels *levels)
{
    return !r->is_pair && lod->max_probes == 1 && !levels->any_fraction && r->q->axes < 3 && !r->q->compare &&
           ((r->kind >= TEX_KIND_SRGB8 && r->kind <= TEX_KIND_RG16) || r->kind >= TEX_KIND_CODEC);
}

/* In the range of what is compared with it, or as it is given. */
static void set_reference(struct tex_run *r)
{
    const tex_float *restrict const given = tex_floats(r->q->compare);
    float *restrict const to = r->own_reference;
    r->reference = r->q->image->clamps_reference ? to : given;
    if (!r->q->image->clamps_reference)
        return;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->q->lanes; i++)
        to[i] = tex_at_most(tex_at_least(given[i], 0), 1);
}

void tex_order_rows(struct tex_result *out, const struct tex_image *image, unsigned channels)
{
    for (unsigned n = 0; n < 4; n++) {
        const unsigned from = image->order[n];
        const bool is_one = from == TEX_ORDER_ONE || from == 3;
        out->channel[n] = from < channels ? out->value[from] : is_one ? tex_ones : tex_zeros;
    }
}

/* Texels to rows, unless there are rows already; rows to X, Y, Z and W. */
static void finish_rows(struct tex_result *out, const struct tex_run *r, const struct tex_sums *sums)
{
    if (sums) {
        for (unsigned i = 0; i < r->q->lanes; i++) {
            for (unsigned n = 0; n < 4; n++)
                out->value[n][i] = sums->texel[i][n];
        }
    }
    tex_order_rows(out, r->q->image, tex_kind_channels(r->kind));
}

/* ---- some of the lanes ---- */

/* Lanes that are not its case: into the rows of those that were. False: the wave has stopped. */
static bool sample_others(struct tex_result *out, struct tex_run *r, const struct tex_coords *c,
                          const struct tex_lod *lod, const struct tex_levels *levels)
{
    struct tex_part part;
    union tex_texel texels[LANES_MAX];
    tex_part_begin(&part, r->q, r->others, c, lod, levels);
    const bool is_done = tex_sample(texels, r->q, &part.c, &part.lod, &part.levels);
    tex_part_end(&part, r->q);
    tex_part_give_texels(out, r->others, texels, r->q->lanes);
    return is_done;
}

/* Where most lanes are not active: the others one after the other, which are fewer. */
static bool sample_active(struct tex_result *out, struct tex_query *q, const struct tex_coords *c,
                          const struct tex_lod *lod, const struct tex_levels *levels)
{
    struct tex_part part;
    struct tex_result some;
    tex_part_begin(&part, q, q->exec, c, lod, levels);
    const bool is_done = tex_step_sample(&some, q, &part.c, &part.lod, &part.levels);
    tex_part_end(&part, q);
    if (is_done)
        tex_part_give_rows(out, q->exec, &some);
    return is_done;
}

static bool is_sparse(const struct tex_query *q)
{
    return align_u64((unsigned)__builtin_popcountll(q->exec), 16) * 2 <= q->lanes;
}

bool tex_step_sample(struct tex_result *out, struct tex_query *q, const struct tex_coords *c, const struct tex_lod *lod,
                     const struct tex_levels *levels)
{
    struct tex_run r;
    struct tex_sums sums;
    if (is_sparse(q) && q->exec)
        return sample_active(out, q, c, lod, levels);
    if (levels->any_cubic || !tex_run_begin(&r, q))
        return false;
    r.is_once = r.kind == TEX_KIND_RGBA8 && lod->max_probes == 1 && q->axes < 3;
    tex_run_set_filters(&r, levels);
    const bool are_texels = are_texels_enough(&r, lod, levels);
    r.is_near &= r.is_once || are_texels;
    if (q->compare)
        set_reference(&r);
    if (r.is_once) {
        if (!mix_bytes(out->value, &r, c, levels))
            return false;
    } else if (are_texels) {
        if (!take_texels(out->value, &r, c, levels))
            return false;
    } else {
        sums.row = out->value;
        memset(out->value, 0, tex_kind_channels(r.kind) * sizeof(out->value[0]));
        if (r.kind >= TEX_KIND_CODEC)
            memset(sums.texel, 0, sizeof(sums.texel));
        if (!tex_run_add_probes(&sums, &r, c, lod, levels))
            return false;
        if (r.kind == TEX_KIND_RGBA8)
            tex_divide_sums(out->value, q->lanes);
    }
    finish_rows(out, &r, r.kind >= TEX_KIND_CODEC && !are_texels ? &sums : NULL);
    return !r.others || sample_others(out, &r, c, lod, levels);
}

bool tex_fast_sample(struct tex_result *out, struct tex_query *q, const struct tex_coords *c, const struct tex_lod *lod,
                     const struct tex_levels *levels)
{
#if TEX_HAS_WIDE
    const struct tex_plan *plan = tex_plan_get(q);
    if (plan && plan->is_straight && tex_straight_sample(out, plan, q, c, lod, levels))
        return true;
#endif
    return tex_step_sample(out, q, c, lod, levels);
}
