/* Limits and properties of the GPU, once each; the runtime spreads them over the API's structures. */
#include <string.h>

#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/driver/radeon_rates.h"
#include "amd/driver/radeon_rays.h"
#include "kernel/kernel.h"
#include "vulkan/runtime/descriptor/vk_bindings.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_limits.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/memory/vk_host_copy.h"
#include "vulkan/runtime/object/vk_struct.h"

enum {
    MAX_EXTENT = 16384,
    MAX_LAYERS = 2048,
    /* Descriptors of the largest kind that fit into a set; a set's size must stay below 2^31 bytes. */
    MAX_DESCRIPTORS = (1 << 29) / 64,
};

#define RADEON_LOCATION_SAMPLES (VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT)
#define SAMPLES (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT)

static const struct vk_descriptor_limits descriptor_limits = {
    .sets = RADEON_MAX_SETS,
    .descriptors = MAX_DESCRIPTORS,
    .pool_descriptors = UINT32_MAX / 64,
    .dynamic_uniforms = 16,
    .dynamic_storages = 8,
    .pushed = RADEON_MAX_PUSH_DESCRIPTORS,
    .inline_B = 4 << 20,
    .inline_total_B = UINT16_MAX * 16,
};

static void fill_limits(const struct radeon_physical_device *physical, VkPhysicalDeviceLimits *limits)
{
    *limits = (VkPhysicalDeviceLimits){
        .maxImageDimension1D = MAX_EXTENT,
        .maxImageDimension2D = MAX_EXTENT,
        .maxImageDimension3D = 2048,
        .maxImageDimensionCube = MAX_EXTENT,
        .maxImageArrayLayers = MAX_LAYERS,
        .maxTexelBufferElements = UINT32_MAX,
        .maxUniformBufferRange = UINT32_MAX,
        .maxStorageBufferRange = UINT32_MAX,
        .maxPushConstantsSize = RADEON_MAX_PUSH_B,
        .sparseAddressSpaceSize = 1ull << 40,
        .bufferImageGranularity = 1,
        .maxVertexInputAttributes = 32,
        .maxVertexInputBindings = 32,
        .maxVertexInputAttributeOffset = UINT32_MAX,
        .maxVertexInputBindingStride = 2048,
        .maxVertexOutputComponents = 128,
        .maxTessellationGenerationLevel = 64,
        .maxTessellationPatchSize = 32,
        .maxTessellationControlPerVertexInputComponents = 128,
        .maxTessellationControlPerVertexOutputComponents = 128,
        .maxTessellationControlPerPatchOutputComponents = 120,
        .maxTessellationControlTotalOutputComponents = 4096,
        .maxTessellationEvaluationInputComponents = 128,
        .maxTessellationEvaluationOutputComponents = 128,
        .maxGeometryShaderInvocations = 127,
        .maxGeometryInputComponents = 128,
        .maxGeometryOutputComponents = 128,
        .maxGeometryOutputVertices = 256,
        .maxGeometryTotalOutputComponents = 1024,
        .maxFragmentInputComponents = 128,
        .maxFragmentOutputAttachments = 8,
        .maxFragmentDualSrcAttachments = 1,
        .maxComputeSharedMemorySize = 64 * 1024,
        .maxComputeWorkGroupCount = {65535, 65535, 65535},
        .maxComputeWorkGroupInvocations = 1024,
        .maxComputeWorkGroupSize = {1024, 1024, 1024},
        .subPixelPrecisionBits = 8,
        .subTexelPrecisionBits = 8,
        .mipmapPrecisionBits = 8,
        .maxDrawIndexedIndexValue = UINT32_MAX,
        .maxDrawIndirectCount = UINT32_MAX,
        .maxSamplerLodBias = 16,
        .maxSamplerAnisotropy = 16,
        .maxViewports = 16,
        .maxViewportDimensions = {MAX_EXTENT, MAX_EXTENT},
        .viewportBoundsRange = {-32768, 32767},
        .viewportSubPixelBits = 8,
        .minTexelBufferOffsetAlignment = 4,
        .minUniformBufferOffsetAlignment = 4,
        .minStorageBufferOffsetAlignment = 4,
        .minTexelOffset = -32,
        .maxTexelOffset = 31,
        .minTexelGatherOffset = -32,
        .maxTexelGatherOffset = 31,
        .minInterpolationOffset = -2,
        .maxInterpolationOffset = 2,
        .subPixelInterpolationOffsetBits = 8,
        .maxFramebufferWidth = MAX_EXTENT,
        .maxFramebufferHeight = MAX_EXTENT,
        .maxFramebufferLayers = 1024,
        .maxColorAttachments = 8,
        .storageImageSampleCounts = SAMPLES,
        .maxSampleMaskWords = 1,
        .timestampComputeAndGraphics = true,
        .timestampPeriod = 1000000.0f / (float)physical->ws->info.device.gpu_counter_freq,
        .maxClipDistances = 8,
        .maxCullDistances = 8,
        .maxCombinedClipAndCullDistances = 8,
        .pointSizeRange = {0, 8191.875f},
        .lineWidthRange = {0, 8191.875f},
        .pointSizeGranularity = 1.0f / 8,
        .lineWidthGranularity = 1.0f / 8,
        .strictLines = false,
        .standardSampleLocations = true,
        .optimalBufferCopyOffsetAlignment = 1,
        .optimalBufferCopyRowPitchAlignment = 1,
        .nonCoherentAtomSize = 64,
    };
}

