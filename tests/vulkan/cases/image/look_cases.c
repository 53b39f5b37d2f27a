/* Additions of extensions to sampling and to descriptors of images: borders and swizzles, cubes with seams,
 * gathering at a level, no image at all, and places out of images. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/gather_frag.h"
#include "shaders/gather_lod.h"
#include "shaders/look_border.h"
#include "shaders/look_cube_sint.h"
#include "shaders/look_cube_uint.h"
#include "shaders/look_seams.h"
#include "shaders/robust_images.h"

/* ---- borders and swizzles ---- */

struct swizzled {
    VkBorderColor color;
    bool told; /* the sampler is given the swizzle; else the device takes it from the view */
};

static void case_border_swizzle(struct vt *vt, const void *argument)
{
    const struct swizzled *test = argument;
    VkPhysicalDeviceBorderColorSwizzleFeaturesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    if (vt->has[VT_BORDER_SWIZZLE])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!about.borderColorSwizzle || (!test->told && !about.borderColorSwizzleFromImage))
        vt_skip(vt, "no swizzles of borders");
    bool custom = test->color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
    if (custom && !vt->has[VT_CUSTOM_BORDER_COLOR])
        vt_skip(vt, "no VK_EXT_custom_border_color");
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkComponentMapping mapping = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R,
                                        VK_COMPONENT_SWIZZLE_G};
    struct vt_image image = vt_image_2d(vt, format, 4, 4, VK_IMAGE_USAGE_SAMPLED_BIT);
    uint32_t texels[16];
    for (unsigned i = 0; i < 16; i++)
        texels[i] = 0x44332211;
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSamplerBorderColorComponentMappingCreateInfoEXT swizzle = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT, .components = mapping};
    VkSamplerCustomBorderColorCreateInfoEXT info = {.sType =
                                                        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                    .pNext = test->told ? &swizzle : NULL,
                                                    .customBorderColor.float32 = {0.25f, 0.5f, 0.75f, 0.125f},
                                                    .format = format};
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.pNext = custom       ? (const void *)&info
                                                                      : test->told ? (const void *)&swizzle
                                                                                   : NULL,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .borderColor = test->color});
    VkImageView view =
        vt_view_of(vt, &image, (VkImageViewCreateInfo){.viewType = VK_IMAGE_VIEW_TYPE_2D, .components = mapping});
    static const float at[2][4] = {{-0.5f, 0.5f, 0, 0}, {0.5f, 0.5f, 0, 0}};
    const float(*got)[4] = vt_look(vt, VT_SPIRV(look_border), sampler, view, at, 2);
    const double border[4] = {custom ? 0.125 : 1, 1, custom ? 0.25 : 0, custom ? 0.5 : 0}; /* opaque black */
    const double inside[4] = {0x44 / 255.0, 1, 0x11 / 255.0, 0x22 / 255.0};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned c = 0; c < 4; c++)
            if (fabs((double)got[i][c] - (i ? inside[c] : border[c])) > 0.002)
                vt_fail(vt, "component %u of %s is %.4f, expected %.4f", c, i ? "the image" : "the border",
                        (double)got[i][c], i ? inside[c] : border[c]);
}

static const struct swizzled swizzles[] = {{VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, false},
                                           {VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, true},
                                           {VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, false},
                                           {VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, true}};

/* ---- cubes with seams ---- */

