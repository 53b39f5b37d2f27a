/* Two stages as one program, as the hardware starts them: the vertex shader and what comes right after it. What such
 * programs have in common whatever the second stage is. */
#ifndef AMD_COMPILER_MERGE_H
#define AMD_COMPILER_MERGE_H

#include "amd/compiler/compiler.h"
#include "compiler/ir/ir_builder.h"

/* Resources, push constants, variables and float controls of both; inputs of the first and outputs of the second. */
void amd_merge_interfaces(struct ir_shader *shader, const struct ir_shader *first, const struct ir_shader *second);

/* Tables of constants: the second's lie after the first's. Returns where. */
uint32_t amd_merge_const_data(struct ir_shader *shader, const struct ir_shader *first, const struct ir_shader *second);

/* A copy of a stage at the cursor, in an if that the cursor stands in. */
void amd_merge_insert(struct ir_builder *b, const struct ir_shader *stage, uint32_t first_var, uint32_t first_const_B);

/* Words that the lanes wrote to shared memory before it are seen by all of them after it. */
void amd_merge_barrier(struct ir_builder *b);

/* An if for the lanes below a count of eight bits in the wave's word: they run a stage. */
void amd_merge_push_stage(struct ir_builder *b, struct ir_value *wave, struct ir_value *lane, uint32_t first_bit);

/* Bits of a word. */
struct ir_value *amd_merge_field(struct ir_builder *b, struct ir_value *word, uint32_t first, uint32_t count);

/* A wave adds to what a query counts, if one does. `which` is an enum amd_count. */
void amd_merge_count(struct ir_builder *b, const struct amd_compile_options *options, unsigned which,
                     struct ir_value *count);

#endif
