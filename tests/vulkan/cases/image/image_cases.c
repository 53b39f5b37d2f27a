/* Images without a sampler: clears, copies and blits, tiling and layouts. Images as shaders load and store them are in
 * storage_cases.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt_image.h"

/* ---- clears ---- */

/* A colour that every kind of format can hold, none of its components like another. */
static void clear_color_of(const struct vt_format *format, VkClearColorValue *clear_out, double color_out[4])
{
    static const double normal[4] = {0.2, 0.6, 0.4, 1}, small[4] = {-0.25, 0.75, 0.5, -1};
    for (unsigned i = 0; i < 4; i++) {
        bool narrow = format->component[i].bits && format->component[i].bits < 8;
        switch (format->kind) {
        case VT_UINT:
            clear_out->uint32[i] = narrow ? i : 100 + 23 * i;
            color_out[i] = clear_out->uint32[i];
            break;
        case VT_SINT:
            clear_out->int32[i] = i & 1 ? 45 + (int)i : -100 + (int)i;
            color_out[i] = clear_out->int32[i];
            break;
        default:
            color_out[i] = format->kind == VT_SNORM || format->kind == VT_SFLOAT ? small[i] : normal[i];
            clear_out->float32[i] = (float)color_out[i];
            break;
        }
    }
}

static void case_clear(struct vt *vt, const void *argument)
{
    VkFormat format = *(const VkFormat *)argument;
    const struct vt_format *known = vt_format(format);
    struct vt_image image = vt_image_2d(vt, format, 24, 17, VK_IMAGE_USAGE_SAMPLED_BIT);
    VkClearColorValue clear;
    double color[4];
    clear_color_of(known, &clear, color);
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image.image, image.layout, &clear, 1, &range);
    struct vt_buffer texels = vt_record_download(vt, commands, &image, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, format, texels.map, 24, 17, color, 1, "cleared image");
}

static const VkFormat clear_formats[] = {
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8_UINT,
    VK_FORMAT_R8_SINT,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R8G8_SNORM,
    VK_FORMAT_R8G8B8A8_SNORM,
    VK_FORMAT_R8G8B8A8_UINT,
    VK_FORMAT_R8G8B8A8_SINT,
    VK_FORMAT_R8G8B8A8_SRGB,
    VK_FORMAT_B8G8R8A8_UNORM,
    VK_FORMAT_R5G6B5_UNORM_PACK16,
    VK_FORMAT_A1R5G5B5_UNORM_PACK16,
    VK_FORMAT_R4G4B4A4_UNORM_PACK16,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_A2B10G10R10_UINT_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
    VK_FORMAT_R16_UNORM,
    VK_FORMAT_R16_SFLOAT,
    VK_FORMAT_R16G16_UINT,
    VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_R16G16B16A16_UNORM,
    VK_FORMAT_R16G16B16A16_SNORM,
    VK_FORMAT_R16G16B16A16_SINT,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32_UINT,
    VK_FORMAT_R32_SINT,
    VK_FORMAT_R32_SFLOAT,
    VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32G32B32A32_UINT,
    VK_FORMAT_R32G32B32A32_SFLOAT,
};

/* Only the named levels and layers change. */
static void case_clear_range(struct vt *vt, const void *argument)
{
    struct vt_image image = vt_image(
        vt, &(struct vt_image_info){.format = VK_FORMAT_R32_UINT, .width = 32, .height = 16, .levels = 4, .layers = 5});
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    VkImageSubresourceRange some[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 2, 2}, {VK_IMAGE_ASPECT_COLOR_BIT, 3, 1, 0, 1}};
    vkCmdClearColorImage(commands, image.image, image.layout, &(VkClearColorValue){.uint32 = {7}}, 1, &all);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image.image, image.layout, &(VkClearColorValue){.uint32 = {9}}, 2, some);
    vt_submit(vt, commands);
    for (uint32_t level = 0; level < 4; level++) {
        const uint32_t *texels = vt_download(vt, &image, level);
        uint32_t area = (32 >> level) * (16 >> level);
        for (uint32_t i = 0; i < area * 5; i++) {
            uint32_t layer = i / area;
            bool named = ((level == 1 || level == 2) && (layer == 2 || layer == 3)) || (level == 3 && layer == 0);
            if (texels[i] != (named ? 9 : 7))
                vt_fail(vt, "level %u, layer %u, texel %u is %u", level, layer, i % area, texels[i]);
        }
    }
}

