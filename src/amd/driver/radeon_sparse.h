/* Sparse resources: what the runtime asks for, and which images can be bound in parts. */
#ifndef AMD_DRIVER_RADEON_SPARSE_H
#define AMD_DRIVER_RADEON_SPARSE_H

#include "amd/driver/radeon_image.h"
#include "vulkan/runtime/memory/vk_sparse.h"

extern const struct vk_sparse_ops radeon_sparse_ops;

static inline bool radeon_image_is_sparse(const struct vk_image *image)
{
    return image->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
}

/* Whether parts of such an image can be bound: 2D or a volume, one sample, colours in elements that fill a block
 * evenly. */
bool radeon_can_be_resident(const struct format_info *format, VkImageType type, VkImageTiling tiling,
                            VkSampleCountFlagBits samples);

/* Addresses for the image, as it is laid out. */
VkResult radeon_sparse_image_begin(struct radeon_device *device, struct radeon_image *image);
void radeon_sparse_image_end(struct radeon_device *device, struct radeon_image *image);

#endif
