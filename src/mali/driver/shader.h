/* Compiled shaders: machine code in GPU memory with the descriptors that start it. */
#ifndef MALI_DRIVER_SHADER_H
#define MALI_DRIVER_SHADER_H

#include "mali/compiler/compiler.h"
#include "mali/driver/device.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

/* Lanes of a warp: what the API calls the size of a subgroup. */
#define MALI_SUBGROUP_SIZE 16

struct mali_shader {
    struct vk_shader vk;
    struct mali_binary binary; /* all that it points to is in the code */
    struct vk_code_place place;
    uint64_t va;                  /* of the code */
    uint64_t main_va, varying_va; /* SHADER_PROGRAM descriptors; varying_va 0: there is no such program */
    uint64_t storage_va;          /* LOCAL_STORAGE */
};

static inline struct mali_shader *mali_shader_of(struct vk_shader *shader)
{
    return (struct mali_shader *)shader;
}

extern const struct vk_codegen mali_codegen; /* codegen.c */

/* Of vk_codegen. */
VkResult mali_shader_load(struct vk_device *device, struct vk_shader *shader);
void mali_shader_unload(struct vk_device *device, struct vk_shader *shader);
void mali_shader_describe(const struct vk_shader *shader, struct vk_shader_report *report);

/* One stage of a pipeline from IR to code; `stage` may be NULL. */
VkResult mali_shader_compile_stage(struct mali_device *device, const struct vk_stage_job *job,
                                   const struct mali_stage_options *stage, struct vk_code **code_out);

/* For shaders of the driver's own, which no layout of an application describes. The IR stays the caller's. */
VkResult mali_shader_compile_internal(struct mali_device *device, struct ir_shader *ir,
                                      const struct mali_compile_options *options, struct mali_shader **shader_out);

#endif
