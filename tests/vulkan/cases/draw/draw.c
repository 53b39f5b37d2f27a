/* See draw.h. */
#include "cases/draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shaders/draw_depth_frag.h"
#include "shaders/draw_frag.h"
#include "shaders/draw_lanes_frag.h"
#include "shaders/draw_uint_frag.h"
#include "shaders/draw_vert.h"
#include "shaders/draw_ways_frag.h"

#define TO_HANDLE(object) ((uint64_t)(uintptr_t)(object))

#define DESTROYER(name, type, function)                                                                                \
    static void name(struct vt *vt, uint64_t handle)                                                                   \
    {                                                                                                                  \
        function(vt->device, (type)(uintptr_t)handle, NULL);                                                           \
    }
DESTROYER(destroy_image, VkImage, vkDestroyImage)
DESTROYER(destroy_view, VkImageView, vkDestroyImageView)
DESTROYER(free_memory, VkDeviceMemory, vkFreeMemory)
DESTROYER(destroy_pipeline, VkPipeline, vkDestroyPipeline)
DESTROYER(destroy_layout, VkPipelineLayout, vkDestroyPipelineLayout)
DESTROYER(destroy_module, VkShaderModule, vkDestroyShaderModule)

static VkImageAspectFlags aspects_of(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
    case VK_FORMAT_D16_UNORM_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

static VkImage make_image(struct dr *dr, VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage,
                          VkImageView *view_out)
{
    struct vt *vt = dr->vt;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {dr->setup.width, dr->setup.height, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = samples,
                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                              .usage = usage};
    VkImage image;
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &image));
    vt_defer(vt, destroy_image, TO_HANDLE(image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vt->device, image, &needs);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    vt_defer(vt, free_memory, TO_HANDLE(memory));
    VT_CHECK(vt, vkBindImageMemory(vt->device, image, memory, 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {aspects_of(format), 0, 1, 0, 1}};
    VT_CHECK(vt, vkCreateImageView(vt->device, &view, NULL, view_out));
    vt_defer(vt, destroy_view, TO_HANDLE(*view_out));
    return image;
}

static VkShaderModule make_module(struct vt *vt, struct vt_spirv code)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_B, .pCode = code.words};
    VkShaderModule module;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &info, NULL, &module));
    vt_defer(vt, destroy_module, TO_HANDLE(module));
    return module;
}

static void fill_defaults(struct dr_setup *setup)
{
    setup->width = setup->width ? setup->width : 64;
    setup->height = setup->height ? setup->height : 64;
    setup->format = setup->format ? setup->format : VK_FORMAT_R8G8B8A8_UNORM;
    setup->samples = setup->samples ? setup->samples : VK_SAMPLE_COUNT_1_BIT;
    setup->sample_mask = setup->sample_mask ? setup->sample_mask : UINT32_MAX;
    setup->line_width = setup->line_width != 0 ? setup->line_width : 1;
    setup->point_size = setup->point_size != 0 ? setup->point_size : 1;
}

static void make_layout(struct dr *dr)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, DR_WAY_B},
                                  {VK_SHADER_STAGE_FRAGMENT_BIT, DR_WAY_B, sizeof(float)}};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .pushConstantRangeCount = 2,
                                       .pPushConstantRanges = push};
    VT_CHECK(dr->vt, vkCreatePipelineLayout(dr->vt->device, &info, NULL, &dr->layout));
    vt_defer(dr->vt, destroy_layout, TO_HANDLE(dr->layout));
}