static void case_clear_3d(struct vt *vt, const void *argument)
{
    struct vt_image image = vt_image(
        vt, &(struct vt_image_info){
                .format = VK_FORMAT_R8G8B8A8_UINT, .type = VK_IMAGE_TYPE_3D, .width = 20, .height = 12, .depth = 9});
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, image.image, image.layout, &(VkClearColorValue){.uint32 = {1, 2, 3, 4}}, 1, &range);
    vt_submit(vt, commands);
    const uint32_t *texels = vt_download(vt, &image, 0);
    for (uint32_t i = 0; i < 20 * 12 * 9; i++) {
        if (texels[i] != 0x04030201)
            vt_fail(vt, "texel %u is 0x%08x", i, texels[i]);
    }
}

struct depth_clear {
    VkFormat format;
    float depth;
    uint32_t stencil;
};

static void case_clear_depth(struct vt *vt, const void *argument)
{
    const struct depth_clear *test = argument;
    struct vt_image image = vt_image_2d(vt, test->format, 40, 24, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    VkClearDepthStencilValue value = {test->depth, test->stencil};
    VkImageSubresourceRange range = {image.aspects, 0, 1, 0, 1};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearDepthStencilImage(commands, image.image, image.layout, &value, 1, &range);
    vt_submit(vt, commands);
    if (image.aspects & VK_IMAGE_ASPECT_DEPTH_BIT) {
        VkFormat as = test->format == VK_FORMAT_D16_UNORM || test->format == VK_FORMAT_D16_UNORM_S8_UINT
                          ? VK_FORMAT_D16_UNORM
                      : test->format == VK_FORMAT_D24_UNORM_S8_UINT || test->format == VK_FORMAT_X8_D24_UNORM_PACK32
                          ? VK_FORMAT_X8_D24_UNORM_PACK32
                          : VK_FORMAT_D32_SFLOAT;
        const void *texels = vt_download_aspect(vt, &image, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
        vt_expect_color(vt, as, texels, 40, 24, (double[4]){(double)test->depth, 0, 0, 1}, 1, "depth");
    }
    if (image.aspects & VK_IMAGE_ASPECT_STENCIL_BIT) {
        const void *texels = vt_download_aspect(vt, &image, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
        vt_expect_color(vt, VK_FORMAT_S8_UINT, texels, 40, 24, (double[4]){test->stencil, 0, 0, 1}, 0, "stencil");
    }
}

static const struct depth_clear depth_clears[] = {
    {VK_FORMAT_D16_UNORM, 0.25f, 0},          {VK_FORMAT_D32_SFLOAT, 0.625f, 0},
    {VK_FORMAT_X8_D24_UNORM_PACK32, 0.3f, 0}, {VK_FORMAT_S8_UINT, 0, 0xa5},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, 0.5f, 77}, {VK_FORMAT_D24_UNORM_S8_UINT, 0.5f, 77},
    {VK_FORMAT_D16_UNORM_S8_UINT, 0.7f, 200}, {VK_FORMAT_D32_SFLOAT_S8_UINT, 1, 0},
};

/* ---- copies between buffers and images ---- */

struct shape {
    VkFormat format;
    VkImageType type;
    uint32_t width, height, depth, levels, layers;
};

static struct vt_image image_of(struct vt *vt, const struct shape *shape, VkImageUsageFlags usage)
{
    return vt_image(vt, &(struct vt_image_info){.format = shape->format,
                                                .type = shape->type,
                                                .width = shape->width,
                                                .height = shape->type == VK_IMAGE_TYPE_1D ? 0 : shape->height,
                                                .depth = shape->depth,
                                                .levels = shape->levels,
                                                .layers = shape->layers,
                                                .usage = usage});
}

/* Every level and layer gets bytes of its own, and only then is anything read back. */
static void case_copy(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    struct vt_image image = image_of(vt, shape, VK_IMAGE_USAGE_SAMPLED_BIT);
    const struct vt_format *format = vt_format(shape->format);
    uint32_t layers = image.info.arrayLayers, levels = image.info.mipLevels;
    uint8_t *data[16];
    uint64_t seed = 99;
    for (uint32_t level = 0; level < levels; level++) {
        size_t size_B = vt_level_B(&image, level, layers, image.aspects);
        struct vt_buffer kept = vt_buffer(vt, size_B, NULL);
        data[level] = kept.map;
        vt_random_texels(format, &seed, data[level], size_B / format->texel_B);
        if (shape->format == VK_FORMAT_X8_D24_UNORM_PACK32) {
            for (size_t i = 3; i < size_B; i += 4)
                data[level][i] = 0;
        }
        vt_upload(vt, &image, level, data[level], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    }
    for (uint32_t level = 0; level < levels; level++) {
        size_t count = vt_level_B(&image, level, layers, image.aspects) / format->texel_B;
        uint32_t row = (vt_mip(shape->width, level) + format->block - 1) / format->block;
        uint8_t *got = vt_download(vt, &image, level);
        if (shape->format == VK_FORMAT_X8_D24_UNORM_PACK32) { /* the eight bits beside depth are undefined */
            for (size_t i = 0; i < count; i++)
                got[i * 4 + 3] = 0;
        }
        char what[32];
        snprintf(what, sizeof(what), "level %u", level);
        vt_expect_texels(vt, got, data[level], format->texel_B, row, count, what);
    }
}

static const struct shape copies[] = {
    {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_1D, 100, 1, 1, 1, 1},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_1D, 128, 1, 1, 8, 3},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 64, 64, 1, 7, 1},
    {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 37, 91, 1, 7, 4},
    {VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_2D, 65, 40, 1, 7, 3},
    {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 128, 128, 1, 8, 2},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 32, 16, 8, 1, 1},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_3D, 33, 17, 11, 6, 1},
    {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_3D, 16, 16, 16, 5, 1},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 512, 512, 1, 1, 1},
    {VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, 1000, 3, 1, 1, 1},
    {VK_FORMAT_D16_UNORM, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_D32_SFLOAT, VK_IMAGE_TYPE_2D, 61, 33, 1, 3, 2},
    {VK_FORMAT_X8_D24_UNORM_PACK32, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_S8_UINT, VK_IMAGE_TYPE_2D, 61, 33, 1, 1, 1},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 64, 32, 1, 1, 1},
    {VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 64, 32, 1, 7, 2},
    {VK_FORMAT_BC4_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 62, 31, 1, 3, 1},
    {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 62, 30, 1, 6, 1},
};

