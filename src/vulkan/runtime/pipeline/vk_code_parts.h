/* A compiler's output as the bytes of a vk_code, and back: parts one after the other, each at a multiple of eight
 * bytes.
 *
 * The bytes may be anybody's: a checksum without a key tells damage, not forgery. So nothing of them is used as it
 * is but what only the GPU reads: texts end, and structs are records (util/record.h), whose fields have ranges. */
#ifndef VULKAN_RUNTIME_VK_CODE_PARTS_H
#define VULKAN_RUNTIME_VK_CODE_PARTS_H

#include <string.h>

#include "util/record.h"
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

/* A struct by its record; `room` is as large as the struct, and must stay until the code is packed. */
static inline struct vk_code_part vk_code_record(const struct record *record, const void *from, uint8_t *room)
{
    record_write(record, from, room);
    return (struct vk_code_part){room, (uint32_t)record_size_B(record)};
}

/* NULL without memory. */
struct vk_code *vk_code_pack(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                             const struct vk_code_part *parts, unsigned count);

/* The parts as views of the code, of which the last `texts` must be texts. False: these are no such parts. */
bool vk_code_unpack(const struct vk_code *code, struct vk_code_part *parts_out, unsigned count, unsigned texts);

/* The answer of `load` to code that no compiler made; `wrong` says which part of it, NULL where it is good. */
VkResult vk_code_judge(struct vk_device *device, const char *wrong);

#endif
