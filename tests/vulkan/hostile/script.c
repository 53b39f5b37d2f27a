/* See script.h. */
#define VK_NO_PROTOTYPES
#include "script.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "script_comp.h"
#include "script_frag.h"
#include "script_vert.h"

#define INSTANCE_COMMANDS(X)                                                                                           \
    X(vkDestroyInstance)                                                                                               \
    X(vkEnumeratePhysicalDevices)                                                                                      \
    X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                        \
    X(vkGetPhysicalDeviceMemoryProperties)                                                                             \
    X(vkCreateDevice)                                                                                                  \
    X(vkGetDeviceProcAddr)

#define DEVICE_COMMANDS(X)                                                                                             \
    X(vkDestroyDevice)                                                                                                 \
    X(vkDeviceWaitIdle)                                                                                                \
    X(vkGetDeviceQueue)                                                                                                \
    X(vkCreateBuffer)                                                                                                  \
    X(vkDestroyBuffer)                                                                                                 \
    X(vkGetBufferMemoryRequirements)                                                                                   \
    X(vkBindBufferMemory)                                                                                              \
    X(vkAllocateMemory)                                                                                                \
    X(vkFreeMemory)                                                                                                    \
    X(vkMapMemory)                                                                                                     \
    X(vkCreateImage)                                                                                                   \
    X(vkDestroyImage)                                                                                                  \
    X(vkGetImageMemoryRequirements)                                                                                    \
    X(vkBindImageMemory)                                                                                               \
    X(vkCreateImageView)                                                                                               \
    X(vkDestroyImageView)                                                                                              \
    X(vkCreateSampler)                                                                                                 \
    X(vkDestroySampler)                                                                                                \
    X(vkCreateFramebuffer)                                                                                             \
    X(vkDestroyFramebuffer)                                                                                            \
    X(vkCreateRenderPass)                                                                                              \
    X(vkDestroyRenderPass)                                                                                             \
    X(vkCreateDescriptorSetLayout)                                                                                     \
    X(vkDestroyDescriptorSetLayout)                                                                                    \
    X(vkCreateDescriptorPool)                                                                                          \
    X(vkDestroyDescriptorPool)                                                                                         \
    X(vkAllocateDescriptorSets)                                                                                        \
    X(vkUpdateDescriptorSetWithTemplate)                                                                               \
    X(vkCreateDescriptorUpdateTemplate)                                                                                \
    X(vkDestroyDescriptorUpdateTemplate)                                                                               \
    X(vkCreatePipelineLayout)                                                                                          \
    X(vkDestroyPipelineLayout)                                                                                         \
    X(vkCreateShaderModule)                                                                                            \
    X(vkDestroyShaderModule)                                                                                           \
    X(vkCreatePipelineCache)                                                                                           \
    X(vkDestroyPipelineCache)                                                                                          \
    X(vkCreateComputePipelines)                                                                                        \
    X(vkCreateGraphicsPipelines)                                                                                       \
    X(vkDestroyPipeline)                                                                                               \
    X(vkCreateQueryPool)                                                                                               \
    X(vkDestroyQueryPool)                                                                                              \
    X(vkGetQueryPoolResults)                                                                                           \
    X(vkCreateCommandPool)                                                                                             \
    X(vkDestroyCommandPool)                                                                                            \
    X(vkResetCommandPool)                                                                                              \
    X(vkAllocateCommandBuffers)                                                                                        \
    X(vkBeginCommandBuffer)                                                                                            \
    X(vkEndCommandBuffer)                                                                                              \
    X(vkCmdPipelineBarrier)                                                                                            \
    X(vkCmdBindPipeline)                                                                                               \
    X(vkCmdBindDescriptorSets)                                                                                         \
    X(vkCmdPushConstants)                                                                                              \
    X(vkCmdBeginRenderPass)                                                                                            \
    X(vkCmdEndRenderPass)                                                                                              \
    X(vkCmdExecuteCommands)                                                                                            \
    X(vkCmdDraw)                                                                                                       \
    X(vkCmdDispatch)                                                                                                   \
    X(vkCmdFillBuffer)                                                                                                 \
    X(vkCmdCopyBuffer)                                                                                                 \
    X(vkCmdCopyImageToBuffer)                                                                                          \
    X(vkCmdResetQueryPool)                                                                                             \
    X(vkCmdWriteTimestamp)                                                                                             \
    X(vkCmdSetEvent)                                                                                                   \
    X(vkCreateFence)                                                                                                   \
    X(vkDestroyFence)                                                                                                  \
    X(vkWaitForFences)                                                                                                 \
    X(vkResetFences)                                                                                                   \
    X(vkCreateSemaphore)                                                                                               \
    X(vkDestroySemaphore)                                                                                              \
    X(vkGetSemaphoreCounterValue)                                                                                      \
    X(vkCreateEvent)                                                                                                   \
    X(vkDestroyEvent)                                                                                                  \
    X(vkGetEventStatus)                                                                                                \
    X(vkQueueSubmit)

