/* The render backends' fast paths against their slow ones: blocks of a surface against its equation, rows of colours
 * against one colour at a time, quads of depth against one sample at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/enums.h"
#include "amd/model/cb/cb.h"
#include "amd/model/db/db.h"
#include "amd/model/spi/spi_ps.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (16u << 20)
#define NAVI21_ADDR_CONFIG 0x444

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

/* ---- blocks ---- */

/* One surface: every sample of some pixels. Returns whether it has blocks. */
static bool check_surface(struct cb_surface *surface, struct amd_surface_desc desc, unsigned level, uint64_t *random)
{
    if (amd_cb_surface_set(surface, NAVI21_ADDR_CONFIG, desc, 0x800000000ull, level) || !surface->has_blocks)
        return false;
    for (unsigned i = 0; i < 200; i++) {
        uint32_t x = next_random(random) % surface->width, y = next_random(random) % surface->height,
                 slice = next_random(random) % desc.slices, first_x = cb_block_first(surface, x),
                 first_y = cb_block_first(surface, y);
        for (unsigned s = 0; s < desc.samples; s++) {
            uint64_t first_va = cb_surface_at(surface, first_x, first_y, slice, s);
            uint64_t low = first_va & (surface->block_B - 1u);
            uint64_t va = first_va - low + (low ^ cb_block_bits(surface, x, y));
            assert_int_equal(va, cb_surface_at(surface, x, y, slice, s));
            assert_int_equal(first_va >> GPU_PAGE_SHIFT, va >> GPU_PAGE_SHIFT);
            if (surface->has_tiles)
                assert_int_equal(first_va, cb_surface_at(surface, x & ~63u, y & ~63u, slice, s) ^
                                               surface->quad_x[first_x >> 1 & 31] ^ surface->quad_y[first_y >> 1 & 31]);
        }
    }
    return true;
}

static void test_blocks(void **state)
{
    static struct cb_surface surface; /* its tables are large */
    uint64_t random = 1;
    unsigned with = 0, tiles = 0, quads = 0;
    for (unsigned swizzle = 0; swizzle < 32; swizzle++) {
        for (unsigned element_B = 1; element_B <= 16; element_B *= 2) {
            for (unsigned samples = 1; samples <= 8; samples *= 2) {
                for (unsigned levels = 1; levels <= (samples == 1 ? 7u : 1u); levels += 3) {
                    for (unsigned level = 0; level < levels; level++) {
                        struct amd_surface_desc desc = {.swizzle = (enum amd_swizzle)swizzle,
                                                        .dim = AMD_DIM_2D,
                                                        .width = 300,
                                                        .height = 200,
                                                        .slices = 3,
                                                        .element_B = (uint8_t)element_B,
                                                        .samples = (uint8_t)samples,
                                                        .levels = (uint8_t)levels};
                        const bool has = check_surface(&surface, desc, level, &random);
                        with += has;
                        tiles += has && surface.has_tiles;
                        quads += has && surface.block_log2 == 1;
                    }
                }
            }
        }
    }
    assert_true(with > 100 && tiles > 50 && quads > 0); /* the fast paths are really taken */
}

/* ---- colours ---- */

/* Every half as a colour, in a format's bytes. */
static void check_halves(enum format format, const uint8_t from[4])
{
    const struct format_codec *codec = format_codec(format);
    struct cb_target target = {.export_format = AMD_EXPORT_FORMAT_FP16_ABGR,
                               .numeric = CB_FLOAT,
                               .codec = codec,
                               .srgb = format == FORMAT_R8G8B8A8_SRGB};
    memcpy(target.from, from, 4);
    for (uint32_t first = 0; first < 0x10000; first += CB_MAX_LANES) {
        uint32_t rows[4][CB_MAX_LANES] = {{0}}, codes[CB_MAX_LANES], packed[CB_MAX_LANES];
        union pixel_colors colors, unit;
        for (uint32_t i = 0; i < CB_MAX_LANES; i++) {
            rows[0][i] = first + i;
            rows[1][i] = (0xffff - first - i) << 16 | ((first + i) ^ 0x2a5);
        }
        amd_cb_convert_bytes4(&target, (const uint32_t(*)[CB_MAX_LANES])rows, codes);
        amd_cb_convert(&target, (const uint32_t(*)[CB_MAX_LANES])rows, &colors);
        amd_cb_pack_bytes4(&target, &colors, packed);
        amd_cb_convert_unit(&target, (const uint32_t(*)[CB_MAX_LANES])rows, &unit);
        for (uint32_t i = 0; i < CB_MAX_LANES; i++) {
            const uint16_t halves[4] = {(uint16_t)rows[0][i], 0, (uint16_t)rows[1][i], (uint16_t)(rows[1][i] >> 16)};
            float color[1][4];
            uint32_t expected;
            for (unsigned k = 0; k < 4; k++)
                color[0][k] = half_to_float(halves[from[k]]);
            codec->store_float((void *const[]){&expected}, (const float(*)[4])color, 1);
            assert_int_equal(codes[i], expected);
            assert_int_equal(packed[i], expected);
            for (unsigned c = 0; c < 4; c++) { /* bit by bit: no zero is negative */
                float value = half_to_float(halves[c]);
                assert_int_equal(unit.u[c][i], float_bits(value > 0 ? value < 1 ? value : 1 : 0));
            }
        }
    }
}

