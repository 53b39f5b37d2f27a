/* Barriers: waits for stages, the caches of accesses (order.c). Layouts of images change no bytes. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

struct scopes {
    VkPipelineStageFlags2 src_stages, dst_stages;
    uint32_t src_access, dst_access;
};

static void add_scopes(struct scopes *scopes, VkPipelineStageFlags2 src_stages, VkAccessFlags2 src_access,
                       VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    scopes->src_stages |= src_stages;
    scopes->dst_stages |= dst_stages;
    scopes->src_access |= adreno_access_of(src_stages, src_access);
    scopes->dst_access |= adreno_access_of(dst_stages, dst_access);
}

/* Contents of an undefined image's memory may still be in the CCU, and must not be written over its new contents. */
static uint32_t access_of_unknown(const VkImageMemoryBarrier2 *barrier)
{
    if (barrier->oldLayout != VK_IMAGE_LAYOUT_UNDEFINED)
        return 0;
    return barrier->subresourceRange.aspectMask & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)
               ? ADRENO_ACCESS_DEPTH_WRITE
               : ADRENO_ACCESS_COLOR_WRITE;
}

void adreno_dependency(struct adreno_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    struct scopes scopes = {0};
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
        scopes.src_access |= access_of_unknown(b);
        if (b->oldLayout == VK_IMAGE_LAYOUT_UNDEFINED && !cmd->graphics.pass.is_active)
            adreno_lrz_forget(cmd, adreno_image_from_handle(b->image), b->subresourceRange.aspectMask);
    }
    adreno_depend(cmd, scopes.src_access, scopes.dst_access,
                  adreno_order_of_stages(scopes.src_stages, scopes.dst_stages));
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    adreno_dependency(adreno_cmd_buffer_from_handle(handle), info);
}

void adreno_emit_due_slow(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, cmd->orders.due, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
    cmd->orders.due = 0;
}
