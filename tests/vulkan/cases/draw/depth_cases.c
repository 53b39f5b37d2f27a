/* Depth and stencil: comparisons, writes, operations, formats, bias, bounds, and where the tests stand beside the
 * fragment shader. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

#include "shaders/depth_early_frag.h"
#include "shaders/depth_frag.h"
#include "shaders/depth_stencil_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 48

static const float red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
#define RED 0xff0000ffu
#define BLUE 0xffff0000u

static struct vt_target make_target(struct vt *vt, VkFormat depth_format)
{
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    vt_add_depth(vt, &target, depth_format);
    return target;
}

static void init_graphics(struct vt_graphics *graphics, const struct vt_target *target)
{
    vt_graphics_init(graphics, target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(graphics);
}

static bool comparison_passes(VkCompareOp op, double a, double b)
{
    switch (op) {
    case VK_COMPARE_OP_NEVER:
        return false;
    case VK_COMPARE_OP_LESS:
        return a < b;
    case VK_COMPARE_OP_EQUAL:
        return a == b;
    case VK_COMPARE_OP_LESS_OR_EQUAL:
        return a <= b;
    case VK_COMPARE_OP_GREATER:
        return a > b;
    case VK_COMPARE_OP_NOT_EQUAL:
        return a != b;
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
        return a >= b;
    default:
        return true;
    }
}

static VkFormat depth_part(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D16_UNORM_S8_UINT:
        return VK_FORMAT_D16_UNORM;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
        return VK_FORMAT_X8_D24_UNORM_PACK32;
    default:
        return VK_FORMAT_D32_SFLOAT;
    }
}

/* Depth at a pixel of a download, and the step of its format. */
static double depth_at(const void *texels, VkFormat format, uint32_t x, uint32_t y, double *step_out)
{
    const struct vt_format *known = vt_format(depth_part(format));
    double color[4];
    vt_decode(known, (const uint8_t *)texels + (y * SIZE + x) * known->texel_B, color);
    *step_out = known->kind == VT_UNORM ? vt_step(known, 0, 0) : 1e-7;
    return color[0];
}

static void expect_depth(struct vt *vt, struct vt_target *target,
                         double (*expected)(const void *argument, uint32_t x, uint32_t y), const void *argument)
{
    const void *texels = vt_download_aspect(vt, &target->depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double step, got = depth_at(texels, target->depth_format, i % SIZE, i / SIZE, &step),
                     wanted = expected(argument, i % SIZE, i / SIZE);
        if (!(fabs(got - wanted) <= step + 1e-7))
            vt_fail(vt, "depth of pixel %u,%u is %.9g, expected %.9g", i % SIZE, i / SIZE, got, wanted);
    }
}

/* ---- comparison: three stripes in red at 0.25, 0.5 and 0.75, then a blue quad at 0.5 ---- */

struct comparison {
    VkCompareOp op;
    VkFormat format;
    bool no_write, no_test;
};

static bool stripe_passes(const struct comparison *test, uint32_t x)
{
    return test->no_test || comparison_passes(test->op, 0.5, 0.25 * (x / (SIZE / 3) + 1));
}

static double comparison_depth(const void *argument, uint32_t x, uint32_t y)
{
    const struct comparison *test = argument;
    return stripe_passes(test, x) && !test->no_write && !test->no_test ? 0.5 : 0.25 * (x / (SIZE / 3) + 1);
}

