/* VkGraphicsPipelineCreateInfo into plain values. Which of its pointers may be looked at depends on the subsets that
 * are being created, on dynamic state, on rasterization being off and on the attachments; each reader below is called
 * only where the specification lets its structure be read, and keeps to the same rule for the pointers inside. */
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_flags.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"
#include "vulkan/runtime/render/vk_graphics_state.h"
#include "vulkan/runtime/render/vk_graphics_state_private.h"

#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

/* Whether every one of `rows` is left to commands. */
static bool all_dynamic(uint64_t dynamic, uint64_t rows)
{
    return (rows & ~dynamic) == 0;
}

static void read_vertex_input(struct vk_vertex_input_state *vi, const VkPipelineVertexInputStateCreateInfo *info)
{
    for (uint32_t i = 0; i < info->vertexBindingDescriptionCount; i++) {
        const VkVertexInputBindingDescription *binding = &info->pVertexBindingDescriptions[i];
        if (binding->binding >= VK_MAX_VERTEX_BINDINGS)
            continue;
        vi->binding_mask |= 1u << binding->binding;
        vi->bindings[binding->binding].input_rate = (uint8_t)binding->inputRate;
        vi->bindings[binding->binding].divisor = 1;
        vi->strides_B[binding->binding] = binding->stride;
    }
    for (uint32_t i = 0; i < info->vertexAttributeDescriptionCount; i++) {
        const VkVertexInputAttributeDescription *attribute = &info->pVertexAttributeDescriptions[i];
        if (attribute->location >= VK_MAX_VERTEX_ATTRIBUTES)
            continue;
        vi->attribute_mask |= 1u << attribute->location;
        vi->attributes[attribute->location].format = attribute->format;
        vi->attributes[attribute->location].offset_B = attribute->offset;
        vi->attributes[attribute->location].binding = (uint8_t)attribute->binding;
    }
    const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors =
        vk_find_struct_const(info->pNext, VkPipelineVertexInputDivisorStateCreateInfoEXT);
    for (uint32_t i = 0; divisors && i < divisors->vertexBindingDivisorCount; i++) {
        uint32_t binding = divisors->pVertexBindingDivisors[i].binding;
        if (binding < VK_MAX_VERTEX_BINDINGS && (vi->binding_mask & (1u << binding)))
            vi->bindings[binding].divisor = divisors->pVertexBindingDivisors[i].divisor;
    }
}

static void read_tessellation(struct vk_tessellation_state *ts, const VkPipelineTessellationStateCreateInfo *info)
{
    ts->patch_control_points = (uint8_t)info->patchControlPoints;
    const VkPipelineTessellationDomainOriginStateCreateInfo *origin =
        vk_find_struct_const(info->pNext, VkPipelineTessellationDomainOriginStateCreateInfo);
    if (origin)
        ts->domain_origin = (uint8_t)origin->domainOrigin;
}

static void read_viewport(struct vk_viewport_state *vp, const VkPipelineViewportStateCreateInfo *info, uint64_t dynamic)
{
    vp->viewport_count = (uint8_t)MIN2(info->viewportCount, VK_MAX_VIEWPORTS);
    vp->scissor_count = (uint8_t)MIN2(info->scissorCount, VK_MAX_VIEWPORTS);
    for (uint32_t i = 0; i < vp->viewport_count && !(dynamic & VK_DYN(VIEWPORTS)); i++)
        vp->viewports[i] = info->pViewports[i];
    for (uint32_t i = 0; i < vp->scissor_count && !(dynamic & VK_DYN(SCISSORS)); i++)
        vp->scissors[i] = info->pScissors[i];
    const VkPipelineViewportDepthClipControlCreateInfoEXT *clip =
        vk_find_struct_const(info->pNext, VkPipelineViewportDepthClipControlCreateInfoEXT);
    if (clip)
        vp->negative_one_to_one = clip->negativeOneToOne;
}

static void read_discard_rectangles(struct vk_discard_rectangle_state *dr,
                                    const VkPipelineDiscardRectangleStateCreateInfoEXT *info, uint64_t dynamic)
{
    dr->mode = (uint8_t)info->discardRectangleMode;
    dr->count = (uint8_t)MIN2(info->discardRectangleCount, VK_MAX_DISCARD_RECTANGLES);
    dr->is_on = dr->count != 0;
    for (uint32_t i = 0; i < dr->count && !(dynamic & VK_DYN(DISCARD_RECTANGLES)); i++)
        dr->rectangles[i] = info->pDiscardRectangles[i];
}

