/* Tiles from the clear to memory: pixels that are drawn, tests, samples, formats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/tile.h"
#include "mali/model/frag/frag_surface.h"
#include "rig.h"
#include "util/bits.h"
#include "util/half.h"

#define RUN_OK(rig)                                                                                                    \
    do {                                                                                                               \
        if (!rig_run(rig)) {                                                                                           \
            print_error("%s\n", rig_report(rig));                                                                      \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

#define RED 0xff0000ffu

static const float red[4] = {1, 0, 0, 1}, half_green[4] = {0, 1, 0, 0.5f};

/* ---- shaders ---- */

static bool draw_red(struct mali_warp *warp, uint64_t lanes)
{
    return rig_blend(warp, lanes, 0, red);
}

static bool draw_half_green(struct mali_warp *warp, uint64_t lanes)
{
    return rig_blend(warp, lanes, 0, half_green);
}

static bool test_and_draw_red(struct mali_warp *warp, uint64_t lanes)
{
    return rig_atest(warp, lanes, 1) && rig_blend(warp, lanes, 0, red);
}

/* Draws when a second thread draws, too, or has not come in ten seconds. */
static _Atomic unsigned drawing_threads, waited_ms;
static bool draw_beside_another(struct mali_warp *warp, uint64_t lanes)
{
    static __thread bool is_counted;
    if (!is_counted)
        atomic_fetch_add(&drawing_threads, 1);
    is_counted = true;
    while (atomic_load(&drawing_threads) < 2 && atomic_fetch_add(&waited_ms, 1) < 10000)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return draw_red(warp, lanes);
}

/* Discards lanes whose x is odd. */
static bool discard_odd(struct mali_warp *warp, uint64_t lanes)
{
    bits_foreach (lanes, lane) {
        if (mali_warp_row(warp, 59)[lane] & 1) {
            warp->discarded |= 1ull << lane;
            mali_warp_row(warp, 60)[lane] = 0;
        }
    }
    return test_and_draw_red(warp, lanes);
}

static bool emit_depth(struct mali_warp *warp, uint64_t lanes)
{
    uint32_t z[MALI_ROW_LANES], *coverage = mali_warp_row(warp, 60);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        z[i] = float_bits(mali_warp_row(warp, 59)[i] & 1 ? 0.25f : 0.75f);
    return rig_atest(warp, lanes, 1) && warp->launch->hooks->depth_stencil(warp, z, NULL, coverage, coverage, lanes) &&
           rig_blend(warp, lanes, 0, red);
}

/* Reads the tile buffer and adds 0.25 to its red. */
static bool read_and_add(struct mali_warp *warp, uint64_t lanes)
{
    uint32_t pixel[MALI_ROW_LANES], conversion[MALI_ROW_LANES], rows[4 * MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        pixel[i] = 255u << 24;
        conversion[i] = 237u << 12;
    }
    const struct mali_tile_access access = {.regfmt = MALI_REGFMT_F32,
                                            .components = 4,
                                            .pixel = pixel,
                                            .coverage = mali_warp_row(warp, 60),
                                            .conversion = conversion,
                                            .rows = rows};
    if (!warp->launch->hooks->load_tile(warp, &access, lanes))
        return false;
    bits_foreach (lanes, lane)
        rows[lane] = float_bits(bits_float(rows[lane]) + 0.25f);
    return warp->launch->hooks->store_tile(warp, &access, lanes);
}

static bool draw_by_sample(struct mali_warp *warp, uint64_t lanes)
{
    bits_foreach (lanes, lane) {
        const float color[4] = {(float)(mali_warp_row(warp, 61)[lane] >> 16 & 0xff) / 3, 0, 0, 1};
        if (!rig_blend(warp, 1ull << lane, 0, color))
            return false;
    }
    return true;
}

static bool draw_by_sample_of_16(struct mali_warp *warp, uint64_t lanes)
{
    bits_foreach (lanes, lane) {
        const float color[4] = {(float)(mali_warp_row(warp, 61)[lane] >> 16 & 0xff) / 15, 0, 0, 1};
        if (!rig_blend(warp, 1ull << lane, 0, color))
            return false;
    }
    return true;
}

static bool draw_varying(struct mali_warp *warp, uint64_t lanes)
{
    uint32_t rows[2 * MALI_ROW_LANES];
    const struct mali_varying_load load = {.kind = MALI_VARYING_BUFFER,
                                           .source = MALI_SOURCE_F32,
                                           .regfmt = MALI_REGFMT_F32,
                                           .components = 2,
                                           .offset_B = 8,
                                           .rows_out = rows};
    if (!warp->launch->hooks->load_varying(warp, &load, lanes))
        return false;
    bits_foreach (lanes, lane) {
        const float color[4] = {bits_float(rows[lane]), bits_float(rows[MALI_ROW_LANES + lane]), 0, 1};
        if (!rig_blend(warp, 1ull << lane, 0, color))
            return false;
    }
    return true;
}

/* The varying of an attribute descriptor, and the same of the provoking vertex. */
static bool draw_attribute(struct mali_warp *warp, uint64_t lanes)
{
    uint32_t smooth[2 * MALI_ROW_LANES], flat[2 * MALI_ROW_LANES];
    struct mali_varying_load load = {.kind = MALI_VARYING_TABLE,
                                     .regfmt = MALI_REGFMT_F32,
                                     .components = 2,
                                     .table = 0,
                                     .offset_B = 1,
                                     .rows_out = smooth};
    if (!warp->launch->hooks->load_varying(warp, &load, lanes))
        return false;
    load.kind = MALI_VARYING_FLAT;
    load.rows_out = flat;
    if (!warp->launch->hooks->load_varying(warp, &load, lanes))
        return false;
    bits_foreach (lanes, lane) {
        const float color[4] = {bits_float(smooth[lane]), bits_float(smooth[MALI_ROW_LANES + lane]),
                                bits_float(flat[lane]), 1};
        if (!rig_blend(warp, 1ull << lane, 0, color))
            return false;
    }
    return true;
}

/* ---- clears ---- */

static void a_clear_fills_the_box(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 75, 41, 0x11223344);
    rig->fb.TILER = 0;
    memset(rig->map + RIG_IMAGE_B, 0xee, 4 * 75 * 42);
    RUN_OK(rig);
    for (uint32_t y = 0; y < 41; y++) {
        for (uint32_t x = 0; x < 75; x++)
            assert_int_equal(rig_pixel(rig, x, y), 0x11223344);
    }
    assert_int_equal(rig_pixel(rig, 0, 41), 0xeeeeeeee); /* nothing below */
}

static void tiled_memory_has_its_curve(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 40, 40, 0);
    rig->targets[0].WRITEBACK_BLOCK_FORMAT = MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED;
    rig->targets[0].ROW_STRIDE = 48 * 16 * 4;
    const struct mali_desc_BLEND blend = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &blend, NULL);
    rig->shaders[1] = draw_red;
    rig_rect(rig, 0, 7, 19, 8, 20, 0);
    RUN_OK(rig);
    const struct mali_tile tile = mali_tile_init(4, 48 * 16 * 4, MALI_ORDER_TILED, false);
    unsigned found = 0;
    for (uint32_t i = 0; i < 48 * 48; i++) {
        uint32_t word;
        memcpy(&word, rig->map + RIG_IMAGE_B + 4 * i, 4);
        found += word == RED;
    }
    uint32_t word;
    memcpy(&word, rig->map + RIG_IMAGE_B + mali_tile_offset_B(&tile, 7, 19), 4);
    assert_int_equal(word, RED);
    assert_int_equal(found, 1);
}

static void clean_pixels_are_left_alone(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 64, 64, 0);
    rig->targets[0].CLEAN_PIXEL_WRITE_ENABLE = false;
    memset(rig->map + RIG_IMAGE_B, 0x77, 4 * 64 * 64);
    const struct mali_desc_BLEND blend = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &blend, NULL);
    rig->shaders[1] = draw_red;
    rig_rect(rig, 0, 10, 10, 20, 20, 0);
    RUN_OK(rig);
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++)
            assert_int_equal(rig_pixel(rig, x, y), x >= 10 && x < 20 && y >= 10 && y < 20 ? RED : 0x77777777);
    }
    assert_int_equal(rig->shaded, 100);
}

