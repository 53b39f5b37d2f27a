/* A create info as plain values: what is read, what must not be, and libraries. A pointer that must not be read points
 * where reading ends the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_output_locations.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"

#define GARBAGE ((void *)(uintptr_t)0x18)
#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
#define ALL_SUBSETS (VERTEX_INPUT | PRE_RASTERIZATION | FRAGMENT_SHADER | FRAGMENT_OUTPUT)

/* ---- a create info with something unusual in every member ---- */

struct everything {
    VkGraphicsPipelineCreateInfo info;
    VkGraphicsPipelineLibraryCreateInfoEXT subsets; /* not in the chain until a test puts it there */
    VkPipelineShaderStageCreateInfo stages[3];
    VkVertexInputBindingDescription bindings[2];
    VkVertexInputAttributeDescription attributes[2];
    VkVertexInputBindingDivisorDescriptionEXT divisor;
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisors;
    VkPipelineVertexInputStateCreateInfo vi;
    VkPipelineInputAssemblyStateCreateInfo ia;
    VkPipelineTessellationDomainOriginStateCreateInfo origin;
    VkPipelineTessellationStateCreateInfo ts;
    VkViewport viewports[2];
    VkRect2D scissors[2];
    VkPipelineViewportDepthClipControlCreateInfoEXT clip_control;
    VkPipelineViewportStateCreateInfo vp;
    VkPipelineRasterizationDepthClipStateCreateInfoEXT depth_clip;
    VkPipelineRasterizationConservativeStateCreateInfoEXT conservative;
    VkPipelineRasterizationLineStateCreateInfoEXT line;
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking;
    VkPipelineRasterizationStateStreamCreateInfoEXT stream;
    VkPipelineRasterizationStateCreateInfo rs;
    VkSampleMask sample_mask[2];
    VkSampleLocationEXT locations[4];
    VkPipelineSampleLocationsStateCreateInfoEXT sample_locations;
    VkPipelineMultisampleStateCreateInfo ms;
    VkPipelineDepthStencilStateCreateInfo ds;
    VkPipelineColorBlendAttachmentState targets[2];
    VkBool32 color_writes[2];
    VkPipelineColorWriteCreateInfoEXT color_write;
    VkPipelineColorBlendStateCreateInfo cb;
    VkFormat formats[2];
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineFragmentShadingRateStateCreateInfoKHR fsr;
    VkRect2D rectangles[2];
    VkPipelineDiscardRectangleStateCreateInfoEXT discard;
    VkDynamicState states[80];
    VkPipelineDynamicStateCreateInfo dynamic;
};

static void make_geometry(struct everything *e)
{
    e->bindings[0] = (VkVertexInputBindingDescription){3, 24, VK_VERTEX_INPUT_RATE_VERTEX};
    e->bindings[1] = (VkVertexInputBindingDescription){7, 16, VK_VERTEX_INPUT_RATE_INSTANCE};
    e->attributes[0] = (VkVertexInputAttributeDescription){0, 3, VK_FORMAT_R32G32B32_SFLOAT, 8};
    e->attributes[1] = (VkVertexInputAttributeDescription){9, 7, VK_FORMAT_R8G8B8A8_UNORM, 4};
    e->divisor = (VkVertexInputBindingDivisorDescriptionEXT){7, 5};
    e->divisors = vk_struct_init(VkPipelineVertexInputDivisorStateCreateInfoEXT);
    e->divisors.vertexBindingDivisorCount = 1;
    e->divisors.pVertexBindingDivisors = &e->divisor;
    e->vi = vk_struct_init(VkPipelineVertexInputStateCreateInfo);
    e->vi.pNext = &e->divisors;
    e->vi.vertexBindingDescriptionCount = e->vi.vertexAttributeDescriptionCount = 2;
    e->vi.pVertexBindingDescriptions = e->bindings;
    e->vi.pVertexAttributeDescriptions = e->attributes;
    e->ia = vk_struct_init(VkPipelineInputAssemblyStateCreateInfo);
    e->ia.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    e->ia.primitiveRestartEnable = VK_TRUE;
    e->origin = vk_struct_init(VkPipelineTessellationDomainOriginStateCreateInfo);
    e->origin.domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
    e->ts = vk_struct_init(VkPipelineTessellationStateCreateInfo);
    e->ts.pNext = &e->origin;
    e->ts.patchControlPoints = 4;
    e->viewports[1] = (VkViewport){1, 2, 3, 4, 0.25f, 0.5f};
    e->scissors[1] = (VkRect2D){{5, 6}, {7, 8}};
    e->clip_control = vk_struct_init(VkPipelineViewportDepthClipControlCreateInfoEXT);
    e->clip_control.negativeOneToOne = VK_TRUE;
    e->vp = vk_struct_init(VkPipelineViewportStateCreateInfo);
    e->vp.pNext = &e->clip_control;
    e->vp.viewportCount = e->vp.scissorCount = 2;
    e->vp.pViewports = e->viewports;
    e->vp.pScissors = e->scissors;
    e->rectangles[1] = (VkRect2D){{9, 10}, {11, 12}};
    e->discard = vk_struct_init(VkPipelineDiscardRectangleStateCreateInfoEXT);
    e->discard.discardRectangleMode = VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT;
    e->discard.discardRectangleCount = 2;
    e->discard.pDiscardRectangles = e->rectangles;
}

