/* Level of detail. Without gradients the derivatives are differences within a quad, one pair for all four lanes, as the
 * hardware takes them; where a quad crosses an edge of a cube, each lane sees that pair in the plane of its own face.
 *
 * Isotropic: log2 of the longer of the two derivatives. Anisotropic: the footprint's ratio, limited by the sampler, is
 * the number of probes (rounded up) along the longer derivative, and the level is that of the longer one divided by the
 * ratio, as Vulkan's section on texel anisotropic filtering has it. */
#include "model/texture/tex_fast.h"

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

/* The logarithm to base 2 of what is not negative, to about a unit in the last place and exact for powers of two, so
 * that loops can have it. */
TEX_INLINE float log2_of(float x)
{
    const bool is_tiny = x < 1.17549435e-38f;
    const uint32_t bits = float_bits(is_tiny ? x * 8388608.0f : x);
    /* The fraction is in [0.70, 1.41), so that it is near 1 where the logarithm is near 0. */
    const uint32_t above = bits - 0x3f3504f3u;
    const float exponent = (float)((int32_t)above >> 23) - (is_tiny ? 23.0f : 0.0f);
    const float f = bits_float((above & 0x7fffffu) + 0x3f3504f3u) - 1;
    /* ln(1 + f) = f - f^2 / 2 + f^3 * p(f) */
    float p = 7.0376836292e-2f;
    p = p * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    const float square = f * f, rest = f * square * p - 0.5f * square;
    /* log2(e) in two parts, the first one 1. */
    const float fraction = (rest * 0.44269504088896340736f + f * 0.44269504088896340736f) + rest + f;
    float value = fraction + exponent;
    value = x < __builtin_inff() ? value : x; /* a NaN, too */
    return x == 0 ? -__builtin_inff() : value;
}

