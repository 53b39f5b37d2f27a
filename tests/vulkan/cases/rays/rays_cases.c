/* Ray queries: acceleration structures of triangles, spheres in boxes and instances, and 512 rays at them, each beside
 * what arithmetic in double finds among all primitives. Rays that pass so near an edge that rounding decides, or meet
 * two things at nearly one distance, are not compared. */
#include <math.h>
#include <string.h>

#include "cases/rays/rays_scene.h"

#define RAYS 512
#define MAX_PRIMITIVES 512
#define MAX_INSTANCES 16

enum content {
    TRIANGLES,
    INDEXED_16,
    INDEXED_32,
    SPHERES,
    TWO_GEOMETRIES
};

enum change {
    AS_BUILT,
    UPDATED,    /* with other vertices, in place */
    UPDATED_TO, /* with other vertices, from another structure */
    CLONED,
    COMPACTED,
    SERIALIZED,
};

struct rays {
    enum content content;
    unsigned primitives, instances;
    bool not_opaque;
    uint32_t accept; /* of candidates that are not opaque every so many-th primitive; 0: all */
    uint32_t flags;  /* of the query, as gl_RayFlags */
    uint32_t mask;   /* 0: all bits; instance n has bit n % 8 */
    VkGeometryInstanceFlagsKHR instance_flags;
    enum change change;
    bool any; /* whichever primitive comes first will do */
};

/* gl_RayFlags of SPIR-V. */
enum {
    RAY_OPAQUE = 1,
    RAY_NO_OPAQUE = 2,
    RAY_FIRST = 4,
    RAY_CULL_BACK = 16,
    RAY_CULL_FRONT = 32,
    RAY_CULL_OPAQUE = 64,
    RAY_SKIP_TRIANGLES = 256,
    RAY_SKIP_BOXES = 512,
};

struct scene {
    const struct rays *test;
    unsigned primitives; /* of a geometry */
    float vertices[MAX_PRIMITIVES][3][3];
    float spheres[MAX_PRIMITIVES][4];
    float transforms[MAX_INSTANCES][3][4];
    struct rays_ray rays[RAYS];
};

/* ---- what is there ---- */

static void make_primitives(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < scene->primitives; n++) {
        float center[3];
        for (unsigned axis = 0; axis < 3; axis++)
            center[axis] = rays_uniform(seed, -8, 8);
        for (unsigned i = 0; i < 9; i++)
            scene->vertices[n][i / 3][i % 3] = center[i % 3] + rays_uniform(seed, -3, 3);
        memcpy(scene->spheres[n], center, sizeof(center));
        scene->spheres[n][3] = rays_uniform(seed, 0.5f, 2);
    }
}

/* The first instance stays where it is; others are turned, stretched and moved. */
static void make_transforms(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < MAX_INSTANCES; n++) {
        for (unsigned i = 0; i < 12; i++) {
            float plain = i % 4 == i / 4 ? 1 : 0;
            scene->transforms[n][i / 4][i % 4] = n == 0       ? plain
                                                 : i % 4 == 3 ? rays_uniform(seed, -12, 12)
                                                              : plain + rays_uniform(seed, -0.6f, 0.6f);
        }
    }
}

static void make_rays(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < RAYS; n++) {
        struct rays_ray *ray = &scene->rays[n];
        for (unsigned axis = 0; axis < 3; axis++) {
            ray->origin[axis] = rays_uniform(seed, -20, 20);
            ray->direction[axis] = rays_uniform(seed, -6, 6) - ray->origin[axis];
        }
        if (n % 8 == 1) { /* along an axis: the inverse direction is infinite */
            ray->direction[n / 8 % 3] = 0;
            ray->direction[(n / 8 + 1) % 3] = 0;
        }
        ray->least = n % 5 ? 0 : rays_uniform(seed, 0, 1);
        ray->most = n % 7 ? 1000 : rays_uniform(seed, 0.5f, 1.5f);
    }
}

/* ---- structures ---- */