static const uint8_t orders[2][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}};

static void test_halves_to_bytes(void **state)
{
    for (unsigned order = 0; order < 2; order++) {
        check_halves(FORMAT_R8G8B8A8_UNORM, orders[order]);
        check_halves(FORMAT_R8G8B8A8_SRGB, orders[order]);
    }
}

static void check_bytes(enum format format, const uint8_t from[4])
{
    const struct format_codec *codec = format_codec(format);
    struct cb_target target = {.srgb = format == FORMAT_R8G8B8A8_SRGB};
    memcpy(target.from, from, 4);
    for (uint32_t first = 0; first < 256; first += CB_MAX_LANES) {
        uint32_t codes[CB_MAX_LANES];
        union pixel_colors colors;
        for (uint32_t i = 0; i < CB_MAX_LANES; i++)
            codes[i] = (first + i) * 0x01010101u ^ 0x00ff8040u;
        amd_cb_unpack_bytes4(&target, codes, &colors);
        for (uint32_t i = 0; i < CB_MAX_LANES; i++) {
            float expected[1][4];
            codec->fetch_float(expected, (const void *const[]){&codes[i]}, 1);
            for (unsigned k = 0; k < 4; k++)
                assert_true(colors.f[from[k]][i] == expected[0][k]);
        }
    }
}

static void test_bytes_to_colors(void **state)
{
    for (unsigned order = 0; order < 2; order++) {
        check_bytes(FORMAT_R8G8B8A8_UNORM, orders[order]);
        check_bytes(FORMAT_R8G8B8A8_SRGB, orders[order]);
    }
}

/* Vulkan's table of factors. */
static float factor_of(unsigned code, const float s[4], const float s1[4], const float d[4], const float k[4],
                       unsigned c)
{
    const float values[] = {
        [PIXEL_FACTOR_ZERO] = 0,
        [PIXEL_FACTOR_ONE] = 1,
        [PIXEL_FACTOR_SOURCE] = s[c],
        [PIXEL_FACTOR_ONE_MINUS_SOURCE] = 1 - s[c],
        [PIXEL_FACTOR_SOURCE_ALPHA] = s[3],
        [PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA] = 1 - s[3],
        [PIXEL_FACTOR_DESTINATION_ALPHA] = d[3],
        [PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA] = 1 - d[3],
        [PIXEL_FACTOR_DESTINATION] = d[c],
        [PIXEL_FACTOR_ONE_MINUS_DESTINATION] = 1 - d[c],
        [PIXEL_FACTOR_SOURCE_ALPHA_SATURATE] = c == 3            ? 1
                                               : s[3] < 1 - d[3] ? s[3]
                                                                 : 1 - d[3],
        [PIXEL_FACTOR_CONSTANT] = k[c],
        [PIXEL_FACTOR_ONE_MINUS_CONSTANT] = 1 - k[c],
        [PIXEL_FACTOR_SOURCE1] = s1[c],
        [PIXEL_FACTOR_ONE_MINUS_SOURCE1] = 1 - s1[c],
        [PIXEL_FACTOR_SOURCE1_ALPHA] = s1[3],
        [PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA] = 1 - s1[3],
        [PIXEL_FACTOR_CONSTANT_ALPHA] = k[3],
        [PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = 1 - k[3],
    };
    return values[code];
}

#define FACTORS (PIXEL_FACTOR_SOURCE_ALPHA_SATURATE + 1)

static float combined(unsigned function, float s, float sf, float d, float df)
{
    switch (function) {
    case PIXEL_ADD:
        return s * sf + d * df;
    case PIXEL_SUBTRACT:
        return s * sf - d * df;
    case PIXEL_REVERSE_SUBTRACT:
        return d * df - s * sf;
    case PIXEL_MIN:
        return s < d ? s : d;
    default:
        return s > d ? s : d;
    }
}

static void fill_colors(union pixel_colors *colors, uint64_t *random)
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            colors->f[c][i] = (float)(next_random(random) >> 8) * 0x1p-24f;
    }
}

static struct pixel_equation random_equation(uint64_t *random)
{
    struct pixel_equation equation;
    equation.source = next_random(random) % FACTORS;
    equation.destination = next_random(random) % FACTORS;
    equation.function = next_random(random) % PIXEL_SOURCE;
    return equation;
}

