/* State of pipelines that extensions add: restarts in lists, clipping and ranges of depth, attachments that are left
 * alone, places of samples, attachments that are read as they are written, pipelines put together of libraries. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/feedback_frag.h"
#include "shaders/independent_frag.h"
#include "shaders/store_vert.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 32

static const float white[4] = {1, 1, 1, 1};

/* ---- restarts in lists ---- */

struct restart {
    VkPrimitiveTopology topology;
    VkIndexType type;
};

/* Eight cells of 4 pixels in a row; the vertices of cell n are 6 n and up: two triangles, or a line at their top.
 * Indices begin cells that a restart breaks off, and whole ones. */
static void case_list_restart(struct vt *vt, const void *argument)
{
    const struct restart *test = argument;
    enum {
        R = 0xffff
    };
    if (!vt->has[VT_TOPOLOGY_LIST_RESTART])
        vt_skip(vt, "no VK_EXT_primitive_topology_list_restart");
    bool lines = test->topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    static const uint16_t triangle_indices[] = {0,  1,  R, 6,  7,  8,  9,  10, R,  12, R,  R, 18, 19, 20, 21,
                                                22, 23, R, 24, 25, 26, 27, R,  30, 31, 32, R, R,  36, 37},
                          line_indices[] = {0, R, 6, 7, 12, R, R, 18, 19, 24, 25, 30, R, 36, R, 42, 43};
    static const uint8_t triangles_drawn = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5,
                         lines_drawn = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 7;
    const uint16_t *numbers = lines ? line_indices : triangle_indices;
    uint32_t count = lines ? COUNT_OF(line_indices) : COUNT_OF(triangle_indices), indices[64];
    struct vt_vertex vertices[48];
    for (unsigned cell = 0; cell < 8; cell++) {
        float left = (float)cell / 4 - 1, middle = 0.5f / SIZE * 2 - 1; /* of the topmost row */
        vt_rectangle(vertices + 6 * cell, left, lines ? middle : -1, left + 0.25f, 1, 0.5f, white);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool restart = numbers[i] == R;
        if (test->type == VK_INDEX_TYPE_UINT32)
            indices[i] = restart ? UINT32_MAX : numbers[i];
        else
            ((uint16_t *)indices)[i] = numbers[i];
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    graphics.assembly.primitiveRestartEnable = VK_TRUE;
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices),
                     index_buffer = vt_buffer(vt, sizeof(indices), indices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, index_buffer.buffer, 0, test->type);
    vkCmdDrawIndexed(commands, count, 1, 0, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t cell = 0; cell < 8; cell++) {
        uint32_t got = ((const uint32_t *)texels.map)[4 * cell + 1]; /* in the first triangle, and on the line */
        bool drawn = (lines ? lines_drawn : triangles_drawn) >> cell & 1;
        if (got != (drawn ? UINT32_MAX : 0))
            vt_fail(vt, "cell %u is 0x%08x, and should be %s", cell, got, drawn ? "drawn" : "empty");
    }
}

static const struct restart restarts[] = {{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_INDEX_TYPE_UINT16},
                                          {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_INDEX_TYPE_UINT32},
                                          {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_INDEX_TYPE_UINT16}};

/* ---- depth ---- */

struct depth_state {
    bool clip, clamp, negative; /* negative: depths from -1 to 1 are in the volume */
    float min, max;             /* of the viewport */
    float z;
    bool drawn;
    float stored;
};

