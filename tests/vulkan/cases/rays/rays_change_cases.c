/* Acceleration structures that are built several at once, updated, copied, compacted, made bytes and back, and bound in
 * several ways. */
#include <string.h>

#include "cases/rays/rays_world.h"

/* ---- several at once ---- */

#define TOGETHER 3

/* Three bottom structures by one command, of different sizes, and the top one after a barrier in the same commands. */
static void run_together(struct vt *vt, const void *argument)
{
    (void)argument;
    static const unsigned counts[TOGETHER] = {5, 1100, 70};
    VkAccelerationStructureGeometryKHR geometries[TOGETHER];
    VkAccelerationStructureBuildRangeInfoKHR ranges[TOGETHER], top_range = {.primitiveCount = 2};
    const VkAccelerationStructureBuildRangeInfoKHR *all_ranges[TOGETHER], *top_ranges = &top_range;
    VkAccelerationStructureBuildGeometryInfoKHR infos[TOGETHER];
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    struct rays_structure structures[TOGETHER];
    struct rays_world *worlds[TOGETHER];
    for (unsigned n = 0; n < TOGETHER; n++) {
        worlds[n] = rays_make_world(vt, counts[n], 2);
        rays_make_solids(worlds[n], n, false);
        geometries[n] = rays_triangles_at(rays_corners_of(vt, worlds[n]).address, counts[n]);
        infos[n] = rays_bottom_of(&geometries[n], 1, 0);
        RAYS_LOAD(vt, GetAccelerationStructureBuildSizesKHR)
        (vt->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &infos[n], &counts[n], &sizes);
        structures[n] = rays_make(vt, infos[n].type, sizes.accelerationStructureSize);
        infos[n].dstAccelerationStructure = structures[n].handle;
        infos[n].scratchData.deviceAddress =
            (vt_local_buffer(vt, sizes.buildScratchSize + 256).address + 255) & ~(VkDeviceAddress)255;
        ranges[n] = (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = counts[n]};
        all_ranges[n] = &ranges[n];
    }
    const VkAccelerationStructureGeometryKHR instances = rays_instances_of(vt, worlds[1], structures[1].address, true);
    VkAccelerationStructureBuildGeometryInfoKHR top_info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
        .geometryCount = 1,
        .pGeometries = &instances,
        .scratchData = infos[1].scratchData}; /* once more */
    RAYS_LOAD(vt, GetAccelerationStructureBuildSizesKHR)
    (vt->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &top_info, &top_range.primitiveCount, &sizes);
    const struct rays_structure top = rays_make(vt, top_info.type, sizes.accelerationStructureSize);
    top_info.dstAccelerationStructure = top.handle;
    VkCommandBuffer commands = vt_begin(vt);
    RAYS_LOAD(vt, CmdBuildAccelerationStructuresKHR)(commands, TOGETHER, infos, all_ranges);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR,
                                     .dstAccessMask = VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR |
                                                      VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
                         VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR, 0, 1, &barrier, 0, NULL, 0, NULL);
    RAYS_LOAD(vt, CmdBuildAccelerationStructuresKHR)(commands, 1, &top_info, &top_ranges);
    vt_submit(vt, commands);
    rays_look(vt, worlds[1], &top, RAYS_BY_WRITE, 8);
    for (unsigned n = 0; n < TOGETHER; n += 2) {
        const struct rays_structure other = rays_build_top(vt, worlds[n], structures[n].address, false, NULL);
        rays_look(vt, worlds[n], &other, RAYS_BY_WRITE, 4);
    }
}

/* ---- changes ---- */

enum change {
    POINTERS,
    MOVED, /* instances, by an update */
    CLONED_TOP,
    BYTES_TOP, /* with another structure below */
    FEWER,     /* primitives than there is room for; compacted */
    BY_TEMPLATE,
    AFTER_BIND,
    ON_COMPUTE,
    IN_BUFFER,
};

