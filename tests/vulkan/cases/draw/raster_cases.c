/* From vertices to pixels: clipping, fill rules, interpolation, viewports, culling, points, lines and topologies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/clip_vert.h"
#include "shaders/cull_vert.h"
#include "shaders/interpolate_frag.h"
#include "shaders/interpolate_vert.h"
#include "shaders/point_vert.h"
#include "shaders/raster_builtin_frag.h"
#include "shaders/viewport_vert.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- a triangle in homogeneous coordinates, as the specification means it and without any clipping ---- */

/* Weights of the corners at a pixel: all positive inside; their products with w add up to one. False where the triangle
 * is seen from its edge. */
static bool weights_at(const struct vt_vertex v[3], double x, double y, double weights_out[3])
{
    double m[3][3];
    for (unsigned i = 0; i < 3; i++) {
        m[0][i] = (double)v[i].position[0];
        m[1][i] = (double)v[i].position[1];
        m[2][i] = (double)v[i].position[3];
    }
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (fabs(det) < 1e-12)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        unsigned a = (i + 1) % 3, b = (i + 2) % 3;
        weights_out[i] = (x * (m[1][a] * m[2][b] - m[1][b] * m[2][a]) - y * (m[0][a] * m[2][b] - m[0][b] * m[2][a]) +
                          (m[0][a] * m[1][b] - m[0][b] * m[1][a])) /
                         det;
    }
    return true;
}

struct expectation {
    const struct vt_vertex *vertices;
    uint32_t count;
    bool distances; /* the colours are four clip distances */
    bool linear;    /* colours without perspective */
};

static double ndc(uint32_t at, double offset)
{
    return (at + 0.5 + offset) / SIZE * 2 - 1;
}

/* Is this place in the triangle and in the clip volume? */
static bool covered(const struct expectation *e, const struct vt_vertex *v, double x, double y, double weights[3])
{
    if (!weights_at(v, x, y, weights))
        return false;
    double depth = 0, distance[4] = {0};
    for (unsigned i = 0; i < 3; i++) {
        if (weights[i] < 0)
            return false;
        depth += weights[i] * (double)v[i].position[2];
        for (unsigned d = 0; d < 4; d++)
            distance[d] += weights[i] * (double)v[i].color[d];
    }
    bool inside = depth >= 0 && depth <= 1;
    for (unsigned d = 0; d < 4 && e->distances; d++)
        inside &= distance[d] >= 0;
    return inside;
}

static void expect_triangles(const void *argument, uint32_t px, uint32_t py, double out[4])
{
    const struct expectation *e = argument;
    for (uint32_t t = 0; t + 2 < e->count; t += 3) {
        const struct vt_vertex *v = e->vertices + t;
        double weights[3], other[3];
        bool here = covered(e, v, ndc(px, 0), ndc(py, 0), weights), all = here, none = !here;
        for (unsigned i = 0; i < 8; i++) { /* beside an edge nothing is looked at */
            static const double around[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}, {-1, 1}, {1, -1}};
            bool there = covered(e, v, ndc(px, around[i][0] * 0.02), ndc(py, around[i][1] * 0.02), other);
            all &= there;
            none &= !there;
        }
        if (!all && !none) {
            out[0] = NAN;
            return;
        }
        if (!here)
            continue;
        double sum = 0, color[4] = {0};
        for (unsigned i = 0; i < 3; i++) {
            double weight = weights[i] * (e->linear ? (double)v[i].position[3] : 1);
            sum += weight;
            for (unsigned c = 0; c < 4; c++)
                color[c] += weight * (double)v[i].color[c];
        }
        for (unsigned c = 0; c < 4; c++)
            out[c] = e->distances ? 1 : color[c] / sum;
    }
}

static const float colors[3][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};

/* ---- clipping ---- */

static void case_clip(struct vt *vt, const void *argument)
{
    const float(*corners)[4] = argument;
    struct vt_vertex vertices[3];
    for (unsigned i = 0; i < 3; i++) {
        memcpy(vertices[i].position, corners[i], sizeof(vertices[i].position));
        memcpy(vertices[i].color, colors[i], sizeof(vertices[i].color));
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    struct expectation e = {vertices, 3, false, false};
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, vertices, 3), expect_triangles, &e, 2, 0.012,
                      "clipped triangle");
}

