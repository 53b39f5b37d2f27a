/* Clears, resolves and blits beyond the plain ones of image_cases.c and msaa_cases.c: other queues, layers, views,
 * parts, depth and stencil, volumes. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 24

static const VkClearColorValue plain = {.float32 = {0.2f, 0.4f, 0.6f, 0.8f}};

static void expect_word(struct vt *vt, const struct vt_buffer *texels, uint32_t width, uint32_t height, uint32_t x,
                        uint32_t y, uint32_t layer, uint32_t expected)
{
    uint32_t got = ((const uint32_t *)texels->map)[(layer * height + y) * width + x];
    if (got != expected)
        vt_fail(vt, "pixel %u,%u of layer %u is 0x%08x, not 0x%08x", x, y, layer, got, expected);
}

/* ---- on a queue without graphics ---- */

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, (VkCommandPool)handle, NULL);
}

static VkCommandBuffer begin_on(struct vt *vt, uint32_t family)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    VkCommandPool pool;
    VkCommandBuffer commands;
    VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &commands));
    return commands;
}

static void case_compute_clear(struct vt *vt, const void *argument)
{
    const VkFormat format = *(const VkFormat *)argument;
    const struct vt_format *known = vt_format(format);
    if (!vt->compute_queue)
        vt_skip(vt, "no queue without graphics");
    vt_need_features(vt, format, VK_FORMAT_FEATURE_TRANSFER_DST_BIT);
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = format, .width = SIZE, .height = 13, .levels = 3, .layers = 2});
    VkCommandBuffer commands = begin_on(vt, vt->compute_family);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkClearColorValue color = plain;
    double expected[4] = {plain.float32[0], plain.float32[1], plain.float32[2], plain.float32[3]};
    if (vt_is_integer(known)) {
        color = (VkClearColorValue){.uint32 = {1, 2, 3, 100}};
        memcpy(expected, (double[4]){1, 2, 3, 100}, sizeof(expected));
    }
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                     VK_REMAINING_ARRAY_LAYERS};
    vkCmdClearColorImage(commands, image.image, image.layout, &color, 1, &range);
    struct vt_buffer texels[3];
    for (uint32_t level = 0; level < 3; level++)
        texels[level] = vt_record_download(vt, commands, &image, level, VK_IMAGE_ASPECT_COLOR_BIT);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VT_CHECK(vt, vkQueueSubmit(vt->compute_queue, 1, &submit, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->compute_queue));
    for (uint32_t level = 0; level < 3; level++)
        vt_expect_color(vt, format, texels[level].map, vt_mip(SIZE, level), vt_mip(13, level) * 2, expected, 1,
                        "cleared");
}

static const VkFormat compute_formats[] = {RGBA8, VK_FORMAT_R8_UINT, VK_FORMAT_R16G16B16A16_SFLOAT,
                                           VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32};

/* Three words per texel: no colour target, and no image that a shader stores to. */
static void case_three_words(struct vt *vt, const void *argument)
{
    const VkFormat format = VK_FORMAT_R32G32B32_SFLOAT;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, format, &properties);
    const VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
    if ((properties.linearTilingFeatures & needed) != needed)
        vt_skip(vt, "no such format");
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = format, .width = 19, .height = 7, .linear = true});
    VkCommandBuffer commands = vt_begin(vt);
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image.image, image.layout, &plain, 1, &range);
    struct vt_buffer texels = vt_record_download(vt, commands, &image, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 19 * 7 * 3; i++) {
        if (((float *)texels.map)[i] != plain.float32[i % 3])
            vt_fail(vt, "word %u is %g", i, ((float *)texels.map)[i]);
    }
}

/* ---- vkCmdClearAttachments ---- */

struct layered {
    uint32_t layers, view_mask;
    uint32_t first, count; /* of the rectangle */
    uint32_t cleared;      /* by layer */
    bool secondary;
};

