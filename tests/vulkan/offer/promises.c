/* The debts of a device that calls itself Vulkan 1.1 to 1.4: the required limits and features of the specification's
 * chapters "Limits" and "Features", as TAP, and those of Khronos's profiles Roadmap 2022 and 2024. Of 1.4 and of a
 * profile that the device does not claim, each thing that is missing is a comment. It creates a device with all
 * extensions that there are, so that a driver can say which of their commands it lacks (ours does, with
 * TUFF_LOG=debug; promises.py looks).
 *
 *     promises [2022|2024]       the newest profile that the device claims */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "vulkan/runtime/gen/vk_newer.h"

static VkPhysicalDevice gpu;
static VkPhysicalDeviceVulkan14Properties p14 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES};
static VkPhysicalDeviceVulkan14Features f14 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
static VkPhysicalDeviceVulkan13Properties p13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
                                                 .pNext = &p14};
static VkPhysicalDeviceVulkan12Properties p12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                                                 .pNext = &p13};
static VkPhysicalDeviceVulkan11Properties p11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                 .pNext = &p12};
static VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p11};
static VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                               .pNext = &f14};
static VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = &f13};
static VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                               .pNext = &f12};
static VkPhysicalDeviceFeatures2 f = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11};

static unsigned count, failures;

static const char *unclaimed; /* the version or profile that is looked at though the device does not claim it */
static unsigned lacks;        /* of that */

static void say_result(bool ok, const char *what, const char *relation, double found, double required)
{
    if (unclaimed) {
        lacks += !ok;
        if (!ok)
            printf("# %s: %s is %.17g, must be %s %.17g\n", unclaimed, what, found, relation, required);
        return;
    }
    printf("%s %u - %s\n", ok ? "ok" : "not ok", ++count, what);
    failures += !ok;
    if (!ok)
        printf("# is %.17g, must be %s %.17g\n", found, relation, required);
}