static const float clips[][3][4] = {
    {{-0.8f, -0.9f, 0.5f, 1}, {0.9f, -0.3f, 0.5f, 1}, {-0.2f, 0.8f, 0.5f, 1}},           /* inside */
    {{-1.7f, -0.2f, 0.5f, 1}, {0.9f, -0.8f, 0.5f, 1}, {0.5f, 0.7f, 0.5f, 1}},            /* left */
    {{-0.7f, -0.2f, 0.5f, 1}, {1.9f, -0.8f, 0.5f, 1}, {0.5f, 0.7f, 0.5f, 1}},            /* right */
    {{-0.7f, -0.2f, 0.5f, 1}, {0.9f, -1.8f, 0.5f, 1}, {0.5f, 0.7f, 0.5f, 1}},            /* top */
    {{-0.7f, -0.2f, 0.5f, 1}, {0.9f, -0.8f, 0.5f, 1}, {0.5f, 1.7f, 0.5f, 1}},            /* bottom */
    {{-0.9f, -0.9f, -0.5f, 1}, {0.9f, -0.9f, 0.5f, 1}, {0.1f, 0.9f, 0.25f, 1}},          /* near */
    {{-0.9f, -0.9f, 0.5f, 1}, {0.9f, -0.9f, 1.5f, 1}, {0.1f, 0.9f, 0.75f, 1}},           /* far */
    {{-0.9f, -0.9f, -0.5f, 1}, {0.9f, -0.9f, 1.5f, 1}, {0.1f, 0.9f, 0.5f, 1}},           /* near and far */
    {{-3, -4, 0.5f, 1}, {5, -2, 0.5f, 1}, {0.5f, 7, 0.5f, 1}},                           /* all sides */
    {{-2000, -900, 0.5f, 1}, {3000, -1000, 0.5f, 1}, {10, 2500, 0.5f, 1}},               /* far beyond the guard band */
    {{-0.8f, -0.8f, 0.5f, 1}, {2.4f, -1.2f, 0.5f, 3}, {0.2f, 1.6f, 0.25f, 2}},           /* perspective */
    {{-0.5f, 0.5f, 0.1f, 0.6f}, {0.5f, 0.7f, 0.1f, 0.9f}, {0.25f, -0.5f, -0.4f, -0.5f}}, /* a corner behind the eye */
    {{-0.5f, 0.5f, -0.3f, -0.6f}, {0.5f, 0.7f, -0.1f, -0.9f}, {0.25f, -0.5f, 0.2f, 0.5f}}, /* two behind */
    {{-0.5f, 0.5f, 0.1f, -0.6f}, {0.5f, 0.7f, 0.1f, -0.9f}, {0.25f, -0.5f, 0.2f, -0.5f}},  /* all behind: nothing */
    {{-0.9f, -0.9f, 0, 1}, {0.9f, -0.9f, 0, 1}, {0, 0.9f, 0, 1}},                          /* on the near plane */
    {{-0.9f, -0.9f, 1, 1}, {0.9f, -0.9f, 1, 1}, {0, 0.9f, 1, 1}},                          /* on the far plane */
};

/* Clip distances instead of colours. */
static void case_distances(struct vt *vt, const void *argument)
{
    const float(*distances)[4] = argument;
    if (!vt->features.features.shaderClipDistance)
        vt_skip(vt, "no shaderClipDistance");
    struct vt_vertex vertices[3] = {
        {{-1.2f, -0.9f, 0.5f, 1.5f}, {0}}, {{0.9f, -0.8f, 0.5f, 1}, {0}}, {{-0.2f, 1.8f, 0.5f, 2}, {0}}};
    for (unsigned i = 0; i < 3; i++)
        memcpy(vertices[i].color, distances[i], sizeof(vertices[i].color));
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(clip_vert), vt_plain_frag);
    vt_use_vertices(&graphics);
    struct expectation e = {vertices, 3, true, false};
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, vertices, 3), expect_triangles, &e, 0, 0,
                      "triangle");
}

static const float distance_sets[][3][4] = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
    {{-1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
    {{-0.5f, 1, 1, 1}, {1, 1, -0.25f, 1}, {1, -1, 1, 0.5f}},
    {{1, 1, 1, -1}, {1, 1, 1, -2}, {1, 1, 1, -0.5f}},
};

/* A primitive goes when all of its corners are on the wrong side of one distance. */
static void case_cull_distance(struct vt *vt, const void *argument)
{
    if (!vt->features.features.shaderCullDistance)
        vt_skip(vt, "no shaderCullDistance");
    struct vt_vertex vertices[12];
    for (unsigned i = 0; i < 4; i++) {
        struct vt_vertex *v = vertices + 3 * i;
        float x = -1 + 0.5f * (float)i;
        memset(v, 0, 3 * sizeof(*v));
        memcpy(v[0].position, (float[4]){x, -1, 0.5f, 1}, 16);
        memcpy(v[1].position, (float[4]){x + 1.5f, -1, 0.5f, 1}, 16);
        memcpy(v[2].position, (float[4]){x, 1, 0.5f, 1}, 16);
        for (unsigned k = 0; k < 3; k++) { /* kept; all negative in 0; mixed; all negative in 1 */
            v[k].color[0] = i == 1 ? -1 : i == 2 && k == 0 ? -1 : 1;
            v[k].color[1] = i == 3 ? -0.5f : i == 2 && k == 1 ? -1 : 1;
        }
        v[1].position[0] = x + 0.45f;
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(cull_vert), vt_plain_frag);
    vt_use_vertices(&graphics);
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, 12);
    for (unsigned i = 0; i < 4; i++) {
        bool drawn = texels[8 * SIZE + 16 * i + 3] != 0, expected = i == 0 || i == 2;
        if (drawn != expected)
            vt_fail(vt, "triangle %u is %sthere", i, drawn ? "" : "not ");
    }
}

/* ---- the fill rule: shared edges belong to one triangle ---- */

/* Adds a fifth of one for each time that a pixel is drawn; whatever is inside of the whole must be drawn once. */
static const uint32_t *draw_additively(struct vt *vt, struct vt_target *target, const struct vt_vertex *vertices,
                                       uint32_t count)
{
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.blends[0] = (VkPipelineColorBlendAttachmentState){VK_TRUE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_OP_ADD,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_OP_ADD,
                                                               0xf};
    return vt_draw_once(vt, &graphics, target, vertices, count);
}

static const float fifth[4] = {0.2f, 0.2f, 0.2f, 0.2f};

static void put_vertex(struct vt_vertex *out, double x, double y)
{
    *out = (struct vt_vertex){.position = {(float)x, (float)y, 0.5f, 1}};
    memcpy(out->color, fifth, sizeof(fifth));
}