/* ---- blending and order ---- */

static void blending_is_in_order(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 64, 64, 0xff000000);
    const struct mali_desc_BLEND opaque = rig_opaque(), by_alpha = rig_by_alpha();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    rig_draw(rig, 1, &(struct mali_desc_DRAW){.SHADER = 2}, &by_alpha, NULL);
    rig->shaders[1] = draw_red;
    rig->shaders[2] = draw_half_green;
    rig_rect(rig, 1, 0, 0, 64, 64, 0); /* green on black */
    rig_rect(rig, 0, 0, 0, 32, 64, 0); /* red on the left */
    rig_rect(rig, 1, 0, 0, 64, 32, 0); /* green on both, twice */
    rig_rect(rig, 1, 0, 0, 64, 32, 0);
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 5, 50), RED);
    assert_int_equal(rig_pixel(rig, 50, 50) & 0xffff00, 0x008000);
    /* Each step is rounded: red 255, 128, 64; green 0, 128, 191 or 192 */
    assert_in_range(rig_pixel(rig, 5, 5) & 0xff, 63, 64);
    assert_in_range(rig_pixel(rig, 5, 5) >> 8 & 0xff, 191, 192);
    assert_in_range(rig_pixel(rig, 50, 5) >> 8 & 0xff, 223, 224);
}

/* Two rectangles that cover nothing as a whole: a frame so small is one span, but not one thread's. */
static void tiles_of_few_primitives_go_to_all_workers(void **state)
{
    struct rig *rig = *state;
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_target(rig, 128, 64, 0);
    rig->shaders[1] = draw_beside_another;
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    rig_rect(rig, 0, 4, 4, 60, 60, 0);
    rig_rect(rig, 0, 70, 4, 124, 60, 0);
    RUN_OK(rig);
    assert_int_equal(atomic_load(&drawing_threads), 2);
    for (uint32_t i = 0; i < 128 * 64; i++) {
        const uint32_t x = i % 128, y = i / 128;
        const bool is_inside = y >= 4 && y < 60 && ((x >= 4 && x < 60) || (x >= 70 && x < 124));
        assert_int_equal(rig_pixel(rig, x, y), is_inside ? RED : 0);
    }
}

/* A core runs turns of other jobs, too: what was begun in one turn does not last to the next. A frame of two spans,
 * whose tiles are drawn later, begins its draw for each of both and for each tile. */
static void draws_begin_in_every_turn(void **state)
{
    struct rig *rig = *state;
    const struct mali_desc_BLEND opaque = rig_opaque();
    unsigned entered[2];
    for (unsigned i = 0; i < 2; i++) {
        rig_target(rig, 128, 1024, 0);
        rig->shaders[1] = draw_red;
        rig->prim_count = 0;
        rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
        for (unsigned n = 0; n < (i ? 1 : MALI_BINS_FEW + 1); n++) /* as many as go tile by tile, and few */
            rig_rect(rig, 0, 0, 0, 128, 1024, 0);
        atomic_store(&rig->entered, 0);
        RUN_OK(rig);
        entered[i] = atomic_load(&rig->entered);
    }
    assert_int_equal(entered[1], entered[0] + 2);
}

static void masks_keep_channels(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0x40302010);
    struct mali_desc_BLEND blend = rig_opaque();
    blend.MODE = MALI_BLEND_MODE_FIXED_FUNCTION;
    blend.COLOR_MASK = 0x5;
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &blend, NULL);
    rig->shaders[1] = draw_red;
    rig_rect(rig, 0, 0, 0, 32, 32, 0);
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 3, 3), 0x400020ff);
}

/* All equations: A + B * C. */
static void equations_are_sums_of_products(void **state)
{
    struct rig *rig = *state;
    static const float source[4] = {0, 1, 0, 0.5f}, destination[4] = {64 / 255.f, 32 / 255.f, 16 / 255.f, 128 / 255.f};
    for (unsigned a = 1; a < 4; a++) {
        for (unsigned b = 0; b < 4; b++) {
            for (unsigned c = 1; c < 8; c++) {
                for (unsigned bits = 0; bits < 8; bits++) {
                    struct mali_desc_BLEND blend = rig_opaque();
                    rig->prim_count = 0;
                    rig_target(rig, 16, 16, 0x80102040);
                    blend.MODE = MALI_BLEND_MODE_FIXED_FUNCTION;
                    blend.CONSTANT = 0x6600; /* 0.4 of 8 bits */
                    blend.RGB_A = blend.ALPHA_A = (enum mali_BLEND_A)a;
                    blend.RGB_B = blend.ALPHA_B = (enum mali_BLEND_B)b;
                    blend.RGB_C = blend.ALPHA_C = (enum mali_BLEND_C)c;
                    blend.RGB_NEGATE_A = blend.ALPHA_NEGATE_A = bits & 1;
                    blend.RGB_NEGATE_B = blend.ALPHA_NEGATE_B = bits >> 1 & 1;
                    blend.RGB_INVERT_C = blend.ALPHA_INVERT_C = bits >> 2 & 1;
                    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &blend, NULL);
                    rig->shaders[1] = draw_half_green;
                    rig_rect(rig, 0, 0, 0, 16, 16, 0);
                    RUN_OK(rig);
                    for (unsigned k = 0; k < 4; k++) {
                        const float s = source[k], d = destination[k];
                        float va = a == 1 ? 0 : a == 2 ? s : d, vb = b == 0 ? s - d : b == 1 ? s + d : b == 2 ? s : d;
                        float vc = c == 1   ? 0
                                   : c == 2 ? s
                                   : c == 3 ? d
                                   : c == 4 ? 2 * s
                                   : c == 5 ? source[3]
                                   : c == 6 ? destination[3]
                                            : 0.4f;
                        va = bits & 1 ? -va : va;
                        vb = bits & 2 ? -vb : vb;
                        vc = bits & 4 ? 1 - vc : vc;
                        const float sum = fminf(fmaxf(va + vb * vc, 0), 1);
                        const int code = (int)(rig_pixel(rig, 3, 3) >> 8 * k & 0xff);
                        assert_true(fabsf((float)code - sum * 255) < 0.51f);
                    }
                }
            }
        }
    }
}

/* ---- depth ---- */

static void nearer_pixels_win(void **state)
{
    struct rig *rig = *state;
    for (unsigned kind = 0; kind < 3; kind++) { /* early, killed early and updated late, late */
        rig->prim_count = 0;
        rig->shaded = 0;
        rig_target(rig, 64, 32, 0);
        const struct mali_desc_BLEND opaque = rig_opaque(), by_alpha = rig_by_alpha();
        const struct mali_desc_DEPTH_STENCIL less = rig_depth(MALI_FUNC_LESS, true);
        const struct mali_desc_DRAW draw = {
            .SHADER = 1,
            .PIXEL_KILL_OPERATION = kind == 2 ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY,
            .ZS_UPDATE_OPERATION = kind ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY};
        struct mali_desc_DRAW other = draw;
        other.SHADER = 2;
        rig_draw(rig, 0, &draw, &opaque, &less);
        rig_draw(rig, 1, &other, &by_alpha, &less);
        rig->shaders[1] = test_and_draw_red;
        rig->shaders[2] = draw_half_green;
        rig_rect(rig, 0, 0, 0, 32, 32, 0.5f);
        rig_rect(rig, 1, 0, 0, 64, 16, 0.75f); /* behind it on the left */
        RUN_OK(rig);
        assert_int_equal(rig_pixel(rig, 5, 5), RED);
        assert_int_equal(rig_pixel(rig, 40, 5) >> 8 & 0xff, 128);
        assert_int_equal(rig_pixel(rig, 40, 20), 0);
        /* Pixels that fail run only where tests are late. */
        assert_int_equal(rig->shaded, 32 * 32 + (kind == 2 ? 64 : 32) * 16);
    }
}

