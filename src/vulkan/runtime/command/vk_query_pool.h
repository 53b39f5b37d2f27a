/* VkQueryPool: slots in mapped memory, their life, and results for the host. What a slot holds and how commands write
 * it is the family's (struct vk_query_ops). */
#ifndef VULKAN_RUNTIME_VK_QUERY_POOL_H
#define VULKAN_RUNTIME_VK_QUERY_POOL_H

#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/object/vk_object.h"

#define VK_QUERY_MAX_VALUES 16 /* 13 statistics are the most */

struct vk_command_buffer;

struct vk_query_pool {
    struct vk_object_base base;
    VkQueryType type;
    uint32_t count;
    VkQueryPipelineStatisticFlags statistics;
    uint32_t stride_B;
    uint64_t size_B;
    struct vk_bo *bo; /* slots one after the other, then what else the family asked for */
};

VK_DEFINE_CASTS(vk_query_pool, VkQueryPool)

/* vk_device::queries: a family's half of query pools. */
struct vk_query_ops {
    size_t pool_size_B; /* of its own struct, which begins with a vk_query_pool and is zeroed but for that */
    /* Sets stride_B, and size_B where there is more in the memory than slots. May make `type` and `statistics` those by
     * which its hardware counts. On an error nothing is left behind. */
    VkResult (*init)(struct vk_device *device, const VkQueryPoolCreateInfo *info, struct vk_query_pool *pool);
    /* The counts of a query so far: the values in the order of the specification, and how many. False while the
     * result is not complete. */
    bool (*read)(const struct vk_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                 uint32_t *count_out);
    /* Queries as they are before their first begin, by the host. NULL: their slots are zero. */
    void (*reset)(struct vk_query_pool *pool, uint32_t first, uint32_t count);
};

/* A query's slot, as the host and as the GPU sees it. */
static inline void *vk_query_slot(const struct vk_query_pool *pool, uint32_t query)
{
    return (uint8_t *)pool->bo->map + (size_t)query * pool->stride_B;
}

static inline uint64_t vk_query_va(const struct vk_query_pool *pool, uint32_t query)
{
    return pool->bo->va + (uint64_t)query * pool->stride_B;
}

/* How many queries a command takes: with several views each has one. */
uint32_t vk_query_places(const struct vk_command_buffer *cmd);

#endif
