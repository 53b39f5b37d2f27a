/* Level of detail. Without gradients the derivatives are differences within a quad, one pair for all four lanes, as the
 * hardware takes them; where a quad crosses an edge of a cube, each lane sees that pair in the plane of its own face.
 *
 * Isotropic: log2 of the longer of the two derivatives. Anisotropic: the footprint's ratio, limited by the sampler, is
 * the number of probes (rounded up) along the longer derivative, and the level is that of the longer one divided by the
 * ratio, as Vulkan's section on texel anisotropic filtering has it. */
#include "amd/model/texture/ta.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* A cube face's own coordinates (s, t in [-1, 1]) as a direction, and back for a given face. */
struct direction {
    float x, y, z;
};

static struct direction face_direction(unsigned face, float s, float t)
{
    switch (face) {
    case 0:
        return (struct direction){1, -t, -s};
    case 1:
        return (struct direction){-1, -t, s};
    case 2:
        return (struct direction){s, 1, t};
    case 3:
        return (struct direction){s, -1, -t};
    case 4:
        return (struct direction){s, -t, 1};
    default:
        return (struct direction){-s, -t, -1};
    }
}

/* Where a direction meets the plane of a face; false behind it. */
static bool face_coords(unsigned face, struct direction d, float *s_out, float *t_out)
{
    float major, s, t;
    switch (face) {
    case 0:
        major = d.x, s = -d.z, t = -d.y;
        break;
    case 1:
        major = -d.x, s = d.z, t = -d.y;
        break;
    case 2:
        major = d.y, s = d.x, t = d.z;
        break;
    case 3:
        major = -d.y, s = d.x, t = -d.z;
        break;
    case 4:
        major = d.z, s = d.x, t = -d.y;
        break;
    default:
        major = -d.z, s = -d.x, t = -d.y;
        break;
    }
    if (!(major > 0))
        return false;
    *s_out = s / major;
    *t_out = t / major;
    return true;
}

void amd_ta_coords_init(struct ta_coords *c, const struct ta_request *r)
{
    const struct tc_image *image = r->image;
    unsigned lanes = r->lanes;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (axis >= r->axes) {
            memset(c->at[axis], 0, lanes * sizeof(float));
            continue;
        }
        const ta_float *from = ta_floats(r->coord[axis]);
        float bias = image->is_cube ? 1 : 0; /* the shader puts a face's coordinates into [1, 2] */
        LANES_INDEPENDENT
        for (unsigned i = 0; i < lanes; i++)
            c->at[axis][i] = from[i] - bias;
    }
    if (!r->layer) {
        lanes_splat(c->slice, image->first_layer, lanes);
        return;
    }
    const ta_float *layer = ta_floats(r->layer);
    float last = (float)(image->layers - 1);
    for (unsigned i = 0; i < lanes; i++) {
        float number = rintf(layer[i]);
        number = number >= -1e9f ? MIN2(number, 1e9f) : 0;
        if (image->is_cube) { /* eight numbers a cube, six of them faces */
            int32_t id = (int32_t)number, cube = id >> 3, face = MIN2(id & 7, 5);
            int32_t cubes = (int32_t)(image->layers / 6);
            cube = MAX2(MIN2(cube, cubes - 1), 0);
            c->slice[i] = image->first_layer + (uint32_t)(cube * 6 + face);
        } else {
            c->slice[i] = image->first_layer + (uint32_t)MAX2(MIN2(number, last), 0.0f);
        }
    }
}

struct derivatives {
    float at[2][3]; /* by direction and axis, in texels of the base level */
};

static bool on_one_face(const struct ta_coords *c, unsigned quad)
{
    const uint32_t *slice = c->slice + quad;
    return slice[0] == slice[1] && slice[0] == slice[2] && slice[0] == slice[3];
}