/* A slope from depth 0 to 1 in 64 pixels: of the bounds both ends are in, and a bias moves nothing across them. */
static void pixels_outside_of_the_depth_bounds_are_not_drawn(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 64, 32, 0);
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_DEPTH_STENCIL always = rig_depth(MALI_FUNC_ALWAYS, true);
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, &always);
    rig->shaders[1] = test_and_draw_red;
    rig_rect(rig, 0, 0, 0, 64, 32, 0);
    struct mali_bin_prim *prim = &rig->prims[rig->prim_count - 1];
    prim->raster.z = (struct raster_plane){.at = 0.5f, .dx = 1 / 64.0f};
    prim->raster.origin_x = prim->raster.origin_y = 0.5f;
    prim->raster.z_min = 10 / 64.0f;
    prim->raster.z_max = 20 / 64.0f;
    prim->is_cut = true;
    prim->cut_z_at = 0;
    RUN_OK(rig);
    for (uint32_t x = 0; x < 64; x++)
        assert_int_equal(rig_pixel(rig, x, 9), x >= 10 && x <= 20 ? RED : 0);
    assert_int_equal(rig->shaded, 11 * 32);
}

static void discarded_pixels_write_no_depth(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_DEPTH_STENCIL less = rig_depth(MALI_FUNC_LESS, true);
    const struct mali_desc_DRAW late = {.SHADER = 1, .ZS_UPDATE_OPERATION = MALI_PIXEL_KILL_FORCE_LATE};
    rig_draw(rig, 0, &late, &opaque, &less);
    rig_draw(rig, 1, &(struct mali_desc_DRAW){.SHADER = 2}, &opaque, &less);
    rig->shaders[1] = discard_odd;
    rig->shaders[2] = draw_half_green;
    rig_rect(rig, 0, 0, 0, 32, 32, 0.5f);
    rig_rect(rig, 1, 0, 0, 32, 32, 0.75f);
    RUN_OK(rig);
    for (uint32_t x = 0; x < 32; x++)
        assert_int_equal(rig_pixel(rig, x, 9), x % 2 ? 0x8000ff00u : RED);
}

static void shaders_give_depth(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    rig->fb.HAS_ZS_CRC_EXTENSION = true;
    rig->fb.Z_WRITE_ENABLE = true;
    rig->fb.Z_INTERNAL_FORMAT = MALI_Z_INTERNAL_FORMAT_D32;
    rig->fb.Z_CLEAR = 0.5f;
    rig->zs = (struct mali_desc_ZS_CRC_EXTENSION){.ZS_WRITE_FORMAT = MALI_ZS_FORMAT_D32,
                                                  .ZS_BLOCK_FORMAT = MALI_BLOCK_FORMAT_LINEAR,
                                                  .ZS_CLEAN_PIXEL_WRITE_ENABLE = true,
                                                  .ZS_WRITEBACK_BASE = RIG_VA + RIG_DEPTH_B,
                                                  .ZS_WRITEBACK_ROW_STRIDE = 128};
    const struct mali_desc_BLEND opaque = rig_opaque();
    struct mali_desc_DEPTH_STENCIL depth = rig_depth(MALI_FUNC_LESS, true);
    depth.DEPTH_SOURCE = MALI_DEPTH_SOURCE_SHADER;
    const struct mali_desc_DRAW late = {.SHADER = 1,
                                        .PIXEL_KILL_OPERATION = MALI_PIXEL_KILL_FORCE_LATE,
                                        .ZS_UPDATE_OPERATION = MALI_PIXEL_KILL_FORCE_LATE};
    rig_draw(rig, 0, &late, &opaque, &depth);
    rig->shaders[1] = emit_depth;
    rig_rect(rig, 0, 0, 0, 32, 16, 0.1f);
    RUN_OK(rig);
    const float *z = (const float *)(rig->map + RIG_DEPTH_B);
    for (uint32_t x = 0; x < 32; x++) {
        assert_int_equal(rig_pixel(rig, x, 3), x % 2 ? RED : 0);
        assert_true(z[3 * 32 + x] == (x % 2 ? 0.25f : 0.5f));
        assert_true(z[20 * 32 + x] == 0.5f);
    }
}

static void stencil_counts(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    rig->fb.HAS_ZS_CRC_EXTENSION = true;
    rig->fb.S_WRITE_ENABLE = true;
    rig->fb.S_CLEAR = 5;
    rig->zs = (struct mali_desc_ZS_CRC_EXTENSION){.S_WRITE_FORMAT = MALI_S_FORMAT_S8,
                                                  .S_BLOCK_FORMAT = MALI_BLOCK_FORMAT_LINEAR,
                                                  .ZS_CLEAN_PIXEL_WRITE_ENABLE = true,
                                                  .S_WRITEBACK_BASE = RIG_VA + RIG_DEPTH_B,
                                                  .S_WRITEBACK_ROW_STRIDE = 32};
    struct mali_desc_DEPTH_STENCIL depth = rig_depth(MALI_FUNC_ALWAYS, false);
    depth.STENCIL_TEST_ENABLE = true;
    depth.FRONT_DEPTH_PASS = MALI_STENCIL_OP_INCR_SAT;
    depth.BACK_COMPARE_FUNCTION = MALI_FUNC_EQUAL;
    depth.BACK_REFERENCE_VALUE = 6;
    depth.BACK_STENCIL_FAIL = MALI_STENCIL_OP_ZERO;
    depth.BACK_DEPTH_PASS = MALI_STENCIL_OP_REPLACE;
    depth.BACK_WRITE_MASK = 0xf;
    rig_draw(rig, 0, &(struct mali_desc_DRAW){0}, NULL, &depth);
    rig_rect(rig, 0, 0, 0, 16, 16, 0); /* 6 there */
    rig_rect(rig, 0, 0, 0, 32, 8, 0);  /* the back: 6 stays, 5 fails */
    rig->prims[1].raster.is_back = true;
    RUN_OK(rig);
    const uint8_t *s = rig->map + RIG_DEPTH_B;
    assert_int_equal(s[0], 6);
    assert_int_equal(s[12 * 32], 6);
    assert_int_equal(s[20], 0);
    assert_int_equal(s[20 * 32 + 20], 5);
}

static void passed_samples_are_counted(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 64, 64, 0);
    const struct mali_desc_DEPTH_STENCIL less = rig_depth(MALI_FUNC_LESS, true);
    struct mali_desc_DRAW draw = {.OCCLUSION_QUERY = MALI_OCCLUSION_MODE_COUNTER, .OCCLUSION = RIG_VA + RIG_COUNTER_B};
    rig_draw(rig, 0, &draw, NULL, &less);
    draw.OCCLUSION_QUERY = MALI_OCCLUSION_MODE_PREDICATE;
    draw.OCCLUSION += 8;
    rig_draw(rig, 1, &draw, NULL, &less);
    draw.OCCLUSION += 8;
    rig_draw(rig, 2, &draw, NULL, &less);
    rig_rect(rig, 0, 0, 0, 40, 40, 0.5f);
    rig_rect(rig, 1, 30, 30, 50, 50, 0.75f);
    rig_rect(rig, 2, 0, 0, 20, 20, 0.75f); /* hidden */
    *(uint64_t *)(rig->map + RIG_COUNTER_B) = 5;
    RUN_OK(rig);
    const uint64_t *counters = (const uint64_t *)(rig->map + RIG_COUNTER_B);
    assert_int_equal(counters[0], 1605);
    assert_int_equal(counters[1], 1);
    assert_int_equal(counters[2], 0);
}

/* ---- the tile buffer from inside ---- */

static void shaders_read_what_was_drawn_before(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0xff000000);
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, NULL, NULL);
    rig->shaders[1] = read_and_add;
    for (unsigned i = 0; i < 3; i++)
        rig_rect(rig, 0, 0, 0, 8 * (int32_t)i + 8, 32, 0);
    RUN_OK(rig);
    assert_in_range(rig_pixel(rig, 1, 1) & 0xff, 191, 193);
    assert_in_range(rig_pixel(rig, 9, 1) & 0xff, 127, 129);
    assert_in_range(rig_pixel(rig, 17, 1) & 0xff, 63, 65);
    assert_int_equal(rig_pixel(rig, 25, 1), 0xff000000);
}

static void strict_mode_knows_what_is_in_the_tile_buffer(void **state)
{
    struct rig *rig = *state;
    rig->gpu.is_strict = true;
    rig_target(rig, 32, 32, 0xff000000);
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, NULL, NULL);
    rig_draw(rig, 1, &(struct mali_desc_DRAW){.SHADER = 2}, &opaque, NULL);
    rig->shaders[1] = read_and_add;
    rig->shaders[2] = draw_red;
    rig_rect(rig, 1, 0, 0, 16, 32, 0);
    rig_rect(rig, 0, 0, 0, 16, 32, 0);
    RUN_OK(rig);
    rig->targets[0].CLEAN_PIXEL_WRITE_ENABLE = false;
    RUN_OK(rig); /* it was drawn before */
    rig_rect(rig, 0, 16, 0, 17, 1, 0);
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "LD_TILE of render target 0 at 16, 0"));
}

