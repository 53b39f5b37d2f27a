/* Ray tracing pipelines: their shaders, which are compiled one by one, their groups, libraries, and what applications
 * ask about them. */
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_flags.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"

/* One pipeline that is being made. */
struct making {
    const struct vk_pipeline_batch *batch;
    const VkRayTracingPipelineCreateInfoKHR *info;
    VkPipelineCreateFlags flags;
    struct vk_pipeline_layout *layout; /* borrowed */
    struct vk_build_stage *stages;     /* of the create info, for the feedback; without their shaders */
    uint32_t built;                    /* of them */
    struct vk_ray_pipeline *pipeline;
};

static const struct vk_ray_pipeline *library_of(const struct making *making, uint32_t index)
{
    return vk_ray_pipeline(vk_pipeline_from_handle(making->info->pLibraryInfo->pLibraries[index]));
}

static uint32_t library_count(const struct making *making)
{
    return making->info->pLibraryInfo ? making->info->pLibraryInfo->libraryCount : 0;
}

/* ---- memory ---- */

/* A whole pipeline in one piece: the shaders and the groups of the create info and of all libraries. */
static bool allocate_pipeline(struct making *making)
{
    size_t shaders = making->info->stageCount, groups = making->info->groupCount;
    for (uint32_t i = 0; i < library_count(making); i++) {
        shaders += library_of(making, i)->shader_count;
        groups += library_of(making, i)->group_count;
    }
    struct vk_ray_pipeline *pipeline = vk_pipeline_create(
        making->batch, sizeof(*pipeline) + shaders * sizeof(*pipeline->shaders) + groups * sizeof(*pipeline->groups),
        VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, making->flags, making->layout);
    if (!pipeline)
        return false;
    pipeline->groups = (struct vk_ray_group *)(pipeline + 1);
    pipeline->shaders = (struct vk_shader **)(pipeline->groups + groups);
    making->pipeline = pipeline;
    return true;
}

void vk_ray_pipeline_release(struct vk_ray_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->shader_count; i++)
        vk_shader_unref(pipeline->base.base.device, pipeline->shaders[i]);
}

/* ---- shaders ---- */

static VkResult build_stage(struct making *making, uint32_t index)
{
    const struct vk_pipeline_batch *batch = making->batch;
    struct vk_pipeline_build build = {
        .device = batch->device,
        .cache = batch->cache,
        .flags = making->flags,
        .layout = making->layout,
        .count = 1,
        .stages[0] = {.create = &making->info->pStages[index], .feedback_index = index},
    };
    if (!vk_stage_info_init(&build.stages[0].info, batch->device, build.stages[0].create, making->info->pNext))
        return VK_PIPELINE_COMPILE_REQUIRED;
    VkResult result = vk_pipeline_build_shaders(&build);
    if (result != VK_SUCCESS)
        return result;
    struct vk_ray_pipeline *pipeline = making->pipeline;
    pipeline->shaders[pipeline->shader_count++] = build.stages[0].shader;
    pipeline->base.stages |= build.stages[0].info.stage;
    making->stages[making->built] = build.stages[0];
    making->stages[making->built++].shader = NULL;
    return VK_SUCCESS;
}

static struct vk_shader *shader_of(const struct making *making, uint32_t stage)
{
    return stage == VK_SHADER_UNUSED_KHR ? NULL : making->pipeline->shaders[stage];
}

/* The create info's stages are the first of the shaders. */
static void add_groups(struct making *making)
{
    for (uint32_t i = 0; i < making->info->groupCount; i++) {
        const VkRayTracingShaderGroupCreateInfoKHR *group = &making->info->pGroups[i];
        const bool is_general = group->type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
                   is_procedural = group->type == VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
        making->pipeline->groups[making->pipeline->group_count++] = (struct vk_ray_group){
            .type = group->type,
            .main = shader_of(making, is_general ? group->generalShader : group->closestHitShader),
            .any_hit = is_general ? NULL : shader_of(making, group->anyHitShader),
            .intersection = is_procedural ? shader_of(making, group->intersectionShader) : NULL,
        };
    }
}

static void add_library(struct vk_ray_pipeline *pipeline, const struct vk_ray_pipeline *library)
{
    for (uint32_t i = 0; i < library->shader_count; i++)
        pipeline->shaders[pipeline->shader_count++] = vk_shader_ref(library->shaders[i]);
    memcpy(pipeline->groups + pipeline->group_count, library->groups, library->group_count * sizeof(*library->groups));
    pipeline->group_count += library->group_count;
    pipeline->base.stages |= library->base.stages;
}

/* ---- the stack ---- */

static uint32_t largest_of(const struct vk_ray_pipeline *pipeline, VkShaderStageFlagBits stage)
{
    const struct vk_codegen *codegen = pipeline->base.base.device->codegen;
    uint32_t most_B = 0;
    for (uint32_t i = 0; i < pipeline->shader_count; i++) {
        if (vk_shader_stage(pipeline->shaders[i]) == stage)
            most_B = MAX2(most_B, codegen->ray_stack_B(pipeline->shaders[i]));
    }
    return most_B;
}

/* "Ray Tracing Pipeline Stack" has this sum for pipelines whose stack size is not dynamic. */
static uint32_t sum_of_stack(const struct vk_ray_pipeline *pipeline)
{
    const uint32_t hit_B = largest_of(pipeline, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR),
                   miss_B = largest_of(pipeline, VK_SHADER_STAGE_MISS_BIT_KHR), ray_B = MAX2(hit_B, miss_B),
                   test_B = largest_of(pipeline, VK_SHADER_STAGE_INTERSECTION_BIT_KHR) +
                            largest_of(pipeline, VK_SHADER_STAGE_ANY_HIT_BIT_KHR),
                   depth = pipeline->max_depth;
    return largest_of(pipeline, VK_SHADER_STAGE_RAYGEN_BIT_KHR) + (depth ? MAX2(ray_B, test_B) : 0) +
           (depth > 1 ? (depth - 1) * ray_B : 0) + 2 * largest_of(pipeline, VK_SHADER_STAGE_CALLABLE_BIT_KHR);
}

