/* Shaders that ask whether what they read has memory: OpImageSparse*, of 2D images and volumes of which every second
 * block is bound. */
#include <string.h>

#include "cases/sparse/sparse_memory.h"
#include "vt/vt_graphics.h"

#include "shaders/resident_fetch.h"
#include "shaders/resident_fetch_volume.h"
#include "shaders/resident_frag.h"
#include "shaders/resident_gather.h"
#include "shaders/resident_grad.h"
#include "shaders/resident_grad_volume.h"
#include "shaders/resident_linear.h"
#include "shaders/resident_linear_volume.h"
#include "shaders/resident_load.h"
#include "shaders/resident_load_volume.h"
#include "shaders/resident_sample.h"
#include "shaders/resident_sample_volume.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

enum kind {
    FETCH,
    SAMPLE,
    LINEAR,
    GATHER,
    LOAD,
    GRAD,
    KINDS,
};

struct resident {
    enum kind kind;
    bool is_volume;
    uint32_t level, slice;
};

static struct vt_spirv code_of(const struct resident *test)
{
    const struct vt_spirv codes[2][KINDS] = {{VT_SPIRV(resident_fetch), VT_SPIRV(resident_sample),
                                              VT_SPIRV(resident_linear), VT_SPIRV(resident_gather),
                                              VT_SPIRV(resident_load), VT_SPIRV(resident_grad)},
                                             {VT_SPIRV(resident_fetch_volume),
                                              VT_SPIRV(resident_sample_volume),
                                              VT_SPIRV(resident_linear_volume),
                                              {NULL, 0},
                                              VT_SPIRV(resident_load_volume),
                                              VT_SPIRV(resident_grad_volume)}};
    return codes[test->is_volume][test->kind];
}

static void need_feature(struct vt *vt, bool is_volume)
{
    const VkPhysicalDeviceFeatures *has = &vt->features.features;
    sparse_need(vt, is_volume ? has->sparseResidencyImage3D : has->sparseResidencyImage2D);
    if (!has->shaderResourceResidency)
        vt_skip(vt, "shaders cannot ask");
}

/* Red and green are the place, blue is the level; alpha is never zero. */
static uint32_t texel_of(uint32_t x, uint32_t y, uint32_t z, uint32_t level)
{
    return (x & 0xff) | (y & 0xff) << 8 | (level * 40 + 5 + (z & 15)) << 16 | 0xff000000u;
}

static void texel_element(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer,
                          void *element)
{
    const uint32_t z = image->info.imageType == VK_IMAGE_TYPE_3D ? (uint32_t)at.z : layer,
                   texel = texel_of((uint32_t)at.x, (uint32_t)at.y, z, level);
    memcpy(element, &texel, sizeof(texel));
}

static bool is_bound(const struct sparse_image *image, const struct resident *test, uint32_t x, uint32_t y)
{
    const VkOffset3D at = {(int32_t)x, (int32_t)y, test->is_volume ? (int32_t)test->slice : 0};
    return sparse_is_bound(image, at, test->level, test->is_volume ? 0 : test->slice);
}

/* A texel by itself: all of it is there, or nothing. */
static void expect_texel(struct vt *vt, const struct sparse_image *image, const struct resident *test, uint32_t x,
                         uint32_t y, const uint32_t seen[2])
{
    const bool bound = is_bound(image, test, x, y);
    const uint32_t want = bound ? texel_of(x, y, test->slice, test->level) : 0;
    const bool is_known = bound || sparse_reads_zero(vt);
    if (seen[0] != bound || (is_known && seen[1] != want))
        vt_fail(vt, "texel (%u, %u) is %08x and %s, not %08x and %s", x, y, seen[1],
                seen[0] ? "resident" : "not resident", want, bound ? "resident" : "not resident");
}

/* Four texels: resident where all of them are. */
static void expect_four(struct vt *vt, const struct sparse_image *image, const struct resident *test, uint32_t x,
                        uint32_t y, const uint32_t seen[2])
{
    const VkExtent3D size = sparse_level(image, test->level);
    const uint32_t right = x + 1 < size.width ? x + 1 : x, below = y + 1 < size.height ? y + 1 : y;
    /* in the order of a gather */
    const uint32_t places[4][2] = {{x, below}, {right, below}, {right, y}, {x, y}};
    uint32_t gathered = 0, count = 0;
    for (unsigned i = 0; i < 4; i++) {
        const bool bound = is_bound(image, test, places[i][0], places[i][1]);
        gathered |= bound ? (places[i][0] & 0xff) << 8 * i : 0;
        count += bound;
    }
    if (seen[0] != (count == 4))
        vt_fail(vt, "of the texels around (%u, %u) %u have memory; they are %s", x, y, count,
                seen[0] ? "resident" : "not resident");
    const bool is_known = count == 4 || sparse_reads_zero(vt);
    if (test->kind == GATHER && is_known && seen[1] != gathered)
        vt_fail(vt, "around (%u, %u) %08x was gathered, not %08x", x, y, seen[1], gathered);
}

