/* Samples against Vulkan's equations in double precision. Weights of the hardware have 8 bits, which leaves a
 * difference of less than TOLERANCE between texels of [0, 1]. */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/model/tpl1/unit.h"
#include "model/texture/tex_places.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define TOLERANCE 0.006

/* False: outside of the image, on the border. */
static bool wrapped(int32_t i, int32_t size, unsigned wrap, int32_t *at_out)
{
    int32_t period = wrap == ADRENO_TEX_CLAMP_MIRROR_REPEAT ? 2 * size : size;
    switch (wrap) {
    case ADRENO_TEX_CLAMP_REPEAT:
    case ADRENO_TEX_CLAMP_MIRROR_REPEAT:
        i = (i % period + period) % period;
        *at_out = i < size ? i : 2 * size - 1 - i;
        return true;
    case ADRENO_TEX_CLAMP_MIRROR_CLAMP:
        i = i < 0 ? -1 - i : i;
        /* fall through */
    case ADRENO_TEX_CLAMP_CLAMP_TO_EDGE:
        *at_out = MAX2(MIN2(i, size - 1), 0);
        return true;
    default:
        *at_out = i;
        return i >= 0 && i < size;
    }
}

/* One level; the border is zero but for what `border` says. */
static void reference(const struct picture *p, const struct adreno_desc_SAMPLER *s, const double coord[3],
                      uint32_t layer, unsigned level, bool is_linear, const double border[4], double out[4])
{
    const unsigned wraps[3] = {s->WRAP_S, s->WRAP_T, s->WRAP_R};
    const int32_t size[3] = {(int32_t)MAX2(p->info.width >> level, 1u), (int32_t)MAX2(p->info.height >> level, 1u),
                             (int32_t)MAX2(p->info.depth >> level, 1u)};
    unsigned axes = p->info.is_volume ? 3 : 2;
    memset(out, 0, 4 * sizeof(*out));
    for (unsigned tap = 0; tap < (is_linear ? 1u << axes : 1u); tap++) {
        int32_t at[3] = {0, 0, (int32_t)layer};
        double weight = 1, texel[4];
        bool is_inside = true;
        for (unsigned axis = 0; axis < axes; axis++) {
            double u = coord[axis] * (s->UNNORM_COORDS ? 1 : size[axis]) - (is_linear ? 0.5 : 0);
            unsigned second = tap >> axis & 1;
            weight *= !is_linear ? 1 : second ? u - floor(u) : 1 - (u - floor(u));
            is_inside &= wrapped((int32_t)floor(u) + (int32_t)second, size[axis], wraps[axis], &at[axis]);
        }
        if (is_inside)
            picture_texel(p, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2], level, texel);
        for (unsigned n = 0; n < 4; n++)
            out[n] += weight * (is_inside ? texel[n] : border[n]);
    }
}

static void check_result(struct rig *rig, unsigned lane, const double expected[4], const char *what)
{
    for (unsigned n = 0; n < 4; n++) {
        if (!(fabs((double)row_f(rig, 24 + n)[lane] - expected[n]) < TOLERANCE))
            fail_msg("%s, lane %u component %u: %g, not %g", what, lane, n, (double)row_f(rig, 24 + n)[lane],
                     expected[n]);
    }
}

static struct adreno_desc_SAMPLER linear_sampler(void)
{
    return (struct adreno_desc_SAMPLER){
        .XY_MAG = ADRENO_TEX_FILTER_LINEAR, .XY_MIN = ADRENO_TEX_FILTER_LINEAR, .MAX_LOD = 0xfff};
}

static const double none[4];

/* A nearest sample is the texel that the coordinate lies in; they stay away from its edges, where any texel is
 * right. */
static float coordinate(uint32_t size, bool is_linear)
{
    if (is_linear)
        return rig_random_float(-2, 3);
    return ((float)((int32_t)(rig_random() % (5 * size)) - (int32_t)(2 * size)) + rig_random_float(0.1f, 0.9f)) /
           (float)size;
}