static void fill_identity(const struct radeon_physical_device *physical, struct vk_properties *p)
{
    p->core.apiVersion = RADEON_API_VERSION;
    memcpy(p->shaderBinaryUUID, physical->vk.identity.cache_uuid, VK_UUID_SIZE);
    p->shaderBinaryVersion = VK_SHADER_BINARY_VERSION;
    vk_identity_fill_properties(&physical->vk.identity, physical->is_apu, p);
}

static void fill_shaders(struct vk_properties *p)
{
    p->subgroupSize = 64;
    p->subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT |
                                 VK_SHADER_STAGE_GEOMETRY_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    p->subgroupQuadOperationsInAllStages = true;
    p->minSubgroupSize = 32;
    p->maxSubgroupSize = 64;
    p->maxComputeWorkgroupSubgroups = 1024 / 32;
    p->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;

    p->denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
    p->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
    p->shaderSignedZeroInfNanPreserveFloat16 = true;
    p->shaderSignedZeroInfNanPreserveFloat32 = true;
    p->shaderSignedZeroInfNanPreserveFloat64 = true;
    p->shaderDenormPreserveFloat16 = true;
    p->shaderDenormPreserveFloat32 = true;
    p->shaderDenormPreserveFloat64 = true;
    p->shaderDenormFlushToZeroFloat16 = true;
    p->shaderDenormFlushToZeroFloat32 = true;
    p->shaderDenormFlushToZeroFloat64 = true;
    p->shaderRoundingModeRTEFloat16 = true;
    p->shaderRoundingModeRTEFloat32 = true;
    p->shaderRoundingModeRTEFloat64 = true;
    p->shaderRoundingModeRTZFloat16 = true;
    p->shaderRoundingModeRTZFloat32 = true;
    p->shaderRoundingModeRTZFloat64 = true;
    p->robustStorageBufferAccessSizeAlignment = 4;
    p->robustUniformBufferAccessSizeAlignment = 4;

    /* v_dot4_i32_i8 and v_dot4_u32_u8: of one sign on both sides, with saturation as without. */
    p->integerDotProduct4x8BitPackedSignedAccelerated = true;
    p->integerDotProduct4x8BitPackedUnsignedAccelerated = true;
    p->integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated = true;
    p->integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated = true;
}

