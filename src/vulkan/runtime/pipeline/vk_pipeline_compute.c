/* Compute pipelines. */
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/pipeline/vk_pipeline_flags.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"

static VkResult finish_pipeline(const struct vk_pipeline_batch *batch, struct vk_pipeline_build *build,
                                VkPipeline *pipeline_out)
{
    struct vk_pipeline *pipeline =
        vk_pipeline_create(batch, sizeof(*pipeline), VK_PIPELINE_BIND_POINT_COMPUTE, build->flags, build->layout);
    if (!pipeline) {
        vk_shader_unref(build->device, build->stages[0].shader);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    vk_pipeline_take_shaders(pipeline, build);
    *pipeline_out = vk_pipeline_to_handle(pipeline);
    return vk_pipeline_bake(pipeline, NULL, batch->allocator);
}

VkResult vk_compute_pipeline_of_stage(struct vk_device *device, const struct vk_stage_info *info,
                                      struct vk_stage_ir *ir, struct vk_pipeline_layout *layout,
                                      VkPipelineCreateFlags flags, VkPipeline *pipeline_out)
{
    const struct vk_pipeline_batch batch = {.device = device};
    struct vk_pipeline_build build = {
        .device = device,
        .flags = flags,
        .layout = layout,
        .count = 1,
        .stages[0] = {.info = *info, .kept = ir},
    };
    VkResult result = vk_pipeline_build_shaders(&build);
    if (result == VK_SUCCESS)
        result = finish_pipeline(&batch, &build, pipeline_out);
    if (result != VK_SUCCESS)
        *pipeline_out = VK_NULL_HANDLE;
    return result;
}

static VkResult create_one(const struct vk_pipeline_batch *batch, uint32_t index, VkPipeline *pipeline_out,
                           VkPipelineCreateFlags *flags_out)
{
    const VkComputePipelineCreateInfo *info = (const VkComputePipelineCreateInfo *)batch->infos + index;
    uint64_t start_ns = vk_pipeline_now_ns();
    struct vk_pipeline_build build = {
        .device = batch->device,
        .cache = batch->cache,
        .flags = *flags_out = vk_pipeline_create_flags(info->pNext, info->flags),
        .layout = vk_pipeline_layout_from_handle(info->layout),
        .count = 1,
        .stages[0].create = &info->stage,
    };
    VkResult result = VK_PIPELINE_COMPILE_REQUIRED;
    if (vk_stage_info_init(&build.stages[0].info, batch->device, &info->stage, info->pNext))
        result = vk_pipeline_build_shaders(&build);
    if (result == VK_SUCCESS)
        result = finish_pipeline(batch, &build, pipeline_out);
    vk_pipeline_write_feedback(info->pNext, &build, start_ns, result);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                                const VkComputePipelineCreateInfo *infos,
                                                                const VkAllocationCallbacks *allocator,
                                                                VkPipeline *pipelines_out)
{
    struct vk_pipeline_batch batch = {
        vk_device_from_handle(handle), vk_pipeline_cache_from_handle(cache), allocator, count, infos, create_one};
    return vk_pipeline_create_batch(&batch, pipelines_out);
}
