/* Query pools on the host: slots and results. */
#include "adreno/driver/query.h"

#include "util/bits.h"

const uint8_t adreno_statistic_place[ADRENO_STATISTICS] = {
    [0] = 0,   /* input assembly vertices */
    [1] = 1,   /* input assembly primitives */
    [2] = 2,   /* vertex shader invocations */
    [3] = 5,   /* geometry shader invocations */
    [4] = 6,   /* geometry shader primitives */
    [5] = 7,   /* clipping invocations */
    [6] = 8,   /* clipping primitives */
    [7] = 9,   /* fragment shader invocations */
    [8] = 3,   /* tessellation control patches */
    [9] = 4,   /* tessellation evaluation invocations */
    [10] = 10, /* compute shader invocations */
};

static bool read_query(const struct vk_query_pool *base, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    const struct adreno_query_pool *pool = (const struct adreno_query_pool *)base;
    const _Atomic uint64_t *slot = vk_query_slot(base, query);
    const bool is_available = atomic_load(slot);
    uint32_t count = 0;
    if (pool->vk.type == VK_QUERY_TYPE_PIPELINE_STATISTICS) {
        bits_foreach (pool->vk.statistics, bit)
            values_out[count++] = atomic_load(&slot[1 + adreno_statistic_place[bit]]);
    } else {
        for (; count < pool->result_count; count++)
            values_out[count] = atomic_load(&slot[1 + count]);
    }
    *count_out = count;
    return is_available;
}

static VkResult init_pool(struct vk_device *device, const VkQueryPoolCreateInfo *info, struct vk_query_pool *base)
{
    struct adreno_query_pool *pool = (struct adreno_query_pool *)base;
    switch (info->queryType) {
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        pool->result_count = pool->sample_count = ADRENO_STATISTICS;
        break;
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
        pool->result_count = pool->sample_count = 1;
        break;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT: /* written and generated, of four streams */
        pool->result_count = 2;
        pool->sample_count = 8;
        break;
    default:
        pool->result_count = 1;
    }
    base->stride_B = (uint32_t)align_u64(8 * (1 + pool->result_count + 2 * pool->sample_count), 16);
    return VK_SUCCESS;
}

const struct vk_query_ops adreno_query_ops = {sizeof(struct adreno_query_pool), init_pool, read_query, NULL};
