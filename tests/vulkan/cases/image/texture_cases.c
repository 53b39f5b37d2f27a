/* Textures: filters, address modes, levels, comparison and gathers from a compute shader. What is expected is the
 * specification's section "Image Operations", in double precision; devices may round weights to 8 bits, which the
 * tolerances allow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt.h"

#include "shaders/texture_0.h"
#include "shaders/texture_1.h"
#include "shaders/texture_2.h"
#include "shaders/texture_3.h"
#include "shaders/texture_4.h"
#include "shaders/texture_5.h"
#include "shaders/texture_6.h"

#define LOOKS 256
#define MAX_LEVELS 8

enum kind {
    KIND_2D,
    KIND_ARRAY,
    KIND_3D,
    KIND_CUBE,
    KIND_SHADOW,
    KIND_UINT,
    KIND_1D,
};

enum op {
    OP_LOD,
    OP_GRAD,
    OP_OFFSET,
    OP_GATHER,
    OP_FETCH,
    OP_SIZE,
    OP_GATHER_OFFSET,
};

struct texture {
    enum kind kind;
    enum op op;
    VkFormat format;                       /* 0: R8G8B8A8_UNORM */
    uint32_t width, height, depth, levels; /* 0: 1 */
    VkFilter mag, min;
    VkSamplerMipmapMode mip;
    VkSamplerAddressMode wrap[3];
    VkBorderColor border;
    VkCompareOp compare;
    float bias, min_lod, max_lod; /* max 0: all */
    VkComponentMapping swizzle;
    uint32_t base_level;
};

struct run {
    struct vt *vt;
    const struct texture *t;
    uint32_t width, height, depth, levels;
    double *texels[MAX_LEVELS]; /* [z][y][x][4] */
    VkImage image;
    VkImageView view;
    VkSampler sampler;
};

/* ---- resources ---- */

static void destroy_image(struct vt *vt, uint64_t handle)
{
    vkDestroyImage(vt->device, (VkImage)handle, NULL);
}
static void destroy_view(struct vt *vt, uint64_t handle)
{
    vkDestroyImageView(vt->device, (VkImageView)handle, NULL);
}
static void destroy_sampler(struct vt *vt, uint64_t handle)
{
    vkDestroySampler(vt->device, (VkSampler)handle, NULL);
}
static void free_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}
static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}
static void destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}
static void destroy_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyPipelineLayout(vt->device, (VkPipelineLayout)handle, NULL);
}
static void destroy_module(struct vt *vt, uint64_t handle)
{
    vkDestroyShaderModule(vt->device, (VkShaderModule)handle, NULL);
}
static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}
static void free_host(struct vt *vt, uint64_t handle)
{
    free((void *)(uintptr_t)handle);
}

static uint32_t mip(uint32_t size, unsigned level)
{
    return size >> level ? size >> level : 1;
}

static uint32_t level_depth(const struct run *r, unsigned level)
{
    return r->t->kind == KIND_3D ? mip(r->depth, level) : r->depth;
}

static double *texel_at(const struct run *r, unsigned level, uint32_t x, uint32_t y, uint32_t z)
{
    return r->texels[level] + (((size_t)z * mip(r->height, level) + y) * mip(r->width, level) + x) * 4;
}

static VkFormat format_of(const struct texture *t)
{
    return t->format ? t->format : VK_FORMAT_R8G8B8A8_UNORM;
}

static double srgb_to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Random texels of one format, as bytes and as numbers. */
static size_t encode_texels(VkFormat format, uint64_t *seed, uint8_t *to, double out[4])
{
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    switch (format) {
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_D32_SFLOAT: {
        float value = (float)(vt_random(seed) % 4096) / 4096;
        memcpy(to, &value, 4);
        out[0] = value;
        return 4;
    }
    case VK_FORMAT_D16_UNORM: {
        uint16_t value = (uint16_t)vt_random(seed);
        memcpy(to, &value, 2);
        out[0] = value / 65535.0;
        return 2;
    }
    case VK_FORMAT_R8G8B8A8_UINT:
        for (unsigned n = 0; n < 4; n++)
            out[n] = to[n] = (uint8_t)vt_random(seed);
        return 4;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
        for (unsigned n = 0; n < 4; n++) { /* 1 to 2: ten bits after the one */
            uint16_t bits = (uint16_t)(0x3c00 | (vt_random(seed) & 0x3ff));
            memcpy(to + n * 2, &bits, 2);
            out[n] = 1 + (bits & 0x3ff) / 1024.0;
        }
        return 8;
    default:
        for (unsigned n = 0; n < 4; n++) {
            to[n] = (uint8_t)vt_random(seed);
            out[n] = to[n] / 255.0;
        }
        if (format == VK_FORMAT_R8G8B8A8_SRGB) {
            for (unsigned n = 0; n < 3; n++)
                out[n] = srgb_to_linear(out[n]);
        } else if (format == VK_FORMAT_B8G8R8A8_UNORM) {
            double red = out[2];
            out[2] = out[0];
            out[0] = red;
        }
        return 4;
    }
}

