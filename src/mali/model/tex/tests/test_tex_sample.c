/* TEX_SINGLE, TEX_GATHER and TEX_GRADIENT beside sums that are written down here. */
#include "rig.h"

#include <math.h>
#include <string.h>

#include "util/tests/host_level_test.h"

static void set_float(struct rig *rig, unsigned reg, unsigned lane, float value)
{
    rig->staging[reg][lane] = float_bits(value);
}

static void run_program(struct rig *rig, const struct mali_tex_request *request)
{
    if (!mali_tex_run(rig->tex, &rig->resources, request))
        fail_msg("%s", mali_tex_problem(rig->tex));
}

static const struct {
    unsigned number;
    enum mali_CLUMP_FORMAT clump;
    enum format format;
    enum mali_layout layout;
} formats[] = {
    {187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_LAYOUT_TILED},
    {187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_LAYOUT_LINEAR},
    {163, MALI_CLUMP_FORMAT_RAW8, FORMAT_R8_UNORM, MALI_LAYOUT_TILED},
    {188, MALI_CLUMP_FORMAT_RAW64, FORMAT_R16G16B16A16_UNORM, MALI_LAYOUT_TILED},
    {67, MALI_CLUMP_FORMAT_RAW32, FORMAT_A2B10G10R10_UNORM_PACK32, MALI_LAYOUT_LINEAR},
    {187, MALI_CLUMP_FORMAT_ETC2_RGBA8, FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, MALI_LAYOUT_TILED},
    {187, MALI_CLUMP_FORMAT_BC7_UNORM, FORMAT_BC7_UNORM_BLOCK, MALI_LAYOUT_LINEAR},
    {187, MALI_CLUMP_FORMAT_RAW8, FORMAT_ASTC_8x6_UNORM_BLOCK, MALI_LAYOUT_TILED},
};

static void nearest_texels_of_all_kinds(void **state)
{
    struct rig *rig = *state;
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
        struct picture p;
        picture_init(rig, &p, formats[f].number, formats[f].clump, formats[f].format, MALI_TEXTURE_DIMENSION_2D,
                     (struct mali_surface_info){.width = 37, .height = 21, .layout = formats[f].layout});
        bind(rig, 0, &p.desc);
        bind_sampler(rig, 1, sampler_of(false));
        struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
        uint32_t x[LANES], y[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            x[i] = rig_random() % 37;
            y[i] = rig_random() % 21;
            set_float(rig, 0, i, ((float)x[i] + 0.5f) / 37);
            set_float(rig, 1, i, ((float)y[i] + 0.5f) / 21);
        }
        run_program(rig, &request);
        for (unsigned i = 0; i < LANES; i++) {
            float expected[4];
            picture_texel(&p, x[i], y[i], 0, 0, 0, expected);
            for (unsigned n = 0; n < 4; n++)
                assert_true(fabsf(result_at(rig, n, i) - expected[n]) < 1e-5f);
        }
    }
}

static void linear_filters_weigh_four_texels(void **state)
{
    struct rig *rig = *state;
    for (unsigned f = 0; f < 4; f++) {
        struct picture p;
        picture_init(rig, &p, formats[f].number, formats[f].clump, formats[f].format, MALI_TEXTURE_DIMENSION_2D,
                     (struct mali_surface_info){.width = 32, .height = 32, .layout = formats[f].layout});
        bind(rig, 0, &p.desc);
        bind_sampler(rig, 1, sampler_of(true));
        struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
        for (unsigned i = 0; i < LANES; i++) { /* exactly between texels, so that weights are exact */
            set_float(rig, 0, i, (float)(1 + i % 8) / 32);
            set_float(rig, 1, i, ((float)(1 + i / 8) + 0.25f) / 32);
        }
        run_program(rig, &request);
        for (unsigned i = 0; i < LANES; i++) {
            float t[4][4];
            uint32_t x = i % 8, y = i / 8;
            for (unsigned tap = 0; tap < 4; tap++)
                picture_texel(&p, x + (tap & 1), y + (tap >> 1), 0, 0, 0, t[tap]);
            for (unsigned n = 0; n < 4; n++) {
                float expected = (t[0][n] + t[1][n]) / 2 * 0.25f + (t[2][n] + t[3][n]) / 2 * 0.75f;
                assert_true(fabsf(result_at(rig, n, i) - expected) < 1e-4f);
            }
        }
    }
}

