/* Query commands: begin, end, timestamps, resets, and copies of results into buffers, all by the command processor. */
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/query.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_rbbm.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

/* ---- packets ---- */

static void emit_write64(struct adreno_cs *cs, uint64_t va, uint64_t value)
{
    ADRENO_PACKET(cs, CP_MEM_WRITE, .ADDR = va, .tail_dw = 2);
    adreno_emit64(cs, value);
}

/* ---- sampling ---- */

/* Counters of the pipeline stand still only when it is idle. */
static void sample_statistics(struct adreno_cs *cs, uint64_t va)
{
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    ADRENO_PACKET(cs, CP_REG_TO_MEM, .REG = ADRENO_REG_RBBM_PIPESTAT_IAVERTICES, .CNT = 2 * ADRENO_STATISTICS,
                  .WIDE = true, .DEST = va);
}

static void sample_generated(struct adreno_cs *cs, uint64_t va)
{
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    ADRENO_PACKET(cs, CP_REG_TO_MEM, .REG = ADRENO_REG_RBBM_PIPESTAT_IAVERTICES + 2 * ADRENO_STATISTIC_GENERATED,
                  .CNT = 2, .WIDE = true, .DEST = va);
}

static void sample_occlusion(struct adreno_cs *cs, uint64_t va)
{
    ADRENO_REG(cs, RB_SAMPLE_COUNTER_CNTL, .COPY = true);
    adreno_set_reg64(cs, ADRENO_REG_RB_SAMPLE_COUNTER_BASE, va);
    adreno_event(cs, ADRENO_EVENT_ZPASS_DONE);
}

static void sample_feedback(struct adreno_cs *cs, uint64_t va, uint64_t event_va)
{
    adreno_set_reg64(cs, ADRENO_REG_VPC_SO_QUERY_BASE, va);
    adreno_event(cs, ADRENO_EVENT_WRITE_PRIMITIVE_COUNTS);
    adreno_emit_order(cs, ADRENO_CLEAN_UCHE, event_va);
}

/* At most 32 dwords and an order. */
static void sample(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_query_pool *pool,
                   uint32_t query, bool is_end)
{
    const uint64_t va = adreno_query_sample_va(pool, query, is_end);
    switch (pool->vk.type) {
    case VK_QUERY_TYPE_OCCLUSION:
        sample_occlusion(cs, va);
        break;
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        sample_statistics(cs, va);
        break;
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
        sample_generated(cs, va);
        break;
    default:
        sample_feedback(cs, va, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
    }
}

#define END_DW (40 + ADRENO_ORDER_DW + 8 + 10 * ADRENO_STATISTICS) /* of an end, with its results */

/* Results grow by what was counted between the two samples. */
static void accumulate_counts(struct adreno_cs *cs, const struct adreno_query_pool *pool, uint32_t query,
                              uint32_t stream)
{
    const uint64_t begin = adreno_query_sample_va(pool, query, false), end = adreno_query_sample_va(pool, query, true);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
    for (uint32_t i = 0; i < pool->result_count; i++) {
        const uint32_t at = pool->sample_count == 8 ? 2 * stream + i : i;
        const uint64_t va = adreno_query_result_va(pool, query, i);
        ADRENO_PACKET(cs, CP_MEM_TO_MEM, .NEG_C = true, .DOUBLE = true, .DST = va, .SRC_A = va, .SRC_B = end + 8 * at,
                      .SRC_C = begin + 8 * at);
    }
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
}

/* Counters of the pipeline run while somebody looks at them. */
static bool has_counters(const struct adreno_query_pool *pool)
{
    return pool->vk.type == VK_QUERY_TYPE_PIPELINE_STATISTICS ||
           pool->vk.type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
}

/* A primitive is generated once, however many tiles draw it: NULL, or where the number of dwords is written that tiles
 * leave out. */
static uint32_t *begin_once(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_query_pool *pool)
{
    if (pool->vk.type != VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT || !cmd->graphics.pass.is_active)
        return NULL;
    cmd->graphics.pass.needs_binning = true;
    return adreno_if_once(cs);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBeginQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool_handle,
                                                          uint32_t query, VkQueryControlFlags flags, uint32_t index)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_emit_due(cmd, cs);
    adreno_cs_reserve(cs, 40 + ADRENO_ORDER_DW);
    cmd->graphics.occlusion_queries += pool->vk.type == VK_QUERY_TYPE_OCCLUSION;
    cmd->graphics.dirty |= ADRENO_DIRTY_QUERIES;
    cmd->graphics.statistics_queries += has_counters(pool);
    cmd->graphics.generated_queries += pool->vk.type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
    uint32_t *once_dw = begin_once(cmd, cs, pool);
    if (has_counters(pool)) {
        adreno_event(cs, ADRENO_EVENT_START_PRIMITIVE_CTRS);
        adreno_event(cs, ADRENO_EVENT_START_FRAGMENT_CTRS);
        adreno_event(cs, ADRENO_EVENT_START_COMPUTE_CTRS);
    }
    sample(cmd, cs, pool, query, false);
    if (once_dw)
        adreno_end_if(cs, once_dw);
}