static void check_wraps(struct rig *rig, const struct picture *p, bool is_linear, const char *what)
{
    struct tpl1_request r = request_of(rig, TPL1_SAM, TPL1_F32);
    bool is_volume = p->info.is_volume;
    r.is_3d = is_volume;
    r.is_array = !is_volume;
    bind(rig, 0, &p->desc);
    for (unsigned wrap = 0; wrap <= ADRENO_TEX_CLAMP_MIRROR_CLAMP; wrap++) {
        struct adreno_desc_SAMPLER s = linear_sampler();
        s.WRAP_S = wrap;
        s.WRAP_T = (wrap + 1) % 5;
        s.WRAP_R = (wrap + 2) % 5;
        if (!is_linear)
            s.XY_MAG = s.XY_MIN = ADRENO_TEX_FILTER_NEAREST;
        bind_sampler(rig, 0, &s);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            row_f(rig, 0)[i] = coordinate(p->info.width, is_linear);
            row_f(rig, 1)[i] = coordinate(p->info.height, is_linear);
            row_f(rig, 2)[i] = is_volume ? coordinate(p->info.depth, is_linear)
                                         : (float)(i % p->info.layers) + 0.5f; /* compilers add a half */
        }
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            double coord[3] = {(double)row_f(rig, 0)[i], (double)row_f(rig, 1)[i], (double)row_f(rig, 2)[i]};
            double expected[4];
            reference(p, &s, coord, i % p->info.layers, 0, is_linear, none, expected);
            check_result(rig, i, expected, what);
        }
    }
}

static void address_modes(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    memset(rig->host + RIG_SIZE_B - 4096, 0, 4096); /* border colours */
    for (unsigned is_linear = 0; is_linear < 2; is_linear++) {
        picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                     (struct adreno_surface_info){.width = 37, .height = 20, .layers = 3, .is_tiled = true});
        check_wraps(rig, &p, is_linear, "tiled RGBA8");
        picture_init(rig, &p, 96, FORMAT_R16G16B16A16_UNORM, ADRENO_TEX_TYPE_2D,
                     (struct adreno_surface_info){.width = 64, .height = 16, .layers = 2});
        check_wraps(rig, &p, is_linear, "linear RGBA16");
        picture_init(rig, &p, 192, FORMAT_BC7_UNORM_BLOCK, ADRENO_TEX_TYPE_2D,
                     (struct adreno_surface_info){.width = 36, .height = 20, .layers = 1, .is_tiled = true});
        check_wraps(rig, &p, is_linear, "BC7");
        picture_init(
            rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_3D,
            (struct adreno_surface_info){.width = 20, .height = 9, .depth = 5, .is_tiled = true, .is_volume = true});
        check_wraps(rig, &p, is_linear, "volume");
    }
}

/* A colour of the table in what components the format has, and the constant ones. */
static void borders(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    struct adreno_desc_SAMPLER s = linear_sampler();
    struct tpl1_request r = request_of(rig, TPL1_SAM, TPL1_F32);
    const float color[4] = {0.25f, 0.5f, 2, 0.125f};
    memcpy(rig->host + RIG_SIZE_B - 4096 + 3 * 128, color, sizeof(color));
    picture_init(rig, &p, 15, FORMAT_R8G8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 16, .height = 16});
    s.WRAP_S = s.WRAP_T = ADRENO_TEX_CLAMP_CLAMP_TO_BORDER;
    s.BCOLOR = 3;
    bind_sampler(rig, 0, &s);
    bind(rig, 0, &p.desc);
    memset(rig->regs, 0, sizeof(rig->regs));
    for (unsigned i = 0; i < RIG_LANES; i++)
        row_f(rig, 0)[i] = -5;
    run(rig, &r);
    check_result(rig, 7, (const double[4]){0.25, 0.5, 0, 1}, "two components");
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 16, .height = 16});
    bind(rig, 0, &p.desc);
    run(rig, &r);
    check_result(rig, 7, (const double[4]){0.25, 0.5, 1, 0.125}, "four components");
    s.FASTBORDERCOLOREN = true;
    s.FASTBORDERCOLOR = ADRENO_FAST_BORDER_0001;
    bind_sampler(rig, 0, &s);
    run(rig, &r);
    check_result(rig, 7, (const double[4]){0, 0, 0, 1}, "opaque black");
}

