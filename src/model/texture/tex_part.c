/* Some lanes of an instruction as one of their own, one after the other: fewer lanes cost less. */
#include "model/texture/tex_fast.h"

#include "util/bits.h"

static void take_lane(struct tex_part *to, unsigned i, const struct tex_query *q, const struct tex_coords *c,
                      const struct tex_lod *lod, const struct tex_levels *levels, unsigned from)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        to->c.own.at[axis][i] = c->at[axis][from];
        if (q->offset[axis])
            to->offset[axis][i] = q->offset[axis][from];
    }
    to->c.own.slice[i] = c->slice[from];
    to->lod.probes[i] = lod->probes[from];
    if (lod->max_probes > 1) {
        to->lod.step[0][i] = lod->step[0][from];
        to->lod.step[1][i] = lod->step[1][from];
    }
    to->levels.low[i] = levels->low[from];
    to->levels.high[i] = levels->high[from];
    to->levels.linear[i] = levels->linear[from];
    to->levels.fraction[i] = levels->fraction[from];
    if (q->compare)
        to->compare[i] = q->compare[from];
}

void tex_part_begin(struct tex_part *part, struct tex_query *q, uint64_t lanes, const struct tex_coords *c,
                    const struct tex_lod *lod, const struct tex_levels *levels)
{
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    unsigned count = 0;
    part->given = *q;
    for (unsigned axis = 0; axis < 3; axis++)
        part->c.at[axis] = part->c.own.at[axis];
    part->c.slice = part->c.own.slice;
    bits_foreach (lanes, i)
        take_lane(part, count++, q, c, lod, levels, (unsigned)i);
    q->lanes = (unsigned)align_u64(count, 16);
    q->exec = lanes_full_mask(count);
    for (; count < q->lanes; count++) /* not active, but not without values */
        take_lane(part, count, &part->given, c, lod, levels, first);
    lanes_from_mask(part->active, q->exec, q->lanes);
    q->exec_lanes = part->active;
    part->lod.max_probes = lod->max_probes;
    part->levels.any_fraction = levels->any_fraction;
    part->levels.any_cubic = levels->any_cubic;
    part->levels.is_same = levels->is_same;
    for (unsigned axis = 0; axis < 3; axis++)
        q->offset[axis] = q->offset[axis] ? part->offset[axis] : NULL;
    q->compare = q->compare ? part->compare : NULL;
}

void tex_part_end(const struct tex_part *part, struct tex_query *q)
{
    *q = part->given;
}

void tex_part_give_texels(struct tex_result *to, uint64_t lanes, const union tex_texel *texels, unsigned count)
{
    float rows[4][LANES_MAX];
    for (unsigned channel = 0; channel < 4; channel++)
        memcpy(rows[channel], to->channel[channel], count * sizeof(float));
    bits_foreach (lanes, i) {
        for (unsigned channel = 0; channel < 4; channel++)
            rows[channel][i] = texels->f[channel];
        texels++;
    }
    for (unsigned channel = 0; channel < 4; channel++) {
        memcpy(to->value[channel], rows[channel], count * sizeof(float));
        to->channel[channel] = to->value[channel];
    }
}

void tex_part_give_rows(struct tex_result *to, uint64_t lanes, const struct tex_result *rows)
{
    for (unsigned channel = 0; channel < 4; channel++) {
        const float *from = rows->channel[channel];
        float *row = to->value[channel];
        to->channel[channel] = from == tex_ones || from == tex_zeros ? from : row;
        bits_foreach (lanes, i)
            row[i] = *from++;
    }
}
