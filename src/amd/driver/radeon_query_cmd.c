/* Query commands: begin, end, timestamps, resets, and copies of results into buffers by a shader. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_perf.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

static void sample_event(struct radeon_cmd_buffer *cmd, uint32_t type, uint32_t index, uint64_t va)
{
    radeon_cs_reserve(&cmd->cs, AMD_PKT_EVENT_WRITE_DW);
    RADEON_PACKET(&cmd->cs, EVENT_WRITE, .EVENT_TYPE = type, .EVENT_INDEX = index, .ADDR = va);
}

/* Counting starts with the first query that is active and stops with the last: draws outside cost nothing. */
static void count_occlusion(struct radeon_cmd_buffer *cmd, int change, bool precise)
{
    cmd->queries.occlusion_active += (uint32_t)change;
    if (precise)
        cmd->queries.precise_active += (uint32_t)change;
    cmd->graphics->dirty |= RADEON_DIRTY_OCCLUSION;
}

/* Shaders add to the numbers of this query; 0: to none. */
static void count_by_shaders(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool, uint64_t query_va)
{
    const uint32_t counted = pool->vk.statistics & RADEON_STATISTICS_OF_SHADERS;
    uint64_t any = 0;
    if (!counted)
        return;
    bits_foreach (counted, bit) {
        const uint32_t at_B = radeon_shader_count_B((unsigned)bit);
        cmd->queries.count_va[(at_B - RADEON_SHADER_COUNTS_B) / 8] = query_va ? query_va + at_B : 0;
    }
    for (unsigned i = 0; i < AMD_COUNTS; i++)
        any |= cmd->queries.count_va[i];
    cmd->queries.counts_cell_va = 0;
    cmd->graphics->dirty |= RADEON_DIRTY_VERTEX_USER;
    const size_t size_B = sizeof(cmd->queries.count_va);
    uint64_t *cell = any ? radeon_cmd_upload(cmd, size_B, 8, &cmd->queries.counts_cell_va) : NULL;
    if (cell)
        memcpy(cell, cmd->queries.count_va, size_B);
}

uint32_t radeon_counts_pointer(const struct radeon_cmd_buffer *cmd)
{
    return cmd->queries.counts_cell_va ? radeon_pointer32(cmd->device, cmd->queries.counts_cell_va) : 0;
}

/* A compute ring writes one number, of invocations, not eleven. */
static void sample_statistics(struct radeon_cmd_buffer *cmd, uint64_t va)
{
    const int bit = __builtin_ctz(VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
    if (cmd->is_compute)
        va += radeon_statistic_place[bit] * 8u;
    sample_event(cmd, AMD_EVENT_TYPE_SAMPLE_PIPELINESTAT, AMD_EVENT_INDEX_SAMPLE_PIPELINESTAT, va);
}

static void sample_feedback(struct radeon_cmd_buffer *cmd, uint32_t stream, uint64_t va)
{
    static const uint32_t events[] = {AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS, AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS1,
                                      AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS2, AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS3};
    sample_event(cmd, events[stream & 3], AMD_EVENT_INDEX_SAMPLE_STREAMOUTSTATS, va);
}

/* The index is a stream's number. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdBeginQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool_handle,
                                                          uint32_t query, VkQueryControlFlags flags, uint32_t index)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    uint64_t va = radeon_query_va(pool, query);
    /* A reset by the command processor must be in memory before the counters are. */
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    if (pool->vk.type == VK_QUERY_TYPE_OCCLUSION) {
        count_occlusion(cmd, 1, flags & VK_QUERY_CONTROL_PRECISE_BIT);
        cmd->queries.precise_begun = flags & VK_QUERY_CONTROL_PRECISE_BIT;
        sample_event(cmd, AMD_EVENT_TYPE_ZPASS_DONE, AMD_EVENT_INDEX_ZPASS_DONE, va);
    } else if (pool->vk.type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) {
        sample_feedback(cmd, index, va);
    } else if (pool->vk.type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) {
        radeon_perf_begin(cmd, pool);
    } else {
        cmd->queries.statistics_active++;
        count_by_shaders(cmd, pool, va);
        sample_statistics(cmd, va);
    }
}