/* A mask leaves no holes, and halves share a register. */
static void results_are_packed(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    bind_sampler(rig, 1, sampler_of(false));
    memcpy(picture_at(&p, 0, 0, 0, 0, 0), (uint8_t[]){0, 51, 102, 255}, 4);
    p.desc.SWIZZLE_R = MALI_CHANNEL_B;
    bind(rig, 0, &p.desc);
    memset(rig->staging, 0, sizeof(rig->staging));
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    request.mask = 0xb;
    request.lanes = 0x8001;
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 15) - 0.4f) < 1e-5f);
    assert_true(fabsf(result_at(rig, 1, 15) - 0.2f) < 1e-5f);
    assert_true(result_at(rig, 2, 15) == 1);
    assert_int_equal(rig->result[3][15], 0xeeeeeeee);
    assert_int_equal(rig->result[0][14], 0xeeeeeeee);
    request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    request.mask = 0xb;
    request.is_32_bit = false;
    run_program(rig, &request);
    assert_int_equal(rig->result[0][3], 0x32663666);
    assert_int_equal(rig->result[1][3], 0x3c00);
}

/* Channels that no component is of are not looked at; those that are come from another place of the texel. */
static void masks_choose_behind_the_swizzle(void **state)
{
    static const unsigned from[4] = {2, 3, 0, 5}; /* of r, g, b, a, 0 and 1 */
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_SRGB, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    p.desc.SRGB = true;
    p.desc.SWIZZLE_R = MALI_CHANNEL_B;
    p.desc.SWIZZLE_G = MALI_CHANNEL_A;
    p.desc.SWIZZLE_B = MALI_CHANNEL_R;
    p.desc.SWIZZLE_A = MALI_CHANNEL_1;
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 1, sampler_of(false));
    for (unsigned at = 1; at < 64; at++) { /* places of texels are kept for images that are used again */
        struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
        request.mask = (uint8_t)(at % 16 ? at % 16 : 15);
        for (unsigned i = 0; i < LANES; i++) { /* other texels each time */
            set_float(rig, 0, i, ((float)(i % 8 + at % 7) + 0.5f) / 16);
            set_float(rig, 1, i, ((float)(i / 8 + at % 5) + 0.5f) / 16);
        }
        run_program(rig, &request);
        for (unsigned i = 0; i < 4 * LANES; i++) {
            const unsigned lane = i / 4, n = i % 4, row = (unsigned)__builtin_popcount(request.mask & ((1u << n) - 1));
            float texel[6] = {0, 0, 0, 0, 0, 1};
            picture_texel(&p, lane % 8 + at % 7, lane / 8 + at % 5, 0, 0, 0, texel);
            if (request.mask >> n & 1)
                assert_true(fabsf(result_at(rig, row, lane) - texel[from[n]]) < 1e-5f);
        }
    }
}