static void make_rasterization(struct everything *e)
{
    e->depth_clip = vk_struct_init(VkPipelineRasterizationDepthClipStateCreateInfoEXT);
    e->conservative = vk_struct_init(VkPipelineRasterizationConservativeStateCreateInfoEXT);
    e->conservative.conservativeRasterizationMode = VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT;
    e->conservative.extraPrimitiveOverestimationSize = 0.75f;
    e->line = vk_struct_init(VkPipelineRasterizationLineStateCreateInfoEXT);
    e->line.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    e->line.stippledLineEnable = VK_TRUE;
    e->line.lineStippleFactor = 256;
    e->line.lineStipplePattern = 0xf0f0;
    e->provoking = vk_struct_init(VkPipelineRasterizationProvokingVertexStateCreateInfoEXT);
    e->provoking.provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
    e->stream = vk_struct_init(VkPipelineRasterizationStateStreamCreateInfoEXT);
    e->stream.rasterizationStream = 3;
    e->rs = vk_struct_init(VkPipelineRasterizationStateCreateInfo);
    void *chain[] = {&e->depth_clip, &e->conservative, &e->line, &e->provoking, &e->stream};
    for (uint32_t i = 0; i < ARRAY_SIZE(chain); i++)
        vk_append_struct(&e->rs, chain[i]);
    e->rs.depthClampEnable = VK_TRUE;
    e->rs.polygonMode = VK_POLYGON_MODE_LINE;
    e->rs.cullMode = VK_CULL_MODE_BACK_BIT;
    e->rs.frontFace = VK_FRONT_FACE_CLOCKWISE;
    e->rs.depthBiasEnable = VK_TRUE;
    e->rs.depthBiasConstantFactor = 1;
    e->rs.depthBiasClamp = 2;
    e->rs.depthBiasSlopeFactor = 3;
    e->rs.lineWidth = 4;
    e->fsr = vk_struct_init(VkPipelineFragmentShadingRateStateCreateInfoKHR);
    e->fsr.fragmentSize = (VkExtent2D){2, 4};
    e->fsr.combinerOps[1] = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR;
}

static void make_output(struct everything *e)
{
    e->sample_mask[0] = 0x12345678;
    e->sample_mask[1] = 0xdeadbeef; /* beyond the samples */
    e->locations[3] = (VkSampleLocationEXT){0.25f, 0.75f};
    e->sample_locations = vk_struct_init(VkPipelineSampleLocationsStateCreateInfoEXT);
    e->sample_locations.sampleLocationsEnable = VK_TRUE;
    e->sample_locations.sampleLocationsInfo = vk_struct_init(VkSampleLocationsInfoEXT);
    e->sample_locations.sampleLocationsInfo.sampleLocationsPerPixel = VK_SAMPLE_COUNT_4_BIT;
    e->sample_locations.sampleLocationsInfo.sampleLocationGridSize = (VkExtent2D){1, 1};
    e->sample_locations.sampleLocationsInfo.sampleLocationsCount = 4;
    e->sample_locations.sampleLocationsInfo.pSampleLocations = e->locations;
    e->ms = vk_struct_init(VkPipelineMultisampleStateCreateInfo);
    e->ms.pNext = &e->sample_locations;
    e->ms.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    e->ms.sampleShadingEnable = VK_TRUE;
    e->ms.minSampleShading = 0.5f;
    e->ms.pSampleMask = e->sample_mask;
    e->ms.alphaToCoverageEnable = e->ms.alphaToOneEnable = VK_TRUE;
    e->ds = vk_struct_init(VkPipelineDepthStencilStateCreateInfo);
    e->ds.flags = VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT;
    e->ds.depthTestEnable = e->ds.depthWriteEnable = e->ds.depthBoundsTestEnable = e->ds.stencilTestEnable = VK_TRUE;
    e->ds.depthCompareOp = VK_COMPARE_OP_GREATER;
    e->ds.minDepthBounds = 0.25f;
    e->ds.maxDepthBounds = 0.5f;
    e->ds.front = (VkStencilOpState){1, 2, 3, VK_COMPARE_OP_LESS, 0xf1, 0xf2, 0xf3};
    e->ds.back = (VkStencilOpState){4, 5, 6, VK_COMPARE_OP_EQUAL, 0xe1, 0xe2, 0x1e3};
    e->targets[1] = (VkPipelineColorBlendAttachmentState){VK_TRUE,
                                                          VK_BLEND_FACTOR_SRC1_COLOR,
                                                          VK_BLEND_FACTOR_DST_COLOR,
                                                          VK_BLEND_OP_MIN,
                                                          VK_BLEND_FACTOR_ONE,
                                                          VK_BLEND_FACTOR_CONSTANT_ALPHA,
                                                          VK_BLEND_OP_REVERSE_SUBTRACT,
                                                          0xb};
    e->color_writes[0] = VK_TRUE;
    e->color_write = vk_struct_init(VkPipelineColorWriteCreateInfoEXT);
    e->color_write.attachmentCount = 2;
    e->color_write.pColorWriteEnables = e->color_writes;
    e->cb = vk_struct_init(VkPipelineColorBlendStateCreateInfo);
    e->cb.pNext = &e->color_write;
    e->cb.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
    e->cb.logicOpEnable = VK_TRUE;
    e->cb.logicOp = VK_LOGIC_OP_NOR;
    e->cb.attachmentCount = 2;
    e->cb.pAttachments = e->targets;
    e->cb.blendConstants[3] = 0.125f;
    e->formats[1] = VK_FORMAT_R8G8B8A8_SRGB;
    e->rendering = vk_struct_init(VkPipelineRenderingCreateInfo);
    e->rendering.viewMask = 5;
    e->rendering.colorAttachmentCount = 2;
    e->rendering.pColorAttachmentFormats = e->formats;
    e->rendering.depthAttachmentFormat = e->rendering.stencilAttachmentFormat = VK_FORMAT_D32_SFLOAT_S8_UINT;
}

