/* The sequencer (HLSQ): state that CP_LOAD_STATE6* brings for each stage (constants, descriptors of uniform buffers,
 * textures, samplers, images) and programs as the registers describe them.
 *
 * Not for: what the command processor calls (blocks.h), how a wave runs (sp/wave.h). */
#ifndef ADRENO_MODEL_HLSQ_HLSQ_H
#define ADRENO_MODEL_HLSQ_HLSQ_H

#include "adreno/model/sp/stage_state.h"

#define ADRENO_SHARED_CONSTANTS_DW 32
#define ADRENO_SHARED_CONSTANTS_BASE_DW (504 * 4) /* where programs read them where they are enabled */

/* Everything that state loads fill. gpu->hlsq. */
struct adreno_hlsq {
    struct adreno_stage_state stages[ADRENO_STAGE_COUNT];
    uint32_t graphics_ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t compute_ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t shared_constants[2][ADRENO_SHARED_CONSTANTS_DW];         /* of graphics, of compute */
    uint32_t constants[ADRENO_STAGE_COUNT][ADRENO_WAVE_CONSTANTS_DW]; /* as the running launch sees them */
    uint64_t serial;                                                  /* of the last launch */
    struct adreno_hlsq_workers *workers;
};

/* A stage's program, resources and constants, by its registers. The launch's hooks and owner are the caller's to set
 * afterwards. Valid until the next state load. False: the job is stopped. */
bool adreno_hlsq_program(struct adreno_gpu *gpu, enum adreno_stage stage, struct adreno_launch *launch_out);

/* This worker's part of the shader processor, for launches of any stage (wave.h). Created when first asked for; from
 * `worker`'s own thread. */
struct adreno_sp *adreno_hlsq_sp(struct adreno_gpu *gpu, unsigned worker);

#endif
