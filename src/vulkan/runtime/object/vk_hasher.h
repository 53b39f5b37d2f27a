/* A hash of many pieces, one after the other: how keys of shaders and layouts are made. Every piece is a fixed size or
 * comes after its length, so that two different lists of pieces are never the same bytes. */
#ifndef VULKAN_RUNTIME_VK_HASHER_H
#define VULKAN_RUNTIME_VK_HASHER_H

#include "util/hash.h"
#include "vulkan/runtime/pipeline/vk_shader_module.h"

struct vk_hasher {
    XXH3_state_t state;
};

void vk_hasher_init(struct vk_hasher *hasher);
void vk_hasher_add(struct vk_hasher *hasher, const void *data, size_t size_B);
void vk_hasher_end(struct vk_hasher *hasher, uint8_t hash_out[VK_HASH_SIZE_B]);

static inline void vk_hasher_add_u32(struct vk_hasher *hasher, uint32_t value)
{
    vk_hasher_add(hasher, &value, sizeof(value));
}

static inline void vk_hasher_add_u64(struct vk_hasher *hasher, uint64_t value)
{
    vk_hasher_add(hasher, &value, sizeof(value));
}

/* Bytes of any length, with the length before them. */
static inline void vk_hasher_add_sized(struct vk_hasher *hasher, const void *data, size_t size_B)
{
    vk_hasher_add_u64(hasher, size_B);
    vk_hasher_add(hasher, data, size_B);
}

#endif