/* Of several views the first has the result, and the others nothing. */
static void write_empty(struct radeon_cmd_buffer *cmd, struct radeon_query_pool *pool, uint32_t query)
{
    if (pool->vk.type == VK_QUERY_TYPE_OCCLUSION) {
        /* Both counters of every backend written, and equal. */
        for (uint32_t i = 0; i < pool->num_backends; i++)
            radeon_cp_write(cmd, radeon_query_va(pool, query) + 16 * i, (const uint32_t[4]){0, 1u << 31, 0, 1u << 31},
                            4);
    } else if (pool->vk.type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) {
        for (uint32_t i = 0; i < 2; i++)
            radeon_cp_write(cmd, radeon_query_va(pool, query) + 16 * i, (const uint32_t[4]){0, 1u << 31, 0, 1u << 31},
                            4);
    } else {
        radeon_cp_fill(cmd, radeon_query_va(pool, query), pool->vk.stride_B, 0);
        radeon_cp_writes_wait(cmd);
        radeon_cp_write(cmd, radeon_query_available_va(pool, query), &(const uint32_t){1}, 1);
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdEndQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t query,
                                                        uint32_t index)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    uint64_t va = radeon_query_va(pool, query);
    radeon_emit_due(cmd);
    if (pool->vk.type == VK_QUERY_TYPE_OCCLUSION) {
        sample_event(cmd, AMD_EVENT_TYPE_ZPASS_DONE, AMD_EVENT_INDEX_ZPASS_DONE, va + 8);
        count_occlusion(cmd, -1, cmd->queries.precise_begun);
    } else if (pool->vk.type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) {
        sample_feedback(cmd, index, va + 16);
    } else if (pool->vk.type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) {
        radeon_perf_end(cmd, pool, query);
    } else {
        cmd->queries.statistics_active--;
        count_by_shaders(cmd, pool, 0);
        sample_statistics(cmd, va + RADEON_STATISTICS_B);
        radeon_emit_release(cmd, radeon_query_available_va(pool, query), AMD_RELEASE_DATA_32_BITS, 1);
    }
    for (uint32_t i = 1; i < vk_query_places(&cmd->vk); i++)
        write_empty(cmd, pool, query + i);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdWriteTimestamp2(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                     VkQueryPool pool_handle, uint32_t query)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    for (uint32_t i = 0; i < vk_query_places(&cmd->vk); i++) {
        uint64_t va = radeon_query_va(pool, query + i);
        if (cmd->is_transfer) {
            radeon_dma_timestamp(cmd, va);
        } else if (stage == VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT || !stage) {
            radeon_cs_reserve(&cmd->cs, AMD_PKT_COPY_DATA_DW);
            RADEON_PACKET(&cmd->cs, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_TIMESTAMP, .DST_SEL = AMD_COPY_DST_MEM,
                          .COUNT_64 = true, .WR_CONFIRM = true, .ENGINE = AMD_CP_ENGINE_ME, .DST_ADDR = va);
        } else {
            radeon_emit_release(cmd, va, AMD_RELEASE_DATA_GPU_CLOCK, 0);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool_handle, uint32_t first,
                                                    uint32_t count)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    /* Results that earlier queries still write must be there first. */
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE;
    radeon_cp_fill(cmd, radeon_query_va(pool, first), (uint64_t)count * pool->vk.stride_B,
                   pool->vk.type == VK_QUERY_TYPE_TIMESTAMP ? ~0u : 0);
    radeon_cp_fill(cmd, radeon_query_available_va(pool, first), 4ull * count, 0);
}

/* ---- results into buffers ---- */

struct copy_push {
    uint32_t count[3]; /* queries, 1, 1 */
    uint32_t src_stride_B;
    uint64_t src_va, available_va, dst_va, dst_stride_B;
};
enum {
    COPY_COUNT = 0,
    COPY_SRC_STRIDE = 3,
    COPY_SRC = 4,
    COPY_AVAILABLE = 6,
    COPY_DST = 8,
    COPY_DST_STRIDE = 10
};

/* The key: what is in a query, and what is to be written. */
enum {
    KEY_MASK_BITS = 32, /* enabled backends, or statistics */
    KEY_TYPE_SHIFT = 32,
    KEY_WIDE = 34,
    KEY_WITH_AVAILABILITY = 35,
    KEY_PARTIAL = 36,
};
enum copy_type {
    COPY_OCCLUSION,
    COPY_TIMESTAMP,
    COPY_STATISTICS,
    COPY_FEEDBACK
};

static struct ir_value *push64(struct ir_builder *b, uint32_t word)
{
    return ir_load_push(b, 64, 1, ir_const(b, 32, 0), word * 4, 4, 0);
}

static struct ir_value *at(struct ir_builder *b, struct ir_value *base, struct ir_value *index,
                           struct ir_value *stride_B)
{
    return ir_iadd(b, base, ir_imul(b, ir_u2u(b, 64, index), stride_B));
}

static struct ir_value *load64(struct ir_builder *b, struct ir_value *va, uint32_t offset_B)
{
    return ir_load_global(b, 64, 1, va, offset_B, 8, 0, 0);
}

/* The values of a query, how many, and whether it is available. */
static uint32_t load_values(struct ir_builder *b, enum copy_type type, uint32_t mask, struct ir_value *query,
                            struct ir_value *values[VK_QUERY_MAX_VALUES], struct ir_value **available_out)
{
    struct ir_value *src = at(b, push64(b, COPY_SRC), query, ir_u2u(b, 64, vk_meta_push(b, COPY_SRC_STRIDE)));
    struct ir_value *zero = ir_const(b, 64, 0), *available;
    uint32_t count = 0;
    if (type == COPY_TIMESTAMP) {
        values[0] = load64(b, src, 0);
        available = ir_ine(b, values[0], ir_const(b, 64, UINT64_MAX));
        values[0] = ir_select(b, available, values[0], zero);
        count = 1;
    } else if (type == COPY_OCCLUSION) {
        values[0] = zero;
        available = ir_true(b);
        bits_foreach (mask, backend) {
            struct ir_value *begin = load64(b, src, 16 * (uint32_t)backend),
                            *end = load64(b, src, 16 * (uint32_t)backend + 8);
            struct ir_value *both = ir_ilt(b, ir_iand(b, begin, end), zero); /* the highest bit of both */
            available = ir_iand(b, available, both);
            values[0] = ir_iadd(b, values[0], ir_select(b, both, ir_isub(b, end, begin), zero));
        }
        count = 1;
    } else if (type == COPY_FEEDBACK) {
        available = ir_true(b);
        for (count = 0; count < 2; count++) {
            struct ir_value *begin = load64(b, src, 8 * count), *end = load64(b, src, 16 + 8 * count);
            struct ir_value *both = ir_ilt(b, ir_iand(b, begin, end), zero);
            available = ir_iand(b, available, both);
            values[1 - count] = ir_select(b, both, ir_isub(b, end, begin), zero);
        }
    } else {
        struct ir_value *word =
            ir_load_global(b, 32, 1, at(b, push64(b, COPY_AVAILABLE), query, ir_const(b, 64, 4)), 0, 4, 0, 0);
        available = ir_ine(b, word, ir_const(b, 32, 0));
        bits_foreach (mask, bit) {
            const uint32_t shader_B = radeon_shader_count_B((unsigned)bit);
            struct ir_value *value = shader_B ? load64(b, src, shader_B) : zero;
            if (bit < RADEON_STATISTICS) {
                const uint32_t at_B = 8u * radeon_statistic_place[bit];
                struct ir_value *begin = load64(b, src, at_B), *end = load64(b, src, RADEON_STATISTICS_B + at_B);
                value = ir_iadd(b, value, ir_isub(b, end, begin));
            }
            values[count++] = ir_select(b, available, value, zero);
        }
    }
    *available_out = available;
    return count;
}

static void store_value(struct ir_builder *b, struct ir_value *dst, uint32_t index, bool wide, struct ir_value *value)
{
    if (wide)
        ir_store_global(b, value, dst, 8 * index, 8, 0, 0);
    else
        ir_store_global(b, ir_u2u(b, 32, value), dst, 4 * index, 4, 0, 0);
}

static void build_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    bool wide = key >> KEY_WIDE & 1;
    b->shader->workgroup_size[0] = 64;
    b->shader->workgroup_size[1] = b->shader->workgroup_size[2] = 1;
    struct ir_value *ids[3], *values[VK_QUERY_MAX_VALUES], *available;
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, COPY_COUNT));
    uint32_t count = load_values(b, key >> KEY_TYPE_SHIFT & 3, (uint32_t)key, ids[0], values, &available);
    struct ir_value *dst = at(b, push64(b, COPY_DST), ids[0], push64(b, COPY_DST_STRIDE));
    bool partial = key >> KEY_PARTIAL & 1;
    if (!partial)
        ir_builder_push_if(b, available);
    for (uint32_t i = 0; i < count; i++)
        store_value(b, dst, i, wide, values[i]);
    if (!partial)
        ir_builder_pop_if(b);
    if (key >> KEY_WITH_AVAILABILITY & 1)
        store_value(b, dst, count, wide, ir_select(b, available, ir_const(b, 64, 1), ir_const(b, 64, 0)));
    ir_builder_pop_if(b);
}

