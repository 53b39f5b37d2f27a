/* Query pools. A query is a slot in memory:
 *
 *   available   0, or 1 when the result is complete; as 64 bits, so that it can be copied as a result
 *   results     the values so far, as vkGetQueryPoolResults counts them: what is sampled at an end minus what was sampled
 *               at its begin is added, so that a query may be begun and ended once for every tile
 *   samples     of counters, at the begin and at the end */
#ifndef ADRENO_DRIVER_QUERY_H
#define ADRENO_DRIVER_QUERY_H

#include "adreno/driver/cmd.h"
#include "vulkan/runtime/command/vk_query_pool.h"

/* Counters of the pipeline, in the hardware's order; all are sampled by one packet. */
#define ADRENO_STATISTICS 11
#define ADRENO_STATISTIC_GENERATED 7 /* primitives that reach the clipper */

struct adreno_query_pool {
    struct vk_query_pool vk;
    uint32_t result_count; /* that a query has, in the slot */
    uint32_t sample_count; /* that are taken at once */
};

VK_DEFINE_CASTS(adreno_query_pool, VkQueryPool)

extern const struct vk_query_ops adreno_query_ops;

static inline uint64_t adreno_query_available_va(const struct adreno_query_pool *pool, uint32_t query)
{
    return vk_query_va(&pool->vk, query);
}

static inline uint64_t adreno_query_result_va(const struct adreno_query_pool *pool, uint32_t query, uint32_t result)
{
    return adreno_query_available_va(pool, query) + 8 + 8 * result;
}

/* Samples: at the begin, or at the end. */
static inline uint64_t adreno_query_sample_va(const struct adreno_query_pool *pool, uint32_t query, bool is_end)
{
    return adreno_query_result_va(pool, query, pool->result_count + (is_end ? pool->sample_count : 0));
}

/* The place of a statistic among the hardware's counters, by bit of VkQueryPipelineStatisticFlagBits. */
extern const uint8_t adreno_statistic_place[ADRENO_STATISTICS];

#endif
