/* Registers of a plain draw, for tests of whole draws. */
#ifndef ADRENO_MODEL_PC_TESTS_PLAIN_STATE_H
#define ADRENO_MODEL_PC_TESTS_PLAIN_STATE_H

#include "adreno/model/gpu.h"

#define PLAIN_SIZE 128 /* of the picture */

/* A viewport and scissors of the whole picture, no inputs, position in r0 and two varyings in r1.xy, fragments with i,
 * j in r0.xy and colour in r2. */
void plain_state_set(struct adreno_gpu *gpu);

/* Attribute 0: a vec4 of floats for each vertex, in r0. */
void plain_state_positions(struct adreno_gpu *gpu, uint64_t va, unsigned count);

#endif
