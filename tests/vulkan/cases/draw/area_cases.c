/* Renderings to a part of their attachments, whose edges are no multiples of anything: what is outside of it stays,
 * with and without samples, in colours, depth and stencil. */
#include <string.h>

#include "vt/vt_graphics.h"

#define WIDTH 300
#define HEIGHT 212
#define STRIPES 6 /* of the area's width, each a draw; the last third of the height is left out */

struct area_test {
    VkFormat color, depth;
    uint32_t samples;
    VkAttachmentLoadOp load;
    VkRect2D area;
};

static const float background[4] = {1, 0.25f, 0.5f, 1}, cleared[4] = {0, 1, 0.25f, 0};

static const float stripe_colors[STRIPES][4] = {{0.5f, 0, 0, 1},      {0, 0.5f, 0, 1},      {0, 0, 1, 0},
                                                {0.25f, 0.75f, 0, 1}, {0, 0.25f, 0.75f, 1}, {1, 1, 0, 0}};

static uint32_t stripe_edge(const VkRect2D *area, uint32_t stripe)
{
    return (uint32_t)area->offset.x + area->extent.width * stripe / STRIPES;
}

static uint32_t stripe_bottom(const VkRect2D *area)
{
    return (uint32_t)area->offset.y + area->extent.height * 2 / 3;
}

static float stripe_depth(uint32_t stripe)
{
    return 0.125f + 0.125f * (float)stripe;
}

static void draw_stripes(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
                         const VkRect2D *area)
{
    const float top = (float)area->offset.y / HEIGHT * 2 - 1, bottom = (float)stripe_bottom(area) / HEIGHT * 2 - 1;
    for (uint32_t i = 0; i < STRIPES; i++) {
        struct vt_vertex vertices[6];
        vt_rectangle(vertices, (float)stripe_edge(area, i) / WIDTH * 2 - 1, top,
                     (float)stripe_edge(area, i + 1) / WIDTH * 2 - 1, bottom, stripe_depth(i), stripe_colors[i]);
        vt_draw(vt, commands, graphics, vertices, 6);
    }
}

enum place {
    OUTSIDE = -2,
    NOT_DRAWN = -1
}; /* or the number of a stripe */

static int place_of(const VkRect2D *area, uint32_t x, uint32_t y)
{
    const uint32_t left = (uint32_t)area->offset.x, top = (uint32_t)area->offset.y;
    if (x < left || y < top || x >= left + area->extent.width || y >= top + area->extent.height)
        return OUTSIDE;
    int stripe = STRIPES - 1;
    while (stripe > 0 && x < stripe_edge(area, (uint32_t)stripe))
        stripe--;
    return y < stripe_bottom(area) ? stripe : NOT_DRAWN;
}

static void expect_color(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    const struct area_test *test = argument;
    const int place = place_of(&test->area, x, y);
    const bool is_kept = place == OUTSIDE || (place == NOT_DRAWN && test->load == VK_ATTACHMENT_LOAD_OP_LOAD);
    const float *color = place >= 0 ? stripe_colors[place] : is_kept ? background : cleared;
    for (unsigned i = 0; i < 4; i++)
        color_out[i] = (double)color[i];
}

/* ---- depth and stencil ---- */

#define BACKGROUND_DEPTH 1.0
#define CLEARED_DEPTH 0.0
#define BACKGROUND_STENCIL 0x11
#define CLEARED_STENCIL 0x33
#define DRAWN_STENCIL 0x5a

static double depth_at(VkFormat format, const void *texels, uint32_t i)
{
    if (format == VK_FORMAT_D16_UNORM)
        return ((const uint16_t *)texels)[i] / 65535.0;
    if (format == VK_FORMAT_D24_UNORM_S8_UINT)
        return (((const uint32_t *)texels)[i] & 0xffffff) / 16777215.0;
    return (double)((const float *)texels)[i];
}

static void expect_depth(struct vt *vt, struct vt_target *target, const struct area_test *test)
{
    const bool has_stencil = vt_aspects(test->depth) & VK_IMAGE_ASPECT_STENCIL_BIT;
    const void *depths = vt_download_aspect(vt, &target->depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    const uint8_t *stencils =
        has_stencil ? vt_download_aspect(vt, &target->depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT) : NULL;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const int place = place_of(&test->area, i % WIDTH, i / WIDTH);
        const bool is_kept = place == OUTSIDE || (place == NOT_DRAWN && test->load == VK_ATTACHMENT_LOAD_OP_LOAD);
        const double expected = place >= 0 ? (double)stripe_depth((uint32_t)place)
                                : is_kept  ? BACKGROUND_DEPTH
                                           : CLEARED_DEPTH,
                     got = depth_at(test->depth, depths, i);
        const uint8_t stencil = place >= 0 ? DRAWN_STENCIL : is_kept ? BACKGROUND_STENCIL : CLEARED_STENCIL;
        if (got < expected - 1e-4 || got > expected + 1e-4)
            vt_fail(vt, "depth %u,%u is %f, expected %f", i % WIDTH, i / WIDTH, got, expected);
        if (stencils && stencils[i] != stencil)
            vt_fail(vt, "stencil %u,%u is 0x%02x, expected 0x%02x", i % WIDTH, i / WIDTH, stencils[i], stencil);
    }
}

static void use_depth(struct vt_graphics *graphics)
{
    graphics->depth.depthTestEnable = graphics->depth.depthWriteEnable = true;
    graphics->depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    graphics->depth.stencilTestEnable = true;
    graphics->depth.front = graphics->depth.back = (VkStencilOpState){
        VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 0xff, 0xff,
        DRAWN_STENCIL};
}

