/* What the driver advertises: extensions and features. Only what works and is tested has a line. */
#include "adreno/driver/device.h"

void adreno_fill_extensions(const struct adreno_physical_device *physical, struct vk_device_extensions *extensions)
{
    (void)physical;
    *extensions = (struct vk_device_extensions){
        .KHR_bind_memory2 = true,
        .KHR_buffer_device_address = true,
        .KHR_copy_commands2 = true,
        .KHR_dedicated_allocation = true,
        .KHR_deferred_host_operations = true,
        .KHR_descriptor_update_template = true,
        .KHR_device_group = true,
        .KHR_driver_properties = true,
        .KHR_external_fence = true,
        .KHR_external_fence_fd = true,
        .KHR_external_memory = true,
        .KHR_external_memory_fd = true,
        .KHR_external_semaphore = true,
        .KHR_external_semaphore_fd = true,
        .KHR_format_feature_flags2 = true,
        .KHR_get_memory_requirements2 = true,
        .KHR_global_priority = true,
        .KHR_image_format_list = true,
        .KHR_maintenance1 = true,
        .KHR_maintenance2 = true,
        .KHR_maintenance3 = true,
        .KHR_maintenance4 = true,
        .KHR_pipeline_executable_properties = true,
        .KHR_push_descriptor = true,
        .KHR_relaxed_block_layout = true,
        .KHR_shader_non_semantic_info = true,
        .KHR_storage_buffer_storage_class = true,
        .KHR_synchronization2 = true,
        .KHR_timeline_semaphore = true,
        .KHR_uniform_buffer_standard_layout = true,
        .KHR_variable_pointers = true,
        .KHR_vulkan_memory_model = true,
        .KHR_zero_initialize_workgroup_memory = true,
        .EXT_calibrated_timestamps = true,
        .EXT_external_memory_dma_buf = true,
        .EXT_global_priority = true,
        .EXT_global_priority_query = true,
        .EXT_host_query_reset = true,
        .EXT_inline_uniform_block = true,
        .EXT_memory_budget = true,
        .EXT_pipeline_creation_cache_control = true,
        .EXT_pipeline_creation_feedback = true,
        .EXT_private_data = true,
        .EXT_queue_family_foreign = true,
        .EXT_scalar_block_layout = true,
        .EXT_shader_module_identifier = true,
        .EXT_tooling_info = true,
        .AMD_buffer_marker = true,
        .GOOGLE_decorate_string = true,
        .GOOGLE_hlsl_functionality1 = true,
        .GOOGLE_user_type = true,
    };
}

void adreno_fill_features(const struct adreno_physical_device *physical, struct vk_features *features)
{
    (void)physical;
    *features = (struct vk_features){
        /* 1.0 */
        .robustBufferAccess = true,
        .shaderInt64 = true,
        .shaderInt16 = true,
        /* 1.1 */
        .variablePointersStorageBuffer = true,
        .variablePointers = true,
        /* 1.2 */
        .shaderInt8 = true,
        .shaderFloat16 = true,
        .scalarBlockLayout = true,
        .uniformBufferStandardLayout = true,
        .hostQueryReset = true,
        .timelineSemaphore = true,
        .bufferDeviceAddress = true,
        .vulkanMemoryModel = true,
        .vulkanMemoryModelDeviceScope = true,
        /* 1.3 */
        .inlineUniformBlock = true,
        .pipelineCreationCacheControl = true,
        .privateData = true,
        .synchronization2 = true,
        .shaderZeroInitializeWorkgroupMemory = true,
        .maintenance4 = true,
        /* extensions */
        .globalPriorityQuery = true,
        .pipelineExecutableInfo = true,
        .shaderModuleIdentifier = true,
    };
}
