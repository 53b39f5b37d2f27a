/* Layouts of images as another driver has them, beside ours (src/adreno/hw/tiling). Plain C on the loader; layouts.py
 * starts it on Turnip.
 *
 *     layouts CHIP copies | numbers SEED COUNT
 *
 * copies: the processor writes random texels into tiled and linear images (VK_EXT_host_image_copy), of all levels,
 * layers and slices; then every byte of the image's memory must be where our layout puts it.
 *
 * numbers: of any image, with UBWC, samples and depth. The driver prints its layout of each image to the standard error
 * (TU_DEBUG=layout), which is read back here: offsets, pitches, sizes and flags of every level. Which tiling an image
 * has is the driver's choice, and taken from there.
 *
 * Prints a line for each image that differs, then how many were looked at, by kind. Ends with 0 when none differs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#include "adreno/hw/tiling/lrz.h"
#include "adreno/hw/tiling/surface.h"
#include "adreno/hw/tiling/tile.h"
#include "util/bits.h"

/* ---- VK_EXT_host_image_copy, which the headers of this release of Debian do not have ---- */

#ifndef VK_EXT_host_image_copy
#define VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME "VK_EXT_host_image_copy"
enum {
    VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT = 1 << 22,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT = 1000270000,
    VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT = 1000270002,
    VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT = 1000270005,
    VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT = 1000270006,
};

typedef struct {
    VkStructureType sType;
    void *pNext;
    VkBool32 hostImageCopy;
} VkPhysicalDeviceHostImageCopyFeaturesEXT;

typedef struct {
    VkStructureType sType;
    const void *pNext;
    const void *pHostPointer;
    uint32_t memoryRowLength, memoryImageHeight;
    VkImageSubresourceLayers imageSubresource;
    VkOffset3D imageOffset;
    VkExtent3D imageExtent;
} VkMemoryToImageCopyEXT;

typedef struct {
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkImage dstImage;
    VkImageLayout dstImageLayout;
    uint32_t regionCount;
    const VkMemoryToImageCopyEXT *pRegions;
} VkCopyMemoryToImageInfoEXT;

typedef struct {
    VkStructureType sType;
    const void *pNext;
    VkImage image;
    VkImageLayout oldLayout, newLayout;
    VkImageSubresourceRange subresourceRange;
} VkHostImageLayoutTransitionInfoEXT;

typedef VkResult(VKAPI_PTR *PFN_vkCopyMemoryToImageEXT)(VkDevice, const VkCopyMemoryToImageInfoEXT *);
typedef VkResult(VKAPI_PTR *PFN_vkTransitionImageLayoutEXT)(VkDevice, uint32_t,
                                                            const VkHostImageLayoutTransitionInfoEXT *);
#endif

static void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "layouts: %s\n", what);
        exit(1);
    }
}
#define CHECK(call) need((call) == VK_SUCCESS, #call)

/* ---- images ---- */

struct format {
    VkFormat format;
    uint8_t block_B, block_w, block_h;
    bool is_depth, is_two_bytes;
    VkImageAspectFlags aspects;
    bool is_copied; /* by the processor: formats without a swap, of one aspect */
};

static const struct format formats[] = {
    {VK_FORMAT_R8_UNORM, 1, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R8G8_UNORM, 2, 1, 1, false, true, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R16_SFLOAT, 2, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R16G16_UINT, 4, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R32G32_UINT, 8, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4, 4, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_BC7_UNORM_BLOCK, 16, 4, 4, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, 8, 4, 4, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_ASTC_8x5_UNORM_BLOCK, 16, 8, 5, false, false, VK_IMAGE_ASPECT_COLOR_BIT, true},
    {VK_FORMAT_D16_UNORM, 2, 1, 1, true, false, VK_IMAGE_ASPECT_DEPTH_BIT, true},
    {VK_FORMAT_D32_SFLOAT, 4, 1, 1, true, false, VK_IMAGE_ASPECT_DEPTH_BIT, true},
    {VK_FORMAT_S8_UINT, 1, 1, 1, true, false, VK_IMAGE_ASPECT_STENCIL_BIT, true},
    {VK_FORMAT_B8G8R8A8_UNORM, 4, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, false},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 1, 1, false, false, VK_IMAGE_ASPECT_COLOR_BIT, false},
    {VK_FORMAT_D24_UNORM_S8_UINT, 4, 1, 1, true, false, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, false},
};

