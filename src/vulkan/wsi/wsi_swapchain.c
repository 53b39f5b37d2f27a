/* Swapchains are created and destroyed. Acquiring and presenting is wsi_present.c's. */
#include "vulkan/wsi/wsi_swapchain.h"

#include <string.h>

#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_time.h"
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
    image->usage = info->imageUsage;
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

static void finish_images(struct wsi_swapchain *swapchain)
{
    for (uint32_t i = 0; i < swapchain->image_count; i++)
        wsi_image_finish(swapchain->base.device, swapchain->alloc, &swapchain->images[i]);
    swapchain->image_count = 0;
}

static void destroy_swapchain(struct wsi_swapchain *swapchain, const VkAllocationCallbacks *allocator)
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
    finish_images(swapchain);
    vk_free(swapchain->alloc, NULL, swapchain->families);
    vk_free(swapchain->alloc, NULL, swapchain->formats);
    vk_object_destroy(device, allocator, &swapchain->base);
}

/* Some presentation of this swapchain may be in the mode. */
static bool may_use(const VkSwapchainCreateInfoKHR *info, VkPresentModeKHR mode)
{
    const VkSwapchainPresentModesCreateInfoEXT *modes =
        vk_find_struct_const(info->pNext, VkSwapchainPresentModesCreateInfoEXT);
    bool found = info->presentMode == mode;
    for (uint32_t i = 0; modes && i < modes->presentModeCount; i++)
        found |= modes->pPresentModes[i] == mode;
    return found;
}

