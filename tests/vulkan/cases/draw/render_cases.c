/* Drawing: targets, vertex and index input, the forms of draws, shader inputs and outputs. Which pixels a primitive
 * covers is in raster_cases.c. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/attribute_float_frag.h"
#include "shaders/attribute_float_vert.h"
#include "shaders/attribute_int_frag.h"
#include "shaders/attribute_int_vert.h"
#include "shaders/attribute_uint_vert.h"
#include "shaders/builtin_frag.h"
#include "shaders/effects_frag.h"
#include "shaders/input_frag.h"
#include "shaders/instance_vert.h"
#include "shaders/layer_vert.h"
#include "shaders/mixed_targets_frag.h"
#include "shaders/multiview_vert.h"
#include "shaders/places_vert.h"
#include "shaders/push_frag.h"
#include "shaders/push_vert.h"
#include "shaders/targets_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

static const float red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
static const double constant_color[4] = {0.2, 0.4, 0.6, 0.8};

/* ---- targets ---- */

/* Nothing is drawn: the load operation alone. */
static void case_clear(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, 64, 48);
    target.clears[0].color = (VkClearColorValue){.float32 = {1, 0.2f, 0.4f, 0.6f}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, 64, 48, (double[4]){1, 0.2, 0.4, 0.6}, 1, "cleared target");
}

struct size {
    VkFormat format;
    uint32_t width, height;
};

static void case_screen(struct vt *vt, const void *argument)
{
    const struct size *test = argument;
    struct vt_target target = vt_target(vt, test->format, test->width, test->height);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    const void *texels = vt_draw_once(vt, &graphics, &target, NULL, 3);
    vt_expect_color(vt, test->format, texels, test->width, test->height, constant_color, 1, "screen");
}

static const struct size sizes[] = {{RGBA8, 16, 16},   {RGBA8, 1, 1},     {RGBA8, 61, 37},
                                    {RGBA8, 512, 512}, {RGBA8, 600, 520}, {VK_FORMAT_R16G16B16A16_SFLOAT, 700, 300}};

/* A second pass over the same target loads what the first left. */
static void case_load(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, 64, 64);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[12];
    vt_rectangle(vertices, -1, -1, 0, 1, 0.5f, red);
    vt_rectangle(vertices + 6, 0, 0, 1, 1, 0.5f, blue);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    target.clears[0].color = (VkClearColorValue){.float32 = {0, 1, 0, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t pass = 0; pass < 2; pass++) {
        vt_begin_rendering(commands, &target);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
        vkCmdDraw(commands, 6, 1, 6 * pass, 0);
        vkCmdEndRendering(commands);
        target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    }
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t *got = texels.map;
    for (uint32_t i = 0; i < 64 * 64; i++) {
        uint32_t expected = i % 64 < 32 ? 0xff0000ff : i / 64 >= 32 ? 0xffff0000 : 0xff00ff00;
        if (got[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % 64, i / 64, got[i], expected);
    }
}

/* A large target of which the second pass draws one corner and the third nothing: the rest stays, with depth. */
static void case_load_large(struct vt *vt, const void *argument)
{
    const uint32_t size = 1024;
    struct vt_target target = vt_target(vt, RGBA8, size, size);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[12];
    vt_rectangle(vertices, -1, -1, 1, 1, 0.5f, red);
    vt_rectangle(vertices + 6, 0.75f, 0.75f, 1, 1, 0.25f, blue);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t pass = 0; pass < 3; pass++) {
        vt_begin_rendering(commands, &target);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
        if (pass < 2)
            vkCmdDraw(commands, 6, 1, 6 * pass, 0);
        vkCmdEndRendering(commands);
        target.load = target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    }
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const float *depths = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < size * size; i++) {
        const bool is_corner = i % size >= size / 8 * 7 && i / size >= size / 8 * 7;
        if (((uint32_t *)texels.map)[i] != (is_corner ? 0xffff0000 : 0xff0000ff))
            vt_fail(vt, "pixel %u,%u is 0x%08x", i % size, i / size, ((uint32_t *)texels.map)[i]);
        if (depths[i] != (is_corner ? 0.25f : 0.5f))
            vt_fail(vt, "depth of pixel %u,%u is %g", i % size, i / size, (double)depths[i]);
    }
}

/* vkCmdClearAttachments clears rectangles of a colour target in the middle of rendering. */
static void case_clear_attachments(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, 64, 64);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 1, 0, 1}}}};
    VkClearRect rects[] = {{{{3, 5}, {20, 10}}, 0, 1}, {{{40, 30}, {24, 34}}, 0, 1}};
    vkCmdClearAttachments(commands, 1, &clear, 2, rects);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 64 * 64; i++) {
        uint32_t x = i % 64, y = i / 64;
        bool inside = (x >= 3 && x < 23 && y >= 5 && y < 15) || (x >= 40 && y >= 30);
        if (((uint32_t *)texels.map)[i] != (inside ? 0xff00ffff : 0))
            vt_fail(vt, "pixel %u,%u is 0x%08x", x, y, ((uint32_t *)texels.map)[i]);
    }
}

/* Only the render area is cleared and drawn. */
static void case_area(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, 64, 64);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    graphics.scissors[0] = (VkRect2D){{16, 8}, {20, 30}};
    vt_make_pipeline(vt, &graphics, &target);
    target.clears[0].color = (VkClearColorValue){.float32 = {1, 1, 1, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target.color_views[0],
                                       .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = {{16, 8}, {24, 40}},
                            .layerCount = 1,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &color};
    vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(commands, &info);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 64 * 64; i++) {
        uint32_t x = i % 64, y = i / 64;
        bool cleared = x >= 16 && x < 40 && y >= 8 && y < 48, drawn = x >= 16 && x < 36 && y >= 8 && y < 38;
        uint32_t expected = drawn ? 0xcc996633 : cleared ? 0 : UINT32_MAX;
        if (((uint32_t *)texels.map)[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", x, y, ((uint32_t *)texels.map)[i], expected);
    }
}

struct multi {
    uint32_t count;
    VkFormat formats[8];
};

/* The colour that targets.frag gives to each target. */
static void target_color(const double c[4], uint32_t target, double out[4])
{
    static const uint8_t swizzles[8][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2},
                                           {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 0, 1, 1}, {2, 2, 3, 3}};
    for (unsigned i = 0; i < 4; i++) {
        double value = c[swizzles[target][i]];
        out[i] = target == 4 ? value * 0.5 : target == 5 ? 1 - value : value;
    }
}