static void test_blend(void **state)
{
    uint64_t random = 2;
    for (unsigned n = 0; n < 4000; n++) {
        struct pixel_blend blend = {
            .is_dual = true, .clamp_max = n & 1 ? 1 : 0, .constant = {0.25f, 0.5f, 0.75f, 0.125f}};
        blend.color = random_equation(&random);
        blend.alpha = n >> 1 & 1 ? random_equation(&random) : blend.color;
        union pixel_colors source, source1, destination, out;
        fill_colors(&source, &random);
        fill_colors(&source1, &random);
        fill_colors(&destination, &random);
        out = source;
        pixel_blend(&blend, &out, &source1, &destination);
        for (unsigned i = 0; i < PIXEL_LANES; i++) {
            float s[4], s1[4], d[4];
            for (unsigned c = 0; c < 4; c++) {
                s[c] = source.f[c][i];
                s1[c] = source1.f[c][i];
                d[c] = destination.f[c][i];
            }
            for (unsigned c = 0; c < 4; c++) {
                const struct pixel_equation e = c == 3 ? blend.alpha : blend.color;
                float expected = combined(e.function, s[c], factor_of(e.source, s, s1, d, blend.constant, c), d[c],
                                          factor_of(e.destination, s, s1, d, blend.constant, c));
                assert_true(out.f[c][i] == expected);
            }
        }
    }
}

/* Codes to codes against the path over rows of colours, for all factors of a sum. */
static void test_blend_bytes(void **state)
{
    static const uint8_t reversed[4] = {2, 1, 0, 3};
    uint64_t random = 7;
    unsigned sums = 0, by_alpha = 0;
    for (unsigned n = 0; n < 20000; n++) {
        struct cb_target target = {
            .numeric = CB_FLOAT, .export_format = AMD_EXPORT_FORMAT_32_ABGR, .bytes4 = true, .from = {0, 1, 2, 3}};
        if (n & 1)
            memcpy(target.from, reversed, sizeof(reversed));
        struct pixel_blend *blend = &target.blending;
        blend->clamp_max = 1;
        blend->is_bytes4 = true;
        memcpy(blend->from, target.from, sizeof(blend->from));
        blend->color = random_equation(&random);
        blend->color.function = next_random(&random) % 8 ? PIXEL_ADD : PIXEL_MIN;
        blend->alpha = random_equation(&random);
        blend->alpha.function = PIXEL_ADD;
        if (next_random(&random) & 1) { /* the fast path within the fast path */
            blend->color.source %= PIXEL_FACTOR_DESTINATION;
            blend->color.destination = PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA;
            blend->alpha = blend->color;
        }
        blend->is_alpha_one = next_random(&random) % 4 == 0;
        blend->is_dual = true;
        union pixel_colors source, second, unit, second_unit, stored;
        uint32_t codes[PIXEL_LANES], expected[PIXEL_LANES];
        for (unsigned c = 0; c < 4; c++) {
            blend->constant[c] = (float)(next_random(&random) % 300) / 200 - 0.25f;
            for (unsigned i = 0; i < PIXEL_LANES; i++) {
                source.f[c][i] = i == 17 ? NAN : (float)(next_random(&random) % 1500) / 1000 - 0.25f;
                second.f[c][i] = i == 18 ? INFINITY : (float)(next_random(&random) % 1500) / 1000 - 0.25f;
            }
        }
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            codes[i] = expected[i] = next_random(&random);
        pixel_blend_prepare(blend);
        if (!blend->sums)
            continue;
        sums++;
        by_alpha += blend->sums_by_alpha;
        amd_cb_convert_unit(&target, (const uint32_t(*)[PIXEL_LANES])source.u, &unit);
        amd_cb_convert_unit(&target, (const uint32_t(*)[PIXEL_LANES])second.u, &second_unit);
        pixel_blend_bytes4(blend, &unit, &second_unit, codes);
        amd_cb_unpack_bytes4(&target, expected, &stored);
        pixel_blend(blend, &source, &second, &stored);
        amd_cb_pack_bytes4(&target, &source, expected);
        assert_memory_equal(codes, expected, sizeof(codes));
    }
    assert_true(sums > 10000 && by_alpha > 1000);
}

/* A factor of zero removes what it multiplies, even infinity. */
static void test_blend_zero(void **state)
{
    const struct pixel_equation keep = {PIXEL_FACTOR_ZERO, PIXEL_FACTOR_ONE, PIXEL_ADD};
    const struct pixel_blend blend = {.color = keep, .alpha = keep};
    union pixel_colors source, destination;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i++) {
            source.f[c][i] = i & 1 ? INFINITY : NAN;
            destination.f[c][i] = 0.5f;
        }
    }
    pixel_blend(&blend, &source, NULL, &destination);
    for (unsigned i = 0; i < PIXEL_LANES; i++)
        assert_true(source.f[i % 4][i] == 0.5f);
}

/* ---- depth ---- */

struct depth_rig {
    struct gpu_space space;
    int fd;
    struct raster_coverage sc;
    struct db_state state;
    struct cb_surface surface;
};