/* Rectangles of a level, from a buffer with rows and slices longer than needed, and back. */
static void case_copy_regions(struct vt *vt, const void *argument)
{
    struct vt_image image = vt_image(
        vt,
        &(struct vt_image_info){.format = VK_FORMAT_R16G16_UINT, .width = 48, .height = 40, .levels = 2, .layers = 3});
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    uint32_t words[4096];
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        words[i] = 0x10000u + i;
    struct vt_buffer source = vt_buffer(vt, sizeof(words), words), target = vt_buffer(vt, sizeof(words), NULL);
    /* two layers of 13×9 at 5,7 of level 1, rows of 20 texels, slices of 11 rows */
    VkBufferImageCopy in = {64, 20, 11, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2}, {5, 7, 0}, {13, 9, 1}};
    VkBufferImageCopy out = {256, 32, 25, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 3}, {0, 0, 0}, {24, 20, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image.image, image.layout, &(VkClearColorValue){.uint32 = {3, 4}}, 1, &all);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, source.buffer, image.image, image.layout, 1, &in);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image.image, image.layout, target.buffer, 1, &out);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    static uint32_t expected[4096];
    memset(expected, 0, sizeof(expected));
    for (uint32_t layer = 0; layer < 3; layer++) {
        for (uint32_t y = 0; y < 20; y++) {
            for (uint32_t x = 0; x < 24; x++) {
                bool inside = layer >= 1 && x >= 5 && x < 18 && y >= 7 && y < 16;
                expected[64 + (layer * 25 + y) * 32 + x] =
                    inside ? words[16 + ((layer - 1) * 11 + y - 7) * 20 + x - 5] : 0x00040003;
            }
        }
    }
    vt_expect_words(vt, target.map, expected, COUNT_OF(expected), "buffer");
}

/* ---- copies between images ---- */

struct image_copy {
    struct shape from, to;
    VkImageCopy region; /* aspects are filled in */
};

/* A texel (or block) of a tight level, z counting slices or layers. */
static uint8_t *texel_at(uint8_t *texels, const struct shape *shape, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    const struct vt_format *format = vt_format(shape->format);
    uint32_t row = (vt_mip(shape->width, level) + format->block - 1) / format->block;
    uint32_t rows = (vt_mip(shape->height, level) + format->block - 1) / format->block;
    return texels + ((size_t)(z * rows + y) * row + x) * format->texel_B;
}

