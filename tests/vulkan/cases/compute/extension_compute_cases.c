/* Additions of extensions to compute shaders and to sampling. A driver that has not the extension skips. */
#include <string.h>

#include "vt/vt_image.h"

#include "shaders/amd_narrow.h"
#include "shaders/base.h"
#include "shaders/fetch_hidden.h"
#include "shaders/float_atomics_f32.h"
#include "shaders/float_atomics_f32_shared.h"
#include "shaders/float_atomics_f64.h"
#include "shaders/float_atomics_f64_shared.h"
#include "shaders/image64_atomics.h"
#include "shaders/image_lod.h"
#include "shaders/look_levels.h"
#include "shaders/shader_clock.h"
#include "shaders/texel_robust.h"

/* ---- atomics on floats ---- */

struct float_atomic {
    int32_t op; /* of the shader */
    bool wide, shared;
};

enum {
    OP_MIN,
    OP_MAX,
    OP_ADD,
    OP_EXCHANGE,
};

static bool has_float_atomics(struct vt *vt, const struct float_atomic *test)
{
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT two = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT one = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (!vt->has[VT_ATOMIC_FLOAT] || !vt->has[VT_ATOMIC_FLOAT2])
        return false;
    features.pNext = &one;
    one.pNext = &two;
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    /* The shaders hold every operation: all of them must be there. */
    if (test->wide)
        return test->shared ? two.shaderSharedFloat64AtomicMinMax && one.shaderSharedFloat64Atomics
                            : two.shaderBufferFloat64AtomicMinMax && one.shaderBufferFloat64Atomics;
    return test->shared ? two.shaderSharedFloat32AtomicMinMax && one.shaderSharedFloat32Atomics &&
                              one.shaderSharedFloat32AtomicAdd
                        : two.shaderBufferFloat32AtomicMinMax && one.shaderBufferFloat32Atomics;
}

static double expect_float(const struct float_atomic *test, const double *values)
{
    double result = 0;
    for (unsigned i = 0; i < 64; i++) {
        double x = values[i];
        result = test->op == OP_MIN   ? (x < result ? x : result)
                 : test->op == OP_MAX ? (x > result ? x : result)
                 : test->op == OP_ADD ? result + x
                                      : 7;
    }
    return result;
}

static void case_float_atomics(struct vt *vt, const void *argument)
{
    const struct float_atomic *test = argument;
    if (!has_float_atomics(vt, test))
        vt_skip(vt, "no such atomics on floats");
    float narrow[256];
    double wide[256];
    uint64_t seed = 5;
    for (unsigned i = 0; i < 256; i++) {
        wide[i] = (double)((int32_t)(vt_random(&seed) % 2001) - 1000) / 8; /* sums are exact in any order */
        narrow[i] = (float)wide[i];
    }
    struct vt_buffer source = vt_buffer(vt, test->wide ? sizeof(wide) : sizeof(narrow),
                                        test->wide ? (const void *)wide : narrow),
                     result = vt_buffer(vt, 64, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(source), VT_STORAGE_BUFFER(result)};
    struct vt_spirv code = test->wide
                               ? (test->shared ? VT_SPIRV(float_atomics_f64_shared) : VT_SPIRV(float_atomics_f64))
                               : (test->shared ? VT_SPIRV(float_atomics_f32_shared) : VT_SPIRV(float_atomics_f32));
    vt_dispatch(vt, code, VT_CONSTANTS(test->op), bindings, 2, 4, 1, 1);
    for (unsigned i = 0; i < 4; i++) {
        double got = test->wide ? ((const double *)result.map)[i] : (double)((const float *)result.map)[i],
               expected = expect_float(test, wide + i * 64);
        if (got != expected)
            vt_fail(vt, "group %u: %.8g, expected %.8g", i, got, expected);
    }
}

