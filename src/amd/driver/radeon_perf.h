/* Performance queries (VK_KHR_performance_query): counters of the hardware around commands. */
#ifndef AMD_DRIVER_RADEON_PERF_H
#define AMD_DRIVER_RADEON_PERF_H

#include "amd/driver/radeon_query.h"

/* A pool's counters, and the bytes of one query. VK_ERROR_OUT_OF_HOST_MEMORY: more counters than there are. */
VkResult radeon_perf_init_pool(const struct radeon_device *device, const VkQueryPoolPerformanceCreateInfoKHR *info,
                               struct radeon_query_pool *pool);

void radeon_perf_begin(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool);
void radeon_perf_end(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool, uint32_t query);

/* The counts of all engines, added up. */
void radeon_perf_read(const struct radeon_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES]);

#endif
