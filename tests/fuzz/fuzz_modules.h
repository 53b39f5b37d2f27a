/* A family's compiler, for fuzz_modules.c. */
#ifndef TESTS_FUZZ_FUZZ_MODULES_H
#define TESTS_FUZZ_FUZZ_MODULES_H

#include "compiler/ir/ir.h"

#define FUZZ_BINDINGS 32
#define FUZZ_SETS 2

/* The shader through the whole back end; the code is thrown away. `has_other_waves`: with another size of waves than
 * most have, unless the shader says which. False with a reason. */
bool fuzz_compile(struct ir_shader *shader, bool no_optimisation, bool has_other_waves, char error_out[256]);

#endif