#define AT_LEAST(object, limit, least)                                                                                 \
    say_result((object).limit >= (least), #limit, "at least", (double)(object).limit, (double)(least))
#define AT_MOST(object, limit, most)                                                                                   \
    say_result((object).limit <= (most), #limit, "at most", (double)(object).limit, (double)(most))
#define HAS(object, limit, bits)                                                                                       \
    say_result(((object).limit & (bits)) == (bits), #limit, "with the bits", (double)(object).limit, (double)(bits))
#define POWER_OF_TWO(object, limit)                                                                                    \
    say_result((object).limit && !((object).limit & ((object).limit - 1)), #limit, "a power of two, not",              \
               (double)(object).limit, 0)
#define FEATURE(object, feature) say_result((object).feature == VK_TRUE, #feature, "", (object).feature, VK_TRUE)

static void check_images(const VkPhysicalDeviceLimits *l)
{
    const VkSampleCountFlags both = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    AT_LEAST(*l, maxImageDimension1D, 4096);
    AT_LEAST(*l, maxImageDimension2D, 4096);
    AT_LEAST(*l, maxImageDimension3D, 256);
    AT_LEAST(*l, maxImageDimensionCube, 4096);
    AT_LEAST(*l, maxImageArrayLayers, 256);
    AT_LEAST(*l, maxTexelBufferElements, 65536);
    AT_LEAST(*l, subTexelPrecisionBits, 4);
    AT_LEAST(*l, mipmapPrecisionBits, 4);
    AT_LEAST(*l, maxSamplerLodBias, 2);
    AT_LEAST(*l, maxSamplerAnisotropy, f.features.samplerAnisotropy ? 16 : 1);
    AT_MOST(*l, minTexelOffset, -8);
    AT_LEAST(*l, maxTexelOffset, 7);
    AT_MOST(*l, minTexelGatherOffset, f.features.shaderImageGatherExtended ? -8 : 0);
    AT_LEAST(*l, maxTexelGatherOffset, f.features.shaderImageGatherExtended ? 7u : 0u);
    HAS(*l, framebufferColorSampleCounts, both);
    HAS(*l, framebufferDepthSampleCounts, both);
    HAS(*l, framebufferStencilSampleCounts, both);
    HAS(*l, framebufferNoAttachmentsSampleCounts, both);
    HAS(*l, sampledImageColorSampleCounts, both);
    HAS(*l, sampledImageIntegerSampleCounts, (VkSampleCountFlags)VK_SAMPLE_COUNT_1_BIT);
    HAS(*l, sampledImageDepthSampleCounts, both);
    HAS(*l, sampledImageStencilSampleCounts, both);
    HAS(*l, storageImageSampleCounts,
        f.features.shaderStorageImageMultisample ? both : (VkSampleCountFlags)VK_SAMPLE_COUNT_1_BIT);
    AT_LEAST(*l, maxSampleMaskWords, 1);
}

static void check_buffers(const VkPhysicalDeviceLimits *l)
{
    AT_LEAST(*l, maxUniformBufferRange, 16384);
    AT_LEAST(*l, maxStorageBufferRange, 1u << 27);
    AT_LEAST(*l, maxPushConstantsSize, 128);
    AT_LEAST(*l, maxMemoryAllocationCount, 4096);
    AT_LEAST(*l, maxSamplerAllocationCount, 4000);
    AT_MOST(*l, bufferImageGranularity, 131072);
    POWER_OF_TWO(*l, bufferImageGranularity);
    AT_LEAST(*l, sparseAddressSpaceSize, f.features.sparseBinding ? 1ull << 31 : 0);
    AT_LEAST(*l, minMemoryMapAlignment, 64);
    POWER_OF_TWO(*l, minMemoryMapAlignment);
    AT_MOST(*l, minTexelBufferOffsetAlignment, 256);
    POWER_OF_TWO(*l, minTexelBufferOffsetAlignment);
    AT_MOST(*l, minUniformBufferOffsetAlignment, 256);
    POWER_OF_TWO(*l, minUniformBufferOffsetAlignment);
    AT_MOST(*l, minStorageBufferOffsetAlignment, 256);
    POWER_OF_TWO(*l, minStorageBufferOffsetAlignment);
    POWER_OF_TWO(*l, optimalBufferCopyOffsetAlignment);
    POWER_OF_TWO(*l, optimalBufferCopyRowPitchAlignment);
    AT_MOST(*l, nonCoherentAtomSize, 256);
    POWER_OF_TWO(*l, nonCoherentAtomSize);
}

static void check_descriptors(const VkPhysicalDeviceLimits *l)
{
    uint32_t stages = 3 + (f.features.tessellationShader ? 2 : 0) + (f.features.geometryShader ? 1 : 0);
    AT_LEAST(*l, maxBoundDescriptorSets, 4);
    AT_LEAST(*l, maxPerStageDescriptorSamplers, 16);
    AT_LEAST(*l, maxPerStageDescriptorUniformBuffers, 12);
    AT_LEAST(*l, maxPerStageDescriptorStorageBuffers, 4);
    AT_LEAST(*l, maxPerStageDescriptorSampledImages, 16);
    AT_LEAST(*l, maxPerStageDescriptorStorageImages, 4);
    AT_LEAST(*l, maxPerStageDescriptorInputAttachments, 4);
    AT_LEAST(*l, maxPerStageResources, 128);
    AT_LEAST(*l, maxDescriptorSetSamplers, stages * 16);
    AT_LEAST(*l, maxDescriptorSetUniformBuffers, stages * 12);
    AT_LEAST(*l, maxDescriptorSetUniformBuffersDynamic, 8);
    AT_LEAST(*l, maxDescriptorSetStorageBuffers, stages * 4);
    AT_LEAST(*l, maxDescriptorSetStorageBuffersDynamic, 4);
    AT_LEAST(*l, maxDescriptorSetSampledImages, stages * 16);
    AT_LEAST(*l, maxDescriptorSetStorageImages, stages * 4);
    AT_LEAST(*l, maxDescriptorSetInputAttachments, 4);
}

static void check_shaders(const VkPhysicalDeviceLimits *l)
{
    AT_LEAST(*l, maxVertexInputAttributes, 16);
    AT_LEAST(*l, maxVertexInputBindings, 16);
    AT_LEAST(*l, maxVertexInputAttributeOffset, 2047);
    AT_LEAST(*l, maxVertexInputBindingStride, 2048);
    AT_LEAST(*l, maxVertexOutputComponents, 64);
    if (f.features.tessellationShader) {
        AT_LEAST(*l, maxTessellationGenerationLevel, 64);
        AT_LEAST(*l, maxTessellationPatchSize, 32);
        AT_LEAST(*l, maxTessellationControlPerVertexInputComponents, 64);
        AT_LEAST(*l, maxTessellationControlPerVertexOutputComponents, 64);
        AT_LEAST(*l, maxTessellationControlPerPatchOutputComponents, 120);
        AT_LEAST(*l, maxTessellationControlTotalOutputComponents, 2048);
        AT_LEAST(*l, maxTessellationEvaluationInputComponents, 64);
        AT_LEAST(*l, maxTessellationEvaluationOutputComponents, 64);
    }
    if (f.features.geometryShader) {
        AT_LEAST(*l, maxGeometryShaderInvocations, 32);
        AT_LEAST(*l, maxGeometryInputComponents, 64);
        AT_LEAST(*l, maxGeometryOutputComponents, 64);
        AT_LEAST(*l, maxGeometryOutputVertices, 256);
        AT_LEAST(*l, maxGeometryTotalOutputComponents, 1024);
    }
    AT_LEAST(*l, maxFragmentInputComponents, 64);
    AT_LEAST(*l, maxFragmentOutputAttachments, 4);
    AT_LEAST(*l, maxFragmentDualSrcAttachments, f.features.dualSrcBlend ? 1 : 0);
    AT_LEAST(*l, maxFragmentCombinedOutputResources, 4);
    AT_LEAST(*l, maxComputeSharedMemorySize, 16384);
    for (unsigned i = 0; i < 3; i++) {
        AT_LEAST(*l, maxComputeWorkGroupCount[i], 65535);
        AT_LEAST(*l, maxComputeWorkGroupSize[i], i < 2 ? 128u : 64u);
    }
    AT_LEAST(*l, maxComputeWorkGroupInvocations, 128);
    AT_MOST(*l, minInterpolationOffset, f.features.sampleRateShading ? -0.5 : 0);
    AT_LEAST(*l, maxInterpolationOffset,
             f.features.sampleRateShading ? 0.5 - 1.0 / (1u << l->subPixelInterpolationOffsetBits) : 0);
    AT_LEAST(*l, subPixelInterpolationOffsetBits, f.features.sampleRateShading ? 4 : 0);
}

static void check_rasterisation(const VkPhysicalDeviceLimits *l)
{
    AT_LEAST(*l, subPixelPrecisionBits, 4);
    AT_LEAST(*l, maxDrawIndexedIndexValue, f.features.fullDrawIndexUint32 ? UINT32_MAX : (1u << 24) - 1);
    AT_LEAST(*l, maxDrawIndirectCount, f.features.multiDrawIndirect ? 65535u : 1u);
    AT_LEAST(*l, maxViewports, f.features.multiViewport ? 16 : 1);
    double most = 0;
    for (unsigned i = 0; i < 2; i++) {
        AT_LEAST(*l, maxViewportDimensions[i], 4096);
        most = l->maxViewportDimensions[i] > most ? l->maxViewportDimensions[i] : most;
    }
    AT_LEAST(*l, maxViewportDimensions[0], l->maxFramebufferWidth);
    AT_LEAST(*l, maxViewportDimensions[1], l->maxFramebufferHeight);
    AT_MOST(*l, viewportBoundsRange[0], -2 * most);
    AT_LEAST(*l, viewportBoundsRange[1], 2 * most - 1);
    AT_LEAST(*l, maxFramebufferWidth, 4096);
    AT_LEAST(*l, maxFramebufferHeight, 4096);
    AT_LEAST(*l, maxFramebufferLayers, 256);
    AT_LEAST(*l, maxColorAttachments, 4);
    AT_LEAST(*l, maxClipDistances, f.features.shaderClipDistance ? 8 : 0);
    AT_LEAST(*l, maxCullDistances, f.features.shaderCullDistance ? 8 : 0);
    AT_LEAST(*l, maxCombinedClipAndCullDistances,
             f.features.shaderClipDistance || f.features.shaderCullDistance ? 8 : 0);
    AT_LEAST(*l, discreteQueuePriorities, 2);
    AT_MOST(*l, pointSizeRange[0], 1);
    AT_LEAST(*l, pointSizeRange[1], f.features.largePoints ? 64 - l->pointSizeGranularity : 1);
    AT_MOST(*l, pointSizeGranularity, f.features.largePoints ? 1 : 0);
    AT_MOST(*l, lineWidthRange[0], 1);
    AT_LEAST(*l, lineWidthRange[1], f.features.wideLines ? 8 - l->lineWidthGranularity : 1);
    AT_MOST(*l, lineWidthGranularity, f.features.wideLines ? 1 : 0);
}

static void check_11(void)
{
    POWER_OF_TWO(p11, subgroupSize);
    HAS(p11, subgroupSupportedStages, (VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT);
    HAS(p11, subgroupSupportedOperations, (VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_BASIC_BIT);
    AT_LEAST(p11, maxMultiviewViewCount, 6);
    AT_LEAST(p11, maxMultiviewInstanceIndex, (1u << 27) - 1);
    AT_LEAST(p11, maxPerSetDescriptors, 1024);
    AT_LEAST(p11, maxMemoryAllocationSize, 1u << 30);
    FEATURE(f11, multiview);
    say_result(!f11.variablePointers || f11.variablePointersStorageBuffer,
               "variablePointersStorageBuffer with variablePointers", "", 0, 1);
}

static void check_update_after_bind(void)
{
    AT_LEAST(p12, maxUpdateAfterBindDescriptorsInAllPools, 500000);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindSamplers, 500000);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindUniformBuffers, 12);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindStorageBuffers, 500000);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindSampledImages, 500000);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindStorageImages, 500000);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindInputAttachments, 4);
    AT_LEAST(p12, maxPerStageUpdateAfterBindResources, 500000);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindSamplers, 500000);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindUniformBuffers, 72);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindUniformBuffersDynamic, 8);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindStorageBuffers, 500000);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindStorageBuffersDynamic, 4);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindSampledImages, 500000);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindStorageImages, 500000);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindInputAttachments, 4);
    FEATURE(f12, shaderUniformTexelBufferArrayDynamicIndexing);
    FEATURE(f12, shaderStorageTexelBufferArrayDynamicIndexing);
    FEATURE(f12, shaderSampledImageArrayNonUniformIndexing);
    FEATURE(f12, shaderStorageBufferArrayNonUniformIndexing);
    FEATURE(f12, shaderUniformTexelBufferArrayNonUniformIndexing);
    FEATURE(f12, descriptorBindingSampledImageUpdateAfterBind);
    FEATURE(f12, descriptorBindingStorageImageUpdateAfterBind);
    FEATURE(f12, descriptorBindingStorageBufferUpdateAfterBind);
    FEATURE(f12, descriptorBindingUniformTexelBufferUpdateAfterBind);
    FEATURE(f12, descriptorBindingStorageTexelBufferUpdateAfterBind);
    FEATURE(f12, descriptorBindingUpdateUnusedWhilePending);
    FEATURE(f12, descriptorBindingPartiallyBound);
    FEATURE(f12, runtimeDescriptorArray);
}

