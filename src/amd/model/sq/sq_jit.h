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
#include "model/jit.h"

struct sq_jit;

/* NULL where the host has no code maker or none is wanted. */
struct sq_jit *amd_sq_jit_create(void);
void amd_sq_jit_destroy(struct sq_jit *jit);
/* How many bytes of host code there are. */
uint32_t amd_sq_jit_used_B(const struct sq_jit *jit);
/* Forget all code; runs themselves live in the code cache's arena. */
void amd_sq_jit_reset(struct sq_jit *jit);

/* The instruction whose micro-operations begin at `first` has been translated: it joins the run at hand, begins one, or
 * ends it. */
void amd_sq_jit_take(struct sq_builder *builder, uint32_t first);
/* The block is whole and its micro-operations stay where they are. */
void amd_sq_jit_finish(struct sq_builder *builder);

#endif