/* Each face has one colour. Near an edge a seamless filter mixes two, and one with seams does not. */
static void case_seams(struct vt *vt, const void *argument)
{
    bool seams = argument == NULL;
    if (seams && !vt->has[VT_NON_SEAMLESS_CUBE])
        vt_skip(vt, "no VK_EXT_non_seamless_cube_map");
    if (!vt->features.features.imageCubeArray)
        vt_skip(vt, "no imageCubeArray");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_SFLOAT,
                                                                 .width = 4,
                                                                 .height = 4,
                                                                 .layers = 6,
                                                                 .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    vt_need_features(vt, VK_FORMAT_R32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
    float texels[6 * 16], at[64][4];
    for (unsigned i = 0; i < 6 * 16; i++)
        texels[i] = (float)(1 << i / 16);
    for (unsigned i = 0; i < 64; i++) {
        /* 15/16 of the way from a face's middle towards an edge: an eighth of the footprint's weight is beyond. */
        unsigned axis = i % 3, other = (axis + 1 + i / 3 % 2) % 3;
        at[i][3] = 0;
        at[i][3 - axis - other] = 0;
        at[i][axis] = i / 6 % 2 ? 1 : -1;
        at[i][other] = (i / 12 % 2 ? 1 : -1) * 0.9375f;
    }
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSampler sampler =
        vt_sampler(vt, (VkSamplerCreateInfo){.flags = seams ? VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT : 0,
                                             .magFilter = VK_FILTER_LINEAR,
                                             .minFilter = VK_FILTER_LINEAR,
                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    const float(*got)[4] = vt_look(vt, VT_SPIRV(look_seams), sampler,
                                   vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY), (const float(*)[4])at, 64);
    for (unsigned i = 0; i < 64; i++) {
        unsigned axis = i % 3, other = (axis + 1 + i / 3 % 2) % 3;
        double own = 1 << (2 * axis + (at[i][axis] < 0)), beyond = 1 << (2 * other + (at[i][other] < 0));
        double expected = seams ? own : own * 0.625 + beyond * 0.375; /* 3/8 of a texel into the next one */
        if (fabs((double)got[i][0] - expected) > 0.02 * (own + beyond))
            vt_fail(vt, "towards %g,%g,%g is %g, expected %g", (double)at[i][0], (double)at[i][1], (double)at[i][2],
                    (double)got[i][0], expected);
    }
}

/* ---- minima and maxima of integer cubes ---- */

struct reduced_cube {
    VkFormat format; /* R8 */
    VkSamplerReductionMode mode;
};

/* Towards the middle of an edge of a cube, or towards a corner. */
static void set_edge_direction(unsigned number, float at[4])
{
    unsigned axis = number % 3, other = (axis + 1 + number / 3 % 2) % 3, third = 3 - axis - other;
    at[axis] = number / 6 % 2 ? 1 : -1;
    at[other] = (number / 12 % 2 ? 1 : -1) * 0.9375f;
    at[third] = number / 24 ? (number / 48 ? 1 : -1) * 0.9375f : 0;
    at[3] = 0;
}

/* Each face has one number: the least, or the greatest, of the faces that the footprint touches. */
static void case_reduced_cube(struct vt *vt, const void *argument)
{
    enum {
        LOOKS = 72
    };
    const struct reduced_cube *test = argument;
    const bool is_signed = test->format == VK_FORMAT_R8_SINT, is_min = test->mode == VK_SAMPLER_REDUCTION_MODE_MIN;
    if (!vt->features12.samplerFilterMinmax)
        vt_skip(vt, "no samplerFilterMinmax");
    vt_need_features(vt, test->format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT);
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = test->format,
                                                                 .width = 4,
                                                                 .height = 4,
                                                                 .layers = 6,
                                                                 .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    static const int faces[6] = {70, 20, 120, 45, 5, 95};
    const int base = is_signed ? -64 : 100;
    uint8_t texels[6 * 16];
    float at[LOOKS][4];
    for (unsigned i = 0; i < 6 * 16; i++)
        texels[i] = (uint8_t)(faces[i / 16] + base);
    for (unsigned i = 0; i < LOOKS; i++)
        set_edge_direction(i, at[i]);
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSamplerReductionModeCreateInfo reduction = {.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
                                                  .reductionMode = test->mode};
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.pNext = &reduction,
                                                             .magFilter = VK_FILTER_LINEAR,
                                                             .minFilter = VK_FILTER_LINEAR,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    const float(*got)[4] = vt_look(vt, is_signed ? VT_SPIRV(look_cube_sint) : VT_SPIRV(look_cube_uint), sampler,
                                   vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_CUBE), (const float(*)[4])at, LOOKS);
    for (unsigned i = 0; i < LOOKS; i++) {
        int expected = is_min ? INT_MAX : INT_MIN;
        for (unsigned axis = 0; axis < 3; axis++) {
            const int value = faces[2 * axis + (at[i][axis] < 0)] + base;
            if (at[i][axis] != 0)
                expected = is_min == (value < expected) ? value : expected;
        }
        if (got[i][0] != (float)expected)
            vt_fail(vt, "towards %g,%g,%g is %g, expected %d", (double)at[i][0], (double)at[i][1], (double)at[i][2],
                    (double)got[i][0], expected);
    }
}

static const struct reduced_cube reduced_cubes[] = {{VK_FORMAT_R8_UINT, VK_SAMPLER_REDUCTION_MODE_MIN},
                                                    {VK_FORMAT_R8_UINT, VK_SAMPLER_REDUCTION_MODE_MAX},
                                                    {VK_FORMAT_R8_SINT, VK_SAMPLER_REDUCTION_MODE_MIN},
                                                    {VK_FORMAT_R8_SINT, VK_SAMPLER_REDUCTION_MODE_MAX}};

/* ---- gathering at a level ---- */

static void case_gather_lod(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_GATHER_BIAS_LOD])
        vt_skip(vt, "no VK_AMD_texture_gather_bias_lod");
    enum {
        SIZE = 16,
        LEVELS = 3
    };
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32G32_SFLOAT,
                                                                 .width = SIZE,
                                                                 .height = SIZE,
                                                                 .levels = LEVELS,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    float texels[SIZE * SIZE][2], at[128][4];
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            texels[i][0] = (float)(level * 1000 + i);
            texels[i][1] = -texels[i][0] - 0.5f;
        }
        vt_upload(vt, &image, level, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t level = i % LEVELS, size = SIZE >> level;
        memcpy(at[i],
               (float[4]){(float)(i * 5 % (size - 1) + 1) / (float)size, (float)(i * 3 % (size - 1) + 1) / (float)size,
                          (float)level, (float)(i / 64)},
               16);
    }
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.maxLod = 8});
    const float(*got)[4] = vt_look(vt, VT_SPIRV(gather_lod), sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D),
                                   (const float(*)[4])at, 128);
    for (uint32_t i = 0; i < 128; i++) {
        static const uint32_t offsets[4][2] = {
            {0, 1}, {1, 1}, {1, 0}, {0, 0}}; /* below left, and on counterclockwise */
        uint32_t level = i % LEVELS, size = SIZE >> level, x = i * 5 % (size - 1), y = i * 3 % (size - 1);
        for (unsigned c = 0; c < 4; c++) {
            float expected = (float)(level * 1000 + (y + offsets[c][1]) * size + x + offsets[c][0]);
            expected = i / 64 ? -expected - 0.5f : expected;
            if (got[i][c] != expected)
                vt_fail(vt, "component %u of level %u at %u,%u is %g, expected %g", c, level, x, y, (double)got[i][c],
                        (double)expected);
        }
    }
}