static void check_12(void)
{
    AT_LEAST(p12, maxTimelineSemaphoreValueDifference, INT32_MAX);
    HAS(p12, framebufferIntegerColorSampleCounts, (VkSampleCountFlags)VK_SAMPLE_COUNT_1_BIT);
    HAS(p12, supportedDepthResolveModes, (VkResolveModeFlags)VK_RESOLVE_MODE_SAMPLE_ZERO_BIT);
    HAS(p12, supportedStencilResolveModes, (VkResolveModeFlags)VK_RESOLVE_MODE_SAMPLE_ZERO_BIT);
    FEATURE(f12, uniformBufferStandardLayout);
    FEATURE(f12, subgroupBroadcastDynamicId);
    FEATURE(f12, imagelessFramebuffer);
    FEATURE(f12, separateDepthStencilLayouts);
    FEATURE(f12, hostQueryReset);
    FEATURE(f12, timelineSemaphore);
    FEATURE(f12, shaderSubgroupExtendedTypes);
    if (f12.descriptorIndexing)
        check_update_after_bind();
}

static void check_13(void)
{
    POWER_OF_TWO(p13, minSubgroupSize);
    POWER_OF_TWO(p13, maxSubgroupSize);
    AT_LEAST(p13, maxSubgroupSize, p13.minSubgroupSize);
    AT_MOST(p13, minSubgroupSize, p11.subgroupSize);
    AT_LEAST(p13, maxSubgroupSize, p11.subgroupSize);
    AT_LEAST(p13, maxInlineUniformBlockSize, 256);
    AT_LEAST(p13, maxPerStageDescriptorInlineUniformBlocks, 4);
    AT_LEAST(p13, maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks, 4);
    AT_LEAST(p13, maxDescriptorSetInlineUniformBlocks, 4);
    AT_LEAST(p13, maxDescriptorSetUpdateAfterBindInlineUniformBlocks, 4);
    AT_LEAST(p13, maxInlineUniformTotalSize, 256);
    AT_LEAST(p13, maxBufferSize, 1u << 30);
    POWER_OF_TWO(p13, storageTexelBufferOffsetAlignmentBytes);
    POWER_OF_TWO(p13, uniformTexelBufferOffsetAlignmentBytes);
    FEATURE(f12, vulkanMemoryModel);
    FEATURE(f12, vulkanMemoryModelDeviceScope);
    FEATURE(f12, bufferDeviceAddress);
    FEATURE(f13, robustImageAccess);
    FEATURE(f13, inlineUniformBlock);
    FEATURE(f13, pipelineCreationCacheControl);
    FEATURE(f13, privateData);
    FEATURE(f13, shaderDemoteToHelperInvocation);
    FEATURE(f13, shaderTerminateInvocation);
    FEATURE(f13, subgroupSizeControl);
    FEATURE(f13, computeFullSubgroups);
    FEATURE(f13, synchronization2);
    FEATURE(f13, shaderZeroInitializeWorkgroupMemory);
    FEATURE(f13, dynamicRendering);
    FEATURE(f13, shaderIntegerDotProduct);
    FEATURE(f13, maintenance4);
}

