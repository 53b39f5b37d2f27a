/* From coordinates to texels: position in the level with 8 fractional bits, the two neighbours along each axis, what
 * the address mode makes of those outside, and the weights. */
#include "model/texture/texture.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* One axis of all lanes. */
struct axis {
    int32_t first[LANES_MAX];    /* the texel, or the lower one of two */
    int32_t fraction[LANES_MAX]; /* of 256, towards the upper one; 0 if not linear */
    int32_t size[LANES_MAX];
};

static int32_t level_size(const struct tex_image *image, unsigned axis, unsigned level)
{
    return (int32_t)(axis == 0   ? image->level[level].width
                     : axis == 1 ? image->level[level].height
                                 : image->level[level].depth);
}

/* Positions as fixed point. Repeating coordinates are brought near the image first, so that large ones keep their
 * precision. */
static void locate_axis(struct axis *to, const struct tex_query *q, const float *coord, unsigned axis,
                        const uint8_t *level, const uint8_t *linear, unsigned wrap, bool is_gather)
{
    const struct tex_image *image = q->image;
    bool repeats = !q->unnormalized && (wrap == TEX_REPEAT || wrap == TEX_MIRROR);
    bool half = wrap == TEX_CLAMP_TO_HALF_BORDER || wrap == TEX_MIRROR_ONCE_TO_HALF_BORDER;
    float period = wrap == TEX_MIRROR ? 2 : 1;
    bool trunc = q->sampler->trunc && !is_gather;
    for (unsigned i = 0; i < q->lanes; i++) {
        int32_t size = level_size(image, axis, level[i]);
        float u = coord[i];
        if (repeats)
            u -= period * floorf(u / period);
        if (!q->unnormalized)
            u *= (float)size;
        if (half)
            u = MAX2(MIN2(u, (float)size), wrap == TEX_CLAMP_TO_HALF_BORDER ? 0.0f : -(float)size);
        /* A comparison with NaN is false: it goes to the lower limit. */
        u = u > -4194304.0f ? MIN2(u, 4194304.0f) : -4194304.0f;
        bool is_linear = linear[i];
        float fixed = u * 256 - (is_linear ? 128.0f : 0.0f);
        int32_t at = (int32_t)floorf(trunc && !is_linear ? fixed : fixed + 0.5f);
        to->first[i] = at >> 8;
        to->fraction[i] = is_linear ? at & 255 : 0;
        to->size[i] = size;
    }
}

static int32_t modulo_size(int32_t i, int32_t size)
{
    int32_t rest = i % size;
    return rest < 0 ? rest + size : rest;
}

/* The texel that the address mode makes of one outside; *border_out is set where there is none. */
static int32_t clamp_texel(int32_t i, int32_t size, unsigned wrap, uint8_t *border_out)
{
    if (i >= 0 && i < size)
        return i;
    switch (wrap) {
    case TEX_REPEAT:
        return modulo_size(i, size);
    case TEX_MIRROR:
        i = modulo_size(i, 2 * size);
        return i < size ? i : 2 * size - 1 - i;
    case TEX_CLAMP_TO_EDGE:
        return i < 0 ? 0 : size - 1;
    case TEX_MIRROR_ONCE_TO_EDGE:
        i = i < 0 ? -1 - i : i;
        return MIN2(i, size - 1);
    case TEX_MIRROR_ONCE_TO_HALF_BORDER:
    case TEX_MIRROR_ONCE_TO_BORDER:
        i = i < 0 ? -1 - i : i;
        if (i < size)
            return i;
        /* fall through */
    default:
        *border_out = 1;
        return 0;
    }
}

/* ---- cubes ---- */

static void cross_edge(struct tex_taps *taps, const struct tex_query *q, unsigned tap, unsigned i, int32_t size)
{
    const unsigned slice = (unsigned)taps->z[tap][i] - q->image->first_layer;
    unsigned face = slice % 6;
    if (!tex_cross_edge(&face, &taps->x[tap][i], &taps->y[tap][i], size)) {
        taps->corner[tap][i] = 1;
        taps->x[tap][i] = taps->y[tap][i] = 0;
        return;
    }
    taps->z[tap][i] = (int32_t)(q->image->first_layer + slice - slice % 6 + face);
}

/* ---- all axes ---- */

static int32_t texel_offset(const struct tex_query *q, unsigned lane, unsigned axis)
{
    return q->offset[axis] ? q->offset[axis][lane] : 0;
}

