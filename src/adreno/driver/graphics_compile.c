/* What of a pipeline's state the machine code of its stages depends on, and compiling them together. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/vk_hasher.h"

/* At least the asked fraction of samples: all of them, where it is more than one. */
static bool is_per_sample(const struct vk_graphics_state *state)
{
    const uint32_t samples = state->dynamic & VK_DYN(SAMPLES) ? 0 : MAX2(state->dyn.ms.samples, 1);
    return state->sample_shading_enable && (samples == 0 || state->min_sample_shading * (float)samples > 1.0f);
}

/* Where the hardware knows how many views there are and not which: those of a mask with gaps. */
static uint32_t masked_views(const struct adreno_device *device, const struct vk_graphics_state *state)
{
    const uint32_t mask = state->rendering.view_mask;
    return device->chip->has_multiview_mask || (mask & (mask + 1)) == 0 ? 0 : mask;
}

static struct adreno_stage_options options_of(const struct adreno_device *device, const struct vk_graphics_state *state)
{
    return (struct adreno_stage_options){
        .vs = {.view_mask = masked_views(device, state)},
        .fs = {.is_per_sample = is_per_sample(state), .is_multiview = state->rendering.view_mask != 0},
    };
}

void adreno_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                                VkShaderStageFlags stages, struct vk_hasher *hasher)
{
    if (!state)
        return;
    const struct adreno_stage_options options = options_of(adreno_device_of(device), state);
    if (stages & VK_SHADER_STAGE_VERTEX_BIT)
        vk_hasher_add_u32(hasher, options.vs.view_mask);
    if (stages & VK_SHADER_STAGE_FRAGMENT_BIT)
        vk_hasher_add_u32(hasher, (uint32_t)options.fs.is_per_sample | (uint32_t)options.fs.is_multiview << 1);
}

static struct ir_shader *find_stage(uint32_t count, const struct vk_stage_job *jobs, VkShaderStageFlagBits stage)
{
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].stage == stage)
            return jobs[i].ir;
    }
    return NULL;
}

/* Outputs that the fragment shader does not read and inputs that the vertex shader does not write are removed. */
static VkResult link_stages(struct ir_shader *vertex, struct ir_shader *fragment)
{
    const struct ir_target *target = adreno_target();
    char error[256] = "out of memory";
    if (ir_optimise_guarded(vertex, target, error) && ir_optimise_guarded(fragment, target, error) &&
        ir_link(vertex, fragment, error))
        return VK_SUCCESS;
    LOG_ERROR("adreno", "two stages cannot be linked: %s", error);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult adreno_graphics_compile(struct adreno_device *device, uint32_t count, const struct vk_stage_job *jobs,
                                 const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct ir_shader *vertex = find_stage(count, jobs, VK_SHADER_STAGE_VERTEX_BIT),
                     *fragment = find_stage(count, jobs, VK_SHADER_STAGE_FRAGMENT_BIT);
    const struct adreno_stage_options options = options_of(device, state);
    VkResult result = VK_SUCCESS;
    if (vertex && fragment && !(jobs[0].flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT))
        result = link_stages(vertex, fragment);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        result = adreno_shader_compile_stage(device, &jobs[i], &options, &codes_out[i]);
        for (uint32_t j = 0; result != VK_SUCCESS && j < i; j++)
            vk_code_destroy(&device->vk, codes_out[j]);
    }
    return result;
}
