/* Vulkan objects of the judge's scenes, made from the driver's library without a loader, so that no other driver is
 * asked. */
#include <dlfcn.h>
#include <string.h>

#include "scenes.h"

#define CHECK(vk, call)                                                                                                \
    do {                                                                                                               \
        if ((call) != VK_SUCCESS)                                                                                      \
            (vk)->failed = true;                                                                                       \
    } while (0)

static VkDeviceMemory allocate_memory(struct vk *vk, VkDeviceSize size_B)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    CHECK(vk, vk->AllocateMemory(
                  vk->device,
                  &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size_B},
                  NULL, &memory));
    return memory;
}

VkShaderModule make_module(struct vk *vk, const uint32_t *words, size_t size_B)
{
    VkShaderModule module = VK_NULL_HANDLE;
    CHECK(vk, vk->CreateShaderModule(vk->device,
                                     &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                                 .codeSize = size_B,
                                                                 .pCode = words},
                                     NULL, &module));
    return module;
}

VkPipeline make_compute_pipeline(struct vk *vk, VkShaderModule module)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = vk->layout,
    };
    CHECK(vk, vk->CreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static unsigned fill_stages(const struct pipeline_options *options, VkPipelineShaderStageCreateInfo *stages)
{
    static const VkShaderStageFlagBits bits[5] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                  VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    unsigned count = 0;
    for (unsigned i = 0; i < 5; i++) {
        if (options->stages[i])
            stages[count++] =
                (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = bits[i],
                                                  .module = options->stages[i],
                                                  .pName = "main"};
    }
    return count;
}

static VkPipelineDepthStencilStateCreateInfo depth_state(const struct pipeline_options *options)
{
    const VkStencilOpState op = {.passOp = VK_STENCIL_OP_REPLACE,
                                 .failOp = VK_STENCIL_OP_INVERT,
                                 .compareOp = VK_COMPARE_OP_NOT_EQUAL,
                                 .compareMask = 0xff,
                                 .writeMask = 0x0f};
    return (VkPipelineDepthStencilStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = options->depth,
                                                   .depthWriteEnable = options->depth,
                                                   .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                                   .depthBoundsTestEnable = options->stencil,
                                                   .maxDepthBounds = 1.0f,
                                                   .stencilTestEnable = options->stencil,
                                                   .front = op,
                                                   .back = op};
}

static VkPipelineColorBlendAttachmentState blend_state(const struct pipeline_options *options)
{
    return (VkPipelineColorBlendAttachmentState){
        .blendEnable = options->blend,
        .srcColorBlendFactor = options->dual_source ? VK_BLEND_FACTOR_SRC1_COLOR : VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .colorBlendOp = VK_BLEND_OP_REVERSE_SUBTRACT,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_CONSTANT_ALPHA,
        .alphaBlendOp = VK_BLEND_OP_ADD,
        .colorWriteMask = 0xf,
    };
}

VkPipeline make_graphics_pipeline(struct vk *vk, const struct pipeline_options *options)
{
    const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkVertexInputBindingDescription binding = {.stride = 32};
    const VkVertexInputAttributeDescription attributes[] = {
        {.location = 0, .format = VK_FORMAT_R32G32B32A32_SFLOAT},
        {.location = 1, .format = VK_FORMAT_R8G8B8A8_UNORM, .offset = 16},
    };
    const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                      VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    VkPipelineShaderStageCreateInfo stages[5];
    unsigned stage_count = fill_stages(options, stages);
    VkPipelineDepthStencilStateCreateInfo depth = depth_state(options);
    VkPipelineColorBlendAttachmentState blend = blend_state(options);
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &(VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                  .colorAttachmentCount = options->no_color ? 0 : 1,
                                                  .pColorAttachmentFormats = &color_format,
                                                  .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                                  .stencilAttachmentFormat = VK_FORMAT_D32_SFLOAT_S8_UINT},
        .stageCount = stage_count,
        .pStages = stages,
        .pVertexInputState =
            &(VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                    .vertexBindingDescriptionCount = 1,
                                                    .pVertexBindingDescriptions = &binding,
                                                    .vertexAttributeDescriptionCount = 2,
                                                    .pVertexAttributeDescriptions = attributes},
        .pInputAssemblyState =
            &(VkPipelineInputAssemblyStateCreateInfo){.sType =
                                                          VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                      .topology = options->topology,
                                                      .primitiveRestartEnable = options->restart},
        .pTessellationState =
            &(VkPipelineTessellationStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
                                                     .patchControlPoints = 3},
        .pViewportState =
            &(VkPipelineViewportStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1},
        .pRasterizationState =
            &(VkPipelineRasterizationStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                .polygonMode = options->lines ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL,
                .cullMode = options->depth ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
                .depthBiasEnable = options->bias,
                .depthBiasConstantFactor = 2.0f,
                .depthBiasSlopeFactor = 1.5f,
                .lineWidth = 1.0f},
        .pMultisampleState =
            &(VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples =
                                                        options->samples ? options->samples : VK_SAMPLE_COUNT_1_BIT,
                                                    .alphaToCoverageEnable = options->alpha_to_coverage,
                                                    .sampleShadingEnable = options->sample_shading,
                                                    .minSampleShading = 1.0f},
        .pDepthStencilState = &depth,
        .pColorBlendState =
            &(VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                   .logicOpEnable = options->logic_op,
                                                   .logicOp = VK_LOGIC_OP_XOR,
                                                   .attachmentCount = options->no_color ? 0 : 1,
                                                   .pAttachments = &blend,
                                                   .blendConstants = {0.25f, 0.5f, 0.75f, 1.0f}},
        .pDynamicState =
            &(VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = 3,
                                                .pDynamicStates = dynamic},
        .layout = vk->layout,
    };
    VkPipeline pipeline = VK_NULL_HANDLE;
    CHECK(vk, vk->CreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

VkImage make_image(struct vk *vk, VkFormat format, uint32_t width, uint32_t height, uint32_t layers,
                   VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
    VkImage image = VK_NULL_HANDLE;
    CHECK(vk,
          vk->CreateImage(vk->device,
                          &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                               .imageType = VK_IMAGE_TYPE_2D,
                                               .format = format,
                                               .extent = {width, height, 1},
                                               .mipLevels = 1,
                                               .arrayLayers = layers,
                                               .samples = samples,
                                               .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                        VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT},
                          NULL, &image));
    if (vk->failed)
        return VK_NULL_HANDLE;
    VkMemoryRequirements needs;
    vk->GetImageMemoryRequirements(vk->device, image, &needs);
    CHECK(vk, vk->BindImageMemory(vk->device, image, allocate_memory(vk, needs.size), 0));
    return image;
}

static VkImageView make_view(struct vk *vk, VkImage image, VkFormat format, VkImageAspectFlags aspect, uint32_t layers)
{
    VkImageView view = VK_NULL_HANDLE;
    if (vk->failed)
        return view;
    CHECK(vk, vk->CreateImageView(
                  vk->device,
                  &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                           .image = image,
                                           .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                           .format = format,
                                           .subresourceRange = {aspect, 0, 1, 0, layers}},
                  NULL, &view));
    return view;
}