static void make_everything(struct everything *e)
{
    memset(e, 0, sizeof(*e));
    make_geometry(e);
    make_rasterization(e);
    make_output(e);
    e->subsets = vk_struct_init(VkGraphicsPipelineLibraryCreateInfoEXT);
    for (uint32_t i = 0; i < ARRAY_SIZE(e->stages); i++)
        e->stages[i] = vk_struct_init(VkPipelineShaderStageCreateInfo);
    e->stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    e->stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    e->stages[2].stage = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    e->info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    e->info.flags = VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
    vk_append_struct(&e->info, &e->rendering);
    vk_append_struct(&e->info, &e->fsr);
    vk_append_struct(&e->info, &e->discard);
    e->info.stageCount = 3;
    e->info.pStages = e->stages;
    e->info.pVertexInputState = &e->vi;
    e->info.pInputAssemblyState = &e->ia;
    e->info.pTessellationState = &e->ts;
    e->info.pViewportState = &e->vp;
    e->info.pRasterizationState = &e->rs;
    e->info.pMultisampleState = &e->ms;
    e->info.pDepthStencilState = &e->ds;
    e->info.pColorBlendState = &e->cb;
    e->dynamic = vk_struct_init(VkPipelineDynamicStateCreateInfo);
    e->dynamic.pDynamicStates = e->states;
    e->info.pDynamicState = &e->dynamic;
}

static void make_dynamic(struct everything *e, VkDynamicState state)
{
    e->states[e->dynamic.dynamicStateCount++] = state;
}

static void make_all_dynamic(struct everything *e)
{
    static const VkDynamicState bases[] = {0,          1000099000, 1000143000, 1000226000, 1000259000,
                                           1000267000, 1000352000, 1000377000, 1000381000, 1000455000};
    for (uint32_t i = 0; i < ARRAY_SIZE(bases); i++) {
        for (uint32_t j = 0; j < 33; j++) {
            if (vk_dynamic_state_rows((VkDynamicState)(bases[i] + j)))
                make_dynamic(e, (VkDynamicState)(bases[i] + j));
        }
    }
}

static void forbid_all(VkGraphicsPipelineCreateInfo *info)
{
    info->pVertexInputState = GARBAGE;
    info->pInputAssemblyState = GARBAGE;
    info->pTessellationState = GARBAGE;
    info->pViewportState = GARBAGE;
    info->pRasterizationState = GARBAGE;
    info->pMultisampleState = GARBAGE;
    info->pDepthStencilState = GARBAGE;
    info->pColorBlendState = GARBAGE;
}

static struct vk_graphics_state fill_state(const struct everything *e, const struct vk_rendering_formats *subpass)
{
    struct vk_graphics_state state;
    vk_graphics_state_init(&state);
    vk_graphics_state_fill(&state, &e->info, subpass, VK_GRAPHICS_STATE_ANY_TOPOLOGY);
    return state;
}

/* ---- all static ---- */

