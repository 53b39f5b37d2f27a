/* Events by the command streams: the host's side of events is the runtime's (vk_event.h). An event is a synchronisation
 * object of 32 bits, which one subqueue sets when all that it stands for is done, and any may wait for. */
#include "vulkan/runtime/sync/vk_event.h"

#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* The word at `va`, when the work of the subqueues so far is done. */
static void set_after(struct mali_cmd_buffer *cmd, uint64_t va, uint32_t subqueues, uint32_t value)
{
    const enum mali_subqueue subqueue = mali_cmd_gather(cmd, subqueues);
    struct mali_cmd_stream *part = &cmd->streams[subqueue];
    const struct mali_d address = mali_scratch_pair(0);
    const struct mali_r state = mali_scratch(2);
    mali_set64(&part->s, address, va);
    mali_set32(&part->s, state, value);
    mali_put_sync_set32(&part->s, MALI_CS_SYNC_SCOPE_SYSTEM, address, state, mali_cmd_after_work(cmd, subqueue));
}

VKAPI_ATTR void VKAPI_CALL mali_CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    set_after(cmd, vk_event_from_handle(event)->bo->va,
              mali_subqueues_of_stages(vk_expand_src_stages(vk_dependency_src_stages(info))), 1);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    set_after(cmd, vk_event_from_handle(event)->bo->va, mali_subqueues_of_stages(vk_expand_src_stages(stages)), 0);
}

static void wait_for(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, VkEvent event)
{
    struct mali_stream *s = &cmd->streams[subqueue].s;
    const struct mali_d address = mali_scratch_pair(0);
    const struct mali_r zero = mali_scratch(2);
    mali_set64(s, address, vk_event_from_handle(event)->bo->va);
    mali_set32(s, zero, 0);
    mali_put_sync_wait32(s, MALI_CS_CONDITION_GREATER, address, zero);
}

/* The second scope's caches are handled here: vkCmdSetEvent of Vulkan 1.0 does not know it. */
VKAPI_ATTR void VKAPI_CALL mali_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                                               const VkDependencyInfo *infos)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct mali_scopes scopes = mali_scopes_of(&infos[i]);
        const uint32_t waiters = scopes.dst ? scopes.dst : 1u << MALI_COMPUTE;
        bits_foreach (waiters, subqueue) {
            wait_for(cmd, (enum mali_subqueue)subqueue, events[i]);
            mali_cmd_flush(cmd, (enum mali_subqueue)subqueue, scopes.src_flush | scopes.dst_flush);
        }
        mali_new_images(cmd, &infos[i]);
    }
}

/* ---- markers ---- */

/* By a store: a signal would write a status beside the word. */
VKAPI_ATTR void VKAPI_CALL mali_CmdWriteBufferMarker2AMD(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                         VkBuffer buffer, VkDeviceSize offset_B, uint32_t marker)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const uint32_t subqueues = mali_subqueues_of_stages(vk_expand_src_stages(stage));
    const enum mali_subqueue subqueue = mali_cmd_gather(cmd, subqueues);
    struct mali_cmd_stream *part = &cmd->streams[subqueue];
    const struct mali_d address = mali_scratch_pair(0);
    const struct mali_r value = mali_scratch(2);
    if (subqueues >> subqueue & 1)
        mali_cmd_wait_work(cmd, subqueue);
    mali_set64(&part->s, address, vk_buffer_from_handle(buffer)->va + offset_B);
    mali_set32(&part->s, value, marker);
    mali_put_store32(&part->s, value, address, 0);
    part->is_unflushed = true;
}
