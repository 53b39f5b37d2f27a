/* Lets each allocation of host memory fail, as failing_memory.c does, while what newer extensions have is made and
 * recorded: graphics pipelines of libraries, shader objects, acceleration structures, ray tracing pipelines and their
 * libraries. Nothing is submitted. What a device does not have is left out.
 *
 *     failing_objects LIBRARY [FIRST [LAST]] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include "failing_alloc.h"
#include "vulkan/runtime/gen/vk_newer.h"

#include "failing_rchit.h"
#include "failing_rgen.h"
#include "failing_rmiss.h"
#include "script_frag.h"
#include "script_vert.h"

#define COMMANDS(X)                                                                                                    \
    X(DestroyDevice)                                                                                                   \
    X(CreateBuffer)                                                                                                    \
    X(DestroyBuffer)                                                                                                   \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(BindBufferMemory)                                                                                                \
    X(GetBufferDeviceAddress)                                                                                          \
    X(AllocateMemory)                                                                                                  \
    X(FreeMemory)                                                                                                      \
    X(CreatePipelineLayout)                                                                                            \
    X(DestroyPipelineLayout)                                                                                           \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreateGraphicsPipelines)                                                                                         \
    X(DestroyPipeline)                                                                                                 \
    X(CreateCommandPool)                                                                                               \
    X(DestroyCommandPool)                                                                                              \
    X(AllocateCommandBuffers)                                                                                          \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CmdBeginRendering)                                                                                               \
    X(CmdEndRendering)                                                                                                 \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdDraw)                                                                                                         \
    X(CreateShadersEXT)                                                                                                \
    X(DestroyShaderEXT)                                                                                                \
    X(CmdBindShadersEXT)                                                                                               \
    X(CreateAccelerationStructureKHR)                                                                                  \
    X(DestroyAccelerationStructureKHR)                                                                                 \
    X(CmdBuildAccelerationStructuresKHR)                                                                               \
    X(CreateRayTracingPipelinesKHR)                                                                                    \
    X(GetRayTracingShaderGroupHandlesKHR)                                                                              \
    X(CmdTraceRaysKHR)

static struct {
    PFN_vkGetInstanceProcAddr get;
    PFN_vkCreateInstance CreateInstance;
#define DECLARE(name) PFN_vk##name name;
    COMMANDS(DECLARE)
} vk;

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult try_result = (call);                                                                                  \
        if (try_result != VK_SUCCESS)                                                                                  \
            return try_result;                                                                                         \
    } while (0)

enum {
    MODULES = 5,
    PARTS = 4,
    MEMORY_B = 1 << 16,
};

/* All that is made; zeros are not made yet. */
struct objects {
    VkInstance instance;
    VkDevice device;
    bool has_libraries, has_objects, has_rays;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    VkPipelineLayout layout;
    VkShaderModule modules[MODULES];
    VkPipeline parts[PARTS], linked[2], ray_library, rays;
    VkShaderEXT shaders[2];
    VkAccelerationStructureKHR structure;
    VkCommandPool pool;
    VkCommandBuffer commands;
};

/* ---- the device ---- */

static bool has_extension(const VkExtensionProperties *found, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(found[i].extensionName, name))
            return true;
    }
    return false;
}

static VkResult create_device(struct objects *o, VkPhysicalDevice gpu)
{
    static VkExtensionProperties found[512];
    uint32_t count = 512;
    const char *names[8];
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .graphicsPipelineLibrary = VK_TRUE};
    VkPhysicalDeviceShaderObjectFeaturesEXT shader_objects = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
    VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
        .accelerationStructure = VK_TRUE};
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR, .rayTracingPipeline = VK_TRUE};
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .bufferDeviceAddress = VK_TRUE};
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .pNext = &features12,
                                                   .dynamicRendering = VK_TRUE};
    void *chain = &features13;
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)vk.get(o->instance, "vkEnumerateDeviceExtensionProperties");
    VkResult result = enumerate(gpu, NULL, &count, found);
    if (result < 0)
        return result;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(const float){1}};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .ppEnabledExtensionNames = names};
