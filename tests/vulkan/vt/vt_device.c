/* The device of the end-to-end cases: the first that the loader finds, with everything enabled that it has. */
#include <stdio.h>
#include <string.h>

#include "vt/vt.h"
#include "vulkan/runtime/gen/vk_newer.h"

/* A message of the validation layer is a failure of the case that caused it: the cases must be right before a driver
 * is. */
static VKAPI_ATTR VkBool32 VKAPI_CALL message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vt *vt = user;
    if (!vt->message[0])
        snprintf(vt->message, sizeof(vt->message), "validation: %s", data->pMessage);
    return VK_FALSE;
}

static void open_instance(struct vt *vt, VkDebugUtilsMessageSeverityFlagsEXT listen)
{
    const bool validate = listen != 0;
    static const char *const layers[] = {"VK_LAYER_KHRONOS_validation"}, *const extensions[] = {
                                                                             VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "tuff cases",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                    .messageSeverity = listen,
                                                    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                    .pfnUserCallback = message,
                                                    .pUserData = vt};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = validate,
                                 .ppEnabledLayerNames = layers,
                                 .enabledExtensionCount = validate,
                                 .ppEnabledExtensionNames = extensions};
    VT_CHECK(vt, vkCreateInstance(&info, NULL, &vt->instance));
    if (validate) {
        PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)(void *)vkGetInstanceProcAddr(
            vt->instance, "vkCreateDebugUtilsMessengerEXT");
        VkDebugUtilsMessengerEXT created;
        VT_CHECK(vt, create(vt->instance, &messenger, NULL, &created));
    }
}

/* Extensions with the structure of their features, if they have any: what the device says goes into it and comes back
 * to enable it. */
