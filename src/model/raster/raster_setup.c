/* Setup: edges, bounds and planes of one primitive on the screen. */
#include "model/raster/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* A new primitive at the end of the list; NULL: out of memory. raster_drop_prim takes it back. */
static struct raster_prim *raster_new_prim(struct raster_assembler *assembler, const struct raster_source *source)
{
    struct raster_block *block = assembler->list.last;
    if (!block || block->count == RASTER_BLOCK_PRIMS) {
        block = arena_alloc(assembler->arena, sizeof(*block));
        if (!block) {
            assembler->out_of_memory = true;
            return NULL;
        }
        block->next = NULL;
        block->count = 0;
        if (assembler->list.last)
            assembler->list.last->next = block;
        else
            assembler->list.first = block;
        assembler->list.last = block;
    }
    struct raster_prim *prim = &block->prims[block->count++];
    memset(prim, 0, sizeof(*prim));
    memcpy(prim->params, source->params, sizeof(prim->params));
    prim->flat = source->flat;
    prim->own = source->own;
    prim->layer = source->layer;
    prim->viewport = source->viewport_index;
    prim->rate = source->rate;
    prim->own_rate = source->own_rate;
    prim->subpixel_bits = assembler->state->subpixel_bits;
    prim->z_min = MIN2(source->viewport->z_min, source->viewport->z_max);
    prim->z_max = MAX2(source->viewport->z_min, source->viewport->z_max);
    return prim;
}

static void raster_drop_prim(struct raster_assembler *assembler)
{
    assembler->list.last->count--;
}

/* The pixels from the first that ends after a corner, moved by `more`, to the last that begins before one moved back by
 * `less`; false: the scissor leaves none. */
static bool bound(int32_t box[4], unsigned subpixel_bits, const struct raster_viewport *viewport,
                  const int32_t (*corners)[2], unsigned count, int32_t more, int32_t less)
{
    int32_t low[2] = {INT32_MAX, INT32_MAX}, high[2] = {INT32_MIN, INT32_MIN};
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 2; k++) {
            low[k] = MIN2(low[k], corners[i][k]);
            high[k] = MAX2(high[k], corners[i][k]);
        }
    }
    for (unsigned k = 0; k < 2; k++) {
        box[k] = MAX2((low[k] + more) >> subpixel_bits, viewport->scissor[k]);
        box[2 + k] = MIN2(((high[k] - less) >> subpixel_bits) + 1, viewport->scissor[2 + k]);
    }
    return box[0] < box[2] && box[1] < box[3];
}

static void set_box(struct raster_prim *prim, const int32_t box[4])
{
    prim->x0 = box[0];
    prim->y0 = box[1];
    prim->x1 = box[2];
    prim->y1 = box[3];
}

/* Bounds of corners in subpixels, cut by the scissor: false when nothing is left. */
static bool raster_set_bounds(struct raster_prim *prim, const struct raster_viewport *viewport,
                              const int32_t (*corners)[2], unsigned count)
{
    int32_t box[4];
    const bool has_any = bound(box, prim->subpixel_bits, viewport, corners, count, 0, 0);
    set_box(prim, box);
    return has_any;
}

/* The bounds of a triangle. Of one sample they are of the pixels whose middles are within its rectangle. */
static bool bound_triangle(int32_t box[4], const struct raster_state *state, const struct raster_viewport *viewport,
                           const int32_t (*corners)[2])
{
    const int32_t half = state->has_one_sample ? 1 << (state->subpixel_bits - 1) : 0;
    return bound(box, state->subpixel_bits, viewport, corners, 3, half ? half - 1 : 0, half);
}

typedef int32_t int4 __attribute__((vector_size(16)));

#define FEW_PIXELS 8 /* a side of what is looked at */
#define SLOW_EDGE (1 << 13)

/* Whether a triangle may have the middle of a pixel. One of a few pixels, whose edges grow so slowly that numbers are
 * small, is looked at: many small ones lie between all middles. */