static void case_compare(struct vt *vt, const void *argument)
{
    const struct comparison *test = argument;
    struct vt_target target = make_target(vt, test->format);
    struct vt_graphics before, tested;
    init_graphics(&before, &target);
    before.depth.depthTestEnable = before.depth.depthWriteEnable = VK_TRUE;
    before.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    init_graphics(&tested, &target);
    tested.depth.depthTestEnable = !test->no_test;
    tested.depth.depthWriteEnable = !test->no_write;
    tested.depth.depthCompareOp = test->op;
    vt_make_pipeline(vt, &before, &target);
    vt_make_pipeline(vt, &tested, &target);
    struct vt_vertex stripes[18], quad[6];
    for (unsigned i = 0; i < 3; i++)
        vt_rectangle(stripes + 6 * i, -1 + i * 2.0f / 3, -1, -1 + (i + 1) * 2.0f / 3, 1, 0.25f * (float)(i + 1), red);
    vt_quad(quad, 0.5f, blue);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vt_draw(vt, commands, &before, stripes, 18);
    vt_draw(vt, commands, &tested, quad, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t expected = stripe_passes(test, i % SIZE) ? BLUE : RED;
        if (((uint32_t *)texels.map)[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, ((uint32_t *)texels.map)[i],
                    expected);
    }
    expect_depth(vt, &target, comparison_depth, test);
}

static const struct comparison comparisons[] = {
    {VK_COMPARE_OP_NEVER, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_EQUAL, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_LESS_OR_EQUAL, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_GREATER, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_NOT_EQUAL, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_GREATER_OR_EQUAL, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_ALWAYS, VK_FORMAT_D32_SFLOAT, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D16_UNORM, false, false},
    {VK_COMPARE_OP_GREATER_OR_EQUAL, VK_FORMAT_D16_UNORM, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_X8_D24_UNORM_PACK32, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D24_UNORM_S8_UINT, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D32_SFLOAT_S8_UINT, false, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D32_SFLOAT, true, false},
    {VK_COMPARE_OP_LESS, VK_FORMAT_D32_SFLOAT, false, true}, /* without the test nothing is written */
};

/* ---- a sloped quad: what the depth is at each pixel, with bias, range and clamp ---- */

struct slope {
    VkFormat format;
    float left, right;            /* depths at the edges, in clip coordinates */
    float constant, slope, clamp; /* of the bias */
    float range[2];
    bool clamp_enable;
    bool negative_height;
    bool by_structure; /* the bias by vkCmdSetDepthBias2EXT */
};

static void set_bias(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    const struct slope *test = argument;
    PFN_vkCmdSetDepthBias2EXT set =
        (PFN_vkCmdSetDepthBias2EXT)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdSetDepthBias2EXT");
    VkDepthBiasInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT,
                               .depthBiasConstantFactor = test->constant,
                               .depthBiasClamp = test->clamp,
                               .depthBiasSlopeFactor = test->slope};
    set(commands, &info);
}

static double slope_depth(const struct slope *test, double units, uint32_t x)
{
    double across = (x + 0.5) / SIZE, depth = (double)test->left + across * (double)(test->right - test->left);
    if (!test->clamp_enable && (depth < 0 || depth > 1))
        return 1; /* clipped: the clear value */
    depth = (double)test->range[0] + depth * (double)(test->range[1] - test->range[0]);
    double steepest = fabs((double)((test->right - test->left) * (test->range[1] - test->range[0]))) / SIZE;
    /* The resolution: of unorm one or two steps, as the device likes; of floats 2^(e - 23), where e is the exponent of
     * the greatest depth of the primitive. */
    VkFormat format = depth_part(test->format);
    int exponent;
    frexp(fmax(fabs((double)(test->left * test->range[1])), fabs((double)(test->right * test->range[1]))), &exponent);
    double resolution = format == VK_FORMAT_D16_UNORM             ? 0x1p-16
                        : format == VK_FORMAT_X8_D24_UNORM_PACK32 ? 0x1p-24
                                                                  : ldexp(1, exponent - 1 - 23);
    double bias = (double)test->constant * resolution * units + (double)test->slope * steepest;
    if (test->clamp > 0)
        bias = fmin(bias, (double)test->clamp);
    else if (test->clamp < 0)
        bias = fmax(bias, (double)test->clamp);
    depth += bias;
    double low = fmin((double)test->range[0], (double)test->range[1]),
           high = fmax((double)test->range[0], (double)test->range[1]);
    return fmin(fmax(depth, low), high);
}

