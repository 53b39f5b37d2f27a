/* See ray_world.h. */
#include "amd/compiler/tests/ray_world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amd/compiler/ray_layout.h"

#define EDGE 1e-3

struct ray_world world;
struct ray rays[LANES];

static float random_float(uint32_t *seed, float low, float high)
{
    *seed = *seed * 1664525 + 1013904223;
    return low + (high - low) * (float)(*seed >> 8) * 0x1p-24f;
}

static bool is_box(unsigned primitive)
{
    return world.has_boxes && primitive % 2;
}

/* ---- worlds ---- */

/* Turns about z and scales, so that the inverse is easy. */
static void make_instance(unsigned n, uint32_t *seed)
{
    const float angle = random_float(seed, 0, 6), scale = n ? random_float(seed, 0.5f, 2) : 1, c = cosf(n ? angle : 0),
                s = sinf(n ? angle : 0);
    float move[3];
    for (unsigned i = 0; i < 3; i++)
        move[i] = n ? random_float(seed, -6, 6) : 0;
    const float turn[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
    for (unsigned i = 0; i < 3; i++) {
        world.inverses[n][i][3] = 0;
        for (unsigned k = 0; k < 3; k++) {
            world.matrices[n][i][k] = turn[i][k] * scale;
            world.inverses[n][i][k] = turn[k][i] / scale;
            world.inverses[n][i][3] -= turn[k][i] / scale * move[k];
        }
        world.matrices[n][i][3] = move[i];
    }
}

void ray_world_make(unsigned primitives, unsigned instances, bool has_boxes, uint32_t seed)
{
    world.primitives = primitives;
    world.instances = instances;
    world.has_boxes = has_boxes;
    world.ignored = 0;
    for (unsigned n = 0; n < primitives; n++) {
        float center[3];
        for (unsigned i = 0; i < 3; i++)
            center[i] = random_float(&seed, -4, 4);
        for (unsigned i = 0; i < 9; i++)
            world.triangles[n][i / 3][i % 3] = center[i % 3] + random_float(&seed, -2, 2);
        for (unsigned i = 0; is_box(n) && i < 3; i++) {
            world.triangles[n][0][i] = center[i] - random_float(&seed, 0.5f, 1.5f);
            world.triangles[n][1][i] = center[i] + random_float(&seed, 0.5f, 1.5f);
        }
    }
    for (unsigned n = 0; n < instances; n++)
        make_instance(n, &seed);
    for (unsigned n = 0; n < LANES; n++) {
        for (unsigned i = 0; i < 3; i++) {
            rays[n].origin[i] = random_float(&seed, -9, 9);
            rays[n].direction[i] = random_float(&seed, -3, 3) - rays[n].origin[i];
        }
        rays[n].least = n % 5 ? 0 : 0.5f;
        rays[n].most = n % 7 ? 1000 : 1;
    }
}

/* ---- structures ---- */

struct builder {
    uint8_t *memory;
    uint32_t used_B;
};

static uint32_t new_node(struct builder *b, uint32_t size_B, uint32_t kind)
{
    const uint32_t at_B = b->used_B;
    b->used_B += size_B;
    return RAY_REFERENCE(at_B, kind);
}

static uint8_t *node_at(const struct builder *b, uint32_t reference)
{
    return b->memory + (uint64_t)(reference >> RAY_KIND_BITS) * RAY_NODE_ALIGN;
}

static void put_bytes(uint8_t *at, uint32_t offset_B, const void *data, size_t size_B)
{
    memcpy(at + offset_B, data, size_B);
}

static void put_word(uint8_t *at, uint32_t offset_B, uint32_t word)
{
    put_bytes(at, offset_B, &word, 4);
}

struct leaf {
    uint32_t reference;
    float bounds[6];
};

/* Four and four under one, until four are left, which are the root's. */
static void build_tree(struct builder *b, struct leaf *leaves, unsigned count)
{
    for (bool is_root = false; !is_root;) {
        unsigned made = 0;
        is_root = count <= 4;
        for (unsigned first = 0; first < count; first += 4) {
            struct leaf above = {.reference = is_root ? RAY_ROOT : new_node(b, RAY_BOXES_SIZE, RAY_KIND_BOXES),
                                 .bounds = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}};
            uint8_t *node = node_at(b, above.reference);
            memset(node, 0xff, RAY_BOXES_SIZE);
            for (unsigned i = 0; i < 4 && first + i < count; i++) {
                const struct leaf *child = &leaves[first + i];
                put_word(node, RAY_BOXES_CHILDREN + 4 * i, child->reference);
                put_bytes(node, RAY_BOXES_BOUNDS + RAY_BOXES_BOX_SIZE * i, child->bounds, RAY_BOXES_BOX_SIZE);
                for (unsigned k = 0; k < 3; k++) {
                    above.bounds[k] = fminf(above.bounds[k], child->bounds[k]);
                    above.bounds[3 + k] = fmaxf(above.bounds[3 + k], child->bounds[3 + k]);
                }
            }
            leaves[made++] = above;
        }
        count = made;
    }
}