static const struct float_atomic float_atomics[] = {
    {OP_MIN, false, false}, {OP_MAX, false, false},     {OP_EXCHANGE, false, false}, {OP_MIN, true, false},
    {OP_MAX, true, false},  {OP_EXCHANGE, true, false}, {OP_MIN, false, true},       {OP_MAX, false, true},
    {OP_ADD, false, true},  {OP_EXCHANGE, false, true}, {OP_MIN, true, true},        {OP_MAX, true, true},
};

/* ---- atomics on texels of 64 bits ---- */

/* The cases' own formats know no texel of 64 bits: copies by hand. */
static void copy_texels(struct vt *vt, struct vt_image *image, const struct vt_buffer *buffer, bool upload)
{
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 4, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_GENERAL);
    if (upload)
        vkCmdCopyBufferToImage(commands, buffer->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

static void case_image64(struct vt *vt, const void *argument)
{
    int32_t op = *(const int32_t *)argument;
    if (!vt->has[VT_IMAGE_ATOMIC_INT64])
        vt_skip(vt, "no atomics on texels of 64 bits");
    vt_need_features(vt, VK_FORMAT_R64_UINT, VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT);
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R64_UINT, 4, 4, VK_IMAGE_USAGE_STORAGE_BIT);
    uint64_t texels[16], expected[16];
    for (uint64_t i = 0; i < 16; i++)
        texels[i] = expected[i] = i * 0x123456789abcdefull;
    struct vt_buffer up = vt_buffer(vt, sizeof(texels), texels), down = vt_buffer(vt, sizeof(texels), NULL),
                     got = vt_buffer(vt, 256 * 8, NULL);
    copy_texels(vt, &image, &up, true);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_BUFFER(got)};
    vt_dispatch(vt, VT_SPIRV(image64_atomics), VT_CONSTANTS(op), bindings, 2, 4, 1, 1);
    copy_texels(vt, &image, &down, false);
    for (uint64_t i = 0; i < 256; i++) {
        uint64_t *e = &expected[i & 15], value = i * 0x9e3779b97f4a7c15ull;
        *e = op == 0   ? *e + value
             : op == 1 ? (value < *e ? value : *e)
             : op == 2 ? (value > *e ? value : *e)
             : op == 3 ? *e ^ value
                       : *e | value;
    }
    vt_expect_texels(vt, down.map, expected, 8, 4, 16, "texels of 64 bits");
}

static const int32_t image64_ops[] = {0, 1, 2, 3, 4};

/* ---- clocks ---- */

static void case_clock(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_SHADER_CLOCK] || !vt->features.features.shaderInt64)
        vt_skip(vt, "no clocks in shaders");
    VkPhysicalDeviceShaderClockFeaturesKHR about = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!about.shaderDeviceClock || !about.shaderSubgroupClock)
        vt_skip(vt, "no clocks in shaders");
    struct vt_buffer result = vt_buffer(vt, 64 * 32, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(result)};
    vt_dispatch(vt, VT_SPIRV(shader_clock), NULL, bindings, 1, 1, 1, 1);
    const uint64_t *r = result.map;
    for (unsigned i = 0; i < 64; i++, r += 4) {
        if (r[1] < r[0])
            vt_fail(vt, "invocation %u: the device's clock went from %llu back to %llu", i, (unsigned long long)r[0],
                    (unsigned long long)r[1]);
        /* The subgroup's clock may wrap, but it does not stand still over thousands of instructions. */
        if (r[3] == r[2])
            vt_fail(vt, "invocation %u: the subgroup's clock stands at %llu", i, (unsigned long long)r[2]);
    }
}

/* ---- sampling ---- */

