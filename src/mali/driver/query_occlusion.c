/* Occlusion queries: the fragment endpoint counts samples at an address. A query is available when the frames are done
 * in which something was drawn for it, so what ends within a rendering waits for its end. */
#include "mali/driver/entrypoints.h"
#include "mali/driver/query.h"

/* The one word of the result is where the counter is. */

static void make_available(struct mali_cmd_buffer *cmd, uint64_t va)
{
    struct mali_stream *s = mali_cmd_stream(cmd, MALI_FRAGMENT);
    const struct mali_d address = mali_scratch_pair(0), one = mali_scratch_pair(2);
    const struct mali_deferred after = mali_cmd_after_work(cmd, MALI_FRAGMENT);
    mali_set64(s, address, va);
    mali_set64(s, one, 1);
    mali_put_sync_set64(s, MALI_CS_SYNC_SCOPE_SYSTEM, address, one, after);
    cmd->streams[MALI_FRAGMENT].is_unflushed = true;
}

void mali_pass_end_queries(struct mali_cmd_buffer *cmd)
{
    array_foreach (&cmd->graphics.ended_queries, va)
        make_available(cmd, *va);
    cmd->graphics.ended_queries.count = 0;
}

static void end_query(struct mali_cmd_buffer *cmd, uint64_t va)
{
    if (!cmd->vk.rec->rendering.active)
        make_available(cmd, va);
    else if (!array_push(&cmd->graphics.ended_queries, va))
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdBeginQuery(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t query,
                                              VkQueryControlFlags flags)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    /* Its reset is the compute subqueue's. */
    mali_cmd_order(cmd, 1u << MALI_COMPUTE, 1u << MALI_FRAGMENT);
    cmd->graphics.occlusion_va = mali_query_result_va(pool, query);
    cmd->graphics.is_occlusion_precise = flags & VK_QUERY_CONTROL_PRECISE_BIT;
    cmd->graphics.dirty |= MALI_DIRTY_QUERY;
}

VKAPI_ATTR void VKAPI_CALL mali_CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t query)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    cmd->graphics.occlusion_va = 0;
    cmd->graphics.counts_for_caller = false; /* who had none: it was this command buffer's own */
    cmd->graphics.dirty |= MALI_DIRTY_QUERY;
    for (uint32_t i = 0; i < vk_query_places(&cmd->vk); i++) /* each view has a query; the first one has counted for all */
        end_query(cmd, vk_query_va(pool, query + i));
}