static struct builder new_structure(struct shader_rig *rig, uint64_t *va_out)
{
    struct builder b = {.used_B = RAY_ROOT_OFFSET + RAY_BOXES_SIZE};
    b.memory = shader_rig_alloc(rig, 16384, va_out);
    assert(*va_out % RAY_STRUCTURE_ALIGN == 0);
    return b;
}

uint64_t ray_world_bottom(struct shader_rig *rig, bool is_opaque)
{
    uint64_t va;
    struct builder b = new_structure(rig, &va);
    struct leaf leaves[MAX_PRIMITIVES];
    for (unsigned n = 0; n < world.primitives; n++) {
        struct leaf *leaf = &leaves[n];
        leaf->reference = new_node(&b, RAY_LEAF_SIZE, is_box(n) ? RAY_KIND_AABB : RAY_KIND_TRIANGLE);
        uint8_t *node = node_at(&b, leaf->reference);
        for (unsigned k = 0; k < 3; k++) {
            const float *c[3] = {world.triangles[n][0], world.triangles[n][1], world.triangles[n][is_box(n) ? 0 : 2]};
            leaf->bounds[k] = fminf(fminf(c[0][k], c[1][k]), c[2][k]);
            leaf->bounds[3 + k] = fmaxf(fmaxf(c[0][k], c[1][k]), c[2][k]);
        }
        if (is_box(n))
            put_bytes(node, RAY_AABB_BOUNDS, leaf->bounds, 24);
        else
            put_bytes(node, RAY_TRIANGLE_VERTICES, world.triangles[n], 36);
        put_word(node, RAY_LEAF_PRIMITIVE, n);
        put_word(node, RAY_LEAF_GEOMETRY, 3 | (is_opaque ? RAY_GEOMETRY_OPAQUE : 0));
        put_word(node, RAY_TRIANGLE_ROTATION, RAY_ROTATION);
    }
    build_tree(&b, leaves, world.primitives);
    return va;
}

static void transform(double out[3], const float m[3][4], const float v[3], double w)
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = (double)m[i][0] * v[0] + (double)m[i][1] * v[1] + (double)m[i][2] * v[2] + w * m[i][3];
}

uint64_t ray_world_top(struct shader_rig *rig, uint64_t bottom)
{
    uint64_t va;
    struct builder b = new_structure(rig, &va);
    struct leaf leaves[MAX_INSTANCES];
    for (unsigned n = 0; n < world.instances; n++) {
        leaves[n].reference = new_node(&b, RAY_INSTANCE_SIZE, RAY_KIND_INSTANCE);
        uint8_t *node = node_at(&b, leaves[n].reference);
        put_bytes(node, RAY_INSTANCE_WORLD_TO_OBJECT, world.inverses[n], 48);
        put_bytes(node, RAY_INSTANCE_OBJECT_TO_WORLD, world.matrices[n], 48);
        put_bytes(node, RAY_INSTANCE_STRUCTURE, &bottom, 8);
        put_word(node, RAY_INSTANCE_INDEX_MASK, (1000 + n) | 1u << (24 + n));
        put_word(node, RAY_INSTANCE_SBT_FLAGS, 50 + n);
        put_word(node, RAY_INSTANCE_ID, n);
        const float ends[2] = {-8, 8};
        for (unsigned k = 0; k < 3; k++)
            leaves[n].bounds[k] = INFINITY, leaves[n].bounds[3 + k] = -INFINITY;
        for (unsigned corner = 0; corner < 8; corner++) {
            const float v[3] = {ends[corner & 1], ends[corner >> 1 & 1], ends[corner >> 2]};
            double moved[3];
            transform(moved, world.matrices[n], v, 1);
            for (unsigned k = 0; k < 3; k++) {
                leaves[n].bounds[k] = fminf(leaves[n].bounds[k], (float)moved[k]);
                leaves[n].bounds[3 + k] = fmaxf(leaves[n].bounds[3 + k], (float)moved[k]);
            }
        }
    }
    build_tree(&b, leaves, world.instances);
    return va;
}

