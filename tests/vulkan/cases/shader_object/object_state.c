/* The state of a scene, by commands and by the chains of a pipeline; see objects.h. */
#include "cases/shader_object/objects.h"

/* ---- by commands ---- */

static void set_vertex_input(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics)
{
    VkVertexInputBindingDescription2EXT bindings[16];
    VkVertexInputAttributeDescription2EXT attributes[16];
    for (uint32_t i = 0; i < graphics->vertex.vertexBindingDescriptionCount; i++)
        bindings[i] = (VkVertexInputBindingDescription2EXT){VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                            NULL,
                                                            graphics->bindings[i].binding,
                                                            graphics->bindings[i].stride,
                                                            graphics->bindings[i].inputRate,
                                                            1};
    for (uint32_t i = 0; i < graphics->vertex.vertexAttributeDescriptionCount; i++)
        attributes[i] =
            (VkVertexInputAttributeDescription2EXT){VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    NULL,
                                                    graphics->attributes[i].location,
                                                    graphics->attributes[i].binding,
                                                    graphics->attributes[i].format,
                                                    graphics->attributes[i].offset};
    VT_LOAD(vt, CmdSetVertexInputEXT)
    (commands, graphics->vertex.vertexBindingDescriptionCount, bindings,
     graphics->vertex.vertexAttributeDescriptionCount, attributes);
}

static void set_raster(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics)
{
    const VkPipelineRasterizationStateCreateInfo *raster = &graphics->raster;
    vkCmdSetViewportWithCount(commands, graphics->viewport.viewportCount, graphics->viewports);
    vkCmdSetScissorWithCount(commands, graphics->viewport.scissorCount, graphics->scissors);
    vkCmdSetPrimitiveTopology(commands, graphics->assembly.topology);
    vkCmdSetPrimitiveRestartEnable(commands, graphics->assembly.primitiveRestartEnable);
    vkCmdSetRasterizerDiscardEnable(commands, raster->rasterizerDiscardEnable);
    vkCmdSetCullMode(commands, raster->cullMode);
    vkCmdSetFrontFace(commands, raster->frontFace);
    vkCmdSetDepthBiasEnable(commands, raster->depthBiasEnable);
    vkCmdSetDepthBias(commands, raster->depthBiasConstantFactor, raster->depthBiasClamp, raster->depthBiasSlopeFactor);
    vkCmdSetLineWidth(commands, raster->lineWidth);
    VT_LOAD(vt, CmdSetPolygonModeEXT)(commands, raster->polygonMode);
    if (vt->features.features.depthClamp)
        VT_LOAD(vt, CmdSetDepthClampEnableEXT)(commands, raster->depthClampEnable);
    if (vt->features.features.tessellationShader && graphics->control_code.words)
        VT_LOAD(vt, CmdSetPatchControlPointsEXT)(commands, graphics->tessellation.patchControlPoints);
}

static void set_depth(VkCommandBuffer commands, const VkPipelineDepthStencilStateCreateInfo *depth)
{
    const VkStencilOpState *faces[2] = {&depth->front, &depth->back};
    static const VkStencilFaceFlags bits[2] = {VK_STENCIL_FACE_FRONT_BIT, VK_STENCIL_FACE_BACK_BIT};
    vkCmdSetDepthTestEnable(commands, depth->depthTestEnable);
    vkCmdSetDepthWriteEnable(commands, depth->depthWriteEnable);
    vkCmdSetDepthCompareOp(commands, depth->depthCompareOp);
    vkCmdSetDepthBoundsTestEnable(commands, depth->depthBoundsTestEnable);
    vkCmdSetDepthBounds(commands, depth->minDepthBounds, depth->maxDepthBounds);
    vkCmdSetStencilTestEnable(commands, depth->stencilTestEnable);
    for (unsigned i = 0; i < 2; i++) {
        vkCmdSetStencilOp(commands, bits[i], faces[i]->failOp, faces[i]->passOp, faces[i]->depthFailOp,
                          faces[i]->compareOp);
        vkCmdSetStencilCompareMask(commands, bits[i], faces[i]->compareMask);
        vkCmdSetStencilWriteMask(commands, bits[i], faces[i]->writeMask);
        vkCmdSetStencilReference(commands, bits[i], faces[i]->reference);
    }
}

static void set_colors(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics)
{
    VkBool32 enables[VT_MAX_TARGETS];
    VkColorBlendEquationEXT equations[VT_MAX_TARGETS];
    VkColorComponentFlags masks[VT_MAX_TARGETS];
    const uint32_t count = graphics->blend.attachmentCount;
    for (uint32_t i = 0; i < count; i++) {
        const VkPipelineColorBlendAttachmentState *blend = &graphics->blends[i];
        enables[i] = blend->blendEnable;
        masks[i] = blend->colorWriteMask;
        equations[i] =
            (VkColorBlendEquationEXT){blend->srcColorBlendFactor, blend->dstColorBlendFactor, blend->colorBlendOp,
                                      blend->srcAlphaBlendFactor, blend->dstAlphaBlendFactor, blend->alphaBlendOp};
    }
    if (count) {
        VT_LOAD(vt, CmdSetColorBlendEnableEXT)(commands, 0, count, enables);
        VT_LOAD(vt, CmdSetColorBlendEquationEXT)(commands, 0, count, equations);
        VT_LOAD(vt, CmdSetColorWriteMaskEXT)(commands, 0, count, masks);
    }
    vkCmdSetBlendConstants(commands, graphics->blend.blendConstants);
    if (vt->features.features.logicOp) {
        VT_LOAD(vt, CmdSetLogicOpEnableEXT)(commands, graphics->blend.logicOpEnable);
        VT_LOAD(vt, CmdSetLogicOpEXT)(commands, graphics->blend.logicOp);
    }
    VT_LOAD(vt, CmdSetRasterizationSamplesEXT)(commands, graphics->multisample.rasterizationSamples);
    VT_LOAD(vt, CmdSetSampleMaskEXT)(commands, graphics->multisample.rasterizationSamples, &graphics->sample_mask);
    VT_LOAD(vt, CmdSetAlphaToCoverageEnableEXT)(commands, graphics->multisample.alphaToCoverageEnable);
    if (vt->features.features.alphaToOne)
        VT_LOAD(vt, CmdSetAlphaToOneEnableEXT)(commands, graphics->multisample.alphaToOneEnable);
}

