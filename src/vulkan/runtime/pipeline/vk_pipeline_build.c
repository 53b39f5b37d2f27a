/* From the stages of a pipeline to its shaders: keys, lookups, the front end and the driver's compiler, and the
 * feedback about it. */
#include <string.h>
#include <time.h>

#include "compiler/ir/ir.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"

uint64_t vk_pipeline_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static VkShaderStageFlags stages_from(const struct vk_pipeline_build *build, uint32_t first)
{
    VkShaderStageFlags stages = 0;
    for (uint32_t i = first; i < build->count; i++)
        stages |= build->stages[i].info.stage;
    return stages;
}

/* Every shader depends on every stage of its pipeline, for they are compiled together. */
static void set_keys(struct vk_pipeline_build *build)
{
    const struct vk_codegen *codegen = build->device->codegen;
    static const uint8_t no_layout[VK_HASH_SIZE_B];
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    for (uint32_t i = 0; i < build->count; i++)
        vk_hasher_add(&hasher, build->stages[i].info.key, VK_HASH_SIZE_B);
    vk_hasher_add(&hasher, build->layout ? build->layout->hash : no_layout, VK_HASH_SIZE_B);
    vk_hasher_add_u32(&hasher, build->flags & VK_SHADER_CREATE_FLAGS);
    vk_hasher_add_u32(&hasher, build->state ? build->state->subsets : 0);
    if (build->state && build->state->rendering.has_locations)
        vk_hasher_add(&hasher, build->state->rendering.locations, sizeof(build->state->rendering.locations));
    if (codegen->add_to_key)
        codegen->add_to_key(build->device, build->state, stages_from(build, 0), &hasher);
    uint8_t key[VK_HASH_SIZE_B];
    vk_hasher_end(&hasher, key);
    for (uint32_t i = 0; i < build->count; i++) {
        memcpy(build->stages[i].key, key, VK_HASH_SIZE_B);
        vk_key_set_stage(build->stages[i].key, build->stages[i].info.stage);
    }
}

static bool shaders_fit(const struct vk_pipeline_build *build)
{
    struct vk_shader *shaders[VK_PIPELINE_MAX_STAGES] = {NULL};
    if (!build->device->codegen->fits)
        return true;
    for (uint32_t i = 0; i < build->count; i++)
        shaders[vk_stage_index(build->stages[i].info.stage)] = build->stages[i].shader;
    return build->device->codegen->fits(shaders);
}

static bool find_all(struct vk_pipeline_build *build)
{
    bool all = true;
    for (uint32_t i = 0; i < build->count; i++) {
        struct vk_build_stage *stage = &build->stages[i];
        uint64_t start_ns = vk_pipeline_now_ns();
        stage->shader = vk_shader_find(build->device, build->cache, stage->key, &stage->in_cache);
        stage->duration_ns += vk_pipeline_now_ns() - start_ns;
        all &= stage->shader != NULL;
    }
    return all && shaders_fit(build);
}

/* Shaders that do not fit, or that were found without the rest of their pipeline, would be found again. */
static void forget_shaders(struct vk_pipeline_build *build)
{
    for (uint32_t i = 0; i < build->count; i++) {
        if (build->stages[i].shader)
            vk_shader_forget(build->device, build->cache, build->stages[i].shader);
    }
}

static void drop_shaders(struct vk_pipeline_build *build)
{
    for (uint32_t i = 0; i < build->count; i++) {
        vk_shader_unref(build->device, build->stages[i].shader);
        build->stages[i].shader = NULL;
        build->stages[i].in_cache = false;
    }
}

static VkResult read_stage(struct vk_pipeline_build *build, struct vk_build_stage *stage, struct ir_shader **ir_out)
{
    if (!stage->kept)
        return vk_stage_compile_front(build->device, stage->create, ir_out);
    *ir_out = vk_stage_ir_clone(stage->kept);
    return *ir_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VkResult read_stages(struct vk_pipeline_build *build, struct ir_shader **irs)
{
    for (uint32_t i = 0; i < build->count; i++) {
        uint64_t start_ns = vk_pipeline_now_ns();
        VkResult result = read_stage(build, &build->stages[i], &irs[i]);
        build->stages[i].duration_ns += vk_pipeline_now_ns() - start_ns;
        if (result != VK_SUCCESS) {
            irs[i] = NULL;
            return result;
        }
    }
    return VK_SUCCESS;
}

static struct vk_stage_job job_of(const struct vk_pipeline_build *build, uint32_t index, struct ir_shader *ir)
{
    const struct vk_build_stage *stage = &build->stages[index];
    const struct vk_pipeline_layout *layout = build->layout;
    return (struct vk_stage_job){
        .stage = stage->info.stage,
        .next_stages = stages_from(build, index + 1),
        .key = stage->key,
        .ir = ir,
        .flags = build->flags & VK_SHADER_CREATE_FLAGS,
        .robustness = stage->info.robustness,
        .required_subgroup_size = stage->info.required_subgroup_size,
        .allow_varying_subgroup_size = stage->info.allow_varying_subgroup_size,
        .require_full_subgroups = stage->info.require_full_subgroups,
        .set_layouts = layout ? layout->set_layouts : NULL,
        .set_layout_count = layout ? layout->set_count : 0,
        .push = vk_pipeline_layout_push_range(layout, stage->info.stage & VK_SHADER_STAGES_OF_RAYS
                                                          ? VK_SHADER_STAGES_OF_RAYS
                                                          : (VkShaderStageFlags)stage->info.stage),
    };
}

/* Each code becomes a shader, or is destroyed. */
static VkResult load_all(struct vk_pipeline_build *build, struct vk_code *const *codes)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < build->count; i++) {
        struct vk_shader *shader;
        if (result == VK_SUCCESS)
            result = vk_shader_load(build->device, codes[i], &shader);
        if (result == VK_SUCCESS)
            build->stages[i].shader = vk_shader_publish(build->device, build->cache, shader);
        else
            vk_code_destroy(build->device, codes[i]);
    }
    if (result != VK_SUCCESS)
        drop_shaders(build);
    return result;
}

