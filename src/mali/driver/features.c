/* What the driver advertises: extensions and features. Only what works and is tested has a line. */
#include "mali/driver/device.h"

void mali_fill_extensions(const struct mali_physical_device *physical, struct vk_device_extensions *extensions)
{
    *extensions = (struct vk_device_extensions){
        .KHR_bind_memory2 = true,
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
        .KHR_get_memory_requirements2 = true,
        .KHR_global_priority = true,
        .KHR_maintenance1 = true,
        .KHR_maintenance3 = true,
        .KHR_maintenance4 = true,
        .KHR_pipeline_executable_properties = true,
        .KHR_push_descriptor = true,
        .KHR_relaxed_block_layout = true,
        .KHR_shader_non_semantic_info = true,
        .KHR_storage_buffer_storage_class = true,
        .KHR_synchronization2 = true,
        .KHR_timeline_semaphore = true,
        .EXT_calibrated_timestamps = true,
        .EXT_external_memory_dma_buf = true,
        .EXT_global_priority = true,
        .EXT_global_priority_query = true,
        .EXT_host_query_reset = true,
        .EXT_memory_budget = true,
        .EXT_pipeline_creation_cache_control = true,
        .EXT_pipeline_creation_feedback = true,
        .EXT_private_data = true,
        .EXT_queue_family_foreign = true,
        .EXT_shader_module_identifier = true,
        .EXT_tooling_info = true,
    };
    mali_add_graphics_extensions(extensions);
}

void mali_fill_features(const struct mali_physical_device *physical, struct vk_features *features)
{
    *features = (struct vk_features){
        /* 1.0 */
        .robustBufferAccess = true,
        /* 1.2 */
        .hostQueryReset = true,
        .timelineSemaphore = true,
        /* 1.3 */
        .pipelineCreationCacheControl = true,
        .privateData = true,
        .synchronization2 = true,
        .maintenance4 = true,
        /* extensions */
        .globalPriorityQuery = true,
        .pipelineExecutableInfo = true,
        .shaderModuleIdentifier = true,
    };
    mali_add_graphics_features(features);
}
