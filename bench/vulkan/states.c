/* Pixels in other states than the one that most scenes have: targets that are not four bytes, blended and not, and
 * eight samples. Every target is cleared first, as programs do. The picture is always screen.vert's colours, whose
 * alpha is 1, so that blending leaves them as they are. Not for: four bytes and four samples (graphics.c). */
#include "draw.h"

#include <math.h>
#include <string.h>

/* A format, and what a texel of it says: red, green and blue. */
struct kind {
    VkFormat format;
    uint32_t texel_B;
    unsigned channels;
    double step; /* the most that rounding may take from a channel */
    void (*read)(const uint8_t *texel, double out[3]);
};

static struct draw_target target; /* of the scene; a process has one */
static const struct kind *kind;

/* A float of `exponent` bits, biased as usual, and `fraction` bits, which is no infinity and not negative. */
static double small_float(uint32_t code, unsigned exponent, unsigned fraction)
{
    const uint32_t power = code >> fraction, bits = code & ((1u << fraction) - 1);
    const int bias = (1 << (exponent - 1)) - 1, scale = (power ? (int)power : 1) - bias - (int)fraction;
    return ldexp((double)(bits + (power ? 1u << fraction : 0)), scale);
}

static void read_bytes(const uint8_t *texel, double out[3])
{
    for (unsigned c = 0; c < kind->channels; c++)
        out[c] = texel[c] / 255.0;
}

static void read_halves(const uint8_t *texel, double out[3])
{
    uint16_t codes[3];
    memcpy(codes, texel, sizeof(codes));
    for (unsigned c = 0; c < 3; c++)
        out[c] = small_float(codes[c], 5, 10);
}

static void read_packed(const uint8_t *texel, double out[3])
{
    uint32_t code;
    memcpy(&code, texel, sizeof(code));
    out[0] = small_float(code & 0x7ff, 5, 6);
    out[1] = small_float(code >> 11 & 0x7ff, 5, 6);
    out[2] = small_float(code >> 22, 5, 5);
}

static const struct kind bytes = {VK_FORMAT_R8G8B8A8_UNORM, 4, 3, 1 / 255.0, read_bytes},
                         one_byte = {VK_FORMAT_R8_UNORM, 1, 1, 1 / 255.0, read_bytes},
                         halves = {VK_FORMAT_R16G16B16A16_SFLOAT, 8, 3, 1 / 1024.0, read_halves},
                         packed = {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, 3, 1 / 32.0, read_packed};

static void prepare_scene(struct bench *b, const struct kind *of, VkSampleCountFlagBits samples, uint32_t layers)
{
    enum {
        SIZE = 1024
    };
    const VkFormatFeatureFlags wanted =
        layers > 1 ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    VkFormatProperties offered;
    vkGetPhysicalDeviceFormatProperties(b->physical, of->format, &offered);
    bench_offer(offered.optimalTilingFeatures & wanted, "the format as such a target");
    bench_offer(b->properties.limits.framebufferColorSampleCounts & samples, "so many samples");
    kind = of;
    target = draw_target(b, &(struct draw_target_info){.size = SIZE,
                                                       .format = of->format,
                                                       .samples = samples,
                                                       .clear = true,
                                                       .clear_color = {0.9f, 0.5f, 0.1f, 1}});
    struct draw_pipeline pipeline = draw_pipeline(
        b, &target,
        &(struct draw_pipeline_info){.vertex = draw_screen_vert, .fragment = draw_color_frag, .blend = layers > 1});
    bench_begin(b);
    draw_begin_pass(b, &target, VK_SUBPASS_CONTENTS_INLINE);
    for (uint32_t i = 0; i < layers; i++)
        draw_record(b, &pipeline, NULL, 3);
    draw_end_pass(b);
    bench_end(b);
    b->work = (double)SIZE * SIZE * layers;
}

/* The colours of screen.vert run from 0 to 1 over the picture. */
static bool check_picture(struct bench *b)
{
    const struct draw_image *image = target.samples > 1 ? &target.resolved : &target.color;
    const uint8_t *texels = draw_read_image(b, image, kind->texel_B, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    for (uint32_t i = 0; i < image->width * image->height; i++) {
        const double wanted[3] = {(i % image->width + 0.5) / image->width, (i / image->width + 0.5) / image->height,
                                  0.25};
        double color[3];
        kind->read(texels + (size_t)i * kind->texel_B, color);
        for (unsigned c = 0; c < kind->channels; c++) {
            if (!(fabs(color[c] - wanted[c]) <= kind->step))
                return false;
        }
    }
    return true;
}

enum {
    LAYERS = 8
};

static void prepare_half(struct bench *b)
{
    prepare_scene(b, &halves, 1, 1);
}

static void prepare_half_blend(struct bench *b)
{
    prepare_scene(b, &halves, 1, LAYERS);
}

static void prepare_byte(struct bench *b)
{
    prepare_scene(b, &one_byte, 1, 1);
}

static void prepare_byte_blend(struct bench *b)
{
    prepare_scene(b, &one_byte, 1, LAYERS);
}

static void prepare_packed_blend(struct bench *b)
{
    prepare_scene(b, &packed, 1, LAYERS);
}

static void prepare_eight(struct bench *b)
{
    prepare_scene(b, &bytes, VK_SAMPLE_COUNT_8_BIT, 1);
}

const struct bench_scene bench_state_scenes[] = {
    {"half", "pixel/s", "one triangle over a cleared 1024x1024 of RGBA16F", prepare_half, check_picture},
    {"half_blend", "pixel/s", "eight blended triangles over the same", prepare_half_blend, check_picture},
    {"byte", "pixel/s", "one triangle over a cleared 1024x1024 of R8", prepare_byte, check_picture},
    {"byte_blend", "pixel/s", "eight blended triangles over the same", prepare_byte_blend, check_picture},
    {"packed_blend", "pixel/s", "the same of R11G11B10F", prepare_packed_blend, check_picture},
    {"eight", "pixel/s", "one triangle over a cleared 1024x1024 of RGBA8, 8 samples, resolve", prepare_eight,
     check_picture},
    {0},
};
