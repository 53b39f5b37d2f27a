/* Operations that Valhall has no instruction for and no other machine lacks in this way. All run under IR_PASS. */
#ifndef MALI_COMPILER_LOWER_MALI_H
#define MALI_COMPILER_LOWER_MALI_H

#include "compiler/lower/lower.h"

/* The size of a warp is a number, and masks of lanes have that many bits. Once, before the optimiser. */
bool mali_lower_warp(struct ir_shader *shader, const void *options);

/* Reductions and scans between lanes. Needs divergence. */
bool mali_lower_lanes(struct ir_shader *shader, const void *options);

/* Sizes, levels and samples of images, by their descriptors. Before divisions. */
bool mali_lower_queries(struct ir_shader *shader, const void *options);

/* Input attachments that the driver may have left in the tile: MALI_SYSVAL_INPUT_0. The words of one are push constants
 * from MALI_LOWER_INPUTS_B on. After this a fetch of IR_DIM_subpass whose texture is a number is one of the tile: its
 * coordinate begins with the two words of LD_TILE. IR_IMM_GATHER_COMP is 1: depth or stencil. After the optimiser, for
 * the tile must not be read where there is none. */
#define MALI_LOWER_INPUTS_B 0x10000u
#define MALI_LOWER_INPUT_B 8u
bool mali_lower_subpass(struct ir_shader *shader, const void *options);

/* Vertex shaders: the index of a view becomes a number, and what is stored is stored for each view of the mask, a
 * uint32_t; 0 is the first one alone. Outputs have the view in IR_IMM_DUAL_INDEX where this has changed anything. */
bool mali_lower_views(struct ir_shader *shader, const void *options);

#endif
