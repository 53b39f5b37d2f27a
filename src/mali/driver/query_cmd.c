/* Query commands of the compute subqueue: timestamps, resets, and copies of results into buffers. They see each other
 * in their order, as the specification wants it of commands that name the same query. */
#include "mali/driver/entrypoints.h"
#include "mali/driver/query.h"
#include "mali/driver/stream_flow.h"
#include "mali/driver/transfer.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* Slots that are deferred in this subqueue and write to queries. */
#define DEFERRED_SLOTS (1u << MALI_SLOT_FLUSH | 1u << MALI_SLOT_SIGNAL)

/* ---- timestamps ---- */

VKAPI_ATTR void VKAPI_CALL mali_CmdWriteTimestamp2(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                   VkQueryPool pool_handle, uint32_t query)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    const uint32_t subqueues = mali_subqueues_of_stages(vk_expand_src_stages(stage));
    /* All others are waited for by the one that has the queries; its own work need not be. */
    mali_cmd_order(cmd, subqueues & ~(1u << MALI_COMPUTE), 1u << MALI_COMPUTE);
    struct mali_cmd_stream *part = &cmd->streams[MALI_COMPUTE];
    const struct mali_d address = mali_scratch_pair(0), one = mali_scratch_pair(2);
    struct mali_deferred store = MALI_NOW, available = MALI_NOW;
    if (subqueues >> MALI_COMPUTE & 1) {
        store = mali_cmd_after_work(cmd, MALI_COMPUTE);
        store.slot = MALI_SLOT_FLUSH;
        if (store.wait_mask)
            available = (struct mali_deferred){.wait_mask = 1u << MALI_SLOT_FLUSH, .slot = MALI_SLOT_SIGNAL};
    }
    mali_set64(&part->s, address, vk_query_va(pool, query));
    mali_set64(&part->s, one, 1);
    mali_put_store_state(&part->s, MALI_CS_STATE_TIMESTAMP, address, MALI_QUERY_RESULT_B, store);
    /* Of several views the first has the result, and the others are complete without any. */
    for (uint32_t i = 0; i < vk_query_places(&cmd->vk); i++) {
        mali_set64(&part->s, address, vk_query_va(pool, query + i));
        mali_put_sync_set64(&part->s, MALI_CS_SYNC_SCOPE_SYSTEM, address, one, available);
    }
    part->is_unflushed = true;
}

/* ---- resets ---- */

/* Results that earlier commands still write must be there first, and the commands after it come later. Samples are
 * counted by fragments, in this command buffer or in one before. */
static void wait_for_queries(struct mali_cmd_buffer *cmd, const struct vk_query_pool *pool)
{
    if (pool->type == VK_QUERY_TYPE_OCCLUSION) {
        mali_put_wait(&cmd->streams[MALI_FRAGMENT].s, DEFERRED_SLOTS);
        mali_cmd_order(cmd, 1u << MALI_FRAGMENT, 1u << MALI_COMPUTE);
    }
    mali_cmd_wait_work(cmd, MALI_COMPUTE);
    mali_put_wait(&cmd->streams[MALI_COMPUTE].s, DEFERRED_SLOTS);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t first,
                                                  uint32_t count)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    wait_for_queries(cmd, pool);
    mali_cmd_fill(cmd, vk_query_va(pool, first), (uint64_t)count * pool->stride_B, 0);
    mali_cmd_wait_work(cmd, MALI_COMPUTE);
}

/* ---- copies of results ---- */

struct copy {
    const struct vk_query_pool *pool;
    VkQueryResultFlags flags;
    struct mali_d slot, to; /* addresses */
    struct mali_d available, result, zero;
};

static void store_value(struct mali_stream *s, const struct copy *copy, struct mali_d value, uint32_t index)
{
    if (copy->flags & VK_QUERY_RESULT_64_BIT)
        mali_put_store64(s, value, copy->to, (int16_t)(8 * index));
    else
        mali_put_store32(s, mali_low(value), copy->to, (int16_t)(4 * index));
}

static void copy_one(struct mali_stream *s, const struct copy *copy)
{
    const bool is_conditional = !(copy->flags & (VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_PARTIAL_BIT));
    struct mali_block block;
    if (copy->flags & VK_QUERY_RESULT_WAIT_BIT)
        mali_put_sync_wait64(s, MALI_CS_CONDITION_GREATER, copy->slot, copy->zero);
    mali_put_load64(s, copy->available, copy->slot, 0);
    if (is_conditional)
        mali_if_begin(s, &block, MALI_CS_CONDITION_NEQUAL, mali_low(copy->available));
    mali_put_load64(s, copy->result, copy->slot, MALI_QUERY_RESULT_B);
    store_value(s, copy, copy->result, 0);
    if (is_conditional)
        mali_if_end(s, &block);
    if (copy->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
        store_value(s, copy, copy->available, 1);
}

static void add_number(struct mali_stream *s, struct mali_d pair, uint64_t value)
{
    for (; value > INT32_MAX; value -= INT32_MAX)
        mali_put_add64(s, pair, pair, INT32_MAX);
    mali_put_add64(s, pair, pair, (int32_t)value);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t first,
                                                        uint32_t count, VkBuffer buffer, VkDeviceSize offset_B,
                                                        VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    struct mali_stream *s = &cmd->streams[MALI_COMPUTE].s;
    const struct copy copy = {
        .pool = vk_query_pool_from_handle(pool_handle),
        .flags = flags,
        .slot = mali_scratch_pair(0),
        .to = mali_scratch_pair(2),
        .available = mali_scratch_pair(4),
        .result = mali_scratch_pair(6),
        .zero = mali_scratch_pair(8),
    };
    const struct mali_r left = mali_scratch(10);
    struct mali_block loop;
    if (!count)
        return;
    wait_for_queries(cmd, copy.pool);
    mali_set64(s, copy.slot, vk_query_va(copy.pool, first));
    mali_set64(s, copy.to, vk_buffer_from_handle(buffer)->va + offset_B);
    mali_set64(s, copy.zero, 0);
    mali_set32(s, left, count);
    mali_loop_begin(s, &loop);
    copy_one(s, &copy);
    add_number(s, copy.slot, copy.pool->stride_B);
    add_number(s, copy.to, stride_B);
    mali_put_add32(s, left, left, -1);
    mali_loop_end(s, &loop, MALI_CS_CONDITION_NEQUAL, left);
    cmd->streams[MALI_COMPUTE].is_unflushed = true;
}
