/* Tessellation: what levels make of a patch, in all domains and spacings. Two patches are the whole screen together, so
 * that blending finds every gap and every overlap, at the edge that they share as well (shaders/field.*). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/field_3_tesc.h"
#include "shaders/field_3_vert.h"
#include "shaders/field_4_tesc.h"
#include "shaders/field_4_vert.h"
#include "shaders/field_isolines_equal_tese.h"
#include "shaders/field_isolines_even_tese.h"
#include "shaders/field_isolines_odd_tese.h"
#include "shaders/field_isolines_points_tese.h"
#include "shaders/field_quads_cw_tese.h"
#include "shaders/field_quads_equal_tese.h"
#include "shaders/field_quads_even_tese.h"
#include "shaders/field_quads_odd_tese.h"
#include "shaders/field_quads_points_tese.h"
#include "shaders/field_triangles_cw_tese.h"
#include "shaders/field_triangles_equal_tese.h"
#include "shaders/field_triangles_even_tese.h"
#include "shaders/field_triangles_odd_tese.h"
#include "shaders/field_triangles_points_tese.h"

#define SIZE 64
#define MAX_POINTS 65536

enum domain {
    ISOLINES,
    TRIANGLES,
    QUADS,
};

enum spacing {
    EQUAL,
    ODD,
    EVEN,
};

struct levels {
    float outer[2][4], inner[2][4];
};

struct point {
    float u, v, w;
    uint32_t patch;
};

static void need_feature(struct vt *vt)
{
    if (!vt->features.features.tessellationShader)
        vt_skip(vt, "no tessellation shaders");
    if (!vt->features.features.vertexPipelineStoresAndAtomics)
        vt_skip(vt, "no vertexPipelineStoresAndAtomics");
}

/* ---- a field ---- */

struct field {
    struct vt_target target;
    struct vt_graphics graphics;
    struct vt_buffer list;
    struct vt_set set;
};

static void make_field(struct vt *vt, struct field *field, enum domain domain, struct vt_spirv evaluation)
{
    const uint32_t points = domain == TRIANGLES ? 3 : 4;
    need_feature(vt);
    field->target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    field->list = vt_buffer(vt, 16 + MAX_POINTS * sizeof(struct point), NULL);
    field->set = vt_set(vt, (struct vt_binding[]){VT_STORAGE_BUFFER(field->list)}, 1);
    vt_graphics_init(&field->graphics, &field->target, points == 3 ? VT_SPIRV(field_3_vert) : VT_SPIRV(field_4_vert),
                     vt_plain_frag);
    field->graphics.control_code = points == 3 ? VT_SPIRV(field_3_tesc) : VT_SPIRV(field_4_tesc);
    field->graphics.evaluation_code = evaluation;
    field->graphics.tessellation.patchControlPoints = points;
    field->graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    field->graphics.sets[0] = field->set.layout;
    field->graphics.set_count = 1;
    field->graphics.blends[0].blendEnable = true;
    field->graphics.blends[0].srcColorBlendFactor = field->graphics.blends[0].dstColorBlendFactor =
        field->graphics.blends[0].srcAlphaBlendFactor = field->graphics.blends[0].dstAlphaBlendFactor =
            VK_BLEND_FACTOR_ONE;
}

static const uint32_t *draw_field(struct vt *vt, struct field *field, const struct levels *levels)
{
    const uint32_t points = field->graphics.tessellation.patchControlPoints;
    vt_make_pipeline(vt, &field->graphics, &field->target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &field->target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, field->graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, field->graphics.layout, 0, 1, &field->set.set, 0,
                            NULL);
    vt_push(commands, &field->graphics, levels, sizeof(*levels));
    vkCmdDraw(commands, points * 2, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &field->target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    return texels.map;
}

/* ---- expectations ---- */

static uint32_t segments_of(enum spacing spacing, float level)
{
    level = fminf(fmaxf(level, spacing == EVEN ? 2 : 1), spacing == ODD ? 63 : 64);
    uint32_t n = (uint32_t)ceilf(level);
    if (spacing == ODD)
        return n | 1;
    return spacing == EVEN ? n + (n & 1) : n;
}

static int compare_points(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct point));
}

/* Each point once. */
static uint32_t unique_points(struct vt *vt, const struct field *field, struct point **points_out)
{
    const uint32_t *words = field->list.map;
    struct point *points = (struct point *)(words + 4);
    uint32_t count = words[0], kept = 0;
    if (count > MAX_POINTS)
        vt_fail(vt, "%u points", count);
    qsort(points, count, sizeof(*points), compare_points);
    for (uint32_t i = 0; i < count; i++) {
        if (!kept || memcmp(&points[i], &points[kept - 1], sizeof(*points)) != 0)
            points[kept++] = points[i];
    }
    *points_out = points;
    return kept;
}