static void case_copy_image(struct vt *vt, const void *argument)
{
    const struct image_copy *test = argument;
    VkImageCopy region = test->region;
    region.srcSubresource.aspectMask = vt_aspects(test->from.format);
    region.dstSubresource.aspectMask = vt_aspects(test->to.format);
    struct vt_image from = image_of(vt, &test->from, 0), to = image_of(vt, &test->to, 0);
    const struct vt_format *from_format = vt_format(test->from.format), *to_format = vt_format(test->to.format);
    uint32_t from_level = region.srcSubresource.mipLevel, to_level = region.dstSubresource.mipLevel;
    size_t from_B = vt_level_B(&from, from_level, from.info.arrayLayers, from.aspects);
    size_t to_B = vt_level_B(&to, to_level, to.info.arrayLayers, to.aspects);
    uint8_t *source = vt_buffer(vt, from_B, NULL).map, *expected = vt_buffer(vt, to_B, NULL).map;
    uint64_t seed = 5;
    vt_random_texels(from_format, &seed, source, from_B / from_format->texel_B);
    vt_random_texels(to_format, &seed, expected, to_B / to_format->texel_B);
    vt_upload(vt, &from, from_level, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_upload(vt, &to, to_level, expected, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImage(commands, from.image, from.layout, to.image, to.layout, 1, &region);
    vt_submit(vt, commands);

    /* Extents are texels of the source; a block is one element of an uncompressed image. */
    uint32_t block = from_format->block, to_block = to_format->block;
    bool deep = test->from.type == VK_IMAGE_TYPE_3D;
    uint32_t slices = deep ? region.extent.depth : region.srcSubresource.layerCount;
    uint32_t from_z = deep ? (uint32_t)region.srcOffset.z : region.srcSubresource.baseArrayLayer;
    uint32_t to_z =
        test->to.type == VK_IMAGE_TYPE_3D ? (uint32_t)region.dstOffset.z : region.dstSubresource.baseArrayLayer;
    for (uint32_t z = 0; z < slices; z++) {
        for (uint32_t y = 0; y < (region.extent.height + block - 1) / block; y++) {
            for (uint32_t x = 0; x < (region.extent.width + block - 1) / block; x++)
                memcpy(texel_at(expected, &test->to, to_level, (uint32_t)region.dstOffset.x / to_block + x,
                                (uint32_t)region.dstOffset.y / to_block + y, to_z + z),
                       texel_at(source, &test->from, from_level, (uint32_t)region.srcOffset.x / block + x,
                                (uint32_t)region.srcOffset.y / block + y, from_z + z),
                       to_format->texel_B);
        }
    }
    uint32_t row = (vt_mip(test->to.width, to_level) + to_block - 1) / to_block;
    vt_expect_texels(vt, vt_download(vt, &to, to_level), expected, to_format->texel_B, row, to_B / to_format->texel_B,
                     "copied image");
}

#define SUB(level, layer, layers)                                                                                      \
    {                                                                                                                  \
        0, level, layer, layers                                                                                        \
    }
static const struct image_copy image_copies[] = {
    {{VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 40, 40, 1, 1, 1},
     {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 40, 40, 1, 1, 1},
     {SUB(0, 0, 1), {0, 0, 0}, SUB(0, 0, 1), {0, 0, 0}, {40, 40, 1}}},
    {{VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 64, 64, 1, 3, 1},
     {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 50, 50, 1, 1, 1},
     {SUB(1, 0, 1), {3, 5, 0}, SUB(0, 0, 1), {17, 1, 0}, {21, 13, 1}}},
    {{VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 32, 32, 1, 1, 6},
     {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 32, 32, 1, 1, 5},
     {SUB(0, 2, 3), {1, 2, 0}, SUB(0, 1, 3), {8, 9, 0}, {20, 20, 1}}},
    {{VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_3D, 24, 24, 12, 1, 1},
     {VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_3D, 32, 32, 16, 2, 1},
     {SUB(0, 0, 1), {4, 4, 2}, SUB(1, 0, 1), {3, 2, 1}, {10, 11, 5}}},
    {{VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_3D, 16, 16, 8, 1, 1},
     {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 16, 16, 1, 1, 8},
     {SUB(0, 0, 1), {0, 0, 2}, SUB(0, 3, 4), {0, 0, 0}, {16, 16, 4}}},
    {{VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 64, 32, 1, 1, 1},
     {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 32, 64, 1, 1, 1},
     {SUB(0, 0, 1), {16, 4, 0}, SUB(0, 0, 1), {4, 32, 0}, {24, 20, 1}}},
    {{VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 64, 32, 1, 1, 1},
     {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_2D, 20, 20, 1, 1, 1},
     {SUB(0, 0, 1), {8, 4, 0}, SUB(0, 0, 1), {3, 5, 0}, {40, 20, 1}}},
    {{VK_FORMAT_D32_SFLOAT, VK_IMAGE_TYPE_2D, 40, 40, 1, 1, 1},
     {VK_FORMAT_D32_SFLOAT, VK_IMAGE_TYPE_2D, 40, 40, 1, 1, 1},
     {SUB(0, 0, 1), {8, 16, 0}, SUB(0, 0, 1), {16, 8, 0}, {16, 16, 1}}},
    {{VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 300, 200, 1, 3, 5},
     {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 300, 200, 1, 3, 5},
     {SUB(1, 1, 3), {0, 0, 0}, SUB(1, 0, 3), {0, 0, 0}, {150, 100, 1}}},
    {{VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 512, 256, 1, 4, 1},
     {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 256, 128, 1, 1, 3},
     {SUB(1, 0, 1), {0, 0, 0}, SUB(0, 2, 1), {0, 0, 0}, {256, 128, 1}}},
    {{VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 256, 128, 1, 1, 1},
     {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_2D, 64, 32, 1, 1, 1},
     {SUB(0, 0, 1), {0, 0, 0}, SUB(0, 0, 1), {0, 0, 0}, {256, 128, 1}}},
    {{VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_2D, 701, 503, 1, 1, 2},
     {VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_2D, 701, 503, 1, 1, 3},
     {SUB(0, 0, 2), {0, 0, 0}, SUB(0, 1, 2), {0, 0, 0}, {701, 503, 1}}},
    {{VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 130, 70, 1, 1, 1},
     {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_TYPE_2D, 131, 70, 1, 1, 1},
     {SUB(0, 0, 1), {0, 0, 0}, SUB(0, 0, 1), {0, 0, 0}, {130, 70, 1}}},
};

/* ---- blits ---- */

struct blit {
    VkFormat from, to;
    VkFilter filter;
    VkOffset3D source[2], target[2]; /* of 32×32 images */
    double absolute;
};

/* The source's texel at fractional coordinates: nearest, or the mean of four. */
static void blit_source(const uint8_t *texels, const struct vt_format *format, VkFilter filter, double u, double v,
                        double out[4])
{
    if (filter == VK_FILTER_NEAREST) {
        int x = (int)floor(u), y = (int)floor(v);
        x = x < 0 ? 0 : x > 31 ? 31 : x;
        y = y < 0 ? 0 : y > 31 ? 31 : y;
        vt_decode(format, texels + (y * 32 + x) * format->texel_B, out);
        return;
    }
    int x = (int)floor(u - 0.5), y = (int)floor(v - 0.5);
    double a = u - 0.5 - x, b = v - 0.5 - y;
    memset(out, 0, 4 * sizeof(*out));
    for (int i = 0; i < 4; i++) {
        int tx = x + (i & 1), ty = y + (i >> 1);
        double part[4], weight = (i & 1 ? a : 1 - a) * (i >> 1 ? b : 1 - b);
        tx = tx < 0 ? 0 : tx > 31 ? 31 : tx;
        ty = ty < 0 ? 0 : ty > 31 ? 31 : ty;
        vt_decode(format, texels + (ty * 32 + tx) * format->texel_B, part);
        for (int c = 0; c < 4; c++)
            out[c] += weight * part[c];
    }
}

static void case_blit(struct vt *vt, const void *argument)
{
    const struct blit *test = argument;
    const struct vt_format *from_format = vt_format(test->from), *to_format = vt_format(test->to);
    vt_need_features(vt, test->from,
                     VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                         (test->filter ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0));
    vt_need_features(vt, test->to, VK_FORMAT_FEATURE_BLIT_DST_BIT);
    struct vt_image from = vt_image_2d(vt, test->from, 32, 32, 0), to = vt_image_2d(vt, test->to, 32, 32, 0);
    uint8_t source[32 * 32 * 16], before[32 * 32 * 16];
    uint64_t seed = 21;
    vt_random_texels(from_format, &seed, source, 32 * 32);
    vt_random_texels(to_format, &seed, before, 32 * 32);
    vt_upload(vt, &from, 0, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_upload(vt, &to, 0, before, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageBlit region = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          {test->source[0], test->source[1]},
                          {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          {test->target[0], test->target[1]}};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBlitImage(commands, from.image, from.layout, to.image, to.layout, 1, &region, test->filter);
    vt_submit(vt, commands);
    const uint8_t *got = vt_download(vt, &to, 0);
    const VkOffset3D *s = test->source, *t = test->target;
    for (int y = 0; y < 32; y++) {
        for (int x = 0; x < 32; x++) {
            double along_x = (x + 0.5 - t[0].x) / (t[1].x - t[0].x), along_y = (y + 0.5 - t[0].y) / (t[1].y - t[0].y),
                   expected[4];
            const uint8_t *texel = got + (y * 32 + x) * to_format->texel_B;
            if (along_x < 0 || along_x > 1 || along_y < 0 || along_y > 1) {
                vt_decode(to_format, before + (y * 32 + x) * to_format->texel_B, expected);
                if (memcmp(texel, before + (y * 32 + x) * to_format->texel_B, to_format->texel_B) != 0)
                    vt_fail_texel(vt, to_format, texel, expected, "outside of the blit", (uint32_t)x, (uint32_t)y, 0);
                continue;
            }
            blit_source(source, from_format, test->filter, s[0].x + along_x * (s[1].x - s[0].x),
                        s[0].y + along_y * (s[1].y - s[0].y), expected);
            uint8_t coded[16];
            vt_encode(to_format, expected, coded);
            vt_decode(to_format, coded, expected); /* clamped to what the target can hold */
            if (!vt_texel_is(to_format, texel, expected, vt_is_integer(to_format) ? 0 : 1.01, test->absolute))
                vt_fail_texel(vt, to_format, texel, expected, "blit", (uint32_t)x, (uint32_t)y, 0);
        }
    }
}

#define WHOLE                                                                                                          \
    {                                                                                                                  \
        {0, 0, 0},                                                                                                     \
        {                                                                                                              \
            32, 32, 1                                                                                                  \
        }                                                                                                              \
    }
static const struct blit blits[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R8G8B8A8_UNORM,
     VK_FORMAT_R8G8B8A8_UNORM,
     VK_FILTER_NEAREST,
     {{4, 8, 0}, {12, 16, 1}},
     {{2, 3, 0}, {18, 27, 1}},
     0},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST, WHOLE, {{0, 0, 0}, {8, 16, 1}}, 0},
    {VK_FORMAT_R8G8B8A8_UNORM,
     VK_FORMAT_R8G8B8A8_UNORM,
     VK_FILTER_NEAREST,
     {{32, 0, 0}, {0, 32, 1}},
     {{0, 32, 0}, {32, 0, 1}},
     0},
    {VK_FORMAT_R8G8B8A8_UNORM,
     VK_FORMAT_R8G8B8A8_UNORM,
     VK_FILTER_LINEAR,
     {{4, 8, 0}, {12, 16, 1}},
     {{0, 0, 0}, {32, 32, 1}},
     0.012},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_LINEAR, WHOLE, {{8, 8, 0}, {24, 24, 1}}, 0.012},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST, WHOLE, WHOLE, 0.005},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R16G16B16A16_UINT, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R16G16B16A16_SINT, VK_FORMAT_R32G32B32A32_SINT, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FILTER_NEAREST, WHOLE, WHOLE, 0},
};