/* ---- what is met ---- */

struct meeting {
    bool is_met, is_near_edge;
    double t;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_product(double out[3], const double a[3], const double b[3])
{
    for (unsigned n = 0; n < 3; n++)
        out[n] = a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3];
}

static struct meeting meet_triangle(const struct ray *ray, const double origin[3], const double direction[3],
                                    const float corners[3][3])
{
    double a[3], b[3], to[3], p[3], q[3];
    for (unsigned i = 0; i < 3; i++) {
        a[i] = (double)corners[1][i] - corners[0][i];
        b[i] = (double)corners[2][i] - corners[0][i];
        to[i] = origin[i] - corners[0][i];
    }
    cross_product(p, direction, b);
    cross_product(q, to, a);
    const double scale = dot(a, p), u = dot(to, p) / scale, v = dot(direction, q) / scale, t = dot(b, q) / scale;
    return (struct meeting){.is_met = u >= 0 && v >= 0 && u + v <= 1 && t > ray->least && t < ray->most,
                            .is_near_edge = fabs(u) < EDGE || fabs(v) < EDGE || fabs(1 - u - v) < EDGE ||
                                            fabs(t - ray->least) < EDGE || fabs(t - ray->most) < EDGE,
                            .t = t};
}

/* The program says where a box is met, and says it is behind all triangles: a box that is not nearer than what was met
 * need not be shown. */
static double box_distance(unsigned primitive)
{
    return 900 + primitive / 4.0;
}

static struct meeting meet_box(const struct ray *ray, const double origin[3], const double direction[3],
                               const float corners[3][3], unsigned primitive)
{
    double enter = 0, leave = ray->most;
    for (unsigned i = 0; i < 3; i++) {
        const double low = (corners[0][i] - origin[i]) / direction[i],
                     high = (corners[1][i] - origin[i]) / direction[i];
        enter = fmax(enter, fmin(low, high));
        leave = fmin(leave, fmax(low, high));
    }
    const double t = box_distance(primitive);
    return (struct meeting){
        .is_met = enter <= leave && t < ray->most, .is_near_edge = fabs(enter - leave) < EDGE, .t = t};
}

static bool ray_world_expect(const struct ray *ray, uint32_t mask, struct hit *out)
{
    double best = INFINITY, next = INFINITY;
    *out = (struct hit){0};
    for (unsigned n = 0; n < world.instances; n++) {
        double origin[3], direction[3];
        transform(origin, world.inverses[n], ray->origin, 1);
        transform(direction, world.inverses[n], ray->direction, 0);
        for (unsigned p = 0; mask >> n & 1 && p < world.primitives; p++) {
            const struct meeting met = is_box(p) ? meet_box(ray, origin, direction, world.triangles[p], p)
                                                 : meet_triangle(ray, origin, direction, world.triangles[p]);
            if (met.is_near_edge)
                return false;
            if (!met.is_met || (world.ignored && p % world.ignored == world.ignored - 1))
                continue;
            if (met.t < best) {
                next = best;
                best = met.t;
                *out = (struct hit){is_box(p) ? 2 : 1, p, 1000 + n, (float)met.t};
            } else {
                next = fmin(next, met.t);
            }
        }
    }
    return !out->kind || next - best > EDGE;
}

bool ray_world_check(const struct hit hits[LANES], uint32_t mask, char text[256])
{
    unsigned compared = 0, met = 0;
    for (unsigned n = 0; n < LANES; n++) {
        struct hit want;
        if (!ray_world_expect(&rays[n], mask, &want))
            continue;
        compared++;
        met += want.kind != 0;
        const struct hit *got = &hits[n];
        if (got->kind == want.kind && (!want.kind || (got->primitive == want.primitive && got->index == want.index &&
                                                      fabsf(got->t - want.t) <= 1e-3f * (1 + want.t))))
            continue;
        snprintf(text, 256, "ray %u: %u %u of %u at %f, not %u %u of %u at %f", n, got->kind, got->primitive,
                 got->index, (double)got->t, want.kind, want.primitive, want.index, (double)want.t);
        return false;
    }
    snprintf(text, 256, "%u rays compared, %u meet something", compared, met);
    return compared > LANES / 3 && met > LANES / 16;
}
