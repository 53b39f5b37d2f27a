/* Shading rates beside other state: what makes fragments small again, blending, lines and points, and attachments that
 * have rates of their own. */
#include <string.h>

#include "cases/rate/shading_rate.h"

#include "shaders/rate_depth_frag.h"
#include "shaders/rate_mask_in_frag.h"
#include "shaders/rate_mask_out_frag.h"
#include "shaders/rate_sample_frag.h"

/* ---- what the device says ---- */

static void case_list(struct vt *vt, const void *argument)
{
    const struct rate_limits limits = rate_need(vt);
    const VkPhysicalDeviceFragmentShadingRatePropertiesKHR *p = &limits.properties;
    const VkPhysicalDeviceFragmentShadingRateKHR *last = &limits.rates[limits.rate_count - 1];
    if (!limits.rate_count || last->fragmentSize.width != 1 || last->fragmentSize.height != 1)
        vt_fail(vt, "the last rate is not 1 by 1");
    if (last->sampleCounts != ~0u)
        vt_fail(vt, "1 by 1 is not for all counts of samples: %x", last->sampleCounts);
    bool has_2x2 = false, has_2x1 = false;
    for (uint32_t i = 0; i < limits.rate_count; i++) {
        const VkPhysicalDeviceFragmentShadingRateKHR *rate = &limits.rates[i];
        const uint32_t w = rate->fragmentSize.width, h = rate->fragmentSize.height;
        if (w & (w - 1) || h & (h - 1) || w > p->maxFragmentSize.width || h > p->maxFragmentSize.height)
            vt_fail(vt, "rate %u is %u by %u", i, w, h);
        if (i && (w > rate[-1].fragmentSize.width ||
                  (w == rate[-1].fragmentSize.width && h >= rate[-1].fragmentSize.height)))
            vt_fail(vt, "rate %u is larger than the one before it", i);
        has_2x2 |= w == 2 && h == 2 && rate->sampleCounts & VK_SAMPLE_COUNT_1_BIT &&
                   rate->sampleCounts & VK_SAMPLE_COUNT_4_BIT;
        has_2x1 |= w == 2 && h == 1 && rate->sampleCounts & VK_SAMPLE_COUNT_1_BIT;
    }
    if (!has_2x2 || !has_2x1)
        vt_fail(vt, "2 by 2 and 2 by 1 are not there");
    PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR get =
        (PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR)(void *)vkGetInstanceProcAddr(
            vt->instance, "vkGetPhysicalDeviceFragmentShadingRatesKHR");
    VkPhysicalDeviceFragmentShadingRateKHR first = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR};
    uint32_t one = 1, count = 0;
    if (get(vt->physical, &count, NULL) != VK_SUCCESS || count != limits.rate_count ||
        get(vt->physical, &one, &first) != VK_INCOMPLETE || one != 1 ||
        first.fragmentSize.width != limits.rates[0].fragmentSize.width)
        vt_fail(vt, "%u rates are counted, %u are there", count, limits.rate_count);
}

/* ---- what makes fragments small ---- */

enum small {
    SMALL_DEPTH, /* the shader writes it */
    SMALL_MASK_IN,
    SMALL_MASK_OUT,
    SMALL_SAMPLE_SHADING, /* by state */
    SMALL_SAMPLE_ID,
};

struct small_test {
    enum small why;
    uint32_t samples;
};