/* A view whose levels begin between two: what is asked of finer ones comes from there. */
static void case_view_min_lod(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_VIEW_MIN_LOD])
        vt_skip(vt, "no least level of views");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                 .width = 8,
                                                                 .height = 8,
                                                                 .levels = 4,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    for (uint32_t level = 0; level < 4; level++) {
        uint32_t texels[64];
        for (unsigned i = 0; i < 64; i++)
            texels[i] = 0xff000000u | level * 64;
        vt_upload(vt, &image, level, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    VkImageViewMinLodCreateInfoEXT least = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT,
                                            .minLod = 1.5f};
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .pNext = &least,
                                  .image = image.image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 4, 0, 1}};
    VkImageView view;
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &view));
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = 8});
    float places[64][4], lods[4] = {0, 1, 2, 2.5f};
    for (unsigned i = 0; i < 64; i++)
        memcpy(places[i], (const float[4]){0.5f, 0.5f, lods[i % 4], 0}, sizeof(places[i]));
    struct vt_buffer at = vt_buffer(vt, sizeof(places), places), looks = vt_buffer(vt, sizeof(places), NULL);
    struct vt_binding bindings[] = {VT_SAMPLED(sampler, view), VT_STORAGE_BUFFER(at), VT_STORAGE_BUFFER(looks)};
    vt_dispatch(vt, VT_SPIRV(look_levels), NULL, bindings, 3, 1, 1, 1);
    struct vt_buffer fetched = vt_buffer(vt, 64 * 16, (float[64 * 4]){1, 1, 1, 1});
    struct vt_binding fetch_bindings[] = {VT_SAMPLED(sampler, view), VT_STORAGE_BUFFER(fetched)};
    if (vt->has[VT_ROBUSTNESS2])
        vt_dispatch(vt, VT_SPIRV(fetch_hidden), NULL, fetch_bindings, 2, 1, 1, 1);
    vkDestroyImageView(vt->device, view, NULL);
    for (unsigned i = 0; i < 64 * 4 && vt->has[VT_ROBUSTNESS2]; i++) {
        if (((const float *)fetched.map)[i] != 0) /* level 0 is not there */
            vt_fail(vt, "a level that is hidden reads %g", (double)((const float *)fetched.map)[i]);
    }
    for (unsigned i = 0; i < 64; i++) {
        float lod = lods[i % 4] > 1.5f ? lods[i % 4] : 1.5f, got = ((const float *)looks.map)[i * 4],
              expected = lod * 64 / 255;
        if (got < expected - 0.01f || got > expected + 0.01f)
            vt_fail(vt, "at level %g: %g, expected %g", (double)lods[i % 4], (double)got, (double)expected);
    }
}

/* Out of range, a texel buffer keeps nothing, and reads as a texel of zeros: what the format has not is as in any
 * texel. */
static void case_texel_robust(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_ROBUSTNESS2])
        vt_skip(vt, "no robust texel buffers");
    static const uint32_t words[16] = {3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33};
    struct vt_buffer source = vt_buffer(vt, sizeof(words), words), result = vt_buffer(vt, 64 * 16, NULL);
    struct vt_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                     .view = vt_buffer_view(vt, &source, VK_FORMAT_R32_UINT, 0, 20)},
                                    VT_STORAGE_BUFFER(result)};
    vt_dispatch(vt, VT_SPIRV(texel_robust), NULL, bindings, 2, 1, 1, 1);
    uint32_t expected[64][4];
    for (unsigned i = 0; i < 64; i++)
        memcpy(expected[i], (const uint32_t[4]){i >= 16 && i < 21 ? words[i - 16] : 0, 0, 0, 1}, sizeof(expected[i]));
    vt_expect_words(vt, result.map, expected[0], 256, "texels");
    vt_expect_words(vt, source.map, words, 16, "memory");
}

/* ---- levels of storage images ---- */

struct levels {
    int32_t from, to;
};