static bool has_middle(const struct raster_prim *prim)
{
    const int32_t width = prim->x1 - prim->x0, height = prim->y1 - prim->y0;
    const int64_t half = 1 << (prim->subpixel_bits - 1), x = ((int64_t)prim->x0 << prim->subpixel_bits) + half,
                  y = ((int64_t)prim->y0 << prim->subpixel_bits) + half;
    const int4 ramp = {0, 1, 2, 3};
    int4 left[3], right[3], in_left = {-1, -1, -1, -1}, in_right = in_left; /* negative: no pixel yet */
    if (width > FEW_PIXELS || height > FEW_PIXELS)
        return true;
    for (unsigned e = 0; e < 3; e++) {
        const struct raster_edge *edge = &prim->edges[e];
        if (abs(edge->a) > SLOW_EDGE || abs(edge->b) > SLOW_EDGE)
            return true;
        const int32_t at = (int32_t)((edge->a * x + edge->b * y + edge->c) >> prim->subpixel_bits);
        left[e] = at + edge->a * ramp;
        right[e] = left[e] + 4 * edge->a;
    }
    const int4 behind_left = ramp >= width, behind_right = ramp + 4 >= width;
    for (int32_t row = 0; row < height; row++) {
        in_left &= left[0] | left[1] | left[2] | behind_left;
        in_right &= right[0] | right[1] | right[2] | behind_right;
        for (unsigned e = 0; e < 3; e++) {
            left[e] += prim->edges[e].b;
            right[e] += prim->edges[e].b;
        }
    }
    in_left &= in_right;
    return (in_left[0] & in_left[1] & in_left[2] & in_left[3]) >= 0;
}

/* An edge of the values a, b; one without a length keeps everything out. */
static bool takes_its_samples(const struct raster_edge *edge, uint8_t rule)
{
    if (edge->a)
        return rule & (edge->a > 0 ? RASTER_LEFT_IN : RASTER_RIGHT_IN);
    return edge->b && rule & (edge->b > 0 ? RASTER_TOP_IN : RASTER_BOTTOM_IN);
}

/* Each edge has the inside on its right on a screen whose y goes down, if the corners go clockwise. */
void raster_set_edges(struct raster_prim *prim, const int32_t (*corners)[2], unsigned count, bool clockwise,
                      uint8_t rule_even, uint8_t rule_odd)
{
    prim->edge_count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        const int32_t *p = corners[i], *q = corners[(i + 1) % count];
        struct raster_edge *edge = &prim->edges[i];
        edge->a = clockwise ? p[1] - q[1] : q[1] - p[1];
        edge->b = clockwise ? q[0] - p[0] : p[0] - q[0];
        edge->c = -((int64_t)edge->a * p[0] + (int64_t)edge->b * p[1]);
        if (!takes_its_samples(edge, i % 2 ? rule_odd : rule_even))
            edge->c--;
    }
}

int64_t raster_area(const struct raster_screen s[3])
{
    return (int64_t)(s[1].x - s[0].x) * (s[2].y - s[0].y) - (int64_t)(s[2].x - s[0].x) * (s[1].y - s[0].y);
}

/* A triangle in pixels, relative to its first corner. */
struct frame {
    double x1, y1, x2, y2;
    double area_rcp;
};

static struct raster_plane make_plane(const struct frame *f, double at0, double at1, double at2)
{
    double d1 = at1 - at0, d2 = at2 - at0;
    return (struct raster_plane){
        .at = (float)at0,
        .dx = (float)((d1 * f->y2 - d2 * f->y1) * f->area_rcp),
        .dy = (float)((d2 * f->x1 - d1 * f->x2) * f->area_rcp),
    };
}

