/* The sequencer (HLSQ): state that CP_LOAD_STATE6* brings for each stage (constants, descriptors of uniform buffers,
 * textures, samplers, images) and programs as the registers describe them.
 *
 * Not for: what the command processor calls (blocks.h), how a wave runs (sp/wave.h). */
#ifndef ADRENO_MODEL_HLSQ_HLSQ_H
#define ADRENO_MODEL_HLSQ_HLSQ_H

#include "adreno/model/sp/wave.h"

#define ADRENO_DESCRIPTOR_DW 16 /* of a texture, an image or a buffer */
#define ADRENO_SAMPLER_DW 4
#define ADRENO_UBO_DW 2
#define ADRENO_BINDLESS_SETS 5

#define ADRENO_MAX_TEXTURES 128
#define ADRENO_MAX_SAMPLERS 32
#define ADRENO_MAX_UBOS 64
#define ADRENO_MAX_IBOS 64
#define ADRENO_SHARED_CONSTANTS_DW 32
#define ADRENO_SHARED_CONSTANTS_BASE_DW (504 * 4) /* where programs read them where they are enabled */

/* What one stage was given. */
struct adreno_stage_state {
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    uint32_t ubos[ADRENO_MAX_UBOS][ADRENO_UBO_DW];
    uint32_t textures[ADRENO_MAX_TEXTURES][ADRENO_DESCRIPTOR_DW];
    uint32_t samplers[ADRENO_MAX_SAMPLERS][ADRENO_SAMPLER_DW];
    const uint32_t (*ibos)[ADRENO_DESCRIPTOR_DW]; /* the graphics stages have theirs in common */
    uint64_t bindless_va[ADRENO_BINDLESS_SETS];   /* as of the last adreno_hlsq_program() */
    uint64_t loads;                               /* counts what was loaded: another number, other contents */
};

/* Everything that state loads fill. gpu->hlsq. */
struct adreno_hlsq {
    struct adreno_stage_state stages[ADRENO_STAGE_COUNT];
    uint32_t graphics_ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t compute_ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t shared_constants[2][ADRENO_SHARED_CONSTANTS_DW];         /* of graphics, of compute */
    uint32_t constants[ADRENO_STAGE_COUNT][ADRENO_WAVE_CONSTANTS_DW]; /* as the running launch sees them */
    uint64_t serial;                                                  /* of the last launch */
    _Atomic uint64_t code_epoch; /* grows when programs in memory may have changed */
    struct adreno_hlsq_workers *workers;
};

/* A stage's program, resources and constants, by its registers. The launch's hooks and owner are the caller's to set
 * afterwards. Valid until the next state load. False: the job is stopped. */
bool adreno_hlsq_program(struct adreno_gpu *gpu, enum adreno_stage stage, struct adreno_launch *launch_out);

/* This worker's part of the shader processor, for launches of any stage (wave.h). Created when first asked for; from
 * `worker`'s own thread. */
struct adreno_sp *adreno_hlsq_sp(struct adreno_gpu *gpu, unsigned worker);

#endif