/* A format's features, as the table "Mandatory format support" has them. */
static bool has_format(VkFormat format, VkFormatFeatureFlags features)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(gpu, format, &properties);
    return (properties.optimalTilingFeatures & features) == features;
}

static void check_formats(void)
{
    const VkFormatFeatureFlags sampled = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                                         VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    const VkFormatFeatureFlags filtered = sampled | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    const VkFormatFeatureFlags target = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT,
                               blended = target | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
    const VkFormatFeatureFlags stored = VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
                               atomic = stored | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
    const VkFormatFeatureFlags depth = VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
#define FORMAT(name, features)                                                                                         \
    say_result(has_format(VK_FORMAT_##name, features), "format " #name, "with the bits", 0, features)
    FORMAT(B4G4R4A4_UNORM_PACK16, filtered);
    FORMAT(R5G6B5_UNORM_PACK16, filtered | blended);
    FORMAT(A1R5G5B5_UNORM_PACK16, filtered | blended);
    FORMAT(R8_UNORM, filtered | blended);
    FORMAT(R8_SNORM, filtered);
    FORMAT(R8_UINT, sampled | target);
    FORMAT(R8_SINT, sampled | target);
    FORMAT(R8G8_UNORM, filtered | blended);
    FORMAT(R8G8_SNORM, filtered);
    FORMAT(R8G8_UINT, sampled | target);
    FORMAT(R8G8_SINT, sampled | target);
    FORMAT(R8G8B8A8_UNORM, filtered | blended | stored);
    FORMAT(R8G8B8A8_SNORM, filtered | stored);
    FORMAT(R8G8B8A8_UINT, sampled | target | stored);
    FORMAT(R8G8B8A8_SINT, sampled | target | stored);
    FORMAT(R8G8B8A8_SRGB, filtered | blended);
    FORMAT(B8G8R8A8_UNORM, filtered | blended);
    FORMAT(B8G8R8A8_SRGB, filtered | blended);
    FORMAT(A8B8G8R8_UNORM_PACK32, filtered | blended);
    FORMAT(A8B8G8R8_SNORM_PACK32, filtered);
    FORMAT(A8B8G8R8_UINT_PACK32, sampled | target);
    FORMAT(A8B8G8R8_SINT_PACK32, sampled | target);
    FORMAT(A8B8G8R8_SRGB_PACK32, filtered | blended);
    FORMAT(A2B10G10R10_UNORM_PACK32, filtered | blended);
    FORMAT(A2B10G10R10_UINT_PACK32, sampled | target);
    FORMAT(R16_UINT, sampled | target);
    FORMAT(R16_SINT, sampled | target);
    FORMAT(R16_SFLOAT, filtered | blended);
    FORMAT(R16G16_UINT, sampled | target);
    FORMAT(R16G16_SINT, sampled | target);
    FORMAT(R16G16_SFLOAT, filtered | blended);
    FORMAT(R16G16B16A16_UINT, sampled | target | stored);
    FORMAT(R16G16B16A16_SINT, sampled | target | stored);
    FORMAT(R16G16B16A16_SFLOAT, filtered | blended | stored);
    FORMAT(R32_UINT, sampled | target | atomic);
    FORMAT(R32_SINT, sampled | target | atomic);
    FORMAT(R32_SFLOAT, sampled | target | stored);
    FORMAT(R32G32_UINT, sampled | target | stored);
    FORMAT(R32G32_SINT, sampled | target | stored);
    FORMAT(R32G32_SFLOAT, sampled | target | stored);
    FORMAT(R32G32B32A32_UINT, sampled | target | stored);
    FORMAT(R32G32B32A32_SINT, sampled | target | stored);
    FORMAT(R32G32B32A32_SFLOAT, sampled | target | stored);
    FORMAT(B10G11R11_UFLOAT_PACK32, filtered);
    FORMAT(E5B9G9R9_UFLOAT_PACK32, filtered);
    FORMAT(D16_UNORM, sampled | depth);
    FORMAT(D32_SFLOAT, sampled);
#undef FORMAT
    say_result(has_format(VK_FORMAT_X8_D24_UNORM_PACK32, depth) || has_format(VK_FORMAT_D32_SFLOAT, depth),
               "a depth format of 24 or 32 bits", "", 0, 0);
    say_result(has_format(VK_FORMAT_D24_UNORM_S8_UINT, depth) || has_format(VK_FORMAT_D32_SFLOAT_S8_UINT, depth),
               "a depth and stencil format", "", 0, 0);
    bool compressed =
        f.features.textureCompressionBC || f.features.textureCompressionETC2 || f.features.textureCompressionASTC_LDR;
    say_result(compressed, "a family of compressed formats", "", 0, 0);
    say_result(!f.features.textureCompressionBC || (has_format(VK_FORMAT_BC1_RGB_UNORM_BLOCK, filtered) &&
                                                    has_format(VK_FORMAT_BC7_SRGB_BLOCK, filtered) &&
                                                    has_format(VK_FORMAT_BC6H_SFLOAT_BLOCK, filtered)),
               "textureCompressionBC is true of its formats", "", 0, 0);
}

static void check_queues(void)
{
    VkQueueFamilyProperties families[16];
    uint32_t family_count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu, &family_count, families);
    bool both = false, graphics = false;
    for (uint32_t i = 0; i < family_count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        graphics |= (flags & VK_QUEUE_GRAPHICS_BIT) != 0;
        both |= (flags & VK_QUEUE_GRAPHICS_BIT) && (flags & VK_QUEUE_COMPUTE_BIT);
        bool stamps = families[i].timestampValidBits == 0 ||
                      (families[i].timestampValidBits >= 36 && families[i].timestampValidBits <= 64);
        say_result(stamps, "timestampValidBits is 0 or 36 to 64", "", families[i].timestampValidBits, 36);
        VkExtent3D step = families[i].minImageTransferGranularity;
        bool whole = step.width == 1 && step.height == 1 && step.depth == 1;
        say_result(!(flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) || whole,
                   "graphics and compute queues copy any texel", "", step.width, 1);
    }
    say_result(!graphics || both, "some queue has both graphics and compute", "", 0, 1);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
    bool coherent = false, local = false;
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        coherent |= (memory.memoryTypes[i].propertyFlags & wanted) == wanted;
        local |= (memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    }
    say_result(coherent, "a memory type is host visible and coherent", "", 0, 1);
    say_result(local, "a memory type is local to the device", "", 0, 1);
}

/* With every extension: what one promises must be there. */
static void check_device(void)
{
    uint32_t extension_count = 0;
    vkEnumerateDeviceExtensionProperties(gpu, NULL, &extension_count, NULL);
    VkExtensionProperties *extensions = calloc(extension_count + 1, sizeof(*extensions));
    const char **names = calloc(extension_count + 1, sizeof(*names));
    if (!extensions || !names)
        exit(2);
    vkEnumerateDeviceExtensionProperties(gpu, NULL, &extension_count, extensions);
    for (uint32_t i = 0; i < extension_count; i++)
        names[i] = extensions[i].extensionName;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &f,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension_count,
                               .ppEnabledExtensionNames = names};
    VkDevice device = VK_NULL_HANDLE;
    VkResult result = vkCreateDevice(gpu, &info, NULL, &device);
    say_result(result == VK_SUCCESS, "a device with all features and all extensions", "", result, 0);
    if (result == VK_SUCCESS)
        vkDestroyDevice(device, NULL);
    printf("# %u extensions\n", extension_count);
    free(names);
    free(extensions);
}