static struct frame make_frame(double one, const struct raster_screen s[3])
{
    struct frame f = {
        .x1 = (s[1].x - s[0].x) / one,
        .y1 = (s[1].y - s[0].y) / one,
        .x2 = (s[2].x - s[0].x) / one,
        .y2 = (s[2].y - s[0].y) / one,
    };
    f.area_rcp = 1 / (f.x1 * f.y2 - f.x2 * f.y1);
    return f;
}

float raster_bias(const struct raster_bias *bias, float slope, float z_max)
{
    float unit;
    if (bias->is_float) {
        int exponent;
        frexpf(z_max, &exponent);
        unit = ldexpf(1, (z_max == 0 ? -126 : exponent - 1) + bias->exponent);
    } else {
        unit = ldexpf(1, bias->exponent);
    }
    float sum = slope * bias->scale + unit * bias->offset;
    if (bias->clamp > 0)
        sum = fminf(sum, bias->clamp);
    else if (bias->clamp < 0)
        sum = fmaxf(sum, bias->clamp);
    return sum;
}

float raster_depth_bias(const struct raster_state *state, bool is_back, float slope, float z_max)
{
    const struct raster_bias bias = {state->bias_scale[is_back], state->bias_offset[is_back], state->bias_clamp,
                                     state->bias_exponent, state->bias_is_float};
    return raster_bias(&bias, slope, z_max);
}

static void set_planes(struct raster_prim *prim, const struct frame *f, const struct raster_point points[3],
                       const struct raster_screen s[3])
{
    double w[3] = {s[0].w_rcp, s[1].w_rcp, s[2].w_rcp};
    float one = (float)(1 << prim->subpixel_bits);
    prim->origin_x = (float)s[0].x / one;
    prim->origin_y = (float)s[0].y / one;
    prim->z = make_plane(f, s[0].z, s[1].z, s[2].z);
    prim->w = make_plane(f, w[0], w[1], w[2]);
    prim->iw = make_plane(f, points[0].bary[1] * w[0], points[1].bary[1] * w[1], points[2].bary[1] * w[2]);
    prim->jw = make_plane(f, points[0].bary[2] * w[0], points[1].bary[2] * w[1], points[2].bary[2] * w[2]);
    prim->i = make_plane(f, points[0].bary[1], points[1].bary[1], points[2].bary[1]);
    prim->j = make_plane(f, points[0].bary[2], points[1].bary[2], points[2].bary[2]);
    prim->is_linear = s[0].w_rcp == s[1].w_rcp && s[0].w_rcp == s[2].w_rcp;
}

/* A triangle without an area, of which conservative rasterisation draws the pixels that it touches: no edge shuts the
 * others out, and the values are those of the first corner. */
static void flatten_triangle(struct raster_prim *prim, struct frame *frame, const int32_t (*corners)[2])
{
    frame->area_rcp = 0;
    for (unsigned i = 0; i < 3; i++)
        prim->edges[i].c = -((int64_t)prim->edges[i].a * corners[i][0] + (int64_t)prim->edges[i].b * corners[i][1]);
}

void raster_setup_triangle(struct raster_assembler *assembler, const struct raster_source *source,
                           const struct raster_point points[3], const struct raster_screen s[3], int64_t area)
{
    const struct raster_state *state = assembler->state;
    const int32_t corners[3][2] = {{s[0].x, s[0].y}, {s[1].x, s[1].y}, {s[2].x, s[2].y}};
    int32_t box[4];
    if (!bound_triangle(box, state, source->viewport, corners))
        return;
    struct raster_prim *prim = raster_new_prim(assembler, source);
    if (!prim)
        return;
    set_box(prim, box);
    /* A pixel that an edge only touches is touched, whatever side the edge is of. */
    uint8_t rule = state->over_rasterize ? RASTER_LEFT_IN | RASTER_RIGHT_IN | RASTER_TOP_IN | RASTER_BOTTOM_IN
                                         : state->rules.triangle;
    raster_set_edges(prim, corners, 3, area > 0, rule, rule);
    if (state->has_one_sample && !has_middle(prim)) {
        raster_drop_prim(assembler);
        return;
    }
    prim->is_back = (area < 0) == state->front_is_clockwise;
    struct frame frame = make_frame(1 << prim->subpixel_bits, s);
    if (area == 0)
        flatten_triangle(prim, &frame, corners);
    set_planes(prim, &frame, points, s);
    if (state->has_bias[prim->is_back]) {
        float slope = fmaxf(fabsf(prim->z.dx), fabsf(prim->z.dy));
        prim->z.at +=
            raster_depth_bias(state, prim->is_back, slope, fmaxf(fmaxf(fabsf(s[0].z), fabsf(s[1].z)), fabsf(s[2].z)));
    }
}