struct image {
    const struct format *format;
    VkImageType type;
    VkImageTiling tiling;
    VkExtent3D extent;
    uint32_t levels, layers, samples;
    VkImageUsageFlags usage;
    VkImage handle;
};

static const struct adreno_chip *chip;
static VkPhysicalDevice physical;
static VkDevice device;
static uint64_t seed;

static uint32_t random_below(uint32_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % count;
}

static struct image choose_image(bool is_copied)
{
    struct image image = {.layers = 1, .levels = 1, .samples = 1, .extent = {.depth = 1}};
    const uint32_t most = is_copied ? (random_below(4) ? 300 : 1500) : (random_below(2) ? 200 : 4000);
    do
        image.format = &formats[random_below(ARRAY_SIZE(formats))];
    while (is_copied && !image.format->is_copied);
    const bool is_block = image.format->block_w > 1;
    image.type = random_below(5) || image.format->is_depth || is_block ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_3D;
    image.tiling = random_below(6) || image.format->is_depth ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR;
    image.extent.width = 1 + random_below(most);
    image.extent.height = 1 + random_below(most);
    image.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    if (is_copied)
        image.usage = VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT | VK_IMAGE_USAGE_SAMPLED_BIT;
    else if (!is_block && random_below(2))
        image.usage |=
            image.format->is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (image.type == VK_IMAGE_TYPE_3D) {
        image.extent.width = 1 + image.extent.width % 200;
        image.extent.height = 1 + image.extent.height % 200;
        image.extent.depth = 1 + random_below(40);
    } else {
        image.layers = random_below(3) ? 1 : 1 + random_below(6);
    }
    if (!is_copied && image.type == VK_IMAGE_TYPE_2D && image.tiling == VK_IMAGE_TILING_OPTIMAL && random_below(3) == 0)
        image.samples = 1u << random_below(3);
    if (image.samples > 1)
        image.usage |=
            image.format->is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    else if (image.tiling == VK_IMAGE_TILING_OPTIMAL)
        image.levels =
            1 + random_below(1 + log2_floor(MAX2(MAX2(image.extent.width, image.extent.height), image.extent.depth)));
    return image;
}

static VkImageCreateInfo info_of(const struct image *image)
{
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = image->type,
        .format = image->format->format,
        .extent = image->extent,
        .mipLevels = image->levels,
        .arrayLayers = image->layers,
        .samples = (VkSampleCountFlagBits)image->samples,
        .tiling = image->tiling,
        .usage = image->usage,
    };
}

/* Whether the driver has such images. */
static bool is_offered(const struct image *image)
{
    const VkImageCreateInfo info = info_of(image);
    VkImageFormatProperties limits;
    return vkGetPhysicalDeviceImageFormatProperties(physical, info.format, info.imageType, info.tiling, info.usage, 0,
                                                    &limits) == VK_SUCCESS &&
           info.mipLevels <= limits.maxMipLevels && info.arrayLayers <= limits.maxArrayLayers &&
           (info.samples & limits.sampleCounts) && info.extent.width <= limits.maxExtent.width &&
           info.extent.height <= limits.maxExtent.height && info.extent.depth <= limits.maxExtent.depth;
}

static struct adreno_surface_info surface_of(const struct image *image, bool is_tiled, bool has_ubwc)
{
    return (struct adreno_surface_info){
        .width = image->extent.width,
        .height = image->extent.height,
        .depth = image->extent.depth,
        .levels = image->levels,
        .layers = image->layers,
        .samples = image->samples,
        .block_B = image->format->block_B,
        .block_w = image->format->block_w,
        .block_h = image->format->block_h,
        .is_volume = image->type == VK_IMAGE_TYPE_3D,
        .is_depth = image->format->is_depth,
        .is_two_bytes = image->format->is_two_bytes && image->samples == 1,
        .is_tiled = is_tiled,
        .has_ubwc = has_ubwc,
    };
}