static void make_image(struct run *r)
{
    struct vt *vt = r->vt;
    const struct texture *t = r->t;
    VkFormat format = format_of(t);
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, format, &properties);
    bool filters = t->mag == VK_FILTER_LINEAR || t->min == VK_FILTER_LINEAR;
    bool cubes = t->mag == VK_FILTER_CUBIC_EXT || t->min == VK_FILTER_CUBIC_EXT;
    VkFormatFeatureFlags need = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
                                (filters ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0) |
                                (cubes ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_CUBIC_BIT_EXT : 0);
    if (cubes && !vt->has[VT_FILTER_CUBIC])
        vt_skip(vt, "no VK_EXT_filter_cubic");
    if ((properties.optimalTilingFeatures & need) != need)
        vt_skip(vt, "the format cannot be sampled so");
    bool is_3d = t->kind == KIND_3D, is_1d = t->kind == KIND_1D;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = t->kind == KIND_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                              .imageType = is_1d   ? VK_IMAGE_TYPE_1D
                                           : is_3d ? VK_IMAGE_TYPE_3D
                                                   : VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {r->width, r->height, is_3d ? r->depth : 1},
                              .mipLevels = r->levels,
                              .arrayLayers = is_3d ? 1 : r->depth,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &r->image));
    vt_defer(vt, destroy_image, (uint64_t)r->image);
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(vt->device, r->image, &requirements);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = requirements.size};
    while (!(requirements.memoryTypeBits >> allocate.memoryTypeIndex & 1))
        allocate.memoryTypeIndex++;
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    vt_defer(vt, free_memory, (uint64_t)memory);
    VT_CHECK(vt, vkBindImageMemory(vt->device, r->image, memory, 0));
}

static void to_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                      VkImageLayout to)
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
        .subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

static void fill_image(struct run *r)
{
    struct vt *vt = r->vt;
    VkFormat format = format_of(r->t);
    VkImageAspectFlags aspect = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT
                                    ? VK_IMAGE_ASPECT_DEPTH_BIT
                                    : VK_IMAGE_ASPECT_COLOR_BIT;
    VkCommandBuffer commands = vt_begin(vt);
    uint64_t seed = 7;
    to_layout(commands, r->image, aspect, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (unsigned level = 0; level < r->levels; level++) {
        size_t count = (size_t)mip(r->width, level) * mip(r->height, level) * level_depth(r, level);
        r->texels[level] = malloc(count * 4 * sizeof(double));
        vt_defer(vt, free_host, (uint64_t)(uintptr_t)r->texels[level]);
        struct vt_buffer staging = vt_buffer(vt, count * 8, NULL);
        uint8_t *to = staging.map;
        for (size_t i = 0; i < count; i++)
            to += encode_texels(format, &seed, to, r->texels[level] + i * 4);
        bool is_3d = r->t->kind == KIND_3D;
        VkBufferImageCopy region = {
            .imageSubresource = {aspect, level, 0, is_3d ? 1 : r->depth},
            .imageExtent = {mip(r->width, level), mip(r->height, level), is_3d ? mip(r->depth, level) : 1}};
        vkCmdCopyBufferToImage(commands, staging.buffer, r->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
    to_layout(commands, r->image, aspect, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
              VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_submit(vt, commands);

    static const VkImageViewType types[] = {VK_IMAGE_VIEW_TYPE_2D,   VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_3D,
                                            VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_2D,       VK_IMAGE_VIEW_TYPE_2D,
                                            VK_IMAGE_VIEW_TYPE_1D};
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = r->image,
        .viewType = types[r->t->kind],
        .format = format,
        .components = r->t->swizzle,
        .subresourceRange = {aspect, r->t->base_level, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &r->view));
    vt_defer(vt, destroy_view, (uint64_t)r->view);
}

static void make_sampler(struct run *r)
{
    const struct texture *t = r->t;
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .magFilter = t->mag,
                                .minFilter = t->min,
                                .mipmapMode = t->mip,
                                .addressModeU = t->wrap[0],
                                .addressModeV = t->wrap[1],
                                .addressModeW = t->wrap[2],
                                .mipLodBias = t->bias,
                                .compareEnable = t->kind == KIND_SHADOW,
                                .compareOp = t->compare,
                                .minLod = t->min_lod,
                                .maxLod = t->max_lod != 0 ? t->max_lod : 1000,
                                .borderColor = t->border};
    VT_CHECK(r->vt, vkCreateSampler(r->vt->device, &info, NULL, &r->sampler));
    vt_defer(r->vt, destroy_sampler, (uint64_t)r->sampler);
}

static const struct vt_spirv *shader_of(enum kind kind)
{
    static struct vt_spirv all[7];
    all[0] = VT_SPIRV(texture_0);
    all[1] = VT_SPIRV(texture_1);
    all[2] = VT_SPIRV(texture_2);
    all[3] = VT_SPIRV(texture_3);
    all[4] = VT_SPIRV(texture_4);
    all[5] = VT_SPIRV(texture_5);
    all[6] = VT_SPIRV(texture_6);
    return &all[kind];
}

static void look_at_texels(struct run *r, const struct vt_buffer *in, const struct vt_buffer *out)
{
    struct vt *vt = r->vt;
    static const VkDescriptorType types[3] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                              VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
    VkDescriptorSetLayoutBinding bindings[3];
    for (uint32_t i = 0; i < 3; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = bindings};
    VkDescriptorSetLayout set_layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &set_info, NULL, &set_layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)set_layout);
    VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &layout_info, NULL, &layout));
    vt_defer(vt, destroy_layout, (uint64_t)layout);
    const struct vt_spirv *code = shader_of(r->t->kind);
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code->size_B, .pCode = code->words};
    VkShaderModule module;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &module_info, NULL, &module));
    vt_defer(vt, destroy_module, (uint64_t)module);
    int32_t op = r->t->op;
    VkSpecializationMapEntry entry = {0, 0, 4};
    VkSpecializationInfo specialization = {1, &entry, 4, &op};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main",
                                                  .pSpecializationInfo = &specialization},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);

    VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                     {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
    VkDescriptorSet set;
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &set));
    VkDescriptorBufferInfo buffers[2] = {{in->buffer, 0, VK_WHOLE_SIZE}, {out->buffer, 0, VK_WHOLE_SIZE}};
    VkDescriptorImageInfo image = {r->sampler, r->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .descriptorCount = 2,
                                       .descriptorType = types[0],
                                       .pBufferInfo = buffers},
                                      {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstBinding = 2,
                                       .descriptorCount = 1,
                                       .descriptorType = types[2],
                                       .pImageInfo = &image}};
    vkUpdateDescriptorSets(vt->device, 2, writes, 0, NULL);

    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, LOOKS / 64, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

