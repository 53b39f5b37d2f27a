/* See world.h. */
#include "world.h"

#include <dlfcn.h>
#include <stdio.h>

#include "forged_comp.h"
#include "forged_frag.h"
#include "forged_geom.h"
#include "forged_tesc.h"
#include "forged_tese.h"
#include "forged_vert.h"

struct world_functions vk;

bool world_load(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    *(void **)&vk.get = dlsym(handle, "vk_icdGetInstanceProcAddr");
    vk.CreateInstance = vk.get ? (PFN_vkCreateInstance)vk.get(VK_NULL_HANDLE, "vkCreateInstance") : NULL;
    return vk.CreateInstance != NULL;
}

/* ---- the device ---- */

static VkResult create_device(struct world *w)
{
    VkPhysicalDeviceVulkan12Features has12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 has2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has12};
    const float priority = 1;
    PFN_vkGetPhysicalDeviceFeatures2 get_features =
        (PFN_vkGetPhysicalDeviceFeatures2)vk.get(w->instance, "vkGetPhysicalDeviceFeatures2");
    get_features(w->gpu, &has2);
    const VkPhysicalDeviceFeatures has = has2.features;
    w->has_indirect_count = has12.drawIndirectCount;
    w->has_many_indirect = has.multiDrawIndirect;
    w->has_tessellation = has.tessellationShader;
    w->has_geometry = has.geometryShader;
    const VkPhysicalDeviceFeatures features = {.multiDrawIndirect = has.multiDrawIndirect,
                                               .tessellationShader = has.tessellationShader,
                                               .geometryShader = has.geometryShader,
                                               .fragmentStoresAndAtomics = has.fragmentStoresAndAtomics};
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .drawIndirectCount = has12.drawIndirectCount};
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .pNext = &features12,
                                                   .dynamicRendering = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features13,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .pEnabledFeatures = &features};
    TRY(vk.CreateDevice(w->gpu, &info, NULL, &w->device));
    PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)vk.get(w->instance, "vkGetDeviceProcAddr");
#define LOAD(name) vk.name = (PFN_vk##name)get(w->device, "vk" #name);
    WORLD_COMMANDS(LOAD)
    vk.GetDeviceQueue(w->device, 0, 0, &w->queue);
    return VK_SUCCESS;
}

static VkResult allocate_memory(struct world *w, const VkMemoryRequirements *needs, VkDeviceMemory *memory_out)
{
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs->size,
                                       .memoryTypeIndex = (uint32_t)__builtin_ctz(needs->memoryTypeBits)};
    return vk.AllocateMemory(w->device, &info, NULL, memory_out);
}

static VkResult create_memory(struct world *w)
{
    VkMemoryRequirements needs;
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = BUFFER_B,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                                VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                                VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    TRY(vk.CreateBuffer(w->device, &buffer, NULL, &w->buffer));
    vk.GetBufferMemoryRequirements(w->device, w->buffer, &needs);
    TRY(allocate_memory(w, &needs, &w->buffer_memory));
    TRY(vk.BindBufferMemory(w->device, w->buffer, w->buffer_memory, 0));
    const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .extent = {SIZE, SIZE, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    TRY(vk.CreateImage(w->device, &image, NULL, &w->image));
    vk.GetImageMemoryRequirements(w->device, w->image, &needs);
    TRY(allocate_memory(w, &needs, &w->image_memory));
    TRY(vk.BindImageMemory(w->device, w->image, w->image_memory, 0));
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = w->image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = image.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return vk.CreateImageView(w->device, &view, NULL, &w->view);
}

static VkResult create_layouts(struct world *w)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    TRY(vk.CreateDescriptorSetLayout(w->device, &layout, NULL, &w->set_layout));
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 32};
    const VkPipelineLayoutCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                 .setLayoutCount = 1,
                                                 .pSetLayouts = &w->set_layout,
                                                 .pushConstantRangeCount = 1,
                                                 .pPushConstantRanges = &push};
    TRY(vk.CreatePipelineLayout(w->device, &pipeline, NULL, &w->layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    TRY(vk.CreateDescriptorPool(w->device, &pool, NULL, &w->sets));
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = w->sets,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &w->set_layout};
    TRY(vk.AllocateDescriptorSets(w->device, &set, &w->set));
    const VkDescriptorBufferInfo info = {w->buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = w->set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &info};
    vk.UpdateDescriptorSets(w->device, 1, &write, 0, NULL);
    return VK_SUCCESS;
}

static VkResult create_modules(struct world *w)
{
    static const struct {
        const uint32_t *words;
        size_t size_B;
    } programs[MODULES] = {
        [VERTEX] = {forged_vert, sizeof(forged_vert)},     [CONTROL] = {forged_tesc, sizeof(forged_tesc)},
        [EVALUATION] = {forged_tese, sizeof(forged_tese)}, [GEOMETRY] = {forged_geom, sizeof(forged_geom)},
        [FRAGMENT] = {forged_frag, sizeof(forged_frag)},   [COMPUTE] = {forged_comp, sizeof(forged_comp)}};
    for (unsigned i = 0; i < MODULES; i++) {
        const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                               .codeSize = programs[i].size_B,
                                               .pCode = programs[i].words};
        TRY(vk.CreateShaderModule(w->device, &info, NULL, &w->modules[i]));
    }
    return VK_SUCCESS;
}