static void frame_draws_run_where_they_are_asked_for(void **state)
{
    static const unsigned modes[] = {MALI_FRAME_SHADER_MODE_NEVER, MALI_FRAME_SHADER_MODE_ALWAYS,
                                     MALI_FRAME_SHADER_MODE_INTERSECT, MALI_FRAME_SHADER_MODE_EARLY_ZS_ALWAYS};
    struct rig *rig = *state;
    for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
        rig->prim_count = 0;
        rig_target(rig, 64, 32, 0x55555555);
        rig->fb.PRE_FRAME_0 = modes[i];
        const struct mali_desc_BLEND opaque = rig_opaque();
        rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
        rig_draw(rig, 1, &(struct mali_desc_DRAW){.SHADER = 2}, &opaque, NULL);
        rig->frame_draws[0] = mali_unpack_desc_DRAW(rig->draws[0].words);
        rig->shaders[1] = draw_red;
        rig->shaders[2] = draw_half_green;
        rig_rect(rig, 1, 0, 0, 8, 8, 0);
        RUN_OK(rig);
        assert_int_equal(rig_pixel(rig, 2, 2), 0x8000ff00);
        assert_int_equal(rig_pixel(rig, 20, 20), modes[i] == MALI_FRAME_SHADER_MODE_NEVER ? 0x55555555 : RED);
        assert_int_equal(rig_pixel(rig, 40, 20),
                         modes[i] == MALI_FRAME_SHADER_MODE_ALWAYS || modes[i] == MALI_FRAME_SHADER_MODE_EARLY_ZS_ALWAYS
                             ? RED
                             : 0x55555555);
    }
}

/* ---- samples ---- */

static void four_samples(struct rig *rig)
{
    static const uint16_t places[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
    rig->fb.SAMPLE_COUNT = 4;
    rig->fb.SAMPLE_PATTERN = MALI_SAMPLE_PATTERN_ROTATED_4X_GRID;
    rig->fb.EFFECTIVE_TILE_SIZE = 256;
    memcpy(rig->map + RIG_LOCATIONS_B, places, sizeof(places));
}

/* A right edge at x = 10.5: two of the samples of pixel 10 are left of it. */
static void put_edge(struct rig *rig)
{
    rig_rect(rig, 0, 0, 0, 11, 32, 0);
    struct raster_prim *prim = &rig->prims[rig->prim_count - 1].raster;
    prim->edge_count = 1;
    prim->edges[0] = (struct raster_edge){.a = -1, .b = 0, .c = 10 * 256 + 128};
}

static void samples_are_averaged(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    four_samples(rig);
    rig->targets[0].WRITEBACK_MSAA = MALI_MSAA_AVERAGE;
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .MULTISAMPLE_ENABLE = true}, &opaque, NULL);
    rig->shaders[1] = draw_red;
    put_edge(rig);
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 9, 5), RED);
    assert_int_equal(rig_pixel(rig, 10, 5) & 0xff, 128); /* 127.5: to even */
    assert_int_equal(rig_pixel(rig, 11, 5), 0);
    /* Without multisampling the middle decides for all of them. */
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    rig->draws[0].serial = 9;
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 10, 5), RED);
}

static void samples_have_surfaces_and_shaders(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0xff000000);
    four_samples(rig);
    rig->targets[0].WRITEBACK_MSAA = MALI_MSAA_LAYERED;
    rig->targets[0].SURFACE_STRIDE = 4 * 32 * 32;
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .MULTISAMPLE_ENABLE = true, .EVALUATE_PER_SAMPLE = true},
             &opaque, NULL);
    rig->shaders[1] = draw_by_sample;
    rig_rect(rig, 0, 0, 0, 32, 32, 0);
    RUN_OK(rig);
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(rig_pixel(rig, 3, 3 + 32 * s) & 0xff, 85 * s);
}

/* The rasteriser knows 8 samples at a time: 16 are two halves. Sample s is at s / 16 of the pixel, so that an edge
 * shows each of them. */
static void sixteen_samples(struct rig *rig)
{
    uint16_t places[16][2];
    for (unsigned s = 0; s < 16; s++) {
        places[s][0] = (uint16_t)(16 * s + 8);
        places[s][1] = (uint16_t)(16 * ((5 * s + 8) % 16));
    }
    rig->fb.SAMPLE_COUNT = 16;
    rig->fb.SAMPLE_PATTERN = MALI_SAMPLE_PATTERN_D3D_16X_GRID;
    rig->fb.EFFECTIVE_TILE_SIZE = 256;
    memcpy(rig->map + RIG_LOCATIONS_B, places, sizeof(places));
    rig->targets[0].WRITEBACK_MSAA = MALI_MSAA_LAYERED;
    rig->targets[0].SURFACE_STRIDE = 4 * 32 * 32;
}

/* Samples of a pixel that are not clear, from 16 surfaces. */
static uint32_t drawn_samples(const struct rig *rig, uint32_t x, uint32_t y)
{
    uint32_t drawn = 0;
    for (unsigned s = 0; s < 16; s++)
        drawn |= rig_pixel(rig, x, y + 32 * s) ? 1u << s : 0;
    return drawn;
}

static void sixteen_samples_have_two_halves(void **state)
{
    static const struct {
        int32_t left, right; /* edges, in 1/256 pixel */
        bool is_single;
        uint16_t mask, pixel_8, pixel_9, pixel_10;
        unsigned passed; /* of a row */
    } cases[] = {
        {8 * 256, 11 * 256, false, 0xffff, 0xffff, 0xffff, 0xffff, 48},
        {8 * 256, 10 * 256 + 16 * 11, false, 0xffff, 0xffff, 0xffff, 0x07ff, 43},
        {8 * 256, 10 * 256 + 16 * 3, false, 0xffff, 0xffff, 0xffff, 0x0007, 35},
        {9 * 256 + 16 * 10, 10 * 256, false, 0xffff, 0, 0xfc00, 0, 6}, /* the upper half alone */
        {9 * 256, 9 * 256 + 16 * 5, false, 0xffff, 0, 0x001f, 0, 5},   /* the lower half alone */
        {9 * 256 + 16 * 3, 10 * 256 + 16 * 2, false, 0x8105, 0, 0x8100, 1, 3},
        {8 * 256, 10 * 256 + 16 * 11, true, 0xa500, 0xa500, 0xa500, 0xa500, 12}, /* the middle decides */
        {8 * 256, 10 * 256 + 16 * 7, true, 0x00a5, 0x00a5, 0x00a5, 0, 8},
    };
    struct rig *rig = *state;
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_DEPTH_STENCIL less = rig_depth(MALI_FUNC_LESS, true);
    uint64_t *counter = (uint64_t *)(rig->map + RIG_COUNTER_B);
    rig->shaders[1] = test_and_draw_red;
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
        const unsigned c = i / 2;
        const bool is_late = i % 2;
        rig_target(rig, 32, 32, 0);
        sixteen_samples(rig);
        struct mali_desc_DRAW draw = {
            .SHADER = 1,
            .MULTISAMPLE_ENABLE = !cases[c].is_single,
            .SAMPLE_MASK = cases[c].mask,
            .OCCLUSION_QUERY = MALI_OCCLUSION_MODE_COUNTER,
            .OCCLUSION = RIG_VA + RIG_COUNTER_B,
            .PIXEL_KILL_OPERATION = is_late ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY,
            .ZS_UPDATE_OPERATION = is_late ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY,
        };
        rig_draw(rig, 0, &draw, &opaque, &less);
        rig->draws[0].serial = 20 + i;
        rig->prim_count = 0;
        rig_rect(rig, 0, 8, 0, 11, 32, 0.5f);
        struct raster_prim *prim = &rig->prims[0].raster;
        prim->edge_count = 2;
        prim->edges[0] = (struct raster_edge){.a = -1, .c = cases[c].right - 1};
        prim->edges[1] = (struct raster_edge){.a = 1, .c = -cases[c].left};
        *counter = 0;
        RUN_OK(rig);
        assert_int_equal(drawn_samples(rig, 7, 5), 0);
        assert_int_equal(drawn_samples(rig, 8, 5), cases[c].pixel_8);
        assert_int_equal(drawn_samples(rig, 9, 5), cases[c].pixel_9);
        assert_int_equal(drawn_samples(rig, 10, 5), cases[c].pixel_10);
        assert_int_equal(*counter, 32 * cases[c].passed);
    }
}

