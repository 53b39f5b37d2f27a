/* VK_KHR_dynamic_rendering_local_read: which output of a shader an attachment takes, and attachments that are read at
 * their own pixel by later draws of one rendering. */
#include <stdio.h>
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/local_alpha_frag.h"
#include "shaders/local_array_frag.h"
#include "shaders/local_colors_frag.h"
#include "shaders/local_depth_frag.h"
#include "shaders/local_read_frag.h"
#include "shaders/local_read_second_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define NONE VK_ATTACHMENT_UNUSED
#define MAX_COLORS 4u

static void need_feature(struct vt *vt, bool by_objects)
{
    if (!vt->has[VT_LOCAL_READ])
        vt_skip(vt, "no local reads in dynamic rendering");
    if (by_objects)
        need_objects(vt);
}

/* ---- one rendering ---- */

static void begin_rendering(VkCommandBuffer commands, struct vt_target *target, VkImageLayout layout,
                            VkRenderingFlags flags)
{
    VkRenderingAttachmentInfo colors[MAX_COLORS], depth;
    for (uint32_t i = 0; i < target->color_count; i++) {
        vt_to_layout(commands, &target->colors[i], layout);
        colors[i] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                .imageView = target->color_views[i],
                                                .imageLayout = layout,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .clearValue = target->clears[i]};
    }
    if (target->depth_format)
        vt_to_layout(commands, &target->depth, layout);
    depth = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = target->depth_view,
                                        .imageLayout = layout,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                        .clearValue.depthStencil = {1, 0}};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .flags = flags,
                            .renderArea = {{0, 0}, {target->width, target->height}},
                            .layerCount = 1,
                            .colorAttachmentCount = target->color_count,
                            .pColorAttachments = colors,
                            .pDepthAttachment = target->depth_format ? &depth : NULL};
    vkCmdBeginRendering(commands, &info);
}

/* Pixels that are drawn are read at the same place by draws that come after. */
static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask =
                                  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT};
    vkCmdPipelineBarrier(commands,
                         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                             VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
                         VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT, 1, &memory, 0, NULL, 0,
                         NULL);
}

/* A pipeline with the numbers that its attachments have, and the same said by commands. */
struct draw {
    struct vt_graphics graphics;
    uint32_t outputs[MAX_COLORS], inputs[MAX_COLORS], depth_input;
    VkRenderingAttachmentLocationInfoKHR locations;
    VkRenderingInputAttachmentIndexInfoKHR indices;
    struct vt_set set;
    bool by_objects;
    struct objects objects;
};

static void make_draw(struct vt *vt, struct draw *draw, const struct vt_target *target, struct vt_spirv vertex,
                      struct vt_spirv fragment, const uint32_t *outputs, const uint32_t *inputs, VkImageView read,
                      VkImageLayout layout)
{
    vt_graphics_init(&draw->graphics, target, vertex, fragment);
    for (uint32_t i = 0; i < target->color_count; i++) {
        draw->outputs[i] = outputs[i];
        draw->inputs[i] = inputs ? inputs[i] : NONE;
    }
    draw->depth_input = inputs ? inputs[target->color_count] : NONE;
    draw->indices =
        (VkRenderingInputAttachmentIndexInfoKHR){.sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
                                                 .colorAttachmentCount = target->color_count,
                                                 .pColorAttachmentInputIndices = draw->inputs,
                                                 .pDepthInputAttachmentIndex = &draw->depth_input};
    draw->locations =
        (VkRenderingAttachmentLocationInfoKHR){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
                                               .pNext = &draw->indices,
                                               .colorAttachmentCount = target->color_count,
                                               .pColorAttachmentLocations = draw->outputs};
    draw->graphics.next = &draw->locations;
    if (read) {
        struct vt_binding binding = {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                     .image = {VK_NULL_HANDLE, read, layout}};
        draw->set = vt_set(vt, &binding, 1);
        draw->graphics.sets[draw->graphics.set_count++] = draw->set.layout;
    }
}

