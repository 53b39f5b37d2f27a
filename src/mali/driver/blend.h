/* Blending: what the fixed function can do, and its descriptors. */
#ifndef MALI_DRIVER_BLEND_H
#define MALI_DRIVER_BLEND_H

#include "mali/driver/format.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

/* Whether a blend descriptor of fixed function says it all. `constants` NULL: they are not known. */
bool mali_blend_is_fixed(const struct mali_color_format *color, const struct vk_blend_equation *equation,
                         bool is_blending, unsigned mask, const float *constants);

void mali_pack_fixed_blend(const struct mali_color_format *color, unsigned target,
                           const struct vk_blend_equation *equation, bool is_blending, unsigned mask,
                           const float constants[4], enum mali_REGISTER_FORMAT register_format, uint32_t out[4]);
/* How a target is written as it is, without blending: for loads of attachments. */
void mali_pack_opaque_blend(const struct mali_color_format *color, unsigned target, struct mali_pixel_format conversion,
                            enum mali_REGISTER_FORMAT register_format, uint32_t out[4]);
/* A target that is blended by code. */
void mali_pack_shader_blend(unsigned mask, uint32_t pc, uint32_t out[4]);
/* A target that is not written. */
void mali_pack_no_blend(uint32_t out[4]);

#endif
