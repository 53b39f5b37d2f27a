/* Anisotropic samples: passes of several probes, which stand in a row. The texels around all probes of all lanes are
 * loaded and made floats once for each level, where they are not many more than those of a few probes: neighbouring
 * pixels' rows of probes lie side by side, so that most texels are looked at again and again. Sums are those of
 * tex_sample.c, with the same weights and in the same order. */
#include "model/texture/tex_run.h"

#include <string.h>

#include "util/bits.h"

/* Probe `number` of each lane, or its last one if there are not so many. */
static void move_to_probe(struct tex_coords *to, const struct tex_coords *c, const struct tex_lod *lod, unsigned lanes,
                          unsigned number, bool is_last)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        const int32_t at = is_last ? lod->probes[i] : (int32_t)(number + 1);
        const float along = (float)at / (float)(lod->probes[i] + 1) - 0.5f;
        to->own.at[0][i] = c->at[0][i] + lod->step[0][i] * along;
        to->own.at[1][i] = c->at[1][i] + lod->step[1][i] * along;
    }
}

/* Of the two levels: the texels around all probes, if they lie together. */
struct areas {
    bool is_one_level[2];
    bool is_there[2];
    struct tex_area of[2];
};

static bool locate_probe(struct tex_run *r, const struct tex_coords *at, const uint8_t *level, bool is_one)
{
    const unsigned first = (unsigned)__builtin_ctzll(r->q->exec);
    if (!tex_run_locate(r, at, level, first, is_one))
        return false;
    tex_run_set_slices(r, at->slice, level, first, is_one);
    return true;
}

static void find_areas(struct areas *to, struct tex_run *r, struct tex_coords *moved, const struct tex_coords *c,
                       const struct tex_lod *lod, const struct tex_levels *levels)
{
    const unsigned lanes = r->q->lanes;
    uint32_t x[LANES_MAX], y[LANES_MAX];
    const struct tex_reach reach = {x, y, lod->max_probes};
    to->is_there[0] = to->is_there[1] = false;
    if (r->q->axes != 2)
        return;
    for (unsigned second = 0; second < 1u + levels->any_fraction; second++) {
        const uint8_t *level = second ? levels->high : levels->low;
        const bool is_one = tex_is_one_level(r->q, level, (unsigned)__builtin_ctzll(r->q->exec));
        to->is_one_level[second] = is_one;
        move_to_probe(moved, c, lod, lanes, 0, false);
        if (!locate_probe(r, moved, level, is_one) || r->is_outside)
            return;
        memcpy(x, r->f.x.at, lanes * sizeof(x[0]));
        memcpy(y, r->f.y.at, lanes * sizeof(y[0]));
        move_to_probe(moved, c, lod, lanes, 0, true);
        if (!locate_probe(r, moved, level, is_one) || r->is_outside)
            return;
        to->is_there[second] = tex_run_find_area(&to->of[second], r, NULL, &reach);
    }
}

/* The probe at hand in a level; `wanted` are the lanes that have it. */
static bool add_probe(struct tex_sums *sums, struct tex_run *r, struct areas *areas, unsigned second,
                      const struct tex_coords *at, const uint8_t *level, const float *weight, const uint32_t *wanted)
{
    if (!areas->is_there[second])
        return tex_run_add_level(sums, r, at, level, weight);
    if (!locate_probe(r, at, level, areas->is_one_level[second]))
        return false;
    if (r->is_outside || !tex_area_move(&areas->of[second], r, wanted))
        return tex_run_add_level(sums, r, at, level, weight);
    const struct tex_share share = tex_run_share(r, weight, NULL);
    tex_run_add_area(sums, r, &areas->of[second], &share);
    return true;
}

/* One probe in two levels. */
static bool add_levels(struct tex_sums *sums, struct tex_run *r, const struct tex_coords *c,
                       const struct tex_levels *levels)
{
    float low[LANES_MAX];
    for (unsigned i = 0; i < r->q->lanes; i++)
        low[i] = 1 - levels->fraction[i];
    return tex_run_add_level(sums, r, c, levels->low, low) &&
           tex_run_add_level(sums, r, c, levels->high, levels->fraction);
}

bool tex_run_add_probes(struct tex_sums *sums, struct tex_run *r, const struct tex_coords *c, const struct tex_lod *lod,
                        const struct tex_levels *levels)
{
    const unsigned lanes = r->q->lanes;
    struct tex_coords moved;
    struct areas areas;
    float each[LANES_MAX];
    if (lod->max_probes == 1) /* all of the weight of active lanes */
        return levels->any_fraction ? add_levels(sums, r, c, levels)
                                    : tex_run_add_level(sums, r, c, levels->low, tex_ones);
    moved.at[0] = moved.own.at[0];
    moved.at[1] = moved.own.at[1];
    moved.at[2] = c->at[2];
    moved.slice = c->slice;
    r->is_plain = false; /* probes have what they reach in common */
    find_areas(&areas, r, &moved, c, lod, levels);
    for (unsigned i = 0; i < lanes; i++)
        each[i] = 1.0f / (float)lod->probes[i];
    for (unsigned probe = 0; probe < lod->max_probes; probe++) {
        float low[LANES_MAX], high[LANES_MAX];
        uint32_t wanted[LANES_MAX];
        for (unsigned i = 0; i < lanes; i++) {
            const bool is_there = probe < lod->probes[i];
            const float share = is_there ? each[i] : 0;
            high[i] = share * levels->fraction[i];
            low[i] = share - high[i];
            wanted[i] = is_there ? UINT32_MAX : 0;
        }
        move_to_probe(&moved, c, lod, lanes, probe, false);
        if (!add_probe(sums, r, &areas, 0, &moved, levels->low, low, wanted))
            return false;
        if (levels->any_fraction && !add_probe(sums, r, &areas, 1, &moved, levels->high, high, wanted))
            return false;
    }
    return true;
}
