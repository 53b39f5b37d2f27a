/* Query pools. A query is a slot in memory:
 *
 *   available   a synchronisation object of 64 bits: 0, or 1 when the result is complete, and a status
 *   result      as vkGetQueryPoolResults counts it */
#ifndef MALI_DRIVER_QUERY_H
#define MALI_DRIVER_QUERY_H

#include "mali/driver/cmd.h"
#include "vulkan/runtime/command/vk_query_pool.h"

enum {
    MALI_QUERY_RESULT_B = 16, /* where the result is */
    MALI_QUERY_SLOT_B = 32,
};

extern const struct vk_query_ops mali_query_ops;

static inline uint64_t mali_query_result_va(const struct vk_query_pool *pool, uint32_t query)
{
    return vk_query_va(pool, query) + MALI_QUERY_RESULT_B;
}

#endif
