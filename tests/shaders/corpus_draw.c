/* Shaders of the corpus that are drawn: into four layers of 16 by 16 texels of four floats, and as many of depth. The
 * other stage is the corpus' own: whole.vert covers the target, colour.frag shows what location 0 brings. The vertex
 * buffer is the input: location 0 its floats, location 1 its words, location 2 its words by instance, each four to a
 * vertex. */
#include <stdio.h>

#include "corpus_vulkan.h"

#define SIZE 16
#define LAYERS 4
#define COLOUR VK_FORMAT_R32G32B32A32_SFLOAT
#define DEPTH VK_FORMAT_D32_SFLOAT

struct pass {
    VkFormat colour, depth;
    uint32_t size, layers, view_mask, samples;
    VkPrimitiveTopology topology;
    bool vertices, plain, by_sample;
    VkPipelineLayout layout;
};

static VkPipelineShaderStageCreateInfo make_stage(VkShaderStageFlagBits stage, VkShaderModule module)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = module,
                                             .pName = "main"};
}

static VkPipeline make_graphics(const struct pass *pass, VkShaderModule vertex, VkShaderModule fragment)
{
    VkPipelineShaderStageCreateInfo stages[] = {make_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                make_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
    /* The floats have a binding of their own: an attribute's offset may be too large for a device. */
    VkVertexInputBindingDescription bindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                  {1, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                  {2, 16, VK_VERTEX_INPUT_RATE_INSTANCE}};
    VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                      {1, 1, VK_FORMAT_R32G32B32A32_UINT, 0},
                                                      {2, 2, VK_FORMAT_R32G32B32A32_UINT, 0}};
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = pass->vertices ? COUNT_OF(bindings) : 0,
        .pVertexBindingDescriptions = bindings,
        .vertexAttributeDescriptionCount = pass->vertices ? COUNT_OF(attributes) : 0,
        .pVertexAttributeDescriptions = attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = pass->topology};
    const float size = (float)pass->size;
    VkViewport viewports[] = {{0, 0, size, size, 0, 1}, {0, 0, size / 2, size, 0, 1}};
    VkRect2D scissors[] = {{{0, 0}, {pass->size, pass->size}}, {{0, 0}, {pass->size, pass->size}}};
    VkPipelineViewportStateCreateInfo viewport = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                  .viewportCount = 2,
                                                  .pViewports = viewports,
                                                  .scissorCount = 2,
                                                  .pScissors = scissors};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = (VkSampleCountFlagBits)pass->samples,
                                                    .sampleShadingEnable = pass->by_sample,
                                                    .minSampleShading = 1};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = pass->depth != 0,
                                                   .depthWriteEnable = pass->depth != 0,
                                                   .depthCompareOp = VK_COMPARE_OP_ALWAYS};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &attachment};
    VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                               .viewMask = pass->view_mask,
                                               .colorAttachmentCount = 1,
                                               .pColorAttachmentFormats = &pass->colour,
                                               .depthAttachmentFormat = pass->depth};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &rendering,
                                         .flags = pass->plain ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pDepthStencilState = &depth,
                                         .pColorBlendState = &blend,
                                         .layout = pass->layout};
    VkPipeline pipeline;
    CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static void begin_rendering(VkCommandBuffer commands, const struct pass *pass, VkImageView colour, VkImageView resolve,
                            VkImageView depth)
{
    VkRenderingAttachmentInfo colours = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                         .imageView = colour,
                                         .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .resolveMode = resolve ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
                                         .resolveImageView = resolve,
                                         .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                         .clearValue.color.float32 = {0.25f, 0.5f, 0.75f, 1}};
    VkRenderingAttachmentInfo depths = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = depth,
                                        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                        .clearValue.depthStencil = {1, 0}};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = {{0, 0}, {pass->size, pass->size}},
                            .layerCount = pass->view_mask ? 1 : pass->layers,
                            .viewMask = pass->view_mask,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &colours,
                            .pDepthAttachment = depth ? &depths : NULL};
    vkCmdBeginRendering(commands, &info);
}

static VkShaderModule module_of(const char *modules, const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.spv", modules, name);
    return make_module(path);
}

void draw_samples(const char *modules, VkFormat format, uint32_t samples, VkImageView view)
{
    VkPipelineLayout empty;
    CHECK(vkCreatePipelineLayout(
        device, &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO}, NULL, &empty));
    struct pass pass = {.colour = format,
                        .size = 8,
                        .layers = 1,
                        .samples = samples,
                        .by_sample = true,
                        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                        .layout = empty};
    VkShaderModule vertex = module_of(modules, "whole_vert"), fragment = module_of(modules, "fill_samples_frag");
    VkPipeline pipeline = make_graphics(&pass, vertex, fragment);
    VkCommandBuffer commands = begin_commands();
    begin_rendering(commands, &pass, view, VK_NULL_HANDLE, VK_NULL_HANDLE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    end_commands(commands);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, vertex, NULL);
    vkDestroyShaderModule(device, fragment, NULL);
    vkDestroyPipelineLayout(device, empty, NULL);
}