struct target make_target(struct vk *vk, uint32_t size, uint32_t layers, VkSampleCountFlagBits samples)
{
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    struct target t = {
        .color =
            make_image(vk, VK_FORMAT_R8G8B8A8_UNORM, size, size, layers, samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
        .depth = make_image(vk, VK_FORMAT_D32_SFLOAT_S8_UINT, size, size, layers, samples,
                            VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
    };
    t.color_view = make_view(vk, t.color, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, layers);
    t.depth_view = make_view(vk, t.depth, VK_FORMAT_D32_SFLOAT_S8_UINT, both, layers);
    return t;
}

VkCommandBuffer begin_commands(struct vk *vk, uint32_t family)
{
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    CHECK(vk, vk->CreateCommandPool(vk->device,
                                    &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                               .queueFamilyIndex = family},
                                    NULL, &pool));
    CHECK(vk, vk->AllocateCommandBuffers(
                  vk->device,
                  &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = pool,
                                                 .commandBufferCount = 1},
                  &commands));
    CHECK(vk, vk->BeginCommandBuffer(
                  commands, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    return commands;
}

void submit_commands(struct vk *vk, uint32_t family, VkCommandBuffer commands)
{
    VkQueue queue;
    CHECK(vk, vk->EndCommandBuffer(commands));
    vk->GetDeviceQueue(vk->device, family, 0, &queue);
    CHECK(vk, vk->QueueSubmit(queue, 1,
                              &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                              .commandBufferCount = 1,
                                              .pCommandBuffers = &commands},
                              VK_NULL_HANDLE));
    CHECK(vk, vk->QueueWaitIdle(queue));
}

/* --- the device --- */

static void make_layouts(struct vk *vk)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {.binding = 0,
         .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_ALL},
        {.binding = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .descriptorCount = 1,
         .stageFlags = VK_SHADER_STAGE_ALL},
    };
    CHECK(vk, vk->CreateDescriptorSetLayout(
                  vk->device,
                  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                     .bindingCount = 2,
                                                     .pBindings = bindings},
                  NULL, &vk->set_layout));
    const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
    CHECK(vk,
          vk->CreatePipelineLayout(vk->device,
                                   &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                 .setLayoutCount = 1,
                                                                 .pSetLayouts = &vk->set_layout,
                                                                 .pushConstantRangeCount = 1,
                                                                 .pPushConstantRanges = &range},
                                   NULL, &vk->layout));
}

