/* Images of several planes, sampled through a Y'CbCr conversion: what the shader gets is computed here from the planes'
 * bytes by the specification's steps. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cases/descriptor/db.h"
#include "shaders/ycbcr_look.h"

#define WIDTH 8
#define HEIGHT 6
#define LOOKS 64

struct ycbcr_test {
    VkFormat format;
    VkSamplerYcbcrModelConversion model;
    VkSamplerYcbcrRange range;
    VkChromaLocation sited;
    VkFilter filter;
    bool disjoint;
    uint32_t layer; /* the last of an array; 0: no array */
    bool in_buffer; /* descriptors */
};

struct ycbcr_format {
    uint32_t planes, divide_x, divide_y, channel_B;
    uint32_t bits; /* the upper ones of a channel */
};

static struct ycbcr_format format_of(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
        return (struct ycbcr_format){3, 2, 2, 1, 8};
    case VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM:
        return (struct ycbcr_format){3, 2, 2, 2, 16};
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
        return (struct ycbcr_format){3, 2, 1, 1, 8};
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
        return (struct ycbcr_format){3, 1, 1, 1, 8};
    case VK_FORMAT_G8_B8R8_2PLANE_444_UNORM:
        return (struct ycbcr_format){2, 1, 1, 1, 8};
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16:
        return (struct ycbcr_format){2, 1, 1, 2, 10};
    case VK_FORMAT_G16_B16R16_2PLANE_420_UNORM:
        return (struct ycbcr_format){2, 2, 2, 2, 16};
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16:
        return (struct ycbcr_format){2, 2, 2, 2, 10};
    default:
        return (struct ycbcr_format){2, 2, 2, 1, 8};
    }
}

/* ---- objects ---- */

#define DESTROYER(name, type, call)                                                                                    \
    static void name(struct vt *vt, uint64_t handle)                                                                   \
    {                                                                                                                  \
        call(vt->device, (type)handle, NULL);                                                                          \
    }
DESTROYER(destroy_conversion, VkSamplerYcbcrConversion, vkDestroySamplerYcbcrConversion)
DESTROYER(destroy_sampler, VkSampler, vkDestroySampler)
DESTROYER(destroy_image, VkImage, vkDestroyImage)
DESTROYER(destroy_view, VkImageView, vkDestroyImageView)
DESTROYER(free_memory, VkDeviceMemory, vkFreeMemory)
DESTROYER(destroy_set_layout, VkDescriptorSetLayout, vkDestroyDescriptorSetLayout)
DESTROYER(destroy_pool, VkDescriptorPool, vkDestroyDescriptorPool)
DESTROYER(destroy_pipeline, VkPipeline, vkDestroyPipeline)

static VkSamplerYcbcrConversion make_conversion(struct vt *vt, const struct ycbcr_test *test)
{
    VkSamplerYcbcrConversion conversion;
    VkSamplerYcbcrConversionCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
                                               .format = test->format,
                                               .ycbcrModel = test->model,
                                               .ycbcrRange = test->range,
                                               .xChromaOffset = test->sited,
                                               .yChromaOffset = test->sited,
                                               .chromaFilter = test->filter};
    VT_CHECK(vt, vkCreateSamplerYcbcrConversion(vt->device, &info, NULL, &conversion));
    vt_defer(vt, destroy_conversion, (uint64_t)conversion);
    return conversion;
}

static VkSampler make_sampler(struct vt *vt, VkSamplerYcbcrConversion conversion, VkFilter filter)
{
    VkSampler sampler;
    VkSamplerYcbcrConversionInfo chain = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
                                          .conversion = conversion};
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .pNext = &chain,
                                .magFilter = filter,
                                .minFilter = filter,
                                .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    VT_CHECK(vt, vkCreateSampler(vt->device, &info, NULL, &sampler));
    vt_defer(vt, destroy_sampler, (uint64_t)sampler);
    return sampler;
}

/* Memory of the first type that is allowed, for the image or for one of its planes. */
static VkDeviceMemory allocate_memory(struct vt *vt, VkImage image, VkImageAspectFlagBits plane)
{
    VkImagePlaneMemoryRequirementsInfo plane_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
                                                     .planeAspect = plane};
    VkImageMemoryRequirementsInfo2 query = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                            .pNext = plane ? &plane_info : NULL,
                                            .image = image};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetImageMemoryRequirements2(vt->device, &query, &needs);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.memoryRequirements.size,
                                 .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryRequirements.memoryTypeBits)};
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &info, NULL, &memory));
    vt_defer(vt, free_memory, (uint64_t)memory);
    return memory;
}

