/* Host code for straight runs of instructions (model/exec/run.h, docs/host-code.md). */
#ifndef MALI_MODEL_SC_JIT_H
#define MALI_MODEL_SC_JIT_H

#include "mali/model/sc/code.h"
#include "model/exec/run.h"

/* The state of a lowering, of one cache; free() it. NULL: out of memory. */
struct sc_jit_builder *mali_sc_jit_create(void);

extern const struct exec_family mali_sc_family;

#endif
