/* vkCmdBuildAccelerationStructuresKHR: all structures of a call go through the build's stages side by side, with one
 * barrier between two stages for all of them. */
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_rays.h"
#include "vulkan/meta/vk_meta_sort.h"

/* Memory that shaders wrote is read by the next ones, also where the address is the same for all lanes. */
static void wait_for_stage(struct radeon_cmd_buffer *cmd)
{
    cmd->due |= RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR | RADEON_FRESH_SCALAR;
}

static uint64_t va_of(VkAccelerationStructureKHR handle)
{
    const struct vk_acceleration_structure *structure = vk_acceleration_structure_from_handle(handle);
    return structure ? vk_acceleration_structure_va(structure) : 0;
}

static void begin_build(struct radeon_rays_build *build, const VkAccelerationStructureBuildGeometryInfoKHR *info,
                        const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < info->geometryCount; i++)
        leaves += ranges[i].primitiveCount;
    *build = (struct radeon_rays_build){
        .info = info,
        .ranges = ranges,
        .is_update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR,
        .src_va = va_of(info->srcAccelerationStructure),
        .dst_va = va_of(info->dstAccelerationStructure),
        .scratch_va = info->scratchData.deviceAddress,
    };
    radeon_rays_plan(&build->plan, info->type,
                     info->geometryCount ? radeon_rays_geometry(info, 0)->geometryType : VK_GEOMETRY_TYPE_TRIANGLES_KHR,
                     leaves);
}

static void write_all_leaves(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < build->info->geometryCount; i++) {
        radeon_rays_write_leaves(cmd, build, i, first);
        first += build->ranges[i].primitiveCount;
    }
}

static void clear_spans(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *builds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!builds[i].is_update && builds[i].plan.leaves)
            radeon_rays_clear_span(cmd, &builds[i]);
    }
    radeon_cp_writes_wait(cmd);
    wait_for_stage(cmd);
}

static void sort_leaves(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *builds, uint32_t count)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (builds[i].is_update || !builds[i].plan.leaves)
            continue;
        const uint32_t own_steps = vk_meta_sort_steps(builds[i].plan.leaves);
        steps = own_steps > steps ? own_steps : steps;
        radeon_rays_write_keys(cmd, &builds[i]);
    }
    for (uint32_t step = 0; step < steps; step++) {
        wait_for_stage(cmd);
        for (uint32_t i = 0; i < count; i++) {
            const struct radeon_rays_plan *plan = &builds[i].plan;
            const uint64_t places[2] = {builds[i].scratch_va + plan->scratch_keys_B[0],
                                        builds[i].scratch_va + plan->scratch_keys_B[1]};
            if (!builds[i].is_update && step < vk_meta_sort_steps(plan->leaves))
                vk_meta_sort_step(&cmd->vk, step, plan->leaves, places);
        }
    }
}

static void write_boxes(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *builds, uint32_t count)
{
    for (uint32_t level = 0; level < RAY_MAX_LEVELS; level++) {
        bool is_there = false;
        for (uint32_t i = 0; i < count; i++)
            is_there |= level < builds[i].plan.num_levels;
        if (!is_there)
            return;
        wait_for_stage(cmd);
        for (uint32_t i = 0; i < count; i++) {
            if (level < builds[i].plan.num_levels)
                radeon_rays_write_level(cmd, &builds[i], level);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBuildAccelerationStructuresKHR(
    VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureBuildGeometryInfoKHR *infos,
    const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_rays_build *builds =
        vk_alloc(&cmd->device->vk.alloc, NULL, count * sizeof(*builds), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!builds) {
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        begin_build(&builds[i], &infos[i], ranges[i]);
    clear_spans(cmd, builds, count);
    for (uint32_t i = 0; i < count; i++)
        write_all_leaves(cmd, &builds[i]);
    wait_for_stage(cmd);
    sort_leaves(cmd, builds, count);
    write_boxes(cmd, builds, count);
    vk_free(&cmd->device->vk.alloc, NULL, builds);
}