/* The pixels that are drawn, and the depth that they leave. */
static void case_depth_state(struct vt *vt, const void *argument)
{
    const struct depth_state *test = argument;
    if (!vt->has[VT_DEPTH_CLIP_ENABLE] || (test->negative && !vt->has[VT_DEPTH_CLIP_CONTROL]) ||
        ((fminf(test->min, test->max) < 0 || fmaxf(test->min, test->max) > 1) && !vt->has[VT_DEPTH_RANGE_UNRESTRICTED]))
        vt_skip(vt, "no such state of depth");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    target.clear_depth.depthStencil.depth = 0.625f;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    VkPipelineRasterizationDepthClipStateCreateInfoEXT clip = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .depthClipEnable = test->clip};
    VkPipelineViewportDepthClipControlCreateInfoEXT control = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
        .negativeOneToOne = test->negative};
    graphics.raster.pNext = &clip;
    graphics.raster.depthClampEnable = test->clamp;
    graphics.viewport.pNext = test->negative ? &control : NULL;
    graphics.viewports[0].minDepth = test->min;
    graphics.viewports[0].maxDepth = test->max;
    graphics.depth.depthTestEnable = VK_TRUE;
    graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    struct vt_vertex vertices[6];
    vt_quad(vertices, test->z, white);
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, 6);
    const float *depths = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        float expected = test->drawn ? test->stored : 0.625f;
        if (texels[i] != (test->drawn ? UINT32_MAX : 0) || fabsf(depths[i] - expected) > 1e-6f)
            vt_fail(vt, "pixel %u,%u is 0x%08x at depth %g, expected %s at %g", i % SIZE, i / SIZE, texels[i],
                    (double)depths[i], test->drawn ? "white" : "nothing", (double)expected);
    }
}

static const struct depth_state depth_states[] = {
    /* clip, clamp, -1 to 1, viewport, z, what is there */
    {true, false, false, 0, 1, 0.25f, true, 0.25f},
    {true, false, false, 0, 1, 1.5f, false, 0},
    {true, true, false, 0, 1, -0.5f, false, 0},
    {false, true, false, 0.25f, 0.75f, 1.5f, true, 0.75f},
    {false, true, false, 0.25f, 0.75f, -2, true, 0.25f},
    {true, false, true, 0, 1, -0.5f, true, 0.25f},
    {true, false, true, 0, 1, -1.25f, false, 0},
    {true, false, true, 0.5f, 1, 0.5f, true, 0.875f},
    {true, false, false, -2, 3, 0.9f, true, 2.5f},
    {true, false, false, 4, -4, 0.75f, true, -2},
    {false, true, false, -1, 2, 5, true, 2},
    {true, false, true, -3, 1, 0, true, -1},
};

/* ---- attachments that are left alone ---- */

static void case_op_none(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_LOAD_STORE_OP_NONE])
        vt_skip(vt, "no VK_EXT_load_store_op_none");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT_S8_UINT);
    vt_add_color(vt, &target, RGBA8);
    target.clears[0].color = (VkClearColorValue){{0.2f, 0.4f, 0.6f, 0.8f}};
    target.clears[1].color = (VkClearColorValue){{0.8f, 0.2f, 0.4f, 0.6f}};
    target.clear_depth.depthStencil = (VkClearDepthStencilValue){0.375f, 0x5a};
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.blends[1].colorWriteMask = 0; /* the shader has one output */
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, -1, -1, 0, 1, 0.5f, white);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    VkRenderingAttachmentInfo colors[2], depth;
    for (unsigned i = 0; i < 2; i++)
        colors[i] =
            (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = target.color_views[i],
                                        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        .loadOp = i ? VK_ATTACHMENT_LOAD_OP_NONE_EXT : VK_ATTACHMENT_LOAD_OP_LOAD,
                                        .storeOp = i ? VK_ATTACHMENT_STORE_OP_NONE : VK_ATTACHMENT_STORE_OP_STORE,
                                        .clearValue.color = {{1, 1, 1, 1}}};
    depth = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = target.depth_view,
                                        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_NONE,
                                        .clearValue.depthStencil = {1, 0xff}};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {SIZE, SIZE}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 2,
                                 .pColorAttachments = colors,
                                 .pDepthAttachment = &depth,
                                 .pStencilAttachment = &depth};
    vt_full_barrier(commands);
    vkCmdBeginRendering(commands, &rendering);
    vt_draw(vt, commands, &graphics, vertices, 6); /* without tests of depth or stencil */
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t *drawn = vt_download(vt, &target.colors[0], 0), *alone = vt_download(vt, &target.colors[1], 0);
    const float *depths = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    const uint8_t *stencils = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t expected = i % SIZE < SIZE / 2 ? UINT32_MAX : 0xcc996633;
        if (drawn[i] != expected || alone[i] != 0x996633cc || depths[i] != 0.375f || stencils[i] != 0x5a)
            vt_fail(vt, "pixel %u,%u is 0x%08x, 0x%08x, %g and 0x%02x", i % SIZE, i / SIZE, drawn[i], alone[i],
                    (double)depths[i], stencils[i]);
    }
}