static void check_geometry(const struct vk_dynamic_graphics_state *dyn)
{
    assert_int_equal(dyn->vi.binding_mask, 1u << 3 | 1u << 7);
    assert_int_equal(dyn->vi.attribute_mask, 1u << 0 | 1u << 9);
    assert_int_equal(dyn->vi.bindings[3].divisor, 1);
    assert_int_equal(dyn->vi.bindings[7].divisor, 5);
    assert_int_equal(dyn->vi.bindings[7].input_rate, VK_VERTEX_INPUT_RATE_INSTANCE);
    assert_int_equal(dyn->vi.strides_B[3], 24);
    assert_int_equal(dyn->vi.strides_B[7], 16);
    assert_int_equal(dyn->vi.attributes[9].binding, 7);
    assert_int_equal(dyn->vi.attributes[9].format, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(dyn->vi.attributes[9].offset_B, 4);
    assert_int_equal(dyn->ia.topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN);
    assert_true(dyn->ia.primitive_restart);
    assert_int_equal(dyn->ts.patch_control_points, 4);
    assert_int_equal(dyn->ts.domain_origin, VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT);
    assert_int_equal(dyn->vp.viewport_count, 2);
    assert_int_equal(dyn->vp.scissor_count, 2);
    assert_true(dyn->vp.viewports[1].maxDepth == 0.5f && dyn->vp.negative_one_to_one);
    assert_int_equal(dyn->vp.scissors[1].extent.height, 8);
    assert_int_equal(dyn->dr.mode, VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT);
    assert_int_equal(dyn->dr.count, 2);
    assert_int_equal(dyn->dr.rectangles[1].offset.x, 9);
    assert_int_equal(dyn->fsr.fragment_size.height, 4);
    assert_int_equal(dyn->fsr.combiners[1], VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR);
}

static void check_rasterization(const struct vk_rasterization_state *rs)
{
    assert_true(rs->depth_clamp_enable && rs->depth_bias_enable && rs->line_stipple_enable && !rs->discard_enable);
    assert_int_equal(rs->depth_clip, VK_DEPTH_CLIP_OFF);
    assert_int_equal(rs->polygon_mode, VK_POLYGON_MODE_LINE);
    assert_int_equal(rs->cull_mode, VK_CULL_MODE_BACK_BIT);
    assert_int_equal(rs->front_face, VK_FRONT_FACE_CLOCKWISE);
    assert_int_equal(rs->conservative_mode, VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT);
    assert_int_equal(rs->provoking_vertex, VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
    assert_int_equal(rs->stream, 3);
    assert_int_equal(rs->line_mode, VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT);
    assert_int_equal(rs->line_stipple.factor, 256);
    assert_int_equal(rs->line_stipple.pattern, 0xf0f0);
    assert_true(rs->line_width == 4 && rs->extra_overestimation == 0.75f);
    assert_true(rs->depth_bias.constant == 1 && rs->depth_bias.clamp == 2 && rs->depth_bias.slope == 3);
}

static void check_depth_stencil(const struct vk_depth_stencil_state *ds)
{
    assert_true(ds->depth_test_enable && ds->depth_write_enable && ds->depth_bounds_test_enable);
    assert_true(ds->stencil_test_enable && ds->depth_bounds.min == 0.25f && ds->depth_bounds.max == 0.5f);
    assert_int_equal(ds->depth_compare_op, VK_COMPARE_OP_GREATER);
    assert_int_equal(ds->stencil_ops[VK_STENCIL_FRONT].fail, 1);
    assert_int_equal(ds->stencil_ops[VK_STENCIL_FRONT].pass, 2);
    assert_int_equal(ds->stencil_ops[VK_STENCIL_BACK].depth_fail, 6);
    assert_int_equal(ds->stencil_ops[VK_STENCIL_BACK].compare, VK_COMPARE_OP_EQUAL);
    assert_int_equal(ds->stencil_compare_mask[VK_STENCIL_FRONT], 0xf1);
    assert_int_equal(ds->stencil_write_mask[VK_STENCIL_BACK], 0xe2);
    assert_int_equal(ds->stencil_reference[VK_STENCIL_BACK], 0xe3);
}

static void check_output(const struct vk_graphics_state *state)
{
    const struct vk_multisample_state *ms = &state->dyn.ms;
    const struct vk_color_blend_state *cb = &state->dyn.cb;
    assert_true(state->sample_shading_enable && state->min_sample_shading == 0.5f);
    assert_int_equal(ms->samples, 4);
    assert_int_equal(ms->sample_mask, 0x12345678);
    assert_true(ms->alpha_to_coverage && ms->alpha_to_one && ms->sample_locations_enable);
    assert_int_equal(ms->sample_locations.count, 4);
    assert_true(ms->sample_locations.at[3].y == 0.75f);
    assert_int_equal(cb->attachment_count, 2);
    assert_true(cb->logic_op_enable && cb->constants[3] == 0.125f);
    assert_int_equal(cb->logic_op, VK_LOGIC_OP_NOR);
    assert_int_equal(cb->blend_enables, 2);
    assert_int_equal(cb->color_write_enables, 0xfd);
    assert_int_equal(cb->write_masks[1], 0xb);
    assert_int_equal(cb->equations[1].src_color, VK_BLEND_FACTOR_SRC1_COLOR);
    assert_int_equal(cb->equations[1].dst_alpha, VK_BLEND_FACTOR_CONSTANT_ALPHA);
    assert_int_equal(cb->equations[1].alpha_op, VK_BLEND_OP_REVERSE_SUBTRACT);
    assert_int_equal(state->rendering.color_count, 2);
    assert_int_equal(state->rendering.color_formats[1], VK_FORMAT_R8G8B8A8_SRGB);
    assert_int_equal(state->rendering.stencil_format, VK_FORMAT_D32_SFLOAT_S8_UINT);
    assert_int_equal(state->rendering.feedback_loop, VK_IMAGE_ASPECT_COLOR_BIT);
    assert_int_not_equal(state->color_blend_flags, 0);
}

static void check_everything(const struct vk_graphics_state *state)
{
    check_geometry(&state->dyn);
    check_rasterization(&state->dyn.rs);
    check_depth_stencil(&state->dyn.ds);
    check_output(state);
    assert_int_not_equal(state->depth_stencil_flags, 0);
    assert_int_equal(state->rendering.view_mask, 5);
    assert_int_equal(state->stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT |
                                        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT);
    assert_int_equal(state->subsets, ALL_SUBSETS);
}

static void every_static_value_arrives(void **unused)
{
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state state = fill_state(&e, NULL);
    check_everything(&state);
    assert_int_equal(state.dynamic, 0);
    assert_int_equal(state.dyn.set, VK_DYN_ALL);
    assert_int_equal(state.dyn.fixed, VK_DYN_ALL);
}

static void what_nobody_says_has_its_default(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.rs.pNext = e.vp.pNext = e.ms.pNext = e.cb.pNext = e.vi.pNext = NULL;
    e.info.pNext = &e.rendering; /* the end of its chain */
    e.info.pDynamicState = NULL;
    e.info.flags = 0;
    e.ms.pSampleMask = NULL;
    e.rs.depthClampEnable = VK_FALSE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.rs.depth_clip, VK_DEPTH_CLIP_UNLESS_CLAMP);
    assert_true(vk_depth_clip_enable(&state.dyn.rs));
    state.dyn.rs.depth_clamp_enable = true;
    assert_false(vk_depth_clip_enable(&state.dyn.rs));
    assert_int_equal(state.dyn.rs.line_mode, VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT);
    assert_int_equal(state.dyn.rs.provoking_vertex, VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT);
    assert_int_equal(state.dyn.ms.sample_mask, UINT64_MAX);
    assert_int_equal(state.dyn.cb.color_write_enables, 0xff);
    assert_int_equal(state.dyn.fsr.fragment_size.width, 1);
    assert_int_equal(state.dyn.dr.count, 0);
    assert_int_equal(state.dyn.vi.bindings[7].divisor, 1);
    assert_int_equal(state.rendering.feedback_loop, 0);
    assert_int_equal(state.dyn.set, VK_DYN_ALL);
}

/* ---- what must not be read ---- */

static void a_structure_whose_all_is_dynamic_is_not_read(void **unused)
{
    struct everything e;
    make_everything(&e);
    make_all_dynamic(&e);
    e.info.pVertexInputState = GARBAGE;
    e.info.pInputAssemblyState = GARBAGE;
    e.info.pTessellationState = GARBAGE;
    e.info.pViewportState = GARBAGE;
    e.info.pRasterizationState = GARBAGE;
    e.discard.pDiscardRectangles = GARBAGE;
    e.ms.pSampleMask = GARBAGE;
    e.sample_locations.sampleLocationsInfo.pSampleLocations = GARBAGE;
    e.color_write.pColorWriteEnables = GARBAGE;
    e.cb.pAttachments = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    const uint64_t fixed = VK_DYN(COLOR_ATTACHMENT_COUNT);
    assert_int_equal(state.dyn.set, fixed);
    assert_int_equal(state.dyn.fixed, fixed);
    assert_int_equal(state.dynamic, VK_DYN_ALL & ~fixed);
    assert_true(state.sample_shading_enable); /* never dynamic */
    assert_int_equal(state.dyn.cb.attachment_count, 2);
    /* State beside it in a structure that was read is not kept. */
    assert_int_equal(state.dyn.ms.samples, 1);
    assert_false(state.dyn.ds.depth_test_enable);
    assert_false(state.dyn.cb.logic_op_enable);

    e.info.pMultisampleState = NULL;
    e.info.pDepthStencilState = NULL;
    e.info.pColorBlendState = NULL;
    state = fill_state(&e, NULL);
    assert_false(state.sample_shading_enable);
    assert_int_equal(state.dyn.cb.attachment_count, 2);
}

static void arrays_that_are_dynamic_are_not_read(void **unused)
{
    struct everything e;
    make_everything(&e);
    make_dynamic(&e, VK_DYNAMIC_STATE_VIEWPORT);
    make_dynamic(&e, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT);
    make_dynamic(&e, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT);
    make_dynamic(&e, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    e.vp.pViewports = GARBAGE;
    e.vp.pScissors = GARBAGE;
    e.vp.scissorCount = 0;
    e.info.pVertexInputState = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.dynamic, VK_DYN(VIEWPORTS) | VK_DYN(SCISSOR_COUNT) | VK_DYN(SCISSORS) |
                                        VK_DYN(BLEND_ENABLE) | VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES));
    assert_int_equal(state.dyn.set, VK_DYN_ALL & ~state.dynamic);
    assert_int_equal(state.dyn.vp.viewport_count, 2);
    assert_int_equal(state.dyn.cb.write_masks[1], 0xb);
    assert_int_equal(state.dyn.cb.blend_enables, 0);
    /* vkCmdBindVertexBuffers2 has no say, for its own dynamic state is not there. */
    assert_int_equal(state.dyn.fixed, state.dyn.set | VK_DYN(BINDING_STRIDES));
    make_dynamic(&e, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
    state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.fixed, state.dyn.set);
}

