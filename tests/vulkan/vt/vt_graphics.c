/* See vt_graphics.h. */
#include "vt/vt_graphics.h"

#include <math.h>
#include <string.h>

/* The generated headers define their arrays, so that each is included once. */
#include "shaders/attribute_uint_frag.h"
#include "shaders/constant_frag.h"
#include "shaders/plain_frag.h"
#include "shaders/plain_vert.h"
#include "shaders/screen_vert.h"

const struct vt_spirv vt_plain_vert = {plain_vert, sizeof(plain_vert)},
                      vt_screen_vert = {screen_vert, sizeof(screen_vert)};
const struct vt_spirv vt_plain_frag = {plain_frag, sizeof(plain_frag)},
                      vt_constant_frag = {constant_frag, sizeof(constant_frag)};
const struct vt_spirv vt_attribute_uint_frag = {attribute_uint_frag, sizeof(attribute_uint_frag)};

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

/* ---- targets ---- */

struct vt_target vt_empty_target(uint32_t width, uint32_t height, VkSampleCountFlagBits samples)
{
    return (struct vt_target){.width = width,
                              .height = height,
                              .layers = 1,
                              .samples = samples,
                              .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                              .depth_load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                              .clear_depth.depthStencil = {1, 0}};
}

static struct vt_image make_attachment(struct vt *vt, const struct vt_target *target, VkFormat format,
                                       VkImageUsageFlags usage)
{
    return vt_image(
        vt, &(struct vt_image_info){.format = format,
                                    .width = target->width,
                                    .height = target->height,
                                    .layers = target->layers,
                                    .samples = target->samples,
                                    .usage = usage | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT});
}

void vt_add_color(struct vt *vt, struct vt_target *target, VkFormat format)
{
    uint32_t at = target->color_count++;
    target->color_formats[at] = format;
    target->colors[at] = make_attachment(vt, target, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target->color_views[at] =
        vt_view(vt, &target->colors[at], target->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
}

void vt_add_depth(struct vt *vt, struct vt_target *target, VkFormat format)
{
    target->depth_format = format;
    target->depth = make_attachment(vt, target, format, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    target->depth_view =
        vt_view(vt, &target->depth, target->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
}

struct vt_target vt_target(struct vt *vt, VkFormat format, uint32_t width, uint32_t height)
{
    struct vt_target target = vt_empty_target(width, height, VK_SAMPLE_COUNT_1_BIT);
    vt_add_color(vt, &target, format);
    return target;
}

/* ---- pipelines ---- */

void vt_graphics_init(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv vertex,
                      struct vt_spirv fragment)
{
    *graphics = (struct vt_graphics){
        .vertex_code = vertex,
        .fragment_code = fragment,
        .vertex = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                   .pVertexBindingDescriptions = graphics->bindings,
                   .pVertexAttributeDescriptions = graphics->attributes},
        .tessellation = {.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO},
        .assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
        .viewport = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                     .viewportCount = 1,
                     .pViewports = graphics->viewports,
                     .scissorCount = 1,
                     .pScissors = graphics->scissors},
        .viewports[0] = {0, 0, (float)target->width, (float)target->height, 0, 1},
        .scissors[0] = {{0, 0}, {target->width, target->height}},
        .raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1},
        .multisample = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                        .rasterizationSamples = target->samples},
        .sample_mask = UINT32_MAX,
        .depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .maxDepthBounds = 1},
        .blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                  .attachmentCount = target->color_count,
                  .pAttachments = graphics->blends},
        .dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                    .pDynamicStates = graphics->dynamics},
    };
    graphics->multisample.pSampleMask = &graphics->sample_mask;
    for (unsigned i = 0; i < VT_MAX_TARGETS; i++)
        graphics->blends[i].colorWriteMask = 0xf;
}

void vt_add_binding(struct vt_graphics *graphics, uint32_t stride_B, VkVertexInputRate rate)
{
    uint32_t at = graphics->vertex.vertexBindingDescriptionCount++;
    graphics->bindings[at] = (VkVertexInputBindingDescription){at, stride_B, rate};
}

void vt_add_attribute(struct vt_graphics *graphics, VkFormat format, uint32_t offset_B)
{
    uint32_t at = graphics->vertex.vertexAttributeDescriptionCount++;
    uint32_t binding = graphics->vertex.vertexBindingDescriptionCount - 1;
    graphics->attributes[at] = (VkVertexInputAttributeDescription){at, binding, format, offset_B};
}