/* ---- the specification ---- */

static long wrap_place(long i, long size, VkSamplerAddressMode mode)
{
    long m;
    switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
        return ((i % size) + size) % size;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
        m = ((i % (2 * size)) + 2 * size) % (2 * size) - size;
        return (size - 1) - (m >= 0 ? m : -(1 + m));
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
        return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
        return i < -1 ? -1 : i > size ? size : i;
    default:
        m = i >= 0 ? i : -(1 + i);
        return m > size - 1 ? size - 1 : m;
    }
}

static unsigned axes_of(const struct texture *t)
{
    return t->kind == KIND_3D ? 3 : t->kind == KIND_1D ? 1 : 2;
}

static double swizzled(const double texel[4], VkComponentSwizzle swizzle, unsigned n)
{
    switch (swizzle) {
    case VK_COMPONENT_SWIZZLE_IDENTITY:
        return texel[n];
    case VK_COMPONENT_SWIZZLE_ZERO:
        return 0;
    case VK_COMPONENT_SWIZZLE_ONE:
        return 1;
    default:
        return texel[swizzle - VK_COMPONENT_SWIZZLE_R];
    }
}

static bool comparison_passes(VkCompareOp op, double reference, double texel)
{
    switch (op) {
    case VK_COMPARE_OP_LESS:
        return reference < texel;
    case VK_COMPARE_OP_LESS_OR_EQUAL:
        return reference <= texel;
    case VK_COMPARE_OP_GREATER:
        return reference > texel;
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
        return reference >= texel;
    case VK_COMPARE_OP_ALWAYS:
        return true;
    default:
        return false;
    }
}

static void fetch_texel(const struct run *r, unsigned level, const long at[3], uint32_t layer, double reference,
                        double out[4])
{
    const struct texture *t = r->t;
    long size[3] = {mip(r->width, level), mip(r->height, level), level_depth(r, level)}, i[3] = {0, 0, layer};
    bool is_border = false;
    double raw[4];
    for (unsigned axis = 0; axis < axes_of(t); axis++) {
        i[axis] = wrap_place(at[axis], size[axis], t->wrap[axis]);
        is_border |= i[axis] < 0 || i[axis] >= size[axis];
    }
    if (is_border) {
        double one = t->border == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE || t->border == VK_BORDER_COLOR_INT_OPAQUE_WHITE;
        bool is_clear =
            t->border == VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK || t->border == VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
        raw[0] = raw[1] = raw[2] = one;
        raw[3] = is_clear ? 0 : 1;
        VkFormat format = format_of(t);
        if (format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT) {
            raw[1] = raw[2] = 0;
            raw[3] = 1;
        }
    } else {
        memcpy(raw, texel_at(r, level, (uint32_t)i[0], (uint32_t)i[1], (uint32_t)i[2]), sizeof(raw));
    }
    if (t->kind == KIND_SHADOW) {
        double value = comparison_passes(t->compare, reference, raw[0]);
        out[0] = out[1] = out[2] = out[3] = value;
        return;
    }
    const VkComponentSwizzle swizzle[4] = {t->swizzle.r, t->swizzle.g, t->swizzle.b, t->swizzle.a};
    for (unsigned n = 0; n < 4; n++)
        out[n] = swizzled(raw, swizzle[n], n);
}

