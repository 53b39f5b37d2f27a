/* Shader objects beside pipelines: each scene is drawn by a pipeline and by objects, in five ways, and the pictures
 * must be the same. What the pictures must be other groups know. */
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/object_depth_frag.h"
#include "shaders/object_dual_frag.h"
#include "shaders/object_interpolate_frag.h"
#include "shaders/object_interpolate_vert.h"
#include "shaders/object_point_vert.h"
#include "shaders/object_targets_frag.h"
#include "shaders/object_uint_frag.h"
#include "shaders/object_uint_vert.h"
#include "shaders/object_viewport_vert.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- assembly and rasterization ---- */

static void topology(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.assembly.topology = (VkPrimitiveTopology)argument;
    if (argument == VK_PRIMITIVE_TOPOLOGY_POINT_LIST) {
        scene->graphics.vertex_code = VT_SPIRV(object_point_vert);
        scene->push[0] = 5;
    }
}

static void draw_restarts(struct vt *vt, struct scene *scene, int argument)
{
    static const uint16_t indices[] = {0, 1, 2, 0xffff, 3, 4, 5, 6, 0xffff, 8, 7, 1};
    scene_init_plain(vt, scene);
    scene->graphics.assembly.topology = (VkPrimitiveTopology)argument;
    scene->graphics.assembly.primitiveRestartEnable = true;
    memcpy(scene->indices, indices, sizeof(indices));
    scene->num_indices = COUNT_OF(indices);
}

static void draw_culled(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.raster.cullMode = (VkCullModeFlags)(argument & 3);
    scene->graphics.raster.frontFace = (VkFrontFace)(argument >> 2);
    scene->is_blank = (argument & 3) == VK_CULL_MODE_FRONT_AND_BACK;
}

static void polygons(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features.features.fillModeNonSolid, "no polygons of lines");
    scene_init_plain(vt, scene);
    scene->graphics.vertex_code = VT_SPIRV(object_point_vert);
    scene->push[0] = 1;
    scene->graphics.raster.polygonMode = (VkPolygonMode)argument;
}

static void draw_discarded(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.raster.rasterizerDiscardEnable = true;
    scene->is_blank = true;
}

enum {
    LINE_WIDE,
    LINE_BRESENHAM,
    LINE_STIPPLED,
};

static void lines(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    if (argument == LINE_WIDE) {
        scene_needs(vt, vt->features.features.wideLines, "no wide lines");
        scene->graphics.raster.lineWidth = 4;
        return;
    }
    scene_needs(vt, vt->has[VT_LINE_RASTERIZATION], "no line rasterization");
    VkPhysicalDeviceLineRasterizationFeaturesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    scene_needs(vt, about.bresenhamLines, "no lines by Bresenham");
    scene_needs(vt, argument != LINE_STIPPLED || about.stippledBresenhamLines, "no stippled lines");
    scene->more.line_mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    scene->more.stipple = argument == LINE_STIPPLED ? 0x3c5a : 0;
}

static void provoking(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->has[VT_PROVOKING_VERTEX], "no provoking vertices");
    scene_init_plain(vt, scene);
    scene->graphics.vertex_code = VT_SPIRV(object_interpolate_vert);
    scene->graphics.fragment_code = VT_SPIRV(object_interpolate_frag);
    scene->graphics.fragment_constants = vt_constants(&scene->constants, 1, (const int32_t[]){1});
    scene->more.provoking = (VkProvokingVertexModeEXT)argument;
}

static void interpolated(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.vertex_code = VT_SPIRV(object_interpolate_vert);
    scene->graphics.fragment_code = VT_SPIRV(object_interpolate_frag);
    scene->graphics.fragment_constants = vt_constants(&scene->constants, 1, &argument);
    for (uint32_t i = 0; i < scene->num_vertices; i++) {
        for (uint32_t n = 0; n < 4; n++)
            scene->vertices[i].position[n] *= (float)(1 + i % 3);
    }
}

