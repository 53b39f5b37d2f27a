/* Sampling against Vulkan's equations ("Image Operations"), written out here in double precision. Weights of the
 * hardware have 8 fractional bits: coordinates are chosen on that grid, so that both must agree but for float rounding.
 */
#include "amd/model/texture/tests/ta_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

/* ---- the specification ---- */

static long wrap_place(long i, long size, unsigned mode)
{
    long m;
    switch (mode) {
    case AMD_TEX_CLAMP_WRAP:
        return ((i % size) + size) % size;
    case AMD_TEX_CLAMP_MIRROR:
        m = ((i % (2 * size)) + 2 * size) % (2 * size) - size;
        return (size - 1) - (m >= 0 ? m : -(1 + m));
    case AMD_TEX_CLAMP_CLAMP_LAST_TEXEL:
        return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
    case AMD_TEX_CLAMP_CLAMP_BORDER:
        return i < -1 ? -1 : i > size ? size : i;
    default: /* mirror once */
        m = i >= 0 ? i : -(1 + i);
        return m > size - 1 ? size - 1 : m;
    }
}

struct reference {
    const struct picture *p;
    const struct amd_desc_SAMPLER *s;
    double border[4];
    bool (*compare)(double reference, double texel);
    double compare_with;
    int offset[3];
    uint32_t layer;
    unsigned axes;
};

static void texel(const struct reference *ref, unsigned level, long i, long j, long k, double out[4])
{
    const struct picture *p = ref->p;
    long w = picture_width(p, level), h = picture_height(p, level), d = p->is_3d ? picture_depth(p, level) : 1;
    i = wrap_place(i + ref->offset[0], w, ref->s->CLAMP_X);
    j = ref->axes > 1 ? wrap_place(j + ref->offset[1], h, ref->s->CLAMP_Y) : 0;
    k = ref->axes > 2 ? wrap_place(k + ref->offset[2], d, ref->s->CLAMP_Z) : 0;
    if (i < 0 || i >= w || j < 0 || j >= h || k < 0 || k >= d)
        memcpy(out, ref->border, 4 * sizeof(double));
    else
        memcpy(out, picture_get(p, level, (uint32_t)i, (uint32_t)j, p->is_3d ? (uint32_t)k : ref->layer, 0),
               4 * sizeof(double));
    if (ref->compare)
        out[0] = ref->compare(ref->compare_with, out[0]);
}

static void level_linear(const struct reference *ref, unsigned level, const double c[3], double out[4])
{
    double size[3] = {picture_width(ref->p, level), picture_height(ref->p, level), picture_depth(ref->p, level)};
    long first[3] = {0, 0, 0};
    double alpha[3] = {0, 0, 0};
    for (unsigned axis = 0; axis < ref->axes; axis++) {
        double u = (ref->s->FORCE_UNNORMALIZED ? c[axis] : c[axis] * size[axis]) - 0.5;
        first[axis] = (long)floor(u);
        alpha[axis] = u - floor(u);
    }
    double low = INFINITY, high = -INFINITY;
    memset(out, 0, 4 * sizeof(double));
    double extreme[4] = {ref->s->FILTER_MODE == AMD_TEX_REDUCTION_MIN ? low : high};
    for (unsigned n = 1; n < 4; n++)
        extreme[n] = extreme[0];
    for (unsigned tap = 0; tap < 1u << ref->axes; tap++) {
        double weight = 1, value[4];
        for (unsigned axis = 0; axis < ref->axes; axis++)
            weight *= tap >> axis & 1 ? alpha[axis] : 1 - alpha[axis];
        texel(ref, level, first[0] + (tap & 1), first[1] + (tap >> 1 & 1), first[2] + (tap >> 2), value);
        for (unsigned n = 0; n < 4; n++) {
            out[n] += weight * value[n];
            if (weight > 1e-4)
                extreme[n] = ref->s->FILTER_MODE == AMD_TEX_REDUCTION_MIN ? fmin(extreme[n], value[n])
                                                                          : fmax(extreme[n], value[n]);
        }
    }
    if (ref->s->FILTER_MODE != AMD_TEX_REDUCTION_BLEND)
        memcpy(out, extreme, sizeof(extreme));
}

static void level_nearest(const struct reference *ref, unsigned level, const double c[3], double out[4])
{
    double size[3] = {picture_width(ref->p, level), picture_height(ref->p, level), picture_depth(ref->p, level)};
    long at[3] = {0, 0, 0};
    for (unsigned axis = 0; axis < ref->axes; axis++)
        at[axis] = (long)floor(ref->s->FORCE_UNNORMALIZED ? c[axis] : c[axis] * size[axis]);
    texel(ref, level, at[0], at[1], at[2], out);
}

/* `lambda` is what the instruction has computed, before the sampler's limits. */
static void sample(const struct reference *ref, double lambda, const double c[3], double out[4])
{
    double lod = fmin(fmax(lambda, ref->s->MIN_LOD / 256.0), ref->s->MAX_LOD / 256.0);
    unsigned filter = lod <= 0 ? ref->s->XY_MAG_FILTER : ref->s->XY_MIN_FILTER;
    unsigned base = ref->p->desc.BASE_LEVEL, q = ref->p->desc.LAST_LEVEL - base;
    double d = fmin(fmax(lod, 0), q);
    void (*level)(const struct reference *, unsigned, const double[3], double[4]) =
        filter & 1 ? level_linear : level_nearest;
    if (ref->s->MIP_FILTER == AMD_TEX_MIP_FILTER_NONE) {
        level(ref, base, c, out);
    } else if (ref->s->MIP_FILTER == AMD_TEX_MIP_FILTER_POINT) {
        level(ref, base + (unsigned)(ceil(d + 0.5) - 1), c, out);
    } else {
        double low[4], high[4], delta = d - floor(d);
        unsigned first = base + (unsigned)floor(d);
        level(ref, first, c, low);
        level(ref, MIN2(first + 1, base + q), c, high);
        for (unsigned n = 0; n < 4; n++)
            out[n] = (1 - delta) * low[n] + delta * high[n];
    }
}