/* ---- the cases ---- */

static void set_clears(struct vt_target *target, const float color[4], double depth, uint32_t stencil)
{
    memcpy(target->clears[0].color.float32, color, sizeof(target->clears[0].color.float32));
    target->clear_depth.depthStencil = (VkClearDepthStencilValue){(float)depth, stencil};
}

static void case_area(struct vt *vt, const void *argument)
{
    const struct area_test *test = argument;
    struct vt_target plain = vt_target(vt, test->color, WIDTH, HEIGHT), many = {0};
    struct vt_target *target = &plain;
    struct vt_graphics graphics;
    if (!(vt->properties.limits.framebufferColorSampleCounts & test->samples))
        vt_skip(vt, "not so many samples");
    if (test->samples > 1) {
        many = vt_empty_target(WIDTH, HEIGHT, (VkSampleCountFlagBits)test->samples);
        vt_add_color(vt, &many, test->color);
        many.resolve = &plain.colors[0];
        many.resolve_view = plain.color_views[0];
        many.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
        many.store = many.depth_store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
        target = &many;
    }
    if (test->depth)
        vt_add_depth(vt, target, test->depth);
    vt_graphics_init(&graphics, target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.scissors[0] = test->area;
    if (test->depth)
        use_depth(&graphics);
    vt_make_pipeline(vt, &graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    set_clears(&plain, background, BACKGROUND_DEPTH, BACKGROUND_STENCIL);
    vt_begin_rendering(commands, &plain);
    vkCmdEndRendering(commands);
    set_clears(target, cleared, CLEARED_DEPTH, CLEARED_STENCIL);
    target->load = target->depth_load = test->load;
    target->area = test->area;
    vt_begin_rendering(commands, target);
    draw_stripes(vt, commands, &graphics, &test->area);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &plain.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_picture(vt, &plain, texels.map, expect_color, test, 1, 1e-6, "colour");
    if (test->depth && test->samples == 1)
        expect_depth(vt, target, test);
}

#define LOAD VK_ATTACHMENT_LOAD_OP_LOAD
#define CLEAR VK_ATTACHMENT_LOAD_OP_CLEAR
#define INSIDE                                                                                                         \
    {                                                                                                                  \
        {5, 3},                                                                                                        \
        {                                                                                                              \
            289, 205                                                                                                   \
        }                                                                                                              \
    }
#define RIGHT                                                                                                          \
    {                                                                                                                  \
        {16, 4},                                                                                                       \
        {                                                                                                              \
            284, 207                                                                                                   \
        }                                                                                                              \
    } /* one row less than the image has */
#define SMALL                                                                                                          \
    {                                                                                                                  \
        {101, 77},                                                                                                     \
        {                                                                                                              \
            7, 5                                                                                                       \
        }                                                                                                              \
    }

static const struct area_test tests[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, 0, 1, LOAD, INSIDE},
    {VK_FORMAT_R8G8B8A8_UNORM, 0, 1, CLEAR, RIGHT},
    {VK_FORMAT_R8G8B8A8_UNORM, 0, 1, LOAD, SMALL},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_D16_UNORM, 1, CLEAR, INSIDE},
    {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_D24_UNORM_S8_UINT, 1, LOAD, INSIDE},
    {VK_FORMAT_R8G8_UNORM, VK_FORMAT_D32_SFLOAT_S8_UINT, 1, CLEAR, SMALL},
    {VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_D32_SFLOAT, 1, LOAD, RIGHT},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, VK_FORMAT_D24_UNORM_S8_UINT, 1, CLEAR, INSIDE},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT, 2, CLEAR, INSIDE},
    {VK_FORMAT_R8G8B8A8_SRGB, 0, 2, CLEAR, RIGHT},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_D24_UNORM_S8_UINT, 4, CLEAR, INSIDE},
    {VK_FORMAT_R8G8B8A8_SNORM, 0, 4, CLEAR, {{0, 0}, {WIDTH, HEIGHT}}},
    {VK_FORMAT_R8G8_UNORM, VK_FORMAT_D32_SFLOAT_S8_UINT, 2, CLEAR, RIGHT},
    {VK_FORMAT_R8G8B8A8_UNORM, 0, 4, CLEAR, INSIDE},
    {VK_FORMAT_R8G8B8A8_UNORM, 0, 4, CLEAR, SMALL},
};

const struct vt_case vt_area_cases[] = {
    {"inside", case_area, &tests[0]},
    {"to the right edge", case_area, &tests[1]},
    {"a few pixels", case_area, &tests[2]},
    {"10 bits and depth of 16", case_area, &tests[3]},
    {"floats, depth and stencil", case_area, &tests[4]},
    {"two bytes, depth and stencil apart", case_area, &tests[5]},
    {"signed, float depth", case_area, &tests[6]},
    {"five bits, depth and stencil", case_area, &tests[7]},
    {"2 samples, depth and stencil", case_area, &tests[8]},
    {"2 samples of sRGB", case_area, &tests[9]},
    {"4 samples of halves, depth and stencil", case_area, &tests[10]},
    {"4 signed samples", case_area, &tests[11]},
    {"2 samples of two bytes", case_area, &tests[12]},
    {"4 samples", case_area, &tests[13]},
    {"4 samples of a few pixels", case_area, &tests[14]},
};
const size_t vt_area_count = COUNT_OF(vt_area_cases);