/* The planes of a disjoint image are bound in one call; all images else have one memory. */
static void bind_memories(struct vt *vt, VkImage image, bool disjoint, const VkDeviceMemory *memories, uint32_t count)
{
    VkBindImagePlaneMemoryInfo plane[3];
    VkBindImageMemoryInfo infos[3];
    for (uint32_t i = 0; i < count; i++) {
        VkImageAspectFlagBits aspect = disjoint ? VK_IMAGE_ASPECT_PLANE_0_BIT << i : 0;
        plane[i] = (VkBindImagePlaneMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
                                                .planeAspect = aspect};
        infos[i] = (VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                           .pNext = disjoint ? &plane[i] : NULL,
                                           .image = image,
                                           .memory = memories[i]};
    }
    VT_CHECK(vt, vkBindImageMemory2(vt->device, count, infos));
}

static void bind_planes(struct vt *vt, VkImage image, bool disjoint, uint32_t planes)
{
    VkDeviceMemory memories[3] = {0};
    const uint32_t count = disjoint ? planes : 1;
    for (uint32_t i = 0; i < count; i++)
        memories[i] = allocate_memory(vt, image, disjoint ? VK_IMAGE_ASPECT_PLANE_0_BIT << i : 0);
    bind_memories(vt, image, disjoint, memories, count);
}

static VkImage make_image(struct vt *vt, const struct ycbcr_test *test, uint32_t planes)
{
    VkImage image;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = test->disjoint ? VK_IMAGE_CREATE_DISJOINT_BIT : 0,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = test->format,
                              .extent = {WIDTH, HEIGHT, 1},
                              .mipLevels = 1,
                              .arrayLayers = test->layer + 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &image));
    bind_planes(vt, image, test->disjoint, planes);
    vt_defer(vt, destroy_image, (uint64_t)image);
    return image;
}

static VkImageView make_view(struct vt *vt, VkImage image, const struct ycbcr_test *test,
                             VkSamplerYcbcrConversion conversion)
{
    VkImageView view;
    VkSamplerYcbcrConversionInfo chain = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
                                          .conversion = conversion};
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .pNext = &chain,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = test->format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, test->layer, 1}};
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &view));
    vt_defer(vt, destroy_view, (uint64_t)view);
    return view;
}

struct sampling {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSet set;
};

static void make_set(struct vt *vt, struct sampling *sampling, VkSampler sampler, VkImageView view, VkBuffer places,
                     VkBuffer colors)
{
    /* A combined descriptor of three planes may count as three. */
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3}};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &sampling->set_layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &sampling->set));
    VkDescriptorBufferInfo buffers[2] = {{places, 0, VK_WHOLE_SIZE}, {colors, 0, VK_WHOLE_SIZE}};
    VkDescriptorImageInfo image = {sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = sampling->set,
                                       .descriptorCount = 2,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .pBufferInfo = buffers},
                                      {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = sampling->set,
                                       .dstBinding = 2,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                       .pImageInfo = &image}};
    vkUpdateDescriptorSets(vt->device, 2, writes, 0, NULL);
}

/* Descriptors in a descriptor buffer: the image takes as many as the format says. */
static void make_buffer(struct vt *vt, struct db *db, const struct sampling *sampling, const struct ycbcr_test *test,
                        const VkDescriptorImageInfo *image, const struct vt_buffer buffers[2])
{
    VkSamplerYcbcrConversionImageFormatProperties count = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &count};
    const VkPhysicalDeviceImageFormatInfo2 question = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                       .format = test->format,
                                                       .type = VK_IMAGE_TYPE_2D,
                                                       .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                                VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VT_CHECK(vt, vkGetPhysicalDeviceImageFormatProperties2(vt->physical, &question, &limits));
    const struct db_binding bindings[2] = {DB_ONE(DB_STORAGE(buffers[0])), DB_ONE(DB_STORAGE(buffers[1]))};
    struct db_set set = db_place(db, db_memory(db, 4096, DB_ALL), sampling->set_layout);
    db_write(db, db_map(db, &set), set.layout, bindings, 2);
    VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                   .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                   .data = {.pCombinedImageSampler = image}};
    VkDeviceSize offset_B;
    db->get_offset(vt->device, set.layout, 2, &offset_B);
    db->get(vt->device, &info, db->sizes.combinedImageSamplerDescriptorSize * count.combinedImageSamplerDescriptorCount,
            (char *)db_map(db, &set) + offset_B);
}

