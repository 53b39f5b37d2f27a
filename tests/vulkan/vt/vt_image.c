/* See vt_image.h. */
#include "vt/vt_image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DESTROYER(name, type, function)                                                                                \
    static void name(struct vt *vt, uint64_t handle)                                                                   \
    {                                                                                                                  \
        function(vt->device, (type)handle, NULL);                                                                      \
    }
DESTROYER(destroy_image, VkImage, vkDestroyImage)
DESTROYER(destroy_view, VkImageView, vkDestroyImageView)
DESTROYER(destroy_buffer_view, VkBufferView, vkDestroyBufferView)
DESTROYER(destroy_sampler, VkSampler, vkDestroySampler)
DESTROYER(destroy_pipeline, VkPipeline, vkDestroyPipeline)
DESTROYER(destroy_layout, VkPipelineLayout, vkDestroyPipelineLayout)
DESTROYER(destroy_set_layout, VkDescriptorSetLayout, vkDestroyDescriptorSetLayout)
DESTROYER(destroy_set_pool, VkDescriptorPool, vkDestroyDescriptorPool)
DESTROYER(destroy_module, VkShaderModule, vkDestroyShaderModule)
DESTROYER(free_memory, VkDeviceMemory, vkFreeMemory)

static uint32_t or_one(uint32_t value)
{
    return value ? value : 1;
}

/* ---- images ---- */

static VkImageCreateInfo create_info(const struct vt_image_info *info)
{
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = info->next,
        .flags = info->flags,
        .imageType = info->type                     ? info->type
                     : info->height || !info->width ? VK_IMAGE_TYPE_2D
                                                    : VK_IMAGE_TYPE_1D,
        .format = info->format,
        .extent = {or_one(info->width), or_one(info->height), or_one(info->depth)},
        .mipLevels = or_one(info->levels),
        .arrayLayers = or_one(info->layers),
        .samples = info->samples ? info->samples : VK_SAMPLE_COUNT_1_BIT,
        .tiling = info->linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
        .usage = info->usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .sharingMode = info->families ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = info->families ? 2 : 0,
        .pQueueFamilyIndices = info->families,
        .initialLayout = info->linear ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED,
    };
}

static void need_image(struct vt *vt, const VkImageCreateInfo *info)
{
    VkImageFormatProperties properties;
    if (vkGetPhysicalDeviceImageFormatProperties(vt->physical, info->format, info->imageType, info->tiling, info->usage,
                                                 info->flags, &properties) != VK_SUCCESS)
        vt_skip(vt, "no image of this format, type and usage");
    if (!(properties.sampleCounts & info->samples))
        vt_skip(vt, "no image of so many samples");
    if (properties.maxMipLevels < info->mipLevels || properties.maxArrayLayers < info->arrayLayers)
        vt_skip(vt, "no image of so many levels or layers");
}

static uint32_t memory_type(struct vt *vt, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vt->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (vt->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    }
    vt_fail(vt, "no memory type with properties 0x%x among 0x%x", wanted, allowed);
}

struct vt_image vt_image(struct vt *vt, const struct vt_image_info *info)
{
    struct vt_image made = {.info = create_info(info), .aspects = vt_aspects(info->format)};
    need_image(vt, &made.info);
    made.layout = made.info.initialLayout;
    VT_CHECK(vt, vkCreateImage(vt->device, &made.info, NULL, &made.image));
    made.info.pNext = NULL; /* the chain ends with the caller */
    vt_defer(vt, destroy_image, (uint64_t)made.image);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vt->device, made.image, &needs);
    VkMemoryPropertyFlags wanted = info->linear
                                       ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                       : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = memory_type(vt, needs.memoryTypeBits, wanted)};
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &made.memory));
    vt_defer(vt, free_memory, (uint64_t)made.memory);
    VT_CHECK(vt, vkBindImageMemory(vt->device, made.image, made.memory, 0));
    return made;
}

struct vt_image vt_image_2d(struct vt *vt, VkFormat format, uint32_t width, uint32_t height, VkImageUsageFlags usage)
{
    return vt_image(vt, &(struct vt_image_info){.format = format, .width = width, .height = height, .usage = usage});
}

VkImageView vt_view(struct vt *vt, const struct vt_image *image, VkImageViewType type)
{
    return vt_view_of(vt, image, (VkImageViewCreateInfo){.viewType = type});
}