/* One axis's two texels of every lane, after the address mode. */
struct pair {
    int32_t at[2][LANES_MAX];
    uint8_t border[2][LANES_MAX];
    float weight[2][LANES_MAX];
};

static void place_axis(struct pair *to, const struct tex_query *q, const struct axis *axis, unsigned number,
                       unsigned wrap, bool seamless)
{
    memset(to->border, 0, sizeof(to->border));
    for (unsigned second = 0; second < 2; second++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            int32_t fraction = axis->fraction[i];
            int32_t texel = axis->first[i] + (int32_t)second + texel_offset(q, i, number);
            to->weight[second][i] = (float)(second ? fraction : 256 - fraction) * (1.0f / 256);
            to->at[second][i] = seamless ? texel : clamp_texel(texel, axis->size[i], wrap, &to->border[second][i]);
        }
    }
}

static void combine_axis(struct tex_taps *taps, unsigned tap, const struct pair *pair, unsigned second, int32_t *to,
                         unsigned lanes)
{
    memcpy(to, pair->at[second], lanes * sizeof(*to));
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        taps->weight[tap][i] *= pair->weight[second][i];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        taps->border[tap][i] |= pair->border[second][i];
}

static void place_tap(struct tex_taps *taps, const struct tex_query *q, const struct tex_coords *c,
                      const struct axis axes[3], const struct pair pairs[3], unsigned tap, bool seamless)
{
    unsigned lanes = q->lanes;
    memset(taps->border[tap], 0, sizeof(taps->border[tap]));
    memset(taps->corner[tap], 0, sizeof(taps->corner[tap]));
    memset(taps->y[tap], 0, sizeof(taps->y[tap]));
    for (unsigned i = 0; i < lanes; i++)
        taps->weight[tap][i] = 1;
    combine_axis(taps, tap, &pairs[0], tap & 1, taps->x[tap], lanes);
    if (q->axes > 1)
        combine_axis(taps, tap, &pairs[1], tap >> 1 & 1, taps->y[tap], lanes);
    if (q->axes > 2) {
        combine_axis(taps, tap, &pairs[2], tap >> 2, taps->z[tap], lanes);
        for (unsigned i = 0; i < lanes; i++)
            taps->z[tap][i] += (int32_t)q->image->first_layer;
    } else {
        memcpy(taps->z[tap], c->slice, lanes * sizeof(taps->z[tap][0]));
    }
    for (unsigned i = 0; seamless && i < lanes; i++)
        cross_edge(taps, q, tap, i, axes[0].size[i]);
}

void tex_footprint(struct tex_taps *taps, const struct tex_query *q, const struct tex_coords *c, const uint8_t *linear,
                   bool is_gather)
{
    const struct tex_sampler *s = q->sampler;
    struct axis axes[3];
    uint8_t z_linear[LANES_MAX];
    bool any = false;
    for (unsigned i = 0; i < q->lanes; i++)
        any |= linear[i];
    for (unsigned i = 0; i < q->lanes; i++)
        z_linear[i] = s->z_follows_xy ? linear[i] : s->z_linear;
    if (q->axes == 3 && !s->z_follows_xy)
        any |= s->z_linear;
    bool seamless = q->image->is_cube && s->is_seamless;
    for (unsigned axis = 0; axis < q->axes; axis++)
        locate_axis(&axes[axis], q, c->at[axis], axis, taps->level, axis == 2 ? z_linear : linear,
                    seamless ? TEX_CLAMP_TO_EDGE : s->wrap[axis], is_gather);
    /* The nearest texel of a face is on that face. */
    for (unsigned axis = 0; axis < q->axes && seamless; axis++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            if (!linear[i])
                axes[axis].first[i] = MAX2(MIN2(axes[axis].first[i], axes[axis].size[i] - 1), 0);
        }
    }
    struct pair pairs[3];
    for (unsigned axis = 0; axis < q->axes; axis++)
        place_axis(&pairs[axis], q, &axes[axis], axis, s->wrap[axis], seamless);
    taps->count = any ? 1u << q->axes : 1;
    for (unsigned tap = 0; tap < taps->count; tap++)
        place_tap(taps, q, c, axes, pairs, tap, seamless);
    if (is_gather) {
        for (unsigned tap = 0; tap < taps->count; tap++) {
            for (unsigned i = 0; i < q->lanes; i++)
                taps->weight[tap][i] = 1;
        }
    }
}
