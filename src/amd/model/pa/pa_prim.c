/* One primitive through primitive assembly: distances, clipping, facing and culling, fill modes. */
#include "amd/model/pa/pa.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Layer [12:0] and viewport [19:16] share a channel of the vector behind the position. */
static void read_misc(const struct pa_state *state, const float (*vertex)[4], struct pa_source *source)
{
    uint32_t word = state->misc_vector >= 0 ? float_bits(vertex[state->misc_vector][2]) : 0;
    source->layer = state->out.USE_VTX_RENDER_TARGET_INDX ? word & 0x1fff : 0;
    source->viewport_index = state->out.USE_VTX_VIEWPORT_INDX ? word >> 16 & 15 : 0;
    source->viewport = &state->viewports[source->viewport_index];
}

/* True: every vertex is beyond the same cull distance, or one of them asks to kill the primitive. */
static bool read_distances(const struct pa *pa, const uint32_t *vertex, unsigned count, float (*distances)[3])
{
    const struct pa_state *state = pa->state;
    bits_foreach (state->clip_distances | state->cull_distances, d) {
        bool culled = true;
        for (unsigned i = 0; i < 3; i++) {
            distances[d][i] = pa->vertices.pos[vertex[i < count ? i : 0]][state->distance_vector[d / 4]][d % 4];
            if (i < count)
                culled &= !(distances[d][i] >= 0);
        }
        if (culled && (state->cull_distances >> d & 1))
            return true;
    }
    return false;
}

static void set_source(const struct pa *pa, const uint32_t *vertex, unsigned count, unsigned provoking,
                       struct pa_source *source)
{
    for (unsigned i = 0; i < 3; i++)
        source->params[i] = pa->vertices.params + (size_t)vertex[i < count ? i : 0] * pa->vertices.param_floats;
    source->flat = source->params[provoking];
    source->own = pa->vertices.own;
    read_misc(pa->state, pa->vertices.pos[vertex[provoking]], source);
}

static void take_point(struct pa *pa, const struct pa_source *source, const uint32_t vertex[3],
                       const struct pa_point *point, const float (*distances)[3], bool is_back, float bias)
{
    const struct pa_state *state = pa->state;
    struct pa_screen screen;
    if (!amd_pa_clip_point(state, point, distances) || !amd_pa_project(state, source->viewport, point->pos, &screen))
        return;
    float half[2] = {state->point_half[0], state->point_half[1]};
    if (state->out.USE_VTX_POINT_SIZE && state->misc_vector >= 0) {
        float size = pa->vertices.pos[vertex[0]][state->misc_vector][0] / 2;
        half[0] = half[1] = fminf(fmaxf(size, state->point_half_min), state->point_half_max);
    }
    pa->primitives++;
    amd_pa_setup_point(pa, source, &screen, half, is_back, bias);
}

static void take_line(struct pa *pa, const struct pa_source *source, struct pa_point points[2],
                      const float (*distances)[3], bool is_back, float bias)
{
    struct pa_screen screen[2];
    if (!amd_pa_clip_line(pa->state, points, distances))
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (!amd_pa_project(pa->state, source->viewport, points[i].pos, &screen[i]))
            return;
    }
    pa->primitives++;
    amd_pa_setup_line(pa, source, screen, (const float[2]){points[0].bary[1], points[1].bary[1]}, is_back, bias);
}

/* The fill modes that draw a triangle's edges or corners: each is a line or a point of its own, with the triangle's
 * facing and flat values. */
static void take_outline(struct pa *pa, const struct pa_source *source, const uint32_t vertex[3],
                         const float (*distances)[3], bool is_back, enum amd_POLY_TYPE type, float bias, uint8_t edges)
{
    bits_foreach (edges, i) {
        size_t j = (i + 1) % 3;
        uint32_t ends[3] = {vertex[i], vertex[j], vertex[i]};
        struct pa_source part = *source;
        float part_distances[8][3];
        struct pa_point points[2] = {{.bary = {1, 0, 0}}, {.bary = {0, 1, 0}}};
        memcpy(points[0].pos, pa->vertices.pos[vertex[i]][0], sizeof(points[0].pos));
        memcpy(points[1].pos, pa->vertices.pos[vertex[j]][0], sizeof(points[1].pos));
        part.params[0] = part.params[2] = source->params[i];
        part.params[1] = source->params[j];
        bits_foreach (pa->state->clip_distances, d) {
            part_distances[d][0] = part_distances[d][2] = distances[d][i];
            part_distances[d][1] = distances[d][j];
        }
        if (type == AMD_POLY_TYPE_LINES) {
            take_line(pa, &part, points, part_distances, is_back, bias);
        } else {
            part.params[1] = source->params[i];
            take_point(pa, &part, ends, &points[0], part_distances, is_back, bias);
        }
    }
}

