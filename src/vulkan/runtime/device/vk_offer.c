/* See vk_offer.h. */
#include "vulkan/runtime/device/vk_offer.h"

#include "vulkan/runtime/gen/vk_extension_sets.h"
#include "vulkan/runtime/gen/vk_features.h"

/* Objects, memory, synchronisation and pipelines, with any kernel driver below them. */
static void offer_objects(struct vk_device_extensions *extensions, struct vk_features *features)
{
    extensions->KHR_bind_memory2 = true;
    extensions->KHR_buffer_device_address = true;
    extensions->KHR_calibrated_timestamps = true;
    extensions->KHR_copy_commands2 = true;
    extensions->KHR_dedicated_allocation = true;
    extensions->KHR_deferred_host_operations = true;
    extensions->KHR_device_group = true;
    extensions->KHR_driver_properties = true;
    extensions->KHR_external_fence = true;
    extensions->KHR_external_fence_fd = true;
    extensions->KHR_external_memory = true;
    extensions->KHR_external_memory_fd = true;
    extensions->KHR_external_semaphore = true;
    extensions->KHR_external_semaphore_fd = true;
    extensions->KHR_format_feature_flags2 = true;
    extensions->KHR_get_memory_requirements2 = true;
    extensions->KHR_global_priority = true;
    extensions->KHR_image_format_list = true;
    extensions->KHR_maintenance1 = true;
    extensions->KHR_maintenance2 = true;
    extensions->KHR_maintenance3 = true;
    extensions->KHR_maintenance4 = true;
    extensions->KHR_maintenance5 = true;
    extensions->KHR_maintenance6 = true;
    extensions->KHR_maintenance7 = true;
    extensions->KHR_map_memory2 = true;
    extensions->KHR_pipeline_executable_properties = true;
    extensions->KHR_pipeline_library = true;
    extensions->KHR_synchronization2 = true;
    extensions->KHR_timeline_semaphore = true;
    extensions->EXT_calibrated_timestamps = true;
    extensions->EXT_external_memory_dma_buf = true;
    extensions->EXT_global_priority = true;
    extensions->EXT_global_priority_query = true;
    extensions->EXT_host_image_copy = true;
    extensions->EXT_host_query_reset = true;
    extensions->EXT_memory_budget = true;
    extensions->EXT_pipeline_creation_cache_control = true;
    extensions->EXT_pipeline_creation_feedback = true;
    extensions->EXT_pipeline_robustness = true;
    extensions->EXT_private_data = true;
    extensions->EXT_queue_family_foreign = true;
    extensions->EXT_separate_stencil_usage = true;
    extensions->EXT_shader_module_identifier = true;
    extensions->EXT_tooling_info = true;

    features->hostQueryReset = true;
    features->timelineSemaphore = true;
    features->synchronization2 = true;
    features->bufferDeviceAddress = true;
    features->pipelineCreationCacheControl = true;
    features->privateData = true;
    features->maintenance4 = true;
    features->maintenance5 = true;
    features->maintenance6 = true;
    features->maintenance7 = true;
    features->globalPriorityQuery = true;
    features->hostImageCopy = true;
    features->pipelineExecutableInfo = true;
    features->pipelineRobustness = true;
    features->shaderModuleIdentifier = true;
}

/* Sets are memory, which shaders read when they run: neither when they were written nor how indices come about
 * matters. */
static void offer_descriptors(struct vk_device_extensions *extensions, struct vk_features *features)
{
    extensions->KHR_descriptor_update_template = true;
    extensions->KHR_push_descriptor = true;
    extensions->EXT_descriptor_indexing = true;
    extensions->EXT_inline_uniform_block = true;
    extensions->EXT_mutable_descriptor_type = true;
    extensions->VALVE_mutable_descriptor_type = true;

    features->pushDescriptor = true;
    features->descriptorIndexing = true;
    features->shaderUniformBufferArrayDynamicIndexing = true;
    features->shaderSampledImageArrayDynamicIndexing = true;
    features->shaderStorageBufferArrayDynamicIndexing = true;
    features->shaderStorageImageArrayDynamicIndexing = true;
    features->shaderUniformTexelBufferArrayDynamicIndexing = true;
    features->shaderStorageTexelBufferArrayDynamicIndexing = true;
    features->shaderUniformBufferArrayNonUniformIndexing = true;
    features->shaderSampledImageArrayNonUniformIndexing = true;
    features->shaderStorageBufferArrayNonUniformIndexing = true;
    features->shaderStorageImageArrayNonUniformIndexing = true;
    features->shaderUniformTexelBufferArrayNonUniformIndexing = true;
    features->shaderStorageTexelBufferArrayNonUniformIndexing = true;
    features->descriptorBindingUniformBufferUpdateAfterBind = true;
    features->descriptorBindingSampledImageUpdateAfterBind = true;
    features->descriptorBindingStorageImageUpdateAfterBind = true;
    features->descriptorBindingStorageBufferUpdateAfterBind = true;
    features->descriptorBindingUniformTexelBufferUpdateAfterBind = true;
    features->descriptorBindingStorageTexelBufferUpdateAfterBind = true;
    features->descriptorBindingUpdateUnusedWhilePending = true;
    features->descriptorBindingPartiallyBound = true;
    features->descriptorBindingVariableDescriptorCount = true;
    features->runtimeDescriptorArray = true;
    features->inlineUniformBlock = true;
    features->descriptorBindingInlineUniformBlockUpdateAfterBind = true;
    features->mutableDescriptorType = true;
}