/* Each level is the mean of 2×2 texels of the level above. */
static void case_mip_chain(struct vt *vt, const void *argument)
{
    struct vt_image image = vt_image(
        vt, &(struct vt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM, .width = 64, .height = 64, .levels = 7});
    static uint8_t above[64 * 64 * 4];
    uint64_t seed = 77;
    for (unsigned i = 0; i < sizeof(above); i++)
        above[i] = (uint8_t)(vt_random(&seed) >> 9);
    vt_upload(vt, &image, 0, above, VK_IMAGE_LAYOUT_GENERAL);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t level = 1; level < 7; level++) {
        int32_t size = 64 >> level;
        VkImageBlit region = {{VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1},
                              {{0, 0, 0}, {2 * size, 2 * size, 1}},
                              {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                              {{0, 0, 0}, {size, size, 1}}};
        vkCmdBlitImage(commands, image.image, image.layout, image.image, image.layout, 1, &region, VK_FILTER_LINEAR);
        vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_GENERAL);
    }
    vt_submit(vt, commands);
    for (uint32_t level = 1; level < 7; level++) {
        unsigned size = 64 >> level;
        const uint8_t *got = vt_download(vt, &image, level);
        for (unsigned i = 0; i < size * size * 4; i++) {
            unsigned x = i / 4 % size, y = i / 4 / size, c = i % 4, row = size * 2 * 4;
            const uint8_t *corner = above + 2 * y * row + 2 * x * 4 + c;
            int sum = corner[0] + corner[4] + corner[row] + corner[row + 4];
            if (abs(got[i] * 4 - sum) > 8) /* two codes */
                vt_fail(vt, "level %u: component %u of texel %u,%u is %u, expected %.2f", level, c, x, y, got[i],
                        sum / 4.0);
        }
        memcpy(above, got, size * size * 4);
    }
}