static void a_dynamic_array_may_have_a_static_count(void **unused)
{
    struct everything e;
    make_everything(&e);
    make_dynamic(&e, VK_DYNAMIC_STATE_VIEWPORT);
    make_dynamic(&e, VK_DYNAMIC_STATE_SCISSOR);
    e.vp.pViewports = GARBAGE;
    e.vp.pScissors = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.vp.viewport_count, 2);
    assert_int_equal(state.dyn.vp.scissor_count, 2);
    assert_int_equal(state.dynamic, VK_DYN(VIEWPORTS) | VK_DYN(SCISSORS));
}

static void strides_alone_may_be_dynamic(void **unused)
{
    struct everything e;
    make_everything(&e);
    make_dynamic(&e, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.dynamic, VK_DYN(BINDING_STRIDES));
    assert_int_equal(state.dyn.fixed & VK_DYN(BINDING_STRIDES), 0);
    assert_int_equal(state.dyn.vi.binding_mask, 1u << 3 | 1u << 7);
    assert_int_equal(state.dyn.vi.strides_B[3], 0);
}

static void without_rasterization_nothing_behind_it_is_read(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.rs.rasterizerDiscardEnable = VK_TRUE;
    e.info.pViewportState = GARBAGE;
    e.info.pMultisampleState = GARBAGE;
    e.info.pDepthStencilState = GARBAGE;
    e.info.pColorBlendState = GARBAGE;
    e.rendering.pColorAttachmentFormats = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT);
    assert_int_equal(state.rendering.color_count, 0);
    assert_int_equal(state.rendering.view_mask, 5);
    assert_int_equal(state.dyn.ms.samples, 1);
    vk_graphics_state_complete(&state);
    assert_int_equal(state.dyn.set, VK_DYN_ALL);
    assert_int_equal(state.subsets, ALL_SUBSETS);
}

static void dynamic_discard_keeps_what_is_behind_it(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.rs.rasterizerDiscardEnable = VK_TRUE;
    make_dynamic(&e, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
    struct vk_graphics_state state = fill_state(&e, NULL);
    check_everything(&state);
    assert_int_equal(state.dynamic, VK_DYN(RASTERIZER_DISCARD));
}

static void without_attachments_their_state_is_not_read(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.info.pDepthStencilState = GARBAGE;
    e.rendering.depthAttachmentFormat = e.rendering.stencilAttachmentFormat = VK_FORMAT_UNDEFINED;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_false(state.dyn.ds.depth_test_enable);
    assert_int_equal(state.dyn.cb.write_masks[1], 0xb);

    make_everything(&e);
    e.info.pColorBlendState = GARBAGE;
    e.formats[1] = VK_FORMAT_UNDEFINED;
    state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.cb.attachment_count, 2);
    assert_int_equal(state.dyn.cb.write_masks[1], 0);
    check_depth_stencil(&state.dyn.ds);
}

static void a_subpass_says_what_is_attached(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.rendering.pColorAttachmentFormats = GARBAGE; /* a render pass is there: not needed */
    e.info.pColorBlendState = GARBAGE;
    struct vk_rendering_formats subpass = {.view_mask = 3,
                                           .color_count = 1,
                                           .depth_format = VK_FORMAT_D16_UNORM,
                                           .feedback_loop = VK_IMAGE_ASPECT_DEPTH_BIT};
    struct vk_graphics_state state = fill_state(&e, &subpass);
    check_depth_stencil(&state.dyn.ds);
    assert_int_equal(state.rendering.view_mask, 3);
    assert_int_equal(state.rendering.depth_format, VK_FORMAT_D16_UNORM);
    assert_int_equal(state.rendering.feedback_loop, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_COLOR_BIT);
    assert_int_equal(state.dyn.cb.attachment_count, 1);
    assert_int_equal(state.dyn.cb.write_masks[0], 0);
}