static void print_image(const struct image *image, const char *what)
{
    printf("differs: format %d, type %d, tiling %d, %ux%ux%u, %u levels, %u layers, %u samples: %s\n",
           image->format->format, image->type, image->tiling, image->extent.width, image->extent.height,
           image->extent.depth, image->levels, image->layers, image->samples, what);
}

/* All of an image's memory: the layout and, of depth, low-resolution depth after it. */
static uint64_t size_of(const struct image *image, const struct adreno_surface *surface)
{
    uint64_t size_B = surface->size_B;
    if (image->format->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
        size_B +=
            adreno_lrz_init(chip, image->extent.width, image->extent.height, image->samples, image->layers).size_B;
    return size_B;
}

/* ---- copies ---- */

static PFN_vkCopyMemoryToImageEXT copy_to_image;
static PFN_vkTransitionImageLayoutEXT transition;

static uint32_t minify(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

/* Where our layout has the blocks of a slice. */
static void place_slice(const struct image *image, const struct adreno_surface *surface, unsigned level, uint32_t slice,
                        const uint8_t *texels, uint8_t *expected)
{
    const struct adreno_surface_level *at = &surface->levels[level];
    const uint32_t block_B = image->format->block_B;
    const uint32_t columns = (uint32_t)div_round_up(minify(image->extent.width, level), image->format->block_w);
    const uint32_t rows = (uint32_t)div_round_up(minify(image->extent.height, level), image->format->block_h);
    uint8_t *base =
        expected + at->offset_B + slice * (image->type == VK_IMAGE_TYPE_3D ? at->slice_B : surface->layer_B);
    struct adreno_tile tile;
    if (at->is_tiled)
        tile = adreno_tile_init(chip, block_B, at->pitch_B);
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < columns; x++, texels += block_B)
            memcpy(base + (at->is_tiled ? adreno_tile_offset_B(&tile, x, y)
                                        : (uint64_t)y * at->pitch_B + (uint64_t)x * block_B),
                   texels, block_B);
    }
}

static void copy_level(const struct image *image, const struct adreno_surface *surface, unsigned level,
                       uint8_t *expected)
{
    const uint32_t columns = (uint32_t)div_round_up(minify(image->extent.width, level), image->format->block_w);
    const uint32_t rows = (uint32_t)div_round_up(minify(image->extent.height, level), image->format->block_h);
    const uint32_t slices = image->type == VK_IMAGE_TYPE_3D ? minify(image->extent.depth, level) : image->layers;
    const size_t slice_B = (size_t)columns * rows * image->format->block_B;
    uint8_t *texels = malloc(slice_B * slices);
    need(texels, "no memory");
    for (size_t i = 0; i < slice_B * slices; i++)
        texels[i] = (uint8_t)(i % 4 ? random_below(256) : i >> 8);
    const VkMemoryToImageCopyEXT region = {
        .sType = (VkStructureType)VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
        .pHostPointer = texels,
        .imageSubresource = {image->format->aspects, level, 0, image->layers},
        .imageExtent = {minify(image->extent.width, level), minify(image->extent.height, level),
                        minify(image->extent.depth, level)},
    };
    const VkCopyMemoryToImageInfoEXT info = {
        .sType = (VkStructureType)VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
        .dstImage = image->handle,
        .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .regionCount = 1,
        .pRegions = &region,
    };
    CHECK(copy_to_image(device, &info));
    for (uint32_t slice = 0; slice < slices; slice++)
        place_slice(image, surface, level, slice, texels + slice * slice_B, expected);
    free(texels);
}

static VkDeviceMemory bind_memory(const struct image *image, uint64_t size_B, void **map)
{
    VkPhysicalDeviceMemoryProperties types;
    VkDeviceMemory memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    uint32_t type = 0;
    while (type < types.memoryTypeCount &&
           !(types.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
        type++;
    need(type < types.memoryTypeCount, "no memory that the processor sees");
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size_B, .memoryTypeIndex = type};
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, map));
    CHECK(vkBindImageMemory(device, image->handle, memory, 0));
    return memory;
}

