/* Query pools on the host: slots, results, resets. */
#include "mali/driver/query.h"

#include <string.h>

#include "mali/driver/entrypoints.h"
#include "mali/driver/memory.h"
#include "util/bits.h"

static bool read_query(const struct vk_query_pool *base, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    const struct mali_query_pool *pool = (const struct mali_query_pool *)base;
    const uint8_t *slot = pool->map + (size_t)query * pool->stride_B;
    const _Atomic uint64_t *results = (const void *)(slot + MALI_QUERY_RESULTS_B);
    const bool is_available = atomic_load((const _Atomic uint64_t *)(const void *)slot);
    for (uint32_t i = 0; i < pool->result_count; i++)
        values_out[i] = atomic_load(&results[i]);
    *count_out = pool->result_count;
    return is_available;
}

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateQueryPool(VkDevice handle, const VkQueryPoolCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkQueryPool *pool_out)
{
    struct mali_device *device = mali_device_from_handle(handle);
    struct mali_query_pool *pool = vk_query_pool_create(&device->vk, info, allocator, sizeof(*pool));
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->result_count = 1;
    pool->stride_B = (uint32_t)align_u64(MALI_QUERY_RESULTS_B + 8 * pool->result_count, 16);
    const uint64_t size_B = (uint64_t)pool->stride_B * info->queryCount;
    VkResult result = mali_mapped_bo_create(device, size_B, 0, &pool->bo);
    if (result != VK_SUCCESS) {
        vk_query_pool_destroy(&device->vk, allocator, &pool->vk);
        return result;
    }
    pool->map = pool->bo->vk.map;
    pool->vk.read = read_query;
    memset(pool->map, 0, size_B);
    *pool_out = mali_query_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroyQueryPool(VkDevice handle, VkQueryPool pool_handle,
                                                 const VkAllocationCallbacks *allocator)
{
    struct mali_query_pool *pool = mali_query_pool_from_handle(pool_handle);
    if (!pool)
        return;
    mali_bo_unref(pool->bo);
    vk_query_pool_destroy(vk_device_from_handle(handle), allocator, &pool->vk);
}

VKAPI_ATTR void VKAPI_CALL mali_ResetQueryPool(VkDevice handle, VkQueryPool pool_handle, uint32_t first, uint32_t count)
{
    struct mali_query_pool *pool = mali_query_pool_from_handle(pool_handle);
    memset(pool->map + (size_t)first * pool->stride_B, 0, (size_t)count * pool->stride_B);
}