/* ---- comparing ---- */

static void expect_result(struct rig *rig, unsigned vgpr, unsigned lane, const double want[4], unsigned count,
                          double tolerance, const char *what)
{
    for (unsigned n = 0; n < count; n++) {
        double got = rig_get(rig, vgpr + n, lane);
        if (!(fabs(got - want[n]) <= tolerance))
            fail_msg("%s: lane %u channel %u is %.9g, not %.9g", what, lane, n, got, want[n]);
    }
}

/* A coordinate around the image, on the grid of 1/256 texel of that size; for nearest ones between its points, so that
 * no rounding decides. */
static float grid_coordinate(struct rig *rig, uint32_t size, double low, double high, bool is_nearest)
{
    double step = floor(rig_uniform(rig, low, high) * size * 256) + (is_nearest ? 0.5 : 1e-4);
    return (float)(step / (size * 256.0));
}

static const unsigned modes[] = {AMD_TEX_CLAMP_WRAP, AMD_TEX_CLAMP_MIRROR, AMD_TEX_CLAMP_CLAMP_LAST_TEXEL,
                                 AMD_TEX_CLAMP_MIRROR_ONCE_LAST_TEXEL, AMD_TEX_CLAMP_CLAMP_BORDER};

/* Every address mode of one picture, one level, wave sizes and partial exec. */
static void check_modes(struct rig *rig, struct picture *p, unsigned axes, const char *text, struct amd_desc_SAMPLER s,
                        bool has_layer)
{
    picture_bind(rig, p);
    for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
        char what[128];
        snprintf(what, sizeof(what), "%s, %ux%ux%u, mode %u", text, p->width, p->height, p->depth, modes[m]);
        s.CLAMP_X = modes[m];
        s.CLAMP_Y = modes[(m + 1) % ARRAY_SIZE(modes)];
        s.CLAMP_Z = modes[(m + 2) % ARRAY_SIZE(modes)];
        s.BORDER_COLOR_TYPE = AMD_BORDER_COLOR_OPAQUE_BLACK;
        sampler_bind(rig, &s);
        unsigned lanes = m % 2 ? 32 : 64;
        uint64_t exec = (m % 3 ? UINT64_MAX : 0x0f3355aa12345678ull) & (lanes == 64 ? UINT64_MAX : UINT32_MAX);
        rig_lanes(rig, lanes, exec);
        double coords[LANES_MAX][3] = {{0}};
        uint32_t layers[LANES_MAX] = {0};
        for (unsigned i = 0; i < lanes; i++) {
            uint32_t size[3] = {p->width, p->height, p->depth};
            for (unsigned axis = 0; axis < axes; axis++) {
                float c = grid_coordinate(rig, size[axis], -1.7, 2.6, s.TRUNC_COORD);
                rig_put(rig, axis, i, c);
                coords[i][axis] = c;
            }
            layers[i] = rig_random(rig) % p->depth;
            if (has_layer)
                rig_put(rig, axes, i, (float)layers[i] + 0.3f);
            for (unsigned n = 0; n < 4; n++)
                rig_put(rig, 10 + n, i, -77);
        }
        if (!rig_run(rig, text))
            fail_msg("%s: %s", what, rig->wave->fault.why);
        for (unsigned i = 0; i < lanes; i++) {
            double want[4] = {-77, -77, -77, -77};
            struct reference ref = {
                .p = p, .s = &s, .border = {0, 0, 0, 1}, .layer = has_layer ? layers[i] : 0, .axes = axes};
            if (exec >> i & 1)
                sample(&ref, 0, coords[i], want);
            expect_result(rig, 10, i, want, 4, 2e-4, what);
        }
    }
}

static void linear_rgba8(void **state)
{
    static const uint32_t sizes[][2] = {{64, 64}, {1, 1}, {2, 1}, {17, 5}, {100, 37}, {256, 3}};
    static const enum amd_SW_MODE swizzles[] = {AMD_SW_MODE_LINEAR, 27, 9, 26};
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct picture p;
        picture_begin(*state, &p,
                      &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, swizzles[i % 4], sizes[i][0],
                                             sizes[i][1]});
        picture_fill(*state, &p);
        check_modes(*state, &p, 2, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
                    sampler_linear(), false);
        picture_end(&p);
    }
}

static void linear_other_formats(void **state)
{
    static const struct {
        unsigned number;
        enum format format;
    } formats[] = {{71, FORMAT_R16G16B16A16_SFLOAT},      {77, FORMAT_R32G32B32A32_SFLOAT},
                   {130, FORMAT_R8G8B8A8_SRGB},           {1, FORMAT_R8_UNORM},
                   {50, FORMAT_A2B10G10R10_UNORM_PACK32}, {132, FORMAT_E5B9G9R9_UFLOAT_PACK32},
                   {66, FORMAT_R16G16B16A16_SNORM},       {36, FORMAT_B10G11R11_UFLOAT_PACK32}};
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        struct picture p;
        picture_begin(*state, &p,
                      &(struct picture_desc){formats[i].number, formats[i].format, AMD_IMG_TYPE_2D, 27, 33, 20});
        picture_fill(*state, &p);
        /* The channels that the format lacks do not exist in a border either. */
        check_modes(*state, &p, 2, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
                    sampler_nearest(), false);
        check_modes(*state, &p, 2, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
                    sampler_linear(), false);
        picture_end(&p);
    }
}

