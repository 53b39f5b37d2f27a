/* One primitive through primitive assembly: distances, clipping, facing and culling, fill modes. */
#include "model/raster/raster.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

static uint32_t read_field(struct raster_field field, const float (*vertex)[4])
{
    return field.bits ? float_bits(vertex[field.word / 4][field.word % 4]) >> field.shift & bits_mask(field.bits) : 0;
}

static void read_misc(const struct raster_assembler *assembler, const float (*vertex)[4], struct raster_source *source)
{
    const struct raster_state *state = assembler->state;
    const struct raster_vertices *vertices = &assembler->vertices;
    source->layer = vertices->has_own_place ? vertices->own_layer : (uint16_t)read_field(state->layer, vertex);
    source->viewport_index =
        (vertices->has_own_place ? vertices->own_viewport : read_field(state->viewport, vertex)) % RASTER_MAX_VIEWPORTS;
    source->viewport = &state->viewports[source->viewport_index];
    source->rate = (uint8_t)read_field(state->rate, vertex);
    source->own_rate = vertices->own_rate;
}

/* True: every vertex is beyond the same cull distance, or one of them asks to kill the primitive. */
static bool read_distances(const struct raster_assembler *assembler, const uint32_t *vertex, unsigned count,
                           float (*distances)[3])
{
    const struct raster_state *state = assembler->state;
    bits_foreach (state->clip_distances | state->cull_distances, d) {
        bool culled = true;
        for (unsigned i = 0; i < 3; i++) {
            distances[d][i] =
                assembler->vertices.pos[vertex[i < count ? i : 0]][state->distance_word[d / 4] / 4][d % 4];
            if (i < count)
                culled &= !(distances[d][i] >= 0);
        }
        if (culled && (state->cull_distances >> d & 1))
            return true;
    }
    return false;
}

/* Where a corner lands; one that is a vertex of the primitive itself has not moved. */
static bool project_corner(const struct raster_state *state, const struct raster_source *source,
                           const struct raster_point *point, struct raster_screen *screen_out)
{
    if (!state->clips_divided)
        return raster_project(state, source->viewport, point->pos, screen_out);
    for (unsigned i = 0; i < 3; i++) {
        if (point->bary[i] == 1)
            return raster_project(state, source->viewport, source->pos[i], screen_out);
    }
    float w_rcp = 1.0f / point->pos[3];
    const float divided[4] = {point->pos[0] * w_rcp, point->pos[1] * w_rcp,
                              state->clip_near + point->pos[2] * w_rcp * (state->clip_far - state->clip_near), w_rcp};
    return raster_project(state, source->viewport, divided, screen_out);
}

static void set_source(const struct raster_assembler *assembler, const uint32_t *vertex, unsigned count,
                       unsigned provoking, struct raster_source *source)
{
    for (unsigned i = 0; i < 3; i++)
        source->params[i] =
            assembler->vertices.params + (size_t)vertex[MIN2(i, count - 1)] * assembler->vertices.param_floats;
    for (unsigned i = 0; i < 3 && assembler->state->clips_divided; i++)
        source->pos[i] = assembler->vertices.pos[vertex[MIN2(i, count - 1)]][0];
    source->flat = source->params[provoking];
    source->own = assembler->vertices.own;
    read_misc(assembler, assembler->vertices.pos[vertex[provoking]], source);
}

static void take_point(struct raster_assembler *assembler, const struct raster_source *source, const uint32_t vertex[3],
                       const struct raster_point *point, const float (*distances)[3], bool is_back, float bias)
{
    const struct raster_state *state = assembler->state;
    struct raster_screen screen;
    if (!raster_clip_point(state, point, distances) || !project_corner(state, source, point, &screen))
        return;
    float half[2] = {state->point_half[0], state->point_half[1]};
    if (state->has_point_size) {
        float size = assembler->vertices.pos[vertex[0]][state->point_size_word / 4][state->point_size_word % 4] / 2;
        half[0] = half[1] = fminf(fmaxf(size, state->point_half_min), state->point_half_max);
    }
    assembler->primitives++;
    raster_setup_point(assembler, source, &screen, half, is_back, bias);
}