/* ---- depth and stencil that go their own ways ---- */

static void change_aspect(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                          VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

static void begin_depth(VkCommandBuffer commands, const struct vt_target *target, VkImageLayout depth_layout,
                        VkAttachmentLoadOp load)
{
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target->depth_view,
                                       .imageLayout = depth_layout,
                                       .loadOp = load,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue.depthStencil = {1, 3}},
                              stencil = depth;
    stencil.imageLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {SIZE, SIZE}},
                                 .layerCount = 1,
                                 .pDepthAttachment = &depth,
                                 .pStencilAttachment = &stencil};
    vkCmdBeginRendering(commands, &rendering);
}

/* An image whose stencil has fewer uses than its depth. The left half is drawn, with another stencil; then depth can be
 * read only, and stencil counts which half lies behind. */
static void case_own_ways(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features12.separateDepthStencilLayouts)
        vt_skip(vt, "no separateDepthStencilLayouts");
    const VkFormat format = VK_FORMAT_D32_SFLOAT_S8_UINT;
    const VkImageAspectFlags d = VK_IMAGE_ASPECT_DEPTH_BIT, s = VK_IMAGE_ASPECT_STENCIL_BIT;
    VkImageStencilUsageCreateInfo stencil_usage = {.sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO,
                                                   .stencilUsage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.depth_format = format;
    target.depth = vt_image(
        vt, &(struct vt_image_info){.next = &stencil_usage,
                                    .format = format,
                                    .width = SIZE,
                                    .height = SIZE,
                                    .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
    target.depth_view = vt_view(vt, &target.depth, VK_IMAGE_VIEW_TYPE_2D);
    struct vt_graphics first, second;
    vt_graphics_init(&first, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&first);
    first.depth.depthTestEnable = first.depth.depthWriteEnable = first.depth.stencilTestEnable = VK_TRUE;
    first.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    first.depth.front = (VkStencilOpState){.passOp = VK_STENCIL_OP_REPLACE,
                                           .compareOp = VK_COMPARE_OP_ALWAYS,
                                           .compareMask = 0xff,
                                           .writeMask = 0xff,
                                           .reference = 7};
    first.depth.back = first.depth.front;
    vt_graphics_init(&second, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&second);
    second.depth = first.depth;
    second.depth.depthWriteEnable = VK_FALSE;
    second.depth.front.passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP;
    second.depth.front.depthFailOp = VK_STENCIL_OP_DECREMENT_AND_CLAMP;
    second.depth.back = second.depth.front;
    vt_make_pipeline(vt, &first, &target);
    vt_make_pipeline(vt, &second, &target);
    struct vt_vertex left[6], all[6];
    vt_rectangle(left, -1, -1, 0, 1, 0.25f, white);
    vt_quad(all, 0.5f, white);
    VkCommandBuffer commands = vt_begin(vt);
    VkImage image = target.depth.image;
    change_aspect(commands, image, d, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    change_aspect(commands, image, s, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL);
    begin_depth(commands, &target, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
    vt_draw(vt, commands, &first, left, 6);
    vkCmdEndRendering(commands);
    change_aspect(commands, image, d, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                  VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL);
    vt_full_barrier(commands);
    begin_depth(commands, &target, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL, VK_ATTACHMENT_LOAD_OP_LOAD);
    vt_draw(vt, commands, &second, all, 6);
    vkCmdEndRendering(commands);
    change_aspect(commands, image, d, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    change_aspect(commands, image, s, VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_submit(vt, commands);
    target.depth.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const float *depths = vt_download_aspect(vt, &target.depth, 0, d);
    const uint8_t *stencils = vt_download_aspect(vt, &target.depth, 0, s);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        bool near = i % SIZE < SIZE / 2;
        if (depths[i] != (near ? 0.25f : 1) || stencils[i] != (near ? 6 : 4))
            vt_fail(vt, "pixel %u,%u has depth %g and stencil %u", i % SIZE, i / SIZE, (double)depths[i], stencils[i]);
    }
}

/* ---- places of samples ---- */

enum places {
    STATIC,
    BY_COMMAND,
    SWITCHED, /* and the switch itself by a command */
    STANDARD,
};

/* A rectangle that ends at 3/8 of a pixel column covers of it what stands left of there. All samples stand left, or all
 * right; with the standard places half of them. */
static void case_sample_locations(struct vt *vt, const void *argument)
{
    enum places how = *(const enum places *)argument;
    const VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
    VkPhysicalDeviceSampleLocationsPropertiesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &about};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &dynamic};
    if (vt->has[VT_SAMPLE_LOCATIONS])
        vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    if (vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!(about.sampleLocationSampleCounts & samples) ||
        (how == SWITCHED && !dynamic.extendedDynamicState3SampleLocationsEnable))
        vt_skip(vt, "no such places of samples");
    if (how == STANDARD && !vt->properties.limits.standardSampleLocations)
        vt_skip(vt, "no standard places");
    static const VkSampleLocationEXT left[4] = {{0.0625f, 0.125f},
                                                {0.25f, 0.375f},
                                                {0.125f, 0.625f},
                                                {0.3125f, 0.875f}},
                                     right[4] = {{0.5f, 0.125f}, {0.75f, 0.375f}, {0.625f, 0.625f}, {0.875f, 0.875f}};
    VkSampleLocationsInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT,
                                     .sampleLocationsPerPixel = samples,
                                     .sampleLocationGridSize = {1, 1},
                                     .sampleLocationsCount = 4,
                                     .pSampleLocations = left};
    VkPipelineSampleLocationsStateCreateInfoEXT state = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT,
        .sampleLocationsEnable = how == STATIC || how == BY_COMMAND,
        .sampleLocationsInfo = info};
    struct vt_target target = vt_empty_target(SIZE, SIZE, samples);
    vt_add_color(vt, &target, RGBA8);
    struct vt_image resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.resolve = &resolved;
    target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    if (how != STANDARD)
        graphics.multisample.pNext = &state;
    if (how == BY_COMMAND || how == SWITCHED)
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT);
    if (how == SWITCHED)
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex top[6], bottom[6];
    vt_rectangle(top, -1, -1, 10.375f / (SIZE / 2) - 1, 0, 0.5f, white);
    vt_rectangle(bottom, -1, 0, 10.375f / (SIZE / 2) - 1, 1, 0.5f, white);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    if (how == SWITCHED)
        VT_LOAD(vt, CmdSetSampleLocationsEnableEXT)(commands, VK_TRUE);
    if (how == BY_COMMAND || how == SWITCHED)
        VT_LOAD(vt, CmdSetSampleLocationsEXT)(commands, &info);
    vt_draw(vt, commands, &graphics, top, 6);
    info.pSampleLocations = right;
    /* Where the places may not change within a rendering, they stay. */
    bool change = (how == BY_COMMAND || how == SWITCHED) && about.variableSampleLocations;
    if (change)
        VT_LOAD(vt, CmdSetSampleLocationsEXT)(commands, &info);
    vt_draw(vt, commands, &graphics, bottom, 6);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t *texels = vt_download(vt, &resolved, 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, grey = texels[i] & 0xff;
        bool changed = change && i / SIZE >= SIZE / 2;
        uint32_t expected = x < 10 ? 255 : x > 10 || changed ? 0 : how == STANDARD ? 64 : 255;
        if ((grey > expected ? grey - expected : expected - grey) > (how == STANDARD ? 1 : 0))
            vt_fail(vt, "pixel %u,%u is %u, expected %u", x, i / SIZE, grey, expected);
    }
}