static void fill_resources(const struct radeon_physical_device *physical, struct vk_properties *p)
{
    /* Sizes are 32 bits in many packets and descriptors. */
    p->maxMemoryAllocationSize = MIN2(UINT32_MAX & ~3ull, physical->vk.memory.memoryHeaps[1].size);
    p->maxBufferSize = UINT32_MAX & ~3ull;
    p->minImportedHostPointerAlignment = 4096;
    p->maxCustomBorderColorSamplers = 4096;
    p->filterMinmaxSingleComponentFormats = true;
    p->filterMinmaxImageComponentMapping = true;
    p->storageTexelBufferOffsetAlignmentBytes = 4;
    p->storageTexelBufferOffsetSingleTexelAlignment = true;
    p->uniformTexelBufferOffsetAlignmentBytes = 4;
    p->uniformTexelBufferOffsetSingleTexelAlignment = true;
    p->maxVertexAttribDivisor = p->maxVertexAttribDivisorEXT = UINT32_MAX;
    p->supportsNonZeroFirstInstance = true;
    p->polygonModePointSize = true;
    p->nonStrictSinglePixelWideLinesUseParallelogram = true;
    p->nonStrictWideLinesUseParallelogram = true;
}

/* Half of the addresses that 32-bit pointers reach; the other half is left to code, sets and uploads. */
#define DESCRIPTOR_BUFFERS_B (1ull << 31)

static void fill_descriptor_buffers(struct vk_properties *p)
{
    p->combinedImageSamplerDescriptorSingleArray = true;
    p->bufferlessPushDescriptors = true;
    p->descriptorBufferOffsetAlignment = RADEON_SET_ALIGN_B;
    p->maxDescriptorBufferBindings = VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxResourceDescriptorBufferBindings = VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxSamplerDescriptorBufferBindings = VK_MAX_DESCRIPTOR_BUFFERS;
    p->maxEmbeddedImmutableSamplerBindings = RADEON_MAX_SETS;
    p->maxEmbeddedImmutableSamplers = MAX_DESCRIPTORS; /* they are constants of the code */
    p->samplerDescriptorSize = RADEON_SAMPLER_DESCRIPTOR_B;
    p->combinedImageSamplerDescriptorSize = RADEON_COMBINED_DESCRIPTOR_B;
    p->sampledImageDescriptorSize = p->storageImageDescriptorSize = RADEON_IMAGE_DESCRIPTOR_B;
    p->inputAttachmentDescriptorSize = RADEON_IMAGE_DESCRIPTOR_B;
    p->accelerationStructureDescriptorSize = RADEON_STRUCTURE_DESCRIPTOR_B;
    /* Every access is checked, asked for or not. */
    p->uniformTexelBufferDescriptorSize = p->robustUniformTexelBufferDescriptorSize = RADEON_BUFFER_DESCRIPTOR_B;
    p->storageTexelBufferDescriptorSize = p->robustStorageTexelBufferDescriptorSize = RADEON_BUFFER_DESCRIPTOR_B;
    p->uniformBufferDescriptorSize = p->robustUniformBufferDescriptorSize = RADEON_BUFFER_DESCRIPTOR_B;
    p->storageBufferDescriptorSize = p->robustStorageBufferDescriptorSize = RADEON_BUFFER_DESCRIPTOR_B;
    p->maxSamplerDescriptorBufferRange = p->maxResourceDescriptorBufferRange = DESCRIPTOR_BUFFERS_B;
    p->samplerDescriptorBufferAddressSpaceSize = DESCRIPTOR_BUFFERS_B;
    p->resourceDescriptorBufferAddressSpaceSize = DESCRIPTOR_BUFFERS_B;
    p->descriptorBufferAddressSpaceSize = DESCRIPTOR_BUFFERS_B;
}

