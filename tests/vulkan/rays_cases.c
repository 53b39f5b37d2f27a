/* Ray queries: acceleration structures of triangles, spheres in boxes and instances, and 512 rays at them, each beside
 * what arithmetic in double finds among all primitives. Rays that pass so near an edge that rounding decides, or meet
 * two things at nearly one distance, are not compared. */
#include <math.h>
#include <string.h>

#include "vt.h"

#include "rays.h"

#define RAYS 512
#define MAX_PRIMITIVES 512
#define MAX_INSTANCES 16
#define LOAD(vt, name) ((PFN_vk##name)vkGetDeviceProcAddr((vt)->device, "vk" #name))

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

struct ray {
    float origin[3], least, direction[3], most;
};

struct hit {
    uint32_t kind, primitive, geometry, instance;
    float distance, u, v;
    uint32_t front;
};

struct scene {
    const struct rays *test;
    unsigned primitives; /* of a geometry */
    float vertices[MAX_PRIMITIVES][3][3];
    float spheres[MAX_PRIMITIVES][4];
    float transforms[MAX_INSTANCES][3][4];
    struct ray rays[RAYS];
};

struct structure {
    VkAccelerationStructureKHR handle;
    struct vt_buffer storage;
    VkDeviceAddress address;
};

static void need(struct vt *vt)
{
    if (!vt->has[VT_RAY_QUERY] || !vt->has[VT_ACCELERATION_STRUCTURE])
        vt_skip(vt, "no ray queries");
}

static float uniform(uint64_t *seed, float low, float high)
{
    return low + (high - low) * (float)(vt_random(seed) >> 8) * 0x1p-24f;
}

/* ---- what is there ---- */

static void make_primitives(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < scene->primitives; n++) {
        float center[3];
        for (unsigned axis = 0; axis < 3; axis++)
            center[axis] = uniform(seed, -8, 8);
        for (unsigned i = 0; i < 9; i++)
            scene->vertices[n][i / 3][i % 3] = center[i % 3] + uniform(seed, -3, 3);
        memcpy(scene->spheres[n], center, sizeof(center));
        scene->spheres[n][3] = uniform(seed, 0.5f, 2);
    }
}

/* The first instance stays where it is; others are turned, stretched and moved. */
static void make_transforms(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < MAX_INSTANCES; n++) {
        for (unsigned i = 0; i < 12; i++) {
            float plain = i % 4 == i / 4 ? 1 : 0;
            scene->transforms[n][i / 4][i % 4] = n == 0       ? plain
                                                 : i % 4 == 3 ? uniform(seed, -12, 12)
                                                              : plain + uniform(seed, -0.6f, 0.6f);
        }
    }
}

static void make_rays(struct scene *scene, uint64_t *seed)
{
    for (unsigned n = 0; n < RAYS; n++) {
        struct ray *ray = &scene->rays[n];
        for (unsigned axis = 0; axis < 3; axis++) {
            ray->origin[axis] = uniform(seed, -20, 20);
            ray->direction[axis] = uniform(seed, -6, 6) - ray->origin[axis];
        }
        if (n % 8 == 1) { /* along an axis: the inverse direction is infinite */
            ray->direction[n / 8 % 3] = 0;
            ray->direction[(n / 8 + 1) % 3] = 0;
        }
        ray->least = n % 5 ? 0 : uniform(seed, 0, 1);
        ray->most = n % 7 ? 1000 : uniform(seed, 0.5f, 1.5f);
    }
}

/* ---- structures ---- */

static void destroy_structure(struct vt *vt, uint64_t handle)
{
    LOAD(vt, DestroyAccelerationStructureKHR)(vt->device, (VkAccelerationStructureKHR)handle, NULL);
}

