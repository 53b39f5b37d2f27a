/* Memory and buffers. */
#ifndef AMD_DRIVER_RADEON_MEMORY_H
#define AMD_DRIVER_RADEON_MEMORY_H

#include "amd/driver/ws.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"

/* The buffer object of a memory. */
static inline struct ws_bo *radeon_memory_bo(const struct vk_device_memory *memory)
{
    return (struct ws_bo *)memory->bo;
}

/* A typed view: its descriptor, ready to be copied into a set. */
struct radeon_buffer_view {
    struct vk_buffer_view vk;
    uint32_t descriptor[4];
};

VK_DEFINE_CASTS(radeon_buffer_view, VkBufferView)

/* Raw buffer: bytes from `va` on that are checked against `size_B`. */
void radeon_buffer_descriptor(uint64_t va, uint64_t size_B, uint32_t words_out[4]);

/* Typed: as many texels as are in `size_B` bytes from `va` on. */
void radeon_texel_descriptor(VkFormat format, uint64_t va, uint64_t size_B, uint32_t words_out[4]);

#endif
