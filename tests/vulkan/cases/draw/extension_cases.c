/* Additions of extensions to rasterisation and interpolation. A driver that has not the extension skips. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

#include "shaders/adjacent_geom.h"
#include "shaders/bands_geom.h"
#include "shaders/explicit_frag.h"
#include "shaders/half_frag.h"
#include "shaders/half_vert.h"
#include "shaders/spread_geom.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

static const float white[4] = {1, 1, 1, 1};

static void choose_state(struct vt_graphics *graphics, const int32_t *value)
{
    static const VkSpecializationMapEntry entry = {0, 0, 4};
    static VkSpecializationInfo info;
    info = (VkSpecializationInfo){1, &entry, 4, value};
    graphics->fragment_constants = &info;
}

/* ---- interpolation ---- */

/* A triangle over the whole target and beyond it, so that every pixel is inside. */
static const struct vt_vertex wide[3] = {
    {{-1, -1, 0.5f, 1}, {0, 0.25f, 1, 0.75f}},
    {{6, -2, 1, 2}, {1, 0.5f, 0, 1}}, /* twice as far away */
    {{-1, 3, 0.5f, 1}, {0.5f, 1, 0.25f, 0.5f}},
};

enum weighing {
    PERSPECTIVE,
    LINEAR,
    VERTEX_0,
    VERTEX_1,
    VERTEX_2,
};

struct weighed {
    enum weighing how;
    uint8_t channels[4]; /* of the vertices' colours; 4 and 5 are 0 and 1 */
    bool half;
    int32_t what; /* of the shader */
};

static void expect_weighed(const void *argument, uint32_t px, uint32_t py, double out[4])
{
    const struct weighed *test = argument;
    double x[3], y[3], weights[3], sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (double)wide[i].position[0] / (double)wide[i].position[3];
        y[i] = (double)wide[i].position[1] / (double)wide[i].position[3];
    }
    double at_x = (px + 0.5) / SIZE * 2 - 1, at_y = (py + 0.5) / SIZE * 2 - 1;
    for (unsigned i = 0; i < 3; i++) {
        unsigned a = (i + 1) % 3, b = (i + 2) % 3;
        weights[i] = (x[b] - x[a]) * (at_y - y[a]) - (y[b] - y[a]) * (at_x - x[a]);
        weights[i] /= test->how == PERSPECTIVE ? (double)wide[i].position[3] : 1;
        if (test->how >= VERTEX_0)
            weights[i] = i + VERTEX_0 == test->how;
        sum += weights[i];
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned channel = test->channels[c];
        out[c] = channel == 5;
        for (unsigned i = 0; channel < 4 && i < 3; i++)
            out[c] += weights[i] / sum * (double)wide[i].color[channel];
    }
}

static void case_interpolation(struct vt *vt, const void *argument)
{
    const struct weighed *test = argument;
    if (test->half && !vt->features11.storageInputOutput16)
        vt_skip(vt, "no inputs and outputs of 16 bits");
    if (!test->half && !vt->has[VT_EXPLICIT_VERTEX])
        vt_skip(vt, "no explicit vertex parameters");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    if (test->half)
        vt_graphics_init(&graphics, &target, VT_SPIRV(half_vert), VT_SPIRV(half_frag));
    else
        vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(explicit_frag));
    vt_use_vertices(&graphics);
    choose_state(&graphics, &test->what);
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, wide, 3), expect_weighed, test, 2, 0.006,
                      "interpolation");
}

static const struct weighed weighings[] = {
    {PERSPECTIVE, {0, 1, 2, 3}, true, 0},  {LINEAR, {1, 2, 4, 5}, true, 1},    {VERTEX_0, {0, 3, 4, 5}, true, 2},
    {VERTEX_0, {0, 1, 2, 3}, false, 0},    {VERTEX_1, {0, 1, 2, 3}, false, 1}, {VERTEX_2, {0, 1, 2, 3}, false, 2},
    {PERSPECTIVE, {0, 1, 2, 3}, false, 3}, {LINEAR, {0, 1, 2, 3}, false, 4},   {PERSPECTIVE, {0, 1, 2, 3}, false, 5},
    {PERSPECTIVE, {0, 1, 2, 3}, false, 6},
};

/* ---- discard rectangles ---- */

struct discard {
    VkDiscardRectangleModeEXT mode;
    uint32_t count;
    bool dynamic; /* commands say everything, and the pipeline something else */
};