/* The first byte that differs. Low-resolution depth, whose direction a copy closes, is not looked at. */
static bool same_bytes(const struct image *image, const uint8_t *found, const uint8_t *expected, uint64_t size_B)
{
    for (uint64_t i = 0; i < size_B; i++) {
        if (found[i] != expected[i]) {
            char what[80];
            snprintf(what, sizeof(what), "byte 0x%llx is 0x%02x and not 0x%02x", (unsigned long long)i, found[i],
                     expected[i]);
            print_image(image, what);
            return false;
        }
    }
    return true;
}

static bool judge_copy(struct image *image, const char **kind_out)
{
    struct adreno_surface surface;
    const bool is_tiled = image->tiling == VK_IMAGE_TILING_OPTIMAL && !image->format->is_two_bytes;
    const struct adreno_surface_info info = surface_of(image, is_tiled, false);
    need(adreno_surface_init(&surface, chip, &info), "an image that we have no layout for");
    *kind_out = surface.levels[0].is_tiled ? image->format->block_w > 1 ? "tiled blocks" : "tiled" : "linear";
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image->handle, &needs);
    if (needs.size != size_of(image, &surface)) {
        char what[80];
        snprintf(what, sizeof(what), "%llu bytes and not %llu", (unsigned long long)needs.size,
                 (unsigned long long)size_of(image, &surface));
        print_image(image, what);
        return false;
    }
    void *map;
    VkDeviceMemory memory = bind_memory(image, needs.size, &map);
    uint8_t *expected = malloc(needs.size);
    need(expected, "no memory");
    memset(expected, 0xee, needs.size);
    memset(map, 0xee, needs.size);
    const VkHostImageLayoutTransitionInfoEXT change = {
        .sType = (VkStructureType)VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
        .image = image->handle,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .subresourceRange = {image->format->aspects, 0, image->levels, 0, image->layers},
    };
    CHECK(transition(device, 1, &change));
    for (unsigned level = 0; level < image->levels; level++)
        copy_level(image, &surface, level, expected);
    const bool is_same = same_bytes(image, map, expected, surface.size_B);
    free(expected);
    vkFreeMemory(device, memory, NULL);
    return is_same;
}

/* ---- numbers ---- */

static int kept_error, report; /* the standard error, and what stands in its place */

static void keep_error(void)
{
    char name[] = "/tmp/layouts-XXXXXX";
    kept_error = dup(2);
    report = mkstemp(name);
    need(kept_error >= 0 && report >= 0, "no file for the driver's report");
    unlink(name);
}

static void create_with_report(struct image *image, char *text, size_t size)
{
    const VkImageCreateInfo info = info_of(image);
    fflush(stderr);
    need(ftruncate(report, 0) == 0 && lseek(report, 0, SEEK_SET) == 0 && dup2(report, 2) == 2, "the report");
    const VkResult result = vkCreateImage(device, &info, NULL, &image->handle);
    fflush(stderr);
    need(dup2(kept_error, 2) == 2 && result == VK_SUCCESS, "vkCreateImage");
    const ssize_t length = pread(report, text, size - 1, 0);
    need(length > 0, "the driver prints no layout: TU_DEBUG=layout");
    text[length] = 0;
}

/* A line of the report. */
struct row {
    unsigned level, pitch_B, size_B, flag_size_B, offset_B, flag_offset_B;
    unsigned long long layer_B, flag_layer_B;
    char mode[16];
};