/* Levels by number, by derivatives with a bias, and by gradients; between two of them; then with a least level. */
static void levels(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 128, .height = 64, .levels = 5, .is_tiled = true});
    struct adreno_desc_SAMPLER s = linear_sampler();
    s.MIPFILTER_LINEAR_NEAR = true;
    s.LOD_BIAS = 64; /* a quarter */
    bind(rig, 0, &p.desc);
    for (unsigned shape = 0; shape < 6; shape++) {
        static const enum tpl1_op ops[] = {TPL1_SAML, TPL1_SAMB, TPL1_SAMGQ};
        const unsigned mode = shape % 3, clamp_row = ops[mode] == TPL1_SAMGQ ? 16 : 17;
        struct tpl1_request r = request_of(rig, ops[mode], TPL1_F32);
        r.has_clamp = shape >= 3;
        bind_sampler(rig, 0, &s);
        double lods[RIG_LANES];
        for (unsigned quad = 0; quad < RIG_LANES; quad += 4) {
            float lod = rig_random_float(0, 3.5f), step = exp2f(lod) / 128;
            float u = rig_random_float(0, 1), v = rig_random_float(0, 1), bias = rig_random_float(-1, 1);
            for (unsigned i = quad; i < quad + 4; i++) {
                row_f(rig, 0)[i] = u + (mode == 1 ? step * (float)(i & 1) : 0);
                row_f(rig, 1)[i] = v + (mode == 1 ? step * (float)(i >> 1 & 1) : 0);
                row_f(rig, 16)[i] = mode == 1 ? bias : lod;
                row_f(rig, 4)[i] = step; /* d/dx, d/dy */
                row_f(rig, 5)[i] = row_f(rig, 6)[i] = 0;
                row_f(rig, 7)[i] = step;
                lods[i] = fmin(fmax((double)(lod + 0.25f + (mode == 1 ? bias : 0)), 0), 4);
                if (r.has_clamp) {
                    row_f(rig, clamp_row)[i] = (float)(i % 16) / 4;
                    lods[i] = fmax(lods[i], i % 16 / 4.0);
                }
            }
        }
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            double coord[3] = {(double)row_f(rig, 0)[i], (double)row_f(rig, 1)[i], 0}, low[4], high[4], expected[4];
            unsigned level = (unsigned)lods[i];
            reference(&p, &s, coord, 0, level, true, none, low);
            reference(&p, &s, coord, 0, MIN2(level + 1, 4u), true, none, high);
            for (unsigned n = 0; n < 4; n++)
                expected[n] = low[n] + (high[n] - low[n]) * (lods[i] - level);
            check_result(rig, i, expected, mode == 0 ? "saml" : mode == 1 ? "samb" : "samgq");
        }
    }
    /* samgp2 is samgq for the third lane of each quad alone. */
    struct tpl1_request r = request_of(rig, TPL1_SAMGP2, TPL1_F32);
    r.has_clamp = true;
    uint32_t all[RIG_LANES];
    memcpy(all, rig->regs[24], sizeof(all));
    memset(rig->regs[24], 0xff, sizeof(all));
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++)
        assert_int_equal(rig->regs[24][i], i % 4 == 2 ? all[i] : UINT32_MAX);
    /* Levels have 8 fractional bits. */
    r = request_of(rig, TPL1_GETLOD, TPL1_S32);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        row_f(rig, 0)[i] = (float)(i & 1) * 8 / 128;
        row_f(rig, 1)[i] = (float)(i >> 1 & 1) * 8 / 64;
    }
    run(rig, &r);
    assert_int_equal(rig->regs[24][3], 3 * 256 + 64);
    assert_int_equal(rig->regs[25][3], 3 * 256 + 64);
}