/* 4 × 4 texels a pixel: level 2. */
static void levels_come_from_quads_and_registers(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 64, .height = 64, .levels = 7, .layout = MALI_LAYOUT_TILED});
    for (unsigned level = 0; level < 7; level++) {
        for (unsigned y = 0; y < 64u >> level; y++) {
            for (unsigned x = 0; x < 64u >> level; x++)
                memset(picture_at(&p, x, y, 0, level, 0), (int)(level * 20), 4);
        }
    }
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 1, sampler_of(false));
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    request.lod_mode = MALI_TEX_LOD_COMPUTED;
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, (float)(i % 2) * 4 / 64);
        set_float(rig, 1, i, (float)(i / 2 % 2) * 4 / 64);
    }
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 5) * 255 - 40) < 0.01f);
    request.lod_mode = MALI_TEX_LOD_COMPUTED_BIAS;
    for (unsigned i = 0; i < LANES; i++)
        rig->staging[2][i] = 0xff00; /* one less */
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 5) * 255 - 20) < 0.01f);
    request.lod_mode = MALI_TEX_LOD_EXPLICIT;
    for (unsigned i = 0; i < LANES; i++)
        rig->staging[2][i] = i % 7 << 8;
    run_program(rig, &request);
    for (unsigned i = 0; i < LANES; i++)
        assert_true(fabsf(result_at(rig, 0, i) * 255 - (float)(i % 7 * 20)) < 0.01f);
    /* trilinear */
    struct mali_desc_SAMPLER sampler = sampler_of(true);
    sampler.MIPMAP_MODE = MALI_MIPMAP_MODE_TRILINEAR;
    bind_sampler(rig, 1, sampler);
    for (unsigned i = 0; i < LANES; i++)
        rig->staging[2][i] = 0x380; /* 3.5 */
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 7) * 255 - 70) < 0.5f);
    /* gradients: the level is in the lower half */
    struct mali_tex_request gradient = request_of(rig, MALI_TEX_GRADIENT, MALI_TEX_2D);
    gradient.has_derivatives = gradient.is_bias_disabled = gradient.is_clamp_disabled = true;
    gradient.mask = 3;
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, 8.0f / 64);
        set_float(rig, 1, i, 0);
        set_float(rig, 2, i, 0);
        set_float(rig, 3, i, 2.0f / 64);
    }
    run_program(rig, &gradient);
    assert_int_equal(rig->result[0][9] & 0xffff, 0x300);
    memcpy(rig->staging[2], rig->result[0], sizeof(rig->staging[2]) * 2);
    memset(rig->staging[0], 0, sizeof(rig->staging[0]) * 2);
    request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    request.lod_mode = MALI_TEX_LOD_GRDESC;
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 9) * 255 - 60) < 0.01f);
    /* levels of their own, some below the first; then two probes left and right of the middle */
    for (unsigned i = 0; i < LANES; i++)
        rig->staging[2][i] = i % 8 == 7 ? 0x1fd80 : 1u << 16 | i % 8 << 8;
    run_program(rig, &request);
    for (unsigned i = 0; i < LANES; i++)
        assert_true(fabsf(result_at(rig, 0, i) * 255 - (float)(i % 8 % 7 * 20)) < 0.01f);
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64; x++)
            memset(picture_at(&p, x, y, 0, 0, 0), x < 32 ? 40 : 200, 4);
    }
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, 0.53f);
        rig->staging[2][i] = i % 2 ? 2u << 16 : 1u << 16;
        rig->staging[3][i] = 0x3800; /* a half of the picture */
    }
    run_program(rig, &request);
    assert_true(fabsf(result_at(rig, 0, 5) * 255 - 120) < 0.01f);
}

