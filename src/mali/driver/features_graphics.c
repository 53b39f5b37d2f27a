/* What the driver advertises of graphics and images. Only what works and is tested has a line. */
#include "mali/driver/device.h"

void mali_add_graphics_extensions(struct vk_device_extensions *extensions)
{
    extensions->KHR_create_renderpass2 = true;
    extensions->KHR_depth_stencil_resolve = true;
    extensions->KHR_draw_indirect_count = true;
    extensions->KHR_dynamic_rendering = true;
    extensions->KHR_format_feature_flags2 = true;
    extensions->KHR_image_format_list = true;
    extensions->KHR_imageless_framebuffer = true;
    extensions->KHR_maintenance2 = true;
    extensions->EXT_image_robustness = true;
    extensions->KHR_sampler_mirror_clamp_to_edge = true;
    extensions->KHR_separate_depth_stencil_layouts = true;
    extensions->KHR_shader_draw_parameters = true;
    extensions->EXT_4444_formats = true;
    extensions->EXT_color_write_enable = true;
    extensions->EXT_custom_border_color = true;
    extensions->EXT_depth_clip_control = true;
    extensions->EXT_depth_clip_enable = true;
    extensions->EXT_extended_dynamic_state = true;
    extensions->EXT_extended_dynamic_state2 = true;
    extensions->EXT_image_drm_format_modifier = true;
    extensions->EXT_index_type_uint8 = true;
    extensions->EXT_line_rasterization = true;
    extensions->EXT_load_store_op_none = true;
    extensions->EXT_multi_draw = true;
    extensions->EXT_non_seamless_cube_map = true;
    extensions->EXT_primitive_topology_list_restart = true;
    extensions->EXT_separate_stencil_usage = true;
    extensions->EXT_vertex_input_dynamic_state = true;
}

void mali_add_graphics_features(struct vk_features *features)
{
    /* 1.0 */
    features->fullDrawIndexUint32 = true;
    features->imageCubeArray = true;
    features->independentBlend = true;
    features->multiDrawIndirect = true;
    features->drawIndirectFirstInstance = true;
    features->occlusionQueryPrecise = true;
    features->fragmentStoresAndAtomics = true;
    features->sampleRateShading = true;
    features->depthClamp = true;
    features->depthBiasClamp = true;
    features->wideLines = true;
    features->largePoints = true;
    features->samplerAnisotropy = true;
    features->textureCompressionETC2 = true;
    features->textureCompressionASTC_LDR = true;
    features->textureCompressionBC = true;
    /* 1.1 */
    features->shaderDrawParameters = true;
    /* 1.2 */
    features->drawIndirectCount = true;
    features->imagelessFramebuffer = true;
    features->samplerMirrorClampToEdge = true;
    features->separateDepthStencilLayouts = true;
    /* 1.3 */
    features->dynamicRendering = true;
    features->robustImageAccess = true;
    features->shaderDemoteToHelperInvocation = true;
    features->shaderTerminateInvocation = true;
    /* extensions */
    features->extendedDynamicState = true;
    features->extendedDynamicState2 = true;
    features->formatA4R4G4B4 = true;
    features->formatA4B4G4R4 = true;
    features->colorWriteEnable = true;
    features->customBorderColors = true;
    features->customBorderColorWithoutFormat = true;
    features->depthClipControl = true;
    features->depthClipEnable = true;
    features->rectangularLines = true;
    features->bresenhamLines = true;
    features->nonSeamlessCubeMap = true;
    features->primitiveTopologyListRestart = true;
    features->vertexInputDynamicState = true;
    features->indexTypeUint8 = true;
    features->multiDraw = true;
}
