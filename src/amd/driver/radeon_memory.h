/* Memory and buffers. */
#ifndef AMD_DRIVER_RADEON_MEMORY_H
#define AMD_DRIVER_RADEON_MEMORY_H

#include "amd/driver/ws.h"
#include "vulkan/runtime/vk_buffer.h"
#include "vulkan/runtime/vk_device_memory.h"

struct radeon_device_memory {
    struct vk_device_memory vk;
    struct ws_bo *bo;
    uint32_t heap_index;
    void *map; /* while the application has it mapped */
};

VK_DEFINE_CASTS(radeon_device_memory, VkDeviceMemory)

struct radeon_buffer {
    struct vk_buffer vk;
    struct ws_bo *bo; /* the memory's; NULL until it is bound */
    uint64_t va;      /* of the buffer's first byte */
};

VK_DEFINE_CASTS(radeon_buffer, VkBuffer)

/* A typed view: its descriptor, ready to be copied into a set. */
struct radeon_buffer_view {
    struct vk_buffer_view vk;
    uint32_t descriptor[4];
};

VK_DEFINE_CASTS(radeon_buffer_view, VkBufferView)

/* Raw buffer: bytes from `va` on that are checked against `size_B`. */
void radeon_buffer_descriptor(uint64_t va, uint64_t size_B, uint32_t words_out[4]);

#endif