static void read_rasterization_chain(struct vk_rasterization_state *rs, const void *chain)
{
    vk_foreach_struct_const(element, chain)
    {
        switch ((int)element->sType) {
        case VK_TYPE_OF_VkPipelineRasterizationDepthClipStateCreateInfoEXT: {
            const VkPipelineRasterizationDepthClipStateCreateInfoEXT *clip = (const void *)element;
            rs->depth_clip = clip->depthClipEnable ? VK_DEPTH_CLIP_ON : VK_DEPTH_CLIP_OFF;
            break;
        }
        case VK_TYPE_OF_VkPipelineRasterizationConservativeStateCreateInfoEXT: {
            const VkPipelineRasterizationConservativeStateCreateInfoEXT *conservative = (const void *)element;
            rs->conservative_mode = (uint8_t)conservative->conservativeRasterizationMode;
            rs->extra_overestimation = conservative->extraPrimitiveOverestimationSize;
            break;
        }
        case VK_TYPE_OF_VkPipelineRasterizationLineStateCreateInfoEXT: {
            const VkPipelineRasterizationLineStateCreateInfoEXT *line = (const void *)element;
            rs->line_mode = (uint8_t)line->lineRasterizationMode;
            rs->line_stipple_enable = line->stippledLineEnable;
            rs->line_stipple.factor = line->lineStippleFactor;
            rs->line_stipple.pattern = line->lineStipplePattern;
            break;
        }
        case VK_TYPE_OF_VkPipelineRasterizationProvokingVertexStateCreateInfoEXT: {
            const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT *provoking = (const void *)element;
            rs->provoking_vertex = (uint8_t)provoking->provokingVertexMode;
            break;
        }
        case VK_TYPE_OF_VkPipelineRasterizationStateStreamCreateInfoEXT: {
            const VkPipelineRasterizationStateStreamCreateInfoEXT *stream = (const void *)element;
            rs->stream = (uint8_t)stream->rasterizationStream;
            break;
        }
        }
    }
}

static void read_rasterization(struct vk_rasterization_state *rs, const VkPipelineRasterizationStateCreateInfo *info)
{
    rs->discard_enable = info->rasterizerDiscardEnable;
    rs->depth_clamp_enable = info->depthClampEnable;
    rs->polygon_mode = (uint8_t)info->polygonMode;
    rs->cull_mode = (uint8_t)info->cullMode;
    rs->front_face = (uint8_t)info->frontFace;
    rs->depth_bias_enable = info->depthBiasEnable;
    rs->depth_bias.constant = info->depthBiasConstantFactor;
    rs->depth_bias.clamp = info->depthBiasClamp;
    rs->depth_bias.slope = info->depthBiasSlopeFactor;
    rs->line_width = info->lineWidth;
    read_rasterization_chain(rs, info->pNext);
}

static void read_fragment_shading_rate(struct vk_fragment_shading_rate_state *fsr, const void *chain)
{
    const VkPipelineFragmentShadingRateStateCreateInfoKHR *info =
        vk_find_struct_const(chain, VkPipelineFragmentShadingRateStateCreateInfoKHR);
    if (!info)
        return;
    fsr->fragment_size = info->fragmentSize;
    fsr->combiners[0] = info->combinerOps[0];
    fsr->combiners[1] = info->combinerOps[1];
}

static void read_multisample(struct vk_graphics_state *state, const VkPipelineMultisampleStateCreateInfo *info,
                             uint64_t dynamic)
{
    struct vk_multisample_state *ms = &state->dyn.ms;
    state->sample_shading_enable = info->sampleShadingEnable;
    state->min_sample_shading = info->sampleShadingEnable ? info->minSampleShading : 0.0f;
    ms->samples = (uint8_t)info->rasterizationSamples;
    ms->alpha_to_coverage = info->alphaToCoverageEnable;
    ms->alpha_to_one = info->alphaToOneEnable;
    if (!(dynamic & VK_DYN(SAMPLE_MASK)) && info->pSampleMask) {
        ms->sample_mask = info->pSampleMask[0];
        if (info->rasterizationSamples > 32)
            ms->sample_mask |= (uint64_t)info->pSampleMask[1] << 32;
    }
    const VkPipelineSampleLocationsStateCreateInfoEXT *locations =
        vk_find_struct_const(info->pNext, VkPipelineSampleLocationsStateCreateInfoEXT);
    if (!locations)
        return;
    ms->sample_locations_enable = locations->sampleLocationsEnable;
    bool may_be_used = ms->sample_locations_enable || (dynamic & VK_DYN(SAMPLE_LOCATIONS_ENABLE));
    if (may_be_used && !(dynamic & VK_DYN(SAMPLE_LOCATIONS)))
        vk_sample_locations_set(&ms->sample_locations, &locations->sampleLocationsInfo);
}