static void sixteen_samples_have_shaders_and_means(void **state)
{
    struct rig *rig = *state;
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_DRAW draw = {.SHADER = 1, .MULTISAMPLE_ENABLE = true, .EVALUATE_PER_SAMPLE = true};
    for (unsigned averages = 0; averages < 2; averages++) {
        rig_target(rig, 32, 32, 0xff000000);
        sixteen_samples(rig);
        rig->targets[0].WRITEBACK_MSAA = averages ? MALI_MSAA_AVERAGE : MALI_MSAA_LAYERED;
        rig_draw(rig, 0, &draw, &opaque, NULL);
        rig->draws[0].serial = 20 + averages;
        rig->shaders[1] = draw_by_sample_of_16;
        rig->shaded = 0;
        rig->prim_count = 0;
        rig_rect(rig, 0, 0, 0, 32, 32, 0);
        RUN_OK(rig);
        assert_int_equal(rig->shaded, 16 * 32 * 32);
        for (unsigned s = 0; s < 16 && !averages; s++)
            assert_int_equal(rig_pixel(rig, 3, 3 + 32 * s) & 0xff, 17 * s);
    }
    assert_int_equal(rig_pixel(rig, 3, 3) & 0xff, 128);
    rig->fb.SAMPLE_COUNT = 32;
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "a framebuffer of 32 samples"));
}

/* ---- formats ---- */

static void formats_of_memory(void **state)
{
    static const struct {
        unsigned internal, format, conversion, swizzle[4], size_B;
        uint32_t expected;
    } rows[] = {
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 237, {2, 1, 0, 3}, 4, 0x8000ff00},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8, 237, {1, 3, 4, 4}, 2, 0x80ff},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 237, {1, 1, 4, 5}, 4, 0xff00ffff},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8, 237, {1, 4, 4, 4}, 1, 0xff},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8, 237, {0, 1, 2, 3}, 2, 0xff00},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8, 237, {5, 1, 2, 3}, 2, 0xffff},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8, 237, {0, 1, 2, 3}, 3, 0x00ff00},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 237, {0, 4, 2, 3}, 4, 0x80000000},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 237, {3, 1, 1, 0}, 4, 0x00ffff80},
        {MALI_INTERNAL_FORMAT_R5G6B5A0, MALI_COLOR_FORMAT_R5G6B5, 227, {0, 1, 2, 3}, 2, 0x07e0},
        {MALI_INTERNAL_FORMAT_R5G5B5A1, MALI_COLOR_FORMAT_A1B5G5R5, 225, {0, 1, 2, 3}, 2, 31 << 6},
        {MALI_INTERNAL_FORMAT_R4G4B4A4, MALI_COLOR_FORMAT_R4G4B4A4, 233, {0, 1, 2, 3}, 2, 0x80f0},
        {MALI_INTERNAL_FORMAT_R10G10B10A2, MALI_COLOR_FORMAT_R10G10B10A2, 238, {0, 1, 2, 3}, 4, 1023u << 10 | 2u << 30},
    };
    struct rig *rig = *state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        rig->prim_count = 0;
        rig_target(rig, 16, 16, 0);
        struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
        target->INTERNAL_FORMAT = rows[i].internal;
        target->WRITEBACK_FORMAT = rows[i].format;
        target->SWIZZLE_R = rows[i].swizzle[0];
        target->SWIZZLE_G = rows[i].swizzle[1];
        target->SWIZZLE_B = rows[i].swizzle[2];
        target->SWIZZLE_A = rows[i].swizzle[3];
        target->ROW_STRIDE = 16 * rows[i].size_B;
        struct mali_desc_BLEND opaque = rig_opaque();
        opaque.MEMORY_FORMAT = rows[i].conversion;
        rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
        rig->shaders[1] = draw_half_green;
        rig_rect(rig, 0, 0, 0, 16, 16, 0);
        RUN_OK(rig);
        uint32_t word = 0;
        memcpy(&word, rig->map + RIG_IMAGE_B + 3 * target->ROW_STRIDE + 5 * rows[i].size_B, rows[i].size_B);
        assert_int_equal(word, rows[i].expected);
    }
}

/* Headers of tiled AFBC lie on a curve, in squares of 8 by 8: a fill that begins and ends inside of them has all of its
 * own, and no other. */
static void filled_superblocks_are_those_inside(void **state)
{
    enum {
        COLUMNS = 32,
        ROW_B = COLUMNS * 8 * MALI_AFBC_HEADER_B,
        HEADERS_B = COLUMNS * COLUMNS * MALI_AFBC_HEADER_B
    };
    struct rig *rig = *state;
    const uint32_t pixel[4] = {0x44332211};
    const int32_t rect[4] = {3 * 16, 5 * 16, 29 * 16, COLUMNS * 16};
    const struct mali_afbc afbc = {ROW_B, 4, 4, 3};
    uint8_t *image = rig->map + RIG_IMAGE_B;
    memset(image, 0xee, HEADERS_B);
    struct frag_surface surface = mali_frag_surface(
        &rig->group.queues[0], "target",
        &(struct frag_surface_info){RIG_VA + RIG_IMAGE_B, 4, MALI_BLOCK_FORMAT_AFBC_TILED, ROW_B, HEADERS_B, false});
    assert_true(mali_frag_surface_fill(&surface, rect, (const uint8_t *)pixel));
    for (unsigned i = 0; i < COLUMNS * COLUMNS; i++) {
        const int32_t x = (int32_t)(i % COLUMNS) * 16, y = (int32_t)(i / COLUMNS) * 16;
        const uint8_t *bytes = image + mali_afbc_texel_header_B(&afbc, (uint32_t)x, (uint32_t)y);
        const struct mali_afbc_header header = mali_afbc_unpack(bytes);
        if (x < rect[0] || x >= rect[2] || y < rect[1])
            assert_int_equal(bytes[0], 0xee);
        else
            assert_true(header.kind == MALI_AFBC_SOLID && header.colour == pixel[0]);
    }
}

/* Three bytes a texel, from cells of four whose raw format has four, too: superblocks are as large as the mode says.
 * Those that are only cleared are headers with a colour, which becomes texels where others are written beside it. */
static void texels_of_afbc_are_of_its_mode(void **state)
{
    enum {
        BODY_B = 128,
        SUPERBLOCK_B = 256 * 3
    };
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0x99cc5533);
    struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
    target->INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_RAW32;
    target->WRITEBACK_FORMAT = MALI_COLOR_FORMAT_RAW32;
    target->WRITEBACK_BLOCK_FORMAT = MALI_BLOCK_FORMAT_AFBC;
    target->AFBC_MODE = MALI_AFBC_MODE_R8G8B8;
    target->ROW_STRIDE = 2 * 16;
    target->SURFACE_STRIDE = BODY_B;
    uint8_t *image = rig->map + RIG_IMAGE_B, *end = image + BODY_B + 4 * SUPERBLOCK_B;
    memset(image + BODY_B, 0xee, 4 * SUPERBLOCK_B + 1024);
    RUN_OK(rig);
    for (unsigned i = 0; i < 4; i++) {
        const struct mali_afbc_header header = mali_afbc_unpack(image + i * MALI_AFBC_HEADER_B);
        assert_true(header.kind == MALI_AFBC_SOLID && header.colour == 0xcc5533);
    }
    for (const uint8_t *at = image + BODY_B; at < end + 1024; at++)
        assert_int_equal(*at, 0xee);
    target->CLEAR_COLOR_0 = 0x99221100;
    rig->box[1] = 30 | 31 << 16; /* all but the last column */
    RUN_OK(rig);
    const struct mali_afbc afbc = {target->ROW_STRIDE, 4, 3, 0};
    for (unsigned i = 0; i < 4; i++) { /* those on the left are in it as a whole */
        const struct mali_afbc_header header = mali_afbc_unpack(image + i * MALI_AFBC_HEADER_B);
        assert_int_equal(header.kind == MALI_AFBC_SOLID, i % 2 == 0);
        assert_true(i % 2 || header.colour == 0x221100);
    }
    for (unsigned i = 0; i < 32 * 32; i++) {
        const uint32_t x = i % 32, y = i / 32, want = x < 16 ? 0xeeeeee : x == 31 ? 0xcc5533 : 0x221100;
        const uint8_t *texel = image + BODY_B + mali_afbc_body_B(&afbc, mali_afbc_texel_header_B(&afbc, x, y)) +
                               mali_afbc_texel_B(&afbc, x, y);
        assert_int_equal(texel[0] | texel[1] << 8 | texel[2] << 16, want);
    }
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(end[i], 0xee);
    target->AFBC_MODE = MALI_AFBC_MODE_R16G16B16A16; /* more than a cell has */
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "format 3 in memory from internal format 34"));
}

