/* VkBufferView of this driver. */
#ifndef ADRENO_DRIVER_BUFFER_VIEW_H
#define ADRENO_DRIVER_BUFFER_VIEW_H

#include "adreno/driver/image.h"
#include "vulkan/runtime/memory/vk_buffer.h"

struct adreno_buffer_view {
    struct vk_buffer_view vk;
    uint32_t descriptor[ADRENO_IMAGE_DW];
};

VK_DEFINE_CASTS(adreno_buffer_view, VkBufferView)

#endif
