/* VkQueryPool: what it was created with, and results for the host. Where counters lie and how commands write them is the
 * driver's. */
#ifndef VULKAN_RUNTIME_VK_QUERY_POOL_H
#define VULKAN_RUNTIME_VK_QUERY_POOL_H

#include "vulkan/runtime/object/vk_object.h"

#define VK_QUERY_MAX_VALUES 16 /* 13 statistics are the most */

struct vk_query_pool {
    struct vk_object_base base;
    VkQueryType type;
    uint32_t count;
    VkQueryPipelineStatisticFlags statistics;
    /* What a query has counted so far: the values in the order of the specification, and how many. False while the
     * result is not complete. Set by the driver; NULL: vkGetQueryPoolResults is its own. */
    bool (*read)(const struct vk_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                 uint32_t *count_out);
};

VK_DEFINE_CASTS(vk_query_pool, VkQueryPool)

/* An object of `size_B` bytes that begins with a vk_query_pool; NULL when there is no memory. */
void *vk_query_pool_create(struct vk_device *device, const VkQueryPoolCreateInfo *info,
                           const VkAllocationCallbacks *own, size_t size_B);
void vk_query_pool_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_query_pool *pool);

#endif