/* Where a lane's coordinates are in the plane of face `here`, in [0, 1] on the face itself; false behind it. */
static bool see_on_face(const struct ta_request *r, const struct ta_coords *c, unsigned lane, unsigned here,
                        float at_out[2])
{
    unsigned there = (c->slice[lane] - r->image->first_layer) % 6;
    at_out[0] = c->at[0][lane];
    at_out[1] = c->at[1][lane];
    if (there == here)
        return true;
    float s, t;
    if (!face_coords(here, face_direction(there, at_out[0] * 2 - 1, at_out[1] * 2 - 1), &s, &t))
        return false;
    at_out[0] = (s + 1) / 2;
    at_out[1] = (t + 1) / 2;
    return true;
}

/* Of a quad that lies on several faces. The differences are between the same lanes as ever, but Vulkan wants them in
 * the plane of the face that the sampling lane is on: in that of a neighbour, often a lane outside the triangle, they
 * are stretched, and their axes are others. What is behind the plane counts as a face away. */
static void face_derivatives(struct derivatives *d, const struct ta_request *r, const struct ta_coords *c,
                             unsigned quad, unsigned lane, const float scale[3])
{
    unsigned here = (c->slice[lane] - r->image->first_layer) % 6;
    float at[3][2];
    bool seen[3];
    for (unsigned i = 0; i < 3; i++)
        seen[i] = see_on_face(r, c, quad + i, here, at[i]);
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

static bool wants_aniso(const struct ta_request *r)
{
    return r->sampler->max_aniso > 1 && r->axes == 2;
}

static void lod_of_derivatives(struct ta_lod *lod, const struct ta_request *r, const struct derivatives *d,
                               unsigned first, unsigned count)
{
    float px2 = squared_length(d->at[0]), py2 = squared_length(d->at[1]);
    float max2 = MAX2(px2, py2), min2 = MIN2(px2, py2);
    float value = 0.5f * log2f(max2);
    unsigned probes = 1;
    if (wants_aniso(r) && max2 > 0) {
        float limit = (float)r->sampler->max_aniso;
        float ratio = min2 > 0 ? MIN2(sqrtf(max2 / min2), limit) : limit;
        probes = (unsigned)ceilf(ratio);
        value -= log2f(ratio);
    }
    unsigned major = px2 >= py2 ? 0 : 1;
    const struct tc_image *image = r->image;
    float w = r->unnormalized ? 1 : (float)image->level[image->base_level].width;
    float h = r->unnormalized ? 1 : (float)image->level[image->base_level].height;
    for (unsigned i = first; i < first + count; i++) {
        lod->unclamped[i] = value;
        lod->probes[i] = (uint8_t)probes;
        lod->step[0][i] = d->at[major][0] / w;
        lod->step[1][i] = d->at[major][1] / h;
    }
    lod->max_probes = MAX2(lod->max_probes, probes);
}

static void implicit_lod(struct ta_lod *lod, const struct ta_request *r, const struct ta_coords *c,
                         const float scale[3])
{
    for (unsigned quad = 0; quad < r->lanes; quad += 4) {
        struct derivatives d = {{{0}}};
        if (!(r->exec >> quad & 15)) {
            for (unsigned i = quad; i < quad + 4; i++) {
                lod->unclamped[i] = 0;
                lod->probes[i] = 1;
            }
            continue;
        }
        if (r->image->is_cube && !on_one_face(c, quad)) {
            for (unsigned i = quad; i < quad + 4; i++) {
                face_derivatives(&d, r, c, quad, i, scale);
                lod_of_derivatives(lod, r, &d, i, 1);
            }
            continue;
        }
        for (unsigned axis = 0; axis < r->axes; axis++) {
            d.at[0][axis] = (c->at[axis][quad + 1] - c->at[axis][quad]) * scale[axis];
            d.at[1][axis] = (c->at[axis][quad + 2] - c->at[axis][quad]) * scale[axis];
        }
        lod_of_derivatives(lod, r, &d, quad, 4);
    }
}

static void gradient_lod(struct ta_lod *lod, const struct ta_request *r, const float scale[3])
{
    for (unsigned i = 0; i < r->lanes; i++) {
        struct derivatives d = {{{0}}};
        lod->unclamped[i] = 0;
        lod->probes[i] = 1;
        if (!(r->exec >> i & 1))
            continue;
        for (unsigned axis = 0; axis < r->axes; axis++) {
            d.at[0][axis] = ta_floats(r->grad[0][axis])[i] * scale[axis];
            d.at[1][axis] = ta_floats(r->grad[1][axis])[i] * scale[axis];
        }
        lod_of_derivatives(lod, r, &d, i, 1);
    }
}

static void clamp_lod(struct ta_lod *lod, const struct ta_request *r)
{
    const struct tex_sampler *s = r->sampler;
    const ta_float *clamp = r->clamp ? ta_floats(r->clamp) : NULL;
    float low = MAX2(s->min_lod, (float)r->image->min_lod / 256 - (float)r->image->base_level);
    for (unsigned i = 0; i < r->lanes; i++) {
        float least = clamp && clamp[i] > low ? clamp[i] : low;
        float value = lod->unclamped[i];
        value = value < s->max_lod ? value : s->max_lod;
        lod->lod[i] = value > least ? value : least; /* the lower limit wins, and a NaN becomes a limit */
    }
}

void amd_ta_lod_init(struct ta_lod *lod, const struct ta_request *r, const struct ta_coords *c)
{
    const struct tc_image *image = r->image;
    unsigned lanes = r->lanes;
    lod->max_probes = 1;
    float bias = MAX2(MIN2(r->sampler->lod_bias, 16.0f), -16.0f);

    if (r->uop->imm & TA_LEVEL_ZERO || r->lod) {
        const ta_float *given = r->lod ? ta_floats(r->lod) : NULL;
        memset(lod->probes, 1, sizeof(lod->probes));
        for (unsigned i = 0; i < lanes; i++)
            lod->unclamped[i] = (given ? given[i] : 0) + bias;
    } else {
        float scale[3] = {1, 1, 1};
        if (!r->unnormalized) {
            scale[0] = (float)image->level[image->base_level].width;
            scale[1] = (float)image->level[image->base_level].height;
            scale[2] = (float)image->level[image->base_level].depth;
        }
        if (r->grad[0][0])
            gradient_lod(lod, r, scale);
        else
            implicit_lod(lod, r, c, scale);
        const ta_float *given = r->bias ? ta_floats(r->bias) : NULL;
        for (unsigned i = 0; i < lanes; i++) {
            float sum = bias + (given ? given[i] : 0);
            lod->unclamped[i] += MAX2(MIN2(sum, 16.0f), -16.0f);
        }
    }
    clamp_lod(lod, r);
}

/* Vulkan: the level is rounded half down where the sampler takes the nearest one. */
void amd_ta_levels_init(struct ta_levels *levels, const struct ta_request *r, const struct ta_lod *lod)
{
    const struct tex_sampler *s = r->sampler;
    const struct tc_image *image = r->image;
    unsigned lanes = r->lanes;
    bool filters = image->format.kind == TC_FLOAT;
    int32_t last = image->last_level - image->base_level, base = image->base_level;
    int32_t low[LANES_MAX], high[LANES_MAX], fraction[LANES_MAX], linear[LANES_MAX], any = 0;
    int32_t mag = filters && s->mag_linear, min = filters && s->min_linear;
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
    levels->any_fraction = false;
    for (unsigned i = 0; any && i < lanes; i++)
        levels->any_fraction |= fraction[i] && (r->exec >> i & 1);
}

bool amd_ta_levels_init_same(struct ta_levels *levels, struct ta_lod *lod, const struct ta_request *r)
{
    const struct tex_sampler *s = r->sampler;
    const struct tc_image *image = r->image;
    bool filters = image->format.kind == TC_FLOAT;
    if ((image->last_level != image->base_level && !s->mip_none) || (filters && s->mag_linear != s->min_linear) ||
        wants_aniso(r))
        return false;
    lod->max_probes = 1;
    memset(lod->probes, 1, sizeof(lod->probes));
    memset(levels->low, image->base_level, sizeof(levels->low));
    memset(levels->high, image->base_level, sizeof(levels->high));
    memset(levels->linear, filters && s->mag_linear, sizeof(levels->linear));
    memset(levels->fraction, 0, sizeof(levels->fraction));
    levels->any_fraction = false;
    return true;
}