#define ADD(feature)                                                                                                   \
    do {                                                                                                               \
        (feature).pNext = chain;                                                                                       \
        chain = &(feature);                                                                                            \
    } while (0)
    if ((o->has_libraries = has_extension(found, count, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME))) {
        names[info.enabledExtensionCount++] = VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME;
        names[info.enabledExtensionCount++] = VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME;
        ADD(libraries);
    }
    if ((o->has_objects = has_extension(found, count, "VK_EXT_shader_object"))) {
        names[info.enabledExtensionCount++] = "VK_EXT_shader_object";
        ADD(shader_objects);
    }
    if ((o->has_rays = has_extension(found, count, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME))) {
        names[info.enabledExtensionCount++] = VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME;
        names[info.enabledExtensionCount++] = VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME;
        names[info.enabledExtensionCount++] = VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME;
        ADD(structures);
        ADD(rays);
    }
    info.pNext = chain;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)vk.get(o->instance, "vkCreateDevice");
    PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)vk.get(o->instance, "vkGetDeviceProcAddr");
    TRY(create(gpu, &info, &failing_callbacks, &o->device));
#define LOAD(name) vk.name = (PFN_vk##name)get(o->device, "vk" #name);
    COMMANDS(LOAD)
    return VK_SUCCESS;
}

static VkResult open_device(struct objects *o)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    TRY(vk.CreateInstance(&info, &failing_callbacks, &o->instance));
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)vk.get(o->instance, "vkEnumeratePhysicalDevices");
    VkPhysicalDevice gpu;
    uint32_t count = 1;
    VkResult result = enumerate(o->instance, &count, &gpu);
    if (result < 0)
        return result;
    return count ? create_device(o, gpu) : VK_ERROR_INITIALIZATION_FAILED;
}

/* ---- what all share ---- */

static VkResult make_memory(struct objects *o)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = MEMORY_B,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    if (o->has_rays)
        info.usage |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                      VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
                      VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
    TRY(vk.CreateBuffer(o->device, &info, &failing_callbacks, &o->buffer));
    VkMemoryRequirements needs;
    vk.GetBufferMemoryRequirements(o->device, o->buffer, &needs);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = &flags,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
    TRY(vk.AllocateMemory(o->device, &memory, &failing_callbacks, &o->memory));
    TRY(vk.BindBufferMemory(o->device, o->buffer, o->memory, 0));
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = o->buffer};
    o->address = vk.GetBufferDeviceAddress(o->device, &address);
    return VK_SUCCESS;
}

static VkResult make_shared(struct objects *o)
{
    const struct {
        const uint32_t *words;
        size_t size_B;
    } codes[MODULES] = {{script_vert, sizeof(script_vert)},
                        {script_frag, sizeof(script_frag)},
                        {failing_rgen, sizeof(failing_rgen)},
                        {failing_rmiss, sizeof(failing_rmiss)},
                        {failing_rchit, sizeof(failing_rchit)}};
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 16};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    TRY(make_memory(o));
    TRY(vk.CreatePipelineLayout(o->device, &layout, &failing_callbacks, &o->layout));
    for (int i = 0; i < (o->has_rays ? MODULES : 2); i++) {
        const VkShaderModuleCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = codes[i].size_B, .pCode = codes[i].words};
        TRY(vk.CreateShaderModule(o->device, &info, &failing_callbacks, &o->modules[i]));
    }
    return VK_SUCCESS;
}

static VkPipelineShaderStageCreateInfo stage_of(const struct objects *o, VkShaderStageFlagBits stage, int module)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = o->modules[module],
                                             .pName = "main"};
}

/* ---- graphics pipelines of libraries ---- */

static VkResult make_libraries(struct objects *o)
{
    static const VkViewport viewport = {0, 0, 16, 16, 0, 1};
    static const VkRect2D scissor = {{0, 0}, {16, 16}};
    const VkPipelineShaderStageCreateInfo stages[2] = {stage_of(o, VK_SHADER_STAGE_VERTEX_BIT, 0),
                                                       stage_of(o, VK_SHADER_STAGE_FRAGMENT_BIT, 1)};
    const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                         .viewportCount = 1,
                                                         .pViewports = &viewport,
                                                         .scissorCount = 1,
                                                         .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {.sType =
                                                              VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                          .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    for (int i = 0; i < PARTS; i++) {
        const VkGraphicsPipelineLibraryCreateInfoEXT kind = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
            .pNext = (void *)(uintptr_t)&rendering,
            .flags = 1u << i};
        const VkGraphicsPipelineCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
            .pNext = &kind,
            .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT,
            .stageCount = i == 1 || i == 2,
            .pStages = &stages[i == 2],
            .pVertexInputState = &input,
            .pInputAssemblyState = &assembly,
            .pViewportState = &viewports,
            .pRasterizationState = &raster,
            .pMultisampleState = &samples,
            .layout = o->layout};
        TRY(vk.CreateGraphicsPipelines(o->device, VK_NULL_HANDLE, 1, &info, &failing_callbacks, &o->parts[i]));
    }
    for (int i = 0; i < 2; i++) {
        const VkPipelineLibraryCreateInfoKHR list = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = PARTS, .pLibraries = o->parts};
        const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                   .pNext = &list,
                                                   .flags = i ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0,
                                                   .layout = o->layout};
        TRY(vk.CreateGraphicsPipelines(o->device, VK_NULL_HANDLE, 1, &info, &failing_callbacks, &o->linked[i]));
    }
    return VK_SUCCESS;
}

