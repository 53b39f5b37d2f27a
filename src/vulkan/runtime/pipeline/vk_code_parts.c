/* Parts of a code: their sizes, then their bytes. */
#include "vulkan/runtime/pipeline/vk_code_parts.h"

#include "util/bits.h"
#include "vulkan/runtime/object/vk_debug_utils.h"

#define ALIGN_B 8

static size_t sizes_B(unsigned count)
{
    return align_u64(count * sizeof(uint32_t), ALIGN_B);
}

struct vk_code *vk_code_pack(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                             const struct vk_code_part *parts, unsigned count)
{
    size_t size_B = sizes_B(count);
    for (unsigned i = 0; i < count; i++)
        size_B += align_u64(parts[i].size_B, ALIGN_B);
    struct vk_code *code = vk_code_create(device, stage, key, size_B);
    if (!code)
        return NULL;
    memset(code->bytes, 0, size_B);
    uint8_t *next = code->bytes + sizes_B(count);
    for (unsigned i = 0; i < count; i++) {
        memcpy(code->bytes + i * sizeof(uint32_t), &parts[i].size_B, sizeof(uint32_t));
        if (parts[i].size_B)
            memcpy(next, parts[i].bytes, parts[i].size_B);
        next += align_u64(parts[i].size_B, ALIGN_B);
    }
    return code;
}

bool vk_code_unpack(const struct vk_code *code, struct vk_code_part *parts_out, unsigned count, unsigned texts)
{
    size_t at_B = sizes_B(count);
    if (code->size_B < at_B)
        return false;
    for (unsigned i = 0; i < count; i++) {
        uint32_t size_B;
        memcpy(&size_B, code->bytes + i * sizeof(uint32_t), sizeof(uint32_t));
        if (align_u64(size_B, ALIGN_B) > code->size_B - at_B)
            return false;
        if (i >= count - texts && size_B && code->bytes[at_B + size_B - 1])
            return false;
        parts_out[i] = (struct vk_code_part){size_B ? code->bytes + at_B : NULL, size_B};
        at_B += align_u64(size_B, ALIGN_B);
    }
    return at_B == code->size_B;
}

VkResult vk_code_judge(struct vk_device *device, const char *wrong)
{
    if (!wrong)
        return VK_SUCCESS;
    vk_device_message(device, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                      VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, NULL,
                      "compiled code is refused, for no compiler of this driver made it: %s", wrong);
    return VK_ERROR_UNKNOWN;
}
