/* Reduction of the texels of a footprint: weighted mean, smallest or largest; and depth comparison, which comes before
 * it. */
#include "model/texture/texture.h"

#include <string.h>

#include "model/pixel/pixel.h"
#include "util/bits.h"

/* As IEEE 754 compares: a NaN is not equal to anything. */
static bool compare(unsigned function, float reference, float texel)
{
    return function == PIXEL_NOT_EQUAL ? reference != texel : pixel_compare_float(function, reference, texel);
}

void tex_compare(union tex_texel (*texels)[LANES_MAX], const struct tex_query *q, unsigned taps)
{
    const tex_float *reference = tex_floats(q->compare);
    bool is_fixed = q->image->clamps_reference;
    unsigned function = q->sampler->compare;
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            float value = reference[i];
            if (is_fixed)
                value = value > 0 ? MIN2(value, 1.0f) : 0;
            texels[tap][i].f[0] = compare(function, value, texels[tap][i].f[0]) ? 1 : 0;
        }
    }
}

static void reduce(union tex_texel *to, const union tex_texel *texel, bool is_min)
{
    for (unsigned n = 0; n < 4; n++)
        to->f[n] = is_min ? MIN2(to->f[n], texel->f[n]) : MAX2(to->f[n], texel->f[n]);
}

/* NaN of lane_weight is not looked at: a weight of 0 leaves the lane out, so that lanes with fewer probes keep theirs.
 */
void tex_accumulate(struct tex_sum *sum, const struct tex_query *q, union tex_texel (*texels)[LANES_MAX],
                    const struct tex_taps *taps, const float *lane_weight)
{
    unsigned mode = q->sampler->reduction;
    if (!q->image->is_float) {
        if (!sum->started)
            memcpy(sum->value, texels[0], sizeof(sum->value));
        sum->started = true;
        return;
    }
    if (mode == TEX_MEAN) {
        if (!sum->started)
            memset(sum->value, 0, sizeof(sum->value));
        sum->started = true;
        for (unsigned tap = 0; tap < taps->count; tap++) {
            for (unsigned i = 0; i < q->lanes; i++) {
                float weight = taps->weight[tap][i] * lane_weight[i];
                if (weight == 0)
                    continue; /* an infinity there does not count */
                for (unsigned n = 0; n < 4; n++)
                    sum->value[i].f[n] += weight * texels[tap][i].f[n];
            }
        }
        return;
    }
    /* The first texel of a lane starts it: tap 0 of the first pass always counts, since its weight is never 0 when all
     * others' are. */
    bool is_min = mode == TEX_MIN;
    if (!sum->started) {
        for (unsigned i = 0; i < q->lanes; i++) {
            for (unsigned n = 0; n < 4; n++)
                sum->value[i].f[n] = is_min ? __builtin_inff() : -__builtin_inff();
        }
    }
    sum->started = true;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            if (taps->weight[tap][i] * lane_weight[i] != 0)
                reduce(&sum->value[i], &texels[tap][i], is_min);
        }
    }
}