#define DECLARE(name) static PFN_##name name;
static PFN_vkGetInstanceProcAddr get_proc;
static PFN_vkCreateInstance vkCreateInstance;
INSTANCE_COMMANDS(DECLARE)
DEVICE_COMMANDS(DECLARE)

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult try_result = (call);                                                                                  \
        if (try_result != VK_SUCCESS)                                                                                  \
            return try_result;                                                                                         \
    } while (0)

bool script_load(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    PFN_vkGetInstanceProcAddr get;
    *(void **)&get = dlsym(handle, "vk_icdGetInstanceProcAddr");
    get_proc = get;
    vkCreateInstance = get ? (PFN_vkCreateInstance)get(VK_NULL_HANDLE, "vkCreateInstance") : NULL;
    return vkCreateInstance != NULL;
}

/* ---- the device, and what all jobs share ---- */

static VkResult find_families(struct script *script)
{
    VkQueueFamilyProperties found[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(script->gpu, &count, found);
    for (uint32_t i = count; i-- > 0;) {
        bool graphics = found[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        if (!graphics && !(found[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        enum script_family family = graphics ? SCRIPT_GENERAL : SCRIPT_COMPUTE;
        script->families[family] = i;
        script->queue_count[family] = found[i].queueCount < SCRIPT_QUEUES ? found[i].queueCount : SCRIPT_QUEUES;
    }
    if (!script->queue_count[SCRIPT_COMPUTE]) {
        script->families[SCRIPT_COMPUTE] = script->families[SCRIPT_GENERAL];
        script->queue_count[SCRIPT_COMPUTE] = script->queue_count[SCRIPT_GENERAL];
    }
    return script->queue_count[SCRIPT_GENERAL] ? VK_SUCCESS : VK_ERROR_UNKNOWN;
}

static VkResult create_device(struct script *script)
{
    static const float priorities[SCRIPT_QUEUES] = {1, 1, 1, 1};
    VkDeviceQueueCreateInfo queues[SCRIPT_FAMILIES];
    for (unsigned i = 0; i < SCRIPT_FAMILIES; i++)
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = script->families[i],
                                              .queueCount = script->queue_count[i],
                                              .pQueuePriorities = priorities};
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .timelineSemaphore = VK_TRUE};
    static const char *const extensions[] = {"VK_KHR_external_semaphore_fd"};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = extensions,
                               .queueCreateInfoCount = script_has_one_family(script) ? 1 : SCRIPT_FAMILIES,
                               .pQueueCreateInfos = queues};
    TRY(vkCreateDevice(script->gpu, &info, script->alloc, &script->device));
#define LOAD_DEVICE(name) name = (PFN_##name)vkGetDeviceProcAddr(script->device, #name);
    DEVICE_COMMANDS(LOAD_DEVICE)
    for (unsigned i = 0; i < SCRIPT_FAMILIES; i++) {
        for (uint32_t n = 0; n < script->queue_count[i]; n++)
            vkGetDeviceQueue(script->device, script->families[i], n, &script->queues[i][n]);
    }
    return VK_SUCCESS;
}

static VkResult create_module(struct script *script, const uint32_t *code, size_t size_B, VkShaderModule *module_out)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = code};
    return vkCreateShaderModule(script->device, &info, script->alloc, module_out);
}

static VkResult create_layouts(struct script *script)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    TRY(vkCreateDescriptorSetLayout(script->device, &set, script->alloc, &script->set_layout));
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 8};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &script->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    return vkCreatePipelineLayout(script->device, &layout, script->alloc, &script->layout);
}

static VkResult create_pass(struct script *script)
{
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    VkSubpassDependency dependency = {.srcSubpass = 0,
                                      .dstSubpass = VK_SUBPASS_EXTERNAL,
                                      .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      .dstStageMask =
                                          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                      .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = 1,
                                   .pDependencies = &dependency};
    return vkCreateRenderPass(script->device, &info, script->alloc, &script->pass);
}