void vt_add_dynamic(struct vt_graphics *graphics, VkDynamicState state)
{
    graphics->dynamics[graphics->dynamic.dynamicStateCount++] = state;
}

void vt_use_vertices(struct vt_graphics *graphics)
{
    vt_add_binding(graphics, sizeof(struct vt_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(graphics, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct vt_vertex, position));
    vt_add_attribute(graphics, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct vt_vertex, color));
}

void vt_make_pipeline(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target)
{
    if (!graphics->layout)
        graphics->layout = vt_pipeline_layout(vt, graphics->sets, graphics->set_count);
    const bool has_mesh = graphics->mesh_code.words;
    VkPipelineShaderStageCreateInfo stages[5] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = has_mesh ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_VERTEX_BIT,
         .module = vt_module(vt, has_mesh ? graphics->mesh_code : graphics->vertex_code),
         .pName = "main",
         .pSpecializationInfo = graphics->vertex_constants},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .pName = "main",
         .pSpecializationInfo = graphics->fragment_constants},
    };
    uint32_t stage_count = 1;
    if (graphics->fragment_code.words)
        stages[stage_count++].module = vt_module(vt, graphics->fragment_code);
    const struct {
        VkShaderStageFlagBits stage;
        struct vt_spirv code;
    } more[] = {{VK_SHADER_STAGE_GEOMETRY_BIT, graphics->geometry_code},
                {VK_SHADER_STAGE_TASK_BIT_EXT, graphics->task_code},
                {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, graphics->control_code},
                {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, graphics->evaluation_code}};
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        if (more[i].code.words)
            stages[stage_count++] =
                (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = more[i].stage,
                                                  .module = vt_module(vt, more[i].code),
                                                  .pName = "main"};
    }
    VkImageAspectFlags aspects = target->depth_format ? vt_aspects(target->depth_format) : 0;
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .pNext = graphics->next,
        .viewMask = target->view_mask,
        .colorAttachmentCount = target->color_count,
        .pColorAttachmentFormats = target->color_formats,
        .depthAttachmentFormat = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? target->depth_format : VK_FORMAT_UNDEFINED,
        .stencilAttachmentFormat = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? target->depth_format : VK_FORMAT_UNDEFINED,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = graphics->pass ? graphics->next : &rendering,
        .flags = graphics->flags | (vt->code_prefix ? VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR : 0),
        .stageCount = stage_count,
        .pStages = stages,
        .pVertexInputState = has_mesh ? NULL : &graphics->vertex,
        .pInputAssemblyState = has_mesh ? NULL : &graphics->assembly,
        .pTessellationState = graphics->control_code.words ? &graphics->tessellation : NULL,
        .pViewportState = &graphics->viewport,
        .pRasterizationState = &graphics->raster,
        .pMultisampleState = &graphics->multisample,
        .pDepthStencilState = &graphics->depth,
        .pColorBlendState = &graphics->blend,
        .pDynamicState = &graphics->dynamic,
        .layout = graphics->layout,
        .renderPass = graphics->pass,
        .subpass = graphics->subpass,
    };
    const struct vt_library_way *way = graphics->way ? graphics->way : vt->way;
    if (way) {
        graphics->pipeline = vt_link_pipeline(vt, &info, way, graphics->library_layouts);
        return;
    }
    VT_CHECK(vt, vkCreateGraphicsPipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &graphics->pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)graphics->pipeline);
    if (vt->code_prefix)
        vt_write_code(vt, graphics->pipeline);
}

/* ---- recording ---- */

void vt_begin_rendering(VkCommandBuffer commands, struct vt_target *target)
{
    vt_begin_rendering_with(commands, target, 0);
}