static void read_stencil_face(struct vk_depth_stencil_state *ds, enum vk_stencil_face face,
                              const VkStencilOpState *info)
{
    ds->stencil_ops[face] = (struct vk_stencil_ops){
        .fail = (uint8_t)info->failOp,
        .pass = (uint8_t)info->passOp,
        .depth_fail = (uint8_t)info->depthFailOp,
        .compare = (uint8_t)info->compareOp,
    };
    ds->stencil_compare_mask[face] = (uint8_t)info->compareMask;
    ds->stencil_write_mask[face] = (uint8_t)info->writeMask;
    ds->stencil_reference[face] = (uint8_t)info->reference;
}

static void read_depth_stencil(struct vk_depth_stencil_state *ds, const VkPipelineDepthStencilStateCreateInfo *info)
{
    ds->depth_test_enable = info->depthTestEnable;
    ds->depth_write_enable = info->depthWriteEnable;
    ds->depth_compare_op = (uint8_t)info->depthCompareOp;
    ds->depth_bounds_test_enable = info->depthBoundsTestEnable;
    ds->depth_bounds.min = info->minDepthBounds;
    ds->depth_bounds.max = info->maxDepthBounds;
    ds->stencil_test_enable = info->stencilTestEnable;
    read_stencil_face(ds, VK_STENCIL_FRONT, &info->front);
    read_stencil_face(ds, VK_STENCIL_BACK, &info->back);
}

static void read_blend_attachment(struct vk_color_blend_state *cb, uint32_t index,
                                  const VkPipelineColorBlendAttachmentState *info,
                                  const VkPipelineColorBlendAdvancedStateCreateInfoEXT *advanced)
{
    cb->blend_enables |= (uint8_t)((info->blendEnable != VK_FALSE) << index);
    cb->write_masks[index] = (uint8_t)info->colorWriteMask;
    if (info->colorBlendOp > VK_BLEND_OP_MAX) {
        cb->advanced[index] = (struct vk_blend_advanced){
            .op = info->colorBlendOp,
            .overlap = (uint8_t)(advanced ? advanced->blendOverlap : VK_BLEND_OVERLAP_UNCORRELATED_EXT),
            .src_premultiplied = advanced ? advanced->srcPremultiplied : true,
            .dst_premultiplied = advanced ? advanced->dstPremultiplied : true,
        };
        return;
    }
    cb->equations[index] = vk_blend_equation_of(&(VkColorBlendEquationEXT){
        .srcColorBlendFactor = info->srcColorBlendFactor,
        .dstColorBlendFactor = info->dstColorBlendFactor,
        .colorBlendOp = info->colorBlendOp,
        .srcAlphaBlendFactor = info->srcAlphaBlendFactor,
        .dstAlphaBlendFactor = info->dstAlphaBlendFactor,
        .alphaBlendOp = info->alphaBlendOp,
    });
}

static void read_color_blend(struct vk_color_blend_state *cb, const VkPipelineColorBlendStateCreateInfo *info,
                             uint64_t dynamic)
{
    const uint64_t of_attachments = VK_DYN(BLEND_ENABLE) | VK_DYN(BLEND_EQUATION) | VK_DYN(COLOR_WRITE_MASK);
    cb->logic_op_enable = info->logicOpEnable;
    cb->logic_op = (uint8_t)info->logicOp;
    for (uint32_t i = 0; i < 4; i++)
        cb->constants[i] = info->blendConstants[i];
    if (!all_dynamic(dynamic, of_attachments)) {
        const VkPipelineColorBlendAdvancedStateCreateInfoEXT *advanced =
            vk_find_struct_const(info->pNext, VkPipelineColorBlendAdvancedStateCreateInfoEXT);
        for (uint32_t i = 0; i < MIN2(info->attachmentCount, VK_MAX_COLOR_ATTACHMENTS); i++)
            read_blend_attachment(cb, i, &info->pAttachments[i], advanced);
    }
    const VkPipelineColorWriteCreateInfoEXT *writes =
        vk_find_struct_const(info->pNext, VkPipelineColorWriteCreateInfoEXT);
    if (!writes || (dynamic & VK_DYN(COLOR_WRITE_ENABLE)))
        return;
    for (uint32_t i = 0; i < MIN2(writes->attachmentCount, VK_MAX_COLOR_ATTACHMENTS); i++) {
        if (!writes->pColorWriteEnables[i])
            cb->color_write_enables &= (uint8_t) ~(1u << i);
    }
}

