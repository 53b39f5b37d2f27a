/* One image of a swapchain: plain, with a buffer beside it that the host reads, if anything does; or one that a
 * window's server reads itself, which has the buffer only where pictures are also captured. All of it through the
 * device's own commands, as an application would do it. */
#ifndef VULKAN_WSI_WSI_IMAGE_H
#define VULKAN_WSI_WSI_IMAGE_H

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/wsi/wsi_window.h"

struct wsi_image {
    VkImage image;
    VkDeviceMemory memory;
    VkBuffer buffer; /* rows without gaps; may be none */
    VkDeviceMemory buffer_memory;
    const void *pixels;             /* of the buffer */
    VkFence drawn;                  /* the picture that was presented last is there, and in the buffer */
    struct wsi_shared_image shared; /* its fd is -1 where there is none */
};

enum wsi_image_use {
    WSI_IMAGE_COPIED = 1 << 0, /* there is a buffer, and wsi_image_record_copy fills it */
    WSI_IMAGE_SHARED = 1 << 1, /* there is a dma-buf; the create info asks for one */
};

/* On an error nothing is left behind. */
VkResult wsi_image_init(struct vk_device *device, const VkImageCreateInfo *info, unsigned use,
                        const VkAllocationCallbacks *allocator, struct wsi_image *image_out);
void wsi_image_finish(struct vk_device *device, const VkAllocationCallbacks *allocator, struct wsi_image *image);

/* The copy of an image that is in VK_IMAGE_LAYOUT_PRESENT_SRC_KHR and stays so; may be submitted again and again. */
VkResult wsi_image_record_copy(struct vk_device *device, VkCommandPool pool, const struct wsi_image *image,
                               VkExtent3D extent, VkCommandBuffer *commands_out);

/* Between the GPUs of a shared image, where the kernel can put fences into a dma-buf and take them out (Linux 6.0). */

/* Every reader of the image waits from now on until it is drawn. False: the kernel cannot do this, or not now; then
 * the picture must not be handed over before it is drawn. The submission that signals `drawn` has been made. */
bool wsi_image_tell_drawn(struct vk_device *device, const struct wsi_image *image);

/* Whether the application may use the shared image. While the image is not acquired, submissions do not use it and
 * need not wait for the server's GPU. To be called when what the application has submitted has reached the kernel. */
void wsi_image_set_used(struct vk_device *device, const struct wsi_image *image, bool used);

/* A sync file that signals when no GPU uses the shared image any more; -1 where the kernel cannot report this and
 * orders the work on the image itself. */
int wsi_image_export_uses(const struct wsi_image *image);

#endif