static void attachments_say_which_output_they_take(void **unused)
{
    struct everything e;
    make_everything(&e);
    assert_false(fill_state(&e, NULL).rendering.has_locations);
    const uint32_t outputs[2] = {1, VK_ATTACHMENT_UNUSED}, input = 4, none = VK_ATTACHMENT_UNUSED;
    VkRenderingInputAttachmentIndexInfoKHR indices = {.sType =
                                                          VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                                                      .pNext = e.info.pNext,
                                                      .pDepthInputAttachmentIndex = &none,
                                                      .pStencilInputAttachmentIndex = &input};
    VkRenderingAttachmentLocationInfoKHR locations = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
                                                      .pNext = &indices,
                                                      .colorAttachmentCount = 2,
                                                      .pColorAttachmentLocations = outputs};
    e.info.pNext = &locations;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_true(state.rendering.has_locations);
    assert_int_equal(state.rendering.locations[0], 1);
    assert_int_equal(state.rendering.locations[1], VK_NO_LOCATION);
    assert_int_equal(state.rendering.locations[2], VK_NO_LOCATION);
    assert_int_equal(state.rendering.feedback_loop, VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    locations.pColorAttachmentLocations = NULL; /* each its own */
    state = fill_state(&e, NULL);
    assert_int_equal(state.rendering.locations[1], 1);
}

/* Targets in the order of outputs: what takes none is at one that is left. */
static void targets_are_in_the_order_of_outputs(void **unused)
{
    struct vk_rendering_formats formats = {.has_locations = true};
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++)
        formats.locations[i] = (uint8_t)i;
    struct vk_color_slots slots = vk_color_slots_of(&formats);
    assert_false(slots.is_moved);
    assert_int_equal(vk_color_slot(&slots, 3), 3);
    assert_int_equal(vk_color_at_slot(&slots, 3), 3);
    assert_true(vk_color_is_written(&slots, 3));
    assert_int_equal(vk_color_slot_count(&slots, 2), 2);

    memset(formats.locations, VK_NO_LOCATION, sizeof(formats.locations));
    formats.locations[0] = 2;
    formats.locations[2] = 0;
    formats.locations[3] = 7;
    slots = vk_color_slots_of(&formats);
    assert_true(slots.is_moved);
    assert_int_equal(vk_color_slot_count(&slots, 4), VK_MAX_COLOR_ATTACHMENTS);
    const uint8_t of[] = {2, 1, 0, 7, 3, 4, 5, 6};
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        assert_int_equal(vk_color_slot(&slots, i), of[i]);
        assert_int_equal(vk_color_at_slot(&slots, of[i]), i);
        assert_int_equal(vk_color_is_written(&slots, i), i == 0 || i == 2 || i == 3);
    }
    formats.has_locations = false;
    assert_false(vk_color_slots_of(&formats).is_moved);
}

static void attachments_say_by_which_number_they_are_read(void **unused)
{
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_true(state.rendering.has_inputs && state.rendering.color_count == 2);
    assert_int_equal(state.rendering.color_inputs[1], 1); /* their own */
    assert_int_equal(state.rendering.color_inputs[2], VK_NO_LOCATION);
    assert_int_equal(state.rendering.depth_input, VK_NO_LOCATION);
    const uint32_t numbers[2] = {VK_ATTACHMENT_UNUSED, 3}, stencil = 4;
    VkRenderingInputAttachmentIndexInfoKHR indices = {.sType =
                                                          VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                                                      .pNext = e.info.pNext,
                                                      .colorAttachmentCount = 2,
                                                      .pColorAttachmentInputIndices = numbers,
                                                      .pStencilInputAttachmentIndex = &stencil};
    e.info.pNext = &indices;
    state = fill_state(&e, NULL);
    assert_int_equal(state.rendering.color_inputs[0], VK_NO_LOCATION);
    assert_int_equal(state.rendering.color_inputs[1], 3);
    assert_int_equal(state.rendering.depth_input, VK_NO_LOCATION);
    assert_int_equal(state.rendering.stencil_input, 4);
    const struct vk_rendering_formats subpass = {.color_count = 1};
    assert_false(fill_state(&e, &subpass).rendering.has_inputs);
}

static void a_mesh_shader_takes_the_place_of_vertex_input(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.stages[0].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
    e.info.stageCount = 2;
    e.info.pVertexInputState = GARBAGE;
    e.info.pInputAssemblyState = GARBAGE;
    e.info.pTessellationState = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.vi.binding_mask, 0);
    assert_int_equal(state.dyn.ts.patch_control_points, 0);
}

