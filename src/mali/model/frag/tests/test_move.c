/* Rectangles that go from memory to memory (frag_move.c) beside the same pixels of shaders and tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/tile.h"
#include "rig.h"
#include "util/bits.h"

#define FRAME_W 200
#define FRAME_H 150
#define TARGET_B 0x68000u /* bytes of memory that may be the target's */
#define SOURCE_B 0x80000u
#define SOURCE_W 256 /* texels that are there */
#define SOURCE_H 192
#define BODY_B 0x2000u

struct layout {
    const char *name;
    enum mali_BLOCK_FORMAT block_format;
    bool is_wide;
    uint32_t row_B;
};

static const struct layout layouts[] = {
    {"rows", MALI_BLOCK_FORMAT_LINEAR, false, 4 * FRAME_W},
    {"tiles", MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED, false, 4 * 16 * 208},
    {"superblocks", MALI_BLOCK_FORMAT_AFBC, false, 16 * 16},
    {"wide superblocks", MALI_BLOCK_FORMAT_AFBC, true, 16 * 16},
    {"tiles of superblocks", MALI_BLOCK_FORMAT_AFBC_TILED, false, 16 * 64 * 2},
    {"tiles of wide superblocks", MALI_BLOCK_FORMAT_AFBC_TILED, true, 16 * 64 * 2},
};

static bool is_afbc(const struct layout *layout)
{
    return layout->block_format == MALI_BLOCK_FORMAT_AFBC || layout->block_format == MALI_BLOCK_FORMAT_AFBC_TILED;
}

static struct mali_afbc afbc_of(const struct layout *layout)
{
    return (struct mali_afbc){
        layout->row_B, layout->is_wide ? 5 : 4, 4,
        (uint8_t)mali_afbc_header_tile_log2(layout->block_format == MALI_BLOCK_FORMAT_AFBC_TILED, 4)};
}

/* ---- what is moved ---- */

static uint32_t source_x, source_y; /* the texel of the frame's first pixel */

static uint32_t texel(uint32_t x, uint32_t y)
{
    return (x + y * 1031) * 2654435761u;
}

/* As a shader would: the texel of each lane's pixel. */
static bool draw_texels(struct mali_warp *warp, uint64_t lanes)
{
    uint32_t rows[4 * MALI_ROW_LANES] = {0};
    bits_foreach (lanes, lane) {
        const uint32_t place = mali_warp_row(warp, 59)[lane];
        const uint32_t word = texel(source_x + (place & 0xffff), source_y + (place >> 16));
        for (unsigned c = 0; c < 4; c++)
            rows[c * MALI_ROW_LANES + lane] = float_bits((float)(word >> 8 * c & 0xff) / 255);
    }
    return rig_blend_rows(warp, lanes, 0, rows);
}

static const uint8_t *rows_of_source(const struct sc_move *move, const struct sc_moved *moved,
                                     const struct mali_tex_rect *rect, uint8_t *copy, size_t *row_B_out)
{
    const struct mali_tex_rect from = {source_x + rect->x, source_y + rect->y, rect->width, rect->height};
    *row_B_out = move->is_fetch ? rect->width * 4 : SOURCE_W * 4;
    if (move->is_fetch)
        return mali_tex_area_read(&moved->image, &from, copy, *row_B_out) ? copy : NULL;
    return the_rig->map + SOURCE_B + (size_t)from.y * *row_B_out + from.x * 4;
}

/* Superblocks as those of the layout, or rows. */
static struct sc_moved write_source(struct rig *rig, const struct layout *layout)
{
    uint8_t *map = rig->map + SOURCE_B;
    struct sc_moved moved = {.image = {.space = &rig->space, .width = SOURCE_W, .height = SOURCE_H}};
    struct mali_tex_plane *plane = &moved.image.plane;
    moved.places[SC_MOVE_X] = exec_plane_of(source_x, 1, 0);
    moved.places[SC_MOVE_Y] = exec_plane_of(source_y, 0, 1);
    plane->base_va = RIG_VA + SOURCE_B;
    plane->is_afbc = layout && is_afbc(layout);
    plane->tile = mali_tile_init(4, SOURCE_W * 4, MALI_ORDER_LINEAR, false);
    if (plane->is_afbc)
        plane->afbc = afbc_of(layout);
    for (uint32_t y = 0; y < SOURCE_H; y++) {
        for (uint32_t x = 0; x < SOURCE_W; x++) {
            const uint32_t word = texel(x, y);
            uint64_t at_B = mali_tile_offset_B(&plane->tile, x, y);
            if (plane->is_afbc) {
                const uint64_t header_B = mali_afbc_texel_header_B(&plane->afbc, x, y);
                const uint32_t body_B = BODY_B + mali_afbc_body_B(&plane->afbc, header_B);
                mali_afbc_pack_raw(map + header_B, body_B);
                at_B = body_B + mali_afbc_texel_B(&plane->afbc, x, y);
            }
            memcpy(map + at_B, &word, 4);
        }
    }
    return moved;
}

