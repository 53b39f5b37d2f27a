/* The clock of every wait: CLOCK_MONOTONIC in nanoseconds, and deadlines on it. */
#ifndef VULKAN_RUNTIME_VK_TIME_H
#define VULKAN_RUNTIME_VK_TIME_H

#include <stdint.h>
#include <time.h>

/* The kernel takes absolute times as signed numbers. */
#define VK_TIME_NEVER_NS ((uint64_t)INT64_MAX)

static inline uint64_t vk_time_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The time that lies `timeout_ns` from now, without wrapping. 0 stays 0: a look, no wait. */
static inline uint64_t vk_time_deadline_ns(uint64_t timeout_ns)
{
    if (timeout_ns == 0)
        return 0;
    uint64_t now_ns = vk_time_now_ns();
    return timeout_ns > VK_TIME_NEVER_NS - now_ns ? VK_TIME_NEVER_NS : now_ns + timeout_ns;
}

#endif
