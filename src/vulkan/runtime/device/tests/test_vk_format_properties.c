/* Features of formats and limits of images, from the rows of a made-up family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vulkan/runtime/device/vk_format_properties.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

static struct vk_physical_device physical;
static struct vk_format_row wanted; /* of every format */

#define OWN_MODIFIER 0x0700000000000001ull

static void row(const struct vk_physical_device *device, const struct format_info *info, struct vk_format_row *row_out)
{
    *row_out = wanted;
}

static uint32_t modifiers(const struct vk_physical_device *device, VkFormat format,
                          uint64_t modifiers_out[VK_MAX_MODIFIERS])
{
    modifiers_out[0] = OWN_MODIFIER;
    modifiers_out[1] = 0; /* rows */
    return 2;
}

static bool limit(const VkPhysicalDeviceImageFormatInfo2 *info, const struct format_info *format,
                  VkImageFormatProperties *limits)
{
    limits->maxArrayLayers = 7;
    return format->format != FORMAT_R8_SNORM;
}

static VkExternalMemoryProperties external(const VkPhysicalDeviceImageFormatInfo2 *info,
                                           VkExternalMemoryHandleTypeFlagBits type)
{
    return (VkExternalMemoryProperties){.externalMemoryFeatures = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
}

static const struct vk_format_ops ops = {
    .image_flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
                   VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_ALIAS_BIT |
                   VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT,
    .sample_counts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .image_types = {{{256, 1, 1}, 16}, {{1024, 1024, 1}, 16}, {{64, 64, 64}, 1}},
    .row = row,
    .modifiers = modifiers,
    .limit = limit,
    .external = external,
};

static int setup(void **state)
{
    memset(&wanted, 0, sizeof(wanted));
    memset(&physical, 0, sizeof(physical));
    vk_object_base_init(&physical.base, NULL, VK_OBJECT_TYPE_PHYSICAL_DEVICE);
    physical.formats = &ops;
    return 0;
}

static void no_capability_is_no_feature(void **state)
{
    VkFormatProperties3 none = vk_format_properties(&physical, VK_FORMAT_R8G8B8A8_UNORM);
    assert_true(!none.linearTilingFeatures && !none.optimalTilingFeatures && !none.bufferFeatures);
    wanted.is_tiled = wanted.is_linear = wanted.is_sampled = wanted.is_vertex = true;
    none = vk_format_properties(&physical, VK_FORMAT_UNDEFINED);
    assert_true(!none.optimalTilingFeatures && !none.bufferFeatures);
    none = vk_format_properties(&physical, (VkFormat)0x7ffffff0);
    assert_true(!none.optimalTilingFeatures && !none.bufferFeatures);
}

static void features_follow_from_the_row(void **state)
{
    wanted = (struct vk_format_row){.is_tiled = true,
                                    .is_linear = true,
                                    .is_sampled = true,
                                    .has_minmax = true,
                                    .is_target = true,
                                    .is_blended = true,
                                    .is_atomic = true};
    VkFormatProperties3 color = vk_format_properties(&physical, VK_FORMAT_R8G8B8A8_UNORM);
    assert_true(color.optimalTilingFeatures ==
                (color.linearTilingFeatures | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT));
    assert_true(color.linearTilingFeatures ==
                (VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT |
                 VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT |
                 VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT));
    /* Atomics on texels need stores; those on typed buffers are asked of the row alone. */
    assert_true(color.bufferFeatures == VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT);
    wanted.is_stored = true;
    color = vk_format_properties(&physical, VK_FORMAT_R8G8B8A8_UNORM);
    assert_true(color.linearTilingFeatures & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT);
    /* One row for depth; both aspects together are never the target of a blit. */
    VkFormatProperties3 depth = vk_format_properties(&physical, VK_FORMAT_D16_UNORM),
                        both = vk_format_properties(&physical, VK_FORMAT_D32_SFLOAT_S8_UINT);
    assert_true(depth.optimalTilingFeatures & VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT);
    assert_true(depth.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT);
    assert_true((depth.optimalTilingFeatures & ~both.optimalTilingFeatures) == VK_FORMAT_FEATURE_2_BLIT_DST_BIT);
    assert_false(depth.optimalTilingFeatures & VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT);
}

static void planes_need_the_feature_and_rows_of_their_own(void **state)
{
    const VkFormat planar = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
    wanted.is_plane = true;
    assert_true(!vk_format_properties(&physical, planar).optimalTilingFeatures);
    physical.supported_features.samplerYcbcrConversion = true;
    assert_true(vk_format_properties(&physical, planar).optimalTilingFeatures & VK_FORMAT_FEATURE_2_DISJOINT_BIT);
    wanted.is_plane = false;
    assert_true(!vk_format_properties(&physical, planar).optimalTilingFeatures);
}

static void modifiers_have_the_features_of_their_tiling(void **state)
{
    VkDrmFormatModifierPropertiesEXT entries[4];
    VkDrmFormatModifierPropertiesListEXT list = vk_struct_init(VkDrmFormatModifierPropertiesListEXT);
    VkFormatProperties2 out = vk_struct_init(VkFormatProperties2);
    VkPhysicalDevice handle = vk_physical_device_to_handle(&physical);
    wanted.is_tiled = wanted.is_sampled = true;
    out.pNext = &list;
    vk_common_GetPhysicalDeviceFormatProperties2(handle, VK_FORMAT_R8_UNORM, &out);
    assert_int_equal(list.drmFormatModifierCount, 1); /* not in rows */
    list.pDrmFormatModifierProperties = entries;
    list.drmFormatModifierCount = 4;
    vk_common_GetPhysicalDeviceFormatProperties2(handle, VK_FORMAT_R8_UNORM, &out);
    assert_int_equal(list.drmFormatModifierCount, 1);
    assert_true(entries[0].drmFormatModifier == OWN_MODIFIER);
    assert_int_equal(entries[0].drmFormatModifierTilingFeatures, out.formatProperties.optimalTilingFeatures);
}

static VkResult ask_format(VkFormat format, VkImageType type, VkImageUsageFlags usage, VkImageCreateFlags flags,
                           const void *chain, VkImageFormatProperties *limits_out)
{
    VkPhysicalDeviceImageFormatInfo2 info = vk_struct_init(VkPhysicalDeviceImageFormatInfo2);
    VkImageFormatProperties2 out = vk_struct_init(VkImageFormatProperties2);
    info.pNext = chain;
    info.format = format;
    info.type = type;
    info.usage = usage;
    info.flags = flags;
    VkResult result =
        vk_common_GetPhysicalDeviceImageFormatProperties2(vk_physical_device_to_handle(&physical), &info, &out);
    *limits_out = out.imageFormatProperties;
    return result;
}

static void images_are_refused_by_rule(void **state)
{
    static const struct {
        VkFormat format;
        VkImageType type;
        VkImageUsageFlags usage;
        VkImageCreateFlags flags;
        VkResult result;
    } cases[] = {
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, VK_SUCCESS},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_STORAGE_BIT, 0, VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
         VK_SUCCESS},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, 1u << 30, 0, VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
         VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_3D, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
         VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_CREATE_DISJOINT_BIT,
         VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT,
         VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_ALIAS_BIT, VK_SUCCESS},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT,
         VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT, VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT,
         VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT, VK_SUCCESS},
        {VK_FORMAT_R8_SNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_D16_UNORM, VK_IMAGE_TYPE_1D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, VK_ERROR_FORMAT_NOT_SUPPORTED},
        {VK_FORMAT_R8_UNORM, (VkImageType)3, VK_IMAGE_USAGE_SAMPLED_BIT, 0, VK_ERROR_FORMAT_NOT_SUPPORTED},
    };
    wanted.is_tiled = wanted.is_sampled = true;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VkImageFormatProperties limits;
        assert_int_equal(ask_format(cases[i].format, cases[i].type, cases[i].usage, cases[i].flags, NULL, &limits),
                         cases[i].result);
        assert_int_equal(limits.maxArrayLayers, cases[i].result == VK_SUCCESS ? 7 : 0);
    }
}

