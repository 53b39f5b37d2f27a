/* TEX_FETCH, LD_TEX, LEA_TEX, LD_CVT and ST_CVT. */
#include "rig.h"

#include <math.h>
#include <string.h>

#include "mali/hw/tiling/afbc.h"
#include "model/texture/tex_places.h"
#include "util/tests/host_level_test.h"

static void fetches_take_levels_samples_and_layers(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(
        rig, &p, 155, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UINT, MALI_TEXTURE_DIMENSION_2D,
        (struct mali_surface_info){.width = 32, .height = 16, .levels = 3, .layers = 2, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.type = MALI_TEX_TYPE_U;
    request.is_array = request.has_offsets = true;
    for (unsigned i = 0; i < LANES; i++) {
        rig->staging[0][i] = i % 8;
        rig->staging[1][i] = i / 8 % 4;
        rig->staging[2][i] = i % 2;
        rig->staging[3][i] = (i % 3) << 24 | (i == 5 ? 0xff : 0); /* x - 1 of one lane */
    }
    rig->staging[0][63] = 32; /* outside */
    assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
    for (unsigned i = 0; i < 63; i++) {
        uint32_t x = i % 8 - (i == 5);
        const uint8_t *at = picture_at(&p, x, i / 8 % 4, i % 2, i % 3, 0);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(rig->result[n][i], at[n]);
    }
    assert_int_equal(rig->result[0][63], 0);
}

static void samples_are_slices(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 167, MALI_CLUMP_FORMAT_RAW32, FORMAT_R32_SFLOAT, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .samples = 4, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.has_offsets = true;
    request.mask = 1;
    for (unsigned i = 0; i < LANES; i++) {
        rig->staging[0][i] = i % 16;
        rig->staging[1][i] = i / 16;
        rig->staging[2][i] = i % 4 << 16;
        float value = (float)i;
        memcpy(picture_at(&p, i % 16, i / 16, 0, 0, i % 4), &value, 4);
    }
    assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
    for (unsigned i = 0; i < LANES; i++)
        assert_true(result_at(rig, 0, i) == (float)i);
}

/* Stencil is the second channel of memory, and the order brings it to the first. */
static void stencil_is_where_the_order_says(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 93, MALI_CLUMP_FORMAT_X24S8, FORMAT_R32_UINT, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED});
    p.desc.ORDER = MALI_RGB_ORDER_GRBA;
    bind(rig, 0, &p.desc);
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.type = MALI_TEX_TYPE_U;
    for (unsigned i = 0; i < LANES; i++) {
        rig->staging[0][i] = i % 16;
        rig->staging[1][i] = i / 16;
    }
    assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
    for (unsigned i = 0; i < LANES; i++) {
        assert_int_equal(rig->result[0][i], picture_at(&p, i % 16, i / 16, 0, 0, 0)[3]);
        assert_int_equal(rig->result[1][i], 0);
        assert_int_equal(rig->result[3][i], 1);
    }
}

static struct mali_tex_access access_of(struct rig *rig)
{
    memset(rig->result, 0xee, sizeof(rig->result));
    return (struct mali_tex_access){
        .components = 4,
        .lanes = UINT64_MAX,
        .source = {rig->source[0], rig->source[1]},
        .result = rig->result[0],
    };
}