static const enum places hows[] = {STATIC, BY_COMMAND, SWITCHED, STANDARD};

/* ---- an attachment that is read as it is written ---- */

static void case_feedback(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_FEEDBACK_LOOP_LAYOUT])
        vt_skip(vt, "no VK_EXT_attachment_feedback_loop_layout");
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.color_count = 1;
    target.color_formats[0] = RGBA8;
    target.colors[0] = vt_image_2d(vt, RGBA8, SIZE, SIZE,
                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                       VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT);
    VkImageView view = vt_view(vt, &target.colors[0], VK_IMAGE_VIEW_TYPE_2D);
    uint32_t texels[SIZE * SIZE];
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = i * 2654435761u & 0xfefefefe;
    vt_upload(vt, &target.colors[0], 0, texels, VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT);
    struct vt_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     .image = {vt_sampler(vt, (VkSamplerCreateInfo){0}), view,
                                               VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT}}};
    struct vt_set set = vt_set(vt, bindings, 1);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(feedback_frag));
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    graphics.flags = VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
    vt_make_pipeline(vt, &graphics, &target);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = view,
                                       .imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {SIZE, SIZE}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &color};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t *got = vt_download(vt, &target.colors[0], 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t c[4] = {texels[i] & 0xff, texels[i] >> 8 & 0xff, texels[i] >> 16 & 0xff, texels[i] >> 24};
        uint32_t expected = c[1] | c[2] / 2 << 8 | c[3] << 16 | c[0] << 24;
        if (got[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, got[i], expected);
    }
}