/* ---- 1.4 ---- */

#define OF_STAGES_14                                                                                                   \
    (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |               \
     VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |     \
     VK_SUBGROUP_FEATURE_QUAD_BIT)

/* Limits that 1.4 and Roadmap 2022 have alike. */
static void check_larger_limits(const VkPhysicalDeviceLimits *l)
{
    AT_LEAST(*l, maxImageDimension1D, 8192);
    AT_LEAST(*l, maxImageDimension2D, 8192);
    AT_LEAST(*l, maxImageDimensionCube, 8192);
    AT_LEAST(*l, maxImageArrayLayers, 2048);
    AT_LEAST(*l, maxUniformBufferRange, 65536);
    AT_MOST(*l, bufferImageGranularity, 4096);
    AT_LEAST(*l, maxPerStageDescriptorSamplers, 64);
    AT_LEAST(*l, maxPerStageDescriptorUniformBuffers, 15);
    AT_LEAST(*l, maxPerStageDescriptorStorageBuffers, 30);
    AT_LEAST(*l, maxPerStageDescriptorSampledImages, 200);
    AT_LEAST(*l, maxPerStageDescriptorStorageImages, 16);
    AT_LEAST(*l, maxPerStageResources, 200);
    AT_LEAST(*l, maxDescriptorSetSamplers, 576);
    AT_LEAST(*l, maxDescriptorSetUniformBuffers, 90);
    AT_LEAST(*l, maxDescriptorSetStorageBuffers, 96);
    AT_LEAST(*l, maxDescriptorSetSampledImages, 1800);
    AT_LEAST(*l, maxDescriptorSetStorageImages, 144);
    AT_LEAST(*l, maxFragmentCombinedOutputResources, 16);
    AT_LEAST(*l, maxComputeWorkGroupInvocations, 256);
    for (unsigned i = 0; i < 3; i++)
        AT_LEAST(*l, maxComputeWorkGroupSize[i], i < 2 ? 256u : 64u);
    AT_LEAST(*l, subTexelPrecisionBits, 8);
    AT_LEAST(*l, mipmapPrecisionBits, 6);
    AT_LEAST(*l, maxSamplerLodBias, 14);
    FEATURE(*l, standardSampleLocations);
    if (f.features.largePoints)
        AT_MOST(*l, pointSizeGranularity, 0.125);
    if (f.features.wideLines)
        AT_MOST(*l, lineWidthGranularity, 0.5);
    FEATURE(p12, shaderSignedZeroInfNanPreserveFloat16);
    FEATURE(p12, shaderSignedZeroInfNanPreserveFloat32);
}