static void take_line(struct raster_assembler *assembler, const struct raster_source *source,
                      struct raster_point points[2], const float (*distances)[3], bool is_back, float bias)
{
    struct raster_screen screen[2];
    if (!raster_clip_line(assembler->state, points, distances))
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (!project_corner(assembler->state, source, &points[i], &screen[i]))
            return;
    }
    assembler->primitives++;
    raster_setup_line(assembler, source, screen, (const float[2]){points[0].bary[1], points[1].bary[1]}, is_back, bias);
}

/* The fill modes that draw a triangle's edges or corners: each is a line or a point of its own, with the triangle's
 * facing and flat values. */
static void take_outline(struct raster_assembler *assembler, const struct raster_source *source,
                         const uint32_t vertex[3], const float (*distances)[3], bool is_back, enum raster_fill fill,
                         float bias, uint8_t edges)
{
    bits_foreach (edges, i) {
        size_t j = (i + 1) % 3;
        uint32_t ends[3] = {vertex[i], vertex[j], vertex[i]};
        struct raster_source part = *source;
        float part_distances[8][3];
        struct raster_point points[2] = {{.bary = {1, 0, 0}}, {.bary = {0, 1, 0}}};
        memcpy(points[0].pos, assembler->vertices.pos[vertex[i]][0], sizeof(points[0].pos));
        memcpy(points[1].pos, assembler->vertices.pos[vertex[j]][0], sizeof(points[1].pos));
        if (assembler->state->clips_divided) {
            part.pos[0] = part.pos[2] = source->pos[i];
            part.pos[1] = source->pos[j];
            raster_undo_division(assembler->state, points[0].pos);
            raster_undo_division(assembler->state, points[1].pos);
        }
        part.params[0] = source->params[i];
        part.params[1] = part.params[2] = source->params[j];
        bits_foreach (assembler->state->clip_distances, d) {
            part_distances[d][0] = part_distances[d][2] = distances[d][i];
            part_distances[d][1] = distances[d][j];
        }
        if (fill == RASTER_FILL_LINES) {
            take_line(assembler, &part, points, part_distances, is_back, bias);
        } else {
            part.params[1] = part.params[2] = source->params[i];
            take_point(assembler, &part, ends, &points[0], part_distances, is_back, bias);
        }
    }
}

static bool project_all(const struct raster_assembler *assembler, const struct raster_source *source,
                        const struct raster_point *points, unsigned count, struct raster_screen *screen)
{
    for (unsigned i = 0; i < count; i++) {
        if (!project_corner(assembler->state, source, &points[i], &screen[i]))
            return false;
    }
    return true;
}

static bool is_culled(const struct raster_state *state, bool is_back)
{
    return state->is_culled[is_back];
}

/* The slope that a fill mode's lines and points take their depth bias from is the triangle's own. */
static float outline_bias(const struct raster_state *state, const struct raster_screen s[3], int64_t area, bool is_back)
{
    if (!state->has_outline_bias && !state->has_bias[is_back])
        return 0;
    double d1 = s[1].z - s[0].z, d2 = s[2].z - s[0].z, scale = (double)(1 << state->subpixel_bits) / (double)area;
    double dx = (d1 * (s[2].y - s[0].y) - d2 * (s[1].y - s[0].y)) * scale,
           dy = (d2 * (s[1].x - s[0].x) - d1 * (s[2].x - s[0].x)) * scale;
    return raster_depth_bias(state, is_back, (float)fmax(fabs(dx), fabs(dy)),
                             fmaxf(fmaxf(fabsf(s[0].z), fabsf(s[1].z)), fabsf(s[2].z)));
}

