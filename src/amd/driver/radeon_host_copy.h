/* Copies of images by the CPU (VK_EXT_host_image_copy). */
#ifndef AMD_DRIVER_RADEON_HOST_COPY_H
#define AMD_DRIVER_RADEON_HOST_COPY_H

#include "vulkan/runtime/memory/vk_host_copy.h"

extern const struct vk_host_copy_ops radeon_host_copy_ops;

#endif
