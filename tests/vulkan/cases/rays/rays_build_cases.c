/* Inputs of acceleration structures: counts, formats, indices, transforms, many geometries, primitives that are not
 * active, nothing at all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/rays/rays_world.h"
#include "vt/vt_format.h"

/* ---- counts ---- */

static void run_count(struct vt *vt, const void *argument)
{
    const unsigned count = *(const unsigned *)argument;
    struct rays_world *world = rays_make_world(vt, count, 2);
    rays_make_solids(world, count, false);
    const struct rays_structure bottom = rays_build_solids(vt, world, 0, NULL),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    rays_look(vt, world, &top, RAYS_BY_WRITE, count > 2 ? 4 : count ? 1 : 0);
}

/* All in one place: no order tells them apart. */
static void run_same(struct vt *vt, const void *argument)
{
    (void)argument;
    struct rays_world *world = rays_make_world(vt, 1500, 1);
    rays_make_solids(world, 3, false);
    for (unsigned n = 0; n < world->count; n++)
        memcpy(world->solids[n].corners, (double[3][3]){{-0.9, -0.9, 0.2}, {0.8, -0.7, -0.3}, {0.1, 0.9, 0.1}},
               sizeof(world->solids[n].corners));
    world->any = true;
    const struct rays_structure bottom = rays_build_solids(vt, world, 0, NULL),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    rays_look(vt, world, &top, RAYS_BY_WRITE, 16);
}

/* ---- formats, indices, transforms ---- */

struct input {
    VkFormat format;
    VkIndexType indices;
    bool is_transformed;
    bool has_offsets; /* all that a range can have, and room between vertices */
};

static const float geometry_transform[3][4] = {
    {0.8f, -0.5f, 0.1f, 0.05f}, {0.4f, 0.7f, -0.3f, -0.1f}, {0.1f, 0.35f, 0.9f, 0.2f}};

/* As the GPU will see it. */
static void encode_vertices(const struct input *input, const double corner[3], void *out, double seen_out[3])
{
    float values[4] = {(float)corner[0], (float)corner[1], (float)corner[2], 1};
    int16_t words[4];
    uint16_t halves[4];
    seen_out[2] = 0;
    for (unsigned i = 0; i < 4; i++) {
        words[i] = (int16_t)lrintf(values[i] * 32767);
        halves[i] = vt_half_bits(values[i]);
    }
    switch (input->format) {
    case VK_FORMAT_R32G32_SFLOAT:
    case VK_FORMAT_R32G32B32_SFLOAT: {
        const unsigned channels = input->format == VK_FORMAT_R32G32_SFLOAT ? 2 : 3;
        memcpy(out, values, channels * sizeof(float));
        for (unsigned i = 0; i < channels; i++)
            seen_out[i] = values[i];
        return;
    }
    case VK_FORMAT_R16G16_SFLOAT:
    case VK_FORMAT_R16G16B16A16_SFLOAT: {
        const unsigned channels = input->format == VK_FORMAT_R16G16_SFLOAT ? 2 : 4;
        memcpy(out, halves, channels * sizeof(halves[0]));
        for (unsigned i = 0; i < channels && i < 3; i++)
            seen_out[i] = vt_half_value(halves[i]);
        return;
    }
    default: {
        const unsigned channels = input->format == VK_FORMAT_R16G16_SNORM ? 2 : 4;
        memcpy(out, words, channels * sizeof(words[0]));
        for (unsigned i = 0; i < channels && i < 3; i++)
            seen_out[i] = words[i] / 32767.0;
    }
    }
}

static unsigned vertex_B(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R32G32B32_SFLOAT:
        return 12;
    case VK_FORMAT_R16G16_SFLOAT:
    case VK_FORMAT_R16G16_SNORM:
        return 4;
    default:
        return 8;
    }
}

/* Where vertices, indices and the matrix begin, and how far indices are from vertices. */
#define FIRST_VERTEX 5u
#define FIRST_INDEX 7u
#define MATRIX_B 32u

/* The vertices in the order of indices that run backwards, or as they come. */
static struct vt_buffer write_vertices(struct vt *vt, struct rays_world *world, const struct input *input,
                                       unsigned stride_B)
{
    const unsigned corners = world->count * 3;
    struct vt_buffer buffer = vt_buffer(vt, (corners + FIRST_VERTEX + FIRST_INDEX) * stride_B, NULL);
    for (unsigned n = 0; n < corners; n++) {
        double *corner = world->solids[n / 3].corners[n % 3], seen[3];
        unsigned place = input->indices == VK_INDEX_TYPE_NONE_KHR ? n : corners - 1 - n;
        place += input->has_offsets ? FIRST_VERTEX : 0;
        /* Without indices the range's offset counts in vertices. */
        if (input->has_offsets && input->indices == VK_INDEX_TYPE_NONE_KHR)
            place += FIRST_INDEX;
        encode_vertices(input, corner, (uint8_t *)buffer.map + place * stride_B, seen);
        for (unsigned i = 0; i < 3; i++)
            corner[i] = input->is_transformed
                            ? geometry_transform[i][0] * seen[0] + geometry_transform[i][1] * seen[1] +
                                  geometry_transform[i][2] * seen[2] + geometry_transform[i][3]
                            : seen[i];
    }
    return buffer;
}

