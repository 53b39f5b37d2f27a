/* Prints what a driver says about images, for image_table.py to compare between drivers: the features of every format,
 * and for a fixed list of images their size, alignment and memory types, with the layouts of linear ones and of those
 * with a modifier. Nothing is allocated and nothing runs.
 *
 *     format NUMBER linear optimal buffer
 *     modifiers NUMBER modifier:features …
 *     image GROUP DESCRIPTION: size alignment types | offset size row array depth, for each subresource
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define RANDOM_IMAGES 2000

#define READ (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
#define TARGET VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
#define DEPTH VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
#define STORAGE VK_IMAGE_USAGE_STORAGE_BIT

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static bool has_modifiers;

static void check_result(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "image_table: %s: %d\n", what, result);
    exit(1);
}

static bool has_extension(const char *name)
{
    static VkExtensionProperties all[512];
    uint32_t count = COUNT_OF(all);
    check_result(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, all),
                 "vkEnumerateDeviceExtensionProperties");
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(all[i].extensionName, name))
            return true;
    }
    return false;
}

static void open_device(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pApplicationInfo = &application};
    check_result(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    check_result(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices");
    if (!count) {
        fprintf(stderr, "image_table: no device\n");
        exit(1);
    }
    static const char *const sharing = VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME;
    has_modifiers = has_extension(sharing);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue,
                                      .enabledExtensionCount = has_modifiers,
                                      .ppEnabledExtensionNames = &sharing};
    check_result(vkCreateDevice(physical, &device_info, NULL, &device), "vkCreateDevice");
}

/* ---- one image ---- */

static void print_layout(VkImage image, VkImageAspectFlags aspect, uint32_t level, uint32_t layer)
{
    VkImageSubresource subresource = {aspect, level, layer};
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(device, image, &subresource, &layout);
    printf(" | %" PRIu64 " %" PRIu64 " %" PRIu64, layout.offset, layout.size, layout.rowPitch);
    printf(" %" PRIu64 " %" PRIu64, layout.arrayPitch, layout.depthPitch);
}

static unsigned plane_count(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
        return 3;
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_422_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_444_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_444_UNORM:
        return 2;
    default:
        return 1;
    }
}

static bool is_supported(const VkImageCreateInfo *info)
{
    VkPhysicalDeviceImageFormatInfo2 query = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                              .format = info->format,
                                              .type = info->imageType,
                                              .tiling = info->tiling,
                                              .usage = info->usage,
                                              .flags = info->flags};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    if (vkGetPhysicalDeviceImageFormatProperties2(physical, &query, &limits) != VK_SUCCESS)
        return false;
    const VkImageFormatProperties *most = &limits.imageFormatProperties;
    return info->extent.width <= most->maxExtent.width && info->extent.height <= most->maxExtent.height &&
           info->extent.depth <= most->maxExtent.depth && info->mipLevels <= most->maxMipLevels &&
           info->arrayLayers <= most->maxArrayLayers && info->samples & most->sampleCounts;
}

static void print_linear(VkImage image, const VkImageCreateInfo *info)
{
    unsigned planes = plane_count(info->format);
    for (unsigned plane = 0; plane < planes; plane++) {
        VkImageAspectFlags aspect = planes > 1 ? VK_IMAGE_ASPECT_PLANE_0_BIT << plane : VK_IMAGE_ASPECT_COLOR_BIT;
        for (uint32_t level = 0; level < info->mipLevels; level++) {
            print_layout(image, aspect, level, 0);
            if (info->arrayLayers > 1)
                print_layout(image, aspect, level, info->arrayLayers - 1);
        }
    }
}

