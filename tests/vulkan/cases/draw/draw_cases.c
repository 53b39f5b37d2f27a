/* Draws: coverage, interpolation, indices, topologies, state. Positions stand on multiples of 1/256 of a pixel, so that
 * coverage is exact on every driver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/draw/draw.h"

#define SIZE 64

/* A vertex at a place on the screen (1/256 of a pixel), with a w of its own. */
static struct dr_vertex at(int32_t x, int32_t y, float z, float w, float r, float g, float b, float a)
{
    return (struct dr_vertex){{((float)x / (SIZE * 128.0f) - 1) * w, ((float)y / (SIZE * 128.0f) - 1) * w, z * w, w},
                              {r, g, b, a}};
}

/* ---- coverage ---- */

struct triangle {
    int32_t corners[3][2];
    int color[4]; /* inside */
    int other[4]; /* outside */
};

static void expect_triangle(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const struct triangle *t = argument;
    bool inside = dr_inside(t->corners, (int32_t)x * 256 + 128, (int32_t)y * 256 + 128);
    memcpy(out, inside ? t->color : t->other, sizeof(t->color));
}

static void draw_triangle(struct dr *dr, const int32_t corners[3][2], float z, const float color[4])
{
    struct dr_vertex vertices[3];
    for (unsigned i = 0; i < 3; i++)
        vertices[i] = at(corners[i][0], corners[i][1], z, 1, color[0], color[1], color[2], color[3]);
    dr_draw(dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 3});
}

static const struct triangle triangles[] = {
    {{{32 * 256, 4 * 256}, {60 * 256, 60 * 256}, {4 * 256, 60 * 256}}, {255, 0, 0, 255}, {0, 0, 255, 255}},
    {{{128, 128}, {128 + 40 * 256, 128}, {128, 128 + 40 * 256}},
     {255, 0, 0, 255},
     {0, 0, 255, 255}}, /* edges through pixel centres */
    {{{10 * 256 + 7, 3 * 256 + 99}, {61 * 256 + 201, 30 * 256 + 1}, {5 * 256 + 77, 63 * 256 + 250}},
     {255, 0, 0, 255},
     {0, 0, 255, 255}},
    {{{20 * 256 + 100, 20 * 256 + 100}, {20 * 256 + 160, 20 * 256 + 100}, {20 * 256 + 100, 20 * 256 + 160}},
     {255, 0, 0, 255},
     {0, 0, 255, 255}}, /* one pixel */
    {{{-100 * 256, -50 * 256}, {200 * 256, 30 * 256}, {-20 * 256, 300 * 256}},
     {255, 0, 0, 255},
     {0, 0, 255, 255}}, /* far outside */
};

static void case_coverage(struct vt *vt, const void *argument)
{
    const struct triangle *t = argument;
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .clear = {0, 0, 1, 1}});
    draw_triangle(&dr, t->corners, 0.5f, (const float[4]){1, 0, 0, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_triangle, t, 0, "a triangle");
}

static void expect_clear(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    memcpy(out, (const int[4]){51, 102, 153, 204}, 4 * sizeof(int));
}

static void case_clear(struct vt *vt, const void *argument)
{
    const uint32_t *size = argument;
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.width = size[0],
                                .height = size[1],
                                .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                .clear = {0.2f, 0.4f, 0.6f, 0.8f}});
    dr_end(&dr);
    dr_expect(&dr, expect_clear, NULL, 0, "the clear");
}
static const uint32_t clear_sizes[][2] = {{1, 1}, {64, 64}, {100, 37}, {513, 300}};

/* Random triangles over each other: the last one wins, whatever order they are shaded in. */
struct pile {
    uint32_t count;
    struct triangle t[200];
};

static void expect_pile(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const struct pile *pile = argument;
    memset(out, 0, 4 * sizeof(int));
    for (uint32_t i = pile->count; i-- > 0;) {
        if (dr_inside(pile->t[i].corners, (int32_t)x * 256 + 128, (int32_t)y * 256 + 128)) {
            memcpy(out, pile->t[i].color, 4 * sizeof(int));
            return;
        }
    }
}

static void case_order(struct vt *vt, const void *argument)
{
    static struct pile pile;
    struct dr_vertex vertices[600];
    uint64_t seed = 1;
    pile.count = 200;
    for (uint32_t i = 0; i < pile.count; i++) {
        for (unsigned c = 0; c < 4; c++)
            pile.t[i].color[c] = (int)(vt_random(&seed) % 256);
        for (unsigned v = 0; v < 3; v++) {
            pile.t[i].corners[v][0] = (int32_t)(vt_random(&seed) % (SIZE * 256));
            pile.t[i].corners[v][1] = (int32_t)(vt_random(&seed) % (SIZE * 256));
            const int *k = pile.t[i].color;
            vertices[i * 3 + v] = at(pile.t[i].corners[v][0], pile.t[i].corners[v][1], 0, 1, (float)k[0] / 255,
                                     (float)k[1] / 255, (float)k[2] / 255, (float)k[3] / 255);
        }
    }
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = 1});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = pile.count * 3});
    dr_end(&dr);
    dr_expect(&dr, expect_pile, &pile, 0, "the last triangle");
}

/* ---- interpolation ---- */

struct gradient {
    int what; /* of draw.frag */
    float w[3];
};

static void expect_gradient(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const struct gradient *g = argument;
    double px = (x + 0.5) / SIZE, py = (y + 0.5) / SIZE;
    /* corners (0, 0), (2, 0), (0, 2) in units of the target */
    double b[3] = {1 - px / 2 - py / 2, px / 2, py / 2}, sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (g->what == 0)
            b[i] /= g->w[i];
        if (g->what == 1)
            b[i] = i == 0;
        sum += b[i];
    }
    for (unsigned i = 0; i < 3; i++)
        out[i] = (int)lrint(b[i] / sum * 255);
    out[3] = 255;
}

static void case_gradient(struct vt *vt, const void *argument)
{
    const struct gradient *g = argument;
    const struct dr_vertex vertices[3] = {at(0, 0, 0, g->w[0], 1, 0, 0, 1), at(SIZE * 512, 0, 0, g->w[1], 0, 1, 0, 1),
                                          at(0, SIZE * 512, 0, g->w[2], 0, 0, 1, 1)};
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = g->what});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 3});
    dr_end(&dr);
    dr_expect(&dr, expect_gradient, g, 1, "a gradient");
}
static const struct gradient gradients[] = {
    {0, {1, 1, 1}}, {0, {1, 2, 5}}, {0, {0.01f, 3, 100}}, {1, {1, 2, 5}}, {2, {1, 1, 1}}};