static void case_targets(struct vt *vt, const void *argument)
{
    const struct multi *test = argument;
    struct vt_target target = vt_empty_target(40, 24, VK_SAMPLE_COUNT_1_BIT);
    for (uint32_t i = 0; i < test->count; i++)
        vt_add_color(vt, &target, test->formats[i]);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(targets_frag));
    vt_use_vertices(&graphics);
    graphics.blends[1].colorWriteMask = 5; /* red and blue */
    const float color[4] = {0.125f, 0.25f, 0.5f, 1};
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, color);
    for (uint32_t i = 0; i < test->count; i++)
        target.clears[i].color = (VkClearColorValue){.float32 = {0, 1, 0, 1}};
    vt_draw_once(vt, &graphics, &target, vertices, 6);
    for (uint32_t i = 0; i < test->count; i++) {
        double expected[4];
        target_color((double[4]){0.125, 0.25, 0.5, 1}, i, expected);
        if (i == 1)
            expected[1] = expected[3] = 1;
        char what[] = "target 0";
        what[7] = (char)('0' + i);
        vt_expect_color(vt, test->formats[i], vt_download(vt, &target.colors[i], 0), 40, 24, expected, 1, what);
    }
}

static const struct multi multis[] = {
    {2, {RGBA8, RGBA8}},
    {4, {RGBA8, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_A2B10G10R10_UNORM_PACK32}},
    {8,
     {RGBA8, RGBA8, VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, RGBA8, RGBA8, VK_FORMAT_R32G32B32A32_SFLOAT,
      VK_FORMAT_B8G8R8A8_UNORM}},
};

/* Target 1 is there and not written; the others hold different kinds of numbers. */
static void case_mixed_targets(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_empty_target(33, 20, VK_SAMPLE_COUNT_1_BIT);
    vt_add_color(vt, &target, RGBA8);
    vt_add_color(vt, &target, RGBA8);
    vt_add_color(vt, &target, VK_FORMAT_R16G16B16A16_UINT);
    vt_add_color(vt, &target, VK_FORMAT_R32G32B32A32_SINT);
    target.clears[1].color = (VkClearColorValue){.float32 = {0.2f, 0.4f, 0.6f, 0.8f}};
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(mixed_targets_frag));
    vt_use_vertices(&graphics);
    graphics.blends[1].colorWriteMask = 0;
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, red);
    vt_expect_color(vt, RGBA8, vt_draw_once(vt, &graphics, &target, vertices, 6), 33, 20, (double[4]){1, 0, 0, 1}, 0,
                    "target 0");
    vt_expect_color(vt, RGBA8, vt_download(vt, &target.colors[1], 0), 33, 20, constant_color, 1, "target 1");
    vt_expect_color(vt, target.color_formats[2], vt_download(vt, &target.colors[2], 0), 33, 20,
                    (double[4]){1, 2, 300, 4}, 0, "target 2");
    vt_expect_color(vt, target.color_formats[3], vt_download(vt, &target.colors[3], 0), 33, 20,
                    (double[4]){-1, 2, -300, 4}, 0, "target 3");
}

/* ---- parts of images as targets ---- */

struct part {
    VkImageType type;
    uint32_t level, layer; /* of 64×64 with 6 layers (or a depth of 6) and 4 levels */
};

static void case_part(struct vt *vt, const void *argument)
{
    const struct part *test = argument;
    bool deep = test->type == VK_IMAGE_TYPE_3D;
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = RGBA8,
                                             .type = test->type,
                                             .width = 64,
                                             .height = 64,
                                             .depth = deep ? 6 : 1,
                                             .layers = deep ? 1 : 6,
                                             .levels = 4,
                                             .flags = deep ? VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT : 0,
                                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    uint32_t size = 64 >> test->level, slices = deep ? vt_mip(6, test->level) : 6;
    struct vt_target target = vt_empty_target(size, size, VK_SAMPLE_COUNT_1_BIT);
    target.color_count = 1;
    target.color_formats[0] = RGBA8;
    target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    graphics.scissors[0] = (VkRect2D){{1, 2}, {size - 2, size - 4}};
    vt_make_pipeline(vt, &graphics, &target);
    static uint32_t zeros[64 * 64 * 6];
    vt_upload(vt, &image, test->level, zeros, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    target.colors[0] = image;
    target.color_views[0] =
        vt_view_of(vt, &image,
                   (VkImageViewCreateInfo){.viewType = VK_IMAGE_VIEW_TYPE_2D,
                                           .subresourceRange = {0, test->level, 1, test->layer, 1}});
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels =
        vt_record_download(vt, commands, &target.colors[0], test->level, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < size * size * slices; i++) {
        uint32_t x = i % size, y = i / size % size, layer = i / size / size;
        bool drawn = layer == test->layer && x >= 1 && x < size - 1 && y >= 2 && y < size - 2;
        if (((uint32_t *)texels.map)[i] != (drawn ? 0xcc996633 : 0))
            vt_fail(vt, "layer %u, pixel %u,%u is 0x%08x", layer, x, y, ((uint32_t *)texels.map)[i]);
    }
}

static const struct part parts[] = {{VK_IMAGE_TYPE_2D, 0, 3},
                                    {VK_IMAGE_TYPE_2D, 2, 0},
                                    {VK_IMAGE_TYPE_2D, 3, 5},
                                    {VK_IMAGE_TYPE_3D, 0, 4},
                                    {VK_IMAGE_TYPE_3D, 1, 2}};

/* Layers chosen by the vertex shader. */
static void case_layers(struct vt *vt, const void *argument)
{
    if (!vt->features12.shaderOutputLayer)
        vt_skip(vt, "no layers for vertex shaders");
    struct vt_target target = vt_empty_target(24, 24, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 4;
    vt_add_color(vt, &target, RGBA8);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(layer_vert), vt_plain_frag);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 4, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t layer = 0; layer < 4; layer++) {
        double value = (layer + 1) / 16.0;
        vt_expect_color(vt, RGBA8, (uint32_t *)texels.map + layer * 24 * 24, 24, 24,
                        (double[4]){value, value, value, value}, 1, "layer");
    }
}

/* ---- vertex input ---- */

