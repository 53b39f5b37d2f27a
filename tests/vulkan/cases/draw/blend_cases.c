/* Blending: every factor and operation, logic operations, masks, constants, and the formats that blend. */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/dual_frag.h"

#define SIZE 24

static const float source[4] = {0.8f, 0.4f, 0.2f, 0.6f}, target_color[4] = {0.2f, 0.4f, 1, 0.8f};
static const float constants[4] = {0.25f, 0.5f, 0.75f, 0.35f}, second[4] = {0.5f, 0.25f, 0.75f, 0.125f};

struct blend {
    VkBlendFactor source, target;
    VkBlendOp op;
    VkBlendFactor source_alpha, target_alpha;
    VkBlendOp alpha_op;
    VkFormat format; /* 0: R8G8B8A8_UNORM */
    uint32_t mask;   /* 0: all */
    bool dynamic;    /* constants */
};

static double factor(VkBlendFactor name, unsigned c, const double s[4], const double d[4])
{
    double k = (double)constants[c], ka = (double)constants[3], s1 = (double)second[c], s1a = (double)second[3];
    switch (name) {
    case VK_BLEND_FACTOR_ZERO:
        return 0;
    case VK_BLEND_FACTOR_ONE:
        return 1;
    case VK_BLEND_FACTOR_SRC_COLOR:
        return s[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return 1 - s[c];
    case VK_BLEND_FACTOR_DST_COLOR:
        return d[c];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return 1 - d[c];
    case VK_BLEND_FACTOR_SRC_ALPHA:
        return s[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
        return 1 - s[3];
    case VK_BLEND_FACTOR_DST_ALPHA:
        return d[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return 1 - d[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR:
        return k;
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
        return 1 - k;
    case VK_BLEND_FACTOR_CONSTANT_ALPHA:
        return ka;
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return 1 - ka;
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fmin(s[3], 1 - d[3]);
    case VK_BLEND_FACTOR_SRC1_COLOR:
        return s1;
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR:
        return 1 - s1;
    case VK_BLEND_FACTOR_SRC1_ALPHA:
        return s1a;
    default:
        return 1 - s1a;
    }
}

static double blended(const struct blend *test, unsigned c, const double s[4], const double d[4])
{
    VkBlendOp op = c == 3 ? test->alpha_op : test->op;
    double fs = factor(c == 3 ? test->source_alpha : test->source, c, s, d),
           fd = factor(c == 3 ? test->target_alpha : test->target, c, s, d);
    switch (op) {
    case VK_BLEND_OP_ADD:
        return s[c] * fs + d[c] * fd;
    case VK_BLEND_OP_SUBTRACT:
        return s[c] * fs - d[c] * fd;
    case VK_BLEND_OP_REVERSE_SUBTRACT:
        return d[c] * fd - s[c] * fs;
    case VK_BLEND_OP_MIN:
        return fmin(s[c], d[c]);
    default:
        return fmax(s[c], d[c]);
    }
}

static bool is_dual(VkBlendFactor name)
{
    return name >= VK_BLEND_FACTOR_SRC1_COLOR && name <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
}

static void case_blend(struct vt *vt, const void *argument)
{
    const struct blend *test = argument;
    VkFormat format = test->format ? test->format : VK_FORMAT_R8G8B8A8_UNORM;
    const struct vt_format *known = vt_format(format);
    vt_need_features(vt, format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
    bool dual = is_dual(test->source) || is_dual(test->target);
    if (dual && !vt->features.features.dualSrcBlend)
        vt_skip(vt, "no dualSrcBlend");
    if (dual && test->format && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV 22.3 exports no alpha of the second source where the target has none");
    struct vt_target target = vt_target(vt, format, SIZE, SIZE);
    memcpy(target.clears[0].color.float32, target_color, sizeof(target_color));
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, dual ? VT_SPIRV(dual_frag) : vt_plain_frag);
    vt_use_vertices(&graphics);
    uint32_t mask = test->mask ? test->mask : 0xf;
    graphics.blends[0] = (VkPipelineColorBlendAttachmentState){
        VK_TRUE, test->source, test->target, test->op, test->source_alpha, test->target_alpha, test->alpha_op, mask};
    if (test->dynamic)
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_BLEND_CONSTANTS);
    else
        memcpy(graphics.blend.blendConstants, constants, sizeof(constants));
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, source);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    if (test->dynamic)
        vkCmdSetBlendConstants(commands, constants);
    vt_draw(vt, commands, &graphics, quad, 6);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);

    double s[4], d[4], expected[4];
    uint8_t coded[16];
    for (unsigned c = 0; c < 4; c++) {
        s[c] = (double)source[c];
        expected[c] = (double)target_color[c];
    }
    vt_encode(known, expected, coded); /* what the target really holds */
    vt_decode(known, coded, d);
    for (unsigned c = 0; c < 4; c++) {
        expected[c] = mask >> c & 1 ? blended(test, c, s, d) : d[c];
        if (known->kind == VT_UNORM || known->kind == VT_SRGB)
            expected[c] = fmin(fmax(expected[c], 0), 1);
        else if (known->kind == VT_UFLOAT)
            expected[c] = fmax(expected[c], 0);
    }
    /* Terms of up to one may cancel each other: their rounding remains. */
    double absolute = known->kind == VT_SFLOAT || known->kind == VT_UFLOAT ? 2 * vt_step(known, 2, 1) : 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint8_t *texel = (uint8_t *)texels.map + i * known->texel_B;
        if (!vt_texel_is(known, texel, expected, 1.5, absolute))
            vt_fail_texel(vt, known, texel, expected, "blended", i % SIZE, i / SIZE, 0);
    }
}

#define ONE VK_BLEND_FACTOR_ONE
#define ZERO VK_BLEND_FACTOR_ZERO
#define SOURCE(f)                                                                                                      \
    {                                                                                                                  \
        VK_BLEND_FACTOR_##f, ONE, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_##f, ZERO, VK_BLEND_OP_ADD, 0, 0, false             \
    }
#define TARGET(f)                                                                                                      \
    {                                                                                                                  \
        ZERO, VK_BLEND_FACTOR_##f, VK_BLEND_OP_ADD, ZERO, VK_BLEND_FACTOR_##f, VK_BLEND_OP_ADD, 0, 0, false            \
    }
#define OP(o)                                                                                                          \
    {                                                                                                                  \
        VK_BLEND_FACTOR_SRC_ALPHA, ONE, VK_BLEND_OP_##o, ONE, VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_OP_##o, 0, 0,   \
            false                                                                                                      \
    }
#define ON(f)                                                                                                          \
    {                                                                                                                  \
        VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, ONE,                          \
            VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, VK_FORMAT_##f, 0, false                              \
    }
static const struct blend blends[] = {
    SOURCE(ZERO),
    SOURCE(ONE),
    SOURCE(SRC_COLOR),
    SOURCE(ONE_MINUS_SRC_COLOR),
    SOURCE(DST_COLOR),
    SOURCE(ONE_MINUS_DST_COLOR),
    SOURCE(SRC_ALPHA),
    SOURCE(ONE_MINUS_SRC_ALPHA),
    SOURCE(DST_ALPHA),
    SOURCE(ONE_MINUS_DST_ALPHA),
    SOURCE(CONSTANT_COLOR),
    SOURCE(ONE_MINUS_CONSTANT_COLOR),
    SOURCE(CONSTANT_ALPHA),
    SOURCE(ONE_MINUS_CONSTANT_ALPHA),
    SOURCE(SRC_ALPHA_SATURATE),
    TARGET(ONE),
    TARGET(SRC_COLOR),
    TARGET(ONE_MINUS_SRC_COLOR),
    TARGET(DST_COLOR),
    TARGET(SRC_ALPHA),
    TARGET(ONE_MINUS_DST_ALPHA),
    TARGET(CONSTANT_COLOR),
    OP(ADD),
    OP(SUBTRACT),
    OP(REVERSE_SUBTRACT),
    OP(MIN),
    OP(MAX),
    SOURCE(SRC1_COLOR),
    SOURCE(SRC1_ALPHA),
    TARGET(ONE_MINUS_SRC1_COLOR),
    TARGET(ONE_MINUS_SRC1_ALPHA),
    ON(B8G8R8A8_UNORM),
    ON(R8G8B8A8_SRGB),
    ON(A2B10G10R10_UNORM_PACK32),
    ON(B10G11R11_UFLOAT_PACK32),
    ON(R5G6B5_UNORM_PACK16),
    ON(R16G16B16A16_SFLOAT),
    ON(R16G16B16A16_UNORM),
    ON(R32G32B32A32_SFLOAT),
    ON(R8_UNORM),
    {VK_BLEND_FACTOR_SRC_ALPHA, ONE, VK_BLEND_OP_SUBTRACT, ONE, ONE, VK_BLEND_OP_MAX, 0, 0x5, false},
    {VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR, VK_BLEND_OP_ADD,
     VK_BLEND_FACTOR_CONSTANT_ALPHA, ZERO, VK_BLEND_OP_ADD, 0, 0, true},
    {VK_BLEND_FACTOR_SRC_ALPHA, ONE, VK_BLEND_OP_SUBTRACT, ONE, ONE, VK_BLEND_OP_SUBTRACT,
     VK_FORMAT_R16G16B16A16_SFLOAT, 0, false},
    /* The alpha of the second source, where the target has none. */
    {VK_BLEND_FACTOR_SRC1_ALPHA, ONE, VK_BLEND_OP_ADD, ONE, ZERO, VK_BLEND_OP_ADD, VK_FORMAT_R32_SFLOAT, 0, false},
    {ZERO, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA, VK_BLEND_OP_ADD, ONE, ZERO, VK_BLEND_OP_ADD, VK_FORMAT_R16G16_UNORM, 0,
     false},
};

/* ---- logic operations ---- */

static uint32_t logic(VkLogicOp op, uint32_t s, uint32_t d)
{
    switch (op) {
    case VK_LOGIC_OP_CLEAR:
        return 0;
    case VK_LOGIC_OP_AND:
        return s & d;
    case VK_LOGIC_OP_AND_REVERSE:
        return s & ~d;
    case VK_LOGIC_OP_COPY:
        return s;
    case VK_LOGIC_OP_AND_INVERTED:
        return ~s & d;
    case VK_LOGIC_OP_NO_OP:
        return d;
    case VK_LOGIC_OP_XOR:
        return s ^ d;
    case VK_LOGIC_OP_OR:
        return s | d;
    case VK_LOGIC_OP_NOR:
        return ~(s | d);
    case VK_LOGIC_OP_EQUIVALENT:
        return ~(s ^ d);
    case VK_LOGIC_OP_INVERT:
        return ~d;
    case VK_LOGIC_OP_OR_REVERSE:
        return s | ~d;
    case VK_LOGIC_OP_COPY_INVERTED:
        return ~s;
    case VK_LOGIC_OP_OR_INVERTED:
        return ~s | d;
    case VK_LOGIC_OP_NAND:
        return ~(s & d);
    default:
        return UINT32_MAX;
    }
}

static void case_logic(struct vt *vt, const void *argument)
{
    VkLogicOp op = *(const VkLogicOp *)argument;
    if (!vt->features.features.logicOp)
        vt_skip(vt, "no logicOp");
    const uint32_t s = 0x3355f00f, d = 0x0f5a3366;
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    float color[4];
    for (unsigned c = 0; c < 4; c++) {
        color[c] = (float)(s >> 8 * c & 255) / 255;
        target.clears[0].color.float32[c] = (float)(d >> 8 * c & 255) / 255;
    }
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.blend.logicOpEnable = VK_TRUE;
    graphics.blend.logicOp = op;
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, color);
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, quad, 6);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        if (texels[i] != logic(op, s, d))
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, texels[i], logic(op, s, d));
    }
}