static struct sampling make_sampling(struct vt *vt, VkSampler sampler, bool in_buffer)
{
    struct sampling sampling;
    VkDescriptorSetLayoutBinding bindings[3] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, &sampler}};
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = in_buffer ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0,
        .bindingCount = 3,
        .pBindings = bindings};
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &set_info, NULL, &sampling.set_layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)sampling.set_layout);
    sampling.layout = vt_pipeline_layout(vt, &sampling.set_layout, 1);
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = in_buffer ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = vt_module(vt, VT_SPIRV(ycbcr_look)),
                                                  .pName = "main"},
                                        .layout = sampling.layout};
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &sampling.pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)sampling.pipeline);
    return sampling;
}

/* ---- what is expected ---- */

struct plane {
    uint32_t width, height, channels;
    uint8_t bytes[WIDTH * HEIGHT * 4];
};

static double texel(const struct plane *plane, const struct ycbcr_format *format, int x, int y, uint32_t channel)
{
    x = x < 0 ? 0 : x >= (int)plane->width ? (int)plane->width - 1 : x;
    y = y < 0 ? 0 : y >= (int)plane->height ? (int)plane->height - 1 : y;
    uint32_t place = ((uint32_t)y * plane->width + (uint32_t)x) * plane->channels + channel,
             bits = format->channel_B * 8;
    const uint8_t *at = plane->bytes + place * format->channel_B;
    uint32_t word = format->channel_B == 1 ? at[0] : (uint32_t)(at[0] | at[1] << 8);
    return (word >> (bits - format->bits)) / (double)((1u << format->bits) - 1);
}

/* At a place in the plane's own texels, whose centres are at a half. */
static double filtered(const struct plane *plane, const struct ycbcr_format *format, double x, double y,
                       uint32_t channel, VkFilter filter)
{
    if (filter == VK_FILTER_NEAREST)
        return texel(plane, format, (int)floor(x), (int)floor(y), channel);
    double left = floor(x - 0.5), top = floor(y - 0.5), a = x - 0.5 - left, b = y - 0.5 - top, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) *
               texel(plane, format, (int)left + (k & 1), (int)top + (k >> 1), channel);
    return sum;
}

static void convert_color(const struct ycbcr_test *test, uint32_t bits, const double raw[3], double color[3])
{
    double r = raw[0], g = raw[1], b = raw[2], most = (double)(1u << bits) - 1, unit = (double)(1u << (bits - 8));
    if (test->model != VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY) {
        if (test->range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
            r -= (double)(1u << (bits - 1)) / most;
            b -= (double)(1u << (bits - 1)) / most;
        } else {
            g = (g * most - 16 * unit) / (219 * unit);
            r = (r * most - 128 * unit) / (224 * unit);
            b = (b * most - 128 * unit) / (224 * unit);
        }
    }
    double kr = test->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709 ? 0.2126 : 0.299;
    double kb = test->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709 ? 0.0722 : 0.114;
    bool to_rgb = test->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709 ||
                  test->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601;
    color[0] = to_rgb ? g + 2 * (1 - kr) * r : r;
    color[1] = to_rgb ? g - 2 * (1 - kb) * kb / (1 - kr - kb) * b - 2 * (1 - kr) * kr / (1 - kr - kb) * r : g;
    color[2] = to_rgb ? g + 2 * (1 - kb) * b : b;
}

/* ---- cases ---- */

