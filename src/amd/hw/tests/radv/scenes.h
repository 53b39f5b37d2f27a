/* The Vulkan objects that the judge's scenes share. */
#ifndef RADV_SCENES_H
#define RADV_SCENES_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

#define VK_FUNCTIONS(F)                                                                                                \
    F(AllocateCommandBuffers)                                                                                          \
    F(AllocateDescriptorSets) F(AllocateMemory) F(BeginCommandBuffer) F(BindBufferMemory) F(BindImageMemory)           \
        F(CmdBeginQuery) F(CmdBeginRendering) F(CmdBeginConditionalRenderingEXT) F(CmdBeginTransformFeedbackEXT)       \
            F(CmdBindDescriptorSets) F(CmdBindIndexBuffer) F(CmdBindPipeline) F(CmdBindTransformFeedbackBuffersEXT)    \
                F(CmdBindVertexBuffers) F(CmdBlitImage) F(CmdClearAttachments) F(CmdClearColorImage)                   \
                    F(CmdClearDepthStencilImage) F(CmdCopyBuffer) F(CmdCopyBufferToImage) F(CmdCopyImage)              \
                        F(CmdCopyImageToBuffer) F(CmdCopyQueryPoolResults) F(CmdDispatch) F(CmdDispatchIndirect) F(    \
                            CmdDraw) F(CmdDrawIndexed) F(CmdDrawIndexedIndirect) F(CmdDrawIndirect)                    \
                            F(CmdDrawIndirectCount) F(CmdEndQuery) F(CmdEndRendering) F(CmdEndConditionalRenderingEXT) \
                                F(CmdEndTransformFeedbackEXT) F(CmdFillBuffer) F(CmdPipelineBarrier)                   \
                                    F(CmdPushConstants) F(CmdResetQueryPool) F(CmdResolveImage) F(CmdSetEvent)         \
                                        F(CmdSetScissor) F(CmdSetStencilReference) F(CmdSetViewport)                   \
                                            F(CmdUpdateBuffer) F(CmdWaitEvents) F(CmdWriteTimestamp) F(CreateBuffer)   \
                                                F(CreateCommandPool) F(CreateComputePipelines) F(CreateDescriptorPool) \
                                                    F(CreateDescriptorSetLayout) F(CreateEvent)                        \
                                                        F(CreateGraphicsPipelines) F(CreateImage) F(CreateImageView)   \
                                                            F(CreatePipelineLayout) F(CreateQueryPool)                 \
                                                                F(CreateSampler) F(CreateShaderModule)                 \
                                                                    F(EndCommandBuffer) F(GetBufferMemoryRequirements) \
                                                                        F(GetImageMemoryRequirements)                  \
                                                                            F(GetDeviceQueue) F(QueueSubmit)           \
                                                                                F(QueueWaitIdle)                       \
                                                                                    F(UpdateDescriptorSets)

#define DECLARE(name) PFN_vk##name name;
struct vk {
    VkDevice device;
    VK_FUNCTIONS(DECLARE)

    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
    VkBuffer buffer;
    VkSampler sampler;
    uint32_t graphics_family, compute_family;
    bool failed;
};
#undef DECLARE

/* How a graphics pipeline of the scenes differs from the plain one. */
struct pipeline_options {
    VkShaderModule stages[5]; /* vertex, control, evaluation, geometry, fragment */
    VkPrimitiveTopology topology;
    VkSampleCountFlagBits samples; /* 0: one */
    bool depth, stencil, blend, dual_source, logic_op, restart, lines, bias, alpha_to_coverage, sample_shading,
        no_color;
};

struct target {
    VkImage color, depth;
    VkImageView color_view, depth_view;
};

VkShaderModule make_module(struct vk *vk, const uint32_t *words, size_t size_B);
VkPipeline make_graphics_pipeline(struct vk *vk, const struct pipeline_options *options);
VkPipeline make_compute_pipeline(struct vk *vk, VkShaderModule module);
VkImage make_image(struct vk *vk, VkFormat format, uint32_t width, uint32_t height, uint32_t layers,
                   VkSampleCountFlagBits samples, VkImageUsageFlags usage);
struct target make_target(struct vk *vk, uint32_t size, uint32_t layers, VkSampleCountFlagBits samples);
VkCommandBuffer begin_commands(struct vk *vk, uint32_t family);
void submit_commands(struct vk *vk, uint32_t family, VkCommandBuffer commands);

/* NULL or what went wrong. */
const char *make_device(struct vk *vk, const char *library);

#endif