/* Texels that go out by their address come back by their load. */
static void stores_come_back(void **state)
{
    static const struct {
        unsigned number;
        enum mali_CLUMP_FORMAT clump;
        enum format format;
        unsigned regfmt;
        uint16_t order;
    } cases[] = {
        {187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEX_REGFMT_F32, MALI_RGB_ORDER_RGBA},
        {187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEX_REGFMT_F16, MALI_RGB_ORDER_BGRA},
        {157, MALI_CLUMP_FORMAT_RAW128, FORMAT_R32G32B32A32_UINT, MALI_TEX_REGFMT_U32, MALI_RGB_ORDER_RGBA},
        {220, MALI_CLUMP_FORMAT_RAW64, FORMAT_R16G16B16A16_SINT, MALI_TEX_REGFMT_S32, MALI_RGB_ORDER_RGBA},
        {223, MALI_CLUMP_FORMAT_RAW64, FORMAT_R16G16B16A16_SFLOAT, MALI_TEX_REGFMT_AUTO, MALI_RGB_ORDER_RGBA},
    };
    struct rig *rig = *state;
    for (unsigned c = 0; c < ARRAY_SIZE(cases); c++) {
        struct picture p;
        uint32_t data[4][LANES], address[3][LANES];
        picture_init(rig, &p, cases[c].number, cases[c].clump, cases[c].format, MALI_TEXTURE_DIMENSION_3D,
                     (struct mali_surface_info){.width = 16, .height = 16, .depth = 4, .layout = MALI_LAYOUT_TILED});
        p.desc.ORDER = cases[c].order;
        bind(rig, 0, &p.desc);
        struct mali_tex_access access = access_of(rig);
        access.regfmt = (uint8_t)cases[c].regfmt;
        for (unsigned i = 0; i < LANES; i++) {
            rig->source[0][i] = i % 16 | i / 16 << 16;
            rig->source[1][i] = i % 4;
            for (unsigned n = 0; n < 4; n++) {
                bool is_float = format_info(cases[c].format)->numeric != FORMAT_NUMERIC_UINT &&
                                format_info(cases[c].format)->numeric != FORMAT_NUMERIC_SINT;
                data[n][i] = is_float ? float_bits((float)(n % 2)) : 5 * i + n;
                if (cases[c].regfmt == MALI_TEX_REGFMT_F16)
                    data[n][i] = n == 0 ? 0x3c000000 : 0x3c00; /* 0, 1, 1, 0 */
            }
        }
        rig->source[1][60] = 9; /* outside */
        access.result = address[0];
        assert_true(mali_tex_image_address(rig->tex, &rig->resources, &access));
        assert_int_equal(address[0][60], (uint32_t)MALI_TEX_NOWHERE);
        assert_int_equal(address[1][60], MALI_TEX_NOWHERE >> 32);
        struct mali_tex_conversion store = {
            .regfmt = (uint8_t)cases[c].regfmt,
            .components = 4,
            .lanes = UINT64_MAX,
            .address = {address[0], address[1]},
            .conversion = address[2],
            .data = data[0],
            .result = rig->result[0],
        };
        assert_true(mali_tex_store_converted(rig->tex, &rig->space, &store));
        access.result = rig->result[0];
        assert_true(mali_tex_load_image(rig->tex, &rig->resources, &access));
        unsigned rows = cases[c].regfmt == MALI_TEX_REGFMT_F16 ? 2 : 4;
        for (unsigned i = 0; i < 60; i++) {
            for (unsigned n = 0; n < rows; n++)
                assert_int_equal(rig->result[n][i], data[n][i]);
        }
        memset(rig->result, 0, sizeof(rig->result));
        assert_true(mali_tex_load_converted(rig->tex, &rig->space, &store));
        for (unsigned n = 0; n < rows; n++)
            assert_int_equal(rig->result[n][7], data[n][7]);
    }
}

/* Every lane has a texel of its own, or one that is outside in any way; rows are written for the components alone. */
static void loads_have_lanes_components_and_edges(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    unsigned outside = 0;
    picture_init(rig, &p, 157, MALI_CLUMP_FORMAT_RAW128, FORMAT_R32G32B32A32_UINT, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 13, .height = 5, .layers = 3, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    for (unsigned round = 0; round < 40; round++) {
        struct mali_tex_access access = access_of(rig);
        access.components = (uint8_t)(1 + round % 4);
        access.regfmt = round & 4 ? MALI_TEX_REGFMT_AUTO : MALI_TEX_REGFMT_U32;
        access.lanes = round & 8 ? UINT64_MAX : UINT64_MAX >> round;
        for (unsigned i = 0; i < LANES; i++) {
            rig->source[0][i] = rig_random() % 14 | rig_random() % 6 << 16;
            rig->source[1][i] = rig_random() % 8 / 7 | rig_random() % 4 << 16; /* sample and layer */
            if (round & 16)                                                    /* all in one plane */
                rig->source[1][i] = round % 3 << 16;
        }
        assert_true(mali_tex_load_image(rig->tex, &rig->resources, &access));
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t x = rig->source[0][i] & 0xffff, y = rig->source[0][i] >> 16,
                           sample = rig->source[1][i] & 0xffff, layer = rig->source[1][i] >> 16;
            const bool is_inside = x < 13 && y < 5 && layer < 3 && !sample;
            uint32_t expected[4] = {0};
            outside += !is_inside;
            if (is_inside)
                memcpy(expected, picture_at(&p, x, y, layer, 0, 0), sizeof(expected));
            for (unsigned n = 0; n < 4; n++)
                assert_int_equal(rig->result[n][i],
                                 n < access.components && access.lanes >> i & 1 ? expected[n] : 0xeeeeeeee);
        }
    }
    assert_in_range(outside, 40 * LANES / 4, 40 * LANES * 3 / 4);
}