static void require_conversion(struct vt *vt, const struct ycbcr_test *test)
{
    if (!vt->features11.samplerYcbcrConversion)
        vt_skip(vt, "no Y'CbCr conversion");
    if (test->layer && !vt->has[VT_YCBCR_IMAGE_ARRAYS])
        vt_skip(vt, "no arrays of such images");
    bool new = test->format == VK_FORMAT_G8_B8R8_2PLANE_444_UNORM ||
               test->format == VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16;
    if (new && !vt->has[VT_YCBCR_2PLANE_444])
        vt_skip(vt, "no VK_EXT_ycbcr_2plane_444_formats");
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, test->format, &properties);
    VkFormatFeatureFlags wanted = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    wanted |= test->sited == VK_CHROMA_LOCATION_MIDPOINT ? VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT
                                                         : VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT;
    if (test->filter == VK_FILTER_LINEAR)
        wanted |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
                  VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (test->disjoint)
        wanted |= VK_FORMAT_FEATURE_DISJOINT_BIT;
    if ((properties.optimalTilingFeatures & wanted) != wanted)
        vt_skip(vt, "the format cannot do this");
}

static void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

static void fill_planes(const struct ycbcr_format *format, struct plane planes[3])
{
    uint64_t seed = 17;
    for (uint32_t p = 0; p < format->planes; p++) {
        planes[p].width = p ? WIDTH / format->divide_x : WIDTH;
        planes[p].height = p ? HEIGHT / format->divide_y : HEIGHT;
        planes[p].channels = p && format->planes == 2 ? 2 : 1;
        for (uint32_t i = 0; i < planes[p].width * planes[p].height * planes[p].channels * format->channel_B; i++)
            planes[p].bytes[i] = (uint8_t)(vt_random(&seed) & (format->bits == 10 && !(i & 1) ? 0xc0 : 0xff));
    }
}

/* In the layers before, the planes of the last one stand turned over. */
static void upload_planes(struct vt *vt, VkCommandBuffer commands, VkImage image, const struct plane planes[3],
                          uint32_t count, uint32_t layer)
{
    for (uint32_t p = 0; p < count; p++) {
        uint8_t wrong[sizeof(planes[p].bytes)];
        for (uint32_t i = 0; i < sizeof(wrong); i++)
            wrong[i] = (uint8_t)~planes[p].bytes[i];
        struct vt_buffer others = vt_buffer(vt, sizeof(wrong), wrong);
        for (uint32_t before = 0; before < layer; before++) {
            VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT << p, 0, before, 1},
                                        .imageExtent = {planes[p].width, planes[p].height, 1}};
            vkCmdCopyBufferToImage(commands, others.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        }
        struct vt_buffer bytes = vt_buffer(vt, sizeof(planes[p].bytes), planes[p].bytes);
        VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT << p, 0, layer, 1},
                                    .imageExtent = {planes[p].width, planes[p].height, 1}};
        vkCmdCopyBufferToImage(commands, bytes.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
}

static void case_ycbcr(struct vt *vt, const void *argument)
{
    const struct ycbcr_test *test = argument;
    struct ycbcr_format format = format_of(test->format);
    require_conversion(vt, test);
    struct db db;
    if (test->in_buffer)
        db_open(&db, vt);
    if (test->in_buffer && vt->is_validated)
        vt_skip(vt, "older layers know one descriptor for all planes");
    if (test->in_buffer && vt->driver == VK_DRIVER_ID_MESA_RADV &&
        vt->properties.driverVersion < VK_MAKE_API_VERSION(0, 26, 0, 0))
        vt_skip(vt, "older RADVs write no third plane");
    struct plane planes[3];
    fill_planes(&format, planes);
    VkSamplerYcbcrConversion conversion = make_conversion(vt, test);
    VkSampler sampler = make_sampler(vt, conversion, test->filter);
    VkImage image = make_image(vt, test, format.planes);
    float places[LOOKS][3][4] = {0};
    for (uint32_t i = 0; i < LOOKS; i++)
        places[i][0][0] = ((float)(i % WIDTH) + 0.5f) / WIDTH,
        places[i][0][1] = ((float)(i / WIDTH % HEIGHT) + 0.5f) / HEIGHT;
    struct vt_buffer in = vt_buffer(vt, sizeof(places), places), out = vt_buffer(vt, LOOKS * 16, NULL);
    struct sampling sampling = make_sampling(vt, sampler, test->in_buffer);
    VkImageView view = make_view(vt, image, test, conversion);
    if (test->in_buffer)
        make_buffer(vt, &db, &sampling, test,
                    &(const VkDescriptorImageInfo){sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                    (const struct vt_buffer[]){in, out});
    else
        make_set(vt, &sampling, sampler, view, in.buffer, out.buffer);
    VkCommandBuffer commands = vt_begin(vt);
    change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    upload_planes(vt, commands, image, planes, format.planes, test->layer);
    change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, sampling.pipeline);
    if (test->in_buffer) {
        db_bind(&db, commands);
        db_use(&db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, sampling.layout, 0, &(const struct db_set){0}, 1);
    } else {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, sampling.layout, 0, 1, &sampling.set, 0,
                                NULL);
    }
    vkCmdDispatch(commands, LOOKS / 64, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);

    const float(*got)[4] = out.map;
    double sited = test->sited == VK_CHROMA_LOCATION_COSITED_EVEN && test->filter == VK_FILTER_LINEAR ? 0.25 : 0;
    for (uint32_t i = 0; i < LOOKS; i++) {
        double x = i % WIDTH + 0.5, y = i / WIDTH % HEIGHT + 0.5, raw[3], expected[3];
        double cx = x / format.divide_x + (format.divide_x > 1 ? sited : 0),
               cy = y / format.divide_y + (format.divide_y > 1 ? sited : 0);
        raw[1] = filtered(&planes[0], &format, x, y, 0, test->filter);
        raw[2] = filtered(&planes[1], &format, cx, cy, 0, test->filter);
        raw[0] = filtered(&planes[format.planes - 1], &format, cx, cy, format.planes == 2 ? 1 : 0, test->filter);
        convert_color(test, format.bits, raw, expected);
        for (unsigned c = 0; c < 3; c++)
            if (!(fabs((double)got[i][c] - expected[c]) <= 0.01))
                vt_fail(vt, "component %u at %u,%u is %.5f, expected %.5f", c, i % WIDTH, i / WIDTH % HEIGHT,
                        (double)got[i][c], expected[c]);
        if (got[i][3] != 1.0f)
            vt_fail(vt, "alpha at %u,%u is %.5f", i % WIDTH, i / WIDTH % HEIGHT, (double)got[i][3]);
    }
}

