/* Host code for straight runs of ALU instructions on full registers (docs/host-code.md). */
#ifndef ADRENO_MODEL_SP_JIT_H
#define ADRENO_MODEL_SP_JIT_H

#include "adreno/model/sp/code.h"

/* NULL: there is none on this host, or it is switched off. */
struct sp_jit *adreno_sp_jit_create(void);
void adreno_sp_jit_destroy(struct sp_jit *jit);
void adreno_sp_jit_reset(struct sp_jit *jit);

/* The micro-operations from `first` on are one instruction's. */
void adreno_sp_jit_take(struct sp_builder *builder, uint32_t first);
/* The block is complete. */
void adreno_sp_jit_finish(struct sp_builder *builder);

#endif
