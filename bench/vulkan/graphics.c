/* The graphics scenes. Each draws into an RGBA8 target; its check looks at what must be there whatever the driver's
 * rounding. Not for: kernels (compute.c). */
#include "draw.h"

#include <math.h>
#include <stdlib.h>

#include "bench_color_frag.h"
#include "bench_heavy_frag.h"
#include "bench_mesh_vert.h"
#include "bench_screen_vert.h"
#include "bench_texture_frag.h"

static struct draw_target target; /* of the scene; a process has one */

/* ---- what a picture must show ---- */

static size_t count_pixels(struct bench *b, bool (*is)(uint32_t x, uint32_t y, uint32_t texel))
{
    const uint32_t *texels = draw_read(b, &target);
    size_t count = 0;
    for (uint32_t y = 0; y < target.color.height; y++) {
        for (uint32_t x = 0; x < target.color.width; x++)
            count += is(x, y, texels[(size_t)y * target.color.width + x]);
    }
    return count;
}

static size_t all_pixels(void)
{
    return (size_t)target.color.width * target.color.height;
}

static bool is_empty(uint32_t x, uint32_t y, uint32_t texel)
{
    return texel == 0;
}

static bool is_opaque(uint32_t x, uint32_t y, uint32_t texel)
{
    return texel >> 24 == 255;
}

/* Rounding to eight bits may stop short of 255. */
static bool is_nearly_opaque(uint32_t x, uint32_t y, uint32_t texel)
{
    return texel >> 24 >= 250;
}

/* The colours of screen.vert run from 0 to 1 over the picture. */
static bool is_screen(uint32_t x, uint32_t y, uint32_t texel)
{
    int red = (int)((x + 0.5) * 255 / target.color.width + 0.5),
        green = (int)((y + 0.5) * 255 / target.color.height + 0.5);
    return abs(red - (int)(texel & 255)) <= 1 && abs(green - (int)(texel >> 8 & 255)) <= 1 && texel >> 24 == 255;
}

static bool every_pixel_opaque(struct bench *b)
{
    return count_pixels(b, is_opaque) == all_pixels();
}

/* ---- clear ---- */

static void prepare_clear(struct bench *b)
{
    target = draw_target(b, &(struct draw_target_info){.size = 2048, .clear = true, .depth = true});
    bench_begin(b);
    draw_begin_pass(b, &target);
    draw_end_pass(b);
    bench_end(b);
    b->work = (double)all_pixels();
}

static bool check_clear(struct bench *b)
{
    return count_pixels(b, is_empty) == all_pixels();
}

/* ---- one triangle over the screen ---- */