static void read_formats(struct vk_rendering_formats *out, const VkPipelineRenderingCreateInfo *info)
{
    out->color_count = MIN2(info->colorAttachmentCount, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < out->color_count; i++)
        out->color_formats[i] = info->pColorAttachmentFormats[i];
    out->depth_format = info->depthAttachmentFormat;
    out->stencil_format = info->stencilAttachmentFormat;
}

/* A colour beyond those that are named has no output, either. */
void vk_rendering_formats_read_locations(struct vk_rendering_formats *out,
                                         const VkRenderingAttachmentLocationInfoKHR *info)
{
    out->has_locations = true;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        uint32_t location = i;
        if (i >= info->colorAttachmentCount)
            location = VK_NO_LOCATION;
        else if (info->pColorAttachmentLocations)
            location = info->pColorAttachmentLocations[i];
        out->locations[i] = (uint8_t)MIN2(location, VK_NO_LOCATION);
    }
}

static uint8_t number_or_none(const uint32_t *number)
{
    return number ? (uint8_t)MIN2(*number, (uint32_t)VK_NO_LOCATION) : VK_NO_LOCATION;
}

/* An attachment with a number may be read by it while it is drawn to. */
static void add_input_loops(struct vk_rendering_formats *out)
{
    if (out->depth_input != VK_NO_LOCATION)
        out->feedback_loop |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (out->stencil_input != VK_NO_LOCATION)
        out->feedback_loop |= VK_IMAGE_ASPECT_STENCIL_BIT;
}

/* Where nothing is said a colour is read by its own number. */
void vk_rendering_formats_read_inputs(struct vk_rendering_formats *out,
                                      const VkRenderingInputAttachmentIndexInfoKHR *info)
{
    const uint32_t count = info ? info->colorAttachmentCount : out->color_count;
    const uint32_t *numbers = info ? info->pColorAttachmentInputIndices : NULL;
    out->has_inputs = true;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++)
        out->color_inputs[i] = i >= count ? VK_NO_LOCATION : number_or_none(numbers ? &numbers[i] : &i);
    out->depth_input = number_or_none(info ? info->pDepthInputAttachmentIndex : NULL);
    out->stencil_input = number_or_none(info ? info->pStencilInputAttachmentIndex : NULL);
    add_input_loops(out);
}

void vk_rendering_formats_take_inputs(struct vk_rendering_formats *out, const struct vk_rendering_formats *from)
{
    out->has_inputs = from->has_inputs;
    memcpy(out->color_inputs, from->color_inputs, sizeof(out->color_inputs));
    out->depth_input = from->depth_input;
    out->stencil_input = from->stencil_input;
    if (out->has_inputs)
        add_input_loops(out);
}

void vk_rendering_formats_read_local(struct vk_rendering_formats *out, const void *chain)
{
    const VkRenderingAttachmentLocationInfoKHR *locations =
        vk_find_struct_const(chain, VkRenderingAttachmentLocationInfoKHR);
    if (locations)
        vk_rendering_formats_read_locations(out, locations);
    vk_rendering_formats_read_inputs(out, vk_find_struct_const(chain, VkRenderingInputAttachmentIndexInfoKHR));
}

/* ---- what of it all may be read ---- */

struct reader {
    struct vk_graphics_state *state;
    const VkGraphicsPipelineCreateInfo *info;
    const struct vk_rendering_formats *subpass;
    VkGraphicsPipelineLibraryFlagsEXT own; /* subsets that come from this create info */
    uint64_t dynamic;                      /* rows */
    uint32_t flags;
};

static bool state_rasterizes(const struct vk_graphics_state *state, uint64_t dynamic)
{
    return !state->dyn.rs.discard_enable || ((dynamic | state->dynamic) & VK_DYN(RASTERIZER_DISCARD));
}

static VkShaderStageFlags stages_of(const struct reader *r)
{
    const VkShaderStageFlags before = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
                                      VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_GEOMETRY_BIT |
                                      VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    VkShaderStageFlags allowed = 0, stages = 0;
    if (r->own & PRE_RASTERIZATION)
        allowed |= before;
    if (r->own & FRAGMENT_SHADER)
        allowed |= VK_SHADER_STAGE_FRAGMENT_BIT;
    for (uint32_t i = 0; allowed && i < r->info->stageCount; i++)
        stages |= r->info->pStages[i].stage & allowed;
    return stages;
}

