/* Set 1: the images that shaders of the corpus sample, fetch, read and write. The table says what is there; all stay in
 * the general layout.
 *
 *   0 to 2   samplers: nearest and clamped; linear, repeating, linear between levels; nearest, comparing "less or
 *            equal"
 *   11       a uniform texel buffer of vec4: the floats of the input
 *   14       a storage texel buffer of uint: the second buffer
 *   15       the image of 3 with the linear sampler
 *   16       the layers of 4, one each, with the nearest one
 *
 * Texels are noise: bytes of a hash of their number, floats that are multiples of 1/16 in [0, 1). Storage images are
 * written by shaders and are filled anew for each. */
#include <stdio.h>

#include "corpus_vulkan.h"

#define SAMPLED VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
#define BINDINGS 32
#define STAGING_B (1 << 18)

enum {
    SAMPLERS = 3,
    TEXTURE = 3,
    TEXTURE_ARRAY = 4,
    MANY_SAMPLES = 10,
    UNIFORM_TEXELS = 11,
    STORAGE_TEXELS = 14,
    COMBINED = 15,
    COMBINED_ARRAY = 16,
    COMBINED_COUNT = 3
};

static const struct image_row rows[] = {
    {TEXTURE, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, {16, 16, 1}, 5, 1, 1, 4},
    {TEXTURE_ARRAY,
     SAMPLED,
     VK_IMAGE_TYPE_2D,
     VK_IMAGE_VIEW_TYPE_2D_ARRAY,
     VK_FORMAT_R8G8B8A8_UNORM,
     {16, 16, 1},
     2,
     3,
     1,
     4},
    {5, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 4, 6, 1, 4},
    {6, SAMPLED, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 8}, 2, 1, 1, 4},
    {7, SAMPLED, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, VK_FORMAT_R8G8B8A8_UNORM, {32, 1, 1}, 3, 1, 1, 4},
    {8, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_D32_SFLOAT, {16, 16, 1}, 1, 1, 1, 4},
    {9, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, {16, 16, 1}, 1, 1, 1, 4},
    {MANY_SAMPLES, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 1, 1, 4, 4},
    {12, STORAGE, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, {16, 16, 1}, 1, 1, 1, 4},
    {13, STORAGE, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32G32B32A32_SFLOAT, {16, 16, 1}, 1, 1, 1, 16},
    {17, STORAGE, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 1, 3, 1, 4},
    {18, STORAGE, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R32_SINT, {8, 8, 8}, 1, 1, 1, 4},
    {19, STORAGE, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, VK_FORMAT_R32_UINT, {32, 1, 1}, 1, 1, 1, 4},
    {20, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_D32_SFLOAT, {8, 8, 1}, 1, 6, 1, 4},
    {21, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_D32_SFLOAT, {16, 16, 1}, 1, 3, 1, 4},
    {22, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 1, 12, 1, 4},
    {23, STORAGE, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_R32_UINT, {8, 8, 1}, 1, 6, 1, 4},
    {24, SAMPLED, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_FORMAT_R8G8B8A8_UNORM, {32, 1, 1}, 1, 3, 1, 4},
    {25, SAMPLED, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_SINT, {16, 16, 1}, 1, 1, 1, 4},
};

static struct image images[COUNT_OF(rows)];
static struct buffer staging;

static bool is_depth(VkFormat format)
{
    return format == VK_FORMAT_D32_SFLOAT;
}