static void sample_level(const struct run *r, unsigned level, VkFilter filter, const double c[3], const long offset[3],
                         double reference, double out[4])
{
    double size[3] = {mip(r->width, level), mip(r->height, level), level_depth(r, level)}, alpha[3] = {0, 0, 0};
    long first[3] = {0, 0, 0};
    uint32_t layer = r->t->kind == KIND_ARRAY ? (uint32_t)fmin(fmax(rint(c[2]), 0), r->depth - 1) : 0;
    for (unsigned axis = 0; axis < axes_of(r->t); axis++) {
        double u = c[axis] * size[axis] - (filter == VK_FILTER_LINEAR ? 0.5 : 0);
        first[axis] = (long)floor(u) + offset[axis];
        alpha[axis] = filter == VK_FILTER_LINEAR ? u - floor(u) : 0;
    }
    memset(out, 0, 4 * sizeof(double));
    for (unsigned tap = 0; tap < 1u << axes_of(r->t); tap++) {
        double weight = 1, value[4];
        long at[3];
        for (unsigned axis = 0; axis < 3; axis++) {
            weight *= axis >= axes_of(r->t) ? 1 : tap >> axis & 1 ? alpha[axis] : 1 - alpha[axis];
            at[axis] = first[axis] + (tap >> axis & 1);
        }
        if (weight == 0)
            continue;
        fetch_texel(r, level, at, layer, reference, value);
        for (unsigned n = 0; n < 4; n++)
            out[n] += weight * value[n];
    }
}

/* Catmull and Rom's curve through four texels. */
static double cubic_weight(double distance)
{
    double d = fabs(distance);
    return d <= 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
}

static void sample_cubic(const struct run *r, unsigned level, const double c[3], double out[4])
{
    double u = c[0] * mip(r->width, level) - 0.5, v = c[1] * mip(r->height, level) - 0.5;
    uint32_t layer = r->t->kind == KIND_ARRAY ? (uint32_t)fmin(fmax(rint(c[2]), 0), r->depth - 1) : 0;
    memset(out, 0, 4 * sizeof(double));
    for (long tap = 0; tap < 16; tap++) {
        long at[3] = {(long)floor(u) - 1 + tap % 4, (long)floor(v) - 1 + tap / 4, 0};
        double value[4], weight = cubic_weight(u - (double)at[0]) * cubic_weight(v - (double)at[1]);
        fetch_texel(r, level, at, layer, 0, value);
        for (unsigned n = 0; n < 4; n++)
            out[n] += weight * value[n];
    }
}

static void sample(const struct run *r, double lambda, const double c[3], const long offset[3], double reference,
                   double out[4])
{
    const struct texture *t = r->t;
    double lod = fmin(fmax(lambda + t->bias, t->min_lod), t->max_lod != 0 ? t->max_lod : 1000);
    VkFilter filter = lod <= 0 ? t->mag : t->min;
    unsigned q = r->levels - 1 - t->base_level;
    double d = fmin(fmax(lod, 0), q);
    if (filter == VK_FILTER_CUBIC_EXT) {
        sample_cubic(r, t->base_level + (unsigned)(ceil(d + 0.5) - 1), c, out);
        return;
    }
    if (t->mip == VK_SAMPLER_MIPMAP_MODE_NEAREST) {
        sample_level(r, t->base_level + (unsigned)(ceil(d + 0.5) - 1), filter, c, offset, reference, out);
        return;
    }
    double low[4], high[4], delta = d - floor(d);
    unsigned first = t->base_level + (unsigned)floor(d);
    sample_level(r, first, filter, c, offset, reference, low);
    sample_level(r, first < r->levels - 1 ? first + 1 : first, filter, c, offset, reference, high);
    for (unsigned n = 0; n < 4; n++)
        out[n] = (1 - delta) * low[n] + delta * high[n];
}

/* ---- cubes ---- */

static unsigned cube_face(const double v[3], double *s, double *t)
{
    double ax = fabs(v[0]), ay = fabs(v[1]), az = fabs(v[2]), sc, tc, rc;
    unsigned face;
    if (az >= ax && az >= ay)
        face = v[2] < 0 ? 5 : 4, rc = az, sc = face == 5 ? -v[0] : v[0], tc = -v[1];
    else if (ay >= ax)
        face = v[1] < 0 ? 3 : 2, rc = ay, sc = v[0], tc = face == 3 ? -v[2] : v[2];
    else
        face = v[0] < 0 ? 1 : 0, rc = ax, sc = face == 1 ? v[2] : -v[2], tc = -v[1];
    *s = sc / rc / 2 + 0.5;
    *t = tc / rc / 2 + 0.5;
    return face;
}