/* A quad of two triangles whose corners are in between pixels, or on their centres. */
static void case_shared_edge(struct vt *vt, const void *argument)
{
    const double *corners = argument; /* four, in pixels */
    static const uint8_t order[6] = {0, 1, 2, 0, 2, 3};
    struct vt_vertex vertices[6];
    for (unsigned i = 0; i < 6; i++)
        put_vertex(&vertices[i], corners[2 * order[i]] / SIZE * 2 - 1, corners[2 * order[i] + 1] / SIZE * 2 - 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    const uint32_t *texels = draw_additively(vt, &target, vertices, 6);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double x = i % SIZE + 0.5, y = i / SIZE + 0.5;
        bool inside = true, outside = false, beside = false;
        for (unsigned c = 0; c < 4; c++) {
            const double *a = corners + 2 * c, *b = corners + 2 * ((c + 1) % 4);
            double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
            /* the top-left rule of an edge of a polygon that is clockwise on the screen */
            bool owns = b[1] < a[1] || (b[1] == a[1] && b[0] > a[0]);
            bool on = fabs(side) < 1e-9;
            beside |= !on && fabs(side) < 0.6;
            inside &= side > 0 || (on && owns);
            outside |= side < 0;
        }
        if (beside && !outside)
            inside = texels[i] != 0; /* the corners may have been rounded, but then once or not at all */
        if (beside && outside)
            inside = texels[i] != 0;
        if (texels[i] != (inside ? 0x33333333 : 0))
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, texels[i],
                    inside ? 0x33333333 : 0);
    }
}

static const double quads[][8] = {
    {4, 4, 60, 4, 60, 60, 4, 60},
    {4.5, 4.5, 60.5, 4.5, 60.5, 60.5, 4.5, 60.5},
    {32, 2, 62, 32, 32, 62, 2, 32},
    {32.5, 2.5, 62.5, 32.5, 32.5, 62.5, 2.5, 32.5},
    {5.25, 9.75, 55.5, 3.125, 61.75, 44.375, 12.625, 58.5},
};

/* Every pixel of the screen belongs to one triangle of a fan. */
static void case_fan(struct vt *vt, const void *argument)
{
    enum {
        SPOKES = 61
    };
    static struct vt_vertex vertices[3 * SPOKES];
    for (unsigned i = 0; i < SPOKES; i++) {
        double a = i * 2 * 3.14159265358979 / SPOKES, b = (i + 1) % SPOKES * 2 * 3.14159265358979 / SPOKES;
        put_vertex(&vertices[3 * i], 0.0371, -0.0913);
        put_vertex(&vertices[3 * i + 1], 1.6 * cos(a), 1.6 * sin(a));
        put_vertex(&vertices[3 * i + 2], 1.6 * cos(b), 1.6 * sin(b));
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    const uint32_t *texels = draw_additively(vt, &target, vertices, 3 * SPOKES);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (texels[i] != 0x33333333)
            vt_fail(vt, "pixel %u,%u was drawn %u times", i % SIZE, i / SIZE, (texels[i] & 255) / 51);
    }
}

/* A grid of triangles, many smaller than a pixel, with corners anywhere. */
static void case_grid(struct vt *vt, const void *argument)
{
    uint32_t cells = *(const uint32_t *)argument;
    uint64_t seed = 19;
    static float places[129][129][2];
    for (uint32_t y = 0; y <= cells; y++) {
        for (uint32_t x = 0; x <= cells; x++) {
            double jitter = 0.35 / cells;
            places[y][x][0] = (float)(-1.02 + 2.04 * x / cells + ((int32_t)vt_random(&seed) * 0x1p-31) * jitter);
            places[y][x][1] = (float)(-1.02 + 2.04 * y / cells + ((int32_t)vt_random(&seed) * 0x1p-31) * jitter);
        }
    }
    for (uint32_t i = 0; i <= cells; i++) { /* the rim stays outside */
        places[0][i][1] = places[i][0][0] = -1.1f;
        places[cells][i][1] = places[i][cells][0] = 1.1f;
    }
    uint32_t count = cells * cells * 6;
    struct vt_vertex *vertices = vt_buffer(vt, count * sizeof(*vertices), NULL).map;
    for (uint32_t i = 0; i < count; i++) {
        static const uint8_t corner[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
        uint32_t cell = i / 6, x = cell % cells + corner[i % 6][0], y = cell / cells + corner[i % 6][1];
        put_vertex(&vertices[i], (double)places[y][x][0], (double)places[y][x][1]);
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    const uint32_t *texels = draw_additively(vt, &target, vertices, count);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (texels[i] != 0x33333333)
            vt_fail(vt, "pixel %u,%u was drawn %u times", i % SIZE, i / SIZE, (texels[i] & 255) / 51);
    }
}

static const uint32_t grids[] = {16, 50, 128};

/* ---- interpolation ---- */

struct interpolation {
    int what; /* of interpolate.frag */
    VkPrimitiveTopology topology;
    bool last;    /* the provoking vertex */
    bool dynamic; /* and a command says which */
};

static void case_interpolation(struct vt *vt, const void *argument)
{
    const struct interpolation *test = argument;
    if (test->what == 7 && !vt->features.features.sampleRateShading)
        vt_skip(vt, "no interpolation functions");
    struct vt_vertex vertices[3] = {{{-0.9f, -0.9f, 0.5f, 1}, {1, 0, 0, 1}},
                                    {{3.6f, -3.6f, 0.5f, 4}, {0, 1, 0, 0.5f}},
                                    {{-0.2f, 1.8f, 0.5f, 2}, {0, 0, 1, 0.25f}}};
    if (test->what == 7) { /* without perspective, for a tight tolerance */
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned c = 0; c < 2; c++)
                vertices[i].position[c] /= vertices[i].position[3];
            vertices[i].position[3] = 1;
        }
    }
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(interpolate_vert), VT_SPIRV(interpolate_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = VT_CONSTANTS(test->what);
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, 3);
    struct expectation e = {vertices, 3, false, test->what == 2};
    if (test->what != 7) {
        vt_expect_picture(vt, &target, texels, expect_triangles, &e, 0, 0.003, "interpolated colour");
        return;
    }
    for (uint32_t y = 1; y + 1 < SIZE; y++) { /* the colour a quarter of a pixel away */
        for (uint32_t x = 1; x + 1 < SIZE; x++) {
            double here[4] = {0}, weights[3], sum = 0, expected[4] = {0};
            expect_triangles(&e, x, y, here);
            if (isnan(here[0]) || (here[0] == 0 && here[1] == 0 && here[2] == 0) ||
                !weights_at(vertices, ndc(x, 0.25), ndc(y, -0.25), weights))
                continue;
            for (unsigned i = 0; i < 3; i++) {
                sum += weights[i];
                for (unsigned c = 0; c < 4; c++)
                    expected[c] += weights[i] * (double)vertices[i].color[c];
            }
            for (unsigned c = 0; c < 4; c++)
                expected[c] /= sum;
            const uint8_t *texel = (const uint8_t *)texels + (y * SIZE + x) * 16;
            if (!vt_texel_is(vt_format(target.color_formats[0]), texel, expected, 0, 0.001))
                vt_fail_texel(vt, vt_format(target.color_formats[0]), texel, expected, "colour at an offset", x, y, 0);
        }
    }
}