VkImageView vt_view_of(struct vt *vt, const struct vt_image *image, VkImageViewCreateInfo info)
{
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.image = image->image;
    info.format = info.format ? info.format : image->info.format;
    VkImageSubresourceRange *range = &info.subresourceRange;
    range->aspectMask = range->aspectMask ? range->aspectMask : image->aspects;
    range->levelCount = range->levelCount ? range->levelCount : VK_REMAINING_MIP_LEVELS;
    range->layerCount = range->layerCount ? range->layerCount : VK_REMAINING_ARRAY_LAYERS;
    VkImageView view;
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &view));
    vt_defer(vt, destroy_view, (uint64_t)view);
    return view;
}

VkSampler vt_sampler(struct vt *vt, VkSamplerCreateInfo info)
{
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    VkSampler sampler;
    VT_CHECK(vt, vkCreateSampler(vt->device, &info, NULL, &sampler));
    vt_defer(vt, destroy_sampler, (uint64_t)sampler);
    return sampler;
}

VkBufferView vt_buffer_view(struct vt *vt, const struct vt_buffer *buffer, VkFormat format, VkDeviceSize offset_B,
                            VkDeviceSize range_B)
{
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = buffer->buffer,
                                   .format = format,
                                   .offset = offset_B,
                                   .range = range_B};
    VkBufferView view;
    VT_CHECK(vt, vkCreateBufferView(vt->device, &info, NULL, &view));
    vt_defer(vt, destroy_buffer_view, (uint64_t)view);
    return view;
}

void vt_need_features(struct vt *vt, VkFormat format, VkFormatFeatureFlags features)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, format, &properties);
    if ((properties.optimalTilingFeatures & features) != features)
        vt_skip(vt, "the format lacks a feature");
}

/* ---- recording ---- */

void vt_to_layout(VkCommandBuffer commands, struct vt_image *image, VkImageLayout layout)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = image->layout,
        .newLayout = layout,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {image->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    vkCmdPipelineBarrier(commands, stages, stages, 0, 0, NULL, 0, NULL, 1, &barrier);
    image->layout = layout;
}

static uint32_t aspect_texel_B(VkFormat format, VkImageAspectFlags aspect)
{
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        return 1;
    if (format == VK_FORMAT_D16_UNORM_S8_UINT)
        return 2;
    const struct vt_format *known = vt_format(format);
    return known ? known->texel_B : 4; /* the other formats with depth */
}

size_t vt_level_B(const struct vt_image *image, uint32_t level, uint32_t layers, VkImageAspectFlags aspect)
{
    const struct vt_format *format = vt_format(image->info.format);
    uint32_t block = format ? format->block : 1;
    VkExtent3D size = image->info.extent;
    size_t blocks =
        (size_t)((vt_mip(size.width, level) + block - 1) / block) * ((vt_mip(size.height, level) + block - 1) / block);
    return blocks * vt_mip(size.depth, level) * layers * aspect_texel_B(image->info.format, aspect);
}

static VkBufferImageCopy whole_level(const struct vt_image *image, uint32_t level, VkImageAspectFlags aspect)
{
    VkExtent3D size = image->info.extent;
    return (VkBufferImageCopy){
        .imageSubresource = {aspect, level, 0, image->info.arrayLayers},
        .imageExtent = {vt_mip(size.width, level), vt_mip(size.height, level), vt_mip(size.depth, level)},
    };
}

void vt_upload(struct vt *vt, struct vt_image *image, uint32_t level, const void *data, VkImageLayout layout)
{
    struct vt_buffer buffer = vt_buffer(vt, vt_level_B(image, level, image->info.arrayLayers, image->aspects), data);
    VkBufferImageCopy region = whole_level(image, level, image->aspects);
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer.buffer, image->image, image->layout, 1, &region);
    vt_to_layout(commands, image, layout);
    vt_submit(vt, commands);
}

struct vt_buffer vt_record_download(struct vt *vt, VkCommandBuffer commands, struct vt_image *image, uint32_t level,
                                    VkImageAspectFlags aspect)
{
    struct vt_buffer buffer = vt_buffer(vt, vt_level_B(image, level, image->info.arrayLayers, aspect), NULL);
    VkBufferImageCopy region = whole_level(image, level, aspect);
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image->image, image->layout, buffer.buffer, 1, &region);
    vt_full_barrier(commands);
    return buffer;
}

