/* The meshes of the scenes, all from formulas. */
#include <stdlib.h>

#include "scene.h"

static struct vec3 normal_at(scene_surface at, float u, float v)
{
    const float step = 1e-3f;
    struct vec3 along = minus(at(u + step, v), at(u - step, v)), across = minus(at(u, v + step), at(u, v - step));
    struct vec3 normal = cross(along, across);
    float length = sqrtf(dot(normal, normal));
    /* A pole: the direction from the origin is as good. */
    return length > 1e-9f ? scaled(normal, 1 / length) : unit(at(u, v));
}

struct scene_mesh scene_grid(struct vt *vt, uint32_t columns, uint32_t rows, scene_surface at)
{
    uint32_t points = (columns + 1) * (rows + 1), count = columns * rows * 6;
    struct scene_mesh mesh = {.vertices = vt_buffer(vt, points * sizeof(struct scene_vertex), NULL),
                              .indices = vt_buffer(vt, count * sizeof(uint16_t), NULL),
                              .index_count = count};
    if (points > 65536)
        vt_fail(vt, "a mesh of %u points", points);
    struct scene_vertex *vertex = mesh.vertices.map;
    for (uint32_t r = 0; r <= rows; r++) {
        for (uint32_t c = 0; c <= columns; c++) {
            float u = (float)c / (float)columns, v = (float)r / (float)rows;
            *vertex++ = (struct scene_vertex){at(u, v), normal_at(at, u, v), u, v};
        }
    }
    uint16_t *index = mesh.indices.map;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t a = r * (columns + 1) + c, b = a + columns + 1;
            const uint32_t corners[6] = {a, a + 1, b, a + 1, b + 1, b};
            for (int i = 0; i < 6; i++)
                *index++ = (uint16_t)corners[i];
        }
    }
    return mesh;
}

struct vec3 scene_flat(float u, float v)
{
    return v3(2 * u - 1, 0, 1 - 2 * v);
}

static struct vec3 sphere_at(float u, float v)
{
    float around = u * 2 * PI, down = (1 - v) * PI;
    return v3(sinf(down) * sinf(around), cosf(down), sinf(down) * cosf(around));
}

struct scene_mesh scene_sphere(struct vt *vt)
{
    return scene_grid(vt, 48, 24, sphere_at);
}

static struct vec3 torus_at(float u, float v)
{
    float around = u * 2 * PI, ring = v * 2 * PI, far = 1 + 0.35f * cosf(ring);
    return v3(far * sinf(around), 0.35f * sinf(ring), far * cosf(around));
}

struct scene_mesh scene_torus(struct vt *vt)
{
    return scene_grid(vt, 56, 20, torus_at);
}

static struct vec3 knot_line(float u)
{
    float a = u * 2 * PI, far = 1 + 0.42f * cosf(3 * a);
    return v3(far * cosf(2 * a), far * sinf(2 * a), 0.5f * sinf(3 * a));
}

static struct vec3 knot_at(float u, float v)
{
    struct vec3 here = knot_line(u), along = unit(minus(knot_line(u + 0.002f), knot_line(u - 0.002f)));
    struct vec3 side = unit(cross(along, v3(0, 0, 1))), up = cross(side, along);
    float ring = v * 2 * PI;
    return add(here, add(scaled(side, 0.22f * cosf(ring)), scaled(up, 0.22f * sinf(ring))));
}

struct scene_mesh scene_knot(struct vt *vt)
{
    return scene_grid(vt, 240, 20, knot_at);
}

static struct vec3 vase_at(float u, float v)
{
    float around = u * 2 * PI, y = v * 2;
    float far = 0.42f + 0.28f * sinf(v * 4.2f + 0.2f) + 0.12f * v * v * v;
    return v3(far * sinf(around), y, far * cosf(around));
}

struct scene_mesh scene_vase(struct vt *vt)
{
    return scene_grid(vt, 40, 32, vase_at);
}

static struct scene_mesh from_corners(struct vt *vt, const struct scene_vertex *vertices, uint32_t faces)
{
    struct scene_mesh mesh = {.vertices = vt_buffer(vt, faces * 4 * sizeof(*vertices), vertices),
                              .indices = vt_buffer(vt, faces * 6 * sizeof(uint16_t), NULL),
                              .index_count = faces * 6};
    uint16_t *index = mesh.indices.map;
    for (uint32_t face = 0; face < faces; face++) {
        const uint32_t corners[6] = {0, 1, 2, 1, 3, 2};
        for (int i = 0; i < 6; i++)
            *index++ = (uint16_t)(face * 4 + corners[i]);
    }
    return mesh;
}

struct scene_mesh scene_box(struct vt *vt)
{
    static const struct vec3 normals[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    struct scene_vertex vertices[24];
    for (int face = 0; face < 6; face++) {
        struct vec3 n = normals[face], up = n.y != 0 ? v3(0, 0, -n.y) : v3(0, 1, 0), right = cross(up, n);
        for (int i = 0; i < 4; i++) {
            float u = (float)(i & 1), v = (float)(i >> 1);
            struct vec3 at = add(n, add(scaled(right, 2 * u - 1), scaled(up, 2 * v - 1)));
            vertices[face * 4 + i] = (struct scene_vertex){at, n, u, 1 - v};
        }
    }
    return from_corners(vt, vertices, 6);
}

struct scene_mesh scene_floor(struct vt *vt)
{
    struct scene_vertex vertices[4];
    for (int i = 0; i < 4; i++) {
        float u = (float)(i & 1), v = (float)(i >> 1);
        vertices[i] = (struct scene_vertex){v3(2 * u - 1, 0, 1 - 2 * v), v3(0, 1, 0), u, 1 - v};
    }
    return from_corners(vt, vertices, 1);
}