static struct vt_target layered_target(struct vt *vt, const struct layered *test)
{
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.color_count = 1;
    target.color_formats[0] = RGBA8;
    target.layers = test->layers;
    target.view_mask = test->view_mask;
    target.colors[0] = vt_image(vt, &(struct vt_image_info){.format = RGBA8,
                                                            .width = SIZE,
                                                            .height = SIZE,
                                                            .layers = test->layers,
                                                            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    target.color_views[0] = vt_view(vt, &target.colors[0], VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    return target;
}

static void case_layered(struct vt *vt, const void *argument)
{
    const struct layered *test = argument;
    if (test->view_mask && !vt->features11.multiview)
        vt_skip(vt, "no multiview");
    struct vt_target target = layered_target(vt, test);
    VkCommandBuffer commands = vt_begin(vt), clears = commands;
    vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};
    vkCmdClearColorImage(commands, target.colors[0].image, target.colors[0].layout,
                         &(VkClearColorValue){.float32 = {1, 0, 0, 1}}, 1, &all);
    vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target.color_views[0],
                                       .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .flags = test->secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
                            .renderArea = {{0, 0}, {SIZE, SIZE}},
                            .layerCount = test->view_mask ? 1 : test->layers,
                            .viewMask = test->view_mask,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &color};
    vkCmdBeginRendering(commands, &info);
    if (test->secondary)
        clears = vt_begin_secondary(vt, &target, 0, 0);
    VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0, 1}}}};
    VkClearRect rect = {{{4, 5}, {10, 11}}, test->first, test->count};
    vkCmdClearAttachments(clears, 1, &clear, 1, &rect);
    if (test->secondary) {
        VT_CHECK(vt, vkEndCommandBuffer(clears));
        vkCmdExecuteCommands(commands, 1, &clears);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE * test->layers; i++) {
        uint32_t x = i % SIZE, y = i / SIZE % SIZE, layer = i / (SIZE * SIZE);
        bool inside = x >= 4 && x < 14 && y >= 5 && y < 16 && test->cleared >> layer & 1;
        expect_word(vt, &texels, SIZE, SIZE, x, y, layer, inside ? 0xff00ff00 : 0xff0000ff);
    }
}

static const struct layered layered[] = {
    {.layers = 5, .first = 1, .count = 3, .cleared = 0xe},
    {.layers = 5, .view_mask = 0x16, .count = 1, .cleared = 0x16},
    {.layers = 2, .count = 2, .cleared = 3, .secondary = true},
};

/* A predicate decides about vkCmdClearAttachments, not about the clear of a load operation. */
static void case_predicate(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_CONDITIONAL_RENDERING])
        vt_skip(vt, "no VK_EXT_conditional_rendering");
    PFN_vkCmdBeginConditionalRenderingEXT begin =
        (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(vt->device, "vkCmdBeginConditionalRenderingEXT");
    PFN_vkCmdEndConditionalRenderingEXT end =
        (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(vt->device, "vkCmdEndConditionalRenderingEXT");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    target.clears[0].color = (VkClearColorValue){.float32 = {1, 0, 0, 1}};
    struct vt_buffer words = vt_buffer(vt, 8, (uint32_t[2]){0, 1});
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    for (uint32_t i = 0; i < 2; i++) {
        VkConditionalRenderingBeginInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, .buffer = words.buffer, .offset = i * 4};
        VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0, 1}}}};
        VkClearRect rect = {{{(int32_t)i * 12, 0}, {12, SIZE}}, 0, 1};
        begin(commands, &info);
        vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
        end(commands);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        expect_word(vt, &texels, SIZE, SIZE, i % SIZE, i / SIZE, 0, i % SIZE < 12 ? 0xff0000ff : 0xff00ff00);
}

/* A clear of everything between two draws, of images so large that a driver may do it by metadata. */
struct whole {
    VkSampleCountFlagBits samples;
    float color[4];
};