/* The length that one direction's derivative covers, squared. */
static float squared_length(const float d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static void lod_of_derivatives(struct tex_lod *lod, const struct tex_query *q, const struct derivatives *d,
                               unsigned first, unsigned count)
{
    float px2 = squared_length(d->at[0]), py2 = squared_length(d->at[1]);
    float max2 = MAX2(px2, py2), min2 = MIN2(px2, py2);
    float value = 0.5f * log2_of(max2);
    unsigned probes = 1;
    if (tex_wants_aniso(q) && max2 > 0) {
        float limit = (float)q->sampler->max_aniso;
        float ratio = min2 > 0 ? MIN2(sqrtf(max2 / min2), limit) : limit;
        probes = (unsigned)ceilf(ratio);
        value -= log2_of(ratio);
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

/* ---- all quads at once ---- */

/* One pair of derivatives for each quad. */
struct quads {
    float squared[2][LANES_MAX / 4]; /* lengths, by direction */
    float step[2][2][LANES_MAX / 4]; /* by direction and axis, in texels */
};

static void find_quads(struct quads *restrict to, const struct tex_query *q, const struct tex_coords *restrict c,
                       const float scale[3])
{
    const unsigned count = q->lanes / 4;
    for (unsigned axis = 0; axis < q->axes; axis++) {
        const tex_float *restrict at = c->at[axis];
        const float size = scale[axis];
        float *restrict x = to->step[0][axis & 1], *restrict y = to->step[1][axis & 1];
        float across[2][LANES_MAX / 4];
        if (axis == 2)
            x = across[0], y = across[1];
        LANES_INDEPENDENT
        for (unsigned n = 0; n < count; n++) {
            const float origin = at[4 * n], dx = (at[4 * n + 1] - origin) * size, dy = (at[4 * n + 2] - origin) * size;
            x[n] = dx;
            y[n] = dy;
            to->squared[0][n] = axis ? to->squared[0][n] + dx * dx : dx * dx;
            to->squared[1][n] = axis ? to->squared[1][n] + dy * dy : dy * dy;
        }
    }
}

/* The level of each quad, and with anisotropy its probes; is_aniso is a constant where it is inlined. */
TEX_INLINE void lod_of_quads(float *restrict value, float *restrict probes, const struct quads *restrict d,
                             unsigned count, bool is_aniso, float limit)
{
    LANES_INDEPENDENT
    for (unsigned n = 0; n < count; n++) {
        const float px2 = d->squared[0][n], py2 = d->squared[1][n];
        const float max2 = px2 > py2 ? px2 : py2, min2 = px2 < py2 ? px2 : py2;
        float lod = 0.5f * log2_of(max2);
        if (is_aniso) {
            float ratio = sqrtf(max2 / min2);
            ratio = min2 > 0 ? ratio : limit;
            ratio = ratio < limit ? ratio : limit;
            ratio = max2 > 0 ? ratio : 1;
            lod -= log2_of(ratio);
            probes[n] = ceilf(ratio);
        }
        value[n] = lod;
    }
}

void tex_lod_of_quads(float *value, const struct tex_query *q, const struct tex_coords *c, const float scale[3])
{
    struct quads d;
    find_quads(&d, q, c, scale);
    lod_of_quads(value, NULL, &d, q->lanes / 4, false, 1);
}

/* A row that has one value in the four lanes of each quad. */
static bool is_of_quads(const tex_float *row, unsigned lanes)
{
    typedef uint32_t quad __attribute__((vector_size(16)));
    quad other = {0};
    for (unsigned n = 0; n < lanes; n += 4) {
        quad lane;
        memcpy(&lane, row + n, sizeof(lane));
        other |= lane ^ __builtin_shufflevector(lane, lane, 0, 0, 0, 0);
    }
    return !(other[1] | other[2] | other[3]);
}

bool tex_lod_of_quad_gradients(float *value, const struct tex_query *q, const float scale[3])
{
    struct quads d;
    for (unsigned axis = 0; axis < 2; axis++) {
        if (!is_of_quads(tex_floats(q->grad[0][axis]), q->lanes) ||
            !is_of_quads(tex_floats(q->grad[1][axis]), q->lanes))
            return false;
    }
    for (unsigned direction = 0; direction < 2; direction++) {
        const tex_float *restrict const x = tex_floats(q->grad[direction][0]), *restrict const y =
                                                                                   tex_floats(q->grad[direction][1]);
        const float width = scale[0], height = scale[1];
        for (unsigned n = 0; n < q->lanes / 4; n++) {
            const float dx = x[4 * n] * width, dy = y[4 * n] * height;
            d.squared[direction][n] = dx * dx + dy * dy;
        }
    }
    lod_of_quads(value, NULL, &d, q->lanes / 4, false, 1);
    return true;
}

/* The level of detail by quads, for those that are not on several faces of a cube. */
static void quads_lod(struct tex_lod *lod, const struct tex_query *q, const struct tex_coords *c, const float scale[3])
{
    const unsigned count = q->lanes / 4;
    const bool is_aniso = tex_wants_aniso(q);
    struct quads d;
    float value[LANES_MAX / 4], probes[LANES_MAX / 4];
    find_quads(&d, q, c, scale);
    if (is_aniso)
        lod_of_quads(value, probes, &d, count, true, (float)q->sampler->max_aniso);
    else
        lod_of_quads(value, probes, &d, count, false, 1);
    for (unsigned n = 0; n < count; n++) {
        for (unsigned i = 4 * n; i < 4 * n + 4; i++)
            lod->unclamped[i] = value[n];
    }
    memset(lod->probes, 1, sizeof(lod->probes));
    if (is_aniso)
        memset(lod->step, 0, sizeof(lod->step));
    for (unsigned n = 0; is_aniso && n < count; n++) {
        if (!(q->exec >> 4 * n & 15))
            continue;
        const unsigned major = d.squared[0][n] >= d.squared[1][n] ? 0 : 1;
        const float step[2] = {d.step[major][0][n] / scale[0], d.step[major][1][n] / scale[1]};
        for (unsigned i = 4 * n; i < 4 * n + 4; i++) {
            lod->probes[i] = (uint8_t)probes[n];
            lod->step[0][i] = step[0];
            lod->step[1][i] = step[1];
        }
        lod->max_probes = MAX2(lod->max_probes, (unsigned)probes[n]);
    }
}

/* Of a cube, quads that lie on several faces have derivatives of their own for each lane. */
static void cross_faces(struct tex_lod *lod, const struct tex_query *q, const struct tex_coords *c,
                        const float scale[3])
{
    for (unsigned quad = 0; quad < q->lanes; quad += 4) {
        if (on_one_face(c, quad) || !(q->exec >> quad & 15))
            continue;
        for (unsigned i = quad; i < quad + 4; i++) {
            struct derivatives d = {{{0}}};
            face_derivatives(&d, q, c, quad, i, scale);
            lod_of_derivatives(lod, q, &d, i, 1);
        }
    }
}

/* Quad by quad: of cubes with anisotropy, whose probes are not those of neighbours on another face. */
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
        if (!on_one_face(c, quad))
            continue;
        for (unsigned axis = 0; axis < q->axes; axis++) {
            d.at[0][axis] = (c->at[axis][quad + 1] - c->at[axis][quad]) * scale[axis];
            d.at[1][axis] = (c->at[axis][quad + 2] - c->at[axis][quad]) * scale[axis];
        }
        lod_of_derivatives(lod, q, &d, quad, 4);
    }
    cross_faces(lod, q, c, scale);
}

/* Lane by lane, with anisotropy. */
static void gradient_probes(struct tex_lod *lod, const struct tex_query *q, const float scale[3])
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

/* Constants where it is inlined: axes. */
TEX_INLINE void lod_of_gradients(float *restrict value, const struct tex_query *q, const float scale[3], unsigned axes)
{
    const tex_float *restrict const x0 = tex_floats(q->grad[0][0]), *restrict const x1 = tex_floats(q->grad[1][0]),
                                    *restrict const y0 = tex_floats(q->grad[0][axes > 1]),
                                    *restrict const y1 = tex_floats(q->grad[1][axes > 1]),
                                    *restrict const z0 = tex_floats(q->grad[0][axes > 2 ? 2 : 0]),
                                    *restrict const z1 = tex_floats(q->grad[1][axes > 2 ? 2 : 0]);
    const float width = scale[0], height = scale[1], depth = scale[2];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < q->lanes; i++) {
        float px2 = x0[i] * width * (x0[i] * width), py2 = x1[i] * width * (x1[i] * width);
        if (axes > 1) {
            px2 += y0[i] * height * (y0[i] * height);
            py2 += y1[i] * height * (y1[i] * height);
        }
        if (axes > 2) {
            px2 += z0[i] * depth * (z0[i] * depth);
            py2 += z1[i] * depth * (z1[i] * depth);
        }
        value[i] = 0.5f * log2_of(px2 > py2 ? px2 : py2);
    }
}

