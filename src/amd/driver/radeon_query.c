/* Query pools: what the GPU writes for a query, and how results are made of it, by the host or by a shader.
 *
 *   occlusion   for each render backend a pair of 64-bit counters, at the query's begin and end, whose highest bit says
 *               that the backend has written them
 *   timestamp   one 64-bit value; all ones: not written. Sizes of acceleration structures are the same
 *   feedback    primitives that came and primitives written, at the begin and at the end, with the same highest bit
 *   statistics  eleven counters at the begin, eleven at the end, what shaders counted, and one word when the end is there
 *   performance a 64-bit word for each counter of each engine and instance (radeon_perf.c), and the same one word
 *
 * After the queries of a pool lies a word for each: whether statistics are available. */
#include <string.h>

#include "amd/driver/radeon_perf.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

/* The hardware's order of counters, by bit of VkQueryPipelineStatisticFlagBits. */
const uint8_t radeon_statistic_place[RADEON_STATISTICS] = {
    [0] = 7,   /* input assembly vertices */
    [1] = 6,   /* input assembly primitives */
    [2] = 3,   /* vertex shader invocations */
    [3] = 4,   /* geometry shader invocations */
    [4] = 5,   /* geometry shader primitives */
    [5] = 2,   /* clipping invocations */
    [6] = 1,   /* clipping primitives */
    [7] = 0,   /* fragment shader invocations */
    [8] = 8,   /* tessellation control patches */
    [9] = 9,   /* tessellation evaluation invocations */
    [10] = 10, /* compute shader invocations */
};

static const uint64_t written_bit = 1ull << 63, not_ready = UINT64_MAX;

/* ---- results on the host ---- */

/* False while the result is not complete; the values so far are there all the same. */
static bool read_occlusion(const struct radeon_query_pool *pool, uint32_t query, uint64_t *value_out)
{
    const volatile uint64_t *pairs = vk_query_slot(&pool->vk, query);
    bool available = true;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pool->num_backends; i++) {
        if (!(pool->enabled_backends >> i & 1))
            continue;
        uint64_t begin = pairs[2 * i], end = pairs[2 * i + 1];
        if (begin & end & written_bit)
            sum += end - begin;
        else
            available = false;
    }
    *value_out = sum;
    return available;
}

static bool read_statistics(const struct radeon_query_pool *pool, uint32_t query,
                            uint64_t values_out[VK_QUERY_MAX_VALUES], uint32_t *count_out)
{
    const volatile uint64_t *begin = vk_query_slot(&pool->vk, query),
                            *end = begin + RADEON_STATISTICS;
    bool is_available = atomic_load(radeon_query_available(pool, query));
    uint32_t count = 0;
    bits_foreach (pool->vk.statistics, bit) {
        const uint32_t shader_B = radeon_shader_count_B((unsigned)bit);
        uint64_t value = shader_B ? begin[shader_B / 8] : 0;
        if (bit < RADEON_STATISTICS)
            value += end[radeon_statistic_place[bit]] - begin[radeon_statistic_place[bit]];
        values_out[count++] = is_available ? value : 0;
    }
    *count_out = count;
    return is_available;
}

/* Written, and needed. */
static bool read_feedback(const struct radeon_query_pool *pool, uint32_t query, uint64_t values_out[2])
{
    const volatile uint64_t *begin = vk_query_slot(&pool->vk, query), *end = begin + 2;
    bool available = true;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t from = begin[i], to = end[i];
        bool both = from & to & written_bit;
        values_out[1 - i] = both ? to - from : 0;
        available &= both;
    }
    return available;
}

static bool read_query(const struct vk_query_pool *base, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    const struct radeon_query_pool *pool = (const struct radeon_query_pool *)base;
    *count_out = 1;
    switch (pool->vk.type) {
    case VK_QUERY_TYPE_OCCLUSION:
        return read_occlusion(pool, query, values_out);
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        return read_statistics(pool, query, values_out, count_out);
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
        *count_out = 2;
        return read_feedback(pool, query, values_out);
    case VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR:
        *count_out = pool->perf.count;
        if (!atomic_load(radeon_query_available(pool, query)))
            return false;
        radeon_perf_read(pool, query, values_out);
        return true;
    default: {
        const _Atomic uint64_t *value = vk_query_slot(&pool->vk, query);
        values_out[0] = atomic_load(value);
        bool available = values_out[0] != not_ready;
        if (!available)
            values_out[0] = 0;
        return available;
    }
    }
}

/* ---- pools ---- */

/* By which counters a query counts that has none of its own. */
static void set_counters(struct vk_query_pool *pool)
{
    switch (pool->type) {
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
        /* Primitives that come to the clipper: all of them, for rasterization is on. */
        pool->type = VK_QUERY_TYPE_PIPELINE_STATISTICS;
        pool->statistics = VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT;
        break;
    case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
        pool->type = VK_QUERY_TYPE_PIPELINE_STATISTICS;
        pool->statistics = RADEON_STATISTIC_MESH_PRIMITIVES;
        break;
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR:
        pool->type = VK_QUERY_TYPE_TIMESTAMP; /* a number that is never all ones */
        break;
    default:
        break;
    }
}

static VkResult init_pool(struct vk_device *base, const VkQueryPoolCreateInfo *info, struct vk_query_pool *vk)
{
    const struct radeon_device *device = radeon_device_of(base);
    struct radeon_query_pool *pool = (struct radeon_query_pool *)vk;
    VkResult result = VK_SUCCESS;
    set_counters(vk);
    switch (vk->type) {
    case VK_QUERY_TYPE_OCCLUSION:
        vk->stride_B = 16 * device->physical->num_render_backends;
        break;
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        vk->stride_B = RADEON_SHADER_COUNTS_B + 8 * AMD_COUNTS;
        break;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
        vk->stride_B = 32;
        break;
    case VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR:
        result = radeon_perf_init_pool(device, vk_find_struct_const(info->pNext, VkQueryPoolPerformanceCreateInfoKHR),
                                       pool);
        break;
    default:
        vk->stride_B = 8;
    }
    pool->num_backends = device->physical->num_render_backends;
    pool->enabled_backends = device->physical->enabled_render_backends;
    pool->available_offset_B = (uint64_t)vk->stride_B * info->queryCount;
    vk->size_B = pool->available_offset_B + 4ull * info->queryCount;
    return result;
}

static void reset_queries(struct vk_query_pool *vk, uint32_t first, uint32_t count)
{
    const struct radeon_query_pool *pool = (const struct radeon_query_pool *)vk;
    const int value = vk->type == VK_QUERY_TYPE_TIMESTAMP ? 0xff : 0;
    memset(vk_query_slot(vk, first), value, (size_t)count * vk->stride_B);
    memset((uint8_t *)vk->bo->map + pool->available_offset_B + 4ull * first, 0, 4ull * count);
}

const struct vk_query_ops radeon_query_ops = {sizeof(struct radeon_query_pool), init_pool, read_query, reset_queries};