/* A workgroup's outputs and its own memory share 64 KiB; a layer has three bits of a primitive's word. */
static void fill_mesh(struct vk_properties *p)
{
    p->maxTaskWorkGroupTotalCount = p->maxMeshWorkGroupTotalCount = 1 << 22;
    p->maxTaskWorkGroupInvocations = p->maxMeshWorkGroupInvocations = 256;
    for (unsigned i = 0; i < 3; i++) {
        p->maxTaskWorkGroupCount[i] = p->maxMeshWorkGroupCount[i] = UINT16_MAX;
        p->maxTaskWorkGroupSize[i] = p->maxMeshWorkGroupSize[i] = 256;
    }
    p->maxTaskPayloadSize = 16 << 10;
    p->maxTaskSharedMemorySize = 32 << 10;
    p->maxTaskPayloadAndSharedMemorySize = 48 << 10;
    p->maxMeshSharedMemorySize = 28 << 10;
    p->maxMeshPayloadAndSharedMemorySize = 44 << 10;
    p->maxMeshOutputMemorySize = 32 << 10;
    p->maxMeshPayloadAndOutputMemorySize = 48 << 10;
    p->maxMeshOutputComponents = 128;
    p->maxMeshOutputVertices = 256;
    p->maxMeshOutputPrimitives = 256;
    p->maxMeshOutputLayers = 8;
    p->maxMeshMultiviewViewCount = 8;
    p->meshOutputPerVertexGranularity = 1;
    p->meshOutputPerPrimitiveGranularity = 1;
    p->maxPreferredTaskWorkGroupInvocations = 64;
    p->maxPreferredMeshWorkGroupInvocations = 64;
    p->prefersCompactVertexOutput = true;
    p->prefersCompactPrimitiveOutput = true;
}

/* As many as the specification demands; memory is what limits them. */
static void fill_rays(struct vk_properties *p)
{
    p->maxGeometryCount = (1u << RAY_GEOMETRY_INDEX_BITS) - 1;
    p->maxInstanceCount = (1u << 24) - 1;
    p->maxPrimitiveCount = (1u << 29) - 1;
    p->maxPerStageDescriptorAccelerationStructures = MAX_DESCRIPTORS;
    p->maxPerStageDescriptorUpdateAfterBindAccelerationStructures = MAX_DESCRIPTORS;
    p->maxDescriptorSetAccelerationStructures = MAX_DESCRIPTORS;
    p->maxDescriptorSetUpdateAfterBindAccelerationStructures = MAX_DESCRIPTORS;
    p->minAccelerationStructureScratchOffsetAlignment = RADEON_RAYS_SCRATCH_ALIGN;
    p->shaderGroupHandleSize = VK_RAY_HANDLE_B;
    p->shaderGroupHandleAlignment = VK_RAY_HANDLE_B;
    p->shaderGroupHandleCaptureReplaySize = VK_RAY_HANDLE_B;
    p->shaderGroupBaseAlignment = VK_RAY_HANDLE_B;
    p->maxShaderGroupStride = 1u << 14;
    p->maxRayRecursionDepth = 31;
    p->maxRayDispatchInvocationCount = 1u << 30;
    p->maxRayHitAttributeSize = 32;
}