static const VkRect2D rectangles[4] = {
    {{3, 5}, {17, 30}}, {{10, 20}, {40, 9}}, {{33, 2}, {20, 60}}, {{60, 60}, {100, 100}}};

static void expect_rectangles(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    const struct discard *test = argument;
    bool inside = false;
    for (uint32_t i = 0; i < test->count; i++) {
        const VkRect2D *r = &rectangles[i];
        inside |= (int32_t)x >= r->offset.x && (int32_t)y >= r->offset.y &&
                  x < (uint32_t)r->offset.x + r->extent.width && y < (uint32_t)r->offset.y + r->extent.height;
    }
    bool drawn = test->count == 0 || inside == (test->mode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT);
    for (unsigned c = 0; c < 4; c++)
        out[c] = drawn;
}

static void set_discard(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    const struct discard *test = argument;
    VkRect2D given[4] = {{{0}}};
    memcpy(given, rectangles, test->count * sizeof(*given));
    VT_LOAD(vt, CmdSetDiscardRectangleEnableEXT)(commands, test->count != 0);
    VT_LOAD(vt, CmdSetDiscardRectangleModeEXT)(commands, test->mode);
    VT_LOAD(vt, CmdSetDiscardRectangleEXT)(commands, 0, 4, given);
}

static void case_discard(struct vt *vt, const void *argument)
{
    const struct discard *test = argument;
    if (!vt->has[VT_DISCARD_RECTANGLES])
        vt_skip(vt, "no discard rectangles");
    if (test->dynamic && !vkGetDeviceProcAddr(vt->device, "vkCmdSetDiscardRectangleEnableEXT"))
        vt_skip(vt, "no commands for discard rectangles");
    if (test->dynamic && vt->is_validated)
        vt_skip(vt, "Debian 12's layers end at dynamic state that is newer");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    VkPipelineDiscardRectangleStateCreateInfoEXT state = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
        .discardRectangleMode = test->mode,
        .discardRectangleCount = test->count,
        .pDiscardRectangles = rectangles};
    graphics.next = &state;
    if (test->dynamic) {
        state.discardRectangleMode = test->mode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT
                                         ? VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT
                                         : VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT;
        state.discardRectangleCount = 4;
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT);
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT);
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT);
        graphics.set_dynamic = set_discard;
        graphics.dynamic_argument = test;
    }
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, white);
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, vertices, 6), expect_rectangles, test, 0, 0,
                      "rectangles");
}

static const struct discard discards[] = {
    {VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT, 1},       {VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT, 1},
    {VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT, 4},       {VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT, 4},
    {VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT, 3},       {VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT, 2, true},
    {VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT, 3, true}, {VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT, 0, true},
};

/* ---- conservative rasterisation ---- */

struct conservative {
    VkConservativeRasterizationModeEXT mode;
    int32_t corners[3][2]; /* 1/256 of a pixel */
    bool dynamic;          /* a command says the mode */
    bool has_samples;      /* four, all of them in the pixels that are drawn */
};

/* Four samples, which become one in the end. */
static struct vt_target averaged_target(struct vt *vt, struct vt_image *resolved)
{
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &target, RGBA8);
    *resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    target.resolve = resolved;
    target.resolve_view = vt_view(vt, resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    return target;
}

