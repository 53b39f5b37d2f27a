/* VK_EXT_host_image_copy: copies between memory and images by the CPU. Regions, rows and layers are worked out here;
 * where an element of an image lies is the family's. An image that may be copied so has no compression in use, so that
 * its layouts all mean the same bytes and a transition does nothing.
 *
 * Copies with VK_HOST_IMAGE_COPY_MEMCPY_BIT_EXT have rows without gaps in memory, too: the bytes of a tile may depend
 * on the image and on the layer that they stand in, and could not go into another. */
#ifndef VULKAN_RUNTIME_VK_HOST_COPY_H
#define VULKAN_RUNTIME_VK_HOST_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "vulkan/runtime/memory/vk_image.h"

struct vk_properties;

/* A box of elements (texels, or blocks of them) of one level. */
struct vk_host_box {
    VkImageAspectFlags aspect; /* one */
    uint32_t level;
    uint32_t x, y, z; /* z: layers, or slices of a volume */
    uint32_t width, height, depth;
};

/* Rows of elements in memory. */
struct vk_host_rows {
    uint8_t *first;
    size_t row_B, slice_B; /* from one to the next */
};

/* vk_device::host_copy. Any thread may call the functions. */
struct vk_host_copy_ops {
    /* `memory` is where the CPU sees the memory of the aspect's plane. False: there is no such surface. */
    bool (*copy)(struct vk_device *device, const struct vk_image *image, void *memory, const struct vk_host_box *box,
                 const struct vk_host_rows *rows, bool to_image);
};

static inline bool vk_image_is_host_copied(const struct vk_image *image)
{
    return (image->usage | image->stencil_usage) & VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT;
}

/* For a driver's vkGetPhysicalDeviceProperties2 and vkGetImageSubresourceLayout2: what `properties` and the chain have
 * of this extension. `same_types`: images that are copied so may have memory of all types that others may have. */
void vk_host_copy_fill_properties(struct vk_properties *properties, void *chain, bool same_types);
void vk_host_copy_fill_layout(const struct vk_image *image, const VkImageSubresource *subresource, void *chain);

#endif
