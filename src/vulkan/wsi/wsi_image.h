/* One image of a swapchain and its way into memory that the host reads: the copy. All of it through the device's own
 * commands, as an application would do it. */
#ifndef VULKAN_WSI_WSI_IMAGE_H
#define VULKAN_WSI_WSI_IMAGE_H

#include "vulkan/runtime/vk_device.h"

struct wsi_image {
    VkImage image;
    VkDeviceMemory memory;
    VkBuffer buffer; /* rows without gaps */
    VkDeviceMemory buffer_memory;
    const void *pixels; /* of the buffer */
    VkFence copied;     /* the buffer holds the picture that was presented last */
};

/* On an error nothing is left behind. */
VkResult wsi_image_init(struct vk_device *device, const VkImageCreateInfo *info, const VkAllocationCallbacks *allocator,
                        struct wsi_image *image_out);
void wsi_image_finish(struct vk_device *device, const VkAllocationCallbacks *allocator, struct wsi_image *image);

/* The copy of an image that is in VK_IMAGE_LAYOUT_PRESENT_SRC_KHR and stays so; may be submitted again and again. */
VkResult wsi_image_record_copy(struct vk_device *device, VkCommandPool pool, const struct wsi_image *image,
                               VkExtent3D extent, VkCommandBuffer *commands_out);

#endif
