/* A stage's inputs besides its program: constants and descriptors. The sequencer fills it (hlsq/hlsq.h), programs
 * read it. */
#ifndef ADRENO_MODEL_SP_STAGE_STATE_H
#define ADRENO_MODEL_SP_STAGE_STATE_H

#include "adreno/model/sp/wave.h"

#define ADRENO_DESCRIPTOR_DW 16 /* of a texture, an image or a buffer */
#define ADRENO_SAMPLER_DW 4
#define ADRENO_UBO_DW 2
#define ADRENO_BINDLESS_SETS 5

#define ADRENO_MAX_TEXTURES 128
#define ADRENO_MAX_SAMPLERS 32
#define ADRENO_MAX_UBOS 64
#define ADRENO_MAX_IBOS 64
/* The constants and descriptors of one stage. */
struct adreno_stage_state {
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    uint32_t ubos[ADRENO_MAX_UBOS][ADRENO_UBO_DW];
    uint32_t textures[ADRENO_MAX_TEXTURES][ADRENO_DESCRIPTOR_DW];
    uint32_t samplers[ADRENO_MAX_SAMPLERS][ADRENO_SAMPLER_DW];
    const uint32_t (*ibos)[ADRENO_DESCRIPTOR_DW]; /* the graphics stages have theirs in common */
    uint64_t bindless_va[ADRENO_BINDLESS_SETS];   /* as of the last adreno_hlsq_program() */
    uint64_t loads;                               /* counts what was loaded: another number, other contents */
};

#endif
