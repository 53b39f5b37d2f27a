/* Each worker's part of the shader processor, for each address space that it has run programs of. */
#ifndef ADRENO_MODEL_HLSQ_WORKERS_H
#define ADRENO_MODEL_HLSQ_WORKERS_H

#include "adreno/model/sp/wave.h"

struct adreno_hlsq_workers *adreno_hlsq_workers_create(void);
void adreno_hlsq_workers_destroy(struct adreno_hlsq_workers *workers);

#endif
