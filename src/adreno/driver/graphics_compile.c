/* The part of a pipeline's state that the machine code of its stages depends on, and compiling them together. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/pipeline/vk_link.h"

/* Where the hardware knows how many views there are and not which: those of a mask with gaps. */
static uint32_t masked_views(const struct adreno_device *device, const struct vk_graphics_state *state)
{
    const uint32_t mask = state->rendering.view_mask;
    return device->chip->has_multiview_mask || (mask & (mask + 1)) == 0 ? 0 : mask;
}

/* 0: a command says it. */
static uint32_t patch_points(const struct vk_graphics_state *state)
{
    return state->dynamic & VK_DYN(PATCH_CONTROL_POINTS) ? 0 : state->dyn.ts.patch_control_points;
}

static struct adreno_stage_options options_of(const struct adreno_device *device, const struct vk_graphics_state *state)
{
    return (struct adreno_stage_options){
        .vs = {.view_mask = masked_views(device, state)},
        .fs = {.is_per_sample = vk_is_per_sample(state), .is_multiview = state->rendering.view_mask != 0},
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
    if (stages & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)
        vk_hasher_add_u32(hasher, patch_points(state));
    if (stages & VK_SHADER_STAGE_FRAGMENT_BIT)
        vk_hasher_add_u32(hasher, (uint32_t)options.fs.is_per_sample | (uint32_t)options.fs.is_multiview << 1);
}

static void plan_handovers(const struct adreno_device *device, const struct vk_graphics_state *state,
                           struct ir_shader *const stages[ADRENO_STAGES], struct adreno_stage_options *options)
{
    const struct ir_shader *vertex = stages[ADRENO_STAGE_VERTEX], *control = stages[ADRENO_STAGE_CONTROL],
                           *evaluation = stages[ADRENO_STAGE_EVALUATION], *geometry = stages[ADRENO_STAGE_GEOMETRY];
    if (geometry)
        adreno_plan_handover(evaluation ? evaluation : vertex, geometry, geometry->gs.vertices_in, &options->geometry);
    if (!control || !evaluation)
        return;
    adreno_plan_control(vertex, control, device->chip, patch_points(state), &options->control);
    adreno_plan_tess(control, evaluation, &options->tess);
}

VkResult adreno_graphics_compile(struct adreno_device *device, uint32_t count, const struct vk_stage_job *jobs,
                                 const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    struct ir_shader *stages[ADRENO_STAGES];
    unsigned num_stages = 0;
    struct adreno_stage_options options = options_of(device, state);
    VkResult result = VK_SUCCESS;
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        stages[i] = vk_find_stage(count, jobs, (VkShaderStageFlagBits)(1u << i));
        num_stages += stages[i] != NULL;
    }
    if (num_stages > 1 && !(jobs[0].flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT))
        result =
            vk_link_stages(stages, ADRENO_STAGES,
                           stages[ADRENO_STAGE_GEOMETRY] || stages[ADRENO_STAGE_EVALUATION] ? 2 : 1, adreno_target());
    plan_handovers(device, state, stages, &options);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        result = adreno_shader_compile_stage(device, &jobs[i], &options, &codes_out[i]);
        for (uint32_t j = 0; result != VK_SUCCESS && j < i; j++)
            vk_code_destroy(&device->vk, codes_out[j]);
    }
    return result;
}
