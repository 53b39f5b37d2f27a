/* See reference.h. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

struct point {
    double x, y;
};

/* In pixels; the corners clockwise as seen, so that the inside is where all edges are positive. */
struct triangle {
    struct point corner[3];
    double area; /* doubled */
    const struct draw_vertex *vertex[3];
};

struct reference reference_make(const struct bench *b, const struct draw_target *target, bool blend)
{
    struct reference r = {.size = target->color.width,
                          .samples = target->samples,
                          .subpixel_bits = b->properties.limits.subPixelPrecisionBits,
                          .depth = target->depth.image != VK_NULL_HANDLE,
                          .blend = blend};
    size_t samples = (size_t)r.size * r.size * r.samples;
    r.color = calloc(samples, 4);
    r.nearest = malloc(samples * sizeof(*r.nearest));
    bench_need(r.color && r.nearest && (r.samples == 1 || r.samples == 4), "a reference of one or four samples");
    for (size_t i = 0; i < samples; i++)
        r.nearest[i] = 1;
    return r;
}

static double edge(struct point a, struct point b, struct point p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static struct triangle set_up(const struct reference *r, const struct draw_vertex *vertices)
{
    struct triangle t;
    double steps = (double)(1u << r->subpixel_bits);
    for (int i = 0; i < 3; i++) {
        const float *position = vertices[i].position;
        t.vertex[i] = &vertices[i];
        t.corner[i] = (struct point){rint((position[0] * 0.5 + 0.5) * r->size * steps) / steps,
                                     rint((position[1] * 0.5 + 0.5) * r->size * steps) / steps};
    }
    t.area = edge(t.corner[0], t.corner[1], t.corner[2]);
    if (t.area < 0) {
        struct point corner = t.corner[1];
        const struct draw_vertex *vertex = t.vertex[1];
        t.corner[1] = t.corner[2];
        t.vertex[1] = t.vertex[2];
        t.corner[2] = corner;
        t.vertex[2] = vertex;
        t.area = -t.area;
    }
    return t;
}

/* A sample on an edge belongs to the triangle if that is a left one or a flat upper one. */
static bool covers_point(const struct triangle *t, struct point p)
{
    for (int i = 0; i < 3; i++) {
        struct point a = t->corner[i], b = t->corner[(i + 1) % 3];
        double side = edge(a, b, p);
        bool first = b.y < a.y || (b.y == a.y && b.x > a.x);
        if (side < 0 || (side == 0 && !first))
            return false;
    }
    return true;
}

static uint8_t to_unorm(double value)
{
    return (uint8_t)(fmin(fmax(value, 0), 1) * 255 + 0.5);
}

static void write_sample(const struct reference *r, uint8_t *out, const double color[4])
{
    double alpha = fmin(fmax(color[3], 0), 1);
    for (int c = 0; c < 4; c++) {
        double factor = c < 3 ? alpha : 1;
        out[c] = to_unorm(r->blend ? fmin(fmax(color[c], 0), 1) * factor + out[c] / 255.0 * (1 - alpha) : color[c]);
    }
}

/* Depth is the first corner's: the scenes draw triangles that face the eye. */
static void draw_pixel(struct reference *r, const struct triangle *t, uint32_t x, uint32_t y)
{
    static const struct point standard[4] = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
    const struct point center = {x + 0.5, y + 0.5};
    double color[4] = {0};
    bool shaded = false;
    for (uint32_t s = 0; s < r->samples; s++) {
        struct point p = r->samples == 1 ? center : (struct point){x + standard[s].x, y + standard[s].y};
        if (!covers_point(t, p))
            continue;
        size_t index = ((size_t)y * r->size + x) * r->samples + s;
        float z = t->vertex[0]->position[2];
        if (r->depth && !(z < r->nearest[index]))
            continue;
        r->nearest[index] = z;
        if (!shaded) {
            for (int c = 0; c < 4; c++) {
                for (int i = 0; i < 3; i++)
                    color[c] +=
                        edge(t->corner[(i + 1) % 3], t->corner[(i + 2) % 3], center) / t->area * t->vertex[i]->color[c];
            }
            shaded = true;
        }
        write_sample(r, r->color + index * 4, color);
    }
}

static uint32_t to_pixel(const struct reference *r, double place)
{
    return (uint32_t)fmin(fmax(floor(place), 0), r->size - 1.0);
}

void reference_draw(struct reference *r, const struct draw_vertex *vertices, uint32_t vertex_count)
{
    for (uint32_t first = 0; first + 3 <= vertex_count; first += 3) {
        struct triangle t = set_up(r, vertices + first);
        if (t.area == 0)
            continue;
        const struct point *c = t.corner;
        uint32_t left = to_pixel(r, fmin(fmin(c[0].x, c[1].x), c[2].x)),
                 right = to_pixel(r, fmax(fmax(c[0].x, c[1].x), c[2].x)),
                 top = to_pixel(r, fmin(fmin(c[0].y, c[1].y), c[2].y)),
                 bottom = to_pixel(r, fmax(fmax(c[0].y, c[1].y), c[2].y));
        for (uint32_t y = top; y <= bottom; y++) {
            for (uint32_t x = left; x <= right; x++)
                draw_pixel(r, &t, x, y);
        }
    }
}

static bool pixel_matches(const struct reference *r, size_t pixel, uint32_t texel, int tolerance)
{
    for (int c = 0; c < 4; c++) {
        int sum = 0;
        for (uint32_t s = 0; s < r->samples; s++)
            sum += r->color[(pixel * r->samples + s) * 4 + c];
        int wanted = (sum + (int)r->samples / 2) / (int)r->samples;
        if (abs(wanted - (int)(texel >> c * 8 & 255)) > tolerance)
            return false;
    }
    return true;
}

bool reference_matches(const struct reference *r, const uint32_t *texels, int tolerance, uint32_t most_wrong)
{
    size_t pixels = (size_t)r->size * r->size, wrong = 0;
    for (size_t i = 0; i < pixels; i++)
        wrong += !pixel_matches(r, i, texels[i], tolerance);
    return wrong * 1000 <= pixels * most_wrong;
}