/* Frames without bins are filled in strips; with bins that are empty, tile by tile. Several targets in one place make
 * it enough for all workers. */
static void empty_frames_are_what_empty_tiles_are(void **state)
{
    enum {
        W = 420,
        H = 300,
        IMAGE_B = RIG_DEPTH_B - RIG_IMAGE_B
    };
    static const unsigned formats[] = {MALI_BLOCK_FORMAT_LINEAR, MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED,
                                       MALI_BLOCK_FORMAT_AFBC, MALI_BLOCK_FORMAT_AFBC_TILED};
    static const uint32_t boxes[][2] = {
        {0, (W - 1) | (H - 1) << 16}, {17 | 130 << 16, 401 | 290 << 16}, {5 | 3 << 16, 90 | 127 << 16}};
    struct rig *rig = *state;
    static uint8_t tiles[IMAGE_B];
    uint8_t *image = rig->map + RIG_IMAGE_B;
    for (unsigned i = 0; i < ARRAY_SIZE(formats) * ARRAY_SIZE(boxes) * 2; i++) {
        rig_target(rig, W, H, 0x99cc5533);
        struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
        target->WRITEBACK_BLOCK_FORMAT = formats[i / 2 % ARRAY_SIZE(formats)];
        target->ROW_STRIDE = i / 2 % ARRAY_SIZE(formats) == 0 ? 4 * W : 432 * 4 * 16;
        if (i / 2 % ARRAY_SIZE(formats) >= 2) {
            target->ROW_STRIDE = i / 2 % ARRAY_SIZE(formats) == 2 ? 28 * 16 : 32 * 16 * 8;
            target->SURFACE_STRIDE = 32 * 32 * 16;
        }
        rig->box[0] = boxes[i / 2 / ARRAY_SIZE(formats)][0];
        rig->box[1] = boxes[i / 2 / ARRAY_SIZE(formats)][1];
        rig->fb.RENDER_TARGET_COUNT = i % 2 ? 4 : 1;
        for (unsigned t = 1; t < rig->fb.RENDER_TARGET_COUNT; t++)
            rig->targets[t] = *target;
        memset(image, 0xee, IMAGE_B);
        RUN_OK(rig);
        memcpy(tiles, image, IMAGE_B);
        memset(image, 0xee, IMAGE_B);
        rig->fb.TILER = 0;
        RUN_OK(rig);
        assert_memory_equal(image, tiles, IMAGE_B);
    }
}

/* ---- varyings ---- */

static void varyings_are_interpolated(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    rig->shaders[1] = draw_varying;
    rig_rect(rig, 0, 0, 0, 32, 32, 0);
    struct mali_bin_prim *prim = &rig->prims[0];
    static const float corners[3][4] = {{9, 9, 0, 0}, {9, 9, 1, 0}, {9, 9, 0, 1}};
    memcpy(rig->map + RIG_VARYINGS_B, corners, sizeof(corners));
    for (unsigned i = 0; i < 3; i++)
        prim->varying_va[i] = RIG_VA + RIG_VARYINGS_B + 16 * i;
    prim->raster.i = (struct raster_plane){.dx = 1 / 32.f};
    prim->raster.j = (struct raster_plane){.dy = 1 / 32.f};
    RUN_OK(rig);
    for (uint32_t y = 0; y < 32; y++) {
        for (uint32_t x = 0; x < 32; x++) {
            assert_int_equal(rig_pixel(rig, x, y) & 0xff, (uint32_t)rintf((float)(2 * x + 1) / 64 * 255));
            assert_int_equal(rig_pixel(rig, x, y) >> 8 & 0xff, (uint32_t)rintf((float)(2 * y + 1) / 64 * 255));
        }
    }
    prim->varying_va[1] = 0x123456789000;
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "varyings: a read of 8 bytes"));
}

static void varyings_have_descriptors(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_RESOURCE table = {.ADDRESS = RIG_VA + RIG_TABLES_B + 64, .SIZE = 64};
    const struct mali_desc_ATTRIBUTE attribute = {.ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_VERTEX_PACKET,
                                                  .FORMAT = 171, /* RG8 UNORM */
                                                  .OFFSET = 1024 + 4};
    mali_pack_desc_RESOURCE((uint32_t *)(rig->map + RIG_TABLES_B), &table);
    mali_pack_desc_ATTRIBUTE((uint32_t *)(rig->map + RIG_TABLES_B + 96), &attribute);
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .RESOURCES = RIG_VA + RIG_TABLES_B, .RESOURCE_COUNT = 1},
             &opaque, NULL);
    rig->shaders[1] = draw_attribute;
    rig_rect(rig, 0, 0, 0, 32, 32, 0);
    struct mali_bin_prim *prim = &rig->prims[0];
    static const uint8_t corners[3][8] = {{9, 9, 9, 9, 0, 0}, {9, 9, 9, 9, 255, 0}, {9, 9, 9, 9, 51, 255}};
    memcpy(rig->map + RIG_VARYINGS_B, corners, sizeof(corners));
    for (unsigned i = 0; i < 3; i++)
        prim->varying_va[i] = RIG_VA + RIG_VARYINGS_B + 8 * i;
    prim->provoking = 2;
    prim->raster.i = (struct raster_plane){.dx = 1 / 32.f};
    RUN_OK(rig);
    for (uint32_t x = 0; x < 32; x++) {
        assert_int_equal(rig_pixel(rig, x, 3) & 0xff, (uint32_t)rintf((float)(2 * x + 1) / 64 * 255));
        assert_int_equal(rig_pixel(rig, x, 3) >> 16 & 0xff, 51);
    }
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .RESOURCES = RIG_VA + RIG_TABLES_B}, &opaque, NULL);
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "LD_VAR of resource table 0 of 0"));
}

/* Draws of the frame have no vertices: their varyings are those of the frame's corners, in a buffer. */
static void varyings_of_frame_draws_are_of_its_corners(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 64, 32, 0);
    rig->fb.PRE_FRAME_0 = MALI_FRAME_SHADER_MODE_ALWAYS;
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_RESOURCE table = {.ADDRESS = RIG_VA + RIG_TABLES_B + 64, .SIZE = 64};
    const struct mali_desc_BUFFER buffer = {
        .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE, .SIZE = 6, .ADDRESS = RIG_VA + RIG_VARYINGS_B};
    const struct mali_desc_ATTRIBUTE attribute = {
        .ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D, .FORMAT = 171 /* RG8 UNORM */, .STRIDE = 2};
    mali_pack_desc_RESOURCE((uint32_t *)(rig->map + RIG_TABLES_B), &table);
    mali_pack_desc_BUFFER((uint32_t *)(rig->map + RIG_TABLES_B + 64), &buffer);
    mali_pack_desc_ATTRIBUTE((uint32_t *)(rig->map + RIG_TABLES_B + 96), &attribute);
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .RESOURCES = RIG_VA + RIG_TABLES_B, .RESOURCE_COUNT = 1},
             &opaque, NULL);
    rig->frame_draws[0] = mali_unpack_desc_DRAW(rig->draws[0].words);
    rig->shaders[1] = draw_attribute;
    static const uint8_t corners[3][2] = {{0, 0}, {255, 0}, {0, 255}};
    memcpy(rig->map + RIG_VARYINGS_B, corners, sizeof(corners));
    RUN_OK(rig);
    for (uint32_t i = 0; i < 64 * 32; i++) {
        const uint32_t x = i % 64, y = i / 64;
        assert_int_equal(rig_pixel(rig, x, y) & 0xff, (uint32_t)rintf((float)(2 * x + 1) / 128 * 255));
        assert_int_equal(rig_pixel(rig, x, y) >> 8 & 0xff, (uint32_t)rintf((float)(2 * y + 1) / 64 * 255));
    }
}