static const struct {
    const char *name;
    VkStructureType features;
    unsigned flags;       /* VkBool32 in that structure */
    const char *promoted; /* its name with Khronos; NULL: it is looked for by none */
} optional[VT_EXTENSION_COUNT] = {
    [VT_PUSH_DESCRIPTOR] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, 0, 0},
    [VT_INDEX_TYPE_UINT8] = {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, 1},
    [VT_VERTEX_ATTRIBUTE_DIVISOR] = {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, 2,
                                     "VK_KHR_vertex_attribute_divisor"},
    [VT_ROBUSTNESS2] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
                        3},
    [VT_CUSTOM_BORDER_COLOR] = {VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, 2},
    [VT_PROVOKING_VERTEX] = {VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, 2},
    [VT_DEPTH_CLIP_ENABLE] = {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
                              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, 1},
    [VT_DEPTH_CLIP_CONTROL] = {VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT, 1},
    [VT_SHADER_STENCIL_EXPORT] = {VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME, 0, 0},
    [VT_CONDITIONAL_RENDERING] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, 2},
    [VT_MULTI_DRAW] = {VK_EXT_MULTI_DRAW_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, 1},
    [VT_EXPLICIT_VERTEX] = {VK_AMD_SHADER_EXPLICIT_VERTEX_PARAMETER_EXTENSION_NAME, 0, 0},
    [VT_DISCARD_RECTANGLES] = {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME, 0, 0},
    [VT_CONSERVATIVE] = {VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME, 0, 0},
    [VT_LINE_RASTERIZATION] = {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT, 6},
    [VT_POST_DEPTH_COVERAGE] = {VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME, 0, 0},
    [VT_ATOMIC_FLOAT] = {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, 12},
    [VT_ATOMIC_FLOAT2] = {VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, 12},
    [VT_IMAGE_ATOMIC_INT64] = {VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT, 2},
    [VT_PRIMITIVES_GENERATED] = {VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT, 3},
    [VT_VIEW_2D_OF_3D] = {VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT, 2},
    [VT_VIEW_MIN_LOD] = {VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_VIEW_MIN_LOD_FEATURES_EXT, 1},
    [VT_NON_SEAMLESS_CUBE] = {VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
                              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, 1},
    [VT_BORDER_SWIZZLE] = {VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME,
                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT, 2},
    [VT_SHADER_CLOCK] = {VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, 2},
    [VT_GATHER_BIAS_LOD] = {VK_AMD_TEXTURE_GATHER_BIAS_LOD_EXTENSION_NAME, 0, 0},
    [VT_VERTEX_INPUT_DYNAMIC] = {VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT, 1},
    [VT_EXTENDED_DYNAMIC_STATE2] = {VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT, 3},
    [VT_EXTENDED_DYNAMIC_STATE3] = {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT, 31},
    [VT_COLOR_WRITE_ENABLE] = {VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT, 1},
    [VT_MUTABLE_DESCRIPTOR] = {VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT, 1},
    [VT_BUFFER_MARKER] = {VK_AMD_BUFFER_MARKER_EXTENSION_NAME, 0, 0},
    [VT_TRANSFORM_FEEDBACK] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, 2},
    [VT_GLOBAL_PRIORITY] = {VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME,
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GLOBAL_PRIORITY_QUERY_FEATURES_KHR, 1},
    [VT_DEFERRED_HOST_OPERATIONS] = {VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, 0, 0},
    [VT_MEMORY_BUDGET] = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, 0, 0},
    [VT_CALIBRATED_TIMESTAMPS] = {VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, 0, 0},
    [VT_MODULE_IDENTIFIER] = {VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME,
                              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT, 1},
    [VT_EXTERNAL_MEMORY_FD] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, 0, 0},
    [VT_EXTERNAL_MEMORY_DMA_BUF] = {VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, 0, 0},
    [VT_EXTERNAL_MEMORY_HOST] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, 0, 0},
    [VT_EXTERNAL_SEMAPHORE_FD] = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, 0, 0},
    [VT_EXTERNAL_FENCE_FD] = {VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, 0, 0},
    [VT_DRAW_INDIRECT_COUNT_AMD] = {VK_AMD_DRAW_INDIRECT_COUNT_EXTENSION_NAME, 0, 0},
    [VT_IMAGE_LOAD_STORE_LOD] = {VK_AMD_SHADER_IMAGE_LOAD_STORE_LOD_EXTENSION_NAME, 0, 0},
    [VT_AMD_HALF_FLOAT] = {VK_AMD_GPU_SHADER_HALF_FLOAT_EXTENSION_NAME, 0, 0},
    [VT_AMD_INT16] = {VK_AMD_GPU_SHADER_INT16_EXTENSION_NAME, 0, 0},
    [VT_TRINARY_MINMAX] = {VK_AMD_SHADER_TRINARY_MINMAX_EXTENSION_NAME, 0, 0},
    [VT_LOAD_STORE_OP_NONE] = {VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME, 0, 0},
    [VT_TOPOLOGY_LIST_RESTART] = {VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT, 2},
    [VT_FILTER_CUBIC] = {VK_EXT_FILTER_CUBIC_EXTENSION_NAME, 0, 0},
    [VT_SAMPLE_LOCATIONS] = {VK_EXT_SAMPLE_LOCATIONS_EXTENSION_NAME, 0, 0},
    [VT_FEEDBACK_LOOP_LAYOUT] = {VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT, 1},
    [VT_PIPELINE_LIBRARY] = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, 0, 0},
    [VT_GRAPHICS_PIPELINE_LIBRARY] = {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT, 1},
    [VT_PIPELINE_ROBUSTNESS] = {VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, 1},
    [VT_WORKGROUP_LAYOUT] = {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, 4},
    [VT_YCBCR_IMAGE_ARRAYS] = {VK_EXT_YCBCR_IMAGE_ARRAYS_EXTENSION_NAME,
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_IMAGE_ARRAYS_FEATURES_EXT, 1},
    [VT_DEPTH_RANGE_UNRESTRICTED] = {VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME, 0, 0},
    [VT_YCBCR_2PLANE_444] = {VK_EXT_YCBCR_2PLANE_444_FORMATS_EXTENSION_NAME,
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT, 1},
    [VT_4444_FORMATS] = {VK_EXT_4444_FORMATS_EXTENSION_NAME,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT, 2},
    [VT_PIPELINE_EXECUTABLE] = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, 1},
    [VT_MESH_SHADER] = {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                        5},
    [VT_SHADING_RATE] = {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR, 3},
    [VT_BARYCENTRIC] = {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME,
                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR, 1},
    [VT_ACCELERATION_STRUCTURE] = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, 5},
    [VT_RAY_QUERY] = {VK_KHR_RAY_QUERY_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR, 1},
    [VT_RAY_TRACING_PIPELINE] = {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR, 5},
    [VT_RAY_TRACING_MAINTENANCE1] = {VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME,
                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MAINTENANCE_1_FEATURES_KHR, 2},
    [VT_PERFORMANCE_QUERY] = {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME,
                              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR, 2},
    [VT_DESCRIPTOR_BUFFER] = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
                              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, 4},
    [VT_POSITION_FETCH] = {"VK_KHR_ray_tracing_position_fetch",
                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_POSITION_FETCH_FEATURES_KHR, 1},
    [VT_MAINTENANCE5] = {"VK_KHR_maintenance5", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, 1},
    [VT_MAINTENANCE6] = {"VK_KHR_maintenance6", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR, 1},
    [VT_MAINTENANCE7] = {"VK_KHR_maintenance7", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_FEATURES_KHR, 1},
    [VT_SHADER_OBJECT] = {"VK_EXT_shader_object", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, 1},
    [VT_MAP_MEMORY2] = {"VK_KHR_map_memory2", 0, 0},
    [VT_HOST_IMAGE_COPY] = {"VK_EXT_host_image_copy", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
                            1},
    [VT_LOCAL_READ] = {"VK_KHR_dynamic_rendering_local_read",
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR, 1},
    [VT_DEPTH_BIAS_CONTROL] = {"VK_EXT_depth_bias_control",
                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT, 4},
    [VT_MEMORY_PRIORITY] = {VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT, 1},
    [VT_PAGEABLE_MEMORY] = {VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME,
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT, 1},
};