static void case_whole(struct vt *vt, const void *argument)
{
    const struct whole *test = argument;
    const uint32_t width = 640, height = 512;
    struct vt_target target = vt_empty_target(width, height, test->samples);
    vt_add_color(vt, &target, RGBA8);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    struct vt_image resolved = vt_image_2d(vt, RGBA8, width, height, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    if (test->samples > 1) {
        target.resolve = &resolved;
        target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
        target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    }
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &graphics, &target);
    VkClearAttachment clears[2] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {{0}}}},
                                   {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {1, 0}}}};
    memcpy(clears[0].clearValue.color.float32, test->color, sizeof(test->color));
    const VkClearRect all = {{{0, 0}, {width, height}}, 0, 1};
    struct vt_vertex first[6], second[6]; /* the second from (100, 50) to (400, 250) */
    vt_quad(first, 0.25f, (float[4]){1, 0, 0, 1});
    vt_rectangle(second, -0.6875f, 50 / 256.0f - 1, 0.25f, 250 / 256.0f - 1, 0.5f, plain.float32);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vt_draw(vt, commands, &graphics, first, 6);
    vkCmdClearAttachments(commands, 2, clears, 1, &all);
    vt_draw(vt, commands, &graphics, second, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, test->samples > 1 ? &resolved : &target.colors[0], 0,
                                                 VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const double back[4] = {test->color[0], test->color[1], test->color[2], test->color[3]},
                 fore[4] = {0.2, 0.4, 0.6, 0.8};
    for (uint32_t i = 0; i < width * height; i++) {
        bool inside = i % width - 100 < 300 && i / width - 50 < 200;
        const uint8_t *texel = (uint8_t *)texels.map + 4 * i;
        if (!vt_texel_is(vt_format(RGBA8), texel, inside ? fore : back, 1, 0))
            vt_fail_texel(vt, vt_format(RGBA8), texel, inside ? fore : back, "cleared", i % width, i / width, 0);
    }
}

static const struct whole wholes[] = {
    {VK_SAMPLE_COUNT_1_BIT, {0, 0, 0, 1}},
    {VK_SAMPLE_COUNT_1_BIT, {0.25f, 1, 0, 0.5f}},
    {VK_SAMPLE_COUNT_4_BIT, {1, 1, 1, 1}},
    {VK_SAMPLE_COUNT_4_BIT, {0.25f, 1, 0, 0.5f}},
};

/* Clears are no draws: a query counts the one draw between them, and that alone. */
static void case_query(struct vt *vt, const void *argument)
{
    const VkQueryType type = *(const VkQueryType *)argument;
    const bool is_statistics = type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
    if (is_statistics && !vt->features.features.pipelineStatisticsQuery)
        vt_skip(vt, "no pipeline statistics");
    VkQueryPool pool =
        vt_query_pool(vt, type, 1, is_statistics ? VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT : 0);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    vt_make_pipeline(vt, &graphics, &target);
    VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0, 1}}}};
    VkClearRect rect = {{{0, 0}, {SIZE, SIZE}}, 0, 1};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vt_begin_rendering(commands, &target);
    bool precise = type == VK_QUERY_TYPE_OCCLUSION && vt->features.features.occlusionQueryPrecise;
    vkCmdBeginQuery(commands, pool, 0, precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
    vkCmdEndQuery(commands, pool, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint64_t count = 0, expected = type == VK_QUERY_TYPE_OCCLUSION ? SIZE * SIZE : 3;
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(count), &count, sizeof(count),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    if (type == VK_QUERY_TYPE_OCCLUSION && !precise ? !count : count != expected)
        vt_fail(vt, "the query counts %llu, not %llu", (unsigned long long)count, (unsigned long long)expected);
}

static const VkQueryType queries[] = {VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_PIPELINE_STATISTICS};

/* ---- resolves of depth and stencil ---- */

struct depth_resolve {
    VkFormat format;
    VkResolveModeFlagBits depth, stencil;
    VkSampleMask written; /* samples with depth 0.25 and stencil 9; the others have 0.75 and 4 */
    double expected_depth;
    uint8_t expected_stencil;
};

static void need_modes(struct vt *vt, const struct depth_resolve *test)
{
    VkPhysicalDeviceDepthStencilResolveProperties modes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &modes};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    if ((modes.supportedDepthResolveModes & test->depth) != test->depth ||
        (modes.supportedStencilResolveModes & test->stencil) != test->stencil || !modes.independentResolve)
        vt_skip(vt, "no such mode of resolve");
}