static VkImageAspectFlags aspect_of(const struct image_row *row)
{
    return is_depth(row->format) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

static uint32_t at_level(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

struct image make_image(const struct image_row *row, VkImageUsageFlags usage, VkImageAspectFlags aspect)
{
    struct image made;
    bool cube = row->view == VK_IMAGE_VIEW_TYPE_CUBE || row->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                              .imageType = row->dimensions,
                              .format = row->format,
                              .extent = {row->extent[0], row->extent[1], row->extent[2]},
                              .mipLevels = row->levels,
                              .arrayLayers = row->layers,
                              .samples = (VkSampleCountFlagBits)row->samples,
                              .usage = usage};
    CHECK(vkCreateImage(device, &info, NULL, &made.image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, made.image, &needs);
    made.memory = allocate_memory(&needs, 0, false);
    CHECK(vkBindImageMemory(device, made.image, made.memory, 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = made.image,
                                  .viewType = row->view,
                                  .format = row->format,
                                  .subresourceRange = {aspect, 0, row->levels, 0, row->layers}};
    CHECK(vkCreateImageView(device, &view, NULL, &made.view));
    return made;
}

void image_barrier(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

/* ---- contents ---- */

/* Regions of all levels, one after the other in the staging buffer. The bytes that they take. */
static size_t make_regions(const struct image_row *row, VkBufferImageCopy *regions)
{
    size_t at = 0;
    for (uint32_t level = 0; level < row->levels; level++) {
        uint32_t x = at_level(row->extent[0], level), y = at_level(row->extent[1], level),
                 z = at_level(row->extent[2], level);
        regions[level] = (VkBufferImageCopy){
            .bufferOffset = at, .imageSubresource = {aspect_of(row), level, 0, row->layers}, .imageExtent = {x, y, z}};
        at += (size_t)x * y * z * row->layers * row->texel_B;
    }
    return at;
}

static void fill_image(const struct image_row *row, const struct image *image)
{
    VkBufferImageCopy regions[8];
    uint32_t *words = staging.map;
    size_t count = make_regions(row, regions) / 4;
    bool floats = is_depth(row->format) || row->format == VK_FORMAT_R32G32B32A32_SFLOAT;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t noise = world_hash(i + row->binding * 4099);
        words[i] = floats ? world_float((float)(noise >> 28) / 16.0f) : noise;
    }
    VkCommandBuffer commands = begin_commands();
    image_barrier(commands, image->image, aspect_of(row), VK_IMAGE_LAYOUT_UNDEFINED);
    vkCmdCopyBufferToImage(commands, staging.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, row->levels, regions);
    image_barrier(commands, image->image, aspect_of(row), VK_IMAGE_LAYOUT_GENERAL);
    end_commands(commands);
}

void fill_storage_images(void)
{
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].type == STORAGE)
            fill_image(&rows[i], &images[i]);
    }
}

size_t read_storage_images(const void **data_out)
{
    size_t at = 0;
    VkCommandBuffer commands = begin_commands();
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        VkBufferImageCopy regions[8];
        if (rows[i].type != STORAGE)
            continue;
        size_t size_B = make_regions(&rows[i], regions);
        regions[0].bufferOffset = at;
        at += size_B;
        image_barrier(commands, images[i].image, aspect_of(&rows[i]), VK_IMAGE_LAYOUT_GENERAL);
        vkCmdCopyImageToBuffer(commands, images[i].image, VK_IMAGE_LAYOUT_GENERAL, staging.buffer, 1, regions);
    }
    end_commands(commands);
    *data_out = staging.map;
    return at;
}

/* ---- the set ---- */

static VkSampler make_sampler(bool linear, bool compare)
{
    VkSampler sampler;
    VkFilter filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerAddressMode mode = linear ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .magFilter = filter,
                                .minFilter = filter,
                                .mipmapMode = linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                .addressModeU = mode,
                                .addressModeV = mode,
                                .addressModeW = mode,
                                .compareEnable = compare,
                                .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                .maxLod = VK_LOD_CLAMP_NONE};
    CHECK(vkCreateSampler(device, &info, NULL, &sampler));
    return sampler;
}