static struct rays_structure compact(struct vt *vt, const struct rays_structure *from,
                                     VkAccelerationStructureTypeKHR type)
{
    const VkDeviceSize size_B = rays_ask_size(vt, from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR);
    if (!size_B || size_B > from->storage.size_B)
        vt_fail(vt, "compact it has %llu bytes, before it had %llu", (unsigned long long)size_B,
                (unsigned long long)from->storage.size_B);
    return rays_copy(vt, from, type, size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
}

static struct rays_structure build_fewer(struct vt *vt, struct rays_world *world)
{
    const VkAccelerationStructureGeometryKHR geometry =
        rays_triangles_at(rays_corners_of(vt, world).address, world->count);
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = world->count};
    VkAccelerationStructureBuildGeometryInfoKHR info =
        rays_bottom_of(&geometry, 1, VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR);
    const uint32_t most = world->count * 10;
    const struct rays_structure made = rays_build(vt, &info, &range, &most, NULL, false),
                                small = compact(vt, &made, info.type);
    if (small.storage.size_B * 2 > made.storage.size_B)
        vt_fail(vt, "a structure that is a tenth full has %llu of %llu bytes", (unsigned long long)small.storage.size_B,
                (unsigned long long)made.storage.size_B);
    return small;
}

static void run_change(struct vt *vt, const void *argument)
{
    const enum change change = *(const enum change *)argument;
    const VkAccelerationStructureTypeKHR at_top = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
    const VkBuildAccelerationStructureFlagsKHR compactable = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR;
    if (change == IN_BUFFER && !vt->has[VT_DESCRIPTOR_BUFFER])
        vt_skip(vt, "no descriptor buffers");
    struct rays_world *world = rays_make_world(vt, 90, 5);
    if (change == ON_COMPUTE)
        rays_on_compute(vt);
    rays_make_solids(world, 6, false);
    struct rays_structure bottom =
        change == FEWER ? build_fewer(vt, world) : rays_build_solids(vt, world, compactable, NULL);
    struct rays_structure top = rays_build_top(vt, world, bottom.address, change == POINTERS, NULL);
    if (change == MOVED) {
        for (unsigned n = 0; n < world->instances; n++)
            world->transforms[n].matrix[n % 3][3] -= 5;
        top = rays_build_top(vt, world, bottom.address, false, &top);
    } else if (change == CLONED_TOP) {
        const struct rays_structure clone =
            rays_copy(vt, &top, at_top, top.storage.size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
        top = rays_copy(vt, &clone, at_top, top.storage.size_B, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
    } else if (change == BYTES_TOP) {
        const VkDeviceAddress before = bottom.address;
        for (unsigned n = 0; n < world->count; n++) /* within the same box */
            memcpy(world->solids[n].corners[0], world->solids[(n + 1) % world->count].corners[1], 3 * sizeof(double));
        bottom = rays_build_solids(vt, world, 0, NULL);
        top = rays_copy_by_bytes(vt, &top, at_top, world->instances, before, bottom.address);
    }
    const enum rays_binding binding = change == BY_TEMPLATE  ? RAYS_BY_TEMPLATE
                                      : change == AFTER_BIND ? RAYS_AFTER_BIND
                                      : change == IN_BUFFER  ? RAYS_IN_BUFFER
                                                             : RAYS_BY_WRITE;
    rays_look(vt, world, &top, binding, 8);
}

#define CHANGE(name, what)                                                                                             \
    {                                                                                                                  \
        name, run_change, &(const enum change)                                                                         \
        {                                                                                                              \
            what                                                                                                       \
        }                                                                                                              \
    }
const struct vt_case vt_rays_change_cases[] = {
    {"three at once", run_together, NULL},
    CHANGE("pointers to instances", POINTERS),
    CHANGE("instances moved", MOVED),
    CHANGE("instances cloned", CLONED_TOP),
    CHANGE("instances to bytes and back", BYTES_TOP),
    CHANGE("fewer than there is room for", FEWER),
    CHANGE("bound by a template", BY_TEMPLATE),
    CHANGE("bound after recording", AFTER_BIND),
    CHANGE("on a queue without graphics", ON_COMPUTE),
    CHANGE("in a descriptor buffer", IN_BUFFER),
};
const size_t vt_rays_change_count = COUNT_OF(vt_rays_change_cases);
