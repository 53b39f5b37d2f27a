/* The hasher, here once: the hash's code is large. */
#include "vulkan/runtime/object/vk_hasher.h"

void vk_hasher_init(struct vk_hasher *hasher)
{
    XXH3_128bits_reset(&hasher->state);
}

void vk_hasher_add(struct vk_hasher *hasher, const void *data, size_t size_B)
{
    if (size_B)
        XXH3_128bits_update(&hasher->state, data, size_B);
}

void vk_hasher_end(struct vk_hasher *hasher, uint8_t hash_out[VK_HASH_SIZE_B])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)hash_out, XXH3_128bits_digest(&hasher->state));
}