static struct vt_buffer write_indices(struct vt *vt, const struct rays_world *world, const struct input *input)
{
    const unsigned count = world->count * 3, first = input->has_offsets ? FIRST_INDEX : 0,
                   size_B = input->indices == VK_INDEX_TYPE_UINT32 ? 4 : 2;
    struct vt_buffer buffer = vt_buffer(vt, (count + first) * size_B, NULL);
    for (unsigned n = 0; n < count; n++) {
        const uint32_t index = count - 1 - n;
        memcpy((uint8_t *)buffer.map + (n + first) * size_B, &index, size_B);
    }
    return buffer;
}

static void need_format(struct vt *vt, VkFormat format)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, format, &properties);
    if (!(properties.bufferFeatures & VK_FORMAT_FEATURE_ACCELERATION_STRUCTURE_VERTEX_BUFFER_BIT_KHR))
        vt_fail(vt, "a format that must be read is not");
}

static void run_input(struct vt *vt, const void *argument)
{
    const struct input *input = argument;
    struct rays_world *world = rays_make_world(vt, 200, 1);
    need_format(vt, input->format);
    rays_make_solids(world, 5, input->format == VK_FORMAT_R32G32_SFLOAT || vertex_B(input->format) == 4);
    const bool is_indexed = input->indices != VK_INDEX_TYPE_NONE_KHR;
    const unsigned stride_B = vertex_B(input->format) + (input->has_offsets ? 8 : 0);
    const struct vt_buffer vertices = write_vertices(vt, world, input, stride_B);
    VkAccelerationStructureGeometryKHR geometry = rays_triangles_at(vertices.address, world->count);
    VkAccelerationStructureGeometryTrianglesDataKHR *triangles = &geometry.geometry.triangles;
    triangles->vertexFormat = input->format;
    triangles->vertexStride = stride_B;
    triangles->maxVertex = world->count * 3 - 1 + FIRST_VERTEX + FIRST_INDEX;
    triangles->indexType = input->indices;
    if (is_indexed)
        triangles->indexData.deviceAddress = write_indices(vt, world, input).address;
    if (input->is_transformed) {
        struct vt_buffer matrix = vt_buffer(vt, MATRIX_B + sizeof(geometry_transform), NULL);
        memcpy((uint8_t *)matrix.map + (input->has_offsets ? MATRIX_B : 0), geometry_transform,
               sizeof(geometry_transform));
        triangles->transformData.deviceAddress = matrix.address;
    }
    VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = world->count};
    if (input->has_offsets) {
        range.firstVertex = FIRST_VERTEX;
        range.primitiveOffset =
            FIRST_INDEX * (is_indexed ? (input->indices == VK_INDEX_TYPE_UINT32 ? 4u : 2u) : stride_B);
        range.transformOffset = input->is_transformed ? MATRIX_B : 0;
    }
    VkAccelerationStructureBuildGeometryInfoKHR info = rays_bottom_of(&geometry, 1, 0);
    const struct rays_structure bottom = rays_build(vt, &info, &range, NULL, NULL, false),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    rays_look(vt, world, &top, RAYS_BY_WRITE, 8);
}

/* ---- many geometries ---- */

#define GEOMETRIES 40

/* Of 0 to 6 triangles; by pointers to them where the application likes that better. */
static void run_geometries(struct vt *vt, const void *argument)
{
    const bool by_pointers = argument != NULL;
    VkAccelerationStructureGeometryKHR geometries[GEOMETRIES];
    const VkAccelerationStructureGeometryKHR *pointers[GEOMETRIES];
    VkAccelerationStructureBuildRangeInfoKHR ranges[GEOMETRIES];
    unsigned first = 0;
    struct rays_world *world = rays_make_world(vt, 0, 2);
    for (unsigned n = 0; n < GEOMETRIES; n++)
        world->count += n % 7;
    world->solids = realloc(world->solids, world->count * sizeof(*world->solids));
    rays_make_solids(world, 9, false);
    const struct vt_buffer buffer = rays_corners_of(vt, world);
    for (unsigned n = 0; n < GEOMETRIES; first += n % 7, n++) {
        geometries[n] = rays_triangles_at(buffer.address, world->count);
        pointers[n] = &geometries[n];
        ranges[n] = (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = n % 7,
                                                               .primitiveOffset = first * 9 * sizeof(float)};
        for (unsigned i = 0; i < n % 7; i++) {
            world->solids[first + i].primitive = i;
            world->solids[first + i].geometry = n;
        }
    }
    VkAccelerationStructureBuildGeometryInfoKHR info = rays_bottom_of(by_pointers ? NULL : geometries, GEOMETRIES, 0);
    info.ppGeometries = by_pointers ? pointers : NULL;
    const struct rays_structure bottom = rays_build(vt, &info, ranges, NULL, NULL, false),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    rays_look(vt, world, &top, RAYS_BY_WRITE, 8);
}