static void dimensions(void **state)
{
    struct picture p;
    picture_begin(*state, &p,
                  &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_1D, AMD_SW_MODE_LINEAR, 50});
    picture_fill(*state, &p);
    check_modes(*state, &p, 1, "image_sample_lz v[10:13], v0, s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_1D",
                sampler_linear(), false);
    picture_end(&p);
    picture_begin(
        *state, &p,
        &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_1D_ARRAY, AMD_SW_MODE_LINEAR, 50, 1, 5});
    picture_fill(*state, &p);
    check_modes(*state, &p, 1, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_1D_ARRAY",
                sampler_linear(), true);
    picture_end(&p);
    picture_begin(*state, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_ARRAY, 27, 24, 13, 6});
    picture_fill(*state, &p);
    check_modes(*state, &p, 2, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY",
                sampler_linear(), true);
    picture_end(&p);
    picture_begin(*state, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_3D, 25, 20, 13, 9});
    picture_fill(*state, &p);
    check_modes(*state, &p, 3, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D",
                sampler_linear(), false);
    check_modes(*state, &p, 3, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D",
                sampler_nearest(), false);
    picture_end(&p);
}

static void reductions(void **state)
{
    struct picture p;
    picture_begin(*state, &p, &(struct picture_desc){77, FORMAT_R32G32B32A32_SFLOAT, AMD_IMG_TYPE_2D, 27, 33, 20});
    picture_fill(*state, &p);
    for (unsigned mode = AMD_TEX_REDUCTION_MIN; mode <= AMD_TEX_REDUCTION_MAX; mode++) {
        struct amd_desc_SAMPLER s = sampler_linear();
        s.FILTER_MODE = mode;
        check_modes(*state, &p, 2, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D", s,
                    false);
    }
    picture_end(&p);
}

/* Explicit levels through a whole chain, with the sampler's and the image's limits. */
static void levels(void **state)
{
    struct rig *rig = *state;
    static const enum amd_TEX_MIP_FILTER filters[] = {AMD_TEX_MIP_FILTER_NONE, AMD_TEX_MIP_FILTER_POINT,
                                                      AMD_TEX_MIP_FILTER_LINEAR};
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 200, 120, 1, 8});
    picture_fill(rig, &p);
    for (unsigned round = 0; round < 24; round++) {
        struct amd_desc_SAMPLER s = sampler_linear();
        p.desc.BASE_LEVEL = round % 4;
        p.desc.LAST_LEVEL = MIN2(p.desc.BASE_LEVEL + 3 + round % 3, 7);
        s.MIP_FILTER = filters[round % 3];
        s.MIN_LOD = round % 5 * 100;
        s.MAX_LOD = MAX2(300 + round % 7 * 150, s.MIN_LOD);
        s.LOD_BIAS = (int32_t)(round % 6) * 64 - 160;
        if (round % 2)
            s.XY_MAG_FILTER = AMD_TEX_FILTER_POINT;
        picture_bind(rig, &p);
        sampler_bind(rig, &s);
        rig_lanes(rig, 64, UINT64_MAX);
        double coords[LANES_MAX][3] = {{0}}, lod[LANES_MAX];
        for (unsigned i = 0; i < 64; i++) {
            for (unsigned axis = 0; axis < 2; axis++) {
                /* Away from the edges of texels, where nearest would be a matter of rounding. */
                float c = (float)rig_uniform(rig, 0, 1);
                rig_put(rig, axis, i, c);
                coords[i][axis] = c;
            }
            lod[i] = (double)(rig_random(rig) % 2300) / 256 - 1;
            rig_put(rig, 2, i, (float)lod[i]);
        }
        assert_true(rig_run(rig, "image_sample_l v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"));
        unsigned differ = 0;
        for (unsigned i = 0; i < 64; i++) {
            struct reference ref = {.p = &p, .s = &s, .axes = 2};
            double want[4];
            sample(&ref, lod[i] + s.LOD_BIAS / 256.0, coords[i], want);
            for (unsigned n = 0; n < 4; n++)
                differ += fabs(rig_get(rig, 10 + n, i) - want[n]) > 0.012;
        }
        if (differ > (round % 2 ? 8 : 0)) /* nearest texels at a rounding edge */
            fail_msg("round %u: %u of 256 differ", round, differ);
    }
    picture_end(&p);
}

/* An instruction that comes again and again: with other descriptors, registers, lanes and texels than the last time,
 * and where another instruction was. */
