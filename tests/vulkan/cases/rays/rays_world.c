/* Worlds of triangles. */
#include "cases/rays/rays_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCE_INDEX 50 /* of the first */
#define SCALE 8.0f        /* of instances */

/* ---- what is there ---- */

static void free_world(struct vt *vt, uint64_t handle)
{
    struct rays_world *world = (struct rays_world *)(uintptr_t)handle;
    (void)vt;
    free(world->solids);
    free(world);
}

struct rays_world *rays_make_world(struct vt *vt, unsigned count, unsigned instances)
{
    rays_need(vt);
    struct rays_world *world = calloc(1, sizeof(*world));
    world->solids = calloc(count + 1, sizeof(*world->solids));
    vt_defer(vt, free_world, (uint64_t)(uintptr_t)world);
    world->count = count;
    world->instances = instances;
    uint64_t seed = 11;
    for (unsigned n = 0; n < instances; n++) {
        world->is_there[n] = true;
        for (unsigned i = 0; i < 3; i++) {
            world->transforms[n].matrix[i][i] = SCALE;
            world->transforms[n].matrix[i][3] = n ? rays_uniform(&seed, -12, 12) : 0;
        }
    }
    for (unsigned n = 0; n < RAYS_SENT; n++) {
        struct rays_ray *ray = &world->rays[n];
        for (unsigned axis = 0; axis < 3; axis++) {
            ray->origin[axis] = rays_uniform(&seed, -20, 20);
            ray->direction[axis] = rays_uniform(&seed, -7, 7) - ray->origin[axis];
        }
        ray->most = 1000;
    }
    return world;
}

void rays_make_solids(struct rays_world *world, uint64_t seed, bool flat)
{
    unsigned side = 1;
    while (side * side < world->count)
        side++;
    for (unsigned n = 0; n < world->count; n++) {
        struct rays_solid *solid = &world->solids[n];
        const double cell[2] = {n % side, n / side};
        solid->primitive = n;
        solid->is_active = true;
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned axis = 0; axis < 2; axis++)
                solid->corners[i][axis] = (cell[axis] + 0.5 + 0.45 * rays_uniform(&seed, -1, 1)) * 2 / side - 1;
            solid->corners[i][2] = flat ? 0 : rays_uniform(&seed, -0.9f, 0.9f);
        }
    }
}

struct vt_buffer rays_corners_of(struct vt *vt, struct rays_world *world)
{
    struct vt_buffer buffer = vt_buffer(vt, (world->count ? world->count : 1) * 9 * sizeof(float), NULL);
    float(*corners)[3] = buffer.map;
    for (unsigned n = 0; n < world->count; n++) {
        struct rays_solid *solid = &world->solids[n];
        for (unsigned i = 0; i < 9; i++) {
            corners[n * 3 + i / 3][i % 3] = (float)solid->corners[i / 3][i % 3];
            solid->corners[i / 3][i % 3] = corners[n * 3 + i / 3][i % 3];
        }
        if (!solid->is_active)
            corners[n * 3 + n % 3][0] = NAN;
    }
    return buffer;
}

/* ---- structures ---- */

VkAccelerationStructureGeometryKHR rays_triangles_at(VkDeviceAddress address, unsigned count)
{
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = address,
                               .vertexStride = 3 * sizeof(float),
                               .maxVertex = count ? count * 3 - 1 : 0,
                               .indexType = VK_INDEX_TYPE_NONE_KHR},
        .flags = VK_GEOMETRY_OPAQUE_BIT_KHR};
}

VkAccelerationStructureBuildGeometryInfoKHR rays_bottom_of(const VkAccelerationStructureGeometryKHR *geometries,
                                                           uint32_t count, VkBuildAccelerationStructureFlagsKHR flags)
{
    return (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .flags = flags,
        .geometryCount = count,
        .pGeometries = geometries};
}

struct rays_structure rays_build_solids(struct vt *vt, struct rays_world *world,
                                        VkBuildAccelerationStructureFlagsKHR flags, const struct rays_structure *update)
{
    const VkAccelerationStructureGeometryKHR geometry =
        rays_triangles_at(rays_corners_of(vt, world).address, world->count);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = world->count};
    VkAccelerationStructureBuildGeometryInfoKHR info = rays_bottom_of(&geometry, 1, flags);
    return rays_build(vt, &info, &range, NULL, update, true);
}

VkAccelerationStructureGeometryKHR rays_instances_of(struct vt *vt, const struct rays_world *world,
                                                     VkDeviceAddress bottom, bool by_pointers)
{
    VkAccelerationStructureInstanceKHR instances[RAYS_MAX_INSTANCES];
    for (unsigned n = 0; n < world->instances; n++)
        instances[n] =
            (VkAccelerationStructureInstanceKHR){.transform = world->transforms[n],
                                                 .instanceCustomIndex = INSTANCE_INDEX + n,
                                                 .mask = 0xff,
                                                 .accelerationStructureReference = world->is_there[n] ? bottom : 0};
    VkDeviceAddress address = vt_buffer(vt, sizeof(instances), instances).address, pointers[RAYS_MAX_INSTANCES];
    for (unsigned n = 0; n < RAYS_MAX_INSTANCES; n++)
        pointers[n] = address + n * sizeof(instances[0]);
    if (by_pointers)
        address = vt_buffer(vt, sizeof(pointers), pointers).address;
    return (VkAccelerationStructureGeometryKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .arrayOfPointers = by_pointers,
                               .data.deviceAddress = address}};
}

