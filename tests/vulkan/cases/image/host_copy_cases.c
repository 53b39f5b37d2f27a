/* VK_EXT_host_image_copy: what the host writes into an image is what the device copies out of it, and the other way
 * round. */
#include <stdio.h>
#include <string.h>

#include "vt/vt_image.h"
#include "vulkan/runtime/gen/vk_newer.h"


#define MAX_B (1u << 19)

struct shape {
    VkFormat format;
    uint32_t width, height, depth, levels, layers;
    VkImageUsageFlags usage; /* beside copies; 0: sampled */
    bool linear;
};

/* Words that tell where they stand, so that whatever is misplaced is found. */
static void fill_words(uint8_t *bytes, size_t size_B, uint64_t seed)
{
    for (size_t i = 0; i < size_B; i++)
        bytes[i] = (uint8_t)(vt_random(&seed) >> 11);
}

static VkImageType type_of(const struct shape *shape)
{
    if (shape->depth > 1)
        return VK_IMAGE_TYPE_3D;
    return shape->height > 1 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_1D;
}

static struct vt_image image_of(struct vt *vt, const struct shape *shape)
{
    if (!vt->has[VT_HOST_IMAGE_COPY])
        vt_skip(vt, "no copies of images by the host");
    VkFormatProperties3 wide = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &wide};
    vkGetPhysicalDeviceFormatProperties2(vt->physical, shape->format, &properties);
    VkFormatFeatureFlags2 features = shape->linear ? wide.linearTilingFeatures : wide.optimalTilingFeatures;
    if (!(features & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT))
        vt_skip(vt, "the format has no copies by the host");
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = shape->format,
                                             .type = type_of(shape),
                                             .width = shape->width,
                                             .height = shape->height,
                                             .depth = shape->depth,
                                             .levels = shape->levels,
                                             .layers = shape->layers,
                                             .linear = shape->linear,
                                             .usage = (shape->usage ? shape->usage : VK_IMAGE_USAGE_SAMPLED_BIT) |
                                                      VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT});
    return image;
}

/* By the host; from nothing, or from the layout that the image is in. */
static void to_layout(struct vt *vt, struct vt_image *image, VkImageLayout layout)
{
    VkHostImageLayoutTransitionInfoEXT transition = {
        .sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
        .image = image->image,
        .oldLayout = image->layout,
        .newLayout = layout,
        .subresourceRange = {image->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    VT_CHECK(vt, VT_LOAD(vt, TransitionImageLayoutEXT)(vt->device, 1, &transition));
    image->layout = layout;
}

static VkExtent3D level_extent(const struct vt_image *image, uint32_t level)
{
    const VkExtent3D *extent = &image->info.extent;
    return (VkExtent3D){vt_mip(extent->width, level), vt_mip(extent->height, level), vt_mip(extent->depth, level)};
}

static VkMemoryToImageCopyEXT to_image_of(const struct vt_image *image, VkImageAspectFlags aspect, uint32_t level,
                                          const void *data)
{
    return (VkMemoryToImageCopyEXT){.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
                                    .pHostPointer = data,
                                    .imageSubresource = {aspect, level, 0, image->info.arrayLayers},
                                    .imageExtent = level_extent(image, level)};
}

static void write_image(struct vt *vt, const struct vt_image *image, const VkMemoryToImageCopyEXT *region,
                        VkHostImageCopyFlagsEXT flags)
{
    VkCopyMemoryToImageInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
                                       .flags = flags,
                                       .dstImage = image->image,
                                       .dstImageLayout = image->layout,
                                       .regionCount = 1,
                                       .pRegions = region};
    VT_CHECK(vt, VT_LOAD(vt, CopyMemoryToImageEXT)(vt->device, &info));
}

static void read_image(struct vt *vt, const struct vt_image *image, const VkImageToMemoryCopyEXT *region,
                       VkHostImageCopyFlagsEXT flags)
{
    VkCopyImageToMemoryInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
                                       .flags = flags,
                                       .srcImage = image->image,
                                       .srcImageLayout = image->layout,
                                       .regionCount = 1,
                                       .pRegions = region};
    VT_CHECK(vt, VT_LOAD(vt, CopyImageToMemoryEXT)(vt->device, &info));
}

