/* Barriers: what Vulkan's stages and accesses mean for the caches of this GPU.
 *
 *   shaders ── vector L1, scalar L1 ┐
 *   command processor, DMA ─────────┼── L2 ── memory
 *   colour and depth caches ────────┘
 *
 * A write is available when it has reached L2 (the render backends' caches are behind the same L2 on GFX10.3, but for
 * images whose bytes they see differently: radeon_image::is_l2_coherent). It is visible when the reader's own cache
 * has dropped what it knew. The host's view is kept coherent by the kernel around submissions. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_metadata.h"
#include "vulkan/runtime/vk_image.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_synchronization.h"

/* Waits for the stages that must have ended. Copies, clears, blits and resolves may be draws or dispatches of ours. The
 * front of the command processor has read indirect arguments when the draw that has them is at its vertices. */
static uint32_t order_of_stages(VkPipelineStageFlags2 stages)
{
    const VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
                                           VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;
    stages = vk_expand_src_stages(stages);
    uint32_t order = 0;
    if (stages & (VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | transfer))
        order |= RADEON_AFTER_COMPUTE;
    if (stages &
        (VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
         VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | transfer))
        order |= RADEON_AFTER_PIXELS;
    else if (stages & (VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT |
                       VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |
                       VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT))
        order |= RADEON_AFTER_VERTICES;
    return order;
}

/* FMASK counts where it has a place, so that enabling it for an image does not change barriers. */
static bool has_color_metadata(const struct radeon_image *image)
{
    return image->dcc.enabled || image->cmask.enabled || image->fmask.size_B;
}

uint32_t radeon_order_after(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image)
{
    access = vk_expand_accesses(stages, access);
    uint32_t order = 0;
    /* Stores of shaders are in L2 when the wave ends. A barrier without an image speaks for all of them, and so for
     * those that the render backends see differently. */
    if (access & (VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT) &&
        !(image && image->is_l2_coherent))
        order |= RADEON_FRESH_L2;
    /* Counters are the command processor's, which need not look into L2. */
    if (access &
            (VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT) &&
        !image)
        order |= RADEON_OUT_L2;
    if (access & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT)
        order |= RADEON_OUT_COLOR | (image && !has_color_metadata(image) ? 0 : RADEON_OUT_COLOR_METADATA);
    if (access & VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
        order |= RADEON_OUT_DEPTH | (image && !image->htile.enabled ? 0 : RADEON_OUT_DEPTH_METADATA);
    /* Our transfers write as targets or as shaders do; a depth image may be a colour target to them. The backends'
     * caches must not hold older data than shaders wrote. */
    if (access & VK_ACCESS_2_TRANSFER_WRITE_BIT)
        order |= RADEON_OUT_ALL_COLOR | RADEON_OUT_ALL_DEPTH;
    return order;
}

uint32_t radeon_order_before(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image)
{
    const VkAccessFlags2 texels = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                  VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
    access = vk_expand_accesses(stages, access);
    uint32_t order = 0;
    if (access & (texels | VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
                  VK_ACCESS_2_TRANSFER_WRITE_BIT))
        order |= RADEON_FRESH_VECTOR;
    /* Loads whose address is the same in all lanes go through the scalar cache; images are never loaded so. */
    if (access & VK_ACCESS_2_UNIFORM_READ_BIT || (access & VK_ACCESS_2_SHADER_STORAGE_READ_BIT && !image))
        order |= RADEON_FRESH_SCALAR;
    /* Texture units read metadata through a cache of its own in front of L2. */
    if (access & texels && (!image || has_color_metadata(image) || image->htile.enabled))
        order |= RADEON_FRESH_METADATA;
    if (order & RADEON_DROP(VECTOR) && image && !image->is_l2_coherent)
        order |= RADEON_FRESH_L2;
    /* The backends' caches must not hold older data of a target than shaders wrote: transfers ensure that. */
    if (!image || image->vk.usage & VK_IMAGE_USAGE_STORAGE_BIT) {
        if (access & (VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT))
            order |= RADEON_OUT_ALL_COLOR;
        if (access & (VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT))
            order |= RADEON_OUT_ALL_DEPTH;
    }
    return order;
}

struct masks {
    VkPipelineStageFlags2 src_stages, dst_stages;
    uint32_t after, before;
};

static void add(struct masks *masks, VkPipelineStageFlags2 src_stages, VkAccessFlags2 src_access,
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
        add(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask, NULL);
    }
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++) {
        const VkBufferMemoryBarrier2 *b = &info->pBufferMemoryBarriers[i];
        add(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask, NULL);
    }
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];
        add(&masks, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask,
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
    if (vk_expand_src_stages(masks.src_stages) & (VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT))
        radeon_cp_writes_wait(cmd);
    cmd->due |= masks.after | order_of_stages(masks.src_stages);
    transition_images(cmd, info);
    cmd->due |= masks.before;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    radeon_dependency(radeon_cmd_buffer_from_handle(handle), info);
}