static struct structure make_structure(struct vt *vt, VkAccelerationStructureTypeKHR type, VkDeviceSize size_B)
{
    struct structure made = {.storage = vt_local_buffer(vt, size_B)};
    VkAccelerationStructureCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
                                                 .buffer = made.storage.buffer,
                                                 .size = size_B,
                                                 .type = type};
    VT_CHECK(vt, LOAD(vt, CreateAccelerationStructureKHR)(vt->device, &info, NULL, &made.handle));
    vt_defer(vt, destroy_structure, (uint64_t)made.handle);
    VkAccelerationStructureDeviceAddressInfoKHR address = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = made.handle};
    made.address = LOAD(vt, GetAccelerationStructureDeviceAddressKHR)(vt->device, &address);
    return made;
}

static struct structure build(struct vt *vt, VkAccelerationStructureBuildGeometryInfoKHR *info,
                              const uint32_t *primitives, const struct structure *update, bool in_place)
{
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    LOAD(vt, GetAccelerationStructureBuildSizesKHR)
    (vt->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, info, primitives, &sizes);
    VkDeviceSize scratch_B = update ? sizes.updateScratchSize : sizes.buildScratchSize;
    struct vt_buffer scratch = vt_local_buffer(vt, scratch_B + 256);
    struct structure made =
        update && in_place ? *update : make_structure(vt, info->type, sizes.accelerationStructureSize);
    info->mode =
        update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    info->srcAccelerationStructure = update ? update->handle : VK_NULL_HANDLE;
    info->dstAccelerationStructure = made.handle;
    info->scratchData.deviceAddress = (scratch.address + 255) & ~(VkDeviceAddress)255;
    VkAccelerationStructureBuildRangeInfoKHR ranges[2];
    for (uint32_t n = 0; n < info->geometryCount; n++)
        ranges[n] = (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = primitives[n]};
    const VkAccelerationStructureBuildRangeInfoKHR *all = ranges;
    VkCommandBuffer commands = vt_begin(vt);
    LOAD(vt, CmdBuildAccelerationStructuresKHR)(commands, 1, info, &all);
    vt_submit(vt, commands);
    return made;
}

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

static struct structure build_primitives(struct vt *vt, const struct scene *scene, const struct structure *update)
{
    const struct rays *test = scene->test;
    const bool two = test->content == TWO_GEOMETRIES;
    const VkAccelerationStructureGeometryKHR geometries[2] = {geometry_of(vt, scene, two ? TRIANGLES : test->content),
                                                              geometry_of(vt, scene, INDEXED_32)};
    const uint32_t primitives[2] = {scene->primitives, scene->primitives};
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
    return build(vt, &info, primitives, update, test->change == UPDATED);
}

static struct structure build_instances(struct vt *vt, const struct scene *scene, VkDeviceAddress bottom)
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
    return build(vt, &info, &test->instances, NULL, false);
}

/* ---- copies ---- */

static void destroy_queries(struct vt *vt, uint64_t handle)
{
    vkDestroyQueryPool(vt->device, (VkQueryPool)handle, NULL);
}

static VkDeviceSize ask_size(struct vt *vt, const struct structure *of, VkQueryType type)
{
    VkQueryPool pool;
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type, .queryCount = 1};
    VT_CHECK(vt, vkCreateQueryPool(vt->device, &info, NULL, &pool));
    vt_defer(vt, destroy_queries, (uint64_t)pool);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    LOAD(vt, CmdWriteAccelerationStructuresPropertiesKHR)(commands, 1, &of->handle, type, pool, 0);
    vt_submit(vt, commands);
    uint64_t size_B = 0;
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(size_B), &size_B, sizeof(size_B),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    return size_B;
}

static struct structure copy(struct vt *vt, const struct structure *from, VkDeviceSize size_B,
                             VkCopyAccelerationStructureModeKHR mode)
{
    struct structure to = make_structure(vt, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, size_B);
    VkCopyAccelerationStructureInfoKHR info = {.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
                                               .src = from->handle,
                                               .dst = to.handle,
                                               .mode = mode};
    VkCommandBuffer commands = vt_begin(vt);
    LOAD(vt, CmdCopyAccelerationStructureKHR)(commands, &info);
    vt_submit(vt, commands);
    return to;
}