/* Of extensions that the device has, all of which are enabled. */
static void set_more(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
                     const struct scene_state *more)
{
    if (vt->has[VT_DISCARD_RECTANGLES])
        VT_LOAD(vt, CmdSetDiscardRectangleEnableEXT)(commands, VK_FALSE);
    if (vt->has[VT_PROVOKING_VERTEX])
        VT_LOAD(vt, CmdSetProvokingVertexModeEXT)(commands, more->provoking);
    if (vt->has[VT_LINE_RASTERIZATION]) {
        VT_LOAD(vt, CmdSetLineRasterizationModeEXT)(commands, more->line_mode);
        VT_LOAD(vt, CmdSetLineStippleEnableEXT)(commands, more->stipple != 0);
        VT_LOAD(vt, CmdSetLineStippleEXT)(commands, 1, more->stipple ? more->stipple : 0xffff);
    }
    if (vt->has[VT_CONSERVATIVE]) {
        VT_LOAD(vt, CmdSetConservativeRasterizationModeEXT)(commands, more->conservative);
        VT_LOAD(vt, CmdSetExtraPrimitiveOverestimationSizeEXT)(commands, 0);
    }
    if (vt->has[VT_DEPTH_CLIP_ENABLE])
        VT_LOAD(vt, CmdSetDepthClipEnableEXT)
    (commands, more->has_clip ? more->clip : !graphics->raster.depthClampEnable);
    if (vt->has[VT_DEPTH_CLIP_CONTROL])
        VT_LOAD(vt, CmdSetDepthClipNegativeOneToOneEXT)(commands, more->from_minus_one);
    if (vt->has[VT_SAMPLE_LOCATIONS])
        VT_LOAD(vt, CmdSetSampleLocationsEnableEXT)(commands, VK_FALSE);
    if (vt->has[VT_TRANSFORM_FEEDBACK])
        VT_LOAD(vt, CmdSetRasterizationStreamEXT)(commands, 0);
    if (vt->features.features.tessellationShader && graphics->control_code.words)
        VT_LOAD(vt, CmdSetTessellationDomainOriginEXT)(commands, more->origin);
    if (vt->has[VT_COLOR_WRITE_ENABLE] && graphics->blend.attachmentCount) {
        VkBool32 enables[VT_MAX_TARGETS];
        for (uint32_t i = 0; i < VT_MAX_TARGETS; i++)
            enables[i] = !(more->hidden_colors >> i & 1);
        VT_LOAD(vt, CmdSetColorWriteEnableEXT)(commands, graphics->blend.attachmentCount, enables);
    }
}

void set_graphics_state(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
                        const struct scene_state *more)
{
    set_vertex_input(vt, commands, graphics);
    set_raster(vt, commands, graphics);
    set_depth(commands, &graphics->depth);
    set_colors(vt, commands, graphics);
    set_more(vt, commands, graphics, more);
}

void set_state(struct vt *vt, VkCommandBuffer commands, const struct scene *scene)
{
    set_graphics_state(vt, commands, &scene->graphics, &scene->more);
}

/* ---- by a pipeline ---- */

void scene_chain_state(struct scene *scene)
{
    struct vt_graphics *graphics = &scene->graphics;
    const struct scene_state *more = &scene->more;
    const void **raster = &graphics->raster.pNext;
#define CHAIN(place, at, type, ...)                                                                                    \
    do {                                                                                                               \
        (at) = (type){__VA_ARGS__};                                                                                    \
        (at).pNext = *(place);                                                                                         \
        *(place) = &(at);                                                                                              \
    } while (0)
    if (more->provoking)
        CHAIN(raster, scene->provoking, VkPipelineRasterizationProvokingVertexStateCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, NULL, more->provoking);
    if (more->line_mode || more->stipple)
        CHAIN(raster, scene->lines, VkPipelineRasterizationLineStateCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT, NULL, more->line_mode,
              more->stipple != 0, 1, more->stipple);
    if (more->conservative)
        CHAIN(raster, scene->conservative, VkPipelineRasterizationConservativeStateCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT, NULL, 0, more->conservative,
              0);
    if (more->has_clip)
        CHAIN(raster, scene->clip, VkPipelineRasterizationDepthClipStateCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT, NULL, 0, more->clip);
    if (more->from_minus_one)
        CHAIN(&graphics->viewport.pNext, scene->range, VkPipelineViewportDepthClipControlCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, NULL, VK_TRUE);
    if (more->origin)
        CHAIN(&graphics->tessellation.pNext, scene->origin, VkPipelineTessellationDomainOriginStateCreateInfo,
              VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO, NULL, more->origin);
    for (uint32_t i = 0; i < VT_MAX_TARGETS; i++)
        scene->color_enables[i] = !(more->hidden_colors >> i & 1);
    if (more->hidden_colors)
        CHAIN(&graphics->blend.pNext, scene->color_writes, VkPipelineColorWriteCreateInfoEXT,
              VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT, NULL, scene->target.color_count,
              scene->color_enables);
}
