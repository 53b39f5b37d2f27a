/* See host_images.h. */
#include "host_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "layouts: %s\n", what);
        exit(1);
    }
}

/* ---- images ---- */

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

VkPhysicalDevice physical;
VkDevice device;
static uint64_t seed;

void set_seed(uint64_t number)
{
    seed = number * 2654435761u + 88172645463325252ull;
}

uint32_t random_below(uint32_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % count;
}

struct image choose_image(bool is_copied)
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

VkImageCreateInfo info_of(const struct image *image)
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

bool is_offered(const struct image *image)
{
    const VkImageCreateInfo info = info_of(image);
    VkImageFormatProperties limits;
    return vkGetPhysicalDeviceImageFormatProperties(physical, info.format, info.imageType, info.tiling, info.usage, 0,
                                                    &limits) == VK_SUCCESS &&
           info.mipLevels <= limits.maxMipLevels && info.arrayLayers <= limits.maxArrayLayers &&
           (info.samples & limits.sampleCounts) && info.extent.width <= limits.maxExtent.width &&
           info.extent.height <= limits.maxExtent.height && info.extent.depth <= limits.maxExtent.depth;
}

void print_image(const struct image *image, const char *what)
{
    printf("differs: format %d, type %d, tiling %d, %ux%ux%u, %u levels, %u layers, %u samples: %s\n",
           image->format->format, image->type, image->tiling, image->extent.width, image->extent.height,
           image->extent.depth, image->levels, image->layers, image->samples, what);
}

/* ---- copies ---- */

static PFN_vkCopyMemoryToImageEXT copy_to_image;
static PFN_vkTransitionImageLayoutEXT transition;

static uint32_t minify_size(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

/* Where the layout has the blocks of a slice. */
static void place_slice(const struct image *image, const struct layout *layout, unsigned level, uint32_t slice,
                        const uint8_t *texels, uint8_t *expected)
{
    const uint32_t block_B = image->format->block_B;
    const uint32_t columns = (uint32_t)div_round_up(minify_size(image->extent.width, level), image->format->block_w);
    const uint32_t rows = (uint32_t)div_round_up(minify_size(image->extent.height, level), image->format->block_h);
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < columns; x++, texels += block_B) {
            uint64_t at = layout->place(layout->surface, image, level, slice, x, y);
            need(at + block_B <= layout->compared_B, "our layout has a block outside of the image");
            memcpy(expected + at, texels, block_B);
        }
    }
}

static void copy_level(const struct image *image, const struct layout *layout, unsigned level, uint8_t *expected)
{
    const uint32_t columns = (uint32_t)div_round_up(minify_size(image->extent.width, level), image->format->block_w);
    const uint32_t rows = (uint32_t)div_round_up(minify_size(image->extent.height, level), image->format->block_h);
    const uint32_t slices = image->type == VK_IMAGE_TYPE_3D ? minify_size(image->extent.depth, level) : image->layers;
    const size_t slice_B = (size_t)columns * rows * image->format->block_B;
    uint8_t *texels = malloc(slice_B * slices);
    need(texels, "no memory");
    for (size_t i = 0; i < slice_B * slices; i++)
        texels[i] = (uint8_t)(i % 4 ? random_below(256) : i >> 8);
    const VkMemoryToImageCopyEXT region = {
        .sType = (VkStructureType)VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
        .pHostPointer = texels,
        .imageSubresource = {image->format->aspects, level, 0, image->layers},
        .imageExtent = {minify_size(image->extent.width, level), minify_size(image->extent.height, level),
                        minify_size(image->extent.depth, level)},
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
        place_slice(image, layout, level, slice, texels + slice * slice_B, expected);
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

/* The first byte that differs. */
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

bool judge_copy(struct image *image, const struct layout *layout)
{
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image->handle, &needs);
    if (needs.size != layout->size_B) {
        char what[80];
        snprintf(what, sizeof(what), "%llu bytes and not %llu", (unsigned long long)needs.size,
                 (unsigned long long)layout->size_B);
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
        copy_level(image, layout, level, expected);
    const bool is_same = same_bytes(image, map, expected, layout->compared_B);
    free(expected);
    vkFreeMemory(device, memory, NULL);
    return is_same;
}

/* ---- all of it ---- */

void create_device(bool needs_copies)
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

void count_kind(const char *kind)
{
    unsigned i = 0;
    while (kinds[i].kind && strcmp(kinds[i].kind, kind))
        i++;
    kinds[i].kind = kind;
    kinds[i].count++;
}

void print_kinds(unsigned bad)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kinds) && kinds[i].kind; i++)
        printf("%u %s, ", kinds[i].count, kinds[i].kind);
    printf("%u differ\n", bad);
}