static void samples_that_come_again(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *text;
        unsigned coord, dmask;
        bool is_unnormalized;
    } instructions[] = {
        {"image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D", 0, 15, false},
        {"image_sample_lz v[10:12], v[0:1], s[0:7], s[8:11] dmask:0x7 dim:SQ_RSRC_IMG_2D", 0, 7, false},
        {"image_sample_lz v[10:13], v[2:3], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D", 2, 15, false},
        {"image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", 0, 15, true},
        {"image_sample_lz v[12:13], v[0:1], s[0:7], s[8:11] dmask:0xc dim:SQ_RSRC_IMG_2D", 0, 12, false},
    };
    struct picture pictures[2];
    struct amd_desc_SAMPLER samplers[2] = {sampler_linear(), sampler_linear()};
    samplers[1].CLAMP_X = AMD_TEX_CLAMP_MIRROR;
    picture_begin(rig, &pictures[0], &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 64, 48});
    picture_begin(rig, &pictures[1],
                  &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_2D, 9, 40, 64});
    picture_fill(rig, &pictures[0]);
    picture_fill(rig, &pictures[1]);
    unsigned picture = 0, sampler = 0, instruction = 0;
    for (unsigned round = 0; round < 400; round++) {
        switch (rig_random(rig) % 8) { /* mostly nothing but lanes is new */
        case 0:
            picture ^= 1;
            break;
        case 1:
            sampler ^= 1;
            break;
        case 2:
            instruction = rig_random(rig) % ARRAY_SIZE(instructions);
            break;
        case 3:
            picture_fill(rig, &pictures[picture]);
            break;
        default:
            break;
        }
        const struct picture *p = &pictures[picture];
        const struct amd_desc_SAMPLER *s = &samplers[sampler];
        const unsigned coord = instructions[instruction].coord;
        const bool is_unnormalized = instructions[instruction].is_unnormalized;
        const uint64_t exec = round % 3 ? UINT64_MAX : (uint64_t)rig_random(rig) << 32 | rig_random(rig);
        if (is_unnormalized && sampler) /* not for it */
            continue;
        picture_bind(rig, p);
        sampler_bind(rig, s);
        const unsigned lanes = round % 5 ? 64 : 32;
        rig_lanes(rig, lanes, lanes == 64 ? exec : exec & UINT32_MAX);
        double coords[LANES_MAX][3] = {{0}};
        for (unsigned i = 0; i < lanes; i++) {
            const uint32_t size[2] = {p->width, p->height};
            for (unsigned axis = 0; axis < 2; axis++) {
                const float c =
                    grid_coordinate(rig, size[axis], is_unnormalized ? 0 : -1.5, is_unnormalized ? 1 : 2, false);
                coords[i][axis] = c;
                rig_put(rig, 2 - coord + axis, i, 0.3f);
                rig_put(rig, coord + axis, i, is_unnormalized ? c * (float)size[axis] : c);
            }
            for (unsigned n = 0; n < 4; n++)
                rig_put(rig, 10 + n, i, -77);
        }
        assert_true(rig_run(rig, instructions[instruction].text));
        for (unsigned i = 0; i < lanes; i++) {
            const struct reference ref = {.p = p, .s = s, .axes = 2};
            double want[4] = {-77, -77, -77, -77};
            if (exec >> i & 1)
                sample(&ref, 0, coords[i], want);
            for (unsigned n = 0; n < 4; n++)
                want[n] = instructions[instruction].dmask >> n & 1 ? want[n] : -77;
            expect_result(rig, 10, i, want, 4, 1e-3, instructions[instruction].text);
        }
    }
    picture_end(&pictures[0]);
    picture_end(&pictures[1]);
}

/* The derivative of each quad, and gradients, give the level. */
static void derivatives(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){77, FORMAT_R32G32B32A32_SFLOAT, AMD_IMG_TYPE_2D, 27, 256, 128, 1, 8});
    for (unsigned level = 0; level < 8; level++) {
        for (uint32_t y = 0; y < picture_height(&p, level); y++) {
            for (uint32_t x = 0; x < picture_width(&p, level); x++)
                picture_set(&p, level, x, y, 0, 0, (const double[4]){level, 0, 0, 1});
        }
    }
    struct amd_desc_SAMPLER s = sampler_linear();
    s.MIP_FILTER = AMD_TEX_MIP_FILTER_LINEAR;
    picture_bind(rig, &p);
    sampler_bind(rig, &s);
    rig_lanes(rig, 64, UINT64_MAX);
    double want[64], d[16][4], biases[64], clamps[64];
    for (unsigned quad = 0; quad < 16; quad++) {
        for (unsigned n = 0; n < 4; n++)
            d[quad][n] = rig_uniform(rig, -1, 1) * pow(2, rig_uniform(rig, -8, -1));
        double rho_x = hypot(d[quad][0] * 256, d[quad][1] * 128), rho_y = hypot(d[quad][2] * 256, d[quad][3] * 128);
        for (unsigned i = quad * 4; i < quad * 4 + 4; i++) {
            want[i] = fmin(fmax(log2(fmax(rho_x, rho_y)), 0), 7);
            biases[i] = rig_uniform(rig, -3, 3);
            clamps[i] = rig_uniform(rig, 0, 5);
            rig_put(rig, 0, i, (float)(0.5 + (i & 1) * d[quad][0] + (i >> 1 & 1) * d[quad][2]));
            rig_put(rig, 1, i, (float)(0.5 + (i & 1) * d[quad][1] + (i >> 1 & 1) * d[quad][3]));
            rig_put(rig, 2, i, (float)clamps[i]);
            /* bias first: v[20:22] */
            rig_put(rig, 20, i, (float)biases[i]);
            memcpy(&rig_row(rig, 21)[i], &rig_row(rig, 0)[i], 4);
            memcpy(&rig_row(rig, 22)[i], &rig_row(rig, 1)[i], 4);
            /* gradients: v[30:35] */
            for (unsigned n = 0; n < 4; n++)
                rig_put(rig, 30 + n, i, (float)d[quad][n]);
            rig_put(rig, 34, i, 0.5f);
            rig_put(rig, 35, i, 0.5f);
            /* halves: v[40:43] */
            rig_row(rig, 40)[i] =
                float_to_half_rtne((float)d[quad][0]) | (uint32_t)float_to_half_rtne((float)d[quad][1]) << 16;
            rig_row(rig, 41)[i] =
                float_to_half_rtne((float)d[quad][2]) | (uint32_t)float_to_half_rtne((float)d[quad][3]) << 16;
            rig_put(rig, 42, i, 0.5f);
            rig_put(rig, 43, i, 0.5f);
        }
    }
    static const struct {
        const char *text;
        enum {
            PLAIN,
            BIAS,
            CLAMP
        } kind;
        double tolerance;
    } forms[] = {
        {"image_sample v10, v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", PLAIN, 0.01},
        {"image_sample_cl v10, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", CLAMP, 0.01},
        {"image_sample_b v10, v[20:22], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", BIAS, 0.01},
        {"image_sample_d v10, v[30:35], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", PLAIN, 0.01},
        {"image_sample_cd v10, v[30:35], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", PLAIN, 0.01},
        {"image_sample_d_g16 v10, v[40:43], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", PLAIN, 0.02},
        {"image_get_lod v10, v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", PLAIN, 0.01},
    };
    for (unsigned f = 0; f < ARRAY_SIZE(forms); f++) {
        if (!rig_run(rig, forms[f].text))
            fail_msg("%s: %s", forms[f].text, rig->wave->fault.why);
        for (unsigned i = 0; i < 64; i++) {
            double value[4] = {want[i]};
            if (forms[f].kind == BIAS) {
                double rho_x = hypot(d[i / 4][0] * 256, d[i / 4][1] * 128),
                       rho_y = hypot(d[i / 4][2] * 256, d[i / 4][3] * 128);
                value[0] = fmin(fmax(log2(fmax(rho_x, rho_y)) + biases[i], 0), 7);
            } else if (forms[f].kind == CLAMP) {
                value[0] = fmax(value[0], clamps[i]);
            }
            expect_result(rig, 10, i, value, 1, forms[f].tolerance, forms[f].text);
        }
    }
    picture_end(&p);
}

