/* The tessellator's domains: rings of points, and the triangles between one ring and the next.
 *
 * Rings are walked so that the inside lies clockwise of the outside: each triangle is made with that winding. */
#include <math.h>

#include "model/tessellate/tessellate.h"
#include "util/bits.h"

static uint32_t add_point(struct tess_patch *patch, int32_t u, int32_t v)
{
    patch->points[patch->point_count] = (struct tess_point){(float)u / TESS_ONE, (float)v / TESS_ONE};
    return patch->point_count++;
}

static void add_triangle(struct tess_patch *patch, uint32_t a, uint32_t b, uint32_t c)
{
    uint16_t *prim = patch->prims[patch->prim_count++];
    prim[0] = (uint16_t)a;
    prim[1] = (uint16_t)b;
    prim[2] = (uint16_t)c;
}

/* A side of a ring: points from `first` on, one after the other; the last one starts the next side. */
struct side {
    uint32_t first, segments, last;
    int32_t step;
};

static uint32_t point_of(const struct side *side, uint32_t at)
{
    return at == side->segments ? side->last : side->first + (uint32_t)side->step * at;
}

/* A strip between two sides that grows by one segment of either. */
struct strip {
    struct tess_patch *patch;
    const struct side *outside, *inside;
    uint32_t out, in;
};

static void advance_outside(struct strip *strip)
{
    add_triangle(strip->patch, point_of(strip->outside, strip->out), point_of(strip->outside, strip->out + 1),
                 point_of(strip->inside, strip->in));
    strip->out++;
}

static void advance_inside(struct strip *strip)
{
    add_triangle(strip->patch, point_of(strip->outside, strip->out), point_of(strip->inside, strip->in + 1),
                 point_of(strip->inside, strip->in));
    strip->in++;
}

/* Sides that are cut by different levels, from both ends to the middle in the order in which their points appear. The
 * inside lacks the first and the last segment of its level. */
static void join_sides(struct tess_patch *patch, const struct side *outside, const struct side *inside)
{
    const uint32_t half_out = outside->segments / 2, half_in = inside->segments / 2 + 1, half = MAX2(half_out, half_in);
    struct strip strip = {.patch = patch, .outside = outside, .inside = inside};
    uint8_t order[TESS_MAX_LEVEL / 2];
    tess_edge_order(half, order);
    for (uint32_t i = 0; i < half; i++) {
        if (i > 0 && order[i] < half_in)
            advance_inside(&strip);
        if (order[i] < half_out)
            advance_outside(&strip);
    }
    if (inside->segments & 1)
        advance_inside(&strip);
    if (outside->segments & 1)
        advance_outside(&strip);
    for (uint32_t i = half; i-- > 0;) {
        if (order[i] < half_out)
            advance_outside(&strip);
        if (i > 0 && order[i] < half_in)
            advance_inside(&strip);
    }
}

/* Sides of rings that are cut by the same level: the inner one has two segments less. */
static void join_even_sides(struct tess_patch *patch, const struct side *outside, const struct side *inside)
{
    struct strip strip = {.patch = patch, .outside = outside, .inside = inside};
    advance_outside(&strip);
    for (uint32_t i = 0; i < inside->segments; i++) {
        bool is_second_half = i * 2 >= inside->segments;
        if (!is_second_half)
            advance_inside(&strip);
        advance_outside(&strip);
        if (is_second_half)
            advance_inside(&strip);
    }
    advance_outside(&strip);
}

/* ---- triangles ---- */

/* The corner that an edge comes from is the one where the coordinate `along` is 0 and `apart` as well. */
static uint32_t add_triangle_point(struct tess_patch *patch, unsigned edge, int32_t along, int32_t apart)
{
    const int32_t rest = TESS_ONE - along - apart;
    switch (edge) {
    case 0: /* v is apart, to u = 1 */
        return add_point(patch, along, apart);
    case 1: /* w is apart, to v = 1 */
        return add_point(patch, rest, along);
    default: /* u is apart, to w = 1 */
        return add_point(patch, apart, rest);
    }
}

/* The next ring: its points are those of the patch's edge as the inner level cuts it, but for the first and the last
 * ones, moved inside at a right angle to the edge. The coordinate that is rounded is u, or v on the edge of u = 0. */
