/* Image loads, stores, atomics and queries; formats, swizzle modes, multisampling and metadata. */
#include "amd/model/texture/tests/ta_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "amd/hw/tiling/meta.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

static void run_program(struct rig *rig, const char *text)
{
    if (!rig_run(rig, text))
        fail_msg("%s: %s", text, rig->wave->fault.why);
}

static void expect_result(struct rig *rig, unsigned vgpr, unsigned lane, const double want[4], unsigned count,
                          bool is_integer, const char *what)
{
    for (unsigned n = 0; n < count; n++) {
        double got = is_integer ? (double)(int32_t)rig_row(rig, vgpr + n)[lane] : rig_get(rig, vgpr + n, lane);
        if (fabs(got - want[n]) > 1e-6)
            fail_msg("%s: lane %u channel %u is %.9g, not %.9g", what, lane, n, got, want[n]);
    }
}

static const struct {
    unsigned number;
    enum format format;
} formats[] = {
    {1, FORMAT_R8_UNORM},
    {2, FORMAT_R8_SNORM},
    {5, FORMAT_R8_UINT},
    {6, FORMAT_R8_SINT},
    {11, FORMAT_R16_UINT},
    {12, FORMAT_R16_SINT},
    {13, FORMAT_R16_SFLOAT},
    {18, FORMAT_R8G8_UINT},
    {20, FORMAT_R32_UINT},
    {21, FORMAT_R32_SINT},
    {22, FORMAT_R32_SFLOAT},
    {29, FORMAT_R16G16_SFLOAT},
    {36, FORMAT_B10G11R11_UFLOAT_PACK32},
    {50, FORMAT_A2B10G10R10_UNORM_PACK32},
    {54, FORMAT_A2B10G10R10_UINT_PACK32},
    {56, FORMAT_R8G8B8A8_UNORM},
    {57, FORMAT_R8G8B8A8_SNORM},
    {60, FORMAT_R8G8B8A8_UINT},
    {61, FORMAT_R8G8B8A8_SINT},
    {64, FORMAT_R32G32_SFLOAT},
    {65, FORMAT_R16G16B16A16_UNORM},
    {69, FORMAT_R16G16B16A16_UINT},
    {71, FORMAT_R16G16B16A16_SFLOAT},
    {75, FORMAT_R32G32B32A32_UINT},
    {77, FORMAT_R32G32B32A32_SFLOAT},
    {130, FORMAT_R8G8B8A8_SRGB},
    {133, FORMAT_B5G6R5_UNORM_PACK16},
    {136, FORMAT_A4B4G4R4_UNORM_PACK16},
};

/* Loads see what the surface holds; stores of what was loaded change nothing. Coordinates outside read zero and write
 * nothing. */
static void load_and_store(void **state)
{
    struct rig *rig = *state;
    static const unsigned swizzles[] = {0, 27, 9, 26, 24, 21, 31, 5};
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
        struct picture p;
        const struct format_info *info = format_info(formats[f].format);
        bool is_integer = format_is_integer(info);
        picture_begin(rig, &p,
                      &(struct picture_desc){formats[f].number, formats[f].format, AMD_IMG_TYPE_2D,
                                             swizzles[f % ARRAY_SIZE(swizzles)], 19, 11});
        picture_fill(rig, &p);
        picture_bind(rig, &p);
        rig_lanes(rig, 64, UINT64_MAX);
        for (unsigned i = 0; i < 64; i++) {
            rig_row(rig, 0)[i] = i % 21 - 1;
            rig_row(rig, 1)[i] = i / 5;
        }
        run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++) {
            uint32_t x = rig_row(rig, 0)[i], y = rig_row(rig, 1)[i];
            static const double zero[4];
            expect_result(rig, 10, i, x < 19 && y < 11 ? picture_get(&p, 0, x, y, 0, 0) : zero, 4, is_integer,
                          info->name);
        }
        if (info->numeric == FORMAT_NUMERIC_SRGB) { /* the curve is not undone by stores */
            picture_end(&p);
            continue;
        }
        uint8_t *before = malloc(p.surface.size_B);
        memcpy(before, p.bytes, p.surface.size_B);
        for (unsigned y = 0; y < 11; y++) {
            for (unsigned x = 0; x < 19; x++)
                memset(picture_at(&p, 0, x, y, 0, 0), 0xa5, info->block_size_B);
        }
        for (unsigned y = 0; y < 11; y++) {
            for (unsigned i = 0; i < 64; i++) {
                rig_row(rig, 0)[i] = i;
                rig_row(rig, 1)[i] = y;
                for (unsigned n = 0; n < 4; n++) {
                    double value = i < 19 ? picture_get(&p, 0, i, y, 0, 0)[n] : 1;
                    if (is_integer)
                        rig_row(rig, 10 + n)[i] = (uint32_t)(int32_t)value;
                    else
                        rig_put(rig, 10 + n, i, (float)value);
                }
            }
            run_program(rig, "image_store v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
        }
        if (memcmp(before, p.bytes, p.surface.size_B) != 0)
            fail_msg("%s: stores do not bring back what was there", info->name);
        free(before);
        picture_end(&p);
    }
}

