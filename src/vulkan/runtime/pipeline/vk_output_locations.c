/* See vk_output_locations.h. */
#include "vulkan/runtime/pipeline/vk_output_locations.h"

struct vk_color_slots vk_color_slots_of(const struct vk_rendering_formats *formats)
{
    struct vk_color_slots slots = {0};
    uint32_t taken = 0, left = 0;
    if (!formats->has_locations)
        return slots;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        slots.is_moved |= formats->locations[i] != i;
        if (formats->locations[i] < VK_MAX_COLOR_ATTACHMENTS)
            taken |= 1u << formats->locations[i];
    }
    slots.written = (uint8_t)taken;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS && slots.is_moved; i++) {
        uint32_t slot = formats->locations[i];
        if (slot >= VK_MAX_COLOR_ATTACHMENTS) {
            while (taken >> left & 1)
                left++;
            slot = left++;
        }
        slots.of[i] = (uint8_t)slot;
        slots.at[slot] = (uint8_t)i;
    }
    return slots;
}