struct extension_features {
    VkBaseOutStructure base;
    VkBool32 flags[32];
};

/* Debian 12's validation layers refuse what they do not know. */
static bool is_newer(unsigned extension)
{
    return extension >= VT_MAINTENANCE5;
}

static bool is_named(unsigned extension, const char *name)
{
    return strcmp(name, optional[extension].name) == 0 ||
           (optional[extension].promoted && strcmp(name, optional[extension].promoted) == 0);
}

/* The names of what the device has, and the chain of their features. */
static uint32_t find_extensions(struct vt *vt, bool is_validated, const char *names_out[VT_EXTENSION_COUNT],
                                struct extension_features chain_out[VT_EXTENSION_COUNT])
{
    static VkExtensionProperties found[512];
    uint32_t count = COUNT_OF(found), used = 0;
    if (vkEnumerateDeviceExtensionProperties(vt->physical, NULL, &count, found) < 0)
        count = 0;
    void *chained = NULL;
    for (unsigned i = 0; i < VT_EXTENSION_COUNT; i++) {
        if (is_validated && is_newer(i))
            continue;
        for (uint32_t n = 0; n < count && !vt->has[i]; n++) {
            vt->has[i] = is_named(i, found[n].extensionName);
            names_out[used] = found[n].extensionName;
        }
        used += vt->has[i];
        if (vt->has[i] && optional[i].features) {
            chain_out[i] = (struct extension_features){.base = {optional[i].features, chained}};
            chained = &chain_out[i];
        }
    }
    vt->features13.pNext = chained;
    return used;
}

