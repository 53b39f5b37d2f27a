/* Pixels that run without their quads (frag_pack.c), and their cells (frag_codes.c). The joined program is not here:
 * its colour is the place of the pixel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "mali/model/frag/frag_join.h"
#include "util/bits.h"

#define MOST 16

static struct {
    struct mali_warp *warp;
    struct frag_joined joined;
    bool is_gone; /* the joined program */
    unsigned warps, loads, quads;
    uint64_t lanes[MOST];
    struct {
        unsigned prim, first, end;
    } load[64];
    struct frag_quad quad[64];
    uint64_t killed;
} it;

static struct frag_fb fb;
static struct frag_worker *worker;

/* ---- what the room calls ---- */

struct frag_joined *mali_frag_joined(struct frag_worker *w)
{
    return it.is_gone ? NULL : &it.joined;
}

struct mali_warp *mali_frag_join_begin(struct frag_worker *w, struct frag_joined *joined, bool is_one)
{
    return it.warp;
}

bool mali_frag_join_values(struct frag_worker *w, const struct frag_join_variant *variant,
                           const struct mali_bin_prim *prim, struct mali_warp *warp)
{
    return true;
}

uint64_t mali_frag_first_samples(const uint32_t *coverage)
{
    return UINT64_MAX;
}

bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant,
                      const struct sc_join_between *between, uint64_t lanes, uint64_t covered)
{
    struct frag_join_rows *rows = mali_frag_join_rows(warp);
    memcpy(rows->codes[0][0], mali_warp_row(warp, FRAG_REG_PLACE), sizeof(rows->codes[0][0]));
    memcpy(rows->codes[0][1], mali_warp_row(warp, FRAG_REG_PRIMITIVE), sizeof(rows->codes[0][1]));
    rows->killed = it.killed;
    assert_true(lanes == covered);
    it.lanes[it.warps++] = lanes;
    return true;
}

void mali_frag_lane_weights(struct frag_worker *w, const struct raster_prim *prim, const float *x, const float *y,
                            unsigned first, unsigned end)
{
    for (unsigned lane = first; lane < end; lane++) { /* from the origin of the primitive to the middle of the pixel */
        const uint32_t place = w->packed.places[lane];
        assert_true(x[lane] == (float)(place & 0xffff) + 0.5f - prim->origin_x);
        assert_true(y[lane] == (float)(place >> 16) + 0.5f - prim->origin_y);
    }
}

bool mali_frag_load_run(struct frag_worker *w, const struct mali_bin_prim *prim, const struct mali_varying_load *load,
                        unsigned first, unsigned end)
{
    assert_true(it.loads < ARRAY_SIZE(it.load));
    it.load[it.loads].prim = prim->primitive;
    it.load[it.loads].first = first;
    it.load[it.loads++].end = end;
    return true;
}

void mali_frag_preload_frame(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted)
{
}

bool mali_frag_run_quads(struct frag_worker *w)
{
    for (unsigned q = 0; q < w->quad_count; q++)
        it.quad[it.quads++] = w->quads[q];
    w->quad_count = 0;
    return true;
}

bool mali_frag_flush(struct frag_worker *w)
{
    memset(w->pending, 0, sizeof(w->pending));
    assert_true(w->packed.count ? mali_frag_run_packed(w) : mali_frag_run_quads(w));
    w->prim_count = 0;
    return true;
}

unsigned mali_frag_find_prim(struct frag_worker *w, const struct mali_bin_prim *prim)
{
    if (w->prim_count && w->prims[w->prim_count - 1].serial == w->prim_serial)
        return w->prim_count - 1;
    w->prims[w->prim_count] = (struct frag_prim){.serial = w->prim_serial, .bin = *prim};
    return w->prim_count++;
}

/* ---- a tile ---- */

static struct frag_draw draw;

static int setup(void **state)
{
    memset(&it, 0, sizeof(it));
    draw = (struct frag_draw){.has_shader = true, .is_tested_first = true};
    fb = (struct frag_fb){.tile_w = 32, .tile_h = 32, .samples = 1, .target_count = 1};
    fb.targets[0].cell_B = 8;
    worker = calloc(1, sizeof(*worker));
    worker->fb = &fb;
    worker->draw = &draw;
    worker->tile = (struct raster_tile){64, 32, 32, 32};
    worker->colors = calloc(32 * 32, FRAG_CELL_B);
    const size_t warp_B = (sizeof(struct mali_warp) + sizeof(struct frag_join_rows) + 63) & ~(size_t)63;
    it.warp = aligned_alloc(64, warp_B);
    if (it.warp) {
        memset(it.warp, 0, warp_B);
        it.warp->env = lane_env_get(); /* hosts refuse words that are no modes */
    }
    for (unsigned i = 0; i < 2; i++) {
        struct frag_join_variant *variant = &it.joined.variants[i];
        it.joined.base.variants[i].state = PIXEL_JOIN_READY;
        variant->is_apart = variant->has_discard = true;
        variant->preloaded = 1u << (FRAG_REG_PLACE - 48);
        variant->varying_count = variant->output_count = 1;
        variant->as_rows = 1;
    }
    return worker->colors && it.warp ? 0 : -1;
}

