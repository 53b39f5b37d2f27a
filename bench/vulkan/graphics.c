/* The graphics scenes. Each draws into an RGBA8 target, and its check compares the whole picture with one that was
 * computed here: within a tolerance for the driver's rounding, and but for pixels whose samples lie on an edge.
 * Not for: kernels (compute.c). */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#include "bench_heavy_frag.h"
#include "bench_texture_frag.h"

static struct draw_target target; /* of the scene; a process has one */

static size_t all_pixels(void)
{
    return (size_t)target.color.width * target.color.height;
}

/* ---- what a picture must show ---- */

/* Of a thousand pixels, at most this many where `wanted` gives another colour; a channel of it that is negative may be
 * anything. */
static bool shows_picture(struct bench *b, void (*wanted)(double x, double y, int out[4]), int tolerance,
                          uint32_t most_wrong)
{
    const uint32_t *texels = draw_read(b, &target);
    size_t wrong = 0;
    for (uint32_t y = 0; y < target.color.height; y++) {
        for (uint32_t x = 0; x < target.color.width; x++) {
            uint32_t texel = texels[(size_t)y * target.color.width + x];
            int color[4];
            wanted((x + 0.5) / target.color.width, (y + 0.5) / target.color.height, color);
            bool right = true;
            for (int c = 0; c < 4; c++)
                right = right && (color[c] < 0 || abs(color[c] - (int)(texel >> c * 8 & 255)) <= tolerance);
            wrong += !right;
        }
    }
    return wrong * 1000 <= all_pixels() * most_wrong;
}

static int to_unorm(double value)
{
    return (int)(fmin(fmax(value, 0), 1) * 255 + 0.5);
}

/* ---- clear ---- */

enum {
    CLEARS = 8
};

static void black(double x, double y, int out[4])
{
    out[0] = out[1] = out[2] = 0;
    out[3] = 255;
}

static void orange(double x, double y, int out[4])
{
    out[0] = 230;
    out[1] = 120;
    out[2] = 20;
    out[3] = 255;
}

/* Opaque black and the farthest depth, as most programs clear; a driver may do that by metadata alone. */
static void prepare_clear(struct bench *b)
{
    target = draw_target(
        b, &(struct draw_target_info){
               .size = 2048, .clear = true, .depth = true, .read_depth = true, .clear_color = {0, 0, 0, 1}});
    bench_begin(b);
    for (int i = 0; i < CLEARS; i++) {
        draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
        draw_end_pass(b);
        bench_barrier(b->commands);
    }
    bench_end(b);
    b->work = CLEARS * (double)all_pixels();
}

static bool check_clear(struct bench *b)
{
    const float *depth = draw_read_depth(b, &target);
    for (size_t i = 0; i < all_pixels(); i++) {
        if (depth[i] != 1)
            return false;
    }
    return shows_picture(b, black, 0, 0);
}

static struct bench_buffer read_back;