static void case_small(struct vt *vt, const void *argument)
{
    const struct small_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    const VkPhysicalDeviceFragmentShadingRatePropertiesKHR *p = &limits.properties;
    const struct vt_spirv codes[] = {[SMALL_DEPTH] = VT_SPIRV(rate_depth_frag),
                                     [SMALL_MASK_IN] = VT_SPIRV(rate_mask_in_frag),
                                     [SMALL_MASK_OUT] = VT_SPIRV(rate_mask_out_frag),
                                     [SMALL_SAMPLE_SHADING] = vt_rate_frag,
                                     [SMALL_SAMPLE_ID] = VT_SPIRV(rate_sample_frag)};
    const bool stays = test->why == SMALL_DEPTH      ? p->fragmentShadingRateWithShaderDepthStencilWrites
                       : test->why <= SMALL_MASK_OUT ? p->fragmentShadingRateWithShaderSampleMask
                                                     : false;
    if (stays && test->why == SMALL_MASK_OUT)
        vt_skip(vt, "masks of large fragments");
    if (test->why >= SMALL_SAMPLE_SHADING && !vt->features.features.sampleRateShading)
        vt_skip(vt, "no shading for each sample");
    struct vt_target target = rate_target(vt, test->samples);
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    if (test->why == SMALL_DEPTH)
        vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    rate_init(&draw, &target, vt_rate_vert, codes[test->why], (rate_size){2, 2}, RATE_KEEP, RATE_KEEP);
    draw.graphics.depth.depthTestEnable = draw.graphics.depth.depthWriteEnable = test->why == SMALL_DEPTH;
    draw.graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    draw.graphics.multisample.sampleShadingEnable = test->why == SMALL_SAMPLE_SHADING;
    draw.graphics.multisample.minSampleShading = 1;
    rate_rectangle(vertices, 0, 0, RATE_WIDTH, RATE_HEIGHT, 0.5f, 0);
    const rate_size size = rate_choose(&limits, stays ? (rate_size){2, 2} : (rate_size){1, 1}, test->samples);
    rate_picture picture = rate_render(vt, &draw, &target, vertices, 6);
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * test->samples; i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH % RATE_HEIGHT, s = i / RATE_WIDTH / RATE_HEIGHT;
        const float *texel = picture[s][y][x];
        const float here = test->why == SMALL_SAMPLE_ID ? (float)(s + 1) : 1;
        const bool is_here = test->why == SMALL_MASK_IN ? (uint32_t)texel[3] >> s & 1 : texel[3] == here;
        if (test->why == SMALL_MASK_OUT && s) {
            if (texel[3] != 0)
                vt_fail(vt, "sample %u of pixel %u,%u was not to be written", s, x, y);
            continue;
        }
        const bool by_sample = test->why >= SMALL_SAMPLE_SHADING && test->samples > 1; /* places are those of samples */
        if ((by_sample
                 ? (uint32_t)texel[0] != x || (uint32_t)texel[1] != y
                 : texel[0] != (float)rate_center(x, size.width) || texel[1] != (float)rate_center(y, size.height)) ||
            texel[2] != (float)rate_code(size) || !is_here)
            vt_fail(vt, "pixel %u,%u sample %u has (%g %g %g %g)", x, y, s, (double)texel[0], (double)texel[1],
                    (double)texel[2], (double)texel[3]);
    }
}

/* ---- blending, several times, in one rendering ---- */

static void case_blend(struct vt *vt, const void *argument)
{
    rate_need(vt);
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    struct vt_vertex vertices[12];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, (rate_size){2, 2}, RATE_KEEP, RATE_KEEP);
    draw.graphics.fragment_constants = VT_CONSTANTS(RATE_CONSTANT);
    draw.graphics.blends[0] = (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE,
                                                                    .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                    .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                    .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                    .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                    .colorWriteMask = 0xf};
    rate_rectangle(vertices, 0, 0, 31, RATE_HEIGHT, 0.5f, 0);
    rate_rectangle(vertices + 6, 15, 9, RATE_WIDTH, RATE_HEIGHT, 0.5f, 0);
    rate_picture picture = rate_render(vt, &draw, &target, vertices, 12);
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT; i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH;
        const float times = (float)(x < 31) + (float)(x >= 15 && y >= 9);
        const float *texel = picture[0][y][x];
        if (texel[0] != times || texel[1] != 2 * times || texel[2] != 4 * times)
            vt_fail(vt, "pixel %u,%u has (%g %g %g), not %g times (1 2 4)", x, y, (double)texel[0], (double)texel[1],
                    (double)texel[2], (double)times);
    }
}

/* ---- lines and points ---- */