/* ---- a plane's memory as an image of its own ---- */

struct alias_test {
    VkFormat format, plane_format; /* the latter is compatible with the former's first two planes */
    uint32_t width, height;
};

static VkImage make_alias(struct vt *vt, VkFormat format, uint32_t width, uint32_t height)
{
    VkImage image;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_ALIAS_BIT,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &image));
    vt_defer(vt, destroy_image, (uint64_t)image);
    return image;
}

/* Bytes that are copied to a plane are read from the image that has the memory, too. */
static void case_alias(struct vt *vt, const void *argument)
{
    const struct alias_test *test = argument;
    const struct ycbcr_format format = format_of(test->format);
    require_conversion(
        vt, &(const struct ycbcr_test){.format = test->format, .sited = VK_CHROMA_LOCATION_MIDPOINT, .disjoint = true});
    VkImage image = make_alias(vt, test->format, test->width, test->height), aliases[3];
    VkDeviceMemory memories[3] = {0};
    for (uint32_t p = 0; p < format.planes; p++)
        memories[p] = allocate_memory(vt, image, VK_IMAGE_ASPECT_PLANE_0_BIT << p);
    bind_memories(vt, image, true, memories, format.planes);
    for (uint32_t p = 0; p < format.planes; p++) {
        aliases[p] = make_alias(vt, test->plane_format, p ? test->width / format.divide_x : test->width,
                                p ? test->height / format.divide_y : test->height);
        bind_memories(vt, aliases[p], true, &memories[p], 1);
    }
    const uint32_t plane_B = test->width * test->height * format.channel_B;
    struct vt_buffer in = vt_buffer(vt, plane_B, NULL), out = vt_buffer(vt, (VkDeviceSize)plane_B * 3, NULL);
    uint64_t seed = 23;
    for (uint32_t i = 0; i < plane_B; i++)
        ((uint8_t *)in.map)[i] = (uint8_t)vt_random(&seed);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t p = 0; p < format.planes; p++)
        change_layout(commands, aliases[p], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t p = 0; p < format.planes; p++) {
        VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT << p, 0, 0, 1},
                                    .imageExtent = {p ? test->width / format.divide_x : test->width,
                                                    p ? test->height / format.divide_y : test->height, 1}};
        vkCmdCopyBufferToImage(commands, in.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        vt_full_barrier(commands);
        region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
        region.bufferOffset = (VkDeviceSize)p * plane_B;
        vkCmdCopyImageToBuffer(commands, aliases[p], VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    }
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (uint32_t p = 0; p < format.planes; p++) {
        const uint32_t size_B = p ? plane_B / format.divide_x / format.divide_y : plane_B;
        if (memcmp((const uint8_t *)out.map + (size_t)p * plane_B, in.map, size_B) != 0)
            vt_fail(vt, "plane %u has other bytes than the image with its memory", p);
    }
}

