/* Window systems for the library of the loader's entry points: surfaces and swapchains that no driver knows of. What
 * the ICD is given here is all there is; a driver offers nothing and is told nothing.
 *
 * How a frame reaches the screen: each image of a swapchain is a plain VkImage with a linear buffer in host memory
 * beside it. vkQueuePresentKHR submits a copy from the one to the other that waits for the application's semaphores; a
 * thread of the swapchain waits for the copy and hands the bytes to the window system (wsi_window.h), by shared memory
 * where there is some. That works for a model and for a card.
 *
 * Not here yet: presenting a card's own memory (DRI3 and Present, linux-dmabuf, with modifiers). It needs a real device
 * to be tested on, so nothing offers it. Its place is a second way beside the copy in wsi_image.h, chosen when a
 * swapchain is created. Displays without a window system (VK_KHR_display) are not offered either. */
#ifndef VULKAN_WSI_WSI_H
#define VULKAN_WSI_WSI_H

#include "vulkan/runtime/vk_driver.h"

struct vk_layer;

/* What instances can have enabled, by what this was built with. */
extern const struct vk_instance_extensions vk_wsi_instance_extensions;

/* vk_icd::wsi: the commands of those, and of the device extensions below. */
extern const struct vk_instance_dispatch vk_wsi_instance_entrypoints;
extern const struct vk_physical_device_dispatch vk_wsi_physical_device_entrypoints;
extern const struct vk_device_dispatch vk_wsi_device_entrypoints;

/* vk_icd::wsi_offer: the extensions and features that every device has by this room alone. */
void vk_wsi_offer(struct vk_device_extensions *extensions, struct vk_features *features);

/* vk_icd::wsi_layer: images that are made to share a swapchain's memory (VkImageSwapchainCreateInfoKHR). */
extern const struct vk_layer vk_wsi_layer;

#endif