static void case_attribute(struct vt *vt, const void *argument)
{
    VkFormat format = *(const VkFormat *)argument;
    const struct vt_format *known = vt_format(format);
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, format, &properties);
    if (!(properties.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT))
        vt_skip(vt, "the format is none of vertices");
    VkFormat shown = known->kind == VT_UINT   ? VK_FORMAT_R32G32B32A32_UINT
                     : known->kind == VT_SINT ? VK_FORMAT_R32G32B32A32_SINT
                                              : VK_FORMAT_R32G32B32A32_SFLOAT;
    struct vt_target target = vt_target(vt, shown, 16, 16);
    struct vt_graphics graphics;
    if (known->kind == VT_UINT)
        vt_graphics_init(&graphics, &target, VT_SPIRV(attribute_uint_vert), vt_attribute_uint_frag);
    else if (known->kind == VT_SINT)
        vt_graphics_init(&graphics, &target, VT_SPIRV(attribute_int_vert), VT_SPIRV(attribute_int_frag));
    else
        vt_graphics_init(&graphics, &target, VT_SPIRV(attribute_float_vert), VT_SPIRV(attribute_float_frag));
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    uint32_t stride_B = (known->texel_B + 3) / 4 * 4 + 8, offset_B = 4;
    vt_add_binding(&graphics, stride_B, VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(&graphics, format, offset_B);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_buffer buffer = vt_buffer(vt, 16 + 256 * stride_B, NULL);
    uint64_t seed = 41;
    for (unsigned i = 0; i < 256; i++)
        vt_random_texels(known, &seed, (uint8_t *)buffer.map + 16 + i * stride_B + offset_B, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){16});
    vkCmdDraw(commands, 256, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (unsigned i = 0; i < 256; i++) {
        double expected[4];
        vt_decode(known, (uint8_t *)buffer.map + 16 + i * stride_B + offset_B, expected);
        const uint8_t *texel = (uint8_t *)texels.map + i * 16;
        if (!vt_texel_is(vt_format(shown), texel, expected, 0, vt_is_integer(known) ? 0 : 1e-6))
            vt_fail_texel(vt, vt_format(shown), texel, expected, "attribute", i % 16, i / 16, 0);
    }
}

static const VkFormat attributes[] = {
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_R32G32B32_SFLOAT,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_R32G32B32_UINT,
    VK_FORMAT_R32_SINT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_R16G16B16A16_UNORM,
    VK_FORMAT_R16G16_SNORM,
    VK_FORMAT_R16G16B16A16_SINT,
    VK_FORMAT_R16_UINT,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R8G8B8A8_SNORM,
    VK_FORMAT_R8G8B8A8_UINT,
    VK_FORMAT_R8G8B8A8_SINT,
    VK_FORMAT_B8G8R8A8_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_A2B10G10R10_UINT_PACK32,
    VK_FORMAT_A2R10G10B10_UNORM_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
};

/* Points of 16×16 pixels that tell of themselves; `expected` begins with zeros. */
struct places {
    struct vt_target target;
    struct vt_graphics graphics;
    VkCommandBuffer commands;
    uint32_t expected[16 * 16][4];
};

static void begin_places(struct vt *vt, struct places *places)
{
    if (!vt->features11.shaderDrawParameters)
        vt_skip(vt, "no shaderDrawParameters");
    memset(places->expected, 0, sizeof(places->expected));
    places->target = vt_target(vt, VK_FORMAT_R32G32B32A32_UINT, 16, 16);
    vt_graphics_init(&places->graphics, &places->target, VT_SPIRV(places_vert), vt_attribute_uint_frag);
    places->graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    vt_make_pipeline(vt, &places->graphics, &places->target);
    places->commands = vt_begin(vt);
    vt_begin_rendering(places->commands, &places->target);
    vkCmdBindPipeline(places->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, places->graphics.pipeline);
}

static void expect_place(struct places *places, uint32_t vertex, uint32_t instance, uint32_t base_vertex,
                         uint32_t base_instance, uint32_t draw)
{
    uint32_t *at = places->expected[(instance & 15) * 16 + (vertex & 15)];
    at[0] = vertex;
    at[1] = instance;
    at[2] = base_vertex * 256 + base_instance;
    at[3] = draw + 1;
}

static void end_places(struct vt *vt, struct places *places)
{
    vkCmdEndRendering(places->commands);
    struct vt_buffer texels =
        vt_record_download(vt, places->commands, &places->target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, places->commands);
    const uint32_t(*got)[4] = texels.map;
    for (uint32_t i = 0; i < 256; i++) {
        if (memcmp(got[i], places->expected[i], 16) != 0)
            vt_fail(vt, "vertex %u of instance %u: is (%u %u 0x%x %u), expected (%u %u 0x%x %u)", i % 16, i / 16,
                    got[i][0], got[i][1], got[i][2], got[i][3], places->expected[i][0], places->expected[i][1],
                    places->expected[i][2], places->expected[i][3]);
    }
}

static void case_draw(struct vt *vt, const void *argument)
{
    struct places places;
    begin_places(vt, &places);
    vkCmdDraw(places.commands, 5, 3, 2, 4);
    for (uint32_t i = 0; i < 15; i++)
        expect_place(&places, 2 + i % 5, 4 + i / 5, 2, 4, 0);
    end_places(vt, &places);
}

static void case_draw_indexed(struct vt *vt, const void *argument)
{
    VkIndexType type = *(const VkIndexType *)argument;
    if (type == VK_INDEX_TYPE_UINT8_EXT && !vt->has[VT_INDEX_TYPE_UINT8])
        vt_skip(vt, "no indices of 8 bits");
    if (type == VK_INDEX_TYPE_UINT32 && !vt->features.features.fullDrawIndexUint32)
        vt_skip(vt, "no fullDrawIndexUint32");
    struct places places;
    begin_places(vt, &places);
    static const uint32_t numbers[] = {9, 9, 9, 0, 3, 1, 5, 2, 4, 9};
    uint8_t bytes[40];
    uint32_t index_B = type == VK_INDEX_TYPE_UINT8_EXT ? 1 : type == VK_INDEX_TYPE_UINT16 ? 2 : 4;
    for (unsigned i = 0; i < COUNT_OF(numbers); i++)
        memcpy(bytes + i * index_B, &numbers[i], index_B); /* little end first */
    struct vt_buffer indices = vt_buffer(vt, sizeof(bytes), bytes);
    vkCmdBindIndexBuffer(places.commands, indices.buffer, index_B, type);
    vkCmdDrawIndexed(places.commands, 5, 2, 2, 7, 3); /* 0 3 1 5 2, plus 7 */
    for (uint32_t i = 0; i < 10; i++)
        expect_place(&places, 7 + numbers[3 + i % 5], 3 + i / 5, 7, 3, 0);
    end_places(vt, &places);
}

static const VkIndexType index_types[] = {VK_INDEX_TYPE_UINT8_EXT, VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32};