static void read_level(struct vt *vt, const struct vt_image *image, VkImageAspectFlags aspect, uint32_t level,
                       void *data, VkHostImageCopyFlagsEXT flags)
{
    VkImageToMemoryCopyEXT region = {.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
                                     .pHostPointer = data,
                                     .imageSubresource = {aspect, level, 0, image->info.arrayLayers},
                                     .imageExtent = level_extent(image, level)};
    read_image(vt, image, &region, flags);
}

static void expect_bytes(struct vt *vt, const uint8_t *got, const uint8_t *expected, size_t size_B, const char *what,
                         uint32_t level)
{
    for (size_t i = 0; i < size_B; i++) {
        if (got[i] != expected[i])
            vt_fail(vt, "%s, level %u: byte %zu is 0x%02x, not 0x%02x", what, level, i, got[i], expected[i]);
    }
}

/* Copies of depth leave the bits undefined that D24 does not have. */
static void hide_padding(VkFormat format, VkImageAspectFlags aspect, uint8_t *data, size_t size_B)
{
    bool is_padded = format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_X8_D24_UNORM_PACK32;
    for (size_t i = 3; i < size_B && is_padded && aspect == VK_IMAGE_ASPECT_DEPTH_BIT; i += 4)
        data[i] = 0;
}

/* Depths as numbers between 0 and 1; anything else is bytes. */
static void fill_aspect(VkFormat format, VkImageAspectFlags aspect, uint8_t *data, size_t size_B, uint64_t seed)
{
    fill_words(data, size_B, seed);
    bool is_float = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    for (size_t i = 0; i + 4 <= size_B && is_float && aspect == VK_IMAGE_ASPECT_DEPTH_BIT; i += 4) {
        float depth = (float)(data[i] | data[i + 1] << 8) / 65536.0f;
        memcpy(data + i, &depth, 4);
    }
    hide_padding(format, aspect, data, size_B);
}

/* ---- whole levels ---- */

static uint8_t written[MAX_B], found[MAX_B];

/* Texels that the host wrote are read by the device and the host; those that the device wrote, by the host. */
static void case_levels(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    struct vt_image image = image_of(vt, shape);
    to_layout(vt, &image, VK_IMAGE_LAYOUT_GENERAL);
    for (VkImageAspectFlags aspect = 1; aspect <= image.aspects; aspect <<= 1) {
        if (!(image.aspects & aspect))
            continue;
        for (uint32_t level = 0; level < image.info.mipLevels; level++) {
            size_t size_B = vt_level_B(&image, level, image.info.arrayLayers, aspect);
            fill_aspect(shape->format, aspect, written, size_B, 77 + level);
            VkMemoryToImageCopyEXT region = to_image_of(&image, aspect, level, written);
            write_image(vt, &image, &region, 0);
        }
    }
    for (VkImageAspectFlags aspect = 1; aspect <= image.aspects; aspect <<= 1) {
        if (!(image.aspects & aspect))
            continue;
        for (uint32_t level = 0; level < image.info.mipLevels; level++) {
            size_t size_B = vt_level_B(&image, level, image.info.arrayLayers, aspect);
            fill_aspect(shape->format, aspect, written, size_B, 77 + level);
            memset(found, 0xcc, size_B);
            read_level(vt, &image, aspect, level, found, 0);
            hide_padding(shape->format, aspect, found, size_B);
            expect_bytes(vt, found, written, size_B, "read by the host", level);
            uint8_t *copied = vt_download_aspect(vt, &image, level, aspect);
            hide_padding(shape->format, aspect, copied, size_B);
            expect_bytes(vt, copied, written, size_B, "copied by the device", level);
        }
    }
}

/* Uploaded by the device, in the layout that its copies leave behind. */
static void case_from_device(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    struct vt_image image = image_of(vt, shape);
    for (uint32_t level = 0; level < image.info.mipLevels; level++) {
        size_t size_B = vt_level_B(&image, level, image.info.arrayLayers, VK_IMAGE_ASPECT_COLOR_BIT);
        fill_words(written, size_B, 5 + level);
        vt_upload(vt, &image, level, written, VK_IMAGE_LAYOUT_GENERAL);
    }
    for (uint32_t level = 0; level < image.info.mipLevels; level++) {
        size_t size_B = vt_level_B(&image, level, image.info.arrayLayers, VK_IMAGE_ASPECT_COLOR_BIT);
        fill_words(written, size_B, 5 + level);
        memset(found, 0xcc, size_B);
        read_level(vt, &image, VK_IMAGE_ASPECT_COLOR_BIT, level, found, 0);
        expect_bytes(vt, found, written, size_B, "what the device wrote", level);
    }
}

