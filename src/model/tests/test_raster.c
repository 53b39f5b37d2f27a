/* The rasteriser: coverage against a slow count in exact numbers, the rule for shared edges,
 * clipping, facing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/raster/raster.h"
#include "util/bits.h"

#define SIZE 192

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* A plain viewport: clip space to SIZE by SIZE pixels. */
static void init_pa(struct raster_state *state)
{
    memset(state, 0, sizeof(*state));
    state->z_is_from_zero = true;
    state->front_is_clockwise = true;
    state->xy_transform = state->z_transform = true;
    state->subpixel_bits = 8;
    const uint8_t top_left = RASTER_TOP_IN | RASTER_LEFT_IN;
    state->rules = (struct raster_edge_rules){top_left,
                                              top_left,
                                              top_left,
                                              {top_left, top_left},
                                              {top_left, top_left},
                                              {top_left, top_left},
                                              {top_left, top_left}};
    state->guard_x = state->guard_y = 100;
    state->discard_x = state->discard_y = 1;
    state->has_clipping = state->has_near_plane = state->has_far_plane = true;
    state->fill[0] = state->fill[1] = RASTER_FILL_TRIANGLES;
    for (unsigned i = 0; i < RASTER_MAX_VIEWPORTS; i++)
        state->viewports[i] =
            (struct raster_viewport){{SIZE / 2, SIZE / 2, 1}, {SIZE / 2, SIZE / 2, 0}, 0, 1, {0, 0, SIZE, SIZE}};
}

static void init_sc(struct raster_coverage *state, unsigned samples_log2, bool same)
{
    static const int8_t locations[8][2] = {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
    memset(state, 0, sizeof(*state));
    state->samples_log2 = samples_log2;
    state->samples = 1u << samples_log2;
    state->iterations = 1;
    state->same_locations = same;
    for (unsigned p = 0; p < 4; p++) {
        state->sample_mask[p] = (uint8_t)bits_mask(state->samples);
        for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
            int turn = same ? 0 : (int)p;
            state->x[p][s] = (uint8_t)(samples_log2 ? 128 + 16 * locations[(s + (unsigned)turn) % 8][0] : 128);
            state->y[p][s] = (uint8_t)(samples_log2 ? 128 + 16 * locations[(s + (unsigned)turn) % 8][1] : 128);
        }
    }
}

static float clip_of(int32_t subpixels)
{
    return (float)subpixels / (SIZE * 128.0f) - 1;
}

struct scene {
    struct raster_state state;
    struct raster_assembler pa;
    struct arena arena;
    float pos[8][RASTER_POS_VECTORS][4];
    float params[8][4];
};

static void begin_scene(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    init_pa(&scene->state);
    scene->pa = (struct raster_assembler){.state = &scene->state, .arena = &scene->arena};
    scene->pa.vertices =
        (struct raster_vertices){(const float(*)[RASTER_POS_VECTORS][4])scene->pos, scene->params[0], 4};
}

static void end_scene(struct scene *scene)
{
    arena_finish(&scene->arena);
}

static void place_vertex(struct scene *scene, unsigned vertex, int32_t x, int32_t y, float z, float w)
{
    const float pos[4] = {clip_of(x) * w, clip_of(y) * w, z * w, w};
    memcpy(scene->pos[vertex][0], pos, sizeof(pos));
}

static unsigned blocks_seen, parts_seen;

/* Blocks that the walk may give in place of quads. */
enum {
    BLOCKS = 1,
    PARTS = 2, /* of one sample alone */
};

/* Parts as quads, in two pieces. */
static void add_parts(const struct raster_coverage *sc, const struct raster_prim *prim, const struct raster_tile *tile,
                      struct raster_quads *out)
{
    const uint64_t some = 0x5a3c96e12d4b7887ull;
    bits_foreach (out->parts, b) {
        const uint32_t first = out->count;
        const int32_t x = tile->x + b % 8 * 8, y = tile->y + b / 8 * 8;
        const uint64_t mask = out->masks[b];
        parts_seen++;
        assert_true(mask);
        raster_add_part(sc, prim, x, y, mask, mask & some, out);
        raster_add_part(sc, prim, x, y, mask, mask & ~some, out);
        for (uint32_t q = first; q < out->count; q++) {
            assert_true(out->quads[q].mask && !(out->quads[q].mask & ~out->quads[q].coverage));
            bits_foreach (out->quads[q].coverage, bit)
                assert_true(mask >> ((out->quads[q].y - y + bit / 16) * 8 + out->quads[q].x - x + (bit / 8 & 1)) & 1);
        }
    }
}

