/* Limits and properties of the GPU, once each; the runtime spreads them over the API's structures. */
#include "adreno/driver/descriptor.h"
#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/memory.h"
#include "adreno/driver/shader.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_limits.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/memory/vk_host_copy.h"

enum {
    MAX_EXTENT = 16384,
    MAX_LAYERS = 2048,
    MAX_TEXELS = 1 << 27,  /* of a texel buffer: the bits that a descriptor counts in */
    MAX_RANGE_B = 1 << 29, /* of a storage buffer, which counts dwords in as many */
};

#define SAMPLES (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT)

static const struct vk_descriptor_limits descriptor_limits = {
    .sets = ADRENO_API_SETS,
    .descriptors = ADRENO_MAX_DESCRIPTORS_PER_SET,
    .pool_descriptors = ADRENO_MAX_DESCRIPTORS_PER_SET,
    .dynamic_uniforms = ADRENO_MAX_DYNAMIC_BUFFERS / 2,
    .dynamic_storages = ADRENO_MAX_DYNAMIC_BUFFERS / 2,
    .pushed = ADRENO_MAX_PUSH_DESCRIPTORS,
    .inline_B = ADRENO_MAX_UNIFORM_B,
    .inline_total_B = 2 * ADRENO_API_SETS * ADRENO_MAX_UNIFORM_B,
};

static void fill_image_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxImageDimension1D = limits->maxImageDimension2D = limits->maxImageDimensionCube = MAX_EXTENT;
    limits->maxImageDimension3D = 2048;
    limits->maxImageArrayLayers = MAX_LAYERS;
    limits->maxTexelBufferElements = MAX_TEXELS;
    limits->maxFramebufferWidth = limits->maxFramebufferHeight = MAX_EXTENT;
    limits->maxFramebufferLayers = MAX_LAYERS;
    limits->storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT;
    limits->maxColorAttachments = 8;
    limits->maxSampleMaskWords = 1;
    limits->maxSamplerLodBias = 4095.0f / 256.0f;
    limits->maxSamplerAnisotropy = 16;
    limits->subTexelPrecisionBits = limits->mipmapPrecisionBits = 8;
    limits->minTexelOffset = -16;
    limits->maxTexelOffset = 15;
    limits->minTexelGatherOffset = -32;
    limits->maxTexelGatherOffset = 31;
}

static void fill_buffer_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxPushConstantsSize = ADRENO_MAX_PUSH_B;
    limits->maxUniformBufferRange = ADRENO_MAX_UNIFORM_B;
    limits->maxStorageBufferRange = MAX_RANGE_B;
    limits->minTexelBufferOffsetAlignment = ADRENO_BUFFER_ALIGN_B;
    limits->minUniformBufferOffsetAlignment = ADRENO_BUFFER_ALIGN_B;
    limits->minStorageBufferOffsetAlignment = ADRENO_BUFFER_ALIGN_B;
}

static void fill_geometry_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxVertexInputAttributes = limits->maxVertexInputBindings = 32;
    limits->maxVertexInputAttributeOffset = 4095;
    limits->maxVertexInputBindingStride = 2048;
    limits->maxVertexOutputComponents = 128;
    limits->maxFragmentInputComponents = 124;
    limits->maxFragmentOutputAttachments = 8;
    limits->maxFragmentDualSrcAttachments = 1;
    limits->maxTessellationGenerationLevel = 64;
    limits->maxTessellationPatchSize = 32;
    limits->maxTessellationControlPerVertexInputComponents = 128;
    limits->maxTessellationControlPerVertexOutputComponents = 128;
    limits->maxTessellationControlPerPatchOutputComponents = 120;
    limits->maxTessellationControlTotalOutputComponents = 4096;
    limits->maxTessellationEvaluationInputComponents = 128;
    limits->maxTessellationEvaluationOutputComponents = 128;
    limits->maxGeometryShaderInvocations = 32;
    limits->maxGeometryInputComponents = 128;
    limits->maxGeometryOutputComponents = 128;
    limits->maxGeometryOutputVertices = 256;
    limits->maxGeometryTotalOutputComponents = 1024;
    limits->subPixelPrecisionBits = 8;
    limits->maxDrawIndexedIndexValue = UINT32_MAX;
    limits->maxDrawIndirectCount = UINT32_MAX;
    limits->maxViewports = 16;
    limits->maxViewportDimensions[0] = limits->maxViewportDimensions[1] = MAX_EXTENT;
    limits->viewportBoundsRange[0] = -(float)(2 * MAX_EXTENT);
    limits->viewportBoundsRange[1] = 2 * MAX_EXTENT - 1;
    limits->viewportSubPixelBits = 8;
    limits->minInterpolationOffset = -0.5f;
    limits->maxInterpolationOffset = 0.4375f;
    limits->subPixelInterpolationOffsetBits = 4;
    limits->maxClipDistances = limits->maxCullDistances = limits->maxCombinedClipAndCullDistances = 8;
    limits->pointSizeRange[0] = 1;
    limits->pointSizeRange[1] = 4092;
    limits->pointSizeGranularity = 0.0625f;
    limits->lineWidthRange[0] = 1;
    limits->lineWidthRange[1] = 127.5f;
    limits->lineWidthGranularity = 0.5f;
    limits->strictLines = true;
    limits->standardSampleLocations = true;
}