/* ---- parts ---- */

/* A box in rows with gaps; all around it stays. */
static void case_box(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    const struct vt_format *format = vt_format(shape->format);
    struct vt_image image = image_of(vt, shape);
    to_layout(vt, &image, VK_IMAGE_LAYOUT_GENERAL);
    const bool is_volume = shape->depth > 1;
    const uint32_t block = format->block, texel_B = format->texel_B;
    const uint32_t columns = shape->width / block, rows = shape->height / block;
    const uint32_t slices = is_volume ? shape->depth : image.info.arrayLayers;
    const size_t size_B = (size_t)columns * rows * slices * texel_B;
    fill_words(written, size_B, 1);
    VkMemoryToImageCopyEXT whole = to_image_of(&image, VK_IMAGE_ASPECT_COLOR_BIT, 0, written);
    write_image(vt, &image, &whole, 0);

    /* in elements */
    const uint32_t x = 3, y = 2, z = 1, width = columns - 5, height = rows - 3, depth = slices - 1;
    const uint32_t row = width + 7, image_height = height + 2;
    static uint8_t part[MAX_B];
    fill_words(part, (size_t)row * image_height * depth * texel_B, 2);
    VkMemoryToImageCopyEXT region = to_image_of(&image, VK_IMAGE_ASPECT_COLOR_BIT, 0, part);
    region.memoryRowLength = row * block;
    region.memoryImageHeight = image_height * block;
    region.imageOffset = (VkOffset3D){(int32_t)(x * block), (int32_t)(y * block), is_volume ? (int32_t)z : 0};
    region.imageExtent = (VkExtent3D){width * block, height * block, is_volume ? depth : 1};
    if (!is_volume) {
        region.imageSubresource.baseArrayLayer = z;
        region.imageSubresource.layerCount = depth;
    }
    write_image(vt, &image, &region, 0);
    for (uint32_t k = 0; k < depth; k++) {
        for (uint32_t j = 0; j < height; j++)
            memcpy(written + (((k + z) * rows + j + y) * columns + x) * texel_B,
                   part + ((k * image_height + j) * row) * texel_B, width * texel_B);
    }
    expect_bytes(vt, vt_download(vt, &image, 0), written, size_B, "a box within", 0);

    memset(found, 0xcc, (size_t)row * image_height * depth * texel_B);
    VkImageToMemoryCopyEXT back = {.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
                                   .pHostPointer = found,
                                   .memoryRowLength = region.memoryRowLength,
                                   .memoryImageHeight = region.memoryImageHeight,
                                   .imageSubresource = region.imageSubresource,
                                   .imageOffset = region.imageOffset,
                                   .imageExtent = region.imageExtent};
    read_image(vt, &image, &back, 0);
    for (uint32_t k = 0; k < depth; k++) {
        for (uint32_t j = 0; j < height; j++) {
            size_t at = ((k * image_height + j) * row) * texel_B;
            expect_bytes(vt, found + at, part + at, width * texel_B, "a row of the box", 0);
            if (k + 1 < depth || j + 1 < height)
                for (size_t i = at + width * texel_B; i < at + row * texel_B; i++)
                    if (found[i] != 0xcc)
                        vt_fail(vt, "byte %zu is between the rows and was written", i);
        }
    }
}

/* ---- memcpy ---- */

