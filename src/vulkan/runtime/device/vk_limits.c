/* See vk_limits.h. */
#include "vulkan/runtime/device/vk_limits.h"

#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/memory/vk_image.h"

static void fill_descriptors(VkPhysicalDeviceLimits *out, const struct vk_descriptor_limits *limits)
{
    const uint32_t all = limits->descriptors;
    out->maxBoundDescriptorSets = limits->sets;
    out->maxPerStageDescriptorSamplers = out->maxDescriptorSetSamplers = all;
    out->maxPerStageDescriptorUniformBuffers = out->maxDescriptorSetUniformBuffers = all;
    out->maxPerStageDescriptorStorageBuffers = out->maxDescriptorSetStorageBuffers = all;
    out->maxPerStageDescriptorSampledImages = out->maxDescriptorSetSampledImages = all;
    out->maxPerStageDescriptorStorageImages = out->maxDescriptorSetStorageImages = all;
    out->maxPerStageDescriptorInputAttachments = out->maxDescriptorSetInputAttachments = all;
    out->maxPerStageResources = out->maxFragmentCombinedOutputResources = all;
    out->maxDescriptorSetUniformBuffersDynamic = limits->dynamic_uniforms;
    out->maxDescriptorSetStorageBuffersDynamic = limits->dynamic_storages;
}

/* Limits of sets that are updated after they are bound, for these are no others. */
static void fill_updated_descriptors(struct vk_properties *p, const struct vk_descriptor_limits *limits)
{
    const uint32_t all = limits->descriptors;
    p->maxUpdateAfterBindDescriptorsInAllPools = limits->pool_descriptors;
    p->robustBufferAccessUpdateAfterBind = true;
    p->maxPerStageDescriptorUpdateAfterBindSamplers = p->maxDescriptorSetUpdateAfterBindSamplers = all;
    p->maxPerStageDescriptorUpdateAfterBindUniformBuffers = p->maxDescriptorSetUpdateAfterBindUniformBuffers = all;
    p->maxPerStageDescriptorUpdateAfterBindStorageBuffers = p->maxDescriptorSetUpdateAfterBindStorageBuffers = all;
    p->maxPerStageDescriptorUpdateAfterBindSampledImages = p->maxDescriptorSetUpdateAfterBindSampledImages = all;
    p->maxPerStageDescriptorUpdateAfterBindStorageImages = p->maxDescriptorSetUpdateAfterBindStorageImages = all;
    p->maxPerStageDescriptorUpdateAfterBindInputAttachments = p->maxDescriptorSetUpdateAfterBindInputAttachments = all;
    p->maxPerStageUpdateAfterBindResources = all;
    p->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = limits->dynamic_uniforms;
    p->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = limits->dynamic_storages;
}

static void fill_inline_blocks(struct vk_properties *p, const struct vk_descriptor_limits *limits)
{
    const uint32_t blocks = 2 * limits->sets;
    p->maxInlineUniformBlockSize = limits->inline_B;
    p->maxPerStageDescriptorInlineUniformBlocks = p->maxDescriptorSetInlineUniformBlocks = blocks;
    p->maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = blocks;
    p->maxDescriptorSetUpdateAfterBindInlineUniformBlocks = blocks;
    p->maxInlineUniformTotalSize = limits->inline_total_B;
}

void vk_fill_descriptor_limits(struct vk_properties *p, const struct vk_descriptor_limits *limits)
{
    fill_descriptors(&p->core.limits, limits);
    fill_updated_descriptors(p, limits);
    fill_inline_blocks(p, limits);
    p->maxPerSetDescriptors = limits->descriptors;
    p->maxPushDescriptors = limits->pushed;
}

void vk_fill_sample_counts(struct vk_properties *p, VkSampleCountFlags samples)
{
    VkPhysicalDeviceLimits *limits = &p->core.limits;
    limits->framebufferColorSampleCounts = samples;
    limits->framebufferDepthSampleCounts = samples;
    limits->framebufferStencilSampleCounts = samples;
    limits->framebufferNoAttachmentsSampleCounts = samples;
    limits->sampledImageColorSampleCounts = samples;
    limits->sampledImageIntegerSampleCounts = samples;
    limits->sampledImageDepthSampleCounts = samples;
    limits->sampledImageStencilSampleCounts = samples;
    p->framebufferIntegerColorSampleCounts = samples;
}

void vk_fill_common_limits(struct vk_properties *p)
{
    VkPhysicalDeviceLimits *limits = &p->core.limits;
    /* Each may take up to three mappings of the host where the GPU is a model: the GPU's, a gap beside it, the
     * process's own. Linux allows 65,530. */
    limits->maxMemoryAllocationCount = 16384;
    limits->minMemoryMapAlignment = 4096;
    limits->maxSamplerAllocationCount = 64 * 1024;
    limits->discreteQueuePriorities = 2;
    p->maxTimelineSemaphoreValueDifference = UINT64_MAX;
    p->maxCombinedImageSamplerDescriptorCount = VK_IMAGE_MAX_PLANES;
    p->graphicsPipelineLibraryIndependentInterpolationDecoration = true;
    p->maxMultiDrawCount = 2048;
    p->dynamicRenderingLocalReadDepthStencilAttachments = true;
    p->dynamicRenderingLocalReadMultisampledAttachments = true;
    p->maxMultiviewInstanceIndex = INT32_MAX;
    p->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                     VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                     VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
                                     VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
                                     VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR;
    /* Robustness of a pipeline that asks for nothing. */
    p->defaultRobustnessStorageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
    p->defaultRobustnessUniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
    p->defaultRobustnessVertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
}