static void case_indirect(struct vt *vt, const void *argument)
{
    if (!vt->features.features.multiDrawIndirect || !vt->features.features.drawIndirectFirstInstance)
        vt_skip(vt, "no multiDrawIndirect");
    struct places places;
    begin_places(vt, &places);
    static const VkDrawIndirectCommand draws[] = {{3, 1, 1, 0}, {4, 2, 5, 3}, {0, 4, 0, 8}, {2, 1, 12, 9}};
    uint32_t words[64] = {0};
    for (unsigned i = 0; i < 4; i++)
        memcpy(words + 4 + 6 * i, &draws[i], sizeof(draws[i]));
    struct vt_buffer buffer = vt_buffer(vt, sizeof(words), words);
    vkCmdDrawIndirect(places.commands, buffer.buffer, 16, 4, 24);
    for (uint32_t d = 0; d < 4; d++) {
        for (uint32_t i = 0; i < draws[d].vertexCount * draws[d].instanceCount; i++)
            expect_place(&places, draws[d].firstVertex + i % draws[d].vertexCount,
                         draws[d].firstInstance + i / draws[d].vertexCount, draws[d].firstVertex,
                         draws[d].firstInstance, d);
    }
    end_places(vt, &places);
}

struct counted {
    uint32_t most; /* 0: without a count */
    bool amd;      /* by the command of VK_AMD_draw_indirect_count, which is older than the others */
};

/* The count comes from memory, and is at most what the command says. */
static void case_indexed_indirect_count(struct vt *vt, const void *argument)
{
    const struct counted *counted = argument;
    uint32_t most = counted->most;
    if (!vt->features.features.multiDrawIndirect || !vt->features.features.drawIndirectFirstInstance ||
        (counted->amd ? !vt->has[VT_DRAW_INDIRECT_COUNT_AMD] : most && !vt->features12.drawIndirectCount))
        vt_skip(vt, "no multiDrawIndirect or drawIndirectCount");
    PFN_vkCmdDrawIndexedIndirectCountAMD draw_amd =
        (PFN_vkCmdDrawIndexedIndirectCountAMD)vkGetDeviceProcAddr(vt->device, "vkCmdDrawIndexedIndirectCountAMD");
    struct places places;
    begin_places(vt, &places);
    static const VkDrawIndexedIndirectCommand draws[] = {
        {2, 1, 0, 0, 1}, {3, 2, 1, 4, 2}, {1, 1, 0, 8, 6}, {2, 1, 0, 9, 9}, {4, 1, 0, 0, 12}};
    static const uint16_t indices[] = {1, 3, 0, 2, 5, 4};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(draws), draws),
                     index_buffer = vt_buffer(vt, sizeof(indices), indices);
    struct vt_buffer count = vt_buffer(vt, 8, (uint32_t[]){99, 4});
    vkCmdBindIndexBuffer(places.commands, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (counted->amd)
        draw_amd(places.commands, buffer.buffer, 0, count.buffer, 4, most, sizeof(draws[0]));
    else if (most)
        vkCmdDrawIndexedIndirectCount(places.commands, buffer.buffer, 0, count.buffer, 4, most, sizeof(draws[0]));
    else
        vkCmdDrawIndexedIndirect(places.commands, buffer.buffer, 0, 5, sizeof(draws[0]));
    for (uint32_t d = 0; d < (most == 0 ? 5 : most < 4 ? most : 4); d++) {
        for (uint32_t i = 0; i < draws[d].indexCount * draws[d].instanceCount; i++)
            expect_place(&places,
                         indices[draws[d].firstIndex + i % draws[d].indexCount] + (uint32_t)draws[d].vertexOffset,
                         draws[d].firstInstance + i / draws[d].indexCount, (uint32_t)draws[d].vertexOffset,
                         draws[d].firstInstance, d);
    }
    end_places(vt, &places);
}

static const struct counted counts[] = {{0, false}, {5, false}, {3, false}, {5, true}, {3, true}};

/* Draws without indices, by both commands. */
static void case_indirect_count(struct vt *vt, const void *argument)
{
    const struct counted *counted = argument;
    if (!vt->features.features.multiDrawIndirect || !vt->features.features.drawIndirectFirstInstance ||
        (counted->amd ? !vt->has[VT_DRAW_INDIRECT_COUNT_AMD] : !vt->features12.drawIndirectCount))
        vt_skip(vt, "no multiDrawIndirect or drawIndirectCount");
    PFN_vkCmdDrawIndirectCountAMD draw =
        counted->amd ? (PFN_vkCmdDrawIndirectCountAMD)vkGetDeviceProcAddr(vt->device, "vkCmdDrawIndirectCountAMD")
                     : vkCmdDrawIndirectCount;
    struct places places;
    begin_places(vt, &places);
    static const VkDrawIndirectCommand draws[] = {
        {3, 1, 1, 0}, {4, 2, 5, 3}, {0, 4, 0, 8}, {2, 1, 12, 9}, {5, 1, 0, 14}};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(draws), draws);
    struct vt_buffer count = vt_buffer(vt, 12, (uint32_t[]){99, 98, 4});
    draw(places.commands, buffer.buffer, 0, count.buffer, 8, counted->most, sizeof(draws[0]));
    for (uint32_t d = 0; d < (counted->most < 4 ? counted->most : 4); d++) {
        for (uint32_t i = 0; i < draws[d].vertexCount * draws[d].instanceCount; i++)
            expect_place(&places, draws[d].firstVertex + i % draws[d].vertexCount,
                         draws[d].firstInstance + i / draws[d].vertexCount, draws[d].firstVertex,
                         draws[d].firstInstance, d);
    }
    end_places(vt, &places);
}

/* ---- many draws by one command ---- */

static void case_multi_draw(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_MULTI_DRAW])
        vt_skip(vt, "no VK_EXT_multi_draw");
    PFN_vkCmdDrawMultiEXT draw = (PFN_vkCmdDrawMultiEXT)vkGetDeviceProcAddr(vt->device, "vkCmdDrawMultiEXT");
    struct places places;
    begin_places(vt, &places);
    static const struct {
        VkMultiDrawInfoEXT draw;
        uint32_t unused; /* a stride of its own */
    } draws[] = {{{1, 3}, 99}, {{9, 0}, 99}, {{5, 4}, 99}, {{10, 2}, 99}};
    draw(places.commands, COUNT_OF(draws), &draws[0].draw, 2, 7, sizeof(draws[0]));
    for (uint32_t d = 0; d < COUNT_OF(draws); d++)
        for (uint32_t i = 0; i < 2 * draws[d].draw.vertexCount; i++)
            expect_place(&places, draws[d].draw.firstVertex + i % draws[d].draw.vertexCount,
                         7 + i / draws[d].draw.vertexCount, draws[d].draw.firstVertex, 7, d);
    end_places(vt, &places);
}

