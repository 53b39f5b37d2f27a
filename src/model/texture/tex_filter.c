/* Reduction of the texels of a footprint: weighted mean, smallest or largest; and depth comparison, which comes before
 * it. */
#include "model/texture/texture.h"

#include <string.h>

#include "model/pixel/pixel.h"
#include "util/bits.h"

/* As IEEE 754 compares: a NaN is not equal to anything. */
static bool compare_texel(unsigned function, float reference, float texel)
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
            texels[tap][i].f[0] = compare_texel(function, value, texels[tap][i].f[0]) ? 1 : 0;
        }
    }
}

/* How components compare. */
enum order {
    ORDER_FLOAT,
    ORDER_UINT,
    ORDER_SINT,
};

static enum order order_of(const struct tex_image *image)
{
    return image->is_float ? ORDER_FLOAT : image->is_signed ? ORDER_SINT : ORDER_UINT;
}

/* The component that any other takes the place of. */
static uint32_t neutral(enum order order, bool is_min)
{
    switch (order) {
    case ORDER_FLOAT:
        return float_bits(is_min ? __builtin_inff() : -__builtin_inff());
    case ORDER_UINT:
        return is_min ? UINT32_MAX : 0;
    default:
        return is_min ? (uint32_t)INT32_MAX : (uint32_t)INT32_MIN;
    }
}

static void reduce_texels(union tex_texel *to, const union tex_texel *texel, enum order order, bool is_min)
{
    for (unsigned n = 0; n < 4; n++) {
        if (order == ORDER_FLOAT)
            to->f[n] = is_min ? MIN2(to->f[n], texel->f[n]) : MAX2(to->f[n], texel->f[n]);
        else if (order == ORDER_UINT)
            to->u[n] = is_min ? MIN2(to->u[n], texel->u[n]) : MAX2(to->u[n], texel->u[n]);
        else
            to->i[n] = is_min ? MIN2(to->i[n], texel->i[n]) : MAX2(to->i[n], texel->i[n]);
    }
}

/* The smallest or largest texels of all lanes so far. A weight says no more than whether a texel counts. */
static void accumulate_extremes(struct tex_sum *sum, const struct tex_query *q, union tex_texel (*texels)[LANES_MAX],
                                const struct tex_taps *taps, const float *lane_weight)
{
    const bool is_min = q->sampler->reduction == TEX_MIN;
    const enum order order = order_of(q->image);
    for (unsigned i = 0; i < q->lanes && !sum->started; i++) {
        for (unsigned n = 0; n < 4; n++)
            sum->value[i].u[n] = neutral(order, is_min);
    }
    sum->started = true;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            if (taps->weight[tap][i] * lane_weight[i] != 0)
                reduce_texels(&sum->value[i], &texels[tap][i], order, is_min);
        }
    }
}

/* NaN of lane_weight is not looked at: a weight of 0 leaves the lane out, so that lanes with fewer probes keep theirs.
 */
void tex_accumulate(struct tex_sum *sum, const struct tex_query *q, union tex_texel (*texels)[LANES_MAX],
                    const struct tex_taps *taps, const float *lane_weight)
{
    if (q->sampler->reduction != TEX_MEAN) {
        accumulate_extremes(sum, q, texels, taps, lane_weight);
        return;
    }
    if (!q->image->is_float) { /* one texel of one level */
        if (!sum->started)
            memcpy(sum->value, texels[0], sizeof(sum->value));
        sum->started = true;
        return;
    }
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
}