static const struct interpolation interpolations[] = {{0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false, false},
                                                      {2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false, false},
                                                      {7, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false, false}};

static void set_provoking(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    const struct interpolation *test = argument;
    PFN_vkCmdSetProvokingVertexModeEXT set =
        (PFN_vkCmdSetProvokingVertexModeEXT)vkGetDeviceProcAddr(vt->device, "vkCmdSetProvokingVertexModeEXT");
    set(commands, test->last ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT);
}

/* Six vertices with the colours 1/6 and up. Each primitive has the colour of its provoking vertex. */
static void case_provoking(struct vt *vt, const void *argument)
{
    const struct interpolation *test = argument;
    if (test->last && !vt->has[VT_PROVOKING_VERTEX])
        vt_skip(vt, "no VK_EXT_provoking_vertex");
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &dynamic};
    if (test->dynamic && vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (test->dynamic && (!vt->has[VT_PROVOKING_VERTEX] || !dynamic.extendedDynamicState3ProvokingVertexMode))
        vt_skip(vt, "no command for the provoking vertex");
    bool strip = test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
         fan = test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    static const float strip_places[6][2] = {{-0.9f, -0.9f}, {-0.9f, 0.9f}, {-0.3f, -0.9f},
                                             {-0.3f, 0.9f},  {0.3f, -0.9f}, {0.3f, 0.9f}};
    static const float fan_places[6][2] = {{0, 0},       {-0.9f, -0.9f}, {0.9f, -0.9f},
                                           {0.9f, 0.9f}, {-0.9f, 0.9f},  {-0.9f, -0.5f}};
    struct vt_vertex vertices[6];
    for (unsigned i = 0; i < 6; i++) {
        const float *place = fan ? fan_places[i] : strip_places[i];
        float value = (float)(i + 1) / 5 * 0.8f;
        vertices[i] = (struct vt_vertex){{place[0], place[1], 0.5f, 1}, {value, 0, 0, 1}};
    }
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(interpolate_vert), VT_SPIRV(interpolate_frag));
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    graphics.fragment_constants = VT_CONSTANTS(1);
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = test->last != test->dynamic ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT
                                                           : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    if (test->last || test->dynamic)
        graphics.raster.pNext = &provoking;
    if (test->dynamic)
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT);
    graphics.set_dynamic = test->dynamic ? set_provoking : NULL;
    graphics.dynamic_argument = test;
    const float(*texels)[4] = vt_draw_once(vt, &graphics, &target, vertices, 6);
    for (unsigned t = 0; t < (strip || fan ? 4 : 2); t++) {
        unsigned corners[3] = {strip ? t
                               : fan ? t + 1
                                     : 3 * t,
                               strip ? t + 1
                               : fan ? t + 2
                                     : 3 * t + 1,
                               strip ? t + 2
                               : fan ? 0
                                     : 3 * t + 2};
        unsigned teller = fan ? t + 1 : corners[0];
        if (test->last)
            teller = fan ? t + 2 : corners[2];
        double x = 0, y = 0;
        for (unsigned c = 0; c < 3; c++) {
            x += (double)vertices[corners[c]].position[0] / 3;
            y += (double)vertices[corners[c]].position[1] / 3;
        }
        unsigned px = (unsigned)((x + 1) / 2 * SIZE), py = (unsigned)((y + 1) / 2 * SIZE);
        float got = texels[py * SIZE + px][0], expected = vertices[teller].color[0];
        if (fabsf(got - expected) > 1e-5f)
            vt_fail(vt, "triangle %u has the colour of vertex %.2f, expected vertex %u", t, (double)got / 0.8 * 5 - 1,
                    teller);
    }
}

static const struct interpolation provokings[] = {
    {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false, false}, {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, false, false},
    {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, false, false},  {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, true, false},
    {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true, false}, {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, true, false},
    {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, false, true}, {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true, true},
    {1, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, true, true}};

/* ---- viewports, scissors, facing ---- */

struct window {
    VkViewport viewport;
    VkRect2D scissor;
};

