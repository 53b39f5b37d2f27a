/* What all pipelines have in common: life, binding, executables. */
#include "vulkan/runtime/vk_pipeline.h"

#include "util/bits.h"
#include "vulkan/runtime/vk_command_buffer.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_pipeline_internal.h"

/* ---- life ---- */

void *vk_pipeline_create(const struct vk_pipeline_batch *batch, size_t size_B, VkPipelineBindPoint bind_point,
                         VkPipelineCreateFlags flags, struct vk_pipeline_layout *layout)
{
    struct vk_pipeline *pipeline = vk_object_create(batch->device, batch->allocator, size_B, VK_OBJECT_TYPE_PIPELINE);
    if (!pipeline)
        return NULL;
    pipeline->bind_point = bind_point;
    pipeline->flags = flags;
    pipeline->layout = vk_pipeline_layout_ref(layout);
    return pipeline;
}

void vk_pipeline_destroy(struct vk_pipeline *pipeline, const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = pipeline->base.device;
    for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++)
        vk_shader_unref(device, pipeline->shaders[i]);
    if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
        vk_graphics_pipeline_release(vk_graphics_pipeline(pipeline), allocator);
    vk_pipeline_layout_unref(pipeline->layout);
    vk_object_destroy(device, allocator, &pipeline->base);
}

VkResult vk_pipeline_init_driver(struct vk_pipeline *pipeline, const struct vk_graphics_state *state,
                                 const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = pipeline->base.device;
    if (!device->shader_ops->pipeline_init)
        return VK_SUCCESS;
    VkResult result = device->shader_ops->pipeline_init(device, pipeline, state, allocator);
    if (result != VK_SUCCESS)
        vk_pipeline_destroy(pipeline, allocator);
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyPipeline(VkDevice handle, VkPipeline pipeline_handle,
                                                     const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipeline_handle);
    if (!pipeline)
        return;
    if (!(pipeline->flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) && device->shader_ops->pipeline_finish)
        device->shader_ops->pipeline_finish(device, pipeline, allocator);
    vk_pipeline_destroy(pipeline, allocator);
}

VkResult vk_pipeline_create_batch(const struct vk_pipeline_batch *batch, VkPipeline *pipelines_out)
{
    VkResult result = VK_SUCCESS;
    uint32_t done = 0;
    for (bool stop = false; done < batch->count && !stop; done++) {
        VkPipelineCreateFlags flags = 0;
        pipelines_out[done] = VK_NULL_HANDLE;
        VkResult one = batch->create(batch, done, &pipelines_out[done], &flags);
        if (one == VK_SUCCESS)
            continue;
        pipelines_out[done] = VK_NULL_HANDLE;
        if (result >= VK_SUCCESS && (result == VK_SUCCESS || one < VK_SUCCESS))
            result = one;
        stop = flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    }
    for (; done < batch->count; done++)
        pipelines_out[done] = VK_NULL_HANDLE;
    return result;
}

/* ---- binding ---- */

static const VkShaderStageFlagBits graphics_stages[] = {
    VK_SHADER_STAGE_VERTEX_BIT,
    VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    VK_SHADER_STAGE_GEOMETRY_BIT,
    VK_SHADER_STAGE_FRAGMENT_BIT,
    VK_SHADER_STAGE_TASK_BIT_EXT,
    VK_SHADER_STAGE_MESH_BIT_EXT,
};

static const VkShaderStageFlagBits compute_stages[] = {VK_SHADER_STAGE_COMPUTE_BIT};

static void bind_shaders(struct vk_command_buffer *command_buffer, const struct vk_pipeline *pipeline, uint32_t count,
                         const VkShaderStageFlagBits *stages)
{
    struct vk_shader *shaders[ARRAY_SIZE(graphics_stages)];
    for (uint32_t i = 0; i < count; i++)
        shaders[i] = pipeline->shaders[vk_stage_index(stages[i])];
    command_buffer->base.device->shader_ops->cmd_bind_shaders(command_buffer, count, stages, shaders);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                                     VkPipeline pipeline_handle)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    const struct vk_device_shader_ops *ops = command_buffer->base.device->shader_ops;
    struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipeline_handle);
    if (bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        bind_shaders(command_buffer, pipeline, ARRAY_SIZE(graphics_stages), graphics_stages);
        vk_graphics_pipeline_bind_state(command_buffer, vk_graphics_pipeline(pipeline));
    } else {
        bind_shaders(command_buffer, pipeline, ARRAY_SIZE(compute_stages), compute_stages);
    }
    if (ops->cmd_bind_pipeline)
        ops->cmd_bind_pipeline(command_buffer, pipeline);
}

/* ---- VK_KHR_pipeline_executable_properties ---- */

static uint32_t executable_count(const struct vk_shader *shader)
{
    uint32_t count = 0;
    if (shader && shader->ops->get_executable_properties)
        shader->ops->get_executable_properties(shader->device, shader, &count, NULL);
    return count;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPipelineExecutablePropertiesKHR(
    VkDevice handle, const VkPipelineInfoKHR *info, uint32_t *count, VkPipelineExecutablePropertiesKHR *properties)
{
    const struct vk_pipeline *pipeline = vk_pipeline_from_handle(info->pipeline);
    uint32_t room = properties ? *count : 0, total = 0;
    for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++) {
        const struct vk_shader *shader = pipeline->shaders[i];
        uint32_t here = executable_count(shader), written = total < room ? MIN2(here, room - total) : 0;
        if (written)
            shader->ops->get_executable_properties(shader->device, shader, &written, properties + total);
        total += here;
    }
    *count = properties ? MIN2(room, total) : total;
    return properties && room < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/* The shader that executable *index of the pipeline belongs to, and its number there; NULL where there is none. */
static const struct vk_shader *executable_shader(const struct vk_pipeline *pipeline, uint32_t *index)
{
    for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++) {
        uint32_t here = executable_count(pipeline->shaders[i]);
        if (*index < here)
            return pipeline->shaders[i];
        *index -= here;
    }
    return NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_common_GetPipelineExecutableStatisticsKHR(VkDevice handle, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
                                             VkPipelineExecutableStatisticKHR *statistics)
{
    uint32_t index = info->executableIndex;
    const struct vk_shader *shader = executable_shader(vk_pipeline_from_handle(info->pipeline), &index);
    if (shader && shader->ops->get_executable_statistics)
        return shader->ops->get_executable_statistics(shader->device, shader, index, count, statistics);
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice handle, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
    VkPipelineExecutableInternalRepresentationKHR *representations)
{
    uint32_t index = info->executableIndex;
    const struct vk_shader *shader = executable_shader(vk_pipeline_from_handle(info->pipeline), &index);
    if (shader && shader->ops->get_executable_internal_representations)
        return shader->ops->get_executable_internal_representations(shader->device, shader, index, count,
                                                                    representations);
    *count = 0;
    return VK_SUCCESS;
}
