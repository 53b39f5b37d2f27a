/* Making IR: a cursor in a block, after which instructions are put, and structured control flow. The operations' own
 * functions (ir_fadd, ir_load_ssbo, …) are generated: ir_ops.h. Everything that fails leaves through ir_guard. */
#ifndef COMPILER_IR_IR_BUILDER_H
#define COMPILER_IR_IR_BUILDER_H

#include "compiler/ir/ir.h"

struct ir_builder {
    struct ir_shader *shader;
    struct ir_block *block;
    struct list *before; /* the next instruction goes before this link: an instruction's or the block's list head */
    uint32_t
        flags; /* IR_FLAG_* of every instruction made: EXACT, NSZ and NAN_INF reach those of property `float` only */
};

/* --- where --- */

/* At a block's end, but before its jump. */
struct ir_builder ir_builder_at_end(struct ir_shader *shader, struct ir_block *block);
/* At a block's start, after its phis. */
struct ir_builder ir_builder_at_start(struct ir_shader *shader, struct ir_block *block);
struct ir_builder ir_builder_before(struct ir_shader *shader, struct ir_instr *instr);
/* After a phi means after all phis of its block. */
struct ir_builder ir_builder_after(struct ir_shader *shader, struct ir_instr *instr);
/* At the end of the shader's body. */
struct ir_builder ir_builder_at_body_end(struct ir_shader *shader);

/* --- instructions --- */

/* The general form of every function of ir_ops.h. `imms` may be NULL: zeros; `bits` 0: no result. */
struct ir_instr *ir_build(struct ir_builder *b, enum ir_op op, uint8_t bits, uint8_t comps, uint32_t num_srcs,
                          struct ir_value *const *srcs, uint32_t num_more, struct ir_value *const *more,
                          const uint32_t *imms);

struct ir_value *ir_const(struct ir_builder *b, uint8_t bits,
                          uint64_t value); /* what lies beyond the width is cut off */
struct ir_value *ir_const_f(struct ir_builder *b, uint8_t bits, double value); /* to nearest even */
struct ir_value *ir_false(struct ir_builder *b);
struct ir_value *ir_true(struct ir_builder *b);
struct ir_value *ir_zero(struct ir_builder *b, uint8_t bits, uint8_t comps);
/* One value is itself; otherwise a vec. */
struct ir_value *ir_vec(struct ir_builder *b, uint32_t count, struct ir_value *const *values);
/* A component, looking through vec; of a scalar the scalar itself. */
struct ir_value *ir_extract(struct ir_builder *b, struct ir_value *value, uint32_t comp);
/* An empty phi at the start of the cursor's block, after the phis already there. */
struct ir_value *ir_phi(struct ir_builder *b, uint8_t bits, uint8_t comps);
struct ir_instr *ir_jump(struct ir_builder *b, enum ir_op op); /* IR_OP_break or IR_OP_continue */

/* --- control flow ---
 * A push in the middle of a block splits it: what stood after the cursor stands after the if or loop afterwards. */

/* The cursor goes to the then region. */
struct ir_if *ir_builder_push_if(struct ir_builder *b, struct ir_value *condition);
void ir_builder_push_else(struct ir_builder *b);
/* The cursor goes to the start of the block after the if. */
void ir_builder_pop_if(struct ir_builder *b);
/* The value of a variable that two branches set; call it where pop_if left the cursor. A branch that ends in a jump
 * does not count. */
struct ir_value *ir_if_phi(struct ir_builder *b, struct ir_if *node, struct ir_value *then_value,
                           struct ir_value *else_value);

/* The cursor goes to the body. */
struct ir_loop *ir_builder_push_loop(struct ir_builder *b);
/* To what runs between two turns. */
void ir_builder_push_cont(struct ir_builder *b);
void ir_builder_pop_loop(struct ir_builder *b);

#include "compiler/ir/ir_ops.h"

#endif
