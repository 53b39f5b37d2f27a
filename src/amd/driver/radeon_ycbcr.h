/* Samplers that convert from Y'CbCr: what they mean is written into the shaders that use them. */
#ifndef AMD_DRIVER_RADEON_YCBCR_H
#define AMD_DRIVER_RADEON_YCBCR_H

#include "amd/driver/radeon_descriptor.h"
#include "compiler/ir/ir.h"

/* Replaces the samples of such bindings by samples of the planes and the conversion's arithmetic. Fails as the IR's
 * builders do (ir_guard). */
void radeon_lower_ycbcr(struct ir_shader *shader, struct vk_descriptor_set_layout *const *set_layouts, uint32_t count);

#endif