/* The pipeline, or the objects in its place. */
static void finish_draw(struct vt *vt, struct draw *draw, const struct vt_target *target, bool by_objects)
{
    draw->by_objects = by_objects;
    if (!by_objects) {
        vt_make_pipeline(vt, &draw->graphics, target);
        return;
    }
    draw->graphics.layout = vt_pipeline_layout(vt, draw->graphics.sets, draw->graphics.set_count);
    make_objects(vt, &draw->graphics, OBJECTS_UNLINKED, &draw->objects);
}

static void set_locations(struct vt *vt, VkCommandBuffer commands, const struct draw *draw)
{
    VkRenderingAttachmentLocationInfoKHR locations = draw->locations;
    locations.pNext = NULL;
    VT_LOAD(vt, CmdSetRenderingAttachmentLocationsKHR)(commands, &locations);
    VT_LOAD(vt, CmdSetRenderingInputAttachmentIndicesKHR)(commands, &draw->indices);
}

static void bind_draw(struct vt *vt, VkCommandBuffer commands, const struct draw *draw)
{
    if (draw->by_objects) {
        bind_objects(vt, commands, &draw->objects);
        set_graphics_state(vt, commands, &draw->graphics, &(const struct scene_state){0});
    } else {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw->graphics.pipeline);
    }
    if (draw->set.set)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw->graphics.layout, 0, 1, &draw->set.set,
                                0, NULL);
}

static void record_commands(struct vt *vt, VkCommandBuffer commands, const struct draw *draw)
{
    set_locations(vt, commands, draw);
    bind_draw(vt, commands, draw);
}

/* ---- locations ---- */

struct locations {
    uint32_t of[3];
    bool is_array, is_general, by_objects;
    const struct vt_library_way *way;
    bool is_cleared; /* part of each attachment afterwards, whatever location it takes */
    bool in_secondary;
    bool is_added; /* to what the attachments are cleared to */
};

static void clear_parts(VkCommandBuffer commands)
{
    VkClearAttachment clears[3];
    const VkClearRect rect = {{{8, 0}, {32, 23}}, 0, 1};
    for (uint32_t i = 0; i < 3; i++)
        clears[i] = (VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, i, {.color.float32 = {0, 0, (float)(i + 1) / 4, 1}}};
    vkCmdClearAttachments(commands, 3, clears, 1, &rect);
}

/* The right part was cleared. */
static void check_parts(struct vt *vt, struct vt_target *target, const double drawn[4], uint32_t number)
{
    const uint8_t *texels = vt_download(vt, &target->colors[number], 0);
    for (uint32_t i = 0; i < 40 * 23; i++) {
        const double cleared[4] = {0, 0, (number + 1) / 4.0, 1}, *want = i % 40 < 8 ? drawn : cleared;
        for (uint32_t n = 0; n < 4; n++) {
            const double wrong = texels[4 * i + n] - want[n] * 255;
            if (wrong > 1 || wrong < -1)
                vt_fail(vt, "attachment %u, pixel %u,%u: channel %u is %u, not %f", number, i % 40, i / 40, n,
                        texels[4 * i + n], want[n] * 255);
        }
    }
}

