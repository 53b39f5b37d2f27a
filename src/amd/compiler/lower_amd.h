/* The passes that make the shared IR into what instruction selection can take: what GFX10.3 has no instruction for,
 * descriptors as words in memory, booleans that cannot be lane masks. Each returns whether it changed something; all
 * run under IR_PASS. */
#ifndef AMD_COMPILER_LOWER_AMD_H
#define AMD_COMPILER_LOWER_AMD_H

#include "amd/compiler/compiler.h"
#include "compiler/ir/ir_builder.h"
#include "compiler/lower/lower.h"

/* Descriptors: `resource` becomes load_desc; where its index differs between lanes, a loop around the access takes one
 * index after the other. Options: amd_compile_options. Needs divergence. */
bool amd_lower_amd_resource(struct ir_shader *shader, const void *options);
/* Questions about images and the address of an acceleration structure from their descriptors' words. After
 * amd_lower_amd_resource. */
bool amd_lower_amd_query(struct ir_shader *shader, const void *options);
/* Phis, lane operations and values that outlive a loop: 1 bit as 32 bits. */
bool amd_lower_amd_bool(struct ir_shader *shader, const void *options);

/* The stages of rays as functions with frames (trace_layout.h). Before everything else. Options:
 * amd_compile_options. */
bool amd_lower_amd_trace(struct ir_shader *shader, const void *options);
/* Ray queries as loops through the tree (compiler/lower/lower_rays.h). After it. */
bool amd_lower_amd_ray(struct ir_shader *shader, const void *options);

/* Lane operations that need a loop. Options: amd_compile_options. Needs divergence. */
bool amd_lower_amd_lanes(struct ir_shader *shader, const void *options);

/* Calls of functions one address after the other. Needs divergence. */
bool amd_lower_amd_call(struct ir_shader *shader, const void *options);

/* Transform feedback: stores of the captured outputs at the shader's end. Options: amd_compile_options. */
bool amd_lower_amd_xfb(struct ir_shader *shader, const void *options);

/* Which value has a channel of an output, and which component of it; NULL: nothing has. */
struct amd_channel {
    struct ir_value *value;
    uint8_t comp;
};
#define AMD_XFB_LOCATIONS (IR_LOCATION_VAR0 + 128)
/* The captured ones of channels[AMD_XFB_LOCATIONS * 4], into buffers with the shader's strides. */
void amd_store_captures(struct ir_builder *b, const struct ir_capture *captures, uint32_t count,
                        const struct amd_channel *channels);

#endif