static void layers_slices_and_faces(void **state)
{
    struct rig *rig = *state;
    struct picture array, volume, cube;
    picture_init(rig, &array, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 8, .height = 8, .layers = 5, .layout = MALI_LAYOUT_TILED});
    picture_init(rig, &volume, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_3D,
                 (struct mali_surface_info){.width = 8, .height = 8, .depth = 8, .layout = MALI_LAYOUT_LINEAR});
    picture_init(rig, &cube, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_CUBE,
                 (struct mali_surface_info){.width = 8, .height = 8, .layers = 12, .layout = MALI_LAYOUT_TILED});
    bind_sampler(rig, 1, sampler_of(false));
    for (unsigned kind = 0; kind < 4; kind++) {
        static const uint8_t dimensions[] = {MALI_TEX_2D, MALI_TEX_3D, MALI_TEX_CUBE, MALI_TEX_CUBE};
        const struct picture *p = kind == 0 ? &array : kind == 1 ? &volume : &cube;
        struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, dimensions[kind]);
        bind(rig, 0, &p->desc);
        request.is_array = kind != 1 && kind != 3;
        uint32_t slice[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            uint32_t x = i % 8, y = i / 8;
            set_float(rig, 0, i, ((float)x + 0.5f) / 8);
            set_float(rig, 1, i, ((float)y + 0.5f) / 8);
            slice[i] = rig_random() % (kind == 0 ? 5 : kind == 1 ? 8 : kind == 2 ? 12 : 6);
            if (kind == 0)
                set_float(rig, 2, i, slice[i] == 4 ? 77 : (float)slice[i] + 0.3f); /* beyond the last is the last */
            else if (kind == 1)
                set_float(rig, 2, i, ((float)slice[i] + 0.5f) / 8);
            else {
                rig->staging[0][i] = (rig->staging[0][i] & 0x1fffffff) | slice[i] % 6 << 29;
                set_float(rig, 2, i, (float)(slice[i] / 6));
            }
        }
        run_program(rig, &request);
        for (unsigned i = 0; i < LANES; i++) {
            float expected[4];
            picture_texel(p, i % 8, i / 8, slice[i], 0, 0, expected);
            assert_true(fabsf(result_at(rig, 1, i) - expected[1]) < 1e-5f);
        }
    }
}

static void gathers_and_comparisons(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 75, MALI_CLUMP_FORMAT_RAW16, FORMAT_D16_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    struct mali_desc_SAMPLER sampler = sampler_of(false);
    sampler.COMPARE_FUNCTION = MALI_FUNC_GREATER; /* the texel against the reference */
    bind_sampler(rig, 1, sampler);
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    request.is_shadow = true;
    request.mask = 1;
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, ((float)(i % 16) + 0.5f) / 16);
        set_float(rig, 1, i, ((float)(i / 16) + 0.5f) / 16);
        set_float(rig, 2, i, 0.5f);
    }
    run_program(rig, &request);
    for (unsigned i = 0; i < LANES; i++) {
        float depth[4];
        picture_texel(&p, i % 16, i / 16, 0, 0, 0, depth);
        assert_true(result_at(rig, 0, i) == (depth[0] > 0.5f ? 1.0f : 0.0f));
    }
    request = request_of(rig, MALI_TEX_GATHER, MALI_TEX_2D);
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, (float)(1 + i % 8) / 16);
        set_float(rig, 1, i, (float)(1 + i / 8) / 16);
    }
    run_program(rig, &request);
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned n = 0; n < 4; n++) {
            float depth[4];
            picture_texel(&p, i % 8 + n % 2, i / 8 + n / 2, 0, 0, 0, depth);
            assert_true(fabsf(result_at(rig, n, i) - depth[0]) < 1e-5f);
        }
    }
}

/* Component `at % 4` of the picture, whose channels are in the order b, a, r, 1: of all lanes, or of some and without
 * two of the texels. */
static void gather_component(struct rig *rig, const struct picture *p, unsigned at)
{
    static const unsigned from[4] = {2, 3, 0, 5}; /* of r, g, b, a, 0 and 1 */
    const bool is_all = at < 4;
    struct mali_tex_request request = request_of(rig, MALI_TEX_GATHER, MALI_TEX_2D);
    request.component = (uint8_t)(at % 4);
    request.lanes = is_all ? UINT64_MAX : 0xfff0ffffffff0ffeull;
    request.mask = is_all ? 15 : 10;
    memset(rig->result, 0xee, sizeof(rig->result));
    run_program(rig, &request);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned n = 0, row = 0; n < 4; row += request.mask >> n++ & 1) {
            float texel[6] = {0, 0, 0, 0, 0, 1};
            picture_texel(p, lane % 8 + n % 2, lane / 8 + n / 2, 0, 0, 0, texel);
            if (!(request.lanes >> lane & 1))
                assert_int_equal(rig->result[row][lane], 0xeeeeeeee);
            else if (request.mask >> n & 1)
                assert_true(fabsf(result_at(rig, row, lane) - texel[from[at % 4]]) < 1e-5f);
        }
    }
}