static void add_inner_ring(struct tess_patch *patch, const struct tess_edge *inner, uint32_t ring, struct side sides[3])
{
    const uint64_t two_thirds = TESS_ONE * 2 / 3;
    const int32_t apart = (int32_t)(((uint64_t)tess_edge_place(inner, ring) * two_thirds + TESS_ONE / 2) / TESS_ONE);
    for (unsigned e = 0; e < 3; e++) {
        sides[e] = (struct side){.first = patch->point_count, .segments = inner->segments - 2 * ring, .step = 1};
        for (uint32_t i = ring; i < inner->segments - ring; i++)
            add_triangle_point(patch, e, tess_edge_place(inner, i) - (apart + (e == 0)) / 2, apart);
    }
    for (unsigned e = 0; e < 3; e++)
        sides[e].last = sides[(e + 1) % 3].first;
}

static void add_center(struct tess_patch *patch, struct side sides[3])
{
    const uint32_t center = add_point(patch, TESS_ONE / 3, TESS_ONE / 3);
    for (unsigned e = 0; e < 3; e++)
        sides[e] = (struct side){.first = center, .last = center};
}

static void tessellate_triangle(const struct tess_mode *mode, const struct tess_levels *levels,
                                struct tess_patch *patch)
{
    static const uint8_t level_of_edge[3] = {1, 2, 0};
    struct side outside[3], inside[3];
    struct tess_edge edges[3];
    bool is_cut = false;
    for (unsigned e = 0; e < 3; e++) {
        edges[e] = tess_edge_of(mode, levels->outer[level_of_edge[e]], false);
        is_cut |= edges[e].segments > 1;
    }
    const struct tess_edge inner = tess_edge_of(mode, levels->inner[0], is_cut);
    for (unsigned e = 0; e < 3; e++) {
        outside[e] = (struct side){.first = patch->point_count, .segments = edges[e].segments, .step = 1};
        for (uint32_t i = 0; i < edges[e].segments; i++)
            add_triangle_point(patch, e, tess_edge_place(&edges[e], i), 0);
    }
    for (unsigned e = 0; e < 3; e++)
        outside[e].last = outside[(e + 1) % 3].first;
    for (uint32_t ring = 1; ring * 2 <= inner.segments; ring++) {
        if (ring * 2 == inner.segments)
            add_center(patch, inside);
        else
            add_inner_ring(patch, &inner, ring, inside);
        for (unsigned e = 0; e < 3; e++) {
            if (ring == 1)
                join_sides(patch, &outside[e], &inside[e]);
            else
                join_even_sides(patch, &outside[e], &inside[e]);
            outside[e] = inside[e];
        }
    }
    if (inner.segments & 1)
        add_triangle(patch, outside[0].first, outside[1].first, outside[2].first);
}

/* ---- quads ---- */

static void add_quad_point(struct tess_patch *patch, unsigned edge, int32_t along)
{
    const int32_t back = TESS_ONE - along;
    const int32_t place[4][2] = {{along, 0}, {TESS_ONE, along}, {back, TESS_ONE}, {0, back}};
    add_point(patch, place[edge][0], place[edge][1]);
}

/* The points inside are a grid. Diagonals of its cells run away from the middle. A row or column of cells in the middle
 * belongs to the half that comes first on the way round: that of u = 0 to its lower half, and so on. */
static void add_grid(struct tess_patch *patch, const struct tess_edge inner[2], uint32_t first)
{
    const uint32_t width = inner[0].segments - 1, height = inner[1].segments - 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++)
            add_point(patch, tess_edge_place(&inner[0], x + 1), tess_edge_place(&inner[1], y + 1));
    }
    for (uint32_t y = 0; y + 1 < height; y++) {
        for (uint32_t x = 0; x + 1 < width; x++) {
            const uint32_t a = first + y * width + x, b = a + 1, c = b + width, d = a + width;
            const bool is_middle_x = x * 2 + 2 == width, is_middle_y = y * 2 + 2 == height;
            const bool is_right = is_middle_x ? y * 2 + 1 >= height : x * 2 + 1 >= width,
                       is_low = is_middle_y ? x * 2 + 1 < width : y * 2 + 1 >= height;
            if (is_right == is_low) {
                add_triangle(patch, a, b, c);
                add_triangle(patch, a, c, d);
            } else {
                add_triangle(patch, a, b, d);
                add_triangle(patch, b, c, d);
            }
        }
    }
}

