/* The passes that make the shared IR into what instruction selection can take: what GFX10.3 has no instruction for,
 * descriptors as words in memory, booleans that cannot be lane masks. Each answers whether it changed something; all
 * run under IR_PASS. */
#ifndef AMD_COMPILER_LOWER_AMD_H
#define AMD_COMPILER_LOWER_AMD_H

#include "amd/compiler/compiler.h"
#include "compiler/ir/ir_builder.h"

/* Descriptors: `resource` becomes load_desc; where its index differs between lanes, a loop around the access takes one
 * index after the other. Options: amd_compile_options. Needs divergence. */
bool amd_lower_amd_resource(struct ir_shader *shader, const void *options);
/* Textures and images to what the hardware takes: coordinates, levels, formats. Before amd_lower_amd_resource. */
bool amd_lower_amd_image(struct ir_shader *shader, const void *options);
/* Questions about images from their descriptors' words. Behind amd_lower_amd_resource. */
bool amd_lower_amd_query(struct ir_shader *shader, const void *options);
/* Integer division and remainder; float remainder. */
bool amd_lower_amd_divide(struct ir_shader *shader, const void *options);
/* Operations that take others: signs, saturation, bit counts of odd widths, conversions. */
bool amd_lower_amd_alu(struct ir_shader *shader, const void *options);
bool amd_lower_amd_convert(struct ir_shader *shader, const void *options);
/* Integers of 8 bits always, of 16 where they are uniform, in 32 bits. Needs divergence. */
bool amd_lower_amd_narrow(struct ir_shader *shader, const void *options);
/* Phis, lane operations and values that outlive a loop: 1 bit as 32 bits. */
bool amd_lower_amd_bool(struct ir_shader *shader, const void *options);

/* Lane operations that need a loop. Options: amd_compile_options. Needs divergence. */
bool amd_lower_amd_lanes(struct ir_shader *shader, const void *options);

/* Products that are added become multiply-adds. */
bool amd_lower_amd_fuse(struct ir_shader *shader, const void *options);

/* Atomic additions of floats as loops. */
bool amd_lower_amd_atomic(struct ir_shader *shader, const void *options);

/* Inputs indexed by computed numbers. */
bool amd_lower_amd_io(struct ir_shader *shader, const void *options);

/* Transform feedback: stores of the captured outputs at the shader's end. Options: amd_compile_options. */
bool amd_lower_amd_xfb(struct ir_shader *shader, const void *options);

/* For passes that replace one instruction by others: `lower` builds before the instruction and answers the new value
 * (or NULL: leave it). */
typedef struct ir_value *(*lower_amd_function)(struct ir_builder *b, struct ir_instr *instr);
bool amd_lower_amd_instrs(struct ir_shader *shader, lower_amd_function lower);

#endif
