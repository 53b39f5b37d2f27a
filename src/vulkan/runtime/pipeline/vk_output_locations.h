/* Where a fragment shader's outputs go when attachments say which of them they take
 * (VkRenderingAttachmentLocationInfoKHR). Hardware has outputs and targets by the same numbers, and alpha to coverage
 * takes the alpha of number 0, which is to be that of location 0. So shaders keep the numbers of their locations, and
 * targets are in another order than attachments. */
#ifndef VULKAN_RUNTIME_VK_OUTPUT_LOCATIONS_H
#define VULKAN_RUNTIME_VK_OUTPUT_LOCATIONS_H

#include "vulkan/runtime/render/vk_graphics_state.h"

/* Which of the hardware's targets an attachment is. Each has one: what takes no output is at a target that is left, and
 * is not written. */
struct vk_color_slots {
    bool is_moved;                        /* or else nothing below counts: each is at its own number */
    uint8_t of[VK_MAX_COLOR_ATTACHMENTS]; /* by attachment */
    uint8_t at[VK_MAX_COLOR_ATTACHMENTS]; /* the attachment at a target */
    uint8_t written;                      /* by target */
};
struct vk_color_slots vk_color_slots_of(const struct vk_rendering_formats *formats);

static inline uint32_t vk_color_slot(const struct vk_color_slots *slots, uint32_t attachment)
{
    return slots->is_moved ? slots->of[attachment] : attachment;
}

static inline uint32_t vk_color_at_slot(const struct vk_color_slots *slots, uint32_t target)
{
    return slots->is_moved ? slots->at[target] : target;
}

static inline bool vk_color_is_written(const struct vk_color_slots *slots, uint32_t attachment)
{
    return !slots->is_moved || slots->written >> slots->of[attachment] & 1;
}

/* Targets up to the last one that may be an attachment's. */
static inline uint32_t vk_color_slot_count(const struct vk_color_slots *slots, uint32_t attachments)
{
    return slots->is_moved ? VK_MAX_COLOR_ATTACHMENTS : attachments;
}

#endif