struct rays_structure rays_build_top(struct vt *vt, const struct rays_world *world, VkDeviceAddress bottom,
                                     bool by_pointers, const struct rays_structure *update)
{
    const VkAccelerationStructureGeometryKHR geometry = rays_instances_of(vt, world, bottom, by_pointers);
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
        .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
        .geometryCount = 1,
        .pGeometries = &geometry};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = world->instances};
    return rays_build(vt, &info, &range, NULL, update, true);
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

/* How far, or infinity; *near_edge_out: or not. Edges count in shares of a side, which is short where triangles are
 * small. */
static double meet_triangle(const VkTransformMatrixKHR *at, const struct rays_solid *solid, const struct rays_ray *ray,
                            bool *near_edge_out)
{
    double corner[3][3], a[3], b[3], to[3], p[3], q[3], direction[3];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned n = 0; n < 3; n++)
            corner[i][n] = at->matrix[n][0] * solid->corners[i][0] + at->matrix[n][1] * solid->corners[i][1] +
                           at->matrix[n][2] * solid->corners[i][2] + at->matrix[n][3];
    }
    for (unsigned n = 0; n < 3; n++) {
        a[n] = corner[1][n] - corner[0][n];
        b[n] = corner[2][n] - corner[0][n];
        to[n] = ray->origin[n] - corner[0][n];
        direction[n] = ray->direction[n];
    }
    cross_product(p, direction, b);
    cross_product(q, to, a);
    const double scale = dot(a, p), u = dot(to, p) / scale, v = dot(direction, q) / scale, t = dot(b, q) / scale,
                 size = sqrt(fmin(dot(a, a), dot(b, b))), edge = 1e-3 + 2e-4 / (size + 1e-9);
    *near_edge_out =
        u > -edge && v > -edge && u + v < 1 + edge && (u < edge || v < edge || u + v > 1 - edge || fabs(scale) < 1e-9);
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= ray->most ? t : INFINITY;
}

struct expected {
    double distance;
    const struct rays_solid *solid;
    unsigned instance;
};

/* False: rounding decides. */
static bool expect_result(const struct rays_world *world, const struct rays_ray *ray, struct expected *out)
{
    double next = INFINITY;
    *out = (struct expected){.distance = INFINITY};
    for (unsigned instance = 0; instance < world->instances; instance++) {
        for (unsigned n = 0; world->is_there[instance] && n < world->count; n++) {
            const struct rays_solid *solid = &world->solids[n];
            bool near_edge;
            if (!solid->is_active)
                continue;
            double distance = meet_triangle(&world->transforms[instance], solid, ray, &near_edge);
            if (near_edge)
                return false;
            if (distance < out->distance) {
                next = out->distance;
                *out = (struct expected){distance, solid, instance};
            } else if (distance < next) {
                next = distance;
            }
        }
    }
    return world->any || !out->solid || next - out->distance > 1e-3;
}

static void check_result(struct vt *vt, const struct rays_world *world, const struct rays_hit *hits, unsigned least_met)
{
    unsigned compared = 0, met = 0;
    for (unsigned n = 0; n < RAYS_SENT; n++) {
        const struct rays_hit *got = &hits[n];
        struct expected want;
        if (!expect_result(world, &world->rays[n], &want))
            continue;
        compared++;
        met += want.solid != NULL;
        if (got->kind != (want.solid != NULL))
            vt_fail(vt, "ray %u meets %u (%u at %f), not %d (%u at %f)", n, got->kind, got->primitive, got->distance,
                    want.solid != NULL, want.solid ? want.solid->primitive : 0, want.distance);
        if (!want.solid)
            continue;
        if (fabs(got->distance - want.distance) > 2e-3 * (1 + want.distance))
            vt_fail(vt, "ray %u meets %u at %f, not at %f", n, got->primitive, got->distance, want.distance);
        if (!world->any && (got->primitive != want.solid->primitive || got->geometry != want.solid->geometry ||
                            got->instance != INSTANCE_INDEX + want.instance))
            vt_fail(vt, "ray %u meets %u of geometry %u of instance %u, not %u of %u of %u", n, got->primitive,
                    got->geometry, got->instance, want.solid->primitive, want.solid->geometry,
                    INSTANCE_INDEX + want.instance);
    }
    if (compared < RAYS_SENT / 2 || met < least_met)
        vt_fail(vt, "%u of %u rays were compared, %u met something", compared, RAYS_SENT, met);
}

void rays_look(struct vt *vt, const struct rays_world *world, const struct rays_structure *top,
               enum rays_binding binding, unsigned least_met)
{
    const uint32_t push[3] = {0, 0xff, 1};
    check_result(vt, world, rays_send(vt, top, binding, world->rays, RAYS_SENT, push, NULL, 0), least_met);
}