static VkMemoryRequirements requirements_of(VkImage image, bool is_disjoint, unsigned plane)
{
    VkImagePlaneMemoryRequirementsInfo of_plane = {.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
                                                   .planeAspect = VK_IMAGE_ASPECT_PLANE_0_BIT << plane};
    VkImageMemoryRequirementsInfo2 info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                           .pNext = is_disjoint ? &of_plane : NULL,
                                           .image = image};
    VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetImageMemoryRequirements2(device, &info, &requirements);
    return requirements.memoryRequirements;
}

static void try_image(const char *group, const VkImageCreateInfo *info)
{
    const VkImageFormatListCreateInfo *list = info->pNext;
    printf("image %s format %d type %d %ux%ux%u levels %u layers %u samples %d tiling %d usage 0x%x flags 0x%x", group,
           info->format, info->imageType, info->extent.width, info->extent.height, info->extent.depth, info->mipLevels,
           info->arrayLayers, info->samples, info->tiling, info->usage, info->flags);
    if (list)
        printf(" viewed as %d", list->pViewFormats[1]);
    printf(":");
    VkImage image;
    if (!is_supported(info)) {
        printf(" unsupported\n");
        return;
    }
    check_result(vkCreateImage(device, info, NULL, &image), "vkCreateImage");
    const bool is_disjoint = info->flags & VK_IMAGE_CREATE_DISJOINT_BIT; /* each plane has memory of its own */
    for (unsigned plane = 0; plane < (is_disjoint ? plane_count(info->format) : 1); plane++) {
        const VkMemoryRequirements requirements = requirements_of(image, is_disjoint, plane);
        printf(" %" PRIu64 " %" PRIu64 " 0x%x", requirements.size, requirements.alignment, requirements.memoryTypeBits);
    }
    if (info->tiling == VK_IMAGE_TILING_LINEAR)
        print_linear(image, info);
    printf("\n");
    vkDestroyImage(device, image, NULL);
}

static uint32_t full_chain(VkExtent3D extent)
{
    uint32_t most = extent.width, levels = 1;
    most = extent.height > most ? extent.height : most;
    most = extent.depth > most ? extent.depth : most;
    for (; most > 1; most /= 2)
        levels++;
    return levels;
}

static VkImageCreateInfo image_info(VkFormat format, VkImageType type, VkExtent3D extent, uint32_t levels,
                                    uint32_t layers)
{
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = type,
        .format = format,
        .extent = extent,
        .mipLevels = levels,
        .arrayLayers = layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = READ,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
}

static bool is_depth(VkFormat format)
{
    return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}

/* ---- the list ---- */

static const VkFormat shape_formats[] = {
    VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8G8_UNORM,
    VK_FORMAT_R8G8B8A8_UNORM,
    VK_FORMAT_R16G16B16A16_SFLOAT,
    VK_FORMAT_R32G32B32A32_SFLOAT,
    VK_FORMAT_R32_UINT,
    VK_FORMAT_BC1_RGB_UNORM_BLOCK,
    VK_FORMAT_BC7_UNORM_BLOCK,
    VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK,
    VK_FORMAT_ASTC_8x5_UNORM_BLOCK,
    VK_FORMAT_D16_UNORM,
    VK_FORMAT_D32_SFLOAT,
    VK_FORMAT_D32_SFLOAT_S8_UINT,
    VK_FORMAT_D16_UNORM_S8_UINT,
    VK_FORMAT_S8_UINT,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
};

/* Of a device without the extension, none. */
static void print_modifiers(int number)
{
    VkDrmFormatModifierPropertiesEXT modifiers[64];
    VkDrmFormatModifierPropertiesListEXT list = {.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
                                                 .drmFormatModifierCount = COUNT_OF(modifiers),
                                                 .pDrmFormatModifierProperties = modifiers};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
    vkGetPhysicalDeviceFormatProperties2(physical, (VkFormat)number, &properties);
    printf("modifiers %d", number);
    for (uint32_t i = 0; i < list.drmFormatModifierCount; i++)
        printf(" 0x%" PRIx64 ":0x%x", modifiers[i].drmFormatModifier, modifiers[i].drmFormatModifierTilingFeatures);
    printf("\n");
}

