/* VK_KHR_ray_tracing_position_fetch: the corners of the triangle that a ray meets, by queries and in hit shaders, of
 * structures that are built, updated and copied. They are the object's, whatever the instance does with them. */
#include <math.h>
#include <string.h>

#include "cases/rays/rays_world.h"
#include "cases/rays/trace_case.h"
#include "vulkan/runtime/gen/vk_newer.h"

#define DATA_ACCESS VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_DATA_ACCESS_KHR

static void need_feature(struct vt *vt)
{
    if (!vt->has[VT_POSITION_FETCH])
        vt_skip(vt, "no positions of what rays meet");
}

/* ---- queries ---- */

enum change {
    BUILT,
    CANDIDATES,  /* the corners of candidates, of which the last that is taken is the nearest */
    TRANSFORMED, /* by the geometry's matrix */
    UPDATED,
    CLONED,
    COMPACTED,
    OF_BYTES,
};

/* The corners of the structure are those of the world, turned and moved. */
static struct rays_structure build_transformed(struct vt *vt, struct rays_world *world)
{
    static const VkTransformMatrixKHR matrix = {{{0, -0.5f, 0, 0.25f}, {0.5f, 0, 0, -0.125f}, {0, 0, 0.75f, 0.5f}}};
    VkAccelerationStructureGeometryKHR geometry = rays_triangles_at(rays_corners_of(vt, world).address, world->count);
    geometry.geometry.triangles.transformData.deviceAddress = vt_buffer(vt, sizeof(matrix), &matrix).address;
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = world->count};
    VkAccelerationStructureBuildGeometryInfoKHR info = rays_bottom_of(&geometry, 1, DATA_ACCESS);
    const struct rays_structure made = rays_build(vt, &info, &range, NULL, NULL, false);
    for (unsigned n = 0; n < world->count; n++) {
        for (unsigned i = 0; i < 3; i++) {
            double corner[3];
            memcpy(corner, world->solids[n].corners[i], sizeof(corner));
            for (unsigned axis = 0; axis < 3; axis++) {
                const float *row = matrix.matrix[axis];
                world->solids[n].corners[i][axis] =
                    row[0] * corner[0] + row[1] * corner[1] + row[2] * corner[2] + row[3];
            }
        }
    }
    return made;
}

static struct rays_structure build_changed(struct vt *vt, struct rays_world *world, enum change change)
{
    const VkAccelerationStructureTypeKHR type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
    const VkBuildAccelerationStructureFlagsKHR flags =
        DATA_ACCESS | (change == UPDATED     ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR
                       : change == COMPACTED ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR
                                             : 0);
    if (change == TRANSFORMED)
        return build_transformed(vt, world);
    const struct rays_structure made = rays_build_solids(vt, world, flags, NULL);
    switch (change) {
    case UPDATED:
        for (unsigned n = 0; n < world->count * 9; n++)
            world->solids[n / 9].corners[n / 3 % 3][n % 3] *= 0.75;
        return rays_build_solids(vt, world, flags, &made);
    case CLONED:
        return rays_copy(vt, &made, type, made.storage.size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    case COMPACTED:
        return rays_copy(vt, &made, type,
                         rays_ask_size(vt, &made, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR),
                         VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
    case OF_BYTES:
        return rays_copy_by_bytes(vt, &made, type, 0, 0, 0);
    default:
        return made;
    }
}

static void run_queries(struct vt *vt, const void *argument)
{
    const enum change change = *(const enum change *)argument;
    need_feature(vt);
    struct rays_world *world = rays_make_world(vt, 90, 5);
    rays_make_solids(world, 6, false);
    const struct rays_structure bottom = build_changed(vt, world, change),
                                top = rays_build_top(vt, world, bottom.address, false, NULL);
    const uint32_t push[3] = {change == CANDIDATES ? 2 /* NoOpaque */ : 0, 0xff, 1};
    const struct rays_hit *hits = rays_send(vt, &top, RAYS_FOR_CORNERS, world->rays, RAYS_SENT, push, NULL, 0);
    unsigned met = 0;
    for (unsigned n = 0; n < RAYS_SENT; n++) {
        const float got[3] = {hits[n].distance, hits[n].u, hits[n].v};
        if (!hits[n].kind)
            continue;
        met++;
        if (hits[n].kind != 1 || hits[n].primitive >= world->count)
            vt_fail(vt, "ray %u meets %u of kind %u", n, hits[n].primitive, hits[n].kind);
        const double *want = world->solids[hits[n].primitive].corners[n % 3];
        for (unsigned axis = 0; axis < 3; axis++) {
            const double wrong = fabs(got[axis] - want[axis]);
            if (change == TRANSFORMED ? !(wrong < 1e-5) : got[axis] != (float)want[axis])
                vt_fail(vt, "ray %u: corner %u of %u is (%f, %f, %f), not (%f, %f, %f)", n, n % 3, hits[n].primitive,
                        got[0], got[1], got[2], want[0], want[1], want[2]);
        }
    }
    if (met < 8)
        vt_fail(vt, "%u of %u rays met something", met, RAYS_SENT);
}

/* ---- hit shaders ---- */

static void tell_corners(unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    float corners[3][3];
    trace_fill_triangle(corners, x, y);
    memcpy(want, corners, sizeof(corners));
}

static void expect_closest(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x % 4 == 3)
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
    else
        tell_corners(x, y, want);
}

static void run_trace(struct vt *vt, const void *argument)
{
    need_feature(vt);
    if (vt->driver == VK_DRIVER_ID_MESA_RADV && vt->properties.driverVersion < VK_MAKE_API_VERSION(0, 26, 0, 0))
        vt_skip(vt, "RADV looks for a second geometry's triangle in the first");
    trace_run_case(vt, argument);
}

#define QUERIES(name, how)                                                                                             \
    {                                                                                                                  \
        name, run_queries, &(const enum change)                                                                        \
        {                                                                                                              \
            how                                                                                                        \
        }                                                                                                              \
    }
#define HITS(name, ...)                                                                                                \
    {                                                                                                                  \
        name, run_trace, &(const struct ray_case)                                                                      \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

/* clang-format off */
const struct vt_case vt_position_cases[] = {
    QUERIES("queries", BUILT),
    QUERIES("candidates", CANDIDATES),
    QUERIES("queries of a transformed geometry", TRANSFORMED),
    QUERIES("queries of what was updated", UPDATED),
    QUERIES("queries of a clone", CLONED),
    QUERIES("queries of a compact copy", COMPACTED),
    QUERIES("queries of bytes", OF_BYTES),
    HITS("closest hits", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_CORNERS}), ONE_EACH, .build_flags = DATA_ACCESS, PUSH()), .expect = expect_closest),
    HITS("any hits", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.any = ANY_CORNERS}), ONE_EACH, NOT_OPAQUE, .build_flags = DATA_ACCESS, PUSH()), .expect = expect_closest),
};
/* clang-format on */
const size_t vt_position_count = COUNT_OF(vt_position_cases);