static void open_depth(struct depth_rig *rig, enum amd_Z_FORMAT format, unsigned samples_log2)
{
    static const uint8_t places[8] = {144, 96, 208, 80, 48, 16, 176, 240};
    rig->fd = memfd_create("depth", MFD_CLOEXEC);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    rig->sc.samples_log2 = samples_log2;
    rig->sc.samples = 1u << samples_log2;
    for (unsigned p = 0; p < 4; p++) {
        for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
            rig->sc.x[p][s] = samples_log2 ? places[s] : 128;
            rig->sc.y[p][s] = samples_log2 ? places[(s + 3) % 8] : 128;
        }
    }
    struct amd_surface_desc desc = {.swizzle = AMD_SW_64KB_Z_X,
                                    .dim = AMD_DIM_2D,
                                    .width = 128,
                                    .height = 128,
                                    .slices = 1,
                                    .element_B = format == AMD_Z_FORMAT_16 ? 2 : 4,
                                    .samples = (uint8_t)rig->sc.samples,
                                    .levels = 1};
    assert_null(amd_cb_surface_set(&rig->surface, NAVI21_ADDR_CONFIG, desc, BASE_VA, 0));
    rig->state = (struct db_state){.z_test = true,
                                   .z_write = true,
                                   .clamp = true,
                                   .count = true,
                                   .z_format = format,
                                   .z = &rig->surface,
                                   .samples_log2 = samples_log2};
}

