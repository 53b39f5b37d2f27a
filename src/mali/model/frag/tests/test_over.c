/* Rectangles that primitives cover as a whole (frag_over.c): which are filled, moved, or left to tiles. What fills,
 * moves and draws is not here: it says that it was called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/model/frag/frag.h"

enum called {
    CALLED_NOTHING,
    CALLED_FILL,
    CALLED_SOLID,
    CALLED_MOVE,
};

static struct {
    enum called called;
    bool replaces, is_solid, moves;
    struct frag_draw frame_draw;
    uint64_t serial; /* of the draw that was begun */
} it;

/* ---- what the room calls ---- */

static struct frag_draw draws[4];

const struct frag_draw *mali_frag_find_frame_draw(struct frag_worker *w, unsigned number)
{
    return &it.frame_draw;
}

struct frag_draw *mali_frag_find_draw(struct frag_worker *w, uint64_t serial, const uint32_t words[MALI_DRAW_DW])
{
    draws[serial].serial = serial;
    draws[serial].coverage[0] = w->fb->coverage[0];
    return &draws[serial];
}

bool mali_frag_begin_draw(struct frag_worker *w, const struct frag_draw *draw)
{
    it.serial = draw->serial;
    return true;
}

bool mali_frag_replaces(struct frag_worker *w, bool *is_solid_out)
{
    *is_solid_out = it.is_solid;
    return it.replaces;
}

const struct sc_move *mali_frag_find_move(struct frag_worker *w)
{
    static const struct sc_move move;
    return it.moves ? &move : NULL;
}

bool mali_frag_move(struct frag_worker *w, const struct sc_move *move, bool *is_done_out)
{
    it.called = CALLED_MOVE;
    *is_done_out = true;
    return true;
}

bool mali_frag_find_solid(struct frag_worker *w)
{
    return true;
}

bool mali_frag_end_draw(struct frag_worker *w)
{
    return true;
}

bool mali_frag_fill(const struct frag_worker *w)
{
    it.called = CALLED_FILL;
    return true;
}

bool mali_frag_fill_solid(struct frag_worker *w)
{
    it.called = CALLED_SOLID;
    return true;
}

/* ---- frames ---- */

static struct mali_group group;
static struct mali_gpu gpu;
static _Atomic bool killed;
static struct frag_fb fb;
static struct frag_few few;
static struct frag_worker *worker;

static int setup(void **state)
{
    memset(&it, 0, sizeof(it));
    memset(&few, 0, sizeof(few));
    memset(&group, 0, sizeof(group));
    it.replaces = it.is_solid = true;
    group.queues[0].gpu = &gpu;
    group.queues[0].group = &group;
    group.queues[0].killed = &killed;
    fb = (struct frag_fb){.queue = &group.queues[0],
                          .width = 128,
                          .height = 128,
                          .tile_w = 32,
                          .tile_h = 32,
                          .samples = 1,
                          .halves = 1,
                          .can_fill = true};
    fb.coverage[0] =
        (struct raster_coverage){.samples = 1, .iterations = 1, .same_locations = true, .sample_mask = {1, 1, 1, 1}};
    for (unsigned p = 0; p < 4; p++)
        fb.coverage[0].x[p][0] = fb.coverage[0].y[p][0] = RASTER_LOCATION_ONE / 2;
    worker = calloc(1, sizeof(*worker));
    worker->fb = &fb;
    worker->walked = calloc(FRAG_TILE_PIXELS, sizeof(*worker->walked));
    worker->tile = (struct raster_tile){32, 32, 32, 32};
    return worker->walked ? 0 : -1;
}

static int teardown(void **state)
{
    free(worker->walked);
    free(worker);
    return 0;
}

/* A rectangle of pixels. */
static void add_rectangle(unsigned draw, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    few.bins.prims[few.count] = (struct mali_bin_prim){
        .raster = {.x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1, .w = {.at = 1}, .subpixel_bits = 8, .is_linear = true}};
    few.bins.draws[few.count++].serial = draw;
}

static void expect_call(enum called called)
{
    bool is_done = false;
    it.called = CALLED_NOTHING;
    assert_true(mali_frag_over_rect(worker, &few, &is_done));
    assert_int_equal(it.called, called);
    assert_int_equal(is_done, called != CALLED_NOTHING);
}

enum {
    PIXEL = 1 << 8,
    SIDE = 128 * PIXEL
}; /* subpixels */

/* A triangle with the edge from the upper right to the lower left of the frame, and far beyond, which is shifted to the
 * right and down; and with a corner. */
static void add_triangle(int32_t shift, int32_t x, int32_t y)
{
    const int32_t ends[2][2] = {{2 * SIDE + shift, shift - SIDE}, {shift - SIDE, 2 * SIDE + shift}};
    const bool is_left = x + y < SIDE;
    const int32_t corners[3][2] = {
        {x, y}, {ends[!is_left][0], ends[!is_left][1]}, {ends[is_left][0], ends[is_left][1]}};
    struct raster_prim *prim = &few.bins.prims[few.count].raster;
    add_rectangle(1, 0, 0, 256, 256);
    raster_set_edges(prim, corners, 3, true, RASTER_LEFT_IN | RASTER_TOP_IN, RASTER_LEFT_IN | RASTER_TOP_IN);
}