VkResult script_open(struct script *script, const VkAllocationCallbacks *alloc)
{
    *script = (struct script){.alloc = alloc};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    TRY(vkCreateInstance(&info, alloc, &script->instance));
#define LOAD_INSTANCE(name) name = (PFN_##name)get_proc(script->instance, #name);
    INSTANCE_COMMANDS(LOAD_INSTANCE)
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(script->instance, &count, &script->gpu);
    if (result < 0)
        return result;
    if (count == 0)
        return VK_ERROR_INITIALIZATION_FAILED;
    vkGetPhysicalDeviceMemoryProperties(script->gpu, &script->memory);
    TRY(find_families(script));
    TRY(create_device(script));
    TRY(create_layouts(script));
    TRY(create_pass(script));
    TRY(create_module(script, script_vert, sizeof(script_vert), &script->vertex));
    TRY(create_module(script, script_frag, sizeof(script_frag), &script->fragment));
    TRY(create_module(script, script_comp, sizeof(script_comp), &script->compute));
    VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    return vkCreatePipelineCache(script->device, &cache, alloc, &script->cache);
}

void script_close(struct script *script)
{
    if (script->device) {
        vkDestroyPipelineCache(script->device, script->cache, script->alloc);
        vkDestroyShaderModule(script->device, script->vertex, script->alloc);
        vkDestroyShaderModule(script->device, script->fragment, script->alloc);
        vkDestroyShaderModule(script->device, script->compute, script->alloc);
        vkDestroyRenderPass(script->device, script->pass, script->alloc);
        vkDestroyPipelineLayout(script->device, script->layout, script->alloc);
        vkDestroyDescriptorSetLayout(script->device, script->set_layout, script->alloc);
        vkDestroyDevice(script->device, script->alloc);
    }
    if (script->instance)
        vkDestroyInstance(script->instance, script->alloc);
    *script = (struct script){0};
}

/* ---- what a job owns ---- */

static VkResult allocate_memory(struct script *script, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted,
                                VkDeviceMemory *memory_out)
{
    uint32_t type = 0;
    while (
        type < script->memory.memoryTypeCount &&
        (!(needs->memoryTypeBits >> type & 1) || (script->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size, .memoryTypeIndex = type};
    return vkAllocateMemory(script->device, &info, script->alloc, memory_out);
}

static VkResult create_buffer(struct script *script, VkDeviceSize size_B, VkMemoryPropertyFlags wanted,
                              struct script_buffer *out)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size_B,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    TRY(vkCreateBuffer(script->device, &info, script->alloc, &out->buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(script->device, out->buffer, &needs);
    TRY(allocate_memory(script, &needs, wanted, &out->memory));
    return vkBindBufferMemory(script->device, out->buffer, out->memory, 0);
}

static VkResult create_image(struct script_job *job)
{
    struct script *script = job->script;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .extent = {SCRIPT_SIZE, SCRIPT_SIZE, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    TRY(vkCreateImage(script->device, &info, script->alloc, &job->image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(script->device, job->image, &needs);
    TRY(allocate_memory(script, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &job->image_memory));
    TRY(vkBindImageMemory(script->device, job->image, job->image_memory, 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = job->image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = info.format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    TRY(vkCreateImageView(script->device, &view, script->alloc, &job->view));
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = script->pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &job->view,
                                           .width = SCRIPT_SIZE,
                                           .height = SCRIPT_SIZE,
                                           .layers = 1};
    return vkCreateFramebuffer(script->device, &framebuffer, script->alloc, &job->framebuffer);
}

struct set_content {
    VkDescriptorBufferInfo buffer;
    VkDescriptorImageInfo image;
};

static VkResult create_set(struct script_job *job)
{
    struct script *script = job->script;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    TRY(vkCreateDescriptorPool(script->device, &pool, script->alloc, &job->sets));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = job->sets,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &script->set_layout};
    TRY(vkAllocateDescriptorSets(script->device, &set, &job->set));
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    TRY(vkCreateSampler(script->device, &sampler, script->alloc, &job->sampler));
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(struct set_content, buffer), 0},
        {1, 0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, offsetof(struct set_content, image), 0},
    };
    VkDescriptorUpdateTemplateCreateInfo update = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                   .descriptorUpdateEntryCount = job->view ? 2 : 1,
                                                   .pDescriptorUpdateEntries = entries,
                                                   .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                                   .descriptorSetLayout = script->set_layout};
    TRY(vkCreateDescriptorUpdateTemplate(script->device, &update, script->alloc, &job->update));
    struct set_content content = {{job->result.buffer, 0, VK_WHOLE_SIZE},
                                  {job->sampler, job->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
    vkUpdateDescriptorSetWithTemplate(script->device, job->set, job->update, &content);
    return VK_SUCCESS;
}

static VkResult create_dispatch(struct script_job *job)
{
    struct script *script = job->script;
    struct {
        uint32_t factor;
        VkBool32 sampled;
    } constants = {job->factor, job->family == SCRIPT_GENERAL};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    VkSpecializationInfo specialization = {2, entries, sizeof(constants), &constants};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = script->compute,
                                                  .pName = "main",
                                                  .pSpecializationInfo = &specialization},
                                        .layout = script->layout};
    return vkCreateComputePipelines(script->device, script->cache, 1, &info, script->alloc, &job->dispatch);
}

static VkResult create_draw(struct script_job *job)
{
    struct script *script = job->script;
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = script->vertex,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = script->fragment,
         .pName = "main"},
    };
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, SCRIPT_SIZE, SCRIPT_SIZE, 0, 1};
    VkRect2D scissor = {{0, 0}, {SCRIPT_SIZE, SCRIPT_SIZE}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &target};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewports,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend,
                                         .layout = script->layout,
                                         .renderPass = script->pass};
    return vkCreateGraphicsPipelines(script->device, script->cache, 1, &info, script->alloc, &job->draw);
}

