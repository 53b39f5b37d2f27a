/* Barriers: which subqueues wait for which, and the caches of accesses. Layouts of images change no bytes.
 *
 * L2 and the load-store caches of the cores are coherent with each other, so between most commands an order is enough.
 * Read-only caches (textures, the tiler) must be invalidated after any write. The host is not coherent: what it shall
 * see must be cleaned, and what it wrote while the GPU ran must be fetched anew. */
#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* Accesses through read-only caches: textures, attachments that tiles are filled with, indices. Transfers may be
 * either. */
#define READ_ONLY_ACCESS                                                                                               \
    (VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT |       \
     VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |                           \
     VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT)

#define COMPUTE_STAGES                                                                                                 \
    (VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT |           \
     VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |          \
     VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT)
#define VERTEX_STAGES                                                                                                  \
    (VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT |                                     \
     VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |                          \
     VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT)
/* Operations of the driver's own may be draws, of which fragments read and write what the application knows. */
#define DRAWN_STAGES                                                                                                   \
    (VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |                     \
     VK_PIPELINE_STAGE_2_RESOLVE_BIT)
#define FRAGMENT_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |                      \
     VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT)

uint32_t mali_subqueues_of_stages(VkPipelineStageFlags2 stages)
{
    return (stages & COMPUTE_STAGES ? 1u << MALI_COMPUTE : 0) | (stages & VERTEX_STAGES ? 1u << MALI_VERTEX : 0) |
           (stages & (FRAGMENT_STAGES | DRAWN_STAGES) ? 1u << MALI_FRAGMENT : 0);
}

static void add_scopes(struct mali_scopes *scopes, VkPipelineStageFlags2 src_stages, VkAccessFlags2 src_access,
                       VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    const VkPipelineStageFlags2 src = vk_expand_src_stages(src_stages), dst = vk_expand_dst_stages(dst_stages);
    const VkAccessFlags2 writes = vk_write_accesses(vk_expand_accesses(src_stages, src_access));
    const VkAccessFlags2 uses = vk_expand_accesses(dst_stages, dst_access);
    scopes->src |= mali_subqueues_of_stages(src);
    scopes->dst |= mali_subqueues_of_stages(dst);
    if (writes & ~VK_ACCESS_2_HOST_WRITE_BIT) {
        if (uses & READ_ONLY_ACCESS)
            scopes->src_flush |= MALI_FLUSH_READ_ONLY;
        if (uses & VK_ACCESS_2_HOST_READ_BIT)
            scopes->src_flush |= MALI_FLUSH_CLEAN;
    }
    if (writes & VK_ACCESS_2_HOST_WRITE_BIT && uses & ~(VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_HOST_WRITE_BIT))
        scopes->dst_flush |= MALI_FLUSH_INVALIDATE;
}

struct mali_scopes mali_scopes_of(const VkDependencyInfo *info)
{
    struct mali_scopes scopes = {0};
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++) {
        const VkMemoryBarrier2 *b = &info->pMemoryBarriers[i];
        add_scopes(&scopes, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask);
    }
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++) {
        const VkBufferMemoryBarrier2 *b = &info->pBufferMemoryBarriers[i];
        add_scopes(&scopes, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask);
    }
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];
        add_scopes(&scopes, b->srcStageMask, b->srcAccessMask, b->dstStageMask, b->dstAccessMask);
        /* The memory may have been another image's, of which textures still have something. */
        if (b->oldLayout != b->newLayout)
            scopes.dst_flush |= MALI_FLUSH_READ_ONLY;
    }
    return scopes;
}

void mali_dependency(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    const struct mali_scopes scopes = mali_scopes_of(info);
    if (scopes.src_flush) {
        bits_foreach (scopes.src, subqueue) {
            mali_cmd_wait_work(cmd, (enum mali_subqueue)subqueue);
            mali_cmd_flush(cmd, (enum mali_subqueue)subqueue, scopes.src_flush);
        }
    }
    mali_cmd_order(cmd, scopes.src, scopes.dst);
    if (scopes.dst_flush) {
        bits_foreach (scopes.dst, subqueue)
            mali_cmd_flush(cmd, (enum mali_subqueue)subqueue, scopes.dst_flush);
    }
}

VKAPI_ATTR void VKAPI_CALL mali_CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    if (cmd->vk.rec->rendering.active && mali_is_local_barrier(cmd, info))
        return;
    if (cmd->vk.rec->rendering.active)
        mali_pass_flush(cmd);
    mali_dependency(cmd, info);
    mali_new_images(cmd, info);
}
