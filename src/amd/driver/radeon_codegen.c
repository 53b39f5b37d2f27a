/* This driver's half of the runtime's pipelines. */
#include <assert.h>

#include "amd/driver/radeon_trace.h"

static VkResult compile_stages(struct vk_device *base, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct radeon_device *device = radeon_device_of(base);
    if (state)
        return radeon_graphics_compile(device, count, jobs, state, codes_out);
    assert(count == 1);
    if (jobs->stage & VK_SHADER_STAGES_OF_RAYS)
        return radeon_ray_compile(device, jobs, codes_out);
    return radeon_shader_compile_stage(device, jobs, NULL, 0, codes_out);
}

static VkResult bake_pipeline(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
        return radeon_ray_pipeline_init(device, pipeline, allocator);
    return pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS
               ? radeon_graphics_pipeline_init(device, pipeline, state, allocator)
               : VK_SUCCESS;
}

static void release_baked(struct vk_device *device, struct vk_pipeline *pipeline,
                          const VkAllocationCallbacks *allocator)
{
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
        radeon_graphics_pipeline_finish(device, pipeline, allocator);
    else if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
        radeon_ray_pipeline_finish(device, pipeline, allocator);
}

const struct vk_codegen radeon_codegen = {
    .limits = {.max_shared_B = 64 << 10, .buffer_alignment_B = 4},
    .add_to_key = radeon_graphics_hash_state,
    .compile = compile_stages,
    .compiles_parts = true,
    .shader_size_B = sizeof(struct radeon_shader),
    .load = radeon_shader_load,
    .unload = radeon_shader_unload,
    .fits = radeon_graphics_fits,
    .describe = radeon_shader_describe,
    .ray_stack_B = radeon_ray_stack_B,
    .ray_handle = radeon_ray_handle,
    .bake = bake_pipeline,
    .unbake = release_baked,
};