static void make_pipeline(struct dr *dr)
{
    const struct dr_setup *s = &dr->setup;
    struct vt *vt = dr->vt;
    static const struct vt_spirv fragments[] = {[DR_PLAIN] = VT_SPIRV(draw_frag),
                                                [DR_DEPTH_EXPORT] = VT_SPIRV(draw_depth_frag),
                                                [DR_UINT] = VT_SPIRV(draw_uint_frag),
                                                [DR_WAYS] = VT_SPIRV(draw_ways_frag),
                                                [DR_LANES] = VT_SPIRV(draw_lanes_frag)};
    VkSpecializationMapEntry entry = {0, 0, sizeof(int32_t)};
    VkSpecializationInfo specialization = {1, &entry, sizeof(int32_t), &s->fragment};
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = make_module(vt, VT_SPIRV(draw_vert)),
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = make_module(vt, fragments[s->shader]),
         .pName = "main",
         .pSpecializationInfo = &specialization},
    };
    VkVertexInputBindingDescription binding = {0, sizeof(struct dr_vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attributes[2] = {
        {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct dr_vertex, position)},
        {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct dr_vertex, color)}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = 1,
                                                  .pVertexBindingDescriptions = &binding,
                                                  .vertexAttributeDescriptionCount = 2,
                                                  .pVertexAttributeDescriptions = attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = s->topology,
                                                       .primitiveRestartEnable = s->restart};
    VkViewport viewport = s->viewport ? *s->viewport : (VkViewport){0, 0, (float)s->width, (float)s->height, 0, 1};
    VkRect2D scissor = s->scissor ? *s->scissor : (VkRect2D){{0, 0}, {s->width, s->height}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                     .depthClampEnable = s->depth_clamp,
                                                     .polygonMode = s->polygon,
                                                     .cullMode = s->cull,
                                                     .frontFace = s->front,
                                                     .depthBiasEnable = s->depth_bias,
                                                     .depthBiasConstantFactor = s->bias_constant,
                                                     .depthBiasSlopeFactor = s->bias_slope,
                                                     .lineWidth = s->line_width};
    VkPipelineMultisampleStateCreateInfo multisample = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                        .rasterizationSamples = s->samples,
                                                        .pSampleMask = &s->sample_mask};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = s->depth_test,
                                                   .depthWriteEnable = s->depth_write,
                                                   .depthCompareOp = s->depth_compare,
                                                   .stencilTestEnable = s->stencil,
                                                   .front = s->stencil_op,
                                                   .back = s->stencil_op};
    VkPipelineColorBlendAttachmentState blend_state =
        s->blend ? s->blend_state : (VkPipelineColorBlendAttachmentState){0};
    blend_state.blendEnable = s->blend;
    blend_state.colorWriteMask = 0xf & ~s->hide;
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .logicOpEnable = s->logic,
                                                 .logicOp = s->logic_op,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &blend_state,
                                                 .blendConstants = {0.25f, 0.5f, 0.75f, 0.5f}};
    bool has_depth = aspects_of(s->depth_format) & VK_IMAGE_ASPECT_DEPTH_BIT,
         has_stencil = aspects_of(s->depth_format) & VK_IMAGE_ASPECT_STENCIL_BIT;
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &s->format,
        .depthAttachmentFormat = s->depth_format && has_depth ? s->depth_format : VK_FORMAT_UNDEFINED,
        .stencilAttachmentFormat = s->depth_format && has_stencil ? s->depth_format : VK_FORMAT_UNDEFINED};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &rendering,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewports,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &multisample,
                                         .pDepthStencilState = &depth,
                                         .pColorBlendState = &blend,
                                         .layout = dr->layout};
    VT_CHECK(vt, vkCreateGraphicsPipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &dr->pipeline));
    vt_defer(vt, destroy_pipeline, TO_HANDLE(dr->pipeline));
}

void dr_set_way(struct dr *dr, float way)
{
    vkCmdPushConstants(dr->commands, dr->layout, VK_SHADER_STAGE_FRAGMENT_BIT, DR_WAY_B, sizeof(way), &way);
}

static void bind_pipeline(struct dr *dr)
{
    const struct dr_setup *s = &dr->setup;
    float push[5] = {s->instance_offset[0], s->instance_offset[1], s->instance_offset[2], s->instance_offset[3],
                     s->point_size};
    vkCmdBindPipeline(dr->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, dr->pipeline);
    vkCmdPushConstants(dr->commands, dr->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), push);
    dr_set_way(dr, 0);
}

static void move_image(struct dr *dr, VkImage image, VkFormat format, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {aspects_of(format), 0, 1, 0, 1}};
    vkCmdPipelineBarrier(dr->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
}

static void make_targets(struct dr *dr)
{
    const struct dr_setup *s = &dr->setup;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    dr->color = make_image(dr, s->format, s->samples, usage, &dr->color_view);
    if (s->samples > 1)
        dr->resolved = make_image(dr, s->format, VK_SAMPLE_COUNT_1_BIT, usage, &dr->resolved_view);
    if (s->depth_format)
        dr->depth =
            make_image(dr, s->depth_format, s->samples,
                       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, &dr->depth_view);
    dr->readback = vt_buffer(dr->vt, (VkDeviceSize)s->width * s->height * 16, NULL);
    dr->depth_readback = vt_buffer(dr->vt, (VkDeviceSize)s->width * s->height * 8, NULL);
}

static void begin_rendering(struct dr *dr)
{
    const struct dr_setup *s = &dr->setup;
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = dr->color_view,
                                       .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    if (dr->resolved) {
        color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        color.resolveImageView = dr->resolved_view;
        color.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    }
    if (s->shader == DR_UINT)
        memcpy(color.clearValue.color.uint32, s->clear_uint, sizeof(s->clear_uint));
    else
        memcpy(color.clearValue.color.float32, s->clear, sizeof(s->clear));
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = dr->depth_view,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue.depthStencil = {s->clear_depth, s->clear_stencil}};
    VkImageAspectFlags aspects = s->depth_format ? aspects_of(s->depth_format) : 0;
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = {{0, 0}, {s->width, s->height}},
                            .layerCount = 1,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &color,
                            .pDepthAttachment = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &depth : NULL,
                            .pStencilAttachment = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &depth : NULL};
    vkCmdBeginRendering(dr->commands, &info);
}