/* Both shapes are convex: they touch unless a side of one of them parts them. 1: touched, -1: not, 0: by a boundary. */
static int shapes_touch(const int32_t c[3][2], int32_t x, int32_t y)
{
    int64_t area =
        (int64_t)(c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (int64_t)(c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    int result = 1;
    for (unsigned k = 0; k < 2; k++) {
        int32_t low = INT32_MAX, high = INT32_MIN, at = k ? y : x;
        for (unsigned i = 0; i < 3; i++) {
            low = c[i][k] < low ? c[i][k] : low;
            high = c[i][k] > high ? c[i][k] : high;
        }
        if (high < at || low > at + 256)
            return -1;
        if (high == at || low == at + 256)
            result = 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *p = c[i], *q = c[(i + 1) % 3];
        int64_t most = INT64_MIN;
        for (unsigned corner = 0; corner < 4; corner++) {
            int64_t side = (int64_t)(q[0] - p[0]) * (y + (int32_t)(corner >> 1) * 256 - p[1]) -
                           (int64_t)(q[1] - p[1]) * (x + (int32_t)(corner & 1) * 256 - p[0]);
            side = area < 0 ? -side : side;
            most = side > most ? side : most;
        }
        if (most < 0)
            return -1;
        if (most == 0)
            result = 0;
    }
    return result;
}

/* 1: wholly inside, -1: not, 0: inside up to the boundary. */
static int shape_contains(const int32_t c[3][2], int32_t x, int32_t y)
{
    int64_t area =
        (int64_t)(c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (int64_t)(c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    int result = 1;
    for (unsigned i = 0; i < 3; i++) {
        const int32_t *p = c[i], *q = c[(i + 1) % 3];
        for (unsigned corner = 0; corner < 4; corner++) {
            int64_t side = (int64_t)(q[0] - p[0]) * (y + (int32_t)(corner >> 1) * 256 - p[1]) -
                           (int64_t)(q[1] - p[1]) * (x + (int32_t)(corner & 1) * 256 - p[0]);
            side = area < 0 ? -side : side;
            if (side < 0)
                return -1;
            if (side == 0)
                result = 0;
        }
    }
    return result;
}

static void expect_conservative(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    const struct conservative *test = argument;
    int32_t left = (int32_t)x * 256, top = (int32_t)y * 256;
    int in = test->mode == VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT
                 ? shapes_touch(test->corners, left, top)
                 : shape_contains(test->corners, left, top);
    for (unsigned c = 0; c < 4; c++)
        out[c] = in == 0 ? (double)NAN : in > 0;
}

/* The features of VK_EXT_extended_dynamic_state3; nothing where it is not there. */
static VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic_states(struct vt *vt)
{
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    if (vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    return about;
}

static void set_conservative(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    const struct conservative *test = argument;
    PFN_vkCmdSetConservativeRasterizationModeEXT set =
        (PFN_vkCmdSetConservativeRasterizationModeEXT)vkGetDeviceProcAddr(vt->device,
                                                                          "vkCmdSetConservativeRasterizationModeEXT");
    set(commands, test->mode);
}

static void case_conservative(struct vt *vt, const void *argument)
{
    const struct conservative *test = argument;
    if (!vt->has[VT_CONSERVATIVE])
        vt_skip(vt, "no conservative rasterisation");
    VkPhysicalDeviceConservativeRasterizationPropertiesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &about};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    if (test->mode == VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT && !about.primitiveUnderestimation)
        vt_skip(vt, "no underestimation");
    if (about.primitiveOverestimationSize != 0)
        vt_skip(vt, "triangles grow by more than the pixels that they touch");
    if (test->dynamic && !dynamic_states(vt).extendedDynamicState3ConservativeRasterizationMode)
        vt_skip(vt, "no command for the mode");
    struct vt_image resolved;
    struct vt_target target = test->has_samples ? averaged_target(vt, &resolved) : vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    VkPipelineRasterizationConservativeStateCreateInfoEXT state = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
        .conservativeRasterizationMode = test->dynamic ? VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT : test->mode};
    graphics.raster.pNext = &state;
    if (test->dynamic)
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT);
    graphics.set_dynamic = test->dynamic ? set_conservative : NULL;
    graphics.dynamic_argument = test;
    struct vt_vertex vertices[3];
    for (unsigned i = 0; i < 3; i++)
        vertices[i] = (struct vt_vertex){
            {(float)test->corners[i][0] / (128 * SIZE) - 1, (float)test->corners[i][1] / (128 * SIZE) - 1, 0.5f, 1},
            {1, 1, 1, 1}};
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, 3);
    target.samples = VK_SAMPLE_COUNT_1_BIT;
    vt_expect_picture(vt, &target, test->has_samples ? vt_download(vt, &resolved, 0) : texels, expect_conservative,
                      test, 0, 0, "conservative");
}

#define OVER VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT
#define UNDER VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT
static const struct conservative conservatives[] = {
    {OVER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, false},
    {OVER, {{5005, 14001}, {15000, 3003}, {1000, 1010}}, false},
    {OVER, {{2600, 2600}, {2650, 2610}, {2610, 2700}}, false}, /* smaller than a pixel */
    {OVER, {{100, 100}, {16100, 8100}, {16080, 8160}}, false}, /* thin */
    {UNDER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, false},
    {UNDER, {{2600, 2600}, {2650, 2610}, {2610, 2700}}, false},
    {UNDER, {{100, 100}, {16100, 8100}, {16080, 8160}}, false},
    {OVER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, true},
    {UNDER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, true},
    {OVER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, false, true},
    {UNDER, {{1000, 1010}, {15000, 3003}, {5005, 14001}}, false, true},
};

/* Without an area, but not without a place. */
static void case_degenerate(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_CONSERVATIVE])
        vt_skip(vt, "no conservative rasterisation");
    VkPhysicalDeviceConservativeRasterizationPropertiesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &about};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    VkPipelineRasterizationConservativeStateCreateInfoEXT state = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
        .conservativeRasterizationMode = OVER};
    graphics.raster.pNext = &state;
    static const int32_t place[2] = {20 * 256 + 100, 30 * 256 + 60};
    struct vt_vertex vertices[3];
    for (unsigned i = 0; i < 3; i++)
        vertices[i] = (struct vt_vertex){
            {(float)place[0] / (128 * SIZE) - 1, (float)place[1] / (128 * SIZE) - 1, 0.5f, 1}, {1, 1, 1, 1}};
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, 3);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        bool drawn = i == 30 * SIZE + 20 && about.degenerateTrianglesRasterized;
        if (texels[i] != (drawn ? UINT32_MAX : 0))
            vt_fail(vt, "pixel %u,%u is 0x%08x", i % SIZE, i / SIZE, texels[i]);
    }
}