VkDescriptorSetLayout make_image_layout(void)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    uint32_t count = 0;
    const VkShaderStageFlags stages =
        VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    for (uint32_t i = 0; i < SAMPLERS; i++)
        bindings[count++] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_SAMPLER, 1, stages, NULL};
    for (uint32_t i = 0; i < COUNT_OF(rows); i++)
        bindings[count++] = (VkDescriptorSetLayoutBinding){rows[i].binding, rows[i].type, 1, stages, NULL};
    bindings[count++] =
        (VkDescriptorSetLayoutBinding){UNIFORM_TEXELS, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, stages, NULL};
    bindings[count++] =
        (VkDescriptorSetLayoutBinding){STORAGE_TEXELS, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, stages, NULL};
    bindings[count++] =
        (VkDescriptorSetLayoutBinding){COMBINED, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, stages, NULL};
    bindings[count++] = (VkDescriptorSetLayoutBinding){COMBINED_ARRAY, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                       COMBINED_COUNT, stages, NULL};
    VkDescriptorSetLayout layout;
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &layout));
    return layout;
}

static VkDescriptorSet allocate_set(VkDescriptorSetLayout layout)
{
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLER, SAMPLERS},
                                    {SAMPLED, COUNT_OF(rows)},
                                    {STORAGE, COUNT_OF(rows)},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1},
                                    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1 + COMBINED_COUNT}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = COUNT_OF(sizes),
                                       .pPoolSizes = sizes};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &info, NULL, &pool));
    VkDescriptorSet set;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};
    CHECK(vkAllocateDescriptorSets(device, &allocate, &set));
    return set;
}

static void write_image(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                        VkSampler sampler, VkImageView view)
{
    VkDescriptorImageInfo info = {sampler, view, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = binding,
                                  .dstArrayElement = element,
                                  .descriptorCount = 1,
                                  .descriptorType = type,
                                  .pImageInfo = &info};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static void write_texels(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const struct buffer *buffer,
                         VkFormat format, uint32_t offset_B)
{
    VkBufferView view;
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = buffer->buffer,
                                   .format = format,
                                   .offset = offset_B,
                                   .range = VK_WHOLE_SIZE};
    CHECK(vkCreateBufferView(device, &info, NULL, &view));
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = binding,
                                  .descriptorCount = 1,
                                  .descriptorType = type,
                                  .pTexelBufferView = &view};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

/* One layer of the image of many layers. */
static VkImageView layer_view(VkImage image, uint32_t layer)
{
    VkImageView view;
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1}};
    CHECK(vkCreateImageView(device, &info, NULL, &view));
    return view;
}

VkDescriptorSet make_image_set(VkDescriptorSetLayout layout, const struct buffer *input, const struct buffer *second,
                               const char *modules)
{
    VkDescriptorSet set = allocate_set(layout);
    VkSampler samplers[SAMPLERS] = {make_sampler(false, false), make_sampler(true, false), make_sampler(false, true)};
    staging = make_buffer(STAGING_B);
    for (uint32_t i = 0; i < SAMPLERS; i++)
        write_image(set, i, 0, VK_DESCRIPTOR_TYPE_SAMPLER, samplers[i], VK_NULL_HANDLE);
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        const struct image_row *row = &rows[i];
        VkImageUsageFlags usage = row->type == STORAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
        usage |= row->samples > 1 ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                  : VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        images[i] = make_image(row, usage, aspect_of(row));
        if (row->samples > 1) {
            VkCommandBuffer commands = begin_commands();
            image_barrier(commands, images[i].image, aspect_of(row), VK_IMAGE_LAYOUT_UNDEFINED);
            end_commands(commands);
            draw_samples(modules, row->format, row->samples, images[i].view);
        } else {
            fill_image(row, &images[i]);
        }
        write_image(set, row->binding, 0, row->type, VK_NULL_HANDLE, images[i].view);
        if (row->binding == TEXTURE)
            write_image(set, COMBINED, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, samplers[1], images[i].view);
        for (uint32_t layer = 0; row->binding == TEXTURE_ARRAY && layer < COMBINED_COUNT; layer++)
            write_image(set, COMBINED_ARRAY, layer, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, samplers[0],
                        layer_view(images[i].image, layer));
    }
    write_texels(set, UNIFORM_TEXELS, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, input, VK_FORMAT_R32G32B32A32_SFLOAT,
                 INPUT_B / 2);
    write_texels(set, STORAGE_TEXELS, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, second, VK_FORMAT_R32_UINT, 0);
    return set;
}