static void case_image_lod(struct vt *vt, const void *argument)
{
    const struct levels *test = argument;
    enum {
        WIDTH = 40,
        HEIGHT = 24,
        LEVELS = 4,
        LAYERS = 3
    };
    if (!vt->has[VT_IMAGE_LOAD_STORE_LOD])
        vt_skip(vt, "no VK_AMD_shader_image_load_store_lod");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_UINT,
                                                                 .width = WIDTH,
                                                                 .height = HEIGHT,
                                                                 .levels = LEVELS,
                                                                 .layers = LAYERS,
                                                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    static uint32_t texels[LEVELS][WIDTH * HEIGHT * LAYERS];
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < WIDTH * HEIGHT * LAYERS; i++)
            texels[level][i] = level * 1000000 + i;
        vt_upload(vt, &image, level, texels[level], VK_IMAGE_LAYOUT_GENERAL);
    }
    VkImageView view = vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    uint32_t small = (uint32_t)(test->from > test->to ? test->from : test->to);
    int32_t size[2] = {(int32_t)vt_mip(WIDTH, small), (int32_t)vt_mip(HEIGHT, small)};
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(view)};
    struct vt_set set = vt_set(vt, bindings, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(image_lod), layout, VT_CONSTANTS(test->from, test->to));
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(size), size);
    vkCmdDispatch(commands, 5, 3, LAYERS);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t from_width = vt_mip(WIDTH, (uint32_t)test->from), to_width = vt_mip(WIDTH, (uint32_t)test->to);
    uint32_t from_height = vt_mip(HEIGHT, (uint32_t)test->from), to_height = vt_mip(HEIGHT, (uint32_t)test->to);
    for (uint32_t i = 0; i < (uint32_t)(size[0] * size[1]) * LAYERS; i++) {
        uint32_t x = i % (uint32_t)size[0], y = i / (uint32_t)size[0] % (uint32_t)size[1],
                 z = i / (uint32_t)(size[0] * size[1]);
        texels[test->to][(z * to_height + y) * to_width + x] =
            texels[test->from][(z * from_height + y) * from_width + x] * 3 + z;
    }
    for (uint32_t level = 0; level < LEVELS; level++) {
        static const char *const names[] = {"level 0", "level 1", "level 2", "level 3"};
        uint32_t width = vt_mip(WIDTH, level);
        vt_expect_texels(vt, vt_download(vt, &image, level), texels[level], 4, width,
                         (size_t)width * vt_mip(HEIGHT, level) * LAYERS, names[level]);
    }
}

static const struct levels levels[] = {{0, 1}, {1, 2}, {3, 0}, {2, 3}};

/* ---- three numbers, and narrow ones ---- */

static double three(unsigned what, double a, double b, double c)
{
    double least = a < b ? (a < c ? a : c) : (b < c ? b : c), most = a > b ? (a > c ? a : c) : (b > c ? b : c);
    return what == 0 ? least : what == 1 ? most : a + b + c - least - most; /* exact for what is given here */
}

static uint32_t float_bits(double value)
{
    float narrow = (float)value;
    uint32_t word;
    memcpy(&word, &narrow, 4);
    return word;
}

static void case_amd_narrow(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_AMD_HALF_FLOAT] || !vt->has[VT_AMD_INT16] || !vt->has[VT_TRINARY_MINMAX] ||
        !vt->features12.shaderFloat16 || !vt->features.features.shaderInt16)
        vt_skip(vt, "no narrow numbers of AMD's extensions");
    enum {
        COUNT = 128,
        EACH = 24
    };
    int32_t words[COUNT][3];
    static uint32_t expected[COUNT][EACH];
    uint64_t seed = 21;
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t *e = expected[i];
        for (unsigned k = 0; k < 3; k++)
            words[i][k] =
                k && i % 8 == k ? words[i][0] : (int32_t)(vt_random(&seed) % 65536) - 32768; /* some are equal */
        const int32_t *w = words[i];
        int16_t s[3];
        uint16_t t[3];
        double h[3];
        for (unsigned k = 0; k < 3; k++) {
            s[k] = (int16_t)w[k];
            t[k] = (uint16_t)w[k];
            h[k] = w[k] >> 10;
        }
        for (unsigned k = 0; k < 3; k++) {
            e[k] = (uint32_t)(int32_t)three(k, w[0], w[1], w[2]);
            e[3 + k] = (uint32_t)three(k, (uint32_t)w[0], (uint32_t)w[1], (uint32_t)w[2]);
            e[6 + k] = float_bits(three(k, w[0], w[1], w[2]));
            e[9 + k] = (uint32_t)(int32_t)three(k, s[0], s[1], s[2]);
            e[12 + k] = (uint32_t)three(k, t[0], t[1], t[2]);
            e[15 + k] = float_bits(three(k, h[0], h[1], h[2]));
        }
        e[18] = float_bits(h[0] * h[1] - h[2]);
        e[19] = float_bits(h[0] * h[1] + h[1] * h[2]);
        e[20] = float_bits((h[0] < 0 ? -h[0] : h[0]) + (w[1] >> 11));
        e[21] = (uint32_t)(int32_t)(int16_t)(s[0] * s[1] - s[2]);
        e[22] = (uint32_t)(int32_t)(int16_t)((s[0] >> 3) ^ (s[1] < 0 ? -s[1] : s[1]));
        e[23] = (uint16_t)((uint32_t)t[0] * t[1] + (t[2] >> 5));
    }
    struct vt_buffer in = vt_buffer(vt, sizeof(words), words), out = vt_buffer(vt, sizeof(expected), NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(in), VT_STORAGE_BUFFER(out)};
    vt_dispatch(vt, VT_SPIRV(amd_narrow), NULL, bindings, 2, COUNT / 64, 1, 1);
    const uint32_t(*got)[EACH] = out.map;
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < EACH; k++)
            if (got[i][k] != expected[i][k] && !(got[i][k] == 0x80000000 && expected[i][k] == 0)) /* -0 is 0 */
                vt_fail(vt, "of %d, %d and %d result %u is 0x%08x, expected 0x%08x", words[i][0], words[i][1],
                        words[i][2], k, got[i][k], expected[i][k]);
}

