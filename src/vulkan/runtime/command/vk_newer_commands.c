/* Newer commands whose arguments are a structure, or that say the same for several stages at once, by those that every
 * driver has: maintenance5 to maintenance7, map_memory2 and others. */
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

static const struct vk_device_dispatch *dispatch_of(VkCommandBuffer handle)
{
    return &vk_command_buffer_from_handle(handle)->base.device->dispatch;
}

/* ---- maintenance5 ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindIndexBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                        VkIndexType type)
{
    dispatch_of(handle)->CmdBindIndexBuffer2KHR(handle, buffer, offset_B, VK_WHOLE_SIZE, type);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetRenderingAreaGranularityKHR(VkDevice handle, const VkRenderingAreaInfoKHR *info,
                                                                    VkExtent2D *granularity)
{
    vk_common_GetRenderAreaGranularity(handle, VK_NULL_HANDLE, granularity);
}

/* As vkGetDeviceImageMemoryRequirements: an image is made for the question. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceImageSubresourceLayoutKHR(VkDevice handle,
                                                                        const VkDeviceImageSubresourceInfoKHR *info,
                                                                        VkSubresourceLayout2KHR *layout)
{
    const struct vk_device_dispatch *dispatch = &vk_device_from_handle(handle)->dispatch;
    VkImage image;
    if (dispatch->CreateImage(handle, info->pCreateInfo, NULL, &image) != VK_SUCCESS) {
        layout->subresourceLayout = (VkSubresourceLayout){0};
        return;
    }
    dispatch->GetImageSubresourceLayout2EXT(handle, image, info->pSubresource, layout);
    dispatch->DestroyImage(handle, image, NULL);
}

/* ---- maintenance6 ---- */

/* Stages of several bind points are several commands. */
struct points {
    VkPipelineBindPoint points[3];
    unsigned count;
};

static struct points points_of(VkShaderStageFlags stages)
{
    struct points found = {.count = 0};
    if (stages & (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT))
        found.points[found.count++] = VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
        found.points[found.count++] = VK_PIPELINE_BIND_POINT_COMPUTE;
    if (stages & VK_SHADER_STAGES_OF_RAYS)
        found.points[found.count++] = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
    return found;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindDescriptorSets2KHR(VkCommandBuffer handle,
                                                               const VkBindDescriptorSetsInfoKHR *info)
{
    const struct points found = points_of(info->stageFlags);
    for (unsigned i = 0; i < found.count; i++)
        dispatch_of(handle)->CmdBindDescriptorSets(handle, found.points[i], info->layout, info->firstSet,
                                                   info->descriptorSetCount, info->pDescriptorSets,
                                                   info->dynamicOffsetCount, info->pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPushConstants2KHR(VkCommandBuffer handle, const VkPushConstantsInfoKHR *info)
{
    dispatch_of(handle)->CmdPushConstants(handle, info->layout, info->stageFlags, info->offset, info->size,
                                          info->pValues);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPushDescriptorSet2KHR(VkCommandBuffer handle,
                                                              const VkPushDescriptorSetInfoKHR *info)
{
    const struct points found = points_of(info->stageFlags);
    for (unsigned i = 0; i < found.count; i++)
        dispatch_of(handle)->CmdPushDescriptorSetKHR(handle, found.points[i], info->layout, info->set,
                                                     info->descriptorWriteCount, info->pDescriptorWrites);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdPushDescriptorSetWithTemplate2KHR(
    VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
    dispatch_of(handle)->CmdPushDescriptorSetWithTemplateKHR(handle, info->descriptorUpdateTemplate, info->layout,
                                                             info->set, info->pData);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer handle,
                                                                       const VkSetDescriptorBufferOffsetsInfoEXT *info)
{
    const struct points found = points_of(info->stageFlags);
    for (unsigned i = 0; i < found.count; i++)
        dispatch_of(handle)->CmdSetDescriptorBufferOffsetsEXT(handle, found.points[i], info->layout, info->firstSet,
                                                              info->setCount, info->pBufferIndices, info->pOffsets);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer handle, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT *info)
{
    const struct points found = points_of(info->stageFlags);
    for (unsigned i = 0; i < found.count; i++)
        dispatch_of(handle)->CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, found.points[i], info->layout,
                                                                        info->set);
}

/* ---- depth_bias_control ---- */

/* Units are the format's: other ones are not offered. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDepthBias2EXT(VkCommandBuffer handle, const VkDepthBiasInfoEXT *info)
{
    dispatch_of(handle)->CmdSetDepthBias(handle, info->depthBiasConstantFactor, info->depthBiasClamp,
                                         info->depthBiasSlopeFactor);
}

/* ---- map_memory2 ---- */

VKAPI_ATTR VkResult VKAPI_CALL vk_common_MapMemory2KHR(VkDevice handle, const VkMemoryMapInfoKHR *info, void **data_out)
{
    return vk_device_from_handle(handle)->dispatch.MapMemory(handle, info->memory, info->offset, info->size,
                                                             info->flags, data_out);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_UnmapMemory2KHR(VkDevice handle, const VkMemoryUnmapInfoKHR *info)
{
    vk_device_from_handle(handle)->dispatch.UnmapMemory(handle, info->memory);
    return VK_SUCCESS;
}