/* A block of lanes at (x, y) of a layer: squares of eight, or lines. */
static void put_block(struct rig *rig, uint32_t x, uint32_t y, uint32_t layer, bool is_line)
{
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        rig_row(rig, 0)[i] = x + (is_line ? i : i % 8);
        rig_row(rig, 1)[i] = y + (is_line ? 0 : i / 8);
        rig_row(rig, 2)[i] = layer;
    }
}

/* Loads of a level by lanes in rows, and their stores, which bring it back after it was wiped out. */
static void check_block(struct rig *rig, struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t layer,
                        bool is_line)
{
    const struct format_info *info = format_info(p->format);
    bool is_integer = format_is_integer(info);
    static const double zero[4];
    uint32_t width = picture_width(p, level), height = picture_height(p, level);
    put_block(rig, x, y, layer, is_line);
    run_program(rig, "image_load v[10:13], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        uint32_t at_x = rig_row(rig, 0)[i], at_y = rig_row(rig, 1)[i];
        bool inside = at_x < width && at_y < height;
        expect_result(rig, 10, i, inside ? picture_get(p, level, at_x, at_y, layer, 0) : zero, 4, is_integer,
                      info->name);
    }
    uint8_t *before = malloc(p->surface.size_B);
    memcpy(before, p->bytes, p->surface.size_B);
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        uint32_t at_x = rig_row(rig, 0)[i], at_y = rig_row(rig, 1)[i];
        if (at_x < width && at_y < height)
            memset(picture_at(p, level, at_x, at_y, layer, 0), 0xa5, info->block_size_B);
    }
    run_program(rig, "image_store v[10:13], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    if (memcmp(before, p->bytes, p->surface.size_B) != 0)
        fail_msg("%s: level %u at %u, %u, %u: stores do not bring back what was there", info->name, level, x, y, layer);
    free(before);
}

/* Waves whose lanes are neighbours are found at once: all modes and element sizes, levels with a tail, edges. */
static void rows_of_neighbours(void **state)
{
    struct rig *rig = *state;
    static const unsigned swizzles[] = {0, 5, 9, 21, 24, 25, 26, 27, 31};
    static const struct {
        unsigned number;
        enum format format;
    } sizes[] = {{5, FORMAT_R8_UINT},         {11, FORMAT_R16_UINT},    {20, FORMAT_R32_UINT},
                 {56, FORMAT_R8G8B8A8_UNORM}, {62, FORMAT_R32G32_UINT}, {75, FORMAT_R32G32B32A32_UINT}};
    unsigned ran = 0;
    for (unsigned n = 0; n < ARRAY_SIZE(swizzles) * ARRAY_SIZE(sizes); n++) {
        unsigned swizzle = swizzles[n / ARRAY_SIZE(sizes)], size = n % ARRAY_SIZE(sizes);
        const struct amd_surface_desc desc = {.swizzle = (enum amd_swizzle)swizzle,
                                              .dim = AMD_DIM_2D,
                                              .width = 200,
                                              .height = 72,
                                              .slices = 3,
                                              .block_w = 1,
                                              .block_h = 1,
                                              .element_B = format_info(sizes[size].format)->block_size_B,
                                              .samples = 1,
                                              .levels = swizzle == 0 ? 1 : 4};
        struct picture p;
        if (amd_surface_problem(&desc))
            continue; /* not every mode knows every size */
        ran++;
        picture_begin(rig, &p,
                      &(struct picture_desc){sizes[size].number, sizes[size].format, AMD_IMG_TYPE_2D_ARRAY, swizzle,
                                             200, 72, 3, swizzle == 0 ? 1 : 4});
        picture_fill(rig, &p);
        for (unsigned round = 0; round < 24; round++) {
            unsigned level = swizzle == 0 ? 0 : rig_random(rig) % 4;
            bool is_line = round % 4 == 3, is_aligned = round % 3 != 2;
            uint32_t x = rig_random(rig) % picture_width(&p, level), y = rig_random(rig) % picture_height(&p, level);
            p.desc.BASE_LEVEL = p.desc.LAST_LEVEL = level;
            picture_bind(rig, &p);
            rig_lanes(rig, round % 2 ? 32 : 64, UINT64_MAX);
            check_block(rig, &p, level, is_aligned ? x & ~7u : x, is_line ? y : y & ~7u, rig_random(rig) % 3, is_line);
        }
        picture_end(&p);
    }
    assert_true(ran >= 40);
}