static unsigned read_rows(const char *text, struct row rows[ADRENO_MAX_LEVELS])
{
    unsigned count = 0;
    for (const char *line = text; line && *line && count < ADRENO_MAX_LEVELS; count++) {
        struct row *row = &rows[count];
        const char *numbers = strchr(line, '\t');
        unsigned height;
        need(numbers && sscanf(numbers,
                               "%u: stride=%u, size=%u,%u, aligned_height=%u, offset=0x%x,0x%x, layersz %llu,%llu %15s",
                               &row->level, &row->pitch_B, &row->size_B, &row->flag_size_B, &height, &row->offset_B,
                               &row->flag_offset_B, &row->layer_B, &row->flag_layer_B, row->mode) == 10,
             "a report that cannot be read");
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return count;
}

static bool same_level(const struct adreno_surface *surface, const struct row *row)
{
    const struct adreno_surface_level *level = &surface->levels[row->level];
    const bool has_flags = !strcmp(row->mode, "UBWC");
    return level->pitch_B == row->pitch_B && level->slice_B == row->size_B && level->offset_B == row->offset_B &&
           level->is_tiled == (strcmp(row->mode, "linear") != 0) &&
           (!has_flags || (level->flag_slice_B == row->flag_size_B && level->flag_offset_B == row->flag_offset_B &&
                           surface->flag_layer_B == row->flag_layer_B));
}

static bool judge_numbers(struct image *image, const char *text, const char **kind_out)
{
    struct row rows[ADRENO_MAX_LEVELS] = {{0}};
    struct adreno_surface surface;
    const unsigned count = read_rows(text, rows);
    const bool is_tiled = strcmp(rows[0].mode, "linear") != 0, has_ubwc = !strcmp(rows[0].mode, "UBWC");
    const struct adreno_surface_info info = surface_of(image, is_tiled, has_ubwc);
    *kind_out = image->samples > 1 ? has_ubwc ? "UBWC with samples" : "samples"
                : has_ubwc         ? "UBWC"
                : is_tiled         ? "tiled"
                                   : "linear";
    if (!adreno_surface_init(&surface, chip, &info) || count != surface.level_count) {
        print_image(image, text);
        return false;
    }
    bool is_same = image->type == VK_IMAGE_TYPE_3D || surface.layer_B == rows[0].layer_B;
    for (unsigned i = 0; i < count; i++)
        is_same &= same_level(&surface, &rows[i]);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image->handle, &needs);
    is_same &= needs.size == size_of(image, &surface) && needs.alignment == surface.base_align_B;
    if (!is_same)
        print_image(image, text);
    return is_same;
}

/* ---- all of it ---- */

static void create_device(bool needs_copies)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    VkInstance instance;
    uint32_t count = 1;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    need(vkEnumeratePhysicalDevices(instance, &count, &physical) >= 0 && count == 1, "no device");
    const char *extension = VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME;
    VkPhysicalDeviceHostImageCopyFeaturesEXT feature = {
        .sType = (VkStructureType)VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
        .hostImageCopy = VK_TRUE};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = needs_copies ? &feature : NULL,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = needs_copies,
                                     .ppEnabledExtensionNames = &extension};
    CHECK(vkCreateDevice(physical, &info, NULL, &device));
    copy_to_image = (PFN_vkCopyMemoryToImageEXT)vkGetDeviceProcAddr(device, "vkCopyMemoryToImageEXT");
    transition = (PFN_vkTransitionImageLayoutEXT)vkGetDeviceProcAddr(device, "vkTransitionImageLayoutEXT");
    need(!needs_copies || (copy_to_image && transition), "no VK_EXT_host_image_copy");
}

static struct {
    const char *kind;
    unsigned count;
} kinds[8];

static void count_kind(const char *kind)
{
    unsigned i = 0;
    while (kinds[i].kind && strcmp(kinds[i].kind, kind))
        i++;
    kinds[i].kind = kind;
    kinds[i].count++;
}

int main(int argc, char **argv)
{
    static char text[16384];
    need(argc == 5, "layouts CHIP copies | numbers SEED COUNT");
    const bool is_copied = !strcmp(argv[2], "copies");
    const unsigned total = (unsigned)strtoul(argv[4], NULL, 0);
    unsigned bad = 0;
    chip = adreno_chip_find(argv[1]);
    need(chip, "no such chip");
    seed = strtoull(argv[3], NULL, 0) * 2654435761u + 88172645463325252ull;
    create_device(is_copied);
    keep_error();
    for (unsigned i = 0; i < total;) {
        struct image image = choose_image(is_copied);
        const char *kind;
        if (!is_offered(&image))
            continue;
        if (is_copied) {
            const VkImageCreateInfo info = info_of(&image);
            CHECK(vkCreateImage(device, &info, NULL, &image.handle));
        } else {
            create_with_report(&image, text, sizeof(text));
        }
        bad += !(is_copied ? judge_copy(&image, &kind) : judge_numbers(&image, text, &kind));
        vkDestroyImage(device, image.handle, NULL);
        count_kind(kind);
        i++;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(kinds) && kinds[i].kind; i++)
        printf("%u %s, ", kinds[i].count, kinds[i].kind);
    printf("%u differ\n", bad);
    return bad ? 1 : 0;
}
