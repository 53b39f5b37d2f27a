/* GPU memory for machine code: shaders come and go in any order, and many small ones lie in one buffer object. A family
 * says where the memory comes from and how far after a program its instruction cache reads. */
#ifndef VULKAN_RUNTIME_VK_CODE_MEMORY_H
#define VULKAN_RUNTIME_VK_CODE_MEMORY_H

#include <pthread.h>

#include "util/list.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/object/vk_api.h"

struct vk_code_block;
struct vk_device;

#define VK_CODE_ALIGN_B 256 /* of every program */
#define VK_CODE_BLOCK_LISTS 12

struct vk_code_memory {
    struct vk_device *device;
    /* Mapped memory of whole pages; NULL without memory. Any thread may call it. */
    struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B);
    void (*destroy)(struct vk_device *device, struct vk_bo *bo);
    uint32_t padding_B; /* what the instruction cache reads after a program must be mapped */
    pthread_mutex_t lock;
    struct list blocks[VK_CODE_BLOCK_LISTS];
};

/* A piece of a block; .block NULL: none. */
struct vk_code_place {
    struct vk_code_block *block;
    uint32_t offset_B, size_B;
    uint64_t va;
};

void vk_code_memory_init(struct vk_code_memory *memory, struct vk_device *device, uint32_t padding_B,
                         struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B),
                         void (*destroy)(struct vk_device *device, struct vk_bo *bo));
void vk_code_memory_finish(struct vk_code_memory *memory);
/* Room for `size_B` bytes of code at a multiple of VK_CODE_ALIGN_B, with the padding after it. */
VkResult vk_code_memory_alloc(struct vk_code_memory *memory, uint32_t size_B, struct vk_code_place *place_out,
                              void **map_out);
void vk_code_memory_free(struct vk_code_memory *memory, struct vk_code_place *place);

#endif