static void fill_vertex_input(const struct reader *r)
{
    const uint64_t assembly = VK_DYN_GROUP_INPUT_ASSEMBLY;
    if (r->state->stages & VK_SHADER_STAGE_MESH_BIT_EXT)
        return;
    if (!all_dynamic(r->dynamic, VK_DYN_GROUP_VERTEX_INPUT) && r->info->pVertexInputState)
        read_vertex_input(&r->state->dyn.vi, r->info->pVertexInputState);
    bool needs_class = !(r->flags & VK_GRAPHICS_STATE_ANY_TOPOLOGY);
    if ((needs_class || !all_dynamic(r->dynamic, assembly)) && r->info->pInputAssemblyState) {
        r->state->dyn.ia.topology = (uint8_t)r->info->pInputAssemblyState->topology;
        r->state->dyn.ia.primitive_restart = r->info->pInputAssemblyState->primitiveRestartEnable;
    }
}

/* Rasterization comes first, for its being off decides what else there is. */
static void fill_pre_rasterization(const struct reader *r)
{
    const VkGraphicsPipelineCreateInfo *info = r->info;
    struct vk_dynamic_graphics_state *dyn = &r->state->dyn;
    const VkShaderStageFlags tessellation =
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    if (!all_dynamic(r->dynamic, VK_DYN_GROUP_RASTERIZATION) && info->pRasterizationState)
        read_rasterization(&dyn->rs, info->pRasterizationState);
    if ((r->state->stages & tessellation) && !all_dynamic(r->dynamic, VK_DYN_GROUP_TESSELLATION) &&
        info->pTessellationState)
        read_tessellation(&dyn->ts, info->pTessellationState);
    read_fragment_shading_rate(&dyn->fsr, info->pNext);
    if (!state_rasterizes(r->state, r->dynamic))
        return;
    if (!all_dynamic(r->dynamic, VK_DYN_GROUP_VIEWPORT) && info->pViewportState)
        read_viewport(&dyn->vp, info->pViewportState, r->dynamic);
    const VkPipelineDiscardRectangleStateCreateInfoEXT *rectangles =
        vk_find_struct_const(info->pNext, VkPipelineDiscardRectangleStateCreateInfoEXT);
    if (rectangles)
        read_discard_rectangles(&dyn->dr, rectangles, r->dynamic);
}

/* Outputs are said with the attachments, inputs with the shader that reads them. A library of the shader alone does not
 * know how many colours there are. */
static void fill_local(const struct reader *r)
{
    struct vk_rendering_formats *rendering = &r->state->rendering;
    const VkRenderingAttachmentLocationInfoKHR *locations =
        vk_find_struct_const(r->info->pNext, VkRenderingAttachmentLocationInfoKHR);
    const VkRenderingInputAttachmentIndexInfoKHR *inputs =
        vk_find_struct_const(r->info->pNext, VkRenderingInputAttachmentIndexInfoKHR);
    if (r->own & FRAGMENT_OUTPUT && locations)
        vk_rendering_formats_read_locations(rendering, locations);
    if (!(r->own & FRAGMENT_SHADER))
        return;
    const bool has_colors = (r->own | r->state->subsets) & FRAGMENT_OUTPUT;
    struct vk_rendering_formats read = {.color_count = has_colors ? rendering->color_count : VK_MAX_COLOR_ATTACHMENTS};
    vk_rendering_formats_read_inputs(&read, inputs);
    vk_rendering_formats_take_inputs(rendering, &read);
}

static void fill_rendering(const struct reader *r)
{
    struct vk_rendering_formats *rendering = &r->state->rendering;
    const VkPipelineRenderingCreateInfo *info = vk_find_struct_const(r->info->pNext, VkPipelineRenderingCreateInfo);
    uint32_t view_mask = r->subpass ? r->subpass->view_mask : info ? info->viewMask : 0;
    if (r->own & FRAGMENT_OUTPUT) {
        uint32_t known = rendering->view_mask;
        if (r->subpass)
            *rendering = *r->subpass;
        else if (info)
            read_formats(rendering, info);
        rendering->view_mask = known;
        const VkPipelineCreateFlags flags = vk_pipeline_create_flags(r->info->pNext, r->info->flags);
        if (flags & VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT)
            rendering->feedback_loop |= VK_IMAGE_ASPECT_COLOR_BIT;
        if (flags & VK_PIPELINE_CREATE_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT)
            rendering->feedback_loop |= VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    }
    if (!r->subpass)
        fill_local(r);
    if (r->own & VK_GRAPHICS_SUBSETS_SHADERS)
        rendering->view_mask = view_mask;
}