/* ---- shader objects ---- */

static VkResult make_objects(struct objects *o)
{
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 16};
    VkShaderCreateInfoEXT infos[2];
    for (int i = 0; i < 2; i++)
        infos[i] = (VkShaderCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                           .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
                                           .nextStage = i ? 0 : VK_SHADER_STAGE_FRAGMENT_BIT,
                                           .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                           .codeSize = i ? sizeof(script_frag) : sizeof(script_vert),
                                           .pCode = i ? script_frag : script_vert,
                                           .pName = "main",
                                           .pushConstantRangeCount = 1,
                                           .pPushConstantRanges = &push};
    return vk.CreateShadersEXT(o->device, 2, infos, &failing_callbacks, o->shaders);
}

/* ---- rays ---- */

static VkRayTracingShaderGroupCreateInfoKHR group_of(bool is_hit, uint32_t stage)
{
    return (VkRayTracingShaderGroupCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
                                                  .type = is_hit
                                                              ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
                                                              : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
                                                  .generalShader = is_hit ? VK_SHADER_UNUSED_KHR : stage,
                                                  .closestHitShader = is_hit ? stage : VK_SHADER_UNUSED_KHR,
                                                  .anyHitShader = VK_SHADER_UNUSED_KHR,
                                                  .intersectionShader = VK_SHADER_UNUSED_KHR};
}

static VkResult make_rays(struct objects *o)
{
    const VkAccelerationStructureCreateInfoKHR structure = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = o->buffer,
        .size = MEMORY_B / 4,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR};
    TRY(vk.CreateAccelerationStructureKHR(o->device, &structure, &failing_callbacks, &o->structure));
    const VkPipelineShaderStageCreateInfo hit = stage_of(o, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, 4),
                                          others[2] = {stage_of(o, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 2),
                                                       stage_of(o, VK_SHADER_STAGE_MISS_BIT_KHR, 3)};
    const VkRayTracingShaderGroupCreateInfoKHR hits = group_of(true, 0),
                                               generals[2] = {group_of(false, 0), group_of(false, 1)};
    const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 16,
        .maxPipelineRayHitAttributeSize = 8};
    VkRayTracingPipelineCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                              .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
                                              .stageCount = 1,
                                              .pStages = &hit,
                                              .groupCount = 1,
                                              .pGroups = &hits,
                                              .maxPipelineRayRecursionDepth = 1,
                                              .pLibraryInterface = &interface,
                                              .layout = o->layout};
    TRY(vk.CreateRayTracingPipelinesKHR(o->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, &failing_callbacks,
                                        &o->ray_library));
    const VkPipelineLibraryCreateInfoKHR list = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 1, .pLibraries = &o->ray_library};
    uint8_t handles[3 * 64];
    info.flags = 0;
    info.stageCount = info.groupCount = 2;
    info.pStages = others;
    info.pGroups = generals;
    info.pLibraryInfo = &list;
    TRY(vk.CreateRayTracingPipelinesKHR(o->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, &failing_callbacks,
                                        &o->rays));
    return vk.GetRayTracingShaderGroupHandlesKHR(o->device, o->rays, 0, 3, sizeof(handles), handles);
}

/* ---- commands ---- */