static void prepare_screen(struct bench *b, uint32_t size, const struct draw_pipeline_info *info, VkDescriptorSet set)
{
    target = draw_target(b, &(struct draw_target_info){.size = size});
    struct draw_pipeline pipeline = draw_pipeline(b, &target, info);
    bench_begin(b);
    draw_begin_pass(b, &target);
    if (set)
        vkCmdBindDescriptorSets(b->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    draw_record(b, &pipeline, NULL, 3);
    draw_end_pass(b);
    bench_end(b);
    b->work = (double)all_pixels();
}

static void prepare_fill(struct bench *b)
{
    const struct draw_pipeline_info info = {.vertex = BENCH_SPIRV(bench_screen_vert),
                                            .fragment = BENCH_SPIRV(bench_color_frag)};
    prepare_screen(b, 2048, &info, VK_NULL_HANDLE);
}

static bool check_fill(struct bench *b)
{
    return count_pixels(b, is_screen) == all_pixels();
}

static void prepare_texture(struct bench *b)
{
    enum {
        SIZE = 512
    };
    uint32_t *texels = malloc(SIZE * SIZE * sizeof(*texels));
    uint64_t state = 1;
    bench_need(texels != NULL, "memory for the texture");
    for (size_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = bench_random(&state) | 0xff000000;
    struct draw_pipeline_info info = {.vertex = BENCH_SPIRV(bench_screen_vert),
                                      .fragment = BENCH_SPIRV(bench_texture_frag)};
    VkDescriptorSet set = draw_texture(b, texels, SIZE, &info.set_layout);
    free(texels);
    prepare_screen(b, 1024, &info, set);
}

static void prepare_heavy(struct bench *b)
{
    const struct draw_pipeline_info info = {.vertex = BENCH_SPIRV(bench_screen_vert),
                                            .fragment = BENCH_SPIRV(bench_heavy_frag)};
    prepare_screen(b, 512, &info, VK_NULL_HANDLE);
}

/* ---- triangles from a buffer ---- */

static float unit_random(uint64_t *state)
{
    return (float)(bench_random(state) >> 8) * 0x1p-24f;
}

/* Triangles of about `pixels` across, all over the target, at any depth. */
static struct bench_buffer scatter(struct bench *b, uint32_t count, float pixels, float alpha)
{
    struct bench_buffer vertices = bench_buffer(b, (VkDeviceSize)count * 3 * sizeof(struct draw_vertex), NULL);
    struct draw_vertex *out = vertices.map;
    uint64_t state = 2;
    float scale = 2 * pixels / (float)target.color.width;
    for (uint32_t i = 0; i < count; i++) {
        float x = unit_random(&state) * 2 - 1, y = unit_random(&state) * 2 - 1, z = unit_random(&state);
        float turn = unit_random(&state) * 6.2831853f;
        for (uint32_t corner = 0; corner < 3; corner++) {
            float angle = turn + (float)corner * 2.0943951f;
            *out++ = (struct draw_vertex){
                .position = {x + scale * 0.58f * cosf(angle), y + scale * 0.58f * sinf(angle), z, 1},
                .color = {unit_random(&state), unit_random(&state), unit_random(&state), alpha}};
        }
    }
    return vertices;
}

static void prepare_scatter(struct bench *b, const struct draw_target_info *info, uint32_t count, float pixels,
                            bool blend)
{
    target = draw_target(b, info);
    struct draw_pipeline pipeline =
        draw_pipeline(b, &target,
                      &(struct draw_pipeline_info){.vertex = BENCH_SPIRV(bench_mesh_vert),
                                                   .fragment = BENCH_SPIRV(bench_color_frag),
                                                   .vertices = true,
                                                   .blend = blend});
    struct bench_buffer vertices = scatter(b, count, pixels, blend ? 0.3f : 1);
    bench_begin(b);
    draw_begin_pass(b, &target);
    draw_record(b, &pipeline, &vertices, count * 3);
    draw_end_pass(b);
    bench_end(b);
}

static void prepare_small(struct bench *b)
{
    prepare_scatter(b, &(struct draw_target_info){.size = 1024, .clear = true, .depth = true}, 100000, 6, false);
    b->work = 100000;
}

/* A draw call for each of 1,000 triangles. */
static void prepare_draws(struct bench *b)
{
    enum {
        DRAWS = 1000
    };
    target = draw_target(b, &(struct draw_target_info){.size = 256, .clear = true});
    struct draw_pipeline pipeline = draw_pipeline(
        b, &target,
        &(struct draw_pipeline_info){
            .vertex = BENCH_SPIRV(bench_mesh_vert), .fragment = BENCH_SPIRV(bench_color_frag), .vertices = true});
    struct bench_buffer vertices = scatter(b, DRAWS, 10, 1);
    bench_begin(b);
    draw_begin_pass(b, &target);
    draw_record(b, &pipeline, &vertices, 3);
    for (uint32_t i = 1; i < DRAWS; i++)
        vkCmdDraw(b->commands, 3, 1, i * 3, 0);
    draw_end_pass(b);
    bench_end(b);
    b->work = DRAWS;
}

static bool check_draws(struct bench *b)
{
    return count_pixels(b, is_opaque) > all_pixels() / 8;
}

/* So many of so small ones leave a part of the picture empty. */
static bool check_small(struct bench *b)
{
    size_t empty = count_pixels(b, is_empty), opaque = count_pixels(b, is_opaque);
    return empty + opaque == all_pixels() && empty > all_pixels() / 8 && empty < all_pixels() / 2;
}

/* 32 layers over the whole screen, as of particles or of a user interface. */
static void prepare_blend(struct bench *b)
{
    enum {
        LAYERS = 32
    };
    target = draw_target(b, &(struct draw_target_info){.size = 512, .clear = true});
    struct draw_pipeline pipeline =
        draw_pipeline(b, &target,
                      &(struct draw_pipeline_info){.vertex = BENCH_SPIRV(bench_mesh_vert),
                                                   .fragment = BENCH_SPIRV(bench_color_frag),
                                                   .vertices = true,
                                                   .blend = true});
    struct draw_vertex quads[LAYERS * 6];
    uint64_t state = 3;
    for (uint32_t i = 0; i < LAYERS * 6; i++) {
        static const float corners[6][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, -1}, {1, 1}, {-1, 1}};
        const float *corner = corners[i % 6];
        quads[i] = (struct draw_vertex){.position = {corner[0], corner[1], 0.5f, 1},
                                        .color = {unit_random(&state), unit_random(&state), unit_random(&state), 0.3f}};
    }
    struct bench_buffer vertices = bench_buffer(b, sizeof(quads), quads);
    bench_begin(b);
    draw_begin_pass(b, &target);
    draw_record(b, &pipeline, &vertices, LAYERS * 6);
    draw_end_pass(b);
    bench_end(b);
    b->work = (double)all_pixels() * LAYERS;
}

static bool check_blend(struct bench *b)
{
    return count_pixels(b, is_nearly_opaque) == all_pixels();
}

static void prepare_msaa(struct bench *b)
{
    prepare_scatter(
        b, &(struct draw_target_info){.size = 1024, .clear = true, .depth = true, .samples = VK_SAMPLE_COUNT_4_BIT},
        2000, 60, false);
    b->work = (double)all_pixels();
}

static bool check_msaa(struct bench *b)
{
    return count_pixels(b, is_opaque) > all_pixels() / 2;
}

const struct bench_scene bench_graphics_scenes[] = {
    {"clear", "pixel/s", "clear colour and depth, 2048x2048", prepare_clear, check_clear},
    {"fill", "pixel/s", "one triangle over 2048x2048, interpolated colour", prepare_fill, check_fill},
    {"texture", "pixel/s", "one triangle over 1024x1024, bilinear RGBA8", prepare_texture, every_pixel_opaque},
    {"small", "triangle/s", "100,000 triangles of 6 pixels, depth, 1024x1024", prepare_small, check_small},
    {"draws", "draw/s", "1,000 draws of one triangle of 10 pixels, 256x256", prepare_draws, check_draws},
    {"blend", "pixel/s", "32 blended layers over 512x512", prepare_blend, check_blend},
    {"msaa", "pixel/s", "2,000 triangles, 4 samples, depth, resolve, 1024x1024", prepare_msaa, check_msaa},
    {"heavy", "pixel/s", "one triangle over 512x512, 400 operations a pixel", prepare_heavy, every_pixel_opaque},
    {0},
};