static VkAccelerationStructureGeometryKHR geometry_of(struct vt *vt, const struct scene *scene, enum content content)
{
    const struct rays *test = scene->test;
    VkAccelerationStructureGeometryKHR made = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
                                               .flags = test->not_opaque ? 0 : VK_GEOMETRY_OPAQUE_BIT_KHR};
    if (content == SPHERES) {
        VkAabbPositionsKHR boxes[MAX_PRIMITIVES];
        for (unsigned n = 0; n < scene->primitives; n++) {
            const float *s = scene->spheres[n];
            boxes[n] =
                (VkAabbPositionsKHR){s[0] - s[3], s[1] - s[3], s[2] - s[3], s[0] + s[3], s[1] + s[3], s[2] + s[3]};
        }
        made.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
        made.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
            .data.deviceAddress = vt_buffer(vt, sizeof(boxes), boxes).address,
            .stride = sizeof(boxes[0])};
        return made;
    }
    /* Indices name the vertices from the last to the first. */
    uint16_t small[MAX_PRIMITIVES * 3];
    uint32_t large[MAX_PRIMITIVES * 3];
    float vertices[MAX_PRIMITIVES * 3][3];
    const unsigned count = scene->primitives * 3;
    for (unsigned n = 0; n < count; n++) {
        large[n] = count - 1 - n;
        small[n] = (uint16_t)large[n];
        memcpy(vertices[content == TRIANGLES ? n : count - 1 - n], scene->vertices[n / 3][n % 3], sizeof(vertices[0]));
    }
    made.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    made.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
        .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
        .vertexData.deviceAddress = vt_buffer(vt, sizeof(vertices), vertices).address,
        .vertexStride = sizeof(vertices[0]),
        .maxVertex = count - 1,
        .indexType = content == INDEXED_16   ? VK_INDEX_TYPE_UINT16
                     : content == INDEXED_32 ? VK_INDEX_TYPE_UINT32
                                             : VK_INDEX_TYPE_NONE_KHR};
    if (content == INDEXED_16)
        made.geometry.triangles.indexData.deviceAddress = vt_buffer(vt, sizeof(small), small).address;
    else if (content == INDEXED_32)
        made.geometry.triangles.indexData.deviceAddress = vt_buffer(vt, sizeof(large), large).address;
    return made;
}

static struct rays_structure build_primitives(struct vt *vt, const struct scene *scene,
                                              const struct rays_structure *update)
{
    const struct rays *test = scene->test;
    const bool two = test->content == TWO_GEOMETRIES;
    const VkAccelerationStructureGeometryKHR geometries[2] = {geometry_of(vt, scene, two ? TRIANGLES : test->content),
                                                              geometry_of(vt, scene, INDEXED_32)};
    const VkAccelerationStructureBuildRangeInfoKHR ranges[2] = {{.primitiveCount = scene->primitives},
                                                                {.primitiveCount = scene->primitives}};
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR |
                 (test->change == COMPACTED ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR
                  : test->change == UPDATED || test->change == UPDATED_TO
                      ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR
                      : 0),
        .geometryCount = two ? 2 : 1,
        .pGeometries = geometries};
    return rays_build(vt, &info, ranges, NULL, update, test->change == UPDATED);
}

static struct rays_structure build_instances(struct vt *vt, const struct scene *scene, VkDeviceAddress bottom)
{
    const struct rays *test = scene->test;
    VkAccelerationStructureInstanceKHR instances[MAX_INSTANCES];
    for (unsigned n = 0; n < test->instances; n++) {
        instances[n] = (VkAccelerationStructureInstanceKHR){.instanceCustomIndex = 1000 + n,
                                                            .mask = 1u << n % 8,
                                                            .flags = test->instance_flags,
                                                            .accelerationStructureReference = bottom};
        memcpy(&instances[n].transform, scene->transforms[n], sizeof(instances[n].transform));
    }
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .data.deviceAddress = vt_buffer(vt, sizeof(instances), instances).address}};
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
        .geometryCount = 1,
        .pGeometries = &geometry};
    return rays_build(vt, &info, &(const VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = test->instances},
                      NULL, NULL, false);
}