/* False where two edges meet: there implementations may differ. */
static bool sample_cube(const struct run *r, const double direction[3], double out[4])
{
    double s, t;
    long n = r->width;
    unsigned face = cube_face(direction, &s, &t);
    bool linear = r->t->mag == VK_FILTER_LINEAR;
    double u = s * (double)n - (linear ? 0.5 : 0), v = t * (double)n - (linear ? 0.5 : 0);
    memset(out, 0, 4 * sizeof(double));
    for (unsigned tap = 0; tap < (linear ? 4 : 1); tap++) {
        long i = (long)floor(u) + (tap & 1), j = (long)floor(v) + (tap >> 1);
        double weight =
            linear ? (tap & 1 ? u - floor(u) : 1 - u + floor(u)) * (tap >> 1 ? v - floor(v) : 1 - v + floor(v)) : 1;
        bool out_i = i < 0 || i >= n, out_j = j < 0 || j >= n;
        unsigned where = face;
        if (out_i && out_j)
            return false;
        if (out_i || out_j) {
            double a = i < 0    ? -1 - 1e-6
                       : i >= n ? 1 + 1e-6
                                : (double)(2 * i + 1) / (double)n - 1,
                   b = j < 0    ? -1 - 1e-6
                       : j >= n ? 1 + 1e-6
                                : (double)(2 * j + 1) / (double)n - 1;
            const double all[6][3] = {{1, -b, -a}, {-1, -b, a}, {a, 1, b}, {a, -1, -b}, {a, -b, 1}, {-a, -b, -1}};
            double s2, t2;
            where = cube_face(all[face], &s2, &t2);
            i = (long)fmin(s2 * (double)n, (double)n - 1);
            j = (long)fmin(t2 * (double)n, (double)n - 1);
        }
        const double *texel = texel_at(r, 0, (uint32_t)i, (uint32_t)j, where);
        for (unsigned c = 0; c < 4; c++)
            out[c] += weight * texel[c];
    }
    return true;
}

/* ---- the looks ---- */

struct request {
    float c[4], dx[4], dy[4];
};

static double uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (vt_random(seed) / 4294967296.0);
}

/* Coordinates that are no matter of rounding: nearest texels are met near their middle. */
static void make_request(const struct run *r, uint64_t *seed, unsigned number, struct request *q)
{
    const struct texture *t = r->t;
    unsigned steps = r->levels - t->base_level;
    bool levels_blend = t->mip == VK_SAMPLER_MIPMAP_MODE_LINEAR;
    memset(q, 0, sizeof(*q));
    /* lavapipe asks for one size a group of lanes. */
    unsigned level = (t->op == OP_SIZE ? number / 64 : vt_random(seed)) % steps;
    q->c[3] = (float)level + (levels_blend && t->op == OP_LOD ? (float)uniform(seed, 0, 1) : 0);
    if (t->bias != 0 || t->min_lod != 0 ||
        t->max_lod != 0) /* which level it is then, depends; only linear filters do not mind */
        q->c[3] += 0.25f;
    uint32_t size[3] = {r->width, r->height, r->depth};
    for (unsigned axis = 0; axis < axes_of(t); axis++) {
        uint32_t texels = mip(size[axis], t->base_level + level);
        if (t->op == OP_FETCH)
            q->c[axis] = (float)(vt_random(seed) % texels);
        else
            q->c[axis] = (float)((floor(uniform(seed, -1.6, 2.6) * texels) + uniform(seed, 0.1, 0.9)) / texels);
    }
    if (t->kind == KIND_ARRAY)
        q->c[2] = t->op == OP_FETCH ? (float)(vt_random(seed) % r->depth) : (float)uniform(seed, -1, r->depth + 1);
    if (t->kind == KIND_SHADOW)
        q->c[2] = (float)uniform(seed, 0.05, 0.95);
    if (t->kind == KIND_CUBE) {
        for (unsigned axis = 0; axis < 3; axis++)
            q->c[axis] = (float)uniform(seed, -1, 1);
        q->c[3] = 0;
    }
    if (t->op == OP_GRAD) { /* in texels: between one and four */
        double rho = exp2(uniform(seed, 0, 3)), angle = uniform(seed, 0, 6.28);
        q->dx[0] = (float)(cos(angle) * rho / r->width);
        q->dx[1] = (float)(sin(angle) * rho / r->height);
        q->dy[0] = (float)(-sin(angle) * rho * 0.6 / r->width);
        q->dy[1] = (float)(cos(angle) * rho * 0.6 / r->height);
    }
}