static void levels_layers_and_slices(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    rig_lanes(rig, 64, UINT64_MAX);
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_ARRAY, 27, 40, 24, 7, 6});
    picture_fill(rig, &p);
    p.desc.BASE_LEVEL = 1;
    p.desc.LAST_LEVEL = 4;
    p.desc.BASE_ARRAY = 2;
    p.desc.DEPTH = 5;
    picture_bind(rig, &p);
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 0)[i] = i % 3;
        rig_row(rig, 1)[i] = i % 2;
        rig_row(rig, 2)[i] = i % 5;
        rig_row(rig, 3)[i] = i / 8 % 5;
    }
    run_program(rig, "image_load_mip v[10:13], v[0:3], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    for (unsigned i = 0; i < 64; i++) {
        static const double zero[4];
        unsigned level = 1 + i / 8 % 5, layer = 2 + i % 5;
        bool inside = level <= 4 && layer <= 5 && i % 3 < picture_width(&p, level) && i % 2 < picture_height(&p, level);
        expect_result(rig, 10, i, inside ? picture_get(&p, level, i % 3, i % 2, layer, 0) : zero, 4, false,
                      "array levels");
    }
    /* A plain 2D instruction sees the first layer of the view. */
    run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    for (unsigned i = 0; i < 64; i++)
        expect_result(rig, 10, i, picture_get(&p, 1, i % 3, i % 2, 2, 0), 4, false, "2D of an array");
    picture_end(&p);

    for (unsigned swizzle = 25; swizzle <= 27; swizzle += 2) { /* thick and thin */
        picture_begin(rig, &p, &(struct picture_desc){22, FORMAT_R32_SFLOAT, AMD_IMG_TYPE_3D, swizzle, 20, 12, 18, 4});
        picture_fill(rig, &p);
        picture_bind(rig, &p);
        run_program(rig, "image_load_mip v10, v[0:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_3D unorm");
        for (unsigned i = 0; i < 64; i++) {
            static const double zero[4];
            unsigned level = i / 8 % 5;
            bool inside = level < 4 && i % 3 < picture_width(&p, level) && i % 2 < picture_height(&p, level) &&
                          i % 5 < picture_depth(&p, level);
            expect_result(rig, 10, i, inside ? picture_get(&p, level, i % 3, i % 2, i % 5, 0) : zero, 1, false,
                          "3D levels");
        }
        /* As a 2D view of one slice: ARRAY_PITCH counts slices in the base level. */
        p.desc.BASE_LEVEL = p.desc.LAST_LEVEL = 1;
        p.desc.ARRAY_PITCH = 1;
        p.desc.BASE_ARRAY = 4;
        p.desc.DEPTH = 8;
        picture_bind(rig, &p);
        run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++)
            expect_result(rig, 10, i, picture_get(&p, 1, i % 3, i % 2, 4, 0), 1, false, "2D of a volume");
        picture_end(&p);
    }
}

static void samples_and_fmask(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned samples = 2; samples <= 8; samples *= 2) {
        picture_begin(
            rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_MSAA, 27, 16, 8, 1, 1, samples});
        picture_fill(rig, &p);
        picture_bind(rig, &p);
        for (unsigned i = 0; i < 64; i++) {
            rig_row(rig, 0)[i] = i % 16;
            rig_row(rig, 1)[i] = i / 8;
            rig_row(rig, 2)[i] = i % samples;
            rig_row(rig, 3)[i] = 0;
        }
        run_program(rig, "image_load v[10:13], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA unorm");
        for (unsigned i = 0; i < 64; i++)
            expect_result(rig, 10, i, picture_get(&p, 0, i % 16, i / 8, 0, i % samples), 4, false, "samples");
        memset(rig_row(rig, 2), 0, 64 * 4);
        run_program(rig, "image_msaa_load v10, v[0:2], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D_MSAA unorm");
        for (unsigned i = 0; i < 64; i++) {
            double want[4] = {0, 0, 0, 0};
            for (unsigned n = 0; n < MIN2(samples, 4); n++)
                want[n] = picture_get(&p, 0, i % 16, i / 8, 0, n)[1];
            expect_result(rig, 10, i, want, 4, false, "four samples");
        }
        picture_end(&p);
    }
    /* FMASK: as many bits a sample as the number of fragments needs; the shader sees four. */
    static const struct {
        unsigned number;
        enum format format;
        uint32_t memory, seen;
    } fmasks[] = {{159, FORMAT_R8_UINT, 0x2, 0x10},
                  {161, FORMAT_R8_UINT, 0xe4, 0x3210},
                  {166, FORMAT_R32_UINT, 0x76543210, 0x76543210}};
    for (unsigned n = 0; n < 3; n++) {
        picture_begin(rig, &p, &(struct picture_desc){fmasks[n].number, fmasks[n].format, AMD_IMG_TYPE_2D, 24, 16, 8});
        for (unsigned i = 0; i < 128; i++)
            picture_set(&p, 0, i % 16, i / 16, 0, 0, (const double[4]){fmasks[n].memory});
        picture_bind(rig, &p);
        run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(rig_row(rig, 10)[i], fmasks[n].seen);
        picture_end(&p);
    }
}

