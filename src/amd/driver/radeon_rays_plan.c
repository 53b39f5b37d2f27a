/* Where the parts of an acceleration structure are, and how much memory they take. */
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_rays.h"
#include "util/bits.h"

/* From the root down, then the leaves: a walk goes forward through memory. */
static void place_levels(struct radeon_rays_plan *plan)
{
    uint32_t count = plan->leaves;
    uint64_t at_B = RAY_ROOT_OFFSET;
    do {
        count = (uint32_t)div_round_up(count, 4);
        plan->levels[plan->num_levels++].count = MAX2(count, 1u);
    } while (count > 1);
    for (uint32_t i = plan->num_levels; i-- > 0;) {
        plan->levels[i].offset_B = at_B;
        at_B += (uint64_t)plan->levels[i].count * RAY_BOXES_SIZE;
    }
    plan->leaves_B = at_B;
}

void radeon_rays_plan(struct radeon_rays_plan *plan, VkAccelerationStructureTypeKHR type, VkGeometryTypeKHR kind,
                      uint32_t leaves)
{
    const bool is_top = kind == VK_GEOMETRY_TYPE_INSTANCES_KHR;
    *plan = (struct radeon_rays_plan){
        .type = type,
        .leaf_kind = is_top                               ? RAY_KIND_INSTANCE
                     : kind == VK_GEOMETRY_TYPE_AABBS_KHR ? RAY_KIND_AABB
                                                          : RAY_KIND_TRIANGLE,
        .leaf_B = is_top ? RAY_INSTANCE_SIZE : RAY_LEAF_SIZE,
        .leaves = leaves,
        .num_structures = is_top ? leaves : 0,
    };
    place_levels(plan);
    plan->size_B = plan->leaves_B + (uint64_t)leaves * plan->leaf_B;
    plan->serialized_B = radeon_rays_serialized_list_B(plan->num_structures) + plan->size_B;

    plan->scratch_boxes_B = RADEON_RAYS_SCRATCH_ALIGN;
    plan->update_scratch_B = plan->scratch_boxes_B + (uint64_t)leaves * RADEON_RAYS_BOX_B;
    uint64_t at_B = align_u64(plan->update_scratch_B, RADEON_RAYS_KEY_B);
    for (unsigned i = 0; i < 2; i++, at_B += (uint64_t)leaves * RADEON_RAYS_KEY_B)
        plan->scratch_keys_B[i] = at_B;
    plan->build_scratch_B = at_B;
}

/* All geometries of a structure are of one kind. */
VKAPI_ATTR void VKAPI_CALL radeon_GetAccelerationStructureBuildSizesKHR(
    VkDevice handle, VkAccelerationStructureBuildTypeKHR where, const VkAccelerationStructureBuildGeometryInfoKHR *info,
    const uint32_t *most_primitives, VkAccelerationStructureBuildSizesInfoKHR *sizes)
{
    struct radeon_rays_plan plan;
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < info->geometryCount; i++)
        leaves += most_primitives[i];
    radeon_rays_plan(&plan, info->type,
                     info->geometryCount ? radeon_rays_geometry(info, 0)->geometryType : VK_GEOMETRY_TYPE_TRIANGLES_KHR,
                     leaves);
    sizes->accelerationStructureSize = align_u64(plan.size_B, RAY_STRUCTURE_ALIGN);
    sizes->buildScratchSize = plan.build_scratch_B;
    sizes->updateScratchSize = plan.update_scratch_B;
}