/* ---- floats ---- */

/* Halves are blended without a clamp. */
static void floats_are_blended(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 16, 16, 0);
    struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
    target->INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_RGBA16F;
    target->WRITEBACK_FLOAT_FORMAT = MALI_FLOAT_COLOR_FORMAT_RGBA16F;
    target->ROW_STRIDE = 16 * 8;
    target->CLEAR_COLOR_0 = target->CLEAR_COLOR_2 = 0x4000c000; /* -2 and 2 */
    target->CLEAR_COLOR_1 = target->CLEAR_COLOR_3 = 0x3c003c00;
    struct mali_desc_BLEND blend = rig_by_alpha();
    blend.MEMORY_FORMAT = 223; /* RGBA16F */
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &blend, NULL);
    rig->shaders[1] = draw_half_green;
    rig_rect(rig, 0, 0, 0, 8, 16, 0);
    RUN_OK(rig);
    const uint16_t *row = (const uint16_t *)(rig->map + RIG_IMAGE_B);
    assert_true(half_to_float(row[0]) == -1 && half_to_float(row[1]) == 1.5f && half_to_float(row[2]) == 0.5f);
    assert_true(half_to_float(row[4 * 8]) == -2 && half_to_float(row[4 * 8 + 1]) == 2);
}

/* Checksums in memory: a tile that is there already is not written again, whatever has become of its pixels. */
static void tiles_with_the_same_checksum_are_not_written(void **state)
{
    struct rig *rig = *state;
    const uint32_t blue = 0xffff0000;
    rig_target(rig, 64, 32, blue);
    rig->fb.HAS_ZS_CRC_EXTENSION = true;
    rig->fb.CRC_WRITE_ENABLE = true;
    rig->zs = (struct mali_desc_ZS_CRC_EXTENSION){.CRC_BASE = RIG_VA + RIG_DEPTH_B, .CRC_ROW_STRIDE = 16};
    RUN_OK(rig);
    memset(rig->map + RIG_IMAGE_B, 0, 64 * 32 * 4);
    rig->fb.CRC_READ_ENABLE = true;
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 5, 5), 0);
    assert_int_equal(rig_pixel(rig, 40, 5), 0);

    /* One of the two has another pixel. */
    rig->shaders[1] = draw_red;
    const struct mali_desc_BLEND opaque = rig_opaque();
    const struct mali_desc_DRAW draw = {.SHADER = 1};
    rig_draw(rig, 0, &draw, &opaque, NULL);
    rig_rect(rig, 0, 40, 5, 41, 6, 0);
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 5, 5), 0);
    assert_int_equal(rig_pixel(rig, 40, 5), RED);
    assert_int_equal(rig_pixel(rig, 41, 5), blue);

    /* Checksums that are not valid are not compared. */
    rig->fb.CRC_READ_ENABLE = false;
    RUN_OK(rig);
    assert_int_equal(rig_pixel(rig, 5, 5), blue);

    rig->zs.CRC_BASE = 0x123456789000;
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "checksum of a tile: a write of 8 bytes"));
}

/* Three halves of four: the mean of the samples, and nothing after the last pixel. */
static void floats_are_averaged(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 16, 16, 0);
    four_samples(rig);
    struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
    target->INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_RGBA16F;
    target->WRITEBACK_FORMAT = 0; /* which stands in the same place */
    target->WRITEBACK_FLOAT_FORMAT = MALI_FLOAT_COLOR_FORMAT_RGB16F;
    target->WRITEBACK_MSAA = MALI_MSAA_AVERAGE;
    target->ROW_STRIDE = 16 * 6;
    target->CLEAR_COLOR_0 = 0x4000c000; /* -2 and 2 */
    target->CLEAR_COLOR_1 = 0x3c004000;
    struct mali_desc_BLEND opaque = rig_opaque();
    opaque.MEMORY_FORMAT = 223; /* RGBA16F */
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1, .MULTISAMPLE_ENABLE = true, .SAMPLE_MASK = 1}, &opaque,
             NULL);
    rig->shaders[1] = draw_half_green;
    rig_rect(rig, 0, 8, 0, 16, 16, 0);
    uint8_t *end = rig->map + RIG_IMAGE_B + 16 * 16 * 6;
    memset(end, 0xee, 2);
    RUN_OK(rig);
    const uint16_t *row = (const uint16_t *)(rig->map + RIG_IMAGE_B);
    assert_true(half_to_float(row[0]) == -2 && half_to_float(row[1]) == 2 && half_to_float(row[2]) == 2);
    row += 3 * 8; /* one sample of four is green */
    assert_true(half_to_float(row[0]) == -1.5f && half_to_float(row[1]) == 1.75f && half_to_float(row[2]) == 1.5f);
    assert_int_equal(end[0] | end[1] << 8, 0xeeee);
}

/* A target whose memory does not fit the cells stops instead of being written wrongly. */
static void formats_that_do_not_fit_stop(void **state)
{
    static const struct {
        unsigned internal, format, swizzle_r;
    } rows[] = {
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_NATIVE, 0},
        {MALI_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_RAW32, 0},
        {MALI_INTERNAL_FORMAT_RAW16, MALI_COLOR_FORMAT_RAW32, 0},
        {MALI_INTERNAL_FORMAT_RGBA16F, MALI_FLOAT_COLOR_FORMAT_RGBA16F, 2},
        {MALI_INTERNAL_FORMAT_RGBA16F, MALI_FLOAT_COLOR_FORMAT_RG11F_B10F, 0},
        {MALI_INTERNAL_FORMAT_RG11F_B10F, MALI_FLOAT_COLOR_FORMAT_RG16F, 0},
    };
    struct rig *rig = *state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        rig_target(rig, 16, 16, 0);
        struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
        const bool is_float =
            rows[i].internal >= MALI_INTERNAL_FORMAT_R16F && rows[i].internal < MALI_INTERNAL_FORMAT_RAW8;
        target->INTERNAL_FORMAT = rows[i].internal;
        target->WRITEBACK_FORMAT = is_float ? 0 : rows[i].format;
        target->WRITEBACK_FLOAT_FORMAT = is_float ? rows[i].format : 0;
        target->SWIZZLE_R = rows[i].swizzle_r;
        assert_false(rig_run(rig));
        assert_non_null(strstr(rig_report(rig), "in memory from internal format"));
    }
}

/* A tile's cells of every size, cleared, and pixels of every size in memory. */
static void cells_and_pixels_have_their_sizes(void **state)
{
    static const uint32_t clear[4] = {0x04030201, 0x08070605, 0x0c0b0a09, 0x100f0e0d};
    static uint8_t colors[8 * 8 * 64 * FRAG_CELL_B], memory[8 * 8 * FRAG_CELL_B];
    for (unsigned size_B = 1; size_B <= FRAG_CELL_B; size_B++) {
        struct frag_fb fb = {.tile_w = 16, .tile_h = 24, .samples = 2, .target_count = 1};
        static struct frag_worker w;
        w.fb = &fb, w.colors = colors;
        fb.targets[0].cell_B = (uint8_t)size_B;
        memcpy(fb.targets[0].clear, clear, sizeof(clear));
        memset(colors, 0xee, sizeof(colors));
        mali_frag_clear(&w);
        for (unsigned i = 0; i < 2 * 16 * 24 * size_B; i++)
            assert_int_equal(colors[i], i % size_B + 1);
        assert_int_equal(colors[2 * 16 * 24 * size_B], 0xee);

        struct frag_block block = {.pixel_B = size_B};
        for (unsigned y = 0; y < 8; y++)
            block.row[y] = memory + (size_t)8 * size_B * y;
        for (unsigned i = 0; i < sizeof(memory); i++)
            colors[i] = (uint8_t)(i * 7);
        memset(memory, 0xee, sizeof(memory));
        const uint64_t pixels = 0x8421ffff000ff0a5ull;
        mali_frag_surface_put(&block, pixels, colors, FRAG_CELL_B, 0, size_B);
        for (unsigned i = 0; i < 64; i++) {
            const unsigned x = (i >> 1 & 6) | (i & 1), y = (i >> 3 & 6) | (i >> 1 & 1);
            for (unsigned b = 0; b < size_B; b++)
                assert_int_equal(memory[(8 * y + x) * size_B + b],
                                 pixels >> i & 1 ? (uint8_t)((FRAG_CELL_B * i + b) * 7) : 0xee);
        }
    }
}

