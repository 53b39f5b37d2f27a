/* One image used in many ways, one after the other: what a clear, a draw, a store or a copy left must be what the next
 * use finds, whatever a driver keeps beside the texels (fast clears, compressed blocks). A case is a string of uses; a
 * picture on the CPU is changed along with it and compared with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/fetch_metadata.h"
#include "shaders/metadata.h"

struct test {
    VkFormat format;
    uint32_t width, height;
    const char *uses;
};

/* 0 1 2 3 6: clear by the load operation; 4 5: by vkCmdClearColorImage; d: draw a rectangle; D: everything; b: add to a
 * rectangle; s: store to a rectangle; u: upload random texels; i: go on with a copy of the image; f: fetch and compare;
 * r: copy out and compare */
struct state {
    struct vt *vt;
    const struct test *test;
    const struct vt_format *format;
    struct vt_target target;
    struct vt_graphics plain, adding;
    double (*picture)[4]; /* what the image holds */
    uint64_t seed;
    unsigned step;
};

static void free_picture(struct vt *vt, uint64_t handle)
{
    free((void *)(uintptr_t)handle);
}

/* Colours that fast clears like, and others. */
static const float clears[7][4] = {
    {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}, {0.25f, 0.5f, 0.75f, 1}, {1, 1, 1, 0}, {0.125f, 0.25f, 1, 0.5f},
    {0, 1, 0, 1}};

static void set_pixel(struct state *s, uint32_t x, uint32_t y, const double color[4])
{
    uint8_t coded[16];
    vt_encode(s->format, color, coded);
    vt_decode(s->format, coded, s->picture[y * s->test->width + x]);
}

struct rectangle {
    uint32_t x, y, width, height;
    float color[4];
};

static struct rectangle random_rectangle(struct state *s)
{
    struct rectangle r = {.x = vt_random(&s->seed) % (s->test->width / 2),
                          .y = vt_random(&s->seed) % (s->test->height / 2)};
    r.width = 1 + vt_random(&s->seed) % (s->test->width - r.x);
    r.height = 1 + vt_random(&s->seed) % (s->test->height - r.y);
    for (unsigned c = 0; c < 4; c++)
        r.color[c] = (float)(vt_random(&s->seed) % 4) / 4;
    return r;
}

static void paint_rectangle(struct state *s, const struct rectangle *r, bool add)
{
    for (uint32_t y = r->y; y < r->y + r->height; y++) {
        for (uint32_t x = r->x; x < r->x + r->width; x++) {
            double color[4];
            for (unsigned c = 0; c < 4; c++)
                color[c] = (double)r->color[c] + (add ? s->picture[y * s->test->width + x][c] : 0);
            set_pixel(s, x, y, color);
        }
    }
}

static void use_clear(struct state *s, unsigned which)
{
    VkCommandBuffer commands = vt_begin(s->vt);
    struct rectangle whole = {0, 0, s->test->width, s->test->height, {0}};
    memcpy(whole.color, clears[which], sizeof(whole.color));
    if (which < 4 || which == 6) {
        s->target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
        memcpy(s->target.clears[0].color.float32, clears[which], sizeof(clears[which]));
        vt_begin_rendering(commands, &s->target);
        vkCmdEndRendering(commands);
    } else {
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VkClearColorValue value;
        memcpy(value.float32, clears[which], sizeof(value.float32));
        vt_to_layout(commands, &s->target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdClearColorImage(commands, s->target.colors[0].image, s->target.colors[0].layout, &value, 1, &range);
    }
    vt_submit(s->vt, commands);
    paint_rectangle(s, &whole, false);
}

static void use_draw(struct state *s, char what)
{
    struct rectangle r = random_rectangle(s);
    if (what == 'D')
        r = (struct rectangle){0, 0, s->test->width, s->test->height, {r.color[0], r.color[1], r.color[2], r.color[3]}};
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, (float)r.x / (float)s->test->width * 2 - 1, (float)r.y / (float)s->test->height * 2 - 1,
                 (float)(r.x + r.width) / (float)s->test->width * 2 - 1,
                 (float)(r.y + r.height) / (float)s->test->height * 2 - 1, 0.5f, r.color);
    s->target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    VkCommandBuffer commands = vt_begin(s->vt);
    vt_begin_rendering(commands, &s->target);
    vt_draw(s->vt, commands, what == 'b' ? &s->adding : &s->plain, vertices, 6);
    vkCmdEndRendering(commands);
    vt_submit(s->vt, commands);
    paint_rectangle(s, &r, what == 'b');
}