static void case_slope(struct vt *vt, const void *argument)
{
    const struct slope *test = argument;
    if (test->clamp_enable && !vt->features.features.depthClamp)
        vt_skip(vt, "no depthClamp");
    if (test->clamp != 0 && !vt->features.features.depthBiasClamp)
        vt_skip(vt, "no depthBiasClamp");
    if (test->by_structure && !vt->has[VT_DEPTH_BIAS_CONTROL])
        vt_skip(vt, "no control of the depth bias");
    struct vt_target target = make_target(vt, test->format);
    struct vt_graphics graphics;
    init_graphics(&graphics, &target);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    graphics.raster.depthBiasEnable = test->constant != 0 || test->slope != 0;
    graphics.raster.depthBiasConstantFactor = test->constant;
    graphics.raster.depthBiasSlopeFactor = test->slope;
    graphics.raster.depthBiasClamp = test->clamp;
    if (test->by_structure) {
        graphics.raster.depthBiasConstantFactor = graphics.raster.depthBiasSlopeFactor = 77; /* not looked at */
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_DEPTH_BIAS);
        graphics.set_dynamic = set_bias;
        graphics.dynamic_argument = test;
    }
    graphics.raster.depthClampEnable = test->clamp_enable;
    graphics.viewports[0].minDepth = test->range[0];
    graphics.viewports[0].maxDepth = test->range[1];
    struct vt_vertex quad[6];
    vt_quad(quad, 0, red);
    for (unsigned i = 0; i < 6; i++)
        quad[i].position[2] = quad[i].position[0] < 0 ? test->left : test->right;
    vt_draw_once(vt, &graphics, &target, quad, 6);
    const void *texels = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double step, got = depth_at(texels, test->format, i % SIZE, i / SIZE, &step);
        double one = slope_depth(test, 1, i % SIZE),
               two = slope_depth(test, depth_part(test->format) == VK_FORMAT_D32_SFLOAT ? 1 : 2, i % SIZE);
        double allowed = step * 1.5 + 3e-6 + fabs((double)test->constant) * 0x1p-24;
        if (!(got >= fmin(one, two) - allowed && got <= fmax(one, two) + allowed))
            vt_fail(vt, "depth of pixel %u,%u is %.9g, expected %.9g", i % SIZE, i / SIZE, got, one);
    }
}

static const struct slope slopes[] = {
    {VK_FORMAT_D32_SFLOAT, 0.125f, 0.75f, 0, 0, 0, {0, 1}, false, false},
    {VK_FORMAT_D16_UNORM, 0.125f, 0.75f, 0, 0, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.125f, 0.75f, 0, 0, 0, {0.25f, 0.5f}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.125f, 0.75f, 0, 0, 0, {0.75f, 0.25f}, false, false},
    {VK_FORMAT_D32_SFLOAT, -0.5f, 1.5f, 0, 0, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, -0.5f, 1.5f, 0, 0, 0, {0, 1}, true, false},
    {VK_FORMAT_D32_SFLOAT, -0.5f, 1.5f, 0, 0, 0, {0.25f, 0.75f}, true, false},
    {VK_FORMAT_D16_UNORM, 0.5f, 0.5f, 100, 0, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.5f, 0.5f, 100000, 0, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.25f, 0.5f, 0, 8, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.25f, 0.5f, 0, -4, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.25f, 0.5f, 0, 16, 0.03125f, {0, 1}, false, false},
    {VK_FORMAT_D16_UNORM, 0.25f, 0.5f, -200, 2, 0, {0, 1}, false, false},
    {VK_FORMAT_D32_SFLOAT, 0.25f, 0.5f, 0, 16, 0.03125f, {0, 1}, false, false, true},
    {VK_FORMAT_D16_UNORM, 0.25f, 0.5f, -200, 2, 0, {0, 1}, false, false, true},
};