/* A colour that metadata cannot express, and a reader of it: the clear cannot be left for later. */
static void prepare_clear_read(struct bench *b)
{
    target =
        draw_target(b, &(struct draw_target_info){
                           .size = 2048, .clear = true, .clear_color = {230 / 255.0f, 120 / 255.0f, 20 / 255.0f, 1}});
    read_back = bench_buffer(b, all_pixels() * 4, NULL);
    const VkBufferImageCopy region = draw_whole(&target.color);
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    draw_end_pass(b);
    draw_change_layout(b->commands, &target.color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                       VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(b->commands, target.color.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, read_back.buffer, 1,
                           &region);
    draw_change_layout(b->commands, &target.color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                       VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    bench_barrier(b->commands);
    bench_end(b);
    b->work = (double)all_pixels();
}

static bool check_clear_read(struct bench *b)
{
    const uint32_t *texels = bench_result(b, read_back.map, read_back.size_B);
    for (size_t i = 0; i < all_pixels(); i++) {
        if (texels[i] != (0xff000000u | 20u << 16 | 120u << 8 | 230u))
            return false;
    }
    return shows_picture(b, orange, 0, 0);
}

/* ---- one triangle over the screen ---- */

static void prepare_screen(struct bench *b, uint32_t size, const struct draw_pipeline_info *info, VkDescriptorSet set)
{
    target = draw_target(b, &(struct draw_target_info){.size = size});
    struct draw_pipeline pipeline = draw_pipeline(b, &target, info);
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    if (set)
        vkCmdBindDescriptorSets(b->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    draw_record(b, &pipeline, NULL, 3);
    draw_end_pass(b);
    bench_end(b);
    b->work = (double)all_pixels();
}

static void prepare_fill(struct bench *b)
{
    const struct draw_pipeline_info info = {.vertex = draw_screen_vert, .fragment = draw_color_frag};
    prepare_screen(b, 2048, &info, VK_NULL_HANDLE);
}

/* The colours of screen.vert run from 0 to 1 over the picture. */
static void gradient(double x, double y, int out[4])
{
    out[0] = to_unorm(x);
    out[1] = to_unorm(y);
    out[2] = to_unorm(0.25);
    out[3] = 255;
}

static bool check_fill(struct bench *b)
{
    return shows_picture(b, gradient, 1, 0);
}

/* ---- a texture ---- */

enum {
    SIZE = 512
};
static uint32_t *texels;

static void prepare_texture(struct bench *b)
{
    texels = malloc(SIZE * SIZE * sizeof(*texels));
    uint64_t state = 1;
    bench_need(texels != NULL, "memory for the texture");
    for (size_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = bench_random(&state) | 0xff000000;
    struct draw_pipeline_info info = {.vertex = draw_screen_vert, .fragment = BENCH_SPIRV(bench_texture_frag)};
    VkDescriptorSet set = draw_texture(b, &(struct draw_texture_info){texels, SIZE, 1, 0}, &info.set_layout);
    prepare_screen(b, 1024, &info, set);
}

/* texture.frag: between four texels, with repetition. */
static void filtered(double x, double y, int out[4])
{
    double u = (x * 1.75 + y * 0.25) * SIZE - 0.5, v = (y * 1.75 - x * 0.25) * SIZE - 0.5;
    double left = floor(u), top = floor(v), across = u - left, down = v - top;
    for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            uint32_t column = (uint32_t)((int)left + (i & 1)) % SIZE, row = (uint32_t)((int)top + (i >> 1)) % SIZE;
            sum += (texels[row * SIZE + column] >> c * 8 & 255) * (i & 1 ? across : 1 - across) *
                   (i >> 1 ? down : 1 - down);
        }
        out[c] = (int)(sum + 0.5);
    }
}

/* Weights have eight bits or more, and neighbours differ by up to 255. */
static bool check_texture(struct bench *b)
{
    return shows_picture(b, filtered, 4, 1);
}

/* ---- a texture with levels ---- */

/* Waves across and down, which all levels show, and a red that says which level it is. */
static void wave(double u, double v, double level, int out[4])
{
    const double turn = 6.283185307179586;
    out[0] = (int)(20 + 12 * level + 0.5);
    out[1] = (int)(128 + 100 * sin(turn * 3 * u) + 0.5);
    out[2] = (int)(128 + 100 * sin(turn * 2 * v) + 0.5);
    out[3] = 255;
}

static void prepare_levels(struct bench *b, uint32_t kind, float anisotropy)
{
    enum {
        LEVELS = 10
    };
    uint32_t *at = malloc(2 * SIZE * SIZE * sizeof(*at));
    const struct draw_texture_info texture = {at, SIZE, LEVELS, anisotropy};
    bench_need(at != NULL, "memory for the texture");
    for (uint32_t level = 0; level < LEVELS; level++) {
        const uint32_t size = SIZE >> level;
        for (uint32_t i = 0; i < size * size; i++) {
            int color[4];
            wave((i % size + 0.5) / size, (i / size + 0.5) / size, level, color);
            *at++ = (uint32_t)color[0] | (uint32_t)color[1] << 8 | (uint32_t)color[2] << 16 | 0xff000000;
        }
    }
    struct draw_pipeline_info info = {
        .vertex = draw_screen_vert, .fragment = BENCH_SPIRV(bench_texture_frag), .constant = kind};
    VkDescriptorSet set = draw_texture(b, &texture, &info.set_layout);
    prepare_screen(b, 1024, &info, set);
}

static void prepare_trilinear(struct bench *b)
{
    prepare_levels(b, 1, 0);
}

static void prepare_aniso(struct bench *b)
{
    bench_offer(b->features.samplerAnisotropy, "samplerAnisotropy");
    prepare_levels(b, 2, 16);
}

/* texture.frag, kinds 1 and 2: a pixel covers 2.55 texels either way; 1.2 by 19, which 16 probes make 1.2. */
static void from_afar(double x, double y, int out[4])
{
    wave(x * 5 + y, y * 5 - x, log2(2.55), out);
}

static void at_an_angle(double x, double y, int out[4])
{
    wave(x * 2.4 + y * 0.25, y * 38 - x * 0.25, log2(1.2), out);
}

/* Peers find levels and take probes in their own ways: up to two thirds of a level. Without probes it would be four. */
static bool check_trilinear(struct bench *b)
{
    return shows_picture(b, from_afar, 8, 1);
}

static bool check_aniso(struct bench *b)
{
    return shows_picture(b, at_an_angle, 8, 1);
}

/* ---- a heavy fragment shader ---- */

static void prepare_heavy(struct bench *b)
{
    const struct draw_pipeline_info info = {.vertex = draw_screen_vert, .fragment = BENCH_SPIRV(bench_heavy_frag)};
    prepare_screen(b, 512, &info, VK_NULL_HANDLE);
}

/* heavy.frag. Its blue would show every rounding. */
static void escaped(double x, double y, int out[4])
{
    double start[2] = {x * 2.4 - 1.7, y * 2.4 - 1.2}, z[2] = {start[0], start[1]}, near = 1e9, far = 0;
    for (int i = 0; i < 32; i++) {
        double real = z[0] * z[0] - z[1] * z[1] + start[0], imaginary = 2 * z[0] * z[1] + start[1];
        z[0] = fmin(fmax(real, -4), 4);
        z[1] = fmin(fmax(imaginary, -4), 4);
        near = fmin(near, z[0] * z[0] + z[1] * z[1]);
        far += 1 / sqrt(1 + (z[0] - start[0]) * (z[0] - start[0]) + (z[1] - start[1]) * (z[1] - start[1]));
    }
    out[0] = to_unorm(sqrt(near));
    out[1] = to_unorm(far * 0.03);
    out[2] = -1;
    out[3] = 255;
}

/* Where points are far out, the iteration makes any difference large. */
static bool check_heavy(struct bench *b)
{
    return shows_picture(b, escaped, 3, 50);
}

/* ---- triangles from a buffer ---- */

static struct bench_buffer vertices;

/* Triangles of about `pixels` across, all over the target, at any depth. */
static void scatter_triangles(struct bench *b, uint32_t count, float pixels)
{
    vertices = bench_buffer(b, (VkDeviceSize)count * 3 * sizeof(struct draw_vertex), NULL);
    struct draw_vertex *out = vertices.map;
    uint64_t state = 2;
    float scale = 2 * pixels / (float)target.color.width;
    for (uint32_t i = 0; i < count; i++) {
        float x = bench_random_unit(&state) * 2 - 1, y = bench_random_unit(&state) * 2 - 1,
              z = bench_random_unit(&state);
        float turn = bench_random_unit(&state) * 6.2831853f;
        for (uint32_t corner = 0; corner < 3; corner++) {
            float angle = turn + (float)corner * 2.0943951f;
            *out++ = (struct draw_vertex){
                .position = {x + scale * 0.58f * cosf(angle), y + scale * 0.58f * sinf(angle), z, 1},
                .color = {bench_random_unit(&state), bench_random_unit(&state), bench_random_unit(&state), 1}};
        }
    }
}

static struct draw_pipeline mesh_pipeline(struct bench *b, bool blend)
{
    return draw_pipeline(b, &target,
                         &(struct draw_pipeline_info){
                             .vertex = draw_mesh_vert, .fragment = draw_color_frag, .vertices = true, .blend = blend});
}

static void record_mesh(struct bench *b, bool blend)
{
    struct draw_pipeline pipeline = mesh_pipeline(b, blend);
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    draw_record(b, &pipeline, &vertices, (uint32_t)(vertices.size_B / sizeof(struct draw_vertex)));
    draw_end_pass(b);
    bench_end(b);
}

static bool check_mesh(struct bench *b, bool blend, int tolerance)
{
    struct reference r = reference_make(b, &target, blend);
    reference_draw(&r, vertices.map, (uint32_t)(vertices.size_B / sizeof(struct draw_vertex)));
    return reference_matches(&r, draw_read(b, &target), tolerance, 10);
}

static bool check_opaque(struct bench *b)
{
    return check_mesh(b, false, 2);
}

static void prepare_small(struct bench *b)
{
    target = draw_target(b, &(struct draw_target_info){.size = 1024, .clear = true, .depth = true});
    scatter_triangles(b, 100000, 6);
    record_mesh(b, false);
    b->work = 100000;
}

static void prepare_msaa(struct bench *b)
{
    bench_offer(b->properties.limits.standardSampleLocations, "standardSampleLocations, by which it is checked");
    target = draw_target(
        b, &(struct draw_target_info){.size = 1024, .clear = true, .depth = true, .samples = VK_SAMPLE_COUNT_4_BIT});
    scatter_triangles(b, 2000, 60);
    record_mesh(b, false);
    b->work = (double)all_pixels();
}

/* A draw call for each triangle. */
static void prepare_draws(struct bench *b)
{
    enum {
        DRAWS = 5000
    };
    target = draw_target(b, &(struct draw_target_info){.size = 256, .clear = true});
    struct draw_pipeline pipeline = mesh_pipeline(b, false);
    scatter_triangles(b, DRAWS, 10);
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    draw_record(b, &pipeline, &vertices, 3);
    for (uint32_t i = 1; i < DRAWS; i++)
        vkCmdDraw(b->commands, 3, 1, i * 3, 0);
    draw_end_pass(b);
    bench_end(b);
    b->work = DRAWS;
}

/* 32 layers over the whole screen, as of particles or of a user interface. */
static void prepare_blend(struct bench *b)
{
    enum {
        LAYERS = 32
    };
    struct draw_vertex quads[LAYERS * 6];
    uint64_t state = 3;
    for (uint32_t i = 0; i < LAYERS * 6; i++) {
        static const float corners[6][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, -1}, {1, 1}, {-1, 1}};
        const float *corner = corners[i % 6];
        quads[i] = (struct draw_vertex){
            .position = {corner[0], corner[1], 0.5f, 1},
            .color = {bench_random_unit(&state), bench_random_unit(&state), bench_random_unit(&state), 0.3f}};
    }
    target = draw_target(b, &(struct draw_target_info){.size = 512, .clear = true});
    vertices = bench_buffer(b, sizeof(quads), quads);
    record_mesh(b, true);
    b->work = (double)all_pixels() * LAYERS;
}

/* Each layer is rounded to eight bits: up to half a step, of which the next one leaves seven tenths. */
static bool check_blend(struct bench *b)
{
    return check_mesh(b, true, 4);
}

const struct bench_scene bench_graphics_scenes[] = {
    {"clear", "pixel/s", "clear colour and depth, 2048x2048, eight times", prepare_clear, check_clear},
    {"clear_read", "pixel/s", "clear to a colour, 2048x2048, and copy it to a buffer", prepare_clear_read,
     check_clear_read},
    {"fill", "pixel/s", "one triangle over 2048x2048, interpolated colour", prepare_fill, check_fill},
    {"texture", "pixel/s", "one triangle over 1024x1024, bilinear RGBA8", prepare_texture, check_texture},
    {"trilinear", "pixel/s", "the same with ten levels, trilinear", prepare_trilinear, check_trilinear},
    {"aniso", "pixel/s", "the same at an angle, anisotropy 16", prepare_aniso, check_aniso},
    {"small", "triangle/s", "100,000 triangles of 6 pixels, depth, 1024x1024", prepare_small, check_opaque},
    {"draws", "draw/s", "5,000 draws of one triangle of 10 pixels, 256x256", prepare_draws, check_opaque},
    {"blend", "pixel/s", "32 blended layers over 512x512", prepare_blend, check_blend},
    {"msaa", "pixel/s", "2,000 triangles, 4 samples, depth, resolve, 1024x1024", prepare_msaa, check_opaque},
    {"heavy", "pixel/s", "one triangle over 512x512, 400 operations a pixel", prepare_heavy, check_heavy},
    {0},
};