/* Features that 1.4 and Roadmap 2022 have alike. */
static void check_more_features(void)
{
    FEATURE(f.features, fullDrawIndexUint32);
    FEATURE(f.features, imageCubeArray);
    FEATURE(f.features, independentBlend);
    FEATURE(f.features, sampleRateShading);
    FEATURE(f.features, drawIndirectFirstInstance);
    FEATURE(f.features, depthClamp);
    FEATURE(f.features, depthBiasClamp);
    FEATURE(f.features, samplerAnisotropy);
    FEATURE(f.features, fragmentStoresAndAtomics);
    FEATURE(f.features, shaderStorageImageExtendedFormats);
    FEATURE(f.features, shaderUniformBufferArrayDynamicIndexing);
    FEATURE(f.features, shaderSampledImageArrayDynamicIndexing);
    FEATURE(f.features, shaderStorageBufferArrayDynamicIndexing);
    FEATURE(f.features, shaderStorageImageArrayDynamicIndexing);
    FEATURE(f11, samplerYcbcrConversion);
    FEATURE(f12, samplerMirrorClampToEdge);
    FEATURE(f12, scalarBlockLayout);
    FEATURE(f12, shaderUniformTexelBufferArrayDynamicIndexing);
    FEATURE(f12, shaderStorageTexelBufferArrayDynamicIndexing);
    FEATURE(f14, globalPriorityQuery);
}