static int teardown(void **state)
{
    free(it.warp);
    free(worker->colors);
    free(worker);
    return 0;
}

/* Pixels of a block by a primitive of its own, whose number is above 0. */
static void pack_pixels(unsigned number, unsigned in_x, unsigned in_y, uint64_t pixels)
{
    const struct mali_bin_prim prim = {.primitive = number, .raster = {.origin_x = (float)number, .origin_y = 7.25f}};
    worker->prim_serial = number;
    assert_true(mali_frag_pack(worker, &prim, in_x, in_y, pixels));
}

/* The primitive that has drawn a pixel, 0 if none has; its place is the right one, and it is marked. */
static uint32_t drawn_by(unsigned x, unsigned y)
{
    const unsigned cell = mali_frag_place(&fb, x, y);
    uint32_t words[2];
    memcpy(words, worker->colors + 8 * (size_t)cell, sizeof(words));
    assert_int_equal(worker->dirty[0][cell / FRAG_BLOCK_PIXELS] >> cell % FRAG_BLOCK_PIXELS & 1, words[1] != 0);
    assert_int_equal(words[0], words[1] ? (64 + x) | (32 + y) << 16 : 0);
    return words[1];
}

/* ---- tests ---- */

static void programs_that_look_at_others_have_quads(void **state)
{
    assert_true(mali_frag_packs(worker));
    it.joined.variants[false].is_apart = false;
    assert_false(mali_frag_packs(worker));
    it.joined.variants[false].is_apart = true;
    it.joined.base.variants[false].state = PIXEL_JOIN_WAITS;
    assert_false(mali_frag_packs(worker));
    it.joined.base.variants[false].state = PIXEL_JOIN_READY;
    draw.is_tested_first = false;
    assert_false(mali_frag_packs(worker));
    draw.is_tested_first = true;
    draw.dcd.ALPHA_TO_COVERAGE = true;
    assert_false(mali_frag_packs(worker));
    draw.dcd.ALPHA_TO_COVERAGE = false;
    it.is_gone = true;
    assert_false(mali_frag_packs(worker));
}

static void a_lane_is_a_pixel(void **state)
{
    const uint64_t first = 0x8421000011110001ull, second = 0x1000000000000106ull;
    pack_pixels(1, 8, 16, first);
    pack_pixels(2, 24, 0, second);
    assert_int_equal(it.warps, 0);
    assert_true(mali_frag_flush(worker));
    const unsigned count = (unsigned)__builtin_popcountll(first), all = count + (unsigned)__builtin_popcountll(second);
    assert_int_equal(it.warps, 1);
    assert_true(it.lanes[0] == bits_mask(all));
    assert_int_equal(it.loads, 2);
    assert_int_equal(it.load[0].prim, 1);
    assert_int_equal(it.load[0].first, 0);
    assert_int_equal(it.load[0].end, count);
    assert_int_equal(it.load[1].prim, 2);
    assert_int_equal(it.load[1].first, count);
    assert_int_equal(it.load[1].end, all);
    for (unsigned y = 0; y < 32; y++) {
        for (unsigned x = 0; x < 32; x++) {
            const unsigned bit = mali_frag_place(&fb, x, y) % FRAG_BLOCK_PIXELS;
            const bool is_first = x / 8 == 1 && y / 8 == 2, is_second = x / 8 == 3 && y / 8 == 0;
            assert_int_equal(drawn_by(x, y), is_first && first >> bit & 1 ? 1 : is_second && second >> bit & 1 ? 2 : 0);
        }
    }
}

static void killed_pixels_stay(void **state)
{
    it.killed = 5;
    pack_pixels(1, 0, 0, 15);
    assert_true(mali_frag_flush(worker));
    assert_int_equal(drawn_by(0, 0), 0);
    assert_int_equal(drawn_by(1, 0), 1);
    assert_int_equal(drawn_by(0, 1), 0);
    assert_int_equal(drawn_by(1, 1), 1);
}

