/* Level of detail. Without gradients the derivatives are differences within a quad, one pair for all four lanes, as the
 * hardware takes them; where a quad crosses an edge of a cube, each lane sees that pair in the plane of its own face.
 *
 * Isotropic: log2 of the longer of the two derivatives. Anisotropic: the footprint's ratio, limited by the sampler, is
 * the number of probes (rounded up) along the longer derivative, and the level is that of the longer one divided by the
 * ratio, as Vulkan's section on texel anisotropic filtering has it. */
#include "model/texture/texture.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

struct derivatives {
    float at[2][3]; /* by direction and axis, in texels of the base level */
};

static bool on_one_face(const struct tex_coords *c, unsigned quad)
{
    const uint32_t *slice = c->slice + quad;
    return slice[0] == slice[1] && slice[0] == slice[2] && slice[0] == slice[3];
}

/* Where a lane's coordinates are in the plane of face `here`, in [0, 1] on the face itself; false behind it. */
static bool see_on_face(const struct tex_query *q, const struct tex_coords *c, unsigned lane, unsigned here,
                        float at_out[2])
{
    unsigned there = (c->slice[lane] - q->image->first_layer) % 6;
    at_out[0] = c->at[0][lane];
    at_out[1] = c->at[1][lane];
    if (there == here)
        return true;
    float s, t;
    if (!tex_face_coords(here, tex_face_direction(there, at_out[0] * 2 - 1, at_out[1] * 2 - 1), &s, &t))
        return false;
    at_out[0] = (s + 1) / 2;
    at_out[1] = (t + 1) / 2;
    return true;
}

/* Of a quad that lies on several faces. The differences are between the same lanes as ever, but Vulkan wants them in
 * the plane of the face that the sampling lane is on: in that of a neighbour, often a lane outside the triangle, they
 * are stretched, and their axes are others. What is behind the plane counts as a face away. */
static void face_derivatives(struct derivatives *d, const struct tex_query *q, const struct tex_coords *c,
                             unsigned quad, unsigned lane, const float scale[3])
{
    unsigned here = (c->slice[lane] - q->image->first_layer) % 6;
    float at[3][2];
    bool seen[3];
    for (unsigned i = 0; i < 3; i++)
        seen[i] = see_on_face(q, c, quad + i, here, at[i]);
    for (unsigned direction = 0; direction < 2; direction++) {
        bool both = seen[0] && seen[1 + direction];
        for (unsigned axis = 0; axis < 2; axis++)
            d->at[direction][axis] = (both ? at[1 + direction][axis] - at[0][axis] : 1) * scale[axis];
    }
}

