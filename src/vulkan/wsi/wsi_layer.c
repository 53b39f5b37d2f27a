/* Images that the application makes itself and binds to a swapchain's memory (VkImageSwapchainCreateInfoKHR,
 * VkBindImageMemorySwapchainInfoKHR). In front of the driver: it sees an image like another, made exactly as the
 * swapchain's own, so that both agree on where its bytes are. */
#include "vulkan/runtime/device/vk_layer.h"

#include <string.h>

#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/wsi/wsi.h"
#include "vulkan/wsi/wsi_swapchain.h"

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    const struct vk_device_dispatch *next = vk_device_next(vk_device_from_handle(handle), &vk_wsi_layer);
    const VkImageSwapchainCreateInfoKHR *chained = vk_find_struct_const(info->pNext, VkImageSwapchainCreateInfoKHR);
    if (chained && chained->swapchain)
        info = &wsi_swapchain_from_handle(chained->swapchain)->image_info;
    return next->CreateImage(handle, info, allocator, image_out);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image_memory2(VkDevice handle, uint32_t count,
                                                         const VkBindImageMemoryInfo *infos)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_device_dispatch *next = vk_device_next(device, &vk_wsi_layer);
    VkBindImageMemoryInfo stack[16], *bound = vk_temporary_array(&device->alloc, stack, count);
    if (!bound)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(bound, infos, count * sizeof(*bound));
    for (uint32_t i = 0; i < count; i++) {
        const VkBindImageMemorySwapchainInfoKHR *chained =
            vk_find_struct_const(infos[i].pNext, VkBindImageMemorySwapchainInfoKHR);
        if (!chained || !chained->swapchain)
            continue;
        struct wsi_swapchain *swapchain = wsi_swapchain_from_handle(chained->swapchain);
        bound[i].memory = swapchain->images[chained->imageIndex].memory;
        bound[i].memoryOffset = 0;
    }
    VkResult result = next->BindImageMemory2(handle, count, bound);
    vk_temporary_free(&device->alloc, stack, bound);
    return result;
}

static const struct vk_device_dispatch entrypoints = {
    .CreateImage = create_image,
    .BindImageMemory2 = bind_image_memory2,
};

const struct vk_layer vk_wsi_layer = {.name = "wsi", .entrypoints = &entrypoints};