/* ---- lines ---- */

struct bresenham {
    VkPrimitiveTopology topology;
    VkSampleCountFlagBits samples;
    uint32_t count;
    float places[5][2];
    uint32_t factor; /* of the stipple; 0: none */
    uint16_t pattern;
    bool dynamic; /* commands say the mode and the stipple */
};

/* Draw the line's pixels into a picture: 1 where it is sure to be, 2 at the ends, which rules differ about. */
static void draw_line(const struct bresenham *test, unsigned at, uint32_t *counter, uint8_t *picture)
{
    double ax = (double)test->places[at][0], ay = (double)test->places[at][1], bx = (double)test->places[at + 1][0],
           by = (double)test->places[at + 1][1];
    bool steep = fabs(by - ay) > fabs(bx - ax);
    double from = steep ? ay : ax, to = steep ? by : bx, other = steep ? ax : ay, end = steep ? bx : by;
    for (int i = (int)floor(from); i <= (int)floor(to); i++) {
        double center = i + 0.5;
        int j = (int)floor(other + (center - from) / (to - from) * (end - other));
        uint8_t *pixel = &picture[steep ? i * SIZE + j : j * SIZE + i];
        bool lit = true;
        if (test->factor && center >= from && center < to)
            lit = test->pattern >> ((*counter)++ / test->factor % 16) & 1;
        if (center < from + 0.6 || center > to - 0.6)
            *pixel = 2;
        else if (lit && *pixel != 2)
            *pixel = 1;
    }
}

static void expect_lines(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    const uint8_t *picture = argument;
    uint8_t value = picture[y * SIZE + x];
    for (unsigned c = 0; c < 4; c++)
        out[c] = value == 2 ? (double)NAN : value;
}

static void set_lines(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    const struct bresenham *test = argument;
    PFN_vkCmdSetLineRasterizationModeEXT set_mode =
        (PFN_vkCmdSetLineRasterizationModeEXT)vkGetDeviceProcAddr(vt->device, "vkCmdSetLineRasterizationModeEXT");
    PFN_vkCmdSetLineStippleEnableEXT set_stipple =
        (PFN_vkCmdSetLineStippleEnableEXT)vkGetDeviceProcAddr(vt->device, "vkCmdSetLineStippleEnableEXT");
    PFN_vkCmdSetLineStippleEXT set_pattern =
        (PFN_vkCmdSetLineStippleEXT)vkGetDeviceProcAddr(vt->device, "vkCmdSetLineStippleEXT");
    set_mode(commands, VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT);
    set_stipple(commands, test->factor != 0);
    set_pattern(commands, test->factor ? test->factor : 1, test->pattern);
}