static void case_multi_draw_indexed(struct vt *vt, const void *argument)
{
    const int32_t *offset = argument; /* for all draws; NULL: each has its own */
    if (!vt->has[VT_MULTI_DRAW])
        vt_skip(vt, "no VK_EXT_multi_draw");
    PFN_vkCmdDrawMultiIndexedEXT draw =
        (PFN_vkCmdDrawMultiIndexedEXT)vkGetDeviceProcAddr(vt->device, "vkCmdDrawMultiIndexedEXT");
    struct places places;
    begin_places(vt, &places);
    static const VkMultiDrawIndexedInfoEXT draws[] = {{0, 3, 1}, {3, 2, 5}, {0, 0, 0}, {4, 2, 9}};
    static const uint16_t indices[] = {1, 3, 0, 2, 5, 4};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(indices), indices);
    vkCmdBindIndexBuffer(places.commands, buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    draw(places.commands, COUNT_OF(draws), draws, 2, 3, sizeof(draws[0]), offset);
    for (uint32_t d = 0; d < COUNT_OF(draws); d++) {
        uint32_t added = (uint32_t)(offset ? *offset : draws[d].vertexOffset);
        for (uint32_t i = 0; i < 2 * draws[d].indexCount; i++)
            expect_place(&places, indices[draws[d].firstIndex + i % draws[d].indexCount] + added,
                         3 + i / draws[d].indexCount, added, 3, d);
    }
    end_places(vt, &places);
}

static const int32_t multi_offset = 6;

static void case_instances(struct vt *vt, const void *argument)
{
    uint32_t divisor = *(const uint32_t *)argument;
    if (divisor != 1 && !vt->has[VT_VERTEX_ATTRIBUTE_DIVISOR])
        vt_skip(vt, "no divisors of attributes");
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_UINT, 16, 16);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(instance_vert), vt_attribute_uint_frag);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    for (unsigned i = 0; i < 3; i++) {
        vt_add_binding(&graphics, 4, i == 0 ? VK_VERTEX_INPUT_RATE_VERTEX : VK_VERTEX_INPUT_RATE_INSTANCE);
        vt_add_attribute(&graphics, VK_FORMAT_R32_UINT, 0);
    }
    VkVertexInputBindingDivisorDescriptionEXT description = {2, divisor};
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
        .vertexBindingDivisorCount = 1,
        .pVertexBindingDivisors = &description};
    if (divisor != 1)
        graphics.vertex.pNext = &divisors;
    vt_make_pipeline(vt, &graphics, &target);
    uint32_t words[48];
    for (uint32_t i = 0; i < 48; i++)
        words[i] = 1000 * (i / 16 + 1) + i % 16;
    struct vt_buffer buffer = vt_buffer(vt, sizeof(words), words);
    VkBuffer buffers[3] = {buffer.buffer, buffer.buffer, buffer.buffer};
    VkDeviceSize offsets[3] = {0, 64, 128};
    uint32_t first = divisor == 1 ? 3 : 0; /* a divisor with a first instance needs a property of its own */
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 3, buffers, offsets);
    vkCmdDraw(commands, 10, 9, 2, first);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t(*got)[4] = texels.map;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t vertex = i % 16, instance = i / 16, expected[4] = {0};
        if (vertex >= 2 && vertex < 12 && instance >= first && instance < first + 9) {
            expected[0] = 1000 + vertex;
            expected[1] = 2000 + instance;
            expected[2] = 3000 + (divisor ? first + (instance - first) / divisor : first);
            expected[3] = instance + 1;
        }
        if (memcmp(got[i], expected, 16) != 0)
            vt_fail(vt, "vertex %u of instance %u: is (%u %u %u %u), expected (%u %u %u %u)", vertex, instance,
                    got[i][0], got[i][1], got[i][2], got[i][3], expected[0], expected[1], expected[2], expected[3]);
    }
}

static const uint32_t divisors[] = {1, 0, 3};

/* ---- shader inputs and outputs ---- */

static void case_push(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, 32, 32);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(push_vert), VT_SPIRV(push_frag));
    vt_make_pipeline(vt, &graphics, &target);
    float push[20] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1, 0.2f, 0.4f, 0.6f, 0, 0.8f, 0.8f, 0.8f, 0};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vt_push(commands, &graphics, push, sizeof(push));
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, 32, 32, constant_color, 1, "pushed");
}

/* Pixels of a picture with a colour that grows by 1/64 in x and 1/32 in y, through builtin.frag. */
static void expect_builtin(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    bool odd = (x ^ y) & 1;
    double u = (x + 0.5) / 64, v = (y + 0.5) / 32;
    switch (*(const int *)argument) {
    case 0:
        out[0] = x + 0.5, out[1] = y + 0.5, out[2] = 0.25, out[3] = 1;
        break;
    case 3:
        if (!odd)
            out[0] = u, out[1] = v, out[2] = 0.5, out[3] = 1;
        break;
    case 4:
        if (!odd)
            out[0] = 1 / 64.0, out[1] = 1 / 32.0, out[3] = 1;
        break;
    case 5:
        out[0] = out[2] = 1 / 64.0, out[1] = out[3] = 1 / 32.0;
        break;
    case 6:
        out[0] = 1 / 64.0, out[1] = 1 / 32.0, out[3] = 1;
        break;
    case 7:
        out[0] = u, out[1] = v, out[2] = 0.5 + 0.125 * (x & 7), out[3] = 1;
        break;
    }
}

static void case_builtin(struct vt *vt, const void *argument)
{
    int what = *(const int *)argument;
    if (what == 4 && !vt->features13.shaderDemoteToHelperInvocation)
        vt_skip(vt, "no demote");
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, 64, 32);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(builtin_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = VT_CONSTANTS(what);
    static const struct vt_vertex vertices[3] = {{{-1, -1, 0.25f, 1}, {0, 0, 0.5f, 1}},
                                                 {{3, -1, 0.25f, 1}, {2, 0, 0.5f, 1}},
                                                 {{-1, 3, 0.25f, 1}, {0, 2, 0.5f, 1}}};
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, vertices, 3), expect_builtin, argument, 0, 2e-5,
                      "picture");
}

static const int builtins[] = {0, 3, 4, 5, 6, 7};

static void case_effects(struct vt *vt, const void *argument)
{
    if (!vt->features.features.fragmentStoresAndAtomics)
        vt_skip(vt, "no fragmentStoresAndAtomics");
    struct vt_target target = vt_target(vt, RGBA8, 64, 64);
    struct vt_buffer left = vt_buffer(vt, 8 + 64 * 64 * 4, NULL);
    struct vt_set set = vt_set(vt, (struct vt_binding[]){VT_STORAGE_BUFFER(left)}, 1);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(effects_frag));
    vt_use_vertices(&graphics);
    graphics.sets[graphics.set_count++] = set.layout;
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, -0.5f, -0.25f, 0.75f, 1, 0, red); /* 16..55, 24..63 */
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *words = left.map;
    uint32_t count = 0, sum = 0;
    for (uint32_t i = 0; i < 64 * 64; i++) {
        bool inside = i % 64 >= 16 && i % 64 < 56 && i / 64 >= 24;
        count += inside;
        sum += inside ? i : 0;
        if (words[2 + i] != (inside ? i * 3 + 1 : 0)) /* helpers leave nothing */
            vt_fail(vt, "pixel %u,%u left %u", i % 64, i / 64, words[2 + i]);
    }
    if (words[0] != count || words[1] != sum)
        vt_fail(vt, "%u fragments with the sum %u, expected %u and %u", words[0], words[1], count, sum);
}

