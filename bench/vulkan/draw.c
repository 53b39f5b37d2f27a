/* See draw.h. */
#include "draw.h"

#include <string.h>

#include "bench_color_frag.h"
#include "bench_mesh_vert.h"
#include "bench_screen_vert.h"

#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT

/* ---- images ---- */

static VkImageAspectFlags aspect_of(VkFormat format)
{
    return format == DEPTH_FORMAT ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

static struct draw_image draw_image_levels(struct bench *b, VkFormat format, uint32_t size, uint32_t levels,
                                           VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
    struct draw_image made = {.format = format, .width = size, .height = size, .levels = levels};
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {size, size, 1},
                                    .mipLevels = levels,
                                    .arrayLayers = 1,
                                    .samples = samples,
                                    .usage = usage};
    BENCH_CHECK(vkCreateImage(b->device, &info, NULL, &made.image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(b->device, made.image, &needs);
    VkDeviceMemory memory = bench_memory(b, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    BENCH_CHECK(vkBindImageMemory(b->device, made.image, memory, 0));
    if (!(usage & ~(VkImageUsageFlags)(VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)))
        return made; /* no view may be made of one that is only copied */
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = made.image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {aspect_of(format), 0, levels, 0, 1}};
    BENCH_CHECK(vkCreateImageView(b->device, &view, NULL, &made.view));
    return made;
}

struct draw_image draw_image(struct bench *b, VkFormat format, uint32_t size, VkSampleCountFlagBits samples,
                             VkImageUsageFlags usage)
{
    return draw_image_levels(b, format, size, 1, samples, usage);
}

void draw_change_layout(VkCommandBuffer commands, const struct draw_image *image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = image->image,
                                          .subresourceRange = {aspect_of(image->format), 0, image->levels, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

VkBufferImageCopy draw_whole(const struct draw_image *image)
{
    return (VkBufferImageCopy){.imageSubresource = {aspect_of(image->format), 0, 0, 1},
                               .imageExtent = {image->width, image->height, 1}};
}

/* ---- targets ---- */

static VkFormat color_format(const struct draw_target_info *info)
{
    return info->format ? info->format : VK_FORMAT_R8G8B8A8_UNORM;
}

static VkRenderPass make_pass(struct bench *b, const struct draw_target_info *info, VkSampleCountFlagBits samples)
{
    bool resolve = samples > 1;
    uint32_t depth_at = 1, resolve_at = info->depth ? 2 : 1;
    VkAttachmentDescription attachments[3] = {
        {.format = color_format(info),
         .samples = samples,
         .loadOp = info->clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .storeOp = resolve ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
         .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    attachments[depth_at] = (VkAttachmentDescription){.format = DEPTH_FORMAT,
                                                      .samples = samples,
                                                      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                      .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    if (resolve)
        attachments[resolve_at] = (VkAttachmentDescription){.format = color_format(info),
                                                            .samples = VK_SAMPLE_COUNT_1_BIT,
                                                            .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                            .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {depth_at, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
                                resolved = {resolve_at, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color,
                                          .pResolveAttachments = resolve ? &resolved : NULL,
                                          .pDepthStencilAttachment = info->depth ? &depth : NULL};
    const VkRenderPassCreateInfo create = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                           .attachmentCount = resolve_at + resolve,
                                           .pAttachments = attachments,
                                           .subpassCount = 1,
                                           .pSubpasses = &subpass};
    VkRenderPass pass;
    BENCH_CHECK(vkCreateRenderPass(b->device, &create, NULL, &pass));
    return pass;
}

struct draw_target draw_target(struct bench *b, const struct draw_target_info *info)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    struct draw_target made = {.samples = info->samples ? info->samples : VK_SAMPLE_COUNT_1_BIT};
    memcpy(made.clears[0].color.float32, info->clear_color, sizeof(info->clear_color));
    made.clears[1].depthStencil.depth = info->clear_depth != 0 ? info->clear_depth : 1;
    made.pass = make_pass(b, info, made.samples);
    made.color = draw_image(b, color_format(info), info->size, made.samples,
                            usage | (made.samples == 1 ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0));
    VkImageView views[3] = {made.color.view};
    uint32_t count = 1;
    if (info->depth) {
        made.depth = draw_image(b, DEPTH_FORMAT, info->size, made.samples,
                                VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                    (info->read_depth ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0));
        views[count++] = made.depth.view;
    }
    if (made.samples > 1) {
        made.resolved = draw_image(b, color_format(info), info->size, 1, usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
        views[count++] = made.resolved.view;
    }
    const VkFramebufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                            .renderPass = made.pass,
                                            .attachmentCount = count,
                                            .pAttachments = views,
                                            .width = info->size,
                                            .height = info->size,
                                            .layers = 1};
    BENCH_CHECK(vkCreateFramebuffer(b->device, &create, NULL, &made.framebuffer));
    return made;
}

/* ---- pipelines ---- */

const struct bench_spirv draw_mesh_vert = {bench_mesh_vert, sizeof(bench_mesh_vert)};
const struct bench_spirv draw_screen_vert = {bench_screen_vert, sizeof(bench_screen_vert)};
const struct bench_spirv draw_color_frag = {bench_color_frag, sizeof(bench_color_frag)};

static VkPipelineLayout make_layout(struct bench *b, const struct draw_pipeline_info *info)
{
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, info->push_B};
    const VkPipelineLayoutCreateInfo create = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = info->set_layout ? 1 : 0,
                                               .pSetLayouts = &info->set_layout,
                                               .pushConstantRangeCount = info->push_B ? 1 : 0,
                                               .pPushConstantRanges = &push};
    VkPipelineLayout layout;
    BENCH_CHECK(vkCreatePipelineLayout(b->device, &create, NULL, &layout));
    return layout;
}

static uint32_t fill_stages(const struct draw_pipeline *kind, const VkSpecializationInfo *specialization,
                            VkPipelineShaderStageCreateInfo stages_out[5])
{
    const struct {
        VkShaderStageFlagBits stage;
        VkShaderModule module;
    } all[5] = {{VK_SHADER_STAGE_VERTEX_BIT, kind->vertex},
                {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, kind->control},
                {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, kind->evaluation},
                {VK_SHADER_STAGE_GEOMETRY_BIT, kind->geometry},
                {VK_SHADER_STAGE_FRAGMENT_BIT, kind->fragment}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 5; i++) {
        if (all[i].module)
            stages_out[count++] =
                (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = all[i].stage,
                                                  .module = all[i].module,
                                                  .pName = "main",
                                                  .pSpecializationInfo = specialization};
    }
    return count;
}

VkPipeline draw_pipeline_again(struct bench *b, const struct draw_target *target, const struct draw_pipeline_info *info,
                               const struct draw_pipeline *kind)
{
    const VkSpecializationMapEntry entry = {0, 0, sizeof(info->constant)};
    const VkSpecializationInfo specialization = {1, &entry, sizeof(info->constant), &info->constant};
    VkPipelineShaderStageCreateInfo stages[5];
    const uint32_t stage_count = fill_stages(kind, &specialization, stages);
    const VkVertexInputBindingDescription binding = {0, sizeof(struct draw_vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[2] = {
        {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct draw_vertex, position)},
        {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct draw_vertex, color)}};
    const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                        .vertexBindingDescriptionCount = info->vertices ? 1 : 0,
                                                        .pVertexBindingDescriptions = &binding,
                                                        .vertexAttributeDescriptionCount = info->vertices ? 2 : 0,
                                                        .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = info->patch_vertices ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST
                    : info->points       ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
                                         : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = info->patch_vertices};
    const VkViewport viewport = {0, 0, (float)target->color.width, (float)target->color.height, 0, 1};
    const VkRect2D scissor = {{0, 0}, {target->color.width, target->color.height}};
    const VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                         .viewportCount = 1,
                                                         .pViewports = &viewport,
                                                         .scissorCount = 1,
                                                         .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = target->samples};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = target->depth.image != VK_NULL_HANDLE,
        .depthWriteEnable = target->depth.image != VK_NULL_HANDLE,
        .depthCompareOp = info->compare ? info->compare : VK_COMPARE_OP_LESS,
        .maxDepthBounds = 1};
    const VkPipelineColorBlendAttachmentState attachment = {.blendEnable = info->blend,
                                                            .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                            .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                            .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                            .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                            .colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = 1,
                                                       .pAttachments = &attachment};
    const VkGraphicsPipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                 .stageCount = stage_count,
                                                 .pStages = stages,
                                                 .pVertexInputState = &input,
                                                 .pInputAssemblyState = &assembly,
                                                 .pTessellationState = info->patch_vertices ? &tessellation : NULL,
                                                 .pViewportState = &viewports,
                                                 .pRasterizationState = &raster,
                                                 .pMultisampleState = &multisample,
                                                 .pDepthStencilState = &depth,
                                                 .pColorBlendState = &blend,
                                                 .layout = kind->layout,
                                                 .renderPass = target->pass};
    VkPipeline pipeline;
    BENCH_CHECK(vkCreateGraphicsPipelines(b->device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline));
    return pipeline;
}

static VkShaderModule optional_module(struct bench *b, struct bench_spirv code)
{
    return code.words ? bench_module(b, code) : VK_NULL_HANDLE;
}

struct draw_pipeline draw_pipeline(struct bench *b, const struct draw_target *target,
                                   const struct draw_pipeline_info *info)
{
    struct draw_pipeline made = {.layout = make_layout(b, info),
                                 .vertex = optional_module(b, info->vertex),
                                 .control = optional_module(b, info->control),
                                 .evaluation = optional_module(b, info->evaluation),
                                 .geometry = optional_module(b, info->geometry),
                                 .fragment = optional_module(b, info->fragment)};
    made.pipeline = draw_pipeline_again(b, target, info, &made);
    return made;
}

/* ---- textures ---- */

static VkDescriptorSet make_sampled_set(struct bench *b, VkImageView view, const struct draw_texture_info *texture,
                                        VkDescriptorSetLayout *layout_out)
{
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                              .magFilter = VK_FILTER_LINEAR,
                                              .minFilter = VK_FILTER_LINEAR,
                                              .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                              .maxLod = (float)(texture->levels - 1),
                                              .anisotropyEnable = texture->anisotropy > 0,
                                              .maxAnisotropy = texture->anisotropy,
                                              .addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT};
    VkSampler sampler;
    BENCH_CHECK(vkCreateSampler(b->device, &sampler_info, NULL, &sampler));
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    BENCH_CHECK(vkCreateDescriptorSetLayout(b->device, &layout_info, NULL, layout_out));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    BENCH_CHECK(vkCreateDescriptorPool(b->device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = layout_out};
    VkDescriptorSet set;
    BENCH_CHECK(vkAllocateDescriptorSets(b->device, &allocate, &set));
    const VkDescriptorImageInfo image = {sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        .pImageInfo = &image};
    vkUpdateDescriptorSets(b->device, 1, &write, 0, NULL);
    return set;
}

VkDescriptorSet draw_texture(struct bench *b, const struct draw_texture_info *info,
                             VkDescriptorSetLayout *set_layout_out)
{
    struct draw_image image =
        draw_image_levels(b, VK_FORMAT_R8G8B8A8_UNORM, info->size, info->levels, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    VkBufferImageCopy regions[16];
    VkDeviceSize size_B = 0;
    bench_need(info->levels <= 16, "levels of a texture");
    for (uint32_t level = 0; level < info->levels; level++) {
        const uint32_t size = info->size >> level;
        regions[level] = (VkBufferImageCopy){.bufferOffset = size_B,
                                             .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                             .imageExtent = {size, size, 1}};
        size_B += (VkDeviceSize)size * size * sizeof(*info->texels);
    }
    struct bench_buffer staging = bench_buffer(b, size_B, info->texels);
    bench_begin(b);
    draw_change_layout(b->commands, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(b->commands, staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, info->levels,
                           regions);
    draw_change_layout(b->commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                       VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    bench_end(b);
    bench_submit(b, b->commands);
    return make_sampled_set(b, image.view, info, set_layout_out);
}

/* ---- recording ---- */

void draw_begin_pass(struct bench *b, const struct draw_target *target, VkSubpassContents contents)
{
    const VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = target->pass,
                                        .framebuffer = target->framebuffer,
                                        .renderArea = {{0, 0}, {target->color.width, target->color.height}},
                                        .clearValueCount = 2,
                                        .pClearValues = target->clears};
    vkCmdBeginRenderPass(b->commands, &info, contents);
}

void draw_record(struct bench *b, const struct draw_pipeline *pipeline, const struct bench_buffer *vertices,
                 uint32_t vertex_count)
{
    vkCmdBindPipeline(b->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    if (vertices)
        vkCmdBindVertexBuffers(b->commands, 0, 1, &vertices->buffer, &(VkDeviceSize){0});
    vkCmdDraw(b->commands, vertex_count, 1, 0, 0);
}

void draw_end_pass(struct bench *b)
{
    vkCmdEndRenderPass(b->commands);
}

/* ---- reading ---- */

const void *draw_read_image(struct bench *b, const struct draw_image *image, uint32_t texel_B, VkImageLayout layout)
{
    struct bench_buffer texels = bench_buffer(b, (VkDeviceSize)image->width * image->height * texel_B, NULL);
    bench_begin(b);
    draw_change_layout(b->commands, image, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const VkBufferImageCopy region = draw_whole(image);
    vkCmdCopyImageToBuffer(b->commands, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, texels.buffer, 1, &region);
    draw_change_layout(b->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
    bench_barrier(b->commands);
    bench_end(b);
    bench_submit(b, b->commands);
    return bench_result(b, texels.map, texels.size_B);
}

const uint32_t *draw_read(struct bench *b, const struct draw_target *target)
{
    const struct draw_image *image = target->samples > 1 ? &target->resolved : &target->color;
    return draw_read_image(b, image, 4, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
}

const float *draw_read_depth(struct bench *b, const struct draw_target *target)
{
    return draw_read_image(b, &target->depth, 4, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
}
