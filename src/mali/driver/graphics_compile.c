/* The part of a pipeline's state that the machine code of its stages depends on, and compiling them together. */
#include "compiler/ir/ir.h"
#include "mali/driver/cmd.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/pipeline/vk_link.h"

static struct mali_stage_options options_of(const struct vk_graphics_state *state)
{
    return (struct mali_stage_options){
        .vs = {.view_mask = (uint8_t)state->rendering.view_mask},
        .fs = {.is_per_sample = vk_is_per_sample(state),
               .blend_shaders = mali_blend_shader_targets(state),
               .samples = state->dynamic & VK_DYN(SAMPLES) ? 0 : (uint8_t)MAX2(state->dyn.ms.samples, 1)},
    };
}

void mali_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                              VkShaderStageFlags stages, struct vk_hasher *hasher)
{
    if (!state)
        return;
    const struct mali_stage_options options = options_of(state);
    vk_hasher_add_u32(hasher, options.vs.view_mask);
    if (stages & VK_SHADER_STAGE_FRAGMENT_BIT)
        vk_hasher_add_u32(hasher, (uint32_t)options.fs.is_per_sample | (uint32_t)options.fs.samples << 8 |
                                      (uint32_t)options.fs.blend_shaders << 16);
}

VkResult mali_graphics_compile(struct mali_device *device, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct ir_shader *vertex = vk_find_stage(count, jobs, VK_SHADER_STAGE_VERTEX_BIT),
                     *fragment = vk_find_stage(count, jobs, VK_SHADER_STAGE_FRAGMENT_BIT);
    struct mali_stage_options options = options_of(state);
    struct mali_varying_layout varyings = {0};
    VkResult result = VK_SUCCESS;
    if (vertex && fragment && !(jobs[0].flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT))
        result = vk_link_stages((struct ir_shader *const[]){vertex, fragment}, 2, 1, mali_target());
    if (vertex && fragment) {
        mali_varyings_of_fragment(fragment, &varyings);
        options.varyings = &varyings;
    }
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        result = mali_shader_compile_stage(device, &jobs[i], &options, &codes_out[i]);
        for (uint32_t j = 0; result != VK_SUCCESS && j < i; j++)
            vk_code_destroy(&device->vk, codes_out[j]);
    }
    return result;
}