static void atomics(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    rig_lanes(rig, 64, UINT64_MAX);
    picture_begin(rig, &p, &(struct picture_desc){20, FORMAT_R32_UINT, AMD_IMG_TYPE_2D, 27, 8, 8});
    picture_bind(rig, &p);
    picture_set(&p, 0, 3, 2, 0, 0, (const double[4]){1000});
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 0)[i] = i == 63 ? 8 : 3;
        rig_row(rig, 1)[i] = 2;
        rig_row(rig, 10)[i] = i;
    }
    run_program(rig, "image_atomic_add v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc");
    uint32_t sum = 1000, now;
    for (unsigned i = 0; i < 63; i++) {
        assert_int_equal(rig_row(rig, 10)[i], sum);
        sum += i;
    }
    assert_int_equal(rig_row(rig, 10)[63], 0); /* outside */
    memcpy(&now, picture_at(&p, 0, 3, 2, 0, 0), 4);
    assert_int_equal(now, sum);
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 10)[i] = 7;   /* new */
        rig_row(rig, 11)[i] = sum; /* expected */
    }
    run_program(rig, "image_atomic_cmpswap v[10:11], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm glc");
    assert_int_equal(rig_row(rig, 10)[0], sum);
    assert_int_equal(rig_row(rig, 10)[1], 7);
    picture_end(&p);
    /* 64 bits: two dwords of data. */
    picture_begin(rig, &p, &(struct picture_desc){62, FORMAT_R32G32_UINT, AMD_IMG_TYPE_2D, 27, 8, 8});
    picture_bind(rig, &p);
    picture_set(&p, 0, 3, 2, 0, 0, (const double[4]){0xffffffff, 1});
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 10)[i] = 1;
        rig_row(rig, 11)[i] = 0;
    }
    run_program(rig, "image_atomic_add v[10:11], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm glc");
    assert_int_equal(rig_row(rig, 10)[1], 0);
    assert_int_equal(rig_row(rig, 11)[1], 2);
    picture_end(&p);
}

static void sizes(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    rig_lanes(rig, 32, UINT32_MAX);
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_ARRAY, 27, 100, 50, 9, 7});
    p.desc.BASE_LEVEL = 1;
    p.desc.BASE_ARRAY = 3;
    picture_bind(rig, &p);
    for (unsigned i = 0; i < 32; i++)
        rig_row(rig, 0)[i] = i % 8;
    run_program(rig, "image_get_resinfo v[10:13], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    for (unsigned i = 0; i < 32; i++) {
        bool inside = i % 8 < 6;
        assert_int_equal(rig_row(rig, 10)[i], inside ? picture_width(&p, 1 + i % 8) : 0);
        assert_int_equal(rig_row(rig, 11)[i], inside ? picture_height(&p, 1 + i % 8) : 0);
        assert_int_equal(rig_row(rig, 12)[i], inside ? 6 : 0);
        assert_int_equal(rig_row(rig, 13)[i], 6);
    }
    picture_end(&p);
    /* No image: zeros everywhere, and no fault. */
    memset(rig->wave->sgpr, 0, 8 * 4);
    run_program(rig, "image_get_resinfo v[10:13], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    assert_int_equal(rig_row(rig, 10)[0] | rig_row(rig, 13)[0], 0);
    rig_row(rig, 10)[5] = 77;
    run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
    assert_int_equal(rig_row(rig, 10)[5], 0);
    run_program(rig, "image_store v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
}

/* BC1 with two colours of one block each, and BC3's alpha; blocks at the tiled place of their element. */
static void compressed(void **state)
{
    struct rig *rig = *state;
    struct amd_tiling_config config;
    struct amd_surface surface;
    struct amd_surface_desc desc = {.swizzle = AMD_SW_64KB_R_X,
                                    .dim = AMD_DIM_2D,
                                    .width = 30,
                                    .height = 20,
                                    .slices = 1,
                                    .block_w = 4,
                                    .block_h = 4,
                                    .element_B = 8,
                                    .samples = 1,
                                    .levels = 1};
    uint64_t va;
    assert_true(amd_tiling_config_init(&config, RIG_GB_ADDR_CONFIG) && amd_surface_init(&surface, &config, &desc));
    uint8_t *bytes = rig_alloc(rig, surface.size_B, surface.align_B, &va);
    for (unsigned y = 0; y < 5; y++) {
        for (unsigned x = 0; x < 8; x++) {
            /* color0 > color1: four-colour mode; rows choose 0, 1, 2/3 and 1/3. */
            uint16_t red = (uint16_t)((x + y * 8 + 1) % 32 << 11),
                     block[4] = {(uint16_t)(red | 0x1f), red, 0x5500, 0xffaa};
            memcpy(bytes + amd_tiling_offset(&surface, x, y, 0, 0, 0), block, 8);
        }
    }
    struct amd_desc_IMAGE d = {.BASE_ADDRESS = va >> 8,
                               .FORMAT = 169,
                               .WIDTH = 29,
                               .HEIGHT = 19,
                               .DST_SEL_X = 4,
                               .DST_SEL_Y = 5,
                               .DST_SEL_Z = 6,
                               .DST_SEL_W = 7,
                               .SW_MODE = (enum amd_SW_MODE)AMD_SW_64KB_R_X,
                               .TYPE = AMD_IMG_TYPE_2D};
    amd_pack_desc_IMAGE(AMD_GFX10_3, rig->wave->sgpr, &d);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned round = 0; round < 8; round++) {
        for (unsigned i = 0; i < 64; i++) {
            rig_row(rig, 0)[i] = (i + round * 5) % 30;
            rig_row(rig, 1)[i] = (i / 4 + round) % 20;
        }
        run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++) {
            uint32_t x = rig_row(rig, 0)[i], y = rig_row(rig, 1)[i];
            static const double blue[4] = {1, 0, 2.0 / 3, 1.0 / 3};
            double red = (x / 4 + y / 4 * 8 + 1) % 32 / 31.0;
            double got[4] = {rig_get(rig, 10, i), rig_get(rig, 11, i), rig_get(rig, 12, i), rig_get(rig, 13, i)};
            assert_true(fabs(got[0] - red) < 0.005 && got[1] == 0 && fabs(got[2] - blue[y % 4]) < 0.01 && got[3] == 1);
        }
    }
}

