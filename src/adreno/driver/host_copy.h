/* Copies of images by the CPU (VK_EXT_host_image_copy). */
#ifndef ADRENO_DRIVER_HOST_COPY_H
#define ADRENO_DRIVER_HOST_COPY_H

#include "vulkan/runtime/memory/vk_host_copy.h"

extern const struct vk_host_copy_ops adreno_host_copy_ops;

#endif
