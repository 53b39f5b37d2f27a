/* Limits and properties of the GPU, once each; the runtime spreads them over the API's structures. */
#include "mali/driver/descriptor.h"
#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/memory.h"
#include "mali/driver/shader.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_limits.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/memory/vk_host_copy.h"

enum {
    MAX_EXTENT = 16384,
    MAX_LAYERS = 2048,
    MAX_TEXELS = 1 << 27,
};

#define SAMPLES (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT | VK_SAMPLE_COUNT_16_BIT)

static const struct vk_descriptor_limits descriptor_limits = {
    .sets = MALI_MAX_SETS,
    .descriptors = MALI_MAX_DESCRIPTORS_PER_SET,
    .pool_descriptors = MALI_MAX_DESCRIPTORS_PER_SET,
    .dynamic_uniforms = MALI_MAX_DYNAMIC_BUFFERS / 2,
    .dynamic_storages = MALI_MAX_DYNAMIC_BUFFERS / 2,
    .pushed = MALI_MAX_PUSH_DESCRIPTORS,
    .inline_B = MALI_MAX_UNIFORM_B,
    .inline_total_B = 2 * MALI_MAX_SETS * MALI_MAX_UNIFORM_B,
};

static void fill_image_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxImageDimension1D = limits->maxImageDimension2D = limits->maxImageDimensionCube = MAX_EXTENT;
    limits->maxImageDimension3D = 2048;
    limits->maxImageArrayLayers = MAX_LAYERS;
    limits->maxTexelBufferElements = MAX_TEXELS;
    limits->maxFramebufferWidth = limits->maxFramebufferHeight = MAX_EXTENT;
    limits->maxFramebufferLayers = 256;
    limits->storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT;
    limits->maxColorAttachments = 8;
    limits->maxSampleMaskWords = 1;
    limits->maxSamplerLodBias = 127.0f;
    limits->maxSamplerAnisotropy = 16;
    limits->subTexelPrecisionBits = limits->mipmapPrecisionBits = 8;
    limits->minTexelOffset = -8;
    limits->maxTexelOffset = 7;
    limits->minTexelGatherOffset = -8;
    limits->maxTexelGatherOffset = 7;
}

static void fill_buffer_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxPushConstantsSize = MALI_MAX_PUSH_B;
    limits->maxUniformBufferRange = MALI_MAX_UNIFORM_B;
    limits->maxStorageBufferRange = UINT32_MAX;
    limits->minTexelBufferOffsetAlignment = 64;
    limits->minUniformBufferOffsetAlignment = MALI_BUFFER_ALIGN_B;
    limits->minStorageBufferOffsetAlignment = MALI_BUFFER_ALIGN_B;
}

static void fill_geometry_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxVertexInputAttributes = MALI_MAX_ATTRIBUTES;
    limits->maxVertexInputBindings = 16;
    limits->maxVertexInputAttributeOffset = 2047;
    limits->maxVertexInputBindingStride = 2048;
    limits->maxVertexOutputComponents = 4 * MALI_MAX_VARYINGS;
    limits->maxFragmentInputComponents = 4 * MALI_MAX_VARYINGS;
    limits->maxFragmentOutputAttachments = 8;
    limits->maxFragmentDualSrcAttachments = 1;
    limits->subPixelPrecisionBits = 8;
    limits->maxDrawIndexedIndexValue = UINT32_MAX;
    limits->maxDrawIndirectCount = UINT32_MAX;
    limits->maxViewports = 1;
    limits->maxViewportDimensions[0] = limits->maxViewportDimensions[1] = MAX_EXTENT;
    limits->viewportBoundsRange[0] = -(float)(2 * MAX_EXTENT);
    limits->viewportBoundsRange[1] = 2 * MAX_EXTENT - 1;
    limits->minInterpolationOffset = -0.5f;
    limits->maxInterpolationOffset = 0.4375f;
    limits->subPixelInterpolationOffsetBits = 4;
    limits->pointSizeRange[0] = limits->pointSizeGranularity = 0.125f;
    limits->pointSizeRange[1] = MALI_MAX_POINT_SIZE;
    limits->lineWidthRange[0] = limits->lineWidthGranularity = 0.125f;
    limits->lineWidthRange[1] = 8;
    limits->strictLines = true;
    limits->standardSampleLocations = true;
}