static void expect_position(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    out[0] = (int)x;
    out[1] = (int)y;
    out[2] = (int)lrint(0.25 * 255);
    out[3] = (int)lrint(0.5 * 255);
}

static void case_position(struct vt *vt, const void *argument)
{
    const struct dr_vertex vertices[3] = {at(0, 0, 0.25f, 2, 1, 0, 0, 1), at(SIZE * 512, 0, 0.25f, 2, 0, 1, 0, 1),
                                          at(0, SIZE * 512, 0.25f, 2, 0, 0, 1, 1)};
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = 3});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 3});
    dr_end(&dr);
    dr_expect(&dr, expect_position, NULL, 1, "gl_FragCoord");
}

static void expect_derivative(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    memcpy(out, (const int[4]){255, 255, 64, 255}, 4 * sizeof(int));
}

static void case_derivative(struct vt *vt, const void *argument)
{
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = 7});
    draw_triangle(&dr, (const int32_t[3][2]){{0, 0}, {SIZE * 512, 0}, {0, SIZE * 512}}, 0,
                  (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_derivative, NULL, 0, "derivatives");
}

/* ---- indices, instances, topologies: squares of 8 pixels, row by row ---- */

static struct dr_vertex grid_vertex(unsigned x, unsigned y, unsigned shade)
{
    float value = (float)shade / 255;
    return at((int32_t)x * 8 * 256, (int32_t)y * 8 * 256, 0, 1, value, value, value, 1);
}

struct squares {
    int shade[8][8]; /* -1: background */
};

static void expect_squares(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const struct squares *squares = argument;
    int shade = squares->shade[y / 8][x / 8];
    out[0] = out[1] = out[2] = shade < 0 ? 0 : shade;
    out[3] = shade < 0 ? 0 : 255;
}

static void no_squares(struct squares *squares)
{
    memset(squares, 0xff, sizeof(*squares));
}

/* Draws that go different ways through one program, in large triangles and in many small ones. */
static void expect_ways(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const int color[3] = {(int)(x / 8) * 30, (int)(y / 8) * 20, 255}, way = (int)(x / 8 + y / 8 * 8) * 5 % 3;
    for (int c = 0; c < 3; c++)
        out[c] = way == 2 ? color[(c + 1) % 3] : way == 1 ? 255 - color[c] : color[c];
    out[3] = 255;
}

static void draw_ways(struct vt *vt, int shader, void (*expect)(const void *, uint32_t, uint32_t, int *), int tolerance)
{
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .shader = shader});
    for (unsigned i = 0; i < 64; i++) {
        const unsigned x = i % 8, y = i / 8, steps = i & 2 ? 16 : 1;
        const float r = (float)(x * 30) / 255, g = (float)(y * 20) / 255;
        struct dr_vertex vertices[2 * 17];
        for (unsigned v = 0; v < 2 * (steps + 1); v++)
            vertices[v] = at((int32_t)(x * 8 * 256 + v / 2 * (8 * 256 / steps)), (int32_t)(y + v % 2) * 8 * 256, 0, 1,
                             r, g, 1, 1);
        dr_set_way(&dr, (float)(i * 5 % 3));
        dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 2 * (steps + 1)});
    }
    dr_end(&dr);
    dr_expect(&dr, expect, NULL, tolerance, "the way of the draw");
}

static void case_ways(struct vt *vt, const void *argument)
{
    draw_ways(vt, DR_WAYS, expect_ways, 1);
}

static uint32_t stirred(uint32_t v)
{
    v = v * 1664525u + 1013904223u;
    return v & 0x10000 ? v ^ v >> 11 : v + 77;
}

/* draw_lanes.frag. */
static void expect_lanes(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const int way = (int)(x / 8 + y / 8 * 8) * 5 % 3;
    uint32_t v = x * 31 ^ y * 17;
    bool is_there = true;
    if (x & 8) {
        for (int i = 0; i < 6; i++)
            v = stirred(v);
        is_there = (v & 7) != 3;
        v = way == 2 && y & 1 ? stirred(v ^ 5) : v;
    } else if (y & 2) {
        v += 4096;
        is_there = way != 0 || (x & 3) != 1;
    } else {
        v = v * v;
    }
    v = v & 64 && way ? ~v : v;
    for (int c = 0; c < 3; c++)
        out[c] = is_there ? (int)(v >> 8 * c & 255) : 0;
    out[3] = is_there ? 255 : 0;
}

static void case_lanes(struct vt *vt, const void *argument)
{
    draw_ways(vt, DR_LANES, expect_lanes, 0);
}

struct indexed {
    VkIndexType type;
    uint32_t first_index, vertex_offset;
};

static void case_indexed(struct vt *vt, const void *argument)
{
    const struct indexed *in = argument;
    struct dr_vertex vertices[200];
    uint32_t indices32[400], vertex_count = in->vertex_offset, index_count = in->first_index;
    uint16_t indices16[400];
    struct squares squares;
    no_squares(&squares);
    memset(vertices, 0, sizeof(vertices));
    memset(indices32, 0, sizeof(indices32));
    for (unsigned i = 0; i < 30; i++) {
        unsigned x = i * 7 % 8, y = i * 5 % 8, first = vertex_count - in->vertex_offset;
        squares.shade[y][x] = (int)i * 8 + 7;
        for (unsigned v = 0; v < 4; v++)
            vertices[vertex_count++] = grid_vertex(x + (v & 1), y + v / 2, i * 8 + 7);
        const unsigned order[6] = {0, 1, 2, 2, 1, 3};
        for (unsigned k = 0; k < 6; k++)
            indices32[index_count++] = first + order[k];
    }
    for (unsigned i = 0; i < index_count; i++)
        indices16[i] = (uint16_t)indices32[i];
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = 1});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices,
                                   .vertex_count = vertex_count,
                                   .indices = in->type == VK_INDEX_TYPE_UINT32 ? (const void *)indices32 : indices16,
                                   .index_type = in->type,
                                   .index_count = index_count,
                                   .first_vertex = in->vertex_offset,
                                   .first_index = in->first_index});
    dr_end(&dr);
    dr_expect(&dr, expect_squares, &squares, 0, "indexed squares");
}
static const struct indexed indexed_cases[] = {{VK_INDEX_TYPE_UINT16, 0, 0},
                                               {VK_INDEX_TYPE_UINT32, 0, 0},
                                               {VK_INDEX_TYPE_UINT16, 6, 5},
                                               {VK_INDEX_TYPE_UINT32, 13, 9}};

/* Strips and fans, cut by restart. */
struct strips {
    VkPrimitiveTopology topology;
    VkIndexType type;
};