static void begin_depth_resolve(VkCommandBuffer commands, const struct depth_resolve *test, VkImageView from,
                                VkImageView to, const VkRect2D *area)
{
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = from,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                       .resolveMode = test->depth,
                                       .resolveImageView = to,
                                       .resolveImageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue.depthStencil = {0.75f, 4}},
                              stencil = depth;
    stencil.resolveMode = test->stencil;
    VkImageAspectFlags aspects = vt_aspects(test->format);
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = *area,
                            .layerCount = 2,
                            .pDepthAttachment = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &depth : NULL,
                            .pStencilAttachment = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &stencil : NULL};
    vkCmdBeginRendering(commands, &info);
}

static void expect_resolved(struct vt *vt, const struct depth_resolve *test, const struct vt_buffer *texels,
                            VkImageAspectFlagBits aspect, const VkRect2D *area)
{
    bool is_depth = aspect == VK_IMAGE_ASPECT_DEPTH_BIT, is_16 = test->format == VK_FORMAT_D16_UNORM;
    for (uint32_t i = 0; i < SIZE * SIZE * 2; i++) {
        uint32_t x = i % SIZE, y = i / SIZE % SIZE, layer = i / (SIZE * SIZE);
        bool inside =
            x - (uint32_t)area->offset.x < area->extent.width && y - (uint32_t)area->offset.y < area->extent.height;
        /* The draw goes to layer 0 alone. */
        double expected = is_depth ? (!inside ? 0
                                      : layer ? 0.75
                                              : test->expected_depth)
                                   : (!inside ? 1
                                      : layer ? 4
                                              : test->expected_stencil);
        double got = !is_depth ? ((const uint8_t *)texels->map)[i]
                     : is_16   ? ((const uint16_t *)texels->map)[i] / 65535.0
                               : (double)((const float *)texels->map)[i];
        if (fabs(got - expected) > (is_16 ? 1.0 / 65535 : 1e-6))
            vt_fail(vt, "%s %u,%u of layer %u is %g, not %g", is_depth ? "depth" : "stencil", x, y, layer, got,
                    expected);
    }
}

static void case_depth_resolve(struct vt *vt, const void *argument)
{
    const struct depth_resolve *test = argument;
    need_modes(vt, test);
    vt_need_features(vt, test->format, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    struct vt_image_info info = {.format = test->format, .width = SIZE, .height = SIZE, .layers = 2, .usage = usage};
    struct vt_image resolved = vt_image(vt, &info);
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    struct vt_image image = vt_image(vt, &info);
    VkImageView from = vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D_ARRAY),
                to = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    const VkRect2D area = {{3, 6}, {16, 15}};

    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT);
    target.depth_format = test->format;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    graphics.viewports[0].minDepth = graphics.viewports[0].maxDepth = 0.25f;
    graphics.multisample.pSampleMask = &graphics.sample_mask;
    graphics.sample_mask = test->written;
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = graphics.depth.stencilTestEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    graphics.depth.front = graphics.depth.back = (VkStencilOpState){
        VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 9};
    vt_make_pipeline(vt, &graphics, &target);

    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &resolved, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange all = {vt_aspects(test->format), 0, 1, 0, 2};
    vkCmdClearDepthStencilImage(commands, resolved.image, resolved.layout, &(VkClearDepthStencilValue){0, 1}, 1, &all);
    vt_to_layout(commands, &resolved, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    begin_depth_resolve(commands, test, from, to, &area);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer depths = {0}, stencils = {0};
    if (all.aspectMask & VK_IMAGE_ASPECT_DEPTH_BIT)
        depths = vt_record_download(vt, commands, &resolved, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    if (all.aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT)
        stencils = vt_record_download(vt, commands, &resolved, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    vt_submit(vt, commands);
    if (depths.map)
        expect_resolved(vt, test, &depths, VK_IMAGE_ASPECT_DEPTH_BIT, &area);
    if (stencils.map)
        expect_resolved(vt, test, &stencils, VK_IMAGE_ASPECT_STENCIL_BIT, &area);
}

#define ZERO VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
static const struct depth_resolve depth_resolves[] = {
    {VK_FORMAT_D32_SFLOAT, ZERO, 0, 0xe, 0.75, 0},
    {VK_FORMAT_D32_SFLOAT, VK_RESOLVE_MODE_AVERAGE_BIT, 0, 0x7, 0.375, 0},
    {VK_FORMAT_D16_UNORM, VK_RESOLVE_MODE_MAX_BIT, 0, 0x5, 0.75, 0},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT, 0x8, 0.25, 9},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_MIN_BIT, 0x3, 0.5, 4},
    {VK_FORMAT_S8_UINT, 0, ZERO, 0x1, 0, 9},
};