static void conservative(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->has[VT_CONSERVATIVE], "no conservative rasterization");
    scene_init_plain(vt, scene);
    scene->more.conservative = VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
}

enum {
    VIEWPORT_SMALL,
    VIEWPORT_FLIPPED,
    VIEWPORT_SCISSOR,
    VIEWPORT_FOUR,
};

static void viewports(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    struct vt_graphics *graphics = &scene->graphics;
    if (argument == VIEWPORT_SMALL)
        graphics->viewports[0] = (VkViewport){7, 13, 40, 29, 0.25f, 0.75f};
    else if (argument == VIEWPORT_FLIPPED)
        graphics->viewports[0] = (VkViewport){0, SIZE, SIZE, -SIZE, 0, 1};
    else if (argument == VIEWPORT_SCISSOR)
        graphics->scissors[0] = (VkRect2D){{5, 9}, {31, 40}};
    if (argument != VIEWPORT_FOUR)
        return;
    scene_needs(vt, vt->features12.shaderOutputViewportIndex && vt->features.features.multiViewport,
                "no viewport index");
    graphics->vertex_code = VT_SPIRV(object_viewport_vert);
    graphics->vertex.vertexBindingDescriptionCount = graphics->vertex.vertexAttributeDescriptionCount = 0;
    graphics->viewport.viewportCount = graphics->viewport.scissorCount = 4;
    for (uint32_t i = 0; i < 4; i++) {
        graphics->viewports[i] = (VkViewport){(float)(i & 1) * 32, (float)(i >> 1) * 32, 30, 29, 0, 1};
        graphics->scissors[i] = (VkRect2D){{(int32_t)(i * 3), 4}, {56, 55}};
    }
    scene->num_vertices = 3;
    scene->instances = 4;
}

/* ---- depth and stencil ---- */

static void depth_scene(struct vt *vt, struct scene *scene)
{
    scene_init_plain(vt, scene);
    vt_add_depth(vt, &scene->target, VK_FORMAT_D32_SFLOAT);
    scene->graphics.depth.depthTestEnable = scene->graphics.depth.depthWriteEnable = true;
    scene->graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
}

static void compare_depth(struct vt *vt, struct scene *scene, int argument)
{
    depth_scene(vt, scene);
    scene->graphics.depth.depthCompareOp = (VkCompareOp)argument;
    scene->target.clear_depth.depthStencil.depth = 0.5f;
    scene->is_blank = argument == VK_COMPARE_OP_NEVER;
}

enum {
    DEPTH_READ_ONLY,
    DEPTH_BIASED,
    DEPTH_BOUNDED,
    DEPTH_CLAMPED,
    DEPTH_CLIPPED_TOO,
    DEPTH_FROM_MINUS_ONE,
    DEPTH_OUT,
    DEPTH_ALONE,
};