static void case_restart(struct vt *vt, const void *argument)
{
    const struct strips *s = argument;
    struct dr_vertex vertices[100];
    uint16_t indices16[200];
    uint32_t indices32[200], vertex_count = 0, index_count = 0;
    struct squares squares;
    no_squares(&squares);
    for (unsigned i = 0; i < 20; i++) {
        unsigned x = i * 3 % 8, y = i * 5 % 8;
        const unsigned strip[4] = {0, 1, 2, 3}, fan[4] = {0, 1, 3, 2};
        squares.shade[y][x] = (int)i * 12 + 3;
        for (unsigned v = 0; v < 4; v++)
            indices32[index_count++] =
                vertex_count + (s->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ? strip : fan)[v];
        indices32[index_count++] = UINT32_MAX;
        for (unsigned v = 0; v < 4; v++)
            vertices[vertex_count++] = grid_vertex(x + (v & 1), y + v / 2, i * 12 + 3);
    }
    for (unsigned i = 0; i < index_count; i++)
        indices16[i] = (uint16_t)indices32[i];
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = s->topology, .restart = true, .fragment = 1});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices,
                                   .vertex_count = vertex_count,
                                   .indices = s->type == VK_INDEX_TYPE_UINT32 ? (const void *)indices32 : indices16,
                                   .index_type = s->type,
                                   .index_count = index_count});
    dr_end(&dr);
    dr_expect(&dr, expect_squares, &squares, 0, "strips");
}
static const struct strips restart_cases[] = {{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_INDEX_TYPE_UINT16},
                                              {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_INDEX_TYPE_UINT32},
                                              {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, VK_INDEX_TYPE_UINT16},
                                              {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, VK_INDEX_TYPE_UINT32}};

static void case_instances(struct vt *vt, const void *argument)
{
    uint32_t first = *(const uint32_t *)argument;
    struct squares squares;
    no_squares(&squares);
    for (unsigned i = first; i < 8; i++)
        squares.shade[i][i] = 200;
    const struct dr_vertex vertices[6] = {grid_vertex(0, 0, 200), grid_vertex(1, 0, 200), grid_vertex(0, 1, 200),
                                          grid_vertex(0, 1, 200), grid_vertex(1, 0, 200), grid_vertex(1, 1, 200)};
    struct dr dr;
    dr_begin(
        &dr, vt,
        &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .instance_offset = {0.25f, 0.25f, 0, 0}});
    dr_draw(&dr, &(struct dr_draw){
                     .vertices = vertices, .vertex_count = 6, .instance_count = 8 - first, .first_instance = first});
    dr_end(&dr);
    dr_expect(&dr, expect_squares, &squares, 0, "instances");
}
static const uint32_t first_instances[] = {0, 3};

/* A pass whose only draws come to nothing. */
static void case_no_instances(struct vt *vt, const void *argument)
{
    const struct dr_vertex vertices[3] = {grid_vertex(0, 0, 200), grid_vertex(1, 0, 200), grid_vertex(0, 1, 200)};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    const VkDeviceSize offset = 0;
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .clear = {0.2f, 0.4f, 0.6f, 0.8f}});
    vkCmdBindVertexBuffers(dr.commands, 0, 1, &buffer.buffer, &offset);
    vkCmdDraw(dr.commands, 3, 0, 0, 0);
    vkCmdDraw(dr.commands, 0, 1, 0, 0);
    dr_end(&dr);
    dr_expect(&dr, expect_clear, NULL, 0, "the clear");
}

static void case_points(struct vt *vt, const void *argument)
{
    struct squares squares;
    struct dr_vertex vertices[8];
    no_squares(&squares);
    for (unsigned i = 0; i < 8; i++) {
        float value = (float)(i * 20 + 40) / 255;
        squares.shade[i][7 - i] = (int)i * 20 + 40;
        vertices[i] = at((int32_t)((7 - i) * 8 + 4) * 256, (int32_t)(i * 8 + 4) * 256, 0, 1, value, value, value, 1);
    }
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .point_size = 8});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 8});
    dr_end(&dr);
    dr_expect(&dr, expect_squares, &squares, 0, "points");
}

/* Lines through pixel centres along the axes. */
static void expect_lines(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    bool on = (y == 20 && x >= 10 && x < 50) || (x == 30 && y >= 5 && y < 60);
    out[0] = out[1] = out[2] = on ? 255 : 0;
    out[3] = on ? 255 : 0;
}

static void case_lines(struct vt *vt, const void *argument)
{
    const struct dr_vertex vertices[4] = {
        at(10 * 256, 20 * 256 + 128, 0, 1, 1, 1, 1, 1), at(50 * 256, 20 * 256 + 128, 0, 1, 1, 1, 1, 1),
        at(30 * 256 + 128, 5 * 256, 0, 1, 1, 1, 1, 1), at(30 * 256 + 128, 60 * 256, 0, 1, 1, 1, 1, 1)};
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 4});
    dr_end(&dr);
    dr_expect(&dr, expect_lines, NULL, 0, "lines");
}

/* ---- state ---- */

struct facing {
    VkCullModeFlags cull;
    VkFrontFace front;
    bool clockwise; /* on the screen */
};

static void expect_one_color(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    memcpy(out, argument, 4 * sizeof(int));
}

static const int32_t whole[2][3][2] = {{{0, 0}, {SIZE * 512, 0}, {0, SIZE * 512}},
                                       {{0, 0}, {0, SIZE * 512}, {SIZE * 512, 0}}};

static void case_facing(struct vt *vt, const void *argument)
{
    const struct facing *f = argument;
    bool is_front = f->clockwise == (f->front == VK_FRONT_FACE_CLOCKWISE);
    bool drawn = !(f->cull & (is_front ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT));
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){
                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .cull = f->cull, .front = f->front, .fragment = 5});
    draw_triangle(&dr, whole[!f->clockwise], 0, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    const int color[4] = {drawn && !is_front ? 255 : 0, drawn && is_front ? 255 : 0, 0, drawn ? 255 : 0};
    dr_expect(&dr, expect_one_color, color, 0, "facing");
}
static const struct facing facings[] = {
    {VK_CULL_MODE_NONE, VK_FRONT_FACE_CLOCKWISE, true},
    {VK_CULL_MODE_NONE, VK_FRONT_FACE_COUNTER_CLOCKWISE, true},
    {VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_CLOCKWISE, true},
    {VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_CLOCKWISE, false},
    {VK_CULL_MODE_FRONT_BIT, VK_FRONT_FACE_CLOCKWISE, true},
    {VK_CULL_MODE_FRONT_BIT, VK_FRONT_FACE_COUNTER_CLOCKWISE, true},
    {VK_CULL_MODE_FRONT_AND_BACK, VK_FRONT_FACE_CLOCKWISE, true},
};