static void close_depth(struct depth_rig *rig)
{
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

/* Quads of random planes over random depths, NaN among the floats: what passes and what is stored. */
static void check_depth(struct depth_rig *rig, unsigned function, uint64_t *random)
{
    uint8_t *memory = gpu_space_pointer(&rig->space, BASE_VA, 1, GPU_PERM_READ);
    size_t size_B = 128 * 128 * 4 * rig->sc.samples;
    float *before = malloc(size_B), *slow = malloc(size_B);
    static struct cb_blocks blocks;
    static uint64_t draw;
    struct db fast_db = {.state = &rig->state,
                         .sc = &rig->sc,
                         .memory = &rig->space,
                         .draw = ++draw,
                         .blocks = &blocks},
              slow_db = fast_db;
    assert_true(before && slow);
    rig->state.z_func = (uint8_t)function;
    for (size_t i = 0; i < size_B / 4; i++) {
        uint32_t low = next_random(random) % 64, high = next_random(random) % 64;
        uint32_t codes = (low * 131070 + 64) / 128 | (high * 131070 + 64) / 128 << 16; /* that the planes meet, too */
        if (rig->state.z_format == AMD_Z_FORMAT_16)
            before[i] = bits_float(codes);
        else if (rig->state.z_format == AMD_Z_FORMAT_24)
            before[i] = bits_float(db_unorm24((float)low / 64) | high << 24); /* above depth stands anything */
        else
            before[i] = i % 97 == 0 ? NAN : (float)(next_random(random) % 64) / 64;
    }
    struct raster_quad quads[200];
    static struct raster_prim prims[200];
    for (unsigned i = 0; i < 200; i++) {
        prims[i] = (struct raster_prim){.z = {.at = (float)(next_random(random) % 64) / 64,
                                              .dx = (float)(next_random(random) % 3) / 64 - 1 / 64.0f,
                                              .dy = (float)(next_random(random) % 3) / 64},
                                        .origin_x = (float)(next_random(random) % 1024) / 8,
                                        .origin_y = (float)(next_random(random) % 1024) / 8,
                                        .x1 = 128,
                                        .y1 = 128,
                                        .z_min = 0.125f,
                                        .z_max = 0.875f};
        /* Fives of quads are of one primitive: some all over the place, some in a corner where depth may need no
         * bounds. */
        struct raster_prim *prim = &prims[i / 5 * 5];
        int32_t x = (int32_t)(next_random(random) % 64) * 2, y = (int32_t)(next_random(random) % 64) * 2;
        if (i / 5 % 2) {
            prim->x1 = prim->y1 = 12;
            x %= 12;
            y %= 12;
        }
        quads[i] =
            (struct raster_quad){.prim = prim,
                                 .x = (uint16_t)x,
                                 .y = (uint16_t)y,
                                 .mask = next_random(random) & (uint32_t)bits_mask(rig->sc.samples) * 0x01010101u};
    }
    uint32_t passed[200];
    float z[200][4]; /* what a shader exported, in every second round */
    for (unsigned i = 0; i < 800; i++)
        z[i / 4][i % 4] = next_random(random) % 64 ? (float)(next_random(random) % 80) / 64 - 0.125f : NAN;
    const bool is_exported = next_random(random) % 2;
    memcpy(memory, before, size_B);
    for (unsigned i = 0; i < 200; i++) {
        struct raster_quad quad = quads[i];
        if (quad.mask)
            amd_db_test_quad(&slow_db, &quad, is_exported ? &(struct db_export){.z = z[i]} : NULL);
        passed[i] = quad.mask;
    }
    memcpy(slow, memory, size_B);
    memcpy(memory, before, size_B);
    assert_true(db_has_fast_quads(&fast_db));
    if (is_exported)
        amd_db_test_quads_exported(&fast_db, quads, 200, (const float(*)[4])z);
    else
        amd_db_test_quads(&fast_db, quads, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(quads[i].mask, passed[i]);
    assert_memory_equal(memory, slow, size_B);
    assert_int_equal(fast_db.zpass, slow_db.zpass);
    free(before);
    free(slow);
}

/* A quad of a block of 8 by 8 pixels, with those of a mask, a bit each, row by row. */
static struct raster_quad quad_of_block(const struct raster_prim *prim, const struct raster_tile *tile, int b,
                                        unsigned q, uint64_t mask)
{
    struct raster_quad quad = {.prim = prim,
                               .x = (uint16_t)(tile->x + b % 8 * 8 + (int)(q % 4 * 2)),
                               .y = (uint16_t)(tile->y + b / 8 * 8 + (int)(q / 4 * 2))};
    for (unsigned p = 0; p < 4; p++)
        quad.mask |= (uint32_t)(mask >> (q / 4 * 16 + q % 4 * 2 + p / 2 * 8 + p % 2) & 1) << p * 8;
    return quad;
}

/* The pixels of a block that are left, sample by sample. */
static uint64_t test_slowly(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile, int b,
                            uint64_t mask)
{
    uint64_t left = 0;
    for (unsigned q = 0; q < 16; q++) {
        struct raster_quad quad = quad_of_block(prim, tile, b, q, mask);
        if (quad.mask)
            amd_db_test_quad(db, &quad, NULL);
        for (unsigned p = 0; p < 4; p++)
            left |= (uint64_t)(quad.mask >> p * 8 & 1) << (q / 4 * 16 + q % 4 * 2 + p / 2 * 8 + p % 2);
    }
    return left;
}

/* Parts of blocks, some of them whole, some of them with few pixels. */
static uint64_t random_pixels(uint64_t *random)
{
    const uint64_t mask = next_random(random) | (uint64_t)next_random(random) << 32;
    switch (next_random(random) % 4) {
    case 0:
        return UINT64_MAX;
    case 1:
        return 1ull << next_random(random) % 64;
    case 2:
        return mask & 0xf0f0f0f0ull;
    default:
        return mask;
    }
}

/* With memory as it is: `size_B` of it are compared. */
static void check_parts(struct db *fast, struct db *slow, const struct raster_prim *prim,
                        const struct raster_tile *tile, uint8_t *memory, size_t size_B, uint64_t *random)
{
    uint64_t masks[64] = {0}, expected[64], passed[64];
    const uint64_t parts = next_random(random) | (uint64_t)next_random(random) << 32;
    uint8_t *before = malloc(size_B), *after = malloc(size_B);
    memcpy(before, memory, size_B);
    bits_foreach (parts, b) {
        masks[b] = random_pixels(random);
        expected[b] = test_slowly(slow, prim, tile, b, masks[b]);
    }
    memcpy(after, memory, size_B);
    memcpy(memory, before, size_B);
    amd_db_test_parts(fast, prim, tile, parts, masks, passed);
    bits_foreach (parts, b)
        assert_true(passed[b] == expected[b]);
    assert_memory_equal(memory, after, size_B);
    assert_int_equal(fast->zpass, slow->zpass);
    free(before);
    free(after);
}

/* Blocks that are covered as a whole, of tiles of random planes: as their quads one after the other. False: samples are
 * too far from each other for blocks. */
static bool check_depth_blocks(struct depth_rig *rig, unsigned function, uint64_t *random)
{
    uint8_t *memory = gpu_space_pointer(&rig->space, BASE_VA, 1, GPU_PERM_READ);
    enum {
        MOST_B = 128 * 128 * 4 * 4
    };
    static struct cb_blocks blocks;
    static uint8_t before[MOST_B], slow[MOST_B];
    const size_t size_B = 128u * 128 * 4 * rig->sc.samples;
    static uint64_t draw;
    struct db db = {.state = &rig->state, .sc = &rig->sc, .memory = &rig->space, .draw = --draw, .blocks = &blocks},
              slow_db = db;
    rig->state.z_func = (uint8_t)function;
    if (!db_takes_blocks(&db))
        return false;
    for (unsigned round = 0; round < 20; round++) {
        struct raster_prim prim = {.z = {.at = (float)(next_random(random) % 64) / 64,
                                         .dx = (float)(next_random(random) % 3) / 64 - 1 / 64.0f,
                                         .dy = (float)(next_random(random) % 3) / 256},
                                   .origin_x = (float)(next_random(random) % 1024) / 8,
                                   .origin_y = (float)(next_random(random) % 1024) / 8,
                                   .x1 = 128,
                                   .y1 = 128,
                                   .z_min = 0.125f,
                                   .z_max = 0.875f};
        const struct raster_tile tile = sc_tile(round & 1, round >> 1 & 1);
        if (db_takes_parts(&db))
            check_parts(&db, &slow_db, &prim, &tile, memory, size_B, random);
        const uint64_t covered = next_random(random) | (uint64_t)next_random(random) << 32;
        uint32_t masks[64][16], expected[64][16];
        uint64_t whole = 0;
        memcpy(before, memory, size_B);
        bits_foreach (covered, b) {
            const uint32_t all = (uint32_t)bits_mask(rig->sc.samples) * 0x01010101u;
            bool passes = true;
            for (unsigned q = 0; q < 16; q++) {
                struct raster_quad quad = {.prim = &prim,
                                           .x = (uint16_t)(tile.x + b % 8 * 8 + (int)(q % 4 * 2)),
                                           .y = (uint16_t)(tile.y + b / 8 * 8 + (int)(q / 4 * 2)),
                                           .mask = all};
                amd_db_test_quad(&slow_db, &quad, NULL);
                expected[b][q] = quad.mask;
                passes &= quad.mask == all;
            }
            whole |= (uint64_t)passes << b;
        }
        memcpy(slow, memory, size_B);
        memcpy(memory, before, size_B);
        assert_int_equal(amd_db_test_blocks(&db, &prim, &tile, covered, masks), whole);
        bits_foreach (covered, b)
            assert_memory_equal(masks[b], expected[b], sizeof(masks[b]));
        assert_memory_equal(memory, slow, size_B);
        assert_int_equal(db.zpass, slow_db.zpass);
    }
    return true;
}

static void test_depth_blocks(void **state)
{
    static const enum amd_Z_FORMAT formats[3] = {AMD_Z_FORMAT_16, AMD_Z_FORMAT_24, AMD_Z_FORMAT_32_FLOAT};
    uint64_t random = 5;
    unsigned checked = 0;
    for (unsigned n = 0; n < 9; n++) {
        static struct depth_rig rig;
        memset(&rig, 0, sizeof(rig));
        open_depth(&rig, formats[n % 3], n / 3);
        for (unsigned function = 0; function < 8; function++)
            checked += check_depth_blocks(&rig, function, &random);
        close_depth(&rig);
    }
    assert_true(checked >= 4 * 8); /* all with one sample, and some with more */
}

static void test_depth_quads(void **state)
{
    static const enum amd_Z_FORMAT formats[3] = {AMD_Z_FORMAT_16, AMD_Z_FORMAT_24, AMD_Z_FORMAT_32_FLOAT};
    uint64_t random = 3;
    for (unsigned n = 0; n < 9; n++) {
        static struct depth_rig rig;
        memset(&rig, 0, sizeof(rig));
        open_depth(&rig, formats[n % 3], n / 3);
        for (unsigned function = 0; function < 8; function++)
            check_depth(&rig, function, &random);
        close_depth(&rig);
    }
}

/* Cleared blocks of 8 by 8 pixels are brought to memory, and nothing beside them. */
static void check_cleared(struct depth_rig *rig)
{
    static const struct {
        uint32_t x, y;
    } blocks[] = {{0, 0}, {24, 8}, {64, 72}, {120, 120}};
    const uint32_t samples = rig->sc.samples, element_B = rig->surface.desc.element_B;
    uint8_t *memory = gpu_space_pointer(&rig->space, BASE_VA, 1, GPU_PERM_READ);
    const size_t size_B = 128ul * 128 * element_B * samples;
    static struct amd_meta htile;
    assert_true(amd_meta_init(&htile, AMD_META_HTILE, &rig->surface.layout, true) && htile.size_B < SIZE_B / 2);
    rig->state.htile = &htile;
    rig->state.htile_va = BASE_VA + SIZE_B / 2;
    rig->state.clear_z = 0.375f;
    struct db db = {.state = &rig->state, .sc = &rig->sc, .memory = &rig->space, .draw = 1};
    uint8_t *expected = malloc(size_B);
    assert_non_null(expected);
    memset(memory, 0xa5, size_B);
    memset(expected, 0xa5, size_B);
    const uint32_t float_code = float_bits(rig->state.clear_z);
    const uint32_t code = rig->state.z_format == AMD_Z_FORMAT_16   ? db_unorm16(rig->state.clear_z)
                          : rig->state.z_format == AMD_Z_FORMAT_24 ? db_unorm24(rig->state.clear_z)
                                                                   : float_code;
    for (unsigned b = 0; b < ARRAY_SIZE(blocks); b++) {
        assert_true(amd_db_htile_prepare(&db, blocks[b].x + 3, blocks[b].y + 5, 0));
        for (unsigned i = 0; i < 64 * samples; i++) {
            uint32_t x = blocks[b].x + i % 8, y = blocks[b].y + i / 8 % 8;
            memcpy(expected + (cb_surface_at(&rig->surface, x, y, 0, i / 64) - BASE_VA), &code, element_B);
        }
    }
    assert_memory_equal(memory, expected, size_B);
    free(expected);
}

static void test_cleared_depth(void **state)
{
    static const enum amd_Z_FORMAT formats[3] = {AMD_Z_FORMAT_16, AMD_Z_FORMAT_24, AMD_Z_FORMAT_32_FLOAT};
    for (unsigned n = 0; n < 9; n++) {
        static struct depth_rig rig;
        memset(&rig, 0, sizeof(rig));
        open_depth(&rig, formats[n % 3], n / 3);
        check_cleared(&rig);
        close_depth(&rig);
    }
}

/* ---- stencil ---- */

static void random_face(struct db_stencil_face *face, uint64_t *random)
{
    *face = (struct db_stencil_face){.function = next_random(random) % 8,
                                     .fail = next_random(random) % 16,
                                     .pass = next_random(random) % 16,
                                     .depth_fail = next_random(random) % 16,
                                     .reference = (uint8_t)(next_random(random) % 4),
                                     .mask = next_random(random) % 2 ? 0xff : 0x03,
                                     .write_mask = next_random(random) % 2 ? 0xff : (uint8_t)next_random(random),
                                     .op_value = next_random(random) % 2 ? 1 : (uint8_t)next_random(random)};
    if (next_random(random) % 4 == 0)
        face->fail = face->depth_fail = face->pass;
}

#define STENCIL_AT_B (512u << 10)
#define BOTH_B (1u << 20)

struct stencil_rig {
    struct depth_rig depth;
    struct cb_surface surface;
    struct cb_blocks blocks, stencil_blocks;
    struct db fast, slow;
    uint8_t before[BOTH_B], after[BOTH_B];
};

static void open_stencil(struct stencil_rig *rig, enum amd_Z_FORMAT format, unsigned samples_log2, uint64_t *random)
{
    struct db_state *state = &rig->depth.state;
    open_depth(&rig->depth, format, samples_log2);
    struct amd_surface_desc desc = rig->depth.surface.desc;
    desc.element_B = 1;
    desc.pipe_bank_xor = 0;
    assert_null(amd_cb_surface_set(&rig->surface, NAVI21_ADDR_CONFIG, desc, BASE_VA + STENCIL_AT_B, 0));
    state->s = &rig->surface;
    state->stencil_test = true;
    state->z_test = next_random(random) % 4;
    state->z_write = state->z_test && next_random(random) % 2;
    state->z_func = next_random(random) % 8;
    for (unsigned i = 0; i < 2; i++)
        random_face(&state->faces[i], random);
    rig->fast = rig->slow = (struct db){.state = state,
                                        .sc = &rig->depth.sc,
                                        .memory = &rig->depth.space,
                                        .draw = 1,
                                        .blocks = &rig->blocks,
                                        .stencil_blocks = &rig->stencil_blocks};
    for (unsigned i = 0; i < BOTH_B; i++)
        rig->before[i] = (uint8_t)(i < STENCIL_AT_B ? next_random(random) : next_random(random) % 4);
}

static struct raster_prim random_prim(uint64_t *random)
{
    return (struct raster_prim){.z = {.at = (float)(next_random(random) % 64) / 64,
                                      .dx = (float)(next_random(random) % 3) / 64 - 1 / 64.0f,
                                      .dy = (float)(next_random(random) % 3) / 64},
                                .is_back = next_random(random) % 2,
                                .x1 = 128,
                                .y1 = 128,
                                .z_min = 0.125f,
                                .z_max = 0.875f};
}

/* Quads, and blocks that are covered as a whole, beside the samples one by one. */
static void check_stencil(struct stencil_rig *rig, uint64_t *random)
{
    uint8_t *memory = gpu_space_pointer(&rig->depth.space, BASE_VA, 1, GPU_PERM_READ);
    const uint32_t all = (uint32_t)bits_mask(rig->depth.sc.samples) * 0x01010101u;
    const struct raster_tile tile = sc_tile(1, 0);
    struct raster_prim prims[8];
    struct raster_quad quads[64], expected[64];
    uint32_t masks[64][16], block[16];
    for (unsigned i = 0; i < 64; i++) {
        prims[i / 8] = i % 8 ? prims[i / 8] : random_prim(random);
        quads[i] = (struct raster_quad){.prim = &prims[i / 8],
                                        .x = (uint16_t)(next_random(random) % 64 * 2),
                                        .y = (uint16_t)(next_random(random) % 64 * 2),
                                        .mask = next_random(random) & all};
    }
    memcpy(expected, quads, sizeof(quads));
    memcpy(memory, rig->before, BOTH_B);
    for (unsigned i = 0; i < 64; i++) {
        if (expected[i].mask)
            amd_db_test_quad(&rig->slow, &expected[i], NULL);
    }
    for (unsigned q = 0; q < 16; q++) {
        struct raster_quad quad = {.prim = &prims[0],
                                   .x = (uint16_t)(tile.x + 8 + (int)(q % 4 * 2)),
                                   .y = (uint16_t)(tile.y + 16 + (int)(q / 4 * 2)),
                                   .mask = all};
        amd_db_test_quad(&rig->slow, &quad, NULL);
        block[q] = quad.mask;
    }
    memcpy(rig->after, memory, BOTH_B);
    memcpy(memory, rig->before, BOTH_B);
    assert_true(db_has_fast_stencil(&rig->fast));
    amd_db_test_quads(&rig->fast, quads, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(quads[i].mask, expected[i].mask);
    amd_db_test_stencil_blocks(&rig->fast, &prims[0], &tile, 1ull << (2 * 8 + 1), masks);
    assert_memory_equal(masks[2 * 8 + 1], block, sizeof(block));
    assert_memory_equal(memory, rig->after, BOTH_B);
    assert_int_equal(rig->fast.zpass, rig->slow.zpass);
    if (!rig->depth.state.samples_log2)
        check_parts(&rig->fast, &rig->slow, &prims[1], &tile, memory, BOTH_B, random);
}

static void test_stencil_quads(void **state)
{
    static const enum amd_Z_FORMAT formats[3] = {AMD_Z_FORMAT_16, AMD_Z_FORMAT_24, AMD_Z_FORMAT_32_FLOAT};
    static struct stencil_rig rig;
    uint64_t random = 17;
    for (unsigned n = 0; n < 300; n++) {
        memset(&rig, 0, sizeof(rig));
        open_stencil(&rig, formats[n % 3], n / 3 % 3, &random);
        check_stencil(&rig, &random);
        close_depth(&rig.depth);
    }
}

/* The nearest of the numbers of 24 bits, which a float's arithmetic does not give by itself. */
static void test_unorm24(void **state)
{
    assert_int_equal(db_unorm24(NAN), 0);
    assert_int_equal(db_unorm24(-1), 0);
    assert_int_equal(db_unorm24(2), 0xffffff);
    for (uint32_t code = 0; code <= 0xffffff; code += code < 0x1000 || code > 0xfff000 ? 1 : 4093)
        assert_int_equal(db_unorm24((float)(code / 16777215.0)), code);
}

/* ---- what a pixel shader finds ---- */

/* A wave that is a block beside the same quads one by one. */
static void test_block_inputs(void **state)
{
    enum {
        PERSPECTIVE_CENTER = 1 << 1,
        LINEAR_CENTER = 1 << 5,
        ROWS = 4
    };
    static struct spi_ps ps;
    static struct spi_ps_state inputs = {.ena = PERSPECTIVE_CENTER | LINEAR_CENTER,
                                         .addr = PERSPECTIVE_CENTER | LINEAR_CENTER};
    struct sq_wave *wave = calloc(1, sizeof(*wave) + ROWS * LANES_MAX * 4);
    uint32_t blocks[ROWS * LANES_MAX];
    uint64_t random = 9;
    assert_non_null(wave);
    wave->lanes = LANES_MAX;
    for (unsigned n = 0; n < 200; n++) {
        struct raster_prim prim = {.is_linear = n % 3 == 0,
                                   .origin_x = (float)(next_random(&random) % 4096) / 32,
                                   .origin_y = (float)(next_random(&random) % 4096) / 32};
        struct raster_plane *planes[5] = {&prim.i, &prim.j, &prim.iw, &prim.jw, &prim.w};
        for (unsigned i = 0; i < 5; i++)
            *planes[i] = (struct raster_plane){.at = (float)(next_random(&random) % 1000) / 700,
                                               .dx = (float)(next_random(&random) % 1000) / 7000 - 0.05f,
                                               .dy = (float)(next_random(&random) % 1000) / 9000 - 0.05f};
        struct raster_quad quads[16];
        uint32_t x = next_random(&random) % 512 * 8, y = next_random(&random) % 512 * 8;
        for (unsigned q = 0; q < 16; q++)
            quads[q] = (struct raster_quad){
                .prim = &prim, .x = (uint16_t)(x + q % 4 * 2), .y = (uint16_t)(y + q / 4 * 2), .mask = 0x01010101u};
        ps = (struct spi_ps){.state = &inputs, .quads = quads, .quad_count = 16, .prim = &prim, .is_block = true};
        amd_spi_ps_load_inputs(&ps, wave);
        memcpy(blocks, wave->vgpr, sizeof(blocks));
        memset(wave->vgpr, 0, sizeof(blocks));
        ps.is_block = false;
        amd_spi_ps_load_inputs(&ps, wave);
        assert_memory_equal(blocks, wave->vgpr, sizeof(blocks));
        memset(wave->vgpr, 0, sizeof(blocks));
        assert_true(amd_spi_ps_has_block_inputs(&inputs));
        amd_spi_ps_load_block(&ps, wave, x, y); /* without quads */
        assert_memory_equal(blocks, wave->vgpr, sizeof(blocks));
    }
    free(wave);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),        cmocka_unit_test(test_halves_to_bytes),
        cmocka_unit_test(test_blend),         cmocka_unit_test(test_bytes_to_colors),
        cmocka_unit_test(test_blend_zero),    cmocka_unit_test(test_depth_quads),
        cmocka_unit_test(test_cleared_depth), cmocka_unit_test(test_blend_bytes),
        cmocka_unit_test(test_unorm24),       cmocka_unit_test(test_block_inputs),
        cmocka_unit_test(test_depth_blocks),  cmocka_unit_test(test_stencil_quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