static void depth_more(struct vt *vt, struct scene *scene, int argument)
{
    const VkPhysicalDeviceFeatures *features = &vt->features.features;
    depth_scene(vt, scene);
    struct vt_graphics *graphics = &scene->graphics;
    switch (argument) {
    case DEPTH_READ_ONLY:
        graphics->depth.depthWriteEnable = false;
        break;
    case DEPTH_BIASED:
        graphics->raster.depthBiasEnable = true;
        graphics->raster.depthBiasConstantFactor = -1e6f;
        graphics->raster.depthBiasSlopeFactor = 2;
        break;
    case DEPTH_BOUNDED:
        scene_needs(vt, features->depthBounds, "no depth bounds");
        graphics->depth.depthBoundsTestEnable = true;
        graphics->depth.minDepthBounds = 0.45f;
        break;
    case DEPTH_CLIPPED_TOO:
        scene_needs(vt, vt->has[VT_DEPTH_CLIP_ENABLE], "no depth clipping apart");
        scene->more.has_clip = scene->more.clip = true;
        /* fall through */
    case DEPTH_CLAMPED:
        scene_needs(vt, features->depthClamp, "no depth clamping");
        graphics->raster.depthClampEnable = true;
        for (uint32_t i = 0; i < scene->num_vertices; i++)
            scene->vertices[i].position[2] = scene->vertices[i].position[2] * 3 - 1;
        break;
    case DEPTH_FROM_MINUS_ONE:
        scene_needs(vt, vt->has[VT_DEPTH_CLIP_CONTROL], "no depth from -1");
        scene->more.from_minus_one = true;
        for (uint32_t i = 0; i < scene->num_vertices; i++)
            scene->vertices[i].position[2] = scene->vertices[i].position[2] * 2 - 1;
        break;
    case DEPTH_OUT:
        graphics->fragment_code = VT_SPIRV(object_depth_frag);
        graphics->fragment_constants = vt_constants(&scene->constants, 1, (const int32_t[]){3});
        break;
    case DEPTH_ALONE:
        scene->target.color_count = 0;
        graphics->fragment_code = (struct vt_spirv){NULL, 0};
        break;
    default:
        break;
    }
}

static void stencil(struct vt *vt, struct scene *scene, int argument)
{
    static const VkFormat formats[] = {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT};
    VkFormatProperties properties;
    scene_init_plain(vt, scene);
    vkGetPhysicalDeviceFormatProperties(vt->physical, formats[0], &properties);
    vt_add_depth(vt, &scene->target,
                 formats[!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)]);
    scene->target.clear_depth.depthStencil.stencil = 5;
    VkPipelineDepthStencilStateCreateInfo *depth = &scene->graphics.depth;
    depth->stencilTestEnable = true;
    depth->front = (VkStencilOpState){.failOp = VK_STENCIL_OP_KEEP,
                                      .passOp = argument ? VK_STENCIL_OP_INVERT : VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                      .depthFailOp = VK_STENCIL_OP_ZERO,
                                      .compareOp = argument ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_EQUAL,
                                      .compareMask = argument ? 0x0f : 0xff,
                                      .writeMask = argument ? 0xfe : 0xff,
                                      .reference = argument ? 7 : 5};
    depth->back = depth->front;
    depth->back.passOp = VK_STENCIL_OP_REPLACE;
    depth->back.reference = argument ? 9 : 5;
}

/* ---- colours ---- */

static void draw_blended(struct vt *vt, struct scene *scene, int argument)
{
    static const VkPipelineColorBlendAttachmentState states[] = {
        {VK_TRUE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE,
         VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, 0xf},
        {VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE,
         VK_BLEND_OP_MAX, 0xf},
        {VK_TRUE, VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA, VK_BLEND_OP_SUBTRACT,
         VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_OP_REVERSE_SUBTRACT, 0xf},
        {VK_TRUE, VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_SRC_COLOR, VK_BLEND_OP_MIN, VK_BLEND_FACTOR_ONE,
         VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, 0xb},
        {VK_TRUE, VK_BLEND_FACTOR_SRC1_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA, VK_BLEND_OP_ADD,
         VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_OP_ADD, 0xf},
    };
    scene_init_plain(vt, scene);
    if (argument == 4) {
        scene_needs(vt, vt->features.features.dualSrcBlend, "no second source");
        scene->graphics.fragment_code = VT_SPIRV(object_dual_frag);
    }
    scene->graphics.blends[0] = states[argument];
    memcpy(scene->graphics.blend.blendConstants, (const float[4]){0.5f, 0.25f, 0.75f, 0.125f}, 16);
    scene->target.clears[0] = (VkClearValue){.color.float32 = {0.25f, 0.5f, 0.125f, 0.5f}};
    scene->is_rounded = true;
}