/* A fragment shader's library without a render pass does not know yet, so it must keep the state. */
static bool may_have_depth_stencil(const struct reader *r)
{
    const struct vk_rendering_formats *formats = r->subpass ? r->subpass : &r->state->rendering;
    bool known = r->subpass || (r->own & FRAGMENT_OUTPUT);
    return !known || formats->depth_format != VK_FORMAT_UNDEFINED || formats->stencil_format != VK_FORMAT_UNDEFINED;
}

static bool has_color(const struct vk_rendering_formats *formats)
{
    for (uint32_t i = 0; i < formats->color_count; i++) {
        if (formats->color_formats[i] != VK_FORMAT_UNDEFINED)
            return true;
    }
    return false;
}

/* These three structures hold something that is never dynamic, so that no dynamic state makes them superfluous; where
 * all the rest is, the application may leave them out. */
static void fill_fragment(const struct reader *r)
{
    const VkGraphicsPipelineCreateInfo *info = r->info;
    struct vk_graphics_state *state = r->state;
    if (info->pMultisampleState)
        read_multisample(state, info->pMultisampleState, r->dynamic);
    if ((r->own & FRAGMENT_SHADER) && may_have_depth_stencil(r) && info->pDepthStencilState) {
        state->depth_stencil_flags = info->pDepthStencilState->flags;
        read_depth_stencil(&state->dyn.ds, info->pDepthStencilState);
    }
    if (!(r->own & FRAGMENT_OUTPUT))
        return;
    state->dyn.cb.attachment_count = (uint8_t)state->rendering.color_count;
    if (has_color(&state->rendering) && info->pColorBlendState) {
        state->color_blend_flags = info->pColorBlendState->flags;
        read_color_blend(&state->dyn.cb, info->pColorBlendState, r->dynamic);
    }
}

/* Sorts rows into static and dynamic; the dynamic ones are set back to their default, whatever was read beside the
 * static ones. */
static void close_rows(const struct reader *r, VkGraphicsPipelineLibraryFlagsEXT subsets, bool strides_by_bind)
{
    struct vk_graphics_state *state = r->state;
    uint64_t rows = vk_graphics_subset_rows(subsets);
    uint64_t dynamic = rows & r->dynamic;
    vk_dynamic_rows_copy(&state->dyn, &vk_dynamic_graphics_state_default, dynamic & ~VK_DYN(TOPOLOGY));
    state->dynamic |= dynamic;
    state->dyn.set |= rows & ~dynamic;
    state->dyn.fixed |= rows & ~dynamic;
    if (!strides_by_bind)
        state->dyn.fixed |= rows & VK_DYN(BINDING_STRIDES);
    state->subsets |= subsets;
}

void vk_graphics_state_fill(struct vk_graphics_state *state, const VkGraphicsPipelineCreateInfo *info,
                            const struct vk_rendering_formats *subpass, uint32_t flags)
{
    VkGraphicsPipelineLibraryFlagsEXT subsets = vk_graphics_pipeline_subsets(info) & ~state->subsets;
    struct reader r = {.state = state, .info = info, .subpass = subpass, .own = subsets, .flags = flags};
    const VkPipelineDynamicStateCreateInfo *dynamic = subsets ? info->pDynamicState : NULL;
    bool strides_by_bind = false;
    for (uint32_t i = 0; dynamic && i < dynamic->dynamicStateCount; i++) {
        r.dynamic |= vk_dynamic_state_rows(dynamic->pDynamicStates[i]);
        strides_by_bind |= dynamic->pDynamicStates[i] == VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE;
    }
    state->stages |= stages_of(&r);
    if (r.own & PRE_RASTERIZATION)
        fill_pre_rasterization(&r);
    if (!state_rasterizes(state, r.dynamic)) {
        r.own &= ~(VkGraphicsPipelineLibraryFlagsEXT)VK_GRAPHICS_SUBSETS_FRAGMENT;
        state->stages &= ~(VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT;
    }
    if (r.own & VERTEX_INPUT)
        fill_vertex_input(&r);
    fill_rendering(&r);
    if (r.own & VK_GRAPHICS_SUBSETS_FRAGMENT)
        fill_fragment(&r);
    close_rows(&r, subsets, strides_by_bind);
}
