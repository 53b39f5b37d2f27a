/* State that commands set: the vertex input of VK_EXT_vertex_input_dynamic_state and what
 * VK_EXT_extended_dynamic_state3 adds. Each picture is made of columns, one per draw, all with one pipeline whose own
 * values are wrong; a column shows what the state set before its draw does. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define COLUMN 8 /* pixels */
#define HEIGHT 16
#define MAX_COLUMNS 8

#define COMMANDS(X)                                                                                                    \
    X(CmdSetVertexInputEXT)                                                                                            \
    X(CmdSetPolygonModeEXT)                                                                                            \
    X(CmdSetRasterizationSamplesEXT)                                                                                   \
    X(CmdSetSampleMaskEXT)                                                                                             \
    X(CmdSetColorBlendEnableEXT)                                                                                       \
    X(CmdSetColorBlendEquationEXT)                                                                                     \
    X(CmdSetColorWriteMaskEXT)                                                                                         \
    X(CmdSetLogicOpEnableEXT)                                                                                          \
    X(CmdSetLogicOpEXT)                                                                                                \
    X(CmdSetDepthClampEnableEXT)                                                                                       \
    X(CmdSetDepthClipEnableEXT)                                                                                        \
    X(CmdSetDepthClipNegativeOneToOneEXT)                                                                              \
    X(CmdSetAlphaToCoverageEnableEXT)                                                                                  \
    X(CmdSetColorWriteEnableEXT)

static struct {
#define X(name) PFN_vk##name name;
    COMMANDS(X)
#undef X
} vk;

static void load_commands(struct vt *vt)
{
#define X(name) vk.name = (PFN_vk##name)vkGetDeviceProcAddr(vt->device, "vk" #name);
    COMMANDS(X)
#undef X
}

/* ---- a picture of columns ---- */

struct column {
    void (*set)(VkCommandBuffer commands);
    float depth; /* of the rectangle */
    float expected[4];
};

struct picture {
    VkDynamicState states[6];
    uint32_t state_count;
    const struct column *columns;
    uint32_t column_count;
    VkSampleCountFlagBits samples;
};

static const float under[4] = {0.2f, 0.4f, 1, 0.8f}, over[4] = {0.8f, 0.4f, 0.2f, 0.6f};

static void expect_columns(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    const struct picture *picture = argument;
    (void)y;
    for (unsigned c = 0; c < 4; c++)
        color_out[c] = (double)picture->columns[x / COLUMN].expected[c];
}

/* The extension alone promises nothing: each state has a feature. */
static bool has_state(const VkPhysicalDeviceExtendedDynamicState3FeaturesEXT *features, VkDynamicState state)
{
    switch (state) {
    case VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT:
        return features->extendedDynamicState3ColorBlendEnable;
    case VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT:
        return features->extendedDynamicState3ColorBlendEquation;
    case VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT:
        return features->extendedDynamicState3ColorWriteMask;
    case VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT:
        return features->extendedDynamicState3LogicOpEnable;
    case VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT:
        return features->extendedDynamicState3DepthClampEnable;
    case VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT:
        return features->extendedDynamicState3DepthClipEnable;
    case VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT:
        return features->extendedDynamicState3DepthClipNegativeOneToOne;
    case VK_DYNAMIC_STATE_SAMPLE_MASK_EXT:
        return features->extendedDynamicState3SampleMask;
    case VK_DYNAMIC_STATE_POLYGON_MODE_EXT:
        return features->extendedDynamicState3PolygonMode;
    default:
        return true;
    }
}

static void need_states(struct vt *vt, const struct picture *picture)
{
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
    vkGetPhysicalDeviceFeatures2(vt->physical, &all);
    for (uint32_t i = 0; i < picture->state_count; i++)
        if (!has_state(&features, picture->states[i]))
            vt_skip(vt, "a state that is not dynamic there");
}