/* Catmull-Rom, by its polynomial through four texels in each direction. */
static void cubic(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 32, .height = 32, .is_tiled = true});
    struct adreno_desc_SAMPLER s = {.XY_MAG = ADRENO_TEX_FILTER_CUBIC, .XY_MIN = ADRENO_TEX_FILTER_CUBIC};
    struct tpl1_request r = request_of(rig, TPL1_SAML, TPL1_F32);
    memset(rig->regs, 0, sizeof(rig->regs));
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 0, &s);
    for (unsigned i = 0; i < RIG_LANES; i++) { /* fractions that 8 bits hold */
        row_f(rig, 0)[i] = (float)(rig_random() % 8192) / 8192;
        row_f(rig, 1)[i] = (float)(rig_random() % 8192) / 8192;
    }
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        double at[2] = {(double)row_f(rig, 0)[i] * 32 - 0.5, (double)row_f(rig, 1)[i] * 32 - 0.5}, expected[4] = {0};
        double weights[2][4];
        for (unsigned axis = 0; axis < 2; axis++) {
            for (int n = 0; n < 4; n++) { /* Keys' kernel with a = -1/2 */
                double d = fabs(at[axis] - floor(at[axis]) - (n - 1));
                weights[axis][n] =
                    d <= 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
            }
        }
        for (unsigned tap = 0; tap < 16; tap++) {
            double texel[4];
            picture_texel(&p, (uint32_t)((int)floor(at[0]) + (int)(tap & 3) - 1) & 31,
                          (uint32_t)((int)floor(at[1]) + (int)(tap >> 2) - 1) & 31, 0, 0, texel);
            for (unsigned n = 0; n < 4; n++)
                expected[n] += weights[0][tap & 3] * weights[1][tap >> 2] * texel[n];
        }
        check_result(rig, i, expected, "cubic");
    }
}

/* The four texels of a linear filter, each one's component, counterclockwise from the lower left. */
static void gathers(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 32, .height = 32, .is_tiled = true});
    struct adreno_desc_SAMPLER s = linear_sampler();
    struct tpl1_request r = request_of(rig, TPL1_GATHER4B, TPL1_F32);
    r.has_offsets = true;
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 0, &s);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        row_f(rig, 0)[i] = ((float)(i % 20 + 1) + 0.25f) / 32;
        row_f(rig, 1)[i] = ((float)(i % 7 + 1) + 0.75f) / 32;
        rig->regs[16][i] = i % 4;
        rig->regs[17][i] = (uint32_t)-1;
    }
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        static const uint8_t dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
        for (unsigned n = 0; n < 4; n++) {
            double texel[4];
            picture_texel(&p, i % 20 + i % 4 + dx[n], i % 7 + dy[n], 0, 0, texel);
            assert_true((double)row_f(rig, 24 + n)[i] == texel[2]);
        }
    }
}

/* The reference is compared with each texel before they are filtered. */
static void comparisons(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 21, FORMAT_R16_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 32, .height = 32, .is_tiled = true});
    struct adreno_desc_SAMPLER s = linear_sampler();
    s.COMPARE_FUNC = ADRENO_COMPARE_FUNC_LESS;
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 0, &s);
    struct tpl1_request r = request_of(rig, TPL1_SAM, TPL1_F32);
    r.is_shadow = true;
    r.wrmask = 1;
    for (unsigned i = 0; i < RIG_LANES; i++) {
        row_f(rig, 0)[i] = rig_random_float(0.1f, 0.9f);
        row_f(rig, 1)[i] = rig_random_float(0.1f, 0.9f);
        row_f(rig, 2)[i] = rig_random_float(0, 1);
    }
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        double u = (double)row_f(rig, 0)[i] * 32 - 0.5, v = (double)row_f(rig, 1)[i] * 32 - 0.5, sum = 0;
        for (unsigned tap = 0; tap < 4; tap++) {
            double texel[4],
                weight = (tap & 1 ? u - floor(u) : 1 - u + floor(u)) * (tap & 2 ? v - floor(v) : 1 - v + floor(v));
            picture_texel(&p, (uint32_t)floor(u) + (tap & 1), (uint32_t)floor(v) + (tap >> 1), 0, 0, texel);
            sum += weight * ((double)row_f(rig, 2)[i] < texel[0]);
        }
        assert_true(fabs(sum - (double)row_f(rig, 24)[i]) < TOLERANCE);
    }
}

