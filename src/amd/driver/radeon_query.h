/* Query pools. */
#ifndef AMD_DRIVER_RADEON_QUERY_H
#define AMD_DRIVER_RADEON_QUERY_H

#include "amd/driver/radeon_cmd.h"
#include "vulkan/runtime/command/vk_query_pool.h"

struct radeon_query_pool {
    struct vk_query_pool vk;
    uint64_t available_offset_B;
    uint32_t num_backends, enabled_backends;
    struct { /* of performance queries (radeon_perf.c) */
        uint32_t count;
        uint8_t counters[VK_QUERY_MAX_VALUES], words[VK_QUERY_MAX_VALUES]; /* words: of each, by engine and instance */
    } perf;
};

VK_DEFINE_CASTS(radeon_query_pool, VkQueryPool)

extern const struct vk_query_ops radeon_query_ops;

/* Eleven counters of the hardware; the place of each by bit of VkQueryPipelineStatisticFlagBits. */
#define RADEON_STATISTICS 11
#define RADEON_STATISTICS_B (RADEON_STATISTICS * 8u)
extern const uint8_t radeon_statistic_place[RADEON_STATISTICS];

/* Statistics that shaders count themselves: numbers in the order of enum amd_count, after both samples. The
 * primitives of mesh shaders have a query of their own, which is one of statistics here. */
#define RADEON_STATISTIC_MESH_PRIMITIVES (1u << 13)
#define RADEON_STATISTICS_OF_SHADERS                                                                                   \
    (VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |                                                      \
     VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |                                                     \
     VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT | RADEON_STATISTIC_MESH_PRIMITIVES)
#define RADEON_SHADER_COUNTS_B (2 * RADEON_STATISTICS_B)

/* Where such a number stands; 0: the hardware alone counts it. */
static inline uint32_t radeon_shader_count_B(unsigned bit)
{
    static const uint8_t places[] = {[4] = AMD_COUNT_GEOMETRY_PRIMITIVES,
                                     [11] = AMD_COUNT_TASK_INVOCATIONS,
                                     [12] = AMD_COUNT_MESH_INVOCATIONS,
                                     [13] = AMD_COUNT_MESH_PRIMITIVES};
    return RADEON_STATISTICS_OF_SHADERS >> bit & 1 ? RADEON_SHADER_COUNTS_B + 8u * places[bit] : 0;
}

static inline uint64_t radeon_query_va(const struct radeon_query_pool *pool, uint32_t query)
{
    return vk_query_va(&pool->vk, query);
}

static inline uint64_t radeon_query_available_va(const struct radeon_query_pool *pool, uint32_t query)
{
    return pool->vk.bo->va + pool->available_offset_B + 4ull * query;
}

static inline const _Atomic uint32_t *radeon_query_available(const struct radeon_query_pool *pool, uint32_t query)
{
    return (const void *)((const uint8_t *)pool->vk.bo->map + pool->available_offset_B + 4ull * query);
}

#endif
