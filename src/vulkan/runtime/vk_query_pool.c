/* Query pools. */
#include "vulkan/runtime/vk_query_pool.h"

#include "vulkan/runtime/vk_device.h"

void *vk_query_pool_create(struct vk_device *device, const VkQueryPoolCreateInfo *info,
                           const VkAllocationCallbacks *own, size_t size_B)
{
    struct vk_query_pool *pool = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_QUERY_POOL);
    if (!pool)
        return NULL;
    pool->type = info->queryType;
    pool->count = info->queryCount;
    if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
        pool->statistics = info->pipelineStatistics;
    return pool;
}

void vk_query_pool_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_query_pool *pool)
{
    vk_object_destroy(device, own, pool ? &pool->base : NULL);
}