/* Of texels in one plane, some of which are outside; in the order of lanes or not. */
static void addresses_are_of_their_texels(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 19, .height = 21, .layers = 2, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    for (unsigned round = 0; round < 20; round++) {
        struct mali_tex_access access = access_of(rig);
        for (unsigned i = 0; i < LANES; i++) {
            rig->source[0][i] = rig_random() % 24 | rig_random() % 24 << 16;
            rig->source[1][i] = (round & 1) << 16;
        }
        assert_true(mali_tex_image_address(rig->tex, &rig->resources, &access));
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t x = rig->source[0][i] & 0xffff, y = rig->source[0][i] >> 16;
            const uint64_t va = x < 19 && y < 21
                                    ? RIG_VA + (uint64_t)(picture_at(&p, x, y, round & 1, 0, 0) - rig->host)
                                    : MALI_TEX_NOWHERE;
            assert_true((rig->result[0][i] | (uint64_t)rig->result[1][i] << 32) == va);
            assert_int_equal(rig->result[2][i], 187 << 12 | MALI_RGB_ORDER_RGBA);
        }
    }
}

/* A plane that changes in memory is seen, though the texture's own words are the same. */
static void planes_may_change_in_memory(void **state)
{
    struct rig *rig = *state;
    struct picture a, b;
    struct mali_surface_info info = {.width = 16, .height = 16, .layout = MALI_LAYOUT_TILED};
    picture_init(rig, &a, 133, MALI_CLUMP_FORMAT_RAW32, FORMAT_R32_UINT, MALI_TEXTURE_DIMENSION_2D, info);
    picture_init(rig, &b, 133, MALI_CLUMP_FORMAT_RAW32, FORMAT_R32_UINT, MALI_TEXTURE_DIMENSION_2D, info);
    bind(rig, 0, &a.desc);
    struct mali_tex_access access = access_of(rig);
    memset(rig->source, 0, sizeof(rig->source));
    assert_true(mali_tex_load_image(rig->tex, &rig->resources, &access));
    assert_memory_equal(&rig->result[0][0], a.host, 4);
    memcpy(rig->host + (a.desc.SURFACES - RIG_VA), rig->host + (b.desc.SURFACES - RIG_VA), 32);
    assert_true(mali_tex_load_image(rig->tex, &rig->resources, &access));
    assert_memory_equal(&rig->result[0][0], b.host, 4);
}

/* Depth of 24 bits: three bytes of AFBC for each texel, four of the texture's format. */
static void afbc_has_three_bytes_of_depth(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 77, MALI_CLUMP_FORMAT_RAW32, FORMAT_X8_D24_UNORM_PACK32, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 64, .height = 16, .layout = MALI_LAYOUT_TILED});
    const struct mali_afbc afbc = {.row_B = 64, .w_log2 = 4, .pixel_B = 3};
    picture_afbc(rig, &p, &afbc, 64, 16);
    bind(rig, 0, &p.desc);
    mali_afbc_pack_raw(p.host, 0x800);
    for (uint32_t i = 0; i < 256 * 3; i++)
        p.host[0x800 + i] = (uint8_t)(i * 37 + i / 3);
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.lanes = UINT32_MAX;
    for (unsigned i = 0; i < LANES; i++) {
        rig->staging[0][i] = i % 16;
        rig->staging[1][i] = i / 2 % 16;
    }
    assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
    for (unsigned i = 0; i < 32; i++) {
        const uint8_t *at = p.host + 0x800 + mali_afbc_texel_B(&afbc, i % 16, i / 2 % 16);
        const uint32_t depth = at[0] | at[1] << 8 | at[2] << 16;
        assert_true(fabsf(result_at(rig, 0, i) - (float)depth / 16777215) < 1e-6f);
    }
}

/* A superblock of one colour, one that is not compressed, and one whose bits nothing knows. */
static void afbc_is_read_where_headers_say(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 64, .height = 16, .layout = MALI_LAYOUT_TILED});
    const struct mali_afbc afbc = {.row_B = 64, .w_log2 = 4, .pixel_B = 4};
    picture_afbc(rig, &p, &afbc, 64, 16);
    bind(rig, 0, &p.desc);
    mali_afbc_pack_solid(p.host, 0x44332211);
    mali_afbc_pack_raw(p.host + 16, 0x800);
    memset(p.host + 32, 0xff, 16);
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.lanes = UINT32_MAX;
    for (unsigned i = 0; i < LANES; i++) {
        rig->staging[0][i] = i % 32;
        rig->staging[1][i] = i / 2 % 16;
    }
    assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
    for (unsigned i = 0; i < 32; i++) {
        const uint8_t solid[4] = {0x11, 0x22, 0x33, 0x44};
        const uint8_t *at = i < 16 ? solid : p.host + 0x800 + mali_afbc_texel_B(&afbc, i, i / 2 % 16);
        for (unsigned n = 0; n < 4; n++)
            assert_true(fabsf(result_at(rig, n, i) - (float)at[n] / 255) < 1e-6f);
    }
    rig->staging[0][3] = 40;
    assert_false(mali_tex_run(rig->tex, &rig->resources, &request));
    assert_non_null(strstr(mali_tex_problem(rig->tex), "not public"));
}

