/* Runs of vector instructions become host code. A run is straight code of lane arithmetic, loads and interpolation: no
 * stores, no scalar instructions, no change of exec but at its end. In front of each run stands a micro-operation that
 * counts how often it is reached; a run that is worth it is lowered to a lane program (model/jit.h) and from then on
 * entered as host code. The micro-operations stay: they run until then, and for waves that the code does not fit: of
 * another mode, or with a descriptor that host code does not support (sq_jit_inputs.c).
 *
 * Not in strict mode, which looks at every instruction. TUFF_DEBUG=nojit switches it off, jit reports what is compiled
 * and jitnow compiles every run when it is first reached. */
#ifndef AMD_MODEL_SQ_JIT_H
#define AMD_MODEL_SQ_JIT_H

#include "amd/model/sq/sq_code.h"
#include "model/exec/run.h"

struct sq_jit_builder;

/* The state of a lowering, of one cache; free() it. NULL: out of memory. */
struct sq_jit_builder *amd_sq_jit_create(void);

extern const struct exec_family amd_sq_family;

/* Whether a micro-operation is not an instruction's but enters a run. */
bool amd_sq_jit_is_head(const struct sq_uop *uop);

#endif