/* Sixteen to one: the level is that of the short side, and the long side is averaged. */
static void anisotropy(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){77, FORMAT_R32G32B32A32_SFLOAT, AMD_IMG_TYPE_2D, 27, 256, 256, 1, 9});
    for (unsigned level = 0; level < 9; level++) {
        for (uint32_t y = 0; y < picture_height(&p, level); y++) {
            for (uint32_t x = 0; x < picture_width(&p, level); x++)
                picture_set(&p, level, x, y, 0, 0,
                            (const double[4]){level, (x + 0.5) / picture_width(&p, level),
                                              (y + 0.5) / picture_height(&p, level), 1});
        }
    }
    static const struct {
        unsigned ratio; /* of the sampler, log2 */
        double dx, dy, level;
    } cases[] = {{4, 16, 1, 0}, {4, 2, 16, 1}, {2, 16, 1, 2},   {1, 16, 1, 3},
                 {0, 16, 1, 4}, {4, 64, 1, 2}, {3, 3, 3, 1.585}};
    for (unsigned n = 0; n < ARRAY_SIZE(cases); n++) {
        struct amd_desc_SAMPLER s = sampler_linear();
        s.MIP_FILTER = AMD_TEX_MIP_FILTER_LINEAR;
        s.MAX_ANISO_RATIO = cases[n].ratio;
        if (cases[n].ratio)
            s.XY_MAG_FILTER = s.XY_MIN_FILTER = AMD_TEX_FILTER_ANISO_BILINEAR;
        picture_bind(rig, &p);
        sampler_bind(rig, &s);
        rig_lanes(rig, 32, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            rig_put(rig, 0, i, (float)(cases[n].dx / 256));
            rig_put(rig, 1, i, 0);
            rig_put(rig, 2, i, 0);
            rig_put(rig, 3, i, (float)(cases[n].dy / 256));
            rig_put(rig, 4, i, 0.5f);
            rig_put(rig, 5, i, 0.25f + (float)i / 64);
        }
        assert_true(rig_run(rig, "image_sample_d v[10:12], v[0:5], s[0:7], s[8:11] dmask:0x7 dim:SQ_RSRC_IMG_2D"));
        for (unsigned i = 0; i < 32;
             i++) /* the picture is a ramp: its mean over the symmetric footprint is its value in the middle */
            expect_result(rig, 10, i, (const double[4]){cases[n].level, 0.5, 0.25 + i / 64.0}, 3, 0.01, "anisotropy");
    }
    picture_end(&p);
}

static bool less_or_equal(double reference, double value)
{
    return reference <= value;
}
static bool greater(double reference, double value)
{
    return reference > value;
}
static bool always(double reference, double value)
{
    return true;
}
static bool not_equal(double reference, double value)
{
    return reference != value;
}

