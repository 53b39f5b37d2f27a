/* The wall of cells that the cases of ray tracing pipelines look at. */
#include <math.h>

#include "cases/rays/trace.h"

static bool is_empty(unsigned x)
{
    return x % 4 == 3;
}

/* Half as large as in the world, which the instances' matrices mend. Odd rows are seen from the other side. */
void trace_fill_triangle(float out[3][3], unsigned x, unsigned y)
{
    const float corners[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    for (unsigned n = 0; n < 3; n++) {
        const float *corner = corners[n && y & 1 ? 3 - n : n];
        out[n][0] = is_empty(x) ? NAN : 0.5f * ((float)x + corner[0]);
        out[n][1] = 0.5f * ((float)y + corner[1]);
        out[n][2] = 0;
    }
}

static struct rays_structure build_layer(struct trace *trace, bool boxes)
{
    struct vt *vt = trace->vt;
    float triangles[TRACE_RAYS][3][3];
    VkAabbPositionsKHR bounds[TRACE_RAYS];
    for (unsigned n = 0; n < TRACE_RAYS; n++) {
        const unsigned x = n % TRACE_WIDTH, y = n / TRACE_WIDTH;
        const float left = is_empty(x) ? NAN : 0.5f * (float)x, top = 0.5f * (float)y;
        trace_fill_triangle(triangles[n], x, y);
        bounds[n] = (VkAabbPositionsKHR){left, top, -0.25f, left + 0.5f, top + 0.5f, 0.25f};
    }
    const VkDeviceAddress at =
        boxes ? vt_buffer(vt, sizeof(bounds), bounds).address : vt_buffer(vt, sizeof(triangles), triangles).address;
    VkAccelerationStructureGeometryKHR geometries[2];
    VkAccelerationStructureBuildRangeInfoKHR ranges[2];
    for (unsigned n = 0; n < 2; n++) {
        geometries[n] = (VkAccelerationStructureGeometryKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
            .geometryType = boxes ? VK_GEOMETRY_TYPE_AABBS_KHR : VK_GEOMETRY_TYPE_TRIANGLES_KHR,
            .flags = trace->setup->geometry_flags[n]};
        if (boxes)
            geometries[n].geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
                .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
                .data.deviceAddress = at + n * sizeof(bounds) / 2,
                .stride = sizeof(bounds[0])};
        else
            geometries[n].geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
                .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                .vertexData.deviceAddress = at + n * sizeof(triangles) / 2,
                .vertexStride = sizeof(triangles[0][0]),
                .maxVertex = TRACE_RAYS / 2 * 3 - 1,
                .indexType = VK_INDEX_TYPE_NONE_KHR};
        ranges[n] = (VkAccelerationStructureBuildRangeInfoKHR){.primitiveCount = TRACE_RAYS / 2};
    }
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .flags = trace->setup->build_flags,
        .geometryCount = 2,
        .pGeometries = geometries};
    return rays_build(vt, &info, ranges, NULL, NULL, false);
}

/* Layers from one on. */
static struct rays_structure build_wall(struct trace *trace, const VkDeviceAddress kinds[2], unsigned first)
{
    const unsigned layers = TRACE_LAYERS - first;
    VkAccelerationStructureInstanceKHR instances[TRACE_LAYERS];
    for (unsigned n = first; n < TRACE_LAYERS; n++)
        instances[n - first] = (VkAccelerationStructureInstanceKHR){
            .transform.matrix = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 1, (float)(n + 1)}},
            .instanceCustomIndex = 100 + n,
            .mask = 1u << n,
            .instanceShaderBindingTableRecordOffset = trace->setup->record_offsets[n],
            .flags = trace->setup->instance_flags,
            .accelerationStructureReference = kinds[trace->setup->boxes[n]]};
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .data.deviceAddress =
                                   vt_buffer(trace->vt, layers * sizeof(instances[0]), instances).address}};
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR,
        .geometryCount = 1,
        .pGeometries = &geometry};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = layers};
    return rays_build(trace->vt, &info, &range, NULL, NULL, false);
}

void trace_build_scenes(struct trace *trace)
{
    const struct trace_setup *setup = trace->setup;
    VkDeviceAddress kinds[2] = {0, 0};
    for (unsigned n = 0; n < TRACE_LAYERS; n++) {
        const bool boxes = setup->boxes[n];
        if (!kinds[boxes])
            kinds[boxes] = build_layer(trace, boxes).address;
    }
    trace->scenes[0] = build_wall(trace, kinds, 0);
    trace->scenes[1] = build_wall(trace, kinds, TRACE_LAYERS - 1);
    if (setup->is_first_null)
        trace->scenes[0].handle = VK_NULL_HANDLE;
    if (setup->is_second_null)
        trace->scenes[1].handle = VK_NULL_HANDLE;
}
