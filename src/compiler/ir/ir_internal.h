/* The shared part of this room's files; private to them. */
#ifndef COMPILER_IR_IR_INTERNAL_H
#define COMPILER_IR_IR_INTERNAL_H

#include "compiler/ir/ir.h"

/* One empty block in a region whose list is not initialised. */
void ir_region_init(struct ir_shader *shader, struct ir_region *region, struct ir_node *owner);
struct ir_instr *ir_instr_alloc(struct ir_shader *shader, enum ir_op op, uint8_t bits, uint8_t comps,
                                uint32_t num_srcs);

/* An empty block after a node: where an if or a loop follows or was the last. */
struct ir_block *ir_block_insert_after(struct ir_shader *shader, struct ir_node *place);

#endif