void vt_begin_rendering_with(VkCommandBuffer commands, struct vt_target *target, VkRenderingFlags flags)
{
    VkRenderingAttachmentInfo colors[VT_MAX_TARGETS];
    for (uint32_t i = 0; i < target->color_count; i++) {
        vt_to_layout(commands, &target->colors[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        colors[i] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                .imageView = target->color_views[i],
                                                .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                .loadOp = target->load,
                                                .storeOp = target->store,
                                                .clearValue = target->clears[i]};
    }
    if (target->resolve) {
        vt_to_layout(commands, target->resolve, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        colors[0].resolveMode = target->resolve_mode;
        colors[0].resolveImageView = target->resolve_view;
        colors[0].resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    }
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target->depth_view,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                       .loadOp = target->depth_load,
                                       .storeOp = target->depth_store,
                                       .clearValue = target->clear_depth};
    VkImageAspectFlags aspects = target->depth_format ? vt_aspects(target->depth_format) : 0;
    if (aspects)
        vt_to_layout(commands, &target->depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    const VkRect2D whole = {{0, 0}, {target->width, target->height}};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .flags = flags,
                            .renderArea = target->area.extent.width ? target->area : whole,
                            .layerCount = target->view_mask ? 1 : target->layers,
                            .viewMask = target->view_mask,
                            .colorAttachmentCount = target->color_count,
                            .pColorAttachments = colors,
                            .pDepthAttachment = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &depth : NULL,
                            .pStencilAttachment = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &depth : NULL};
    vkCmdBeginRendering(commands, &info);
}

VkCommandBuffer vt_begin_secondary(struct vt *vt, const struct vt_target *target, VkCommandBufferUsageFlags usage,
                                   VkQueryPipelineStatisticFlags statistics)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = vt->commands,
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    const VkImageAspectFlags aspects = target->depth_format ? vt_aspects(target->depth_format) : 0;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .pNext = target->inherited,
        .viewMask = target->view_mask,
        .colorAttachmentCount = target->color_count,
        .pColorAttachmentFormats = target->color_formats,
        .depthAttachmentFormat = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? target->depth_format : VK_FORMAT_UNDEFINED,
        .stencilAttachmentFormat = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? target->depth_format : VK_FORMAT_UNDEFINED,
        .rasterizationSamples = target->samples};
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                      .pNext = &rendering,
                                                      .pipelineStatistics = statistics};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = usage | VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherited};
    VkCommandBuffer secondary;
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &secondary));
    VT_CHECK(vt, vkBeginCommandBuffer(secondary, &begin));
    return secondary;
}

void vt_push(VkCommandBuffer commands, const struct vt_graphics *graphics, const void *data, uint32_t size_B)
{
    vkCmdPushConstants(commands, graphics->layout, VK_SHADER_STAGE_ALL, 0, size_B, data);
}

void *vt_draw_once(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                   const struct vt_vertex *vertices, uint32_t count)
{
    vt_make_pipeline(vt, graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    if (graphics->set_dynamic)
        graphics->set_dynamic(vt, commands, graphics->dynamic_argument);
    if (vertices) {
        struct vt_buffer buffer = vt_buffer(vt, count * sizeof(*vertices), vertices);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    }
    vkCmdDraw(commands, count, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, target->resolve ? target->resolve : &target->colors[0],
                                                 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    return texels.map;
}

void vt_draw(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
             const struct vt_vertex *vertices, uint32_t count)
{
    struct vt_buffer buffer = vt_buffer(vt, count * sizeof(*vertices), vertices);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdDraw(commands, count, 1, 0, 0);
}

void vt_rectangle(struct vt_vertex out[6], float x0, float y0, float x1, float y1, float depth, const float color[4])
{
    const float corners[6][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x1, y0}, {x1, y1}, {x0, y1}};
    for (unsigned i = 0; i < 6; i++) {
        out[i] = (struct vt_vertex){.position = {corners[i][0], corners[i][1], depth, 1}};
        memcpy(out[i].color, color, sizeof(out[i].color));
    }
}

void vt_quad(struct vt_vertex out[6], float depth, const float color[4])
{
    vt_rectangle(out, -1, -1, 1, 1, depth, color);
}

void vt_expect_picture(struct vt *vt, const struct vt_target *target, const void *texels, vt_expect_fn expect,
                       const void *argument, double codes, double absolute, const char *what)
{
    const struct vt_format *format = vt_format(target->color_formats[0]);
    const uint8_t *texel = texels;
    for (uint32_t y = 0; y < target->height; y++) {
        for (uint32_t x = 0; x < target->width; x++, texel += format->texel_B) {
            double expected[4] = {0, 0, 0, 0};
            expect(argument, x, y, expected);
            if (!isnan(expected[0]) && !vt_texel_is(format, texel, expected, codes, absolute))
                vt_fail_texel(vt, format, texel, expected, what, x, y, 0);
        }
    }
}