/* Two texels a pixel: derivatives say level 1. What a pixel gathers must be of the level that was asked for. */
static void case_gather_implicit(struct vt *vt, const void *argument)
{
    int32_t what =
        *(const int32_t *)argument; /* 0: of the derivatives, 1: and one more, 2: and one less, 3: the first */
    if (!vt->has[VT_GATHER_BIAS_LOD])
        vt_skip(vt, "no VK_AMD_texture_gather_bias_lod");
    if (what == 0 && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV 22.3 gathers from the first level all the same");
    enum {
        SIZE = 16,
        LEVELS = 4
    };
    VkTextureLODGatherFormatPropertiesAMD gathers = {.sType =
                                                         VK_STRUCTURE_TYPE_TEXTURE_LOD_GATHER_FORMAT_PROPERTIES_AMD};
    VkImageFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &gathers};
    VkPhysicalDeviceImageFormatInfo2 format_info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                    .format = VK_FORMAT_R32_SFLOAT,
                                                    .type = VK_IMAGE_TYPE_2D,
                                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    VT_CHECK(vt, vkGetPhysicalDeviceImageFormatProperties2(vt->physical, &format_info, &properties));
    if (!gathers.supportsTextureGatherLODBiasAMD)
        vt_skip(vt, "not of this format");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_SFLOAT,
                                                                 .width = 2 * SIZE,
                                                                 .height = 2 * SIZE,
                                                                 .levels = LEVELS,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    float texels[4 * SIZE * SIZE];
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < 4 * SIZE * SIZE; i++)
            texels[i] = (float)(level * 10000 + i);
        vt_upload(vt, &image, level, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .maxLod = 8});
    struct vt_binding bindings[] = {VT_SAMPLED(sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D))};
    struct vt_set set = vt_set(vt, bindings, 1);
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(gather_frag));
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    graphics.fragment_constants = VT_CONSTANTS(what);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const float(*got)[4] = vt_download(vt, &target.colors[0], 0);
    uint32_t level = what == 0 ? 1 : what == 1 ? 2 : 0, size = 2 * SIZE >> level;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        static const int32_t offsets[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        /* The shader looks a little right of and below a pixel's middle, so that no texel is in doubt. */
        int32_t x = (int32_t)floor((i % SIZE + 0.6) / SIZE * size - 0.5),
                y = (int32_t)floor((i / SIZE + 0.6) / SIZE * size - 0.5);
        for (unsigned c = 0; c < 4; c++) {
            int32_t tx = x + offsets[c][0], ty = y + offsets[c][1], last = (int32_t)size - 1;
            tx = tx < 0 ? 0 : tx > last ? last : tx;
            ty = ty < 0 ? 0 : ty > last ? last : ty;
            float expected = (float)(level * 10000 + (uint32_t)ty * size + (uint32_t)tx);
            if (got[i][c] != expected)
                vt_fail(vt, "component %u at %u,%u is %g, expected %g", c, i % SIZE, i / SIZE, (double)got[i][c],
                        (double)expected);
        }
    }
}