/* Bounds look at the depth that is there. */
static void case_bounds(struct vt *vt, const void *argument)
{
    if (!vt->features.features.depthBounds)
        vt_skip(vt, "no depthBounds");
    struct vt_target target = make_target(vt, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics before, tested;
    init_graphics(&before, &target);
    before.depth.depthTestEnable = before.depth.depthWriteEnable = VK_TRUE;
    before.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    init_graphics(&tested, &target);
    tested.depth.depthBoundsTestEnable = VK_TRUE;
    tested.depth.minDepthBounds = 0.25f;
    tested.depth.maxDepthBounds = 0.75f;
    vt_make_pipeline(vt, &before, &target);
    vt_make_pipeline(vt, &tested, &target);
    struct vt_vertex sloped[6], quad[6];
    vt_quad(sloped, 0, red);
    for (unsigned i = 0; i < 6; i++)
        sloped[i].position[2] = sloped[i].position[0] < 0 ? 0 : 1;
    vt_quad(quad, 0.9f, blue);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vt_draw(vt, commands, &before, sloped, 6);
    vt_draw(vt, commands, &tested, quad, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double depth = (i % SIZE + 0.5) / SIZE;
        uint32_t expected = depth >= 0.25 && depth <= 0.75 ? BLUE : RED;
        if (((uint32_t *)texels.map)[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, ((uint32_t *)texels.map)[i],
                    expected);
    }
}

/* ---- the shader's part ---- */

struct shader_part {
    int what; /* 1: discards odd rows, 2: exports depth from alpha */
    bool early;
};

/* A quad at 0.5 over a clear of 0.75, less. With alpha 0.875 exported the test fails; late tests see discards, early
 * ones write before them. */
static void case_shader(struct vt *vt, const void *argument)
{
    const struct shader_part *test = argument;
    struct vt_target target = make_target(vt, VK_FORMAT_D32_SFLOAT);
    target.clear_depth.depthStencil.depth = 0.75f;
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert,
                     test->early ? VT_SPIRV(depth_early_frag) : VT_SPIRV(depth_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = VT_CONSTANTS(test->what);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    struct vt_vertex quads[12];
    vt_rectangle(quads, -1, -1, 0, 1, 0.5f, (const float[4]){1, 0, 0, 0.625f});
    vt_rectangle(quads + 6, 0, -1, 1, 1, 0.5f, (const float[4]){1, 0, 0, 0.875f});
    const uint8_t *texels = vt_draw_once(vt, &graphics, &target, quads, 12);
    const float *depths = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        bool discarded = (test->what & 1) && (i / SIZE & 1), exports = test->what & 2, right = i % SIZE >= SIZE / 2;
        float depth = exports ? right ? 0.875f : 0.625f : 0.5f;
        bool passes = depth < 0.75f, drawn = passes && !discarded, written = passes && (!discarded || test->early);
        if ((texels[i * 4] == 255) != drawn)
            vt_fail(vt, "pixel %u,%u is %sdrawn", i % SIZE, i / SIZE, drawn ? "not " : "");
        if (fabsf(depths[i] - (written ? depth : 0.75f)) > 1e-6f)
            vt_fail(vt, "depth of pixel %u,%u is %.7g, expected %.7g", i % SIZE, i / SIZE, (double)depths[i],
                    (double)(written ? depth : 0.75f));
    }
}

static const struct shader_part shader_parts[] = {{1, false}, {2, false}, {3, false}, {1, true}};

/* ---- stencil ---- */

struct stencil {
    VkStencilOp fail, pass, depth_fail;
    VkCompareOp op;
    uint32_t reference, compare_mask, write_mask;
    bool depth_fails;
    VkFormat format; /* 0: D32_SFLOAT_S8_UINT */
};

static const uint32_t stencil_values[] = {0, 1, 0x5a, 0x7f, 0x80, 0xff};

static uint32_t stencil_op(VkStencilOp op, uint32_t value, uint32_t reference)
{
    switch (op) {
    case VK_STENCIL_OP_KEEP:
        return value;
    case VK_STENCIL_OP_ZERO:
        return 0;
    case VK_STENCIL_OP_REPLACE:
        return reference;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP:
        return value == 255 ? 255 : value + 1;
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP:
        return value == 0 ? 0 : value - 1;
    case VK_STENCIL_OP_INVERT:
        return ~value & 255;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP:
        return (value + 1) & 255;
    default:
        return (value - 1) & 255;
    }
}

/* Six stripes with values of their own, written by REPLACE; then the tested draw. */
static void case_stencil(struct vt *vt, const void *argument)
{
    const struct stencil *test = argument;
    struct vt_target target = make_target(vt, test->format ? test->format : VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics before, tested;
    init_graphics(&before, &target);
    before.depth.stencilTestEnable = VK_TRUE;
    before.depth.front = before.depth.back = (VkStencilOpState){
        VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 0};
    vt_add_dynamic(&before, VK_DYNAMIC_STATE_STENCIL_REFERENCE);
    vt_add_dynamic(&before, VK_DYNAMIC_STATE_SCISSOR);
    init_graphics(&tested, &target);
    tested.depth.stencilTestEnable = VK_TRUE;
    tested.depth.front = tested.depth.back = (VkStencilOpState){
        test->fail, test->pass, test->depth_fail, test->op, test->compare_mask, test->write_mask, test->reference};
    tested.depth.depthTestEnable = test->depth_fails;
    tested.depth.depthCompareOp = VK_COMPARE_OP_NEVER;
    vt_make_pipeline(vt, &before, &target);
    vt_make_pipeline(vt, &tested, &target);
    struct vt_vertex first[6], second[6];
    vt_quad(first, 0.5f, red);
    vt_quad(second, 0.5f, blue);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, before.pipeline);
    for (unsigned i = 0; i < 6; i++) {
        VkRect2D scissor = {{(int32_t)(i * SIZE / 6), 0}, {SIZE / 6, SIZE}};
        vkCmdSetScissor(commands, 0, 1, &scissor);
        vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, stencil_values[i]);
        vt_draw(vt, commands, &before, first, 6);
    }
    vt_draw(vt, commands, &tested, second, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint8_t *stencils = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t value = stencil_values[i % SIZE / (SIZE / 6)];
        bool passes = comparison_passes(test->op, test->reference & test->compare_mask, value & test->compare_mask);
        uint32_t changed = stencil_op(!passes             ? test->fail
                                      : test->depth_fails ? test->depth_fail
                                                          : test->pass,
                                      value, test->reference);
        uint32_t expected = (value & ~test->write_mask) | (changed & test->write_mask),
                 color = passes && !test->depth_fails ? BLUE : RED;
        if (stencils[i] != expected)
            vt_fail(vt, "stencil of pixel %u,%u is 0x%02x, expected 0x%02x (was 0x%02x)", i % SIZE, i / SIZE,
                    stencils[i], expected, value);
        if (((uint32_t *)texels.map)[i] != color)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, ((uint32_t *)texels.map)[i],
                    color);
    }
}

