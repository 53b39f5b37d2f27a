/* Window systems for the library of the loader's entry points: surfaces and swapchains that no driver knows of. What
 * the ICD is given here is all there is; a driver takes no part in them.
 *
 * How a frame reaches the screen: vkQueuePresentKHR submits what waits for the application's semaphores; a thread of
 * the swapchain waits for that and brings the picture to the window (wsi_window.h). It either copies, which works for a
 * model and for every server: each image has a linear buffer in host memory beside it. Or it shares: the server reads
 * the image itself, by DRI3 and Present or by linux-dmabuf, where both use the same card (wsi_share.h).
 *
 * Displays without a window system (VK_KHR_display) are not offered. */
#ifndef VULKAN_WSI_WSI_H
#define VULKAN_WSI_WSI_H

#include "vulkan/runtime/device/vk_driver.h"

struct vk_layer;

/* Extensions that instances can have enabled, by the libraries that this was built with. */
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