static const int32_t gathers[] = {0, 1, 2, 3};

/* ---- places out of images, and no images ---- */

static void case_robust_images(struct vt *vt, const void *argument)
{
    bool none = argument != NULL; /* no descriptor has a resource */
    VkPhysicalDeviceRobustness2FeaturesEXT about = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    if (vt->has[VT_ROBUSTNESS2])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!about.robustImageAccess2 || !about.robustBufferAccess2 || (none && !about.nullDescriptor))
        vt_skip(vt, "images are not robust, or must be there");
    struct vt_image images[2];
    uint32_t texels[2 * 16][4], words[64], expected[64][5][4];
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t c = 0; c < 4; c++)
            texels[i][c] = 1000 + i * 4 + c;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = 5000 + i;
    for (unsigned i = 0; i < 2; i++) {
        images[i] =
            vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32G32B32A32_UINT,
                                                 .width = 4,
                                                 .height = 4,
                                                 .layers = 2,
                                                 .usage = i ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT});
        vt_upload(vt, &images[i], 0, texels, i ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_GENERAL);
    }
    struct vt_buffer buffer = vt_buffer(vt, sizeof(words), words), uniform = vt_buffer(vt, sizeof(words), words),
                     storage = vt_buffer(vt, sizeof(words), words), results = vt_buffer(vt, sizeof(expected), NULL);
    VkImageView views[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    for (unsigned i = 0; i < 2 && !none; i++)
        views[i] = vt_view(vt, &images[i], VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    struct vt_binding bindings[] = {
        VT_STORAGE_IMAGE(views[0]),
        {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
         .image = {VK_NULL_HANDLE, views[1], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .view = none ? VK_NULL_HANDLE : vt_buffer_view(vt, &buffer, VK_FORMAT_R32_UINT, 0, 80)},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
         .buffer = {none ? VK_NULL_HANDLE : uniform.buffer, 0, none ? VK_WHOLE_SIZE : 160}},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .buffer = {none ? VK_NULL_HANDLE : storage.buffer, 0, none ? VK_WHOLE_SIZE : 128}},
        VT_STORAGE_BUFFER(results)};
    memset(results.map, 0xff, sizeof(expected));
    vt_dispatch(vt, VT_SPIRV(robust_images), NULL, bindings, COUNT_OF(bindings), 1, 1, 1);

    uint32_t left[32][4], (*got)[5][4] = results.map;
    memcpy(left, texels, sizeof(left));
    memset(expected, 0, sizeof(expected));
    for (uint32_t i = 0; i < 64; i++) {
        int32_t x = (int32_t)(i & 3) * 3 - 2, y = (int32_t)(i >> 2 & 3) * 3 - 2, z = (int32_t)(i >> 4) - 1;
        bool inside = x >= 0 && x < 4 && y >= 0 && y < 4 && z >= 0 && z < 2;
        uint32_t at = inside ? (uint32_t)((z * 4 + y) * 4 + x) : 0, texel = i - 8;
        if (!none && inside) {
            memcpy(expected[i][0], texels[at], 16);
            memcpy(expected[i][1], texels[at], 16);
            for (unsigned c = 0; c < 4; c++)
                left[at][c] = 77 + i;
        }
        if (!none && texel < 20)
            memcpy(expected[i][2], (uint32_t[4]){5000 + texel, 0, 0, 1}, 16);
        for (unsigned c = 0; c < 4 && !none && (i & 15) < 10; c++)
            expected[i][3][c] = 5000 + (i & 15) * 4 + c;
        if (!none)
            memcpy(expected[i][4], (uint32_t[4]){i < 32 ? 5000 + i : 0, 32, 4, 4}, 16);
        /* Out of a format with four channels all are zero; of the texel buffer, which has one, the last may be 0 or 1.
         */
        if (!none && texel >= 20 && got[i][2][3] == 1)
            expected[i][2][3] = 1;
    }
    static const char *const names[] = {"the storage image", "the texture", "the texel buffer", "the uniform block",
                                        "the storage block"};
    for (uint32_t i = 0; i < 64; i++)
        for (unsigned k = 0; k < 5; k++)
            if (memcmp(got[i][k], expected[i][k], 16) != 0)
                vt_fail(vt, "invocation %u: %s gives %u %u %u %u, expected %u %u %u %u", i, names[k], got[i][k][0],
                        got[i][k][1], got[i][k][2], got[i][k][3], expected[i][k][0], expected[i][k][1],
                        expected[i][k][2], expected[i][k][3]);
    const uint32_t *kept = vt_download(vt, &images[0], 0);
    vt_expect_words(vt, kept, left[0], 128, "the image after it");
    for (uint32_t i = 0; i < 32 && !none; i++)
        words[i] = i + 1;
    vt_expect_words(vt, storage.map, words, 64, "the buffer after it");
}