static void a_dynamic_topology_has_a_class_unless_all_are_one(void **unused)
{
    struct everything e;
    struct vk_graphics_state state;
    make_everything(&e);
    make_dynamic(&e, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY);
    make_dynamic(&e, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE);
    vk_graphics_state_init(&state);
    vk_graphics_state_fill(&state, &e.info, NULL, 0);
    assert_int_equal(state.dyn.ia.topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN);
    assert_false(state.dyn.ia.primitive_restart);
    assert_int_equal(state.dyn.set & VK_DYN_GROUP_INPUT_ASSEMBLY, 0);
    e.info.pInputAssemblyState = GARBAGE;
    state = fill_state(&e, NULL);
    assert_int_equal(state.dyn.ia.topology, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
}

/* ---- libraries ---- */

static struct vk_graphics_state make_library(VkGraphicsPipelineLibraryFlagsEXT subsets, bool dynamic)
{
    struct everything e;
    make_everything(&e);
    if (dynamic)
        make_all_dynamic(&e);
    VkGraphicsPipelineCreateInfo valid = e.info;
    forbid_all(&e.info);
    e.info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    e.subsets.flags = subsets;
    vk_append_struct(&e.info, &e.subsets);
    if (subsets & VERTEX_INPUT) {
        e.info.pVertexInputState = valid.pVertexInputState;
        e.info.pInputAssemblyState = valid.pInputAssemblyState;
    }
    if (subsets & PRE_RASTERIZATION) {
        e.info.pTessellationState = valid.pTessellationState;
        e.info.pViewportState = valid.pViewportState;
        e.info.pRasterizationState = valid.pRasterizationState;
    }
    if (subsets & (FRAGMENT_SHADER | FRAGMENT_OUTPUT))
        e.info.pMultisampleState = valid.pMultisampleState;
    if (subsets & FRAGMENT_SHADER)
        e.info.pDepthStencilState = valid.pDepthStencilState;
    if (subsets & FRAGMENT_OUTPUT)
        e.info.pColorBlendState = valid.pColorBlendState;
    else
        e.rendering.pColorAttachmentFormats = GARBAGE;
    if (!(subsets & (PRE_RASTERIZATION | FRAGMENT_SHADER)))
        e.info.pStages = GARBAGE;
    struct vk_graphics_state state = fill_state(&e, NULL);
    assert_int_equal(state.subsets, subsets);
    return state;
}

/* In any order, in any grouping: the same as all at once. */
static void libraries_make_the_same_pipeline(void **unused)
{
    static const VkGraphicsPipelineLibraryFlagsEXT ways[][4] = {
        {VERTEX_INPUT, PRE_RASTERIZATION, FRAGMENT_SHADER, FRAGMENT_OUTPUT},
        {FRAGMENT_OUTPUT, FRAGMENT_SHADER, PRE_RASTERIZATION, VERTEX_INPUT},
        {FRAGMENT_OUTPUT | VERTEX_INPUT, FRAGMENT_SHADER | PRE_RASTERIZATION},
        {FRAGMENT_SHADER, ALL_SUBSETS & ~FRAGMENT_SHADER},
        {ALL_SUBSETS},
    };
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state whole = fill_state(&e, NULL);
    for (uint32_t i = 0; i < ARRAY_SIZE(ways); i++) {
        struct vk_graphics_state linked;
        vk_graphics_state_init(&linked);
        for (uint32_t j = 0; j < 4 && ways[i][j]; j++) {
            struct vk_graphics_state library = make_library(ways[i][j], false);
            vk_graphics_state_merge(&linked, &library);
        }
        check_everything(&linked);
        assert_int_equal(vk_dynamic_rows_differ(&linked.dyn, &whole.dyn, VK_DYN_ALL), 0);
        assert_int_equal(linked.dyn.set, VK_DYN_ALL);
        assert_int_equal(linked.dyn.fixed, VK_DYN_ALL);
    }
}

/* Libraries of the fragment shader and of the attachments, in any order: the numbers of inputs are the former's. */
static void inputs_come_with_the_fragment_shader(void **unused)
{
    static const VkGraphicsPipelineLibraryFlagsEXT ways[][2] = {{FRAGMENT_SHADER, ALL_SUBSETS & ~FRAGMENT_SHADER},
                                                                {ALL_SUBSETS & ~FRAGMENT_SHADER, FRAGMENT_SHADER}};
    const uint32_t numbers[2] = {VK_ATTACHMENT_UNUSED, 0};
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(ways); i++) {
        const bool is_said = i & 1;
        struct vk_graphics_state linked;
        vk_graphics_state_init(&linked);
        for (uint32_t j = 0; j < 2; j++) {
            struct everything e;
            make_everything(&e);
            VkRenderingInputAttachmentIndexInfoKHR indices = {
                .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                .pNext = e.info.pNext,
                .colorAttachmentCount = 2,
                .pColorAttachmentInputIndices = numbers};
            if (is_said && ways[i / 2][j] & FRAGMENT_SHADER)
                e.info.pNext = &indices;
            e.info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
            e.subsets.flags = ways[i / 2][j];
            vk_append_struct(&e.info, &e.subsets);
            struct vk_graphics_state library = fill_state(&e, NULL);
            vk_graphics_state_merge(&linked, &library);
        }
        assert_true(linked.rendering.has_inputs);
        assert_int_equal(linked.rendering.color_count, 2);
        assert_int_equal(linked.rendering.color_inputs[0], is_said ? VK_NO_LOCATION : 0);
        assert_int_equal(linked.rendering.color_inputs[1], is_said ? 0 : 1);
    }
}

static void the_last_subset_may_come_from_the_create_info_itself(void **unused)
{
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state linked, library = make_library(ALL_SUBSETS & ~FRAGMENT_OUTPUT, false);
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &library);
    forbid_all(&e.info);
    e.info.pMultisampleState = &e.ms;
    e.info.pColorBlendState = &e.cb;
    e.info.pStages = GARBAGE;
    e.info.stageCount = 0;
    e.subsets.flags = FRAGMENT_OUTPUT;
    vk_append_struct(&e.info, &e.subsets);
    vk_graphics_state_fill(&linked, &e.info, NULL, 0);
    check_everything(&linked);
    assert_int_equal(linked.dyn.set, VK_DYN_ALL);
}

static void a_create_info_adds_only_its_own_subset(void **unused)
{
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state linked, library = make_library(ALL_SUBSETS & ~FRAGMENT_SHADER, false);
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &library);
    forbid_all(&e.info);
    e.info.pMultisampleState = &e.ms;
    e.info.pDepthStencilState = &e.ds;
    e.rendering.pColorAttachmentFormats = GARBAGE;
    e.subsets.flags = FRAGMENT_SHADER;
    vk_append_struct(&e.info, &e.subsets);
    vk_graphics_state_fill(&linked, &e.info, NULL, 0);
    check_everything(&linked);
    /* State that is known stays as it is. */
    forbid_all(&e.info);
    e.subsets.flags = ALL_SUBSETS;
    vk_graphics_state_fill(&linked, &e.info, NULL, 0);
    check_everything(&linked);
}

static void the_view_mask_is_the_shaders(void **unused)
{
    struct everything e;
    make_everything(&e);
    struct vk_graphics_state linked, library = make_library(ALL_SUBSETS & ~FRAGMENT_OUTPUT, false);
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &library);
    e.subsets.flags = FRAGMENT_OUTPUT;
    vk_append_struct(&e.info, &e.subsets);
    struct vk_rendering_formats subpass = {.view_mask = 3, .depth_format = VK_FORMAT_D16_UNORM};
    vk_graphics_state_fill(&linked, &e.info, &subpass, 0);
    assert_int_equal(linked.rendering.view_mask, 5);
    assert_int_equal(linked.rendering.depth_format, VK_FORMAT_D16_UNORM);
}