/* ---- targets ---- */

/* A target whose superblocks are of one colour. */
static void write_target(struct rig *rig, const struct layout *layout)
{
    uint8_t *image = rig->map + RIG_IMAGE_B;
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_target(rig, FRAME_W, FRAME_H, 0);
    struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
    target->WRITEBACK_BLOCK_FORMAT = layout->block_format;
    target->ROW_STRIDE = layout->row_B;
    memset(image, 0xa5, TARGET_B);
    if (is_afbc(layout)) {
        target->AFBC_MODE = MALI_AFBC_MODE_R8G8B8A8;
        target->AFBC_WIDE_BLOCK = layout->is_wide;
        target->SURFACE_STRIDE = BODY_B;
        for (uint32_t at_B = 0; at_B < BODY_B; at_B += MALI_AFBC_HEADER_B)
            mali_afbc_pack_solid(image + at_B, 0x11223344);
    }
    rig->shaders[1] = draw_texels;
    rig->prim_count = 0;
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    rig_rect(rig, 0, 0, 0, FRAME_W, FRAME_H, 0);
}

static void set_box(struct rig *rig, const int32_t box[4])
{
    rig->box[0] = (uint32_t)box[0] | (uint32_t)box[1] << 16;
    rig->box[1] = (uint32_t)(box[2] - 1) | (uint32_t)(box[3] - 1) << 16;
}

/* The frame, in squares. False: stopped; *done_out: whether all of it was moved. */
static bool move_frame(struct rig *rig, const struct sc_move *move, const struct sc_moved *moved, int32_t side,
                       bool *done_out)
{
    struct frag_worker *w = calloc(1, sizeof(*w));
    struct frag_fb fb;
    const struct mali_run run = rig_prepare(rig);
    assert_non_null(w);
    assert_true(mali_frag_read_fb(&fb, &run));
    w->fb = &fb;
    w->moved = *moved;
    bool is_running = true;
    *done_out = true;
    for (int32_t y = 0; y < FRAME_H && is_running; y += side) {
        for (int32_t x = 0; x < FRAME_W && is_running; x += side) {
            bool is_done;
            w->tile = (struct raster_tile){.x = x, .y = y, .width = side, .height = side};
            is_running = mali_frag_move(w, move, &is_done);
            *done_out &= is_done;
        }
    }
    free(w);
    return is_running;
}

/* Shaders and tiles make the same of the box. */
static void expect_moved(struct rig *rig, const struct layout *layout, const struct sc_move *move,
                         const struct sc_moved *moved, const int32_t box[4], int32_t side)
{
    static uint8_t drawn[TARGET_B];
    bool is_done;
    uint8_t *image = rig->map + RIG_IMAGE_B;
    write_target(rig, layout);
    set_box(rig, box);
    if (!rig_run(rig))
        fail_msg("%s", rig_report(rig));
    memcpy(drawn, image, TARGET_B);
    write_target(rig, layout);
    set_box(rig, box);
    assert_true(move_frame(rig, move, moved, side, &is_done));
    assert_true(is_done);
    for (uint32_t i = 0; i < TARGET_B; i++) {
        if (image[i] != drawn[i])
            fail_msg("%s: box (%d, %d) to (%d, %d) in squares of %d: byte 0x%x is 0x%x, not 0x%x", layout->name, box[0],
                     box[1], box[2], box[3], side, i, image[i], drawn[i]);
    }
}

static const int32_t boxes[][4] = {
    {0, 0, FRAME_W, FRAME_H}, {0, 0, 128, 128}, {16, 16, 144, 48}, {64, 32, 192, 128},
    {5, 3, 187, 141},         {17, 9, 18, 10},  {31, 0, 33, 150},  {0, 127, 200, 129},
};

static void expect_boxes(struct rig *rig, const struct layout *layout, const struct sc_move *move,
                         const struct sc_moved *moved)
{
    for (unsigned i = 0; i < ARRAY_SIZE(boxes); i++) {
        expect_moved(rig, layout, move, moved, boxes[i], 256);
        expect_moved(rig, layout, move, moved, boxes[i], 64);
    }
}