/* To bytes and back. */
static struct structure copy_by_bytes(struct vt *vt, const struct structure *from)
{
    const VkDeviceSize size_B = ask_size(vt, from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
    struct vt_buffer bytes = vt_buffer(vt, size_B + 256, NULL);
    const VkDeviceAddress at = (bytes.address + 255) & ~(VkDeviceAddress)255;
    VkCopyAccelerationStructureToMemoryInfoKHR out = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
        .src = from->handle,
        .dst.deviceAddress = at,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR};
    VkCommandBuffer commands = vt_begin(vt);
    LOAD(vt, CmdCopyAccelerationStructureToMemoryKHR)(commands, &out);
    vt_submit(vt, commands);
    /* Two identifiers, the serialized size, the size of a structure, the number of structures below. */
    const uint8_t *header = (const uint8_t *)bytes.map + (at - bytes.address);
    uint64_t sizes[3];
    memcpy(sizes, header + 2 * VK_UUID_SIZE, sizeof(sizes));
    if (sizes[0] != size_B || sizes[2] != 0)
        vt_fail(vt, "the header says %llu bytes of %llu and %llu structures", (unsigned long long)sizes[0],
                (unsigned long long)size_B, (unsigned long long)sizes[2]);
    VkAccelerationStructureCompatibilityKHR fits;
    VkAccelerationStructureVersionInfoKHR version = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
                                                     .pVersionData = header};
    LOAD(vt, GetDeviceAccelerationStructureCompatibilityKHR)(vt->device, &version, &fits);
    if (fits != VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR)
        vt_fail(vt, "a device does not know its own version");
    struct structure to = make_structure(vt, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, sizes[1]);
    VkCopyMemoryToAccelerationStructureInfoKHR in = {
        .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
        .src.deviceAddress = at,
        .dst = to.handle,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR};
    commands = vt_begin(vt);
    LOAD(vt, CmdCopyMemoryToAccelerationStructureKHR)(commands, &in);
    vt_submit(vt, commands);
    return to;
}

static struct structure bottom_of(struct vt *vt, struct scene *scene, uint64_t *seed)
{
    struct structure made = build_primitives(vt, scene, NULL);
    switch (scene->test->change) {
    case UPDATED:
    case UPDATED_TO:
        make_primitives(scene, seed);
        return build_primitives(vt, scene, &made);
    case CLONED:
        return copy(vt, &made, made.storage.size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    case COMPACTED:
        return copy(vt, &made, ask_size(vt, &made, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR),
                    VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    case SERIALIZED:
        return copy_by_bytes(vt, &made);
    default:
        return made;
    }
}

/* ---- what a ray meets, in double ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double out[3], const double a[3], const double b[3])
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

static struct meeting meet_triangle(const struct scene *scene, const struct ray *ray, unsigned instance, unsigned n)
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
    cross(p, direction, b);
    cross(q, to, a);
    const double scale = dot(a, p), u = dot(to, p) / scale, v = dot(direction, q) / scale, t = dot(b, q) / scale,
                 edge = 1e-3;
    /* Seen clockwise in the object's own space it is the front; a mirror does not change that. */
    double m[3][3];
    for (unsigned i = 0; i < 9; i++)
        m[i / 3][i % 3] = scene->transforms[instance][i / 3][i % 3];
    double side[3];
    cross(side, m[0], m[1]);
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
static struct meeting meet_sphere(const struct scene *scene, const struct ray *ray, unsigned instance, unsigned n)
{
    double columns[3][3], rows[3][3], to[3], from[3], way[3];
    for (unsigned i = 0; i < 9; i++)
        columns[i % 3][i / 3] = scene->transforms[instance][i / 3][i % 3];
    cross(rows[0], columns[1], columns[2]);
    cross(rows[1], columns[2], columns[0]);
    cross(rows[2], columns[0], columns[1]);
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
static bool expect(const struct scene *scene, const struct ray *ray, struct hit *out, struct meeting *best)
{
    const struct rays *test = scene->test;
    double next = INFINITY;
    *out = (struct hit){0};
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
                *out =
                    (struct hit){.kind = test->content == SPHERES ? 2 : 1, .primitive = n, .instance = 1000 + instance};
            } else if (met.distance < next) {
                next = met.distance;
            }
        }
    }
    out->front =
        out->kind == 1 && best->front != !!(test->instance_flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR);
    return !out->kind || next - best->distance > 1e-3;
}