static void expect_scissor(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    bool inside = x >= 10 && x < 43 && y >= 7 && y < 50;
    memcpy(out, inside ? (const int[4]){255, 255, 0, 255} : (const int[4]){0, 0, 0, 0}, 4 * sizeof(int));
}

static void case_scissor(struct vt *vt, const void *argument)
{
    const VkRect2D scissor = {{10, 7}, {33, 43}};
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .scissor = &scissor});
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 1, 0, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_scissor, NULL, 0, "the scissor");
}

static void case_viewport(struct vt *vt, const void *argument)
{
    const VkViewport viewport = {10, 7, 33, 43, 0, 1};
    const struct dr_vertex vertices[4] = {{{-1, -1, 0, 1}, {1, 1, 0, 1}},
                                          {{1, -1, 0, 1}, {1, 1, 0, 1}},
                                          {{-1, 1, 0, 1}, {1, 1, 0, 1}},
                                          {{1, 1, 0, 1}, {1, 1, 0, 1}}};
    struct dr dr;
    dr_begin(&dr, vt, &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .viewport = &viewport});
    dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 4});
    dr_end(&dr);
    dr_expect(&dr, expect_scissor, NULL, 0, "the viewport");
}

static void expect_chess(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    bool hole = (x ^ y) & 1;
    memcpy(out, hole ? (const int[4]){0, 0, 255, 255} : (const int[4]){255, 0, 0, 255}, 4 * sizeof(int));
}

static void case_discard(struct vt *vt, const void *argument)
{
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .fragment = 4, .clear = {0, 0, 1, 1}});
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 0, 0, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_chess, NULL, 0, "discard");
}

static void case_mask(struct vt *vt, const void *argument)
{
    VkColorComponentFlags hide = *(const uint32_t *)argument;
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .hide = hide, .clear = {0, 0, 1, 0}});
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 1, 0, 1});
    dr_end(&dr);
    const int color[4] = {hide & 1 ? 0 : 255, hide & 2 ? 0 : 255, hide & 4 ? 255 : 0, hide & 8 ? 0 : 255};
    dr_expect(&dr, expect_one_color, color, 0, "the write mask");
}
static const uint32_t masks[] = {1, 2, 4, 8, 5, 15};

/* ---- depth ---- */

struct depth {
    VkFormat format;
    VkCompareOp op;
};

static bool comparison_passes(VkCompareOp op, float a, float b)
{
    return op == VK_COMPARE_OP_ALWAYS || (op & 1 && a < b) || (op & 2 && a == b) || (op & 4 && a > b);
}

/* The buffer has 0.25, 0.5 and 0.75 in thirds; 0.5 is drawn over it. */
static void expect_depth(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    const struct depth *d = argument;
    const float stored[] = {0.25f, 0.5f, 0.75f};
    bool pass = comparison_passes(d->op, 0.5f, stored[x / 8 % 3]);
    memcpy(out, pass ? (const int[4]){255, 255, 255, 255} : (const int[4]){0, 0, 255, 255}, 4 * sizeof(int));
}

static void case_depth(struct vt *vt, const void *argument)
{
    const struct depth *d = argument;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, d->format, &properties);
    if (!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
        vt_skip(vt, "no such depth format");
    struct dr_setup setup = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                             .depth_format = d->format,
                             .depth_test = true,
                             .depth_write = true,
                             .depth_compare = VK_COMPARE_OP_ALWAYS,
                             .clear_depth = 1};
    struct dr dr;
    dr_begin(&dr, vt, &setup);
    for (unsigned i = 0; i < 8; i++) {
        const float stored[] = {0.25f, 0.5f, 0.75f};
        const int32_t x0 = (int32_t)i * 8 * 256, x1 = x0 + 8 * 256;
        draw_triangle(&dr, (const int32_t[3][2]){{x0, 0}, {x1, 0}, {x0, SIZE * 256}}, stored[i % 3],
                      (const float[4]){0, 0, 1, 1});
        draw_triangle(&dr, (const int32_t[3][2]){{x1, 0}, {x1, SIZE * 256}, {x0, SIZE * 256}}, stored[i % 3],
                      (const float[4]){0, 0, 1, 1});
    }
    setup.depth_compare = d->op;
    dr_change(&dr, &setup);
    draw_triangle(&dr, whole[0], 0.5f, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_depth, d, 0, "the depth test");
    if (d->format == VK_FORMAT_D32_SFLOAT) {
        for (unsigned i = 0; i < SIZE * SIZE; i++) {
            const float stored[] = {0.25f, 0.5f, 0.75f};
            float was = stored[i % SIZE / 8 % 3], wanted = comparison_passes(d->op, 0.5f, was) ? 0.5f : was;
            if (((const float *)dr.depth_readback.map)[i] != wanted)
                vt_fail(vt, "depth %u is %g, not %g", i, ((const float *)dr.depth_readback.map)[i], wanted);
        }
    }
}
static const struct depth depths[] = {
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_NEVER},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_EQUAL},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS_OR_EQUAL},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_GREATER},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_NOT_EQUAL},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_GREATER_OR_EQUAL},
    {VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_ALWAYS},
    {VK_FORMAT_D16_UNORM, VK_COMPARE_OP_LESS},
    {VK_FORMAT_D16_UNORM, VK_COMPARE_OP_GREATER_OR_EQUAL},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_COMPARE_OP_LESS},
    {VK_FORMAT_D16_UNORM_S8_UINT, VK_COMPARE_OP_LESS},
    {VK_FORMAT_D24_UNORM_S8_UINT, VK_COMPARE_OP_LESS},
};

/* The shader's own depth decides. */
static void case_depth_export(struct vt *vt, const void *argument)
{
    struct dr_setup setup = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                             .depth_format = VK_FORMAT_D32_SFLOAT,
                             .depth_test = true,
                             .depth_write = true,
                             .depth_compare = VK_COMPARE_OP_LESS,
                             .clear_depth = 0.5f,
                             .shader = DR_DEPTH_EXPORT};
    struct dr dr;
    dr_begin(&dr, vt, &setup);
    draw_triangle(&dr, whole[0], 0.0f, (const float[4]){1, 0, 0, 0.75f});
    draw_triangle(&dr, whole[0], 0.9f, (const float[4]){0, 1, 0, 0.25f});
    draw_triangle(&dr, whole[0], 0.0f, (const float[4]){0, 0, 1, 0.5f});
    dr_end(&dr);
    dr_expect(&dr, expect_one_color, (const int[4]){0, 255, 0, 64}, 0, "exported depth");
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        if (((const float *)dr.depth_readback.map)[i] != 0.25f)
            vt_fail(vt, "depth %u is %g", i, ((const float *)dr.depth_readback.map)[i]);
    }
}

