/* Between the parts of graphics state inside the runtime: rows as data, the generated comparing and copying, and what
 * the commands share. Drivers use vk_graphics_state.h. */
#ifndef VULKAN_RUNTIME_VK_DYNAMIC_STATE_H
#define VULKAN_RUNTIME_VK_DYNAMIC_STATE_H

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

#define VK_DYNAMIC_ROW_MAX_FIELDS 4

struct vk_dynamic_row {
    const char *name;
    const char *since; /* what made it dynamic: see the table's head */
    enum vk_graphics_group group;
    uint32_t field_count;
    struct {
        uint16_t offset_B, size_B; /* in struct vk_dynamic_graphics_state */
    } fields[VK_DYNAMIC_ROW_MAX_FIELDS];
};

extern const struct vk_dynamic_row vk_dynamic_rows[VK_DYN_COUNT];

/* The dynamic states that have no row, on purpose. */
extern const VkDynamicState vk_dynamic_states_left_out[];
extern const uint32_t vk_dynamic_states_left_out_count;

/* Which of `rows` have another value in `a` than in `b`. Arrays are compared as far as `b` uses them. */
uint64_t vk_dynamic_rows_differ(const struct vk_dynamic_graphics_state *a, const struct vk_dynamic_graphics_state *b,
                                uint64_t rows);

/* Values alone: set and dirty are the caller's. */
void vk_dynamic_rows_copy(struct vk_dynamic_graphics_state *to, const struct vk_dynamic_graphics_state *from,
                          uint64_t rows);

static inline struct vk_dynamic_graphics_state *vk_command_buffer_dynamic_state(VkCommandBuffer handle)
{
    return &vk_command_buffer_from_handle(handle)->rec->dynamic_state;
}

/* A command has set the row; `same` says that it had that value before, if it had any. */
static inline void vk_dynamic_row_set(struct vk_dynamic_graphics_state *dyn, enum vk_dynamic_bit row, bool same)
{
    uint64_t bit = UINT64_C(1) << row;
    if (same && (dyn->set & bit))
        return;
    dyn->set |= bit;
    dyn->dirty |= bit;
}

/* A command that exists because its extension is offered, for something that is not: the recording has failed. */
void vk_dynamic_state_refuse(VkCommandBuffer handle, const char *command, const char *extension);

/* Values that commands and create infos give in equal form. */
void vk_sample_locations_set(struct vk_sample_locations *locations, const VkSampleLocationsInfoEXT *info);
struct vk_blend_equation vk_blend_equation_of(const VkColorBlendEquationEXT *equation);

#endif
