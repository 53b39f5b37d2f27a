/* Stages of a pipeline before they are compiled. */
#include "vulkan/runtime/pipeline/vk_link.h"

#include "compiler/ir/ir.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

struct ir_shader *vk_find_stage(uint32_t count, const struct vk_stage_job *jobs, VkShaderStageFlagBits stage)
{
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].stage == stage)
            return jobs[i].ir;
    }
    return NULL;
}

static bool optimise_all(struct ir_shader *const stages[], unsigned count, const struct ir_target *target,
                         char error[256])
{
    for (unsigned i = 0; i < count; i++) {
        if (stages[i] && !ir_optimise_guarded(stages[i], target, error))
            return false;
    }
    return true;
}

static bool link_neighbours(struct ir_shader *const stages[], unsigned count, char error[256])
{
    struct ir_shader *before = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (before && stages[i] && !ir_link(before, stages[i], error))
            return false;
        before = stages[i] ? stages[i] : before;
    }
    return true;
}

VkResult vk_link_stages(struct ir_shader *const stages[], unsigned count, unsigned turns,
                        const struct ir_target *target)
{
    char error[256] = "out of memory";
    bool is_done = optimise_all(stages, count, target, error);
    for (unsigned i = 0; is_done && i < turns; i++)
        is_done = link_neighbours(stages, count, error);
    if (is_done)
        return VK_SUCCESS;
    LOG_ERROR("vulkan", "two stages cannot be linked: %s", error);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

bool vk_is_per_sample(const struct vk_graphics_state *state)
{
    const uint32_t samples = state->dynamic & VK_DYN(SAMPLES) ? 0 : MAX2(state->dyn.ms.samples, 1);
    return state->sample_shading_enable && (samples == 0 || state->min_sample_shading * (float)samples > 1.0f);
}
