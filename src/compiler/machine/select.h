/* From the IR's blocks and values to machine code: which registers a value is in, blocks in their order, phis and
 * branches. What an instruction becomes is the back end's. A value is a list of temporaries, one for each register. */
#ifndef COMPILER_MACHINE_SELECT_H
#define COMPILER_MACHINE_SELECT_H

#include "compiler/ir/ir.h"
#include "compiler/machine/code.h"

struct mach_select;

/* The back end's part. It embeds struct mach_select first in its own. */
struct mach_selector {
    struct mach_class (*class_of)(const struct ir_value *value); /* of one register of it */
    unsigned (*words)(const struct ir_value *value);             /* registers of one component */
    unsigned (*registers)(const struct ir_value *value);         /* of all; NULL: those of the components */
    /* A register that holds the number. */
    mach_temp (*number)(struct mach_select *ctx, struct mach_class class, uint32_t value);
    /* A word of a constant, as it is in a register. */
    uint32_t (*constant)(const struct ir_value *value, uint32_t word);
    void (*begin)(struct mach_select *ctx); /* in the first block */
    void (*instr)(struct mach_select *ctx, const struct ir_instr *instr);
    /* Ends the block: control goes to `then_block` where the condition holds. */
    void (*branch)(struct mach_select *ctx, const struct ir_value *condition, uint32_t then_block, uint32_t else_block);
    void (*end)(struct mach_select *ctx); /* of the program */
};

struct mach_select {
    const struct mach_selector *selector;
    struct mach_program *program;
    struct mach_builder b;
    struct ir_shader *shader;
    mach_temp **values; /* by value index: the registers, or NULL */
    uint32_t *block_of; /* by IR block: the machine block that it begins with */
    uint32_t *last_of;  /* by IR block: the machine block that it ends with */
    uint32_t block;     /* that is being written */
    uint32_t *order;    /* machine blocks in the order of the program */
    uint32_t num_order, capacity_order;
};

/* The whole program; `selector`, `program` and `shader` are set. */
void mach_select_program(struct mach_select *ctx);

/* ---- values ---- */
/* Register `index` of a value; constants are moved to one. */
mach_temp mach_select_reg(struct mach_select *ctx, const struct ir_value *value, unsigned index);
/* The definitions of an instruction: new registers, which its selection writes. */
mach_temp *mach_select_results(struct mach_select *ctx, const struct ir_value *value);
void mach_select_set(struct mach_select *ctx, const struct ir_value *value, mach_temp *regs);
void mach_select_set_one(struct mach_select *ctx, const struct ir_value *value, mach_temp reg);
/* Constants, vectors and phis, which are the same everywhere; false: another kind. */
bool mach_select_common(struct mach_select *ctx, const struct ir_instr *instr);

/* Registers side by side, and apart. */
mach_temp mach_select_run(struct mach_select *ctx, struct mach_class class, const struct mach_operand *operands);
void mach_select_split(struct mach_select *ctx, mach_temp run, struct mach_class class, unsigned count,
                       mach_temp *regs_out);

/* The branch that ends a block of the IR; NULL: it ends otherwise. */
const struct ir_if *mach_select_if_after(const struct ir_block *block);

/* ---- blocks of the back end's own ---- */
/* A machine block that is not yet in the program's order; writing goes on in `block` from here on. */
uint32_t mach_select_new_block(struct mach_select *ctx);
void mach_select_begin_block(struct mach_select *ctx, uint32_t block);
/* Ends the block. */
void mach_select_jump(struct mach_select *ctx, uint32_t target);
struct mach_instr *mach_select_branch(struct mach_select *ctx, struct mach_operand condition, uint32_t target,
                                      uint32_t other);

#endif
