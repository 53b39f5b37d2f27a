/* Query pools, and their results on the host. */
#include "vulkan/runtime/command/vk_query_pool.h"

#include <sched.h>
#include <string.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/sync/vk_time.h"

/* How long the work that writes a result may take before it is asked whether it was lost. */
#define PATIENCE_NS 2000000000ull

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

static void put(uint8_t *out, uint32_t index, bool wide, uint64_t value)
{
    if (wide)
        memcpy(out + 8 * index, &value, 8);
    else
        memcpy(out + 4 * index, &(uint32_t){(uint32_t)value}, 4);
}

/* Reads until the result is there; VK_ERROR_DEVICE_LOST where it will not come. */
static VkResult wait_for(struct vk_device *device, const struct vk_query_pool *pool, uint32_t query, uint64_t *values,
                         uint32_t *count)
{
    uint64_t deadline_ns = vk_time_deadline_ns(PATIENCE_NS);
    while (!pool->read(pool, query, values, count)) {
        if (vk_time_now_ns() > deadline_ns) {
            if (vk_device_check_status(device) == VK_ERROR_DEVICE_LOST)
                return VK_ERROR_DEVICE_LOST;
            deadline_ns = vk_time_deadline_ns(PATIENCE_NS);
        }
        sched_yield();
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetQueryPoolResults(VkDevice handle, VkQueryPool pool_handle, uint32_t first,
                                                             uint32_t count, size_t size_B, void *data,
                                                             VkDeviceSize stride_B, VkQueryResultFlags flags)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    /* Results of performance counters are unions of 64 bits, whatever the flags say. */
    bool wide = flags & VK_QUERY_RESULT_64_BIT || pool->type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;
    VkResult result = VK_SUCCESS;
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *out = (uint8_t *)data + i * stride_B;
        uint64_t values[VK_QUERY_MAX_VALUES];
        uint32_t num_values;
        bool available = pool->read(pool, first + i, values, &num_values);
        if (!available && flags & VK_QUERY_RESULT_WAIT_BIT) {
            if (wait_for(device, pool, first + i, values, &num_values) != VK_SUCCESS)
                return VK_ERROR_DEVICE_LOST;
            available = true;
        }
        for (uint32_t j = 0; j < num_values && (available || flags & VK_QUERY_RESULT_PARTIAL_BIT); j++)
            put(out, j, wide, values[j]);
        if (!available && !(flags & VK_QUERY_RESULT_PARTIAL_BIT))
            result = VK_NOT_READY;
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
            put(out, num_values, wide, available);
    }
    return result;
}