/* A direction meets a face where Vulkan's table of major axes says. */
static void cubes(void **state)
{
    static const struct {
        int8_t major, s, t; /* axis + 1, negative the other way */
    } faces[6] = {{1, -3, -2}, {-1, 3, -2}, {2, 1, 3}, {-2, 1, -3}, {3, 1, -2}, {-3, -1, -2}};
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_CUBE,
                 (struct adreno_surface_info){.width = 16, .height = 16, .layers = 18, .is_tiled = true});
    struct adreno_desc_SAMPLER s = linear_sampler();
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 0, &s);
    struct tpl1_request r = request_of(rig, TPL1_SAML, TPL1_F32);
    r.is_3d = r.is_array = true;
    for (unsigned i = 0; i < RIG_LANES; i++) {
        for (unsigned axis = 0; axis < 3; axis++)
            row_f(rig, axis)[i] = rig_random_float(-1, 1);
        row_f(rig, 3)[i] = (float)(i % 3) + 0.5f;
        row_f(rig, 16)[i] = 0;
    }
    run(rig, &r);
    unsigned checked = 0;
    for (unsigned i = 0; i < RIG_LANES; i++) {
        double d[3], coord[3] = {0}, expected[4];
        unsigned major = 0, face;
        for (unsigned axis = 0; axis < 3; axis++) {
            d[axis] = (double)row_f(rig, axis)[i];
            major = fabs(d[axis]) > fabs(d[major]) ? axis : major;
        }
        for (face = 0; faces[face].major != (d[major] < 0 ? -1 : 1) * (int)(major + 1);)
            face++;
        const int8_t axes[2] = {faces[face].s, faces[face].t};
        for (unsigned n = 0; n < 2; n++) {
            unsigned axis = (unsigned)abs(axes[n]) - 1;
            coord[n] = ((axes[n] < 0 ? -d[axis] : d[axis]) / fabs(d[major]) + 1) / 2;
        }
        if (fmin(coord[0], coord[1]) < 0.04 || fmax(coord[0], coord[1]) > 0.96)
            continue; /* beyond an edge is another face */
        reference(&p, &s, coord, i % 3 * 6 + face, 0, true, none, expected);
        check_result(rig, i, expected, "cube");
        checked++;
    }
    assert_true(checked > 80);
}

/* Lanes with descriptors of their own, halves in and out, and a wave's second half. `few`: how many lanes of each half
 * have the second descriptors; 0: they take turns. */
/* All lanes at once, beside one direction after the other: among them ties, zeros of both signs, and what is no
 * number. */
static void cube_rows(void **state)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, NAN, INFINITY, -INFINITY, 1e-42f, -3.5f, 0.25f};
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        float at[3][LANES_MAX], s[LANES_MAX], t[LANES_MAX];
        uint32_t face[LANES_MAX];
        for (unsigned i = 0; i < 3 * LANES_MAX; i++)
            (&at[0][0])[i] = rand() % 3 ? (float)rand() / (float)RAND_MAX * 4 - 2 : odd[rand() % 10];
        adreno_tpl1_cube(face, s, t, tex_floats((const uint32_t *)(const void *)at[0]),
                         tex_floats((const uint32_t *)(const void *)at[1]),
                         tex_floats((const uint32_t *)(const void *)at[2]));
        for (unsigned i = 0; i < LANES_MAX; i++) {
            const struct tex_direction d = {at[0][i], at[1][i], at[2][i]};
            float one_s = 0, one_t = 0;
            assert_int_equal(face[i], tex_face_of(d));
            (void)tex_face_coords(face[i], d, &one_s, &one_t);
            one_s = (one_s + 1) / 2;
            one_t = (one_t + 1) / 2;
            assert_true((isnan(s[i]) && isnan(one_s)) || float_bits(s[i]) == float_bits(one_s));
            assert_true((isnan(t[i]) && isnan(one_t)) || float_bits(t[i]) == float_bits(one_t));
        }
    }
}

