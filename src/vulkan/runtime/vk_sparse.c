/* Sparse resources, as a device without them reports: no format has a sparse form, no image a sparse requirement, and
 * nothing can be bound. A driver with sparse resources brings its own of all but the first, which only changes form. */
#include "util/log.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_temporary.h"

enum {
    STACK_REQUIREMENTS = 8
};

/* Without memory for the larger structures nothing is written, and the count says so. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSparseMemoryRequirements(VkDevice handle, VkImage image, uint32_t *count,
                                                                      VkSparseImageMemoryRequirements *requirements)
{
    struct vk_device *device = vk_device_from_handle(handle);
    VkImageSparseMemoryRequirementsInfo2 info = vk_struct_init(VkImageSparseMemoryRequirementsInfo2);
    info.image = image;
    if (!requirements) {
        device->dispatch.GetImageSparseMemoryRequirements2(handle, &info, count, NULL);
        return;
    }
    VkSparseImageMemoryRequirements2 stack[STACK_REQUIREMENTS],
        *all = vk_temporary_array(&device->alloc, stack, *count);
    if (!all) {
        *count = 0;
        return;
    }
    for (uint32_t i = 0; i < *count; i++)
        all[i] = vk_struct_init(VkSparseImageMemoryRequirements2);
    device->dispatch.GetImageSparseMemoryRequirements2(handle, &info, count, all);
    for (uint32_t i = 0; i < *count; i++)
        requirements[i] = all[i].memoryRequirements;
    vk_temporary_free(&device->alloc, stack, all);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSparseMemoryRequirements2(VkDevice handle,
                                                                       const VkImageSparseMemoryRequirementsInfo2 *info,
                                                                       uint32_t *count,
                                                                       VkSparseImageMemoryRequirements2 *requirements)
{
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL
vk_common_GetDeviceImageSparseMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements *info,
                                                 uint32_t *count, VkSparseImageMemoryRequirements2 *requirements)
{
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    *count = 0;
}

/* No queue family has VK_QUEUE_SPARSE_BINDING_BIT, so only an application in error comes here. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueBindSparse(VkQueue handle, uint32_t count, const VkBindSparseInfo *infos,
                                                         VkFence fence)
{
    LOG_WARN("vulkan", "vkQueueBindSparse on a queue that cannot bind sparse memory");
    return VK_ERROR_FEATURE_NOT_PRESENT;
}