void *vt_download_aspect(struct vt *vt, struct vt_image *image, uint32_t level, VkImageAspectFlags aspect)
{
    VkCommandBuffer commands = vt_begin(vt);
    struct vt_buffer buffer = vt_record_download(vt, commands, image, level, aspect);
    vt_submit(vt, commands);
    return buffer.map;
}

void *vt_download(struct vt *vt, struct vt_image *image, uint32_t level)
{
    return vt_download_aspect(vt, image, level, image->aspects);
}

void vt_random_texels(const struct vt_format *format, uint64_t *seed, void *texels, size_t count)
{
    uint8_t *out = texels;
    for (size_t i = 0; i < count; i++, out += format->texel_B) {
        for (unsigned b = 0; b < format->texel_B; b++)
            out[b] = (uint8_t)(vt_random(seed) >> 13);
        if (format->kind == VT_SFLOAT || format->kind == VT_UFLOAT || format->kind == VT_SHARED_EXPONENT) {
            double color[4];
            bool depth = vt_aspects(format->format) & VK_IMAGE_ASPECT_DEPTH_BIT; /* between 0 and 1 */
            for (unsigned c = 0; c < 4; c++)
                color[c] = depth ? vt_random(seed) * 0x1p-32 : (int32_t)vt_random(seed) * 0x1p-30;
            vt_encode(format, color, out);
        }
    }
}

/* ---- descriptors ---- */

static uint32_t binding_count(const struct vt_binding *binding)
{
    return or_one(binding->count);
}

VkDescriptorSetLayout vt_set_layout(struct vt *vt, const struct vt_binding *bindings, uint32_t count,
                                    VkDescriptorSetLayoutCreateFlags flags)
{
    VkDescriptorSetLayoutBinding infos[32];
    for (uint32_t i = 0; i < count; i++)
        infos[i] = (VkDescriptorSetLayoutBinding){i, bindings[i].type, binding_count(&bindings[i]),
                                                  bindings[i].type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT
                                                      ? VK_SHADER_STAGE_FRAGMENT_BIT
                                                      : VK_SHADER_STAGE_ALL,
                                                  NULL};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .flags = flags,
                                            .bindingCount = count,
                                            .pBindings = infos};
    VkDescriptorSetLayout layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)layout);
    return layout;
}

static VkDescriptorPool make_pool(struct vt *vt, const struct vt_binding *bindings, uint32_t count)
{
    VkDescriptorPoolSize sizes[32];
    uint32_t inline_blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = (VkDescriptorPoolSize){bindings[i].type, binding_count(&bindings[i])};
        inline_blocks += bindings[i].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    }
    VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = inline_blocks};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .pNext = inline_blocks ? &blocks : NULL,
                                       .maxSets = 1,
                                       .poolSizeCount = count,
                                       .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &info, NULL, &pool));
    vt_defer(vt, destroy_set_pool, (uint64_t)pool);
    return pool;
}

struct vt_set vt_set(struct vt *vt, const struct vt_binding *bindings, uint32_t count)
{
    struct vt_set made = {.layout = vt_set_layout(vt, bindings, count, 0)};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = make_pool(vt, bindings, count),
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &made.layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &made.set));
    for (uint32_t i = 0; i < count; i++) {
        const struct vt_binding *from = &bindings[i];
        VkWriteDescriptorSetInlineUniformBlock block = {.sType =
                                                            VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                        .dataSize = from->count,
                                                        .pData = from->inline_data};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .pNext = from->inline_data ? &block : NULL,
                                      .dstSet = made.set,
                                      .dstBinding = i,
                                      .descriptorCount = binding_count(from),
                                      .descriptorType = from->type,
                                      .pImageInfo = from->images ? from->images : &from->image,
                                      .pBufferInfo = from->buffers ? from->buffers : &from->buffer,
                                      .pTexelBufferView = from->views ? from->views : &from->view};
        vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
    }
    return made;
}

VkPipelineLayout vt_pipeline_layout(struct vt *vt, const VkDescriptorSetLayout *sets, uint32_t count)
{
    VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 128};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = count,
                                       .pSetLayouts = sets,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &push};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, destroy_layout, (uint64_t)layout);
    return layout;
}