static void comparison(void **state)
{
    struct rig *rig = *state;
    static const struct {
        enum amd_COMPARE function;
        bool (*compare)(double, double);
    } functions[] = {{AMD_COMPARE_LEQUAL, less_or_equal},
                     {AMD_COMPARE_GREATER, greater},
                     {AMD_COMPARE_ALWAYS, always},
                     {AMD_COMPARE_NOTEQUAL, not_equal}};
    for (unsigned f = 0; f < 8; f++) {
        struct picture p;
        bool is_float = f % 2;
        picture_begin(rig, &p,
                      &(struct picture_desc){is_float ? 22 : 7, is_float ? FORMAT_R32_SFLOAT : FORMAT_R16_UNORM,
                                             AMD_IMG_TYPE_2D, 24, 40, 30});
        picture_fill(rig, &p);
        struct amd_desc_SAMPLER s = sampler_linear();
        s.DEPTH_COMPARE_FUNC = functions[f / 2].function;
        s.CLAMP_X = AMD_TEX_CLAMP_CLAMP_BORDER;
        s.BORDER_COLOR_TYPE = AMD_BORDER_COLOR_OPAQUE_WHITE;
        picture_bind(rig, &p);
        sampler_bind(rig, &s);
        rig_lanes(rig, 64, UINT64_MAX);
        double coords[64][3] = {{0}}, depth[64];
        for (unsigned i = 0; i < 64; i++) {
            depth[i] = (float)rig_uniform(rig, is_float ? -1 : -0.2, 1.2);
            rig_put(rig, 0, i, (float)depth[i]);
            for (unsigned axis = 0; axis < 2; axis++) {
                float c = grid_coordinate(rig, axis ? 30 : 40, -0.2, 1.2, false);
                rig_put(rig, 1 + axis, i, c);
                coords[i][axis] = c;
            }
        }
        assert_true(rig_run(rig, "image_sample_c_lz v10, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
        for (unsigned i = 0; i < 64; i++) {
            struct reference ref = {.p = &p,
                                    .s = &s,
                                    .border = {1, 1, 1, 1},
                                    .compare = functions[f / 2].compare,
                                    .axes = 2,
                                    .compare_with = is_float ? depth[i] : fmin(fmax(depth[i], 0), 1)};
            double want[4];
            sample(&ref, 0, coords[i], want);
            expect_result(rig, 10, i, want, 1, 1e-3, "comparison");
        }
        picture_end(&p);
    }
}

static void gather(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 31, 22});
    picture_fill(rig, &p);
    struct amd_desc_SAMPLER s = sampler_nearest();
    s.CLAMP_X = AMD_TEX_CLAMP_WRAP;
    picture_bind(rig, &p);
    sampler_bind(rig, &s);
    rig_lanes(rig, 64, UINT64_MAX);
    double coords[64][2];
    for (unsigned i = 0; i < 64; i++) {
        /* Offsets are two's complement in six bits: 3 and -5. */
        rig_row(rig, 0)[i] = 3 | 0x3b << 8;
        for (unsigned axis = 0; axis < 2; axis++) {
            float c = grid_coordinate(rig, axis ? 22 : 31, -0.5, 1.5, false);
            rig_put(rig, 1 + axis, i, c);
            coords[i][axis] = c;
        }
    }
    static const char *texts[] = {
        "image_gather4_lz v[10:13], v[1:2], s[0:7], s[8:11] dmask:0x4 dim:SQ_RSRC_IMG_2D",
        "image_gather4_lz_o v[10:13], v[0:2], s[0:7], s[8:11] dmask:0x4 dim:SQ_RSRC_IMG_2D",
    };
    for (unsigned form = 0; form < 2; form++) {
        assert_true(rig_run(rig, texts[form]));
        for (unsigned i = 0; i < 64; i++) {
            struct reference ref = {.p = &p, .s = &s, .axes = 2, .offset = {form ? 3 : 0, form ? -5 : 0, 0}};
            long x = (long)floor(coords[i][0] * 31 - 0.5 + 1e-6), y = (long)floor(coords[i][1] * 22 - 0.5 + 1e-6);
            static const long order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
            double want[4];
            for (unsigned n = 0; n < 4; n++) {
                double value[4];
                texel(&ref, 0, x + order[n][0], y + order[n][1], 0, value);
                want[n] = value[2];
            }
            expect_result(rig, 10, i, want, 4, 1e-6, texts[form]);
        }
    }
    picture_end(&p);
}

/* ---- cubes ---- */

/* Table "Cube map face and coordinate selection" of the specification. */
static unsigned cube_face(const double r[3], double *s, double *t)
{
    double ax = fabs(r[0]), ay = fabs(r[1]), az = fabs(r[2]), sc, tc, rc;
    unsigned face;
    if (az >= ax && az >= ay)
        face = r[2] < 0 ? 5 : 4, rc = az, sc = face == 5 ? -r[0] : r[0], tc = -r[1];
    else if (ay >= ax)
        face = r[1] < 0 ? 3 : 2, rc = ay, sc = r[0], tc = face == 3 ? -r[2] : r[2];
    else
        face = r[0] < 0 ? 1 : 0, rc = ax, sc = face == 1 ? r[2] : -r[2], tc = -r[1];
    *s = sc / rc / 2 + 0.5;
    *t = tc / rc / 2 + 0.5;
    return face;
}