static void case_compute(struct vt *vt, const void *argument)
{
    const struct resident *test = argument;
    need_feature(vt, test->is_volume);
    const struct sparse_image_info info = {.format = RGBA8,
                                           .extent =
                                               test->is_volume ? (VkExtent3D){100, 70, 50} : (VkExtent3D){500, 300, 0},
                                           .levels = 6,
                                           .layers = test->is_volume ? 1 : 2,
                                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
    struct sparse_image image = sparse_image_half(vt, &info);
    sparse_fill(vt, &image, texel_element);
    const VkExtent3D size = sparse_level(&image, test->level);
    struct vt_buffer seen = vt_buffer(vt, (VkDeviceSize)size.width * size.height * 8, NULL);
    const VkFilter filter = test->kind == LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.minFilter = filter,
                                                             .magFilter = filter,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .maxLod = VK_LOD_CLAMP_NONE});
    /* A gather and a load look at the first level of their view. */
    const bool is_alone = test->kind == GATHER || test->kind == LOAD;
    VkImageView view = sparse_view(vt, &image, test->is_volume ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                   is_alone ? test->level : 0, is_alone ? 1 : info.levels, 0, info.layers);
    const struct vt_binding bindings[] = {
        {.type = test->kind == LOAD ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .image = {sampler, view, VK_IMAGE_LAYOUT_GENERAL}},
        VT_STORAGE_BUFFER(seen)};
    vt_dispatch(vt, code_of(test), VT_CONSTANTS(is_alone ? 0 : (int32_t)test->level, (int32_t)test->slice), bindings, 2,
                (size.width + 7) / 8, (size.height + 7) / 8, 1);
    const uint32_t(*got)[2] = seen.map;
    for (uint32_t i = 0; i < size.width * size.height; i++) {
        if (test->kind == LINEAR || test->kind == GATHER)
            expect_four(vt, &image, test, i % size.width, i / size.width, got[i]);
        else
            expect_texel(vt, &image, test, i % size.width, i / size.width, got[i]);
    }
}

/* A picture half as large as the image: derivatives say level 1, a limit says a higher one. */
static void case_fragment(struct vt *vt, const void *argument)
{
    const uint32_t least_level = *(const uint32_t *)argument, level = least_level > 1 ? least_level : 1, size = 256;
    need_feature(vt, false);
    if (least_level && !vt->features.features.shaderResourceMinLod)
        vt_skip(vt, "no limit of the level");
    struct sparse_image image = sparse_image_half(
        vt,
        &(const struct sparse_image_info){
            .format = RGBA8, .extent = {512, 512, 0}, .levels = 6, .layers = 1, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    sparse_fill(vt, &image, texel_element);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.maxLod = VK_LOD_CLAMP_NONE});
    const struct vt_binding binding = {
        .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .image = {sampler, sparse_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D, 0, 6, 0, 1), VK_IMAGE_LAYOUT_GENERAL}};
    struct vt_set set = vt_set(vt, &binding, 1);
    struct vt_target target = vt_target(vt, RGBA8, size, size);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(resident_frag));
    graphics.sets[graphics.set_count++] = set.layout;
    graphics.fragment_constants = VT_CONSTANTS((int32_t)least_level);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t *got = texels.map;
    for (uint32_t i = 0; i < size * size; i++) {
        const uint32_t x = i % size * 2 >> level, y = i / size * 2 >> level;
        const bool bound = sparse_is_bound(&image, (VkOffset3D){(int32_t)x, (int32_t)y, 0}, level, 0);
        const uint32_t want = (bound ? 0xffu | (level * 40 + 5) << 16 : 0) | 0xff000000u,
                       known = bound || sparse_reads_zero(vt) ? UINT32_MAX : 0xff;
        if ((got[i] ^ want) & known)
            vt_fail(vt, "pixel (%u, %u) is %08x, not %08x", i % size, i / size, got[i], want);
    }
}

#define COMPUTE(name, ...)                                                                                             \
    {                                                                                                                  \
        name, case_compute, &(const struct resident)                                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define FRAGMENT(name, level)                                                                                          \
    {                                                                                                                  \
        name, case_fragment, &(const uint32_t)                                                                         \
        {                                                                                                              \
            level                                                                                                      \
        }                                                                                                              \
    }

const struct vt_case vt_sparse_residency_cases[] = {
    COMPUTE("resident_fetch", FETCH, false, 0, 0),
    COMPUTE("resident_fetch_layer", FETCH, false, 1, 1),
    COMPUTE("resident_fetch_tail", FETCH, false, 4, 1),
    COMPUTE("resident_fetch_volume", FETCH, true, 0, 17),
    COMPUTE("resident_fetch_volume_level", FETCH, true, 1, 20),
    COMPUTE("resident_sample", SAMPLE, false, 0, 1),
    COMPUTE("resident_sample_level", SAMPLE, false, 1, 0),
    COMPUTE("resident_sample_volume", SAMPLE, true, 0, 40),
    COMPUTE("resident_linear", LINEAR, false, 0, 0),
    COMPUTE("resident_linear_volume", LINEAR, true, 1, 3),
    COMPUTE("resident_gather", GATHER, false, 0, 1),
    COMPUTE("resident_gather_level", GATHER, false, 1, 0),
    COMPUTE("resident_grad", GRAD, false, 0, 0),
    COMPUTE("resident_grad_level", GRAD, false, 1, 1),
    COMPUTE("resident_grad_volume", GRAD, true, 0, 5),
    COMPUTE("resident_load", LOAD, false, 0, 1),
    COMPUTE("resident_load_level", LOAD, false, 1, 0),
    COMPUTE("resident_load_volume", LOAD, true, 0, 33),
    FRAGMENT("resident_fragment", 0),
    FRAGMENT("resident_fragment_limit", 2),
    FRAGMENT("resident_fragment_tail", 4),
};
const size_t vt_sparse_residency_count = COUNT_OF(vt_sparse_residency_cases);