static void check_14_limits(const VkPhysicalDeviceLimits *l)
{
    check_larger_limits(l);
    AT_LEAST(*l, maxImageDimension3D, 512);
    AT_LEAST(*l, maxPushConstantsSize, 256);
    AT_LEAST(*l, maxBoundDescriptorSets, 7);
    for (unsigned i = 0; i < 2; i++)
        AT_LEAST(*l, maxViewportDimensions[i], 7680);
    AT_MOST(*l, viewportBoundsRange[0], -15360);
    AT_LEAST(*l, viewportBoundsRange[1], 15359);
    AT_LEAST(*l, maxFramebufferWidth, 7680);
    AT_LEAST(*l, maxFramebufferHeight, 7680);
    AT_LEAST(*l, maxColorAttachments, 8);
    FEATURE(*l, timestampComputeAndGraphics);
    AT_LEAST(*l, pointSizeRange[1], 256 - l->pointSizeGranularity);
    AT_MOST(*l, pointSizeGranularity, 0.125);
    HAS(p11, subgroupSupportedOperations,
        (VkSubgroupFeatureFlags)(VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_CLUSTERED_BIT |
                                 VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT));
    AT_LEAST(p14, maxPushDescriptors, 32);
    AT_LEAST(p14, lineSubPixelPrecisionBits, 4);
    AT_LEAST(p14, maxVertexAttribDivisor, 65535);
    AT_LEAST(p14, maxCombinedImageSamplerDescriptorCount, 1);
    AT_LEAST(p14, copySrcLayoutCount, 1);
    AT_LEAST(p14, copyDstLayoutCount, 1);
}

static void check_14(void)
{
    check_more_features();
    check_14_limits(&p.properties.limits);
    FEATURE(f.features, shaderImageGatherExtended);
    FEATURE(f.features, shaderInt16);
    FEATURE(f.features, largePoints);
    FEATURE(f11, storageBuffer16BitAccess);
    FEATURE(f11, variablePointersStorageBuffer);
    FEATURE(f11, variablePointers);
    FEATURE(f12, storageBuffer8BitAccess);
    FEATURE(f12, shaderInt8);
    FEATURE(f14, shaderSubgroupRotate);
    FEATURE(f14, shaderSubgroupRotateClustered);
    FEATURE(f14, shaderFloatControls2);
    FEATURE(f14, shaderExpectAssume);
    FEATURE(f14, bresenhamLines);
    FEATURE(f14, vertexAttributeInstanceRateDivisor);
    FEATURE(f14, indexTypeUint8);
    FEATURE(f14, dynamicRenderingLocalRead);
    FEATURE(f14, maintenance5);
    FEATURE(f14, maintenance6);
    FEATURE(f14, pushDescriptor);
    FEATURE(f14, pipelineRobustness);
}

/* ---- Khronos's profiles ---- */