static void face_direction(unsigned face, double s, double t, double r[3])
{
    s = s * 2 - 1;
    t = t * 2 - 1;
    const double all[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    memcpy(r, all[face], sizeof(all[face]));
}

/* A texel around a face: beyond an edge, the one that lies there on the neighbour. False: beyond two. */
static bool cube_texel(const struct picture *p, unsigned face, long i, long j, double out[4])
{
    long n = p->width;
    bool out_i = i < 0 || i >= n, out_j = j < 0 || j >= n;
    if (out_i && out_j)
        return false;
    if (out_i || out_j) {
        double r[3], s, t;
        /* Just beyond the edge, at the texel's place along it. */
        double u = i < 0    ? -1e-6
                   : i >= n ? 1 + 1e-6
                            : (i + 0.5) / n,
               v = j < 0    ? -1e-6
                   : j >= n ? 1 + 1e-6
                            : (j + 0.5) / n;
        face_direction(face, u, v, r);
        face = cube_face(r, &s, &t);
        i = MIN2((long)(s * n), n - 1);
        j = MIN2((long)(t * n), n - 1);
    }
    memcpy(out, picture_get(p, 0, (uint32_t)i, (uint32_t)j, face, 0), 4 * sizeof(double));
    return true;
}

static void cubes(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_CUBE, 27, 8, 8, 12});
    picture_fill(rig, &p);
    struct amd_desc_SAMPLER s = sampler_linear();
    picture_bind(rig, &p);
    sampler_bind(rig, &s);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned round = 0; round < 20; round++) {
        unsigned faces[64];
        double at[64][2];
        for (unsigned i = 0; i < 64; i++) {
            faces[i] = (unsigned)(rig_random(rig) % 6);
            for (unsigned axis = 0; axis < 2; axis++) {
                double c = floor(rig_uniform(rig, 0, 8 * 256 + 1)) / (8 * 256);
                at[i][axis] = c;
                rig_put(rig, axis, i, (float)(c + 1));
            }
            rig_put(rig, 2, i, (float)faces[i]);
        }
        assert_true(rig_run(rig, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE"));
        for (unsigned i = 0; i < 64; i++) {
            double u = at[i][0] * 8 - 0.5, v = at[i][1] * 8 - 0.5, a = u - floor(u), b = v - floor(v);
            double values[4][4], want[4];
            int corner = -1;
            for (unsigned tap = 0; tap < 4; tap++) {
                if (!cube_texel(&p, faces[i], (long)floor(u) + (tap & 1), (long)floor(v) + (tap >> 1), values[tap]))
                    corner = (int)tap;
            }
            for (unsigned n = 0; n < 4; n++) {
                if (corner >= 0)
                    values[corner][n] = (values[corner ^ 1][n] + values[corner ^ 2][n] + values[corner ^ 3][n]) / 3;
                want[n] = (values[0][n] * (1 - a) + values[1][n] * a) * (1 - b) +
                          (values[2][n] * (1 - a) + values[3][n] * a) * b;
            }
            expect_result(rig, 10, i, want, 4, 1e-4, "cube");
        }
    }
    /* The second cube of the array: numbers go in steps of eight. */
    for (unsigned i = 0; i < 64; i++) {
        rig_put(rig, 0, i, 1 + 0.5f / 8);
        rig_put(rig, 1, i, 1 + 1.5f / 8);
        rig_put(rig, 2, i, (float)(8 + i % 6));
    }
    s = sampler_nearest();
    sampler_bind(rig, &s);
    assert_true(rig_run(rig, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE"));
    for (unsigned i = 0; i < 64; i++)
        expect_result(rig, 10, i, picture_get(&p, 0, 0, 1, 6 + i % 6, 0), 4, 1e-6, "cube array");
    picture_end(&p);
}

/* The least or the greatest of four integers, or of three where there is no fourth; negative ones among them. */
static void check_integer_cube(struct rig *rig, const struct picture_desc *desc, bool is_signed, bool is_min)
{
    struct picture p;
    picture_begin(rig, &p, desc);
    for (uint32_t i = 0; i < 6 * 64; i++) {
        double color[4];
        for (unsigned n = 0; n < 4; n++)
            color[n] = (double)(rig_random(rig) & 0xff) - (is_signed ? 128 : 0);
        picture_set(&p, 0, i % 8, i / 8 % 8, i / 64, 0, color);
    }
    struct amd_desc_SAMPLER s = sampler_linear();
    s.FILTER_MODE = is_min ? AMD_TEX_REDUCTION_MIN : AMD_TEX_REDUCTION_MAX;
    picture_bind(rig, &p);
    sampler_bind(rig, &s);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned face = 0; face < 6; face++) {
        for (unsigned i = 0; i < 64; i++) { /* between texels, half of the places at edges or corners */
            rig_put(rig, 0, i, 1 + (float)(i % 8 + (i % 8 > 3) + 0.25) / 8.5f);
            rig_put(rig, 1, i, 1 + (float)(i / 8 + (i / 8 > 3) + 0.25) / 8.5f);
            rig_put(rig, 2, i, (float)face);
        }
        assert_true(rig_run(rig, "image_sample_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE"));
        for (unsigned i = 0; i < 64; i++) {
            const double u = (i % 8 + (i % 8 > 3) + 0.25) / 8.5 * 8 - 0.5,
                         v = (i / 8 + (i / 8 > 3) + 0.25) / 8.5 * 8 - 0.5;
            double value[4], want[4] = {NAN, NAN, NAN, NAN};
            for (unsigned tap = 0; tap < 4; tap++) {
                if (!cube_texel(&p, face, (long)floor(u) + (tap & 1), (long)floor(v) + (tap >> 1), value))
                    continue;
                for (unsigned n = 0; n < 4; n++)
                    want[n] = is_min ? fmin(want[n], value[n]) : fmax(want[n], value[n]);
            }
            for (unsigned n = 0; n < 4; n++) {
                const int32_t got = (int32_t)rig_row(rig, 10 + n)[i];
                if (got != (int32_t)want[n])
                    fail_msg("face %u, place %u, channel %u is %d, not %d", face, i, n, got, (int32_t)want[n]);
            }
        }
    }
    picture_end(&p);
}

static void integer_cubes(void **state)
{
    static const struct picture_desc descs[] = {{60, FORMAT_R8G8B8A8_UINT, AMD_IMG_TYPE_CUBE, 27, 8, 8, 6},
                                                {61, FORMAT_R8G8B8A8_SINT, AMD_IMG_TYPE_CUBE, 27, 8, 8, 6}};
    for (unsigned i = 0; i < 4; i++)
        check_integer_cube(*state, &descs[i / 2], i / 2, i % 2);
}

/* A flat patch before one face, laid over that face's edges and corners, so that a quad's lanes are on up to three
 * faces. The level of each lane that is on the face is what the patch's own steps make it, wherever its neighbours are.
 */
static void cube_levels_at_edges(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){71, FORMAT_R16G16B16A16_SFLOAT, AMD_IMG_TYPE_CUBE, 27, 13, 13, 6, 4});
    picture_fill(rig, &p);
    struct amd_desc_SAMPLER s = sampler_linear();
    s.MIP_FILTER = AMD_TEX_MIP_FILTER_LINEAR;
    picture_bind(rig, &p);
    sampler_bind(rig, &s);
    rig_lanes(rig, 64, UINT64_MAX);
    unsigned first_elsewhere = 0;
    for (unsigned round = 0; round < 20; round++) {
        double want[64], step[4] = {0};
        bool on_face[64];
        for (unsigned i = 0; i < 64; i++) {
            unsigned face = (round + i / 4) % 6;
            double r[3], at[2], corner[2] = {i >> 2 & 1, i >> 3 & 1};
            for (unsigned n = 0; n < 4 && i % 4 == 0; n++)
                step[n] = round ? rig_uniform(rig, -0.15, 0.15) : (n == 0 || n == 3) / 13.0;
            /* Round 0: texels of the face and of its surroundings by the pixel, a corner in the middle of each quad. */
            for (unsigned axis = 0; axis < 2; axis++)
                at[axis] =
                    corner[axis] + ((i & 1) - 0.5 + 1e-3) * step[axis] + ((i >> 1 & 1) - 0.5 + 1e-3) * step[2 + axis];
            face_direction(face, at[0], at[1], r);
            unsigned on = cube_face(r, &at[0], &at[1]);
            on_face[i] = on == face;
            want[i] = fmin(fmax(log2(fmax(hypot(step[0], step[1]), hypot(step[2], step[3])) * 13), 0), 3);
            rig_put(rig, 0, i, (float)(at[0] + 1));
            rig_put(rig, 1, i, (float)(at[1] + 1));
            rig_put(rig, 2, i, (float)on);
        }
        assert_true(rig_run(rig, "image_get_lod v10, v[0:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_CUBE"));
        for (unsigned i = 0; i < 64; i++) {
            first_elsewhere += on_face[i] && !on_face[i & ~3u];
            if (on_face[i])
                expect_result(rig, 10, i, &want[i], 1, 0.01, "level at an edge of a cube");
        }
    }
    assert_in_range(first_elsewhere, 100, 20 * 64);
    picture_end(&p);
}