static VkResult create_commands(struct script_job *job)
{
    struct script *script = job->script;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = script->families[job->family]};
    TRY(vkCreateCommandPool(script->device, &pool, script->alloc, &job->pool));
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = job->pool, .commandBufferCount = 1};
    TRY(vkAllocateCommandBuffers(script->device, &info, &job->commands));
    info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    return vkAllocateCommandBuffers(script->device, &info, &job->secondary);
}

static VkResult create_synchronisation(struct script_job *job)
{
    struct script *script = job->script;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(vkCreateFence(script->device, &fence, script->alloc, &job->fence));
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    TRY(vkCreateSemaphore(script->device, &semaphore, script->alloc, &job->timeline));
    VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    TRY(vkCreateEvent(script->device, &event, script->alloc, &job->event));
    VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    return vkCreateQueryPool(script->device, &queries, script->alloc, &job->queries);
}

VkResult script_job_create(struct script_job *job, struct script *script, enum script_family family, uint32_t seed)
{
    *job = (struct script_job){
        .script = script, .family = family, .color = seed * 2654435761u, .factor = 3 + seed % 61 * 2};
    TRY(create_buffer(script, SCRIPT_TEXELS * 4, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &job->result));
    TRY(create_buffer(script, SCRIPT_TEXELS * 8,
                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &job->host));
    TRY(vkMapMemory(script->device, job->host.memory, 0, VK_WHOLE_SIZE, 0, &job->map));
    if (family == SCRIPT_GENERAL)
        TRY(create_image(job));
    TRY(create_set(job));
    TRY(create_dispatch(job));
    if (family == SCRIPT_GENERAL)
        TRY(create_draw(job));
    TRY(create_synchronisation(job));
    return create_commands(job);
}

void script_job_destroy(struct script_job *job)
{
    struct script *script = job->script;
    if (!script || !script->device)
        return;
    VkDevice device = script->device;
    vkDestroyCommandPool(device, job->pool, script->alloc);
    vkDestroyQueryPool(device, job->queries, script->alloc);
    vkDestroyEvent(device, job->event, script->alloc);
    vkDestroySemaphore(device, job->timeline, script->alloc);
    vkDestroyFence(device, job->fence, script->alloc);
    vkDestroyPipeline(device, job->draw, script->alloc);
    vkDestroyPipeline(device, job->dispatch, script->alloc);
    vkDestroyDescriptorUpdateTemplate(device, job->update, script->alloc);
    vkDestroySampler(device, job->sampler, script->alloc);
    vkDestroyDescriptorPool(device, job->sets, script->alloc);
    vkDestroyFramebuffer(device, job->framebuffer, script->alloc);
    vkDestroyImageView(device, job->view, script->alloc);
    vkDestroyImage(device, job->image, script->alloc);
    vkFreeMemory(device, job->image_memory, script->alloc);
    vkDestroyBuffer(device, job->result.buffer, script->alloc);
    vkDestroyBuffer(device, job->host.buffer, script->alloc);
    vkFreeMemory(device, job->result.memory, script->alloc);
    vkFreeMemory(device, job->host.memory, script->alloc);
    *job = (struct script_job){0};
}

/* ---- commands ---- */