/* ---- tests ---- */

static void frame_draws(void **state)
{
    assert_false(mali_frag_has_frame_draw(&fb));
    fb.frame_modes[1] = MALI_FRAME_SHADER_MODE_INTERSECT;
    assert_false(mali_frag_has_frame_draw(&fb));
    fb.frame_modes[2] = MALI_FRAME_SHADER_MODE_ALWAYS;
    assert_true(mali_frag_has_frame_draw(&fb));
}

static void hiding(void **state)
{
    fb.frame_modes[0] = MALI_FRAME_SHADER_MODE_ALWAYS;
    assert_true(mali_frag_can_hide(worker));
    it.frame_draw.writes_z = true; /* what was found stays */
    assert_true(mali_frag_can_hide(worker));
    worker->is_hiding_known = false;
    assert_false(mali_frag_can_hide(worker));
    it.frame_draw = (struct frag_draw){.occlusion = MALI_OCCLUSION_MODE_COUNTER};
    worker->is_hiding_known = false;
    assert_false(mali_frag_can_hide(worker));
    fb.frame_modes[0] = MALI_FRAME_SHADER_MODE_NEVER;
    worker->is_hiding_known = false;
    assert_true(mali_frag_can_hide(worker));
    fb.z.is_written = true;
    worker->is_hiding_known = false;
    assert_false(mali_frag_can_hide(worker));
}

static void empty_rectangles(void **state)
{
    expect_call(CALLED_FILL);
    add_rectangle(1, 0, 0, 32, 128); /* beside it */
    expect_call(CALLED_FILL);
    fb.frame_modes[0] = MALI_FRAME_SHADER_MODE_ALWAYS;
    expect_call(CALLED_NOTHING);
    fb.frame_modes[0] = MALI_FRAME_SHADER_MODE_NEVER;
    fb.can_fill = false;
    expect_call(CALLED_NOTHING);
    fb.can_fill = true;
    fb.samples = 4;
    expect_call(CALLED_NOTHING);
}

static void covered_rectangles(void **state)
{
    worker->tile = (struct raster_tile){0, 0, 128, 128}; /* larger than a tile */
    add_rectangle(2, 0, 0, 128, 128);
    expect_call(CALLED_SOLID);
    assert_int_equal(it.serial, 2);
    it.is_solid = false;
    expect_call(CALLED_NOTHING);
    it.moves = true;
    expect_call(CALLED_MOVE);
    it.replaces = false;
    expect_call(CALLED_NOTHING);
    it.replaces = true;
    few.bins.prims[0].is_cut = true;
    expect_call(CALLED_NOTHING);
    few.bins.prims[0].is_cut = false;
    fb.frame_modes[2] = MALI_FRAME_SHADER_MODE_ALWAYS; /* after it */
    expect_call(CALLED_NOTHING);
}

static void together(void **state)
{
    add_rectangle(1, 0, 0, 44, 128);
    expect_call(CALLED_NOTHING); /* a part of the tile */
    add_rectangle(1, 44, 0, 128, 128);
    expect_call(CALLED_SOLID);
    few.bins.draws[1].serial = 2;
    expect_call(CALLED_NOTHING); /* of two draws */
    few.bins.draws[1].serial = 1;
    few.bins.prims[1].raster.y1 = 63;
    expect_call(CALLED_NOTHING); /* a row is left */
    few.bins.prims[1].raster.y1 = 64;
    expect_call(CALLED_SOLID);
    worker->tile = (struct raster_tile){0, 0, 64, 64}; /* more than a tile is not looked at by pixels */
    expect_call(CALLED_NOTHING);
}

/* Two triangles are taken for one cover of a rectangle of any size if no gap is left between the edges that they have
 * in common, and no other edge cuts it. */
static void two_triangles(void **state)
{
    static const int32_t gaps[] = {1, PIXEL / 4, PIXEL, 3 * PIXEL, 40 * PIXEL};
    worker->tile = (struct raster_tile){0, 0, 128, 128};
    add_triangle(0, -SIDE, -SIDE);
    expect_call(CALLED_NOTHING); /* a half of it */
    add_triangle(0, 2 * SIDE, 2 * SIDE);
    expect_call(CALLED_SOLID);
    for (unsigned i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
        few.count = 1;
        add_triangle(gaps[i], 2 * SIDE, 2 * SIDE); /* begins later */
        expect_call(CALLED_NOTHING);
        few.count = 1;
        add_triangle(-gaps[i], 2 * SIDE, 2 * SIDE); /* earlier */
        expect_call(CALLED_SOLID);
    }
    few.count = 1;
    add_triangle(0, SIDE - 8 * PIXEL, SIDE - 8 * PIXEL); /* does not reach the last corner */
    expect_call(CALLED_NOTHING);
    few.count = 1;
    add_triangle(0, -SIDE, -SIDE); /* on the same side */
    expect_call(CALLED_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frame_draws, setup, teardown),
        cmocka_unit_test_setup_teardown(hiding, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_rectangles, setup, teardown),
        cmocka_unit_test_setup_teardown(covered_rectangles, setup, teardown),
        cmocka_unit_test_setup_teardown(together, setup, teardown),
        cmocka_unit_test_setup_teardown(two_triangles, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