VkResult world_create(struct world *w)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    *w = (struct world){0};
    TRY(vk.CreateInstance(&info, NULL, &w->instance));
    vk.DestroyInstance = (PFN_vkDestroyInstance)vk.get(w->instance, "vkDestroyInstance");
    vk.CreateDevice = (PFN_vkCreateDevice)vk.get(w->instance, "vkCreateDevice");
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)vk.get(w->instance, "vkEnumeratePhysicalDevices");
    uint32_t count = 1;
    if (enumerate(w->instance, &count, &w->gpu) < 0 || !count)
        return VK_ERROR_INITIALIZATION_FAILED;
    TRY(create_device(w));
    TRY(create_memory(w));
    TRY(create_layouts(w));
    TRY(create_modules(w));
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    TRY(vk.CreateCommandPool(w->device, &pool, NULL, &w->pool));
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = w->pool, .commandBufferCount = 1};
    return vk.AllocateCommandBuffers(w->device, &commands, &w->commands);
}

void world_destroy(struct world *w)
{
    if (w->device) {
        vk.DestroyCommandPool(w->device, w->pool, NULL);
        for (unsigned i = 0; i < MODULES; i++)
            vk.DestroyShaderModule(w->device, w->modules[i], NULL);
        vk.DestroyPipelineLayout(w->device, w->layout, NULL);
        vk.DestroyDescriptorPool(w->device, w->sets, NULL);
        vk.DestroyDescriptorSetLayout(w->device, w->set_layout, NULL);
        vk.DestroyImageView(w->device, w->view, NULL);
        vk.DestroyImage(w->device, w->image, NULL);
        vk.DestroyBuffer(w->device, w->buffer, NULL);
        vk.FreeMemory(w->device, w->image_memory, NULL);
        vk.FreeMemory(w->device, w->buffer_memory, NULL);
        vk.DestroyDevice(w->device, NULL);
    }
    if (w->instance)
        vk.DestroyInstance(w->instance, NULL);
}

/* ---- pipelines ---- */

static VkPipelineShaderStageCreateInfo stage_of(const struct world *w, enum module module)
{
    static const VkShaderStageFlagBits stages[MODULES] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                          VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                          VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                          VK_SHADER_STAGE_GEOMETRY_BIT,
                                                          VK_SHADER_STAGE_FRAGMENT_BIT,
                                                          VK_SHADER_STAGE_COMPUTE_BIT};
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stages[module],
                                             .module = w->modules[module],
                                             .pName = "main"};
}

VkResult world_create_draw(const struct world *w, VkPipelineCache cache, bool is_tessellated, bool has_geometry,
                           VkPipeline *out)
{
    VkPipelineShaderStageCreateInfo stages[5] = {stage_of(w, VERTEX), stage_of(w, FRAGMENT)};
    uint32_t count = 2;
    if (is_tessellated) {
        stages[count++] = stage_of(w, CONTROL);
        stages[count++] = stage_of(w, EVALUATION);
    }
    if (has_geometry)
        stages[count++] = stage_of(w, GEOMETRY);
    const VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 16}};
    const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                        .vertexBindingDescriptionCount = 1,
                                                        .pVertexBindingDescriptions = &binding,
                                                        .vertexAttributeDescriptionCount = 2,
                                                        .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = is_tessellated ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineTessellationStateCreateInfo patches = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 3};
    const VkViewport viewport = {0, 0, SIZE, SIZE, 0, 1};
    const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
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
    const VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = 1,
                                                       .pAttachments = &target};
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &rendering,
                                               .stageCount = count,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = &patches,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pColorBlendState = &blend,
                                               .layout = w->layout};
    return vk.CreateGraphicsPipelines(w->device, cache, 1, &info, NULL, out);
}

VkResult world_create_dispatch(const struct world *w, VkPipelineCache cache, VkPipeline *out)
{
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = stage_of(w, COMPUTE), .layout = w->layout};
    return vk.CreateComputePipelines(w->device, cache, 1, &info, NULL, out);
}

/* ---- recordings ---- */

VkResult world_begin(const struct world *w)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(vk.ResetCommandPool(w->device, w->pool, 0));
    TRY(vk.BeginCommandBuffer(w->commands, &begin));
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                          .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .image = w->image,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vk.CmdPipelineBarrier(w->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                          0, 0, NULL, 0, NULL, 1, &barrier);
    return VK_SUCCESS;
}

void world_begin_rendering(const struct world *w)
{
    const VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                              .imageView = w->view,
                                              .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                       .renderArea = {{0, 0}, {SIZE, SIZE}},
                                       .layerCount = 1,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &target};
    vk.CmdBeginRendering(w->commands, &rendering);
}

void world_bind(const struct world *w, VkPipelineBindPoint point, VkPipeline pipeline)
{
    static const uint32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    vk.CmdBindPipeline(w->commands, point, pipeline);
    vk.CmdBindDescriptorSets(w->commands, point, w->layout, 0, 1, &w->set, 0, NULL);
    vk.CmdPushConstants(w->commands, w->layout, VK_SHADER_STAGE_ALL, 0, sizeof(words), words);
}

VkResult world_submit(const struct world *w)
{
    TRY(vk.EndCommandBuffer(w->commands));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &w->commands};
    return vk.QueueSubmit(w->queue, 1, &submit, VK_NULL_HANDLE);
}

VkResult world_run(const struct world *w)
{
    TRY(world_submit(w));
    return vk.QueueWaitIdle(w->queue);
}