static void formats(int first, int last)
{
    for (int number = first; number <= last; number++) {
        VkFormatProperties3 wide = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
        VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &wide};
        vkGetPhysicalDeviceFormatProperties2(physical, (VkFormat)number, &properties);
        printf("format %d 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", number, (uint64_t)wide.linearTilingFeatures,
               (uint64_t)wide.optimalTilingFeatures, (uint64_t)wide.bufferFeatures);
        print_modifiers(number);
        VkImageCreateInfo info = image_info((VkFormat)number, VK_IMAGE_TYPE_2D, (VkExtent3D){100, 60, 1}, 1, 1);
        try_image("format", &info);
        info.tiling = VK_IMAGE_TILING_LINEAR;
        try_image("format", &info);
        info = image_info((VkFormat)number, VK_IMAGE_TYPE_2D, (VkExtent3D){600, 601, 1}, 1, 1);
        info.usage |= is_depth((VkFormat)number) ? DEPTH : TARGET;
        try_image("format", &info);
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
        try_image("format", &info);
        info = image_info((VkFormat)number, VK_IMAGE_TYPE_2D, (VkExtent3D){100, 60, 1}, 1, 1);
        info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
        if (plane_count((VkFormat)number) > 1)
            try_image("format", &info);
    }
}

static void lines(VkFormat format)
{
    static const uint32_t widths[] = {1, 5, 63, 300, 4000, 16384};
    for (unsigned i = 0; i < COUNT_OF(widths); i++) {
        VkExtent3D extent = {widths[i], 1, 1};
        for (unsigned kind = 0; kind < 4; kind++) {
            VkImageCreateInfo info =
                image_info(format, VK_IMAGE_TYPE_1D, extent, kind & 1 ? full_chain(extent) : 1, kind & 2 ? 5 : 1);
            try_image("1D", &info);
        }
    }
}

static void planes(VkFormat format)
{
    static const VkExtent3D extents[] = {
        {1, 1, 1},     {7, 3, 1},       {16, 16, 1},     {33, 65, 1},   {64, 64, 1},   {100, 1, 1},
        {16384, 1, 1}, {1, 700, 1},     {300, 4, 1},     {256, 256, 1}, {513, 511, 1}, {1000, 1000, 1},
        {2048, 16, 1}, {1920, 1080, 1}, {4096, 4096, 1}, {257, 128, 1}, {128, 64, 1},  {129, 65, 1},
    };
    for (unsigned i = 0; i < COUNT_OF(extents); i++) {
        for (unsigned kind = 0; kind < 8; kind++) {
            static const uint32_t layers[] = {1, 6, 33, 1};
            VkImageCreateInfo info = image_info(format, VK_IMAGE_TYPE_2D, extents[i],
                                                kind & 1 ? full_chain(extents[i]) : 1, layers[kind / 2]);
            if (kind >= 6)
                info.usage |= is_depth(format) ? DEPTH : TARGET;
            if (extents[i].width == 4096 && info.arrayLayers > 6) /* RADV's offset of the stencil would overflow */
                continue;
            try_image("2D", &info);
        }
    }
}

static void samples(VkFormat format)
{
    static const VkExtent3D extents[] = {{1, 1, 1}, {33, 65, 1}, {64, 64, 1}, {640, 480, 1}, {1921, 1081, 1}};
    for (unsigned i = 0; i < COUNT_OF(extents); i++) {
        for (uint32_t count = 2; count <= 8; count *= 2) {
            for (unsigned kind = 0; kind < 4; kind++) {
                VkImageCreateInfo info = image_info(format, VK_IMAGE_TYPE_2D, extents[i], 1, kind & 1 ? 3 : 1);
                info.samples = (VkSampleCountFlagBits)count;
                info.usage = is_depth(format) ? DEPTH : TARGET;
                if (kind & 2)
                    info.usage |= READ;
                try_image("samples", &info);
            }
        }
    }
}