void vt_open(struct vt *vt, VkDebugUtilsMessageSeverityFlagsEXT listen)
{
    open_instance(vt, listen);
    vt->is_validated = listen != 0;
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(vt->instance, &count, &vt->physical);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || count == 0)
        vt_fail(vt, "no Vulkan device (VkResult %d)", found);

    vt->subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &vt->subgroup};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    vt->driver = driver.driverID;
    vt->properties = properties.properties;
    vkGetPhysicalDeviceMemoryProperties(vt->physical, &vt->memory);
    vt->features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    vt->features12 = (VkPhysicalDeviceVulkan12Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                        .pNext = &vt->features13};
    vt->features11 = (VkPhysicalDeviceVulkan11Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                        .pNext = &vt->features12};
    vt->features =
        (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vt->features11};
    const char *names[VT_EXTENSION_COUNT];
    struct extension_features chain[VT_EXTENSION_COUNT];
    uint32_t extensions = find_extensions(vt, listen != 0, names, chain);
    vkGetPhysicalDeviceFeatures2(vt->physical, &vt->features);
    /* Attachments with rates, the third, change how some drivers keep depth: their cases have a device of their own.
     * Rates of a mesh shader's primitives, the fourth, go with those of vertices. */
    VkBool32 *rates = chain[VT_SHADING_RATE].flags;
    vt->has[VT_SHADING_RATE] = vt->has[VT_SHADING_RATE] && rates[0] && rates[1];
    rates[2] = VK_FALSE;
    VkBool32 *mesh = chain[VT_MESH_SHADER].flags;
    vt->has[VT_MESH_SHADER] = vt->has[VT_MESH_SHADER] && mesh[1];
    vt->has_task_shader = vt->has[VT_MESH_SHADER] && mesh[0];
    vt->has_mesh_views = vt->has[VT_MESH_SHADER] && mesh[2];
    vt->has_mesh_queries = vt->has[VT_MESH_SHADER] && mesh[4];
    vt->has_mesh_rates = vt->has[VT_MESH_SHADER] && vt->has[VT_SHADING_RATE] && mesh[3];
    mesh[3] = vt->has_mesh_rates;
    const VkBool32 *traces = chain[VT_RAY_TRACING_PIPELINE].flags;
    vt->has[VT_RAY_TRACING_PIPELINE] = vt->has[VT_RAY_TRACING_PIPELINE] && traces[0];
    vt->has_indirect_traces = vt->has[VT_RAY_TRACING_PIPELINE] && traces[3];
    vt->has_primitive_culling = vt->has[VT_RAY_TRACING_PIPELINE] && traces[4];
    vt->has_indirect_traces2 = vt->has[VT_RAY_TRACING_PIPELINE] && vt->has[VT_RAY_TRACING_MAINTENANCE1] &&
                               chain[VT_RAY_TRACING_MAINTENANCE1].flags[1];

    VkQueueFamilyProperties families[16];
    count = COUNT_OF(families);
    vkGetPhysicalDeviceQueueFamilyProperties(vt->physical, &count, families);
    while (vt->family < count && !(families[vt->family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        vt->family++;
    if (vt->family == count)
        vt_fail(vt, "no queue for graphics");

    while (vt->compute_family < count && (families[vt->compute_family].queueFlags &
                                          (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != VK_QUEUE_COMPUTE_BIT)
        vt->compute_family++;
    bool has_compute = vt->compute_family < count;
    const VkQueueFlags works = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    while (vt->transfer_family < count && (families[vt->transfer_family].queueFlags & works) != VK_QUEUE_TRANSFER_BIT)
        vt->transfer_family++;
    bool has_transfer = vt->transfer_family < count;
    if (!has_transfer)
        vt->transfer_family = vt->family;

    float priority = 1;
    VkDeviceQueueCreateInfo queues[3];
    uint32_t num_queues = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == vt->family || (has_compute && i == vt->compute_family) || i == vt->transfer_family)
            queues[num_queues++] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                             .queueFamilyIndex = i,
                                                             .queueCount = 1,
                                                             .pQueuePriorities = &priority};
    }
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &vt->features,
                               .queueCreateInfoCount = num_queues,
                               .pQueueCreateInfos = queues,
                               .enabledExtensionCount = extensions,
                               .ppEnabledExtensionNames = names};
    VT_CHECK(vt, vkCreateDevice(vt->physical, &info, NULL, &vt->device));
    vt->features13.pNext = NULL; /* the chain ends with this function */
    vkGetDeviceQueue(vt->device, vt->family, 0, &vt->queue);
    if (has_compute)
        vkGetDeviceQueue(vt->device, vt->compute_family, 0, &vt->compute_queue);
    vkGetDeviceQueue(vt->device, vt->transfer_family, 0, &vt->transfer_queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = vt->family};
    VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool, NULL, &vt->commands));
}
