/* VkQueryPool: what it was created with. */
#ifndef VULKAN_RUNTIME_VK_QUERY_POOL_H
#define VULKAN_RUNTIME_VK_QUERY_POOL_H

#include "vulkan/runtime/vk_object.h"

struct vk_query_pool {
    struct vk_object_base base;
    VkQueryType type;
    uint32_t count;
    VkQueryPipelineStatisticFlags statistics;
};

VK_DEFINE_CASTS(vk_query_pool, VkQueryPool)

/* An object of `size_B` bytes that begins with a vk_query_pool; NULL when there is no memory. */
void *vk_query_pool_create(struct vk_device *device, const VkQueryPoolCreateInfo *info,
                           const VkAllocationCallbacks *own, size_t size_B);
void vk_query_pool_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_query_pool *pool);

#endif
