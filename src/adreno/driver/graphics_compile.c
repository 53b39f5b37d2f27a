/* What of a pipeline's state the machine code of its stages depends on, and compiling them together. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/object/vk_hasher.h"

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

/* 0: a command says it. */
static uint32_t patch_points(const struct vk_graphics_state *state)
{
    return state->dynamic & VK_DYN(PATCH_CONTROL_POINTS) ? 0 : state->dyn.ts.patch_control_points;
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
    if (stages & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)
        vk_hasher_add_u32(hasher, patch_points(state));
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

static bool optimise_all(struct ir_shader *const stages[ADRENO_STAGES], char error[256])
{
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        if (stages[i] && !ir_optimise_guarded(stages[i], adreno_target(), error))
            return false;
    }
    return true;
}

static bool link_neighbours(struct ir_shader *const stages[ADRENO_STAGES], char error[256])
{
    struct ir_shader *before = NULL;
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        if (before && stages[i] && !ir_link(before, stages[i], error))
            return false;
        before = stages[i] ? stages[i] : before;
    }
    return true;
}

/* Outputs that the next stage does not read and inputs that the one before does not write are removed. With a stage
 * between the first and the last a second turn finds what became of no use in the first. */
static VkResult link_stages(struct ir_shader *const stages[ADRENO_STAGES])
{
    char error[256] = "out of memory";
    if (optimise_all(stages, error) && link_neighbours(stages, error) &&
        ((!stages[ADRENO_STAGE_GEOMETRY] && !stages[ADRENO_STAGE_EVALUATION]) || link_neighbours(stages, error)))
        return VK_SUCCESS;
    LOG_ERROR("adreno", "two stages cannot be linked: %s", error);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
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
        stages[i] = find_stage(count, jobs, (VkShaderStageFlagBits)(1u << i));
        num_stages += stages[i] != NULL;
    }
    if (num_stages > 1 && !(jobs[0].flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT))
        result = link_stages(stages);
    plan_handovers(device, state, stages, &options);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        result = adreno_shader_compile_stage(device, &jobs[i], &options, &codes_out[i]);
        for (uint32_t j = 0; result != VK_SUCCESS && j < i; j++)
            vk_code_destroy(&device->vk, codes_out[j]);
    }
    return result;
}
