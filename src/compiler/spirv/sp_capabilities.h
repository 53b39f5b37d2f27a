/* The capabilities that the front end can translate: all that Vulkan's compute, graphics and subgroup features ask for, without sparse
 * residency, ray tracing and mesh shaders. What a driver does not advertise it refuses by spirv_options. */
#ifndef COMPILER_SPIRV_SP_CAPABILITIES_H
#define COMPILER_SPIRV_SP_CAPABILITIES_H

#include <spirv/unified1/spirv.h>
#include <stdint.h>

static const uint32_t sp_capabilities[] = {
    SpvCapabilityMatrix, SpvCapabilityShader, SpvCapabilityGeometry, SpvCapabilityTessellation,
    SpvCapabilityFloat16, SpvCapabilityFloat64, SpvCapabilityInt64, SpvCapabilityInt64Atomics, SpvCapabilityInt16,
    SpvCapabilityInt8, SpvCapabilityGroups,
    SpvCapabilityTessellationPointSize, SpvCapabilityGeometryPointSize, SpvCapabilityGeometryStreams,
    SpvCapabilityImageGatherExtended, SpvCapabilityStorageImageMultisample,
    SpvCapabilityUniformBufferArrayDynamicIndexing, SpvCapabilitySampledImageArrayDynamicIndexing,
    SpvCapabilityStorageBufferArrayDynamicIndexing, SpvCapabilityStorageImageArrayDynamicIndexing,
    SpvCapabilityClipDistance, SpvCapabilityCullDistance, SpvCapabilityImageCubeArray, SpvCapabilitySampleRateShading,
    SpvCapabilityInputAttachment, SpvCapabilityMinLod, SpvCapabilitySampled1D, SpvCapabilityImage1D,
    SpvCapabilitySampledCubeArray, SpvCapabilitySampledBuffer, SpvCapabilityImageBuffer, SpvCapabilityImageMSArray,
    SpvCapabilityStorageImageExtendedFormats, SpvCapabilityImageQuery, SpvCapabilityDerivativeControl,
    SpvCapabilityInterpolationFunction, SpvCapabilityTransformFeedback, SpvCapabilityStorageImageReadWithoutFormat,
    SpvCapabilityStorageImageWriteWithoutFormat, SpvCapabilityMultiViewport,
    SpvCapabilityGroupNonUniform, SpvCapabilityGroupNonUniformVote, SpvCapabilityGroupNonUniformArithmetic,
    SpvCapabilityGroupNonUniformBallot, SpvCapabilityGroupNonUniformShuffle, SpvCapabilityGroupNonUniformShuffleRelative,
    SpvCapabilityGroupNonUniformClustered, SpvCapabilityGroupNonUniformQuad, SpvCapabilityGroupNonUniformRotateKHR,
    SpvCapabilityShaderLayer, SpvCapabilityShaderViewportIndex, SpvCapabilityShaderViewportIndexLayerEXT,
    SpvCapabilitySubgroupBallotKHR, SpvCapabilitySubgroupVoteKHR, SpvCapabilityDrawParameters,
    SpvCapabilityWorkgroupMemoryExplicitLayoutKHR, SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
    SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,
    SpvCapabilityStorageBuffer16BitAccess, SpvCapabilityUniformAndStorageBuffer16BitAccess,
    SpvCapabilityStoragePushConstant16, SpvCapabilityStorageInputOutput16, SpvCapabilityDeviceGroup,
    SpvCapabilityMultiView, SpvCapabilityVariablePointersStorageBuffer, SpvCapabilityVariablePointers,
    SpvCapabilitySampleMaskPostDepthCoverage, SpvCapabilityStencilExportEXT, SpvCapabilityStorageBuffer8BitAccess,
    SpvCapabilityUniformAndStorageBuffer8BitAccess, SpvCapabilityStoragePushConstant8,
    SpvCapabilityDenormPreserve, SpvCapabilityDenormFlushToZero, SpvCapabilitySignedZeroInfNanPreserve,
    SpvCapabilityRoundingModeRTE, SpvCapabilityRoundingModeRTZ,
    SpvCapabilityImageReadWriteLodAMD, SpvCapabilityInt64ImageEXT, SpvCapabilityShaderClockKHR,
    SpvCapabilityComputeDerivativeGroupQuadsNV,
    SpvCapabilityComputeDerivativeGroupLinearNV, SpvCapabilityFragmentBarycentricKHR, SpvCapabilityShaderNonUniform,
    SpvCapabilityRuntimeDescriptorArray, SpvCapabilityInputAttachmentArrayDynamicIndexing,
    SpvCapabilityUniformTexelBufferArrayDynamicIndexing, SpvCapabilityStorageTexelBufferArrayDynamicIndexing,
    SpvCapabilityUniformBufferArrayNonUniformIndexing, SpvCapabilitySampledImageArrayNonUniformIndexing,
    SpvCapabilityStorageBufferArrayNonUniformIndexing, SpvCapabilityStorageImageArrayNonUniformIndexing,
    SpvCapabilityInputAttachmentArrayNonUniformIndexing, SpvCapabilityUniformTexelBufferArrayNonUniformIndexing,
    SpvCapabilityStorageTexelBufferArrayNonUniformIndexing,
    SpvCapabilityVulkanMemoryModel, SpvCapabilityVulkanMemoryModelDeviceScope, SpvCapabilityPhysicalStorageBufferAddresses,
    SpvCapabilityDemoteToHelperInvocation, SpvCapabilityExpectAssumeKHR, SpvCapabilityIntegerFunctions2INTEL,
    SpvCapabilityAtomicFloat32AddEXT, SpvCapabilityAtomicFloat64AddEXT, SpvCapabilityAtomicFloat16AddEXT,
    SpvCapabilityAtomicFloat32MinMaxEXT, SpvCapabilityAtomicFloat64MinMaxEXT, SpvCapabilityAtomicFloat16MinMaxEXT,
    SpvCapabilityDotProduct, SpvCapabilityDotProductInputAll, SpvCapabilityDotProductInput4x8Bit,
    SpvCapabilityDotProductInput4x8BitPacked,
};

#endif