/* ---- stencil ---- */

struct stencil {
    VkStencilOp op;
    uint32_t start, reference, wanted;
};

static void case_stencil(struct vt *vt, const void *argument)
{
    const struct stencil *s = argument;
    struct dr_setup setup = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                             .depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                             .stencil = true,
                             .clear_stencil = s->start,
                             .clear = {0, 0, 1, 1}};
    setup.stencil_op = (VkStencilOpState){.passOp = s->op,
                                          .failOp = VK_STENCIL_OP_KEEP,
                                          .depthFailOp = VK_STENCIL_OP_KEEP,
                                          .compareOp = VK_COMPARE_OP_ALWAYS,
                                          .compareMask = 0xff,
                                          .writeMask = 0xff,
                                          .reference = s->reference};
    struct dr dr;
    dr_begin(&dr, vt, &setup);
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 0, 0, 1});
    setup.stencil_op = (VkStencilOpState){
        .compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0xff, .writeMask = 0xff, .reference = s->wanted};
    dr_change(&dr, &setup);
    draw_triangle(&dr, whole[0], 0, (const float[4]){0, 1, 0, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_one_color, (const int[4]){0, 255, 0, 255}, 0, "stencil");
}
static const struct stencil stencils[] = {
    {VK_STENCIL_OP_KEEP, 9, 3, 9},
    {VK_STENCIL_OP_ZERO, 9, 3, 0},
    {VK_STENCIL_OP_REPLACE, 9, 3, 3},
    {VK_STENCIL_OP_INCREMENT_AND_CLAMP, 254, 3, 255},
    {VK_STENCIL_OP_INCREMENT_AND_CLAMP, 255, 3, 255},
    {VK_STENCIL_OP_DECREMENT_AND_CLAMP, 0, 3, 0},
    {VK_STENCIL_OP_INVERT, 0x35, 3, 0xca},
    {VK_STENCIL_OP_INCREMENT_AND_WRAP, 255, 3, 0},
    {VK_STENCIL_OP_DECREMENT_AND_WRAP, 0, 3, 255},
};

/* ---- blending ---- */

struct blend {
    VkBlendFactor source, destination;
    VkBlendOp op;
};

static float factor_of(VkBlendFactor factor, const float s[4], const float d[4], unsigned c)
{
    static const float constant[4] = {0.25f, 0.5f, 0.75f, 0.5f};
    switch (factor) {
    case VK_BLEND_FACTOR_ZERO:
        return 0;
    case VK_BLEND_FACTOR_ONE:
        return 1;
    case VK_BLEND_FACTOR_SRC_COLOR:
        return s[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return 1 - s[c];
    case VK_BLEND_FACTOR_DST_COLOR:
        return d[c];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return 1 - d[c];
    case VK_BLEND_FACTOR_SRC_ALPHA:
        return s[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
        return 1 - s[3];
    case VK_BLEND_FACTOR_DST_ALPHA:
        return d[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return 1 - d[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR:
        return constant[c];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
        return 1 - constant[c];
    case VK_BLEND_FACTOR_CONSTANT_ALPHA:
        return constant[3];
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fminf(s[3], 1 - d[3]);
    default:
        return 0;
    }
}

static void case_blend(struct vt *vt, const void *argument)
{
    const struct blend *b = argument;
    const float source[4] = {0.8f, 0.4f, 0.2f, 0.6f},
                stored[4] = {51 / 255.0f, 102 / 255.0f, 204 / 255.0f, 153 / 255.0f};
    struct dr_setup setup = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                             .blend = true,
                             .clear = {stored[0], stored[1], stored[2], stored[3]}};
    setup.blend_state = (VkPipelineColorBlendAttachmentState){.srcColorBlendFactor = b->source,
                                                              .dstColorBlendFactor = b->destination,
                                                              .colorBlendOp = b->op,
                                                              .srcAlphaBlendFactor = b->source,
                                                              .dstAlphaBlendFactor = b->destination,
                                                              .alphaBlendOp = b->op};
    struct dr dr;
    dr_begin(&dr, vt, &setup);
    draw_triangle(&dr, whole[0], 0, source);
    dr_end(&dr);
    int wanted[4];
    for (unsigned c = 0; c < 4; c++) {
        float s = source[c] * factor_of(b->source, source, stored, c),
              d = stored[c] * factor_of(b->destination, source, stored, c), result = 0;
        switch (b->op) {
        case VK_BLEND_OP_ADD:
            result = s + d;
            break;
        case VK_BLEND_OP_SUBTRACT:
            result = s - d;
            break;
        case VK_BLEND_OP_REVERSE_SUBTRACT:
            result = d - s;
            break;
        case VK_BLEND_OP_MIN:
            result = fminf(source[c], stored[c]);
            break;
        default:
            result = fmaxf(source[c], stored[c]);
            break;
        }
        wanted[c] = (int)lrintf(fminf(fmaxf(result, 0), 1) * 255);
    }
    dr_expect(&dr, expect_one_color, wanted, 1, "blending");
}
static const struct blend blends[] = {
    {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA, VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_SRC_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_SRC_ALPHA_SATURATE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD},
    {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_SUBTRACT},
    {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_REVERSE_SUBTRACT},
    {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MIN},
    {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MAX},
};

static void case_logic(struct vt *vt, const void *argument)
{
    VkLogicOp op = *(const VkLogicOp *)argument;
    if (!vt->features.features.logicOp)
        vt_skip(vt, "no logic operations");
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                .logic = true,
                                .logic_op = op,
                                .clear = {12 / 255.0f, 240 / 255.0f, 85 / 255.0f, 1}});
    draw_triangle(&dr, whole[0], 0, (const float[4]){10 / 255.0f, 15 / 255.0f, 204 / 255.0f, 0});
    dr_end(&dr);
    const unsigned s[4] = {10, 15, 204, 0}, d[4] = {12, 240, 85, 255};
    int wanted[4];
    for (unsigned c = 0; c < 4; c++) {
        const unsigned results[16] = {0,     s[c] & d[c],  s[c] & ~d[c], s[c],           ~s[c] & d[c],
                                      d[c],  s[c] ^ d[c],  s[c] | d[c],  ~(s[c] | d[c]), ~(s[c] ^ d[c]),
                                      ~d[c], s[c] | ~d[c], ~s[c],        ~s[c] | d[c],   ~(s[c] & d[c]),
                                      255};
        wanted[c] = (int)(results[op] & 255);
    }
    dr_expect(&dr, expect_one_color, wanted, 0, "logic");
}
static const VkLogicOp logics[] = {VK_LOGIC_OP_XOR, VK_LOGIC_OP_AND_REVERSE, VK_LOGIC_OP_INVERT, VK_LOGIC_OP_NAND,
                                   VK_LOGIC_OP_OR_REVERSE};

/* ---- multisampling: the standard positions, averaged ---- */

struct msaa {
    VkSampleCountFlagBits samples;
    struct triangle t;
};

static void expect_msaa(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    static const int8_t positions[3][8][2] = {{{4, 4}, {-4, -4}},
                                              {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
                                              {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}}};
    const struct msaa *m = argument;
    unsigned row = m->samples == 2 ? 0 : m->samples == 4 ? 1 : 2;
    int inside = 0;
    for (int s = 0; s < (int)m->samples; s++)
        inside += dr_inside(m->t.corners, (int32_t)x * 256 + 128 + positions[row][s][0] * 16,
                            (int32_t)y * 256 + 128 + positions[row][s][1] * 16);
    for (unsigned c = 0; c < 4; c++)
        out[c] = (m->t.color[c] * inside + m->t.other[c] * ((int)m->samples - inside) + (int)m->samples / 2) /
                 (int)m->samples;
}

static void case_msaa(struct vt *vt, const void *argument)
{
    const struct msaa *m = argument;
    if (!(vt->properties.limits.framebufferColorSampleCounts & m->samples))
        vt_skip(vt, "not so many samples");
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){
                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .samples = m->samples, .clear = {0, 0, 1, 1}});
    draw_triangle(&dr, m->t.corners, 0.5f, (const float[4]){1, 0, 0, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_msaa, m, 1, "resolved samples");
}
#define MSAA_TRIANGLE                                                                                                  \
    {                                                                                                                  \
        {{10 * 256 + 7, 3 * 256 + 99}, {61 * 256 + 201, 30 * 256 + 1}, {5 * 256 + 77, 63 * 256 + 250}},                \
            {255, 0, 0, 255},                                                                                          \
        {                                                                                                              \
            0, 0, 255, 255                                                                                             \
        }                                                                                                              \
    }
