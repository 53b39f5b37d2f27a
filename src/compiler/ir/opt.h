/* The passes that every shader and every back end can use. Each file opt_*.c or lower_*.c is one of them and says why
 * what it does is legal. A pass returns whether it changed anything; run it with IR_PASS. */
#ifndef COMPILER_IR_OPT_H
#define COMPILER_IR_OPT_H

#include "compiler/ir/ir.h"

/* Variables whose every access has a known index become values. */
bool opt_vars_to_ssa(struct ir_shader *shader, const void *options);
/* Constants, undefined values, vectors taken apart again, phis of one value. */
bool opt_fold(struct ir_shader *shader, const void *options);
/* The rules of algebraic.table. */
bool opt_algebraic(struct ir_shader *shader, const void *options);
/* Removes what nothing needs. */
bool opt_dead_code(struct ir_shader *shader, const void *options);
/* Common subexpressions become one, in the block that dominates. */
bool opt_common(struct ir_shader *shader, const void *options);
/* Branches on constants, empty ifs, loops that run once. */
bool opt_dead_flow(struct ir_shader *shader, const void *options);

/* Short ifs become selects. */
bool opt_if_convert(struct ir_shader *shader, const void *options);
/* Out of loops what does not change in them. */
bool opt_invariant(struct ir_shader *shader, const void *options);

/* Loops whose turns can be counted become straight code; loops around others wait for the next call. */
bool opt_unroll(struct ir_shader *shader, const void *options);

/* Constant parts of addresses into the access. */
bool opt_address(struct ir_shader *shader, const void *options);
/* Loads and stores side by side become one. */
bool opt_vectorise(struct ir_shader *shader, const void *options);

/* Two operations of 16 bits become one on pairs, where the machine has such. After what makes 16-bit operations, before
 * they are lowered to wider ones. */
bool opt_pairs(struct ir_shader *shader, const void *options);

/* The largest value that an unsigned reading of `value` can have, as far as can be seen. A dispatch has at most
 * IR_MAX_WORKGROUPS in each direction: drivers advertise no more. */
uint64_t ir_upper_bound(const struct ir_shader *shader, const struct ir_value *value);
#define IR_MAX_WORKGROUPS 65535u
/* The index, cut to `last` where it can be larger: an access outside a variable may give anything, but must not touch
 * other memory. */
struct ir_builder;
struct ir_value *ir_bounded_index(struct ir_builder *b, struct ir_value *index, uint32_t last);

/* Variables whose elements only ever get one constant each become data of the shader: tables. */
bool opt_const_vars(struct ir_shader *shader, const void *options);
#define IR_MAX_CONST_DATA_B (1u << 20)

/* Small variables with computed indices: elements are chosen, where the machine's private memory costs more. */
bool opt_small_vars(struct ir_shader *shader, const void *options);

/* Variables that are left go to private memory; none is left behind. */
bool lower_vars_to_scratch(struct ir_shader *shader, const void *options);
#define IR_MAX_SCRATCH_B (1u << 20) /* of one invocation */

/* All optimisations, until nothing changes, for that machine, which is the shader's target from now on. */
struct ir_target;
void ir_optimise(struct ir_shader *shader, const struct ir_target *target);
/* Optimises for who has no guard: false with a reason. */
bool ir_optimise_guarded(struct ir_shader *shader, const struct ir_target *target, char error_out[256]);

/* Two stages of one pipeline that follow one another, vertex and fragment as a rule. Call it after ir_optimise of
 * both, which makes outputs values, and before either goes to its back end: constants come over, parameters that
 * nothing reads are not written, those that nothing writes read zero. False with a reason (memory): both are then good
 * for nothing but to be destroyed. */
bool ir_link(struct ir_shader *producer, struct ir_shader *consumer, char error_out[256]);
/* Which parameters the code reads: bit n is IR_LOCATION_VAR0 + n. */
uint64_t ir_inputs_read(const struct ir_shader *shader);

#endif
