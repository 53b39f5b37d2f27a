/* The common part of all pipelines: life and binding. */
#include "vulkan/runtime/pipeline/vk_pipeline.h"

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"

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
    else if (pipeline->bind_point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
        vk_ray_pipeline_release(vk_ray_pipeline(pipeline));
    vk_pipeline_layout_unref(pipeline->layout);
    vk_object_destroy(device, allocator, &pipeline->base);
}

VkResult vk_pipeline_bake(struct vk_pipeline *pipeline, const struct vk_graphics_state *state,
                          const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = pipeline->base.device;
    if (!device->codegen->bake)
        return VK_SUCCESS;
    VkResult result = device->codegen->bake(device, pipeline, state, allocator);
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
    if (!(pipeline->flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) && device->codegen->unbake)
        device->codegen->unbake(device, pipeline, allocator);
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

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                                     VkPipeline pipeline_handle)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipeline_handle);
    if (bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS)
        vk_graphics_pipeline_bind_state(command_buffer, vk_graphics_pipeline(pipeline));
    command_buffer->base.device->codegen->bind(command_buffer, pipeline);
}
