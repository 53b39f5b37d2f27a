/* Barriers, events and timestamps of Vulkan 1.0 as those of 1.3: a driver writes the latter. The older flags have the
 * values of the newer ones, so a mask only grows from 32 to 64 bits; VK_PIPELINE_STAGE_TRANSFER_BIT is
 * VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT and VK_PIPELINE_STAGE_VERTEX_INPUT_BIT both halves of vertex input. What is not
 * the same by itself:
 *
 * - The older barrier orders its stages even if it has no memory, buffer or image barrier, or if those it has give up
 *   their second scope because ownership goes to another queue family. In the newer one only barriers have stages, so
 *   one without accesses is added where no global barrier carries them.
 * - The older vkCmdSetEvent does not know which accesses the wait will be about. vkCmdSetEvent2 gets stages alone, and
 *   vkCmdWaitEvents2 everything: a driver must make writes available when it waits, not when it sets.
 * - The older vkCmdWaitEvents has one dependency for all its events, the newer one each. A layout may change only
 *   once, after the last event; the events before carry the same accesses as a global barrier. */
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"

enum {
    STACK_BARRIERS = 8,
    STACK_EVENTS = 8
};

/* The arguments that vkCmdPipelineBarrier and vkCmdWaitEvents share. */
struct old_barriers {
    VkPipelineStageFlags src_stages, dst_stages;
    VkDependencyFlags flags;
    uint32_t memory_count, buffer_count, image_count;
    const VkMemoryBarrier *memory;
    const VkBufferMemoryBarrier *buffers;
    const VkImageMemoryBarrier *images;
};

struct new_barriers {
    VkDependencyInfo info;
    VkMemoryBarrier2 *memory, memory_stack[STACK_BARRIERS];
    VkBufferMemoryBarrier2 *buffers, buffer_stack[STACK_BARRIERS];
    VkImageMemoryBarrier2 *images, image_stack[STACK_BARRIERS];
};

static VkMemoryBarrier2 stages_only(const struct old_barriers *old)
{
    VkMemoryBarrier2 barrier = vk_struct_init(VkMemoryBarrier2);
    barrier.srcStageMask = old->src_stages;
    barrier.dstStageMask = old->dst_stages;
    return barrier;
}

static void convert_memory(const struct old_barriers *old, VkMemoryBarrier2 *out)
{
    for (uint32_t i = 0; i < old->memory_count; i++) {
        out[i] = stages_only(old);
        out[i].pNext = old->memory[i].pNext;
        out[i].srcAccessMask = old->memory[i].srcAccessMask;
        out[i].dstAccessMask = old->memory[i].dstAccessMask;
    }
}

static void convert_buffers(const struct old_barriers *old, VkBufferMemoryBarrier2 *out)
{
    for (uint32_t i = 0; i < old->buffer_count; i++) {
        const VkBufferMemoryBarrier *in = &old->buffers[i];
        out[i] = vk_struct_init(VkBufferMemoryBarrier2);
        out[i].pNext = in->pNext;
        out[i].srcStageMask = old->src_stages;
        out[i].srcAccessMask = in->srcAccessMask;
        out[i].dstStageMask = old->dst_stages;
        out[i].dstAccessMask = in->dstAccessMask;
        out[i].srcQueueFamilyIndex = in->srcQueueFamilyIndex;
        out[i].dstQueueFamilyIndex = in->dstQueueFamilyIndex;
        out[i].buffer = in->buffer;
        out[i].offset = in->offset;
        out[i].size = in->size;
    }
}

static void convert_images(const struct old_barriers *old, VkImageMemoryBarrier2 *out)
{
    for (uint32_t i = 0; i < old->image_count; i++) {
        const VkImageMemoryBarrier *in = &old->images[i];
        out[i] = vk_struct_init(VkImageMemoryBarrier2);
        out[i].pNext = in->pNext;
        out[i].srcStageMask = old->src_stages;
        out[i].srcAccessMask = in->srcAccessMask;
        out[i].dstStageMask = old->dst_stages;
        out[i].dstAccessMask = in->dstAccessMask;
        out[i].oldLayout = in->oldLayout;
        out[i].newLayout = in->newLayout;
        out[i].srcQueueFamilyIndex = in->srcQueueFamilyIndex;
        out[i].dstQueueFamilyIndex = in->dstQueueFamilyIndex;
        out[i].image = in->image;
        out[i].subresourceRange = in->subresourceRange;
    }
}

static void barriers_end(struct vk_command_buffer *command_buffer, struct new_barriers *barriers)
{
    const VkAllocationCallbacks *alloc = &command_buffer->pool->alloc;
    vk_temporary_free(alloc, barriers->memory_stack, barriers->memory);
    vk_temporary_free(alloc, barriers->buffer_stack, barriers->buffers);
    vk_temporary_free(alloc, barriers->image_stack, barriers->images);
}