static VkResult create_images(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info)
{
    bool is_mailbox = may_use(info, VK_PRESENT_MODE_MAILBOX_KHR);
    /* In mailbox mode one is shown, one waits and one is drawn. */
    uint32_t count = MAX2(info->minImageCount, is_mailbox ? 3u : 2u);
    /* A server of a swapchain that copies holds no image. Otherwise it holds one that it shows and maybe one that
     * waits: the application gets as many images in addition. */
    if (swapchain->image_use & WSI_IMAGE_SHARED)
        count += is_mailbox || may_use(info, VK_PRESENT_MODE_IMMEDIATE_KHR) ? 2 : 1;
    count = MIN2(count, WSI_MAX_IMAGES);
    for (; swapchain->image_count < count; swapchain->image_count++) {
        VkResult result = wsi_image_init(swapchain->base.device, &swapchain->image_info, swapchain->image_use,
                                         swapchain->alloc, &swapchain->images[swapchain->image_count]);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

static VkResult create_queue(struct wsi_swapchain *swapchain)
{
    swapchain->has_queue = wsi_queue_init(&swapchain->queue, swapchain->image_count);
    if (!swapchain->has_queue)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    bool needs_wake = swapchain->image_use & WSI_IMAGE_SHARED;
    return needs_wake && !wsi_queue_init_wake(&swapchain->queue) ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

/* ---- the two ways to a window ---- */

static VkResult open_copying(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                             const struct wsi_presenter_info *presenter)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(info->surface);
    swapchain->image_use =
        wsi_surface_ops(surface)->shows_nothing && !wsi_capture_wants_pixels() ? 0 : WSI_IMAGE_COPIED;
    if (swapchain->image_use & WSI_IMAGE_COPIED)
        swapchain->image_info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkResult result = create_images(swapchain, info);
    return result == VK_SUCCESS ? wsi_surface_ops(surface)->open(surface, presenter, &swapchain->presenter) : result;
}

/* The create info asks for images that can leave the process, with one of the modifiers. */
static void ask_for_modifiers(struct wsi_swapchain *swapchain)
{
    VkImageCreateInfo *image = &swapchain->image_info;
    swapchain->modifier_list = vk_struct_init(VkImageDrmFormatModifierListCreateInfoEXT);
    swapchain->modifier_list.pNext = image->pNext;
    swapchain->modifier_list.drmFormatModifierCount = swapchain->plan.chosen.count;
    swapchain->modifier_list.pDrmFormatModifiers = swapchain->plan.chosen.modifiers;
    swapchain->external = vk_struct_init(VkExternalMemoryImageCreateInfo);
    swapchain->external.pNext = &swapchain->modifier_list;
    swapchain->external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    image->pNext = &swapchain->external;
    image->tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
}

static VkResult open_sharing(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                             const struct wsi_presenter_info *presenter)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(info->surface);
    const VkImageCreateInfo plain = swapchain->image_info;
    swapchain->image_use = WSI_IMAGE_SHARED | (wsi_capture_wants_pixels() ? WSI_IMAGE_COPIED : 0);
    if (swapchain->image_use & WSI_IMAGE_COPIED)
        swapchain->image_info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    ask_for_modifiers(swapchain);
    wsi_swapchain_init_sink(swapchain);
    VkResult result = create_images(swapchain, info);
    if (result == VK_SUCCESS) {
        struct wsi_shared_image shared[WSI_MAX_IMAGES];
        for (uint32_t i = 0; i < swapchain->image_count; i++)
            shared[i] = swapchain->images[i].shared;
        /* Images that the application makes for the same memory must not get another. */
        swapchain->plan.chosen = (struct wsi_modifier_set){1, {shared[0].modifier}};
        swapchain->modifier_list.drmFormatModifierCount = 1;
        result = wsi_surface_ops(surface)->open_shared(surface, presenter, shared, swapchain->image_count,
                                                       &swapchain->sink, &swapchain->presenter);
    }
    if (result != VK_SUCCESS) {
        finish_images(swapchain);
        swapchain->image_info = plain;
    }
    return result;
}

/* Why pictures are copied, or NULL and a plan. */
static const char *plan_sharing(struct wsi_swapchain *swapchain, const VkIcdSurfaceBase *surface,
                                const struct wsi_presenter_info *presenter, VkResult *result_out)
{
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    struct wsi_offer offer = {0};
    *result_out = VK_SUCCESS;
    if (debug_enabled(DEBUG_WSI_COPY))
        return "TUFF_DEBUG asks for it";
    const char *refusal = wsi_share_device_refusal(swapchain->base.device->physical);
    if (refusal)
        return refusal;
    if (!ops->get_offer)
        return "no way to share is known for such a surface";
    *result_out = ops->get_offer(surface, presenter, &offer);
    if (*result_out != VK_SUCCESS)
        return "the window is gone";
    return wsi_share_plan(swapchain->base.device->physical, &swapchain->image_info, &offer, &swapchain->plan);
}

static VkResult open_window(struct wsi_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(info->surface);
    if (!wsi_surface_ops(surface))
        return VK_ERROR_SURFACE_LOST_KHR;
    const struct wsi_presenter_info presenter = {
        .width = info->imageExtent.width,
        .height = info->imageExtent.height,
        .format = info->imageFormat,
        .mode = info->presentMode,
        .is_opaque = info->compositeAlpha == VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .alloc = swapchain->alloc,
    };
    VkResult result;
    const char *refusal = plan_sharing(swapchain, surface, &presenter, &result);
    if (result != VK_SUCCESS)
        return result;
    if (!refusal) {
        result = open_sharing(swapchain, info, &presenter);
        if (result == VK_SUCCESS) {
            LOG_INFO("wsi", "pictures are shared with the server, modifier 0x%llx",
                     (unsigned long long)swapchain->plan.chosen.modifiers[0]);
            return VK_SUCCESS;
        }
        if (result != VK_ERROR_FORMAT_NOT_SUPPORTED)
            return result;
        refusal = "the server has refused an image";
    }
    LOG_INFO("wsi", "pictures are copied: %s", refusal);
    return open_copying(swapchain, info, &presenter);
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
        result = open_window(swapchain, info);
    if (result == VK_SUCCESS)
        result = create_queue(swapchain);
    if (result == VK_SUCCESS)
        result = wsi_swapchain_start(swapchain);
    if (result != VK_SUCCESS) {
        destroy_swapchain(swapchain, allocator);
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
    destroy_swapchain(wsi_swapchain_from_handle(swapchain), allocator);
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