/* ---- classic render passes ---- */

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

static VkFramebuffer make_framebuffer(struct vt *vt, VkRenderPass pass, const VkImageView *views, uint32_t count,
                                      uint32_t width, uint32_t height)
{
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = pass,
                                    .attachmentCount = count,
                                    .pAttachments = views,
                                    .width = width,
                                    .height = height,
                                    .layers = 1};
    VkFramebuffer framebuffer;
    VT_CHECK(vt, vkCreateFramebuffer(vt->device, &info, NULL, &framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)framebuffer);
    return framebuffer;
}

static VkRenderPass make_pass(struct vt *vt, const VkRenderPassCreateInfo *info)
{
    VkRenderPass pass;
    VT_CHECK(vt, vkCreateRenderPass(vt->device, info, NULL, &pass));
    vt_defer(vt, destroy_pass, (uint64_t)pass);
    return pass;
}

/* A framebuffer that gets its images when the pass begins. */
static VkFramebuffer make_imageless(struct vt *vt, VkRenderPass pass, const VkImageUsageFlags *usages, uint32_t count)
{
    static const VkFormat format = RGBA8;
    VkFramebufferAttachmentImageInfo images[2];
    for (uint32_t i = 0; i < count; i++)
        images[i] = (VkFramebufferAttachmentImageInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
                                                       .usage = usages[i],
                                                       .width = 48,
                                                       .height = 48,
                                                       .layerCount = 1,
                                                       .viewFormatCount = 1,
                                                       .pViewFormats = &format};
    VkFramebufferAttachmentsCreateInfo attachments = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
                                                      .attachmentImageInfoCount = count,
                                                      .pAttachmentImageInfos = images};
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .pNext = &attachments,
                                    .flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                    .renderPass = pass,
                                    .attachmentCount = count,
                                    .width = 48,
                                    .height = 48,
                                    .layers = 1};
    VkFramebuffer framebuffer;
    VT_CHECK(vt, vkCreateFramebuffer(vt->device, &info, NULL, &framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)framebuffer);
    return framebuffer;
}

struct pass_test {
    bool two, imageless;
};

/* One subpass: clear, draw, and the final layout is that of copies. Where there are two, the second turns the first
 * one's picture over. */
static void case_pass(struct vt *vt, const void *argument)
{
    const struct pass_test *test = argument;
    bool two = test->two;
    if (test->imageless && !vt->features12.imagelessFramebuffer)
        vt_skip(vt, "no imagelessFramebuffer");
    struct vt_target target = vt_target(vt, RGBA8, 48, 48);
    vt_add_color(vt, &target, RGBA8);
    VkAttachmentDescription attachment = {.format = RGBA8,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                          .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                          .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentDescription attachments[2] = {attachment, attachment};
    VkAttachmentReference colors[2] = {{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                       {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    VkAttachmentReference input = {0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkSubpassDescription subpasses[2] = {{.colorAttachmentCount = 1, .pColorAttachments = &colors[0]},
                                         {.colorAttachmentCount = 1,
                                          .pColorAttachments = &colors[1],
                                          .inputAttachmentCount = 1,
                                          .pInputAttachments = &input}};
    VkSubpassDependency dependencies[] = {
        {0, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT, VK_DEPENDENCY_BY_REGION_BIT},
    };
    VkRenderPass pass = make_pass(vt, &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                                .attachmentCount = two ? 2 : 1,
                                                                .pAttachments = attachments,
                                                                .subpassCount = two ? 2 : 1,
                                                                .pSubpasses = subpasses,
                                                                .dependencyCount = two,
                                                                .pDependencies = dependencies});
    const VkImageUsageFlags usages[2] = {target.colors[0].info.usage, target.colors[1].info.usage};
    VkFramebuffer framebuffer = test->imageless ? make_imageless(vt, pass, usages, two ? 2 : 1)
                                                : make_framebuffer(vt, pass, target.color_views, two ? 2 : 1, 48, 48);
    struct vt_target one = target;
    one.color_count = 1;
    struct vt_graphics first, second;
    vt_graphics_init(&first, &one, vt_screen_vert, vt_constant_frag);
    first.pass = pass;
    first.scissors[0] = (VkRect2D){{0, 0}, {48, 20}};
    vt_make_pipeline(vt, &first, &one);
    struct vt_binding binding = {
        .type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
        .image = {VK_NULL_HANDLE, target.color_views[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
    struct vt_set set = vt_set(vt, &binding, 1);
    if (two) {
        vt_graphics_init(&second, &one, vt_screen_vert, VT_SPIRV(input_frag));
        second.pass = pass;
        second.subpass = 1;
        second.sets[second.set_count++] = set.layout;
        vt_make_pipeline(vt, &second, &one);
    }
    VkClearValue clears[2] = {{.color = {.float32 = {1, 0, 0, 0.4f}}}};
    VkRenderPassAttachmentBeginInfo given = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
                                             .attachmentCount = two ? 2 : 1,
                                             .pAttachments = target.color_views};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .pNext = test->imageless ? &given : NULL,
                                   .renderPass = pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = {{0, 0}, {48, 48}},
                                   .clearValueCount = two ? 2 : 1,
                                   .pClearValues = clears};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, first.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    if (two) {
        vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, second.pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, second.layout, 0, 1, &set.set, 0, NULL);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(commands);
    target.colors[0].layout = target.colors[1].layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[two], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const double *drawn = two ? (double[4]){0.8, 0.6, 0.4, 0.2} : constant_color;
    const double *cleared = two ? (double[4]){0, 1, 1, 0.6} : (double[4]){1, 0, 0, 0.4};
    vt_expect_color(vt, RGBA8, texels.map, 48, 20, drawn, 1, "drawn part");
    vt_expect_color(vt, RGBA8, (uint32_t *)texels.map + 48 * 20, 48, 28, cleared, 1, "cleared part");
}

static const struct pass_test passes[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/* A layer for each view of a mask, with a triangle over half of it: where one covers a whole tile, lavapipe 22.3 draws
 * every view to layer 0. */
static void case_multiview(struct vt *vt, const void *argument)
{
    if (!vt->features11.multiview)
        vt_skip(vt, "no multiview");
    const uint32_t views = 0xb;
    struct vt_target target = vt_empty_target(24, 24, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 4;
    vt_add_color(vt, &target, RGBA8);
    VkAttachmentDescription attachment = {.format = RGBA8,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    VkRenderPassMultiviewCreateInfo multiview = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, .subpassCount = 1, .pViewMasks = &views};
    VkRenderPass pass = make_pass(vt, &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                                .pNext = &multiview,
                                                                .attachmentCount = 1,
                                                                .pAttachments = &attachment,
                                                                .subpassCount = 1,
                                                                .pSubpasses = &subpass});
    VkFramebuffer framebuffer = make_framebuffer(vt, pass, target.color_views, 1, 24, 24);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(multiview_vert), vt_plain_frag);
    graphics.pass = pass;
    vt_make_pipeline(vt, &graphics, &target);
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = {{0, 0}, {24, 24}},
                                   .clearValueCount = 1,
                                   .pClearValues = &(VkClearValue){.color = {.float32 = {0}}}};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    target.colors[0].layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t layer = 0; layer < 4; layer++) {
        double value = (layer + 1) / 16.0;
        for (uint32_t y = 0; y < 24 && (views >> layer & 1); y++) /* of other layers nothing is said */
            vt_expect_color(vt, RGBA8, (uint32_t *)texels.map + (layer * 24 + y) * 24, 23 - y, 1,
                            (double[4]){value, value, value, value}, 1, "view");
    }
}

struct view_test {
    VkPrimitiveTopology topology;
    uint32_t views;
};

static const struct view_test view_tests[] = {
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0xb},
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0x4},
    {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 0x9},
    {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, 0xa},
};

/* Layers that are no view's keep what they had; in the others something is drawn. */
static void case_view_gaps(struct vt *vt, const void *argument)
{
    const struct view_test *test = argument;
    if (!vt->features11.multiview || vt->properties.apiVersion < VK_API_VERSION_1_3)
        vt_skip(vt, "no multiview or no dynamic rendering");
    const double before[4] = {0, 1, 1, 0.6};
    struct vt_target target = vt_empty_target(24, 24, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 4;
    vt_add_color(vt, &target, RGBA8);
    for (uint32_t i = 0; i < 4; i++)
        target.clears[0].color.float32[i] = (float)before[i];
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(multiview_vert), vt_plain_frag);
    graphics.assembly.topology = test->topology;
    target.view_mask = test->views;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    target.view_mask = 0;
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    target.view_mask = test->views;
    target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t layer = 0; layer < 4; layer++) {
        const uint32_t *words = (uint32_t *)texels.map + layer * 24 * 24;
        uint32_t drawn = 0;
        for (uint32_t i = 0; i < 24 * 24; i++)
            drawn += words[i] == 0x01010101u * (uint32_t)((layer + 1) * 255.0 / 16.0 + 0.5);
        if (!(test->views >> layer & 1))
            vt_expect_color(vt, RGBA8, words, 24 * 24, 1, before, 1, "a layer without a view");
        else if (!drawn)
            vt_fail(vt, "view %u: nothing was drawn", layer);
    }
}

