/* Copies of images by the CPU (VK_EXT_host_image_copy). */
#ifndef MALI_DRIVER_HOST_COPY_H
#define MALI_DRIVER_HOST_COPY_H

#include "vulkan/runtime/memory/vk_host_copy.h"

extern const struct vk_host_copy_ops mali_host_copy_ops;

#endif