static void fill_limits(const struct adreno_physical_device *physical, VkPhysicalDeviceLimits *limits)
{
    fill_image_limits(limits);
    fill_buffer_limits(limits);
    fill_geometry_limits(limits);
    limits->bufferImageGranularity = 64;
    limits->maxComputeSharedMemorySize = physical->chip->shared_memory_B;
    for (int i = 0; i < 3; i++)
        limits->maxComputeWorkGroupCount[i] = 65535;
    limits->maxComputeWorkGroupInvocations = 1024;
    limits->maxComputeWorkGroupSize[0] = limits->maxComputeWorkGroupSize[1] = 1024;
    limits->maxComputeWorkGroupSize[2] = 1024;
    limits->timestampComputeAndGraphics = true;
    limits->timestampPeriod = 1e9f / ADRENO_TIMESTAMP_HZ;
    limits->optimalBufferCopyOffsetAlignment = limits->optimalBufferCopyRowPitchAlignment = 128;
    limits->nonCoherentAtomSize = 64;
}

static void fill_dot_products(const struct adreno_chip *chip, struct vk_properties *p)
{
    const bool is_fast = chip->has_dp4acc;
    p->integerDotProduct4x8BitPackedUnsignedAccelerated = is_fast;
    p->integerDotProduct4x8BitPackedMixedSignednessAccelerated = is_fast;
    p->integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated = is_fast;
    p->integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated = is_fast;
}

static void fill_shaders(const struct adreno_chip *chip, struct vk_properties *p)
{
    p->subgroupSize = ADRENO_SUBGROUP_SIZE;
    p->subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    p->minSubgroupSize = 64;
    p->maxSubgroupSize = 128;
    p->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    p->maxComputeWorkgroupSubgroups = 1024 / 64;
    fill_dot_products(chip, p);
    p->denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    p->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    p->shaderSignedZeroInfNanPreserveFloat16 = p->shaderSignedZeroInfNanPreserveFloat32 = true;
    p->robustStorageBufferAccessSizeAlignment = 4;
    p->robustUniformBufferAccessSizeAlignment = 16;
}

static void fill_resources(const struct adreno_physical_device *physical, struct vk_properties *p)
{
    p->maxMemoryAllocationSize = MIN2(physical->vk.max_allocation_B, physical->vk.memory.memoryHeaps[0].size);
    p->maxBufferSize = p->maxMemoryAllocationSize;
    p->defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT;
    p->pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
}

static void fill_graphics(struct vk_properties *p)
{
    p->maxCustomBorderColorSamplers = ADRENO_BORDERS - ADRENO_FIRST_CUSTOM_BORDER;
    p->filterMinmaxSingleComponentFormats = true;
    p->filterMinmaxImageComponentMapping = true;
    p->storageTexelBufferOffsetAlignmentBytes = p->uniformTexelBufferOffsetAlignmentBytes = 64;
    p->maxVertexAttribDivisor = p->maxVertexAttribDivisorEXT = UINT32_MAX;
    p->supportsNonZeroFirstInstance = true;
    p->maxTransformFeedbackStreams = 4;
    p->maxTransformFeedbackBuffers = ADRENO_XFB_BUFFERS;
    p->maxTransformFeedbackBufferSize = UINT32_MAX & ~3ull;
    p->maxTransformFeedbackStreamDataSize = 512;
    p->maxTransformFeedbackBufferDataSize = 512;
    p->maxTransformFeedbackBufferDataStride = 512;
    p->transformFeedbackQueries = true;
    p->transformFeedbackDraw = true;
    p->supportedDepthResolveModes = p->supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    p->maxMultiviewViewCount = 16; /* bits of PC_STEREO_RENDERING_VIEWMASK */
    p->provokingVertexModePerPipeline = true;
    p->polygonModePointSize = true;
    p->lineSubPixelPrecisionBits = 8;
    p->sampleLocationSampleCounts = SAMPLES;
    p->maxSampleLocationGridSize = (VkExtent2D){1, 1};
    p->sampleLocationCoordinateRange[1] = 0.9375f;
    p->sampleLocationSubPixelBits = 4;
    p->variableSampleLocations = true;
}

VKAPI_ATTR void VKAPI_CALL adreno_GetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                               VkPhysicalDeviceProperties2 *properties)
{
    struct adreno_physical_device *physical = adreno_physical_device_from_handle(handle);
    struct vk_properties p = {0};
    p.core.apiVersion = ADRENO_API_VERSION;
    vk_identity_fill_properties(&physical->vk.identity, true, &p);
    vk_fill_common_limits(&p);
    vk_fill_sample_counts(&p, SAMPLES);
    vk_fill_descriptor_limits(&p, &descriptor_limits);
    fill_limits(physical, &p.core.limits);
    fill_shaders(physical->chip, &p);
    fill_resources(physical, &p);
    fill_graphics(&p);
    vk_fill_maintenance7(&p, properties->pNext, ADRENO_MAX_DYNAMIC_BUFFERS);
    vk_host_copy_fill_properties(&p, properties->pNext, true);
    vk_properties_write(&p, properties);
}