/* ---- what is not active ---- */

enum inactive {
    SOME_TRIANGLES,
    ALL_TRIANGLES,
    UPDATED_TRIANGLES,
    SOME_INSTANCES,
    ALL_INSTANCES,
    NO_INSTANCES,
};

static void run_inactive(struct vt *vt, const void *argument)
{
    const enum inactive what = *(const enum inactive *)argument;
    const bool is_empty = what == ALL_TRIANGLES || what == ALL_INSTANCES || what == NO_INSTANCES;
    struct rays_world *world = rays_make_world(vt, 150, what == NO_INSTANCES ? 0 : 6);
    rays_make_solids(world, 4, false);
    for (unsigned n = 0; n < world->count && what <= UPDATED_TRIANGLES; n++)
        world->solids[n].is_active = what != ALL_TRIANGLES && n % 3 != 1;
    for (unsigned n = 0; n < world->instances && what >= SOME_INSTANCES; n++)
        world->is_there[n] = what != ALL_INSTANCES && n % 3 != 1;
    struct rays_structure bottom =
        rays_build_solids(vt, world, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR, NULL);
    if (what == UPDATED_TRIANGLES) {
        for (unsigned n = 0; n < world->count; n++) {
            for (unsigned i = 0; i < 3; i++) {
                world->solids[n].corners[i][0] *= -1;
                world->solids[n].corners[i][2] += 0.1 * i;
            }
        }
        bottom = rays_build_solids(vt, world, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR, &bottom);
    }
    const struct rays_structure top = rays_build_top(vt, world, bottom.address, false, NULL);
    rays_look(vt, world, &top, RAYS_BY_WRITE, is_empty ? 0 : 8);
}

/* ---- spheres in boxes ---- */

#define SPHERES 60
#define BOX_STRIDE_B 40u
#define FIRST_BOX 3u

static double meet_sphere(const float sphere[4], const struct rays_ray *ray, bool *near_edge_out)
{
    double a = 0, b = 0, c = -(double)sphere[3] * sphere[3];
    for (unsigned i = 0; i < 3; i++) {
        const double to = (double)ray->origin[i] - sphere[i], d = ray->direction[i];
        a += d * d;
        b += to * d;
        c += to * to;
    }
    const double inside = b * b - a * c;
    *near_edge_out = fabs(inside) < 1e-2 * a * sphere[3] * sphere[3];
    return inside < 0 ? INFINITY : (-b - sqrt(inside)) / a;
}

