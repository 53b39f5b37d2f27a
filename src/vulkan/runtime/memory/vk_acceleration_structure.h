/* VkAccelerationStructureKHR: a range of a buffer. What is written there, and how, is the family's; its address is the
 * handle that instances and shaders have. */
#ifndef VULKAN_RUNTIME_VK_ACCELERATION_STRUCTURE_H
#define VULKAN_RUNTIME_VK_ACCELERATION_STRUCTURE_H

#include "vulkan/runtime/memory/vk_buffer.h"

struct vk_acceleration_structure {
    struct vk_object_base base;
    const struct vk_buffer *buffer; /* which may get its memory later */
    VkDeviceSize offset_B, size_B;
    VkAccelerationStructureTypeKHR type; /* may be generic */
};

VK_DEFINE_CASTS(vk_acceleration_structure, VkAccelerationStructureKHR)

static inline uint64_t vk_acceleration_structure_va(const struct vk_acceleration_structure *structure)
{
    return structure->buffer->va + structure->offset_B;
}

#endif