static void case_bresenham(struct vt *vt, const void *argument)
{
    const struct bresenham *test = argument;
    if (!vt->has[VT_LINE_RASTERIZATION])
        vt_skip(vt, "no choice of line rasterisation");
    VkPhysicalDeviceLineRasterizationFeaturesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!about.bresenhamLines || (test->factor && !about.stippledBresenhamLines))
        vt_skip(vt, "no Bresenham lines");
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = dynamic_states(vt);
    if (test->dynamic &&
        (!dynamic.extendedDynamicState3LineRasterizationMode || !dynamic.extendedDynamicState3LineStippleEnable))
        vt_skip(vt, "no commands for lines");

    struct vt_target target = vt_empty_target(SIZE, SIZE, test->samples);
    vt_add_color(vt, &target, RGBA8);
    struct vt_image resolved = {0};
    if (test->samples > 1) {
        resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        target.resolve = &resolved;
        target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
        target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    }
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    VkPipelineRasterizationLineStateCreateInfoEXT state = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
        .stippledLineEnable = test->factor != 0,
        .lineStippleFactor = test->factor ? test->factor : 1,
        .lineStipplePattern = test->pattern};
    if (test->dynamic) { /* all wrong */
        state = (VkPipelineRasterizationLineStateCreateInfoEXT){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
            .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT,
            .lineStippleFactor = 1,
            .lineStipplePattern = 0x1111};
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT);
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT);
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_LINE_STIPPLE_EXT);
        graphics.set_dynamic = set_lines;
        graphics.dynamic_argument = test;
    }
    graphics.raster.pNext = &state;

    struct vt_vertex vertices[5];
    for (unsigned i = 0; i < test->count; i++)
        vertices[i] =
            (struct vt_vertex){{test->places[i][0] / 32 - 1, test->places[i][1] / 32 - 1, 0.5f, 1}, {1, 1, 1, 1}};
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, test->count);
    if (test->samples > 1)
        texels = vt_download(vt, &resolved, 0);

    uint8_t picture[SIZE * SIZE] = {0};
    bool strip = test->topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    uint32_t counter = 0;
    for (unsigned i = 0; i + 1 < test->count; i += strip ? 1 : 2) {
        counter = strip ? counter : 0;
        draw_line(test, i, &counter, picture);
    }
    struct vt_target plain = target;
    plain.samples = VK_SAMPLE_COUNT_1_BIT;
    vt_expect_picture(vt, &plain, texels, expect_lines, picture, 0, 0, "lines");
}

#define LIST VK_PRIMITIVE_TOPOLOGY_LINE_LIST
#define STRIP VK_PRIMITIVE_TOPOLOGY_LINE_STRIP
static const struct bresenham bresenhams[] = {
    {LIST, 1, 4, {{4.25f, 6.25f}, {60.25f, 20.75f}, {10.25f, 3.25f}, {12.75f, 61.25f}}, 0, 0, false},
    {LIST, 4, 4, {{4.25f, 6.25f}, {60.25f, 20.75f}, {10.25f, 3.25f}, {12.75f, 61.25f}}, 0, 0, false},
    {LIST, 1, 4, {{4.25f, 6.25f}, {60.25f, 20.75f}, {10.25f, 3.25f}, {12.75f, 61.25f}}, 1, 0x0f35, false},
    {LIST, 1, 2, {{4.25f, 6.25f}, {60.25f, 20.75f}}, 3, 0x5a01, false},
    {STRIP, 1, 4, {{2.25f, 2.25f}, {20.25f, 9.75f}, {40.25f, 11.25f}, {61.25f, 50.75f}}, 2, 0x0f35, false},
    {LIST, 4, 2, {{4.25f, 6.25f}, {60.25f, 20.75f}}, 3, 0x5a01, false},
    {LIST, 1, 4, {{4.25f, 6.25f}, {60.25f, 20.75f}, {10.25f, 3.25f}, {12.75f, 61.25f}}, 1, 0x0f35, true},
};

/* ---- adjacency ---- */

struct adjacency {
    VkPrimitiveTopology topology;
    uint32_t count;
    int8_t places[12]; /* corners of the square, or -1: an adjacent vertex, which only geometry shaders see */
};

static void expect_square(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    bool lines = *(const bool *)argument, inside = x >= 16 && x < 48 && y >= 16 && y < 48;
    bool edge = lines && inside && (x == 16 || y == 16 || x == 47 || y == 47);
    bool beside = lines && (x == 15 || y == 15 || x == 48 || y == 48);
    for (unsigned c = 0; c < 4; c++)
        out[c] = edge || beside ? (double)NAN : inside && !lines;
}

