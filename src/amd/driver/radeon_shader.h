/* Compiled shaders: machine code in GPU memory with what must be programmed to start it. */
#ifndef AMD_DRIVER_RADEON_SHADER_H
#define AMD_DRIVER_RADEON_SHADER_H

#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

struct radeon_shader {
    struct vk_shader vk;
    struct amd_binary binary; /* all that it points to is in the code, but for: */
    struct amd_statistics statistics;
    struct vk_code_place place;
    uint64_t va;
    struct radeon_push_area area;
    uint32_t scratch_B_per_wave;
    /* Of a vertex shader that was compiled without its fragment shader: the one for fragment shaders that read a
     * primitive's number. NULL: all are served. */
    struct radeon_shader *with_primitive_id;
    uint32_t sets_used; /* by number: sets whose pointers it reads, by themselves or from a table */
};

static inline struct radeon_shader *radeon_shader_of(struct vk_shader *shader)
{
    return (struct radeon_shader *)shader;
}

extern const struct vk_codegen radeon_codegen; /* radeon_codegen.c */

/* Of vk_codegen. */
VkResult radeon_shader_load(struct vk_device *device, struct vk_shader *shader);
void radeon_shader_unload(struct vk_device *device, struct vk_shader *shader);
void radeon_shader_describe(const struct vk_shader *shader, struct vk_shader_report *report);

/* One stage of a pipeline from IR to code. `stage` may be NULL for compute; wave_size 0 lets the driver's rule choose.
 */
VkResult radeon_shader_compile_stage(struct radeon_device *device, const struct vk_stage_job *job,
                                     const struct amd_stage_options *stage, uint8_t wave_size,
                                     struct vk_code **code_out);

/* A vertex shader, the first job, and the geometry shader after it: one program, which is the vertex shader's code; the
 * other code is empty, or the copy shader of a geometry shader that is captured. */
VkResult radeon_shader_compile_geometry(struct radeon_device *device, const struct vk_stage_job jobs[2],
                                        struct amd_stage_options *stage, uint8_t wave_size,
                                        struct vk_code *codes_out[2]);

/* A vertex and a tessellation control shader; then an evaluation shader and, if there is one, the geometry shader
 * after it. */
VkResult radeon_shader_compile_hull(struct radeon_device *device, const struct vk_stage_job jobs[2],
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code *codes_out[2]);
VkResult radeon_shader_compile_evaluation(struct radeon_device *device, const struct vk_stage_job *jobs,
                                          bool has_geometry, struct amd_stage_options *stage, uint8_t wave_size,
                                          struct vk_code **codes_out);

/* One code of two: the second is what runs where the fragment shader reads a primitive's number. Both are destroyed.
 * NULL without memory, of which the second's being NULL speaks, too. */
struct vk_code *radeon_shader_join(struct radeon_device *device, struct vk_code *code, struct vk_code *other);

/* radeon_graphics_compile.c: all graphics stages of a pipeline. */
VkResult radeon_graphics_compile(struct radeon_device *device, uint32_t count, const struct vk_stage_job *jobs,
                                 const struct vk_graphics_state *state, struct vk_code **codes_out);
void radeon_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                                VkShaderStageFlags stages, struct vk_hasher *hasher);
bool radeon_graphics_fits(struct vk_shader *const *shaders); /* vk_codegen::fits */
VkResult radeon_graphics_pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                                       const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator);
void radeon_graphics_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                                     const VkAllocationCallbacks *allocator);

/* A task shader; a mesh shader. */
VkResult radeon_shader_compile_task(struct radeon_device *device, const struct vk_stage_job *job,
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code **code_out);
VkResult radeon_shader_compile_mesh(struct radeon_device *device, const struct vk_stage_job *job,
                                    struct amd_stage_options *stage, uint8_t wave_size, struct vk_code **code_out);

/* For shaders of the driver's own, which no layout of an application describes. The IR stays the caller's. */
VkResult radeon_shader_compile_internal(struct radeon_device *device, struct ir_shader *ir,
                                        const struct amd_compile_options *options, struct radeon_shader **shader_out);
void radeon_shader_unref(struct radeon_device *device, struct radeon_shader *shader);

#endif