static void check(struct vt *vt, const struct scene *scene, const struct hit *hits)
{
    unsigned compared = 0, met = 0;
    for (unsigned n = 0; n < RAYS; n++) {
        struct hit want;
        struct meeting best;
        const struct hit *got = &hits[n];
        if (!expect(scene, &scene->rays[n], &want, &best))
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

/* ---- the query ---- */

static void destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}

static void destroy_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyPipelineLayout(vt->device, (VkPipelineLayout)handle, NULL);
}

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

#define BINDINGS 4 /* the structure, then buffers */

static VkDescriptorSetLayout make_set_layout(struct vt *vt)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t n = 0; n < BINDINGS; n++)
        bindings[n] = (VkDescriptorSetLayoutBinding){
            .binding = n,
            .descriptorType = n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkDescriptorSetLayout layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)layout);
    return layout;
}

static VkDescriptorSet make_set(struct vt *vt, VkDescriptorSetLayout layout, const struct structure *top,
                                const struct vt_buffer buffers[BINDINGS - 1])
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BINDINGS - 1},
                                          {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1}};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = COUNT_OF(sizes),
                                            .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &info, &set));
    VkWriteDescriptorSetAccelerationStructureKHR structures = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 1,
        .pAccelerationStructures = &top->handle};
    VkDescriptorBufferInfo infos[BINDINGS];
    VkWriteDescriptorSet writes[BINDINGS];
    for (uint32_t n = 0; n < BINDINGS; n++) {
        writes[n] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = n,
                                           .descriptorCount = 1,
                                           .descriptorType = n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                               : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR};
        if (!n) {
            writes[n].pNext = &structures;
            continue;
        }
        infos[n] = (VkDescriptorBufferInfo){buffers[n - 1].buffer, 0, VK_WHOLE_SIZE};
        writes[n].pBufferInfo = &infos[n];
    }
    vkUpdateDescriptorSets(vt->device, BINDINGS, writes, 0, NULL);
    return set;
}

static VkPipeline make_pipeline(struct vt *vt, VkPipelineLayout layout)
{
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(rays), .pCode = rays};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &module_info, NULL, &info.stage.module));
    VkResult result = vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    vkDestroyShaderModule(vt->device, info.stage.module, NULL);
    VT_CHECK(vt, result);
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

static void query(struct vt *vt, const struct scene *scene, const struct structure *top)
{
    const struct rays *test = scene->test;
    const struct vt_buffer buffers[BINDINGS - 1] = {vt_buffer(vt, sizeof(scene->rays), scene->rays),
                                                    vt_buffer(vt, RAYS * sizeof(struct hit), NULL),
                                                    vt_buffer(vt, sizeof(scene->spheres), scene->spheres)};
    const uint32_t push[4] = {RAYS, test->flags, test->mask ? test->mask : 0xff, test->accept ? test->accept : 1};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push)};
    VkDescriptorSetLayout set_layout = make_set_layout(vt);
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, destroy_layout, (uint64_t)layout);
    VkDescriptorSet set = make_set(vt, set_layout, top, buffers);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, make_pipeline(vt, layout));
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
    vkCmdDispatch(commands, RAYS / 64, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    check(vt, scene, buffers[1].map);
}

static void run(struct vt *vt, const void *argument)
{
    static struct scene scene;
    uint64_t seed = 7;
    need(vt);
    scene.test = argument;
    scene.primitives = scene.test->primitives;
    make_transforms(&scene, &seed);
    make_rays(&scene, &seed);
    make_primitives(&scene, &seed);
    const struct structure bottom = bottom_of(vt, &scene, &seed), top = build_instances(vt, &scene, bottom.address);
    query(vt, &scene, &top);
}

#define CASE(name, ...)                                                                                                \
    {                                                                                                                  \
        name, run, &(const struct rays)                                                                                \
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
