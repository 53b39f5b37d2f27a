/* The render backends' short ways against their long ones: blocks of a surface against its equation, rows of colours
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
        }
    }
    return true;
}

static void test_blocks(void **state)
{
    static struct cb_surface surface; /* its tables are large */
    uint64_t random = 1;
    unsigned with = 0;
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
                        with += check_surface(&surface, desc, level, &random);
                    }
                }
            }
        }
    }
    assert_true(with > 100); /* the short way is a way that is taken */
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
        union cb_colors colors, unit;
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
        union cb_colors colors;
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
        [AMD_BLEND_FACTOR_ZERO] = 0,
        [AMD_BLEND_FACTOR_ONE] = 1,
        [AMD_BLEND_FACTOR_SRC_COLOR] = s[c],
        [AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = 1 - s[c],
        [AMD_BLEND_FACTOR_SRC_ALPHA] = s[3],
        [AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = 1 - s[3],
        [AMD_BLEND_FACTOR_DST_ALPHA] = d[3],
        [AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = 1 - d[3],
        [AMD_BLEND_FACTOR_DST_COLOR] = d[c],
        [AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = 1 - d[c],
        [AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE] = c == 3            ? 1
                                                : s[3] < 1 - d[3] ? s[3]
                                                                  : 1 - d[3],
        [AMD_BLEND_FACTOR_CONSTANT_COLOR] = k[c],
        [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = 1 - k[c],
        [AMD_BLEND_FACTOR_SRC1_COLOR] = s1[c],
        [AMD_BLEND_FACTOR_INV_SRC1_COLOR] = 1 - s1[c],
        [AMD_BLEND_FACTOR_SRC1_ALPHA] = s1[3],
        [AMD_BLEND_FACTOR_INV_SRC1_ALPHA] = 1 - s1[3],
        [AMD_BLEND_FACTOR_CONSTANT_ALPHA] = k[3],
        [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = 1 - k[3],
    };
    return values[code];
}

static const uint8_t factors[] = {AMD_BLEND_FACTOR_ZERO,
                                  AMD_BLEND_FACTOR_ONE,
                                  AMD_BLEND_FACTOR_SRC_COLOR,
                                  AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
                                  AMD_BLEND_FACTOR_SRC_ALPHA,
                                  AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                  AMD_BLEND_FACTOR_DST_ALPHA,
                                  AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
                                  AMD_BLEND_FACTOR_DST_COLOR,
                                  AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
                                  AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE,
                                  AMD_BLEND_FACTOR_CONSTANT_COLOR,
                                  AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
                                  AMD_BLEND_FACTOR_SRC1_COLOR,
                                  AMD_BLEND_FACTOR_INV_SRC1_COLOR,
                                  AMD_BLEND_FACTOR_SRC1_ALPHA,
                                  AMD_BLEND_FACTOR_INV_SRC1_ALPHA,
                                  AMD_BLEND_FACTOR_CONSTANT_ALPHA,
                                  AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA};
#define FACTORS (sizeof(factors) / sizeof(factors[0]))

static float combined(unsigned function, float s, float sf, float d, float df)
{
    switch (function) {
    case AMD_BLEND_FUNC_DST_PLUS_SRC:
        return s * sf + d * df;
    case AMD_BLEND_FUNC_SRC_MINUS_DST:
        return s * sf - d * df;
    case AMD_BLEND_FUNC_DST_MINUS_SRC:
        return d * df - s * sf;
    case AMD_BLEND_FUNC_MIN_DST_SRC:
        return s < d ? s : d;
    default:
        return s > d ? s : d;
    }
}

static void fill_colors(union cb_colors *colors, uint64_t *random)
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            colors->f[c][i] = (float)(next_random(random) >> 8) * 0x1p-24f;
    }
}

static void test_blend(void **state)
{
    static const uint8_t functions[] = {AMD_BLEND_FUNC_DST_PLUS_SRC, AMD_BLEND_FUNC_SRC_MINUS_DST,
                                        AMD_BLEND_FUNC_DST_MINUS_SRC, AMD_BLEND_FUNC_MIN_DST_SRC,
                                        AMD_BLEND_FUNC_MAX_DST_SRC};
    struct cb_state cb = {.constant = {0.25f, 0.5f, 0.75f, 0.125f}};
    uint64_t random = 2;
    for (unsigned n = 0; n < 4000; n++) {
        struct cb_target target = {
            .numeric = CB_FLOAT, .blend = true, .dual = true, .bytes4 = n >> 2 & 1, .clamp_max = n & 1 ? 1 : 0};
        target.control.SEPARATE_ALPHA_BLEND = n >> 1 & 1;
        target.control.COLOR_SRCBLEND = factors[next_random(&random) % FACTORS];
        target.control.COLOR_DESTBLEND = factors[next_random(&random) % FACTORS];
        target.control.ALPHA_SRCBLEND = factors[next_random(&random) % FACTORS];
        target.control.ALPHA_DESTBLEND = factors[next_random(&random) % FACTORS];
        target.control.COLOR_COMB_FCN = functions[next_random(&random) % 5];
        target.control.ALPHA_COMB_FCN = functions[next_random(&random) % 5];
        union cb_colors source, source1, destination, out;
        fill_colors(&source, &random);
        fill_colors(&source1, &random);
        fill_colors(&destination, &random);
        out = source;
        amd_cb_blend(&cb, &target, &out, &source1, &destination);
        for (unsigned i = 0; i < CB_MAX_LANES; i++) {
            float s[4], s1[4], d[4];
            for (unsigned c = 0; c < 4; c++) {
                s[c] = source.f[c][i];
                s1[c] = source1.f[c][i];
                d[c] = destination.f[c][i];
            }
            for (unsigned c = 0; c < 4; c++) {
                bool alpha = c == 3 && target.control.SEPARATE_ALPHA_BLEND;
                unsigned sf = alpha ? target.control.ALPHA_SRCBLEND : target.control.COLOR_SRCBLEND,
                         df = alpha ? target.control.ALPHA_DESTBLEND : target.control.COLOR_DESTBLEND,
                         function = alpha ? target.control.ALPHA_COMB_FCN : target.control.COLOR_COMB_FCN;
                float expected = combined(function, s[c], factor_of(sf, s, s1, d, cb.constant, c), d[c],
                                          factor_of(df, s, s1, d, cb.constant, c));
                assert_true(out.f[c][i] == expected);
            }
        }
    }
}

/* Codes to codes against the way over rows of colours, all factors of a sum. */
static void test_blend_bytes(void **state)
{
    uint64_t random = 7;
    unsigned sums = 0, by_alpha = 0;
    for (unsigned n = 0; n < 20000; n++) {
        struct cb_state cb;
        struct cb_target target = {.numeric = CB_FLOAT,
                                   .export_format = AMD_EXPORT_FORMAT_32_ABGR,
                                   .blend = true,
                                   .bytes4 = true,
                                   .clamp_max = 1,
                                   .from = {0, 1, 2, 3}};
        if (n & 1)
            memcpy(target.from, (const uint8_t[4]){2, 1, 0, 3}, 4);
        target.control.SEPARATE_ALPHA_BLEND = next_random(&random) & 1;
        target.control.COLOR_SRCBLEND = next_random(&random) % 21;
        target.control.COLOR_DESTBLEND = next_random(&random) % 21;
        if (next_random(&random) & 1) { /* the short way within the short way */
            target.control.COLOR_SRCBLEND %= AMD_BLEND_FACTOR_DST_ALPHA;
            target.control.COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
            target.control.SEPARATE_ALPHA_BLEND = false;
        }
        target.control.ALPHA_SRCBLEND = next_random(&random) % 21;
        target.control.ALPHA_DESTBLEND = next_random(&random) % 21;
        target.control.COLOR_COMB_FCN =
            next_random(&random) % 8 ? AMD_BLEND_FUNC_DST_PLUS_SRC : AMD_BLEND_FUNC_MIN_DST_SRC;
        target.force_alpha_1 = next_random(&random) % 4 == 0;
        target.dual = true;
        union cb_colors source, second, unit, second_unit, stored;
        uint32_t codes[CB_MAX_LANES], expected[CB_MAX_LANES];
        for (unsigned c = 0; c < 4; c++) {
            cb.constant[c] = (float)(next_random(&random) % 300) / 200 - 0.25f;
            for (unsigned i = 0; i < CB_MAX_LANES; i++) {
                source.f[c][i] = i == 17 ? NAN : (float)(next_random(&random) % 1500) / 1000 - 0.25f;
                second.f[c][i] = i == 18 ? INFINITY : (float)(next_random(&random) % 1500) / 1000 - 0.25f;
            }
        }
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            codes[i] = expected[i] = next_random(&random);
        amd_cb_blend_prepare(&cb, &target);
        if (!target.sums)
            continue;
        sums++;
        by_alpha += target.sums_by_alpha;
        amd_cb_convert_unit(&target, (const uint32_t(*)[CB_MAX_LANES])source.u, &unit);
        amd_cb_convert_unit(&target, (const uint32_t(*)[CB_MAX_LANES])second.u, &second_unit);
        amd_cb_blend_bytes4(&target, &unit, &second_unit, codes);
        amd_cb_unpack_bytes4(&target, expected, &stored);
        amd_cb_blend(&cb, &target, &source, &second, &stored);
        amd_cb_pack_bytes4(&target, &source, expected);
        assert_memory_equal(codes, expected, sizeof(codes));
    }
    assert_true(sums > 10000 && by_alpha > 1000);
}

/* A factor of zero removes what it multiplies, even infinity. */
static void test_blend_zero(void **state)
{
    struct cb_state cb = {.constant = {0}};
    struct cb_target target = {.numeric = CB_FLOAT, .blend = true};
    target.control.COLOR_SRCBLEND = AMD_BLEND_FACTOR_ZERO;
    target.control.COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE;
    target.control.COLOR_COMB_FCN = AMD_BLEND_FUNC_DST_PLUS_SRC;
    union cb_colors source, destination;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < CB_MAX_LANES; i++) {
            source.f[c][i] = i & 1 ? INFINITY : NAN;
            destination.f[c][i] = 0.5f;
        }
    }
    amd_cb_blend(&cb, &target, &source, NULL, &destination);
    for (unsigned i = 0; i < CB_MAX_LANES; i++)
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
    assert_int_equal(gpu_space_init(&rig->space, BASE_VA, SIZE_B, 0, 0), 0);
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
        quads[i] = (struct raster_quad){.prim = prim,
                                    .x = (uint16_t)x,
                                    .y = (uint16_t)y,
                                    .mask = next_random(random) & (uint32_t)bits_mask(rig->sc.samples) * 0x01010101u};
    }
    uint32_t passed[200];
    memcpy(memory, before, size_B);
    for (unsigned i = 0; i < 200; i++) {
        struct raster_quad quad = quads[i];
        if (quad.mask)
            amd_db_test_quad(&slow_db, &quad, NULL);
        passed[i] = quad.mask;
    }
    memcpy(slow, memory, size_B);
    memcpy(memory, before, size_B);
    assert_true(db_has_fast_quads(&fast_db));
    amd_db_test_quads(&fast_db, quads, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(quads[i].mask, passed[i]);
    assert_memory_equal(memory, slow, size_B);
    assert_int_equal(fast_db.zpass, slow_db.zpass);
    free(before);
    free(slow);
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
    }
    free(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),       cmocka_unit_test(test_halves_to_bytes),
        cmocka_unit_test(test_blend),        cmocka_unit_test(test_bytes_to_colors),
        cmocka_unit_test(test_blend_zero),   cmocka_unit_test(test_depth_quads),
        cmocka_unit_test(test_blend_bytes),  cmocka_unit_test(test_unorm24),
        cmocka_unit_test(test_block_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