static const struct alias_test alias_8 = {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_FORMAT_R8_UNORM, 48, 36},
                               alias_16 = {VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, VK_FORMAT_R16_UNORM, 48, 36};

#define MODEL(name) VK_SAMPLER_YCBCR_MODEL_CONVERSION_##name
#define FULL VK_SAMPLER_YCBCR_RANGE_ITU_FULL
#define NARROW VK_SAMPLER_YCBCR_RANGE_ITU_NARROW
#define MIDPOINT VK_CHROMA_LOCATION_MIDPOINT
#define COSITED VK_CHROMA_LOCATION_COSITED_EVEN

/* Which of two the nearest one is of samples that are sited with luma's, implementations may choose: no case asks. */
static const struct ycbcr_test tests[] = {
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(RGB_IDENTITY), FULL, MIDPOINT, VK_FILTER_NEAREST, false, 0},
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(YCBCR_IDENTITY), NARROW, MIDPOINT, VK_FILTER_NEAREST, false, 0},
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(YCBCR_709), NARROW, MIDPOINT, VK_FILTER_NEAREST, true, 0},
    {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, MODEL(YCBCR_601), FULL, MIDPOINT, VK_FILTER_NEAREST, true, 0},
    {VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, MODEL(YCBCR_709), FULL, COSITED, VK_FILTER_LINEAR, false, 0},
    {VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, MODEL(YCBCR_601), NARROW, COSITED, VK_FILTER_LINEAR, false, 0},
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(YCBCR_709), FULL, MIDPOINT, VK_FILTER_LINEAR, false, 0},
    {VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, MODEL(YCBCR_601), NARROW, MIDPOINT, VK_FILTER_NEAREST, false, 0},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, MODEL(YCBCR_709), NARROW, MIDPOINT, VK_FILTER_NEAREST, true,
     0},
    {VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, MODEL(YCBCR_601), FULL, MIDPOINT, VK_FILTER_NEAREST, false, 0},
    {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, MODEL(YCBCR_709), NARROW, MIDPOINT, VK_FILTER_NEAREST, true,
     0},
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(YCBCR_709), NARROW, MIDPOINT, VK_FILTER_NEAREST, false, 2},
    {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, MODEL(YCBCR_601), FULL, MIDPOINT, VK_FILTER_NEAREST, false, 3},
    {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, MODEL(YCBCR_709), NARROW, MIDPOINT, VK_FILTER_NEAREST, false, 0, true},
    {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, MODEL(YCBCR_601), FULL, MIDPOINT, VK_FILTER_NEAREST, true, 0, true},
};

const struct vt_case vt_ycbcr_cases[] = {
    {"two planes as they are", case_ycbcr, &tests[0]},
    {"two planes, range alone", case_ycbcr, &tests[1]},
    {"two planes apart, 709", case_ycbcr, &tests[2]},
    {"three planes apart, 601", case_ycbcr, &tests[3]},
    {"three planes 422, 709, linear", case_ycbcr, &tests[4]},
    {"three planes 444, 601, linear", case_ycbcr, &tests[5]},
    {"two planes, 709, linear", case_ycbcr, &tests[6]},
    {"two planes of 16 bits, 601", case_ycbcr, &tests[7]},
    {"two planes of 10 bits, 709", case_ycbcr, &tests[8]},
    {"two planes 444, 601", case_ycbcr, &tests[9]},
    {"two planes 444 of 10 bits", case_ycbcr, &tests[10]},
    {"layer 2 of two planes", case_ycbcr, &tests[11]},
    {"layer 3 of three planes", case_ycbcr, &tests[12]},
    {"two planes in a descriptor buffer", case_ycbcr, &tests[13]},
    {"three planes in a descriptor buffer", case_ycbcr, &tests[14]},
    {"images of 8 bits with the memory of planes", case_alias, &alias_8},
    {"images of 16 bits with the memory of planes", case_alias, &alias_16},
};
const size_t vt_ycbcr_count = COUNT_OF(vt_ycbcr_cases);
