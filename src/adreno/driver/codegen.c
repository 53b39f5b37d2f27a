/* This driver's half of the runtime's pipelines. */
#include <spirv/unified1/spirv.h>

#include "adreno/driver/cmd.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

static VkResult compile_stages(struct vk_device *base, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct adreno_device *device = adreno_device_of(base);
    if (state)
        return adreno_graphics_compile(device, count, jobs, state, codes_out);
    return adreno_shader_compile_stage(device, jobs, NULL, codes_out);
}

static VkResult bake_pipeline(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    return pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS
               ? adreno_graphics_pipeline_init(device, pipeline, state, allocator)
               : VK_SUCCESS;
}

static void bind_pipeline(struct vk_command_buffer *base, struct vk_pipeline *pipeline)
{
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        adreno_graphics_bind(adreno_cmd_of(base), vk_graphics_pipeline(pipeline));
        return;
    }
    adreno_bind_compute_shader(adreno_cmd_of(base),
                               adreno_shader_of(pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_COMPUTE_BIT)]));
}

static const uint32_t refused_capabilities[] = {SpvCapabilitySparseResidency};

const struct vk_codegen adreno_codegen = {
    .limits = {.refused_capabilities = refused_capabilities,
               .num_refused_capabilities = ARRAY_SIZE(refused_capabilities),
               .max_shared_B = 32 << 10,
               .max_subgroup_size = 128,
               .buffer_alignment_B = ADRENO_BUFFER_ALIGN_B},
    .add_to_key = adreno_graphics_hash_state,
    .compile = compile_stages,
    .shader_size_B = sizeof(struct adreno_shader),
    .load = adreno_shader_load,
    .unload = adreno_shader_unload,
    .fits = adreno_graphics_fits,
    .describe = adreno_shader_describe,
    .bake = bake_pipeline,
    .unbake = adreno_graphics_pipeline_finish,
    .bind = bind_pipeline,
};