/* ---- dispatches that do not begin at zero ---- */

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

static void case_dispatch_base(struct vt *vt, const void *argument)
{
    struct vt_buffer result = vt_buffer(vt, 64 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(result)};
    struct vt_set set = vt_set(vt, bindings, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = vt_module(vt, VT_SPIRV(base)),
                                                  .pName = "main"},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdDispatchBase(commands, 2, 3, 0, 4, 2, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[64] = {0};
    for (unsigned y = 3; y < 5; y++) {
        for (unsigned x = 2; x < 6; x++)
            expected[y * 8 + x] = 1;
    }
    vt_expect_words(vt, result.map, expected, 64, "workgroups");
}

const struct vt_case vt_extension_compute_cases[] = {
    {"dispatch base", case_dispatch_base, NULL},
    {"texel buffer range", case_texel_robust, NULL},
    {"float min", case_float_atomics, &float_atomics[0]},
    {"float max", case_float_atomics, &float_atomics[1]},
    {"float exchange", case_float_atomics, &float_atomics[2]},
    {"double min", case_float_atomics, &float_atomics[3]},
    {"double max", case_float_atomics, &float_atomics[4]},
    {"double exchange", case_float_atomics, &float_atomics[5]},
    {"shared float min", case_float_atomics, &float_atomics[6]},
    {"shared float max", case_float_atomics, &float_atomics[7]},
    {"shared float add", case_float_atomics, &float_atomics[8]},
    {"shared float exchange", case_float_atomics, &float_atomics[9]},
    {"shared double min", case_float_atomics, &float_atomics[10]},
    {"shared double max", case_float_atomics, &float_atomics[11]},
    {"image 64 add", case_image64, &image64_ops[0]},
    {"image 64 min", case_image64, &image64_ops[1]},
    {"image 64 max", case_image64, &image64_ops[2]},
    {"image 64 xor", case_image64, &image64_ops[3]},
    {"image 64 or", case_image64, &image64_ops[4]},
    {"clock", case_clock, NULL},
    {"view min lod", case_view_min_lod, NULL},
    {"image level 0 to 1", case_image_lod, &levels[0]},
    {"image level 1 to 2", case_image_lod, &levels[1]},
    {"image level 3 to 0", case_image_lod, &levels[2]},
    {"image level 2 to 3", case_image_lod, &levels[3]},
    {"AMD's narrow numbers and trios", case_amd_narrow, NULL},
};
const size_t vt_extension_compute_count = COUNT_OF(vt_extension_compute_cases);