static void check_lanes(struct rig *rig, const struct picture *p, const struct adreno_desc_SAMPLER *s, unsigned few)
{
    uint32_t texture_of[RIG_LANES], sampler_of[RIG_LANES];
    struct tpl1_request r = request_of(rig, TPL1_SAM, TPL1_F16);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        texture_of[i] = few ? i % 64 < few : i / 3 % 2;
        sampler_of[i] = few ? i % 64 < few : i / 5 % 2;
        rig->regs[0][i] =
            float_to_half_rtne(rig_random_float(0, 1)) | (uint32_t)float_to_half_rtne(rig_random_float(0, 1)) << 16;
    }
    r.texture_of = texture_of;
    r.sampler_of = sampler_of;
    r.src0.is_half = true;
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        double coord[3] = {(double)half_to_float((uint16_t)rig->regs[0][i]),
                           (double)half_to_float((uint16_t)(rig->regs[0][i] >> 16)), 0};
        double expected[4];
        reference(&p[texture_of[i]], &s[sampler_of[i]], coord, 0, 0, true, none, expected);
        for (unsigned n = 0; n < 4; n++) {
            double got = (double)half_to_float((uint16_t)(rig->regs[24 + n / 2][i] >> n % 2 * 16));
            assert_true(fabs(got - expected[n]) < TOLERANCE);
        }
    }
}

static void lanes(void **state)
{
    struct rig *rig = *state;
    struct picture p[2];
    struct adreno_desc_SAMPLER s[2] = {linear_sampler(), linear_sampler()};
    static const unsigned fews[] = {0, 1, 5, 16, 17, 33, 48, 63, 64};
    s[1].WRAP_S = s[1].WRAP_T = ADRENO_TEX_CLAMP_CLAMP_TO_EDGE;
    for (unsigned n = 0; n < 2; n++) {
        picture_init(rig, &p[n], 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                     (struct adreno_surface_info){.width = 32, .height = 16, .is_tiled = true});
        bind(rig, n, &p[n].desc);
        bind_sampler(rig, n, &s[n]);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(fews); i++)
        check_lanes(rig, p, s, fews[i]);
}

static void queries(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_CUBE,
                 (struct adreno_surface_info){.width = 64, .height = 64, .layers = 12, .levels = 3, .is_tiled = true});
    bind(rig, 0, &p.desc);
    struct tpl1_request r = request_of(rig, TPL1_GETSIZE, TPL1_U32);
    for (unsigned i = 0; i < RIG_LANES; i++)
        rig->regs[0][i] = i % 3;
    run(rig, &r);
    assert_true(rig->regs[24][2] == 16 && rig->regs[25][2] == 16 && rig->regs[27][2] == 2);
    r = request_of(rig, TPL1_GETINFO, TPL1_U32);
    r.wrmask = 12;
    run(rig, &r);
    assert_true(rig->regs[26][100] == 3 && rig->regs[27][100] == 1);
    const uint32_t nothing[16] = {0}; /* no image: it has neither levels nor samples */
    memcpy(rig->textures[1], nothing, sizeof(nothing));
    r.texture = 1;
    run(rig, &r);
    assert_true(rig->regs[26][100] == 0 && rig->regs[27][100] == 0);
    rig->state.samples = 4;
    rig->state.sample_pos[2][0] = 2;
    rig->state.sample_pos[2][1] = 10;
    r = request_of(rig, TPL1_RGETPOS, TPL1_F32);
    run(rig, &r);
    assert_true(row_f(rig, 24)[2] == -0.375f && row_f(rig, 25)[2] == 0.125f);
}

/* One plane at a place of its own coordinates, clamped to its edges. */
static double filtered(const uint8_t *plane, uint32_t pitch_B, uint32_t step_B, const int32_t size[2],
                       const double at[2], bool is_linear)
{
    double sum = 0;
    for (unsigned tap = 0; tap < 4; tap++) {
        int32_t place[2];
        double weight = 1;
        for (unsigned axis = 0; axis < 2; axis++) {
            const double c = is_linear ? at[axis] - 0.5 : floor(at[axis]);
            const int32_t second = tap >> axis & 1;
            weight *= second ? c - floor(c) : 1 - (c - floor(c));
            place[axis] = MAX2(MIN2((int32_t)floor(c) + second, size[axis] - 1), 0);
        }
        sum += weight * plane[(uint32_t)place[1] * pitch_B + (uint32_t)place[0] * step_B] / 255;
    }
    return sum;
}

/* Luma and chroma are filtered apart; chroma stands on even texels or in the middle of two, and the nearest is found as
 * if it were in the middle. */