static float place_on_edge(const struct point *point, enum domain domain, unsigned edge, float *apart_out)
{
    const float apart[] = {point->u, point->v, domain == TRIANGLES ? point->w : 1 - point->u, 1 - point->v};
    *apart_out = apart[edge];
    return edge & 1 ? point->u : point->v;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* An edge has as many points as its level says, symmetrically; with equal spacing they are known. */
static void expect_edge(struct vt *vt, const struct point *points, uint32_t count, uint32_t patch, enum domain domain,
                        enum spacing spacing, unsigned edge, float level)
{
    const uint32_t segments = segments_of(spacing, level);
    float places[128];
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        float apart, place = place_on_edge(&points[i], domain, edge, &apart);
        if (points[i].patch == patch && apart == 0 && found < COUNT_OF(places))
            places[found++] = place;
    }
    qsort(places, found, sizeof(places[0]), compare_floats);
    if (found != segments + 1)
        vt_fail(vt, "edge %u of patch %u with level %g has %u points, expected %u", edge, patch, level, found,
                segments + 1);
    for (uint32_t i = 0; i < found; i++) {
        if (places[i] != 1 - places[segments - i])
            vt_fail(vt, "edge %u of patch %u is not symmetric: %.9g and %.9g", edge, patch, places[i],
                    places[segments - i]);
        if (spacing == EQUAL && fabsf(places[i] - (float)i / (float)segments) > 1e-3f)
            vt_fail(vt, "point %u of edge %u of patch %u is %g, expected %u / %u", i, edge, patch, places[i], i,
                    segments);
    }
}

static uint32_t inner_points(enum domain domain, enum spacing spacing, const float inner[2])
{
    const uint32_t n = segments_of(spacing, inner[0]), m = segments_of(spacing, inner[1]);
    uint32_t count = 0;
    if (domain == QUADS)
        return (n - 1) * (m - 1);
    for (uint32_t ring = 1; ring * 2 <= n; ring++)
        count += ring * 2 == n ? 1 : 3 * (n - 2 * ring);
    return count;
}

static void expect_points(struct vt *vt, const struct field *field, enum domain domain, enum spacing spacing,
                          const struct levels *levels)
{
    const unsigned edges = domain == TRIANGLES ? 3 : 4;
    struct point *points;
    const uint32_t count = unique_points(vt, field, &points);
    for (uint32_t patch = 0; patch < 2; patch++) {
        uint32_t expected = 0, of_patch = 0;
        bool is_close = false; /* inner levels of one are ever so little more: points may fall together */
        for (unsigned i = 0; i < (domain == QUADS ? 2 : 1); i++)
            is_close |= segments_of(spacing, levels->inner[patch][i]) == 1;
        if (is_close)
            continue;
        for (unsigned e = 0; e < edges; e++) {
            expect_edge(vt, points, count, patch, domain, spacing, e, levels->outer[patch][e]);
            expected += segments_of(spacing, levels->outer[patch][e]);
        }
        expected += inner_points(domain, spacing, levels->inner[patch]);
        for (uint32_t i = 0; i < count; i++)
            of_patch += points[i].patch == patch;
        if (of_patch != expected)
            vt_fail(vt, "patch %u has %u points, expected %u", patch, of_patch, expected);
    }
}

static void expect_all(struct vt *vt, const uint32_t *texels, uint32_t expected)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if ((texels[i] & 0xff) != expected)
            vt_fail(vt, "pixel (%u, %u) was drawn %u times, expected %u", i % SIZE, i / SIZE, texels[i] & 0xff,
                    expected);
    }
}

/* ---- whole patches ---- */

struct cover {
    enum domain domain;
    enum spacing spacing;
    struct vt_spirv code;
    struct levels levels; /* the edge that the patches share has one level */
};

static void case_cover(struct vt *vt, const void *argument)
{
    const struct cover *test = argument;
    struct field field;
    make_field(vt, &field, test->domain, test->code);
    const uint32_t *texels = draw_field(vt, &field, &test->levels);
    expect_points(vt, &field, test->domain, test->spacing, &test->levels);
    expect_all(vt, texels, 1);
}