/* ---- tests ---- */

static void words_are_moved(void **state)
{
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = false};
    rig->move_rows = rows_of_source;
    source_x = 7;
    source_y = 11;
    const struct sc_moved moved = write_source(rig, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
        expect_boxes(rig, &layouts[i], &move, &moved);
}

static void texels_of_rows_are_moved(void **state)
{
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = true};
    rig->move_rows = rows_of_source;
    source_x = 3;
    source_y = 1;
    const struct sc_moved moved = write_source(rig, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
        expect_boxes(rig, &layouts[i], &move, &moved);
}

/* Superblocks of the same kind, of another kind, and between those of the target. */
static void superblocks_are_moved(void **state)
{
    static const uint32_t first[][2] = {{0, 0}, {32, 16}, {32, 32}, {16, 8}, {5, 9}, {4, 8}, {32, 4}};
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = true};
    rig->move_rows = rows_of_source;
    for (unsigned from = 2; from < ARRAY_SIZE(layouts); from++) {
        for (unsigned n = 0; n < ARRAY_SIZE(first); n++) {
            source_x = first[n][0];
            source_y = first[n][1];
            const struct sc_moved moved = write_source(rig, &layouts[from]);
            for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
                for (unsigned box = 0; box < 5; box++)
                    expect_moved(rig, &layouts[i], &move, &moved, boxes[box], 256);
            }
        }
    }
}

/* Squares of superblocks that are not all of one piece go one by one. */
static void superblocks_may_lie_anywhere(void **state)
{
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = true};
    rig->move_rows = rows_of_source;
    source_x = source_y = 0;
    for (unsigned i = 2; i < ARRAY_SIZE(layouts); i++) {
        const struct mali_afbc afbc = afbc_of(&layouts[i]);
        const struct sc_moved moved = write_source(rig, &layouts[i]);
        uint8_t *map = rig->map + SOURCE_B, *header = map + mali_afbc_texel_header_B(&afbc, 40, 40);
        uint32_t body_B;
        memcpy(&body_B, header, 4);
        memcpy(map + BODY_B - 1024, map + body_B, 1024); /* it changes its place */
        memset(map + body_B, 0, 1024);
        mali_afbc_pack_raw(header, BODY_B - 1024);
        for (unsigned box = 0; box < ARRAY_SIZE(boxes); box++)
            expect_moved(rig, &layouts[i], &move, &moved, boxes[box], 256);
    }
}

/* Where not all can be read, tiles are drawn. */
static void what_cannot_be_read_is_left(void **state)
{
    struct rig *rig = *state;
    const struct sc_move fetch = {.is_fetch = true}, load = {.is_fetch = false};
    bool is_done;
    source_x = source_y = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
        struct sc_moved moved = write_source(rig, &layouts[i]);
        write_target(rig, &layouts[i]);
        rig->move_rows = NULL;
        assert_true(move_frame(rig, &load, &moved, 256, &is_done));
        assert_false(is_done);
        moved.image.width = FRAME_W - 1; /* a texel that is not there */
        rig->move_rows = rows_of_source;
        assert_true(move_frame(rig, &fetch, &moved, 256, &is_done));
        assert_false(is_done);
        moved.image.width = FRAME_W;
        moved.image.height = FRAME_H - 1;
        assert_true(move_frame(rig, &fetch, &moved, 256, &is_done));
        assert_false(is_done);
        set_box(rig, (int32_t[4]){0, 0, 128, 128}); /* the same of squares of superblocks */
        moved.image.width = 127;
        assert_true(move_frame(rig, &fetch, &moved, 256, &is_done));
        assert_false(is_done);
        moved.image.width = 128;
        moved.image.height = 127;
        assert_true(move_frame(rig, &fetch, &moved, 256, &is_done));
        assert_false(is_done);
        moved.image.height = 128;
        assert_true(move_frame(rig, &fetch, &moved, 256, &is_done));
        assert_true(is_done);
    }
}