static bool project_all(const struct pa *pa, const struct pa_source *source, const struct pa_point *points,
                        unsigned count, struct pa_screen *screen)
{
    for (unsigned i = 0; i < count; i++) {
        if (!amd_pa_project(pa->state, source->viewport, points[i].pos, &screen[i]))
            return false;
    }
    return true;
}

static bool is_culled(const struct pa_state *state, bool is_back)
{
    return is_back ? state->mode.CULL_BACK : state->mode.CULL_FRONT;
}

/* The slope that a fill mode's lines and points take their depth bias from is the triangle's own. */
static float outline_bias(const struct pa_state *state, const struct pa_screen s[3], int64_t area, bool is_back)
{
    if (!state->mode.POLY_OFFSET_PARA_ENABLE &&
        !(is_back ? state->mode.POLY_OFFSET_BACK_ENABLE : state->mode.POLY_OFFSET_FRONT_ENABLE))
        return 0;
    double d1 = s[1].z - s[0].z, d2 = s[2].z - s[0].z, scale = (double)(1 << state->subpixel_bits) / (double)area;
    double dx = (d1 * (s[2].y - s[0].y) - d2 * (s[1].y - s[0].y)) * scale,
           dy = (d2 * (s[1].x - s[0].x) - d1 * (s[2].x - s[0].x)) * scale;
    return amd_pa_depth_bias(state, is_back, (float)fmax(fabs(dx), fabs(dy)),
                             fmaxf(fmaxf(fabsf(s[0].z), fabsf(s[1].z)), fabsf(s[2].z)));
}

static void take_triangle(struct pa *pa, const struct pa_source *source, const uint32_t vertex[3],
                          struct pa_point *points, const float (*distances)[3], uint8_t edges)
{
    const struct pa_state *state = pa->state;
    struct pa_screen screen[PA_MAX_POLYGON];
    unsigned count = amd_pa_clip_polygon(state, points, 3, distances);
    if (!count || !project_all(pa, source, points, count, screen))
        return;
    for (unsigned i = 1; i + 1 < count; i++) {
        const struct pa_screen corners[3] = {screen[0], screen[i], screen[i + 1]};
        int64_t area = amd_pa_area(corners);
        bool is_back = (area < 0) == (state->mode.FACE != 0);
        if ((area == 0 && !state->over_rasterize) || is_culled(state, is_back))
            continue;
        enum amd_POLY_TYPE type = is_back ? state->mode.POLYMODE_BACK_PTYPE : state->mode.POLYMODE_FRONT_PTYPE;
        pa->primitives++;
        if (state->mode.POLY_MODE == AMD_POLY_MODE_DUAL_MODE && type != AMD_POLY_TYPE_TRIANGLES) {
            take_outline(pa, source, vertex, distances, is_back, type, outline_bias(state, corners, area, is_back),
                         edges);
            return; /* the whole triangle's outline, once */
        }
        amd_pa_setup_triangle(pa, source, (const struct pa_point[3]){points[0], points[i], points[i + 1]}, corners,
                              area);
    }
}

static void take_rect(struct pa *pa, const struct pa_source *source, const struct pa_point *points)
{
    struct pa_screen screen[3];
    if (!project_all(pa, source, points, 3, screen) || amd_pa_area(screen) == 0)
        return;
    pa->primitives++;
    amd_pa_setup_rect(pa, source, screen, points);
}

void amd_pa_primitive(struct pa *pa, enum pa_kind kind, const uint32_t vertex[3], unsigned provoking, uint8_t edges)
{
    static const unsigned vertices_of[] = {[PA_POINT] = 1, [PA_LINE] = 2, [PA_TRIANGLE] = 3, [PA_RECT] = 3};
    unsigned count = vertices_of[kind];
    struct pa_source source;
    struct pa_point points[PA_MAX_POLYGON];
    float distances[8][3];
    pa->invocations++;
    if (pa->state->clip.DX_RASTERIZATION_KILL)
        return;
    set_source(pa, vertex, count, provoking, &source);
    for (unsigned i = 0; i < count; i++) {
        memcpy(points[i].pos, pa->vertices.pos[vertex[i]][0], sizeof(points[i].pos));
        points[i].bary[0] = i == 0;
        points[i].bary[1] = i == 1;
        points[i].bary[2] = i == 2;
    }
    if (read_distances(pa, vertex, count, distances))
        return;
    switch (kind) {
    case PA_POINT:
        take_point(pa, &source, vertex, points, (const float(*)[3])distances, false, 0);
        break;
    case PA_LINE:
        take_line(pa, &source, points, (const float(*)[3])distances, false, 0);
        break;
    case PA_TRIANGLE:
        take_triangle(pa, &source, vertex, points, (const float(*)[3])distances, edges);
        break;
    case PA_RECT:
        take_rect(pa, &source, points);
        break;
    }
}