/* ---- a job ---- */

static struct image make_target(VkFormat format, uint32_t samples)
{
    bool depth = format == DEPTH;
    VkImageAspectFlags aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    struct image_row row = {.dimensions = VK_IMAGE_TYPE_2D,
                            .view = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                            .format = format,
                            .extent = {SIZE, SIZE, 1},
                            .levels = 1,
                            .layers = LAYERS,
                            .samples = samples};
    struct image made =
        make_image(&row,
                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                       (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
                   aspect);
    VkCommandBuffer commands = begin_commands();
    image_barrier(commands, made.image, aspect, VK_IMAGE_LAYOUT_UNDEFINED);
    end_commands(commands);
    return made;
}

static void destroy_image(struct image *image)
{
    vkDestroyImageView(device, image->view, NULL);
    vkDestroyImage(device, image->image, NULL);
    vkFreeMemory(device, image->memory, NULL);
}

static void read_target(VkCommandBuffer commands, const struct image *image, VkImageAspectFlags aspect,
                        const struct buffer *to)
{
    VkBufferImageCopy region = {.imageSubresource = {aspect, 0, 0, LAYERS}, .imageExtent = {SIZE, SIZE, 1}};
    image_barrier(commands, image->image, aspect, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, to->buffer, 1, &region);
}

static void free_buffer(struct buffer *buffer)
{
    vkDestroyBuffer(device, buffer->buffer, NULL);
    vkFreeMemory(device, buffer->memory, NULL);
}

void draw_job(const struct job *job, const struct draw *draw, struct world *world)
{
    char modules[512];
    snprintf(modules, sizeof(modules), "%s", job->path);
    *strrchr(modules, '/') = 0;
    bool is_vertex = strstr(job->name, "_vert");
    VkShaderModule mine = make_module(job->path), other = module_of(modules, is_vertex ? "colour_frag" : "whole_vert");
    struct pass pass = {.colour = COLOUR,
                        .depth = DEPTH,
                        .size = SIZE,
                        .layers = LAYERS,
                        .view_mask = job->kind == JOB_VIEWS ? (1u << LAYERS) - 1 : 0,
                        .samples = job->groups[2],
                        .topology = job->kind == JOB_POINTS ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
                                                            : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                        .vertices = is_vertex,
                        .plain = draw->plain,
                        .layout = draw->layout};
    bool many = pass.samples > 1;
    VkPipeline pipeline = make_graphics(&pass, is_vertex ? mine : other, is_vertex ? other : mine);
    struct image colour = make_target(COLOUR, pass.samples), depth = make_target(DEPTH, pass.samples), resolved = {0};
    if (many)
        resolved = make_target(COLOUR, 1);
    struct buffer colours = make_buffer(OUTPUT_B), depths = make_buffer(ADDRESSED_B);
    VkCommandBuffer commands = begin_commands();
    begin_rendering(commands, &pass, colour.view, resolved.view, depth.view);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw->layout, 0, draw->num_sets, draw->sets, 0,
                            NULL);
    vkCmdPushConstants(commands, draw->layout, VK_SHADER_STAGE_ALL, 0, PUSH_B, draw->push);
    if (is_vertex)
        vkCmdBindVertexBuffers(commands, 0, 3, (VkBuffer[]){draw->vertices, draw->vertices, draw->vertices},
                               (VkDeviceSize[]){INPUT_B / 2, 0, 0});
    vkCmdDraw(commands, job->groups[0], job->groups[1], 0, 0);
    vkCmdEndRendering(commands);
    read_target(commands, many ? &resolved : &colour, VK_IMAGE_ASPECT_COLOR_BIT, &colours);
    if (!many)
        read_target(commands, &depth, VK_IMAGE_ASPECT_DEPTH_BIT, &depths);
    end_commands(commands);
    memcpy(world->output, colours.map, OUTPUT_B);
    if (!many)
        memcpy(world->addressed, depths.map, ADDRESSED_B);
    free_buffer(&colours);
    free_buffer(&depths);
    destroy_image(&colour);
    destroy_image(&depth);
    if (many)
        destroy_image(&resolved);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, mine, NULL);
    vkDestroyShaderModule(device, other, NULL);
}