/* Border colours of all kinds go through the format's order and the view's swizzle. */
static void borders(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    uint64_t va;
    float *colors = rig_alloc(rig, 4096, 256, &va);
    for (unsigned n = 0; n < 4; n++)
        colors[5 * 4 + n] = 0.125f + (float)n * 0.25f;
    rig->ta.border_va = va;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 8, 8});
    /* As a driver describes BGRA. */
    p.desc.DST_SEL_X = AMD_DST_SEL_Z;
    p.desc.DST_SEL_Z = AMD_DST_SEL_X;
    p.desc.BC_SWIZZLE = AMD_BC_SWIZZLE_ZYXW;
    static const double wants[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}, {0.125, 0.375, 0.625, 0.875}};
    for (unsigned kind = 0; kind < 4; kind++) {
        struct amd_desc_SAMPLER s = sampler_linear();
        s.CLAMP_X = AMD_TEX_CLAMP_CLAMP_BORDER;
        s.BORDER_COLOR_TYPE = kind;
        s.BORDER_COLOR_PTR = 5;
        picture_bind(rig, &p);
        sampler_bind(rig, &s);
        rig_lanes(rig, 64, UINT64_MAX);
        for (unsigned i = 0; i < 64; i++) {
            rig_put(rig, 0, i, i % 2 ? -2 : 3.5f);
            rig_put(rig, 1, i, 0.3f);
        }
        assert_true(rig_run(rig, "image_sample_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"));
        for (unsigned i = 0; i < 64; i++)
            expect_result(rig, 10, i, wants[kind], 4, 0, "border");
    }
    picture_end(&p);
}

/* 16-bit addresses and data, addresses in registers that do not follow each other, and unnormalised coordinates. */
static void operands(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_ARRAY, 27, 16, 16, 3});
    picture_fill(rig, &p);
    p.desc.DST_SEL_W = AMD_DST_SEL_1;
    p.desc.DST_SEL_X = AMD_DST_SEL_Y;
    picture_bind(rig, &p);
    struct amd_desc_SAMPLER s = sampler_nearest();
    sampler_bind(rig, &s);
    rig_lanes(rig, 32, UINT32_MAX);
    for (unsigned i = 0; i < 32; i++) {
        float x = (float)(i % 16 + 0.5) / 16, y = (float)(i / 2 + 0.5) / 16, z = (float)(i % 3);
        rig_put(rig, 7, i, x);
        rig_put(rig, 3, i, y);
        rig_put(rig, 5, i, z);
        rig_row(rig, 20)[i] = float_to_half_rtne(x) | (uint32_t)float_to_half_rtne(y) << 16;
        rig_row(rig, 21)[i] = float_to_half_rtne(z);
        rig_put(rig, 30, i, x * 16);
        rig_put(rig, 31, i, y * 16);
        rig_put(rig, 32, i, z);
    }
    static const char *texts[] = {
        "image_sample_lz v[10:12], [v7, v3, v5], s[0:7], s[8:11] dmask:0xb dim:SQ_RSRC_IMG_2D_ARRAY",
        "image_sample_lz v[10:12], v[20:21], s[0:7], s[8:11] dmask:0xb dim:SQ_RSRC_IMG_2D_ARRAY a16",
        "image_sample_lz v[10:11], [v7, v3, v5], s[0:7], s[8:11] dmask:0xb dim:SQ_RSRC_IMG_2D_ARRAY d16",
        "image_sample_lz v[10:12], v[30:32], s[0:7], s[8:11] dmask:0xb dim:SQ_RSRC_IMG_2D_ARRAY unorm",
    };
    for (unsigned form = 0; form < 4; form++) {
        if (!rig_run(rig, texts[form]))
            fail_msg("%s: %s", texts[form], rig->wave->fault.why);
        for (unsigned i = 0; i < 32; i++) {
            const double *c = picture_get(&p, 0, i % 16, i / 2, i % 3, 0);
            double want[4] = {c[1], c[1], 1};
            if (form == 2) {
                assert_int_equal(rig_row(rig, 10)[i], float_to_half_rtne((float)want[0]) |
                                                          (uint32_t)float_to_half_rtne((float)want[1]) << 16);
                assert_int_equal(rig_row(rig, 11)[i] & 0xffff, 0x3c00);
            } else {
                expect_result(rig, 10, i, want, 3, 1e-6, texts[form]);
            }
        }
    }
    picture_end(&p);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(linear_rgba8, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(linear_other_formats, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(dimensions, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(reductions, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(levels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(samples_that_come_again, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(derivatives, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(anisotropy, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(comparison, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gather, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(cubes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(integer_cubes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(cube_levels_at_edges, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(borders, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(operands, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("ta: sampling", tests, NULL, NULL);
}
