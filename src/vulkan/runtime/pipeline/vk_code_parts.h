/* A compiler's output as the bytes of a vk_code, and back: parts one after the other, each at a multiple of eight
 * bytes. The runtime's header says that a file is of this build and this chip, and its checksums that the bytes are
 * those which were written; so sizes are all that is looked at when they come back. */
#ifndef VULKAN_RUNTIME_VK_CODE_PARTS_H
#define VULKAN_RUNTIME_VK_CODE_PARTS_H

#include <string.h>

#include "vulkan/runtime/pipeline/vk_shader.h"

struct vk_code_part {
    const void *bytes; /* NULL: none */
    uint32_t size_B;
};

/* A text with the NUL that ends it; NULL is no part. */
static inline struct vk_code_part vk_code_text(const char *text)
{
    return (struct vk_code_part){text, text ? (uint32_t)strlen(text) + 1 : 0};
}

/* NULL without memory. */
struct vk_code *vk_code_pack(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                             const struct vk_code_part *parts, unsigned count);

/* The parts as views of the code, of which the last `texts` must be texts. False: these are no such parts. */
bool vk_code_unpack(const struct vk_code *code, struct vk_code_part *parts_out, unsigned count, unsigned texts);

#endif