/* False: any answer will do. */
static bool expected(const struct run *r, const struct request *q, double out[4])
{
    const struct texture *t = r->t;
    double c[3] = {q->c[0], q->c[1], q->c[2]}, lambda = q->c[3], reference = q->c[2];
    long offset[3] = {0, 0, 0};
    if (t->op == OP_OFFSET || t->op == OP_GATHER_OFFSET) {
        offset[0] = 3;
        offset[1] = -2;
    }
    if (t->kind == KIND_CUBE)
        return sample_cube(r, c, out);
    if (t->op == OP_SIZE) {
        unsigned level = t->base_level + (unsigned)lambda;
        out[0] = mip(r->width, level);
        out[1] = mip(r->height, level);
        out[2] = t->kind == KIND_2D ? r->levels - t->base_level : level_depth(r, level);
        out[3] = t->kind == KIND_2D ? 0 : r->levels - t->base_level;
        return true;
    }
    if (t->op == OP_FETCH) {
        long at[3] = {(long)c[0], (long)c[1], (long)c[2]};
        fetch_texel(r, t->base_level + (unsigned)lambda, at, t->kind == KIND_ARRAY ? (uint32_t)c[2] : 0, 0, out);
        return true;
    }
    if (t->op == OP_GATHER || t->op == OP_GATHER_OFFSET) {
        static const long order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        unsigned component = t->kind == KIND_SHADOW ? 0 : t->op == OP_GATHER ? 1 : 2;
        double u = c[0] * mip(r->width, t->base_level) - 0.5, v = c[1] * mip(r->height, t->base_level) - 0.5;
        /* Between texels a matter of rounding. */
        if (fabs(u - rint(u)) < 0.02 || fabs(v - rint(v)) < 0.02)
            return false;
        for (unsigned n = 0; n < 4; n++) {
            double value[4];
            long at[3] = {(long)floor(u) + order[n][0] + offset[0], (long)floor(v) + order[n][1] + offset[1], 0};
            fetch_texel(r, t->base_level, at, 0, reference, value);
            out[n] = value[component];
        }
        return true;
    }
    if (t->op == OP_GRAD) {
        double w = mip(r->width, t->base_level), h = mip(r->height, t->base_level);
        lambda = log2(fmax(hypot(q->dx[0] * w, q->dx[1] * h), hypot(q->dy[0] * w, q->dy[1] * h)));
    }
    sample(r, lambda, c, offset, reference, out);
    return true;
}

static double tolerance(const struct texture *t)
{
    if (t->op == OP_FETCH || t->op == OP_SIZE || t->op == OP_GATHER || t->op == OP_GATHER_OFFSET ||
        t->kind == KIND_UINT)
        return 1e-5;
    if (t->mag == VK_FILTER_NEAREST && t->min == VK_FILTER_NEAREST && t->mip == VK_SAMPLER_MIPMAP_MODE_NEAREST)
        return t->format == VK_FORMAT_R8G8B8A8_SRGB ? 2e-3 : 1e-5;
    return (t->kind == KIND_3D ? 0.02 : 0.012) + (t->op == OP_GRAD ? 0.03 : 0);
}

static void texture_case(struct vt *vt, const void *argument)
{
    const struct texture *t = argument;
    struct run r = {.vt = vt,
                    .t = t,
                    .width = t->width ? t->width : 37,
                    .height = t->kind == KIND_1D ? 1
                              : t->height        ? t->height
                                                 : 22,
                    .depth = t->depth                                      ? t->depth
                             : t->kind == KIND_CUBE                        ? 6
                             : t->kind == KIND_ARRAY || t->kind == KIND_3D ? 7
                                                                           : 1,
                    .levels = t->levels ? t->levels : 1};
    bool mirrors_once = false;
    for (unsigned axis = 0; axis < 3; axis++)
        mirrors_once |= t->wrap[axis] == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
    if (mirrors_once && !vt->features12.samplerMirrorClampToEdge)
        vt_skip(vt, "no samplerMirrorClampToEdge");
    make_image(&r);
    fill_image(&r);
    make_sampler(&r);
    struct request *requests = calloc(LOOKS, sizeof(*requests));
    vt_defer(vt, free_host, (uint64_t)(uintptr_t)requests);
    uint64_t seed = 99;
    for (unsigned i = 0; i < LOOKS; i++)
        make_request(&r, &seed, i, &requests[i]);
    struct vt_buffer in = vt_buffer(vt, LOOKS * sizeof(*requests), requests), out = vt_buffer(vt, LOOKS * 16, NULL);
    look_at_texels(&r, &in, &out);
    const float(*got)[4] = out.map;
    double allowed = tolerance(t);
    unsigned components = t->op == OP_SIZE ? (t->kind == KIND_2D ? 3 : 4) : 4;
    for (unsigned i = 0; i < LOOKS; i++) {
        double want[4];
        if (!expected(&r, &requests[i], want))
            continue;
        for (unsigned n = 0; n < components; n++) {
            /* Weights below zero lead out of a normalised format's range: nothing is said of clamping. */
            if (t->mag == VK_FILTER_CUBIC_EXT && got[i][n] == (want[n] > 0.5 ? 1.0f : 0.0f))
                want[n] = fmin(fmax(want[n], 0), 1);
            if (!(fabs(got[i][n] - want[n]) <= allowed))
                vt_fail(vt, "look %u at (%g, %g, %g, %g): component %u is %g, expected %g", i, requests[i].c[0],
                        requests[i].c[1], requests[i].c[2], requests[i].c[3], n, got[i][n], want[n]);
        }
    }
}