static void fill_limits(const struct mali_physical_device *physical, VkPhysicalDeviceLimits *limits)
{
    const struct mali_chip *chip = physical->chip;
    fill_image_limits(limits);
    fill_buffer_limits(limits);
    fill_geometry_limits(limits);
    limits->bufferImageGranularity = 64;
    limits->maxComputeSharedMemorySize = 32 << 10;
    for (int i = 0; i < 3; i++)
        limits->maxComputeWorkGroupCount[i] = 65535;
    limits->maxComputeWorkGroupInvocations = chip->thread_max_workgroup_size;
    for (int i = 0; i < 3; i++)
        limits->maxComputeWorkGroupSize[i] = chip->thread_max_workgroup_size;
    limits->timestampComputeAndGraphics = true;
    limits->timestampPeriod = 1e9f / (float)physical->kernel->timestamp_Hz;
    limits->optimalBufferCopyOffsetAlignment = limits->optimalBufferCopyRowPitchAlignment = 64;
    limits->nonCoherentAtomSize = 64;
}

static void fill_shaders(struct vk_properties *p)
{
    p->subgroupSize = p->minSubgroupSize = p->maxSubgroupSize = MALI_SUBGROUP_SIZE;
    p->subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    p->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    p->maxComputeWorkgroupSubgroups = 1024 / MALI_SUBGROUP_SIZE;
    p->denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    p->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    p->shaderSignedZeroInfNanPreserveFloat16 = p->shaderSignedZeroInfNanPreserveFloat32 = true;
    p->robustStorageBufferAccessSizeAlignment = 1;
    p->robustUniformBufferAccessSizeAlignment = 1;
}

static void fill_resources(const struct mali_physical_device *physical, struct vk_properties *p)
{
    p->maxMemoryAllocationSize = MIN2(physical->vk.max_allocation_B, physical->vk.memory.memoryHeaps[0].size);
    p->maxBufferSize = p->maxMemoryAllocationSize;
    p->defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_EXT;
    p->pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_USER_CLIP_PLANES_ONLY;
}

static void fill_graphics(struct vk_properties *p)
{
    p->maxCustomBorderColorSamplers = p->core.limits.maxSamplerAllocationCount;
    p->storageTexelBufferOffsetAlignmentBytes = p->uniformTexelBufferOffsetAlignmentBytes = 64;
    p->filterMinmaxSingleComponentFormats = true;
    p->filterMinmaxImageComponentMapping = true;
    p->maxMultiviewViewCount = 8;              /* bits of VIEW_MASK */
    p->provokingVertexModePerPipeline = false; /* it is one for all bins of a pass */
    p->supportedDepthResolveModes = p->supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    p->lineSubPixelPrecisionBits = 8;
    p->maxVertexAttribDivisor = UINT32_MAX;
    p->supportsNonZeroFirstInstance = false; /* divisors count from instance 0 */
}

VKAPI_ATTR void VKAPI_CALL mali_GetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                             VkPhysicalDeviceProperties2 *properties)
{
    struct mali_physical_device *physical = mali_physical_device_from_handle(handle);
    struct vk_properties p = {0};
    p.core.apiVersion = MALI_API_VERSION;
    vk_identity_fill_properties(&physical->vk.identity, true, &p);
    vk_fill_common_limits(&p);
    vk_fill_sample_counts(&p, SAMPLES);
    vk_fill_descriptor_limits(&p, &descriptor_limits);
    fill_limits(physical, &p.core.limits);
    fill_shaders(&p);
    fill_resources(physical, &p);
    fill_graphics(&p);
    vk_fill_maintenance7(&p, properties->pNext, MALI_MAX_DYNAMIC_BUFFERS);
    vk_host_copy_fill_properties(&p, properties->pNext, true);
    vk_properties_write(&p, properties);
}
