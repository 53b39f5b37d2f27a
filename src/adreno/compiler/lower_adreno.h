/* What A6xx has no instruction for and no other machine lacks in this way. All run under IR_PASS. */
#ifndef ADRENO_COMPILER_LOWER_ADRENO_H
#define ADRENO_COMPILER_LOWER_ADRENO_H

#include "compiler/lower/lower.h"

/* Products of small factors, angles out of range, packing. */
bool adreno_lower_alu(struct ir_shader *shader, const void *options);

/* What lanes tell each other of a value that is the same in all of them. After the analysis of divergence. */
bool adreno_lower_uniform(struct ir_shader *shader, const void *options);

/* Vertex shaders for binning passes: outputs that place no primitives are gone. */
bool adreno_lower_binning(struct ir_shader *shader, const void *options);
/* Vertex shaders: primitives of views outside of the mask, to which `options` points, are nowhere. */
bool adreno_lower_views(struct ir_shader *shader, const void *options);
/* Fragment shaders: varyings by component, and read at the start. After lower_inputs. */
bool adreno_lower_varyings(struct ir_shader *shader, const void *options);
/* Sizes of storage images that are cubes. Before divisions. */
bool adreno_lower_image(struct ir_shader *shader, const void *options);

/* arrays.c: which variables stay in registers; `room` (uint32_t): for so many components. Before lower_vars_to_scratch. */
bool adreno_lower_arrays(struct ir_shader *shader, const void *room);

#endif