/* Pixels that are others in memory than in cells; more than one target; reads and writes that are looked at. */
static void other_targets_are_left(void **state)
{
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = false};
    struct mali_desc_RENDER_TARGET *target = &rig->targets[0];
    bool is_done;
    rig->move_rows = rows_of_source;
    source_x = source_y = 0;
    const struct sc_moved moved = write_source(rig, NULL);
    for (unsigned i = 0; i < 6; i++) {
        write_target(rig, &layouts[0]);
        if (i == 0)
            target->SWIZZLE_R = MALI_CHANNEL_B, target->SWIZZLE_B = MALI_CHANNEL_R;
        if (i == 1)
            target->WRITEBACK_FORMAT = MALI_COLOR_FORMAT_R5G6B5;
        if (i == 2)
            target->INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_R10G10B10A2;
        if (i == 3) {
            target->INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_RAW16;
            target->WRITEBACK_FORMAT = MALI_COLOR_FORMAT_RAW16;
        }
        if (i == 4) {
            rig->fb.RENDER_TARGET_COUNT = 2;
            rig->targets[1] = *target;
        }
        rig->group.queues[0].coherence = i == 5 ? (struct coherence_actor *)rig : NULL;
        assert_true(move_frame(rig, &move, &moved, 256, &is_done));
        rig->group.queues[0].coherence = NULL;
        assert_false(is_done);
        for (uint32_t at_B = 0; at_B < TARGET_B; at_B++)
            assert_int_equal(rig->map[RIG_IMAGE_B + at_B], 0xa5);
    }
    write_target(rig, &layouts[0]);
    target->WRITE_ENABLE = false; /* nothing is left to do */
    assert_true(move_frame(rig, &move, &moved, 256, &is_done));
    assert_true(is_done);
    assert_int_equal(rig_pixel(rig, 3, 3), 0xa5a5a5a5);
}

/* A target behind the end of memory is a fault, as it is where tiles are written. */
static void wild_targets_are_faults(void **state)
{
    struct rig *rig = *state;
    const struct sc_move move = {.is_fetch = false};
    rig->move_rows = rows_of_source;
    source_x = source_y = 0;
    const struct sc_moved moved = write_source(rig, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
        bool is_done;
        write_target(rig, &layouts[i]);
        rig->targets[0].BASE = RIG_VA + RIG_SIZE_B - 0x2000;
        assert_false(move_frame(rig, &move, &moved, 256, &is_done));
        assert_false(is_done);
        assert_non_null(strstr(rig_report(rig), "render target"));
    }
}

/* ---- squares of frames (frag_over.c) ---- */

#define LARGE_W 520
#define LARGE_H 300

/* A few rectangles on a frame of several squares. `copies` of each: of many, the frame goes tile by tile. */
static void draw_large(struct rig *rig, unsigned copies, bool has_frame_draw)
{
    static const int32_t rects[][4] = {{10, 12, 101, 90}, {250, 3, 270, 299}, {300, 256, 520, 300}};
    const struct mali_desc_BLEND opaque = rig_opaque();
    rig_target(rig, LARGE_W, LARGE_H, 0x40302010);
    rig->shaders[1] = draw_texels;
    rig->prim_count = 0;
    rig_draw(rig, 0, &(struct mali_desc_DRAW){.SHADER = 1}, &opaque, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(rects) * copies; i++) {
        const int32_t *r = rects[i / copies];
        rig_rect(rig, 0, r[0], r[1], r[2], r[3], 0);
    }
    if (has_frame_draw) {
        rig->frame_draws[0] = mali_unpack_desc_DRAW(rig->draws[0].words);
        rig->fb.PRE_FRAME_0 = MALI_FRAME_SHADER_MODE_ALWAYS;
    }
    memset(rig->map + RIG_IMAGE_B, 0xa5, 4 * LARGE_W * LARGE_H);
    atomic_store(&rig->shaded, 0);
    if (!rig_run(rig))
        fail_msg("%s", rig_report(rig));
}

static void squares_are_as_tiles(void **state)
{
    static uint8_t by_tiles[4 * LARGE_W * LARGE_H];
    struct rig *rig = *state;
    source_x = source_y = 0;
    for (unsigned has_frame_draw = 0; has_frame_draw < 2; has_frame_draw++) {
        draw_large(rig, MALI_BINS_FEW, has_frame_draw);
        memcpy(by_tiles, rig->map + RIG_IMAGE_B, sizeof(by_tiles));
        draw_large(rig, 1, has_frame_draw);
        assert_memory_equal(rig->map + RIG_IMAGE_B, by_tiles, sizeof(by_tiles));
        assert_int_equal(rig_pixel(rig, 10, 12), texel(10, 12));
        assert_int_equal(rig_pixel(rig, 519, 0), has_frame_draw ? texel(519, 0) : 0x40302010);
    }
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(words_are_moved),
        ROW(texels_of_rows_are_moved),
        ROW(superblocks_are_moved),
        ROW(superblocks_may_lie_anywhere),
        ROW(what_cannot_be_read_is_left),
        ROW(other_targets_are_left),
        ROW(wild_targets_are_faults),
        ROW(squares_are_as_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