static void gathers_take_a_component(void **state)
{
    static const struct {
        unsigned number;
        enum mali_CLUMP_FORMAT clump;
        enum format format;
    } kinds[] = {{187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM},
                 {188, MALI_CLUMP_FORMAT_RAW64, FORMAT_R16G16B16A16_UNORM},
                 {163, MALI_CLUMP_FORMAT_RAW8, FORMAT_R8_UNORM}};
    struct rig *rig = *state;
    bind_sampler(rig, 1, sampler_of(false));
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, (float)(1 + i % 8) / 16);
        set_float(rig, 1, i, (float)(1 + i / 8) / 16);
    }
    for (unsigned kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        struct picture p;
        picture_init(rig, &p, kinds[kind].number, kinds[kind].clump, kinds[kind].format, MALI_TEXTURE_DIMENSION_2D,
                     (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
        p.desc.SWIZZLE_R = MALI_CHANNEL_B;
        p.desc.SWIZZLE_G = MALI_CHANNEL_A;
        p.desc.SWIZZLE_B = MALI_CHANNEL_R;
        p.desc.SWIZZLE_A = MALI_CHANNEL_1;
        bind(rig, 0, &p.desc);
        for (unsigned at = 0; at < 32; at++) /* places of texels are kept for images that are used again */
            gather_component(rig, &p, at % 8);
    }
}

/* The mean of four texels of one channel, halfway between them, as a sample or, by tap, a gather: of an image without
 * layers, of one with a single layer, of layers that lanes share, and of their own. */
static void means_are_of_the_layer(void **state)
{
    struct rig *rig = *state;
    static struct picture p[2];
    for (unsigned i = 0; i < 2; i++)
        picture_init(
            rig, &p[i], 163, MALI_CLUMP_FORMAT_RAW8, FORMAT_R8_UNORM, MALI_TEXTURE_DIMENSION_2D,
            (struct mali_surface_info){.width = 16, .height = 16, .layers = i ? 5 : 1, .layout = MALI_LAYOUT_TILED});
    bind_sampler(rig, 1, sampler_of(true));
    for (unsigned round = 0; round < 64; round++) { /* places of texels are kept for images that are used again */
        const unsigned kind = round / 2 % 4;
        const struct picture *from = &p[kind >= 2];
        struct mali_tex_request request = request_of(rig, round % 2 ? MALI_TEX_GATHER : MALI_TEX_SINGLE, MALI_TEX_2D);
        uint32_t layer[LANES];
        bind(rig, 0, &from->desc);
        request.is_array = kind != 0;
        request.lanes = round & 8 ? UINT64_MAX : 0xfff0ffffffff0ffeull;
        for (unsigned i = 0; i < LANES; i++) {
            layer[i] = kind < 2 ? 0 : kind == 2 ? round % 5 : i % 5;
            set_float(rig, 0, i, (float)(1 + i % 8) / 16);
            set_float(rig, 1, i, (float)(1 + i / 8) / 16);
            set_float(rig, 2, i, kind == 1 ? (float)i - 7 : (float)layer[i]);
        }
        run_program(rig, &request);
        bits_foreach (request.lanes, i) {
            float mean = 0;
            for (unsigned n = 0; n < 4; n++) {
                float texel[4];
                picture_texel(from, i % 8 + n % 2, (unsigned)i / 8 + n / 2, layer[i], 0, 0, texel);
                mean += texel[0] / 4;
                assert_true(round % 2 == 0 || fabsf(result_at(rig, n, (unsigned)i) - texel[0]) < 1e-5f);
            }
            assert_true(round % 2 == 1 || fabsf(result_at(rig, 0, (unsigned)i) - mean) < 1e-5f);
        }
    }
}

/* Whatever level samples would have. */
static void gathers_are_of_the_first_level(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 163, MALI_CLUMP_FORMAT_RAW8, FORMAT_R8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .levels = 3, .layout = MALI_LAYOUT_TILED});
    struct mali_desc_SAMPLER sampler = sampler_of(true);
    sampler.MINIMUM_LOD = sampler.MAXIMUM_LOD = 256;
    bind_sampler(rig, 1, sampler);
    bind(rig, 0, &p.desc);
    struct mali_tex_request request = request_of(rig, MALI_TEX_GATHER, MALI_TEX_2D);
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, (float)(1 + i % 8) / 16);
        set_float(rig, 1, i, (float)(1 + i / 8) / 16);
    }
    for (unsigned round = 0; round < 32; round++) {
        run_program(rig, &request);
        for (unsigned i = 0; i < LANES; i++) {
            for (unsigned n = 0; n < 4; n++) {
                float texel[4];
                picture_texel(&p, i % 8 + n % 2, i / 8 + n / 2, 0, 0, 0, texel);
                assert_true(fabsf(result_at(rig, n, i) - texel[0]) < 1e-5f);
            }
        }
    }
}