static void a_library_keeps_its_own_dynamic_state(void **unused)
{
    struct vk_graphics_state linked;
    struct vk_graphics_state vertex = make_library(VERTEX_INPUT | PRE_RASTERIZATION, false);
    struct vk_graphics_state fragment = make_library(FRAGMENT_SHADER, true);
    assert_int_equal(fragment.dynamic, VK_DYN_GROUP_DEPTH_STENCIL); /* states of other subsets have no effect */
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &fragment);
    vk_graphics_state_merge(&linked, &vertex);
    assert_int_equal(linked.dynamic, VK_DYN_GROUP_DEPTH_STENCIL);
    assert_int_equal(linked.dyn.set, VK_DYN_SUBSET_VERTEX_INPUT_INTERFACE | VK_DYN_SUBSET_PRE_RASTERIZATION_SHADERS);
    assert_true(linked.sample_shading_enable);
}

static void linking_alone_reads_nothing(void **unused)
{
    struct everything e;
    make_everything(&e);
    forbid_all(&e.info);
    e.info.pStages = GARBAGE;
    e.info.pDynamicState = GARBAGE;
    VkPipelineLibraryCreateInfoKHR libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    libraries.libraryCount = 1;
    vk_append_struct(&e.info, &libraries);
    assert_int_equal(vk_graphics_pipeline_subsets(&e.info), 0);
    struct vk_graphics_state linked, library = make_library(ALL_SUBSETS, false);
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &library);
    vk_graphics_state_fill(&linked, &e.info, NULL, 0);
    check_everything(&linked);
}

static void subsets_follow_from_flags_and_libraries(void **unused)
{
    VkGraphicsPipelineCreateInfo info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    VkPipelineLibraryCreateInfoKHR libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    VkGraphicsPipelineLibraryCreateInfoEXT subsets = vk_struct_init(VkGraphicsPipelineLibraryCreateInfoEXT);
    assert_int_equal(vk_graphics_pipeline_subsets(&info), ALL_SUBSETS);
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    assert_int_equal(vk_graphics_pipeline_subsets(&info), 0);
    info.flags = 0;
    info.pNext = &libraries;
    assert_int_equal(vk_graphics_pipeline_subsets(&info), ALL_SUBSETS);
    libraries.libraryCount = 2;
    assert_int_equal(vk_graphics_pipeline_subsets(&info), 0);
    subsets.flags = FRAGMENT_SHADER | FRAGMENT_OUTPUT;
    libraries.pNext = &subsets;
    assert_int_equal(vk_graphics_pipeline_subsets(&info), FRAGMENT_SHADER | FRAGMENT_OUTPUT);
}

/* The pre-rasterization library has it off: the fragment subsets of the linking create info are not there. */
static void a_library_without_rasterization_ends_what_follows(void **unused)
{
    struct everything e;
    make_everything(&e);
    e.rs.rasterizerDiscardEnable = VK_TRUE;
    e.subsets.flags = VERTEX_INPUT | PRE_RASTERIZATION;
    vk_append_struct(&e.info, &e.subsets);
    struct vk_graphics_state linked, library = fill_state(&e, NULL);
    vk_graphics_state_init(&linked);
    vk_graphics_state_merge(&linked, &library);
    forbid_all(&e.info);
    e.rendering.pColorAttachmentFormats = GARBAGE;
    e.subsets.flags = FRAGMENT_SHADER | FRAGMENT_OUTPUT;
    vk_graphics_state_fill(&linked, &e.info, NULL, 0);
    vk_graphics_state_complete(&linked);
    assert_int_equal(linked.dyn.set, VK_DYN_ALL);
    assert_true(linked.dyn.rs.discard_enable);
    assert_int_equal(linked.stages & VK_SHADER_STAGE_FRAGMENT_BIT, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_static_value_arrives),
        cmocka_unit_test(what_nobody_says_has_its_default),
        cmocka_unit_test(a_structure_whose_all_is_dynamic_is_not_read),
        cmocka_unit_test(arrays_that_are_dynamic_are_not_read),
        cmocka_unit_test(a_dynamic_array_may_have_a_static_count),
        cmocka_unit_test(strides_alone_may_be_dynamic),
        cmocka_unit_test(without_rasterization_nothing_behind_it_is_read),
        cmocka_unit_test(dynamic_discard_keeps_what_is_behind_it),
        cmocka_unit_test(without_attachments_their_state_is_not_read),
        cmocka_unit_test(a_subpass_says_what_is_attached),
        cmocka_unit_test(attachments_say_which_output_they_take),
        cmocka_unit_test(attachments_say_by_which_number_they_are_read),
        cmocka_unit_test(a_mesh_shader_takes_the_place_of_vertex_input),
        cmocka_unit_test(a_dynamic_topology_has_a_class_unless_all_are_one),
        cmocka_unit_test(libraries_make_the_same_pipeline),
        cmocka_unit_test(inputs_come_with_the_fragment_shader),
        cmocka_unit_test(the_last_subset_may_come_from_the_create_info_itself),
        cmocka_unit_test(a_create_info_adds_only_its_own_subset),
        cmocka_unit_test(the_view_mask_is_the_shaders),
        cmocka_unit_test(a_library_keeps_its_own_dynamic_state),
        cmocka_unit_test(targets_are_in_the_order_of_outputs),
        cmocka_unit_test(linking_alone_reads_nothing),
        cmocka_unit_test(subsets_follow_from_flags_and_libraries),
        cmocka_unit_test(a_library_without_rasterization_ends_what_follows),
    };
    return cmocka_run_group_tests_name("graphics state", tests, NULL, NULL);
}