static void case_adjacency(struct vt *vt, const void *argument)
{
    const struct adjacency *test = argument;
    if (!vt->features.features.geometryShader)
        vt_skip(vt, "no adjacency without geometry shaders");
    static const float corners[4][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {-0.5f, 0.5f}, {0.5f, 0.5f}};
    struct vt_vertex vertices[12];
    for (unsigned i = 0; i < test->count; i++) {
        const float *at = test->places[i] < 0 ? (const float[2]){0.9f, -0.9f} : corners[test->places[i]];
        vertices[i] = (struct vt_vertex){{at[0], at[1], 0.5f, 1}, {1, 1, 1, 1}};
    }
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = test->topology;
    bool lines = test->topology <= VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, test->count);
    vt_expect_picture(vt, &target, texels, expect_square, &lines, 0, 0, "adjacency");
    if (lines && texels[16 * SIZE + 32] != UINT32_MAX && texels[15 * SIZE + 32] != UINT32_MAX)
        vt_fail(vt, "no line at the top");
}

static const struct adjacency adjacencies[] = {
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, 12, {0, -1, 1, -1, 2, -1, 2, -1, 1, -1, 3, -1}},
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY, 8, {0, -1, 1, -1, 2, -1, 3, -1}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, 8, {-1, 0, 1, -1, -1, 2, 3, -1}},
    {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY, 7, {-1, 0, 1, 3, 2, 0, -1}},
};

/* ---- geometry shaders ---- */

static void expect_spread(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    bool inside = y >= SIZE / 4 && y < SIZE * 3 / 4, left = x < SIZE / 2;
    out[0] = inside && left;
    out[1] = inside && !left;
    out[2] = 0;
    out[3] = inside;
}

static void expect_white(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = 1;
}

static void case_geometry(struct vt *vt, const void *argument)
{
    if (!vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.geometry_code = VT_SPIRV(spread_geom);
    /* Many of them: more than one subgroup can take. */
    struct vt_vertex vertices[6 * 100];
    for (unsigned i = 0; i < 100; i++)
        vt_quad(vertices + i * 6, 0.5f, white);
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, 600);
    vt_expect_picture(vt, &target, texels, expect_spread, NULL, 0, 0, "geometry");
}

static void expect_bands(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    uint32_t band = y / (SIZE / 4);
    out[0] = band & 1;
    out[1] = band >> 1;
    out[2] = out[3] = 1;
}

static void case_geometry_bands(struct vt *vt, const void *argument)
{
    if (!vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.geometry_code = VT_SPIRV(bands_geom);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    struct vt_vertex vertices[3] = {{{0}, {0}}};
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, 3);
    vt_expect_picture(vt, &target, texels, expect_bands, NULL, 0, 0, "geometry");
}

