/* Query pools, and their results on the host. */
#include "vulkan/runtime/command/vk_query_pool.h"

#include <sched.h>
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/sync/vk_time.h"

/* How long the work that writes a result may take before it is asked whether it was lost. */
#define PATIENCE_NS 2000000000ull
#define PAGE_B 4096

/* ---- pools ---- */

static VkResult make_slots(struct vk_device *device, const VkQueryPoolCreateInfo *info, struct vk_query_pool *pool)
{
    const VkResult result = device->queries->init(device, info, pool);
    if (result != VK_SUCCESS)
        return result;
    if (!pool->size_B)
        pool->size_B = (uint64_t)pool->stride_B * info->queryCount;
    const uint64_t pages_B = align_u64(pool->size_B, PAGE_B);
    pool->bo = pages_B <= UINT32_MAX ? device->bos->create(device, (uint32_t)pages_B) : NULL;
    return pool->bo ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void reset_queries(struct vk_device *device, struct vk_query_pool *pool, uint32_t first, uint32_t count)
{
    if (device->queries->reset)
        device->queries->reset(pool, first, count);
    else
        memset(vk_query_slot(pool, first), 0, (size_t)count * pool->stride_B);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateQueryPool(VkDevice handle, const VkQueryPoolCreateInfo *info,
                                                         const VkAllocationCallbacks *own, VkQueryPool *pool_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_query_pool *pool =
        vk_object_create(device, own, device->queries->pool_size_B, VK_OBJECT_TYPE_QUERY_POOL);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->type = info->queryType;
    pool->count = info->queryCount;
    if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
        pool->statistics = info->pipelineStatistics;
    const VkResult result = make_slots(device, info, pool);
    if (result != VK_SUCCESS) {
        vk_object_destroy(device, own, &pool->base);
        return result;
    }
    reset_queries(device, pool, 0, pool->count);
    *pool_out = vk_query_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyQueryPool(VkDevice handle, VkQueryPool pool_handle,
                                                      const VkAllocationCallbacks *own)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_query_pool *pool = vk_query_pool_from_handle(pool_handle);
    if (!pool)
        return;
    device->bos->destroy(device, pool->bo);
    vk_object_destroy(device, own, &pool->base);
}

VKAPI_ATTR void VKAPI_CALL vk_common_ResetQueryPool(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count)
{
    reset_queries(vk_device_from_handle(handle), vk_query_pool_from_handle(pool), first, count);
}

/* ---- commands ---- */

uint32_t vk_query_places(const struct vk_command_buffer *cmd)
{
    const uint32_t views = cmd->rec->rendering.active ? cmd->rec->rendering.view_mask : 0;
    return views ? (uint32_t)__builtin_popcount(views) : 1;
}

/* Without the extension of streams an index is 0. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdBeginQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
                                                   VkQueryControlFlags flags)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdBeginQueryIndexedEXT(handle, pool, query, flags, 0);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdEndQueryIndexedEXT(handle, pool, query, 0);
}

/* ---- results on the host ---- */

static void put_result(uint8_t *out, uint32_t index, bool wide, uint64_t value)
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
    while (!device->queries->read(pool, query, values, count)) {
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
        bool available = device->queries->read(pool, first + i, values, &num_values);
        if (!available && flags & VK_QUERY_RESULT_WAIT_BIT) {
            if (wait_for(device, pool, first + i, values, &num_values) != VK_SUCCESS)
                return VK_ERROR_DEVICE_LOST;
            available = true;
        }
        for (uint32_t j = 0; j < num_values && (available || flags & VK_QUERY_RESULT_PARTIAL_BIT); j++)
            put_result(out, j, wide, values[j]);
        if (!available && !(flags & VK_QUERY_RESULT_PARTIAL_BIT))
            result = VK_NOT_READY;
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
            put_result(out, num_values, wide, available);
    }
    return result;
}
