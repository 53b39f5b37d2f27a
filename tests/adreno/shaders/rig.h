/* The shared part of run_model's two halves: a GPU with memory, dispatches (run_model.c) and draws (draw_model.c). */
#ifndef TESTS_ADRENO_SHADERS_RIG_H
#define TESTS_ADRENO_SHADERS_RIG_H

#include "adreno/compiler/compiler.h"
#include "adreno/model/gpu.h"
#include "alone.h"

#define BASE_VA ALONE_VA
#define CODE_B ALONE_CODE_B
#define SETS_B ALONE_SETS_B

struct rig {
    struct alone alone; /* first */
    struct adreno_gpu *gpu;
};

static inline void rig_put64(struct adreno_gpu *gpu, uint32_t reg, uint64_t value)
{
    gpu->regs[reg] = (uint32_t)value;
    gpu->regs[reg + 1] = (uint32_t)(value >> 32);
}

/* A program's constants. */
void rig_write_constants(uint32_t *constants, const struct adreno_binary *binary, uint64_t code_va,
                         const struct world *world, const uint32_t groups[3]);

/* Draws the job's shader with the corpus' own for the other stage. The buffers of the world and their descriptors are
 * in memory already; the targets are left in `world`. False with a reason, or none where the model has it. */
bool rig_draw(struct rig *rig, const struct job *job, const struct adreno_compile_options *options, struct world *world,
              char error_out[512]);

#endif