static void video(void **state)
{
    struct rig *rig = *state;
    struct tpl1_request r = request_of(rig, TPL1_SAML, TPL1_F32);
    const uint32_t width = 30, height = 20, pitch_B = 64;
    uint8_t *luma = rig->host, *chroma = rig->host + 65536;
    memset(rig->regs, 0, sizeof(rig->regs));
    for (unsigned i = 0; i < 2 * 65536; i++)
        luma[i] = (uint8_t)rig_random();
    for (unsigned mode = 0; mode < 64; mode++) {
        unsigned planes = 2 + (mode & 1);
        bool is_linear = mode & 2, midpoint[2] = {mode & 4, mode & 8};
        struct adreno_desc_PLANES desc = {.SWIZ_Y = 1,
                                          .SWIZ_Z = 2,
                                          .SWIZ_W = 3,
                                          .CHROMA_MIDPOINT_X = midpoint[0],
                                          .CHROMA_MIDPOINT_Y = midpoint[1],
                                          .FMT = planes == 2 ? 142 : 144,
                                          .WIDTH = width,
                                          .HEIGHT = height,
                                          .PITCH = pitch_B,
                                          .TYPE = ADRENO_TEX_TYPE_2D,
                                          .BASE = RIG_VA,
                                          .DEPTH = 1,
                                          .PLANE_PITCH = pitch_B,
                                          .BASE_U = RIG_VA + 65536,
                                          .BASE_V = RIG_VA + 65536 + 32768};
        struct adreno_desc_SAMPLER s = {.MAX_LOD = 0xfff, .WRAP_S = 1, .WRAP_T = 1, .CHROMA_LINEAR = is_linear};
        const bool is_luma_linear = mode & 16;
        tex_places_at_once = mode & 32;
        s.XY_MAG = s.XY_MIN = is_luma_linear ? ADRENO_TEX_FILTER_LINEAR : ADRENO_TEX_FILTER_NEAREST;
        adreno_pack_desc_PLANES(rig->textures[0], &desc);
        bind_sampler(rig, 0, &s);
        double places[RIG_LANES][2]; /* sixteenths of a texel */
        for (unsigned i = 0; i < RIG_LANES; i++) {
            places[i][0] = (i * 117 % (width * 16)) / 16.0 + 1 / 32.0;
            places[i][1] = (i * 53 % (height * 16)) / 16.0 + 1 / 32.0;
            row_f(rig, 0)[i] = (float)(places[i][0] / width);
            row_f(rig, 1)[i] = (float)(places[i][1] / height);
        }
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            const int32_t size[2] = {(int32_t)width, (int32_t)height}, half[2] = {size[0] / 2, size[1] / 2};
            double expected[4] = {filtered(luma, pitch_B, 1, size, places[i], is_luma_linear), 0, 0, 1}, at[2];
            for (unsigned axis = 0; axis < 2; axis++)
                at[axis] = (places[i][axis] + (is_linear && !midpoint[axis] ? 0.5 : 0)) / 2;
            for (unsigned n = 0; n < 2; n++)
                expected[1 + n] =
                    filtered(chroma + n * (planes == 2 ? 1 : 32768), pitch_B, planes == 2 ? 2 : 1, half, at, is_linear);
            check_result(rig, i, expected, "video");
        }
    }
    tex_places_at_once = false;
}