static void expect_window(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    const struct window *w = argument;
    double low = fmin((double)w->viewport.y, (double)(w->viewport.y + w->viewport.height)),
           high = low + fabs((double)w->viewport.height);
    double px = x + 0.5, py = y + 0.5;
    int32_t right = w->scissor.offset.x + (int32_t)w->scissor.extent.width,
            bottom = w->scissor.offset.y + (int32_t)w->scissor.extent.height;
    if (px < (double)w->viewport.x || px >= (double)(w->viewport.x + w->viewport.width) || py < low || py >= high ||
        (int32_t)x < w->scissor.offset.x || (int32_t)x >= right || (int32_t)y < w->scissor.offset.y ||
        (int32_t)y >= bottom)
        return;
    out[0] = (px - (double)w->viewport.x) / (double)w->viewport.width;
    out[1] = (py - (double)w->viewport.y) / (double)w->viewport.height;
    out[2] = 0.25;
    out[3] = 1;
}

/* A gradient over the viewport, cut by the scissor. */
static void case_window(struct vt *vt, const void *argument)
{
    const struct window *test = argument;
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.viewports[0] = test->viewport;
    graphics.scissors[0] = test->scissor;
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, (const float[4]){0, 0, 0.25f, 1});
    for (unsigned i = 0; i < 6; i++) {
        quad[i].color[0] = (quad[i].position[0] + 1) / 2;
        quad[i].color[1] = (quad[i].position[1] + 1) / 2;
    }
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, quad, 6), expect_window, test, 0, 1e-3,
                      "viewport");
}

static const struct window windows[] = {
    {{0, 0, 64, 64, 0, 1}, {{0, 0}, {64, 64}}},       {{10, 20, 32, 24, 0, 1}, {{0, 0}, {64, 64}}},
    {{-30, -20, 128, 128, 0, 1}, {{0, 0}, {64, 64}}}, {{10.25f, 5.75f, 40.5f, 33.25f, 0, 1}, {{0, 0}, {64, 64}}},
    {{0, 64, 64, -64, 0, 1}, {{0, 0}, {64, 64}}},     {{8, 56, 40, -48, 0, 1}, {{0, 0}, {64, 64}}},
    {{0, 0, 64, 64, 0, 1}, {{5, 9}, {17, 33}}},       {{0, 0, 64, 64, 0, 1}, {{40, 50}, {1000, 1000}}},
    {{0, 0, 64, 64, 0, 1}, {{20, 20}, {0, 10}}},      {{10, 20, 32, 24, 0, 1}, {{30, 10}, {20, 20}}},
};

/* Sixteen viewports with scissors, chosen by the vertex shader for each instance. */
static void case_viewports(struct vt *vt, const void *argument)
{
    if (!vt->features.features.multiViewport || !vt->features12.shaderOutputViewportIndex)
        vt_skip(vt, "no viewports for vertex shaders");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(viewport_vert), vt_plain_frag);
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 16;
    for (int i = 0; i < 16; i++) {
        graphics.viewports[i] = (VkViewport){(float)(i % 4 * 16), (float)(i / 4 * 16), 16, 16, 0, 1};
        graphics.scissors[i] = (VkRect2D){{i % 4 * 16 + 1, i / 4 * 16 + 2}, {12, 10}};
    }
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 16, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, y = i / SIZE, window = y / 16 * 4 + x / 16;
        bool inside = x % 16 >= 1 && x % 16 < 13 && y % 16 >= 2 && y % 16 < 12;
        double value = inside ? (window + 1) / 16.0 : 0, expected[4] = {value, value, value, value};
        const uint8_t *texel = (uint8_t *)texels.map + i * 4;
        if (!vt_texel_is(vt_format(RGBA8), texel, expected, 1, 0))
            vt_fail_texel(vt, vt_format(RGBA8), texel, expected, "viewports", x, y, 0);
    }
}

/* More than a thousand draws of a small rectangle each, submission after submission: a tiler's lists run full, and
 * grow. The last rectangle of a cell is seen. */
static void case_crowd(struct vt *vt, const void *argument)
{
    enum {
        CELLS = 16,
        CELL = 32,
        COUNT = 1300,
        FRAMES = 3
    };
    uint64_t seed = 5;
    struct vt_target target = vt_target(vt, RGBA8, CELLS * CELL, CELLS * CELL);
    struct vt_graphics graphics;
    struct vt_vertex *vertices = malloc(sizeof(*vertices) * 6 * COUNT);
    uint32_t expected[CELLS][CELLS] = {{0}};
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t x = vt_random(&seed) % CELLS, y = vt_random(&seed) % CELLS, code = vt_random(&seed) % 255 + 1;
        const float color[4] = {(float)code / 255, 0, 0, 1}, size = 2.0f / CELLS;
        vt_rectangle(&vertices[6 * i], (float)x * size - 1, (float)y * size - 1, (float)(x + 1) * size - 1,
                     (float)(y + 1) * size - 1, 0.5f, color);
        expected[y][x] = 0xff000000u | code;
    }
    const struct vt_buffer buffer = vt_buffer(vt, sizeof(*vertices) * 6 * COUNT, vertices);
    free(vertices);
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_make_pipeline(vt, &graphics, &target);
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        VkCommandBuffer commands = vt_begin(vt);
        vt_begin_rendering(commands, &target);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
        for (uint32_t i = 0; i < COUNT; i++)
            vkCmdDraw(commands, 6, 1, 6 * i, 0);
        vkCmdEndRendering(commands);
        struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
        vt_submit(vt, commands);
        for (uint32_t i = 0; i < CELLS * CELL * CELLS * CELL; i++) {
            const uint32_t x = i % (CELLS * CELL), y = i / (CELLS * CELL);
            const uint32_t got = ((const uint32_t *)texels.map)[i];
            if (got != expected[y / CELL][x / CELL])
                vt_fail(vt, "frame %u: texel %u,%u is %08x, expected %08x", frame, x, y, got,
                        expected[y / CELL][x / CELL]);
        }
    }
}

