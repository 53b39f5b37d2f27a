/* Compiled shaders: machine code in GPU memory with what must be programmed to start it. */
#ifndef ADRENO_DRIVER_SHADER_H
#define ADRENO_DRIVER_SHADER_H

#include "adreno/compiler/compiler.h"
#include "adreno/driver/device.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

/* Fibers of a wave where a program can know it: what the API calls the size of a subgroup. */
#define ADRENO_SUBGROUP_SIZE 128

struct adreno_shader {
    struct vk_shader vk;
    struct adreno_binary binary; /* all that it points to is in the code */
    struct vk_code_place place;
    uint64_t va;
    struct adreno_private private; /* size_B_of_fiber 0: none */
    /* Of the last stage before the rasteriser: the version for binning passes, which has nothing of `vk`. NULL: the
     * same serves there. */
    struct adreno_shader *binning;
};

static inline struct adreno_shader *adreno_shader_of(struct vk_shader *shader)
{
    return (struct adreno_shader *)shader;
}

extern const struct vk_codegen adreno_codegen; /* codegen.c */

/* Of vk_codegen. */
VkResult adreno_shader_load(struct vk_device *device, struct vk_shader *shader);
void adreno_shader_unload(struct vk_device *device, struct vk_shader *shader);
void adreno_shader_describe(const struct vk_shader *shader, struct vk_shader_report *report);

/* One stage of a pipeline from IR to code; `stage` may be NULL. */
VkResult adreno_shader_compile_stage(struct adreno_device *device, const struct vk_stage_job *job,
                                     const struct adreno_stage_options *stage, struct vk_code **code_out);

/* For shaders of the driver's own, which no layout of an application describes. The IR stays the caller's. */
VkResult adreno_shader_compile_internal(struct adreno_device *device, struct ir_shader *ir,
                                        const struct adreno_compile_options *options,
                                        struct adreno_shader **shader_out);

#endif