static void add_coverage(const struct raster_coverage *sc, const struct raster_prim *prim,
                         const struct raster_tile *tile, unsigned taken, uint8_t (*counts)[SIZE][RASTER_MAX_SAMPLES])
{
    static struct raster_quad quads[SIZE * SIZE / 2];
    uint64_t masks[64];
    struct raster_quads out = {.quads = quads, .takes_blocks = taken & BLOCKS};
    out.wants_no_quads = taken & BLOCKS;
    out.masks = taken & PARTS && sc->samples == 1 ? masks : NULL;
    raster_walk_tile(sc, prim, tile, &out);
    if (out.masks && out.wants_no_quads)
        assert_int_equal(out.count, 0);
    add_parts(sc, prim, tile, &out);
    bits_foreach (out.blocks, b) {
        blocks_seen++;
        for (int32_t i = 0; i < 64; i++) {
            for (unsigned s = 0; s < sc->samples; s++)
                counts[tile->y + b / 8 * 8 + i / 8][tile->x + b % 8 * 8 + i % 8][s]++;
        }
    }
    for (uint32_t q = 0; q < out.count; q++) {
        bits_foreach (quads[q].mask, bit)
            counts[quads[q].y + bit / 8 / 2][quads[q].x + (bit / 8 & 1)][bit % 8]++;
    }
}

static void count_in_tiles(const struct scene *scene, const struct raster_coverage *sc, int32_t width, int32_t height,
                           unsigned taken, uint8_t (*counts)[SIZE][RASTER_MAX_SAMPLES])
{
    memset(counts, 0, SIZE * sizeof(*counts));
    for (const struct raster_block *block = scene->pa.list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++) {
            for (int32_t y = 0; y < SIZE; y += height) {
                for (int32_t x = 0; x < SIZE; x += width)
                    add_coverage(sc, &block->prims[i], &(struct raster_tile){x, y, width, height}, taken, counts);
            }
        }
    }
}

/* How often each sample of the target is covered by what assembly has made: the same in tiles of every shape. */
static void count_coverage(const struct scene *scene, const struct raster_coverage *sc,
                           uint8_t (*counts)[SIZE][RASTER_MAX_SAMPLES])
{
    static const int32_t shapes[][2] = {{16, 16}, {96, 32}, {8, 64}, {SIZE, SIZE}};
    static uint8_t others[SIZE][SIZE][RASTER_MAX_SAMPLES];
    count_in_tiles(scene, sc, 64, 64, 0, counts);
    for (unsigned taken = BLOCKS; taken <= (BLOCKS | PARTS); taken++) {
        count_in_tiles(scene, sc, 64, 64, taken, others);
        assert_memory_equal(others, counts, sizeof(others));
    }
    for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
        count_in_tiles(scene, sc, shapes[i][0], shapes[i][1], 0, others);
        assert_memory_equal(others, counts, sizeof(others));
    }
}