/* Where the bytes of an image of AFBC are whose headers say nothing else: in the order of the headers. */
static uint8_t *afbc_pixel(const struct rig *rig, const struct mali_afbc *afbc, uint32_t body_B, uint32_t x, uint32_t y)
{
    return rig->map + RIG_IMAGE_B + body_B + mali_afbc_body_B(afbc, mali_afbc_texel_header_B(afbc, x, y)) +
           mali_afbc_texel_B(afbc, x, y);
}

/* Cells may be larger than pixels, and follow each other. */
static void whole_blocks_are_where_their_pixels_are(void **state)
{
    enum {
        SIDE = 32,
        BODY_B = 1024
    };
    static const struct {
        uint8_t format, order;
        bool is_wide;
    } orders[] = {{MALI_BLOCK_FORMAT_LINEAR, MALI_ORDER_LINEAR, false},
                  {MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED, MALI_ORDER_TILED, false},
                  {MALI_BLOCK_FORMAT_AFBC, 0, false},
                  {MALI_BLOCK_FORMAT_AFBC, 0, true}};
    static const unsigned strides_B[] = {1, 4, 16};
    static uint8_t cells[FRAG_BLOCK_PIXELS * FRAG_CELL_B];
    struct rig *rig = *state;
    for (unsigned i = 0; i < sizeof(cells); i++)
        cells[i] = (uint8_t)(i * 7 + i / 251);
    for (unsigned size_B = 1; size_B <= FRAG_CELL_B; size_B *= 2) {
        for (unsigned n = 0; n < ARRAY_SIZE(orders) * ARRAY_SIZE(strides_B); n++) {
            const unsigned stride_B = MAX2(size_B, strides_B[n / ARRAY_SIZE(orders)]), o = n % ARRAY_SIZE(orders);
            const bool is_afbc = orders[o].format == MALI_BLOCK_FORMAT_AFBC;
            const struct mali_afbc afbc = {orders[o].is_wide ? 16 : 32, orders[o].is_wide ? 5 : 4, (uint8_t)size_B, 0};
            const uint32_t row_B =
                is_afbc ? afbc.row_B : SIDE * size_B * (orders[o].order == MALI_ORDER_TILED ? 16 : 1);
            const struct frag_surface_info info = {RIG_VA + RIG_IMAGE_B, size_B, orders[o].format, row_B, BODY_B,
                                                   orders[o].is_wide};
            struct frag_surface surface = mali_frag_surface(&rig->group.queues[0], "target", &info);
            const struct mali_tile tile = mali_tile_init(size_B, row_B, orders[o].order, false);
            struct frag_block block;
            memset(rig->map + RIG_IMAGE_B, 0xee, BODY_B + (size_t)SIDE * SIDE * size_B);
            assert_true(mali_frag_surface_find(&surface, 8, 16, UINT64_MAX, &block));
            mali_frag_surface_put(&block, UINT64_MAX, cells, stride_B, 0, size_B);
            for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++) {
                const unsigned x = 8 + ((i >> 1 & 6) | (i & 1)), y = 16 + ((i >> 3 & 6) | (i >> 1 & 1));
                const uint8_t *at = is_afbc ? afbc_pixel(rig, &afbc, BODY_B, x, y)
                                            : rig->map + RIG_IMAGE_B + mali_tile_offset_B(&tile, x, y);
                assert_memory_equal(at, cells + i * stride_B, size_B);
            }
            unsigned others = 0;
            for (unsigned i = 0; i < BODY_B + SIDE * SIDE * size_B; i++)
                others += rig->map[RIG_IMAGE_B + i] != 0xee;
            assert_in_range(others, 1, FRAG_BLOCK_PIXELS * size_B);
        }
    }
}

/* In any order, and more of them than are remembered. */
static void superblocks_are_found_again(void **state)
{
    enum {
        SIDE = 256,
        BLOCKS = SIDE / 8 * SIDE / 8,
        BODY_B = 4096
    };
    struct rig *rig = *state;
    for (unsigned wide = 0; wide < 2; wide++) {
        const struct mali_afbc afbc = {wide ? 8 * 16 : 16 * 16, wide ? 5 : 4, 2, 0};
        const struct frag_surface_info info = {RIG_VA + RIG_IMAGE_B, 2,      MALI_BLOCK_FORMAT_AFBC,
                                               afbc.row_B,           BODY_B, wide};
        struct frag_surface surface = mali_frag_surface(&rig->group.queues[0], "target", &info);
        const int32_t some[4] = {32, 48, 100, 90};
        assert_true(mali_frag_surface_open(&surface, some, false)); /* they have one colour till then */
        for (uint32_t i = 0; i < BLOCKS; i++) {
            const uint16_t number = (uint16_t)i;
            memcpy(afbc_pixel(rig, &afbc, BODY_B, i % (SIDE / 8) * 8, i / (SIDE / 8) * 8), &number, sizeof(number));
        }
        for (uint32_t i = 0, number = 0; i < 2 * BLOCKS; i++, number = (number * 5 + 13) % BLOCKS) {
            struct frag_block block;
            uint16_t found;
            assert_true(
                mali_frag_surface_find(&surface, number % (SIDE / 8) * 8, number / (SIDE / 8) * 8, UINT64_MAX, &block));
            memcpy(&found, block.first, sizeof(found));
            assert_int_equal(found, number);
        }
    }
}

static void wild_framebuffers_are_faults(void **state)
{
    struct rig *rig = *state;
    rig_target(rig, 32, 32, 0);
    rig->targets[0].BASE = 0x123456789000;
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "render target: a write of 128 bytes"));
    rig_target(rig, 32, 32, 0);
    rig->targets[0].INTERNAL_FORMAT = 9;
    assert_false(rig_run(rig));
    assert_non_null(strstr(rig_report(rig), "no internal format 9"));
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(a_clear_fills_the_box),
        ROW(tiled_memory_has_its_curve),
        ROW(clean_pixels_are_left_alone),
        ROW(blending_is_in_order),
        ROW(tiles_of_few_primitives_go_to_all_workers),
        ROW(draws_begin_in_every_turn),
        ROW(masks_keep_channels),
        ROW(equations_are_sums_of_products),
        ROW(nearer_pixels_win),
        ROW(pixels_outside_of_the_depth_bounds_are_not_drawn),
        ROW(discarded_pixels_write_no_depth),
        ROW(shaders_give_depth),
        ROW(stencil_counts),
        ROW(passed_samples_are_counted),
        ROW(shaders_read_what_was_drawn_before),
        ROW(strict_mode_knows_what_is_in_the_tile_buffer),
        ROW(frame_draws_run_where_they_are_asked_for),
        ROW(samples_are_averaged),
        ROW(samples_have_surfaces_and_shaders),
        ROW(sixteen_samples_have_two_halves),
        ROW(sixteen_samples_have_shaders_and_means),
        ROW(formats_of_memory),
        ROW(filled_superblocks_are_those_inside),
        ROW(texels_of_afbc_are_of_its_mode),
        ROW(empty_frames_are_what_empty_tiles_are),
        ROW(varyings_are_interpolated),
        ROW(varyings_have_descriptors),
        ROW(varyings_of_frame_draws_are_of_its_corners),
        ROW(floats_are_blended),
        ROW(tiles_with_the_same_checksum_are_not_written),
        ROW(floats_are_averaged),
        ROW(formats_that_do_not_fit_stop),
        ROW(cells_and_pixels_have_their_sizes),
        ROW(whole_blocks_are_where_their_pixels_are),
        ROW(superblocks_are_found_again),
        ROW(wild_framebuffers_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