static VkResult record_secondary(struct script_job *job)
{
    VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                .renderPass = job->script->pass,
                                                .framebuffer = job->framebuffer};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                      .pInheritanceInfo = &inherited};
    TRY(vkBeginCommandBuffer(job->secondary, &begin));
    vkCmdBindPipeline(job->secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, job->draw);
    uint32_t push[2] = {job->color, 0};
    vkCmdPushConstants(job->secondary, job->script->layout, VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                       0, sizeof(push), push);
    vkCmdDraw(job->secondary, 3, 1, 0, 0);
    return vkEndCommandBuffer(job->secondary);
}

static void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
                           VkPipelineStageFlags to, VkAccessFlags used)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = used};
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void record_picture(struct script_job *job)
{
    VkCommandBuffer commands = job->commands;
    VkClearValue clear = {.color = {.float32 = {1, 0, 1, 0}}};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = job->script->pass,
                                   .framebuffer = job->framebuffer,
                                   .renderArea = {{0, 0}, {SCRIPT_SIZE, SCRIPT_SIZE}},
                                   .clearValueCount = 1,
                                   .pClearValues = &clear};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(commands, 1, &job->secondary);
    vkCmdEndRenderPass(commands);
}

/* The picture itself, after the words. */
static void record_copy_of_picture(struct script_job *job)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = 0,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = job->image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(job->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
    VkBufferImageCopy region = {.bufferOffset = SCRIPT_TEXELS * 4,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {SCRIPT_SIZE, SCRIPT_SIZE, 1}};
    vkCmdCopyImageToBuffer(job->commands, job->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, job->host.buffer, 1,
                           &region);
}

VkResult script_job_record(struct script_job *job)
{
    VkCommandBuffer commands = job->commands;
    VkPipelineLayout layout = job->script->layout;
    bool draws = job->family == SCRIPT_GENERAL;
    TRY(vkResetCommandPool(job->script->device, job->pool, 0));
    if (draws)
        TRY(record_secondary(job));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(vkBeginCommandBuffer(commands, &begin));
    vkCmdResetQueryPool(commands, job->queries, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, job->queries, 0);
    if (draws)
        record_picture(job);
    else
        vkCmdFillBuffer(commands, job->result.buffer, 0, VK_WHOLE_SIZE, job->color);
    memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, job->dispatch);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &job->set, 0, NULL);
    uint32_t push[2] = {job->color, job->factor};
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(push),
                       push);
    vkCmdDispatch(commands, SCRIPT_TEXELS / 64, 1, 1);
    memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                   VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    VkBufferCopy region = {0, 0, SCRIPT_TEXELS * 4};
    vkCmdCopyBuffer(commands, job->result.buffer, job->host.buffer, 1, &region);
    if (draws)
        record_copy_of_picture(job);
    memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                   VK_ACCESS_HOST_READ_BIT);
    vkCmdSetEvent(commands, job->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, job->queries, 1);
    return vkEndCommandBuffer(commands);
}

VkResult script_job_submit(struct script_job *job, VkQueue queue)
{
    memset(job->map, 0x55, SCRIPT_TEXELS * 8);
    uint64_t value = 1;
    TRY(vkGetSemaphoreCounterValue(job->script->device, job->timeline, &value));
    value++;
    VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .signalSemaphoreValueCount = 1,
                                              .pSignalSemaphoreValues = &value};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &timeline,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &job->commands,
                         .signalSemaphoreCount = 1,
                         .pSignalSemaphores = &job->timeline};
    return vkQueueSubmit(queue, 1, &info, job->fence);
}

VkResult script_job_wait(struct script_job *job)
{
    VkDevice device = job->script->device;
    TRY(vkWaitForFences(device, 1, &job->fence, VK_TRUE, UINT64_MAX));
    TRY(vkResetFences(device, 1, &job->fence));
    uint64_t stamps[2];
    TRY(vkGetQueryPoolResults(device, job->queries, 0, 2, sizeof(stamps), stamps, sizeof(stamps[0]),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    return vkGetEventStatus(device, job->event) == VK_EVENT_SET && stamps[1] >= stamps[0] ? VK_SUCCESS
                                                                                          : VK_ERROR_UNKNOWN;
}

bool script_job_is_right(const struct script_job *job)
{
    const uint32_t *words = job->map, *picture = words + SCRIPT_TEXELS;
    for (uint32_t i = 0; i < SCRIPT_TEXELS; i++) {
        if (words[i] != job->color * job->factor + job->factor + i)
            return false;
        if (job->family == SCRIPT_GENERAL && picture[i] != job->color)
            return false;
    }
    return true;
}
