/* Barriers: waits for stages, the caches of accesses (radeon_access.c), and changes of layout. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_metadata.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* Waits for the stages that must have ended. Copies, clears, blits and resolves may be draws or dispatches of ours;
 * acceleration structures are built, and rays sent, by dispatches. The front of the command processor has read indirect
 * arguments when the draw that has them is at its vertices. */
#define RADEON_RAY_STAGES                                                                                              \
    (VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |                                                        \
     VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR)
static uint32_t order_of_stages(VkPipelineStageFlags2 stages)
{
    const VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
                                           VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;
    stages = vk_expand_src_stages(stages);
    uint32_t order = 0;
    if (stages & (VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR |
                  RADEON_RAY_STAGES | transfer))
        order |= RADEON_AFTER_COMPUTE;
    if (stages &
        (VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
         VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | transfer))
        order |= RADEON_AFTER_PIXELS;
    else if (stages & (VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT |
                       VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
                       VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |
                       VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |
                       VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT |
                       VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT))
        order |= RADEON_AFTER_VERTICES;
    return order;
}

struct masks {
    VkPipelineStageFlags2 src_stages, dst_stages;
    uint32_t after, before;
};

static void add_masks(struct masks *masks, VkPipelineStageFlags2 src_stages, VkAccessFlags2 src_access,
                      VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access, const struct radeon_image *image)
{
    masks->src_stages |= src_stages;
    masks->dst_stages |= dst_stages;
    masks->after |= radeon_order_after(src_stages, src_access, image);
    masks->before |= radeon_order_before(dst_stages, dst_access, image);
}

/* All but the layouts. A dependency on nothing but the top of the pipe waits for nothing. */
static struct masks read_dependency(const VkDependencyInfo *info)
{
    struct masks masks = {0};
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++) {
        const VkMemoryBarrier2 *b = &info->pMemoryBarriers[i];
        add_masks(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask, NULL);
    }
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++) {
        const VkBufferMemoryBarrier2 *b = &info->pBufferMemoryBarriers[i];
        add_masks(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask, NULL);
    }
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];
        add_masks(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask,
                  radeon_image_from_handle(b->image));
    }
    return masks;
}

static void transition_images(struct radeon_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        radeon_metadata_transition(cmd, &info->pImageMemoryBarriers[i]);
}

void radeon_dependency(struct radeon_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    struct masks masks = read_dependency(info);
    if (vk_expand_src_stages(masks.src_stages) &
        (VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT | RADEON_RAY_STAGES))
        radeon_cp_writes_wait(cmd);
    cmd->due |= masks.after | order_of_stages(masks.src_stages);
    transition_images(cmd, info);
    cmd->due |= masks.before;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    radeon_dependency(radeon_cmd_buffer_from_handle(handle), info);
}
