/* VK_EXT_calibrated_timestamps: the host's clocks beside the device's, which its driver reads
 * (vk_device::read_clock). */
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/sync/vk_time.h"

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetCalibratedTimestampsKHR(VkDevice handle, uint32_t count,
                                                                    const VkCalibratedTimestampInfoEXT *infos,
                                                                    uint64_t *timestamps, uint64_t *deviation_ns)
{
    struct vk_device *device = vk_device_from_handle(handle);
    uint64_t begin_ns = vk_time_now_ns(), tick_ns = 1;
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = VK_SUCCESS;
        if (infos[i].timeDomain == VK_TIME_DOMAIN_DEVICE_EXT)
            result = device->read_clock(device, &timestamps[i], &tick_ns);
        else
            timestamps[i] = infos[i].timeDomain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT ? raw_ns() : vk_time_now_ns();
        if (result != VK_SUCCESS)
            return result;
    }
    /* Nothing was read at the same time, and a tick of the device is the smallest difference. */
    *deviation_ns = vk_time_now_ns() - begin_ns + tick_ns;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPhysicalDeviceCalibrateableTimeDomainsKHR(VkPhysicalDevice handle,
                                                                                      uint32_t *count,
                                                                                      VkTimeDomainEXT *domains)
{
    static const VkTimeDomainEXT all[] = {VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
                                          VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT};
    VkResult result = vk_two_call(ARRAY_SIZE(all), count, domains);
    if (domains)
        memcpy(domains, all, *count * sizeof(*all));
    return result;
}