static void borders_are_the_samplers(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    struct mali_desc_SAMPLER sampler = sampler_of(false);
    sampler.WRAP_MODE_S = MALI_WRAP_MODE_CLAMP_TO_BORDER;
    sampler.BORDER_COLOR_R = float_bits(0.5f);
    sampler.BORDER_COLOR_A = float_bits(2.0f);
    bind_sampler(rig, 1, sampler);
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    for (unsigned i = 0; i < LANES; i++) {
        set_float(rig, 0, i, -0.5f);
        set_float(rig, 1, i, 0.5f);
    }
    run_program(rig, &request);
    assert_true(result_at(rig, 0, 3) == 0.5f && result_at(rig, 1, 3) == 0 && result_at(rig, 3, 3) == 1);
}

/* Lanes with other descriptors are other groups, and a null texture reads as zero. */
static void descriptors_may_differ_by_lane(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    memset(p.host, 255, p.surface.size_B);
    bind(rig, 0, &p.desc);
    bind_sampler(rig, 1, sampler_of(false));
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    memset(rig->staging, 0, sizeof(rig->staging));
    for (unsigned i = 0; i < LANES; i++) {
        rig->source[0][i] = 1;
        rig->source[1][i] = i % 3 ? 0 : 9;
    }
    request.has_wide_indices = true;
    request.result = rig->staging[0]; /* over its own coordinates */
    run_program(rig, &request);
    for (unsigned i = 0; i < LANES; i++)
        assert_true(bits_float(rig->staging[0][i]) == (i % 3 ? 1.0f : 0.0f));
}

static void what_cannot_be_is_reported(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    uint64_t va;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    bind_sampler(rig, 1, sampler_of(false));
    p.desc.FORMAT = 188; /* eight bytes in clumps of four */
    bind(rig, 0, &p.desc);
    assert_false(mali_tex_run(rig->tex, &rig->resources, &request));
    assert_non_null(strstr(mali_tex_problem(rig->tex), "TEXTURE"));
    assert_false(mali_tex_fault(rig->tex, &va));
    p.desc.FORMAT = 187;
    p.desc.SURFACES = 0x1000;
    bind(rig, 0, &p.desc);
    assert_false(mali_tex_run(rig->tex, &rig->resources, &request));
    assert_true(mali_tex_fault(rig->tex, &va));
    assert_int_equal(va, 0x1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nearest_texels_of_all_kinds, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(linear_filters_weigh_four_texels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(results_are_packed, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(masks_choose_behind_the_swizzle, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(levels_come_from_quads_and_registers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(layers_slices_and_faces, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gathers_and_comparisons, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gathers_take_a_component, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(means_are_of_the_layer, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gathers_are_of_the_first_level, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(borders_are_the_samplers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(descriptors_may_differ_by_lane, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_reported, rig_setup, rig_teardown),
    };
    return host_level_runs() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