#define KEEP VK_STENCIL_OP_KEEP
#define PASS_OP(o)                                                                                                     \
    {                                                                                                                  \
        KEEP, o, KEEP, VK_COMPARE_OP_ALWAYS, 0x3c, 0xff, 0xff, false, 0                                                \
    }
#define COMPARE(o)                                                                                                     \
    {                                                                                                                  \
        VK_STENCIL_OP_INVERT, VK_STENCIL_OP_ZERO, KEEP, o, 0x7f, 0xff, 0xff, false, 0                                  \
    }
static const struct stencil stencils[] = {
    PASS_OP(VK_STENCIL_OP_KEEP),
    PASS_OP(VK_STENCIL_OP_ZERO),
    PASS_OP(VK_STENCIL_OP_REPLACE),
    PASS_OP(VK_STENCIL_OP_INCREMENT_AND_CLAMP),
    PASS_OP(VK_STENCIL_OP_DECREMENT_AND_CLAMP),
    PASS_OP(VK_STENCIL_OP_INVERT),
    PASS_OP(VK_STENCIL_OP_INCREMENT_AND_WRAP),
    PASS_OP(VK_STENCIL_OP_DECREMENT_AND_WRAP),
    COMPARE(VK_COMPARE_OP_NEVER),
    COMPARE(VK_COMPARE_OP_LESS),
    COMPARE(VK_COMPARE_OP_EQUAL),
    COMPARE(VK_COMPARE_OP_LESS_OR_EQUAL),
    COMPARE(VK_COMPARE_OP_GREATER),
    COMPARE(VK_COMPARE_OP_NOT_EQUAL),
    COMPARE(VK_COMPARE_OP_GREATER_OR_EQUAL),
    {VK_STENCIL_OP_ZERO, KEEP, VK_STENCIL_OP_INCREMENT_AND_WRAP, VK_COMPARE_OP_ALWAYS, 5, 0xff, 0xff, true, 0},
    {VK_STENCIL_OP_INVERT, VK_STENCIL_OP_REPLACE, KEEP, VK_COMPARE_OP_EQUAL, 0xf0, 0x80, 0x3c, false, 0},
    {VK_STENCIL_OP_ZERO, VK_STENCIL_OP_INVERT, KEEP, VK_COMPARE_OP_LESS, 0x40, 0xff, 0xff, false, VK_FORMAT_S8_UINT},
    {VK_STENCIL_OP_ZERO, VK_STENCIL_OP_INVERT, KEEP, VK_COMPARE_OP_LESS, 0x40, 0xff, 0xff, false,
     VK_FORMAT_D24_UNORM_S8_UINT},
};