/* ---- tiling and layouts ---- */

static void case_linear(struct vt *vt, const void *argument)
{
    VkFormat format = *(const VkFormat *)argument;
    uint32_t texel_B = vt_format(format)->texel_B;
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = format, .width = 45, .height = 21, .linear = true});
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(vt->device, image.image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
                                &layout);
    if (layout.rowPitch < 45 * texel_B || layout.size < layout.rowPitch * 20 + 45 * texel_B)
        vt_fail(vt, "rows of %llu bytes, %llu bytes in all", (unsigned long long)layout.rowPitch,
                (unsigned long long)layout.size);
    uint8_t *map, expected[45 * 21 * 12];
    VT_CHECK(vt, vkMapMemory(vt->device, image.memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
    uint64_t seed = 31;
    vt_random_texels(vt_format(format), &seed, expected, 45 * 21);
    for (unsigned y = 0; y < 21; y++)
        memcpy(map + layout.offset + y * layout.rowPitch, expected + y * 45 * texel_B, 45 * texel_B);
    vt_expect_texels(vt, vt_download(vt, &image, 0), expected, texel_B, 45, 45 * 21,
                     "written by the host, read by the device");
    vt_random_texels(vt_format(format), &seed, expected, 45 * 21);
    vt_upload(vt, &image, 0, expected, VK_IMAGE_LAYOUT_GENERAL);
    for (unsigned y = 0; y < 21; y++)
        vt_expect_texels(vt, map + layout.offset + y * layout.rowPitch, expected + y * 45 * texel_B, texel_B, 45, 45,
                         "written by the device, read by the host");
    vkUnmapMemory(vt->device, image.memory);
}

static const VkFormat linear_formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16_UINT,
                                          VK_FORMAT_R32G32B32_UINT};