/* ---- dynamic state ---- */

static void case_dynamic(struct vt *vt, const void *argument)
{
    if (vt->properties.apiVersion < VK_API_VERSION_1_3)
        vt_skip(vt, "no extended dynamic state before Vulkan 1.3");
    struct vt_target target = vt_target(vt, RGBA8, 64, 64);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 0;
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                                            VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                                            VK_DYNAMIC_STATE_CULL_MODE,
                                            VK_DYNAMIC_STATE_FRONT_FACE,
                                            VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
                                            VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
                                            VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
                                            VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
                                            VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
                                            VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE};
    for (unsigned i = 0; i < COUNT_OF(states); i++)
        vt_add_dynamic(&graphics, states[i]);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[4] = {{{-1, -1, 0.5f, 1}, {1, 0, 0, 1}},
                                    {{1, -1, 0.5f, 1}, {1, 0, 0, 1}},
                                    {{-1, 1, 0.5f, 1}, {1, 0, 0, 1}},
                                    {{1, 1, 0.5f, 1}, {1, 0, 0, 1}}};
    struct vt_vertex other[8];
    for (unsigned i = 0; i < 4; i++) {
        other[2 * i] = vertices[i]; /* every second one counts */
        memcpy(other[2 * i].color, blue, sizeof(blue));
        other[2 * i].position[2] = 0.25f;
        other[2 * i + 1] = (struct vt_vertex){0};
    }
    struct vt_buffer buffers[2] = {vt_buffer(vt, sizeof(vertices), vertices), vt_buffer(vt, sizeof(other), other)};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
    vkCmdSetDepthTestEnable(commands, VK_TRUE);
    vkCmdSetDepthWriteEnable(commands, VK_TRUE);
    vkCmdSetDepthCompareOp(commands, VK_COMPARE_OP_LESS);
    vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
    for (unsigned draw = 0; draw < 4; draw++) {
        /* red on the left half; blue in the middle, nearer; blue culled; blue with the rasterizer off */
        VkViewport viewport = {draw ? 16 : 0, 0, 32, 64, 0, 1};
        VkRect2D scissor = {{0, draw == 1 ? 10 : 0}, {64, draw == 1 ? 20 : 64}};
        uint32_t which = draw > 0;
        VkDeviceSize size = buffers[which].size_B,
                     stride = which ? 2 * sizeof(struct vt_vertex) : sizeof(struct vt_vertex);
        vkCmdSetViewportWithCount(commands, 1, &viewport);
        vkCmdSetScissorWithCount(commands, 1, &scissor);
        vkCmdSetCullMode(commands, draw == 2 ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT);
        vkCmdSetRasterizerDiscardEnable(commands, draw == 3);
        vkCmdBindVertexBuffers2(commands, 0, 1, &buffers[which].buffer, &(VkDeviceSize){0}, &size, &stride);
        vkCmdDraw(commands, 4, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 64 * 64; i++) {
        uint32_t x = i % 64, y = i / 64;
        uint32_t expected = x >= 16 && x < 48 && y >= 10 && y < 30 ? 0xffff0000 : x < 32 ? 0xff0000ff : 0;
        if (((uint32_t *)texels.map)[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", x, y, ((uint32_t *)texels.map)[i], expected);
    }
}

/* Drawn, or not, as a word in memory says. */
static void case_conditional(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_CONDITIONAL_RENDERING])
        vt_skip(vt, "no VK_EXT_conditional_rendering");
    PFN_vkCmdBeginConditionalRenderingEXT begin = (PFN_vkCmdBeginConditionalRenderingEXT)(void *)vkGetDeviceProcAddr(
        vt->device, "vkCmdBeginConditionalRenderingEXT");
    PFN_vkCmdEndConditionalRenderingEXT end =
        (PFN_vkCmdEndConditionalRenderingEXT)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdEndConditionalRenderingEXT");
    struct places places;
    begin_places(vt, &places);
    struct vt_buffer words = vt_buffer(vt, 8, (uint32_t[]){0, 1});
    for (uint32_t i = 0; i < 4; i++) {
        bool drawn = (i & 1) ^ (i >> 1);
        VkConditionalRenderingBeginInfoEXT info = {.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                   .buffer = words.buffer,
                                                   .offset = 4 * (i & 1),
                                                   .flags = i >> 1 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
        begin(places.commands, &info);
        vkCmdDraw(places.commands, 3, 1, 4 * i, i);
        end(places.commands);
        for (uint32_t v = 0; drawn && v < 3; v++)
            expect_place(&places, 4 * i + v, i, 4 * i, i, 0);
    }
    end_places(vt, &places);
}

const struct vt_case vt_render_cases[] = {
    {"clear", case_clear, NULL},
    {"screen 16x16", case_screen, &sizes[0]},
    {"screen 1x1", case_screen, &sizes[1]},
    {"screen 61x37", case_screen, &sizes[2]},
    {"screen 512x512", case_screen, &sizes[3]},
    {"screen 600x520", case_screen, &sizes[4]},
    {"screen 700x300 half", case_screen, &sizes[5]},
    {"load", case_load, NULL},
    {"load of a large target", case_load_large, NULL},
    {"clear attachments", case_clear_attachments, NULL},
    {"area", case_area, NULL},
    {"push constants", case_push, NULL},
    {"2 targets", case_targets, &multis[0]},
    {"4 targets", case_targets, &multis[1]},
    {"8 targets", case_targets, &multis[2]},
    {"targets of many kinds", case_mixed_targets, NULL},
    {"to a layer", case_part, &parts[0]},
    {"to level 2", case_part, &parts[1]},
    {"to level 3 of a layer", case_part, &parts[2]},
    {"to a slice", case_part, &parts[3]},
    {"to a slice of level 1", case_part, &parts[4]},
    {"layers", case_layers, NULL},
#define ATTRIBUTE(i, name)                                                                                             \
    {                                                                                                                  \
        "attribute " name, case_attribute, &attributes[i]                                                              \
    }
    ATTRIBUTE(0, "r32g32b32a32 sfloat"),
    ATTRIBUTE(1, "r32g32b32 sfloat"),
    ATTRIBUTE(2, "r32g32 sfloat"),
    ATTRIBUTE(3, "r32 sfloat"),
    ATTRIBUTE(4, "r32g32b32a32 uint"),
    ATTRIBUTE(5, "r32g32b32 uint"),
    ATTRIBUTE(6, "r32 sint"),
    ATTRIBUTE(7, "r16g16b16a16 sfloat"),
    ATTRIBUTE(8, "r16g16 sfloat"),
    ATTRIBUTE(9, "r16g16b16a16 unorm"),
    ATTRIBUTE(10, "r16g16 snorm"),
    ATTRIBUTE(11, "r16g16b16a16 sint"),
    ATTRIBUTE(12, "r16 uint"),
    ATTRIBUTE(13, "r8g8b8a8 unorm"),
    ATTRIBUTE(14, "r8g8b8a8 snorm"),
    ATTRIBUTE(15, "r8g8b8a8 uint"),
    ATTRIBUTE(16, "r8g8b8a8 sint"),
    ATTRIBUTE(17, "b8g8r8a8 unorm"),
    ATTRIBUTE(18, "r8g8 unorm"),
    ATTRIBUTE(19, "r8 unorm"),
    ATTRIBUTE(20, "a2b10g10r10 unorm"),
    ATTRIBUTE(21, "a2b10g10r10 uint"),
    ATTRIBUTE(22, "a2r10g10b10 unorm"),
    ATTRIBUTE(23, "b10g11r11 ufloat"),
    {"draw", case_draw, NULL},
    {"indices of 8 bits", case_draw_indexed, &index_types[0]},
    {"indices of 16 bits", case_draw_indexed, &index_types[1]},
    {"indices of 32 bits", case_draw_indexed, &index_types[2]},
    {"indirect", case_indirect, NULL},
    {"indexed indirect", case_indexed_indirect_count, &counts[0]},
    {"indirect count of memory", case_indexed_indirect_count, &counts[1]},
    {"indirect count of command", case_indexed_indirect_count, &counts[2]},
    {"indirect count of memory by AMD's command", case_indexed_indirect_count, &counts[3]},
    {"indirect count of command by AMD's command", case_indexed_indirect_count, &counts[4]},
    {"plain indirect count of memory", case_indirect_count, &counts[1]},
    {"plain indirect count of command", case_indirect_count, &counts[2]},
    {"plain indirect count of memory by AMD's command", case_indirect_count, &counts[3]},
    {"plain indirect count of command by AMD's command", case_indirect_count, &counts[4]},
    {"multi draw", case_multi_draw, NULL},
    {"multi draw indexed", case_multi_draw_indexed, NULL},
    {"multi draw indexed with one offset", case_multi_draw_indexed, &multi_offset},
    {"instances", case_instances, &divisors[0]},
    {"instances divisor 0", case_instances, &divisors[1]},
    {"instances divisor 3", case_instances, &divisors[2]},
    {"fragment coordinates", case_builtin, &builtins[0]},
    {"discard", case_builtin, &builtins[1]},
    {"demote", case_builtin, &builtins[2]},
    {"derivatives", case_builtin, &builtins[3]},
    {"fwidth", case_builtin, &builtins[4]},
    {"divergent fragments", case_builtin, &builtins[5]},
    {"stores of fragments", case_effects, NULL},
    {"pass", case_pass, &passes[0]},
    {"pass with input attachment", case_pass, &passes[1]},
    {"pass without images of its own", case_pass, &passes[2]},
    {"pass with input attachment, without images of its own", case_pass, &passes[3]},
    {"multiview", case_multiview, NULL},
    {"views with a gap", case_view_gaps, &view_tests[0]},
    {"one view of many", case_view_gaps, &view_tests[1]},
    {"views with a gap, lines", case_view_gaps, &view_tests[2]},
    {"views with a gap, points", case_view_gaps, &view_tests[3]},
    {"dynamic state", case_dynamic, NULL},
    {"conditional", case_conditional, NULL},
};
const size_t vt_render_count = COUNT_OF(vt_render_cases);