const struct vt_case vt_look_cases[] = {
    {"border swizzled", case_border_swizzle, &swizzles[0]},
    {"border swizzled as asked", case_border_swizzle, &swizzles[1]},
    {"black border swizzled", case_border_swizzle, &swizzles[2]},
    {"black border swizzled as asked", case_border_swizzle, &swizzles[3]},
    {"cube with seams", case_seams, NULL},
    {"cube without seams", case_seams, vt_look_cases},
    {"least of integer cubes", case_reduced_cube, &reduced_cubes[0]},
    {"greatest of integer cubes", case_reduced_cube, &reduced_cubes[1]},
    {"least of signed cubes", case_reduced_cube, &reduced_cubes[2]},
    {"greatest of signed cubes", case_reduced_cube, &reduced_cubes[3]},
    {"gather at a level", case_gather_lod, NULL},
    {"gather at the level of derivatives", case_gather_implicit, &gathers[0]},
    {"gather a level further", case_gather_implicit, &gathers[1]},
    {"gather a level nearer", case_gather_implicit, &gathers[2]},
    {"gather at level 0 of a fragment", case_gather_implicit, &gathers[3]},
    {"out of images", case_robust_images, NULL},
    {"no images", case_robust_images, vt_look_cases},
};
const size_t vt_look_count = COUNT_OF(vt_look_cases);