static const VkLogicOp logics[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* ---- many draws ---- */

enum {
    LAYERS = 200
};

/* A draw for each layer, with nothing in between. */
static const void *draw_layers(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                               const struct vt_vertex *quads)
{
    vt_make_pipeline(vt, graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    struct vt_buffer buffer = vt_buffer(vt, 6 * LAYERS * sizeof(*quads), quads);
    vt_begin_rendering(commands, target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i < LAYERS; i++)
        vkCmdDraw(commands, 6, 1, 6 * i, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target->colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    return texels.map;
}

/* Hundreds of layers of one code each, in one draw or (an argument) in one each: every one must count, and in order. */
static void case_sum(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, VK_FORMAT_R16G16B16A16_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.blends[0] = (VkPipelineColorBlendAttachmentState){
        VK_TRUE, ONE, ONE, VK_BLEND_OP_ADD, ONE, VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_OP_ADD, 0xf};
    graphics.blend.blendConstants[3] = 0.5f;
    static struct vt_vertex quads[6 * LAYERS];
    double alpha = 0;
    for (unsigned i = 0; i < LAYERS; i++) {
        vt_quad(quads + 6 * i, 0.5f, (const float[4]){1, 2, i & 1 ? 3 : -3, (float)(i % 5)});
        alpha = alpha / 2 + i % 5;
    }
    const void *texels = argument ? draw_layers(vt, &graphics, &target, quads)
                                  : vt_draw_once(vt, &graphics, &target, quads, 6 * LAYERS);
    vt_expect_color(vt, VK_FORMAT_R16G16B16A16_SFLOAT, texels, SIZE, SIZE, (double[4]){LAYERS, 2 * LAYERS, 0, alpha}, 4,
                    "sum");
}

const struct vt_case vt_blend_cases[] = {
#define BLEND(i, name)                                                                                                 \
    {                                                                                                                  \
        name, case_blend, &blends[i]                                                                                   \
    }
    BLEND(0, "source zero"),
    BLEND(1, "source one"),
    BLEND(2, "source source colour"),
    BLEND(3, "source one minus source colour"),
    BLEND(4, "source target colour"),
    BLEND(5, "source one minus target colour"),
    BLEND(6, "source source alpha"),
    BLEND(7, "source one minus source alpha"),
    BLEND(8, "source target alpha"),
    BLEND(9, "source one minus target alpha"),
    BLEND(10, "source constant colour"),
    BLEND(11, "source one minus constant colour"),
    BLEND(12, "source constant alpha"),
    BLEND(13, "source one minus constant alpha"),
    BLEND(14, "source saturate"),
    BLEND(15, "target one"),
    BLEND(16, "target source colour"),
    BLEND(17, "target one minus source colour"),
    BLEND(18, "target target colour"),
    BLEND(19, "target source alpha"),
    BLEND(20, "target one minus target alpha"),
    BLEND(21, "target constant colour"),
    BLEND(22, "add"),
    BLEND(23, "subtract"),
    BLEND(24, "reverse subtract"),
    BLEND(25, "min"),
    BLEND(26, "max"),
    BLEND(27, "second colour"),
    BLEND(28, "second alpha"),
    BLEND(29, "one minus second colour"),
    BLEND(30, "one minus second alpha"),
    BLEND(31, "on b8g8r8a8"),
    BLEND(32, "on srgb"),
    BLEND(33, "on a2b10g10r10"),
    BLEND(34, "on b10g11r11"),
    BLEND(35, "on r5g6b5"),
    BLEND(36, "on half"),
    BLEND(37, "on r16g16b16a16 unorm"),
    BLEND(38, "on float"),
    BLEND(39, "on r8"),
    BLEND(40, "masked"),
    BLEND(41, "dynamic constants"),
    BLEND(42, "negative on half"),
    BLEND(43, "second alpha on r32"),
    BLEND(44, "one minus second alpha on r16g16"),
#define LOGIC(i, name)                                                                                                 \
    {                                                                                                                  \
        "logic " name, case_logic, &logics[i]                                                                          \
    }
    LOGIC(0, "clear"),
    LOGIC(1, "and"),
    LOGIC(2, "and reverse"),
    LOGIC(3, "copy"),
    LOGIC(4, "and inverted"),
    LOGIC(5, "no operation"),
    LOGIC(6, "xor"),
    LOGIC(7, "or"),
    LOGIC(8, "nor"),
    LOGIC(9, "equivalent"),
    LOGIC(10, "invert"),
    LOGIC(11, "or reverse"),
    LOGIC(12, "copy inverted"),
    LOGIC(13, "or inverted"),
    LOGIC(14, "nand"),
    LOGIC(15, "set"),
    {"sum of many", case_sum, NULL},
    {"sum of many draws", case_sum, &logics},
};
const size_t vt_blend_count = COUNT_OF(vt_blend_cases);
