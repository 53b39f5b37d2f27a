/* FMASK and CMASK of colour images with several samples. A pixel keeps its different colours as fragments; FMASK says
 * for each sample which fragment is its own, and CMASK says the same of 8 by 8 pixels at once.
 *
 * The colour backends look at both in the layout of a colour attachment. In every other layout each sample's colour is
 * in the fragment of its number and both say so: shaders and copies need not know of them. */
#ifndef AMD_DRIVER_RADEON_FMASK_H
#define AMD_DRIVER_RADEON_FMASK_H

#include "amd/driver/radeon_cmd.h"

struct ir_builder;
struct ir_value;
struct radeon_image;

/* The layout part of a barrier, of an image with FMASK. */
void radeon_fmask_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier);

/* FMASK as an image of unsigned integers, read through CMASK. */
void radeon_fmask_descriptor(const struct radeon_image *image, uint32_t first_layer, uint32_t layers,
                             uint32_t words_out[8]);

/* In a shader: what FMASK says of a pixel (x, y, layer), and the fragment of one sample. */
struct ir_value *radeon_fmask_fetch(struct ir_builder *b, uint32_t binding, struct ir_value *const at[3]);
struct ir_value *radeon_fmask_fragment(struct ir_builder *b, struct ir_value *fragments, uint32_t sample);

#endif
