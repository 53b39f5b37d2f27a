/* Swapchains are created and destroyed. Acquiring and presenting is wsi_present.c's. */
#include "vulkan/wsi/wsi_swapchain.h"

#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/vk_extension.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_sync.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/wsi_capture.h"
#include "vulkan/wsi/wsi_surface.h"

/* NULL for an empty array, too. */
static void *copy_array(const VkAllocationCallbacks *alloc, const void *array, size_t size_B)
{
    void *copy = size_B ? vk_alloc(alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT) : NULL;
    if (copy)
        memcpy(copy, array, size_B);
    return copy;
}

static VkResult fill_image_info(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info)
{
    VkImageCreateInfo *image = &swapchain->image_info;
    *image = vk_struct_init(VkImageCreateInfo);
    image->imageType = VK_IMAGE_TYPE_2D;
    image->format = info->imageFormat;
    image->extent = (VkExtent3D){info->imageExtent.width, info->imageExtent.height, 1};
    image->mipLevels = 1;
    image->arrayLayers = info->imageArrayLayers;
    image->samples = VK_SAMPLE_COUNT_1_BIT;
    image->tiling = VK_IMAGE_TILING_OPTIMAL;
    image->usage = info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT; /* for the copy */
    image->sharingMode = info->imageSharingMode;
    image->initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    if (info->imageSharingMode == VK_SHARING_MODE_CONCURRENT) {
        size_t size_B = info->queueFamilyIndexCount * sizeof(*swapchain->families);
        swapchain->families = copy_array(swapchain->alloc, info->pQueueFamilyIndices, size_B);
        if (size_B && !swapchain->families)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        image->queueFamilyIndexCount = info->queueFamilyIndexCount;
        image->pQueueFamilyIndices = swapchain->families;
    }
    if (!(info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR))
        return VK_SUCCESS;
    image->flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    const VkImageFormatListCreateInfo *list = vk_find_struct_const(info->pNext, VkImageFormatListCreateInfo);
    if (!list || !list->viewFormatCount)
        return VK_SUCCESS;
    swapchain->formats =
        copy_array(swapchain->alloc, list->pViewFormats, list->viewFormatCount * sizeof(*swapchain->formats));
    if (!swapchain->formats)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    swapchain->format_list = vk_struct_init(VkImageFormatListCreateInfo);
    swapchain->format_list.viewFormatCount = list->viewFormatCount;
    swapchain->format_list.pViewFormats = swapchain->formats;
    image->pNext = &swapchain->format_list;
    return VK_SUCCESS;
}

static void destroy(struct wsi_swapchain *swapchain, const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = swapchain->base.device;
    wsi_swapchain_stop(swapchain);
    if (swapchain->presenter)
        swapchain->presenter->ops->close(swapchain->presenter, swapchain->alloc);
    if (swapchain->has_queue) {
        uint64_t shown = wsi_queue_shown_count(&swapchain->queue);
        if (shown > 1)
            LOG_INFO("wsi", "%llu frames shown, %.1f a second", (unsigned long long)shown,
                     (double)(shown - 1) * 1e9 / (double)(vk_time_now_ns() - swapchain->first_shown_ns));
        wsi_queue_finish(&swapchain->queue);
    }
    for (unsigned i = 0; i < WSI_MAX_FAMILIES; i++)
        device->dispatch.DestroyCommandPool(vk_device_to_handle(device), swapchain->pools[i], swapchain->alloc);
    for (uint32_t i = 0; i < swapchain->image_count; i++)
        wsi_image_finish(device, swapchain->alloc, &swapchain->images[i]);
    vk_free(swapchain->alloc, NULL, swapchain->families);
    vk_free(swapchain->alloc, NULL, swapchain->formats);
    vk_object_destroy(device, allocator, &swapchain->base);
}

static VkResult init_images(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info)
{
    struct vk_device *device = swapchain->base.device;
    /* In mailbox mode one is shown, one waits and one is drawn. */
    uint32_t least = info->presentMode == VK_PRESENT_MODE_MAILBOX_KHR ? 3 : 2;
    uint32_t count = MIN2(MAX2(info->minImageCount, least), WSI_MAX_IMAGES);
    for (; swapchain->image_count < count; swapchain->image_count++) {
        VkResult result = wsi_image_init(device, &swapchain->image_info, swapchain->alloc,
                                         &swapchain->images[swapchain->image_count]);
        if (result != VK_SUCCESS)
            return result;
    }
    swapchain->has_queue = wsi_queue_init(&swapchain->queue, count);
    return swapchain->has_queue ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VkResult open_window(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(info->surface);
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    if (!ops)
        return VK_ERROR_SURFACE_LOST_KHR;
    const struct wsi_presenter_info presenter = {
        .width = info->imageExtent.width,
        .height = info->imageExtent.height,
        .format = info->imageFormat,
        .mode = info->presentMode,
        .is_opaque = info->compositeAlpha == VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .alloc = swapchain->alloc,
    };
    return ops->open(surface, &presenter, &swapchain->presenter);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkSwapchainKHR *swapchain_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    /* The old one is retired whether or not this succeeds. */
    if (info->oldSwapchain)
        wsi_queue_retire(&wsi_swapchain_from_handle(info->oldSwapchain)->queue);
    struct wsi_swapchain *swapchain =
        vk_object_create(device, allocator, sizeof(*swapchain), VK_OBJECT_TYPE_SWAPCHAIN_KHR);
    if (!swapchain)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (allocator)
        swapchain->own_alloc = *allocator;
    swapchain->alloc = allocator ? &swapchain->own_alloc : &device->alloc;
    swapchain->mode = info->presentMode;
    VkResult result = fill_image_info(swapchain, info);
    if (result == VK_SUCCESS)
        result = init_images(swapchain, info);
    if (result == VK_SUCCESS)
        result = open_window(swapchain, info);
    if (result == VK_SUCCESS)
        result = wsi_swapchain_start(swapchain);
    if (result != VK_SUCCESS) {
        destroy(swapchain, allocator);
        return result;
    }
    *swapchain_out = wsi_swapchain_to_handle(swapchain);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_wsi_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                      const VkAllocationCallbacks *allocator)
{
    if (!swapchain)
        return;
    destroy(wsi_swapchain_from_handle(swapchain), allocator);
    wsi_capture_flush();
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetSwapchainImagesKHR(VkDevice handle, VkSwapchainKHR swapchain_handle,
                                                            uint32_t *count, VkImage *images)
{
    struct wsi_swapchain *swapchain = wsi_swapchain_from_handle(swapchain_handle);
    VkResult result = vk_two_call(swapchain->image_count, count, images);
    for (uint32_t i = 0; images && i < *count; i++)
        images[i] = swapchain->images[i].image;
    return result;
}
