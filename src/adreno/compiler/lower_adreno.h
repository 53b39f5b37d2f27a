/* What A6xx has no instruction for and no other machine lacks in this way. All run under IR_PASS. */
#ifndef ADRENO_COMPILER_LOWER_ADRENO_H
#define ADRENO_COMPILER_LOWER_ADRENO_H

#include "compiler/lower/lower.h"

/* Bit fields, exponents, classes of floats, angles out of range. */
bool adreno_lower_alu(struct ir_shader *shader, const void *options);

#endif