static void case_columns(struct vt *vt, const void *argument)
{
    const struct picture *picture = argument;
    if (!vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vt_skip(vt, "no VK_EXT_extended_dynamic_state3");
    need_states(vt, picture);
    if (picture->states[0] == VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV 22.3 decides when the pipeline is made whether depth is clipped");
    load_commands(vt);
    uint32_t width = picture->column_count * COLUMN;
    struct vt_target target = vt_target(vt, RGBA8, width, HEIGHT);
    memcpy(target.clears[0].color.float32, under, sizeof(under));
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SCISSOR);
    for (uint32_t i = 0; i < picture->state_count; i++)
        vt_add_dynamic(&graphics, picture->states[i]);
    graphics.blends[0].colorWriteMask = 0; /* what a column does not say by command must not be looked at */
    for (uint32_t i = 0; i < picture->state_count; i++)
        if (picture->states[i] == VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT)
            goto masked;
    graphics.blends[0].colorWriteMask = 0xf;
masked:
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[MAX_COLUMNS * 6];
    for (uint32_t i = 0; i < picture->column_count; i++)
        vt_quad(vertices + 6 * i, picture->columns[i].depth, over);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i < picture->column_count; i++) {
        vkCmdSetScissor(commands, 0, 1, &(VkRect2D){{(int32_t)(i * COLUMN), 0}, {COLUMN, HEIGHT}});
        picture->columns[i].set(commands);
        vkCmdDraw(commands, 6, 1, 6 * i, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_picture(vt, &target, texels.map, expect_columns, picture, 1, 0, "columns");
}

/* ---- blending ---- */

static void set_blend(VkCommandBuffer commands, VkBool32 enable, VkBlendFactor source, VkBlendFactor destination,
                      VkBlendOp op, VkColorComponentFlags mask)
{
    VkColorBlendEquationEXT equation = {source, destination, op, source, destination, op};
    vk.CmdSetColorBlendEnableEXT(commands, 0, 1, &enable);
    vk.CmdSetColorBlendEquationEXT(commands, 0, 1, &equation);
    vk.CmdSetColorWriteMaskEXT(commands, 0, 1, &mask);
}

static void blend_off(VkCommandBuffer commands)
{
    set_blend(commands, VK_FALSE, VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, 0xf);
}

static void blend_add(VkCommandBuffer commands)
{
    set_blend(commands, VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, 0xf);
}

static void blend_alpha(VkCommandBuffer commands)
{
    set_blend(commands, VK_TRUE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, 0xf);
}

static void blend_max(VkCommandBuffer commands)
{
    set_blend(commands, VK_TRUE, VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_MAX, 0xf);
}

static void blend_masked(VkCommandBuffer commands)
{
    set_blend(commands, VK_FALSE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD,
              VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT);
}

static void blend_nothing(VkCommandBuffer commands)
{
    set_blend(commands, VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, 0);
}

static const struct column blend_columns[] = {
    {blend_off, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},      {blend_add, 0.5f, {1, 0.8f, 1, 1}},
    {blend_alpha, 0.5f, {0.56f, 0.4f, 0.52f, 0.68f}}, {blend_max, 0.5f, {0.8f, 0.4f, 1, 0.8f}},
    {blend_masked, 0.5f, {0.2f, 0.4f, 0.2f, 0.8f}},   {blend_nothing, 0.5f, {0.2f, 0.4f, 1, 0.8f}},
    {blend_off, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
};

static const struct picture blend_picture = {{VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
                                              VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                                              VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
                                             3,
                                             blend_columns,
                                             COUNT_OF(blend_columns),
                                             1};

/* ---- logic operations ---- */

static void logic(VkCommandBuffer commands, VkBool32 enable, VkLogicOp op)
{
    vk.CmdSetLogicOpEXT(commands, op);
    vk.CmdSetLogicOpEnableEXT(commands, enable);
}

static void logic_off(VkCommandBuffer commands)
{
    logic(commands, VK_FALSE, VK_LOGIC_OP_CLEAR);
}

static void logic_clear(VkCommandBuffer commands)
{
    logic(commands, VK_TRUE, VK_LOGIC_OP_CLEAR);
}

static void logic_and(VkCommandBuffer commands)
{
    logic(commands, VK_TRUE, VK_LOGIC_OP_AND);
}

static void logic_invert(VkCommandBuffer commands)
{
    logic(commands, VK_TRUE, VK_LOGIC_OP_INVERT);
}

/* 0xcc, 0x66, 0x33, 0x99 over 0x33, 0x66, 0xff, 0xcc. Off between the operations: lavapipe 22.3 forgets to look at
 * another operation while they stay on. */
static const struct column logic_columns[] = {
    {logic_clear, 0.5f, {0, 0, 0, 0}},
    {logic_off, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {logic_and, 0.5f, {0, 0x66 / 255.0f, 0x33 / 255.0f, 0x88 / 255.0f}},
    {logic_off, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {logic_invert, 0.5f, {0xcc / 255.0f, 0x99 / 255.0f, 0, 0x33 / 255.0f}},
};

static const struct picture logic_picture = {{VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VK_DYNAMIC_STATE_LOGIC_OP_EXT},
                                             2,
                                             logic_columns,
                                             COUNT_OF(logic_columns),
                                             1};

/* ---- depth ---- */

static void clamp_on(VkCommandBuffer commands)
{
    vk.CmdSetDepthClampEnableEXT(commands, VK_TRUE);
}

static void clamp_off(VkCommandBuffer commands)
{
    vk.CmdSetDepthClampEnableEXT(commands, VK_FALSE);
}

/* Beyond the far plane: drawn where it is clamped, clipped where it is not. */
static const struct column clamp_columns[] = {
    {clamp_off, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}}, {clamp_off, 1.5f, {0.2f, 0.4f, 1, 0.8f}},
    {clamp_on, 1.5f, {0.8f, 0.4f, 0.2f, 0.6f}},  {clamp_on, -1.0f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {clamp_off, -1.0f, {0.2f, 0.4f, 1, 0.8f}},
};

static const struct picture clamp_picture = {
    {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT}, 1, clamp_columns, COUNT_OF(clamp_columns), 1};

static void clip(VkCommandBuffer commands, VkBool32 enable, VkBool32 negative)
{
    vk.CmdSetDepthClipEnableEXT(commands, enable);
    vk.CmdSetDepthClipNegativeOneToOneEXT(commands, negative);
}

static void clip_on(VkCommandBuffer commands)
{
    clip(commands, VK_TRUE, VK_FALSE);
}

static void clip_off(VkCommandBuffer commands)
{
    clip(commands, VK_FALSE, VK_FALSE);
}

static void clip_negative(VkCommandBuffer commands)
{
    clip(commands, VK_TRUE, VK_TRUE);
}

/* Drawn where nothing is clipped, or where depths begin at -1. */
static const struct column clip_columns[] = {
    {clip_on, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},     {clip_on, -0.5f, {0.2f, 0.4f, 1, 0.8f}},
    {clip_off, -0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},   {clip_on, 1.5f, {0.2f, 0.4f, 1, 0.8f}},
    {clip_off, 1.5f, {0.8f, 0.4f, 0.2f, 0.6f}},    {clip_negative, -0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {clip_negative, -1.5f, {0.2f, 0.4f, 1, 0.8f}}, {clip_on, -0.5f, {0.2f, 0.4f, 1, 0.8f}},
};

static const struct picture clip_picture = {
    {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT, VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT},
    2,
    clip_columns,
    COUNT_OF(clip_columns),
    1};

/* ---- samples ---- */

static void mask_all(VkCommandBuffer commands)
{
    vk.CmdSetSampleMaskEXT(commands, VK_SAMPLE_COUNT_1_BIT, &(VkSampleMask){~0u});
}

static void mask_none(VkCommandBuffer commands)
{
    vk.CmdSetSampleMaskEXT(commands, VK_SAMPLE_COUNT_1_BIT, &(VkSampleMask){0});
}

static const struct column mask_columns[] = {
    {mask_all, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {mask_none, 0.5f, {0.2f, 0.4f, 1, 0.8f}},
    {mask_all, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
};

static const struct picture mask_picture = {
    {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT}, 1, mask_columns, COUNT_OF(mask_columns), 1};

/* Without alpha nothing is covered by it. One sample of four is a quarter. Where two scissors meet is not compared:
 * lavapipe cuts a pixel's samples there, each at its own place. */
static void expect_covered(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    (void)argument, (void)y;
    for (unsigned c = 0; c < 3; c++)
        color_out[c] = x < COLUMN ? 0 : x < 2 * COLUMN ? 1 : 0.25;
    color_out[3] = 0;
    if ((x + 1) % COLUMN < 2)
        color_out[0] = (double)NAN;
}

static void case_coverage(struct vt *vt, const void *argument)
{
    (void)argument;
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    if (vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vkGetPhysicalDeviceFeatures2(vt->physical, &all);
    if (!about.extendedDynamicState3RasterizationSamples || !about.extendedDynamicState3AlphaToCoverageEnable ||
        !about.extendedDynamicState3SampleMask)
        vt_skip(vt, "no commands for samples");
    load_commands(vt);
    struct vt_target target = vt_empty_target(3 * COLUMN, HEIGHT, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &target, RGBA8);
    struct vt_image resolved = vt_image_2d(vt, RGBA8, 3 * COLUMN, HEIGHT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.resolve = &resolved;
    target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SCISSOR);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
    graphics.sample_mask = 0; /* the count stays: the validation layers of 2022 hold it against the target's */
    vt_make_pipeline(vt, &graphics, &target);
    static const float pale[4] = {1, 1, 1, 0};
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, pale);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vk.CmdSetRasterizationSamplesEXT(commands, VK_SAMPLE_COUNT_4_BIT);
    for (uint32_t i = 0; i < 3; i++) {
        vkCmdSetScissor(commands, 0, 1, &(VkRect2D){{(int32_t)(i * COLUMN), 0}, {COLUMN, HEIGHT}});
        vk.CmdSetAlphaToCoverageEnableEXT(commands, i == 0);
        vk.CmdSetSampleMaskEXT(commands, VK_SAMPLE_COUNT_4_BIT, &(VkSampleMask){i == 2 ? 1u << 2 : ~0u});
        vt_draw(vt, commands, &graphics, vertices, 6);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    vt_expect_picture(vt, &target, vt_download(vt, &resolved, 0), expect_covered, NULL, 1, 0, "samples");
}

/* ---- polygon mode: as points, a rectangle leaves its inside alone ---- */

static void fill_points(VkCommandBuffer commands)
{
    vk.CmdSetPolygonModeEXT(commands, VK_POLYGON_MODE_POINT);
}

static void fill_all(VkCommandBuffer commands)
{
    vk.CmdSetPolygonModeEXT(commands, VK_POLYGON_MODE_FILL);
}

static const struct column polygon_columns[] = {
    {fill_all, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
    {fill_points, 0.5f, {0.2f, 0.4f, 1, 0.8f}},
    {fill_all, 0.5f, {0.8f, 0.4f, 0.2f, 0.6f}},
};

static const struct picture polygon_picture = {
    {VK_DYNAMIC_STATE_POLYGON_MODE_EXT}, 1, polygon_columns, COUNT_OF(polygon_columns), 1};

/* ---- vertex input ---- */

/* One quad four times, each from memory of another form. */
struct packed {
    uint16_t position[2]; /* SNORM */
    uint8_t color[4];
};

static VkVertexInputAttributeDescription2EXT attribute(uint32_t location, uint32_t binding, VkFormat format,
                                                       uint32_t offset_B)
{
    return (VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                   .location = location,
                                                   .binding = binding,
                                                   .format = format,
                                                   .offset = offset_B};
}

static VkVertexInputBindingDescription2EXT binding(uint32_t number, uint32_t stride_B, VkVertexInputRate rate)
{
    return (VkVertexInputBindingDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                 .binding = number,
                                                 .stride = stride_B,
                                                 .inputRate = rate,
                                                 .divisor = 1};
}

static void set_input(VkCommandBuffer commands, unsigned form)
{
    VkVertexInputBindingDescription2EXT bindings[2];
    VkVertexInputAttributeDescription2EXT attributes[2];
    uint32_t count = 1;
    if (form == 0) { /* floats in one piece */
        bindings[0] = binding(0, sizeof(struct vt_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
        attributes[0] = attribute(0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0);
        attributes[1] = attribute(1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16);
    } else if (form == 1) { /* few bytes; what is missing is 0, 0, 0, 1 */
        bindings[0] = binding(1, sizeof(struct packed), VK_VERTEX_INPUT_RATE_VERTEX);
        attributes[0] = attribute(0, 1, VK_FORMAT_R16G16_SNORM, 0);
        attributes[1] = attribute(1, 1, VK_FORMAT_R8G8B8A8_UNORM, 4);
    } else if (form == 2) { /* positions of one buffer, the colour of another once an instance */
        bindings[0] = binding(0, sizeof(struct vt_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
        bindings[1] = binding(1, sizeof(struct packed), VK_VERTEX_INPUT_RATE_INSTANCE);
        attributes[0] = attribute(0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0);
        attributes[1] = attribute(1, 1, VK_FORMAT_B8G8R8A8_UNORM, 4);
        count = 2;
    } else { /* locations in the other order, every second element */
        bindings[0] = binding(0, 2 * sizeof(struct vt_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
        attributes[0] = attribute(1, 0, VK_FORMAT_R32G32B32_SFLOAT, 16);
        attributes[1] = attribute(0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0);
    }
    vk.CmdSetVertexInputEXT(commands, count, bindings, 2, attributes);
}

static const float input_colors[4][4] = {
    {0.8f, 0.4f, 0.2f, 0.6f}, {0.8f, 0.4f, 0.2f, 0.6f}, {0.2f, 0.4f, 0.8f, 0.6f}, {0.8f, 0.4f, 0.2f, 1}};

static void expect_input(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    (void)argument, (void)y;
    for (unsigned c = 0; c < 4; c++)
        color_out[c] = (double)input_colors[x / COLUMN][c];
}

static void case_vertex_input(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_VERTEX_INPUT_DYNAMIC])
        vt_skip(vt, "no dynamic vertex input");
    load_commands(vt);
    struct vt_target target = vt_target(vt, RGBA8, 4 * COLUMN, HEIGHT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_SCISSOR);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex plain[6], spread[12] = {0};
    struct packed packed[6];
    vt_quad(plain, 0, over);
    for (unsigned i = 0; i < 6; i++) {
        spread[2 * i] = plain[i];
        packed[i] =
            (struct packed){{plain[i].position[0] > 0 ? 0x7fff : 0x8001, plain[i].position[1] > 0 ? 0x7fff : 0x8001},
                            {0xcc, 0x66, 0x33, 0x99}};
    }
    struct vt_buffer buffers[3] = {vt_buffer(vt, sizeof(plain), plain), vt_buffer(vt, sizeof(packed), packed),
                                   vt_buffer(vt, sizeof(spread), spread)};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    for (unsigned form = 0; form < 4; form++) {
        VkBuffer bound[2] = {buffers[form == 3 ? 2 : 0].buffer, buffers[1].buffer};
        vkCmdSetScissor(commands, 0, 1, &(VkRect2D){{(int32_t)(form * COLUMN), 0}, {COLUMN, HEIGHT}});
        set_input(commands, form);
        vkCmdBindVertexBuffers(commands, 0, 2, bound, (VkDeviceSize[2]){0, 0});
        vkCmdDraw(commands, 6, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_picture(vt, &target, texels.map, expect_input, NULL, 1, 0, "forms of vertices");
}

/* ---- colour writes ---- */

static void case_color_write(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_COLOR_WRITE_ENABLE])
        vt_skip(vt, "no VK_EXT_color_write_enable");
    load_commands(vt);
    struct vt_target target = vt_target(vt, RGBA8, 16, 16);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex left[6], all[6];
    vt_rectangle(left, -1, -1, 0, 1, 0.5f, over);
    vt_quad(all, 0.5f, under);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vk.CmdSetColorWriteEnableEXT(commands, 1, &(VkBool32){VK_TRUE});
    vt_draw(vt, commands, &graphics, left, 6);
    vk.CmdSetColorWriteEnableEXT(commands, 1, &(VkBool32){VK_FALSE});
    vt_draw(vt, commands, &graphics, all, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t *words = texels.map;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t expected = i % 16 < 8 ? 0x993366cc : 0;
        if (words[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % 16, i / 16, words[i], expected);
    }
}

const struct vt_case vt_dynamic_cases[] = {
    {"vertex input", case_vertex_input, NULL},        {"colour write enable", case_color_write, NULL},
    {"blending", case_columns, &blend_picture},       {"logic operations", case_columns, &logic_picture},
    {"depth clamp", case_columns, &clamp_picture},    {"sample mask", case_columns, &mask_picture},
    {"polygon mode", case_columns, &polygon_picture}, {"depth clip", case_columns, &clip_picture},
    {"samples and coverage", case_coverage, NULL},
};
const size_t vt_dynamic_count = COUNT_OF(vt_dynamic_cases);