static void case_thin(struct vt *vt, const void *argument)
{
    const VkPrimitiveTopology topology = *(const VkPrimitiveTopology *)argument;
    const struct rate_limits limits = rate_need(vt);
    struct vt_vertex vertices[8];
    rate_picture pictures[2];
    for (unsigned i = 0; i < 8; i++)
        vertices[i] = (struct vt_vertex){
            .position = {-0.83f + 0.21f * (float)i, i & 1 ? 0.71f - 0.1f * (float)i : -0.63f, 0.5f, 1}, .color = {1}};
    for (unsigned pass = 0; pass < 2; pass++) {
        struct vt_target target = rate_target(vt, 1);
        struct rate_draw draw;
        rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, pass ? (rate_size){2, 2} : (rate_size){1, 1}, RATE_KEEP,
                  RATE_KEEP);
        draw.graphics.assembly.topology = topology;
        pictures[pass] = rate_render(vt, &draw, &target, vertices, 8);
    }
    const rate_size size = rate_choose(&limits, (rate_size){2, 2}, 1);
    uint32_t covered = 0;
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT; i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH;
        const float *texel = pictures[1][0][y][x];
        covered += texel[3] != 0;
        if (texel[3] != pictures[0][0][y][x][3])
            vt_fail(vt, "pixel %u,%u is covered at one rate alone", x, y);
        if (texel[3] != 0 && (texel[0] != (float)rate_center(x, size.width) || texel[2] != (float)rate_code(size)))
            vt_fail(vt, "pixel %u,%u has (%g %g %g)", x, y, (double)texel[0], (double)texel[1], (double)texel[2]);
    }
    if (!covered)
        vt_fail(vt, "nothing was drawn");
}

static const VkPrimitiveTopology points = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, lines = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;

/* ---- attachments with rates, on a device that has their feature ---- */

#define TEXELS_X 8u
#define TEXELS_Y 8u

struct attached {
    rate_size size; /* of the pipeline */
    VkFragmentShadingRateCombinerOpKHR ops[2];
    bool writes; /* rates of quarters, by primitives */
    VkFormat depth;
    uint32_t samples;
};

struct attached_wanted {
    const struct rate_limits *limits;
    struct attached test;
    VkExtent2D texel;
    const uint8_t *codes;
};

static rate_size expect_attached(const void *argument, uint32_t x, uint32_t y)
{
    const struct attached_wanted *wanted = argument;
    const uint8_t code = wanted->codes[y / wanted->texel.height * TEXELS_X + x / wanted->texel.width];
    const rate_size of_primitive = wanted->test.writes ? rate_quarters[rate_quarter_of(x, y)] : (rate_size){1, 1};
    rate_size size = rate_combine(wanted->test.ops[0], wanted->test.size, of_primitive);
    size = rate_combine(wanted->test.ops[1], size, rate_of_code(code));
    return rate_choose(wanted->limits, size, wanted->test.samples);
}

static void begin_attached(VkCommandBuffer commands, struct vt_target *target, struct vt_image *rates, VkImageView view,
                           VkExtent2D texel)
{
    vt_to_layout(commands, &target->colors[0], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vt_to_layout(commands, rates, VK_IMAGE_LAYOUT_FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR);
    if (target->depth_format)
        vt_to_layout(commands, &target->depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = target->color_views[0],
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE},
                                    depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = target->depth_view,
                                             .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingFragmentShadingRateAttachmentInfoKHR rate = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
        .imageView = view,
        .imageLayout = VK_IMAGE_LAYOUT_FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR,
        .shadingRateAttachmentTexelSize = texel};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .pNext = &rate,
                                  .renderArea = {{0, 0}, {RATE_WIDTH, RATE_HEIGHT}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color,
                                  .pDepthAttachment = target->depth_format ? &depth : NULL,
                                  .pStencilAttachment =
                                      target->depth_format == VK_FORMAT_D32_SFLOAT_S8_UINT ? &depth : NULL};
    vkCmdBeginRendering(commands, &info);
}