/* ---- pipelines of libraries ---- */

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

static VkPipeline make_part(struct vt *vt, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateGraphicsPipelines(vt->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

/* Four parts, each given only its own state, and linked; twice the same parts with another part for the output. */
static void case_library(struct vt *vt, const void *argument)
{
    bool optimised = argument != NULL;
    if (!vt->has[VT_GRAPHICS_PIPELINE_LIBRARY] || !vt->has[VT_PIPELINE_LIBRARY])
        vt_skip(vt, "no VK_EXT_graphics_pipeline_library");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    target.clears[0].color = (VkClearColorValue){{0.2f, 0.2f, 0.2f, 0.2f}};
    struct vt_graphics g; /* holds the state; its own pipeline is never made */
    vt_graphics_init(&g, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&g);
    vt_add_dynamic(&g, VK_DYNAMIC_STATE_SCISSOR);
    VkPipelineLayout layout = vt_pipeline_layout(vt, NULL, 0);
    VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                             .pColorAttachmentFormats = target.color_formats};
    VkGraphicsPipelineLibraryCreateInfoEXT kind = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                   .pNext = &formats};
    VkPipelineShaderStageCreateInfo stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                             .module = vt_module(vt, vt_plain_vert),
                                             .pName = "main"};
    const VkPipelineCreateFlags flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                                        (optimised ? VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT : 0);
    VkGraphicsPipelineCreateInfo base = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &kind,
                                         .flags = flags,
                                         .pDynamicState = &g.dynamic};
    VkPipeline parts[5];
    VkGraphicsPipelineCreateInfo info = base;
    kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT;
    info.pVertexInputState = &g.vertex;
    info.pInputAssemblyState = &g.assembly;
    parts[0] = make_part(vt, &info);
    info = base;
    kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
    info.stageCount = 1;
    info.pStages = &stage;
    info.pViewportState = &g.viewport;
    info.pRasterizationState = &g.raster;
    info.layout = layout;
    parts[1] = make_part(vt, &info);
    info = base;
    kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    stage.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stage.module = vt_module(vt, vt_plain_frag);
    info.stageCount = 1;
    info.pStages = &stage;
    info.pMultisampleState = &g.multisample;
    info.pDepthStencilState = &g.depth;
    info.layout = layout;
    parts[2] = make_part(vt, &info);
    for (unsigned i = 3; i < 5; i++) { /* one writes, the other adds */
        info = base;
        kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
        formats.colorAttachmentCount = 1;
        g.blends[0].blendEnable = i == 4;
        g.blends[0].srcColorBlendFactor = g.blends[0].dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
        g.blends[0].srcAlphaBlendFactor = g.blends[0].dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        info.pColorBlendState = &g.blend;
        info.pMultisampleState = &g.multisample;
        parts[i] = make_part(vt, &info);
    }
    VkPipeline linked[2];
    for (unsigned i = 0; i < 2; i++) {
        VkPipeline used[4] = {parts[0], parts[1], parts[2], parts[3 + i]};
        VkPipelineLibraryCreateInfoKHR libraries = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 4, .pLibraries = used};
        VkGraphicsPipelineCreateInfo whole = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                              .pNext = &libraries,
                                              .flags =
                                                  optimised ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0,
                                              .layout = layout};
        linked[i] = make_part(vt, &whole);
    }
    static const float color[4] = {0.4f, 0.6f, 0, 0.8f};
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, color);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    for (unsigned i = 0; i < 2; i++) {
        g.pipeline = linked[i];
        vkCmdSetScissor(commands, 0, 1, &(VkRect2D){{(int32_t)i * 8, 0}, {8, SIZE}});
        vt_draw(vt, commands, &g, vertices, 6);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t *texels = vt_download(vt, &target.colors[0], 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, expected = x < 8 ? 0xcc009966 : x < 16 ? 0xff33cc99 : 0x33333333;
        if (texels[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", x, i / SIZE, texels[i], expected);
    }
}

/* ---- blending that is each target's own ---- */

static void case_independent(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features.features.independentBlend)
        vt_skip(vt, "no independentBlend");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    for (unsigned i = 1; i < 4; i++)
        vt_add_color(vt, &target, RGBA8);
    for (unsigned i = 0; i < 4; i++)
        target.clears[i].color = (VkClearColorValue){{0.2f, 0.4f, 0.6f, 0.8f}};
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(independent_frag));
    static const VkPipelineColorBlendAttachmentState add = {VK_TRUE,
                                                            VK_BLEND_FACTOR_ONE,
                                                            VK_BLEND_FACTOR_ONE,
                                                            VK_BLEND_OP_ADD,
                                                            VK_BLEND_FACTOR_ONE,
                                                            VK_BLEND_FACTOR_ONE,
                                                            VK_BLEND_OP_ADD,
                                                            0xf};
    graphics.blends[1] = add;
    graphics.blends[2].colorWriteMask = VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_A_BIT;
    graphics.blends[3] = add;
    graphics.blends[3].colorBlendOp = VK_BLEND_OP_REVERSE_SUBTRACT;
    graphics.blends[3].srcAlphaBlendFactor = VK_BLEND_FACTOR_ZERO;
    graphics.blends[3].colorWriteMask = 0xf & ~VK_COLOR_COMPONENT_B_BIT;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    /* (0.2, 0.2, 0.4, 0.2) came to each. */
    static const double expected[4][4] = {
        {0.2, 0.2, 0.4, 0.2}, {0.4, 0.6, 1, 1}, {0.2, 0.2, 0.6, 0.2}, {0, 0.2, 0.6, 0.8}};
    for (unsigned i = 0; i < 4; i++)
        vt_expect_color(vt, RGBA8, vt_download(vt, &target.colors[i], 0), SIZE, SIZE, expected[i], 1, "a target");
}