/* Two texels share a chroma: Y Cb Y Cr. */
static void video_blocks(void **state)
{
    struct rig *rig = *state;
    const uint8_t bytes[] = {10, 20, 30, 40, 50, 60, 70, 80};
    struct adreno_desc_IMAGE desc = {.SWIZ_Y = 1,
                                     .SWIZ_Z = 2,
                                     .SWIZ_W = 3,
                                     .FMT = 141,
                                     .WIDTH = 4,
                                     .HEIGHT = 1,
                                     .PITCH = 64,
                                     .TYPE = ADRENO_TEX_TYPE_2D,
                                     .BASE = RIG_VA,
                                     .DEPTH = 1};
    const struct adreno_desc_SAMPLER sampler = {.MAX_LOD = 0xfff, .WRAP_S = 1, .WRAP_T = 1};
    memcpy(rig->host, bytes, sizeof(bytes));
    bind(rig, 0, &desc);
    bind_sampler(rig, 0, &sampler);
    for (unsigned mode = 0; mode < 3; mode++) { /* loads; samples without tables of places and with them */
        const struct tpl1_request r = request_of(rig, mode ? TPL1_SAML : TPL1_ISAM, TPL1_F32);
        memset(rig->regs, 0, sizeof(rig->regs));
        tex_places_at_once = mode == 2;
        for (unsigned i = 0; i < RIG_LANES; i++) {
            rig->regs[0][i] = i % 4;
            if (mode)
                row_f(rig, 0)[i] = ((float)(i % 4) + 0.5f) / 4;
        }
        run(rig, &r);
        check_result(rig, 1, (const double[4]){30 / 255.0, 20 / 255.0, 40 / 255.0, 1}, "the second texel");
        check_result(rig, 2, (const double[4]){50 / 255.0, 60 / 255.0, 80 / 255.0, 1}, "the third texel");
    }
    tex_places_at_once = false;
}

/* Many probes along a line blur across it no more than one does. */
static void anisotropy(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 64, .height = 64, .levels = 5, .is_tiled = true});
    for (unsigned level = 0; level < 5; level++) {
        for (uint32_t y = 0; y < 64u >> level; y++) {
            for (uint32_t x = 0; x < 64u >> level; x++)
                memset(picture_at(&p, x, y, 0, level, 0), level ? 0x80 : y % 2 ? 0xff : 0, 4);
        }
    }
    struct adreno_desc_SAMPLER s = linear_sampler();
    s.XY_MAG = s.XY_MIN = ADRENO_TEX_FILTER_ANISO;
    s.ANISO = ADRENO_TEX_ANISO_16;
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 0, &s);
    struct tpl1_request r = request_of(rig, TPL1_SAM, TPL1_F32);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        row_f(rig, 0)[i] = (float)(i & 1) * 8 / 64;
        row_f(rig, 1)[i] = (31.5f + (float)(i >> 1 & 1) * 0.9f) / 64;
    }
    run(rig, &r);
    check_result(rig, 0, (const double[4]){1, 1, 1, 1}, "a row of ones"); /* row 31 */
}

/* The one of a swizzle is a number of the image's kind. */
static void constants(void **state)
{
    struct rig *rig = *state;
    const struct adreno_desc_SAMPLER sampler = {.MAX_LOD = 0xfff, .WRAP_S = 1, .WRAP_T = 1};
    bind_sampler(rig, 0, &sampler);
    for (unsigned kind = 0; kind < 2; kind++) {
        const bool is_int = kind == 1;
        const struct adreno_desc_IMAGE desc = {.SWIZ_X = ADRENO_TEX_SWIZ_ONE,
                                               .SWIZ_Y = ADRENO_TEX_SWIZ_X,
                                               .SWIZ_Z = ADRENO_TEX_SWIZ_ZERO,
                                               .SWIZ_W = ADRENO_TEX_SWIZ_ONE,
                                               .FMT = is_int ? 75 : 74,
                                               .WIDTH = 1,
                                               .HEIGHT = 1,
                                               .PITCH = 64,
                                               .TYPE = ADRENO_TEX_TYPE_2D,
                                               .BASE = RIG_VA,
                                               .DEPTH = 1};
        const uint32_t texel = is_int ? 77 : float_bits(77), one = is_int ? 1 : float_bits(1);
        const uint32_t expected[4] = {one, texel, 0, one};
        memcpy(rig->host, &texel, sizeof(texel));
        bind(rig, 0, &desc);
        memset(rig->regs, 0, sizeof(rig->regs));
        const struct tpl1_request r = request_of(rig, TPL1_SAML, is_int ? TPL1_U32 : TPL1_F32);
        run(rig, &r);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(rig->regs[24 + n][0], expected[n]);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(constants, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(address_modes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(borders, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(levels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(cubic, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gathers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(comparisons, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(cubes, rig_setup, rig_teardown),
        cmocka_unit_test(cube_rows),
        cmocka_unit_test_setup_teardown(lanes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(queries, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(anisotropy, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(video, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(video_blocks, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("tpl1_sample", tests, NULL, NULL);
}
