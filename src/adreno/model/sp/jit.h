/* Host code for straight runs of instructions (model/exec/run.h, docs/host-code.md). */
#ifndef ADRENO_MODEL_SP_JIT_H
#define ADRENO_MODEL_SP_JIT_H

#include "adreno/model/sp/code.h"
#include "model/exec/run.h"

/* The state of a lowering, of one cache; free() it. NULL: out of memory. */
struct sp_jit_builder *adreno_sp_jit_create(void);

extern const struct exec_family adreno_sp_family;

#endif