/* Nearest texels of an image of 64 × 32 in AFBC, at the middles of texels: what its headers say at that time. */
static void expect_samples(struct rig *rig, const struct picture *p, const struct mali_afbc *afbc)
{
    struct mali_tex_request request = request_of(rig, MALI_TEX_SINGLE, MALI_TEX_2D);
    for (unsigned round = 0; round < 32; round++) {
        for (unsigned i = 0; i < LANES; i++) {
            rig->staging[0][i] = float_bits(((float)i + 0.5f) / 64);
            rig->staging[1][i] = float_bits(((float)((i + round) % 32) + 0.5f) / 32);
        }
        assert_true(mali_tex_run(rig->tex, &rig->resources, &request));
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t y = (i + round) % 32;
            const struct mali_afbc_header header = mali_afbc_unpack(p->host + mali_afbc_texel_header_B(afbc, i, y));
            const uint8_t *at = header.kind == MALI_AFBC_SOLID
                                    ? (const uint8_t *)&header.colour
                                    : p->host + header.body_B + mali_afbc_texel_B(afbc, i, y);
            for (unsigned n = 0; n < 4; n++)
                assert_true(fabsf(result_at(rig, n, i) - (float)at[n] / 255) < 1e-6f);
        }
    }
}

/* Superblocks of one colour anywhere, of few colours or of many, also the first and all of them, beside bodies that
 * begin anywhere; nearest texels and filtered ones, which are the same in the middles of texels. */
static void expect_mixed_samples(struct rig *rig, const struct picture *p, const struct mali_afbc *afbc)
{
    for (unsigned round = 0; round < 12; round++) {
        const uint32_t body_B = 0x1000 + 0x80 * (round % 5), colours = round % 2 ? UINT32_MAX : 3;
        for (unsigned i = 0; i < 64; i++) {
            if (round == 6 || (rig_random() % 2 && !(round == 7 && i == 0)))
                mali_afbc_pack_solid(p->host + 16 * i, 0x01234567u * (1 + rig_random() % colours));
            else
                mali_afbc_pack_raw(p->host + 16 * i, body_B + mali_afbc_body_B(afbc, 16 * i));
        }
        rig->resources.epoch += round != 9; /* 0 once, where nothing is kept */
        if (round == 9)
            rig->resources.epoch = 0;
        bind_sampler(rig, 1, sampler_of(round % 3 == 1));
        expect_samples(rig, p, afbc);
    }
    rig->resources.epoch = 1000;
    bind_sampler(rig, 1, sampler_of(false));
}

/* Tables of places serve as long as all superblocks are where their numbers say, or of one colour. Headers are looked
 * at in each run of work, and always where none is known. */
static void afbc_is_sampled_where_headers_say(void **state)
{
    enum {
        BODY_B = 0x1000
    };
    struct rig *rig = *state;
    struct picture p;
    tex_places_at_once = true;
    bind_sampler(rig, 1, sampler_of(false));
    for (unsigned is_tiled = 0; is_tiled < 2; is_tiled++) {
        picture_init(rig, &p, 187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM, MALI_TEXTURE_DIMENSION_2D,
                     (struct mali_surface_info){.width = 256, .height = 256, .layout = MALI_LAYOUT_TILED});
        const struct mali_afbc afbc = {is_tiled ? 1024 : 64, 4, 4, is_tiled ? 3 : 0};
        picture_afbc(rig, &p, &afbc, 64, 32);
        bind(rig, 0, &p.desc);
        for (unsigned i = 0; i < 64; i++)
            mali_afbc_pack_raw(p.host + 16 * i, BODY_B + mali_afbc_body_B(&afbc, 16 * i));
        rig->resources.epoch = 10 * is_tiled + 1;
        expect_samples(rig, &p, &afbc);
        mali_afbc_pack_solid(p.host + 16, 0x80402010);
        rig->resources.epoch++;
        expect_samples(rig, &p, &afbc);
        mali_afbc_pack_raw(p.host + 16, BODY_B); /* the same as the first one */
        rig->resources.epoch = 0;
        expect_samples(rig, &p, &afbc);
        mali_afbc_pack_raw(p.host + 16, BODY_B + mali_afbc_body_B(&afbc, 16));
        expect_samples(rig, &p, &afbc);
        rig->resources.epoch = 100 * (is_tiled + 1);
        expect_mixed_samples(rig, &p, &afbc);
    }
    tex_places_at_once = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fetches_take_levels_samples_and_layers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(samples_are_slices, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(stencil_is_where_the_order_says, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(stores_come_back, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(addresses_are_of_their_texels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(loads_have_lanes_components_and_edges, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(afbc_is_read_where_headers_say, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(afbc_is_sampled_where_headers_say, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(afbc_has_three_bytes_of_depth, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(planes_may_change_in_memory, rig_setup, rig_teardown),
    };
    return host_level_runs() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