void dr_begin(struct dr *dr, struct vt *vt, const struct dr_setup *setup)
{
    memset(dr, 0, sizeof(*dr));
    dr->vt = vt;
    dr->setup = *setup;
    fill_defaults(&dr->setup);
    make_targets(dr);
    make_layout(dr);
    make_pipeline(dr);
    dr->commands = vt_begin(vt);
    move_image(dr, dr->color, dr->setup.format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    if (dr->resolved)
        move_image(dr, dr->resolved, dr->setup.format, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    if (dr->depth)
        move_image(dr, dr->depth, dr->setup.depth_format, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    begin_rendering(dr);
    bind_pipeline(dr);
}

void dr_change(struct dr *dr, const struct dr_setup *setup)
{
    dr->setup = *setup;
    fill_defaults(&dr->setup);
    make_pipeline(dr);
    bind_pipeline(dr);
}

void dr_draw(struct dr *dr, const struct dr_draw *draw)
{
    uint32_t instances = draw->instance_count ? draw->instance_count : 1;
    struct vt_buffer vertices = vt_buffer(dr->vt, draw->vertex_count * sizeof(*draw->vertices), draw->vertices);
    VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(dr->commands, 0, 1, &vertices.buffer, &offset);
    if (!draw->indices) {
        vkCmdDraw(dr->commands, draw->vertex_count - draw->first_vertex, instances, draw->first_vertex,
                  draw->first_instance);
        return;
    }
    VkDeviceSize index_B = draw->index_type == VK_INDEX_TYPE_UINT32 ? 4 : 2;
    struct vt_buffer indices = vt_buffer(dr->vt, draw->index_count * index_B, draw->indices);
    vkCmdBindIndexBuffer(dr->commands, indices.buffer, 0, draw->index_type);
    vkCmdDrawIndexed(dr->commands, draw->index_count - draw->first_index, instances, draw->first_index,
                     (int32_t)draw->first_vertex, draw->first_instance);
}

void dr_end(struct dr *dr)
{
    const struct dr_setup *s = &dr->setup;
    VkImage image = dr->resolved ? dr->resolved : dr->color;
    vkCmdEndRendering(dr->commands);
    move_image(dr, image, s->format, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {s->width, s->height, 1}};
    vkCmdCopyImageToBuffer(dr->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dr->readback.buffer, 1, &copy);
    if (dr->depth && s->samples == VK_SAMPLE_COUNT_1_BIT && (aspects_of(s->depth_format) & VK_IMAGE_ASPECT_DEPTH_BIT)) {
        move_image(dr, dr->depth, s->depth_format, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
        vkCmdCopyImageToBuffer(dr->commands, dr->depth, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dr->depth_readback.buffer,
                               1, &copy);
    }
    vt_full_barrier(dr->commands);
    vt_submit(dr->vt, dr->commands);
}

/* An unorm8 texel of the result. */
static const uint8_t *dr_texel(const struct dr *dr, uint32_t x, uint32_t y)
{
    return (const uint8_t *)dr->readback.map + ((size_t)y * dr->setup.width + x) * 4;
}

void dr_expect(struct dr *dr, dr_expect_fn expect, const void *argument, int tolerance, const char *what)
{
    for (uint32_t y = 0; y < dr->setup.height; y++) {
        for (uint32_t x = 0; x < dr->setup.width; x++) {
            const uint8_t *got = dr_texel(dr, x, y);
            int wanted[4];
            expect(argument, x, y, wanted);
            for (unsigned c = 0; c < 4; c++) {
                if (wanted[c] >= 0 && abs(got[c] - wanted[c]) > tolerance)
                    vt_fail(dr->vt, "%s: pixel (%u, %u) is %u %u %u %u, not %d %d %d %d", what, x, y, got[0], got[1],
                            got[2], got[3], wanted[0], wanted[1], wanted[2], wanted[3]);
            }
        }
    }
}

bool dr_inside(const int32_t corners[3][2], int32_t x, int32_t y)
{
    int64_t area = (int64_t)(corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
                   (int64_t)(corners[2][0] - corners[0][0]) * (corners[1][1] - corners[0][1]);
    if (area == 0)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *p = corners[i], *q = corners[(i + 1) % 3];
        int64_t dx = area > 0 ? q[0] - p[0] : p[0] - q[0], dy = area > 0 ? q[1] - p[1] : p[1] - q[1];
        int64_t side = dx * (y - p[1]) - dy * (x - p[0]);
        bool top_or_left = dy < 0 || (dy == 0 && dx > 0);
        if (side < 0 || (side == 0 && !top_or_left))
            return false;
    }
    return true;
}