/* With room between the boxes and before the first; every third one has no least x and is not active. */
static void run_spheres(struct vt *vt, const void *argument)
{
    (void)argument;
    struct rays_world *world = rays_make_world(vt, 0, 1);
    struct vt_buffer boxes = vt_buffer(vt, (FIRST_BOX + SPHERES) * BOX_STRIDE_B, NULL);
    float spheres[SPHERES][4];
    uint64_t seed = 21;
    for (unsigned n = 0; n < SPHERES; n++) {
        VkAabbPositionsKHR *box = (VkAabbPositionsKHR *)((uint8_t *)boxes.map + (FIRST_BOX + n) * BOX_STRIDE_B);
        for (unsigned i = 0; i < 3; i++)
            spheres[n][i] = rays_uniform(&seed, -8, 8);
        const float *s = spheres[n], r = spheres[n][3] = rays_uniform(&seed, 0.5f, 2);
        *box = (VkAabbPositionsKHR){s[0] - r, s[1] - r, s[2] - r, s[0] + r, s[1] + r, s[2] + r};
        box->minX = n % 3 == 1 ? NAN : box->minX;
    }
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
        .geometry.aabbs = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                           .data.deviceAddress = boxes.address,
                           .stride = BOX_STRIDE_B}};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = SPHERES,
                                                            .primitiveOffset = FIRST_BOX * BOX_STRIDE_B};
    VkAccelerationStructureBuildGeometryInfoKHR info = rays_bottom_of(&geometry, 1, 0);
    for (unsigned i = 0; i < 3; i++)
        world->transforms[0].matrix[i][i] = 1;
    const struct rays_structure bottom = rays_build(vt, &info, &range, NULL, NULL, false),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    const struct rays_hit *hits = rays_send(vt, &top, RAYS_BY_WRITE, world->rays, RAYS_SENT,
                                            (const uint32_t[3]){0, 0xff, 1}, (const float(*)[4])spheres, SPHERES);
    unsigned met = 0;
    for (unsigned n = 0; n < RAYS_SENT; n++) {
        double best = INFINITY, next = INFINITY;
        unsigned which = 0;
        bool is_near = false, near_edge;
        for (unsigned i = 0; i < SPHERES; i++) {
            const double t = i % 3 == 1 ? INFINITY : meet_sphere(spheres[i], &world->rays[n], &near_edge);
            is_near |= i % 3 != 1 && near_edge;
            if (t < 0 || t > world->rays[n].most)
                continue;
            next = t < best ? best : fmin(next, t);
            which = t < best ? i : which;
            best = fmin(best, t);
        }
        if (is_near || next - best < 1e-3)
            continue;
        met += isfinite(best);
        if (hits[n].kind != (isfinite(best) ? 2u : 0u) || (hits[n].kind && hits[n].primitive != which))
            vt_fail(vt, "ray %u meets %u of kind %u, not %u at %f", n, hits[n].primitive, hits[n].kind, which, best);
    }
    if (met < 16)
        vt_fail(vt, "%u rays met something", met);
}

#define COUNT(n)                                                                                                       \
    {                                                                                                                  \
        "count " #n, run_count, &(const unsigned)                                                                      \
        {                                                                                                              \
            n                                                                                                          \
        }                                                                                                              \
    }
#define INPUT(name, ...)                                                                                               \
    {                                                                                                                  \
        name, run_input, &(const struct input)                                                                         \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define INACTIVE(name, what)                                                                                           \
    {                                                                                                                  \
        name, run_inactive, &(const enum inactive)                                                                     \
        {                                                                                                              \
            what                                                                                                       \
        }                                                                                                              \
    }
const struct vt_case vt_rays_build_cases[] = {
    COUNT(0),
    COUNT(1),
    COUNT(2),
    COUNT(4),
    COUNT(5),
    COUNT(17),
    COUNT(64),
    COUNT(65),
    COUNT(1024),
    COUNT(1025),
    COUNT(5000),
    COUNT(100000),
    {"one place", run_same, NULL},
    INPUT("three floats", VK_FORMAT_R32G32B32_SFLOAT, VK_INDEX_TYPE_NONE_KHR, true),
    INPUT("two floats", VK_FORMAT_R32G32_SFLOAT, VK_INDEX_TYPE_NONE_KHR),
    INPUT("two floats transformed", VK_FORMAT_R32G32_SFLOAT, VK_INDEX_TYPE_UINT32, true),
    INPUT("two halves", VK_FORMAT_R16G16_SFLOAT, VK_INDEX_TYPE_NONE_KHR),
    INPUT("four halves", VK_FORMAT_R16G16B16A16_SFLOAT, VK_INDEX_TYPE_UINT16),
    INPUT("two shares", VK_FORMAT_R16G16_SNORM, VK_INDEX_TYPE_UINT32),
    INPUT("four shares", VK_FORMAT_R16G16B16A16_SNORM, VK_INDEX_TYPE_NONE_KHR),
    INPUT("four shares transformed", VK_FORMAT_R16G16B16A16_SNORM, VK_INDEX_TYPE_UINT16, true, true),
    INPUT("offsets", VK_FORMAT_R32G32B32_SFLOAT, VK_INDEX_TYPE_NONE_KHR, true, true),
    INPUT("offsets of 16-bit indices", VK_FORMAT_R32G32B32_SFLOAT, VK_INDEX_TYPE_UINT16, false, true),
    INPUT("offsets of 32-bit indices", VK_FORMAT_R32G32B32_SFLOAT, VK_INDEX_TYPE_UINT32, true, true),
    {"forty geometries", run_geometries, NULL},
    {"forty pointers to geometries", run_geometries, ""},
    INACTIVE("some triangles not active", SOME_TRIANGLES),
    INACTIVE("no triangle active", ALL_TRIANGLES),
    INACTIVE("some triangles not active updated", UPDATED_TRIANGLES),
    INACTIVE("some instances not active", SOME_INSTANCES),
    INACTIVE("no instance active", ALL_INSTANCES),
    INACTIVE("no instances", NO_INSTANCES),
    {"some boxes not active", run_spheres, NULL},
};
const size_t vt_rays_build_count = COUNT_OF(vt_rays_build_cases);
