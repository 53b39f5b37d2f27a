/* Scenes of the optional stages between vertices and pixels. What they draw is computed here, too, by the words of the
 * shaders, and goes through the plain rasteriser of reference.h. Not for: what vertex and fragment shaders do alone
 * (graphics.c). */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#include "bench_levels_tesc.h"
#include "bench_squares_geom.h"
#include "bench_terrain_tese.h"

static struct draw_target target;  /* of the scene; a process has one */
static struct draw_vertex *wanted; /* the triangles that it must show */
static uint32_t wanted_count;

static void want_vertices(struct bench *b, uint32_t vertex_count)
{
    target = draw_target(b, &(struct draw_target_info){.size = 1024, .clear = true, .depth = true});
    wanted = malloc(vertex_count * sizeof(*wanted));
    bench_need(wanted != NULL, "memory for the picture that it must be");
}

/* By draws of so many vertices: lavapipe, 22.3 and 26.1 alike, loses patches where a draw has some hundreds of them. */
static void record_draws(struct bench *b, const struct draw_pipeline_info *info, const struct draw_vertex *vertices,
                         uint32_t count, uint32_t of_draw)
{
    struct bench_buffer buffer = bench_buffer(b, count * sizeof(*vertices), vertices);
    struct draw_pipeline pipeline = draw_pipeline(b, &target, info);
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    draw_record(b, &pipeline, &buffer, of_draw);
    for (uint32_t at = of_draw; at < count; at += of_draw)
        vkCmdDraw(b->commands, of_draw, 1, at, 0);
    draw_end_pass(b);
    bench_end(b);
    b->work = wanted_count / 3;
}

static bool check_picture(struct bench *b)
{
    struct reference r = reference_make(b, &target, false);
    reference_draw(&r, wanted, wanted_count);
    return reference_matches(&r, draw_read(b, &target), 2, 10);
}

/* ---- tessellation ---- */

enum {
    PATCHES = 16, /* along a side */
    LEVEL = 16,   /* levels.tesc: an edge of 2 / 16 times 124 is 15.5, and the next whole number is 16 */
    STEPS = PATCHES * LEVEL
};

static struct draw_vertex on_ground(uint32_t x, uint32_t y, uint32_t steps)
{
    const float u = (float)x / (float)steps, v = (float)y / (float)steps;
    return (struct draw_vertex){.position = {u * 2 - 1, v * 2 - 1, 0.5f, 1},
                                .color = {u, v, 0.25f + 0.5f * (1 - u) * v, 1}};
}

/* terrain.tese. The colours of corners are no plane: between those of a patch, not of the whole ground. */
static struct draw_vertex moved(uint32_t x, uint32_t y)
{
    struct draw_vertex at = on_ground(x, y, STEPS);
    const float across = (float)(x % LEVEL) / LEVEL, down = (float)(y % LEVEL) / LEVEL;
    const float waves[2] = {sinf(at.position[0] * 9 + at.position[1] * 5),
                            cosf(at.position[1] * 8 - at.position[0] * 4)};
    for (int c = 0; c < 3; c++) {
        float corners[4];
        for (uint32_t i = 0; i < 4; i++)
            corners[i] = on_ground(x / LEVEL + (i & 1), y / LEVEL + (i >> 1), PATCHES).color[c];
        at.color[c] = (corners[0] * (1 - across) + corners[1] * across) * (1 - down) +
                      (corners[2] * (1 - across) + corners[3] * across) * down;
        at.color[c] *= 0.75f + 0.25f * waves[0];
    }
    at.position[0] += waves[1] * 0.03f;
    at.position[1] += waves[0] * 0.03f;
    at.position[2] = 0.5f + 0.1f * waves[0] * waves[1];
    return at;
}

static void prepare_terrain(struct bench *b)
{
    static struct draw_vertex corners[PATCHES * PATCHES * 4];
    const struct draw_pipeline_info info = {.vertex = draw_mesh_vert,
                                            .control = BENCH_SPIRV(bench_levels_tesc),
                                            .evaluation = BENCH_SPIRV(bench_terrain_tese),
                                            .fragment = draw_color_frag,
                                            .patch_vertices = 4,
                                            .vertices = true};
    bench_offer(b->features.tessellationShader, "tessellationShader");
    want_vertices(b, STEPS * STEPS * 6);
    for (uint32_t i = 0; i < PATCHES * PATCHES * 4; i++)
        corners[i] = on_ground(i / 4 % PATCHES + (i & 1), i / 4 / PATCHES + (i >> 1 & 1), PATCHES);
    for (uint32_t i = 0; i < STEPS * STEPS * 6; i++) {
        static const uint32_t order[6] = {0, 1, 2, 1, 3, 2};
        const uint32_t corner = order[i % 6], square = i / 6;
        wanted[wanted_count++] = moved(square % STEPS + (corner & 1), square / STEPS + (corner >> 1));
    }
    record_draws(b, &info, corners, PATCHES * PATCHES * 4, PATCHES * 4);
}

/* ---- geometry shaders ---- */

static void prepare_squares(struct bench *b)
{
    enum {
        SQUARES = 50000,
        SIDE = 12 /* of 4096: 6 pixels of 1024, reached from the middle */
    };
    static struct draw_vertex points[SQUARES];
    const struct draw_pipeline_info info = {.vertex = draw_mesh_vert,
                                            .geometry = BENCH_SPIRV(bench_squares_geom),
                                            .fragment = draw_color_frag,
                                            .points = true,
                                            .vertices = true,
                                            .constant = SIDE};
    uint64_t state = 4;
    bench_offer(b->features.geometryShader, "geometryShader");
    want_vertices(b, SQUARES * 6);
    for (uint32_t i = 0; i < SQUARES; i++) {
        struct draw_vertex *point = &points[i];
        for (int c = 0; c < 2; c++)
            point->position[c] = bench_random_unit(&state) * 2 - 1;
        point->position[2] = bench_random_unit(&state);
        point->position[3] = 1;
        for (int c = 0; c < 4; c++)
            point->color[c] = bench_random_unit(&state);
        const float along[2] = {cosf(point->color[3] * 6.2831853f) * SIDE / 4096,
                                sinf(point->color[3] * 6.2831853f) * SIDE / 4096};
        for (uint32_t corner = 0; corner < 6; corner++) {
            static const float places[6][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, -1}, {1, 1}, {-1, 1}};
            const float *place = places[corner];
            struct draw_vertex *to = &wanted[wanted_count++];
            *to = *point;
            to->position[0] += along[0] * place[0] - along[1] * place[1];
            to->position[1] += along[1] * place[0] + along[0] * place[1];
            to->color[3] = 1;
        }
    }
    record_draws(b, &info, points, SQUARES, SQUARES);
}

const struct bench_scene bench_stage_scenes[] = {
    {"terrain", "triangle/s", "256 patches of 512 displaced triangles, depth, 1024x1024", prepare_terrain,
     check_picture},
    {"squares", "triangle/s", "50,000 points that a geometry shader makes squares of 6 pixels, depth, 1024x1024",
     prepare_squares, check_picture},
    {0},
};