/* In the implementation's own order: out of one image, into another that is like it. */
static void case_memcpy(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    struct vt_image from = image_of(vt, shape), to = image_of(vt, shape);
    to_layout(vt, &from, VK_IMAGE_LAYOUT_GENERAL);
    to_layout(vt, &to, VK_IMAGE_LAYOUT_GENERAL);
    static uint8_t own[MAX_B * 2];
    for (uint32_t level = 0; level < from.info.mipLevels; level++) {
        size_t size_B = vt_level_B(&from, level, from.info.arrayLayers, VK_IMAGE_ASPECT_COLOR_BIT);
        VkImageSubresource2EXT subresource = {.sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
                                              .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0}};
        VkSubresourceHostMemcpySizeEXT size = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT};
        VkSubresourceLayout2EXT layout = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, .pNext = &size};
        VT_LOAD(vt, GetImageSubresourceLayout2EXT)(vt->device, from.image, &subresource, &layout);
        if (size.size * from.info.arrayLayers < size_B || size.size * from.info.arrayLayers > sizeof(own) / 2)
            vt_fail(vt, "level %u has %llu bytes for memcpy", level, (unsigned long long)size.size);
        size_t all_B = (size_t)size.size * from.info.arrayLayers;
        memset(own, 0xcc, all_B + 64);
        fill_words(written, size_B, 9 + level);
        VkMemoryToImageCopyEXT first = to_image_of(&from, VK_IMAGE_ASPECT_COLOR_BIT, level, written);
        write_image(vt, &from, &first, 0);
        read_level(vt, &from, VK_IMAGE_ASPECT_COLOR_BIT, level, own, VK_HOST_IMAGE_COPY_MEMCPY_EXT);
        for (size_t i = all_B; i < all_B + 64; i++)
            if (own[i] != 0xcc)
                vt_fail(vt, "level %u: byte %zu is beyond the size and was written", level, i);
        VkMemoryToImageCopyEXT second = to_image_of(&to, VK_IMAGE_ASPECT_COLOR_BIT, level, own);
        write_image(vt, &to, &second, VK_HOST_IMAGE_COPY_MEMCPY_EXT);
    }
    for (uint32_t level = 0; level < to.info.mipLevels; level++) {
        size_t size_B = vt_level_B(&to, level, to.info.arrayLayers, VK_IMAGE_ASPECT_COLOR_BIT);
        fill_words(written, size_B, 9 + level);
        expect_bytes(vt, vt_download(vt, &to, level), written, size_B, "by memcpy", level);
    }
}

/* ---- between images ---- */

static void case_images(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    const struct vt_format *format = vt_format(shape->format);
    struct vt_image from = image_of(vt, shape), to = image_of(vt, shape);
    to_layout(vt, &from, VK_IMAGE_LAYOUT_GENERAL);
    to_layout(vt, &to, VK_IMAGE_LAYOUT_GENERAL);
    const uint32_t block = format->block, texel_B = format->texel_B;
    const uint32_t columns = shape->width / block, rows = shape->height / block, slices = from.info.arrayLayers;
    const size_t size_B = (size_t)columns * rows * slices * texel_B;
    static uint8_t expected[MAX_B];
    fill_words(written, size_B, 21);
    fill_words(expected, size_B, 22);
    VkMemoryToImageCopyEXT first = to_image_of(&from, VK_IMAGE_ASPECT_COLOR_BIT, 0, written);
    VkMemoryToImageCopyEXT second = to_image_of(&to, VK_IMAGE_ASPECT_COLOR_BIT, 0, expected);
    write_image(vt, &from, &first, 0);
    write_image(vt, &to, &second, 0);
    const uint32_t sx = 2, sy = 1, dx = 5, dy = 3, width = columns - 9, height = rows - 6;
    VkImageCopy2 region = {.sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
                           .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, slices},
                           .srcOffset = {(int32_t)(sx * block), (int32_t)(sy * block), 0},
                           .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, slices},
                           .dstOffset = {(int32_t)(dx * block), (int32_t)(dy * block), 0},
                           .extent = {width * block, height * block, 1}};
    VkCopyImageToImageInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
                                      .srcImage = from.image,
                                      .srcImageLayout = from.layout,
                                      .dstImage = to.image,
                                      .dstImageLayout = to.layout,
                                      .regionCount = 1,
                                      .pRegions = &region};
    VT_CHECK(vt, VT_LOAD(vt, CopyImageToImageEXT)(vt->device, &info));
    for (uint32_t k = 0; k < slices; k++) {
        for (uint32_t j = 0; j < height; j++)
            memcpy(expected + ((k * rows + j + dy) * columns + dx) * texel_B,
                   written + ((k * rows + j + sy) * columns + sx) * texel_B, width * texel_B);
    }
    expect_bytes(vt, vt_download(vt, &to, 0), expected, size_B, "from image to image", 0);
}

