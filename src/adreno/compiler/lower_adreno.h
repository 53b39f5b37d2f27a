/* Operations that A6xx has no instruction for and no other machine lacks in this way. All run under IR_PASS. */
#ifndef ADRENO_COMPILER_LOWER_ADRENO_H
#define ADRENO_COMPILER_LOWER_ADRENO_H

#include "compiler/lower/lower.h"

struct adreno_handover;

/* Products of small factors, angles out of range, packing. */
bool adreno_lower_alu(struct ir_shader *shader, const void *options);

/* Operations between lanes on a value that is the same in all of them. After the analysis of divergence. */
bool adreno_lower_uniform(struct ir_shader *shader, const void *options);

/* Vertex and geometry shaders for binning passes: outputs that place no primitives are gone. */
bool adreno_lower_binning(struct ir_shader *shader, const void *options);
/* Vertex shaders: primitives of views outside of the mask, to which `options` points, are nowhere. */
bool adreno_lower_views(struct ir_shader *shader, const void *options);
/* Fragment shaders: varyings by component, and read at the start. After lower_inputs. */
bool adreno_lower_varyings(struct ir_shader *shader, const void *options);
/* Sizes of storage images that are cubes. Before divisions. */
bool adreno_lower_image(struct ir_shader *shader, const void *options);

/* handover.c, `options`: struct adreno_handover. Outputs of a stage that another one of its wave reads. Before
 * variables become values, as the following. */
bool adreno_lower_handover(struct ir_shader *shader, const void *options);
/* Geometry shaders: a fiber gives one vertex. The same options. */
bool adreno_lower_geometry(struct ir_shader *shader, const void *options);
/* `options`: struct adreno_stage_options. */
bool adreno_lower_control(struct ir_shader *shader, const void *options);
bool adreno_lower_evaluation(struct ir_shader *shader, const void *options);
/* Whether a geometry shader reads what an atomic operation returns; each of its invocations has room for one result. */
bool adreno_reads_results(const struct ir_shader *shader);
#define ADRENO_RESULT_B 8
/* Fields of fiber_header: their first bit, and how many they have. */
#define ADRENO_HEADER_VERTEX 6, 5
#define ADRENO_HEADER_INVOCATION 11, 5
#define ADRENO_HEADER_OUTPUT 16, 16
struct ir_value *adreno_header_field(struct ir_builder *b, struct ir_value *header, unsigned first, unsigned bits);
/* Where the fiber's primitive, whose number begins at a bit of the header, lies in local memory; a load_per_vertex of
 * the second stage from there. */
struct ir_value *adreno_handover_part(struct ir_builder *b, const struct adreno_handover *plan, struct ir_value *header,
                                      unsigned first_bit);
struct ir_value *adreno_load_handover(struct ir_builder *b, const struct adreno_handover *plan,
                                      const struct ir_instr *instr, struct ir_value *part);

/* arrays.c: which variables stay in registers; `room` (uint32_t): for so many components. Before
 * lower_vars_to_scratch. */
bool adreno_lower_arrays(struct ir_shader *shader, const void *room);

#endif