static void case_locations(struct vt *vt, const void *argument)
{
    static const double colors[3][4] = {{0.2, 0, 0, 1}, {0, 0.4, 0, 1}, {0, 0, 0.6, 1}}, clear[4] = {1, 1, 1, 1},
                        sums[3][4] = {{0.4, 0.2, 0.2, 1}, {0.2, 0.6, 0.2, 1}, {0.2, 0.2, 0.8, 1}},
                        dark[4] = {0.2, 0.2, 0.2, 0};
    const struct locations *locations = argument;
    const double(*drawn)[4] = locations->is_added ? sums : colors, *cleared = locations->is_added ? dark : clear;
    need_feature(vt, locations->by_objects);
    struct vt_target target = vt_target(vt, RGBA8, 40, 23);
    vt_add_color(vt, &target, RGBA8);
    vt_add_color(vt, &target, RGBA8);
    for (uint32_t i = 0; i < 3; i++)
        target.clears[i] = (VkClearValue){
            .color.float32 = {(float)cleared[0], (float)cleared[1], (float)cleared[2], (float)cleared[3]}};
    struct draw draw = {.set.set = VK_NULL_HANDLE};
    make_draw(vt, &draw, &target, vt_screen_vert,
              locations->is_array ? VT_SPIRV(local_array_frag) : VT_SPIRV(local_colors_frag), locations->of, NULL,
              VK_NULL_HANDLE, 0);
    draw.graphics.way = locations->way;
    for (uint32_t i = 0; locations->is_added && i < 3; i++)
        draw.graphics.blends[i] = (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE,
                                                                        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                        .colorWriteMask = 15};
    finish_draw(vt, &draw, &target, locations->by_objects);
    target.inherited = &draw.locations; /* a secondary must not say it itself */
    VkCommandBuffer commands = vt_begin(vt),
                    inner = locations->in_secondary ? vt_begin_secondary(vt, &target, 0, 0) : commands;
    begin_rendering(commands, &target,
                    locations->is_general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
                    locations->in_secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    set_locations(vt, commands, &draw);
    bind_draw(vt, inner, &draw);
    vkCmdDraw(inner, 3, 1, 0, 0);
    if (locations->is_cleared)
        clear_parts(inner);
    if (locations->in_secondary) {
        VT_CHECK(vt, vkEndCommandBuffer(inner));
        vkCmdExecuteCommands(commands, 1, &inner);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 3; i++) {
        char what[32];
        if (locations->is_cleared) {
            check_parts(vt, &target, locations->of[i] == NONE ? cleared : drawn[locations->of[i]], i);
            continue;
        }
        snprintf(what, sizeof(what), "attachment %u", i);
        vt_expect_color(vt, RGBA8, vt_download(vt, &target.colors[i], 0), 40, 23,
                        locations->of[i] == NONE ? cleared : drawn[locations->of[i]], 1, what);
    }
}

/* Alpha to coverage takes the alpha of location 0, whichever attachment that is: with it colour 0, which takes location
 * 1, is drawn or not. */
enum {
    ALPHA_OF_PIPELINE,
    ALPHA_BY_COMMANDS,
    ALPHA_BY_OBJECTS,
    ALPHA_OF_LIBRARIES,
};

struct alpha {
    int how;
    bool is_second_opaque;
};

static void case_alpha(struct vt *vt, const void *argument)
{
    static const double drawn[4] = {0.8, 0, 0.2, 0}, clear[4] = {1, 1, 1, 1};
    static const uint32_t turned[2] = {1, 0};
    const struct alpha *alpha = argument;
    need_feature(vt, alpha->how == ALPHA_BY_OBJECTS);
    if (alpha->how == ALPHA_BY_COMMANDS && !vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vt_skip(vt, "no commands for it");
    struct vt_target target = vt_empty_target(40, 23, VK_SAMPLE_COUNT_4_BIT);
    struct vt_image resolved = vt_image_2d(vt, RGBA8, 40, 23, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    for (uint32_t i = 0; i < 2; i++) {
        vt_add_color(vt, &target, RGBA8);
        target.clears[i] = (VkClearValue){.color.float32 = {1, 1, 1, 1}};
    }
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    target.resolve = &resolved;
    target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    struct draw draw = {.set.set = VK_NULL_HANDLE};
    make_draw(vt, &draw, &target, vt_screen_vert, VT_SPIRV(local_alpha_frag), turned, NULL, VK_NULL_HANDLE, 0);
    draw.graphics.multisample.alphaToCoverageEnable = alpha->how != ALPHA_BY_COMMANDS;
    draw.graphics.fragment_constants = VT_CONSTANTS(alpha->is_second_opaque);
    if (alpha->how == ALPHA_BY_COMMANDS) {
        vt_add_dynamic(&draw.graphics, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
        vt_add_dynamic(&draw.graphics, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT);
    }
    draw.graphics.way = alpha->how == ALPHA_OF_LIBRARIES ? &vt_library_ways[0] : NULL;
    finish_draw(vt, &draw, &target, alpha->how == ALPHA_BY_OBJECTS);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    record_commands(vt, commands, &draw);
    if (alpha->how == ALPHA_BY_COMMANDS) {
        VT_LOAD(vt, CmdSetAlphaToCoverageEnableEXT)(commands, VK_TRUE);
        VT_LOAD(vt, CmdSetRasterizationSamplesEXT)(commands, VK_SAMPLE_COUNT_4_BIT);
    }
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, vt_download(vt, &resolved, 0), 40, 23, alpha->is_second_opaque ? clear : drawn, 1,
                    "colour 0 behind the alpha of location 0");
}

/* ---- reads ---- */

struct reads {
    VkImageLayout layout;
    uint32_t draws; /* after the first */
    VkFormat format;
    bool is_depth;
    bool has_second; /* the input has the number 1 */
    bool in_secondary;
    bool by_objects;
};

/* Colours that differ from corner to corner, the same that the shader interpolates. */
static void gradient(struct vt_vertex out[6])
{
    vt_quad(out, 0.5f, (const float[4]){0, 0, 0, 1});
    for (unsigned i = 0; i < 6; i++) {
        out[i].color[0] = out[i].position[0] * 0.5f + 0.5f;
        out[i].color[1] = out[i].position[1] * 0.5f + 0.5f;
    }
}

struct expected {
    const struct vt_target *target;
    bool is_turned, is_depth;
};

static void expect_gradient(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    const struct expected *expected = argument;
    const double plain[4] = {(x + 0.5) / expected->target->width, (y + 0.5) / expected->target->height, 0, 1};
    for (unsigned i = 0; i < 4; i++) {
        double value = expected->is_depth ? 0.5 : plain[i];
        color_out[i] = expected->is_turned ? 1 - value : value;
    }
}

/* The first draw is to attachment 0; each one after it reads what the one before has drawn and draws one minus it to
 * the other of two. */
static void case_reads(struct vt *vt, const void *argument)
{
    const struct reads *reads = argument;
    need_feature(vt, reads->by_objects);
    struct vt_target target = vt_target(vt, reads->format, 133, 70);
    vt_add_color(vt, &target, reads->format);
    if (reads->is_depth)
        vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    static struct draw draws[8];
    memset(draws, 0, sizeof(draws));
    for (uint32_t i = 0; i <= reads->draws; i++) {
        const uint32_t to = i % 2, from = 1 - to, number = reads->has_second ? 1 : 0;
        const uint32_t outputs[2] = {to == 0 ? 0 : NONE, to == 1 ? 0 : NONE};
        uint32_t inputs[3] = {from == 0 ? number : NONE, from == 1 ? number : NONE, NONE};
        if (reads->is_depth) {
            inputs[0] = inputs[1] = NONE;
            inputs[2] = number;
        }
        struct vt_spirv code = reads->is_depth     ? VT_SPIRV(local_depth_frag)
                               : reads->has_second ? VT_SPIRV(local_read_second_frag)
                                                   : VT_SPIRV(local_read_frag);
        VkImageView view = reads->is_depth ? target.depth_view : target.color_views[from];
        if (i == 0)
            make_draw(vt, &draws[i], &target, vt_plain_vert, vt_plain_frag, outputs, NULL, VK_NULL_HANDLE, 0);
        else
            make_draw(vt, &draws[i], &target, vt_screen_vert, code, outputs, inputs, view, reads->layout);
        if (i == 0) {
            vt_use_vertices(&draws[i].graphics);
            draws[i].graphics.depth.depthTestEnable = draws[i].graphics.depth.depthWriteEnable = reads->is_depth;
            draws[i].graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
        }
        finish_draw(vt, &draws[i], &target, reads->by_objects);
    }
    struct vt_vertex vertices[6];
    gradient(vertices);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    begin_rendering(commands, &target, reads->layout, 0);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i <= reads->draws; i++) {
        record_commands(vt, commands, &draws[i]);
        vkCmdDraw(commands, i == 0 ? 6 : 3, 1, 0, 0);
        barrier(commands);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 2; i++) {
        /* Of each the last that was drawn to it. */
        const uint32_t last = reads->draws % 2 == i ? reads->draws : reads->draws - 1;
        struct expected expected = {&target, last % 2 == 1 || (reads->is_depth && last > 0),
                                    reads->is_depth && last > 0};
        vt_expect_picture(vt, &target, vt_download(vt, &target.colors[i], 0), expect_gradient, &expected, 2, 0.01,
                          i ? "the second attachment" : "the first attachment");
    }
}

/* One attachment that is read and drawn to by each draw. */
static void case_itself(struct vt *vt, const void *argument)
{
    const struct reads *reads = argument;
    need_feature(vt, reads->by_objects);
    if (vt->driver == VK_DRIVER_ID_MESA_TURNIP && reads->in_secondary)
        vt_skip(vt, "26.1.6 looks at attachments that its secondaries do not know, and crashes");
    if (vt->driver == VK_DRIVER_ID_MESA_PANVK && reads->in_secondary)
        vt_skip(vt, "its secondaries end the rendering, whose attachments they know by a framebuffer alone");
    struct vt_target target = vt_target(vt, reads->format, 133, 70);
    static const uint32_t first[1] = {0}, both[2] = {0, NONE};
    static struct draw draws[2];
    memset(draws, 0, sizeof(draws));
    make_draw(vt, &draws[0], &target, vt_plain_vert, vt_plain_frag, first, NULL, VK_NULL_HANDLE, 0);
    vt_use_vertices(&draws[0].graphics);
    make_draw(vt, &draws[1], &target, vt_screen_vert, VT_SPIRV(local_read_frag), first, both, target.color_views[0],
              reads->layout);
    finish_draw(vt, &draws[0], &target, reads->by_objects);
    finish_draw(vt, &draws[1], &target, reads->by_objects);
    struct vt_vertex vertices[6];
    gradient(vertices);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt), inside = commands;
    begin_rendering(commands, &target, reads->layout,
                    reads->in_secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    if (reads->in_secondary)
        inside = vt_begin_secondary(vt, &target, 0, 0);
    vkCmdBindVertexBuffers(inside, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i <= reads->draws; i++) {
        record_commands(vt, inside, &draws[i > 0]);
        vkCmdDraw(inside, i == 0 ? 6 : 3, 1, 0, 0);
        barrier(inside);
    }
    if (reads->in_secondary) {
        VT_CHECK(vt, vkEndCommandBuffer(inside));
        vkCmdExecuteCommands(commands, 1, &inside);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    struct expected expected = {&target, reads->draws % 2 == 1, false};
    vt_expect_picture(vt, &target, vt_download(vt, &target.colors[0], 0), expect_gradient, &expected, 2, 0.01,
                      "the attachment");
}

/* ---- the table ---- */

#define LOCATIONS(name, ...)                                                                                           \
    {                                                                                                                  \
        name, case_locations, &(const struct locations)                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define ALPHA(name, ...)                                                                                               \
    {                                                                                                                  \
        name, case_alpha, &(const struct alpha)                                                                        \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define READS(name, function, ...)                                                                                     \
    {                                                                                                                  \
        name, function, &(const struct reads)                                                                          \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define LOCAL VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR
#define GENERAL VK_IMAGE_LAYOUT_GENERAL

const struct vt_case vt_local_read_cases[] = {
    ALPHA("alpha of location 0 covers", ALPHA_OF_PIPELINE, false),
    ALPHA("alpha of location 1 does not", ALPHA_OF_PIPELINE, true),
    ALPHA("alpha of location 0 covers by commands", ALPHA_BY_COMMANDS, false),
    ALPHA("alpha of location 1 does not by commands", ALPHA_BY_COMMANDS, true),
    ALPHA("alpha of location 0 covers by objects", ALPHA_BY_OBJECTS, false),
    ALPHA("alpha of location 1 does not by objects", ALPHA_BY_OBJECTS, true),
    ALPHA("alpha of location 0 covers, of libraries", ALPHA_OF_LIBRARIES, false),
    ALPHA("alpha of location 1 does not, of libraries", ALPHA_OF_LIBRARIES, true),
    LOCATIONS("locations turned, added", {2, 0, 1}, .is_added = true),
    LOCATIONS("a location left out, added", {2, 0, NONE}, .is_added = true),
    LOCATIONS("locations turned, of libraries", {2, 0, 1}, .way = &vt_library_ways[0]),
    LOCATIONS("a location left out, of libraries", {2, NONE, 0}, .way = &vt_library_ways[0]),
    LOCATIONS("locations turned, of optimised libraries", {2, 0, 1}, .way = &vt_library_ways[6]),
    LOCATIONS("clears with locations turned", {2, 0, 1}, .is_cleared = true),
    LOCATIONS("clears with a location left out", {2, NONE, 0}, .is_cleared = true),
    LOCATIONS("clears in a secondary with a location left out", {2, NONE, 0}, .is_cleared = true, .in_secondary = true),
    LOCATIONS("locations as they are", {0, 1, 2}),
    LOCATIONS("locations turned", {2, 0, 1}),
    LOCATIONS("locations swapped", {1, 0, 2}),
    LOCATIONS("locations in general layout", {1, 2, 0}, false, true),
    LOCATIONS("one location", {NONE, 0, NONE}),
    LOCATIONS("no location", {NONE, NONE, NONE}),
    LOCATIONS("a location left out", {2, NONE, 0}),
    LOCATIONS("array of locations", {1, 2, 0}, true),
    LOCATIONS("array with a hole", {2, NONE, 0}, true),
    LOCATIONS("locations turned, by objects", {2, 0, 1}, .by_objects = true),
    LOCATIONS("a location left out, by objects", {2, NONE, 0}, .by_objects = true),
    LOCATIONS("array with a hole, by objects", {2, NONE, 0}, true, .by_objects = true),
    READS("read once", case_reads, LOCAL, 1, RGBA8),
    READS("read once in general layout", case_reads, GENERAL, 1, RGBA8),
    READS("read in turns", case_reads, LOCAL, 5, RGBA8),
    READS("read in turns of 16 bits", case_reads, LOCAL, 4, VK_FORMAT_R16G16B16A16_SFLOAT),
    READS("read by another number", case_reads, LOCAL, 1, RGBA8, false, true),
    READS("read depth", case_reads, LOCAL, 1, RGBA8, true),
    READS("read depth in general layout", case_reads, GENERAL, 1, RGBA8, true),
    READS("read itself", case_itself, LOCAL, 1, RGBA8),
    READS("read itself again", case_itself, LOCAL, 4, RGBA8),
    READS("read itself in general layout", case_itself, GENERAL, 3, RGBA8),
    READS("read itself in a secondary", case_itself, LOCAL, 3, RGBA8, .in_secondary = true),
    READS("read in turns, by objects", case_reads, LOCAL, 5, RGBA8, .by_objects = true),
    READS("read by another number, by objects", case_reads, LOCAL, 1, RGBA8, false, true, .by_objects = true),
    READS("read depth, by objects", case_reads, LOCAL, 1, RGBA8, true, .by_objects = true),
    READS("read itself again, by objects", case_itself, LOCAL, 4, RGBA8, .by_objects = true),
    READS("read itself in a secondary, by objects", case_itself, LOCAL, 3, RGBA8, .in_secondary = true,
          .by_objects = true),
};
const size_t vt_local_read_count = COUNT_OF(vt_local_read_cases);