VkShaderModule vt_module(struct vt *vt, struct vt_spirv code)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_B, .pCode = code.words};
    VkShaderModule module;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &info, NULL, &module));
    vt_defer(vt, destroy_module, (uint64_t)module);
    return module;
}

VkPipeline vt_compute_pipeline(struct vt *vt, struct vt_spirv code, VkPipelineLayout layout,
                               const VkSpecializationInfo *specialization)
{
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = vt_module(vt, code),
                                                  .pName = "main",
                                                  .pSpecializationInfo = specialization},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

const VkSpecializationInfo *vt_constants(struct vt_constants *space, uint32_t count, const int32_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        space->values[i] = values[i];
        space->entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    }
    space->info = (VkSpecializationInfo){count, space->entries, count * 4, space->values};
    return &space->info;
}

void vt_dispatch(struct vt *vt, struct vt_spirv code, const VkSpecializationInfo *specialization,
                 const struct vt_binding *bindings, uint32_t count, uint32_t x, uint32_t y, uint32_t z)
{
    struct vt_set set = vt_set(vt, bindings, count);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, code, layout, specialization);
    VkCommandBuffer commands = vt_begin(vt);
    vt_full_barrier(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdDispatch(commands, x, y, z);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

const float (*vt_look(struct vt *vt, struct vt_spirv code, VkSampler sampler, VkImageView view,
                      const float (*coordinates)[4], uint32_t count))[4]
{
    uint32_t groups = (count + 63) / 64;
    struct vt_buffer in = vt_buffer(vt, groups * 64 * 16, NULL), out = vt_buffer(vt, groups * 64 * 16, NULL);
    memcpy(in.map, coordinates, count * 16);
    struct vt_binding bindings[] = {VT_SAMPLED(sampler, view), VT_STORAGE_BUFFER(in), VT_STORAGE_BUFFER(out)};
    vt_dispatch(vt, code, NULL, bindings, 3, groups, 1, 1);
    return out.map;
}

/* ---- expectations ---- */

bool vt_texel_is(const struct vt_format *format, const void *texel, const double expected[4], double codes,
                 double absolute)
{
    double got[4];
    vt_decode(format, texel, got);
    for (unsigned i = 0; i < 4; i++) {
        double wanted = format->component[i].bits ? expected[i] : (i == 3);
        double allowed = fmax(absolute, codes * vt_step(format, i, wanted)) + 1e-9;
        if (!(fabs(got[i] - wanted) <= allowed)) /* a NaN is wrong, too */
            return false;
    }
    return true;
}

void vt_fail_texel(struct vt *vt, const struct vt_format *format, const void *texel, const double expected[4],
                   const char *what, uint32_t x, uint32_t y, uint32_t z)
{
    double got[4];
    vt_decode(format, texel, got);
    vt_fail(vt, "%s: texel %u,%u,%u is (%.6g %.6g %.6g %.6g), expected (%.6g %.6g %.6g %.6g)", what, x, y, z, got[0],
            got[1], got[2], got[3], expected[0], expected[1], expected[2], expected[3]);
}

void vt_expect_color(struct vt *vt, VkFormat format, const void *texels, uint32_t width, uint32_t height,
                     const double expected[4], double codes, const char *what)
{
    const struct vt_format *known = vt_format(format);
    const uint8_t *texel = texels;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++, texel += known->texel_B) {
            if (!vt_texel_is(known, texel, expected, codes, 0))
                vt_fail_texel(vt, known, texel, expected, what, x, y, 0);
        }
    }
}

static void print_bytes(char *out, size_t size, const uint8_t *bytes, uint32_t count)
{
    size_t used = 0;
    for (uint32_t i = count; i-- > 0 && used + 3 < size;)
        used += (size_t)snprintf(out + used, size - used, "%02x", bytes[i]);
}

void vt_expect_texels(struct vt *vt, const void *got, const void *expected, uint32_t texel_B, uint32_t width,
                      size_t count, const char *what)
{
    const uint8_t *g = got, *e = expected;
    for (size_t i = 0; i < count; i++, g += texel_B, e += texel_B) {
        if (memcmp(g, e, texel_B) == 0)
            continue;
        char is[64], should[64];
        print_bytes(is, sizeof(is), g, texel_B);
        print_bytes(should, sizeof(should), e, texel_B);
        vt_fail(vt, "%s: texel %zu,%zu is 0x%s, expected 0x%s", what, i % width, i / width, is, should);
    }
}