static bool has_extension(const char *name)
{
    static VkExtensionProperties extensions[1024];
    uint32_t extension_count = 1024;
    vkEnumerateDeviceExtensionProperties(gpu, NULL, &extension_count, extensions);
    for (uint32_t i = 0; i < extension_count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

static void check_indexing(void)
{
    FEATURE(f12, descriptorIndexing);
    FEATURE(f12, shaderUniformBufferArrayNonUniformIndexing);
    FEATURE(f12, shaderSampledImageArrayNonUniformIndexing);
    FEATURE(f12, shaderStorageBufferArrayNonUniformIndexing);
    FEATURE(f12, shaderStorageImageArrayNonUniformIndexing);
    FEATURE(f12, shaderUniformTexelBufferArrayNonUniformIndexing);
    FEATURE(f12, shaderStorageTexelBufferArrayNonUniformIndexing);
    FEATURE(f12, descriptorBindingVariableDescriptorCount);
    FEATURE(f13, descriptorBindingInlineUniformBlockUpdateAfterBind);
    AT_LEAST(p12, maxPerStageDescriptorUpdateAfterBindInputAttachments, 7);
    AT_LEAST(p12, maxDescriptorSetUpdateAfterBindInputAttachments, 7);
    check_update_after_bind();
}

static void check_roadmap_2022(void)
{
    check_more_features();
    check_larger_limits(&p.properties.limits);
    check_indexing();
    FEATURE(f.features, occlusionQueryPrecise);
    AT_LEAST(p.properties.limits, maxColorAttachments, 7);
    AT_LEAST(p11, subgroupSize, 4);
    HAS(p11, subgroupSupportedStages, (VkShaderStageFlags)(VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT));
    HAS(p11, subgroupSupportedOperations, (VkSubgroupFeatureFlags)OF_STAGES_14);
    say_result(has_extension("VK_KHR_global_priority"), "VK_KHR_global_priority", "", 0, 1);
}

static void check_roadmap_2024(void)
{
    static const char *const extensions[] = {"VK_KHR_dynamic_rendering",
                                             "VK_KHR_shader_subgroup_rotate",
                                             "VK_KHR_shader_float_controls2",
                                             "VK_KHR_shader_expect_assume",
                                             "VK_KHR_line_rasterization",
                                             "VK_KHR_vertex_attribute_divisor",
                                             "VK_KHR_index_type_uint8",
                                             "VK_KHR_maintenance5",
                                             "VK_KHR_dynamic_rendering_local_read",
                                             "VK_KHR_push_descriptor",
                                             "VK_KHR_load_store_op_none",
                                             "VK_KHR_shader_quad_control",
                                             "VK_KHR_shader_maximal_reconvergence",
                                             "VK_KHR_shader_subgroup_uniform_control_flow",
                                             "VK_KHR_map_memory2"};
    for (unsigned i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
        say_result(has_extension(extensions[i]), extensions[i], "", 0, 1);
    FEATURE(f.features, multiDrawIndirect);
    FEATURE(f.features, shaderInt16);
    FEATURE(f.features, shaderImageGatherExtended);
    FEATURE(p.properties.limits, timestampComputeAndGraphics);
    AT_LEAST(p.properties.limits, maxColorAttachments, 8);
    AT_LEAST(p.properties.limits, maxBoundDescriptorSets, 7);
    FEATURE(f11, shaderDrawParameters);
    FEATURE(f11, storageBuffer16BitAccess);
    FEATURE(f12, shaderInt8);
    FEATURE(f12, shaderFloat16);
    FEATURE(f12, storageBuffer8BitAccess);
    FEATURE(p12, shaderRoundingModeRTEFloat16);
    FEATURE(p12, shaderRoundingModeRTEFloat32);
    FEATURE(f14, shaderSubgroupRotate);
    FEATURE(f14, shaderFloatControls2);
    FEATURE(f14, shaderExpectAssume);
    FEATURE(f14, vertexAttributeInstanceRateDivisor);
    FEATURE(f14, indexTypeUint8);
    FEATURE(f14, dynamicRenderingLocalRead);
    FEATURE(f14, maintenance5);
}

static void check_claim(const char *name, bool is_claimed, void (*check)(void))
{
    unclaimed = is_claimed ? NULL : name;
    lacks = 0;
    check();
    if (unclaimed)
        printf("# %s: %u requirements are missing\n", name, lacks);
    unclaimed = NULL;
}

int main(int argc, char **argv)
{
    const int profile = argc > 1 ? atoi(argv[1]) : 0;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    uint32_t gpu_count = 1;
    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(instance, &gpu_count, &gpu) < 0 || gpu_count != 1) {
        printf("Bail out! no Vulkan device\n");
        return 1;
    }
    vkGetPhysicalDeviceProperties2(gpu, &p);
    vkGetPhysicalDeviceFeatures2(gpu, &f);
    printf("# %s\n", p.properties.deviceName);
    FEATURE(f.features, robustBufferAccess);
    check_images(&p.properties.limits);
    check_buffers(&p.properties.limits);
    check_descriptors(&p.properties.limits);
    check_shaders(&p.properties.limits);
    check_rasterisation(&p.properties.limits);
    check_formats();
    check_queues();
    if (p.properties.apiVersion >= VK_API_VERSION_1_1)
        check_11();
    if (p.properties.apiVersion >= VK_API_VERSION_1_2)
        check_12();
    if (p.properties.apiVersion >= VK_API_VERSION_1_3)
        check_13();
    check_claim("Vulkan 1.4", p.properties.apiVersion >= VK_API_VERSION_1_4, check_14);
    check_claim("Roadmap 2022", profile >= 2022, check_roadmap_2022);
    check_claim("Roadmap 2024", profile >= 2024, check_roadmap_2024);
    check_device();
    vkDestroyInstance(instance, NULL);
    printf("1..%u\n", count);
    return failures != 0;
}