/* The rectangle around three corners; the planes are those of the triangle, which is half of it. */
void raster_setup_rect(struct raster_assembler *assembler, const struct raster_source *source,
                       const struct raster_screen s[3], const struct raster_point points[3])
{
    struct raster_prim *prim = raster_new_prim(assembler, source);
    if (!prim)
        return;
    int32_t x0 = MIN2(MIN2(s[0].x, s[1].x), s[2].x), x1 = MAX2(MAX2(s[0].x, s[1].x), s[2].x);
    int32_t y0 = MIN2(MIN2(s[0].y, s[1].y), s[2].y), y1 = MAX2(MAX2(s[0].y, s[1].y), s[2].y);
    const int32_t corners[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    if (!raster_set_bounds(prim, source->viewport, corners, 4)) {
        raster_drop_prim(assembler);
        return;
    }
    raster_set_edges(prim, corners, 4, true, assembler->state->rules.rect, assembler->state->rules.rect);
    struct frame frame = make_frame(1 << prim->subpixel_bits, s);
    set_planes(prim, &frame, points, s);
}

/* The first pixel whose centre is not left of (above) a place. */
static int32_t first_pixel(int32_t at, unsigned subpixel_bits)
{
    return (at + (1 << (subpixel_bits - 1)) - 1) >> subpixel_bits;
}

/* Pixels are counted along the axis that the line runs along most. A line that the clipper has cut counts from there.
 */
static void set_stipple(struct raster_assembler *assembler, struct raster_prim *prim, const struct raster_screen s[2])
{
    struct raster_stipple *stipple = arena_alloc(assembler->arena, sizeof(*stipple));
    if (!stipple) {
        assembler->out_of_memory = true;
        return;
    }
    int32_t dx = s[1].x - s[0].x, dy = s[1].y - s[0].y;
    bool along_y = abs(dy) > abs(dx);
    int32_t from = first_pixel(along_y ? s[0].y : s[0].x, prim->subpixel_bits),
            to = first_pixel(along_y ? s[1].y : s[1].x, prim->subpixel_bits);
    *stipple = (struct raster_stipple){
        .along_y = along_y,
        .backwards = to < from,
        .first = to < from ? from - 1 : from,
        .length = (uint32_t)abs(to - from),
    };
    prim->stipple = stipple;
}

/* A line that is not on the screen counts for those after it: it stays, over one pixel that it does not cover. */
static bool keep_for_stipple(const struct raster_state *state, struct raster_prim *prim,
                             const struct raster_viewport *viewport)
{
    const int32_t *scissor = viewport->scissor;
    if (!state->stipple || !state->stipple_goes_on || scissor[0] >= scissor[2] || scissor[1] >= scissor[3])
        return false;
    prim->x0 = scissor[0];
    prim->y0 = scissor[1];
    prim->x1 = prim->x0 + 1;
    prim->y1 = prim->y0 + 1;
    return true;
}

static const struct raster_line_rule *line_rule(const struct raster_edge_rules *rules, double dx, double dy)
{
    if (fabs(dx) >= fabs(dy))
        return dx > 0 ? &rules->right : &rules->left;
    return dy > 0 ? &rules->down : &rules->up;
}

/* A line is a parallelogram: its ends are parallel to the axis that it runs along least, or perpendicular to it where
 * the registers ask for that. */
void raster_setup_line(struct raster_assembler *assembler, const struct raster_source *source,
                       const struct raster_screen s[2], const float ends[2], bool is_back, float bias)
{
    const struct raster_state *state = assembler->state;
    double dx = s[1].x - s[0].x, dy = s[1].y - s[0].y, length = sqrt(dx * dx + dy * dy);
    if (length == 0)
        return;
    double one = 1 << state->subpixel_bits, half = state->line_half * one, nx,
           ny; /* from the middle to the side on the right */
    if (state->perpendicular_caps) {
        nx = -dy / length * half;
        ny = dx / length * half;
    } else if (fabs(dx) >= fabs(dy)) {
        nx = 0;
        ny = dx > 0 ? half : -half;
    } else {
        nx = dy > 0 ? -half : half;
        ny = 0;
    }
    int32_t ix = (int32_t)lrint(nx), iy = (int32_t)lrint(ny);
    const int32_t corners[4][2] = {
        {s[0].x - ix, s[0].y - iy}, {s[1].x - ix, s[1].y - iy}, {s[1].x + ix, s[1].y + iy}, {s[0].x + ix, s[0].y + iy}};
    struct raster_prim *prim = raster_new_prim(assembler, source);
    if (!prim)
        return;
    if (!raster_set_bounds(prim, source->viewport, corners, 4) && !keep_for_stipple(state, prim, source->viewport)) {
        raster_drop_prim(assembler);
        return;
    }
    const struct raster_line_rule *rule = line_rule(&state->rules, dx, dy);
    raster_set_edges(prim, corners, 4, true, rule->sides, rule->ends);
    prim->is_back = is_back;
    if (state->stipple)
        set_stipple(assembler, prim, s);

    /* Everything changes along the line and not across it: the third corner lies across, with the values of the first.
     */
    struct raster_screen third = s[0];
    struct frame frame = make_frame(one, (struct raster_screen[3]){s[0], s[1], third});
    frame.x2 = -dy / one;
    frame.y2 = dx / one;
    frame.area_rcp = 1 / (frame.x1 * frame.y2 - frame.x2 * frame.y1);
    const struct raster_point points[3] = {
        {.bary = {0, ends[0], 0}}, {.bary = {0, ends[1], 0}}, {.bary = {0, ends[0], 0}}};
    const struct raster_screen corners3[3] = {s[0], s[1], third};
    set_planes(prim, &frame, points, corners3);
    prim->z.at += bias;
}

void raster_setup_point(struct raster_assembler *assembler, const struct raster_source *source,
                        const struct raster_screen *s, const float half[2], bool is_back, float bias)
{
    float one = (float)(1 << assembler->state->subpixel_bits);
    int32_t hx = (int32_t)lrintf(half[0] * one), hy = (int32_t)lrintf(half[1] * one);
    if (hx <= 0 || hy <= 0)
        return;
    const int32_t corners[4][2] = {
        {s->x - hx, s->y - hy}, {s->x + hx, s->y - hy}, {s->x + hx, s->y + hy}, {s->x - hx, s->y + hy}};
    struct raster_prim *prim = raster_new_prim(assembler, source);
    if (!prim)
        return;
    if (!raster_set_bounds(prim, source->viewport, corners, 4)) {
        raster_drop_prim(assembler);
        return;
    }
    raster_set_edges(prim, corners, 4, true, assembler->state->rules.point, assembler->state->rules.point);
    prim->is_back = is_back;
    prim->is_point = prim->is_linear = true;
    prim->origin_x = (float)corners[0][0] / one;
    prim->origin_y = (float)corners[0][1] / one;
    prim->z.at = s->z + bias;
    prim->w.at = s->w_rcp;
    prim->i = (struct raster_plane){.dx = one / (2.0f * (float)hx)};
    prim->j = (struct raster_plane){.dy = one / (2.0f * (float)hy)};
}