static void fill_rendering(struct vk_properties *p)
{
    p->supportedDepthResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT |
                                    VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
    p->supportedStencilResolveModes =
        VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
    p->independentResolveNone = true;
    p->independentResolve = true;
    p->maxMultiviewViewCount = 8;
    p->pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES;
    p->provokingVertexModePerPipeline = true;
    p->transformFeedbackPreservesTriangleFanProvokingVertex = true;
    p->maxTransformFeedbackStreams = 4;
    p->transformFeedbackStreamsLinesTriangles = true;
    p->maxTransformFeedbackBuffers = RADEON_XFB_BUFFERS;
    p->maxTransformFeedbackBufferSize = UINT32_MAX & ~3ull;
    p->maxTransformFeedbackStreamDataSize = 512;
    p->maxTransformFeedbackBufferDataSize = 512;
    p->maxTransformFeedbackBufferDataStride = 512;
    p->transformFeedbackQueries = true;
    p->transformFeedbackDraw = true;
    p->dynamicPrimitiveTopologyUnrestricted = false;
    p->maxDiscardRectangles = 4;
    p->graphicsPipelineLibraryFastLinking = true;
    p->defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT;
    p->lineSubPixelPrecisionBits = 4;
    p->degenerateTrianglesRasterized = true; /* conservative rasterisation: overestimation alone */
    p->primitiveFragmentShadingRateWithMultipleViewports = true;
    p->fragmentShadingRateNonTrivialCombinerOps = true;
    p->minFragmentShadingRateAttachmentTexelSize = (VkExtent2D){RADEON_RATE_TEXEL, RADEON_RATE_TEXEL};
    p->maxFragmentShadingRateAttachmentTexelSize = (VkExtent2D){RADEON_RATE_TEXEL, RADEON_RATE_TEXEL};
    p->maxFragmentShadingRateAttachmentTexelSizeAspectRatio = 1;
    p->maxFragmentSize = (VkExtent2D){2, 2};
    p->maxFragmentSizeAspectRatio = 2;
    p->maxFragmentShadingRateCoverageSamples = 16;
    p->maxFragmentShadingRateRasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    p->fragmentShadingRateWithSampleMask = true;
    p->fragmentShadingRateWithConservativeRasterization = true;
    p->fragmentShadingRateWithCustomSampleLocations = true;
    p->fragmentShadingRateStrictMultiplyCombiner = true;
    p->sampleLocationSampleCounts = RADEON_LOCATION_SAMPLES;
    p->maxSampleLocationGridSize = (VkExtent2D){2, 2};
    p->sampleLocationCoordinateRange[0] = 0.0f;
    p->sampleLocationCoordinateRange[1] = 0.9375f;
    p->sampleLocationSubPixelBits = 4;
    p->variableSampleLocations = false;
}

VKAPI_ATTR void VKAPI_CALL radeon_GetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                               VkPhysicalDeviceProperties2 *properties)
{
    struct radeon_physical_device *physical = radeon_physical_device_from_handle(handle);
    struct vk_properties p = {0};
    fill_identity(physical, &p);
    fill_limits(physical, &p.core.limits);
    vk_fill_common_limits(&p);
    vk_fill_sample_counts(&p, SAMPLES);
    vk_fill_descriptor_limits(&p, &descriptor_limits);
    p.core.sparseProperties = (VkPhysicalDeviceSparseProperties){.residencyStandard2DBlockShape = true,
                                                                 .residencyStandard3DBlockShape = true,
                                                                 .residencyNonResidentStrict = true};
    fill_shaders(&p);
    fill_resources(physical, &p);
    fill_descriptor_buffers(&p);
    fill_mesh(&p);
    fill_rays(&p);
    fill_rendering(&p);
    vk_fill_maintenance7(&p, properties->pNext, RADEON_MAX_DYNAMIC_BUFFERS);
    vk_host_copy_fill_properties(&p, properties->pNext, physical->mapped_types == physical->vk.plain_types);
    vk_properties_write(&p, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetPhysicalDeviceFragmentShadingRatesKHR(
    VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceFragmentShadingRateKHR *rates)
{
    static const VkExtent2D sizes[] = {{2, 2}, {2, 1}, {1, 2}, {1, 1}};
    (void)handle;
    const VkResult result = vk_two_call(ARRAY_SIZE(sizes), count, rates);
    for (uint32_t i = 0; rates && i < *count; i++) {
        rates[i].sampleCounts = i + 1 < ARRAY_SIZE(sizes) ? RADEON_COARSE_SAMPLES : ~0u;
        rates[i].fragmentSize = sizes[i];
    }
    return result;
}
