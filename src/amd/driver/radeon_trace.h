/* Launches of rays: what a device has for all of them, and what a pipeline has ready for a bind. */
#ifndef AMD_DRIVER_RADEON_TRACE_H
#define AMD_DRIVER_RADEON_TRACE_H

#include "amd/driver/radeon_shader.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

void radeon_traces_init(struct radeon_device *device);
void radeon_traces_finish(struct radeon_device *device);

/* driver_data of a ray tracing pipeline. */
struct radeon_ray_pipeline {
    struct radeon_shader entries[RADEON_ENTRIES]; /* with what this pipeline needs of registers; no references */
    uint32_t stack_B;                             /* of a lane, beside what shaders of the application need */
};

/* Of vk_codegen. */
VkResult radeon_ray_pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                                  const VkAllocationCallbacks *allocator);
void radeon_ray_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                                const VkAllocationCallbacks *allocator);
uint32_t radeon_ray_stack_B(const struct vk_shader *shader);
void radeon_ray_handle(const struct vk_ray_group *group, uint8_t handle_out[VK_RAY_HANDLE_B]);
VkResult radeon_ray_compile(struct radeon_device *device, const struct vk_stage_job *job, struct vk_code **code_out);

#endif