/* ---- metadata ---- */

static struct amd_meta *begin_meta(struct rig *rig, struct picture *p, enum amd_meta_kind kind, uint8_t **bytes_out)
{
    struct amd_meta *meta = malloc(sizeof(*meta));
    uint64_t va;
    assert_true(amd_meta_init(meta, kind, &p->surface, true));
    *bytes_out = rig_alloc(rig, meta->size_B, meta->align_B, &va);
    p->desc.COMPRESSION_EN = true;
    p->desc.META_PIPE_ALIGNED = true;
    p->desc.META_ADDRESS = (va >> 8) & 0xffffffffff;
    return meta;
}

static void dcc(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    uint8_t *codes;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 64, 64});
    picture_fill(rig, &p);
    struct amd_meta *meta = begin_meta(rig, &p, AMD_META_DCC, &codes);
    p.desc.ALPHA_IS_ON_MSB = true;
    picture_bind(rig, &p);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 0)[i] = i;
        rig_row(rig, 1)[i] = 9;
    }
    static const struct {
        uint8_t code;
        double color[4];
    } clears[] = {{0x00, {0, 0, 0, 0}}, {0x40, {0, 0, 0, 1}}, {0x80, {1, 1, 1, 0}}, {0xc0, {1, 1, 1, 1}}};
    for (unsigned n = 0; n < 4; n++) {
        memset(codes, clears[n].code, meta->size_B);
        codes[amd_meta_offset(meta, 0, 9, 0, 0, 0, NULL)] = 0xff; /* one block is expanded */
        run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
        uint64_t plain = amd_meta_offset(meta, 0, 9, 0, 0, 0, NULL);
        for (unsigned i = 0; i < 64; i++)
            expect_result(rig, 10, i,
                          amd_meta_offset(meta, i, 9, 0, 0, 0, NULL) == plain ? picture_get(&p, 0, i, 9, 0, 0)
                                                                              : clears[n].color,
                          4, false, "DCC clear");
    }
    /* Whole numbers, which copies read: one is the largest. */
    p.desc.FORMAT = 60;
    picture_bind(rig, &p);
    for (unsigned n = 0; n < 4; n++) {
        memset(codes, clears[n].code, meta->size_B);
        codes[amd_meta_offset(meta, 0, 9, 0, 0, 0, NULL)] = 0xff;
        run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
        uint64_t plain = amd_meta_offset(meta, 0, 9, 0, 0, 0, NULL);
        for (unsigned i = 0; i < 64; i++) {
            bool is_plain = amd_meta_offset(meta, i, 9, 0, 0, 0, NULL) == plain;
            double want[4];
            for (unsigned channel = 0; channel < 4; channel++)
                want[channel] = round((is_plain ? picture_get(&p, 0, i, 9, 0, 0) : clears[n].color)[channel] * 255);
            expect_result(rig, 10, i, want, 4, true, "DCC clear of whole numbers");
        }
    }
    /* And as bits: those that a store of the colour would leave. */
    static const uint32_t bits[4] = {0, 0xff000000, 0x00ffffff, 0xffffffff};
    for (unsigned n = 0; n < 4; n++) {
        memset(codes, clears[n].code, meta->size_B);
        run_program(rig, "image_load_pck v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(rig_row(rig, 10)[i], bits[n]);
    }
    p.desc.FORMAT = 56;
    picture_bind(rig, &p);
    /* The first texel of each block of 256 bytes stands for all. */
    memset(codes, 0x10, meta->size_B);
    run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    for (unsigned i = 0; i < 64; i++)
        expect_result(rig, 10, i, picture_get(&p, 0, i & ~7u, 8, 0, 0), 4, false, "DCC single");
    /* A store brings the rest of its block to memory. */
    memset(codes, 0x40, meta->size_B);
    rig_lanes(rig, 64, 1);
    for (unsigned n = 0; n < 4; n++)
        rig_put(rig, 10 + n, 0, 0.2f * (float)n);
    run_program(rig, "image_store v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    assert_int_equal(codes[amd_meta_offset(meta, 0, 9, 0, 0, 0, NULL)], 0xff);
    rig_lanes(rig, 64, UINT64_MAX);
    run_program(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    expect_result(rig, 10, 0, (const double[4]){0, 51 / 255.0, 102 / 255.0, 153 / 255.0}, 4, false, "DCC store");
    for (unsigned i = 1; i < 64; i++)
        expect_result(rig, 10, i, (const double[4]){0, 0, 0, 1}, 4, false, "DCC after a store");
    /* A code that means real compression is a stop, not a guess. */
    memset(codes, 0x33, meta->size_B);
    assert_false(rig_run(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"));
    assert_int_equal(rig->wave->fault.kind, SQ_FAULT_INSTRUCTION);
    free(meta);
    picture_end(&p);
}

/* Waves that are a square of FMASK, row by row and in quads: at (16, 8) memory has it, elsewhere CMASK says zero. */
static void squares_of_fmask(struct rig *rig, struct picture *p)
{
    for (unsigned i = 0; i < 64 * 64; i++)
        picture_set(p, 0, i % 64, i / 64, 0, 0, (const double[4]){i * 7 % 256});
    for (unsigned n = 0; n < 8; n++) {
        const unsigned left = 8 * (n & 3), lanes = n & 4 ? 32 : 64;
        for (unsigned in_quads = 0; in_quads < 2; in_quads++) {
            rig_lanes(rig, lanes, UINT64_MAX);
            for (unsigned i = 0; i < lanes; i++) {
                rig_row(rig, 0)[i] = left + (in_quads ? i / 4 % 4 * 2 + i % 2 : i % 8);
                rig_row(rig, 1)[i] = 8 + (in_quads ? i / 16 * 2 + i / 2 % 2 : i / 8);
                rig_row(rig, 10)[i] = UINT32_MAX;
            }
            run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
            for (unsigned i = 0; i < lanes; i++) {
                const uint32_t code = (rig_row(rig, 1)[i] * 64 + rig_row(rig, 0)[i]) * 7 % 256,
                               seen = (code & 3) | (code & 12) << 2 | (code & 48) << 4 | (code & 192) << 6;
                assert_int_equal(rig_row(rig, 10)[i], left == 16 ? seen : 0);
            }
        }
    }
}

static void htile_and_cmask(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    uint8_t *codes;
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 0)[i] = i;
        rig_row(rig, 1)[i] = 9;
    }
    picture_begin(rig, &p, &(struct picture_desc){22, FORMAT_R32_SFLOAT, AMD_IMG_TYPE_2D, 24, 64, 64});
    picture_fill(rig, &p);
    struct amd_meta *meta = begin_meta(rig, &p, AMD_META_HTILE, &codes);
    picture_bind(rig, &p);
    static const struct {
        uint32_t word;
        double depth;
    } clears[] = {{0x00000000, 0}, {0xfffffff0, 1}, {0xfffc00f0, 1}};
    for (unsigned n = 0; n < 3; n++) {
        uint32_t expanded = 0xfffc000f;
        for (uint64_t at_B = 0; at_B < meta->size_B; at_B += 4)
            memcpy(codes + at_B, &clears[n].word, 4);
        memcpy(codes + amd_meta_offset(meta, 8, 9, 0, 0, 0, NULL), &expanded, 4);
        run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
        for (unsigned i = 0; i < 64; i++)
            expect_result(rig, 10, i, i / 8 == 1 ? picture_get(&p, 0, i, 9, 0, 0) : (const double[4]){clears[n].depth},
                          1, false, "HTILE");
    }
    free(meta);
    picture_end(&p);

    picture_begin(rig, &p, &(struct picture_desc){161, FORMAT_R8_UINT, AMD_IMG_TYPE_2D, 24, 64, 64});
    for (unsigned i = 0; i < 64 * 64; i++)
        picture_set(&p, 0, i % 64, i / 64, 0, 0, (const double[4]){0xe4});
    meta = begin_meta(rig, &p, AMD_META_CMASK, &codes);
    picture_bind(rig, &p);
    memset(codes, 0xcc, meta->size_B);
    unsigned bit;
    uint64_t at_B = amd_meta_offset(meta, 16, 9, 0, 0, 0, &bit);
    codes[at_B] |= (uint8_t)(0xf << bit);
    run_program(rig, "image_load v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(rig_row(rig, 10)[i], i / 8 == 2 ? 0x3210 : 0);
    squares_of_fmask(rig, &p);
    free(meta);
    picture_end(&p);
}

/* tfe: a dword more, which says what was not there. Memory without permission is a fault at its address. */
static void residency_and_faults(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D, 27, 64, 64});
    picture_fill(rig, &p);
    picture_bind(rig, &p);
    rig_lanes(rig, 32, UINT32_MAX);
    for (unsigned i = 0; i < 32; i++)
        rig_row(rig, 0)[i] = rig_row(rig, 1)[i] = i;
    run_program(rig, "image_load v[10:14], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(rig_row(rig, 14)[i], 0);
    uint64_t page_B = gpu_space_granularity_B(), hole = p.va & ~(page_B - 1);
    assert_int_equal(gpu_space_map_resident(&rig->space, hole, page_B), 0);
    run_program(rig, "image_load v[10:14], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe");
    unsigned missing = 0;
    for (unsigned i = 0; i < 32; i++) {
        bool is_hole = (uint64_t)((uint8_t *)picture_at(&p, 0, i, i, 0, 0) - p.bytes) < page_B;
        assert_int_equal(rig_row(rig, 14)[i] != 0, is_hole);
        expect_result(rig, 10, i, is_hole ? (const double[4]){0, 0, 0, 0} : picture_get(&p, 0, i, i, 0, 0), 4, false,
                      "residency");
        missing += is_hole;
    }
    assert_true(missing > 0);
    assert_int_equal(gpu_space_unmap(&rig->space, hole, page_B, false), 0);
    assert_false(rig_run(rig, "image_load v[10:13], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"));
    assert_int_equal(rig->wave->fault.kind, SQ_FAULT_MEMORY);
    assert_true(rig->wave->fault.va >= hole && rig->wave->fault.va < hole + page_B);
    picture_end(&p);
}

/* ---- typed buffers ---- */

static void buffers(void **state)
{
    struct rig *rig = *state;
    uint64_t va;
    uint8_t *bytes = rig_alloc(rig, 4096, 256, &va);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) {
        float color[1][4] = {{(float)(i % 16) / 15, (float)(i % 7) / 6, (float)(i % 3) / 2, (float)(i % 2)}};
        assert_true(format_pack_rgba_float(FORMAT_R8G8B8A8_UNORM, bytes + i * 12 + 4, (const float(*)[4])color, 1));
        rig_row(rig, 0)[i] = i;
    }
    struct amd_desc_BUFFER d = {.BASE_ADDRESS = va,
                                .STRIDE = 12,
                                .NUM_RECORDS = 60,
                                .DST_SEL_X = 6,
                                .DST_SEL_Y = 5,
                                .DST_SEL_Z = 4,
                                .DST_SEL_W = 7,
                                .FORMAT = 56,
                                .RESOURCE_LEVEL = true};
    amd_pack_desc_BUFFER(AMD_GFX10_3, rig->wave->sgpr, &d);
    static const char *texts[] = {
        "buffer_load_format_xyzw v[10:13], v0, s[0:3], 0 idxen offset:4",
        "tbuffer_load_format_xyzw v[10:13], v0, s[0:3], 0 format:[BUF_FMT_8_8_8_8_UNORM] idxen offset:4",
        "buffer_load_format_d16_xyzw v[10:11], v0, s[0:3], 0 idxen offset:4",
    };
    for (unsigned form = 0; form < 3; form++) {
        run_program(rig, texts[form]);
        for (unsigned i = 0; i < 64; i++) {
            float rgba[1][4];
            assert_true(format_unpack_rgba_float(FORMAT_R8G8B8A8_UNORM, rgba, bytes + i * 12 + 4, 1));
            double want[4] = {rgba[0][2], rgba[0][1], rgba[0][0], rgba[0][3]};
            if (i >= 60)
                memset(want, 0, sizeof(want));
            if (form < 2)
                expect_result(rig, 10, i, want, 4, false, texts[form]);
            else
                assert_int_equal(rig_row(rig, 11)[i], float_to_half_rtne((float)want[2]) |
                                                          (uint32_t)float_to_half_rtne((float)want[3]) << 16);
        }
    }
    /* A store with the instruction's format, in range only. */
    memset(bytes, 0xee, 4096);
    for (unsigned i = 0; i < 64; i++) {
        rig_put(rig, 20, i, (float)i + 0.25f);
        rig_put(rig, 21, i, -(float)i);
    }
    d.DST_SEL_X = 4;
    d.DST_SEL_Z = 6;
    amd_pack_desc_BUFFER(AMD_GFX10_3, rig->wave->sgpr, &d);
    run_program(rig, "tbuffer_store_format_xy v[20:21], v0, s[0:3], 0 format:[BUF_FMT_16_16_FLOAT] idxen offset:8");
    for (unsigned i = 0; i < 64; i++) {
        uint16_t halves[2];
        memcpy(halves, bytes + i * 12 + 8, 4);
        assert_int_equal(halves[0], i < 60 ? float_to_half_rtne((float)i + 0.25f) : 0xeeee);
        assert_int_equal(halves[1], i < 60 ? float_to_half_rtne(-(float)i) : 0xeeee);
        assert_int_equal(bytes[i * 12 + 7], 0xee);
    }
    /* Integers stay integers, and one is 1. */
    d.FORMAT = 5;
    d.DST_SEL_W = AMD_DST_SEL_1;
    amd_pack_desc_BUFFER(AMD_GFX10_3, rig->wave->sgpr, &d);
    for (unsigned i = 0; i < 60; i++)
        bytes[i * 12] = (uint8_t)(200 + i);
    run_program(rig, "buffer_load_format_xyzw v[10:13], v0, s[0:3], 0 idxen");
    for (unsigned i = 0; i < 60; i++) {
        assert_int_equal(rig_row(rig, 10)[i], (uint8_t)(200 + i));
        assert_int_equal(rig_row(rig, 13)[i], 1);
    }
}

/* ---- hostile programs ---- */

/* Descriptors, samplers and coordinates of any value: the wave may stop or fault, the process lives. Real ones, with a
 * few bits turned over, get further than random words do. */
static void any_descriptor(void **state)
{
    struct rig *rig = *state;
    static const char *texts[] = {
        "image_sample v[10:13], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D",
        "image_sample_d v[20:23], v[0:15], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_3D",
        "image_sample_c_b_cl_o v[10:11], v[0:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_CUBE d16",
        "image_sample_l v[10:14], v[0:3], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY tfe",
        "image_gather4_lz v[10:13], v[0:2], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_CUBE",
        "image_get_lod v[10:11], v[0:1], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D",
        "image_load_mip v[10:13], v[0:3], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_3D unorm",
        "image_load v[10:13], v[0:3], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA_ARRAY unorm",
        "image_store v[10:13], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm",
        "image_atomic_add v10, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc",
        "image_get_resinfo v[10:13], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_3D unorm",
        "tbuffer_load_format_xyzw v[10:13], v[0:1], s[0:3], s4 format:[BUF_FMT_8_8_8_8_UNORM] idxen offen",
        "buffer_store_format_xyzw v[10:13], v0, s[0:3], 0 idxen",
    };
    struct picture p;
    picture_begin(rig, &p, &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_ARRAY, 27, 60, 50, 12, 5});
    picture_fill(rig, &p);
    unsigned ran = 0;
    for (unsigned round = 0; round < 6000; round++) {
        struct amd_desc_SAMPLER s = sampler_linear();
        picture_bind(rig, &p);
        sampler_bind(rig, &s);
        unsigned flips = rig_random(rig) % 12;
        for (unsigned n = 0; n < flips; n++)
            rig->wave->sgpr[rig_random(rig) % 12] ^= 1u << (rig_random(rig) % 32);
        if (round % 16 == 0) {
            for (unsigned n = 0; n < 12; n++)
                rig->wave->sgpr[n] = rig_random(rig);
        }
        if (round % 3) /* where there is memory */
            rig->wave->sgpr[0] = (uint32_t)(p.va >> 8), rig->wave->sgpr[1] &= ~0xffu;
        rig_lanes(rig, round % 2 ? 32 : 64, (uint64_t)rig_random(rig) << 32 | rig_random(rig));
        for (unsigned row = 0; row < 16; row++) {
            for (unsigned i = 0; i < rig->wave->lanes; i++) {
                if (rig_random(rig) % 4)
                    rig_put(rig, row, i, (float)rig_uniform(rig, -2, 3));
                else
                    rig_row(rig, row)[i] = rig_random(rig) >> (rig_random(rig) % 32);
            }
        }
        ran += rig_run(rig, texts[round % ARRAY_SIZE(texts)]);
    }
    assert_true(ran > 1000); /* not all of them were refused at once */
    picture_end(&p);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(load_and_store, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(rows_of_neighbours, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(levels_layers_and_slices, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(samples_and_fmask, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(atomics, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(sizes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(compressed, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(dcc, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(htile_and_cmask, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(residency_and_faults, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(buffers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(any_descriptor, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("ta: images and typed buffers", tests, NULL, NULL);
}
