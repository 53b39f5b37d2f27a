/* VkSwapchainKHR: images, their queue, a way to the window, and the thread that goes it. */
#ifndef VULKAN_WSI_WSI_SWAPCHAIN_H
#define VULKAN_WSI_WSI_SWAPCHAIN_H

#include <pthread.h>

#include "vulkan/runtime/vk_object.h"
#include "vulkan/wsi/wsi_image.h"
#include "vulkan/wsi/wsi_queue.h"
#include "vulkan/wsi/wsi_window.h"

enum {
    WSI_MAX_FAMILIES = 8 /* of queues that can present */
};

struct wsi_swapchain {
    struct vk_object_base base;
    const VkAllocationCallbacks *alloc; /* the one below, or the device's */
    VkAllocationCallbacks own_alloc;
    VkPresentModeKHR mode;

    /* How the images were made; the chain is its own. */
    VkImageCreateInfo image_info;
    VkImageFormatListCreateInfo format_list;
    uint32_t *families; /* of image_info */
    VkFormat *formats;  /* of format_list */

    uint32_t image_count;
    struct wsi_image images[WSI_MAX_IMAGES];
    /* Recorded when a family presents for the first time. */
    VkCommandPool pools[WSI_MAX_FAMILIES];
    VkCommandBuffer copies[WSI_MAX_FAMILIES][WSI_MAX_IMAGES];

    struct wsi_queue queue;
    struct wsi_presenter *presenter;
    pthread_t thread;
    bool has_queue, has_thread;
    uint64_t first_shown_ns;
};

VK_DEFINE_CASTS(wsi_swapchain, VkSwapchainKHR)

/* Until what was presented is shown, as far as it can be; then the thread is no more. */
void wsi_swapchain_stop(struct wsi_swapchain *swapchain);
VkResult wsi_swapchain_start(struct wsi_swapchain *swapchain);

#endif