static void volumes(VkFormat format)
{
    static const VkExtent3D extents[] = {{1, 1, 1},      {8, 8, 8},     {33, 17, 5},  {64, 64, 64},  {100, 1, 20},
                                         {256, 256, 16}, {600, 600, 1}, {20, 30, 1},  {128, 128, 2}, {700, 500, 3},
                                         {1, 1, 300},    {1030, 1, 1},  {17, 129, 33}};
    for (unsigned i = 0; i < COUNT_OF(extents); i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            VkImageCreateInfo info =
                image_info(format, VK_IMAGE_TYPE_3D, extents[i], kind & 1 ? full_chain(extents[i]) : 1, 1);
            if (kind & 2)
                info.usage |= TARGET;
            try_image("3D", &info);
        }
    }
}

static void linear(VkFormat format)
{
    static const VkExtent3D extents[] = {{1, 1, 1},     {33, 65, 1},  {100, 70, 1},
                                         {513, 511, 1}, {40, 30, 20}, {300, 1, 1}};
    for (unsigned i = 0; i < COUNT_OF(extents); i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            VkImageType type = extents[i].depth > 1 ? VK_IMAGE_TYPE_3D : i == 5 ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D;
            VkImageCreateInfo info = image_info(format, type, extents[i], kind & 1 ? full_chain(extents[i]) : 1,
                                                kind & 2 && type != VK_IMAGE_TYPE_3D ? 3 : 1);
            info.tiling = VK_IMAGE_TILING_LINEAR;
            try_image("linear", &info);
        }
    }
}

/* ---- modifiers ---- */

static bool is_shareable(const VkImageCreateInfo *info, uint64_t modifier)
{
    VkPhysicalDeviceImageDrmFormatModifierInfoEXT of = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT, .drmFormatModifier = modifier};
    VkPhysicalDeviceImageFormatInfo2 query = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                              .pNext = &of,
                                              .format = info->format,
                                              .type = info->imageType,
                                              .tiling = info->tiling,
                                              .usage = info->usage};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    return vkGetPhysicalDeviceImageFormatProperties2(physical, &query, &limits) == VK_SUCCESS;
}

static void try_modifier(const VkImageCreateInfo *base, uint64_t modifier)
{
    VkImageDrmFormatModifierListCreateInfoEXT list = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
        .drmFormatModifierCount = 1,
        .pDrmFormatModifiers = &modifier};
    VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                .pNext = &list,
                                                .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
    VkImageCreateInfo info = *base;
    info.pNext = &external;
    printf("image modifier 0x%" PRIx64 " format %d %ux%u usage 0x%x:", modifier, info.format, info.extent.width,
           info.extent.height, info.usage);
    if (!is_shareable(&info, modifier)) {
        printf(" unsupported\n");
        return;
    }
    VkImage image;
    check_result(vkCreateImage(device, &info, NULL, &image), "vkCreateImage");
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(device, image, &requirements);
    printf(" %" PRIu64 " %" PRIu64 " 0x%x", requirements.size, requirements.alignment, requirements.memoryTypeBits);
    print_layout(image, VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0);
    printf("\n");
    vkDestroyImage(device, image, NULL);
}

static void shared(VkFormat format)
{
    static const VkExtent3D extents[] = {{1, 1, 1},     {16, 4, 1},    {33, 65, 1},     {100, 60, 1},    {256, 256, 1},
                                         {513, 511, 1}, {640, 480, 1}, {1920, 1080, 1}, {3840, 2160, 1}, {4095, 17, 1}};
    VkDrmFormatModifierPropertiesEXT modifiers[64];
    VkDrmFormatModifierPropertiesListEXT list = {.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
                                                 .drmFormatModifierCount = COUNT_OF(modifiers),
                                                 .pDrmFormatModifierProperties = modifiers};
    VkFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
    vkGetPhysicalDeviceFormatProperties2(physical, format, &properties);
    for (uint32_t m = 0; has_modifiers && m < list.drmFormatModifierCount; m++) {
        for (unsigned i = 0; i < COUNT_OF(extents); i++) {
            VkImageCreateInfo info = image_info(format, VK_IMAGE_TYPE_2D, extents[i], 1, 1);
            info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
            if (i & 1)
                info.usage |= TARGET;
            try_modifier(&info, modifiers[m].drmFormatModifier);
        }
    }
}