/* What one direction's derivative covers, squared. */
static float squared_length(const float d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool wants_aniso(const struct tex_query *q)
{
    return q->sampler->max_aniso > 1 && q->axes == 2;
}

static void lod_of_derivatives(struct tex_lod *lod, const struct tex_query *q, const struct derivatives *d,
                               unsigned first, unsigned count)
{
    float px2 = squared_length(d->at[0]), py2 = squared_length(d->at[1]);
    float max2 = MAX2(px2, py2), min2 = MIN2(px2, py2);
    float value = 0.5f * log2f(max2);
    unsigned probes = 1;
    if (wants_aniso(q) && max2 > 0) {
        float limit = (float)q->sampler->max_aniso;
        float ratio = min2 > 0 ? MIN2(sqrtf(max2 / min2), limit) : limit;
        probes = (unsigned)ceilf(ratio);
        value -= log2f(ratio);
    }
    unsigned major = px2 >= py2 ? 0 : 1;
    const struct tex_image *image = q->image;
    float w = q->unnormalized ? 1 : (float)image->level[image->base_level].width;
    float h = q->unnormalized ? 1 : (float)image->level[image->base_level].height;
    for (unsigned i = first; i < first + count; i++) {
        lod->unclamped[i] = value;
        lod->probes[i] = (uint8_t)probes;
        lod->step[0][i] = d->at[major][0] / w;
        lod->step[1][i] = d->at[major][1] / h;
    }
    lod->max_probes = MAX2(lod->max_probes, probes);
}

static void implicit_lod(struct tex_lod *lod, const struct tex_query *q, const struct tex_coords *c,
                         const float scale[3])
{
    for (unsigned quad = 0; quad < q->lanes; quad += 4) {
        struct derivatives d = {{{0}}};
        if (!(q->exec >> quad & 15)) {
            for (unsigned i = quad; i < quad + 4; i++) {
                lod->unclamped[i] = 0;
                lod->probes[i] = 1;
            }
            continue;
        }
        if (q->image->is_cube && !on_one_face(c, quad)) {
            for (unsigned i = quad; i < quad + 4; i++) {
                face_derivatives(&d, q, c, quad, i, scale);
                lod_of_derivatives(lod, q, &d, i, 1);
            }
            continue;
        }
        for (unsigned axis = 0; axis < q->axes; axis++) {
            d.at[0][axis] = (c->at[axis][quad + 1] - c->at[axis][quad]) * scale[axis];
            d.at[1][axis] = (c->at[axis][quad + 2] - c->at[axis][quad]) * scale[axis];
        }
        lod_of_derivatives(lod, q, &d, quad, 4);
    }
}

static void gradient_lod(struct tex_lod *lod, const struct tex_query *q, const float scale[3])
{
    for (unsigned i = 0; i < q->lanes; i++) {
        struct derivatives d = {{{0}}};
        lod->unclamped[i] = 0;
        lod->probes[i] = 1;
        if (!(q->exec >> i & 1))
            continue;
        for (unsigned axis = 0; axis < q->axes; axis++) {
            d.at[0][axis] = tex_floats(q->grad[0][axis])[i] * scale[axis];
            d.at[1][axis] = tex_floats(q->grad[1][axis])[i] * scale[axis];
        }
        lod_of_derivatives(lod, q, &d, i, 1);
    }
}

static void clamp_lod(struct tex_lod *lod, const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const tex_float *clamp = q->clamp ? tex_floats(q->clamp) : NULL;
    float low = MAX2(s->min_lod, (float)q->image->min_lod / 256 - (float)q->image->base_level);
    for (unsigned i = 0; i < q->lanes; i++) {
        float least = clamp && clamp[i] > low ? clamp[i] : low;
        float value = lod->unclamped[i];
        value = value < s->max_lod ? value : s->max_lod;
        lod->lod[i] = value > least ? value : least; /* the lower limit wins, and a NaN becomes a limit */
    }
}

void tex_lod_init(struct tex_lod *lod, const struct tex_query *q, const struct tex_coords *c)
{
    const struct tex_image *image = q->image;
    unsigned lanes = q->lanes;
    lod->max_probes = 1;
    const float limit = q->sampler->bias_limit;
    float bias = MAX2(MIN2(q->sampler->lod_bias, limit), -limit);

    if (q->is_level_zero || q->lod) {
        const tex_float *given = q->lod ? tex_floats(q->lod) : NULL;
        memset(lod->probes, 1, sizeof(lod->probes));
        for (unsigned i = 0; i < lanes; i++)
            lod->unclamped[i] = (given ? given[i] : 0) + bias;
    } else {
        float scale[3] = {1, 1, 1};
        if (!q->unnormalized) {
            scale[0] = (float)image->level[image->base_level].width;
            scale[1] = (float)image->level[image->base_level].height;
            scale[2] = (float)image->level[image->base_level].depth;
        }
        if (q->grad[0][0])
            gradient_lod(lod, q, scale);
        else
            implicit_lod(lod, q, c, scale);
        const tex_float *given = q->bias ? tex_floats(q->bias) : NULL;
        for (unsigned i = 0; i < lanes; i++) {
            float sum = bias + (given ? given[i] : 0);
            lod->unclamped[i] += MAX2(MIN2(sum, limit), -limit);
        }
    }
    clamp_lod(lod, q);
}

/* As in tex_levels.linear. */
static uint8_t filter_of(const struct tex_query *q, bool is_linear, bool is_cubic)
{
    return !q->image->is_float ? 0 : is_cubic && q->axes == 2 ? 2 : is_linear;
}

/* Vulkan: the level is rounded half down where the sampler takes the nearest one. */
void tex_levels_init(struct tex_levels *levels, const struct tex_query *q, const struct tex_lod *lod)
{
    const struct tex_sampler *s = q->sampler;
    const struct tex_image *image = q->image;
    unsigned lanes = q->lanes;
    bool filters = image->is_float;
    int32_t last = image->last_level - image->base_level, base = image->base_level;
    int32_t low[LANES_MAX], high[LANES_MAX], fraction[LANES_MAX], linear[LANES_MAX], any = 0;
    int32_t mag = filter_of(q, s->mag_linear, s->mag_cubic), min = filter_of(q, s->min_linear, s->min_cubic);
    int32_t round = s->mip_linear ? 0 : 127, mask = s->mip_linear && filters ? 255 : 0,
            most = s->mip_none ? 0 : last << 8;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float value = lod->lod[i];
        value = value < 16.0f ? value : 16.0f;
        value = value > -16.0f ? value : -16.0f;
        int32_t fixed = (int32_t)floorf(value * 256 + 0.5f);
        linear[i] = fixed <= 0 ? mag : min;
        fixed = fixed < most ? fixed : most;
        fixed = fixed > 0 ? fixed : 0;
        int32_t first = (fixed + round) >> 8, next = first + 1;
        low[i] = base + first;
        high[i] = base + (next < last ? next : last);
        fraction[i] = fixed & mask;
        levels->fraction[i] = (float)fraction[i] * (1.0f / 256);
        any |= fraction[i];
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        levels->low[i] = (uint8_t)low[i];
        levels->high[i] = (uint8_t)high[i];
        levels->linear[i] = (uint8_t)linear[i];
    }
    levels->any_cubic = (mag | min) & 2;
    levels->any_fraction = false;
    for (unsigned i = 0; any && i < lanes; i++)
        levels->any_fraction |= fraction[i] && (q->exec >> i & 1);
}

bool tex_levels_init_same(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const struct tex_image *image = q->image;
    uint8_t mag = filter_of(q, s->mag_linear, s->mag_cubic), min = filter_of(q, s->min_linear, s->min_cubic);
    if ((image->last_level != image->base_level && !s->mip_none) || mag != min || wants_aniso(q))
        return false;
    lod->max_probes = 1;
    memset(lod->probes, 1, sizeof(lod->probes));
    memset(levels->low, image->base_level, sizeof(levels->low));
    memset(levels->high, image->base_level, sizeof(levels->high));
    memset(levels->linear, mag, sizeof(levels->linear));
    memset(levels->fraction, 0, sizeof(levels->fraction));
    levels->any_fraction = false;
    levels->any_cubic = mag == 2;
    return true;
}