#define REPEAT VK_SAMPLER_ADDRESS_MODE_REPEAT
#define MIRROR VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT
#define EDGE VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE
#define BORDER VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER
#define ONCE VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE
#define LINEAR .mag = VK_FILTER_LINEAR, .min = VK_FILTER_LINEAR
#define CUBIC .mag = VK_FILTER_CUBIC_EXT, .min = VK_FILTER_CUBIC_EXT
#define TRILINEAR LINEAR, .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR
#define TEXTURE(...)                                                                                                   \
    texture_case, &(const struct texture)                                                                              \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

const struct vt_case vt_texture_cases[] = {
    {"nearest.repeat", TEXTURE(.wrap = {REPEAT, REPEAT})},
    {"nearest.mirror", TEXTURE(.wrap = {MIRROR, MIRROR})},
    {"nearest.edge", TEXTURE(.wrap = {EDGE, EDGE})},
    {"nearest.border", TEXTURE(.wrap = {BORDER, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK)},
    {"nearest.once", TEXTURE(.wrap = {ONCE, ONCE})},
    {"linear.repeat", TEXTURE(LINEAR, .wrap = {REPEAT, REPEAT})},
    {"linear.mirror", TEXTURE(LINEAR, .wrap = {MIRROR, MIRROR})},
    {"linear.edge", TEXTURE(LINEAR, .wrap = {EDGE, EDGE})},
    {"linear.once", TEXTURE(LINEAR, .wrap = {ONCE, REPEAT})},
    {"linear.border.transparent",
     TEXTURE(LINEAR, .wrap = {BORDER, EDGE}, .border = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK)},
    {"linear.border.black", TEXTURE(LINEAR, .wrap = {EDGE, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK)},
    {"linear.border.white", TEXTURE(LINEAR, .wrap = {BORDER, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE)},
    {"linear.border.bgra", TEXTURE(LINEAR, .wrap = {BORDER, BORDER}, .format = VK_FORMAT_B8G8R8A8_UNORM,
                                   .border = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK)},
    {"linear.large", TEXTURE(LINEAR, .width = 700, .height = 530)},
    {"linear.small", TEXTURE(LINEAR, .width = 1, .height = 2)},
    {"linear.float16", TEXTURE(LINEAR, .format = VK_FORMAT_R16G16B16A16_SFLOAT)},
    {"linear.float32", TEXTURE(LINEAR, .format = VK_FORMAT_R32_SFLOAT, .wrap = {BORDER, MIRROR},
                               .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE)},
    {"linear.srgb", TEXTURE(LINEAR, .format = VK_FORMAT_R8G8B8A8_SRGB)},
    {"nearest.srgb", TEXTURE(.format = VK_FORMAT_R8G8B8A8_SRGB)},
    {"linear.swizzle", TEXTURE(LINEAR, .swizzle = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE,
                                                   VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ZERO})},
    {"levels.nearest", TEXTURE(.levels = 6)},
    {"cubic.repeat", TEXTURE(CUBIC, .wrap = {REPEAT, REPEAT})},
    {"cubic.edge", TEXTURE(CUBIC, .wrap = {EDGE, MIRROR})},
    {"cubic.border", TEXTURE(CUBIC, .wrap = {BORDER, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE)},
    {"cubic.float16", TEXTURE(CUBIC, .format = VK_FORMAT_R16G16B16A16_SFLOAT)},
    {"cubic.levels", TEXTURE(CUBIC, .levels = 5)},
    {"cubic.array", TEXTURE(CUBIC, .kind = KIND_ARRAY)},
    {"levels.linear.nearest_level", TEXTURE(LINEAR, .levels = 6)},
    {"levels.trilinear", TEXTURE(TRILINEAR, .levels = 6)},
    {"levels.trilinear.large", TEXTURE(TRILINEAR, .width = 300, .height = 200, .levels = 8)},
    {"levels.base", TEXTURE(TRILINEAR, .width = 120, .height = 90, .levels = 7, .base_level = 2)},
    {"levels.bias", TEXTURE(TRILINEAR, .levels = 6, .bias = 1.5f)},
    {"levels.bias.negative", TEXTURE(TRILINEAR, .levels = 6, .bias = -0.75f)},
    {"levels.clamped", TEXTURE(TRILINEAR, .levels = 6, .min_lod = 1.25f, .max_lod = 3.5f)},
    {"levels.mag_nearest", TEXTURE(.mag = VK_FILTER_NEAREST, .min = VK_FILTER_LINEAR, .levels = 6)},
    {"gradient.trilinear", TEXTURE(TRILINEAR, .op = OP_GRAD, .width = 128, .height = 64, .levels = 7)},
    {"offset.nearest", TEXTURE(.op = OP_OFFSET)},
    {"offset.linear", TEXTURE(LINEAR, .op = OP_OFFSET, .wrap = {EDGE, MIRROR})},
    {"gather", TEXTURE(.op = OP_GATHER, .wrap = {REPEAT, EDGE})},
    {"gather.linear_sampler",
     TEXTURE(LINEAR, .op = OP_GATHER, .wrap = {MIRROR, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE)},
    {"gather.offset", TEXTURE(LINEAR, .op = OP_GATHER_OFFSET)},
    {"gather.float32", TEXTURE(.op = OP_GATHER, .format = VK_FORMAT_R32_SFLOAT)},
    {"gather.uint", TEXTURE(.kind = KIND_UINT, .format = VK_FORMAT_R8G8B8A8_UINT, .op = OP_GATHER)},
    {"fetch", TEXTURE(.op = OP_FETCH, .levels = 6)},
    {"fetch.base", TEXTURE(.op = OP_FETCH, .levels = 6, .base_level = 1)},
    {"fetch.array", TEXTURE(.kind = KIND_ARRAY, .op = OP_FETCH, .levels = 5)},
    {"fetch.3d", TEXTURE(.kind = KIND_3D, .op = OP_FETCH, .levels = 3, .depth = 12)},
    {"fetch.uint", TEXTURE(.kind = KIND_UINT, .format = VK_FORMAT_R8G8B8A8_UINT, .op = OP_FETCH)},
    {"size", TEXTURE(.op = OP_SIZE, .levels = 6)},
    {"size.base", TEXTURE(.op = OP_SIZE, .levels = 6, .base_level = 2)},
    {"size.array", TEXTURE(.kind = KIND_ARRAY, .op = OP_SIZE, .levels = 5)},
    {"size.3d", TEXTURE(.kind = KIND_3D, .op = OP_SIZE, .levels = 4, .depth = 16)},
    {"array.nearest", TEXTURE(.kind = KIND_ARRAY)},
    {"array.trilinear", TEXTURE(TRILINEAR, .kind = KIND_ARRAY, .levels = 5)},
    {"1d.nearest", TEXTURE(.kind = KIND_1D)},
    {"1d.trilinear", TEXTURE(TRILINEAR, .kind = KIND_1D, .width = 100, .levels = 6, .wrap = {MIRROR})},
    {"3d.nearest", TEXTURE(.kind = KIND_3D, .wrap = {REPEAT, MIRROR, EDGE})},
    {"3d.linear", TEXTURE(LINEAR, .kind = KIND_3D, .wrap = {EDGE, REPEAT, MIRROR})},
    {"3d.linear.border",
     TEXTURE(LINEAR, .kind = KIND_3D, .wrap = {BORDER, BORDER, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK)},
    {"3d.trilinear", TEXTURE(TRILINEAR, .kind = KIND_3D, .depth = 20, .levels = 4)},
    {"cube.nearest", TEXTURE(.kind = KIND_CUBE, .width = 16, .height = 16)},
    {"cube.linear", TEXTURE(LINEAR, .kind = KIND_CUBE, .width = 16, .height = 16)},
    {"cube.linear.float16",
     TEXTURE(LINEAR, .kind = KIND_CUBE, .width = 4, .height = 4, .format = VK_FORMAT_R16G16B16A16_SFLOAT)},
    {"shadow.nearest", TEXTURE(.kind = KIND_SHADOW, .format = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS)},
    {"shadow.linear",
     TEXTURE(LINEAR, .kind = KIND_SHADOW, .format = VK_FORMAT_D16_UNORM, .compare = VK_COMPARE_OP_GREATER_OR_EQUAL)},
    {"shadow.linear.border",
     TEXTURE(LINEAR, .kind = KIND_SHADOW, .format = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_LESS_OR_EQUAL,
             .wrap = {BORDER, BORDER}, .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE)},
    {"shadow.gather",
     TEXTURE(.kind = KIND_SHADOW, .op = OP_GATHER, .format = VK_FORMAT_D32_SFLOAT, .compare = VK_COMPARE_OP_GREATER)},
    {"uint.nearest", TEXTURE(.kind = KIND_UINT, .format = VK_FORMAT_R8G8B8A8_UINT, .wrap = {REPEAT, MIRROR})},
    {"uint.swizzle", TEXTURE(.kind = KIND_UINT, .format = VK_FORMAT_R8G8B8A8_UINT,
                             .swizzle = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R,
                                         VK_COMPONENT_SWIZZLE_ZERO})},
    {"uint.border", TEXTURE(.kind = KIND_UINT, .format = VK_FORMAT_R8G8B8A8_UINT, .wrap = {BORDER, BORDER},
                            .border = VK_BORDER_COLOR_INT_OPAQUE_WHITE)},
};
const size_t vt_texture_count = COUNT_OF(vt_texture_cases);