static void case_geometry_adjacency(struct vt *vt, const void *argument)
{
    if (!vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.geometry_code = VT_SPIRV(adjacent_geom);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    struct vt_vertex quad[6], vertices[12] = {{{0}, {0}}};
    vt_quad(quad, 0.5f, white);
    for (unsigned i = 0; i < 6; i++)
        vertices[i * 2 + 1] = quad[i];
    const void *texels = vt_draw_once(vt, &graphics, &target, vertices, 12);
    vt_expect_picture(vt, &target, texels, expect_white, NULL, 0, 0, "geometry");
}

/* ---- clears that a resolve sees ---- */

struct resolved_clear {
    VkFormat format;
    float value;
};

static void expect_value(const void *argument, uint32_t x, uint32_t y, double out[4])
{
    const struct resolved_clear *test = argument;
    bool one = test->format == VK_FORMAT_R8_SNORM;
    out[0] = (double)test->value;
    out[1] = out[2] = one ? 0 : (double)test->value;
    out[3] = one ? 1 : (double)test->value;
}

static void case_resolved_clear(struct vt *vt, const void *argument)
{
    const struct resolved_clear *test = argument;
    vt_need_features(vt, test->format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
#if defined(__aarch64__)
    /* RADV makes the clear colour an unsigned number on the way, which is 0 there and wraps on x86-64. */
    if (vt->driver == VK_DRIVER_ID_MESA_RADV && test->value < 0 && test->format != VK_FORMAT_R16G16B16A16_SFLOAT)
        vt_skip(vt, "RADV on AArch64 clears to 0 instead");
#endif
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &target, test->format);
    struct vt_image resolved = vt_image_2d(vt, test->format, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    target.resolve = &resolved;
    target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    for (unsigned c = 0; c < 4; c++)
        target.clears[0].color.float32[c] = test->value;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.sample_mask = 0;
    struct vt_vertex vertices[6];
    vt_quad(vertices, 0.5f, white);
    vt_draw_once(vt, &graphics, &target, vertices, 6);
    struct vt_target plain = target;
    plain.samples = VK_SAMPLE_COUNT_1_BIT;
    vt_expect_picture(vt, &plain, vt_download(vt, &resolved, 0), expect_value, test, 0, 0, "resolved clear");
}

static const struct resolved_clear resolved_clears[] = {
    {VK_FORMAT_R8_SNORM, -1},           {VK_FORMAT_R8G8B8A8_SNORM, -1},
    {VK_FORMAT_R16G16B16A16_SNORM, -1}, {VK_FORMAT_R16G16B16A16_SFLOAT, -1},
    {VK_FORMAT_R8G8B8A8_UNORM, 1},
};

const struct vt_case vt_extension_cases[] = {
    {"resolved clear r8 snorm", case_resolved_clear, &resolved_clears[0]},
    {"resolved clear rgba8 snorm", case_resolved_clear, &resolved_clears[1]},
    {"resolved clear rgba16 snorm", case_resolved_clear, &resolved_clears[2]},
    {"resolved clear rgba16f", case_resolved_clear, &resolved_clears[3]},
    {"resolved clear rgba8", case_resolved_clear, &resolved_clears[4]},
    {"geometry", case_geometry, NULL},
    {"geometry bands", case_geometry_bands, NULL},
    {"geometry adjacency", case_geometry_adjacency, NULL},
    {"adjacency triangles", case_adjacency, &adjacencies[0]},
    {"adjacency strip", case_adjacency, &adjacencies[1]},
    {"adjacency lines", case_adjacency, &adjacencies[2]},
    {"adjacency line strip", case_adjacency, &adjacencies[3]},
    {"half smooth", case_interpolation, &weighings[0]},
    {"half linear", case_interpolation, &weighings[1]},
    {"half flat", case_interpolation, &weighings[2]},
    {"explicit vertex 0", case_interpolation, &weighings[3]},
    {"explicit vertex 1", case_interpolation, &weighings[4]},
    {"explicit vertex 2", case_interpolation, &weighings[5]},
    {"barycentric smooth", case_interpolation, &weighings[6]},
    {"barycentric linear", case_interpolation, &weighings[7]},
    {"barycentric centroid", case_interpolation, &weighings[8]},
    {"barycentric pull", case_interpolation, &weighings[9]},
    {"discard inclusive", case_discard, &discards[0]},
    {"discard exclusive", case_discard, &discards[1]},
    {"discard inclusive 4", case_discard, &discards[2]},
    {"discard exclusive 4", case_discard, &discards[3]},
    {"discard exclusive 3", case_discard, &discards[4]},
    {"discard inclusive by commands", case_discard, &discards[5]},
    {"discard exclusive by commands", case_discard, &discards[6]},
    {"discard off by a command", case_discard, &discards[7]},
    {"overestimate", case_conservative, &conservatives[0]},
    {"overestimate turned", case_conservative, &conservatives[1]},
    {"overestimate small", case_conservative, &conservatives[2]},
    {"overestimate thin", case_conservative, &conservatives[3]},
    {"underestimate", case_conservative, &conservatives[4]},
    {"underestimate small", case_conservative, &conservatives[5]},
    {"underestimate thin", case_conservative, &conservatives[6]},
    {"overestimate by command", case_conservative, &conservatives[7]},
    {"underestimate by command", case_conservative, &conservatives[8]},
    {"overestimate 4x", case_conservative, &conservatives[9]},
    {"underestimate 4x", case_conservative, &conservatives[10]},
    {"overestimate point", case_degenerate, NULL},
    {"lines", case_bresenham, &bresenhams[0]},
    {"lines 4x", case_bresenham, &bresenhams[1]},
    {"stipple", case_bresenham, &bresenhams[2]},
    {"stipple long", case_bresenham, &bresenhams[3]},
    {"stipple strip", case_bresenham, &bresenhams[4]},
    {"stipple 4x", case_bresenham, &bresenhams[5]},
    {"stipple by command", case_bresenham, &bresenhams[6]},
};
const size_t vt_extension_count = COUNT_OF(vt_extension_cases);