/* ---- samples that were elsewhere between drawing and resolve ---- */

static void case_resolve_later(struct vt *vt, const void *argument)
{
    const VkImageLayout between = *(const VkImageLayout *)argument;
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &target, RGBA8);
    struct vt_image resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.clears[0].color = (VkClearColorValue){.float32 = {1, 0, 0, 1}};
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    graphics.multisample.pSampleMask = &graphics.sample_mask;
    graphics.sample_mask = 0xa;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_to_layout(commands, &target.colors[0], between);
    target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    target.resolve = &resolved;
    target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    vt_begin_rendering(commands, &target);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &resolved, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, (double[4]){0.6, 0.2, 0.3, 0.9}, 1, "resolved");
}

static const VkImageLayout layouts_between[] = {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};

/* ---- a part of some layers, by command ---- */

static void case_resolve_part(struct vt *vt, const void *argument)
{
    struct vt_image_info info = {
        .format = RGBA8, .width = SIZE, .height = SIZE, .layers = 3, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    struct vt_image resolved = vt_image(vt, &info);
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    struct vt_image image = vt_image(vt, &info);
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vt_to_layout(commands, &resolved, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t layer = 0; layer < 3; layer++) {
        VkImageSubresourceRange one = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1};
        VkClearColorValue color = {.float32 = {layer == 0, layer == 1, layer == 2, 1}}, black = {.float32 = {0}};
        vkCmdClearColorImage(commands, image.image, image.layout, &color, 1, &one);
        vkCmdClearColorImage(commands, resolved.image, resolved.layout, &black, 1, &one);
    }
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_to_layout(commands, &resolved, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageResolve region = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2}, {2, 3, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2}, {5, 1, 0}, {11, 17, 1}};
    vkCmdResolveImage(commands, image.image, image.layout, resolved.image, resolved.layout, 1, &region);
    struct vt_buffer texels = vt_record_download(vt, commands, &resolved, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE * 3; i++) {
        uint32_t x = i % SIZE, y = i / SIZE % SIZE, layer = i / (SIZE * SIZE);
        bool inside = x >= 5 && x < 16 && y >= 1 && y < 18 && layer < 2;
        expect_word(vt, &texels, SIZE, SIZE, x, y, layer, !inside ? 0 : layer ? 0xffff0000 : 0xff00ff00);
    }
}

/* ---- blits ---- */

struct blit {
    VkFormat format;
    VkImageAspectFlagBits aspect;
    VkFilter filter;
    VkImageType type;
    uint32_t src[3], dst[3]; /* extents; the third: slices, or layers, which are not scaled */
    bool mirrored[3];
};

/* Texel `at` of the source along an axis, with the weight of the next one. */
static uint32_t blit_place(const struct blit *test, unsigned axis, uint32_t at, double *weight)
{
    bool is_layer = axis == 2 && test->type != VK_IMAGE_TYPE_3D;
    uint32_t src = test->src[axis];
    double place = is_layer ? at + 0.5 : (at + 0.5) * src / test->dst[axis];
    if (test->mirrored[axis])
        place = src - place;
    *weight = 0;
    if (test->filter == VK_FILTER_NEAREST || is_layer)
        return (uint32_t)fmin(fmax(floor(place), 0), src - 1);
    place = fmin(fmax(place - 0.5, 0), src - 1.0);
    *weight = place - floor(place);
    return (uint32_t)floor(place);
}