struct facing {
    VkCullModeFlags cull;
    VkFrontFace front;
};

/* Left: clockwise on the screen; right: counter-clockwise. */
static void case_facing(struct vt *vt, const void *argument)
{
    const struct facing *test = argument;
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(raster_builtin_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = VT_CONSTANTS(1);
    graphics.raster.cullMode = test->cull;
    graphics.raster.frontFace = test->front;
    struct vt_vertex quads_[12], swapped;
    vt_rectangle(quads_, -1, -1, 0, 1, 0.5f, colors[0]);
    vt_rectangle(quads_ + 6, 0, -1, 1, 1, 0.5f, colors[0]);
    for (unsigned i = 6; i < 12; i += 3) {
        swapped = quads_[i];
        quads_[i] = quads_[i + 1];
        quads_[i + 1] = swapped;
    }
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, quads_, 12);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        bool clockwise = i % SIZE < SIZE / 2, front = clockwise == (test->front == VK_FRONT_FACE_CLOCKWISE);
        uint32_t expected = test->cull & (front ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT) ? 0
                            : front                                                               ? 0xff00ff00
                                                                                                  : 0xff0000ff;
        if (texels[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, texels[i], expected);
    }
}

static const struct facing facings[] = {{0, VK_FRONT_FACE_CLOCKWISE},
                                        {0, VK_FRONT_FACE_COUNTER_CLOCKWISE},
                                        {VK_CULL_MODE_FRONT_BIT, VK_FRONT_FACE_CLOCKWISE},
                                        {VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_CLOCKWISE},
                                        {VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_COUNTER_CLOCKWISE},
                                        {VK_CULL_MODE_FRONT_AND_BACK, VK_FRONT_FACE_CLOCKWISE}};

/* ---- points and lines ---- */

static void case_point_size(struct vt *vt, const void *argument)
{
    float size = *(const float *)argument;
    if (size > 1 && !vt->features.features.largePoints)
        vt_skip(vt, "no largePoints");
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(point_vert), VT_SPIRV(raster_builtin_frag));
    vt_use_vertices(&graphics);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    graphics.fragment_constants = VT_CONSTANTS(2); /* the place in the point */
    vt_make_pipeline(vt, &graphics, &target);
    const double x = 20.3125, y = 33.6875;
    struct vt_vertex vertex = {{(float)(x / 32 - 1), (float)(y / 32 - 1), 0.5f, 1}, {0}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vt_push(commands, &graphics, &size, sizeof(size));
    vt_draw(vt, commands, &graphics, &vertex, 1);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double u = (i % SIZE + 0.5 - x) / (double)size + 0.5, v = (i / SIZE + 0.5 - y) / (double)size + 0.5;
        bool inside = u >= 0 && u < 1 && v >= 0 && v < 1;
        double expected[4] = {inside ? u : 0, inside ? v : 0, 0, inside};
        const uint8_t *texel = (uint8_t *)texels.map + i * 16;
        if (!vt_texel_is(vt_format(target.color_formats[0]), texel, expected, 0, 0.01))
            vt_fail_texel(vt, vt_format(target.color_formats[0]), texel, expected, "point", i % SIZE, i / SIZE, 0);
    }
}

static const float point_sizes[] = {1, 2, 5, 16};

struct line {
    VkPrimitiveTopology topology;
    uint32_t count;
    float places[5][2]; /* pixels */
};

/* Every pixel that a line's middle goes through, away from its ends, is drawn; nothing farther than a pixel from it is.
 */
static void case_lines(struct vt *vt, const void *argument)
{
    const struct line *test = argument;
    struct vt_vertex vertices[5];
    for (unsigned i = 0; i < test->count; i++)
        vertices[i] =
            (struct vt_vertex){{test->places[i][0] / 32 - 1, test->places[i][1] / 32 - 1, 0.5f, 1}, {1, 1, 1, 1}};
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, test->count);
    unsigned step = test->topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ? 2 : 1;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double px = i % SIZE + 0.5, py = i / SIZE + 0.5;
        bool must = false, may = false;
        for (unsigned l = 0; l + 1 < test->count; l += step) {
            double ax = (double)test->places[l][0], ay = (double)test->places[l][1],
                   dx = (double)test->places[l + 1][0] - ax, dy = (double)test->places[l + 1][1] - ay;
            double length = sqrt(dx * dx + dy * dy), along = ((px - ax) * dx + (py - ay) * dy) / length,
                   away = fabs((px - ax) * dy - (py - ay) * dx) / length;
            double minor =
                fabs(fabs(dx) >= fabs(dy) ? (py - ay) - (px - ax) * dy / dx : (px - ax) - (py - ay) * dx / dy);
            may |= along > -1.1 && along < length + 1.1 && away < 1.1;
            must |= along > 1 && along < length - 1 && minor < 0.45;
        }
        if ((must && texels[i] != UINT32_MAX) || (!may && texels[i] != 0))
            vt_fail(vt, "pixel %u,%u is 0x%08x", i % SIZE, i / SIZE, texels[i]);
    }
}

static const struct line lines[] = {
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 2, {{4.5f, 20.5f}, {50.5f, 20.5f}}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 2, {{30.5f, 4.5f}, {30.5f, 60.5f}}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 4, {{4, 4}, {60, 60}, {5, 50}, {50, 22}}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 5, {{4, 10}, {50, 6}, {60, 40}, {20, 58}, {8, 30}}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 2, {{-40, 10}, {120, 50}}},
};

