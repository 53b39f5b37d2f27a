/* The demo: a plain Vulkan 1.3 program that draws a knot with depth test and per-pixel light, reads it back and writes
 * a PNG. It knows nothing of Tuff; `make demo` runs it on whatever driver it was given, over the model.
 *
 *     torus [--frames N] [--size PIXELS] FILE.png */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#include "torus_frag.h"
#include "torus_vert.h"
#include "util/png.h"

#define AROUND 24
#define ALONG 320

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkPhysicalDeviceMemoryProperties memory;
    VkImage colour, depth;
    VkImageView colour_view, depth_view;
    VkBuffer pixels;
    uint8_t *map;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandBuffer commands;
    VkFence fence;
} vk;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        VkResult result_ = (call);                                                                                     \
        if (result_ != VK_SUCCESS) {                                                                                   \
            fprintf(stderr, "torus: %s: VkResult %d\n", #call, result_);                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- Vulkan ---- */

static void open_device(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "torus", .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    CHECK(vkCreateInstance(&instance, NULL, &vk.instance));
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || !count) {
        fprintf(stderr, "torus: no Vulkan device\n");
        exit(1);
    }
    vkGetPhysicalDeviceMemoryProperties(vk.physical, &vk.memory);
    float priority = 1;
    VkPhysicalDeviceVulkan13Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(vk.physical, &device, NULL, &vk.device));
    vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
}

static VkDeviceMemory allocate_memory(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    while (info.memoryTypeIndex < vk.memory.memoryTypeCount &&
           (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
            (vk.memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted))
        info.memoryTypeIndex++;
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(vk.device, &info, NULL, &memory));
    return memory;
}

static VkImage make_image(uint32_t size, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect, VkImageView *view_out)
{
    VkImage image;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {size, size, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = usage};
    CHECK(vkCreateImage(vk.device, &info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vk.device, image, &needs);
    CHECK(vkBindImageMemory(vk.device, image, allocate_memory(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {aspect, 0, 1, 0, 1}};
    CHECK(vkCreateImageView(vk.device, &view, NULL, view_out));
    return image;
}

static void make_resources(uint32_t size)
{
    vk.colour = make_image(size, VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                           VK_IMAGE_ASPECT_COLOR_BIT, &vk.colour_view);
    vk.depth =
        make_image(size, VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, &vk.depth_view);
    VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = (VkDeviceSize)size * size * 4, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(vk.device, &buffer, NULL, &vk.pixels));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk.device, vk.pixels, &needs);
    VkDeviceMemory memory =
        allocate_memory(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(vk.device, vk.pixels, memory, 0));
    CHECK(vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&vk.map));

    VkCommandPool pool;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(vk.device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(vk.device, &commands, &vk.commands));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(vk.device, &fence, NULL, &vk.fence));
}

static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind, const uint32_t *code, size_t size_B)
{
    VkPipelineShaderStageCreateInfo made = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = kind, .pName = "main"};
    VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = code};
    CHECK(vkCreateShaderModule(vk.device, &module, NULL, &made.module));
    return made;
}

static void make_pipeline(uint32_t size)
{
    VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, 12};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
    CHECK(vkCreatePipelineLayout(vk.device, &layout, NULL, &vk.layout));

    VkFormat format = VK_FORMAT_R8G8B8A8_SRGB;
    VkViewport viewport = {0, 0, (float)size, (float)size, 0, 1};
    VkRect2D scissor = {{0, 0}, {size, size}};
    VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 15};
    const VkPipelineShaderStageCreateInfo stages[] = {stage(VK_SHADER_STAGE_VERTEX_BIT, torus_vert, sizeof(torus_vert)),
                                                      stage(VK_SHADER_STAGE_FRAGMENT_BIT, torus_frag, sizeof(torus_frag))};
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &(VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                  .colorAttachmentCount = 1,
                                                  .pColorAttachmentFormats = &format,
                                                  .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT},
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState =
            &(VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
        .pInputAssemblyState = &(VkPipelineInputAssemblyStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                                         .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
        .pViewportState = &(VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                               .viewportCount = 1,
                                                               .pViewports = &viewport,
                                                               .scissorCount = 1,
                                                               .pScissors = &scissor},
        .pRasterizationState =
            &(VkPipelineRasterizationStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1},
        .pMultisampleState = &(VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                                     .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
        .pDepthStencilState = &(VkPipelineDepthStencilStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                                       .depthTestEnable = VK_TRUE,
                                                                       .depthWriteEnable = VK_TRUE,
                                                                       .depthCompareOp = VK_COMPARE_OP_LESS},
        .pColorBlendState = &(VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                                   .attachmentCount = 1,
                                                                   .pAttachments = &blend},
        .layout = vk.layout,
    };
    CHECK(vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &vk.pipeline));
}

static void transition(VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = image,
                                    .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(vk.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void draw_frame(uint32_t size, float turn)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(vk.commands, &begin));
    transition(vk.colour, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    transition(vk.depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo colour = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = vk.colour_view,
                                        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                        .clearValue.color.float32 = {0.01f, 0.015f, 0.03f, 1}};
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = vk.depth_view,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .clearValue.depthStencil.depth = 1};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {size, size}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &colour,
                                 .pDepthAttachment = &depth};
    vkCmdBeginRendering(vk.commands, &rendering);
    vkCmdBindPipeline(vk.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk.pipeline);
    struct {
        float turn;
        int32_t around, along;
    } push = {turn, AROUND, ALONG};
    vkCmdPushConstants(vk.commands, vk.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), &push);
    vkCmdDraw(vk.commands, AROUND * ALONG * 6, 1, 0, 0);
    vkCmdEndRendering(vk.commands);
    transition(vk.colour, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {size, size, 1}};
    vkCmdCopyImageToBuffer(vk.commands, vk.colour, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vk.pixels, 1, &copy);
    CHECK(vkEndCommandBuffer(vk.commands));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &vk.commands};
    CHECK(vkQueueSubmit(vk.queue, 1, &submit, vk.fence));
    CHECK(vkWaitForFences(vk.device, 1, &vk.fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(vk.device, 1, &vk.fence));
}

int main(int argc, char **argv)
{
    uint32_t frames = 1, size = 512;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc)
            frames = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            size = (uint32_t)atoi(argv[++i]);
        else
            path = argv[i];
    }
    if (!path || !frames || size < 16 || size > 4096) {
        fprintf(stderr, "usage: torus [--frames N] [--size PIXELS] FILE.png\n");
        return 2;
    }
    open_device();
    make_resources(size);
    make_pipeline(size);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t i = 0; i < frames; i++)
        draw_frame(size, 0.6f + 0.1f * (float)i);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;

    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(vk.physical, &properties);
    printf("%s\n%u frames of %u triangles at %ux%u, %.2f frames a second\n", properties.deviceName, frames, AROUND * ALONG * 2, size, size,
           frames / seconds);
    int error = png_write(path, vk.map, size, size, false);
    if (error) {
        fprintf(stderr, "torus: cannot write %s: %s\n", path, strerror(-error));
        return 1;
    }
    return 0;
}
