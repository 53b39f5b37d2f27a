/* The command processor: runs a job's buffers, packet by packet, and calls the other blocks (blocks.h). For the engine;
 * what the files of this folder share is in cp_machine.h. */
#ifndef ADRENO_MODEL_CP_H
#define ADRENO_MODEL_CP_H

#include "adreno/model/gpu.h"

struct drm_engine_result;
struct adreno_crash;
struct adreno_work;

bool adreno_cp_create(struct adreno_gpu *gpu); /* sets gpu->cp; false: no memory */
void adreno_cp_destroy(struct adreno_gpu *gpu);
void adreno_cp_reset(struct adreno_gpu *gpu);

/* Run the buffers one after the other, with gpu->space, gpu->killed and the others of a job set. False after a stop,
 * whose text then has the place in the stream, too. */
bool adreno_cp_run(struct adreno_gpu *gpu, const struct adreno_work *work);
/* After a stop: which buffers the command processor was in. */
void adreno_cp_crash_place(const struct adreno_gpu *gpu, struct adreno_crash *crash);

#endif