static const struct msaa msaas[] = {{VK_SAMPLE_COUNT_2_BIT, MSAA_TRIANGLE},
                                    {VK_SAMPLE_COUNT_4_BIT, MSAA_TRIANGLE},
                                    {VK_SAMPLE_COUNT_8_BIT, MSAA_TRIANGLE}};

/* ---- formats ---- */

struct target {
    VkFormat format;
    uint8_t bytes[16]; /* of the colour 0.2, 0.4, 0.6, 1 */
    uint8_t size_B;
    int shader;
};

/* Channels of 10 bits may be one code off: drivers may go through half floats. */
static bool is_near_10(const uint8_t *got, const uint8_t *wanted)
{
    uint32_t a, b;
    memcpy(&a, got, sizeof(a));
    memcpy(&b, wanted, sizeof(b));
    for (unsigned low = 0; low < 30; low += 10) {
        if (abs((int)(a >> low & 1023) - (int)(b >> low & 1023)) > 1)
            return false;
    }
    return a >> 30 == b >> 30;
}

static void case_format(struct vt *vt, const void *argument)
{
    const struct target *t = argument;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, t->format, &properties);
    if (!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
        vt_skip(vt, "no such colour target");
    struct dr dr;
    dr_begin(
        &dr, vt,
        &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .format = t->format, .shader = t->shader});
    draw_triangle(&dr, whole[0], 0, (const float[4]){0.2f, 0.4f, 0.6f, 1});
    dr_end(&dr);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        const uint8_t *got = (const uint8_t *)dr.readback.map + i * t->size_B;
        bool near = t->format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 && is_near_10(got, t->bytes);
        if (!near && memcmp(got, t->bytes, t->size_B) != 0)
            vt_fail(vt, "texel %u begins with %02x %02x %02x %02x, not %02x %02x %02x %02x", i, got[0], got[1], got[2],
                    got[3], t->bytes[0], t->bytes[1], t->bytes[2], t->bytes[3]);
    }
}
static const struct target targets[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, {0x33, 0x66, 0x99, 0xff}, 4, DR_PLAIN},
    {VK_FORMAT_B8G8R8A8_UNORM, {0x99, 0x66, 0x33, 0xff}, 4, DR_PLAIN},
    {VK_FORMAT_R8G8B8A8_SRGB, {0x7c, 0xaa, 0xcb, 0xff}, 4, DR_PLAIN},
    {VK_FORMAT_R8_UNORM, {0x33}, 1, DR_PLAIN},
    {VK_FORMAT_R8G8_UNORM, {0x33, 0x66}, 2, DR_PLAIN},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, {0x33, 0x33}, 2, DR_PLAIN},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, {0x93, 0x99}, 2, DR_PLAIN},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, {0xcd, 0x64, 0x66, 0xe6}, 4, DR_PLAIN},
    {VK_FORMAT_R16_UNORM, {0x33, 0x33}, 2, DR_PLAIN},
    {VK_FORMAT_R16G16B16A16_UNORM, {0x33, 0x33, 0x66, 0x66, 0x99, 0x99, 0xff, 0xff}, 8, DR_PLAIN},
    {VK_FORMAT_R32_SFLOAT, {0xcd, 0xcc, 0x4c, 0x3e}, 4, DR_PLAIN},
    {VK_FORMAT_R32G32_SFLOAT, {0xcd, 0xcc, 0x4c, 0x3e, 0xcd, 0xcc, 0xcc, 0x3e}, 8, DR_PLAIN},
    {VK_FORMAT_R32G32B32A32_SFLOAT,
     {0xcd, 0xcc, 0x4c, 0x3e, 0xcd, 0xcc, 0xcc, 0x3e, 0x9a, 0x99, 0x19, 0x3f, 0, 0, 0x80, 0x3f},
     16,
     DR_PLAIN},
    {VK_FORMAT_R8G8B8A8_UINT, {51, 102, 153, 255}, 4, DR_UINT},
    {VK_FORMAT_R16G16B16A16_UINT, {51, 0, 102, 0, 153, 0, 255, 0}, 8, DR_UINT},
    {VK_FORMAT_R32_UINT, {51, 0, 0, 0}, 4, DR_UINT},
    {VK_FORMAT_R32G32B32A32_UINT, {51, 0, 0, 0, 102, 0, 0, 0, 153, 0, 0, 0, 255, 0, 0, 0}, 16, DR_UINT},
};

/* ---- large targets, whose clears and contents drivers compress ---- */

#define BIG 640