/* ---- vertex shaders with effects ---- */

static void case_vertex_stores(struct vt *vt, const void *argument)
{
    bool discard = argument != NULL;
    if (!vt->features.features.vertexPipelineStoresAndAtomics)
        vt_skip(vt, "no vertexPipelineStoresAndAtomics");
    enum {
        VERTICES = 90,
        INSTANCES = 3
    };
    struct vt_buffer left = vt_buffer(vt, 8 + 400 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(left)};
    struct vt_set set = vt_set(vt, bindings, 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(store_vert), discard ? (struct vt_spirv){0} : vt_constant_frag);
    graphics.raster.rasterizerDiscardEnable = discard;
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST; /* each vertex is looked at once */
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDraw(commands, VERTICES, INSTANCES, 5, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[402] = {VERTICES * INSTANCES}, lowest = UINT32_MAX, highest = 0;
    for (uint32_t i = 0; i < VERTICES * INSTANCES; i++) {
        uint32_t at = i / VERTICES * 100 + i % VERTICES + 5;
        expected[1] += at;
        expected[2 + at] = at * 5 + 2;
        lowest = at < lowest ? at : lowest;
        highest = at > highest ? at : highest;
    }
    /* A vertex shader is executed at least once for each vertex: a GPU that draws in bins executes it again for those
     * that a bin shows. What is left of each vertex is the same, and the sums grow by vertices of the draw. */
    const uint32_t *words = left.map, again = words[0] - expected[0], more = words[1] - expected[1];
    if (words[0] < expected[0] || words[1] < expected[1] || more < (uint64_t)again * lowest ||
        more > (uint64_t)again * highest)
        vt_fail(vt, "%u vertices with a sum of %u, not %u with %u", words[0], words[1], expected[0], expected[1]);
    vt_expect_words(vt, words + 2, expected + 2, 400, "what vertices left");
}

const struct vt_case vt_state_cases[] = {
    {"restart in triangles", case_list_restart, &restarts[0]},
    {"restart in triangles of 32 bits", case_list_restart, &restarts[1]},
    {"restart in lines", case_list_restart, &restarts[2]},
    {"depth inside", case_depth_state, &depth_states[0]},
    {"depth clipped", case_depth_state, &depth_states[1]},
    {"depth clipped though clamped", case_depth_state, &depth_states[2]},
    {"depth clamped, far", case_depth_state, &depth_states[3]},
    {"depth clamped, near", case_depth_state, &depth_states[4]},
    {"depth from -1", case_depth_state, &depth_states[5]},
    {"depth before -1", case_depth_state, &depth_states[6]},
    {"depth from -1 in part of a range", case_depth_state, &depth_states[7]},
    {"depth range beyond 0 to 1", case_depth_state, &depth_states[8]},
    {"depth range turned", case_depth_state, &depth_states[9]},
    {"depth range clamped", case_depth_state, &depth_states[10]},
    {"depth range from -1", case_depth_state, &depth_states[11]},
    {"attachments left alone", case_op_none, NULL},
    {"depth and stencil apart", case_own_ways, NULL},
    {"sample locations", case_sample_locations, &hows[0]},
    {"sample locations by command", case_sample_locations, &hows[1]},
    {"sample locations switched on", case_sample_locations, &hows[2]},
    {"sample locations of the standard", case_sample_locations, &hows[3]},
    {"attachment read as it is written", case_feedback, NULL},
    {"pipeline of libraries", case_library, NULL},
    {"pipeline of libraries, optimised", case_library, vt_state_cases},
    {"blending of each target's own", case_independent, NULL},
    {"vertices that store", case_vertex_stores, NULL},
    {"vertices that store and are not drawn", case_vertex_stores, vt_state_cases},
};
const size_t vt_state_count = COUNT_OF(vt_state_cases);
