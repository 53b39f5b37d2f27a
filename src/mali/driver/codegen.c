/* This driver's half of the runtime's pipelines. */
#include <spirv/unified1/spirv.h>

#include "mali/driver/cmd.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

static VkResult compile_stages(struct vk_device *base, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct mali_device *device = mali_device_of(base);
    if (state)
        return mali_graphics_compile(device, count, jobs, state, codes_out);
    return mali_shader_compile_stage(device, jobs, NULL, codes_out);
}

static VkResult bake_pipeline(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    return pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS
               ? mali_graphics_pipeline_init(device, pipeline, state, allocator)
               : VK_SUCCESS;
}

static void bind_pipeline(struct vk_command_buffer *base, struct vk_pipeline *pipeline)
{
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        mali_graphics_bind(mali_cmd_of(base), vk_graphics_pipeline(pipeline));
        return;
    }
    mali_bind_compute_shader(mali_cmd_of(base),
                             mali_shader_of(pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_COMPUTE_BIT)]));
}

static const uint32_t refused_capabilities[] = {SpvCapabilitySparseResidency};

const struct vk_codegen mali_codegen = {
    .limits = {.refused_capabilities = refused_capabilities,
               .num_refused_capabilities = ARRAY_SIZE(refused_capabilities),
               .max_shared_B = 32 << 10,
               .max_subgroup_size = MALI_SUBGROUP_SIZE,
               .buffer_alignment_B = 16},
    .add_to_key = mali_graphics_hash_state,
    .compile = compile_stages,
    .shader_size_B = sizeof(struct mali_shader),
    .load = mali_shader_load,
    .unload = mali_shader_unload,
    .describe = mali_shader_describe,
    .bake = bake_pipeline,
    .unbake = mali_graphics_pipeline_finish,
    .bind = bind_pipeline,
};