/* Of triangles the first edges meet; of quads the third one of the first and the first of the second. */
#define ONES                                                                                                           \
    {                                                                                                                  \
        {{1, 1, 1, 1}, {1, 1, 1, 1}},                                                                                  \
        {                                                                                                              \
            {1, 1},                                                                                                    \
            {                                                                                                          \
                1, 1                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
#define EVEN_ONES                                                                                                      \
    {                                                                                                                  \
        {{4, 4, 4, 4}, {4, 4, 4, 4}},                                                                                  \
        {                                                                                                              \
            {4, 4},                                                                                                    \
            {                                                                                                          \
                4, 4                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
#define MIXED                                                                                                          \
    {                                                                                                                  \
        {{3, 5, 3, 2}, {3, 7, 4, 9}},                                                                                  \
        {                                                                                                              \
            {4, 6},                                                                                                    \
            {                                                                                                          \
                5, 3                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FRACTIONS                                                                                                      \
    {                                                                                                                  \
        {{2.6f, 1.3f, 2.6f, 7.9f}, {2.6f, 4.4f, 11.2f, 3.1f}},                                                         \
        {                                                                                                              \
            {3.7f, 5.25f},                                                                                             \
            {                                                                                                          \
                8.6f, 2.2f                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define UNEVEN                                                                                                         \
    {                                                                                                                  \
        {{1, 31, 1, 64}, {1, 2, 47.5f, 1}},                                                                            \
        {                                                                                                              \
            {1, 1},                                                                                                    \
            {                                                                                                          \
                1, 13                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }
#define LARGE                                                                                                          \
    {                                                                                                                  \
        {{64, 64, 64, 64}, {64, 100, 64, 33}},                                                                         \
        {                                                                                                              \
            {64, 64},                                                                                                  \
            {                                                                                                          \
                63.5f, 64                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }
#define COVERS(domain, spacing, code)                                                                                  \
    {domain, spacing, CODE(code), ONES}, {domain, spacing, CODE(code), EVEN_ONES},                                     \
        {domain, spacing, CODE(code), MIXED}, {domain, spacing, CODE(code), FRACTIONS},                                \
        {domain, spacing, CODE(code), UNEVEN},                                                                         \
    {                                                                                                                  \
        domain, spacing, CODE(code), LARGE                                                                             \
    }

static const struct cover covers[] = {
    COVERS(TRIANGLES, EQUAL, field_triangles_equal_tese),
    COVERS(TRIANGLES, ODD, field_triangles_odd_tese),
    COVERS(TRIANGLES, EVEN, field_triangles_even_tese),
    COVERS(QUADS, EQUAL, field_quads_equal_tese),
    COVERS(QUADS, ODD, field_quads_odd_tese),
    COVERS(QUADS, EVEN, field_quads_even_tese),
};
#define COVER_CASES(name, first)                                                                                       \
    {name ", levels of one", case_cover, &covers[first]}, {name ", equal levels", case_cover, &covers[(first) + 1]},   \
        {name ", mixed levels", case_cover, &covers[(first) + 2]},                                                     \
        {name ", fractions", case_cover, &covers[(first) + 3]},                                                        \
        {name ", uneven levels", case_cover, &covers[(first) + 4]},                                                    \
    {                                                                                                                  \
        name ", large levels", case_cover, &covers[(first) + 5]                                                        \
    }

/* ---- lines ---- */

struct lines {
    enum spacing spacing;
    struct vt_spirv code;
    float outer[4];
};

/* Which v there are, and how many u. */
static void case_isolines(struct vt *vt, const void *argument)
{
    const struct lines *test = argument;
    struct levels levels = {{{0}}, {{0}}};
    struct field field;
    make_field(vt, &field, ISOLINES, test->code);
    for (unsigned p = 0; p < 2; p++)
        memcpy(levels.outer[p], test->outer, sizeof(test->outer));
    draw_field(vt, &field, &levels);
    struct point *points;
    const uint32_t count = unique_points(vt, &field, &points), lines = segments_of(EQUAL, test->outer[0]),
                   segments = segments_of(test->spacing, test->outer[1]);
    if (count != lines * (segments + 1) * 2)
        vt_fail(vt, "%u points, expected %u lines of %u", count / 2, lines, segments + 1);
    for (uint32_t i = 0; i < count; i++) {
        const float line = points[i].v * (float)lines;
        if (fabsf(line - roundf(line)) > 1e-2f || points[i].v > 1 - 0.5f / (float)lines)
            vt_fail(vt, "a line at %g of %u", points[i].v, lines);
    }
}

static const struct lines isolines[] = {
    {EQUAL, CODE(field_isolines_equal_tese), {1, 1}},      {EQUAL, CODE(field_isolines_equal_tese), {5.5f, 7.5f}},
    {ODD, CODE(field_isolines_odd_tese), {3, 4.4f}},       {EVEN, CODE(field_isolines_even_tese), {64, 64}},
    {EVEN, CODE(field_isolines_even_tese), {2.5f, 10.5f}},
};

/* ---- points ---- */

/* Every point is drawn once: on the screen there are as many as in the list. */
static void case_points(struct vt *vt, const void *argument)
{
    const struct cover *test = argument;
    struct field field;
    make_field(vt, &field, test->domain, test->code);
    const uint32_t *texels = draw_field(vt, &field, &test->levels);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        drawn += texels[i] & 0xff;
    struct point *points;
    const uint32_t count = unique_points(vt, &field, &points);
    if (test->domain != ISOLINES)
        expect_points(vt, &field, test->domain, test->spacing, &test->levels);
    if (drawn != count)
        vt_fail(vt, "%u points are drawn, %u are in the patches", drawn, count);
}

static const struct cover pointed[] = {
    {TRIANGLES, EQUAL, CODE(field_triangles_points_tese), MIXED},
    {QUADS, EVEN, CODE(field_quads_points_tese), MIXED},
    {ISOLINES, EQUAL, CODE(field_isolines_points_tese), MIXED},
};

/* ---- winding ---- */

struct winding {
    enum domain domain;
    struct vt_spirv code;
    bool is_cw, is_lower;
};

/* Triangles of the order that the shader asks for face the viewer as they do on the screen; from a lower left origin
 * the order is the other one. */
static void case_winding(struct vt *vt, const void *argument)
{
    const struct winding *test = argument;
    const struct levels levels = MIXED;
    for (unsigned i = 0; i < 2; i++) {
        const bool is_seen = i == 0;
        /* On the screen, u of quads goes to the right and v down; the corners of triangles stand the same way. */
        const bool is_cw = test->is_cw != test->is_lower;
        VkPipelineTessellationDomainOriginStateCreateInfo origin = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
            .domainOrigin =
                test->is_lower ? VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT : VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT};
        struct field field;
        make_field(vt, &field, test->domain, test->code);
        field.graphics.tessellation.pNext = &origin;
        field.graphics.raster.cullMode = VK_CULL_MODE_BACK_BIT;
        field.graphics.raster.frontFace = is_cw == is_seen ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE;
        expect_all(vt, draw_field(vt, &field, &levels), is_seen);
    }
}

static const struct winding windings[] = {
    {TRIANGLES, CODE(field_triangles_equal_tese), false, false},
    {TRIANGLES, CODE(field_triangles_cw_tese), true, false},
    {TRIANGLES, CODE(field_triangles_equal_tese), false, true},
    {TRIANGLES, CODE(field_triangles_cw_tese), true, true},
    {QUADS, CODE(field_quads_equal_tese), false, false},
    {QUADS, CODE(field_quads_cw_tese), true, false},
    {QUADS, CODE(field_quads_equal_tese), false, true},
    {QUADS, CODE(field_quads_cw_tese), true, true},
};

const struct vt_case vt_tessellation_cases[] = {
    COVER_CASES("triangles", 0),
    COVER_CASES("odd triangles", 6),
    COVER_CASES("even triangles", 12),
    COVER_CASES("quads", 18),
    COVER_CASES("odd quads", 24),
    COVER_CASES("even quads", 30),
    {"one line", case_isolines, &isolines[0]},
    {"lines", case_isolines, &isolines[1]},
    {"odd lines", case_isolines, &isolines[2]},
    {"most lines", case_isolines, &isolines[3]},
    {"even lines", case_isolines, &isolines[4]},
    {"points of triangles", case_points, &pointed[0]},
    {"points of quads", case_points, &pointed[1]},
    {"points of lines", case_points, &pointed[2]},
    {"triangles, counterclockwise", case_winding, &windings[0]},
    {"triangles, clockwise", case_winding, &windings[1]},
    {"triangles, counterclockwise from below", case_winding, &windings[2]},
    {"triangles, clockwise from below", case_winding, &windings[3]},
    {"quads, counterclockwise", case_winding, &windings[4]},
    {"quads, clockwise", case_winding, &windings[5]},
    {"quads, counterclockwise from below", case_winding, &windings[6]},
    {"quads, clockwise from below", case_winding, &windings[7]},
};
const size_t vt_tessellation_count = COUNT_OF(vt_tessellation_cases);
