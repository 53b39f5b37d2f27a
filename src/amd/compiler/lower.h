/* Turning pseudo instructions into instructions, inside: lower_pseudo.c walks, lower_copy.c makes moves of parallel
 * copies, lower_branch.c the control flow, lower_call.c the calls. */
#ifndef AMD_COMPILER_LOWER_H
#define AMD_COMPILER_LOWER_H

#include "amd/compiler/mir.h"
#include "compiler/machine/copies.h"

/* Adds the dword of an operand to what is copied at the same time; what is undefined is left out. */
void amd_lower_add_move(struct mir_program *program, struct copies *copies, mir_reg to, const struct mir_operand *from,
                        unsigned dword);

/* `spare` is a scalar register that nothing needs here, or MIR_REG_NONE: then cycles of scalars are an error. */
void amd_lower_emit_moves(struct mir_builder *builder, struct copies *copies, mir_reg spare);

/* Branches, empty blocks, jumps over few instructions. Once everything else is lowered. */
void amd_lower_branches(struct mir_program *program);

/* Shorter forms of instructions whose registers allow it. */
void amd_lower_shorten(struct mir_program *program);

/* Calls of functions, and where their frames begin (lower_call.c). */
void amd_lower_next_frame(struct mir_builder *builder, const struct mir_instr *instr);
void amd_lower_call(struct mir_builder *builder, const struct mir_instr *instr);

/* Instructions on registers. */
struct mir_instr *amd_lower_build2(struct mir_builder *builder, unsigned op, mir_reg def, unsigned def_dwords,
                                   struct mir_operand a, struct mir_operand b);

#endif