/* ---- what is promised ---- */

static void case_properties(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_HOST_IMAGE_COPY])
        vt_skip(vt, "no copies of images by the host");
    VkImageLayout source[64], target[64];
    VkPhysicalDeviceHostImageCopyPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    if (host.copySrcLayoutCount == 0 || host.copySrcLayoutCount > COUNT_OF(source) ||
        host.copyDstLayoutCount > COUNT_OF(target))
        vt_fail(vt, "%u and %u layouts", host.copySrcLayoutCount, host.copyDstLayoutCount);
    host.pCopySrcLayouts = source;
    host.pCopyDstLayouts = target;
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    bool general[2] = {false, false};
    for (uint32_t i = 0; i < host.copySrcLayoutCount; i++)
        general[0] |= source[i] == VK_IMAGE_LAYOUT_GENERAL;
    for (uint32_t i = 0; i < host.copyDstLayoutCount; i++)
        general[1] |= target[i] == VK_IMAGE_LAYOUT_GENERAL;
    if (!general[0] || !general[1])
        vt_fail(vt, "the general layout is not among those of copies");

    /* Blocks are as fast for the device as without the host's copies. */
    VkHostImageCopyDevicePerformanceQueryEXT query = {
        .sType = VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT};
    VkImageFormatProperties2 image = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &query};
    VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                             .format = VK_FORMAT_BC7_UNORM_BLOCK,
                                             .type = VK_IMAGE_TYPE_2D,
                                             .tiling = VK_IMAGE_TILING_OPTIMAL,
                                             .usage =
                                                 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT};
    VkResult result = vkGetPhysicalDeviceImageFormatProperties2(vt->physical, &info, &image);
    if (result == VK_SUCCESS && !query.optimalDeviceAccess)
        vt_fail(vt, "images of blocks are slower for the device");
    if (result == VK_SUCCESS && query.identicalMemoryLayout && !query.optimalDeviceAccess)
        vt_fail(vt, "the same layout is slower for the device");
}

/* ---- the table ---- */