/* The sides of a triangle have states of their own. */
static void case_two_sides(struct vt *vt, const void *argument)
{
    struct vt_target target = make_target(vt, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics graphics;
    init_graphics(&graphics, &target);
    graphics.depth.stencilTestEnable = VK_TRUE;
    graphics.depth.front = (VkStencilOpState){KEEP, VK_STENCIL_OP_REPLACE, KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 11};
    graphics.depth.back = (VkStencilOpState){KEEP, VK_STENCIL_OP_REPLACE, KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 22};
    graphics.raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
    struct vt_vertex quads[12], swapped;
    vt_rectangle(quads, -1, -1, 0, 1, 0.5f, red); /* clockwise on the screen */
    vt_rectangle(quads + 6, 0, -1, 1, 1, 0.5f, red);
    for (unsigned i = 6; i < 12; i += 3) {
        swapped = quads[i];
        quads[i] = quads[i + 1];
        quads[i + 1] = swapped;
    }
    vt_draw_once(vt, &graphics, &target, quads, 12);
    const uint8_t *got = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (got[i] != (i % SIZE < SIZE / 2 ? 11 : 22))
            vt_fail(vt, "stencil of pixel %u,%u is %u", i % SIZE, i / SIZE, got[i]);
    }
}

static void case_stencil_export(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_SHADER_STENCIL_EXPORT])
        vt_skip(vt, "no VK_EXT_shader_stencil_export");
    struct vt_target target = make_target(vt, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, VT_SPIRV(depth_stencil_frag));
    vt_use_vertices(&graphics);
    graphics.depth.stencilTestEnable = VK_TRUE;
    graphics.depth.front = graphics.depth.back =
        (VkStencilOpState){KEEP, VK_STENCIL_OP_REPLACE, KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 11};
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, red);
    vt_draw_once(vt, &graphics, &target, quad, 6);
    const uint8_t *got = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (got[i] != i % SIZE)
            vt_fail(vt, "stencil of pixel %u,%u is %u", i % SIZE, i / SIZE, got[i]);
    }
}

/* ---- clears and loads ---- */

static double four_tenths(const void *argument, uint32_t x, uint32_t y)
{
    return 0.4;
}

/* A pass that clears, and one that loads and tests against it. Depth only: there is no colour target and no fragment
 * shader. */
static void destroy_image(struct vt *vt, uint64_t handle)
{
    vkDestroyImage(vt->device, (VkImage)handle, NULL);
}

/* The target in memory that something else has used: an image without a layout must not take its old contents for
 * its own. */
static void use_old_memory(struct vt *vt, struct vt_target *target)
{
    struct vt_image *image = &target->depth;
    VkMemoryRequirements needs;
    VT_CHECK(vt, vkCreateImage(vt->device, &image->info, NULL, &image->image));
    vt_defer(vt, destroy_image, (uint64_t)image->image);
    vkGetImageMemoryRequirements(vt->device, image->image, &needs);
    struct vt_buffer buffer = vt_local_buffer(vt, needs.size + needs.alignment);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer.buffer, 0, VK_WHOLE_SIZE, 0xa5c3e187);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    image->memory = buffer.memory;
    VT_CHECK(vt, vkBindImageMemory(vt->device, image->image, image->memory, 0));
    target->depth_view = vt_view(vt, image, VK_IMAGE_VIEW_TYPE_2D);
}

static void case_depth_only(struct vt *vt, const void *argument)
{
    VkFormat format = *(const VkFormat *)argument;
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    vt_add_depth(vt, &target, format);
    use_old_memory(vt, &target);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, (struct vt_spirv){NULL, 0});
    vt_use_vertices(&graphics);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex near[6], far[6];
    vt_quad(near, 0.4f, red);
    vt_quad(far, 0.6f, red);
    VkCommandBuffer commands = vt_begin(vt);
    for (unsigned pass = 0; pass < 3; pass++) {
        vt_begin_rendering(commands, &target);
        if (pass)
            vt_draw(vt, commands, &graphics, pass == 1 ? near : far, 6);
        vkCmdEndRendering(commands);
        target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    }
    vt_submit(vt, commands);
    expect_depth(vt, &target, four_tenths, NULL);
}

static const VkFormat only_formats[] = {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM};