static void logic(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features.features.logicOp, "no logic operations");
    scene_init_plain(vt, scene);
    scene->graphics.blend.logicOpEnable = true;
    scene->graphics.blend.logicOp = (VkLogicOp)argument;
    scene->target.clears[0] = (VkClearValue){.color.float32 = {0.25f, 0.5f, 0.125f, 0.5f}};
    scene->is_blank = argument == VK_LOGIC_OP_NO_OP;
    /* A bit that is rounded otherwise makes another result: the shader is to know its target. */
    if (vt->way)
        scene->graphics.way = &vt_library_ways[VT_LIBRARY_WAYS - 1];
}

static void masked(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.blends[0].colorWriteMask = (VkColorComponentFlags)argument;
    scene->is_blank = argument == 0;
}

static void hidden(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->has[VT_COLOR_WRITE_ENABLE], "no colour write enables");
    scene_init_plain(vt, scene);
    scene->graphics.fragment_code = VT_SPIRV(object_targets_frag);
    vt_add_color(vt, &scene->target, RGBA8);
    scene->more.hidden_colors = (uint32_t)argument;
    scene->is_blank = argument >> 1 & 1;
}

static void targets(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.fragment_code = VT_SPIRV(object_targets_frag);
    while (scene->target.color_count < (uint32_t)argument)
        vt_add_color(vt, &scene->target,
                     scene->target.color_count & 1 ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_B8G8R8A8_UNORM);
}