struct big {
    float clear[4];
    VkFormat format;
    VkFormat depth_format;
    VkSampleCountFlagBits samples;
};

static void case_big(struct vt *vt, const void *argument)
{
    const struct big *big = argument;
    struct triangle t = {.color = {255, 0, 0, 255}};
    struct dr dr;
    if (big->samples && !(vt->properties.limits.framebufferColorSampleCounts & big->samples))
        vt_skip(vt, "not so many samples");
    dr_begin(&dr, vt,
             &(struct dr_setup){.width = BIG,
                                .height = BIG,
                                .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                .clear = {big->clear[0], big->clear[1], big->clear[2], big->clear[3]},
                                .depth_format = big->depth_format,
                                .depth_test = big->depth_format,
                                .depth_write = true,
                                .depth_compare = VK_COMPARE_OP_LESS,
                                .clear_depth = 1,
                                .samples = big->samples});
    draw_triangle(&dr, triangles[2].corners, 0.5f, (const float[4]){1, 0, 0, 1});
    if (big->depth_format)
        draw_triangle(&dr, triangles[2].corners, 0.75f, (const float[4]){0, 1, 0, 1});
    dr_end(&dr);
    for (unsigned i = 0; i < 3; i++) {
        t.corners[i][0] = triangles[2].corners[i][0] * (BIG / SIZE);
        t.corners[i][1] = triangles[2].corners[i][1] * (BIG / SIZE);
    }
    for (unsigned c = 0; c < 4; c++)
        t.other[c] = (int)lrintf(big->clear[c] * 255);
    if (big->samples > 1)
        dr_expect(&dr, expect_msaa, &(struct msaa){big->samples, t}, 1, "a large target");
    else
        dr_expect(&dr, expect_triangle, &t, 0, "a large target");
}
static const struct big bigs[] = {
    {.clear = {0, 0, 0, 0}},
    {.clear = {0, 0, 0, 1}},
    {.clear = {1, 1, 1, 0}},
    {.clear = {1, 1, 1, 1}},
    {.clear = {0.2f, 0.4f, 0.6f, 0.8f}},
    {.clear = {0, 0, 1, 1}, .depth_format = VK_FORMAT_D32_SFLOAT},
    {.clear = {0, 0, 1, 1}, .depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT},
    {.clear = {0, 0, 1, 1}, .depth_format = VK_FORMAT_D16_UNORM},
    {.clear = {0, 0, 1, 1}, .samples = VK_SAMPLE_COUNT_2_BIT},
    {.clear = {0.2f, 0.4f, 0.6f, 0.8f}, .samples = VK_SAMPLE_COUNT_4_BIT},
    {.clear = {1, 1, 1, 1}, .samples = VK_SAMPLE_COUNT_8_BIT},
    {.clear = {0, 0, 1, 1}, .samples = VK_SAMPLE_COUNT_4_BIT, .depth_format = VK_FORMAT_D32_SFLOAT},
};

/* Two small triangles over each place where four tiles of 64 pixels meet, in draws of their own. */
static void case_corners(struct vt *vt, const void *argument)
{
    static struct pile pile;
    const int32_t scale = BIG / SIZE;
    uint64_t seed = 5;
    struct dr dr;
    pile.count = 0;
    dr_begin(&dr, vt,
             &(struct dr_setup){.width = BIG, .height = BIG, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
    for (uint32_t place = 0; place < 49; place++) {
        struct dr_vertex vertices[6];
        for (unsigned v = 0; v < 6; v++) {
            struct triangle *t = &pile.t[pile.count + v / 3];
            const int32_t x = (int32_t)(place % 7 + 1) * 64 * 256 / scale + (int32_t)(vt_random(&seed) % 320) - 160,
                          y = (int32_t)(place / 7 + 1) * 64 * 256 / scale + (int32_t)(vt_random(&seed) % 320) - 160;
            const int color[4] = {v < 3 ? 255 : 0, v < 3 ? 0 : 255, (int)place, 255};
            memcpy(t->color, color, sizeof(color));
            t->corners[v % 3][0] = x * scale;
            t->corners[v % 3][1] = y * scale;
            vertices[v] = at(x, y, 0, 1, (float)color[0] / 255, (float)color[1] / 255, (float)color[2] / 255, 1);
        }
        dr_draw(&dr, &(struct dr_draw){.vertices = vertices, .vertex_count = 6});
        pile.count += 2;
    }
    dr_end(&dr);
    dr_expect(&dr, expect_pile, &pile, 0, "the last triangle at the corner");
}

/* ---- the rest of the rasteriser's state ---- */

/* Four samples a pixel: half of them by the mask, or each with a shade of its own. */
static void case_sample_mask(struct vt *vt, const void *argument)
{
    struct dr dr;
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                .samples = VK_SAMPLE_COUNT_4_BIT,
                                .sample_mask = 0x5});
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_one_color, (const int[4]){128, 128, 128, 128}, 1, "the sample mask");
}

static void case_sample_id(struct vt *vt, const void *argument)
{
    struct dr dr;
    if (!vt->features.features.sampleRateShading)
        vt_skip(vt, "no shading by sample");
    dr_begin(&dr, vt,
             &(struct dr_setup){
                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .samples = VK_SAMPLE_COUNT_4_BIT, .fragment = 8});
    draw_triangle(&dr, whole[0], 0, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_one_color, (const int[4]){128, 0, 0, 255}, 1, "gl_SampleID");
}

/* The outline of a square: its edges run through pixel centres, and nothing is inside. */
static void expect_outline(const void *argument, uint32_t x, uint32_t y, int out[4])
{
    bool near_edge = (x >= 9 && x <= 51 && y >= 9 && y <= 51) &&
                     (x <= 11 || x >= 49 || y <= 11 || y >= 49 || (x + y >= 58 && x + y <= 62));
    bool on = (y == 10 && x > 11 && x < 49) || (x == 10 && y > 11 && y < 49);
    for (unsigned c = 0; c < 4; c++)
        out[c] = on ? 255 : near_edge ? -1 : 0;
}

static void case_outline(struct vt *vt, const void *argument)
{
    const int32_t low = 10 * 256 + 128, high = 50 * 256 + 128;
    struct dr dr;
    if (!vt->features.features.fillModeNonSolid)
        vt_skip(vt, "no fill modes");
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .polygon = VK_POLYGON_MODE_LINE});
    draw_triangle(&dr, (const int32_t[3][2]){{low, low}, {high, low}, {low, high}}, 0, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_outline, NULL, 0, "an outline");
}

