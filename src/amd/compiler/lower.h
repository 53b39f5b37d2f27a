/* Turning pseudo instructions into instructions, inside: lower_pseudo.c walks, lower_copy.c makes moves of parallel
 * copies, lower_branch.c the control flow. */
#ifndef AMD_COMPILER_LOWER_H
#define AMD_COMPILER_LOWER_H

#include "amd/compiler/mir.h"

/* Dwords that are to be copied at the same time. */
struct lower_move {
    mir_reg to, from; /* from MIR_REG_NONE: the constant */
    uint32_t value;
};

#define LOWER_MAX_MOVES 1024

struct lower_moves {
    struct lower_move list[LOWER_MAX_MOVES];
    unsigned count;
};

void amd_lower_add_move(struct lower_moves *moves, mir_reg to, const struct mir_operand *from, unsigned dword);

/* `spare` is a scalar register that nothing needs here, or MIR_REG_NONE: then cycles of scalars are an error. */
void amd_lower_emit_moves(struct mir_builder *builder, struct lower_moves *moves, mir_reg spare);

/* Branches, empty blocks, jumps over few instructions. Once everything else is lowered. */
void amd_lower_branches(struct mir_program *program);

/* Shorter forms of instructions whose registers allow it. */
void amd_lower_shorten(struct mir_program *program);

/* Instructions on registers. */
struct mir_instr *amd_lower_build(struct mir_builder *builder, unsigned op, mir_reg def, struct mir_operand a);
struct mir_instr *amd_lower_build2(struct mir_builder *builder, unsigned op, mir_reg def, unsigned def_dwords,
                                   struct mir_operand a, struct mir_operand b);

#endif
