/* Query pools. */
#ifndef AMD_DRIVER_RADEON_QUERY_H
#define AMD_DRIVER_RADEON_QUERY_H

#include "amd/driver/radeon_cmd.h"
#include "vulkan/runtime/vk_query_pool.h"

struct radeon_query_pool {
    struct vk_query_pool vk;
    struct ws_bo *bo;
    uint8_t *map;
    uint32_t stride_B;
    uint64_t available_offset_B;
    uint32_t num_backends, enabled_backends;
    struct { /* of performance queries (radeon_perf.c) */
        uint32_t count;
        uint8_t counters[VK_QUERY_MAX_VALUES], words[VK_QUERY_MAX_VALUES]; /* words: of each, by engine and instance */
    } perf;
};

VK_DEFINE_CASTS(radeon_query_pool, VkQueryPool)

/* Eleven counters of the hardware; the place of each by bit of VkQueryPipelineStatisticFlagBits. */
#define RADEON_STATISTICS 11
#define RADEON_STATISTICS_B (RADEON_STATISTICS * 8u)
/* Primitives of geometry shaders are counted by these, not by the hardware: one number, after both samples. */
#define RADEON_STATISTIC_SHADER 4 /* bit of VkQueryPipelineStatisticFlagBits */
#define RADEON_SHADER_COUNT_B (2 * RADEON_STATISTICS_B)
extern const uint8_t radeon_statistic_place[RADEON_STATISTICS];

static inline uint64_t radeon_query_va(const struct radeon_query_pool *pool, uint32_t query)
{
    return pool->bo->vk.va + (uint64_t)query * pool->stride_B;
}

static inline uint64_t radeon_query_available_va(const struct radeon_query_pool *pool, uint32_t query)
{
    return pool->bo->vk.va + pool->available_offset_B + 4ull * query;
}

void radeon_query_reset_host(struct radeon_query_pool *pool, uint32_t first, uint32_t count);

#endif