/* An image's contents stay in it through every layout. */
static void case_layouts(struct vt *vt, const void *argument)
{
    bool depth = *(const VkFormat *)argument == VK_FORMAT_D32_SFLOAT;
    static const VkImageLayout color_layouts[] = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_GENERAL,
                                                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL};
    static const VkImageLayout depth_layouts[] = {VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_GENERAL,
                                                  VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                                                  VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL};
    const VkImageLayout *layouts = depth ? depth_layouts : color_layouts;
    struct vt_image image =
        vt_image_2d(vt, *(const VkFormat *)argument, 100, 70,
                    VK_IMAGE_USAGE_SAMPLED_BIT |
                        (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
    uint32_t texels[100 * 70];
    uint64_t seed = 8;
    vt_random_texels(vt_format(image.info.format), &seed, texels, COUNT_OF(texels));
    vt_upload(vt, &image, 0, texels, layouts[0]);
    VkCommandBuffer commands = vt_begin(vt);
    for (unsigned i = 0; i < 36; i++) /* every layout to every other */
        vt_to_layout(commands, &image, layouts[i % 2 ? i / 6 : i % 6]);
    vt_submit(vt, commands);
    vt_expect_texels(vt, vt_download(vt, &image, 0), texels, 4, 100, COUNT_OF(texels), "after many layouts");
}

static const VkFormat layout_formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT};

