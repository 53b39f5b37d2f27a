/* Many samples a pixel: coverage, masks, shading for each sample, resolves, and reading samples in shaders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/interpolate_samples_frag.h"
#include "shaders/msaa_interpolate_vert.h"
#include "shaders/msaa_uint_frag.h"
#include "shaders/msaa_uint_vert.h"
#include "shaders/samples_behind_frag.h"
#include "shaders/samples_float.h"
#include "shaders/samples_id_frag.h"
#include "shaders/samples_in_frag.h"
#include "shaders/samples_named_frag.h"
#include "shaders/samples_out_frag.h"
#include "shaders/samples_uint.h"

#define SIZE 32
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

/* The standard places of samples. */
static const double places[4][8][2] = {
    {{0.5, 0.5}},
    {{0.75, 0.75}, {0.25, 0.25}},
    {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
    {{0.5625, 0.3125},
     {0.4375, 0.6875},
     {0.8125, 0.5625},
     {0.3125, 0.1875},
     {0.1875, 0.8125},
     {0.0625, 0.4375},
     {0.6875, 0.9375},
     {0.9375, 0.0625}},
};

static const double (*places_of(uint32_t samples))[2]
{
    return places[__builtin_ctz(samples)];
}

static struct vt_target make_target(struct vt *vt, uint32_t samples, VkFormat format)
{
    if (!(vt->properties.limits.framebufferColorSampleCounts & samples))
        vt_skip(vt, "not so many samples");
    struct vt_target target = vt_empty_target(SIZE, SIZE, (VkSampleCountFlagBits)samples);
    vt_add_color(vt, &target, format);
    return target;
}

/* A triangle whose edges have slopes of their own. Corners in pixels. */
static const double corners[3][2] = {{3.3, 2.1}, {29.7, 10.9}, {9.2, 30.4}};

static void make_triangle(struct vt_vertex out[3])
{
    static const float colors[3][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    for (unsigned i = 0; i < 3; i++) {
        out[i] = (struct vt_vertex){
            .position = {(float)(corners[i][0] / SIZE * 2 - 1), (float)(corners[i][1] / SIZE * 2 - 1), 0.5f, 1}};
        memcpy(out[i].color, colors[i], sizeof(colors[i]));
    }
}

/* Weights of the corners at a place, and how near the nearest edge is, in pixels; negative outside. */
static double triangle_at(double x, double y, double weights_out[3])
{
    double area = (corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
                  (corners[1][1] - corners[0][1]) * (corners[2][0] - corners[0][0]);
    double nearest = 1e9;
    for (unsigned i = 0; i < 3; i++) {
        const double *a = corners[(i + 1) % 3], *b = corners[(i + 2) % 3];
        double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        weights_out[i] = side / area;
        nearest = fmin(nearest, side / hypot(b[0] - a[0], b[1] - a[1]));
    }
    return nearest;
}

/* All samples of colour 0 as a shader sees them. */
static const float (*fetch_samples(struct vt *vt, struct vt_target *target))[4]
{
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    struct vt_buffer loaded = vt_buffer(vt, SIZE * SIZE * 16 * target->samples, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &target->colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_submit(vt, commands);
    struct vt_binding bindings[] = {VT_SAMPLED(sampler, target->color_views[0]), VT_STORAGE_BUFFER(loaded)};
    bool integer = vt_is_integer(vt_format(target->color_formats[0]));
    vt_dispatch(vt, integer ? VT_SPIRV(samples_uint) : VT_SPIRV(samples_float), NULL, bindings, 2, SIZE / 8, SIZE / 8,
                1);
    return loaded.map;
}

static void draw(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                 const struct vt_vertex *vertices, uint32_t count)
{
    vt_make_pipeline(vt, graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, target);
    vt_draw(vt, commands, graphics, vertices, count);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
}

/* Compare every sample with what `expect` says: a colour, or false for "not looked at". */
typedef bool (*sample_fn)(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4]);
static void expect_samples(struct vt *vt, struct vt_target *target, sample_fn expect, const void *argument,
                           double tolerance)
{
    const float(*got)[4] = fetch_samples(vt, target);
    for (uint32_t i = 0; i < SIZE * SIZE * target->samples; i++) {
        uint32_t sample = i / (SIZE * SIZE), x = i % SIZE, y = i / SIZE % SIZE;
        double expected[4] = {0};
        if (!expect(argument, x, y, sample, expected))
            continue;
        for (unsigned c = 0; c < 4; c++) {
            if (!(fabs((double)got[i][c] - expected[c]) <= tolerance))
                vt_fail(vt, "sample %u of pixel %u,%u is (%.4f %.4f %.4f %.4f), expected (%.4f %.4f %.4f %.4f)", sample,
                        x, y, (double)got[i][0], (double)got[i][1], (double)got[i][2], (double)got[i][3], expected[0],
                        expected[1], expected[2], expected[3]);
        }
    }
}

struct test {
    uint32_t samples;
    int what; /* of the case */
};

/* ---- coverage ---- */

static bool expect_coverage(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    const double *place = places_of(test->samples)[sample];
    double weights[3], nearest = triangle_at(x + place[0], y + place[1], weights);
    uint32_t mask = test->what ? (uint32_t)test->what : UINT32_MAX;
    if (nearest > 0 && (mask >> sample & 1))
        out[0] = out[1] = out[2] = out[3] = 1;
    return fabs(nearest) > 0.02;
}

/* `what`: the sample mask, of the pipeline or (from 256 on) of the shader. */
static void case_coverage(struct vt *vt, const void *argument)
{
    struct test test = *(const struct test *)argument;
    bool by_shader = test.what >= 256;
    test.what &= 255;
    struct vt_target target = make_target(vt, test.samples, RGBA8);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, by_shader ? VT_SPIRV(samples_out_frag) : vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.fragment_constants = by_shader ? VT_CONSTANTS(test.what) : NULL;
    if (!by_shader && test.what)
        graphics.sample_mask = (uint32_t)test.what;
    struct vt_vertex vertices[3];
    make_triangle(vertices);
    for (unsigned i = 0; i < 3; i++)
        vertices[i].color[0] = vertices[i].color[1] = vertices[i].color[2] = 1;
    draw(vt, &graphics, &target, vertices, 3);
    expect_samples(vt, &target, expect_coverage, &test, 0.01);
}

static const struct test coverages[] = {{2, 0}, {4, 0}, {8, 0}, {4, 0x6}, {8, 0x5a}, {4, 256 + 0x9}, {8, 256 + 0x81}};

/* Without a mask or an edge: the clear alone. */
static bool expect_clear(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    out[0] = 0.2, out[1] = 0.4, out[2] = 0.6, out[3] = 0.8;
    return true;
}

static void case_clear(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct vt_target target = make_target(vt, test->samples, RGBA8);
    target.clears[0].color = (VkClearColorValue){.float32 = {0.2f, 0.4f, 0.6f, 0.8f}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    expect_samples(vt, &target, expect_clear, NULL, 0.003);
}

static const struct test clears[] = {{2, 0}, {4, 0}, {8, 0}};

/* ---- shading ---- */

enum shading {
    SAMPLE_READ,
    MASK_READ,
    SAMPLE_NAMED, /* in the interface, and nowhere else */
};

static bool expect_sample_id(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    out[0] = test->what == SAMPLE_NAMED ? 0.5 : (sample + 1) / 16.0;
    out[1] = places_of(test->samples)[sample][0];
    out[2] = places_of(test->samples)[sample][1];
    out[3] = 1;
    return true;
}

static bool expect_mask_in(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    unsigned inside = 0;
    double weights[3], nearest, here = 0;
    for (uint32_t s = 0; s < test->samples; s++) {
        nearest = triangle_at(x + places_of(test->samples)[s][0], y + places_of(test->samples)[s][1], weights);
        if (fabs(nearest) < 0.02)
            return false;
        inside += nearest > 0;
        here = s == sample ? nearest : here;
    }
    if (here > 0)
        out[0] = inside / 8.0, out[3] = 1;
    return true;
}

static void case_shading(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    const struct vt_spirv codes[] = {VT_SPIRV(samples_id_frag), VT_SPIRV(samples_in_frag),
                                     VT_SPIRV(samples_named_frag)};
    const bool is_mask = test->what == MASK_READ;
    if (!vt->features.features.sampleRateShading)
        vt_skip(vt, "no sampleRateShading");
    struct vt_target target = make_target(vt, test->samples, VK_FORMAT_R32G32B32A32_SFLOAT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, codes[test->what]);
    vt_use_vertices(&graphics);
    struct vt_vertex vertices[6];
    if (is_mask)
        make_triangle(vertices);
    else
        vt_quad(vertices, 0.5f, (const float[4]){1, 1, 1, 1});
    draw(vt, &graphics, &target, vertices, is_mask ? 3 : 6);
    expect_samples(vt, &target, is_mask ? expect_mask_in : expect_sample_id, test, 0.01);
}

static const struct test shadings[] = {{2, SAMPLE_READ}, {4, SAMPLE_READ}, {8, SAMPLE_READ},
                                       {4, MASK_READ},   {8, MASK_READ},   {4, SAMPLE_NAMED}};

/* ---- interpolation ---- */

static bool expect_interpolated(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    const double *place = places_of(test->samples)[sample];
    double weights[3], nearest = triangle_at(x + place[0], y + place[1], weights);
    if (fabs(nearest) < 0.02)
        return false;
    if (nearest < 0)
        return true;
    bool each = test->what == 4 || test->what == 6; /* by sample */
    if (!each) {
        /* at the centre where the pixel is wholly covered; elsewhere anywhere in it, so that only the corners' pixels
         * are known */
        for (unsigned i = 0; i < 4; i++) {
            if (triangle_at(x + (i & 1), y + (i >> 1), weights) < 0.02)
                return false;
        }
        triangle_at(x + 0.5, y + 0.5, weights);
    }
    for (unsigned c = 0; c < 3; c++)
        out[c] = weights[c];
    out[3] = 1;
    return true;
}

/* `what`: as in interpolate.frag. */
static void case_interpolation(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    if (!vt->features.features.sampleRateShading)
        vt_skip(vt, "no sampleRateShading");
    struct vt_target target = make_target(vt, test->samples, VK_FORMAT_R32G32B32A32_SFLOAT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(msaa_interpolate_vert),
                     test->what == 0 ? vt_plain_frag : VT_SPIRV(interpolate_samples_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = VT_CONSTANTS(test->what);
    struct vt_vertex vertices[3];
    make_triangle(vertices);
    draw(vt, &graphics, &target, vertices, 3);
    expect_samples(vt, &target, expect_interpolated, test, 0.004);
    if (test->what != 3 && test->what != 5)
        return;
    const float(*got)[4] = fetch_samples(vt, &target); /* the centroid is inside: no colour is beyond the corners' */
    for (uint32_t i = 0; i < SIZE * SIZE * test->samples; i++) {
        for (unsigned c = 0; c < 3; c++) {
            if (!(got[i][c] >= -0.002f && got[i][c] <= 1.002f))
                vt_fail(vt, "component %u of sample %u of pixel %u,%u is %.4f", c, i / (SIZE * SIZE), i % SIZE,
                        i / SIZE % SIZE, (double)got[i][c]);
        }
    }
}

static const struct test interpolations[] = {{4, 0}, {4, 3}, {4, 4}, {4, 5}, {4, 6},
                                             {8, 0}, {8, 3}, {8, 4}, {8, 6}, {2, 4}};

/* ---- alpha to coverage ---- */

/* More alpha never means fewer samples; none and all are exact. The alpha grows from left to right. */
static void case_alpha(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct vt_target target = make_target(vt, test->samples, RGBA8);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.multisample.alphaToCoverageEnable = VK_TRUE;
    struct vt_vertex quads[5 * 6];
    for (unsigned i = 0; i < 5; i++)
        vt_rectangle(quads + 6 * i, -1 + 0.4f * (float)i, -1, -0.6f + 0.4f * (float)i, 1, 0.5f,
                     (const float[4]){1, 0, 0, (float)i / 4});
    draw(vt, &graphics, &target, quads, 30);
    const float(*got)[4] = fetch_samples(vt, &target);
    double counts[5] = {0};
    for (uint32_t i = 0; i < SIZE * SIZE * test->samples; i++) {
        uint32_t x = i % SIZE, stripe = x * 5 / SIZE;
        if (x * 5 / SIZE == (x + 1) * 5 / SIZE && x > 0 && (x - 1) * 5 / SIZE == stripe && got[i][0] > 0.5f)
            counts[stripe]++;
    }
    for (unsigned i = 0; i < 5; i++) {
        unsigned columns = 0;
        for (uint32_t x = 1; x < SIZE; x++)
            columns += x * 5 / SIZE == i && (x + 1) * 5 / SIZE == i && (x - 1) * 5 / SIZE == i;
        double share = counts[i] / (columns * SIZE * test->samples), alpha = i / 4.0;
        if (fabs(share - alpha) > (i == 0 || i == 4 ? 0 : 0.26))
            vt_fail(vt, "alpha %.2f covers %.3f of the samples", alpha, share);
    }
}

static const struct test alphas[] = {{4, 0}, {8, 0}};

/* Stored colours have full alpha, and so have those that blending sees. */
static void case_alpha_to_one(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    if (!vt->features.features.alphaToOne)
        vt_skip(vt, "no alphaToOne");
    struct vt_target target = make_target(vt, test->samples, RGBA8);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.multisample.alphaToOneEnable = VK_TRUE;
    graphics.blends[0].blendEnable = VK_TRUE;
    graphics.blends[0].srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
    graphics.blends[0].dstColorBlendFactor = VK_BLEND_FACTOR_ZERO;
    graphics.blends[0].srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    graphics.blends[0].dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO;
    struct vt_vertex quad[6];
    vt_rectangle(quad, -1, -1, 1, 1, 0.5f, (const float[4]){0.8f, 0.4f, 0.2f, 0.25f});
    draw(vt, &graphics, &target, quad, 6);
    const float(*got)[4] = fetch_samples(vt, &target);
    for (uint32_t i = 0; i < SIZE * SIZE * test->samples; i++) {
        if (fabsf(got[i][0] - 0.8f) > 0.005f || got[i][3] != 1.0f)
            vt_fail(vt, "sample %u: red %.3f, alpha %.3f", i, (double)got[i][0], (double)got[i][3]);
    }
}

/* ---- resolves ---- */

struct resolve {
    uint32_t samples;
    VkFormat format;
    bool by_command; /* vkCmdResolveImage, else at the end of rendering */
};

static double srgb_code(double linear)
{
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

/* Whether a resolve of sRGB averages numbers or their codes is the implementation's choice (VK_KHR_maintenance10 lets
 * it say which). */
static bool is_average_of_codes(VkFormat format, const uint8_t *texel, const double fore[4], const double back[4],
                                double inside)
{
    bool is_same = format == VK_FORMAT_R8G8B8A8_SRGB;
    for (unsigned c = 0; c < 3; c++)
        is_same &= fabs(texel[c] - (srgb_code(fore[c]) * inside + srgb_code(back[c]) * (1 - inside))) <= 1.5;
    return is_same && texel[3] == 255;
}

static void case_resolve(struct vt *vt, const void *argument)
{
    const struct resolve *test = argument;
    struct vt_target target = make_target(vt, test->samples, test->format);
    const struct vt_format *known = vt_format(test->format);
    bool integer = vt_is_integer(known);
    struct vt_image resolved = vt_image_2d(vt, test->format, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.clears[0].color = (VkClearColorValue){.float32 = {0, 0, 0.4f, 1}};
    if (integer)
        target.clears[0].color = (VkClearColorValue){.uint32 = {0}};
    if (!test->by_command) {
        target.resolve = &resolved;
        target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
        target.resolve_mode = integer ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
    }
    struct vt_graphics graphics;
    if (integer)
        vt_graphics_init(&graphics, &target, VT_SPIRV(msaa_uint_vert), VT_SPIRV(msaa_uint_frag));
    else
        vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    struct vt_vertex vertices[3];
    make_triangle(vertices);
    for (unsigned i = 0; i < 3; i++)
        memcpy(vertices[i].color, (float[4]){1, 0.8f, 0, 1}, 16);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vt_draw(vt, commands, &graphics, vertices, 3);
    vkCmdEndRendering(commands);
    if (test->by_command) {
        VkImageResolve region = {
            {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0}, {SIZE, SIZE, 1}};
        vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vt_to_layout(commands, &resolved, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdResolveImage(commands, target.colors[0].image, target.colors[0].layout, resolved.image, resolved.layout, 1,
                          &region);
    }
    struct vt_buffer texels = vt_record_download(vt, commands, &resolved, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const double fore[4] = {1, 0.8, 0, 1}, back[4] = {0, 0, 0.4, 1}, fore_uint[4] = {255, 204, 0, 255},
                 back_uint[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double inside = 0, expected[4], weights[3];
        bool near = false;
        for (uint32_t s = 0; s < (integer ? 1 : test->samples); s++) {
            double nearest = triangle_at(i % SIZE + places_of(test->samples)[s][0],
                                         i / SIZE + places_of(test->samples)[s][1], weights);
            near |= fabs(nearest) < 0.02;
            inside += nearest > 0;
        }
        inside /= integer ? 1 : test->samples;
        for (unsigned c = 0; c < 4; c++)
            expected[c] = (integer ? fore_uint : fore)[c] * inside + (integer ? back_uint : back)[c] * (1 - inside);
        const uint8_t *texel = (uint8_t *)texels.map + i * known->texel_B;
        if (!near && !vt_texel_is(known, texel, expected, integer ? 0 : 1.5, integer ? 0 : 0.003) &&
            !is_average_of_codes(test->format, texel, fore, back, inside))
            vt_fail_texel(vt, known, texel, expected, "resolved", i % SIZE, i / SIZE, 0);
    }
}

static const struct resolve resolves[] = {
    {2, RGBA8, false},
    {4, RGBA8, false},
    {8, RGBA8, false},
    {4, RGBA8, true},
    {8, RGBA8, true},
    {4, VK_FORMAT_R8G8B8A8_SRGB, false},
    {4, VK_FORMAT_R16G16B16A16_SFLOAT, false},
    {4, VK_FORMAT_R32G32B32A32_SFLOAT, true},
    {4, VK_FORMAT_R8G8B8A8_UINT, false},
};

/* ---- depth ---- */

/* Two planes that cut each other: which of them a sample shows is decided at that sample. */
static bool expect_cut(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    double along = (x + places_of(test->samples)[sample][0]) /
                   SIZE; /* depth of the slope: from 0.2 to 0.8; the other is at 0.45 */
    double slope = 0.2 + 0.6 * along;
    out[slope < 0.45 ? 0 : 2] = 1;
    out[3] = 1;
    return fabs(slope - 0.45) > 0.0005;
}

static void case_depth(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct vt_target target = make_target(vt, test->samples, RGBA8);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    struct vt_vertex quads[12];
    vt_quad(quads, 0.45f, (const float[4]){0, 0, 1, 1});
    vt_quad(quads + 6, 0, (const float[4]){1, 0, 0, 1});
    for (unsigned i = 6; i < 12; i++)
        quads[i].position[2] = quads[i].position[0] < 0 ? 0.2f : 0.8f;
    draw(vt, &graphics, &target, quads, 12);
    expect_samples(vt, &target, expect_cut, test, 0.01);
}

static const struct test depths[] = {{2, 0}, {4, 0}, {8, 0}};

/* Of the quad behind the triangle a pixel's shader gets the samples that the triangle leaves. Not looked at: where
 * the quad's own triangles meet. */
static bool expect_mask_behind(const void *argument, uint32_t x, uint32_t y, uint32_t sample, double out[4])
{
    const struct test *test = argument;
    if (abs((int)x - (int)y) < 2 || abs((int)(x + y) - SIZE) < 2)
        return false;
    unsigned inside = 0;
    double weights[3], nearest, here = 0;
    for (uint32_t s = 0; s < test->samples; s++) {
        nearest = triangle_at(x + places_of(test->samples)[s][0], y + places_of(test->samples)[s][1], weights);
        if (fabs(nearest) < 0.02)
            return false;
        inside += nearest > 0;
        here = s == sample ? nearest : here;
    }
    out[0] = (here > 0 ? inside : test->samples - inside) / 8.0;
    out[3] = 1;
    return true;
}

static void case_mask_behind(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    if (!vt->has[VT_POST_DEPTH_COVERAGE])
        vt_skip(vt, "no coverage behind depth");
    struct vt_target target = make_target(vt, test->samples, RGBA8);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(samples_behind_frag));
    vt_use_vertices(&graphics);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    struct vt_vertex vertices[9];
    make_triangle(vertices);
    vt_quad(vertices + 3, 0.75f, (const float[4]){1, 1, 1, 1});
    draw(vt, &graphics, &target, vertices, 9);
    expect_samples(vt, &target, expect_mask_behind, test, 0.01);
}

/* ---- copies ---- */

#define COPY_FROM_X 3
#define COPY_FROM_Y 5
#define COPY_TO_X 8
#define COPY_TO_Y 2
#define COPY_WIDTH 19
#define COPY_HEIGHT 21

static void record_copy(struct vt *vt, struct vt_target *from, struct vt_target *to)
{
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, to); /* clears it */
    vkCmdEndRendering(commands);
    vt_to_layout(commands, &from->colors[0], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_to_layout(commands, &to->colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    VkImageCopy region = {.srcSubresource = layers,
                          .srcOffset = {COPY_FROM_X, COPY_FROM_Y, 0},
                          .dstSubresource = layers,
                          .dstOffset = {COPY_TO_X, COPY_TO_Y, 0},
                          .extent = {COPY_WIDTH, COPY_HEIGHT, 1}};
    vkCmdCopyImage(commands, from->colors[0].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->colors[0].image,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vt_submit(vt, commands);
}

/* `what`: the format. Every sample is copied to its own place, and samples outside of the region stay. */
static void case_copy(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct vt_target from = make_target(vt, test->samples, (VkFormat)test->what);
    struct vt_target to = make_target(vt, test->samples, (VkFormat)test->what);
    struct vt_graphics graphics;
    struct vt_vertex vertices[3];
    vt_graphics_init(&graphics, &from, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    make_triangle(vertices);
    draw(vt, &graphics, &from, vertices, 3);
    record_copy(vt, &from, &to);
    const float(*source)[4] = fetch_samples(vt, &from), (*got)[4] = fetch_samples(vt, &to);
    bool has_any = false;
    for (uint32_t i = 0; i < SIZE * SIZE * test->samples; i++) {
        static const float cleared[4] = {0, 0, 0, 0};
        const uint32_t x = i % SIZE - COPY_TO_X, y = i / SIZE % SIZE - COPY_TO_Y;
        const bool is_copied = x < COPY_WIDTH && y < COPY_HEIGHT;
        const uint32_t place = i / (SIZE * SIZE) * SIZE * SIZE + (y + COPY_FROM_Y) * SIZE + x + COPY_FROM_X;
        const float *expected = is_copied ? source[place] : cleared;
        has_any |= is_copied && expected[3] > 0;
        if (memcmp(got[i], expected, sizeof(got[i])) != 0)
            vt_fail(vt, "sample %u of pixel %u,%u is (%g %g %g %g), expected (%g %g %g %g)", i / (SIZE * SIZE),
                    i % SIZE, i / SIZE % SIZE, (double)got[i][0], (double)got[i][1], (double)got[i][2],
                    (double)got[i][3], (double)expected[0], (double)expected[1], (double)expected[2],
                    (double)expected[3]);
    }
    if (!has_any)
        vt_fail(vt, "nothing was drawn");
}
static const struct test copies[] = {{2, VK_FORMAT_R8G8B8A8_UNORM},
                                     {4, VK_FORMAT_R8G8B8A8_UNORM},
                                     {4, VK_FORMAT_R16G16B16A16_SFLOAT},
                                     {2, VK_FORMAT_R32G32B32A32_SFLOAT},
                                     {4, VK_FORMAT_R32G32B32A32_SFLOAT}};

const struct vt_case vt_msaa_cases[] = {
    {"clear 2", case_clear, &clears[0]},
    {"clear 4", case_clear, &clears[1]},
    {"clear 8", case_clear, &clears[2]},
    {"coverage 2", case_coverage, &coverages[0]},
    {"coverage 4", case_coverage, &coverages[1]},
    {"coverage 8", case_coverage, &coverages[2]},
    {"mask 4", case_coverage, &coverages[3]},
    {"mask 8", case_coverage, &coverages[4]},
    {"shader's mask 4", case_coverage, &coverages[5]},
    {"shader's mask 8", case_coverage, &coverages[6]},
    {"sample shading 2", case_shading, &shadings[0]},
    {"sample shading 4", case_shading, &shadings[1]},
    {"sample shading 8", case_shading, &shadings[2]},
    {"shading of samples that are named 4", case_shading, &shadings[5]},
    {"mask into the shader 4", case_shading, &shadings[3]},
    {"mask into the shader 8", case_shading, &shadings[4]},
    {"interpolate 4", case_interpolation, &interpolations[0]},
    {"interpolate centroid 4", case_interpolation, &interpolations[1]},
    {"interpolate sample 4", case_interpolation, &interpolations[2]},
    {"interpolate at centroid 4", case_interpolation, &interpolations[3]},
    {"interpolate at sample 4", case_interpolation, &interpolations[4]},
    {"interpolate 8", case_interpolation, &interpolations[5]},
    {"interpolate centroid 8", case_interpolation, &interpolations[6]},
    {"interpolate sample 8", case_interpolation, &interpolations[7]},
    {"interpolate at sample 8", case_interpolation, &interpolations[8]},
    {"interpolate sample 2", case_interpolation, &interpolations[9]},
    {"alpha to coverage 4", case_alpha, &alphas[0]},
    {"alpha to coverage 8", case_alpha, &alphas[1]},
    {"alpha to one 4", case_alpha_to_one, &alphas[0]},
    {"resolve 2", case_resolve, &resolves[0]},
    {"resolve 4", case_resolve, &resolves[1]},
    {"resolve 8", case_resolve, &resolves[2]},
    {"resolve command 4", case_resolve, &resolves[3]},
    {"resolve command 8", case_resolve, &resolves[4]},
    {"resolve srgb", case_resolve, &resolves[5]},
    {"resolve half", case_resolve, &resolves[6]},
    {"resolve float command", case_resolve, &resolves[7]},
    {"resolve uint", case_resolve, &resolves[8]},
    {"depth 2", case_depth, &depths[0]},
    {"depth 4", case_depth, &depths[1]},
    {"depth 8", case_depth, &depths[2]},
    {"mask behind depth 2", case_mask_behind, &depths[0]},
    {"mask behind depth 4", case_mask_behind, &depths[1]},
    {"mask behind depth 8", case_mask_behind, &depths[2]},
    {"copy 2", case_copy, &copies[0]},
    {"copy 4", case_copy, &copies[1]},
    {"copy half 4", case_copy, &copies[2]},
    {"copy float 2", case_copy, &copies[3]},
    {"copy float 4", case_copy, &copies[4]},
};
const size_t vt_msaa_count = COUNT_OF(vt_msaa_cases);
