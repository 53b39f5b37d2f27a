/* Query pools. A query is a slot in memory:
 *
 *   available   a synchronisation object of 64 bits: 0, or 1 when the result is complete, and a status
 *   results     as vkGetQueryPoolResults counts them */
#ifndef MALI_DRIVER_QUERY_H
#define MALI_DRIVER_QUERY_H

#include "mali/driver/cmd.h"
#include "vulkan/runtime/command/vk_query_pool.h"

enum {
    MALI_QUERY_RESULTS_B = 16, /* where results begin */
};

struct mali_query_pool {
    struct vk_query_pool vk;
    struct mali_bo *bo;
    uint8_t *map;
    uint32_t result_count; /* that a query has */
    uint32_t stride_B;
};

VK_DEFINE_CASTS(mali_query_pool, VkQueryPool)

static inline uint64_t mali_query_va(const struct mali_query_pool *pool, uint32_t query)
{
    return pool->bo->vk.va + (uint64_t)query * pool->stride_B;
}

static inline uint64_t mali_query_result_va(const struct mali_query_pool *pool, uint32_t query)
{
    return mali_query_va(pool, query) + MALI_QUERY_RESULTS_B;
}

#endif