static void take_triangle(struct raster_assembler *assembler, const struct raster_source *source,
                          const uint32_t vertex[3], struct raster_point *points, const float (*distances)[3],
                          uint8_t edges)
{
    const struct raster_state *state = assembler->state;
    struct raster_screen screen[RASTER_MAX_POLYGON];
    unsigned count = raster_clip_polygon(state, points, 3, distances);
    if (!count || !project_all(assembler, source, points, count, screen))
        return;
    for (unsigned i = 1; i + 1 < count; i++) {
        const struct raster_screen corners[3] = {screen[0], screen[i], screen[i + 1]};
        int64_t area = raster_area(corners);
        bool is_back = (area < 0) == state->front_is_clockwise;
        if ((area == 0 && !state->over_rasterize) || is_culled(state, is_back))
            continue;
        enum raster_fill fill = state->fill[is_back];
        assembler->primitives++;
        if (fill != RASTER_FILL_TRIANGLES) {
            take_outline(assembler, source, vertex, distances, is_back, fill,
                         outline_bias(state, corners, area, is_back), edges);
            return; /* the whole triangle's outline, once */
        }
        raster_setup_triangle(assembler, source, (const struct raster_point[3]){points[0], points[i], points[i + 1]},
                              corners, area);
    }
}

/* A triangle of vertices that have places. False, and nothing was done: it has to be clipped, or only its outline is
 * drawn. */
static bool take_placed(struct raster_assembler *assembler, const uint32_t vertex[3], unsigned provoking)
{
    static const struct raster_point points[3] = {{.bary = {1, 0, 0}}, {.bary = {0, 1, 0}}, {.bary = {0, 0, 1}}};
    const struct raster_state *state = assembler->state;
    const struct raster_place *places = assembler->vertices.places, *a = &places[vertex[0]], *b = &places[vertex[1]],
                              *c = &places[vertex[2]];
    if (a->discarded & b->discarded & c->discarded)
        return true;
    if (a->crossed | b->crossed | c->crossed)
        return false;
    if (!a->is_on_screen || !b->is_on_screen || !c->is_on_screen)
        return true;
    const struct raster_screen corners[3] = {a->screen, b->screen, c->screen};
    const int64_t area = raster_area(corners);
    const bool is_back = (area < 0) == state->front_is_clockwise;
    if ((area == 0 && !state->over_rasterize) || is_culled(state, is_back))
        return true;
    if (state->fill[is_back] != RASTER_FILL_TRIANGLES)
        return false;
    struct raster_source source;
    set_source(assembler, vertex, 3, provoking, &source);
    assembler->primitives++;
    raster_setup_triangle(assembler, &source, points, corners, area);
    return true;
}

static void take_rect(struct raster_assembler *assembler, const struct raster_source *source,
                      const struct raster_point *points)
{
    struct raster_screen screen[3];
    if (!project_all(assembler, source, points, 3, screen) || raster_area(screen) == 0)
        return;
    assembler->primitives++;
    raster_setup_rect(assembler, source, screen, points);
}

void raster_primitive(struct raster_assembler *assembler, enum raster_kind kind, const uint32_t vertex[3],
                      unsigned provoking, uint8_t edges)
{
    static const unsigned vertices_of[] = {
        [RASTER_POINT] = 1, [RASTER_LINE] = 2, [RASTER_TRIANGLE] = 3, [RASTER_RECT] = 3};
    unsigned count = vertices_of[kind];
    struct raster_source source;
    struct raster_point points[RASTER_MAX_POLYGON];
    float distances[8][3];
    assembler->invocations++;
    if (assembler->state->is_off)
        return;
    if (assembler->vertices.places && kind == RASTER_TRIANGLE && take_placed(assembler, vertex, provoking))
        return;
    set_source(assembler, vertex, count, provoking, &source);
    for (unsigned i = 0; i < count; i++) {
        memcpy(points[i].pos, assembler->vertices.pos[vertex[i]][0], sizeof(points[i].pos));
        points[i].bary[0] = i == 0;
        points[i].bary[1] = i == 1;
        points[i].bary[2] = i == 2;
        if (assembler->state->clips_divided)
            raster_undo_division(assembler->state, points[i].pos);
    }
    if (read_distances(assembler, vertex, count, distances))
        return;
    switch (kind) {
    case RASTER_POINT:
        take_point(assembler, &source, vertex, points, (const float(*)[3])distances, false, 0);
        break;
    case RASTER_LINE:
        take_line(assembler, &source, points, (const float(*)[3])distances, false, 0);
        break;
    case RASTER_TRIANGLE:
        take_triangle(assembler, &source, vertex, points, (const float(*)[3])distances, edges);
        break;
    case RASTER_RECT:
        take_rect(assembler, &source, points);
        break;
    }
}
