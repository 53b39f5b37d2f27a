/* Acquiring images and presenting them. wsi_thread.c shows them. */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_queue.h"
#include "vulkan/runtime/sync/vk_semaphore.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/wsi_swapchain.h"

/* ---- acquire ---- */

static bool is_signalled(int fd, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, timeout_ms) > 0;
}

/* The application's semaphore and fence signal when the sync file does; -1: at once. */
static VkResult signal_with(struct vk_device *device, struct vk_payload_slot *slot, int uses_fd)
{
    if (uses_fd < 0)
        return vk_payload_signal(device, vk_payload_of(slot));
    int fd = fcntl(uses_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_payload_import_fd(device, slot, true, true, fd);
    if (result != VK_SUCCESS)
        close(fd);
    return result;
}

/* The image's last reader was the copy, which the thread has waited for, or the server, whose GPU may still be
 * reading: the semaphore and the fence signal when it is done. */
static VkResult signal_acquired(struct wsi_swapchain *swapchain, uint32_t image, struct vk_semaphore *semaphore,
                                struct vk_fence *fence)
{
    struct vk_device *device = swapchain->base.device;
    int uses_fd = swapchain->image_use & WSI_IMAGE_SHARED ? wsi_image_export_uses(&swapchain->images[image]) : -1;
    if (uses_fd >= 0 && is_signalled(uses_fd, 0)) {
        close(uses_fd);
        uses_fd = -1;
    }
    VkResult result = VK_SUCCESS;
    if (semaphore)
        result = signal_with(device, &semaphore->binary, uses_fd);
    if (fence && result == VK_SUCCESS)
        result = signal_with(device, &fence->payload, uses_fd);
    if (uses_fd >= 0)
        close(uses_fd);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_AcquireNextImage2KHR(VkDevice handle, const VkAcquireNextImageInfoKHR *info,
                                                           uint32_t *index_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct wsi_swapchain *swapchain = wsi_swapchain_from_handle(info->swapchain);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    uint32_t image = 0;
    VkResult acquired = wsi_queue_acquire(&swapchain->queue, info->timeout, &image);
    if (acquired != VK_SUCCESS && acquired != VK_SUBOPTIMAL_KHR)
        return acquired;
    wsi_image_set_used(device, &swapchain->images[image], true);
    VkResult result =
        signal_acquired(swapchain, image, vk_semaphore_from_handle(info->semaphore), vk_fence_from_handle(info->fence));
    if (result != VK_SUCCESS) {
        wsi_queue_unacquire(&swapchain->queue, image);
        return result;
    }
    *index_out = image;
    return acquired;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                          uint64_t timeout_ns, VkSemaphore semaphore, VkFence fence,
                                                          uint32_t *index_out)
{
    VkAcquireNextImageInfoKHR info = vk_struct_init(VkAcquireNextImageInfoKHR);
    info.swapchain = swapchain;
    info.timeout = timeout_ns;
    info.semaphore = semaphore;
    info.fence = fence;
    info.deviceMask = 1;
    return vk_wsi_AcquireNextImage2KHR(handle, &info, index_out);
}

/* ---- present ---- */

static VkResult find_copy(struct wsi_swapchain *swapchain, uint32_t family, uint32_t image, VkCommandBuffer *copy_out)
{
    struct vk_device *device = swapchain->base.device;
    VkResult result = VK_SUCCESS;
    if (family >= WSI_MAX_FAMILIES)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    if (!swapchain->pools[family]) {
        VkCommandPoolCreateInfo info = vk_struct_init(VkCommandPoolCreateInfo);
        info.queueFamilyIndex = family;
        result = device->dispatch.CreateCommandPool(vk_device_to_handle(device), &info, swapchain->alloc,
                                                    &swapchain->pools[family]);
    }
    VkCommandBuffer *copy = &swapchain->copies[family][image];
    if (result == VK_SUCCESS && !*copy)
        result = wsi_image_record_copy(device, swapchain->pools[family], &swapchain->images[image],
                                       swapchain->image_info.extent, copy);
    *copy_out = *copy;
    return result;
}

/* The copy of one image, if it is copied; the first of a presentation waits for the semaphores, and so, in the order of
 * the queue, do all. */
static VkResult submit_copy(struct wsi_swapchain *swapchain, struct vk_queue *queue, uint32_t image,
                            const VkSemaphoreSubmitInfo *waits, uint32_t wait_count)
{
    struct vk_device *device = swapchain->base.device;
    VkFence drawn = swapchain->images[image].drawn;
    VkCommandBufferSubmitInfo copy = vk_struct_init(VkCommandBufferSubmitInfo);
    bool is_copied = swapchain->image_use & WSI_IMAGE_COPIED;
    VkResult result = is_copied ? find_copy(swapchain, queue->family_index, image, &copy.commandBuffer) : VK_SUCCESS;
    /* The server may have given the image back before it was drawn: the kernel has that fence in the dma-buf. */
    if (result == VK_SUCCESS)
        result = device->dispatch.ResetFences(vk_device_to_handle(device), 1, &drawn);
    if (result != VK_SUCCESS)
        return result;
    VkSubmitInfo2 submit = vk_struct_init(VkSubmitInfo2);
    submit.waitSemaphoreInfoCount = wait_count;
    submit.pWaitSemaphoreInfos = waits;
    submit.commandBufferInfoCount = is_copied;
    submit.pCommandBufferInfos = &copy;
    return device->dispatch.QueueSubmit2(vk_queue_to_handle(queue), 1, &submit, drawn);
}

/* Of several results the one to be returned: the worst error, or else that something is suboptimal. */
static VkResult combine_results(VkResult a, VkResult b)
{
    if (a == VK_ERROR_DEVICE_LOST || b == VK_ERROR_DEVICE_LOST)
        return VK_ERROR_DEVICE_LOST;
    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    return a == VK_SUBOPTIMAL_KHR ? a : b;
}

/* The smallest rectangle that has all of a region in it; all of the image where there is none. */
static VkRect2D bound(const VkPresentRegionKHR *region, const VkExtent3D *extent)
{
    int64_t left = extent->width, top = extent->height, right = 0, bottom = 0;
    if (!region || !region->rectangleCount || !region->pRectangles)
        return (VkRect2D){{0, 0}, {extent->width, extent->height}};
    for (uint32_t i = 0; i < region->rectangleCount; i++) {
        const VkRectLayerKHR *rectangle = &region->pRectangles[i];
        left = MIN2(left, rectangle->offset.x);
        top = MIN2(top, rectangle->offset.y);
        right = MAX2(right, rectangle->offset.x + (int64_t)rectangle->extent.width);
        bottom = MAX2(bottom, rectangle->offset.y + (int64_t)rectangle->extent.height);
    }
    left = MIN2(MAX2(left, 0), (int64_t)extent->width);
    top = MIN2(MAX2(top, 0), (int64_t)extent->height);
    right = MIN2(MAX2(right, left), (int64_t)extent->width);
    bottom = MIN2(MAX2(bottom, top), (int64_t)extent->height);
    return (VkRect2D){{(int32_t)left, (int32_t)top}, {(uint32_t)(right - left), (uint32_t)(bottom - top)}};
}

/* The application's word on one swapchain's picture. */
static struct wsi_frame describe_frame(const VkPresentInfoKHR *info, uint32_t index,
                                       const struct wsi_swapchain *swapchain)
{
    const VkPresentIdKHR *ids = vk_find_struct_const(info->pNext, VkPresentIdKHR);
    const VkSwapchainPresentModeInfoEXT *modes = vk_find_struct_const(info->pNext, VkSwapchainPresentModeInfoEXT);
    const VkPresentRegionsKHR *regions = vk_find_struct_const(info->pNext, VkPresentRegionsKHR);
    bool has_region = regions && regions->pRegions && index < regions->swapchainCount;
    return (struct wsi_frame){
        .image = info->pImageIndices[index],
        .id = ids && ids->pPresentIds && index < ids->swapchainCount ? ids->pPresentIds[index] : 0,
        .mode = modes && index < modes->swapchainCount ? modes->pPresentModes[index] : swapchain->mode,
        .damage = bound(has_region ? &regions->pRegions[index] : NULL, &swapchain->image_info.extent),
    };
}

/* `fence`: signalled when the semaphores have been waited for; or none. */
static VkResult present_one(struct wsi_swapchain *swapchain, struct vk_queue *queue, const struct wsi_frame *frame,
                            const VkSemaphoreSubmitInfo *waits, uint32_t wait_count, VkFence fence)
{
    VkResult result = submit_copy(swapchain, queue, frame->image, waits, wait_count);
    if (result == VK_SUCCESS && fence)
        result = queue->base.device->dispatch.QueueSubmit2(vk_queue_to_handle(queue), 0, NULL, fence);
    if (result != VK_SUCCESS) {
        wsi_queue_unacquire(&swapchain->queue, frame->image);
        return result;
    }
    return wsi_queue_present(&swapchain->queue, frame);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR *info)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    struct vk_device *device = queue->base.device;
    const VkSwapchainPresentFenceInfoEXT *fences = vk_find_struct_const(info->pNext, VkSwapchainPresentFenceInfoEXT);
    VkSemaphoreSubmitInfo stack[16];
    VkSemaphoreSubmitInfo *waits = vk_temporary_array(&device->alloc, stack, info->waitSemaphoreCount);
    if (!waits)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
        waits[i] = vk_struct_init(VkSemaphoreSubmitInfo);
        waits[i].semaphore = info->pWaitSemaphores[i];
        waits[i].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    }
    VkResult all = VK_SUCCESS;
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        struct wsi_swapchain *swapchain = wsi_swapchain_from_handle(info->pSwapchains[i]);
        struct wsi_frame frame = describe_frame(info, i, swapchain);
        VkResult result = present_one(swapchain, queue, &frame, waits, i == 0 ? info->waitSemaphoreCount : 0,
                                      fences && i < fences->swapchainCount ? fences->pFences[i] : VK_NULL_HANDLE);
        if (info->pResults)
            info->pResults[i] = result;
        all = combine_results(all, result);
    }
    vk_temporary_free(&device->alloc, stack, waits);
    return all;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_WaitForPresentKHR(VkDevice handle, VkSwapchainKHR swapchain, uint64_t id,
                                                        uint64_t timeout_ns)
{
    if (vk_device_is_lost(vk_device_from_handle(handle)))
        return VK_ERROR_DEVICE_LOST;
    return wsi_queue_wait_shown(&wsi_swapchain_from_handle(swapchain)->queue, id, timeout_ns);
}

/* The images were acquired and are not in use. */
VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_ReleaseSwapchainImagesEXT(VkDevice handle,
                                                                const VkReleaseSwapchainImagesInfoEXT *info)
{
    struct wsi_swapchain *swapchain = wsi_swapchain_from_handle(info->swapchain);
    for (uint32_t i = 0; i < info->imageIndexCount; i++)
        wsi_queue_unacquire(&swapchain->queue, info->pImageIndices[i]);
    return VK_SUCCESS;
}