static VkResult compile_all(struct vk_pipeline_build *build, struct ir_shader *const *irs)
{
    struct vk_stage_job jobs[VK_PIPELINE_MAX_STAGES];
    struct vk_code *codes[VK_PIPELINE_MAX_STAGES];
    for (uint32_t i = 0; i < build->count; i++)
        jobs[i] = job_of(build, i, irs[i]);
    uint64_t start_ns = vk_pipeline_now_ns();
    VkResult result = build->device->codegen->compile(build->device, build->count, jobs, build->state, codes);
    if (result == VK_SUCCESS)
        result = load_all(build, codes);
    /* The compiler's time is no stage's alone. */
    uint64_t share_ns = (vk_pipeline_now_ns() - start_ns) / build->count;
    for (uint32_t i = 0; i < build->count && result == VK_SUCCESS; i++)
        build->stages[i].duration_ns += share_ns;
    return result;
}

VkResult vk_pipeline_build_shaders(struct vk_pipeline_build *build)
{
    set_keys(build);
    if (find_all(build))
        return VK_SUCCESS;
    forget_shaders(build);
    drop_shaders(build);
    if (build->flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
        return VK_PIPELINE_COMPILE_REQUIRED;
    struct ir_shader *irs[VK_PIPELINE_MAX_STAGES] = {NULL};
    VkResult result = read_stages(build, irs);
    if (result == VK_SUCCESS)
        result = compile_all(build, irs);
    for (uint32_t i = 0; i < build->count; i++) {
        if (irs[i])
            ir_shader_destroy(irs[i]);
    }
    return result;
}

void vk_pipeline_take_shaders(struct vk_pipeline *pipeline, struct vk_pipeline_build *build)
{
    for (uint32_t i = 0; i < build->count; i++) {
        struct vk_build_stage *stage = &build->stages[i];
        pipeline->stages |= stage->info.stage;
        pipeline->shaders[vk_stage_index(stage->info.stage)] = stage->shader;
        stage->shader = NULL;
    }
}

static VkPipelineCreationFeedbackFlags feedback_flags(bool in_cache)
{
    return VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
           (in_cache ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0);
}

void vk_pipeline_write_stages_feedback(const void *chain, const struct vk_build_stage *stages, uint32_t count,
                                       uint64_t start_ns, VkResult result)
{
    const VkPipelineCreationFeedbackCreateInfo *info =
        vk_find_struct_const(chain, VkPipelineCreationFeedbackCreateInfo);
    if (!info)
        return;
    bool good = result == VK_SUCCESS, all_in_cache = count > 0;
    for (uint32_t i = 0; i < info->pipelineStageCreationFeedbackCount; i++)
        info->pPipelineStageCreationFeedbacks[i] = (VkPipelineCreationFeedback){0};
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_build_stage *stage = &stages[i];
        all_in_cache &= stage->in_cache;
        if (good && stage->create && stage->feedback_index < info->pipelineStageCreationFeedbackCount)
            info->pPipelineStageCreationFeedbacks[stage->feedback_index] =
                (VkPipelineCreationFeedback){feedback_flags(stage->in_cache), stage->duration_ns};
    }
    *info->pPipelineCreationFeedback =
        good ? (VkPipelineCreationFeedback){feedback_flags(all_in_cache), vk_pipeline_now_ns() - start_ns}
             : (VkPipelineCreationFeedback){0};
}

void vk_pipeline_write_feedback(const void *chain, const struct vk_pipeline_build *build, uint64_t start_ns,
                                VkResult result)
{
    vk_pipeline_write_stages_feedback(chain, build->stages, build->count, start_ns, result);
}
