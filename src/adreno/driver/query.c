/* Query pools on the host: slots, results, resets. */
#include "adreno/driver/query.h"

#include <string.h>

#include "adreno/driver/entrypoints.h"
#include "adreno/driver/memory.h"
#include "util/bits.h"

const uint8_t adreno_statistic_place[ADRENO_STATISTICS] = {
    [0] = 0,   /* input assembly vertices */
    [1] = 1,   /* input assembly primitives */
    [2] = 2,   /* vertex shader invocations */
    [3] = 5,   /* geometry shader invocations */
    [4] = 6,   /* geometry shader primitives */
    [5] = 7,   /* clipping invocations */
    [6] = 8,   /* clipping primitives */
    [7] = 9,   /* fragment shader invocations */
    [8] = 3,   /* tessellation control patches */
    [9] = 4,   /* tessellation evaluation invocations */
    [10] = 10, /* compute shader invocations */
};

static bool read_query(const struct vk_query_pool *base, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    const struct adreno_query_pool *pool = (const struct adreno_query_pool *)base;
    const _Atomic uint64_t *slot = (const void *)(pool->map + (size_t)query * pool->stride_B);
    const bool is_available = atomic_load(slot);
    uint32_t count = 0;
    if (pool->vk.type == VK_QUERY_TYPE_PIPELINE_STATISTICS) {
        bits_foreach (pool->vk.statistics, bit)
            values_out[count++] = atomic_load(&slot[1 + adreno_statistic_place[bit]]);
    } else {
        for (; count < pool->result_count; count++)
            values_out[count] = atomic_load(&slot[1 + count]);
    }
    *count_out = count;
    return is_available;
}

static void set_shape(struct adreno_query_pool *pool, VkQueryType type)
{
    switch (type) {
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
        pool->result_count = pool->sample_count = ADRENO_STATISTICS;
        break;
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
        pool->result_count = pool->sample_count = 1;
        break;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT: /* written and generated, of four streams */
        pool->result_count = 2;
        pool->sample_count = 8;
        break;
    default:
        pool->result_count = 1;
    }
    pool->stride_B = (uint32_t)align_u64(8 * (1 + pool->result_count + 2 * pool->sample_count), 16);
}

VKAPI_ATTR VkResult VKAPI_CALL adreno_CreateQueryPool(VkDevice handle, const VkQueryPoolCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkQueryPool *pool_out)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    struct adreno_query_pool *pool = vk_query_pool_create(&device->vk, info, allocator, sizeof(*pool));
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    set_shape(pool, info->queryType);
    VkResult result = adreno_mapped_bo_create(device, (uint64_t)pool->stride_B * info->queryCount,
                                              adreno_read_back_flags(device), &pool->bo);
    if (result != VK_SUCCESS) {
        vk_query_pool_destroy(&device->vk, allocator, &pool->vk);
        return result;
    }
    pool->map = pool->bo->vk.map;
    pool->vk.read = read_query;
    memset(pool->map, 0, (size_t)pool->stride_B * info->queryCount);
    *pool_out = adreno_query_pool_to_handle(pool);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL adreno_DestroyQueryPool(VkDevice handle, VkQueryPool pool_handle,
                                                   const VkAllocationCallbacks *allocator)
{
    struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    if (!pool)
        return;
    adreno_bo_unref(pool->bo);
    vk_query_pool_destroy(vk_device_from_handle(handle), allocator, &pool->vk);
}

VKAPI_ATTR void VKAPI_CALL adreno_ResetQueryPool(VkDevice handle, VkQueryPool pool_handle, uint32_t first,
                                                 uint32_t count)
{
    struct adreno_query_pool *pool = adreno_query_pool_from_handle(pool_handle);
    memset(pool->map + (size_t)first * pool->stride_B, 0, (size_t)count * pool->stride_B);
}