/* False, with the error noted, when there is no memory; nothing is left to be ended then. */
static bool barriers_begin(struct vk_command_buffer *command_buffer, const struct old_barriers *old,
                           struct new_barriers *out)
{
    const VkAllocationCallbacks *alloc = &command_buffer->pool->alloc;
    out->memory = vk_temporary_array(alloc, out->memory_stack, old->memory_count);
    out->buffers = vk_temporary_array(alloc, out->buffer_stack, old->buffer_count);
    out->images = vk_temporary_array(alloc, out->image_stack, old->image_count);
    if (!out->memory || !out->buffers || !out->images) {
        barriers_end(command_buffer, out);
        vk_command_buffer_set_error(command_buffer, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    convert_memory(old, out->memory);
    convert_buffers(old, out->buffers);
    convert_images(old, out->images);
    if (old->memory_count == 0)
        out->memory[0] = stages_only(old);
    out->info = vk_struct_init(VkDependencyInfo);
    out->info.dependencyFlags = old->flags;
    out->info.memoryBarrierCount = MAX2(old->memory_count, 1);
    out->info.pMemoryBarriers = out->memory;
    out->info.bufferMemoryBarrierCount = old->buffer_count;
    out->info.pBufferMemoryBarriers = out->buffers;
    out->info.imageMemoryBarrierCount = old->image_count;
    out->info.pImageMemoryBarriers = out->images;
    return true;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags src_stages,
                                                        VkPipelineStageFlags dst_stages, VkDependencyFlags flags,
                                                        uint32_t memory_count, const VkMemoryBarrier *memory,
                                                        uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                        uint32_t image_count, const VkImageMemoryBarrier *images)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    struct old_barriers old = {src_stages,  dst_stages, flags,   memory_count, buffer_count,
                               image_count, memory,     buffers, images};
    struct new_barriers barriers;
    if (!barriers_begin(command_buffer, &old, &barriers))
        return;
    command_buffer->base.device->dispatch.CmdPipelineBarrier2(handle, &barriers.info);
    barriers_end(command_buffer, &barriers);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags stages)
{
    /* Setting the event names no accesses: the wait names them. */
    VkMemoryBarrier2 barrier = vk_struct_init(VkMemoryBarrier2);
    barrier.srcStageMask = stages;
    VkDependencyInfo info = vk_struct_init(VkDependencyInfo);
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdSetEvent2(handle, event, &info);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdResetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags stages)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdResetEvent2(handle, event, stages);
}

/* All accesses as one barrier that changes no layout. */
static VkMemoryBarrier2 merge_accesses(const struct old_barriers *old)
{
    VkMemoryBarrier2 merged = stages_only(old);
    for (uint32_t i = 0; i < old->memory_count; i++) {
        merged.srcAccessMask |= old->memory[i].srcAccessMask;
        merged.dstAccessMask |= old->memory[i].dstAccessMask;
    }
    for (uint32_t i = 0; i < old->buffer_count; i++) {
        merged.srcAccessMask |= old->buffers[i].srcAccessMask;
        merged.dstAccessMask |= old->buffers[i].dstAccessMask;
    }
    for (uint32_t i = 0; i < old->image_count; i++) {
        merged.srcAccessMask |= old->images[i].srcAccessMask;
        merged.dstAccessMask |= old->images[i].dstAccessMask;
    }
    return merged;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdWaitEvents(VkCommandBuffer handle, uint32_t event_count, const VkEvent *events,
                                                   VkPipelineStageFlags src_stages, VkPipelineStageFlags dst_stages,
                                                   uint32_t memory_count, const VkMemoryBarrier *memory,
                                                   uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                   uint32_t image_count, const VkImageMemoryBarrier *images)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    struct old_barriers old = {src_stages,  dst_stages, 0,       memory_count, buffer_count,
                               image_count, memory,     buffers, images};
    const VkAllocationCallbacks *alloc = &command_buffer->pool->alloc;
    struct new_barriers barriers;
    VkDependencyInfo stack[STACK_EVENTS], *infos = vk_temporary_array(alloc, stack, event_count);
    if (!infos) {
        vk_command_buffer_set_error(command_buffer, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    if (barriers_begin(command_buffer, &old, &barriers)) {
        VkMemoryBarrier2 merged = merge_accesses(&old);
        for (uint32_t i = 0; i + 1 < event_count; i++) {
            infos[i] = vk_struct_init(VkDependencyInfo);
            infos[i].memoryBarrierCount = 1;
            infos[i].pMemoryBarriers = &merged;
        }
        if (event_count)
            infos[event_count - 1] = barriers.info;
        command_buffer->base.device->dispatch.CmdWaitEvents2(handle, event_count, events, infos);
        barriers_end(command_buffer, &barriers);
    }
    vk_temporary_free(alloc, stack, infos);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdWriteTimestamp(VkCommandBuffer handle, VkPipelineStageFlagBits stage,
                                                       VkQueryPool pool, uint32_t query)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdWriteTimestamp2(handle, (VkPipelineStageFlags)stage,
                                                                                    pool, query);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdWriteBufferMarkerAMD(VkCommandBuffer handle, VkPipelineStageFlagBits stage,
                                                             VkBuffer buffer, VkDeviceSize offset_B, uint32_t marker)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdWriteBufferMarker2AMD(
        handle, (VkPipelineStageFlags)stage, buffer, offset_B, marker);
}