static void gradient_lod(struct tex_lod *lod, const struct tex_query *q, const float scale[3])
{
    if (tex_wants_aniso(q)) {
        gradient_probes(lod, q, scale);
        return;
    }
    memset(lod->probes, 1, sizeof(lod->probes));
    if (q->axes == 1)
        lod_of_gradients(lod->unclamped, q, scale, 1);
    else if (q->axes == 2)
        lod_of_gradients(lod->unclamped, q, scale, 2);
    else
        lod_of_gradients(lod->unclamped, q, scale, 3);
}

static void clamp_lod(struct tex_lod *lod, const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const tex_float *clamp = q->clamp ? tex_floats(q->clamp) : NULL;
    float low = MAX2(s->min_lod, (float)q->image->min_lod / 256 - (float)q->image->base_level);
    const float most = s->max_lod;
    for (unsigned i = 0; i < q->lanes; i++) {
        float least = clamp && clamp[i] > low ? clamp[i] : low;
        float value = lod->unclamped[i];
        /* The lower limit wins, and a NaN becomes a limit. */
        lod->lod[i] = tex_at_least(tex_at_most(value, most), least);
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
        else if (q->image->is_cube && tex_wants_aniso(q))
            implicit_lod(lod, q, c, scale);
        else
            quads_lod(lod, q, c, scale);
        if (!q->grad[0][0] && q->image->is_cube && !tex_wants_aniso(q))
            cross_faces(lod, q, c, scale);
        const tex_float *given = q->bias ? tex_floats(q->bias) : NULL;
        for (unsigned i = 0; i < lanes; i++) {
            float sum = bias + (given ? given[i] : 0);
            lod->unclamped[i] += MAX2(MIN2(sum, limit), -limit);
        }
    }
    clamp_lod(lod, q);
}