static void wait_word(struct radeon_cmd_buffer *cmd, uint64_t va, uint32_t function, uint32_t reference, uint32_t mask)
{
    radeon_cs_reserve(&cmd->cs, AMD_PKT_WAIT_REG_MEM_DW);
    RADEON_PACKET(&cmd->cs, WAIT_REG_MEM, .FUNCTION = function, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                  .ENGINE = AMD_CP_ENGINE_ME, .ADDR = va, .REFERENCE = reference, .MASK = mask, .POLL_INTERVAL = 4);
}

static void wait_for(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool, uint32_t query)
{
    uint64_t va = radeon_query_va(pool, query);
    switch (pool->vk.type) {
    case VK_QUERY_TYPE_OCCLUSION:
        bits_foreach (pool->enabled_backends, backend)
            wait_word(cmd, va + 16 * (uint32_t)backend + 12, AMD_CP_FUNCTION_EQUAL, 1u << 31, 1u << 31);
        break;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
        for (uint32_t i = 0; i < 2; i++)
            wait_word(cmd, va + 16 + 8 * i + 4, AMD_CP_FUNCTION_EQUAL, 1u << 31, 1u << 31);
        break;
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        wait_word(cmd, radeon_query_available_va(pool, query), AMD_CP_FUNCTION_EQUAL, 1, ~0u);
        break;
    default:
        /* The upper half is all ones only while nothing was written. */
        wait_word(cmd, va + 4, AMD_CP_FUNCTION_NOTEQUAL, ~0u, ~0u);
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool_handle,
                                                          uint32_t first, uint32_t count, VkBuffer buffer,
                                                          VkDeviceSize offset_B, VkDeviceSize stride_B,
                                                          VkQueryResultFlags flags)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    bool is_occlusion = pool->vk.type == VK_QUERY_TYPE_OCCLUSION,
         is_timestamp = pool->vk.type == VK_QUERY_TYPE_TIMESTAMP,
         is_feedback = pool->vk.type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
    /* Resets and timestamps of this queue that are on their way come first, whatever is waited for. */
    radeon_cp_writes_wait(cmd);
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE;
    radeon_emit_due(cmd);
    if (flags & VK_QUERY_RESULT_WAIT_BIT) {
        for (uint32_t i = 0; i < count; i++)
            wait_for(cmd, pool, first + i);
    }
    cmd->due |= RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR;
    enum copy_type type = is_occlusion   ? COPY_OCCLUSION
                          : is_timestamp ? COPY_TIMESTAMP
                          : is_feedback  ? COPY_FEEDBACK
                                         : COPY_STATISTICS;
    uint64_t rest = is_occlusion ? pool->enabled_backends : is_timestamp ? 0 : pool->vk.statistics;
    rest |= (uint64_t)type << KEY_TYPE_SHIFT;
    rest |= (uint64_t) !!(flags & VK_QUERY_RESULT_64_BIT) << KEY_WIDE;
    rest |= (uint64_t) !!(flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) << KEY_WITH_AVAILABILITY;
    rest |= (uint64_t) !!(flags & VK_QUERY_RESULT_PARTIAL_BIT) << KEY_PARTIAL;
    const struct copy_push push = {
        .count = {count, 1, 1},
        .src_stride_B = pool->vk.stride_B,
        .src_va = radeon_query_va(pool, first),
        .available_va = radeon_query_available_va(pool, first),
        .dst_va = vk_buffer_from_handle(buffer)->va + offset_B,
        .dst_stride_B = stride_B,
    };
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_QUERY, rest), build_copy), NULL, 0,
                         &push, sizeof(push), (const uint32_t[3]){(uint32_t)div_round_up(count, 64), 1, 1});
}