static void full_warps_run(void **state)
{
    pack_pixels(1, 0, 0, bits_mask(50));
    pack_pixels(2, 8, 0, bits_mask(40)); /* 14 of them, and what is left waits */
    assert_int_equal(it.warps, 1);
    assert_true(it.lanes[0] == UINT64_MAX);
    assert_int_equal(worker->packed.count, 26);
    pack_pixels(3, 16, 0, UINT64_MAX);
    assert_int_equal(it.warps, 2);
    assert_int_equal(worker->packed.count, 26);
    for (unsigned number = 4; number < 40; number++) /* more primitives than a batch has */
        pack_pixels(number, 24, 0, 1ull << number);
    assert_int_equal(it.warps, 3);
    assert_true(mali_frag_flush(worker));
    for (unsigned i = 0; i < 64; i++) {
        const unsigned x = (i >> 1 & 6) | (i & 1), y = (i >> 3 & 6) | (i >> 1 & 1);
        assert_int_equal(drawn_by(x, y), i < 50 ? 1 : 0);
        assert_int_equal(drawn_by(8 + x, y), i < 40 ? 2 : 0);
        assert_int_equal(drawn_by(16 + x, y), 3);
        assert_int_equal(drawn_by(24 + x, y), i >= 4 && i < 40 ? i : 0);
    }
}

/* Pixels that are drawn twice are drawn in order. */
static void pixels_that_wait_run_first(void **state)
{
    pack_pixels(1, 8, 8, 0xf0);
    pack_pixels(2, 8, 8, 0x0f);
    pack_pixels(3, 16, 8, 0xf0);
    assert_int_equal(it.warps, 0);
    pack_pixels(4, 8, 8, 0x18);
    assert_int_equal(it.warps, 1);
    assert_true(mali_frag_flush(worker));
    assert_int_equal(drawn_by(8, 8), 2);
    assert_int_equal(drawn_by(9, 9), 4);
    assert_int_equal(drawn_by(10, 8), 4);
    assert_int_equal(drawn_by(11, 8), 1);
    worker->quad_count = 1; /* and quads of the draw, as soon as pixels come */
    pack_pixels(5, 0, 0, 1);
    assert_int_equal(it.quads, 1);
}

static void without_the_program_pixels_are_quads(void **state)
{
    pack_pixels(1, 8, 8, 1ull << 7 | 1ull << 62);
    pack_pixels(2, 0, 0, 0xffff);
    it.is_gone = true;
    assert_true(mali_frag_flush(worker));
    assert_int_equal(it.warps, 0);
    assert_int_equal(it.quads, 18);
    for (unsigned q = 0; q < 18; q++) {
        const unsigned bit = q == 0 ? 7 : q == 1 ? 62 : q - 2, block = q < 2 ? 8 : 0;
        assert_int_equal(it.quad[q].x, 64 + block + (bit >> 1 & 6));
        assert_int_equal(it.quad[q].y, 32 + block + (bit >> 3 & 6));
        assert_int_equal(it.quad[q].cell, mali_frag_place(&fb, block, block) + (bit & ~3u));
        assert_true(it.quad[q].mask == 1ull << bit % 4 * 8 && it.quad[q].coverage == it.quad[q].mask);
        assert_true(it.quad[q].prim->origin_x == (q < 2 ? 1 : 2));
    }
}

/* The lowest bytes of a lane's words, and of no other lane. */
static void cells_are_as_large_as_the_target_says(void **state)
{
    uint32_t codes[4][MALI_ROW_LANES];
    const uint64_t drawn = 0xf00000000000a5a6ull;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        worker->packed.cells[i] = (uint16_t)(i * 37 % 1024);
        for (unsigned k = 0; k < 4; k++)
            codes[k][i] = 0x01020304u * (k + 1) + 0x10101010u * (i % 13);
    }
    for (unsigned cell_B = 1; cell_B <= FRAG_CELL_B; cell_B *= 2) {
        uint8_t want[1024 * FRAG_CELL_B];
        memset(want, 0xee, sizeof(want));
        memset(worker->colors, 0xee, sizeof(want));
        memset(worker->dirty, 0, sizeof(worker->dirty));
        uint64_t dirty[1024 / FRAG_BLOCK_PIXELS] = {0};
        fb.targets[0].cell_B = (uint8_t)cell_B;
        mali_frag_put_pixels(worker, 0, (const uint32_t(*)[MALI_ROW_LANES])codes, drawn);
        for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
            const unsigned cell = worker->packed.cells[i];
            for (unsigned b = 0; b < cell_B && drawn >> i & 1; b++)
                want[cell_B * cell + b] = (uint8_t)(codes[b / 4][i] >> b % 4 * 8);
            dirty[cell / FRAG_BLOCK_PIXELS] |= (drawn >> i & 1) << cell % FRAG_BLOCK_PIXELS;
        }
        assert_memory_equal(worker->colors, want, sizeof(want));
        assert_memory_equal(worker->dirty[0], dirty, sizeof(dirty));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_that_look_at_others_have_quads, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lane_is_a_pixel, setup, teardown),
        cmocka_unit_test_setup_teardown(killed_pixels_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(full_warps_run, setup, teardown),
        cmocka_unit_test_setup_teardown(pixels_that_wait_run_first, setup, teardown),
        cmocka_unit_test_setup_teardown(without_the_program_pixels_are_quads, setup, teardown),
        cmocka_unit_test_setup_teardown(cells_are_as_large_as_the_target_says, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