static void blit_expected(const struct blit *test, const struct vt_format *format, const uint8_t *texels,
                          const uint32_t at[3], double out[4])
{
    uint32_t low[3];
    double weight[3];
    for (unsigned i = 0; i < 3; i++)
        low[i] = blit_place(test, i, at[i], &weight[i]);
    memset(out, 0, 4 * sizeof(*out));
    for (unsigned corner = 0; corner < 8; corner++) {
        double share = 1, texel[4];
        uint32_t from[3];
        for (unsigned i = 0; i < 3; i++) {
            bool high = corner >> i & 1;
            share *= high ? weight[i] : 1 - weight[i];
            from[i] = low[i] + high < test->src[i] ? low[i] + high : test->src[i] - 1;
        }
        vt_decode(format, texels + ((from[2] * test->src[1] + from[1]) * test->src[0] + from[0]) * format->texel_B,
                  texel);
        for (unsigned i = 0; share != 0 && i < 4; i++)
            out[i] += share * texel[i];
    }
}

static struct vt_image blit_image(struct vt *vt, const struct blit *test, const uint32_t extent[3])
{
    bool is_3d = test->type == VK_IMAGE_TYPE_3D, is_color = test->aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    return vt_image(vt, &(struct vt_image_info){.format = test->format,
                                                .type = test->type,
                                                .width = extent[0],
                                                .height = extent[1],
                                                .depth = is_3d ? extent[2] : 1,
                                                .layers = is_3d ? 1 : extent[2],
                                                .usage = is_color ? 0 : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
}

static void case_blit(struct vt *vt, const void *argument)
{
    const struct blit *test = argument;
    const struct vt_format *format = vt_format(test->format);
    bool is_3d = test->type == VK_IMAGE_TYPE_3D;
    vt_need_features(vt, test->format, VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT);
    struct vt_image src = blit_image(vt, test, test->src), dst = blit_image(vt, test, test->dst);
    size_t count = (size_t)test->src[0] * test->src[1] * test->src[2];
    struct vt_buffer texels = vt_buffer(vt, count * format->texel_B, NULL);
    uint64_t seed = 11;
    vt_random_texels(format, &seed, texels.map, count);
    if (test->aspect == VK_IMAGE_ASPECT_DEPTH_BIT) {
        for (size_t i = 0; i < count; i++)
            ((float *)texels.map)[i] = (float)(vt_random(&seed) >> 8) / 16777216.0f;
    }
    vt_upload(vt, &src, 0, texels.map, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    uint32_t layers = is_3d ? 1 : test->src[2];
    VkImageBlit region = {.srcSubresource = {test->aspect, 0, 0, layers},
                          .dstSubresource = {test->aspect, 0, 0, layers}};
    int32_t *from[2] = {&region.srcOffsets[0].x, &region.srcOffsets[1].x};
    int32_t *to = &region.dstOffsets[1].x;
    for (unsigned i = 0; i < 3; i++) {
        bool is_layer = i == 2 && !is_3d;
        from[!test->mirrored[i]][i] = is_layer ? 1 : (int32_t)test->src[i];
        to[i] = is_layer ? 1 : (int32_t)test->dst[i];
    }
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &dst, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdBlitImage(commands, src.image, src.layout, dst.image, dst.layout, 1, &region, test->filter);
    struct vt_buffer got = vt_record_download(vt, commands, &dst, 0, test->aspect);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < test->dst[0] * test->dst[1] * test->dst[2]; i++) {
        uint32_t at[3] = {i % test->dst[0], i / test->dst[0] % test->dst[1], i / (test->dst[0] * test->dst[1])};
        const uint8_t *texel = (uint8_t *)got.map + i * format->texel_B;
        double expected[4];
        blit_expected(test, format, texels.map, at, expected);
        /* Weights of a sampler have eight bits. */
        if (!vt_texel_is(format, texel, expected, 1, test->filter == VK_FILTER_LINEAR ? 0.02 : 0))
            vt_fail_texel(vt, format, texel, expected, "blitted", at[0], at[1], at[2]);
    }
}

#define COLOR VK_IMAGE_ASPECT_COLOR_BIT
#define IMAGE_1D VK_IMAGE_TYPE_1D
#define IMAGE_2D VK_IMAGE_TYPE_2D
#define IMAGE_3D VK_IMAGE_TYPE_3D
/* No place falls between two texels, where drivers may choose. */
static const struct blit blits[] = {
    {RGBA8, COLOR, VK_FILTER_NEAREST, IMAGE_3D, {9, 7, 5}, {18, 7, 3}, {false}},
    {RGBA8, COLOR, VK_FILTER_NEAREST, IMAGE_3D, {9, 7, 5}, {9, 14, 10}, {true, false, true}},
    {RGBA8, COLOR, VK_FILTER_LINEAR, IMAGE_3D, {8, 6, 4}, {13, 11, 9}, {false}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, COLOR, VK_FILTER_LINEAR, IMAGE_2D, {21, 9, 4}, {12, 19, 4}, {false, true}},
    /* No texel's middle is on a border of the source's texels: there the last bit of a coordinate decides. */
    {RGBA8, COLOR, VK_FILTER_NEAREST, IMAGE_1D, {41, 1, 3}, {13, 1, 3}, {true}},
    {RGBA8, COLOR, VK_FILTER_LINEAR, IMAGE_1D, {16, 1, 2}, {37, 1, 2}, {false}},
    {VK_FORMAT_R32_UINT, COLOR, VK_FILTER_NEAREST, IMAGE_2D, {15, 15, 2}, {31, 6, 2}, {false, true}},
    {VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FILTER_NEAREST, IMAGE_2D, {12, 21, 2}, {24, 9, 2}, {true}},
    {VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FILTER_NEAREST, IMAGE_2D, {12, 21, 2}, {24, 9, 2}, {false}},
};

const struct vt_case vt_meta_cases[] = {
    {"clear on a compute queue, rgba8", case_compute_clear, &compute_formats[0]},
    {"clear on a compute queue, r8 uint", case_compute_clear, &compute_formats[1]},
    {"clear on a compute queue, rgba16 float", case_compute_clear, &compute_formats[2]},
    {"clear on a compute queue, rgba32 uint", case_compute_clear, &compute_formats[3]},
    {"clear on a compute queue, e5b9g9r9", case_compute_clear, &compute_formats[4]},
    {"clear of three words", case_three_words, NULL},
    {"clear attachments, layers", case_layered, &layered[0]},
    {"clear attachments, views", case_layered, &layered[1]},
    {"clear attachments in a secondary", case_layered, &layered[2]},
    {"clear attachments by a predicate", case_predicate, NULL},
    {"clear attachments whole, to black", case_whole, &wholes[0]},
    {"clear attachments whole, to a colour", case_whole, &wholes[1]},
    {"clear attachments whole, of 4 samples", case_whole, &wholes[2]},
    {"clear attachments whole, of 4 samples to a colour", case_whole, &wholes[3]},
    {"clear attachments in an occlusion query", case_query, &queries[0]},
    {"clear attachments among statistics", case_query, &queries[1]},
    {"resolve depth to sample 0", case_depth_resolve, &depth_resolves[0]},
    {"resolve depth to the average", case_depth_resolve, &depth_resolves[1]},
    {"resolve 16 bits of depth to the maximum", case_depth_resolve, &depth_resolves[2]},
    {"resolve depth to the minimum, stencil to the maximum", case_depth_resolve, &depth_resolves[3]},
    {"resolve depth to the average, stencil to the minimum", case_depth_resolve, &depth_resolves[4]},
    {"resolve stencil to sample 0", case_depth_resolve, &depth_resolves[5]},
    {"resolve behind a general layout", case_resolve_later, &layouts_between[0]},
    {"resolve behind a layout of copies", case_resolve_later, &layouts_between[1]},
    {"resolve a part of layers", case_resolve_part, NULL},
    {"blit 3d", case_blit, &blits[0]},
    {"blit 3d mirrored", case_blit, &blits[1]},
    {"blit 3d linear", case_blit, &blits[2]},
    {"blit layers linear", case_blit, &blits[3]},
    {"blit 1d", case_blit, &blits[4]},
    {"blit 1d linear", case_blit, &blits[5]},
    {"blit layers of integers", case_blit, &blits[6]},
    {"blit depth", case_blit, &blits[7]},
    {"blit stencil", case_blit, &blits[8]},
};
const size_t vt_meta_count = COUNT_OF(vt_meta_cases);