/* Beyond the far plane: clipped, or clamped to it. */
static void case_depth_clamp(struct vt *vt, const void *argument)
{
    bool clamp = *(const uint32_t *)argument;
    struct dr dr;
    if (clamp && !vt->features.features.depthClamp)
        vt_skip(vt, "no depth clamp");
    dr_begin(&dr, vt,
             &(struct dr_setup){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                .depth_format = VK_FORMAT_D32_SFLOAT,
                                .depth_test = true,
                                .depth_write = true,
                                .depth_compare = VK_COMPARE_OP_ALWAYS,
                                .depth_clamp = clamp,
                                .clear_depth = 0.5f});
    draw_triangle(&dr, whole[0], 1.5f, (const float[4]){1, 1, 1, 1});
    dr_end(&dr);
    dr_expect(&dr, expect_one_color, clamp ? (const int[4]){255, 255, 255, 255} : (const int[4]){0, 0, 0, 0}, 0,
              "depth clamp");
    if (((const float *)dr.depth_readback.map)[777] != (clamp ? 1.0f : 0.5f))
        vt_fail(vt, "depth is %g", ((const float *)dr.depth_readback.map)[777]);
}
static const uint32_t clamps[] = {0, 1};

#define EACH4(name, function, array)                                                                                   \
    {name " 0", function, &array[0]}, {name " 1", function, &array[1]}, {name " 2", function, &array[2]},              \
    {                                                                                                                  \
        name " 3", function, &array[3]                                                                                 \
    }

const struct vt_case vt_draw_cases[] = {
    EACH4("clear", case_clear, clear_sizes),
    EACH4("coverage", case_coverage, triangles),
    {"coverage 4", case_coverage, &triangles[4]},
    {"order", case_order, NULL},
    EACH4("gradient", case_gradient, gradients),
    {"gradient 4", case_gradient, &gradients[4]},
    {"position", case_position, NULL},
    {"derivative", case_derivative, NULL},
    {"ways", case_ways, NULL},
    {"lanes", case_lanes, NULL},
    EACH4("indexed", case_indexed, indexed_cases),
    EACH4("restart", case_restart, restart_cases),
    {"instances 0", case_instances, &first_instances[0]},
    {"instances 3", case_instances, &first_instances[1]},
    {"no_instances", case_no_instances, NULL},
    {"points", case_points, NULL},
    {"lines", case_lines, NULL},
    EACH4("facing", case_facing, facings),
    {"facing 4", case_facing, &facings[4]},
    {"facing 5", case_facing, &facings[5]},
    {"facing 6", case_facing, &facings[6]},
    {"scissor", case_scissor, NULL},
    {"viewport", case_viewport, NULL},
    {"discard", case_discard, NULL},
    EACH4("mask", case_mask, masks),
    {"mask 4", case_mask, &masks[4]},
    {"mask 5", case_mask, &masks[5]},
    {"depth never", case_depth, &depths[0]},
    {"depth less", case_depth, &depths[1]},
    {"depth equal", case_depth, &depths[2]},
    {"depth less or equal", case_depth, &depths[3]},
    {"depth greater", case_depth, &depths[4]},
    {"depth not equal", case_depth, &depths[5]},
    {"depth greater or equal", case_depth, &depths[6]},
    {"depth always", case_depth, &depths[7]},
    {"depth of 16 bits less", case_depth, &depths[8]},
    {"depth of 16 bits greater or equal", case_depth, &depths[9]},
    {"depth beside stencil", case_depth, &depths[10]},
    {"depth of 16 bits beside stencil", case_depth, &depths[11]},
    {"depth of 24 bits beside stencil", case_depth, &depths[12]},
    {"depth export", case_depth_export, NULL},
    EACH4("stencil", case_stencil, stencils),
    {"stencil 4", case_stencil, &stencils[4]},
    {"stencil 5", case_stencil, &stencils[5]},
    {"stencil 6", case_stencil, &stencils[6]},
    {"stencil 7", case_stencil, &stencils[7]},
    {"stencil 8", case_stencil, &stencils[8]},
    EACH4("blend", case_blend, blends),
    {"blend 4", case_blend, &blends[4]},
    {"blend 5", case_blend, &blends[5]},
    {"blend 6", case_blend, &blends[6]},
    {"blend 7", case_blend, &blends[7]},
    {"blend 8", case_blend, &blends[8]},
    {"blend 9", case_blend, &blends[9]},
    {"blend 10", case_blend, &blends[10]},
    {"blend 11", case_blend, &blends[11]},
    EACH4("logic", case_logic, logics),
    {"logic 4", case_logic, &logics[4]},
    {"samples 2", case_msaa, &msaas[0]},
    {"samples 4", case_msaa, &msaas[1]},
    {"samples 8", case_msaa, &msaas[2]},
    EACH4("big", case_big, bigs),
    {"big 4", case_big, &bigs[4]},
    {"big with depth", case_big, &bigs[5]},
    {"big with depth and stencil", case_big, &bigs[6]},
    {"big with depth of 16 bits", case_big, &bigs[7]},
    {"big with 2 samples", case_big, &bigs[8]},
    {"big with 4 samples", case_big, &bigs[9]},
    {"big with 8 samples", case_big, &bigs[10]},
    {"big with 4 samples and depth", case_big, &bigs[11]},
    {"corners", case_corners, NULL},
    {"sample mask", case_sample_mask, NULL},
    {"sample id", case_sample_id, NULL},
    {"outline", case_outline, NULL},
    {"depth clip", case_depth_clamp, &clamps[0]},
    {"depth clamp", case_depth_clamp, &clamps[1]},
    {"format r8g8b8a8 unorm", case_format, &targets[0]},
    {"format b8g8r8a8 unorm", case_format, &targets[1]},
    {"format r8g8b8a8 srgb", case_format, &targets[2]},
    {"format r8 unorm", case_format, &targets[3]},
    {"format r8g8 unorm", case_format, &targets[4]},
    {"format r5g6b5 unorm", case_format, &targets[5]},
    {"format a1r5g5b5 unorm", case_format, &targets[6]},
    {"format a2b10g10r10 unorm", case_format, &targets[7]},
    {"format r16 unorm", case_format, &targets[8]},
    {"format r16g16b16a16 unorm", case_format, &targets[9]},
    {"format r32 float", case_format, &targets[10]},
    {"format r32g32 float", case_format, &targets[11]},
    {"format r32g32b32a32 float", case_format, &targets[12]},
    {"format r8g8b8a8 uint", case_format, &targets[13]},
    {"format r16g16b16a16 uint", case_format, &targets[14]},
    {"format r32 uint", case_format, &targets[15]},
    {"format r32g32b32a32 uint", case_format, &targets[16]},
};
const size_t vt_draw_count = COUNT_OF(vt_draw_cases);
