/* Strict mode's look at an instruction before it runs (docs/strict.md). */
#ifndef ADRENO_MODEL_SP_STRICT_H
#define ADRENO_MODEL_SP_STRICT_H

#include "adreno/model/sp/uop.h"

void adreno_sp_strict_run(struct adreno_wave *wave, const struct sp_uop *uop);

#endif