/* The front end reads them, and passes on the IR bring them to what every back end has. */
static void offer_shaders(struct vk_device_extensions *extensions, struct vk_features *features)
{
    extensions->KHR_8bit_storage = true;
    extensions->KHR_relaxed_block_layout = true;
    extensions->KHR_shader_expect_assume = true;
    extensions->KHR_shader_float16_int8 = true;
    extensions->KHR_shader_float_controls = true;
    extensions->KHR_shader_float_controls2 = true;
    extensions->KHR_shader_integer_dot_product = true;
    extensions->KHR_shader_non_semantic_info = true;
    extensions->KHR_shader_relaxed_extended_instruction = true;
    extensions->KHR_shader_subgroup_extended_types = true;
    extensions->KHR_shader_subgroup_rotate = true;
    extensions->KHR_shader_subgroup_uniform_control_flow = true;
    extensions->KHR_shader_terminate_invocation = true;
    extensions->KHR_spirv_1_4 = true;
    extensions->KHR_storage_buffer_storage_class = true;
    extensions->KHR_uniform_buffer_standard_layout = true;
    extensions->KHR_variable_pointers = true;
    extensions->KHR_vulkan_memory_model = true;
    extensions->KHR_workgroup_memory_explicit_layout = true;
    extensions->KHR_zero_initialize_workgroup_memory = true;
    extensions->EXT_scalar_block_layout = true;
    extensions->EXT_shader_demote_to_helper_invocation = true;
    extensions->EXT_shader_subgroup_vote = true;
    extensions->EXT_subgroup_size_control = true;
    extensions->GOOGLE_decorate_string = true;
    extensions->GOOGLE_hlsl_functionality1 = true;
    extensions->GOOGLE_user_type = true;

    features->shaderInt8 = true;
    features->shaderInt16 = true;
    features->shaderInt64 = true;
    features->shaderFloat16 = true;
    features->storageBuffer8BitAccess = true;
    features->uniformAndStorageBuffer8BitAccess = true;
    features->storagePushConstant8 = true;
    features->variablePointersStorageBuffer = true;
    features->variablePointers = true;
    features->scalarBlockLayout = true;
    features->uniformBufferStandardLayout = true;
    features->vulkanMemoryModel = true;
    features->vulkanMemoryModelDeviceScope = true;
    features->workgroupMemoryExplicitLayout = true;
    features->workgroupMemoryExplicitLayoutScalarBlockLayout = true;
    features->workgroupMemoryExplicitLayout8BitAccess = true;
    features->workgroupMemoryExplicitLayout16BitAccess = true;
    features->shaderZeroInitializeWorkgroupMemory = true;
    features->shaderIntegerDotProduct = true;
    features->shaderSubgroupExtendedTypes = true;
    features->subgroupBroadcastDynamicId = true;
    features->subgroupSizeControl = true;
    features->computeFullSubgroups = true;
    features->shaderSubgroupRotate = true;
    features->shaderSubgroupRotateClustered = true;
    features->shaderSubgroupUniformControlFlow = true;
    features->shaderDemoteToHelperInvocation = true;
    features->shaderTerminateInvocation = true;
    features->shaderExpectAssume = true;
    features->shaderFloatControls2 = true;
    features->shaderRelaxedExtendedInstruction = true;
}

/* Render passes become rendering, static and dynamic state the same struct, conversions code of shaders. */
static void offer_graphics(struct vk_device_extensions *extensions, struct vk_features *features)
{
    extensions->KHR_create_renderpass2 = true;
    extensions->KHR_depth_stencil_resolve = true;
    extensions->KHR_dynamic_rendering = true;
    extensions->KHR_dynamic_rendering_local_read = true;
    extensions->KHR_imageless_framebuffer = true;
    extensions->KHR_load_store_op_none = true;
    extensions->KHR_sampler_ycbcr_conversion = true;
    extensions->KHR_separate_depth_stencil_layouts = true;
    extensions->EXT_attachment_feedback_loop_layout = true;
    extensions->EXT_color_write_enable = true;
    extensions->EXT_extended_dynamic_state = true;
    extensions->EXT_extended_dynamic_state2 = true;
    extensions->EXT_extended_dynamic_state3 = true;
    extensions->EXT_graphics_pipeline_library = true;
    extensions->EXT_load_store_op_none = true;
    extensions->EXT_multi_draw = true;
    extensions->EXT_vertex_input_dynamic_state = true;
    extensions->EXT_ycbcr_2plane_444_formats = true;
    extensions->EXT_ycbcr_image_arrays = true;

    features->samplerYcbcrConversion = true;
    features->ycbcr2plane444Formats = true;
    features->ycbcrImageArrays = true;
    features->imagelessFramebuffer = true;
    features->separateDepthStencilLayouts = true;
    features->dynamicRendering = true;
    features->dynamicRenderingLocalRead = true;
    features->attachmentFeedbackLoopLayout = true;
    features->inheritedQueries = true;
    features->graphicsPipelineLibrary = true;
    features->colorWriteEnable = true;
    features->multiDraw = true;
    features->vertexInputDynamicState = true;
    features->extendedDynamicState = true;
    features->extendedDynamicState2 = true;
    features->extendedDynamicState3RasterizationSamples = true;
    features->extendedDynamicState3SampleMask = true;
    features->extendedDynamicState3AlphaToCoverageEnable = true;
    features->extendedDynamicState3ColorBlendEnable = true;
    features->extendedDynamicState3ColorBlendEquation = true;
    features->extendedDynamicState3ColorWriteMask = true;
}

void vk_offer_common(struct vk_device_extensions *extensions, struct vk_features *features)
{
    offer_objects(extensions, features);
    offer_descriptors(extensions, features);
    offer_shaders(extensions, features);
    offer_graphics(extensions, features);
}