static void limits_are_the_familys(void **state)
{
    VkPhysicalDeviceExternalImageFormatInfo handle = vk_struct_init(VkPhysicalDeviceExternalImageFormatInfo);
    VkImageFormatProperties limits;
    wanted.is_tiled = wanted.is_sampled = true;
    assert_int_equal(ask_format(VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, NULL, &limits),
                     VK_SUCCESS);
    assert_int_equal(limits.maxMipLevels, 11);
    assert_int_equal(limits.sampleCounts, VK_SAMPLE_COUNT_1_BIT); /* no target */
    wanted.is_target = true;
    ask_format(VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, NULL, &limits);
    assert_int_equal(limits.sampleCounts, VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT);
    ask_format(VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
               NULL, &limits);
    assert_int_equal(limits.sampleCounts, VK_SAMPLE_COUNT_1_BIT);
    handle.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    assert_int_equal(ask_format(VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &handle, &limits),
                     VK_SUCCESS);
    handle.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    assert_int_equal(ask_format(VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &handle, &limits),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
}

#define CASE(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(no_capability_is_no_feature),
        CASE(features_follow_from_the_row),
        CASE(planes_need_the_feature_and_rows_of_their_own),
        CASE(modifiers_have_the_features_of_their_tiling),
        CASE(images_are_refused_by_rule),
        CASE(limits_are_the_familys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