static void tessellate_quad(const struct tess_mode *mode, const struct tess_levels *levels, struct tess_patch *patch)
{
    static const uint8_t level_of_edge[4] = {1, 2, 3, 0};
    struct side outside[4];
    bool is_cut = false;
    for (unsigned e = 0; e < 4; e++) {
        const struct tess_edge edge = tess_edge_of(mode, levels->outer[level_of_edge[e]], false);
        is_cut |= edge.segments > 1;
        outside[e] = (struct side){.first = patch->point_count, .segments = edge.segments, .step = 1};
        for (uint32_t i = 0; i < edge.segments; i++)
            add_quad_point(patch, e, tess_edge_place(&edge, i));
    }
    for (unsigned e = 0; e < 4; e++)
        outside[e].last = outside[(e + 1) % 4].first;
    struct tess_edge inner[2];
    for (unsigned i = 0; i < 2; i++) {
        inner[i] = tess_edge_of(mode, levels->inner[i], false);
        is_cut |= inner[i].segments > 1;
    }
    if (!is_cut) {
        add_triangle(patch, 0, 1, 3);
        add_triangle(patch, 1, 2, 3);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        inner[i] = tess_edge_of(mode, levels->inner[i], true);
    const uint32_t a = patch->point_count, width = inner[0].segments - 1, height = inner[1].segments - 1;
    const uint32_t b = a + width - 1, c = b + (height - 1) * width, d = c - (width - 1);
    const struct side inside[4] = {
        {.first = a, .segments = width - 1, .last = b, .step = 1},
        {.first = b, .segments = height - 1, .last = c, .step = (int32_t)width},
        {.first = c, .segments = width - 1, .last = d, .step = -1},
        {.first = d, .segments = height - 1, .last = a, .step = -(int32_t)width},
    };
    add_grid(patch, inner, a);
    for (unsigned e = 0; e < 4; e++)
        join_sides(patch, &outside[e], &inside[e]);
}

/* ---- isolines ---- */

/* Lines of constant v; there is none at v = 1. How many there are never depends on the spacing. */
static void tessellate_isolines(const struct tess_mode *mode, const struct tess_levels *levels,
                                struct tess_patch *patch)
{
    struct tess_mode equal = *mode;
    equal.spacing = TESS_SPACING_EQUAL;
    const struct tess_edge lines = tess_edge_of(&equal, levels->outer[0], false),
                           line = tess_edge_of(mode, levels->outer[1], false);
    for (uint32_t y = 0; y < lines.segments; y++) {
        for (uint32_t x = 0; x <= line.segments; x++) {
            const uint32_t point = add_point(patch, tess_edge_place(&line, x), tess_edge_place(&lines, y));
            if (x)
                add_triangle(patch, point - 1, point, point);
        }
    }
}

/* ---- all domains ---- */

static void make_points(struct tess_patch *patch)
{
    patch->prim_count = patch->point_count;
    for (uint32_t i = 0; i < patch->point_count; i++)
        patch->prims[i][0] = patch->prims[i][1] = patch->prims[i][2] = (uint16_t)i;
}

static void turn_round(struct tess_patch *patch)
{
    for (uint32_t i = 0; i < patch->prim_count; i++) {
        const uint16_t second = patch->prims[i][1];
        patch->prims[i][1] = patch->prims[i][2];
        patch->prims[i][2] = second;
    }
}

void tessellate(const struct tess_mode *mode, const struct tess_levels *levels, struct tess_patch *patch_out)
{
    static const uint8_t edges[] = {[TESS_DOMAIN_ISOLINES] = 2, [TESS_DOMAIN_TRIANGLES] = 3, [TESS_DOMAIN_QUADS] = 4};
    static const uint8_t vertices[] = {
        [TESS_OUTPUT_POINTS] = 1, [TESS_OUTPUT_LINES] = 2, [TESS_OUTPUT_CW] = 3, [TESS_OUTPUT_CCW] = 3};
    patch_out->point_count = patch_out->prim_count = 0;
    patch_out->prim_vertices = vertices[mode->output];
    for (unsigned e = 0; e < edges[mode->domain]; e++) {
        if (!(levels->outer[e] > 0)) /* or no number */
            return;
    }
    switch (mode->domain) {
    case TESS_DOMAIN_ISOLINES:
        tessellate_isolines(mode, levels, patch_out);
        break;
    case TESS_DOMAIN_TRIANGLES:
        tessellate_triangle(mode, levels, patch_out);
        break;
    case TESS_DOMAIN_QUADS:
        tessellate_quad(mode, levels, patch_out);
        break;
    }
    if (mode->output == TESS_OUTPUT_POINTS)
        make_points(patch_out);
    else if (mode->output == TESS_OUTPUT_CCW)
        turn_round(patch_out);
}
