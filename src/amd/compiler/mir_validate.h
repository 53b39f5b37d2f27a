/* The shared part of the two validators. */
#ifndef AMD_COMPILER_MIR_VALIDATE_H
#define AMD_COMPILER_MIR_VALIDATE_H

#include "amd/compiler/mir.h"

/* The complaint as text in the program's arena; `instr` may be NULL. */
const char *amd_mir_complaint(struct mir_program *program, const struct mir_block *block, const struct mir_instr *instr,
                              const char *what);

#endif