static bool has_dynamic_stack(const VkPipelineDynamicStateCreateInfo *info)
{
    for (uint32_t i = 0; info && i < info->dynamicStateCount; i++) {
        if (info->pDynamicStates[i] == VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR)
            return true;
    }
    return false;
}

/* ---- creation ---- */

static VkResult fill_pipeline(struct making *making)
{
    struct vk_ray_pipeline *pipeline = making->pipeline;
    for (uint32_t i = 0; i < making->info->stageCount; i++) {
        VkResult result = build_stage(making, i);
        if (result != VK_SUCCESS)
            return result;
    }
    add_groups(making);
    for (uint32_t i = 0; i < library_count(making); i++)
        add_library(pipeline, library_of(making, i));
    pipeline->max_depth = making->info->maxPipelineRayRecursionDepth;
    pipeline->has_dynamic_stack = has_dynamic_stack(making->info->pDynamicState);
    pipeline->stack_B = sum_of_stack(pipeline);
    return VK_SUCCESS;
}

static VkResult make_pipeline(struct making *making, VkPipeline *pipeline_out)
{
    const VkAllocationCallbacks *allocator = making->batch->allocator;
    if (!allocate_pipeline(making))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vk_pipeline *pipeline = &making->pipeline->base;
    VkResult result = fill_pipeline(making);
    if (result != VK_SUCCESS)
        vk_pipeline_destroy(pipeline, allocator);
    else if (!(making->flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        result = vk_pipeline_bake(pipeline, NULL, allocator);
    *pipeline_out = vk_pipeline_to_handle(pipeline);
    return result;
}

static VkResult create_one(const struct vk_pipeline_batch *batch, uint32_t index, VkPipeline *pipeline_out,
                           VkPipelineCreateFlags *flags_out)
{
    const VkRayTracingPipelineCreateInfoKHR *info = (const VkRayTracingPipelineCreateInfoKHR *)batch->infos + index;
    const VkAllocationCallbacks *alloc = &batch->device->alloc;
    const uint64_t start_ns = vk_pipeline_now_ns();
    struct making making = {
        .batch = batch,
        .info = info,
        .flags = *flags_out = vk_pipeline_create_flags(info->pNext, info->flags),
        .layout = vk_pipeline_layout_from_handle(info->layout),
        .stages =
            vk_alloc(alloc, NULL, (info->stageCount + 1) * sizeof(*making.stages), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND),
    };
    if (!making.stages)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = make_pipeline(&making, pipeline_out);
    vk_pipeline_write_stages_feedback(info->pNext, making.stages, making.built, start_ns, result);
    vk_free(alloc, NULL, making.stages);
    return result;
}

/* Nothing is deferred (vk_deferred_operation.c), which a caller that asked for it is told. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateRayTracingPipelinesKHR(VkDevice handle, VkDeferredOperationKHR operation,
                                                                      VkPipelineCache cache, uint32_t count,
                                                                      const VkRayTracingPipelineCreateInfoKHR *infos,
                                                                      const VkAllocationCallbacks *allocator,
                                                                      VkPipeline *pipelines_out)
{
    const struct vk_pipeline_batch batch = {
        vk_device_from_handle(handle), vk_pipeline_cache_from_handle(cache), allocator, count, infos, create_one};
    const VkResult result = vk_pipeline_create_batch(&batch, pipelines_out);
    return operation && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

/* ---- questions ---- */

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetRayTracingShaderGroupHandlesKHR(VkDevice handle, VkPipeline pipeline_handle,
                                                                            uint32_t first, uint32_t count,
                                                                            size_t size_B, void *data)
{
    const struct vk_codegen *codegen = vk_device_from_handle(handle)->codegen;
    const struct vk_ray_pipeline *pipeline = vk_ray_pipeline(vk_pipeline_from_handle(pipeline_handle));
    uint8_t *bytes = data;
    for (uint32_t i = 0; i < count && (i + 1) * (size_t)VK_RAY_HANDLE_B <= size_B; i++)
        codegen->ray_handle(&pipeline->groups[first + i], bytes + i * (size_t)VK_RAY_HANDLE_B);
    return VK_SUCCESS;
}

/* No driver replays captures, so that nothing may ask; but who has the extension has the command. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetRayTracingCaptureReplayShaderGroupHandlesKHR(
    VkDevice handle, VkPipeline pipeline, uint32_t first, uint32_t count, size_t size_B, void *data)
{
    memset(data, 0, size_B);
    return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceSize VKAPI_CALL vk_common_GetRayTracingShaderGroupStackSizeKHR(VkDevice handle,
                                                                                  VkPipeline pipeline_handle,
                                                                                  uint32_t group_index,
                                                                                  VkShaderGroupShaderKHR which)
{
    const struct vk_codegen *codegen = vk_device_from_handle(handle)->codegen;
    const struct vk_ray_group *group = &vk_ray_pipeline(vk_pipeline_from_handle(pipeline_handle))->groups[group_index];
    const struct vk_shader *shader = which == VK_SHADER_GROUP_SHADER_ANY_HIT_KHR        ? group->any_hit
                                     : which == VK_SHADER_GROUP_SHADER_INTERSECTION_KHR ? group->intersection
                                                                                        : group->main;
    return shader ? codegen->ray_stack_B(shader) : 0;
}