static void use_store(struct state *s)
{
    struct rectangle r = random_rectangle(s);
    struct {
        float color[4];
        uint32_t corner[2], size[2];
    } push = {{r.color[0], r.color[1], r.color[2], r.color[3]}, {r.x, r.y}, {r.width, r.height}};
    struct vt_binding binding = VT_STORAGE_IMAGE(vt_view(s->vt, &s->target.colors[0], VK_IMAGE_VIEW_TYPE_2D));
    struct vt_set set_ = vt_set(s->vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(s->vt, &set_.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(s->vt, VT_SPIRV(metadata), layout, NULL);
    VkCommandBuffer commands = vt_begin(s->vt);
    vt_to_layout(commands, &s->target.colors[0], VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set_.set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(push), &push);
    vkCmdDispatch(commands, (r.width + 7) / 8, (r.height + 7) / 8, 1);
    vt_submit(s->vt, commands);
    paint_rectangle(s, &r, false);
}

static void use_upload(struct state *s)
{
    size_t count = (size_t)s->test->width * s->test->height;
    uint8_t *texels = vt_buffer(s->vt, count * s->format->texel_B, NULL).map;
    vt_random_texels(s->format, &s->seed, texels, count);
    vt_upload(s->vt, &s->target.colors[0], 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    for (size_t i = 0; i < count; i++)
        vt_decode(s->format, texels + i * s->format->texel_B, s->picture[i]);
}

/* A second image of the same kind; the first is forgotten. */
static void use_copy(struct state *s)
{
    struct vt_target other = vt_empty_target(s->test->width, s->test->height, VK_SAMPLE_COUNT_1_BIT);
    other.color_count = 1;
    other.color_formats[0] = s->test->format;
    other.colors[0] =
        vt_image_2d(s->vt, s->test->format, s->test->width, s->test->height, s->target.colors[0].info.usage);
    other.color_views[0] = vt_view(s->vt, &other.colors[0], VK_IMAGE_VIEW_TYPE_2D);
    VkImageCopy region = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          {0},
                          {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          {0},
                          {s->test->width, s->test->height, 1}};
    VkCommandBuffer commands = vt_begin(s->vt);
    vt_to_layout(commands, &s->target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_to_layout(commands, &other.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(commands, s->target.colors[0].image, s->target.colors[0].layout, other.colors[0].image,
                   other.colors[0].layout, 1, &region);
    vt_submit(s->vt, commands);
    s->target = other;
}

static bool is_near(const double got[4], const double expected[4], const struct vt_format *format, double codes)
{
    for (unsigned c = 0; c < 4; c++) {
        double away = got[c] - expected[c], allowed = codes * vt_step(format, c, expected[c]) + 1e-6;
        if (!(away <= allowed && -away <= allowed))
            return false;
    }
    return true;
}

static void compare_pixels(struct state *s, char how)
{
    const uint8_t *texels = NULL;
    const float(*fetched)[4] = NULL;
    size_t count = (size_t)s->test->width * s->test->height;
    if (how == 'r') {
        texels = vt_download(s->vt, &s->target.colors[0], 0);
    } else {
        struct vt_buffer loaded = vt_buffer(s->vt, count * 16, NULL);
        VkCommandBuffer commands = vt_begin(s->vt);
        vt_to_layout(commands, &s->target.colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        vt_submit(s->vt, commands);
        struct vt_binding bindings[] = {
            VT_SAMPLED(vt_sampler(s->vt, (VkSamplerCreateInfo){0}), s->target.color_views[0]),
            VT_STORAGE_BUFFER(loaded)};
        vt_dispatch(s->vt, VT_SPIRV(fetch_metadata), NULL, bindings, 2, (s->test->width + 7) / 8,
                    (s->test->height + 7) / 8, 1);
        fetched = loaded.map;
    }
    for (size_t i = 0; i < count; i++) {
        double got[4];
        if (texels)
            vt_decode(s->format, texels + i * s->format->texel_B, got);
        for (unsigned c = 0; c < 4 && fetched; c++)
            got[c] = (double)fetched[i][c];
        if (!is_near(got, s->picture[i], s->format, 1.01))
            vt_fail(s->vt,
                    "use %u ('%c' of \"%s\"): texel %zu,%zu is (%.5g %.5g %.5g %.5g), expected (%.5g %.5g %.5g %.5g)",
                    s->step, how, s->test->uses, i % s->test->width, i / s->test->width, got[0], got[1], got[2], got[3],
                    s->picture[i][0], s->picture[i][1], s->picture[i][2], s->picture[i][3]);
        memcpy(s->picture[i], got, sizeof(got)); /* rounding may not add up */
    }
}

static void case_uses(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct state s = {.vt = vt, .test = test, .format = vt_format(test->format), .seed = 1234};
    VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    if (strchr(test->uses, 's')) {
        if (!vt->features.features.shaderStorageImageWriteWithoutFormat)
            vt_skip(vt, "no shaderStorageImageWriteWithoutFormat");
        usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    }
    s.target = vt_empty_target(test->width, test->height, VK_SAMPLE_COUNT_1_BIT);
    s.target.color_count = 1;
    s.target.color_formats[0] = test->format;
    s.target.colors[0] = vt_image_2d(vt, test->format, test->width, test->height, usage);
    s.target.color_views[0] = vt_view(vt, &s.target.colors[0], VK_IMAGE_VIEW_TYPE_2D);
    s.picture = calloc((size_t)test->width * test->height, sizeof(*s.picture));
    vt_defer(vt, free_picture, (uint64_t)(uintptr_t)s.picture);
    bool blends = strchr(test->uses, 'b');
    if (blends)
        vt_need_features(vt, test->format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
    for (unsigned i = 0; i < (blends ? 2u : 1u); i++) {
        struct vt_graphics *graphics = i ? &s.adding : &s.plain;
        vt_graphics_init(graphics, &s.target, vt_plain_vert, vt_plain_frag);
        vt_use_vertices(graphics);
        if (i)
            graphics->blends[0] = (VkPipelineColorBlendAttachmentState){VK_TRUE,
                                                                        VK_BLEND_FACTOR_ONE,
                                                                        VK_BLEND_FACTOR_ONE,
                                                                        VK_BLEND_OP_ADD,
                                                                        VK_BLEND_FACTOR_ONE,
                                                                        VK_BLEND_FACTOR_ONE,
                                                                        VK_BLEND_OP_ADD,
                                                                        0xf};
        vt_make_pipeline(vt, graphics, &s.target);
    }
    for (const char *use = test->uses; *use; use++, s.step++) {
        switch (*use) {
        case 'd':
        case 'D':
        case 'b':
            use_draw(&s, *use);
            break;
        case 's':
            use_store(&s);
            break;
        case 'u':
            use_upload(&s);
            break;
        case 'i':
            use_copy(&s);
            break;
        case 'f':
        case 'r':
            compare_pixels(&s, *use);
            break;
        default:
            use_clear(&s, (unsigned)(*use - '0'));
            break;
        }
    }
}

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define HALF VK_FORMAT_R16G16B16A16_SFLOAT
static const struct test tests[] = {
    {RGBA8, 64, 64, "0r1f2r3f4r5f"},
    {RGBA8, 64, 64, "3drdfbr"},
    {RGBA8, 64, 64, "usfdrisf"},
    {RGBA8, 600, 530, "0r"},
    {RGBA8, 600, 530, "1f"},
    {RGBA8, 600, 530, "2r3f"},
    {RGBA8, 600, 530, "4f5r"},
    {RGBA8, 600, 530, "0df"},
    {RGBA8, 600, 530, "3dr"},
    {RGBA8, 600, 530, "3dbf"},
    {RGBA8, 600, 530, "1D0dfr"},
    {RGBA8, 600, 530, "udfr"},
    {RGBA8, 600, 530, "3dirdf"},
    {RGBA8, 600, 530, "3sfdsr"},
    {RGBA8, 600, 530, "0f1f2f3f0dr"},
    {RGBA8, 1024, 64, "3ddddfbbr"},
    {HALF, 600, 530, "3dfbr"},
    {HALF, 600, 530, "usdr"},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 520, 514, "3dr1df"},
    {VK_FORMAT_R8_UNORM, 1030, 520, "1df3r"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 600, 530, "3df"},
    {VK_FORMAT_B8G8R8A8_UNORM, 600, 530, "3dfbr"},
    {RGBA8, 600, 530, "0r1r2r3rdrurdr"},
    {RGBA8, 600, 530, "0ir1ir2ir3ir3dir"},
    {VK_FORMAT_B8G8R8A8_UNORM, 600, 530, "0r1r2r3rdr2ir3ir"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 600, 530, "0r1r2r3rdr2ir3ir"},
    {VK_FORMAT_R8_UNORM, 1030, 520, "0r1r2r3rdr1ir3ir"},
    {VK_FORMAT_R8G8_UNORM, 600, 530, "0r1r2r3rdr1ir3ir"},
    {VK_FORMAT_R8G8B8A8_SNORM, 600, 530, "0r1r2r3rdr2ir3ir"},
    {VK_FORMAT_R16_UNORM, 600, 530, "0r1r2r3rdr1ir3ir"},
    {VK_FORMAT_R16G16B16A16_UNORM, 600, 530, "0r1r2r3rdr2ir3ir"},
    {HALF, 600, 530, "0r1r2r3rdr2ir3ir"},
    {VK_FORMAT_R32_SFLOAT, 600, 530, "0r1r2r3rdr1ir3ir"},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 520, 514, "0r1r2r3rdr2ir3ir"},
    /* Of many blocks of 64 KiB, of which most are all of one kind. */
    {RGBA8, 1160, 1090, "0r2r3rdrurdr"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1160, 1030, "1r2rdr"},
    {VK_FORMAT_R8G8_UNORM, 2068, 1030, "3rdrur"},
    {VK_FORMAT_R32_SFLOAT, 1160, 1030, "1rdr3r"},
    /* A colour of two channels whose upper one differs. */
    {VK_FORMAT_R8G8_UNORM, 600, 530, "6r6dr6bfr"},
    {VK_FORMAT_R16G16_UNORM, 600, 530, "6r6dr6bfr"},
};

/* ---- the same for depth ---- */

/* 0 1 2: clear to 0, 1 or a half by the load operation; c: to a quarter by vkCmdClearDepthStencilImage; l g a: draw a
 * rectangle that is less, greater or always; u: upload; f: fetch and compare; r: copy out and compare */
struct depth_state {
    struct vt *vt;
    const struct test *test;
    struct vt_target target;
    struct vt_graphics drawing[3];
    double *picture;
    uint64_t seed;
};

static double depth_code(const struct depth_state *s, double depth)
{
    double color[4] = {depth};
    uint8_t coded[16];
    vt_encode(vt_format(s->test->format), color, coded);
    vt_decode(vt_format(s->test->format), coded, color);
    return color[0];
}

static void clear_depth(struct depth_state *s, char how)
{
    float depth = how == '0' ? 0 : how == '1' ? 1 : how == '2' ? 0.5f : 0.25f;
    VkCommandBuffer commands = vt_begin(s->vt);
    if (how == 'c') {
        VkClearDepthStencilValue value = {depth, 0};
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
        vt_to_layout(commands, &s->target.depth, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdClearDepthStencilImage(commands, s->target.depth.image, s->target.depth.layout, &value, 1, &range);
    } else {
        s->target.depth_load = VK_ATTACHMENT_LOAD_OP_CLEAR;
        s->target.clear_depth.depthStencil.depth = depth;
        vt_begin_rendering(commands, &s->target);
        vkCmdEndRendering(commands);
    }
    vt_submit(s->vt, commands);
    for (size_t i = 0; i < (size_t)s->test->width * s->test->height; i++)
        s->picture[i] = depth_code(s, (double)depth);
}

static void draw_depth(struct depth_state *s, char how)
{
    uint32_t width = s->test->width, height = s->test->height, x0 = vt_random(&s->seed) % (width / 2),
             y0 = vt_random(&s->seed) % (height / 2);
    uint32_t x1 = x0 + 1 + vt_random(&s->seed) % (width - x0), y1 = y0 + 1 + vt_random(&s->seed) % (height - y0);
    float depth = (float)(1 + vt_random(&s->seed) % 7) / 8;
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, (float)x0 / (float)width * 2 - 1, (float)y0 / (float)height * 2 - 1,
                 (float)x1 / (float)width * 2 - 1, (float)y1 / (float)height * 2 - 1, depth, clears[0]);
    s->target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    VkCommandBuffer commands = vt_begin(s->vt);
    vt_begin_rendering(commands, &s->target);
    vt_draw(s->vt, commands, &s->drawing[how == 'l' ? 0 : how == 'g' ? 1 : 2], vertices, 6);
    vkCmdEndRendering(commands);
    vt_submit(s->vt, commands);
    double code = depth_code(s, (double)depth);
    for (uint32_t y = y0; y < y1; y++) {
        for (uint32_t x = x0; x < x1; x++) {
            double *texel = &s->picture[y * width + x];
            *texel = how == 'a' || (how == 'l' ? code < *texel : code > *texel) ? code : *texel;
        }
    }
}

static void compare_depth(struct depth_state *s, char how, unsigned step)
{
    const struct vt_format *format = vt_format(s->test->format);
    size_t count = (size_t)s->test->width * s->test->height;
    const uint8_t *texels = NULL;
    struct vt_buffer loaded = {0};
    if (how == 'r') {
        texels = vt_download(s->vt, &s->target.depth, 0);
    } else {
        loaded = vt_buffer(s->vt, count * 16, NULL);
        VkCommandBuffer commands = vt_begin(s->vt);
        vt_to_layout(commands, &s->target.depth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        vt_submit(s->vt, commands);
        struct vt_binding bindings[] = {VT_SAMPLED(vt_sampler(s->vt, (VkSamplerCreateInfo){0}), s->target.depth_view),
                                        VT_STORAGE_BUFFER(loaded)};
        vt_dispatch(s->vt, VT_SPIRV(fetch_metadata), NULL, bindings, 2, (s->test->width + 7) / 8,
                    (s->test->height + 7) / 8, 1);
    }
    for (size_t i = 0; i < count; i++) {
        double got[4];
        if (texels)
            vt_decode(format, texels + i * format->texel_B, got);
        else
            got[0] = (double)((const float(*)[4])loaded.map)[i][0];
        double allowed = format->kind == VT_UNORM ? 1.01 * vt_step(format, 0, 0) : 1e-6;
        if (!(got[0] - s->picture[i] <= allowed && s->picture[i] - got[0] <= allowed))
            vt_fail(s->vt, "use %u ('%c' of \"%s\"): texel %zu,%zu is %.7g, expected %.7g", step, how, s->test->uses,
                    i % s->test->width, i / s->test->width, got[0], s->picture[i]);
    }
}

static void case_depth_uses(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    struct depth_state s = {.vt = vt, .test = test, .seed = 77};
    static const VkCompareOp ops[3] = {VK_COMPARE_OP_LESS, VK_COMPARE_OP_GREATER, VK_COMPARE_OP_ALWAYS};
    size_t count = (size_t)test->width * test->height;
    s.target = vt_empty_target(test->width, test->height, VK_SAMPLE_COUNT_1_BIT);
    vt_add_depth(vt, &s.target, test->format);
    s.picture = calloc(count, sizeof(*s.picture));
    vt_defer(vt, free_picture, (uint64_t)(uintptr_t)s.picture);
    for (unsigned i = 0; i < 3; i++) {
        vt_graphics_init(&s.drawing[i], &s.target, vt_plain_vert, (struct vt_spirv){NULL, 0});
        vt_use_vertices(&s.drawing[i]);
        s.drawing[i].depth.depthTestEnable = s.drawing[i].depth.depthWriteEnable = VK_TRUE;
        s.drawing[i].depth.depthCompareOp = ops[i];
        vt_make_pipeline(vt, &s.drawing[i], &s.target);
    }
    for (unsigned step = 0; test->uses[step]; step++) {
        char use = test->uses[step];
        if (use == 'l' || use == 'g' || use == 'a') {
            draw_depth(&s, use);
        } else if (use == 'f' || use == 'r') {
            compare_depth(&s, use, step);
        } else if (use == 'u') {
            const struct vt_format *format = vt_format(test->format);
            uint8_t *texels = vt_buffer(vt, count * format->texel_B, NULL).map;
            vt_random_texels(format, &s.seed, texels, count);
            vt_upload(vt, &s.target.depth, 0, texels, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
            for (size_t i = 0; i < count; i++) {
                double color[4];
                vt_decode(format, texels + i * format->texel_B, color);
                s.picture[i] = color[0];
            }
        } else {
            clear_depth(&s, use);
        }
    }
}

#define D32 VK_FORMAT_D32_SFLOAT
#define D16 VK_FORMAT_D16_UNORM
static const struct test depth_tests[] = {
    {D32, 64, 64, "0r1f2rcf"}, {D32, 64, 64, "1lllfglrar"}, {D32, 600, 530, "1r"},      {D32, 600, 530, "0f2rcf"},
    {D32, 600, 530, "1lfllr"}, {D32, 600, 530, "0gggflr"},  {D32, 600, 530, "ulgfar"},  {D32, 600, 530, "1lr0gf1lf"},
    {D16, 64, 64, "1llrgf"},   {D16, 600, 530, "1lflr"},    {D16, 600, 530, "ulgrcaf"},
};

const struct vt_case vt_metadata_cases[] = {
#define USES(i, name)                                                                                                  \
    {                                                                                                                  \
        name, case_uses, &tests[i]                                                                                     \
    }
    USES(0, "clears of a small image"),
    USES(1, "draws to a small image"),
    USES(2, "stores to a small image"),
    USES(3, "clear to zero, copied"),
    USES(4, "clear to one, fetched"),
    USES(5, "clear to black and to a colour"),
    USES(6, "clear by command"),
    USES(7, "draw over zero"),
    USES(8, "draw over a colour"),
    USES(9, "blend over a colour"),
    USES(10, "clear over a draw"),
    USES(11, "draw over an upload"),
    USES(12, "draw to a copy"),
    USES(13, "stores and draws"),
    USES(14, "clears and fetches"),
    USES(15, "many draws"),
    USES(16, "half"),
    USES(17, "half with stores"),
    USES(18, "float"),
    USES(19, "r8"),
    USES(20, "a2b10g10r10"),
    USES(21, "b8g8r8a8"),
    USES(22, "copied: rgba8"),
    USES(23, "copied to images: rgba8"),
    USES(24, "copied: b8g8r8a8"),
    USES(25, "copied: a2b10g10r10"),
    USES(26, "copied: r8"),
    USES(27, "copied: r8g8"),
    USES(28, "copied: rgba8 snorm"),
    USES(29, "copied: r16"),
    USES(30, "copied: rgba16"),
    USES(31, "copied: rgba16 float"),
    USES(32, "copied: r32 float"),
    USES(33, "copied: rgba32 float"),
    USES(34, "copied in blocks: rgba8"),
    USES(35, "copied in blocks: a2b10g10r10"),
    USES(36, "copied in blocks: r8g8"),
    USES(37, "copied in blocks: r32 float"),
    USES(38, "upper channel: r8g8"),
    USES(39, "upper channel: r16g16"),
#define DEPTH(i, name)                                                                                                 \
    {                                                                                                                  \
        "depth: " name, case_depth_uses, &depth_tests[i]                                                               \
    }
    DEPTH(0, "clears of a small image"),
    DEPTH(1, "draws to a small image"),
    DEPTH(2, "clear to one, copied"),
    DEPTH(3, "clears"),
    DEPTH(4, "draws over one"),
    DEPTH(5, "draws over zero"),
    DEPTH(6, "draws over an upload"),
    DEPTH(7, "clears between draws"),
    DEPTH(8, "d16 draws"),
    DEPTH(9, "d16 draws over one"),
    DEPTH(10, "d16 draws over an upload"),
};
const size_t vt_metadata_count = COUNT_OF(vt_metadata_cases);