#define F(name) VK_FORMAT_##name
#define LEVELS(name, ...)                                                                                              \
    {                                                                                                                  \
        name, case_levels, &(const struct shape)                                                                       \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define TARGET VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT
#define DEPTH VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT

const struct vt_case vt_host_copy_cases[] = {
    {"properties", case_properties, NULL},
    LEVELS("r8", F(R8_UNORM), 67, 45, 1, 7, 1),
    LEVELS("r8g8", F(R8G8_UINT), 67, 45, 1, 7, 3),
    LEVELS("r5g6b5", F(R5G6B5_UNORM_PACK16), 129, 33, 1, 1, 2),
    LEVELS("rgba8", F(R8G8B8A8_UNORM), 150, 77, 1, 8, 2),
    LEVELS("rgba8 srgb", F(R8G8B8A8_SRGB), 40, 40, 1, 6, 1),
    LEVELS("rgb10a2", F(A2B10G10R10_UNORM_PACK32), 61, 64, 1, 1, 1),
    LEVELS("shared exponent", F(E5B9G9R9_UFLOAT_PACK32), 61, 30, 1, 5, 1),
    LEVELS("rgba16", F(R16G16B16A16_UINT), 90, 61, 1, 7, 1),
    LEVELS("rgba32", F(R32G32B32A32_UINT), 70, 33, 1, 7, 2),
    LEVELS("bc1", F(BC1_RGBA_UNORM_BLOCK), 92, 60, 1, 7, 1),
    LEVELS("bc3", F(BC3_UNORM_BLOCK), 61, 47, 1, 6, 2),
    LEVELS("etc2", F(ETC2_R8G8B8_UNORM_BLOCK), 92, 60, 1, 7, 1),
    LEVELS("astc 4x4", F(ASTC_4x4_UNORM_BLOCK), 92, 60, 1, 7, 1),
    LEVELS("line", F(R8G8B8A8_UNORM), 300, 1, 1, 9, 1),
    LEVELS("lines", F(R16_UINT), 300, 1, 1, 9, 4),
    LEVELS("volume", F(R8G8B8A8_UNORM), 40, 30, 20, 6, 1),
    LEVELS("volume r8", F(R8_UNORM), 70, 30, 21, 7, 1),
    LEVELS("volume rgba32", F(R32G32B32A32_UINT), 20, 30, 9, 5, 1),
    LEVELS("target", F(R8G8B8A8_UNORM), 200, 130, 1, 1, 2, TARGET),
    LEVELS("target of levels", F(R8G8B8A8_UNORM), 256, 128, 1, 9, 1, TARGET),
    LEVELS("target rgba16", F(R16G16B16A16_SFLOAT), 130, 130, 1, 1, 1, TARGET),
    LEVELS("storage", F(R32_UINT), 100, 130, 1, 1, 3, VK_IMAGE_USAGE_STORAGE_BIT),
    LEVELS("d16", F(D16_UNORM), 130, 70, 1, 1, 2, DEPTH),
    LEVELS("d24", F(X8_D24_UNORM_PACK32), 130, 70, 1, 1, 1, DEPTH),
    LEVELS("d32", F(D32_SFLOAT), 130, 70, 1, 6, 1, DEPTH),
    LEVELS("d24s8", F(D24_UNORM_S8_UINT), 130, 70, 1, 1, 1, DEPTH),
    LEVELS("d32s8", F(D32_SFLOAT_S8_UINT), 130, 70, 1, 1, 2, DEPTH),
    LEVELS("s8", F(S8_UINT), 130, 70, 1, 1, 1, DEPTH),
    LEVELS("linear r8", F(R8_UNORM), 67, 45, 1, 1, 1, 0, true),
    LEVELS("linear rgba8", F(R8G8B8A8_UNORM), 67, 45, 1, 1, 1, 0, true),
    LEVELS("linear rgb32", F(R32G32B32_UINT), 67, 45, 1, 1, 1, 0, true),
    {"from the device rgba8", case_from_device, &(const struct shape){F(R8G8B8A8_UNORM), 150, 77, 1, 8, 2}},
    {"from the device r16", case_from_device, &(const struct shape){F(R16_UINT), 150, 77, 1, 8, 1}},
    {"from the device target", case_from_device, &(const struct shape){F(R8G8B8A8_UNORM), 160, 160, 1, 1, 1, TARGET}},
    {"from the device volume", case_from_device, &(const struct shape){F(R32_UINT), 32, 20, 18, 6, 1}},
    {"from the device bc1", case_from_device, &(const struct shape){F(BC1_RGBA_UNORM_BLOCK), 64, 64, 1, 7, 1}},
    {"box rgba8", case_box, &(const struct shape){F(R8G8B8A8_UNORM), 90, 61, 1, 1, 4}},
    {"box r8", case_box, &(const struct shape){F(R8_UNORM), 211, 61, 1, 1, 3}},
    {"box rgba32", case_box, &(const struct shape){F(R32G32B32A32_UINT), 50, 61, 1, 1, 2}},
    {"box bc1", case_box, &(const struct shape){F(BC1_RGBA_UNORM_BLOCK), 128, 96, 1, 1, 3}},
    {"box volume", case_box, &(const struct shape){F(R8G8B8A8_UNORM), 50, 31, 11, 1, 1}},
    {"memcpy rgba8", case_memcpy, &(const struct shape){F(R8G8B8A8_UNORM), 150, 77, 1, 8, 1}},
    {"memcpy target", case_memcpy, &(const struct shape){F(R8G8B8A8_UNORM), 160, 96, 1, 1, 1, TARGET}},
    {"memcpy r8", case_memcpy, &(const struct shape){F(R8_UNORM), 150, 77, 1, 8, 1}},
    {"memcpy bc1", case_memcpy, &(const struct shape){F(BC1_RGBA_UNORM_BLOCK), 64, 64, 1, 7, 1}},
    {"memcpy volume", case_memcpy, &(const struct shape){F(R8G8B8A8_UNORM), 40, 30, 20, 1, 1}},
    {"images rgba8", case_images, &(const struct shape){F(R8G8B8A8_UNORM), 90, 61, 1, 1, 2}},
    {"images r16", case_images, &(const struct shape){F(R16_UINT), 90, 61, 1, 1, 1, TARGET}},
    {"images bc3", case_images, &(const struct shape){F(BC3_UNORM_BLOCK), 128, 96, 1, 1, 1}},
};
const size_t vt_host_copy_count = COUNT_OF(vt_host_copy_cases);