static bool is_inside(const int32_t c[3][2], int32_t x, int32_t y)
{
    int64_t area =
        (int64_t)(c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (int64_t)(c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *p = c[area > 0 ? i : (i + 1) % 3], *q = c[area > 0 ? (i + 1) % 3 : i];
        int64_t side = (int64_t)(q[0] - p[0]) * (y - p[1]) - (int64_t)(q[1] - p[1]) * (x - p[0]);
        bool top_left = q[1] < p[1] || (q[1] == p[1] && q[0] > p[0]);
        if (side < 0 || (side == 0 && !top_left))
            return false;
    }
    return area != 0;
}

static uint8_t counts[SIZE][SIZE][RASTER_MAX_SAMPLES];

static void check_random(unsigned samples_log2, bool same, unsigned subpixel_bits)
{
    struct raster_coverage sc;
    uint64_t seed = 7 + samples_log2;
    init_sc(&sc, samples_log2, same);
    for (unsigned round = 0; round < 60; round++) {
        struct scene scene;
        int32_t corners[3][2];
        int32_t one = 1 << subpixel_bits, location = one / RASTER_LOCATION_ONE;
        int32_t range = round % 3 == 0 ? 16 * one : SIZE * one,
                origin = range == SIZE * one ? 0 : (int32_t)(next_random(&seed) % (uint32_t)(170 * one));
        begin_scene(&scene);
        scene.state.subpixel_bits = (uint8_t)subpixel_bits;
        for (unsigned i = 0; i < 3; i++) {
            corners[i][0] = origin + (int32_t)(next_random(&seed) % (uint32_t)range);
            corners[i][1] = origin + (int32_t)(next_random(&seed) % (uint32_t)range);
            const float pos[4] = {(float)corners[i][0] / (float)(SIZE / 2 * one) - 1,
                                  (float)corners[i][1] / (float)(SIZE / 2 * one) - 1, 0.5f, 1};
            memcpy(scene.pos[i][0], pos, sizeof(pos));
        }
        raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
        count_coverage(&scene, &sc, counts);
        for (int32_t y = 0; y < SIZE; y++) {
            for (int32_t x = 0; x < SIZE; x++) {
                for (unsigned s = 0; s < sc.samples; s++) {
                    unsigned p = (unsigned)(y & 1) * 2 + (unsigned)(x & 1);
                    assert_int_equal(counts[y][x][s],
                                     is_inside((const int32_t(*)[2])corners, x * one + location * sc.x[p][s],
                                               y * one + location * sc.y[p][s]));
                }
            }
        }
        end_scene(&scene);
    }
}

static void test_coverage_1(void **state)
{
    blocks_seen = parts_seen = 0;
    check_random(0, true, 8);
    assert_true(blocks_seen > 100 && parts_seen > 100); /* whole blocks are among them, and parts of others */
}

static void test_coverage_4(void **state)
{
    check_random(2, true, 8);
}

static void test_coverage_8_by_pixel(void **state)
{
    check_random(3, false, 8);
}

static void test_finer_subpixels(void **state)
{
    check_random(0, true, 12);
    check_random(3, false, 12);
    check_random(2, true, 10);
}

/* 1 where every corner of the pixel is inside, 0 where some are, -1 where the triangle and the pixel do not meet;
 * *boundary_out: or a boundary decides. */
static int square_of(const int32_t c[3][2], int32_t x, int32_t y, bool *boundary_out)
{
    int64_t area =
        (int64_t)(c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (int64_t)(c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    int result = 1;
    *boundary_out = false;
    for (unsigned k = 0; k < 2; k++) {
        int32_t low = MIN2(MIN2(c[0][k], c[1][k]), c[2][k]), high = MAX2(MAX2(c[0][k], c[1][k]), c[2][k]),
                at = k ? y : x;
        if (high < at || low > at + 256)
            return -1;
        *boundary_out |= high == at || low == at + 256;
    }
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *p = c[i], *q = c[(i + 1) % 3];
        int64_t most = INT64_MIN, least = INT64_MAX;
        for (unsigned corner = 0; corner < 4; corner++) {
            int64_t side = (int64_t)(q[0] - p[0]) * (y + (int32_t)(corner >> 1) * 256 - p[1]) -
                           (int64_t)(q[1] - p[1]) * (x + (int32_t)(corner & 1) * 256 - p[0]);
            side = area < 0 ? -side : side;
            most = MAX2(most, side);
            least = MIN2(least, side);
        }
        if (most < 0)
            return -1;
        *boundary_out |= most == 0 || least == 0;
        result = least < 0 ? 0 : result;
    }
    return result;
}

/* Over- and underestimation: pixels that are touched, pixels that are wholly inside. */
static void test_conservative(void **state)
{
    struct raster_coverage sc;
    uint64_t seed = 77;
    for (unsigned round = 0; round < 60; round++) {
        struct scene scene;
        int32_t corners[3][2];
        init_sc(&sc, round % 2 ? 2 : 0, true);
        sc.conservative = round % 4 < 2 ? RASTER_OVER : RASTER_UNDER;
        begin_scene(&scene);
        for (unsigned i = 0; i < 3; i++) {
            corners[i][0] = (int32_t)(next_random(&seed) % (SIZE * 256u));
            corners[i][1] = (int32_t)(next_random(&seed) % (SIZE * 256u));
            place_vertex(&scene, i, corners[i][0], corners[i][1], 0.5f, 1);
        }
        raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
        count_coverage(&scene, &sc, counts);
        for (int32_t y = 0; y < SIZE; y++) {
            for (int32_t x = 0; x < SIZE; x++) {
                bool boundary;
                int in = square_of((const int32_t(*)[2])corners, x * 256, y * 256, &boundary);
                for (unsigned s = 0; s < sc.samples && !boundary; s++)
                    assert_int_equal(counts[y][x][s], sc.conservative == RASTER_OVER ? in >= 0 : in > 0);
            }
        }
        end_scene(&scene);
    }
}

/* Pixels that count as a whole, on targets of twice as many samples: all of those are drawn where any rasterised sample
 * is covered, but for those that are masked; what is covered stays known. */
static void test_joined_samples(void **state)
{
    static struct raster_quad quads[SIZE * SIZE / 4], joined[SIZE * SIZE / 4];
    const struct raster_tile tile = {0, 0, SIZE, SIZE};
    struct raster_coverage sc;
    uint64_t seed = 5;
    unsigned parts = 0;
    for (unsigned round = 0; round < 20; round++) {
        struct scene scene;
        struct raster_quads out = {.quads = quads}, out_joined = {.quads = joined};
        begin_scene(&scene);
        for (unsigned i = 0; i < 3; i++)
            place_vertex(&scene, i, (int32_t)(next_random(&seed) % (SIZE * 256u)),
                         (int32_t)(next_random(&seed) % (SIZE * 256u)), 0.5f, 1);
        raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
        init_sc(&sc, 2, round % 2);
        raster_walk_tile(&sc, &scene.pa.list.first->prims[0], &tile, &out);
        sc.spread = 0xefefefefu;
        raster_walk_tile(&sc, &scene.pa.list.first->prims[0], &tile, &out_joined);
        assert_int_equal(out.count, out_joined.count);
        for (uint32_t q = 0; q < out.count; q++) {
            assert_int_equal(joined[q].coverage, quads[q].coverage);
            for (unsigned p = 0; p < 4; p++) {
                const uint8_t covered = (uint8_t)(quads[q].mask >> 8 * p);
                assert_int_equal((uint8_t)(joined[q].mask >> 8 * p), covered ? 0xef : 0);
                parts += covered && covered != 0xf;
            }
        }
        end_scene(&scene);
    }
    assert_true(parts > 100);
}

/* A primitive's shares of a rectangle, beside the pixels that the walk gives. */
static void test_shares(void **state)
{
    static struct raster_quad quads[SIZE * SIZE / 4];
    struct raster_coverage sc;
    uint64_t seed = 7;
    unsigned found[3] = {0};
    init_sc(&sc, 0, true);
    for (unsigned round = 0; round < 60; round++) {
        struct scene scene;
        begin_scene(&scene);
        for (unsigned i = 0; i < 3; i++)
            place_vertex(&scene, i, (int32_t)(next_random(&seed) % (SIZE * 256u)),
                         (int32_t)(next_random(&seed) % (SIZE * 256u)), 0.5f, 1);
        raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
        const struct raster_prim *prim = &scene.pa.list.first->prims[0];
        for (unsigned n = 0; n < 144; n++) {
            const struct raster_tile rect = {(int32_t)(n % 12) * 16, (int32_t)(n / 12) * 16, 16, 16};
            struct raster_quads out = {.quads = quads};
            unsigned pixels = 0;
            raster_walk_tile(&sc, prim, &rect, &out);
            for (uint32_t q = 0; q < out.count; q++)
                pixels += (unsigned)__builtin_popcount(out.quads[q].mask);
            const enum raster_share share = raster_share(&sc, prim, &rect);
            assert_true(share != RASTER_SHARE_NONE || pixels == 0);
            assert_true(share != RASTER_SHARE_ALL || pixels == 256);
            found[share]++;
        }
        end_scene(&scene);
    }
    assert_true(found[RASTER_SHARE_NONE] > 100 && found[RASTER_SHARE_SOME] > 100 && found[RASTER_SHARE_ALL] > 100);
}

/* The pixels of a scene's last triangle, of one sample. */
static unsigned count_pixels(struct scene *scene, uint8_t (*found)[SIZE][RASTER_MAX_SAMPLES])
{
    struct raster_coverage sc;
    unsigned sum = 0;
    init_sc(&sc, 0, true);
    count_coverage(scene, &sc, found);
    for (unsigned y = 0; y < SIZE; y++) {
        for (unsigned x = 0; x < SIZE; x++)
            sum += found[y][x][0];
    }
    return sum;
}

/* Small triangles, at places of a few subpixels around middles of pixels, too: with one sample those are left that have
 * a pixel, with the same pixels, and one whose rectangle is small is left only then. */
static void test_one_sample(void **state)
{
    static uint8_t wanted[SIZE][SIZE][RASTER_MAX_SAMPLES];
    uint64_t random = 7;
    unsigned dropped = 0, left = 0;
    for (unsigned n = 0; n < 600; n++) {
        const uint32_t reach = 1u << next_random(&random) % 5 << 8, grid = n % 2 ? 1 : 64;
        unsigned pixels = 0;
        int32_t at[3][2];
        for (unsigned i = 0; i < 6; i++)
            at[i / 2][i % 2] = (int32_t)((80 * 256 + next_random(&random) % reach) / grid * grid);
        for (unsigned has_one = 0; has_one < 2; has_one++) {
            struct scene scene;
            begin_scene(&scene);
            scene.state.has_one_sample = has_one;
            for (unsigned i = 0; i < 3; i++)
                place_vertex(&scene, i, at[i][0], at[i][1], 0.5f, 1);
            raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
            const struct raster_block *block = scene.pa.list.first;
            if (!has_one) {
                pixels = count_pixels(&scene, wanted);
            } else {
                const bool is_left = block && block->count;
                assert_int_equal(count_pixels(&scene, counts), pixels);
                assert_memory_equal(counts, wanted, sizeof(wanted));
                assert_true(is_left || !pixels);
                assert_true(!is_left || pixels || reach > 2048);
                dropped += !is_left;
                left += is_left;
            }
            end_scene(&scene);
        }
    }
    assert_true(dropped > 100 && left > 100);
}

/* An edge through the corners of pixels touches all of them: those on its other side are drawn, too. */
static void test_touched_corners(void **state)
{
    struct raster_coverage sc;
    struct scene scene;
    init_sc(&sc, 1, true);
    sc.conservative = RASTER_OVER;
    begin_scene(&scene);
    scene.state.over_rasterize = true;
    place_vertex(&scene, 0, 0, 0, 0.5f, 1);
    place_vertex(&scene, 1, 0, 10 * 256, 0.5f, 1);
    place_vertex(&scene, 2, 10 * 256, 0, 0.5f, 1);
    raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
    count_coverage(&scene, &sc, counts);
    for (int y = 0; y < 10; y++) {
        for (int x = 0; x < 10; x++) {
            for (unsigned s = 0; s < sc.samples; s++)
                assert_int_equal(counts[y][x][s], x + y <= 10);
        }
    }
    end_scene(&scene);
}

/* Bit n of the rule: what becomes of pixels that are in those rectangles whose bits are in n. */
static void test_clip_rects(void **state)
{
    static const int32_t rects[4][4] = {{3, 5, 90, 40}, {60, 20, 130, 100}, {0, 0, 8, 8}, {100, 100, SIZE, SIZE}};
    static const uint16_t rules[] = {0x0001, 0xfffe, 0x8000, 0x6996, 0x0000};
    struct raster_coverage sc;
    struct scene scene;
    init_sc(&sc, 0, true);
    sc.has_clip_rects = true;
    memcpy(sc.clip_rects, rects, sizeof(rects));
    begin_scene(&scene);
    place_vertex(&scene, 0, 0, 0, 0.5f, 1);
    place_vertex(&scene, 1, SIZE * 256, 0, 0.5f, 1);
    place_vertex(&scene, 2, 0, SIZE * 256, 0.5f, 1);
    raster_primitive(&scene.pa, RASTER_RECT, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
    for (unsigned n = 0; n < ARRAY_SIZE(rules); n++) {
        sc.clip_rule = rules[n];
        count_coverage(&scene, &sc, counts);
        for (int32_t y = 0; y < SIZE; y++) {
            for (int32_t x = 0; x < SIZE; x++) {
                unsigned set = 0;
                for (unsigned r = 0; r < 4; r++)
                    set |= (unsigned)(x >= rects[r][0] && y >= rects[r][1] && x < rects[r][2] && y < rects[r][3]) << r;
                assert_int_equal(counts[y][x][0], rules[n] >> set & 1);
            }
        }
    }
    end_scene(&scene);
}

/* A fan around a point covers every pixel once, wherever the point lies. */
static void test_shared_edges(void **state)
{
    struct raster_coverage sc;
    uint64_t seed = 3;
    init_sc(&sc, 0, true);
    for (unsigned round = 0; round < 30; round++) {
        struct scene scene;
        begin_scene(&scene);
        place_vertex(&scene, 0, 0, 0, 0, 1);
        place_vertex(&scene, 1, SIZE * 256, 0, 0, 1);
        place_vertex(&scene, 2, SIZE * 256, SIZE * 256, 0, 1);
        place_vertex(&scene, 3, 0, SIZE * 256, 0, 1);
        place_vertex(&scene, 4, (int32_t)(next_random(&seed) % SIZE) * 256 + 128,
                     (int32_t)(next_random(&seed) % SIZE) * 256 + 128, 0, 1);
        for (unsigned i = 0; i < 4; i++)
            raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){4, i, (i + 1) % 4}, 0, RASTER_ALL_EDGES);
        count_coverage(&scene, &sc, counts);
        for (unsigned i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(counts[i / SIZE][i % SIZE][0], 1);
        end_scene(&scene);
    }
}

static uint32_t count_prims(const struct scene *scene)
{
    uint32_t count = 0;
    for (const struct raster_block *block = scene->pa.list.first; block; block = block->next)
        count += block->count;
    return count;
}

/* Clockwise on the screen is the front, as the state says. */
static void test_facing(void **state)
{
    for (unsigned cull = 0; cull < 4; cull++) {
        for (unsigned turn = 0; turn < 2; turn++) {
            struct scene scene;
            begin_scene(&scene);
            scene.state.is_culled[0] = cull & 1;
            scene.state.is_culled[1] = cull >> 1;
            place_vertex(&scene, 0, 0, 0, 0, 1);
            place_vertex(&scene, 1, SIZE * 256, 0, 0, 1);
            place_vertex(&scene, 2, 0, SIZE * 256, 0, 1);
            raster_primitive(&scene.pa, RASTER_TRIANGLE,
                             turn ? (const uint32_t[3]){0, 2, 1} : (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
            assert_int_equal(count_prims(&scene), !(cull >> turn & 1));
            if (count_prims(&scene))
                assert_int_equal(scene.pa.list.first->prims[0].is_back, turn);
            end_scene(&scene);
        }
    }
}

/* A triangle that reaches behind the eye: what is left covers the pixels whose own ray meets it, and its depth is in
 * range. */
static void test_near_clip(void **state)
{
    struct raster_coverage sc;
    struct scene scene;
    init_sc(&sc, 0, true);
    begin_scene(&scene);
    /* On the plane z = 2w - 1 of clip space: visible where w lies between 1/2 and 1. The corners have w = 1, 1 and -1.
     */
    const float corners[3][4] = {{-1, -1, 1, 1}, {1, -1, 1, 1}, {0, 3, -3, -1}};
    for (unsigned i = 0; i < 3; i++)
        memcpy(scene.pos[i][0], corners[i], sizeof(corners[i]));
    raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
    assert_int_equal(count_prims(&scene), 2);
    count_coverage(&scene, &sc, counts);
    for (int32_t y = 0; y < SIZE; y++) {
        for (int32_t x = 0; x < SIZE; x++) {
            /* t runs from the first edge (0) to the third corner (1); w = 1 - 2t, y = -1 + 4t. */
            double ny = (y + 0.5) / (SIZE / 2) - 1, nx = (x + 0.5) / (SIZE / 2) - 1, t = (1 + ny) / (4 + 2 * ny),
                   w = 1 - 2 * t;
            bool inside = t >= 0 && w >= 0.5 && nx * w >= -(1 - t) && nx * w <= 1 - t;
            bool edge = w - 0.5 < 0.02 && w - 0.5 > -0.02;
            if (!edge)
                assert_int_equal(counts[y][x][0], inside);
        }
    }
    end_scene(&scene);
}

static void test_discard(void **state)
{
    struct scene scene;
    begin_scene(&scene);
    place_vertex(&scene, 0, -SIZE * 256, 0, 0, 1);
    place_vertex(&scene, 1, -100, 0, 0, 1);
    place_vertex(&scene, 2, -200, SIZE * 256, 0, 1);
    raster_primitive(&scene.pa, RASTER_TRIANGLE, (const uint32_t[3]){0, 1, 2}, 0, RASTER_ALL_EDGES);
    assert_int_equal(count_prims(&scene), 0);
    end_scene(&scene);
}

/* Points and lines have a size in pixels, and the rule for edges is the same. */
static void test_point_and_line(void **state)
{
    struct raster_coverage sc;
    struct scene scene;
    init_sc(&sc, 0, true);
    begin_scene(&scene);
    scene.state.point_half[0] = scene.state.point_half[1] = 2;
    scene.state.line_half = 0.5f;
    place_vertex(&scene, 0, 10 * 256, 20 * 256, 0, 1);
    place_vertex(&scene, 1, 50 * 256, 60 * 256 + 128, 0, 1);
    place_vertex(&scene, 2, 90 * 256, 60 * 256 + 128, 0, 1);
    raster_primitive(&scene.pa, RASTER_POINT, (const uint32_t[3]){0, 0, 0}, 0, RASTER_ALL_EDGES);
    raster_primitive(&scene.pa, RASTER_LINE, (const uint32_t[3]){1, 2, 0}, 0, RASTER_ALL_EDGES);
    count_coverage(&scene, &sc, counts);
    for (int32_t y = 0; y < SIZE; y++) {
        for (int32_t x = 0; x < SIZE; x++) {
            bool point = x >= 8 && x < 12 && y >= 18 && y < 22, line = y == 60 && x >= 50 && x < 90;
            assert_int_equal(counts[y][x][0], point || line);
        }
    }
    end_scene(&scene);
}

/* A point and lines whose edges run through the centres of pixels: the rule says whose those pixels are. */
static void test_edge_rules(void **state)
{
    struct raster_coverage sc;
    init_sc(&sc, 0, true);
    for (unsigned rule = 0; rule < 16; rule++) {
        struct scene scene;
        begin_scene(&scene);
        scene.state.point_half[0] = scene.state.point_half[1] = 2;
        scene.state.line_half = 1;
        scene.state.rules.point = (uint8_t)rule;
        scene.state.rules.left = (struct raster_line_rule){.sides = RASTER_BOTTOM_IN, .ends = (uint8_t)rule};
        place_vertex(&scene, 0, 10 * 256 + 128, 20 * 256 + 128, 0, 1);
        place_vertex(&scene, 1, 90 * 256 + 128, 60 * 256 + 128, 0, 1);
        place_vertex(&scene, 2, 50 * 256 + 128, 60 * 256 + 128, 0, 1);
        raster_primitive(&scene.pa, RASTER_POINT, (const uint32_t[3]){0, 0, 0}, 0, RASTER_ALL_EDGES);
        raster_primitive(&scene.pa, RASTER_LINE, (const uint32_t[3]){1, 2, 0}, 0, RASTER_ALL_EDGES);
        count_coverage(&scene, &sc, counts);
        int32_t left = !(rule & RASTER_LEFT_IN), top = !(rule & RASTER_TOP_IN), right = rule & RASTER_RIGHT_IN ? 1 : 0,
                bottom = rule & RASTER_BOTTOM_IN ? 1 : 0;
        for (int32_t y = 0; y < SIZE; y++) {
            for (int32_t x = 0; x < SIZE; x++) {
                bool point = x >= 8 + left && x < 12 + right && y >= 18 + top && y < 22 + bottom,
                     line = y >= 60 && y < 62 && x >= 50 + left && x < 90 + right;
                assert_int_equal(counts[y][x][0], point || line);
            }
        }
        end_scene(&scene);
    }
}

/* ---- planes over a block ---- */

static struct raster_plane random_plane(uint64_t *seed)
{
    return (struct raster_plane){(float)(next_random(seed) & 0xffff) / 65536.0f,
                                 (float)(int16_t)next_random(seed) / 1048576.0f,
                                 (float)(int16_t)next_random(seed) / 1048576.0f};
}

static float at_plane(const struct raster_plane *plane, float x, float y)
{
    return plane->at + plane->dx * x + plane->dy * y;
}

/* Weights of 8 by 8 pixels, and whether depths are within bounds, are what each pixel has by itself, bit by bit. */
static void test_block_planes(void **state)
{
    uint64_t seed = 5;
    bool is_cut = false;
    for (unsigned round = 0; round < 200; round++) {
        struct raster_prim prim = {.is_linear = round & 1,
                                   .origin_x = (float)(next_random(&seed) & 0xfffff) / 256.0f,
                                   .origin_y = (float)(next_random(&seed) & 0xfffff) / 256.0f};
        struct raster_plane *planes[] = {&prim.z, &prim.w, &prim.iw, &prim.jw, &prim.i, &prim.j};
        const uint32_t left = (next_random(&seed) & 0x7ff) * 8, top = (next_random(&seed) & 0x7ff) * 8;
        const bool is_linear = round & 2, divides = !is_linear && !prim.is_linear;
        const float z_at = random_plane(&seed).at;
        uint64_t within;
        float i[64], j[64];
        for (unsigned p = 0; p < sizeof(planes) / sizeof(planes[0]); p++)
            *planes[p] = random_plane(&seed);
        raster_block_weights(&prim, left, top, is_linear, i, j);
        prim.z_min = z_at + prim.z.dx * ((float)left + 2.25f - prim.origin_x) +
                     prim.z.dy * ((float)top + 1.75f - prim.origin_y); /* about that of a pixel in the block */
        prim.z_max = prim.z_min + fabsf(prim.z.dx) * 3;
        within = raster_block_within(&prim, z_at, left, top, 0.25f, 0.75f);
        is_cut |= within && ~within;
        for (unsigned lane = 0; lane < 64; lane++) {
            const uint32_t quad = lane / 4, px = left + quad % 4 * 2 + (lane & 1),
                           py = top + quad / 4 * 2 + (lane >> 1 & 1);
            const float x = (float)px + 0.5f - prim.origin_x, y = (float)py + 0.5f - prim.origin_y;
            const float by = divides ? 1 / at_plane(&prim.w, x, y) : 1;
            const float at_i = at_plane(divides ? &prim.iw : &prim.i, x, y) * by,
                        at_j = at_plane(divides ? &prim.jw : &prim.j, x, y) * by,
                        at_z = z_at + (prim.z.dx * ((float)px + 0.25f - prim.origin_x) +
                                       prim.z.dy * ((float)py + 0.75f - prim.origin_y));
            assert_int_equal(float_bits(i[lane]), float_bits(at_i));
            assert_int_equal(float_bits(j[lane]), float_bits(at_j));
            assert_int_equal(within >> lane & 1, at_z >= prim.z_min && at_z <= prim.z_max);
        }
    }
    assert_true(is_cut);
}

/* Triangles whose vertices have places are what they are without, to the last bit, whether or not they are clipped. */
static void test_places(void **unused)
{
    uint64_t seed = 11;
    unsigned kept = 0, clipped = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct scene scenes[2];
        float pos[RASTER_ROW + 3][RASTER_POS_VECTORS][4] = {{{0}}}; /* the triangle's vertices are the last three */
        struct raster_place places[RASTER_ROW + 3];
        const uint64_t same = seed + round;
        for (unsigned s = 0; s < 2; s++) {
            uint64_t random = same * 977;
            begin_scene(&scenes[s]);
            struct raster_state *state = &scenes[s].state;
            state->is_culled[round & 1] = round & 2;
            state->guard_x = state->guard_y = 3;
            state->fill[1] = round % 7 ? RASTER_FILL_TRIANGLES : RASTER_FILL_LINES;
            if (round % 3 == 0) { /* as a shader gives it that has divided */
                state->clips_divided = state->w_inverted = state->xy_divided = state->z_divided = true;
                state->xy_transform = state->z_transform = false;
                state->clip_far = 1;
                state->guard_x = state->guard_y = state->discard_x = state->discard_y = 3 * SIZE;
            }
            for (unsigned v = 0; v < 3; v++) {
                const uint32_t x = next_random(&random), y = next_random(&random), z = next_random(&random);
                place_vertex(&scenes[s], v, (int32_t)(x % (SIZE * 4096)) - SIZE * 1024,
                             (int32_t)(y % (SIZE * 1024)) - SIZE * 256, (float)(z % 64) / 56 - 0.05f,
                             round % 3 ? (float)(z % 5) : 1 / ((float)(z % 5) + 0.5f));
                for (unsigned c = 0; c < 2 && round % 3 == 0; c++)
                    scenes[s].pos[v][0][c] = (float)(c ? y : x) / (1 << 22);
            }
            memcpy(pos[RASTER_ROW], scenes[s].pos, 3 * sizeof(pos[0]));
            scenes[s].pa.vertices.pos = (const float(*)[RASTER_POS_VECTORS][4])pos;
            scenes[s].pa.vertices.param_floats = 0;
            if (s) {
                raster_place_vertices(&scenes[s].pa, RASTER_TRIANGLE, RASTER_ROW + 3, places);
                assert_ptr_equal(scenes[s].pa.vertices.places, places);
            }
            raster_primitive(&scenes[s].pa, RASTER_TRIANGLE,
                             (const uint32_t[3]){RASTER_ROW, RASTER_ROW + 1, RASTER_ROW + 2}, 0, RASTER_ALL_EDGES);
        }
        const struct raster_block *plain = scenes[0].pa.list.first, *placed = scenes[1].pa.list.first;
        assert_int_equal(!plain, !placed);
        assert_int_equal(scenes[0].pa.primitives, scenes[1].pa.primitives);
        if (plain) {
            assert_int_equal(plain->count, placed->count);
            for (uint32_t i = 0; i < plain->count; i++)
                assert_memory_equal(&plain->prims[i], &placed->prims[i], offsetof(struct raster_prim, params));
            kept++;
            clipped += plain->count > 1;
        }
        end_scene(&scenes[0]);
        end_scene(&scenes[1]);
    }
    assert_true(kept > 300 && clipped > 30);
}

/* The planes of the view volume that a point is outside of, one after the other. */
static unsigned plain_outside(const struct raster_state *state, const float pos[4], float guard_x, float guard_y)
{
    const float distance[7] = {pos[3] - 1e-30f,           state->z_is_from_zero ? pos[2] : pos[2] + pos[3],
                               pos[3] - pos[2],           pos[0] + guard_x * pos[3],
                               guard_x * pos[3] - pos[0], pos[1] + guard_y * pos[3],
                               guard_y * pos[3] - pos[1]};
    unsigned outside = 0;
    for (unsigned i = 0; i < 7; i++)
        outside |= distance[i] >= 0 ? 0 : 1u << i;
    return outside;
}

static float clip_number(uint64_t *random)
{
    static const float special[] = {0, -0.0f, 1, -1, 100, -100, 1e-30f, 1e-40f, -1e-40f, INFINITY, -INFINITY, NAN};
    const uint32_t at = next_random(random) % 64;
    return at < ARRAY_SIZE(special) ? special[at] : (float)(int32_t)(next_random(random) % 4001 - 2000) / 1000;
}

/* Triangles that are outside as a whole vanish, and those that cross no plane stay as they are; both happen, and the
 * rest, too. */
static void test_clip_planes(void **unused)
{
    uint64_t random = 77;
    unsigned seen[3] = {0};
    for (unsigned n = 0; n < 200000; n++) {
        struct raster_state state;
        struct raster_point points[RASTER_MAX_POLYGON] = {0}, before[3];
        init_pa(&state);
        state.z_is_from_zero = n & 1;
        state.guard_x = n & 2 ? 100 : 1.25f;
        state.discard_x = n & 4 ? 1 : 1.5f;
        unsigned crossed = 0, common = 0x7f;
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned k = 0; k < 4; k++)
                points[i].pos[k] = clip_number(&random);
            points[i].pos[3] += n & 8 ? 3 : 0;
            points[i].bary[i] = 1;
            crossed |= plain_outside(&state, points[i].pos, state.guard_x, state.guard_y);
            common &= plain_outside(&state, points[i].pos, state.discard_x, state.discard_y);
        }
        memcpy(before, points, sizeof(before));
        const unsigned count = raster_clip_polygon(&state, points, 3, NULL);
        if (common) {
            assert_int_equal(count, 0);
        } else if (!crossed) {
            assert_int_equal(count, 3);
            assert_memory_equal(points, before, sizeof(before));
        }
        seen[common ? 0 : crossed ? 1 : 2]++;
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(seen[i] > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage_1),          cmocka_unit_test(test_coverage_4),
        cmocka_unit_test(test_coverage_8_by_pixel), cmocka_unit_test(test_finer_subpixels),
        cmocka_unit_test(test_conservative),        cmocka_unit_test(test_joined_samples),
        cmocka_unit_test(test_touched_corners),     cmocka_unit_test(test_clip_rects),
        cmocka_unit_test(test_shared_edges),        cmocka_unit_test(test_facing),
        cmocka_unit_test(test_near_clip),           cmocka_unit_test(test_discard),
        cmocka_unit_test(test_point_and_line),      cmocka_unit_test(test_edge_rules),
        cmocka_unit_test(test_block_planes),        cmocka_unit_test(test_places),
        cmocka_unit_test(test_clip_planes),         cmocka_unit_test(test_shares),
        cmocka_unit_test(test_one_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