static void record_draws(struct objects *o)
{
    static const VkShaderStageFlagBits stages[2] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    const VkRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {16, 16}}, .layerCount = 1};
    vk.CmdBeginRendering(o->commands, &rendering);
    for (int i = 0; i < 2 && o->has_libraries; i++) {
        vk.CmdBindPipeline(o->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, o->linked[i]);
        vk.CmdDraw(o->commands, 3, 1, 0, 0);
    }
    if (o->has_objects) {
        vk.CmdBindShadersEXT(o->commands, 2, stages, o->shaders);
        vk.CmdDraw(o->commands, 3, 1, 0, 0);
    }
    vk.CmdEndRendering(o->commands);
}

static void record_rays(struct objects *o)
{
    const VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = o->address + MEMORY_B / 4,
                               .vertexStride = 12,
                               .maxVertex = 2,
                               .indexType = VK_INDEX_TYPE_NONE_KHR}};
    const VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .dstAccelerationStructure = o->structure,
        .geometryCount = 1,
        .pGeometries = &geometry,
        .scratchData.deviceAddress = o->address + MEMORY_B / 2};
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1}, *ranges = &range;
    vk.CmdBuildAccelerationStructuresKHR(o->commands, 1, &info, &ranges);
    const VkStridedDeviceAddressRegionKHR table = {o->address + MEMORY_B / 4 * 3, 64, 64}, none = {0};
    vk.CmdBindPipeline(o->commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, o->rays);
    vk.CmdTraceRaysKHR(o->commands, &table, &table, &table, &none, 4, 4, 1);
}

static VkResult record_commands(struct objects *o)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    TRY(vk.CreateCommandPool(o->device, &pool, &failing_callbacks, &o->pool));
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = o->pool, .commandBufferCount = 1};
    TRY(vk.AllocateCommandBuffers(o->device, &info, &o->commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(vk.BeginCommandBuffer(o->commands, &begin));
    record_draws(o);
    if (o->has_rays)
        record_rays(o);
    return vk.EndCommandBuffer(o->commands);
}

/* ---- all of it ---- */

static VkResult make_all_objects(struct objects *o)
{
    TRY(open_device(o));
    TRY(make_shared(o));
    if (o->has_libraries)
        TRY(make_libraries(o));
    if (o->has_objects)
        TRY(make_objects(o));
    if (o->has_rays)
        TRY(make_rays(o));
    return record_commands(o);
}

static void destroy_objects(struct objects *o)
{
    const VkAllocationCallbacks *alloc = &failing_callbacks;
    if (o->device) {
        vk.DestroyCommandPool(o->device, o->pool, alloc);
        for (int i = 0; i < 2; i++) {
            vk.DestroyPipeline(o->device, o->linked[i], alloc);
            if (o->has_objects)
                vk.DestroyShaderEXT(o->device, o->shaders[i], alloc);
        }
        for (int i = 0; i < PARTS; i++)
            vk.DestroyPipeline(o->device, o->parts[i], alloc);
        vk.DestroyPipeline(o->device, o->rays, alloc);
        vk.DestroyPipeline(o->device, o->ray_library, alloc);
        if (o->has_rays)
            vk.DestroyAccelerationStructureKHR(o->device, o->structure, alloc);
        for (int i = 0; i < MODULES; i++)
            vk.DestroyShaderModule(o->device, o->modules[i], alloc);
        vk.DestroyPipelineLayout(o->device, o->layout, alloc);
        vk.DestroyBuffer(o->device, o->buffer, alloc);
        vk.FreeMemory(o->device, o->memory, alloc);
        vk.DestroyDevice(o->device, alloc);
    }
    if (o->instance)
        ((PFN_vkDestroyInstance)vk.get(o->instance, "vkDestroyInstance"))(o->instance, alloc);
}

static VkResult run_objects(bool *right_out)
{
    struct objects o = {0};
    *right_out = true;
    VkResult result = make_all_objects(&o);
    destroy_objects(&o);
    return result;
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) {
        *(void **)&vk.get = dlsym(library, "vk_icdGetInstanceProcAddr");
        vk.CreateInstance = vk.get ? (PFN_vkCreateInstance)vk.get(VK_NULL_HANDLE, "vkCreateInstance") : NULL;
    }
    if (!vk.CreateInstance) {
        fprintf(stderr, "usage: failing_objects LIBRARY [FIRST [LAST]]\n");
        return 2;
    }
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, last = argc > 3 ? strtoul(argv[3], NULL, 0) : ~0ul;
    bool right = failing_run(run_objects, "objects", 1, first, last);
    printf("1..3\n");
    return right ? 0 : 1;
}
