/* Passes that replace operations which a machine lacks by those it has. What it lacks is stated by the shader's target
 * (compiler/ir/target.h): a pass that finds nothing to do changes nothing, so that every back end can run them all.
 * Each returns whether it changed something; all run under IR_PASS and take no options. A machine's own passes
 * (descriptors, lane masks, exports) stay with its family. */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/target.h"

/* Integer division and remainder; float division and remainder. */
bool lower_divide(struct ir_shader *shader, const void *options);
/* Operations that take others: signs, minima, saturation, high halves of products, bit counts of odd widths. */
bool lower_alu(struct ir_shader *shader, const void *options);
/* Bit fields, exponents, classes of floats, masks of lanes. After what makes such. */
bool lower_fields(struct ir_shader *shader, const void *options);
/* Between floats and integers. */
bool lower_convert(struct ir_shader *shader, const void *options);
/* Integers of 8 and 16 bits in 32 bits. Needs divergence where uniform ones differ. */
bool lower_narrow(struct ir_shader *shader, const void *options);
/* Integers of 64 bits as pairs of 32. After all of the above. */
bool lower_wide(struct ir_shader *shader, const void *options);
/* Products that are added become multiply-adds. */
bool lower_fuse(struct ir_shader *shader, const void *options);
/* Atomic operations as loops of compare and exchange. */
bool lower_atomic(struct ir_shader *shader, const void *options);
/* Reductions and scans between lanes: narrow integers in 32 bits. */
bool lower_lanes(struct ir_shader *shader, const void *options);
/* Inputs indexed by computed numbers. */
bool lower_inputs(struct ir_shader *shader, const void *options);
/* Fragment shaders: who is a helper, with those that were demoted. Before variables become values. */
bool lower_helper(struct ir_shader *shader, const void *options);
/* Textures: offsets of fetches, gradients of cubes, levels where there are no quads. Before descriptors are loaded. */
bool lower_tex(struct ir_shader *shader, const void *options);

/* For passes that replace one instruction by others: `lower` builds before the instruction and returns the new value
 * (or NULL: leave it). */
typedef struct ir_value *(*lower_function)(struct ir_builder *b, struct ir_instr *instr);
bool lower_instrs(struct ir_shader *shader, lower_function lower);

#endif