static struct rays_structure bottom_of(struct vt *vt, struct scene *scene, uint64_t *seed)
{
    const VkAccelerationStructureTypeKHR bottom = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
    struct rays_structure made = build_primitives(vt, scene, NULL);
    switch (scene->test->change) {
    case UPDATED:
    case UPDATED_TO:
        make_primitives(scene, seed);
        return build_primitives(vt, scene, &made);
    case CLONED:
        return rays_copy(vt, &made, bottom, made.storage.size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    case COMPACTED:
        return rays_copy(vt, &made, bottom,
                         rays_ask_size(vt, &made, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR),
                         VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    case SERIALIZED:
        return rays_copy_by_bytes(vt, &made, bottom, 0, 0, 0);
    default:
        return made;
    }
}

/* ---- what a ray meets, in double ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_product(double out[3], const double a[3], const double b[3])
{
    for (unsigned n = 0; n < 3; n++)
        out[n] = a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3];
}

static void transform(double out[3], const float m[3][4], const float v[3])
{
    for (unsigned n = 0; n < 3; n++)
        out[n] = (double)m[n][0] * v[0] + (double)m[n][1] * v[1] + (double)m[n][2] * v[2] + m[n][3];
}

struct meeting {
    bool hit, near_edge, front;
    double distance, u, v;
};

static struct meeting meet_triangle(const struct scene *scene, const struct rays_ray *ray, unsigned instance,
                                    unsigned n)
{
    double corner[3][3], a[3], b[3], to[3], p[3], q[3], direction[3];
    for (unsigned i = 0; i < 3; i++)
        transform(corner[i], scene->transforms[instance], scene->vertices[n][i]);
    for (unsigned i = 0; i < 3; i++) {
        a[i] = corner[1][i] - corner[0][i];
        b[i] = corner[2][i] - corner[0][i];
        to[i] = ray->origin[i] - corner[0][i];
        direction[i] = ray->direction[i];
    }
    cross_product(p, direction, b);
    cross_product(q, to, a);
    const double scale = dot(a, p), u = dot(to, p) / scale, v = dot(direction, q) / scale, t = dot(b, q) / scale,
                 edge = 1e-3;
    /* Seen clockwise in the object's own space it is the front; a mirror does not change that. */
    double m[3][3];
    for (unsigned i = 0; i < 9; i++)
        m[i / 3][i % 3] = scene->transforms[instance][i / 3][i % 3];
    double side[3];
    cross_product(side, m[0], m[1]);
    const bool mirrored = dot(side, m[2]) < 0;
    return (struct meeting){.hit = u >= 0 && v >= 0 && u + v <= 1 && t >= ray->least && t <= ray->most,
                            .near_edge = fabs(u) < edge || fabs(v) < edge || fabs(1 - u - v) < edge ||
                                         fabs(t - ray->least) < edge || fabs(t - ray->most) < edge,
                            .front = (scale > 0) != mirrored,
                            .distance = t,
                            .u = u,
                            .v = v};
}

/* Distances do not change from space to space: the direction is carried along. */
static struct meeting meet_sphere(const struct scene *scene, const struct rays_ray *ray, unsigned instance, unsigned n)
{
    double columns[3][3], rows[3][3], to[3], from[3], way[3];
    for (unsigned i = 0; i < 9; i++)
        columns[i % 3][i / 3] = scene->transforms[instance][i / 3][i % 3];
    cross_product(rows[0], columns[1], columns[2]);
    cross_product(rows[1], columns[2], columns[0]);
    cross_product(rows[2], columns[0], columns[1]);
    const double scale = dot(columns[0], rows[0]);
    for (unsigned i = 0; i < 3; i++) {
        from[i] = ray->origin[i] - scene->transforms[instance][i][3];
        way[i] = ray->direction[i];
    }
    double origin[3], direction[3];
    for (unsigned i = 0; i < 3; i++) {
        origin[i] = dot(rows[i], from) / scale;
        direction[i] = dot(rows[i], way) / scale;
        to[i] = origin[i] - scene->spheres[n][i];
    }
    const double r = scene->spheres[n][3], a = dot(direction, direction), b = dot(to, direction),
                 c = dot(to, to) - r * r, d = b * b - a * c, t = d < 0 ? -1 : (-b - sqrt(d)) / a;
    return (struct meeting){.hit = d >= 0 && t >= ray->least && t <= ray->most,
                            .near_edge =
                                fabs(d) < 1e-2 * a * r * r || fabs(t - ray->least) < 1e-3 || fabs(t - ray->most) < 1e-3,
                            .distance = t};
}

static bool is_culled(const struct rays *test, const struct meeting *met)
{
    const bool is_opaque = test->flags & RAY_OPAQUE                                              ? true
                           : test->flags & RAY_NO_OPAQUE                                         ? false
                           : test->instance_flags & VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR    ? true
                           : test->instance_flags & VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR ? false
                                                                                                 : !test->not_opaque;
    if (test->flags & RAY_CULL_OPAQUE && is_opaque)
        return true;
    if (test->content == SPHERES)
        return test->flags & RAY_SKIP_BOXES;
    const bool front = met->front != !!(test->instance_flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR);
    const bool both = test->instance_flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR;
    return test->flags & RAY_SKIP_TRIANGLES || (!both && test->flags & (front ? RAY_CULL_FRONT : RAY_CULL_BACK));
}

static bool is_accepted(const struct rays *test, unsigned primitive)
{
    const bool asks = test->flags & RAY_NO_OPAQUE || (test->not_opaque && !(test->flags & RAY_OPAQUE));
    return !asks || !test->accept || test->content == SPHERES || primitive % test->accept == 0;
}

/* False: rounding decides. */
static bool expect_result(const struct scene *scene, const struct rays_ray *ray, struct rays_hit *out,
                          struct meeting *best)
{
    const struct rays *test = scene->test;
    double next = INFINITY;
    *out = (struct rays_hit){0};
    *best = (struct meeting){.distance = INFINITY};
    for (unsigned instance = 0; instance < test->instances; instance++) {
        if (!((test->mask ? test->mask : 0xff) >> instance % 8 & 1))
            continue;
        for (unsigned n = 0; n < scene->primitives; n++) {
            const struct meeting met = test->content == SPHERES ? meet_sphere(scene, ray, instance, n)
                                                                : meet_triangle(scene, ray, instance, n);
            if (met.near_edge && met.distance < best->distance + 1e-3)
                return false;
            if (!met.hit || is_culled(test, &met) || !is_accepted(test, n))
                continue;
            if (met.distance < best->distance) {
                next = best->distance;
                *best = met;
                *out = (struct rays_hit){
                    .kind = test->content == SPHERES ? 2 : 1, .primitive = n, .instance = 1000 + instance};
            } else if (met.distance < next) {
                next = met.distance;
            }
        }
    }
    out->front =
        out->kind == 1 && best->front != !!(test->instance_flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR);
    return !out->kind || next - best->distance > 1e-3;
}

static void check_result(struct vt *vt, const struct scene *scene, const struct rays_hit *hits)
{
    unsigned compared = 0, met = 0;
    for (unsigned n = 0; n < RAYS; n++) {
        struct rays_hit want;
        struct meeting best;
        const struct rays_hit *got = &hits[n];
        if (!expect_result(scene, &scene->rays[n], &want, &best))
            continue;
        compared++;
        met += want.kind != 0;
        if (got->kind != want.kind)
            vt_fail(vt, "ray %u meets %u, not %u (%u of instance %u at %f)", n, got->kind, want.kind, want.primitive,
                    want.instance, best.distance);
        if (!want.kind || scene->test->any)
            continue;
        if (got->primitive != want.primitive || got->instance != want.instance ||
            fabs(got->distance - best.distance) > 2e-3 * (1 + best.distance))
            vt_fail(vt, "ray %u meets %u of instance %u at %f, not %u of %u at %f", n, got->primitive, got->instance,
                    got->distance, want.primitive, want.instance, best.distance);
        if (want.kind == 1 &&
            (fabs(got->u - best.u) > 5e-3 || fabs(got->v - best.v) > 5e-3 || got->front != want.front))
            vt_fail(vt, "ray %u has weights %f and %f and face %u, not %f, %f and %u", n, got->u, got->v, got->front,
                    best.u, best.v, want.front);
        /* Two geometries of the same triangles: either of them. */
        if (got->geometry > (scene->test->content == TWO_GEOMETRIES))
            vt_fail(vt, "ray %u meets geometry %u", n, got->geometry);
    }
    if (compared < RAYS / 2 ||
        (met < (scene->primitives == 1 ? 1 : RAYS / 16) && !scene->test->flags && !scene->test->mask))
        vt_fail(vt, "%u of %u rays were compared, %u met something", compared, RAYS, met);
}

static void query(struct vt *vt, const struct scene *scene, const struct rays_structure *top)
{
    const struct rays *test = scene->test;
    const uint32_t push[3] = {test->flags, test->mask ? test->mask : 0xff, test->accept ? test->accept : 1};
    check_result(vt, scene, rays_send(vt, top, RAYS_BY_WRITE, scene->rays, RAYS, push, scene->spheres, MAX_PRIMITIVES));
}

static void run_rays(struct vt *vt, const void *argument)
{
    static struct scene scene;
    uint64_t seed = 7;
    rays_need(vt);
    scene.test = argument;
    scene.primitives = scene.test->primitives;
    make_transforms(&scene, &seed);
    make_rays(&scene, &seed);
    make_primitives(&scene, &seed);
    const struct rays_structure bottom = bottom_of(vt, &scene, &seed),
                                top = build_instances(vt, &scene, bottom.address);
    query(vt, &scene, &top);
}

#define CASE(name, ...)                                                                                                \
    {                                                                                                                  \
        name, run_rays, &(const struct rays)                                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
const struct vt_case vt_rays_cases[] = {
    CASE("triangle", TRIANGLES, 1, 8),
    CASE("triangles", TRIANGLES, 500, 1),
    CASE("indices_16", INDEXED_16, 300, 1),
    CASE("indices_32", INDEXED_32, 300, 1),
    CASE("geometries", TWO_GEOMETRIES, 40, 2, .any = true),
    CASE("instances", TRIANGLES, 60, 16),
    CASE("mask", TRIANGLES, 60, 16, .mask = 0x52),
    CASE("no_mask_fits", TRIANGLES, 20, 2, .mask = 0x80),
    CASE("spheres", SPHERES, 200, 1),
    CASE("spheres_of_instances", SPHERES, 20, 9),
    CASE("cull_back", TRIANGLES, 200, 4, .flags = RAY_CULL_BACK),
    CASE("cull_front", TRIANGLES, 200, 4, .flags = RAY_CULL_FRONT),
    CASE("cull_flipped", TRIANGLES, 100, 4, .flags = RAY_CULL_BACK,
         .instance_flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR),
    CASE("cull_not_of_instance", TRIANGLES, 100, 4, .flags = RAY_CULL_BACK,
         .instance_flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR),
    CASE("cull_opaque", TRIANGLES, 100, 2, .flags = RAY_CULL_OPAQUE),
    CASE("skip_triangles", TRIANGLES, 100, 2, .flags = RAY_SKIP_TRIANGLES),
    CASE("skip_boxes", SPHERES, 100, 2, .flags = RAY_SKIP_BOXES),
    CASE("skip_not_boxes", SPHERES, 100, 2, .flags = RAY_SKIP_TRIANGLES),
    CASE("candidates", TRIANGLES, 300, 2, .not_opaque = true, .accept = 3),
    CASE("candidates_by_flag", TRIANGLES, 300, 2, .flags = RAY_NO_OPAQUE, .accept = 2),
    CASE("candidates_forced", TRIANGLES, 300, 2, .not_opaque = true, .flags = RAY_OPAQUE, .accept = 2),
    CASE("first", TRIANGLES, 200, 3, .flags = RAY_FIRST, .any = true),
    CASE("first_of_candidates", TRIANGLES, 200, 3, .flags = RAY_FIRST | RAY_NO_OPAQUE, .accept = 4, .any = true),
    CASE("update", TRIANGLES, 100, 3, .change = UPDATED),
    CASE("update_another", TRIANGLES, 100, 3, .change = UPDATED_TO),
    CASE("update_spheres", SPHERES, 100, 3, .change = UPDATED),
    CASE("clone", TRIANGLES, 100, 3, .change = CLONED),
    CASE("compact", TRIANGLES, 100, 3, .change = COMPACTED),
    CASE("compact_spheres", SPHERES, 100, 3, .change = COMPACTED),
    CASE("serialize", TRIANGLES, 100, 3, .change = SERIALIZED),
};
const size_t vt_rays_count = COUNT_OF(vt_rays_cases);