/* Which views there may be decides about compression. */
static void views(void)
{
    static const VkFormat views[][2] = {
        {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SINT},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_UINT},
        {VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16_UINT},
        {VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16_UINT},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UINT_PACK32},
    };
    for (unsigned i = 0; i < COUNT_OF(views); i++) {
        for (unsigned kind = 0; kind < 2; kind++) {
            VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                                .viewFormatCount = 2,
                                                .pViewFormats = views[i]};
            VkImageCreateInfo info = image_info(views[i][0], VK_IMAGE_TYPE_2D, (VkExtent3D){1024, 1024, 1}, 1, 1);
            info.pNext = &list;
            info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
            info.usage |= TARGET | (kind ? STORAGE : 0);
            try_image("views", &info);
        }
    }
}

/* ---- anything ---- */

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % limit);
}

/* Small numbers more often than large ones. */
static uint32_t random_extent(unsigned bits)
{
    return 1 + random_below(1u << (1 + random_below(bits)));
}

static void random_image(void)
{
    static const VkImageUsageFlags usages[] = {READ,    READ | TARGET, READ | TARGET | STORAGE,
                                               STORAGE, TARGET,        VK_IMAGE_USAGE_SAMPLED_BIT};
    VkFormat format = (VkFormat)(1 + random_below(VK_FORMAT_BC7_SRGB_BLOCK));
    VkImageType type = (VkImageType)random_below(3);
    VkExtent3D extent = {random_extent(12), type == VK_IMAGE_TYPE_1D ? 1 : random_extent(12),
                         type == VK_IMAGE_TYPE_3D ? random_extent(8) : 1};
    uint32_t levels = 1 + random_below(full_chain(extent));
    uint32_t layers = type == VK_IMAGE_TYPE_3D || random_below(2) ? 1 : random_extent(6);
    VkImageCreateInfo info = image_info(format, type, extent, levels, layers);
    info.usage = usages[random_below(COUNT_OF(usages))];
    if (is_depth(format)) {
        info.usage = random_below(2) ? DEPTH : DEPTH | READ;
        info.imageType = VK_IMAGE_TYPE_2D;
        info.extent.depth = 1;
        if (info.mipLevels > full_chain(info.extent))
            info.mipLevels = full_chain(info.extent);
    }
    if (!random_below(5))
        info.tiling = VK_IMAGE_TILING_LINEAR;
    else if (info.imageType == VK_IMAGE_TYPE_2D && !random_below(3)) {
        info.samples = (VkSampleCountFlagBits)(2u << random_below(3));
        info.mipLevels = 1;
    }
    if (!random_below(8))
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    try_image("random", &info);
}

int main(void)
{
    open_device();
    formats(VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_ASTC_12x12_SRGB_BLOCK);
    formats(VK_FORMAT_G8B8G8R8_422_UNORM, VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM);
    formats(VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM);
    formats(VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16);
    for (unsigned i = 0; i < COUNT_OF(shape_formats); i++) {
        lines(shape_formats[i]);
        planes(shape_formats[i]);
        samples(shape_formats[i]);
        volumes(shape_formats[i]);
        linear(shape_formats[i]);
        shared(shape_formats[i]);
    }
    views();
    for (unsigned i = 0; i < RANDOM_IMAGES; i++)
        random_image();
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