/* ---- topologies with restart ---- */

struct restart {
    VkPrimitiveTopology topology;
    VkIndexType type;
};

/* Two squares by one draw, parted by the restart index. */
static void case_restart(struct vt *vt, const void *argument)
{
    const struct restart *test = argument;
    if (test->type == VK_INDEX_TYPE_UINT8_EXT && !vt->has[VT_INDEX_TYPE_UINT8])
        vt_skip(vt, "no indices of 8 bits");
    bool fan = test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
         lines_ = test->topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    struct vt_vertex vertices[8];
    for (unsigned i = 0; i < 8; i++) {
        float x = i < 4 ? -0.875f : 0.125f;
        unsigned corner = i % 4;
        bool right = fan || lines_ ? corner == 1 || corner == 2 : corner & 1, low = corner >> 1;
        vertices[i] = (struct vt_vertex){{x + (right ? 0.75f : 0), low ? 0.5f : -0.5f, 0.5f, 1}, {1, 1, 1, 1}};
    }
    uint32_t words[9] = {0, 1, 2, 3, UINT32_MAX, 4, 5, 6, 7};
    uint8_t bytes[36];
    uint32_t index_B = test->type == VK_INDEX_TYPE_UINT8_EXT ? 1 : test->type == VK_INDEX_TYPE_UINT16 ? 2 : 4;
    for (unsigned i = 0; i < 9; i++)
        memcpy(bytes + i * index_B, &words[i], index_B);
    struct vt_buffer indices = vt_buffer(vt, sizeof(bytes), bytes), buffer = vt_buffer(vt, sizeof(vertices), vertices);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    graphics.assembly.primitiveRestartEnable = VK_TRUE;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, indices.buffer, 0, test->type);
    vkCmdDrawIndexed(commands, 9, 1, 0, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, y = i / SIZE;
        bool inside = ((x >= 4 && x < 28) || (x >= 36 && x < 60)) && y >= 16 && y < 48;
        if (lines_) /* three sides each: in between and in the middle there is nothing */
            inside = !((x > 30 && x < 34) || (((x > 7 && x < 25) || (x > 39 && x < 57)) && y > 20 && y < 44)) &&
                     ((uint32_t *)texels.map)[i];
        if (((uint32_t *)texels.map)[i] != (inside ? UINT32_MAX : 0))
            vt_fail(vt, "pixel %u,%u is 0x%08x", x, y, ((uint32_t *)texels.map)[i]);
    }
    if (lines_ && (!((uint32_t *)texels.map)[16 * SIZE + 12] && !((uint32_t *)texels.map)[15 * SIZE + 12]))
        vt_fail(vt, "the upper side of the first square is missing");
}

static const struct restart restarts[] = {{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_INDEX_TYPE_UINT16},
                                          {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_INDEX_TYPE_UINT32},
                                          {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_INDEX_TYPE_UINT8_EXT},
                                          {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, VK_INDEX_TYPE_UINT16},
                                          {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, VK_INDEX_TYPE_UINT16}};

/* ---- fill modes ---- */