static void format(struct vt *vt, struct scene *scene, int argument)
{
    vt_need_features(vt, (VkFormat)argument, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
    scene_init(vt, scene, (VkFormat)argument, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&scene->graphics);
    scene->is_rounded = true;
}

static void integers(struct vt *vt, struct scene *scene, int argument)
{
    vt_need_features(vt, (VkFormat)argument, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
    scene_init(vt, scene, (VkFormat)argument, VT_SPIRV(object_uint_vert), VT_SPIRV(object_uint_frag));
    vt_use_vertices(&scene->graphics);
}

static void samples(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &scene->target, RGBA8);
    scene->resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    scene->target.resolve = &scene->resolved;
    scene->target.resolve_view = vt_view(vt, &scene->resolved, VK_IMAGE_VIEW_TYPE_2D);
    scene->target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    scene->graphics.sample_mask = argument == 1 ? 0x6 : UINT32_MAX;
    scene->graphics.multisample.alphaToCoverageEnable = argument == 2;
    scene->is_rounded = true;
}

/* ---- the table ---- */

const struct vt_case vt_shader_object_scenes[] = {
    SCENE("triangles", topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST),
    BOTH("points", topology, VK_PRIMITIVE_TOPOLOGY_POINT_LIST),
    BOTH("lines", topology, VK_PRIMITIVE_TOPOLOGY_LINE_LIST),
    BOTH("line strip", topology, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP),
    BOTH("triangle strip", topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP),
    BOTH("triangle fan", topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN),
    BOTH("restarted strip", draw_restarts, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP),
    BOTH("restarted line strip", draw_restarts, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP),
    BOTH("cull front", draw_culled, VK_CULL_MODE_FRONT_BIT),
    BOTH("cull back", draw_culled, VK_CULL_MODE_BACK_BIT),
    BOTH("cull back, clockwise", draw_culled, VK_CULL_MODE_BACK_BIT | 4),
    BOTH("cull all", draw_culled, VK_CULL_MODE_FRONT_AND_BACK),
    BOTH("polygons as lines", polygons, VK_POLYGON_MODE_LINE),
    BOTH("polygons as points", polygons, VK_POLYGON_MODE_POINT),
    BOTH("rasterizer discard", draw_discarded, 0),
    BOTH("wide lines", lines, LINE_WIDE),
    BOTH("bresenham lines", lines, LINE_BRESENHAM),
    BOTH("stippled lines", lines, LINE_STIPPLED),
    SCENE("flat by the first vertex", provoking, VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT),
    SCENE("flat by the last vertex", provoking, VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT),
    BOTH("smooth", interpolated, 0),
    BOTH("without perspective", interpolated, 2),
    BOTH("at an offset", interpolated, 7),
    BOTH("overestimated", conservative, 0),
    BOTH("small viewport", viewports, VIEWPORT_SMALL),
    BOTH("flipped viewport", viewports, VIEWPORT_FLIPPED),
    BOTH("scissor", viewports, VIEWPORT_SCISSOR),
    SCENE("four viewports", viewports, VIEWPORT_FOUR),
    BOTH("depth never", compare_depth, VK_COMPARE_OP_NEVER),
    BOTH("depth less", compare_depth, VK_COMPARE_OP_LESS),
    BOTH("depth equal", compare_depth, VK_COMPARE_OP_EQUAL),
    BOTH("depth less or equal", compare_depth, VK_COMPARE_OP_LESS_OR_EQUAL),
    BOTH("depth greater", compare_depth, VK_COMPARE_OP_GREATER),
    BOTH("depth not equal", compare_depth, VK_COMPARE_OP_NOT_EQUAL),
    BOTH("depth always", compare_depth, VK_COMPARE_OP_ALWAYS),
    SCENE("depth is not written", depth_more, DEPTH_READ_ONLY),
    BOTH("depth bias", depth_more, DEPTH_BIASED),
    BOTH("depth bounds", depth_more, DEPTH_BOUNDED),
    BOTH("depth clamp", depth_more, DEPTH_CLAMPED),
    BOTH("depth clipped though clamped", depth_more, DEPTH_CLIPPED_TOO),
    BOTH("depth from -1", depth_more, DEPTH_FROM_MINUS_ONE),
    SCENE("depth out of the shader", depth_more, DEPTH_OUT),
    SCENE("depth without a fragment shader", depth_more, DEPTH_ALONE),
    SCENE("stencil counts", stencil, 0),
    SCENE("stencil masks", stencil, 1),
    SCENE("blend over", draw_blended, 0),
    BOTH("blend added", draw_blended, 1),
    BOTH("blend by constants", draw_blended, 2),
    BOTH("blend the less", draw_blended, 3),
    SCENE("blend two sources", draw_blended, 4),
    BOTH("logic xor", logic, VK_LOGIC_OP_XOR),
    BOTH("logic and inverted", logic, VK_LOGIC_OP_AND_INVERTED),
    BOTH("logic no-op", logic, VK_LOGIC_OP_NO_OP),
    BOTH("write mask of red and blue", masked, 5),
    BOTH("write mask of nothing", masked, 0),
    BOTH("first colour hidden", hidden, 1),
    BOTH("second colour hidden", hidden, 2),
    SCENE("three targets", targets, 3),
    SCENE("eight targets", targets, 8),
    BOTH("r8", format, VK_FORMAT_R8_UNORM),
    BOTH("rg8 snorm", format, VK_FORMAT_R8G8_SNORM),
    BOTH("bgra8 srgb", format, VK_FORMAT_B8G8R8A8_SRGB),
    BOTH("rgb10a2", format, VK_FORMAT_A2B10G10R10_UNORM_PACK32),
    BOTH("rgba16", format, VK_FORMAT_R16G16B16A16_UNORM),
    BOTH("rgba16f", format, VK_FORMAT_R16G16B16A16_SFLOAT),
    BOTH("r11g11b10f", format, VK_FORMAT_B10G11R11_UFLOAT_PACK32),
    BOTH("r32f", format, VK_FORMAT_R32_SFLOAT),
    BOTH("rgba32f", format, VK_FORMAT_R32G32B32A32_SFLOAT),
    BOTH("rgba8 uint", integers, VK_FORMAT_R8G8B8A8_UINT),
    BOTH("rgba32 uint", integers, VK_FORMAT_R32G32B32A32_UINT),
    SCENE("four samples", samples, 0),
    BOTH("sample mask", samples, 1),
    BOTH("alpha to coverage", samples, 2),
};
const size_t vt_shader_object_scene_count = COUNT_OF(vt_shader_object_scenes);
