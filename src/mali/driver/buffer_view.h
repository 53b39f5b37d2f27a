/* VkBufferView of this driver: a descriptor of texels in memory, ready to be copied into a set. */
#ifndef MALI_DRIVER_BUFFER_VIEW_H
#define MALI_DRIVER_BUFFER_VIEW_H

#include "mali/driver/image.h"
#include "vulkan/runtime/memory/vk_buffer.h"

struct mali_buffer_view {
    struct vk_buffer_view vk;
    uint32_t words[MALI_DESCRIPTOR_DW];
};

VK_DEFINE_CASTS(mali_buffer_view, VkBufferView)

#endif