static void case_fill(struct vt *vt, const void *argument)
{
    VkPolygonMode mode = *(const VkPolygonMode *)argument;
    if (!vt->features.features.fillModeNonSolid)
        vt_skip(vt, "no fillModeNonSolid");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(point_vert), vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.raster.polygonMode = mode;
    vt_make_pipeline(vt, &graphics, &target);
    static const float places[3][2] = {{8.5f, 8.5f}, {56.5f, 8.5f}, {8.5f, 56.5f}};
    struct vt_vertex vertices[3];
    for (unsigned i = 0; i < 3; i++)
        vertices[i] = (struct vt_vertex){{places[i][0] / 32 - 1, places[i][1] / 32 - 1, 0.5f, 1}, {1, 1, 1, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vt_push(commands, &graphics, &(float){1}, 4);
    vt_draw(vt, commands, &graphics, vertices, 3);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        int x = (int)(i % SIZE), y = (int)(i / SIZE);
        bool corner = false;
        for (unsigned k = 0; k < 3; k++)
            corner |= x >= (int)places[k][0] - 1 && x <= (int)places[k][0] + 1 && y >= (int)places[k][1] - 1 &&
                      y <= (int)places[k][1] + 1;
        bool side = (x >= 7 && x <= 9 && y >= 7 && y <= 57) || (y >= 7 && y <= 9 && x >= 7 && x <= 57) ||
                    (x + y >= 63 && x + y <= 66 && x >= 7 && y >= 7);
        bool may = mode == VK_POLYGON_MODE_POINT ? corner : side || corner;
        bool must = mode == VK_POLYGON_MODE_LINE && ((x == 8 && y > 10 && y < 54) || (y == 8 && x > 10 && x < 54));
        bool drawn = ((uint32_t *)texels.map)[i] != 0;
        if ((drawn && !may) || (!drawn && must))
            vt_fail(vt, "pixel %d,%d is %sdrawn", x, y, drawn ? "" : "not ");
    }
}

static const VkPolygonMode fills[] = {VK_POLYGON_MODE_LINE, VK_POLYGON_MODE_POINT};

/* More triangles in one pass than some GPUs have memory for at a time: each pixel gets one of its own, again and again,
 * and counts them. */
static void case_million(struct vt *vt, const void *argument)
{
    enum {
        COPIES = 250
    };
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.blends[0] = (VkPipelineColorBlendAttachmentState){VK_TRUE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_OP_ADD,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_FACTOR_ONE,
                                                               VK_BLEND_OP_ADD,
                                                               0xf};
    vt_make_pipeline(vt, &graphics, &target);
    static struct vt_vertex vertices[3 * SIZE * SIZE];
    for (unsigned i = 0; i < 3 * SIZE * SIZE; i++) {
        static const float corners[3][2] = {{0.25f, 0.25f}, {0.9f, 0.3f}, {0.3f, 0.9f}};
        float x = (float)(i / 3 % SIZE) + corners[i % 3][0], y = (float)(i / 3 / SIZE) + corners[i % 3][1];
        vertices[i] =
            (struct vt_vertex){{2 * x / SIZE - 1, 2 * y / SIZE - 1, 0.5f, 1}, {1 / 255.0f, 0, 1 / 255.0f, 1 / 255.0f}};
    }
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdDraw(commands, 3 * SIZE * SIZE, COPIES, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        const uint8_t *texel = (const uint8_t *)texels.map + 4 * i;
        if (texel[0] != COPIES || texel[1] || texel[2] != COPIES || texel[3] != COPIES)
            vt_fail(vt, "pixel %u,%u is %u %u %u %u, expected %u 0 %u %u", i % SIZE, i / SIZE, texel[0], texel[1],
                    texel[2], texel[3], COPIES, COPIES, COPIES);
    }
}

const struct vt_case vt_raster_cases[] = {
#define CLIP(i, name)                                                                                                  \
    {                                                                                                                  \
        "clip " name, case_clip, clips[i]                                                                              \
    }
    CLIP(0, "nothing"),
    CLIP(1, "left"),
    CLIP(2, "right"),
    CLIP(3, "top"),
    CLIP(4, "bottom"),
    CLIP(5, "near"),
    CLIP(6, "far"),
    CLIP(7, "near and far"),
    CLIP(8, "all sides"),
    CLIP(9, "far beyond"),
    CLIP(10, "perspective"),
    CLIP(11, "one behind"),
    CLIP(12, "two behind"),
    CLIP(13, "all behind"),
    CLIP(14, "on the near plane"),
    CLIP(15, "on the far plane"),
    {"clip distances positive", case_distances, distance_sets[0]},
    {"clip distances of a corner", case_distances, distance_sets[1]},
    {"clip distances mixed", case_distances, distance_sets[2]},
    {"clip distances negative", case_distances, distance_sets[3]},
    {"cull distances", case_cull_distance, NULL},
    {"quad between pixels", case_shared_edge, quads[0]},
    {"quad on centres", case_shared_edge, quads[1]},
    {"quad turned", case_shared_edge, quads[2]},
    {"quad turned on centres", case_shared_edge, quads[3]},
    {"quad anywhere", case_shared_edge, quads[4]},
    {"fan", case_fan, NULL},
    {"grid 16", case_grid, &grids[0]},
    {"grid 50", case_grid, &grids[1]},
    {"grid 128", case_grid, &grids[2]},
    {"interpolate perspective", case_interpolation, &interpolations[0]},
    {"interpolate linear", case_interpolation, &interpolations[1]},
    {"interpolate at offset", case_interpolation, &interpolations[2]},
    {"flat list", case_provoking, &provokings[0]},
    {"flat strip", case_provoking, &provokings[1]},
    {"flat fan", case_provoking, &provokings[2]},
    {"flat list last", case_provoking, &provokings[3]},
    {"flat strip last", case_provoking, &provokings[4]},
    {"flat fan last", case_provoking, &provokings[5]},
    {"flat strip by command", case_provoking, &provokings[6]},
    {"flat strip last by command", case_provoking, &provokings[7]},
    {"flat fan last by command", case_provoking, &provokings[8]},
    {"viewport whole", case_window, &windows[0]},
    {"viewport part", case_window, &windows[1]},
    {"viewport beyond", case_window, &windows[2]},
    {"viewport fractions", case_window, &windows[3]},
    {"viewport upside down", case_window, &windows[4]},
    {"viewport part upside down", case_window, &windows[5]},
    {"scissor", case_window, &windows[6]},
    {"scissor beyond", case_window, &windows[7]},
    {"scissor empty", case_window, &windows[8]},
    {"scissor and viewport", case_window, &windows[9]},
    {"a crowd of draws", case_crowd, NULL},
    {"viewports", case_viewports, NULL},
    {"facing clockwise", case_facing, &facings[0]},
    {"facing counter-clockwise", case_facing, &facings[1]},
    {"cull front", case_facing, &facings[2]},
    {"cull back", case_facing, &facings[3]},
    {"cull back counter-clockwise", case_facing, &facings[4]},
    {"cull both", case_facing, &facings[5]},
    {"point 1", case_point_size, &point_sizes[0]},
    {"point 2", case_point_size, &point_sizes[1]},
    {"point 5", case_point_size, &point_sizes[2]},
    {"point 16", case_point_size, &point_sizes[3]},
    {"line across", case_lines, &lines[0]},
    {"line down", case_lines, &lines[1]},
    {"lines", case_lines, &lines[2]},
    {"line strip", case_lines, &lines[3]},
    {"line beyond", case_lines, &lines[4]},
    {"restart strip 16", case_restart, &restarts[0]},
    {"restart strip 32", case_restart, &restarts[1]},
    {"restart strip 8", case_restart, &restarts[2]},
    {"restart fan", case_restart, &restarts[3]},
    {"restart lines", case_restart, &restarts[4]},
    {"fill lines", case_fill, &fills[0]},
    {"fill points", case_fill, &fills[1]},
    {"a million triangles", case_million, NULL},
};
const size_t vt_raster_count = COUNT_OF(vt_raster_cases);