static void make_resources(struct vk *vk)
{
    CHECK(vk,
          vk->CreateBuffer(vk->device,
                           &(VkBufferCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1 << 20, .usage = 0x9ff | 0xa00},
                           NULL, &vk->buffer));
    CHECK(vk, vk->BindBufferMemory(vk->device, vk->buffer, allocate_memory(vk, 1 << 20), 0));
    CHECK(vk, vk->CreateSampler(
                  vk->device,
                  &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR},
                  NULL, &vk->sampler));
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    CHECK(vk,
          vk->CreateDescriptorPool(vk->device,
                                   &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                 .maxSets = 1,
                                                                 .poolSizeCount = 2,
                                                                 .pPoolSizes = sizes},
                                   NULL, &pool));
    CHECK(vk, vk->AllocateDescriptorSets(
                  vk->device,
                  &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = pool,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &vk->set_layout},
                  &vk->set));
}

static void find_families(struct vk *vk, PFN_vkGetPhysicalDeviceQueueFamilyProperties get, VkPhysicalDevice physical)
{
    VkQueueFamilyProperties families[8];
    uint32_t count = 8;
    get(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)
            vk->graphics_family = i;
        else if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            vk->compute_family = i;
    }
}

static VkResult create_device(struct vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance,
                              VkPhysicalDevice physical)
{
    static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                                             VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, .conditionalRendering = VK_TRUE};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
        .pNext = &conditional,
        .transformFeedback = VK_TRUE};
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .pNext = &feedback,
                                                   .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features13};
    ((PFN_vkGetPhysicalDeviceFeatures)get(instance, "vkGetPhysicalDeviceFeatures"))(physical, &features.features);
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queues[] = {
        {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, vk->graphics_family, 1, &priority},
        {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, vk->compute_family, 1, &priority},
    };
    return ((PFN_vkCreateDevice)get(instance, "vkCreateDevice"))(
        physical,
        &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .pNext = &features,
                              .queueCreateInfoCount = vk->compute_family == vk->graphics_family ? 1 : 2,
                              .pQueueCreateInfos = queues,
                              .enabledExtensionCount = 2,
                              .ppEnabledExtensionNames = extensions},
        NULL, &vk->device);
}

const char *make_device(struct vk *vk, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return dlerror();
    typedef VkResult (*negotiate_fn)(uint32_t * version);
    negotiate_fn negotiate = (negotiate_fn)dlsym(handle, "vk_icdNegotiateLoaderICDInterfaceVersion");
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(handle, "vk_icdGetInstanceProcAddr");
    uint32_t version = 5, count = 1;
    if (!negotiate || !get || negotiate(&version) != VK_SUCCESS)
        return "the library is no Vulkan driver";
    VkInstance instance;
    VkPhysicalDevice physical;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    if (((PFN_vkCreateInstance)get(NULL, "vkCreateInstance"))(
            &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application},
            NULL, &instance))
        return "vkCreateInstance failed";
    if (((PFN_vkEnumeratePhysicalDevices)get(instance, "vkEnumeratePhysicalDevices"))(instance, &count, &physical) <
            0 ||
        count == 0)
        return "RADV does not see its device";
    find_families(
        vk, (PFN_vkGetPhysicalDeviceQueueFamilyProperties)get(instance, "vkGetPhysicalDeviceQueueFamilyProperties"),
        physical);
    if (create_device(vk, get, instance, physical) != VK_SUCCESS)
        return "vkCreateDevice failed";
    PFN_vkGetDeviceProcAddr get_device = (PFN_vkGetDeviceProcAddr)get(instance, "vkGetDeviceProcAddr");
#define LOAD(name)                                                                                                     \
    vk->name = (PFN_vk##name)get_device(vk->device, "vk" #name);                                                       \
    if (!vk->name)                                                                                                     \
        return "vk" #name " is missing";
    VK_FUNCTIONS(LOAD)
#undef LOAD
    make_layouts(vk);
    make_resources(vk);
    return vk->failed ? "the shared objects cannot be made" : NULL;
}
