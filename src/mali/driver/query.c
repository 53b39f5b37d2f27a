/* Query pools on the host: slots and results. */
#include "mali/driver/query.h"

static VkResult init_pool(struct vk_device *device, const VkQueryPoolCreateInfo *info, struct vk_query_pool *pool)
{
    pool->stride_B = MALI_QUERY_SLOT_B;
    return VK_SUCCESS;
}

static bool read_query(const struct vk_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    const uint8_t *slot = vk_query_slot(pool, query);
    const bool is_available = atomic_load((const _Atomic uint64_t *)(const void *)slot);
    values_out[0] = atomic_load((const _Atomic uint64_t *)(const void *)(slot + MALI_QUERY_RESULT_B));
    *count_out = 1;
    return is_available;
}

const struct vk_query_ops mali_query_ops = {sizeof(struct vk_query_pool), init_pool, read_query, NULL};