const struct vt_case vt_image_cases[] = {
#define CLEAR(i, name)                                                                                                 \
    {                                                                                                                  \
        "clear " name, case_clear, &clear_formats[i]                                                                   \
    }
    CLEAR(0, "r8g8b8a8 unorm"),
    CLEAR(1, "r8 unorm"),
    CLEAR(2, "r8 uint"),
    CLEAR(3, "r8 sint"),
    CLEAR(4, "r8g8 unorm"),
    CLEAR(5, "r8g8 snorm"),
    CLEAR(6, "r8g8b8a8 snorm"),
    CLEAR(7, "r8g8b8a8 uint"),
    CLEAR(8, "r8g8b8a8 sint"),
    CLEAR(9, "r8g8b8a8 srgb"),
    CLEAR(10, "b8g8r8a8 unorm"),
    CLEAR(11, "r5g6b5 unorm"),
    CLEAR(12, "a1r5g5b5 unorm"),
    CLEAR(13, "r4g4b4a4 unorm"),
    CLEAR(14, "a2b10g10r10 unorm"),
    CLEAR(15, "a2b10g10r10 uint"),
    CLEAR(16, "b10g11r11 ufloat"),
    CLEAR(17, "e5b9g9r9 ufloat"),
    CLEAR(18, "r16 unorm"),
    CLEAR(19, "r16 sfloat"),
    CLEAR(20, "r16g16 uint"),
    CLEAR(21, "r16g16 sfloat"),
    CLEAR(22, "r16g16b16a16 unorm"),
    CLEAR(23, "r16g16b16a16 snorm"),
    CLEAR(24, "r16g16b16a16 sint"),
    CLEAR(25, "r16g16b16a16 sfloat"),
    CLEAR(26, "r32 uint"),
    CLEAR(27, "r32 sint"),
    CLEAR(28, "r32 sfloat"),
    CLEAR(29, "r32g32 sfloat"),
    CLEAR(30, "r32g32b32a32 uint"),
    CLEAR(31, "r32g32b32a32 sfloat"),
    {"clear levels and layers", case_clear_range, NULL},
    {"clear 3d", case_clear_3d, NULL},
#define CLEAR_DEPTH(i, name)                                                                                           \
    {                                                                                                                  \
        "clear depth " name, case_clear_depth, &depth_clears[i]                                                        \
    }
    CLEAR_DEPTH(0, "d16"),
    CLEAR_DEPTH(1, "d32"),
    CLEAR_DEPTH(2, "x8d24"),
    CLEAR_DEPTH(3, "s8"),
    CLEAR_DEPTH(4, "d32s8"),
    CLEAR_DEPTH(5, "d24s8"),
    CLEAR_DEPTH(6, "d16s8"),
    CLEAR_DEPTH(7, "d32s8 to one"),
#define COPY(i, name)                                                                                                  \
    {                                                                                                                  \
        "copy " name, case_copy, &copies[i]                                                                            \
    }
    COPY(0, "8 bits"),
    COPY(1, "16 bits"),
    COPY(2, "32 bits"),
    COPY(3, "64 bits"),
    COPY(4, "128 bits"),
    COPY(5, "shared exponent"),
    COPY(6, "1d"),
    COPY(7, "1d array with levels"),
    COPY(8, "levels"),
    COPY(9, "array with odd levels"),
    COPY(10, "8-bit array with levels"),
    COPY(11, "64-bit array with levels"),
    COPY(12, "3d"),
    COPY(13, "3d with odd levels"),
    COPY(14, "128-bit 3d with levels"),
    COPY(15, "512x512"),
    COPY(16, "wide"),
    COPY(17, "d16"),
    COPY(18, "d32 array with levels"),
    COPY(19, "x8d24"),
    COPY(20, "s8"),
    COPY(21, "bc1"),
    COPY(22, "bc3 array with levels"),
    COPY(23, "bc4 odd"),
    COPY(24, "bc7 odd levels"),
    {"copy regions", case_copy_regions, NULL},
#define COPY_IMAGE(i, name)                                                                                            \
    {                                                                                                                  \
        "image copy " name, case_copy_image, &image_copies[i]                                                          \
    }
    COPY_IMAGE(0, "whole"),
    COPY_IMAGE(1, "rectangle of another format"),
    COPY_IMAGE(2, "layers"),
    COPY_IMAGE(3, "3d"),
    COPY_IMAGE(4, "3d to layers"),
    COPY_IMAGE(5, "bc1"),
    COPY_IMAGE(6, "bc7 to uint"),
    COPY_IMAGE(7, "d32"),
    COPY_IMAGE(8, "levels of layers"),
    COPY_IMAGE(9, "level to a level of another format"),
    COPY_IMAGE(10, "all blocks to uint"),
    COPY_IMAGE(11, "all of two layers"),
    COPY_IMAGE(12, "all to a wider one"),
#define BLIT(i, name)                                                                                                  \
    {                                                                                                                  \
        "blit " name, case_blit, &blits[i]                                                                             \
    }
    BLIT(0, "whole"),
    BLIT(1, "larger, nearest"),
    BLIT(2, "smaller, nearest"),
    BLIT(3, "mirrored"),
    BLIT(4, "larger, linear"),
    BLIT(5, "smaller, linear"),
    BLIT(6, "rgba to bgra"),
    BLIT(7, "unorm to half"),
    BLIT(8, "float to unorm"),
    BLIT(9, "srgb to unorm"),
    BLIT(10, "unorm to srgb"),
    BLIT(11, "half to b10g11r11"),
    BLIT(12, "uint"),
    BLIT(13, "sint"),
    BLIT(14, "unorm to r5g6b5"),
    {"blit levels", case_mip_chain, NULL},
    {"linear r8g8b8a8", case_linear, &linear_formats[0]},
    {"linear r8", case_linear, &linear_formats[1]},
    {"linear r32g32b32", case_linear, &linear_formats[3]},
    {"linear r16g16", case_linear, &linear_formats[2]},
    {"layouts of colour", case_layouts, &layout_formats[0]},
    {"layouts of depth", case_layouts, &layout_formats[1]},
};
const size_t vt_image_count = COUNT_OF(vt_image_cases);