static void case_attachment(struct vt *vt, const void *argument)
{
    const struct attached *test = argument;
    const struct rate_limits limits = rate_need(vt);
    static const uint8_t pattern[] = {0, 5, 1, 4, 5, 0, 4, 1, 1, 1, 5, 0, 0, 4};
    uint8_t codes[TEXELS_X * TEXELS_Y];
    rate_enter_device(vt);
    for (uint32_t i = 0; i < sizeof(codes); i++)
        codes[i] = pattern[i % sizeof(pattern)];
    const VkExtent2D texel = limits.properties.minFragmentShadingRateAttachmentTexelSize;
    struct vt_image rates =
        vt_image_2d(vt, VK_FORMAT_R8_UINT, TEXELS_X, TEXELS_Y, VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR);
    vt_upload(vt, &rates, 0, codes, VK_IMAGE_LAYOUT_FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR);
    VkImageView view = vt_view(vt, &rates, VK_IMAGE_VIEW_TYPE_2D);
    struct vt_target target = rate_target(vt, test->samples);
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    if (test->depth) {
        vt_need_features(vt, test->depth, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
        vt_add_depth(vt, &target, test->depth);
    }
    rate_init(&draw, &target, test->writes ? vt_rate_writes_vert : vt_rate_vert, vt_rate_frag, test->size, test->ops[0],
              test->ops[1]);
    draw.graphics.flags |= VK_PIPELINE_CREATE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
    draw.graphics.depth.depthTestEnable = draw.graphics.depth.depthWriteEnable = test->depth != 0;
    draw.graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &draw.graphics, &target);
    rate_four(vertices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target); /* clears depth: RADV 22.3.6 loses rates where it does so later */
    vkCmdEndRendering(commands);
    begin_attached(commands, &target, &rates, view, texel);
    vt_draw(vt, commands, &draw.graphics, vertices, 24);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const struct attached_wanted wanted = {&limits, *test, texel, codes};
    rate_check(vt, &target, rate_read(vt, &target), expect_attached, &wanted);
}

static const struct attached attached[] = {
    {{1, 1}, {RATE_KEEP, RATE_REPLACE}, .samples = 1},
    {{2, 1}, {RATE_KEEP, RATE_MAX}, .samples = 1},
    {{2, 1}, {RATE_KEEP, RATE_MIN}, .samples = 1},
    {{2, 1}, {RATE_KEEP, RATE_KEEP}, .samples = 1},
    {{1, 1}, {RATE_REPLACE, RATE_MAX}, true, .samples = 1},
    {{1, 1}, {RATE_KEEP, RATE_REPLACE}, .depth = VK_FORMAT_D32_SFLOAT, .samples = 1},
    {{1, 1}, {RATE_KEEP, RATE_REPLACE}, .depth = VK_FORMAT_D16_UNORM, .samples = 1},
    {{1, 2}, {RATE_KEEP, RATE_MAX}, .depth = VK_FORMAT_D32_SFLOAT_S8_UINT, .samples = 1},
    {{1, 1}, {RATE_KEEP, RATE_REPLACE}, .samples = 4},
    {{1, 1}, {RATE_KEEP, RATE_REPLACE}, .depth = VK_FORMAT_D32_SFLOAT, .samples = 4},
};

static const struct small_test smalls[] = {{SMALL_DEPTH, 1},          {SMALL_MASK_IN, 1},        {SMALL_MASK_IN, 4},
                                           {SMALL_MASK_OUT, 4},       {SMALL_SAMPLE_SHADING, 4}, {SMALL_SAMPLE_ID, 4},
                                           {SMALL_SAMPLE_SHADING, 1}, {SMALL_DEPTH, 4}};

const struct vt_case vt_shading_rate_state_cases[] = {
    {"list", case_list, NULL},
    {"small by written depth", case_small, &smalls[0]},
    {"small by written depth of 4 samples", case_small, &smalls[7]},
    {"small by a mask", case_small, &smalls[1]},
    {"small by a mask of 4 samples", case_small, &smalls[2]},
    {"small by a written mask", case_small, &smalls[3]},
    {"small by shading for samples", case_small, &smalls[4]},
    {"small by numbers of samples", case_small, &smalls[5]},
    {"small by shading for one sample", case_small, &smalls[6]},
    {"blending", case_blend, NULL},
    {"points", case_thin, &points},
    {"lines", case_thin, &lines},
    {"attachment alone", case_attachment, &attached[0]},
    {"attachment, most of 2x1", case_attachment, &attached[1]},
    {"attachment, least of 2x1", case_attachment, &attached[2]},
    {"attachment not looked at", case_attachment, &attached[3]},
    {"attachment and primitives", case_attachment, &attached[4]},
    {"attachment beside depth", case_attachment, &attached[5]},
    {"attachment beside d16", case_attachment, &attached[6]},
    {"attachment beside depth and stencil", case_attachment, &attached[7]},
    {"attachment of 4 samples", case_attachment, &attached[8]},
    {"attachment of 4 samples beside depth", case_attachment, &attached[9]},
};
const size_t vt_shading_rate_state_count = COUNT_OF(vt_shading_rate_state_cases);