/* A rectangle of depth and stencil is cleared between draws. */
static double cleared_depth(const void *argument, uint32_t x, uint32_t y)
{
    return x >= 8 && x < 28 && y >= 4 && y < 44 ? 0.9 : 0.5;
}

static void case_clear_attachments(struct vt *vt, const void *argument)
{
    struct vt_target target = make_target(vt, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics graphics;
    init_graphics(&graphics, &target);
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, red);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vt_draw(vt, commands, &graphics, quad, 6);
    VkClearAttachment clear = {
        VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, {.depthStencil = {0.9f, 44}}};
    VkClearRect rect = {{{8, 4}, {20, 40}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    expect_depth(vt, &target, cleared_depth, NULL);
    const uint8_t *got = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (got[i] != (cleared_depth(NULL, i % SIZE, i / SIZE) > 0.7 ? 44 : 0))
            vt_fail(vt, "stencil of pixel %u,%u is %u", i % SIZE, i / SIZE, got[i]);
    }
}

const struct vt_case vt_depth_cases[] = {
#define COMPARISON(i, name)                                                                                            \
    {                                                                                                                  \
        name, case_compare, &comparisons[i]                                                                            \
    }
    COMPARISON(0, "never"),
    COMPARISON(1, "less"),
    COMPARISON(2, "equal"),
    COMPARISON(3, "less or equal"),
    COMPARISON(4, "greater"),
    COMPARISON(5, "not equal"),
    COMPARISON(6, "greater or equal"),
    COMPARISON(7, "always"),
    COMPARISON(8, "d16 less"),
    COMPARISON(9, "d16 greater or equal"),
    COMPARISON(10, "x8d24 less"),
    COMPARISON(11, "d24s8 less"),
    COMPARISON(12, "d32s8 less"),
    COMPARISON(13, "without write"),
    COMPARISON(14, "without test"),
#define SLOPE(i, name)                                                                                                 \
    {                                                                                                                  \
        name, case_slope, &slopes[i]                                                                                   \
    }
    SLOPE(0, "slope d32"),
    SLOPE(1, "slope d16"),
    SLOPE(2, "range"),
    SLOPE(3, "range reversed"),
    SLOPE(4, "clipped"),
    SLOPE(5, "clamped"),
    SLOPE(6, "clamped to range"),
    SLOPE(7, "bias constant d16"),
    SLOPE(8, "bias constant d32"),
    SLOPE(9, "bias slope"),
    SLOPE(10, "bias slope negative"),
    SLOPE(11, "bias clamped"),
    SLOPE(12, "bias both d16"),
    SLOPE(13, "bias clamped by structure"),
    SLOPE(14, "bias both d16 by structure"),
    {"bounds", case_bounds, NULL},
    {"discard", case_shader, &shader_parts[0]},
    {"export", case_shader, &shader_parts[1]},
    {"export and discard", case_shader, &shader_parts[2]},
    {"early and discard", case_shader, &shader_parts[3]},
#define STENCIL(i, name)                                                                                               \
    {                                                                                                                  \
        "stencil " name, case_stencil, &stencils[i]                                                                    \
    }
    STENCIL(0, "keep"),
    STENCIL(1, "zero"),
    STENCIL(2, "replace"),
    STENCIL(3, "increment and clamp"),
    STENCIL(4, "decrement and clamp"),
    STENCIL(5, "invert"),
    STENCIL(6, "increment and wrap"),
    STENCIL(7, "decrement and wrap"),
    STENCIL(8, "never"),
    STENCIL(9, "less"),
    STENCIL(10, "equal"),
    STENCIL(11, "less or equal"),
    STENCIL(12, "greater"),
    STENCIL(13, "not equal"),
    STENCIL(14, "greater or equal"),
    STENCIL(15, "depth fails"),
    STENCIL(16, "masks"),
    STENCIL(17, "s8"),
    STENCIL(18, "d24s8"),
    {"stencil of two sides", case_two_sides, NULL},
    {"stencil export", case_stencil_export, NULL},
    {"d32 alone", case_depth_only, &only_formats[0]},
    {"d16 alone", case_depth_only, &only_formats[1]},
    {"clear attachments", case_clear_attachments, NULL},
};
const size_t vt_depth_count = COUNT_OF(vt_depth_cases);
