/* VkSwapchainKHR: images, their queue, a way to the window, and the thread that goes it. */
#ifndef VULKAN_WSI_WSI_SWAPCHAIN_H
#define VULKAN_WSI_WSI_SWAPCHAIN_H

#include <pthread.h>

#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/wsi/wsi_image.h"
#include "vulkan/wsi/wsi_queue.h"
#include "vulkan/wsi/wsi_share.h"
#include "vulkan/wsi/wsi_window.h"

enum {
    WSI_MAX_FAMILIES = 8, /* of queues that can present */
    WSI_MAX_FLIGHTS = 2 * WSI_MAX_IMAGES,
};

/* Pictures that a server has and has not shown yet, as far as it has reported. An image may come back before that. */
struct wsi_flights {
    struct wsi_flight {
        uint32_t serial;
        uint64_t id;
    } entries[WSI_MAX_FLIGHTS];
    uint32_t first, count;
    uint32_t last_serial;
};

struct wsi_swapchain {
    struct vk_object_base base;
    const VkAllocationCallbacks *alloc; /* the one below, or the device's */
    VkAllocationCallbacks own_alloc;
    VkPresentModeKHR mode; /* of presentations that name none */

    /* How the images were made; the chain is its own. */
    VkImageCreateInfo image_info;
    VkImageFormatListCreateInfo format_list;
    VkExternalMemoryImageCreateInfo external;
    VkImageDrmFormatModifierListCreateInfoEXT modifier_list;
    uint32_t *families; /* of image_info */
    VkFormat *formats;  /* of format_list */
    struct wsi_share_plan plan;
    unsigned image_use; /* enum wsi_image_use */

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
    bool has_dropped; /* the thread, the frame before the next one */

    /* The thread's own, of a swapchain that shares. */
    struct wsi_sink sink;
    struct wsi_flights flights;
};

VK_DEFINE_CASTS(wsi_swapchain, VkSwapchainKHR)

/* Before the window is opened: where what its server says goes. */
void wsi_swapchain_init_sink(struct wsi_swapchain *swapchain);

/* Until what was presented is shown, as far as it can be; then the thread is no more. */
void wsi_swapchain_stop(struct wsi_swapchain *swapchain);
VkResult wsi_swapchain_start(struct wsi_swapchain *swapchain);

#endif
