/* A sample is the sum of passes: one for each level and, if anisotropic, each probe; a pass is one footprint per lane.
 * A gather is the texels of one footprint. */
#include "model/texture/texture.h"

#include <string.h>

/* Where probe `number` of each lane is: the middle of equal parts of the longer derivative. */
static void move_to_probe(struct tex_coords *to, const struct tex_coords *c, const struct tex_lod *lod, unsigned lanes,
                          unsigned number)
{
    *to = *c;
    to->at[0] = to->own.at[0];
    to->at[1] = to->own.at[1];
    for (unsigned i = 0; i < lanes; i++) {
        float along = (float)(number + 1) / (float)(lod->probes[i] + 1) - 0.5f;
        to->own.at[0][i] = c->at[0][i] + lod->step[0][i] * along;
        to->own.at[1][i] = c->at[1][i] + lod->step[1][i] * along;
    }
}

struct pass {
    struct tex_taps taps;
    union tex_texel texels[TEX_MAX_TAPS][LANES_MAX];
    struct tex_sum sum;
};

/* Lanes with one of two filters keep their weights, the others count for nothing. */
static void split_weights(float *to, const float *weight, const struct tex_levels *levels, bool is_cubic,
                          unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (levels->linear[i] == 2) == is_cubic ? weight[i] : 0;
}

static bool run_pass(struct pass *pass, struct tex_query *q, const struct tex_coords *c, const uint8_t *level,
                     const uint8_t *linear, const float *weight)
{
    memcpy(pass->taps.level, level, sizeof(pass->taps.level));
    tex_footprint(&pass->taps, q, c, linear, false);
    if (!tex_fetch(pass->texels, q, &pass->taps))
        return false;
    if (q->compare)
        tex_compare(pass->texels, q, pass->taps.count);
    tex_accumulate(&pass->sum, q, pass->texels, &pass->taps, weight);
    return true;
}

/* One level. */
static bool run_level(struct pass *pass, struct tex_query *q, const struct tex_coords *c,
                      const struct tex_levels *levels, const uint8_t *level, const float *weight)
{
    if (!levels->any_cubic)
        return run_pass(pass, q, c, level, levels->linear, weight);
    float share[LANES_MAX];
    split_weights(share, weight, levels, false, q->lanes);
    if (!run_pass(pass, q, c, level, levels->linear, share))
        return false;
    split_weights(share, weight, levels, true, q->lanes);
    return tex_cubic(&pass->sum, q, c, level, share);
}

bool tex_sample(union tex_texel out[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                const struct tex_lod *lod, const struct tex_levels *levels)
{
    struct pass pass;
    pass.sum.started = false;
    for (unsigned probe = 0; probe < lod->max_probes; probe++) {
        float low[LANES_MAX], high[LANES_MAX];
        for (unsigned i = 0; i < q->lanes; i++) {
            float share = probe < lod->probes[i] ? 1.0f / (float)lod->probes[i] : 0;
            high[i] = share * levels->fraction[i];
            low[i] = share - high[i];
        }
        struct tex_coords moved;
        const struct tex_coords *at = c;
        if (lod->max_probes > 1) {
            move_to_probe(&moved, c, lod, q->lanes, probe);
            at = &moved;
        }
        if (!run_level(&pass, q, at, levels, levels->low, low))
            return false;
        if (levels->any_fraction && !run_level(&pass, q, at, levels, levels->high, high))
            return false;
    }
    memcpy(out, pass.sum.value, sizeof(pass.sum.value));
    return true;
}

bool tex_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                const struct tex_levels *levels)
{
    if (!tex_fast_gather(out, q, c, levels))
        return tex_plain_gather(out, q, c, levels);
    if (q->compare)
        tex_compare(out, q, 4);
    return true;
}

bool tex_plain_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                      const struct tex_levels *levels)
{
    struct tex_taps taps;
    uint8_t linear[LANES_MAX];
    memset(linear, 1, sizeof(linear));
    memcpy(taps.level, levels->low, sizeof(taps.level));
    tex_footprint(&taps, q, c, linear, true);
    if (!tex_fetch(out, q, &taps))
        return false;
    if (q->compare)
        tex_compare(out, q, taps.count);
    return true;
}