/* The index is a stream's number. */
VKAPI_ATTR void VKAPI_CALL adreno_CmdEndQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t query,
                                                        uint32_t stream)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_emit_due(cmd, cs);
    adreno_cs_reserve(cs, END_DW);
    uint32_t *once_dw = begin_once(cmd, cs, pool);
    sample(cmd, cs, pool, query, true);
    cmd->graphics.occlusion_queries -= pool->vk.type == VK_QUERY_TYPE_OCCLUSION;
    cmd->graphics.dirty |= ADRENO_DIRTY_QUERIES;
    cmd->graphics.statistics_queries -= has_counters(pool);
    cmd->graphics.generated_queries -= pool->vk.type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
    if (has_counters(pool) && !cmd->graphics.statistics_queries) {
        adreno_event(cs, ADRENO_EVENT_STOP_PRIMITIVE_CTRS);
        adreno_event(cs, ADRENO_EVENT_STOP_FRAGMENT_CTRS);
        adreno_event(cs, ADRENO_EVENT_STOP_COMPUTE_CTRS);
    }
    accumulate_counts(cs, pool, query, stream);
    if (once_dw)
        adreno_end_if(cs, once_dw);
    cs = adreno_cmd_stream_after_tiles(cmd);
    const uint32_t count = vk_query_places(&cmd->vk); /* of several views the first has all results */
    adreno_cs_reserve(cs, 8 * count);
    for (uint32_t i = 0; i < count; i++)
        emit_write64(cs, adreno_query_available_va(pool, query + i), 1);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
}

/* ---- timestamps ---- */

/* At the end of the pipeline, whatever the stage: that is allowed for all of them. Events happen in their order, so the
 * second write says that the first is there. */
VKAPI_ATTR void VKAPI_CALL adreno_CmdWriteTimestamp2(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                     VkQueryPool pool_handle, uint32_t query)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    struct adreno_cs *cs = adreno_cmd_stream_after_tiles(cmd);
    adreno_emit_due(cmd, cs);
    const uint32_t count = vk_query_places(&cmd->vk);
    adreno_cs_reserve(cs, (1 + count) * ADRENO_PKT_CP_EVENT_WRITE_DW);
    ADRENO_PACKET(cs, CP_EVENT_WRITE, .EVENT = ADRENO_EVENT_RB_DONE_TS, .TIMESTAMP = true,
                  .ADDR = adreno_query_result_va(pool, query, 0));
    for (uint32_t i = 0; i < count; i++)
        adreno_event_write(cs, ADRENO_EVENT_RB_DONE_TS, adreno_query_available_va(pool, query + i), 1);
}

/* ---- resets ---- */

VKAPI_ATTR void VKAPI_CALL adreno_CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t first,
                                                    uint32_t count)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    struct adreno_cs *cs = &cmd->cs;
    const uint32_t words = 2 * (1 + pool->result_count); /* samples are written before they are read */
    /* Results that earlier queries still write must be there first. */
    cmd->orders.due |= ADRENO_WAIT_IDLE;
    adreno_emit_due(cmd, cs);
    for (uint32_t i = first; i < first + count; i++) {
        adreno_cs_reserve(cs, 4 + words);
        ADRENO_PACKET(cs, CP_MEM_WRITE, .ADDR = adreno_query_available_va(pool, i), .tail_dw = words);
        memset(cs->dw, 0, 4 * words);
        cs->dw += words;
    }
    adreno_cs_reserve(cs, 1);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
}

/* ---- copies of results ---- */

/* The next packet, of `size_dw` dwords, is skipped while the query is not complete. */
static void skip_unless_available(struct adreno_cs *cs, const struct adreno_query_pool *pool, uint32_t query,
                                  uint32_t size_dw)
{
    const uint64_t va = adreno_query_available_va(pool, query);
    ADRENO_PACKET(cs, CP_COND_EXEC, .BOOL_ADDR = va, .TIMESTAMP_ADDR = va, .ACTIVE_TIMESTAMP = 2, .DWORDS = size_dw);
}

static void copy_result(struct adreno_cs *cs, const struct adreno_query_pool *pool, uint32_t query, uint64_t dst_va,
                        VkQueryResultFlags flags)
{
    const bool is_64 = flags & VK_QUERY_RESULT_64_BIT;
    const uint32_t step_B = is_64 ? 8 : 4;
    const bool is_always = flags & (VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_PARTIAL_BIT);
    const bool has_statistics = pool->vk.type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
    uint32_t places = has_statistics ? pool->vk.statistics : (1u << pool->result_count) - 1;
    adreno_cs_reserve(cs, 32 + 32 * pool->result_count);
    if (flags & VK_QUERY_RESULT_WAIT_BIT)
        ADRENO_PACKET(cs, CP_WAIT_REG_MEM, .FUNCTION = ADRENO_COND_FUNCTION_NE, .POLL = ADRENO_POLL_MEMORY,
                      .POLL_ADDR = adreno_query_available_va(pool, query), .REF = 0, .MASK = ~0u,
                      .DELAY_LOOP_CYCLES = 16);
    bits_foreach (places, bit) {
        const uint32_t place = has_statistics ? adreno_statistic_place[bit] : bit;
        if (!is_always)
            skip_unless_available(cs, pool, query, ADRENO_COPY_DW);
        adreno_emit_copy(cs, dst_va, adreno_query_result_va(pool, query, place), is_64);
        dst_va += step_B;
    }
    if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
        adreno_emit_copy(cs, dst_va, adreno_query_available_va(pool, query), is_64);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool_handle,
                                                          uint32_t first, uint32_t count, VkBuffer buffer,
                                                          VkDeviceSize offset_B, VkDeviceSize stride_B,
                                                          VkQueryResultFlags flags)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    const uint64_t va = vk_buffer_from_handle(buffer)->va + offset_B;
    cmd->orders.due |= ADRENO_WAIT_IDLE | ADRENO_WAIT_ME;
    adreno_emit_due(cmd, &cmd->cs);
    for (uint32_t i = 0; i < count; i++)
        copy_result(&cmd->cs, pool, first + i, va + i * stride_B, flags);
}
